"""Chapter 11: each metric of each ranking, and a number of each ranking."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, tint
from heed.show.style import MARKERS

ATTENTION = "attention"
BESIDE = {"random", "full text", "the deciding words first"}  # rows that are no rankings


def matrix(table: pd.DataFrame, shade: np.ndarray, marked: set[str]) -> Figure:
    """A table of numbers, each on a tint (0: paper, 1: the first series' colour); `marked` rows in bold.

    Its rows and columns are called by heed's own labels; the columns' have several short lines.
    """
    rows, columns = table.shape
    longest = max(map(len, table.index))
    width = min(0.62 * columns + 0.07 * longest + 0.6, 7)
    figure, ax = plt.subplots(figsize=(width, 0.27 * rows + 0.8))
    ax.imshow(shade, cmap=tints(), vmin=0, vmax=1, aspect="auto")
    for i in range(rows):
        for j in range(columns):
            _number(ax, table.iat[i, j], shade[i, j], i, j)
    ax.set_xticks(range(columns), table.columns)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_yticks(range(rows), table.index)
    _embolden(ax, table.index, marked)
    bare(ax)
    return figure


def _number(ax, value: float, shade: float, row: int, column: int) -> None:
    if not np.isnan(value):
        ink = PAPER if shade > 0.6 else INK
        ax.text(column, row, f"{value:z.2f}".replace("-", "−"), ha="center", va="center", color=ink)


def _embolden(ax, names, marked: set[str]) -> None:
    for label, name in zip(ax.get_yticklabels(), names, strict=True):
        label.set_weight("bold" if name in marked else "normal")


def bare(ax) -> None:
    """Without the axes' lines and ticks, as a table."""
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)


def tints() -> LinearSegmentedColormap:
    """From the paper's colour (0) to that of the first series (1)."""
    return LinearSegmentedColormap.from_list("tints", [PAPER, SERIES[0]])


def metrics(table: pd.DataFrame, ranks: pd.DataFrame, marked: set[str]) -> Figure:
    """Each metric's mean by ranking (rows), the darker the better; unranked ones below a line.

    ranks: of the same shape, 1 for the best ranking by that metric; NaN of what isn't ranked.
    """
    last = np.maximum(ranks.max().to_numpy() - 1, 1)
    shade = 0.04 + 0.46 * (1 - (ranks.to_numpy() - 1) / last)  # so that black ink is read on each
    figure = matrix(table, np.nan_to_num(shade), marked)
    (ax,) = figure.axes
    for text in ax.texts:
        column, row = text.get_position()
        text.set_weight("bold" if ranks.iat[row, column] == 1 else "normal")
    placed = ranks.notna().any(axis=1).sum()
    if placed < len(ranks):
        ax.axhline(placed - 0.5, color=INK, linewidth=1.2)
    return figure


def by_ranking(
    panels: dict[str, pd.DataFrame],
    label: str,
    line: float | None = 0,
    limits: tuple[float, float] | None = None,
    digits: int = 2,
) -> Figure:
    """A number of each ranking, a panel below another: mean and interval, and the mean in writing.

    panels: by what stands above one (`""`: nothing; names in it are the caller's `text_for`), rows indexed by
    heed's own label of a ranking, with columns mean, low, high; if there is `written`, that is written, not
    the mean; `each`: numbers that get a tick. Attention is in bold and in a colour of its own, what is no
    ranking (`BESIDE`) is grey. line: where the axis has one, at chance. limits: of the axis. digits: of what
    is written.
    """
    sizes = [len(table) + 0.9 * bool(name) for name, table in panels.items()]
    longest = max(len(name) for table in panels.values() for name in table.index)
    wide, broad = (3.7, 20) if longest < 30 else (5.6, 40)  # inches; letters of a label's line
    size = wide, (0.27 if longest <= broad else 0.33) * sum(sizes) + 1.1
    figure, axes = plt.subplots(len(panels), 1, figsize=size, sharex=True, squeeze=False, height_ratios=sizes)
    for ax, (name, table) in zip(axes[:, 0], panels.items(), strict=True):
        for y, row in enumerate(table.itertuples()):
            own = row.Index == ATTENTION
            colour = SERIES[1] if own else NOTE if row.Index in BESIDE else SERIES[0]
            ends = [row.low, row.high] if row.low < row.high else [row.mean] * 2
            ax.hlines(y, *ends, color=colour, linewidth=1.6)
            for one in getattr(row, "each", ()):
                ax.plot(one, y, marker="|", color=colour, markersize=7)
            ax.plot(row.mean, y, MARKERS[own], color=colour, markersize=5)
            written = f"{getattr(row, 'written', row.mean):z.{digits}f}".replace("-", "−")
            weight = "bold" if own else "normal"
            place = {"xycoords": ("axes fraction", "data"), "va": "center", "weight": weight}
            ax.annotate(written, (1.02, y), **place)
        if line is not None:
            ax.axvline(line, color=LINE, linewidth=0.8)
        ax.set_yticks(
            range(len(table)), [textwrap.fill(name, broad) for name in table.index], linespacing=0.9
        )
        _embolden(ax, table.index, {ATTENTION})
        ax.set(ylim=(len(table) - 0.5, -0.5))
        ax.set_title(name, loc="right", fontsize="medium", weight="bold")
        if limits:
            ax.set_xlim(*limits)
    for ax in axes[:-1, 0]:
        ax.tick_params(axis="x", length=0)
    axes[-1, 0].set_xlabel(label, x=1, ha="right", fontsize="small")
    return figure


