"""Chapter 15: what the audit of a model finds."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS
from heed.measures import stats
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.style import LINES, MARKERS

MOVES = {
    "change alone": "one head shuffled",
    "change own": "all heads shuffled",
    "change uniform": "all weights made equal",
}
RESAMPLES = 1000
MOVED = 0.05  # a change of the prediction (TVD) that one would notice


def agreement(texts: pd.DataFrame, readings: list[str]) -> Figure:
    """Mean τ with each measure of importance, with its 95 % interval over texts; below, among those."""
    pairs = [*IMPORTANCE]
    rows = [*readings, *(name for name in pairs if any(f"tau {name} {other}" in texts for other in pairs))]
    figure, ax = plt.subplots(figsize=(7, 0.42 * len(rows) + 1.6))
    labels = READINGS | IMPORTANCE
    for i, other in enumerate(IMPORTANCE):
        label = f"with {labels[other]}"
        for y, name in enumerate(rows):
            values = texts.get(f"tau {name} {other}", pd.Series(dtype=float)).dropna().to_numpy()
            if len(values):
                low, high = stats.interval(values, RESAMPLES, 0)
                height = y + 0.22 * (i - 1)
                ax.plot([low, high], [height, height], color=SERIES[i], linewidth=1.5)
                look = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": "none", "markersize": 5}
                ax.plot(values.mean(), height, label=label, **look)
                label = None
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.axhline(len(readings) - 0.5, color=LINE, linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(rows)), [labels[name] for name in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    of = f"mean over {len(texts)} texts (1: the same order, 0: unrelated)"
    ax.set(xlim=(min(-0.1, ax.get_xlim()[0]), 1), xlabel=f"Kendall's τ, {of}")
    legend_below(figure, ax, len(IMPORTANCE))
    return figure


def moves(texts: pd.DataFrame, one_head: bool = False) -> Figure:
    """Of how many texts the prediction moves by at most so much: attention shuffled, or made equal."""
    shown = dict(MOVES)
    if one_head:
        shown = {"change own": "weights shuffled", "change uniform": MOVES["change uniform"]}
    label = f"change of the prediction (TVD; stretched up to {MOVED:g}, dotted), at most"
    figure = _shares(texts, shown, label, "share of texts")
    figure.axes[0].minorticks_off()
    (ax,) = figure.axes
    ax.set_xscale("symlog", linthresh=MOVED, linscale=1.5)  # half of the width for what one wouldn't notice
    ax.set(xlim=(0, 1), xticks=(0, MOVED / 2, MOVED, 0.1, 0.5, 1))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.axvline(MOVED, color=NOTE, linewidth=0.8, linestyle=":")
    return figure


def erased(texts: pd.DataFrame) -> Figure:
    """Of how many texts the decision has flipped, when so many words are erased in each order."""
    shown = {f"erased {name}": label for name, label in ORDERS.items()}
    return _shares(texts, shown, "share of the words erased", "share of texts flipped")


def _shares(texts: pd.DataFrame, shown: dict[str, str], x: str, y: str) -> Figure:
    """The share of all texts at or below each value; what is NaN never comes to it."""
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for i, (name, label) in enumerate(shown.items()):
        values = np.sort(texts[name].dropna().to_numpy())
        steps = np.r_[0, values, 1], np.r_[0, np.arange(1, len(values) + 1), len(values)] / len(texts)
        ax.step(*steps, where="post", color=SERIES[i], linestyle=LINES[i], linewidth=1.8, label=label)
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel=f"{x}; {len(texts)} texts", ylabel=y)
    legend_below(figure, ax, 2)
    return figure


def free(texts: pd.DataFrame, epsilon: float, one_head: bool = False) -> Figure:
    """How far attention can move by the length of the text: with the same output, or the prediction kept.

    epsilon: by how much the prediction may move.
    """
    own = texts.dropna(subset=["free jsd"])
    same = "the same output" if one_head else "the same output, all heads move"
    kept = f"prediction moves by {epsilon:g} at most"
    shown = {"free jsd": same, "epsilon jsd": kept if one_head else f"{kept}, one head moves"}
    figure, ax = plt.subplots(figsize=(7, 3.2))
    aside = np.random.default_rng(0).uniform(-0.3, 0.3, len(own))  # texts of one length stand side by side
    for i, (name, label) in enumerate(shown.items()):
        if name in own and own[name].notna().any():
            look = {"s": 16, "alpha": 0.7, "linewidth": 0, "color": SERIES[i], "marker": MARKERS[i]}
            ax.scatter(own["units"] + aside, own[name], label=label, **look)
            ax.axhline(own[name].mean(), color=SERIES[i], linewidth=1.2, label="its mean", linestyle=LINES[i])
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (0, 6)}
    look = {"color": NOTE, "ha": "right", "va": "bottom"}
    ax.annotate("ln 2: no word, piece or mark in common", (1, np.log(2)), **above, **look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    of = f"length of the text (words or pieces, and marks); {len(own)} texts"
    ax.set(ylim=(-0.02, 0.84), xlabel=of, ylabel="JSD from the\nmodel's own (nats)")
    if "epsilon jsd" in own:
        legend_below(figure, ax, 2)
    return figure
