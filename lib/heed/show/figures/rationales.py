"""Chapter 11: where truth and attention stand by each metric, who finds the truth, who learns."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, SERIES
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


def places(table: pd.DataFrame, of: int) -> Figure:
    """The places of attention, chance and truth, where they are known, among `of` rankings: a row a metric.

    table: indexed by the metric's label, columns by what has the place, and `first`, who is first.
    """
    figure, ax = plt.subplots(figsize=(7, 0.4 * len(table) + 1.3))
    y, shown = np.arange(len(table)), [name for name in table.columns if name != "first"]
    for at in y:
        ax.axhline(at, color=GRID, linewidth=0.8, zorder=0)
    for k, name in enumerate(shown):
        look = {"color": SERIES[k], "marker": MARKERS[k], "markersize": 7, "linestyle": "none"}
        ax.plot(table[name], y + (k - (len(shown) - 1) / 2) * 0.22, label=name, clip_on=False, **look)
    for at, name in zip(y, table["first"], strict=True):
        ax.annotate(name, (of + 2.4, at), va="center", color=NOTE, annotation_clip=False)
    ax.annotate(
        "the first is", (of + 2.4, -0.75), va="center", color=NOTE, annotation_clip=False, style="italic"
    )
    ax.axvline(of + 1.9, color=LINE, linewidth=0.8, clip_on=False)
    ax.set_yticks(y, table.index)
    ax.set_xticks(sorted({1, *range(5, of, 5), of}))
    ax.set(ylim=(len(table) - 0.5, -0.5), xlim=(0.6, of + 1.4), xlabel=f"place among {of} rankings (1: best)")
    legend_below(figure, ax, len(shown))
    return figure


def truth_and_others(rows: pd.DataFrame, kinds: dict[str, str], marked: set[str]) -> Figure:
    """With whom each ranking agrees: mean τ and its 95 % interval over texts, a row a ranking.

    rows: indexed by the ranking's label, of each of `kinds` the mean, `low` and `high`; kinds: to its label.
    """
    figure, ax = plt.subplots(figsize=(7, 0.32 * len(rows) + 1.4))
    y = np.arange(len(rows))
    for k, (name, label) in enumerate(kinds.items()):
        at = y + (k - (len(kinds) - 1) / 2) * 0.26
        ax.hlines(at, rows[f"{name} low"], rows[f"{name} high"], color=SERIES[k], linewidth=1.4)
        look = {"color": SERIES[k], "marker": MARKERS[k], "markersize": 5, "linestyle": "none"}
        ax.plot(rows[name], at, label=label, **look)
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.set_yticks(y, rows.index)
    _embolden(ax, rows.index, marked)
    ax.set(
        ylim=(len(rows) - 0.5, -0.5), xlabel="Kendall's τ, mean over texts (1: the same order, 0: unrelated)"
    )
    legend_below(figure, ax, len(kinds))
    return figure


def by_ranking(
    tables: dict[str, pd.DataFrame],
    label: str,
    zero: bool = True,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """A number of each ranking, a row each and a colour a model: mean and interval.

    tables: by a model's name, indexed by heed's own label of a ranking, with columns mean, low, high. zero:
    the axis has a line at 0. limits: those of the axis, where several figures have one.
    """
    names = list(dict.fromkeys(name for table in tables.values() for name in table.index))
    figure, ax = plt.subplots(figsize=(7, 0.34 * len(names) + 1.2))
    for k, (model, table) in enumerate(tables.items()):
        y = np.array([names.index(name) for name in table.index]) + 0.2 * (k - (len(tables) - 1) / 2)
        spread = np.abs(table[["low", "high"]].to_numpy().T - table["mean"].to_numpy())
        look = {"color": SERIES[k], "marker": MARKERS[k], "linestyle": "none", "markersize": 5}
        ax.errorbar(table["mean"], y, xerr=np.nan_to_num(spread), label=text_for(model, "figure"), **look)
    if zero:
        ax.axvline(0, color=LINE, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=label)
    if limits:
        ax.set_xlim(*limits)
    if len(tables) > 1:
        legend_below(figure, ax, len(tables))
    return figure
