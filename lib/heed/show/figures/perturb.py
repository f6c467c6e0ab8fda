"""Chapter 10: what each word would do alone, and of how many texts how many words."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from heed.experiments.copying import share_of
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import SMALL, WIDTH, named_above, scale_above, stretch


def word_alone(
    words: list[str], attention: np.ndarray, alone: np.ndarray, own: float, what: str, kept: float
) -> Figure:
    """Each word's weight, and beside it the probability if all attention were on it; a row a word.

    own: the model's own probability, drawn as a line; what: whose probability it is, as `text_for` gives it.
    kept: what is no further from it than this is in a band, and its dots are full.
    Of a long text the part on which most attention lies.
    """
    part, labels = stretch(words, [attention])
    places = np.arange(len(labels))
    size = WIDTH, 0.175 * len(labels) + 1.4
    figure, axes = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=(2, 3))
    axes[0].barh(places, attention[part], color=SERIES[0])
    axes[1].axvline(own, color=LINE, linewidth=0.8)
    axes[1].axvspan(own - kept, own + kept, color=SERIES[0], alpha=0.15, linewidth=0)
    near = np.abs(alone - own) <= kept
    full = ["full" if near[part][k] else "none" for k in range(len(labels))]
    for value, place, filled in zip(alone[part], places, full, strict=True):
        axes[1].plot(value, place, "o", color=SERIES[1], fillstyle=filled)
    axes[0].set_xlabel("the model's\nattention", fontsize=SMALL)
    axes[0].xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    axes[0].set_ylim(len(labels) - 0.4, -0.6)
    said = f"P({what}), all attention on this word (line: the model's own; filled: ± {kept:g})"
    axes[1].set_xlabel("\n".join(textwrap.wrap(said, 25)), fontsize=SMALL)
    axes[1].set(xlim=(-0.03, 1.06), xticks=(0, 0.5, 1))
    axes[0].set_yticks(places, labels, fontsize=SMALL)
    axes[1].grid(axis="y", linewidth=0.4)
    for ax in axes:
        scale_above(ax)
    return figure


def erasing(rows: pd.DataFrame) -> Figure:
    """In how many texts erasing the top word changes the class, a row a kind of text, with 95 % intervals.

    rows: `perturb.erasing`: name, share, low, high, texts.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.45 * len(rows) + 0.8))
    y = np.arange(len(rows))
    ax.hlines(y, rows["low"], rows["high"], color=SERIES[0])
    ax.plot(rows["share"], y, "o", color=SERIES[0])
    for at, (share, high) in enumerate(zip(rows["share"], rows["high"], strict=True)):
        beside = {"textcoords": "offset points", "va": "center", "color": NOTE, "fontsize": SMALL}
        ax.annotate(f"{share:.1%}", (high, at), (6, 0), **beside)
    named = zip(rows["name"], rows["texts"], strict=True)
    named_above(ax, y, [f"{name} ({texts:,} text{'s' if texts != 1 else ''})" for name, texts in named], 0.4)
    ax.set(xlim=(-0.01, max(0.2, 1.2 * rows["high"].max())), ylim=(len(rows) - 0.6, -0.65))
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))  # whole per cents
    ax.xaxis.set_major_formatter(PercentFormatter(1, 0))
    ax.set_xlabel("share whose class changes (lines: 95 % intervals)", fontsize=SMALL)
    return figure


def would_do(shares: np.ndarray) -> Figure:
    """Texts by the share of their words that alone keep the prediction, from the lowest to the highest.

    At half of the words the share of texts has Wilson's 95 % interval.
    """
    shares = np.sort(shares)
    figure, ax = plt.subplots(figsize=(WIDTH, 2.9))
    at_least = 1 - np.arange(len(shares)) / len(shares)
    ax.step(np.append(0, shares), np.append(1, at_least), where="pre", color=SERIES[0])
    half, low, high = share_of(shares >= 0.5)
    ax.vlines(0.5, 0, half, color=LINE, linewidth=0.8)
    spread = [[half - low], [high - half]]
    ax.errorbar([0.5], [half], yerr=spread, fmt="o", color=SERIES[0], capsize=3)
    at = {"textcoords": "offset points", "fontsize": SMALL}
    ax.annotate(f"{half:.1%} (95 % interval\n{low:.1%} to {high:.1%})", (0.5, half), (8, 6), **at)
    of = f"share of {len(shares):,} text{'s' if len(shares) != 1 else ''}"
    ax.set_xlabel("at least this share of a text's words would do alone", fontsize=SMALL, x=1, ha="right")
    ax.set_ylabel(of)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1, 0))
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 1.03))  # so that a drop at 0, texts without such a word, is seen
    return figure
