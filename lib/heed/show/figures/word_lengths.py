"""Chapter 02: measures against the norm of the initial word vectors."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

from heed.models.encoders import ENCODERS
from heed.show.colours import GRID, INK, LINE, NOTE, SERIES
from heed.show.figures.common import broken, legend_below
from heed.show.figures.correlation import PHONE
from heed.show.sentences import counted
from heed.show.style import LABELS, LINES, OF_VECTORS
from heed.show.words import text_for

TICKS = (1, 2, 4, 8, 16, 32, 64)


def by_length(
    table: pd.DataFrame,
    labels: dict[str, str | dict[str, str]],
    lines: dict[str, float] | None = None,
    usual: dict[str, float] | None = None,
    colours: dict[str, str] | None = None,
    spread: bool = False,
    marks: dict[str, str] | None = None,
    narrow: bool = False,
) -> Figure:
    """Measures against the vectors' median norm: a row of panels an encoder, a column a label.

    table: a row a run, as `experiments.word_lengths` makes it. labels: what a column of panels is of to
    the measure in it, a line a kind of vectors; or to several, by their names, a line each, means over kinds.
    A line runs through the means at a norm; where lines are of kinds of vectors, a point is a run. lines:
    measure, or label of several, to a value to be held against, dashed. usual: the norm that each kind of
    vectors comes with: ticks at the top, named in the first panel. colours: of lines, by their names; those
    that aren't named have the series' colours in turn. spread: behind a line of means over several kinds a
    band from the lowest to the highest kind, told in the legend. marks: of lines that others may cover, by
    their names. narrow: one panel fits a phone.
    """
    encoders = [name for name in ENCODERS if name in set(table["encoder"])]
    alone = len(encoders) == len(labels) == 1
    one = PHONE if narrow else 5.6
    size = one if alone else 3.3 * len(labels) + 0.3, 1.7 * len(encoders) + (1.6 if alone else 1.1)
    shared = {"sharex": True, "sharey": "col", "squeeze": False}
    figure, axes = plt.subplots(len(encoders), len(labels), figsize=size, **shared)
    kinds = [kind for kind in OF_VECTORS if kind in set(table["vectors"])]
    kinds += sorted(set(table["vectors"]) - set(kinds))
    colours, usual, marks = colours or {}, usual or {}, marks or {}
    named = [name for measures in labels.values() if not isinstance(measures, str) for name in measures]
    for column, (label, measures) in zip(axes.T, labels.items(), strict=True):
        column[0].set_title(broken(label))
        for ax, encoder in zip(column, encoders, strict=True):
            own = table[table["encoder"] == encoder]
            if isinstance(measures, str):
                for i, kind in enumerate(kinds):
                    called = OF_VECTORS.get(kind) or text_for(kind, "figure")
                    look = _look(i, colours.get(called))
                    _line(ax, own[own["vectors"] == kind], measures, look, called, points=True)
            else:
                for name, measure in measures.items():
                    look = _look(named.index(name), colours.get(name), marks.get(name))
                    if spread and own["vectors"].nunique() > 1:
                        _band(ax, own, measure, look["color"])
                    _line(ax, own, measure, look, name, points=False)
            ax.grid(axis="y", color=GRID)
            ax.set(xscale="log", ylim=_ends(table, measures))
            if ax.get_ylim()[0] < 0:
                ax.axhline(0, color=LINE, linewidth=0.8)
            held = (lines or {}).get(measures if isinstance(measures, str) else label)
            if held is not None:
                ax.axhline(held, color=NOTE, linewidth=0.8, linestyle="--")
            ax.vlines(
                [*usual.values()], 0.94, 1, transform=ax.get_xaxis_transform(), color=INK, linewidth=1.2
            )
    named_norms = _together(usual)
    for i, (names, norm) in enumerate(named_norms):  # the first and the last turn away from each other
        side = (
            "center" if len(named_norms) == 1 else {0: "right", len(named_norms) - 1: "left"}.get(i, "center")
        )
        where = {"xycoords": ("data", "axes fraction"), "ha": side, "va": "top", "fontsize": 9}
        axes[0][0].annotate("\n".join(names), (norm, 0.92), **where)
    if len(encoders) > 1:  # of one the figure's title says it
        for ax, encoder in zip(axes[:, 0], encoders, strict=True):
            ax.set_ylabel(LABELS[encoder], weight="bold")
    for ax in axes[-1]:
        ax.set(xlabel="norm of a word's vector (median, log scale)", xticks=_ticks(table["norm"]))
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_locator(NullLocator())
    for i, name in enumerate(named):  # of the other columns of panels, too
        if name not in axes[0][0].get_legend_handles_labels()[1]:
            axes[0][0].plot([], [], label=name, **_look(i, colours.get(name), marks.get(name)))
    banded = spread and len(kinds) > 1
    if banded:
        label = f"range of {len(kinds)} kinds of\nvectors ({counted(table['seed'].nunique(), 'seed')})"
        axes[0][0].fill_between([], [], color=NOTE, alpha=0.3, linewidth=0, label=label)
    if narrow:  # the panel's name stands above its legend
        axes[0][0].legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
        axes[0][0].set_title(axes[0][0].get_title(), pad=16 * (len(named) + 2 * banded) + 8)
    else:
        legend_below(figure, axes[0][0], 3)
    return figure


def _together(usual: dict[str, float]) -> list[tuple[list[str], float]]:
    """The names of norms with their numbers, those in one place that lie within a fifth of each other."""
    found: list[tuple[list[str], float]] = []
    for kind, norm in sorted(usual.items(), key=lambda own: own[1]):
        name = f"{(OF_VECTORS.get(kind) or text_for(kind, 'figure')).removesuffix(' vectors')} {norm:.2g}"
        if found and norm < 1.2 * found[-1][1]:
            found[-1][0].append(name)
        else:
            found.append(([name], norm))
    return found


def _ends(table: pd.DataFrame, measures: str | dict[str, str]) -> tuple[float, float]:
    """From 0, or from below it, to 1, so that panels can be held against one another.

    Accuracy from a half.
    """
    names = [measures] if isinstance(measures, str) else list(measures.values())
    least = table[names].min(axis=None)
    if names == ["accuracy"]:
        return min(least, 0.5), 1
    return (-1 if least < -0.5 else -0.5 if least < 0 else 0), 1


def _ticks(norms: pd.Series) -> list[float]:
    """Powers of two that lie among these lengths, or the ends."""
    found = [tick for tick in TICKS if norms.min() * 0.9 <= tick <= norms.max() * 1.1]
    return found if len(found) > 1 else [round(norms.min(), 1), round(norms.max(), 1)]


def _line(ax, own: pd.DataFrame, measure: str, look: dict, label: str, points: bool) -> None:
    """A line through the means over what lies at one norm, to two digits; points: the runs, too."""
    own = own.dropna(subset=[measure])
    at = own["norm"].map("{:.2g}".format).rename("at")
    means = own.groupby(at)[["norm", measure]].mean().sort_values("norm")
    if points:
        ax.plot(own["norm"], own[measure], "o", color=look["color"], markersize=2.5, alpha=0.5)
    ax.plot(means["norm"], means[measure], label=label, **look)


def _band(ax, own: pd.DataFrame, measure: str, colour: str) -> None:
    """From the lowest to the highest kind of vectors at each norm, to two digits."""
    own = own.dropna(subset=[measure])
    at = own["norm"].map("{:.2g}".format).rename("at")
    kinds = own.groupby([at, "vectors"])[["norm", measure]].mean().groupby("at")
    norms = kinds["norm"].mean().sort_values()
    low, high = (found[norms.index] for found in (kinds[measure].min(), kinds[measure].max()))
    ax.fill_between(norms, low, high, color=colour, alpha=0.13, linewidth=0)


def _look(i: int, colour: str | None = None, mark: str | None = None) -> dict:
    """Look of the i-th line. colour: another than the series'; mark: an open one at each norm."""
    look = {"color": colour or SERIES[i % len(SERIES)], "linestyle": LINES[i % len(LINES)]}
    look |= {"linewidth": 2} if colour else {}
    return look | (
        {"marker": mark, "markersize": 6, "fillstyle": "none", "markeredgewidth": 1.5} if mark else {}
    )
