"""Chapter 02: rankings held against one another, and against the truth."""

from collections import Counter
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import rankdata

from heed.measures import rankings
from heed.measures.correlation import PAIRS
from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, REPORTED, SERIES
from heed.show.figures.common import (
    colour_of,
    draw_histograms,
    groups,
    histogram_numbers,
    legend_below,
)
from heed.show.figures.numbers import Numbers, counts, names_of
from heed.show.sentences import counted, signed
from heed.show.style import MARKERS, OF_VECTORS
from heed.show.words import text_for

TRAINED = {
    "paper": "trained as the paper says",
    "paper2019": "trained as in the authors' early code",
}  # by profile
PHONE = 3.7  # inches that a phone shows at once
LISTED = 24  # words of a text that are drawn in order
BEHIND = 0.2  # half of the room for a word in the middle column, of the way between two columns
BELOW_CHANCE = 0.4  # an AUROC from which on its axis is drawn, if nothing lies below
TICK = {"linestyle": "", "markersize": 9, "markeredgewidth": 1.8}  # of a published number
TICKS = "tick in the pair's colour: Jain & Wallace"
TAU = {"limits": (-1, 1), "bins": 30}
# Chapter 02: a pair of rankings, and a ranking, has its colour in every figure, and nothing else has it.
PAIR_OF = {
    "tau_gradient": "attention and gradient",
    "tau_loo": "attention and leave-one-out",
    "tau_gradient_loo": "gradient and leave-one-out",
}
TESTED = "tau_loo"  # what the first page's test 1 asks for
OF_PAIRS = dict(zip(PAIR_OF.values(), SERIES, strict=False))
SINGLE = dict(zip(("attention", "gradient", "leave-one-out"), SERIES[len(OF_PAIRS) :], strict=True))
# All else is black or grey.
GREYS = dict(zip(OF_VECTORS.values(), (INK, NOTE, INK), strict=True))
APART = OF_PAIRS | SINGLE | GREYS | {"accuracy": NOTE}
MARKED = {"leave-one-out": "o"}  # a line that others cover


