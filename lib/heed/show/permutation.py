"""Chapter 03: what permuting attention comes to, in sentences and tables."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import binom, binomtest

from heed import paths, verdict
from heed.evidence import Evidence, Row
from heed.experiments.permutation import PEAK, STILL
from heed.measures import adversarial, stats
from heed.measures import permutation as permuting
from heed.params import Params
from heed.registry import corpora
from heed.show.figures.common import BINS, FEWEST, by_class
from heed.show.figures.numbers import PROBABILITIES, Numbers, counts, ordered, read
from heed.show.notebook import inert, tokens
from heed.show.sentences import by_encoder, counted, listed, of_one_run, quoted, signed, with_range
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.1  # from this mean on a shuffle moves the prediction, as in the verdict
SMALL = 0.02  # below this difference two classes move alike
NAMED = 3  # exceptions up to this number are named
SURE = 0.99  # from this probability of one class on a model is sure of a text
DRAWN = "sst-additive-site_with_en_core_web_md-permutation"  # that of profile paper has no numbers
NOTHING = "No text here has two words or more, so there is nothing to shuffle."


def in_short(run, table: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer, a point each: on what it depends, and what follows.

    table: `permutation`'s, of texts of two words or more; real: `on_real_text`'s.
    """
    if table.empty:
        return [NOTHING]
    is_still = (table["median_change"] <= STILL).mean() >= 0.5
    said = [
        over_corpora(table, run.params) or ("Often only a little." if is_still else "Usually a lot."),
        of_classes(run, table),
        of_sureness(run.evidence, table, run.params.corpus),
    ]
    if len(real):
        said.append(
            f"On SST ({of_texts(real)}) the mean is {by_encoder(real, 'mean')}. Of the "
            f"[peaked](glossary.md#peaked) texts {_range(real)} move by at most {STILL:g}."
        )
    return [sentence for sentence in [*said, moral(real)] if sentence]


def _range(real: pd.DataFrame) -> str:
    """From the lowest to the highest share of peaked texts that hardly move. real: a row at least."""
    low, high = f"{real['still'].min():.0%}", f"{real['still'].max():.0%}"
    return low if low == high else f"{low} to {high}"


def flipped(evidence: Evidence, table: pd.DataFrame, p: Params) -> pd.Series:
    """In which share of a text's shuffles the predicted class is another. table: `permutation`'s."""
    shares = []
    for place in table.index:
        row = evidence[int(place)]
        classes = row.probs(permuting.draws(row, p.permutations, p.seed)).argmax(1)
        shares.append(float((classes != row.prediction.argmax()).mean()))
    return pd.Series(shares, index=table.index, dtype=float)


def flips_mostly(flips: pd.Series) -> str:
    """The share of texts whose decision at least half of the shuffles flip. flips: of one text at least."""
    return f"{(flips >= 0.5).mean():.0%} of the texts"


def flips_by_class(flips: pd.Series, table: pd.DataFrame, classes) -> str:
    """How often a shuffle flips a decision, and by predicted class if there are few. flips: `flipped`'s."""
    said = (
        f"Does the decision change, too? A shuffle changes the predicted class in {flips.mean():.0%} of the "
        f"cases (mean over texts). In {flips_mostly(flips)} at least half of the shuffles do"
    )
    if not by_class(classes) or table["predicted"].nunique() < 2:
        return f"{said}."
    by = (flips >= 0.5).groupby(table["predicted"]).mean()
    parts = [f"{share:.0%} of those predicted {inert(classes[int(c)])}" for c, share in by.items()]
    return f"{said}: {listed(parts)}."


def of_classes(run, table: pd.DataFrame) -> str:
    """How far this run's texts move on average, by predicted class if there are few."""
    p, classes = run.params, run.corpus.classes
    said = f"On {inert(p.corpus)} ({LABELS[p.encoder]}, seed {p.seed}, {counted(len(table))})"
    ends = _ends(table, classes)
    if ends is None:
        return f"{said} a text's median change is {table['median_change'].mean():.2f} on average."
    few, many = (f"“{inert(classes[int(c)])}”" for c in ends.index)
    return (
        f"It depends on the class: {_lower(said)} a text's median change is "
        f"{ends['median_change'].iloc[1]:.2f} on average if {many} is predicted, "
        f"{ends['median_change'].iloc[0]:.2f} if {few} is."
    )


