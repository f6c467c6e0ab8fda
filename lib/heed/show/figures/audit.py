"""Chapter 15: what the audit of a model finds."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS
from heed.experiments.copying import share_of
from heed.measures import stats
from heed.show.colours import CLASSES, LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS
from heed.show.words import text_for

MOVES = {
    "change alone": "one head shuffled",
    "change own": "all heads shuffled",
    "change uniform": "all weights made equal",
}
RESAMPLES = 1000
MOVED = 0.05  # a change of the prediction (TVD) that one would notice
ALIKE = 0.5  # τ from which on two orders are said to agree: three of four pairs of words are in one order


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
            draw(y + 0.22 * (i - 1), f"{name} {other}", i, f"with {labels[other]}")
    for y, (one, other) in enumerate(pairs, len(readings)):
        draw(y, f"{one} {other}", len(IMPORTANCE), "measures that ask the model, with one another")
    ax.axvline(0, color=LINE, linewidth=0.8)
    ax.axvline(ALIKE, color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
    ax.annotate(f"the rule: {ALIKE:g}", (ALIKE, 1), color=NOTE, **above)
    for y in range(1, len(rows)):
        ax.axhline(y - 0.5, color=LINE, linewidth=0.8 if y == len(readings) else 0.3)
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    of = f"mean over {len(texts)} texts (1: the same order, 0: unrelated)"
    ax.set(xlim=(min(-0.1, ax.get_xlim()[0]), 1), xlabel=f"Kendall's τ, {of}")
    legend_below(figure, ax, 2)
    return figure


def moves(texts: pd.DataFrame, one_head: bool = False, classes: dict[str, int] | None = None) -> Figure:
    """Of how many texts shuffled attention moves the prediction by more than so much.

    classes: names and numbers of predicted classes, a line each. Of none a line of all texts for each kind of
    shuffle, and one of equal weights. Upright, at what one would notice: Wilson's 95 % interval.
    """
    if classes:
        lines = [
            (f"predicted {text_for(name, 'figure')}", texts.loc[texts["predicted"] == name, "change own"])
            for name in classes
        ]
        colours = [CLASSES[number % len(CLASSES)] for number in classes.values()]
    else:
        kinds = {"change own": "weights shuffled", "change uniform": MOVES["change uniform"]}
        lines = [(label, texts[name]) for name, label in (kinds if one_head else MOVES).items()]
        colours = SERIES
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for i, (label, changes) in enumerate(lines):
        values, n = np.sort(changes.to_numpy()), len(changes)
        steps = np.r_[0, values, 1], np.r_[np.arange(n, -1, -1), 0] / n
        look = {"color": colours[i], "linestyle": LINES[i], "linewidth": 1.8}
        ax.step(*steps, where="post", label=f"{label} ({counted(n)})", **look)
        at, (part, low, high) = MOVED + 0.01 * i, share_of(values > MOVED)
        ax.plot([at, at], [low, high], color=colours[i], linewidth=1.5)
        ax.plot(at, part, color=colours[i], marker=MARKERS[i], markersize=5)
    ax.axvline(MOVED, color=NOTE, linewidth=0.8, linestyle=":")
    how = f", {'attention' if one_head else 'all heads'} shuffled" if classes else ""
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.02), ylabel="share of texts that move\nby more than that")
    ax.set_xlabel(f"how far the prediction moves (TVD){how}; dotted: {MOVED:g}, with 95% intervals")
    legend_below(figure, ax, 2)
    return figure


def erased(texts: pd.DataFrame) -> Figure:
    """Of how many texts the decision has flipped, when so many words are erased in three of the orders.

    Beside attention's order and a random one the one that is furthest from attention's, by its mean.
    """
    means = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    others = [name for name in ORDERS if name not in ("attention", "random")]
    third = max(others, key=lambda name: abs(means[name] - means["attention"]))
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for i, name in enumerate(("attention", third, "random")):
        values = np.sort(texts[f"erased {name}"].dropna().to_numpy())
        steps = np.r_[0, values, 1], np.r_[0, np.arange(1, len(values) + 1), len(values)] / len(texts)
        ax.step(*steps, where="post", color=SERIES[i], linestyle=LINES[i], linewidth=1.8, label=ORDERS[name])
    ax.set(xlim=(0, 1), ylim=(0, 1.02), ylabel="share of texts flipped")
    ax.set_xlabel(f"share of the words erased; {counted(len(texts))}")
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
    shown = {
        "free jsd": same,
        "epsilon jsd": kept if one_head else f"{kept}, one head moves (mean over heads)",
    }
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
        legend_below(figure, ax, 2 if one_head else 1)
    return figure


def _side_by_side(lengths: pd.Series) -> np.ndarray:
    """How far from its length each text stands, -0.3 to 0.3, so that those of one length don't overlap."""
    rank = lengths.groupby(lengths).cumcount()
    count = lengths.groupby(lengths).transform("size")
    return (0.6 * ((rank + 0.5) / count - 0.5)).to_numpy()
