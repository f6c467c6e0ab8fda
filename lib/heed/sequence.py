"""Sequence to sequence, copying: can attention be learnt where words that go together can't be counted?

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns", copying
experiment; symbols as in their slides: attention a, relevance r. Chapter 09.
Letters: B sequences, S source positions, L target positions, V symbols and the two marks, H hidden.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pandera.pandas as pa
import torch
from scipy.stats import binomtest
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from heed.errors import HeedError
from heed.head import ACTS, Head
from heed.measures import Measure, register, validate
from heed.params import Copying

LONGEST = 500  # symbols of a sequence: attention and relevance grow with its square
GOOD, BAD = 0.95, 0.6  # token accuracy above which a model has learnt, below which it hasn't (authors' code)
_FINDS = (0.0, 1.0), "higher finds more of the truth", "Snell et al. (2021), copying experiment", "copied"
register(
    "copied",
    {"step": pa.Column(int, unique=True)},
    Measure("loss", "loss (nats a token)", (0.0, np.inf), "lower is better", *_FINDS[2:]),
    Measure("copied", "token accuracy", *_FINDS),
    Measure("relevant", "relevance: top at the right place", *_FINDS),
    Measure("least", "relevance: lowest at the right place", *_FINDS),
    Measure("pointed", "token accuracy, all attention on the right place", *_FINDS),
    Measure("attended", "attention: top at the right place", *_FINDS),
    Measure("attended_early", "attention: top one place before", *_FINDS),
    Measure("attended_late", "attention: top one place after", *_FINDS),
)


def check(p: Copying) -> None:
    """Raises HeedError for a task that can't be: too few symbols to be all different, or more of them than a
    permutation has, or an over-long one."""
    if p.corpus != "copy-iid" and p.drawn_from < p.length:
        raise HeedError(
            f"copying: {p.drawn_from} symbols can't make a sequence of {p.length} that are all different. "
            f"Give symbols = {p.length} or more, or corpus = 'copy-iid'."
        )
    if p.corpus == "copy-permutations" and p.drawn_from > p.length:
        raise HeedError(
            f"copying: {p.length} of {p.drawn_from} symbols are no permutation, some are missing each time. "
            f"Give symbols = {p.length}, or corpus = 'copy-chosen'."
        )
    if p.heads and p.attention != "bilinear":
        raise HeedError(f"copying: heads = {p.heads} attend, {p.attention} attention doesn't. Give bilinear.")
    if p.length > LONGEST:
        raise HeedError(
            f"copying: a sequence of {p.length} symbols, expected {LONGEST} at most. Give a smaller length."
        )


def draw(p: Copying, count: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """New sequences: source (count, length + 1), ending in the end mark, and what the decoder is given.

    The second is the source one step late behind the start mark: teacher forcing. The target is the source
    itself. Symbols are 0, 1, ..., then come the end mark and the start mark.
    """
    symbols = p.drawn_from
    if p.corpus == "copy-iid":
        codes = rng.integers(symbols, size=(count, p.length))
    else:
        codes = rng.permuted(np.tile(np.arange(symbols), (count, 1)), axis=1)[:, : p.length]
    source = np.pad(codes, ((0, 0), (0, 1)), constant_values=symbols)
    given = np.pad(codes, ((0, 0), (1, 0)), constant_values=symbols + 1)
    return torch.as_tensor(source), torch.as_tensor(given)


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


def hits(weights: np.ndarray, late: int = 0) -> float:
    """Share of steps whose largest weight lies at their own position, or `late` after it; weights (B, L, S).

    Over the steps that have such a position. Of several largest ones, equal but for rounding, a step counts
    in part: flat weights score 1/S. late = 1 is the state after the symbol's own, which may hold it as well.
    """
    largest = weights.max(2, keepdims=True)
    top = largest - weights <= 100 * np.finfo(weights.dtype).eps * (1 + np.abs(largest))
    return float(np.diagonal(top / top.sum(2, keepdims=True), late, 1, 2).mean())


@torch.no_grad()
def look(model: Copier, source: Tensor, given: Tensor) -> dict[str, float]:
    """How well a model copies under teacher forcing, and where its attention and relevance are.

    `pointed`: how well it would copy if all attention were on the symbol that is to be written. `least`: the
    share of steps at which that symbol's position has the *lowest* relevance: the dictionary turned round.
    """
    log_probs, attention = model(source, given)
    states, start = model.encode(source)
    decoded, r = model.decoder(model.embed(given), start)[0], relevance(model, source, given).numpy()
    pointed = model.log_probs(decoded, states)  # step by step, the position of its own symbol alone
    found = {"loss": F.nll_loss(log_probs.flatten(0, 1), source.flatten()).item()}
    for name, said in (("copied", log_probs), ("pointed", pointed)):
        found[name] = (said.argmax(2) == source).double().mean().item()
    late = {"attended": 0, "attended_early": -1, "attended_late": 1}
    found |= {name: hits(attention.numpy(), by) for name, by in late.items()}
    return found | {"relevant": hits(r), "least": hits(-r)}


def descend(loss: Tensor, adam: torch.optim.Optimizer, what: str) -> None:
    """One step down a loss. Raises HeedError if it is no number: `what` says which."""
    if not torch.isfinite(loss):
        raise HeedError(f"{what} is no number. Lower learning_rate.")
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()


def train(p: Copying) -> Iterator[tuple[int, Copier]]:
    """Train, each step on sequences never seen before; yield (steps taken, model) when it is to be looked at.

    Before the first step, then every p.every steps and after the last. Weights and sequences follow the seed.
    """
    check(p)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0 if p.heads else p.seed)  # of several heads all but the heads starts alike
        model = Copier(p).to(getattr(torch, p.precision))
    rng = np.random.default_rng([p.seed, 9])
    adam = torch.optim.Adam(model.parameters(), lr=p.learning_rate, fused=True)
    yield 0, model
    for step in range(1, p.steps + 1):
        source, given = draw(p, p.batch_size, rng)
        loss = F.nll_loss(model(source, given)[0].flatten(0, 1), source.flatten())
        descend(loss, adam, f"copying: the loss of step {step}")
        if step % p.every == 0 or step == p.steps:
            yield step, model


def watch(p: Copying) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Train and look, a row a look, each on new sequences; then one sequence with attention and relevance.

    The second: codes (S,), attention and relevance (L, S) of the finished model.
    """
    rng, rows = np.random.default_rng([p.seed, 10]), []
    for step, model in train(p):
        rows.append({"step": step} | look(model, *draw(p, p.looked_at, rng)))
    source, given = draw(p, 1, rng)
    with torch.no_grad():
        attention = model(source, given)[1]
    shown = {"codes": source, "attention": attention, "relevance": relevance(model, source, given)}
    return validate("copied", pd.DataFrame(rows)), {name: value[0].numpy() for name, value in shown.items()}


def share(succeeded: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Share of the seeds that succeeded, with Wilson's interval; (count,) of truths."""
    found = binomtest(int(np.sum(succeeded)), len(succeeded))
    low, high = found.proportion_ci(level, method="wilson")
    return found.statistic, low, high
