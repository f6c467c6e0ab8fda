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
from heed.show.figures.correlation import PAIR_OF, TESTED
from heed.show.figures.numbers import Numbers, names_of, read
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, quoted, signed, with_range
from heed.show.style import LABELS, OF_VECTORS
from heed.show.words import text_for
from heed.verdict import claims, paper_tests

MORE = {of: f"tau_gradient_loo_minus_attention_{of}" for of in ("loo", "gradient")}
FINDERS = ("attention", "gradient", "loo")  # the rankings that other seeds' models are asked for, too
PAPER = "J&W: "  # a column of published numbers
# By how much more, in the paper, its BiLSTM's gradient and leave-one-out agree than attention with either.
REPORTED = {"loo": 0.2, "gradient": 0.25}
FAR = 0.1  # of τ: what lies no further from the paper's numbers is near them
IN_TABLES = {"tau_gradient": "gradient", "tau_loo": "LOO"}  # what tables call attention's τ
OURS, GIVEN = "word2vec", "en_core_web_md"  # vectors of SST's models: trained on the texts; general ones
PART = " (part)"  # after the name of a corpus of whose texts a part was used
GENERAL = "sst-additive-paper2019_with_en_core_web_md-correlation"  # the paper's Figure 2, nearest to it
NO_ORDER = "one of the two puts no word before another"
WELL = 0.8  # an AUROC from which on a ranking finds the deciding words well
HARDLY, MOSTLY = 0.2, 0.5  # a mean τ below which two rankings hardly agree; from which on mostly
SCALE = {"hardly": HARDLY, "in part": MOSTLY, "mostly": 1.0}  # words to where each ends
FEW = 20  # texts that a mean is said of
NO_TAU = "No text has a τ: a text of one word has none, nor has one that a ranking finds all alike."


