"""What mends attention in training: terms that are added to a text's loss, each by a parameter of its own.

Sources: Mohankumar et al. (2020), diversity; Tutek & Šnajder (2020), tying and masked words; heed, erasure.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed.corpora.batches import Batch
from heed.errors import HeedError
from heed.models.attended import Attended, Output, attended_to, counted
from heed.models.attentions import LEARNED, is_sparse
from heed.models.training import Objective
from heed.params import REPAIRING, Params

HIDDEN = 0.15  # the share of words that is hidden, as Devlin et al. (2019) hide them
# What answers questions hasn't got: a linear head, an output for words.
CLASSIFIERS_ONLY = ("masked_words", "erasure_weight", "lie_weight")


def conicity(states: Tensor, real: Tensor) -> Tensor:
    """Mean |cosine| of a text's states (B, T, H) with their mean, in [0, 1]: (B,). real (B, T).

    Source: Mohankumar et al. (2020), section 3.1; the absolute value is the code's.
    """
    weights = real[:, :, None].to(states)
    mean = (states * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
    cosine = F.cosine_similarity(states, mean, dim=2, eps=1e-12).abs()
    return (cosine * weights[:, :, 0]).sum(1) / weights.sum((1, 2))


def distance(states: Tensor, embedded: Tensor, real: Tensor) -> Tensor:
    """Mean over a text's real tokens of ‖h_t - e_t‖, (B,); states and embedded (B, T, H), real (B, T).

    Source: Tutek & Šnajder (2020); their code's mean is over padding, too.
    """
    weights = real.to(states)
    return (torch.linalg.vector_norm(states - embedded, dim=2) * weights).sum(1) / weights.sum(1)


def erased(attention: Tensor, values: Tensor) -> Tensor:
    """How far the logits move when each weight is erased, states held and the others scaled up: (B, T).

    attention (B, T), values (B, T, D). The largest change of any two logits' difference, of one logit its
    change: a_t |r_t - c_-t|, c_-t the context without t. No sum less a part, which would lose digits where
    a weight is near 1; where nothing is left the context is 0, and the bias alone decides.
    """
    parts = torch.cat([attention[..., None] * values, attention[..., None]], dim=2)
    without = _before(parts) + _before(parts.flip(1)).flip(1)
    mass = without[..., -1:]
    context = torch.where(mass > 0, without[..., :-1] / torch.where(mass > 0, mass, 1), 0.0)
    moved = attention[..., None] * (context - values)
    if values.shape[2] == 1:
        return moved[..., 0].abs()
    return moved.amax(2) - moved.amin(2)


def _before(parts: Tensor) -> Tensor:
    """Sums (B, T, D) over all that stand earlier in the text."""
    return F.pad(parts.cumsum(1)[:, :-1], (0, 0, 1, 0))


def unlike_erasure(scores: Tensor, attention: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """KL(softmax of `erased` ‖ attention) in nats, (B,): the first is what attention is to become.

    scores (B, T) are attention's own, before its softmax. No gradient goes through `erased`.
    """
    moved = erased(attention.detach(), values.detach())
    target = moved.masked_fill(~mask, -torch.inf).log_softmax(1)
    log_attention = scores.log_softmax(1).masked_fill(~mask, 0.0)
    weights = target.exp()
    return (weights * (target.masked_fill(~mask, 0.0) - log_attention)).sum(1)


def hidden_words(model: nn.Module, batch: Batch) -> Tensor:
    """Mean cross-entropy in nats of the words that are hidden, told from the states at their places: (B,).

    Each word is hidden with probability HIDDEN, drawn by torch: its vector is 0. Where none is, 0.
    """
    whole = replace(batch, distinct=None, places=None)
    hidden = (torch.rand(batch.codes.shape, device=batch.codes.device) < HIDDEN) & batch.real
    states = model.encode(model.embed(whole).masked_fill(hidden[:, :, None], 0.0), whole)
    loss = F.cross_entropy(model.of_words(states[hidden]), batch.codes[hidden], reduction="none")
    text, _ = hidden.nonzero(as_tuple=True)
    total = states.new_zeros(len(states)).index_add(0, text, loss)
    return total / hidden.sum(1).clamp(min=1)


def _conicity(model: Attended, output: Output, batch: Batch) -> Tensor:
    return conicity(output.states, counted(model, batch))


def _tying(model: Attended, output: Output, batch: Batch) -> Tensor:
    embedded = model.embed(replace(batch, distinct=None, places=None))
    return distance(output.states, embedded, batch.real)


def _masked_words(model: Attended, output: Output, batch: Batch) -> Tensor:
    return hidden_words(model, batch)


def _erasure(model: Attended, output: Output, batch: Batch) -> Tensor:
    return unlike_erasure(output.scores, output.attention, output.values, attended_to(model, batch))


# Each parameter's term: (model, output, batch) to a number a text, (B,).
TERMS: dict[str, Callable[[Attended, Output, Batch], Tensor]] = {
    "conicity_weight": _conicity,
    "tying": _tying,
    "masked_words": _masked_words,
    "erasure_weight": _erasure,
}


def repaired(objective: Objective, p: Params) -> Objective:
    """The objective with the terms that the parameters ask for; as it is where they ask for none."""
    weights = {name: getattr(p, name) for name in REPAIRING if getattr(p, name)}
    if not weights:
        return objective

    def loss(model: Attended, output: Output, batch: Batch) -> Tensor:
        total = objective(model, output, batch)
        for name, weight in weights.items():
            total = total + weight * TERMS[name](model, output, batch).sum()
        return total

    return loss


def check(p: Params, model: nn.Module, width: int, task: str) -> None:
    """Raises HeedError, one sentence, if this model can't be mended or taught to lie as its parameters say.

    width: columns of a word's vector.
    """
    asked = [name for name in (*REPAIRING, "lie_weight") if getattr(p, name)]
    for name in asked:
        if task != "classification" and name in CLASSIFIERS_ONLY:
            raise HeedError(f"{name}: what answers questions hasn't got it. Leave it out, or classify texts.")
        if name != "conicity_weight" and name != "erasure_weight" and model.encoder.unit != "token":
            raise HeedError(
                f"{name}: it is of words, and encoder {p.encoder} attends to {model.encoder.unit}s. Give "
                "another encoder."
            )
    for name in {"erasure_weight", "lie_weight"}.intersection(asked):
        if p.attention not in LEARNED or is_sparse(p.attention) or model.attention is None:
            raise HeedError(
                f"{name}: attention {p.attention} is exactly 0 somewhere, or isn't learnt, so it can't be "
                "led. Give attention additive or dot."
            )
    if p.tying and (p.reads_pieces or model.encoder.size != width):
        raise HeedError(
            f"tying: states have {model.encoder.size} columns and word vectors {width}; a state is tied to "
            "its word's vector only where they are alike. Give hidden half of embedding_dim, or average_dim "
            "all of it."
        )
    if p.masked_words and (p.reads_pieces or not model.encoder.contextual):
        raise HeedError(
            "masked_words: a hidden word is told by those around it, which this encoder doesn't see, or "
            "learnt to before. Give an encoder that is trained and knows its context, such as bilstm."
        )
    if p.lie_weight and p.kl_weight:
        raise HeedError(
            "lie_weight and kl_weight: a model learns labels with attention away from words, or another "
            "model's predictions. Leave one of them out."
        )
