"""Chapter 13: how free a transformer's attention is, τ by head, and who finds the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MultipleLocator, NullLocator

from heed.experiments.audit import IMPORTANCE, MOVED, READINGS
from heed.experiments.transformers import ALONE
from heed.measures import stats
from heed.show.colours import GRID, LINE, NOTE, SERIES
from heed.show.figures.audit import NEAR, RESAMPLES
from heed.show.figures.common import SMALL, WIDTH, legend_below
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS

HALFWAY = 0.5  # TVD from which on a prediction is far from what it was


def freedom(table: pd.DataFrame, name: str) -> Figure:
    """How far a head's attention can move with the same output, by length, mean over heads; a dot a text.

    table: rows of `transformers.free_by_length` with a column `head_size`; name: the model's. Dotted: the
    shortest text of which other attention may give the same, head size + 2.
    """
    figure, ax = plt.subplots(figsize=(7, 3.2))
    own = table[table["kind"] == ALONE]
    look = {"color": SERIES[0], "linestyle": "none", "marker": "."}
    ax.plot(own["units"], own["jsd"], alpha=0.6, label="one text", **look)
    mean, highest = _means(own), 1.25 * max(0.1, own["jsd"].max())
    look |= {"marker": MARKERS[0], "linestyle": LINES[0], "markersize": 5}
    ax.plot(mean["units"], mean["jsd"], label="mean of texts of a length", linewidth=1.6, **look)
    least = int(table["head_size"].iloc[0]) + 2
    beside = {"xytext": (4, 0), "textcoords": "offset points", "ha": "left", "va": "top"}
    ax.vlines(least, 0, highest, color=SERIES[0], linewidth=1, linestyle=":")
    ax.annotate(f"d + 2 = {least}", (least, highest), color=SERIES[0], **beside)
    ax.set_xscale("log", base=2)
    ticks = [n for n in (4, 8, 16, 32, 64, 128, 256, 512) if n <= table["units"].max() * 1.2]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(map(str, ticks))
    ax.set(ylim=(-0.04 * highest, highest), ylabel="JSD from the model's own,\none head at a time")
    ax.set_xlabel(f"pieces of the text, [CLS] and [SEP] among them (log); {name}")
    legend_below(figure, ax, 2)
    return figure


def far(table: pd.DataFrame) -> Figure:
    """How far attention can be with the same prediction: a row a model, a mark with its interval a seed.

    table: `heed.show.transformers.far`.
    """
    models = [*dict.fromkeys(table["who"])]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(models) + 1.1))
    most = np.log(2)
    for y, who in enumerate(models):
        own = table[table["who"] == who]
        apart = np.linspace(-0.2, 0.2, len(own)) if len(own) > 1 else np.zeros(1)
        ax.hlines(y + apart, own["low"], own["high"], color=SERIES[0], linewidth=1.4)
        ax.plot(own["mean"], y + apart, color=SERIES[0], marker=MARKERS[0], markersize=5, linestyle="none")
        beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL}
        ax.annotate(f"{own['mean'].mean():.2f}", (1.02, y), color=SERIES[0], **beside)
    ax.axvline(NEAR, color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "fontsize": SMALL}
    ax.annotate(f"{NEAR:g}: far away", (NEAR, 1), color=NOTE, **above)
    ax.set_yticks(range(len(models)), [who.replace(" on ", "\non ") for who in models], fontsize=SMALL)
    for between in np.arange(1, len(models)) - 0.5:
        ax.axhline(between, color=LINE, linewidth=0.3)
    ax.set_xticks([0, 0.2, 0.4, most], ["0", "0.2", "0.4", f"{most:.2f}"])
    ax.set(ylim=(len(models) - 0.5, -0.5), xlim=(0, 1.03 * most))
    seeds = "; a mark a seed" if table["who"].duplicated().any() else ""
    told = f"JSD from the model's own attention:\nmean, 95% interval{seeds}"
    ax.set_xlabel(told, fontsize=SMALL, x=1, ha="right")
    return figure


def moved(table: pd.DataFrame) -> Figure:
    """How many predictions shuffled attention moves, and how many far: a bar a model and seed.

    table: `heed.show.transformers.moved`.
    """
    models = [*dict.fromkeys(table["who"])]
    height = 0.19 * len(table) + 0.36 * len(models)
    figure, ax = plt.subplots(figsize=(WIDTH, height + 1.1))
    parts = {  # where each begins and ends, and its look
        f"over {HALFWAY:g}": (0, table["far"], SERIES[0]),
        f"{MOVED:g} to {HALFWAY:g}": (table["far"], table["moved"], SERIES[2]),
        f"up to {MOVED:g}": (table["moved"], 1, GRID),
    }
    y, at = 0.0, []
    for who in models:
        own = table.loc[table["who"] == who, "moved"]
        told = f"{who}: {own.mean():.0%} move" if len(own) else who
        ax.annotate(told, (0, y), va="center", fontsize=SMALL)
        at += [y + 0.2 + 0.19 * k for k in range(len(own))]
        y += 0.36 + 0.19 * len(own)
    for label, (begin, end, colour) in parts.items():
        begin, end = (np.broadcast_to(one, len(table)) for one in (begin, end))
        ax.barh(at, end - begin, left=begin, height=0.15, color=colour, label=label)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set(ylim=(y - 0.2, -0.15), xlim=(0, 1))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    seeds = " (a bar a seed)" if table["who"].duplicated().any() else ""
    ax.set_xlabel(f"share of texts{seeds}\nwhose prediction moves by (TVD):", fontsize=SMALL)
    legend_below(figure, ax, 3)
    return figure


def _means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean length and JSD of texts of one length; one that came out a piece shorter is of the same length."""
    own = table.sort_values("units")
    length = (own["units"].diff() > 1).cumsum()
    return own.groupby(length)[["units", "jsd"]].mean()


