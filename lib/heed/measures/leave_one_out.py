"""Leave-one-out: what the model says without each token, without a forward pass for each.

The token is removed and the text gets shorter; nothing is masked or replaced (J&W 2019, algorithm 1). Most
states stay as they were: the untouched ones are pooled once, from both ends, and only the touched ones are
computed anew, as the encoder says (`left_out`): those in a window around the cut, as wide as a CNN's filters
reach and empty where each state is of its token alone; or all that an LSTM reads on (see leave_one_out_lstm).
"""

from collections import Counter

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from heed.corpora.batches import Batch, Encoded, cut, pad
from heed.errors import HeedError, choose
from heed.measures.leave_one_out_lstm import Reader, reread
from heed.measures.softmax_parts import join, outside
from heed.models.attended import Attended, asked, attended_to, device_of, forward, of_tokens
from heed.models.attentions import Last
from heed.models.encoders import way_of_leaving_out
from heed.models.guided import Guided
from heed.progress import progress


def leave_one_out(
    model: Attended,
    data: Encoded,
    tokens_per_batch: int,
    how: str = "fast",
    tolerance: float = 0.0,
    tally: Counter | None = None,
) -> dict[str, np.ndarray]:
    """Logits without each token: instance id to an array (T, C), or (T, 1) for the sigmoid.

    The question and the allowed answers, which are the columns, stay those of the full text. Without its only
    token a text has no attention, and its context is zero. how: `plain` runs the model on every shortened
    text; `fast` gives the same but for rounding in the way that `model.encoder` names, if it names one.
    tolerance: a BiLSTM whose h and c both come within it of the full text's (largest difference) has
    forgotten the cut; 0: never. tally: counts a BiLSTM's `walks` (two a removal), their `steps`, and the
    `forgotten` ones. Memory follows `tokens_per_batch`, or the longest text if that is longer. Raises
    HeedError on a setting that can't be.
    """
    choose("way of leaving out", how, ("fast", "plain"))
    if not 0 <= tolerance < np.inf or tokens_per_batch < 1:
        raise HeedError(
            f"leave-one-out: tolerance = {tolerance} and tokens_per_batch = {tokens_per_batch}, expected a "
            "number from 0 on and a whole number from 1 on. Correct the parameter."
        )
    of_tokens(model)
    if isinstance(model, Guided):
        raise HeedError("leave-one-out: attention is given for whole texts. Leave tokens out of the `base`.")
    found, tally = {}, Counter() if tally is None else tally
    way = way_of_leaving_out(getattr(model, "encoder", None))
    if how == "plain" or isinstance(getattr(model, "attention", None), Last):  # which is of a place
        way = "plain"
    with torch.no_grad():
        if way == "plain":
            return _plain(model, data, tokens_per_batch)
        touched = 2 * model.encoder.reach if way == "window" else 0  # states of a cut, which take room, too
        tokens = max(tokens_per_batch // (1 + touched), 1)
        for batch in progress(data.by_budget(tokens), "leave-one-out, batches"):
            logits = _fast(model, batch.to(device_of(model)), tolerance, tally).double().cpu().numpy()
            for b, (name, length) in enumerate(zip(batch.ids, batch.lengths.tolist(), strict=True)):
                found[name] = _allowed(logits[b, 1 : length - 1], batch.allowed, b)
    return {name: found[name] for name in data.ids}


def _allowed(logits: np.ndarray, allowed, i: int) -> np.ndarray:
    """The columns of text i's allowed answers: of hundreds of entities a passage names a few."""
    return logits if allowed is None else logits[:, np.asarray(allowed[i])]


def _plain(model: Attended, data: Encoded, tokens_per_batch: int) -> dict[str, np.ndarray]:
    """The whole model on every shortened text."""
    removals = [(i, t) for i, codes in enumerate(data.codes) for t in range(1, len(codes) - 1)]
    lengths = np.array([len(data.codes[i]) - 1 for i, _ in removals])
    width = None
    logits = np.zeros((0, 1))
    for group in progress(cut(lengths, tokens_per_batch), "leave-one-out, batches"):
        chosen = [removals[k] for k in group]
        full = data.batch([i for i, _ in chosen])
        codes = pad([np.delete(data.codes[i], t) for i, t in chosen])
        batch = Batch(full.ids, codes, full.lengths - 1, full.labels, full.query, full.allowed)
        found = forward(model, batch.to(device_of(model))).logits.cpu().numpy()
        if width is None:
            width, logits = found.shape[1], np.empty((len(removals), found.shape[1]))
        logits[group] = found
    ends = np.cumsum([len(codes) - 2 for codes in data.codes])
    parts = enumerate(np.split(logits, ends[:-1]))
    return dict(zip(data.ids, (_allowed(part, data.allowed, i) for i, part in parts), strict=True))


def _fast(model: Attended, batch: Batch, tolerance: float, tally: Counter) -> Tensor:
    """Logits without the token at each position, shape (B, T, C); at markers they mean nothing."""
    batch = asked(model, batch)
    embedded, mask = model.embed(batch), attended_to(model, batch)
    readers = []
    if way_of_leaving_out(model.encoder) == "reread":
        readers = [Reader(model.encoder, embedded, batch.lengths, back) for back in (False, True)]
    states = torch.cat([r.h for r in readers], 2)[:, 1:-1] if readers else model.encode(embedded, batch)
    scores = model.scores(states, batch).masked_fill(~mask, -torch.inf)
    # Only differences of scores count, and near 0 they are rounded least.
    top = scores.amax(1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    if readers:
        ahead, behind = (reread(model, batch, r, states, mask, top, tolerance, tally) for r in readers)
        before, after = behind[0], ahead[0]
        touched = [torch.stack(pair) for pair in zip(ahead[1:], behind[1:], strict=True)]
    else:
        reach, t = model.encoder.reach, torch.arange(mask.shape[1], device=mask.device)
        before, after = (t - reach - 1).expand_as(mask), (t + reach + 1).expand_as(mask)
        touched = _around(model, batch, embedded, mask, top, reach)
    untouched = outside(scores - top, model.values(states), before, after)
    _, context = join(*(torch.cat(pair) for pair in zip(touched, untouched, strict=True)))
    allowed = None if batch.allowed is None else batch.allowed[:, None]
    return model.head.logits(context, model.shift(batch)[:, None], allowed)


def _around(
    model: Attended, batch: Batch, embedded: Tensor, mask: Tensor, top: Tensor, reach: int
) -> tuple[Tensor, Tensor]:
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
                s = d + k - half
                s += (d < 0 <= s) - (s <= 0 < d)  # from the cut on, the window holds the next one
                state += taps[:, 2 * reach + s : 2 * reach + s + T, k]
        used += count
    states = states.relu_().flatten(1, 2)
    scores, values = (
        x.unflatten(1, (len(offsets), T)).transpose(0, 1)
        for x in (model.scores(states, batch) - top, model.values(states))
    )
    near = F.pad(mask, (reach, reach)).unfold(1, T, 1).transpose(0, 1)  # (2R + 1, B, T)
    near = torch.cat([near[:reach], near[reach + 1 :]])
    return scores.masked_fill(~near, -torch.inf), values
