"""Chapter 02: rankings held against one another, and against the truth."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.measures import rankings
from heed.measures.correlation import PAIRS
from heed.measures.registry import MEASURES
from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import (
    broken,
    colour_of,
    draw_histograms,
    groups,
    histogram_numbers,
    legend_below,
)
from heed.show.figures.numbers import Numbers, counts, names_of
from heed.show.sentences import counted
from heed.show.style import MARKERS, OF_VECTORS

TAU = {"limits": (-1, 1), "bins": 30}
# Chapter 02: a pair of rankings, and a ranking, has its colour in every figure, and nothing else has it.
PAIR_OF = {
    "tau_gradient": "attention and gradient",
    "tau_loo": "attention and leave-one-out",
    "tau_gradient_loo": "gradient and leave-one-out",
}
OF_PAIRS = dict(zip(PAIR_OF.values(), SERIES, strict=False))
SINGLE = dict(zip(("attention", "gradient", "leave-one-out"), SERIES[len(OF_PAIRS) :], strict=True))
# All else is black or grey: what is drawn in one panel has dashes and marks of its own.
STEPS = {
    "forecast": INK,
    "bent forecast": NOTE,
    "zeroing and leave-one-out": INK,
    "IG (held) and leave-one-out": NOTE,
}
GREYS = dict(zip(OF_VECTORS.values(), (INK, NOTE, INK), strict=True))
APART = OF_PAIRS | SINGLE | STEPS | GREYS | {"accuracy": NOTE}
# Lines that others cover, or whose dashes are like another's.
MARKED = {"leave-one-out": "o", "zeroing and leave-one-out": "s", "IG (held) and leave-one-out": "^"}


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
    real: pd.DataFrame, reported: Mapping[tuple[str, str], Sequence[float]] | None = None
) -> Figure:
    """Three τ on real text, a row a model and pair of rankings: the mean over seeds, and each seed.

    The models of one profile and kind of vectors stand together. real: a row a model, with its encoder,
    vectors, profile and number of seeds, a column of means and one of the seeds' numbers for each pair.
    reported: published numbers by encoder and pair, ticks behind ours.
    """
    pairs = dict(zip(("gradient", "loo", "both"), OF_PAIRS, strict=True))
    kinds = real.groupby(["profile", "vectors"], sort=False)
    figure, ax = plt.subplots(figsize=(7, 0.62 * len(real) + 0.45 * kinds.ngroups + 1.1))
    at, names = 0.0, {}
    for (profile, vectors), own in kinds:
        seeds = counted(own["seeds"].max(), "seed")
        if own["seeds"].nunique() > 1:
            seeds = f"{own['seeds'].min()} to {seeds}"
        heading = f"profile {profile}, {vectors}, {seeds}"
        where = {"xycoords": ("axes fraction", "data"), "va": "center"}
        look = {"weight": "bold", "bbox": {"color": PAPER, "pad": 1}}
        ax.annotate(heading, (0.035, at + 0.12), **where, **look)
        for row in own.to_dict("records"):
            at += 1
            for j, (name, label) in enumerate(pairs.items()):
                y, seeds = at + 0.31 * (j - 1), row[f"{name}_seeds"]
                look = {"color": OF_PAIRS[label], "marker": MARKERS[j], "linestyle": ""}
                if theirs := (reported or {}).get((row["encoder"], name)):
                    tick = {"color": INK, "linestyle": "", "markersize": 13, "markeredgewidth": 1.6}
                    known = "Jain & Wallace" in ax.get_legend_handles_labels()[1]
                    ax.plot(theirs, [y] * len(theirs), "|", label=None if known else "Jain & Wallace", **tick)
                ax.plot(seeds, [y] * len(seeds), markersize=4, alpha=0.5, fillstyle="none", **look)
                ax.plot(row[name], y, markersize=7, label=None if names else label, **look)
                ax.annotate(f"{row[name]:.2f}", (1.02, y), xycoords=("axes fraction", "data"), va="center",
                            color=OF_PAIRS[label])  # fmt: skip
            names[at] = row["encoder"]
        at += 0.8
    ax.annotate("mean", (1.02, 0), xycoords=("axes fraction", "data"), va="center", color=NOTE)
    ax.set_yticks([*names], [*names.values()])
    ax.axvline(0, color=LINE, linewidth=0.8, zorder=0)
    low = min(0, *[min(seeds) for name in pairs for seeds in real[f"{name}_seeds"]])
    ax.set(xlim=(low - 0.02, 1), ylim=(at - 0.2, -0.5), xlabel="mean Kendall τ over the test texts")
    named = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    names = sorted(named, key=[*OF_PAIRS, "Jain & Wallace"].index)
    where = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 2}
    ax.legend([named[name] for name in names], names, **where)
    return figure


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


def significance(table: pd.DataFrame, level: float) -> Figure:
    """Attention's τ with gradient and leave-one-out against length, and the τ that such a text needs."""
    columns = ("tau_gradient", "tau_loo")
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.9), sharex=True, sharey=True)
    lengths = np.arange(max(table["length"].min(), 3), table["length"].max() + 1)
    from scipy.stats import norm  # the asymptotic null distribution of τ, without ties

    needed = norm.isf(level / 2) * np.sqrt(2 * (2 * lengths + 5) / (9 * lengths * (lengths - 1)))
    for ax, column in zip(axes, columns, strict=True):
        look = {"s": 9, "alpha": 0.6, "color": OF_PAIRS[PAIR_OF[column]], "rasterized": True, "linewidth": 0}
        ax.scatter(table["length"], table[column], **look)
        ax.plot(lengths, needed, color=INK, linewidth=1, label=f"τ needed for p = {level:g} (no ties)")
        ax.plot(lengths, -needed, color=INK, linewidth=1)
        ax.set(xlabel="length in tokens", ylabel=broken(MEASURES[column].label), ylim=(-1, 1))
    legend_below(figure, axes[0], 2)
    return figure