def _ends(table: pd.DataFrame, classes) -> pd.DataFrame | None:
    """The means of the predicted classes that move least and most; None if texts aren't told apart by class,
    or if these two move alike, to two digits.

    Columns: median_change and, of a model with one logit, alignment (without its sign), dispersion,
    peakiness, rms_logit; without those that aren't defined.
    """
    if not by_class(classes) or table["predicted"].nunique() < 2:
        return None
    columns = ["median_change", "alignment", "dispersion", "peakiness", "rms_logit"]
    numbers = table.reindex(columns=columns).assign(alignment=table.get("alignment", np.nan))
    numbers["alignment"] = numbers["alignment"].abs()
    means = numbers.groupby(table["predicted"]).mean().sort_values("median_change", kind="stable")
    if len({f"{mean:.2f}" for mean in means["median_change"]}) == 1:
        return None
    return means.iloc[[0, -1]].dropna(axis="columns")


def _aligned_more(ends: pd.DataFrame) -> bool:
    """Whether the class that moves most is also the better aligned one. ends: `_ends`'."""
    return "alignment" in ends and bool(ends["alignment"].iloc[1] > ends["alignment"].iloc[0])


def of_sureness(evidence: Evidence, table: pd.DataFrame, corpus: str) -> str:
    """By how much texts move of which the model is sure, and the others; empty if it is of none or of all,
    or if these move alike."""
    is_sure = is_sure_of(evidence, table)
    if is_sure.all() or not is_sure.any():
        return ""
    means = [float(table.loc[own, "median_change"].mean()) for own in (is_sure, ~is_sure)]
    if max(means) < 1.25 * min(means):
        return ""
    sure, unsure = (f"{mean:.2f}" for mean in means)
    return (
        f"It depends on sureness: the mean on {inert(corpus)} is {sure} where one class has a probability of "
        f"{SURE} or more, elsewhere {unsure}."
    )


def is_sure_of(evidence: Evidence, table: pd.DataFrame) -> np.ndarray:
    """Whether one class has nearly all probability, by text. table: its index are places in the evidence."""
    return (evidence.predictions.max(1) >= SURE)[table.index]


def moral(real: pd.DataFrame) -> str:
    """What follows for peaked attention. real: `on_real_text`'s."""
    is_sign = len(real) > 0 and (real["still"] < 0.5).all()
    what = "a weak" if is_sign else "no"
    drawn = drawn_of_real_text() if len(real) else None
    rising = _rising(medians_by_peak(drawn), ("negative", "positive"))["rise"] if drawn else pd.Series()
    but = ""
    if len(rising) and rising.max() > 0:
        but = (
            f": on SST the median text of the most peaked moves by at most {rising.max():.2f} more than that "
            "of the least peaked (one seed)"
        )
    return f"Peaked attention is {what} sign that the prediction depends on where attention lies{but}."


def by_predicted(table: pd.DataFrame, classes, corpus: str) -> str:
    """The finding of the paper's figure: the mean median change, by predicted class if there are few, and how
    many peaked texts hardly move."""
    says, ends = f"On {text_for(corpus, 'figure')} a text's median change is", _ends(table, classes)
    peaked = _peaked_still(table, classes)
    if ends is None:
        return f"{says} {table['median_change'].mean():.2f} on average{peaked}"
    few, many = (f"“{text_for(classes[int(c)], 'figure')}”" for c in ends.index)
    low, high = (f"{mean:.2f}" for mean in ends["median_change"])
    return f"{says} {high} on average if {many} is predicted, but {low} if {few} is{peaked}"


def _peaked_still(table: pd.DataFrame, classes) -> str:
    """How many peaked texts hardly move, and of which class if all are of one; empty without peaked texts."""
    peaked = table[table["max_attention"] >= PEAK]
    still = peaked.loc[peaked["median_change"] <= STILL, "predicted"]
    if peaked.empty:
        return ""
    if len(peaked) == 1:
        return f"; the one peaked text {'hardly moves' if len(still) else 'moves'}"
    if still.empty:
        return f"; none of {len(peaked)} peaked texts hardly moves"
    said = f"; of {len(peaked)} peaked texts {len(still)} hardly move{'s' if len(still) == 1 else ''}"
    if len(still) < 2 or still.nunique() > 1 or not by_class(classes) or table["predicted"].nunique() < 2:
        return said
    label = text_for(classes[int(still.iloc[0])], "figure")
    return f"{said}, {'both' if len(still) == 2 else 'all'} predicted {label}"


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


def peaked_by_predicted(table: pd.DataFrame, classes, seed: int) -> str:
    """Which peaked texts hardly move, and how much in each class a higher weight goes with more change.

    Empty without peaked texts of two classes, or with too many classes. seed: of the resampling.
    """
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    own = is_still[is_peaked].groupby(table.loc[is_peaked, "predicted"]).agg(["sum", "size"])
    if not by_class(classes) or len(own) < 2:
        return ""
    parts = [f"{n} of the {of} predicted {inert(classes[c])}" for c, (n, of) in own.iterrows()]
    said, trends = f"Of the peaked texts, {listed(parts)} hardly move.", []
    for c, rows in table.groupby("predicted"):
        rho, low, high = stats.spearman(rows["max_attention"], rows["median_change"], 200, seed)
        if not np.isnan([rho, low, high]).any():
            interval = f"{signed(low)} to {signed(high)}"
            trends.append(f"{signed(rho)} if {inert(classes[c])} is predicted ({interval})")
    if len(trends) < 2:
        return said
    return (
        f"{said} Class and peak act together: the rank correlation of highest weight and median change is "
        f"{listed(trends)}; in brackets are 95% intervals over the class's texts."
    )


