"""Arrays as people bring them: each kind is taken, and what can't be is told in one sentence."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from heed import arrays
from refusals import refused, told
from strategies import anything

HALVES = {
    "a list": [0.5, 0.25, 0.25],
    "a tuple": (0.5, 0.25, 0.25),
    "fractions": [Fraction(1, 2), Decimal("0.25"), 0.25],
    "a Series of another index": pd.Series([0.5, 0.25, 0.25], index=[7, 7, "x"]),
    "a Series that may miss": pd.Series([0.5, 0.25, 0.25], dtype="Float64"),
    "a Series of objects": pd.Series([0.5, 0.25, 0.25], dtype=object),
    "float32": np.array([0.5, 0.25, 0.25], dtype=np.float32),
    "float16": np.array([0.5, 0.25, 0.25], dtype=np.float16),
    "read-only": np.broadcast_to(np.array([0.5, 0.25, 0.25]), 3),
    "every second": np.array([0.5, 9, 0.25, 9, 0.25])[::2],
    "a tensor with gradients": torch.tensor([0.5, 0.25, 0.25], requires_grad=True),
    "the result of a computation": torch.tensor([1.0, 0.5, 0.5], requires_grad=True) / 2,
    "bfloat16": torch.tensor([0.5, 0.25, 0.25], dtype=torch.bfloat16),
    "a list of tensors": list(torch.tensor([0.5, 0.25, 0.25], requires_grad=True)),
    "a sparse tensor": torch.tensor([0.5, 0.25, 0.25]).to_sparse(),
}


@pytest.mark.parametrize("given", HALVES.values(), ids=HALVES)
def test_numbers_of_every_kind(given):
    for take in (arrays.numbers, arrays.finite, arrays.distributions):
        found = take(given, "a")
        assert found.dtype == np.float64 and found.tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_weights_of_two_bytes_miss_a_sum_of_one_by_rounding(kind):
    weights = torch.softmax(torch.randn(200, generator=torch.Generator().manual_seed(0)), 0)
    found = arrays.attention(weights.to(kind), 200)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(found, weights, rtol=2e-2)
    with refused("the weights sum to 0."):
        arrays.attention((weights * 0.9).to(kind), 200)


NO_NUMBERS = [
    ["a", "b"],
    ["0.5", "0.5"],
    pd.Series(["0.5", "0.5"]),
    {"a": 1},
    {0.5},
    "0.5",
    [[1], [1, 2]],
    [1j, 2],
    [object()],
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    [10**400, 1],
]


@pytest.mark.parametrize("given", NO_NUMBERS, ids=map(repr, range(len(NO_NUMBERS))))
def test_what_is_no_array_of_numbers(given):
    with refused("a: expected numbers"):
        arrays.numbers(given, "a")


def test_numbers_that_cannot_be_computed_with():
    assert np.isnan(arrays.numbers([None, np.ma.masked_array([1.0, 2.0], [False, True])[1]], "a")).all()
    for value, said in ((np.nan, "is not a number"), (-np.inf, "is infinite"), (1e300, "is 1e+300")):
        with refused("a: expected finite numbers, number 1, 0 " + said):
            arrays.finite([[1], [value]], "a")
        with refused("a: expected finite numbers, it " + said):
            arrays.finite(value, "a")


def test_a_weight_that_is_missing():
    missing = [
        np.ma.masked_array([0.5, 0.5], [False, True]),
        pd.Series([0.5, pd.NA], dtype="Float64"),
        [1, None],
    ]
    for weights in missing:
        with refused("weight 1 is not a number"):
            arrays.distributions(weights, "a")


def test_of_many_distributions_the_faulty_one_is_named():
    good = np.full((2, 3, 4), 0.25)
    assert arrays.distributions(good, "p").shape == (2, 3, 4)
    for value, said in {
        -0.5: "weight 3 is -0.5; a weight can't be below 0",
        0.5: "the weights sum to 1.25",
    }.items():
        bad = good.copy()
        bad[1, 2, 3] = value
        with refused(f"p[1, 2]: {said}"):
            arrays.distributions(bad, "p")
    for nothing in ([], 1.0, np.ones((2, 0))):
        with refused("p: expected weights that sum to 1, there are none"):
            arrays.distributions(nothing, "p")


def test_flags():
    for value in ([True, False], [1, 0], torch.tensor([True, False]), pd.Series([True, False], index=[5, 5])):
        assert arrays.flags(value, 2, "real", "tokens").tolist() == [True, False]
    with refused("real: 1 flags for 2 tokens"):
        arrays.flags([True], 2, "real", "tokens")
    for value in ([2, 0], ["True", "False"], [None, True], "no"):
        with refused("real: expected"):
            arrays.flags(value, 2, "real", "tokens")


def test_words():
    assert arrays.words(["a", 1, 0.5], "tokens") == ["a", "1", "0.5"]
    assert arrays.words(torch.tensor([3, 4]), "tokens") == ["3", "4"]
    assert arrays.words(pd.Series(["a", "b"], index=[2, 2]), "tokens") == ["a", "b"]
    assert arrays.words((word for word in "ab"), "tokens") == ["a", "b"]
    for value in ("not bad", b"bad", {"a": 1}, {"a", "b"}, 3, None):
        with refused("tokens: expected a list of words"):
            arrays.words(value, "tokens")
    for value in (["a", None], ["a", np.nan], np.array(["a", np.nan], dtype=object)):
        with refused("tokens: number 1 is missing"):
            arrays.words(value, "tokens")
    with refused("tokens: number 0 is a list itself"):
        arrays.words([["a", "b"]], "tokens")


def test_an_index():
    for value in (1, np.int64(1), 1.0, torch.tensor(1), torch.tensor([1]), True):
        assert arrays.index(value, 2, "label") == 1
    for value in (2, -1, 0.5, np.nan, "1", None, [0, 1]):
        with refused("label: expected a whole number from 0 to 1"):
            arrays.index(value, 2, "label")


@given(anything, st.integers(0, 4))
def test_whatever_is_given_is_taken_or_told(value, length):
    for take in (arrays.numbers, arrays.finite, arrays.distributions, arrays.words, arrays.one_number):
        told(take, value, "a")
    told(arrays.attention, value, length)
    told(arrays.flags, value, length, "a", "tokens")
    told(arrays.index, value, length + 1, "a")
    found = told(arrays.distributions, value, "a")
    if not isinstance(found, str):
        np.testing.assert_allclose(found.sum(-1), 1, atol=2e-6)
        assert (found >= 0).all()
