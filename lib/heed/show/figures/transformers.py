"""Chapter 13: how free a transformer's attention is, by the length of the text; τ head by head."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from heed.experiments.audit import IMPORTANCE
from heed.experiments.transformers import ALL, ALONE
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.style import LINES, MARKERS


def freedom(tables: dict[str, pd.DataFrame], title: str) -> Figure:
    """How far attention can move with no change at all, by length; a colour a model, a dot a text.

    tables: a model's name to rows of `transformers.free_by_length` with a column `head_size`. Dotted: the
    longest text of which one head's attention is the only one, head size + 1.
    """
    figure, ax = plt.subplots(figsize=(7.2, 3.4))
    for i, (name, table) in enumerate(tables.items()):
        for k, kind in enumerate((ALL, ALONE)):
            own = table[table["kind"] == kind]
            look = {"color": SERIES[i], "marker": MARKERS[2 * i + k], "fillstyle": ("full", "none")[k]}
            ax.plot(own["units"], own["jsd"], linestyle="none", markersize=4, alpha=0.6, **look)
            mean = own.groupby("units")["jsd"].mean()
            ax.plot(mean.index, mean, label=f"{name}, {kind}", linestyle=LINES[k], linewidth=1.6, **look)
        ax.axvline(table["head_size"].iloc[0] + 1, color=SERIES[i], linewidth=1, linestyle=":")
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ends = {"xycoords": ("axes fraction", "data"), "ha": "left", "va": "bottom", "color": NOTE}
    ax.annotate("ln 2: other words altogether", (0.01, np.log(2)), **ends)
    longest = max(table["units"].max() for table in tables.values())
    ax.set_xscale("log", base=2)
    ticks = [n for n in (4, 8, 16, 32, 64, 128, 256, 512) if n <= longest * 1.2]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(map(str, ticks))
    ax.set(ylim=(-0.02, 0.78), xlabel="pieces and marks of the text", title=title)
    ax.set_ylabel("JSD from the model's own,\nmean over heads (nats)")
    legend_below(figure, ax, 2)
    return figure


def by_head(taus: pd.DataFrame, title: str) -> Figure:
    """Mean τ of each head's attention with each measure of importance; rows of `taus_by_head`."""
    figure, ax = plt.subplots(figsize=(7.2, 0.32 * len(taus) + 1.5))
    for i, (name, label) in enumerate(IMPORTANCE.items()):
        if name in taus:
            look = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": "none"}
            ax.plot(taus[name], range(len(taus)), label=f"with {label}", **look)
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.set_yticks(range(len(taus)), [f"head {h}" for h in taus["head"]])
    ax.invert_yaxis()
    ax.set(xlim=(-0.6, 1), xlabel="Kendall's τ by text, mean (1: the same order, 0: none)", title=title)
    legend_below(figure, ax, len(IMPORTANCE))
    return figure
