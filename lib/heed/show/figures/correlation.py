"""Chapter 02: rankings held against one another, and against the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from heed.measures import rankings
from heed.measures.correlation import PAIRS
from heed.measures.registry import MEASURES
from heed.show.colours import INK, LINE, NOTE, SERIES
from heed.show.figures.common import (
    broken,
    by_class,
    draw_histogram,
    draw_histograms,
    histogram_numbers,
    legend_below,
    limit_line,
)
from heed.show.figures.numbers import Numbers
from heed.show.style import LINES

TAU = {"limits": (-1, 1), "bins": 30}


def correlations(tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")) -> Figure:
    """Figure 2: histograms of Kendall's τ, 30 bins on [-1, 1]; a row an encoder, by its name."""
    return draw_correlations(correlation_numbers(tables, classes, columns), classes)


def correlation_numbers(
    tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")
) -> Numbers:
    """Figure 2's bins."""
    return histogram_numbers(tables, classes, columns, **TAU)


def draw_correlations(numbers: Numbers, classes) -> Figure:
    """What `correlations` draws, of `correlation_numbers`."""
    return draw_histograms(numbers, classes, **TAU)


def pairs(table: pd.DataFrame, classes) -> Figure:
    """The same of each pair of rankings that the table has: a row and a column a ranking."""
    compared, columns = rankings.compared(), {n: pair for n, pair in PAIRS.items() if n in table}
    numbers = histogram_numbers({"": table}, classes, columns, **TAU)
    above, beside = (list(dict.fromkeys(names)) for names in zip(*columns.values(), strict=True))
    size = 2.3 * len(beside) + 0.6, 1.7 * len(above) + 0.9
    look = {"sharex": True, "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(len(above), len(beside), figsize=size, **look)
    for ax in axes.flat:
        ax.set_visible(False)
    for column, (first, second) in columns.items():
        ax = axes[above.index(first), beside.index(second)]
        ax.set_visible(True)
        draw_histogram(ax, numbers, "", column, classes, **TAU)
        limit_line(ax, column, True)
        ax.set(xlim=(-1, 1), title=f"{compared[first].short} and {compared[second].short}")
        ax.title.set_fontsize("small")
        ax.tick_params(labelbottom=True, labelleft=True)
    axes[0, 0].set_ylabel("share of the " + ("class" if by_class(classes) else "texts"))
    for column in axes.T:
        lowest = [ax for ax in column if ax.get_visible()][-1]
        lowest.set_xlabel("Kendall τ")
    legend_below(figure, axes[0, 0], len(classes))
    return figure


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
    """Attention's τ with each ranking against length, with the τ that is significant in a text so long."""
    columns = [name for name, pair in PAIRS.items() if pair[0] == "attention" and name in table]
    size = 4.6 * len(columns) if len(columns) < 3 else 3.3 * len(columns), 2.9
    figure, axes = plt.subplots(1, len(columns), figsize=size, sharex=True, sharey=True)
    lengths = np.arange(max(table["length"].min(), 3), table["length"].max() + 1)
    from scipy.stats import norm  # the asymptotic null distribution of τ, without ties

    needed = norm.isf(level / 2) * np.sqrt(2 * (2 * lengths + 5) / (9 * lengths * (lengths - 1)))
    for ax, column in zip(axes, columns, strict=True):
        ax.scatter(table["length"], table[column], s=9, alpha=0.6, color=SERIES[0], rasterized=True,
                   linewidth=0, label="an instance")  # fmt: skip
        ax.plot(lengths, needed, color=INK, linewidth=1, label=f"τ needed for p = {level:g} (no ties)")
        ax.plot(lengths, -needed, color=INK, linewidth=1)
        ax.set(xlabel="length in tokens", ylabel=broken(MEASURES[column].label), ylim=(-1, 1))
    legend_below(figure, axes[0], 2)
    return figure


def truth(summary: pd.DataFrame, share: float) -> Figure:
    """Which ranking finds the deciding tokens: mean and interval of two measures, a point a ranking.

    Of the rankings that the summary has. share: of tokens that decide, the precision by chance.
    """
    rows = summary[summary["class"] == "overall"].set_index("measure")
    shown = [own for own in rankings.compared().values() if f"auroc_{own.name}" in rows.index]
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 0.5 * len(shown) + 0.8), sharey=True)
    for ax, kind, chance in zip(axes, ("auroc", "precision"), (0.5, share), strict=True):
        own = rows.loc[[f"{kind}_{ranking.name}" for ranking in shown]]
        spread = np.abs(own[["low", "high"]].to_numpy() - own[["mean"]].to_numpy()).T
        ax.errorbar(own["mean"], range(len(shown)), xerr=spread, fmt="o", color=SERIES[0], capsize=3)
        label = MEASURES[f"{kind}_attention"].label.replace("attention", "a ranking")
        ax.set(xlim=(0, 1.02), xlabel=broken(label))
        ax.set_yticks(range(len(shown)), [ranking.label for ranking in shown])
        ax.margins(y=0.25)
        ax.axvline(chance, color=LINE, linewidth=0.8)
        where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
        ax.annotate("chance", (chance, 1), color=NOTE, **where)
    return figure
