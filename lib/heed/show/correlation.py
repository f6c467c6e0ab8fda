"""Chapter 02: rankings of words held against one another and against the truth, in sentences and tables."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.evidence import Evidence, Row
from heed.measures import rankings
from heed.measures.correlation import PAIRS
from heed.measures.divergence import significant_digits, tvd
from heed.measures.kendall import kendall
from heed.models.encoders import encoder_called
from heed.registry import made_corpora
from heed.show import annex, word_lengths
from heed.show.figures.numbers import Numbers, read
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, signed, top_word, with_range
from heed.show.style import LABELS, OF_VECTORS
from heed.show.words import text_for
from heed.verdict import claims

MORE = {of: f"tau_gradient_loo_minus_attention_{of}" for of in ("loo", "gradient")}
FINDERS = ("attention", "gradient", "loo")  # the rankings that other seeds' models are asked for, too
PAPER = "J&W: "  # a column of published numbers
# By how much more, in the paper, its BiLSTM's gradient and leave-one-out agree than attention with either.
REPORTED = {"loo": 0.2, "gradient": 0.25}
NEAR = 0.05  # of τ: what is no further below the paper's numbers comes near them
UNSEEN = 0.1  # of an even share of attention: a word that has less is hardly attended to
OURS, GIVEN = "word2vec", "en_core_web_md"  # vectors of SST's models: trained on the texts; general ones
GENERAL = "sst-additive-paper2019_with_en_core_web_md-correlation"  # the paper's Figure 2, nearest to it
NO_ORDER = "one of the two puts no word before another"
WELL = 0.8  # an AUROC from which on a ranking finds the deciding words well
LITTLE = 0.3  # a mean τ below which two rankings agree little
FEW = 20  # texts that shares of texts are said of
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

    overall: `overall_of`'s; real: `on_real_text`'s; others: `correlation.other_seeds_found`'s.
    """
    said = []
    if len(real):
        said += [of_real_text(real) + reported() + on_corpora(by_corpus()), of_average(real)]
        lengths = word_lengths.usual(word_lengths.carried(made=False))
        said.append(word_lengths.mere_noise(lengths.query("encoder == 'bilstm'"), REPORTED))
    elif own := of_this_run(run, overall, others):
        said.append(own)
    if finders(overall):
        said.append(
            f"On {inert(run.params.corpus)} ({LABELS[run.params.encoder]}), a [made corpus]"
            f"(glossary.md#made-corpora) whose deciding words are known, {found_short(overall, others)}."
        )
    if not said:
        return [NO_TAU]
    return [*filter(None, said), what_follows(overall, real)]


def what_follows(overall: pd.DataFrame, real: pd.DataFrame) -> str:
    """What a reader may make of it: by the τ on real text, or else this run's."""
    taus = [main_row(real)[name] for name in ("gradient", "loo")] if len(real) else []
    taus = taus or [
        *overall.loc[[tau for tau in ("tau_gradient", "tau_loo") if tau in overall.index], "mean"]
    ]
    if how_far(*taus) == "mostly":
        return "But that two rankings agree doesn't show that either is right."
    apart = [
        row["encoder"] for row in real.to_dict("records") if how_far(row["gradient"], row["loo"]) != "mostly"
    ]
    where = f" ({', '.join(apart)})" if apart else ""
    return (
        "A low τ doesn't show which ranking is wrong. But attention can't stand in for either "
        f"measure{where}: to know what changes without a word, remove it."
    )


def main_row(real: pd.DataFrame) -> dict:
    """The BiLSTM's row of `on_real_text`'s, or else the first. real: a row at least."""
    own = real[real["encoder"] == LABELS["bilstm"]]
    return (own if len(own) else real).iloc[0].to_dict()


def how_far(*taus: float) -> str:
    """What a mean of these τ comes to, in words."""
    typical = np.mean(taus)
    return "hardly" if typical < 0.2 else "only in part" if typical < 0.5 else "mostly"


def agrees(how: str) -> str:
    """What attention does, by `how_far`."""
    return f"agrees {how}" if how == "only in part" else f"{how} agrees"


def with_gradient(real: pd.DataFrame) -> str:
    """Attention's mean τ with the gradient, by encoder."""
    return listed([f"{signed(row['gradient'])} ({row['encoder']})" for row in real.to_dict("records")])


def of_real_text(real: pd.DataFrame) -> str:
    """The chapter's answer on real text. real: not empty."""
    return (
        f"{how_far(*real['gradient'], *real['loo']).capitalize()}. On film reviews (SST, {of_texts(real)}, "
        f"[profile](glossary.md#profile) `paper`) attention's mean τ with the gradient is "
        f"{with_gradient(real)}, with leave-one-out {listed([signed(tau) for tau in real['loo']])}."
    )


def reported_taus() -> dict[tuple[str, str], list[float]]:
    """The paper's mean τ on SST, of its two predicted classes: by encoder's label and `gradient` or `loo`."""
    wide = beside_the_paper()
    return {
        (row["encoder"], row["attention and"].lower()): [
            value for name, value in row.items() if name.startswith(PAPER) and not np.isnan(value)
        ]
        for row in wide.to_dict("records")
    }


