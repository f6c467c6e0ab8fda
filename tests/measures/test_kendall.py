"""Kendall's τ: scipy's, pairs by hand, and what must always hold."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from heed.measures.divergence import significant_digits
from heed.measures.kendall import kendall
from refusals import refused, told
from strategies import anything, two_rankings


def test_kendall_is_scipy_with_ties():
    rng = np.random.default_rng(0)
    for length in (2, 5, 30, 200):
        a, b = rng.integers(0, 6, size=(2, length)).astype(float)
        expected = kendalltau(a, b)
        assert kendall(a, b) == pytest.approx((expected.statistic, expected.pvalue), nan_ok=True), length


def test_kendall_counts_pairs():
    """τ-b from its definition: concordant less discordant over the geometric mean of the untied."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 4, size=(2, 25)).astype(float)
    pairs = list(itertools.combinations(range(25), 2))
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i, j in pairs]
    untied = [sum(s[k] != 0 for s in signs) for k in (0, 1)]
    expected = sum(x * y for x, y in signs) / np.sqrt(untied[0] * untied[1])
    assert kendall(a, b)[0] == pytest.approx(expected, abs=1e-14)


def test_kendall_takes_noise_for_ties():
    """Equal words differ by noise of 1e-16 or so; ranks must not see it."""
    a = np.array([0.1, 0.1 * (1 + 1e-13), 0.3, 0.4])
    b = np.array([3.0, 3.0, 2.0, 1.0])
    assert kendall(a, b) == kendall(np.array([0.1, 0.1, 0.3, 0.4]), b)


@pytest.mark.parametrize("a", [[], [0.5], [0.5, 0.5, 0.5]])
def test_kendall_undefined(a):
    tau, p = kendall(np.array(a), np.arange(len(a), dtype=float))
    assert np.isnan(tau) and np.isnan(p)


# Properties


@given(two_rankings())
def test_kendall_is_symmetric_and_bounded(pair):
    a, b = pair
    (tau, p), (back, p_back) = kendall(a, b), kendall(b, a)
    if math.isnan(tau):
        assert math.isnan(back)
        assert len(set(significant_digits(a))) == 1 or len(set(significant_digits(b))) == 1
    else:
        assert -1 <= tau <= 1 and 0 <= p <= 1
        assert tau == pytest.approx(back, abs=1e-14) and p == pytest.approx(p_back, abs=1e-12)


@given(two_rankings())
def test_kendall_sees_only_the_order(pair):
    """Any growing function that nine digits survive leaves τ as it is; a falling one turns its sign."""
    a, b = pair
    ranks = np.unique(significant_digits(a), return_inverse=True)[1].astype(float)
    tau, p = kendall(a, b)
    assert kendall(ranks, b) == pytest.approx((tau, p), nan_ok=True)
    assert kendall(ranks**3 + 5, b) == pytest.approx((tau, p), nan_ok=True)
    assert kendall(-ranks, b)[0] == pytest.approx(-tau, nan_ok=True)


@given(two_rankings(), st.randoms(use_true_random=False))
def test_kendall_does_not_see_the_tokens_order(pair, random):
    a, b = pair
    order = list(range(len(a)))
    random.shuffle(order)
    assert kendall(a[order], b[order]) == pytest.approx(kendall(a, b), nan_ok=True)


# What a user calls it with


def test_kendall_takes_lists_tensors_and_series():
    wanted = kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    assert kendall([1, 2, 3], torch.tensor([1.0, 3.0, 2.0], requires_grad=True)) == wanted
    assert kendall(pd.Series([1, 2, 3], index=[9, 9, 9]), (1, 3, 2)) == wanted


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1, 2, 3], [1, 2], "a has shape (3,) and b (2,)"),
        ([[1, 2]], [[1, 2]], "a has shape (1, 2) and b (1, 2)"),
        (1, 2, "a has shape () and b ()"),
        ([1, np.nan], [1, 2], "a: expected finite numbers, number 1 is not a number"),
        ([1, 2], [1, -np.inf], "b: expected finite numbers, number 1 is infinite"),
        ([1, 2], ["a", "b"], "b: expected numbers"),
        ([1, 2], None, "b: expected"),
    ],
)
def test_kendall_of_what_are_no_rankings(a, b, said):
    with refused(said):
        kendall(a, b)


@given(anything, anything)
def test_kendall_of_anything_is_two_numbers_or_a_sentence(a, b):
    found = told(kendall, a, b)
    assert isinstance(found, str) or len(found) == 2
