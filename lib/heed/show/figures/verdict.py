"""Chapter 12: numbers over corpora."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.runs.products import declared
from heed.show.colours import GRID, LINE, NOTE, SERIES
from heed.show.figures.common import broken, legend_below
from heed.show.style import LABELS
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


OF_CELLS = {"mean": "", "std": "standard deviation over texts", "significant": "share of significant texts"}


def before_and_after(cells: pd.DataFrame) -> Figure:
    """How far our numbers lie from the published ones, with the profile's own vectors and with general ones.

    cells: as `verdict.before_and_after` makes them. A panel a measure and statistic, a line a published cell;
    a bar goes from our lowest seed to the highest, so a cell whose bar reaches 0 lies within (filled).
    """
    declared()  # so that each measure's label is known
    kinds = list(cells.groupby(["statistic", "measure"], sort=False).groups)
    order = [*OF_CELLS]
    kinds.sort(key=lambda kind: (order.index(kind[0]), kind[1]))
    columns = min(len(kinds), 3)
    rows = -(-len(kinds) // columns)
    most = cells.groupby(["statistic", "measure"]).size().max()
    size = 3.2 * columns + 1.4, rows * (0.2 * most + 1.1) + 0.6
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for ax in axes.flat[len(kinds) :]:
        ax.set_axis_off()
    for ax, (statistic, measure) in zip(axes.flat, kinds, strict=False):
        own = cells[(cells["statistic"] == statistic) & (cells["measure"] == measure)]
        own = own.sort_values(["encoder", "source", "corpus", "class"], kind="stable")
        for y, cell in enumerate(own.to_dict("records")):
            for when, colour, by in (("before", NOTE, -0.16), ("after", SERIES[0], 0.16)):
                low, mean, high = (cell[f"{end}_{when}"] - cell["reported"] for end in ("min", "mean", "max"))
                ax.plot([low, high], [y + by, y + by], color=colour, linewidth=1.5)
                fill = "full" if cell[f"cell_{when}"] == "within" else "none"
                ax.plot(mean, y + by, "o", color=colour, fillstyle=fill, markersize=4)
        ax.axvline(0, color=LINE, linewidth=0.8)
        ax.set_yticks(range(len(own)), [_cell(cell) for cell in own.to_dict("records")], fontsize=7)
        ax.set(ylim=(len(own) - 0.4, -0.6), xlabel="ours less the published")
        ax.grid(axis="x", color=GRID)
        inside = [(own[f"cell_{when}"] == "within").sum() for when in ("before", "after")]
        called = broken(MEASURES[measure].label if measure in MEASURES else measure)
        counts = f"of {len(own)} within: {inside[0]} before, {inside[1]} after"
        ax.set_title("\n".join(filter(None, (called, OF_CELLS[statistic], counts))), fontsize=8)
    first = axes[0][0]
    first.plot([], [], "o-", color=NOTE, markersize=4, label="before: the profile's vectors")
    first.plot([], [], "o-", color=SERIES[0], markersize=4, label="after: general vectors")
    legend_below(figure, first, 2)
    return figure


def _cell(cell: dict) -> str:
    """What a published cell is called beside its line."""
    of_class = "" if cell["class"] == "overall" else f", class {cell['class']}"
    of_source = ", site" if cell["source"] == "site" else ""
    return f"{LABELS[cell['encoder']]}, {text_for(cell['corpus'], 'figure')}{of_class}{of_source}"
