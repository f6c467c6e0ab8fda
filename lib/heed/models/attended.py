"""What every model here is: embedding, encoder, attention, head; one protocol, one forward pass.

Sources: Jain & Wallace (2019), section 2 and its code. Every decoder is linear before it is anything
else, so what attention acts on are values u_t = V h_t (MATH: one statistic is enough).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Batch
from heed.corpora.tokens import PAD
from heed.errors import HeedError
from heed.models.attentions import way_of_weighing
from heed.models.head import Head


class Attended(Protocol):
    """A model whose attention can be looked at, and given from outside.

    The score and the value of a position depend on its state, and on its text's query, alone. Where there
    is an `encoder` that is one of ENCODERS, `encode` is that; leave-one-out may then have a fast form. A
    model that reads a query has `read_query(query)` (B, H); `asked` keeps what it gives, so that it is read
    once.
    """

    head: Head
    attend_markers: bool

    def embed(self, batch: Batch) -> Tensor:
        """Embedded tokens (B, T, E); of a batch with distinct codes those (U, E)."""

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        """States (B, T, H)."""

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        """Attention before the softmax, or what else weighs (B, T)."""

    def values(self, states: Tensor) -> Tensor:
        """What attention averages (B, T, D)."""

    def shift(self, batch: Batch) -> Tensor:
        """What the head adds to the context (B, D): the bias, or the query's part."""


@dataclass(frozen=True)
class Output:
    """One forward pass: attention (B, T), values (B, T, D), shift and context (B, D), logits.

    states (B, T, H); scores (B, T): what attention was made of, -inf at what takes no part, or None where
    attention was given.
    """

    embedded: Tensor
    states: Tensor
    scores: Tensor | None
    attention: Tensor
    values: Tensor
    shift: Tensor
    context: Tensor
    logits: Tensor


def attended_to(model: Attended, batch: Batch) -> Tensor:
    """Which positions take part in attention, shape (B, T); of a model of sentences (B, S)."""
    if getattr(model, "unit", "token") == "sentence":
        count = batch.sentences.amax(1, keepdim=True) + 1
        return torch.arange(int(count.max()), device=count.device) < count
    return batch.codes != PAD if model.attend_markers else batch.real


def of_tokens(model: Attended) -> None:
    """Raises HeedError for a model that attends to sentences: tokens can't be held against its weights."""
    if getattr(model, "unit", "token") != "token":
        raise HeedError(
            "this model attends to sentences, but gradients and leave-one-out are of tokens. Run chapters "
            "01, 03, 04 and 06, or another encoder."
        )


def counted(model: Attended, batch: Batch) -> Tensor:
    """Which positions enter statistics, shape as `attended_to`: all but markers."""
    return attended_to(model, batch) if getattr(model, "unit", "token") == "sentence" else batch.real


def asked(model: Attended, batch: Batch) -> Batch:
    """The batch with its query read, so that what the query takes part in needn't read it again."""
    if batch.query is None or batch.query.vector is not None or not hasattr(model, "read_query"):
        return batch
    return replace(batch, query=replace(batch.query, vector=model.read_query(batch.query)))


def apart(model: Attended, batch: Batch) -> Batch:
    """In training, the batch of a CNN with its distinct codes: each is convolved once, wherever it stands.

    Of 8,000 tokens of reviews some 2,500 are distinct. With dropout no two tokens are the same.
    """
    reads_distinct = getattr(getattr(model, "encoder", None), "reads_distinct", False)
    if not (reads_distinct and model.training) or getattr(model, "dropout", 0) or not batch.codes.is_cpu:
        return batch
    distinct, places = batch.codes.unique(return_inverse=True)
    return replace(batch, distinct=distinct, places=places)


def device_of(model: Attended) -> torch.device:
    """Where a model's weights are: its batches must be there, too."""
    return next(iter(model.parameters())).device


def uniform(model: Attended, batch: Batch) -> Tensor:
    """Equal attention to all positions that take part, shape (B, T)."""
    mask = attended_to(model, batch).to(next(iter(model.parameters())).dtype)
    return mask / mask.sum(1, keepdim=True)


def frozen(attention: dict[str, np.ndarray]) -> Callable[[Attended, Batch], Tensor]:
    """Attention kept by instance id (arrays over the attended units), to be given to `forward`."""

    def look_up(model: Attended, batch: Batch) -> Tensor:
        given = uniform(model, batch)
        mask = attended_to(model, batch)
        for name, units in zip(batch.ids, mask.sum(1).tolist(), strict=True):
            if name not in attention or len(attention[name]) != units:
                held = len(attention[name]) if name in attention else "none"
                raise HeedError(
                    f"frozen attention: text {name} attends to {units} units, {held} weights are given. "
                    "Take the attention of a model of the same corpus and parameters."
                )
        flat = np.concatenate([attention[name] for name in batch.ids])
        return torch.zeros_like(given).masked_scatter(mask, torch.as_tensor(flat).to(given))

    return look_up


def forward(
    model: Attended,
    batch: Batch,
    attention: Tensor | Callable[[Attended, Batch], Tensor] | None = None,
    detach: bool = False,
    embedded: Tensor | None = None,
) -> Output:
    """Run the model; with `attention` (B, T), or a function that gives it, instead of its own.

    detach: let no gradient through the attention. embedded: use these instead of `model.embed`.
    """
    batch = asked(model, batch if embedded is not None else apart(model, batch))
    embedded = model.embed(batch) if embedded is None else embedded
    states = model.encode(embedded, batch)
    scores = None
    if attention is None:
        mask = attended_to(model, batch)
        scores = model.scores(states, batch).masked_fill(~mask, -torch.inf)
        scores = scores if batch.counts is None else scores + batch.counts.to(scores).log()
        weights = _weights(model, scores, mask.any(1, keepdim=True))
    else:
        weights = attention(model, batch) if callable(attention) else attention
    weights = weights.detach() if detach else weights
    values, shift = model.values(states), model.shift(batch)
    context = torch.einsum("bt,btd->bd", weights, values)
    logits = model.head.logits(context, shift, batch.allowed)
    return Output(embedded, states, scores, weights, values, shift, context, logits)


def _weights(model: Attended, scores: Tensor, there: Tensor) -> Tensor:
    """Attention (B, T) of scores, -inf at what takes no part; there (B, 1): whether anything does.

    A text without tokens (its only one left out) has no attention: its context is zero.
    """
    weigh = way_of_weighing(getattr(model, "attention", None))
    if weigh is None:
        weights = scores.softmax(1)
    else:
        weights = weigh(torch.where(there, scores, 0.0), -1)  # of nothing but -inf they would be NaN
    return torch.where(there, weights, 0.0)


def encoded(model: Attended, embedded: Tensor, batch: Batch) -> Tensor:
    """States (B, T, H) of embedded tokens: what the model's encoder needs of the batch is given to it."""
    where = batch.sentences if getattr(model, "unit", "token") == "sentence" else batch.lengths
    where = batch.codes if model.encoder.reads_codes else where
    places = () if batch.places is None else (batch.places,)
    return model.encoder(embedded, where, *places)
