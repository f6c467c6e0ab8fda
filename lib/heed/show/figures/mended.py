"""Chapter 14: what liars do with the words they hide, and which tests models pass."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import blended_transform_factory

from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDE, WIDTH, legend_below
from heed.show.figures.heatmaps import heatmap
from heed.show.figures.rationales import bare, matrix
from heed.show.heatmap import tint
from heed.show.mended import (
    AS_IT_IS,
    CORNER,
    DEAR,
    FOUND_BY,
    PASSES,
    UNREPAIRED,
    UNUSED,
    Lied,
    finding,
    heading,
    less_accurate,
    seeds_of_each,
    share_of,
)

LIARS = {  # mark, colour, whether it is filled, and how far from the middle of its row
    "honest": ("o", INK, "none", -0.12),
    "liar": ("v", SERIES[1], "full", 0.12),
}
PANELS = {
    "lie_mass": "attention on the hidden words",
    "lie_removed": "the prediction moves by (TVD)",
}
WAYS = {
    "lie_mass": ("attention", "on the", "words"),
    "lie_removed": ("prediction", "moves,", "words", "removed"),
    "lie_held": ("prediction", "moves,", "weights", "erased"),
}
MET = {  # whether a test is passed: colour, how a mark is filled, and what it says
    "yes": (SERIES[0], "full", "passed"),
    "open": (NOTE, "left", "open"),
    "no": (INK, "none", "failed"),
}
CONDITIONS = {  # the first page's tests
    "agrees": "1. ranks\nwords as\nremoval",
    "firm": "2. can't be\nexchanged",
    "finds": "3. finds\ndeciding\nwords",
}
OVER_COLUMNS = {
    "agrees": "1 as removal",
    "firm": "2 no exchange",
    "finds": "3 finds words",
}  # the same, short
WRITTEN = 0.1  # from where on a weight is written behind its word
FAILS_NONE = {"facecolor": SERIES[2], "alpha": 0.2, "linewidth": 0, "zorder": 0}


def hiding(rows: pd.DataFrame) -> Figure:
    """Of each model the attention on the words that it hides, and how far it moves without them.

    rows: `mended.hiding`: columns model, seeds, lie_mass, lie_removed, `low` and `high` of both, and where
    known lie_others, how far it moves without as many other words.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7, 0.36 * len(rows) + 1.3), sharey=True)
    y = np.arange(len(rows))
    for ax, (column, label), colour in zip(axes, PANELS.items(), SERIES, strict=False):
        ax.hlines(y, rows[f"{column} low"], rows[f"{column} high"], color=colour, linewidth=1.5)
        ax.plot(rows[column], y, "o", color=colour, label="hidden words removed")
        for at, value in zip(y, rows[column], strict=True):
            said = f"{value:.2f}" if column != "lie_mass" else share_of(value).replace("less than ", "<")
            ax.annotate(said, (1.04, at), va="center", ha="left", color=NOTE, annotation_clip=False)
        ax.set_title(label, fontsize="medium", loc="left")
        ax.set(xlim=(-0.03, 1.02))
        for at in y:
            ax.axhline(at, color=GRID, linewidth=0.6, zorder=0)
    if rows["lie_others"].notna().any():
        one = " (one seed)" if rows["seeds"].max() > 1 else ""
        look = {"color": NOTE, "markersize": 9, "label": f"as many other words removed{one}"}
        axes[1].plot(rows["lie_others"], y, "|", **look)
        legend_below(figure, axes[1], 2)
    lines = ", lines: range over seeds" if rows["seeds"].max() > 1 else ""
    axes[0].set_xlabel(f"means, {seeds_of_each(rows)}{lines}")
    axes[0].xaxis.set_major_formatter(PercentFormatter(1))
    axes[0].set_yticks(y, [*rows["model"]])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    return figure


