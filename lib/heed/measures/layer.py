"""All heads of a layer together: what the model would have said, had they all looked elsewhere.

What follows the last attention of a classifier is a function of z = rest + Σ_h Σ_t a_ht u_ht, where u_ht
is what head h adds by looking at unit t alone. The rows of one text's heads hold all of it, so a change of
all heads at once needs no forward pass. A model of heed's own has one head, and the same measures.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from heed import arrays
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures import erasure, permutation
from heed.measures.divergence import tvd

KINDS = ("first mark", "other marks", "punctuation", "words")  # what attention can fall on


@dataclass(frozen=True, eq=False)
class Layer:
    """One text's heads, as rows of evidence. Raises HeedError for rows of different texts, or none."""

    rows: Sequence[Row]

    def __post_init__(self):
        rows = [self.rows] if isinstance(self.rows, Row) else list(self.rows)
        if not rows or any(not isinstance(row, Row) for row in rows):
            raise HeedError("a layer is the rows of one text's heads: give one row at least.")
        if any(row.group != rows[0].group or row.units != rows[0].units for row in rows):
            raise HeedError("layer: the rows are of different texts. Give those of one group.")
        object.__setattr__(self, "rows", rows)

    @property
    def first(self) -> Row:
        """Of one of the heads: what doesn't differ between them is taken from it."""
        return self.rows[0]

    @property
    def id(self) -> str:
        """What the text is called."""
        return self.first.group

    @property
    def real(self) -> np.ndarray:
        """Which units are no marks, shape (T,)."""
        return self.first.real

    @cached_property
    def attention(self) -> np.ndarray:
        """The model's own weights, shape (heads, T)."""
        return np.stack([row.attention for row in self.rows])

    @cached_property
    def values(self) -> np.ndarray:
        """What a weight of 1 adds to z, shape (heads, T, D)."""
        return np.stack([row.values for row in self.rows])

    @cached_property
    def rest(self) -> np.ndarray:
        """What no head adds to z, shape (D,)."""
        others = sum(row.attention @ row.values for row in self.rows[1:])
        return self.first.shift - others

    def logits(self, attention) -> np.ndarray:
        """Logits (..., C or 1) with these weights of all heads (..., heads, T)."""
        attention, own = arrays.numbers(attention, "attention"), self.attention.shape
        if attention.ndim < 2 or attention.shape[-2:] != own:
            raise HeedError(
                f"attention: expected {own[0]} heads' weights on {own[1]} units, got {attention.shape}."
            )
        flat = attention.reshape(*attention.shape[:-2], -1)
        attended = flat @ self.values.reshape(flat.shape[-1], -1)
        return self.first.head.logits(attended, self.rest, self.first.allowed).numpy()

    def probs(self, attention) -> np.ndarray:
        """The prediction (..., C) with these weights of all heads (..., heads, T)."""
        return self.first.head.from_logits(self.logits(attention)).numpy()

    def change(self, attention) -> np.ndarray:
        """How far the prediction moves with these weights: TVD (...,)."""
        return tvd(self.probs(attention), self.first.prediction)

    def flips(self, attention) -> np.ndarray:
        """Whether these weights decide for another class, shape (...,)."""
        return erasure.decided(self.logits(attention)) != self.decision

    @cached_property
    def decision(self) -> int:
        """The class that is decided for."""
        return int(erasure.decided(self.logits(self.attention)))


def layers(evidence: Evidence) -> Iterator[Layer]:
    """Each text's heads together, in order; of evidence of one head, each row."""
    if len(evidence.heads) == 1:
        yield from (Layer([row]) for row in evidence)
        return
    for _, rows in groupby(evidence, key=lambda row: row.group):
        yield Layer(list(rows))


