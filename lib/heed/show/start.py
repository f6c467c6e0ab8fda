"""Chapter 00: what the debate found, in a few sentences; attention by hand and on a text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.measures.relevance import value
from heed.models.encoders import encoder_called
from heed.registry import corpora
from heed.show.figures.start import NEAR
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted, signed
from heed.show.style import LABELS
from heed.show.words import text_for

MEASURES = ("tau_gradient", "tau_loo", "median_change", "optimum")
SMALL = 0.02  # of the longest bar of a figure: a bar up to this share of it isn't seen
LEAST = "No runs are carried: `make summary` writes the numbers of finished ones."


def debate() -> pd.DataFrame:
    """Each corpus's mean over the carried seeds, a row an encoder and measure: profile `paper`, additive.

    Measures are those of the chapters 02 to 04 and `over_uniform`: F1 minus F1 of the model with the same
    seed whose attention was uniform in training, too. Models that only guess are left out, as in the verdict.
    """
    rows = verdict.plain(verdict.without_guessing(verdict.committed())).query(
        "profile == 'paper' and `class` == 'overall'"
    )
    by = ["corpus", "encoder", "measure"]
    additive = rows[rows["attention"] == "additive"].groupby(by)
    additive = additive.agg(mean=("mean", "mean"), count=("mean", "count"), texts=("n", "max")).reset_index()
    f1 = rows[rows["measure"] == "f1"].assign(measure="over_uniform")
    f1 = f1.pivot_table(index=[*by, "seed"], columns="attention", values="mean")
    f1 = f1.reindex(columns=["additive", "uniform"]).dropna()
    over = (f1["additive"] - f1["uniform"]).groupby(by).agg(["mean", "count"]).reset_index()
    return pd.concat([additive[additive["measure"].isin(MEASURES)], over], ignore_index=True)


def guessers() -> pd.DataFrame:
    """The carried models that `debate` leaves out because they only guess: columns corpus and encoder."""
    found = verdict.guessing(verdict.committed()).query("profile == 'paper' and attention == 'additive'")
    return found[["corpus", "encoder"]].reset_index(drop=True)


def of_sst(rows: pd.DataFrame) -> pd.Series:
    """The means of SST's BiLSTM by measure; empty if there are none."""
    return rows.query("corpus == 'sst' and encoder == 'bilstm'").set_index("measure")["mean"]


def in_short(rows: pd.DataFrame) -> list[str]:
    """The debate's answer in a few sentences. rows: `debate`'s."""
    own = of_sst(rows)
    if not {*MEASURES} <= {*own.index}:
        return [LEAST]
    how = "only partly" if own["tau_gradient"] < 0.5 else "much"
    said = [
        f"On film reviews (SST) a BiLSTM's attention ranks words {how} as the gradient does, which says how "
        f"strongly the prediction reacts to each: they agree at {own['tau_gradient']:.2f} (Kendall's τ; 1: "
        "the same order, 0: unrelated).",
        f"Its attention can be moved to {own['optimum'] / np.log(2):.0%} of the greatest possible distance, "
        "on average, and the prediction hardly changes.",
        f"A typical shuffle moves the prediction by {own['median_change']:.2f}, of at most 1.",
    ]
    if own["tau_gradient"] < 0.5 and own["tau_loo"] < 0.5 and own["optimum"] > 0.35:
        said.insert(0, "A model heeds its attention in part, but not enough for it to be read as a reason.")
    return [*said, "So test your model before you show its attention (chapter 15)."]


def ends(values: pd.Series, form: str = ".2f") -> str:
    """The lowest and the highest of some values, `0.10 to 0.20`."""
    return f"{values.min():{form}} to {values.max():{form}}"


def far_apart(rows: pd.DataFrame) -> str:
    """The finding of the figure of all corpora."""
    taus, far = (rows.loc[rows["measure"] == measure, "mean"] for measure in ("tau_gradient", "optimum"))
    how = "very different" if far.min() > 0.35 else "other"
    return f"Attention agrees with the gradient at τ {ends(taus)}; {how} attention predicts alike"


