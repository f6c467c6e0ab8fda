"""Chapter 05: what heatmaps come to, in sentences and tables; and the emblem of the book.

heatmap.py draws a heatmap; what is here says something of many.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.special import expit

from heed import verdict
from heed.evidence import Evidence, Row
from heed.experiments import heatmaps
from heed.measures import exact, stats
from heed.measures.divergence import jsd
from heed.params import Params
from heed.registry import made_corpora
from heed.show import colours, figures, heatmap, ours
from heed.show.adversarial import FAR, epsilon_of, on_real_text
from heed.show.figures.common import WIDTH
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, of_one_run, signed
from heed.show.style import drawing
from heed.show.words import text_for, visible

EMBLEM, EPSILON = "too-long", 0.01  # which of our sentences, and how far the prediction may move
BRIGHT = 0.15  # a weight that a reader of the emblem sees first
MUCH = 0.1  # from this change on a shuffle moves the prediction much
NOTHING = "No text here has two words or more, so each has one heatmap."
# What texts can be sorted by, in words; the names are the table's.
COLUMNS = {
    "optimum": "JSD of the most different attention (exact or best known)",
    "found": "JSD of the search's attention",
    "change_optimum": "change of the prediction under the most different attention (TVD)",
    "change_found": "change of the prediction under the search's attention (TVD)",
    "median_change": "median change of the prediction under shuffling (TVD)",
    "tau_gradient": "agreement of attention and gradient (Kendall's τ)",
    "max_attention": "highest weight",
    "length": "number of words",
    "label": "label",
    "punctuation": "attention on punctuation and markers",
    "punctuation_units": "share of punctuation and markers",
}


def in_short(table: pd.DataFrame, mass: pd.DataFrame, p: Params) -> list[str]:
    """The chapter's answer. table: `heatmap`'s, of texts of two words or more; mass: `on_truth`'s."""
    if table.empty:
        return [NOTHING]
    said = [farthest(table, p), *filter(None, [on_films(p.epsilon)])]
    if len(mass):
        means = mass.mean()
        said.append(
            f"On {inert(p.corpus)} the model's own heatmap puts {means['original']:.0%} of its weight on the "
            f"words that decide the label (chance: {means['chance']:.0%})."
        )
    if (table["optimum"] > FAR).mean() >= 0.5:
        return [
            "A reader is shown one of many heatmaps under which the model says the same.",
            *said,
            "So a heatmap shows where attention was, not that the prediction rests on those words.",
        ]
    return [
        *said,
        "So on this corpus most texts have no second heatmap that is almost as different as possible (JSD "
        f"above {FAR:g}).",
    ]


def farthest(table: pd.DataFrame, p: Params) -> str:
    """How different a second heatmap can be that says the same. table: of one text at least."""
    made = "the [made corpus](glossary.md#made-corpora) " if p.corpus in made_corpora() else ""
    return (
        f"On {made}{of_one_run(p)} the most different heatmap that moves the prediction by {p.epsilon:g} at "
        f"most lies on average at {_share_of_farthest(table['optimum'].mean())} of the greatest distance "
        "([JSD](glossary.md#jsd)) from the model's own."
    )


def _share_of_farthest(far: float) -> str:
    """A JSD as a share of the greatest."""
    return f"{far / np.log(2):.0%}"


def on_films(epsilon: float) -> str:
    """How different a second heatmap is on SST, by the stored runs of the BiLSTM; empty without any.

    epsilon: by how much the prediction may move elsewhere.
    """
    real = on_real_text().query("corpus == 'sst' and encoder == 'bilstm'")
    if real.empty:
        return ""
    own, used = real.iloc[0], epsilon_of("sst", "paper")
    moved = "" if used == epsilon else f" (the prediction moves by {used:g} at most)"
    return (
        f"On film reviews (SST, stored runs of the BiLSTM with {counted(own['seeds'], 'seed')}) it lies at "
        f"{_share_of_farthest(own['optimum'])}{moved}."
    )


def key() -> str:
    """The tints of a few weights, as HTML."""
    weights = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
    words = " ".join(heatmap.word_on_paper(f"{w:g}", w, numbered=False) for w in weights)
    return f'<div style="background:{colours.PAPER};padding:4px 8px">{words}</div>'


