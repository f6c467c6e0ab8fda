"""The library's own pages: every name is explained, examples run, cards say all of every corpus and model."""

import re
import subprocess
import sys

import nbformat
import pytest

import heed
from heed import paths
from heed.registry import corpora

sys.path.insert(0, str(paths.NOTEBOOKS / "book"))
import library_pages
import make_site

API = library_pages.BY_HAND["api"].read_text(encoding="utf-8")


def test_every_curated_name_is_explained_once():
    named = re.findall(r"^\.\. auto(?:class|function|exception):: heed\.(\w+)$", API, re.M)
    assert sorted(named) == sorted(heed.__all__)


@pytest.mark.thorough
def test_the_pages_examples_run(tmp_path):
    """In order, as a reader would type them: each goes on from the one before."""
    examples = re.findall(r"^```python\n(.*?)^```", API, re.M | re.S)
    assert len(examples) >= 6
    code = f"folder = {str(tmp_path)!r}\n" + "\n".join(examples) + "\nprint(after.against(before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "the probability of" in done.stdout
    assert (tmp_path / "strip.html").exists()


def test_every_corpus_has_a_card():
    page = library_pages.corpora_page()
    for name, entry in corpora().items():
        if entry.get("reader") == "own":
            continue
        assert entry["holds"] and entry["language"] and entry["wrong"], name
        card = page.split(f"\n`{name}`\n")[1].split("\n## ")[0]
        for part in ("Holds", "Language", "Terms", "Source", "To be had", "What is wrong with it"):
            assert f"**{part}**" in card, (name, part)
    assert "train 3,035 &#47; 3,321" in page.split("\n`sst`\n")[1]


def test_a_link_is_to_a_page_or_names_a_file(tmp_path):
    (tmp_path / "12_verdict.ipynb").touch()
    text = (
        "[a](notebooks/12_verdict.ipynb) [b](CHANGELOG.md) [c](data/README.md#x) [`d.md`](d.md) "
        "[e](https://example.org/x) [f](#here) [g](api.md#runs)"
    )
    assert library_pages.within(text, tmp_path) == (
        "[a](12_verdict.ipynb) [b](changelog.md) c (`data/README.md`) `d.md` "
        "[e](https://example.org/x) [f](#here) [g](api.md#runs)"
    )


@pytest.mark.parametrize("path", make_site.sources(), ids=lambda path: path.stem)
def test_no_figure_of_a_chapter_is_left_out(path):
    """The site orders what stands above a chapter's first heading anew: code last, no figure lost."""

    def outputs(book) -> list[dict]:
        return [output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])]

    drawn = ["image/svg+xml" in data for data in outputs(nbformat.read(path, 4))]
    on_the_site = [data.get("text/html", "") for data in outputs(make_site.chapter(path))]
    assert sum('<div class="heed-drawn"' in html for html in on_the_site) == sum(drawn)


def test_howtos_are_short_and_are_listed():
    assert [path.stem for path in make_site.howtos()] == ["own_corpus", "own_measure", "own_model"]
    assert not {path.stem for path in make_site.howtos()} & library_pages.titles().keys()
