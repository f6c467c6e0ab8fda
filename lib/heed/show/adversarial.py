"""Chapter 04: how different attention can be and say the same, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.measures.exact import Vertex, slab
from heed.measures.permutation import draws
from heed.params import Params, resolve
from heed.registry import corpora
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted, signed
from heed.show.style import LABELS
from heed.show.words import text_for
from heed.verdict import paper_tests

FAR = 0.6  # a JSD from which on attention is almost as different as can be; ln 2 = 0.69 is the end
TEST_TWO = next(test for test in paper_tests.TESTS if test.of == "optimum")
BORDER = TEST_TWO.border  # a JSD above it is more than the first page's test 2 allows
NOTHING = "No text here has two words or more, so there is no other attention to look for."
ALIKE = 0.01  # nats: two means that differ by less are nearly the same
WHOLLY, NOT_WHOLLY = "**Nearly as different as possible**", "Not as different as possible."
ONE_LOGIT = " in models with one [logit](glossary.md#logit), so of two classes"
SHUFFLES = 20  # of each text's attention, for a yardstick
SCALES = {"uniform_jsd": "equal", "other_jsd": "other_seed"}  # stored JSDs of other attentions


def in_short(
    table: pd.DataFrame,
    scale: dict[str, float],
    real: pd.DataFrame,
    many: pd.DataFrame,
    named: str,
    linear: bool,
) -> list[str]:
    """The chapter's answer.

    table: `adversarial`'s, of texts of two words or more; scale: `yardsticks`'; real: `on_real_text`'s; many:
    `of_many_answers`'; named: the run's model, as `sentences.model_named` has it.
    """
    if table.empty:
        return [NOTHING]
    said = [how_different(table, linear)]
    if len(real):
        said.append(f"{of_real_text(real)}. {test_two(real)}")
    said.append(f"{free(table, named, linear)} {for_scale(scale)}")
    if told := told_of_many(many):
        said.append(told)
    if (table["optimum"] > BORDER).mean() < 0.5:
        return [*said, "So here the prediction leaves most heatmaps little room."]
    which = "in these models with one logit" if linear else "here"
    return [
        *said,
        f"So {which} most predictions leave room for very different attention. But each of these attentions "
        "is chosen for its text alone: no one model has to produce them all.",
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
    """What other attention has for a JSD. scale: `yardsticks`', not empty."""
    return f"For scale: the model's own weights, shuffled, are {scale['shuffled']:.2f} away on average."


def how_different(table: pd.DataFrame, linear: bool) -> str:
    """The answer in a few words. table: not empty; linear: of one logit, so of two classes."""
    if table["optimum"].mean() <= FAR:
        return NOT_WHOLLY
    return f"{WHOLLY}{ONE_LOGIT if linear else ''}."


def free(table: pd.DataFrame, named: str, linear: bool) -> str:
    """How many texts have quite different attention that keeps the prediction. table: not empty."""
    above, of = int((table["optimum"] > BORDER).sum()), len(table)
    which = "some" if linear else "some known"
    if of == 1:
        texts, which = "the one text", which if above else "no known"
    else:
        texts = f"all {of} texts" if above == of else f"{above or 'none'} of the {of} texts"
    return f"For {texts} of {named} {which} attention more than {BORDER:g} away keeps the prediction."


def shares_say(table: pd.DataFrame, linear: bool, corpus: str) -> str:
    """How many texts' attention is quite free: a figure's finding. table: of one text at least."""
    allow = "allow" if linear else "are known to allow"
    above = int((table["optimum"] > BORDER).sum())
    return (
        f"On {text_for(corpus, 'figure')} {above or 'none'} of {counted(len(table))} {allow} attention more "
        f"than {BORDER:g} away"
    )


