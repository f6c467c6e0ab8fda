"""Oracles of permutation, search and exact optimum: brute force, enumeration, and what must always hold."""

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import dirichlet

import made_up
from heed.errors import HeedError
from heed.evidence import SCHEMA, Evidence, collect
from heed.measures import adversarial, exact, permutation, search
from heed.measures.divergence import jsd, tvd
from heed.models.head import Head

LN2 = np.log(2)
EPSILONS = (0.0, 0.001, 0.01, 0.05, 0.5)


def evidence_of(rows, head=None):
    """Binary (or other) evidence from plain arrays: (attention, values (T, D), shift (D,))."""
    import pyarrow as pa

    head = head or Head("identity", "sigmoid").double()
    table = []
    for n, (a, values, shift) in enumerate(rows):
        values, shift = np.asarray(values, float).reshape(len(a), -1), np.atleast_1d(np.asarray(shift, float))
        table.append(
            {
                "id": f"r{n}",
                "group": f"r{n}",
                "units": [f"w{t}" for t in range(len(a))],
                "real": [True] * len(a),
                "attention": a,
                "values": values.ravel(),
                "shift": shift,
                "allowed": None,
                "label": 0,
                "prediction": head.probs(np.asarray(a) @ values, shift).detach().numpy(),
                "truth": None,
            }
        )
    return Evidence(pa.Table.from_pylist(table, schema=SCHEMA), head.frozen())


def drawn(rng, lengths, scale=1.0):
    """Random binary rows."""
    return [(rng.dirichlet(np.full(T, 0.5)), rng.normal(0, scale, T), rng.normal()) for T in lengths]


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


def test_optimum_does_not_depend_on_batch_padding_or_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    evidence = evidence_of(drawn(rng, [1, 2, 3, 17, 40, 9]))
    whole = adversarial.optima(evidence, 0.01)
    assert adversarial.optima(evidence, 0.01, tokens=1) == whole
    monkeypatch.setattr(exact, "BLOCK", 50)
    assert {k: v.jsd for k, v in adversarial.optima(evidence, 0.01).items()} == {
        k: v.jsd for k, v in whole.items()
    }


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


@pytest.mark.parametrize("setting", [{"epsilon": 0.0}, {"epsilon": 1.0}, {"adversaries": 0}, {"steps": 0}])
def test_a_search_that_cannot_be(setting):
    with pytest.raises(HeedError, match="search"):
        search.Search(**setting)


def test_evidence_that_is_not_finite_is_one_sentence():
    with pytest.raises(HeedError, match="text r0 holds a number that isn't finite"):
        adversarial.optima(evidence_of([(np.array([0.5, 0.5]), [np.nan, 1.0], 0.0)]), 0.01)


# Search


def plain_objective(adversaries, a, changes, how):
    """Equation 1 with the penalty's sign put right, one loop a term."""
    k = len(adversaries)
    value = sum(jsd(x, a) for x in adversaries)
    pairs = [jsd(adversaries[i], adversaries[j]) for i in range(k) for j in range(i + 1, k)]
    if pairs:
        value += np.mean(pairs) if how.mean_pairs else sum(pairs) / (k * (k - 1))
    return value - sum(how.penalty * max(0, change - how.epsilon) for change in changes)


@pytest.mark.parametrize("mean_pairs", [False, True])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_objective_is_the_papers(k, mean_pairs):
    rng = np.random.default_rng(3)
    how = search.Search(adversaries=k, mean_pairs=mean_pairs)
    others, a, changes = rng.dirichlet(np.ones(6), k), rng.dirichlet(np.ones(6)), rng.random(k) / 30
    given = (torch.from_numpy(x)[None] for x in (others, a, changes))
    assert search.objective(*given, how).item() == pytest.approx(plain_objective(others, a, changes, how))


def test_divergence_is_the_jsd_and_has_a_slope_at_zero():
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet(np.full(7, 0.3), 2)
    p[0], q[1] = 0, 0
    p, q = p / p.sum(), q / q.sum()
    x = torch.from_numpy(p).requires_grad_()
    found = search.divergence(x, torch.from_numpy(q))
    found.backward()
    assert found.item() == pytest.approx(jsd(p, q)) and torch.isfinite(x.grad).all()


def test_search_is_never_above_the_optimum_and_its_own_whatever_the_batch():
    rng = np.random.default_rng(5)
    evidence = evidence_of(drawn(rng, [1, 2, 5, 9, 14, 30, 6, 6], scale=2))
    how = search.Search(steps=150)
    together = adversarial.found_by_search(evidence, how, seed=7)
    alone = adversarial.found_by_search(evidence, how, seed=7, tokens=1)
    best = adversarial.optima(evidence, 0.01)
    for row in evidence:
        attention, change, distance = together[row.id]
        np.testing.assert_allclose(attention, alone[row.id][0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(attention.sum(1), 1, atol=1e-12)
        assert (distance <= LN2 + 1e-12).all()
        found, feasible, _ = adversarial.best_found(row, attention, change, distance, 0.01)
        assert found <= best[row.id].jsd + 1e-6
        assert feasible == (change <= 0.01).sum()
    other = adversarial.found_by_search(evidence, how, seed=8)
    assert not np.allclose(other["r4"][0], together["r4"][0])


def test_where_none_is_feasible_the_result_is_zero_and_counted():
    (row,) = evidence_of(drawn(np.random.default_rng(6), [4]))
    adversaries = np.eye(4)[:2]
    found, feasible, attention = adversarial.best_found(row, adversaries, np.ones(2), np.ones(2) * 0.5, 0.01)
    assert (found, feasible) == (0.0, 0) and attention is row.attention


def test_the_table_of_a_binary_model():
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, 64)
    table, best = adversarial.adversarial(evidence, search.Search(steps=60), 0.05, seed=0)
    assert (table["found"] <= table["optimum"] + 1e-6).all() and table["proved"].all()
    assert (table["tvd"] <= 0.05 + 1e-9).all() and list(table["id"]) == case.data.ids == list(best)
    curve = adversarial.curve(evidence)
    assert (curve.groupby("id")["optimum_at"].apply(lambda v: v.is_monotonic_increasing)).all()


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


def test_optima_refuse_other_heads():
    case = made_up.three_classes()
    with pytest.raises(HeedError, match="bracket"):
        adversarial.optima(collect(case.model, case.data, 64), 0.01)


# Permutation


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
