"""Chapter 03: what permuting attention comes to, in sentences and tables."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binomtest

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
from heed.show.sentences import counted, listed, model_named, of_one_run, quoted, signed, with_range
from heed.show.style import LABELS
from heed.show.words import text_for

FAR = 0.1  # from this mean on a shuffle moves the prediction, as in the verdict
APPENDIX = "[appendix](#appendix-how-far-the-logit-moves-exactly)"
LIMITS = (0.02, 0.1)  # a text might stay up to, instead of STILL
LOGIT = 1  # from this on a logit moves far: a probability of 0.5 would move by 0.23
SURE = 0.99  # from this probability of one class on a model is sure of a text
DRAWN = "{}-additive-site_with_en_core_web_md-permutation"  # those of profile paper have no numbers
REAL = {"sst": "film reviews", "20news": "messages of two newsgroups"}  # of which such numbers are kept
NOTHING = "No text here has two words or more, so there is nothing to shuffle."


def in_short(run, table: pd.DataFrame, found: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer, a point each: of the corpora, this run's texts, real ones, and what follows.

    table: `permutation`'s, of texts of two words or more; found: `stays_by_peak`'s; real: `on_real_text`'s.
    """
    if table.empty:
        return [NOTHING]
    said = [over_corpora(table, run.params), _of_run(run, table), *_of_real(run, table, found, real)]
    if hides(run.evidence, table):
        said.append(
            "One reason to stay may be that the model is sure: then the number behind its probability can "
            "move far, and the probability hardly."
        )
    return [sentence for sentence in [*said, moral(table, real)] if sentence]


def _of_run(run, table: pd.DataFrame) -> str:
    """How many of this run's peaked texts stay; of all its texts if none is peaked. table: not empty."""
    peaked = table[table["max_attention"] >= PEAK]
    stays = (peaked if len(peaked) else table)["median_change"] <= STILL
    half = " with half of the attention or more on one word" if len(peaked) else ""
    if len(stays) == 1:
        return f"On {model_named(run)} the one text{half} {'stays' if stays.all() else 'moves'}."
    return f"On {model_named(run)} {_share(stays)} of the texts{half} stay (by the median shuffle)."


