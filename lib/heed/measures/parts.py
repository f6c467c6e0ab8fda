"""What a model says of parts of a text: without some of its words, or with unknown ones in their place."""

import numpy as np
import torch

from heed.corpora.batches import Batch, Encoded, cut, pad
from heed.corpora.tokens import UNKNOWN
from heed.errors import HeedError, choose
from heed.models.attended import Attended, device_of, forward, of_tokens
from heed.models.guided import Guided
from heed.models.head import Head

# How words are taken out of a text.
WAYS = {"delete": "the text gets shorter", "unk": "<unk> stands in their place"}


def logits_of(
    model: Attended, data: Encoded, i: int, kept: np.ndarray, way: str, tokens_per_batch: int
) -> np.ndarray:
    """Logits (M, C or 1) of text i with these of its words alone, kept (M, n) of flags.

    way: one of WAYS. The markers and the question stay; with no word left the text is its markers, and a
    model that doesn't attend to those has no context. Raises HeedError for a model that can't read parts.
    """
    check(model)
    choose("way of taking words out", way, WAYS)
    codes, kept = data.codes[i], np.asarray(kept, dtype=bool)
    if kept.ndim != 2 or kept.shape[1] != len(codes) - 2:
        raise HeedError(
            f"parts of text {data.ids[i]}: expected flags of shape (M, {len(codes) - 2}), got {kept.shape}."
        )
    whole = np.pad(kept, ((0, 0), (1, 1)), constant_values=True)
    lengths = whole.sum(1) if way == "delete" else np.full(len(kept), len(codes))
    found = None
    for group in cut(lengths, tokens_per_batch):
        texts = [codes[own] if way == "delete" else np.where(own, codes, UNKNOWN) for own in whole[group]]
        full = data.batch([i] * len(group))
        batch = Batch(
            full.ids, pad(texts), torch.as_tensor(lengths[group]), full.labels, full.query, full.allowed
        )
        with torch.no_grad():
            logits = forward(model, batch.to(device_of(model))).logits.double().cpu().numpy()
        if found is None:  # how many classes there are the first batch tells
            found = np.empty((len(kept), logits.shape[1]))
        found[group] = logits
    return np.empty((0, 1)) if found is None else found


def check(model: Attended) -> None:
    """Raises HeedError for a model that can't be asked what it says of parts of a text."""
    of_tokens(model)
    if isinstance(model, Guided):
        raise HeedError(
            "parts of texts: this model's attention is given for whole texts. Take the run it is given from."
        )


def probability(head: Head, logits: np.ndarray, decision: int) -> np.ndarray:
    """The probability (...) of one class, of logits (..., C or 1)."""
    return head.from_logits(logits).numpy()[..., decision]


def lead(logits: np.ndarray, decision: int) -> np.ndarray:
    """The logit (...) of a class, of logits (..., C or 1); one logit is class 1's, and class 0's negative."""
    if logits.shape[-1] == 1:
        return logits[..., 0] if decision == 1 else -logits[..., 0]
    return logits[..., decision]