def moves(table: pd.DataFrame, p: Params) -> str:
    """How many texts have a heatmap that is far away and keeps the prediction, also of those that shuffling
    moves. table: of one text at least."""
    is_free, moved = table["optimum"] > FAR, table["median_change"] > MUCH
    far = (
        f"a second heatmap that is almost as different as possible (JSD above {FAR:g}) and keeps the "
        f"prediction within ε = {p.epsilon:g}"
    )
    shuffle = f"a typical shuffle (the median of {p.permutations:,})"
    have = "has" if is_free.sum() == 1 else "have"
    said = f"{is_free.sum() or 'None'} of {counted(len(table))} {have} {far}."
    if len(table) == 1:
        said = f"The one text here {'has' if is_free.any() else 'has not'} {far}."
    if not moved.any():
        return f"{said} {shuffle.capitalize()} moves no prediction by more than {MUCH:g}."
    whose = f"whose prediction {shuffle} moves by more than {MUCH:g}"
    if not is_free[moved].any():
        return f"{said} None of the {counted(moved.sum())} {whose} has one."
    if moved.sum() == 1:
        return f"{said} So has the one text {whose}."
    have = "has" if is_free[moved].sum() == 1 else "have"
    return f"{said} So {have} {is_free[moved].sum():,} of the {moved.sum():,} texts {whose}."


def told(row: Row, kinds: dict[str, np.ndarray], classes) -> str:
    """What a text's heatmaps give, in words."""
    c = int(row.prediction.argmax())
    chances = {name: row.probs(weights)[c] for name, weights in kinds.items()}
    kept = [f"{chances[name]:.3f}" for name in kinds if name not in ("original", "permuted")]
    said = (
        f"The shuffle takes the probability of “{inert(classes[c])}” from {chances['original']:.3f} to "
        f"{chances['permuted']:.3f}."
    )
    if kept:
        said += f" With the other heatmap{'s' if len(kept) > 1 else ''} it is {listed(kept)}."
    return said


def moved_by_shuffling(table: pd.DataFrame, epsilon: float) -> pd.DataFrame:
    """The texts whose prediction the median shuffle moves by more than ε; all of them if there are none."""
    moved = table[table["median_change"] > epsilon]
    return moved if len(moved) else table


def chosen(table: pd.DataFrame, epsilon: float) -> pd.Series:
    """The text that is shown: of the freer half those that shuffling moves, and of these the one on which
    attention agrees best with the gradient. table: of one text at least."""
    freer = table[table["optimum"] >= table["optimum"].median()]
    return heatmaps.ordered(moved_by_shuffling(freer, epsilon), "tau_gradient").iloc[0]


def of_text(found: pd.Series, row: Row, p: Params, classes, one_logit: bool) -> list[str]:
    """What is known of the text that is shown. found: its row of the table.

    Raises AssertionError if the search's heatmap or the best one doesn't keep the prediction, or the search
    is above the best.
    """
    assert found["change_optimum"] <= p.epsilon + 1e-9
    assert not found["change_found"] > p.epsilon + 1e-9
    assert found["found"] <= found["optimum"] + 1e-6
    agrees = found["tau_gradient"]
    middle = "the shuffle" if p.permutations % 2 else "one of the two shuffles"
    said = [
        f"Over {p.permutations} shuffles the median change of the prediction is "
        f"{found['median_change']:.2f}; the row *permuted* shows {middle} in the middle."
    ]
    if not np.isnan(agrees):
        said.insert(0, f"On this text attention and gradient have a τ of {signed(agrees)}.")
    if one_logit:
        ends = expit(np.sort(row.values[row.real, 0])[[0, -1]] + row.shift[0])
        said.append(
            f"With all attention on one word, P({inert(classes[row.shown])}) lies between {ends[0]:.2f} and "
            f"{ends[1]:.2f}, depending on the word."
        )
        if ends[1] - ends[0] <= p.epsilon:
            said.append("So the prediction would have been the same under any attention.")
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
        "max_attention": "top weight",
        "tau_gradient": "τ, gradient",
        "median_change": "shuffled (TVD)",
        "found": "search (JSD)",
        "optimum": "best (JSD)",
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
    found.columns = ["mean τ", "shuffled (TVD)", "search (JSD)", "best (JSD)"]
    return found.rename_axis("by τ, gradient").reset_index()


