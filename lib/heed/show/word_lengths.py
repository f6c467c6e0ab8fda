"""Chapter 02: what the norm of the initial word vectors does, in sentences.

Rows are as `experiments.word_lengths` makes them, one a run. LOO is leave-one-out.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from heed import verdict
from heed.registry import made_corpora
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, signed
from heed.show.style import LABELS, OF_VECTORS

LEARNT = 0.6  # accuracy of two classes below which a model learnt next to nothing
CLOSE = 0.05  # AUROCs that lie as near to one another are called alike
SHORT = {"sst": "SST"}  # corpora that sentences call otherwise than files do
STILL = 0.1  # of τ: what varies by less over the norms is called still
FALLEN = 0.05  # of accuracy: from here on it is said
TRAINED = 0.8  # accuracy below which a model isn't well trained
APART = 0.3  # of an AUROC: a mean of kinds of vectors that lie further apart hides them
WAYS = {"attention": "auroc_attention", "gradient": "auroc_gradient", "leave-one-out": "auroc_loo"}


def carried(made: bool) -> pd.DataFrame:
    """The carried runs with additive attention, of made corpora or of real ones.

    With `over_loo`: by how much gradient and LOO agree more than attention and LOO.
    """
    rows = verdict.word_lengths().query("attention == 'additive'")
    is_made = rows["corpus"].isin(made_corpora())
    return rows[is_made == made].assign(over_loo=lambda own: own["tau_gradient_loo"] - own["tau_loo"])


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs whose encoder starts with its usual weights."""
    return rows[rows["input_scale"] == 1]


def whose(rows: pd.DataFrame, gloss: str = "") -> str:
    """The profile and the seeds of runs, as a caption has them. rows: not empty; gloss: of the profile."""
    profiles = listed([f"`{inert(name)}`" for name in sorted(rows["profile"].unique())])
    seeds = sorted(rows["seed"].unique())
    name = "seed" if len(seeds) == 1 else "seeds"
    return f"profile {profiles}{gloss}, {name} {listed([f'{n}' for n in seeds])}"


