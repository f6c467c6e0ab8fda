"""Chapter 03: what permuting does, and what explains it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from heed.experiments.permutation import PEAK, STILL
from heed.measures.registry import MEASURES
from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import (
    FEWEST,
    SMALL,
    WIDTH,
    broken,
    colour_of,
    draw_dots,
    draw_violin,
    groups_of,
    legend_below,
)
from heed.show.figures.numbers import quantiles
from heed.show.style import LABELS, MARKERS
from heed.show.words import text_for

FLOOR = 0.001  # smaller median changes are drawn there
KINDS = INK, SERIES[2]  # colours of what isn't the two ways to stay or to move
ROWS = 24  # words of a text that has a row a word


def shuffles(words: list[str], own: int, values: np.ndarray | None, one: pd.DataFrame) -> Figure:
    """One text's shuffles: a row a word on which the highest weight fell, a dot a shuffle, how far it moved.

    own: the place of the word on which the model has it, which its row says. A word that occurs twice has
    a number.

    The dashed line is the change up to which a shuffle counts as hardly moving the prediction. values: each
    word's, which order the rows and stand at their right; None of a model without, where the text's order
    does. Of a text of more than ROWS words all dots are in one row. one: `show.permutation.of_one`'s.
    """
    long = len(words) > ROWS
    order = [*range(len(words))] if values is None else [*np.argsort(-values, kind="stable")]
    row_of = np.zeros(len(words)) if long else np.argsort(order)
    rows = 1 if long else len(words)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.22 * max(rows, 4) + 1.1))
    place = row_of[one["word"]]
    nth = one.groupby(place)["change"].rank(method="first") - 1  # so that equal dots lie beside one another
    y = place + (nth % 5 - 2) * (0.15 if not long else 0.1)
    for i, those in enumerate((one["change"] <= STILL, one["change"] > STILL)):
        ax.plot(one.loc[those, "change"], y[those], MARKERS[i], color=SERIES[i], markersize=4, alpha=0.7)
        said = f"{those.sum()} {'hardly ' * (i == 0)}move it"
        ax.annotate(said, (STILL, 1.02),
                    (-3 if i == 0 else 3, 0), xycoords=("data", "axes fraction"), va="bottom",
                    textcoords="offset points", ha="right" if i == 0 else "left", color=SERIES[i],
                    fontsize=SMALL, annotation_clip=False)  # fmt: skip
    ax.axvline(STILL, color=INK, linewidth=0.8, linestyle="--")
    if not long:
        names = [text_for(word, "figure") for word in _told_apart(words)]
        ax.set_yticks(
            range(rows),
            [f"model's own peak: “{names[i]}”" if i == own else names[i] for i in order],
            fontsize=SMALL,
        )
        ax.set_ylabel("the highest weight fell on")
    else:
        ax.set_yticks([])
    if values is not None and not long:
        look = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right",
                "va": "center", "fontsize": SMALL, "color": NOTE, "annotation_clip": False}  # fmt: skip
        ax.annotate("value", (1, -1), (34, 0), **look)
        for at, i in enumerate(order):
            ax.annotate(f"{values[i]:.1f}".replace("-", "−"), (1, at), (34, 0), **look)
    ax.set(xlim=(-0.03, 1.02), ylim=(rows - 0.5, -0.5))
    ax.set_xlabel("change of the prediction (TVD)")
    return figure


def _told_apart(words: list[str]) -> list[str]:
    """The words, those that occur more than once with the number of each time: `the (2)`."""
    return [
        f"{word} ({words[: i + 1].count(word)})" if words.count(word) > 1 else word
        for i, word in enumerate(words)
    ]


def by_peak(table: pd.DataFrame, visible: pd.Series, classes, notes: dict[bool, str], one: int) -> Figure:
    """The paper's figure 3 by shuffles: each text's highest attention weight (x), and in which share of its
    shuffles the prediction moves (y): up to half of them it stays.

    notes: what is said of the peaked texts (True) and of the others. one: the index of the text that is
    ringed. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.8))
    _points(ax, table.assign(visible=visible), classes, "max_attention", "visible")
    ax.plot(table["max_attention"][one], visible[one], "o", markersize=10, fillstyle="none", color=INK)
    ax.annotate("the text above", (table["max_attention"][one], visible[one]), (0, -26), va="top",
                textcoords="offset points", ha="center", fontsize=SMALL,
                arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.8, "shrinkB": 5})  # fmt: skip
    ax.axvline(PEAK, color=LINE, linewidth=0.8)
    ax.axhline(0.5, color=LINE, linewidth=0.8)
    _named_sides(ax, 0.5)
    for is_peaked, note in notes.items():
        ax.annotate(note, (PEAK, 1.02), (4 if is_peaked else -4, 0), textcoords="offset points",
                    xycoords=("data", "axes fraction"), ha="left" if is_peaked else "right", va="bottom",
                    color=NOTE, fontsize=SMALL, annotation_clip=False)  # fmt: skip
    ax.set(xlim=(0, 1.02), ylim=(-0.03, 1.03), xlabel=MEASURES["max_attention"].label)
    ax.set_ylabel(f"shuffles that move the\nprediction by more than {STILL:g}")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    legend_below(figure, ax, len(classes))
    return figure