def freedom_by_third(parts: pd.DataFrame) -> str:
    """Whether a heatmap that agrees with the gradient has less freedom. parts: `thirds`'."""
    if parts.empty:
        return (
            "Fewer than three texts have a τ: where all words have the same attention, or the same gradient, "
            "there is none."
        )
    low, high = parts["best (JSD)"].iloc[[0, -1]]
    same = "no less" if high >= low - 0.02 else "less"
    return (
        f"A heatmap that agrees with the gradient leaves {same} freedom. The mean JSD of the most different "
        f"attention is {low:.2f} in the third of the texts with the lowest τ and {high:.2f} in the third "
        "with the highest."
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


def above_chance(mass: pd.DataFrame, p: Params) -> list[str]:
    """The heatmaps that lie more on the deciding words than chance does, with their whole interval."""
    over = {name: (mass[name] - mass["chance"]).dropna().to_numpy() for name in mass.columns.drop("chance")}
    return [name for name, more in over.items() if stats.interval(more, p.resamples, p.seed)[0] > 0]


def shows_truth(means: pd.Series, chance: float) -> str:
    """How much of each heatmap's weight lies on the deciding words: a finding. means: by heatmap."""
    low, high = (f"{end:.0%}" for end in (means.drop("original").min(), means.drop("original").max()))
    return (
        f"The model's own attention puts {means['original']:.0%} of its weight on the deciding words "
        f"(others {low if low == high else f'{low} to {high}'}; chance {chance:.0%})"
    )


def alone(evidence: Evidence) -> pd.DataFrame:
    """The share of words that, with all attention, give the class that is predicted: a row a text.

    Of the words that decide the label (deciding) and of the others (others), beside the predicted class. Only
    texts in which both are known.
    """
    rows = []
    for row in evidence:
        if row.truth is None or not row.truth[row.real].any() or row.truth[row.real].all():
            continue
        c = int(row.prediction.argmax())
        same = row.probs(np.eye(len(row.units))[row.real]).argmax(axis=1) == c
        decides = row.truth[row.real]
        rows.append({"predicted": c, "deciding": same[decides].mean(), "others": same[~decides].mean()})
    return pd.DataFrame(rows, columns=["predicted", "deciding", "others"])


def carried_elsewhere(words: pd.DataFrame) -> str:
    """Whether the states of words that don't decide give the prediction, too; empty of no text.

    words: `alone`'s. Means over the predicted classes, so that words that always say one class don't count.
    """
    if words.empty:
        return ""
    means = words.groupby("predicted").mean().mean()
    blind = 1 / words["predicted"].nunique()
    concludes = (
        "So the states of words that don't decide carry the decision, too."
        if means["others"] > blind + 0.1
        else "So the states of words that don't decide hardly carry the decision."
    )
    if means["deciding"] <= means["others"]:
        first = "So a deciding word alone gives the class no more often than another word."
        concludes = f"{first} {concludes.removeprefix('So ').capitalize()}"
    return (
        "With all attention on a single word that doesn't decide, the model predicts the same class as "
        f"before for {means['others']:.0%} of these words; with all attention on a deciding word, for "
        f"{means['deciding']:.0%} ({counted(len(words))}; averaged over the predicted classes, so that words "
        f"that say the same of every text would have {blind:.0%}). {concludes}"
    )


def to_believe(means: pd.Series, above: list[str]) -> str:
    """Whether the model's own heatmap shows the deciding words, and what that is worth.

    means: by heatmap, and chance; above: `above_chance`'s.
    """
    how = "more than" if "original" in above else "not clearly more than"
    said = (
        f"The model's own has {means['original']:.0%} of its weight on the deciding words, {how} chance "
        f"({means['chance']:.0%})."
    )
    kept = means.drop(["original", "permuted", "chance"]).dropna()
    if kept.empty:
        return said
    return (
        f"Which of them should you have believed? None unchecked. {said} But the prediction stays with "
        f"{listed([f'{share:.0%}' for share in kept])} there, too: it needn't rest on the words that its "
        "heatmap shows."
    )


def on_punctuation(table: pd.DataFrame) -> str:
    """How much attention lies on what has no letter or digit. table: of one text at least."""
    mass, units = table["punctuation"], table["punctuation_units"]
    if units.max() == 0:
        return "No word here is punctuation or a marker: there is nothing to look at."
    return (
        f"{units.mean():.0%} of the words are punctuation or markers, and on average {mass.mean():.0%} of "
        f"the attention lies on them. In the text with the most it is {mass.max():.0%}."
    )


def punctuation_on_real_text() -> str:
    """The same of real corpora that have punctuation, by the stored runs; empty without any."""
    rows = verdict.plain(verdict.committed()).query(
        "encoder == 'bilstm' and profile == 'paper' and attention == 'additive' and `class` == 'overall' and "
        "measure in ('punctuation', 'punctuation_units')"
    )
    rows = rows[~rows["corpus"].isin(made_corpora())]
    at = rows.pivot_table(index="corpus", columns="measure", values="mean")
    at = at[at["punctuation_units"] > 0.001] if len(at) else at
    if at.empty:
        return ""
    at = at.sort_values("punctuation", ascending=False)
    parts = [
        f"{own.punctuation:.1%} on {own.punctuation_units:.0%} of the words ({inert(name)})"
        for name, own in zip(at.index, at.itertuples(), strict=True)
    ]
    seeds = rows.groupby("corpus")["seed"].nunique()[at.index]
    least, most = seeds.min(), seeds.max()
    span = counted(most, "seed") if least == most else f"{least} to {most} seeds"
    less = (
        ", less than an even share each time" if (at["punctuation"] < at["punctuation_units"]).all() else ""
    )
    return f"On real corpora with punctuation the attention on it is {listed(parts)} (BiLSTM, {span}){less}."


def answer(table: pd.DataFrame, mass: pd.DataFrame, p: Params, best: str) -> list[str]:
    """The chapter's question, answered for this run. mass: `on_truth`'s."""
    if table.empty:
        return [NOTHING]
    many = (table["optimum"] > FAR).mean() >= 0.5
    said = [
        "A reader is shown one of many heatmaps under which the model says the same: any weights that keep "
        "the sum of attention times values do (chapter 00)."
        if many
        else "A reader is shown a heatmap that for most texts here has no very different second one.",
        f"On {of_one_run(p)} the most different one ({best}) lies on average at "
        f"{table['optimum'].mean() / np.log(2):.0%} of the greatest distance.",
    ]
    if len(mass):
        said.append(to_believe(mass.mean(), above_chance(mass, p)))
    return said


def drawn(row: Row, kinds: dict[str, np.ndarray], question: dict[str, str], units: int = 300) -> dict:
    """One text's heatmaps as a figure to display: the first units of a long text."""
    first = {name: weights[:units] for name, weights in kinds.items()}
    figure = figures.heatmap(row.units[:units], first, heatmap.tint, **question)
    return _outlined(figure, f"One text under its {len(kinds)} heatmaps: {listed([*kinds])}")


def _outlined(figure: Figure, says: str) -> dict[str, str]:
    """A figure to display, its letters as outlines: a word is as wide everywhere as its box."""
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


def as_reported(examples: pd.DataFrame) -> pd.DataFrame:
    """The paper's own examples, for `show`."""
    named = {"corpus": "corpus", "phrase": "begins", "source": "shown in", "change_found": "adversary's Δŷ"}
    return examples[[*named]].rename(columns=named)


def emblem(width: float = 7.0) -> Figure:
    """One sentence of ours, two opposite heatmaps, one prediction: drawn from numbers that are carried.

    width: in inches.
    """
    row, other, name, c = _emblem()
    called = {"what the model attends to": row.attention, "the same model, its weights overwritten": other}
    shown = text_for(name, "figure")
    kinds = {says: (weights, f"{shown}: {row.probs(weights)[c]:.2f}") for says, weights in called.items()}
    far = jsd(other, row.attention)
    note = f"Model: a BiLSTM, film reviews (SST). The weights differ by {far:.2f} (JSD, at most 0.69)."
    return figures.emblem(row.units, kinds, note, heatmap.tint, width)


def narrow_emblem() -> dict[str, str]:
    """The emblem to display, as it fits a phone."""
    return _outlined(emblem(WIDTH), emblem_title())


def emblem_title() -> str:
    """The emblem's finding in a few words."""
    row, other, name, _ = _emblem()
    own = listed([f"“{inert(row.units[t])}”" for t in np.flatnonzero(row.attention >= BRIGHT)])
    instead = inert(row.units[int(other.argmax())])
    return f"“{inert(name.capitalize())}” with most weight on {own}, and with all of it on “{instead}”"


def emblem_says() -> str:
    """What the emblem shows: its finding, plain text without a full stop."""
    row, other, name, c = _emblem()
    own = listed([f"“{visible(row.units[t])}”" for t in np.flatnonzero(row.attention >= BRIGHT)])
    instead = listed([f"“{visible(row.units[t])}”" for t in np.flatnonzero(other >= BRIGHT)])
    before, after = row.prediction[c], row.probs(other)[c]
    return (
        f"One text, two heatmaps, one prediction: {name} with {before:.2f} while the model attends to {own}, "
        f"{name} with {after:.2f} when its weights are overwritten and lie on {instead} alone"
    )


def _emblem() -> tuple[Row, np.ndarray, str, int]:
    """The emblem's text, its most different attention, and name and number of the predicted class."""
    kept = ours.kept()[EMBLEM]
    row = kept.row()
    c = int(row.prediction.argmax())
    return row, exact.optimum(row, EPSILON).attention(len(row.units)), kept.classes[c], c
