"""A chapter in this process: its code cells in one namespace, and what a reader sees of them."""

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import IPython.display
import matplotlib
import matplotlib.pyplot as plt
import nbformat

from heed import paths
from heed.show import notebook, style
from heed.show.beside import Beside
from heed.show.explorer import Explorer
from heed.show.strip import TokenStrip

QUIET = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning)


@dataclass
class Seen:
    """What one chapter shows: sentences (Markdown), tables and other HTML, how many figures, warnings."""

    said: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    figures: int = 0
    warned: list[str] = field(default_factory=list)

    def take(self, shown: Any) -> None:
        """Note what was displayed."""
        if isinstance(shown, IPython.display.Markdown):
            self.said.append(shown.data)
        elif isinstance(shown, IPython.display.HTML):
            self.tables.append(shown.data)
        elif isinstance(shown, dict) and "image/svg+xml" in shown:
            self.figures += 1
        elif isinstance(shown, Explorer) and shown.strip is not None:
            self.take(shown.strip)
        elif isinstance(shown, TokenStrip | Beside):
            self.tables.append(shown.to_html().partition("<script")[0])


def cells(chapter: str) -> Iterator[tuple[str, ast.Module, bool]]:
    """Id and code of each code cell of the notebook that begins so (`04`), and whether it is `parameters`."""
    (path,) = paths.NOTEBOOKS.glob(f"{chapter}_*.ipynb")
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "code":
            yield (
                cell.id,
                ast.parse(cell.source, f"{path.name}:{cell.id}"),
                "parameters" in cell.metadata.get("tags", []),
            )


@contextmanager
def displayed(seen: Seen):
    """Whatever is displayed within goes there."""

    def display(*shown, **_):
        for one in shown:
            seen.take(one)

    with ExitStack() as patches:
        for place in (IPython.display, notebook, style):
            patches.enter_context(patch.object(place, "display", display))
        yield


def read(chapter: str, **parameters) -> Seen:
    """Run a chapter with these parameters, as papermill would. Raises what its first faulty cell raises."""
    matplotlib.use("Agg")
    plt.close("all")  # of whatever ran before
    seen, namespace = Seen(), {"__name__": "__main__"}
    with displayed(seen), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for category in QUIET:
            warnings.simplefilter("ignore", category)
        try:
            for name, code, is_parameters in cells(chapter):
                _run(name, code, namespace, seen)
                if is_parameters:
                    namespace |= parameters
                seen.figures += len(plt.get_fignums())
                for number in plt.get_fignums():
                    plt.figure(number).canvas.draw()
                plt.close("all")
        finally:
            plt.close("all")
            seen.warned = [
                f"{one.category.__name__}: {one.message} ({Path(one.filename).name}:{one.lineno})"
                for one in caught
            ]
    return seen


def _run(name: str, code: ast.Module, namespace: dict[str, Any], seen: Seen) -> None:
    """Execute a cell; what its last line is worth is displayed."""
    *first, last = code.body or [ast.Pass()]
    if isinstance(last, ast.Expr):
        exec(compile(ast.Module(first, []), f"<cell {name}>", "exec"), namespace)
        seen.take(eval(compile(ast.Expression(last.value), f"<cell {name}>", "eval"), namespace))
    else:
        exec(compile(code, f"<cell {name}>", "exec"), namespace)


# What no reader should see, of a sentence or of a table's cells.
NOTHING = re.compile(r"\b(nan|inf)\b|\bof (the )?0\b(?![.,]\d|%)|\bthe 0 \w", re.IGNORECASE)


def empty_claims(seen: Seen) -> list[str]:
    """The sentences that speak of no number or of an empty set, and the tables that have such a cell."""
    found = [sentence for sentence in seen.said if NOTHING.search(sentence)]
    return found + [table for table in seen.tables if re.search(r">\s*-?(nan|inf)\s*<", table, re.IGNORECASE)]


def says_something(sentence: str) -> None:
    """A sentence without a number that is none, and of no empty set."""
    assert sentence.endswith(".") and not NOTHING.search(sentence), sentence
    assert not re.search(r"\b1 (texts|pairs|numbers)\b|\b[02-9] (text|pair)\b", sentence), sentence
