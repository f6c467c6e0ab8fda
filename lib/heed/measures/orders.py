"""Orders in which words are taken out of a text: what one costs the prediction, and the best and the worst.

With d(S) = p(x) - p(x without the set S), an order's AOPC is the mean of d over its n beginnings, from one
word to all. Edin et al. (2024) divide it by what a model allows: the lowest and the highest of all orders.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heed.errors import HeedError

Change = Callable[[np.ndarray], np.ndarray]  # of removed words (M, n), flags, to d (M,)


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest AOPC, an order that has each (n,), and how they were found.

    how: `all sets`, every one was read; `sorted`, by a closed form; both exact. `beam`: the best that a
    search found, which may be short of what there is.
    """

    lowest: float
    highest: float
    worst: np.ndarray
    best: np.ndarray
    how: str

    @property
    def is_exact(self) -> bool:
        """Whether no order can lie outside."""
        return self.how != "beam"

    def widened(self, found: np.ndarray, orders: np.ndarray) -> "Bounds":
        """With orders (R, n) whose AOPC (R,) a search missed; exact ones stay as they are."""
        if self.is_exact or not len(found):
            return self
        low, high = int(found.argmin()), int(found.argmax())
        lowest, worst = min((self.lowest, self.worst), (found[low], orders[low]), key=lambda own: own[0])
        highest, best = max((self.highest, self.best), (found[high], orders[high]), key=lambda own: own[0])
        return Bounds(float(lowest), float(highest), worst, best, self.how)


def beginnings(orders: np.ndarray) -> np.ndarray:
    """The sets that each order (R, n) takes out one after another, as flags (R, n, n): one word first."""
    places = np.argsort(orders, axis=1)  # of each word, when it goes
    return places[:, None, :] <= np.arange(orders.shape[1])[None, :, None]


def aopc(change: Change, orders: np.ndarray) -> np.ndarray:
    """Mean d over all beginnings of each order (R, n): (R,)."""
    sets = beginnings(orders)
    return change(sets.reshape(-1, sets.shape[-1])).reshape(sets.shape[:2]).mean(1)


def all_sets(n: int) -> np.ndarray:
    """Every set of n words as flags (2^n, n); word t is in the sets whose number has bit t."""
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


def by_all_sets(change: Change, n: int) -> Bounds:
    """Exact bounds, of every set: best(S) = d(S) + the highest of best(S without i), i in S; 2^n readings.

    Source: heed; Edin et al. try n! orders.
    """
    sets = all_sets(n)
    d = change(sets)
    lowest, worst = _recursion(d, sets, np.minimum, np.argmin)
    highest, best = _recursion(d, sets, np.maximum, np.argmax)
    return Bounds(lowest / n, highest / n, worst, best, "all sets")


def _recursion(d: np.ndarray, sets: np.ndarray, choose, choose_place) -> tuple[float, np.ndarray]:
    """The best sum of d along a way from nothing to all, and the order of that way."""
    n = sets.shape[1]
    best, sizes, numbers = np.zeros(len(d)), sets.sum(1), np.arange(len(d))
    nothing = np.inf if choose is np.minimum else -np.inf
    for size in range(1, n + 1):
        own = numbers[sizes == size]
        before = np.full(len(own), nothing)
        for t in range(n):
            has = sets[own, t]
            before[has] = choose(before[has], best[own[has] ^ (1 << t)])
        best[own] = d[own] + before
    order, left = [], len(d) - 1
    while left:
        words = np.flatnonzero(sets[left])
        last = int(words[choose_place(best[left ^ (1 << words)])])
        order.append(last)
        left ^= 1 << last
    return float(best[-1]), np.array(order[::-1])


def by_sorting(change: Change, gains: np.ndarray) -> Bounds:
    """Exact bounds where of all sets of one size those of the highest `gains` (n,) have the highest d.

    So it is where a logit is additive in the words. Two orders are read.
    """
    best = np.argsort(-gains, kind="stable")
    lowest, highest = aopc(change, np.stack([best[::-1], best]))
    return Bounds(float(lowest), float(highest), best[::-1], best, "sorted")


def by_beam(change: Change, n: int, width: int) -> Bounds:
    """Bounds from below and above by a search: sets grow by a word, the `width` of the best sums go on.

    Of the orders of one set the best is kept. Source: Edin et al. (2024), section 4.
    """
    if width < 1:
        raise HeedError(f"beam: a width of {width} keeps no set; expected 1 at least. Correct beam_width.")
    lowest, worst = _beam(lambda sets: -change(sets), n, width)
    highest, best = _beam(change, n, width)
    return Bounds(-lowest / n, highest / n, worst, best, "beam")


def _beam(change: Change, n: int, width: int) -> tuple[float, np.ndarray]:
    """The highest sum of d that is found, and its order."""
    sets, sums, orders = np.zeros((1, n), bool), np.zeros(1), np.empty((1, 0), int)
    for _ in range(n):
        parent, word = np.nonzero(~sets)
        grown = sets[parent]
        grown[np.arange(len(word)), word] = True
        first = np.argsort(-sums[parent], kind="stable")  # of one set the best order comes first, ...
        _, places = np.unique(np.packbits(grown[first], axis=1), axis=0, return_index=True)  # ... and is kept
        chosen = first[np.sort(places)]
        grown, parent, word = grown[chosen], parent[chosen], word[chosen]
        found = sums[parent] + change(grown)
        kept = np.argsort(-found, kind="stable")[:width]
        sets, sums = grown[kept], found[kept]
        orders = np.column_stack([orders[parent[kept]], word[kept]])
    return float(sums[0]), orders[0]


def normalised(found: np.ndarray, bounds: Bounds) -> np.ndarray:
    """(AOPC - lowest) / (highest - lowest), from 0 to 1; NaN where all orders are alike, as of one word."""
    room = bounds.highest - bounds.lowest
    if room <= 1e-12:
        return np.full(np.shape(found), np.nan)
    return np.clip((found - bounds.lowest) / room, 0, 1)  # rounding may leave the range by 1e-16
