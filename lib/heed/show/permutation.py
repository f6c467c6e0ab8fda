"""Chapter 03: what permuting attention comes to, in sentences and tables."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from heed import paths, verdict
from heed.evidence import Evidence, Row
from heed.experiments.permutation import PEAK, STILL
from heed.measures import adversarial, stats
from heed.measures import permutation as permuting
from heed.params import Params
from heed.show.annex import able
from heed.show.figures.common import BINS, FEWEST, by_class
from heed.show.figures.numbers import Numbers, read
from heed.show.notebook import inert, tokens
from heed.show.sentences import by_encoder, counted, listed, of_one_run, quoted, signed, with_range
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.1  # from this mean on a shuffle moves the prediction, as in the verdict
SURE = 0.99  # from this probability of one class on a model is sure of a text
DRAWN = "sst-additive-site_with_en_core_web_md-permutation"  # that of profile paper has no numbers
NOTHING = "No text here has two words or more, so there is nothing to shuffle."


def in_short(run, table: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer. table: `permutation`'s, of texts of two words or more; real: `on_real_text`'s."""
    if table.empty:
        return [NOTHING]
    p, is_still = run.params, (table["median_change"] <= STILL).mean() >= 0.5
    said = [
        over_corpora(table, p) or ("Often only a little." if is_still else "Usually a lot."),
        f"On {inert(p.corpus)} ({LABELS[p.encoder]}, seed {p.seed}, {counted(len(table))}) {typical(table)}",
    ]
    if len(real):
        said.append(f"On SST ({of_texts(real)}) the mean is {by_encoder(real, 'mean')}.")
    said.append("So a high weight is no proof that the model needs it on *that* word.")
    return said


def typical(table: pd.DataFrame) -> str:
    """By how much a text's median shuffle moves the prediction, in half of the texts and on average."""
    change = table["median_change"]
    return (
        f"a text's median shuffle moves the prediction by {change.median():.2f} or less in half of the "
        f"texts; the mean is {change.mean():.2f} (TVD)."
    )


def by_predicted(table: pd.DataFrame, classes, corpus: str) -> str:
    """The finding of the paper's figure: the mean median change, by predicted class if there are few."""
    says = f"On {text_for(corpus, 'figure')} a text's median change is"
    means = table.groupby("predicted")["median_change"].mean().sort_values()
    if not by_class(classes) or len(means) < 2:
        return f"{says} {table['median_change'].mean():.2f} on average"
    low, high = ((f"{means[c]:.2f}", f"“{text_for(classes[c], 'figure')}”") for c in means.index[[0, -1]])
    return f"{says} {high[0]} on average if {high[1]} is predicted, but {low[0]} if {low[1]} is"


def _interval(shares: pd.Series) -> tuple[float, float]:
    """Wilson's 95% interval of a share. shares: of one text at least, true or false."""
    low, high = binomtest(int(shares.sum()), len(shares)).proportion_ci(method="wilson")
    return float(low), float(high)


def between(table: pd.DataFrame) -> str:
    """Of peaked texts and of the others the share that hardly moves, with intervals; empty without both."""
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    parts = []
    for name, own in (("peaked texts", is_still[is_peaked]), ("others", is_still[~is_peaked])):
        if own.empty:
            return ""
        low, high = _interval(own)
        parts.append(f"{own.mean():.0%} of the {len(own)} {name} ({low:.0%} to {high:.0%})")
    return (
        f"We say, by convention, that a text hardly moves if its median change is at most {STILL:g}. That is "
        f"true of {listed(parts)}; in brackets are 95% intervals over texts."
    )


def peaked_by_predicted(table: pd.DataFrame, classes) -> str:
    """Whether the predicted class or the peak decides which texts hardly move; empty without peaked texts of
    two classes, or with too many classes."""
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    own = is_still[is_peaked].groupby(table.loc[is_peaked, "predicted"]).agg(["sum", "size"])
    if not by_class(classes) or len(own) < 2:
        return ""
    parts = [f"{n} of the {of} predicted {inert(classes[c])}" for c, (n, of) in own.iterrows()]
    said = f"Of the peaked texts, {listed(parts)} hardly move."
    shares = own["sum"] / own["size"]
    of_peak = abs(is_still[is_peaked].mean() - is_still[~is_peaked].mean())
    if shares.max() - shares.min() > of_peak:
        return f"{said} So here the predicted class matters more than how peaked attention is."
    return said


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
        f"Over {len(change)} shuffles the median change of the prediction is {np.median(change):.3f}; the "
        f"smallest is {change.min():.3f} and the largest {change.max():.3f}. "
        f"{(change <= STILL).mean():.0%} of the shuffles move it by at most {STILL}."
    )


