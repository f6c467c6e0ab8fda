"""Chapter 08: what relevance and its agreement with attention come to, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from heed import verdict
from heed.corpora.planted import NEGATORS
from heed.experiments import not_not, relevance
from heed.measures import relevance as measures
from heed.measures import stats
from heed.runs.run import Run
from heed.show.notebook import inert
from heed.show.sentences import counted, number
from heed.show.style import LABELS

NOTHING = "No text here has two words or more, so no ranking can differ from another."
NEAR = 0.05  # above chance: less is said to be near it
AMOUNTS = {"spread": "relevance: spread", "away": "attention: away from even"}
POINTS = {"relevance_agrees": "relevance: A", "attention_agrees": "attention: A"}
HALVES = ("half_relevance_agrees", "half_attention_agrees")
BY = ["corpus", "profile", "encoder", "attention"]


# By hand


class TwoTexts:
    """ "this movie is great" and "this movie is bad", with a number for each word, under even attention.

    Raises AssertionError where a step isn't what the chapter says of it.
    """

    texts = {"this movie is great": 1, "this movie is bad": -1}

    def __init__(self):
        self.r = {"this": 0.1, "movie": -0.1, "is": 0.0, "great": 0.2, "bad": 0.1}
        self.before = dict(self.r)

    def logit(self, text: str) -> float:
        """The mean of the words' numbers."""
        words = text.split()
        return sum(self.r[word] for word in words) / len(words)

    def step(self, text: str) -> None:
        """One step of gradient descent on -log σ(y z), of rate 1: each word is pushed equally far."""
        words, y = text.split(), self.texts[text]
        push = y / len(words) / (1 + np.exp(y * self.logit(text)))
        for word in words:
            self.r[word] += push

    def pull(self, text: str) -> list[float]:
        """How far the same step would move each word's attention score."""
        words, y = text.split(), self.texts[text]
        slope = y / len(words) / (1 + np.exp(y * self.logit(text)))
        return [slope * (self.r[word] - self.logit(text)) for word in words]

    def moved(self) -> dict[str, float]:
        """How far each word has moved from its start."""
        return {word: self.r[word] - start for word, start in self.before.items()}

    def one(self) -> str:
        """Learn from the first text once."""
        self.step("this movie is great")
        found = self.moved()
        assert np.isclose(found["great"], found["this"])
        return f"r of `great` moves by {found['great']:+.3f}, r of `this` by {found['this']:+.3f}."

    def both(self) -> pd.DataFrame:
        """Then from the second."""
        self.step("this movie is bad")
        found = self.moved()
        assert abs(found["this"]) < 0.25 * abs(found["great"])
        return pd.DataFrame(found.items(), columns=["word", "after both texts, moved by"])

    def a_hundred_times(self) -> pd.DataFrame:
        """From both, again and again: relevance, and what then pulls at attention."""
        good = "this movie is great"
        first = self.pull(good)
        for _ in range(100):
            for text in self.texts:
                self.step(text)
        columns = {"word": good.split(), "r": [self.r[word] for word in good.split()]}
        return pd.DataFrame(columns | {"pull on its score, at first": first, "later": self.pull(good)})


def company() -> pd.DataFrame:
    """Two pairs of sentences: of each German word's company, the share that is each English word.

    Raises AssertionError if the best guess isn't the translation.
    """
    pairs = {
        "dieser film ist großartig": "this movie is great",
        "dieser film ist schlecht": "this movie is bad",
    }
    both = [(s, t) for source, target in pairs.items() for s in source.split() for t in target.split()]
    counts = pd.crosstab([t for _, t in both], [s for s, _ in both]).rename_axis(
        index="English", columns=None
    )
    rows = ["this", "movie", "is", "great", "bad"]
    counts = counts.loc[rows, ["dieser", "film", "ist", "großartig", "schlecht"]]
    shares = counts / counts.sum()
    assert shares.loc["great"].idxmax() == "großartig" and shares.loc["bad"].idxmax() == "schlecht"
    return shares.reset_index()


