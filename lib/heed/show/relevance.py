"""Chapter 08: what relevance and its agreement with attention come to, in sentences and tables."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import t as student

from heed import verdict
from heed.corpora.planted import NEGATORS
from heed.experiments import not_not, relevance
from heed.measures import relevance as measures
from heed.measures import stats
from heed.models.encoders import encoder_called
from heed.params import Params
from heed.runs.run import Run
from heed.show.figures.relevance import VECTORS
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, model_named, signed
from heed.show.style import LABELS
from heed.show.words import text_for

NOTHING = "No text here has two words or more, so no ranking can differ from another."
NEAR = 0.05  # above chance: less is said to be near it; of two distances: less is no difference
FEW = 3  # other seeds whose steps are named one by one
UNLEARNT = 0.05  # of the accuracy lost: from here on it is said
AMOUNTS = {"spread": "relevance: spread", "away": "attention: JSD from even"}
POINTS = {"relevance_agrees": "relevance: A", "attention_agrees": "attention: A"}
DRAWN = ("top_uniform", "top_own")  # on real text
HALVES = ("half_relevance_agrees", "half_attention_agrees")
BY = ["corpus", "profile", "encoder", "attention"]
# What rankings are called in `tops`.
UNIFORM, BAG, RANDOM = "r′ (uniform training)", "bag of words", "a random word"
# A row of the figures that count how often a ranking's top word is one of those looked for.
HITS = ["label", "mean", "low", "high"]
WITH_ATTENTION = {
    "top_uniform": "r′: uniform training's relevance",
    "top_own": "r: the model's own relevance",
    "top_other": "r of another seed",
}
WITH_UNIFORM = {"top_proxy": BAG, "top_gate": "gate gradient", "top_dropped": "signed leave-one-out"}
PREDICTED = (
    "attention's top word is among the 5 % most [relevant](glossary.md#relevance) to a uniformly trained "
    "model"
)
# What predicts attention beside r′, as sentences call it.
OTHER_SEED, A_BAG = "another seed's relevance", "a bag of words"
SIZES = ("half_spread", "half_away")  # halfway by amount: of relevance and of attention
THEIRS = ("imdb", "snell", "bilstm", "additive")  # the authors' own model, as BY


# By hand


class TwoTexts:
    """ "this movie is great" and "this movie is bad", with a number for each word, under even attention.

    Raises AssertionError where a step isn't what the chapter says of it.
    """

    texts = {"this movie is great": 1, "this movie is bad": -1}

    def __init__(self):
        self.r = dict.fromkeys(("this", "movie", "is", "great", "bad"), 0.0)

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

    def pull(self, text: str) -> dict[str, float]:
        """How far the same step would move the attention score of each word of a text."""
        words, y = text.split(), self.texts[text]
        slope = y / len(words) / (1 + np.exp(y * self.logit(text)))
        return {word: slope * (self.r[word] - self.logit(text)) for word in words}

    def one(self) -> str:
        """Learn from the first text once."""
        self.step("this movie is great")
        assert np.isclose(self.r["great"], self.r["this"])
        return f"r of `great` moves by {self.r['great']:+.3f}, r of `this` by {self.r['this']:+.3f}."

    def both(self) -> pd.DataFrame:
        """Then from the second."""
        self.step("this movie is bad")
        assert abs(self.r["this"]) < 0.25 * abs(self.r["great"])
        return pd.DataFrame(self.r.items(), columns=["word", "r after both texts"])

    def a_hundred_times(self) -> pd.DataFrame:
        """From both, again and again: relevance, and what then pulls at attention, which is held even.

        A word that isn't in a text has no pull there.
        """
        for _ in range(100):
            for text in self.texts:
                self.step(text)
        pulls = {f"pull in “{text}”": self.pull(text) for text in self.texts}
        found = pd.DataFrame({"r after 100 rounds": self.r} | pulls)
        return found.rename_axis("word").reset_index()


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


def shown(uniform) -> int:
    """The text to be shown: the shortest of two units or more, one whose words aren't all `alike` if there is
    one. uniform: all rows after uniform training."""

    def last(i: int) -> tuple:
        n = uniform.lengths[i]
        return n < 2, n > 1 and alike(uniform[i]), n

    return min(range(len(uniform.lengths)), key=last)


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
        f"Over the words of this text the sum of a · r is {total:.2f}. The log-odds of its gold label "
        f"(*{inert(classes[row.label])}*) are the same number."
    )


def three_tops(row, flat) -> str:
    """Which word each ranking of one text puts first, and its A: the finding of its figure. flat: its row
    after uniform training."""
    rankings = {
        "attention": row.attention,
        "relevance": measures.relevance(row),
        "uniform training (r′)": measures.relevance(flat),
    }
    at = [int(ranking.argmax()) for ranking in rankings.values()]
    words = [f"“{text_for(row.units[i], 'figure')}”" for i in at]
    a = f"(A\u00a0=\u00a0{measures.agreement(row.attention, measures.relevance(flat)):g})"
    if len({*at}) == 1:
        return f"{listed([*rankings]).capitalize()} all put {words[0]} first {a}"
    for k in range(3):
        i, j = (other for other in range(3) if other != k)
        if at[i] == at[j]:
            name, same, another = [*rankings][k], [*rankings][i], [*rankings][j]
            return f"{same.capitalize()} and {another} both put {words[i]} first, {name} {words[k]} {a}"
    return f"{listed([*rankings]).capitalize()} each put another word first: {listed(words)} {a}"


def three(row, flat) -> dict[str, np.ndarray]:
    """The panels of one text's figure: attention, relevance and uniform training's."""
    ranked = {"attention a": row.attention, "relevance r": measures.relevance(row)}
    return ranked | {"r′, uniform\ntraining": measures.relevance(flat)}


def counterpart(table: pd.DataFrame, name: str, uniform) -> str | None:
    """The shortest text with A = 1 if that of this name has less, with less if it has 1; None: there is none.

    table: the run's `relevance`, of texts of two units or more; uniform: as for `shown`. Of a text whose
    words are all `alike` nothing is shown.
    """
    agrees = table["top_uniform"] == 1
    apart = ~table["id"].isin([row.id for row in uniform if alike(row)])
    others = table[apart & (agrees != agrees[table["id"] == name].any())]
    return None if others.empty else others.loc[others["length"].idxmin(), "id"]


def which_text(table: pd.DataFrame, name: str) -> str:
    """What the second text that is shown is. table: as `counterpart`'s; name: the second text's."""
    agrees = "1" if table.loc[table["id"] == name, "top_uniform"].item() == 1 else "less than 1"
    return f"For comparison, the shortest such text whose A is {agrees}:"


def alike(row) -> bool:
    """Whether all words of a text speak for one label, the weakest with more than half of the strongest."""
    v = measures.relevance(row)
    low, high = v.min(), v.max()
    return bool(0 < high < 2 * low or 2 * high < low < 0)


def of_a_mark(row, flat, encoder: str) -> str:
    """Why a mark, as a full stop, may come first in a ranking; nothing if none does, or states are local.

    flat: its row after uniform training.
    """
    rankings = (row.attention, measures.relevance(row), measures.relevance(flat))
    firsts = [row.units[int(ranking.argmax())] for ranking in rankings]
    marks = [unit for unit in firsts if not any(map(str.isalnum, unit))]
    if not marks or not encoder_called(encoder).contextual:
        return ""
    read = "the rest of the text" if encoder == "bilstm" else "its neighbours"
    return (
        f"By itself “{tokens(marks[:1])}” says nothing. But the state of the {LABELS[encoder]} there has "
        f"read {read}, too."
    )


def agreement_by_hand(row, flat, chance: bool = True) -> str:
    """A of attention and uniform training's relevance on one text, counted. flat: its row there.

    chance: say how likely that is by chance, too. Raises AssertionError if the count isn't
    `measures.agreement`'s.
    """
    a, v = row.attention, measures.relevance(flat)
    tops = np.flatnonzero(np.isclose(a, a.max(), rtol=1e-9))  # several, if attention is the same on some
    larger = np.mean([(v > v[top]).sum() for top in tops])
    places, found = int(np.ceil(0.05 * len(a))), measures.agreement(a, v)
    assert len(tops) > 1 or found == (larger < places)
    few = {0: "No word has", 1: "One word has"}.get(larger, f"Of this text's words {larger:g} have")
    allowed = "none may" if places == 1 else f"fewer than {places} may"
    said = f"{few} a larger r′ than the word with most attention; for A = 1 {allowed}. So A is {found:g}."
    return f"{said} By chance it would be 1 with probability {places / len(a):.2f}." if chance else said


# The answer


def in_short(
    run: Run,
    table: pd.DataFrame,
    summary: pd.DataFrame,
    real: pd.DataFrame,
    over: pd.DataFrame,
    agree: np.ndarray,
) -> list[str]:
    """The chapter's answer, a line a sentence.

    table: `relevance`'s, of texts of two units or more; summary: overall rows, by measure; real:
    `on_real_text`'s; over: `run_by_run`'s; agree: `with_bag`'s.
    """
    if table.empty:
        return [NOTHING]
    found, low, high = summary.loc["top_uniform", ["mean", "low", "high"]]
    chance = table["top_chance"].mean()
    here = f"{found:.0%} (95 % interval {low:.0%} to {high:.0%}; chance: {chance:.0%})"
    if len(real):
        often = "Partly" if sure(real) else "Not clearly"
        rows = "the row below" if len(real) == 1 else f"median of {len(real)} rows below"
        said = [
            f"{often}: in {typical(real['top_uniform'])} of real texts {PREDICTED} (chance: "
            f"{typical(real['top_chance'])}; {rows}).",
            replicated(real),
            f"On {model_named(run)}: {here}.",
        ]
    else:
        said = [f"On {model_named(run)} {PREDICTED} in {here} of {counted(len(table))}."]
    closer = better(run, table, agree)
    said.append(predicted_better(closer, at_best(run, table, agree, summary)))
    said.append(by_counting(run, summary, real, A_BAG in [name for name, *_ in closer]))
    if local := own_of_local(real):
        _, own, chance, flat = local
        said.append(
            f"Against the theory: {LABELS['average']}'s attention agrees with its own relevance in {own:.0%} "
            f"(chance: {chance:.0%}), with uniform training's in {flat:.0%}."
        )
    if len(over):
        left = int((~over["which is first"].isin(ORDERS[:2])).sum())
        also = "" if order_here(summary) in ORDERS[:2] else f"{inert(run.params.corpus)} and "
        said.append(
            f"Is relevance learnt first? {_undecided(over, left, also)}."
            if left > len(over) / 2
            else f"Is relevance learnt first? Here {counts(over)}."
        )
    return [sentence for sentence in said if sentence]


def _undecided(over: pd.DataFrame, left: int, also: str) -> str:
    """That so many of the real runs leave it undecided which is first, why, and what the others say.

    also: what is undecided beside them.
    """
    found = over["which is first"].value_counts()
    why = {
        "too few seeds": found.get("intervals overlap", 0) + found.get("one other seed only", 0),
        "relevance near chance": found.get(NEAR_CHANCE, 0),
        "tie": found.get("same checkpoint", 0),
    }
    reasons = "; ".join(f"{reason}: {n}" for reason, n in why.items() if n)
    parts = [f"{name} first in {found[name]}" for name in ORDERS[:2] if name in found]
    width = " (interval of no width)" if without_width(over) else ""
    ends = f"; {listed(parts)}{width}" if parts else ""
    return f"Open in {also}{of_all(left, len(over), 'real run')} ({reasons}){ends}"


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


def _leaves(n: int) -> str:
    """The verb after `of_all`."""
    return "leave" if n > 1 else "leaves"


def replicated(real: pd.DataFrame) -> str:
    """What the authors' own model comes to here and in their notebook; nothing if it isn't among the rows."""
    ours, told = _theirs(real)
    if np.isnan(ours) or np.isnan(told):
        return ""
    return f"The authors' model at best: {ours:.0%} on IMDB (their notebook: {told:.0%})."


def _theirs(real: pd.DataFrame) -> tuple[float, float]:
    """The highest A of attention and r′ of the authors' own model, ours and theirs; NaN if there is none."""
    told = verdict.snell(THEIRS[0]).set_index("measure")["value"].get("top_uniform", np.nan)
    return real["top_uniform_highest"].get(THEIRS, np.nan), told


