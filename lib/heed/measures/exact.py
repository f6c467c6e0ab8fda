"""The most different attention that keeps the prediction: exact where the logit is linear, else a bracket.

Jain & Wallace (2019, section 4.2.2) search for max JSD(a, â) subject to TVD(ŷ(a), ŷ) <= ε. For one logit
the constraint is a slab lo <= r·a <= hi, the JSD is convex, so its maximum over the simplex cut by the slab
is at a vertex, and a vertex has at most two non-zero weights. All of them are tried, without a loop.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from heed import arrays
from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd

# Of a probability: what rounding may add to ε. At ε = 0 it is the whole width of the slab.
TOLERANCE = 1e-13
# Of a JSD: what the order of a sum may change.
ROUNDING = 1e-12
# Elements of the largest intermediate array: bounds the memory at any length, and stays in a cache.
BLOCK = 200_000
# The JSD of an attention and â, before what each token with a weight adds by `_gain`.
HALF = 0.5 * np.log(2)


@dataclass(frozen=True)
class Vertex:
    """Attention on at most two tokens: `weight` on i, the rest on j; its JSD in nats."""

    jsd: float
    i: int
    j: int
    weight: float

    def attention(self, length: int) -> np.ndarray:
        """As a distribution over all tokens, shape (T,)."""
        a = np.zeros(length)
        a[self.i] += self.weight
        a[self.j] += 1 - self.weight
        return a


def check_epsilon(epsilon: float) -> float:
    """Raises HeedError if a change of probability of ε can't be meant: below 0, or 1 and more."""
    number = arrays.one_number(epsilon, "epsilon")
    if not 0 <= number < 1:
        raise HeedError(f"epsilon = {number:g}: a change of the prediction must be in [0, 1), such as 0.01.")
    return number


def check_row(row: Row) -> Row:
    """Raises HeedError if this is no row of evidence."""
    if not isinstance(row, Row):
        raise HeedError(
            f"expected a row of evidence, not a {type(row).__name__}; of your own arrays "
            "heed.Row.of(tokens, attention, values, head) makes one."
        )
    return row


