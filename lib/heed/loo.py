"""Leave-one-out: what the model says without each token, without a forward pass for each.

The token is removed and the text gets shorter; nothing is masked or replaced (J&W 2019, algorithm 1). Most
states stay as they were: the untouched ones are summed once, from both ends, and only the touched ones are
computed anew. Average: none. CNN: those within reach of the cut. BiLSTM: those after the cut in the reading
direction, until the LSTM has forgotten it.

A set of states enters a softmax as one state does: by a score (the logarithm of its weight) and a value
(its weighted mean). So no sum ever has a term taken away again, which attention near 1 would drown.
"""

from collections import Counter

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed.batches import Batch, Encoded, cut, pad
from heed.errors import HeedError, choose
from heed.models import CNN, Attended, Average, BiLSTM, attended_to, device_of, forward
from heed.progress import progress

STRIDE, BLOCK = 8, 512  # steps between two looks at which removals may leave; removals that step together


def leave_one_out(
    model: Attended,
    data: Encoded,
    tokens_per_batch: int,
    how: str = "fast",
    tolerance: float = 0.0,
    tally: Counter | None = None,
) -> dict[str, np.ndarray]:
    """Logits without each token: instance id to an array (T, C), or (T, 1) for the sigmoid.

    The question and the allowed answers stay those of the full text. Without its only token a text has
    no attention, and its context is zero. how: `plain` runs the model on every shortened text; `fast`
    gives the same but for rounding if `model.encoder` is one that it knows, and is plain otherwise.
    tolerance: a BiLSTM's h and c that both come within it of the full text's own (largest difference)
    go on as those; 0: never. tally: counts a BiLSTM's `walks` (two a removal), their `steps`, and those
    `forgotten` within the tolerance. Memory follows `tokens_per_batch`, or the longest text if that is
    longer. Raises HeedError on a setting that can't be.
    """
    choose("leave-one-out", how, ("fast", "plain"))
    if not 0 <= tolerance < np.inf or tokens_per_batch < 1:
        raise HeedError(
            f"leave-one-out: tolerance = {tolerance} and tokens_per_batch = {tokens_per_batch}, expected a "
            "number from 0 on and a whole number from 1 on. Correct the parameter."
        )
    encoder, found = getattr(model, "encoder", None), {}
    with torch.no_grad():
        if how == "plain" or not isinstance(encoder, (Average, CNN, BiLSTM)):
            return _plain(model, data, tokens_per_batch)
        tokens = max(tokens_per_batch // (1 + 2 * _reach(encoder)), 1)  # what is touched takes room, too
        for batch in progress(data.by_budget(tokens), "leave-one-out, batches"):
            logits = _fast(
                model, batch.to(device_of(model)), tolerance, Counter() if tally is None else tally
            )
            for name, length, rows in zip(batch.ids, batch.lengths.tolist(), logits.cpu(), strict=True):
                found[name] = rows[1 : length - 1].double().numpy()
    return {name: found[name] for name in data.ids}


def _plain(model: Attended, data: Encoded, tokens_per_batch: int) -> dict[str, np.ndarray]:
    """The whole model on every shortened text."""
    removals = [(i, t) for i, codes in enumerate(data.codes) for t in range(1, len(codes) - 1)]
    lengths = np.array([len(data.codes[i]) - 1 for i, _ in removals])
    logits = [None] * len(removals)
    for group in progress(cut(lengths, tokens_per_batch), "leave-one-out, batches"):
        chosen = [removals[k] for k in group]
        full = data.batch([i for i, _ in chosen])
        codes = pad([np.delete(data.codes[i], t) for i, t in chosen])
        batch = Batch(full.ids, codes, full.lengths - 1, full.labels, full.query, full.allowed)
        found = forward(model, batch.to(device_of(model))).logits.double().cpu().numpy()
        for k, row in zip(group, found, strict=True):
            logits[k] = row
    ends = np.cumsum([len(codes) - 2 for codes in data.codes])
    return dict(zip(data.ids, np.split(np.stack(logits), ends[:-1]), strict=True))


def _fast(model: Attended, batch: Batch, tolerance: float, tally: Counter) -> Tensor:
    """Logits without the token at each position, shape (B, T, C); at markers they mean nothing."""
    embedded, mask = model.embed(batch), attended_to(model, batch)
    recurrent = isinstance(model.encoder, BiLSTM)
    readers = [_Reader(model.encoder, embedded, batch.lengths, back) for back in (0, 1)] if recurrent else []
    states = torch.cat([r.h for r in readers], 2)[:, 1:-1] if readers else model.encode(embedded, batch)
    scores, values = model.scores(states, batch).masked_fill(~mask, -torch.inf), model.values(states)
    # Only differences of scores count, and near 0 they are rounded least.
    top = scores.amax(1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    if readers:
        given = F.pad(states, (0, 0, 1, 1)), F.pad(mask, (1, 1)), top, tolerance, tally
        (after, *ahead), (before, *behind) = (_walk(model, batch, reader, *given) for reader in readers)
        touched = [torch.stack(pair) for pair in zip(ahead, behind, strict=True)]
    else:
        reach, t = _reach(model.encoder), torch.arange(mask.shape[1], device=mask.device)
        before, after = (t - reach - 1).expand(mask.shape), (t + reach + 1).expand(mask.shape)
        touched = _around(model, batch, embedded, mask, reach)
        touched[0] = touched[0] - top
    left = _at(_running(scores - top, values), before)
    right = _at(_running((scores - top).flip(1), values.flip(1)), mask.shape[1] - 1 - after)
    _, context = _join(
        *(torch.cat([a, b[None], c[None]]) for a, b, c in zip(touched, left, right, strict=True))
    )
    allowed = None if batch.allowed is None else batch.allowed[:, None]
    return model.head.logits(context, model.shift(batch)[:, None], allowed)


def _join(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Sets of states (n, ...) with values (n, ..., D) as one, (...) and (..., D); nothing is -inf and 0."""
    top = scores.amax(0).clamp(min=torch.finfo(scores.dtype).min)
    weights = (scores - top).exp()
    total = weights.sum(0)
    mean = (weights[..., None] * values).sum(0) / total.clamp(min=0.5)[..., None]  # the top one counts 1
    return top + total.log(), mean


def _running(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The states up to each position, itself included, as one; in log T rounds of joining pairs."""
    step = 1
    while step < scores.shape[1]:
        pairs = (torch.stack([x[:, :-step], x[:, step:]]) for x in (scores, values))
        joined = _join(*pairs)
        scores, values = (
            torch.cat([x[:, :step], y], 1) for x, y in zip((scores, values), joined, strict=True)
        )
        step *= 2
    return scores, values


def _at(running: tuple[Tensor, Tensor], last: Tensor) -> tuple[Tensor, Tensor]:
    """The states up to position `last` (B, T) as one; nothing where that is negative."""
    scores, values = running
    there, place = last >= 0, last.clamp(min=0)
    found = values.gather(1, place[..., None].expand(*place.shape, values.shape[2]))
    return scores.gather(1, place).masked_fill(~there, -torch.inf), found * there[..., None]


def _reach(encoder: nn.Module) -> int:
    """How far from a cut its windows still hold it: R of a CNN, else 0."""
    return max(f.kernel_size[0] // 2 for f in encoder.filters) if isinstance(encoder, CNN) else 0


def _around(model: Attended, batch: Batch, embedded: Tensor, mask: Tensor, reach: int) -> list[Tensor]:
    """Scores (2R, B, T) and values (2R, B, T, D) of the states around each cut, as a CNN sees them.

    Every tap of a filter meets every token once; the states around a cut are other sums of the same.
    """
    (B, T), offsets = mask.shape, [d for d in range(-reach, reach + 1) if d]
    states = embedded.new_empty(B, len(offsets), T, model.encoder.size)
    wide, used = F.pad(embedded, (0, 0, 2 * reach, 2 * reach)), 0
    for conv in model.encoder.filters if reach else ():
        half, count = conv.kernel_size[0] // 2, conv.out_channels
        taps = F.linear(wide, conv.weight.permute(2, 0, 1).flatten(0, 1)).unflatten(2, (-1, count))
        for i, d in enumerate(offsets):
            state = states[:, i, :, used : used + count]
            state[:] = conv.bias
            for k in range(2 * half + 1):
                s = d + k - half  # the window passes over the cut: what lies beyond is one further
                s += 2 * reach + (d < 0 <= s) - (s <= 0 < d)
                state += taps[:, s : s + T, k]
        used += count
    states = states.relu_().flatten(1, 2)
    scores, values = model.scores(states, batch), model.values(states)
    scores, values = (x.unflatten(1, (len(offsets), T)) for x in (scores, values))
    wide = F.pad(mask, (reach, reach))
    for i, d in enumerate(offsets):
        scores[:, i].masked_fill_(~wide[:, reach + d : reach + d + T], -torch.inf)
    return [scores.movedim(1, 0), values.movedim(1, 0)]


class _Reader:
    """One LSTM of a BiLSTM over the full texts, every state of it kept, (B, T + 2, H): zeros at both ends."""

    def __init__(self, encoder: BiLSTM, embedded: Tensor, lengths: Tensor, back: int):
        lstm = encoder.backwards if back else encoder.forwards
        size = lstm.hidden_size
        # tanh x = 2 σ(2x) - 1, so that all gates are one σ: it is several times as quick as tanh.
        scale = embedded.new_tensor([1, 1, 2, 1]).repeat_interleave(size)[:, None]
        self.step, self.own = (-1, slice(size, None)) if back else (1, slice(size))
        self.weight = (scale * lstm.weight_hh_l0).t().contiguous()
        inputs = F.linear(
            embedded, scale * lstm.weight_ih_l0, scale[:, 0] * (lstm.bias_ih_l0 + lstm.bias_hh_l0)
        )
        self.inputs = F.pad(inputs, (0, 0, 1, 1))
        self.h, self.c = (embedded.new_zeros(*self.inputs.shape[:2], size) for _ in range(2))
        places = range(1, self.h.shape[1] - 1)
        for p in reversed(places) if back else places:
            h, c = self.h[:, p - self.step].clone(), self.c[:, p - self.step].clone()
            self.advance(self.inputs[:, p].clone(), h, c)
            inside = (p <= lengths)[:, None]  # a shorter text is read from its own end
            self.h[:, p], self.c[:, p] = h * inside, c * inside

    def advance(self, gates: Tensor, h: Tensor, c: Tensor) -> None:
        """One step, in place: gates (n, 4H) come as the projected inputs, h and c (n, H)."""
        i, f, g, o = gates.addmm_(h, self.weight).sigmoid_().chunk(4, 1)
        c.mul_(f).addcmul_(i, g.mul_(2).sub_(1))
        torch.mul(c, 2, out=h).sigmoid_().mul_(2).sub_(1).mul_(o)


def _walk(model, batch, reader, states, mask, top, tolerance, tally) -> tuple[Tensor, Tensor, Tensor]:
    """Read on after each cut until the text's end, or until the cut is forgotten.

    states (B, T + 2, H) and mask (B, T + 2) of the full texts, with a place at both ends. Returns the first
    position that is as it was (B, T), and what was read until there as one state, (B, T) and (B, T, D).
    """
    (B, width), step = mask.shape, reader.step
    states, mask, inputs, hs, cs = (
        x.flatten(0, 1) for x in (states, mask, reader.inputs, reader.h, reader.c)
    )
    place = torch.arange(width, device=mask.device).repeat(B, 1)
    ends = batch.lengths[:, None] - place if step > 0 else place - 1
    rows = F.pad(batch.real, (1, 1)).flatten().nonzero()[:, 0]
    left = ends.flatten()[rows]
    order = left.argsort(descending=True, stable=True)
    rows, left = rows[order], left[order]
    stop, score = place.flatten(), top.new_full((B * width,), -torch.inf)
    value = top.new_zeros(B * width, model.values(states[None, :1]).shape[2])
    tally["walks"] += len(rows)
    # Of each walk: its cut, the next place to read, places left, h, c, and what was read as one state.
    alive, start = [x[:0] for x in (rows, rows, left, hs, cs, score, value)], 0
    while start < len(rows) or len(alive[0]):
        new = slice(start, start + BLOCK - len(alive[0]))
        start, cuts = new.stop, rows[new]
        fresh = [cuts, cuts + step, left[new], hs[cuts - step], cs[cuts - step], score[cuts], value[cuts]]
        row, at, rest, h, c, *read = (torch.cat(pair) for pair in zip(alive, fresh, strict=True))
        count = min(max(int(rest.min()), 2), STRIDE)
        where = at + step * torch.minimum(torch.arange(count, device=at.device)[:, None], rest)
        seen = states[where]
        base = seen[-1, :, reader.own].clone()
        for k in range(count):
            reader.advance(inputs[where[k]], h, c)
            seen[k, :, reader.own] = h
        scores, values = _scored(model, batch, seen, row // width)
        scores = (scores - top[row // width, 0]).masked_fill_(~mask[where], -torch.inf)
        read = _join(torch.cat([read[0][None], scores]), torch.cat([read[1][None], values]))
        taken = rest.clamp(max=count)
        at, rest = at + step * taken, rest - taken
        same = ((h - base).abs().amax(1) <= tolerance) & ((c - cs[where[-1]]).abs().amax(1) <= tolerance)
        same &= (rest > 0) & (tolerance > 0)
        over = same | (rest == 0)
        tally["steps"] += int(taken.sum())
        tally["forgotten"] += int(same.sum())
        done, keep = over.nonzero()[:, 0], (~over).nonzero()[:, 0]
        stop[row[done]] = at[done] % width
        score[row[done]], value[row[done]] = read[0][done], read[1][done]
        alive = [x[keep] for x in (row, at, rest, h, c, *read)]
    found = (x.unflatten(0, (B, width))[:, 1:-1] for x in (stop - 1, score, value))
    return tuple(found)


def _scored(model: Attended, batch: Batch, states: Tensor, text: Tensor) -> tuple[Tensor, Tensor]:
    """Scores (S, n) and values (S, n, D) of states (S, n, H), column by column of the batch's `text` (n,)."""
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