def _of_real(run, table: pd.DataFrame, found: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """How many peaked real texts stay, and whether fewer than of the others; without what isn't kept.

    table: this run's; found: `stays_by_peak`'s; real: `on_real_text`'s.
    """
    if real.empty and found.empty:
        return []
    such = (table["max_attention"] >= PEAK).any()  # the sentence before is of such texts
    whose = "such texts" if such else "the texts with half of the attention or more on one word"
    on = listed(
        [
            f"{what} ({name})"
            for name, what in REAL.items()
            if name in {*(real if found.empty else found)["corpus"]}
        ]
    )
    still, of = _seen(found, real)
    said = [f"On {on} {_range(still)} of {whose} stay{_by(still)} ({of})."]
    if sure := _less_often(found)[0]:
        on = inert(run.params.corpus)
        here = f"; on {on} that can't be told" if _beside_others(table) == "unclear" else ""
        said.append(f"There, with {listed(sure)}, they stay less often than the other texts{here}.")
    return said


def _seen(found: pd.DataFrame, real: pd.DataFrame) -> tuple[pd.Series, str]:
    """The shares of peaked real texts that stay, those of the figure where it is drawn; of how many seeds.

    found: `stays_by_peak`'s; real: `on_real_text`'s; not both empty.
    """
    if found.empty:
        return real["still"], _over_seeds(real)
    own = found.loc[found["peaked"].astype(bool), "share"]
    if real.empty:
        return own, "one seed of each"
    seeds = _over_seeds(real).split(";")[0]
    return own, f"one seed of each; in other runs {_range(real['still'])}, {seeds}"


def _over_seeds(real: pd.DataFrame) -> str:
    """Of how many seeds the shares are means, and their range. real: `on_real_text`'s, not empty."""
    seeds = pd.Series([share for own in real["still_seeds"] for share in own])
    if (real["seeds"] == 1).all():
        return "one seed of each"
    n = " to ".join(dict.fromkeys(str(end) for end in (real["seeds"].min(), real["seeds"].max())))
    return f"means over {n} seeds; single seeds: {_range(seeds)}"


def _beside_others(table: pd.DataFrame) -> str:
    """Whether this run's peaked texts stay `less` or `more` often than the others, or it is `unclear`; empty
    without both.
    """
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    own, others = is_still[is_peaked], is_still[~is_peaked]
    if own.empty or others.empty:
        return ""
    low, high = difference(own, others)
    return "less" if high < 0 else "more" if low > 0 else "unclear"


def _by(shares: pd.Series) -> str:
    """By what these differ; empty where there is one."""
    return ", by corpus and encoder" if len(shares) > 1 else ""


def _share(stays: pd.Series) -> str:
    """A share of texts; none and all by their words."""
    return "none" if not stays.any() else "all" if stays.all() else f"{stays.mean():.0%}"


def _range(shares: pd.Series) -> str:
    """From the lowest to the highest of these. shares: one at least."""
    low, high = f"{shares.min():.0%}", f"{shares.max():.0%}"
    return low if low == high else f"{low} to {high}"


def two_words() -> pd.DataFrame:
    """By hand: two words with weights of 0.75 and 0.25, then of 0.25 and 0.75, with values of three kinds."""
    weights, rows = np.array([0.75, 0.25]), []
    for values in ((4, 0), (4, 4), (40, 0)):
        logits = np.array([weights @ values, weights[::-1] @ values])
        before, after = 1 / (1 + np.exp(-logits))
        rows.append((f"{values[0]} and {values[1]}", *logits, before, after, abs(before - after)))
    columns = ["values", "logit", "logit, swapped", "P(positive)", "P(positive), swapped", "moves by (TVD)"]
    return pd.DataFrame(rows, columns=columns)


def flipped(evidence: Evidence, table: pd.DataFrame, p: Params) -> pd.Series:
    """In which share of a text's shuffles the predicted class is another. table: `permutation`'s."""
    shares = []
    for place in table.index:
        row = evidence[int(place)]
        classes = row.probs(permuting.draws(row, p.permutations, p.seed)).argmax(1)
        shares.append(float((classes != row.prediction.argmax()).mean()))
    return pd.Series(shares, index=table.index, dtype=float)


def flips_often(flips: pd.Series) -> str:
    """In how many texts at least half of the shuffles flip the decision. flips: of one text at least."""
    often = flips >= 0.5
    if len(often) == 1:
        what = f"In the one text {'at least' if often.all() else 'less than'}"
        return f"{what} half of the shuffles change the predicted class."
    of = f"In {'none' if not often.any() else f'{often.mean():.0%}'} of the {len(often)} texts"
    return f"{of} at least half of the shuffles change the predicted class."


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


def is_sure_of(evidence: Evidence, table: pd.DataFrame) -> np.ndarray:
    """Whether one class has nearly all probability, by text. table: its index are places in the evidence."""
    return (evidence.predictions.max(1) >= SURE)[table.index]


def moral(table: pd.DataFrame, real: pd.DataFrame) -> str:
    """What follows for peaked attention if some such texts stay, of this run or of real text; else empty.

    table: this run's; real: `on_real_text`'s.
    """
    stays = (table["max_attention"] >= PEAK) & (table["median_change"] <= STILL)
    if not stays.any() and not (real["still"] > 0).any():
        return ""
    return "So a peak alone doesn't say whether other attention would change the prediction."


def by_predicted(table: pd.DataFrame, classes, corpus: str) -> str:
    """The finding of the paper's figure: how many peaked texts stay, and of which class if all are of one."""
    on = f"On {text_for(corpus, 'figure')}"
    peaked = table[table["max_attention"] >= PEAK]
    stays = (table if peaked.empty else peaked)["median_change"] <= STILL
    if peaked.empty:
        return f"{on} no text is peaked; {_share(stays)} of {counted(len(table))} stay"
    if len(peaked) == 1:
        return f"{on} the one peaked text {'stays' if stays.all() else 'moves'}"
    how = f"all {len(peaked)}" if stays.all() else f"{_share(stays)} of {len(peaked)}"
    said = f"{on} {how} peaked texts stay"
    still = peaked.loc[stays, "predicted"]
    if len(still) < 2 or still.nunique() > 1 or not by_class(classes) or table["predicted"].nunique() < 2:
        return said
    label = text_for(classes[int(still.iloc[0])], "figure")
    return f"{said}; {'both' if len(still) == 2 else 'all'} of these are predicted {label}"


def as_observed(table: pd.DataFrame) -> str:
    """Whether there are points as the paper saw them; empty without peaked texts."""
    peaked = table[table["max_attention"] >= PEAK]
    if peaked.empty:
        return ""
    some = int((peaked["median_change"] <= STILL).sum())
    if not some:
        return "Here there is no such point."
    if len(peaked) == 1:
        return "The one peaked text is such a point."
    return (
        f"Of the {len(peaked)} peaked texts {some} {'is such a point' if some == 1 else 'are such points'}."
    )


def by_class_too(table: pd.DataFrame, classes) -> str:
    """Of which predicted class none of the peaked texts stays, where some of another do; else empty."""
    peaked = table[table["max_attention"] >= PEAK]
    if not by_class(classes) or peaked["predicted"].nunique() < 2:
        return ""
    stays = (peaked["median_change"] <= STILL).groupby(peaked["predicted"]).agg(["sum", "size"])
    none = stays[stays["sum"] == 0]
    if len(none) != 1 or stays["sum"].sum() == 0:
        return ""
    own, size = int(none.index[0]), int(none["size"].iloc[0])
    label, ends = inert(classes[own]), _ends(table, classes)
    further = ends is not None and int(ends.index[1]) == own and class_gap(table, classes)
    why = f". Over all texts shuffling moves this class's logit further ({APPENDIX})." if further else "."
    if size == 1:
        return f"The one peaked text predicted {label} moves{why}"
    return f"None of the {size} peaked texts predicted {label} stays{why}"


def interval(shares: pd.Series) -> tuple[float, float]:
    """Wilson's 95% interval of a share. shares: of one text at least, true or false."""
    low, high = binomtest(int(shares.sum()), len(shares)).proportion_ci(method="wilson")
    return float(low), float(high)


def difference(own: pd.Series, others: pd.Series) -> tuple[float, float]:
    """Newcombe's 95% interval of the difference of two shares, of Wilson's intervals of each.

    own, others: of one text at least, true or false; the difference is own's share less the others'.
    """
    first, second, (low, high), (least, most) = own.mean(), others.mean(), interval(own), interval(others)
    gap = first - second
    return (
        float(gap - np.hypot(first - low, most - second)),
        float(gap + np.hypot(high - first, second - least)),
    )


def between(table: pd.DataFrame) -> str:
    """Whether peaked texts stay less often than others, as far as the interval tells; empty without both."""
    how = _beside_others(table)
    if how in ("", "less", "more"):
        return how and f"Peaked texts stay {how} often than the others."
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    low, high = difference(is_still[is_peaked], is_still[~is_peaked])
    ends = f"{signed(100 * low, 'z.0f')} to {signed(100 * high, 'z.0f')}"
    return (
        "Whether peaked texts stay less often than the others can't be told here: the 95% interval of the "
        f"difference is {ends} percentage points."
    )


def other_limits(table: pd.DataFrame) -> str:
    """How many peaked texts stay if the limit were another; empty without such texts."""
    changes = table.loc[table["max_attention"] >= PEAK, "median_change"]
    if len(changes) < 2:
        return ""
    shares = [_share(changes <= limit) for limit in LIMITS]
    limits, stay = (" or ".join(each) for each in ([f"{limit:g}" for limit in LIMITS], shares))
    return f"With {limits} as the limit, not {STILL:g}, {stay} would stay."


def notes(table: pd.DataFrame) -> dict[bool, str]:
    """For the figure: how many of the peaked texts (True) and of the others stay, of those that there are."""
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    said = {}
    for kind, name in ((True, "peaked"), (False, "other")):
        own = is_still[is_peaked == kind]
        if len(own):
            low, high = interval(own)
            texts = counted(len(own), f"{name} text")
            said[kind] = f"of {texts}\n{own.mean():.0%} stay\n(95%: {low:.0%} to {high:.0%})"
    return said


def most_peaked(row: Row, classes, question: dict[str, str], encoder: str) -> list[str]:
    """A text, what the model says of it, and what it is asked, if it is. question: `Run.asked`'s."""
    top = int(np.where(row.real, row.attention, -1).argmax())
    said = [
        f"{quoted(row.units)}: P({inert(classes[row.shown])}) = {row.prediction[row.shown]:.3f}; "
        f"the highest weight, {row.attention[top]:.2f}, is on “{tokens([row.units[top]])}”."
    ]
    if encoder == "bilstm":
        said.append("A BiLSTM's state there has read the whole text, not this word alone.")
    if question:
        said.append(f"{question['query_name']}: *{tokens(question['question'].split())}*.")
    return said


def shuffled(change: np.ndarray) -> str:
    """What many shuffles of one text do. change: of the prediction, (permutations,)."""
    middle, further = np.median(change), int((change > STILL).sum())
    what = "moves" if middle > STILL else "stays, but not in every shuffle" if further else "stays"
    return (
        f"Over {len(change)} shuffles the prediction moves by {change.min():.3f} to {change.max():.3f}, in "
        f"{further or 'none'} by more than {STILL:g}; the median change is {middle:.3f}. So, by the median, "
        f"the text {what}."
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
    says = f"{found.index[0].capitalize()} goes most with what a shuffle does to the logit"
    ends = _ends(table, classes)
    if ends is None or not _aligned_more(ends):
        return says
    return f"{says}; {text_for(classes[int(ends.index[1])], 'figure')} texts are better aligned"


def by_number(table: pd.DataFrame, seed: int) -> dict[str, str]:
    """The three rank correlations with their intervals, of those that have any. seed: of the resampling."""
    said = {}
    for name in explains(table).index:
        rows = table.dropna(subset=[name])
        rho, low, high = stats.spearman(rows[name].abs(), rows["rms_logit"], 200, seed)
        if not np.isnan([rho, low, high]).any():
            said[name] = f"{signed(rho)} ({signed(low)} to {signed(high)})"
    return said


def class_gap(table: pd.DataFrame, classes) -> str:
    """Which of the three numbers makes the logit of one class's texts move further than another's; empty if
    texts aren't told apart by class, if there is more than one logit, or if none does."""
    ends = _ends(table, classes)
    if ends is None or not {"alignment", "dispersion", "peakiness", "rms_logit"} <= {*ends.columns}:
        return ""
    few, many = (inert(classes[int(c)]) for c in ends.index)
    low, high = ends["rms_logit"]
    squares = table["alignment"].fillna(0) ** 2 + 1 / (table["length"] - 1)  # the formula's factor of both
    names = ["alignment", "dispersion", "peakiness"]
    factors = table.assign(alignment=np.sqrt(squares)).groupby("predicted")[names].mean().loc[ends.index]
    times = factors.iloc[1] / factors.iloc[0].clip(lower=1e-12)
    if high <= low or times.max() < 1.05:
        return ""
    return (
        f"Shuffling moves the logit of texts predicted {many} further than that of texts predicted {few} "
        f"({high:.1f} against {low:.1f}, means over texts). Most of that comes from their {times.idxmax()}."
    )


def sigmoid(evidence: Evidence, several: pd.DataFrame) -> str:
    """Whether the texts that stay are those of which the model is sure. several: a text at least."""
    is_sure = is_sure_of(evidence, several)
    if is_sure.all() or not is_sure.any():
        texts = "every text" if is_sure.all() else "no text"
        return f"The model is sure of {texts} here: sure and other texts can't be compared."
    if hides(evidence, several):
        stays = several["median_change"] <= STILL
        still = several.loc[is_sure & stays, "rms_logit"].median()
        moved = several.loc[is_sure & ~stays, "rms_logit"].median()
        if moved > still:
            return (
                "So the sigmoid can hide a change. But it isn't all of it: among the sure texts, too, those "
                "that move have a logit that moves further."
            )
        return "So the sigmoid can hide a change."
    sure, others = (several.loc[own, "median_change"] <= STILL for own in (is_sure, ~is_sure))
    return f"Of the texts of which the model is sure {_share(sure)} stay, of the others {_share(others)}."


def hidden_share(evidence: Evidence, table: pd.DataFrame, p: Params) -> pd.Series:
    """In which share of a text's shuffles the one logit moves far and the prediction hardly. table: its index
    are places in the evidence.
    """
    shares = []
    for place in table.index:
        row = evidence[int(place)]
        weights = permuting.draws(row, p.permutations, p.seed)
        far = np.abs((weights - row.attention) @ row.values[:, 0]) >= LOGIT
        still = permuting.changes(row, p.permutations, p.seed) <= STILL
        shares.append(float((far & still).mean()))
    return pd.Series(shares, index=table.index, dtype=float)


def why_peaked_stay(evidence: Evidence, several: pd.DataFrame, p: Params) -> str:
    """Of how many of the peaked texts that stay the model is sure, and of how many of these the sigmoid hides
    at least half of the shuffles; empty without such texts, or of a model with more than one logit.
    """
    stays = (several["max_attention"] >= PEAK) & (several["median_change"] <= STILL)
    if not permuting.linear(evidence) or stays.sum() < 2:
        return ""
    sure = stays & is_sure_of(evidence, several)
    said = f"Of the {stays.sum()} peaked texts that stay the model is sure of {sure.sum() or 'none'}"
    far = int((hidden_share(evidence, several[sure], p) >= 0.5).sum())
    if not far:
        return f"{said}."
    whose = f"all {far} of these" if 1 < far == sure.sum() else f"{far} of these {sure.sum()}"
    return (
        f"{said}; with {whose} at least half of the shuffles move the logit by {LOGIT:g} or more and the "
        f"prediction by {STILL:g} at most: the flat sigmoid hides it."
    )


def hidden(evidence: Evidence, several: pd.DataFrame, corpus: str) -> str:
    """How often texts stay of which the model is sure, and how far their logit moves: the figure's finding.

    Empty of a model with more than one logit, and unless there are texts of both kinds.
    """
    found = _sure_and_others(evidence, several)
    if found is None:
        return ""
    on, (stay, logit) = f"On {text_for(corpus, 'figure')} sure texts", found
    how = {True: "more often", False: "less often", None: "as often"}
    far = {True: "further", False: "less far", None: "as far"}
    link = ", although" if hides(evidence, several) else ";"
    return f"{on} stay {how[stay]}{link} their logit moves {far[logit]}"


def _sure_and_others(evidence: Evidence, several: pd.DataFrame) -> tuple[bool | None, bool | None] | None:
    """Whether sure texts stay more often than others, and their logit moves further (in the median).

    Of each None where they are alike; None for both unless there is one logit, and texts of both kinds.
    """
    is_sure = is_sure_of(evidence, several)
    if not permuting.linear(evidence) or is_sure.all() or not is_sure.any():
        return None
    stays = several["median_change"] <= STILL
    shares, logits = [stays[is_sure].mean(), stays[~is_sure].mean()], several["rms_logit"]
    medians = [logits[is_sure].median(), logits[~is_sure].median()]
    return tuple(None if a == b else bool(a > b) for a, b in (shares, medians))


def hides(evidence: Evidence, several: pd.DataFrame) -> bool:
    """Whether sure texts stay more often than the others, although their logit moves further."""
    return _sure_and_others(evidence, several) == (True, True)


def alike(several: pd.DataFrame, classes, is_sure: np.ndarray) -> str:
    """Whether conicity goes with a smaller change within each class, and of each sureness, too.

    several: with conicity; is_sure: `is_sure_of`'s. Empty unless it is known of two predicted classes.
    """
    if not by_class(classes) or several["predicted"].nunique() < 2:
        return ""
    kinds = {
        "each class": [rows for _, rows in several.groupby("predicted")],
        "the sure and the unsure texts": [several[is_sure], several[~is_sure]],
    }
    found, told = [], []
    for kind, groups in kinds.items():
        own = [stats.rank_correlation(rows["conicity"], rows["median_change"]) for rows in groups]
        if not np.isnan(own).any():
            found, told = found + own, [*told, kind]
    if "each class" not in told:
        return ""
    where = f"Within {', and within '.join(told)}"
    if max(found) >= 0:
        return f"{where}, that isn't always so."
    ends = " to ".join(dict.fromkeys(signed(end(found)) for end in (min, max)))
    return f"{where}, it is {ends}."


def alike_says(several: pd.DataFrame, corpus: str) -> str:
    """Whether conicity is correlated with the change of the prediction: the figure's finding."""
    rho = stats.rank_correlation(several["conicity"], several["median_change"])
    on = f"On {text_for(corpus, 'figure')}"
    if np.isnan(rho):
        return f"{on} there are too few texts, or all are alike, to see what conicity does"
    if abs(rho) < 0.5:
        return f"{on} conicity hardly tells how far texts move (rank correlation {signed(rho)})"
    less = "less" if rho < 0 else "more"
    return f"{on} texts with states closer to one line move {less} (rank correlation {signed(rho)})"


def one_word(run) -> pd.DataFrame:
    """Median change and exact ε-max JSD of every text, where one rare word decides."""
    table = run.table("permutation")[["id", "predicted", "median_change"]]
    found = adversarial.optima(run.evidence, run.params.epsilon)
    return table.assign(optimum=[found[name].jsd for name in table["id"]])


def enough(table: pd.DataFrame, classes) -> str:
    """The finding of the figure of one word: whether the class with the word moves far and the other doesn't.

    table: `one_word`'s; the positive class is the second.
    """
    means = table.groupby("predicted")["median_change"].mean()
    parts = [f"{mean:.2f} ({text_for(classes[c], 'figure')})" for c, mean in means.items()]
    how = {True: ", as expected,", False: ", not as expected,", None: ""}[_held(table)]
    return f"On indicator{how} shuffling moves the prediction by {listed(parts)}"


def _held(table: pd.DataFrame) -> bool | None:
    """Whether positive texts move further and are less free; None without both classes."""
    means = table.groupby("predicted")[["median_change", "optimum"]].mean()
    if len(means) != 2:
        return None
    none, one = means.iloc[0], means.iloc[1]
    return bool(one["median_change"] > none["median_change"] and one["optimum"] < none["optimum"])


def as_foretold(run, table: pd.DataFrame) -> str:
    """Whether a few words are enough for what the paper saw. table: `one_word`'s."""
    p = run.params
    said = f"These are means over the texts of one {LABELS[p.encoder]} encoder (seed {p.seed})."
    held = _held(table)
    if held is None:
        return said
    return f"{said} Such words are {'' if held else '*not* '}enough here; no other model was tried."


def on_real_text() -> pd.DataFrame:
    """A row a corpus of REAL and encoder: median change, and the share of peaked texts that hardly move.

    mean and still are means over the carried seeds; the columns that end in _seeds hold the seeds' numbers.
    """
    rows = verdict.plain(verdict.committed()).query(
        "corpus in @REAL and profile == 'paper' and attention == 'additive' and `class` == 'overall'"
    )
    found = []
    for corpus, encoder in product(REAL, LABELS):
        own = rows[(rows["corpus"] == corpus) & (rows["encoder"] == encoder)].set_index("measure")
        if {"median_change", "peaked_still"} <= {*own.index}:
            change = own.loc[["median_change"], "mean"]
            texts = own.loc[["peaked_still"]].dropna(subset="mean")
            row = {"corpus": corpus, "encoder": LABELS[encoder], "seeds": len(change)}
            row |= {"mean": change.mean(), "mean_seeds": [*change]}
            row |= {"still": texts["mean"].mean(), "still_seeds": [*texts["mean"]]}
            row["peaked_seeds"] = [*(texts["n"] - texts["undefined"])]
            found.append(row)
    columns = ["corpus", "encoder", "seeds", "mean", "mean_seeds", "still", "still_seeds", "peaked_seeds"]
    return pd.DataFrame(found, columns=columns).dropna(subset="still")


def moved_and_still(real: pd.DataFrame) -> pd.DataFrame:
    """`on_real_text`'s rows for the page: means over the seeds, with their range."""
    columns = {
        "corpus": real["corpus"],
        "encoder": real["encoder"],
        "median change, mean over texts": [with_range(each, ".2f") for each in real["mean_seeds"]],
        "peaked texts": [with_range(each, ".0f") for each in real["peaked_seeds"]],
        "of these stay": [with_range(each, ".0%") for each in real["still_seeds"]],
    }
    return pd.DataFrame(columns)


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
    ends = " to ".join(dict.fromkeys(f"{end:.2f}" for end in (means.min(), means.max())))
    tasks = ", most where a question is asked about a story" if _by_task(means) else ""
    return f"{how}: on average shuffling moves the BiLSTM's prediction by a TVD of {ends}{tasks}."


def _counts(p: Params, carried: pd.Index) -> bool:
    """Whether this run's corpus stands beside the carried ones: the model is alike, and it isn't carried."""
    return (p.encoder, p.attention, p.profile) == ("bilstm", "additive", "paper") and p.corpus not in carried


def of_corpora(table: pd.DataFrame, p: Params) -> pd.DataFrame:
    """What `over_corpora` is of: a row a corpus, from the least change to the most.

    corpus, mean (over texts and seeds), seeds (the mean of each), part (whether it is of a part of the
    corpus), asks (whether a question is asked about each text). table: `permutation`'s.
    """
    own = _of_bilstm().groupby("corpus")
    found = own.agg(mean=("mean", "mean"), seeds=("mean", list), part=("partial", "any")).reset_index()
    if len(found) and len(table) and _counts(p, pd.Index(found["corpus"])):
        mean = table["median_change"].mean()
        found.loc[len(found)] = [p.corpus, mean, [mean], False]
    found["asks"] = [corpora().get(name, {}).get("task") == "qa" for name in found["corpus"]]
    return found.sort_values("mean", kind="stable", ignore_index=True)


def least_and_most(found: pd.DataFrame) -> str:
    """The finding of the figure of all corpora. found: `of_corpora`'s, a row at least."""
    ends = found.iloc[[0, -1]] if len(found) > 1 else found
    each = [
        f"{own['mean']:.2f} on {'part of ' * bool(own['part'])}{text_for(own['corpus'], 'figure')}"
        for own in ends.to_dict("records")
    ]
    return f"Shuffling moves the BiLSTM's prediction by a TVD of {' to '.join(each)}"


def _by_task(means: pd.Series) -> bool:
    """Whether all corpora with a question about each text move further than the others; means: by corpus."""
    asks = np.array([corpora().get(name, {}).get("task") == "qa" for name in means.index])
    return bool(asks.any() and not asks.all() and means[asks].min() > means[~asks].max())


def _mostly_wrong(corpora_: list[str]) -> str:
    """On which of these corpora the carried model is wrong more often than right, as a sentence; or empty."""
    accuracy = _of_bilstm("accuracy").groupby("corpus")["mean"].mean()
    low = [inert(name) for name in corpora_ if accuracy.get(name, 1) < 0.5]
    return f"On {listed(low)} most answers are wrong." if low else ""


def which_corpora(found: pd.DataFrame, p: Params) -> str:
    """Which row of the figure is this run's, which models are left out or mostly wrong, and a guess.

    found: `of_corpora`'s.
    """
    said = []
    if len(found) and p.corpus in {*found["corpus"]} - {*_carried().index}:
        said.append(f"On {inert(p.corpus)} it is this page's one seed.")
    guessing = sorted({*_of_bilstm(guesses=True)["corpus"]} - {*_carried().index})
    if guessing:
        said.append(f"Left out, as its model only guesses: {listed([*map(inert, guessing)])}.")
    if wrong := _mostly_wrong([*found["corpus"]]):
        said.append(wrong)
    if len(found) and _by_task(found.set_index("corpus")["mean"]):
        said.append(
            "Why questions move it most wasn't tested; perhaps because few words of a story hold the answer."
        )
    return f"*{' '.join(said)}*" if said else ""


def claim_on_real_text(real: pd.DataFrame) -> str:
    """Whether many peaked texts stay in the runs with more seeds; empty without rows.

    real: `on_real_text`'s.
    """
    if real.empty:
        return ""
    runs = (
        "In runs with other word vectors and training ([appendix](#appendix-real-text-over-seeds)) "
        f"{_range(real['still'])} of the peaked texts stay{_by(real['still'])} ({_over_seeds(real)})."
    )
    return f"So there are such points on real text, too. {runs}" if (real["still"] > 0).any() else runs


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
    """In how many pairs of a corpus and an encoder the better aligned class moves more; empty without any.

    pairs: `of_classes_on_real_text`'s.
    """
    gaps = gaps_of_aligned(pairs)
    if gaps.empty:
        return ""
    moves = int((gaps["median_change"] > 0).sum())
    how = "all" if moves == len(gaps) else f"{moves or 'none'} of the"
    return f"The better aligned class moves more in {how} {counted(len(gaps), 'pair')} of corpus and encoder"


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
    """How often peakiness names the class that moves more, and the logit moves otherwise; empty without any.

    pairs: `of_classes_on_real_text`'s.
    """
    if pairs.empty:
        return ""
    gaps, peaked = gaps_of_aligned(pairs), _names_it(pairs, "peakiness")
    aligned = int((gaps["median_change"] > 0).sum())
    only = int(((gaps["median_change"] > 0) & (gaps["rms_logit"] <= 0)).sum())
    said = []
    if only:
        said.append(f"In {only} of these its logit moves less: there alignment doesn't explain it.")
    if abs(peaked - aligned) <= 2:
        said.append(
            f"The class with the higher peakiness moves more in {peaked}: the two fit about equally well."
        )
    else:
        said.append(f"The class with the higher peakiness moves more in {peaked or 'none'}.")
    return " ".join(said)


def _names_it(pairs: pd.DataFrame, measure: str) -> int:
    """In how many pairs the class that is higher in a measure moves more. pairs: two rows each."""
    by_class = pairs.set_index(["corpus", "encoder", "class"])[[measure, "median_change"]].unstack()
    gap = by_class.xs("1", axis=1, level="class") - by_class.xs("0", axis=1, level="class")
    return int((gap[measure] * gap["median_change"] > 0).sum())


def drawn_of_real_text() -> dict[str, Numbers]:
    """The committed numbers of figure 3 on real text, by corpus, of one seed of each encoder."""
    paths_of = {name: paths.DATA / "results" / "figures" / f"{DRAWN.format(name)}.csv" for name in REAL}
    return {name: read(path) for name, path in paths_of.items() if path.exists()}


def stays_by_peak(drawn: dict[str, Numbers]) -> pd.DataFrame:
    """How many peaked texts stay, and of the others: two rows a corpus and encoder that has texts enough.

    corpus, encoder, peaked, texts, share, low, high (95%, Wilson), and below: whether peaked texts stay less
    often, as far as the difference's interval tells. Counts are read off the stored quantiles, so they
    are right to a fortieth of a bin's texts. drawn: `drawn_of_real_text`'s.
    """
    rows = []
    for corpus, numbers in drawn.items():
        found = {}
        for encoder, group in dict.fromkeys(key[:2] for key in numbers):
            texts = counts(numbers, (encoder, group, "texts"), len(BINS)).astype(int)
            for i, (bin, n) in enumerate(zip(BINS, texts, strict=True)):
                own = found.setdefault(encoder, {True: [], False: []})[i >= len(BINS) / 2]
                if n:
                    values = ordered(
                        numbers, (encoder, group, f"median_change of peak {bin}"), len(PROBABILITIES)
                    )
                    rank = np.interp(STILL, values, PROBABILITIES) * (n - 1)
                    stay = 0 if values[0] > STILL else int(rank + 1e-9) + 1
                    own += [True] * stay + [False] * (n - stay)
        for encoder, both in found.items():
            if min(map(len, both.values())) >= FEWEST:
                below = difference(*(pd.Series(both[kind]) for kind in (True, False)))[1] < 0
                rows += [
                    (corpus, encoder, kind, len(own), np.mean(own), *interval(pd.Series(own)), below)
                    for kind, own in both.items()
                ]
    columns = ["corpus", "encoder", "peaked", "texts", "share", "low", "high", "below"]
    return pd.DataFrame(rows, columns=columns)


def stays_less(found: pd.DataFrame) -> str:
    """With which encoders peaked texts stay less often, on each corpus: the figure's finding.

    found: `stays_by_peak`'s, not empty.
    """
    sure, others = _less_often(found)
    if not sure:
        return "With no encoder do peaked texts clearly stay less often than the others"
    said = f"With {listed(sure)} peaked texts stay less often than the others"
    return f"{said}, with {listed(others)} not clearly" if others else said


def _less_often(found: pd.DataFrame) -> tuple[list[str], list[str]]:
    """With which encoders peaked texts clearly stay less often on each corpus, and with which others not.

    found: `stays_by_peak`'s.
    """
    clear = found.groupby("encoder")["below"].all()
    names = [name for name in LABELS if name in clear.index]
    return tuple([LABELS[name] for name in names if clear[name] == kind] for kind in (True, False))


def answer(table: pd.DataFrame, run, found: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for this run and for real text: arguments as of `in_short`."""
    if table.empty:
        return [NOTHING]
    peaked = table[table["max_attention"] >= PEAK]
    own = (peaked if len(peaked) else table)["median_change"] <= STILL
    kind = "peaked text" if len(peaked) else "text"
    on = f"On {of_one_run(run.params)}"
    if len(own) == 1:
        told = f"{on} the one {kind} {'stays' if own.all() else 'moves'}"
    else:
        told = f"{on} {_share(own)} of {counted(len(own), kind)} stay"
    if len(real) or len(found):
        also = "" if len(peaked) else " of the peaked ones"
        still, of = _seen(found, real)
        told += f", on real text {_range(still)}{also}{_by(still)} ({of})"
    why = ""
    if permuting.linear(run.evidence):
        why = (
            "A peaked text can stay as in the second row by hand, because the values are alike, or as in the "
            "third, because the sigmoid is flat. In the second row attention doesn't matter; in the third it "
            "moves the logit, only not the probability."
        )
    means = of_corpora(table, run.params).set_index("corpus")["mean"]
    far = "How far a prediction moves depends on the corpus" if len(means) > 1 else ""
    far += ": most on questions about a story" if _by_task(means) else ""
    said = [f"{far}." if far else "", f"{told}.", why, moral(table, real)]
    return [sentence for sentence in said if sentence]
