"""Heatmaps: the numbers they are chosen by, and words that are hostile."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.show import heatmap
from heed.show.words import visible
from made_up import asked_row
from shown import HOSTILE, hostile, seen, spans


def test_hostile_words_are_inert_and_shown_in_html():
    row = hostile()
    kinds = {"original": row.attention, "flat": np.full(len(HOSTILE), 1 / len(HOSTILE))}
    found = seen(heatmap.to_html(row, ["<b>no</b>", "yes&no"], kinds, "<i>caption</i>"))
    assert set(found.tags) <= {*"div p b table thead tbody tr th td bdi sub span".split()}
    assert found.tags.count("bdi") == 2 * len(HOSTILE) and found.tags.count("b") == 1
    assert found.attributes["bdi"] == {"style", "title"}
    text = "".join(found.text)
    assert "<script>alert(1)</script>" in text and "&amp;" in text and "<i>caption</i>" in text
    assert "\u202e" not in text and "<202e>right-to-left" in text
    assert "\u200b" not in text and "zero<200b>width" in text and "<0000><001b>[31m" in text


def test_on_paper_the_weight_stands_under_its_word():
    """A full stop with its weight isn't read as a number, and the tint is the figures'."""
    row = hostile()
    kinds = {"original": row.attention, "flat": np.full(len(HOSTILE), 1 / len(HOSTILE))}
    found = seen(heatmap.to_html(row, ["<b>no</b>", "yes&no"], kinds, "<i>caption</i>", paper=True))
    assert set(found.tags) <= {*"div p b table thead tbody tr th td bdi span".split()}
    assert found.tags.count("bdi") == 2 * len(HOSTILE) and found.tags.count("b") == 1
    assert "<script>alert(1)</script>" in "".join(found.text)
    drawn = heatmap.word_on_paper(".", 0.28)
    assert ".0.28" not in drawn and '>.</bdi><span style="display:block' in drawn and ">0.28<" in drawn
    assert f"background:rgb({' '.join(map(str, heatmap.tint(0.28)))})" in drawn
    assert "0.05" not in "".join(seen(heatmap.word_on_paper(".", 0.05)).text)


def test_on_paper_the_deciding_words_are_underlined():
    row = hostile()
    kinds = {"original": row.attention, "flat": np.full(len(HOSTILE), 1 / len(HOSTILE))}
    none = heatmap.to_html(replace(row, truth=None), ["no", "yes"], kinds, paper=True)
    truth = np.arange(len(HOSTILE)) < 2
    some = heatmap.to_html(replace(row, truth=truth), ["no", "yes"], kinds, paper=True)
    assert "underline" not in none and some.count("underline") == 4


@given(st.text(max_size=30))
def test_any_word_is_text_and_nothing_else(word):
    found = seen(heatmap.word_to_html(word, 0.5))
    assert found.tags == ["bdi", *spans(visible(word)), "sub"]
    # HTML knows no other line end than \n, and a carriage return was shown by its code.
    assert "".join(found.text) == visible(word) + "0.50"


def test_hostile_words_are_inert_in_latex():
    source = heatmap.to_latex(hostile(), {"original": hostile().attention})
    words = source.split(": ", 1)[1]
    assert r"\textbackslash{}input\{/etc/passwd\}" in words
    assert r"\$x\textasciicircum{}2\$" in words and r"100\%\_\#\{\}\textasciitilde{}" in words
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    commands = {m for m in re.findall(r"\\([A-Za-z]+)", "\n".join(lines))}
    ours = {"par", "noindent", "textbf", "Delta", "hat", "colorbox", "strut"}
    signs = {f"text{sign}" for sign in ("backslash", "asciitilde", "asciicircum", "less", "greater")}
    assert commands <= ours | signs | {"textquotesingle", "char"}
    plain = "\n".join(lines).replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
def test_the_files_stay_in_their_folder_and_the_svg_holds_no_word(tmp_path):
    row = hostile()
    written = heatmap.export(row, {"original": row.attention}, tmp_path / "figures")
    assert [path.name for path in written] == ["heatmap----a-b.tex", "heatmap----a-b.svg"]
    assert {path.parent for path in written} == {tmp_path / "figures"}
    # Well-formed, and drawn as outlines: no element that could do anything, no text of the words.
    svg = ElementTree.parse(written[1]).getroot()
    assert {element.tag.rpartition("}")[2] for element in svg.iter()} <= {
        "svg", "metadata", "RDF", "Work", "type", "format", "creator", "Agent", "title", "defs", "style", "g",
        "path", "use", "clipPath", "rect",
    }  # fmt: skip
    assert "alert" not in "".join(svg.itertext())


def test_heatmaps_show_what_is_asked(tmp_path):
    row = asked_row(1, 4)
    kinds, hostile = {"original": row.attention}, "<b>who & what_%\u202e"
    shown = heatmap.to_html(row, ["a", "b", "c"], kinds, "caption", question=hostile, query_name="Hypothesis")
    assert "Hypothesis: <bdi>&lt;b&gt;who &amp; what_%&lt;202e&gt;</bdi>" in shown
    assert "<b>who" not in shown
    assert r"\textbf{Hypothesis} \textless{}b\textgreater{}who \& what\_\%\textless{}202e" in (
        heatmap.to_latex(row, kinds, hostile, "Hypothesis")
    )
    tex, svg = heatmap.export(row, kinds, tmp_path, question=hostile)
    assert r"\textbf{Question}" in tex.read_text() and svg.stat().st_size > 0
    assert "Question" not in heatmap.to_html(row, ["a", "b", "c"], kinds)
