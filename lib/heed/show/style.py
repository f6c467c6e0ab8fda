"""The look of all figures: theme, colours, hatches, lines, names.

Class 0 is purple, class 1 orange, class 2 green, as in the paper; hatching and line style tell them
apart without colour.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from heed import paths

COLOURS = (
    *("#7570b3", "#d95f02", "#1b9e77", "#666666", "#e7298a"),
    *("#e6ab02", "#1f78b4", "#66a61e", "#a6761d", "#000000"),  # up to ten classes
)
HATCHES = ("", "///", "...", "xxx", "\\\\\\") * 2
LINES = ("-", "--", ":", "-.", (0, (3, 1, 1, 1))) * 2
ENCODERS = {
    "bilstm": "BiLSTM",
    "average": "Average",
    "cnn": "CNN",
    "gru": "BiGRU",
    "none": "no encoder",
    "han": "HAN",
}


def theme() -> None:
    """The look of all figures: call once, before the first."""
    sns.set_theme(style="ticks", context="notebook", font_scale=0.85)
    plt.rcParams |= {
        "figure.dpi": 80,
        "savefig.dpi": 160,
        "svg.hashsalt": "heed",  # the same figure gives the same bytes
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
    }


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without a date."""
    with paths.writing(path) as aside:
        figure.savefig(aside, format="svg", metadata={"Date": None})
    return path


def keep(figure: Figure, folder: Path, name: str) -> None:
    """Save a chapter's figure in its run's folder; the notebook shows it, too."""
    save(figure, folder / "figures" / f"{name}.svg")
