"""Chapter 12: numbers over corpora."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import GRID, NOTE, SERIES
from heed.show.figures.common import broken, legend_below
from heed.show.words import text_for


def by_corpus(table: pd.DataFrame, labels: dict[str, str], lines: dict[str, float] | None = None) -> Figure:
    """Numbers over corpora: a panel a measure, a point a model (mean over seeds, bar from lowest to highest).

    table: corpus, model, measure, mean (one row a seed), models in order. labels: measure to its axis label,
    in order. lines: measure to a value to be held against, dashed.
    """
    corpora, models = sorted(set(table["corpus"])), list(dict.fromkeys(table["model"]))
    kinds = zip((SERIES * 2)[:10], "osD^vPsDov", ["full"] * 3 + ["none"] * 7, strict=True)  # no two alike
    looks = [{"color": colour, "marker": marker, "fillstyle": fill} for colour, marker, fill in kinds]
    size = 3.2 * len(labels) + 1, 0.22 * len(corpora) * (len(models) + 1) + 1.2
    figure, axes = plt.subplots(1, len(labels), figsize=size, sharey=True, squeeze=False)
    for ax, (measure, label) in zip(axes[0], labels.items(), strict=True):
        own = table[table["measure"] == measure].groupby(["corpus", "model"])["mean"]
        for (corpus, model), values in own:
            i = models.index(model)
            y = corpora.index(corpus) + (i - (len(models) - 1) / 2) / (len(models) + 1)
            ax.plot([values.min(), values.max()], [y, y], color=looks[i % 10]["color"], linewidth=1.5)
            ax.plot(values.mean(), y, linestyle="none", markersize=5, **looks[i % 10])
        if lines and measure in lines:
            ax.axvline(lines[measure], color=NOTE, linewidth=0.8, linestyle="--")
        for border in range(1, len(corpora)):
            ax.axhline(border - 0.5, color=GRID)
        ax.set(xlabel=broken(label), ylim=(len(corpora) - 0.4, -0.6))
        ax.grid(axis="x", color=GRID)
    axes[0][0].set_yticks(range(len(corpora)), [text_for(corpus, "figure") for corpus in corpora])
    for i, model in enumerate(models):
        axes[0][0].plot([], [], label=text_for(model, "figure"), **looks[i % 10])
    legend_below(figure, axes[0][0], 3)
    return figure