def overall_of(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary's rows of all texts, by measure."""
    return summary[summary["class"] == "overall"].set_index("measure")


def of_attention() -> dict[str, str]:
    """The column of attention's τ with each ranking, to what the ranking is called."""
    labels = {name: own.label for name, own in rankings.compared().items()}
    return {tau: labels[second] for tau, (first, second) in PAIRS.items() if first == "attention"}


def in_short(
    run, overall: pd.DataFrame, real: pd.DataFrame, others: pd.DataFrame, readings: pd.DataFrame
) -> list[str]:
    """The chapter's answer.

    overall: `overall_of`'s; real: `on_real_text`'s; others: `correlation.other_seeds_found`'s; readings: as
    for `in_test_one`.
    """
    said = []
    if len(real):
        said += [of_real_text(real), test_one_short(readings), of_average(real)]
        said.append(mere_noise(models(real)))
    elif own := of_this_run(run, overall, others):
        said.append(own)
    if finders(overall):
        said.append(
            f"On *{inert(run.params.corpus)}* ({LABELS[run.params.encoder]}), a [made "
            f"corpus](glossary.md#made-corpora) whose deciding words we know, "
            f"{found_short(overall, others)}. "
            "These words decide the label; the model may use others."
        )
    return [*filter(None, said)] or [NO_TAU]


def by_contrast(rows: pd.DataFrame) -> tuple[list[dict], list[dict]]:
    """The BiLSTMs whose gradient and leave-one-out agree far better with each other than with attention, in
    every seed and by as much as the paper's; and the others. rows: `models`'.
    """
    own = rows[rows["encoder"] == LABELS["bilstm"]].to_dict("records")
    far = [has_contrast(row) and as_large(row) for row in own]
    return tuple(
        [row for row, is_far in zip(own, far, strict=True) if is_far == kind] for kind in (True, False)
    )


def mere_noise(rows: pd.DataFrame) -> str:
    """Whether a low τ may be noise, by the first figure's BiLSTMs; empty without any. rows: `models`'."""
    far, others = by_contrast(rows)
    noise = (
        "Is attention's low τ **only chance** order among words that hardly matter? Then gradient and "
        "leave-one-out should agree as poorly."
    )

    def told(of: list[dict]) -> str:
        return listed([f"{row['vectors']} (τ {signed(row['both'])})" for row in of])

    if far and others:
        return f"{noise} With {told(far)} they agree far better; with {told(others)} this stays open."
    if far:
        return f"{noise} But with {told(far)} they agree far better."
    return f"{noise} With {told(others)} they don't agree far better: it may be." if others else ""


def noise_answered(rows: pd.DataFrame) -> str:
    """The same after all is said, by vectors; empty without any. rows: `models`'."""
    far, others = ([row["vectors"] for row in own] for own in by_contrast(rows))
    if not far:
        noise = "On SST noise in the two measures may be why attention's τ is low: that isn't settled."
        return noise if others else ""
    said = f"On SST, with {listed(far)}, noise in the two measures isn't why attention's τ is low."
    return f"{said} With {listed(others)} it may be: that isn't settled." if others else said


def noise_by_vectors(rows: pd.DataFrame) -> str:
    """How far the pairs agree in the first figure's BiLSTMs, by their vectors; empty without any.

    rows: `models`'.
    """
    far, others = by_contrast(rows)
    said = [
        f"With {row['vectors']}, gradient and leave-one-out agree at τ {signed(row['both'])}. Attention's τ "
        f"is {signed(row['gradient'])} with the gradient and {signed(row['loo'])} with leave-one-out."
        for row in (*far, *others)
    ]
    if said:
        said.insert(0, "Look at the BiLSTMs of the first figure.")
    if far:
        vectors = listed([row["vectors"] for row in far])
        said.append(f"So with {vectors} noise can't be why attention agrees less.")
    return " ".join(said)


def main_row(real: pd.DataFrame) -> dict:
    """The BiLSTM's row of `on_real_text`'s, or else the first. real: a row at least."""
    own = real[real["encoder"] == LABELS["bilstm"]]
    return (own if len(own) else real).iloc[0].to_dict()


def how_far(*taus: float) -> str:
    """What a mean of these τ comes to, in words: the chapter's scale."""
    typical = np.mean(taus)
    return "hardly" if typical < HARDLY else "only in part" if typical < MOSTLY else "mostly"


def agrees(how: str) -> str:
    """What attention does, by `how_far`."""
    return f"agrees {how}" if how == "only in part" else f"{how} agrees"


def of_real_text(real: pd.DataFrame) -> str:
    """The chapter's answer on real text. real: not empty."""
    row = main_row(real)
    return (
        f"**{how_far(row['gradient'], row['loo']).capitalize()}.** On film reviews (SST, {row['encoder']}) "
        f"attention's mean τ is {signed(row['gradient'])} with the gradient and {signed(row['loo'])} with "
        f"leave-one-out{reported(row)}."
    )


def reported(row: dict) -> str:
    """The paper's τ with the gradient and with leave-one-out, for a sentence; empty unless it has both."""
    theirs = [reported_taus().get((row["encoder"], of)) for of in ("gradient", "loo")]
    if not all(theirs):
        return ""
    ends = [_from_to(taus).replace(" to ", "–") for taus in theirs]
    return f" (Jain & Wallace: {listed(ends)})"


def beyond(ours: float, theirs: Sequence[float]) -> float:
    """How far a number lies above the range of others, or below it; 0 inside."""
    return ours - np.clip(ours, min(theirs), max(theirs))


def reported_taus() -> dict[tuple[str, str], list[float]]:
    """The paper's mean τ on SST, of its two predicted classes: by encoder's label and `gradient` or `loo`."""
    wide = beside_the_paper()
    return {
        (row["encoder"], row["attention and"].lower()): [
            value for name, value in row.items() if name.startswith(PAPER) and not np.isnan(value)
        ]
        for row in wide.to_dict("records")
    }


def _from_to(values: Sequence[float]) -> str:
    """The lowest and the highest number, or the one."""
    low, high = signed(min(values)), signed(max(values))
    return low if low == high else f"{low} to {high}"


def _unbroken(values: Sequence[float]) -> str:
    """`_from_to` for a table's cell: on one line."""
    return _from_to(values).replace(" ", "\u00a0")


def by_corpus() -> pd.DataFrame:
    """The three τ on the real corpora, profile paper, means over the seeds; as the annex draws them.

    A row a corpus; columns by `(encoder, measure)`, `("", "seeds")` and, of the BiLSTM, with the ends of the
    seeds, `("min", measure)` and `("max", measure)`, and of the 95% interval over them, `("low", measure)`
    and `("high", measure)`. Models that only guess are NaN.
    """
    names = [*PAIR_OF]
    rows = annex.over_corpora(verdict.committed(), names, ["additive"])
    rows = rows[~rows["corpus"].isin(made_corpora())]
    wide = rows.pivot_table(index="corpus", columns=["encoder", "measure"], values="mean")
    for measure in names:
        own = rows[(rows["encoder"] == "bilstm") & (rows["measure"] == measure)].groupby("corpus")["mean"]
        for end in ("min", "max"):
            wide[end, measure] = own.agg(end)
        intervals = {name: claims.interval(taus, measure, False) for name, taus in own}
        for place, end in enumerate(("low", "high"), 1):
            wide[end, measure] = pd.Series({name: of[place] for name, of in intervals.items()}, dtype=float)
    wide["", "seeds"] = rows.groupby("corpus")["seed"].nunique()
    return wide


def corpora_beside_the_paper(wide: pd.DataFrame) -> pd.DataFrame:
    """`by_corpus`'s τ of the BiLSTM, where it has one, and the paper's by predicted class."""
    wide = (
        wide.dropna(subset=[("bilstm", "tau_gradient")]) if ("bilstm", "tau_gradient") in wide else wide[:0]
    )
    columns = [("corpus", [*wide.index]), ("seeds", [*wide["", "seeds"]])]
    for measure, called_ in IN_TABLES.items():
        ours = wide[[(of, measure) for of in ("bilstm", "min", "max")]].to_numpy()
        columns.append((f"ours: {called_}", [_with_ends(*of) for of in ours]))
        theirs = published_by_corpus(wide, measure)
        if any(map(len, theirs)):
            cells = [_unbroken(values) if len(values) else np.nan for values in theirs]
            columns.append((f"J&W: {called_}", cells))
    table = pd.DataFrame({i: values for i, (_, values) in enumerate(columns)})
    return table.set_axis([name for name, _ in columns], axis=1)


def _with_ends(mean: float, low: float, high: float) -> str:
    """A mean with its seeds' range, for a table's cell; of equal ends the mean alone."""
    ends = _unbroken([low, high])
    return f"{signed(mean)} ({ends})" if "to" in ends else signed(mean)


def published_by_corpus(wide: pd.DataFrame, measure: str) -> list[list[float]]:
    """The paper's τ of its BiLSTM by predicted class, a list a corpus of `by_corpus`'s."""
    paper = verdict.published().query("source == 'paper' and statistic == 'mean' and encoder == 'bilstm'")
    own = paper[paper["measure"] == measure]
    names = [name.removesuffix(PART) for name in wide.index]
    return [[*own.loc[own["corpus"] == name, "reported"].dropna()] for name in names]


def away_from_the_paper(wide: pd.DataFrame) -> dict[str, float]:
    """By how much our BiLSTM's τ lies above or below the paper's range, by corpus that has both.

    The larger of the two τ's distances, 0 inside the range. wide: `by_corpus`'s.
    """
    found: dict[str, float] = {}
    for measure in IN_TABLES:
        if ("bilstm", measure) in wide:
            ours = wide["bilstm", measure]
            for name, own, theirs in zip(wide.index, ours, published_by_corpus(wide, measure), strict=True):
                if theirs and not np.isnan(own):
                    found[name] = max(found.get(name, 0.0), beyond(own, theirs), key=abs)
    return found


def beside_the_papers_corpora(wide: pd.DataFrame) -> str:
    """On how many corpora our τ is near the paper's; empty where the paper has none. wide: `by_corpus`'s."""
    found = away_from_the_paper(wide)
    if not found:
        return ""
    near = sum(abs(off) <= FAR for off in found.values())
    corpora_ = "corpora" if len(found) > 1 else "corpus"
    on = f"{near or 'none'} of Jain & Wallace's {len(found)} {corpora_} here"
    return f"On {on} our mean τ is within {FAR:g} of theirs."


def far_from_the_paper(wide: pd.DataFrame) -> str:
    """On which corpora our BiLSTM's τ lies further than FAR from the paper's, and what is known of why.

    wide: `by_corpus`'s. Empty if it does on none.
    """
    said = []
    for name, off in away_from_the_paper(wide).items():
        if abs(off) > FAR:
            side = "higher" if off > 0 else "lower"
            why = "why isn't known"
            if (name, side) == ("20news", "higher"):
                more = "the authors' own code, too, gave us more than they report"
                why = f"{more} ([chapter 12](12_verdict.ipynb))"
            elif name.endswith(PART):
                why = "we used a part of its texts; whether that is why isn't known"
            said.append(f"On {inert(name.removesuffix(PART))} ours is {side}: {why}.")
    return " ".join(said)


CORPORA = {  # what the real corpora are
    "20news": "newsgroup posts",
    "ade": "medical reports",
    "agnews": "news",
    "babi1": "questions about stories",
    "babi2": "harder such questions",
    "imdb": "film reviews",
    "snli": "pairs of sentences",
    "sst": "sentences of film reviews",
}


def drawn_by_corpus(wide: pd.DataFrame, readings: pd.DataFrame) -> list[dict]:
    """What the figure of the corpora draws, an entry a corpus where our BiLSTM has a τ, the highest first.

    Its name, what it is and its seeds; for each of the three τ our mean, its seeds' ends and the paper's
    numbers, which it has of attention's alone; the interval that decides test 1, where there is one. wide:
    `by_corpus`'s; readings: as for `in_test_one`.
    """
    decided = in_test_one(readings).set_index("corpus")[["low", "high"]]
    theirs = {measure: published_by_corpus(wide, measure) for measure in IN_TABLES}
    rows = []
    for i, name in enumerate(wide.index):
        own = {
            measure: (
                [wide[of, measure].iloc[i] for of in ("bilstm", "min", "max")],
                theirs[measure][i] if measure in theirs else [],
            )
            for measure in PAIR_OF
            if ("bilstm", measure) in wide and not np.isnan(wide["bilstm", measure].iloc[i])
        }
        if own:
            what, seeds = CORPORA.get(name.removesuffix(PART), ""), int(wide["", "seeds"].iloc[i])
            row = {"name": name, "what": what, "seeds": seeds, "taus": own}
            rows.append(row | {"interval": [*decided.loc[name]] if name in decided.index else []})
    return sorted(rows, key=lambda row: -row["taus"].get("tau_loo", [[-1]])[0][0])


def how_modest(wide: pd.DataFrame) -> str:
    """From where to where our BiLSTM's τ goes over the corpora: the figure's finding; empty without any.

    wide: `by_corpus`'s.
    """
    known = [wide["bilstm", name].dropna() for name in IN_TABLES if ("bilstm", name) in wide]
    taus = [tau for own in known for tau in own]
    if not taus:
        return ""
    n, ends = len(known[0]), f"mean τ is {_from_to(taus)}"
    on = counted(n, "corpus", "corpora")
    if max(taus) < MOSTLY:
        return f"BiLSTM: attention's {ends} on {on}, nowhere {MOSTLY:g} or more"
    hows = [*dict.fromkeys([how_far(min(taus)), how_far(max(taus))])]
    how = agrees(hows[0]) if len(hows) == 1 else f"agrees {' to '.join(hows)}"
    return f"BiLSTM: on {on} attention {how}, its {ends}"


def with_each_other(wide: pd.DataFrame) -> str:
    """Whether the gradient itself would pass test 1 on the corpora, in our BiLSTM, and agrees better than
    attention with either; empty where that isn't known. wide: `by_corpus`'s.
    """
    taus = [("bilstm", name) for name in PAIR_OF]
    if not {*taus} <= {*wide.columns}:
        return ""
    own = wide[wide["", "seeds"] > 1].dropna(subset=taus)
    if own.empty:
        return ""
    both, border = own[taus[2]], TEST_ONE.border
    passes, fails = own["low", taus[2][1]] > border, own["high", taus[2][1]] <= border
    said = (
        f"The gradient's own mean τ with leave-one-out is {_from_to([*both])}. By test 1's rule (the 95% "
        f"interval over the seeds must lie above {border:g}) **the gradient itself passes on "
        f"{int(passes.sum()) or 'none'} of {len(own)}**"
    )
    left = [inert(name.removesuffix(PART)) for name in own.index[~passes & ~fails]]
    rest = [f"it fails on {int(fails.sum())}"] if fails.any() else []
    if left:
        rest.append(f"{listed(left)} {'is' if len(left) == 1 else 'are'} open")
    if rest:
        said += f": {'; '.join(rest)}"
    better = int((both > own[taus[:2]].max(axis=1)).sum())
    return (
        f"{said}. On {better or 'none'} of the {len(own)}, gradient and leave-one-out agree better with each "
        "other than attention does with either."
    )


def in_test_one(readings: pd.DataFrame) -> pd.DataFrame:
    """How our BiLSTM fares in the first page's test 1, a row a published corpus of several seeds; none where
    none is clear. readings: `verdict.paper_tests.readings`.
    """
    own = readings[(readings["test"] == TEST_ONE.text) & ~readings["corpus"].isin(made_corpora())]
    own = own[own["seeds"] > 1]
    return own[:0] if (own["reading"] == "open").all() else own


def test_one_short(readings: pd.DataFrame) -> str:
    """On how many corpora our BiLSTM fails or passes the first page's test 1; empty where none is clear.

    readings: as for `in_test_one`.
    """
    own = in_test_one(readings)
    n = own["reading"].value_counts()
    names = f"τ {TEST_ONE.border:g} with leave-one-out, our border (the first page's test 1),", "it"
    verbs = [(how, verb) for how, verb in (("no", "doesn't reach"), ("yes", "reaches")) if how in n]
    parts = [f"{verb} {name} on {n[how]}" for (how, verb), name in zip(verbs, names, strict=False)]
    of = counted(len(own), "published corpus", "published corpora")
    left = [inert(name.removesuffix(PART)) for name in own.loc[own["reading"] == "open", "corpus"]]
    more = f"; on {listed(left)} the seeds differ too much" if left else ""
    return f"A BiLSTM's attention {listed(parts)} of {of}{more}." if parts else ""


def test_one(readings: pd.DataFrame, wide: pd.DataFrame) -> str:
    """The same with the test's rule and the τ. readings: as for `in_test_one`; wide: `by_corpus`'s."""
    own = in_test_one(readings)
    rows = [(verbs, own[own["reading"] == how]) for how, verbs in SAYS.items()]
    parts = [f"{len(of)} {verbs[len(of) > 1]} (τ {_from_to(of['mean'])})" for verbs, of in rows if len(of)]
    if not parts:
        return ""
    left, why = own.loc[own["reading"] == "open", "corpus"], ""
    if len(left):
        whose = "Its" if len(left) == 1 else "Their"
        names = listed([inert(name.removesuffix(PART)) for name in left])
        why = f": {names}. {whose} seeds are few and differ much"
        seeds = wide.reindex(left)[[("min", TESTED), ("max", TESTED)]].dropna()
        if len(seeds):
            most = (seeds["max", TESTED] - seeds["min", TESTED]).idxmax()
            name = f"{inert(most.removesuffix(PART))}: " if len(left) > 1 else ""
            why += f" ({name}{_from_to([*seeds.loc[most]])})"
    return (
        "The first page's test 1 is of attention's mean τ with leave-one-out. A corpus passes if the whole "
        f"95% interval over seeds lies above {TEST_ONE.border:g}, fails if it lies below, and is otherwise "
        f"open. Of {counted(len(own), 'published corpus', 'published corpora')}, in the BiLSTM, "
        f"{listed(parts)}{why}."
    )


TEST_ONE = next(test for test in paper_tests.TESTS if test.of == TESTED)
# What a reading of a test is called, of one corpus and of several.
SAYS = {"no": ("fails", "fail"), "yes": ("passes", "pass"), "open": ("is open", "are open")}


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
        "The paper's numbers are means over corpora. Over "
        f"{counted(int(known.sum()), 'corpus', 'corpora')}, with word2vec, our BiLSTM's two differences are "
        f"{more[0]} and {more[1]}."
    )


