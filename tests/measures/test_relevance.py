"""Relevance, the agreement A, influence, and the two-text theory."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import gradients
from heed.measures import relevance as measures_relevance
from heed.measures.leave_one_out import leave_one_out
from heed.models.attended import forward
from twins import match_by_hand

CASES = [made_up.classifier("bilstm", "additive"), made_up.classifier("average", "dot", attend_markers=True)]
CASES += [made_up.classifier("cnn", "additive", classes=3), made_up.asking()]
WEIGHTS = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=1, max_size=60)


# Agreement


@given(WEIGHTS, st.randoms(use_true_random=False))
def test_agreement_is_the_definition(u, random):
    v = [round(random.uniform(-1, 1), 2) for _ in u]
    assert measures_relevance.agreement(np.array(u), np.array(v)) == match_by_hand(u, v)


@given(WEIGHTS)
def test_everything_agrees_with_itself_and_with_a_flat_ranking(u):
    u = np.array(u)
    assert measures_relevance.agreement(u, u) == 1 == measures_relevance.agreement(u, np.zeros(len(u)))
    assert measures_relevance.agreement(u, 3 * u + 1) == 1


@given(st.integers(2, 60), st.integers(0, 5))
def test_agreement_by_chance(length, seed):
    """Over all places of the top, exactly ⌈.05 n⌉ / n; so is the mean of many random orders."""
    rng = np.random.default_rng(seed)
    v = rng.permutation(length).astype(float)
    places = [measures_relevance.agreement(np.eye(length)[i], v) for i in range(length)]
    assert np.isclose(np.mean(places), measures_relevance.chance(length))
    assert measures_relevance.chance(length) == -(-length // 20) / length


def test_agreement_is_not_symmetric():
    u, v = np.array([3.0, 2, 2, 1]), np.array([2.0, 2, 1, 0])
    assert measures_relevance.agreement(u, v) == 1
    assert measures_relevance.agreement(v, u) == 0.5


@pytest.mark.parametrize(
    ("u", "v"), [([1.0], [1.0, 2]), ([], []), ([[1.0]], [[1.0]]), ([1.0, np.nan], [1.0, 2])]
)
def test_agreement_of_what_is_no_pair(u, v):
    with pytest.raises(HeedError, match="two rankings of the same text"):
        measures_relevance.agreement(np.array(u), np.array(v))


# Relevance and influence


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_relevance_is_what_the_model_says_of_one_unit(case):
    """By a forward pass with all attention on it; labels both ways."""
    evidence = collect(case.model, case.data, 50)
    for i, row in enumerate(evidence):
        found = measures_relevance.relevance(row)
        batch = case.data.batch([i])
        marked = case.model.attend_markers
        for t in range(len(found)):
            attention = torch.zeros(batch.codes.shape, dtype=torch.float64)
            attention[0, t if marked else t + 1] = 1
            logits = forward(case.model, batch, attention=attention).logits[0].detach().numpy()
            if len(logits) == 1:
                expected = logits[0] if row.label else -logits[0]
            else:
                expected = logits[row.label] - logits[np.isfinite(logits)].mean()
            assert np.isclose(found[t], expected)


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: case.name)
def test_attention_times_relevance_is_the_logit(case):
    for row in collect(case.model, case.data, 50):
        p = row.prediction
        if len(p) == 2:
            whole = np.log(p[row.label] / p[1 - row.label])
        else:
            whole = np.log(p[row.label]) - np.log(p).mean()
        assert np.isclose(row.attention @ measures_relevance.relevance(row), whole)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_dropped_is_the_gold_labels_probability(case):
    """Against the model on each shortened text, written out."""
    evidence = collect(case.model, case.data, 50)
    found = measures_relevance.dropped(evidence, leave_one_out(case.model, case.data, 50))
    for i, row in enumerate(evidence):
        batch = case.data.batch([i])
        for t in range(int(row.real.sum())):
            kept = torch.cat([batch.codes[:, : t + 1], batch.codes[:, t + 2 :]], 1)
            shorter = type(batch)(
                batch.ids, kept, batch.lengths - 1, batch.labels, batch.query, batch.allowed
            )
            without = case.model.head.from_logits(forward(case.model, shorter).logits)[0, row.label]
            assert np.isclose(found[row.id][t], row.prediction[row.label] - without.item())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_gate_is_a_slope(case):
    """Against a difference quotient: each token's embedding times 1 ± h, everything live."""
    found = gradients.gradients(case.model, case.data, 50, of="loglik", wrt="gate", attention="live")
    h = 1e-5
    for i, name in enumerate(case.data.ids[:4]):
        batch = case.data.batch([i])
        embedded, label = case.model.embed(batch).detach(), int(batch.labels[0])
        for t in range(len(found[name])):
            said = []
            for gate in (1 - h, 1 + h):
                gated = embedded.clone()
                gated[0, t + 1] *= gate
                logits = forward(case.model, batch, embedded=gated).logits
                said.append(case.model.head.log_from_logits(logits)[0, label].item())
            assert np.isclose(found[name][t], (said[1] - said[0]) / (2 * h), atol=1e-6)


