"""Heatmaps as HTML, LaTeX and SVG: one text under several attentions.

Words are hostile text: all of it passes `words.text_for`.
"""

import matplotlib.pyplot as plt
import numpy as np

from heed import paths
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.show import colours
from heed.show.words import right_to_left, text_for, visible

# How to compile a text that has more than western Latin letters.
_LUALATEX = r"""% its characters need lualatex and fonts that have them, such as
% \usepackage[english, bidi=basic]{babel}
% \usepackage{fontspec}
% \directlua{luaotfload.add_fallback("heed", {
%   "Noto Sans Arabic:mode=harf;script=arab;", "Noto Sans Hebrew:mode=harf;script=hebr;",
%   "Noto Sans CJK SC:mode=harf;", "Noto Sans Devanagari:mode=harf;script=dev2;",
%   "Noto Sans Thai:mode=harf;script=thai;", "DejaVu Sans:mode=harf;", "Symbola:mode=harf;"})}
% \setmainfont{Noto Sans}[Renderer=HarfBuzz, RawFeature={fallback=heed}]"""


def tint(weight: float) -> tuple[int, ...]:
    """Red, green and blue, 0 to 255, of a weight in [0, 1]: by its square root, in every row alike."""
    share = float(np.clip(weight, 0, 1)) ** 0.5
    return tuple(round(255 + share * (c - 255)) for c in colours.rgb(colours.ATTENTION))


def to_html(
    row: Row,
    classes,
    kinds: dict[str, np.ndarray],
    caption="",
    question="",
    query_name="Question",
    paper=False,
) -> str:
    """One table: a line for each kind of attention, with the prediction, its change and the JSD.

    question: what the text is asked, above it. Weights of 0.1 and more are written beside their word, so that
    colour isn't needed to read them. paper: words lie on paper, on the tints that figures have, with the
    weight under the word; rows are set apart, and words that decide the label, where they are known, are
    underlined.
    """
    c = row.shown
    shown = text_for(classes[c], "html")
    if right_to_left(classes[c]):
        shown = f"<bdi>{shown}</bdi>"
    rule = f"border-top:1px solid {colours.GRID};" if paper else ""
    apart = f' style="{rule}padding:{"8px 10px" if paper else "2px 8px"}"'
    head = "".join(f"<th{apart}>{name}</th>" for name in ("", "text", f"P({shown})", "Δŷ", "JSD"))
    begins = ' dir="rtl"' if runs_leftwards(row) else ""
    # A narrow page scrolls a row, and doesn't break it at every word.
    look = f"text-align:{'right' if begins else 'left'};line-height:{1.3 if paper else 1.9};min-width:24ch"
    if paper:
        look = f"{rule}padding:8px 10px;background:{colours.PAPER};color:{colours.INK};{look}"
    decides = np.zeros(len(row.units), bool) if row.truth is None else row.truth
    lines = []
    for name, attention in kinds.items():
        probs = row.probs(attention)
        words = [
            word_on_paper(unit, w, decides=known) if paper else word_to_html(unit, w)
            for unit, w, known in zip(row.units, attention, decides, strict=True)
        ]
        numbers = probs[c], tvd(probs, row.prediction), jsd(attention, row.attention)
        cells = "".join(f"<td{apart}>{x:.3f}</td>" for x in numbers)
        text = f'<td{begins} style="{look}">{" ".join(words)}</td>'
        lines.append(f"<tr><th{apart if paper else ''}>{text_for(name, 'html')}</th>{text}{cells}</tr>")
    title = f"<p><b>{text_for(caption, 'html')}</b></p>" if caption else ""
    if question:
        title += f"<p>{text_for(query_name, 'html')}: <bdi>{text_for(question, 'html')}</bdi></p>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    below = ";margin-bottom:2em" if paper else ""
    return f'{title}<div style="overflow-x:auto{below}">{table}</div>'


def runs_leftwards(row: Row) -> bool:
    """Whether its words run from right to left; markers, which are Latin, don't count."""
    return right_to_left(" ".join(unit for unit, real in zip(row.units, row.real, strict=True) if real))


