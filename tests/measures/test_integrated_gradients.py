"""Integrated gradients against captum's, and against what must hold of them."""

import numpy as np
import pytest
import torch
from captum.attr import IntegratedGradients

import made_up
from heed.corpora.tokens import PAD
from heed.measures import rankings
from heed.measures.integrated_gradients import integrated_gradients
from heed.models.attended import asked, forward
from heed.params import Params

BATCH = [0, 2, 4, 8]


def probability(case: made_up.Case, batch, attention=None):
    """ŷ as a function of embeddings (B, T, E), for captum."""
    full = forward(case.model, batch, embedded=case.model.embed(batch))
    predicted = full.logits.argmax(1)
    held = full.attention.detach() if attention == "held" else None

    def of(embedded: torch.Tensor) -> torch.Tensor:
        probs = case.model.head.from_logits(
            forward(case.model, batch, attention=held, embedded=embedded).logits
        )
        return probs[:, 1] if case.model.head.link == "sigmoid" else probs.gather(1, predicted[:, None])[:, 0]

    return of


def units_are_tokens(case: made_up.Case) -> bool:
    return getattr(case.model, "unit", "token") == "token"


@pytest.mark.parametrize("attention", ["held", "live"])
def test_it_is_captums(case, attention):
    """Captum's midpoint rule, 20 steps, from zero vectors; it holds its steps in float32."""
    batch = asked(case.model, case.data.batch(BATCH))
    embedded = case.model.embed(batch).detach()
    theirs = IntegratedGradients(probability(case, batch, attention)).attribute(
        embedded,
        torch.zeros_like(embedded),
        n_steps=20,
        method="riemann_middle",
        internal_batch_size=len(BATCH),  # a step at a time
    )
    expected = theirs.sum(2).masked_fill(batch.codes == PAD, 0)
    found = integrated_gradients(case.model, batch, attention)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_of_a_token_alone_the_path_ends_at_its_own_value(activation):
    """With Average and attention held, a text of one word: σ(logit) − σ(logit at zero), in closed form."""
    case = made_up.classifier("average", "additive")
    case.model.encoder.activate = getattr(torch, activation)
    i = next(i for i, words in enumerate(case.data.words) if len(words) == 1)
    batch = asked(case.model, case.data.batch([i]))
    embedded, of = case.model.embed(batch).detach(), probability(case, batch, "held")
    with torch.no_grad():
        closed = of(embedded) - of(torch.zeros_like(embedded))
    torch.testing.assert_close(
        integrated_gradients(case.model, batch, "held", 400).sum(1), closed, rtol=0, atol=1e-4
    )


def test_live_sums_to_the_difference_from_nothing(case):
    """Completeness: with fine steps the sum over all positions is ŷ(e) - ŷ(0)."""
    batch = asked(case.model, case.data.batch(BATCH))
    embedded, of = case.model.embed(batch).detach(), probability(case, batch)
    with torch.no_grad():
        difference = of(embedded) - of(torch.zeros_like(embedded))
    coarse, fine = (integrated_gradients(case.model, batch, "live", k).sum(1) for k in (10, 60))
    torch.testing.assert_close(fine, difference, rtol=0, atol=5e-3)
    assert (fine - difference).abs().max() <= (coarse - difference).abs().max() + 1e-4


def test_held_and_live_are_two_rankings():
    """Where attention moves with the words; with uniform attention the two are one."""
    case = made_up.classifier("bilstm", "additive")
    batch = case.data.batch(BATCH)
    held, live = (integrated_gradients(case.model, batch, how) for how in ("held", "live"))
    assert (held - live).abs().max() > 1e-6
    case = made_up.classifier("bilstm", "uniform")
    held, live = (integrated_gradients(case.model, batch, how) for how in ("held", "live"))
    torch.testing.assert_close(held, live, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["integrated_gradients_held", "integrated_gradients_live"])
def test_a_texts_numbers_are_its_own(name):
    """Sizes of the words, markers left out; what shares the batch, and how it is cut, changes nothing."""
    case, own = made_up.classifier("cnn", "additive"), rankings.declared()[name]
    together = own.compute(case.model, case.data, Params(tokens_per_batch=10_000), {})
    apart = own.compute(case.model, case.data, Params(tokens_per_batch=1), {})
    assert list(together) == case.data.ids
    for words, i in zip(case.data.words, case.data.ids, strict=True):
        assert together[i].shape == (len(words),) and (together[i] >= 0).all()
        np.testing.assert_allclose(together[i], apart[i], rtol=1e-9, atol=1e-14)
    alone = integrated_gradients(case.model, case.data.batch([0]), name.rsplit("_")[-1])[0, 1:-1]
    np.testing.assert_allclose(together[case.data.ids[0]], alone.abs(), rtol=1e-9, atol=1e-14)


def test_the_class_is_the_full_texts_at_every_step():
    """Of three classes the predicted one of the full text, also where a scaled text is of another."""
    case = made_up.three_classes()
    batch = asked(case.model, case.data.batch(BATCH))
    predicted = forward(case.model, batch).logits.argmax(1)
    faint = forward(case.model, batch, embedded=case.model.embed(batch).detach() / 40).logits.argmax(1)
    assert (predicted != faint).any(), "or the test says nothing"
    embedded, of = case.model.embed(batch).detach(), probability(case, batch)
    with torch.no_grad():
        difference = of(embedded) - of(torch.zeros_like(embedded))
    found = integrated_gradients(case.model, batch, "live", 200).sum(1)
    torch.testing.assert_close(found, difference, rtol=0, atol=2e-3)
