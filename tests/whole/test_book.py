"""The form of a chapter: its answer first, code that is read, figures that speak, links that lead on."""

import re
import statistics

import nbformat
import pytest

from heed import paths
from heed.runs.products import every_product

CHAPTERS = sorted(paths.NOTEBOOKS.glob("[0-9][0-9]*.ipynb"))
SHORT, LISTED = 125, 165  # words in a chapter's answer, markup and all; of one with a line a sentence
WORDS = 90  # of a cell of prose
LETTERS = 110  # of a line of code that is shown


@pytest.fixture(scope="session", params=[path.stem for path in CHAPTERS])
def book(request):
    return nbformat.read(paths.NOTEBOOKS / f"{request.param}.ipynb", 4)


def prose(book) -> list[str]:
    return [cell.source for cell in book.cells if cell.cell_type == "markdown"]


def is_folded(cell) -> bool:
    return "hide-input" in cell.metadata.get("tags", [])


def outputs(book, kind: str):
    """Every output of this kind, with its other forms."""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if kind in output.get("data", {}):
                yield output["data"]


def test_the_answer_comes_first(book):
    """Under the title, before any section: computed, in at most some five sentences."""
    before = []
    for cell in book.cells:
        if cell.cell_type == "markdown" and re.search("^## ", cell.source, re.M):
            break
        before += [o["data"].get("text/markdown", "") for o in cell.get("outputs", []) if "data" in o]
    short = [text for text in before if "**In short.**" in text]
    assert len(short) == 1 and len(short[0].split()) <= (LISTED if "\n* " in short[0] else SHORT)


def test_prose_is_short(book):
    assert prose(book)[0].startswith("# ")
    for text in prose(book):
        sentences = re.sub(r"\$\$.*?\$\$|^\|.*?$", "", text, flags=re.S | re.M)  # without formulas and tables
        assert len(sentences.split()) <= WORDS, text


def test_appendices_are_folded(book):
    """A heading that JupyterLab shows closed begins its cell; the answer at the end comes before them."""
    cells = [cell for cell in book.cells if cell.cell_type == "markdown"]
    appendices = [k for k, cell in enumerate(cells) if re.search("^## Appendix", cell.source, re.M)]
    for k in appendices:
        assert cells[k].source.startswith("## Appendix: ")
        assert cells[k].metadata.get("jp-MarkdownHeadingCollapsed") is True
    sections = [k for k, cell in enumerate(cells) if re.search("^## (?!Appendix)", cell.source, re.M)]
    assert not appendices or max(sections) < min(appendices)


def test_code_is_read_or_folded(book):
    shown = [c for c in book.cells if c.cell_type == "code" and not is_folded(c)]
    lines = [cell.source.splitlines() for cell in shown if "parameters" not in cell.metadata.get("tags", [])]
    assert statistics.median(map(len, lines)) <= 3
    assert max(len(line) for own in lines for line in own) <= LETTERS
    for cell in book.cells:
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        assert cell.cell_type == "markdown" or hidden == is_folded(cell)


def test_figures_say_what_they_show(book):
    """Each drawing is one with lines that scale, and has a sentence for those who can't see it."""
    assert not list(outputs(book, "image/png"))
    for data in outputs(book, "image/svg+xml"):
        assert len(data["text/plain"].split()) >= 4, data["text/plain"]


def test_long_tables_are_folded(book):
    for data in outputs(book, "text/html"):
        for table in re.findall(r"(<details>.*?)?(<table.*?</table>)", data["text/html"], re.S):
            assert table[0] or table[1].count("<tr>") <= 12


def test_the_chapters_follow_one_another(book, request):
    """The one cell that says what is left open leads to the chapter before and after, and to the glossary."""
    name = request.node.callspec.params["book"]
    i = [path.stem for path in CHAPTERS].index(name)
    (foot,) = [text for text in prose(book) if "**Left open.**" in text]
    for path in (*CHAPTERS[max(i - 1, 0) : i], *CHAPTERS[i + 1 : i + 2]):
        assert f"]({path.name})" in foot
    assert "(glossary.md)" in foot


def test_links_lead_somewhere(book):
    glossary = (paths.NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    terms = {head.lower().replace(" ", "-") for head in re.findall("^## (.*)$", glossary, re.M)}
    for target in re.findall(r"\]\(([^)]+)\)", "\n".join(prose(book))):
        name, _, term = target.partition("#")
        if "://" not in target:
            assert (paths.NOTEBOOKS / name).exists(), target
        if name == "glossary.md" and term:
            assert term in terms, target


@pytest.mark.parametrize("name", [name for name, own in every_product().items() if own.proof])
def test_a_chapter_leaves_the_rows_that_are_carried_of_it(name):
    """It asks for its summary: else a batch of it would be lost to the verdict."""
    chapter = every_product()[name].chapter
    (path,) = (path for path in CHAPTERS if path.stem.split("_")[0] == chapter)
    code = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    assert f'"{name}"' in "\n".join(code)