# Theory


START = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-2, 2))


@given(START, st.lists(st.floats(0, 2), min_size=1, max_size=5, unique=True))
def test_closed_form_is_the_flow(start, times):
    times = np.sort(times)
    if (np.diff(times) < 1e-6).any():
        return
    found, exact = measures_relevance.flow(times, start), measures_relevance.closed(times, start)
    assert np.allclose(found, exact, rtol=1e-6, atol=1e-6)


def test_small_steps_are_the_flow():
    """Plain gradient descent on p (r_0 - r_1), written out."""
    low, high, p, rate = 0.0, 0.0, 0.5, 1e-5
    for _ in range(round(0.8 / rate)):
        low, high, p = low - rate * p, high + rate * p, p + rate * (high - low)
    assert np.allclose(measures_relevance.flow([0.8], (0, 0, 0.5))[:, 0], [low, high, p], atol=1e-4)


def test_relevance_moves_first():
    """From p = 1/2 and no relevance: D starts at slope 1, p at slope 0; p is 1 at 0.931, where D is 1.225."""
    low, high, p = measures_relevance.closed([0, 1e-4, 0.931], (0, 0, 0.5))
    assert (high - low)[1] == pytest.approx(1e-4, rel=1e-3) and p[1] - 0.5 < 1e-7
    assert p[2] == pytest.approx(1, abs=1e-3) and (high - low)[2] == pytest.approx(1.225, abs=1e-3)


def test_a_bad_start_loses_the_token():
    """r = (10, -10): p falls at once, reaches 0 near 0.025 and runs on; a sigmoid stays between 0 and 1."""
    times = np.linspace(0, 1, 201)
    plain, bounded = (measures_relevance.flow(times, (10, -10, 0.5), b)[2] for b in (False, True))
    assert measures_relevance.closed([0.025], (10, -10, 0.5))[2, 0] == pytest.approx(0, abs=2e-3)
    assert plain.min() < -10 and 0 < bounded.min() and bounded.max() <= 0.5
    low, high, z, rate = 10.0, -10.0, 0.0, 1e-5
    for _ in range(round(1 / rate)):  # gradient descent on σ(z) (r_0 - r_1), written out
        p = 1 / (1 + math.exp(-z))
        low, high, z = low - rate * p, high + rate * p, z + rate * (high - low) * p * (1 - p)
    assert bounded[-1] == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-4)


@given(START, st.floats(0.01, 0.99))
def test_a_sigmoid_keeps_attention_in_bounds(start, p):
    found = measures_relevance.flow(np.linspace(0, 3, 20), (*start[:2], p), True)
    assert (found[2] > 0).all() and (found[2] <= 1).all() and np.allclose(found[0] + found[1], sum(start[:2]))


@pytest.mark.parametrize(
    ("times", "start", "bounded"),
    [
        ([], (0, 0, 0.5), False),
        ([1, 0], (0, 0, 0.5), False),
        ([-1, 0], (0, 0, 0.5), False),
        ([1], (0, 0.5), False),
        ([1], (0, 0, 1.0), True),
        ([1], (0, 0, 0.0), True),
    ],
)
def test_a_flow_that_cannot_be(times, start, bounded):
    with pytest.raises(HeedError, match="flow"):
        measures_relevance.flow(times, start, bounded)
