"""The exact optimum and its bracket: brute force, enumeration, and what must always hold."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import dirichlet

import made_up
from heed.errors import HeedError
from heed.evidence import Row, collect
from heed.measures import exact
from heed.measures.divergence import jsd, tvd
from heed.models.head import Head
from made_up import asked_row, drawn, evidence_of
from refusals import refused

LN2 = np.log(2)
EPSILONS = (0.0, 0.001, 0.01, 0.05, 0.5)


def brute_force(a, r, b, epsilon):
    """All vertices of the simplex cut by the slab, one after the other, straight from MATH: two loops."""
    y = expit(a @ r + b)
    best = 0.0
    candidates = list(np.eye(len(a)))
    for target in (max(y - epsilon, 0), min(y + epsilon, 1)):
        if not 0 < target < 1:
            continue
        s = np.log(target / (1 - target)) - b
        for i in range(len(a)):
            for j in range(len(a)):
                if r[i] < s < r[j]:
                    w = np.zeros(len(a))
                    w[i], w[j] = (r[j] - s) / (r[j] - r[i]), (s - r[i]) / (r[j] - r[i])
                    candidates.append(w)
    for w in candidates:
        if abs(expit(w @ r + b) - y) <= epsilon + 1e-12:
            m = (w + a) / 2
            terms = [x * np.log(x / n) for p in (w, a) for x, n in zip(p, m, strict=True) if x > 0]
            best = max(best, 0.5 * sum(terms))
    return best


def solve(a, r, b, epsilon):
    z = np.array([a @ r + b])
    value, i, j, weight = exact.binary(a[None], np.asarray(r, float)[None], z, epsilon)[0]
    return exact.Vertex(float(value), int(i), int(j), float(weight))


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.05, 0.5])
def test_optimum_is_the_brute_force_one(epsilon):
    rng = np.random.default_rng(1)
    for T in range(1, 13):
        for scale in (0.1, 1, 8):
            ((a, r, b),) = drawn(rng, [T], scale)
            assert solve(a, r, b, epsilon).jsd == pytest.approx(brute_force(a, r, b, epsilon), abs=1e-10)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(EPSILONS[1:]))
def test_optimum_where_attention_is_exactly_zero(seed, T, epsilon):
    """Of sparse attention, one-hot too: a word without weight is as good a corner as any."""
    rng = np.random.default_rng(seed)
    ((a, r, b),) = drawn(rng, [T])
    a[rng.permutation(T)[: rng.integers(1, T)]] = 0
    a /= a.sum()
    best = solve(a, r, b, epsilon)
    assert best.jsd == pytest.approx(brute_force(a, r, b, epsilon), abs=1e-10)
    assert best.jsd == pytest.approx(jsd(best.attention(T), a), abs=1e-12)
    two = np.stack([np.zeros(T), r], axis=1)
    (row,) = evidence_of([(a, two, [0.0, b])], Head("identity", "softmax").double())
    bracket = exact.bracket(row, epsilon)
    assert bracket.lower <= bracket.upper + 1e-9
    assert bracket.upper == pytest.approx(best.jsd, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.sampled_from(EPSILONS), st.sampled_from([0.1, 1, 10, 60]))
def test_optimum_is_feasible_certified_and_never_beaten(seed, T, epsilon, scale):
    rng = np.random.default_rng(seed)
    ((a, r, b),) = drawn(rng, [T], scale)
    best = solve(a, r, b, epsilon)
    attention = best.attention(T)
    assert np.count_nonzero(attention) <= 2 and attention.sum() == pytest.approx(1, abs=1e-12)
    assert (attention >= 0).all() and 0 <= best.jsd <= LN2 + 1e-12
    assert best.jsd == pytest.approx(jsd(attention, a), abs=1e-12)  # the certificate
    assert abs(expit(attention @ r + b) - expit(a @ r + b)) <= epsilon + 1e-12
    others = np.vstack(
        [dirichlet.rvs(np.full(T, 0.4), 500, random_state=rng) if T > 1 else np.ones((1, 1)), a]
    )
    feasible = np.abs(expit(others @ r + b) - expit(a @ r + b)) <= epsilon + 1e-14  # a itself, at ε = 0
    assert jsd(others[feasible], a).max() <= best.jsd + 1e-9


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12))
def test_optimum_follows_the_tokens_and_grows_with_epsilon(seed, T):
    rng = np.random.default_rng(seed)
    ((a, r, b),) = drawn(rng, [T])
    order = rng.permutation(T)
    found = [solve(a, r, b, e).jsd for e in EPSILONS]
    assert found == sorted(found)
    for epsilon, value in zip(EPSILONS, found, strict=True):
        assert solve(a[order], r[order], b, epsilon).jsd == pytest.approx(value, abs=1e-9)


def test_degenerate_rows_have_an_answer():
    one = np.array([1.0])
    assert solve(one, np.array([3.0]), 0.0, 0.01).jsd == 0  # T = 1: there is no other attention
    uniform, peaked = np.full(5, 0.2), np.eye(5)[2]
    same = np.full(5, 1.7)
    for a in (uniform, peaked):  # all values equal: every attention keeps the prediction
        best = solve(a, same, 0.3, 0.0)
        assert best.jsd == pytest.approx(jsd(np.eye(5)[0], a), abs=1e-12)
    assert solve(peaked, same, 0.3, 0.0).jsd == pytest.approx(LN2)
    for b in (40.0, -40.0):  # saturated: within ε of 0 or 1, whatever the attention
        best = solve(uniform, np.linspace(-1, 1, 5), b, 0.01)
        assert best.jsd == pytest.approx(jsd(peaked, uniform), abs=1e-12)


@pytest.mark.parametrize("epsilon", [-0.01, 1.0, 2.0, float("nan")])
def test_an_epsilon_that_cannot_be(epsilon):
    with pytest.raises(HeedError, match="epsilon"):
        exact.slab(np.zeros(1), epsilon)


# Other heads: the bracket


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.4])
@pytest.mark.parametrize(
    "make", [made_up.three_classes, made_up.asking], ids=["three classes", "tanh and query"]
)
def test_bracket_of_heads_that_are_not_one_linear_logit(make, epsilon):
    rng = np.random.default_rng(8)
    case = make()
    for row in collect(case.model, case.data, 64):
        T = len(row.attention)
        bracket = exact.bracket(row, epsilon)
        assert 0 <= bracket.lower <= bracket.upper + 1e-9
        if bracket.vertex is not None:
            attention = bracket.vertex.attention(T)
            assert bracket.lower == pytest.approx(jsd(attention, row.attention), abs=1e-9)
            assert tvd(row.probs(attention), row.prediction) <= epsilon + 1e-9
        others = rng.dirichlet(np.full(T, 0.3), 400) if T > 1 else np.ones((1, 1))
        feasible = tvd(row.probs(others), row.prediction) <= epsilon
        if feasible.any():
            assert jsd(others[feasible], row.attention).max() <= bracket.upper + 1e-9


def test_bracket_meets_the_exact_optimum_of_two_classes():
    """A softmax over two logits is a sigmoid of their difference: both ends are the exact optimum."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        ((a, r, b),) = drawn(rng, [6])
        two = np.stack([np.zeros(6), r], axis=1)
        (row,) = evidence_of([(a, two, [0.0, b])], Head("identity", "softmax").double())
        bracket = exact.bracket(row, 0.05)
        assert bracket.upper == pytest.approx(solve(a, r, b, 0.05).jsd, abs=1e-9)
        assert bracket.vertex.jsd == pytest.approx(bracket.upper, abs=1e-6)


