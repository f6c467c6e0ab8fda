"""Many states in a softmax as one: by a score (the logarithm of their weight) and a value (their mean).

So attention over a part of a text is known before the rest is, and parts are joined, never taken away from
a whole: where attention is near 1, what is left of a difference is its rounding.
"""

import torch
from torch import Tensor

Pooled = tuple[Tensor, Tensor]  # scores (...) and values (..., D); a set of none has -inf and 0


def join(scores: Tensor, values: Tensor) -> Pooled:
    """The states along the first axis as one: (n, ...) and (n, ..., D) become (...) and (..., D)."""
    top = scores.amax(0).clamp(min=torch.finfo(scores.dtype).min)
    weights = (scores - top).exp()
    total = weights.sum(0)
    mean = (weights[..., None] * values).sum(0) / total.clamp(min=0.5)[..., None]  # the top one weighs 1
    return top + total.log(), mean


def running(scores: Tensor, values: Tensor) -> Pooled:
    """The states of each text up to each position, (B, T) and (B, T, D): log T rounds of joining pairs."""
    step = 1
    while step < scores.shape[1]:
        joined = join(*(torch.stack([x[:, :-step], x[:, step:]]) for x in (scores, values)))
        scores, values = (
            torch.cat([x[:, :step], y], 1) for x, y in zip((scores, values), joined, strict=True)
        )
        step *= 2
    return scores, values


def outside(scores: Tensor, values: Tensor, before: Tensor, after: Tensor) -> Pooled:
    """Two sets of each text: the states up to position `before`, and those from `after` on.

    scores (B, T), values (B, T, D), positions (B, n); one beyond the text's end gives a set of none.
    Returns (2, B, n) and (2, B, n, D).
    """
    ends = (scores, values, before), (scores.flip(1), values.flip(1), scores.shape[1] - 1 - after)
    found = (_upto(running(s, v), last) for s, v, last in ends)
    return tuple(torch.stack(pair) for pair in zip(*found, strict=True))


def _upto(sums: Pooled, last: Tensor) -> Pooled:
    there, place = last >= 0, last.clamp(min=0)
    values = sums[1].gather(1, place[..., None].expand(*place.shape, sums[1].shape[2]))
    return sums[0].gather(1, place).masked_fill(~there, -torch.inf), values * there[..., None]
