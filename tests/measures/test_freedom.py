"""Freedom: corners against brute force, dimension by rank, and what stays as it is."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from heed.evidence import Row
from heed.measures.divergence import jsd
from heed.measures.freedom import freedom
from heed.models.head import Head
from refusals import refused


def row(seed: int, T: int, D: int) -> Row:
    """A row of drawn values, decoded by a layer with a tanh."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    head = Head("tanh", "softmax", nn.Linear(D, 2, dtype=torch.float64))
    return Row.of([f"w{t}" for t in range(T)], rng.dirichlet(np.ones(T)), rng.normal(size=(T, D)), head)


def corners(one: Row) -> list[np.ndarray]:
    """All corners of the polytope: at one no more weights are above 0 than there are equations."""
    T = len(one.units)
    equations = np.concatenate([one.values.T, np.ones((1, T))])
    sums = equations @ one.attention
    found = []
    for chosen in combinations(range(T), np.linalg.matrix_rank(equations)):
        weights, *_ = np.linalg.lstsq(equations[:, chosen], sums, rcond=None)
        a = np.zeros(T)
        a[list(chosen)] = weights
        if (a >= -1e-9).all() and np.abs(equations @ a - sums).max() < 1e-9:
            found.append(np.maximum(a, 0))
    return found


@given(seed=st.integers(0, 10**6), T=st.integers(2, 8), D=st.integers(1, 4))
@settings(max_examples=60)
def test_the_furthest_corner_is_what_brute_force_finds(seed, T, D):
    one = row(seed, T, D)
    found = freedom(one, starts=30)
    assert found.dimension == max(T - 1 - D, 0)
    every = [float(jsd(corner, one.attention)) for corner in corners(one)]
    assert found.jsd[0] <= max(every, default=0) + 1e-9
    assert found.jsd[0] >= max(every, default=0) - 1e-6
    assert found.moved < 1e-9 and abs(found.attention.sum() - 1) < 1e-9 and found.attention.min() >= 0
    np.testing.assert_allclose(one.probs(found.attention[0]), one.prediction, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_both_ends_of_a_line_are_tried(seed):
    """With one direction there are two corners, and the further one is found by a single start."""
    one = row(seed, 4, 2)
    furthest = max(float(jsd(corner, one.attention)) for corner in corners(one))
    assert freedom(one, starts=1).dimension == 1
    assert freedom(one, starts=1).jsd[0] == pytest.approx(furthest, abs=1e-9)
    assert freedom(one, starts=0).jsd[0] == 0


def test_values_that_repeat_are_free():
    """Two units of one value can share as they like, however few there are."""
    one = row(0, 3, 4)
    values = one.values.copy()
    values[2] = values[1]
    found = freedom(
        replace(one, values=values, prediction=one.head.probs(one.attention @ values, one.shift).numpy())
    )
    assert found.dimension == 1 and found.rank == 1
    ends = [one.attention + [0, one.attention[2], -one.attention[2]]]
    ends.append(one.attention + [0, -one.attention[1], one.attention[1]])
    assert found.jsd[0] == pytest.approx(max(float(jsd(end, one.attention)) for end in ends), abs=1e-9)


def test_heads_together_are_freer_than_each_alone():
    """Three heads of six units in four dimensions: 3 · 5 - 4; one alone has 5 - 4."""
    heads = [row(seed, 6, 4) for seed in range(3)]
    together, alone = freedom(heads), freedom(heads[0])
    assert (together.dimension, alone.dimension) == (11, 1) and together.attention.shape == (3, 6)
    assert together.jsd.sum() > alone.jsd.sum() and together.moved < 1e-9
    made = sum(a @ one.values for a, one in zip(together.attention, heads, strict=True))
    np.testing.assert_allclose(made, sum(one.attention @ one.values for one in heads), atol=1e-9)


def test_what_is_no_text():
    one = row(0, 3, 1)
    for given_rows in ([], [one, "x"], "x"):
        with refused("takes a row of evidence, or the rows of one text's heads"):
            freedom(given_rows)
    with refused("the rows are of different texts"):
        freedom([one, replace(one, group="other")])
