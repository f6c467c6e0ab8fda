"""Chapter 11's sentences and figures, with their odd cases."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

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
    assert shown.attention_stands(found) == "Attention takes places 1 to 3 of 3."
    assert shown.where_attention_stands(found)["its place"].tolist() == [3, 1, 3, 1, 3, 3, 3]
    said = shown.where_truth_stands(found, "planted")
    assert said[0].startswith("The deciding words take place")
    assert shown.how_many(found) == 3
    own = shown.places(found)
    assert own.loc["comprehensiveness"].tolist() == [2, 3, 4, "gradient"]
    assert own.loc["sufficiency (less is better)"].tolist() == [2, 1, 1, "attention"]
    assert shown.title_of_places(found) == (
        "Of 3 rankings, attention comes 1st to 3rd, by metric; the deciding words themselves come 2nd"
    )
    assert [shown._ordinal(n) for n in (2, 4, 11, 21)] == ["2nd", "4th", "11th", "21st"]
    assert shown.count_says(found) == (
        "These are 2 rankings; the deciding words, where they get a place, are one more, number 3. The "
        "random order isn't counted."
    )
    assert shown.bounds(table(**RANKED)) == "The model's best and worst order are exact in 2 of 2 texts."


def test_nothing_is_said_of_a_truth_that_is_not_known():
    found = shown.means(table(attention=0.2, gradient=0.5))
    assert shown.places_of_truth(found) == {}
    (said,) = shown.where_truth_stands(found, "<b>")
    assert "nobody knows the deciding words" in said and "<b>" not in said
    assert [*shown.places(found)] == ["attention", "first"]
    assert shown.title_of_places(found) == "Attention takes places 1 to 2 of 2, by metric"
    assert shown.title_of_metrics(found) == (
        "Gradient or attention comes first by each of 6 metrics of the whole model; attention's mean place "
        "is 2 of 2"
    )


def test_a_lead_is_decided_over_texts():
    rows = table(attention=0.2, loo=0.3, lime=0.5, random=0.1)
    found = shown.means(rows)
    assert shown.leaders(found) == ["lime", "attention"]
    assert shown.how_sure(found, rows) == ", surely before all others by each"
    wide = pd.concat([rows, rows.assign(id=rows["id"] + "2")], ignore_index=True)
    wide.loc[(wide["ranking"] == "lime") & (wide["id"] == "a"), [*METRICS]] = 0.1
    found = shown.means(wide)
    own = shown.ahead(found, wide).set_index("metric")
    assert own.loc["comp_delete", "second"] == "loo" and own.loc["comp_delete", "open"]
    assert shown.how_sure(found, wide).startswith(", surely before all others by ")
    said = " ".join(shown.narrow(found, wide))
    assert said.startswith("Between LIME and attention the lead is sure by none of 6 metrics.")
    assert "may be chance by *comprehensiveness*, 0.10 (" in said and "before leave-one-out" in said


def test_a_ranking_of_attention_may_lead():
    rows = table(lime=0.5, attention_product=0.496, attention=0.2, loo=0.1)
    rows.loc[rows["ranking"] != "lime", ["suff_delete", "naopc_suff"]] = 0.9
    found = shown.means(rows)
    assert shown.leaders(found) == ["lime"]
    said = shown._may_lead(found, rows)
    assert said.startswith(
        " By *comprehensiveness*, 0.00 (0.00 to 0.00), the lead may be gradient by attention × attention's"
    )
    assert shown.how_sure(found, rows) == ", surely before the second by 2"
    assert shown.narrow(found, rows)[0].startswith("Its lead over the second may be chance by")
    assert shown._favours(found) == " These metrics, like it, take words away, which favours it."
    assert shown.to_use(found, rows).endswith("ask LIME, not attention")
    assert shown._favours(shown.means(table(gradient=0.2, attention=0.1))) == ""


def test_a_lead_by_construction_is_told():
    rows = table(attention=0.2, loo=0.5, truth=0.4)
    found = shown.means(rows)
    own = shown.leads(found, rows).set_index("metric")
    assert own.loc["monotonicity", "first"] == "loo" and own.loc["suff_delete", "first"] == "attention"
    assert own["lead"].to_numpy() == pytest.approx(0.3), "a lead is above 0 where less is better, too"
    assert shown.how_sure(found, rows) == "" and "monotonicity" not in shown.of_whole_model(found)
    assert shown.narrow(found, rows) == [
        "Between leave-one-out and attention the lead is sure by 5 of 5 metrics.",
        "Leave-one-out is first where only the attention layer counts.",
        "Leave-one-out is first by monotonicity, but by construction.",
    ]
    assert shown.narrow(found[:0], rows[:0]) == []
    assert shown.who_leads(found) == (
        "Leave-one-out or attention comes first by 5 of 6 metrics of the whole model"
    )
    assert shown.to_use(found, rows) == "a ranking is faithful *to something*: say to what"
    page = shown.table_of_leads(found, rows)
    assert page.loc[0, "first"] == "leave-one-out" and page.loc[0, "metric"] == "comp." and len(page) == 7
    assert page.loc[0, "lead"] == "0.30 (0.30 to 0.30)"
    hair = table(attention=0.5, loo=0.504)
    assert shown.leads(shown.means(hair), hair)["open"].all(), "what is shown as 0.00 is open"


def test_attention_is_held_against_a_random_order():
    rows = table(attention=0.2, random=0.1, loo=0.5)
    found = shown.means(rows)
    page = shown.table_of_attention(found, rows).set_index("metric")
    assert page.loc["comp."].tolist() == ["0.10 (0.10 to 0.10)", "0.30 (0.30 to 0.30)"]
    assert page.loc["suff. (less)"].tolist() == ["−0.10 (−0.10 to −0.10)", "–"]
    assert shown.better_than_chance(found, rows) == (
        "attention beats a random order by 5 of 7 metrics, *surely* (95 % interval above 0) by each"
    )
    alike = table(attention=0.1, random=0.1)
    assert shown.better_than_chance(shown.means(alike), alike) == (
        "attention beats a random order by none of 7 metrics"
    )
    wide = pd.concat([rows, rows.assign(id=rows["id"] + "2")], ignore_index=True)
    less = [name for name in METRICS if name != "comp_delete"]
    wide.loc[(wide["ranking"] == "random") & (wide["id"] == "a"), less] = 0.3
    wide.loc[(wide["ranking"] == "random") & (wide["id"] == "b"), less] = 0.1
    assert shown.better_than_chance(shown.means(wide), wide) == (
        "attention beats a random order by 5 of 7 metrics, *surely* (95 % interval above 0) by 1: "
        "*comprehensiveness*"
    )
    alone = table(attention=0.1, loo=0.2)
    assert shown.better_than_chance(shown.means(alone), alone) == "attention takes places 1 to 2 of 2"
    assert shown.table_of_attention(shown.means(alone), alone).empty


def agreements(*rows: tuple[str, str, float]) -> pd.DataFrame:
    """`agreement`'s rows, of two texts alike."""
    table = pd.DataFrame(rows, columns=["first", "second", "tau"])
    return pd.concat([table.assign(id=name) for name in "ab"], ignore_index=True)


