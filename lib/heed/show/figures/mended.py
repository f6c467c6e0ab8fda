"""Chapter 14: what liars do with the words they hide, and which tests models pass."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import GRID, NOTE, SERIES
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
    """What each test says of each model, tinted where a model passes, and how many it passes.

    good: booleans of the same shape. A line parts liars from the others.
    """
    figure = matrix(table, 0.25 * good.to_numpy(float), {"as it is"})
    (ax,) = figure.axes
    rows, columns = table.shape
    for row, count in enumerate(good.sum(axis=1)):
        ax.text(columns, row, f"{count}", ha="center", va="center", weight="bold")
    ax.set_xticks(range(columns + 1), [*table.columns, "tests\npassed"])
    liars = [row for row, name in enumerate(table.index) if name.startswith("lies")]
    if liars and liars[0]:
        ax.axhline(liars[0] - 0.5, color=NOTE, linewidth=0.8)
    ax.set_xlim(-0.5, columns + 0.5)
    return figure
