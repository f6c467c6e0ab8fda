"""Chapter 03: what permuting attention comes to, in sentences and tables."""

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.experiments.permutation import PEAK, STILL
from heed.measures import adversarial, stats
from heed.measures import permutation as permuting
from heed.show.notebook import inert, tokens
from heed.show.sentences import by_encoder, counted, number, over_seeds, quoted
from heed.show.style import LABELS

SURE = 0.99  # from this probability of one class on a model is sure of a text
NOTHING = "No text here has two words or more, so there is nothing to shuffle."


def in_short(table: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer. table: `permutation`'s, of texts of two words or more; real: `on_real_text`'s."""
    if table.empty:
        return [NOTHING]
    said = [f"{peaked(table)} {typical(table)}"]
    if len(real):
        said.append(f"{range_of_real_text(real)} over texts, of at most 1.")
    said.append(
        "So a bright word is no proof that the model needs *that* word's weight: what a shuffle does hangs "
        "on how much the words' values differ, and on whether attention goes along with them."
    )
    return said


def typical(table: pd.DataFrame) -> str:
    """By how much the typical shuffle moves half of all texts."""
    half = table["median_change"].median()
    return f"For half of all texts the typical shuffle moves the prediction by {half:.2f} or less."


def peaked(table: pd.DataFrame) -> str:
    """How many texts are peaked, and how many of those and of the others hardly move when permuted.

    table: `permutation`'s, of one text at least.
    """
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    weight = f"a weight of {PEAK:g} or more on one word."
    how_many = is_peaked.sum() or "None"
    found = f"{how_many} of {counted(len(table))} {'have' if is_peaked.sum() > 1 else 'has'} {weight}"
    moves = f"by at most {STILL:g} when their attention is shuffled"
    if is_peaked.all():
        return f"{found} {is_still.mean():.0%} of them move {moves}."
    if not is_peaked.any():
        return f"{found} {is_still.mean():.0%} of the texts move {moves}."
    both, others = (is_peaked & is_still).sum(), is_still[~is_peaked].mean()
    return (
        f"{found} Of those {both} ({both / is_peaked.sum():.0%}) move {moves}; of the others {others:.0%} do."
    )


def most_peaked(row: Row, classes, question: dict[str, str]) -> list[str]:
    """A text, what the model says of it, and what it is asked, if it is. question: `Run.asked`'s."""
    said = [
        f"{quoted(row.units)}: P({inert(classes[row.shown])}) = {row.prediction[row.shown]:.3f}; "
        f"the highest weight is {row.attention.max():.2f}."
    ]
    if question:
        said.append(f"{question['query_name']}: *{tokens(question['question'].split())}*.")
    return said


def shuffled(change: np.ndarray) -> str:
    """What many shuffles of one text do. change: of the prediction, (permutations,)."""
    return (
        f"Over {len(change)} shuffles the prediction moves by {np.median(change):.3f} in the median, at "
        f"least {change.min():.3f} and at most {change.max():.3f}: {(change <= STILL).mean():.0%} of the "
        f"shuffles move it by no more than {STILL}."
    )


def by_hand(row: Row) -> str:
    """The three numbers of a text whose logit is one linear one, and what they say of its shuffles."""
    m = permuting.moments(row.attention[row.real], row.values[row.real, 0])
    logit = row.attention @ row.values[:, 0] + row.shift[0]
    return (
        f"The text above: T = {row.real.sum()}, A = {m['peakiness']:.2f}, R = {m['dispersion']:.2f}, "
        f"ρ = {number(m['alignment'])}. Its logit is {logit:.2f}; a shuffle moves it by "
        f"{np.sqrt(m['square']):.2f} (root mean square)."
    )


def sampled(row: Row) -> str:
    """What the formula says of a text beside many draws; raises AssertionError if they are not one another's.

    The means over the draws must lie within five standard errors of the exact ones.
    """
    weights, values = row.attention[row.real], row.values[row.real, 0]
    m = permuting.moments(weights, values)
    count = max(min(20_000, 4_000_000 // len(row.units)), 100)  # a long text takes memory
    draws = permuting.permuted(weights, count, 1, row.id) @ values
    squares = (draws - weights @ values) ** 2
    assert abs(draws.mean() - m["mean"]) <= 5 * np.sqrt(m["variance"] / len(draws)) + 1e-12
    assert abs(squares.mean() - m["square"]) <= 5 * squares.std() / np.sqrt(len(draws)) + 1e-12
    return f"So do {count:,} draws: {np.sqrt(squares.mean()):.2f}."


def explains(table: pd.DataFrame) -> pd.Series:
    """The rank correlation of each of the three numbers with the change of the logit; the strongest first."""
    known = table.dropna(subset=["alignment"])
    found = {
        "peakiness": stats.rank_correlation(table["peakiness"], table["rms_logit"]),
        "dispersion": stats.rank_correlation(table["dispersion"], table["rms_logit"]),
        "alignment": stats.rank_correlation(known["alignment"].abs(), known["rms_logit"]),
    }
    return pd.Series(found).sort_values(ascending=False, na_position="last")


def explained(table: pd.DataFrame) -> str:
    """Which of the three numbers goes furthest with the change of the logit: the figure's finding."""
    found = explains(table)
    first, *others = [f"{name} ({number(rho)})" for name, rho in found.items()]
    if np.isnan(found.iloc[0]):
        return "All texts are alike: nothing goes with the change of the logit"
    return f"What a shuffle does to the logit goes most with {first}, less with {' and '.join(others)}"


def sigmoid(evidence: Evidence, several: pd.DataFrame) -> list[str]:
    """Whether the texts that stay are those of which the model is sure: sentences of these and others."""
    is_sure = (evidence.predictions.max(1) >= SURE)[several.index]
    said = [f"For {is_sure.mean():.0%} of the texts one class has a probability of {SURE} or more."]
    for name, own in (("these", several[is_sure]), ("the others", several[~is_sure])):
        if len(own):
            says = f"Of {name} the median change of the prediction is {own['median_change'].median():.3f}"
            if permuting.linear(evidence):
                says += f"; their logit moves by {own['rms_logit'].median():.2f}"
            said.append(f"{says}.")
    return said


def alike(conicity: pd.Series, several: pd.DataFrame) -> str:
    """Conicity, and whether it goes with the change of the prediction."""
    relation = stats.rank_correlation(conicity, several["median_change"])
    return (
        f"Conicity here: {conicity.mean():.2f} in the mean, from {conicity.min():.2f} to "
        f"{conicity.max():.2f}; its rank correlation with the median change is {number(relation)}."
    )


def one_word(run) -> list[str]:
    """What shuffling and the exact optimum are by predicted class, where one rare word decides."""
    table = run.table("permutation")[["predicted", "median_change"]]
    found = adversarial.optima(run.evidence, run.params.epsilon)
    table["jsd"] = [found[name].jsd for name in run.evidence.ids]
    means = table.groupby("predicted").mean()
    said = [
        f"Predicted {inert(run.corpus.classes[c])} ({LABELS[run.params.encoder]}), shuffling moves the "
        f"prediction by {means.loc[c, 'median_change']:.2f}, and the furthest attention that keeps it has a "
        f"JSD of {means.loc[c, 'jsd']:.2f}."
        for c in means.index
    ]
    if len(means) == 2:
        none, one = means.iloc[0], means.iloc[1]
        held = one["median_change"] > none["median_change"] and one["jsd"] < none["jsd"]
        said.append(
            "That is as foretold: such words are enough."
            if held
            else "That is *not* as foretold: such words are not enough."
        )
    return said


def on_real_text() -> pd.DataFrame:
    """Encoder, and mean, lowest and highest of the median change over the carried seeds on SST."""
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and measure == 'median_change' and `class` == 'overall' and profile == 'paper' "
        "and attention == 'additive'"
    )
    found = []
    for name, label in LABELS.items():
        if len(own := rows[rows["encoder"] == name]["mean"]):
            found.append([label, own.mean(), over_seeds(own, "z.3f")])
    return pd.DataFrame(found, columns=["encoder", "mean", "says"])


def range_of_real_text(real: pd.DataFrame) -> str:
    """The finding of the figure on real text; empty without rows. real: `on_real_text`'s."""
    if real.empty:
        return ""
    return f"On SST a text's typical change is {by_encoder(real, 'mean')} in the mean"


def answer(table: pd.DataFrame, evidence: Evidence) -> list[str]:
    """The chapter's question, answered for this run."""
    if table.empty:
        return [NOTHING]
    still = (table["median_change"] <= STILL).mean()
    said = [f"Often the same: {still:.0%} of the texts move by {STILL} or less."]
    if still < 0.5:
        said = [f"Mostly another prediction: only {still:.0%} of the texts move by {STILL} or less."]
    if permuting.linear(evidence) and not np.isnan(explains(table).iloc[0]):
        most = explains(table).index[0]
        said.append(f"How far follows exactly from three numbers of a text, of which {most} says most here.")
    return said
