"""Chapter 07: other models, other attention."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import INK, REPORTED, SERIES
from heed.show.figures.common import colour_of, groups_of, legend_below, limit_line
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import MARKERS

# What Figure 5 draws: a name, a marker, whether its points are joined.
RIVALS = {
    "adversary": ("trained adversary, by λ", "o", True),
    "seed": ("other seeds", "x", False),
    "uniform": ("uniform attention", "s", False),
    "search": ("Jain & Wallace's search, text by text", "*", False),
    "optimum": ("exact optimum, text by text", "^", True),
}


def opposition(
    points: pd.DataFrame, reported: pd.DataFrame | None = None, top: float | None = None
) -> Figure:
    """Figure 5 of Wiegreffe & Pinter: how far attention moved (x), and the prediction (y), a mean a point.

    reported: published points (kind, jsd, change), drawn small and grey. top: where the y axis ends.
    """
    return draw_opposition(opposition_numbers(points), reported, top)


def opposition_numbers(points: pd.DataFrame) -> Numbers:
    """JSD and change of each rival's points in their order; λ of the trained adversary's."""
    found = {}
    for kind in RIVALS:
        own = points[points["kind"] == kind]
        for quantity in ("jsd", "change", *(["kl_weight"] if kind == "adversary" else [])):
            found["", kind, quantity] = own[quantity].to_numpy(float)
    return rounded(found)


def draw_opposition(
    numbers: Numbers, reported: pd.DataFrame | None = None, top: float | None = None
) -> Figure:
    """What `opposition` draws, of `opposition_numbers`."""
    figure, ax = plt.subplots(figsize=(7, 4.2))
    for colour, (kind, (label, marker, joined)) in zip(SERIES, RIVALS.items(), strict=False):
        jsd = series(numbers, ("", kind, "jsd"))
        change = series(numbers, ("", kind, "change"), len(jsd))
        if reported is not None and (reported["kind"] == kind).any():
            theirs = reported[reported["kind"] == kind]
            grey = {"color": REPORTED, "markersize": 5, "label": f"reported: {label}"}
            ax.plot(theirs["jsd"], theirs["change"], marker, **grey)
        if len(jsd):
            look = {"linestyle": "-" if joined else "", "linewidth": 1, "color": colour, "zorder": 3}
            look["markersize"] = 11 if marker == "*" else 6
            ax.plot(jsd, change, marker, label=label, **look)
    last = dict.fromkeys(("bottom", "top"), -np.inf)  # λ stands above or below its point, where there is room
    adversaries = [series(numbers, ("", "adversary", name)) for name in ("jsd", "change", "kl_weight")]
    for jsd, change, weight in sorted(zip(*adversaries, strict=True)):
        side = min(last, key=last.get)
        if jsd - last[side] > 0.055:
            last[side] = jsd
            look = {"ha": "center", "va": side, "fontsize": 7, "textcoords": "offset points"}
            ax.annotate(f"{weight:g}", (jsd, change), xytext=(0, 5 if side == "bottom" else -6), **look)
    limit_line(ax, "trained_jsd", True)
    ax.set(xlim=(0, 0.72), ylim=(0, top), xlabel="mean JSD to the base's attention (nats)",
           ylabel="mean change of the prediction (TVD)")  # fmt: skip
    legend_below(figure, ax, 2)
    return figure


def noise(table: pd.DataFrame, classes) -> Figure:
    """Each text: the median JSD of other seeds' attention (x) and their mean change of the prediction (y)."""
    figure, ax = plt.subplots(figsize=(5.2, 3.2))
    for k, c, label, own in [(k, *group) for k in range(10) for group in groups_of(table, classes)]:
        look = {"s": 12, "alpha": 0.5, "color": colour_of(c, classes), "marker": MARKERS[c], "linewidth": 0}
        x, y = own[["other_jsd", "other_change"]][k::10].to_numpy().T  # by turns: no class hides another
        ax.scatter(x, y, label="" if k else label, rasterized=True, **look)
    ax.set(xlim=(-0.02, 0.72), ylim=(-0.05, 1.05), xlabel="median JSD over seeds (nats)",
           ylabel="mean change of the\nprediction (TVD)")  # fmt: skip
    legend_below(figure, ax, len(classes))
    return figure


def scores(table: pd.DataFrame, names: dict[str, str]) -> Figure:
    """F1 of several models with its interval, a row each; `reported`, where there is one, as a grey cross."""
    rows = table.set_index("model").loc[[*names]][::-1]
    figure, ax = plt.subplots(figsize=(6.6, 0.38 * len(rows) + 0.9))
    spread = np.abs(rows[["low", "high"]].to_numpy() - rows[["f1"]].to_numpy()).T
    ax.errorbar(
        rows["f1"], range(len(rows)), xerr=spread, fmt="o", color=SERIES[0], capsize=3, label="this run"
    )
    if "reported" in rows and rows["reported"].notna().any():
        ax.plot(rows["reported"], range(len(rows)), "x", color=INK, label="reported", zorder=4)
        legend_below(figure, ax, 2)
    ax.set_yticks(range(len(rows)), [names[name] for name in rows.index])
    ax.set(xlabel="F1 on test (95 % interval over texts)", xlim=(min(0.5, rows["low"].min() - 0.02), 1.01))
    ax.margins(y=0.1)
    return figure
