"""Chapter 07's sentences and tables: of every table something true, of none nothing."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.experiments import not_not as models
from heed.show import figures, not_not

SHARE = st.floats(0, 0.69)


def against(rows: list[tuple]) -> pd.DataFrame:
    """Models held against a base of SST: seed, kind, λ or name, whether it is the best, JSD, TVD."""
    columns = ["base", "kind", "name", "best", "jsd", "change"]
    return pd.DataFrame(rows, columns=columns).assign(corpus="sst", f1=0.8, f1_base=0.9)


FOUR = against(
    [
        (0, "adversary", 0.001, False, 0.05, 0.04),
        (0, "adversary", 0.01, True, 0.6, 0.1),
        (0, "seed", "seed 1", False, 0.1, 0.24),
        (0, "seed", "seed 2", False, 0.2, 0.26),
    ]
)
PUSHED = FOUR.assign(base=1, jsd=[0.3, 0.6, 0.1, 0.2])  # of whose adversaries none merely imitates


def test_a_base_by_hand():
    (own,) = not_not.by_base(FOUR).to_dict("records")
    assert own == {
        **{"corpus": "sst", "base": 0, "jsd": 0.6, "change": 0.1, "f1": 0.8, "f1_base": 0.9},
        **{"jsd_seed": pytest.approx(0.15), "change_seed": 0.25, "imitation": 0.04},
    }
    assert np.isnan(not_not.by_base(PUSHED)["imitation"].item())
    assert not_not.with_imitation(FOUR)["imitation"].tolist() == [0.04] * 4


def test_the_price_is_what_comes_on_top_of_imitation():
    both = pd.concat([FOUR, PUSHED])
    costs = "Attending elsewhere costs 0.06 TVD more than imitation alone"
    assert not_not.looked_elsewhere(FOUR) == f"{costs} (1 base model)"
    assert not_not.looked_elsewhere(both) == f"{costs} (1 of 2 base models)"
    assert not_not.looked_elsewhere(PUSHED) == "The best adversaries attend 0.60 nats away"
    assert not_not.price(not_not.by_base(PUSHED)) == ""
    assert "SST base 1 has no adversary that merely imitates" in not_not.how_to_read(both)
    assert not not_not.how_to_read(FOUR).endswith("imitates.*")
    short = not_not.on_a_corpus("sst", not_not.by_base(both))[1]
    assert short.endswith("; on base 0 imitation alone costs 0.04 of 0.10.")
    assert "imitation" not in not_not.on_a_corpus("sst", not_not.by_base(PUSHED))[1]


@pytest.mark.parametrize(
    ("best", "seeds", "says"),
    [(0.6, 0.1, "In part"), (0.6, 0.5, "No: "), (0.3, 0.1, "It may be")],
)
def test_the_titles_question_is_answered(best, seeds, says):
    found = not_not.by_base(FOUR.assign(jsd=[0.05, best, seeds, seeds]))
    assert not_not.in_a_word(found).startswith(says)


def test_the_price_is_told_of_adversaries_that_hardly_look_elsewhere():
    assert not_not.price_on_real_text(FOUR).startswith("Imitation costs 0.04 of 0.10 on SST (base 0).")
    said = not_not.price_on_real_text(pd.concat([FOUR, PUSHED]))
    assert said.startswith("Imitation costs 0.04 of 0.10 on SST (base 0).")
    assert said.endswith("with the least λ the adversary already attends 0.30 nats away.")
    assert "On SST base 1 can't be used for this" in said


def test_nothing_is_said_of_no_model():
    none = FOUR.iloc[:0]
    assert not_not.looked_elsewhere(none) == not_not.price_on_real_text(none) == ""
    assert not_not.how_to_read(none) == ""
    assert not_not.reported_seeds(none.assign(experiment="", model="")) == ""


@given(st.lists(st.tuples(SHARE, SHARE), min_size=2, max_size=5))
def test_no_undefined_number_is_said_of_models(pairs):
    rows = [(0, "adversary", 0.1 + i, i == 0, *pair) for i, pair in enumerate(pairs[:-1])]
    table = against([*rows, (0, "seed", "seed 1", False, *pairs[-1])])
    told = (not_not.looked_elsewhere, not_not.price_on_real_text, not_not.how_to_read)
    for said in (say(table) for say in told):
        assert said and "nan" not in said


def test_the_carried_rows_are_told():
    """What the project carries of SST and IMDB has all that the chapter's tables ask for."""
    real = not_not.elsewhere()
    assert {*real["corpus"]} == {*not_not.CORPORA} and real.groupby(["corpus", "base"])["best"].sum().eq(
        1
    ).all()
    assert all(len(not_not.table4(name)) == 4 for name in not_not.CORPORA)
    assert {*not_not.table4_f1()} == {"F1", *not_not.CORPORA.values()}
    assert len(not_not.chance_on_real_text()) == len(not_not.CORPORA)
    assert (
        len(not_not.deception_on_real_text()) == 4 and len(not_not.of_bases()) and not_not.of_two_epochs()[1]
    )
    assert len(not_not.of_objectives()) >= 2 and not_not.turned_round() and not_not.reach("sst")
    for name in not_not.CORPORA:
        assert not_not.beyond_on_real_text(name)
    tables = [not_not.table4(name) for name in not_not.CORPORA]
    for table in (
        *tables,
        not_not.table4_f1(),
        not_not.gains_on_real_text(),
        not_not.deception_on_real_text(),
    ):
        assert not table.map(lambda cell: "nan" in str(cell)).any(axis=None)