def permuted(layer: Layer, count: int, seed: int) -> dict[str, np.ndarray]:
    """How far the prediction moves (TVD) when weights are shuffled over the units; marks keep theirs.

    `alone` (heads, P): one head's, the others stay; `same` (P,): all heads' by the same permutation; `own`
    (P,): each head's by one of its own. The draws are the permutation kernel's, by seed and row.
    """
    drawn = np.stack([permutation.draws(row, count, seed) for row in layer.rows], axis=1)  # (P, heads, T)
    alone = []
    for h in range(len(layer.rows)):
        one = np.tile(layer.attention, (count, 1, 1))
        one[:, h] = drawn[:, h]
        alone.append(layer.change(one))
    n = int(layer.real.sum())
    orders = permutation.permuted(np.arange(n), count, seed, layer.id)
    same = np.tile(layer.attention, (count, 1, 1))
    same[:, :, layer.real] = layer.attention[:, layer.real][:, orders].swapaxes(0, 1)
    return {"alone": np.stack(alone), "same": layer.change(same), "own": layer.change(drawn)}


def uniform(layer: Layer) -> np.ndarray:
    """The weights of heads that look everywhere alike, marks too, shape (heads, T)."""
    return np.full(layer.attention.shape, 1 / layer.attention.shape[1])


def on_each(layer: Layer) -> np.ndarray:
    """All heads' whole attention on one unit, for each unit that is no mark, shape (n, heads, T)."""
    one = np.eye(layer.attention.shape[1])[layer.real]
    return np.repeat(one[:, None], len(layer.rows), axis=1)


def norms(layer: Layer) -> np.ndarray:
    """How long what all heads together take from a unit is, ‖Σ_h a_ht u_ht‖, shape (T,).

    Source: Kobayashi et al. (2020), "Attention is Not Only a Weight", section 3.
    """
    return np.linalg.norm(np.einsum("ht,htd->td", layer.attention, layer.values), axis=1)


def slopes(layer: Layer) -> np.ndarray:
    """The derivative of the predicted class's probability by each weight, states held, shape (heads, T)."""
    return np.stack([erasure.slopes(row) for row in layer.rows])


def words_of(layer: Layer) -> np.ndarray:
    """Each unit that is no mark as a word of its own, shape (T,); -1 at marks."""
    return np.where(layer.real, np.cumsum(layer.real) - 1, -1)


def by_word(values, word: np.ndarray) -> np.ndarray:
    """Values (..., T) added up over each word's units: (..., n). word (T,): from 0 on, -1 at marks."""
    values, word = np.asarray(values, dtype=float), np.asarray(word)
    is_of = word[:, None] == np.arange(word.max(initial=-1) + 1)
    return values @ is_of


def until_flip(layer: Layer, orders: np.ndarray, word: np.ndarray) -> np.ndarray:
    """How many words are erased in all heads until the decision flips, shape (R,); 0: it never does.

    orders (R, n): words' numbers, the first to go first. word (T,): of each unit its word, -1 at marks,
    which stay. Weights on what is erased are 0, the others are scaled to sum to 1 (Serrano & Smith 2019,
    section 5). One word stays at least, and so does some attention of each head.
    """
    found = []
    for order in np.asarray(orders):
        n = len(order)
        rank = np.empty(n + 1)
        rank[order], rank[-1] = np.arange(n), n  # -1, the marks, is the last
        stays = rank[word] > np.arange(n - 1)[:, None]  # (steps, T)
        left = layer.attention * stays[:, None]
        mass = left.sum(-1, keepdims=True)
        flips = (mass > 0).all((1, 2))
        if n > 1:
            flips &= layer.flips(left / np.where(mass > 0, mass, 1))
        found.append(int(flips.argmax()) + 1 if flips.any() else 0)
    return np.array(found)


def kinds(layer: Layer) -> np.ndarray:
    """Of each unit the number of its kind among KINDS, shape (T,)."""
    found = []
    for t, (unit, real) in enumerate(zip(layer.first.units, layer.real, strict=True)):
        if real:
            found.append("punctuation" if is_punctuation(unit) else "words")
        else:
            found.append("first mark" if t == 0 else "other marks")
    return np.array([KINDS.index(kind) for kind in found])


def is_punctuation(unit: str) -> bool:
    """Whether a unit, or a piece that goes on with a word (##), is of punctuation and signs alone."""
    plain = unit[2:] if unit.startswith("##") and len(unit) > 2 else unit
    return bool(plain) and all(unicodedata.category(c)[0] in "PS" for c in plain)


def shares(layer: Layer) -> np.ndarray:
    """How much of each head's attention falls on each of KINDS, shape (heads, 4)."""
    return layer.attention @ np.eye(len(KINDS))[kinds(layer)]
