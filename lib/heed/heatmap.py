"""Heatmaps: one text under its own attention and three others, for a page, a paper or a figure.

Source: Jain & Wallace (2019), figure 1 and appendix C. Words are hostile text: escaped, and what has no
width or turns the writing direction is shown by its code.
"""

import html
import unicodedata

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed import paths, permutation
from heed.divergence import jsd, tvd
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.exact import Vertex
from heed.measures import Measure, register, validate

_OF = ((0.0, 1.0), "higher is more weight", "heed: words without a letter or digit, and markers", "heatmap")
_KEPT = pa.Column(float, nullable=True)
register(
    "heatmap",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "label": pa.Column(int)}
    | {"length": pa.Column(int)}
    | {name: _KEPT for name in ("max_attention", "tau_gradient", "median_change", "found", "change_found")}
    | {name: _KEPT for name in ("optimum", "change_optimum")},
    Measure("punctuation", "share of attention on punctuation and markers", *_OF),
    Measure("punctuation_units", "share of punctuation and markers among the units", *_OF),
)
# Red, green, blue of a weight of 1; a weight w is mixed in by its square root, in every row alike.
COLOUR = (217, 95, 2)
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def table(
    evidence: Evidence,
    correlation: pd.DataFrame,
    permuted: pd.DataFrame,
    adversarial: pd.DataFrame,
    searched: dict[str, np.ndarray],
) -> pd.DataFrame:
    """All that a heatmap is chosen by, one row an instance; `searched` holds the best of each search."""
    found = adversarial.rename(columns={"tvd": "change_optimum"})
    found = found[["id", "predicted", "length", "max_attention", "found", "optimum", "change_optimum"]]
    found = found.merge(correlation[["id", "tau_gradient"]], on="id", validate="1:1")
    found = found.merge(permuted[["id", "median_change"]], on="id", validate="1:1")
    rows = []
    for row in evidence:
        outside = ~row.real | ~np.array([any(c.isalnum() for c in unit) for unit in row.units])
        rows.append(
            {
                "id": row.id,
                "label": row.label,
                "change_found": float(tvd(row.probs(searched[row.id]), row.prediction)),
                "punctuation": float(min(row.attention[outside].sum(), 1)),
                "punctuation_units": float(outside.mean()),
            }
        )
    return validate("heatmap", found.merge(pd.DataFrame(rows), on="id", validate="1:1"))


def attentions(
    row: Row, adversarial: pd.Series, searched: np.ndarray, count: int, seed: int
) -> dict[str, np.ndarray]:
    """A text's own attention, the draw of median change, the search's best, the exact (or best known) one.

    adversarial: the row's entry of that table. Where nothing is known that keeps the prediction
    but the text's own attention, the last is left out.
    """
    draws = permutation.draws(row, count, seed)
    change = tvd(row.probs(draws), row.prediction)
    middle = draws[np.argsort(change, kind="stable")[(count - 1) // 2]]
    found = {"original": row.attention, "permuted": middle, "search": searched}
    best = "exact" if adversarial["proved"] else "best known"
    if adversarial["token_i"] >= 0:
        vertex = Vertex(adversarial["optimum"], *adversarial[["token_i", "token_j", "weight_i"]])
        found[best] = vertex.attention(len(row.attention))
    elif adversarial["feasible"]:
        found[best] = searched
    return found


def ordered(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """The table from the highest to the lowest of a column, equals by id. Raises HeedError without it."""
    if by not in frame.columns or by in ("id", "predicted"):
        known = [c for c in frame.columns if c not in ("id", "predicted")]
        raise HeedError(f"heatmaps can't be sorted by {by!r}. Choose one of: {', '.join(known)}.")
    return frame.sort_values([by, "id"], ascending=[False, True], kind="stable", ignore_index=True)


def visible(word: str) -> str:
    """The word with every control, format or private character shown by its code, such as <200b>."""
    hidden = ("C", "Zl", "Zp")
    return "".join(f"<{ord(c):04x}>" if unicodedata.category(c).startswith(hidden) else c for c in word)


def tint(weight: float) -> tuple[int, ...]:
    """Red, green and blue, 0 to 255, of a weight in [0, 1]."""
    share = float(np.clip(weight, 0, 1)) ** 0.5
    return tuple(round(255 + share * (c - 255)) for c in COLOUR)


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
    style = f"background:rgb({','.join(map(str, tint(weight)))});color:#000;padding:1px 2px"
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
    from heed import figures

    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in row.id)
    made = []
    with paths.writing(folder / f"heatmap-{name}.tex") as aside:
        aside.write_text(to_latex(row, kinds, question, query_name), encoding="utf-8")
        made.append(folder / f"heatmap-{name}.tex")
    words = [visible(unit) for unit in row.units]
    shown = figures.heatmap(words, kinds, tint, visible(question), query_name)
    with figures.plt.rc_context({"svg.fonttype": "path"}):  # a word is as wide everywhere as its box
        figures.save(shown, folder / f"heatmap-{name}.svg")
    figures.plt.close(shown)
    return [*made, folder / f"heatmap-{name}.svg"]
