"""Chapter 04: what the search finds, and the optimum."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from heed.evidence import Row
from heed.show.colours import GRID, INK, LINE, NOTE, SERIES
from heed.show.figures.common import (
    SMALL,
    WIDTH,
    broken,
    by_class,
    colour_of,
    groups,
    histogram_numbers,
    label_of,
    legend_below,
    named_above,
    word_rows,
)
from heed.show.figures.numbers import Numbers, counts, names_of
from heed.show.sentences import counted, signed
from heed.show.style import LABELS, LINES, MARKERS, title_of
from heed.show.words import text_for

JSD = {"limits": (0, 0.7), "bins": 40}
# What each other attention is called, its marker, and where its name stands beside that, in points.
YARDSTICKS = {
    "equal": ("equal weights", "x", (7, 0), "center"),
    "other_seed": ("another seed", "+", (-3, -6), "top"),
}
PITCH = 0.72  # inches a corpus has
ROOM = 0.24  # JSD from which on an attention's name has room at the left of its line


def shares_above(table: pd.DataFrame, exact: bool, scale: dict[str, float], border: float) -> Figure:
    """The paper's figure 4 as shares: of how many texts the ε-max JSD is so large or larger.

    A line exactly and one by search, else of the best known and of the upper bound, too, each named with how
    many texts are above `border`, where a dashed line stands. scale: the JSD of other attentions, by their
    names: a line each. It fits a phone.
    """
    named = {"optimum": "exact" if exact else "best known", "found": "by search", "bound": "upper bound"}
    if exact:
        named.pop("bound")
    figure, ax = plt.subplots(figsize=(WIDTH, 3.3))
    for i, (column, name) in enumerate(named.items()):
        values = np.sort(table[column].dropna())
        above = int((values > border).sum())
        look = {"color": SERIES[i], "linestyle": LINES[i]}
        look["label"] = f"{name}: {above} of {counted(len(values))} above {border:g}"
        ax.step(np.append(0, values), np.linspace(1, 0, len(values) + 1), where="pre", **look)
        ax.plot(border, above / max(len(values), 1), "o", color=SERIES[i], markersize=5)
    for i, (name, x) in enumerate(sorted(scale.items(), key=lambda pair: pair[1])):
        ax.axvline(x, color=LINE, linewidth=0.8)
        is_left = x > ROOM
        ax.annotate(name, (x, 0.05 + 0.1 * i), (-4 if is_left else 4, 0), textcoords="offset points",
                    ha="right" if is_left else "left", color=NOTE, fontsize=SMALL)  # fmt: skip
    _at_most(ax)
    _border(ax, border)
    ax.set(xlim=(0, 0.72), ylim=(0, 1.03), xlabel="x: ε-max JSD (nats)")
    ax.set_ylabel(f"share of the {len(table):,} texts\nwith at least x" if len(table) > 1 else "the one text")
    _key_above(ax, 1)
    return figure


def _at_most(ax) -> None:
    """An upright line at ln 2, the most that there can be."""
    ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ax.annotate("ln 2 = 0.69", (np.log(2), 1), (8, 2), textcoords="offset points", ha="right", va="bottom",
                xycoords=("data", "axes fraction"), color=NOTE, fontsize=SMALL)  # fmt: skip


def _border(ax, border: float) -> None:
    """A dashed upright line at what the first page's test 2 allows."""
    ax.axvline(border, color=INK, linewidth=0.8, linestyle="--")
    ax.annotate(f"test 2: {border:g}", (border, 1), (6, 2), textcoords="offset points", ha="right",
                va="bottom", xycoords=("data", "axes fraction"), fontsize=SMALL)  # fmt: skip


def _key_above(ax, columns: int) -> None:
    """A legend above a panel and the names of its upright lines, where a reader begins."""
    above = offset_copy(ax.transAxes, ax.figure, y=14, units="points")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), bbox_transform=above, ncols=columns, fontsize=SMALL,
              borderaxespad=0)  # fmt: skip


