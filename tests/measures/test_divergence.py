"""JSD, TVD and rounding to digits: by hand, and what must always hold."""

import re

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon

from heed.measures.divergence import jsd, significant_digits, tvd
from refusals import refused, told
from strategies import anything, finite


@pytest.mark.parametrize("classes", [2, 3, 30])
def test_jsd_and_tvd_by_hand(classes):
    rng = np.random.default_rng(classes)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(classes) / 2, size=2)
        p[rng.integers(classes)] = 0
        p /= p.sum()
        m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        kl = [sum(x * np.log(x / y) for x, y in zip(one, m, strict=True) if x > 0) for one in (p, q)]
        assert jsd(p, q) == pytest.approx(sum(kl) / 2, rel=1e-12, abs=1e-15)
        assert jsd(p, q) == pytest.approx(jensenshannon(p, q, base=np.e) ** 2, rel=1e-9, abs=1e-12)
        assert tvd(p, q) == pytest.approx(sum(max(a - b, 0) for a, b in zip(p, q, strict=True)), abs=1e-15)


def test_jsd_of_disjoint_one_hots_is_ln_2():
    one, other = np.eye(4)[0], np.eye(4)[2]
    assert jsd(one, other) == np.log(2) and tvd(one, other) == 1
    assert jsd(one, one) == 0 and tvd(one, one) == 0


def test_binary_tvd_is_the_difference_of_the_positive_probability():
    p, q = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[0.7, 0.3], [1.0, 0.0]])
    np.testing.assert_allclose(tvd(p, q), [0.5, 0], rtol=0, atol=1e-16)


# Properties


normal = finite.filter(lambda x: x == 0 or abs(x) > 1e-300)


@st.composite
def distributions(draw, count: int = 2):
    """`count` distributions over as many classes, with zeros in places."""
    size = draw(st.integers(1, 6))
    weights = st.one_of(st.just(0.0), st.floats(1e-12, 1))
    found = []
    for _ in range(count):
        w = np.array(draw(st.lists(weights, min_size=size, max_size=size)))
        assume(w.sum() > 0)
        found.append(w / w.sum())
    return found


@given(distributions())
@example([np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 1 / 3, 2 / 3])])
@example([np.array([0.1, 0.2, 0.7]), np.array([0.1, 0.2, 0.7]) + [1e-9, -1e-9, 0]])
def test_divergences_stay_in_their_range(pair):
    """As the docstrings and the registry have it: [0, 1] and [0, ln 2], with nothing beyond by rounding."""
    p, q = pair
    assert 0 <= tvd(p, q) <= 1
    assert 0 <= jsd(p, q) <= np.log(2)


@given(distributions())
def test_divergences_are_symmetric_and_related(pair):
    p, q = pair
    assert tvd(p, q) == tvd(q, p)
    assert jsd(p, q) == pytest.approx(jsd(q, p), abs=1e-15)
    # Lin (1991): TVD² / 2 <= JSD <= ln 2 · TVD
    assert tvd(p, q) ** 2 / 2 <= jsd(p, q) + 1e-12 <= np.log(2) * tvd(p, q) + 2e-12
    assert jsd(p, q) == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-9)


@given(distributions())
def test_divergences_are_zero_where_equal_and_only_there(pair):
    p, q = pair
    assert tvd(p, p) == 0 and jsd(p, p) == 0
    if np.abs(p - q).max() > 1e-6:
        assert tvd(p, q) > 0 and jsd(p, q) > 0


@given(distributions(3), st.integers(1, 4))
def test_divergences_take_the_last_axis(triple, times):
    p, q, r = triple
    many = np.stack([q, r] * times)
    for distance in (tvd, jsd):
        assert distance(p, many).tolist() == [distance(p, one) for one in many]


@given(arrays(float, st.integers(0, 8), elements=finite))
def test_rounding_to_digits_is_idempotent(x):
    once = significant_digits(x)
    assert np.array_equal(significant_digits(once), once)


@given(normal, normal)
@example(0.1 + 0.2, 0.3)
@example(1.000000005, 1.0)
def test_rounding_to_digits_keeps_order_sign_and_size(x, y):
    a, b = significant_digits(np.array([x, y]))
    if x <= y:
        assert a <= b
    assert significant_digits(np.array(-x)) == -a
    # Half a unit of the ninth digit; the last bits are those of the decimal's own binary form.
    assert abs(a - x) <= 5e-9 * abs(x) * (1 + 1e-7)


@given(arrays(float, (2, 3), elements=finite))
def test_rounding_to_digits_keeps_shape_and_input(x):
    before = x.copy()
    assert significant_digits(x).shape == (2, 3)
    assert np.array_equal(x, before)


# What a user calls them with


@pytest.mark.parametrize("distance", [tvd, jsd])
def test_distances_of_arrays_of_any_kind(distance):
    wanted = distance(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    assert distance([0.5, 0.5], (0.25, 0.75)) == wanted
    logits = torch.zeros(2, requires_grad=True)
    assert distance(torch.softmax(logits, 0), pd.Series([0.25, 0.75], index=[3, 3])) == wanted
    half = torch.tensor([0.25, 0.75], dtype=torch.bfloat16)
    assert distance(half, half) == 0 and distance([0.5, 0.5], half) == wanted


@pytest.mark.parametrize("distance", [tvd, jsd])
@pytest.mark.parametrize(
    ("p", "q", "said"),
    [
        ([0.5, 0.5], [0.2, 0.3, 0.5], "p has 2 weights and q has 3"),
        ([0.5, 0.5], [1.0], "p has 2 weights and q has 1"),
        ([0.5, 0.6], [0.5, 0.5], "p: the weights sum to 1.1, they must sum to 1"),
        ([0.5, 0.5], [-0.5, 1.5], "q: weight 0 is -0.5; a weight can't be below 0"),
        ([0.5, 0.5], [np.nan, 1], "q: weight 0 is not a number"),
        ([np.inf, 0.5], [0.5, 0.5], "p: weight 0 is infinite"),
        ([[0.5, 0.5], [0.5, 0.6]], [0.5, 0.5], "p[1]: the weights sum to 1.1"),
        (np.full((2, 2), 0.5), np.full((3, 2), 0.5), "can't be paired"),
        (0.5, 0.5, "p: expected weights that sum to 1, there are none"),
        ([], [], "p: expected weights that sum to 1, there are none"),
        ("ab", [0.5, 0.5], "p: expected numbers"),
        ([0.5, 0.5], None, "q: expected numbers, none are given"),
    ],
)
def test_distances_of_what_are_no_distributions(distance, p, q, said):
    with refused(said):
        distance(p, q)


@given(anything, anything)
def test_distances_of_anything_are_in_their_range_or_a_sentence(p, q):
    for distance, most in ((tvd, 1), (jsd, np.log(2))):
        found = told(distance, p, q)
        if isinstance(found, str):
            assert found.endswith(".") and not re.search(r"\bnan\b", found), found
        else:
            assert ((found >= 0) & (found <= most)).all()
