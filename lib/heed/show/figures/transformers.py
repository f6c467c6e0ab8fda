"""Chapter 13: how free a transformer's attention is, by the length of the text; τ head by head."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from heed.experiments.audit import IMPORTANCE
from heed.experiments.transformers import ALL
from heed.show.colours import LINE, SERIES
from heed.show.figures.common import legend_below
from heed.show.style import LINES, MARKERS


def freedom(tables: dict[str, pd.DataFrame], title: str) -> Figure:
    """How far all heads' attention can move with the same output, by length; a small dot a text.

    tables: a model's name to rows of `transformers.free_by_length` with a column `head_size`. Dotted: the
    longest text of which no other attention gives the same, head size + 1.
    """
    figure, ax = plt.subplots(figsize=(7.2, 3.2))
    highest = 0.1
    for i, (name, table) in enumerate(tables.items()):
        own = table[table["kind"] == ALL]
        highest = max(highest, own["jsd"].max())
        ax.plot(own["units"], own["jsd"], linestyle="none", marker=".", color=SERIES[i], alpha=0.6)
        mean = own.groupby("units")["jsd"].mean()
        look = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": LINES[i], "markersize": 5}
        ax.plot(mean.index, mean, label=f"{name}, mean", linewidth=1.6, **look)
        size = int(table["head_size"].iloc[0])
        ax.axvline(size + 1, color=SERIES[i], linewidth=1, linestyle=":")
    highest *= 1.25
    for i, table in enumerate(tables.values()):
        size = int(table["head_size"].iloc[0])
        ax.annotate(f" {size} + 1", (size + 1, highest), color=SERIES[i], ha="left", va="top")
    longest = max(table["units"].max() for table in tables.values())
    ax.set_xscale("log", base=2)
    ticks = [n for n in (4, 8, 16, 32, 64, 128, 256, 512) if n <= longest * 1.2]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(map(str, ticks))
    ax.set(ylim=(-0.04 * highest, highest), xlabel="pieces of the text, [CLS] and [SEP] among them (log)")
    ax.set_ylabel("JSD from the model's own,\nmean over heads (nats)")
    ax.set_title(title)
    legend_below(figure, ax, len(tables))
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
    ax.margins(x=0.1)
    ax.set(xlabel="Kendall's τ by text, mean (1: the same order, 0: none)", title=title)
    legend_below(figure, ax, len(IMPORTANCE))
    return figure
