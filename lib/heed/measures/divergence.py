"""Distances between distributions: TVD of predictions, JSD of attention."""

import numpy as np
from scipy.special import rel_entr

from heed import arrays
from heed.errors import HeedError


def tvd(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Total variation distance, in [0, 1], over the last axis: (..., C) and (..., C) to (...).

    Of a binary task it is the difference of the positive probability. Source: J&W (2019), section 4.
    Raises HeedError for what are no distributions, or not over as many classes.
    """
    p, q = _both(p, q)
    return np.minimum(0.5 * np.abs(p - q).sum(-1), 1)


def jsd(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence in nats, in [0, ln 2], over the last axis.

    0 ln 0 = 0 exactly; nothing is added inside a logarithm. Source: J&W (2019), section 4.
    Raises HeedError for what are no distributions, or not over as many tokens.
    """
    p, q = _both(p, q)
    middle = (p + q) / 2
    found = 0.5 * (rel_entr(p, middle) + rel_entr(q, middle)).sum(-1)
    return np.clip(found, 0, np.log(2))  # rounding may leave the range by 1e-17


def _both(p, q) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions that can be compared."""
    p, q = arrays.distributions(p, "p"), arrays.distributions(q, "q")
    if p.shape[-1] != q.shape[-1]:
        raise HeedError(
            f"p has {p.shape[-1]} weights and q has {q.shape[-1]}: their distance needs as many in both."
        )
    try:
        np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        raise HeedError(f"p of shape {p.shape} and q of shape {q.shape} can't be paired.") from None
    return p, q


def significant_digits(x: np.ndarray, digits: int = 9) -> np.ndarray:
    """`x` rounded to 9 significant digits, so that values equal but for noise are exact ties in a rank."""
    x = np.asarray(x, dtype=float)
    return np.array([float(f"{value:.{digits - 1}e}") for value in x.ravel()]).reshape(x.shape)
