"""The models: embedding, encoder, attention, head; one protocol, one forward pass.

Sources: Jain & Wallace (2019), section 2 and its code. Every decoder is linear before it is anything
else, so what attention acts on are values u_t = V h_t (MATH: one statistic is enough).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed.batches import Batch
from heed.errors import HeedError
from heed.head import Head
from heed.params import Params
from heed.text import PAD


class Attended(Protocol):
    """A model whose attention can be looked at, and given from outside.

    The score and the value of a position depend on its state, and on its text's query, alone. Where there
    is an `encoder` that is one of ENCODERS, `encode` is that; leave-one-out then has a fast form. A model
    that reads a query has `read_query(query)` (B, H); `asked` keeps what it gives, so that it is read once.
    """

    head: Head
    attend_markers: bool

    def embed(self, batch: Batch) -> Tensor:
        """Embedded tokens (B, T, E); of a batch with distinct codes those (U, E)."""

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
    """Which positions take part in attention, shape (B, T); of a model of sentences (B, S)."""
    if getattr(model, "unit", "token") == "sentence":
        count = batch.sentences.amax(1, keepdim=True) + 1
        return torch.arange(int(count.max()), device=count.device) < count
    return batch.codes != PAD if model.attend_markers else batch.real


def of_tokens(model: Attended) -> None:
    """Raises HeedError for a model that attends to sentences: tokens can't be held against its weights."""
    if getattr(model, "unit", "token") != "token":
        raise HeedError(
            "this model attends to sentences, but gradients and leave-one-out are of tokens. Run chapters "
            "01, 03, 04 and 06, or another encoder."
        )


def counted(model: Attended, batch: Batch) -> Tensor:
    """Which positions enter statistics, shape as `attended_to`: all but markers."""
    return attended_to(model, batch) if getattr(model, "unit", "token") == "sentence" else batch.real


def asked(model: Attended, batch: Batch) -> Batch:
    """The batch with its query read, so that what the query takes part in needn't read it again."""
    if batch.query is None or batch.query.vector is not None or not hasattr(model, "read_query"):
        return batch
    return replace(batch, query=replace(batch.query, vector=model.read_query(batch.query)))


def apart(model: Attended, batch: Batch) -> Batch:
    """In training, the batch of a CNN with its distinct codes: each is convolved once, wherever it stands.

    Of 8,000 tokens of reviews some 2,500 are distinct. With dropout no two tokens are the same.
    """
    of_cnn = isinstance(getattr(model, "encoder", None), CNN) and model.training
    if not of_cnn or getattr(model, "dropout", 0) or not batch.codes.is_cpu:
        return batch
    distinct, places = batch.codes.unique(return_inverse=True)
    return replace(batch, distinct=distinct, places=places)


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
    batch = asked(model, batch if embedded is not None else apart(model, batch))
    embedded = model.embed(batch) if embedded is None else embedded
    states = model.encode(embedded, batch)
    if attention is None:
        mask = attended_to(model, batch)
        scores = model.scores(states, batch).masked_fill(~mask, -torch.inf)
        scores = scores if batch.counts is None else scores + batch.counts.to(scores).log()
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

    kind = nn.LSTM

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.forwards = self.kind(width, p.hidden, batch_first=True)
        self.backwards = self.kind(width, p.hidden, batch_first=True)
        self.size = 2 * p.hidden

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], device=x.device)
        reverse = lengths[:, None] - 1 - positions
        reverse = torch.where(reverse >= 0, reverse, positions)[:, :, None]
        ahead, _ = self.forwards(x)
        behind, _ = self.backwards(x.gather(1, reverse.expand_as(x)))
        return torch.cat([ahead, behind.gather(1, reverse.expand_as(behind))], dim=2)

    def whole(self, states: Tensor, batch: Batch) -> Tensor:
        """One vector (B, H) of a text's states (B, T, H): both directions' last."""
        ahead, behind = states.chunk(2, dim=2)
        return torch.cat([ahead[range(len(states)), batch.lengths - 1], behind[:, 0]], dim=1)


class BiGRU(BiLSTM):
    """The same of two GRUs."""

    kind = nn.GRU


