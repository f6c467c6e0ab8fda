"""Chapter 04: how different attention can be and say the same, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.experiments.permutation import PEAK
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.measures.exact import Vertex
from heed.measures.permutation import draws
from heed.params import Params, resolve
from heed.registry import corpora
from heed.show.figures.common import by_class
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted, signed
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.6  # a JSD from which on attention is almost as different as can be; ln 2 = 0.69 is the end
QUITE = 0.5  # one that is far above a shuffle's
NOTHING = "No text here has two words or more, so there is no other attention to look for."
ALIKE = 0.01  # nats: two means that differ by less are nearly the same
WHOLLY, NOT_WHOLLY = "nearly as different as possible.", "Not as different as possible."
ONE_LOGIT = "In models with one [logit](glossary.md#logit), so two classes,"
STRONG, SPREAD = -0.4, 0.03  # a rank correlation, and nats over texts, from which on peaks cost room
WEAK = -0.2  # a rank correlation between this and 0 is weak
SHUFFLES = 20  # of each text's attention, for a yardstick
SCALES = {"uniform_jsd": "equal", "other_jsd": "other_seed"}  # stored JSDs of other attentions


def in_short(
    table: pd.DataFrame,
    scale: dict[str, float],
    real: pd.DataFrame,
    many: pd.DataFrame,
    p: Params,
    named: str,
    linear: bool,
) -> list[str]:
    """The chapter's answer.

    table: `adversarial`'s, of texts of two words or more; scale: `yardsticks`'; real: `on_real_text`'s; many:
    `of_many_answers`'; named: the run's model, as `sentences.model_named` has it.
    """
    if table.empty:
        return [NOTHING]
    said = [how_different(table, linear), free(table, p, named, linear), for_scale(scale)]
    if len(real):
        said.append(f"{of_real_text(real)} ({where(real)}).")
    if len(many):
        said.append(told_of_many(many))
    if (table["optimum"] > FAR).mean() < 0.5:
        return [*said, "So here the prediction leaves most heatmaps little room."]
    which = "in these models with one logit" if linear else "here"
    return [
        *said,
        f"So {which} the prediction seldom determines the heatmap. But no single model has to produce all "
        "these attentions.",
    ]


def yardsticks(evidence: Evidence, table: pd.DataFrame, seed: int) -> dict[str, float]:
    """How far two plain attentions are from the model's own: mean JSD over texts, by their names.

    `shuffled`: the model's weights in another order, the mean of SHUFFLES draws a text; `equal weights`.
    Markers keep their weight in both. table: of the texts that count; empty without any.
    """
    names = {*table["id"]}
    rows = [row for row in evidence if row.id in names]
    if not rows:
        return {}
    shuffled = [jsd(draws(row, SHUFFLES, seed), row.attention).mean() for row in rows]
    equal = [np.where(row.real, row.attention[row.real].mean(), row.attention) for row in rows]
    flat = [jsd(weights, row.attention) for weights, row in zip(equal, rows, strict=True)]
    return {"shuffled": float(np.mean(shuffled)), "equal weights": float(np.mean(flat))}


def for_scale(scale: dict[str, float]) -> str:
    """What other attentions have for a JSD. scale: `yardsticks`', not empty."""
    return (
        f"For scale: the model's weights, shuffled, have a mean JSD of {scale['shuffled']:.2f} to its own; "
        f"equal weights {scale['equal weights']:.2f}."
    )


def how_different(table: pd.DataFrame, linear: bool) -> str:
    """The answer in a few words. table: not empty; linear: of one logit, so of two classes."""
    if table["optimum"].mean() <= FAR:
        return NOT_WHOLLY
    return f"{ONE_LOGIT} {WHOLLY}" if linear else WHOLLY.capitalize()


def free(table: pd.DataFrame, p: Params, named: str, linear: bool) -> str:
    """How many texts have quite different attention that keeps the prediction. table: not empty."""
    is_free = table["optimum"] > FAR
    moved = (
        f"probability by at most {p.epsilon:g}" if linear else f"prediction by at most {p.epsilon:g} (TVD)"
    )
    return (
        f"For {is_free.sum() or 'none'} of {counted(len(table))} ({is_free.mean():.0%}) of {named} "
        f"some attention with a JSD above {FAR:g} to the model's own "
        f"moves the {moved}."
    )


