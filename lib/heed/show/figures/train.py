"""Chapter 01: learning curves, the words that get most attention, and F1 by protocol."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below
from heed.show.style import LABELS
from heed.show.words import text_for

LEAST = 3  # words that get least attention in the figure of words
SPELT = {".": "full stop"}  # what is but a speck in a figure
PROTOCOLS = ("paper", "paper2019", "site")  # of Jain & Wallace's models


def spelt(word: str) -> str:
    """A word as a figure shows it: a full stop by its name."""
    return SPELT.get(word, word)


def learning(curve: pd.DataFrame, split: str, score: str = "ROC AUC") -> Figure:
    """Learning curve: training loss and the score that chooses the epoch, which is marked."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.4))
    chosen = curve[curve["chosen"]]
    for ax, column, label in (
        (axes[0], "loss", "training loss (nats a text)"),
        (axes[1], "score", f"{score} on the\n{split} texts"),
    ):
        ax.plot(curve["epoch"], curve[column], marker=".", color=SERIES[0])
        ax.plot(chosen["epoch"], chosen[column], "o", markersize=9, fillstyle="none", color=SERIES[1])
        ax.annotate("chosen", (chosen["epoch"].iloc[0], chosen[column].iloc[0]), xytext=(5, 6),
                    textcoords="offset points", color=SERIES[1])  # fmt: skip
        ax.set(xlabel="epoch", ylabel=label)
        ax.margins(x=0.16, y=0.2)
        middle, spread = np.mean(ax.get_ylim()), np.ptp(ax.get_ylim())
        if spread < 0.01:  # all alike at the digits that are shown
            ax.set_ylim(middle - 0.005, middle + 0.005)
        ax.yaxis.get_major_formatter().set_useOffset(False)
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return figure


def most_attended(words: pd.DataFrame, count: int) -> Figure:
    """The words that get most attention, as a multiple of 1/T: a point a word, `count` at most, with its
    interval; below a gap the LEAST that get least.

    words: `show.train.attended`'s. Words that are known to decide the label have a colour of their own.
    """
    least = min(LEAST, max(len(words) - count, 0))
    shown = pd.concat([words.head(count), words.tail(least)], ignore_index=True)
    y = shown.index + 1.2 * (shown.index >= count)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.24 * (y.max() + 1) + 0.9))
    groups = {"attention": pd.Series(True, shown.index)}
    if shown["decides"].notna().any():
        groups = {"decides labels": shown["decides"] > 0.5, "decides nothing": shown["decides"] <= 0.5}
    for i, (label, own) in enumerate(groups.items()):
        part, look = shown[own], {"color": SERIES[1 - i]}
        ax.hlines(y[own], part["low"], part["high"], linewidth=1.2, **look)
        ax.plot(part["times"], y[own], "oD"[i], label=label, **look)
    ax.axvline(1, color=LINE, linewidth=0.8)
    where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "color": NOTE}
    ax.annotate("even share", (1, 1), **where)
    if least:
        said = f"the {least} least attended of {len(words)}"
        ax.annotate(said, (1, y[count] - 1.1), xycoords=("axes fraction", "data"), ha="right", va="center",
                    color=NOTE, fontsize=SMALL)  # fmt: skip
    names = [
        f"{text_for(spelt(word), 'figure')} ({texts})" for word, texts in shown[["word", "texts"]].to_numpy()
    ]
    ax.set_yticks(y, names, fontsize=SMALL)
    ax.set_xlabel("mean attention, times an even share", x=1, ha="right", fontsize=SMALL)
    ax.set_ylim(y.max() + 0.5, -0.5)
    ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # so that a point at 0 is whole
    if len(groups) > 1:
        legend_below(figure, ax, 2)
    return figure


def uneven(found: pd.DataFrame) -> Figure:
    """The highest weight of a text beside an even share, a row a corpus, on a logarithmic scale.

    found: `show.train.peaks_on_real_text`'s. At the right is how many times the one is the other.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.27 * len(found) + 1.2))
    y = range(len(found))
    ax.hlines(y, found["even"], found["peak"], color=LINE, linewidth=1.2)
    ax.plot(found["even"], y, "|", color=SERIES[0], markersize=9, markeredgewidth=1.5, label="even share")
    for made, mark in ((False, "o"), (True, "s")):
        own = np.flatnonzero(found["made"] == made)
        if len(own):
            look = {
                "color": SERIES[1 + made],
                "label": f"highest weight, {'made stories' if made else 'real text'}",
            }
            ax.plot(found["peak"].iloc[own], own, mark, **look)
    for at, times in enumerate(found["times"]):
        ax.annotate(f"× {times:.{0 if times >= 10 else 1}f}", (1.02, at), xycoords=("axes fraction", "data"),
                    va="center", color=NOTE, fontsize=SMALL)  # fmt: skip
    ax.annotate("times\neven", (1.02, -0.6), xycoords=("axes fraction", "data"), va="bottom", color=NOTE,
                annotation_clip=False, fontsize=SMALL)  # fmt: skip
    ax.set_yticks(y, [text_for(name, "figure") for name in found.index])
    ax.set(
        xscale="log",
        xlim=(None, 1),
        ylim=(len(found) - 0.5, -0.5),
        xlabel="share of a text's attention (logarithmic)",
    )
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    legend_below(figure, ax, 3)
    return figure


def f1(real: pd.DataFrame, reported: float) -> Figure:
    """F1 on SST by protocol and encoder, a point a seed, a bar their mean; dashed what Jain & Wallace
    report of their BiLSTM.

    real: `show.train.f1_of_sst`'s.
    """
    cells = real[["profile", "encoder"]].drop_duplicates()
    cells["place"] = cells["encoder"].map([*LABELS].index)
    cells["order"] = cells["profile"].map(PROTOCOLS.index)
    cells = cells.sort_values(["order", "profile", "place"], ignore_index=True)
    first = ~cells["profile"].duplicated()
    cells["y"] = cells.index + 1.2 * first.cumsum() - 0.2  # above each protocol its heading
    figure, ax = plt.subplots(figsize=(6, 0.25 * cells["y"].max() + 1.2))
    for profile, encoder, y in cells[["profile", "encoder", "y"]].to_numpy():
        own = real.loc[(real["profile"] == profile) & (real["encoder"] == encoder), "mean"]
        ax.plot(own, [y] * len(own), "o", color=SERIES[0], alpha=0.6)
        ax.plot(own.mean(), y, "|", color=SERIES[1], markersize=13, markeredgewidth=2)
    heads = cells[first]
    places = [*cells["y"], *(heads["y"] - 1)]
    ax.set_yticks(places, [*cells["encoder"].map(LABELS), *("profile " + heads["profile"])])
    for label in ax.get_yticklabels()[len(cells) :]:
        label.set_weight("bold")
    ax.tick_params(axis="y", length=0)
    ax.axvline(reported, color=NOTE, linewidth=0.8, linestyle="--")
    where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "color": NOTE}
    ax.annotate(f"Jain & Wallace, BiLSTM: {reported:.2f}", (reported, 1), **where)
    ax.set(xlabel="F1 of the positive class on the test sentences", ylim=(cells["y"].max() + 0.7, -0.7))
    ax.set_xlim(min(reported, real["mean"].min()) - 0.01, max(reported, real["mean"].max()) + 0.01)
    return figure
