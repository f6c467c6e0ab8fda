"""Exported chapters in a real browser: formulas, one page that needs no network."""

import json
import subprocess
import sys

import nbformat
import pytest

from heed import paths
from heed.show import ours
from heed.show.export_html import formulas
from heed.show.export_html import page as exported
from refusals import assert_nothing_half_written, refused


def test_formulas_are_drawn_without_a_script():
    text = r"Here $\hat y$ and `$x`, then $$\sum_t a_t$$ and 5$ only, $\undefinedthing{$"
    found = formulas(text)
    assert found.count("<math") >= 2 and "`$x`" in found and "5$ only" in found and 'display="block"' in found
    assert (
        formulas(r"$\tau$").count('<mi mathvariant="normal" style="font-style:italic">') == 1
    )  # in any font


@pytest.mark.parametrize("name", ["05_heatmaps", "10_perturb"])
def test_a_chapter_is_one_page_that_needs_no_network(page, tmp_path, name):
    out = exported(paths.NOTEBOOKS / f"{name}.ipynb", tmp_path / "chapter.html")
    page.goto(out.as_uri())
    page.wait_for_selector(".hs-root")
    alive = page.locator(".hs-root").count()
    assert alive == {"05_heatmaps": 1, "10_perturb": 4 + len(ours.kept())}[name]
    assert page.locator(".hs-root .hs-tok").count() > 10
    source = out.read_text(encoding="utf-8")
    assert "cdnjs" not in source and "unpkg" not in source and "MathJax" not in source
    assert "widget-state" not in source, "nobody on a page reads it"


# What is no notebook

V4 = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
NO_NOTEBOOK = {
    "[1, 2]": "it is JSON of something else",
    '{"a": 1}': "it is JSON of something else",
    "5": "it is JSON of something else",
    "": "it is empty",
    " \n": "it is empty",
    "not bad\nat all": "it isn't JSON",
    "[" * 100_000: "it isn't JSON",
    json.dumps(V4): "missing an expected key: cells",
    json.dumps(V4 | {"cells": [1, 2]}): "can't be read as a notebook",
    json.dumps(V4 | {"cells": [{"cell_type": "code"}]}): "can't be read as a notebook",
    json.dumps(V4 | {"nbformat": 9, "cells": []}): "Unsupported nbformat version 9",
    json.dumps(V4 | {"nbformat": "four", "cells": []}): "Unsupported nbformat version four",
    json.dumps(V4 | {"cells": []}): "has no outputs. Execute it first",
}


@pytest.mark.parametrize(("text", "said"), NO_NOTEBOOK.items(), ids=map(str, range(len(NO_NOTEBOOK))))
def test_what_is_no_notebook_is_told_in_one_sentence(tmp_path, text, said):
    (tmp_path / "a.ipynb").write_text(text)
    with refused(str(tmp_path / "a.ipynb"), said):
        exported(tmp_path / "a.ipynb")
    assert [file.name for file in tmp_path.iterdir()] == ["a.ipynb"]


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(b"\xff\xfe{}")
    with refused("a.ipynb can't be read as a notebook: it isn't JSON"):
        exported(tmp_path / "a.ipynb")


def executed_book(**more) -> nbformat.NotebookNode:
    """A notebook with one output."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")], **more)
    book.cells[0].outputs = [nbformat.v4.new_output("display_data", {"text/plain": "one"})]
    return book


def test_where_a_page_may_go(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    nbformat.write(executed_book(), tmp_path / "a.ipynb")
    assert exported("~/a.ipynb") == tmp_path / "a.html"
    made = exported(tmp_path / "a.ipynb", "~/new/folder/b.html")
    assert made == tmp_path / "new" / "folder" / "b.html" and made.is_file()
    for folder in (tmp_path, "~", "/"):
        with refused("names a folder, if anything"):
            exported(tmp_path / "a.ipynb", folder)
    with refused("names a folder, if anything"):
        exported(tmp_path)
    with refused("none.ipynb can't be read: No such file or directory"):
        exported(tmp_path / "none.ipynb")
    with refused("a.html/b.html can't be written"):
        exported(tmp_path / "a.ipynb", tmp_path / "a.html" / "b.html")
    assert_nothing_half_written(tmp_path)


def test_a_notebook_of_an_older_format(tmp_path):
    code = {"cell_type": "code", "language": "python", "metadata": {}, "collapsed": False, "prompt_number": 1}
    code |= {
        "input": "1",
        "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": "one", "metadata": {}}],
    }
    text = {"cell_type": "markdown", "metadata": {}, "source": ["so ", "$x$"]}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}}
    old["worksheets"] = [{"metadata": {}, "cells": [code, text]}]
    (tmp_path / "old.ipynb").write_text(json.dumps(old))
    shown = exported(tmp_path / "old.ipynb").read_text(encoding="utf-8")
    assert "one" in shown and "<math" in shown


@pytest.mark.thorough
def test_the_command_says_it_without_a_stack(tmp_path):
    (tmp_path / "a.ipynb").write_text("[1, 2]")
    command = [sys.executable, "-m", "heed", "page", str(tmp_path / "a.ipynb")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=paths.ROOT / "lib")
    assert done.returncode == 2 and done.stdout == ""
    assert (
        done.stderr
        == f"heed: {tmp_path / 'a.ipynb'} can't be read as a notebook: it is JSON of something else.\n"
    )