def optimum_shares(tables: dict[str, pd.DataFrame], classes, exact: bool = True) -> Figure:
    """The paper's figure 4 as shares: of how many texts the ε-max JSD is so large or larger.

    By predicted class; by search and exactly, else best known and the upper bound; a row an encoder.
    """
    return draw_optimum_shares(optimum_numbers(tables, classes, exact), classes, exact)


def optimum_numbers(tables: dict[str, pd.DataFrame], classes, exact: bool = True) -> Numbers:
    """Figure 4's bins: 40 on [0, 0.7]."""
    columns = ("found", "optimum") if exact else ("found", "optimum", "bound")
    return histogram_numbers(tables, classes, columns, **JSD)


def draw_optimum_shares(numbers: Numbers, classes, exact: bool = True) -> Figure:
    """What `optimum_shares` draws, of `optimum_numbers`: a step at each bin's lower edge, as far as ln 2."""
    names, columns = names_of(numbers, "panel"), names_of(numbers, "quantity")
    edges = np.linspace(*JSD["limits"], JSD["bins"] + 1)
    edges[-1] = np.log(2)  # there is no JSD above
    size = 3.3 * len(columns), 1.9 * len(names) + 0.9
    figure, axes = plt.subplots(
        len(names), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    for row, name in zip(axes, names, strict=True):
        for ax, column in zip(row, columns, strict=True):
            texts = 0
            for c, label, group in groups(classes):
                own = counts(numbers, (name, group, column), JSD["bins"])
                texts += int(own.sum())
                if own.sum():
                    left = np.append(own[::-1].cumsum()[::-1], 0) / own.sum()
                    look = {"color": colour_of(c, classes), "linestyle": LINES[c], "label": label}
                    ax.step(edges, left, where="post", **look)
            ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
            ax.set(ylim=(0, 1.03))
            said = f"{title_of(name)}\n{texts:,} texts".strip()
            ax.annotate(said, (0.03, 0.06), xycoords="axes fraction", va="bottom")
        row[0].set_ylabel(f"share of {'the class' if by_class(classes) else 'all texts'}\nwith at least x")
    axes[0][0].set_xlim(0, 0.72)
    for ax in axes[0]:
        ax.annotate("ln 2", (np.log(2), 1.03), ha="center", va="bottom", color=NOTE)
    for ax, column in zip(axes[-1], columns, strict=True):
        ax.set_xlabel(broken(f"x: {label_of(column, exact)}"))
    legend_below(figure, axes[0][0], len(classes))
    return figure


def two_words(row: Row, other: np.ndarray, needed: np.ndarray | None = None) -> Figure:
    """A text's attention and other attention (T,), on one scale, beside its words' values to the one logit.

    A row a word, after its number; across the values stands the sum that the model's own weights give.
    needed: which words' names are bold, (T,). It fits a phone.
    """
    values = row.values[:, 0]
    words = [f"{i} {unit}" for i, unit in enumerate(row.units, 1)]
    panels = {"model's own": row.attention, "furthest": other, "word's value": values}
    figure = word_rows(words, panels)
    for ax in figure.axes[:2]:
        ax.set_xlim(0, 1.05 * max(row.attention.max(), other.max()))
    own = row.attention @ values
    figure.axes[2].axvline(own, color=INK, linewidth=1, linestyle="--")
    figure.supxlabel(f"dashed: the model's own sum, {signed(own)}", x=0.99, ha="right", fontsize=SMALL)
    if needed is not None:
        bold = {text_for(words[i], "figure") for i in np.flatnonzero(needed)}
        for label in figure.axes[0].get_yticklabels():
            label.set_weight("bold" if label.get_text().strip("… ") in bold else "normal")
    return figure


def of_corpora(means: pd.DataFrame, border: float) -> Figure:
    """Mean exact ε-max JSD by corpus and encoder, a mark with its seeds' range.

    means: columns corpus, encoder, optimum, optimum_low, optimum_high, equal, other_seed, seeds, texts; a row
    a pair, means over its seeds. equal, other_seed: the JSD of other attentions, where there are some: a
    cross and a plus, named where there are the first. At the border stands a dashed line. It fits a phone.
    """
    corpora = _by_room(means)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.56 * len(corpora) + 1.3))
    named = set()
    for own, y, look in _rows(means, corpora):
        ax.hlines(y, own["optimum_low"], own["optimum_high"], color=look["color"], linewidth=2, alpha=0.5)
        ax.plot(own["optimum"], y, **look)
        for column, (called, marker, beside, va) in YARDSTICKS.items():
            ax.plot(own[column], y, marker, color=NOTE, markeredgewidth=1.4)
            known = own[column].notna()
            if known.any() and called not in named:
                first = y[known].idxmin()
                ax.annotate(called, (own.loc[first, column], y[first]), beside, textcoords="offset points",
                            va=va, color=NOTE, fontsize=SMALL)  # fmt: skip
                named.add(called)
    _at_most(ax)
    _border(ax, border)
    ax.set(xlim=(0, 0.72), xlabel="mean JSD from the model's own attention (nats)")
    _key_above(ax, 3)
    return figure


