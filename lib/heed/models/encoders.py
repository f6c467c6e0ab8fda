"""The encoders: what makes the states that attention averages, and all that the rest of heed knows of each.

A new one is a class here, a place in ENCODERS, and its name among `encoder`'s choices in params.py.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed.corpora.batches import Batch
from heed.errors import HeedError, choose
from heed.models.attentions import Additive, Square
from heed.params import Params

UNITS = ("token", "sentence")
# How leave-one-out leaves tokens out; all but the first without a forward pass for each.
LEFT_OUT = {
    "plain": "the model reads every shortened text",
    "window": "the states within `reach` tokens of the cut are made anew, as a CNN makes them",
    "reread": "two LSTMs read on from the cut, until they have forgotten it",
}


class Encoder(nn.Module):
    """What an encoder says of itself, once. Calling it gives states (B, T, H); H is its `size`."""

    name: str  # in parameters and in folders
    label: str  # in figures and tables
    shape: str  # of its mark on the site's browse page, which draws those of style.SHAPES
    unit = "token"  # of what it makes states: one of UNITS
    contextual = True  # whether a unit's state knows the others
    of_bags = False  # whether a text is to it no more than how often it has each token
    reads_questions = False  # whether it also reads a question: `whole` makes one vector of its states
    reads_distinct = False  # whether it can be given distinct tokens and their places, as training then does
    reads_codes = False  # whether it is given the batch's codes in place of the texts' lengths
    left_out = "plain"  # how leave-one-out leaves a token out: one of LEFT_OUT
    size: int

    def first_weights(self) -> list[Tensor]:
        """The weights that meet the word vectors; none if nothing does."""
        return []

    def squashed(self, x: Tensor, lengths: Tensor) -> Tensor | None:
        """Of x (B, T, E), what is squashed on the way to the states (B, T, U), from 0 to 1 of its range.

        None of an encoder that squashes nothing, or whose own insides aren't looked into.
        """
        return None


class TwoWays(Encoder):
    """Two one-directional nets; the second reads each text reversed within its own length.

    Equal to a packed bidirectional net, and several times faster on a CPU.
    """

    kind: type[nn.RNNBase]

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.forwards = self.kind(width, p.hidden, batch_first=True)
        self.backwards = self.kind(width, p.hidden, batch_first=True)
        self.size = 2 * p.hidden

    def first_weights(self) -> list[Tensor]:
        return [self.forwards.weight_ih_l0, self.backwards.weight_ih_l0]

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        ahead, _ = self.forwards(x)
        behind, _ = self.backwards(_reversed(x, lengths))
        return torch.cat([ahead, _reversed(behind, lengths)], dim=2)

    def whole(self, states: Tensor, batch: Batch) -> Tensor:
        """One vector (B, H) of a text's states (B, T, H): both directions' last."""
        ahead, behind = states.chunk(2, dim=2)
        return torch.cat([ahead[range(len(states)), batch.lengths - 1], behind[:, 0]], dim=1)


def _reversed(x: Tensor, lengths: Tensor) -> Tensor:
    """Each text of x (B, T, E) reversed within its own length; what pads it stays."""
    positions = torch.arange(x.shape[1], device=x.device)
    reverse = lengths[:, None] - 1 - positions
    return x.gather(1, torch.where(reverse >= 0, reverse, positions)[:, :, None].expand_as(x))


class BiLSTM(TwoWays):
    """Two LSTMs."""

    name, label, shape = "bilstm", "BiLSTM", "circle"
    reads_questions = True
    left_out = "reread"
    kind = nn.LSTM

    def squashed(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The three gates of each unit and direction, as they are, and its candidate."""
        ahead = _gates(self.forwards, x)
        behind = _reversed(_gates(self.backwards, _reversed(x, lengths)), lengths)
        return torch.cat([ahead, behind], dim=2)


def _gates(net: nn.LSTM, x: Tensor) -> Tensor:
    """Input gate, forget gate, candidate and output gate (B, T, 4H) of an LSTM, each from 0 to 1."""
    states, _ = net(x)
    before = F.pad(states, (0, 0, 1, -1))  # what it has at each step of the one before
    inner = F.linear(x, net.weight_ih_l0, net.bias_ih_l0) + F.linear(before, net.weight_hh_l0, net.bias_hh_l0)
    into, forget, candidate, out = inner.chunk(4, dim=2)
    return torch.cat([into.sigmoid(), forget.sigmoid(), (1 + candidate.tanh()) / 2, out.sigmoid()], dim=2)


