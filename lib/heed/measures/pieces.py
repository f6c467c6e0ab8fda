"""Rankings of a text's words by a transformer that was loaded: of its pieces, added up by word.

heed's own models have the same in `gradients`, `leave_one_out` and `integrated_gradients`. Here the
gradient goes through everything that the model does, its attention, too. p̂ is the probability of the
predicted class. A model in float32 does (`rougher`): its logits are made probabilities in float64.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import cut
from heed.measures.divergence import tvd
from heed.measures.integrated_gradients import STEPS
from heed.measures.layer import by_word
from heed.models.pieces import Pieces
from heed.models.pretrained import Pretrained, padded
from heed.progress import progress

TOKENS = 4096  # pieces that are read at once
OTHERS = 8  # words of a text that are put in the place of one of its words


def rougher(source: Pretrained) -> Pretrained:
    """The same classifier in float32, which takes half the time."""
    return replace(source, model=copy.deepcopy(source.model).float())


def gradient(source: Pretrained, texts: Sequence[Pieces], tokens: int = TOKENS) -> list[np.ndarray]:
    """|Σ e · ∂p̂/∂e| of each word, over the embeddings e of its pieces: a list of (n,).

    Of one piece that is |∂p̂/∂x| of its one-hot (J&W 2019, algorithm 1).
    """
    found = {}
    for group, batch in _batches(source, texts, tokens, "gradients, batches"):
        embedded = _embedded(source, batch)
        chosen = _logits(source, batch, embedded).argmax(1)
        slope = _slope(source, batch, embedded, chosen)
        found |= _by_word(texts, group, (embedded * slope).sum(2))
    return [np.abs(found[i]) for i in range(len(texts))]


def integrated_gradients(
    source: Pretrained, texts: Sequence[Pieces], steps: int = STEPS, tokens: int = TOKENS
) -> list[np.ndarray]:
    """|Σ e · mean of ∂p̂/∂e on the way from zero vectors| of each word: a list of (n,).

    By the midpoint rule; the marks' vectors are scaled with the words' (Sundararajan et al. 2017, eq. 3).
    """
    found = {}
    for group, batch in _batches(source, texts, tokens, "integrated gradients, batches"):
        embedded = _embedded(source, batch)
        chosen = _logits(source, batch, embedded).argmax(1)
        total = torch.zeros_like(embedded)
        for step in range(1, steps + 1):
            total += _slope(source, batch, embedded * ((step - 0.5) / steps), chosen)
        found |= _by_word(texts, group, (embedded * total / steps).sum(2))
    return [np.abs(found[i]) for i in range(len(texts))]


@torch.no_grad()
def leave_one_out(source: Pretrained, texts: Sequence[Pieces], tokens: int = TOKENS) -> list[np.ndarray]:
    """How far the prediction moves (TVD) without each word, the rest read anew: a list of (n,).

    A word's pieces are removed, nothing is put in their place, and the text gets shorter. To 14 places.
    """
    codes, starts = [], []
    for text in texts:
        starts.append(len(codes))
        codes += [text.codes, *(text.without(word) for word in range(len(text.words)))]
    probs = np.zeros((len(codes), len(source.classes)))
    for group in progress(cut(np.array([*map(len, codes)]), tokens), "leave-one-out, batches"):
        logits = source.model(**padded(source.model, [codes[k] for k in group])).logits
        probs[group] = logits.double().softmax(-1).numpy()
    found = []
    for start, text in zip(starts, texts, strict=True):
        without = probs[start + 1 : start + 1 + len(text.words)]
        found.append(np.round(tvd(without, probs[start]), 14))
    return found


@torch.no_grad()
def swapped(
    source: Pretrained, texts: Sequence[Pieces], words: Sequence[int], tokens: int = TOKENS
) -> np.ndarray:
    """How far the prediction moves (TVD) when other words of a text take the place of one: medians (texts,).

    words: the number of that word in each text. At most OTHERS others, spread over the text, take its place,
    one at a time. NaN where the text has no other word.
    """
    codes, starts = [], [0]
    for text, word in zip(texts, words, strict=True):
        codes += [text.codes, *text.with_others(word, OTHERS)]
        starts.append(len(codes))
    probs = np.zeros((len(codes), len(source.classes)))
    for group in progress(cut(np.array([*map(len, codes)]), tokens), "other words, batches"):
        logits = source.model(**padded(source.model, [codes[k] for k in group])).logits
        probs[group] = logits.double().softmax(-1).numpy()
    found = np.full(len(texts), np.nan)
    for i, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        if end - start > 1:
            found[i] = np.median(tvd(probs[start + 1 : end], probs[start]))
    return found


@torch.no_grad()
def rollout(source: Pretrained, texts: Sequence[Pieces], tokens: int = TOKENS // 4) -> list[np.ndarray]:
    """What of each word arrives at the first position if layers only mixed what they attend to: (n,) each.

    The product over the layers of ½ (mean over heads of attention) + ½ identity, its first row, added up by
    word (Abnar & Zuidema 2020, section 3).
    """
    found = {}
    for group, batch in _batches(source, texts, tokens, "rollout, batches"):
        arrived = None
        for attention in source.model(**batch, output_attentions=True).attentions:
            mixed = attention.mean(1) / 2
            mixed.diagonal(dim1=1, dim2=2).add_(0.5)
            arrived = mixed if arrived is None else mixed @ arrived
        found |= _by_word(texts, group, arrived[:, 0])
    return [found[i] for i in range(len(texts))]


def _batches(
    source: Pretrained, texts: Sequence[Pieces], tokens: int, title: str
) -> Iterator[tuple[np.ndarray, dict[str, Tensor]]]:
    """Texts of like length: their numbers, and what the model takes."""
    for group in progress(cut(np.array([len(text.codes) for text in texts]), tokens), title):
        yield group, padded(source.model, [texts[i].codes for i in group])


def _embedded(source: Pretrained, batch: dict[str, Tensor]) -> Tensor:
    """The embeddings of the pieces, before places are added, shape (B, T, E)."""
    return source.model.get_input_embeddings()(batch["input_ids"]).detach()


def _logits(source: Pretrained, batch: dict[str, Tensor], embedded: Tensor) -> Tensor:
    """Logits (B, C) of embeddings, in float64."""
    return source.model(inputs_embeds=embedded, attention_mask=batch["attention_mask"]).logits.double()


def _slope(source: Pretrained, batch: dict[str, Tensor], embedded: Tensor, chosen: Tensor) -> Tensor:
    """∂p/∂e of the chosen classes (B,), shape (B, T, E)."""
    with torch.enable_grad():
        embedded = embedded.detach().requires_grad_()
        probs = _logits(source, batch, embedded).softmax(-1)
        (slope,) = torch.autograd.grad(probs.gather(1, chosen[:, None]).sum(), embedded)
    return slope


def _by_word(texts: Sequence[Pieces], group: np.ndarray, values: Tensor) -> dict[int, np.ndarray]:
    """Values (B, T) of a batch, added up over each word's pieces: by the text's number."""
    found = {}
    for b, i in enumerate(group.tolist()):
        word = texts[i].word
        found[i] = by_word(values[b, : len(word)].double().numpy(), word)
    return found
