"""Chapter 04's sentences: of every table something true, of none nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.measures.adversarial import optima
from heed.measures.exact import Vertex
from heed.params import Params
from heed.show import adversarial

NATS = st.floats(0, float(np.log(2)))
ROW = st.tuples(NATS, NATS, st.floats(0, 1), st.floats(0, 1))
REAL = pd.DataFrame(
    [("sst", "bilstm", 0.58, 0.65, -0.3, 5), ("sst", "cnn", 0.54, 0.64, -0.5, 5)],
    columns=["corpus", "encoder", "found", "optimum", "rho_optimum", "seeds"],
)
NONE = REAL.head(0)


def table(rows: list[tuple]) -> pd.DataFrame:
    """Rows of what is found, the optimum, the highest weight and the margin."""
    made = pd.DataFrame(rows, columns=["found", "optimum", "max_attention", "margin"], dtype=float)
    made["optimum"] = made[["found", "optimum"]].max(axis=1)
    return made.assign(bound=made["optimum"], proved=True, feasible=1, id=[f"t{i}" for i in range(len(rows))])


def test_freedom_by_hand():
    found = table([(0.5, 0.65, 0.2, 0.1), (0.1, 0.3, 0.9, 0.99)])
    assert adversarial.free(found, 0.01, linear=True) == (
        "1 of 2 texts (50%) allows attention that is almost as different from the model's own as can be: a "
        "JSD above 0.6, of at most 0.69, with the prediction kept to 0.01. One word or two carry all of it."
    )
    assert "is known to be possible" in adversarial.searched(found, linear=False)
    assert adversarial.below(found) == "The search stays below by 0.17 in the mean, 0.20 at most"
    assert adversarial.suffers(found).startswith("The search stays below by 0.15 where the model is unsure")


@given(rows=st.lists(ROW, min_size=1, max_size=6), linear=st.booleans())
def test_no_undefined_number_is_said(rows, linear):
    found, p = table(rows), Params(corpus="planted")
    for said in (
        *adversarial.in_short(found, REAL, 0.01, linear),
        *adversarial.answer(found, 0.01, linear),
        adversarial.below(found) + ".",
        adversarial.failed(found, p),
        adversarial.suffers(found) or ".",
    ):
        says_something(said)
    assert adversarial.by_sureness(found, linear)["texts"].sum() == len(rows)


def test_nothing_is_said_of_no_text():
    assert adversarial.in_short(table([]), NONE, 0.01, True) == [adversarial.NOTHING]
    assert adversarial.answer(table([]), 0.01, True) == [adversarial.NOTHING]
    assert adversarial.real_trend(NONE) == ""


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
        assert adversarial.best(row, vertex, 0.01).startswith("All weight on ")
        with pytest.raises(AssertionError):
            adversarial.best(row, Vertex(vertex.jsd / 2, vertex.i, vertex.j, vertex.weight), 0.01)
    assert "random attentions" in adversarial.by_chance(row, 0.01, 0)
    assert "None of" in adversarial.by_chance(row, 0.0, 0)


def test_what_is_carried_is_told():
    real = adversarial.on_real_text()
    assert len(real) >= 9 and (real["found"] <= real["optimum"]).all() and (real["seeds"] > 0).all()
    says_something(adversarial.of_real_text(real) + ".")
    assert f"for {len(real)} of {len(real)} pairs" in adversarial.real_trend(real.assign(rho_optimum=-0.5))
    mixed = adversarial.real_trend(real.assign(rho_optimum=[0.5, *[-0.5] * (len(real) - 1)]))
    assert "less room" not in mixed and f"{len(real) - 1} of {len(real)} pairs" in mixed


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
        == "50% of the distance is there at ε = 0: the freedom lies partly in the sigmoid."
    )
    assert "0.30 is free" in adversarial.curve_says(curve)
    assert adversarial.sigmoid(curve.assign(optimum_at=0.0)) == "Nothing is free at any ε."
