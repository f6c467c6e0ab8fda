"""The model that writes: plain twins, padding, the head, controls."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from heed.corpora import parallel_text
from heed.corpora.parallel_text import END, PAD, START
from heed.models import seq2seq
from sequences import MODELS, by_hand, case, sentences, tiny, writer

# What copies


@pytest.mark.parametrize(
    ("encoder", "attention", "heads"), [(*m, ()) for m in MODELS] + [("lstm", "bilinear", (7, 2, 5))]
)
def test_the_model_is_the_plain_one(encoder, attention, heads):
    p = tiny(encoder=encoder, attention=attention, corpus="copy-iid", heads=heads)
    model, source, given_ = case(p)
    with torch.no_grad():
        log_probs, weights = model(source, given_)
    relevance = seq2seq.relevance(model, source, given_)
    for k in range(len(source)):
        plain = by_hand(model, p, source[k].numpy(), given_[k].numpy())
        for mine, twin in zip((log_probs[k], weights[k], relevance[k]), plain, strict=True):
            assert np.allclose(mine, twin, atol=1e-10)


def test_controls_are_what_they_are_called():
    p = tiny(attention="uniform")
    model, source, given_ = case(p)
    assert torch.allclose(model(source, given_)[1], torch.tensor(1 / 6).double())
    model, source, given_ = case(tiny(attention="none"))
    with torch.no_grad():
        r = seq2seq.relevance(model, source, given_)
        log_probs, _ = model(source, given_)
    own = log_probs.gather(2, source[..., None])
    assert torch.allclose(r, own.expand_as(r)), "without context every place says the same"


def test_heads_have_no_order_and_twins_are_one():
    p = tiny(corpus="copy-iid")
    outs = []
    for own in ((3, 8), (8, 3), (3, 3), (3,)):
        model, source, given_ = case(p.model_copy(update={"heads": own}))
        outs.append(model(source, given_))
    for mine, twin in (outs[:2], outs[2:]):
        assert all(torch.allclose(u, v, atol=1e-12) for u, v in zip(mine, twin, strict=True))
    assert not torch.allclose(outs[0][0], outs[3][0])


# What translates


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.integers(1, 2), st.sampled_from(["bilinear", "uniform"]))
def test_padding_changes_nothing(seed, layers, how):
    """Each pair alone gives what it gives in a batch; padding is never attended to."""
    model, data = writer(seed, layers=layers, how=how), sentences(seed)
    source, lengths, told, wanted = parallel_text.padded(data)
    with torch.no_grad():
        log_probs, attention = model(source, told, lengths)
        for k, (own, target) in enumerate(data):
            alone, weights = model(own[None], target[None, :-1])
            steps = len(target) - 1
            assert torch.allclose(alone[0], log_probs[k, :steps])
            assert torch.allclose(weights[0], attention[k, :steps, : len(own)])
            assert (attention[k, :, len(own) :] == 0).all() and (wanted[k, steps:] == PAD).all()


@pytest.mark.parametrize("act", ["relu", "tanh"])
def test_the_head_says_what_the_model_says(act):
    """head(Σ a u + shift) is the model's own prediction; relevance is the head's of one value alone."""
    model = writer(3)
    model.act = act
    (source, target), *_ = sentences(3)
    source, told, wanted = source[None], target[None, :-1], target[None, 1:]
    with torch.no_grad():
        log_probs, attention = model(source, told)
        states, start = model.encode(source)
        decoded = model.decoder(model.embed(told), start)[0]
        values, shift, head = model.values(states), model.shift(decoded), model.head()
        assert torch.allclose(head.log_from_logits(head.logits(attention @ values, shift)), log_probs)
        r = seq2seq.relevance(model, source, told, wanted)
        linear = seq2seq.linear_relevance(model, source, wanted)
        for l, t in product(range(r.shape[1]), range(r.shape[2])):
            own = head.log_from_logits(head.logits(values[0, t], shift[0, l]))
            assert torch.isclose(own[wanted[0, l]], r[0, l, t])
            assert torch.isclose(model.out.weight[wanted[0, l]] @ values[0, t], linear[0, l, t])


def test_the_decoder_starts_from_the_mean_of_both_directions():
    model, source = writer(), torch.tensor([[START, 4, 5, END]])
    _, (h, _) = model.encoder(model.embedding(source))
    start = model.encode(source)[1][0]
    assert torch.allclose(start[0], (h[0] + h[1]) / 2) and torch.allclose(start[1], (h[2] + h[3]) / 2)
