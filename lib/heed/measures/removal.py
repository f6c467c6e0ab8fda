"""Removal taken apart: what a gradient expects of a prediction without a word, and what it does.

A word's vector is multiplied by s; f(s) is the probability of class 1 (one sigmoid) or of the class that the
full text predicts, attention computed anew. From the text's own f(1) to the word's vector at zero, f(0), a
gradient goes straight on: `first` = f'(1). `second` = f'(1) - f''(1)/2 bends with it. `zeroed` = f(1) - f(0)
is where both should come to, if no higher term mattered. Leave-one-out removes the word instead, and the text
gets shorter.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from heed.corpora.batches import Batch, Encoded, cut
from heed.measures.integrated_gradients import probability
from heed.models.attended import Attended, asked, device_of, forward, of_tokens
from heed.progress import progress

TERMS = ("first", "second", "zeroed")
MARGIN = 0.05  # of a unit's range from either end: there it is saturated


def terms(model: Attended, data: Encoded, tokens_per_batch: int) -> dict[str, dict[str, np.ndarray]]:
    """The sizes of TERMS of each token, markers left out: instance id to (n,) of each.

    f''(1) is autograd's, which sees no kink of a ReLU. To 14 places: what is below is noise of float64, and
    would tell equal words apart in a rank.
    """
    of_tokens(model)
    places = [(i, t) for i, codes in enumerate(data.codes) for t in range(1, len(codes) - 1)]
    lengths = np.array([len(data.codes[i]) for i, _ in places])
    found = np.empty((len(places), len(TERMS)))
    for group in progress(cut(lengths, tokens_per_batch), "removal, batches"):
        batch = asked(model, data.batch([places[k][0] for k in group]).to(device_of(model)))
        at = torch.as_tensor([places[k][1] for k in group])
        found[group] = torch.stack(_terms(model, batch, at), 1).cpu()
    ends = np.cumsum([len(codes) - 2 for codes in data.codes])[:-1]
    own = (dict(zip(TERMS, part.T, strict=True)) for part in np.split(np.round(found, 14), ends))
    return dict(zip(data.ids, own, strict=True))


def _terms(model: Attended, batch: Batch, at: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The terms of the token at one place of each text, at (B,): three of shape (B,)."""
    # Only self-attention that is written out can be differentiated twice.
    written_out = sdpa_kernel(SDPBackend.MATH)
    with torch.backends.cudnn.flags(enabled=False), torch.enable_grad(), written_out:
        embedded = model.embed(batch).detach()
        chosen = torch.nn.functional.one_hot(at.to(embedded.device), embedded.shape[1]).to(embedded)
        predicted = forward(model, batch, embedded=embedded).logits.argmax(1)

        def of(scale: Tensor) -> Tensor:
            factors = 1 + chosen * (scale[:, None] - 1)
            logits = forward(model, batch, embedded=embedded * factors[:, :, None]).logits
            return probability(model.head, logits, predicted)

        one = torch.ones_like(at, dtype=embedded.dtype, device=embedded.device).requires_grad_()
        whole = of(one)
        (slope,) = torch.autograd.grad(whole.sum(), one, create_graph=True)
        (bend,) = torch.autograd.grad(slope.sum(), one)
        with torch.no_grad():
            zeroed = whole - of(torch.zeros_like(one))
    return slope.detach().abs(), (slope - bend / 2).detach().abs(), zeroed.detach().abs()


def saturation(model: Attended, data: Encoded, tokens_per_batch: int) -> dict[str, tuple[float, float]]:
    """Of each text, the share of what is squashed that lies within MARGIN of an end, at its tokens.

    In the encoder (a BiLSTM's gates and candidates, Average's tanh) and in additive attention's tanh; NaN
    where nothing is squashed.
    """
    found = {}
    with torch.no_grad():
        for batch in progress(data.by_budget(tokens_per_batch), "saturation, batches"):
            batch = asked(model, batch.to(device_of(model)))
            embedded = model.embed(batch)
            states = model.encode(embedded, batch)
            inside = model.encoder.squashed(embedded, batch.lengths)
            tanh = getattr(model.attention, "activate", None) is torch.tanh
            query = () if batch.query is None else (batch.query.vector,)
            scored = (1 + model.attention.hidden(states, *query)) / 2 if tanh else None
            for b, (name, real) in enumerate(zip(batch.ids, batch.real, strict=True)):
                found[name] = _share(inside, b, real), _share(scored, b, real)
    return {name: found[name] for name in data.ids}


def _share(units: Tensor | None, b: int, real: Tensor) -> float:
    """Of text b's tokens, the share of units (B, T, U) within MARGIN of 0 or 1; NaN of none."""
    if units is None:
        return float("nan")
    own = units[b][real]
    return float(((own < MARGIN) | (own > 1 - MARGIN)).double().mean())