PAIRS = (
    ("attention", "gradient", 0.2),
    ("attention", "loo", 0.1),
    ("gradient", "loo", 0.8),
    ("attention", "random", 0.3),
    ("attention", "truth", 0.5),
    ("gradient", "truth", 0.1),
    ("loo", "truth", 0.2),
)


def test_what_agrees_is_held_against_the_truth():
    table = agreements(*PAIRS)
    found = shown.taus(table)
    assert shown.agreement(found) == (
        "Of 3 pairs of rankings 1 agrees at τ = 0.5 or more. Gradient and leave-one-out agree most "
        "(τ = 0.80); the mean is 0.37."
    )
    rows = shown.with_whom(table)
    assert [*rows.index] == ["attention", "leave-one-out", "gradient"]
    np.testing.assert_allclose(rows["truth"], [0.5, 0.2, 0.1])
    np.testing.assert_allclose(rows["others"], [0.15, 0.45, 0.5])
    assert rows["truth texts"].tolist() == [2, 2, 2]
    said = shown.finds_truth(table)
    assert said[0] == "Attention agrees most with the words that decide (τ = 0.50)."
    other = shown.finds_truth(table[~((table["first"] == "attention") & (table["second"] == "loo"))].replace(
        {"tau": {0.5: 0.0}}
    ))  # fmt: skip
    assert other[0].endswith(
        "Attention's τ is 0.00 (95 % interval 0.00 to 0.00): its order doesn't find the deciding words."
    )
    assert said[1] == (
        "In this sample rankings that agree more with the others agree less with the truth, but that may be "
        "chance: Spearman's ρ of the two τ is −1.00 over 3 rankings."
    )
    assert shown.title_of_truth(table) == (
        "Attention agrees most with the words that decide (τ\u00a0=\u00a00.50)"
    )
    turned = table.replace({"tau": {0.5: 0.15}})
    assert shown.title_of_truth(turned) == (
        "Attention's τ with the words that decide is 0.15; leave-one-out agrees most with them, "
        "τ\u00a0=\u00a00.20"
    )


