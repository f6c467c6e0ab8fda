"""Summaries and intervals: by hand, by scipy and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.metrics import f1_score, roc_auc_score

from heed.measures import stats

# F1


@pytest.mark.parametrize("classes", [2, 3])
def test_f1_is_sklearns(classes):
    rng = np.random.default_rng(classes)
    labels, predicted = rng.integers(classes, size=(2, 50))
    value, low, high = stats.f1(labels, predicted, classes, 200, 0)
    average = "binary" if classes == 2 else "macro"
    assert value == pytest.approx(f1_score(labels, predicted, average=average))
    draws = np.random.default_rng([0, 7]).integers(50, size=(200, 50))
    twin = [f1_score(labels[d], predicted[d], average=average) for d in draws]
    assert (low, high) == pytest.approx((np.percentile(twin, 2.5), np.percentile(twin, 97.5)))
    other = rng.integers(classes, size=50)
    gain = stats.f1(labels, predicted, classes, 200, 0, less=other)
    twin = [f - f1_score(labels[d], other[d], average=average) for f, d in zip(twin, draws, strict=True)]
    assert gain[0] == pytest.approx(value - f1_score(labels, other, average=average))
    assert gain[1:] == pytest.approx((np.percentile(twin, 2.5), np.percentile(twin, 97.5)))
    assert stats.f1(labels, predicted, classes, 200, 0, less=predicted) == (0, 0, 0)


def test_f1_is_scikit_learns_where_classes_are_missing():
    """The mean is of the classes that are there or are predicted: of 39 answers a few."""
    labels, said = np.array([0, 1, 1, 4, 0]), np.array([0, 1, 4, 4, 2])
    for predicted in (labels, said):
        expected = f1_score(labels, predicted, average="macro")
        assert stats.f1(labels, predicted, 39, 10, 0)[0] == pytest.approx(expected)


def test_bootstrap_interval_brackets_the_mean_and_repeats():
    values = np.random.default_rng(3).normal(0.3, 0.2, size=80)
    low, high = stats.interval(values, 500, seed=1)
    assert low < values.mean() < high
    assert (low, high) == stats.interval(values, 500, seed=1)
    assert (low, high) != stats.interval(values, 500, seed=2)
    # The normal approximation, 1.96 standard errors, is within a tenth of its width here.
    half = 1.96 * values.std() / np.sqrt(80)
    np.testing.assert_allclose([low, high], [values.mean() - half, values.mean() + half], atol=0.2 * half)


def test_bootstrap_interval_of_next_to_nothing():
    assert stats.interval(np.array([0.5]), 10, 0) == (0.5, 0.5)
    assert stats.interval(np.array([0.5, 0.5]), 10, 0) == (0.5, 0.5)
    assert np.isnan(stats.interval(np.array([]), 10, 0)).all()


def test_summary_counts_by_hand():
    """Undefined are counted, std has ddof 0, significance is a share of the defined, classes as predicted."""
    table = pd.DataFrame(
        {
            "predicted": [0, 0, 0, 1],
            "tau": [0.1, 0.3, np.nan, -0.5],
            "p_tau": [0.05, 0.06, np.nan, 0.01],
            "plain": [1.0, 1.0, 1.0, 0.0],
        }
    )
    found = stats.summarise(table, ["tau", "plain"], 20, 0, 0.05).set_index(["measure", "class"])
    zero, overall = found.loc[("tau", "0")], found.loc[("tau", "overall")]
    assert (zero["n"], zero["undefined"], zero["mean"]) == (3, 1, pytest.approx(0.2))
    assert zero["std"] == pytest.approx(0.1) and zero["significant"] == 0.5
    assert (overall["n"], overall["undefined"]) == (4, 1)
    assert overall["mean"] == pytest.approx(-0.1 / 3) and overall["significant"] == pytest.approx(2 / 3)
    assert np.isnan(found.loc[("plain", "overall"), "significant"])


def test_over_seeds_by_hand():
    summaries = pd.DataFrame(
        {
            "measure": "tau",
            "seed": [0, 1, 2],
            "mean": [0.1, 0.4, 0.1],
            "std": [0.2, 0.2, 0.5],
            "significant": [0.0, 0.5, 1.0],
            "undefined": [1, 0, 2],
        }
    )
    (row,) = stats.over_seeds(summaries, ["measure"]).to_dict("records")
    expected = {"measure": "tau", "seeds": 3, "lowest": 0.1, "highest": 0.4, "undefined": 3}
    assert expected.items() <= row.items()
    assert row["mean"] == pytest.approx(0.2) and row["std"] == pytest.approx(0.3)
    assert row["significant"] == pytest.approx(0.5)


def test_a_questions_summary_is_overall_only():
    table = pd.DataFrame({"predicted": [0, 1, 7], "x": [0.1, 0.2, 0.3]})
    assert list(stats.summarise(table, ["x"], 50, 0, 0.05, by_class=False)["class"]) == ["overall"]
    assert list(stats.summarise(table, ["x"], 50, 0, 0.05)["class"]) == ["overall", "0", "1", "7"]


# Scipy's variance of numbers like 1e-197 is zero, and its interval NaN.
@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 9)), min_size=2, max_size=9))
def test_t_interval_is_scipys(values):
    mean, low, high = stats.t_interval(np.array(values))
    if np.ptp(values) == 0:
        assert (mean, low, high) == (values[0],) * 3, "exactly, whatever their sum is rounded to"
    else:
        spread = scipy_stats.sem(values)
        expected = scipy_stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=spread)
        assert (low, high) == pytest.approx(expected, abs=1e-9)
        assert low <= mean <= high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_t_interval_is_cut_at_the_bounds(values):
    mean, low, high = stats.t_interval(np.array(values))
    assert stats.t_interval(np.array(values), (0, 1)) == (mean, max(low, 0), min(high, 1))


def test_one_seed_has_no_interval():
    assert stats.t_interval(np.array([0.4])) == (0.4, 0.4, 0.4)


def test_f1_of_a_class_that_is_nowhere_is_undefined():
    """And where some resamples have none of it, the interval is over the others."""
    none, some = np.zeros(5, dtype=int), np.array([0, 0, 0, 1, 0])
    assert np.isnan(stats.f1(none, none, 2, 20, 0)).all()
    assert np.isnan(stats.f1(none, some, 2, 20, 0, less=none)).all()
    assert stats.f1(some, some, 2, 200, 0) == (1, 1, 1)


def test_a_rank_correlation_of_too_little_is_undefined():
    assert np.isnan(stats.rank_correlation(np.array([1, 2]), np.array([1, 2])))
    assert np.isnan(stats.rank_correlation(np.array([1, 1, 1]), np.array([1, 2, 3])))
    assert stats.rank_correlation(np.array([1, 2, 3]), np.array([3, 5, 4])) == pytest.approx(0.5)
    assert np.isnan(stats.spearman(np.array([]), np.array([]), 10, 0)).all()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=12))
def test_auroc_is_the_share_of_pairs(pairs):
    """Against each pair by itself, ties half, and against scikit-learn's."""
    decides, scores = np.array([one for one, _ in pairs]), np.array([float(score) for _, score in pairs])
    assume(decides.any() and not decides.all())
    each = [(x > y) + (x == y) / 2 for x in scores[decides] for y in scores[~decides]]
    found = stats.auroc(decides, scores)
    assert found == pytest.approx(np.mean(each), abs=1e-12)
    assert found == pytest.approx(roc_auc_score(decides, scores), abs=1e-12)
    assert stats.auroc(~decides, scores) == pytest.approx(1 - found, abs=1e-12)
