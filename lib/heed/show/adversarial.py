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
from heed.params import Params
from heed.registry import corpora
from heed.show.figures.common import by_class
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, of_one_run, quoted, signed
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.6  # a JSD from which on attention is almost as different as can be; ln 2 = 0.69 is the end
NOTHING = "No text here has two words or more, so there is no other attention to look for."
ALIKE = 0.01  # nats: two means that differ by less are nearly the same
WHOLLY, NOT_WHOLLY = "nearly as different as possible.", "Not as different as possible."
STRONG, SPREAD = -0.4, 0.03  # a rank correlation, and nats over texts, from which on peaks cost room
WEAK = -0.2  # a rank correlation between this and 0 is weak
SHUFFLES = 20  # of each text's attention, for a yardstick


def in_short(
    table: pd.DataFrame,
    scale: dict[str, float],
    real: pd.DataFrame,
    many: pd.DataFrame,
    p: Params,
    linear: bool,
) -> list[str]:
    """The chapter's answer.

    table: `adversarial`'s, of texts of two words or more; scale: `yardsticks`'; real: `on_real_text`'s; many:
    `of_many_answers`'.
    """
    if table.empty:
        return [NOTHING]
    said = [how_different(table, linear), free(table, p), for_scale(scale)]
    if len(real):
        said.append(f"{of_real_text(real)} ({where(real)}).")
    if len(many):
        said.append(told_of_many(many))
    if (table["optimum"] > FAR).mean() >= 0.5:
        which = "with two classes" if linear else "here"
        return [*said, f"So {which} the prediction seldom determines the heatmap."]
    return [*said, "So here the prediction leaves most heatmaps little room."]


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
    return f"With two classes, {WHOLLY}" if linear else WHOLLY.capitalize()