def stays(found: pd.DataFrame) -> Figure:
    """How many texts stay, a row a corpus and encoder: of those with peaked attention, and of the others.

    Lines are 95% intervals over texts. found: `show.permutation.stays_by_peak`'s. It fits a phone.
    """
    pairs = list(dict.fromkeys(zip(found["corpus"], found["encoder"], strict=True)))
    figure, ax = plt.subplots(figsize=(WIDTH, 0.44 * len(pairs) + 1.3))
    for i, (is_peaked, label) in enumerate({True: "peaked texts", False: "others"}.items()):
        rows = found[found["peaked"] == is_peaked].set_index(["corpus", "encoder"]).loc[pairs]
        y = np.arange(len(pairs)) + 0.34 * (i - 0.5)
        around = rows["share"] - rows["low"], rows["high"] - rows["share"]
        look = {"color": KINDS[i], "marker": MARKERS[i], "linestyle": ""}
        ax.errorbar(rows["share"], y, xerr=around, linewidth=1, markersize=6, label=label, **look)
        for at, row in zip(y, rows.itertuples(), strict=True):
            ax.annotate(f"{row.share:.0%} of {row.texts:,}", (1.02, at), xycoords=("axes fraction", "data"),
                        va="center", color=KINDS[i], fontsize=SMALL)  # fmt: skip
    names = [f"{text_for(corpus, 'figure')},\n{LABELS[encoder]}" for corpus, encoder in pairs]
    ax.set_yticks(range(len(pairs)), names, fontsize=SMALL)
    ax.set(xlim=(0, max(0.7, 1.05 * found["high"].max())), ylim=(len(pairs) - 0.5, -0.5))
    ax.set_xlabel(f"share of texts that stay\n(median change at most {STILL:g})")
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    _key_above(ax, 2)
    return figure


def explained(table: pd.DataFrame, classes, found: dict[str, str]) -> Figure:
    """What permuting does to the logit, exactly, against each of the three numbers that explain it.

    found: each number's rank correlation with it, as text, to stand above its panel.
    """
    labels = {"alignment": "alignment |ρ|", "dispersion": "dispersion R", "peakiness": "peakiness A"}
    figure, axes = plt.subplots(1, len(labels), figsize=(7, 2.8), sharey=True)
    without_sign = table.assign(alignment=table["alignment"].abs())
    for ax, (name, label) in zip(axes, labels.items(), strict=True):
        _points(ax, without_sign, classes, name, "rms_logit")
        ax.set(xlabel=label)
        if name in found:
            said = f"rank correlation\n{found[name]}"
            ax.annotate(said, (0.5, 1.02), xycoords="axes fraction", ha="center", va="bottom", color=NOTE)
    axes[0].set_ylabel(MEASURES["rms_logit"].label)
    legend_below(figure, axes[0], len(classes))
    return figure


