"""Chapter 02, how long is a word? What the length of the initial word vectors does, in sentences.

Rows are as `experiments.word_lengths` makes them, one a run. LOO is leave-one-out.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from heed import verdict
from heed.registry import corpora
from heed.show.notebook import tokens
from heed.show.sentences import counted, listed
from heed.show.style import LABELS, OF_VECTORS

LEARNT = 0.6  # accuracy of two classes below which a model learnt next to nothing
WAYS = {"attention": "auroc_attention", "gradient": "auroc_gradient", "leave-one-out": "auroc_loo"}


def carried(made: bool) -> pd.DataFrame:
    """The carried runs with additive attention, of made corpora or of real ones.

    With `over_loo`: by how much gradient and LOO agree more than attention and LOO.
    """
    rows = verdict.word_lengths().query("attention == 'additive'")
    is_made = rows["corpus"].isin([name for name, entry in corpora().items() if "made" in entry])
    return rows[is_made == made].assign(over_loo=lambda own: own["tau_gradient_loo"] - own["tau_loo"])


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs whose encoder starts with its usual weights."""
    return rows[rows["input_scale"] == 1]


def main_finding(rows: pd.DataFrame) -> str:
    """What length does to a BiLSTM's agreement, for those who read no further; empty without such runs."""
    own = rows[rows["encoder"] == "bilstm"]
    if length_of(own.dropna(subset=["tau_gradient_loo"])).nunique() < 2:
        return ""
    at = own.groupby(length_of(own))[["tau_gradient_loo"]].mean()["tau_gradient_loo"]
    of_attention = own.groupby(["vectors", length_of(own)])[["tau_gradient", "tau_loo"]].mean()
    return (
        f"their τ is {at.iloc[0]:.2f} with vectors {at.index[0]:.2g} long and {at.iloc[-1]:.2f} with "
        f"vectors {at.index[-1]:.2g} long (BiLSTM), while attention's with either stays "
        f"between {of_attention.min(axis=None):.2f} and {of_attention.max(axis=None):.2f}"
    )


def falls(rows: pd.DataFrame, corpus: str) -> str:
    """The finding of the figure of a BiLSTM's two τ: as `main_finding`, by itself."""
    at = rows.groupby(length_of(rows))["tau_gradient_loo"].mean()
    other = rows.groupby(["vectors", length_of(rows)])["tau_loo"].mean()
    return (
        f"{corpus}, BiLSTM: gradient and leave-one-out agree by {at.iloc[0]:.2f} with short word vectors "
        f"and by {at.iloc[-1]:.2f} with long ones; attention and leave-one-out by {other.min():.2f} to "
        f"{other.max():.2f} at any length"
    )


