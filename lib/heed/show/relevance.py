"""Chapter 08: what relevance and its agreement with attention come to, in sentences and tables."""

import numpy as np
import pandas as pd
from scipy.special import expit, softmax
from scipy.stats import t as student

from heed import verdict
from heed.corpora.planted import NEGATORS
from heed.experiments import not_not, relevance
from heed.measures import relevance as measures
from heed.measures import stats
from heed.measures.kendall import kendall
from heed.params import Params, resolve
from heed.runs.run import Run
from heed.show.figures.common import percent
from heed.show.figures.relevance import IN_EVERY, VECTORS
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, model_named, quoted, signed
from heed.show.start import kinds
from heed.show.style import LABELS
from heed.show.words import text_for

NOTHING = "No text here has two words or more, so no ranking can differ from another."
NEAR = 0.05  # above chance: less is said to be near it; of two distances: less is no difference
FEW = 3  # other seeds whose steps are named one by one
MOSTLY = 0.5  # a share of texts from which on it is said
UNLEARNT = 0.05  # of the accuracy lost: from here on it is said
POINTS = {"relevance_agrees": "relevance: A", "attention_agrees": "attention: A"}
DRAWN = ("top_uniform", "top_own")  # on real text
WITH_LIMITS = (*DRAWN, "top_other", "top_proxy", "half_relevance_agrees", "half_attention_agrees")
HALVES = ("half_relevance_agrees", "half_attention_agrees")
BY = ["corpus", "profile", "encoder", "attention"]
# What rankings are called in `tops`.
UNIFORM, BAG, RANDOM = "r′ (uniform training)", "bag of words", "a random word"
# A row of the figures that count how often a ranking's top word is one of those looked for.
HITS = ["label", "mean", "low", "high"]
WITH_ATTENTION = {
    "top_uniform": "r′: uniform training's relevance",
    "top_other": "r of another seed",
}
OWN = "the model's own r (learnt together)"
# What predicts attention beside r′, as sentences call it.
OTHER_SEED, A_BAG = "another seed's relevance", "a bag of words"
NO_CONTEXT = ", which sees each word alone"  # what a bag of words is
THEIRS = ("imdb", "snell", "bilstm", "additive")  # the authors' own model, as BY


# By hand


TWO_TEXTS = {"this movie is great": 1, "this movie is bad": -1}  # and their labels
ROUNDS, LONGER = 20, 100  # of learning from both: as drawn, and so many that attention hardly moves any more


def two_texts(last: int = ROUNDS) -> pd.DataFrame:
    """The relevance and the attention of the first text's words while both texts are learnt, by round.

    Gradient descent of rate 1 on the sum over both of -log σ(y z), on the values v of the words and on their
    attention scores; last: the last round. Raises AssertionError where a word of both texts differs from
    another.
    """
    words = [*dict.fromkeys(" ".join(TWO_TEXTS).split())]
    v, scores, found = np.zeros(len(words)), np.zeros(len(words)), []
    at = {text: [words.index(word) for word in text.split()] for text in TWO_TEXTS}
    first = next(iter(TWO_TEXTS))
    for n in range(last + 1):
        a = softmax(scores[at[first]])
        found += zip([n] * len(a), first.split(), v[at[first]], a, strict=True)
        to_v, to_scores = np.zeros(len(words)), np.zeros(len(words))
        for text, y in TWO_TEXTS.items():
            own = at[text]
            a, values = softmax(scores[own]), v[own]
            push = y * expit(-y * (a @ values)) * a
            to_v[own] += push
            to_scores[own] += push * (values - a @ values)
        v, scores = v + to_v, scores + to_scores
    assert np.ptp(v[:3]) == np.ptp(scores[:3]) == 0
    return pd.DataFrame(found, columns=["round", "word", "relevance", "attention"])


def first_moves(rounds: pd.DataFrame) -> dict[str, int]:
    """The round in which “great” first moves, in relevance and in attention. It doesn't depend on the last.

    rounds: `two_texts`'s.
    """
    great = rounds[rounds["word"] == "great"].set_index("round")
    return {
        name: int((~np.isclose(great[name], great[name].iloc[0])).argmax())
        for name in ("relevance", "attention")
    }


def half_rounds(last: int) -> dict[str, int]:
    """The round at which “great” has made half its rise until the last, in relevance and in attention."""
    rounds = two_texts(last)
    great = rounds[rounds["word"] == "great"].rename(columns={"word": "model", "round": "step"})
    return {name: int(relevance.halfway(great, name).iloc[0]) for name in ("relevance", "attention")}


def by_hand(rounds: pd.DataFrame) -> str:
    """When either begins to move: the figure's finding. rounds: `two_texts`'s."""
    moves = first_moves(rounds)
    return (
        f"“great” gains relevance from round {moves['relevance']} on, attention only from round "
        f"{moves['attention']} on"
    )


def lead_by_hand(rounds: pd.DataFrame) -> str:
    """Whether halfway tells in the two texts which moves first, and how large a lead they let expect.

    rounds: `two_texts`'s.
    """
    moves, top = first_moves(rounds), {}
    for name in moves:
        wide = rounds.pivot(index="round", columns="word", values=name)
        more = wide["great"] - wide.drop(columns="great").max(axis=1)
        top[name] = int((more > 1e-9).idxmax())  # no rounding makes a top word
    lead, counted_so = (of["attention"] - of["relevance"] for of in (moves, top))
    also = f" (counted as here, by top words, by {counted_so})" if counted_so != lead else ""
    said = f"In the two texts above relevance leads by {counted(lead, 'round')}{also}."
    small = "even where the theory holds, the lead may be too small to be seen."
    short, long = half_rounds(ROUNDS), half_rounds(LONGER)
    if (short["relevance"] < short["attention"]) == (long["relevance"] < long["attention"]):
        return f"{said} So {small}"
    ends = []
    for n, half in ((ROUNDS, short), (LONGER, long)):
        earlier, later = sorted(half, key=half.get)
        ends.append(
            f"if one stops after {n} rounds, {earlier} is halfway first (round {half[earlier]}, {later} "
            f"{half[later]})"
        )
    return (
        f"**Halfway is no sure measure,** because it depends on when one stops. {said} Yet {ends[0]}, and "
        f"{ends[1]}, because relevance goes on growing. A share can't grow on like that, but its highest, "
        f"too, is only that of the steps watched. Besides, {small}"
    )


EVEN, BAD = "even start, p unbounded", "bad start, p a sigmoid"  # the flow's panels


def flows() -> dict[str, tuple]:
    """Two texts under gradient flow, from an even start and from a bad one: `figures.flow`'s panels.

    Raises AssertionError if the flow isn't its closed form.
    """
    times, longer, start = np.linspace(0, 0.93, 94), np.linspace(0, 6, 94), (0, 0, 0.5)
    found, exact = measures.flow(times, start), measures.closed(times, start)
    assert np.allclose(found, exact, atol=1e-8)
    bad = measures.flow(longer, (1, -1, 0.5), bounded=True)
    return {EVEN: (times, found, exact), BAD: (longer, bad, None)}


def turns(panels: dict[str, tuple]) -> str:
    """When attention moves to what is relevant: the figure's finding. panels: `flows`'s."""
    times, found, _ = panels[BAD]
    back = times[np.argmax(np.diff(found[2]) > 0)]
    return (
        f"Attention follows relevance from an even start, from a bad one only after s\u00a0=\u00a0{back:.2f}"
    )


# One text


def shown(uniform) -> int:
    """The text to be shown: the shortest of two units or more, one whose words aren't all `alike` if there is
    one. uniform: all rows after uniform training."""

    def last(i: int) -> tuple:
        n = uniform.lengths[i]
        return n < 2, n > 1 and alike(uniform[i]), n

    return min(range(len(uniform.lengths)), key=last)


def the_text(run: Run, row) -> str:
    """Which text of which run is shown, and its gold label."""
    label = inert(run.corpus.classes[row.label])
    return f"An example from {model_named(run)}: the gold label of {quoted(row.units)} is *{label}*."


def both_predict(run: Run, uniform) -> str:
    """How well this run and the uniformly trained model predict. uniform: all rows of the latter."""
    return (
        f"On {inert(run.params.corpus)} uniform training predicts {right(uniform):.0%} of the texts right, "
        f"this run's model {right(run.evidence):.0%}."
    )


def sums_up(row) -> str:
    """That attention times relevance is the logit, of a text with one linear logit; else nothing.

    Raises AssertionError if it isn't.
    """
    if len(row.prediction) != 2 or not row.head.one_logit:
        return ""
    odds = np.log(row.prediction[row.label] / row.prediction[1 - row.label])
    total = row.attention @ measures.relevance(row)
    assert np.isclose(total, odds)
    return (
        f"Over its words the sum of attention times relevance is {signed(total)}: the log-odds of the gold "
        "label, as it should be."
    )


def three_tops(row, flat) -> str:
    """Which word each ranking of one text puts first: the finding of its figure. flat: its row after uniform
    training."""
    rankings = {
        "attention": row.attention,
        "relevance": measures.relevance(row),
        "uniform training (r′)": measures.relevance(flat),
    }
    at = [int(ranking.argmax()) for ranking in rankings.values()]
    words = [f"“{text_for(row.units[i], 'figure')}”" for i in at]
    if len({*at}) == 1:
        return f"{listed([*rankings]).capitalize()} all put {words[0]} first (▼)"
    for k in range(3):
        i, j = (other for other in range(3) if other != k)
        if at[i] == at[j]:
            name, same, another = [*rankings][k], [*rankings][i], [*rankings][j]
            return f"{same.capitalize()} and {another} both put {words[i]} first (▼), {name} {words[k]}"
    return f"{listed([*rankings]).capitalize()} each put another word first: {listed(words)}"


def three(row, flat) -> dict[str, np.ndarray]:
    """The panels of one text's figure: attention, relevance and uniform training's."""
    ranked = {"attention a": row.attention, "relevance r": measures.relevance(row)}
    return ranked | {"r′, uniform\ntraining": measures.relevance(flat)}


def alike(row) -> bool:
    """Whether all words of a text speak for one label, the weakest with more than half of the strongest."""
    v = measures.relevance(row)
    low, high = v.min(), v.max()
    return bool(0 < high < 2 * low or 2 * high < low < 0)


def agreement_by_hand(row, flat) -> str:
    """A of attention and uniform training's relevance on one text, counted. flat: its row there.

    Raises AssertionError if the count isn't `measures.agreement`'s.
    """
    a, v = row.attention, measures.relevance(flat)
    tops = np.flatnonzero(np.isclose(a, a.max(), rtol=1e-9))  # several, if attention is the same on some
    larger = np.mean([(v > v[top]).sum() for top in tops])
    places, found = int(np.ceil(0.05 * len(a))), measures.agreement(a, v)
    assert len(tops) > 1 or found == (larger < places)
    few = {0: "No word has", 1: "One word has"}.get(larger, f"Of this text's words {larger:g} have")
    allowed = "no word may, in a text as short as this" if places == 1 else f"fewer than {places} may"
    return (
        f"{few} a larger r′ than the word with most attention; for A = 1 {allowed}. So A is {found:g}. By "
        f"chance it would be 1 with probability {places / len(a):.2f}."
    )