def as_claimed(table: pd.DataFrame) -> str:
    """What the paper's search finds in this run, beside the paper's claim. table: of one text at least."""
    found = table["found"] > BORDER
    missed = int(((table["optimum"] > BORDER) & ~found).sum())
    if len(table) == 1:
        return ""
    how = "Here, too, the search finds" if found.mean() > 0.5 else "Here the search doesn't find"
    miss = f"; at this border it misses what there is for {counted(missed)}" if missed else ""
    return f"{how} attention more than {BORDER:g} away for most of the {len(table)} texts{miss}."


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
    return f"All weight on {on} (JSD {vertex.jsd:.2f}): P goes from {row.prediction[c]:.3f} to {probs[c]:.3f}"


def mixture(row: Row, vertex: Vertex) -> str:
    """On which words the two attentions lie, and what weighted sums of values they give.

    With as many digits, from 2 to 5, as the numbers need to come out.
    """
    first, second = np.argsort(row.attention, kind="stable")[::-1][:2]
    other, values = vertex.attention(len(row.attention)), row.values[:, 0]
    used, total = np.flatnonzero(other), float(other @ values)
    for digits in range(2, 6):
        rounded = sum(round(float(other[i]), digits) * round(float(values[i]), digits) for i in used)
        if f"{rounded:.2f}" == f"{total:.2f}":
            break
    parts = [f"{other[i]:.{digits}f} × {_in_sum(values[i], digits)}" for i in used]
    return (
        f"The most different attention lies on {listed([_placed(row, i) for i in used])}: "
        f"{' + '.join(parts)} ≈ {signed(total)}. The model's own weights, highest on "
        f"{_placed(row, first)} and {_placed(row, second)}, give {signed(row.attention @ values)} "
        f"(the dashed line in the values). To either sum the model adds its constant, {signed(row.shift[0])}."
    )


def _in_sum(value: float, digits: int) -> str:
    """A factor, in brackets if it is negative."""
    said = signed(value, f"z.{digits}f")
    return f"({said})" if said.startswith("−") else said


def _placed(row: Row, i: int) -> str:
    """A word of a text in quotes, with its place, from 1 on, if the text has it more than once."""
    name = f"“{tokens([row.units[i]])}”"
    return f"{name} (word {i + 1})" if [*row.units].count(row.units[i]) > 1 else name


def hardest(evidence: Evidence, table: pd.DataFrame) -> Row | None:
    """The text with the least room; None if all have more than test 2 allows, or if there is only one.

    table: `adversarial`'s, of a text at least.
    """
    least = table.loc[table["optimum"].idxmin()]
    if least["optimum"] > BORDER or len(table) == 1:
        return None
    return next(row for row in evidence if row.id == least["id"])


def of_hardest(row: Row, table: pd.DataFrame, epsilon: float) -> str:
    """How far the hardest text's attention can be, and which words it can't do without.

    Of a model with one logit. row: `hardest`'s of this table.
    """
    furthest = table.set_index("id")["optimum"][row.id]
    within = int((table["optimum"] <= BORDER).sum())
    whose = "only this one stays" if within == 1 else f"{within} like it stay"
    said = (
        f"In this text the furthest attention is only {furthest:.2f} away: of {counted(len(table))} {whose} "
        f"within test 2's {BORDER:g}."
    )
    least = must_stay(row, epsilon)
    if least == 0:
        return said
    enough = np.flatnonzero(strong := strong_enough(row, epsilon))
    which = listed([_placed(row, i) for i in enough])
    if len(enough) > 3:
        which = f"{len(enough)} of its {row.real.sum()} words"
    has, these = ("has a value", "it") if len(enough) == 1 else ("have values", "these")
    up = 1 if row.prediction.argmax() == 1 else -1
    values, needed = row.values[:, 0], _bound(row, epsilon)
    best, next_best = (up * (up * own).max() for own in (values[enough], values[~strong]))
    return (
        f"{said} The model's own sum is {signed(row.attention @ values)} (dashed); with ε = {epsilon:g}, "
        f"{signed(needed)} is enough. Only {which} {has} so {'high' if up > 0 else 'low'}. So at least "
        f"{least:.0%} of the weight must stay on {these}: {least:.3f} × {_in_sum(best, 3)} + "
        f"{1 - least:.3f} × {_in_sum(next_best, 3)} ≈ {signed(needed)} (the rest on the word with the next "
        f"value). The model itself puts {row.attention[enough].sum():.0%} there."
    )