class BothEnds(BiLSTM):
    """A BiLSTM whose backward half is, at every position, its state at the first token."""

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        ahead, behind = super().forward(x, lengths).chunk(2, dim=2)
        return torch.cat([ahead, behind[:, 1:2].expand_as(behind)], dim=2)


class Orthogonal(TwoWays):
    """Two LSTMs, each of whose states goes on without its part along the sum of those before it.

    ĥ_t is the LSTM's, m_t = Σ_{i<t} h_i, h_t = ĥ_t - (ĥ_t·m_t)/(m_t·m_t + 1e-6) m_t; the cell is untouched,
    and so is the first state. The authors' reads one way; here each direction is by itself.
    Source: Mohankumar et al. (2020), section 3.1 and its code.
    """

    name, label, shape = "orthogonal", "orthogonal BiLSTM", "hexagon"
    kind = nn.LSTM

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        nets = self.forwards, self.backwards
        read = torch.stack(
            [
                F.linear(text, net.weight_ih_l0, net.bias_ih_l0 + net.bias_hh_l0)
                for net, text in zip(nets, (x, _reversed(x, lengths)), strict=True)
            ]
        )  # (2, B, T, 4H): both directions step together
        recurrent = torch.stack([net.weight_hh_l0.T for net in nets])
        h = x.new_zeros(2, len(x), self.size // 2)
        cell, before = torch.zeros_like(h), torch.zeros_like(h)  # before: the sum of the states so far
        states = []
        for step in read.unbind(2):
            into, forget, candidate, out = (step + h @ recurrent).chunk(4, dim=2)
            cell = forget.sigmoid() * cell + into.sigmoid() * candidate.tanh()
            h = without_part_along(before, out.sigmoid() * cell.tanh())
            before = before + h
            states.append(h)
        ahead, behind = torch.stack(states, dim=2)
        return torch.cat([ahead, _reversed(behind, lengths)], dim=2)


def without_part_along(mean: Tensor, h: Tensor) -> Tensor:
    """h (..., H) less its part along another vector (..., H); as it is where that is zero."""
    along = (h * mean).sum(-1, keepdim=True) / ((mean * mean).sum(-1, keepdim=True) + 1e-6)
    return h - along * mean


class BiGRU(TwoWays):
    """Two GRUs."""

    name, label, shape = "gru", "BiGRU", "triangle down"
    kind = nn.GRU


class CNN(Encoder):
    """Convolutions of several odd widths side by side, same padding, ReLU.

    Of x (B, T, E), or of distinct tokens x (U, E) and their `places` (B, T): then the sum of what each token
    in the window gives, which is the same but for rounding.
    """

    name, label, shape = "cnn", "CNN", "triangle"
    reads_questions = True
    reads_distinct = True
    left_out = "window"

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv1d(width, p.cnn_filters, k, padding=k // 2) for k in p.cnn_widths)
        self.size = p.cnn_filters * len(p.cnn_widths)
        self.reach = max(p.cnn_widths) // 2  # how many tokens away from another a state still knows it

    def first_weights(self) -> list[Tensor]:
        return [convolve.weight for convolve in self.filters]

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


class TokenWise(Encoder):
    """What makes each token's state of that token alone."""

    contextual = False
    of_bags = True
    left_out, reach = "window", 0  # a cut touches no other state


class Average(TokenWise):
    """A projection of each token on its own."""

    name, label, shape = "average", "Average", "square"
    reads_questions = True

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.project = nn.Linear(width, p.average_dim)
        self.activate = getattr(torch, p.average_activation)
        self.size = p.average_dim

    def first_weights(self) -> list[Tensor]:
        return [self.project.weight]

    def squashed(self, x: Tensor, lengths: Tensor) -> Tensor | None:
        return (1 + self(x, lengths)) / 2 if self.activate is torch.tanh else None

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.activate(self.project(x))

    def whole(self, states: Tensor, batch: Batch) -> Tensor:
        """One vector (B, H) of a text's states (B, T, H): the mean over its tokens."""
        real = batch.real[:, :, None].to(states)
        return (states * real).sum(1) / real.sum(1).clamp(min=1)


class Bare(TokenWise):
    """No encoder: a token's state is its embedding."""

    name, label, shape = "none", "no encoder", "cross"

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.size = width

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return x


class HAN(Encoder):
    """States of sentences: a BiGRU and attention over each sentence's words, a BiGRU over the sentences.

    Source: Yang et al. (2016), with the sizes of Serrano & Smith (2019). It is given each token's sentence.
    """

    name, label, shape = "han", "HAN", "star"
    unit = "sentence"

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.words = BiGRU(width, p)
        kind = Square if p.attention_square else Additive
        self.attention = kind(self.words.size, activation=p.attention_activation)
        self.sentences, self.dropout = BiGRU(self.words.size, p), p.dropout_sentences
        self.size = self.sentences.size

    def first_weights(self) -> list[Tensor]:
        return self.words.first_weights()

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


class Transformer(Encoder):
    """Layers of self-attention, of drawn weights, over the word vectors and the places of the words.

    Source: Vaswani et al. (2017), with GELU, norms before each part and none after the last, no dropout. What
    exists already is another class: see `PretrainedTransformer`.
    """

    name, label, shape = "transformer", "transformer", "diamond"

    def __init__(self, width: int, p: Params):
        super().__init__()
        self.size = p.heads * p.head_size
        self.project = nn.Linear(width, self.size)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                self.size,
                p.heads,
                4 * self.size,
                dropout=0,
                activation="gelu",
                batch_first=True,
                norm_first=True,
            )
            for _ in range(p.layers)
        )

    def first_weights(self) -> list[Tensor]:
        return [self.project.weight]

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        beyond = torch.arange(x.shape[1], device=x.device) >= lengths[:, None]
        states = self.project(x) + _places(x.shape[1], self.size).to(x)
        for layer in self.layers:
            states = layer(states, src_key_padding_mask=beyond)
        return states


