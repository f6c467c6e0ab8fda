"""Integrated gradients: the gradient's mean on the way from zero vectors to the text's own.

Source: Sundararajan, Taly & Yan (2017), "Axiomatic Attribution for Deep Networks", equation 3; the integral
by the midpoint rule. The markers' vectors are scaled with the words'; a question stays as it is.
"""

from typing import Literal

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Batch, Encoded
from heed.corpora.tokens import PAD
from heed.measures.rankings import ranking
from heed.models.attended import Attended, asked, device_of, forward, of_tokens
from heed.models.head import Head
from heed.params import Params
from heed.progress import progress

STEPS = 20
_SOURCE = "Sundararajan et al. (2017), equation 3, 20 midpoints from zero vectors"
_COST = f"{STEPS} forward and backward passes"


def probability(head: Head, logits: Tensor, predicted: Tensor) -> Tensor:
    """ŷ (B,), as the gradient's: of class 1 with one sigmoid, else of the full text's `predicted` (B,)."""
    probs = head.from_logits(logits)
    if head.link == "sigmoid":
        return probs[:, 1]
    return probs.gather(1, predicted[:, None]).squeeze(1)


def integrated_gradients(
    model: Attended, batch: Batch, attention: Literal["held", "live"] = "held", steps: int = STEPS
) -> Tensor:
    """e_t · mean over k = 1..steps of ∂ŷ/∂e_t at e (k - ½)/steps, signed, shape (B, T); 0 at padding.

    attention: `held`, the full text's weights at every step; `live`, computed at each step, and the gradient
    goes through it: then the sum over all positions tends to ŷ(e) - ŷ(0) as the steps get finer.
    """
    with torch.backends.cudnn.flags(enabled=False), torch.enable_grad():
        batch = asked(model, batch)
        embedded = model.embed(batch).detach()
        with torch.no_grad():
            full = forward(model, batch, embedded=embedded)
        held = full.attention if attention == "held" else None
        total = torch.zeros_like(embedded)
        for step in range(1, steps + 1):
            scaled = (embedded * ((step - 0.5) / steps)).requires_grad_()
            output = forward(model, batch, attention=held, embedded=scaled)
            target = probability(model.head, output.logits, full.logits.argmax(1))
            (slope,) = torch.autograd.grad(target.sum(), scaled)
            total += slope
    found = (embedded * total / steps).sum(2)
    return found.masked_fill(batch.codes == PAD, 0).detach()


def _sizes(model: Attended, data: Encoded, p: Params, attention: str) -> dict[str, np.ndarray]:
    """|IG| of every token of a split, markers left out: instance id to (n,)."""
    of_tokens(model)
    found = {}
    for batch in progress(data.by_budget(p.tokens_per_batch), "integrated gradients, batches"):
        sizes = integrated_gradients(model, batch.to(device_of(model)), attention).abs().cpu().numpy()
        real = batch.real.numpy()
        for b, name in enumerate(batch.ids):
            found[name] = sizes[b][real[b]]
    return {name: found[name] for name in data.ids}


@ranking(
    "integrated_gradients_held",
    label="integrated gradients (held)",
    short="IG held",
    what="the size of the gradients' mean on the way from zero vectors, times the vector; attention held",
    source=_SOURCE,
    cost=_COST,
    dear=True,
)
def integrated_gradients_held(model: Attended, data: Encoded, p: Params, notes: dict) -> dict:
    """|IG| of every token, the full text's attention at every step: instance id to (n,)."""
    return _sizes(model, data, p, "held")


@ranking(
    "integrated_gradients_live",
    label="integrated gradients (live)",
    short="IG live",
    what="the same, with attention computed anew at every step",
    source=_SOURCE,
    cost=_COST,
    dear=True,
)
def integrated_gradients_live(model: Attended, data: Encoded, p: Params, notes: dict) -> dict:
    """|IG| of every token, attention computed at every step: instance id to (n,)."""
    return _sizes(model, data, p, "live")