def test_what_is_not_carried_is_left_out():
    assert not_not.bases("movies").empty and not_not.reach("movies") == []
    assert not_not.table4("movies").empty


def test_figures_of_real_text():
    real, told = not_not.elsewhere(), pd.DataFrame({"jsd": [0.1], "change": [0.1]})
    figure = figures.elsewhere(
        not_not.with_imitation(real), dict.fromkeys(not_not.CORPORA, told), not_not.CORPORA
    )
    assert [ax.get_title(loc="left") for ax in figure.axes] == [*(f"SST, base {k}" for k in range(3)), "IMDB"]
    assert len(not_not.by_base(real)) == 4
    own = [own for name in not_not.CORPORA for _, own in real[real["corpus"] == name].groupby("base")]
    for ax, of_base in zip(figure.axes, own, strict=True):
        known = (not_not.by_base(of_base)["imitation"] > 0).item()
        drawn = (
            sum(len(line.get_xdata()) for line in ax.lines) - 2 - 1 - 2 * known
        )  # ln 2, reported, imitation
        assert drawn == len(of_base) + 1  # the best has a ring
        assert len(ax.texts) == known
    gained = not_not.with_and_without()
    ax = figures.with_and_without(gained).axes[0]
    dots = sum(len(line.get_xdata()) for line in ax.lines if line.get_marker() in "os")
    assert dots == 2 * gained["seeds"].sum()
    guided = not_not.guides_on_real_text()
    figure = figures.guides(guided, not_not.MODELS)
    dots = sum(len(ax.lines[0].get_xdata()) for ax in figure.axes)
    assert dots == len(guided)
    plt.close("all")


def test_gains_name_the_sure_ones():
    gained = pd.DataFrame({"corpus": ["a", "b"], "gain": [0.01, 0.2], "low": [0.002, np.nan]})
    gained["over_texts"] = [False, True]
    assert not_not.gains_by_training(gained) == (
        "With learnt instead of uniform attention F1 is 0.010 to 0.200 higher on 2 real corpora; "
        "1 of 1 interval over seeds lies above 0 (a)"
    )
    assert not_not.gains_by_training(gained[1:]).endswith("0.200 higher on 1 real corpus; each has one seed")
    assert not_not.clearly(gained) == ", surely so on 1 of the 1 with several seeds"
    assert not_not.clearly(gained[1:]) == ""
    gained["low"] = [-0.1, np.nan]
    assert not_not.clearly(gained) == ", surely so on none of the 1 with several seeds"
    assert not_not.gains_by_training(gained).endswith("none of 1 interval over seeds lies above 0")
    assert not_not.gains_of_one_seed(gained).startswith("On b, of one seed, the interval")
    assert not_not.gains_of_one_seed(gained[:1]) == ""