def correlations(tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")) -> Figure:
    """Figure 2: histograms of Kendall's τ, 30 bins on [-1, 1]; a row an encoder, by its name."""
    return draw_correlations(correlation_numbers(tables, classes, columns), classes)


def correlation_numbers(
    tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")
) -> Numbers:
    """Figure 2's bins."""
    return histogram_numbers(tables, classes, columns, **TAU)


def draw_correlations(numbers: Numbers, classes) -> Figure:
    """What `correlations` draws, of `correlation_numbers`; a triangle at each class's mean, to a bin.

    A later class has a smaller one, so that both are seen where they coincide. Above the columns stands what
    is compared.
    """
    figure = draw_histograms(numbers, classes, **TAU)
    figure.set_layout_engine("constrained", w_pad=0.12)
    edges = np.linspace(*TAU["limits"], TAU["bins"] + 1)
    panels = [(name, of) for name in names_of(numbers, "panel") for of in names_of(numbers, "quantity")]
    for ax, (name, column) in zip(figure.axes, panels, strict=True):
        for c, _, group in groups(classes):
            texts = counts(numbers, (name, group, column), TAU["bins"])
            if texts.sum():
                mean = texts @ (edges[:-1] + edges[1:]) / 2 / texts.sum()
                look = {
                    "color": colour_of(c, classes),
                    "markeredgecolor": INK,
                    "markersize": max(5, 10 - 4 * c),
                }
                ax.plot(mean, 0, "^", clip_on=False, zorder=4 + c, **look)
        ax.set_ylim(bottom=0)
    columns = names_of(numbers, "quantity")
    for top, bottom, column in zip(figure.axes, figure.axes[-len(columns) :], columns, strict=False):
        if column in PAIR_OF:
            top.set_title(PAIR_OF[column])
            bottom.set_xlabel("Kendall τ")
    return figure


def taus_on_real_text(
    real: pd.DataFrame,
    reported: Mapping[tuple[str, str], Sequence[float]] | None = None,
    scale: Mapping[str, float] | None = None,
) -> Figure:
    """Three τ on real text, a row a model and pair of rankings: the mean over seeds, and each seed.

    The models of one profile and kind of vectors stand together. real: a row a model, with its encoder,
    vectors, profile and number of seeds, a column of means and one of the seeds' numbers for each pair.
    reported: published numbers by encoder and pair, ticks of the pair's colour. scale: as `_scaled` has it.
    It fits a phone.
    """
    pairs = dict(zip(("gradient", "loo", "both"), OF_PAIRS, strict=True))
    kinds = real.groupby(["profile", "vectors"], sort=False)
    figure, ax = plt.subplots(figsize=(PHONE, 0.55 * len(real) + 0.4 * kinds.ngroups + 1.3))
    at, names = 0.0, {}
    for (profile, vectors), own in kinds:
        where = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8}
        look = {"weight": "bold", "bbox": {"color": PAPER, "pad": 1}}
        ax.annotate(
            f"{vectors},\n{TRAINED.get(profile, f'profile {profile}')}", (0.035, at + 0.05), **where, **look
        )
        for row in own.to_dict("records"):
            at += 1
            for j, (name, label) in enumerate(pairs.items()):
                y, seeds = at + 0.31 * (j - 1), row[f"{name}_seeds"]
                look = {"color": OF_PAIRS[label], "marker": MARKERS[j], "linestyle": ""}
                if theirs := (reported or {}).get((row["encoder"], name)):
                    ax.plot(theirs, [y] * len(theirs), "|", color=OF_PAIRS[label], **TICK)
                ax.plot(seeds, [y] * len(seeds), markersize=3.5, alpha=0.5, fillstyle="none", **look)
                ax.plot(row[name], y, markersize=6, label=None if names else label, **look)
                _number(ax, row[name], y, OF_PAIRS[label])
            names[at] = f"{row['encoder']}\n{counted(row['seeds'], 'seed')}"
        at += 0.8
    if reported:
        ax.plot([], [], "|", color=INK, label=TICKS, **TICK)
    ax.annotate("mean", (1.02, 0.12), xycoords=("axes fraction", "data"), va="center", color=NOTE, fontsize=8)
    ax.set_yticks([*names], [*names.values()], fontsize=8.5)
    ax.axvline(0, color=LINE, linewidth=0.8, zorder=0)
    low = min(0, *[min(seeds) for name in pairs for seeds in real[f"{name}_seeds"]])
    ax.set(xlim=(low - 0.02, 1), ylim=(at - 0.2, -0.5), xlabel="mean Kendall τ over the test texts")
    _scaled(ax, scale or {})
    _key_above(ax)
    return figure


def _number(ax, value: float, y: float, colour: str) -> None:
    """A number to two digits at the right of its row."""
    where = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8.5}
    ax.annotate(signed(value), (1.02, y), color=colour, annotation_clip=False, **where)


def _scaled(ax, scale: Mapping[str, float]) -> None:
    """What a τ is called, above an axis of τ: thin lines between the words.

    scale: each word to where it ends, the smallest first; the first begins at 0.
    """
    begin = 0.0
    for word, end in scale.items():
        where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "color": NOTE}
        ax.annotate(word, ((begin + end) / 2, 1.005), fontsize=8.5, **where)
        if end < ax.get_xlim()[1]:
            ax.axvline(end, color=LINE, linewidth=0.8, linestyle=":", zorder=0)
        begin = end