def two_judges(panels: dict[str, pd.DataFrame]) -> Figure:
    """What judges say of the same rankings of the same texts, a column a judge: mean and interval.

    panels: one or two by what stands above each, the second in % of pairs; of the same rows, with columns
    group (a heading, or nothing), label, mean, low, high. Attention and a random order look as elsewhere.
    """
    rows = next(iter(panels.values()))
    headings = [group for group in dict.fromkeys(rows["group"]) if group]
    places, names, y = [], [], 0
    for group, own in rows.groupby("group", sort=False):
        if group:
            places, names, y = [*places, y], [*names, group], y + 1
        places, names, y = [*places, *range(y, y + len(own))], [*names, *own["label"]], y + len(own)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(WIDTH, 0.25 * len(places) + 0.8), sharey=True, squeeze=False
    )
    at = [place for place, name in zip(places, names, strict=True) if name not in headings]
    for k, (ax, (judge, table)) in enumerate(zip(axes[0], panels.items(), strict=True)):
        for place, row in zip(at, table.itertuples(), strict=True):
            own = row.label == ATTENTION
            colour = SERIES[1] if own else NOTE if row.label in BESIDE else SERIES[0]
            ax.hlines(place, row.low, row.high, color=colour, linewidth=1.6)
            ax.plot(row.mean, place, MARKERS[own], color=colour, markersize=5)
            written = f"{row.mean:.0%}" if k else f"{row.mean:z.2f}".replace("-", "−")
            beside = {"xycoords": ("axes fraction", "data"), "va": "center"}
            ax.annotate(written, (1.04, place), weight="bold" if own else "normal", **beside)
        ax.set_title(judge, loc="left", x=0, fontsize="small", weight="bold")
        ax.set(xlim=(0, 1), xticks=[0, 0.5, 1], xticklabels=["0", "50", "100 %"] if k else ["0", "0.5", "1"])
        ax.tick_params(axis="y", length=0)
        if k:
            ax.axvline(0.5, color=LINE, linewidth=0.8)
    axes[0, 0].set_yticks(places, names)
    axes[0, 0].set_ylim(max(places) + 0.5, -0.5)
    for label, name in zip(axes[0, 0].get_yticklabels(), names, strict=True):
        label.set_color(NOTE if name in headings else INK)
        label.set_style("italic" if name in headings else "normal")
    _embolden(axes[0, 0], names, {ATTENTION})
    label = "means, 95 % intervals over texts" + ";\ngrey line: chance" * (len(panels) > 1)
    axes[0, -1].set_xlabel(label, x=1, ha="right", fontsize="small")
    return figure


