"""Leave-one-out: what the model says without each token, without a forward pass for each.

The token is removed and the text gets shorter; nothing is masked or replaced (J&W 2019, algorithm 1). Most
states stay as they were: the untouched ones are pooled once, from both ends, and only the touched ones are
computed anew, as the encoder says (`left_out`): those in a window around the cut, as wide as a CNN's filters
reach and empty where each state is of its token alone; or all that an LSTM reads on (see leave_one_out_lstm).
"""

from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from heed import paths
from heed.corpora.batches import Batch, Encoded, cut, pad
from heed.errors import HeedError, choose
from heed.evidence import Evidence
from heed.measures.divergence import tvd
from heed.measures.leave_one_out_lstm import Reader, reread
from heed.measures.rankings import ranking
from heed.measures.softmax_parts import join, outside
from heed.models.attended import Attended, asked, attended_to, device_of, forward, of_tokens
from heed.models.attentions import Last, way_of_weighing
from heed.models.encoders import way_of_leaving_out
from heed.models.guided import Guided
from heed.params import LEAVING, Params
from heed.progress import progress


def leave_one_out(
    model: Attended,
    data: Encoded,
    tokens_per_batch: int,
    how: str = "fast",
    tolerance: float = 0.0,
    tally: Counter | None = None,
    parts: Path | None = None,
) -> dict[str, np.ndarray]:
    """Logits without each token: instance id to an array (T, C), or (T, 1) for the sigmoid.

    The word is gone, not masked: the text is a token shorter. How far the prediction moved is `tvd` of what
    the model's head makes of them. Source: J&W (2019), algorithm 1.

    The question and the allowed answers, which are the columns, stay those of the full text. Without its only
    token a text has no attention, and its context is zero. how: `plain` runs the model on every shortened
    text; `fast` gives the same but for rounding in the way that `model.encoder` names, if it names one.
    tolerance: a BiLSTM whose h and c both come within it of the full text's (largest difference) has
    forgotten the cut; 0: never. tally: counts a BiLSTM's `walks` (two a removal), their `steps`, and the
    `forgotten` ones. parts: a folder of this model and data that keeps what `plain` has finished, so that it
    can be broken off. Memory follows `tokens_per_batch`, or the longest text if that is longer. Raises
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
    if tally is None:
        tally = Counter()
    way = way_of_leaving_out(getattr(model, "encoder", None))
    attention = getattr(model, "attention", None)
    # `Last` is of a place, and only in a softmax do parts of a text add up to the whole.
    if how == "plain" or isinstance(attention, Last) or way_of_weighing(attention) is not None:
        way = "plain"
    with torch.no_grad():
        if way == "plain":
            return _plain(model, data, tokens_per_batch, parts)
        found = {}
        touched = 2 * model.encoder.reach if way == "window" else 0  # states of a cut, which take room, too
        tokens = max(tokens_per_batch // (1 + touched), 1)
        for batch in progress(data.by_budget(tokens), "leave-one-out, batches"):
            logits = _fast(model, batch.to(device_of(model)), tolerance, tally).double().cpu().numpy()
            for b, (name, length) in enumerate(zip(batch.ids, batch.lengths.tolist(), strict=True)):
                found[name] = _allowed(logits[b, 1 : length - 1], batch.allowed, b)
    return {name: found[name] for name in data.ids}


def change(evidence: Evidence, logits: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Δŷ of each left-out token, TVD in float64: id of an instance in `logits` to an array of its tokens.

    To 14 places: noise is near 1e-16, and where Δŷ is tiny it would tell equal words apart in a rank.
    """
    head, found = evidence.head, {}
    for name, prediction, allowed in zip(
        evidence.ids, evidence.predictions, evidence.table["allowed"].to_pylist(), strict=True
    ):
        if name not in logits:
            continue
        kept = prediction if allowed is None else prediction[allowed]
        found[name] = np.round(tvd(head.from_logits(logits[name]).numpy(), kept), 14)
    return found


@ranking(
    "loo",
    label="leave-one-out",
    short="LOO",
    what="how far the prediction moves when the word is removed",
    source="J&W (2019), algorithm 1",
    cost="a forward pass a token, or a fast form of it",
    settings=LEAVING,
    of_arrays=change,
    reference=True,
    resumable=True,
    dear=True,
)
def leave_one_out_ranking(
    model: Attended, data: Encoded, p: Params, notes: dict, parts: Path | None = None
) -> dict[str, np.ndarray]:
    """Logits without each token; of a BiLSTM also how far it was read on after a cut, for run.json."""
    walks = Counter()
    found = leave_one_out(model, data, p.tokens_per_batch, p.loo_how, p.loo_tolerance, walks, parts)
    if walks["walks"]:
        notes["loo"] = {name: walks[name] / walks["walks"] for name in ("steps", "forgotten")}
    return found


def _allowed(logits: np.ndarray, allowed, i: int) -> np.ndarray:
    """The columns of text i's allowed answers: of hundreds of entities a passage names a few."""
    return logits if allowed is None else logits[:, np.asarray(allowed[i])]


