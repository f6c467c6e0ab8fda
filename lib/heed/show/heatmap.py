"""Heatmaps as HTML, LaTeX and SVG: one text under several attentions.

Words are hostile text: escaped, and what has no width or turns the writing direction is shown by its code.
"""

import html

import matplotlib.pyplot as plt
import numpy as np

from heed import paths
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.show import colours
from heed.show.words import visible

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def tint(weight: float) -> tuple[int, ...]:
    """Red, green and blue, 0 to 255, of a weight in [0, 1]: by its square root, in every row alike."""
    share = float(np.clip(weight, 0, 1)) ** 0.5
    return tuple(round(255 + share * (c - 255)) for c in colours.rgb(colours.ATTENTION))


def to_html(
    row: Row, classes, kinds: dict[str, np.ndarray], caption="", question="", query_name="Question"
) -> str:
    """One table: a line for each kind of attention, with the prediction, its change and the JSD.

    question: what the text is asked, above it. Weights of 0.1 and more are written beside their word, so that
    colour isn't needed to read them.
    """
    c = row.shown
    head = f"<th></th><th>text</th><th>P({html.escape(classes[c])})</th><th>Δŷ</th><th>JSD</th>"
    lines = []
    for name, attention in kinds.items():
        probs = row.probs(attention)
        words = " ".join(word_to_html(unit, w) for unit, w in zip(row.units, attention, strict=True))
        numbers = probs[c], tvd(probs, row.prediction), jsd(attention, row.attention)
        cells = "".join(f"<td>{x:.3f}</td>" for x in numbers)
        text = f'<td style="text-align:left;line-height:1.9">{words}</td>'
        lines.append(f"<tr><th>{html.escape(name)}</th>{text}{cells}</tr>")
    title = f"<p><b>{html.escape(caption)}</b></p>" if caption else ""
    title += f"<p>{query_name}: <bdi>{html.escape(visible(question))}</bdi></p>" if question else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def word_to_html(unit: str, weight: float) -> str:
    """A word on its tint, inert."""
    number = f"<sub>{weight:.2f}</sub>" if weight >= 0.0995 else ""
    style = f"background:rgb({','.join(map(str, tint(weight)))});color:{colours.ON_ATTENTION};padding:1px 2px"
    return f'<bdi style="{style}" title="{weight:.4f}">{html.escape(visible(unit))}{number}</bdi>'


def to_latex(row: Row, kinds: dict[str, np.ndarray], question="", query_name="Question") -> str:
    """The same text for a paper: a line for each kind of attention; needs xcolor, and UTF-8 input."""
    lines = ["% needs \\usepackage{xcolor}; the tint is the square root of the weight"]
    if question:
        lines.append(f"\\par\\noindent\\textbf{{{query_name}}} {_plain(question)}")
    for name, attention in kinds.items():
        words = " ".join(_box(unit, w) for unit, w in zip(row.units, attention, strict=True))
        numbers = f"$\\Delta\\hat y = {tvd(row.probs(attention), row.prediction):.3f}$"
        numbers += f", JSD {jsd(attention, row.attention):.3f}"
        lines.append(f"\\par\\noindent\\textbf{{{name}}} ({numbers}): {words}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in visible(text))


def _box(unit: str, weight: float) -> str:
    return f"\\colorbox[RGB]{{{','.join(map(str, tint(weight)))}}}{{\\strut {_plain(unit)}}}"


def export(row: Row, kinds: dict[str, np.ndarray], folder, question="", query_name="Question") -> list:
    """Write one text's heatmaps as heatmap-ID.tex and .svg; return the two paths."""
    from heed.show.figures import heatmaps
    from heed.show.style import save

    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in row.id)
    made = []
    with paths.writing(folder / f"heatmap-{name}.tex") as aside:
        aside.write_text(to_latex(row, kinds, question, query_name), encoding="utf-8")
        made.append(folder / f"heatmap-{name}.tex")
    words = [visible(unit) for unit in row.units]
    shown = heatmaps.heatmap(words, kinds, tint, visible(question), query_name)
    with plt.rc_context({"svg.fonttype": "path"}):  # a word is as wide everywhere as its box
        save(shown, folder / f"heatmap-{name}.svg")
    plt.close(shown)
    return [*made, folder / f"heatmap-{name}.svg"]