def by_hand(row: Row) -> str:
    """The three numbers of a text whose logit is one linear one, and what they say of its shuffles."""
    m = permuting.moments(row.attention[row.real], row.values[row.real, 0])
    logit = row.attention @ row.values[:, 0] + row.shift[0]
    return (
        f"The text above: T = {row.real.sum()}, A = {m['peakiness']:.2f}, R = {m['dispersion']:.2f}, "
        f"ρ = {signed(m['alignment'])}. Its logit is {signed(logit)}, and by the formula a shuffle moves "
        f"it by {np.sqrt(m['square']):.2f} (root mean square)."
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
    return f"{count:,} simulated shuffles give {np.sqrt(squares.mean()):.2f}."


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
    """Which of the three numbers is correlated most with the change of the logit: the figure's finding."""
    found = explains(table)
    first, *others = [f"{name} ({signed(rho)})" for name, rho in found.items()]
    if np.isnan(found.iloc[0]):
        return "All texts are alike: nothing is correlated with the change of the logit"
    return (
        f"What a shuffle does to the logit is correlated most with {first}, less with {' and '.join(others)}"
    )


def sigmoid(evidence: Evidence, several: pd.DataFrame) -> list[str]:
    """Whether the texts that stay are those of which the model is sure: sentences of these and others."""
    is_sure = (evidence.predictions.max(1) >= SURE)[several.index]
    said = [f"In {is_sure.mean():.0%} of the texts one class has a probability of {SURE} or more."]
    groups = {"Of these": several[is_sure], "Of the others": several[~is_sure]}
    for name, own in groups.items():
        if len(own):
            says = f"{name} the middle one moves its prediction by {own['median_change'].median():.2g}"
            if permuting.linear(evidence):
                logit = own["rms_logit"].median()
                says += f", and the middle change of the logit (root mean square) is {logit:.2g}"
            said.append(f"{says}.")
    if permuting.linear(evidence) and all(len(own) for own in groups.values()):
        sure, unsure = (own[["median_change", "rms_logit"]].median() for own in groups.values())
        if sure["median_change"] < unsure["median_change"] and sure["rms_logit"] > unsure["rms_logit"]:
            said.append("So the sigmoid hides a change of the logit that is larger than the others'.")
    return said


def alike(conicity: pd.Series, several: pd.DataFrame) -> str:
    """Conicity, and whether it is correlated with the change of the prediction."""
    relation = stats.rank_correlation(conicity, several["median_change"])
    said = (
        f"Here conicity is {conicity.mean():.2f} on average ({conicity.min():.2f} to {conicity.max():.2f}), "
        f"and its rank correlation with the median change is {signed(relation)}."
    )
    if abs(relation) < 0.5 or np.isnan(relation):
        return said
    less = "less" if relation < 0 else "more"
    return f"{said} So in texts whose states lie closer to one line, a shuffle tends to change {less}."


def one_word(run) -> pd.DataFrame:
    """Median change and exact ε-max JSD of every text, where one rare word decides."""
    table = run.table("permutation")[["id", "predicted", "median_change"]]
    found = adversarial.optima(run.evidence, run.params.epsilon)
    return table.assign(optimum=[found[name].jsd for name in table["id"]])


def enough(table: pd.DataFrame, classes) -> str:
    """The finding of the figure of one word: what shuffling and the optimum are by predicted class.

    table: `one_word`'s; the positive class is the second.
    """
    means = table.groupby("predicted")[["median_change", "optimum"]].mean()
    parts = [f"{means.loc[c, 'median_change']:.2f} ({text_for(classes[c], 'figure')})" for c in means.index]
    free = [f"{means.loc[c, 'optimum']:.2f}" for c in means.index]
    return f"Shuffling moves the prediction by {listed(parts)}; the ε-max JSD is {listed(free)}"


def as_foretold(run, table: pd.DataFrame) -> str:
    """Whether a few words are enough for what the paper saw. table: `one_word`'s."""
    p, counts = run.params, table["predicted"].value_counts().sort_index()
    texts = listed([f"{n} predicted {inert(run.corpus.classes[c])}" for c, n in counts.items()])
    said = (
        f"These are means over {counted(len(table))} ({texts}) of one {LABELS[p.encoder]} encoder (seed "
        f"{p.seed})."
    )
    means = table.groupby("predicted")[["median_change", "optimum"]].mean()
    if len(means) != 2:
        return said
    none, one = means.iloc[0], means.iloc[1]
    held = one["median_change"] > none["median_change"] and one["optimum"] < none["optimum"]
    return f"{said} " + (
        f"This is as expected: for this {LABELS[p.encoder]} encoder such words are enough. Other encoders "
        "and seeds weren't tried."
        if held
        else "This is *not* as expected: such words are not enough."
    )


def on_real_text() -> pd.DataFrame:
    """A row an encoder: median change, and the share of peaked texts that hardly move, on SST.

    mean and still are means over the carried seeds; the columns that end in _seeds hold the seeds' numbers.
    """
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and profile == 'paper' and attention == 'additive' and `class` == 'overall'"
    )
    found = []
    for name, label in LABELS.items():
        own = rows[rows["encoder"] == name].set_index("measure")
        if {"median_change", "peaked_still"} <= {*own.index}:
            change, still = (own.loc[[of], "mean"] for of in ("median_change", "peaked_still"))
            row = {"encoder": label, "mean": change.mean(), "still": still.mean(), "seeds": len(change)}
            row |= {"mean_seeds": [*change], "still_seeds": [*still], "texts": int(own["n"].max())}
            counts = own.loc[["peaked_still"], ["n", "undefined"]]
            row["peaked_seeds"] = [*(counts["n"] - counts["undefined"])]
            found.append(row)
    columns = ["encoder", "mean", "still", "seeds", "mean_seeds", "still_seeds", "texts", "peaked_seeds"]
    return pd.DataFrame(found, columns=columns)


