"""What every chapter begins and ends with."""

import ast
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML, Markdown, display

from heed import paths
from heed.errors import HeedError, choose
from heed.runs.grid import mapping_given
from heed.runs.run import LIBRARIES, Run, library_versions
from heed.show.words import text_for, visible
from heed.version import VERSION

LONG = 10  # rows of a table that a reader sees without asking for them
PARAMETERS = ("corpus", "encoder", "attention", "seed", "profile", "results", "set")


def begin(namespace: dict[str, Any], kind: type[Run] = Run) -> Run:
    """The run that a chapter's parameters name. Give it `globals()`, right after the parameters cell.

    papermill only warns of a parameter that no notebook has; this raises HeedError instead, and takes
    any parameter of heed (`-p epochs 2`) as if it stood in `set`. `set` may be YAML (`-p set '{epochs: 2}'`).
    """
    given = {name: namespace[name] for name in PARAMETERS if name in namespace}
    settings = {}
    for name, value in injected(namespace, (*PARAMETERS, *kind.kind.model_fields)).items():
        if name not in PARAMETERS:
            settings[name] = value
    settings.update(mapping_given(given.get("set")))
    given["set"] = settings
    return kind.of(**given)


def injected(namespace: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Names and values of papermill's injected cell; raises HeedError on a name that isn't one of these."""
    found = {}
    for cell in namespace.get("In", []):
        if cell.startswith("# Parameters\n"):  # with this comment papermill begins it
            for statement in ast.parse(cell).body:
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    name = choose("parameter", statement.targets[0].id, names)
                    found[name] = _value(name, statement.value)
    return found


def _value(name: str, written: ast.expr) -> Any:
    """What papermill wrote; .inf and .nan of YAML it writes as calls of float."""
    try:
        return ast.literal_eval(written)
    except ValueError:
        said = ast.unparse(written)
        raise HeedError(
            f"parameter {name} = {said}: give a finite number, a text, a list or a mapping."
        ) from None


def say(*sentences: str) -> None:
    """Show computed sentences as text of the chapter, if there are any. What they quote the caller makes
    `inert`."""
    if any(sentences):
        display(Markdown(" ".join(sentences)))


def points(sentences: Iterable[str]) -> None:
    """Show computed sentences as a list, each as `say` takes them."""
    display(Markdown("\n".join(f"* {sentence}" for sentence in sentences)))


def in_short(*sentences: str, each: bool = False) -> None:
    """Show a chapter's answer, right under its title: computed sentences, as `say` takes them.

    each: each on a line of its own.
    """
    said = "\n".join(("", "", *(f"* {sentence}" for sentence in sentences))) if each else " ".join(sentences)
    display(Markdown(f'<div class="heed-short">\n\n**In short.** {said}\n\n</div>'))


def show(table: pd.DataFrame, caption: str = "", digits: int = 2, p_values: Iterable[str] = ()) -> None:
    """Show a table with rounded numbers and no index; every cell is escaped, a long table folded.

    p_values: the columns in which a number too small for its digits reads `<0.01`, as no p value is 0. Raises
    HeedError if the table has no such column.
    """
    display(HTML(_html(table, caption, digits, p_values)))


def _html(table: pd.DataFrame, caption: str, digits: int, p_values: Iterable[str] = ()) -> str:
    of_p = [choose("column", name, map(str, table.columns)) for name in p_values]
    cells = {}
    for i, name in enumerate(table.columns):  # by number: two columns may have one name
        cells[i] = [_cell(x, digits, name in of_p) for x in table.iloc[:, i]]
    written = pd.DataFrame(cells, dtype=object)
    written.columns = [text_for(str(name), "html") for name in table.columns]
    body = written.to_html(index=False, border=0, escape=False)
    title = f"<b>{text_for(caption, 'html')}</b>" if caption else ""
    if len(table) > LONG:
        return f"<details><summary>{title or 'Table'} ({len(table)} rows)</summary>{body}</details>"
    if caption:
        return f"<p>{title}</p>{body}"
    return body


def _cell(x, digits: int, is_p: bool) -> str:
    """One cell as HTML; what is missing is a dash."""
    if pd.api.types.is_scalar(x) and pd.isna(x):
        return "–"
    if not isinstance(x, float | np.floating):
        return text_for(str(x), "html")
    least = 10**-digits
    if is_p and x < least / 2:
        return text_for(f"<{least:.{digits}f}", "html")
    return f"{x:.{digits}f}"


def inert(text: str) -> str:
    """A name or a word as itself in an HTML or Markdown sentence, whatever it holds."""
    return text_for(text, "markdown")


def tokens(words: list[str]) -> str:
    """Words for such a sentence."""
    return inert(" ".join(map(visible, words)))


def real_text(name: str, finding: str = "") -> None:
    """Show a committed, text-free figure of real runs, data/results/figures/NAME.svg, under its finding.

    finding: a computed sentence; it is said to those who can't see the figure, too.
    """
    path = paths.DATA / "results" / "figures" / f"{name}.svg"
    if not path.exists():
        say(f"No figure `{name}` is committed: `make summary` makes it from finished runs.")
        return
    if finding:
        say(f"**{finding}**")
    drawing = {"image/svg+xml": path.read_text(encoding="utf-8"), "text/plain": finding or name}
    display(drawing, raw=True)


def end(run: Run, found: pd.DataFrame | None = None, digits: int = 2) -> None:
    """The last cell of a chapter: what this run found, if that isn't said above, and what it ran with."""
    p = run.params
    if found is not None:
        show(found, "What this run found", digits)
    say(
        f"Corpus {p.corpus}, model {p.model_name}, variant {p.variant}, seed {p.seed},",
        f"data seed {p.data_seed}.",
    )
    versions()


def versions() -> None:
    """What the chapter ran with."""
    number = library_versions()
    libraries = ", ".join(f"{name} {number[name]}" for name in LIBRARIES)
    say(f"heed {VERSION}, Python {number['python']}, {libraries}.")
