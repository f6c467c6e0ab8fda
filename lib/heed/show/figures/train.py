"""Chapter 01: learning curves."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.show.colours import SERIES


def learning(curve: pd.DataFrame, split: str, score: str = "ROC AUC") -> Figure:
    """Learning curve: training loss and the score that chooses the epoch, which is marked."""
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.6))
    chosen = curve[curve["chosen"]]
    for ax, column, label in (
        (axes[0], "loss", "training loss (nats a text)"),
        (axes[1], "score", f"{score} on {split}"),
    ):
        ax.plot(curve["epoch"], curve[column], marker=".", color=SERIES[0])
        ax.plot(chosen["epoch"], chosen[column], "o", markersize=9, fillstyle="none", color=SERIES[1])
        ax.annotate("chosen", (chosen["epoch"].iloc[0], chosen[column].iloc[0]), xytext=(5, 6),
                    textcoords="offset points", color=SERIES[1])  # fmt: skip
        ax.set(xlabel="epoch", ylabel=label)
        ax.margins(x=0.16, y=0.2)
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return figure
