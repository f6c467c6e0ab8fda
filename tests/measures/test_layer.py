"""All heads of a layer together, each number held against loops written from its definition."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from heed.evidence import Row
from heed.measures import layer as kernels
from heed.measures import permutation
from heed.measures.layer import KINDS, Layer, by_word, layers
from heed.models.decoder import Called
from heed.models.head import Head
from made_up import drawn, evidence_of
from refusals import refused

UNITS = ["[CLS]", "not", "una", "##ffa", "##ble", "!", "[SEP]"]
WORD = np.array([-1, 0, 1, 1, 1, 2, -1])


def after(z: np.ndarray) -> np.ndarray:
    """What follows the last attention, by hand: something bent, three classes."""
    return np.tanh(z) @ np.array([[1.0, -2.0, 0.5], [0.3, 1.0, -1.0]]) * 2 + np.array([0.1, 0.0, -0.2])


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def text(seed: int, heads: int = 3, units=UNITS) -> tuple[Layer, np.ndarray, np.ndarray, np.ndarray]:
    """A layer, its attention (heads, T), values (heads, T, D), and what else z is made of."""
    rng, T = np.random.default_rng(seed), len(units)
    a, v, rest = rng.dirichlet(np.full(T, 0.5), heads), rng.normal(size=(heads, T, 2)), rng.normal(size=2)
    z = rest + sum(a[h] @ v[h] for h in range(heads))
    y = softmax(after(z))
    decoder = Called(lambda z: torch.from_numpy(after(z.detach().numpy())), "softmax", 2, 3)
    real = np.array([not unit.startswith("[") for unit in units])
    rows = [
        Row(f"t, head {h}", "t", list(units), real, a[h], v[h], z - a[h] @ v[h], None, -1, y, None,
            decoder)
        for h in range(heads)
    ]  # fmt: skip
    return Layer(rows), a, v, rest


@pytest.mark.parametrize("heads", [1, 3])
def test_the_prediction_under_any_weights(heads):
    layer, a, v, rest = text(0, heads)
    np.testing.assert_allclose(layer.rest, rest, atol=1e-12)
    np.testing.assert_allclose(layer.probs(a), layer.first.prediction, atol=1e-12)
    other = np.random.default_rng(1).dirichlet(np.ones(7), (4, heads))
    for one, said in zip(other, layer.probs(other), strict=True):
        z = rest.copy()
        for h in range(heads):
            for t in range(7):
                z += one[h, t] * v[h, t]
        np.testing.assert_allclose(said, softmax(after(z)), atol=1e-12)
    moved = layer.change(other)
    np.testing.assert_allclose(moved, np.abs(layer.probs(other) - layer.first.prediction).sum(1) / 2)
    assert (layer.flips(other) == (layer.probs(other).argmax(1) != layer.first.prediction.argmax())).all()
    with refused(f"expected {heads} heads' weights on 7 units"):
        layer.probs(a[:, :-1])


def test_shuffled_three_ways():
    """One head's weights; all by the same permutation; each by its own; marks keep theirs."""
    layer, a, v, rest = text(2)
    found = kernels.permuted(layer, 40, seed=3)
    assert found["alone"].shape == (3, 40) and found["same"].shape == found["own"].shape == (40,)
    real = layer.real
    drawn = [permutation.permuted(a[h, real], 40, 3, f"t, head {h}") for h in range(3)]
    orders = permutation.permuted(np.arange(5), 40, 3, "t")

    def moved(weights) -> float:
        z = rest + sum(weights[h] @ v[h] for h in range(3))
        return np.abs(softmax(after(z)) - layer.first.prediction).sum() / 2

    for p in range(40):
        own = a.copy()
        for h in range(3):
            own[h, real] = drawn[h][p]
            one = a.copy()
            one[h, real] = drawn[h][p]
            assert found["alone"][h, p] == pytest.approx(moved(one), abs=1e-12)
        same = a.copy()
        same[:, real] = a[:, real][:, orders[p]]
        assert found["own"][p] == pytest.approx(moved(own), abs=1e-12)
        assert found["same"][p] == pytest.approx(moved(same), abs=1e-12)


def test_one_head_is_shuffled_as_chapter_03_does():
    for row in evidence_of(drawn(np.random.default_rng(4), [5, 1, 8])):
        found = kernels.permuted(Layer([row]), 30, 0)
        for kind in (found["alone"][0], found["same"], found["own"]):
            np.testing.assert_allclose(kind, permutation.changes(row, 30, 0), atol=1e-12)


def test_uniform_and_all_on_one():
    layer, *_ = text(5)
    assert (kernels.uniform(layer) == 1 / 7).all()
    ones = kernels.on_each(layer)
    assert ones.shape == (5, 3, 7) and (ones.sum(2) == 1).all()
    assert [ones[k, 0].argmax() for k in range(5)] == [1, 2, 3, 4, 5]