def reported() -> str:
    """What the paper reports of attention's τ with the gradient on SST, by encoder."""
    own = reported_taus()
    parts = [
        f"{_from_to(own[label, 'gradient'])} ({label})"
        for label in LABELS.values()
        if own.get((label, "gradient"))
    ]
    return f" Jain & Wallace report {listed(parts)} with the gradient." if parts else ""


def _from_to(values: Sequence[float]) -> str:
    """The lowest and the highest number, or the one."""
    low, high = signed(min(values)), signed(max(values))
    return low if low == high else f"{low} to {high}"


def _unbroken(values: Sequence[float]) -> str:
    """`_from_to` for a table's cell: on one line."""
    return _from_to(values).replace(" ", "\u00a0")


def by_corpus() -> pd.DataFrame:
    """Attention's τ on the real corpora, profile paper, means over the seeds; as the annex draws them.

    A row a corpus; columns by `(encoder, measure)`, and `("", "seeds")`. Models that
    only guess are NaN.
    """
    names = ["tau_gradient", "tau_loo", "tau_gradient_loo"]
    rows = annex.over_corpora(verdict.committed(), names, ["additive"])
    rows = rows[~rows["corpus"].isin(made_corpora())]
    wide = rows.pivot_table(index="corpus", columns=["encoder", "measure"], values="mean")
    wide["", "seeds"] = rows.groupby("corpus")["seed"].nunique()
    return wide


def on_corpora(wide: pd.DataFrame) -> str:
    """The range of the BiLSTM's τ with the gradient over corpora; empty of one. wide: `by_corpus`'s."""
    own = wide.get(("bilstm", "tau_gradient"), pd.Series(dtype=float)).dropna()
    if len(own) < 2:
        return ""
    return f" Over {len(own)} corpora our {LABELS['bilstm']}'s is {_from_to(own)}."


def corpora_beside_the_paper(wide: pd.DataFrame) -> pd.DataFrame:
    """`by_corpus`'s τ of BiLSTM and Average, and the paper's of its BiLSTM by predicted class."""
    paper = verdict.published().query("source == 'paper' and statistic == 'mean'")
    columns = [("corpus", [*wide.index]), ("seeds", [*wide["", "seeds"]])]
    for name in ("bilstm", "average"):
        for measure, called_ in (("tau_gradient", "gradient"), ("tau_loo", "LOO")):
            ours = wide.get((name, measure), pd.Series(np.nan, wide.index))
            columns.append((f"{LABELS[name]}: {called_}", [*ours]))
            own = paper[(paper["encoder"] == name) & (paper["measure"] == measure)]
            theirs = [
                own.loc[own["corpus"] == corpus.removesuffix(" (part)"), "reported"].dropna()
                for corpus in wide.index
            ]
            if name == "bilstm" and any(len(values) for values in theirs):
                columns.append(("J&W", [_unbroken(values) if len(values) else np.nan for values in theirs]))
    table = pd.DataFrame({i: values for i, (_, values) in enumerate(columns)})
    return table.set_axis([name for name, _ in columns], axis=1)


def contrast_over_corpora(wide: pd.DataFrame) -> str:
    """How large the BiLSTM's contrast is on average over corpora, as the paper's is. wide: `by_corpus`'s."""
    taus = [("bilstm", name) for name in ("tau_gradient_loo", "tau_loo", "tau_gradient")]
    if not {*taus} <= {*wide.columns}:
        return ""
    both, loo, gradient = (wide[tau] for tau in taus)
    known = (both - loo - gradient).notna()
    if not known.any():
        return ""
    more = [signed((both - other)[known].mean()) for other in (loo, gradient)]
    return (
        f"The paper's numbers are means over corpora. Over {counted(int(known.sum()), 'corpus', 'corpora')} "
        f"of the table above, where the vectors are word2vec, our BiLSTM's are {more[0]} and {more[1]}."
    )


def of_average(real: pd.DataFrame) -> str:
    """Why Average's τ is what it is; empty unless it is the highest."""
    if real.loc[real["gradient"].idxmax(), "encoder"] != LABELS["average"]:
        return ""
    return f"{LABELS['average']}'s is partly built in: its gradient contains attention."


