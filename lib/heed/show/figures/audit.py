"""Chapter 15: what the audit of a model finds."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.experiments.audit import IMPORTANCE, MOVED, ORDERS, READINGS
from heed.experiments.copying import share_of
from heed.measures import stats
from heed.show.colours import CLASSES, GRID, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below, predicted, tint
from heed.show.sentences import counted
from heed.show.style import LINES, MARKERS

MOVES = {
    "change alone": "one head shuffled",
    "change own": "all heads shuffled",
    "change uniform": "all weights made equal",
}
RESAMPLES = 1000
NEAR = 0.5  # JSD up to which other attention is near: the rule of chapter 14
REPLACING = "replacing words"  # leave-one-out without its gap: `transformers.replaced`
ALIKE = 0.5  # τ from which on two orders are said to agree: three of four pairs of words are in one order

ANSWERS = {"yes": ("met", "o", SERIES[0]), "no": ("not met", "X", SERIES[1]), "open": ("open", "D", NOTE)}


class Expectation(NamedTuple):
    """One of the five as it is drawn: what it says, where it can lie, and where it is met."""

    says: str
    limits: tuple[float, float]
    met: tuple[float, float]  # from and to; one of them is the rule's border
    ends: tuple[str, str, str]  # what stands below the lower limit, the border and the upper limit


def expected(fewer: float = 100) -> list[Expectation]:
    """The five expectations. fewer: the points that the last one's scale has to each side."""
    most = np.log(2)
    shuffled = f"3 Shuffled, it moves most\npredictions by over {MOVED:g}"
    lies, ranks = "1 It lies on words,\nnot on marks", "2 It ranks words as\nleave-one-out does"
    near, flips = (
        "4 No distant alternative\nhas the same prediction",
        "5 Erased in its order,\ndecisions flip sooner",
    )
    return [
        Expectation(lies, (0, 1), (0.5, 1), ("0%", "50%", "100%")),
        Expectation(ranks, (-1, 1), (ALIKE, 1), ("−1", f"{ALIKE:g}", "1")),
        Expectation(shuffled, (0, 1), (0.5, 1), ("0%", "50%", "100%")),
        Expectation(near, (0, most), (0, NEAR), ("0", f"{NEAR:g}", f"{most:.2f}")),
        Expectation(
            flips,
            (-fewer, fewer),
            (0, fewer),
            (f"{fewer:.0f} points later", "as random", f"{fewer:.0f} points sooner"),
        ),
    ]


def expectations(found: pd.DataFrame, holds: Sequence[str]) -> Figure:
    """The five expectations, a strip each on its own scale: the value, its interval, and where it is met.

    found: value, low, high of each, and what is told of it (`audit.ranges`). holds: yes, no or open.
    """
    most = np.nanmax(np.abs([*found[["value", "low", "high"]].iloc[4], 10.0]))
    figure, ax = plt.subplots(figsize=(WIDTH, 0.8 * len(found) + 0.5))
    for y, (rule, answer) in enumerate(zip(expected(10 * np.ceil(most / 10)), holds, strict=True)):
        value, low, high, told = found.iloc[y]
        said, marker, colour = ANSWERS[answer]
        start, whole = rule.limits[0], rule.limits[1] - rule.limits[0]
        met = [(end - start) / whole for end in rule.met]
        border = met[0] if met[0] > 0 else met[1]
        ax.barh(y, 1, 0.26, color=GRID)
        ax.barh(y, met[1] - met[0], 0.26, met[0], color=tint(SERIES[0], 0.3))
        if np.isfinite(value):
            ends = (np.clip([low, high], *rule.limits) - start) / whole
            ax.plot(ends, [y, y], color=colour, linewidth=2.5, solid_capstyle="butt")
            ax.plot((value - start) / whole, y, marker, color=colour, markersize=8, markeredgecolor=PAPER)
        small = {"fontsize": SMALL - 1, "color": NOTE, "va": "top"}
        for x, end, side in zip((0, border, 1), rule.ends, ("left", "center", "right"), strict=True):
            ax.annotate(end, (x, y + 0.17), ha=side, **small)
        above = {"fontsize": SMALL, "va": "bottom"}
        ax.annotate(rule.says, (0, y - 0.18), **above)
        said = "\n".join(filter(None, (said, told)))
        ax.annotate(said, (1, y - 0.18), ha="right", weight="bold", color=colour, **above)
    ax.set(xlim=(-0.02, 1.02), ylim=(len(found) - 0.3, -0.65))
    note = {"color": NOTE, "fontsize": SMALL, "va": "top"}
    ax.annotate("blue: where it is met; lines: 95% intervals over texts", (0, len(found) - 0.5), **note)
    ax.set_axis_off()
    return figure