def corpora_shown(rows: pd.DataFrame, left_out: pd.DataFrame, here: str) -> list[str]:
    """Which corpora the figure's points are, over how many seeds and texts, and which models it leaves out.

    left_out: `guessers`'. here: this run's corpus.
    """
    own = rows[rows["measure"].isin(MEASURES)]
    low, high = own["count"].min(), own["count"].max()
    seeds = counted(int(high), "seed") if low == high else f"{low:.0f} to {high:.0f} seeds"
    names = listed([inert(name) for name in sorted(own["corpus"].unique())])
    texts = ends(own["texts"], ",.0f")
    said = [f"The corpora are {names}; each mean is over {seeds}, of {texts} test texts each."]
    if len(left_out):
        models = listed([f"{LABELS[r.encoder]} on {inert(r.corpus)}" for r in left_out.itertuples()])
        said.append(
            "Models that predict no better than the most frequent answer are left out, as in the verdict "
            f"(chapter 12): {models}."
        )
    if here not in set(own["corpus"]):
        said.append(f"The corpus of this page's own run, {inert(here)}, isn't among them.")
    return said


def nearest(rows: pd.DataFrame) -> str:
    """Where attention can't be very different, of what is known; empty if it can be everywhere."""
    own = rows[(rows["measure"] == "optimum") & (rows["mean"] < NEAR)].sort_values("mean")
    if own.empty:
        return ""
    parts = [f"{LABELS[r.encoder]} on {inert(r.corpus)} ({r.mean:.2f})" for r in own.itertuples()]
    said = f"Attention has the least room for {listed(parts)}."
    if any(len(corpora()[name].get("classes", ())) == 2 for name in own["corpus"]):
        return said
    return (
        f"{said} These models choose among many answers, where the furthest attention isn't known exactly: "
        "such points are lower bounds (chapter 04)."
    )


def reported(rows: pd.DataFrame) -> str:
    """What the paper reports of the BiLSTM on SST, by predicted class, and what ours is. rows: `debate`'s."""
    theirs = verdict.published().query(
        "source == 'paper' and corpus == 'sst' and encoder == 'bilstm' and statistic == 'mean'"
    )
    by = {name: ends(part["reported"]) for name, part in theirs.groupby("measure")}
    said = (
        f"For the BiLSTM on SST the paper reports a mean τ of {by['tau_gradient']} with the gradient and of "
        f"{by['tau_loo']} with leave-one-out, depending on the predicted class"
    )
    own = of_sst(rows)
    if not {"tau_gradient", "tau_loo"} <= {*own.index}:
        return f"{said}."
    return (
        f"{said}. Ours are {own['tau_gradient']:.2f} and {own['tau_loo']:.2f} over all texts; chapter 02 "
        "says what is known of the difference."
    )


def both_classes(y: float) -> np.ndarray:
    """The probabilities of two classes, of the positive one's."""
    return np.array([1 - y, y])


def distances(
    shuffled: Sequence[np.ndarray], a: np.ndarray, predictions: Sequence[float], y: float
) -> pd.DataFrame:
    """How far each shuffle of attention a moves attention and the prediction y."""
    return pd.DataFrame(
        {
            "shuffle": range(1, len(shuffled) + 1),
            "TVD of the prediction": [tvd(both_classes(p), both_classes(y)) for p in predictions],
            "JSD of the attention": [jsd(s, a) for s in shuffled],
        }
    )


def crossed(predictions: Sequence[float], y: float, jsds: Sequence[float]) -> str:
    """In how many shuffles the decision changes. jsds: how far each moved attention."""
    count = sum((p > 0.5) != (y > 0.5) for p in predictions)
    return (
        f"The decision (y above or below 0.5) changes in {count} of the {len(predictions)} shuffles. But a "
        f"shuffle of so few words moves attention little: by a JSD of {max(jsds):.2f} at most. A test should "
        "look for attention that is further away."
    )


def same_answer(
    words: Sequence[str], a: np.ndarray, other: np.ndarray, predictions: tuple[float, float]
) -> str:
    """Different attention that keeps the prediction; raises AssertionError if it doesn't, or is too far.

    predictions: with the attention a, and with the other.
    """
    assert np.isclose(*predictions), "the prediction isn't the same"
    assert jsd(other, a) <= np.log(2), "no JSD is above ln 2"
    weights = [(tokens([word]), weight) for word, weight in zip(words, other, strict=True) if weight > 0]
    on = listed([f"{weight:.2f} of the attention on “{word}”" for word, weight in weights])
    top = int(a.argmax())
    return (
        f"With {on} the prediction is {predictions[1]:.3f}, as before. This attention is "
        f"a JSD of {jsd(other, a):.2f} away from the first, of at most 0.69. “{tokens([words[top]])}”, "
        f"which had the highest weight, {a[top]:.2f}, now has {other[top]:.2f}."
    )