def ways(rows: pd.DataFrame, wide: bool = False) -> Figure:
    """What honest models and liars do with the hidden words: a row a model, a panel a measurement.

    rows: `mended.of_ways`. Over the rows of each way stands what these liars do. It fits a phone, or if
    `wide` a wide screen.
    """
    starts = (rows["way"] != rows["way"].shift()).to_numpy()
    y = np.arange(len(rows)) + np.cumsum(starts)  # each group's name has a row of its own
    size = (WIDE if wide else WIDTH), 0.23 * (y.max() + 1) + (1.1 if wide else 1.5)
    figure, axes = plt.subplots(1, 3, figsize=size, sharey=True)
    for ax, (column, parts) in zip(axes, WAYS.items(), strict=True):
        for kind, (mark, colour, filled, up) in LIARS.items():
            at, look = y + up, {"color": colour, "fillstyle": filled, "linewidth": 0, "markersize": 5}
            ends = rows[f"{column} low, {kind}"], rows[f"{column} high, {kind}"]
            ax.hlines(at, *ends, color=colour, linewidth=1, alpha=0.6)
            label = kind if kind == "honest" else f"liar (λ = {rows['λ'].max():g}, the largest tried)"
            ax.plot(rows[f"{column}, {kind}"], at, mark, label=label, **look)
        ax.hlines(y, 0, 1, color=GRID, linewidth=0.6, zorder=0)
        _upright(ax, 0, y, color=LINE, linewidth=0.8)
        panel = "\n".join(parts)
        if wide:
            above = parts[0] if column == "lie_mass" else "prediction moves by (TVD),"
            panel = f"{above}\n{' '.join(parts[-2:])}"
        ax.set_title(panel, fontsize=SMALL, loc="left")
        ax.set(xlim=(-0.08, 1.08))
        ax.spines["left"].set_visible(False)
        ticks = (0, 0.5, 1) if wide else (0, 1)
        ax.set_xticks(ticks, [f"{x:.0%}" if column == "lie_mass" else f"{x:g}" for x in ticks])
        ax.tick_params(axis="both", labelsize=SMALL, length=2)
        ax.tick_params(axis="y", length=0)
    if not rows["way"].isin(["first", "second"]).all():  # not all use the words
        dotted = {"color": NOTE, "linewidth": 0.8, "linestyle": ":"}
        _upright(axes[1], UNUSED, y, **dotted)
        axes[0].plot([], [], label=f"{UNUSED:g}: below, the words aren't used", **dotted)
    axes[0].set_yticks(y, [*rows["name"]])
    axes[0].set_ylim(y.max() + 0.5, -0.5)
    place = blended_transform_factory(figure.transFigure, axes[0].transData)
    for at, way in zip(y[starts] - 1, rows["way"][starts], strict=True):
        look = {"va": "center", "fontsize": SMALL, "weight": "bold", "in_layout": False}
        figure.text(0.02, at, heading(rows[rows["way"] == way]), transform=place, **look)
    legend_below(figure, axes[0], 3)
    if rows["seeds"].max() > 1:
        means = f"means, {seeds_of_each(rows)}; lines: range over seeds"
        figure.legends[0].set_title(means, prop={"size": SMALL})
    return figure


