"""Best and worst orders against all n! of them, and what must hold of a search."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from heed.measures import orders
from heed.measures.orders import all_sets, aopc, beginnings, by_all_sets, by_beam, by_sorting, normalised
from refusals import refused


def table_of(d: np.ndarray) -> orders.Change:
    """d as a function of flags, of one number a set."""
    n = len(d).bit_length() - 1
    return lambda removed: d[removed @ (1 << np.arange(n))]


def by_hand(d: np.ndarray, order) -> float:
    """AOPC as it is written: word after word goes, d is added up."""
    gone, total = 0, 0.0
    for word in order:
        gone += 1 << word
        total += d[gone]
    return total / len(order)


@st.composite
def games(draw, most: int = 5):
    """d of every set of 1 to `most` words, with ties; of none 0."""
    n, seed = draw(st.integers(1, most)), draw(st.integers(0, 2**32 - 1))
    d = np.random.default_rng(seed).normal(size=2**n)
    d = d.round(draw(st.sampled_from([0, 1, 16])))
    return np.append(0.0, d[1:]) + 0.0


@given(games())
def test_bounds_are_those_of_all_orders(d):
    """n! of them, one by one; and the orders that are returned have them. All d may be below 0."""
    n = len(d).bit_length() - 1
    for own in (d, -np.abs(d)):
        every = [by_hand(own, order) for order in permutations(range(n))]
        found = by_all_sets(table_of(own), n)
        assert (found.lowest, found.highest) == (pytest.approx(min(every)), pytest.approx(max(every)))
        assert by_hand(own, found.best) == pytest.approx(max(every))
        assert by_hand(own, found.worst) == pytest.approx(min(every))
        assert found.is_exact and found.how == "all sets"


@given(games(), st.integers(1, 4))
def test_a_beam_lies_within(d, width):
    """Of what there is it finds a part, and its orders have what it says; wide enough, it finds all."""
    n = len(d).bit_length() - 1
    exact, found = by_all_sets(table_of(d), n), by_beam(table_of(d), n, width)
    assert exact.lowest - 1e-12 <= found.lowest <= found.highest + 1e-12 <= exact.highest + 2e-12
    assert by_hand(d, found.best) == pytest.approx(found.highest)
    assert by_hand(d, found.worst) == pytest.approx(found.lowest)
    wide = by_beam(table_of(d), n, 2**n)
    assert (wide.lowest, wide.highest) == (pytest.approx(exact.lowest), pytest.approx(exact.highest))
    assert not wide.is_exact


def test_of_one_set_the_best_order_goes_on():
    """Two words, then two others: the set of the first two is reached twice, at 5 and at 1."""
    d = np.zeros(16)
    d[0b0001], d[0b0010], d[0b0011], d[0b0111] = 5, 1, 1, 2
    d[0b0100] = d[0b1000] = -9
    assert by_beam(table_of(d), 4, 2).highest == pytest.approx((5 + 1 + 2 + 0) / 4)


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_of_an_additive_logit_sorting_is_enough(n, seed):
    """p = σ(sum): exact by sorting, and the best order from its other end is the worst one."""
    rng = np.random.default_rng(seed)
    weights, bias = rng.normal(size=n), rng.normal()
    change = additive(weights, bias)
    found, exact = by_sorting(change, weights), by_all_sets(change, n)
    assert (found.lowest, found.highest) == (pytest.approx(exact.lowest), pytest.approx(exact.highest))
    assert found.is_exact and found.worst.tolist() == found.best[::-1].tolist()
    lows, highs = aopc(change, np.array([found.worst, found.best]))
    assert (lows, highs) == (pytest.approx(found.lowest), pytest.approx(found.highest))


def additive(weights: np.ndarray, bias: float) -> orders.Change:
    whole = expit(weights.sum() + bias)
    return lambda removed: whole - expit((~removed) @ weights + bias)


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_where_p_is_additive_an_order_and_its_reverse_share_1(n, seed):
    """d(S) = the sum of S's weights: NAOPC(π) + NAOPC(π reversed) = 1, and all orders' mean is ½."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=n)
    bounds = by_all_sets(lambda removed: removed @ weights, n)
    every = np.array([*permutations(range(n))])
    found = normalised(aopc(lambda removed: removed @ weights, every), bounds)
    other = normalised(aopc(lambda removed: removed @ weights, every[:, ::-1]), bounds)
    np.testing.assert_allclose(found + other, 1, atol=1e-9)
    assert found.mean() == pytest.approx(0.5) and found.min() == 0 and found.max() == 1


def test_sets_and_beginnings_by_hand():
    assert all_sets(2).tolist() == [[False, False], [True, False], [False, True], [True, True]]
    assert all_sets(0).shape == (1, 0)
    found = beginnings(np.array([[2, 0, 1]]))[0]
    assert [np.flatnonzero(own).tolist() for own in found] == [[2], [0, 2], [0, 1, 2]]


def test_a_search_takes_in_what_others_found():
    """Orders that are better, or worse, than what it found widen its bounds; exact ones stay."""
    found = orders.Bounds(0.2, 0.5, np.array([1, 0]), np.array([0, 1]), "beam")
    tried, values = np.array([[0, 1], [1, 0]]), np.array([0.1, 0.7])
    wide = found.widened(values, tried)
    assert (wide.lowest, wide.highest) == (0.1, 0.7)
    assert wide.best.tolist() == [1, 0] and wide.worst.tolist() == [0, 1]
    exact = orders.Bounds(0.2, 0.5, np.array([1, 0]), np.array([0, 1]), "all sets")
    assert exact.widened(values, tried) is exact and found.widened(values[:0], tried[:0]) is found


def test_where_all_orders_are_alike_nothing_is_normalised():
    bounds = by_all_sets(lambda removed: removed.any(1) * 0.25, 1)
    assert bounds.lowest == bounds.highest == 0.25
    assert np.isnan(normalised(np.array([0.25]), bounds)).all()


def test_a_beam_that_keeps_nothing():
    with refused("beam", "width of 0", "beam_width"):
        by_beam(lambda removed: removed.sum(1), 3, 0)