def moved_and_still(real: pd.DataFrame) -> pd.DataFrame:
    """`on_real_text`'s rows for the page: means over the seeds, with their range."""
    columns = {
        "encoder": real["encoder"],
        "median change, mean over texts": [with_range(each, ".2f") for each in real["mean_seeds"]],
        f"peaked texts that move by at most {STILL:g}": [
            with_range(each, ".0%") for each in real["still_seeds"]
        ],
        "peaked texts": [with_range(each, ".0f") for each in real["peaked_seeds"]],
    }
    return pd.DataFrame(columns)


def of_texts(real: pd.DataFrame) -> str:
    """How many texts and seeds the numbers of real text are of. real: a row at least."""
    return f"{real['texts'].max():,} test texts, {counted(int(real['seeds'].max()), 'seed')}"


def range_of_real_text(real: pd.DataFrame) -> str:
    """The finding of the figure on real text; empty without rows. real: `on_real_text`'s."""
    if real.empty:
        return ""
    return f"On SST a text's median change is {by_encoder(real, 'mean')}"


def _of_bilstm() -> pd.DataFrame:
    """The rows of the BiLSTM's median change on the carried corpora.

    Of profile paper, additive attention; without models that only guess.
    """
    return verdict.plain(able(verdict.committed())).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm' and `class` == 'overall' and "
        "measure == 'median_change'"
    )


@cache
def _carried() -> pd.Series:
    """The mean of `_of_bilstm`'s rows on each corpus."""
    return _of_bilstm().groupby("corpus")["mean"].mean()


def over_corpora(table: pd.DataFrame, p: Params) -> str:
    """How far a shuffle moves the BiLSTM on each corpus, from least to most; empty where none is carried.

    This run's corpus counts, too, if it isn't carried and the model is alike. table: `permutation`'s.
    """
    means = _carried().copy()
    if means.empty:
        return ""
    if (p.encoder, p.attention, p.profile) == ("bilstm", "additive", "paper") and p.corpus not in means:
        means[p.corpus] = table["median_change"].mean()
    far = int((means > FAR).sum())
    how = "It depends" if 0 < far < len(means) else "Much would change" if far else "Little would change"
    ends = [f"{means[at]:.2f} ({inert(at)})" for at in dict.fromkeys((means.idxmin(), means.idxmax()))]
    return (
        f"{how}: a typical shuffle moves the BiLSTM's prediction by {' to '.join(ends)} on average "
        f"({counted(len(means), 'corpus', 'corpora')}; above {FAR:g} on {far or 'none'})."
    )


