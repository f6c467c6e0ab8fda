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
from heed.show import ours
from heed.show.figures.start import EXPECTED, FAR, LEAST_SHOWN, LIKE, NEAR, near_bounds
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted, signed
from heed.show.strip import moved as reweighted
from heed.show.style import LABELS
from heed.show.words import text_for

MEASURES = ("tau_gradient", "tau_loo", "median_change", "optimum")
STORIES = "little made stories with a question"
# The corpora of the debate, by what they hold; `kinds` names those that rows are of.
KINDS = {
    "film reviews": ("imdb", "sst"),
    "news and messages": ("agnews", "20news"),
    "medical sentences": ("ade",),
    "pairs of sentences": ("snli",),
    STORIES: ("babi1", "babi2", "babi3-1k", "world3"),
}
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
    taus = _means(rows, "tau_loo", "bilstm")
    context = pd.concat([taus, few := _means(rows, "tau_loo", "cnn")])
    whose = "[BiLSTM](glossary.md#encoder)'s" + (" or CNN's" if len(few) else "")
    how = "otherwise than" if context.max() < 0.5 else "as" if context.min() > 0.5 else "in part as"
    said = [
        f"A {whose} attention ranks words {how} leaving each out: on "
        f"{counted(context.index.nunique(), 'corpus', 'corpora')} they agree at τ {ends(context)} (1: "
        "same order, 0: unrelated).",
    ]
    alone = _means(rows, "tau_loo", "average")
    if len(alone):
        said.append(f"Where each word is read alone (Average), τ is {ends(alone)}.")
    said.append(
        f"On film reviews (SST) the BiLSTM's attention can be moved {own['optimum'] / np.log(2):.0%} of the "
        "greatest distance, its prediction kept (within 0.01)."
    )
    changes = _means(rows, "median_change", "bilstm")
    far = changes[changes > FAR].sort_index()
    where = listed([inert(name) for name in far.index] or ["none"])
    kind = " (stories with a question)" if {*far.index} <= {*KINDS[STORIES]} else ""
    more = f", by {ends(far, '.1f')} on {where}{kind}" if len(far) else ""
    said.append(f"A typical shuffle moves its prediction there by {own['median_change']:.2f}{more}.")
    if len(over := _means(rows, "over_uniform", "bilstm")):
        said.append(
            f"Attention gains it at most {max(over.max(), 0):.2f} F1 over equal weights "
            f"({counted(len(over), 'corpus', 'corpora')}, means)."
        )
    if taus.max() < 0.5 and own["optimum"] > NEAR:
        on = "on most corpora " if len(far) else ""
        said.insert(
            0, f"A model heeds its attention in part, {on}too little to read a heatmap as the reason."
        )
    return said


def _means(rows: pd.DataFrame, measure: str, encoder: str) -> pd.Series:
    """A measure's means of an encoder, by corpus."""
    return rows[(rows["measure"] == measure) & (rows["encoder"] == encoder)].set_index("corpus")["mean"]


def ends(values: pd.Series, form: str = ".2f") -> str:
    """The lowest and the highest of some values, `0.10 to 0.20`; once if they are written alike."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def where_expected(rows: pd.DataFrame) -> str:
    """The finding of the figure of all corpora: how many points lie where attention that explains would.

    Of the panels that have such a place: the first ones.
    """
    own = rows[rows["measure"].isin(EXPECTED)]
    border, way = (own["measure"].map({name: two[k] for name, two in EXPECTED.items()}) for k in (0, 1))
    inside = int((way * (own["mean"] - border) > 0).sum())
    few = f"only {inside}" if 0 < inside < len(own) / 2 else f"{inside or 'none'}"
    if inside and near_bounds(own):
        few = f"at most {inside}"
    verb = "lies" if inside == 1 else "lie"
    return (
        f"{few[0].upper()}{few[1:]} of the {len(own)} points of panels 1 to {len(EXPECTED)} {verb} in the "
        "shade, where attention that explains would be"
    )


def far_apart(rows: pd.DataFrame) -> str:
    """In how many pairs of model and corpus attention can be very different and predict alike."""
    far = rows.loc[rows["measure"] == "optimum", "mean"] > NEAR
    if far.all():
        return "Very different attention predicts alike, whatever the model and the corpus"
    least = "at least " if far.any() and near_bounds(rows) else ""
    return (
        f"Very different attention predicts alike in {least}{far.sum() or 'none'} of {len(far)} pairs of "
        "model and corpus"
    )


def kinds(rows: pd.DataFrame) -> str:
    """What the figure's corpora hold."""
    names = {*rows["corpus"]}
    held = {what: [name for name in own if name in names] for what, own in KINDS.items()}
    held["others"] = sorted(names - {name for own in KINDS.values() for name in own})
    parts = [f"{what} ({', '.join(inert(name) for name in own)})" for what, own in held.items() if own]
    return f"The corpora are {listed(parts)}."


