"""Permuting attention: the paper's draws, and the exact moments that explain them.

Jain & Wallace (2019), algorithm 2. With one logit, let A be the distance of attention from uniform, R the
dispersion of the values and ρ their correlation over the T tokens. Over all permutations the logit has mean
z - A R ρ, variance A² R² / (T - 1), and E[(z' - z)²] = A² R² (ρ² + 1/(T - 1)) (Hoeffding's sums).
"""

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.evidence import Evidence, Row
from heed.measures.divergence import tvd
from heed.measures.registry import Measure, register, validate
from heed.measures.search import generator

_OF = ("J&W (2019), algorithm 2 and figure 3", "permutation")
_WHY = ("heed: exact moments of the permuted logit", "permutation")
register(
    "permutation",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "length": pa.Column(int)},
    Measure("max_attention", "highest attention weight", (0, 1), "higher is more peaked", *_OF),
    Measure("median_change", "median change of the prediction (TVD)", (0, 1), "higher is more change", *_OF),
    Measure("peakiness", "peakiness A = ‖â − 1/T‖", (0, 1), "higher is more peaked", *_WHY),
    Measure("dispersion", "dispersion of values R = ‖r − r̄‖", (0, np.inf), "higher is more spread", *_WHY),
    Measure("alignment", "alignment ρ = corr(â, r)", (-1, 1), "higher is closer agreement", *_WHY),
    Measure("rms_logit", "RMS change of the logit", (0, np.inf), "higher is more change", *_WHY),
)


def permuted(attention: np.ndarray, count: int, seed: int, name: str) -> np.ndarray:
    """`count` uniformly random permutations of an instance's attention, shape (P, T), by its own draws."""
    return generator(seed, name).permuted(np.tile(attention, (count, 1)), axis=1)


def draws(row: Row, count: int, seed: int) -> np.ndarray:
    """Attention with its weights on the real tokens permuted, shape (P, T). Markers keep their weight."""
    attention = np.tile(row.attention, (count, 1))
    attention[:, row.real] = permuted(row.attention[row.real], count, seed, row.id)
    return attention


def changes(row: Row, count: int, seed: int) -> np.ndarray:
    """Δŷ of each drawn permutation, shape (P,)."""
    return tvd(row.probs(draws(row, count, seed)), row.prediction)


def moments(attention: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """A, R, ρ and the exact moments of the permuted sum Σ a'_t r_t over all permutations.

    attention, values (T,). `mean` and `variance` are of the sum; `square` is E[(sum' - sum)²]. ρ is NaN
    where attention or values are all equal: the sum then never changes. T = 1: no permutation but one.
    """
    T = len(attention)
    a, r = attention - attention.mean(), values - values.mean()
    A, R = np.sqrt((a**2).sum()), np.sqrt((r**2).sum())
    covariance = (a * r).sum()
    variance = A**2 * R**2 / (T - 1) if T > 1 else 0.0
    if _flat(A, attention) or _flat(R, values):
        alignment = np.nan
    else:
        alignment = float(np.clip(covariance / (A * R), -1, 1))
    return {
        "peakiness": float(A),
        "dispersion": float(R),
        "alignment": alignment,
        "mean": float(attention @ values - covariance),
        "variance": float(variance),
        "square": float(covariance**2 + variance),
    }


def _flat(distance: float, numbers: np.ndarray) -> bool:
    """Whether numbers at this distance from their mean are all equal: rounding leaves a trace of 1e-16."""
    return distance <= 1e-12 * max(np.abs(numbers).max(), 1e-300)


def permutation(evidence: Evidence, count: int, seed: int) -> pd.DataFrame:
    """Median Δŷ of the draws and, with one logit, what explains it, for each instance."""
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        attention = row.attention[row.real]
        found = {
            "id": row.id,
            "predicted": int(predicted),
            "length": len(attention),
            "max_attention": float(attention.max()),
            "median_change": float(np.median(changes(row, count, seed))),
            "peakiness": np.nan,
            "dispersion": np.nan,
            "alignment": np.nan,
            "rms_logit": np.nan,
        }
        if linear(evidence):
            exactly = moments(attention, row.values[row.real, 0])
            for name in ("peakiness", "dispersion", "alignment"):
                found[name] = exactly[name]
            found["rms_logit"] = float(np.sqrt(exactly["square"]))
        rows.append(found)
    return validate("permutation", pd.DataFrame(rows))


def linear(evidence: Evidence) -> bool:
    """Whether its head is one logit, where moments and optima are exact."""
    return evidence.head.one_logit