def every_pair(row: Row, epsilon: float, most: int) -> float | None:
    """The furthest of one-hots and of pairs of the `most` tokens with the least attention, one after another.

    The plain form of the bracket's lower end: 33 weights a pair, and each change between two is bisected.
    """
    T = len(row.attention)
    kept = np.argsort(row.attention, kind="stable")[:most]

    def feasible(attention: np.ndarray) -> bool:
        return bool(tvd(row.probs(attention[None]), row.prediction)[0] <= epsilon + exact.TOLERANCE)

    def pair(i: int, j: int, w: float) -> np.ndarray:
        return w * np.eye(T)[i] + (1 - w) * np.eye(T)[j]

    found = [one for one in np.eye(T) if feasible(one)]
    for i, j in itertools.combinations(kept, 2):
        grid = np.linspace(0, 1, 33)
        good = [feasible(pair(i, j, w)) for w in grid]
        found += [pair(i, j, w) for w, is_good in zip(grid, good, strict=True) if is_good]
        for k in range(32):
            if good[k] != good[k + 1]:
                inside, outside = (grid[k], grid[k + 1]) if good[k] else (grid[k + 1], grid[k])
                for _ in range(50):
                    middle = (inside + outside) / 2
                    inside, outside = (middle, outside) if feasible(pair(i, j, middle)) else (inside, middle)
                found.append(pair(i, j, inside))
    return max((float(jsd(one, row.attention)) for one in found), default=None)


@pytest.mark.parametrize("at_once", [40, 400, 200_000], ids=["very few", "few", "all at once"])
@pytest.mark.parametrize("epsilon", [0.001, 0.03, 0.2])
def test_what_cannot_be_further_need_not_be_asked(epsilon, at_once, monkeypatch):
    """Whether everything is asked at once, or only what may still be further: the furthest is the same."""
    monkeypatch.setattr(exact, "BLOCK", at_once)
    for seed in range(4):
        row = asked_row(seed, 7)
        found = exact.bracket(row, epsilon, 3)
        plain = every_pair(row, epsilon, 3)
        assert (found.vertex is None) == (plain is None)
        assert found.lower == pytest.approx(plain or 0.0, abs=1e-12)


