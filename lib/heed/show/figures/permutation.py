"""Chapter 03: what permuting does, and what explains it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import (
    FEWEST,
    broken,
    colour_of,
    draw_dots,
    draw_violin,
    draw_violins,
    groups_of,
    legend_below,
)
from heed.show.figures.numbers import Numbers, quantiles
from heed.show.style import MARKERS


def explained(table: pd.DataFrame, classes) -> Figure:
    """What permuting does to the logit, exactly, against each of the three numbers that explain it."""
    labels = {"alignment": "alignment |ρ|", "dispersion": "dispersion R", "peakiness": "peakiness A"}
    figure, axes = plt.subplots(1, len(labels), figsize=(7, 2.8), sharey=True)
    for ax, (name, label) in zip(axes, labels.items(), strict=True):
        for c, group, rows in groups_of(table, classes):
            look = {"color": colour_of(c, classes), "marker": MARKERS[c], "linewidth": 0}
            ax.scatter(rows[name].abs(), rows["rms_logit"], s=14, alpha=0.7, rasterized=True, label=group,
                       **look)  # fmt: skip
        ax.set(xlabel=label)
    axes[0].set_ylabel(MEASURES["rms_logit"].label)
    legend_below(figure, axes[0], len(classes))
    return figure


def one_word(table: pd.DataFrame, classes) -> Figure:
    """By predicted class, how far shuffling moves each text and how far attention is free.

    table: with `median_change` and `optimum`, a row a text; a line at each class's mean.
    """
    limits = {"median_change": 1, "optimum": np.log(2)}
    groups = [(c, label, rows) for c, label, rows in groups_of(table, classes) if len(rows)]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 0.9 * len(groups) + 1.1), sharey=True)
    for ax, (column, most) in zip(axes, limits.items(), strict=True):
        for i, (c, _, rows) in enumerate(groups):
            values = rows[column]
            if len(values) < FEWEST:
                draw_dots(ax, quantiles(values), len(values), i, colour_of(c, classes))
            else:
                draw_violin(ax, quantiles(values), len(values), i, 0.38, colour_of(c, classes))
            ax.annotate(
                f"mean {values.mean():.2f}",
                (values.mean(), i - 0.42),
                ha="right" if values.mean() > most / 2 else "left",
                va="bottom",
            )
        ax.axvline(most, color=LINE, linewidth=0.8)
        name = "ln 2" if column == "optimum" else f"{most}"
        ax.annotate(f"most possible: {name}", (most, 1), xycoords=("data", "axes fraction"), ha="right",
                    va="bottom", color=NOTE)  # fmt: skip
        ax.set(xlim=(-0.02, most + 0.02), xlabel=broken(MEASURES[column].label))
    axes[0].set_yticks(range(len(groups)), [f"{label}\n{len(rows)} texts" for _, label, rows in groups])
    axes[0].set_ylim(len(groups) - 0.5, -0.8)
    return figure


def violins_on_real_text(numbers: Numbers, classes) -> Figure:
    """The paper's figure 3 of committed numbers, an encoder below the other."""
    return draw_violins(numbers, "median_change", classes, (-0.02, 1), stacked=True)


def shuffled_on_real_text(real: pd.DataFrame) -> Figure:
    """Real text, a row an encoder: how far shuffling moves a text, and how many peaked texts hardly move.

    Filled: the mean over seeds; hollow: each seed. real: `show.permutation.on_real_text`'s rows.
    """
    panels = {
        "mean": "median change of the\nprediction, mean over texts",
        "still": "peaked texts that move\nby at most 0.05, share",
    }
    figure, axes = plt.subplots(1, 2, figsize=(7, 0.42 * len(real) + 1.2), sharey=True)
    for i, (ax, (name, label)) in enumerate(zip(axes, panels.items(), strict=True)):
        for at, row in enumerate(real.to_dict("records")):
            seeds, look = row[f"{name}_seeds"], {"color": SERIES[i], "marker": MARKERS[i], "linestyle": ""}
            ax.plot(seeds, [at] * len(seeds), markersize=4, alpha=0.6, fillstyle="none", **look)
            ax.plot(row[name], at, markersize=7, **look)
            form = ".2f" if name == "mean" else ".0%"
            ax.annotate(f"{row[name]:{form}}", (0.98, at), xycoords=("axes fraction", "data"), ha="right",
                        va="center", color=NOTE)  # fmt: skip
        most = max(max(seeds) for seeds in real[f"{name}_seeds"])
        ax.set(xlim=(0, 1.4 * most), xlabel=label, ylim=(len(real) - 0.5, -0.5))
    axes[0].set_yticks(range(len(real)), real["encoder"], weight="bold")
    return figure
