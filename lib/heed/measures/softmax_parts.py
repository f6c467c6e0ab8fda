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
        score_pairs = torch.stack([scores[:, :-step], scores[:, step:]])
        value_pairs = torch.stack([values[:, :-step], values[:, step:]])
        joined_scores, joined_values = join(score_pairs, value_pairs)
        scores = torch.cat([scores[:, :step], joined_scores], 1)
        values = torch.cat([values[:, :step], joined_values], 1)
        step *= 2
    return scores, values


def outside(scores: Tensor, values: Tensor, before: Tensor, after: Tensor) -> Pooled:
    """Two sets of each text: the states up to position `before`, and those from `after` on.

    scores (B, T), values (B, T, D), positions (B, n); one beyond the text's end gives a set of none.
    Returns (2, B, n) and (2, B, n, D).
    """
    scores_before, values_before = _upto(*running(scores, values), before)
    # From the other end: there position t is T - 1 - t.
    from_end = running(scores.flip(1), values.flip(1))
    scores_after, values_after = _upto(*from_end, scores.shape[1] - 1 - after)
    return torch.stack([scores_before, scores_after]), torch.stack([values_before, values_after])


def _upto(scores: Tensor, values: Tensor, last: Tensor) -> Pooled:
    """Of `running` scores and values those at positions `last` (B, n); before the text's start: none."""
    there = last >= 0
    place = last.clamp(min=0)
    scores = scores.gather(1, place).masked_fill(~there, -torch.inf)
    values = values.gather(1, place[..., None].expand(*place.shape, values.shape[2]))
    return scores, values * there[..., None]