def of_text(row: Row, classes: Sequence[str]) -> str:
    """A text, its label and what the model says; raises AssertionError if evidence doesn't give just that."""
    assert np.allclose(row.probs(row.attention), row.prediction, atol=1e-12), (
        "evidence gives another prediction"
    )
    return (
        f"A test text of it is “{quoted(row.units)}”. Its label is "
        f"{inert(classes[row.label])}; the model gives “{inert(classes[row.shown])}” a probability of "
        f"{row.prediction[row.shown]:.2f}."
    )


def pushes(row: Row, classes: Sequence[str]) -> str:
    """The finding of the figure of a text's attention and values, as plain text."""
    up = value(row) > 0
    said = f"{up.sum()} of the {len(up)} words push towards “{text_for(classes[row.shown], 'figure')}”"
    if row.truth is None or not row.truth.any() or not (up & ~row.truth).any():
        return said
    decide = int((up & row.truth).sum())
    verb = "decides" if decide == 1 else "decide"
    return f"{said}, though {f'only {decide}' if decide else 'none'} of them {verb} the label"


def unseen(row: Row) -> list[str]:
    """Which words' values are too small for a bar that can be seen; nothing if there are none."""
    values = value(row)
    flat = np.flatnonzero(np.abs(values) <= SMALL * np.abs(values).max())
    if not len(flat):
        return []
    parts = [f"“{tokens([row.units[i]])}” ({signed(values[i])})" for i in flat[:3]]
    more = f" and of {len(flat) - 3} more words" if len(flat) > 3 else ""
    return [f"The value of {listed(parts)}{more} is too small for a bar that can be seen."]


def spread_out(row: Row, encoder: str) -> list[str]:
    """Why a word that decides nothing has a high value; nothing if none has, or the encoder can't be why."""
    if row.truth is None or not row.truth.any() or not encoder_called(encoder).contextual:
        return []
    other = np.where(row.truth, -np.inf, np.abs(value(row)))
    if other.max() < np.abs(value(row)[row.truth]).mean() / 2:
        return []
    word, most = tokens([row.units[int(other.argmax())]]), value(row)[int(other.argmax())]
    return [
        f"But even a “{word}”, which decides nothing, has a value of {most:.1f}; those of the deciding "
        f"words are {ends(pd.Series(value(row)[row.truth]), '.1f')}. The encoder lets each state know other "
        "words of the text, so the states of many words already hold the verdict."
    ]


def deciding(row: Row) -> list[str]:
    """Which words decide a text's label and what attention they get; nothing where nobody knows them."""
    if row.truth is None or not row.truth.any():
        return []
    words = [word for word, decides in zip(row.units, row.truth, strict=True) if decides]
    return [
        f"The words that decide its label are *{tokens(words)}*. They are {row.truth.mean():.0%} of "
        f"the text and get {row.attention[row.truth].sum():.0%} of the attention."
    ]


def answer(rows: pd.DataFrame) -> list[str]:
    """The book's question, as far as all corpora answer it."""
    own = rows[rows["encoder"] == "bilstm"]
    means = {name: part["mean"] for name, part in own.groupby("measure")}
    if not {"tau_gradient", "median_change", "optimum"} <= means.keys():
        return [LEAST]
    changes = own[own["measure"] == "median_change"].set_index("corpus")["mean"]
    far = [inert(name) for name in changes.index[changes > 0.2]]
    less = len(changes) - len(far)
    return [
        f"In part. On {len(means['tau_gradient'])} corpora a BiLSTM's attention has a τ with the gradient of "
        f"{ends(means['tau_gradient'])}.",
        f"A shuffle moves the prediction by 0.2 or less on average on {less} of {len(changes)} corpora"
        + (f", and by more on {listed(far)}." if far else "."),
        "Attention says where a model looks. What it finds there is in the values, and a heatmap of "
        "attention doesn't show these.",
    ]
