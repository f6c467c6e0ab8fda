"""The adversary's objective by hand, its divergence and its slope."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed.evidence import collect
from heed.models import trained_adversary, training
from heed.models.attended import attended_to, forward
from heed.params import Params

CASES = [made_up.classifier("bilstm", "additive"), made_up.classifier("bilstm", "additive", classes=3)]
CASES += [made_up.classifier("average", "dot", attend_markers=True), made_up.asking()]


def targets(case, seed=0, zero=False):
    """Attention and predictions of nobody, by id; with `zero` a weight underflowed."""
    rng, attention, predictions = np.random.default_rng(seed), {}, {}
    for batch in case.data.by_budget(1):
        (name,) = batch.ids
        a = rng.dirichlet(np.ones(int(attended_to(case.model, batch).sum())))
        if zero and len(a) > 1:
            a[0] = 0.0
        attention[name] = a
        classes = forward(case.model, batch).logits.shape[1]
        predictions[name] = rng.dirichlet(np.ones(max(classes, 2)))
    return attention, predictions


def loss_by_hand(case, attention, predictions, weight, halved=False, reversed_=False):
    """Σ over texts of c |p - q|_1 - λ Σ a ln(a / b): loops over texts and units."""
    total = 0.0
    for row in collect(case.model, case.data, 50):
        change = sum(abs(p - q) for p, q in zip(row.prediction, predictions[row.id], strict=True))
        first, second = row.attention, attention[row.id]
        if reversed_:
            first, second = second, first
        away = sum(
            a * (np.log(a) - np.log(max(b, 1e-12))) for a, b in zip(first, second, strict=True) if a > 0
        )
        total += change / (4 if halved else 2) - weight * away
    return total


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("halved", [False, True])
@pytest.mark.parametrize("reversed_", [False, True])
@pytest.mark.parametrize("zero", [False, True])
def test_the_objective_by_hand(case, halved, reversed_, zero):
    given_, weight = targets(case, zero=zero), 0.03
    loss = trained_adversary.objective(*given_, weight, halved, reversed_)
    batch = case.data.batch(range(len(case.data)))
    found = loss(case.model, forward(case.model, batch), batch).item()
    assert found == pytest.approx(loss_by_hand(case, *given_, weight, halved, reversed_), abs=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_the_objective_is_a_sum_over_texts(case):
    """Whatever shares the batch, and however far it is padded."""
    loss = trained_adversary.objective(*targets(case), 0.03)
    whole = training.mean_loss(case.model, case.data, loss, 10_000)
    assert training.mean_loss(case.model, case.data, loss, 1) == pytest.approx(whole, abs=1e-12)


def test_the_halved_objective_with_half_of_lambda_is_half():
    """Two conventions, one trade-off: a published λ counts double with the true TVD."""
    case, given_ = CASES[0], targets(CASES[0])
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch)
    true = trained_adversary.objective(*given_, 0.002)(case.model, output, batch).item()
    halved = trained_adversary.objective(*given_, 0.001, halved=True)(case.model, output, batch).item()
    assert halved == pytest.approx(true / 2, abs=1e-14)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_kl_is_scipys(size, seed):
    from scipy.special import rel_entr

    p, q = np.random.default_rng(seed).dirichlet(np.ones(size), 2)
    q = np.maximum(q, 1e-9)
    found = trained_adversary.divergence(torch.as_tensor(p), torch.as_tensor(q))
    assert found.item() == pytest.approx(rel_entr(p, q).sum(), abs=1e-9)


def test_kl_at_the_edges():
    uniform = torch.full((4,), 0.25, dtype=torch.float64)
    corner = torch.tensor([1.0, 0, 0, 0], dtype=torch.float64, requires_grad=True)
    assert trained_adversary.divergence(uniform, uniform) == 0
    assert trained_adversary.divergence(corner, uniform).item() == pytest.approx(np.log(4))
    there = trained_adversary.divergence(uniform, corner)
    assert there.item() == pytest.approx(0.75 * -np.log(1e-12) - np.log(4), abs=1e-12)
    (slope,) = torch.autograd.grad(there + trained_adversary.divergence(corner, uniform), corner)
    assert torch.isfinite(slope).all()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("reversed_", [False, True])
def test_the_gradient_is_the_slope(case, reversed_):
    """Central differences along a random direction through all weights, at no corner of |p - q|."""
    loss = trained_adversary.objective(*targets(case), 0.05, reversed_=reversed_)
    batch = case.data.batch(range(len(case.data)))
    weights = [w for w in case.model.parameters() if w.requires_grad]
    before = [w.detach().clone() for w in weights]
    rng = torch.Generator().manual_seed(3)
    direction = [torch.randn(w.shape, generator=rng, dtype=w.dtype) for w in weights]

    def at(step):
        with torch.no_grad():
            for w, b, d in zip(weights, before, direction, strict=True):
                w.copy_(b + step * d)
        return loss(case.model, forward(case.model, batch), batch)

    slopes = torch.autograd.grad(at(0.0), weights, allow_unused=True)
    expected = sum((s * d).sum() for s, d in zip(slopes, direction, strict=True) if s is not None)
    found = (at(1e-6) - at(-1e-6)) / 2e-6
    at(0.0)
    assert found.item() == pytest.approx(expected.item(), rel=1e-5, abs=1e-7)


# Training


def test_patience_ends_a_training():
    case = made_up.classifier("average", "additive")
    p = Params(**made_up.SMALL, encoder="average", epochs=9, batch_size=4)
    loss = trained_adversary.objective(*targets(case), 0.05)
    score = iter([1.0, 3.0, 2.0, 3.0, 2.0, 9.0])
    curve = training.train(case.model, case.data, loss, lambda m: next(score), p, patience=3)
    assert len(curve) == 5 and curve[curve["chosen"]]["epoch"].tolist() == [2]
