"""Chapter 03: what permuting attention comes to, in sentences and tables."""

from functools import cache
from itertools import combinations, product

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
CLOSE = 0.4  # of its shuffles move a text that nearly doesn't stay
FEW = 0.1  # a text stays in nearly all shuffles if no more than this share of them moves it
SURE = 0.99  # from this probability of one class on a model is sure of a text
DRAWN = "{}-additive-site_with_en_core_web_md-permutation"  # those of profile paper have no numbers
REAL = {"sst": "film reviews", "20news": "messages of two newsgroups"}  # of which such numbers are kept
ALL_STAY = "all that stay"  # a kind of `outcomes`
NOTHING = "No text here has two words or more, so there is nothing to shuffle."


def in_short(
    run, table: pd.DataFrame, shuffles: pd.DataFrame, many: pd.DataFrame, found: pd.DataFrame
) -> list[str]:
    """The chapter's answer, a point each: of the corpora, of this run's texts and others', and why.

    table: `permutation`'s, of texts of two words or more; shuffles: `of_shuffles`'s; many: `of_corpora`'s;
    found: `stays_by_peak`'s.
    """
    if table.empty:
        return [NOTHING]
    corpus = run.params.corpus
    said = [
        over_corpora(many),
        f"{_of_run(run, table, shuffles)} {_of_others(corpus, many, found)}".strip(),
        _in_a_word(corpus, table, shuffles),
    ]
    return [sentence for sentence in said if sentence]


def _of_run(run, table: pd.DataFrame, shuffles: pd.DataFrame) -> str:
    """How many of this run's peaked texts stay, and in nearly every shuffle; of all its texts if none is
    peaked. table: not empty.
    """
    peaked = table[table["max_attention"] >= PEAK]
    own = peaked if len(peaked) else table
    stays = own["median_change"] <= STILL
    lead = "**A peak doesn't settle whether a text moves.** " if 0 < stays.sum() < len(peaked) else ""
    has = "A *peaked* text has half of the attention or more on one word. A text"
    on = (
        f"{lead}{has if len(peaked) else 'A text'} *stays* if at least half of its shuffles move the "
        f"prediction by {STILL:g} at most. On {model_named(run)}"
    )
    kind = "peaked " if len(peaked) else ""
    if len(stays) == 1:
        return f"{on} the one {kind}text {'stays' if stays.all() else 'moves'}."
    said = f"{on} {_count(stays)} {kind}texts {'stays' if stays.sum() == 1 else 'stay'}"
    if not stays.any():
        return f"{said}."
    return f"{said}; if we ask it of nine shuffles in ten, {_nearly_always(own, shuffles)}."


def _nearly_always(own: pd.DataFrame, shuffles: pd.DataFrame) -> str:
    """How many texts do hardly move in nine of ten shuffles. own: their rows of the table, of two at least;
    shuffles: `of_shuffles`'s.
    """
    always = int((shuffles.loc[own.index, "visible"] <= FEW).sum())
    only = "only " if 0 < always < (own["median_change"] <= STILL).sum() else ""
    return f"{only}{always or 'none'} {'does' if always == 1 else 'do'}"


def _within(stays: pd.Series) -> str:
    """The ends of a share's interval, in brackets' words. stays: of one text at least."""
    low, high = interval(stays)
    return f"95% interval {low:.0%} to {high:.0%}"


def _of_others(corpus: str, many: pd.DataFrame, found: pd.DataFrame) -> str:
    """How many peaked texts of other corpora stay, and whether fewer than of texts without a peak; empty
    without such corpora. corpus: the run's; many: `of_corpora`'s; found: `stays_by_peak`'s.
    """
    others = many[many["corpus"] != corpus]["still"].dropna()
    if others.empty:
        return ""
    on = "corpus" if len(others) == 1 else "corpora"
    said = f"On {len(others)} other {on} {_range(others)} of peaked texts stay."
    if sure := _less_often(found):
        where = listed([inert(name) for name in found["corpus"].unique()])
        said += f" Still, on {where}, with {listed(sure)}, other texts stay more often."
    return said