def turned(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs whose encoder starts with its first weights divided by the vectors' factor."""
    return rows[rows["input_scale"] != 1]


def live(rows: pd.DataFrame) -> str:
    """The finding of the figure of a few trainings: where τ(gradient, LOO) is highest and lowest."""
    at = rows.groupby(length_of(rows))["tau_gradient_loo"].mean().dropna()
    if at.empty:
        return "No text has a τ of gradient and leave-one-out, however long the vectors"
    if len(at) < 2 or at.max() - at.min() < 0.01:
        return "Here gradient and leave-one-out agree as much whatever the vectors' length"
    return (
        f"With other lengths alone gradient and leave-one-out agree by {at.min():.2f} (at "
        f"{at.idxmin():.2g}) to {at.max():.2f} (at {at.idxmax():.2g})"
    )


def contrast(rows: pd.DataFrame, corpus: str) -> str:
    """The finding of the figure of the paper's contrast: at how many lengths it is above what is reported."""
    parts = []
    for encoder, own in by_encoder(rows):
        at = own.groupby(length_of(own))["over_loo"].mean()
        parts.append(f"{at.iloc[0]:z.2f} and {at.iloc[-1]:z.2f} ({LABELS[encoder]})")
    return (
        f"{corpus}: with the shortest and with the longest vectors gradient and LOO agree more than "
        f"attention and LOO by {listed(parts)}"
    )


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row an encoder: what lies between the shortest and the longest vectors, means over kinds."""
    found = []
    for encoder, own in by_encoder(rows):
        at = own.groupby(length_of(own))[["tau_gradient_loo", "tau_loo", "tau_gradient", "accuracy"]].mean()
        found.append(
            {
                "encoder": LABELS[encoder],
                "τ(gradient, LOO)": _ends(at["tau_gradient_loo"]),
                "τ(attention, LOO)": _ends(at["tau_loo"]),
                "τ(attention, gradient)": _ends(at["tau_gradient"]),
                "accuracy": _ends(at["accuracy"]),
                "lowest τ(gradient, LOO)": f"{at['tau_gradient_loo'].min():.2f} at "
                f"{at['tau_gradient_loo'].idxmin():.2g}",
            }
        )
    return pd.DataFrame(found)


def _ends(values: pd.Series) -> str:
    return f"{values.iloc[0]:z.2f} to {values.iloc[-1]:z.2f}"


def as_they_come(rows: pd.DataFrame) -> str:
    """How long each kind of vectors is before it is multiplied, in a sentence."""
    own = (rows["norm"] / rows["vectors_scale"]).groupby(rows["vectors"]).median()
    parts = [f"{vectors_called(kind)} {norm:.2g}" for kind, norm in own.items()]
    return f"As they come they are long (median over the test tokens): {listed(parts)}."


def of_lengths(rows: pd.DataFrame) -> list[str]:
    """What the length of the vectors does to the rankings' agreement: a few words an encoder.

    rows: of one corpus and attention, at two lengths or more.
    """
    found = []
    for encoder, own in by_encoder(rows):
        means = own.groupby(length_of(own))["tau_gradient_loo"].mean()
        first, last = means.iloc[0], means.iloc[-1]
        between = ""
        if min(means) < min(first, last) - 0.02:
            between = f" Lowest is {min(means):.2f}, at {means.idxmin():.2g}."
        over = own.groupby(["vectors", length_of(own)])[["tau_gradient", "tau_loo", "accuracy"]].mean()
        least, most = over.min(), over.max()
        kinds, seeds = own["vectors"].nunique(), own["seed"].nunique()
        found.append(
            f"{LABELS[encoder]}: τ(gradient, LOO) goes from {first:.2f} with vectors {means.index[0]:.2g} "
            f"long to {last:.2f} with vectors {means.index[-1]:.2g} long.{between} Meanwhile τ(attention, "
            f"gradient) lies between {least['tau_gradient']:.2f} and {most['tau_gradient']:.2f}, "
            f"τ(attention, LOO) between {least['tau_loo']:.2f} and {most['tau_loo']:.2f}, accuracy between "
            f"{least['accuracy']:.2f} and {most['accuracy']:.2f} ({counted(kinds, 'kind')} of vectors, "
            f"{counted(seeds, 'seed')})."
        )
    return found


def contrast_by_length(rows: pd.DataFrame) -> list[str]:
    """By how much gradient and leave-one-out agree more than attention with either: a sentence an encoder."""
    found = []
    for encoder, own in by_encoder(rows):
        at = own.groupby(length_of(own))[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()
        over = {
            name: at["tau_gradient_loo"] - at[of]
            for name, of in (("LOO", "tau_loo"), ("gradient", "tau_gradient"))
        }
        parts = [
            f"attention and {name} by {by.iloc[0]:+.2f} and {by.iloc[-1]:+.2f}" for name, by in over.items()
        ]
        found.append(
            f"{LABELS[encoder]}: with vectors {at.index[0]:.2g} long and {at.index[-1]:.2g} long gradient "
            f"and LOO agree more than {listed(parts)}."
        )
    return found


def spread(own: pd.DataFrame) -> tuple[float, float] | None:
    """The shares of τ(gradient, LOO)'s spread that lie between lengths and between kinds of vectors.

    Sums of squares of the means over seeds, of the lengths that all kinds have; the rest is of the two
    together. own: of one encoder; None unless it has two lengths and two kinds.
    """
    table = own.pivot_table(index=length_of(own), columns="vectors", values="tau_gradient_loo").dropna()
    if table.shape[0] < 2 or table.shape[1] < 2:
        return None
    whole = ((table - table.stack().mean()) ** 2).sum().sum()
    lengths = len(table.columns) * table.mean(axis=1).var(ddof=0) * len(table) / whole
    kinds = len(table) * table.mean(axis=0).var(ddof=0) * len(table.columns) / whole
    return lengths, kinds


def length_or_content(rows: pd.DataFrame) -> str:
    """How much of τ(gradient, LOO)'s spread lies between lengths, how much between kinds of vectors.

    Empty without an encoder that has several of both.
    """
    shares = {LABELS[encoder]: spread(own) for encoder, own in by_encoder(rows)}
    shares = {name: both for name, both in shares.items() if both}
    if not shares:
        return ""
    parts = [f"{lengths:.0%} and {kinds:.0%} ({name})" for name, (lengths, kinds) in shares.items()]
    said = f"Shares of the spread of τ(gradient, LOO) between lengths and between kinds: {listed(parts)}."
    if all(lengths > kinds for lengths, kinds in shares.values()):
        said += " Over this range of lengths, how long vectors are says more than what they know."
    return said


def mechanisms(rows: pd.DataFrame) -> list[str]:
    """What goes with the fall of τ(gradient, LOO), and what doesn't: of a BiLSTM's runs."""
    own = rows[rows["encoder"] == "bilstm"]
    if own["norm"].nunique() < 2:
        return []
    at = own.groupby(length_of(own)).mean(numeric_only=True).sort_values("norm")
    first, last = at.iloc[0], at.iloc[-1]
    return [
        "**A gradient is local.** Let a word's vector go to zero. What the gradient expects of that has a "
        f"τ of {first['zeroing_first']:.2f} with what happens where vectors are shortest, and of "
        f"{last['zeroing_first']:.2f} where they are longest; with the second derivative, too, "
        f"{first['zeroing_second']:.2f} and {last['zeroing_second']:.2f}.",
        f"**Gates saturate.** At the shortest {first['saturated']:.0%} of the gates and candidates are "
        f"within 5 % of an end, at the longest {last['saturated']:.0%}.{_steepest(own)}",
        "**A path from zero** instead of the slope at the word: τ(integrated gradients, LOO) goes from "
        f"{first['removal_ig_held']:.2f} to {last['removal_ig_held']:.2f} with attention held, from "
        f"{first['removal_ig_live']:.2f} to {last['removal_ig_live']:.2f} with attention live."
        f"{_taken_away(own)}",
        f"**Zeroing and removal** agree by {first['removal_zeroed']:.2f} at the shortest, by "
        f"{last['removal_zeroed']:.2f} at the longest.",
        f"**Training** moves short vectors by {first['moved']:.0%} of their length, long ones by "
        f"{last['moved']:.1%} (median over the test tokens).",
    ]


def _taken_away(own: pd.DataFrame) -> str:
    """What share of the fall is gone on a path from zero, attention held, by kind of vectors."""
    taken = []
    for kind, of_kind in own.groupby("vectors"):
        each = of_kind.groupby(length_of(of_kind))[["tau_gradient_loo", "removal_ig_held"]].mean()
        lost, left = each.iloc[0] - each.iloc[-1]
        if lost > 0:
            share = f"{1 - left / lost:.0%}" if left < lost else "nothing"
            taken.append(f"{share} with {vectors_called(kind)}")
    return f" Held, it takes away {listed(taken)} of the fall." if taken else ""


def steps(rows: pd.DataFrame, corpus: str) -> str:
    """The finding of the figure of a word's removal, step by step."""
    own = rows[rows["encoder"] == "bilstm"]
    at = own.groupby(length_of(own))["zeroing_first"].mean().sort_index()
    return (
        f"{corpus}, BiLSTM: what a gradient expects of zeroing a word's vector has a τ of {at.iloc[0]:.2f} "
        f"with what happens where vectors are shortest, {at.iloc[-1]:.2f} where they are longest"
    )


def _steepest(own: pd.DataFrame) -> str:
    """Between which lengths τ(gradient, LOO) falls most, by kind of vectors, and what is saturated there."""
    steepest = []
    for kind, of_kind in own.groupby("vectors"):
        each = of_kind.groupby(length_of(of_kind))[["tau_gradient_loo", "saturated"]].mean()
        fall = -each["tau_gradient_loo"].diff()
        if fall.notna().any() and fall.max() > 0:
            i = int(np.nanargmax(fall.to_numpy()))
            shares, ends = each["saturated"].iloc[[i - 1, i]], each.index[[i - 1, i]]
            steepest.append(
                f"with {vectors_called(kind)} from {ends[0]:.2g} to {ends[1]:.2g}, by {fall.iloc[i]:.2f} "
                f"({shares.iloc[0]:.1%} and {shares.iloc[1]:.1%} saturated)"
            )
    return f" τ(gradient, LOO) falls most {listed(steepest)}." if steepest else ""


def in_closed_form(rows: pd.DataFrame) -> str:
    """What the tanh of Average's states does to τ(gradient, LOO); empty without such runs."""
    own = rows[rows["encoder"] == "average"].dropna(subset=["saturated"])
    if length_of(own).nunique() < 2:
        return ""
    at = own.groupby(length_of(own)).mean(numeric_only=True)
    first, last = at.iloc[0], at.iloc[-1]
    lost, left = (first[name] - last[name] for name in ("tau_gradient_loo", "removal_ig_held"))
    return (
        f"Saturated are {first['saturated']:.0%} of Average's states at the shortest, "
        f"{last['saturated']:.0%} at the longest. τ(gradient, LOO) goes from "
        f"{first['tau_gradient_loo']:.2f} to {last['tau_gradient_loo']:.2f}, τ(integrated gradients, LOO) "
        f"from {first['removal_ig_held']:.2f} to {last['removal_ig_held']:.2f}"
        + (f": the path takes away {min(1 - left / lost, 1):.0%} of the fall." if lost > 0 else ".")
    )


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
    fall = first["tau_gradient_loo"] - last["tau_gradient_loo"]
    left = first["tau_gradient_loo_inverse"] - last["tau_gradient_loo_inverse"]
    share = f" So {1 - left / fall:.0%} of the fall goes with the start." if fall > 0 else ""
    return (
        "**Start or training?** Long vectors make another model before any training. Divide the encoder's "
        "first weights by the vectors' factor, and every length starts as the same function of the text. "
        f"Then τ(gradient, LOO) is {first['tau_gradient_loo_inverse']:.2f} instead of "
        f"{first['tau_gradient_loo']:.2f} at length {first['norm']:.2g}, and "
        f"{last['tau_gradient_loo_inverse']:.2f} instead of {last['tau_gradient_loo']:.2f} at "
        f"{last['norm']:.2g}.{share} ({counted(both['vectors'].nunique(), 'kind')} of vectors, "
        f"{counted(both['seed'].nunique(), 'seed')}.)"
    )


def learnt(rows: pd.DataFrame) -> pd.DataFrame:
    """The models that learnt something."""
    return rows[rows["accuracy"] >= LEARNT]


def turns(rows: pd.DataFrame) -> str:
    """The finding of the figure of the truth: what finds the deciding words best at both ends of the lengths.

    Of the first encoder that has several lengths.
    """
    several = [*by_encoder(rows.dropna(subset=[*WAYS.values()]))]
    if not several:
        return "There are too few lengths to be held against one another"
    encoder, own = several[0]
    best = own.groupby(length_of(own))[[*WAYS.values()]].mean().set_axis([*WAYS], axis=1).idxmax(axis=1)
    if best.iloc[0] == best.iloc[-1]:
        return f"{LABELS[encoder]}: {best.iloc[0]} finds the deciding words best with short and long vectors"
    return (
        f"{LABELS[encoder]}: with short vectors {best.iloc[0]} finds the deciding words best, with long "
        f"ones {best.iloc[-1]}"
    )


def truth_by_length(rows: pd.DataFrame, rankings: dict[str, str] = WAYS) -> list[str]:
    """Which ranking finds the deciding words best, length by length: a few words an encoder.

    Of the kinds of vectors that have a model at most lengths. rankings: what each is called, to the column of
    its AUROC.
    """
    found = []
    for encoder, own in by_encoder(rows.dropna(subset=[*rankings.values()])):
        lengths = length_of(own).groupby(own["vectors"]).nunique()
        kinds = sorted(lengths.index[lengths == lengths.max()])
        own = own[own["vectors"].isin(kinds)]
        at = own.groupby(length_of(own))[[*rankings.values(), "accuracy"]].mean()
        first, last = at.iloc[0], at.iloc[-1]
        best = at[[*rankings.values()]].set_axis([*rankings], axis=1).idxmax(axis=1)
        wins = [
            f"{name} at {listed([f'{x:.2g}' for x in at.index[best == name]])}"
            for name in rankings
            if (best == name).any()
        ]
        parts = [f"{name} {first[of]:.2f} to {last[of]:.2f}" for name, of in rankings.items()]
        of_kinds, seeds = listed([vectors_called(kind) for kind in kinds]), own["seed"].nunique()
        found.append(
            f"**{LABELS[encoder]}**: best is {listed(wins)}. AUROC from the shortest to the longest: "
            f"{', '.join(parts)}; accuracy {first['accuracy']:.2f} to {last['accuracy']:.2f} "
            f"({of_kinds}; {counted(seeds, 'seed')})."
        )
    return found


def vectors_called(kind: str) -> str:
    """What a kind of vectors is called in a sentence; a file's name may be anything."""
    return OF_VECTORS.get(kind, tokens([kind]))


def length_of(rows: pd.DataFrame) -> pd.Series:
    """The lengths to two digits: kinds of vectors that were brought to one length share it."""
    return rows["norm"].map(lambda norm: float(f"{norm:.2g}")).rename("length")


def by_encoder(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each encoder that has two lengths or more, in the order of the figures."""
    for encoder in LABELS:
        own = rows[rows["encoder"] == encoder].dropna(subset=["tau_gradient_loo"])
        if length_of(own).nunique() > 1:
            yield encoder, own
