"""Chapter 11's sentences and figures, with their odd cases."""

import numpy as np
import pandas as pd

from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.show import figures
from heed.show import rationales as shown


def table(**means: float) -> pd.DataFrame:
    """Rows of `faithfulness`: two texts, each metric one number a ranking."""
    rows = []
    for name, mean in means.items():
        for text in ("a", "b"):
            rows.append({"id": text, "ranking": name, "bounds": "all sets"} | dict.fromkeys(METRICS, mean))
    return pd.DataFrame(rows)


RANKED = {"attention": 0.2, "gradient": 0.5, "random": 0.1, "truth": 0.4, BEST: 0.9, WORST: 0.0}


def test_places_go_by_each_metrics_direction():
    found = shown.means(table(**RANKED))
    assert [*found.index] == ["attention", "gradient", "random", "truth", BEST, WORST]
    placed = shown.ranks(found)
    assert placed.loc["gradient", "comp_delete"] == 1 and placed.loc["random", "suff_delete"] == 1
    assert placed.loc[[BEST, WORST]].isna().all(axis=None)
    assert shown.first_by(found)["comp_delete"] == "gradient"
    assert shown.places_of_truth(found)["comp_delete"] == 2
    assert "Attention has places 1 to 2 of 2." in shown.who_is_first(found)
    assert shown.where_attention_stands(found)["its place"].tolist() == [2, 1, 2, 1, 2, 2, 2]
    assert "at place" in shown.where_truth_stands(found, "planted")
    assert shown.bounds(table(**RANKED)) == "The model's own best and worst order are exact in 2 of 2 texts."


def test_nothing_is_said_of_a_truth_that_is_not_known():
    found = shown.means(table(attention=0.2, gradient=0.5))
    assert shown.places_of_truth(found) == {}
    assert "nobody knows the deciding words" in shown.where_truth_stands(found, "<b>")
    assert "<b>" not in shown.where_truth_stands(found, "<b>")
    assert shown.title_of_metrics(found) == "The metrics don't agree on the best ranking"


def pairs(*rows: tuple[str, str, float]) -> pd.DataFrame:
    return shown.taus(pd.DataFrame(rows, columns=["first", "second", "tau"]))


def test_what_agrees_is_held_against_the_truth():
    found = pairs(
        ("attention", "gradient", 0.2),
        ("attention", "loo", 0.1),
        ("gradient", "loo", 0.8),
        ("attention", "truth", 0.5),
        ("gradient", "truth", 0.1),
        ("loo", "truth", 0.2),
    )
    said = shown.agreement(found)
    assert "Gradient and leave-one-out agree most, τ = 0.80; the mean of the 3 pairs is 0.37." in said
    assert "With the deciding words attention agrees most, τ = 0.50" in said and "agree least" in said
    assert shown.title_of_taus(found) == "33% of the pairs of rankings agree at τ = 0.5 or more"
    assert shown.agreement(pairs()) == "No text here has two words to be put in an order."


def test_people_and_readers():
    rows = pd.DataFrame(
        {
            "class": "overall",
            "encoder": "average",
            "measure": ["auprc_above_random_attention", "auprc_above_random_loo"],
            "mean": [0.01, 0.02],
            "low": [0.0, 0.01],
            "high": [0.02, 0.03],
        }
    )
    assert shown.near_chance(rows) and "leave-one-out finds people's marks best" in shown.people_say(rows)[0]
    assert shown.people(rows[:0]) == {} and shown.people_say(rows[:0]) == []
    read = pd.DataFrame(
        {
            "corpus": "x",
            "encoder": "average",
            "ranking": ["full text", "attention", "random"] * 2,
            "seed": [0, 0, 0, 1, 1, 1],
            "read_f1": [0.8, 0.7, 0.5, 0.9, 0.8, 0.6],
        }
    )
    (said,) = shown.readers_say(read)
    assert (
        said == "x, Average: F1 is 0.85 on whole texts, 0.75 on the words that attention chooses, 0.55 on as "
        "many at random (2 seeds)."
    )
    assert [*shown.readers(read)["Average"].index] == ["full text", "attention", "random"]
    assert shown.title_of_readers("x", read).endswith("gives 88% (Average) of the F1")
    assert shown.readers_say(read[:0]) == []


def test_the_figures_are_drawn():
    found = shown.means(table(**RANKED))
    figure = figures.metrics(shown.labelled(found), shown.ranks(found), "a title", shown.marked())
    assert "0.50" in {text.get_text() for text in figure.axes[0].texts}
    figure = figures.agree(pairs(("attention", "gradient", -0.001)), "a title", set())
    assert {text.get_text() for text in figure.axes[0].texts} == {"0.00"}
    rows = pd.DataFrame({"mean": [0.1], "low": [0.0], "high": [np.nan]}, index=["LIME"])
    figure = figures.by_ranking({"a": rows, "b": rows}, "a title", "a label")
    assert figure.axes[0].get_yticklabels()[0].get_text() == "LIME"


def test_a_ranking_that_is_another_by_construction_is_left_out():
    rows = [
        ("attention", "gradient", 0.2),
        ("attention", "attention_norm", 1.0),
        ("gradient", "attention_norm", 0.2),
    ]
    table = pd.DataFrame(rows, columns=["first", "second", "tau"])
    assert {*shown.distinct(table)["second"]} == {"gradient"}