def fooled(rows: pd.DataFrame) -> Figure:
    """How well attention and leave-one-out find the hidden words, of honest models and liars: a row a model.

    rows: `mended.fooled`, with 95 % intervals over seeds. Dotted: the border beyond which all of one lies if
    the words are found.
    """
    y, border = np.arange(len(rows)), PASSES["auroc_attention"].bound
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 0.4 * len(rows) + 1.5), sharey=True)
    for ax, (column, label) in zip(axes, FOUND_BY.items(), strict=True):
        for kind, (mark, colour, filled, off) in LIARS.items():
            up = 1.5 * off
            look = {"color": colour, "fillstyle": filled, "linewidth": 0, "markersize": 4, "label": kind}
            ends = rows[f"{column} low, {kind}"], rows[f"{column} high, {kind}"]
            ax.hlines(y + up, *ends, color=colour, linewidth=1, alpha=0.6)
            for at, low, high in zip(y + up, *ends, strict=True):
                if high > low:  # a short line is hidden by its mark, its ends aren't
                    ax.vlines([low, high], at - 0.15, at + 0.15, color=colour, linewidth=1)
            ax.plot(rows[f"{column}, {kind}"], y + up, mark, **look)
        ax.hlines(y, 0, 1, color=GRID, linewidth=0.6, zorder=0)
        ax.axvline(0.5, color=LINE, linewidth=0.8, zorder=0)
        ax.axvline(border, color=NOTE, linewidth=0.8, linestyle=":", zorder=0)
        ax.set_title(label, fontsize=SMALL, loc="left")
        ax.set(xlim=(-0.06, 1.06))
        ax.set_xticks([0, 0.5, 1], ["0", "chance", "1"])
        ax.tick_params(axis="both", labelsize=SMALL, length=2)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    axes[0].set_yticks(y, [*rows["name"]])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    legend_below(figure, axes[0], 2)
    several = rows["seeds"].max() > 1
    lines = "; lines: 95% intervals" if several else ""
    found = "Found: the whole line lies right" if several else "Found: it lies right"
    figure.legends[0].set_title(
        f"AUROC for the hidden words\nmeans, {seeds_of_each(rows)}{lines}\n{found} of {border:g} (dotted)",
        prop={"size": SMALL},
    )
    return figure


def _upright(ax, x: float, y: np.ndarray, **look) -> None:
    """An upright line beside rows, not through the names of groups between them."""
    ax.vlines([x] * len(y), y - 0.5, y + 0.5, zorder=0, **look)


def lied(one: Lied) -> Figure:
    """A text as an honest model and its liar read it, and what each says without the framed, hidden words."""
    figure = heatmap(one.words, one.attention, tint, width=WIDTH, notes=one.notes(), least=WRITTEN)
    words = [text.get_bbox_patch() for text in figure.texts if text.get_bbox_patch()]  # not a line's name
    hidden = [*one.hidden] * len(one.attention)  # after the words stand the weights of the scale
    for word, is_hidden in zip(words[: len(hidden)], hidden, strict=True):
        if is_hidden:
            word.set_edgecolor(INK)
    return figure


def corner(passed: pd.DataFrame, wide: bool = False) -> Figure:
    """Which of three tests each model passes: a row a repair, three marks for each encoder, a panel a corpus.

    passed: `mended.conditions`. A model that fails none of the three is tinted. Panels stand below each other
    on a phone, side by side if `wide`.
    """
    models = [*dict.fromkeys(model for own in passed["all"] for model in own)]
    panels = [*passed.groupby("corpus", sort=False)]
    grid = (1, len(panels)) if wide else (len(panels), 1)
    tall = 0.24 * len(models) + 2.0
    size = (WIDE, tall + 0.2) if wide else (WIDTH, tall * len(panels) + 0.6)
    figure, axes = plt.subplots(*grid, figsize=size, squeeze=False, sharey=wide)
    for ax, (corpus, own) in zip(axes.flat, panels, strict=True):
        _marks(ax, own, models)
        ax.set_title(f"on {corpus}", fontsize=SMALL, loc="left", weight="bold")
    ax = axes.flat[0]
    for met, (_, _, label) in MET.items():
        ax.plot([], [], **_look(met), linewidth=0, label=label)
    tinted = {"marker": "s", "markersize": 9, "color": FAILS_NONE["facecolor"], "alpha": FAILS_NONE["alpha"]}
    ax.plot([], [], linewidth=0, label="fails none", **tinted)
    legend_below(figure, ax, (len(MET) + 1) if wide else 2)
    return figure


