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
from heed.show.sentences import counted, listed, model_named, number
from heed.show.style import LABELS
from heed.show.words import text_for

NOTHING = "No text here has two words or more, so no ranking can differ from another."
NEAR = 0.05  # above chance: less is said to be near it
FEW = 3  # other seeds whose steps are named one by one
UNLEARNT = 0.05  # of the accuracy lost: from here on it is said
AMOUNTS = {"spread": "relevance: spread", "away": "attention: JSD from even"}
POINTS = {"relevance_agrees": "relevance: A", "attention_agrees": "attention: A"}
DRAWN = ("top_uniform", "top_own")  # on real text
HALVES = ("half_relevance_agrees", "half_attention_agrees")
BY = ["corpus", "profile", "encoder", "attention"]
UNIFORM, RANDOM = "relevance, uniform training", "a random word"  # what rankings are called in `tops`
TOPS = ["top of", "share of texts", "95 % interval", "low", "high"]


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
        return pd.DataFrame(found.items(), columns=["word", "moved by, after both texts"])

    def a_hundred_times(self) -> pd.DataFrame:
        """From both, again and again: relevance, and what then pulls at attention, which is held even."""
        good = "this movie is great"
        first = self.pull(good)
        for _ in range(100):
            for text in self.texts:
                self.step(text)
        columns = {"word": good.split(), "r after 100 rounds": [self.r[word] for word in good.split()]}
        return pd.DataFrame(columns | {"pull at first": first, "pull after 100 rounds": self.pull(good)})


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
    """When attention moves: the figure's finding. panels: `flows`'s."""
    one = brentq(lambda t: measures.closed([t], (0, 0, 0.5))[2, 0] - 1, 0, 2)
    times, found, _ = panels[BAD]
    back = times[np.argmax(np.diff(found[2]) > 0)]
    return (
        f"From an even start attention follows relevance and reaches 1 at s\u00a0=\u00a0{one:.2f}; from a "
        f"bad start it first moves the wrong way and turns at s\u00a0=\u00a0{back:.2f}"
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
        f"The sum of a · r is {total:.2f}, and so are the log-odds of the gold label "
        f"(*{inert(classes[row.label])}*)."
    )


def three_tops(row, flat) -> str:
    """Which word each ranking of one text puts first: the finding of its figure. flat: its row after uniform
    training."""
    rankings = {
        "attention": row.attention,
        "relevance": measures.relevance(row),
        "r′ (after uniform training)": measures.relevance(flat),
    }
    tops = [f"{k} “{text_for(row.units[int(v.argmax())], 'figure')}”" for k, v in rankings.items()]
    return f"First of this text's words: by {listed(tops)}"


def three(row, flat) -> dict[str, np.ndarray]:
    """The panels of one text's figure: attention, relevance and uniform training's."""
    ranked = {"attention a": row.attention, "relevance r": measures.relevance(row)}
    return ranked | {"r′, uniform\ntraining": measures.relevance(flat)}


def counterpart(table: pd.DataFrame, name: str) -> str | None:
    """The shortest text with A = 1 if that of this name has less, with less if it has 1; None: there is none.

    table: the run's `relevance`, of texts of two units or more.
    """
    agrees = table["top_uniform"] == 1
    others = table[agrees != agrees[table["id"] == name].any()]
    return None if others.empty else others.loc[others["length"].idxmin(), "id"]


def agreement_by_hand(row, flat) -> str:
    """A of attention and uniform training's relevance on one text, counted. flat: its row there.

    Raises AssertionError if the count isn't `measures.agreement`'s.
    """
    a, v = row.attention, measures.relevance(flat)
    tops = np.flatnonzero(np.isclose(a, a.max(), rtol=1e-9))  # several, if attention is the same on some
    larger = np.mean([(v > v[top]).sum() for top in tops])
    places, found = int(np.ceil(0.05 * len(a))), measures.agreement(a, v)
    assert len(tops) > 1 or found == (larger < places)
    few = {0: "no word has", 1: "1 word has"}.get(larger, f"{larger:g} words have")
    allowed = "none may" if places == 1 else f"fewer than {places} may"
    return (
        f"Here {few} a larger r′ than the word with most attention; for A = 1 {allowed}. So A is {found:g}. "
        f"A random ranking would reach A = 1 with probability {places / len(a):.2f}."
    )


# The answer


