"""Chapter 14: what liars do with the words they hide, and which tests models pass."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import Bbox

from heed.show.colours import GRID, INK, LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.figures.heatmaps import heatmap
from heed.show.figures.rationales import bare, matrix, tints
from heed.show.heatmap import tint
from heed.show.mended import (
    AS_IT_IS,
    CORNER,
    PASSES,
    SHORT_WAYS,
    UNREPAIRED,
    UNUSED,
    Lied,
    seeds_of_each,
    share_of,
)
from heed.show.sentences import listed

LIARS = {  # mark, colour, whether it is filled, and how far from the middle of its row
    "honest": ("o", INK, "none", -0.12),
    "liar": ("v", SERIES[1], "full", 0.12),
}
PANELS = {
    "lie_mass": "attention on the hidden words",
    "lie_removed": "the prediction moves by (TVD)",
}
WAYS = {
    "lie_mass": "attention on the\nhidden words",
    "lie_removed": "words removed:\nmoves by (TVD)",
    "lie_held": "weights erased:\nmoves by (TVD)",
}
CONDITIONS = {
    "agrees": "agrees\nwith leave-\none-out",
    "finds": "finds the\ndeciding\nwords",
    "firm": "is firm",
}


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


def ways(rows: pd.DataFrame) -> Figure:
    """What honest models and liars do with the hidden words: a row a model, a panel a measurement.

    rows: `mended.of_ways`. At the right stands the way that the liar takes.
    """
    figure, axes = plt.subplots(1, 3, figsize=(7.2, 0.34 * len(rows) + 1.4), sharey=True)
    y = np.arange(len(rows))
    for ax, (column, label) in zip(axes, WAYS.items(), strict=True):
        for kind, (mark, colour, filled, up) in LIARS.items():
            at, look = y + up, {"color": colour, "fillstyle": filled, "linewidth": 0, "markersize": 6}
            ends = rows[f"{column} low, {kind}"], rows[f"{column} high, {kind}"]
            ax.hlines(at, *ends, color=colour, linewidth=1, alpha=0.6)
            ax.plot(rows[f"{column}, {kind}"], at, mark, label=kind, **look)
        for row in y:
            ax.axhline(row, color=GRID, linewidth=0.6, zorder=0)
        ax.set_title(label, fontsize="medium", loc="left")
        ax.set(xlim=(-0.05, 1.05), xticks=(0, 0.5, 1))
    axes[1].axvline(UNUSED, color=NOTE, linewidth=0.8, linestyle=":", zorder=0)
    for at, way in zip(y, rows["way"], strict=True):
        axes[2].annotate(SHORT_WAYS[way], (1.12, at), va="center", color=NOTE, annotation_clip=False)
    axes[0].xaxis.set_major_formatter(PercentFormatter(1))
    axes[0].set_yticks(y, [*rows["name"]])
    axes[0].set_ylim(len(rows) - 0.4, -0.6)
    axes[1].set_xlabel(
        f"liars at λ = {rows['λ'].max():g}; means, {seeds_of_each(rows)}, lines: range over seeds"
    )
    legend_below(figure, axes[0], 2)
    return figure


def lied(one: Lied) -> Figure:
    """A text as an honest model and its liar read it; hidden words are framed."""
    figure = heatmap(one.words, one.attention, tint)
    words = [text.get_bbox_patch() for text in figure.texts if text.get_bbox_patch()]  # not a line's name
    for word, is_hidden in zip(words, [*one.hidden] * len(one.attention), strict=True):
        if is_hidden:
            word.set_edgecolor(INK)
    return figure


def corner(counts: pd.DataFrame) -> Figure:
    """How many models of each encoder and corpus meet each of three conditions, and all, and how many may.

    counts: `mended.conditions`. A cell is tinted by the share that surely meets it.
    """
    columns = [*CORNER, "all"]
    figure, ax = plt.subplots(figsize=(3.9, 0.36 * len(counts) + 1.1))  # it fits a phone
    share = np.array([[row[f"{name} yes"] / row["of"] for name in columns] for _, row in counts.iterrows()])
    ax.imshow(0.35 * share, cmap=tints(), vmin=0, vmax=1, aspect="auto")
    for y, row in counts.iterrows():
        for x, name in enumerate(columns):
            said = f"{row[f'{name} yes']} of {row['of']}"
            is_open = row[f"{name} open"]
            ax.text(x, y, f"{said},\n{is_open} open" if is_open else said, ha="center", va="center",
                    weight="bold" if name == "all" else "normal", fontsize=8)  # fmt: skip
    heads = [f"{CONDITIONS[name]}\n({PASSES[of].passes})" for name, of in CORNER.items()]
    heads = [head.replace("(AUROC ", "(AUROC\n") for head in heads]
    ax.set_xticks(range(len(columns)), [*heads, "all three"], fontsize=8)
    ax.get_xticklabels()[-1].set_weight("bold")
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_yticks(range(len(counts)), counts["name"])
    ax.axvline(len(CORNER) - 0.5, color=NOTE, linewidth=0.8)
    bare(ax)
    return figure


def every_model(known: pd.DataFrame) -> Figure:
    """Each model's three numbers with their intervals: a row a model, a panel a condition, tinted where met.

    known: `mended.in_the_corner`, of one corpus. Filled: the whole interval meets it; grey: it holds the
    border; a triangle is a liar.
    """
    looks = {
        "yes": (SERIES[0], "full", "met"),
        "open": (NOTE, "full", "open"),
        "no": (INK, "none", "not met"),
    }
    figure, axes = plt.subplots(1, len(CORNER), figsize=(7.2, 0.25 * len(known) + 1.5), sharey=True)
    places, starts = np.arange(len(known)), ~known["family"].duplicated().to_numpy()
    for ax, (name, of) in zip(axes, CORNER.items(), strict=True):
        test = PASSES[of]
        low, high = min(known[f"{of} low"].min() - 0.05, 0), max(known[of].max(), np.log(2)) + 0.05
        ax.axvspan(*((test.bound, high) if test.way == "more" else (low, test.bound)), color=GRID, zorder=0)
        for y, (row, lies) in enumerate(zip(known.to_dict("records"), _lies(known), strict=True)):
            colour, filled, _ = looks[row[name]]
            ax.hlines(y, row[f"{of} low"], row[f"{of} high"], color=colour, linewidth=1)
            ax.plot(row[of], y, "v" if lies else "o", color=colour, fillstyle=filled, markersize=4.5)
        for y in places[starts][1:]:
            ax.axhline(y - 0.5, color=NOTE, linewidth=0.8)
        ax.set_title(CONDITIONS[name], fontsize="medium", loc="left")
        ax.set(xlim=(low, high), xlabel=test.passes)
        ax.tick_params(axis="y", length=0)
    for colour, filled, label in looks.values():
        axes[0].plot([], [], "o", color=colour, fillstyle=filled, label=label)
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


# Where a point's name may stand: from the point, in points, and how it is aligned; the first that is free.
PLACES = [
    (side * (7 + 5 * (abs(up) > 9)), up, "left" if side > 0 else "right")
    for up in (0, 10, -10, 20, -20, 30, -30)
    for side in (1, -1)
]
KINDS = {  # of models: mark, colour, and whether it is filled
    "repair": ("o", SERIES[0], "full"),
    "liar": ("v", SERIES[1], "full"),
    "unrepaired": ("o", INK, "none"),
}


def finders(rows: pd.DataFrame, seeds: pd.DataFrame) -> Figure:
    """How accurate a model is (x), and how well its attention finds the deciding words (y).

    rows: `mended.named`, of one corpus and family, with 95 % intervals over seeds; seeds:
    `mended.unrepaired`, each a circle.
    """
    figure, ax = plt.subplots(figsize=(6.6, 4.4))
    bare = seeds[seeds["family"].isin(rows["family"]) & seeds["corpus"].isin(rows["corpus"])]
    bound = PASSES["auroc_attention"].bound
    for at, style, name in (
        (0.5, "-", "chance: 0.5"),
        (bound, ":", f"finds them from\n{bound:g} on (our choice)"),
    ):
        ax.axhline(at, color=LINE, linewidth=0.8, linestyle=style, zorder=0)
        ax.annotate(name, (1.01, at), xycoords=ax.get_yaxis_transform(), va="center", color=NOTE, fontsize=8)
    lies = _lies(rows)
    shown = {"repair": rows[~lies & (rows["model"] != AS_IT_IS)], "liar": rows[lies]}
    shown["unrepaired"] = bare
    for kind, points in shown.items():
        mark, colour, filled = KINDS[kind]
        if kind == "unrepaired" and len(bare):
            each = [str(seed) for seed in sorted(bare["seed"])]
            kind = f"unrepaired: {'seed' if len(bare) == 1 else 'a circle each, seeds'} {listed(each)}"
        look = {"color": colour, "fillstyle": filled, "linewidth": 0, "markersize": 6, "label": kind}
        ax.plot(points["accuracy"], points["auroc_attention"], mark, **look)
        if "auroc_attention low" in points:
            ends = points["auroc_attention low"], points["auroc_attention high"]
            ax.vlines(points["accuracy"], *ends, color=colour, linewidth=1, alpha=0.5)
    ax.set(ylim=(-0.06, 1.06), ylabel="AUROC of attention\nfor the deciding words")
    ax.margins(x=0.12)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    most = int(rows["seeds"].max())
    means = f"points: means over {most} seeds, lines: 95 % intervals" if most > 1 else "one seed of each"
    ax.set_xlabel(f"accuracy\n({means})")
    legend_below(figure, ax, 3)
    figure.draw_without_rendering()  # now the axes have their places
    named = rows[rows["model"] != AS_IT_IS]
    _name_points(ax, named[["accuracy", "auroc_attention"]].to_numpy(), [*named["model"]])
    return figure


def _name_points(ax, points: np.ndarray, names: list[str]) -> None:
    """Write each point's name where it covers no other name and no mark of the panel."""
    renderer = ax.figure.canvas.get_renderer()
    marks = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for line in ax.lines if line.get_linewidth() == 0
             for x, y in ax.transData.transform(line.get_xydata())]  # fmt: skip
    lines = [line for line in ax.collections if isinstance(line, LineCollection)]
    ranges = [ends for line in lines for ends in line.get_segments() if len(ends)]
    for (x, low), (_, high) in map(ax.transData.transform, ranges):
        marks.append(Bbox.from_extents(x - 1, low, x + 1, high))
    taken, inside = marks, ax.get_window_extent(renderer)
    for point, name in sorted(zip(map(tuple, points), names, strict=True), key=lambda pair: -pair[0][1]):
        if np.isnan(point).any():
            continue
        for x, y, side in PLACES:
            line = {"arrowstyle": "-", "color": LINE, "linewidth": 0.6} if y else None
            look = {"textcoords": "offset points", "ha": side, "va": "center", "fontsize": 8}
            text = ax.annotate(name, point, (x, y), arrowprops=line, **look)
            text.update_positions(renderer)
            box = Text.get_window_extent(text, renderer)
            free = not any(box.overlaps(other) for other in taken)
            if free and inside.x0 <= box.x0 and box.x1 <= inside.x1:
                break
            text.remove()
        else:
            text = ax.annotate(name, point, (7, 0), textcoords="offset points", va="center", fontsize=8)
            box = Text.get_window_extent(text, renderer)
        taken.append(box)


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
