"""Chapter 04's sentences: of every table something true, of none nothing."""

import re
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.evidence import Row
from heed.measures.adversarial import optima
from heed.measures.divergence import jsd
from heed.measures.exact import Vertex
from heed.models.head import Head
from heed.params import Params
from heed.show import adversarial, figures

NATS = st.floats(0, float(np.log(2)))
ROW = st.tuples(NATS, NATS, st.floats(0, 1), st.floats(0, 1))
REAL = pd.DataFrame(
    [("sst", "bilstm", 0.58, 0.65, -0.3, -0.1, 5, 0.04), ("sst", "cnn", 0.54, 0.64, -0.5, -0.2, 5, 0.05)],
    columns=["corpus", "encoder", "found", "optimum", "rho_optimum", "rho_found", "seeds", "spread"],
)
SCALE = {"shuffled": 0.4, "equal weights": 0.3}
MANY = pd.DataFrame(
    [("babi1", "average", 0.4, 0.69, 0.0, 0.05, True), ("snli (part)", "cnn", 0.6, 0.65, 0.2, 0.05, False)],
    columns=["corpus", "encoder", "optimum", "bound", "proved", "epsilon", "errs"],
)
NAMED = "the made corpus *planted* (BiLSTM, seed 0)"
PLANTED = Params(corpus="planted")
NONE = REAL.head(0)


def table(rows: list[tuple]) -> pd.DataFrame:
    """Rows of what is found, the optimum, the highest weight and the margin."""
    made = pd.DataFrame(rows, columns=["found", "optimum", "max_attention", "margin"], dtype=float)
    made["optimum"] = made[["found", "optimum"]].max(axis=1)
    made["predicted"], made["length"] = np.arange(len(rows)) % 2, np.arange(len(rows)) + 2
    return made.assign(bound=made["optimum"], proved=True, feasible=1, id=[f"t{i}" for i in range(len(rows))])


def test_freedom_by_hand():
    found = table([(0.5, 0.65, 0.2, 0.1), (0.1, 0.3, 0.9, 0.99)])
    said = "For {} texts of " + NAMED + " {} attention more than 0.5 away keeps the prediction."
    assert adversarial.free(found, NAMED, linear=True) == said.format("1 of the 2", "some")
    assert adversarial.free(found, NAMED, linear=False) == said.format("1 of the 2", "some known")
    assert adversarial.free(found.assign(optimum=0.1), NAMED, True) == said.format("none of the 2", "some")
    assert adversarial.free(found.assign(optimum=0.65), NAMED, True) == said.format("all 2", "some")
    one = adversarial.free(found.tail(1), NAMED, True)
    assert one.startswith("For the one text of ") and "no known attention" in one
    said = "On planted 1 of 2 texts are known to allow attention more than 0.5 away"
    assert adversarial.shares_say(found, False, "planted") == said
    said = "On planted none of 2 texts allow attention more than 0.5 away"
    assert adversarial.shares_say(found.assign(optimum=0.5), True, "planted") == said
    said = "Here the search doesn't find attention more than 0.5 away for most of the 2 texts"
    assert adversarial.as_claimed(found) == f"{said}; at this border it misses what there is for 1 text."
    all_found = adversarial.as_claimed(found.assign(found=0.65, optimum=0.65))
    assert all_found == "Here, too, the search finds attention more than 0.5 away for most of the 2 texts."
    assert adversarial.as_claimed(found.tail(1)) == ""
    assert adversarial.for_scale(SCALE) == (
        "For scale: the model's own weights, shuffled, are 0.40 away on average."
    )
    said = (
        "In this run the search stays 0.17 below the {} on average: 0.15 where the model is less sure ({}), "
    )
    exact = said.format("exact optimum", "probability below 0.99")
    assert adversarial.below(found, linear=True) == f"{exact}0.20 elsewhere."
    known = said.format("best known", "lead over the next answer below 0.98")
    assert adversarial.below(found, linear=False) == f"{known}0.20 elsewhere."
    assert adversarial.below(found.head(1), linear=True).endswith("0.15 below the exact optimum on average.")
    with pytest.raises(AssertionError):
        adversarial.below(found.assign(bound=0.0), linear=True)
    real = adversarial.below_on_real_text(REAL)
    assert real == "On real text with two classes it stays 0.07 to 0.10 below, by corpus and encoder."


