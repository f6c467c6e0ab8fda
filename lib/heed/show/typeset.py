"""Pages as PDF: headings, sentences, tables and figures, set by Typst; report.typ has their look."""

import importlib.util
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

from heed import paths
from heed.errors import HeedError, why
from heed.show.words import text_for

LOOK = Path(__file__).with_name("report.typ")
# Figures ask for these in vain where they aren't installed; DejaVu Sans, in which they were laid out, comes
# with matplotlib.
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


class Document:
    """What is to be set, in order. Every text is given as it is, and escaped here, once."""

    def __init__(self, title: str, subtitle: str):
        self.title, self.subtitle = title, subtitle
        self.parts: list[str] = []
        self.drawings: dict[str, str] = {}

    def heading(self, text: str, level: int = 1) -> None:
        """A numbered heading."""
        self.parts.append(f"{'=' * level} {text_for(text, 'typst')}")

    def say(self, *sentences: str) -> None:
        """A paragraph; nothing where there is nothing to say."""
        if sentences:
            self.parts.append(text_for(" ".join(sentences), "typst"))

    def note(self, text: str) -> None:
        """A paragraph in small letters."""
        self.parts.append(f"#note{_content(text)}")

    def points(self, sentences: Sequence[str | tuple[str, str]]) -> None:
        """A list; of two texts the first is bold."""
        lines = []
        for sentence in sentences:
            lead, said = ("", sentence) if isinstance(sentence, str) else sentence
            bold = f"*{text_for(lead, 'typst')}* " if lead else ""
            lines.append(f"- {bold}{text_for(said, 'typst')}")
        if lines:
            self.parts.append("\n".join(lines))

    def in_short(self, sentences: Sequence[str]) -> None:
        """What stands apart at the beginning: a paragraph a sentence."""
        said = "\n\n".join(text_for(sentence, "typst") for sentence in sentences)
        self.parts.append(f"#in-short[\n{said}\n]")

    def table(self, frame: pd.DataFrame, caption: str, widths: Sequence[float] = (), digits: int = 2) -> None:
        """A table; nothing of an empty one. widths: shares of the columns, else all as wide as they need.

        Numbers are rounded and stand at the right; what is missing is a dash.
        """
        if frame.empty:
            return
        numeric = [pd.api.types.is_numeric_dtype(frame.iloc[:, i]) for i in range(frame.shape[1])]
        sizes = [f"{width:g}fr" for width in widths] or ["auto"] * frame.shape[1]
        cells = [_content(_cell(x, digits)) for row in frame.itertuples(index=False) for x in row]
        sides = ["right" if is_one else "left" for is_one in numeric]
        names = [_content(str(name)) for name in frame.columns]
        given = ", ".join(f"({', '.join(own)},)" for own in (sizes, sides, names, cells))
        self.parts.append(f"#rows({given}, caption: {_content(caption)})")

    def figure(self, drawing: str, caption: str, width: float = 1.0) -> None:
        """An SVG, which stays one; width: a share of the line."""
        name = f"{len(self.drawings)}.svg"
        self.drawings[name] = drawing.replace("'Arial', ", "").replace("sans-serif", "'DejaVu Sans'")
        self.parts.append(f'#drawing("{name}", width: {width:.0%}, caption: {_content(caption)})')

    def source(self) -> str:
        """The document in Typst's markup."""
        names = ", ".join(
            f"{name}: {_content(text)}" for name, text in (("title", self.title), ("subtitle", self.subtitle))
        )
        body = "\n\n".join(self.parts)
        return f'#import "{LOOK.name}": *\n#show: report.with({names})\n\n{body}\n'

    def lay_out(self, folder: Path) -> Path:
        """Write markup, look and drawings into a folder; return the file that Typst reads."""
        shutil.copyfile(LOOK, folder / LOOK.name)
        for name, drawing in self.drawings.items():
            (folder / name).write_text(drawing, encoding="utf-8")
        main = folder / "main.typ"
        main.write_text(self.source(), encoding="utf-8")
        return main

    def write(self, out: Path) -> Path:
        """Set it and write the PDF, whole or not at all; the same document gives the same bytes.

        Raises HeedError if Typst isn't installed or refuses it, or if the file can't be written.
        """
        needs_typst()
        import typst

        with tempfile.TemporaryDirectory() as made:
            main = self.lay_out(Path(made))
            try:
                pages = typst.compile(main, root=Path(made), font_paths=[FONTS], timestamp=0)
            except typst.TypstError as error:
                raise HeedError(
                    f"the report can't be set ({why(error)}). Report it: it is a fault of heed's."
                ) from error
        with paths.writing(out) as aside:
            aside.write_bytes(pages)
        return out


def needs_typst() -> None:
    """Raise HeedError where the compiler isn't installed."""
    if importlib.util.find_spec("typst") is None:
        raise HeedError("a report needs the package typst, which isn't installed: run make setup.")


def _content(text: str) -> str:
    """A text as Typst's content, for an argument."""
    return f"[{text_for(text, 'typst')}]"


def _cell(x, digits: int) -> str:
    """One cell; what is missing is a dash."""
    if pd.api.types.is_scalar(x) and pd.isna(x):
        return "–"
    return minus(f"{x:z.{digits}f}") if isinstance(x, float | np.floating) else str(x)


def minus(number: str) -> str:
    """A number with the sign that is as wide as a plus."""
    return number.replace("-", "−")