def test_norms_shares_and_words():
    layer, a, v, _ = text(6)
    for t, norm in enumerate(kernels.norms(layer)):
        assert norm == pytest.approx(np.sqrt(sum(sum(a[h, t] * v[h, t, d] for h in range(3)) ** 2
                                                 for d in range(2))))  # fmt: skip
    shares = kernels.shares(layer)
    expected = np.stack([a[:, 0], a[:, 6], a[:, 5], a[:, 1:5].sum(1)], 1)
    np.testing.assert_allclose(shares, expected, atol=1e-12)
    assert KINDS == ("first mark", "other marks", "punctuation", "words")
    np.testing.assert_allclose(by_word(a, WORD), np.stack([a[:, 1], a[:, 2:5].sum(1), a[:, 5]], 1))
    assert kernels.words_of(layer).tolist() == [-1, 0, 1, 2, 3, 4, -1]
    assert by_word(np.ones(2), np.array([-1, -1])).shape == (0,)


@pytest.mark.parametrize("unit", [".", "##,", "...", "##", "€"])
def test_what_is_punctuation(unit):
    assert kernels.is_punctuation(unit)


@pytest.mark.parametrize("unit", ["##s", "a.", "", "3"])
def test_what_is_none(unit):
    assert not kernels.is_punctuation(unit)


def linear(seed: int, heads: int, n: int) -> Layer:
    """Heads on n units and two marks, decoded by two linear maps: gradients pass."""
    rng, T = np.random.default_rng(seed), n + 2
    a, v, rest = rng.dirichlet(np.full(T, 0.3), heads), rng.normal(0, 3, (heads, T, 2)), rng.normal(size=2)
    torch.manual_seed(seed)
    head = Head("tanh", "softmax", nn.Linear(2, 3).double()).frozen()
    z = rest + np.einsum("ht,htd->d", a, v)
    real = np.ones(T, bool)
    real[[0, -1]] = False
    said = head.probs(z, np.zeros(2)).numpy()
    units = [f"u{t}" for t in range(T)]
    rows = [
        Row(f"t, head {h}", "t", units, real, a[h], v[h], z - a[h] @ v[h], None, -1, said, None, head)
        for h in range(heads)
    ]
    return Layer(rows)


def test_slopes_by_finite_differences():
    layer = linear(7, 2, 4)
    found, d = kernels.slopes(layer), layer.decision
    for h in range(2):
        for t in range(6):
            near = np.stack([layer.attention, layer.attention])
            near[:, h, t] += [1e-6, -1e-6]
            up, down = layer.probs(near)[:, d]
            assert found[h, t] == pytest.approx((up - down) / 2e-6, abs=1e-8)


def erased(layer: Layer, gone: list[int], word: np.ndarray) -> np.ndarray:
    """The weights without these words, renormalised: a loop."""
    found = layer.attention.copy()
    for h in range(len(found)):
        for t in range(found.shape[1]):
            if word[t] in gone:
                found[h, t] = 0
        found[h] /= found[h].sum()
    return found


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 6))
def test_erasing_word_by_word(seed, heads, n):
    """The count is the first step of the order after which the decision is another; one word stays."""
    layer = linear(seed, heads, n)
    rng = np.random.default_rng(seed)
    word = np.r_[-1, np.sort(np.r_[0, rng.integers(0, 2, n - 1)].cumsum()), -1].astype(int)
    words = word.max() + 1
    orders = np.stack([rng.permutation(words) for _ in range(3)])
    for order, count in zip(orders, kernels.until_flip(layer, orders, word), strict=True):
        expected = 0
        for k in range(1, words):
            if layer.probs(erased(layer, order[:k].tolist(), word)).argmax() != layer.decision:
                expected = k
                break
        assert count == expected


@given(st.integers(0, 10_000))
def test_no_order_is_quicker_than_the_smallest_set(seed):
    layer = linear(seed, 2, 5)
    word = kernels.words_of(layer)
    sizes = [
        size
        for size in range(1, 5)
        for gone in combinations(range(5), size)
        if layer.flips(erased(layer, list(gone), word))
    ]
    rng = np.random.default_rng(seed)
    for count in kernels.until_flip(layer, np.stack([rng.permutation(5) for _ in range(4)]), word):
        assert count == 0 or count >= min(sizes)


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 6))
def test_what_always_holds(seed, heads, n):
    layer = linear(seed, heads, n)
    np.testing.assert_allclose(kernels.shares(layer).sum(1), 1)
    assert (kernels.norms(layer) >= 0).all()
    moved = kernels.permuted(layer, 5, seed)
    assert all(((0 <= kind) & (kind <= 1)).all() for kind in moved.values())
    if n == 1:
        assert all((kind < 1e-12).all() for kind in moved.values()), "there is one permutation"
    np.testing.assert_allclose(layer.change(layer.attention), 0, atol=1e-12)


def test_layers_of_evidence():
    one = evidence_of(drawn(np.random.default_rng(8), [3, 5]))
    assert [len(layer.rows) for layer in layers(one)] == [1, 1]
    with refused("rows of one text's heads"):
        Layer([])
    rows = list(one)
    with refused("the rows are of different texts"):
        Layer(rows)
