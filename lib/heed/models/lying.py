"""Lies: a model learns its labels, and to look away from words that it must not be seen to use.

R = -λ ln(1 - attention on the impermissible words), text by text. Source: Pruthi et al. (2020), section 3.
"""

from collections.abc import Iterable
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Batch, Encoded, pad
from heed.corpora.rationales import Marks
from heed.errors import HeedError
from heed.models.attended import Attended, Output
from heed.models.training import Objective


def seen(scores: Tensor, impermissible: Tensor, over: Literal["mean", "max"] = "mean") -> Tensor:
    """-ln(1 - attention on the impermissible words) of each text, in nats: (B,).

    scores (B, T), or of several heads (B, heads, T), before the softmax, -inf at what takes no part;
    impermissible (B, T). over: the heads' mean, or the head that sees most, of each text alone (the authors'
    code takes one extreme of a whole batch). A mass of 1 stays finite: the logarithm is of the permitted
    scores' sum. 0 of a text that has no such word, or nothing else.
    """
    scores = scores[:, None] if scores.dim() == 2 else scores
    there = torch.isfinite(scores).any(1)
    bad, permitted = there & impermissible, there & ~impermissible
    found = scores.new_zeros(len(scores))
    asked = bad.any(1) & permitted.any(1)
    own = scores[asked]
    allowed = own.masked_fill(~permitted[asked][:, None], -torch.inf).logsumexp(2)
    each = own.logsumexp(2) - allowed
    return found.masked_scatter(asked, each.mean(1) if over == "mean" else each.amax(1))


def lying(objective: Objective, impermissible: dict[str, np.ndarray], weight: float) -> Objective:
    """The objective plus λ `seen`, summed over texts. impermissible: each text's words (n,), by its id."""

    def loss(model: Attended, output: Output, batch: Batch) -> Tensor:
        words = placed(impermissible, batch).to(output.scores.device)
        return objective(model, output, batch) + weight * seen(output.scores, words).sum()

    return loss


def placed(impermissible: dict[str, np.ndarray], batch: Batch) -> Tensor:
    """The impermissible words of a batch, (B, T); its markers are permitted."""
    return pad([np.pad(impermissible[name], 1).astype(np.int64) for name in batch.ids], 0).bool()


def marked(
    data: Encoded, words: Iterable[str] | dict[str, Marks] | None, must: bool = True
) -> dict[str, np.ndarray]:
    """Each text's impermissible words, by id: those of a list, or what people marked in each text; or, of
    None, those that decide its label.

    Raises HeedError where those aren't known, and, if they `must` be there, where no text has any, or where
    all have nothing else.
    """
    if words is None:
        if data.truth is None:
            raise HeedError(
                "impermissible: the words that decide aren't known here. Give leave_one_out, or a list of "
                "words."
            )
        found = {name: np.asarray(own, bool) for name, own in zip(data.ids, data.truth, strict=True)}
        sought = "a word that decides"
    elif isinstance(words, dict):
        found = {name: words[name].tokens(len(own)) for name, own in zip(data.ids, data.words, strict=True)}
        sought = "a marked word"
    else:
        listed, sought = {*words}, _some(words)
        found = {
            name: np.array([word in listed for word in own], bool)
            for name, own in zip(data.ids, data.words, strict=True)
        }
    having = [own for own in found.values() if own.any()]
    if must and not having:
        raise HeedError(
            f"impermissible: no text has {sought}. Give words that the corpus has, as it has them."
        )
    if must and all(own.all() for own in having):
        raise HeedError(
            "impermissible: every text that has such a word has nothing else, so attention can't go "
            "elsewhere. Give fewer words."
        )
    return found


def _some(words: Iterable[str]) -> str:
    """The first few of a list of words, for a sentence."""
    words = sorted({*words})
    if not words:
        return "a word of an empty list"
    few = ", ".join(repr(word[:30]) for word in words[:3])
    return few if len(words) <= 3 else f"{few} or {len(words) - 3} more"
