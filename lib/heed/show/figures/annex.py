"""Chapter 12b: how sure the answers to claims are, and of how many seeds numbers are."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, tint
from heed.show.figures.rationales import bare
from heed.show.words import text_for

# How an answer's state is filled, by the column of `states`' table.
FILLS = {
    "holds, after Holm": SERIES[0],
    "holds": tint(SERIES[0], 0.4),
    "doesn't hold, after Holm": SERIES[1],
    "doesn't hold": tint(SERIES[1], 0.4),
    "open": tint(NOTE, 0.25),
    "not judged": PAPER,
}
LEAST = 0.02  # of a bar, in which a digit finds room


def states(table: pd.DataFrame) -> Figure:
    """Of each kind of claims which share of the answers is in which state, with counts; a bar a kind.

    table: counts, indexed by the kind, with FILLS's columns. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.55 * len(table) + 1.2))
    for y, (kind, row) in enumerate(table.iterrows()):
        shares, left = row / row.sum(), 0.0
        for name, fill in FILLS.items():
            ax.barh(y, shares[name], left=left, height=0.5, color=fill, edgecolor=LINE, linewidth=0.5)
            if row[name] and shares[name] >= LEAST * len(f"{row[name]:.0f}"):
                ink = PAPER if fill in SERIES else INK
                look = {"ha": "center", "va": "center", "fontsize": SMALL, "color": ink}
                ax.text(left + shares[name] / 2, y, f"{row[name]:.0f}", **look)
            left += shares[name]
        ax.text(0, y - 0.32, f"{kind} ({row.sum():.0f})", va="bottom", fontsize=SMALL, weight="bold")
    ax.set(xlim=(0, 1), ylim=(len(table) - 0.6, -0.8), xticks=[], yticks=[])
    bare(ax)
    named = {
        "holds, after Holm": "holds, also after Holm",
        "holds": "holds, only before",
        "open": "open",
        "doesn't hold, after Holm": "doesn't hold, also after Holm",
        "doesn't hold": "doesn't hold, only before",
        "not judged": "not judged",
    }
    look = {"edgecolor": LINE, "linewidth": 0.5}
    patches = [Patch(facecolor=FILLS[name], label=called, **look) for name, called in named.items()]
    near = {"handlelength": 1, "columnspacing": 0.9, "handletextpad": 0.4, "borderaxespad": 0}
    ax.legend(handles=patches, loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=2, fontsize=SMALL, **near)
    return figure


def seeds(table: pd.DataFrame) -> Figure:
    """Of how many seeds each chapter's numbers are, corpus by corpus: the more, the darker.

    table: as `annex.coverage` makes it. It fits a phone.
    """
    counts = table.set_index("corpus").astype(float)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.25 * len(counts) + 0.7))
    shade = np.ma.masked_invalid(counts.to_numpy())
    most = max(float(shade.max()), 5) if shade.count() else 5
    for y, row in enumerate(shade):
        for x, count in enumerate(row):
            is_known = count is not np.ma.masked
            fill = tint(SERIES[0], 0.55 * float(count) / most) if is_known else PAPER
            ax.barh(y, 0.94, left=x - 0.47, height=0.88, color=fill)
            ax.text(x, y, f"{count:.0f}" if is_known else "–", ha="center", va="center", fontsize=SMALL)
    ax.set_xticks(range(counts.shape[1]), counts.columns, fontsize=SMALL)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    names = [text_for(name, "figure") for name in counts.index]
    ax.set_yticks(range(len(counts)), names, fontsize=SMALL)
    ax.set(xlim=(-0.5, counts.shape[1] - 0.5), ylim=(len(counts) - 0.5, -0.5))
    ax.set_xlabel("seeds by chapter: BiLSTM, additive attention,\nany profile", fontsize="small")
    bare(ax)
    return figure