def as_reported(rows: pd.DataFrame, least: dict[str, float]) -> pd.DataFrame:
    """With which vectors gradient and LOO agree more with each other than with attention, by so much.

    True or False, a row a norm, a column a kind. rows: of one encoder; least: by how much more than attention
    and LOO (`loo`) and than attention and gradient (`gradient`).
    """
    at = rows.groupby([length_of(rows), "vectors"])[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()
    large = [at["tau_gradient_loo"] - at[f"tau_{of}"] >= more for of, more in least.items()]
    return (large[0] & large[1]).unstack("vectors").fillna(False).astype(bool)


def far_better_at(rows: pd.DataFrame, corpus: str, least: dict[str, float]) -> str:
    """The finding of the figure of a BiLSTM's three τ: at which norms gradient and LOO agree far better.

    rows: a BiLSTM's on one corpus; least: as `as_reported` has it.
    """
    shows, where = as_reported(rows, least), where_far_better(rows, least)
    every, none = shows.all(axis=1), ~shows.any(axis=1)
    at = {"always": "at every norm", "never": "at no norm", "some": "at some norms or with some vectors only"}
    if where == "small":
        at[where] = f"up to norm {nominal(shows.index[every][-1])}"
        if ends_in(none):
            at[where] += f", not from norm {nominal(shows.index[none][0])} on"
    if where not in at:
        return f"{corpus}, BiLSTM: one norm, nothing to compare"
    return f"{corpus}, BiLSTM: gradient and leave-one-out agree far better than attention {at[where]}"


def where_which(rows: pd.DataFrame, least: dict[str, float]) -> str:
    """With how many kinds of vectors gradient and LOO agree far better at which norms, for a caption.

    Empty unless it is with all at the smallest norms, with none at the largest. rows, least: as for
    `far_better_at`.
    """
    shows = as_reported(rows, least)
    every, none = shows.all(axis=1), ~shows.any(axis=1)
    if where_far_better(rows, least) != "small" or not ends_in(none):
        return ""
    between = [nominal(norm) for norm in shows.index[~every & ~none]]
    some = f"at norm {listed(between)} with some, " if between else ""
    return (
        f"This holds with each of the {counted(shows.shape[1], 'kind')} of vectors up to norm "
        f"{nominal(shows.index[every][-1])}, {some}and with none from norm "
        f"{nominal(shows.index[none][0])} on."
    )


def ends_in(none: pd.Series) -> bool:
    """Whether these are the largest norms, without a gap: one at least. none: by norm, smallest first."""
    return bool(none.any() and none[::-1].cummin().eq(none[::-1]).all())


def so_noise(rows: pd.DataFrame, least: dict[str, float]) -> str:
    """The answer to whether a low τ is mere noise, after the figure; empty of one norm.

    rows: a BiLSTM's on one corpus; least: as `as_reported` has it.
    """
    where = where_far_better(rows, least)
    at = rows.groupby(length_of(rows))[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()
    both = at["tau_gradient_loo"]
    at_most = f"τ {signed(both.max())} (norm {nominal(both.idxmax())})"
    not_noise = "so noise in them can't be why attention agrees with them less."
    alone = f"gradient and leave-one-out agree with each other at {at_most}, {not_noise}"
    open_, may_be = "**So it isn't settled.**", "noise may be what holds attention's τ down"
    if where == "always":
        return (
            "**So it isn't mere noise.** At every norm gradient and leave-one-out agree far better with each "
            f"other, at up to {at_most}, {not_noise}"
        )
    if where == "never":
        return (
            "**So it may be noise:** at no norm do gradient and leave-one-out agree far better with each "
            "other than attention with either."
        )
    if not where:
        return ""
    if where == "some":
        return f"{open_} In some of these models {alone} In others {may_be}."
    none = ~as_reported(rows, least).any(axis=1)
    if not ends_in(none):
        return f"{open_} With short vectors {alone} With longer ones {may_be}."
    low = at.loc[none[none].index]
    more = "That is more than by chance (0), but" if low.min(axis=None) > STILL else "There"
    said = (
        "Is it the norm? **Largely, yes.** Rescaled to be short, every kind of vectors gives far better "
        "agreement of gradient and leave-one-out; rescaled to be long, none does. With short vectors "
        f"{alone} With long ones (norm {nominal(low.index[0])} on) all three pairs agree at "
        f"{signed(low.min(axis=None))} to {signed(low.max(axis=None))}. {more} {may_be}: **that "
        "isn't settled.**"
    )
    own = at[["tau_loo", "tau_gradient"]]
    fall = max((own.drop(low.index).max() - own.loc[low.index].min()).max(), 0)
    if fall > STILL:
        return said
    one = "it is one seed, and " if rows["seed"].nunique() == 1 else ""
    does = "doesn't" if (own.iloc[-1] >= own.iloc[0]).all() else "hardly does"
    (low_loo, low_gradient), (high_loo, high_gradient) = own.iloc[[0, -1]].map(signed).to_numpy()
    return (
        f"{said} If growing noise held it down, attention's τ would fall as the norm grows. It {does}: with "
        f"leave-one-out it is {low_loo} at the smallest norm and {high_loo} at the largest, with the "
        f"gradient {low_gradient} and {high_gradient}. That is a hint against noise, no more: {one}the "
        "models are trained anew at each norm."
    )


def where_far_better(rows: pd.DataFrame, least: dict[str, float]) -> str:
    """At which norms gradient and LOO agree far better than attention with either, by all kinds of vectors.

    `always`, `never`, `small` (only at the smallest) or `some`. rows: a BiLSTM's on one corpus; least: as
    `as_reported` has it. Empty unless there are two norms.
    """
    if length_of(rows).nunique() < 2:
        return ""
    shows = as_reported(rows, least)
    if not shows.to_numpy().any():
        return "never"
    every = shows.all(axis=1)
    if every.all():
        return "always"
    return "small" if 0 < every.cummin().sum() == every.sum() else "some"


def may_be_another(rows: pd.DataFrame, norm: float | None = None) -> str:
    """That another ranking finds the deciding words best in some models; empty where one always does.

    rows: of made corpora, `trained`; norm: of the vectors of the figure before, if it is known.
    """
    every = [
        {*names} for _, own in rows.groupby("corpus") for _, ends in leaders(own) for _, names, *_ in ends
    ]
    every = [names for names in every if names]
    if len(every) < 2 or set.intersection(*every):
        return ""
    several, best = rows["corpus"].nunique() > 1, []
    for corpus, own in rows.groupby("corpus"):
        for label, ends in leaders(own):
            model = label if label == LABELS["average"] else f"the {label}"
            model += f" on {inert(corpus)}" if several else ""
            where, what, of = f"In {model} at", " the best of the three", "AUROC "
            for at, names, right, auroc in (end for end in ends if end[1]):
                low = f", but those models are right on only {right:.0%} of the texts"
                who = f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
                best.append(
                    f"{where} norm {at}, {who}{what} ({of}{auroc:.2f}){low if right < TRAINED else ''}."
                )
                where, what, of = "At", "", ""
    here = "" if norm is None else f" (the vectors above have norm {norm:.1f})"
    return (
        f"At another norm or in another encoder, another ranking may win{here}. {' '.join(best)} "
        "([Appendix](#appendix-the-norm-of-word-vectors).)"
    )


def turned(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs whose encoder starts with its first weights divided by the vectors' factor."""
    return rows[rows["input_scale"] != 1]


def live(rows: pd.DataFrame) -> str:
    """What a few trainings gave: τ(gradient, LOO) at each norm, and whether it only falls.

    Nothing of a course is said of a single norm.
    """
    at = rows.groupby(length_of(rows))["tau_gradient_loo"].mean().dropna()
    if at.empty:
        return "No text has a τ of gradient and leave-one-out, whatever the vectors' norm."
    if len(at) < 2 or at.max() - at.min() < 0.01:
        return "Here gradient and leave-one-out agree as much whatever the vectors' norm."
    falls = "falls steadily" if (at.diff().dropna() <= 0).all() else "doesn't fall steadily"
    first = rows.iloc[0]
    model = f"{inert(first['corpus'])}, {LABELS[first['encoder']]}, {vectors_called(first['vectors'])}"
    return (
        f"As the norm grows, τ(gradient, LOO) {falls}: it is {listed([signed(tau) for tau in at])} "
        f"at norms {listed([nominal(norm) for norm in at.index])} ({model}, one seed: no more than a hint)."
    )


def contrast(rows: pd.DataFrame, corpus: str) -> str:
    """The finding of the figure of the paper's contrast: how large it is at both ends of the norms."""
    parts = []
    for encoder, own in by_encoder(rows):
        at = own.groupby(length_of(own))["over_loo"].mean()
        parts.append(f"from {signed(at.iloc[0])} to {signed(at.iloc[-1])} ({LABELS[encoder]})")
    return f"{corpus}: from the smallest to the largest norm the contrast with LOO goes {listed(parts)}"


SHOWN = {
    "τ(gradient, LOO)": "tau_gradient_loo",
    "τ(attention, LOO)": "tau_loo",
    "τ(attention, gradient)": "tau_gradient",
    "accuracy": "accuracy",
}


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row a measure, a column an encoder: from the smallest to the largest norm, means over kinds."""
    found = {"mean of": [*SHOWN]}
    for encoder, own in by_encoder(rows):
        at = own.groupby(length_of(own))[[*SHOWN.values()]].mean()
        found[LABELS[encoder]] = [_ends(at[of]) for of in SHOWN.values()]
    return pd.DataFrame(found)


def _ends(values: pd.Series) -> str:
    return f"{signed(values.iloc[0])} to {signed(values.iloc[-1])}"


def unscaled(rows: pd.DataFrame) -> pd.Series:
    """The norm of each kind of vectors before it is multiplied: the median over the runs."""
    return (rows["norm"] / rows["vectors_scale"]).groupby(rows["vectors"]).median()


def of_lengths(rows: pd.DataFrame) -> list[str]:
    """What the norm of the vectors does to the rankings' agreement: a few words an encoder.

    rows: of one corpus and attention, at two norms or more.
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
            f"{LABELS[encoder]}: τ(gradient, LOO) goes from {first:.2f} with vectors of norm "
            f"{means.index[0]:.2g} to {last:.2f} with vectors of norm {means.index[-1]:.2g}.{between} "
            f"Meanwhile τ(attention, gradient) is {least['tau_gradient']:.2f} to {most['tau_gradient']:.2f}, "
            f"τ(attention, LOO) {least['tau_loo']:.2f} to {most['tau_loo']:.2f} and accuracy "
            f"{least['accuracy']:.2f} to {most['accuracy']:.2f} ({counted(kinds, 'kind')} of vectors, "
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
            f"{LABELS[encoder]}: with vectors of norm {at.index[0]:.2g} and {at.index[-1]:.2g} gradient "
            f"and LOO agree more than {listed(parts)}."
        )
    return found


def spread(own: pd.DataFrame) -> tuple[float, float] | None:
    """The shares of τ(gradient, LOO)'s variance that lie between norms and between kinds of vectors.

    Sums of squares of the means over seeds, of the norms that all kinds have; the rest is of the two
    together. own: of one encoder; None unless it has two norms and two kinds.
    """
    table = own.pivot_table(index=length_of(own), columns="vectors", values="tau_gradient_loo").dropna()
    if table.shape[0] < 2 or table.shape[1] < 2:
        return None
    whole = ((table - table.stack().mean()) ** 2).sum().sum()
    lengths = len(table.columns) * table.mean(axis=1).var(ddof=0) * len(table) / whole
    kinds = len(table) * table.mean(axis=0).var(ddof=0) * len(table.columns) / whole
    return lengths, kinds


def length_or_content(rows: pd.DataFrame) -> str:
    """How much of τ(gradient, LOO)'s variance lies between norms, how much between kinds of vectors.

    Empty without an encoder that has several of both.
    """
    shares = {LABELS[encoder]: spread(own) for encoder, own in by_encoder(rows)}
    shares = {name: both for name, both in shares.items() if both}
    if not shares:
        return ""
    of_norms = [f"{lengths:.0%} ({name})" for name, (lengths, _) in shares.items()]
    of_kinds = [f"{kinds:.0%}" for _, kinds in shares.values()]
    said = (
        f"In an analysis of variance by norm and kind of vectors ({counted(rows['seed'].nunique(), 'seed')} "
        f"each) the norm explains {listed(of_norms)} of the variance of τ(gradient, LOO), the kind of "
        f"vectors {listed(of_kinds)}."
    )
    if all(lengths > kinds for lengths, kinds in shares.values()):
        said += " Over this range the norm matters more than what the vectors know of the words."
    return said


def mechanisms(rows: pd.DataFrame) -> list[str]:
    """What goes along with the fall of τ(gradient, LOO), and what doesn't: of a BiLSTM's runs."""
    own = rows[rows["encoder"] == "bilstm"]
    if own["norm"].nunique() < 2:
        return []
    at = own.groupby(length_of(own)).mean(numeric_only=True).sort_values("norm")
    first, last = at.iloc[0], at.iloc[-1]
    small, large = (f"norm {nominal(norm)}" for norm in (at.index[0], at.index[-1]))
    return [
        "**A gradient is local.** It forecasts how the prediction changes if a word's vector is set to zero. "
        f"The τ of this forecast with the actual change is {first['zeroing_first']:.2f} at {small} and "
        f"{last['zeroing_first']:.2f} at {large}. If the forecast uses the second derivative, too, it is "
        f"{first['zeroing_second']:.2f} and {last['zeroing_second']:.2f}.",
        "**Gates saturate.** A BiLSTM's gates, numbers between 0 and 1, say what a state keeps; its "
        f"candidates, between −1 and 1, what is added. At {small}, {first['saturated']:.1%} of them all are "
        f"within 5% of an end; at {large} it is {last['saturated']:.0%}.{_least_saturated(at)}",
    ]


def _least_saturated(at: pd.DataFrame) -> str:
    """Where fewest gates are saturated, if that is between the ends. at: means by norm, smallest first."""
    shares = at["saturated"]
    if shares.idxmin() in shares.index[[0, -1]]:
        return ""
    return f" Fewest are at norm {nominal(shares.idxmin())}, {shares.min():.1%}."


def steepest(rows: pd.DataFrame) -> pd.DataFrame:
    """Between which norms a BiLSTM's τ(gradient, LOO) falls most, and what is saturated there; a row a kind
    of vectors."""
    own, found = rows[rows["encoder"] == "bilstm"], []
    for kind, of_kind in own.groupby("vectors"):
        each = of_kind.groupby(length_of(of_kind))[["tau_gradient_loo", "saturated"]].mean()
        fall = -each["tau_gradient_loo"].diff()
        if fall.notna().any() and fall.max() > 0:
            i = int(np.nanargmax(fall.to_numpy()))
            ends = " to ".join(nominal(norm) for norm in each.index[[i - 1, i]])
            shares = " and ".join(f"{share:.1%}" for share in each["saturated"].iloc[[i - 1, i]])
            found.append([vectors_called(kind), fall.iloc[i], ends, shares])
    return pd.DataFrame(found, columns=["vectors", "falls by", "from norm to norm", "saturated at these"])


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
    kinds_ = listed([vectors_called(kind) for kind in sorted(both["vectors"].unique())])
    share = ""
    if fall > 0:
        share = (
            f" So in these single runs ({kinds_}) {1 - left / fall:.0%} of the fall goes away. (Weights of "
            "another size may also train otherwise.)"
        )
    parts = [
        f"{own['tau_gradient_loo_inverse']:.2f} at norm {nominal(own['norm'])} (otherwise "
        f"{own['tau_gradient_loo']:.2f})"
        for own in (first, last)
    ]
    return (
        "**Start or training?** Vectors of larger norm make a different model before any training. If the "
        "encoder's initial weights are divided by the factor of the vectors, models of all norms start as "
        f"the same function of the text. Then τ(gradient, LOO) is {listed(parts)}.{share}"
    )


def learnt(rows: pd.DataFrame) -> pd.DataFrame:
    """The models that learnt something."""
    return rows[rows["accuracy"] >= LEARNT]


def complete(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each encoder's kinds of vectors with a model at most norms, at the norms that all have.

    So a mean over kinds is of the same kinds at every norm.
    """
    kept = []
    for _, own in rows.groupby("encoder", sort=False):
        at = length_of(own)
        norms = {kind: {*at[own["vectors"] == kind]} for kind in own["vectors"].unique()}
        most = max(map(len, norms.values()))
        kinds = [kind for kind, of_kind in norms.items() if len(of_kind) == most]
        shared = set.intersection(*(norms[kind] for kind in kinds))
        kept.append(own[own["vectors"].isin(kinds) & at.isin(shared)])
    return pd.concat(kept) if kept else rows


def why_left_out(rows: pd.DataFrame) -> str:
    """Of how many models nothing is drawn, and why; empty if all learnt."""
    empty, rest = rows[rows["accuracy"] < LEARNT], learnt(rows)
    if empty.empty:
        return ""
    others = len(rest) - len(complete(rest))
    said = f"Left out: {len(empty)} of {counted(len(rows), 'model')} that learnt next to nothing"
    if others:
        said += f", and {others} more, so that each line averages the same kinds of vectors at every norm"
    return f"{said}."


def turns(rows: pd.DataFrame) -> str:
    """The finding of the figure of the truth: what finds the deciding words best at both ends."""
    parts = []
    for label, ends in leaders(rows):
        (small, first, high, _), (large, last, low, _) = ends
        names = [listed(best) if best else "none of the three" for best in (first, last)]
        course = f"{names[0]} at norm {small} and {large}"
        if names[0] != names[1]:
            course = f"{names[0]} at norm {small}, {names[1]} at {large}"
        parts.append(f"{course} ({label}{_less(high, low)})")
    if not parts:
        return "There are too few norms to be compared"
    return f"Best at finding the deciding words: {'; '.join(parts)}"


def _less(first: float, last: float) -> str:
    """What to add of an accuracy that falls, from the smallest to the largest norm, or is low at both."""
    if first - last > FALLEN:
        return f"; accuracy falls to {last:.2f}"
    if max(first, last) < TRAINED:
        return f"; accuracy {listed([f'{right:.2f}' for right in (first, last)])}"
    return ""


def trained(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the encoders whose accuracy is TRAINED or more at some norm."""
    means = rows.groupby(["encoder", length_of(rows)])["accuracy"].mean().groupby("encoder").max()
    return rows[rows["encoder"].isin(means.index[means >= TRAINED])]


def untrained(rows: pd.DataFrame) -> str:
    """Which encoders `trained` leaves out; empty if none."""
    out = [LABELS[name] for name in LABELS if name in {*rows["encoder"]} - {*trained(rows)["encoder"]}]
    return f"{listed(out)} isn't drawn: its accuracy is below {TRAINED:g} at every norm." if out else ""


def leaders(rows: pd.DataFrame) -> list[tuple[str, list[tuple[str, list[str], float, float]]]]:
    """What finds the deciding words best at the smallest and the largest norm: an entry an encoder.

    The encoder; for either norm which rankings are best (none, where all lie within CLOSE), the accuracy,
    and the best one's AUROC. Of `complete` rows.
    """
    found = []
    for encoder, own in by_encoder(complete(rows.dropna(subset=[*WAYS.values()]))):
        grouped = own.groupby(length_of(own))
        names = [f"the {name}" if name == "gradient" else name for name in WAYS]
        at = grouped[[*WAYS.values()]].mean().set_axis(names, axis=1)
        best, right, most = _best(at), grouped["accuracy"].mean(), at.max(axis=1)
        ends = [
            (nominal(norm), [*best.columns[best.loc[norm]]], right[norm], most[norm])
            for norm in best.index[[0, -1]]
        ]
        found.append((LABELS[encoder], ends))
    return found


def _best(at: pd.DataFrame) -> pd.DataFrame:
    """Which rankings are best at each norm: several that read alike, none where all lie within CLOSE."""
    best = at.round(2).eq(at.round(2).max(axis=1), axis=0)
    best[at.max(axis=1) - at.min(axis=1) <= CLOSE] = False
    return best


def truth_by_length(rows: pd.DataFrame, rankings: dict[str, str] = WAYS) -> pd.DataFrame:
    """How well each ranking finds the deciding words at both ends of the norms, and where it is the best.

    Of `complete` rows; a row an encoder and ranking, and one of its accuracy. rankings: what each is called,
    to the column of its AUROC. Where all lie within CLOSE none is best; several are that read alike.
    """
    found = []
    for encoder, own in by_encoder(complete(rows.dropna(subset=[*rankings.values()]))):
        at = own.groupby(length_of(own))[[*rankings.values()]].mean()
        best = _best(at)
        for name, column in (rankings | {"(accuracy)": "accuracy"}).items():
            wins = ", ".join(map(nominal, at.index[best[column]])) if column in best else ""
            found.append([LABELS[encoder], name, _end(own, column, 0), _end(own, column, -1), wins])
    columns = ["encoder", "ranking", "AUROC, smallest norm", "AUROC, largest norm", "best at norm"]
    return pd.DataFrame(found, columns=columns)


def of_kinds(rows: pd.DataFrame) -> str:
    """Which kinds of vectors each encoder's numbers of `truth_by_length` are of. rows: `complete`."""
    parts = []
    for encoder, own in by_encoder(complete(rows.dropna(subset=[*WAYS.values()]))):
        kinds = listed([vectors_called(kind) for kind in sorted(own["vectors"].unique())])
        parts.append(f"{LABELS[encoder]}: {kinds}, {counted(own['seed'].nunique(), 'seed')}")
    return f"{'; '.join(parts)}. Where all three lie within {CLOSE:g}, none is called best." if parts else ""


def averaged_apart(rows: pd.DataFrame) -> str:
    """Which lines of the figure of the truth average kinds of vectors that are far apart; empty if none do.

    At the smallest norm.
    """
    parts = []
    for encoder, own in by_encoder(complete(rows.dropna(subset=[*WAYS.values()]))):
        at = length_of(own)
        first = own[at == at.min()].groupby("vectors")[[*WAYS.values()]].mean()
        for name, column in WAYS.items():
            each = first[column].sort_values()
            if each.iloc[-1] - each.iloc[0] > APART:
                ends = [f"{each[kind]:.2f} ({vectors_called(kind)})" for kind in each.index[[0, -1]]]
                parts.append(
                    f"At norm {nominal(at.min())} the line of {name} ({LABELS[encoder]}) averages "
                    f"{listed(ends)}."
                )
                if each.iloc[0] < 0.5 - STILL:
                    parts.append("The first is far below chance: there other words have more.")
    return " ".join(parts)


def _end(own: pd.DataFrame, column: str, end: int) -> str:
    """A measure's mean at the first or the last norm; where kinds of vectors differ there, their range."""
    at = length_of(own)
    each = own[at == sorted(at)[end]].groupby("vectors")[column].mean()
    said = f"{each.mean():.2f}"
    if np.ptp(each) <= 2 * CLOSE:
        return said
    return f"{said} ({each.min():.2f} to {each.max():.2f})"


def vectors_called(kind: str) -> str:
    """What a kind of vectors is called in a sentence; a file's name may be anything."""
    return OF_VECTORS.get(kind, tokens([kind]))


def length_of(rows: pd.DataFrame) -> pd.Series:
    """The norms to two digits: kinds of vectors that were brought to one norm share it."""
    return rows["norm"].map(lambda norm: float(f"{norm:.2g}")).rename("at")


def nominal(norm: float) -> str:
    """A norm as an axis has it: the power of two that is within 5 % of it, else its first two digits."""
    power = 2.0 ** round(np.log2(norm)) if norm > 0 else 0
    return f"{power:g}" if power and abs(norm / power - 1) < 0.05 else f"{norm:.2g}"


def by_encoder(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each encoder that has two norms or more, in the order of the figures."""
    for encoder in LABELS:
        own = rows[rows["encoder"] == encoder].dropna(subset=["tau_gradient_loo"])
        if length_of(own).nunique() > 1:
            yield encoder, own