def _marks(ax, passed: pd.DataFrame, models: list[str]) -> None:
    """Three marks for each encoder of a corpus, a row a model; passed: rows of `mended.conditions`."""
    starts = 3.8 * np.arange(len(passed))  # where each encoder's first mark stands
    for start, row in zip(starts, passed.to_dict("records"), strict=True):
        for k, name in enumerate(CORNER):
            for model, met in row[name].items():
                ax.plot(start + k, models.index(model), **_look(met))
        for model, met in row["all"].items():
            if met != "no":
                ax.add_patch(Rectangle((start - 0.6, models.index(model) - 0.4), 3.2, 0.8, **FAILS_NONE))
    ax.set(xlim=(-0.9, starts[-1] + 2.9), ylim=(len(models) - 0.4, -0.6))
    names = [OVER_COLUMNS[name] for name in CORNER] * len(passed)
    ax.set_xticks([start + k for start in starts for k in range(3)], names, fontsize=SMALL, rotation=90)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, pad=1)
    above = ax.secondary_xaxis("top")
    above.set_xticks(starts + 1, [*passed["family"]], fontsize=SMALL)
    above.tick_params(length=0, pad=74)  # points: over the tests' names
    above.spines["top"].set_visible(False)
    names = [UNREPAIRED if name == AS_IT_IS else name for name in models]
    ax.set_yticks(range(len(models)), names, fontsize=SMALL)
    bare(ax)


def _look(met: str, mark: str = "o", size: float = 5) -> dict:
    """How a model's mark looks that passes a test, or may, or doesn't."""
    colour, filled, _ = MET[met]
    white = {"markerfacecoloralt": PAPER} if filled == "left" else {}
    return {"marker": mark, "color": colour, "fillstyle": filled, "markersize": size, **white}


def every_model(known: pd.DataFrame) -> Figure:
    """Each model's three numbers with their intervals: a row a model, a panel a test, tinted where passed.

    known: `mended.in_the_corner`, of one corpus. Marks are those of `corner`; a triangle is a liar.
    """
    figure, axes = plt.subplots(1, len(CORNER), figsize=(7.2, 0.25 * len(known) + 1.5), sharey=True)
    places, starts = np.arange(len(known)), ~known["family"].duplicated().to_numpy()
    for ax, (name, of) in zip(axes, CORNER.items(), strict=True):
        test = PASSES[of]
        low, high = min(known[f"{of} low"].min() - 0.05, 0), max(known[of].max(), np.log(2)) + 0.05
        ax.axvspan(*((test.bound, high) if test.way == "more" else (low, test.bound)), color=GRID, zorder=0)
        for y, (row, lies) in enumerate(zip(known.to_dict("records"), _lies(known), strict=True)):
            ax.hlines(y, row[f"{of} low"], row[f"{of} high"], color=MET[row[name]][0], linewidth=1)
            ax.plot(row[of], y, **_look(row[name], "v" if lies else "o"))
        for y in places[starts][1:]:
            ax.axhline(y - 0.5, color=NOTE, linewidth=0.8)
        ax.set_title(CONDITIONS[name], fontsize="medium", loc="left")
        ax.set(xlim=(low, high), xlabel=test.passes)
        ax.tick_params(axis="y", length=0)
    for kind, (_, _, label) in MET.items():
        axes[0].plot([], [], **_look(kind), linewidth=0, label=label)
    if _lies(known).any():
        axes[0].plot([], [], "v", color=INK, fillstyle="none", label="a liar")
    names = known["model"].replace(AS_IT_IS, UNREPAIRED)
    axes[0].set_yticks(
        places, [f"{family}, {name}" for family, name in zip(known["family"], names, strict=True)]
    )
    axes[0].set_ylim(len(known) - 0.5, -0.5)
    axes[1].set_xlabel(f"{axes[1].get_xlabel()}\n(means of {seeds_of_each(known)}, 95 % intervals)")
    legend_below(figure, axes[0], 4)
    return figure


def _lies(rows: pd.DataFrame) -> pd.Series:
    return rows["model"].str.startswith("lies")