def agreement(texts: pd.DataFrame, replaced: pd.DataFrame | None = None) -> Figure:
    """Mean τ of attention with each measure of importance, and of these with one another: a row a pair.

    replaced: τ with replacing words, `transformers.replaced`, where that was asked. Bars: 95 % intervals over
    texts. In both groups the largest comes first.
    """
    own = [f"attention {name}" for name in IMPORTANCE]
    pairs = [*own, *(f"{one} {other}" for one, other in combinations(IMPORTANCE, 2))]
    rows = {pair: texts.get(f"tau {pair}", pd.Series(dtype=float)).dropna() for pair in pairs}
    if replaced is not None and len(replaced):
        rows["attention replaced"] = replaced["tau"].dropna()
        beside = {f"{name} replaced": f"tau {name}" for name in IMPORTANCE}
        rows |= {pair: replaced[of].dropna() for pair, of in beside.items() if of in replaced}
    rows = {pair: values for pair, values in rows.items() if len(values) or pair == "attention loo"}
    rows = dict(
        sorted(rows.items(), key=lambda row: (row[0] not in own + ["attention replaced"], -row[1].mean()))
    )
    labels = READINGS | IMPORTANCE | {"replaced": REPLACING}
    names = [" and\n".join(labels[name] for name in pair.split()) for pair in rows]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 1))
    for y, (pair, values) in enumerate(rows.items()):
        i = 0 if pair.startswith("attention") else len(IMPORTANCE)
        if len(values):
            low, high = stats.interval(values.to_numpy(), RESAMPLES, 0)
            ax.plot([low, high], [y, y], color=SERIES[i], linewidth=1.5)
            ax.plot(values.mean(), y, color=SERIES[i], marker=MARKERS[i], linestyle="none", markersize=5)
            at = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL}
            ax.annotate(f"{values.mean():z.2f}", (1.02, y), color=SERIES[i], **at)
    ax.axvline(0, color=LINE, linewidth=0.8)
    at = [*rows].index("attention loo")  # the rule is of attention with leave-one-out alone
    ax.axvline(ALIKE, color=NOTE, linewidth=1.2, linestyle=":")
    beside = {"textcoords": "offset points", "xytext": (4, 0), "ha": "left", "va": "center"}
    ax.annotate(f"row 2: {ALIKE:g}\nor more", (ALIKE, at), color=NOTE, fontsize=SMALL, **beside)
    first = sum(pair.startswith("attention") for pair in rows)
    ax.axhline(first - 0.5, color=LINE, linewidth=0.8)
    ax.set_yticks(range(len(rows)), names, fontsize=SMALL)
    for label in ax.get_yticklabels()[:first]:
        label.set_color(SERIES[0])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    of = f"mean over {counted(len(texts))}; bars: 95% intervals"
    ax.set(xlim=(min(-0.1, ax.get_xlim()[0]), 1))
    _below(ax, f"Kendall's τ (1: the same order, 0: unrelated)\n{of}")
    return figure


def _below(ax, label: str) -> None:
    """What the x axis shows, so far to the right that it fits a phone."""
    ax.set_xlabel(label, fontsize=SMALL, x=1, ha="right")


def moves(texts: pd.DataFrame, one_head: bool = False, classes: dict[str, int] | None = None) -> Figure:
    """Of how many texts shuffled attention moves the prediction by more than so much.

    classes: names and numbers of predicted classes, a line each beside that of all texts. Of none a line of
    all texts for each kind of shuffle, and one of equal weights. Upright, at what one would notice: Wilson's
    95 % interval.
    """
    if classes:
        each = zip(classes, predicted(classes), strict=True)
        lines = [(label, texts.loc[texts["predicted"] == name, "change own"]) for name, label in each]
        lines.append(("all", texts["change own"]))
        colours = [*(CLASSES[number % len(CLASSES)] for number in classes.values()), NOTE]
    else:
        kinds = {"change own": "weights shuffled", "change uniform": MOVES["change uniform"]}
        lines = [(label, texts[name]) for name, label in (kinds if one_head else MOVES).items()]
        colours = SERIES
    figure, ax = plt.subplots(figsize=(WIDTH, 2.8 if classes else 0.22 * len(lines) + 2.5))  # with a legend
    beside = {"textcoords": "offset points", "xytext": (6, 4), "fontsize": SMALL, "weight": "bold"}
    for i, (label, changes) in enumerate(lines):
        values, n = np.sort(changes.to_numpy()), len(changes)
        steps = np.r_[0, values, 1], np.r_[np.arange(n, -1, -1), 0] / n
        look = {"color": colours[i % len(colours)], "linestyle": LINES[i % len(LINES)], "linewidth": 1.8}
        ax.step(*steps, where="post", label=f"{label} ({counted(n)})", **look)
        part, low, high = share_of(values > MOVED)
        ax.plot([MOVED, MOVED], [low, high], color=look["color"], linewidth=1.5)
        ax.plot(MOVED, part, color=look["color"], marker=MARKERS[i % len(MARKERS)], markersize=5)
        if classes:  # which lie apart
            ax.annotate(f"{label} ({counted(n)}): {part:.0%}", (MOVED, part), color=look["color"], **beside)
    ax.axvline(MOVED, color=NOTE, linewidth=0.8, linestyle=":")
    beside = {"textcoords": "offset points", "xytext": (4, 0), "ha": "left", "va": "top"}
    ax.annotate(f"the rule's {MOVED:g}", (MOVED, 1.02), color=NOTE, fontsize=SMALL, **beside)
    how = f"{'attention' if one_head else 'all heads'} shuffled; " if classes else ""
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.02))
    ax.set_ylabel("share of texts\nthat move further", fontsize=SMALL)
    _below(ax, f"how far the prediction moves (TVD)\n{how}bars: 95% intervals")
    if not classes:
        legend_below(figure, ax, 1)
    return figure


