"""Chapter 12b: how often claims hold."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.show.colours import INK, PAPER
from heed.show.figures.common import legend_below, tint

PARTS = {  # of a bar: its look and its name
    "yes": ({"color": tint(INK, 0.7)}, "holds"),
    "no": ({"color": tint(INK, 0.3), "hatch": "////", "edgecolor": PAPER, "linewidth": 0}, "doesn't hold"),
    "open": ({"color": tint(INK, 0.1)}, "open, or of one seed"),
}


def tallied(counts: pd.DataFrame) -> Figure:
    """On how many corpora and profiles each claim holds, doesn't, or is open: a bar a claim, by topic.

    counts: columns topic, yes, no and open, by the claim's text, in the figure's order; a topic's stand
    together, under its name.
    """
    starts = ~counts["topic"].duplicated().to_numpy()
    places = np.arange(len(counts)) + np.cumsum(starts)  # a line of its own above each topic
    figure, ax = plt.subplots(figsize=(7.6, 0.37 * (places[-1] + 1) + 0.9))
    for place, row in zip(places, counts.to_dict("records"), strict=True):
        left = 0
        for kind, (look, _) in PARTS.items():
            if row[kind]:
                ax.barh(place, row[kind], left=left, height=0.72, **look)
                box = {"facecolor": look["color"], "edgecolor": "none", "pad": 1}
                at = left + row[kind] / 2
                ax.text(at, place, f"{row[kind]:.0f}", ha="center", va="center", fontsize=9, bbox=box,
                        color=PAPER if kind == "yes" else INK)  # fmt: skip
            left += row[kind]
    for place, topic in zip(places[starts], counts["topic"][starts], strict=True):
        ax.annotate(topic, (0, place - 1), (-6, 0), textcoords="offset points",
                    ha="right", va="center", fontsize=9, weight="bold")  # fmt: skip
    ax.set_yticks(places, [textwrap.fill(text, 52) for text in counts.index], fontsize=9)
    ax.set(ylim=(places[-1] + 0.5, -0.6), xlabel="answers: corpora and training recipes")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.tick_params(axis="y", length=0)
    for look, called in PARTS.values():
        ax.barh(0, 0, label=called, **look)
    legend_below(figure, ax, 3)
    return figure