def most_peaked(row: Row, classes, question: dict[str, str]) -> list[str]:
    """A text, what the model says of it, and what it is asked, if it is. question: `Run.asked`'s."""
    top = int(np.where(row.real, row.attention, -1).argmax())
    said = [
        f"{quoted(row.units)}: P({inert(classes[row.shown])}) = {row.prediction[row.shown]:.3f}; "
        f"the highest weight, {row.attention[top]:.2f}, is on “{tokens([row.units[top]])}”."
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


def explained(table: pd.DataFrame, classes) -> str:
    """Which of the three numbers is correlated most with the change of the logit: the figure's finding."""
    found = explains(table)
    if np.isnan(found.iloc[0]):
        return "All texts are alike: nothing is correlated with the change of the logit"
    says = (
        f"Of the three numbers {found.index[0]} goes most with what a shuffle does to the logit (rank "
        f"correlation {signed(found.iloc[0])})"
    )
    ends = _ends(table, classes)
    if ends is None or not _aligned_more(ends):
        return says
    many = text_for(classes[int(ends.index[1])], "figure")
    return f"{says}; texts predicted {many} are better aligned"


def by_number(table: pd.DataFrame, seed: int) -> str:
    """The three rank correlations with their intervals, where they have any. seed: of the resampling."""
    parts = []
    for name in explains(table).index:
        rows = table.dropna(subset=[name])
        rho, low, high = stats.spearman(rows[name].abs(), rows["rms_logit"], 200, seed)
        if not np.isnan([rho, low, high]).any():
            parts.append(f"{name} {signed(rho)} ({signed(low)} to {signed(high)})")
    if not parts:
        return ""
    return (
        f"With their 95% intervals over texts the correlations are: {listed(parts)}. By the formula all "
        "three always count; a correlation says which of them tells *these* texts apart."
    )


def class_gap(table: pd.DataFrame, classes) -> str:
    """In which of the three numbers the classes that move least and most differ, and by how much the logit
    then moves; empty if texts aren't told apart by class, or there is more than one logit."""
    ends = _ends(table, classes)
    if ends is None or not {"alignment", "dispersion", "peakiness", "rms_logit"} <= {*ends.columns}:
        return ""
    few, many = (inert(classes[int(c)]) for c in ends.index)
    symbols = {"alignment": "|ρ|", "dispersion": "R", "peakiness": "A"}
    parts = [f"{symbol} {ends[c].iloc[1]:.2f} against {ends[c].iloc[0]:.2f}" for c, symbol in symbols.items()]
    low, high = ends["rms_logit"]
    said = (
        f"The means of texts predicted {many} and {few} are: {listed(parts)}. A shuffle changes their logit "
        f"by {high:.1f} and {low:.1f} (root mean square, mean over texts)."
    )
    squares = table["alignment"].fillna(0) ** 2 + 1 / (table["length"] - 1)  # the formula's factor of both
    factors = table.assign(alignment=np.sqrt(squares)).groupby("predicted")[[*symbols]].mean().loc[ends.index]
    times = (factors.iloc[1] / factors.iloc[0].clip(lower=1e-12)).sort_values(ascending=False)
    if high <= low or times.iloc[0] < 1.05:
        return said
    named = {
        "alignment": "alignment, √(ρ² + 1/(T − 1))",
        "dispersion": "dispersion",
        "peakiness": "peakiness",
    }
    first, *others = [f"{named[name]} (× {value:.1f})" for name, value in times.items() if value >= 1.05]
    said = f"{said} So most of the gap comes from {first}"
    return f"{said}, the rest from {listed(others)}." if others else f"{said}."


def sigmoid(evidence: Evidence, several: pd.DataFrame) -> list[str]:
    """Whether the texts that stay are those of which the model is sure: sentences of these and others."""
    is_sure = is_sure_of(evidence, several)
    said = [f"In {is_sure.mean():.0%} of the texts one class has a probability of {SURE} or more."]
    others = "the others" if is_sure.any() else "all texts"
    for name, own in {"these": several[is_sure], others: several[~is_sure]}.items():
        if len(own):
            middle, mean = own["median_change"].median(), own["median_change"].mean()
            says = f"In the median of {name} the prediction moves by {middle:.2g} (mean: {mean:.2f})"
            if permuting.linear(evidence):
                says += (
                    f" and the logit by {own['rms_logit'].median():.2g} (root mean square of the shuffles)"
                )
            said.append(f"{says}.")
    if hides(evidence, several):
        said.append("So the sigmoid hides a change of the logit that is larger than the others'.")
    return said


def sure_by_class(evidence: Evidence, several: pd.DataFrame, classes) -> str:
    """How sure the model is of the classes that move least and most, and whether that makes their gap.

    Empty if texts aren't told apart by class, or there is more than one logit.
    """
    ends = _ends(several, classes)
    if ends is None or not permuting.linear(evidence) or (ends.iloc[0] <= 0).any():
        return ""
    few, many = (inert(classes[int(c)]) for c in ends.index)
    shares = pd.Series(is_sure_of(evidence, several), several.index).groupby(several["predicted"]).mean()
    if not shares.any():
        return ""
    less, more = shares.loc[ends.index]
    times = ends[["median_change", "rms_logit"]].iloc[1] / ends[["median_change", "rms_logit"]].iloc[0]
    said = (
        f"The model is so sure of {less:.0%} of the texts predicted {few} and {more:.0%} of those predicted "
        f"{many}."
    )
    if times["median_change"] <= 1.2 * times["rms_logit"]:
        return said
    said += (
        f" The latter's prediction moves {times['median_change']:.1f} times as far on average, their logit "
        f"{times['rms_logit']:.1f} times."
    )
    if more < less - 0.02:
        return f"{said} In part that is because the model is less sure of them."
    return (
        f"{said} Sureness doesn't explain that; the sigmoid's shape may. A sure text's prediction changes "
        "only when its logit comes near 0, and a larger change of the logit brings it there more often."
    )


def hidden(evidence: Evidence, several: pd.DataFrame, corpus: str) -> str:
    """How far logit and prediction move where the model is sure, and elsewhere: the figure's finding.

    Empty of a model with more than one logit, and unless there are texts of both kinds.
    """
    is_sure = is_sure_of(evidence, several)
    if not permuting.linear(evidence) or is_sure.all() or not is_sure.any():
        return ""
    sure, others = (several.loc[own, ["rms_logit", "median_change"]].median() for own in (is_sure, ~is_sure))
    if hides(evidence, several):
        return (
            f"On {text_for(corpus, 'figure')}, where the model is sure, shuffling moves the logit more and "
            "the prediction less"
        )
    return (
        f"On {text_for(corpus, 'figure')} shuffling moves the median text's logit by {sure['rms_logit']:.2g} "
        f"and its prediction by {sure['median_change']:.2g} where the model is sure, by "
        f"{others['rms_logit']:.2g} and {others['median_change']:.2g} elsewhere"
    )


def hides(evidence: Evidence, several: pd.DataFrame) -> bool:
    """Whether texts of which the model is sure move less than the others, and their logit more."""
    is_sure = is_sure_of(evidence, several)
    if not permuting.linear(evidence) or is_sure.all() or not is_sure.any():
        return False
    sure, unsure = (several.loc[own, ["median_change", "rms_logit"]].median() for own in (is_sure, ~is_sure))
    return bool(sure["median_change"] < unsure["median_change"] and sure["rms_logit"] > unsure["rms_logit"])


def alike(several: pd.DataFrame, classes, is_sure: np.ndarray) -> str:
    """Conicity, and whether it goes with a smaller change within each class, and of each sureness, too.

    several: with conicity; is_sure: `is_sure_of`'s.
    """
    conicity = several["conicity"]
    said = (
        f"Conicity is {conicity.mean():.2f} on average ({conicity.min():.2f} to {conicity.max():.2f}) over "
        "texts."
    )
    if not by_class(classes):
        return said
    within = {
        inert(classes[c]): stats.rank_correlation(rows["conicity"], rows["median_change"])
        for c, rows in several.groupby("predicted")
    }
    within = {name: rho for name, rho in within.items() if not np.isnan(rho)}
    if len(within) < 2:
        return said
    parts = [f"{signed(rho)} ({name})" for name, rho in within.items()]
    whole = stats.rank_correlation(conicity, several["median_change"])
    said += f" Within a predicted class its rank correlation with the median change is {listed(parts)}."
    by_sureness = [
        stats.rank_correlation(own["conicity"], own["median_change"])
        for own in (several[is_sure], several[~is_sure])
    ]
    if np.isnan(by_sureness).any():
        by_sureness = []
    else:
        sure, others = map(signed, by_sureness)
        said += f" Where the model is sure it is {sure}, elsewhere {others}."
    return f"{said} {_verdict([whole, *within.values(), *by_sureness], by_sureness)}"


def _verdict(correlations: list[float], by_sureness: list[float]) -> str:
    """What conicity's rank correlations with the change say: over all texts, then within groups of them.

    by_sureness: where the model is sure and elsewhere; or none.
    """
    if max(correlations) <= -0.5:
        return "So conicity, of the states alone, tells well which texts a shuffle hardly moves."
    if max(correlations) >= 0:
        return "So conicity doesn't tell which texts a shuffle hardly moves."
    said = "So the more alike the states, the less a shuffle moves"
    if by_sureness and by_sureness[0] <= -0.7 < by_sureness[1]:
        return f"{said}: closely where the model is sure, roughly elsewhere."
    return f"{said}, but conicity tells it only roughly."


def alike_says(several: pd.DataFrame, corpus: str) -> str:
    """Whether conicity is correlated with the change of the prediction: the figure's finding."""
    rho = stats.rank_correlation(several["conicity"], several["median_change"])
    says = f"On {text_for(corpus, 'figure')} conicity and the change of the prediction"
    if np.isnan(rho):
        return f"{says} can't be held against one another: there are too few texts, or all are alike"
    if abs(rho) < 0.5:
        return f"{says} are correlated weakly: their rank correlation is {signed(rho)}"
    less = "less" if rho < 0 else "more"
    return (
        f"On {text_for(corpus, 'figure')} texts whose states lie closer to one line move {less}: the rank "
        f"correlation is {signed(rho)}"
    )


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
    how = {True: ", as expected,", False: ", not as expected,", None: ""}[_held(table)]
    return (
        f"On indicator{how} shuffling moves the prediction by {listed(parts)}; the ε-max JSD is "
        f"{listed(free)}"
    )


def _held(table: pd.DataFrame) -> bool | None:
    """Whether positive texts move further and are less free; None without both classes."""
    means = table.groupby("predicted")[["median_change", "optimum"]].mean()
    if len(means) != 2:
        return None
    none, one = means.iloc[0], means.iloc[1]
    return bool(one["median_change"] > none["median_change"] and one["optimum"] < none["optimum"])


def as_foretold(run, table: pd.DataFrame) -> str:
    """Whether a few words are enough for what the paper saw. table: `one_word`'s."""
    p, sizes = run.params, table["predicted"].value_counts().sort_index()
    texts = listed([f"{n} predicted {inert(run.corpus.classes[c])}" for c, n in sizes.items()])
    said = (
        f"These are means over {counted(len(table))} ({texts}) of one {LABELS[p.encoder]} encoder (seed "
        f"{p.seed})."
    )
    held = _held(table)
    if held is None:
        return said
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
            texts = own.loc[["peaked_still"], ["n", "undefined"]]
            row["peaked_seeds"] = [*(texts["n"] - texts["undefined"])]
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


def _of_bilstm(measure: str = "median_change", guesses: bool = False) -> pd.DataFrame:
    """The rows of one measure of the BiLSTM on the carried corpora.

    Of profile paper, additive attention; with models that only guess if that is wished.
    """
    rows = verdict.committed()
    return verdict.plain(rows if guesses else verdict.without_guessing(rows)).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm' and `class` == 'overall' and "
        "measure == @measure"
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
    if _counts(p, means.index):
        means[p.corpus] = table["median_change"].mean()
    far = int((means > FAR).sum())
    how = "It depends on the corpus" if 0 < far < len(means) else "Much would change"
    how = how if far else "Little would change"
    ends = [f"{means[at]:.2f} ({inert(at)})" for at in dict.fromkeys((means.idxmin(), means.idxmax()))]
    return (
        f"{how}: a typical shuffle moves the BiLSTM's prediction by {' to '.join(ends)} on average "
        f"({counted(len(means), 'corpus', 'corpora')}){_by_task(means)}."
    )


def _counts(p: Params, carried: pd.Index) -> bool:
    """Whether this run's corpus stands beside the carried ones: the model is alike, and it isn't carried."""
    return (p.encoder, p.attention, p.profile) == ("bilstm", "additive", "paper") and p.corpus not in carried


def of_corpora(table: pd.DataFrame, p: Params) -> pd.DataFrame:
    """What `over_corpora` is of: a row a corpus, from the least change to the most.

    corpus, mean (over texts and seeds), seeds (the mean of each), asks (whether a question is asked about
    each text). table: `permutation`'s.
    """
    found = _of_bilstm().groupby("corpus")["mean"].agg(mean="mean", seeds=list).reset_index()
    if len(found) and len(table) and _counts(p, pd.Index(found["corpus"])):
        mean = table["median_change"].mean()
        found.loc[len(found)] = [p.corpus, mean, [mean]]
    found["asks"] = [corpora().get(name, {}).get("task") == "qa" for name in found["corpus"]]
    return found.sort_values("mean", kind="stable", ignore_index=True)


def least_and_most(found: pd.DataFrame) -> str:
    """The finding of the figure of all corpora. found: `of_corpora`'s, a row at least."""
    ends = found.iloc[[0, -1]] if len(found) > 1 else found
    each = [f"{own['mean']:.2f} on {text_for(own['corpus'], 'figure')}" for own in ends.to_dict("records")]
    tasks = (
        "; most where a question is asked about a story"
        if _by_task(found.set_index("corpus")["mean"])
        else ""
    )
    return f"A typical shuffle moves the BiLSTM's prediction by {' and by '.join(each)}{tasks}"


def _by_task(means: pd.Series) -> str:
    """That corpora with a question about each text move further, if all do; means: by corpus."""
    asks = np.array([corpora().get(name, {}).get("task") == "qa" for name in means.index])
    if asks.all() or not asks.any() or means[asks].min() <= means[~asks].max():
        return ""
    return (
        f", by {means[asks].min():.2f} or more where a question is asked about a story"
        f", by {means[~asks].max():.2f} or less elsewhere"
    )


def _mostly_wrong(corpora_: list[str]) -> str:
    """On which of these corpora the carried model is wrong more often than right, as a sentence; or empty."""
    accuracy = _of_bilstm("accuracy").groupby("corpus")["mean"].mean()
    low = [inert(name) for name in corpora_ if accuracy.get(name, 1) < 0.5]
    return f"On {listed(low)} most answers are wrong." if low else ""


def which_corpora(found: pd.DataFrame, p: Params) -> str:
    """Which row of the figure is this run's, which models are left out or mostly wrong.

    found: `of_corpora`'s.
    """
    said = []
    if len(found) and p.corpus in {*found["corpus"]} - {*_carried().index}:
        said.append(f"{inert(p.corpus)} is this run alone; the others are stored runs.")
    guessing = sorted({*_of_bilstm(guesses=True)["corpus"]} - {*_carried().index})
    if guessing:
        said.append(f"Left out, as the model there only guesses: {listed([*map(inert, guessing)])}.")
    if wrong := _mostly_wrong([*found["corpus"]]):
        said.append(wrong)
    return f"*{' '.join(said)}*" if said else ""


def two_means(real: pd.DataFrame) -> str:
    """The finding of the figure of SST's means; empty without rows."""
    if real.empty:
        return ""
    return (
        f"{range_of_real_text(real)} on average; {_range(real)} of the peaked texts move by at most {STILL:g}"
    )


def claim_on_real_text(real: pd.DataFrame) -> str:
    """Whether more than half of the peaked texts hardly move on SST; empty without rows."""
    if real.empty:
        return ""
    most = (real["still"] > 0.5).sum()
    how = "many, but not most"
    if most:
        how = "most" if most == len(real) else "most with some encoders only"
    said = (
        "Jain & Wallace say that many peaked texts hardly move; their figure has no numbers to compare. "
        f"On SST {_range(real)} of them do: {how}."
    )
    for row in real.to_dict("records"):
        if min(row["peaked_seeds"]) < FEWEST < max(row["peaked_seeds"]):
            still = row["still_seeds"][int(np.argmin(row["peaked_seeds"]))]
            ends = {min(row["still_seeds"]): "lowest", max(row["still_seeds"]): "highest"}
            said += f" One seed of {row['encoder']} has only {min(row['peaked_seeds']):.0f} peaked texts"
            said += f", and the {ends[still]} share, {still:.0%}." if still in ends else "."
    return said


def of_classes_on_real_text() -> pd.DataFrame:
    """Of each carried corpus of two classes and encoder, a row a class: alignment, median change and others.

    alignment: the class's mean ρ, without its sign. All are means over the seeds, of profile `paper` and
    additive attention; the others are peakiness, dispersion and rms_logit. `higher` says whether the class is
    the better aligned one, `moves` whether it moves more.
    """
    measures = ["alignment", "median_change", "peakiness", "dispersion", "rms_logit"]
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and measure in @measures and `class` in ('0', '1')"
    )
    rows = rows[rows["corpus"].map(lambda name: len(corpora().get(name, {}).get("classes", ())) == 2)]
    index = ["corpus", "encoder", "class"]
    found = rows.assign(mean=rows["mean"].abs()).pivot_table(index=index, columns="measure", values="mean")
    found = found.reindex(columns=measures).dropna()
    pairs = found.groupby(["corpus", "encoder"])
    found = found[pairs["alignment"].transform("size") == 2]
    found["higher"] = found["alignment"] == found.groupby(["corpus", "encoder"])["alignment"].transform("max")
    found["moves"] = found["median_change"] == found.groupby(["corpus", "encoder"])[
        "median_change"
    ].transform("max")
    return found.reset_index()