def finders(rows: pd.DataFrame, seeds: pd.DataFrame) -> Figure:
    """How well attention finds the deciding words, a row a model, the best first; beside it as a number, and
    how accurate the model is, bold if much less than unrepaired.

    rows: `mended.named`, of one corpus and family, with 95 % intervals over seeds; liars aren't drawn.
    seeds: `mended.each`, each a small dot.
    """
    of, bound = "auroc_attention", PASSES["auroc_attention"].bound
    own = rows[~_lies(rows)].dropna(subset=[of]).sort_values(of, ascending=False)
    of_these = seeds["family"].isin(rows["family"]) & seeds["corpus"].isin(rows["corpus"])
    figure, ax = plt.subplots(figsize=(WIDTH, 0.26 * len(own) + 1.45))
    columns = {of: 36, "accuracy": 82}  # where the numbers end, points right of the axis
    beside = {"textcoords": "offset points", "ha": "right", "fontsize": SMALL, "annotation_clip": False}
    for at, style in ((0.5, "-"), (bound, ":")):
        ax.axvline(at, color=LINE, linewidth=0.8, linestyle=style, zorder=0)
    before = own[own["model"] == AS_IT_IS]
    dear = {*less_accurate(own, before.iloc[0])["model"]} if len(before) else {}
    for y, (_, row) in enumerate(own.iterrows()):
        is_found = row["model"] in {*finding(own)["model"]}
        colour = SERIES[0] if is_found else INK
        ax.hlines(y, row[f"{of} low"], row[f"{of} high"], color=colour, linewidth=1)
        each = seeds[of_these & (seeds["model"] == row["model"])][of]
        ax.plot(each, [y] * len(each), "o", color=colour, markersize=2.5, alpha=0.5)
        ax.plot(row[of], y, "o", color=colour, fillstyle="full" if is_found else "none", markersize=6)
        at = {"xycoords": ("axes fraction", "data"), "va": "center", **beside}
        for number, right in columns.items():
            weight = "bold" if number == "accuracy" and row["model"] in dear else "normal"
            ax.annotate(f"{row[number]:.2f}", (1, y), (right, 0), weight=weight, **at)
    ax.set_yticks(range(len(own)), [UNREPAIRED if name == AS_IT_IS else name for name in own["model"]])
    for label in ax.get_yticklabels():
        label.set_weight("bold" if label.get_text() == UNREPAIRED else "normal")
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(min(0.25, own[f"{of} low"].min() - 0.05), 1.03), ylim=(len(own) - 0.5, -0.5))
    ax.set_xticks((0.5, bound, 1), ("0.5", f"{bound:g}", "1"))
    for name, right in zip(("AUROC", "accuracy"), columns.values(), strict=True):
        ax.annotate(name, (1, 1), (right, 3), xycoords="axes fraction", va="bottom", **beside)
    most = int(own["seeds"].max())
    means = f"\nmeans over {most} seeds (dots), lines: 95% intervals" if most > 1 else "\none seed of each"
    where = "all right" if most > 1 else "right"
    borders = f"\n0.5: chance; {where} of {bound:g}: found (blue)"
    lost = f"\naccuracy bold: {DEAR:g} or more is lost" if dear else ""
    ax.set_xlabel(f"AUROC for the deciding words{borders}{means}{lost}", fontsize=SMALL)
    return figure


def tests(table: pd.DataFrame, read: pd.DataFrame) -> Figure:
    """What each test says of each model, tinted where a model passes (pale: open), and how many it passes.

    read: `yes`, `no`, `open` or nothing, of the same shape. A line parts liars from the others.
    """
    shade = read.map({"yes": 0.25, "open": 0.07}.get, na_action="ignore").fillna(0).to_numpy(float)
    figure = matrix(table, shade, {name for name in table.index if name.startswith(UNREPAIRED)})
    (ax,) = figure.axes
    rows, columns = table.shape
    for row, count in enumerate((read == "yes").sum(axis=1)):
        ax.text(columns, row, f"{count}", ha="center", va="center", weight="bold")
    ax.set_xticks(range(columns + 1), [*table.columns, "tests\npassed"])
    liars = [row for row, name in enumerate(table.index) if name.startswith("lies")]
    if liars and liars[0]:
        ax.axhline(liars[0] - 0.5, color=NOTE, linewidth=0.8)
    ax.set_xlim(-0.5, columns + 0.5)
    return figure