def test_pairs_of_seeds_are_counted():
    far = pd.DataFrame({0: [0.1, 0.2, 0.3], 1: [0.1, 0.2, np.nan]}).stack().dropna()
    assert not_not.pairs_of_seeds(far) == "5 pairs: 2 base models, each with 2 or 3 other seeds"
    assert not_not.pairs_of_seeds(far.loc[:, [0]]) == "one base model and 3 other seeds"


def test_the_adversarys_f1_stands_beside_the_others(finished):
    of_base, of_seeds = not_not.f1_of(finished), not_not.seeds_of(finished.table("points"))["f1"]
    told = f"its F1 is 0.10 (base {of_base:.2f}, other seeds {of_seeds:.2f})"
    assert not_not.scores_beside(finished, pd.Series({"f1": 0.1}), ", but ", ", and ") == f", but {told}"
    assert not_not.scores_beside(finished, pd.Series({"f1": 1.0}), ", but ", ", and ").startswith(", and its")
    assert not_not.scores_beside(finished, pd.Series({"f1": np.nan})) == ""


def test_what_the_adversarys_attention_costs():
    rows = [("SST", "mlp_base", 0.9), ("SST", "mlp_adversary", 0.8), ("SST", "mlp_uniform", 0.85)]
    table = pd.DataFrame(rows, columns=["corpus", "model", "f1"])
    said = not_not.adversary_on_real_text(table)
    assert "costs it 0.10 F1 on SST. Instead of uniform" in said and said.endswith("-0.05 on SST on average.")
    assert not_not.worse_than_uniform(table)[0].startswith("A token-wise model has 0.05 less F1 on SST with")
    better = table.assign(f1=[0.8, 0.9, 0.85])
    assert "F1 by +0.10 on SST." in not_not.adversary_on_real_text(better)
    assert not_not.worse_than_uniform(better) == not_not.worse_than_uniform(table[:0]) == []


def test_the_price_by_length_of_training():
    """0.09 minus 0.05 after two epochs; as chosen the least λ already attends elsewhere."""
    rows = [
        (1, "0.001", "JSD", 0.04, 0.4),
        (1, "0.005", "JSD", 0.6, 0.7),
        (1, "0.001", "TVD", 0.05, 0.1),
        (1, "0.005", "TVD", 0.09, 0.2),
    ]
    table = pd.DataFrame(rows, columns=["base", "λ", "mean", "two epochs", "as chosen"])
    (said,) = not_not.price_by_length(table)
    assert said.endswith("costs base 1, after two epochs: 0.04 TVD; as chosen: unmeasured.")
    assert not_not.price_by_length(table[:0]) == []


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ((0.1, 0.2), "better"),
        ((-0.2, -0.1), "worse"),
        ((-1, 1), "includes 0"),
        ((np.nan,) * 2, None),
    ],
)
def test_whether_attention_is_needed(ends, says):
    f1 = pd.DataFrame(
        {"f1": 0.5, "low": ends[0], "high": ends[1]}, index=["base", "uniform", "base_minus_uniform"]
    )
    first, *more = not_not.needed(f1, "F1")
    assert "trained attention" in first and "nan" not in first
    assert more == [] if says is None else says in more[0]