def _places(count: int, size: int) -> Tensor:
    """What says where a word stands (count, size): sines and cosines of ever longer waves.

    They are a tenth as high as Vaswani et al.'s, so that words, whose vectors are drawn, outweigh them.
    """
    waves = torch.exp(torch.arange(0, size, 2, dtype=torch.float64) * (-math.log(10_000) / size))
    turned = torch.arange(count, dtype=torch.float64)[:, None] * waves
    return 0.1 * torch.stack([turned.sin(), turned.cos()], 2).flatten(1)[:, :size]


def by_name(*kinds: type[Encoder]) -> dict[str, type[Encoder]]:
    """Encoders by their names, in this order.

    Raises HeedError if two have one name or one label, or if one says what heed doesn't know.
    """
    _distinct("name", [kind.name for kind in kinds])
    _distinct("label", [kind.label for kind in kinds])
    for kind in kinds:
        choose(f"unit of encoder {kind.name}:", kind.unit, UNITS)
        choose(f"way of leaving out of encoder {kind.name}:", kind.left_out, LEFT_OUT)
    return {kind.name: kind for kind in kinds}


def _distinct(what: str, given: list[str]) -> None:
    """Raises HeedError if a text is there twice."""
    seen = set()
    for text in given:
        if text in seen:
            raise HeedError(f"two encoders have the {what} {text!r}. Give each one of its own.")
        seen.add(text)


ENCODERS = by_name(
    BiLSTM, Average, CNN, BiGRU, Bare, HAN, Transformer, Orthogonal
)  # in the order in which figures show them


def encoder_called(name: str) -> type[Encoder]:
    """The encoder of this name. Raises HeedError, with the nearest name, if there is none."""
    return ENCODERS[choose("encoder", name, ENCODERS)]


def way_of_leaving_out(encoder: nn.Module | None) -> str:
    """How leave-one-out may leave tokens out: what one of ENCODERS says, of anything else `plain`.

    So of a class that is made from one of ours, too: it may do anything else with the states.
    """
    return encoder.left_out if type(encoder) in ENCODERS.values() else "plain"


def build_encoder(width: int, p: Params) -> Encoder:
    """The encoder that the parameters name, for embeddings of this width."""
    kind = encoder_called(p.encoder)
    if kind is BiLSTM and p.attention == "last":
        kind = BothEnds
    return kind(width, p)