def in_short(run: Run, table: pd.DataFrame, summary: pd.DataFrame, real: pd.DataFrame, over) -> list[str]:
    """The chapter's answer.

    table: `relevance`'s, of texts of two units or more; summary: overall rows, by measure; real:
    `on_real_text`'s; over: `run_by_run`'s.
    """
    if table.empty:
        return [NOTHING]
    said = [here(run, table, summary)]
    if len(real):
        said.append(
            f"On real text it is so in {share_range(real['top_uniform'])} of the texts, by chance in "
            f"{share_range(real['top_chance'])}."
        )
    if len(over):
        left = (~over["which is first"].isin(ORDERS[:2])).sum()
        said.append(
            "Whether relevance is learnt before attention, the authors' main claim, remains open: "
            f"{counts(over)}."
            if left > len(over) / 2
            else f"Is relevance learnt before attention, the authors' main claim? Here {counts(over)}."
        )
    return said


def here(run: Run, table: pd.DataFrame, summary: pd.DataFrame) -> str:
    """How often attention is where uniform training's relevance is, here."""
    found, low, high = summary.loc["top_uniform", ["mean", "low", "high"]]
    chance = table["top_chance"].mean()
    up = f"{chance:.0%}" != f"{measures.SHARE:.0%}"
    rounded = ", as 5 % is rounded up to whole words" if up else ""
    predicts = "partly predicts" if low > chance else "doesn't predict better than chance"
    return (
        f"On {model_named(run)}, a model trained with all attention weights equal {predicts} where another "
        f"model's attention will go: in {found:.0%} of {counted(len(table))} (95 % interval {low:.0%} to "
        f"{high:.0%}; chance: {chance:.0%}{rounded}) attention's top word is among the most relevant 5 % of "
        "the first model's (*relevance*: its prediction with all attention on one word)."
    )


def sure(real: pd.DataFrame) -> int:
    """In how many kinds of model uniform training's agreement is above chance by more than its interval."""
    return int((real["low_top_uniform"] > real["top_chance"]).sum())


def share_range(shares: pd.Series) -> str:
    """From the least to the largest, in percent."""
    low, high = f"{shares.min():.0%}", f"{shares.max():.0%}"
    return low if low == high else f"{low} to {high}"


def pairs(summary: pd.DataFrame) -> str:
    """How uniform training's relevance and the model's own do: the figure's finding. summary: overall."""
    means = summary["mean"]
    return (
        f"Attention agrees with uniform training's relevance in {means['top_uniform']:.0%} of the texts, "
        f"with its own model's in {means['top_own']:.0%}, by chance in {means['top_chance']:.0%}"
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
        f"Uniform training from a start of its own agrees with attention in {apart:.0%} of the texts, "
        f"uniform training from this run's start in {same:.0%}, and chance in {chance:.0%} (a model of each)."
    )


