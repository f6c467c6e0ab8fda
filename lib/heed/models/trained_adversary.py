"""A trained adversary: a model that says what another one says while it looks elsewhere.

Source: Wiegreffe & Pinter (2019), section 4. One model for all texts, trained without labels on
TVD(ŷ, ŷ_base) - λ KL(a ‖ a_base). Their code halves the TVD of two classes, so a λ of theirs is 2 λ here.
"""

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Batch
from heed.models.attended import Attended, Output, frozen
from heed.models.training import Objective

# What a logarithm takes instead of a smaller weight, so that one that underflowed to 0 stays finite.
LEAST = 1e-12


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """KL(p ‖ q) in nats over the last axis; 0 ln 0 = 0, and a q below 1e-12 counts as that."""
    return (p * (torch.where(p > 0, p, 1).log() - q.clamp(min=LEAST).log())).sum(-1)


def objective(
    attention: dict[str, np.ndarray],
    predictions: dict[str, np.ndarray],
    weight: float,
    halved: bool = False,
    reversed_: bool = False,
) -> Objective:
    """TVD - λ KL, summed over a batch, of a model against the decisions of another, by instance id.

    weight: λ. halved: half the TVD, as in the authors' code. reversed_: KL(base ‖ adversary).
    """
    look_up = frozen(attention)

    def loss(model: Attended, output: Output, batch: Batch) -> Tensor:
        given, own = look_up(model, batch), output.attention
        probs = model.head.from_logits(output.logits)
        target = torch.as_tensor(np.stack([predictions[name] for name in batch.ids])).to(probs)
        change = (0.25 if halved else 0.5) * (probs - target).abs().sum(1)
        away = divergence(given, own) if reversed_ else divergence(own, given)
        return (change - weight * away).sum()

    return loss