@given(rows=st.lists(ROW, min_size=1, max_size=6), linear=st.booleans())
def test_no_undefined_number_is_said(rows, linear):
    found, p = table(rows), Params(corpus="planted")
    for said in (
        *adversarial.in_short(found, SCALE, REAL, MANY, NAMED, linear),
        *adversarial.answer(found, REAL, p, NAMED, linear),
        adversarial.shares_say(found, linear, "planted") + ".",
        adversarial.below(found, linear),
        adversarial.failed(found, p),
    ):
        says_something(said)


def test_nothing_is_said_of_no_text():
    nothing = adversarial.in_short(table([]), {}, NONE, MANY, NAMED, True)
    assert nothing == [adversarial.NOTHING]
    assert adversarial.yardsticks([], table([]), 0) == {}
    assert adversarial.implied(NONE) == adversarial.least_of_many(MANY.head(0)) == ""
    assert adversarial.told_of_many(MANY.head(0)) == adversarial.below_on_real_text(NONE) == ""
    assert adversarial.ends_of_many(MANY.head(0)) == ""
    assert adversarial.answer(table([]), NONE, PLANTED, NAMED, True) == [adversarial.NOTHING]
    found = table([(0.1, 0.2, 0.3, 0.4)])
    (alone,) = adversarial.answer(found, NONE, PLANTED, NAMED, True)
    assert "real text" not in alone
    for epsilon, said in ((0.01, "two classes 0.64"), (0.05, "two classes (by at most 0.01) 0.64")):
        p = Params(corpus="planted", epsilon=epsilon)
        assert said in adversarial.answer(found, REAL, p, NAMED, True)[0]
    assert "nearly disjoint" in adversarial.answer(found.assign(optimum=0.65), REAL, PLANTED, NAMED, True)[1]
    assert adversarial.real_trend(NONE) == adversarial.real_room(NONE) == ""


@given(found=st.tuples(*[st.floats(-1, 1) | st.just(np.nan)] * 3))
def test_a_trend_is_claimed_of_an_interval_alone(found):
    rho, low, high = found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adversarial.stats, "spearman", lambda *_: found)
        said, same = adversarial.resists(table([(0.1, 0.2, 0.3, 0.4)]), "exact", Params(corpus="planted"))
    claims = "peaked attention has" in said
    assert claims == (not np.isnan(found).any() and (low > 0 or high < 0)) and (same is rho)
    says_something(said)


def test_the_best_is_checked(finished):
    """It raises AssertionError where an attention doesn't keep the prediction, or isn't as far as it says."""
    row = adversarial.unsure(finished.evidence)
    if row.head.one_logit:
        vertex = optima(finished.evidence, 0.01)[row.id]
        assert adversarial.best(row, vertex, 0.01).startswith("All weight on ")
        with pytest.raises(AssertionError):
            adversarial.best(row, Vertex(vertex.jsd / 2, vertex.i, vertex.j, vertex.weight), 0.01)
        said = adversarial.mixture(row, vertex)
        sums = [
            weights @ row.values[:, 0] for weights in (vertex.attention(len(row.attention)), row.attention)
        ]
        assert all(f"{total:.2f}".replace("-", "−") in said for total in sums)
        products = re.findall(r"([\d.]+) × \(?(−?[\d.]+)\)?", said)
        total = sum(float(weight) * float(value.replace("−", "-")) for weight, value in products)
        assert f"{total:.2f}" == f"{sums[0]:.2f}"  # what stands there comes out
        figure = figures.two_words(row, vertex.attention(len(row.attention)))
        assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
        plt.close(figure)


def test_the_yardsticks_by_hand():
    """Two words, of which a shuffle exchanges the weights in half of the draws; a marker stays as it is."""
    head = Head("identity", "sigmoid")
    row = Row.of(["<s>", "a", "b"], [0.2, 0.8, 0.0], [0.0, 1.0, 2.0], head, real=[False, True, True], id="t0")
    found = adversarial.yardsticks([row, replace(row, id="other")], table([(0.1, 0.2, 0.3, 0.4)]), 0)
    own, swapped, equal = [0.2, 0.8, 0.0], [0.2, 0.0, 0.8], [0.2, 0.4, 0.4]
    share = found["shuffled"] / jsd(np.array(swapped), np.array(own))
    assert (
        share * adversarial.SHUFFLES == pytest.approx(round(share * adversarial.SHUFFLES)) and 0 < share < 1
    )
    assert found["equal weights"] == pytest.approx(jsd(np.array(equal), np.array(own)))
    figure = figures.shares_above(table([(0.1, 0.2, 0.3, 0.4)]), True, found, 0.5)
    assert {*found} <= {text.get_text() for text in figure.axes[0].texts}
    plt.close(figure)