def taus_by_corpus(rows: Sequence[Mapping], scale: Mapping[str, float] | None = None) -> Figure:
    """Three τ on each corpus, a row a corpus and τ: the mean, its seeds' range, published numbers.

    rows: an entry a corpus: its name, what it is, its seeds, to each τ the mean with its ends, and the
    published numbers, ticks of the same colour, and the interval of TESTED, thin, cut off at the panel's
    edge; as `show.correlation.drawn_by_corpus` gives them. scale: as `_scaled` has it. A corpus's name stands
    over its rows. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(PHONE, 0.66 * len(rows) + 1.6))
    low = 0.0
    for i, row in enumerate(rows):
        name = ": ".join(filter(None, (text_for(row["name"], "figure"), row["what"])))
        where = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8}
        ax.annotate(f"{name} ({counted(row['seeds'], 'seed')})", (0.03, i - 0.33), **where)
        for j, (measure, ((mean, *ends), theirs)) in enumerate(row["taus"].items()):
            y, label = i - 0.08 + 0.22 * j, PAIR_OF[measure]
            look = {"color": OF_PAIRS[label]}
            ax.plot(ends, [y, y], linewidth=2.5, **look)
            if measure == TESTED:
                ax.plot(row["interval"], [y] * len(row["interval"]), linewidth=0.8, **look)
            ax.plot(mean, y, MARKERS[[*PAIR_OF].index(measure)], markersize=5.5, linestyle="", **look)
            ax.plot(theirs, [y] * len(theirs), "|", **TICK, **look)
            _number(ax, mean, y, OF_PAIRS[label])
            low = min([low, *ends, *theirs])
    for measure in dict.fromkeys(measure for row in rows for measure in row["taus"]):
        look = {"color": OF_PAIRS[PAIR_OF[measure]], "marker": MARKERS[[*PAIR_OF].index(measure)]}
        ax.plot([], [], linestyle="-", linewidth=2.5, markersize=6, label=PAIR_OF[measure], **look)
    if any(row["interval"] for row in rows):
        look = {"color": OF_PAIRS[PAIR_OF[TESTED]], "linewidth": 0.8}
        ax.plot([], [], label=f"95 % interval of {PAIR_OF[TESTED]}", **look)
    ax.plot([], [], "|", color=INK, label=TICKS, **TICK)
    ax.set_yticks([])
    for i in range(1, len(rows)):
        ax.axhline(i - 0.49, color=GRID, linewidth=0.8, zorder=0)
    ax.axvline(0, color=LINE, linewidth=0.8, zorder=0)
    ax.set(xlim=(low - 0.02, 1), ylim=(len(rows) - 0.49, -0.52), xlabel="mean Kendall τ over the test texts")
    _scaled(ax, scale or {})
    _key_above(ax)
    return figure


def _key_above(ax) -> None:
    """A legend above the words of `_scaled`: what a reader meets first."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=8.5, borderaxespad=2, borderpad=0)