def over_seeds(run: Run, summary: pd.DataFrame) -> str:
    """A over seeds, given one uniform model, and at the best moment of its training."""
    seeds, best = summary.loc["top_uniform_seeds"], summary.loc["top_uniform_highest"]
    said = (
        f"With the same uniform model, A is {number(seeds['mean'])} on average over "
        f"{counted(len(relevance.models(run)), 'seed')} of the attending model"
    )
    if not np.isnan(seeds["low"]):
        said += f" (95 % interval over seeds {seeds['low']:.2f} to {seeds['high']:.2f})"
    return (
        f"{said}. At the best checkpoint of the uniform model's training A is {number(best['mean'])} (this "
        f"run, {counted(int(best['n']))}). Other uniform models may give other numbers."
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
    sooner = (half[POINTS["relevance_agrees"]] < half[POINTS["attention_agrees"]]).sum()
    r, a = (
        _steps(half[label], summary.loc[name]) for label, name in zip(POINTS.values(), HALVES, strict=True)
    )
    said = [
        f"Of the other seeds relevance gets halfway {r}, attention {a}: relevance is first in {sooner} of "
        f"{len(half)}."
    ]
    highest, chance = trained.groupby("step")["relevance_agrees"].mean().max(), trained["chance"].mean()
    if highest < chance + NEAR:
        said.append(
            f"But their relevance hardly ever points there: A is {highest:.2f} at most, {chance:.2f} by "
            "chance."
        )
    return said


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
    return (
        f"After {then['step']:.0f} steps other seeds' relevance points {'more' if r > a else 'no more'} "
        f"often to where this run's attention will end than their attention does: A {r:.2f} against {a:.2f}"
    )


def watched(run: Run, course: pd.DataFrame) -> str:
    """Of which texts and steps the curves are, and how good the model is when it is finished; Markdown."""
    p, evidence = run.params, run.evidence
    epochs, steps = min(p.watch_epochs or p.epochs, p.epochs), course["step"].max()
    ends = f"the first {counted(epochs, 'epoch')} of training" if epochs < p.epochs else "the training"
    right = (evidence.predicted == evidence.labels).mean()
    return (
        f"*The curves are of {counted(run.table('watched')['id'].nunique(), 'test text')} and of {ends} "
        f"({steps:,} steps). The finished model is the one of the best of up to "
        f"{counted(p.epochs, 'epoch')}: it predicts {right:.0%} of all "
        f"{counted(len(evidence), 'test text')} right.*"
    )


# Local states, the truth, an adversary


def local_states(run: Run, summary: pd.DataFrame) -> pd.DataFrame:
    """A and the rarity of attended words, in this run and where states are local."""
    ends = {
        f"{LABELS[run.params.encoder]}, this run": ("top_uniform", "common"),
        f"{LABELS['average']} (local states)": ("top_local", "common_local"),
    }
    if run.params.vectors != "random":
        ends["the same from random word vectors"] = ("top_local_random", "common_local_random")
    rows = [(name, *(summary["mean"][measure] for measure in of)) for name, of in ends.items()]
    return pd.DataFrame(rows, columns=["model", "A with r′", "τ with word frequency"])


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
        differs = "doesn't differ beyond chance"
        if low > 0 or high < 0:
            differs = "is larger" if low > 0 else "is smaller"
        return (
            f"With local states A {differs} ({gap.mean():+.2f}, 95 % interval over texts {low:+.2f} to "
            f"{high:+.2f}; one model each)."
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
        said = (
            "In the model of local states A is "
            f"{self.agree[has].mean():.2f} in texts with a negator (`not`, `never`, `hardly`)"
        )
        if not has.all():
            said += f" and {self.agree[~has].mean():.2f} in the others"
        return [
            f"{said}.",
            f"By itself a negator says {'little' if alone < typical / 2 else 'much'} about the label (its "
            f"r′ has {alone / typical:.0%} of the size of a text's largest). On average a negator receives "
            f"{weight:.2f} of its text's attention.",
        ]


def tops(run: Run) -> pd.DataFrame:
    """How often the top of each ranking is a deciding word, with its interval over texts; and a random word.

    No row where the deciding words aren't known.
    """
    evidence, p = run.evidence, run.params
    known = {row.id: (row.truth, row.truth[row.real]) for row in evidence if row.truth.any()}
    if not evidence.truth_is_known or not known:
        return pd.DataFrame(columns=TOPS)
    rankings = {
        "attention": {row.id: row.attention for row in evidence},
        "relevance": measures.relevances(evidence),
        UNIFORM: measures.relevances(relevance.models(run)["uniform"].evidence),
        "gate gradient": run.arrays("gate"),
        "leave-one-out": measures.dropped(evidence, run.arrays("loo")),
        "bag of words": measures.relevances(relevance.bag(run).evidence),
    }
    found = {RANDOM: [inner.mean() for _, inner in known.values()]}
    for name, ranking in rankings.items():
        truths = {i: whole if len(whole) == len(ranking[i]) else inner for i, (whole, inner) in known.items()}
        found[name] = [float(truth[ranking[i].argmax()]) for i, truth in truths.items()]
    rows = []
    for name, hits in found.items():
        low, high = stats.interval(np.array(hits), p.resamples, p.seed)
        rows.append((name, np.mean(hits), f"{low:.2f} to {high:.2f}", low, high))
    return pd.DataFrame(rows, columns=TOPS)


def best_top(table: pd.DataFrame, contextual: bool = False) -> list[str]:
    """Which ranking's top is a deciding word most often. table: `tops`'s, of one row at least.

    contextual: whether the model's states know their context.
    """
    of = table.set_index("top of")
    found, chance = of["share of texts"].drop(RANDOM), of["share of texts"][RANDOM]
    said = [
        f"The first word of {found.idxmax()} is a deciding word most often, in {found.max():.2f} of the "
        f"texts. Attention's first word is one in {found['attention']:.2f}, a word drawn at random in "
        f"{chance:.2f}."
    ]
    flat, low, high = found[UNIFORM], of["low"][UNIFORM], of["high"][UNIFORM]
    beside = (
        "more often than" if low > chance else "less often than" if high < chance else "no more often than"
    )
    said.append(
        f"The word that is most relevant to uniform training is one in {flat:.2f} ({low:.2f} to {high:.2f}), "
        f"{beside} a random word."
    )
    if low <= chance:
        said.append(
            "So agreement with the relevance that is said to lead attention isn't the same as finding the "
            "deciding words."
        )
        if contextual:
            said.append("A state that has read its neighbours may be relevant for what they say.")
    return said


def elsewhere(run: Run) -> list[str]:
    """What becomes of relevance in chapter 07's best adversary; nothing where none is trained."""
    evidence, trained = run.evidence, not_not.adversaries(run)
    if not evidence.truth_is_known and not all(other.holds("weights") for other in trained.values()):
        return ["Chapter 07 hasn't trained any on this corpus."]
    flat = measures.relevances(relevance.models(run)["uniform"].evidence)

    def found(of) -> tuple[float, float, float]:
        own, rows = measures.relevances(of), [row for row in of if len(row.attention) > 1]
        agree = [np.mean([measures.agreement(w.attention, r[w.id]) for w in rows]) for r in (flat, own)]
        return (of.predicted == of.labels).mean(), *agree

    weight = not_not.best(run)
    right, usual, usual_own = found(evidence)
    right_there, far, far_own = found(trained[weight].evidence)
    chance = run.table("relevance")["top_chance"].mean()
    along = "has moved along with it" if far_own > 2 * chance else "hasn't moved along"
    said = [
        f"The attention of that adversary (λ = {weight:g}) agrees with r′ in {far:.0%} of the texts, this "
        f"run's in {usual:.0%}. With its own relevance it agrees in {far_own:.0%}, this run's in "
        f"{usual_own:.0%}: relevance {along}.",
        f"The adversary predicts {right_there:.0%} of the texts right, this run {right:.0%}"
        + ("; it has unlearnt part of the task." if right - right_there > UNLEARNT else "."),
    ]
    return said


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
    """Means over seeds of every measure, by kind of model, its name, and the number of seeds.

    rows: `carried`'s. `low_` and `high_` of a measure: the outermost limits of the seeds' intervals, which
    are over texts.
    """
    if rows.empty:
        return pd.DataFrame()
    by = rows.groupby([*BY, "measure"])
    held = by["mean"].mean().unstack()
    for end, limits in (("low", by["low"].min()), ("high", by["high"].max())):
        held = held.join(limits.unstack()[[*DRAWN]].add_prefix(f"{end}_"))
    called = [kind_named(corpus, profile, encoder) for corpus, profile, encoder, _ in held.index]
    seeds = rows[rows["measure"] == "top_twin"].groupby(BY)["seed"].nunique()
    return held.assign(kind=called, seeds=seeds)


def kind_named(corpus: str, profile: str, encoder: str) -> str:
    """A kind of model for a reader: the profile is named unless it is the usual one."""
    return f"{corpus}, {LABELS[encoder]}{'' if profile == 'paper' else f' ({profile})'}"


def real_range(real: pd.DataFrame) -> str:
    """How often attention is where uniform training's relevance is, on real text: the figure's finding."""
    over = real["top_uniform"] > real["top_chance"]
    return (
        f"On real text attention's top word is among uniform training's most relevant ones in "
        f"{share_range(real['top_uniform'])} of the texts: above chance in {over.sum()} of {len(real)} rows, "
        f"in {sure(real)} by more than the interval"
    )


def own_relevance(real: pd.DataFrame) -> str:
    """In which kinds of model its own relevance agrees less often than uniform training's."""
    less = real[real["top_own"] < real["top_uniform"]]
    if less.empty:
        return "In every row the model's own relevance agrees at least as often as that of uniform training."
    encoders = " or ".join([*dict.fromkeys(LABELS[e] for e in less.index.get_level_values("encoder"))])
    return (
        f"In {len(less)} of {len(real)} rows (all of them {encoders}) the model's own relevance agrees with "
        "its attention less often than that of uniform training does."
    )


def of_local_states(real: pd.DataFrame) -> list[str]:
    """On real text, whether a model of local states attends to what is relevant to itself."""
    local = real[real.index.get_level_values("encoder") == "average"] if len(real) else real
    if local.empty:
        return []
    names = [inert(name) for name in sorted({*local.index.get_level_values("corpus")})]
    said = (
        f"On {listed(names)} the {LABELS['average']} encoder's attention agrees with its own relevance in "
        f"{share_range(local['top_own'])} of the texts, where chance gives {share_range(local['top_chance'])}"
    )
    near = local["top_own"].max() < local["top_chance"].max() + NEAR
    if not near or (local["top_own"] >= local["top_uniform"]).any():
        return [f"{said}."]
    return [
        f"{said}. With the relevance of a uniformly trained model it agrees more often, in "
        f"{share_range(local['top_uniform'])}.",
        "A theory of local states wouldn't lead one to expect this, and nothing here explains it.",
    ]


def with_attention(real: pd.DataFrame) -> pd.DataFrame:
    """A of attention with each relevance, by kind of model."""
    columns = {"kind": "run", "seeds": "seeds", "top_uniform": "r′", "top_twin": "r′ of twin",
               "top_own": "own r", "top_other": "other seed's r", "top_chance": "chance"}  # fmt: skip
    return real[[*columns]].rename(columns=columns).reset_index(drop=True)


def with_uniform(real: pd.DataFrame) -> pd.DataFrame:
    """A of other rankings with uniform training's relevance, by kind of model."""
    columns = {"kind": "run", "top_gate": "gate gradient", "top_dropped": "leave-one-out",
               "top_proxy": "bag of words", "top_chance": "chance"}  # fmt: skip
    return real[[*columns]].rename(columns=columns).reset_index(drop=True)


def _earlier(step: float) -> int:
    """The look before this step, at which a model may have been half of its way already."""
    looked = [*relevance.FIRST, *range(250, 10_000, 250)]
    return max((look for look in looked if look < step), default=-1)


def run_by_run(rows: pd.DataFrame) -> pd.DataFrame:
    """Over the training of the uniform model, run by run; which comes first by what it points at."""
    found = []
    for (corpus, profile, encoder, _, seed), own in rows.groupby([*BY, "seed"]):
        own = own.set_index("measure")
        one, low, high = own["mean"], own["low"], own["high"]
        steps = [f"{one[half]:.0f}\u00a0({_spread(low[half], high[half])})" for half in HALVES]
        ends = one[["top_uniform_highest", "top_uniform_last", "top_other", "top_chance"]]
        called = f"{kind_named(corpus, profile, encoder)}, seed {seed}"
        found.append((called, *ends, *steps, _order(one, low, high)))
    return pd.DataFrame(found, columns=[*HEIGHTS, *STEPS[1:]])


def _spread(low: float, high: float) -> str:
    """An interval over seeds, in steps."""
    if np.isnan(low):
        return "one\u00a0seed"
    return f"{low:.0f}\u00a0to\u00a0{high:.0f}" if high > low else "all\u00a0alike"


HEIGHTS = ["run", "A with r′, highest", "last", "other seed's r", "chance"]
STEPS = ["run", "halfway: relevance", "attention", "which is first"]
ORDERS = (
    *("relevance", "attention", "same checkpoint", "intervals overlap", "relevance near chance"),
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
    return "intervals overlap" if one[HALVES[0]] != one[HALVES[1]] else "same checkpoint"


def counts(over: pd.DataFrame) -> str:
    """How many runs have which first. over: `run_by_run`'s."""
    found = over["which is first"].value_counts()
    first_, second = (found.get(name, 0) for name in ORDERS[:2])
    rest = len(over) - first_ - second
    return (
        f"of {counted(len(over), 'real run')} it comes first in {first_ or 'none'} and attention in "
        f"{second or 'none'}; {rest} leave it undecided"
    )


def all_orders(over: pd.DataFrame, real: pd.DataFrame) -> str:
    """The same, with every reason why it can't be told. real: `on_real_text`'s, of the same runs."""
    found = over["which is first"].value_counts().reindex(ORDERS, fill_value=0)
    relevant, attended, same, overlap, near, single = found
    said = (
        f"Of {counted(len(over), 'real run')} (the first figure's {counted(len(real), 'kind')} of model, "
        f"each seed by itself) relevance is first in {relevant or 'none'}, attention in {attended or 'none'}."
    )
    reasons = [
        ("both get halfway at the same checkpoint", same),
        ("the two intervals overlap", overlap),
        ("the other seeds' relevance stays near chance", near),
        ("there is a single other seed", single),
    ]
    told = [f"{why} in {n}" for why, n in reasons if n]
    return f"{said} The others leave it undecided: {listed(told)}." if told else said


def first_vectors(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Local states from word2vec's vectors and from random ones: a table, and what it comes to."""
    columns = {"top_local": "A, word2vec", "top_local_random": "A, random", "top_chance": "A, chance",
               "common_local": "τ, word2vec",
               "common_local_random": "τ, random"}  # fmt: skip
    own = rows[(rows["profile"] != "snell") & rows["measure"].isin(columns)]
    corpus = own["corpus"] + own["profile"].map(lambda name: "" if name == "paper" else f" ({name})")
    own = own.assign(corpus=corpus).pivot_table(
        index=["corpus", "seed", "encoder"], columns="measure", values="mean"
    )
    if not {*columns} <= {*own}:
        return pd.DataFrame(), []
    again = own["top_local"].groupby(["corpus", "seed"]).agg(np.ptp)
    each = own.groupby(["corpus", "seed"])[[*columns]].mean().rename(columns=columns)
    wide = each.groupby("corpus").mean()
    wide.insert(0, "seeds", each.groupby("corpus").size())
    more = wide["A, random"] - wide["A, word2vec"]
    said = [
        "The local model was trained more than once, under different versions of the library; its A differs "
        f"between them by up to {again.max():.2f}.",
        f"From random vectors A is larger in {(more > 0).sum()} of {len(wide)} rows ({more.min():+.2f} to "
        f"{more.max():+.2f}), in {(more > again.max()).sum()} by more than that difference: there the "
        "agreement may depend on where the word vectors start.",
    ]
    low = wide.index[wide["A, word2vec"] <= wide["A, chance"]].tolist()
    if low:
        said.append(f"From word2vec's vectors A is no more than chance on {listed([*map(inert, low)])}.")
    return wide.rename_axis(columns=None).reset_index(), said


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
    """The authors' recorded numbers beside ours, by model; of others' corpora beside carried runs."""
    accuracy = (run.evidence.predicted == run.evidence.labels).mean()
    ours = [(run.params.corpus, "this run", dict(summary["mean"]) | {"accuracy": accuracy})]
    if verdict.snell(run.params.corpus).empty:
        ours = [(model[0], one["kind"], dict(one)) for model, one in real.iterrows() if model[2] == "bilstm"]
    found = {}
    for corpus, name, mine in ours:
        table = verdict.snell(corpus.removesuffix(" (part)"))[["measure", "value"]]
        if len(table):
            table["ours: highest"] = (table["measure"] + "_highest").map(mine)
            table["chosen epoch"] = table["measure"].map(mine)
            table["measure"] = table["measure"].replace(_labels())
            found[name] = table.rename(columns={"value": "authors: highest"})
    return found


def whose_model(real: pd.DataFrame) -> list[str]:
    """On IMDB, whether the authors' own model comes nearer to their numbers than that of `paper`."""
    models = [("imdb", profile, "bilstm", "additive") for profile in ("snell", "paper")]
    if real.empty or not {*models} <= {*real.index}:
        return []
    told, said = verdict.snell("imdb").set_index("measure")["value"], []
    for measure in ("top_uniform", "top_gate", "top_proxy"):
        theirs, ours = (real.loc[model, f"{measure}_highest"] for model in models)
        nearer = abs(theirs - told[measure]) < abs(ours - told[measure])
        said.append(
            f"{_labels()[measure]}: the authors record {told[measure]:.2f}; their model gives {theirs:.2f} "
            f"here, that of `paper` {ours:.2f}, so {'theirs' if nearer else 'that of `paper`'} comes nearer."
        )
    return said


# The foot


def answer(run: Run, table: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame) -> list[str]:
    """The chapter's question, answered. The arguments are those of `in_short`."""
    if table.empty:
        return [NOTHING]
    found, chance = table["top_uniform"].mean(), table["top_chance"].mean()
    often = "Sometimes" if found > chance else "No more often than by chance"
    said = [
        f"{often}: on {model_named(run)}, attention goes there in {found:.0%} of {counted(len(table))}, by "
        f"chance in {chance:.0%}."
    ]
    if len(real):
        said.append(
            f"On real text ({counted(len(real), 'kind')} of model) it does so in "
            f"{share_range(real['top_uniform'])} of the texts, by chance in "
            f"{share_range(real['top_chance'])}."
        )
    if len(over):
        first_ = (over["which is first"] == ORDERS[0]).sum()
        rest = (~over["which is first"].isin(ORDERS[:2])).sum()
        said.append(
            "That relevance comes first in training, measured by where it points, is seen in "
            f"{first_ or 'none'} of {counted(len(over), 'real run')}; {rest or 'none'} of them "
            f"{'leaves' if rest == 1 else 'leave'} it undecided."
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
    rows += [(f"halfway, {name} (step, mean over the other seeds)", step) for name, step in half.items()]
    return pd.DataFrame(rows, columns=["what", "found"])
