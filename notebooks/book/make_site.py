"""`make site`: the executed chapters, a first page and `browse` as a site that needs no network, by Sphinx.

Nothing is executed: the committed outputs are shown, as `heed.page` shows them. Numbers come from the results
folder, where it has finished runs, and from data/results.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import browse
import first_page
import library_pages
import nbformat
from bs4 import BeautifulSoup

from heed import paths
from heed.errors import HeedError
from heed.show import colours
from heed.show.export_html import FORMULAS, KINDS, executed

HERE = Path(__file__).parent
_OF_PAGE = re.compile(r"\]\(([\w-]+)\.(?:md|ipynb)(#[^)]*)?\)")  # a link to a chapter or the glossary
MARK = ".heed-site"  # lies in a finished site: only such a folder is replaced


def sources() -> list[Path]:
    """The chapters, in reading order."""
    return sorted(paths.NOTEBOOKS.glob("[0-9][0-9]*_*.ipynb"))


def howtos() -> list[Path]:
    """The how-tos."""
    return sorted(paths.NOTEBOOKS.glob("howto/*.ipynb"))


def chapter(path: Path) -> nbformat.NotebookNode:
    """An executed notebook as Sphinx is to read it: one form of each output, formulas as MathML.

    Raises HeedError if it can't be read or was never executed.
    """
    book = executed(path)
    book.metadata.pop("widgets", None)
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace("](../", "](")  # in the site all pages lie side by side
            cell.source = re.sub(r"\]\(#([^)]+)\)", _place, cell.source)
        for output in cell.get("outputs", []):
            if "data" in output:
                kind = next((kind for kind in KINDS if kind in output.data), None)
                output.data = {kind: output.data[kind]} if kind else {}
                if kind == "text/markdown":  # of outputs Sphinx leaves links as they are
                    output.data[kind] = _OF_PAGE.sub(r"](\1.html\2)", output.data[kind])
    link = f"*This page is an executed notebook:* {{download}}`{path.name} <notebooks/{path.name}>`"
    book.cells.insert(1, nbformat.v4.new_markdown_cell(link, id="notebook-link"))
    book.cells = _answer_first(book.cells)
    return book


def _answer_first(cells: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """What is above a chapter's first heading: figures and prose that lead to the answer, the answer, its
    figures and their captions, then all code.

    The parameters and folded code of these cells stand in one folded cell. A how-to, which has no *In short*,
    stays as it is.
    """
    cells = [part for cell in cells for part in _cut_at_heading(cell)]
    answers = [i for i, cell in enumerate(cells) if "in_short(" in cell.source and cell.get("outputs")]
    if not answers:
        return cells
    headings = [i for i, cell in enumerate(cells) if cell.source.startswith("## ") and _is_prose(cell)]
    end = min([i for i in headings if i > answers[0]], default=len(cells))
    top = cells[:end]
    told = [cell for cell in top[: answers[0]] if _is_prose(cell) or _has_figure(cell)]
    told += [cell for cell in top[answers[0] :] if _is_prose(cell) or cell.get("outputs")]
    folded = [cell for cell in top if _is_folded(cell) or not _is_prose(cell) and cell not in told]
    code = nbformat.v4.new_code_cell("\n\n".join(cell.source for cell in folded), id="set-up")
    code.metadata["tags"] = ["hide-input"]
    for cell in folded:
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
    return [*told, code, *cells[end:]]


def _cut_at_heading(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """A cell of prose that has a heading within, as two."""
    found = re.search("\n(?=## )", cell.source) if _is_prose(cell) else None
    if found is None:
        return [cell]
    before, after = cell.source[: found.start()], cell.source[found.end() :]
    return [
        nbformat.v4.new_markdown_cell(before, id=f"{cell.id}-above", metadata=cell.metadata),
        nbformat.v4.new_markdown_cell(after, id=cell.id, metadata=cell.metadata),
    ]


def _is_prose(cell: nbformat.NotebookNode) -> bool:
    return cell.cell_type != "code"


def _has_figure(cell: nbformat.NotebookNode) -> bool:
    shown = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    return any('class="heed-drawn"' in html for html in shown)


def _is_folded(cell: nbformat.NotebookNode) -> bool:
    return "hide-input" in cell.metadata.get("tags", [])


def _place(found: re.Match) -> str:
    """A link to a heading of the same chapter: JupyterLab keeps its letters, Sphinx has small ones alone."""
    place = re.sub(r"[^-\w]", "", found[1].lower())
    return f"](#{place})"


def prepare(source: Path, runs) -> None:
    """Write all that Sphinx reads into an empty folder."""
    for folder in ("notebooks", "_static"):
        (source / folder).mkdir(parents=True)
    for path in [*sources(), *howtos()]:
        nbformat.write(chapter(path), source / path.name)
        shutil.copyfile(path, source / "notebooks" / path.name)
    shutil.copyfile(paths.NOTEBOOKS / "glossary.md", source / "glossary.md")
    for name in ("conf.py", "browse.md", "_static/heed.js"):
        shutil.copyfile(HERE / Path(name).name, source / name)
    rules = (HERE / "heed.css").read_text(encoding="utf-8")
    (source / "_static" / "heed.css").write_text(colours.site_css() + FORMULAS + rules, encoding="utf-8")
    listed = {
        "chapters": [f"{path.stem.replace('_', ' ').capitalize()} <{path.stem}>" for path in sources()],
        "howtos": [path.stem for path in howtos()],
        "library": [f"{title} <{name}>" for name, title in library_pages.titles().items()],
    }
    contents = {name: "\n".join(pages) for name, pages in listed.items()}
    page = first_page.write((HERE / "index.md").read_text(encoding="utf-8"), runs, contents)
    (source / "index.md").write_text(page, encoding="utf-8")
    (source / "strip.html").write_text(first_page.strip(), encoding="utf-8")
    library_pages.write(source)


def write_texts(site: Path) -> None:
    """The pages' texts for the search, as a script: what it shows of a page that it found.

    Without tables, code, and what computes.
    """
    texts = {}
    for path in sorted(site.glob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        if article := page.select_one("article"):
            for part in article.select("table, pre, script, style, svg, details, .headerlink"):
                part.decompose()
            texts[path.name] = " ".join(article.get_text(" ").split())
    written = json.dumps(texts, ensure_ascii=False)
    (site / "_static" / "texts.js").write_text(f"window.heedTexts = {written};\n", encoding="utf-8")


def build(out: Path, results: Path) -> Path:
    """Build the site; it appears whole or not at all. Returns its first page.

    Raises HeedError if `out` is a folder that isn't a site, or Sphinx fails.
    """
    from sphinx.cmd.build import main as sphinx

    if out.exists() and not (out / MARK).exists() and (not out.is_dir() or any(out.iterdir())):
        raise HeedError(f"{out} exists and is no site of heed's. Give another folder: make site OUT=folder")
    found = browse.gather(results)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-", suffix=".partial") as folder:
        source, made = Path(folder, "source"), Path(folder, "site")
        prepare(source, found.rows)
        if sphinx(["-q", "-W", "--keep-going", "-d", f"{folder}/doctrees", str(source), str(made)]):
            raise HeedError("Sphinx could not build the site; its own message stands above.")
        shutil.rmtree(made / "_sources", ignore_errors=True)
        write_texts(made)
        browse.write(made / "browse", found)
        (made / MARK).touch()
        if out.exists():
            shutil.rmtree(out)
        made.rename(out)
    return out / "index.html"


def main() -> int:
    """Build it; a HeedError becomes one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="make site", description=__doc__)
    parser.add_argument("--results", default="results", help="the folder whose runs are shown")
    parser.add_argument("--out", default="_site")
    given = parser.parse_args()
    try:
        first = build(paths.ROOT / Path(given.out).expanduser(), paths.results_folder(given.results))
    except HeedError as error:
        print(f"heed: {error}", file=sys.stderr)
        return 2
    print(f"The site is built. Open {first}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