def slab(logit: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """The logits whose probability is within ε of that of `logit`; infinite where ε reaches 0 or 1."""
    e = check_epsilon(epsilon) + TOLERANCE
    p, q = expit(logit), expit(-np.asarray(logit))  # 1 - p would lose the digits of a saturated one
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(e >= p, -np.inf, np.log(p - e) - np.log(q + e))
        high = np.where(e >= q, np.inf, np.log(p + e) - np.log(q - e))
    return low, high


def _gain(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What a token adds to the JSD when its weight q becomes x, beyond what it adds at 0: ½ q ln 2."""
    return 0.5 * (xlogy(x, 2 * x) + xlogy(q, q) - xlogy(x + q, x + q))


def best_vertices(a: np.ndarray, r: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The best vertex of each of B instances, shape (B, 4): JSD, i, j, weight on i.

    a, r (B, T): attention and values, padded with a = 0 and r = NaN; low, high (B,): the slab of r·a.
    Memory is bounded by blocks of pairs; the answer doesn't depend on them.
    """
    best = _best_single(a, r, low, high)
    for bound in (low, high):
        if not np.isfinite(bound).any():
            continue
        # Which tokens are in a pair somewhere: of one instance alone that leaves a quarter of the pairs.
        first = np.flatnonzero(_below(r, bound).any(0))
        second = np.flatnonzero(_above(r, bound).any(0))
        rows = max(BLOCK // max(len(a) * len(second), 1), 1)
        for start in range(0, len(first) if len(second) else 0, rows):
            found = _best_pair(a, r, bound, first[start : start + rows], second)
            better = found[:, 0] > best[:, 0]
            best[better] = found[better]
    best[:, 0] = np.clip(best[:, 0], 0, np.log(2))  # rounding may leave the range by 1e-17
    return best


def _below(r: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Which values (B, T) lie below each instance's bound (B,); padding doesn't."""
    return np.isfinite(r) & (r < bound[:, None])


def _above(r: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Which values (B, T) lie above each instance's bound (B,); padding doesn't."""
    return np.isfinite(r) & (r > bound[:, None])


def _best_single(a: np.ndarray, r: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The best vertices of all weight on one token whose value is in the slab, shape (B, 4)."""
    inside = np.isfinite(r) & (low[:, None] <= r) & (r <= high[:, None])
    found = np.where(inside, HALF + _gain(1.0, a), -np.inf)
    token = found.argmax(1)
    rows = np.arange(len(a))
    return np.stack([found[rows, token], token, token, np.ones(len(a))], axis=1)


def _best_pair(
    a: np.ndarray, r: np.ndarray, bound: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """The best vertices on one bound of the slab, shape (B, 4), of the pairs of these tokens.

    first (I,), second (J,): their places. A pair has a token i of the first below the bound and a token j
    of the second above it, weighted so that their mean is on it.
    """
    is_pair = _below(r[:, first], bound)[:, :, None] & _above(r[:, second], bound)[:, None, :]
    r_i, r_j = r[:, first, None], r[:, None, second]
    a_i, a_j = a[:, first, None], a[:, None, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = (r_j - bound[:, None, None]) / (r_j - r_i)
    weight = np.where(is_pair, weight, 0.5)
    found = np.where(is_pair, HALF + _gain(weight, a_i) + _gain(1 - weight, a_j), -np.inf)
    # Pairs are numbered row by row: those of the first i, those of the second, and so on.
    found, weight = found.reshape(len(a), -1), weight.reshape(len(a), -1)
    pair = found.argmax(1)
    rows = np.arange(len(a))
    i, j = first[pair // len(second)], second[pair % len(second)]
    return np.stack([found[rows, pair], i, j, weight[rows, pair]], axis=1)


def binary(a: np.ndarray, r: np.ndarray, logit: np.ndarray, epsilon: float) -> np.ndarray:
    """The exact ε-max JSD of B binary instances with a linear logit, shape (B, 4): see `best_vertices`.

    a, r (B, T) padded as there; logit (B,) is the model's own, r·â + shift.
    """
    low, high = slab(logit, epsilon)
    own = (a * np.nan_to_num(r)).sum(1)
    # The slab is one of r·a: the shift drops out against the model's own r·â.
    return best_vertices(a, r, low - logit + own, high - logit + own)


def pad(arrays: list[np.ndarray], fill: float) -> np.ndarray:
    """Arrays of different lengths as one (B, T)."""
    padded = np.full((len(arrays), max(map(len, arrays))), fill)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return padded


@dataclass(frozen=True)
class Bracket:
    """Where the ε-max JSD of any head lies: a feasible vertex below, a bound above; `proved` if they meet.

    No vertex, and 0 below, where no one-hot and no pair keeps the prediction: only staying is known to.
    """

    vertex: Vertex | None
    upper: float

    @property
    def lower(self) -> float:
        """The largest JSD known to be feasible."""
        return 0.0 if self.vertex is None else self.vertex.jsd

    @property
    def proved(self) -> bool:
        """Whether the lower end is the optimum."""
        return self.upper - self.lower <= 1e-9


def bracket(row: Row, epsilon: float, most: int = 64) -> Bracket:
    """The ε-max JSD of one row, between two bounds, for more classes or a head that isn't linear.

    Below: the best one-hot, or pair with a line search on the weight of the `most` tokens with the least
    attention (where the JSD is largest). Above: with linear logits the smallest exact
    optimum under one pair of classes' slab alone; else the best one-hot, feasible or not.
    """
    check_row(row)
    epsilon = check_epsilon(epsilon)
    return Bracket(_lower(row, epsilon, most), upper(row, epsilon))


def optimum(row: Row, epsilon: float) -> Vertex | None:
    """The most different attention within ε of one row's prediction: a `Vertex`, its JSD in nats.

    epsilon: how far the prediction may move, as TVD, in [0, 1). Where the head is one linear logit this is
    the optimum; of any other head it is the best known, or None where no one-hot and no pair keeps the
    prediction. Raises HeedError for an ε outside [0, 1), or if `row` is none. Source: what J&W (2019),
    section 4.2.2, search for; why two weights suffice is said at the head of `heed.measures.exact`.
    """
    check_row(row)
    epsilon = check_epsilon(epsilon)
    if row.head.one_logit:
        return _one(row, epsilon)
    return _lower(row, epsilon, 64)


def _one(row: Row, epsilon: float) -> Vertex:
    """The exact optimum of one row with one linear logit."""
    r = row.values[:, 0]
    logit = np.array([row.attention @ r + row.shift[0]])
    value, i, j, weight = binary(row.attention[None], r[None], logit, epsilon)[0].tolist()
    return Vertex(value, int(i), int(j), weight)


def upper(row: Row, epsilon: float) -> float:
    """An upper bound of the ε-max JSD of one row, in nats."""
    if row.head.one_logit:
        return _one(row, epsilon).jsd
    a = row.attention
    best = float(jsd(np.eye(len(a)), a).max())
    if not row.head.is_linear:
        return best
    # Of each two answers: how much the log of their odds may change if neither moves by more than ε.
    y, e = row.prediction, epsilon + TOLERANCE
    answers = np.flatnonzero(y > 0)
    first, second = (answers[k] for k in np.tril_indices(len(answers), -1))
    several = max(BLOCK // len(a), 1)
    for start in range(0, len(first), several):
        i, j = first[start : start + several], second[start : start + several]
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(y[i] - e, 0)) - np.log(y[j] + e)
            high = np.log(y[i] + e) - np.log(np.maximum(y[j] - e, 0))
        r, shift = (row.values[:, i] - row.values[:, j]).T, row.shift[i] - row.shift[j]
        found = best_vertices(np.broadcast_to(a, r.shape), r, low - shift, high - shift)
        best = min(best, float(found[:, 0].min()))
    return best


def _lower(row: Row, epsilon: float, most: int) -> Vertex | None:
    """The best vertex that `bracket` finds, on the pairs of `most` tokens or on any one token."""
    a = row.attention
    tokens = np.argsort(a, kind="stable")[:most]
    # All pairs of these tokens, then every token alone: a pair with itself.
    first, second = (np.concatenate([tokens[k], np.arange(len(a))]) for k in np.triu_indices(len(tokens), 1))

    def is_feasible(weight: np.ndarray, pair: np.ndarray) -> np.ndarray:
        """Whether the prediction stays with `weight` on each pair's first token, the rest on its second."""
        w = weight[..., None]
        context = w * row.values[first[pair]] + (1 - w) * row.values[second[pair]]
        change = tvd(row.head.probs(context, row.shift, row.allowed).numpy(), row.prediction)
        return change <= epsilon + TOLERANCE

    def far(weight: np.ndarray, pair: np.ndarray) -> np.ndarray:
        """The JSD with `weight` on each pair's first token, the rest on its second."""
        i, j = first[pair], second[pair]
        two = HALF + _gain(weight, a[i]) + _gain(1 - weight, a[j])
        return np.where(i == j, HALF + _gain(1.0, a[i]), two)

    grid = np.linspace(0, 1, 33)
    every = far(grid, np.arange(len(first))[:, None])
    # The JSD is convex in the weight: between two of the grid it is at most what it is at the further one.
    cells = np.maximum(every[:, :-1], every[:, 1:])
    around = np.pad(cells, ((0, 0), (1, 1)), mode="edge")
    bound = np.maximum(around[:, :-1], around[:, 1:])
    # So the furthest are asked first, and those that can't be further than what is found aren't asked at all.
    feasible, best = np.zeros(bound.shape, dtype=bool), -np.inf
    order = np.argsort(-bound, axis=None, kind="stable")
    several = max(BLOCK // (4 * row.values[0].size), 1)
    for start in range(0, len(order), several):
        part = order[start : start + several]
        part = part[bound.flat[part] >= best - ROUNDING]
        if not len(part):
            break
        pair, k = np.unravel_index(part, bound.shape)
        good = is_feasible(grid[k], pair)
        feasible[pair, k] = good
        best = max(best, every[pair, k][good].max(initial=-np.inf))
    pair, k = np.nonzero(feasible)
    weight = grid[k]
    # The maximum is at an end of a feasible interval, found by bisection where it may be the furthest of all.
    ending, k = np.nonzero((feasible[:, 1:] != feasible[:, :-1]) & (cells >= best - ROUNDING))
    inside = np.where(feasible[ending, k], grid[k], grid[k + 1])
    outside = np.where(feasible[ending, k], grid[k + 1], grid[k])
    for _ in range(50):
        if not len(ending):
            break
        middle = (inside + outside) / 2
        good = is_feasible(middle, ending)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
        best = max(best, far(inside, ending).max())
        left = np.maximum(far(inside, ending), far(outside, ending)) >= best - ROUNDING
        ending, inside, outside = ending[left], inside[left], outside[left]
    pair, weight = np.concatenate([pair, ending]), np.concatenate([weight, inside])
    if len(pair) == 0:
        return None
    found = far(weight, pair)
    best = int(found.argmax())
    i, j = first[pair], second[pair]
    value = float(np.clip(found[best], 0, np.log(2)))  # rounding may leave the range by 1e-17
    return Vertex(value, int(i[best]), int(j[best]), float(weight[best]))