def free(table: pd.DataFrame, p: Params) -> str:
    """How many texts have quite different attention that keeps the prediction. table: not empty."""
    is_free = table["optimum"] > FAR
    return (
        f"For {is_free.sum() or 'none'} of {counted(len(table))} ({is_free.mean():.0%}) of {of_one_run(p)} "
        f"some attention with a JSD above {FAR:g} to the model's own (0: the same; 0.69: the most different) "
        f"moves the prediction by at most {p.epsilon:g}."
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


def class_gap(evidence: Evidence, table: pd.DataFrame, classes: Sequence[str]) -> str:
    """Which predicted class has less room, and a reason: few words that speak for the prediction enough.

    Such a word's value lies beyond the text's own weighted sum, on the predicted class's side. Empty unless
    texts of two classes differ. Of a model with one logit.
    """
    means = table.groupby("predicted")["optimum"].mean().sort_values(kind="stable")
    if not by_class(classes) or len(means) != 2 or f"{means.iloc[0]:.2f}" == f"{means.iloc[1]:.2f}":
        return ""
    rows = {row.id: row for row in evidence}
    found = [beyond(rows[name], c) for name, c in zip(table["id"], table["predicted"], strict=True)]
    words = pd.DataFrame(found, columns=["share", "weight"]).groupby(table["predicted"].to_numpy()).mean()
    less, more = words.loc[means.index[0]], words.loc[means.index[1]]
    few, many = (inert(classes[c]) for c in means.index)
    said = (
        f"Texts predicted {few} have less room than texts predicted {many}: a mean JSD of "
        f"{means.iloc[0]:.2f} against {means.iloc[1]:.2f}."
    )
    if less["share"] >= more["share"]:
        return said
    weights = f"{less['weight']:.0%} against {more['weight']:.0%}"
    alike = abs(less["weight"] - more["weight"]) < 0.05
    return (
        f"{said} A possible reason: to keep the prediction, attention needs words that speak for it at least "
        f"as much as the text as a whole. Such words are {less['share']:.0%} of a text against "
        f"{more['share']:.0%}, so there are fewer to choose from. Of the model's attention they hold "
        f"{'about as much: ' if alike else ''}{weights}."
    )


def beyond(row: Row, predicted: int) -> tuple[float, float]:
    """Of the words that speak for the prediction more than the text does, the share and their attention.

    With one logit, whose high values speak for class 1.
    """
    values, attention = row.values[row.real, 0], row.attention[row.real]
    own = row.attention @ row.values[:, 0]
    speak = values > own if predicted == 1 else values < own
    return float(speak.mean()), float(attention[speak].sum())


def suffers(table: pd.DataFrame, linear: bool) -> str:
    """Whether the search falls short more where the model is unsure; empty if it is of none or of all."""
    gap, is_sure = table["optimum"] - table["found"], table["margin"] >= 0.98
    if is_sure.all() or not is_sure.any():
        return ""
    unsure, sure = gap[~is_sure].mean(), gap[is_sure].mean()
    of = "probability of the predicted class below 0.99" if linear else "lead over the next answer below 0.98"
    says = (
        f"The search stays {unsure:.2f} below the optimum on the {counted((~is_sure).sum())} of which the "
        f"model is unsure ({of}), and {sure:.2f} on the other {is_sure.sum()}."
    )
    few, many = table["optimum"][~is_sure].mean(), table["optimum"][is_sure].mean()
    if unsure > sure and abs(few - many) < ALIKE:
        most = "exact optimum" if linear else "best known JSD"
        both = " and ".join(dict.fromkeys((f"{few:.2f}", f"{many:.2f}")))
        says += (
            f" The {most} is nearly the same on both ({both}), so the search is worse there, and attention "
            "no less free. A likely reason: where the model is unsure the prediction reacts more, and fewer "
            "attentions keep it."
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


def on_real_text() -> pd.DataFrame:
    """The stored means of models with one logit, over seeds: found, optimum and ρ of both; seeds, texts.

    Lowest and highest of the seeds: optimum_low, optimum_high, rho_low, rho_high. spread: the optimum's
    standard deviation over texts. A row a corpus of two classes and an encoder, of profile `paper` and
    additive attention.
    """
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and `class` == 'overall' and "
        "measure in ('found', 'optimum', 'rho_found', 'rho_optimum')"
    )
    rows = rows[rows["corpus"].isin(_of_two_classes())]
    index = ["corpus", "encoder"]
    found = rows.pivot_table(index=index, columns="measure", values="mean")
    found = found.reindex(columns=["found", "optimum", "rho_found", "rho_optimum"])
    found["seeds"] = rows.groupby(index)["seed"].nunique()
    for name, short in (("optimum", "optimum"), ("rho_optimum", "rho")):
        own = rows[rows["measure"] == name].groupby(index)["mean"]
        found[f"{short}_low"], found[f"{short}_high"] = own.min(), own.max()
    optimum = rows[rows["measure"] == "optimum"].groupby(index)
    found["texts"], found["spread"] = optimum["n"].mean(), optimum["std"].mean()
    return found.dropna().astype({"texts": int}).reset_index()


def _of_two_classes() -> list[str]:
    """The corpora of which the registry names two classes."""
    return [name for name, entry in corpora().items() if len(entry.get("classes", ())) == 2]


def of_many_answers() -> pd.DataFrame:
    """The stored mean of the best known JSD, a row a corpus of more than two answers and an encoder.

    Profile `paper`, additive attention; without models that only guess.
    """
    rows = verdict.plain(verdict.without_guessing(verdict.committed())).query(
        "profile == 'paper' and attention == 'additive' and `class` == 'overall' and measure == 'optimum'"
    )
    rows = rows[~rows["corpus"].isin(_of_two_classes())]
    return rows.groupby(["corpus", "encoder"])["mean"].mean().rename("optimum").reset_index()


def told_of_many(many: pd.DataFrame) -> str:
    """How different attention can be there. many: `of_many_answers`', of a row at least."""
    names = ", ".join(map(inert, dict.fromkeys(many["corpus"])))
    return (
        f"On {counted(many['corpus'].nunique(), 'corpus', 'corpora')} with more answers ({names}) the mean "
        f"of the best known, a lower bound, is {many['optimum'].min():.2f} to {many['optimum'].max():.2f}."
    )


def least_of_many(many: pd.DataFrame) -> str:
    """The same, with names, for the chapter's section on real text; empty without rows."""
    if many.empty:
        return ""
    low, high = (many.loc[of(many["optimum"])] for of in (pd.Series.idxmin, pd.Series.idxmax))
    ends = [f"{r['optimum']:.2f} ({inert(r['corpus'])}, {LABELS[r['encoder']]})" for r in (low, high)]
    return (
        f"On {counted(many['corpus'].nunique(), 'corpus', 'corpora')} with more than two answers only a "
        "lower bound is known, the best attention that was found (see the first appendix). Its mean JSD is "
        f"{ends[0]} to {ends[1]}."
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
    """How far the search stays below, and where there is least room; empty without rows."""
    if real.empty:
        return ""
    gap, least = real["optimum"] - real["found"], real.loc[real["optimum"].idxmin()]
    return (
        f"The search stays {gap.min():.2f} to {gap.max():.2f} below the exact mean, depending on corpus and "
        f"encoder. There is least room on {inert(least['corpus'])} ({LABELS[least['encoder']]}): "
        f"{least['optimum']:.2f}, of at most 0.69."
    )


def scale_on_sst() -> str:
    """How far equal weights and another seed's attention are from a BiLSTM's on SST; empty unless carried."""
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm' and corpus == 'sst' and "
        "`class` == 'overall' and measure in ('uniform_jsd', 'other_jsd')"
    )
    means = rows.groupby("measure")["mean"].mean()
    if len(means) < 2:
        return ""
    return (
        f"For scale: on sst equal weights have a mean JSD of {means['uniform_jsd']:.2f} to the BiLSTM's own, "
        f"and the attention of the same model, trained with another seed, {means['other_jsd']:.2f} "
        f"({counted(rows['seed'].nunique(), 'seed')})."
    )


def real_trend(real: pd.DataFrame) -> str:
    """Whether peaked attention leaves less room on real text: a figure's finding; empty without rows."""
    if real.empty:
        return ""
    less = int((real["rho_optimum"] < 0).sum())
    weak = int(real["rho_optimum"].between(WEAK, 0, inclusive="neither").sum())
    weakly = f" (in {weak} only weakly)" if weak else ""
    return (
        f"The more peaked attention is, the less room it has in {less} of {counted(len(real), 'pair')} of a "
        f"corpus and an encoder{weakly}; yet the mean JSD is {real['optimum'].min():.2f} or more"
    )


def real_room(real: pd.DataFrame) -> str:
    """How strong that trend is, and how much room there is all the same; empty without rows."""
    if real.empty:
        return ""
    strong, weak = (real.loc[of(real["rho_optimum"])] for of in (pd.Series.idxmin, pd.Series.idxmax))
    ends = [
        f"{signed(r['rho_optimum'])} ({inert(r['corpus'])}, {LABELS[r['encoder']]})" for r in (strong, weak)
    ]
    rounded = [signed(real["rho_found"].min()), signed(real["rho_found"].max())]
    by_search = " to ".join(dict.fromkeys(rounded))
    weaker = "weaker, " if real["rho_found"].mean() > real["rho_optimum"].mean() else ""
    hardly = ", so the order is clear and the differences are tiny" if strong["spread"] < ALIKE else ""
    return (
        f"The rank correlation is {' to '.join(ends)}. It doesn't say how much room is lost: where it is "
        f"strongest the JSD is {strong['optimum']:.3f} on average, with a standard deviation of "
        f"{strong['spread']:.3f} over texts{hardly}.{less_room(real)} The paper takes the "
        f"JSD that its search finds; by that measure the correlation is {weaker}{by_search}."
    )


def less_room(real: pd.DataFrame) -> str:
    """On which corpora, and with which encoders, peaked attention does leave noticeably less room.

    There the trend is strong and the JSD differs over texts. Empty if nowhere. real: `on_real_text`'s.
    """
    own = real[_costs_room(real)]
    if own.empty:
        return ""
    named = [
        f"{inert(corpus)} ({', '.join(LABELS[name] for name in LABELS if name in {*rows['encoder']})})"
        for corpus, rows in own.groupby("corpus")
    ]
    ends = [f"{own['spread'].min():.2f}", f"{own['spread'].max():.2f}"]
    return (
        f" On {listed(named)} the differences aren't tiny: there the correlation is "
        f"{signed(STRONG, '.1f')} or stronger and the standard deviation "
        f"{' to '.join(dict.fromkeys(ends))}, so peaks go with less room. How much less at which weight "
        "isn't stored."
    )


def _costs_room(real: pd.DataFrame) -> pd.Series:
    """Whether the trend is strong and the JSD differs over texts, by row. real: `on_real_text`'s."""
    return (real["rho_optimum"] <= STRONG) & (real["spread"] >= SPREAD)


def answer(
    table: pd.DataFrame,
    scale: dict[str, float],
    real: pd.DataFrame,
    many: pd.DataFrame,
    p: Params,
    linear: bool,
) -> list[str]:
    """The chapter's question, answered for this run and for real text: arguments as of `in_short`."""
    if table.empty:
        return [NOTHING]
    said = [
        f"{how_different(table, linear)} On {of_one_run(p)} attention can be "
        f"{table['optimum'].mean():.2f} away on average (JSD, of at most 0.69; "
        f"{'exact' if linear else 'as far as is known'}), while the prediction "
        f"moves by at most {p.epsilon:g}. A shuffle is {scale['shuffled']:.2f} away."
    ]
    if len(real):
        said.append(f"{of_real_text(real)}.")
        costly = int(_costs_room(real).sum())
        noticeably = (
            f" In {costly} of the pairs the trend is strong and texts differ noticeably in their room."
            if costly
            else ""
        )
        said.append(f"{real_trend(real)}.{noticeably}")
    if len(many):
        said.append(told_of_many(many))
    return said


def settings(p: Params) -> str:
    """With what the paper's search is run."""
    each = ", for each adversary instead of divided by k" if p.penalty_each else ""
    return (
        f"Here ε = {p.epsilon:g}, k = {p.adversaries} adversaries, λ = {p.penalty:g}{each}, and "
        f"{p.search_steps} steps."
    )
