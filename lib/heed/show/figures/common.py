"""Figures that several chapters draw, and what all share. Labels come from the registry of measures."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.show.colours import CLASSES, LINE, NOTE, PAPER, SERIES
from heed.show.style import HATCHES, LINES, title_of
from heed.show.words import breadth, right_to_left, text_for


def by_class(classes) -> bool:
    """Whether texts are told apart by class: there are some, and no more than there are colours."""
    return 0 < len(classes) <= len(CLASSES)


def colour_of(c: int, classes) -> str:
    """The colour of class c; of all texts as one group, which is no class, that of a series."""
    return CLASSES[c] if by_class(classes) else SERIES[0]


def groups_of(table: pd.DataFrame, classes) -> list[tuple[int, str, pd.DataFrame]]:
    """Number, label and rows of each predicted class; of all texts if they aren't told apart by class."""
    if not by_class(classes):
        return [(0, "all texts", table)]
    return [(c, label, table[table["predicted"] == c]) for c, label in enumerate(predicted(classes))]


def predicted(classes) -> list[str]:
    """What a legend calls each class's texts; where names would read alike, all have their numbers, too."""
    names = [text_for(name, "figure") for name in classes]
    if len({*names}) == len(names):
        return [f"predicted {name}" for name in names]
    return [f"predicted {c}: {name}" for c, name in enumerate(names)]


def histogram(ax, table: pd.DataFrame, column: str, classes, bins) -> None:
    """Outlined, lightly filled histograms by predicted class, each normalised to 1."""
    for c, label, rows in groups_of(table, classes):
        values = rows[column].dropna()
        if len(values) == 0:
            continue
        weights = np.full(len(values), 1 / len(values))
        style = {"bins": bins, "weights": weights, "histtype": "stepfilled"}
        ax.hist(values, color=colour_of(c, classes), alpha=0.25, **style)
        style |= {"histtype": "step", "linestyle": LINES[c], "linewidth": 1.5}
        ax.hist(values, color=colour_of(c, classes), label=label, **style)


def label_of(column: str, exact: bool = True) -> str:
    """A measure's label; with a head that isn't one linear logit the best point known isn't the optimum."""
    return MEASURES[column].label if exact else MEASURES[column].label.replace("exact", "best known")