def flows() -> dict[str, tuple]:
    """Two texts under gradient flow, from an even start and from a bad one: `figures.flow`'s panels.

    Raises AssertionError if the flow isn't its closed form.
    """
    times, longer, start = np.linspace(0, 0.93, 94), np.linspace(0, 6, 94), (0, 0, 0.5)
    found, exact = measures.flow(times, start), measures.closed(times, start)
    assert np.allclose(found, exact, atol=1e-8)
    bad = measures.flow(longer, (1, -1, 0.5), bounded=True)
    return {"an even start": (times, found, exact), "a bad start, p a sigmoid": (longer, bad, None)}


def turns(panels: dict[str, tuple]) -> str:
    """When attention moves: the figure's finding. panels: `flows`'s."""
    one = brentq(lambda t: measures.closed([t], (0, 0, 0.5))[2, 0] - 1, 0, 2)
    times, found, _ = panels["a bad start, p a sigmoid"]
    back = times[np.argmax(np.diff(found[2]) > 0)]
    return (
        f"From an even start attention follows relevance and is at 1 at s = {one:.2f}; from a bad one it "
        "runs "
        f"away first, and turns at s = {back:.2f}"
    )


# One text


def shortest(lengths: Sequence[int]) -> int:
    """The text to be shown: the shortest of two units or more."""
    return int(np.where(np.asarray(lengths) > 1, lengths, np.inf).argmin())


def sums_up(row, classes) -> str:
    """That attention times relevance is the logit, of a text with one linear logit; else nothing.

    Raises AssertionError if it isn't.
    """
    if len(row.prediction) != 2 or not row.head.one_logit:
        return ""
    odds = np.log(row.prediction[row.label] / row.prediction[1 - row.label])
    total = row.attention @ measures.relevance(row)
    assert np.isclose(total, odds)
    return (
        f"The sum of a · r is {total:.2f}, and so is the log-odds of {inert(classes[row.label])}, the gold "
        "label."
    )


def agreement_by_hand(row, flat) -> str:
    """A of attention and uniform training's relevance on one text, counted. flat: its row there.

    Raises AssertionError if the count isn't `measures.agreement`'s.
    """
    a, v = row.attention, measures.relevance(flat)
    tops = np.flatnonzero(np.isclose(a, a.max(), rtol=1e-9))  # several, if attention is the same on some
    larger = np.mean([(v > v[top]).sum() for top in tops])
    places, found = int(np.ceil(0.05 * len(a))), measures.agreement(a, v)
    assert len(tops) > 1 or found == (larger < places)
    few = f"{larger:g} position{'' if larger == 1 else 's'}"
    return (
        f"Here {few} have a larger r′ than attention's top, and {places} would be too many: A is "
        f"{found:g}. By "
        f"chance it is {places / len(a):.2f}."
    )


# The answer


def in_short(table: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame) -> list[str]:
    """The chapter's answer.

    table: `relevance`'s, of texts of two units or more; real: `on_real_text`'s; over: `run_by_run`'s.
    """
    if table.empty:
        return [NOTHING]
    said = [here(table)]
    if len(real):
        said.append(real_range(real) + ".")
    if len(over):
        said.append(f"Which of the two comes first, the authors' main claim, is not settled: {counts(over)}.")
    said.append(
        "So a model that never attended tells something of where attention will go, and not most of it."
    )
    return said


def here(table: pd.DataFrame) -> str:
    """How often attention is where uniform training's relevance is, here."""
    found, chance = table["top_uniform"].mean(), table["top_chance"].mean()
    return (
        f"Attention's top is where the relevance of uniform training is largest in {found:.0%} of "
        f"{counted(len(table))} here, by chance in {chance:.0%}."
    )


def pairs(summary: pd.DataFrame) -> str:
    """How uniform training's relevance and the model's own do: the figure's finding. summary: overall."""
    means = summary["mean"]
    return (
        f"Attention agrees with uniform training's relevance in {means['top_uniform']:.0%} of the texts, "
        "with its "
        f"own model's in {means['top_own']:.0%}, by chance in {means['top_chance']:.0%}"
    )


