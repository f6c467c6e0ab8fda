"""Chapter 04's sentences: of every table something true, of none nothing."""

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
    [("babi1", "average", 0.4, 0.69, 0.0, 0.05), ("snli (part)", "cnn", 0.6, 0.65, 0.2, 0.05)],
    columns=["corpus", "encoder", "optimum", "bound", "proved", "epsilon"],
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
    assert adversarial.free(found, PLANTED, NAMED, linear=True) == (
        "For 1 of 2 texts (50%) of the made corpus *planted* (BiLSTM, seed 0) some attention with a JSD "
        "above 0.6 to the model's own moves the probability by at most 0.01."
    )
    said = adversarial.free(found, PLANTED, NAMED, linear=False)
    assert said.endswith("moves the prediction by at most 0.01 (TVD).")
    said = adversarial.shares_say(found, False, "planted")
    begins = "On planted, some known attention with a JSD above 0.6 keeps the prediction of 50% of"
    assert said.startswith(begins)
    assert said.endswith("the paper's search finds it for 0%")
    said = adversarial.for_scale(SCALE)
    assert "shuffled, have a mean JSD of 0.40 to its own; equal weights 0.30." in said
    said = "On planted the search stays 0.17 below the optimum on average, and 0.20 at most"
    assert adversarial.below(found, "planted") == said
    said = adversarial.suffers(found, linear=True)
    assert said.startswith(
        "The search stays 0.15 below the optimum on the 1 text of which the model is less sure ("
    )
    assert said.endswith("and 0.20 on the other 1.")
    alike = adversarial.suffers(table([(0.4, 0.65, 0.2, 0.1), (0.6, 0.65, 0.9, 0.99)]), linear=True)
    assert "is nearly the same on both (0.65), so attention can go as far there, but the search" in alike


@given(rows=st.lists(ROW, min_size=1, max_size=6), linear=st.booleans())
def test_no_undefined_number_is_said(rows, linear):
    found, p = table(rows), Params(corpus="planted")
    for said in (
        *adversarial.in_short(found, SCALE, REAL, MANY, p, NAMED, linear),
        *adversarial.answer(found, REAL, p, NAMED, linear),
        adversarial.by_length(found, "token") or ".",
        adversarial.shares_say(found, linear, "planted") + ".",
        adversarial.below(found, "planted") + ".",
        adversarial.failed(found, p),
        adversarial.suffers(found, linear) or ".",
    ):
        says_something(said)


def test_nothing_is_said_of_no_text():
    nothing = adversarial.in_short(table([]), {}, NONE, MANY, PLANTED, NAMED, True)
    assert nothing == [adversarial.NOTHING] and adversarial.by_length(table([]), "token") == ""
    assert adversarial.yardsticks([], table([]), 0) == {}
    assert adversarial.short_by(NONE) == adversarial.least_of_many(MANY.head(0)) == ""
    assert adversarial.answer(table([]), NONE, PLANTED, NAMED, True) == [adversarial.NOTHING]
    found = table([(0.1, 0.2, 0.3, 0.4)])
    assert len(adversarial.answer(found, NONE, PLANTED, NAMED, True)) == 1
    assert adversarial.real_trend(NONE) == adversarial.real_room(NONE) == ""


@given(found=st.tuples(*[st.floats(-1, 1) | st.just(np.nan)] * 3))
def test_a_trend_is_claimed_of_an_interval_alone(found, monkeypatch_module):
    rho, low, high = found
    monkeypatch_module.setattr(adversarial.stats, "spearman", lambda *_: found)
    said, same = adversarial.resists(table([(0.1, 0.2, 0.3, 0.4)]), "exact", Params(corpus="planted"))
    claims = "peaked attention has" in said
    assert claims == (not np.isnan(found).any() and (low > 0 or high < 0)) and (same is rho)
    says_something(said)


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_the_best_is_checked(finished):
    """It raises AssertionError where an attention doesn't keep the prediction, or isn't as far as it says."""
    row = adversarial.unsure(finished.evidence)
    if row.head.one_logit:
        vertex = optima(finished.evidence, 0.01)[row.id]
        assert adversarial.best(row, vertex, 0.01).startswith("With all weight on ")
        with pytest.raises(AssertionError):
            adversarial.best(row, Vertex(vertex.jsd / 2, vertex.i, vertex.j, vertex.weight), 0.01)
        found = table([(0.1, vertex.jsd, 0.3, 0.4)])
        assert "On this text attention isn't less free: the JSD is" in adversarial.less_free(
            row, vertex, found
        )
        less = Vertex(vertex.jsd / 2, vertex.i, vertex.j, vertex.weight)
        assert "On this text attention is less free" in adversarial.less_free(row, less, found)
        figure = figures.two_words(row, vertex.attention(len(row.attention)))
        assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
        plt.close(figure)
    assert "random attentions" in adversarial.by_chance(row, 0.01, 0)
    assert "None of" in adversarial.by_chance(row, 0.0, 0)


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
    figure = figures.optimum_shares({"": table([(0.1, 0.2, 0.3, 0.4)])}, ("bad", "good"), scale=found)
    assert {*found} <= {text.get_text() for text in figure.axes[0].texts}
    plt.close(figure)


