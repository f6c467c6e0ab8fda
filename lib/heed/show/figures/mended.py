"""Chapter 14: all models by agreement with leave-one-out, freedom, and the truth found."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import GRID, NOTE, SERIES
from heed.show.figures.rationales import matrix
from heed.show.style import MARKERS
from heed.show.words import text_for


def tests(table: pd.DataFrame, good: pd.DataFrame, title: str) -> Figure:
    """What each test says of each model, tinted where a model passes. good: booleans of the same shape."""
    return matrix(table, title, 0.25 * good.to_numpy(float), {"as it is"})


def corner(rows: pd.DataFrame, title: str) -> Figure:
    """Models by τ with leave-one-out and by exact ε-max JSD; filled: attention finds the deciding words.

    rows: columns family, model, tau_loo, optimum, auroc_attention.
    """
    figure, ax = plt.subplots(figsize=(7.2, 4.6))
    ax.axvspan(0.5, 1.05, ymax=0.5 / 0.75, color=GRID, alpha=0.5, linewidth=0)
    ax.annotate("the good corner", (1.0, 0.02), ha="right", va="bottom", color=NOTE)
    placed = []
    for i, (family, own) in enumerate(rows.groupby("family", sort=False)):
        for row in own.itertuples():
            finds = row.auroc_attention >= 0.75
            look = {"color": SERIES[i], "marker": MARKERS[i], "markersize": 8, "linestyle": "none"}
            ax.plot(row.tau_loo, row.optimum, fillstyle="full" if finds else "none", **look)
            placed.append((row.tau_loo, row.optimum, row.model, SERIES[i]))
        ax.plot(
            [], [], label=text_for(family, "figure"), color=SERIES[i], marker=MARKERS[i], linestyle="none"
        )
    _label(ax, placed)
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ax.annotate("ln 2", (-0.28, np.log(2)), color=NOTE, va="bottom")
    ax.set(xlim=(-0.3, 1.05), ylim=(0, 0.75), xlabel="τ of attention and leave-one-out, mean over texts")
    ax.set(ylabel="exact ε-max JSD (nats), mean over texts", title=title)
    ax.plot(
        [],
        [],
        color=NOTE,
        marker="o",
        linestyle="none",
        label="filled: finds the deciding words (AUROC ≥ 0.75)",
    )
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def _label(ax, placed: list[tuple[float, float, str, str]]) -> None:
    """Write each model's name beside its point, below those written before where they would meet."""
    taken: list[tuple[float, float]] = []
    for x, y, name, colour in sorted(placed, key=lambda own: (-own[1], own[0])):
        at = y
        while any(abs(at - other) < 0.026 and abs(x - left) < 0.28 for left, other in taken):
            at -= 0.026
        taken.append((x, at))
        far = at < y - 0.01
        line = {"arrowprops": {"arrowstyle": "-", "color": colour, "linewidth": 0.5}} if far else {}
        ax.annotate(
            f" {text_for(name, 'figure')}", (x, y), (x + 0.015, at), color=colour, va="center", **line
        )