def predicted_better(closer: list, best: tuple) -> str:
    """What predicts attention better than r′ here; nothing if there is nothing.

    closer: `better`'s; best: `at_best`'s.
    """
    if not closer:
        return ""
    told = listed([f"{name} ({mean:.0%})" for name, mean, *_ in closer])
    highest, rivals, n = best
    shares = listed([f"{rivals[name]:.0%}" for name, *_ in closer]) if n else ""
    early = f"; uniform training's best step: {highest:.0%} (against {shares})" if n else ""
    return f"There {told} {'does' if len(closer) == 1 else 'do'} better{early}."


def by_other(real: pd.DataFrame) -> str:
    """In how many rows another seed's relevance agrees more often than r′, by encoder."""
    more = (real["top_other"] > real["top_uniform"]).to_numpy()
    encoders = real.index.get_level_values("encoder")
    parts, none = [], []
    for e in LABELS:
        n, total = int(more[encoders == e].sum()), int((encoders == e).sum())
        if n:
            parts.append(of_all(n, total, f"{LABELS[e]} row"))
        elif total:
            none.append(LABELS[e])
    if not parts:
        return of_all(0, len(real), "row")
    return listed([*parts, *([f"no {' or '.join(none)} row"] if none else [])])


def at_best(
    run: Run, table: pd.DataFrame, agree: np.ndarray, summary: pd.DataFrame
) -> tuple[float, dict[str, float], int]:
    """A with r′ at its best checkpoint and that of its rivals, on texts watched in training; their number.

    The arguments are those of `in_short`.
    """
    seen = table["id"].isin(run.table("watched")["id"]).to_numpy()
    rivals = {OTHER_SEED: table["top_other"][seen].mean(), A_BAG: agree[seen].mean()}
    return float(summary.loc["top_uniform_highest", "mean"]), rivals, int(seen.sum())