def elsewhere() -> str:
    """How far shuffling moves the BiLSTM's prediction on the carried corpora but SST; empty without any.

    Means over texts and seeds.
    """
    rows = _of_bilstm().query("corpus != 'sst'")
    means = rows.groupby("corpus")["mean"].mean().sort_values()
    if means.empty:
        return ""
    each = listed([f"{mean:.2f} ({inert(name)})" for name, mean in means.items()])
    return (
        f"On {counted(len(means), 'other corpus', 'other corpora')} the BiLSTM's average is {each} (1 to "
        f"{rows.groupby('corpus')['seed'].nunique().max()} seeds each)."
    )


def two_means(real: pd.DataFrame) -> str:
    """The finding of the figure of SST's means; empty without rows."""
    if real.empty:
        return ""
    low, high = real["still"].min(), real["still"].max()
    return (
        f"{range_of_real_text(real)} on average; {low:.0%} to {high:.0%} of the peaked texts move by at most "
        f"{STILL:g}"
    )


def claim_on_real_text(real: pd.DataFrame) -> str:
    """Whether more than half of the peaked texts hardly move on SST; empty without rows."""
    if real.empty:
        return ""
    most = (real["still"] > 0.5).sum()
    low, high = real["still"].min(), real["still"].max()
    how = "many, but not most"
    if most:
        how = "most" if most == len(real) else "most with some encoders only"
    return (
        f"Jain & Wallace say that many peaked texts hardly move. On SST {low:.0%} to {high:.0%} of them do: "
        f"{how}."
    )


def drawn_of_real_text() -> Numbers | None:
    """The committed numbers of figure 3 on SST, of one seed of each encoder; None if they aren't here."""
    path = paths.DATA / "results" / "figures" / f"{DRAWN}.csv"
    return read(path) if path.exists() else None


def _rising(drawn: Numbers, classes) -> dict[str, bool]:
    """Of each group of an encoder and a class whether its most peaked texts move more than its least peaked.

    Of each group the bins that have texts enough for a violin. drawn: `drawn_of_real_text`'s.
    """
    more = {}
    for panel, group in dict.fromkeys(key[:2] for key in drawn):
        texts = drawn[panel, group, "texts"]
        medians = [
            np.median(drawn[panel, group, f"median_change of peak {bin}"])
            for bin, n in zip(BINS, texts, strict=True)
            if n >= FEWEST
        ]
        if len(medians) > 1:
            more[f"{LABELS[panel]}, predicted {classes[int(group)]}"] = medians[-1] > medians[0]
    return more


def rises(drawn: Numbers, classes) -> str:
    """In how many groups of an encoder and a class the more peaked texts move more: the figure's finding."""
    more = _rising(drawn, classes)
    return (
        f"On SST texts with a higher top weight move more in {sum(more.values())} of {len(more)} groups of "
        f"an encoder and a class (highest row against lowest, of those with {FEWEST} texts or more)"
    )


def rising_means(drawn: Numbers, classes) -> str:
    """Which groups are exceptions to `rises`, and what it means where it is true of most."""
    more = _rising(drawn, classes)
    fewer = [name for name, is_more in more.items() if not is_more]
    said = f" The exception is {listed(fewer)}." if len(fewer) == 1 else ""
    if len(fewer) > 1:
        said = f" The exceptions are {'; '.join(fewer)}."
    if 2 * len(fewer) < len(more):
        mostly = "mostly matters" if fewer else "matters"
        return (
            f"So moving attention {mostly} more where more of it is on one word, which speaks for "
            f"attention.{said}"
        )
    return f"So a peak says little about how far a shuffle moves the prediction.{said}"


def answer(table: pd.DataFrame, evidence: Evidence, run, real: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for this run and for SST. real: `on_real_text`'s."""
    if table.empty:
        return [NOTHING]
    still = (table["median_change"] <= STILL).mean()
    often = "Often the prediction would be nearly the same."
    if still < 0.5:
        often = "Usually the prediction would be another."
    said = [
        over_corpora(table, run.params) or often,
        f"On {of_one_run(run.params)} {still:.0%} of {counted(len(table))} move by {STILL} or less.",
    ]
    if len(real):
        said.append(f"{range_of_real_text(real)} on average.")
    if permuting.linear(evidence) and not np.isnan(explains(table).iloc[0]):
        most = explains(table).index[0]
        said.append(
            "The root mean square change of the logit follows exactly from three numbers of a text, of which "
            f"{most} matters most here. The sigmoid then hides much of that change."
        )
    return said
