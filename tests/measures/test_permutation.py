"""Permutation: moments by enumeration, draws, the median."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import expit

from heed.evidence import Evidence
from heed.measures import permutation
from made_up import drawn, evidence_of


@pytest.mark.parametrize("T", range(1, 8))
def test_moments_are_those_of_all_permutations(T):
    rng = np.random.default_rng(T)
    a, r = rng.dirichlet(np.full(T, 0.5)), rng.normal(size=T)
    sums = np.array([np.array(p) @ r for p in permutations(a)])
    found = permutation.moments(a, r)
    assert found["mean"] == pytest.approx(sums.mean(), abs=1e-12)
    assert found["variance"] == pytest.approx(sums.var(), abs=1e-12)
    assert found["square"] == pytest.approx(((sums - a @ r) ** 2).mean(), abs=1e-12)


def test_moments_without_a_direction():
    for a, r in (
        (np.full(4, 0.25), np.arange(4.0)),
        (np.eye(4)[0], np.full(4, 2.0)),
        (np.ones(1), np.ones(1)),
    ):
        found = permutation.moments(a, r)
        assert np.isnan(found["alignment"]) and found["square"] == pytest.approx(0, abs=1e-24)


def test_draws_are_permutations_and_agree_with_the_moments():
    rng = np.random.default_rng(10)
    a, r = rng.dirichlet(np.full(9, 0.4)), rng.normal(size=9)
    draws = permutation.permuted(a, 20_000, 0, "x")
    assert (np.sort(draws, axis=1) == np.sort(a)).all()
    found, sums = permutation.moments(a, r), draws @ r
    error = np.sqrt(found["variance"] / len(sums))
    assert abs(sums.mean() - found["mean"]) < 5 * error
    assert sums.var() == pytest.approx(found["variance"], rel=0.05)


def test_draws_are_an_instances_own():
    evidence = evidence_of(drawn(np.random.default_rng(11), [3, 8, 8, 1]))
    table = permutation.permutation(evidence, 100, seed=0)
    alone = permutation.permutation(Evidence(evidence.table.slice(2, 1), evidence.head), 100, seed=0)
    assert table["median_change"][2] == alone["median_change"][0]
    assert table["median_change"][3] == 0  # T = 1
    other = permutation.permutation(evidence, 100, seed=1)
    assert other["median_change"][1] != table["median_change"][1]


def test_median_is_the_plain_algorithms():
    """Algorithm 2 with a loop and the very draws."""
    (row,) = evidence_of(drawn(np.random.default_rng(12), [7]))
    changes = []
    for a in permutation.permuted(row.attention, 100, 5, row.id):
        y = expit(sum(w * v for w, v in zip(a, row.values[:, 0], strict=True)) + row.shift[0])
        changes.append(abs(y - row.prediction[1]))
    assert np.median(permutation.changes(row, 100, 5)) == pytest.approx(np.median(changes), abs=1e-15)


def test_texts_of_one_length_are_permuted_apart():
    """The same attention under two ids: other draws, and so another median of a few."""
    a, r = np.array([0.4, 0.3, 0.15, 0.1, 0.05]), np.array([3.0, -1.0, 0.5, -2.0, 1.0])
    evidence = evidence_of([(a, r, 0.2), (a, r, 0.2)])
    one, other = (permutation.draws(row, 20, seed=0) for row in evidence)
    assert (one != other).any(1).mean() > 0.5
    table = permutation.permutation(evidence, 5, seed=0)
    assert table["median_change"][0] != table["median_change"][1]


def test_the_median_by_hand_is_not_the_mean():
    """All weight on the one word that says something: of four places, three change σ(4) to σ(0)."""
    (row,) = evidence = evidence_of([(np.eye(4)[0], [4.0, 0.0, 0.0, 0.0], 0.0)])
    changes = permutation.changes(row, 100, seed=0)
    moved = expit(4) - 0.5
    assert set(np.round(changes, 12)) == {0.0, round(moved, 12)} and changes.mean() < 0.9 * moved
    table = permutation.permutation(evidence, 100, seed=0)
    assert table["median_change"][0] == pytest.approx(moved, abs=1e-12)