def of_this_run(run, overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """How far this model's attention ranks words as importance does; empty where no text has a τ.

    others: `correlation.other_seeds_found`'s; with it, means over the seeds.
    """
    known = [tau for tau in ("tau_gradient", "tau_loo") if tau in overall.index and defined(overall, tau)]
    if not known:
        return ""
    found = {tau: of_seeds(overall, others, tau) for tau in known}
    parts = [f"{with_range(found[tau])} with {with_article(of_attention()[tau])}" for tau in known]
    how = agrees(how_far(*[values.mean() for values in found.values()]))
    texts = max(int(overall.loc[tau, "n"] - overall.loc[tau, "undefined"]) for tau in known)
    seeds = len(found[known[0]])
    whose = counted(seeds, "seed") if seeds > 1 else f"seed {run.params.seed}"
    return (
        f"On {inert(run.params.corpus)} ({LABELS[run.params.encoder]}, {whose}, {counted(texts)}) attention "
        f"{how} with importance: its mean τ is {listed(parts)}."
    )


def defined(overall: pd.DataFrame, measure: str) -> bool:
    """Whether any text has it."""
    return bool(overall.loc[measure, "undefined"] < overall.loc[measure, "n"])


def called(name: str) -> str:
    """A ranking's label."""
    return rankings.compared()[name].label


def with_article(label: str) -> str:
    """A ranking's label as a sentence has it: the gradient, but attention."""
    return f"the {label}" if label == "gradient" else label


def ranked_some(ranked: dict[str, dict], texts: int) -> str:
    """Which rankings order the words of some texts alone; empty if all have all."""
    some = {name: len(own) for name, own in ranked.items() if len(own) < texts}
    if not some:
        return ""
    return (
        f"{listed([called(name) for name in some]).capitalize()}: computed for only {min(some.values()):,} "
        f"of the {texts:,} texts, evenly spaced (`ranked_texts`), and each τ is of those."
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
        "Ranked first: " + "; ".join(f"{word} by {listed(names)}" for word, names in firsts.items()) + ".",
    ]


def one_of_many(kinds: dict[str, np.ndarray], table: pd.DataFrame) -> str:
    """How usual this text's two τ are among the run's texts; empty where too few texts have them.

    table: a row a text, with its τ.
    """
    parts = []
    for name in ("gradient", "loo"):
        tau, taus = _counted_pairs(kinds, name)[0], table[f"tau_{name}"].dropna()
        if np.isnan(tau) or len(taus) < FEW:
            continue
        lower = (taus < tau).mean()
        above, below = max((taus >= tau).mean(), 1 / len(taus)), max((taus <= tau).mean(), 1 / len(taus))
        where = f"highest {above:.0%}" if lower >= 0.5 else f"lowest {below:.0%}"
        parts.append(
            f"{signed(taus.mean())} with {with_article(called(name))} (this text is among the {where})"
        )
    if not parts:
        return ""
    return f"But one text is one text. Over the {len(table)} texts of this run the mean τ is {listed(parts)}."


def same_first(ranked: dict[str, dict]) -> str:
    """In how many texts two of FINDERS put the same word first; empty where no text is ranked by all.

    Of words that share the first place either may be the first. ranked: by ranking, then by text.
    """
    own = [ranked[name] for name in FINDERS]
    texts = [name for name in own[0] if all(name in other for other in own) and len(own[0][name]) > 1]
    if not texts:
        return ""
    parts = []
    for first, second in itertools.combinations(FINDERS, 2):
        alike = []
        for name in texts:
            a, b = (_firsts(ranked[one][name]) for one in (first, second))
            alike.append((a & b).sum() / (a.sum() * b.sum()))
        parts.append(f"{np.mean(alike):.0%} ({called(first)} and {called(second)})")
    chance = np.mean([1 / len(own[0][name]) for name in texts])
    return (
        "τ counts the pairs of unimportant words, too. In this run two rankings put the same word first in "
        f"{listed(parts)} of {counted(len(texts))}; by chance it is {chance:.0%}."
    )


def _firsts(scores: np.ndarray) -> np.ndarray:
    """Which words have the highest number, to nine digits."""
    scores = significant_digits(scores)
    return scores == scores.max()


def first_text(kinds: dict[str, np.ndarray]) -> str:
    """The finding of the figure of one text: how many pairs of its words attention orders as the others do.

    Raises AssertionError if, without ties, that doesn't give τ.
    """
    parts = []
    for name in ("gradient", "loo"):
        tau, same, _, pairs = _counted_pairs(kinds, name)
        if not np.isnan(tau):
            of = "" if parts else f" of {counted(pairs, 'pair')} of words"
            parts.append(f"{same}{of} as {with_article(called(name))} does (τ\u00a0=\u00a0{signed(tau)})")
    if not parts:
        return f"Nothing to compare in this text: {NO_ORDER}"
    return f"One text: attention orders {listed(parts)}"


def _counted_pairs(kinds: dict[str, np.ndarray], name: str) -> tuple[float, int, int, int]:
    """τ of attention and another ranking; their pairs of words in the same order, in opposite orders, all."""
    a, b = kinds[called("attention")], kinds[called(name)]
    tau, _ = kendall(a, b)
    i, j = np.triu_indices(len(a), 1)
    order = np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
    if len({*a}) == len({*b}) == len(a) and min(np.ptp(a), np.ptp(b)) > 1e-6:
        assert abs(order.mean() - tau) < 0.05, "τ isn't what counting the pairs gives"
    return tau, int((order > 0).sum()), int((order < 0).sum()), len(i)


def mean_taus(overall: pd.DataFrame, labels: dict[str, str]) -> str:
    """Attention's mean τ with each ranking, as the finding of a figure.

    overall: the summary's rows of all texts, by measure; labels: of the rankings, by their τ's column.
    """
    known = [tau for tau in labels if tau in overall.index and defined(overall, tau)]
    if not known:
        return NO_TAU
    means = [f"{signed(overall.loc[tau, 'mean'])} with {with_article(labels[tau])}" for tau in known]
    return f"In this run attention's mean τ is {listed(means)}"


def most_alike(overall: pd.DataFrame) -> str:
    """Which two rankings agree most, and which least: the finding of the figure of all pairs."""
    means = overall["mean"].reindex([*PAIRS]).dropna()
    if means.empty:
        return NO_TAU
    most, least = (
        f"{' and '.join(called(name) for name in PAIRS[tau])} (mean τ {signed(means[tau])})"
        for tau in (means.idxmax(), means.idxmin())
    )
    if len(means) == 1:
        return f"One pair is drawn: {most}"
    return f"Of the {len(means)} pairs drawn {most} agree most, {least} least"


def not_drawn() -> str:
    """The pairs of compared rankings whose τ isn't computed, and why; empty if there are none."""
    names = [*rankings.compared()]
    known = {frozenset(pair) for pair in PAIRS.values()}
    missing = [
        f"{called(first)} with {called(second)}"
        for place, second in enumerate(names)
        for first in names[:place]
        if frozenset((first, second)) not in known
    ]
    if not missing:
        return ""
    return (
        f"Not drawn: {listed(missing)}. Later measures are compared with attention, the gradient and "
        "leave-one-out, not with one another."
    )


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
            f"In this run's {label} a state depends on other words, too. Attention still enters both "
            "measures, but the gradient of a word is no longer its weight times something of that word "
            "alone; so less agreement is built in."
        )
    errors: list[float] = []
    for row in (one for one in evidence if one.id in loo):
        left = row.attention[row.real] < 1  # where one word has all of it, nothing is left without
        w, r = row.attention[row.real][left, None], row.values[row.real][left]
        contexts = (row.attention @ row.values - w * r) / (1 - w)
        formula = tvd(row.head.probs(contexts, row.shift, row.allowed), row.prediction)
        errors += np.abs(formula - loo[row.id][left]).tolist()
    if not errors:
        return f"This run is such a model ({label}), but its texts have no word that can be left out."
    assert max(errors) < 1e-6, "leave-one-out isn't what the formula gives"
    return f"This run is such a model ({label}): the formula gives each Δŷ to within {max(errors):.0e}."