def _in_a_word(corpus: str, table: pd.DataFrame, shuffles: pd.DataFrame) -> str:
    """The two reasons to stay, and which is the more frequent one on the run's corpus; empty unless there is
    one logit.
    """
    own = shuffles[table["median_change"] <= STILL]
    if own.empty or own["hidden"].isna().any():
        return ""
    hidden, alike = own["hidden"].mean(), (1 - own["visible"] - own["hidden"]).mean()
    which = "second" if hidden > alike else "first"
    return (
        "**Why do texts stay?** The number behind the probability hardly moves, or the model is so sure that "
        f"the probability doesn't show its move. On {inert(corpus)} the {which} is more frequent."
    )


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


def _share(stays: pd.Series) -> str:
    """A share of texts; none and all by their words."""
    return "none" if not stays.any() else "all" if stays.all() else f"{stays.mean():.0%}"


def _count(stays: pd.Series) -> str:
    """How many texts, of how many."""
    return f"{int(stays.sum()) or 'none'} of {len(stays)}"


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


def flips_often(flips: pd.Series) -> str:
    """In how many texts at least half of the shuffles flip the decision. flips: of one text at least."""
    often = flips >= 0.5
    if len(often) == 1:
        what = f"In the one text {'at least' if often.all() else 'less than'}"
        return f"{what} half of the shuffles change the predicted class."
    return f"In {_count(often)} texts at least half of the shuffles change the predicted class."


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


def by_predicted(table: pd.DataFrame, classes, corpus: str) -> str:
    """The finding of the paper's figure: how many peaked texts stay, and of which class if all are of one."""
    on = f"On {text_for(corpus, 'figure')}"
    peaked = table[table["max_attention"] >= PEAK]
    stays = (table if peaked.empty else peaked)["median_change"] <= STILL
    if peaked.empty:
        return f"{on} no text is peaked; {_share(stays)} of {counted(len(table))} stay"
    if len(peaked) == 1:
        return f"{on} the one peaked text {'stays' if stays.all() else 'moves'}"
    some = "all" if stays.all() else stays.sum() or "none"
    said = f"On {text_for(corpus, 'figure')} {some} of {len(peaked)} peaked texts stay"
    still = peaked.loc[stays, "predicted"]
    if len(still) < 2 or still.nunique() > 1 or not by_class(classes) or table["predicted"].nunique() < 2:
        return said
    label = text_for(classes[int(still.iloc[0])], "figure")
    return f"{said}, {'both' if len(still) == 2 else 'all'} predicted {label}"