def outcomes(found: pd.DataFrame) -> Figure:
    """What becomes of the shuffles of some kinds of texts: a bar of three parts each.

    found: `show.permutation.outcomes`'s, a row at least. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(found) + 1.2))
    parts = {
        "alike": "neither moves much",
        "hidden": "only the logit moves",
        "visible": "the prediction moves",
    }
    left = np.zeros(len(found))
    for (part, label), colour in zip(parts.items(), (LINE, SERIES[0], SERIES[1]), strict=True):
        shares = found[part].to_numpy()
        ax.barh(range(len(found)), shares, 0.66, left, color=colour, edgecolor=PAPER, label=label)
        for y, (share, start) in enumerate(zip(shares, left, strict=True)):
            if share > 0.05:
                ink = INK if colour == LINE else PAPER
                ax.annotate(f"{share:.0%}", (start + share / 2, y), ha="center", va="center", color=ink,
                            fontsize=SMALL if share > 0.08 else 7)  # fmt: skip
        left += shares
    names = [f"{kind}\n({texts})" for kind, texts in zip(found["kind"], found["texts"], strict=True)]
    ax.set_yticks(range(len(found)), names, fontsize=SMALL)
    ax.set(xlim=(0, 1), ylim=(len(found) - 0.5, -0.5), xlabel="share of shuffles")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    _key_above(ax, 1)
    return figure


def _key_above(ax, columns: int) -> None:
    """A legend right above the panel, where a reader begins."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, fontsize=SMALL, borderaxespad=0.2)


def alike(table: pd.DataFrame, classes) -> Figure:
    """How nearly each text's states lie along one line (x), and its median change (y).

    table: `permutation`'s, with conicity.
    """
    figure, ax = plt.subplots(figsize=(6.4, 2.8))
    _points(ax, table, classes, "conicity", "median_change")
    _changes(ax)
    ax.set(xlabel="conicity of the text's states")
    legend_below(figure, ax, len(classes))
    return figure


def _changes(ax) -> None:
    """A y-axis of median changes, by powers of ten, with the line up to which a text stays."""
    ax.set_yscale("log")
    ax.set(ylim=(0.8 * FLOOR, 1.2))
    ax.set_yticks([FLOOR, 0.01, 0.1, 1], [f"≤ {FLOOR:g}", "0.01", "0.1", "1"])
    ax.set_ylabel("median change of\nthe prediction (TVD)")
    ax.axhline(STILL, color=LINE, linewidth=0.8)
    _named_sides(ax, STILL)


def _named_sides(ax, height: float) -> None:
    """What a text above this height does, and one below it, at the right of the panel."""
    for name, va, by in (("moves", "bottom", 2), ("stays", "top", -2)):
        ax.annotate(name, (1, height), (3, by), xycoords=("axes fraction", "data"), va=va, color=NOTE,
                    textcoords="offset points", fontsize=SMALL)  # fmt: skip


def _points(ax, table: pd.DataFrame, classes, x: str, y: str) -> None:
    """Each text as a point, by predicted class; a change below FLOOR stands there."""
    for c, group, rows in groups_of(table, classes):
        look = {"color": colour_of(c, classes), "marker": MARKERS[c], "linewidth": 0}
        heights = rows[y].clip(lower=FLOOR) if y == "median_change" else rows[y]
        ax.scatter(rows[x], heights, s=14, alpha=0.7, rasterized=True, label=group, **look)


def one_word(table: pd.DataFrame, classes) -> Figure:
    """By predicted class, how far shuffling moves each text and how far attention is free.

    table: with `median_change` and `optimum`, a row a text; a line at each class's mean.
    """
    limits = {"median_change": 1, "optimum": np.log(2)}
    groups = [(c, label, rows) for c, label, rows in groups_of(table, classes) if len(rows)]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 0.9 * len(groups) + 1.1), sharey=True)
    for ax, (column, most) in zip(axes, limits.items(), strict=True):
        for i, (c, _, rows) in enumerate(groups):
            values = rows[column]
            if len(values) < FEWEST:
                draw_dots(ax, quantiles(values), len(values), i, colour_of(c, classes))
            else:
                draw_violin(ax, quantiles(values), len(values), i, 0.38, colour_of(c, classes))
            ax.annotate(
                f"mean {values.mean():.2f}",
                (values.mean(), i - 0.42),
                ha="right" if values.mean() > most / 2 else "left",
                va="bottom",
            )
        ax.axvline(most, color=LINE, linewidth=0.8)
        name = "ln 2" if column == "optimum" else f"{most}"
        ax.annotate(f"most possible: {name}", (most, 1), xycoords=("data", "axes fraction"), ha="right",
                    va="bottom", color=NOTE)  # fmt: skip
        ax.set(xlim=(-0.02, most + 0.02), xlabel=broken(MEASURES[column].label))
    axes[0].set_yticks(range(len(groups)), [f"{label}\n{len(rows)} texts" for _, label, rows in groups])
    axes[0].set_ylim(len(groups) - 0.5, -0.8)
    return figure


