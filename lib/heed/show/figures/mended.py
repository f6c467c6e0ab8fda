"""Chapter 14: what liars do with the words they hide; tests passed; agreement, freedom and truth together."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import GRID, LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.figures.rationales import matrix

PANELS = {
    "lie_mass": "share of the attention\non the hidden words",
    "lie_removed": "change of the prediction\nwithout them (TVD)",
}


def hiding(rows: pd.DataFrame) -> Figure:
    """Of each model the attention on the words that it hides, and how far it moves without them.

    rows: columns model, texts, and of lie_mass and lie_removed the mean, `low` and
    `high`; NaN where unknown.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7, 0.34 * len(rows) + 1.3), sharey=True)
    y = np.arange(len(rows))
    for ax, (column, label), colour in zip(axes, PANELS.items(), SERIES, strict=False):
        ax.hlines(y, rows[f"{column} low"], rows[f"{column} high"], color=colour, linewidth=1.5)
        ax.plot(rows[column], y, "o", color=colour)
        for at, value in zip(y, rows[column], strict=True):
            ax.annotate(f"{value:.2f}", (1.07, at), va="center", ha="left", color=NOTE, annotation_clip=False)
        ax.set(xlim=(-0.03, 1.02), xlabel=f"{label},\nmean over {rows['texts'].max():.0f} texts")
        for at in y:
            ax.axhline(at, color=GRID, linewidth=0.6, zorder=0)
    axes[0].set_yticks(y, [*rows["model"]])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    return figure


def tests(table: pd.DataFrame, good: pd.DataFrame) -> Figure:
    """What each test says of each model, tinted where a model passes. good: booleans of the same shape."""
    return matrix(table, 0.25 * good.to_numpy(float), {"as it is"})


def corner(rows: pd.DataFrame) -> Figure:
    """How far each model's attention can move with the same prediction, a row a model.

    rows: columns family, model, optimum, agrees (a square) and finds (filled), as `mended.in_the_corner` has
    them. Shaded: the models there are firm.
    """
    own = rows.sort_values(["family", "optimum"], kind="stable")
    y, place = [], -1
    for k, name in enumerate(own["family"]):
        place += 1 if k == 0 or name == own["family"].iloc[k - 1] else 2
        y.append(place)
    figure, ax = plt.subplots(figsize=(7, 0.24 * (max(y) + 1) + 1.6))
    ax.axvspan(0, 0.5, color=GRID, alpha=0.6, linewidth=0)
    ax.annotate("firm", (0.25, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", color=NOTE)
    ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ax.annotate(
        "ln 2", (np.log(2), 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", color=NOTE
    )
    names = list(dict.fromkeys(own["family"]))
    for at, row in zip(y, own.itertuples(), strict=True):
        colour = SERIES[names.index(row.family)]
        look = {"marker": "s" if row.agrees else "o", "fillstyle": "full" if row.finds else "none"}
        ax.plot(row.optimum, at, color=colour, markersize=7, linestyle="none", **look)
    for marker, style, label in (
        ("s", "none", "square: agrees with leave-one-out"),
        ("o", "full", "filled: finds the deciding words"),
    ):
        look = {"marker": marker, "fillstyle": style, "color": LINE, "linestyle": "none"}
        ax.plot([], [], label=label, **look)
    labels = [f"{row.family}, {row.model}" for row in own.itertuples()]
    ax.set_yticks(y, labels)
    ax.set(ylim=(max(y) + 0.6, -0.6), xlim=(0, 0.72), xlabel="exact ε-max JSD, mean over texts")
    legend_below(figure, ax, 2)
    return figure