def _level(highest: float, rivals: dict[str, float], names: list[str]) -> bool:
    """Whether r′ at its best checkpoint comes near each of the rivals of these names, or passes it."""
    return all(rivals[name] < highest + NEAR for name in names)


def typical(shares: pd.Series) -> str:
    """The median of several shares, in percent."""
    return f"{shares.median():.0%}"


def better(run: Run, table: pd.DataFrame, agree: np.ndarray) -> list[tuple[str, float, float, float, float]]:
    """What agrees with attention more often than r′ does, beyond the interval of the difference over texts.

    Of each its name in a sentence, A, and by how much that is more, with its interval. The model's own
    relevance isn't asked for, which it learns together with its attention. table: `relevance`'s, of texts of
    two units or more; agree: `with_bag`'s.
    """
    rivals = {OTHER_SEED: table["top_other"].to_numpy(), A_BAG: agree}
    found = []
    for name, own in rivals.items():
        more = own - table["top_uniform"].to_numpy()
        low, high = stats.interval(more, run.params.resamples, run.params.seed)
        if low > 0:
            found.append((name, own.mean(), more.mean(), low, high))
    return found


def contrary(
    run: Run, table: pd.DataFrame, agree: np.ndarray, tops: pd.DataFrame, real: pd.DataFrame, best: tuple
) -> list[str]:
    """What predicts attention better than the theory's r′ does, here and on real text.

    table, agree: as for `better`; tops: `tops`'s; real: `on_real_text`'s; best: `at_best`'s.
    """
    said, closer = [], better(run, table, agree)
    names = [name for name, *_ in closer]
    if closer:
        ahead = []
        for name, _, *by in closer:
            more, low, high = (f"{100 * x:.0f}" for x in by)
            over = f"by {more} points (95 % interval over texts {low} to {high})"
            than = "" if ahead else "agrees with this attention more often than r′, "
            ahead.append(f"{name} {than}{over}")
        told = "; ".join(ahead)
        said.append(f"{told[0].upper()}{told[1:]}.")
    finds = tops.set_index("label")["mean"].get(BAG, 0)
    if A_BAG in names and finds > 0.5:
        said.append(
            f"The bag's top word is a deciding word in {finds:.0%} of the texts (section 2); attention may "
            "go there for that, and not because words were counted."
        )
    if closer and best[-1]:
        said.append(early_enough(names, best))
    if len(real):
        said.append(
            f"\n\nOn real text {OTHER_SEED} agrees more often than r′ in {by_other(real)} of the first "
            f"figure{_lead(real)}."
        )
    if closer:
        said.append("So r′ says something about where attention will be, but isn't the best guide.")
    return said


