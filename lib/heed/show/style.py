"""The look of all figures: theme, hatches, lines, marks, names; colours.py has the colours.

Hatching, line style and marks tell classes and series apart without colour.
"""

import html
import textwrap
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from IPython.display import display
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from heed import paths
from heed.models.encoders import ENCODERS, encoder_called

PIXELS = 160  # an inch, of what is no line or letter
NARROW = "application/x.heed.narrow+svg"  # a drawing for a phone, beside one for wide screens
BESIDE = 0.01  # of a figure's width: at the left of its title nothing stands
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
OF_VECTORS = {"word2vec": "word2vec", "en_core_web_md": "spaCy's vectors", "random": "random vectors"}


def theme() -> None:
    """The look of all figures: call once, before the first."""
    sns.set_theme(style="ticks", context="notebook", font_scale=0.85)
    plt.rcParams |= {
        "figure.dpi": 80,
        "savefig.dpi": PIXELS,
        "svg.hashsalt": "heed",  # the same figure gives the same bytes
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
        "font.family": ["sans-serif"],  # and behind it what `fonts.find` finds that a text needs
    }


def title_of(encoder: str) -> str:
    """What a panel of this encoder is called; nothing where there is one panel, and so no name (`""`).

    Raises HeedError, with the nearest name, for an encoder that isn't known.
    """
    return encoder and encoder_called(encoder).label


def titled(figure: Figure, finding: str) -> Figure:
    """Set what a figure shows above its panels: one sentence, broken where the figure ends.

    What it quotes of texts and names the caller has from `text_for(..., "figure")`.
    """
    size = plt.rcParams["font.size"] * 1.1
    lines = _lines(figure, finding, size)
    height = figure.get_figheight()
    figure.set_figheight(height + len(lines) * 1.3 * size / 72)
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        # What was placed by hand stays below the title.
        for text in figure.texts:
            x, y = text.get_position()
            text.set_position((x, y * height / figure.get_figheight()))
    figure.suptitle("\n".join(lines), x=BESIDE, ha="left", fontsize=size, weight="bold")
    return figure


def _lines(figure: Figure, finding: str, size: float) -> list[str]:
    """A finding in lines of bold letters of this size that end in the figure."""
    points = figure.get_figwidth() * 72
    font = FontProperties(family=plt.rcParams["font.family"], size=size, weight="bold")
    most = int(points / (0.62 * size))  # as wide as a bold letter is, on average
    for letters in range(most, most // 2, -1):
        lines = textwrap.wrap(finding, letters)
        widths = [text_to_path.get_text_width_height_descent(line, font, False)[0] for line in lines]
        if max(widths, default=0) <= (1 - BESIDE) * points:
            break
    return lines


def drawing(figure: Figure, says: str = "") -> str:
    """A figure as SVG, without a date and without the names of this machine's other fonts.

    says: what it shows, for those who can't see it.
    """
    families = plt.rcParams["font.family"]
    if len(families) > 1:  # found since this figure's axes were made
        for text in figure.findobj(Text):
            text.set_fontfamily(families)
        for axes in figure.axes:
            axes.tick_params(labelfontfamily=families)
    file = StringIO()
    # As `savefig` draws it, which draws everything once before, only to lay it out: a fifth of the time.
    figure.dpi, shown = PIXELS, figure.canvas
    FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None})
    figure.set_canvas(shown)
    # A browser looks for other fonts by itself; a name after the generic one says nothing to it.
    behind = "".join(f", {name!r}" for name in families[1:])
    written = file.getvalue().replace(f"sans-serif{behind}", "sans-serif")
    told = f'<svg role="img" aria-label="{html.escape(says)}" ' if says else "<svg "
    return written.replace("<svg ", told, 1)


def save(figure: Figure, path: Path, says: str = "") -> Path:
    """Write what `drawing` makes of a figure."""
    with paths.writing(path) as aside:
        aside.write_text(drawing(figure, says), encoding="utf-8")
    return path


def keep(figure: Figure, folder: Path, name: str, finding: str = "", narrow: Figure | None = None) -> None:
    """Show a chapter's figure under its finding, and save it in its run's folder.

    finding: one computed sentence, as `titled` takes it. narrow: the same for a phone, where a figure for
    wide screens wouldn't fit one.
    """
    if finding:
        titled(figure, finding)
    path = save(figure, folder / "figures" / f"{name}.svg", finding)
    _shown(figure, path.read_text(encoding="utf-8"), finding or name, narrow)


def present(figure: Figure, finding: str, narrow: Figure | None = None) -> None:
    """Show a figure of many runs under its finding; it is saved with the chapter alone.

    narrow: as in `keep`.
    """
    _shown(figure, drawing(titled(figure, finding), finding), finding, narrow)


def _shown(figure: Figure, svg: str, says: str, narrow: Figure | None) -> None:
    plt.close(figure)
    display(forms(svg, says, narrow), raw=True)


def forms(svg: str, says: str, narrow: Figure | None = None) -> dict[str, str]:
    """An output's forms of a drawing: a notebook shows the first, the site on a phone the narrow one."""
    found = {"image/svg+xml": svg, "text/plain": says}
    if narrow is not None:
        found[NARROW] = drawing(titled(narrow, says), says)
        plt.close(narrow)
    return found