def test_the_share_above_a_jsd_stands_at_its_line():
    """By hand: of found none of two texts is above 0.6, of the optimum one."""
    rows = table([(0.1, 0.65, 0.3, 0.4), (0.1, 0.5, 0.3, 0.4)])
    figure = figures.optimum_shares({"": rows}, ("bad", "good"), far=0.6)
    shares = [(rows[column] > 0.6).mean() for column in ("found", "optimum")]
    assert shares[0] != shares[1]
    for ax, share in zip(figure.axes, shares, strict=True):
        assert f"all texts\n(black):\n{share:.0%}" in {text.get_text() for text in ax.texts}
        assert [0.6, 0.6] in [[*line.get_xdata()] for line in ax.lines]
        assert ([0.6], [share]) in [([*line.get_xdata()], [*line.get_ydata()]) for line in ax.lines]
    plt.close(figure)


def test_where_peaks_cost_room_is_told():
    rows = adversarial.on_real_text()
    said = adversarial.less_room(rows)
    strong = rows[(rows["rho_optimum"] <= adversarial.STRONG) & (rows["spread"] >= adversarial.SPREAD)]
    names = strong["corpus"].str.removesuffix(" (part)")
    assert len(strong) and all(name in said for name in names) and "imdb" not in said
    assert "The runs don't store how much" in said
    told = " ".join(adversarial.answer(table([(0.5, 0.65, 0.2, 0.1)]), rows, PLANTED, NAMED, True))
    assert f"In {len(strong)} of {len(rows)} pairs of a corpus and an encoder more peaked attention" in told
    assert adversarial.less_room(rows.assign(spread=0.001)) == ""
    assert adversarial.less_room(rows.assign(rho_optimum=-0.1)) == ""


def test_the_class_with_fewer_words_of_its_own_is_told():
    head = Head("identity", "sigmoid")
    few = Row.of(["a", "b", "c", "d"], [0.7, 0.1, 0.1, 0.1], [3.0, -1.0, -1.0, -1.0], head, id="t1")
    many = Row.of(["a", "b", "c", "d"], [0.4, 0.2, 0.2, 0.2], [9.0, -4.0, -4.0, -4.0], head, id="t0")
    assert adversarial.beyond(few, 1) == 0.25 and adversarial.beyond(many, 0) == 0.75
    found = table([(0.5, 0.69, 0.4, 0.1), (0.5, 0.6, 0.7, 0.1)])
    said = adversarial.class_gap([many, few], found, ["bad", "good"], PLANTED)
    assert said.startswith("Texts predicted good have less room than texts predicted bad: a mean JSD of 0.60")
    assert said.endswith("Such words are 25% of a text against 75%.")
    for changed, ends in (
        (found.assign(optimum=[0.6, 0.69]), "0.60 against 0.69 (at ε = 0.01)."),
        (found.assign(optimum=0.6), ""),
        (found.head(1), ""),
    ):
        said = adversarial.class_gap([many, few], changed, ["bad", "good"], PLANTED)
        assert said.endswith(ends) and bool(said) == bool(ends)


