"""Gradients: finite differences, closed forms, padding."""

import numpy as np
import pytest
import torch

import made_up
from heed.evidence import collect
from heed.measures import gradients as measures_gradients
from heed.models.attended import attended_to, forward
from twins import probabilities

BUDGET = 50
STEP = 1e-5


def target(model, logits: np.ndarray, label: int, of: str, chosen: int | None) -> float:
    """What is differentiated, by numpy; `chosen` is the class that the model predicted."""
    p = probabilities(model.head, logits)
    if of == "loglik":
        return float(np.log(p[label]))
    if model.head.link == "sigmoid":
        return float(p[1] if of == "prob" else logits[0])
    return float(p[chosen] if of == "prob" else logits[chosen])


def readout(model, context: np.ndarray, batch) -> np.ndarray:
    """The logits of a context (1, D)."""
    return model.head.logits(context, model.shift(batch), batch.allowed)[0].detach().numpy()


def slopes(model, batch, of: str, wrt: str, live: bool = False) -> np.ndarray:
    """Central differences, position by position, for a batch of one text, shape (T,)."""
    with torch.no_grad():
        embedded = model.embed(batch)
        base = forward(model, batch)
        chosen = int(base.logits.argmax())
        label = int(batch.labels[0])

        def at(embedded, weights) -> float:
            values = model.values(model.encode(embedded, batch))[0].numpy()
            return target(model, readout(model, weights @ values, batch), label, of, chosen)

        def own(embedded) -> np.ndarray:
            scores = model.scores(model.encode(embedded, batch), batch)[0].numpy()
            e = np.where(attended_to(model, batch)[0].numpy(), np.exp(scores), 0)
            return e / e.sum()

        found = []
        for t in range(batch.codes.shape[1]):
            ends = []
            for sign in (1, -1):
                if wrt == "attention":
                    weights = base.attention[0].numpy().copy()
                    weights[t] += sign * STEP
                    ends.append(at(embedded, weights[None]))
                else:  # along E[w] itself, for the one-hot's own entry
                    moved = embedded.clone()
                    moved[0, t] *= 1 + sign * STEP
                    ends.append(at(moved, own(moved)[None] if live else base.attention.numpy()))
            found.append((ends[0] - ends[1]) / (2 * STEP))
    return np.array(found)


@pytest.mark.parametrize("of", ["prob", "logit", "loglik"])
@pytest.mark.parametrize("wrt", ["token", "gate", "attention"])
def test_gradient_is_the_finite_difference(case, of, wrt):
    """Attention frozen, however contextual the encoder; values near 1 are differentiated to 1e-9."""
    i = 3 if case.name == "asking" and of == "loglik" else 0  # of which the label is allowed
    batch = case.data.batch([i])
    expected = slopes(case.model, batch, of, wrt)
    found = measures_gradients.gradient(case.model, batch, of=of, wrt=wrt)[0]
    expected = np.abs(expected) if wrt == "token" else expected
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert np.abs(found[1:-1]).max() > 1e-6


def test_live_gradient_is_the_finite_difference(case):
    batch = case.data.batch([0])
    expected = slopes(case.model, batch, "prob", "gate", live=True)
    found = measures_gradients.gradient(case.model, batch, wrt="gate", attention="live")[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_detached_and_live_gradients_differ(case):
    """In every model here the scores depend on the embedding, so the two are two numbers."""
    batch = case.data.batch([0])
    detached, live = (
        measures_gradients.gradient(case.model, batch, attention=a)[0] for a in ("detached", "live")
    )
    assert np.abs(detached - live)[1:-1].max() > 1e-4 * np.abs(detached).max()


def test_detached_gradient_of_a_token_alone():
    """MATH, section 10: with Average and detached attention, g_t = p (1 - p) a_t |E[w]·dr_t/de_t|.

    Attention times ten is gradient times ten, exactly because nothing flows through the attention.
    """
    case = made_up.classifier("average", "additive")
    batch, row = case.data.batch([0]), collect(case.model, case.data, BUDGET)[0]
    embedded = case.model.embed(batch).detach().requires_grad_()
    values = case.model.values(case.model.encode(embedded, batch))
    (slope,) = torch.autograd.grad(values.sum(), embedded)
    own = (slope * embedded).sum(2)[0, 1:-1].abs().detach().numpy()
    p = row.prediction[1]
    found = measures_gradients.gradient(case.model, batch)[0, 1:-1]
    np.testing.assert_allclose(found, p * (1 - p) * row.attention * own, rtol=1e-10)


def test_gradients_of_a_split_are_those_of_each_text(case):
    found = measures_gradients.gradients(case.model, case.data, BUDGET)
    for i, name in enumerate(case.data.ids):
        alone = measures_gradients.gradient(case.model, case.data.batch([i]))[0, 1:-1]
        np.testing.assert_allclose(found[name], alone, rtol=0, atol=1e-13)


def test_gradient_at_padding_is_zero(case):
    batch = case.data.batch([0, 1])
    for wrt in ("token", "gate", "attention"):
        assert (measures_gradients.gradient(case.model, batch, wrt=wrt)[1, 3:] == 0).all()