def of_average(real: pd.DataFrame) -> str:
    """Why Average's τ is what it is; empty unless it is the highest of several."""
    label = LABELS["average"]
    if len(real) < 2 or real.loc[real["gradient"].idxmax(), "encoder"] != label:
        return ""
    loo = signed(real.loc[real["encoder"] == label, "loo"].iloc[0])
    return (
        f"**τ is higher in [{label}](glossary.md#encoder)** (SST: {loo} with leave-one-out), which reads "
        "each word alone. There both measures contain attention, so some agreement is "
        "[built in](#appendix-the-measures-in-formulas)."
    )


def of_this_run(run, overall: pd.DataFrame, others: pd.DataFrame, numbers: bool = True) -> str:
    """How far this model's attention ranks words as importance does; empty where no text has a τ.

    others: `correlation.other_seeds_found`'s; with it, means over the seeds. numbers: with the τ.
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
    said = (
        f"On {inert(run.params.corpus)} ({LABELS[run.params.encoder]}, {whose}, {counted(texts)}) attention "
        f"{how} with importance"
    )
    return f"{said}: its mean τ is {listed(parts)}." if numbers else f"{said}."


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


def real_words(row: Row) -> list[str]:
    """The words that attention is paid to."""
    return [word for word, is_real in zip(row.units, row.real, strict=True) if is_real]


def by_hand(kinds: dict[str, np.ndarray]) -> str:
    """What attention's τ with leave-one-out is counted from in one text, and its τ with the gradient; empty
    where it has none with leave-one-out.
    """
    tau, same, opposite, pairs = _counted_pairs(kinds, "loo")
    if np.isnan(tau):
        return ""
    said = (
        f"That is ({same} − {opposite}) / {pairs}: the pairs in the same order less those in opposite "
        "orders, of all pairs."
    )
    if same + opposite < pairs:
        said = f"In {pairs - same - opposite} of {pairs} pairs words tie; Kendall's τ corrects for that."
    other = _counted_pairs(kinds, "gradient")[0]
    return said if np.isnan(other) else f"{said} With the gradient attention's τ is {signed(other)}."


def typical(table: pd.DataFrame, several: np.ndarray) -> int:
    """Which text's two τ lie nearest to their means; the first of several where none has both.

    table: a row a text, with its τ; several: the places of texts to choose from, one at least.
    """
    taus = table[["tau_gradient", "tau_loo"]]
    off = (taus - taus.mean()).abs().max(axis=1, skipna=False).iloc[several]
    return int(several[0] if off.isna().all() else several[int(np.nanargmin(off))])


def in_the_middle(overall: pd.DataFrame, others: pd.DataFrame) -> int:
    """Which seed's two τ lie nearest to the seeds' means: 0 is this run's, 1 the first of the others.

    overall, others: as for `in_short`.
    """
    names = ["tau_gradient", "tau_loo"]
    if others.empty or not {*names} <= {*overall.index}:
        return 0
    seeds = pd.DataFrame({name: of_seeds(overall, others, name) for name in names})
    return typical(seeds, np.arange(len(seeds)))


def whose_text(run, row: Row, seeds: int) -> str:
    """A text with its label, and what the model that is shown says of it; which of so many seeds that is."""
    label = "" if row.label < 0 else f", labelled {inert(run.corpus.classes[row.label])}"
    shown, whose = row.shown, f", of {seeds} seeds the one in the middle" if seeds > 1 else ""
    return (
        f"{quoted(row.units)}{label}. The model, a {LABELS[run.params.encoder]} (seed {run.params.seed}"
        f"{whose}), says P({inert(run.corpus.classes[shown])}) = {row.prediction[shown]:.2f}."
    )


def one_of_many(table: pd.DataFrame, overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """The two mean τ over all texts and, where there are several, seeds; empty where too few texts have them.

    table: a row a text, with its τ in the model that is shown; overall, others: as for `in_short`.
    """
    parts, over = [], []
    for name in ("gradient", "loo"):
        taus = table[f"tau_{name}"].dropna()
        if len(taus) >= FEW:
            parts.append(f"{signed(taus.mean())} with {with_article(called(name))}")
            seeds = of_seeds(overall, others, f"tau_{name}")
            if len(seeds) > 1 and not np.isnan(seeds).any():
                over.append(with_range(seeds))
    if not parts:
        return ""
    said = f"Over this model's {len(table)} texts the mean τ is {listed(parts)}"
    if len(over) < len(parts):
        return f"{said}."
    return f"{said}; over {len(others) + 1} seeds, {listed(over)}."


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
    """The finding of the figure of one text: the shares of pairs of words that attention turns round.

    Raises AssertionError if, without ties, that doesn't give τ.
    """
    found = []
    for name in ("gradient", "loo"):
        tau, _, opposite, pairs = _counted_pairs(kinds, name)
        if not np.isnan(tau):
            found.append((f"{opposite / pairs:.0%}", with_article(called(name))))
    if not found:
        return f"Nothing to compare in this text: {NO_ORDER}"
    (first, name), *rest = found
    said = f"Attention orders {first} of this text's pairs of words unlike {name}"
    return ", ".join([said, *(f"{many} unlike {other}" for many, other in rest)])


def _counted_pairs(kinds: dict[str, np.ndarray], name: str) -> tuple[float, int, int, int]:
    """τ of attention and another ranking; their pairs of words in the same order, in opposite orders, all."""
    a, b = kinds[called("attention")], kinds[called(name)]
    tau, _ = kendall(a, b)
    i, j = np.triu_indices(len(a), 1)
    order = np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
    if len({*a}) == len({*b}) == len(a) and min(np.ptp(a), np.ptp(b)) > 1e-6:
        assert abs(order.mean() - tau) < 0.05, "τ isn't what counting the pairs gives"
    return tau, int((order > 0).sum()), int((order < 0).sum()), len(i)


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
    """Attention's two mean τ: the finding of the two histograms.

    overall: the summary's rows of all texts, by measure.
    """
    known = [tau for tau in ("tau_gradient", "tau_loo") if tau in overall.index and defined(overall, tau)]
    if not known:
        return NO_TAU
    means = [
        f"{signed(overall.loc[tau, 'mean'])} with {with_article(called(tau.removeprefix('tau_')))}"
        for tau in known
    ]
    return f"In this run attention's mean τ is {listed(means)}"


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
    return f"{model}: {who_finds(overall, others)}"


def who_finds(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """`finds`, of an unnamed model. overall: with a row of `finders`."""
    if names := all_alike(overall, others):
        return f"{names} the deciding words equally well"
    best = best_and_worst(overall, others)[0][0]
    return f"{best} finds the deciding words best, {less_well(overall, others)}"


def found_short(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """`finds` in the chapter's answer, where the words were named: each AUROC as the share that it is."""
    means = {name: auroc_of(overall, others, name).mean() for name in finders(overall)}
    first, *rest = sorted(means, key=lambda name: -means[name])
    often = f"above other words in {means[first]:.0%} of pairs"
    if names := all_alike(overall, others):
        whose, verb = names.rsplit(" ", 1)
        return f"{whose} {'put' if verb == 'find' else 'puts'} them {often} (chance 50%)"
    others_ = [f"{called(name)} {means[name]:.0%}" for name in rest]
    best = with_article(called(first))
    return f"{best} puts them {often} ({', '.join([*others_, 'chance 50%'])})"