def corpora_shown(rows: pd.DataFrame, left_out: pd.DataFrame, here: str) -> list[str]:
    """Over how many seeds and texts the figure's means are, and which models it leaves out.

    left_out: `guessers`'. here: this run's corpus.
    """
    own = rows[rows["measure"].isin(MEASURES)]
    low, high = own["count"].min(), own["count"].max()
    seeds = counted(int(high), "seed") if low == high else f"{low:.0f} to {high:.0f} seeds"
    said = [f"Each mean is over {seeds}, of {ends(own['texts'], ',.0f')} test texts each."]
    if len(left_out):
        models = listed([f"{LABELS[r.encoder]} on {inert(r.corpus)}" for r in left_out.itertuples()])
        said.append(
            "Models that predict no better than the most frequent answer are left out, as in the verdict "
            f"(chapter 12): {models}."
        )
    if here not in set(own["corpus"]):
        said.append(f"The corpus of this page's own run, {inert(here)}, isn't among them.")
    if len(over := rows.loc[rows["measure"] == "over_uniform", "corpus"]):
        said.append(f"Panel {len(EXPECTED) + 1} has {listed([inert(name) for name in sorted({*over})])}.")
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
            "prediction y": predictions,
            "TVD of the prediction": [tvd(both_classes(p), both_classes(y)) for p in predictions],
            "JSD of the attention": [jsd(s, a) for s in shuffled],
        }
    )


def crossed(moved: pd.DataFrame, a: np.ndarray, y: float) -> list[str]:
    """Which shuffles of attention a change the decision, and how far they move it. moved: `distances`'."""
    turns = moved.loc[(moved["prediction y"] > 0.5) != (y > 0.5), "shuffle"]
    changes, jsds = moved["TVD of the prediction"], moved["JSD of the attention"]
    named = f"shuffle {listed([str(k) for k in turns])} changes" if len(turns) else "no shuffle changes"
    said = [f"Before, y was {y:.3f}; {named} the decision (y above or below 0.5)."]
    if len(moved) > 1 and jsds.idxmin() == changes.idxmax():
        said.append(
            f"Shuffle {moved['shuffle'][jsds.idxmin()]} moves attention least and the prediction most: what "
            "counts is which values get the weight."
        )
    said.append(
        f"No shuffle moves attention far ({jsds.max():.3f} at most), as no weight is far above the others "
        f"({ends(pd.Series(a))}). A test should look further away."
    )
    return said


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
    changes, over = _means(rows, "median_change", "bilstm"), _means(rows, "over_uniform", "bilstm")
    if not len(changes):
        return [LEAST]
    far, near = changes[changes > FAR], changes[changes <= FAR]
    parts = [f"by {ends(far)} on {listed([inert(name) for name in sorted(far.index)])}"] if len(far) else []
    if len(near):
        others = f"the {len(near)} other" if len(far) else f"{len(near)}"
        parts.append(f"by {ends(near)} on {others} {'corpus' if len(near) == 1 else 'corpora'}")
    said = ["In part."]
    taus = rows[rows["measure"] == "tau_loo"].set_index("encoder")["mean"]
    is_alone = taus.index == "average"
    if is_alone.any() and not is_alone.all() and taus[~is_alone].max() < LIKE < taus[is_alone].min():
        said.append(
            f"Attention ranks words like leaving each out (τ above {LIKE:g}) only where each is read alone "
            "(Average)."
        )
    said.append(f"A typical shuffle moves the BiLSTM's prediction {listed(parts)}.")
    if (rows["measure"] == "optimum").any():
        said.append(f"{far_apart(rows)}.")
    if len(over):
        how = "hardly helps the BiLSTM" if over.max() < LEAST_SHOWN else "helps the BiLSTM"
        said.append(
            f"Attention {how} predict: beside equal weights it adds on average at most "
            f"{max(over.max(), 0):.2f} of F1 (asked on "
            f"{listed([inert(name) for name in sorted(over.index)])} alone)."
        )
    return [
        *said,
        "A heatmap says where a model looks. What it finds there is in the values, which a heatmap doesn't "
        "show. So test your model before you show its attention (chapter 15).",
    ]


def without(one: ours.Kept, words: Sequence[str]) -> list[str]:
    """What a model that read our sentence predicts if one of these two words loses its weight."""
    row = one.row()
    c = int(row.prediction.argmax())
    then = [row.probs(reweighted(row.attention, one.tokens.index(word), 0.0)) for word in words]
    parts = [f"with “{inert(word)}” at 0 it gives {p[c]:.3f}" for word, p in zip(words, then, strict=True)]
    both = row.attention
    for word in words:
        both = reweighted(both, one.tokens.index(word), 0.0)
    then.append(row.probs(both))
    parts.append(f"with both {then[-1][c]:.3f}")
    said = [
        f"By its own attention the model gives “{inert(one.classes[c])}” {row.prediction[c]:.3f}; "
        f"{listed(parts)}."
    ]
    if all(int(p.argmax()) == c for p in then):
        said.append(
            "So the decision hangs on neither weight. One reason may be that each state of a BiLSTM has read "
            "the other words, too."
        )
    return said