def test_the_share_above_a_jsd_stands_at_its_line():
    """By hand: of found none of two texts is above 0.6, of the optimum one."""
    rows = table([(0.1, 0.65, 0.3, 0.4), (0.1, 0.5, 0.3, 0.4)])
    figure = figures.shares_above(rows, True, {}, 0.6)
    (ax,) = figure.axes
    for column, name in {"found": "by search", "optimum": "exact"}.items():
        share = (rows[column] > 0.6).mean()
        assert f"{name}: {2 * share:.0f} of 2 texts above 0.6" in [line.get_label() for line in ax.lines]
        assert ([0.6], [share]) in [([*line.get_xdata()], [*line.get_ydata()]) for line in ax.lines]
    assert [0.6, 0.6] in [[*line.get_xdata()] for line in ax.lines]
    plt.close(figure)
    figure = figures.shares_above(rows.head(1), False, {}, 0.6)
    labels = [text.get_text().split(":")[0] for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["best known", "by search", "upper bound"]
    plt.close(figure)


def test_the_hardest_text_is_told_with_the_words_it_needs():
    head = Head("identity", "sigmoid")
    few = Row.of(["a", "b", "c", "d"], [0.7, 0.1, 0.1, 0.1], [3.0, -1.0, -1.0, -1.0], head, id="t1")
    many = Row.of(["a", "b", "c", "d"], [0.4, 0.2, 0.2, 0.2], [9.0, -4.0, -4.0, -4.0], head, id="t0")
    assert [*adversarial.strong_enough(few, 0.01)] == [True, False, False, False]
    assert [*adversarial.strong_enough(few, 0.9)] == [True] * 4
    low = Row.of(["a", "b", "c", "d"], [0.1, 0.1, 0.1, 0.7], [3.0, 3.0, 3.0, -4.0], head, id="t1")
    assert [*adversarial.strong_enough(low, 0.01)] == [False, False, False, True]
    found = table([(0.5, 0.69, 0.4, 0.1), (0.3, 0.4, 0.7, 0.1)])
    assert adversarial.hardest([many, few], found) is few
    said = adversarial.of_hardest(few, found, 0.01)
    assert said.startswith(
        "In this text the furthest attention is only 0.40 away: of 2 texts only this one stays within test"
    )
    # The sum is 1.8, with ε 1.720 is enough: m · 3 - (1 - m) = 1.720 at m = 0.680.
    assert adversarial.must_stay(few, 0.01) == pytest.approx(0.680, abs=5e-4)
    assert said.endswith(
        "The model's own sum is 1.80 (dashed); with ε = 0.01, 1.72 is enough. Only “a” has a value so high. "
        "So at least 68% of the weight must stay on it: 0.680 × 3.000 + 0.320 × (−1.000) ≈ 1.72 (the rest on "
        "the word with the next value). The model itself puts 70% there."
    )
    told = adversarial.of_hardest(low, found.assign(optimum=0.4), 0.01)
    assert "of 2 texts 2 like it stay within" in told and "Only “d” has a value so low." in told
    two = Row.of(["a", "b", "c"], [0.4, 0.4, 0.2], [3.0, 3.5, -1.0], head, id="t1")
    assert "Only “a” and “b” have values so high." in adversarial.of_hardest(two, found, 0.01)
    says = "In the hardest text at least 68% of the weight must stay on 1 word"
    assert adversarial.hardest_says(few, 0.01) == says
    assert adversarial.hardest([many, few], found.assign(optimum=0.65)) is None
    assert adversarial.hardest([many], found.head(1).assign(optimum=0.4)) is None
    assert adversarial.must_stay(few, 0.9) == 0 and adversarial.of_hardest(few, found, 0.9).endswith(" 0.5.")
    assert adversarial.hardest_says(few, 0.9) == "The text whose attention has the least room"
    marks = adversarial.strong_enough(few, 0.01)
    figure = figures.two_words(few, few.attention, marks)
    weights = [label.get_weight() for label in figure.axes[0].get_yticklabels()]
    assert weights == ["bold", "normal", "normal", "normal"]
    assert figure.get_supxlabel() == "dashed: the model's own sum, 1.80"
    plt.close(figure)


@given(
    weights=st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    values=st.lists(st.floats(-5, 5), min_size=6, max_size=6),
    other=st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
)
def test_no_attention_that_keeps_the_prediction_has_less_there(weights, values, other):
    n, own = len(weights), np.array(weights) / np.sum(weights)
    row = Row.of([*"abcdef"[:n]], own, values[:n], Head("identity", "sigmoid"), id="t0")
    least, enough = adversarial.must_stay(row, 0.01), adversarial.strong_enough(row, 0.01)
    for weights in (own, np.array(other[:n]) / np.sum(other[:n])):
        if np.abs(row.probs(weights) - row.prediction).max() <= 0.01:
            assert weights[enough].sum() >= least - 1e-6


def test_the_first_pages_test_is_answered():
    said = "The first page's test 2 allows 0.5: by the mean, attention fails it in {} of corpus and encoder."
    assert adversarial.test_two(REAL) == said.format("all 2 pairs")
    assert adversarial.test_two(REAL.assign(optimum=[0.65, 0.5])) == said.format("1 of 2 pairs")
    assert adversarial.test_two(REAL.assign(optimum=0.4)) == said.format("none of 2 pairs")
    assert adversarial.test_two(REAL.head(1)) == said.format("1 of 1 pair")
    short = adversarial.in_short(table([(0.5, 0.65, 0.2, 0.1)]), SCALE, REAL, MANY, NAMED, True)
    assert any(point.endswith(f" on average. {said.format('all 2 pairs')}") for point in short)


def test_a_mean_implies_a_share():
    """By hand: where a share s has at most x and the rest ln 2, the mean is ln 2 less s (ln 2 - x)."""
    full = float(np.log(2))
    assert adversarial.at_least(full, 0.6) == 1 and adversarial.at_least(0.6, 0.6) == pytest.approx(0)
    assert adversarial.at_least(0.25 * 0.5 + 0.75 * full, 0.5) == pytest.approx(0.75)
    assert adversarial.at_least(0.3, 0.6) == 0


def test_what_is_carried_is_told():
    real = adversarial.on_real_text()
    assert len(real) >= 9 and (real["found"] <= real["optimum"]).all() and (real["seeds"] > 0).all()
    assert {"agnews (part)", "sst"} <= {*real["corpus"]} and real[["equal", "other_seed"]].notna().any().all()
    says_something(adversarial.of_real_text(real) + ".")
    assert (real["optimum_low"] <= real["optimum"]).all() and (real["rho_optimum"] <= real["rho_high"]).all()
    trend = adversarial.real_trend(real.assign(rho_optimum=-0.5))
    assert trend.endswith(f"in all {len(real)} pairs of corpus and encoder")
    own = real[real["encoder"] == "bilstm"]["other_seed"]
    said = adversarial.of_another_seed(real)
    assert said.startswith("On imdb and sst the BiLSTM was also trained with another seed. ")
    assert " and ".join(f"{jsd:.2f}" for jsd in own.dropna()) in said
    assert adversarial.of_another_seed(real.assign(other_seed=np.nan)) == ""
    assert "in 1 of 1 pair of" in adversarial.real_trend(real.head(1).assign(rho_optimum=-0.5))
    mixed = adversarial.real_trend(real.assign(rho_optimum=[0.5, *[-0.5] * (len(real) - 1)]))
    assert f"in {len(real) - 1} of {len(real)} pairs" in mixed
    assert "in none of" in adversarial.real_trend(real.assign(rho_optimum=0.5))
    assert adversarial.real_room(REAL).endswith("the runs don't store it.")
    tiny = adversarial.real_room(REAL.assign(spread=0.002))
    assert tiny.endswith("strongest (sst, CNN), the JSD is nearly the same for all texts.")
    said = adversarial.implied(REAL)
    assert "lowest for sst (CNN). There, too, at least 72% of the texts must be above test 2's 0.5" in said
    assert adversarial.implied(REAL.assign(optimum=0.4)) == ""
    for figure in (figures.of_corpora(real, 0.5), figures.trends(real, 0.01)):
        assert len(figure.axes[0].get_yticks()) == real["corpus"].nunique()
    plt.close("all")


def test_corpora_of_many_answers_are_told():
    many = adversarial.of_many_answers()
    assert "sst" not in {*many["corpus"]} and ("babi3-1k", "bilstm") not in {
        *many[["corpus", "encoder"]].itertuples(index=False, name=None)
    }
    assert (many["optimum"] <= many["bound"]).all() and (many["epsilon"] > 0).all()
    poor = many[many["corpus"] == "babi3-1k"]
    assert len(poor) and poor["errs"].all() and not many.loc[many["encoder"] == "bilstm", "errs"].all()
    able = MANY.assign(errs=False)
    told = adversarial.told_of_many(able)
    assert "found is 0.40 to 0.60 away on average (the prediction moves by 0.05 at most), in" in told
    assert "moves by" not in adversarial.told_of_many(able.assign(epsilon=np.nan))
    said = adversarial.ends_of_many(able)
    assert "is 0.40 (babi1, Average) to 0.60 (part of snli, CNN) away on average" in said
    assert "wrong for most" not in said and "isn't known, and the prediction may move by 0.05 there." in said
    assert "may move" not in adversarial.ends_of_many(able.assign(epsilon=np.nan))
    assert "found is 0.60 away on average" in adversarial.told_of_many(MANY)
    said = adversarial.ends_of_many(MANY)
    assert "is 0.60 (part of snli, CNN) away on average" in said and "wrong for most it is less." in said
    assert adversarial.told_of_many(MANY.head(1)) == adversarial.ends_of_many(MANY.head(1)) == ""
    said = adversarial.least_of_many(MANY)
    assert "ε is 0.05" in said and "The two bounds meet for 0% to 20%" in said
    assert "bounds meet" not in adversarial.least_of_many(MANY.assign(proved=np.nan))
    short = adversarial.many_in_short(MANY).set_index("corpus")
    assert short.loc["babi1", "Average"] == "0.40* of at most 0.69" and "–" in short.to_numpy()
    assert "of at most" not in str(adversarial.many_in_short(MANY.assign(bound=np.nan)).to_numpy())
    assert adversarial.many_in_short(MANY.iloc[:0]).empty
    assert np.isnan(adversarial.epsilon_of("gone", "paper"))
    assert adversarial.epsilon_of("snli (part)", "paper") == 0.05


def test_two_bounds_are_told(finished):
    found = table([(0.1, 0.2, 0.3, 0.4)])
    row = finished.evidence[0]
    found["id"] = row.id
    assert "They meet" in adversarial.proved(found, row)[1]
    assert "between" in adversarial.proved(found.assign(proved=False), row)[1]
    curve = pd.DataFrame({"epsilon": [0.0, 0.5], "optimum_at": [0.3, 0.6]})
    said = "Even so attention can be 0.30 away on average. {}"
    partly = "So here the freedom comes partly from the sigmoid."
    assert adversarial.sigmoid(curve, 0.1) == [said.format("With any ε tried it is 0.60 at most."), partly]
    own = "With ε = 0.5, as above, it is 0.60."
    assert adversarial.sigmoid(curve, 0.5) == [said.format(own), partly]
    (larger, _) = adversarial.sigmoid(
        pd.DataFrame({"epsilon": [0.0, 0.1, 0.5], "optimum_at": [0.3, 0.5, 0.6]}), 0.1
    )
    assert larger.endswith("With ε = 0.1, as above, it is 0.50; a larger one adds 0.10 at most.")
    much = adversarial.sigmoid(curve.assign(optimum_at=[0.55, 0.6]), 0.1)
    assert much[1].startswith("So in this model most of the freedom of *chosen*")
    assert adversarial.sigmoid(curve.assign(optimum_at=0.0), 0.1) == ["Attention is free at no ε."]


def test_a_word_that_a_text_has_twice_has_its_place():
    row = Row.of(["the", "b", "the"], [0.2, 0.5, 0.3], [0.0, 1.0, 2.0], Head("identity", "sigmoid"), id="t0")
    assert [adversarial._placed(row, i) for i in (1, 2)] == ["“b”", "“the” (word 3)"]