def _plain(
    model: Attended, data: Encoded, tokens_per_batch: int, parts: Path | None = None
) -> dict[str, np.ndarray]:
    """The whole model on every shortened text."""
    removals = [(i, t) for i, codes in enumerate(data.codes) for t in range(1, len(codes) - 1)]
    lengths = np.array([len(data.codes[i]) - 1 for i, _ in removals])
    logits = None
    for number, group in enumerate(progress(cut(lengths, tokens_per_batch), "leave-one-out, batches")):
        part = parts and parts / f"{number}.npy"
        if part and part.exists():
            found = np.load(part, allow_pickle=False)
        else:
            found = _without(model, data, [removals[k] for k in group])
        if part and not part.exists():
            with paths.writing(part) as aside, open(aside, "wb") as file:
                np.save(file, found, allow_pickle=False)
        if logits is None:  # how many classes there are the first batch tells
            logits = np.empty((len(removals), found.shape[1]))
        logits[group] = found
    if logits is None:
        logits = np.zeros((0, 1))
    of_texts = {}
    start = 0
    for i, (name, codes) in enumerate(zip(data.ids, data.codes, strict=True)):
        end = start + len(codes) - 2
        of_texts[name] = _allowed(logits[start:end], data.allowed, i)
        start = end
    return of_texts


def _without(model: Attended, data: Encoded, chosen: list[tuple[int, int]]) -> np.ndarray:
    """Logits (R, C or 1) of texts without a token each; chosen: the text's number and the token's place."""
    full = data.batch([i for i, _ in chosen])
    codes = pad([np.delete(data.codes[i], t) for i, t in chosen])
    batch = Batch(full.ids, codes, full.lengths - 1, full.labels, full.query, full.allowed)
    return forward(model, batch.to(device_of(model))).logits.cpu().numpy()


def _fast(model: Attended, batch: Batch, tolerance: float, tally: Counter) -> Tensor:
    """Logits without the token at each position, shape (B, T, C); at markers they mean nothing."""
    batch = asked(model, batch)
    embedded, mask = model.embed(batch), attended_to(model, batch)
    is_lstm = way_of_leaving_out(model.encoder) == "reread"
    if is_lstm:
        ahead = Reader(model.encoder, embedded, batch.lengths, back=False)
        behind = Reader(model.encoder, embedded, batch.lengths, back=True)
        states = torch.cat([ahead.h, behind.h], 2)[:, 1:-1]
    else:
        states = model.encode(embedded, batch)
    scores = model.scores(states, batch).masked_fill(~mask, -torch.inf)
    # Only differences of scores count, and near 0 they are rounded least.
    top = scores.amax(1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    # Without a token the states up to `before` and from `after` on are the full text's.
    if is_lstm:
        full = states, mask, top
        after, scores_ahead, values_ahead = reread(model, batch, ahead, *full, tolerance, tally)
        before, scores_behind, values_behind = reread(model, batch, behind, *full, tolerance, tally)
        touched_scores = torch.stack([scores_ahead, scores_behind])
        touched_values = torch.stack([values_ahead, values_behind])
    else:
        reach = model.encoder.reach
        t = torch.arange(mask.shape[1], device=mask.device)
        before, after = (t - reach - 1).expand_as(mask), (t + reach + 1).expand_as(mask)
        touched_scores, touched_values = _around(model, batch, embedded, mask, top, reach)
    untouched_scores, untouched_values = outside(scores - top, model.values(states), before, after)
    _, context = join(
        torch.cat([touched_scores, untouched_scores]), torch.cat([touched_values, untouched_values])
    )
    allowed = None if batch.allowed is None else batch.allowed[:, None]
    return model.head.logits(context, model.shift(batch)[:, None], allowed)


def _around(
    model: Attended, batch: Batch, embedded: Tensor, mask: Tensor, top: Tensor, reach: int
) -> tuple[Tensor, Tensor]:
    """Scores (2R, B, T) and values (2R, B, T, D) of the states around each cut, as a CNN sees them.

    The states are those at offsets -R to -1 and 1 to R from the cut; with a reach R of 0 there are none.
    Every tap of a filter meets every token once; the states around a cut are other sums of the same.
    """
    B, T = mask.shape
    offsets = [offset for offset in range(-reach, reach + 1) if offset != 0]
    states = embedded.new_empty(B, len(offsets), T, model.encoder.size)
    if offsets:
        margin = 2 * reach  # a state that far from the cut has a window that reaches as far again
        wide = F.pad(embedded, (0, 0, margin, margin))
        used = 0
        for conv in model.encoder.filters:
            half, count = conv.kernel_size[0] // 2, conv.out_channels
            taps = F.linear(wide, conv.weight.permute(2, 0, 1).flatten(0, 1)).unflatten(2, (-1, count))
            for i, offset in enumerate(offsets):
                state = states[:, i, :, used : used + count]
                state[:] = conv.bias
                for k in range(2 * half + 1):
                    first = margin + _met(offset, k - half)
                    state += taps[:, first : first + T, k]
            used += count
    states = states.relu_().flatten(1, 2)
    scores = (model.scores(states, batch) - top).unflatten(1, (len(offsets), T)).transpose(0, 1)
    values = model.values(states).unflatten(1, (len(offsets), T)).transpose(0, 1)
    near = F.pad(mask, (reach, reach)).unfold(1, T, 1).transpose(0, 1)  # (2R + 1, B, T)
    near = torch.cat([near[:reach], near[reach + 1 :]])  # without the cut itself
    return scores.masked_fill(~near, -torch.inf), values


def _met(offset: int, tap: int) -> int:
    """The token that a window meets at a tap (0: its middle), once the token at 0 is gone.

    Window and token are counted from the cut, in the full text.
    """
    token = offset + tap
    if offset < 0 and token >= 0:  # a window before the cut: from the cut on it meets the next token
        return token + 1
    if offset > 0 and token <= 0:  # a window after the cut: from the cut back it meets the one before
        return token - 1
    return token
