"""Chapter 13, transformers: by hand, how free the last layer's attention is by length, and τ head by head."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from torch import nn

from heed import paths
from heed.errors import HeedError
from heed.evidence import Row
from heed.experiments.audit import IMPORTANCE, Audit
from heed.measures.freedom import freedom
from heed.measures.kendall import kendall
from heed.measures.layer import Layer, by_word, layers
from heed.models.head import Head
from heed.models.pieces import pieces
from heed.models.pretrained import Pretrained
from heed.own_models import evidence_from_hf
from heed.progress import progress

FREEDOM = paths.DATA / "results" / "freedom.csv"
LENGTHS = (4, 6, 8, 10, 12, 16, 24, 32, 48)
ALONE, ALL = "one head", "all heads"
# By hand: two heads of one number each look at three words. Head 0 writes z's first number, head 1 its
# second. x: what is there without them, by the residual connection.
HAND = {
    "words": ["not", "bad", "film"],
    "x": [0.1, -0.8],
    "values": [[[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]], [[0.0, -1.0], [0.0, 1.0], [0.0, 3.0]]],
    "attention": [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]],
    "decoder": [1.0, 1.0],
}


def by_hand() -> Layer:
    """Two heads of three words, with numbers that can be followed: logit = decoder · z, one sigmoid."""
    out = nn.Linear(2, 1, bias=False, dtype=torch.float64)
    out.weight.data[:] = torch.tensor([HAND["decoder"]])
    values, attention = np.array(HAND["values"]), np.array(HAND["attention"])
    fetched = np.einsum("ht,htd->hd", attention, values)
    rows = []
    for h in range(2):
        rest = np.array(HAND["x"]) + fetched.sum(0) - fetched[h]
        head = Head("identity", "sigmoid", out)
        rows.append(Row.of(HAND["words"], attention[h], values[h], head, shift=rest, id="by hand"))
    return Layer(rows)


def parts_by_hand(layer: Layer) -> pd.DataFrame:
    """What each head takes of each word, and what it comes to: a row a head and word, then the sums."""
    rows = []
    for h, row in enumerate(layer.rows):
        for word, weight, value in zip(row.units, row.attention, row.values, strict=True):
            taken = weight * value
            rows.append([f"head {h}", word, weight, *value, *taken])
    z = layer.rest + np.einsum("ht,htd->d", layer.attention, layer.values)
    rows.append(["", "what is there without them", np.nan, np.nan, np.nan, *layer.rest])
    rows.append(["", "z, the sum", np.nan, np.nan, np.nan, *z])
    return pd.DataFrame(rows, columns=["head", "word", "weight", "value 1", "value 2", "taken 1", "taken 2"])


def of_length(source: Pretrained, texts: Sequence[str], units: int) -> str | None:
    """The beginning of these texts, joined, that the model reads as so many pieces and marks, or just fewer.

    None if all of them together are shorter.
    """
    words = " ".join(texts).split()
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        read = source.tokenizer(" ".join(words[:middle]))["input_ids"]
        low, high = (middle, high) if len(read) <= units else (low, middle - 1)
    whole = len(source.tokenizer(" ".join(words))["input_ids"])
    return " ".join(words[:low]) if low and whole >= units else None


def free_by_length(
    source: Pretrained, texts: Sequence[str], lengths: Sequence[int] = LENGTHS, each: int = 3, starts: int = 2
) -> pd.DataFrame:
    """How free the last layer's attention is on texts of these lengths, `each` of every length.

    A row a text and kind, ALONE (the mean over the heads, each with the others as they are) or ALL: units,
    dimension, jsd (mean over heads), moved (of the prediction, TVD). Long texts are several joined, from
    another one on each time. Raises HeedError if these texts are too short even so.
    """
    chosen, count = [], max(len(texts) // each, 1)
    for units in lengths:
        for k in range(each):
            own = [*texts[k * count :], *texts[: k * count]]
            text = of_length(source, own, units)
            if text is None:
                raise HeedError(f"freedom: these texts have no {units} pieces together. Give more texts.")
            chosen.append(text)
    rows = []
    for layer in progress(list(layers(evidence_from_hf(source, chosen))), "freedom, texts"):
        for kind in (ALONE, ALL):
            found = _free(layer, kind, starts)
            rows.append({"text": layer.id, "kind": kind, "units": len(layer.real)} | found)
    return pd.DataFrame(rows)


def _free(layer: Layer, kind: str, starts: int) -> dict:
    """What is free in one text: dimension, jsd and moved."""
    groups = [layer.rows] if kind == ALL else [[row] for row in layer.rows]
    dimension, far, moved = [], [], []
    for h, rows in enumerate(groups):
        found = freedom(rows, starts)
        attention = found.attention
        if kind == ALONE:
            attention = layer.attention.copy()
            attention[h] = found.attention[0]
        dimension.append(found.dimension)
        far.append(found.jsd.mean())
        moved.append(float(layer.change(attention)))
    return {"dimension": np.mean(dimension), "jsd": np.mean(far), "moved": max(moved)}


def carried() -> pd.DataFrame:
    """The committed numbers of `free_by_length` on real texts, with columns model, heads and head_size."""
    return pd.read_csv(FREEDOM)


def without_attention(source: Pretrained, texts: Sequence[str]) -> pd.DataFrame:
    """What is left if the last attention gives nothing, all its weights 0: a row a text, change and flips.

    z is then what the first position brings along from the layer below, by the residual connection.
    """
    rows = []
    for layer in layers(evidence_from_hf(source, texts)):
        nothing = np.zeros(layer.attention.shape)
        rows.append({"change": float(layer.change(nothing)), "flips": bool(layer.flips(nothing))})
    return pd.DataFrame(rows)


def taus_by_head(source: Pretrained, texts: Sequence[str], words: pd.DataFrame) -> pd.DataFrame:
    """Mean τ of each head's attention, by word, with each measure of importance that the audit has.

    words: an audit's, of the same texts in the same order. A row a head.
    """
    read = pieces(source, texts)
    of_text = dict(list(words.groupby("id", sort=False)))
    taus = []
    for layer, own, measured in zip(
        layers(evidence_from_hf(source, texts)), read, of_text.values(), strict=True
    ):
        for h, weights in enumerate(by_word(layer.attention, own.word)):
            row = {"head": h}
            for name in IMPORTANCE:
                values = measured[name].to_numpy(dtype=float)
                if len(weights) > 1 and np.isfinite(values).all():
                    row[name] = kendall(weights, values)[0]
            taus.append(row)
    return pd.DataFrame(taus).groupby("head", as_index=False).mean()


def texts_of(found: Audit) -> list[str]:
    """The texts of an audit, as their words stand there."""
    return [" ".join(own["word"]) for _, own in found.words.groupby("id", sort=False)]
