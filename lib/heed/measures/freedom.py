"""How free is attention at all? What else it could have been without any change to what it makes.

Attention of one head, or of a layer's heads together, that leaves Σ_h Σ_t a_ht u_ht as it is leaves every
prediction as it is, whatever decodes it. Such attention is a polytope: one simplex a head, cut by linear
equations. As a softmax is nowhere 0, the model's own attention lies inside, and the polytope's dimension is
that of the equations' null space: none where a head reads no more units than its values have dimensions, and
one more (Brunner et al. 2020, "On Identifiability in Transformers"). That is by rank, and not by search; how
far away its corners are is found by linear programmes. Sparse attention lies on the border: of it the
dimension is an upper bound, the corners are corners all the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.divergence import jsd

EQUAL = 1e-9  # of what attention makes: a difference that is none


@dataclass(frozen=True)
class Freedom:
    """What is free in one decision.

    dimension: of the attentions that make the same. rank: of the equations. attention (heads, T): the corner
    that is furthest away of those that were found, the model's own where nothing is free. jsd (heads,): how
    far, in nats. moved: the largest change of what is made.
    """

    dimension: int
    rank: int
    attention: np.ndarray
    jsd: np.ndarray
    moved: float


def freedom(rows: Row | Sequence[Row], starts: int = 4, seed: int = 0) -> Freedom:
    """The freedom of one row, its other heads as they are, or of all heads of a text together.

    starts: directions, drawn by the seed, from which corners are looked for. From each, linear programmes
    climb: JSD is convex, so the corner that its slope points to is never nearer, and where none is further
    they stop. So `jsd` is a lower bound of the furthest; of one dimension it is exact, as a line has two ends
    and both are tried. Raises HeedError for rows of different texts.
    """
    rows = [rows] if isinstance(rows, Row) else list(rows)
    if not rows or any(not isinstance(row, Row) for row in rows):
        raise HeedError("freedom takes a row of evidence, or the rows of one text's heads.")
    first = rows[0]
    if any(row.group != first.group or row.units != first.units for row in rows):
        raise HeedError("freedom: the rows are of different texts. Give those of one group.")
    own = np.stack([row.attention for row in rows])
    H, T = own.shape
    made = np.concatenate([row.values for row in rows]).T  # (D, H T): what each weight adds
    centred = np.concatenate([row.values - row.values.mean(0) for row in rows])
    rank = int(np.linalg.matrix_rank(centred))
    dimension = H * (T - 1) - rank
    if dimension == 0:
        return Freedom(0, rank, own, np.zeros(H), 0.0)
    ones = np.kron(np.eye(H), np.ones(T))
    equations, sums = _independent(
        np.concatenate([ones, made]), np.concatenate([np.ones(H), made @ own.ravel()])
    )
    best, directions = own, list(np.random.default_rng(seed).normal(size=(starts, own.size)))
    if dimension == 1:
        directions = [end for first in directions[:1] for end in (first, -first)]
    for direction in directions:
        found = _climb(own, equations, sums, direction)
        if jsd(found, own).sum() > jsd(best, own).sum():
            best = found
    return Freedom(dimension, rank, best, jsd(best, own), float(np.abs(made @ (best - own).ravel()).max()))


def _independent(equations: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same equations as orthonormal ones: what says nothing new is gone."""
    left, sizes, right = np.linalg.svd(equations, full_matrices=False)
    kept = sizes > EQUAL * sizes[0]
    return right[kept], (left[:, kept].T @ sums) / sizes[kept]


def _climb(own: np.ndarray, equations: np.ndarray, sums: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """A corner (heads, T) than which none in the direction of the slope of JSD is further away."""
    reached, best = -np.inf, own
    while True:
        told = linprog(
            -direction,
            A_eq=equations,
            b_eq=sums,
            bounds=(0, None),
            method="highs-ds",
            # Dense equations leave nothing to presolve: of 12 heads and 154 units it took 26 of 28 seconds.
            options={"presolve": False},
        )
        if told.x is None:
            return best
        corner = np.maximum(told.x, 0).reshape(own.shape)
        corner = corner / corner.sum(1, keepdims=True)
        far = float(jsd(corner, own).sum())
        if far <= reached + EQUAL:
            return best
        reached, best = far, corner
        # d JSD(a, q) / da = ½ ln(a / m), m their mean; at 0 it is -inf: a weight of 0 isn't asked to grow.
        mean = (corner + own) / 2
        direction = 0.5 * np.log(np.maximum(corner, 1e-12) / mean).ravel()