def aligned_moves(pairs: pd.DataFrame) -> str:
    """In how many pairs of a corpus and an encoder the better aligned class moves more, and its logit; empty
    without any.

    pairs: `of_classes_on_real_text`'s.
    """
    gaps = gaps_of_aligned(pairs)
    if gaps.empty:
        return ""
    moves, logit = ((gaps[name] > 0).sum() for name in ("median_change", "rms_logit"))
    return (
        f"The better aligned class moves more in {moves} of {counted(len(gaps), 'pair')} of a corpus and an "
        f"encoder, its logit in {logit}"
    )


def gaps_of_aligned(pairs: pd.DataFrame) -> pd.DataFrame:
    """How much further the better aligned class moves than the other: a row a corpus and an encoder.

    Columns: corpus, encoder, median_change, rms_logit. pairs: `of_classes_on_real_text`'s.
    """
    keys, moved = ["corpus", "encoder"], ["median_change", "rms_logit"]
    better, other = (
        pairs[pairs["higher"] == is_better].set_index(keys)[moved] for is_better in (True, False)
    )
    return (better - other).reset_index()


def beside_alignment(pairs: pd.DataFrame) -> str:
    """How often the other two numbers name the class that moves more. pairs: `of_classes_on_real_text`'s;
    empty without any."""
    if pairs.empty:
        return ""
    more = {name: _names_it(pairs, name) for name in ("peakiness", "dispersion")}
    gaps = gaps_of_aligned(pairs)
    aligned = int((gaps["median_change"] > 0).sum())
    others = [f"{LABELS[row['encoder']]} on {inert(row['corpus'])}" for row in gaps.to_dict("records")
              if row["median_change"] <= 0]  # fmt: skip
    but = f" (not in {listed(others)})" if 0 < len(others) <= NAMED else ""
    said = (
        f"The better aligned class moves more in {aligned} of {len(gaps)}{but}, the more peaked one in "
        f"{more['peakiness']}, the one with the more dispersed values in {more['dispersion']}."
    )
    only = gaps[(gaps["median_change"] > 0) & (gaps["rms_logit"] <= 0)]
    if len(only):
        named = listed(
            [f"{LABELS[row['encoder']]} on {inert(row['corpus'])}" for row in only.to_dict("records")]
        )
        said += (
            f" In {len(only)} pairs the better aligned class moves more though its logit moves less "
            f"({named}): there the logit doesn't explain it."
        )
    small = int((gaps["median_change"].abs() < SMALL).sum())
    if small:
        said += f" In {small} the two classes move alike, within {SMALL:g}."
    if abs(more["peakiness"] - aligned) <= 2:
        return f"{said} So alignment and peakiness fit about equally well here."
    return f"{said} These are associations: classes may differ in several things at once."


