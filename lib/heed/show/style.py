"""The look of all figures: theme, hatches, lines, marks, names; colours.py has the colours.

Hatching, line style and marks tell classes and series apart without colour.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from heed import paths
from heed.models.encoders import ENCODERS, encoder_called
from heed.show import fonts

HATCHES = ("", "///", "...", "xxx", "\\\\\\") * 2
MARKERS = "os^Dv" * 2
LINES = ("-", "--", ":", "-.", (0, (3, 1, 1, 1))) * 2
# Marks on the site's browse page: SVG paths around (0, 0).
SHAPES = {
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "square": "M-4,-4h8v8h-8z",
    "triangle": "M0,-5L5,4L-5,4z",
    "triangle down": "M0,5L5,-4L-5,-4z",
    "cross": "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0z",
    "star": "M0,-6L1.5,-2L6,-2L2.4,0.8L3.7,5L0,2.5L-3.7,5L-2.4,0.8L-6,-2L-1.5,-2z",
    "diamond": "M0,-5.5L4.5,0L0,5.5L-4.5,0z",
    "hexagon": "M-5.5,0L-2.8,-4.7h5.6L5.5,0L2.8,4.7h-5.6z",
    "hourglass": "M-5,-5h10L-5,5h10z",
    "plus": "M-5,-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
}
LABELS = {name: kind.label for name, kind in ENCODERS.items()}  # of the encoders, in the order of figures
OF_VECTORS = {"word2vec": "word2vec", "en_core_web_md": "spaCy's vectors", "random": "drawn vectors"}


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
        "font.family": ["sans-serif", *fonts.installed()],  # one after the other, for what those before lack
    }


def title_of(encoder: str) -> str:
    """What a panel of this encoder is called; nothing where there is one panel, and so no name (`""`).

    Raises HeedError, with the nearest name, for an encoder that isn't known.
    """
    return encoder and encoder_called(encoder).label


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without a date and without the names of this machine's other fonts."""
    with paths.writing(path) as aside:
        figure.savefig(aside, format="svg", metadata={"Date": None})
        # A browser looks for other fonts by itself; a name after the generic one says nothing to it.
        behind = "".join(f", {name!r}" for name in fonts.installed())
        written = aside.read_text(encoding="utf-8").replace(f"sans-serif{behind}", "sans-serif")
        aside.write_text(written, encoding="utf-8")
    return path


def keep(figure: Figure, folder: Path, name: str) -> None:
    """Save a chapter's figure in its run's folder; the notebook shows it, too."""
    save(figure, folder / "figures" / f"{name}.svg")
