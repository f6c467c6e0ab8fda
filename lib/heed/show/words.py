"""Words and names as a reader may be shown them: text is hostile wherever it is shown.

`text_for` is the one way of a text into a figure, HTML, Markdown, LaTeX or Typst.
"""

import re
import unicodedata

from heed.errors import choose
from heed.show import fonts

# Fillers and joiners that leave no ink, though their categories are those of letters, marks and symbols.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
SHOWN = 40  # words of a long text that a sentence begins with, or a figure shows
COLUMNS = 24  # of a word in a figure; a Chinese character takes two

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# JupyterLab has MathJax look for $...$ and \(...\) in whatever it shows; they can't go across a tag.
_NO_FORMULA = {c: f"<span>&#{ord(c)};</span>" for c in "$\\"}
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # babel makes it a command
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}
_LIGATURE = re.compile("(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=[`?!])(?=`)")  # TeX would join these
# What may mean something in Markdown: any sign but these, some of these at the beginning, 1., www.
_MARKDOWN = re.compile(r"[^\w .,;:()?%-]|_|^[ :%-]|^\d+(?=[.)])|(?<=[wW]{3})\.")


def visible(text: str) -> str:
    """The text with every control, format, private or blank character shown by its code, such as <200b>.

    Joiners stay where scripts need them: between letters without case or marks, U+200D between symbols, too.
    A combining mark that begins the text gets a dotted circle to stand on.
    """
    shown = []
    for i, c in enumerate(text):
        hidden = unicodedata.category(c).startswith(("C", "Zl", "Zp")) or c in BLANK
        if hidden and not _joins(text[max(i - 1, 0) : i], c, text[i + 1 : i + 2]):
            c = f"<{ord(c):04x}>"
        elif i == 0 and _is_mark(c):
            c = f"\N{DOTTED CIRCLE}{c}"
        shown.append(c)
    return "".join(shown)


def _joins(before: str, c: str, after: str) -> bool:
    """Whether `c` is a joiner between these two characters, where a script or an emoji needs it."""
    if c not in "\u200c\u200d" or not before or not after or before in BLANK or after in BLANK:
        return False
    kinds = unicodedata.category(before), unicodedata.category(after)
    if all(kind in ("Lo", "Mn", "Mc") for kind in kinds):
        return True
    return c == "\u200d" and (kinds[0] in ("So", "Sk") or before == "\ufe0f") and kinds[1] in ("So", "Sk")


def _is_mark(c: str) -> bool:
    return unicodedata.category(c).startswith("M")


def right_to_left(text: str) -> bool:
    """Whether a text's first letter that has a direction is written from right to left."""
    kinds = (unicodedata.bidirectional(c) for c in text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def text_for(text: str, into: str) -> str:
    """A word, a class's name or any other text, `visible`, and nothing but text in what it is put into.

    figure: a text of matplotlib, of 24 columns at most; if no font has a character, it says so, once.
    html: between tags, not in an attribute. markdown: in a sentence or as one. latex: in a paragraph.
    typst: anywhere in markup.
    Raises HeedError for anything else. To be done once: what is escaped twice shows its escapes.
    """
    return INTO[choose("kind of text", into, INTO)](visible(text))


def _figure(text: str) -> str:
    fonts.find(text)
    text = shortened(text)
    if text.startswith("_"):  # matplotlib leaves what begins so out of a legend
        text = f" {text}"
    return text.replace("$", r"\$")  # it takes \$ for a dollar, and $...$ for a formula


def _html(text: str) -> str:
    return "".join((_HTML | _NO_FORMULA).get(c, c) for c in text)


def _markdown(text: str) -> str:
    def code(found: re.Match) -> str:
        return "".join(_NO_FORMULA.get(c) or f"&#{ord(c)};" for c in found[0])

    marked = _MARKDOWN.sub(code, text)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        return f"&#8296;{marked}&#8297;"  # isolated: what follows keeps its own direction
    return marked


def _latex(text: str) -> str:
    parts = ("".join(_LATEX.get(c, c) for c in part) for part in _LIGATURE.split(text))
    return r"\kern0pt{}".join(parts)


def _typst(text: str) -> str:
    """A string of Typst's code: nothing in it is markup. The semicolon ends it, whatever follows."""
    quoted = text.replace("\\", r"\\").replace('"', r"\"")
    return f'#"{quoted}";'


INTO = {"figure": _figure, "html": _html, "markdown": _markdown, "latex": _latex, "typst": _typst}


def breadth(text: str) -> int:
    """How wide a text is, in columns."""
    return sum(_breadth(c) for c in text)


def _breadth(c: str) -> int:
    if _is_mark(c) or unicodedata.category(c) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def shortened(text: str) -> str:
    """A sentence by its beginning, of 24 columns at most; of a letter's marks, which may be a tower, four."""
    text = _without_towers(text)
    if breadth(text) <= COLUMNS:
        return text
    return text[: _end(text, COLUMNS - 2)].rstrip("\u200c\u200d") + "…"


def _without_towers(text: str) -> str:
    kept, marks = [], 0
    for c in text:
        marks = marks + 1 if _is_mark(c) else 0
        if marks <= 4:
            kept.append(c)
    return "".join(kept)


def pieces(text: str) -> list[str]:
    """A text cut at its spaces, and again what is wider than 24 columns: a script may have no spaces."""
    found = []
    for word in visible(text).split():
        while word:
            end = _end(word, COLUMNS)
            found.append(word[:end])
            word = word[end:]
    return found


def _end(text: str, room: int) -> int:
    """How many characters fit into so many columns."""
    for end, c in enumerate(text):
        room -= _breadth(c)
        if room < 0:
            return end
    return len(text)