def test_a_run_is_told(finished):
    """Every sentence and table of the chapter's own run."""
    points, f1 = finished.table("points"), finished.table("guides").set_index("model")
    table, real = finished.table("seeds"), not_not.elsewhere()
    panels = models.panels(table, finished.table("adversarial"))
    short = not_not.in_short(finished, real, not_not.with_and_without())
    said = [
        *short,
        *not_not.answer(finished, real),
        not_not.beyond_chance(panels, not_not.median_called(table)),
        not_not.which_case(table, panels),
        not_not.use(f1, not_not.best_point(finished)),
        not_not.opposed(finished),
        not_not.imitation_here(finished),
        not_not.worth(f1),
    ]
    assert all("nan" not in sentence for sentence in said)
    assert sum(len(sentence.split()) for sentence in short) <= 150
    gained, search = not_not.with_and_without(), panels["Jain & Wallace's search"]
    four = not_not.four_questions(finished, f1, search, real, gained)
    assert four.shape == (4, 2 + len(not_not.CORPORA)) and not four.isin(["–"]).any().any()
    assert "nan" not in four.to_string()
    none = not_not.four_questions(finished, f1, search, real.iloc[:0], gained.iloc[:0])
    assert [*none["SST"]].count("–") == 2
    assert not_not.top(points) > points.loc[points["kind"] == "seed", "change"].max()
    ax = figures.how_far(panels).axes[0]
    assert len(ax.get_legend_handles_labels()[1]) == 3
    plt.close("all")
    adversaries = models.adversaries(finished)
    trained = not_not.how_trained(finished, adversaries, "F1")
    assert len(trained) == len(adversaries) and "nan" not in not_not.well_trained(trained["mean TVD"])
    assert not_not.whole_trainings(trained, 0).startswith(f"{len(trained)} of {len(trained)} training")
    assert "other seed" in [*not_not.median_called(table).values()][0]


@pytest.mark.parametrize(("least", "merely"), [(0.05, True), (0.3, False)])
def test_whether_an_adversary_merely_imitates_is_said(finished, monkeypatch, least, merely):
    points = finished.table("points").copy()
    own = points[points["kind"] == "adversary"]
    points.loc[own["kl_weight"].idxmin(), ["jsd", "change"]] = least, 0.07
    usual = type(finished).table
    monkeypatch.setattr(
        type(finished), "table", lambda run, name: points if name == "points" else usual(run, name)
    )
    assert not_not.imitates(finished) == merely
    assert ("Imitation alone costs 0.07 TVD" in not_not.imitation_here(finished)) == merely
    assert ("imitation alone 0.07" in not_not.opposed(finished)) == merely
    assert ("none merely imitates" in not_not.opposed(finished)) != merely
    assert ("No adversary here merely imitates" in not_not.here(finished)) != merely
    told = " ".join(not_not.answer(finished, FOUR.iloc[:0]))
    assert ("None of its adversaries merely imitates" in told) != merely


def test_the_adversarys_attention_is_held_against_the_bases():
    f1 = pd.DataFrame({"f1": {"mlp_trained": 0.5, "mlp_base": 0.8, "mlp_adversary": 0.7}})
    assert "0.80 with the base's attention, 0.70 with the adversary's, 0.50" in not_not.worth(f1)
    assert "undefined" in not_not.worth(f1.replace(0.7, np.nan))
    rows = [("SST", name, 0, value, np.nan) for name, value in f1["f1"].items()]
    table = pd.DataFrame(rows, columns=["corpus", "model", "base", "f1", "reported"])
    said = not_not.worth_on_real_text(table)
    assert "+0.300 (SST)" in said and said.endswith("the adversary's +0.200 (SST)")


def test_one_text_is_told(finished):
    own = finished.table("adversaries").query("kl_weight == @models.best(@finished)")
    adversary = models.best_adversary(finished)
    i = finished.evidence.ids.index(not_not.looks_away(own))
    row, theirs = finished.evidence[i], adversary.evidence[i]
    kinds = not_not.attentions(finished, row, {"base": finished, "adversary": adversary})
    said = not_not.each_says(finished, row, {"base": finished, "adversary": adversary}, kinds)
    assert said["JSD"].tolist()[0] == 0 and said["TVD"].tolist()[0] == 0
    assert {"base", "adversary", "search"} <= {*said["attention"]}
    assert "instead of" in not_not.exchanged(row, theirs, finished.corpus.classes)