# The answer


def in_short(
    run: Run,
    table: pd.DataFrame,
    summary: pd.DataFrame,
    real: pd.DataFrame,
    over: pd.DataFrame,
    agree: np.ndarray,
    wide: pd.DataFrame,
) -> list[str]:
    """The chapter's answer, a line a point.

    table: `relevance`'s, of texts of two units or more; summary: overall rows, by measure; real:
    `on_real_text`'s; over: `run_by_run`'s; agree: `with_bag`'s; wide: `first_vectors`'s table.
    """
    if table.empty:
        return [NOTHING]
    if real.empty:
        return of_one_run(run, table, summary, agree)
    known = known_before(with_local(real, wide))
    lines = [known, own_case(real, wide), by_counting(real), order_in_short(real, over)]
    return [line for line in lines if line]


def of_one_run(run: Run, table: pd.DataFrame, summary: pd.DataFrame, agree: np.ndarray) -> list[str]:
    """The answer of this run alone, where no real text is at hand. The arguments are `in_short`'s."""
    share, chance = table["top_uniform"].mean(), table["top_chance"].mean()
    said = [
        f"On {model_named(run)} attention's top word is among the 5% most relevant to a uniformly "
        f"trained model in {share:.0%} of the texts (by chance: {chance:.0%})."
    ]
    closer, corpus = better(run, table, agree), inert(run.params.corpus)
    if closer:
        where = corpus
        if run.evidence.truth_is_known:
            where = f"the [made corpus](glossary.md#made-corpora) *{corpus}*"
        told = listed([name + (NO_CONTEXT if name == A_BAG else "") for name in closer])
        comma = "," if closer[-1] == A_BAG else ""
        guide = "is a better guide" if len(closer) == 1 else "are better guides"
        said.append(f"On {where} {told}{comma} {guide} to attention.")
    bag = "the bag" if A_BAG in closer else f"a bag of words{NO_CONTEXT}"
    here = summary.loc["top_proxy", "mean"]
    return [*said, f"On {corpus} uniform training agrees in {here:.0%} of the texts with {bag}."]


def known_before(drawn: pd.DataFrame) -> str:
    """Whether uniform training knows where attention will be: the answer's first line.

    drawn: `with_local`'s, not empty.
    """
    word, part = how_often(drawn)
    if not part:
        return (
            f"**{word}.** A model that was never allowed to attend can't clearly tell better than chance "
            "where another will look."
        )
    of = of_all(sure(drawn), len(drawn), "model")
    return (
        f"**{word}.** Even a model that was never allowed to attend can tell, by the words that it finds "
        f"relevant, where another will look: better than chance for {of} on real text, {part}."
    )


def order_in_short(real: pd.DataFrame, over: pd.DataFrame) -> str:
    """Whether relevance comes first in training, a line; nothing where it can't be asked."""
    found = leads(real, over)
    if found.empty:
        return ""
    n = decided(found)
    if not n:
        return (
            "**Whether relevance was there first stays open:** no run decides it, because too few models "
            "were watched."
        )
    some = f"{of_all(n, len(found), 'run')} {'decides' if n == 1 else 'decide'} it"
    if _open(over):
        return f"**Whether relevance was there first mostly stays open:** only {some}."
    return f"**Which comes first in training is mostly decided.** {mean_steps(real)}; {some}."


def how_often(drawn: pd.DataFrame) -> tuple[str, str]:
    """Whether attention is on what uniform training finds relevant: in a word; and in how many models in more
    than half of the texts, nothing if in no model clearly above chance.

    drawn: `with_local`'s.
    """
    if not sure(drawn):
        return "Not clearly", ""
    most = int((drawn["top_uniform"] > MOSTLY).sum())
    if most > len(drawn) / 2:
        return "Mostly", f"and in {of_all(most, len(drawn), 'model')} in more than half of the texts"
    models = f"only {of_all(most, len(drawn), 'model')}" if most else "no model"
    return "Partly", f"but in {models} in more than half of the texts"


