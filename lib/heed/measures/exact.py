"""The most different attention that keeps the prediction: exact where the logit is linear, else a bracket.

Jain & Wallace (2019, section 4.2.2) search for max JSD(a, â) subject to TVD(ŷ(a), ŷ) <= ε. For one logit
the constraint is a slab lo <= r·a <= hi, the JSD is convex, so its maximum over the simplex cut by the slab
is at a vertex, and a vertex has at most two non-zero weights. All of them are tried, without a loop.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd

# Of a probability: what rounding may add to ε. At ε = 0 it is the whole width of the slab.
TOLERANCE = 1e-13
# Elements of the largest intermediate array: bounds the memory at any length.
BLOCK = 2_000_000


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
    if not 0 <= epsilon < 1:
        raise HeedError(f"epsilon = {epsilon}: a change of the prediction must be in [0, 1), such as 0.01.")
    return epsilon


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
    B, T = a.shape
    real = np.isfinite(r)
    inside = real & (low[:, None] <= r) & (r <= high[:, None])
    half = 0.5 * np.log(2)  # the JSD of weights on tokens that have none in â, less what they gain
    one = np.where(inside, half + _gain(1.0, a), -np.inf)
    t = one.argmax(1)
    best = np.stack([one[np.arange(B), t], t, t, np.ones(B)], axis=1)
    rows = max(BLOCK // max(B * T, 1), 1)
    for bound in (low, high):
        s = bound[:, None]
        below, above = real & (r < s), real & (r > s)
        if not np.isfinite(bound).any():
            continue
        for start in range(0, T, rows):
            part = slice(start, min(start + rows, T))
            pair = below[:, part, None] & above[:, None, :]
            with np.errstate(invalid="ignore", divide="ignore"):
                w = (r[:, None, :] - s[:, :, None]) / (r[:, None, :] - r[:, part, None])
            w = np.where(pair, w, 0.5)
            ai, aj = a[:, part, None], a[:, None, :]
            value = half + _gain(w, ai) + _gain(1 - w, aj)
            value = np.where(pair, value, -np.inf).reshape(B, -1)
            k = value.argmax(1)
            found = value[np.arange(B), k]
            i, j = start + k // T, k % T
            weight = w.reshape(B, -1)[np.arange(B), k]
            better = found > best[:, 0]
            best[better] = np.stack([found, i, j, weight], axis=1)[better]
    best[:, 0] = np.clip(best[:, 0], 0, np.log(2))  # rounding may leave the range by 1e-17
    return best


def binary(a: np.ndarray, r: np.ndarray, logit: np.ndarray, epsilon: float) -> np.ndarray:
    """The exact ε-max JSD of B binary instances with a linear logit, shape (B, 4): see `best_vertices`.

    a, r (B, T) padded as there; logit (B,) is the model's own, r·â + shift.
    """
    low, high = slab(logit, epsilon)
    z = (a * np.nan_to_num(r)).sum(1)
    # The slab is one of r·a: the shift drops out against the model's own r·â.
    return best_vertices(a, r, low - logit + z, high - logit + z)


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
    check_epsilon(epsilon)
    return Bracket(_lower(row, epsilon, most), upper(row, epsilon))


def optimum(row: Row, epsilon: float) -> Vertex | None:
    """The most different attention within ε of one row's prediction; of a head that isn't one linear logit
    the best known, or None where no one-hot and no pair keeps the prediction."""
    return _one(row, epsilon) if row.head.one_logit else _lower(row, check_epsilon(epsilon), 64)


def _one(row: Row, epsilon: float) -> Vertex:
    r = row.values[:, 0]
    z = np.array([row.attention @ r + row.shift[0]])
    value, i, j, weight = binary(row.attention[None], r[None], z, epsilon)[0].tolist()
    return Vertex(value, int(i), int(j), weight)


def upper(row: Row, epsilon: float) -> float:
    """An upper bound of the ε-max JSD of one row, in nats."""
    if row.head.one_logit:
        return _one(row, epsilon).jsd
    a = row.attention
    best = float(jsd(np.eye(len(a)), a).max())
    if row.head.act != "identity" or row.head.out is not None:
        return best
    y, e = row.prediction, epsilon + TOLERANCE
    answers = np.flatnonzero(y > 0)
    for n, i in enumerate(answers):
        for j in answers[:n]:
            with np.errstate(divide="ignore"):
                low = np.log(max(y[i] - e, 0)) - np.log(y[j] + e)
                high = np.log(y[i] + e) - np.log(max(y[j] - e, 0))
            r, b = row.values[:, i] - row.values[:, j], row.shift[i] - row.shift[j]
            found = best_vertices(a[None], r[None], np.array([low - b]), np.array([high - b]))
            best = min(best, float(found[0, 0]))
    return best


def _lower(row: Row, epsilon: float, most: int) -> Vertex | None:
    a, e = row.attention, epsilon + TOLERANCE
    tokens = np.argsort(a, kind="stable")[:most]
    i, j = (np.concatenate([tokens[k], np.arange(len(a))]) for k in np.triu_indices(len(tokens), 1))

    def change(w: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        context = w[..., None] * row.values[i] + (1 - w[..., None]) * row.values[j]
        return tvd(row.head.probs(context, row.shift, row.allowed).numpy(), row.prediction)

    grid = np.linspace(0, 1, 33)
    feasible = np.stack([change(np.full(len(i), w), i, j) <= e for w in grid], axis=1)
    # The JSD is convex in the weight: its maximum is at an end of a feasible interval, found by bisection.
    pair, k = np.nonzero(feasible)
    ends = [np.stack([pair, grid[k]])]
    pair, k = np.nonzero(feasible[:, 1:] != feasible[:, :-1])
    if len(pair):
        inside = np.where(feasible[pair, k], grid[k], grid[k + 1])
        outside = np.where(feasible[pair, k], grid[k + 1], grid[k])
        for _ in range(50):
            middle = (inside + outside) / 2
            good = change(middle, i[pair], j[pair]) <= e
            inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
        ends.append(np.stack([pair, inside]))
    pair, w = np.concatenate(ends, axis=1)
    if len(pair) == 0:
        return None
    pair = pair.astype(int)
    gain = 0.5 * np.log(2) + _gain(w, a[i[pair]]) + _gain(1 - w, a[j[pair]])
    gain = np.where(i[pair] == j[pair], 0.5 * np.log(2) + _gain(1.0, a[i[pair]]), gain)
    b = int(gain.argmax())
    value = float(np.clip(gain[b], 0, np.log(2)))  # rounding may leave the range by 1e-17
    return Vertex(value, int(i[pair[b]]), int(j[pair[b]]), float(w[b]))