def all_alike(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """`attention and the gradient find`, if all rankings' AUROC reads the same; else empty."""
    best, worst = best_and_worst(overall, others)
    if f"{best[1]:.2f}" != f"{worst[1]:.2f}":
        return ""
    names = [with_article(called(name)) for name in FINDERS if name in finders(overall)]
    return f"{listed(names)} {'find' if len(names) > 1 else 'finds'}"


def less_well(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """What finds the deciding words worst; the last two, if not in every seed the same one is worse."""
    worst = best_and_worst(overall, others)[1][0]
    if second := not_surely_better(overall, others):
        return f"{with_article(called(second))} and {worst} less well"
    return f"{worst} worst"


def not_surely_better(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """The last ranking but one, if in some seed its AUROC isn't above the last one's; else empty."""
    if others.empty:
        return ""
    order = sorted(finders(overall), key=lambda name: auroc_of(overall, others, name).mean())
    if len(order) < 3:
        return ""
    worst, second = (auroc_of(overall, others, name) for name in order[:2])
    return order[1] if (second <= worst).any() else ""


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
    """Whether the last two rankings are told apart by the seeds; of one seed, that it is one."""
    if others.empty:
        return "This is one seed: another may give another order."
    second = not_surely_better(overall, others)
    if not second:
        return ""
    worst = min(finders(overall), key=lambda name: auroc_of(overall, others, name).mean())
    better = (auroc_of(overall, others, second) > auroc_of(overall, others, worst)).sum()
    return (
        f"In AUROC {with_article(called(second))} is above {with_article(called(worst))} in {better} of "
        f"{counted(len(others) + 1, 'seed')} only, so neither is surely worse."
    )


def right_without_agreement(overall: pd.DataFrame, others: pd.DataFrame) -> str:
    """Why the question of noise stays open though a ranking finds the deciding words and another disagrees
    with it; empty where none does so. Of gradient and leave-one-out.
    """
    names = [name for name in finders(overall) if name != "attention"]
    if len(names) < 2 or not defined(overall, "tau_gradient_loo"):
        return ""
    best = max(auroc_of(overall, others, name).mean() for name in names)
    tau = of_seeds(overall, others, "tau_gradient_loo").mean()
    if tau >= MOSTLY or best < WELL:
        return ""
    return (
        "Does that settle whether a low τ is noise? No. Gradient and leave-one-out agree only at τ "
        f"{signed(tau)} here. But AUROC doesn't look at the order among the words that don't decide, and "
        "that order may be noise."
    )


def with_later_measures(overall: pd.DataFrame) -> str:
    """How the later rankings find the deciding words in this run, beside leave-one-out; empty without any."""
    names = [name for name in by_auroc(overall) if name not in FINDERS]
    if not names or "loo" not in finders(overall):
        return ""
    numbers = [
        f"{overall.loc[f'auroc_{name}', 'mean']:.2f} for {with_article(called(name))}"
        for name in (*names, "loo")
    ]
    said = f"In finding the deciding words of this run, the AUROC is {listed(numbers)}."
    first, second, *_ = by_auroc(overall)
    if f"{overall.loc[f'auroc_{first}', 'mean']:.2f}" == f"{overall.loc[f'auroc_{second}', 'mean']:.2f}":
        return said
    return f"{said} Best of all rankings here is {with_article(called(first))}."


def on_real_text() -> pd.DataFrame:
    """`by_model` of the carried runs on SST, profile `paper`."""
    return by_model(verdict.plain(verdict.committed()).query("profile == 'paper'"))


def with_general_vectors() -> pd.DataFrame:
    """`by_model` of our models nearest to how the published numbers were made."""
    return by_model(near_the_paper())


# Columns of `by_model`, to the measures of which they are means.
OF_MODELS = {"gradient": "tau_gradient", "loo": "tau_loo", "both": "tau_gradient_loo"}


def by_model(rows: pd.DataFrame) -> pd.DataFrame:
    """A row an encoder, profile and kind of vectors: its τ on SST, means over the seeds.

    loo and gradient are attention's; more_loo and more_gradient are by how much gradient and leave-one-out
    agree more. The columns that end in _seeds hold the seeds' numbers.
    """
    rows = rows.query("corpus == 'sst' and attention == 'additive' and `class` == 'overall'")
    measures = OF_MODELS | {f"more_{of}": name for of, name in MORE.items()}
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


def likewise(rows: pd.DataFrame, bilstm: pd.DataFrame) -> str:
    """How far `models`' BiLSTMs lie from the runs with vectors of several norms, in a caption.

    The furthest of their τ, with the same kind of vectors at its own norm. Empty where no kind is in both.

    bilstm: the BiLSTM's runs of SST at several norms.
    """
    norms, off = word_lengths.unscaled(bilstm), []
    for row in rows[rows["encoder"] == LABELS["bilstm"]].to_dict("records"):
        kinds = [kind for kind in norms.index if word_lengths.vectors_called(kind) == row["vectors"]]
        for kind in kinds:
            line = bilstm[bilstm["vectors"] == kind].groupby("norm").mean(numeric_only=True)
            for short, tau in OF_MODELS.items():
                there = np.interp(np.log(norms[kind]), np.log(line.index), line[tau])
                off.append(abs(row[short] - there))
    if not off:
        return ""
    return (
        "Each τ of the first figure's BiLSTMs, of other profiles, is within "
        f"{np.ceil(100 * max(off)) / 100:.2f} of what their kind of vectors, taken alone, gives here at its "
        "own norm."
    )


def contrasts(rows: pd.DataFrame) -> pd.DataFrame:
    """The paper's contrast in each of `models`, with its range over the seeds."""
    names = ["encoder", "profile", "vectors"]
    columns = {
        "τ(gradient, LOO)": "both",
        "above τ(attention, LOO) by": "more_loo",
        "above τ(attention, gradient) by": "more_gradient",
    }
    found = [
        [*[own[name] for name in names], *[with_range(own[f"{of}_seeds"]) for of in columns.values()]]
        for own in rows.to_dict("records")
    ]
    return pd.DataFrame(found, columns=[*names, *columns]).assign(seeds=[*rows["seeds"]])


def has_contrast(row: dict) -> bool:
    """Whether in every seed gradient and leave-one-out agree more with each other than with attention."""
    return min([*row["more_loo_seeds"], *row["more_gradient_seeds"]]) > 0


def as_large(row: dict) -> bool:
    """Whether by as much as in the paper's BiLSTM, in the mean."""
    return all(row[f"more_{of}"] >= least for of, least in REPORTED.items())


def contrast_by_model(rows: pd.DataFrame) -> str:
    """Which of `models` show the paper's contrast on SST as large as the paper's mean."""
    if rows.empty:
        return ""
    large = [row for row in rows.to_dict("records") if has_contrast(row) and as_large(row)]
    if not large:
        return "None of these shows a contrast as large as the paper's mean."
    only = "Only " if len(large) < len(rows) else ""
    names = (
        f"{only}{_named(large)} {'shows' if len(large) == 1 else 'show'} a contrast as large as the paper's"
    )
    return f"{names[0].upper()}{names[1:]} mean."


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


def histograms(drawn: Numbers) -> str:
    """The finding above the paper's Figure 2 with general vectors (GENERAL); empty without its runs.

    drawn: `spread_on_real_text`'s.
    """
    own = near_the_paper().query("measure == 'tau_gradient'")
    firsts = own.sort_values("seed").drop_duplicates("encoder").set_index("encoder")["mean"]
    shown = {*names_of(drawn, "panel")}
    parts = [f"{firsts[name]:.2f} ({LABELS[name]})" for name in LABELS if name in firsts and name in shown]
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


def by_how_far(rows: pd.DataFrame) -> str:
    """How far attention agrees with importance, by encoder: `mostly in Average, hardly in the CNN`.

    The best first; an encoder has a word of the scale for each that a mean τ of its models has. rows: of
    `by_model`, not empty.
    """
    taus = rows.melt("encoder", ["gradient", "loo"])
    order = taus.groupby("encoder")["value"].mean().sort_values(ascending=False).index
    hows: dict[str, list[str]] = {}
    for label in order:
        found = {how_far(tau) for tau in taus.loc[taus["encoder"] == label, "value"]}
        words = [word for word in SCALE if word in {how.removeprefix("only ") for how in found}]
        hows.setdefault(" to ".join(words), []).append(_the(label))
    return ", ".join(f"{how} in {listed(names)}" for how, names in hows.items())


def three_pairs(rows: pd.DataFrame) -> str:
    """The finding of the figure of three τ on real text. rows: `models`'; empty without any."""
    return f"SST: attention agrees with importance {by_how_far(rows)}" if len(rows) else ""


def beside_the_paper() -> pd.DataFrame:
    """Table 2's means for SST, by predicted class, and ours of all texts under two protocols."""
    names = IN_TABLES

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


def answer(
    run,
    overall: pd.DataFrame,
    real: pd.DataFrame,
    others: pd.DataFrame,
    readings: pd.DataFrame,
    wide: pd.DataFrame,
) -> list[str]:
    """The chapter's question, answered on real text and then for this run.

    real: `on_real_text`'s; others: `correlation.other_seeds_found`'s; readings: as for `in_test_one`; wide:
    `by_corpus`'s.
    """
    said = []
    if len(real):
        row = main_row(real)
        how = how_far(row["gradient"], row["loo"]).capitalize()
        said.append(
            f"**{how}**, and it depends on the encoder: on SST {by_how_far(real)}."
            if len(real) > 1
            else f"**{how}** (SST, {_the(row['encoder'])})."
        )
    said += filter(None, [test_one(readings, wide), of_this_run(run, overall, others, not len(real))])
    if finders(overall):
        said.append(
            "Finding the words that decide the *label* is another question, and no answer about the model. "
            f"On *{inert(run.params.corpus)}*, in {_the(LABELS[run.params.encoder])}, "
            f"{who_finds(overall, others)}."
        )
    if not said:
        return [NO_TAU]
    if len(real):
        said += filter(None, [noise_answered(models(real))])
    return said
