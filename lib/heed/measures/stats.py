"""Summaries: means with intervals over instances, and over seeds."""

import warnings

import numpy as np
import pandas as pd
from scipy.stats import bootstrap, rankdata, spearmanr, t, ttest_1samp


def interval(values: np.ndarray, resamples: int, seed: int) -> tuple[float, float]:
    """95 % percentile bootstrap interval of the mean; the value itself twice where there is one value."""
    if len(values) == 0:
        return np.nan, np.nan
    if len(values) == 1 or np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    rng = np.random.default_rng([seed, 2])
    found = bootstrap((values,), np.mean, n_resamples=resamples, method="percentile", batch=50, rng=rng)
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def f1(
    labels: np.ndarray, predicted: np.ndarray, classes: int, resamples: int, seed: int, less=None
) -> tuple[float, float, float]:
    """F1 (of class 1; of more classes the mean) with its 95 % percentile bootstrap interval over texts.

    The mean is of the classes that a resample has or predicts, as in scikit-learn. Of two classes, where no
    text is of class 1 and none is predicted as it, F1 is undefined: NaN; such resamples are left out. less:
    predictions of another model, whose F1 on the same texts is taken off: a paired difference.
    """
    rng = np.random.default_rng([seed, 7])

    def f1_of(predictions: np.ndarray, rows: np.ndarray) -> float:
        true, said = labels[rows], predictions[rows]
        counted = [1] if classes == 2 else np.union1d(true, said)
        of_classes = []
        for c in counted:
            are, are_said = true == c, said == c
            both = (are & are_said).sum()
            total = are.sum() + are_said.sum()
            of_classes.append(2 * both / total if total else np.nan)
        return float(np.mean(of_classes))

    def score(rows: np.ndarray) -> float:
        if less is None:
            return f1_of(predicted, rows)
        return f1_of(predicted, rows) - f1_of(less, rows)

    found = score(np.arange(len(labels)))
    drawn = [score(rng.integers(len(labels), size=len(labels))) for _ in range(resamples)]
    drawn = [value for value in drawn if not np.isnan(value)]
    if np.isnan(found) or not drawn:
        return found, np.nan, np.nan
    low, high = np.percentile(drawn, [2.5, 97.5])
    return found, float(low), float(high)


def auroc(decides: np.ndarray, scores: np.ndarray) -> float:
    """The chance that the score (T,) of a word that decides (T,) is above that of another; ties count half.

    From the sum of the deciding words' ranks (Mann & Whitney 1947). Some decide, and some don't. (sklearn's
    `roc_auc_score` says the same in twenty times the time, which is that of a text's other measures.)
    """
    n = int(decides.sum())
    pairs = n * (len(decides) - n)
    return float((rankdata(scores)[decides].sum() - n * (n + 1) / 2) / pairs)


def t_interval(
    values: np.ndarray, bounds: tuple[float, float] = (-np.inf, np.inf), level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of a few values (seeds) with Student's interval; of one value, or of equal ones, it thrice.

    bounds: where the values can be; the interval, which knows of none, is cut there.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2 or np.ptp(values) == 0:
        return (float(values[0]) if len(values) else np.nan,) * 3  # a mean of equal ones may be off by a bit
    mean = float(np.mean(values))
    half = t.isf((1 - level) / 2, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return mean, max(float(mean - half), bounds[0]), min(float(mean + half), bounds[1])


def t_p(values: np.ndarray, border: float) -> float:
    """Student's two-sided p of a mean (over seeds) that isn't the border; of fewer than two values NaN.

    Below .05 exactly where `t_interval` leaves the border out. Of equal values 0, or 1 if they lie on it.
    """
    if len(values) < 2:
        return np.nan
    if np.ptp(values) == 0:
        return float(values[0] == border)
    return float(ttest_1samp(values, border).pvalue)


def holm(p: np.ndarray) -> np.ndarray:
    """p values that stand side by side, corrected by Holm (1979); those that are NaN are no tests."""
    corrected = np.full(len(p), np.nan)
    order = np.argsort(p)[: (~np.isnan(p)).sum()]  # NaN stand last
    steps = p[order] * np.arange(len(order), 0, -1)  # the smallest times how many there are, ...
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ; NaN where it is undefined: of fewer than three texts, or where either is all alike."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(spearmanr(x, y).statistic)


def spearman(x: np.ndarray, y: np.ndarray, resamples: int, seed: int) -> tuple[float, float, float]:
    """`rank_correlation` with its 95 % bootstrap interval, which is NaN, too, where a resample has no ρ."""
    rho = rank_correlation(x, y)
    if np.isnan(rho):
        return np.nan, np.nan, np.nan
    rng = np.random.default_rng([seed, 5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a resample of few texts may be flat; scipy then says so at length
        found = bootstrap(
            (np.asarray(x), np.asarray(y)),
            lambda a, b: spearmanr(a, b).statistic,
            paired=True,
            vectorized=False,
            n_resamples=resamples,
            method="percentile",
            rng=rng,
        )
    bounds = found.confidence_interval
    return rho, float(bounds.low), float(bounds.high)


def summarise(
    table: pd.DataFrame, columns, resamples: int, seed: int, significance: float, by_class: bool = True
) -> pd.DataFrame:
    """One row a measure, `overall` and by predicted class, over the instances where it is defined.

    n counts all instances, undefined those left out; std has ddof 0; significant is the share of the
    defined with p <= significance (NaN for a measure without a p-value); low and high bound the mean.
    """
    groups = {"overall": table}
    if by_class:
        for predicted, rows in table.groupby("predicted"):
            groups[str(predicted)] = rows
    summary = []
    for column in columns:
        for name, rows in groups.items():
            values = rows[column].dropna()
            low, high = interval(values.to_numpy(), resamples, seed)
            p_values = rows.get(f"p_{column}")
            if p_values is None:
                significant = np.nan
            else:
                significant = (p_values[values.index] <= significance).mean()
            summary.append(
                {
                    "measure": column,
                    "class": name,
                    "n": len(rows),
                    "undefined": len(rows) - len(values),
                    "mean": values.mean(),
                    "std": values.std(ddof=0),
                    "significant": significant,
                    "low": low,
                    "high": high,
                }
            )
    return pd.DataFrame(summary)


def over_seeds(summaries: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean and range over seeds of the per-seed means (and significant fractions)."""
    groups = summaries.groupby(by, sort=False)
    return groups.agg(
        seeds=("seed", "nunique"),
        mean=("mean", "mean"),
        lowest=("mean", "min"),
        highest=("mean", "max"),
        std=("std", "mean"),
        significant=("significant", "mean"),
        undefined=("undefined", "sum"),
    ).reset_index()
