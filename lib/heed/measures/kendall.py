"""Kendall's τ-b, with values that are equal but for rounding as ties."""

import numpy as np
from scipy.stats import kendalltau

from heed import arrays
from heed.errors import HeedError
from heed.measures.divergence import significant_digits


def kendall(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Kendall's τ-b and its p-value on values of 9 significant digits; NaN where it is undefined.

    a, b (T,): one score a token. τ-b is in [-1, 1], 1 is the same order; equal scores are ties, and of fewer
    than two scores, or of equal ones alone, it is undefined. Raises HeedError if they aren't finite numbers,
    or not as many. Source: Kendall (1945), as scipy.stats.kendalltau computes it.
    """
    a, b = arrays.finite(a, "a"), arrays.finite(b, "b")
    if a.ndim != 1 or a.shape != b.shape:
        raise HeedError(f"a has shape {a.shape} and b {b.shape}: τ needs two lists of as many scores.")
    if len(a) < 2:
        return np.nan, np.nan
    result = kendalltau(significant_digits(a), significant_digits(b))
    return float(result.statistic), float(result.pvalue)