def trends(means: pd.DataFrame, alike: float) -> Figure:
    """Spearman's ρ of the highest weight and the exact JSD, by corpus and encoder, with its seeds' range.

    means: columns corpus, encoder, optimum, spread, rho_optimum, rho_low, rho_high, seeds, texts; a row a
    pair. Hollow: the spread of the JSD over texts is below `alike`. It fits a phone.
    """
    corpora = _by_room(means)
    figure, ax = plt.subplots(figsize=(WIDTH, PITCH * len(corpora) + 1.6))
    for own, y, look in _rows(means, corpora):
        ax.hlines(y, own["rho_low"], own["rho_high"], color=look["color"], linewidth=2, alpha=0.5)
        is_tiny = own["spread"] < alike
        ax.plot(own["rho_optimum"][~is_tiny], y[~is_tiny], **look)
        ax.plot(own["rho_optimum"][is_tiny], y[is_tiny], fillstyle="none", **look | {"label": ""})
    if (means["spread"] < alike).any():
        hollow = f"hollow: JSD nearly the same for all\ntexts (standard deviation below {alike:g})"
        ax.plot([], [], "o", fillstyle="none", color=NOTE, label=hollow)
    ax.axvline(0, color=NOTE, linewidth=0.8)
    ax.set_xlim(-1, max(0.1, 1.1 * means["rho_high"].max()))
    ax.set_xlabel("rank correlation of the highest weight\nand the exact JSD")
    legend_below(figure, ax, 3)
    return figure


def _by_room(means: pd.DataFrame) -> list[str]:
    """The corpora, from most room to least: the order of both figures of real text."""
    return list(dict.fromkeys(means.sort_values("optimum", ascending=False)["corpus"]))


def _rows(means: pd.DataFrame, corpora: list[str]):
    """Of each encoder its rows, their heights among the corpora, and its look; the corpora are named."""
    names = [name for name in LABELS if name in {*means["encoder"]}]
    ax = plt.gca()
    seeds, texts = (means.groupby("corpus")[c].agg(["min", "max"]) for c in ("seeds", "texts"))
    labels = [f"{text_for(c, 'figure')}: {_seeds(*seeds.loc[c])}, {texts['max'][c]:,} texts" for c in corpora]
    named_above(ax, range(len(corpora)), labels, 0.4)
    for i in range(1, len(corpora)):
        ax.axhline(i - 0.6, color=GRID, linewidth=0.8, zorder=0)
    ax.set_ylim(len(corpora) - 0.5, -0.6)
    for k, name in enumerate(names):
        own = means[means["encoder"] == name]
        y = own["corpus"].map(corpora.index) + 0.2 * (k - (len(names) - 1) / 2) + 0.08
        look = {"color": SERIES[k], "marker": MARKERS[k], "markersize": 6, "linestyle": "none"}
        yield own, y, look | {"label": LABELS[name]}


def _seeds(least: int, most: int) -> str:
    """How many seeds there are of a corpus's encoders."""
    if least < most:
        return f"{least} to {most} seeds"
    return f"{most} seed{'s' if most > 1 else ''}"