def histograms(tables: dict[str, pd.DataFrame], classes, columns, limits, bins: int, exact=True) -> Figure:
    """Measures by predicted class: a row an encoder (by its name; `""` for one alone), a column a measure."""
    size = 3.4 * len(columns), 1.9 * len(tables) + 0.8
    figure, axes = plt.subplots(
        len(tables), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    for row, (name, table) in zip(axes, tables.items(), strict=True):
        for ax, column in zip(row, columns, strict=True):
            histogram(ax, table, column, classes, np.linspace(*limits, bins + 1))
            limit_line(ax, column, len(tables) == 1)
            ax.set(xlim=(limits[0], max(limits[1], 0.72)))
            ax.annotate(title_of(name), (0.02, 0.9), xycoords="axes fraction", weight="bold")
        row[0].set_ylabel("share of the " + ("class" if by_class(classes) else "texts"))
    for ax, column in zip(axes[-1], columns, strict=True):
        ax.set_xlabel(broken(label_of(column, exact)))
    legend_below(figure, axes[0][0], len(classes))
    return figure


def limit_line(ax, column: str, named: bool) -> None:
    """A thin line at 0 of a correlation, at ln 2 of a JSD."""
    if MEASURES[column].range[0] < 0:
        ax.axvline(0, color=LINE, linewidth=0.8)
    else:
        ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
        if named:
            ax.annotate("ln 2", (np.log(2), 1), xycoords=("data", "axes fraction"), ha="center",
                        va="bottom", color=NOTE)  # fmt: skip


def bars(words: list[str], weights: dict[str, np.ndarray], alike: bool = False) -> Figure:
    """Weights over the words of one text, a panel a kind of weight; alike: all on one scale.

    The words run from left to right, those of a right-to-left text from right to left. What the names of
    `weights` quote, such as a class's name, the caller has from `text_for(..., "figure")`.
    """
    labels = [text_for(word, "figure") for word in words]
    longest = max(breadth(label) for label in labels)
    beside = max(breadth(line) for name in weights for line in name.splitlines())
    width = max(min(0.5 * len(words) + 1.5, 11), 0.075 * beside + 1.4)
    height = 1.15 * len(weights) + 0.7 + 0.1 * max(longest - 16, 0)
    figure, axes = plt.subplots(len(weights), 1, figsize=(width, height), sharex=True, squeeze=False)
    for i, (ax, (name, values)) in enumerate(zip(axes[:, 0], weights.items(), strict=True)):
        look = {"color": SERIES[i % len(SERIES)], "hatch": HATCHES[i % len(HATCHES)], "edgecolor": PAPER}
        ax.bar(range(len(words)), values, **look)
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ends = np.concatenate([*weights.values()]) if alike else values
        ax.set_ylim(min(0, 1.05 * float(np.min(ends))), 1.05 * float(np.max(ends)) if alike else None)
        ax.axhline(0, color=LINE, linewidth=0.8)
    axes[-1, 0].set_xticks(range(len(words)), labels, rotation=60, ha="right")
    if right_to_left(" ".join(words)):
        axes[-1, 0].invert_xaxis()
    return figure


def broken(label: str) -> str:
    """A long axis label on two lines."""
    middle = label.find(" ", len(label) // 2 - 2)
    return label if len(label) < 32 or middle < 0 else f"{label[:middle]}\n{label[middle + 1 :]}"


def legend_below(figure: Figure, ax, columns: int) -> None:
    """A legend under the panels, of what the axes have labels for: these columns, or fewer that fit."""
    handles, labels = ax.get_legend_handles_labels()
    asked = max(min(columns, len(handles), 4), 1)
    for ncols in range(asked, 0, -1):
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if ncols == 1 or box.width < 0.97 * figure.bbox.width:
            break
        legend.remove()
    more = math.ceil(len(handles) / ncols) - math.ceil(len(handles) / asked)
    figure.set_figheight(figure.get_figheight() + 0.2 * more)  # so many lines more
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):  # a cloud's small pale point is no key to its colour
            handle.set(sizes=[30], alpha=1)


BINS = ("0 – 0.25", "0.25 – 0.5", "0.5 – 0.75", "0.75 – 1")


def peak_bin(max_attention: pd.Series) -> pd.Categorical:
    """The paper's four bins of the highest attention weight; the last is closed on both sides."""
    codes = np.minimum((max_attention.to_numpy() / 0.25).astype(int), 3)
    return pd.Categorical.from_codes(codes, BINS, ordered=True)


def violins(
    tables: dict[str, pd.DataFrame],
    column: str,
    classes,
    limits: tuple[float, float],
    exact: bool = True,
    of_encoders: bool = True,
) -> Figure:
    """Figures 3 and 5: a measure (x) by bins of the highest attention (y) and predicted class.

    tables: a panel each, by the encoder's name (`""` for one alone), or by its title if not of_encoders.
    """
    size = (7.2, 3.6) if len(tables) == 1 else (3.6 * len(tables), 3.8)
    figure, axes = plt.subplots(1, len(tables), figsize=size, sharex=True, squeeze=False)
    order = [label for _, label, _ in groups_of(next(iter(tables.values())), classes)]
    for ax, (name, table) in zip(axes[0], tables.items(), strict=True):
        shown = pd.DataFrame(
            {
                "value": table[column],
                "bin": peak_bin(table["max_attention"]),
                "predicted": [order[c if len(order) > 1 else 0] for c in table["predicted"]],
            }
        ).dropna()
        sns.violinplot(
            shown, x="value", y="bin", hue="predicted", hue_order=order, order=BINS[::-1], ax=ax, cut=0,
            inner="quart", density_norm="width", linewidth=0.9, legend=len(order) > 1,
            palette={label: colour_of(c, classes) for c, label in enumerate(order)},
        )  # fmt: skip
        counts = shown["bin"].value_counts()
        ax.set_yticks(range(4), [f"{bin}\n{counts.get(bin, 0)} texts" for bin in BINS[::-1]])
        title = title_of(name) if of_encoders else name
        ax.set(xlim=limits, xlabel=broken(label_of(column, exact)), ylabel="", title=title)
        if ax.get_legend():
            ax.get_legend().remove()
    axes[0][0].set_ylabel(MEASURES["max_attention"].label)
    legend_below(figure, axes[0][0], len(classes))
    return figure