def orders(words: Sequence[str], kinds: Mapping[str, np.ndarray], marked: np.ndarray | None = None) -> Figure:
    """The words of one text in the order of three rankings, a column each, most at the top; lines join them.

    So a pair of words that two neighbouring columns order otherwise is a pair of lines that cross; above
    them stands how many do. Words with the same number stand at one height. Of a longer text the LISTED words
    that the ranking in the middle puts first are drawn. marked: which words are told apart: dark and bold.
    Words that recur are numbered. It fits a phone.
    """
    words = numbered(words)
    values = np.array([*kinds.values()])
    first = np.sort(np.argsort(-values[1], kind="stable")[:LISTED])
    places = rankdata(-values[:, first], axis=1)
    slots = rankdata(-values[:, first], "ordinal", axis=1)  # where names stand: each on a line of its own
    dark = np.ones(len(first), bool) if marked is None else np.asarray(marked)[first]
    figure, ax = plt.subplots(figsize=(PHONE, 0.17 * len(first) + 1))
    for k, word in enumerate(words[i] for i in first):
        look = (
            {"color": INK, "linewidth": 1.6}
            if dark[k]
            else {"color": REPORTED, "alpha": 0.5, "linewidth": 0.9}
        )
        # A line runs level behind its word in the middle, and meets no other there.
        heights = places[[0, 1, 1, 2], k]
        ax.plot([0, 1 - BEHIND, 1 + BEHIND, 2], heights, zorder=2 + dark[k], **look)
        ax.plot([0, 2], places[[0, 2], k], "o", markersize=3, zorder=2 + dark[k], **look)
        name = {
            "va": "center",
            "fontsize": 8,
            "weight": "bold" if dark[k] and marked is not None else "normal",
        }
        ax.text(-0.08, slots[0, k], text_for(word, "figure"), ha="right", **name)
        middle = {"ha": "center", "bbox": {"color": PAPER, "pad": 0.6}, "zorder": 4}
        ax.text(1, slots[1, k], text_for(word, "figure"), **middle, **name)
        ax.text(2.08, slots[2, k], text_for(word, "figure"), **name)
    for column, label in enumerate(kinds):
        ax.text(column, -1.1, label, ha="center", va="bottom", fontsize=9)
    upper = np.triu_indices(values.shape[1], 1)
    ways = np.sign(values[:, upper[0]] - values[:, upper[1]])
    for left in range(2):
        many = int((ways[left] * ways[left + 1] < 0).sum())
        at = {"ha": "center", "va": "bottom", "fontsize": 8, "color": NOTE}
        ax.text(left + 0.5, 0.5, f"{many} of {len(upper[0])}\npairs cross", **at)
    if len(first) < len(words):
        ax.set_xlabel(f"of {len(words)} words those that {[*kinds][1]} puts first", fontsize=8)
    ax.set(xlim=(-0.1, 2.1), ylim=(len(first) + 0.6, -1.2), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    return figure


def numbered(words: Sequence[str]) -> list[str]:
    """The words; one that recurs with its number, as `the 2`."""
    many, seen = Counter(words), Counter()
    found = []
    for word in words:
        seen[word] += 1
        found.append(f"{word} {seen[word]}" if many[word] > 1 else word)
    return found


def pairs(overall: pd.DataFrame) -> Figure:
    """The mean τ of each pair of rankings over the texts that have one, with its interval.

    The pairs with attention come first, then the others; of both the highest τ first. overall: the
    summary's rows of all texts, by measure; pairs without a τ are left out. At the right the
    share of texts in which τ is significant.
    """
    compared = rankings.compared()
    shown = [name for name in PAIRS if name in overall.index and overall["mean"].notna()[name]]
    shown.sort(key=lambda name: (PAIRS[name][0] != "attention", -overall["mean"][name]))
    figure, ax = plt.subplots(figsize=(7, 0.27 * len(shown) + 0.9))
    for i, name in enumerate(shown):
        own, place = overall.loc[name], [*PAIR_OF].index(name) if name in PAIR_OF else len(PAIR_OF)
        look = {"color": OF_PAIRS.get(PAIR_OF.get(name), NOTE), "marker": MARKERS[place]}
        ax.plot(own[["low", "high"]], [i, i], color=look["color"])
        ax.plot(own["mean"], i, linestyle="", **look)
        ax.annotate(f"{own['significant']:.0%}", (1.02, i), xycoords=("axes fraction", "data"), va="center")
    ax.annotate("significant", (1.02, -0.9), xycoords=("axes fraction", "data"), va="center", color=NOTE)
    names = [" and ".join(compared[one].label for one in PAIRS[name]) for name in shown]
    ax.set_yticks(range(len(shown)), names)
    ax.axvline(0, color=LINE, linewidth=0.8)
    low, high = min([0, *overall.loc[shown, "low"]]), max([0, *overall.loc[shown, "high"]]) if shown else 1
    ax.set(
        xlim=(low - 0.02, high + 0.02),
        ylim=(len(shown) - 0.5, -1.3),
        xlabel="mean Kendall τ, 95 % interval over texts",
    )
    return figure


def truth(summary: pd.DataFrame, others: pd.DataFrame, names: Sequence[str]) -> Figure:
    """How well rankings find the deciding tokens: mean AUROC, a row a ranking of those that have one.

    others: the means of the same model with other seeds, a row a seed; with them each seed is drawn, too.
    Of one seed its 95 % interval over texts. It fits a phone.
    """
    rows = summary[summary["class"] == "overall"].set_index("measure")
    shown = [rankings.compared()[name] for name in names if f"auroc_{name}" in rows.index]
    figure, ax = plt.subplots(figsize=(PHONE, 0.36 * len(shown) + 1.3))
    low = BELOW_CHANCE
    for i, ranking in enumerate(shown):
        own = rows.loc[f"auroc_{ranking.name}"]
        found = [own["mean"], *others.get(f"auroc_{ranking.name}", [])]
        low = min([low, own["low"] - 0.03, *(one - 0.03 for one in found)])
        if len(found) > 1:
            seeds = {"color": NOTE, "markersize": 5, "fillstyle": "none", "label": None if i else "a seed"}
            ax.plot(found, [i] * len(found), "o", **seeds)
        else:
            ax.plot(own[["low", "high"]], [i, i], color=INK, label=None if i else "95 % interval over texts")
        ax.plot(np.mean(found), i, "D", color=INK, markersize=7, label=None if i else "mean")
        _number(ax, np.mean(found), i, INK)
    seeds = counted(len(others) + 1, "seed")
    ax.set(xlim=(low, 1.02), ylim=(len(shown) - 0.5, -0.5), xlabel=f"AUROC of the deciding words ({seeds})")
    ax.set_yticks(range(len(shown)), [ranking.label for ranking in shown])
    ax.axvline(0.5, color=LINE, linewidth=0.8, zorder=0)
    where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
    ax.annotate("chance", (0.5, 1), color=NOTE, fontsize=8.5, **where)
    legend_below(figure, ax, 2)
    return figure
