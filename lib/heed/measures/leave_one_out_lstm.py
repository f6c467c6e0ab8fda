"""A BiLSTM reads on after each cut of a text, until it has forgotten the cut.

Before a token the forward state doesn't know that it is gone, nor does the backward state after it. From
there on each removal has states of its own, and all of them step together: a batch that shares projected
inputs. Once a removal's h and c are within a tolerance of the full text's at the same token, the rest of
its way is the full text's. A trained LSTM forgets, so the cost of a long text is linear in its length.
"""

from collections import Counter
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from heed.corpora.batches import Batch
from heed.measures.softmax_parts import join
from heed.models.attended import Attended
from heed.models.encoders import BiLSTM

STRIDE = 8  # steps between two looks at who may leave
BLOCK = 512  # removals that step together


class Reader:
    """One LSTM of a BiLSTM on the full texts. h and c of every token, (B, T + 2, H), zero at both ends.

    step: how it goes from place to place, 1 or, of the one that reads backwards, -1. own: its half of the
    BiLSTM's states.
    """

    def __init__(self, encoder: BiLSTM, embedded: Tensor, lengths: Tensor, back: bool):
        size = encoder.forwards.hidden_size
        places = range(1, embedded.shape[1] + 1)
        if back:
            lstm, self.step, self.own = encoder.backwards, -1, slice(size, None)
            places = reversed(places)
        else:
            lstm, self.step, self.own = encoder.forwards, 1, slice(size)
        # tanh x = 2 σ(2x) - 1: all gates are then one σ, which is several times as quick as tanh.
        scale = embedded.new_tensor([1, 1, 2, 1]).repeat_interleave(size)
        bias = scale * (lstm.bias_ih_l0 + lstm.bias_hh_l0)
        inputs = F.linear(embedded, scale[:, None] * lstm.weight_ih_l0, bias)
        self.weight = (scale[:, None] * lstm.weight_hh_l0).t().contiguous()
        self.inputs = F.pad(inputs, (0, 0, 1, 1))
        self.h = embedded.new_zeros(*self.inputs.shape[:2], size)
        self.c = torch.zeros_like(self.h)
        for place in places:
            before = place - self.step
            h, c = self.h[:, before].clone(), self.c[:, before].clone()
            self.advance(self.inputs[:, place].clone(), h, c)
            inside = (place <= lengths)[:, None]  # a shorter text is read from its own end
            self.h[:, place], self.c[:, place] = h * inside, c * inside

    def advance(self, gates: Tensor, h: Tensor, c: Tensor) -> None:
        """One step, in place: gates (n, 4H) come in as projected inputs; h and c (n, H)."""
        i, f, g, o = gates.addmm_(h, self.weight).sigmoid_().chunk(4, 1)
        c.mul_(f).addcmul_(i, g.mul_(2).sub_(1))
        torch.mul(c, 2, out=h).sigmoid_().mul_(2).sub_(1).mul_(o)


@dataclass
class _Walks:
    """W removals that are read on side by side; places are those of `_Texts`.

    cut (W,): the place of the token that is left out. at (W,): the next place to be read. left (W,): how many
    tokens are still to be read. h, c (W, H): the reader's. score (W,), value (W, D): all that was read since
    the cut, as one state.
    """

    cut: Tensor
    at: Tensor
    left: Tensor
    h: Tensor
    c: Tensor
    score: Tensor
    value: Tensor

    def __len__(self) -> int:
        return len(self.cut)

    def beside(self, others: "_Walks") -> "_Walks":
        """These walks, then the others."""
        return _Walks(**{name: torch.cat([own, getattr(others, name)]) for name, own in vars(self).items()})

    def only(self, chosen: Tensor) -> "_Walks":
        """The walks of which `chosen` (W,) is true."""
        rows = chosen.nonzero()[:, 0]
        return _Walks(**{name: own.index_select(0, rows) for name, own in vars(self).items()})


