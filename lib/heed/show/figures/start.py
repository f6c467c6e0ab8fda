"""Chapter 00: what the debate found, corpus by corpus."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.style import LABELS

# What a panel is of: the measure, its ends (None: as the points lie), what its best known end means.
PANELS = {
    "tau_gradient": ("τ of attention and gradient", (-0.05, 1), "1: the same order of the words"),
    "median_change": (
        "change of the prediction\nby a typical shuffle (TVD)",
        (-0.05, 1),
        "1: another class for sure",
    ),
    "optimum": (
        "JSD of the furthest attention\nthat says the same",
        (0, 0.72),
        "dotted: ln 2, the most there is",
    ),
    "over_uniform": ("F1 with attention minus\nF1 with all weights equal", None, "0: attention adds nothing"),
}


def debate(rows: pd.DataFrame) -> Figure:
    """A panel a measure, a row an encoder, a point a corpus: its mean over seeds. rows: `start.debate`'s."""
    figure, axes = plt.subplots(2, 2, figsize=(7, 4.4))
    for ax, (measure, (label, ends, means)) in zip(axes.flat, PANELS.items(), strict=True):
        own = rows[rows["measure"] == measure]
        encoders = [name for name in LABELS if name in set(own["encoder"])]
        for i, encoder in enumerate(encoders):
            part = own[own["encoder"] == encoder]
            is_sst = part["corpus"] == "sst"
            for corpora, colour, name in (
                (part[~is_sst], SERIES[0], "another corpus"),
                (part[is_sst], SERIES[1], "SST"),
            ):
                ax.plot(
                    corpora["mean"],
                    np.full(len(corpora), i),
                    "o",
                    color=colour,
                    alpha=0.8,
                    label=name if i == 0 else None,
                )
        ax.set_yticks(
            range(len(encoders)), [f"{LABELS[name]} ({(own['encoder'] == name).sum()})" for name in encoders]
        )
        ax.set(xlabel=label, ylim=(len(encoders) - 0.4, -0.6), xlim=ends)
        ax.set_title(means, fontsize="small", color=NOTE)
        if measure == "optimum":
            ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
        else:
            ax.axvline(0, color=LINE, linewidth=0.8)
    legend_below(figure, axes[0, 0], 2)
    return figure
