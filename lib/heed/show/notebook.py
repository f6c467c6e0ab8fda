"""What every chapter begins and ends with."""

import ast
import html
import platform
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import pandas as pd
from IPython.display import HTML, SVG, Markdown, display

from heed import paths
from heed.errors import choose
from heed.params import Params
from heed.runs.run import LIBRARIES, Run
from heed.show.words import visible

LONG = 24  # rows of a table that a reader sees without asking for them
PARAMETERS = ("corpus", "encoder", "attention", "seed", "profile", "results", "set")


def begin(namespace: dict[str, Any]) -> Run:
    """The run that a chapter's parameters name. Give it `globals()`, right after the parameters cell.

    papermill only warns of a parameter that no notebook has; this raises HeedError instead, and takes
    any parameter of heed (`-p epochs 2`) as if it stood in `set`.
    """
    given = {name: namespace[name] for name in PARAMETERS if name in namespace}
    settings = {}
    for name, value in injected(namespace, (*PARAMETERS, *Params.model_fields)).items():
        if name not in PARAMETERS:
            settings[name] = value
    settings.update(given.get("set") or {})
    given["set"] = settings
    return Run.of(**given)


def injected(namespace: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Names and values of papermill's injected cell; raises HeedError on a name that isn't one of these."""
    found = {}
    for cell in namespace.get("In", []):
        if cell.startswith("# Parameters\n"):  # with this comment papermill begins it
            for statement in ast.parse(cell).body:
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    name = choose("parameter", statement.targets[0].id, names)
                    found[name] = ast.literal_eval(statement.value)
    return found


def say(*sentences: str) -> None:
    """Show computed sentences as text of the chapter. What they quote the caller makes `inert`."""
    display(Markdown(" ".join(sentences)))


def show(table: pd.DataFrame, caption: str = "", digits: int = 2) -> None:
    """Show a table with rounded numbers and no index; every cell is escaped, a long table folded.

    In a column `p` a number too small for its digits reads `<0.01`: no p value is 0.
    """
    display(HTML(_html(table, caption, digits)))


def _html(table: pd.DataFrame, caption: str, digits: int) -> str:
    least = 10**-digits

    def number(x: float) -> str:
        return f"{x:.{digits}f}"

    def p_value(x: float) -> str:
        return number(x) if x >= least / 2 else f"<{number(least)}"

    body = table.rename_axis(columns=None).to_html(
        index=False,
        border=0,
        float_format=number,
        formatters={"p": p_value, "p ": p_value},  # `p ` heads the second such column of a table
        na_rep="–",
    )
    title = f"<b>{html.escape(caption)}</b>" if caption else ""
    if len(table) > LONG:
        return f"<details><summary>{title or 'Table'} ({len(table)} rows)</summary>{body}</details>"
    if caption:
        return f"<p>{title}</p>{body}"
    return body


def inert(text: str) -> str:
    """A name or a word as itself in an HTML or Markdown sentence, whatever it holds."""
    return "".join(c if c.isalnum() or c in " .,;:()-?%" else f"&#{ord(c)};" for c in visible(text))


def tokens(words: list[str]) -> str:
    """Words for such a sentence."""
    return " ".join(map(inert, words))


def real_text(name: str) -> None:
    """Show a committed, text-free figure of real runs, data/results/figures/NAME.svg."""
    path = paths.DATA / "results" / "figures" / f"{name}.svg"
    if path.exists():
        display(SVG(filename=str(path)))
    else:
        say(f"No figure `{name}` is committed: `make summary` makes it from finished runs.")


def end(run: Run, found: pd.DataFrame, digits: int = 2) -> None:
    """The last cell of a chapter: what this run found, and what it was run with."""
    p = run.params
    show(found, "What this run found", digits)
    say(
        f"Corpus {p.corpus}, model {p.model_name}, variant {p.variant}, seed {p.seed},",
        f"data seed {p.data_seed}.",
    )
    versions()


def versions() -> None:
    """What the chapter ran with."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    say(f"heed {version('heed')}, Python {platform.python_version()}, {libraries}.")
