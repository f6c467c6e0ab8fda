"""Chapter 00: what the debate found, in a few sentences; attention by hand and on a text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted

MEASURES = ("tau_gradient", "tau_loo", "median_change", "optimum")
LEAST = "No runs are carried: `make summary` writes the numbers of finished ones."


def debate() -> pd.DataFrame:
    """Each corpus's mean over the carried seeds, a row an encoder and measure: profile `paper`, additive.

    Measures are those of the chapters 02 to 04 and `over_uniform`: F1 minus F1 of models whose attention was
    uniform in training, too.
    """
    rows = verdict.plain(verdict.committed()).query("profile == 'paper' and `class` == 'overall'")
    by = ["corpus", "encoder", "measure"]
    additive = rows[rows["attention"] == "additive"].groupby(by)["mean"].agg(["mean", "count"]).reset_index()
    uniform = rows[rows["attention"] == "uniform"].groupby(by)["mean"].mean().rename("uniform")
    both = additive[additive["measure"] == "f1"].join(uniform, on=by).dropna(subset=["uniform"])
    over = both.assign(measure="over_uniform", mean=both["mean"] - both["uniform"]).drop(columns="uniform")
    return pd.concat([additive[additive["measure"].isin(MEASURES)], over], ignore_index=True)


def of_sst(rows: pd.DataFrame) -> pd.Series:
    """The means of SST's BiLSTM by measure; empty if there are none."""
    return rows.query("corpus == 'sst' and encoder == 'bilstm'").set_index("measure")["mean"]


def in_short(rows: pd.DataFrame) -> list[str]:
    """The debate's answer in a few sentences. rows: `debate`'s."""
    own = of_sst(rows)
    if not {*MEASURES} <= {*own.index}:
        return [LEAST]
    seeds = rows.query("corpus == 'sst' and encoder == 'bilstm' and measure == 'optimum'")["count"].max()
    said = [
        f"Not so that its attention could be taken for a reason. On film reviews (SST, a BiLSTM, "
        f"{counted(int(seeds), 'seed')}) attention ranks the words only in part as the two measures of "
        f"importance do: τ = {own['tau_gradient']:.2f} and {own['tau_loo']:.2f}, where 1 is the same order "
        "(chapter 02).",
        f"Shuffled over the words, it typically moves the prediction by {own['median_change']:.2f} of at "
        "most 1 (03).",
        "There is nearly always quite other attention that says the same: a JSD of "
        f"{own['optimum']:.2f} of at most 0.69 (04).",
    ]
    if "over_uniform" in own:
        less = "less" if own["over_uniform"] >= 0 else "more"
        said.append(
            f"Models that weigh all words alike predict nearly as well: {abs(own['over_uniform']):.3f} "
            f"{less} in F1 (07)."
        )
    said.append(
        "But none of this says that attention tells nothing: where the truth is known, how well it finds "
        "it hangs on the model and on the seed (02, 11). So test yours before you show it (15)."
    )
    return said


def far_apart(rows: pd.DataFrame) -> str:
    """The finding of the figure of all corpora."""
    own = rows.query("encoder == 'bilstm' and measure == 'optimum'")["mean"]
    return (
        f"On all {len(own)} corpora the BiLSTM's attention could be far from what it is and say the same: "
        f"JSD {own.min():.2f} to {own.max():.2f}, of at most 0.69"
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


def crossed(predictions: Sequence[float], y: float) -> str:
    """In how many shuffles the decision changes."""
    count = sum((p > 0.5) != (y > 0.5) for p in predictions)
    return f"The decision, P above or below 0.5, changes in {count} of the {len(predictions)} shuffles."


def same_answer(
    words: Sequence[str], a: np.ndarray, other: np.ndarray, predictions: tuple[float, float]
) -> str:
    """Other attention that keeps the prediction; raises AssertionError if it doesn't, or is too far.

    predictions: with the attention a, and with the other.
    """
    assert np.isclose(*predictions), "the prediction isn't the same"
    assert jsd(other, a) <= np.log(2), "no JSD is above ln 2"
    on = listed([f"“{tokens([word])}”" for word, weight in zip(words, other, strict=True) if weight > 0])
    top = int(a.argmax())
    return (
        f"All attention on {on}: the prediction is {predictions[1]:.3f}, as before. The JSD to the "
        f"attention that the model paid is {jsd(other, a):.2f} of at most 0.69. “{tokens([words[top]])}”, "
        f"which had the highest weight, {a[top]:.2f}, now has {other[top]:.2f}."
    )


def of_text(row: Row, classes: Sequence[str]) -> str:
    """A text, its label and what the model says; raises AssertionError if evidence doesn't give just that."""
    assert np.allclose(row.probs(row.attention), row.prediction, atol=1e-12), (
        "evidence gives another prediction"
    )
    return (
        f"{quoted(row.units)}. Label: {inert(classes[row.label])}; "
        f"P({inert(classes[row.shown])}) = {row.prediction[row.shown]:.2f}."
    )


def deciding(row: Row) -> list[str]:
    """Which words decide a text's label and what attention they get; nothing where nobody knows them."""
    if row.truth is None or not row.truth.any():
        return []
    words = [word for word, decides in zip(row.units, row.truth, strict=True) if decides]
    return [
        f"The words that decide its label are known: *{tokens(words)}*. They are {row.truth.mean():.0%} of "
        f"the text and get {row.attention[row.truth].sum():.0%} of the attention."
    ]


def answer(rows: pd.DataFrame) -> list[str]:
    """The book's question, as far as all corpora answer it."""
    own = rows[rows["encoder"] == "bilstm"]
    means = {name: part["mean"] for name, part in own.groupby("measure")}
    if not {"tau_gradient", "median_change", "optimum"} <= means.keys():
        return [LEAST]
    low, high = means["tau_gradient"].min(), means["tau_gradient"].max()
    changes = own[own["measure"] == "median_change"].set_index("corpus")["mean"]
    far = [inert(name) for name in changes.index[changes > 0.2]]
    return [
        f"In part, and not so that a heatmap shows it. Over {len(means['tau_gradient'])} corpora a "
        f"BiLSTM's attention ranks words as the gradient does by τ = {low:.2f} to {high:.2f}.",
        f"On {len(changes) - len(far)} of {len(changes)} a typical shuffle moves the prediction by 0.2 or "
        "less" + (f", on {listed(far)} further." if far else "."),
        "Attention says where a model looks; what it makes of what it sees there is in the values.",
    ]