def test_the_room_of_long_texts_is_told():
    found = table([(0.1, 0.5, 0.3, 0.4), (0.1, 0.6, 0.3, 0.4)])
    said = "Texts of more than 2.5 tokens have {} room {} the shorter ones: a mean JSD of {} against {}."
    assert adversarial.by_length(found, "token") == said.format("more", "than", "0.60", "0.50")
    turned = found.assign(optimum=[0.6, 0.5])
    assert adversarial.by_length(turned, "token") == said.format("less", "than", "0.50", "0.60")
    alike = found.assign(optimum=0.6)
    assert adversarial.by_length(alike, "token") == said.format("about as much", "as", "0.60", "0.60")
    assert adversarial.by_length(found.assign(length=5), "token") == ""


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
    assert trend.endswith(f"in all {len(real)} pairs of a corpus and an encoder: from −0.50 to −0.50")
    assert "(imdb)" in adversarial.of_another_seed(real) or "(sst)" in adversarial.of_another_seed(real)
    assert adversarial.of_another_seed(real.assign(other_seed=np.nan)) == ""
    assert "in 1 of 1 pair of a" in adversarial.real_trend(real.head(1).assign(rho_optimum=-0.5))
    mixed = adversarial.real_trend(real.assign(rho_optimum=[0.5, *[-0.5] * (len(real) - 1)]))
    assert f"in {len(real) - 1} of {len(real)} pairs" in mixed
    assert mixed.endswith("from 0.50 to −0.50")
    assert adversarial.weakly(real.assign(rho_optimum=-0.5)) == ""
    weak = adversarial.weakly(real.assign(rho_optimum=[-0.1, *[-0.5] * (len(real) - 1)]))
    assert weak == "The trend is weak (between −0.2 and 0) on 20news (Average). "
    strongest = real.loc[real["rho_optimum"].idxmin()]
    said = f"is {strongest['optimum']:.3f} on average, with a standard deviation of {strongest['spread']:.3f}"
    assert said in adversarial.real_room(real)
    assert adversarial.real_room(REAL).endswith("correlation is weaker, −0.20 to −0.10 (not drawn).")
    assert "the differences are tiny" not in adversarial.real_room(REAL)
    assert "the differences are tiny" in adversarial.real_room(REAL.assign(spread=0.002))
    assert adversarial.real_room(REAL.assign(rho_found=-0.9)).endswith("correlation is −0.90 (not drawn).")
    said = adversarial.short_by(REAL)
    assert "0.07 to 0.10 below" in said and "(sst, CNN: 0.64) implies that at least 72% of the texts" in said
    assert said.endswith("above 0.5, and 42% above 0.6.")
    assert adversarial.short_by(REAL.assign(optimum=0.6)).endswith("on corpus and encoder.")
    for figure in (figures.of_corpora(real), figures.trends(real, 0.01)):
        assert len(figure.axes[0].get_yticks()) == real["corpus"].nunique()
    plt.close("all")
    assert adversarial.where(REAL) == "1 corpus, 2 encoders, 5 seeds"


def test_corpora_of_many_answers_are_told():
    many = adversarial.of_many_answers()
    assert "sst" not in {*many["corpus"]} and ("babi3-1k", "bilstm") not in {
        *many[["corpus", "encoder"]].itertuples(index=False, name=None)
    }
    assert (many["optimum"] <= many["bound"]).all() and (many["epsilon"] > 0).all()
    assert adversarial.told_of_many(MANY) == (
        "On 2 corpora with more answers (babi1, part of snli), where the prediction may move by 0.05, the "
        "furthest attention found is 0.40 to 0.60 away on average; the true maximum may be higher."
    )
    said = adversarial.least_of_many(MANY)
    assert "here ε is 0.05" in said and "The two meet for 0% to 20%" in said
    assert "The two meet" not in adversarial.least_of_many(MANY.assign(proved=np.nan))
    short = adversarial.many_in_short(MANY).set_index("corpus")
    assert short.loc["babi1", "Average"] == "0.40 of at most 0.69" and "–" in short.to_numpy()
    assert "of at most" not in str(adversarial.many_in_short(MANY.assign(bound=np.nan)).to_numpy())
    assert adversarial.many_in_short(MANY.iloc[:0]).empty
    assert np.isnan(adversarial.epsilon_of("gone", "paper"))
    assert adversarial.epsilon_of("snli (part)", "paper") == 0.05


def test_two_bounds_are_told(finished):
    found = table([(0.1, 0.2, 0.3, 0.4)])
    row = finished.evidence[0]
    found["id"] = row.id
    assert "They meet" in adversarial.proved(found, row, linear=False)[1]
    assert "between" in adversarial.proved(found.assign(proved=False), row, linear=False)[1]
    assert "exact" in adversarial.proved(found, row, linear=True)[0]
    curve = pd.DataFrame({"epsilon": [0.0, 0.5], "optimum_at": [0.3, 0.6]})
    assert adversarial.sigmoid(curve) == (
        "At ε = 0 the mean JSD is 0.30, at ε = 0.5 it is 0.60; the scale ends at 0.69. So the freedom comes "
        "partly from the sigmoid."
    )
    assert "can be 0.30 away on average (0.60 at ε = 0.5)" in adversarial.curve_says(curve, "planted")
    assert adversarial.sigmoid(curve.assign(optimum_at=0.0)) == "Attention is free at no ε."


def test_the_room_of_peaked_texts_is_told():
    found = table([(0.1, 0.6, 0.5, 0.4), (0.1, 0.4, 0.7, 0.4), (0.1, 0.65, 0.2, 0.4)])
    assert adversarial.peaked_and_others(found, "exact") == (
        " The mean exact JSD is 0.500 on the 2 texts with a weight of 0.5 or more on one word, 0.650 on the "
        "other 1."
    )
    assert adversarial.peaked_and_others(found.iloc[:2], "exact") == ""
    assert adversarial.peaked_and_others(found.iloc[2:], "exact") == ""


def test_a_word_that_a_text_has_twice_has_its_place():
    row = Row.of(["the", "b", "the"], [0.2, 0.5, 0.3], [0.0, 1.0, 2.0], Head("identity", "sigmoid"), id="t0")
    assert [adversarial._placed(row, i) for i in (1, 2)] == ["“b”", "“the” (word 3)"]
