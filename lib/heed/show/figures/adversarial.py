"""Chapter 04: what the search finds, and the optimum."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.show.colours import INK, NOTE, SERIES
from heed.show.figures.common import (
    colour_of,
    draw_histograms,
    groups_of,
    histogram_numbers,
    label_of,
    legend_below,
)
from heed.show.figures.numbers import Numbers
from heed.show.style import LINES

JSD = {"limits": (0, 0.7), "bins": 40}


def optimum_histograms(tables: dict[str, pd.DataFrame], classes, exact: bool = True) -> Figure:
    """Figure 4: the ε-max JSD, by search and exact (else best known, and bound), 40 bins on [0, 0.7]."""
    return draw_optimum_histograms(optimum_numbers(tables, classes, exact), classes, exact)


def optimum_numbers(tables: dict[str, pd.DataFrame], classes, exact: bool = True) -> Numbers:
    """Figure 4's bins."""
    columns = ("found", "optimum") if exact else ("found", "optimum", "bound")
    return histogram_numbers(tables, classes, columns, **JSD)


def draw_optimum_histograms(numbers: Numbers, classes, exact: bool = True) -> Figure:
    """What `optimum_histograms` draws, of `optimum_numbers`."""
    return draw_histograms(numbers, classes, **JSD, exact=exact)


def found_against_optimum(table: pd.DataFrame, exact: bool = True) -> Figure:
    """Each text's search result against its optimum, or the best known: nothing can lie above the line."""
    figure, ax = plt.subplots(figsize=(3.9, 3.6))
    ax.plot([0, np.log(2)], [0, np.log(2)], color=INK, linewidth=0.8)
    look = {"s": 9, "alpha": 0.5, "color": SERIES[0], "rasterized": True, "linewidth": 0}
    ax.scatter(table["optimum"], table["found"], **look)
    ax.set(xlabel=label_of("optimum", exact), ylabel=label_of("found"), xlim=(0, 0.71), ylim=(0, 0.71))
    return figure


def epsilon_curve(curve: pd.DataFrame, classes) -> Figure:
    """Mean exact ε-max JSD over ε, by predicted class."""
    figure, ax = plt.subplots(figsize=(5.6, 2.8))
    epsilons = sorted(curve["epsilon"].unique())
    for c, label, rows in groups_of(curve, classes):
        means = rows.groupby("epsilon")["optimum_at"].mean()
        if len(means):
            look = {"color": colour_of(c, classes), "linestyle": LINES[c], "label": label}
            ax.plot(range(len(means)), means, marker="o", **look)
    ax.axhline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    ax.annotate("ln 2", (0, np.log(2)), va="bottom", color=NOTE)
    ax.set_xticks(range(len(epsilons)), [f"{e:g}" for e in epsilons])
    ax.set(
        xlabel="ε: allowed change of the prediction (TVD)",
        ylabel=f"mean {MEASURES['optimum_at'].label}",
        ylim=(0, 0.74),
    )
    legend_below(figure, ax, len(classes))
    return figure