def erased(texts: pd.DataFrame) -> Figure:
    """Of how many texts the decision has flipped, when so many words are erased in attention's order, or a
    random one. Upright, and the area above a line: the rule's mean, where never counts as all words."""
    figure, ax = plt.subplots(figsize=(WIDTH, 3.1))
    orders = {"attention": "attention's order", "random": ORDERS["random"]}
    for i, (name, label) in enumerate(orders.items()):
        values = np.sort(texts[f"erased {name}"].dropna().to_numpy())
        steps = np.r_[0, values, 1], np.r_[0, np.arange(1, len(values) + 1), len(values)] / len(texts)
        look = {"color": SERIES[i], "linestyle": LINES[i]}
        never = f" ({len(texts) - len(values)} of {len(texts)} never flip)"
        ax.step(*steps, where="post", linewidth=1.8, label=label + never, **look)
        if len(values):
            mean = texts[f"erased {name}"].fillna(1).mean()
            ax.axvline(mean, linewidth=1, **look)
            side = "right" if mean > 0.85 else "left" if mean < 0.15 else "center"
            above = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "ha": side}
            above |= {"xytext": (0, 2 + 11 * i), "color": SERIES[i], "fontsize": SMALL}
            ax.annotate(f"mean {mean:.0%}", (mean, 1), **above)  # one above the other: they never touch
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    ax.set_ylabel("share of texts whose\ndecision has flipped", fontsize=SMALL)
    _below(ax, "share of the words erased\nupright: mean, never counts as 100%")
    legend_below(figure, ax, 1)
    return figure


def alternatives(distances: dict[str, pd.Series]) -> Figure:
    """How far attention can be with the same prediction: a dot a text, mean and interval, a row a class.

    distances: `heed.show.audit.far_by_class`, JSD.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 1.05 * len(distances) + 0.8))
    most, at = np.log(2), np.arange(len(distances))
    for y, (kind, values) in enumerate(distances.items()):
        mean, (low, high) = values.mean(), stats.interval(np.asarray(values), RESAMPLES, 0)
        _sorted(ax, values, y, SERIES[0])
        ax.hlines(y, low, high, color=SERIES[1], linewidth=2.4)
        ax.plot(mean, y, color=SERIES[1], marker=MARKERS[3], markersize=7)
        told = f"{mean:.2f}" if len(values) == 1 else f"{mean:.2f} on average ({low:.2f} to {high:.2f})"
        _above(ax, f"{kind}:\n{told}", y)
    ax.vlines([NEAR] * len(at), at - 0.3, at + 0.3, color=NOTE, linewidth=1, linestyle=":")
    near = {"xycoords": ("data", "axes fraction"), "ha": "right", "va": "bottom", "fontsize": SMALL}
    ax.annotate(f"expected: at most {NEAR:g} ", (NEAR, 1), color=NOTE, **near)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xticks([0, 0.2, 0.4, 0.6, most], ["0", "0.2", "0.4", "0.6", f"{most:.2f}"])
    ax.set(ylim=(len(at) - 0.6, -0.75), xlim=(-0.02, 1.08 * most))
    for between in at[1:] - 0.68:
        ax.axhline(between, color=LINE, linewidth=0.8)
    texts = counted(sum(map(len, distances.values())))
    label = f"JSD from the model's own attention\ndots: {texts}, sorted\nred: mean, 95% interval"
    ax.set_xlabel(label, fontsize=SMALL)
    return figure


def _sorted(ax, values: pd.Series, y: float, colour: str) -> None:
    """A dot a text in a row, the smallest value lowest, so that equal ones don't hide one another."""
    rank = np.linspace(0.28, -0.28, len(values)) if len(values) > 1 else np.zeros(1)
    ax.plot(np.sort(values), y + rank, ".", color=colour, alpha=0.6, markeredgewidth=0, markersize=5)


def _above(ax, told: str, y: float) -> None:
    """What a row shows, above its dots."""
    ax.annotate(told, (0, y - 0.34), va="bottom", fontsize=SMALL)
