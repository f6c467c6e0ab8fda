"""A BiLSTM reads on after each cut of a text, until it has forgotten the cut.

Before a token the forward state doesn't know that it is gone, nor does the backward state after it. From
there on each removal has states of its own, and all of them step together: a batch that shares projected
inputs. Once a removal's h and c are within a tolerance of the full text's at the same token, the rest of
its way is the full text's. A trained LSTM forgets, so the cost of a long text is linear in its length.
"""

from collections import Counter

import torch
from torch import Tensor
from torch.nn import functional as F

from heed.corpora.batches import Batch
from heed.measures.softmax_parts import join
from heed.models.attended import Attended
from heed.models.encoders import BiLSTM

STRIDE, BLOCK = 8, 512  # steps between two looks at who may leave; removals that step together


class Reader:
    """One LSTM of a BiLSTM on the full texts. h and c of every token, (B, T + 2, H), zero at both ends."""

    def __init__(self, encoder: BiLSTM, embedded: Tensor, lengths: Tensor, back: bool):
        lstm, size = (encoder.backwards if back else encoder.forwards), encoder.forwards.hidden_size
        self.step, self.own = (-1, slice(size, None)) if back else (1, slice(size))
        # tanh x = 2 σ(2x) - 1: all gates are then one σ, which is several times as quick as tanh.
        scale = embedded.new_tensor([1, 1, 2, 1]).repeat_interleave(size)
        bias = scale * (lstm.bias_ih_l0 + lstm.bias_hh_l0)
        inputs = F.linear(embedded, scale[:, None] * lstm.weight_ih_l0, bias)
        self.weight = (scale[:, None] * lstm.weight_hh_l0).t().contiguous()
        self.inputs = F.pad(inputs, (0, 0, 1, 1))
        self.h, self.c = (embedded.new_zeros(*self.inputs.shape[:2], size) for _ in range(2))
        places = range(1, embedded.shape[1] + 1)
        for p in reversed(places) if back else places:
            h, c = self.h[:, p - self.step].clone(), self.c[:, p - self.step].clone()
            self.advance(self.inputs[:, p].clone(), h, c)
            inside = (p <= lengths)[:, None]  # a shorter text is read from its own end
            self.h[:, p], self.c[:, p] = h * inside, c * inside

    def advance(self, gates: Tensor, h: Tensor, c: Tensor) -> None:
        """One step, in place: gates (n, 4H) come in as projected inputs; h and c (n, H)."""
        i, f, g, o = gates.addmm_(h, self.weight).sigmoid_().chunk(4, 1)
        c.mul_(f).addcmul_(i, g.mul_(2).sub_(1))
        torch.mul(c, 2, out=h).sigmoid_().mul_(2).sub_(1).mul_(o)


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

    states (B, T, H), mask (B, T) of what is attended to and top (B, 1), the score that counts as 0, are the
    full texts'. The states come as `pool` has them, (B, T) and (B, T, D). Of each state only its score and
    its value are kept, so memory follows B·T.
    """
    step, B, width = reader.step, mask.shape[0], mask.shape[1] + 2
    mask, states = F.pad(mask, (1, 1)).flatten(), F.pad(states, (0, 0, 1, 1)).flatten(0, 1)
    inputs, hs, cs = (x.flatten(0, 1) for x in (reader.inputs, reader.h, reader.c))
    place = torch.arange(width, device=mask.device).repeat(B, 1)
    left = (batch.lengths[:, None] - place if step > 0 else place - 1).flatten()
    cuts = F.pad(batch.real, (1, 1)).flatten().nonzero()[:, 0]
    cuts = cuts[left[cuts].argsort(descending=True, stable=True)]  # those that end together go together
    stop, score = place.flatten() - 1, top.new_full((B * width,), -torch.inf)
    value = top.new_zeros(B * width, model.values(states[None, :1]).shape[2])
    # Of each walk: its cut, the next place to read, how many are left, h, c, what was read as one state.
    alive = [x[:0] for x in (cuts, cuts, left, hs, cs, score, value)]
    tally["walks"] += len(cuts)
    while len(cuts) or len(alive[0]):
        new, cuts = cuts.tensor_split([BLOCK - len(alive[0])])
        fresh = [new, new + step, left[new], hs[new - step], cs[new - step], score[new], value[new]]
        cut, at, rest, h, c, *read = (torch.cat(pair) for pair in zip(alive, fresh, strict=True))
        count = min(max(int(rest.min()), 2), STRIDE)
        ahead = torch.arange(count, device=at.device)[:, None]
        where = at + step * torch.minimum(ahead, rest)  # past a text's end is a place without a token
        seen = states.index_select(0, where.flatten()).unflatten(0, where.shape)
        usual = seen[-1, :, reader.own].clone()
        for k in range(count):
            reader.advance(inputs.index_select(0, where[k]), h, c)
            seen[k, :, reader.own] = h
        scores, values = _scored(model, batch, seen, cut // width)
        scores = (scores - top[cut // width, 0]).masked_fill_(~mask[where], -torch.inf)
        read = join(torch.cat([read[0][None], scores]), torch.cat([read[1][None], values]))
        taken = rest.clamp(max=count)
        at, rest = at + step * taken, rest - taken
        away = torch.maximum((h - usual).abs().amax(1), (c - cs[where[-1]]).abs().amax(1))
        forgotten = (
            (away <= tolerance) & (rest > 0) if tolerance else torch.zeros_like(rest, dtype=torch.bool)
        )
        tally["steps"] += int(taken.sum())
        tally["forgotten"] += int(forgotten.sum())
        over = forgotten | (rest == 0)
        done = cut[over]
        stop[done], score[done], value[done] = at[over] % width - 1, read[0][over], read[1][over]
        keep = (~over).nonzero()[:, 0]
        alive = [x.index_select(0, keep) for x in (cut, at, rest, h, c, *read)]
    return tuple(x.unflatten(0, (B, width))[:, 1:-1] for x in (stop, score, value))


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
