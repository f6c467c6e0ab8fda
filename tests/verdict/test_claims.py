"""Claims, on tables small enough to check by hand."""

import numpy as np
import pandas as pd
import pytest

from heed.measures import stats
from heed.verdict import carried, claims
from verdict_rows import rows


@pytest.mark.parametrize(
    ("measure", "difference", "low", "high"),
    [
        ("peaked_still", False, 0, 1),
        ("rho_found", False, -1, 1),
        ("tau_loo", False, -1, 1),
        ("tau_loo", True, -2, 2),
        ("tau_gradient_loo_minus_attention_loo", False, -2, 2),
        ("found", False, 0, np.log(2)),
        ("f1", True, -1, 1),
    ],
)
def test_an_interval_over_seeds_stays_where_its_measure_can_be(measure, difference, low, high):
    few = pd.Series([low, high, high])
    assert stats.t_interval(few.to_numpy())[1] < low and stats.t_interval(few.to_numpy())[2] > high
    assert claims.interval(few, measure, difference) == pytest.approx((few.mean(), low, high))
    near = pd.Series([0.2, 0.21, 0.2])
    assert claims.interval(near, measure, difference) == stats.t_interval(near.to_numpy())


def held(table, text):
    """What the only row of a claim says."""
    found = table[table["claim"].str.startswith(text)]
    assert len(found) == 1
    return found.iloc[0]


def test_claims_by_hand():
    ours = pd.concat([
        rows(tau_gradient=[0.30, 0.32, 0.31], median_change=[0.2, 0.3, 0.25], found=[0.6, 0.4, 0.5]),
        rows(f1=[0.8]),
        rows(attention="uniform", f1=[0.7]),
        rows(encoder="average", tau_gradient=[0.6, 0.2, 0.4]),
    ])  # fmt: skip
    table = claims.table(ours)
    assert held(table, "τ_g is modest")["holds"] == "yes"
    assert held(table, "τ_g: Average")["holds"] == "open"
    assert held(table, "Permuting")["holds"] == "no"
    assert held(table, "The ε-max JSD")["holds"] == "open"
    better = held(table, "Attention improves BiLSTM's F1 over uniform")
    assert (better["holds"], better["ours"], better["seeds"]) == ("one seed", "+0.10", 1)
    counts = claims.tally(table)
    assert counts.loc["τ_g is modest for the BiLSTM (below 0.5)"].tolist() == [1, 0, 0, 0, 0]
    assert len(counts) == len(claims._all())
    assert counts.to_numpy().sum() == len(table)


def test_one_seed_s_interval_is_over_texts():
    ours = rows(tau_gradient=[0.3], peaked_still=[0.9]).assign(
        low=0.2, high=[0.6, 0.95], undefined=0, n=[9, 29]
    )
    found = held(claims.table(ours), "τ_g is modest")
    assert (found["ours"], found["over"], found["holds"]) == ("+0.30 [+0.20, +0.60]", "texts", "one seed")
    few = ours.assign(low=0.6)
    assert held(claims.table(few), "More than half")["holds"] == "too few"
    assert held(claims.table(few.assign(n=40, undefined=[0, 10])), "More than half")["holds"] == "one seed"
    two = rows(peaked_still=[0.9, 0.91]).assign(n=40, undefined=[9, 10])
    assert held(claims.table(two), "More than half")["holds"] == "yes"
    assert held(claims.table(two.assign(undefined=11)), "More than half")["holds"] == "too few"
    assert held(claims.table(few.assign(low=np.nan)), "τ_g is modest")["holds"] == "one seed"


def test_diabetes_alone_has_the_claim_about_diabetes():
    both = [rows(corpus=c, cls=k, median_change=[0.1 * int(k)]) for c in ("sst", "diabetes") for k in "01"]
    found = claims.table(pd.concat(both))
    assert found["corpus"].tolist() == ["diabetes"]
    assert found["ours"].tolist() == ["+0.10"]


def test_no_runs_no_claims():
    assert claims.table(carried.empty()).empty
    assert not claims.tally(claims.table(carried.empty())).to_numpy().any()