def _names_it(pairs: pd.DataFrame, measure: str) -> int:
    """In how many pairs the class that is higher in a measure moves more. pairs: two rows each."""
    by_class = pairs.set_index(["corpus", "encoder", "class"])[[measure, "median_change"]].unstack()
    gap = by_class.xs("1", axis=1, level="class") - by_class.xs("0", axis=1, level="class")
    return int((gap[measure] * gap["median_change"] > 0).sum())


def moving_classes(pairs: pd.DataFrame) -> str:
    """Which class moves more on each corpus, with most encoders. pairs: `of_classes_on_real_text`'s."""
    parts = []
    for corpus, own in pairs[pairs["moves"]].groupby("corpus", sort=False):
        names = [corpora()[corpus]["classes"][int(c)] for c in own["class"]]
        most = max(names, key=names.count)
        pairs_of = zip(own["encoder"], names, strict=True)
        but = [f"{LABELS[encoder]}: {inert(name)}" for encoder, name in pairs_of if name != most]
        parts.append(f"{inert(most)} on {inert(corpus)}" + (f" ({', '.join(but)})" if but else ""))
    return f"The class that moves more is {listed(parts)}." if parts else ""


def drawn_of_real_text() -> Numbers | None:
    """The committed numbers of figure 3 on SST, of one seed of each encoder; None if they aren't here."""
    path = paths.DATA / "results" / "figures" / f"{DRAWN}.csv"
    return read(path) if path.exists() else None


