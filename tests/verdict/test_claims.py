"""Claims, on tables small enough to check by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

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
    assert held(table, "τ with the gradient is modest")["holds"] == "yes"
    assert held(table, "τ with the gradient: Average")["holds"] == "open"
    assert held(table, "Shuffling moves")["holds"] == "no"
    assert held(table, "Adversary: the")["holds"] == "open"
    better = held(table, "F1: attention improves the BiLSTM over uniform")
    assert (better["holds"], better["ours"], better["seeds"]) == ("one seed", "+0.10", 1)
    counts = claims.tally(table)
    assert counts.loc["τ with the gradient is modest for the BiLSTM (below 0.5)"].tolist() == [1, 0, 0, 0, 0]
    assert len(counts) == len(claims.every())
    assert counts.to_numpy().sum() == len(table)


def test_one_seed_s_interval_is_over_texts():
    ours = rows(tau_gradient=[0.3], peaked_still=[0.9]).assign(
        low=0.2, high=[0.6, 0.95], undefined=0, n=[9, 29]
    )
    found = held(claims.table(ours), "τ with the gradient is modest")
    assert (found["ours"], found["over"], found["holds"]) == ("+0.30 [+0.20, +0.60]", "texts", "one seed")
    few = ours.assign(low=0.6)
    assert held(claims.table(few), "Shuffling: more")["holds"] == "too few"
    assert held(claims.table(few.assign(n=40, undefined=[0, 10])), "Shuffling: more")["holds"] == "one seed"
    two = rows(peaked_still=[0.9, 0.91]).assign(n=40, undefined=[9, 10])
    assert held(claims.table(two), "Shuffling: more")["holds"] == "yes"
    assert held(claims.table(two.assign(undefined=11)), "Shuffling: more")["holds"] == "too few"
    assert held(claims.table(few.assign(low=np.nan)), "τ with the gradient is modest")["holds"] == "one seed"


def test_diabetes_alone_has_the_claim_about_diabetes():
    both = [rows(corpus=c, cls=k, median_change=[0.1 * int(k)]) for c in ("sst", "diabetes") for k in "01"]
    found = claims.table(pd.concat(both))
    assert found["corpus"].tolist() == ["diabetes"]
    assert found["ours"].tolist() == ["+0.10"]


def test_no_runs_no_claims():
    assert claims.table(carried.empty()).empty
    assert not claims.tally(claims.table(carried.empty())).to_numpy().any()


# Many comparisons


@given(st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=20))
def test_holm_is_the_step_down_procedure(p):
    """Holm (1979), by hand: the smallest p is held against .05 / n, the next against .05 / (n − 1), ..."""
    found = stats.holm(np.array(p, float))
    assert np.isnan(found).tolist() == np.isnan(p).tolist()
    tested = sorted((value, i) for i, value in enumerate(p) if value == value)
    assume(all(abs(value * (len(tested) - rank) - 0.05) > 1e-9 for rank, (value, _) in enumerate(tested)))
    passed = set()
    for rank, (value, i) in enumerate(tested):
        if not value < 0.05 / (len(tested) - rank):
            break
        passed.add(i)
    assert {i for i in range(len(p)) if found[i] < 0.05} == passed


@settings(max_examples=10)  # each call of statsmodels collects garbage: 70 ms and more
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_statsmodels(p):
    np.testing.assert_allclose(stats.holm(np.array(p)), multipletests(p, method="holm")[1], atol=1e-15)


@given(
    st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=6), st.sampled_from([0.2, 0.5])
)
def test_the_p_over_seeds_is_the_interval_s(values, border):
    """Below .05 exactly where Student's interval leaves the border out."""
    values = np.array(values)
    _, low, high = stats.t_interval(values)
    p = stats.t_p(values, border)
    if abs(p - 0.05) > 1e-6:
        assert (p < 0.05) == (border < low or border > high)


def test_no_p_of_one_seed():
    assert np.isnan(stats.t_p(np.array([0.3]), 0.2)) and np.isnan(stats.t_p(np.array([]), 0.2))
    assert stats.t_p(np.array([0.3, 0.3]), 0.3) == 1 and stats.t_p(np.array([0.3, 0.3]), 0.2) == 0


def test_a_claim_s_corpora_are_corrected_for_one_another():
    """One clear corpus stays, one that was just decided doesn't; what is open or of one seed stays so."""
    ours = pd.concat([
        rows(corpus="sst", tau_loo=[0.301, 0.302, 0.3]),
        rows(corpus="imdb", tau_loo=[0.31, 0.41, 0.37]),
        rows(corpus="ade", tau_loo=[0.1, 0.9]),
        rows(corpus="yelp", tau_loo=[0.1]),
    ])  # fmt: skip
    table = claims.table(ours)
    found = table[table["claim"] == "τ with leave-one-out is modest for the BiLSTM (below 0.5)"].set_index(
        "corpus"
    )
    assert found["holds"].to_dict() == {"sst": "yes", "imdb": "yes", "ade": "open", "yelp": "one seed"}
    assert found["holm"].to_dict() == {"sst": "yes", "imdb": "open", "ade": "open", "yelp": "one seed"}
    assert 0.025 < found.loc["imdb", "p"] < 0.05 and np.isnan(found.loc["yelp", "p"])
    assert (claims.corrected(table)[table["holds"] == "one seed"] == "one seed").all()


def test_between_two_bounds_both_are_tested():
    """Within: the nearer bound decides; beyond one: that one."""
    claim = next(c for c in claims.every() if "F1: CNN" in c.text)
    inside, beyond = np.array([0.03, 0.031, 0.029]), np.array([0.08, 0.09, 0.07])
    assert claims._p(claim, inside) == stats.t_p(inside, claim.high) > stats.t_p(inside, claim.low)
    assert claims._p(claim, beyond) == stats.t_p(beyond, claim.high)