def early_enough(names: list[str], best: tuple) -> str:
    """Whether r′ lags behind what these names stand for at each checkpoint of uniform training, too.

    best: `at_best`'s.
    """
    highest, rivals, n = best
    shares = listed([f"{name} {rivals[name]:.0%}" for name in names])
    so = (
        "So its lag may be a matter of when training stops; but the best of several is high by luck, too."
        if _level(highest, rivals, names)
        else "So that doesn't account for its lag."
    )
    return (
        "\n\nBut the theory speaks of early training, and r′ is of the finished model. At the best of its "
        "checkpoints (steps of training at which we look) uniform training has "
        f"{highest:.0%} on {counted(n, 'test text')}; on the same texts {shares}. {so}"
    )


def _lead(real: pd.DataFrame) -> str:
    """By how much another seed's relevance is ahead of r′ where it is, and of r′ at its best checkpoint."""
    more = real[real["top_other"] > real["top_uniform"]]
    if more.empty:
        return ""
    ends = sorted({f"{100 * gap:.0f}" for gap in more["top_other"] - more["top_uniform"]}, key=float)
    by = f", by {ends[0]}{f' to {ends[-1]}' if len(ends) > 1 else ''} points"
    best = more["top_uniform_highest"]
    ahead = int((more["top_other"] > best).sum())
    if best.isna().any() or not ahead:
        return by
    of = {1: "it" if len(more) == 1 else "one of them"}.get(ahead, f"{ahead} of them")
    if ahead == len(more) > 1:
        of = "both" if ahead == 2 else f"all {ahead}"
    return f"{by}; in {of} also more often than uniform training at its best checkpoint"


def by_counting(run: Run, summary: pd.DataFrame, real: pd.DataFrame, named: bool) -> str:
    """How often uniform training agrees with a bag of words, on real text and here.

    named: whether the bag of words has been spoken of; the other arguments are those of `in_short`.
    """
    agrees = f"It agrees with {'the bag' if named else 'a bag of words'} in"
    here, asked = f"{summary.loc['top_proxy', 'mean']:.0%}", "Has it counted words?"
    if real.empty:
        return f"{asked} {agrees} {here} of the texts."
    note = {"average": ", nearly one"}
    each = [f"{of.median():.0%} ({LABELS[e]}{note.get(e, '')})" for e, of in by_encoder(real).items()]
    return f"{asked} {agrees} {listed(each)} of real texts; on {inert(run.params.corpus)}: {here}."


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
    return int((real["low_top_uniform"] > real["top_chance"]).sum())


def attended_to(run: Run, summary: pd.DataFrame, agree: np.ndarray) -> pd.DataFrame:
    """How often attention's top word is among the first 5 % of each ranking; rows as HITS.

    summary: overall rows, by measure; agree: `with_bag`'s.
    """
    p = run.params
    own = [(label, *summary.loc[name, ["mean", "low", "high"]]) for name, label in WITH_ATTENTION.items()]
    own.append((BAG, agree.mean(), *stats.interval(agree, p.resamples, p.seed)))
    return pd.DataFrame(own, columns=HITS)


def with_bag(run: Run) -> np.ndarray:
    """A of attention and the bag of words' relevance, a number a text of two units or more."""
    counted_ = measures.relevances(relevance.bag(run).evidence)
    rows = [row for row in run.evidence if len(row.attention) > 1]
    return np.array([measures.agreement(row.attention, counted_[row.id]) for row in rows])


def pairs(summary: pd.DataFrame, agree: np.ndarray) -> str:
    """How uniform training's relevance does, and a bag of words: the figure's finding.

    summary: overall; agree: `with_bag`'s.
    """
    means = summary["mean"]
    return (
        f"Attention's top word is among uniform training's most relevant ones in "
        f"{means['top_uniform']:.0%} of the texts, by chance in {means['top_chance']:.0%}; among a bag of "
        f"words' in {agree.mean():.0%}, its own model's in {means['top_own']:.0%}"
    )


def counting(summary: pd.DataFrame) -> pd.DataFrame:
    """How often the top word of other rankings is among the first 5 % by r′; rows as HITS."""
    own = [(label, *summary.loc[name, ["mean", "low", "high"]]) for name, label in WITH_UNIFORM.items()]
    return pd.DataFrame(own, columns=HITS)


def counts_words(summary: pd.DataFrame) -> str:
    """How far r′ is what counting gives: the figure's finding. summary: overall."""
    mean, chance = summary.loc["top_proxy", "mean"], summary.loc["top_chance", "mean"]
    return (
        f"The bag of words' top word is among uniform training's most relevant ones in {mean:.0%} of the "
        f"texts, by chance in {chance:.0%}"
    )


def by_whole_rankings(summary: pd.DataFrame) -> str:
    """How far other rankings agree with r′ by τ, with intervals. summary: overall rows, by measure."""
    parts = []
    for name, label in WITH_UNIFORM.items():
        tau, low, high = summary.loc[name.replace("top_", "tau_"), ["mean", "low", "high"]]
        parts.append(f"{label} {signed(tau)} ({signed(low)} to {signed(high)})")
    return (
        "By [Kendall's τ](glossary.md#kendall-τ), which compares whole rankings, r′ agrees with them so "
        f"(95 % intervals over texts; 0 is chance): {listed(parts)}."
    )


def counted_here(summary: pd.DataFrame) -> str:
    """How often the bag of words agrees with r′ in this run. summary: overall rows, by measure."""
    means = summary["mean"]
    return (
        f"In this run the bag's top word is among the first by r′ in {means['top_proxy']:.0%} of the "
        f"texts, by chance in {means['top_chance']:.0%}."
    )


def counted_on_real_text(real: pd.DataFrame) -> str:
    """How often the bag of words agrees with r′ on real text, by encoder; nothing without rows."""
    if real.empty:
        return ""
    each = []
    for e, of in by_encoder(real).items():
        ends = [f"{end:.0%}" for end in (of.min(), of.max())]
        span = f", by row {ends[0]} to {ends[1]}" if ends[0] != ends[1] else ""
        each.append(f"{of.median():.0%} ({LABELS[e]}{span})")
    more = ""
    if "average" in by_encoder(real):
        more = (
            f" Under even attention the {LABELS['average']} encoder nearly is a bag of words, so there it "
            "could hardly be otherwise."
        )
    return f"On real text that is so in {listed(each)} of the texts (medians over rows).{more}"


