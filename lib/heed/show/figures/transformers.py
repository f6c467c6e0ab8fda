"""Chapter 13: how free a transformer's attention is, τ by head, and who finds the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MultipleLocator, NullLocator

from heed.experiments.audit import IMPORTANCE, READINGS
from heed.experiments.transformers import ALONE
from heed.measures import stats
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.audit import NEAR, RESAMPLES
from heed.show.figures.common import legend_below
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS


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


def far(distances: dict[str, pd.Series]) -> Figure:
    """How far attention can be from the model's own, a row a kind: a dot a text, mean and 95 % interval.

    distances: `heed.show.transformers.far`, JSD. Dotted: the border of the audit's rule. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(3.7, 0.72 * len(distances) + 0.8))
    most, drawn = np.log(2), np.random.default_rng(0)
    for y, (kind, values) in enumerate(distances.items()):
        mean, (low, high) = values.mean(), stats.interval(np.asarray(values), RESAMPLES, 0)
        at = y + 0.2  # below its name
        spread = at + drawn.uniform(-0.2, 0.2, len(values))
        ax.plot(values, spread, ".", color=SERIES[0], alpha=0.35, markeredgewidth=0, markersize=6)
        ax.hlines(at, low, high, color=SERIES[1], linewidth=2.4)
        ax.plot(mean, at, color=SERIES[1], marker=MARKERS[3], markersize=7)
        ax.vlines(NEAR, at - 0.25, at + 0.25, color=NOTE, linewidth=1, linestyle=":")
        told = f"{mean:.2f}" if len(values) == 1 else f"{mean:.2f} ({low:.2f} to {high:.2f})"
        ax.annotate(f"{kind}: {told}", (0, y - 0.45), va="top", fontsize=8.5)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xticks([0, 0.2, 0.4, 0.6, most], ["0", "0.2", "0.4", "0.6", f"{most:.2f}"])
    ax.set(ylim=(len(distances) - 0.5, -0.5), xlim=(-0.02, 1.02 * most))
    count = counted(max(map(len, distances.values())))
    ax.set_xlabel(
        f"JSD from the model's own attention ({most:.2f} at most):\n{count} (dots), mean, 95% interval; "
        f"\ndotted: expected, at most {NEAR:g}",
        fontsize=8.5,
    )
    return figure


def kept(table: pd.DataFrame) -> Figure:
    """Which share of the decisions stays with all attention on one word, and with a constant answer.

    table: `heed.show.transformers.keeps`, a row a model. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(3.7, 0.5 * len(table) + 1))
    y = np.arange(len(table))
    ax.hlines(y, table["low"], table["high"], color=SERIES[0], linewidth=2)
    look = {"linestyle": "none", "markersize": 7}
    ax.plot(table["keeps"], y, color=SERIES[0], marker=MARKERS[0], label="all attention on one word", **look)
    look |= {"fillstyle": "none"}
    ax.plot(table["constant"], y, color=NOTE, marker=MARKERS[1], label="a constant answer", **look)
    for at, row in zip(y, table.itertuples(), strict=True):
        for value, color, up in ((row.keeps, SERIES[0], 7), (row.constant, NOTE, -14)):
            beside = {"xytext": (0, up), "textcoords": "offset points", "ha": "center", "fontsize": 8.5}
            ax.annotate(f"{value:.0%}", (value, at), color=color, **beside)
    ax.set_yticks(y, table["model"], fontsize=8.5)
    ax.set(ylim=(len(table) - 0.5, -0.6), xlim=(0, 1))
    ax.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    ax.set_xlabel("decisions that stay (line: range over seeds)", fontsize=8.5, x=1, ha="right")
    legend_below(figure, ax, 1)
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


def truths(table: pd.DataFrame, bilstms: list[float] = ()) -> Figure:
    """AUROC for the deciding words, mean and 95 % interval: rows of `transformers.truths`.

    bilstms: that of BiLSTMs' attention on all test texts, a seed each, below: their mean and range. It fits a
    phone.
    """
    below = f"{counted(len(bilstms), 'BiLSTM')}: attention\n(all test texts, range)"
    rows = [*table["measure"], *([below] if bilstms else [])]
    figure, ax = plt.subplots(figsize=(3.7, 0.3 * len(rows) + 1.5))
    kinds = sorted({*table["it"]}, reverse=True)  # what reads attention comes first
    for k, kind in enumerate(kinds):
        own = table[table["it"] == kind]
        ax.hlines(own.index, own["low"], own["high"], color=SERIES[k], linewidth=1.4)
        look = {"color": SERIES[k], "marker": MARKERS[k], "linestyle": "none"}
        ax.plot(own["AUROC"], own.index, label=kind, **look)
    least = table["low"].min()
    if bilstms:
        y, least = len(rows) - 1, min(least, *bilstms)
        ax.axhline(y - 0.5, color=LINE, linewidth=0.8)
        ax.hlines(y, min(bilstms), max(bilstms), color=NOTE, linewidth=1.4)
        ax.plot(np.mean(bilstms), y, color=NOTE, marker=MARKERS[len(kinds)], linestyle="none")
    for y, value in enumerate([*table["AUROC"], *([np.mean(bilstms)] if bilstms else [])]):
        ax.annotate(f"{value:.2f}", (1.02, y), xycoords=("axes fraction", "data"), va="center", fontsize=8.5)
    ax.axvline(0.5, color=NOTE, linewidth=0.8, linestyle=":")
    above = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
    ax.annotate("chance", (0.5, 1), color=NOTE, **above)
    ax.set_yticks(range(len(rows)), rows, fontsize=8.5)
    for label in ax.get_yticklabels():
        label.set_weight("bold" if label.get_text() == READINGS["attention"] else "normal")
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlim=(min(0.45, least - 0.02), 1.005))
    ax.xaxis.set_major_locator(MultipleLocator(0.1))
    texts = counted(table["texts"].max())
    below = f"AUROC for the deciding words:\nmean over {texts}, 95% interval"
    ax.set_xlabel(below, fontsize=8.5, x=1, ha="right")
    legend_below(figure, ax, len(kinds))
    return figure
