"""Kendall's τ-b, with values that are equal but for rounding as ties."""

import numpy as np
from scipy.stats import kendalltau

from heed.measures.divergence import significant_digits


def kendall(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Kendall's τ-b and its p-value on values of 9 significant digits; NaN where it is undefined."""
    if len(a) < 2:
        return np.nan, np.nan
    result = kendalltau(significant_digits(a), significant_digits(b))
    return float(result.statistic), float(result.pvalue)
