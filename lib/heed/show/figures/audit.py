"""Chapter 15: what the audit of a model finds."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS
from heed.measures import stats
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS

MOVES = {
    "change alone": "one head shuffled",
    "change own": "all heads shuffled",
    "change uniform": "all weights made equal",
}
RESAMPLES = 1000
MOVED = 0.05  # a change of the prediction (TVD) that one would notice


def agreement(texts: pd.DataFrame, readings: list[str]) -> Figure:
    """Mean τ of each reading of attention with each measure of importance, with its 95 % interval over texts.

    Below them each two of those measures with one another.
    """
    pairs = [(one, other) for one, other in combinations(IMPORTANCE, 2) if f"tau {one} {other}" in texts]
    labels = READINGS | IMPORTANCE
    rows = [labels[name] for name in readings]
    rows += [f"{labels[one]} and\n{labels[other]}" for one, other in pairs]
    figure, ax = plt.subplots(figsize=(7, 0.42 * len(rows) + 1.6))

    def draw(y: float, name: str, i: int, label: str) -> None:
        values = texts.get(f"tau {name}", pd.Series(dtype=float)).dropna().to_numpy()
        if len(values):
            low, high = stats.interval(values, RESAMPLES, 0)
            ax.plot([low, high], [y, y], color=SERIES[i], linewidth=1.5)
            known = ax.get_legend_handles_labels()[1]
            look = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": "none", "markersize": 5}
            ax.plot(values.mean(), y, label=None if label in known else label, **look)

    for y, name in enumerate(readings):
        for i, other in enumerate(IMPORTANCE):
            draw(y + 0.22 * (i - 1), f"{name} {other}", i, f"attention with {labels[other]}")
    for y, (one, other) in enumerate(pairs, len(readings)):
        draw(y, f"{one} {other}", len(IMPORTANCE), "two that ask the model, with one another")
    ax.axvline(0, color=LINE, linewidth=0.8)
    for y in range(1, len(rows)):
        ax.axhline(y - 0.5, color=LINE, linewidth=0.8 if y == len(readings) else 0.3)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    of = f"mean over {len(texts)} texts (1: the same order, 0: unrelated)"
    ax.set(xlim=(min(-0.1, ax.get_xlim()[0]), 1), xlabel=f"Kendall's τ, {of}")
    legend_below(figure, ax, 2)
    return figure


def moves(texts: pd.DataFrame, one_head: bool = False) -> Figure:
    """Of how many texts the prediction moves by at most so much: attention shuffled, or made equal."""
    shown = dict(MOVES)
    if one_head:
        shown = {"change own": "weights shuffled", "change uniform": MOVES["change uniform"]}
    label = f"by how much at most the prediction moves (TVD; up to {MOVED:g}, dotted, stretched)"
    figure = _shares(texts, shown, label, "share of texts")
    (ax,) = figure.axes
    ax.set_xscale("symlog", linthresh=MOVED, linscale=1.5)  # half of the width for what one wouldn't notice
    ax.set(xlim=(0, 1.1), xticks=(0, MOVED / 2, MOVED, 0.1, 0.5, 1))  # lines that end at 1 are seen
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.axvline(MOVED, color=NOTE, linewidth=0.8, linestyle=":")
    return figure


def erased(texts: pd.DataFrame) -> Figure:
    """Of how many texts the decision has flipped, when so many words are erased in three of the orders.

    Beside attention's order and a random one the one that is furthest from attention's, by its mean.
    """
    means = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    others = [name for name in ORDERS if name not in ("attention", "random")]
    third = max(others, key=lambda name: abs(means[name] - means["attention"]))
    shown = {f"erased {name}": ORDERS[name] for name in ("attention", third, "random")}
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


def free(
    texts: pd.DataFrame, epsilon: float, one_head: bool = False, steps: pd.DataFrame | None = None
) -> Figure:
    """How far attention can move by the length of the text: with the same output, or the prediction kept.

    epsilon: by how much the prediction may move. steps: groups of texts where the prediction is kept
    (columns heads, texts, jsd), which are named instead of a mean that no text has.
    """
    groups = pd.DataFrame() if steps is None else steps
    own = texts.dropna(subset=["free jsd"])
    same = "the same output" if one_head else "the same output, all heads move"
    kept = f"prediction moves by {epsilon:g} at most"
    shown = {"free jsd": same, "epsilon jsd": kept if one_head else f"{kept}, one head moves"}
    figure, ax = plt.subplots(figsize=(7, 3.2))
    aside = _side_by_side(own["units"])
    for i, (name, label) in enumerate(shown.items()):
        if name in own and own[name].notna().any():
            look = {"s": 16, "alpha": 0.7, "linewidth": 0, "color": SERIES[i], "marker": MARKERS[i]}
            ax.scatter(own["units"] + aside, own[name], label=label, **look)
            beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (4, 0)}
            look = {"color": SERIES[i], "va": "center", **beside}
            if name == "epsilon jsd" and len(groups):
                for group in groups.itertuples(index=False):
                    said = f"{counted(group.heads, 'head')} moved:\n{counted(group.texts)}"
                    ax.annotate(said, (1, group.jsd), **look)
                continue
            mean = own[name].mean()
            ax.axhline(mean, color=SERIES[i], linewidth=1.2, linestyle=LINES[i])
            ax.annotate(f"mean\n{mean:.2f}", (1, mean), **look)
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (0, 6)}
    look = {"color": NOTE, "ha": "right", "va": "bottom"}
    ax.annotate("ln 2: no word, piece or mark in common", (1, np.log(2)), **above, **look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    of = f"length of the text (words or pieces, and marks; equal lengths side by side); {len(own)} texts"
    ax.set(ylim=(-0.02, 0.84), xlabel=of, ylabel="JSD from the\nmodel's own (nats)")
    if "epsilon jsd" in own:
        legend_below(figure, ax, 2)
    return figure


def _side_by_side(lengths: pd.Series) -> np.ndarray:
    """How far from its length each text stands, -0.3 to 0.3, so that those of one length don't overlap."""
    rank = lengths.groupby(lengths).cumcount()
    count = lengths.groupby(lengths).transform("size")
    return (0.6 * ((rank + 0.5) / count - 0.5)).to_numpy()