def medians_by_peak(drawn: Numbers) -> pd.DataFrame:
    """The median of the texts' median change by encoder, predicted class and bin of the highest weight.

    A row each that has texts enough: encoder, predicted, bin (its place in BINS), texts, median, low, high.
    low and high are the median's 95% interval, between two of the ordered texts (of the sign test), read off
    the stored quantiles. drawn: `drawn_of_real_text`'s.
    """
    found = []
    for encoder, group in dict.fromkeys(key[:2] for key in drawn):
        texts = counts(drawn, (encoder, group, "texts"), len(BINS)).astype(int)
        for i, (bin, n) in enumerate(zip(BINS, texts, strict=True)):
            if n < FEWEST:
                continue
            values = ordered(drawn, (encoder, group, f"median_change of peak {bin}"), len(PROBABILITIES))
            below = binom.ppf(0.025, n, 0.5)  # so many texts, less one, lie below the interval, and above it
            ends = np.array([below - 1, (n - 1) / 2, n - below]) / (n - 1)
            low, middle, high = np.interp(ends, PROBABILITIES, values)
            found.append((encoder, int(group), i, n, middle, low, high))
    return pd.DataFrame(found, columns=["encoder", "predicted", "bin", "texts", "median", "low", "high"])


def _rising(found: pd.DataFrame, classes) -> pd.DataFrame:
    """By how much each group's median rises from its lowest bin to its highest, and whether the two
    intervals are apart. found: `medians_by_peak`'s; the index names the group."""
    rows = {}
    for (encoder, c), own in found.groupby(["encoder", "predicted"], sort=False):
        least, most = own.iloc[0], own.iloc[-1]
        if len(own) > 1:
            apart = least["high"] < most["low"] or most["high"] < least["low"]
            rows[f"{LABELS[encoder]}, predicted {classes[c]}"] = most["median"] - least["median"], apart
    return pd.DataFrame.from_dict(rows, orient="index", columns=["rise", "apart"])


