"""Chapter 03: what explains what permuting does."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed.measures.registry import MEASURES
from heed.show.figures.common import colour_of, groups_of, legend_below
from heed.show.style import MARKERS


def explained(table: pd.DataFrame, classes) -> Figure:
    """What permuting does to the logit, exactly, against alignment and peakiness times dispersion."""
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.9), sharey=True)
    x = {"alignment": table["alignment"].abs(), "product": table["peakiness"] * table["dispersion"]}
    labels = {"alignment": "|alignment ρ|", "product": "peakiness A × dispersion R"}
    for ax, name in zip(axes, x, strict=True):
        for c, label, rows in groups_of(table, classes):
            look = {
                "s": 9,
                "alpha": 0.5,
                "color": colour_of(c, classes),
                "marker": MARKERS[c],
                "linewidth": 0,
            }
            ax.scatter(x[name][rows.index], rows["rms_logit"], rasterized=True, label=label, **look)
        ax.set(xlabel=labels[name])
    axes[0].set_ylabel(MEASURES["rms_logit"].label)
    legend_below(figure, axes[0], len(classes))
    return figure