class CNN(nn.Module):
    """Convolutions of several odd widths side by side, same padding, ReLU.

    Of x (B, T, E), or of distinct tokens x (U, E) and their `places` (B, T): then the sum of what each token
    in the window gives, which is the same but for rounding.
    """

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv1d(width, p.cnn_filters, k, padding=k // 2) for k in p.cnn_widths)
        self.size = p.cnn_filters * len(p.cnn_widths)

    def forward(self, x: Tensor, lengths: Tensor, places: Tensor | None = None) -> Tensor:
        if places is None:
            x = x.transpose(1, 2)
            return torch.cat([convolve(x) for convolve in self.filters], dim=1).relu().transpose(1, 2)
        x = F.pad(x, (0, 0, 0, 1))  # what stands before and after a text
        return torch.cat([_summed(convolve, x, places) for convolve in self.filters], dim=2).relu()

    def whole(self, states: Tensor, batch: Batch) -> Tensor:
        """One vector (B, H) of a text's states (B, T, H): the highest over its tokens."""
        return states.masked_fill(~batch.real[:, :, None], 0).amax(1)  # none is below 0


def _summed(convolve: nn.Conv1d, x: Tensor, places: Tensor) -> Tensor:
    """A convolution (B, T, F) of distinct tokens x (U + 1, E), the last of them zeros, and their places."""
    (width,) = convolve.kernel_size
    given = (x @ convolve.weight.permute(1, 2, 0).flatten(1)).view(-1, convolve.out_channels)
    windows = F.pad(places, (width // 2, width // 2), value=len(x) - 1).unfold(1, width, 1)
    rows = windows * width + torch.arange(width)
    return F.embedding_bag(rows.flatten(0, 1), given, mode="sum").view(*places.shape, -1) + convolve.bias


class Average(nn.Module):
    """A projection of each token on its own."""

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.project = nn.Linear(width, p.average_dim)
        self.activate = getattr(torch, p.average_activation)
        self.size = p.average_dim

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.activate(self.project(x))

    def whole(self, states: Tensor, batch: Batch) -> Tensor:
        """One vector (B, H) of a text's states (B, T, H): the mean over its tokens."""
        real = batch.real[:, :, None].to(states)
        return (states * real).sum(1) / real.sum(1).clamp(min=1)


class Bare(nn.Module):
    """No encoder: a token's state is its embedding."""

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.size = width

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return x


class Additive(nn.Module):
    """v · tanh(W_1 h + W_2 q), or without a query v · tanh(W_1 h); W: H to H/2, no bias in v.

    Or relu for tanh. Source: Snell et al. (2021), whose bias in v a softmax doesn't see.
    """

    def __init__(self, size: int, query: bool = False, activation: str = "tanh"):
        super().__init__()
        self.activate = getattr(torch, activation)
        inner = max(size // 2, 1)
        self.inner, self.outer = nn.Linear(size, inner), nn.Linear(inner, 1, bias=False)
        self.query = nn.Linear(size, inner, bias=False) if query else None

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        inner = self.inner(states)
        inner = inner if self.query is None else inner + self.query(query)[:, None]
        return self.outer(self.activate(inner)).squeeze(2)


class Square(Additive):
    """v · tanh(W h) with a square W, no bias in v. Source: Yang et al. (2016), Serrano & Smith (2019)."""

    def __init__(self, size: int, activation: str = "tanh"):
        super().__init__(size, activation=activation)
        self.inner, self.outer = nn.Linear(size, size), nn.Linear(size, 1, bias=False)


class HAN(nn.Module):
    """States of sentences: a BiGRU and attention over each sentence's words, a BiGRU over the sentences.

    Source: Yang et al. (2016), with the sizes of Serrano & Smith (2019). It is given each token's sentence.
    """

    unit = "sentence"

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.words = BiGRU(width, p)
        kind = Square if p.attention_square else Additive
        self.attention = kind(self.words.size, activation=p.attention_activation)
        self.sentences, self.dropout = BiGRU(self.words.size, p), p.dropout_sentences
        self.size = self.sentences.size

    def forward(self, x: Tensor, sentence: Tensor) -> Tensor:
        """States (B, S, H) of embedded tokens (B, T, E); sentence (B, T) counts from 0, -1 at no token."""
        lengths = sentence.amax(1) + 1
        text, token = (sentence >= 0).nonzero(as_tuple=True)
        # Each sentence is a row of its own: sentences of a text, then those of the next.
        which = torch.cumsum(lengths, 0)[text] - lengths[text] + sentence[text, token]
        count = which.bincount()
        place = torch.arange(len(which), device=x.device) - (count.cumsum(0) - count)[which]
        words = x.new_zeros(len(count), int(count.max()), x.shape[2])
        words[which, place] = x[text, token]
        states = self.words(words, count)
        beyond = torch.arange(words.shape[1], device=x.device) >= count[:, None]
        weights = self.attention(states).masked_fill(beyond, -torch.inf).softmax(1)
        vectors = x.new_zeros(len(x), int(lengths.max()), self.words.size)
        inside = torch.arange(vectors.shape[1], device=x.device) < lengths[:, None]
        vectors[inside] = torch.einsum("nt,nth->nh", weights, states)
        return self.sentences(F.dropout(vectors, self.dropout, self.training), lengths)


class Dot(nn.Module):
    """q · h / sqrt(H), or without a query w · h / sqrt(H) with a learned w."""

    def __init__(self, size: int, query: bool = False):
        super().__init__()
        self.outer, self.scale = None if query else nn.Linear(size, 1, bias=False), size**-0.5

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        if self.outer is None:
            return torch.einsum("bth,bh->bt", states, query) * self.scale
        return self.outer(states).squeeze(2) * self.scale


class Uniform(nn.Module):
    """Equal scores: the mean of the states. A baseline: is attention needed at all?"""

    def __init__(self, size: int, query: bool = False):
        super().__init__()

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        return states.new_zeros(states.shape[:2])


class Last(nn.Module):
    """All weight on the last token. A baseline; of a BiLSTM its final states, as `BothEnds` gives them."""

    def __init__(self, size: int, query: bool = False):
        super().__init__()

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        # Steps so wide that a softmax over them is exactly one-hot; markers and padding are masked by then.
        steps = torch.arange(states.shape[1], device=states.device, dtype=states.dtype) * 1e4
        return steps.expand(states.shape[:2])


class BothEnds(BiLSTM):
    """A BiLSTM whose backward half is, at every position, its state at the first token."""

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        ahead, behind = super().forward(x, lengths).chunk(2, dim=2)
        return torch.cat([ahead, behind[:, 1:2].expand_as(behind)], dim=2)


ASKED = ("bilstm", "cnn", "average")  # encoders that also read a question
ENCODERS = {"bilstm": BiLSTM, "cnn": CNN, "average": Average, "gru": BiGRU, "none": Bare}
OF_SENTENCES = {"han": HAN}
ATTENTIONS = {"additive": Additive, "dot": Dot, "uniform": Uniform, "last": Last}


def _encoder(width: int, p: Params) -> nn.Module:
    ends = (p.encoder, p.attention) == ("bilstm", "last")
    return (BothEnds if ends else (ENCODERS | OF_SENTENCES)[p.encoder])(width, p)


def _attention(size: int, p: Params, **query: bool) -> nn.Module:
    if p.attention != "additive":
        return ATTENTIONS[p.attention](size, **query)
    return (Square if p.attention_square else Additive)(size, **query, activation=p.attention_activation)


class Classifier(nn.Module):
    """Attended: embedding, one encoder, one attention, a linear decoder. Binary: one logit."""

    def __init__(self, p: Params, embeddings: Tensor, classes: int):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(embeddings, freeze=False, padding_idx=PAD)
        self.encoder = _encoder(embeddings.shape[1], p)
        self.attention = _attention(self.encoder.size, p)
        self.decoder = nn.Linear(self.encoder.size, 1 if classes == 2 else classes)
        self.head = Head("identity", "sigmoid" if classes == 2 else "softmax")
        self.attend_markers, self.unit = p.attend_markers, getattr(self.encoder, "unit", "token")
        self.dropout, self.head.dropout = p.dropout, p.dropout_logits
        if p.xavier:
            _xavier(self)

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes if batch.distinct is None else batch.distinct)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        embedded = F.dropout(embedded, self.dropout, self.training)
        return _encoded(self, embedded, batch)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return self.attention(states)

    def values(self, states: Tensor) -> Tensor:
        return nn.functional.linear(states, self.decoder.weight)

    def shift(self, batch: Batch) -> Tensor:
        return self.decoder.bias.expand(len(batch.ids), -1)


def _encoded(model: Attended, embedded: Tensor, batch: Batch) -> Tensor:
    where = batch.sentences if getattr(model, "unit", "token") == "sentence" else batch.lengths
    places = () if batch.places is None else (batch.places,)
    return model.encoder(embedded, where, *places)


def _xavier(model: Classifier) -> None:
    """Xavier-uniform decoder and GRU inputs, orthogonal recurrent weights, no biases."""
    for part in model.modules():
        for name, weight in part.named_parameters() if isinstance(part, nn.GRU) else ():
            draw = {"weight_ih": nn.init.xavier_uniform_, "weight_hh": nn.init.orthogonal_}
            draw.get(name.removesuffix("_l0"), nn.init.zeros_)(weight)
    nn.init.xavier_uniform_(model.decoder.weight)
    nn.init.zeros_(model.decoder.bias)


class Reader(nn.Module):
    """Attended: answers a question about a passage, or says how a hypothesis follows from a premise.

    Passage and query have an embedding and an encoder each. W_2 tanh(W_p c + W_q q + b) of the context c and
    the query q, softmax over the answers that are allowed. Source: J&W (2019), section 2, and its code.
    """

    def __init__(self, p: Params, embeddings: Tensor, classes: int):
        super().__init__()
        self.embedding, self.query_embedding = (
            nn.Embedding.from_pretrained(embeddings.clone(), freeze=False, padding_idx=PAD) for _ in range(2)
        )
        self.encoder = _encoder(embeddings.shape[1], p)
        self.query_encoder = ENCODERS[p.encoder](embeddings.shape[1], p)
        size, inner = self.encoder.size, max(self.encoder.size // 2, 1)
        self.attention = _attention(size, p, query=True)
        self.of_context, self.of_query = nn.Linear(size, inner, bias=False), nn.Linear(size, inner)
        self.head = Head("tanh", "softmax", nn.Linear(inner, classes))
        self.attend_markers = p.attend_markers

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes if batch.distinct is None else batch.distinct)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        return _encoded(self, embedded, batch)

    def read_query(self, query: Batch) -> Tensor:
        """Each query as one vector (B, H)."""
        if query.vector is not None:
            return query.vector
        states = self.query_encoder(self.query_embedding(query.codes), query.lengths)
        return self.query_encoder.whole(states, query)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return self.attention(states, self.read_query(batch.query))

    def values(self, states: Tensor) -> Tensor:
        return self.of_context(states)

    def shift(self, batch: Batch) -> Tensor:
        return self.of_query(self.read_query(batch.query))


class Guided:
    """Mixed into a model: attention is given, by instance id, and is not learnt; a weight of 0 stays 0."""

    def __init__(self, *given):
        super().__init__(*given)
        self.attention, self.given = None, {}

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return frozen(self.given)(self, batch).log()


class GuidedClassifier(Guided, Classifier):
    """A classifier with given attention."""


class GuidedReader(Guided, Reader):
    """A reader with given attention."""


def of_bags(p: Params) -> bool:
    """Whether what a model predicts depends on how often a text has each token alone."""
    return p.encoder in ("average", "none") and p.attention != "last" and not (p.base or p.dropout)


def build(p: Params, embeddings: np.ndarray, classes: int, task: str = "classification") -> nn.Module:
    """A model with initial weights drawn by the run's seed, in the precision of training.

    A trained adversary must not start where its base did: its weights are drawn from a stream of their own.
    Raises HeedError for an encoder or a parameter that models of this task haven't got.
    """
    kinds = (GuidedClassifier, GuidedReader) if p.base and not p.kl_weight else (Classifier, Reader)
    if task != "classification" and p.encoder not in ASKED:
        raise HeedError(f"encoder {p.encoder} answers nothing, it classifies. Use one of {list(ASKED)}.")
    only = [n for n in ("attention_square", "dropout", "dropout_logits", "xavier") if getattr(p, n)]
    if task != "classification" and only:
        raise HeedError(f"{only[0]}: what answers questions hasn't got it. Leave it out, or classify texts.")
    kind = kinds[task != "classification"]
    afresh = int(np.random.SeedSequence([p.seed, 6]).generate_state(1)[0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(afresh if p.kl_weight else p.seed)
        model = kind(p, torch.as_tensor(embeddings, dtype=torch.float32), classes)
    return model.to(getattr(torch, p.precision))
