"""Chapter 08's sentences and tables: of a finished run, of carried rows, of none."""

import numpy as np
import pandas as pd
import pytest

from heed.experiments import relevance as experiment
from heed.runs.summaries import of_several
from heed.show import figures, relevance


@pytest.fixture(scope="module")
def rows():
    return relevance.carried()


def overall(run) -> pd.DataFrame:
    return run.table("summary_relevance").query("`class` == 'overall'").set_index("measure")


def test_all_is_said_of_a_run(finished, rows):
    table, course, summary = (
        of_several(finished.table("relevance")),
        finished.table("course"),
        overall(finished),
    )
    real, over = relevance.on_real_text(rows), relevance.run_by_run(rows)
    said = [
        *relevance.in_short(finished, table, summary, real, over),
        *relevance.answer(finished, table, real, over),
        relevance.twins(table),
    ]
    said += [
        relevance.pairs(summary),
        relevance.over_seeds(finished, summary),
        *relevance.first(course, summary),
    ]
    said += [
        relevance.at_first(relevance.early(course)),
        relevance.own_relevance(real),
        *relevance.of_local_states(real),
        relevance.all_orders(over, real),
    ]
    local = relevance.Local(finished)
    said += [local.against(table), *local.negators(), *relevance.elsewhere(finished)]
    assert all(said) and all("nan" not in sentence for sentence in said)
    assert len(relevance.as_table(summary)) == len(experiment.PAIRS)
    assert len(relevance.local_states(finished, summary)) >= 2
    tops = relevance.tops(finished)
    assert tops["share of texts"].between(tops["low"], tops["high"]).all() and len(tops) == 7
    assert tops["low"].min() >= 0 and tops["high"].max() <= 1
    assert "nan" not in " ".join(relevance.best_top(tops, True))
    assert len(relevance.dictionary(finished)) == 6 and len(relevance.found(summary, local, course)) == 13


def test_nothing_is_said_of_nothing():
    none = pd.DataFrame(columns=["top_uniform", "top_chance"])
    assert relevance.in_short(None, none, none, none, none) == [relevance.NOTHING]
    assert relevance.answer(None, none, none, none) == [relevance.NOTHING]
    assert relevance.of_local_states(pd.DataFrame()) == []
    assert relevance.whose_model(pd.DataFrame()) == []


def test_one_text(finished):
    """The shortest of two words or more; its agreement is counted, its logit summed."""
    assert relevance.shortest([1, 5, 2, 2]) == 2
    uniform = experiment.models(finished)["uniform"].evidence
    for i in range(3):
        row = finished.evidence[i]
        assert relevance.sums_up(row, finished.corpus.classes).startswith("The sum of a · r is")
        assert relevance.three_tops(row, uniform[i]).count("“") == 3
        assert "So A is" in relevance.agreement_by_hand(row, uniform[i])


def test_two_texts_by_hand():
    by_hand = relevance.TwoTexts()
    assert by_hand.logit("this movie is great") == pytest.approx(0.05)
    assert by_hand.one().count("+0.122") == 2
    assert [*by_hand.both()["word"]] == ["this", "movie", "is", "great", "bad"]
    later = by_hand.a_hundred_times().set_index("word")
    assert later["r after 100 rounds"].idxmax() == "great" == later["pull after 100 rounds"].idxmax()
    assert relevance.company().shape == (5, 6)


def test_the_flow_is_drawn_as_it_is():
    panels = relevance.flows()
    assert "reaches 1 at s\u00a0=\u00a00.93" in relevance.turns(panels)
    figures.flow(panels)


