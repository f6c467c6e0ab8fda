"""Chapter 11: each metric of each ranking, and a number of each ranking."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from heed.show.colours import INK, LINE, PAPER, SERIES
from heed.show.figures.common import legend_below
from heed.show.style import MARKERS
from heed.show.words import text_for


def matrix(table: pd.DataFrame, shade: np.ndarray, marked: set[str]) -> Figure:
    """A table of numbers, each on a tint (0: paper, 1: the first series' colour); `marked` rows in bold.

    Its rows and columns are called by heed's own labels; the columns' have several short lines.
    """
    rows, columns = table.shape
    longest = max(map(len, table.index))
    width = min(0.62 * columns + 0.07 * longest + 0.6, 7)
    figure, ax = plt.subplots(figsize=(width, 0.27 * rows + 0.8))
    ax.imshow(shade, cmap=_tints(), vmin=0, vmax=1, aspect="auto")
    for i in range(rows):
        for j in range(columns):
            _number(ax, table.iat[i, j], shade[i, j], i, j)
    ax.set_xticks(range(columns), table.columns)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_yticks(range(rows), table.index)
    _embolden(ax, table.index, marked)
    _bare(ax)
    return figure


def _number(ax, value: float, shade: float, row: int, column: int) -> None:
    if not np.isnan(value):
        ink = PAPER if shade > 0.6 else INK
        ax.text(column, row, f"{value:z.2f}".replace("-", "−"), ha="center", va="center", color=ink)


def _embolden(ax, names, marked: set[str]) -> None:
    for label, name in zip(ax.get_yticklabels(), names, strict=True):
        label.set_weight("bold" if name in marked else "normal")


def _bare(ax) -> None:
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)


def _tints() -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("tints", [PAPER, SERIES[0]])


def metrics(table: pd.DataFrame, ranks: pd.DataFrame, marked: set[str]) -> Figure:
    """Each metric's mean by ranking (rows), the darker the better; unranked ones below a line.

    ranks: of the same shape, 1 for the best ranking by that metric; NaN of what isn't ranked.
    """
    last = np.maximum(ranks.max().to_numpy() - 1, 1)
    shade = 0.04 + 0.46 * (1 - (ranks.to_numpy() - 1) / last)  # so that black ink is read on each
    figure = matrix(table, np.nan_to_num(shade), marked)
    (ax,) = figure.axes
    for text in ax.texts:
        column, row = text.get_position()
        text.set_weight("bold" if ranks.iat[row, column] == 1 else "normal")
    placed = ranks.notna().any(axis=1).sum()
    if placed < len(ranks):
        ax.axhline(placed - 0.5, color=INK, linewidth=1.2)
    return figure


def by_ranking(
    tables: dict[str, pd.DataFrame],
    label: str,
    line: float | None = 0,
    marked: set[str] = frozenset(),
) -> Figure:
    """A number of each ranking, a row each and a colour a model: mean and interval.

    tables: by a model's name, indexed by heed's own label of a ranking, with columns mean, low, high. line:
    where the axis has a line, at chance. marked: the labels in bold.
    """
    names = list(dict.fromkeys(name for table in tables.values() for name in table.index))
    figure, ax = plt.subplots(figsize=(7, 0.34 * sum(1 + name.count("\n") / 2 for name in names) + 1.2))
    for k, (model, table) in enumerate(tables.items()):
        y = np.array([names.index(name) for name in table.index]) + 0.2 * (k - (len(tables) - 1) / 2)
        spread = np.abs(table[["low", "high"]].to_numpy().T - table["mean"].to_numpy())
        look = {"color": SERIES[k], "marker": MARKERS[k], "linestyle": "none", "markersize": 5}
        ax.errorbar(table["mean"], y, xerr=np.nan_to_num(spread), label=text_for(model, "figure"), **look)
    if line is not None:
        ax.axvline(line, color=LINE, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    _embolden(ax, names, marked)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=label)
    if len(tables) > 1:
        legend_below(figure, ax, len(tables))
    return figure
