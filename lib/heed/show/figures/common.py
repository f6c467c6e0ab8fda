"""Figures that several chapters draw, and what all share. Labels come from the registry of measures."""

import math
import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.markers import CARETDOWN
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy
from scipy.stats import gaussian_kde

from heed.measures.registry import MEASURES
from heed.runs.products import declared
from heed.show.colours import CLASSES, INK, LINE, NOTE, PAPER, REPORTED, SERIES
from heed.show.figures.numbers import (
    PROBABILITIES,
    Numbers,
    counts,
    names_of,
    ordered,
    quantiles,
    rounded,
)
from heed.show.style import HATCHES, LINES, title_of
from heed.show.words import SHOWN, breadth, right_to_left, text_for

WIDTH, SMALL = 3.7, 8.5  # inches that fit a phone, and points of letters that fit these
WIDE = 6.8  # inches that fit the text of a wide screen


def by_class(classes) -> bool:
    """Whether texts are told apart by class: there are some, and no more than there are colours."""
    return 0 < len(classes) <= len(CLASSES)


def colour_of(c: int, classes) -> str:
    """The colour of class c; of all texts as one group, which is no class, that of a series."""
    return CLASSES[c] if by_class(classes) else SERIES[0]


def tint(colour: str, share: float) -> tuple[float, ...]:
    """A colour on paper, of which it takes this share: black is seen on it."""
    return tuple(share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(PAPER)))


def groups(classes) -> list[tuple[int, str, str]]:
    """Number, label and name in a figure's numbers of each predicted class, or of all texts as one group."""
    if not by_class(classes):
        return [(0, "all texts", "overall")]
    return [(c, label, str(c)) for c, label in enumerate(predicted(classes))]


def groups_of(table: pd.DataFrame, classes) -> list[tuple[int, str, pd.DataFrame]]:
    """Number, label and rows of each predicted class; of all texts if they aren't told apart by class."""
    return [(c, label, rows_of(table, group)) for c, label, group in groups(classes)]


def rows_of(table: pd.DataFrame, group: str) -> pd.DataFrame:
    """The rows of a group, by its name in a figure's numbers."""
    return table if group == "overall" else table[table["predicted"] == int(group)]


def predicted(classes) -> list[str]:
    """What a legend calls each class's texts; where names would read alike, all have their numbers, too."""
    names = [text_for(name, "figure") for name in classes]
    if len({*names}) == len(names):
        return [f"predicted {name}" for name in names]
    return [f"predicted {c}: {name}" for c, name in enumerate(names)]


def histogram_numbers(
    tables: dict[str, pd.DataFrame], classes, columns, limits: tuple[float, float], bins: int
) -> Numbers:
    """How many texts of each panel and predicted class each measure has in each of so many equal bins.

    A text without the measure is in no bin. The first and the last bin have what lies beyond the limits, too:
    an end of the measure's range that is passed by rounding.
    """
    found = {}
    for name, table in tables.items():
        for _, _, group in groups(classes):
            for column in columns:
                values = rows_of(table, group)[column].dropna().clip(*limits)
                found[name, group, column] = np.histogram(values, bins, limits)[0]
    return rounded(found)


def draw_histogram(
    ax, numbers: Numbers, name: str, column: str, classes, limits: tuple[float, float], bins: int
) -> None:
    """Outlined, lightly filled histograms of a panel's measure by predicted class, each normalised to 1."""
    for c, label, group in groups(classes):
        texts = counts(numbers, (name, group, column), bins)
        if texts.sum() == 0:
            continue
        outline = texts / texts.sum(), np.linspace(*limits, bins + 1)
        colour = colour_of(c, classes)
        ax.stairs(*outline, fill=True, color=colour, alpha=0.25)
        ax.stairs(*outline, color=colour, label=label, linestyle=LINES[c], linewidth=1.5)


def label_of(column: str, exact: bool = True) -> str:
    """A measure's label; with a head that isn't one linear logit the best point known isn't the optimum."""
    declared()  # so that each measure's label is known
    return MEASURES[column].label if exact else MEASURES[column].label.replace("exact", "best known")


