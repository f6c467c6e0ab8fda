"""Sentences that chapters compute, with the odd case of each: an undefined number, nothing to count."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed.show.notebook import tokens
from heed.show.style import LABELS, OF_VECTORS
from heed.show.words import SHOWN


def number(x: float, form: str = "z.2f") -> str:
    """A number as text; `undefined` if it is none."""
    return "undefined" if np.isnan(x) else f"{x:{form}}"


def counted(n: int, what: str = "text", several: str = "") -> str:
    """`1 text`, `3 texts`; several: the plural, where it isn't made by an s."""
    return f"{n} {what}" if n == 1 else f"{n} {several or what + 's'}"


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def quoted(units: Sequence[str]) -> str:
    """A text for a Markdown sentence, a long one by its beginning."""
    more = " …" if len(units) > SHOWN else ""
    return f"*{tokens(list(units[:SHOWN]))}*{more}"


def left_out(lengths: Sequence[int], unit: str = "token") -> str:
    """What becomes of texts of one token, of which much is true by construction; empty where there are none.

    lengths: the number of tokens (or of what else is attended to) of each text.
    """
    single, texts = int((np.asarray(lengths) == 1).sum()), len(lengths)
    alone = f"a single {unit}, and no other for attention to choose"
    if single == 0:
        return ""
    if single == texts:
        every = "The only text here" if texts == 1 else f"Each of the {texts} texts here"
        return f"{every} has {alone}: nothing can be said of it."
    return f"{single} of the {texts} texts {'has' if single == 1 else 'have'} {alone}: left out below."


def over_seeds(values: Sequence[float], form: str = "z.2f") -> str:
    """A mean with its seeds' range, `0.10 (0.09 to 0.11 over 5 seeds)`; of one seed its number alone."""
    values = np.asarray(values, dtype=float)
    if len(values) == 1:
        return f"{number(values[0], form)} (one seed)"
    low, high = (number(end(values), form) for end in (np.min, np.max))
    return f"{number(values.mean(), form)} ({low} to {high} over {len(values)} seeds)"


# Chapter 02


def ranked_some(labels: dict[str, str], ranked: dict[str, dict], texts: int) -> str:
    """Which rankings order the words of some texts alone; empty if all have all. labels: of rankings."""
    some = {name: len(own) for name, own in ranked.items() if len(own) < texts}
    if not some:
        return ""
    count = min(some.values())
    return (
        f"{listed([labels[name] for name in some]).capitalize()} order the words of {count:,} of the "
        f"{texts:,} texts alone, evenly spaced (`ranked_texts`): their τ are of those."
    )


def top_word(words: Sequence[str], values: np.ndarray) -> str:
    """The word that a ranking puts first, for a Markdown sentence."""
    return f"“{tokens([words[int(values.argmax())]])}”" if np.ptp(values) > 0 else "none, all are equal"


def mean_taus(overall: pd.DataFrame, labels: dict[str, str]) -> str:
    """Attention's mean τ with each ranking, and how often it is significant.

    overall: the summary's rows of all texts, by measure; labels: of the rankings, by their τ's column.
    """
    undefined = overall["undefined"].reindex([*labels])
    known = [tau for tau in labels if undefined[tau] < overall.loc[tau, "n"]]
    if not known:
        return "No text has a τ: a text of one word has none, nor has one that a ranking finds all alike."
    first, *others = [(labels[tau], f"{overall.loc[tau, 'mean']:.2f}") for tau in known]
    means = "".join(f", of attention and {label} {mean}" for label, mean in others)
    shares = listed([f"{overall.loc[tau, 'significant']:.1%}" for tau in known])
    which = "the texts that have a τ" if undefined.any() else "the texts"
    they = "they are" if len(known) > 1 else "it is"
    return (
        f"Mean τ of attention and {first[0]} is {first[1]}{means}; {they} significant in {shares} of {which}."
    )


# Chapter 06


def single_weight(by: str, js: pd.Series, weight: pd.Series) -> str:
    """How often erasing the top word by a ranking moves the prediction less than erasing another.

    js, weight: ΔJSD and the difference in weight, a number a text, of one text at least.
    """
    less = weight[js < 0]
    close = f", where the weights differ by {less.median():z.2f} in the median" if len(less) else ""
    return (
        f"Top by {by}: ΔJSD is negative in {(js < 0).mean():.1%} of {counted(len(js))}{close}; "
        f"it is less than 0.001 off 0, so next to nothing, in {(js.abs() < 0.001).mean():.0%}."
    )