def deciding_share(evidence: Evidence) -> float | None:
    """The share of a text's words that decide its label, mean over texts; None where nobody knows them."""
    found = [one.truth[one.real].mean() for one in evidence if one.truth is not None and one.truth.any()]
    return float(np.mean(found)) if found else None


def by_auroc(overall: pd.DataFrame) -> list[str]:
    """The rankings whose AUROC is known, the best first."""
    names = [name for name in rankings.compared() if f"auroc_{name}" in overall.index]
    means = {name: overall.loc[f"auroc_{name}", "mean"] for name in names}
    return sorted((name for name in names if not np.isnan(means[name])), key=lambda name: -means[name])


def finders(overall: pd.DataFrame) -> list[str]:
    """Those of FINDERS whose AUROC is known, the best first."""
    return [name for name in by_auroc(overall) if name in FINDERS]


def finds(run, overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """Which of the three rankings finds the deciding words best and which worst: the figure's finding."""
    if not finders(overall):
        return "No text has a deciding word among others"
    model = f"{text_for(run.params.corpus, 'figure')}, {LABELS[run.params.encoder]}"
    best, when = best_and_worst(overall, others)[0], f"{model}: {over(others).lower()}"
    if names := all_alike(overall, others):
        return f"{when} {names} the deciding words equally well (mean AUROC {best[1]:.2f})"
    return (
        f"{when} {best[0]} finds the deciding words best (mean AUROC {best[1]:.2f}), "
        f"{less_well(overall, others)}"
    )


def found_short(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """`finds` in the chapter's answer, where the words were named."""
    best, when = best_and_worst(overall, others)[0], over(others).lower()
    auroc = f"[AUROC](glossary.md#auroc-of-the-truth) {best[1]:.2f}"
    if names := all_alike(overall, others):
        return f"{names} them equally well {when} ({auroc}; chance: 0.50)"
    worse = less_well(overall, others, "; chance: 0.50")
    return f"{best[0]} finds them best {when} ({auroc}), {worse}"


def all_alike(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """`attention and the gradient find`, if all rankings' AUROC reads the same; else empty."""
    best, worst = best_and_worst(overall, others)
    if f"{best[1]:.2f}" != f"{worst[1]:.2f}":
        return ""
    names = [with_article(called(name)) for name in FINDERS if name in finders(overall)]
    return f"{listed(names)} {'find' if len(names) > 1 else 'finds'}"


def less_well(overall: pd.DataFrame, others: pd.DataFrame, chance: str = "") -> str:
    """What finds the deciding words worst; the last two, if not in every seed the same one is worse.

    chance: what to add to the last number.
    """
    worst = best_and_worst(overall, others)[1]
    last = f"{worst[1]:.2f}{chance}"
    if second := not_surely_better(overall, others):
        mean = auroc_of(overall, others, second).mean()
        return f"{with_article(called(second))} ({mean:.2f}) and {worst[0]} ({last}) less well"
    return f"{worst[0]} worst ({last})"


def not_surely_better(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """The last ranking but one, if in some seed its AUROC isn't above the last one's; else empty."""
    if others.empty:
        return ""
    order = sorted(finders(overall), key=lambda name: auroc_of(overall, others, name).mean())
    if len(order) < 3:
        return ""
    worst, second = (auroc_of(overall, others, name) for name in order[:2])
    return order[1] if (second <= worst).any() else ""


def over(others: pd.DataFrame) -> str:
    """Over how many seeds a mean is, this run's among them."""
    return f"Over {len(others) + 1} seeds" if len(others) else "In this seed"


def best_and_worst(overall: pd.DataFrame, others: pd.DataFrame) -> list[tuple[str, float]]:
    """What finds the deciding words best and what worst, each with its mean AUROC; one at least has one."""
    means = {name: auroc_of(overall, others, name).mean() for name in finders(overall)}
    return [
        (with_article(called(name)), means[name])
        for name in (max(means, key=means.get), min(means, key=means.get))
    ]


def of_seeds(overall: pd.DataFrame, others: pd.DataFrame, measure: str) -> np.ndarray:
    """A measure's mean of this seed and of the others."""
    return np.array([overall.loc[measure, "mean"], *others.get(measure, [])])


def auroc_of(overall: pd.DataFrame, others: pd.DataFrame, name: str) -> np.ndarray:
    """A ranking's AUROC of this seed and of the others."""
    return of_seeds(overall, others, f"auroc_{name}")


def seeds_found(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """AUROC over seeds, this run's among them, and whose depends most on the seed."""
    if others.empty:
        return "This is one seed: another may give another order."
    found = {name: auroc_of(overall, others, name) for name in FINDERS}
    parts = [f"{with_range(values)} for {with_article(called(name))}" for name, values in found.items()]
    widest = max(FINDERS, key=lambda name: np.ptp(found[name]))
    said = (
        f"{over(others)} the mean AUROC is {listed(parts)}. In brackets is the range over the seeds; it is "
        f"widest for {with_article(called(widest))}."
    )
    if second := not_surely_better(overall, others):
        worst = min(finders(overall), key=lambda name: found[name].mean())
        more = found[second] - found[worst]
        said += (
            f" Seed by seed {with_article(called(second))} has {signed(more.mean())} more than "
            f"{with_article(called(worst))} ({signed(more.min())} to {signed(more.max())}), so neither is "
            "surely worse."
        )
    return said


def right_without_agreement(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """That a ranking finds the deciding words though another disagrees with it; empty where none does so.

    Of gradient and leave-one-out: the paper infers from their agreement that neither is noise.
    """
    names = [name for name in finders(overall) if name != "attention"]
    if len(names) < 2 or not defined(overall, "tau_gradient_loo"):
        return ""
    means = {name: auroc_of(overall, others, name).mean() for name in names}
    best, tau = max(means, key=means.get), of_seeds(overall, others, "tau_gradient_loo").mean()
    if tau >= LITTLE or means[best] < WELL:
        return ""
    return (
        f"Rankings that disagree needn't be noise: {over(others).lower()} gradient and leave-one-out agree "
        f"little (mean τ {signed(tau)}), yet {with_article(called(best))} has a mean AUROC of "
        f"{means[best]:.2f}."
    )


def with_later_measures(overall: pd.DataFrame) -> str:
    """How the later rankings find the deciding words in this run, beside leave-one-out; empty without any."""
    names = [name for name in by_auroc(overall) if name not in FINDERS]
    if not names or "loo" not in finders(overall):
        return ""

    def numbers(name: str) -> str:
        auroc, precision = (overall.loc[f"{kind}_{name}", "mean"] for kind in ("auroc", "precision"))
        return f"{auroc:.2f} and {precision:.2f} for {with_article(called(name))}"

    said = (
        "In finding the deciding words of this run, AUROC and precision are "
        f"{listed([numbers(name) for name in (*names, 'loo')])}."
    )
    first, second, *_ = by_auroc(overall)
    if f"{overall.loc[f'auroc_{first}', 'mean']:.2f}" == f"{overall.loc[f'auroc_{second}', 'mean']:.2f}":
        return said
    return f"{said} By AUROC, {with_article(called(first))} is best of all rankings here."


def missed(evidence: Evidence) -> float:
    """How often a deciding word that isn't at attention's top has more than another such word.

    The top are as many words as decide. Mean over texts, 0.5 by chance; NaN where no text has both.
    """
    found = []
    for row in evidence:
        if row.truth is None:
            continue
        weights, decides = row.attention[row.real], row.truth[row.real]
        below = np.ones(len(weights), bool)
        below[np.argsort(-weights, kind="stable")[: decides.sum()]] = False
        ours, others = weights[below & decides], weights[below & ~decides]
        if decides.any() and len(ours) and len(others):
            more = np.sign(ours[:, None] - others)
            found.append((more.mean() + 1) / 2)
    return float(np.mean(found)) if found else np.nan


def unattended(evidence: Evidence) -> list[str]:
    """Deciding words with less than UNSEEN of an even share of attention; of those in FEW places or more."""
    found: dict[str, list[float]] = {}
    for row in evidence:
        if row.truth is None:
            continue
        weights, decides = row.attention[row.real], row.truth[row.real]
        for word, weight, one in zip(real_words(row), weights * len(weights), decides, strict=True):
            if one:
                found.setdefault(word, []).append(weight)
    means = {word: np.mean(own) for word, own in found.items() if len(own) >= FEW}
    return sorted((word for word, mean in means.items() if mean < UNSEEN), key=means.get)


def top_and_rest(
    overall: pd.DataFrame, share: float, below: float, others: pd.DataFrame, unseen: Sequence[str] = ()
) -> str:
    """What attention's AUROC and its precision say together. below: `missed`'s; unseen: `unattended`'s."""
    auroc, precision = (overall.loc[f"{kind}_attention", "mean"] for kind in ("auroc", "precision"))
    if np.isnan([auroc, precision]).any():
        return ""
    lowest = len(others) and auroc <= auroc_of(overall, others, "attention").min()
    least = f", the lowest of the {len(others) + 1} seeds," if lowest else ""
    said = (
        f"In this run attention has an AUROC of {auroc:.2f} (chance: 0.50){least} and a precision of "
        f"{precision:.2f} (chance: {share:.2f})."
    )
    if auroc < 0.6 and precision > share + 0.1 and below < 0.5:
        low = "even less" if below < 0.45 else "no more"
        said += (
            " An AUROC near chance and a precision above chance are compatible: the words at the top of "
            "attention decide more often than by chance, but below the top the deciding words get "
            f"{low} attention than the others. (Of two such words, one of which decides, that one has more "
            f"in {below:.0%} of the cases; chance: 50%.)"
        )
        if unseen:
            names = listed([f"“{inert(word)}”" for word in unseen[:5]])
            said += f" Hardly any attention, under {UNSEEN:g} of an even share, falls on {names}."
    return said


def on_real_text() -> pd.DataFrame:
    """`by_model` of the carried runs on SST, profile `paper`."""
    return by_model(verdict.plain(verdict.committed()).query("profile == 'paper'"))


def with_general_vectors() -> pd.DataFrame:
    """`by_model` of our models nearest to how the published numbers were made."""
    return by_model(near_the_paper())


def by_model(rows: pd.DataFrame) -> pd.DataFrame:
    """A row an encoder, profile and kind of vectors: its τ on SST, means over the seeds.

    loo and gradient are attention's; more_loo and more_gradient are by how much gradient and leave-one-out
    agree more. The columns that end in _seeds hold the seeds' numbers.
    """
    rows = rows.query("corpus == 'sst' and attention == 'additive' and `class` == 'overall'")
    measures = {"gradient": "tau_gradient", "loo": "tau_loo", "both": "tau_gradient_loo"}
    measures |= {f"more_{of}": name for of, name in MORE.items()}
    found = []
    for (profile, vectors), model in rows.groupby(["profile", "vectors"], sort=False):
        for name, label in LABELS.items():
            own = model[model["encoder"] == name].set_index("measure")
            if {*measures.values()} <= {*own.index}:
                of = {short: own.loc[[measure], "mean"] for short, measure in measures.items()}
                row = {"encoder": label, "profile": profile, "vectors": word_lengths.vectors_called(vectors)}
                row |= {"texts": int(own["n"].max()), "seeds": len(of["gradient"])}
                row |= {short: values.mean() for short, values in of.items()}
                found.append(row | {f"{short}_seeds": [*values] for short, values in of.items()})
    columns = ["encoder", "profile", "vectors", "texts", "seeds", *measures]
    return pd.DataFrame(found, columns=[*columns, *[f"{short}_seeds" for short in measures]])


def models(real: pd.DataFrame) -> pd.DataFrame:
    """real, of profile `paper`, and `paper2019`'s models with general vectors."""
    return pd.concat([real, with_general_vectors()], ignore_index=True)


def contrasts(rows: pd.DataFrame) -> pd.DataFrame:
    """The paper's contrast in each of `models`, with its range over the seeds."""
    names = ["encoder", "profile", "vectors"]
    columns = {
        "τ(gradient, LOO)": "both",
        "minus τ(attention, LOO)": "more_loo",
        "minus τ(attention, gradient)": "more_gradient",
    }
    found = [
        [*[own[name] for name in names], *[with_range(own[f"{of}_seeds"]) for of in columns.values()]]
        for own in rows.to_dict("records")
    ]
    return pd.DataFrame(found, columns=[*names, *columns]).assign(seeds=[*rows["seeds"]])


def of_texts(real: pd.DataFrame) -> str:
    """How many texts and seeds the numbers of real text are of. real: a row at least."""
    return f"{real['texts'].max():,} test texts, {counted(int(real['seeds'].max()), 'seed')}"


def has_contrast(row: dict) -> bool:
    """Whether in every seed gradient and leave-one-out agree more with each other than with attention."""
    return min([*row["more_loo_seeds"], *row["more_gradient_seeds"]]) > 0


def as_large(row: dict) -> bool:
    """Whether by as much as in the paper's BiLSTM, in the mean."""
    return all(row[f"more_{of}"] >= least for of, least in REPORTED.items())


def contrast_by_model(rows: pd.DataFrame) -> str:
    """Which of `models` show the paper's contrast on SST as large as the paper's mean, which less of it."""
    if rows.empty:
        return ""
    sizes: dict[str, list[dict]] = {"large": [], "near": [], "small": [], "none": []}
    for row in rows.to_dict("records"):
        sizes[_size(row)].append(row)
    large, near, small, none = sizes.values()
    said = ["None of these shows a contrast as large as the paper's mean."]
    if large:
        only = "Only " if len(large) < len(rows) else ""
        shows = "shows" if len(large) == 1 else "show"
        names = f"{only}{_named(large)} {shows} a contrast as large as the paper's mean."
        said = [f"{names[0].upper()}{names[1:]}"]
    if near:
        names = f"{_named(near)} {'comes' if len(near) == 1 else 'come'} near (within {NEAR:g})."
        said.append(f"{names[0].upper()}{names[1:]}")
    rest = []
    if small:
        rest.append(f"in {counted(len(small), 'model')} it is smaller, but above 0 in every seed")
    if none:
        rest.append(f"in {counted(len(none), 'model')} it isn't above 0 in every seed")
    if rest:
        names = f"{'; '.join(rest)}."
        said.append(f"{names[0].upper()}{names[1:]}")
    return " ".join(said)


def lowest(real: pd.DataFrame) -> str:
    """Which encoder's attention agrees least with importance; empty of one alone or where two differ."""
    least = {real.loc[real[of].idxmin(), "encoder"] for of in ("gradient", "loo")} if len(real) > 1 else {}
    if len(least) != 1:
        return ""
    return f"Why attention's τ is lowest in {_the(least.pop())}, this chapter doesn't measure."


def _size(row: dict) -> str:
    """How large a model's contrast is beside that of the paper's BiLSTM, in the mean over seeds."""
    if not has_contrast(row):
        return "none"
    if as_large(row):
        return "large"
    near = all(row[f"more_{of}"] >= paper - NEAR for of, paper in REPORTED.items())
    return "near" if near else "small"


def _named(rows: list[dict]) -> str:
    """These models in a sentence."""
    return listed([f"{_the(row['encoder'])} with {row['vectors']} (`{row['profile']}`)" for row in rows])


def _the(label: str) -> str:
    """An encoder's label as a sentence has it."""
    return label if label == LABELS["average"] else f"the {label}"


def under_two_profiles(real: pd.DataFrame, lengths: pd.DataFrame) -> str:
    """How far our own vectors' τ(gradient, LOO) differs between the rescaled runs' profile and `paper`.

    real: `on_real_text`'s; lengths: `word_lengths.usual`; empty where nothing is in both.
    """
    own = lengths[(lengths["corpus"] == "sst") & (lengths["vectors"] == OURS)]
    own = own[own["vectors_scale"] == 1]
    there = own.groupby("encoder")["tau_gradient_loo"].mean().rename(LABELS)
    here = real.set_index("encoder")["both"]
    shared = [name for name in LABELS.values() if name in there.index and name in here.index]
    if not shared:
        return ""
    apart = [name for name in shared if abs(there[name] - here[name]) > word_lengths.STILL]
    said = (
        f"The runs with rescaled vectors follow another protocol ({word_lengths.whose(own)}) than `paper`. "
        f"With {OF_VECTORS[OURS]} as it comes τ(gradient, LOO) is "
        f"{listed([f'{signed(there[name])} ({name})' for name in shared])} in these runs, "
        f"{listed([signed(here[name]) for name in shared])} under `paper`."
    )
    if not apart:
        return said
    more = ""
    if LABELS["average"] in apart:
        more = f" In `paper` {LABELS['average']}'s states have a ReLU, here a tanh, which saturates."
    return (
        f"{said} So in {listed(apart)} the protocol matters, too.{more} Which of the settings matters isn't "
        "measured."
    )


def spread_on_real_text() -> Numbers:
    """The bins of the paper's Figure 2 with general vectors, over both classes; empty if not committed."""
    path = paths.DATA / "results" / "figures" / f"{GENERAL}.csv"
    found: Numbers = {}
    for (panel, _, quantity), texts in (read(path) if path.exists() else {}).items():
        key = panel, "overall", quantity
        found[key] = found.get(key, 0) + texts
    return found


def histograms() -> str:
    """The finding above the paper's Figure 2 with general vectors (GENERAL); empty without its runs."""
    own = near_the_paper().query("measure == 'tau_gradient'")
    firsts = own.sort_values("seed").drop_duplicates("encoder").set_index("encoder")["mean"]
    parts = [f"{firsts[name]:.2f} ({label})" for name, label in LABELS.items() if name in firsts]
    return (
        f"On SST attention's mean τ with the gradient is {listed(parts)} in these models, one seed each"
        if parts
        else ""
    )


def near_the_paper() -> pd.DataFrame:
    """Our rows of SST that come nearest to how the published numbers were made: `paper2019` with spaCy's
    vectors; over all texts."""
    rows = verdict.committed()
    return rows[
        (rows["corpus"] == "sst")
        & (rows["attention"] == "additive")
        & (rows["profile"] == "paper2019")
        & (rows["given"] == f"vectors={GIVEN}")
        & (rows["class"] == "overall")
    ]


def three_pairs(rows: pd.DataFrame) -> str:
    """The finding of the figure of three τ on real text. rows: `models`'; empty without any."""
    if rows.empty:
        return ""
    parts = [
        f"{_from_to([*own['gradient'], *own['loo']])} ({label})"
        for label in LABELS.values()
        if len(own := rows[rows["encoder"] == label])
    ]
    return (
        f"On SST attention {agrees(how_far(*rows['gradient'], *rows['loo']))} with importance: mean τ with "
        f"either measure is {listed(parts)}"
    )


def beside_the_paper() -> pd.DataFrame:
    """Table 2's means for SST, by predicted class, and ours of all texts under two protocols."""
    names = {"tau_gradient": "gradient", "tau_loo": "LOO"}

    def named(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(encoder=rows["encoder"].map(LABELS), measure=rows["measure"].map(names))

    reported = verdict.published().query(
        "corpus == 'sst' and source == 'paper' and statistic == 'mean' and `class` != 'overall'"
    )
    reported = named(reported.assign(**{"class": reported["class"].map({"0": "negative", "1": "positive"})}))
    wide = reported.pivot(index=["encoder", "measure"], columns="class", values="reported")
    wide = wide.rename(columns=lambda name: f"{PAPER}{name}")
    ours = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and attention == 'additive' and `class` == 'overall'"
    )
    for whose in ("paper2019", "paper"):
        own = named(ours[ours["profile"] == whose])
        wide[f"ours: {whose}, word2vec"] = own.groupby(["encoder", "measure"])["mean"].mean()
    near = near_the_paper()
    near = named(near[near["measure"].isin([*names])])
    wide["ours: paper2019, spaCy's vectors"] = near.groupby(["encoder", "measure"])["mean"].mean()
    return wide.reset_index().rename(columns={"measure": "attention and"}).rename_axis(columns=None)


def below_the_paper(wide: pd.DataFrame) -> str:
    """How many of our means are lower than both of the paper's. wide: `beside_the_paper`'s."""
    least = wide.filter(like=PAPER).min(axis=1)
    ours = wide.filter(like="ours: ")
    if (ours.lt(least, axis=0) | ours.isna()).all(axis=None):
        return "All our means lie below both of the paper's."
    lower = {whose: int((wide[f"ours: {whose}, word2vec"] < least).sum()) for whose in ("paper2019", "paper")}
    return (
        f"With word2vec {lower['paper2019']} of our {counted(len(wide), 'mean')} under `paper2019` and "
        f"{lower['paper']} under `paper` lie below both of the paper's."
    )


def nearer_with_general_vectors(wide: pd.DataFrame) -> str:
    """How far our means are from the paper's, by protocol and vectors. wide: `beside_the_paper`'s.

    Distances are to the mean of the paper's two numbers.
    """
    paper = wide.filter(like=PAPER).mean(axis=1)
    columns = ("ours: paper, word2vec", "ours: paper2019, word2vec", "ours: paper2019, spaCy's vectors")
    apart = pd.DataFrame({name: (wide[name] - paper).abs() for name in columns}).dropna()
    if apart.empty:
        return ""
    usual, published, general = apart.mean()
    return (
        f"Our means with word2vec are on average {published:.2f} from the published ones under `paper2019` "
        f"and {usual:.2f} under `paper`. With general pretrained vectors, as the paper's were, `paper2019` "
        f"is {general:.2f} from them (spaCy's; the paper's own were others). The rest is unexplained "
        "([chapter 12](12_verdict.ipynb))."
    )


def needed(table: pd.DataFrame, level: float) -> str:
    """How often attention's two τ are significant: the figure's finding."""
    parts = []
    for name in ("gradient", "loo"):
        own = table.dropna(subset=[f"tau_{name}"])
        if len(own):
            share = (own[f"p_tau_{name}"] <= level).mean()
            of = "" if parts else f" of {counted(len(own))}"
            parts.append(f"{share:.0%}{of} ({called(name)})")
    return f"Attention's τ is significant in {listed(parts)}; in a longer text a smaller τ suffices"


def significant_elsewhere() -> str:
    """On how many corpora and profiles longer texts are significant more often; empty without any.

    As the figure of the paper's claims counts it: by an interval over seeds, without Holm's correction.
    """
    rows = verdict.committed()
    found = claims.table(rows[rows["encoder"] == "bilstm"])
    own = found[found["claim"] == claims.LONGER]
    if own.empty:
        return ""
    holds = own["holds"].value_counts()
    yes, no = (int(holds.get(name, 0)) for name in ("yes", "no"))
    how = "No: in none"
    if yes:
        often = "Yes" if yes == len(own) else "Yes, usually" if yes > len(own) / 2 else "Not always"
        how = f"{often}: in {yes}"
    rest = "; the rest is undecided or has one seed" if yes + no < len(own) else ""
    return (
        f"{how} of {counted(len(own), 'combination')} of corpus and profile p falls with length in the "
        "BiLSTM's stored runs (its rank correlation with length is below 0, and so is the 95% interval over "
        f"seeds); it rises in {no or 'none'}{rest} (chapter 12)."
    )


def answer(
    run, overall: pd.DataFrame, real: pd.DataFrame, share: float | None, others: pd.DataFrame
) -> list[str]:
    """The chapter's question, answered on real text and then for this run.

    real: `on_real_text`'s; others: `correlation.other_seeds_found`'s.
    """
    said = []
    if len(real):
        how = how_far(*real["gradient"], *real["loo"]).capitalize()
        at = (real["gradient"] + real["loo"]).sort_values().index
        order = [_the(label) for label in real.loc[at, "encoder"]]
        said.append(
            f"{how}, and it depends on the encoder: on SST most in {order[-1]}, least in {order[0]}."
            if len(order) > 1
            else f"{how} (SST, {order[0]})."
        )
    if own := of_this_run(run, overall, others):
        said.append(own)
    if share is not None and finders(overall):
        made = word_lengths.usual(word_lengths.carried(made=True))
        said += filter(None, [word_lengths.best_changes(word_lengths.trained(word_lengths.learnt(made)))])
    if not said:
        return [NO_TAU]
    return [
        *said,
        what_follows(overall, real),
        "How far gradient and leave-one-out agree with each other doesn't settle it either: in the BiLSTM on "
        "SST that depends on the norm of the word vectors.",
        "This chapter can't show that a word “matters” by what changes without it.",
    ]
