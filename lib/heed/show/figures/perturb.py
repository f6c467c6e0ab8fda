"""Chapter 10: of how many words each would do alone."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from heed.show.colours import LINE, SERIES


def would_do(shares: np.ndarray) -> Figure:
    """Texts by the share of their words that alone keep the prediction, from the lowest to the highest."""
    shares = np.sort(shares)
    figure, ax = plt.subplots(figsize=(5.6, 2.7))
    at_least = 1 - np.arange(len(shares)) / len(shares)
    ax.step(np.append(0, shares), np.append(1, at_least), where="pre", color=SERIES[0])
    half = float((shares >= 0.5).mean())
    ax.vlines(0.5, 0, half, color=LINE, linewidth=0.8)
    ax.plot(0.5, half, "o", color=SERIES[0])
    at = {"textcoords": "offset points"}
    ax.annotate(f"{half:.0%} of the texts", (0.5, half), (8, 4), **at)
    ax.annotate(f"{len(shares):,} texts", (0.02, 0.06), xycoords="axes fraction")
    ax.set(xlabel="share of a text's words that would do alone, this or more", ylabel="share of the texts")
    ax.set(xlim=(0, 1.02), ylim=(0, 1.03))
    return figure
