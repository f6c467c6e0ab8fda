"""Chapter 11: what each metric says of each ranking, which rankings agree, people's marks, what is learnt."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import INK, LINE, PAPER, SERIES
from heed.show.style import MARKERS
from heed.show.words import text_for


def matrix(table: pd.DataFrame, title: str, shade: np.ndarray, marked: set[str]) -> Figure:
    """A table of numbers, each on a tint (0: paper, 1: the first series' colour); `marked` rows in bold.

    Its rows and columns are called by heed's own labels.
    """
    rows, columns = table.shape
    figure, ax = plt.subplots(figsize=(0.72 * columns + 3.2, 0.3 * rows + 2.2))
    ax.imshow(shade, cmap=_tints(), vmin=0, vmax=1, aspect="auto")
    for i in range(rows):
        for j in range(columns):
            value = table.iat[i, j]
            if not np.isnan(value):
                ink = PAPER if shade[i, j] > 0.6 else INK
                ax.text(j, i, f"{value:z.2f}", ha="center", va="center", color=ink)
    ax.set_xticks(range(columns), table.columns)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, rotation=45)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    ax.set_yticks(range(rows), table.index)
    for label, name in zip(ax.get_yticklabels(), table.index, strict=True):
        label.set_weight("bold" if name in marked else "normal")
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    figure.suptitle(title)
    return figure


def _tints():
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("tints", [PAPER, SERIES[0]])


def metrics(table: pd.DataFrame, ranks: pd.DataFrame, title: str, marked: set[str]) -> Figure:
    """Each metric's mean by ranking (rows), the darker the better by that metric.

    ranks: of the same shape, 1 for the best ranking by that metric; NaN of what isn't ranked.
    """
    last = np.maximum(ranks.max().to_numpy() - 1, 1)
    shade = 1 - (ranks.to_numpy() - 1) / last
    return matrix(table, title, np.nan_to_num(shade), marked)


def agree(table: pd.DataFrame, title: str, marked: set[str]) -> Figure:
    """Mean τ of each two rankings, the darker the higher; the diagonal is left empty."""
    return matrix(table, title, np.nan_to_num(table.clip(0, 1).to_numpy()), marked)


def by_ranking(tables: dict[str, pd.DataFrame], title: str, label: str) -> Figure:
    """A number of each ranking, a row each and a colour a model: mean and interval.

    tables: by a model's name, indexed by heed's own label of a ranking, with columns mean, low, high.
    """
    names = list(dict.fromkeys(name for table in tables.values() for name in table.index))
    figure, ax = plt.subplots(figsize=(7.2, 0.34 * len(names) + 1.4))
    for k, (model, table) in enumerate(tables.items()):
        y = np.array([names.index(name) for name in table.index]) + 0.16 * (k - (len(tables) - 1) / 2)
        spread = np.abs(table[["low", "high"]].to_numpy().T - table["mean"].to_numpy())
        look = {"color": SERIES[k], "marker": MARKERS[k], "linestyle": "none", "markersize": 5}
        ax.errorbar(table["mean"], y, xerr=np.nan_to_num(spread), label=text_for(model, "figure"), **look)
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=label, title=title)
    if len(tables) > 1:
        figure.legend(loc="outside lower center", ncols=len(tables))
    return figure