def own_case(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """That Average, the theory's own case, comes last on most corpora, and what random word vectors change;
    nothing where it doesn't.

    real: `on_real_text`'s; wide: `first_vectors`'s table.
    """
    least, rest = local_last(real, wide)
    if len(least) <= len(rest):
        return ""
    more = better_from_random(wide)
    on = f" on {of_all(more, len(wide), 'corpus', 'corpora')}" if more < len(wide) else ""
    return (
        "**Where the theory should hold best, it holds worst:** the encoder that reads each word alone comes "
        f"last on {of_all(len(least), len(least) + len(rest), 'corpus', 'corpora')}"
        + (f", but does better if it starts from random word vectors{on}." if more else ".")
    )


def better_from_random(wide: pd.DataFrame) -> int:
    """On how many corpora Average's attention is on relevant words more often from random word vectors.

    wide: `first_vectors`'s table.
    """
    return int((wide["A, random"] > wide["A, word2vec"]).sum()) if len(wide) else 0


def beyond_chance(real: pd.DataFrame, name: str) -> pd.Series:
    """The shares of texts of one of DRAWN, of the models in which its interval lies above chance."""
    return real.loc[real[f"low_{name}"] > real["top_chance"], name]


def ends_of(shares: pd.Series) -> str:
    """The lowest and the highest share of texts, or the one."""
    least, most = percent(shares.min()), percent(shares.max())
    return most if least == most else f"{least} to {most}"


def _open(over: pd.DataFrame) -> bool:
    """Whether most real runs leave it undecided which is first. over: `run_by_run`'s."""
    return (~over["which is first"].isin(ORDERS[:2])).sum() > len(over) / 2


def of_all(n: int, total: int, what: str, several: str = "") -> str:
    """`3 of 5 runs`, `all 5 runs`, `both runs`, `the one run`, `none of 5 runs`, `no run`.

    several: the plural, as for `counted`.
    """
    if total == 1 and not n:
        return f"no {what}"
    if n == total:
        some = {1: "the one", 2: "both"}.get(n, f"all {n}")
        return f"{some} {counted(n, what, several).split(' ', 1)[1]}"
    return f"{n or 'none'} of {counted(total, what, several)}"


def beside_the_notebook(real: pd.DataFrame) -> str:
    """Whether a run of the authors' model comes near their notebook, half a sentence; nothing without one.

    real: `on_real_text`'s.
    """
    ours, told = both_highest(real)
    if np.isnan(ours - told):
        return ""
    comes = "comes" if abs(ours - told) < NEAR else "doesn't come"
    return f", which {comes} close to their notebook's number ([appendix](#appendix-the-authors-numbers))"


def both_highest(real: pd.DataFrame) -> tuple[float, float]:
    """A of attention and r′ at its best step, of the authors' model as it was run here and in their notebook;
    NaN where it isn't known. real: `on_real_text`'s."""
    told = verdict.snell(THEIRS[0]).set_index("measure")["value"].get("top_uniform", np.nan)
    return real["top_uniform_highest"].get(THEIRS, np.nan) if len(real) else np.nan, told


def replicated(real: pd.DataFrame) -> str:
    """What a run of the authors' model comes to here, and theirs in their notebook; nothing without one."""
    ours, told = both_highest(real)
    if np.isnan(ours - told):
        return ""
    return (
        f"Our run of the authors' model (imdb, snell) comes to {ours:.0%} at its best step, their notebook "
        f"to {told:.0%}. But ours was trained for half of their steps, and measured on test texts, theirs on "
        "validation texts."
    )


def better(run: Run, table: pd.DataFrame, agree: np.ndarray) -> list[str]:
    """What agrees with attention more often than r′ does, beyond the interval of the difference over texts.

    The model's own relevance isn't asked for, which it learns together with its attention. table:
    `relevance`'s, of texts of two units or more; agree: `with_bag`'s.
    """
    if table.empty:
        return []
    rivals = {OTHER_SEED: table["top_other"].to_numpy(), A_BAG: agree}
    return [
        name
        for name, own in rivals.items()
        if stats.interval(own - table["top_uniform"].to_numpy(), run.params.resamples, run.params.seed)[0] > 0
    ]


def mean_steps(real: pd.DataFrame) -> str:
    """In how many models either is halfway first, of the mean steps; without the stop.

    real: `on_real_text`'s.
    """
    of, sooner, later = by_means(real)
    first_ = f"relevance is first in {of_all(sooner, of, 'model')}, attention in {later or 'none'}"
    return f"On average {first_}"


def ahead(real: pd.DataFrame, name: str) -> str:
    """In how many models attention agrees with a relevance more often than with r′, by encoder. name: its
    measure."""
    more = (real[name] > real["top_uniform"]).to_numpy()
    encoders = real.index.get_level_values("encoder")
    parts, none = [], []
    for e in LABELS:
        n, total = int(more[encoders == e].sum()), int((encoders == e).sum())
        if n:
            parts.append(of_all(n, total, f"{LABELS[e]} model"))
        elif total:
            none.append(LABELS[e])
    if not parts:
        return of_all(0, len(real), "model")
    return listed([*parts, *([f"no {' or '.join(none)} model"] if none else [])])


def contrary(run: Run, table: pd.DataFrame, agree: np.ndarray) -> str:
    """What predicts this run's attention better than the theory's r′ does; nothing if nothing does.

    table, agree: as for `better`.
    """
    closer = better(run, table, agree)
    if not closer:
        return ""
    names, agrees = listed(closer), "agrees" if len(closer) == 1 else "agree"
    return (
        f"{names[0].upper()}{names[1:]} {agrees} with this attention more often than r′ (the 95 % interval "
        "of the difference lies above 0)."
    )


def other_guide(real: pd.DataFrame) -> str:
    """In which models another seed's relevance agrees more often than r′, and in how many clearly so.

    real: `on_real_text`'s.
    """
    if real.empty:
        return ""
    more = int((real["top_other"] > real["top_uniform"]).sum())
    clear = int((real["low_top_other"] > real["high_top_uniform"]).sum())
    apart = f" (in {clear or 'none'} of these {more} its interval over texts lies above that of *r′*)"
    return (
        "On real text the relevance *r* of another seed agrees more often than *r′* in "
        f"{ahead(real, 'top_other')}{apart if more else ''}."
    )


def why_the_bag(closer: list[str], tops: pd.DataFrame) -> str:
    """Why a bag of words may be a better guide than r′; nothing where it isn't, or seldom finds what decides.

    closer: `better`'s; tops: `tops`'s.
    """
    if A_BAG not in closer or tops.set_index("label")["mean"].get(BAG, 0) <= MOSTLY:
        return ""
    return (
        "Attention may agree with the bag because both find deciding words, and not because it counts words."
    )


def early_enough(run: Run, table: pd.DataFrame, agree: np.ndarray, summary: pd.DataFrame) -> str:
    """Whether r′ lags behind what does better at each checkpoint of uniform training, too; nothing if nothing
    does better.

    The arguments are those of `in_short`.
    """
    seen = table["id"].isin(run.table("watched")["id"]).to_numpy()
    names = better(run, table, agree) if seen.any() else []
    if not names:
        return ""
    rivals = {OTHER_SEED: table["top_other"][seen].mean(), A_BAG: agree[seen].mean()}
    highest = float(summary.loc["top_uniform_highest", "mean"])
    level = [name for name in names if rivals[name] < highest + NEAR]
    shares = listed([f"{name} is {rivals[name]:.0%}" for name in names])
    so = "So even at its best it stays behind, whenever its training stops."
    if level:
        so = (
            f"On so few texts that is no difference from {listed(level)}, so *r′* may be the worse guide "
            "only because of when its training stops."
        )
    return (
        f"In this run ({inert(run.params.corpus)}) uniform training's A is {highest:.0%} at its best "
        f"checkpoint, on {counted(int(seen.sum()), 'test text')}; on the same texts that of {shares}. {so}"
    )


def by_counting(real: pd.DataFrame) -> str:
    """How often uniform training agrees with a bag of words, a line. real: `on_real_text`'s, not empty."""
    each = ", depending on the model" if len(real) > 1 else ""
    return (
        "**Relevance partly agrees with counting words:** a bag of words, which knows neither order nor "
        f"context, picks a relevant word in {ends_of(real['top_proxy'])} of the texts{each}."
    )


def counts(real: pd.DataFrame) -> pd.Series:
    """How often the bag of words agrees with r′ on real text, by model; not of Average, if there are others,
    which under even attention nearly is a bag of words."""
    of = by_encoder(real)
    return pd.concat([of[e] for e in of if e != "average"] or [*of.values()])


def by_encoder(real: pd.DataFrame) -> dict[str, pd.Series]:
    """How often the bag of words agrees with r′ on real text, by encoder. real: `on_real_text`'s."""
    of = real["top_proxy"].groupby("encoder")
    return {e: of.get_group(e) for e in LABELS if e in of.groups}


def beside_random(of: pd.DataFrame) -> str:
    """How often uniform training's top word decides, held against a random word. of: `tops`'s, by label."""
    chance = of.loc[RANDOM, "mean"]
    if of.loc[UNIFORM, "low"] > chance:
        return "more often than"
    return "less often than" if of.loc[UNIFORM, "high"] < chance else "no more often than"


def sure(real: pd.DataFrame) -> int:
    """In how many kinds of model uniform training's agreement is above chance by more than its interval."""
    return len(beyond_chance(real, "top_uniform"))


def attended_to(run: Run, summary: pd.DataFrame, agree: np.ndarray) -> pd.DataFrame:
    """How often attention's top word is among the first 5% of each ranking; rows as HITS.

    summary: overall rows, by measure; agree: `with_bag`'s.
    """
    p = run.params
    own = [(label, *summary.loc[name, ["mean", "low", "high"]]) for name, label in WITH_ATTENTION.items()]
    own.append((BAG, agree.mean(), *stats.interval(agree, p.resamples, p.seed)))
    own.append((OWN, *summary.loc["top_own", ["mean", "low", "high"]]))
    return pd.DataFrame(own, columns=HITS)


def with_bag(run: Run) -> np.ndarray:
    """A of attention and the bag of words' relevance, a number a text of two units or more."""
    counted_ = measures.relevances(relevance.bag(run).evidence)
    rows = [row for row in run.evidence if len(row.attention) > 1]
    return np.array([measures.agreement(row.attention, counted_[row.id]) for row in rows])


def pairs(corpus: str, closer: list[str]) -> str:
    """How uniform training does beside what else foretells attention: the figure's finding.

    closer: `better`'s.
    """
    where = f"On {text_for(corpus, 'figure')}"
    if not closer:
        return f"{where}, neither {OTHER_SEED} nor {A_BAG} is clearly a better guide than r′"
    names = listed(closer)
    are = "is a better guide" if len(closer) == 1 else "are better guides"
    return f"{where}, {names} {are} than uniform training"


def by_bag(real: pd.DataFrame) -> str:
    """In how many texts a bag of words finds what is relevant: the figure's finding.

    real: `on_real_text`'s, not empty.
    """
    shares = counts(real)
    bag = "A bag" if len(shares) == len(real) else f"Except in {LABELS['average']}, a bag"
    return f"{bag} of words finds a relevant word in {ends_of(shares)} of the texts"


def what_was_counted(real: pd.DataFrame) -> str:
    """What it means that a bag of words agrees with uniform training so often. real: `on_real_text`'s."""
    if real.empty:
        return ""
    apart = ""
    if 0 < len(by_encoder(real).get("average", [])) < len(real):
        apart = f" {LABELS['average']} stands apart, because under even attention it nearly is a bag itself."
    on = "the corpus and the model" if len(real) > 1 else "the model"
    return (
        f"*Lines: as in section 1.*\n\nSo relevance agrees with counting in part; how much depends on {on}."
        f"{apart} All this fits the theory, but doesn't show that relevance was *learnt* by counting."
    )


def no_count(tops: pd.DataFrame, contextual: bool) -> str:
    """That this run's r′ is no count of words, if it isn't. tops: `tops`'s, not empty.

    contextual: whether the run's states know their context.
    """
    if not not_counted(tops):
        return ""
    far = "not only" if beside_random(tops.set_index("label")) == "more often than" else "hardly"
    why = " A state that has read its neighbours may be relevant for what they say." if contextual else ""
    return f"So this one model's r′ is {far} a count of words.{why}"


def as_table(summary: pd.DataFrame) -> pd.DataFrame:
    """A and τ of each pair of rankings, with their intervals. summary: overall rows, by measure."""
    rows = []
    for name, (*_, label) in relevance.PAIRS.items():
        mean, low, high = summary.loc[f"top_{name}", ["mean", "low", "high"]]
        tau, least, most = summary.loc[f"tau_{name}", ["mean", "low", "high"]]
        a = f"{mean:.0%} ({low:.0%} to {high:.0%})"
        rows.append((label, a, f"{signed(tau)} ({signed(least)} to {signed(most)})"))
    return pd.DataFrame(rows, columns=["pair", "A", "Kendall τ"])


def twins(table: pd.DataFrame, real: pd.DataFrame) -> str:
    """What a shared start adds to uniform training's agreement, here and on real text.

    real: `on_real_text`'s.
    """
    apart, same = (table[f"top_{k}"].mean() for k in ("uniform", "twin"))
    said = (
        f"A shared start: here A is {same:.0%} with the twin's r′, {apart:.0%} with that of another start (a "
        "model of each)."
    )
    if real.empty:
        return said
    gap = real["top_twin"] - real["top_uniform"]
    most = real.loc[gap.abs().idxmax()]
    return (
        f"{said} On real text the twin's is higher in {of_all(int((gap > 0).sum()), len(gap), 'model')}; the "
        f"two lie furthest apart in {inert(most['kind'])} ({most['top_twin']:.0%} and "
        f"{most['top_uniform']:.0%})."
    )


def over_seeds(run: Run, summary: pd.DataFrame, rows: pd.DataFrame) -> str:
    """A over seeds of the attending model, given one uniform model, here and on real text; nothing of a
    single seed. rows: `carried`'s."""
    mean, low, high = summary.loc["top_uniform_seeds", ["mean", "low", "high"]]
    n = len(relevance.models(run))  # this run, and its other seeds; the uniform one isn't one of them
    if n == 1 or np.isnan(low):
        return ""
    said = (
        f"How far does A depend on the attending seed? With one uniform model, {n} seeds give {mean:.0%} on "
        f"average here (95 % interval over seeds {low:.0%} to {high:.0%})."
    )
    real = rows[rows["measure"] == "top_uniform_seeds"].dropna(subset=["low", "high"])
    if real.empty:
        return said
    half = ((real["high"] - real["low"]) / 2).median()
    middle = "one real run" if len(real) == 1 else f"median of {len(real)} real runs"
    return f"{said} On real text such an interval reaches {100 * half:.0f} points up and down ({middle})."


def by_checkpoint(over: pd.DataFrame) -> str:
    """How far A on real text depends on when uniform training stops. over: `run_by_run`'s, not empty."""
    best, last = over[HEIGHTS[1]].median(), over[HEIGHTS[2]].median()
    middle = "one run" if len(over) == 1 else f"medians of {len(over)} runs"
    return (
        f"On real text, over uniform training, A is {best:.0%} at its best checkpoint and {last:.0%} at the "
        f"last one watched ({middle}). The best may come early or late, and is the best partly by luck."
    )


# Which comes first


def halfway(course: pd.DataFrame) -> pd.DataFrame:
    """Of each other seed, the step of half of the way of relevance and of attention."""
    trained = relevance.seeds_of(course)
    half = pd.DataFrame({label: relevance.halfway(trained, name) for name, label in POINTS.items()})
    return half.rename_axis("model").reset_index()


def first(course: pd.DataFrame, summary: pd.DataFrame) -> list[str]:
    """Which is half of its way first, of the other seeds, by the rule that holds for real runs, too."""
    half, trained = halfway(course), relevance.seeds_of(course)
    r, a = (
        _steps(half[label], summary.loc[name]) for label, name in zip(POINTS.values(), HALVES, strict=True)
    )
    order = order_here(summary)
    comes = f"{order} is first" if order in ORDERS[:2] else f"it is undecided: {WHY[order]}"
    said = [f"In this run relevance gets halfway {r}, attention {a}. By this rule {comes}."]
    if len(half) == 2 and order == "intervals overlap":
        wide = 2 * student.isf(0.025, 1) / 2  # the half width is t · s / √2, and s of two is their gap / √2
        said.append(
            f"The 95 % interval of two seeds is {wide:.0f} times as wide as the distance between them, so "
            "two can hardly decide it."
        )
    highest, chance = trained.groupby("step")["relevance_agrees"].mean().max(), trained["chance"].mean()
    if highest < chance + NEAR:
        said.append(
            f"But their relevance hardly ever points there: A is {highest:.2f} at most, {chance:.2f} by "
            "chance."
        )
    return said


def one_rise(course: pd.DataFrame) -> pd.DataFrame:
    """Of a course the rows of the first other seed; none if its relevance hardly gets beyond chance."""
    trained = relevance.seeds_of(course)
    one = trained[trained["model"] == trained["model"].iloc[0]] if len(trained) else trained
    return one if one["relevance_agrees"].max() >= one["chance"].mean() + NEAR else one[:0]


def rise_told(run: Run, one: pd.DataFrame) -> str:
    """When either share of one learner is halfway: its figure's finding. one: `one_rise`'s, not empty."""
    r, a = (int(half.iloc[0]) for half in halves(one).values())
    return (
        f"On {text_for(run.params.corpus, 'figure')} a learner's relevance is halfway at step {r}, its "
        f"attention at step {a}"
    )


def under_rise(run: Run, course: pd.DataFrame) -> str:
    """Which models the figure of `one_rise` is of; Markdown."""
    seeds, one = relevance.seeds_of(course)["model"].nunique(), model_named(run)
    other = "the one other seed" if seeds == 1 else f"the first of {seeds} other seeds"
    return (
        f"*An example from {one}: the finished model is this page's own run, the learner {other}, watched on "
        f"{counted(run.table('watched')['id'].nunique(), 'test text')} ([all "
        "seeds](#appendix-halfway-run-by-run)).*"
    )


def of_the_example(one: pd.DataFrame, real: pd.DataFrame) -> str:
    """Whether the one learner goes the theory's way, and the question that leads on, if it can be asked.

    one: `one_rise`'s, not empty; real: `on_real_text`'s.
    """
    r, a = (half.iloc[0] for half in halves(one).values())
    order = "both are halfway at the same step"
    if r != a:
        order = (
            "relevance is first, as the theory says" if r < a else "attention is first, against the theory"
        )
    return f"In this example {order}.{' Is it so on real text?' if by_means(real)[0] else ''}"


def flat_half(course: pd.DataFrame) -> int | None:
    """When uniform training's r′ gets halfway; None if it hardly gets beyond chance."""
    flat = course[course["model"] == "uniform"]
    if flat.empty or flat["relevance_agrees"].max() < flat["chance"].mean() + NEAR:
        return None
    return int(relevance.halfway(flat, "relevance_agrees").iloc[0])


def flat_first(course: pd.DataFrame) -> str:
    """When uniform training's r′ gets halfway, beside the other seeds' attention; nothing if it doesn't."""
    step = flat_half(course)
    if step is None:
        return ""
    attention = halves(course)["attention_agrees"]
    when = "as the theory expects, before" if step < attention.mean() else "against the theory, not before"
    return (
        f"Uniform training's r′ is halfway at step {step}: {when} the other seeds' attention "
        f"({attention.mean():.0f}). It is one model, held against {counted(len(attention), 'seed')}."
    )


def order_here(summary: pd.DataFrame) -> str:
    """Which is first in this run, one of ORDERS. summary: overall rows, by measure."""
    return _order(summary["mean"], summary["low"], summary["high"])


def with_this_run(run: Run, summary: pd.DataFrame, over: pd.DataFrame) -> pd.DataFrame:
    """`run_by_run`'s columns that the figure of the halfway steps needs, this run's row first."""
    p = run.params
    called = f"this run: {text_for(p.corpus, 'figure')}, {LABELS[p.encoder]}, seed {p.seed}"
    own = {"run": called, "which is first": order_here(summary)} | _ends(
        summary["mean"], summary["low"], summary["high"]
    )
    return pd.concat([pd.DataFrame([own]), over[[*own]] if len(over) else None], ignore_index=True)


def in_all(rows: pd.DataFrame) -> str:
    """Which comes first in how many runs: the finding of their figure. rows: `with_this_run`'s."""
    found = rows["which is first"].value_counts()
    parts = [f"{name} in {found[name]}" for name in ORDERS[:2] if name in found]
    left = len(rows) - sum(found.get(name, 0) for name in ORDERS[:2])
    ends = f", first is {listed(parts)}" if parts else ""
    return f"Which gets halfway first is undecided in {of_all(left, len(rows), 'run')}{ends}"


def _steps(half: pd.Series, over: pd.Series) -> str:
    """At which steps a few seeds are halfway; of more their mean and interval, `over`."""
    if len(half) > FEW:
        return (
            f"at step {over['mean']:.0f} on average (95 % interval over these seeds {over['low']:.0f} to "
            f"{over['high']:.0f})"
        )
    steps = sorted({int(step) for step in half})
    if len(steps) == 1:
        return f"at step {steps[0]}{' in each' if len(half) > 1 else ''}"
    return f"at steps {listed([str(step) for step in sorted(half.astype(int))])}"


def halves(course: pd.DataFrame) -> dict[str, pd.Series]:
    """The steps at which each of the other seeds' relevance and attention get halfway, by POINTS."""
    half = halfway(course).set_index("model")
    return {name: half[label] for name, label in POINTS.items()}


def reached(corpus: str, course: pd.DataFrame, summary: pd.DataFrame) -> str:
    """In how many other seeds relevance is halfway before attention: the finding of their courses' figure.

    summary: overall rows, by measure.
    """
    trained = relevance.seeds_of(course)
    where = f"On {text_for(corpus, 'figure')}"
    highest, chance = trained.groupby("step")["relevance_agrees"].mean().max(), trained["chance"].mean()
    if highest < chance + NEAR:
        return f"{where}, other seeds' relevance hardly ever points to where this run's attention ends"
    r, a = halves(course).values()
    first_ = of_all(int((r < a).sum()), len(r), "other seed")
    still = "" if order_here(summary) in ORDERS[:2] else ", but the order stays open"
    return f"{where} relevance is halfway first in {first_}{still}"


def watched(run: Run, course: pd.DataFrame) -> str:
    """Of which texts and steps the curves are; Markdown."""
    p, steps = run.params, course["step"].max()
    epochs = min(p.watch_epochs or p.epochs, p.epochs)
    ends = f"the first {counted(epochs, 'epoch')} of training" if epochs < p.epochs else "the training"
    seeds = relevance.seeds_of(course)["model"].nunique()
    lines, ring = (
        "a line is a seed",
        "A ring with a number: here that seed" if seeds > 1 else "A ring: here it",
    )
    if seeds > FEW:
        lines, ring = "thick lines are means over the other seeds, thin ones each", "A ring: here a seed"
    return (
        f"*{counted(run.table('watched')['id'].nunique(), 'test text')}, {ends} ({steps:,} steps); {lines}. "
        f"{ring} is halfway.*"
    )


# Local states, the truth, an adversary


def local_states(run: Run, summary: pd.DataFrame) -> pd.DataFrame:
    """A with r′ and with the model's own relevance, in this run and where states are local."""
    local = relevance.local(run)
    ends = {
        f"{LABELS[run.params.encoder]}, this run": (run, "top_uniform"),
        f"{LABELS['average']} (local states)": (local["local"], "top_local"),
    }
    if run.params.vectors != "random":
        ends["the same from random word vectors"] = local["local_random"], "top_local_random"
    rows = []
    for name, (of, measure) in ends.items():
        own = [
            measures.agreement(row.attention, measures.relevance(row))
            for row in of.evidence
            if len(row.attention) > 1
        ]
        rows.append(
            (name, right(of.evidence), summary.loc[measure, "mean"], pd.Series(own, dtype=float).mean())
        )
    return pd.DataFrame(rows, columns=["model", "accuracy", "A with r′", "A with its own relevance"])


def right(evidence) -> float:
    """The share of texts that a model predicts right."""
    return float((evidence.predicted == evidence.labels).mean())


class Local:
    """The model of local states beside a run: A of its attention and uniform training's relevance."""

    def __init__(self, run: Run):
        self.run = run
        one = relevance.local(run)["local"]
        self.evidence = one.evidence
        self.rows = [row for row in self.evidence if len(row.attention) > 1]
        self.flat = measures.relevances(relevance.models(one)["uniform"].evidence)
        self.agree = np.array([measures.agreement(row.attention, self.flat[row.id]) for row in self.rows])

    def against(self, table: pd.DataFrame) -> str:
        """Whether attention is where r′ is more often than in the run. table: `relevance`'s."""
        p, evidence = self.run.params, self.run.evidence
        if p.encoder == "average":
            return f"On {inert(p.corpus)} this run itself has local states: its A is {self.agree.mean():.0%}."
        gap = self.agree - table.set_index("id").loc[[row.id for row in self.rows], "top_uniform"].to_numpy()
        low, high = stats.interval(gap, p.resamples, p.seed)
        differs = "about the same as in this run"
        if low > 0 or high < 0:
            differs = "larger than in this run" if low > 0 else "smaller than in this run"
        said = (
            f"On {inert(p.corpus)} A with local states is {differs} ({signed(100 * gap.mean(), '+z.0f')} "
            f"points, 95 % interval over texts {signed(100 * low, '+z.0f')} to "
            f"{signed(100 * high, '+z.0f')}; one model each)."
        )
        here, there = right(evidence), right(self.evidence)
        if here - there > UNLEARNT:
            guess = np.bincount(evidence.labels).max() / len(evidence.labels)
            said += (
                f" But that model has learnt less of the task: it predicts {there:.0%} of the texts right, "
                f"this run {here:.0%}; always answering the most frequent label: {guess:.0%}."
            )
        return said

    def weight_or_sign(self) -> str:
        """Whether leave-one-out agrees with attention for the weight that is in it; nothing where it doesn't.

        Of texts with one linear logit z, which moves by a (z - r) / (1 - a) without a word.
        """
        without, within = [], []
        for row in self.rows:
            if len(row.prediction) == 2 and row.head.one_logit and row.attention.max() < 1:
                a, r = row.attention, measures.relevance(row)
                size = np.abs(a @ r - r)
                without.append(kendall(a, size)[0])
                within.append(kendall(a, a * size / (1 - a))[0])
        least, most = (pd.Series(taus, dtype=float).mean() for taus in (without, within))
        if not most - least > 2 * NEAR:
            return ""
        return (
            "Why may such attention agree with leave-one-out, but not with relevance? Because the word's "
            "weight is in leave-one-out, not because the sign isn't. On "
            f"{inert(self.run.params.corpus)} this model's attention has a mean τ of {signed(most)} with how "
            "far the logit moves without a word. If the weight is divided out and there is still no sign, it "
            f"is {signed(least)}."
        )

    def negators(self) -> list[str]:
        """Whether negators are in the way; nothing without such words."""
        has = np.array([bool({*row.units} & {*NEGATORS}) for row in self.rows])
        if not has.any():
            return []
        found = [
            (a, abs(x))
            for row in self.rows
            for unit, a, x in zip(row.units, row.attention, self.flat[row.id], strict=True)
            if unit in NEGATORS
        ]
        weight, alone = np.mean(found, axis=0)
        largest = np.mean([np.abs(x).max() for x in self.flat.values()])
        among = "in texts with a negator (`not`, `never`, `hardly`)"
        said = f"With local states A is {self.agree[has].mean():.0%} {among}"
        if not has.all():
            said += f" and {self.agree[~has].mean():.0%} in the others"
        little = alone < largest / 2
        told = [
            f"{said}.",
            f"By itself a negator says {'little' if little else 'much'} about the label (its r′ has "
            f"{alone / largest:.0%} of the size of a text's largest), and on average it receives "
            f"{weight:.0%} of its text's attention.",
        ]
        if little and weight > 0.5:
            told.append("So attention goes to words of little relevance there, which the theory leaves out.")
        return told


def tops(run: Run) -> pd.DataFrame:
    """How often the top of each ranking is a deciding word, with its interval over texts; and a random word.

    Rows as HITS; none where the deciding words aren't known.
    """
    evidence, p = run.evidence, run.params
    if not evidence.truth_is_known:
        return pd.DataFrame(columns=HITS)
    known = {row.id: (row.truth, row.truth[row.real]) for row in evidence if row.truth.any()}
    if not known:
        return pd.DataFrame(columns=HITS)
    rankings = {
        "attention": {row.id: row.attention for row in evidence},
        "r (own relevance)": measures.relevances(evidence),
        UNIFORM: measures.relevances(relevance.models(run)["uniform"].evidence),
        BAG: measures.relevances(relevance.bag(run).evidence),
    }
    found = {RANDOM: [inner.mean() for _, inner in known.values()]}
    for name, ranking in rankings.items():
        truths = {i: whole if len(whole) == len(ranking[i]) else inner for i, (whole, inner) in known.items()}
        found[name] = [float(truth[ranking[i].argmax()]) for i, truth in truths.items()]
    rows = [
        (name, np.mean(hits), *stats.interval(np.array(hits), p.resamples, p.seed))
        for name, hits in found.items()
    ]
    return pd.DataFrame(rows, columns=HITS)


def decides(tops: pd.DataFrame) -> str:
    """How uniform training and the bag find the deciding words: the figure's finding. tops: not empty."""
    of = tops.set_index("label")
    bag = f"{of.loc[BAG, 'mean']:.0%}"
    return f"Uniform training finds deciding words {beside_random(of)} chance, the bag in {bag} of the texts"


def not_counted(tops: pd.DataFrame) -> bool:
    """Whether uniform training's top word decides less often than that of a model that counts."""
    of = tops.set_index("label")
    return bool(of.loc[UNIFORM, "high"] < of.loc[BAG, "low"])


def elsewhere(run: Run, table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """What becomes of relevance in chapter 07's best adversary: a table, and what it comes to.

    The table is empty where no adversary is trained. table: `relevance`'s, of texts of two units or more.
    """
    evidence, trained = run.evidence, not_not.adversaries(run)
    if not evidence.truth_is_known and not all(other.holds("weights") for other in trained.values()):
        return pd.DataFrame(), "Chapter 07 hasn't trained any on this corpus."
    flat = measures.relevances(relevance.models(run)["uniform"].evidence)
    other, p = trained[not_not.best(run)].evidence, run.params
    if all(len(row.attention) < 2 for row in evidence):
        return pd.DataFrame(), NOTHING
    models = {"this run": (evidence, other), "the adversary": (other, evidence)}
    rows, agree = [], {}
    for name, (of, another) in models.items():
        texts = [row for row in of if len(row.attention) > 1]
        rankings = {"r′": flat, "own": measures.relevances(of), "other": measures.relevances(another)}
        cells = []
        for which, r in rankings.items():
            agree[name, which] = np.array([measures.agreement(w.attention, r[w.id]) for w in texts])
            low, high = stats.interval(agree[name, which], p.resamples, p.seed)
            cells.append(f"{agree[name, which].mean():.0%} ({low:.0%} to {high:.0%})")
        rows.append((name, *cells, f"{right(of):.0%}"))
    columns = ["attention of", "A with r′", "with its own relevance", "with the other's", "predicted right"]
    own = table.set_index("id").loc[[row.id for row in evidence if len(row.attention) > 1]]
    gaps = [agree["the adversary", "own"], agree["the adversary", "other"]]
    said = moved_along(*gaps, own["top_own"].to_numpy(), own["top_other"].to_numpy(), p)
    if right(evidence) - right(other) > UNLEARNT:
        said += " The adversary has also learnt the task less well."
    return pd.DataFrame(rows, columns=columns), said


def moved_along(
    own: np.ndarray, before: np.ndarray, ordinary: np.ndarray, seed: np.ndarray, p: Params
) -> str:
    """Whether an adversary's relevance has gone where its attention was made to go.

    own, before: A of its attention with its own relevance and with the base model's, a number a text;
    ordinary, seed: A of the base model's attention with its own relevance and with another seed's.
    """
    gap, usual = own - before, ordinary - seed

    def points(of: np.ndarray) -> str:
        low, high = stats.interval(of, p.resamples, p.seed)
        more, least, most = (signed(100 * x, "+z.0f") for x in (of.mean(), low, high))
        return f"{more} points, 95 % interval {least} to {most}"

    said = (
        f"The adversary's attention agrees with its own relevance in {own.mean():.0%} of the texts, with "
        f"this run's in {before.mean():.0%} ({points(gap)}). Between ordinary seeds: this run's attention "
        f"agrees with its own in {ordinary.mean():.0%}, with another seed's in {seed.mean():.0%} "
        f"({points(usual)})."
    )
    if stats.interval(gap - usual, p.resamples, p.seed)[0] > 0:
        return f"{said} The adversary's gap is larger ({points(gap - usual)}): its relevance has moved along."
    return f"{said} So the gap alone doesn't show that relevance has moved along with attention."


# On real text


def carried() -> pd.DataFrame:
    """The carried rows of this chapter, of runs that it went through."""
    rows = verdict.marked(verdict.plain(verdict.committed())).query("`class` == 'overall'")
    rows = rows[rows["measure"].str.match("(top|xi|half|common)_|accuracy$|tau_(own|loo)$")]
    return rows.merge(rows.loc[rows["measure"] == "top_twin", [*BY, "seed"]])


def on_real_text(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of every measure, by kind of model, its name, and the number of seeds.

    rows: `carried`'s. `low_` and `high_` of a measure: the outermost limits of the seeds' intervals, which
    are over texts (of a halfway step over the other seeds).
    """
    if rows.empty:
        return pd.DataFrame()
    by = rows.groupby([*BY, "measure"])
    held = by["mean"].mean().unstack()
    for end, limits in (("low", by["low"].min()), ("high", by["high"].max())):
        held = held.join(limits.unstack()[[*WITH_LIMITS]].add_prefix(f"{end}_"))
    called = [kind_named(corpus, profile, encoder) for corpus, profile, encoder, _ in held.index]
    seeds = rows[rows["measure"] == "top_twin"].groupby(BY)["seed"].nunique()
    return held.assign(kind=called, seeds=seeds)


def kind_named(corpus: str, profile: str, encoder: str) -> str:
    """A kind of model for a reader: the profile is named unless it is the usual one."""
    return f"{corpus}, {LABELS[encoder]}{'' if profile == 'paper' else f' ({profile})'}"


def above_chance(drawn: pd.DataFrame) -> str:
    """Where attention is on what is relevant: the figure's finding. drawn: `with_local`'s."""
    n, most = sure(drawn), int((drawn["top_uniform"] > MOSTLY).sum())
    return (
        f"In {of_all(n, len(drawn), 'model')} attention goes to a relevant word more often than by chance, "
        f"in {most or 'none'} in over half the texts"
    )


def with_local(real: pd.DataFrame, wide: pd.DataFrame) -> pd.DataFrame:
    """`on_real_text`'s models, and Average from word2vec's vectors on the corpora where it isn't one of them.

    There it is trained beside the others, and compared with uniform training alone: what else is measured of
    a model is missing. wide: `first_vectors`'s table.
    """
    added = trained_beside(real, wide)
    return pd.concat([real, added]) if len(added) else real


def trained_beside(real: pd.DataFrame, wide: pd.DataFrame) -> pd.DataFrame:
    """The models that `with_local` adds. The arguments are its."""
    if real.empty or wide.empty:
        return real[:0]
    at = real.index.get_level_values
    rest = wide[~wide["corpus"].isin(at("corpus")[at("encoder") == "average"])]
    names = {"top_uniform": "A, word2vec", "low_top_uniform": "low A, word2vec"}
    names |= {"high_top_uniform": "high A, word2vec", "top_chance": "A, chance", "seeds": "seeds"}
    added = pd.DataFrame({name: rest[column].to_numpy() for name, column in names.items()})
    added["kind"] = [kind_named(corpus, "paper", "average") for corpus in rest["corpus"]]
    keys = [(corpus, "paper", "average", "additive") for corpus in rest["corpus"]]
    added.index = pd.MultiIndex.from_arrays([*zip(*keys, strict=True)] or [[]] * len(BY), names=BY)
    return added


def by_corpus(drawn: pd.DataFrame) -> pd.DataFrame:
    """How often attention follows a uniformly trained model's relevance, a row a corpus, a column an encoder.

    Of the corpora that Average and another encoder read. drawn: `with_local`'s.
    """
    if drawn.empty:
        return pd.DataFrame()
    paper = drawn[drawn.index.get_level_values("profile") == "paper"]
    wide = paper["top_uniform"].groupby(["corpus", "encoder"]).mean().unstack()
    if "average" not in wide or wide.shape[1] < 2:
        return pd.DataFrame()
    return wide[wide["average"].notna() & (wide.notna().sum(axis=1) > 1)]


def local_last(real: pd.DataFrame, wide: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """How often Average's attention follows uniform training's relevance, by corpus: where no other encoder's
    follows less often; and elsewhere. real: `on_real_text`'s; wide: `first_vectors`'s table."""
    first = by_corpus(with_local(real, wide))
    if first.empty:
        return pd.Series(dtype=float), pd.Series(dtype=float)
    least = first["average"] <= first.min(axis=1)
    return first.loc[least, "average"], first.loc[~least, "average"]


def which_models(run: Run, drawn: pd.DataFrame) -> str:
    """Which models and corpora the chapter speaks of, and of how many seeds. drawn: `with_local`'s."""
    if drawn.empty:
        return f"This page's own run is {model_named(run)}."
    held = pd.DataFrame({"corpus": drawn.index.get_level_values("corpus").str.removesuffix(" (part)")})
    least, most = int(drawn["seeds"].min()), int(drawn["seeds"].max())
    seeds = counted(most, "seed") if least == most else f"{least} to {most} seeds"
    each = " each" if len(drawn) > 1 else ""
    return f"We look at {counted(len(drawn), 'model')} trained on real text, of {seeds}{each}. {kinds(held)}"


def under_real(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """How the figure of real text is read; Markdown.

    real: `on_real_text`'s, not empty; wide: `first_vectors`'s table.
    """
    part = (
        " (part): only a part of the corpus was read."
        if real["kind"].str.contains("(part)", regex=False).any()
        else ""
    )
    hollow = (
        f" Hollow: {LABELS['average']}, trained for this comparison alone."
        if len(trained_beside(real, wide))
        else ""
    )
    theirs = ""
    if "snell" in real.index.get_level_values("profile"):
        theirs = f" (snell): [the authors' model](glossary.md#profile){beside_the_notebook(real)}."
    return (
        "*A row is a model, of one seed if nothing else is said. Its line is a 95 % interval over texts; of "
        f"several seeds it spans all their intervals, but other seeds may lie beyond.{hollow}{part}{theirs}*"
    )


def what_it_knows(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """What the figure of real text means: whether uniform training knows where attention is, and how the
    theory's own case does; Markdown.

    real: `on_real_text`'s, not empty; wide: `first_vectors`'s table.
    """
    something = "does know something of" if sure(real) else "doesn't clearly know"
    said = f"So a model that never attended {something} where another will look."
    least, rest = local_last(real, wide)
    if len(least) <= len(rest):
        return said
    return (
        f"{said}\n\n**The surprise is {LABELS['average']}.** It is the theory's own case, so we expected "
        f"most of it. Yet on {of_all(len(least), len(least) + len(rest), 'corpus', 'corpora')} its share is "
        f"the lowest{at_chance(real, wide)}."
    )


def at_chance(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """On which corpora Average's share isn't clearly above chance, half a sentence; nothing if on none.

    The arguments are `what_it_knows`'s, of a table that has Average.
    """
    rows = with_local(real, wide).xs("average", level="encoder")
    rows = rows.drop(index="snell", level="profile", errors="ignore")
    names = rows.drop(beyond_chance(rows, "top_uniform").index).index.unique("corpus")
    if names.empty:
        return ""
    return f", and on {listed([inert(name) for name in names])} it isn't clearly above chance"


def own_by_encoder(real: pd.DataFrame) -> str:
    """How often attention is on what its own model finds relevant, by encoder. real: `on_real_text`'s."""
    if real.empty:
        return ""
    encoders = real.index.get_level_values("encoder")
    of = {e: real.loc[encoders == e, "top_own"] for e in LABELS if e in encoders}
    of = dict(sorted(of.items(), key=lambda item: item[1].mean()))
    each = {e: f"in {LABELS[e]} in {ends_of(shares)}" for e, shares in of.items()}
    if own_of_local(real):
        each["average"] += f" ({as_chance(real)} by chance)"
    return (
        f"The attending model itself finds its top word relevant {listed([*each.values()])} of the texts."
        f"{own_below(real)}{same_order(real)}"
    )


def own_below(real: pd.DataFrame) -> str:
    """In which encoders the attending model itself finds its top word relevant less often than a uniformly
    trained one does, in each model; nothing if in none. real: `on_real_text`'s."""
    below = (real["top_own"] < real["top_uniform"]).groupby("encoder").all()
    names = [LABELS[e] for e in LABELS if below.get(e, False)]
    if not names:
        return ""
    guess = " ([a guess why](#appendix-halfway-run-by-run))" if len(not_corrected(real)) else ""
    return f" In {listed(names)} it does so less often than a *uniformly* trained model{guess}."


def same_order(real: pd.DataFrame) -> str:
    """Whether the encoders stand in one order on each corpus that all of them read; nothing if not.

    real: `on_real_text`'s.
    """
    paper = real[real.index.get_level_values("profile") == "paper"]
    wide = paper["top_own"].groupby(["corpus", "encoder"]).mean().unstack().dropna()
    orders = {tuple(row.sort_values().index) for _, row in wide.iterrows()}
    if len(wide) < 2 or len(orders) > 1:
        return ""
    corpora = listed([inert(name) for name in wide.index])
    return f" On {corpora} alone, which all of them read, the order is the same."


def unlike_own(real: pd.DataFrame) -> str:
    """Where another seed's relevance is at chance, though the model's own isn't; nothing if nowhere."""
    chance = real["top_chance"] + NEAR
    found = real[(real["top_other"] < chance) & (real["top_own"] >= chance)]
    if found.empty:
        return ""
    each = [
        f"{inert(row['kind'])} ({row['top_other']:.2f}, where its own has {row['top_own']:.2f} and chance "
        f"{row['top_chance']:.2f})"
        for _, row in found.iterrows()
    ]
    return (
        f"Another seed's relevance agrees hardly more often than by chance in {listed(each)}. What is "
        "relevant depends on the seed there; why, these runs don't tell."
    )


def own_of_local(real: pd.DataFrame) -> str:
    """On which corpora a model of local states attends to what uniform training finds relevant, and not to
    what it does, as a sentence lists them; empty where it isn't so.

    The models are those that start from word2vec's vectors.
    """
    if real.empty:
        return ""
    at = real.index.get_level_values
    local = real[(at("encoder") == "average") & (at("profile") != "snell")]
    if local.empty or local["top_own"].max() >= local["top_chance"].max() + NEAR:
        return ""
    if (local["top_own"] >= local["top_uniform"]).any():
        return ""
    return listed([inert(name) for name in sorted({*local.index.get_level_values("corpus")})])


def as_chance(real: pd.DataFrame) -> str:
    """How often local states' attention is on their own relevant words, beside chance."""
    local = real[real.index.get_level_values("encoder") == "average"]
    more = (local["low_top_own"] > local["top_chance"]).any()
    return "about as rarely as" if more else "no more often than"


def vectors_matter(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """Whether random word vectors bring Average's attention to relevant words, and what that leaves open.

    real: `on_real_text`'s; wide: `first_vectors`'s table, not empty.
    """
    more = better_from_random(wide)
    matter = "So the vectors matter" if more > len(wide) / 2 else "So it is hardly the vectors"
    half = wide.loc[wide["A, random"] > MOSTLY, "corpus"]
    even = ""
    if len(half):
        even = f", and on {listed([inert(name) for name in half])} its share goes beyond half of the texts"
    said = (
        f"{matter}: from random ones {LABELS['average']} does better on "
        f"{of_all(more, len(wide), 'corpus', 'corpora')}{even}."
    )
    if not comes_first(real, wide)[0]:
        return said
    return (
        f"{said} Whether it would then come first, as the theory has it, can't be told, because the other "
        "encoders weren't trained again from random vectors ([appendix](#appendix-where-states-are-local))."
    )


def beside_rivals(real: pd.DataFrame, wide: pd.DataFrame) -> str:
    """On how many corpora Average comes first from either kind of vectors, held against encoders that keep
    word2vec's; nothing without others. real, wide: as for `vectors_matter`; wide may be empty."""
    of, before, turned = comes_first(real, wide)
    if not of:
        return ""
    on = f" ({listed([inert(name) for name in turned])})" if 0 < len(turned) < of else ""
    best = listed(sorted({LABELS[name] for name in rivals(real, wide)["encoder"]}))
    said = (
        f"Held against the best other encoder ({best}), which keeps word2vec's vectors, {LABELS['average']} "
        f"comes first on {of_all(len(turned), of, 'corpus', 'corpora')} from random vectors{on}, on "
        f"{before or 'none'} from word2vec's."
    )
    local = wide.set_index("corpus")["A, random"].get(THEIRS[0])
    if local is None or THEIRS not in real.index:
        return said
    return (
        f"{said} Only the authors' own model (imdb, snell) starts from random vectors, too: it has "
        f"{percent(real.loc[THEIRS, 'top_uniform'])}, {LABELS['average']} there {percent(local)}."
    )


def rivals(real: pd.DataFrame, wide: pd.DataFrame) -> pd.DataFrame:
    """Average's best rival, a row a corpus: its `share` of texts and its `encoder`, from word2vec's vectors.

    real, wide: as for `from_random`.
    """
    order = by_corpus(with_local(real, wide))
    if order.empty:
        return pd.DataFrame(columns=["share", "encoder"])
    others = order.drop(columns="average")
    return pd.DataFrame({"share": others.max(axis=1), "encoder": others.idxmax(axis=1)})


def comes_first(real: pd.DataFrame, wide: pd.DataFrame) -> tuple[int, int, list[str]]:
    """Of how many corpora Average can be held against other encoders, which start from word2vec's vectors;
    on how many its attention follows relevance most often from word2vec's vectors, and on which from random
    ones.

    real, wide: as for `from_random`; wide may be empty.
    """
    order = by_corpus(with_local(real, wide))
    if order.empty or wide.empty:
        return 0, 0, []
    random = wide.set_index("corpus")["A, random"].reindex(order.index).dropna()
    others = rivals(real, wide)["share"][random.index]
    first_ = order.loc[random.index, "average"] > others
    return len(random), int(first_.sum()), [*random.index[random > others]]


def beside_chapter_02(real: pd.DataFrame) -> str:
    """Why the failure in local states doesn't contradict chapter 02, with the mean τ; nothing without it.

    real: `on_real_text`'s.
    """
    if not own_of_local(real):
        return ""
    local = real[real.index.get_level_values("encoder") == "average"]
    own, loo = local[["tau_own", "tau_loo"]].mean()
    if not loo - own > 2 * NEAR:
        return ""
    return (
        f"That {LABELS['average']}'s attention hardly goes to what is relevant doesn't contradict "
        "[chapter 02](02_correlation.ipynb), where it agrees most with leave-one-out. With a word its weight "
        "is left out, too: so leave-one-out contains attention, and relevance doesn't. (On real text "
        f"attention's mean τ, over whole texts, is {signed(loo)} with leave-one-out and {signed(own)} with "
        "relevance.)"
    )


def with_attention(real: pd.DataFrame) -> pd.DataFrame:
    """A of attention with each relevance, by kind of model."""
    columns = {"kind": "model", "seeds": "seeds", "top_uniform": "r′", "top_twin": "r′ of twin",
               "top_own": "own r", "top_other": "other seed's r", "top_chance": "chance"}  # fmt: skip
    return real[[*columns]].rename(columns=columns).reset_index(drop=True)


def with_uniform(real: pd.DataFrame) -> pd.DataFrame:
    """A of other rankings with uniform training's relevance, by kind of model."""
    columns = {"kind": "model", "top_gate": "gate gradient", "top_dropped": "leave-one-out",
               "top_proxy": "bag of words", "top_chance": "chance"}  # fmt: skip
    return real[[*columns]].rename(columns=columns).reset_index(drop=True)


EVERY = 250  # steps between two looks, after the first ones
LOOKS = [*relevance.FIRST, *range(EVERY, 10_000, EVERY)]


def _earlier(step: float) -> int:
    """The look before this step, at which a model may have been half of its way already."""
    return max((look for look in LOOKS if look < step), default=-1)


def run_by_run(rows: pd.DataFrame) -> pd.DataFrame:
    """Over the training of the uniform model, run by run; which comes first by what it points at."""
    found = []
    for (corpus, profile, encoder, attention, seed), own in rows.groupby([*BY, "seed"]):
        own = own.set_index("measure")
        one, low, high = own["mean"], own["low"], own["high"]
        heights = one[["top_uniform_highest", "top_uniform_last", "top_other", "top_chance"]]
        called = f"{kind_named(corpus, profile, encoder)}, seed {seed}"
        cells = dict(zip(HEIGHTS, [called, *heights], strict=True))
        cells["kind"] = kind_named(corpus, profile, encoder)
        cells["others"] = others_watched(corpus, profile, encoder, attention, seed)
        cells["steps"] = steps_watched(corpus, profile, encoder, attention, seed)
        found.append(cells | {"which is first": _order(one, low, high)} | _ends(one, low, high))
    return pd.DataFrame(found, columns=[*HEIGHTS, "kind", "others", "steps", "which is first", *_ENDS])


_ENDS = [f"{end}{half}" for half in HALVES for end in ("", "low_", "high_")]


def _ends(one: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, float]:
    """The halfway steps as numbers, with their intervals. The arguments: means and limits, by measure."""
    return dict(zip(_ENDS, [of[half] for half in HALVES for of in (one, low, high)], strict=True))


HEIGHTS = ["run", "A, highest", "A, last watched", "other seed's r", "chance"]
NEAR_CHANCE = "relevance near chance"
ORDERS = (
    *("relevance", "attention", "same checkpoint", "intervals overlap", NEAR_CHANCE),
    *("one other seed only", "seeds alike"),
)
WHY = {  # it is undecided
    "same checkpoint": "both get halfway at the same checkpoint",
    "intervals overlap": "the two intervals overlap",
    NEAR_CHANCE: "the other seeds' relevance stays near chance",
    "one other seed only": "there is a single other seed",
    "seeds alike": "the other seeds are all alike",
}


def _order(one: pd.Series, low: pd.Series, high: pd.Series) -> str:
    """Which of two is half of its way first: one that is there before the other's interval begins.

    Where the seeds are all alike an interval has no width: it doesn't say how far others would differ.
    """
    if one["top_other"] < one["top_chance"] + NEAR:
        return NEAR_CHANCE
    if low[[*HALVES]].isna().any():
        return "one other seed only"
    for k, name in enumerate(("relevance", "attention")):
        if high[HALVES[k]] <= _earlier(low[HALVES[1 - k]]):
            return "seeds alike" if (low[[*HALVES]] == high[[*HALVES]]).any() else name
    return "intervals overlap" if one[HALVES[0]] != one[HALVES[1]] else "same checkpoint"


def by_means(real: pd.DataFrame) -> tuple[int, int, int]:
    """Of how many models of `on_real_text` the other seeds' relevance gets beyond chance; in how many of them
    relevance is halfway first by the mean steps, and in how many attention."""
    if real.empty:
        return 0, 0, 0
    told = halfway_by_model(real)
    r, a = (told[half] for half in HALVES)
    return len(told), int((r < a).sum()), int((a < r).sum())


# Why a run's interval can't tell which is first, beside IN_EVERY: both steps are the same in all seeds, and
# differ.
ALONE, NO_WIDTH = "one learner", "no width"


def halfway_by_model(real: pd.DataFrame) -> pd.DataFrame:
    """The mean steps at which relevance and attention are halfway, with their limits over the other seeds,
    by model: of those whose other seeds' relevance gets beyond chance. real: `on_real_text`'s."""
    if real.empty:
        return pd.DataFrame(columns=["kind", *HALVES])
    return real.loc[gets_there(real)].reindex(columns=["kind", *_ENDS])


def mute(found: pd.DataFrame) -> np.ndarray:
    """Why the two intervals can't tell which is first, a row of _ENDS each, or nothing."""
    low, high = (found[[f"{end}_{half}" for half in HALVES]].to_numpy(float) for end in ("low", "high"))
    flat, differ = low == high, (found[HALVES[0]] != found[HALVES[1]]).to_numpy()
    reasons = [np.isnan(low + high).any(axis=1), flat.all(axis=1) & differ, flat.any(axis=1)]
    return np.select(reasons, [ALONE, IN_EVERY, NO_WIDTH], default="")


def leads(real: pd.DataFrame, over: pd.DataFrame) -> pd.DataFrame:
    """By how many steps relevance is halfway before attention, a row a run, of `halfway_by_model`'s models.

    Both are of the same other seeds, so their differences have an interval of their own. But the steps aren't
    stored by other seed, and its half width is known between two bounds alone: `narrow`, the difference of
    the two half widths (the seeds move together), and `wide`, their sum (they move against each other).
    `mute`: why there is none, or nothing. `others`: the number of other seeds. `steps`: for how many they
    were watched. With which is first, one of ORDERS, and the two steps themselves, HALVES. real, over: as for
    `in_short`.
    """
    columns = ["kind", "lead", "narrow", "wide", "mute", "others", "steps", "which is first", *HALVES]
    if real.empty or over.empty:
        return pd.DataFrame(columns=columns)
    of = over[over["kind"].isin(halfway_by_model(real)["kind"])]
    r, a = HALVES
    half = {name: of[f"high_{name}"] - of[name] for name in HALVES}  # the lower limit may be cut at 0
    narrow, wide = (half[r] - half[a]).abs(), half[r] + half[a]
    return of.assign(lead=of[a] - of[r], narrow=narrow, wide=wide, mute=mute(of))[columns]


def decided(found: pd.DataFrame) -> int:
    """In how many runs of `leads` it is decided which is first."""
    return int(found["which is first"].isin(ORDERS[:2]).sum())


def in_every_seed(found: pd.DataFrame, steps: bool = False) -> str:
    """In which runs the same is first in every seed, and in how many: sentences; nothing if in none.

    found: `leads`'s; steps: with the steps, and what isn't known of the lead.
    """
    said = []
    for _, one in found[found["mute"] == IN_EVERY].iterrows():
        ends = dict(zip(("relevance", "attention"), one[[*HALVES]], strict=True))
        earlier, later = sorted(ends, key=ends.get)
        learners = of_all(one["others"], one["others"], "learner")
        told = f"In one run ({inert(one['kind'])}) {earlier} is first with {learners}"
        if steps:
            told += f": at step {ends[earlier]:.0f}, {later} at {ends[later]:.0f}"
            if _earlier(ends[later]) == ends[earlier]:
                told += ". Nobody looked between these steps, so how large the lead is isn't known"
        said.append(f"{told}.")
    return " ".join(said)


def told_by_learners(found: pd.DataFrame) -> str:
    """Whether the learners decide which is halfway first, sentences; nothing without a run.

    found: `leads`'s.
    """
    if found.empty:
        return ""
    n, alike = decided(found), in_every_seed(found)
    said = f"The learners decide it in {of_all(n, len(found), 'run')}."
    if not n:
        said = f"But the learners decide it in {of_all(0, len(found), 'run')}, for they are too few."
    if not alike:
        return said
    return f"{said} {alike.removesuffix('.')}, but so few don't tell how others would go."


def gets_there(real: pd.DataFrame) -> pd.Series:
    """Of which models of `on_real_text` the other seeds' relevance gets beyond chance."""
    return real["top_other"] >= real["top_chance"] + NEAR


def first_by_model(real: pd.DataFrame, over: pd.DataFrame) -> str:
    """Which is halfway first in how many models: the finding of their figure.

    real, over: as for `in_short`.
    """
    found = leads(real, over)
    if len(found) and not decided(found):
        return f"Which is halfway first stays open in {of_all(len(found), len(found), 'run')}"
    of, sooner, later = by_means(real)
    return f"Relevance is halfway first in {of_all(sooner, of, 'model')}, attention in {later or 'none'}"


def _params_of(corpus: str, profile: str, encoder: str, attention: str, seed: int) -> Params:
    """The parameters of a carried run."""
    corpus = corpus.removesuffix(" (part)")
    return resolve({"corpus": corpus, "profile": profile, "encoder": encoder, "attention": attention,
                    "seed": seed})  # fmt: skip


def others_watched(corpus: str, profile: str, encoder: str, attention: str, seed: int) -> int:
    """How many other seeds are watched beside a run."""
    p = _params_of(corpus, profile, encoder, attention, seed)
    return min(len({*p.other_seeds} - {seed}), relevance.OTHERS)


def steps_watched(corpus: str, profile: str, encoder: str, attention: str, seed: int) -> int:
    """For how many steps of training a run on real text was watched: all, unless its parameters say fewer."""
    p = _params_of(corpus, profile, encoder, attention, seed)
    read = verdict.sizes().set_index(["corpus", "profile"]).loc[(p.corpus, profile)]
    texts = int(read[read.index.str.startswith("train_")].sum())
    return min(p.watch_epochs or p.epochs, p.epochs) * -(-texts // p.batch_size)


def seeds_watched(rows: pd.DataFrame) -> str:
    """How many other seeds are watched beside a run on real text: `1 to 5 learners`. rows: `carried`'s."""
    runs = rows.loc[rows["measure"] == HALVES[0], [*BY, "seed"]]
    numbers = [others_watched(*run) for run in runs.itertuples(index=False)]
    least, most = min(numbers), max(numbers)
    return counted(most, "learner") if least == most else f"{least} to {most} learners"


def texts_watched(rows: pd.DataFrame) -> str:
    """On how many test texts the trainings on real text are watched: `367 to 475 test texts`.

    rows: `carried`'s, of one such training at least.
    """
    n = rows.loc[rows["measure"] == HALVES[0], "n"]
    least, most = int(n.min()), int(n.max())
    return counted(most, "test text") if least == most else f"{least} to {most} test texts"


def under_leads(rows: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame) -> str:
    """How the figure of the halfway steps is read; nothing where nothing is told; Markdown.

    rows: `carried`'s; real, over: as for `in_short`.
    """
    if not by_means(real)[0]:
        return ""
    bounds, out = "", int((~gets_there(real)).sum())
    if (leads(real, over)["mute"] == "").any():
        bounds = (
            " The thick and the thin line are the shortest and the longest that its 95 % interval can be, "
            "for the learners' single steps weren't stored."
        )
    rest = ""
    if out:
        rest = (
            f" {of_all(out, len(real), 'model').capitalize()} {'is' if out == 1 else 'are'} left out, for "
            "there the learners hardly ever find the top words relevant "
            "([appendix](#appendix-halfway-run-by-run))."
        )
    return (
        f"*A dot is a run (one seed of a model), its lead a mean over {seeds_watched(rows)}, "
        f"watched on {texts_watched(rows)} for as many steps as stand below the model.{bounds} Hollow: no "
        f"interval.{rest}*"
    )


def which_first(real: pd.DataFrame, over: pd.DataFrame) -> str:
    """Which is halfway first on real text, and why that stays open if it does; nothing where nothing is told.

    real, over: as for `in_short`.
    """
    if not by_means(real)[0]:
        return ""
    said = f"{mean_steps(real)}. {told_by_learners(leads(real, over))}".strip()
    if not _open(over):
        return said
    return (
        f"{said} So the order stays open, and halfway itself is no sure measure, because it depends on "
        "when one stops watching ([appendix](#appendix-halfway-run-by-run))."
    )


def in_each_step(real: pd.DataFrame, over: pd.DataFrame) -> str:
    """The steps of the runs in which all seeds are alike; nothing without one. The arguments are
    `which_first`'s."""
    return in_every_seed(leads(real, over), steps=True)


def not_asked(real: pd.DataFrame) -> str:
    """In which models it can't be asked which is first; nothing if in each it can. real: `on_real_text`'s."""
    rest = real[~gets_there(real)] if len(real) else real
    if rest.empty:
        return ""
    others = "one model" if len(rest) == 1 else f"{len(rest)} models"
    kinds_ = "; ".join(inert(kind) for kind in rest["kind"])
    said = (
        f"**Left out.** In {others} ({kinds_}) the finished model's top word is relevant to a learner in "
        f"{ends_of(rest['top_other'])} of the texts, less than {100 * NEAR:.0f} points above chance. So "
        "there the question can't be asked."
    )
    own = rest[rest["top_own"] >= rest["top_chance"] + NEAR]
    if len(own):
        each = [
            f"{ends_of(own.loc[[key], 'top_own'])} in {inert(one['kind'])}" for key, one in own.iterrows()
        ]
        said += (
            f" (To the finished model itself it is relevant in {listed(each)}: what is relevant there "
            "depends on the seed.)"
        )
    known = not_corrected(real)
    if len(known):
        of = f" in {len(known)} of them" if len(known) < len(rest) else ""
        said += (
            f" And yet{of} it is relevant to a *uniformly* trained model in {ends_of(known['top_uniform'])}. "
            "We can't say why. A guess: a word without attention takes no part in the prediction, so "
            "training no longer corrects its relevance. Enough such words may drift among the 5% most "
            "relevant and displace the attended one. Under even attention every word takes part."
        )
        if own_below(real):
            said += (
                " It would explain, too, why some models find their own top words relevant less often than a "
                "uniformly trained one ([model by model](#appendix-real-text-model-by-model))."
            )
    return said


def not_corrected(real: pd.DataFrame) -> pd.DataFrame:
    """The models of `not_asked` whose top word is relevant to uniform training all the same."""
    rest = real[~gets_there(real)]
    known = rest.loc[beyond_chance(rest, "top_uniform").index]
    return known[known["top_uniform"] > known["top_other"]]


def why_undecided(over: pd.DataFrame) -> str:
    """Why real runs leave it undecided which is first; nothing if none does. over: `run_by_run`'s."""
    found = over["which is first"].value_counts()
    told = [f"{why} in {found[name]}" for name, why in WHY.items() if name in found]
    n = sum(found.get(name, 0) for name in WHY)
    leave = "leave" if n > 1 else "leaves"
    return (
        f"{of_all(n, len(over), 'real run').capitalize()} {leave} it undecided: {listed(told)}." if n else ""
    )


def first_vectors(rows: pd.DataFrame) -> tuple[pd.DataFrame, tuple | None]:
    """A of local states from word2vec's vectors and from random ones, a row a corpus.

    `low ` and `high ` of either A: the outermost limits of its intervals over texts. And where trainings on
    one corpus, of whatever seed, lie furthest apart: the corpus, the kind of vectors, the lowest and the
    highest A; None if each is a single one. rows: `carried`'s.
    """
    columns = {"top_local": "A, word2vec", "top_local_random": "A, random", "top_chance": "A, chance"}
    own = rows[(rows["profile"] != "snell") & rows["measure"].isin(columns)]
    corpus = own["corpus"] + own["profile"].map(lambda name: "" if name == "paper" else f" ({name})")
    held = own.assign(corpus=corpus).pivot_table(
        index=["corpus", "seed", "encoder"], columns="measure", values=["mean", "low", "high"]
    )
    if held.empty or not {*columns} <= {*held["mean"]}:
        return pd.DataFrame(), None
    each = held["mean"].groupby(["corpus", "seed"])[[*columns]].mean().rename(columns=columns)
    wide = each.groupby("corpus").mean()
    for end in ("low", "high"):
        limits = held[end].groupby("corpus").agg("min" if end == "low" else "max")
        for name in ("top_local", "top_local_random"):
            wide[f"{end} {columns[name]}"] = limits[name]
    wide.insert(0, "seeds", each.groupby("corpus").size())
    trained = held["mean"][["top_local", "top_local_random"]].rename(columns=columns)
    ends = trained.groupby("corpus").agg(["min", "max"]).stack(level=0, future_stack=True)
    corpus, name = (ends["max"] - ends["min"]).idxmax()
    least, most = ends.loc[(corpus, name), ["min", "max"]]
    apart = (corpus, VECTORS[name], least, most) if most > least else None
    return wide.rename_axis(columns=None).reset_index(), apart


def by_vectors(wide: pd.DataFrame) -> str:
    """With which word vectors local attention goes to r′ more often: the figure's finding.

    wide: `first_vectors`'s table, not empty.
    """
    n = of_all(better_from_random(wide), len(wide), "corpus", "corpora")
    return f"From random vectors {LABELS['average']} attends to relevant words more often on {n}"


def of_vectors(wide: pd.DataFrame, apart: tuple | None) -> str:
    """What that comes to. wide, apart: `first_vectors`'s, of a table that isn't empty."""
    more, said, enough = wide["A, random"] - wide["A, word2vec"], "", False
    if apart:
        corpus, kind, least, most = apart
        beyond = int((more > most - least).sum())
        enough = beyond > len(wide) / 2
        said = (
            f"In {of_all(beyond, len(wide), 'corpus', 'corpora')} A from random vectors is larger by more "
            f"than {100 * (most - least):.0f} points, the largest difference between two trainings on one "
            f"corpus ({inert(corpus)}, {kind}: {least:.0%} to {most:.0%})."
        )
    for name, kind in VECTORS.items():
        below = wide[wide[f"high {name}"] < wide["A, chance"]]
        if len(below):
            each = [
                f"{inert(row['corpus'])} ({row[name]:.0%}, chance {row['A, chance']:.0%})"
                for _, row in below.iterrows()
            ]
            said += f" From {kind} A is below chance on {listed(each)}."
    if enough:
        said += " So the choice of vectors matters; the authors' are random."
    return said


# The authors' numbers


SHORT = {"a": "attention", "gate": "gate gradient", "loo": "leave-one-out"}


def _labels() -> dict[str, str]:
    """What the measures are called in a narrow column."""
    found = {"top_chance": "A of a random ranking"}
    for name, (u, v, _) in relevance.PAIRS.items():
        u, v = (SHORT.get(ranking, ranking).replace("'", "′") for ranking in (u, v))
        found |= {f"top_{name}": f"A: {u}, {v}", f"xi_{name}": f"ξ: {u}, {v}"}
    return found


def beside_the_authors(run: Run, summary: pd.DataFrame, real: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The authors' recorded numbers beside ours, two tables a corpus: A; then ξ and the accuracy.

    Of others' corpora beside carried runs.
    """
    accuracy = right(run.evidence)
    ours = [(run.params.corpus, "this run", dict(summary["mean"]) | {"accuracy": accuracy})]
    if verdict.snell(run.params.corpus).empty:
        ours = [(model[0], one["kind"], dict(one)) for model, one in real.iterrows() if model[2] == "bilstm"]
    found = {}
    for corpus in dict.fromkeys(corpus.removesuffix(" (part)") for corpus, *_ in ours):
        told = verdict.snell(corpus)[["measure", "value"]].rename(columns={"value": "authors"})
        if told.empty:
            continue
        is_a = told["measure"].str.startswith("top_")
        highest, other = told[is_a].copy(), told[~is_a].copy()
        for of, name, mine in ours:
            if of.removesuffix(" (part)") == corpus:
                mine = {"top_chance_highest": mine.get("top_chance"), **mine}  # the same at every checkpoint
                highest[name] = (highest["measure"] + "_highest").map(mine)
                other[name] = other["measure"].map(mine)
        dash = " (–: at no checkpoint)" if other.isna().any(axis=None) else ""
        for title, table in ((f"{corpus}: highest A", highest), (f"{corpus}: ξ{dash} and accuracy", other)):
            found[title] = table.assign(measure=table["measure"].replace(_labels()))
    return found


def whose_model(real: pd.DataFrame) -> list[str]:
    """On IMDB, whether the authors' own model comes clearly nearer to their numbers than Jain & Wallace's."""
    models = [THEIRS, ("imdb", "paper", "bilstm", "additive")]
    if real.empty or not {*models} <= {*real.index}:
        return []
    told, said = verdict.snell("imdb").set_index("measure")["value"], []
    for measure in ("top_uniform", "top_gate", "top_proxy"):
        theirs, ours = (real.loc[model, f"{measure}_highest"] for model in models)
        further = abs(ours - told[measure]) - abs(theirs - told[measure])
        nearer = "the authors' own model comes nearer" if further > 0 else "Jain & Wallace's comes nearer"
        told_apart = nearer if abs(further) > NEAR else "no difference that so few seeds could show"
        said.append(f"{_labels()[measure]}: {told_apart}.")
    return said


# The foot


def answer(table: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame, wide: pd.DataFrame) -> str:
    """The chapter's question, answered. The arguments are those of `in_short`."""
    if table.empty:
        return NOTHING
    if real.empty:
        more = table["top_uniform"].mean() > table["top_chance"].mean()
        return f"{'Sometimes' if more else 'Not here'}."
    word, part = how_often(with_local(real, wide))
    foretells = f"foretells attention better than chance, {part}" if part else "hardly foretells attention"
    said = f"**{word}.** What a uniformly trained model finds relevant {foretells}."
    if by_means(real)[0]:
        said += (
            " Whether it was there *already*, before attention moved, these runs can't decide."
            if _open(over)
            else " Whether it was there *already*, before attention moved, most runs decide (section 4)."
        )
    return said


def advice(real: pd.DataFrame) -> str:
    """What to do with a heatmap, by how often its brightest word is relevant to the model that shows it.

    Nothing without real text. real: `on_real_text`'s.
    """
    if real.empty:
        return ""
    each = ", depending on the model" if len(real) > 1 else ""
    return (
        "**For practice.** Don't take a heatmap's brightest word for the one that speaks most for the label: "
        "to the very model that shows it, it was among the 5% most relevant in "
        f"{ends_of(real['top_own'])} of the texts{each}. Compute relevance as well: put all attention on one "
        "word after another and read the logit of the label. That tells what the model makes of the word's "
        "state, which may hold other words; to know what the word itself did, remove it "
        "([chapter 11](11_rationales.ipynb))."
    )