def until_flipped(share: float, length: int) -> str:
    """How many of a text's words a ranking erases until the decision flips; NaN: it never does."""
    return "the decision never flips" if np.isnan(share) else f"{share * length:.0f} of {length} words"


# Chapter 02, how long is a word?


def as_they_come(rows: pd.DataFrame) -> str:
    """How long each kind of vectors is before it is multiplied, in a sentence."""
    own = (rows["norm"] / rows["vectors_scale"]).groupby(rows["vectors"]).median()
    parts = [f"{_called(kind)} {norm:.1f}" for kind, norm in own.items()]
    return f"As they come they are long (median over the test tokens): {listed(parts)}."


def of_lengths(rows: pd.DataFrame) -> list[str]:
    """What the length of the vectors does to the rankings' agreement: a sentence an encoder.

    rows: as `experiments.word_lengths` makes them, of one corpus and attention, at two lengths or more.
    """
    found = []
    for encoder, own in _by_encoder(rows):
        means = own.groupby(_length(own))["tau_gradient_loo"].mean()
        kinds, seeds = own["vectors"].nunique(), own["seed"].nunique()
        ranges = {
            "τ(attention, gradient)": "tau_gradient",
            "τ(attention, LOO)": "tau_loo",
            "accuracy": "accuracy",
        }
        over = own.groupby(["vectors", _length(own)])[[*ranges.values()]].mean()
        others = [f"{name} from {over[of].min():.2f} to {over[of].max():.2f}" for name, of in ranges.items()]
        between = ""
        if min(means) < min(means.iloc[0], means.iloc[-1]) - 0.02:
            between = f", and is lowest between, {min(means):.2f} at {means.idxmin():.2g}"
        found.append(
            f"{LABELS[encoder]}: from the shortest vectors, {means.index[0]:.2g} long, to the longest, "
            f"{means.index[-1]:.3g}, τ(gradient, LOO) goes from {means.iloc[0]:.2f} to {means.iloc[-1]:.2f}"
            f"{between} (means over {counted(kinds, 'kind')} of vectors and {counted(seeds, 'seed')}). Over "
            f"all lengths and kinds lie {listed(others)}."
        )
    return found


