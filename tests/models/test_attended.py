"""One forward pass: attention from inside and from outside."""

import numpy as np
import pytest

import made_up
from heed.errors import HeedError
from heed.evidence import collect
from heed.models import attended
from heed.models.attended import attended_to, forward, frozen, uniform

BUDGET = 64


def test_attention_is_a_distribution_over_the_attended(case):
    batch = case.data.batch(range(len(case.data)))
    output, mask = forward(case.model, batch), attended_to(case.model, batch)
    assert (output.attention[~mask] == 0).all()
    np.testing.assert_allclose(output.attention.sum(1).detach(), 1, rtol=0, atol=1e-14)
    probs = case.model.head.from_logits(output.logits).detach()
    np.testing.assert_allclose(probs.sum(1), 1, rtol=0, atol=1e-14)
    if batch.allowed is not None:
        assert (probs[~batch.allowed] == 0).all()


def test_uniform_attention_from_outside(case):
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch, attention=uniform)
    for b, text in enumerate(case.data.words):
        mine = output.attention[b]
        np.testing.assert_allclose(mine[mine > 0].numpy(), 1 / len(text), rtol=1e-15)
        mean = output.values[b, 1 : len(text) + 1].mean(0)
        np.testing.assert_allclose(output.context[b].detach(), mean.detach(), rtol=0, atol=1e-14)


def test_frozen_copy_of_own_attention_reproduces_the_prediction(case, evidence):
    """By id, so in any order and any batch."""
    kept = {row.id: row.attention for row in evidence}
    batch = case.data.batch([4, 0, 2, 8])
    own, given = forward(case.model, batch), forward(case.model, batch, attention=frozen(kept))
    np.testing.assert_allclose(given.logits.detach(), own.logits.detach(), rtol=0, atol=1e-12)


def test_frozen_attention_of_another_reproduces_the_row(case, evidence):
    """Attention given to the model and attention given to the evidence's row are one and the same."""
    rng = np.random.default_rng(3)
    other = {row.id: rng.dirichlet(np.ones(len(row.units))) for row in evidence}
    batch = case.data.batch(range(len(case.data)))
    logits = forward(case.model, batch, attention=frozen(other)).logits
    probs = case.model.head.from_logits(logits).detach().numpy()
    for row, expected in zip(evidence, probs, strict=True):
        np.testing.assert_allclose(row.probs(other[row.id]), expected, rtol=0, atol=1e-12)


def test_frozen_attention_of_another_length_is_an_error():
    """One weight too many would silently shift the attention of every text after it."""
    case = made_up.classifier("average", "additive")
    kept = {row.id: row.attention for row in collect(case.model, case.data, BUDGET)}
    kept[case.data.ids[0]] = np.full(len(case.data.words[0]) + 1, 0.1)
    with pytest.raises(HeedError, match="test-0"):
        forward(case.model, case.data.batch([0, 1]), attention=frozen(kept))


def test_frozen_attention_of_an_unknown_text_is_an_error():
    case = made_up.classifier("average", "additive")
    with pytest.raises(HeedError, match="test-0"):
        forward(case.model, case.data.batch([0]), attention=frozen({"another": np.ones(1)}))


def test_frozen_attention_with_markers():
    case = made_up.three_classes(attend_markers=True)
    kept = {row.id: row.attention for row in collect(case.model, case.data, BUDGET)}
    batch = case.data.batch([5, 1])
    own, given = forward(case.model, batch), forward(case.model, batch, attention=frozen(kept))
    np.testing.assert_allclose(given.logits.detach(), own.logits.detach(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_what_is_trained_on_distinct_tokens(encoder, dropout):
    """A CNN without dropout of single tokens, and in training alone: evidence is as it always was."""
    case = made_up.classifier(encoder, "additive")
    case.model.dropout = dropout
    batch = case.data.batch([0, 1, 2])
    fits = encoder == "cnn" and not dropout
    assert (attended.apart(case.model.train(), batch).places is not None) == fits
    assert attended.apart(case.model.eval(), batch) is batch