def rises(found: pd.DataFrame, classes) -> str:
    """In how many groups of an encoder and a class the more peaked texts move more: the figure's finding."""
    rising = _rising(found, classes)
    more = rising["rise"] > 0
    return (
        f"On SST (other models, one seed) texts with more weight on one word move more in {more.sum()} of "
        f"{len(rising)} groups of an encoder and a class, clearly in "
        f"{(more & rising['apart']).sum() or 'none'}"
    )


def rising_means(found: pd.DataFrame, classes) -> str:
    """By how much the medians rise, which groups are exceptions, and what it means; empty of no group."""
    rising = _rising(found, classes)
    if rising.empty:
        return ""
    fewer = [name for name, row in rising.iterrows() if row["rise"] <= 0]
    clearly = [*rising.index[(rising["rise"] > 0) & rising["apart"]]]
    clear, named = len(clearly), f" ({'; '.join(clearly)})" if clearly else ""
    said = (
        f"From the least to the most peaked texts a group's median changes by "
        f"{signed(rising['rise'].min())} to {signed(rising['rise'].max())}."
    )
    if 2 * len(fewer) < len(rising):
        said += (
            " So more weight on one word goes with a somewhat larger change, but beyond the intervals only "
            f"in {clear or 'none'} of the {len(rising)} groups{named}."
        )
    else:
        said += " So a peak says little about how far a shuffle moves the prediction."
    if fewer:
        said += f" The exception{' is' if len(fewer) == 1 else 's are'} {'; '.join(fewer)}."
    return f"{said} But it is one seed of each encoder."