def as_table(summary: pd.DataFrame) -> pd.DataFrame:
    """A and τ of each pair of rankings. summary: overall rows, by measure."""
    rows = [
        (label, f"{summary['mean'][f'top_{name}']:.0%}", summary["mean"][f"tau_{name}"])
        for name, (*_, label) in relevance.PAIRS.items()
    ]
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
        f"{said} On real text the twin's is higher in {of_all(int((gap > 0).sum()), len(gap), 'row')}; the "
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
    name, best, last, chance = (over[HEIGHTS[k]] for k in (0, 1, 2, 4))
    most = (best - last).idxmax()
    middle = "one real run" if len(over) == 1 else f"median of {len(over)} real runs"
    said = (
        f"On real texts watched in uniform training A is {typical(best)} at the checkpoint at which it is "
        f"highest, {typical(last)} at the last one watched ({middle})."
    )
    if best[most] - last[most] < NEAR:
        return said
    return (
        f"{said} It falls most in {inert(name[most])}: from {best[most]:.0%} to {last[most]:.0%} "
        f"(chance: {chance[most]:.0%}). With r′, of the finished model and all texts, it is "
        f"{over['finished'][most]:.0%} there."
    )


# Which comes first


def halfway(course: pd.DataFrame) -> pd.DataFrame:
    """Of each other seed, the step of half of the way by amount and by what it points at."""
    trained = relevance.seeds_of(course)
    columns = AMOUNTS | POINTS
    half = pd.DataFrame({label: relevance.halfway(trained, name) for name, label in columns.items()})
    return half.rename_axis("model").reset_index()


def first(course: pd.DataFrame, summary: pd.DataFrame) -> list[str]:
    """Which is half of its way first, of the other seeds, by the rule that holds for real runs, too."""
    half, trained = halfway(course), relevance.seeds_of(course)
    r, a = (
        _steps(half[label], summary.loc[name]) for label, name in zip(POINTS.values(), HALVES, strict=True)
    )
    order = order_here(summary)
    comes = f"{order} is first" if order in ORDERS[:2] else f"it is undecided: {WHY[order]}"
    said = [f"In this run relevance gets halfway {r}, attention {a}. By the rule above {comes}."]
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
    attention = halves(course)["attention_agrees"].mean()
    when = "as the theory expects, before" if step < attention else "against the theory, not before"
    return (
        f"Uniform training's r′ is halfway at step {step}: {when} the other seeds' attention "
        f"({attention:.0f}). It is one model."
    )


