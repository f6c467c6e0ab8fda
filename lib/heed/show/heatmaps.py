"""Chapter 05: what heatmaps come to, in sentences and tables; and the emblem of the book.

heatmap.py draws a heatmap; what is here says something of many.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.special import expit

from heed.evidence import Evidence, Row
from heed.experiments import heatmaps
from heed.measures import exact, stats
from heed.measures.divergence import jsd
from heed.params import Params
from heed.show import figures, heatmap, ours
from heed.show.adversarial import FAR
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import drawing
from heed.show.words import text_for, visible

EMBLEM, EPSILON = "too-long", 0.01  # which of our sentences, and how far the prediction may move
BRIGHT = 0.15  # a weight that a reader of the emblem sees first
NOTHING = "No text here has two words or more, so each has one heatmap."
# What texts can be sorted by, in words; the names are the table's.
COLUMNS = {
    "optimum": "the most different attention there is (exact or best known JSD)",
    "found": "the most different that the search finds (JSD)",
    "change_optimum": "what the most different attention moves (TVD)",
    "change_found": "what the search's moves (TVD)",
    "median_change": "what shuffling moves in the median (TVD)",
    "tau_gradient": "agreement of attention and gradient (Kendall's τ)",
    "max_attention": "highest weight",
    "length": "number of words",
    "label": "label",
    "punctuation": "attention on punctuation and markers",
    "punctuation_units": "share of punctuation and markers",
}


def in_short(table: pd.DataFrame, epsilon: float, best: str) -> list[str]:
    """The chapter's answer. table: `heatmap`'s, of texts of two words or more; best: exact or best known."""
    if table.empty:
        return [NOTHING]
    said = [others(table, epsilon, best)]
    is_free = (table["optimum"] > FAR).mean() >= 0.5
    if is_free:
        return [
            *said,
            "So a heatmap shows where attention was, and not that the prediction rests on those words.",
        ]
    return [*said, "So on this corpus most texts have no second heatmap that is so different."]


def others(table: pd.DataFrame, epsilon: float, best: str) -> str:
    """How many texts have another heatmap that says the same. table: of one text at least."""
    is_free, is_found = table["optimum"] > FAR, table["found"] > FAR
    has = "have" if is_free.sum() > 1 else "has"
    return (
        f"{is_free.sum() or 'None'} of {counted(len(table))} ({is_free.mean():.0%}) {has} a second heatmap "
        f"that is almost as different as can be (a JSD above {FAR:g}) and moves the prediction by at most "
        f"{epsilon:g} ({best}); the paper's search finds one for {is_found.mean():.0%}."
    )


def moves(table: pd.DataFrame, epsilon: float) -> str:
    """What shuffling moves, beside the heatmaps that keep the prediction. table: of one text at least."""
    is_free, moved = table["optimum"] > FAR, table["median_change"] > epsilon
    if not moved.any():
        return "Shuffling moves no prediction by more than ε."
    return (
        f"Shuffling moves {moved.sum():,} of {counted(len(table))} by more than ε, so there it matters where "
        f"attention is. Yet {is_free[moved].mean():.0%} of those have a second heatmap that is almost as "
        "different as can be and says the same."
    )


def chosen(table: pd.DataFrame, epsilon: float) -> pd.Series:
    """The text that is shown: of the freer half those that shuffling moves, and of these the one on which
    attention agrees best with the gradient. table: of one text at least."""
    freer = table[table["optimum"] >= table["optimum"].median()]
    moved = freer[freer["median_change"] > epsilon]
    return heatmaps.ordered(moved if len(moved) else freer, "tau_gradient").iloc[0]


def of_text(found: pd.Series, row: Row, epsilon: float, classes, one_logit: bool) -> list[str]:
    """What is known of the text that is shown. found: its row of the table.

    Raises AssertionError if the search's heatmap or the best one doesn't keep the prediction, or the search
    is above the best.
    """
    assert found["change_optimum"] <= epsilon + 1e-9
    assert not found["change_found"] > epsilon + 1e-9
    assert found["found"] <= found["optimum"] + 1e-6
    agrees = found["tau_gradient"]
    said = [f"Shuffled, its attention moves the prediction by {found['median_change']:.2f} in the median."]
    if not np.isnan(agrees):
        said.insert(0, f"Attention and gradient agree on this text by τ = {agrees:.2f}.")
    if one_logit:
        ends = expit(np.sort(row.values[row.real, 0])[[0, -1]] + row.shift[0])
        said.append(
            f"With all attention on one word P({inert(classes[row.shown])}) goes from {ends[0]:.2f} to "
            f"{ends[1]:.2f}, by the word."
        )
        if ends[1] - ends[0] <= epsilon:
            said.append("So whatever attention was, the prediction was to be the same.")
    return said


def sorted_by(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The table from the highest to the lowest of a column, of the texts that have it."""
    return heatmaps.ordered(table, column).dropna(subset=[column])


