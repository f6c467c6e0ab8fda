"""Pages set by Typst: every text is itself, the same document gives the same bytes."""

import json

import numpy as np
import pandas as pd
import pytest

from heed.show.typeset import Document, minus, needs_typst
from heed.show.words import visible
from refusals import assert_nothing_half_written, refused
from shown import LIKELY

typst = pytest.importorskip("typst", reason="make setup installs it")
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">'
DRAWING = HEAD + '<text style="font: 8px sans-serif" y="9">a</text></svg>'


def pages(document: Document, folder) -> int:
    """How many pages a document has."""
    source = document.lay_out(folder)
    with source.open("a", encoding="utf-8") as file:
        file.write("\n#context [#metadata(counter(page).final().first()) <pages>]\n")
    return int(json.loads(typst.query(str(source), "<pages>", field="value", one=True)))


def cells(source) -> list[str]:
    """What stands in the cells of a document's tables, its header first."""
    found = []
    for table in json.loads(typst.query(str(source), "table")):
        for child in table["children"]:
            inside = child["children"] if child["func"] == "header" else [child]
            found += ["".join(texts(one["body"])) for one in inside if one["func"] == "cell"]
    return found


def texts(content) -> list[str]:
    """The texts in what Typst has made of markup, in order."""
    if isinstance(content, list):
        return [text for one in content for text in texts(one)]
    if not isinstance(content, dict):
        return []
    own = [content["text"]] if isinstance(content.get("text"), str) else []
    return own + [text for one in content.values() for text in texts(one)]


def test_any_text_is_itself_in_a_heading_a_list_a_table_and_a_caption(tmp_path):
    made = Document('#"title" $x', "*sub* <title>")
    for word in LIKELY:
        made.heading(word, 2)
        made.points([(word, word)])
    made.say(*LIKELY)
    made.note(LIKELY[0])
    made.in_short(LIKELY)
    made.table(pd.DataFrame({word: [word] for word in LIKELY[:5]}), "#caption[]")
    made.figure(DRAWING, LIKELY[2])
    source = made.lay_out(tmp_path)
    headings = json.loads(typst.query(str(source), "heading"))
    assert ["".join(texts(heading["body"])) for heading in headings] == [visible(word) for word in LIKELY]
    assert cells(source) == [visible(word) for word in LIKELY[:5] * 2]
    assert made.write(tmp_path / "made.pdf").read_bytes().startswith(b"%PDF")


def test_numbers_are_rounded_and_what_is_missing_is_a_dash(tmp_path):
    made = Document("a", "b")
    made.table(pd.DataFrame({"x": [-0.126, np.nan, -0.001], "y": ["a", None, "c"]}), "c", (1, 2))
    assert cells(made.lay_out(tmp_path)) == "x y −0.13 a – – 0.00 c".split()
    assert minus("-0.10") == "−0.10"


def test_nothing_to_say_leaves_nothing():
    made = Document("a", "b")
    made.say()
    made.points([])
    made.table(pd.DataFrame({"x": []}), "c")
    assert made.parts == []


def test_the_same_document_gives_the_same_bytes(tmp_path):
    made = Document("a", "b")
    made.heading("One")
    made.figure(DRAWING, "a figure")
    first, second = (made.write(tmp_path / name).read_bytes() for name in ("one.pdf", "two.pdf"))
    assert first == second and pages(made, tmp_path) == 1


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    refused("can't be written", Document("a", "b").write, tmp_path / "file" / "made.pdf")
    assert_nothing_half_written(tmp_path)


def test_without_typst_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused("needs the package typst, which isn't installed: run make setup", needs_typst)