def views(words: list[str], scores: dict[str, np.ndarray], marks: dict[str, list[bool]]) -> Figure:
    """A short text's words under several rankings, each word's number on a tint, and which words are marked.

    scores: by the ranking's name, numbers of the words; the two highest are bold, those below 0 have a colour
    of their own. marks: flags of the words.
    """
    wide = np.array([max(len(word), 4) + 0.5 for word in words])
    ends = np.concatenate([[0], wide.cumsum()])
    figure, ax = plt.subplots(figsize=(WIDTH, 0.27 * (len(scores) + len(marks)) + 0.45))
    rows, middle = [*scores.items(), *marks.items()], {"ha": "center", "va": "center", "fontsize": SMALL}
    for at, size, word in zip(ends, wide, words, strict=False):
        ax.text(at + size / 2 - 0.08, -0.75, word, **middle)
    for y, (name, values) in enumerate(rows):
        ranks = np.argsort(np.argsort(-np.asarray(values, float), kind="stable"))
        digits = 1 if max(values) > 1 else 2
        for at, size, value, rank in zip(ends, wide, values, ranks, strict=False):
            share = abs(value) / max(values) * (0.5 if name in scores else 1)
            colour = (SERIES[3] if value < 0 else SERIES[name == ATTENTION]) if name in scores else NOTE
            ax.add_patch(Rectangle((at, y - 0.42), size - 0.15, 0.84, color=tint(colour, share), linewidth=0))
            if name in scores:
                written = f"{value:z.{digits}f}".replace("-", "−")
                weight = "bold" if rank < 2 else "normal"
                ax.text(at + size / 2 - 0.08, y, written, weight=weight, **middle)
    ax.axhline(len(scores) - 0.5, color=LINE, linewidth=0.8)
    ax.set(xlim=(0, ends[-1]), ylim=(len(rows) - 0.5, -1.2), xticks=[])
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    bare(ax)
    return figure


def judges(table: pd.DataFrame) -> Figure:
    """Of each judge attention, leave-one-out and the best on a line from a random order (0) to a bound (1).

    table: rows with columns judge and of (the caller's `text_for`); best, heard (leave-one-out; NaN: it
    wasn't asked) and attention, each with `_says` and `_sure` (the mark is filled); random_says and
    most_says, of the ends.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.85 * len(table) + 0.7))
    small = {"fontsize": "small"}
    looks = {  # a marker, a colour, a size
        "attention": (1, SERIES[1], 5),
        "heard": (3, SERIES[2], 5),
        "best": (0, SERIES[0], 6),
    }
    for y, row in enumerate(table.itertuples()):
        ax.hlines(y, 0, 1, color=LINE, linewidth=0.8)
        ax.plot(0, y, marker="|", color=NOTE, markersize=9)
        ax.text(0, y - 0.42, row.judge, va="bottom", weight="bold", **small)
        ax.text(0, y - 0.22, row.of, va="bottom", color=NOTE, **small)
        for x, said, ha in ((0, row.random_says, "center"), (1, row.most_says, "right")):
            ax.text(x, y + 0.14, said, va="top", ha=ha, color=NOTE, **small)
        own = [name for name in ("best", "heard", "attention") if not np.isnan(getattr(row, name))]
        if row.best_says in (row.heard_says, row.attention_says):
            own.remove("best")
        for i, name in enumerate(own):
            marker, colour, size = looks[name]
            fill = colour if getattr(row, f"{name}_sure") else PAPER
            look = {"marker": MARKERS[marker], "color": colour, "markerfacecolor": fill, "markersize": size}
            below = i - (len(own) - 1) / 2  # near values must not lie on each other
            ax.plot(getattr(row, name), y + 0.085 * below, **look)
            at = y + 0.06 + 0.2 * below
            ax.plot(1.06, at, transform=ax.get_yaxis_transform(), clip_on=False, **look)
            ax.annotate(
                getattr(row, f"{name}_says"),
                (1.1, at),
                color=colour,
                weight="bold" if name == "attention" else "normal",
                xycoords=("axes fraction", "data"),
                va="center",
                **small,
            )
    sure = "filled: surely better than attention\n(attention: than a random order)"
    ax.plot([], [], MARKERS[0], color=NOTE, linewidth=0, markersize=6, label=sure)
    ends = "a random order; right end: bound"
    ax.plot([], [], "|", color=NOTE, linewidth=0, markersize=9, label=ends)
    ax.set_ylim(len(table) - 0.6, -0.7)
    ax.set_xlim(-0.05, 1.05)
    ax.set_yticks([])
    ax.set_xticks([])
    bare(ax)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.05, 1), ncols=1, borderaxespad=0.2, **small)
    return figure