def test_nothing_is_said_of_agreement_that_is_not_there():
    unknown = agreements(*(row for row in PAIRS if row[1] != "truth"))
    rows = shown.with_whom(unknown)
    assert not any(name.startswith("truth") for name in rows) and [*shown.kinds(rows)] == ["others"]
    assert shown.against_truth(unknown) == {} and "aren't known" in shown.finds_truth(unknown)[0]
    none = agreements()
    assert shown.with_whom(none).empty and shown.agreement(shown.taus(none)) == shown.NOTHING
    alike = agreements(("attention", "loo", 0.5), ("attention", "truth", 0.5), ("loo", "truth", 0.5))
    assert shown.against_truth(alike) == {}


def test_the_answer_is_of_all_judges():
    found = shown.means(table(**RANKED))
    turned = agreements(*PAIRS).replace({"tau": {0.5: 0.15}})
    of, read = SimpleNamespace(corpus="planted", encoder="cnn"), readers()
    said = " ".join(shown.in_short(found, table(**RANKED), turned, marks(), read, of))
    assert "On 2 texts (planted, a [made corpus](glossary.md#made-corpora); CNN, one seed) attention " in said
    assert "attention beats a random order by 5 of 7 metrics" in said
    assert "Gradient or attention comes first by each of 6 metrics of the whole model" in said
    assert "with them 0.15 (0.15 to 0.15), leave-one-out's 0.20." in said
    assert "(F1 0.75, 2 seeds) than from a random fifth (0.55); the best choice gives 0.75." in said
    assert "In film reviews (Average, 199 texts, one seed)" in said
    answer = shown.answer(found, table(**RANKED), turned, read, of)
    assert "nan" not in said and "Leave-one-out comes nearest to it." in answer[1]
    assert answer[3].startswith("**To a learner:** a *new* model learns more from attention's top fifth")
    assert "surely before a random order by 5 of all 7" in answer[0]
    assert shown.learns(read[:0], of) == ""
    doubtful = read.replace({"read_f1": {0.5: 0.9}})
    assert shown.learns(doubtful, of).startswith("There a *new* model doesn't surely learn more from")
    none = table(**RANKED)[:0]
    assert shown.in_short(shown.means(none), none, turned[:0], marks()[:0], read, of) == [shown.NOTHING]
    assert shown.answer(shown.means(none), none, turned[:0], read, of) == [shown.NOTHING]


def test_by_hand_a_row_is_a_metric():
    own = shown.by_hand().set_index("")
    assert own.loc["token F1", "what it adds"] == "1.00" and "−0.11" in own.loc["sufficiency"].to_list()
    assert [*own] == ["attention", "what it adds", "its size"]
    assert shown.hand_says() == "Most attention is on “thin”, and “superb” adds most"


