"""Chapter 05: one text under several attentions."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, named_above
from heed.show.words import pieces, right_to_left, text_for

SCALE = (0, 0.01, 0.1, 0.5, 1)  # weights whose tints are shown
LEFT, MARGIN = 80.0, 8.4  # where the words begin, in points, and how far from the edge they end


def heatmap(
    words: list[str],
    kinds: dict[str, np.ndarray],
    tint,
    question="",
    query_name="Question",
    above=0.0,
    width=7.2,
    notes: dict[str, str] | None = None,
    least: float = np.inf,
) -> Figure:
    """One text under several attentions, words flowing as on a page; `tint` gives a weight's colour.

    A right-to-left text begins at the right. question: what the text is asked, above it. above: points
    that are left empty under the title. width: in inches. notes: plain text under a line, by its name. least:
    from where on a weight is written behind its word; then a last line says which tint is what weight.
    """
    figure, right = plt.figure(figsize=(width, 1)), 72 * width - MARGIN
    figure.set_layout_engine("none")  # in the theme's place; without one, saving would bring the theme's back
    figure.add_axes((0, 0, 1, 1)).set_axis_off()  # a notebook shows no figure that has no axes
    pen = figure.canvas.get_renderer()
    scale, y = 72 / figure.dpi, above  # points, from the top left corner
    drawn = []
    lines = {name: [*zip(words, attention, strict=True)] for name, attention in kinds.items()}
    if question:
        lines = {query_name: [(piece, 0) for piece in pieces(question)]} | lines
    if np.isfinite(least):
        lines["attention"] = [(f"{weight:g}", weight) for weight in SCALE]
    for name, line in lines.items():
        heading = figure.text(0, 0, text_for(name, "figure"), va="baseline", size=9, weight="bold")
        drawn.append((heading, 0.0, y))
        backwards = right_to_left(" ".join(word for word, _ in line))
        look = {"va": "baseline", "ha": "right" if backwards else "left", "size": 9}
        x = LEFT
        for word, weight in line:
            behind = f" {weight:.2f}" if weight >= least and name in kinds else ""
            text = figure.text(0, 0, text_for(word, "figure") + behind, **look)
            long = text.get_window_extent(pen).width * scale
            if x + long > right:
                x, y = LEFT, y + 15
            back = [c / 255 for c in tint(weight)]
            text.set_bbox({"facecolor": back, "edgecolor": "none", "pad": 1.5})
            drawn.append((text, LEFT + right - x if backwards else x, y))
            x += long + (8 if behind else 5)
        if note := (notes or {}).get(name, ""):
            y += 17
            drawn.append((figure.text(0, 0, note, va="baseline", size=SMALL), 0.0, y))
        y += 22
    figure.set_size_inches(width, (y + 4) / 72)
    for text, x, y in drawn:
        text.set_position(((x + 4) / (72 * width), 1 - (y + 12) / (72 * figure.get_figheight())))
    return figure


LETTER = 5.4  # points that a letter of the emblem takes, on average


def emblem(
    words: list[str], kinds: dict[str, tuple[np.ndarray, str]], note: str, tint, width: float = 7.0
) -> Figure:
    """A short text under several attentions, each with what the model says: a card for light and dark pages.

    kinds: by what each is called, its weights (T,) and the prediction in words. note: what stands below. What
    these quote, such as a class's name, the caller has from `text_for(..., "figure")`. width: in inches; what
    is longer than a line is broken.
    """
    figure = plt.figure(figsize=(width, 1))
    figure.set_layout_engine("none")
    figure.patch.set_alpha(0)
    left, right, gap = 16.0, 72 * width - 16, 7.0
    shown = [text_for(word, "figure") for word in words]
    pen = figure.canvas.get_renderer()
    drawn = [figure.text(0, 0, word, size=13) for word in shown]
    widths = np.array([text.get_window_extent(pen).width * 72 / figure.dpi for text in drawn])
    for text in drawn:
        text.remove()
    lines, x = [[]], 0.0
    for i, wide in enumerate(widths):
        if lines[-1] and x + wide > right - left:
            lines, x = [*lines, []], 0.0
        lines[-1].append(i)
        x += wide + gap
    fits = [(right - left - gap * (len(line) - 1)) / widths[line].sum() for line in lines]
    size = 13 * min(1.3, *fits)
    widths *= size / 13
    names = ["\n".join(textwrap.wrap(name, int((right - left - 90) / LETTER))) for name in kinds]
    note = "\n".join(textwrap.wrap(note, int((right - left) / LETTER)))
    more = 12.6 * sum(text.count("\n") for text in (*names, note))
    height = 0.55 + 0.92 * len(kinds) + (more + 40 * (len(lines) - 1) * len(kinds)) / 72
    figure.set_size_inches(width, height)
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 72 * width), ylim=(72 * height, 0))  # points, from the top
    ax.set_axis_off()
    card = {
        "boxstyle": "round,pad=0,rounding_size=8",
        "facecolor": PAPER,
        "edgecolor": LINE,
        "linewidth": 0.8,
    }
    ax.add_patch(FancyBboxPatch((1, 1), 72 * width - 2, 72 * height - 2, **card))
    y = 24.0
    for name, (attention, says) in zip(names, kinds.values(), strict=True):
        y += 12.6 * name.count("\n")  # matplotlib places the last line
        ax.text(left, y, name, size=10.5, color=NOTE)
        ax.text(right, y, says, size=10.5, weight="bold", color=INK, ha="right")
        y -= 16
        for line in lines:
            x, y = left, y + 40
            for i in line:
                back = [c / 255 for c in tint(attention[i])]
                box = {"facecolor": back, "edgecolor": "none", "boxstyle": "square,pad=0.22"}
                boxed = box if attention[i] >= 0.005 else None
                ax.text(x, y, shown[i], size=size, color=INK, bbox=boxed)
                if attention[i] >= 0.0995:
                    middle = x + widths[i] / 2, y + 15
                    ax.text(*middle, f"{attention[i]:.2f}", size=8.5, color=NOTE, ha="center")
                x += widths[i] + gap
        y += 42
    ax.text(left, 72 * height - 13, note, size=10.5, color=INK)
    return figure


# What a row of `on_deciding` is, behind its name; FARTHEST is said of the others.
WHAT = {"original": " (the model's own)", "permuted": " (falls anywhere: chance)"}
FARTHEST = " (sought far from the original)"


def on_deciding(means: pd.DataFrame, chance: float, texts: int) -> Figure:
    """How much of each heatmap's weight lies on the deciding words: means with intervals over texts.

    means: columns heatmap, mean, low, high. chance: what a heatmap of equal weights has.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(means) + 1))
    places = np.arange(len(means))
    ax.hlines(places, means["low"], means["high"], color=SERIES[0])
    ax.plot(means["mean"], places, "o", color=SERIES[0])
    ax.axvline(chance, color=NOTE, linewidth=0.8, linestyle=":", zorder=0)
    at = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "color": NOTE}
    ax.annotate("chance", (chance, 1), fontsize=SMALL, **at)
    names = [f"{text_for(name, 'figure')}{WHAT.get(name, FARTHEST)}" for name in means["heatmap"]]
    named_above(ax, places, names, 0.4)
    for label in ax.get_yticklabels():
        label.set_bbox({"facecolor": PAPER, "edgecolor": "none", "pad": 0.5})  # the line of chance ends there
    ax.set_xlabel(f"share of the weight on deciding words,\nmean over {texts} texts", fontsize=SMALL)
    ax.set(xlim=(0, max(1.15 * means["high"].max(), 1.4 * chance)), ylim=(len(means) - 0.7, -0.7))
    return figure
