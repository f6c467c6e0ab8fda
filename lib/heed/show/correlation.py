"""Chapter 02: rankings of words held against one another and against the truth, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.measures import rankings
from heed.measures.correlation import PAIRS
from heed.measures.divergence import tvd
from heed.measures.kendall import kendall
from heed.models.encoders import encoder_called
from heed.show import word_lengths
from heed.show.notebook import inert, tokens
from heed.show.sentences import by_encoder, counted, listed, over_seeds, top_word
from heed.show.style import LABELS

MORE = {of: f"tau_gradient_loo_minus_attention_{of}" for of in ("loo", "gradient")}
NO_TAU = "No text has a τ: a text of one word has none, nor has one that a ranking finds all alike."


def overall_of(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary's rows of all texts, by measure."""
    return summary[summary["class"] == "overall"].set_index("measure")


def of_attention() -> dict[str, str]:
    """The column of attention's τ with each ranking, to what the ranking is called."""
    labels = {name: own.label for name, own in rankings.compared().items()}
    return {tau: labels[second] for tau, (first, second) in PAIRS.items() if first == "attention"}


def in_short(run, overall: pd.DataFrame, real: pd.DataFrame, others: pd.DataFrame) -> list[str]:
    """The chapter's answer.

    overall: `overall_of`'s; real: `on_real_text`'s; others: `correlation.truth_of_other_seeds`'.
    """
    said = []
    if len(real):
        parts = [f"{row.gradient:.2f} ({row.encoder})" for row in real.itertuples()]
        said.append(
            f"Only in part. On film reviews (SST) attention's mean τ with the gradient is {listed(parts)}; "
            "1 is the same order of the words, 0 none, and Average's agreement is built in."
        )
    rows = word_lengths.usual(word_lengths.carried(made=False))
    if found := word_lengths.main_finding(rows[rows["corpus"] == "sst"]):
        said.append(
            "Papers hold it against attention that gradient and leave-one-out agree better with one another. "
            f"**That goes with how long the word vectors are that a model starts from**: on SST {found}."
        )
    known = [tau for tau in ("tau_gradient", "tau_loo") if tau in overall.index and defined(overall, tau)]
    if known:
        own = listed([f"{overall.loc[tau, 'mean']:.2f} with {of_attention()[tau]}" for tau in known])
        said.append(f"In this run ({inert(run.params.corpus)}) attention's is {own}.")
    if by_auroc(overall):
        parts = [
            f"{called(name)} {_over(overall, others, name)}" for name in ("attention", "gradient", "loo")
        ]
        seeds = f", over {len(others) + 1} seeds" if len(others) else ""
        said.append(f"AUROC of the words that decide its labels (by chance 0.50){seeds}: {', '.join(parts)}.")
    return said or [NO_TAU]


def defined(overall: pd.DataFrame, measure: str) -> bool:
    """Whether any text has it."""
    return bool(overall.loc[measure, "undefined"] < overall.loc[measure, "n"])


def called(name: str) -> str:
    """A ranking's label."""
    return rankings.compared()[name].label


def ranked_some(ranked: dict[str, dict], texts: int) -> str:
    """Which rankings order the words of some texts alone; empty if all have all."""
    some = {name: len(own) for name, own in ranked.items() if len(own) < texts}
    if not some:
        return ""
    return (
        f"{listed([called(name) for name in some]).capitalize()} order the words of {min(some.values()):,} "
        f"of the {texts:,} texts alone, evenly spaced (`ranked_texts`): their τ are of those."
    )


def by_ranking(ranked: dict[str, dict], name: str) -> dict[str, np.ndarray]:
    """What each ranking says of a text's words, by the ranking's label."""
    return {called(ranking): own[name] for ranking, own in ranked.items()}


