"""Chapter 04: how different attention can be and say the same, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.measures.exact import Vertex
from heed.params import Params
from heed.registry import corpora
from heed.show.annex import able
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, number, of_one_run, quoted
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.6  # a JSD from which on attention is almost as different as can be; ln 2 = 0.69 is the end
NOTHING = "No text here has two words or more, so there is no other attention to look for."
ALIKE = 0.01  # nats: two means that differ by less are nearly the same
WHOLLY, NOT_WHOLLY = "nearly as different as possible.", "Not as different as possible."
SURE = {"less than 0.75": 0.25, "0.75 to 0.9": 0.4, "0.9 to 0.99": 0.49, "0.99 or more": 0.5}


def in_short(
    table: pd.DataFrame, real: pd.DataFrame, many: pd.DataFrame, p: Params, linear: bool
) -> list[str]:
    """The chapter's answer.

    table: `adversarial`'s, of texts of two words or more; real: `on_real_text`'s; many: `of_many_answers`'.
    """
    if table.empty:
        return [NOTHING]
    said = [how_different(table, linear), free(table, p)]
    if len(real):
        said.append(f"{of_real_text(real)} ({where(real)}).")
    if len(many):
        said.append(told_of_many(many))
    if (table["optimum"] > FAR).mean() >= 0.5:
        return [*said, "So the prediction seldom determines the heatmap."]
    return [*said, "So here the prediction leaves most heatmaps little room."]


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


def searched(table: pd.DataFrame, linear: bool, corpus: str) -> str:
    """How far the paper's search gets, and how far one can get: a figure's finding. table: of one text at
    least.
    """
    most = "is attainable" if linear else "is known to be attainable"
    return (
        f"On {text_for(corpus, 'figure')} the paper's search finds a mean JSD of "
        f"{table['found'].mean():.2f}, where {table['optimum'].mean():.2f} {most}"
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
    values = means[0.0] / max(means.max(), 1e-12)
    if means.max() == 0:
        return "Attention is free at no ε."
    whose = (
        "most of the freedom comes from the words' values, not from the sigmoid"
        if values >= 0.8
        else "the freedom comes partly from the sigmoid"
    )
    return f"At ε = 0 the mean JSD is {values:.0%} of what it is at ε = {means.idxmax():g}: {whose}."


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
            " Where the model is unsure the prediction reacts more, so fewer attentions keep it, and the "
            f"search ends further from the most different one. The {most} is nearly the same ({both})."
        )
    return says


def by_sureness(table: pd.DataFrame, linear: bool) -> pd.DataFrame:
    """Search and optimum by how sure the model is of a text; rows that have texts."""
    edges = [-0.001, *SURE.values()]
    names = [*SURE] if linear else ["less than 0.5", "0.5 to 0.8", "0.8 to 0.98", "0.98 or more"]
    parts = table.groupby(pd.cut(table["margin"] / 2, edges, labels=names), observed=True)
    found = parts[["found", "optimum"]].mean()
    found.columns = ["mean JSD by search", "exact" if linear else "best known"]
    found.insert(0, "texts", parts.size())
    of = "probability of the predicted class" if linear else "lead over the next answer"
    return found.rename_axis(of).reset_index()


def resists(table: pd.DataFrame, kind: str, p: Params) -> tuple[str, float]:
    """Whether peaked attention leaves less room, the figure's finding; and Spearman's ρ.

    kind: what the optimum is, exact or best known.
    """
    rho, low, high = stats.spearman(table["max_attention"], table["optimum"], 200, p.seed)
    if np.isnan(rho):
        return "No trend can be told: there are fewer than three texts, or all are alike", rho
    of = f"ρ of highest weight and {kind} JSD is {minus(f'{rho:.2f}')}"
    if np.isnan([low, high]).any():
        return f"{of}, without an interval: some resamples of the texts are all alike", rho
    says = "No clear trend in this run"
    if low > 0:
        says = "Peaked attention leaves more room in this run"
    elif high < 0:
        says = "Peaked attention leaves less room in this run"
    return f"{says}: {of} ({minus(f'{low:.2f} to {high:.2f}')})", rho


def minus(number: str) -> str:
    """A number with a minus for its hyphen."""
    return number.replace("-", "−")


def on_real_text() -> pd.DataFrame:
    """The stored means of models with one logit, over seeds: found, optimum and ρ of both; seeds, texts.

    Lowest and highest of the seeds: optimum_low, optimum_high, rho_low, rho_high. A row a corpus of two
    classes and an encoder, of profile `paper` and additive attention.
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
    found["texts"] = rows[rows["measure"] == "optimum"].groupby(index)["n"].mean()
    return found.dropna().astype({"texts": int}).reset_index()


