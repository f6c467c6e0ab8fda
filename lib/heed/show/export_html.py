"""An executed chapter as one HTML file that needs no network: strips live, formulas are MathML.

nbconvert's own page loads require.js, MathJax and the widgets' manager from a CDN, and shows a widget as
nothing where it can't. Here the HTML of each output is preferred, and no script is loaded from anywhere.
"""

import base64
import html
import json
import re
from pathlib import Path

import nbformat

from heed import paths
from heed.errors import HeedError, why
from heed.show.style import NARROW
from heed.show.weights import once

_LEFT_OUT = ("html_head_js", "jupyter_widgets", "html_head_js_mathjax", "html_head_js_mermaidjs")
# Chromium draws no root in a font without its sign: these have it, the first ones with all of mathematics.
FORMULAS = (
    'math { font-size: 1.05em; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", '
    '"Noto Sans Math", "DejaVu Math TeX Gyre", "DejaVu Serif", "DejaVu Sans", math }\n'
)
# A figure is as wide as the page at most, and scrolls where its words would get too small; one that fits a
# phone is drawn larger where there is room.
_FITS = (
    "{{ super() }}<style>.heed-drawn { overflow-x: auto } "
    ".heed-drawn img { max-width: max(100%, 32rem); height: auto } "
    "@media (min-width: 60rem) { .heed-drawn img { min-width: min(100%, 30rem) } "
    ".heed-drawn picture img { min-width: min(100%, 50rem) } } "
    f"{FORMULAS}</style>"
)
_TEMPLATE = (
    '{%- extends "lab/index.html.j2" -%}{% block html_head_css %}'
    + _FITS
    + "{% endblock %}"
    # An empty block is left out.
    + "".join("{% block " + name + " %}{% endblock %}" for name in _LEFT_OUT)
)
# Of an output's forms the first of these is shown.
KINDS = (
    "text/html",
    "text/markdown",
    "image/svg+xml",
    "text/latex",
    "image/png",
    "image/jpeg",
    "text/plain",
)
# A browser draws a lone letter by one of mathematics, which few fonts have: ask for an italic one instead.
_LETTER = re.compile(r"<mi>(&#\w+;|.)</mi>")
# Code stays as it is; then $$ ... $$, and $ ... $ within a paragraph and without spaces at its ends.
_FORMULA = re.compile(r"(`+.+?`+)|\$\$(.+?)\$\$|\$(?! )((?:[^$\n]|\n(?!\n))+?)(?<! )\$(?!\d)", re.S)


def formulas(text: str) -> str:
    """Markdown with each $formula$ as MathML, which browsers draw themselves; what can't be, as code."""
    from latex2mathml.converter import convert

    def drawn(found: re.Match) -> str:
        code, displayed, inline = found.groups()
        if code:
            return code
        try:
            if displayed:
                drawing = convert(displayed, display="block")
            else:
                drawing = convert(inline, display="inline")
            return _LETTER.sub(r'<mi mathvariant="normal" style="font-style:italic">\1</mi>', drawing)
        except Exception:  # the converter has no error of its own; a formula must never stop a page
            return f"<code>{html.escape(found[0])}</code>"

    return _FORMULA.sub(drawn, text)


def _read(notebook: Path) -> nbformat.NotebookNode:
    """A notebook of any format, as one of today's. Raises HeedError if it isn't there, or is none."""
    try:
        text = notebook.read_text(encoding="utf-8")
        content = json.loads(text) if text.strip() else None
    except OSError as error:
        raise HeedError(
            f"{notebook} can't be read: {error.strerror}. Give a notebook that is there."
        ) from None
    except (ValueError, RecursionError) as error:
        raise HeedError(f"{notebook} can't be read as a notebook: it isn't JSON ({why(error)}).") from None
    if not isinstance(content, dict) or "nbformat" not in content:
        what = "it is empty" if content is None else "it is JSON of something else"
        raise HeedError(f"{notebook} can't be read as a notebook: {what}.")
    try:
        book = nbformat.convert(nbformat.reader.reads(text), 4)
        _, book = nbformat.validator.normalize(book)
        nbformat.validate(book)
    except Exception as error:  # of a damaged one nbformat raises AttributeError, TypeError and more
        said = why(str(error).partition("\n")[0])
        raise HeedError(f"{notebook} can't be read as a notebook: {said}.") from None
    return book


def executed(notebook: Path) -> nbformat.NotebookNode:
    """An executed notebook with its formulas as MathML and its drawings as images that say what they show.

    Raises HeedError if there is no such notebook, or if it was never executed.
    """
    book = _read(notebook)
    if not any(cell.get("outputs") for cell in book.cells):
        raise HeedError(
            f"{notebook} has no outputs. Execute it first: `jupyter execute --inplace {notebook}`."
        )
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = formulas(cell.source)
        for output in cell.get("outputs", []):
            if "image/svg+xml" in output.get("data", {}):
                output.data = {"text/html": image(output.data)}
    return book


def image(data: dict[str, str]) -> str:
    """A drawing among an output's forms as HTML; its text form says to those who can't see it what it shows.

    As an image, so that no script in it is ever run; on a narrow screen the drawing for it, if there is one.
    """
    says = html.escape(data.get("text/plain", ""))
    drawn = f'<img alt="{says}" src="{_inline(data["image/svg+xml"])}">'
    if NARROW in data:
        narrow = f'<source media="(max-width: 60rem)" srcset="{_inline(data[NARROW])}">'
        drawn = f"<picture>{narrow}{drawn}</picture>"
    return f'<div class="heed-drawn">{drawn}</div>'


def _inline(svg: str) -> str:
    """A drawing as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def page(notebook: Path, out: Path | None = None, code: bool = True) -> Path:
    """Write an executed notebook as one self-contained HTML file, beside it by default; return its path.

    Weights of a model that several of its strips need stand in it once. code: show the code cells, too, but
    for those that are folded in the notebook. `~` is home in both paths. Raises HeedError if there is no such
    notebook, or if it was never executed.
    """
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    notebook = paths.file_named(notebook)
    target = paths.file_named(out or notebook.with_suffix(".html"))
    book = executed(notebook)
    book.metadata.pop("widgets", None)  # what only a widgets' manager reads
    exporter = HTMLExporter(
        raw_template=_TEMPLATE,
        config=Config(
            NbConvertBase={"display_data_priority": list(KINDS)},
            TagRemovePreprocessor={"enabled": True, "remove_input_tags": {"hide-input"}},
        ),
        exclude_input=not code,
        exclude_input_prompt=not code,
        exclude_output_prompt=not code,
    )
    body, _ = exporter.from_notebook_node(book, {"metadata": {"name": notebook.stem}})
    with paths.writing(target) as aside:
        aside.write_text(once(body), encoding="utf-8")
    return target