def draw_histograms(
    numbers: Numbers, classes, limits: tuple[float, float], bins: int, exact: bool = True
) -> Figure:
    """Measures by predicted class: a row an encoder (by its name; `""` for one alone), a column a measure."""
    names, columns = names_of(numbers, "panel"), names_of(numbers, "quantity")
    size = 3.4 * len(columns), 1.9 * len(names) + 0.8
    figure, axes = plt.subplots(
        len(names), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    for row, name in zip(axes, names, strict=True):
        for ax, column in zip(row, columns, strict=True):
            draw_histogram(ax, numbers, name, column, classes, limits, bins)
            limit_line(ax, column, len(names) == 1)
            ax.set(xlim=(limits[0], max(limits[1], 0.72)))
            ax.annotate(title_of(name), (0.02, 0.9), xycoords="axes fraction", weight="bold")
        row[0].set_ylabel("share of the " + ("class" if by_class(classes) else "texts"))
    for ax, column in zip(axes[-1], columns, strict=True):
        ax.set_xlabel(broken(label_of(column, exact)))
    legend_below(figure, axes[0][0], len(classes))
    return figure


def limit_line(ax, column: str, named: bool) -> None:
    """A thin line at 0 of a correlation, at ln 2 of a JSD."""
    if MEASURES[column].range[0] < 0:
        ax.axvline(0, color=LINE, linewidth=0.8)
    else:
        ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
        if named:
            ax.annotate("ln 2", (np.log(2), 1), xycoords=("data", "axes fraction"), ha="center",
                        va="bottom", color=NOTE)  # fmt: skip


def bars(
    words: list[str],
    weights: dict[str, np.ndarray],
    alike: bool = False,
    widest: float = 11,
    tops: bool = False,
    marked: np.ndarray | None = None,
) -> Figure:
    """Weights over the words of one text, a panel a kind of weight; alike: all on one scale; widest: inches;
    tops: a mark stands on each panel's highest bar. marked: which words are told apart: only their bars are
    dark, and their names are bold.

    A text of more than SHOWN words is cut to those on which most lies, with dots where it goes on. The words
    run from left to right, those of a right-to-left text from right to left. What the names of `weights`
    quote, such as a class's name, the caller has from `text_for(..., "figure")`.
    """
    part, labels = stretch(words, [*weights.values()])
    words, weights = words[part], {name: np.asarray(values)[part] for name, values in weights.items()}
    marked = None if marked is None else np.asarray(marked)[part]
    longest = max(breadth(label) for label in labels)
    beside = max(breadth(line) for name in weights for line in name.splitlines())
    width = max(min(0.5 * len(words) + 1.5, widest), 0.075 * beside + 1.4)
    height = 1.15 * len(weights) + 0.7 + 0.1 * max(longest - 16, 0)
    figure, axes = plt.subplots(len(weights), 1, figsize=(width, height), sharex=True, squeeze=False)
    for i, (ax, (name, values)) in enumerate(zip(axes[:, 0], weights.items(), strict=True)):
        look = {"color": SERIES[i % len(SERIES)], "hatch": HATCHES[i % len(HATCHES)], "edgecolor": PAPER}
        if marked is not None:
            look = {"color": [INK if one else REPORTED for one in marked]}
        ax.bar(range(len(words)), values, **look)
        if tops:
            top = int(np.argmax(values))
            above = {"transform": offset_copy(ax.transData, figure, y=2, units="points"), "clip_on": False}
            ax.plot(top, max(values[top], 0), marker=CARETDOWN, color=INK, markersize=6, **above)
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ends = np.concatenate([*weights.values()]) if alike else values
        ax.set_ylim(min(0, 1.05 * float(np.min(ends))), 1.05 * float(np.max(ends)) if alike else None)
        ax.axhline(0, color=LINE, linewidth=0.8)
    axes[-1, 0].set_xticks(range(len(words)), labels, rotation=60, ha="right")
    if marked is not None:
        for label in np.array(axes[-1, 0].get_xticklabels())[marked]:
            label.set_weight("bold")
    if right_to_left(" ".join(words)):
        axes[-1, 0].invert_xaxis()
    return figure


def word_rows(
    words: list[str],
    weights: dict[str, np.ndarray],
    marked: np.ndarray | None = None,
    colours: tuple[str, ...] = SERIES,
) -> Figure:
    """What `bars` draws as it fits a phone: a row a word, from the first down, a panel a kind of weight.

    Up to three panels stand beside one another, of more two. marked: as `bars` takes it. colours: of the
    panels, one after another.
    """
    part, labels = stretch(words, [*weights.values()])
    y, columns = np.arange(len(labels)), len(weights) if len(weights) <= 3 else 2
    lines = math.ceil(len(weights) / columns)
    size = WIDTH, lines * (0.19 * len(labels) + 0.9)
    figure, axes = plt.subplots(lines, columns, figsize=size, sharey=True, squeeze=False)
    for i, (ax, (name, values)) in enumerate(zip(axes.flat, weights.items(), strict=False)):
        look = {"color": colours[i % len(colours)], "hatch": HATCHES[i % len(HATCHES)], "edgecolor": PAPER}
        if marked is not None:
            look = {"color": [INK if one else REPORTED for one in np.asarray(marked)[part]]}
        ax.barh(y, np.asarray(values)[part], **look)
        ax.axvline(0, color=LINE, linewidth=0.8)
        ax.set_title("\n".join(textwrap.wrap(name, 40 // columns)), loc="left", fontsize=SMALL)
        ax.set_ylim(len(labels) - 0.4, -0.6)
        ax.xaxis.set_major_locator(MaxNLocator(6 // columns, steps=[1, 2, 5, 10]))
        ax.tick_params(labelsize=SMALL)
        scale_above(ax)
    for ax in axes.flat[len(weights) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_yticks(y, labels)
        for k in np.flatnonzero(np.asarray(marked)[part]) if marked is not None else ():
            ax.get_yticklabels()[k].set_weight("bold")
    return figure


def stretch(words: list[str], rows: list[np.ndarray]) -> tuple[slice, list[str]]:
    """Which words of a text are shown, SHOWN at most, and their labels, with dots where the text goes on."""
    part = fullest(rows, SHOWN)
    labels = [text_for(word, "figure") for word in words[part]]
    if part.start > 0:
        labels[0] = f"… {labels[0]}"
    if part.stop < len(words):
        labels[-1] = f"{labels[-1]} …"
    return part, labels


def fullest(rows: list[np.ndarray], count: int) -> slice:
    """The `count` words in a row that have most of the rows, each taken as shares of its sum.

    Of stretches that have nearly as much the first of the text, or else the middle one: what counts is seen
    with words on either side.
    """
    shares = np.zeros(len(rows[0]))
    for values in rows:
        sizes = np.abs(values)
        shares += sizes / sizes.sum() if sizes.sum() > 0 else 0
    if len(shares) <= count:
        return slice(0, len(shares))
    lies = np.convolve(shares, np.ones(count), "valid")
    starts = np.flatnonzero(lies >= 0.98 * lies.max())
    start = 0 if starts[0] == 0 else int(starts[len(starts) // 2])
    return slice(start, start + count)


def broken(label: str) -> str:
    """A long axis label on two lines."""
    middle = label.find(" ", len(label) // 2 - 2)
    return label if len(label) < 32 or middle < 0 else f"{label[:middle]}\n{label[middle + 1 :]}"


def percent(share: float) -> str:
    """A share in words: only nothing is called 0, and only all of it 100 %."""
    if 0 < share < 0.01:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 - 1e-9 else f"{share:.0%}"


def named_above(ax, places, names: list[str], up: float) -> None:
    """Name the rows of a panel above them, where it is too narrow for names beside them. up: how far."""
    ax.set_yticks(np.asarray(places) - up, names, ha="left", fontsize=SMALL)
    ax.tick_params(axis="y", length=0, pad=0)
    ax.spines["left"].set_visible(False)


def scale_above(ax) -> None:
    """The scale of a panel of many rows stands above it: on a phone its foot may be a screen away."""
    ax.xaxis.set_label_position("top")
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines["top"].set_visible(True)
    ax.spines["bottom"].set_visible(False)


def legend_below(figure: Figure, ax, columns: int) -> None:
    """A legend under the panels, of what the axes have labels for: these columns, or fewer that fit."""
    handles, labels = ax.get_legend_handles_labels()
    asked = max(min(columns, len(handles), 4), 1)
    for ncols in range(asked, 0, -1):
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if ncols == 1 or box.width < 0.97 * figure.bbox.width:
            break
        legend.remove()
    more = math.ceil(len(handles) / ncols) - math.ceil(len(handles) / asked)
    figure.set_figheight(figure.get_figheight() + 0.2 * more)  # so many lines more
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):  # a cloud's small pale point is no key to its colour
            handle.set(sizes=[30], alpha=1)


FEWEST = 20  # texts that a violin is drawn of
BINS = ("0 – 0.25", "0.25 – 0.5", "0.5 – 0.75", "0.75 – 1")


def peak_bin(max_attention: pd.Series) -> pd.Categorical:
    """The paper's four bins of the highest attention weight; the last is closed on both sides."""
    codes = np.minimum((max_attention.to_numpy() / 0.25).astype(int), 3)
    return pd.Categorical.from_codes(codes, BINS, ordered=True)


def violins(
    tables: dict[str, pd.DataFrame],
    column: str,
    classes,
    limits: tuple[float, float],
    exact: bool = True,
    of_encoders: bool = True,
) -> Figure:
    """Figures 3 and 5: a measure (x) by bins of the highest attention (y) and predicted class.

    tables: a panel each, by the encoder's name (`""` for one alone), or by its title if not of_encoders.
    """
    numbers = violin_numbers(tables, column, classes)
    return draw_violins(numbers, column, classes, limits, exact, of_encoders)


def violin_numbers(tables: dict[str, pd.DataFrame], column: str, classes) -> Numbers:
    """How many texts of each panel and predicted class are in each bin of the highest attention weight, and
    there the quantiles of a measure; of texts that have it."""
    found = {}
    for name, table in tables.items():
        for _, _, group in groups(classes):
            shown = rows_of(table, group)[["max_attention", column]].dropna()
            peak = peak_bin(shown["max_attention"])
            found[name, group, "texts"] = [int((peak == bin).sum()) for bin in BINS]
            for bin in BINS:
                found[name, group, f"{column} of peak {bin}"] = quantiles(shown.loc[peak == bin, column])
    return rounded(found)


def draw_violins(
    numbers: Numbers,
    column: str,
    classes,
    limits: tuple[float, float],
    exact: bool = True,
    of_encoders: bool = True,
) -> Figure:
    """What `violins` draws, of `violin_numbers`."""
    names, shown = names_of(numbers, "panel"), groups(classes)
    size = (7.2, 3.6) if len(names) == 1 else (3.6 * len(names), 3.8)
    figure, axes = plt.subplots(1, len(names), figsize=size, sharex=True, squeeze=False)
    half = 0.4 / len(shown)  # of the height of a violin, where bins are 1 apart
    for ax, name in zip(axes.flat, names, strict=True):
        total = np.zeros(len(BINS))
        for c, label, group in shown:
            texts = counts(numbers, (name, group, "texts"), len(BINS))
            for i, bin in enumerate(BINS):
                length = len(PROBABILITIES) if texts[i] else 0
                values = ordered(numbers, (name, group, f"{column} of peak {bin}"), length)
                if length:
                    middle = i + half * (len(shown) - 1 - 2 * c)  # the first class is the highest
                    if texts[i] < FEWEST:
                        draw_dots(ax, values, int(texts[i]), middle, colour_of(c, classes))
                    else:
                        draw_violin(ax, values, texts[i], middle, half, colour_of(c, classes))
            if len(shown) > 1:
                look = {"facecolor": colour_of(c, classes), "edgecolor": NOTE, "linewidth": 0.9}
                ax.fill_between([], [], label=label, **look)  # for the legend
            total += texts
        ax.set_yticks(range(len(BINS)), [f"{bin}\n{n:.0f} texts" for bin, n in zip(BINS, total, strict=True)])
        title = title_of(name) if of_encoders else name
        ax.set(xlim=limits, ylim=(-0.5, len(BINS) - 0.5), title=title)
        ax.set_xlabel(broken(label_of(column, exact)))
    axes[0][0].set_ylabel(MEASURES["max_attention"].label)
    legend_below(figure, axes[0][0], len(classes))
    return figure


def draw_dots(ax, values: np.ndarray, texts: int, middle: float, colour: str) -> None:
    """A dot for each of a few texts, at evenly spaced quantiles: of so few no density is to be had."""
    at = np.interp((np.arange(texts) + 0.5) / texts, PROBABILITIES, values)
    ax.plot(at, np.full(texts, middle), "o", markersize=4, color=colour, markeredgecolor=NOTE, alpha=0.8)


def draw_violin(ax, values: np.ndarray, texts: float, middle: float, half: float, colour: str) -> None:
    """The density of values whose quantiles these are, from the smallest to the largest, with its quartiles.

    It is a kernel density, with Scott's width for so many texts, of a thousand values with these quantiles.
    Where all are equal it is a line.
    """
    if np.ptp(values) < 1e-9:
        ax.plot(values[[0, 0]], [middle - half, middle + half], color=NOTE, linewidth=0.9)
        return
    sample = np.interp(np.linspace(0, 1, 1000), PROBABILITIES, values)
    density = gaussian_kde(sample, texts**-0.2)
    grid = np.linspace(values[0], values[-1], 100)
    height = density(grid)
    scale = half / height.max()
    ax.fill_between(
        grid,
        middle - scale * height,
        middle + scale * height,
        facecolor=colour,
        edgecolor=NOTE,
        linewidth=0.9,
    )
    for share, line in ((0.25, LINES[2]), (0.5, LINES[1]), (0.75, LINES[2])):
        quartile = np.interp(share, PROBABILITIES, values)
        reach = scale * density(quartile)[0]
        ax.plot([quartile, quartile], [middle - reach, middle + reach], line, color=INK, linewidth=0.9)
