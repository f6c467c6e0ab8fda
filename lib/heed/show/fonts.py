"""Fonts for every script: what stands behind DejaVu Sans in figures, and one sentence where none does."""

import contextlib
import unicodedata
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
from IPython import get_ipython
from IPython.display import Markdown, display
from matplotlib.font_manager import (
    FontProperties,
    findfont,
    findSystemFonts,
    fontManager,
    get_font,
    weight_dict,
)

# By script; of Chinese, Japanese and Korean the usual ones on Linux, macOS and Windows. DejaVu Sans has
# Latin, Greek, Cyrillic, most of Hebrew and Arabic, many symbols. Colour emoji are bitmaps: matplotlib draws
# none. Each takes time in every figure: no more than are likely.
FAMILIES = (
    *("Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Zen Hei"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Ethiopic", "Noto Sans Devanagari"),
    *("Noto Sans Bengali", "Noto Sans Gurmukhi", "Noto Sans Gujarati", "Noto Sans Oriya", "Noto Sans Tamil"),
    *("Noto Sans Telugu", "Noto Sans Kannada", "Noto Sans Malayalam", "Noto Sans Sinhala", "Noto Sans Thai"),
    *("Noto Sans Myanmar", "Noto Sans Khmer", "Noto Serif Tibetan", "Noto Sans Symbols2", "Symbola"),
    "Noto Emoji",
)
_named: set[str] = set()  # Debian's packages that this process has said are missing: once is enough


class MissingFont(UserWarning):
    """Characters that no font here has."""


@cache
def installed() -> list[str]:
    """Those of FAMILIES that are here, in that order; what was installed after matplotlib looked is added."""
    known = {font.fname for font in fontManager.ttflist}
    wanted = [family.replace(" ", "") for family in FAMILIES]
    for file in sorted(findSystemFonts()):
        name, _, weight = Path(file).stem.replace("_hint", "").partition("-")
        if file not in known and weight in ("", "Regular", "Bold"):
            if any(family.startswith(name) for family in wanted):  # a file of CJK has SC, JP and more
                with contextlib.suppress(OSError, RuntimeError, NotImplementedError):  # damaged; of bitmaps
                    fontManager.addfont(file)
    faces = {}
    for font in fontManager.ttflist:
        if font.name in FAMILIES and Path(font.fname).exists():
            faces.setdefault(font.name, {})[weight_dict.get(font.weight, font.weight)] = font
    for own in faces.values():
        if 700 not in own:  # or matplotlib would log each time that it takes another for bold
            fontManager.ttflist.append(replace(next(iter(own.values())), weight=700))
    return [family for family in FAMILIES if family in faces]


@cache
def _characters(family: str) -> frozenset[int]:
    """Code points that a family's font has."""
    return frozenset(get_font(findfont(FontProperties(family=[family]))).get_charmap())


def find(text: str) -> None:
    """Let figures find the characters of a text that is to stand in one; say, once, which font is missing.

    Another font is asked for only from where one is needed: each costs time at every text of every figure.
    """
    for c in text if not text.isascii() else "":
        families = plt.rcParams["font.family"]
        if _leaves_no_ink(c) or any(ord(c) in _characters(family) for family in families):
            continue
        for family in installed():
            if ord(c) in _characters(family):
                behind = {*families[1:], family}
                plt.rcParams["font.family"] = [families[0], *filter(behind.__contains__, FAMILIES)]
                break
        else:
            _say_missing(c)


def _say_missing(c: str) -> None:
    """Say which font a character of a figure lacks; instead of matplotlib, which would for every glyph."""
    warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    package = _package(c)
    if package not in _named:
        _named.add(package)
        _say(
            f"No font here has {unicodedata.name(c, f'U+{ord(c):04X}')}: figures show a box for it and"
            f" others of its kind. On Debian and Ubuntu `apt install {package}` installs one."
        )


def _leaves_no_ink(c: str) -> bool:
    """Whether it is a joiner or a variation selector."""
    return c in "\u200c\u200d" or "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"


def _package(c: str) -> str:
    """Debian's package of fonts that most likely has this character."""
    if unicodedata.category(c).startswith("S"):
        return "fonts-symbola"
    return "fonts-noto-cjk" if unicodedata.east_asian_width(c) in "WF" else "fonts-noto-core"


def _say(sentence: str) -> None:
    """As a line of the chapter where there is one, else as a warning."""
    shell = get_ipython()
    if shell is not None and shell.has_trait("kernel"):
        display(Markdown(sentence))
    else:
        warnings.warn(sentence, MissingFont, stacklevel=4)