def shares(kinds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Each ranking's numbers as shares of their sum."""
    return {label: values / (values.sum() or 1) for label, values in kinds.items()}


def real_words(row: Row) -> list[str]:
    """The words that attention is paid to."""
    return [word for word, is_real in zip(row.units, row.real, strict=True) if is_real]


def tops(words: Sequence[str], kinds: dict[str, np.ndarray], asked: dict[str, str]) -> list[str]:
    """Which word each ranking puts first, and what is asked, if it is. asked: `Run.asked`'s."""
    said = [f"{asked['query_name']}: *{tokens(asked['question'].split())}*."] if asked else []
    firsts: dict[str, list[str]] = {}
    for label, values in kinds.items():
        firsts.setdefault(top_word(words, values), []).append(label)
    return [
        *said,
        "First is " + "; ".join(f"{word} by {listed(names)}" for word, names in firsts.items()) + ".",
    ]


def one_tau(kinds: dict[str, np.ndarray]) -> str:
    """τ of attention and gradient in one text, and the pairs of words counted by hand.

    Raises AssertionError if, without ties, the two aren't the same.
    """
    a, b = kinds[called("attention")], kinds[called("gradient")]
    tau, _ = kendall(a, b)
    if np.isnan(tau):
        return "Attention and gradient of this text have no τ: one of them puts no word before another."
    i, j = np.triu_indices(len(a), 1)
    order = np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
    if len({*a}) == len({*b}) == len(a) and min(np.ptp(a), np.ptp(b)) > 1e-6:
        assert abs(order.mean() - tau) < 0.05, "τ isn't what counting the pairs gives"
    return (
        f"In this text attention and gradient order {(order > 0).mean():.0%} of the "
        f"{counted(len(i), 'pair')} of words alike and {(order < 0).mean():.0%} the other way round: τ = "
        f"{tau:.2f}."
    )


def mean_taus(overall: pd.DataFrame, labels: dict[str, str]) -> str:
    """Attention's mean τ with each ranking, as the finding of a figure.

    overall: the summary's rows of all texts, by measure; labels: of the rankings, by their τ's column.
    """
    known = [tau for tau in labels if tau in overall.index and defined(overall, tau)]
    if not known:
        return NO_TAU
    means = [f"{labels[tau]} {overall.loc[tau, 'mean']:.2f}" for tau in known]
    return f"Attention's mean τ is with {listed(means)}"


def most_alike(overall: pd.DataFrame) -> str:
    """Which two rankings agree most, and which least: the finding of the figure of all pairs."""
    means = overall["mean"].reindex([*PAIRS]).dropna()
    if means.empty:
        return NO_TAU
    most, least = (
        f"{' and '.join(called(name) for name in PAIRS[tau])} ({means[tau]:.2f})"
        for tau in (means.idxmax(), means.idxmin())
    )
    return f"Of all pairs {most} agree most, {least} least"


def two_means(overall: pd.DataFrame) -> str:
    """The finding of the two histograms."""
    return mean_taus(overall, {tau: called(tau.removeprefix("tau_")) for tau in ("tau_gradient", "tau_loo")})


def table2(summary: pd.DataFrame, classes: Sequence[str]) -> pd.DataFrame:
    """The layout of the paper's Table 2, with the names of columns in words."""
    taus = summary[summary["measure"].isin([*PAIRS])]
    names = {"overall": "all", **{str(c): f"predicted {name}" for c, name in enumerate(classes)}}
    columns = {
        "rankings": taus["measure"].map({tau: rankings.names_of(pair) for tau, pair in PAIRS.items()}),
        "texts": taus["class"].map(names),
        "number": taus["n"],
        "without τ": taus["undefined"],
        "mean τ": taus["mean"],
        "standard deviation": taus["std"],
        "share significant": taus["significant"],
        "interval from": taus["low"],
        "to": taus["high"],
    }
    return pd.DataFrame(columns)


def built_in(run, evidence: Evidence, loo: dict[str, np.ndarray]) -> str:
    """Whether attention is a factor of both measures; where it is, the formula of leave-one-out is checked.

    Raises AssertionError if it doesn't give every Δŷ. loo: by text's id.
    """
    label = LABELS[run.params.encoder]
    if encoder_called(run.params.encoder).contextual:
        return (
            f"This run's {label} has states that know their neighbours, so nothing of the kind is built in."
        )
    errors: list[float] = []
    for row in (one for one in evidence if one.id in loo):
        left = row.attention[row.real] < 1  # where one word has all of it, nothing is left without
        w, r = row.attention[row.real][left, None], row.values[row.real][left]
        contexts = (row.attention @ row.values - w * r) / (1 - w)
        formula = tvd(row.head.probs(contexts, row.shift, row.allowed), row.prediction)
        errors += np.abs(formula - loo[row.id][left]).tolist()
    if not errors:
        return f"This run is such a model ({label}), but no word of it can be left out."
    assert max(errors) < 1e-6, "leave-one-out isn't what the formula gives"
    return f"This run is such a model ({label}): the formula gives each Δŷ to within {max(errors):.0e}."


def closer(overall: pd.DataFrame) -> str:
    """By how much gradient and leave-one-out agree more; empty where no text has all three τ."""
    if overall.loc[[*MORE.values()], "mean"].isna().any():
        return ""
    parts = []
    for name, of in (("leave-one-out", "loo"), ("gradient", "gradient")):
        own = overall.loc[MORE[of]]
        more = "more" if own["mean"] >= 0 else "less"
        parts.append(
            f"by {abs(own['mean']):.2f} {more} than attention and {name} ({own['low']:z.2f} to "
            f"{own['high']:z.2f})"
        )
    return f"Gradient and leave-one-out agree {listed(parts)}"


def deciding_share(evidence: Evidence) -> float | None:
    """The share of a text's words that decide its label, mean over texts; None where nobody knows them."""
    found = [one.truth[one.real].mean() for one in evidence if one.truth is not None and one.truth.any()]
    return float(np.mean(found)) if found else None


def by_auroc(overall: pd.DataFrame) -> list[str]:
    """The rankings whose AUROC is known, the best first."""
    names = [name for name in rankings.compared() if f"auroc_{name}" in overall.index]
    means = {name: overall.loc[f"auroc_{name}", "mean"] for name in names}
    return sorted((name for name in names if not np.isnan(means[name])), key=lambda name: -means[name])


def finds(overall: pd.DataFrame) -> str:
    """Which ranking finds the deciding words best and which least: the figure's finding."""
    order = by_auroc(overall)
    if not order:
        return "No text has a deciding word among others"
    (best, top), (least, low) = [
        (called(name), overall.loc[f"auroc_{name}", "mean"]) for name in (order[0], order[-1])
    ]
    return f"{best.capitalize()} finds the deciding words best (AUROC {top:.2f}), {least} least ({low:.2f})"


def of_seeds(overall: pd.DataFrame, others: pd.DataFrame, name: str) -> np.ndarray:
    """A ranking's AUROC of this seed and of the others."""
    found = [overall.loc[f"auroc_{name}", "mean"], *others.get(f"auroc_{name}", [])]
    return np.array(found)


def _over(overall: pd.DataFrame, others: pd.DataFrame, name: str) -> str:
    """The range of `of_seeds`, of one seed its number."""
    values = of_seeds(overall, others, name)
    return f"{values[0]:.2f}" if len(values) == 1 else f"{values.min():.2f} to {values.max():.2f}"


def seeds_found(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """AUROC over seeds, this run's among them, and whose hangs most on the seed."""
    if others.empty:
        return "This is one seed: another may give another order."
    names = ("attention", "gradient", "loo")
    parts = [f"{called(name)} {of_seeds(overall, others, name).mean():.2f} ({_over(overall, others, name)})"
             for name in names]  # fmt: skip
    widest = max(names, key=lambda name: np.ptp(of_seeds(overall, others, name)))
    return (
        f"Over {len(others) + 1} seeds the AUROC is of {listed(parts)}. {called(widest).capitalize()}'s "
        "hangs most on the seed."
    )


def top_and_rest(overall: pd.DataFrame, share: float) -> str:
    """What attention's AUROC and its precision say together."""
    auroc, precision = (overall.loc[f"{kind}_attention", "mean"] for kind in ("auroc", "precision"))
    if np.isnan([auroc, precision]).any():
        return ""
    said = (
        f"Attention's AUROC is {auroc:.2f} (chance 0.50), its precision {precision:.2f} (chance {share:.2f})"
    )
    if auroc < 0.6 and precision > share + 0.1:
        return (
            f"{said}. Both are true: its few heaviest words are deciding ones more often than by chance, "
            "and the deciding words that it misses stand as far down as any."
        )
    return f"{said}."


def on_real_text() -> pd.DataFrame:
    """A row an encoder: attention's τ with either measure on SST over the carried seeds, and in words."""
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and profile == 'paper' and attention == 'additive' and `class` == 'overall'"
    )
    found = []
    for name, label in LABELS.items():
        own = rows[rows["encoder"] == name].set_index("measure")["mean"]
        if {"tau_gradient", "tau_loo", *MORE.values()} <= {*own.index}:
            of = {measure: own.loc[[measure]] for measure in ("tau_gradient", "tau_loo", *MORE.values())}
            found.append(
                {
                    "encoder": label,
                    "gradient": of["tau_gradient"].mean(),
                    "loo": of["tau_loo"].mean(),
                    "says": f"{label}: with the gradient {over_seeds(of['tau_gradient'])}, with "
                    f"leave-one-out {over_seeds(of['tau_loo'])}. Gradient and leave-one-out agree more "
                    f"than attention and leave-one-out by {of[MORE['loo']].mean():z.2f}, than attention "
                    f"and gradient by {of[MORE['gradient']].mean():z.2f}.",
                }
            )
    return pd.DataFrame(found, columns=["encoder", "gradient", "loo", "says"])


def range_of_real_text(real: pd.DataFrame) -> str:
    """The finding of the figure on real text; empty without rows. real: `on_real_text`'s."""
    return f"On SST attention agrees with the gradient by {by_encoder(real, 'gradient')}" if len(real) else ""


def beside_the_paper() -> pd.DataFrame:
    """Table 2's means for SST, by predicted class, and ours under two protocols."""
    names = {tau: rankings.names_of(pair) for tau, pair in PAIRS.items()}

    def named(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(encoder=rows["encoder"].map(LABELS), measure=rows["measure"].map(names))

    reported = verdict.published().query(
        "corpus == 'sst' and source == 'paper' and statistic == 'mean' and `class` != 'overall'"
    )
    reported = reported.assign(**{"class": reported["class"].map({"0": "negative", "1": "positive"})})
    wide = named(reported).pivot(index=["encoder", "measure"], columns="class", values="reported")
    wide = wide.rename(columns=lambda name: f"paper, predicted {name}")
    ours = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and attention == 'additive' and `class` == 'overall'"
    )
    for whose in ("paper2019", "paper"):
        own = named(ours[ours["profile"] == whose])
        wide[f"ours ({whose}), all texts"] = own.groupby(["encoder", "measure"])["mean"].mean()
    return wide.reset_index().rename(columns={"measure": "mean τ of"}).rename_axis(columns=None)


def below_the_paper(wide: pd.DataFrame) -> str:
    """How many of our means lie below both of the paper's. wide: `beside_the_paper`'s."""
    least = wide.filter(like="paper, predicted").min(axis=1)
    lower = {
        whose: int((wide[f"ours ({whose}), all texts"] < least).sum()) for whose in ("paper2019", "paper")
    }
    return (
        f"Below both of the paper's numbers lie {lower['paper2019']} of our {counted(len(wide), 'mean')} "
        f"under `paper2019`, and {lower['paper']} under `paper`. Chapter 12 looks for the reason."
    )


def thirds(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """τ of attention and gradient, and how often it is significant, in short, middling and long texts.

    Empty unless there are texts of three lengths that have it.
    """
    own = table.dropna(subset=["tau_gradient"])
    if own["length"].nunique() < 3:
        return pd.DataFrame()
    parts = own.groupby(pd.qcut(own["length"], 3, labels=False, duplicates="drop"))
    return pd.DataFrame(
        {
            "from (tokens)": parts["length"].min(),
            "to": parts["length"].max(),
            "texts": parts.size(),
            "mean τ": parts["tau_gradient"].mean(),
            "share significant": parts["p_tau_gradient"].apply(lambda p: (p <= level).mean()),
        }
    )


def needed(table: pd.DataFrame, level: float) -> str:
    """How often attention's τ with the gradient is significant: the figure's finding."""
    own = table.dropna(subset=["tau_gradient"])
    return (
        f"τ of attention and gradient is significant in {(own['p_tau_gradient'] <= level).mean():.0%} of "
        f"{counted(len(own))}; the longer a text, the less it takes"
    )


def answer(run, overall: pd.DataFrame, share: float | None) -> list[str]:
    """The chapter's question, answered for this run."""
    said = []
    if all(defined(overall, tau) for tau in ("tau_gradient", "tau_loo")):
        g, l = (overall.loc[tau] for tau in ("tau_gradient", "tau_loo"))
        typical = (g["mean"] + l["mean"]) / 2
        how = "Hardly" if typical < 0.2 else "In part" if typical < 0.5 else "Mostly"
        said.append(
            f"{how}, for this {LABELS[run.params.encoder]} ({inert(run.params.corpus)}): attention orders "
            f"the words as the gradient does by τ = {g['mean']:.2f} ({g['low']:.2f} to {g['high']:.2f}), as "
            f"leave-one-out does by {l['mean']:.2f} ({l['low']:.2f} to {l['high']:.2f})."
        )
    if share is not None and (order := by_auroc(overall)):
        said.append(f"{called(order[0]).capitalize()} finds the words that decide the label best.")
    if not said:
        return [NO_TAU]
    return [
        *said,
        "A low τ doesn't say that attention is the wrong one of the two, and how far the other two agree "
        "hangs on the length of the word vectors.",
    ]