def truth(summary: pd.DataFrame, share: float, others: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Which ranking finds the deciding tokens: mean and interval of two measures, a row a ranking.

    Of those of `names` that the summary has. share: of tokens that decide, the precision by chance. others:
    the means of the same model with other seeds, a row a seed; small circles below the mean of all.
    """
    rows = summary[summary["class"] == "overall"].set_index("measure")
    shown = [rankings.compared()[name] for name in names if f"auroc_{name}" in rows.index]
    figure, axes = plt.subplots(1, 2, figsize=(7, 0.58 * len(shown) + 0.9), sharey=True)
    figure.set_layout_engine("constrained", w_pad=0.12)
    for ax, kind, chance in zip(axes, ("auroc", "precision"), (0.5, share), strict=True):
        for i, ranking in enumerate(shown):
            own, found = rows.loc[f"{kind}_{ranking.name}"], []
            if f"{kind}_{ranking.name}" in others:
                found = [*others[f"{kind}_{ranking.name}"]]
            alone = {"color": NOTE if found else INK, "markersize": 4 if found else 6}
            y = i + 0.34 if found else i
            if found:
                mean = np.mean([own["mean"], *found])
                ax.plot(mean, i, "D", color=INK, markersize=8, label=None if i else "mean over all seeds")
                ax.plot(found, [y] * len(found), "o", color=NOTE, markersize=4, fillstyle="none",
                        label=None if i else "other seeds")  # fmt: skip
            ax.plot(own[["low", "high"]], [y, y], color=alone["color"], linewidth=1)
            ax.plot(own["mean"], y, "o", label=None if i else "this seed, 95 % interval", **alone)
        what = {"auroc": "AUROC: the whole order", "precision": "precision: the top alone"}[kind]
        ax.set(xlim=(0, 1.02), xlabel=what, ylim=(len(shown) - 0.35, -0.45))
        ax.set_yticks(range(len(shown)), [ranking.label for ranking in shown])
        ax.axvline(chance, color=LINE, linewidth=0.8)
        where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
        ax.annotate("chance", (chance, 1), color=NOTE, **where)
    legend_below(figure, axes[0], 3)
    return figure
