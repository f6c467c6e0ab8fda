"""The models: embedding, encoder, attention, head; one protocol, one forward pass.

Sources: Jain & Wallace (2019), section 2 and its code. Every decoder is linear before it is anything
else, so what attention acts on are values u_t = V h_t (MATH: one statistic is enough).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from heed.batches import Batch
from heed.errors import HeedError
from heed.head import Head
from heed.params import Params
from heed.text import PAD


class Attended(Protocol):
    """A model whose attention can be looked at, and given from outside.

    The score and the value of a position depend on its state, and on its text's query, alone. Where there
    is an `encoder` that is one of ENCODERS, `encode` is that; leave-one-out then has a fast form.
    """

    head: Head
    attend_markers: bool

    def embed(self, batch: Batch) -> Tensor:
        """Embedded tokens (B, T, E)."""

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        """States (B, T, H)."""

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        """Attention before the softmax (B, T)."""

    def values(self, states: Tensor) -> Tensor:
        """What attention averages (B, T, D)."""

    def shift(self, batch: Batch) -> Tensor:
        """What the head adds to the context (B, D): the bias, or the query's part."""


@dataclass(frozen=True)
class Output:
    """One forward pass: attention (B, T), values (B, T, D), shift and context (B, D), logits."""

    embedded: Tensor
    attention: Tensor
    values: Tensor
    shift: Tensor
    context: Tensor
    logits: Tensor


def attended_to(model: Attended, batch: Batch) -> Tensor:
    """Which positions take part in attention, shape (B, T)."""
    return batch.codes != PAD if model.attend_markers else batch.real


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
    embedded = model.embed(batch) if embedded is None else embedded
    states = model.encode(embedded, batch)
    if attention is None:
        mask = attended_to(model, batch)
        scores = model.scores(states, batch).masked_fill(~mask, -torch.inf)
        # A text without tokens (its only one left out) has no attention: its context is zero.
        weights = torch.where(mask.any(1, keepdim=True), scores.softmax(1), 0.0)
    else:
        weights = attention(model, batch) if callable(attention) else attention
    weights = weights.detach() if detach else weights
    values, shift = model.values(states), model.shift(batch)
    context = torch.einsum("bt,btd->bd", weights, values)
    logits = model.head.logits(context, shift, batch.allowed)
    return Output(embedded, weights, values, shift, context, logits)


class BiLSTM(nn.Module):
    """Two one-directional LSTMs; the second reads each text reversed within its own length.

    Equal to a packed bidirectional LSTM, and several times faster on a CPU.
    """

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.forwards = nn.LSTM(width, p.hidden, batch_first=True)
        self.backwards = nn.LSTM(width, p.hidden, batch_first=True)
        self.size = 2 * p.hidden

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], device=x.device)
        reverse = lengths[:, None] - 1 - positions
        reverse = torch.where(reverse >= 0, reverse, positions)[:, :, None]
        ahead, _ = self.forwards(x)
        behind, _ = self.backwards(x.gather(1, reverse.expand_as(x)))
        return torch.cat([ahead, behind.gather(1, reverse.expand_as(behind))], dim=2)


