"""Chapter 00: what the debate found, corpus by corpus."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.registry import corpora
from heed.show.colours import GRID, LINE, NOTE, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below
from heed.show.sentences import listed
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.5  # a mean TVD above which a corpus is named: shuffles move its predictions far
LEAST_SHOWN = 0.1  # of F1: the scale's least reach
LIKE = 0.5  # a τ above which attention is said to rank words as another measure does
NEAR = 0.5  # a mean JSD below which a corpus is named: attention can't be very different there
# What a panel asks, what of, and its ends (None: as the points lie).
PANELS = {
    "tau_loo": (
        "1  Does attention rank words\nas leaving each out does?",
        "Kendall's τ (1: the same order)",
        (-0.05, 1.02),
    ),
    "median_change": (
        "2  Does shuffling attention\nchange the prediction?",
        "TVD by a text's median shuffle\n(1: the most possible)",
        (-0.05, 1.02),
    ),
    "optimum": (
        "3  How different can attention be\nand predict alike?",
        "JSD to the model's attention\n(dotted: ln 2, the most possible)",
        (-0.035, 0.72),
    ),
    "over_uniform": (
        "4  Does attention help\nthe model predict?",
        "F1 with attention − F1 with\nall weights equal (a tenth of 1 is shown)",
        None,
    ),
}
# From where on (1), or up to where (-1), a panel's points are as one expects of attention that explains.
EXPECTED = {"tau_loo": (LIKE, 1), "median_change": (FAR, 1), "optimum": (NEAR, -1)}


def near_bounds(rows: pd.DataFrame) -> int:
    """How many points where attention can't be very different are lower bounds: of more than two classes."""
    near = rows[(rows["measure"] == "optimum") & (rows["mean"] < NEAR)]
    return sum(len(corpora().get(name, {}).get("classes", ())) != 2 for name in near.get("corpus", ()))


def _found(own: pd.DataFrame, measure: str) -> str:
    """A panel's finding, in a line. own: its points; at least one."""
    if measure == "tau_loo":
        by = own["encoder"].map(LABELS)
        most = [name for name, part in own["mean"].groupby(by) if part.min() > LIKE]
        if most and (own.loc[~by.isin(most), "mean"] <= LIKE).all():
            return f"τ above {LIKE:g} for {listed(most)}{'' if by.isin(most).all() else ' alone'}"
        return f"τ above {LIKE:g} for {(own['mean'] > LIKE).sum() or 'none'} of {len(own)}"
    if measure == "median_change":
        far = sorted(own.loc[own["mean"] > FAR, "corpus"].unique())
        return f"Above {FAR:g} only on {text_for(', '.join(far), 'figure')}" if far else f"By {FAR:g} at most"
    if measure == "optimum":
        least, far = "at least " if near_bounds(own) else "", (own["mean"] > NEAR).sum()
        return f"Very (above {NEAR:g}) in {least if far else ''}{far or 'none'} of {len(own)}"
    return f"By {max(own['mean'].max(), 0):.2f} at most"


def debate(rows: pd.DataFrame) -> Figure:
    """A panel a measure, a row an encoder, a point a corpus: its mean over seeds; shaded what is EXPECTED.

    rows: `start.debate`'s.
    """
    shown = {measure: rows[rows["measure"] == measure] for measure in PANELS}
    tall = [max(own["encoder"].nunique(), 1) + 0.2 for own in shown.values()]  # rows, and room beside them
    size = WIDTH, 0.3 * sum(tall) + 1.05 * len(PANELS) + 0.3
    figure, axes = plt.subplots(len(PANELS), 1, figsize=size, height_ratios=tall)
    for ax, (measure, (asks, label, ends)) in zip(axes, PANELS.items(), strict=True):
        own = shown[measure]
        encoders = [name for name in LABELS if name in set(own["encoder"])]
        for i, encoder in enumerate(encoders):
            part = own[own["encoder"] == encoder]
            is_sst = part["corpus"] == "sst"
            for points, colour, mark, name in (
                (part[~is_sst], SERIES[0], "o", "another corpus"),
                (part[is_sst], SERIES[1], "D", "SST"),
            ):
                ax.plot(
                    points["mean"],
                    np.full(len(points), i),
                    mark,
                    color=colour,
                    alpha=0.75,
                    label=name if i == 0 else None,
                )
            for names, mean in _named(part, measure):
                ax.annotate(text_for(names, "figure"), (mean, i), xytext=(0, 6), ha="center",
                            textcoords="offset points", color=NOTE, fontsize=SMALL)  # fmt: skip
        ax.set_yticks(
            range(len(encoders)), [f"{LABELS[name]} ({(own['encoder'] == name).sum()})" for name in encoders]
        )
        ax.set(ylim=(len(encoders) - 0.4, -0.6), xlim=ends)
        ax.set_xlabel(label, fontsize=SMALL)
        ax.tick_params(labelsize=SMALL)
        if measure in EXPECTED:
            border, way = EXPECTED[measure]
            ax.axvspan(
                border, ax.get_xlim()[1 if way > 0 else 0], color=GRID, alpha=0.6, linewidth=0, zorder=0
            )
        if ends is None:  # so that a gain that is next to nothing looks like it
            ax.set_xlim(right=max(ax.get_xlim()[1], LEAST_SHOWN))
        ax.set_title(asks, fontsize=SMALL, loc="left", pad=18)
        ax.annotate(_found(own, measure) if len(own) else "", (0, 1), xytext=(0, 6), weight="bold",
                    fontsize=SMALL, xycoords="axes fraction", textcoords="offset points")  # fmt: skip
        ax.axvline(0, color=LINE, linewidth=0.8)
        if measure == "optimum":
            ax.axvline(np.log(2), color=NOTE, linewidth=0.8, linestyle=":")
    legend_below(figure, axes[0], 2)
    return figure


def _named(part: pd.DataFrame, measure: str) -> list[tuple[str, float]]:
    """The corpora that are named beside their points, those that lie close together once: names and place."""
    if measure not in ("optimum", "median_change"):
        return []
    far = part["mean"] < NEAR if measure == "optimum" else part["mean"] > FAR
    own, found = part[far].sort_values("mean"), []
    for corpus, mean in own[["corpus", "mean"]].to_numpy():
        if found and mean - found[-1][1] < 0.1:
            found[-1] = (f"{found[-1][0]}, {corpus}", mean)
        else:
            found.append((corpus, mean))
    return found