def test_a_text_with_a_negated_word_is_explained(finished):
    told = {}
    for phrase in ("never dreadful", "not very good", "very good", "never"):
        row = SimpleNamespace(units=f"the cook {phrase}".split())
        told[phrase] = not_not.negated(finished, row)
    assert told["never dreadful"].endswith("*never dreadful* counts as positive.")
    assert told["not very good"].endswith("*not very good* counts as negative.")
    assert told["very good"] == told["never"] == ""


def theirs(weights: list[float], values: list[float]):
    """A row of an adversary whose probability is the mean of the values."""
    units = [f"w{i}" for i in range(len(weights))]

    def probs(attention):
        y = float(np.dot(attention, values))
        return np.array([1 - y, y])

    weights = np.array(weights)
    return SimpleNamespace(units=units, attention=weights, probs=probs, prediction=probs(weights))


def test_a_word_is_idle_whose_weight_changes_nothing():
    assert not_not.idle(theirs([0.9, 0.1], [0.5, 0.5])) and not not_not.idle(theirs([0.9, 0.1], [0.9, 0.1]))
    assert not not_not.idle(theirs([0.4, 0.6], [0.9, 0.1])) and not not_not.idle(theirs([1.0, 0.0], [1, 1]))


def test_deception_is_counted_by_hand():
    table = pd.DataFrame({"base_loo": [0.1, -0.1], "adversary_loo": [-0.2, -0.2]})
    table = table.assign(base_relevance=0.3, adversary_relevance=0.1)
    busy = theirs([0.5, 0.5], [0.9, 0.1])
    said = not_not.deceives(table, True, busy)
    assert said[0] == "On average the adversary's heatmap points away from leave-one-out."
    assert "100% of the adversary's" in said[1] and "50% of the base's" in said[1]
    assert said[2].endswith("direction of the KL that Snell et al.'s slides have.") and len(said) == 3
    said = not_not.deceives(table.assign(adversary_loo=0.06), False, theirs([0.9, 0.1], [0.5, 0.5]))
    assert said[0].endswith("doesn't point the wrong way.")
    assert said[1] == ("But it is nearly unrelated to leave-one-out (mean τ 0.06, in the base 0.00).")
    assert said[-1].startswith("The one above shines on a word")
    assert not_not.deceives(table * np.nan, False, busy) == []
    assert not_not.agreement(table, "loo") == (
        "Attention and leave-one-out: mean τ 0.00 in the base, -0.20 in the adversary"
    )


def test_the_means_are_drawn_in_the_histograms_of_deception():
    table = pd.DataFrame({"predicted": [0, 1], "base_loo": [0.1, 0.3], "adversary_loo": [np.nan, np.nan]})
    for ax, marks in zip(figures.deception(table, ["a", "b"], "loo").axes, (1, 0), strict=True):
        means = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
        assert len(means) == marks and means == [pytest.approx(0.2)] * marks
    plt.close("all")


def test_the_search_beside_other_seeds_by_hand():
    """Which of section B's cases it is, by how far the other seeds go of the search's way."""
    seeds = pd.DataFrame({"id": ["a", "b"], "model": "seed 1", "other_jsd": 0.1})
    for search, says in ((0.4, "where training doesn't."), (0.15, "not far further."), (0.1, "remarkable.")):
        panels = {name: seeds.assign(other_jsd=x) for name, x in (("m", 0.1), ("s", search), ("o", 0.6))}
        said = not_not.which_case(seeds, panels)
        assert said.endswith(says) and ("In 100%" if search > 0.1 else "In 0%") in said