class CNN(nn.Module):
    """Convolutions of several odd widths side by side, same padding, ReLU."""

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv1d(width, p.cnn_filters, k, padding=k // 2) for k in p.cnn_widths)
        self.size = p.cnn_filters * len(p.cnn_widths)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        x = x.transpose(1, 2)
        return torch.cat([convolve(x) for convolve in self.filters], dim=1).relu().transpose(1, 2)


class Average(nn.Module):
    """A projection of each token on its own."""

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.project = nn.Linear(width, p.average_dim)
        self.activate = getattr(torch, p.average_activation)
        self.size = p.average_dim

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.activate(self.project(x))


class Additive(nn.Module):
    """v · tanh(W h); W: H to H/2, no bias in v."""

    def __init__(self, size: int):
        super().__init__()
        self.inner, self.outer = (
            nn.Linear(size, max(size // 2, 1)),
            nn.Linear(max(size // 2, 1), 1, bias=False),
        )

    def forward(self, states: Tensor) -> Tensor:
        return self.outer(self.inner(states).tanh()).squeeze(2)


class Dot(nn.Module):
    """w · h / sqrt(H) with a learned w, since there is no query."""

    def __init__(self, size: int):
        super().__init__()
        self.outer, self.scale = nn.Linear(size, 1, bias=False), size**-0.5

    def forward(self, states: Tensor) -> Tensor:
        return self.outer(states).squeeze(2) * self.scale


class Uniform(nn.Module):
    """Equal scores: the mean of the states. A baseline: is attention needed at all?"""

    def __init__(self, size: int):
        super().__init__()

    def forward(self, states: Tensor) -> Tensor:
        return states.new_zeros(states.shape[:2])


class Last(nn.Module):
    """All weight on the last token. A baseline; of a BiLSTM its final states, as `BothEnds` gives them."""

    def __init__(self, size: int):
        super().__init__()

    def forward(self, states: Tensor) -> Tensor:
        # Steps so wide that a softmax over them is exactly one-hot; markers and padding are masked by then.
        steps = torch.arange(states.shape[1], device=states.device, dtype=states.dtype) * 1e4
        return steps.expand(states.shape[:2])


class BothEnds(BiLSTM):
    """A BiLSTM whose backward half is, at every position, its state at the first token."""

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        ahead, behind = super().forward(x, lengths).chunk(2, dim=2)
        return torch.cat([ahead, behind[:, 1:2].expand_as(behind)], dim=2)


ENCODERS = {"bilstm": BiLSTM, "cnn": CNN, "average": Average}
ATTENTIONS = {"additive": Additive, "dot": Dot, "uniform": Uniform, "last": Last}


class Classifier(nn.Module):
    """Attended: embedding, one encoder, one attention, a linear decoder. Binary: one logit."""

    def __init__(self, p: Params, embeddings: Tensor, classes: int):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(embeddings, freeze=False, padding_idx=PAD)
        kind = BothEnds if (p.encoder, p.attention) == ("bilstm", "last") else ENCODERS[p.encoder]
        self.encoder = kind(embeddings.shape[1], p)
        self.attention = ATTENTIONS[p.attention](self.encoder.size)
        self.decoder = nn.Linear(self.encoder.size, 1 if classes == 2 else classes)
        self.head = Head("identity", "sigmoid" if classes == 2 else "softmax")
        self.attend_markers = p.attend_markers

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        return self.encoder(embedded, batch.lengths)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return self.attention(states)

    def values(self, states: Tensor) -> Tensor:
        return nn.functional.linear(states, self.decoder.weight)

    def shift(self, batch: Batch) -> Tensor:
        return self.decoder.bias.expand(len(batch.ids), -1)


class Guided(Classifier):
    """A classifier whose attention is given, by instance id, and isn't learnt. A weight of 0 stays 0."""

    def __init__(self, p: Params, embeddings: Tensor, classes: int):
        super().__init__(p.model_copy(update={"attention": "uniform"}), embeddings, classes)
        self.given: dict[str, np.ndarray] = {}

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return frozen(self.given)(self, batch).log()


def build(p: Params, embeddings: np.ndarray, classes: int) -> Classifier:
    """A model with initial weights drawn by the run's seed, in the precision of training.

    A trained adversary must not start where its base did: its weights are drawn from a stream of their own.
    """
    afresh = int(np.random.SeedSequence([p.seed, 6]).generate_state(1)[0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(afresh if p.kl_weight else p.seed)
        kind = Guided if p.base and not p.kl_weight else Classifier
        model = kind(p, torch.as_tensor(embeddings, dtype=torch.float32), classes)
    return model.to(getattr(torch, p.precision))