def by_size(course: pd.DataFrame, over: pd.DataFrame) -> str:
    """Which is halfway first by amount, here and on real text, and why that isn't the question asked.

    over: `run_by_run`'s.
    """
    r, a = (halfway(course)[label].mean() for label in AMOUNTS.values())
    said = (
        "By size, instead of by where it points, relevance (how far a text's words spread) gets halfway at "
        f"step {r:.0f}, attention (how far from even) at step {a:.0f} (means)."
    )
    known = over[[*SIZES]].dropna() if len(over) else over
    if len(known):
        sooner = int((known[SIZES[1]] < known[SIZES[0]]).sum())
        said += f" On real text attention is earlier by size in {of_all(sooner, len(known), 'run')}."
    return (
        f"{said} But relevance can grow for as long as the model gets surer, which attention can't, so its "
        "halfway step comes late whichever is first."
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
    relevant, attended = (found.get(name, 0) for name in ORDERS[:2])
    return (
        f"Which gets halfway first is undecided in {len(rows) - relevant - attended} of "
        f"{counted(len(rows), 'run')}; it is relevance in {relevant or 'none'}, attention in "
        f"{attended or 'none'}"
    )


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


def halves(course: pd.DataFrame) -> dict[str, pd.Series]:
    """The steps at which each of the other seeds' relevance and attention get halfway, by POINTS."""
    half = halfway(course).set_index("model")
    return {name: half[label] for name, label in POINTS.items()}


def reached(course: pd.DataFrame, order: str) -> str:
    """When relevance and attention get halfway: the finding of the figure of their courses.

    order: which of them is first, one of ORDERS.
    """
    trained = relevance.seeds_of(course)
    highest, chance = trained.groupby("step")["relevance_agrees"].mean().max(), trained["chance"].mean()
    if highest < chance + NEAR:
        return (
            "Other seeds' relevance hardly ever points to where this run's attention ends: A "
            f"{highest:.2f} at most, {chance:.2f} by chance"
        )
    r, a = halves(course).values()
    n = len(r)
    when = "earlier" if r.mean() < a.mean() else "later" if r.mean() > a.mean() else "no earlier"
    whose, their = ("Other seeds'", "their") if n > 1 else ("Another seed's", "its")
    seeds = {1: "one seed", 2: "two seeds"}.get(n, f"{n} seeds")
    unsure = "" if order in ORDERS[:2] else f"; {seeds} can't decide which is first"
    step = flat_half(course)
    flat = "" if step is None else f", r′ at step {step}"
    return (
        f"{whose} relevance points to the final attention {when} ({_when(r)}) than {their} attention does "
        f"({_when(a)}){flat}{unsure}"
    )


def _when(half: pd.Series) -> str:
    """The steps of a few seeds, the mean of more."""
    if len(half) > FEW:
        return f"step {half.mean():.0f} on average"
    return _steps(half, half).removeprefix("at ")


def under_halfway() -> str:
    """How the figure of the halfway steps is read; Markdown."""
    return "*No line: the other seeds are all alike, or there is a single one.*"


def watched(run: Run, course: pd.DataFrame) -> str:
    """Of which texts and steps the curves are, and how good the model is when it is finished; Markdown."""
    p, evidence = run.params, run.evidence
    epochs, steps = min(p.watch_epochs or p.epochs, p.epochs), course["step"].max()
    ends = f"the first {counted(epochs, 'epoch')} of training" if epochs < p.epochs else "the training"
    seeds = relevance.seeds_of(course)["model"].nunique()
    lines = (
        "a line is a seed" if seeds <= FEW else "thick lines are means over the other seeds, thin ones each"
    )
    base = course[course["model"] == "base"].sort_values("step")["accuracy"].iloc[-1]
    return (
        f"*The curves are of {counted(run.table('watched')['id'].nunique(), 'test text')} and of {ends} "
        f"({steps:,} steps); {lines}. A ring: here a seed is halfway. After these steps this run predicts "
        f"{base:.0%} of these texts right; finished, at the epoch best on development data (of up to "
        f"{p.epochs}), {right(evidence):.0%} of all {counted(len(evidence), 'test text')}.*"
    )


# Local states, the truth, an adversary


def local_states(run: Run, summary: pd.DataFrame) -> pd.DataFrame:
    """A and the rarity of attended words, in this run and where states are local."""
    local = relevance.local(run)
    ends = {
        f"{LABELS[run.params.encoder]}, this run": (run, "top_uniform", "common"),
        f"{LABELS['average']} (local states)": (local["local"], "top_local", "common_local"),
    }
    if run.params.vectors != "random":
        random = local["local_random"], "top_local_random", "common_local_random"
        ends["the same from random word vectors"] = random
    rows = [
        (name, right(of.evidence), *(summary["mean"][measure] for measure in columns))
        for name, (of, *columns) in ends.items()
    ]
    return pd.DataFrame(rows, columns=["model", "accuracy", "A with r′", "τ with word frequency"])


def right(evidence) -> float:
    """The share of texts that a model predicts right."""
    return float((evidence.predicted == evidence.labels).mean())


def frequency(summary: pd.DataFrame) -> str:
    """Whether attention goes to common or to rare words, here and where states are local."""
    of = {"in this run": "common", "with local states": "common_local"}
    parts = []
    for name, measure in of.items():
        mean, low, high = summary.loc[measure, ["mean", "low", "high"]]
        goes = "to common words" if low > 0 else "to rare words" if high < 0 else "to neither"
        if not np.isnan(mean):
            parts.append(f"{goes} {name} (τ {signed(mean)})")
    return f"Attention goes {listed(parts)}." if parts else ""


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
    """How often uniform training's top word decides, and the bag's: the figure's finding.

    tops: `tops`'s, not empty.
    """
    found = tops.set_index("label")["mean"]
    return (
        f"Uniform training's most relevant word is a deciding word in {found[UNIFORM]:.0%} of the texts, the "
        f"bag of words' in {found[BAG]:.0%}, a random word in {found[RANDOM]:.0%}"
    )


def not_counted(tops: pd.DataFrame) -> bool:
    """Whether uniform training's top word decides less often than that of a model that counts."""
    of = tops.set_index("label")
    return bool(of.loc[UNIFORM, "high"] < of.loc[BAG, "low"])


def of_counting(tops: pd.DataFrame, contextual: bool) -> list[str]:
    """What it comes to that uniform training finds the deciding words, or doesn't.

    tops: not empty; contextual: whether the model's states know their context.
    """
    of = tops.set_index("label")
    said = [f"Uniform training's top word decides {beside_random(of)} a random word."]
    if not_counted(tops):
        said.append("A bag of words finds the deciding words more often, so here r′ isn't a count of words.")
        if contextual:
            said.append("A state that has read its neighbours may be relevant for what they say.")
    return said


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
    kept, another = agree["this run", "other"].mean(), own["top_other"].mean()
    if kept >= another:
        said += (
            f" This run's attention agrees with the adversary's relevance in {kept:.0%}, with another seed's "
            f"in {another:.0%}: the adversary's doesn't point away from it."
        )
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
    are over texts; `each_`: the seeds' means.
    """
    if rows.empty:
        return pd.DataFrame()
    by = rows.groupby([*BY, "measure"])
    held = by["mean"].mean().unstack()
    for end, limits in (("low", by["low"].min()), ("high", by["high"].max())):
        held = held.join(limits.unstack()[[*DRAWN]].add_prefix(f"{end}_"))
    called = [kind_named(corpus, profile, encoder) for corpus, profile, encoder, _ in held.index]
    seeds = rows[rows["measure"] == "top_twin"].groupby(BY)["seed"].nunique()
    each = by["mean"].agg(tuple).unstack()[[*DRAWN]].add_prefix("each_")
    return held.assign(kind=called, seeds=seeds).join(each)


def kind_named(corpus: str, profile: str, encoder: str) -> str:
    """A kind of model for a reader: the profile is named unless it is the usual one."""
    return f"{corpus}, {LABELS[encoder]}{'' if profile == 'paper' else f' ({profile})'}"


def above_chance(real: pd.DataFrame) -> str:
    """Whether attention is where uniform training's relevance is, on real text: the figure's finding."""
    return (
        f"In {of_all(sure(real), len(real), 'row')} attention's top word is among uniform training's most "
        f"relevant ones clearly more often than by chance (median: {typical(real['top_uniform'])} of the "
        f"texts, chance {typical(real['top_chance'])})"
    )


def under_real() -> str:
    """How the figure of real text is read; Markdown."""
    return (
        "*A row is a kind of model among the [stored runs](glossary.md#carried): a corpus and an "
        "[encoder](glossary.md#encoder) (snell: [the authors' model](glossary.md#profile), see the last "
        "appendix). A mark is the mean over [seeds](glossary.md#seed), strokes are the single seeds; it is "
        "hollow if there is one. The line runs from the lowest to the highest limit of the seeds' 95 % "
        "intervals over texts. How far other attending seeds would differ section 1 says. Clearly: the whole "
        "line lies above chance.*"
    )


def own_relevance(real: pd.DataFrame) -> str:
    """Where the model's own relevance agrees more often than uniform training's, and where less often."""
    gap = real["top_own"] - real["top_uniform"]
    more, less = real[gap > 0], real[gap < 0]
    own = "the model's own relevance agrees with its attention"
    than = "than that of uniform training does"
    if more.empty:
        return f"In {of_all(len(less), len(real), 'row')} {own} less often {than}."
    below = f"; in {len(less)} ({_encoders(less)}) less often" if len(less) else ""
    return (
        f"In {of_all(len(more), len(real), 'row')} ({_encoders(more)}) {own} more often {than}, by up to "
        f"{100 * gap.max():.0f} points{below}. It is learnt together with attention, so it foretells nothing."
    )


def _encoders(real: pd.DataFrame) -> str:
    """The encoders of some kinds of model."""
    return " or ".join(dict.fromkeys(LABELS[e] for e in real.index.get_level_values("encoder")))


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


def own_of_local(real: pd.DataFrame) -> tuple[str, float, float, float] | None:
    """Where a model of local states attends to what uniform training finds relevant, and not to what it does.

    The corpora, as a sentence lists them, and means over them: A with its own relevance, by chance, and with
    uniform training's. None where it isn't so.
    """
    local = real[real.index.get_level_values("encoder") == "average"] if len(real) else real
    if local.empty or local["top_own"].max() >= local["top_chance"].max() + NEAR:
        return None
    if (local["top_own"] >= local["top_uniform"]).any():
        return None
    names = [inert(name) for name in sorted({*local.index.get_level_values("corpus")})]
    means = (float(local[f"top_{name}"].mean()) for name in ("own", "chance", "uniform"))
    return (listed(names), *means)


def of_local_states(real: pd.DataFrame) -> str:
    """What that comes to; nothing where it isn't so."""
    found = own_of_local(real)
    if found is None:
        return ""
    names, own, chance, flat = found
    return (
        f"On {names} the {LABELS['average']} encoder's attention agrees with its own relevance in {own:.0%} "
        f"of the texts, where chance gives {chance:.0%}; with the relevance of a uniformly trained model in "
        f"{flat:.0%} (means over its rows in the first figure). The theory wouldn't lead one to expect this: "
        "attention should follow its own model's relevance at least as well."
    )


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
        told = [called, *ends, *steps, _order(one, low, high)]
        cells = dict(zip([*HEIGHTS, *STEPS[1:4]], told, strict=True))
        sizes = [one.get(size, np.nan) for size in SIZES]
        cells |= dict(zip([*STEPS[4:], *SIZES], sizes * 2, strict=True)) | {"finished": one["top_uniform"]}
        found.append(cells | _ends(one, low, high))
    return pd.DataFrame(found, columns=[*HEIGHTS, *STEPS[1:], *SIZES, "finished", *_ENDS])


_ENDS = [f"{end}{half}" for half in HALVES for end in ("", "low_", "high_")]


def _ends(one: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, float]:
    """The halfway steps as numbers, with their intervals. The arguments: means and limits, by measure."""
    return dict(zip(_ENDS, [of[half] for half in HALVES for of in (one, low, high)], strict=True))


def _spread(low: float, high: float) -> str:
    """An interval over seeds, in steps."""
    if np.isnan(low):
        return "one\u00a0seed"
    return f"{low:.0f}\u00a0to\u00a0{high:.0f}" if high > low else "all\u00a0alike"


HEIGHTS = ["run", "A, highest", "A, last watched", "other seed's r", "chance"]
STEPS = [
    *("run", "halfway: relevance", "attention", "which is first"),
    *("by size: relevance", "by size: attention"),
]
NEAR_CHANCE = "relevance near chance"
ORDERS = (
    *("relevance", "attention", "same checkpoint", "intervals overlap", NEAR_CHANCE),
    "one other seed only",
)
WHY = {  # it is undecided
    "same checkpoint": "both get halfway at the same checkpoint",
    "intervals overlap": "the two intervals overlap",
    NEAR_CHANCE: "the other seeds' relevance stays near chance",
    "one other seed only": "there is a single other seed",
}


def _order(one: pd.Series, low: pd.Series, high: pd.Series) -> str:
    """Which of two is half of its way first: one that is there before the other's interval begins."""
    if one["top_other"] < one["top_chance"] + NEAR:
        return NEAR_CHANCE
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
    width = " (an interval of no width)" if without_width(over) else ""
    return (
        f"of {counted(len(over), 'real run')} it comes first in {first_ or 'none'} and attention in "
        f"{second or 'none'}{width}; {rest} leave it undecided"
    )


def without_width(over: pd.DataFrame) -> bool:
    """Whether some run is decided, and each such by seeds that all get halfway at the same checkpoints."""
    decided = over[over["which is first"].isin(ORDERS[:2])]
    alike = decided[[*_ENDS]].to_numpy(dtype=float).reshape(-1, len(HALVES), 3)
    return bool(len(decided) and np.ptp(alike, axis=2).max() == 0)


def all_orders(over: pd.DataFrame, real: pd.DataFrame) -> str:
    """In how many real runs it can't be told, and why. real: `on_real_text`'s, of the same runs."""
    found = over["which is first"].value_counts().reindex(ORDERS, fill_value=0)
    told = [f"{why} in {found[name]}" for name, why in WHY.items() if found[name]]
    n = int(sum(found[name] for name in WHY))
    said = (
        f"Of the {counted(len(over), 'real run')} (the first figure's {counted(len(real), 'row')}, each seed "
        f"by itself) {n or 'none'} {_leaves(n)} it undecided"
    )
    return f"{said}: {listed(told)}." if told else f"{said}."


def by_means(over: pd.DataFrame) -> list[str]:
    """What the mean steps of the real runs say, and how it comes that one of them is decided.

    over: `run_by_run`'s, not empty.
    """
    told = over[over["which is first"] != NEAR_CHANCE]
    r, a = (told[half] for half in HALVES)
    decided = over[over["which is first"].isin(ORDERS[:2])]
    said = []
    if len(told):
        said.append(
            f"By the mean steps alone relevance is earlier in {(r < a).sum()} of the {len(told)} whose "
            f"relevance gets beyond chance, attention in {(a < r).sum()}."
        )
    if without_width(over):
        each = [
            f"{inert(run)} ({name} first)"
            for run, name in zip(decided["run"], decided["which is first"], strict=True)
        ]
        only = "is decided only because its" if len(each) == 1 else "are decided only because their"
        said.append(
            f"{listed(each)} {only} few seeds share their checkpoints: an interval of no width can't overlap."
        )
    return said


def first_vectors(rows: pd.DataFrame) -> tuple[pd.DataFrame, tuple | None]:
    """A of local states from word2vec's vectors and from random ones, a row a corpus.

    `low ` and `high ` of either A: the outermost limits of its intervals over texts. And where trainings on
    one corpus, of whatever seed, lie furthest apart: the corpus, the kind of vectors, the lowest and the
    highest A; None if each is a single one. rows: `carried`'s.
    """
    columns = {"top_local": "A, word2vec", "top_local_random": "A, random", "top_chance": "A, chance",
               "common_local": "τ, word2vec",
               "common_local_random": "τ, random"}  # fmt: skip
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
    more = int((wide["A, random"] > wide["A, word2vec"]).sum())
    return (
        "With local states attention goes to r′ more often from random word vectors than from word2vec's in "
        f"{of_all(more, len(wide), 'corpus', 'corpora')} (medians {typical(wide['A, random'])} and "
        f"{typical(wide['A, word2vec'])}, chance {typical(wide['A, chance'])})"
    )


def of_vectors(wide: pd.DataFrame, apart: tuple | None) -> str:
    """What that comes to. wide, apart: `first_vectors`'s, of a table that isn't empty."""
    more, said, enough = wide["A, random"] - wide["A, word2vec"], "", False
    if apart:
        corpus, kind, least, most = apart
        beyond = int((more > most - least).sum())
        enough = beyond > len(wide) / 2
        said = (
            f"In {of_all(beyond, len(wide), 'corpus', 'corpora')} A from random vectors is larger by more "
            f"than {100 * (most - least):.0f} points. So far apart lie trainings on one corpus at most "
            f"({inert(corpus)}, {kind}: {least:.0%} to {most:.0%})."
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


def under_vectors() -> str:
    """How the figure of the two kinds of word vectors is read; Markdown."""
    return (
        "*A model of local states is trained beside each run of a corpus, whatever that run's encoder is: so "
        "there may be more seeds here than in the first figure.*"
    )


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


def answer(table: pd.DataFrame, real: pd.DataFrame, over: pd.DataFrame) -> list[str]:
    """The chapter's question, answered. The arguments are those of `in_short`."""
    if table.empty:
        return [NOTHING]
    if len(real):
        least, most = (f"{end(real['top_uniform']):.0%}" for end in (min, max))
        ends = most if least == most else f"{least} to {most}"
        each = ", by row of the first figure" if len(real) > 1 else ""
        said = [f"{'Sometimes' if sure(real) else 'Not clearly'}: on real text in {ends} of the texts{each}."]
    else:
        more = table["top_uniform"].mean() > table["top_chance"].mean()
        said = [f"{'Sometimes' if more else 'Not here'}."]
    if len(over):
        left = int((~over["which is first"].isin(ORDERS[:2])).sum())
        said.append(
            "That relevance is there first isn't shown, nor that it isn't."
            if left > len(over) / 2
            else f"As to which comes first, {counts(over)}."
        )
    if own_of_local(real):
        said.append(
            f"And where states are local ({LABELS['average']}), attention doesn't go where its own model's "
            "relevance is, which the theory wouldn't lead one to expect."
        )
    return said


def what_follows(run: Run, table: pd.DataFrame, real: pd.DataFrame, tops: pd.DataFrame) -> str:
    """Whether bright words may be those that were counted, here and on real text."""
    if table.empty:
        return ""
    said = []
    if len(tops) and not_counted(tops):
        said.append(
            f"This run is no example of it: its uniform {LABELS[run.params.encoder]} hasn't counted words."
        )
    if len(real):
        said.append(
            "On real text, where r′ agrees with the bag of words and attention goes to r′, a bright word may "
            "be one that was counted; how often it is, these runs can't say."
        )
    return " ".join(said)


def found(summary: pd.DataFrame, local: Local, course: pd.DataFrame, agree: np.ndarray) -> pd.DataFrame:
    """The table at the chapter's foot. agree: `with_bag`'s."""
    rows = [
        (f"A of {label}", summary["mean"][f"top_{name}"]) for name, (*_, label) in relevance.PAIRS.items()
    ]
    rows.append(("A of attention and bag of words", agree.mean()))
    rows.append(("A by chance", summary["mean"]["top_chance"]))
    rows.append(("A of attention and r′, local states", local.agree.mean()))
    half = halfway(course).drop(columns="model").mean()
    rows += [(f"halfway, {name} (step, mean over the other seeds)", step) for name, step in half.items()]
    return pd.DataFrame(rows, columns=["what", "found"])