class _Texts:
    """The full texts of a batch, one after the other, as a reader has read them.

    A text has T + 2 places, of which the first and the last are empty; the places of all texts are numbered
    through, N = B (T + 2). inputs (N, 4H), h and c (N, H) are the reader's, states (N, 2H) the BiLSTM's,
    mask (N,) says what is attended to, left (N,) how many tokens the reader still has before it there.
    """

    def __init__(
        self, model: Attended, batch: Batch, reader: Reader, states: Tensor, mask: Tensor, top: Tensor
    ):
        self.model, self.batch, self.reader, self.top = model, batch, reader, top[:, 0]
        self.width = mask.shape[1] + 2
        self.inputs, self.h, self.c = (x.flatten(0, 1) for x in (reader.inputs, reader.h, reader.c))
        self.states = F.pad(states, (0, 0, 1, 1)).flatten(0, 1)
        self.mask = F.pad(mask, (1, 1)).flatten()
        place = torch.arange(self.width, device=mask.device).repeat(len(mask), 1)
        left = batch.lengths[:, None] - place if reader.step > 0 else place - 1
        self.left = left.flatten()
        self.depth = model.values(states[:1, :1]).shape[2]

    def walks(self, cuts: Tensor) -> _Walks:
        """A walk from each cut on, with what the reader knew before the token that is left out."""
        before = cuts - self.reader.step
        return _Walks(
            cut=cuts,
            at=cuts + self.reader.step,
            left=self.left[cuts],
            h=self.h[before],
            c=self.c[before],
            score=self.top.new_full((len(cuts),), -torch.inf),
            value=self.top.new_zeros(len(cuts), self.depth),
        )

    def read_on(self, walks: _Walks) -> int:
        """Read on by STRIDE tokens, or to where the first walk ends if that is nearer (but by 2 at least).

        Returns how many tokens were read, of all walks together; what lies past a text's end isn't counted.
        """
        step = self.reader.step
        count = min(max(int(walks.left.min()), 2), STRIDE)
        ahead = torch.arange(count, device=walks.at.device)[:, None]
        places = walks.at + step * torch.minimum(ahead, walks.left)  # past a text's end is an empty place
        states = self.states.index_select(0, places.flatten()).unflatten(0, places.shape)
        for k in range(count):
            self.reader.advance(self.inputs.index_select(0, places[k]), walks.h, walks.c)
            states[k, :, self.reader.own] = walks.h
        text = walks.cut // self.width
        scores, values = _scored(self.model, self.batch, states, text)
        scores = (scores - self.top[text]).masked_fill_(~self.mask[places], -torch.inf)
        scores, values = torch.cat([walks.score[None], scores]), torch.cat([walks.value[None], values])
        walks.score, walks.value = join(scores, values)
        read = walks.left.clamp(max=count)
        walks.at = walks.at + step * read
        walks.left = walks.left - read
        return int(read.sum())

    def forgotten(self, walks: _Walks, tolerance: float) -> Tensor:
        """Which walks, not yet at their text's end, have come back to its states; tolerance 0: none."""
        if not tolerance:
            return torch.zeros_like(walks.left, dtype=torch.bool)
        last = walks.at - self.reader.step
        h_away = (walks.h - self.h[last]).abs().amax(1)
        c_away = (walks.c - self.c[last]).abs().amax(1)
        return (h_away <= tolerance) & (c_away <= tolerance) & (walks.left > 0)


def reread(
    model: Attended,
    batch: Batch,
    reader: Reader,
    states: Tensor,
    mask: Tensor,
    top: Tensor,
    tolerance: float,
    tally: Counter,
) -> tuple[Tensor, Tensor, Tensor]:
    """For each cut (B, T): the next position that is as it was, and all states before that as one.

    states (B, T, 2H), mask (B, T) of what is attended to and top (B, 1), the score that counts as 0, are the
    full texts'. The states come as `pool` has them, (B, T) and (B, T, D). Of each state only its score and
    its value are kept, so memory follows B·T.
    """
    texts = _Texts(model, batch, reader, states, mask, top)
    cuts = F.pad(batch.real, (1, 1)).flatten().nonzero()[:, 0]
    # Those that end together go together.
    waiting = cuts[texts.left[cuts].argsort(descending=True, stable=True)]
    # Where nothing is cut, as at markers, the text is as it was at once.
    stop = torch.arange(texts.width, device=mask.device).repeat(len(mask)) - 1
    score = top.new_full((len(stop),), -torch.inf)
    value = top.new_zeros(len(stop), texts.depth)
    walks = texts.walks(waiting[:0])
    tally["walks"] += len(waiting)
    while len(waiting) or len(walks):
        new, waiting = waiting.tensor_split([BLOCK - len(walks)])
        if len(new):
            walks = walks.beside(texts.walks(new))
        tally["steps"] += texts.read_on(walks)
        forgotten = texts.forgotten(walks, tolerance)
        tally["forgotten"] += int(forgotten.sum())
        over = forgotten | (walks.left == 0)
        done = walks.only(over)
        stop[done.cut], score[done.cut], value[done.cut] = done.at % texts.width - 1, done.score, done.value
        walks = walks.only(~over)
    return tuple(x.unflatten(0, (-1, texts.width))[:, 1:-1] for x in (stop, score, value))


def _scored(model: Attended, batch: Batch, states: Tensor, text: Tensor) -> tuple[Tensor, Tensor]:
    """Scores (S, n) and values (S, n, D) of states (S, n, H); column j is of the batch's text[j]."""
    values = model.values(states)
    if batch.query is None:
        return model.scores(states.flatten(0, 1)[None], batch).view(states.shape[:2]), values
    # The states of a text side by side, so that its question is read once.
    order = text.argsort(stable=True)
    column = torch.empty_like(order)
    column[order] = torch.arange(len(text), device=text.device) - torch.searchsorted(text[order], text[order])
    grid = states.new_zeros(len(batch.ids), int(column.max()) + 1, *states.shape[::2])
    grid[text, column] = states.transpose(0, 1)
    scores = model.scores(grid.flatten(1, 2), batch).unflatten(1, (-1, len(states)))
    return scores[text, column].t(), values