def shares_say(table: pd.DataFrame, linear: bool, corpus: str) -> str:
    """Of how many texts attention is quite free, exactly and by the search: a figure's finding. table: of one
    text at least.
    """
    which = "some" if linear else "some known"
    return (
        f"On {text_for(corpus, 'figure')}, {which} attention with a JSD above {FAR:g} keeps the prediction "
        f"of {(table['optimum'] > FAR).mean():.0%} of the texts; the paper's search finds it for "
        f"{(table['found'] > FAR).mean():.0%}"
    )


def unsure(evidence: Evidence) -> Row:
    """A long text of which the model is unsure: one word more counts as a lead smaller by 0.05."""
    first, second = np.sort(evidence.predictions)[:, :-3:-1].T
    chances = evidence.lengths - (first - second) * 20
    return evidence[int(np.where(evidence.lengths > 1, chances, -np.inf).argmax())]


def predicted(row: Row, classes: Sequence[str], question: dict[str, str]) -> list[str]:
    """A text, what the model says of it, and what it is asked, if it is. question: `Run.asked`'s."""
    c = row.shown
    said = [f"{quoted(row.units)}: P({inert(classes[c])}) = {row.prediction[c]:.3f}."]
    if question:
        said.append(f"{question['query_name']}: *{tokens(question['question'].split())}*.")
    return said


def best(row: Row, vertex: Vertex, epsilon: float) -> str:
    """Where a text's most different attention lies: the figure's finding, plain text.

    Raises AssertionError if it doesn't keep the prediction, or isn't as far as it says.
    """
    other = vertex.attention(len(row.attention))
    probs = row.probs(other)
    assert tvd(probs, row.prediction) <= epsilon + 1e-9
    assert np.isclose(jsd(other, row.attention), vertex.jsd)
    on = "one word" if vertex.i == vertex.j or vertex.weight in (0, 1) else "two words"
    c = row.shown
    return (
        f"With all weight on {on} (JSD {vertex.jsd:.2f}) the prediction goes from {row.prediction[c]:.3f} to "
        f"{probs[c]:.3f}"
    )


def less_free(row: Row, vertex: Vertex, table: pd.DataFrame) -> str:
    """On which words the two attentions lie, and whether this text's is less free than the others'."""
    first, second = np.argsort(row.attention, kind="stable")[::-1][:2]
    used = np.flatnonzero(vertex.attention(len(row.attention)))
    own, other = (listed([_placed(row, i) for i in at]) for at in ([first, second], used))
    mean = table["optimum"].mean()
    how = (
        "On this text attention isn't less free"
        if vertex.jsd >= mean - ALIKE
        else "On this text attention is less free"
    )
    return (
        f"The model's own weights are highest on {own}, the most different attention lies on {other}. {how}: "
        f"the JSD is {vertex.jsd:.2f}, the mean over all texts {mean:.2f}."
    )


def _placed(row: Row, i: int) -> str:
    """A word of a text in quotes, with its place, from 1 on, if the text has it more than once."""
    name = f"“{tokens([row.units[i]])}”"
    return f"{name} (word {i + 1})" if [*row.units].count(row.units[i]) > 1 else name


