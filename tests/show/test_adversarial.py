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
    said = "For {} of the texts of " + NAMED + " {} attention at a JSD above 0.6 keeps the prediction."
    assert adversarial.free(found, NAMED, linear=True) == said.format("50%", "some")
    assert adversarial.free(found, NAMED, linear=False) == said.format("50%", "some known")
    assert adversarial.free(found.assign(optimum=0.1), NAMED, True) == said.format("none", "some")
    assert adversarial.free(found.assign(optimum=0.65), NAMED, True) == said.format("all", "some")
    one = adversarial.free(found.tail(1), NAMED, True)
    assert one.startswith("For the one text of ") and "no known attention" in one
    said = "On planted 50% of the texts are known to allow a JSD above 0.6; the search finds one for 0%"
    assert adversarial.shares_say(found, False, "planted") == said
    same = adversarial.shares_say(found.assign(found=found["optimum"]), True, "planted")
    assert same == "On planted 50% of the texts allow a JSD above 0.6"
    said = "Here the search doesn't find such attention for most of the 2 texts (JSD above 0.6)"
    assert adversarial.as_claimed(found) == f"{said}; for 50% it misses what there is."
    all_found = adversarial.as_claimed(found.assign(found=0.65, optimum=0.65))
    assert all_found == "Here, too, the search finds such attention for most of the 2 texts (JSD above 0.6)."
    assert adversarial.as_claimed(found.tail(1)) == ""
    said = adversarial.for_scale(SCALE)
    assert said == (
        "For scale: there the model's own weights, shuffled, are 0.40 away on average, whether they keep the "
        "prediction or not."
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
        *adversarial.in_short(found, SCALE, REAL, NAMED, linear),
        *adversarial.answer(found, REAL, MANY, p, NAMED, linear),
        adversarial.shares_say(found, linear, "planted") + ".",
        adversarial.below(found, linear),
        adversarial.failed(found, p),
    ):
        says_something(said)


def test_nothing_is_said_of_no_text():
    nothing = adversarial.in_short(table([]), {}, NONE, NAMED, True)
    assert nothing == [adversarial.NOTHING]
    assert adversarial.yardsticks([], table([]), 0) == {}
    assert adversarial.implied(NONE) == adversarial.least_of_many(MANY.head(0)) == ""
    assert adversarial.told_of_many(MANY.head(0)) == adversarial.below_on_real_text(NONE) == ""
    assert adversarial.answer(table([]), NONE, MANY, PLANTED, NAMED, True) == [adversarial.NOTHING]
    found = table([(0.1, 0.2, 0.3, 0.4)])
    alone = adversarial.answer(found, NONE, MANY.head(0), PLANTED, NAMED, True)
    assert "real text" not in alone[0] and alone[1] == ""
    for epsilon, said in ((0.01, "two classes 0.64"), (0.05, "two classes (by at most 0.01) 0.64")):
        p = Params(corpus="planted", epsilon=epsilon)
        assert said in adversarial.answer(found, REAL, MANY.head(0), p, NAMED, True)[0]
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
        assert adversarial.best(row, vertex, 0.01).startswith("With all weight on ")
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
    figure = figures.shares_above(table([(0.1, 0.2, 0.3, 0.4)]), True, found, 0.6)
    assert {*found} <= {text.get_text() for text in figure.axes[0].texts}
    plt.close(figure)