def as_table(summary: pd.DataFrame) -> pd.DataFrame:
    """A, τ and ξ of each pair of rankings. summary: overall rows, by measure."""
    rows = [
        (label, *(summary["mean"][f"{kind}_{name}"] for kind in ("top", "tau", "xi")))
        for name, (*_, label) in relevance.PAIRS.items()
    ]
    return pd.DataFrame(rows, columns=["pair", "A", "Kendall τ", "ξ (accuracy)"])


def twins(table: pd.DataFrame) -> str:
    """What a shared start adds to uniform training's agreement."""
    chance, apart, same = (table[f"top_{k}"].mean() for k in ("chance", "uniform", "twin"))
    return (
        f"From a start of its own uniform training agrees in {apart:.0%} of the texts, from this run's "
        "start in "
        f"{same:.0%} ({100 * (apart - chance):+.0f} and {100 * (same - chance):+.0f} points over chance); "
        "that is "
        "one model of either kind."
    )


def over_seeds(run: Run, summary: pd.DataFrame) -> str:
    """A over seeds, given one uniform model, and at the best moment of its training."""
    seeds, best = summary.loc["top_uniform_seeds"], summary.loc["top_uniform_highest", "mean"]
    said = (
        f"Over {counted(len(relevance.models(run)), 'seed')}, given one uniform model, A is "
        f"{number(seeds['mean'])}"
    )
    if not np.isnan(seeds["low"]):
        said += f" (95 % interval {seeds['low']:.2f} to {seeds['high']:.2f})"
    return (
        f"{said}. At the best watched step of uniform training it is {number(best)}, for this run and the "
        "watched texts."
    )


# Which comes first


def halfway(course: pd.DataFrame) -> pd.DataFrame:
    """Of each other seed, the step of half of the way by amount and by what it points at."""
    trained = relevance.seeds_of(course)
    columns = AMOUNTS | POINTS
    half = pd.DataFrame({label: relevance.halfway(trained, name) for name, label in columns.items()})
    return half.rename_axis("model").reset_index()


def first(course: pd.DataFrame, summary: pd.DataFrame) -> list[str]:
    """Which is half of its way first, of the other seeds."""
    half, trained = halfway(course), relevance.seeds_of(course)
    amount, points = ((half[r] < half[a]).sum() for r, a in (AMOUNTS.values(), POINTS.values()))
    said = [
        f"By amount relevance is half of its way first in {amount} of {counted(len(half), 'other seed')}, "
        "by what it "
        f"points at in {points}."
    ]
    if len(half) > 1:
        r, a = (summary.loc[name] for name in HALVES)
        said.append(
            f"In the mean relevance points there at step {r['mean']:.0f} ({r['low']:.0f} to "
            f"{r['high']:.0f}), attention at "
            f"{a['mean']:.0f} ({a['low']:.0f} to {a['high']:.0f}; Student's 95 % intervals over these "
            "seeds)."
        )
    highest, chance = trained.groupby("step")["relevance_agrees"].mean().max(), trained["chance"].mean()
    if highest < chance + NEAR:
        said.append(
            f"But their relevance hardly points there at any step: A is {highest:.2f} at most, "
            f"{chance:.2f} by chance."
        )
    return said


