"""Chapter 02: rankings held against one another, and against the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.show.colours import INK, LINE, NOTE, SERIES
from heed.show.figures.common import broken, histograms, legend_below
from heed.show.style import LINES


def correlations(tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")) -> Figure:
    """Figure 2: histograms of Kendall's τ, 30 bins on [-1, 1]."""
    return histograms(tables, classes, columns, (-1, 1), 30)


def differences(table: pd.DataFrame) -> Figure:
    """Per instance: how much closer gradient and leave-one-out are to one another than to attention."""
    figure, ax = plt.subplots(figsize=(6.2, 2.7))
    for i, (column, name) in enumerate((("tau_loo", "leave-one-out"), ("tau_gradient", "gradient"))):
        values = (table["tau_gradient_loo"] - table[column]).dropna()
        label = f"τ(gradient, leave-one-out) − τ(attention, {name})"
        if np.ptp(values) > 0:
            sns.kdeplot(values, ax=ax, color=SERIES[i], linestyle=LINES[i], label=label)
        ax.axvline(values.mean(), color=SERIES[i], linestyle=LINES[i], linewidth=0.8)
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.set(xlabel="difference of two rank correlations (thin lines: means)", ylabel="density")
    legend_below(figure, ax, 1)
    return figure


def significance(table: pd.DataFrame, level: float) -> Figure:
    """τ against length, with the τ that a text of this length needs to be significant."""
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 2.9), sharex=True, sharey=True)
    lengths = np.arange(max(table["length"].min(), 3), table["length"].max() + 1)
    from scipy.stats import norm  # the asymptotic null distribution of τ, without ties

    needed = norm.isf(level / 2) * np.sqrt(2 * (2 * lengths + 5) / (9 * lengths * (lengths - 1)))
    for ax, column in zip(axes, ("tau_gradient", "tau_loo"), strict=True):
        ax.scatter(table["length"], table[column], s=9, alpha=0.6, color=SERIES[0], rasterized=True,
                   linewidth=0, label="an instance")  # fmt: skip
        ax.plot(lengths, needed, color=INK, linewidth=1, label=f"τ needed for p = {level:g} (no ties)")
        ax.plot(lengths, -needed, color=INK, linewidth=1)
        ax.set(xlabel="length in tokens", ylabel=broken(MEASURES[column].label), ylim=(-1, 1))
    legend_below(figure, axes[0], 2)
    return figure


def truth(summary: pd.DataFrame, rankings, share: float) -> Figure:
    """Which ranking finds the deciding tokens: mean and interval of two measures, a point a ranking.

    share: of tokens that decide, the precision by chance.
    """
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.3), sharey=True)
    for ax, kind, chance in zip(axes, ("auroc", "precision"), (0.5, share), strict=True):
        rows = summary[summary["class"] == "overall"].set_index("measure")
        rows = rows.loc[[f"{kind}_{name}" for name in rankings]]
        spread = np.abs(rows[["low", "high"]].to_numpy() - rows[["mean"]].to_numpy()).T
        ax.errorbar(rows["mean"], range(len(rankings)), xerr=spread, fmt="o", color=SERIES[0], capsize=3)
        label = MEASURES[f"{kind}_{rankings[0]}"].label.replace(rankings[0], "a ranking")
        ax.set(xlim=(0, 1.02), xlabel=broken(label))
        ax.set_yticks(range(len(rankings)), ["leave-one-out" if name == "loo" else name for name in rankings])
        ax.margins(y=0.25)
        ax.axvline(chance, color=LINE, linewidth=0.8)
        where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
        ax.annotate("chance", (chance, 1), color=NOTE, **where)
    return figure