def marks() -> pd.DataFrame:
    """Two rankings by people's marks, as a summary has them."""
    return pd.DataFrame(
        {
            "class": "overall",
            "encoder": "average",
            "measure": ["auprc_above_random_attention", "auprc_above_random_loo"],
            "mean": [0.01, 0.02],
            "low": [0.0, 0.01],
            "high": [0.02, 0.03],
            "n": [199, 199],
            "seed": [0, 0],
        }
    )


def readers() -> pd.DataFrame:
    """Readers of three choices of words, of two seeds."""
    return pd.DataFrame(
        {
            "corpus": "planted",
            "encoder": "cnn",
            "ranking": ["full text", "attention", "random"] * 2,
            "seed": [0, 0, 0, 1, 1, 1],
            "read_f1": [0.8, 0.7, 0.5, 0.9, 0.8, 0.6],
        }
    )


def test_people_and_readers():
    rows = marks()
    assert shown.near_chance(rows) and "leave-one-out finds people's marks best" in shown.people_say(rows)[0]
    assert shown.note_of_people(rows) == (
        "AUPRC above a random order's, with 95 % interval over texts\n(Average, 199 texts, one seed)"
    )
    assert shown.people_by_model(rows[:0]) == {} and shown.people_say(rows[:0]) == []
    read = readers().replace({"planted": "x", "cnn": "average"})
    assert [*shown.readers(read)["Average"].index] == ["full text", "attention", "random"]
    assert shown.title_of_readers(read).endswith("gives an F1 of 0.75 (Average); whole texts give 0.85")
    loo = read[read["ranking"] == "attention"].assign(ranking="loo", read_f1=0.74)
    both = pd.concat([read, loo])
    elsewhere = pd.concat([both, loo.assign(corpus="y", read_f1=0.9)])
    first = [shown.readers(both, like=like)["Average"].index[1] for like in (None, elsewhere)]
    assert first == ["attention", "leave-one-out"]
    assert shown.note_of_readers(read) == "macro F1 (mean and range of 2 seeds)"
    assert shown.limits_of_readers(read) == pytest.approx((0.45, 0.95))
    assert shown.readers_say(read) == shown.readers_say(read[:0]) == []
    assert shown.readers_say(read.assign(corpus="planted")) == [
        "**planted, Average:** Even whole texts give little: Average reads each word alone, and so can't "
        "know that *not* turns the next word round."
    ]
    more = pd.DataFrame(
        {"corpus": "x", "encoder": "average", "ranking": ["truth"], "seed": [0], "read_f1": [0.6]}
    )
    chosen = shown.chosen_say(pd.concat([read, more]))
    assert "*which*" in chosen[0]
    assert "(x, Average: F1 0.75 against 0.60)" in chosen[0]
    assert shown.chosen_say(read) == shown.chosen_say(read[:0]) == []
    assert shown.title_of_people(rows) == (
        "Rankings find people's marks little better than a random order: AUPRC +0.010 to +0.020"
    )


def test_the_figures_are_drawn():
    found = shown.means(table(**RANKED))
    figure = figures.metrics(*shown.by_metric(found), shown.marked())
    assert "0.50" in {text.get_text() for text in figure.axes[0].texts}
    figure = figures.places(shown.places(found), shown.how_many(found))
    assert "gradient" in {text.get_text() for text in figure.axes[0].texts}
    rows = shown.with_whom(agreements(*PAIRS))
    figure = figures.truth_and_others(rows, shown.kinds(rows), {"attention"})
    assert figure.axes[0].get_yticklabels()[0].get_weight() == "bold"
    rows = pd.DataFrame({"mean": [0.1], "low": [0.0], "high": [np.nan]}, index=["LIME"])
    figure = figures.by_ranking({"a": rows, "b": rows}, "a label")
    assert figure.axes[0].get_yticklabels()[0].get_text() == "LIME"


def test_a_ranking_that_is_another_by_construction_is_left_out():
    rows = [
        ("attention", "gradient", 0.2),
        ("attention", "attention_norm", 1.0),
        ("gradient", "attention_norm", 0.2),
    ]
    table = pd.DataFrame(rows, columns=["first", "second", "tau"])
    assert {*shown.distinct(table)["second"]} == {"gradient"}
