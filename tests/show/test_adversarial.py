"""Chapter 04's sentences: of every table something true, of none nothing."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.measures.adversarial import optima
from heed.measures.exact import Vertex
from heed.params import Params
from heed.show import adversarial, figures

NATS = st.floats(0, float(np.log(2)))
ROW = st.tuples(NATS, NATS, st.floats(0, 1), st.floats(0, 1))
REAL = pd.DataFrame(
    [("sst", "bilstm", 0.58, 0.65, -0.3, -0.1, 5), ("sst", "cnn", 0.54, 0.64, -0.5, -0.2, 5)],
    columns=["corpus", "encoder", "found", "optimum", "rho_optimum", "rho_found", "seeds"],
)
MANY = pd.DataFrame({"corpus": ["babi1", "snli"], "encoder": ["average", "cnn"], "optimum": [0.4, 0.6]})
PLANTED = Params(corpus="planted")
NONE = REAL.head(0)


def table(rows: list[tuple]) -> pd.DataFrame:
    """Rows of what is found, the optimum, the highest weight and the margin."""
    made = pd.DataFrame(rows, columns=["found", "optimum", "max_attention", "margin"], dtype=float)
    made["optimum"] = made[["found", "optimum"]].max(axis=1)
    return made.assign(bound=made["optimum"], proved=True, feasible=1, id=[f"t{i}" for i in range(len(rows))])


def test_freedom_by_hand():
    found = table([(0.5, 0.65, 0.2, 0.1), (0.1, 0.3, 0.9, 0.99)])
    assert adversarial.free(found, PLANTED) == (
        "For 1 of 2 texts (50%) of planted (BiLSTM, one seed) some attention with a JSD above 0.6 to the "
        "model's own (0: the same; 0.69: the most different) moves the prediction by at most 0.01."
    )
    assert "0.47 is known to be attainable" in adversarial.searched(found, False, "planted")
    said = "On planted the search stays 0.17 below the optimum on average, and 0.20 at most"
    assert adversarial.below(found, "planted") == said
    said = adversarial.suffers(found, linear=True)
    assert said.startswith("The search stays 0.15 below the optimum on the 1 text of which the model is ")
    assert said.endswith("and 0.20 on the other 1.")
    alike = adversarial.suffers(table([(0.4, 0.65, 0.2, 0.1), (0.6, 0.65, 0.9, 0.99)]), linear=True)
    assert alike.endswith("The exact optimum is nearly the same (0.65).")


@given(rows=st.lists(ROW, min_size=1, max_size=6), linear=st.booleans())
def test_no_undefined_number_is_said(rows, linear):
    found, p = table(rows), Params(corpus="planted")
    for said in (
        *adversarial.in_short(found, REAL, MANY, p, linear),
        *adversarial.answer(found, p, linear),
        adversarial.below(found, "planted") + ".",
        adversarial.failed(found, p),
        adversarial.suffers(found, linear) or ".",
    ):
        says_something(said)
    assert adversarial.by_sureness(found, linear)["texts"].sum() == len(rows)


def test_nothing_is_said_of_no_text():
    assert adversarial.in_short(table([]), NONE, MANY, PLANTED, True) == [adversarial.NOTHING]
    assert adversarial.short_by(NONE) == adversarial.least_of_many(MANY.head(0)) == ""
    assert adversarial.answer(table([]), PLANTED, True) == [adversarial.NOTHING]
    assert adversarial.real_trend(NONE) == adversarial.real_room(NONE) == ""


@given(found=st.tuples(*[st.floats(-1, 1) | st.just(np.nan)] * 3))
def test_a_trend_is_claimed_of_an_interval_alone(found, monkeypatch_module):
    rho, low, high = found
    monkeypatch_module.setattr(adversarial.stats, "spearman", lambda *_: found)
    said, same = adversarial.resists(table([(0.1, 0.2, 0.3, 0.4)]), "exact", Params(corpus="planted"))
    claims = "leaves" in said
    assert claims == (not np.isnan(found).any() and (low > 0 or high < 0)) and (same is rho)
    says_something(said + ".")


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
    assert "random attentions" in adversarial.by_chance(row, 0.01, 0)
    assert "None of" in adversarial.by_chance(row, 0.0, 0)


def test_what_is_carried_is_told():
    real = adversarial.on_real_text()
    assert len(real) >= 9 and (real["found"] <= real["optimum"]).all() and (real["seeds"] > 0).all()
    says_something(adversarial.of_real_text(real) + ".")
    assert (real["optimum_low"] <= real["optimum"]).all() and (real["rho_optimum"] <= real["rho_high"]).all()
    assert f"for {len(real)} of {len(real)} pairs" in adversarial.real_trend(real.assign(rho_optimum=-0.5))
    mixed = adversarial.real_trend(real.assign(rho_optimum=[0.5, *[-0.5] * (len(real) - 1)]))
    assert "less room" not in mixed and f"for {len(real) - 1} of {len(real)} pairs" in mixed
    strongest = real["optimum"][real["rho_optimum"].idxmin()]
    assert f"attainable is {strongest:.2f}. The paper takes" in adversarial.real_room(real)
    assert adversarial.real_room(REAL).endswith("by that measure ρ is weaker, −0.20 to −0.10.")
    assert adversarial.real_room(REAL.assign(rho_found=-0.9)).endswith("measure ρ is −0.90.")
    said = adversarial.short_by(REAL)
    assert "0.07 to 0.10 below" in said and "on sst (CNN): 0.64" in said
    for figure in (figures.of_corpora(real), figures.trends(real)):
        assert len(figure.axes[0].get_yticks()) == real["corpus"].nunique()
    plt.close("all")
    assert adversarial.where(REAL) == "1 corpus, 2 encoders, 5 seeds"


def test_corpora_of_many_answers_are_told():
    many = adversarial.of_many_answers()
    assert "sst" not in {*many["corpus"]} and ("babi3-1k", "bilstm") not in {
        *many[["corpus", "encoder"]].itertuples(index=False, name=None)
    }
    assert adversarial.told_of_many(MANY) == "On 2 corpora with more answers the best known is 0.40 to 0.60."
    assert "0.40 (babi1, Average) to 0.60 (snli, CNN)" in adversarial.least_of_many(MANY)


def test_two_bounds_are_told(finished):
    found = table([(0.1, 0.2, 0.3, 0.4)])
    row = finished.evidence[0]
    found["id"] = row.id
    assert "They meet" in adversarial.proved(found, row, linear=False)[1]
    assert "between" in adversarial.proved(found.assign(proved=False), row, linear=False)[1]
    assert "exact" in adversarial.proved(found, row, linear=True)[0]
    curve = pd.DataFrame({"epsilon": [0.0, 0.5], "optimum_at": [0.3, 0.6]})
    assert (
        adversarial.sigmoid(curve)
        == "At ε = 0 the mean JSD is 50% of what it is at ε = 0.5: the freedom comes partly from the sigmoid."
    )
    assert "can be 0.30 away on average (0.60 at ε = 0.5)" in adversarial.curve_says(curve, "planted")
    assert adversarial.sigmoid(curve.assign(optimum_at=0.0)) == "Attention is free at no ε."
