"""Words and names: nothing but text in whatever they are put into, and readable as they were written."""

import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbconvert.filters import markdown2html

from heed.errors import HeedError
from heed.show.notebook import tokens
from heed.show.words import (
    BLANK,
    COLUMNS,
    breadth,
    pieces,
    right_to_left,
    shortened,
    text_for,
    visible,
)
from shown import anything, seen, spans


@given(anything)
def test_what_is_visible_has_nothing_hidden_but_joiners(word):
    shown = visible(word)
    assert visible(shown) == shown
    hidden = [c for c in shown if unicodedata.category(c)[0] == "C" or c in BLANK]
    assert {*hidden} <= {"\u200c", "\u200d"}
    assert not shown or not unicodedata.category(shown[0]).startswith("M")


@pytest.mark.parametrize(
    "word",
    [
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d🚀",
        "🏳\ufe0f\u200d🌈",
        "👩🏽\u200d🚀",
        "❤\ufe0f",
        "e\u0301",
        "שָׁלוֹם",
    ],
)
def test_joiners_and_marks_that_a_script_needs_stay(word):
    assert visible(word) == word


@pytest.mark.parametrize(
    "word, shown",
    [
        ("zero\u200dwidth", "zero<200d>width"),
        ("\u200cא", "<200c>א"),
        ("א\u200d", "א<200d>"),
        ("👩\u200c🚀", "👩<200c>🚀"),
        ("א\u200d\u3164", "א<200d><3164>"),
        ("\u0301a", "◌\u0301a"),
        ("a\u202eb\u2066", "a<202e>b<2066>"),
        ("\ud800\ufffe", "<d800><fffe>"),
        ("\u2028\u00ad", "<2028><00ad>"),
    ],
)
def test_what_is_hidden_elsewhere_is_shown_by_its_code(word, shown):
    assert visible(word) == shown


@given(anything)
def test_any_text_is_itself_in_html(word):
    found = seen(f"<p>{text_for(word, 'html')}</p>")
    assert found.tags == ["p", *spans(visible(word))] and not found.attributes["p"]
    assert "".join(found.text) == visible(word)


@given(anything)
def test_any_text_is_itself_in_markdown(word):
    """Alone in its line, on a page of nbconvert's and on the site; what is isolated is in two marks."""
    for to_html in (markdown2html, MarkdownIt("commonmark").enable(["table", "strikethrough"]).render):
        found = seen(to_html(text_for(word, "markdown")))
        assert found.tags == ["p"] * (visible(word) != "") + spans(visible(word))
        read = "".join(found.text).strip("\n")
        assert read.removeprefix("\u2068").removesuffix("\u2069").rstrip(" ") == visible(word).rstrip(" ")


def test_no_number_is_drawn_into_a_right_to_left_name():
    assert html.unescape(f"P({text_for('سعيد', 'markdown')}) = 0.97") == "P(\u2068سعيد\u2069) = 0.97"
    assert tokens(["a", "\u0301", "\u200d"]) == "a &#9676;&#769; &#60;200d&#62;"


def read_latex(source: str) -> str:
    """What TeX sets; KeyError for a command that isn't one of a sign."""
    signs = {
        "textbackslash": "\\",
        "textasciitilde": "~",
        "textasciicircum": "^",
        "textless": "<",
        "textgreater": ">",
        "textbar": "|",
        "char34": '"',
        "textquotesingle": "'",
        "textasciigrave": "`",
        "kern0pt": "",
    }
    command = re.compile(r"\\([A-Za-z]+\d*\w*)\{\}|\\([&%$#_{}])|([&%$#_{}~^\\])")

    def sign(found: re.Match) -> str:
        return signs[found[1]] if found[1] else found[2]

    assert not [found for found in command.finditer(source) if found[3]], "a sign of TeX's own"
    assert not re.search("--|,,|''|[`?!]`", source)
    return command.sub(sign, source)


@given(anything | st.text(r"\${}%&#_^~-,'`!?\"<>|aM1", max_size=12))
def test_any_text_is_itself_in_latex(word):
    assert read_latex(text_for(word, "latex")) == visible(word)


@given(anything | st.text('\\"#$*_@<[];()= -~/.n', max_size=12))
def test_any_text_is_one_string_in_typst(word):
    whole = re.fullmatch(r'#"((?:[^"\\]|\\["\\])*)";', text_for(word, "typst"))
    assert whole and re.sub(r"\\(.)", r"\1", whole[1]) == visible(word)


def test_a_text_is_put_into_what_is_known():
    with pytest.raises(HeedError, match="unknown kind of text 'htm'. Did you mean 'html'?"):
        text_for("a", "htm")


@given(anything)
def test_a_figure_takes_24_columns(word):
    short = shortened(visible(word))
    assert breadth(short) <= COLUMNS
    if breadth(visible(word)) > COLUMNS:
        assert short.endswith("…") and breadth(short) >= COLUMNS - 2
    elif "\u0301" * 5 not in word:
        assert short == visible(word)


def test_a_figure_has_no_towers_of_marks_and_no_letter_without_its_own():
    assert shortened("a" + "\u0301" * 60 + "b\u0301") == "a" + "\u0301" * 4 + "b\u0301"
    assert shortened("x" * 21 + "e\u0301" * 9) == "x" * 21 + "e\u0301…"
    assert shortened("👩\u200d🚀" * 20) == "👩\u200d🚀" * 5 + "👩…"


@given(st.lists(anything, max_size=4))
def test_pieces_lose_nothing(words):
    found = pieces(" ".join(words))
    assert "".join(found) == "".join(visible(" ".join(words)).split())
    assert all(0 < breadth(piece) <= COLUMNS or piece for piece in found)


@pytest.mark.parametrize("text", ["הסרט", "3.5 (هذا) a", "! می"])
def test_direction_is_that_of_the_first_letter(text):
    assert right_to_left(text) and not right_to_left(f"a {text}") and not right_to_left("3.5 !")


def test_a_dollar_is_a_dollar_in_a_figure():
    """To matplotlib a text between two of them is mathematics."""
    assert text_for("$10-$50", "figure") == r"\$10-\$50"