def aligned_on_real_text(gaps: pd.DataFrame) -> Figure:
    """How much further the better aligned class moves than the other: a row a corpus and encoder, a panel for
    the prediction and one for the logit. To the left of 0, hollow, the other class moves more.

    gaps: `show.permutation.gaps_of_aligned`'s.
    """
    rows = gaps.sort_values(["corpus", "encoder"], key=lambda own: own.map(_place), ignore_index=True)
    y = rows.index + 0.6 * (~rows["corpus"].duplicated()).cumsum()  # a gap between corpora
    panels = {
        "median_change": "median change of\nthe prediction (TVD)",
        "rms_logit": MEASURES["rms_logit"].label,
    }
    size = 7, 0.22 * y.max() + 1.5
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True)
    for ax, (name, label) in zip(axes, panels.items(), strict=True):
        more = rows[name] > 0
        for own, look in ((more, {}), (~more, {"fillstyle": "none"})):
            ax.plot(rows.loc[own, name], y[own], "o", color=SERIES[0] if not look else SERIES[1], **look)
        ax.axvline(0, color=LINE, linewidth=0.8)
        ax.annotate(f"> 0 in {more.sum()} of {len(rows)}", (1, 1), xycoords="axes fraction", ha="right",
                    va="bottom", color=NOTE)  # fmt: skip
        ax.set(xlabel=f"{label},\nbetter minus less aligned class", ylim=(y.max() + 0.7, y.min() - 0.7))
    names = rows["corpus"].map(lambda name: text_for(name, "figure")) + ", " + rows["encoder"].map(LABELS)
    axes[0].set_yticks(y, names)
    return figure


def _place(name: str):
    """Where an encoder stands among the others; any other name as it is."""
    return [*LABELS].index(name) if name in LABELS else name


def over_corpora(found: pd.DataFrame, is_narrow: bool = False) -> Figure:
    """How far a typical shuffle moves the prediction, a row a corpus, from the least to the most.

    Filled: the mean over seeds; hollow: each seed. Corpora with a question have another colour and mark. At
    the right are the mean, the share of peaked texts, and how many of these stay. found:
    `show.permutation.of_corpora`'s, a row at least. is_narrow: it fits a phone.
    """
    figure, ax = plt.subplots(figsize=(WIDTH if is_narrow else 6.4, 0.28 * len(found) + 1.5))
    columns = {30: "mean", 70: "peaked", 112: "of these\nstay"}  # points away
    look = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    look |= {"ha": "right", "fontsize": SMALL, "annotation_clip": False}
    for x, name in columns.items():
        ax.annotate(name, (1, -0.6), (x, 0), color=NOTE, va="bottom", **look)
    for at, row in enumerate(found.to_dict("records")):
        drawn = {"color": KINDS[row["asks"]], "marker": MARKERS[row["asks"]], "linestyle": ""}
        if len(row["seeds"]) > 1:
            ax.plot(
                row["seeds"],
                [at] * len(row["seeds"]),
                markersize=5 if is_narrow else 7,
                fillstyle="none",
                **drawn,
            )
        ax.plot(row["mean"], at, markersize=3 if is_narrow else 4, **drawn)
        still = "–" if np.isnan(row["still"]) else f"{row['still']:.0%}"
        cells = f"{row['mean']:.2f}", f"{row['peaked']:.0%}", still
        for x, cell in zip(columns, cells, strict=True):
            ax.annotate(cell, (1, at), (x, 0), color=KINDS[row["asks"]], va="center", **look)
    if found["asks"].any():
        middle = np.flatnonzero(found["asks"]).mean()
        ax.annotate("questions\nabout stories", (0.04, middle), xycoords=look["xycoords"], va="center",
                    color=KINDS[1], fontsize=SMALL)  # fmt: skip
    names = zip(found["corpus"], found["part"], strict=True)
    labels = [text_for(name, "figure") + " (part)" * bool(part) for name, part in names]
    ax.set_yticks(range(len(found)), labels, fontsize=SMALL)
    ax.grid(axis="y", color=GRID)
    ax.set(xlim=(-0.02, 1), ylim=(len(found) - 0.5, -0.5))
    ax.set_xlabel(f"median change of the{chr(10) if is_narrow else ' '}prediction (TVD)")
    return figure