def answer(table: pd.DataFrame, run) -> list[str]:
    """The chapter's question, answered for this run.

    table: `permutation`'s, of texts of two words or more.
    """
    if table.empty:
        return [NOTHING]
    still = (table["median_change"] <= STILL).mean()
    share, how = (still, "at most") if still >= 0.5 else (1 - still, "more than")
    on = f"n {of_one_run(run.params)} {share:.0%} of {counted(len(table))} move by {how} {STILL}."
    many = over_corpora(table, run.params)
    return [f"{many} O{on}" if many else f"O{on}"]


def reasons(table: pd.DataFrame, evidence: Evidence, pairs: pd.DataFrame) -> list[str]:
    """Why some texts move and others don't; nothing of a model with more than one logit.

    pairs: `of_classes_on_real_text`'s.
    """
    found = explains(table) if len(table) and permuting.linear(evidence) else pd.Series([np.nan])
    if np.isnan(found.iloc[0]):
        return []
    said = [
        "How far shuffles move the logit, root mean square, follows exactly from three numbers of a text and "
        f"its length. Here {found.index[0]} is correlated most with it ({signed(found.iloc[0])})."
    ]
    if hides(evidence, table):
        said.append("The sigmoid then hides much of that change where the model is sure.")
    if len(pairs):
        gaps, peaked = gaps_of_aligned(pairs), _names_it(pairs, "peakiness")
        aligned = int((gaps["median_change"] > 0).sum())
        tell = ": this doesn't tell alignment from peakiness" if abs(peaked - aligned) <= 2 else ""
        said.append(
            f"On real text the better aligned class moves more in {aligned} of {len(gaps)} (its logit in "
            f"{(gaps['rms_logit'] > 0).sum()}), the more peaked one in {peaked}{tell}."
        )
    return said


def _lower(sentence: str) -> str:
    """A sentence that goes on after a colon."""
    return sentence[:1].lower() + sentence[1:]