def _of_two_classes() -> list[str]:
    """The corpora of which the registry names two classes."""
    return [name for name, entry in corpora().items() if len(entry.get("classes", ())) == 2]


def of_many_answers() -> pd.DataFrame:
    """The stored mean of the best known JSD, a row a corpus of more than two answers and an encoder.

    Profile `paper`, additive attention; without models that only guess.
    """
    rows = verdict.plain(able(verdict.committed())).query(
        "profile == 'paper' and attention == 'additive' and `class` == 'overall' and measure == 'optimum'"
    )
    rows = rows[~rows["corpus"].isin(_of_two_classes())]
    return rows.groupby(["corpus", "encoder"])["mean"].mean().rename("optimum").reset_index()


def told_of_many(many: pd.DataFrame) -> str:
    """How different attention can be there. many: `of_many_answers`', of a row at least."""
    return (
        f"On {counted(many['corpus'].nunique(), 'corpus', 'corpora')} with more answers the best known is "
        f"{many['optimum'].min():.2f} to {many['optimum'].max():.2f}."
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


def real_trend(real: pd.DataFrame) -> str:
    """Whether peaked attention leaves less room on real text: a figure's finding; empty without rows."""
    if real.empty:
        return ""
    less = int((real["rho_optimum"] < 0).sum())
    says = "Peaked attention leaves less room on real text" if less == len(real) else "The trend on real text"
    return f"{says}: ρ is negative for {less} of {counted(len(real), 'pair')} of a corpus and an encoder"


def real_room(real: pd.DataFrame) -> str:
    """How strong that trend is, and how much room there is all the same; empty without rows."""
    if real.empty:
        return ""
    strong, weak = (real.loc[of(real["rho_optimum"])] for of in (pd.Series.idxmin, pd.Series.idxmax))
    ends = [
        f"{minus(number(r['rho_optimum']))} ({r['corpus']}, {LABELS[r['encoder']]})" for r in (strong, weak)
    ]
    rounded = [f"{real['rho_found'].min():z.2f}", f"{real['rho_found'].max():z.2f}"]
    by_search = minus(" to ".join(dict.fromkeys(rounded)))
    weaker = "weaker, " if real["rho_found"].mean() > real["rho_optimum"].mean() else ""
    return (
        f"Spearman's ρ is {ends[0]} to {ends[1]}. Yet even where the trend is strongest, the mean JSD that "
        f"is attainable is {strong['optimum']:.2f}. The paper takes the JSD that its search finds; by that "
        f"measure ρ is {weaker}{by_search}."
    )


def answer(table: pd.DataFrame, p: Params, linear: bool) -> list[str]:
    """The chapter's question, answered for this run."""
    if table.empty:
        return [NOTHING]
    return [
        f"{how_different(table, linear)} On {of_one_run(p)} attention can be "
        f"{table['optimum'].mean():.2f} nats away on average, of at most 0.69 "
        f"({'exact' if linear else 'as far as is known'}), while the prediction "
        f"moves by at most {p.epsilon:g}."
    ]


def settings(p: Params) -> str:
    """With what the paper's search is run."""
    each = ", for each adversary instead of divided by k" if p.penalty_each else ""
    return (
        f"Here ε = {p.epsilon:g}, k = {p.adversaries} adversaries, λ = {p.penalty:g}{each}, and "
        f"{p.search_steps} steps."
    )
