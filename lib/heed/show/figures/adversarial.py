"""Chapter 04: what the search finds, and the optimum."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.evidence import Row
from heed.measures.registry import MEASURES
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
from heed.show.style import LABELS, LINES, MARKERS, title_of
from heed.show.words import text_for

JSD = {"limits": (0, 0.7), "bins": 40}
YARDSTICKS = {"equal": ("equal weights", "x"), "other_seed": ("another seed", "+")}
PITCH = 0.72  # inches a corpus has
ROOM = 0.24  # JSD at which a name of an attention has room at the left of its line


def shares_above(table: pd.DataFrame, exact: bool, scale: dict[str, float], far: float) -> Figure:
    """The paper's figure 4 as shares: of how many texts the ε-max JSD is so large or larger.

    A line by search and one exactly, else of the best known and of the upper bound, each named with its share
    above `far`, where a dashed line stands. scale: the JSD of other attentions, by their names: a line each.
    It fits a phone.
    """
    named = {"found": "by search", "optimum": "exact" if exact else "best known", "bound": "upper bound"}
    if exact:
        named.pop("bound")
    figure, ax = plt.subplots(figsize=(WIDTH, 3.4))
    for i, (column, name) in enumerate(named.items()):
        values = np.sort(table[column].dropna())
        share = float((values > far).mean())
        look = {"color": SERIES[i], "linestyle": LINES[i], "label": f"{name}: {share:.0%} above {far:g}"}
        ax.step(np.append(0, values), np.linspace(1, 0, len(values) + 1), where="pre", **look)
        ax.plot(far, share, "o", color=SERIES[i], markersize=5)
    ax.axvline(far, color=INK, linewidth=0.8, linestyle="--")
    for i, (name, x) in enumerate(sorted(scale.items(), key=lambda pair: pair[1])):
        ax.axvline(x, color=LINE, linewidth=0.8)
        is_left = i == 0 and x > ROOM  # of two, which may be close, each has its own side and height
        ax.annotate(name, (x, 0.05 + 0.1 * i), (-4 if is_left else 4, 0), textcoords="offset points",
                    ha="right" if is_left else "left", color=NOTE, fontsize=SMALL)  # fmt: skip
    _at_most(ax)
    ax.set(xlim=(0, 0.72), ylim=(0, 1.03), xlabel="x: ε-max JSD (nats)")
    ax.set_ylabel(f"share of the {len(table):,} texts\nwith at least x" if len(table) > 1 else "the one text")
    legend_below(figure, ax, len(named))
    return figure


def _at_most(ax) -> None:
    """An upright line at ln 2, the most that there can be."""
    ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ax.annotate("ln 2 = 0.69", (np.log(2), 1), (8, 2), textcoords="offset points", ha="right", va="bottom",
                xycoords=("data", "axes fraction"), color=NOTE, fontsize=SMALL)  # fmt: skip


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


def two_words(row: Row, other: np.ndarray) -> Figure:
    """A text's attention and other attention (T,), on one scale, beside its words' values to the one logit.

    A row a word: it fits a phone.
    """
    panels = {"model's own": row.attention, "most different": other, "word's value": row.values[:, 0]}
    figure = word_rows(row.units, panels)
    for ax in figure.axes[:2]:
        ax.set_xlim(0, 1.05 * max(row.attention.max(), other.max()))
    return figure


def epsilon_curve(curve: pd.DataFrame) -> Figure:
    """Mean exact ε-max JSD over ε. It fits a phone."""
    figure, ax = plt.subplots(figsize=(WIDTH, 3))
    means = curve.groupby("epsilon")["optimum_at"].mean()
    ax.plot(range(len(means)), means, marker="o", color=SERIES[0])
    for i, mean in enumerate(means):
        ax.annotate(f"{mean:.2f}", (i, mean), (0, -6), textcoords="offset points", ha="center", va="top",
                    fontsize=SMALL)  # fmt: skip
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    look = {"textcoords": "offset points", "va": "bottom", "color": NOTE}
    ax.annotate("ln 2 = 0.69: the most there can be", (0, np.log(2)), (0, 5), fontsize=SMALL, **look)
    ax.set_xticks(range(len(means)), [f"{e:g}" for e in means.index])
    ax.set_yticks([0, 0.2, 0.4, 0.6])
    ax.set(
        xlabel="ε: allowed change of the\nprediction (TVD), not to scale",
        ylabel=f"mean {MEASURES['optimum_at'].label}".replace(" ε", "\nε"),
        xlim=(-0.5, len(means) - 0.5),
        ylim=(0, 0.8),
    )
    return figure


def of_corpora(means: pd.DataFrame) -> Figure:
    """Mean exact ε-max JSD by corpus and encoder, a mark with its seeds' range.

    means: columns corpus, encoder, optimum, optimum_low, optimum_high, equal, other_seed, seeds, texts; a row
    a pair, means over its seeds. equal, other_seed: the JSD of other attentions, where there are some: a
    cross and a plus. It fits a phone.
    """
    corpora = _by_room(means)
    figure, ax = plt.subplots(figsize=(WIDTH, PITCH * len(corpora) + 1.6))
    for own, y, look in _rows(means, corpora):
        ax.hlines(y, own["optimum_low"], own["optimum_high"], color=look["color"], linewidth=2, alpha=0.5)
        ax.plot(own["optimum"], y, **look)
        for column, (_, marker) in YARDSTICKS.items():
            ax.plot(own[column], y, **look | {"label": "", "marker": marker, "markeredgewidth": 1.4})
    for column, (called, marker) in YARDSTICKS.items():
        if means[column].notna().any():
            ax.plot([], [], marker, color=NOTE, markeredgewidth=1.4, label=called)
    _at_most(ax)
    ax.set(xlim=(0, 0.72), xlabel="mean exact ε-max JSD,\nor JSD of other attention (nats)")
    legend_below(figure, ax, 3)
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
    ax.set_ylim(len(corpora) - 0.6, -0.6)
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