def word_to_html(unit: str, weight: float) -> str:
    """A word on its tint, inert: of a weight of 0 the page's own, light or dark."""
    number = f"<sub>{weight:.2f}</sub>" if weight >= 0.0995 else ""
    share = colours.OPAQUE * float(np.clip(weight, 0, 1)) ** 0.5
    style = (
        f"background:rgb({' '.join(map(str, colours.rgb(colours.ATTENTION)))}/{share:.2f});padding:1px 2px"
    )
    return f'<bdi style="{style}" title="{weight:.4f}">{text_for(unit, "html")}{number}</bdi>'


def word_on_paper(unit: str, weight: float, numbered: bool = True, decides: bool = False) -> str:
    """A word on the tint that figures have, inert, its weight under it: alike on a light and a dark page.

    decides: it is underlined.
    """
    number = ""
    if numbered and weight >= 0.0995:
        number = f'<span style="display:block;font-size:80%;color:{colours.NOTE}">{weight:.2f}</span>'
    back = f"background:rgb({' '.join(map(str, tint(weight)))});color:{colours.INK};padding:1px 3px"
    back += ";text-decoration:underline 2px" if decides else ""
    word = f'<bdi style="{back}" title="{weight:.4f}">{text_for(unit, "html")}</bdi>'
    around = "display:inline-block;vertical-align:top;text-align:center;margin:2px 1px"
    return f'<span style="{around}">{word}{number}</span>'


def to_latex(row: Row, kinds: dict[str, np.ndarray], question="", query_name="Question") -> str:
    """The same text for a paper: a line for each kind of attention; needs xcolor, and UTF-8 input.

    What other scripts than Latin need is said in its first lines.
    """
    lines = [
        "% needs \\usepackage{xcolor} and, with pdflatex, \\usepackage[T1]{fontenc}",
        "% the tint is the square root of the weight",
    ]
    try:
        " ".join(visible(text) for text in (*row.units, question, query_name, *kinds)).encode("cp1252")
    except UnicodeEncodeError:
        lines.append(_LUALATEX)
    if question:
        asked = text_for(question, "latex")
        if right_to_left(question):
            asked = f"{{\\textdir TRT {asked}}}"
        lines.append(f"\\par\\noindent\\textbf{{{text_for(query_name, 'latex')}}} {asked}")
    turned = runs_leftwards(row)
    for name, attention in kinds.items():
        words = " ".join(_box(unit, w, turned) for unit, w in zip(row.units, attention, strict=True))
        if turned:
            words = f"{{\\textdir TRT {words}}}"
        numbers = f"$\\Delta\\hat y = {tvd(row.probs(attention), row.prediction):.3f}$"
        numbers += f", JSD {jsd(attention, row.attention):.3f}"
        lines.append(f"\\par\\noindent\\textbf{{{text_for(name, 'latex')}}} ({numbers}): {words}")
    return "\n".join(lines) + "\n"


def _box(unit: str, weight: float, turned: bool) -> str:
    """A word on its tint; turned: in a text from right to left, where a number says its own direction."""
    word = text_for(unit, "latex")
    if turned:
        word = f"\\textdir {'TRT' if right_to_left(unit) else 'TLT'} {word}"
    return f"\\colorbox[RGB]{{{','.join(map(str, tint(weight)))}}}{{\\strut {word}}}"


def export(row: Row, kinds: dict[str, np.ndarray], folder, question="", query_name="Question") -> list:
    """Write one text's heatmaps as heatmap-ID.tex and .svg; return the two paths."""
    from heed.show.figures import heatmaps
    from heed.show.style import save

    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in row.id)
    made = []
    with paths.writing(folder / f"heatmap-{name}.tex") as aside:
        aside.write_text(to_latex(row, kinds, question, query_name), encoding="utf-8")
        made.append(folder / f"heatmap-{name}.tex")
    shown = heatmaps.heatmap(row.units, kinds, tint, question, query_name)
    with plt.rc_context({"svg.fonttype": "path"}):  # a word is as wide everywhere as its box
        save(shown, folder / f"heatmap-{name}.svg")
    plt.close(shown)
    return [*made, folder / f"heatmap-{name}.svg"]