def as_observed(table: pd.DataFrame, shuffles: pd.DataFrame) -> str:
    """Whether there are texts as the paper saw them, and how firmly they stay; empty without peaked texts.

    shuffles: `of_shuffles`'s.
    """
    peaked = table[table["max_attention"] >= PEAK]
    if peaked.empty:
        return ""
    some = int((peaked["median_change"] <= STILL).sum())
    if not some:
        return "Here no peaked text stays."
    if len(peaked) == 1:
        return "The one peaked text stays."
    return (
        f"Are there many? Of the {len(peaked)} peaked texts {some} {'stay' if some > 1 else 'stays'}; "
        f"that is {some / len(table):.0%} of all {len(table)} texts. So far a text stays if at least half of "
        "its shuffles hardly move the prediction. If we ask it of at least nine in ten shuffles, "
        f"{_nearly_always(peaked, shuffles)}."
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
    none_stays = f"None of the {size} peaked texts predicted {label} stays."
    said = f"The one peaked text predicted {label} moves." if size == 1 else none_stays
    if not further:
        return said
    aligned = ", perhaps because their weights follow the values more closely" if _aligned_more(ends) else ""
    return f"{said} A shuffle moves the logit of texts predicted {label} further{aligned} ({APPENDIX})."


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


def between(table: pd.DataFrame, corpus: str) -> str:
    """Whether peaked texts stay less often than others, as far as the interval tells; empty without both."""
    how, on = _beside_others(table), f"On {inert(corpus)}"
    if how in ("", "less", "more"):
        return how and f"{on} they stay {how} often than the others."
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    low, high = difference(is_still[is_peaked], is_still[~is_peaked])
    ends = f"{signed(100 * low, 'z.0f')} to {signed(100 * high, 'z.0f')}"
    less = "the share of peaked texts that stay minus that of the others"
    return f"{on} that can't be told: {less} is {ends} percentage points (95% interval)."


def other_limits(table: pd.DataFrame) -> str:
    """How many peaked texts stay if the limit were another; empty without such texts."""
    changes = table.loc[table["max_attention"] >= PEAK, "median_change"]
    if len(changes) < 2:
        return ""
    shares = [_share(changes <= limit) for limit in LIMITS]
    limits, stay = " or ".join(f"{limit:g}" for limit in LIMITS), " or ".join(dict.fromkeys(shares))
    return f"With a limit of {limits} instead of {STILL:g}, {stay} of the peaked texts stay."


def notes(table: pd.DataFrame) -> dict[bool, str]:
    """For the figure: how many of the peaked texts (True) and of the others stay, of those that there are."""
    is_peaked, is_still = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    said = {}
    for kind, name in ((True, "peaked"), (False, "other")):
        own = is_still[is_peaked == kind]
        if len(own):
            said[kind] = f"{counted(len(own), f'{name} text')}:\n{own.mean():.0%} stay"
    return said


def most_peaked(row: Row, run) -> list[str]:
    """A text, whose it is, what the model says of it, and what it is asked, if it is."""
    top = int(np.where(row.real, row.attention, -1).argmax())
    said = [
        f"{quoted(row.units)}, a text of {model_named(run)}.",
        f"P({inert(run.corpus.classes[row.shown])}) = {row.prediction[row.shown]:.3f}, and the highest "
        f"weight, {row.attention[top]:.2f}, is on “{tokens([row.units[top]])}”.",
    ]
    if question := run.asked(row.id):
        said.append(f"{question['query_name']}: *{tokens(question['question'].split())}*.")
    return said


def shuffled(one: pd.DataFrame) -> list[str]:
    """What many shuffles of one text do, and what it is called. one: `of_one`'s."""
    change = one["change"]
    middle, further = change.median(), int((change > STILL).sum())
    if not further:
        said = f"None of the {len(change)} shuffles moves the prediction by more than {STILL:g}"
        return [f"{said}: the text **stays**."]
    said = f"In {further} of {len(change)} shuffles the prediction moves by more than {STILL:g}"
    said += f", by up to {change.max():.2f}. The shuffle in the middle, the median, moves it by {middle:.3f}."
    if middle > STILL:
        return [said, "So the text **moves**, as this page uses the word."]
    close, flips = further >= CLOSE * len(one), int(one["flipped"].sum())
    changes = f"in {flips} {'shuffles' if flips > 1 else 'shuffle'} even the predicted class changes"
    but = ", but it is a close case" if close else ""
    if flips:
        but += f": {changes}" if close else f", though {changes}"
    return [
        said,
        f"A text **stays** if at least half of its shuffles move the prediction by {STILL:g} at most. So "
        f"this one stays{but}.",
    ]


def on_one(row: Row, one: pd.DataFrame) -> str:
    """In how many shuffles the prediction moves: the finding of one text's figure. one: `of_one`'s."""
    top, further = row.attention[row.real].max(), int((one["change"] > STILL).sum())
    return f"The weight of {top:.2f} shuffled: the prediction moves in {further} of {len(one)} shuffles"


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


def of_shuffles(evidence: Evidence, table: pd.DataFrame, p: Params) -> pd.DataFrame:
    """What becomes of each text's shuffles, as shares of them: a row a text of the table.

    visible: the prediction moves by more than STILL; hidden: the logit moves by LOGIT or more, and the
    prediction doesn't visibly (NaN unless there is one logit); flipped: the predicted class is another.
    table: its index are places in the evidence.
    """
    rows = []
    for place in table.index:
        row = evidence[int(place)]
        weights = permuting.draws(row, p.permutations, p.seed)
        moves = permuting.changes(row, p.permutations, p.seed) > STILL
        found = {"visible": moves.mean(), "hidden": np.nan}
        if permuting.linear(evidence):
            far = np.abs((weights - row.attention) @ row.values[:, 0]) >= LOGIT
            found["hidden"] = (far & ~moves).mean()
        found["flipped"] = _flips(row, weights).mean()
        rows.append(found)
    return pd.DataFrame(rows, index=table.index, columns=["visible", "hidden", "flipped"], dtype=float)


def of_one(row: Row, p: Params) -> pd.DataFrame:
    """A text's shuffles: where the highest weight fell (its place in the text), and how far the prediction
    moved, and whether the predicted class is another. Columns: word, change, flipped.
    """
    weights = permuting.draws(row, p.permutations, p.seed)
    word, change = np.where(row.real, weights, -1).argmax(1), permuting.changes(row, p.permutations, p.seed)
    return pd.DataFrame({"word": word, "change": change, "flipped": _flips(row, weights)})


def _flips(row: Row, weights: np.ndarray) -> np.ndarray:
    """Whether the predicted class is another with each of these weights."""
    return row.probs(weights).argmax(1) != row.prediction.argmax()


def outcomes(table: pd.DataFrame, shuffles: pd.DataFrame) -> pd.DataFrame:
    """What becomes of the shuffles of texts that stay, of the peaked ones of these, and of texts that move: a
    row a kind, all that stay first.

    kind, texts, and the mean shares of the shuffles: alike (the logit moves by less than LOGIT, and the
    prediction hardly), hidden, visible. shuffles: `of_shuffles`'s, of a model with one logit.
    """
    peaked, stays = table["max_attention"] >= PEAK, table["median_change"] <= STILL
    kinds = {
        ALL_STAY: stays,
        "peaked, stay": peaked & stays,
        "all that move": ~stays,
    }
    found = []
    for kind, own in kinds.items():
        if own.any():
            visible, hidden = shuffles.loc[own, ["visible", "hidden"]].mean()
            found.append((kind, int(own.sum()), 1 - visible - hidden, hidden, visible))
    return pd.DataFrame(found, columns=["kind", "texts", "alike", "hidden", "visible"])


def by_value(row: Row, one: pd.DataFrame) -> str:
    """On words of which values the weight leaves the probability where it is; empty unless the values tell.

    one: `of_one`'s, of a text with one logit, of which the sigmoid is flat where it hardly moves.
    """
    moves = (one["change"] > STILL).groupby(one["word"]).mean() > 0.5
    values = pd.Series(row.values[moves.index, 0], index=moves.index)
    far, near = values[moves], values[~moves]
    if far.empty or near.empty or not (far.min() > near.max() or far.max() < near.min()):
        return ""
    low = far.min() > near.max()
    side, end, flat = ("below", near.max(), 0) if low else ("above", near.min(), 1)
    where = "on the one word" if len(near) == 1 else f"on one of the {len(near)} words"
    return (
        f"The values differ, from {signed(values.min(), 'z.1f')} to {signed(values.max(), 'z.1f')}. But "
        f"where the highest weight falls {where} with a value of {signed(end, 'z.1f')} or {side}, the "
        f"probability stays near {flat}."
    )


def reason_of_one(row: Row, one: pd.DataFrame, p: Params) -> str:
    """For which reason shuffles hardly move one text's prediction; empty where all move it visibly.

    one: `of_one`'s, of a text with one logit.
    """
    hardly = one["change"].to_numpy() <= STILL
    logits = np.abs((permuting.draws(row, p.permutations, p.seed) - row.attention) @ row.values[:, 0])
    if not hardly.any():
        return ""
    hidden = int((hardly & (logits >= LOGIT)).sum())
    said = (
        f"In our text {hardly.sum()} of {len(one)} shuffles hardly move the prediction. In "
        f"{hidden or 'none'} of these the logit moves by {LOGIT:g} or more (enough to take a probability of "
        f"0.5 to {1 / (1 + np.exp(-LOGIT)):.2f})"
    )
    if hidden <= hardly.sum() / 2:
        return f"{said}."
    return f"{said}. So mostly the sigmoid hides what attention does. {by_value(row, one)}".rstrip()


def hides(found: pd.DataFrame) -> str:
    """How much the sigmoid hides in texts that stay: the figure's finding. found: `outcomes`'s, not empty."""
    own = found[found["kind"] == ALL_STAY]
    if own.empty:
        return "No text stays: there the sigmoid hides no typical shuffle"
    hidden = own["hidden"].iloc[0]
    return f"In texts that stay {hidden:.0%} of the shuffles move the logit, not visibly the probability"


def why_stay(evidence: Evidence, table: pd.DataFrame, shuffles: pd.DataFrame) -> str:
    """Which of the two reasons to stay is the more frequent one, the same of peaked texts, and of how many of
    these the model is sure; empty if no text stays.
    """
    stays = table["median_change"] <= STILL
    if not stays.any():
        return ""
    own = stays & (table["max_attention"] >= PEAK)
    visible, hidden = shuffles.loc[stays, ["visible", "hidden"]].mean()
    alike, n, peaked = 1 - visible - hidden, int(stays.sum()), int(own.sum())
    lead = "Mostly" if max(hidden, alike) > 0.5 else "More often"
    who = "the one text that stays" if n == 1 else f"the {n} texts that stay"
    if hidden > alike:
        said = (
            f"**{lead} the sigmoid:** in {who} it hides the move in {hidden:.0%} of the shuffles. In "
            f"{alike:.0%} neither moves much."
        )
    else:
        said = (
            f"**{lead} neither moves much:** in {who} that is so in {alike:.0%} of the shuffles. In "
            f"{hidden:.0%} the sigmoid hides the move."
        )
    if peaked:
        those = "the one of these that is peaked" if peaked == 1 else f"the {peaked} of these that are peaked"
        sure = int((own & is_sure_of(evidence, table)).sum())
        said += (
            f" In {those} it hides {shuffles.loc[own, 'hidden'].mean():.0%}. The model is sure of "
            f"{sure or 'none'} of the {peaked}: one class has {SURE:g} or more, where the sigmoid is flat."
        )
    return f"{said} This is one seed, and the limit of {LOGIT:g} is our choice."


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


def over_corpora(many: pd.DataFrame) -> str:
    """How far a shuffle moves the BiLSTM, on the corpora where it is least and most; empty where none is
    carried. many: `of_corpora`'s.
    """
    if many.empty:
        return ""
    how = "Much would change." if many["mean"].min() > FAR else "Little would change."
    how = "It depends on the corpus." if _depends(many) else how
    return (
        f"**{how}** Sort a text's shuffles by how far they move the BiLSTM's prediction, and take the middle "
        f"one. On average over texts it moves it by {_least_to_most(many)}."
    )


def _depends(many: pd.DataFrame) -> bool:
    """Whether a shuffle moves the prediction on some corpora and not on others. many: `of_corpora`'s."""
    return bool(many["mean"].min() <= FAR < many["mean"].max())


def _least_to_most(many: pd.DataFrame) -> str:
    """The least and the most that the median shuffle moves a prediction on a corpus, with its name.

    many: `of_corpora`'s, a row at least.
    """
    ends = many.iloc[[many["mean"].argmin(), many["mean"].argmax()]].to_dict("records")
    return " to ".join(dict.fromkeys(f"{own['mean']:.2f} ({inert(own['corpus'])})" for own in ends))


def _counts(p: Params, carried: pd.Index) -> bool:
    """Whether this run's corpus stands beside the carried ones: the model is alike, and it isn't carried."""
    return (p.encoder, p.attention, p.profile) == ("bilstm", "additive", "paper") and p.corpus not in carried


def of_corpora(table: pd.DataFrame, p: Params) -> pd.DataFrame:
    """How far shuffling moves the BiLSTM: a row a corpus, from the least change to the most.

    corpus, mean (over texts and seeds), seeds (the mean of each), part (whether it is of a part of the
    corpus), peaked (the share of such texts), still (the share of those that stay; NaN of fewer than FEWEST),
    asks (whether a question is asked about each text). This run's corpus counts, too, if it isn't carried and
    the model is alike. table: `permutation`'s.
    """
    own = _of_bilstm().groupby("corpus")
    found = own.agg(mean=("mean", "mean"), seeds=("mean", list), part=("partial", "any"))
    found["peaked"] = _of_bilstm("peaked").groupby("corpus")["mean"].mean()
    rows = _of_bilstm("peaked_still").assign(peaked=lambda own: own["n"] - own["undefined"])
    enough = rows.groupby("corpus")["peaked"].sum() >= FEWEST
    found["still"] = rows.groupby("corpus")["mean"].mean().where(enough)
    found = found.reset_index()
    if len(found) and len(table) and _counts(p, pd.Index(found["corpus"])):
        mean, peaked = table["median_change"].mean(), table["max_attention"] >= PEAK
        still = (table.loc[peaked, "median_change"] <= STILL).mean() if peaked.sum() >= FEWEST else np.nan
        found.loc[len(found)] = [p.corpus, mean, [mean], False, peaked.mean(), still]
    found["asks"] = [corpora().get(name, {}).get("task") == "qa" for name in found["corpus"]]
    return found.sort_values("mean", kind="stable", ignore_index=True)


def least_and_most(found: pd.DataFrame) -> str:
    """The finding of the figure of all corpora. found: `of_corpora`'s, a row at least."""
    ends = found.iloc[[0, -1]] if len(found) > 1 else found
    each = [f"by {own['mean']:.2f} on {text_for(own['corpus'], 'figure')}" for own in ends.to_dict("records")]
    return f"The median shuffle moves the prediction {', '.join(each)} (means over texts)"


def why_by_corpus(many: pd.DataFrame) -> str:
    """Whether attention is peaked where the prediction moves most, and where that fails; empty unless it is.

    many: `of_corpora`'s.
    """
    mostly = many["peaked"] > 0.5
    if not mostly.any() or mostly.all() or many.loc[mostly, "mean"].min() < many.loc[~mostly, "mean"].max():
        return ""
    names = listed([inert(name) for name in many.loc[mostly, "corpus"]])
    shares = listed([f"{share:.0%}" for share in many.loc[mostly, "peaked"]])
    said = (
        f"The prediction moves furthest on {names}, where most texts are peaked ({shares}) and a shuffle "
        "usually takes the weight off the peak."
    )
    pairs = [
        (less["peaked"] - more["peaked"], more, less)
        for less, more in combinations(many.to_dict("records"), 2)  # from the least change to the most
    ]
    gap, more, less = max(pairs, key=lambda pair: pair[0])
    if gap <= 0.1:
        return said
    few = "hardly any" if more["peaked"] < 0.01 else f"{more['peaked']:.0%}"
    return (
        f"{said} But peaks can't be the whole reason: on {inert(more['corpus'])}, where {few} of the texts "
        f"are peaked, it moves further ({more['mean']:.2f}) than on {inert(less['corpus'])}, where "
        f"{less['peaked']:.0%} are ({less['mean']:.2f}). We haven't tested why."
    )


def wrong_answers(many: pd.DataFrame) -> str:
    """On which corpora most answers of carried models are wrong; empty if on none. many: `of_corpora`'s."""
    accuracy = _of_bilstm("accuracy").groupby("corpus")["mean"].mean()
    wrong = [inert(name) for name in many["corpus"] if accuracy.get(name, 1) < 0.5]
    return f"On {listed(wrong)} most answers are wrong, so there a move says little." if wrong else ""


def beside_real_text(table: pd.DataFrame, p: Params, real: pd.DataFrame) -> str:
    """Whether the share of this run's peaked texts that stay need differ from that of single trainings on
    real text; empty without either, and of a corpus that is one of them. real: `on_real_text`'s.
    """
    stays = table.loc[table["max_attention"] >= PEAK, "median_change"] <= STILL
    own = real[real["encoder"] == LABELS[p.encoder]]
    if stays.empty or own.empty or p.corpus in REAL:
        return ""
    each = [share for seeds in own["still_seeds"] for share in seeds]
    said = (
        f"On {inert(p.corpus)} {_count(stays)} peaked texts stay ({_within(stays)}). In single trainings of "
        f"the {LABELS[p.encoder]} on {listed([*own['corpus']])}, {_range(pd.Series(each))} do."
    )
    low, high = interval(stays)
    overlap = low <= max(each) and min(each) <= high
    return f"{said} So {inert(p.corpus)} needn't differ from real text." if overlap else said


def which_corpora(found: pd.DataFrame) -> str:
    """How the rows of the figure were counted, and how many corpora are left out.

    found: `of_corpora`'s.
    """
    said = ["*How it was counted.* Means over texts and seeds; each seed is a hollow mark."]
    if found["still"].isna().any():
        said.append(f"–: fewer than {FEWEST} peaked texts.")
    if found["part"].any():
        said.append("(part): only a part of the corpus was read.")
    guessing = {*_of_bilstm(guesses=True)["corpus"]} - {*_carried().index}
    if guessing:
        left = counted(len(guessing), "corpus", "corpora")
        said.append(f"Left out: {left} on which the model only guesses.")
    said.append("How often the predicted class changes isn't stored for these runs.")
    return " ".join(said)


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
    if not (sure := _less_often(found)):
        return "With no encoder do peaked texts clearly stay less often than the others"
    return f"With {listed(sure)} peaked texts stay less often than the others"


def peaks_depend(many: pd.DataFrame, found: pd.DataFrame) -> str:
    """How many texts of a corpus are peaked in two trainings of a BiLSTM; empty unless they differ.

    many: `of_corpora`'s; found: `stays_by_peak`'s.
    """
    first, own = many.set_index("corpus")["peaked"], found[found["encoder"] == "bilstm"]
    texts = own.groupby("corpus", sort=False)["texts"].sum()
    second = own[own["peaked"]].set_index("corpus")["texts"] / texts
    pairs = [(name, first[name], second[name]) for name in texts.index if name in first]
    if max([abs(one - other) for _, one, other in pairs], default=0) < 0.1:
        return ""
    above = listed([f"{one:.0%} of {inert(name)}'s" for name, one, _ in pairs])
    return (
        f"In the BiLSTMs of the figure above {above} texts are peaked; in those of the next figure it is "
        f"{listed([f'{other:.0%}' for *_, other in pairs])}. So how many are peaked depends on the training "
        "and the word vectors, too."
    )


def is_a_hint(found: pd.DataFrame) -> str:
    """Whether a peak tells anything of whether a text stays, and whether that is by the weight alone.

    found: `stays_by_peak`'s, not empty.
    """
    if not _less_often(found):
        return "So here a peak tells nothing of whether a text stays."
    level, few = "", ""
    for (corpus, encoder), rows in found[~found["below"]].groupby(["corpus", "encoder"], sort=False):
        own, others = (rows[rows["peaked"] == kind].iloc[0] for kind in (True, False))
        name, on = LABELS[encoder], inert(corpus)
        if own["share"] < others["share"]:
            few += f" On {on} {name} has only {counted(own['texts'], 'peaked text')}, too few to tell."
        elif not level:
            level = (
                f" But that can't be all. In {name}, too, shuffling a peak moves more weight; yet on {on} "
                f"its peaked texts stay no less often than the others ({own['share']:.0%} and "
                f"{others['share']:.0%}). We haven't tested why."
            )
    return (
        "So a peak is a hint that a shuffle moves the prediction, but no proof: some peaked texts stay. We "
        f"expected the hint, as shuffling a peak moves more weight.{level}{few}"
    )


def _less_often(found: pd.DataFrame) -> list[str]:
    """With which encoders peaked texts clearly stay less often on each corpus. found: `stays_by_peak`'s."""
    clear = found.groupby("encoder")["below"].all()
    return [label for name, label in LABELS.items() if clear.get(name, False)]


def answer(run, table: pd.DataFrame, shuffles: pd.DataFrame, many: pd.DataFrame) -> list[str]:
    """The question that the chapter begins with, answered.

    table: `permutation`'s, of two words or more; shuffles: `of_shuffles`'s; many: `of_corpora`'s.
    """
    if table.empty:
        return [NOTHING]
    moves, peaked = table["median_change"] > STILL, table["max_attention"] >= PEAK
    often = int((shuffles["flipped"] >= 0.5).sum())
    said = [
        "We began with: if attention is the reason for a prediction, other attention should give another.",
        f"On {of_one_run(run.params)} the median shuffle moves the prediction by more than {STILL:g} in "
        f"{int(moves.sum()) or 'none'} of {counted(len(moves))}; in {often or 'none'} at least half of the "
        "shuffles change the predicted class.",
    ]
    others = many[many["corpus"] != run.params.corpus]
    if len(others) > 1:
        so = " So it depends on the corpus." if _depends(others) else ""
        said.append(
            f"On the other corpora here it moves the prediction by {_least_to_most(others)}, on average over "
            f"texts.{so}"
        )
    if not moves.all() and permuting.linear(run.evidence):
        said.append(
            "Where the prediction stays, attention may still have moved the logit, so a text that stays is "
            "no proof against attention."
        )
    if (peaked & ~moves).any():
        said.append("And a peak is no proof for it, as some peaked texts stay.")
    return said