def hardest_says(row: Row, epsilon: float) -> str:
    """How much weight can't move: a figure's finding."""
    least, words = must_stay(row, epsilon), int(strong_enough(row, epsilon).sum())
    if least == 0:
        return "The text whose attention has the least room"
    return f"In the hardest text at least {least:.0%} of the weight must stay on {counted(words, 'word')}"


def must_stay(row: Row, epsilon: float) -> float:
    """The least weight that attention must have on `strong_enough` words to keep the prediction.

    The rest is on the next best word then. 0 if no weight must be there, as all words are so strong.
    """
    enough, up = strong_enough(row, epsilon), 1 if row.prediction.argmax() == 1 else -1
    if enough.all() or not enough.any():
        return 0.0
    values = up * row.values[:, 0]
    needed = up * _bound(row, epsilon)
    best, next_best = values[enough].max(), values[~enough].max()
    return float(np.clip((needed - next_best) / (best - next_best), 0, 1)) if best > next_best else 0.0


def strong_enough(row: Row, epsilon: float) -> np.ndarray:
    """Which words' values alone are as far as the prediction's bound on its own side, (T,).

    Attention that keeps the prediction has weight on one of them at least. Of a model with one logit, whose
    high values speak for class 1.
    """
    values, bound = row.values[:, 0], _bound(row, epsilon)
    return row.real & ((values >= bound) if row.prediction.argmax() == 1 else (values <= bound))


def _bound(row: Row, epsilon: float) -> float:
    """The weighted sum that is nearest to the other class and keeps the prediction."""
    low, high = slab(row.attention @ row.values[:, 0] + row.shift[0], epsilon) - row.shift[0]
    return float(low if row.prediction.argmax() == 1 else high)


def below(table: pd.DataFrame, linear: bool) -> str:
    """How far the search stays below what is known, and where it is less sure. table: of one text at least.

    Raises AssertionError where it is above what can be.
    """
    assert (table["found"] <= table["bound"] + 1e-6).all()
    gap, is_sure = table["optimum"] - table["found"], table["margin"] >= 0.98
    of = "exact optimum" if linear else "best known"
    said = f"In this run the search stays {gap.mean():.2f} below the {of} on average"
    if is_sure.all() or not is_sure.any():
        return f"{said}."
    sureness = "probability below 0.99" if linear else "lead over the next answer below 0.98"
    return (
        f"{said}: {gap[~is_sure].mean():.2f} where the model is less sure ({sureness}), "
        f"{gap[is_sure].mean():.2f} elsewhere."
    )


