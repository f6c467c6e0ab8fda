"""The paper's search for adversarial attention: Adam on a penalised objective, on values only.

Jain & Wallace (2019), algorithm 3, equations 1 and 2. They maximise, over k attentions of an instance,

    sum_i JSD(a_i, â) + pairs(a) - penalty · sum_i max(0, TVD_i - ε)

The plus that they print before the penalty is a slip: it would reward leaving the constraint.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from heed.errors import HeedError
from heed.models.head import Head


@dataclass(frozen=True)
class Search:
    """How to search. penalty: λ/k of each adversary's excess TVD. mean_pairs: the pair term is the mean over
    ordered pairs (the site's code) instead of the paper's sum over i < j over k(k-1)."""

    adversaries: int = 5
    epsilon: float = 0.01
    penalty: float = 100.0
    mean_pairs: bool = False
    steps: int = 500
    rate: float = 0.01
    spread: float = 3.0

    def __post_init__(self):
        if self.adversaries < 1 or self.steps < 1:
            raise HeedError(f"search: {self.adversaries} adversaries, {self.steps} steps; take at least one.")
        if not 0 < self.epsilon < 1:
            raise HeedError(f"search: epsilon = {self.epsilon} must be between 0 and 1, such as 0.01.")


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """JSD in nats over the last axis, differentiable; 0 ln 0 = 0 exactly, with derivative 0."""
    m = (p + q) / 2
    return 0.5 * (_negentropy(p) + _negentropy(q) - 2 * _negentropy(m)).sum(-1)


def _negentropy(p: Tensor) -> Tensor:
    return p * torch.where(p > 0, p, 1).log()


def objective(adversary: Tensor, original: Tensor, change: Tensor, how: Search) -> Tensor:
    """What is maximised, shape (B,), of adversaries (B, K, T), attention (B, T) and TVDs (B, K)."""
    k = adversary.shape[1]
    far = divergence(adversary, original[:, None]).sum(1)
    pairs = torch.zeros_like(far)
    if k > 1:
        first, second = torch.triu_indices(k, k, offset=1)
        pairs = divergence(adversary[:, first], adversary[:, second]).sum(1) / (k * (k - 1))
        if how.mean_pairs:
            pairs = 2 * pairs
    return far + pairs - how.penalty * (change - how.epsilon).clamp(min=0).sum(1)


def start(ids: list[str], lengths, how: Search, seed: int, width: int) -> Tensor:
    """Initial logits (B, K, T) ~ N(0, spread²), drawn instance by instance from seed and id."""
    drawn = np.zeros((len(ids), how.adversaries, width))
    for b, (name, length) in enumerate(zip(ids, lengths, strict=True)):
        drawn[b, :, :length] = generator(seed, name).normal(0, how.spread, (how.adversaries, length))
    return torch.from_numpy(drawn)


def generator(seed: int, name: str) -> np.random.Generator:
    """A generator of an instance's own, so that its draws don't depend on what shares its batch."""
    return np.random.default_rng([seed, *name.encode()])


def search(
    head: Head,
    ids: list[str],
    attention: Tensor,
    values: Tensor,
    shift: Tensor,
    mask: Tensor,
    allowed,
    how: Search,
    seed: int,
) -> Tensor:
    """Adversarial attentions (B, K, T) of a batch, float64, 0 where `mask` (B, T) is false.

    attention (B, T), values (B, T, D), shift (B, D), allowed (B, C) or None. Each instance's answer is its
    own: Adam works element by element and the objective is a sum over instances.
    """
    logits = start(ids, mask.sum(1).tolist(), how, seed, mask.shape[1]).requires_grad_()
    adam = torch.optim.Adam([logits], lr=how.rate, amsgrad=True)
    outside = ~mask[:, None]
    answers = None if allowed is None else allowed[:, None]
    original = head.probs(torch.einsum("bt,btd->bd", attention, values), shift, allowed)[:, None]

    def adversaries() -> Tensor:
        return logits.masked_fill(outside, -torch.inf).softmax(2)

    for _ in range(how.steps):
        adversary = adversaries()
        probs = head.probs(torch.einsum("bkt,btd->bkd", adversary, values), shift[:, None], answers)
        change = 0.5 * (probs - original).abs().sum(2)
        loss = -objective(adversary, attention, change, how).sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return adversaries().detach()