def by_chance(row: Row, epsilon: float, seed: int) -> str:
    """How far random attentions get on one text: Dirichlet with 0.3, most weight on a few words."""
    count = max(min(10_000, 4_000_000 // len(row.attention)), 100)  # a long text takes memory
    drawn = np.random.default_rng(seed).dirichlet(np.full(len(row.attention), 0.3), count)
    kept = tvd(row.probs(drawn), row.prediction) <= epsilon
    if not kept.any():
        return f"None of {count:,} random attentions keeps the prediction."
    furthest = jsd(drawn[kept], row.attention).max()
    return (
        f"{kept.sum():,} of {count:,} random attentions {'keeps' if kept.sum() == 1 else 'keep'} the "
        f"prediction, and the most different of them has a JSD of {furthest:.2f}."
    )


def below(table: pd.DataFrame, corpus: str) -> str:
    """How far the search stays below what is known: the figure's finding.

    Raises AssertionError where it is above what can be. table: of one text at least.
    """
    assert (table["found"] <= table["bound"] + 1e-6).all()
    gap = table["optimum"] - table["found"]
    return (
        f"On {text_for(corpus, 'figure')} the search stays {gap.mean():.2f} below the optimum on average, "
        f"and {gap.max():.2f} at most"
    )


def failed(table: pd.DataFrame, p: Params) -> str:
    """For how many texts the search finds nothing."""
    none = int((table["feasible"] == 0).sum())
    if none == 0:
        return f"For every text at least one of its {p.adversaries} adversaries keeps the prediction."
    return (
        f"For {counted(none)} none of the search's {p.adversaries} adversaries keeps the prediction. Their "
        "JSD counts as 0, as in the paper's Algorithm 3."
    )


def proved(table: pd.DataFrame, row: Row, linear: bool) -> list[str]:
    """What the two bounds say where there is more than one logit. row: a text of the table."""
    if linear:
        return ["This run's model has one linear logit, so every optimum above is exact."]
    own = table[table["id"] == row.id].iloc[0]
    meet = "They meet, so it is the optimum." if own["proved"] else "The optimum lies between them."
    return [
        f"For the text above the best known JSD is {own['optimum']:.3f}, the upper bound {own['bound']:.3f}.",
        meet,
        f"Over all texts the mean upper bound is {table['bound'].mean():.2f}, and the optimum is proved for "
        f"{table['proved'].mean():.0%} of the texts.",
    ]


def curve_says(curve: pd.DataFrame, corpus: str) -> str:
    """What is free with no help of the sigmoid, and with more: the figure's finding. curve: not empty."""
    means = curve.groupby("epsilon")["optimum_at"].mean()
    return (
        f"With the prediction held exactly, attention on {text_for(corpus, 'figure')} can be "
        f"{means[0.0]:.2f} away on average ({means.iloc[-1]:.2f} at ε = {means.index.max():g})"
    )


def sigmoid(curve: pd.DataFrame) -> str:
    """Whether the freedom lies in the values or in the sigmoid. curve: not empty."""
    means = curve.groupby("epsilon")["optimum_at"].mean()
    if means.max() == 0:
        return "Attention is free at no ε."
    whose = (
        "most of the freedom comes from the words' values, not from the sigmoid"
        if means[0.0] >= 0.8 * means.max()
        else "the freedom comes partly from the sigmoid"
    )
    return (
        f"At ε = 0 the mean JSD is {means[0.0]:.2f}, at ε = {means.idxmax():g} it is {means.max():.2f}; the "
        f"scale ends at 0.69. So {whose}."
    )


def class_gap(evidence: Evidence, table: pd.DataFrame, classes: Sequence[str], p: Params) -> str:
    """Which predicted class has less room, and a reason: few words that speak for the prediction enough.

    Such a word's value lies beyond the text's own weighted sum, on the predicted class's side. Empty unless
    texts of two classes differ. Of a model with one logit.
    """
    means = table.groupby("predicted")["optimum"].mean().sort_values(kind="stable")
    if not by_class(classes) or len(means) != 2 or f"{means.iloc[0]:.2f}" == f"{means.iloc[1]:.2f}":
        return ""
    rows = {row.id: row for row in evidence}
    found = [beyond(rows[name], c) for name, c in zip(table["id"], table["predicted"], strict=True)]
    share = pd.Series(found).groupby(table["predicted"].to_numpy()).mean()
    less, more = share[means.index[0]], share[means.index[1]]
    few, many = (inert(classes[c]) for c in means.index)
    said = (
        f"Texts predicted {few} have less room than texts predicted {many}: a mean JSD of "
        f"{means.iloc[0]:.2f} against {means.iloc[1]:.2f} (at ε = {p.epsilon:g})."
    )
    if less >= more:
        return said
    return (
        f"{said} A possible reason: to keep the prediction, attention needs words whose value is at least "
        f"the text's own sum, on the predicted side. Such words are {less:.0%} of a text against {more:.0%}."
    )


def beyond(row: Row, predicted: int) -> float:
    """The share of the words that speak for the prediction more than the text does.

    With one logit, whose high values speak for class 1.
    """
    values, own = row.values[row.real, 0], row.attention @ row.values[:, 0]
    return float((values > own if predicted == 1 else values < own).mean())


def by_length(table: pd.DataFrame, unit: str) -> str:
    """How much room the shorter and the longer half have; empty unless there are texts of both.

    table: `adversarial`'s; unit: what a text's length is counted in.
    """
    middle = table["length"].median()
    is_long = table["length"] > middle
    if is_long.all() or not is_long.any():
        return ""
    short, long = table["optimum"][~is_long].mean(), table["optimum"][is_long].mean()
    how = "less" if long < short - ALIKE else "more" if long > short + ALIKE else "about as much"
    than = "as" if how == "about as much" else "than"
    return (
        f"Texts of more than {middle:g} {unit}s have {how} room {than} the shorter ones: a mean JSD of "
        f"{long:.2f} against {short:.2f}."
    )


def suffers(table: pd.DataFrame, linear: bool) -> str:
    """Whether the search falls short more where the model is less sure; empty if it is of none or of all."""
    gap, is_sure = table["optimum"] - table["found"], table["margin"] >= 0.98
    if is_sure.all() or not is_sure.any():
        return ""
    unsure, sure = gap[~is_sure].mean(), gap[is_sure].mean()
    of = "probability of the predicted class below 0.99" if linear else "lead over the next answer below 0.98"
    says = (
        f"The search stays {unsure:.2f} below the optimum on the {counted((~is_sure).sum())} of which the "
        f"model is less sure ({of}), and {sure:.2f} on the other {is_sure.sum()}."
    )
    few, many = table["optimum"][~is_sure].mean(), table["optimum"][is_sure].mean()
    if unsure > sure and abs(few - many) < ALIKE:
        most = "exact optimum" if linear else "best known JSD"
        both = " and ".join(dict.fromkeys((f"{few:.2f}", f"{many:.2f}")))
        says += (
            f" The {most} is nearly the same on both ({both}), so attention can go as far there, but the "
            "search finds less. A likely reason: where the model is less sure the prediction reacts more, "
            "and fewer attentions keep it."
        )
    return says


def resists(table: pd.DataFrame, kind: str, p: Params) -> tuple[str, float]:
    """Whether peaked attention leaves less room in this run, and the rank correlation.

    kind: what the optimum is, exact or best known.
    """
    rho, low, high = stats.spearman(table["max_attention"], table["optimum"], 200, p.seed)
    if np.isnan(rho):
        return "In this run no trend can be told: there are fewer than three texts, or all are alike.", rho
    of = f"the rank correlation of highest weight and {kind} JSD is {signed(rho)}"
    if np.isnan([low, high]).any():
        return f"In this run {of}, without an interval: some resamples of the texts are all alike.", rho
    says = "there is no clear trend"
    if low > 0:
        says = "peaked attention has more room"
    elif high < 0:
        says = "peaked attention has less room"
    interval = f"95% [interval](glossary.md#interval) {signed(low)} to {signed(high)}"
    said = f"In this run ({inert(p.corpus)}) {says}: {of} ({interval})."
    return f"{said}{peaked_and_others(table, kind)}", rho


def peaked_and_others(table: pd.DataFrame, kind: str) -> str:
    """How much room peaked texts have, and the others; empty unless there are texts of both.

    kind: what the optimum is, exact or best known.
    """
    is_peaked = table["max_attention"] >= PEAK
    if is_peaked.all() or not is_peaked.any():
        return ""
    peaked, others = table["optimum"][is_peaked], table["optimum"][~is_peaked]
    return (
        f" The mean {kind} JSD is {peaked.mean():.3f} on the {counted(len(peaked))} with a weight of "
        f"{PEAK:g} or more on one word, {others.mean():.3f} on the other {len(others)}."
    )


def _stored(measures: Sequence[str], guessing: bool = True) -> pd.DataFrame:
    """The stored rows of these measures over all texts, of profile `paper` and additive attention.

    Parts of corpora are marked. guessing: also of models that only guess.
    """
    rows = verdict.committed()
    rows = rows if guessing else verdict.without_guessing(rows, measures)
    rows = rows[rows["measure"].isin(measures)]
    return verdict.marked(
        verdict.plain(rows).query("profile == 'paper' and attention == 'additive' and `class` == 'overall'")
    )


def has_two_classes(names: pd.Series) -> pd.Series:
    """Of which corpora the registry names two classes, by row."""
    two = [name for name, entry in corpora().items() if len(entry.get("classes", ())) == 2]
    return names.str.removesuffix(" (part)").isin(two)


def _called(name: str) -> str:
    """A corpus in a sentence: `part of agnews`, where runs read a part of it."""
    whole = name.removesuffix(" (part)")
    return inert(whole) if whole == name else f"part of {inert(whole)}"


def on_real_text() -> pd.DataFrame:
    """The stored means of models with one logit, over seeds: found, optimum and ρ of both; seeds, texts.

    Lowest and highest of the seeds: optimum_low, optimum_high, rho_low, rho_high. spread: the optimum's
    standard deviation over texts. equal, other_seed: the JSD of equal weights, of another seed's attention,
    where they are stored. A row a corpus of two classes and an encoder, of profile `paper` and additive
    attention; parts of corpora are marked.
    """
    rows = _stored(["found", "optimum", "rho_found", "rho_optimum", *SCALES])
    rows = rows[has_two_classes(rows["corpus"])]
    index, needed = ["corpus", "encoder"], ["found", "optimum", "rho_found", "rho_optimum"]
    found = rows.pivot_table(index=index, columns="measure", values="mean")
    found = found.reindex(columns=[*needed, *SCALES]).rename(columns=SCALES)
    own = rows[rows["measure"].isin(needed)]
    found["seeds"] = own.groupby(index)["seed"].nunique()
    for name, short in (("optimum", "optimum"), ("rho_optimum", "rho")):
        ends = rows[rows["measure"] == name].groupby(index)["mean"]
        found[f"{short}_low"], found[f"{short}_high"] = ends.min(), ends.max()
    optimum = rows[rows["measure"] == "optimum"].groupby(index)
    found["texts"], found["spread"] = optimum["n"].mean(), optimum["std"].mean()
    return found.dropna(subset=[*needed, "seeds", "texts"]).astype({"texts": int}).reset_index()


def of_many_answers() -> pd.DataFrame:
    """The stored means of the best known JSD, its upper bound and the share of texts where they meet.

    A row a corpus of more than two answers and an encoder: optimum, bound, proved, epsilon. Profile `paper`,
    additive attention; without models that only guess.
    """
    measures = ["optimum", "bound", "proved"]
    rows = _stored(measures, guessing=False)
    rows = rows[~has_two_classes(rows["corpus"])]
    many = rows.pivot_table(index=["corpus", "encoder"], columns="measure", values="mean")
    many = many.reindex(columns=measures).dropna(subset="optimum").reset_index()
    used = {name: epsilon_of(name, "paper") for name in many["corpus"].unique()}
    return many.assign(epsilon=many["corpus"].map(used))


def epsilon_of(corpus: str, profile: str) -> float:
    """By how much the prediction may move on a corpus, a part of it or the whole; NaN if it isn't known."""
    name = corpus.removesuffix(" (part)")
    return resolve({"corpus": name, "profile": profile}).epsilon if name in corpora() else np.nan


def _ends(values: pd.Series, form: str = ".2f") -> str:
    """`0.10 to 0.20`; of one number, or of two that read alike, that alone."""
    return " to ".join(dict.fromkeys(f"{end:{form}}" for end in (values.min(), values.max())))


def told_of_many(many: pd.DataFrame) -> str:
    """How different attention can be there. many: `of_many_answers`', of a row at least."""
    names = ", ".join(map(_called, dict.fromkeys(many["corpus"])))
    return (
        f"On {counted(many['corpus'].nunique(), 'corpus', 'corpora')} with more answers ({names}), where the "
        f"prediction may move by {_ends(many['epsilon'], 'g')}, the furthest attention found is "
        f"{_ends(many['optimum'])} away on average; the true maximum may be higher."
    )


def least_of_many(many: pd.DataFrame) -> str:
    """The same, with names and upper bounds, for the chapter's section on real text; empty without rows."""
    if many.empty:
        return ""
    known, met = many.dropna(subset=["bound", "proved"]), ""
    if len(known):
        shares = _ends(known["proved"], ".0%")
        met = f" The two meet for {shares} of the texts, depending on corpus and encoder."
    return (
        "With more than two answers only two bounds are known (see the first appendix), and here ε is "
        f"{_ends(many['epsilon'], 'g')}. The table has the mean JSD of the furthest attention found, and its "
        f"upper bound.{met}"
    )


def where(real: pd.DataFrame) -> str:
    """Of how many corpora, encoders and seeds these numbers are. real: of one row at least."""
    least, most = real["seeds"].min(), real["seeds"].max()
    seeds = counted(most, "seed") if least == most else f"{least} to {most} seeds"
    return (
        f"{counted(real['corpus'].nunique(), 'corpus', 'corpora')}, "
        f"{counted(real['encoder'].nunique(), 'encoder')}, {seeds}"
    )


def of_real_text(real: pd.DataFrame) -> str:
    """The finding of the figure on real text. real: `on_real_text`'s, of one row at least."""
    return (
        f"On real text with two classes a mean JSD of {real['optimum'].min():.2f} to "
        f"{real['optimum'].max():.2f} is attainable; the search finds {real['found'].min():.2f} to "
        f"{real['found'].max():.2f}"
    )


def short_by(real: pd.DataFrame) -> str:
    """How far the search stays below, and of how many texts there is much room; empty without rows."""
    if real.empty:
        return ""
    gap, least = real["optimum"] - real["found"], real.loc[real["optimum"].idxmin()]
    at = f"{_called(least['corpus'])}, {LABELS[least['encoder']]}"
    quite, far = (int(100 * at_least(least["optimum"], x)) for x in (QUITE, FAR))  # down: at least
    implied = (
        f" The shares of texts aren't stored. But no JSD is above 0.69, so even the lowest mean ({at}: "
        f"{least['optimum']:.2f}) implies that at least {quite}% of the texts have attention with a JSD "
        f"above {QUITE:g}, and {far}% above {FAR:g}."
    )
    return (
        f"The search stays {_ends(gap)} below the exact mean, depending on corpus and "
        f"encoder.{implied if far else ''}"
    )


def of_another_seed(real: pd.DataFrame) -> str:
    """How near the same model's attention is when trained with another seed; empty where it isn't stored."""
    own = real.dropna(subset="other_seed")
    own = own[own["encoder"] == "bilstm"]
    if own.empty:
        return ""
    each = [f"{row['other_seed']:.2f} ({_called(row['corpus'])})" for row in own.to_dict("records")]
    return (
        f"The BiLSTM's attention when trained with another seed is only {listed(each)} away: "
        "training by itself doesn't come to attention this different (chapter 07)."
    )


def many_in_short(many: pd.DataFrame) -> pd.DataFrame:
    """`of_many_answers` as a table: a row a corpus, for each encoder what is found and its upper bound."""
    cells = many.assign(
        cell=[
            f"{row['optimum']:.2f}"
            + (f" of at most {row['bound']:.2f}" if row["bound"] == row["bound"] else "")
            for row in many.to_dict("records")
        ]
    )
    wide = cells.pivot(index="corpus", columns="encoder", values="cell")
    wide = wide.reindex(columns=[name for name in LABELS if name in wide]).fillna("–").rename(columns=LABELS)
    return wide.rename_axis(columns=None).reset_index()


def at_least(mean: float, x: float) -> float:
    """The least share of texts whose JSD is above x, given its mean: those at x or less pull it down so far.

    As of Markov's inequality for ln 2 - JSD.
    """
    return max(1 - (np.log(2) - mean) / (np.log(2) - x), 0.0)


def real_trend(real: pd.DataFrame) -> str:
    """Whether peaked attention leaves less room on real text: a figure's finding; empty without rows."""
    if real.empty:
        return ""
    less, of = int((real["rho_optimum"] < 0).sum()), len(real)
    pairs = f"all {of} pairs" if less == of > 1 else f"{less} of {counted(of, 'pair')}"
    return (
        f"More peaked attention goes with less room in {pairs} of a corpus and an encoder: from "
        f"{signed(real['rho_optimum'].max())} to {signed(real['rho_optimum'].min())}"
    )


def real_room(real: pd.DataFrame) -> str:
    """How strong that trend is, and how much room there is all the same; empty without rows."""
    if real.empty:
        return ""
    strong = real.loc[real["rho_optimum"].idxmin()]
    by_search = " to ".join(dict.fromkeys(signed(end(real["rho_found"])) for end in (min, max)))
    weaker = "weaker, " if real["rho_found"].mean() > real["rho_optimum"].mean() else ""
    hardly = ", so the order is clear and the differences are tiny" if strong["spread"] < ALIKE else ""
    return (
        f"{weakly(real)}A rank correlation doesn't say how much room is lost. Where it is strongest "
        f"({_called(strong['corpus'])}, {LABELS[strong['encoder']]}), the JSD is {strong['optimum']:.3f} on "
        f"average, with a standard deviation of {strong['spread']:.3f} over texts{hardly}.{less_room(real)} "
        "The paper takes the JSD that its search finds; by that measure the correlation is "
        f"{weaker}{by_search} (not drawn)."
    )


def weakly(real: pd.DataFrame) -> str:
    """Where the trend is negative but weak; empty if nowhere. real: `on_real_text`'s."""
    weak = real[real["rho_optimum"].between(WEAK, 0, inclusive="neither")]
    if weak.empty:
        return ""
    return f"The trend is weak (between {signed(WEAK, '.1f')} and 0) on {_named(weak)}. "


def _named(rows: pd.DataFrame) -> str:
    """Pairs of a corpus and an encoder: `ade (BiLSTM, CNN) and sst (CNN)`. rows: not empty."""
    return listed([
        f"{_called(corpus)} ({', '.join(LABELS[name] for name in LABELS if name in {*own['encoder']})})"
        for corpus, own in rows.groupby("corpus")
    ])  # fmt: skip


def less_room(real: pd.DataFrame) -> str:
    """On which corpora, and with which encoders, peaked attention does leave noticeably less room.

    There the trend is strong and the JSD differs over texts. Empty if nowhere. real: `on_real_text`'s.
    """
    own = real[_costs_room(real)]
    if own.empty:
        return ""
    return (
        f" On {_named(own)} the differences aren't tiny: there the correlation is {signed(STRONG, '.1f')} or "
        f"stronger and the standard deviation {_ends(own['spread'])}. The runs "
        "don't store how much room is lost at a given weight."
    )


def _costs_room(real: pd.DataFrame) -> pd.Series:
    """Whether the trend is strong and the JSD differs over texts, by row. real: `on_real_text`'s."""
    return (real["rho_optimum"] <= STRONG) & (real["spread"] >= SPREAD)


def answer(table: pd.DataFrame, real: pd.DataFrame, p: Params, named: str, linear: bool) -> list[str]:
    """The chapter's question, answered for this run and for real text: arguments as of `in_short`."""
    if table.empty:
        return [NOTHING]
    how = "exactly" if linear else "as far as is known"
    said = [
        f"{how_different(table, linear)} On {named} attention can be {table['optimum'].mean():.2f} away on "
        f"average ({how}), while the prediction moves by at most {p.epsilon:g}."
    ]
    if len(real):
        costly = int(_costs_room(real).sum())
        peaks = (
            f" In {costly} of {counted(len(real), 'pair')} of a corpus and an encoder more peaked attention "
            "goes with noticeably less room; whether length is behind that isn't known."
            if costly
            else ""
        )
        said.append(f"On real text the lowest mean of a corpus is {real['optimum'].min():.2f}.{peaks}")
    return said


def settings(p: Params) -> str:
    """With what the paper's search is run."""
    each = ", for each adversary instead of divided by k" if p.penalty_each else ""
    return (
        f"Here ε = {p.epsilon:g}, k = {p.adversaries} adversaries, λ = {p.penalty:g}{each}, and "
        f"{p.search_steps} steps."
    )
