"""Gradients: how fast the prediction changes at each position. Only the model can tell."""

from typing import Literal

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Batch, Encoded
from heed.corpora.tokens import PAD
from heed.measures.rankings import ranking
from heed.models.attended import Attended, device_of, forward, of_tokens
from heed.models.head import Head
from heed.params import Params
from heed.progress import progress


def _target(head: Head, logits: Tensor, labels: Tensor, of: str) -> Tensor:
    """The number of each instance whose derivative is taken, shape (B,)."""
    log_probs = head.log_from_logits(logits)
    if of == "loglik":
        return log_probs.gather(1, labels[:, None]).squeeze(1)
    if head.link == "sigmoid":
        return log_probs[:, 1].exp() if of == "prob" else logits[:, 0]
    chosen = logits.argmax(1, keepdim=True)
    return (log_probs.exp() if of == "prob" else logits).gather(1, chosen).squeeze(1)


def gradient(
    model: Attended,
    batch: Batch,
    of: Literal["prob", "logit", "loglik"] = "prob",
    wrt: Literal["token", "gate", "attention"] = "token",
    attention: Literal["detached", "live"] = "detached",
) -> np.ndarray:
    """Derivative of each prediction at each position, shape (B, T); 0 at padding.

    of: the probability or logit of class 1 (one sigmoid) or of the predicted class (softmax), or the
    gold label's log-likelihood. wrt: `token`, |E[w]·d/de|, the one-hot's own derivative (J&W,
    algorithm 1); `gate`, E[w]·d/de with its sign; `attention`, d/da_t with the states held fixed.
    attention="detached" lets no gradient through the attention's own computation.
    """
    with torch.backends.cudnn.flags(enabled=False), torch.enable_grad():
        embedded = model.embed(batch).detach().requires_grad_()
        output = forward(model, batch, detach=attention == "detached", embedded=embedded)
        if wrt == "attention":
            weights = output.attention.detach().requires_grad_()
            context = torch.einsum("bt,btd->bd", weights, output.values.detach())
            logits = model.head.logits(context, output.shift.detach(), batch.allowed)
            (slope,) = torch.autograd.grad(_target(model.head, logits, batch.labels, of).sum(), weights)
        else:
            target = _target(model.head, output.logits, batch.labels, of)
            (slope,) = torch.autograd.grad(target.sum(), embedded)
            slope = (slope * embedded).sum(2)
            slope = slope.abs() if wrt == "token" else slope
    return slope.masked_fill(batch.codes == PAD, 0).detach().cpu().numpy()


def gradients(model: Attended, data: Encoded, tokens_per_batch: int, **options) -> dict[str, np.ndarray]:
    """How fast each text's prediction moves at each of its tokens: instance id to (T,), markers left out.

    By default |∂ŷ/∂x| of the word's one-hot x, at least 0, in probability: of class 1 of two, else of the
    predicted class, attention held. tokens_per_batch bounds memory. options: of, wrt and attention, as
    `heed.measures.gradients.gradient` says. Raises HeedError for a model that attends to no tokens.
    Source: J&W (2019), algorithm 1.
    """
    of_tokens(model)
    found = {}
    for batch in progress(data.by_budget(tokens_per_batch), "gradients, batches"):
        slope, real = gradient(model, batch.to(device_of(model)), **options), batch.real.numpy()
        found |= {name: slope[b][real[b]] for b, name in enumerate(batch.ids)}
    return {name: found[name] for name in data.ids}


@ranking(
    "gradient",
    label="gradient",
    what="how fast the probability changes as the word's one-hot grows, attention held",
    source="J&W (2019), algorithm 1",
    cost="one forward and one backward pass",
    reference=True,
)
def gradient_ranking(model: Attended, data: Encoded, p: Params, notes: dict) -> dict[str, np.ndarray]:
    """|dŷ/dx| of every token, attention detached: instance id to (n,)."""
    return gradients(model, data, p.tokens_per_batch)