def test_carried_runs(rows):
    real = relevance.on_real_text(rows)
    assert len(relevance.with_attention(real)) == len(real) == len(relevance.with_uniform(real))
    assert real["seeds"].min() >= 1
    for name in relevance.DRAWN:
        assert (real[f"low_{name}"] <= real[name]).all() and (real[name] <= real[f"high_{name}"]).all()
    less = (real["top_own"] < real["top_uniform"]).sum()
    assert relevance.own_relevance(real).startswith(f"In {less} of {len(real)} rows")
    assert relevance.own_relevance(real.assign(top_own=1.0)).startswith("In every row")
    assert "surprise" not in " ".join(relevance.of_local_states(real.assign(top_own=1.0)))
    figures.on_real_text(real)
    sure = relevance.sure(real)
    assert sure == (real["low_top_uniform"] > real["top_chance"]).sum()
    above = (real["top_uniform"] > real["top_chance"]).sum()
    assert f"in {above} of {len(real)} rows, in {sure} by more" in relevance.real_range(real)
    assert f"in 0 of {len(real)} rows" in relevance.real_range(real.assign(top_uniform=0.0))
    table, said = relevance.first_vectors(rows)
    low = (table["A, word2vec"] <= table["A, chance"]).any()
    assert len(table) and len(said) == 2 + low and len(relevance.whose_model(real)) == 3
    assert relevance.first_vectors(rows.iloc[:0])[1] == []


@pytest.mark.parametrize(
    ("relevant", "attended", "other", "order"),
    [((50, 25, 75), (200, 150, 250), 0.5, "relevance"), ((200, 150, 250), (50, 25, 75), 0.5, "attention"),
     ((50, 0, 100), (75, 25, 125), 0.5, "intervals overlap"),
     ((50, 0, 100), (50, 0, 100), 0.5, "same checkpoint"),
     ((50, 25, 75), (200, 150, 250), 0.1, "relevance near chance"),
     ((50, np.nan, np.nan), (75, np.nan, np.nan), 0.5, "one other seed only")],
)  # fmt: skip
def test_which_is_first(relevant, attended, other, order):
    names = [*relevance.HALVES, "top_other", "top_chance"]
    one, low, high = (
        pd.Series([relevant[k], attended[k], other, 0.08], index=names, dtype=float) for k in range(3)
    )
    assert relevance._order(one, low, high) == order
    over = pd.DataFrame({"which is first": [order]})
    firsts = [int(order == name) or "none" for name in relevance.ORDERS[:2]]
    assert "of 1 real run " in relevance.counts(over)
    told = relevance.all_orders(over, over)
    assert f"relevance is first in {firsts[0]}, attention in {firsts[1]}." in told
    assert ("undecided: " in told and told.endswith(" in 1.")) == (firsts == ["none", "none"])


@pytest.mark.parametrize(
    ("steps", "told"),
    [([25], "at step 25"), ([25, 25], "at step 25 in each"), ([75, 25], "at steps 25 and 75"),
     ([25, 50, 75, 100], "at step 62 on average (95 % interval over these seeds 30 to 95)")],
)  # fmt: skip
def test_steps_of_few_seeds_are_named(steps, told):
    over = pd.Series({"mean": 62, "low": 30, "high": 95})
    assert relevance._steps(pd.Series(steps), over) == told


def test_beside_the_authors(finished, rows):
    real = relevance.on_real_text(rows)
    found = relevance.beside_the_authors(finished, overall(finished), real)
    assert found and all("authors: highest" in table for table in found.values())
    assert relevance.beside_the_authors(finished, overall(finished), real.iloc[:0]) == {}


@pytest.mark.parametrize(
    ("low", "high", "told", "misses"),
    [(0.1, 0.2, "less often than", True), (0.2, 0.4, "no more often than", True),
     (0.4, 0.5, "more often than", False)],
)  # fmt: skip
def test_deciding_words_are_held_against_a_random_word(low, high, told, misses):
    rows = [(relevance.RANDOM, 0.3, "", 0.3, 0.3), ("attention", 0.6, "", 0.5, 0.7),
            (relevance.UNIFORM, (low + high) / 2, "", low, high)]  # fmt: skip
    said = relevance.best_top(pd.DataFrame(rows, columns=relevance.TOPS), True)
    assert said[0].startswith("The first word of attention is a deciding word most often, in 0.60")
    assert f", {told} a random word." in said[1]
    assert ("finding the deciding words" in " ".join(said)) == misses and len(said) == 2 + 2 * misses