def by_head(taus: pd.DataFrame) -> Figure:
    """Mean τ of each head's attention with each measure of importance, with its 95 % interval over texts.

    taus: rows of `with_all_heads`; runs of earlier versions have no intervals.
    """
    figure, ax = plt.subplots(figsize=(7, 0.42 * len(taus) + 1.4))
    y = np.arange(len(taus))
    for i, (name, label) in enumerate(IMPORTANCE.items()):
        if name in taus:
            at = y + 0.22 * (i - 1)
            if f"{name} low" in taus:
                ax.hlines(at, taus[f"{name} low"], taus[f"{name} high"], color=SERIES[i], linewidth=1.4)
            look = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": "none", "markersize": 5}
            ax.plot(taus[name], at, label=f"with {label}", **look)
    ax.axvline(0, color=LINE, linewidth=0.8)
    for between in y[1:] - 0.5:
        ax.axhline(between, color=LINE, linewidth=0.8 if between == y[-1] - 0.5 else 0.3)
    ax.set_yticks(y, taus["head"])
    ax.set_ylim(len(taus) - 0.5, -0.5)
    counts = [taus[name].max() for name in taus if str(name).endswith(" texts")]
    of = f" over {max(counts):.0f} texts" if counts else ""
    ax.set_xlabel(f"Kendall's τ, mean{of} (1: the same order, 0: unrelated)")
    legend_below(figure, ax, len(IMPORTANCE))
    return figure


def truths(table: pd.DataFrame, bilstm: pd.Series | None = None) -> Figure:
    """AUROC for the deciding words, mean and 95 % interval: rows of `transformers.truths`.

    bilstm: that of a BiLSTM's attention, a number a text, below. Navy is what reads attention, crimson what
    asks the model.
    """
    has_bilstm = bilstm is not None and len(bilstm) > 0
    rows = [*table["measure"], *(["attention of\nthe BiLSTM"] if has_bilstm else [])]
    colours = [SERIES[it == "asks the model"] for it in table["it"]] + [SERIES[0]]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.3 * len(rows) + 1.2))
    means, lows, highs = ([*table[name]] for name in ("AUROC", "low", "high"))
    if has_bilstm:
        ax.axhline(len(table) - 0.5, color=LINE, linewidth=0.8)
        low, high = stats.interval(bilstm.to_numpy(), RESAMPLES, 0)
        means, lows, highs = [*means, bilstm.mean()], [*lows, low], [*highs, high]
    for y, (mean, low, high, colour) in enumerate(zip(means, lows, highs, colours, strict=False)):
        ax.hlines(y, low, high, color=colour, linewidth=1.4)
        ax.plot(mean, y, color=colour, marker=MARKERS[colour != SERIES[0]])
        beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL}
        ax.annotate(f"{mean:.2f}", (1.02, y), color=colour, **beside)
    ax.axvline(0.5, color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "fontsize": SMALL}
    ax.annotate("chance", (0.5, 1), color=NOTE, **above)
    ax.set_yticks(range(len(rows)), rows, fontsize=SMALL)
    for label, colour in zip(ax.get_yticklabels(), colours, strict=False):
        label.set(color=colour, weight="bold" if label.get_text() == READINGS["attention"] else "normal")
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(min(0.45, min(lows) - 0.02), 1.005))
    ax.xaxis.set_major_locator(MultipleLocator(0.1))
    texts = counted(table["texts"].max())
    ax.set_xlabel(
        f"AUROC for the deciding words:\nmean over {texts}, 95% interval", fontsize=SMALL, x=1, ha="right"
    )
    return figure