def below_on_real_text(real: pd.DataFrame) -> str:
    """The same of the stored runs; empty without rows. real: `on_real_text`'s."""
    if real.empty:
        return ""
    return (
        f"On real text with two classes it stays {_ends(real['optimum'] - real['found'])} below, by corpus "
        "and encoder."
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


def proved(table: pd.DataFrame, row: Row) -> list[str]:
    """What the two bounds say where there is more than one logit. row: a text of the table."""
    own = table[table["id"] == row.id].iloc[0]
    meet = "They meet, so it is the optimum." if own["proved"] else "The optimum lies between them."
    return [
        f"For the text above the best known JSD is {own['optimum']:.3f}, the upper bound {own['bound']:.3f}.",
        meet,
        f"Over all texts the mean upper bound is {table['bound'].mean():.2f}, and the optimum is proved for "
        f"{table['proved'].mean():.0%} of the texts.",
    ]


def sigmoid(curve: pd.DataFrame, epsilon: float) -> list[str]:
    """How far attention can be at ε = 0, and whether the freedom lies in the values or in the sigmoid.

    curve: not empty; epsilon: this run's.
    """
    means = curve.groupby("epsilon")["optimum_at"].mean()
    if means.max() == 0:
        return ["Attention is free at no ε."]
    own = f"With any ε tried it is {means.max():.2f} at most."
    if epsilon in means:
        own = f"With ε = {epsilon:g}, as above, it is {means[epsilon]:.2f}"
        more = round(means.max(), 2) - round(means[epsilon], 2)
        own += f"; a larger one adds {more:.2f} at most." if more > 0 else "."
    said = f"Even so attention can be {means[0.0]:.2f} away on average. {own}"
    if means[0.0] >= 0.8 * means.max():
        return [
            said,
            "So in this model most of the freedom of *chosen* attention comes from the words' values, not "
            "from the sigmoid.",
        ]
    return [said, "So here the freedom comes partly from the sigmoid."]


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
    return said, rho


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

    A row a corpus of more than two answers and an encoder: optimum, bound, proved, epsilon, errs (whether it
    is wrong more often than right). Profile `paper`, additive attention; without models that only guess.
    """
    measures = ["optimum", "bound", "proved", "accuracy"]
    rows = _stored(measures, guessing=False)
    rows = rows[~has_two_classes(rows["corpus"])]
    many = rows.pivot_table(index=["corpus", "encoder"], columns="measure", values="mean")
    many = many.reindex(columns=measures).dropna(subset="optimum").reset_index()
    used = {name: epsilon_of(name, "paper") for name in many["corpus"].unique()}
    errs = many.pop("accuracy") < 0.5
    return many.assign(epsilon=many["corpus"].map(used), errs=errs)


def epsilon_of(corpus: str, profile: str) -> float:
    """By how much the prediction may move on a corpus, a part of it or the whole; NaN if it isn't known."""
    name = corpus.removesuffix(" (part)")
    return resolve({"corpus": name, "profile": profile}).epsilon if name in corpora() else np.nan


def _ends(values: pd.Series, form: str = ".2f") -> str:
    """`0.10 to 0.20`; of one number, or of two that read alike, that alone."""
    return " to ".join(dict.fromkeys(f"{end:{form}}" for end in (values.min(), values.max())))


def told_of_many(many: pd.DataFrame) -> str:
    """How different attention can be there, where the model is mostly right; empty without such rows.

    many: `of_many_answers`'.
    """
    able = many[~many["errs"].astype(bool)]
    if able.empty:
        return ""
    used = able["epsilon"].dropna()
    by = f" (the prediction moves by {_ends(used, 'g')} at most)" if len(used) else ""
    return (
        "With more than two answers the optimum isn't known. The furthest attention found is "
        f"{_ends(able['optimum'])} away on average{by}, in models that are right for most texts."
    )


def ends_of_many(many: pd.DataFrame) -> str:
    """In which of these models the furthest attention found is nearest and furthest; empty without any."""
    able = many[~many["errs"].astype(bool)]
    if able.empty:
        return ""
    rows = [able.loc[able["optimum"].idxmin()], able.loc[able["optimum"].idxmax()]]
    ends = [f"{row['optimum']:.2f} ({_called(row['corpus'])}, {LABELS[row['encoder']]})" for row in rows]
    used = able["epsilon"].dropna()
    by = f", and the prediction may move by {_ends(used, 'g')} there" if len(used) else ""
    less = (
        " In some models that are wrong for most it is less."
        if many["optimum"].min() < able["optimum"].min()
        else ""
    )
    return (
        f"With more than two answers the optimum isn't known{by}. The furthest attention found is "
        f"{' to '.join(dict.fromkeys(ends))} away on average, in models that are right for most texts.{less} "
        "([More than one logit](#appendix-more-than-one-logit).)"
    )


def least_of_many(many: pd.DataFrame) -> str:
    """By how much the prediction may move there, and how often the bounds meet; empty without rows."""
    if many.empty:
        return ""
    known, met = many.dropna(subset=["bound", "proved"]), ""
    if len(known):
        shares = _ends(known["proved"], ".0%")
        met = f" The two bounds meet for {shares} of the texts, by corpus and encoder."
    return f"In the stored runs on corpora of more than two answers ε is {_ends(many['epsilon'], 'g')}.{met}"


def of_real_text(real: pd.DataFrame) -> str:
    """The finding of the figure on real text. real: `on_real_text`'s, of one row at least."""
    return f"On real text attention can be {_ends(real['optimum'])} away on average"


def test_two(real: pd.DataFrame) -> str:
    """How attention fares in the first page's test 2, by its mean over texts. real: `on_real_text`'s, a row
    at least.
    """
    far, of = int((real["optimum"] > BORDER).sum()), len(real)
    pairs = f"all {of} pairs" if far == of > 1 else f"{far or 'none'} of {counted(of, 'pair')}"
    return (
        f"The first page's test 2 allows {BORDER:g}: by the mean, attention fails it in {pairs} of corpus "
        "and encoder."
    )


def implied(real: pd.DataFrame) -> str:
    """Of how many texts there is more room than test 2 allows, as the lowest mean implies: no shares are
    stored; empty where that says nothing.
    """
    above = int(100 * at_least(real["optimum"].min(), BORDER)) if len(real) else 0  # down: at least
    if not above:
        return ""
    low = real.loc[real["optimum"].idxmin()]
    return (
        f"The mean is lowest for {_called(low['corpus'])} ({LABELS[low['encoder']]}). There, too, at least "
        f"{above}% of the texts must be above test 2's {BORDER:g} (the least share that gives such a mean, "
        "as no JSD is above ln 2)."
    )


def of_another_seed(real: pd.DataFrame) -> str:
    """How near the same model's attention is when trained with another seed; empty where it isn't stored."""
    own = real.dropna(subset="other_seed")
    own = own[own["encoder"] == "bilstm"]
    if own.empty:
        return ""
    return (
        f"On {listed([*map(_called, own['corpus'])])} the BiLSTM was also trained with another seed. That "
        f"one's attention is only {listed([f'{jsd:.2f}' for jsd in own['other_seed']])} away: training again "
        "doesn't bring attention near the furthest. Can a model be trained to go there? Chapter 07 tries."
    )


def many_in_short(many: pd.DataFrame) -> pd.DataFrame:
    """`of_many_answers` as a table: a row a corpus, for each encoder what is found and its upper bound.

    A star is at models that are wrong more often than right.
    """
    cells = many.assign(
        cell=[
            f"{row['optimum']:.2f}{'*' * bool(row['errs'])}"
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
    pairs = f"all {of} pairs" if less == of > 1 else f"{less or 'none'} of {counted(of, 'pair')}"
    return f"More peaked attention goes with less room in {pairs} of corpus and encoder"


def real_room(real: pd.DataFrame) -> str:
    """What that trend doesn't say; empty without rows."""
    if real.empty:
        return ""
    strong = real.loc[real["rho_optimum"].idxmin()]
    tiny = (
        f" Where it is strongest ({_called(strong['corpus'])}, {LABELS[strong['encoder']]}), the JSD is "
        "nearly the same for all texts."
        if strong["spread"] < ALIKE
        else ""
    )
    return f"A rank correlation doesn't say how much room is lost, and the runs don't store it.{tiny}"


def answer(table: pd.DataFrame, real: pd.DataFrame, p: Params, named: str, linear: bool) -> list[str]:
    """The chapter's question, answered for this run and for stored ones: arguments as of `in_short`."""
    if table.empty:
        return [NOTHING]
    how = "" if linear else ", as far as is known"
    there = ""
    if len(real):
        used = pd.Series([epsilon_of(name, "paper") for name in real["corpus"]]).dropna()
        by = f" (by at most {_ends(used, 'g')})" if (used != p.epsilon).any() else ""
        there = f", on real text with two classes{by} {real['optimum'].min():.2f} or more"
    mean = table["optimum"].mean()
    said = (
        f"While the prediction moves by at most {p.epsilon:g}, attention can on average be {mean:.2f} away "
        f"on {named}{how}{there}."
    )
    if mean <= FAR:
        return [said]
    return [said, "So for most texts the prediction alone doesn't rule out a nearly disjoint heatmap."]


def settings(p: Params) -> str:
    """With what the paper's search is run."""
    each = ", for each adversary instead of divided by k" if p.penalty_each else ""
    return (
        f"Here ε = {p.epsilon:g}, k = {p.adversaries} adversaries, λ = {p.penalty:g}{each}, and "
        f"{p.search_steps} steps."
    )