def sortable() -> pd.DataFrame:
    """What texts can be sorted by."""
    return pd.DataFrame([*COLUMNS.items()], columns=["sorted_by", "what it is"])


def numbers_of(ranked: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a few texts, with headers in words."""
    named = {
        "id": "text",
        "max_attention": "highest weight",
        "tau_gradient": "τ with the gradient",
        "median_change": "moved by shuffling (TVD)",
        "found": "JSD by search",
        "optimum": "exact or best known JSD",
    }
    return ranked[[*named]].rename(columns=named)


def thirds(table: pd.DataFrame) -> pd.DataFrame:
    """Texts by τ of attention and gradient, a third each; none of fewer than three that have a τ."""
    known = table["tau_gradient"].dropna()
    if len(known) < 3:
        return pd.DataFrame()
    names = ["lowest third", "middle", "highest third"]
    parts = table.loc[known.index].groupby(
        pd.qcut(known.rank(method="first"), 3, labels=names), observed=True
    )
    found = parts[["tau_gradient", "median_change", "found", "optimum"]].mean()
    found.columns = ["τ", "moved by shuffling (TVD)", "JSD by search", "exact or best known JSD"]
    return found.rename_axis("by τ with the gradient").reset_index()


def freedom_by_third(parts: pd.DataFrame) -> str:
    """Whether a heatmap that agrees with the gradient has less freedom. parts: `thirds`'."""
    if parts.empty:
        return (
            "Fewer than three texts have a τ: one whose words all have the same attention, or gradient, has "
            "none."
        )
    low, high = parts["exact or best known JSD"].iloc[[0, -1]]
    same = "no less" if high >= low - 0.02 else "less"
    return (
        f"A heatmap that agrees with the gradient has {same} freedom: the most different attention lies "
        f"at a mean JSD of {low:.2f} in the lowest third, and {high:.2f} in the highest."
    )


def on_truth(
    evidence: Evidence, adversarial: pd.DataFrame, searched: dict[str, np.ndarray], p: Params, best: str
) -> pd.DataFrame:
    """The share of each heatmap's weight on the deciding words, and of the words that decide: a row a text.

    adversarial: that table, by id. Empty where nobody knows the deciding words.
    """
    rows = []
    for row in evidence:
        if row.truth is None or not row.truth.any():
            continue
        kinds = heatmaps.attentions(row, adversarial.loc[row.id], searched[row.id], p.permutations, p.seed)
        named = {best if name in ("exact", "best known") else name: kinds[name] for name in kinds}
        rows.append(
            {name: float(weights[row.truth].sum()) for name, weights in named.items()}
            | {"chance": float(row.truth.mean())}
        )
    return pd.DataFrame(rows)


def means_on_truth(mass: pd.DataFrame, p: Params) -> pd.DataFrame:
    """A row a heatmap: heatmap, mean, low, high (by resampling texts). mass: of one text at least."""
    rows = []
    for name in mass.columns.drop("chance"):
        values = mass[name].dropna().to_numpy()
        low, high = stats.interval(values, p.resamples, p.seed)
        rows.append({"heatmap": name, "mean": values.mean(), "low": low, "high": high})
    return pd.DataFrame(rows)


def shows_truth(means: pd.DataFrame, chance: float) -> str:
    """How much more of each heatmap's weight lies on the deciding words than chance has: the finding."""
    ratios = [
        f"{name} {mean / chance:.1f}" for name, mean in zip(means["heatmap"], means["mean"], strict=True)
    ]
    return f"Weight on the deciding words, as multiples of chance: {listed(ratios)}"


def on_punctuation(table: pd.DataFrame) -> str:
    """How much attention lies on what has no letter or digit. table: of one text at least."""
    mass, units = table["punctuation"], table["punctuation_units"]
    if units.max() == 0:
        return "No unit here is punctuation or a marker: there is nothing to look at."
    return (
        f"{units.mean():.0%} of the units are punctuation or markers, and {mass.mean():.0%} of attention "
        f"lies on them in the mean; in the text with the most {mass.max():.0%}."
    )


def answer(table: pd.DataFrame, best: str) -> list[str]:
    """The chapter's question, answered for this run."""
    if table.empty:
        return [NOTHING]
    return [
        "A reader is shown one of many heatmaps under which the model says the same: the furthest lies at a "
        f"JSD of {table['optimum'].mean():.2f} in the mean ({best}), of at most 0.69."
    ]


def drawn(row: Row, kinds: dict[str, np.ndarray], question: dict[str, str], units: int = 300) -> dict:
    """One text's heatmaps as a figure to display: the first units of a long text."""
    first = {name: weights[:units] for name, weights in kinds.items()}
    figure = figures.heatmap(row.units[:units], first, heatmap.tint, **question)
    says = f"One text under its {len(kinds)} heatmaps: {listed([*kinds])}"
    with plt.rc_context({"svg.fonttype": "path"}):
        picture = drawing(figure, says)
    plt.close(figure)
    return {"image/svg+xml": picture, "text/plain": says}


def examples_of(
    examples: pd.DataFrame, evidence: Evidence, questions: dict[str, str]
) -> list[tuple[str, str]]:
    """The paper's own examples: the id of each text that is here, or none, and what is said of it.

    A text is known by how it, or what it is asked, begins.
    """
    plain = {}
    if len(examples):
        plain = {r.id: " ".join(u for u in r.units if any(c.isalnum() for c in u)) for r in evidence}
    shown = []
    names = {
        "change_found": "Δŷ of its adversary",
        "median_change": "median Δŷ shuffled",
        "tau_gradient": "τ with the gradient",
    }
    for example in examples.itertuples():
        begins = {n: (text, questions.get(n, "")) for n, text in plain.items()}
        held = [n for n, texts in begins.items() if any(text.startswith(example.phrase) for text in texts)]
        reported = {label: getattr(example, n) for n, label in names.items()}
        told = ", ".join(f"{label} {x:g}" for label, x in reported.items() if x == x)
        if held:
            more = f", the first of {len(held)} that begin so" if len(held) > 1 else ""
            shown.append((held[0], f"{example.source}{more}; the paper reports {told}"))
        else:
            shown.append(
                ("", f"The text of {example.source} isn't in this test split (the paper reports {told}).")
            )
    return shown


def emblem() -> Figure:
    """One sentence of ours, two opposite heatmaps, one prediction: drawn from numbers that are carried."""
    row, other, name, c = _emblem()
    called = {"what the model attends to": row.attention, "the same model, made to attend elsewhere": other}
    shown = text_for(name, "figure")
    kinds = {says: (weights, f"{shown}: {row.probs(weights)[c]:.2f}") for says, weights in called.items()}
    far = jsd(other, row.attention)
    note = f"One text, two heatmaps, one prediction. Their difference (JSD): {far:.2f} of at most 0.69."
    return figures.emblem(row.units, kinds, note, heatmap.tint)


def emblem_says() -> str:
    """What the emblem shows: its finding, plain text without a full stop."""
    row, other, name, c = _emblem()
    own = listed([f"“{visible(row.units[t])}”" for t in np.flatnonzero(row.attention >= BRIGHT)])
    instead = listed([f"“{visible(row.units[t])}”" for t in np.flatnonzero(other >= BRIGHT)])
    before, after = row.prediction[c], row.probs(other)[c]
    return (
        f"One text, two heatmaps, one prediction: {name} with {before:.2f} while the model attends to {own}, "
        f"{name} with {after:.2f} when it is made to attend to {instead} alone"
    )


def _emblem() -> tuple[Row, np.ndarray, str, int]:
    """The emblem's text, its most different attention, and name and number of the predicted class."""
    kept = ours.kept()[EMBLEM]
    row = kept.row()
    c = int(row.prediction.argmax())
    return row, exact.optimum(row, EPSILON).attention(len(row.units)), kept.classes[c], c