def test_the_share_above_a_jsd_stands_at_its_line():
    """By hand: of found none of two texts is above 0.6, of the optimum one."""
    rows = table([(0.1, 0.65, 0.3, 0.4), (0.1, 0.5, 0.3, 0.4)])
    figure = figures.shares_above(rows, True, {}, 0.6)
    (ax,) = figure.axes
    for column, name in {"found": "by search", "optimum": "exact"}.items():
        share = (rows[column] > 0.6).mean()
        assert f"{name}: {share:.0%} above 0.6" in [line.get_label() for line in ax.lines]
        assert ([0.6], [share]) in [([*line.get_xdata()], [*line.get_ydata()]) for line in ax.lines]
    assert [0.6, 0.6] in [[*line.get_xdata()] for line in ax.lines]
    plt.close(figure)
    figure = figures.shares_above(rows.head(1), False, {}, 0.6)
    labels = [text.get_text().split(":")[0] for text in figure.legends[0].get_texts()]
    assert labels == ["by search", "best known", "upper bound"]
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
    said = adversarial.hardest([many, few], found, 0.01)
    assert said.startswith(
        "The hardest text is *a b c d*: its most different attention has a JSD of 0.40. To"
    )
    assert said.endswith("is high enough. Only “a” is such a word, with 70% of the model's own weight.")
    told = adversarial.hardest([many, low], found, 0.01)
    assert "whose value is low enough. Only “d” is such a word, with 70% of" in told
    spread = replace(few, attention=np.array([0.4, 0.2, 0.2, 0.2]))
    assert adversarial.hardest([many, spread], found, 0.01).endswith("has a JSD of 0.40.")
    assert adversarial.hardest([many, few], found.assign(optimum=0.65), 0.01) == ""
    assert adversarial.hardest([many], found.head(1).assign(optimum=0.4), 0.01) == ""
    every = adversarial.hardest([many, few], found, 0.9)
    assert " Only 4 of its 4 words are such words, with 100% of" in every


def test_the_first_pages_test_is_answered():
    said = "The first page's test 2 allows 0.5: the mean lies above it in {} of corpus and encoder."
    assert adversarial.test_two(REAL) == said.format("all 2 pairs")
    assert adversarial.test_two(REAL.assign(optimum=[0.65, 0.5])) == said.format("1 of 2 pairs")
    assert adversarial.test_two(REAL.assign(optimum=0.4)) == said.format("none of 2 pairs")
    assert adversarial.test_two(REAL.head(1)) == said.format("1 of 1 pair")
    short = adversarial.in_short(table([(0.5, 0.65, 0.2, 0.1)]), SCALE, REAL, NAMED, True)
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
    assert said.startswith("On imdb and sst the attention of the BiLSTM trained with another seed is only ")
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
    assert said.endswith("lowest (sst, CNN) at least 72% of the texts must be above 0.5, test 2's border.")
    assert adversarial.implied(REAL.assign(optimum=0.4)) == ""
    for figure in (figures.of_corpora(real), figures.trends(real, 0.01)):
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
    able = adversarial.told_of_many(MANY.assign(errs=False))
    assert "is 0.40 (babi1, Average) to 0.60 (part of snli, CNN) away on average (fourth appendix)." in able
    told = adversarial.told_of_many(MANY)
    assert "found is 0.60 (part of snli, CNN) away on average; less in some that are mostly wrong (fo" in told
    assert "(there the prediction may move by at most 0.05) the optimum isn't known" in told
    assert "(there" not in adversarial.told_of_many(MANY.assign(epsilon=np.nan))
    assert adversarial.told_of_many(MANY.head(1)) == ""
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
    assert adversarial.sigmoid(curve) == (
        "A larger ε makes it 0.60. So here the freedom comes partly from the sigmoid."
    )
    much = adversarial.sigmoid(curve.assign(optimum_at=[0.55, 0.6]))
    assert much.startswith(
        "With a larger ε it is hardly more, 0.60 at most. So in this model most of the freedom of *chosen*"
    )
    assert adversarial.curve_says(curve, "planted").endswith("can still be 0.30 away on average")
    rows = pd.concat([curve.assign(predicted=c, optimum_at=[0.3 + c / 10, 0.6]) for c in (0, 1)])
    figure = figures.epsilon_curve(rows)
    assert [*figure.axes[0].lines[0].get_ydata()] == pytest.approx([0.35, 0.6])
    assert figure.axes[0].get_ylim()[0] == 0
    assert "0.35" in [text.get_text() for text in figure.axes[0].texts]
    plt.close(figure)
    assert adversarial.sigmoid(curve.assign(optimum_at=0.0)) == "Attention is free at no ε."


def test_a_word_that_a_text_has_twice_has_its_place():
    row = Row.of(["the", "b", "the"], [0.2, 0.5, 0.3], [0.0, 1.0, 2.0], Head("identity", "sigmoid"), id="t0")
    assert [adversarial._placed(row, i) for i in (1, 2)] == ["“b”", "“the” (word 3)"]
