"""Sequence to sequence: encoder, decoder, attention between them, and what each position says alone.

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns"; symbols as
in their slides: attention a, relevance r. Chapter 09.
Letters: B sequences, S source positions, L target positions, V symbols and the two marks, H hidden.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from heed.errors import HeedError
from heed.models.head import ACTS, Head
from heed.params import Copying


class Writer(nn.Module):
    """Encoder, decoder, and attention between them: log p(o) of act(W [d; P c]), c the attended states.

    both: an encoder of two directions. how: attention `bilinear`, `uniform`, or `none` (c = 0). dropout: of
    embeddings and between layers, in training.
    """

    def __init__(self, symbols: int, size: int, both: bool, how: str, layers=1, act="tanh", dropout=0.0):
        super().__init__()
        self.how, self.layers, self.act, self.dropout, self.size = how, layers, act, dropout, size
        many = {"num_layers": layers, "batch_first": True, "dropout": dropout if layers > 1 else 0.0}
        self.embedding = nn.Embedding(symbols, size)
        self.encoder = nn.LSTM(size, size, bidirectional=both, **many)
        self.decoder = nn.LSTM(size, size, **many)
        self.score = nn.Linear(size, size * (1 + both))
        self.project = nn.Linear(size * (1 + both), size)
        self.mix = nn.Linear(2 * size, size)
        self.out = nn.Linear(size, symbols)

    def embed(self, codes: Tensor) -> Tensor:
        """Embedded codes (B, T, H)."""
        return F.dropout(self.embedding(codes), self.dropout, self.training)

    def encode(self, source: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """States (B, S, H, of two directions 2H), and where the decoder starts: the last, or their mean.

        lengths (B,): of sequences that are padded at their end.
        """
        read = self.embed(source)
        if lengths is None or lengths.min() == source.shape[1]:
            states, last = self.encoder(read)
        else:
            packed = pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
            states, last = self.encoder(packed)
            states = pad_packed_sequence(states, batch_first=True)[0]
        return states, tuple(part.unflatten(0, (self.layers, -1)).mean(1) for part in last)

    def attend(self, states: Tensor, decoded: Tensor, real: Tensor | None = None) -> Tensor:
        """Attention a of each step to each position (B, L, S): softmax of a bilinear score; real (B, S)."""
        scores = self.score(decoded) @ states.transpose(1, 2)
        scores = scores if self.how == "bilinear" else torch.zeros_like(scores)
        return (scores if real is None else scores.masked_fill(~real[:, None], -torch.inf)).softmax(2)

    def log_probs(self, decoded: Tensor, context: Tensor) -> Tensor:
        """Log-probabilities (..., V) of decoder states (..., H) with contexts (..., states)."""
        return self.mixed(decoded, self.project(context) * (self.how != "none"))

    def mixed(self, decoded: Tensor, context: Tensor) -> Tensor:
        """The same, of contexts that are projected (..., H)."""
        return self.out(ACTS[self.act](self.mix(torch.cat([decoded, context], -1)))).log_softmax(-1)

    def forward(self, source: Tensor, given: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Log-probabilities (B, L, V) and attention (B, L, S); lengths (B,) of padded sources."""
        states, start = self.encode(source, lengths)
        decoded = self.decoder(self.embed(given), start)[0]
        real = None if lengths is None else torch.arange(states.shape[1]) < lengths[:, None]
        attention = self.attend(states, decoded, real)
        return self.log_probs(decoded, attention @ states), attention

    def head(self) -> Head:
        """What turns `values` that are attended, and `shift`, into log-probabilities."""
        return Head(self.act, "softmax", self.out)

    def values(self, states: Tensor) -> Tensor:
        """What attention averages (B, S, H)."""
        return F.linear(self.project(states), self.mix.weight[:, self.size :])

    def shift(self, decoded: Tensor) -> Tensor:
        """What the decoder adds to it (B, L, H)."""
        return F.linear(decoded, self.mix.weight[:, : self.size], self.mix.bias)


class Together(nn.ModuleList):
    """The mean of several layers' outputs."""

    def forward(self, x: Tensor) -> Tensor:
        return sum(layer(x) for layer in self) / len(self)


class Copier(Writer):
    """The model that copies.

    With p.heads it has several: each scores and projects for itself, with first weights of its own seed, and
    the mean of what they bring is mixed in. Its attention is their mean. Relevance is then of a position that
    all of them attend to.
    """

    def __init__(self, p: Copying):
        super().__init__(p.drawn_from + 2, p.hidden, p.encoder == "bilstm", p.attention)
        self.heads = len(p.heads)
        if p.heads:
            drawn = []
            for seed in p.heads:
                torch.manual_seed(seed)
                drawn.append((nn.Linear(p.hidden, self.score.out_features),
                              nn.Linear(self.project.in_features, p.hidden)))  # fmt: skip
            self.scores, self.project = nn.ModuleList(s for s, _ in drawn), Together(q for _, q in drawn)
            del self.score

    def forward(self, source: Tensor, given: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if not self.heads:
            return super().forward(source, given, lengths)
        states, start = self.encode(source)
        decoded = self.decoder(self.embed(given), start)[0]
        each = [(score(decoded) @ states.transpose(1, 2)).softmax(2) for score in self.scores]
        brought = sum(project(a @ states) for a, project in zip(each, self.project, strict=True))
        return self.mixed(decoded, brought / self.heads), sum(each) / self.heads


@torch.no_grad()
def relevance(model: Writer, source: Tensor, given: Tensor, target: Tensor | None = None) -> Tensor:
    """r (B, L, S): log-probability of each step's target with all attention on one position alone.

    target (B, L): the source, unless it is given. Nothing is padded.
    """
    states, start = model.encode(source)
    decoded, found = model.decoder(model.embed(given), start)[0], []
    for own, steps, wanted in zip(states, decoded, source if target is None else target, strict=True):
        pairs = len(steps), len(own), -1
        log_probs = model.log_probs(steps[:, None].expand(*pairs), own[None].expand(*pairs))
        found.append(log_probs.gather(2, wanted[:, None, None].expand(*pairs[:2], 1)).squeeze(2))
    return torch.stack(found)


@torch.no_grad()
def linear_relevance(model: Writer, source: Tensor, target: Tensor) -> Tensor:
    """r (B, L, S) as in the slides: W_o u_t of each step's target o and each position's value u_t.

    It knows nothing of the decoder, and leaves the head's nonlinearity out.
    """
    values = model.values(model.encode(source)[0])
    return model.out.weight[target] @ values.transpose(1, 2)


def descend(loss: Tensor, adam: torch.optim.Optimizer, what: str) -> None:
    """One step down a loss. Raises HeedError if it is no number: `what` says which."""
    if not torch.isfinite(loss):
        raise HeedError(f"{what} is no number. Lower learning_rate.")
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()