def simplex(steps: int) -> np.ndarray:
    """A grid of attentions on three tokens."""
    grid = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    return np.array(grid) / steps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.3])
def test_the_bracket_holds_what_brute_force_finds(seed, epsilon):
    row = asked_row(seed, 3)
    bracket = exact.bracket(row, epsilon)
    grid = simplex(160)
    kept = tvd(row.probs(grid), row.prediction) <= epsilon
    best = jsd(grid[kept], row.attention).max() if kept.any() else 0
    assert best <= bracket.upper + 1e-12
    # Here the line search on two tokens misses no feasible interval, so that no grid point beats it.
    edge = kept & (grid == 0).any(1)
    if edge.any():
        assert bracket.lower >= jsd(grid[edge], row.attention).max() - 1e-12
    if bracket.vertex:
        there = bracket.vertex.attention(3)
        assert tvd(row.probs(there), row.prediction) <= epsilon + 1e-9
        assert jsd(there, row.attention) == pytest.approx(bracket.lower, abs=1e-9)
    one = np.eye(3)[jsd(np.eye(3), row.attention).argmax()]
    assert bracket.proved == (
        tvd(row.probs(one), row.prediction) <= epsilon or bracket.upper - bracket.lower <= 1e-9
    )


@given(seed=st.integers(0, 10**6), length=st.integers(1, 12), epsilon=st.sampled_from([0.0, 0.01, 0.05, 0.4]))
def test_the_bracket_is_one(seed, length, epsilon):
    bracket = exact.bracket(asked_row(seed, length, answers=4, width=3), epsilon)
    assert 0 <= bracket.lower <= bracket.upper + 1e-12 <= np.log(2) + 1e-9
    row = asked_row(seed, length, answers=4, width=3)
    alone = np.eye(length)[tvd(row.probs(np.eye(length)), row.prediction) <= epsilon]
    assert bracket.lower >= max(jsd(alone, row.attention), default=0) - 1e-12


def test_a_long_text_tries_every_word_alone():
    """Beyond the 64 least attended tokens no pair is tried, but every one-hot is."""
    length, width = 80, 1
    head = Head("tanh", "softmax", torch.nn.Linear(width, 2, dtype=torch.float64))
    with torch.no_grad():
        head.out.weight.copy_(torch.tensor([[3.0], [-3.0]]))
        head.out.bias.zero_()
    a = np.linspace(1, 2, length)
    a /= a.sum()
    u = np.full((length, 1), 5.0)
    u[-1] = (a @ u)[0]  # the token with most attention alone keeps the prediction: it is what the others miss
    u[:-1] += 4
    shift = np.array([-(a @ u)[0] + 0.2])
    u[-1] = (a[:-1] @ u[:-1])[0] / (1 - a[-1])
    u[:-1, 0] += np.where(np.arange(length - 1) % 2, 3, 30)
    u[-1] = (a[:-1] @ u[:-1])[0] / (1 - a[-1])
    shift = np.array([0.2]) - a @ u
    y = head.frozen().probs(a @ u, shift).numpy()
    row = Row("long", "", [""] * length, np.ones(length, bool), a, u, shift, None, 0, y, None, head.frozen())
    alone = tvd(row.probs(np.eye(length)), row.prediction)
    assert alone[-1] <= 0.01 and (alone[:-1] > 0.01).all()
    found = exact.bracket(row, 0.01)
    assert found.lower >= jsd(np.eye(length)[-1], a) - 1e-12
    single = exact._lower(row, 0.01, 1)
    assert (single.i, single.j) == (length - 1, length - 1)


def test_epsilon_of_a_bracket_must_be_one():
    with pytest.raises(HeedError, match="epsilon"):
        exact.bracket(asked_row(0, 3), 1.0)


# What a user calls it with


def test_an_optimum_of_own_arrays():
    row = Row.of(["not", "so", "bad"], [0.5, 0.25, 0.25], [1.0, 0.0, -2.0], Head("identity", "sigmoid"))
    found = exact.optimum(row, np.float32(0.01))
    assert 0 < found.jsd <= np.log(2)
    assert exact.optimum(row, torch.tensor(0.01)).jsd == exact.optimum(row, 0.01).jsd


@pytest.mark.parametrize("epsilon", [-0.1, 1, 1.5, np.nan, np.inf, None, "0.01", [0.01, 0.02]])
def test_an_epsilon_of_any_kind_that_cannot_be(epsilon):
    row = asked_row(0, 4)
    for measure in (exact.optimum, exact.bracket):
        with refused("epsilon"):
            measure(row, epsilon)


@pytest.mark.parametrize("row", [None, [0.5, 0.5], np.ones(2) / 2, "row"])
def test_an_optimum_of_what_is_no_row(row):
    for measure in (exact.optimum, exact.bracket):
        with refused("expected a row of evidence", "heed.Row.of(tokens, attention, values, head)"):
            measure(row, 0.01)