def early(course: pd.DataFrame) -> pd.DataFrame:
    """The other seeds' means at the first, a middle and the last of the early looks."""
    trained = relevance.seeds_of(course)
    looks = sorted(step for step in trained["step"].unique() if step <= 100)
    kept = trained[trained["step"].isin([looks[0], looks[(len(looks) - 1) // 2], looks[-1]])]
    columns = AMOUNTS | POINTS
    return kept.groupby("step")[[*columns]].mean().rename(columns=columns).reset_index()


def at_first(table: pd.DataFrame) -> str:
    """Which is closer to the finished attention early on: the figure's finding. table: `early`'s."""
    then = table.iloc[(len(table) - 1) // 2]
    r, a = (then[label] for label in POINTS.values())
    ahead = "is" if r > a else "isn't"
    return (
        f"After {then['step']:.0f} steps other seeds' relevance {ahead} closer to this run's finished "
        "attention than "
        f"their attention: A {r:.2f} against {a:.2f}"
    )


# Local states, the truth, an adversary


def local_states(run: Run, summary: pd.DataFrame) -> pd.DataFrame:
    """A and the rarity of attended words, in this run and where states are local."""
    ends = {
        f"{LABELS[run.params.encoder]}, this run": ("top_uniform", "common"),
        "local states": ("top_local", "common_local"),
    }
    if run.params.vectors != "random":
        ends["local states, random first word vectors"] = ("top_local_random", "common_local_random")
    rows = [(name, *(summary["mean"][measure] for measure in of)) for name, of in ends.items()]
    return pd.DataFrame(rows, columns=["model", "A of attention and r′", "τ with how common a word is"])


class Local:
    """The model of local states beside a run: A of its attention and uniform training's relevance."""

    def __init__(self, run: Run):
        self.run = run
        one = relevance.local(run)["local"]
        self.rows = [row for row in one.evidence if len(row.attention) > 1]
        self.flat = measures.relevances(relevance.models(one)["uniform"].evidence)
        self.agree = np.array([measures.agreement(row.attention, self.flat[row.id]) for row in self.rows])

    def against(self, table: pd.DataFrame) -> str:
        """Whether attention is where r′ is more often than in the run. table: `relevance`'s."""
        p = self.run.params
        gap = self.agree - table.set_index("id").loc[[row.id for row in self.rows], "top_uniform"].to_numpy()
        low, high = stats.interval(gap, p.resamples, p.seed)
        often = "neither more nor less often, as far as these texts tell,"
        if low > 0 or high < 0:
            often = "more often" if low > 0 else "less often"
        return (
            f"With local states attention is where r′ is {often} than in this run: {gap.mean():+.2f} "
            f"({low:+.2f} to "
            f"{high:+.2f} over texts, of one model each)."
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
        typical = np.mean([np.abs(x).max() for x in self.flat.values()])
        said = f"In texts with a negator (`not`, `never`, `hardly`) A is {self.agree[has].mean():.2f}"
        if not has.all():
            said += f", in the others {self.agree[~has].mean():.2f}"
        return [
            f"{said}.",
            f"A negator says little of the label alone: the size of its r′ is {alone / typical:.0%} of a "
            "text's largest. "
            f"Yet it gets {weight:.2f} of its text's attention in the mean, weight that is taken from the "
            "others.",
        ]


def tops(run: Run) -> pd.DataFrame:
    """How often the top of each ranking is a deciding word, where those are known."""
    evidence = run.evidence
    rankings = {
        "attention": {row.id: row.attention for row in evidence},
        "relevance": measures.relevances(evidence),
        "relevance, uniform training": measures.relevances(relevance.models(run)["uniform"].evidence),
        "gate gradient": run.arrays("gate"),
        "leave-one-out": measures.dropped(evidence, run.arrays("loo")),
        "bag of words": measures.relevances(relevance.bag(run).evidence),
    }
    known = {row.id: (row.truth, row.truth[row.real]) for row in evidence if row.truth.any()}
    rows = []
    for name, ranking in rankings.items():
        hits = []
        for i, (whole, inner) in known.items():
            truth = whole if len(whole) == len(ranking[i]) else inner
            hits.append(truth[ranking[i].argmax()])
        rows.append((name, np.mean(hits)))
    return pd.DataFrame(rows, columns=["top of", "share on a deciding word"])


def best_top(table: pd.DataFrame) -> str:
    """Which ranking's top is a deciding word most often. table: `tops`'s."""
    found = table.set_index("top of")["share on a deciding word"]
    flat = found["relevance, uniform training"]
    return (
        f"Most often that is the top of {found.idxmax()} ({found.max():.0%}); of attention in "
        f"{found['attention']:.0%}, of "
        f"uniform training's relevance in {flat:.0%}."
    )


def elsewhere(run: Run) -> list[str]:
    """What becomes of relevance in chapter 07's hardest pushed adversary; nothing where none is trained."""
    evidence, pushed = run.evidence, [*not_not.adversaries(run).values()][-1]
    if not evidence.truth_is_known and not pushed.holds("weights"):
        return ["Chapter 07 hasn't trained one on this corpus."]
    flat = measures.relevances(relevance.models(run)["uniform"].evidence)

    def found(of) -> tuple[float, float, float]:
        own, rows = measures.relevances(of), [row for row in of if len(row.attention) > 1]
        agree = [np.mean([measures.agreement(w.attention, r[w.id]) for w in rows]) for r in (flat, own)]
        return (of.predicted == of.labels).mean(), *agree

    right, usual, usual_own = found(evidence)
    right_there, far, far_own = found(pushed.evidence)
    chance = run.table("relevance")["top_chance"].mean()
    along = "has moved along with it" if far_own > 2 * chance else "hasn't moved along"
    return [
        f"It predicts {right_there:.0%} of the texts right, this run {right:.0%}.",
        f"Its attention agrees with r′ in {far:.0%} of the texts instead of {usual:.0%}, and with its own "
        "relevance in "
        f"{far_own:.0%} instead of {usual_own:.0%}: relevance {along}.",
    ]


def dictionary(run: Run, most: int = 6) -> pd.DataFrame:
    """The words that speak most for either of two classes in the bag of words."""
    words = {}
    for row in relevance.bag(run).evidence:
        side = 1 if row.label == 1 else -1
        words |= dict(zip(row.units, side * measures.relevance(row), strict=True))
    ranked = pd.Series(words).sort_values()
    one, other = run.corpus.classes
    return pd.DataFrame({f"for {one}": ranked.index[:most], f"for {other}": ranked.index[::-1][:most]})


# On real text


def carried() -> pd.DataFrame:
    """The carried rows of this chapter, of runs that it went through."""
    rows = verdict.marked(verdict.plain(verdict.committed())).query("`class` == 'overall'")
    rows = rows[rows["measure"].str.match("(top|xi|half|common)_|accuracy$")]
    return rows.merge(rows.loc[rows["measure"] == "top_twin", [*BY, "seed"]])


def on_real_text(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of every measure, by run, and the number of seeds. rows: `carried`'s."""
    if rows.empty:
        return pd.DataFrame()
    held = rows.groupby([*BY, "measure"])["mean"].mean().unstack()
    return held.assign(seeds=rows[rows["measure"] == "top_twin"].groupby(BY)["seed"].nunique())


def real_range(real: pd.DataFrame) -> str:
    """How often attention is where uniform training's relevance is, on real text: the figure's finding."""
    over = 100 * (real["top_uniform"] - real["top_chance"])
    said = (
        "On real text attention's top is where uniform training's relevance is more often than by chance "
        "in "
        f"{(over > 0).sum()} of {len(real)} kinds of runs"
    )
    return f"{said}, by {over.min():.0f} to {over.max():.0f} points" if over.min() > 0 else said


def own_relevance(real: pd.DataFrame) -> list[str]:
    """Whether a model's own relevance does better, and what local states say."""
    nearer = (real["top_own"] > real["top_uniform"]).sum()
    said = [f"The model's *own* relevance agrees more often than that in {nearer} of {len(real)}."]
    local = real[real.index.get_level_values("encoder") == "average"]
    if local.empty:
        return said
    highest = local["top_own"].max()
    least = (local["top_uniform"] - local["top_own"]).min()
    says = f"With local states (Average) it does so in {highest:.0%} of the texts at most"
    if highest < local["top_chance"].max() + NEAR and least > 0:
        says += (
            ", which is about chance: less often than the relevance of a model that never attended. For a "
            "theory "
            "of such states that is a surprise"
        )
    return [*said, f"{says}."]


def named(real: pd.DataFrame) -> pd.DataFrame:
    """A of every pair by run, for a reader."""
    names = {f"top_{k}": label for k, (*_, label) in relevance.PAIRS.items()} | {"top_chance": "chance"}
    wide = real[["seeds", *names]].rename(columns=names).rename(index=LABELS)
    return wide.rename_axis(columns=None).reset_index()


def _earlier(step: float) -> int:
    """The look before this step, at which a model may have been half of its way already."""
    looked = [*relevance.FIRST, *range(250, 10_000, 250)]
    return max((look for look in looked if look < step), default=-1)


def run_by_run(rows: pd.DataFrame) -> pd.DataFrame:
    """Over the training of the uniform model, run by run; which comes first by what it points at."""
    found = []
    for model, own in rows.groupby([*BY, "seed"]):
        own = own.set_index("measure")
        one, low, high = own["mean"], own["low"], own["high"]
        steps = []
        for half in HALVES:
            spread = (
                "one\u00a0seed" if np.isnan(low[half]) else f"{low[half]:.0f}\u00a0to\u00a0{high[half]:.0f}"
            )
            steps.append(f"{one[half]:.0f}\u00a0({spread})")
        ends = one[["top_uniform_highest", "top_uniform_last", "top_chance", "top_other"]]
        found.append((*model[:2], LABELS[model[2]], model[-1], *ends, *steps, _order(one, low, high)))
    columns = [
        "corpus",
        "profile",
        "encoder",
        "seed",
        "A with r′: highest",
        "last",
        "chance",
        "another seed's r",
    ]
    return pd.DataFrame(
        found, columns=[*columns, "half of the way: relevance", "attention", "which is first"]
    )


ORDERS = (
    *("relevance", "attention", "same look", "intervals overlap", "relevance near chance"),
    "one other seed only",
)


def _order(one: pd.Series, low: pd.Series, high: pd.Series) -> str:
    """Which of two is half of its way first: one that is there before the other's interval begins."""
    if one["top_other"] < one["top_chance"] + NEAR:
        return "relevance near chance"
    for k, name in enumerate(("relevance", "attention")):
        if high[HALVES[k]] <= _earlier(low[HALVES[1 - k]]):
            return name
    if low[[*HALVES]].isna().any():
        return "one other seed only"
    return "intervals overlap" if one[HALVES[0]] != one[HALVES[1]] else "same look"


def counts(over: pd.DataFrame) -> str:
    """How many runs have which first. over: `run_by_run`'s."""
    found = over["which is first"].value_counts()
    first_, second = (found.get(name, 0) for name in ORDERS[:2])
    return (
        f"of {counted(len(over), 'real run')} relevance is first in {first_}, attention in {second}, and "
        "the others "
        "can't tell"
    )


def all_orders(over: pd.DataFrame) -> str:
    """The same, with every reason why it can't be told."""
    found = over["which is first"].value_counts().reindex(ORDERS, fill_value=0)
    return f"In these {len(over)} runs: {'; '.join(f'{name} {n}' for name, n in found.items())}."


def first_vectors(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Local states from word2vec's vectors and from random ones: a table, and what it comes to."""
    columns = {"top_local": "A, word2vec", "top_local_random": "A, random vectors", "top_chance": "chance",
               "common_local": "τ, word2vec", "common_local_random": "τ, random vectors"}  # fmt: skip
    levels = ["corpus", "profile", "seed"]
    own = rows[(rows["profile"] != "snell") & rows["measure"].isin(columns)]
    own = own.pivot_table(index=[*levels, "encoder"], columns="measure", values="mean")
    if not {*columns} <= {*own}:
        return pd.DataFrame(), []
    again = own["top_local"].groupby(levels).agg(np.ptp)
    each = own.groupby(levels)[[*columns]].mean().rename(columns=columns)
    wide = each.groupby(levels[:2]).mean()
    wide.insert(0, "seeds", each.groupby(levels[:2]).size())
    more = wide["A, random vectors"] - wide["A, word2vec"]
    said = [
        f"Trained anew, the same local model's A differs by up to {again.max():.2f}.",
        f"From random vectors A is larger in {(more > 0).sum()} of {len(wide)} rows ({more.min():+.2f} to "
        f"{more.max():+.2f}), by more than that in {(more > again.max()).sum()}: there the agreement may "
        "hang on "
        "where word vectors start.",
    ]
    return wide.rename_axis(columns=None).reset_index(), said


# The authors' numbers


def _labels() -> dict[str, str]:
    """What the measures are called."""
    found = {"top_chance": "A of a random ranking"}
    for name, (*_, label) in relevance.PAIRS.items():
        found |= {f"top_{name}": f"A: {label}", f"xi_{name}": f"ξ: {label}"}
    return found


def beside_the_authors(run: Run, summary: pd.DataFrame, real: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The authors' recorded numbers beside ours, by model; of others' corpora beside carried runs."""
    accuracy = (run.evidence.predicted == run.evidence.labels).mean()
    ours = [(run.params.corpus, "this run", dict(summary["mean"]) | {"accuracy": accuracy})]
    if verdict.snell(run.params.corpus).empty:
        ours = [
            (model[0], ", ".join(model), dict(one)) for model, one in real.iterrows() if model[2] == "bilstm"
        ]
    found = {}
    for corpus, name, mine in ours:
        table = verdict.snell(corpus.removesuffix(" (part)"))[["measure", "value"]]
        if len(table):
            table["ours, highest"] = (table["measure"] + "_highest").map(mine)
            table["ours, chosen epoch"] = table["measure"].map(mine)
            table["measure"] = table["measure"].replace(_labels())
            found[name] = table.rename(columns={"value": "recorded (highest)"})
    return found


def whose_model(real: pd.DataFrame) -> list[str]:
    """On IMDB, whether the authors' own model comes nearer to their numbers than that of `paper`."""
    models = [("imdb", profile, "bilstm", "additive") for profile in ("snell", "paper")]
    if real.empty or not {*models} <= {*real.index}:
        return []
    told, said = verdict.snell("imdb").set_index("measure")["value"], []
    for measure in ("top_uniform", "top_gate", "top_proxy"):
        theirs, ours = (real.loc[model, f"{measure}_highest"] for model in models)
        near = "nearer" if abs(theirs - told[measure]) < abs(ours - told[measure]) else "not nearer"
        said.append(
            f"* {_labels()[measure]}: recorded {told[measure]:.2f}; with the authors' model {theirs:.2f}, "
            "which is "
            f"{near}, with that of `paper` {ours:.2f}."
        )
    return said


# The foot


def answer(table: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame) -> list[str]:
    """The chapter's question, answered."""
    if table.empty:
        return [NOTHING]
    found, chance = table["top_uniform"].mean(), table["top_chance"].mean()
    more = "more often than by chance" if found > chance else "no more often than by chance"
    said = [f"Sometimes: here {more} ({found:.0%} against {chance:.0%})."]
    if len(real):
        top = real["top_uniform"]
        said.append(f"On real text in {top.min():.0%} to {top.max():.0%} of the texts.")
    if len(over):
        first_ = (over["which is first"] == "relevance").sum()
        said.append(
            f"That relevance comes first by what it points at is shown in {first_} of {len(over)} real runs."
        )
    return said


def found(summary: pd.DataFrame, local: Local, course: pd.DataFrame) -> pd.DataFrame:
    """The table at the chapter's foot."""
    rows = [
        (f"A of {label}", summary["mean"][f"top_{name}"]) for name, (*_, label) in relevance.PAIRS.items()
    ]
    rows.append(("A by chance", summary["mean"]["top_chance"]))
    rows.append(("A of attention and r′, local states", local.agree.mean()))
    half = halfway(course).drop(columns="model").mean()
    rows += [
        (f"half of the way, {name} (step, mean over the other seeds)", step) for name, step in half.items()
    ]
    return pd.DataFrame(rows, columns=["what", "found"])