def contrast_by_length(rows: pd.DataFrame) -> list[str]:
    """By how much gradient and leave-one-out agree more than attention with either: a sentence an encoder.

    rows: as for `of_lengths`.
    """
    found = []
    for encoder, own in _by_encoder(rows):
        at = own.groupby(_length(own))[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()
        over = {
            f"τ(attention, {name})": at["tau_gradient_loo"] - at[of]
            for name, of in (("LOO", "tau_loo"), ("gradient", "tau_gradient"))
        }
        parts = [f"{name} by {by.iloc[0]:+.2f} and {by.iloc[-1]:+.2f}" for name, by in over.items()]
        found.append(
            f"{LABELS[encoder]}: with the shortest vectors, {at.index[0]:.2g} long, and the longest, "
            f"{at.index[-1]:.3g}, τ(gradient, LOO) exceeds {listed(parts)}."
        )
    return found


def length_or_content(rows: pd.DataFrame) -> list[str]:
    """How much of τ(gradient, LOO)'s spread lies between lengths, how much between kinds of vectors.

    Sums of squares of the means over seeds, of the lengths that all kinds have; a sentence an encoder that
    has several of both.
    """
    found = []
    for encoder, own in _by_encoder(rows):
        table = own.pivot_table(index=_length(own), columns="vectors", values="tau_gradient_loo").dropna()
        if table.shape[0] < 2 or table.shape[1] < 2:
            continue
        whole = ((table - table.stack().mean()) ** 2).sum().sum()
        between = {
            "lengths": len(table.columns) * table.mean(axis=1).var(ddof=0) * len(table) / whole,
            "kinds": len(table) * table.mean(axis=0).var(ddof=0) * len(table.columns) / whole,
        }
        found.append(
            f"{LABELS[encoder]}: of the spread of τ(gradient, LOO) over {counted(table.shape[1], 'kind')} of "
            f"vectors at {counted(len(table), 'length')}, {between['lengths']:.0%} lies between lengths, "
            f"{between['kinds']:.0%} between kinds, and the rest is of the two together; of this range of "
            "lengths, that is."
        )
    return found


def mechanisms(rows: pd.DataFrame) -> list[str]:
    """What goes with the fall of τ(gradient, LOO), and what doesn't: of a BiLSTM's runs."""
    own = rows[rows["encoder"] == "bilstm"]
    if own["norm"].nunique() < 2:
        return []
    at = own.groupby(_length(own)).mean(numeric_only=True).sort_values("norm")
    first, last = at.iloc[0], at.iloc[-1]
    steepest = []
    for kind, of_kind in own.groupby("vectors"):
        each = of_kind.groupby(_length(of_kind))[["tau_gradient_loo", "saturated"]].mean()
        fall = -each["tau_gradient_loo"].diff()
        if fall.notna().any() and fall.max() > 0:
            i = int(np.nanargmax(fall.to_numpy()))
            shares, ends = each["saturated"].iloc[[i - 1, i]], each.index[[i - 1, i]]
            steepest.append(
                f"with {_called(kind)} from {ends[0]:.2g} to {ends[1]:.2g}, "
                f"by {fall.iloc[i]:.2f} ({shares.iloc[0]:.1%} and {shares.iloc[1]:.1%} saturated)"
            )
    said = []
    if steepest:
        said.append(
            "**Saturated gates.** Saturated is a gate or candidate within 5 % of an end. τ(gradient, LOO) "
            f"falls most {listed(steepest)}. At the longest {last['saturated']:.0%} are."
        )
    for name, label in (("removal_ig_held", "held"), ("removal_ig_live", "computed anew")):
        taken = []
        for kind, of_kind in own.groupby("vectors"):
            each = of_kind.groupby(_length(of_kind))[["tau_gradient_loo", name]].mean()
            lost, left = each.iloc[0] - each.iloc[-1]
            if lost > 0:
                taken.append(f"{1 - left / lost:.0%} with {_called(kind)}")
        said.append(
            f"**A path from zero**, attention {label}. τ(integrated gradients, LOO) goes from "
            f"{first[name]:.2f} to {last[name]:.2f}"
            + (f". Of the fall the path takes away {listed(taken)}." if taken else ".")
        )
    said.append(
        "**A gradient is local.** Of a word's vector at zero, instead of the word removed: what the gradient "
        f"expects has a τ of {first['zeroing_first']:.2f} with what the prediction does at the shortest, and "
        f"{last['zeroing_first']:.2f} at the longest; with the second derivative, too, "
        f"{first['zeroing_second']:.2f} and {last['zeroing_second']:.2f}. Zeroing and removal agree by "
        f"{first['removal_zeroed']:.2f} and {last['removal_zeroed']:.2f}."
    )
    said.append(
        f"**Training.** It moves the vectors by {first['moved']:.0%} of their length at the shortest, by "
        f"{last['moved']:.1%} at the longest (median over the test tokens)."
    )
    return said


def in_closed_form(rows: pd.DataFrame) -> str:
    """What the tanh of Average's states does to τ(gradient, LOO); empty without such runs."""
    own = rows[rows["encoder"] == "average"].dropna(subset=["saturated"])
    if _length(own).nunique() < 2:
        return ""
    at = own.groupby(_length(own)).mean(numeric_only=True)
    first, last = at.iloc[0], at.iloc[-1]
    lost, left = (first[name] - last[name] for name in ("tau_gradient_loo", "removal_ig_held"))
    return (
        "**Average, in closed form.** Its states know one word each, so of a word with weight α, value v "
        "and slope s (of its value, along its vector) the gradient is α|s|, the path from zero leads to "
        "α|v|, less what the value is at zero, and removal is α/(1 − α)·|v̄ − v|, where v̄ is the text's mean "
        "value. Only the first asks for the slope at the word, which vanishes where tanh is saturated: "
        f"{first['saturated']:.0%} of the states at the shortest, {last['saturated']:.0%} at the longest. "
        f"τ(gradient, LOO) goes from {first['tau_gradient_loo']:.2f} to {last['tau_gradient_loo']:.2f}, "
        f"τ(integrated gradients, LOO) from {first['removal_ig_held']:.2f} to {last['removal_ig_held']:.2f}"
        + (f": the path takes away {min(1 - left / lost, 1):.0%} of the fall." if lost > 0 else ".")
    )


def truth_by_length(rows: pd.DataFrame, rankings: dict[str, str]) -> list[str]:
    """Which ranking finds the deciding words best, length by length: a sentence an encoder.

    Of the kinds of vectors that have a model at every length. rankings: what each is called, to the column of
    its AUROC.
    """
    found = []
    for encoder, own in _by_encoder(rows.dropna(subset=[*rankings.values()])):
        lengths = _length(own).groupby(own["vectors"]).nunique()
        kinds = sorted(lengths.index[lengths == lengths.max()])
        own = own[own["vectors"].isin(kinds)]
        at = own.groupby(_length(own))[[*rankings.values(), "accuracy"]].mean()
        first, last = at.iloc[0], at.iloc[-1]
        best = at[[*rankings.values()]].set_axis([*rankings], axis=1).idxmax(axis=1)
        wins = [f"{name} at {listed([f'{x:.2g}' for x in at.index[best == name]])}" for name in rankings
                if (best == name).any()]  # fmt: skip
        parts = [f"{name} {first[of]:.2f} and {last[of]:.2f}" for name, of in rankings.items()]
        of_kinds, seeds = listed([_called(kind) for kind in kinds]), own["seed"].nunique()
        found.append(
            f"{LABELS[encoder]} ({of_kinds}; {counted(seeds, 'seed')}): best is {listed(wins)}. "
            f"At the two ends the AUROC is of {listed(parts)}, accuracy {first['accuracy']:.2f} and "
            f"{last['accuracy']:.2f}."
        )
    return found


def same_start(rows: pd.DataFrame, inverse: pd.DataFrame) -> str:
    """Whether the model at the start or its training does it; empty without such runs.

    inverse: rows of runs whose encoder's first weights are divided by what their vectors are multiplied by.
    """
    kinds = ["encoder", "vectors", "seed"]
    both = rows.merge(inverse, on=[*kinds, "vectors_scale"], suffixes=("", "_inverse"))
    if both["norm"].nunique() < 2:
        return ""
    both = both.sort_values("norm")
    first, last = both.iloc[0], both.iloc[-1]
    usual = first["tau_gradient_loo"] - last["tau_gradient_loo"]
    left = first["tau_gradient_loo_inverse"] - last["tau_gradient_loo_inverse"]
    share = f" So {1 - left / usual:.0%} of the fall goes with the start." if usual > 0 else ""
    return (
        "**Start or training?** Long vectors make another model from the start. If the encoder's first "
        "weights are divided by the factor of the vectors, every length starts as one and the same function "
        f"of the text. Then τ(gradient, LOO) is {first['tau_gradient_loo_inverse']:.2f} at length "
        f"{first['norm']:.2g} instead of {first['tau_gradient_loo']:.2f}, and "
        f"{last['tau_gradient_loo_inverse']:.2f} at {last['norm']:.3g} instead of "
        f"{last['tau_gradient_loo']:.2f}.{share} "
        f"({counted(both['vectors'].nunique(), 'kind')} of vectors, "
        f"{counted(both['seed'].nunique(), 'seed')}.)"
    )


def _called(kind: str) -> str:
    """What a kind of vectors is called in a sentence; a file's name may be anything."""
    return OF_VECTORS.get(kind, tokens([kind]))


def _length(rows: pd.DataFrame) -> pd.Series:
    """The lengths to two digits: kinds of vectors that were brought to one length share it."""
    return rows["norm"].map(lambda norm: float(f"{norm:.2g}")).rename("length")


def _by_encoder(rows: pd.DataFrame):
    """The rows of each encoder that has two lengths or more, in the order of the figures."""
    for encoder in LABELS:
        own = rows[rows["encoder"] == encoder].dropna(subset=["tau_gradient_loo"])
        if _length(own).nunique() > 1:
            yield encoder, own
