"""Chapter 13: how free a transformer's attention is, τ by head, and who finds the truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MultipleLocator, NullLocator

from heed.experiments.audit import IMPORTANCE, MOVED, READINGS
from heed.experiments.transformers import ALONE
from heed.measures import stats
from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.audit import NEAR, RESAMPLES
from heed.show.figures.common import SMALL, WIDTH, legend_below
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS
from heed.verdict.merging import LEVELS

STORED = "dots: texts, sorted (of stored runs: quantiles)"  # where both are drawn


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


def far(distances: dict[str, pd.Series], seeds: dict[str, pd.DataFrame]) -> Figure:
    """How far attention can be from the model's own, a row for what moves: a dot a text, mean and interval.

    distances: `heed.show.transformers.far`, JSD; seeds: `in_real_texts`, whose dots are quantiles, and whose
    means are over the texts of a seed.
    """
    rows = len(distances) + len(seeds)
    figure, ax = plt.subplots(figsize=(WIDTH, 1.05 * rows + 0.8))
    most = np.log(2)
    for y, (kind, values) in enumerate(distances.items()):
        mean, (low, high) = values.mean(), stats.interval(np.asarray(values), RESAMPLES, 0)
        _sorted(ax, values, y, SERIES[0])
        ax.hlines(y, low, high, color=SERIES[1], linewidth=2.4)
        ax.plot(mean, y, color=SERIES[1], marker=MARKERS[3], markersize=7)
        told = f"{mean:.2f}" if len(values) == 1 else f"{mean:.2f} on average ({low:.2f} to {high:.2f})"
        _above(ax, f"{kind}:\n{told}", y)
    for y, (who, own) in enumerate(seeds.items(), len(distances)):
        _of_seeds(ax, own, y)
        _above(ax, f"{who} ({_texts_and_seeds(own)}):\n{own['mean'].mean():.2f} on average", y)
    at = np.arange(rows)
    ax.vlines([NEAR] * rows, at - 0.3, at + 0.3, color=NOTE, linewidth=1, linestyle=":")
    near = {"xycoords": ("data", "axes fraction"), "ha": "right", "va": "bottom", "fontsize": SMALL}
    ax.annotate(f"expected: at most {NEAR:g} ", (NEAR, 1), color=NOTE, **near)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xticks([0, 0.2, 0.4, 0.6, most], ["0", "0.2", "0.4", "0.6", f"{most:.2f}"])
    ax.set(ylim=(rows - 0.6, -0.75), xlim=(-0.02, 1.08 * most))
    for between in at[1:] - 0.68:
        ax.axhline(between, color=LINE, linewidth=0.8)
    dots = STORED if seeds else f"dots: {counted(sum(map(len, distances.values())))}, sorted"
    red = "red: mean of a seed" if seeds else "red: mean, 95% interval"
    ax.set_xlabel(f"JSD from the model's own attention\n{dots}\n{red}", fontsize=SMALL)
    return figure


def _of_seeds(ax, own: pd.DataFrame, y: float) -> None:
    """Carried spreads in a row: each seed's quantiles as dots, the lowest at the foot, and its mean."""
    rank = 0.28 - 0.56 * np.array([*LEVELS.values()])
    for _, seed in own.iterrows():
        ax.plot(
            seed[[*LEVELS]].astype(float),
            y + rank,
            ".",
            color=SERIES[0],
            alpha=0.6,
            markeredgewidth=0,
            markersize=5,
        )
    apart = np.linspace(-0.12, 0.12, len(own)) if len(own) > 1 else np.zeros(1)
    look = {"color": SERIES[1], "marker": MARKERS[3], "markersize": 7, "linestyle": "none"}
    ax.plot(own["mean"], y + apart, **look)


def _texts_and_seeds(own: pd.DataFrame) -> str:
    """`432 texts, 3 seeds`, of carried spreads."""
    return f"{counted(int(own['n'].max()))}, {counted(len(own), 'seed')}"


def moved(texts: dict[str, pd.Series], seeds: dict[str, pd.DataFrame]) -> Figure:
    """How far shuffled attention moves predictions: a dot a text and their mean; of carried models a dot a
    quantile, and a mean a seed.

    texts: `heed.show.transformers.moved`; seeds: `in_real_texts`.
    """
    rows = len(texts) + len(seeds)
    figure, ax = plt.subplots(figsize=(WIDTH, 1.05 * rows + 0.8))
    look = {"color": SERIES[1], "marker": MARKERS[3], "markersize": 7}
    for y, (who, values) in enumerate(texts.items()):
        _sorted(ax, values, y, SERIES[0])
        ax.plot(values.mean(), y, **look)
        _above(ax, _half_and_quarter(who, values.mean(), values.median(), values.quantile(0.75)), y)
    for y, (who, own) in enumerate(seeds.items(), len(texts)):
        _of_seeds(ax, own, y)
        named = f"{who}, {counted(len(own), 'seed')}"
        _above(ax, _half_and_quarter(named, own["mean"].mean(), own["q50"].mean(), own["q75"].mean()), y)
    at = np.arange(rows)
    ax.vlines([MOVED] * rows, at - 0.3, at + 0.3, color=NOTE, linewidth=1, linestyle=":")
    for between in at[1:] - 0.68:
        ax.axhline(between, color=LINE, linewidth=0.8)
    border = {"xycoords": ("data", "axes fraction"), "ha": "left", "va": "bottom", "fontsize": SMALL}
    ax.annotate(f"{MOVED:g}: one would notice", (MOVED, 1), color=NOTE, **border)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set(ylim=(rows - 0.6, -0.75), xlim=(-0.02, 1.02))
    dots = STORED if seeds else "dots: texts, sorted"
    ax.set_xlabel(f"how far the prediction moves (TVD)\n{dots}\nred: mean", fontsize=SMALL)
    return figure


def _half_and_quarter(who: str, mean: float, half: float, quarter: float) -> str:
    """What stands above a row: its mean, and how far half and a quarter of the texts move."""
    return f"{who} (mean {mean:.2f}):\nhalf by {half:.2f} or less, a quarter by {quarter:.2f} or more"


def _sorted(ax, values: pd.Series, y: float, colour: str) -> None:
    """A dot a text in a row, the smallest value lowest, so that equal ones don't hide one another."""
    rank = np.linspace(0.28, -0.28, len(values)) if len(values) > 1 else np.zeros(1)
    ax.plot(np.sort(values), y + rank, ".", color=colour, alpha=0.6, markeredgewidth=0, markersize=5)


def _above(ax, told: str, y: float) -> None:
    """What a row shows, above its dots."""
    ax.annotate(told, (0, y - 0.34), va="bottom", fontsize=SMALL)


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
