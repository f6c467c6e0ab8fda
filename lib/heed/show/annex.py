"""Chapter 12b: the verdict's tables, each of all runs (`verdict.gather`'s rows), and what is said of them."""

import math
import re

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.experiments.copying import MAIN, TASKS, share_of
from heed.measures import stats
from heed.params import Params
from heed.registry import corpora
from heed.runs.products import of_kind
from heed.show.adversarial import epsilon_of, has_two_classes
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, signed
from heed.show.style import LABELS
from heed.verdict import claims
from heed.verdict.paper_tests import NONE, TESTS

MODEL = ["corpus", "profile", "attention", "encoder"]
SCORES = "F1 of class 1; of more classes the mean"
STATISTICS = {"mean": "mean", "std": "standard deviation", "significant": "share significant"}
MEASURED = {
    "f1": "F1",
    "accuracy": "accuracy",
    "tau_gradient": "τ, gradient",
    "tau_loo": "τ, leave-one-out",
    "median_change": "change if shuffled (TVD)",
    "found": "JSD found by search",
    "optimum": "furthest JSD known",
    "bound": "its upper bound",
    "none_feasible": "none found",
}
SIGNIFICANT = {f"tau_{of} sig.": "share significant" for of in ("gradient", "loo")}
HEADERS = MEASURED | SIGNIFICANT | {"given": "changed"}
# A run's changed parameters, so short that a table holds them.
SHORTER = {
    "unknown_vectors=": "unknown words: ",
    "vectors=": "vectors: ",
    "en_core_web_md": "spaCy's",
    "=": ": ",
}


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """A table with its measures' columns in words."""
    return table.rename(columns=HEADERS)


def changed(given: str) -> str:
    """A run's changed parameters for a table: `vectors=en_core_web_md` as `vectors: spaCy's`."""
    for long, short in SHORTER.items():
        given = given.replace(long, short)
    return given or "as it is"


def common(table: pd.DataFrame) -> str:
    """What all rows of a table have in common of corpus and model, for its caption: `sst, profile paper`."""
    same = [name for name in (*MODEL, "given") if name in table and table[name].nunique() == 1]
    words = {"profile": "profile {}", "attention": "{} attention", "given": "{}"}
    values = [(name, str(table[name].iloc[0])) for name in same]
    return ", ".join(
        words.get(name, "{}").format(LABELS.get(value, value)) for name, value in values if value
    )


def narrow(table: pd.DataFrame, digits: int = 3) -> pd.DataFrame:
    """A table in words, without the columns that `common` names, and numbers in its texts rounded."""
    same = [name for name in (*MODEL, "given") if name in table and table[name].nunique() == 1]
    table = table.drop(columns=same)
    for name in table.columns.difference([*MODEL, "given"]):
        if len(table) and table[name].map(lambda cell: isinstance(cell, str)).all():
            table[name] = table[name].str.replace(
                r"([+-]?)(\d+\.\d+)", lambda found: _rounded(found, digits), regex=True
            )
    return in_words(table)


def _rounded(found: re.Match, digits: int) -> str:
    number = f"{float(found[2]):.{digits}f}"
    return number if found[1] == "-" and float(number) == 0 else found[1] + number


def in_short(runs: pd.DataFrame, held: pd.DataFrame, cells: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    """What this annex's tables show, and what it is of.

    held: `claims.table`'s; cells: `verdict.all_beside`'s; own: the same with the profiles' own vectors.
    """
    if runs.empty:
        return ["No run is here yet: `make batch` makes some."]
    said = []
    if len(held):
        said.append(f"**{states_told(states(held))}.** {_after_holm(held)}")
    if len(drawn := tested(held)):
        said.append(claims_brief(drawn))
    taus = over_corpora(runs, ["tau_gradient"], ["additive"])
    means = taus.groupby(["encoder", "corpus"], sort=False)["mean"].mean()
    if len(means):
        encoder = means.index[0][0]
        of = means[encoder]
        agrees = "agrees only modestly" if (of < 0.5).all() else "agrees"
        said.append(
            f"**A {LABELS[encoder]}'s attention {agrees} with the gradient:** a [τ](glossary.md#kendall-τ) "
            f"of {_range(of).replace('-', '−')} (1: the same ranking), over {_corpora(len(of))}."
        )
    if len(whole := _whole(beside(cells, own))):
        n, inside, expected = (whole[name].sum() for name in ("compared", "within", "expected"))
        said.append(
            f"**{inside or 'None'} of {counted(n, 'published number')} {'lies' if inside == 1 else 'lie'} in "
            f"our seeds' range**, {AS_EXPECTED[_expected(cells)]} one more seed of ours would "
            f"({expected:.0f}){_fewer_in_part(beside(cells, own))}. {tried_brief(tried(runs))}".strip()
        )
    models = runs[[*MODEL, "given"]].drop_duplicates()
    said.append(
        f"From {counted(len(runs.drop_duplicates(verdict.RUN)), 'run')} (one model, one "
        f"seed): {counted(len(models), 'model')} on {counted(runs['corpus'].nunique(), 'corpus', 'corpora')}."
    )
    return said


def _after_holm(held: pd.DataFrame) -> str:
    """How many of the decided answers Holm's correction leaves; empty where none is decided."""
    corrected = held["holds"], held["holm"], claims.corrected(held)
    decided, within, over = (_decides(own).sum() for own in corrected)
    if not decided:
        return ""
    return (
        f"A correction for chance within each claim leaves {within or 'none'} of the {decided} decided, "
        f"over all claims {over or 'none'}."
    )


def states(held: pd.DataFrame) -> pd.DataFrame:
    """For `figures.states`: how many answers are in which state, a row a kind of claims.

    held: `claims.table`'s.
    """
    rows = {}
    for kind, own in held.groupby(_kind(held["claim"]), sort=False):
        counts = []
        for answer in ("yes", "no"):
            n, surer = ((own[name] == answer).sum() for name in ("holds", "holm"))
            counts += [surer, n - surer]
        alone = own["holds"].isin(["one seed", "too few"]).sum()
        rows[kind] = [*counts, (own["holds"] == "open").sum(), alone]
    columns = [f"{state}{left}" for state in ("holds", "doesn't hold") for left in (", after Holm", "")]
    return pd.DataFrame.from_dict(rows, orient="index", columns=[*columns, "open", "not judged"])


def states_told(table: pd.DataFrame) -> str:
    """How many answers are in which state: a sentence without its stop. table: `states`'."""
    n = table.sum().astype(int)
    yes, no = (n[state] + n[f"{state}, after Holm"] for state in ("holds", "doesn't hold"))
    parts = [f"{yes} {'holds' if yes == 1 else 'hold'}"] if yes else []
    parts += [f"{no} {'does' if no == 1 else 'do'}n't{'' if yes else ' hold'}"] if no else []
    parts += [f"{n['open']} {'is' if n['open'] == 1 else 'are'} open"] if n["open"] else []
    parts += [f"{n['not judged']} {'is' if n['not judged'] == 1 else 'are'} not judged"] * bool(
        n["not judged"]
    )
    return f"Of {counted(int(n.sum()), 'answer')} {listed(parts)}"


def states_say(held: pd.DataFrame) -> list[str]:
    """Of which kinds the decided claims hold, and why answers aren't judged. held: `claims.table`'s."""
    table, parts = states(held), []
    yes, no = (table[state] + table[f"{state}, after Holm"] for state in ("holds", "doesn't hold"))
    for kind in (yes / (yes + no)).dropna().sort_values(ascending=False, kind="stable").index:
        parts.append(f"{yes[kind]} of {yes[kind] + no[kind]} on {kind.lower()}")
    said = [f"Of the decided answers these hold: {listed(parts)}."] if parts else []
    if modest := int((held["claim"].str.contains(MODEST) & (held["holds"] == "yes")).sum()):
        said.append(
            f"On {AGREEMENT.lower()} *to hold* isn't *to agree*: {modest} of the {yes[AGREEMENT]} "
            f"{'says' if modest == 1 else 'say'} that a BiLSTM's attention agrees only modestly."
        )
    alone = held[held["holds"].isin(["one seed", "too few"])]
    if len(alone):
        few = (alone["holds"] == "too few").sum()
        why = f"{len(alone) - few or 'none'} {'has' if len(alone) - few == 1 else 'have'} one seed"
        why += f", {few} too few peaked texts" if few else ""
        most = alone["corpus"].value_counts()[:2]
        where = listed([f"{inert(name)} ({n})" for name, n in most.items()])
        said.append(f"Of those not judged {why}; most are of {where}.")
        said.append("An open one needs more seeds, or lies near its bound.")
    kept = held[_decides(claims.corrected(held))]
    if len(kept):
        said.append(
            f"Corrected over all claims at once, {counted(len(kept), 'answer is', 'answers are')} left, to "
            f"{counted(kept['claim'].nunique(), 'claim')}."
        )
    return said


def states_found(table: pd.DataFrame) -> str:
    """Of which kinds of claims most decided answers hold: a figure's finding. table: `states`'."""
    yes, no = (table[state] + table[f"{state}, after Holm"] for state in ("holds", "doesn't hold"))
    if not (yes + no).sum():
        return states_told(table)
    known = (yes + no) > 0
    fails = [kind.lower() for kind in table.index[known & (yes <= no)]]
    if len(fails) == known.sum():
        return "Decided answers mostly don't hold"
    return f"Decided answers mostly hold{f', but not on {listed(fails)}' if fails else ''}"


def _decides(answers: pd.Series) -> pd.Series:
    return answers.isin(["yes", "no"])


def by_hand(runs: pd.DataFrame, held: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """One claim on one corpus from its seeds to its answer: a row of a table, and what follows from it.

    On sst, if it is there, else where most seeds are; no row where no claim of this kind has several seeds.
    """
    (claim,) = (claim for claim in claims.every() if claim.text.startswith("τ with leave-one-out is modest"))
    own = held[(held["claim"] == claim.text) & held["holds"].isin(["yes", "no", "open"])]
    if own.empty:
        return pd.DataFrame(), "No claim on a model's τ with leave-one-out has several seeds here."
    first = own.assign(sst=own["corpus"] == "sst").sort_values(
        ["sst", "seeds"], ascending=False, kind="stable"
    )
    answer = first.iloc[0]
    rows = claims.able(runs, [claim.of[1]])
    rows = rows[(rows["encoder"] == "bilstm") & (rows["attention"] == "additive")]
    rows = rows[(rows["measure"] == claim.of[1]) & (rows["class"] == "overall")]
    rows = rows[(rows["corpus"] == answer["corpus"]) & (rows["profile"] == answer["profile"])]
    values = rows.dropna(subset="mean").groupby("seed")["mean"].mean()
    mean, low, high = claims.interval(values, claim.of[1], bool(claim.minus))
    n, ends = len(values), f"{signed(low, 'z.3f')} to {signed(high, 'z.3f')}"
    spread = values.std(ddof=1)
    of = {"model": f"BiLSTM, {answer['corpus']}, {answer['profile']}"}
    table = pd.DataFrame([of | {f"seed {seed}": value for seed, value in values.items()}])
    table = table.assign(**{"mean": mean, "spread s": f"{spread:.4f}"})
    where = {"yes": "All of it lies below the bound", "no": "None of it lies below the bound"}
    found = {"yes": "the claim *holds*", "no": "the claim *doesn't hold*", "open": "the answer is *open*"}
    left = {"yes": "still holds", "no": "still doesn't hold"}.get(answer["holm"], "is *open*")
    same = held[held["claim"] == claim.text]
    said = (
        f"The claim: a BiLSTM's τ is modest, which we read as below {claim.high:g}. On "
        f"{inert(answer['corpus'])} (`{inert(answer['profile'])}`) the mean of {n} seeds is "
        f"{signed(mean, 'z.4f')}. Its 95% interval goes {t_of(n):.3f} · {spread:.4f} / √{n} to either side "
        f"(Student's t): {ends}. {where.get(answer['holds'], 'The bound lies within it')}, so here "
        f"{found[answer['holds']]}. But who asks often is sometimes lucky. Holm's correction takes this "
        f"claim's {counted(int(same['p'].notna().sum()), 'answer')} of several seeds together; after it "
        f"the claim {left} here. {states_told(states(same)).replace('answers', 'answers to this claim')}."
    )
    return table, said


def t_of(n: int) -> float:
    """How many standard errors of n values a 95% interval goes to either side."""
    _, low, _ = stats.t_interval(values := np.arange(n))
    return (values.mean() - low) / (values.std(ddof=1) / np.sqrt(n))


def how_sure(held: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """How many answers are decided, and how many still after Holm's correction: a row a kind of them."""
    found = [["claims", *_sure(held, claims.corrected(held))]] if len(held) else []
    for papers, own in by_paper(readings).items():
        several, decided = own["p"].notna(), _decided(own)
        counts = [len(own), decided.sum(), pd.NA, (decided & (own["holm"] < 0.05)).sum()]
        found.append([f"tests: {papers}", *counts, (several & ~decided).sum(), (~several).sum()])
    return pd.DataFrame(found, columns=["answers to", *COUNTED]).astype(dict.fromkeys(COUNTED, "Int64"))


WITHIN, OVER_ALL = "after Holm, within a claim", "after Holm, over all"  # tests: over all tests
COUNTED = ["answers", "decided", WITHIN, OVER_ALL, "open", "not judged"]


def sure_by_kind(held: pd.DataFrame) -> pd.DataFrame:
    """The same of the claims by what they are of. held: `claims.table`'s."""
    left = claims.corrected(held)
    groups = held.groupby(_kind(held["claim"]), sort=False)
    found = [[kind, *_sure(own, left[own.index])] for kind, own in groups]
    return pd.DataFrame(found, columns=["claims on", *COUNTED])


def _sure(held: pd.DataFrame, left: pd.Series) -> list[int]:
    """`COUNTED` of rows of `claims.table`; left: their answers after a correction over all claims."""
    alone = held["holds"].isin(["one seed", "too few"]).sum()
    decided = [_decides(answers).sum() for answers in (held["holds"], held["holm"], left)]
    return [len(held), *decided, (held["holds"] == "open").sum(), alone]


def sure_said(held: pd.DataFrame, readings: pd.DataFrame) -> str:
    """How many answers are decided, to claims and to tests; empty without any. As for `how_sure`."""
    table = how_sure(held, readings).set_index("answers to")
    if table.empty:
        return ""
    is_claim = table.index == "claims"
    of_claims, of_tests = table[is_claim].sum(), table[~is_claim].sum()
    said = []
    if of_claims["answers"]:
        kept = held[_decides(claims.corrected(held))]
        which = f", to {counted(kept['claim'].nunique(), 'claim')}" if len(kept) else ""
        said.append(
            f"Several seeds decide {of_claims['decided']} of {counted(of_claims['answers'], 'answer')} to "
            "claims. Holm's correction for chance, which asks more of each answer the more there are, leaves "
            f"{of_claims[WITHIN] or 'none'} within each claim, and {len(kept) or 'none'} over all "
            f"claims at once{which} ([one by one](#appendix-the-claims-one-by-one))."
        )
    if of_tests["answers"]:
        said.append(
            "The papers judge attention by [tests](#appendix-what-each-test-says), too: several seeds decide "
            f"{of_tests['decided']} of their {counted(of_tests['answers'], 'answer')}, "
            f"{of_tests[OVER_ALL] or 'none'} with the correction over all tests."
        )
    return " ".join(said)


def _mixed(runs: pd.DataFrame) -> tuple[int, int]:
    """How many models average numbers of several versions of the library, of how many with several seeds."""
    model = [name for name in verdict.RUN if name != "seed"]
    of = runs.groupby(model).agg(seeds=("seed", "nunique"), versions=("library", "nunique"))
    several = of[of["seeds"] > 1]
    return int((several["versions"] > 1).sum()), len(several)


# The runs


def gathered(runs: pd.DataFrame) -> pd.DataFrame:
    """A row a model: of how many seeds it is here, and of how many texts.

    Where it is from stands there unless all are from one place.
    """
    by = ["where", "corpus", "profile", "given", "attention", "encoder"]
    groups = verdict.marked(runs).groupby(by)
    table = groups.agg(seeds=("seed", "nunique"), texts=("n", "max")).reset_index()
    return in_words(table.drop(columns="where") if table["where"].nunique() == 1 else table)


def versions(runs: pd.DataFrame) -> list[str]:
    """How many numbers were made by other versions of the library."""
    runs = runs[[*verdict.RUN, "where", "library"]]
    old = runs[verdict.stale(runs)].drop_duplicates(verdict.RUN)
    here, said = old[old["where"] == verdict.HERE], []
    if len(here):
        names = listed([inert(name) for name in sorted(here["corpus"].unique())])
        were = "was" if len(here) == 1 else "were"
        said.append(
            f"Of the runs in this folder {len(here)} {were} made by another version of the library "
            f"({names}): run the batch again to be sure of them."
        )
    carried = runs[runs["where"] == verdict.CARRIED]
    if len(carried):
        stored = counted(len(carried.drop_duplicates(verdict.RUN)), "stored run")
        were = "was" if stored.startswith("1 ") else "were"
        by = counted(carried["library"].nunique(), "version")
        said.append(f"The {stored} {were} made by {by} of the library.")
    mixed, several = _mixed(runs)
    if several:
        said.append(
            f"Of {counted(several, 'model')} with more than one seed, {mixed} have seeds of several "
            "versions: part of their range may be a change of the library."
        )
    return said


def coverage(runs: pd.DataFrame) -> pd.DataFrame:
    """Of how many seeds each chapter's numbers are: a row a corpus, a column a chapter.

    The BiLSTM with additive attention, any profile and parameters. A chapter's numbers are there if the
    measure is that proves it.
    """
    own, found = [own for own in of_kind(Params).values() if own.proof and own.chapter], {}
    rows = runs[runs["measure"].isin([product.proof for product in own]) & (runs["class"] == "overall")]
    rows = verdict.marked(rows[(rows["encoder"] == "bilstm") & (rows["attention"] == "additive")])
    for product in sorted(own, key=lambda product: product.chapter):
        there = rows[rows["measure"] == product.proof]
        if len(there):
            found[product.chapter] = there.groupby("corpus")["seed"].nunique()
    return pd.DataFrame(found).astype("Int64").rename_axis("corpus").reset_index()


def missing(runs: pd.DataFrame, held: pd.DataFrame) -> list[str]:
    """Which corpora have no answer, and which have other texts. held: `claims.table`'s."""
    if coverage(runs).empty:
        return ["No run is here yet: `make batch` makes some."]
    said = []
    answered = {name.removesuffix(" (part)") for name in held["corpus"]}
    without = sorted({*runs["corpus"]} - answered)
    if without:
        named = listed([inert(name) for name in without])
        said.append(
            f"No claim could be tested on {named} ([the corpora](#appendix-the-corpora)): no BiLSTM was "
            "trained to classify there, or it guesses."
        )
    earlier = runs[verdict.of_earlier_texts(runs)]
    if len(earlier):
        named = listed([inert(name) for name in sorted(earlier["corpus"].unique())])
        several = len(earlier.drop_duplicates(verdict.RUN))
        said.append(
            f"{counted(several, 'run')} of {named} {'has' if several == 1 else 'have'} texts as an earlier "
            "version of the corpus's reader gave them: run again, they may give other numbers."
        )
    return said


def covered(table: pd.DataFrame) -> str:
    """On how many corpora the chapters have three seeds: a figure's finding. table: `coverage`'s."""
    counts, parts = table.set_index("corpus").fillna(0), []
    for first, last in (("01", "04"), ("06", "08")):
        if names := [name for name in counts if first <= name <= last]:
            n = int((counts[names] >= 3).all(axis=1).sum())
            where = " to ".join(dict.fromkeys([names[0], names[-1]]))
            of = "" if parts else f" of {counted(len(counts), 'corpus', 'corpora')} in chapters"
            parts.append(f"{n or 'none'}{of or ' in'} {where}")
    return f"Three seeds or more: {', '.join(parts)}"


# The corpora


def _sizes() -> pd.DataFrame:
    sizes = verdict.table1_beside()
    sizes = sizes[~sizes["profile"].isin(["serrano", "snell"])]
    read = verdict.sizes().reindex(columns=["corpus", "profile", "partial"])
    return verdict.marked(sizes.merge(read, on=["corpus", "profile"], validate="many_to_one"))


def sizes_agree() -> str:
    """How many numbers of Table 1 are ours, too; of whole corpora."""
    sizes = _sizes()
    whole = sizes[~sizes["partial"].astype(bool)]
    whole = whole[(whole["profile"] == "paper2019") | (whole["number"] != "vocabulary")]
    if whole.empty:
        return ""
    same = (whole["reported"] == whole["ours"].round()).groupby(whole["profile"]).agg(["sum", "size"])
    parts = [f"{equal} of {of} under `{profile}`" for profile, (equal, of) in same.iterrows()]
    return (
        f"Of our sizes of whole corpora, {listed(parts)} equal the paper's (vocabularies are compared under "
        "`paper2019` alone)."
    )


def sizes() -> pd.DataFrame:
    """Table 1 of the paper, the vocabularies of the site, and the sizes that heed reads."""
    theirs = verdict.table1().drop(columns=["score_name", "score_bilstm"]).assign(profile="the paper")
    wide = _sizes().pivot(index=["corpus", "profile"], columns="number", values="ours").reset_index()
    site = pd.read_csv(paths.DATA / "published" / "site_vocabulary.csv").assign(profile="the site")
    wide = pd.concat([theirs, site, wide], ignore_index=True)
    place = {name: i for i, name in enumerate(theirs["corpus"])}
    order = wide["corpus"].str.removesuffix(" (part)").map(place)
    wide = wide.loc[order.sort_values(kind="stable").index]
    wide = wide[["corpus", "profile", *wide.columns.drop(["corpus", "profile"])]]
    return wide.rename(columns=lambda name: name.replace("_", " "))


def sizes_differ() -> pd.DataFrame:
    """The numbers that differ from Table 1, and why."""
    differ = _sizes()
    differ = differ[differ["reported"] != differ["ours"].round()]
    ours, reported = differ["ours"].map("{:.0f}".format), differ["reported"].map(" ({:.0f})".format)
    differ = differ.assign(numbers=differ["number"].str.replace("_", " ") + " " + ours + reported)
    groups = differ.groupby(["corpus", "profile", "reason"], sort=False)["numbers"]
    return groups.agg(", ".join).reset_index()[["corpus", "profile", "numbers", "reason"]]


# Do the models predict?


def scores(runs: pd.DataFrame) -> pd.DataFrame:
    """F1 or accuracy of each model, beside the paper's and the share of the most frequent answer."""
    rows = verdict.marked(verdict.plain(runs[runs["measure"].isin(["accuracy", "f1"])]))
    groups = rows.groupby([*MODEL, "measure"])
    table = groups.agg(
        mean=("mean", "mean"), lowest=("mean", "min"), highest=("mean", "max"), seeds=("seed", "nunique")
    )
    table = table.reset_index().assign(of=lambda t: t["corpus"].str.removesuffix(" (part)"))
    published = verdict.table1().rename(columns={"corpus": "of"})[["of", "score_name", "score_bilstm"]]
    table = table.merge(published, how="left", on="of")
    fits = (table["encoder"] == "bilstm") & (table["measure"] == table["score_name"])
    fits &= (table["attention"] == "additive") & table["profile"].isin(["paper2019", "paper", "site"])
    table["the paper's"] = table.pop("score_bilstm").where(fits)
    most = verdict.sizes().reindex(columns=["corpus", "profile", "test_most"])
    table = table.merge(most.rename(columns={"corpus": "of"}), how="left", on=["of", "profile"])
    often = table.pop("test_most").astype(float)
    table["most frequent"] = often.where(table["measure"] == "accuracy")
    names = table[["corpus", "measure"]].to_numpy()
    table["measure"] = [verdict.f1_of(corpus) if measure == "f1" else measure for corpus, measure in names]
    return table.drop(columns=["score_name", "of"])


def guesses(runs: pd.DataFrame) -> str:
    """How many models predict no better than the most frequent answer."""
    found = verdict.guessing(runs)
    if found.empty:
        return "Every model here predicts better than the most frequent answer, where answers are counted."
    verb = "predicts" if len(found) == 1 else "predict"
    return (
        f"{counted(len(found), 'model')} {verb} no better than the most frequent answer, within two "
        "standard errors. Their attention is no evidence of anything learnt, so figures, differences, tests "
        "and claims leave them out; beside published numbers, whose model may guess, too, they stay."
    )


def guessing(runs: pd.DataFrame) -> pd.DataFrame:
    """The models of `guesses`, with their accuracy and the share of the most frequent answer."""
    return verdict.guessing(runs)[[*MODEL, "accuracy", "most"]].rename(columns={"most": "most frequent"})


# Numbers over corpora


def over_corpora(
    runs: pd.DataFrame, measures: list[str], attentions: list[str], encoders: list[str] | None = None
) -> pd.DataFrame:
    """Rows for `figures.by_corpus`: profile paper, in the figures' order, of models that don't only guess.

    encoders: all, or these.
    """
    rows = verdict.without_guessing(runs, measures).query("profile == 'paper'")
    rows = verdict.marked(verdict.plain(rows)).dropna(subset="mean")
    rows = rows[rows["attention"].isin(attentions) & rows["encoder"].isin(encoders or [*LABELS])]
    order = pd.Categorical(rows["attention"], attentions), pd.Categorical(rows["encoder"], [*LABELS])
    rows = rows.assign(a=order[0], e=order[1]).sort_values(["a", "e"])
    called = rows["encoder"].map(LABELS)
    return rows.assign(model=called if len(attentions) == 1 else called + " " + rows["attention"])


def sides(rows: pd.DataFrame, measure: str, what: str, bound: float) -> str:
    """On which side of a bound one measure's means lie, model by model: a figure's finding.

    rows: `over_corpora`'s, of one attention. what: how the sentence begins.
    """
    own = rows[rows["measure"] == measure]
    if own.empty:
        return "No run here has been through that chapter"
    groups = {}
    for encoder, means in own.groupby("encoder", sort=False):
        by = means.groupby("corpus")["mean"].mean()
        side = "above" if (by > bound).all() else "below" if (by < bound).all() else "on both sides of"
        groups.setdefault(side, []).append(LABELS[encoder])
    parts = [f"{side} {bound:g} in {listed(groups[side])}" for side in groups]
    return f"{what} {', '.join(parts)}"


def both_sides(rows: pd.DataFrame, measures: dict[str, str], bound: float) -> str:
    """`sides` of τ, of all measures if they're alike, else of the first. measures: what each τ is with."""
    ends = {sides(rows, measure, "", bound) for measure in measures}
    (first, named), several = next(iter(measures.items())), listed([*measures.values()])
    return sides(rows, first, f"τ with {several if len(ends) == 1 else named}:", bound)


def reached(rows: pd.DataFrame, bounds: dict[str, float], named: dict[str, str]) -> str:
    """On how many corpora the first model's mean is as large as the paper's: a figure's finding.

    rows: `over_corpora`'s; bounds: what is reported of each measure; named: what each is held against.
    """
    own = rows[rows["measure"].isin(bounds)]
    if own.empty:
        return "No run here has been through that chapter"
    own = own[own["model"] == own["model"].iloc[0]]
    means, parts = own.groupby(["measure", "corpus"])["mean"].mean(), []
    for measure, bound in bounds.items():
        if measure in means:
            by, gap = means[measure], "that" if parts else "the paper's gap"
            on = f"{int((by >= bound).sum()) or 'none'} of {_corpora(len(by))}"
            parts.append(f"{gap} of {bound:g} to {named[measure]} is reached on {on}")
    return f"{LABELS[own['encoder'].iloc[0]]}: {listed(parts)}"


def furthest(rows: pd.DataFrame) -> str:
    """How far attention can go, and what shuffling it moves: a figure's finding. rows: as for `away`."""
    means = rows.groupby(["measure", "corpus", "encoder"])["mean"].mean()
    if "optimum" not in means:
        return "How far shuffled attention moves the prediction"
    shuffled = means.get("median_change")
    moved = "" if shuffled is None else f"; shuffled, it moves predictions by {_range(shuffled)} (TVD)"
    return (
        f"With nearly the same prediction attention can go a mean JSD of {means['optimum'].min():z.2f} or "
        f"more (largest: {math.log(2):.2f}){moved}"
    )


def shuffled(rows: pd.DataFrame) -> str:
    """On which corpus shuffling moves the first model's prediction least and most; empty without such rows.

    rows: as for `away`.
    """
    own = rows[rows["measure"] == "median_change"]
    if own.empty:
        return ""
    encoder = own["encoder"].iloc[0]
    means = own[own["encoder"] == encoder].groupby("corpus")["mean"].mean().sort_values()
    ends = [f"{mean:z.2f} on {inert(corpus)}" for corpus, mean in means.items()]
    by = " to ".join(dict.fromkeys([ends[0], ends[-1]]))
    return f"Shuffled weights move the {LABELS[encoder]}'s prediction by a TVD of {by}."


def away(rows: pd.DataFrame, groups: dict[str, str]) -> str:
    """How far attention can go with the same prediction, and what shuffling moves, by the rule.

    rows: `over_corpora`'s of `optimum` and `median_change`; groups: `by_epsilon`'s.
    """
    own, parts = rows[rows["measure"] == "optimum"], []
    means = own.groupby(["corpus", "encoder"])["mean"].mean().reset_index()
    for heading in dict.fromkeys(groups.values()):
        jsd = means.loc[means["corpus"].map(groups) == heading, "mean"]
        if len(jsd):
            parts.append(f"{_range(jsd)} ({heading})")
    if not parts:
        return ""
    said = f"With nearly the same prediction, attention can go a JSD of {listed(parts)}."
    moved = rows[rows["measure"] == "median_change"].groupby(["corpus", "encoder"])["mean"].mean()
    return f"{said} Shuffling it moves the prediction by {_range(moved)} (TVD)." if len(moved) else said


def by_epsilon(names: list[str]) -> dict[str, str]:
    """Of each corpus by how much its prediction may move under `paper`, and how surely the JSD is known."""
    names = pd.Series(sorted(names), dtype=str)
    two = has_two_classes(names)
    found = [(epsilon_of(name, "paper"), not is_two, name) for name, is_two in zip(names, two, strict=True)]
    return {
        name: f"ε {'not known' if math.isnan(epsilon) else f'= {epsilon:g}'}, "
        f"{'at least' if is_bound else 'exact'}"
        for epsilon, is_bound, name in sorted(found)
    }


def _range(values: pd.Series) -> str:
    return " to ".join(dict.fromkeys(f"{end:z.2f}" for end in (values.min(), values.max())))


def drawn(rows: pd.DataFrame) -> str:
    """What a figure of `over_corpora` or `gained` has, in a caption; empty without rows."""
    if rows.empty:
        return ""
    counts = rows.groupby([name for name in ("corpus", "model", "measure") if name in rows])["seed"].nunique()
    of = " to ".join(dict.fromkeys(map(str, (counts.min(), counts.max()))))
    bars = "; bars go from the lowest seed to the highest" if counts.max() > 1 else ""
    bars += "; hollow: one seed" if counts.min() == 1 < counts.max() else ""
    part = " (part): of a part of its texts." if rows["corpus"].str.endswith(" (part)").any() else ""
    return (
        f"*Profile `paper`, means over texts and {of} {'seed' if of == '1' else 'seeds'}{bars}.{part} "
        "No mark: no such run, or a model that only guesses.*"
    )


def gained(runs: pd.DataFrame) -> pd.DataFrame:
    """F1 of the BiLSTM with attention minus that with equal weights: a row (`mean`) a corpus and seed.

    Profile paper, without models that only guess; for `figures.by_corpus`.
    """
    own = verdict.gaps(verdict.without_guessing(runs, ["f1"]), "attention", "additive", "uniform", ["f1"])
    return own.query("profile == 'paper' and encoder == 'bilstm'").assign(model=LABELS["bilstm"])


def gains(own: pd.DataFrame) -> str:
    """How much attention adds: a figure's finding. own: `gained`'s."""
    means = own.groupby("corpus")["mean"].mean()
    if means.empty:
        return "No run with uniform attention is here"
    seeds = {corpus: by["mean"].to_numpy() for corpus, by in own.groupby("corpus") if len(by) > 1}
    ends = list(dict.fromkeys(signed(end, "+.3f") for end in (means.min(), means.max())))
    said = f"Attention adds {' to '.join(ends)} to the BiLSTM's F1, over equal weights"
    if not seeds:
        return f"{said}, on {_corpora(len(means))} of one seed each"
    above = sum(stats.t_interval(values)[1] > 0 for values in seeds.values())
    return f"{said}; surely (by its 95% interval over seeds) on {above or 'none'} of {len(seeds)}"


def contrast(
    runs: pd.DataFrame, axis: str, first: str, second: str, measures: list[str], guesses: bool = False
) -> pd.DataFrame:
    """`verdict.contrast` of the models that have both. guesses: also of those that only guess."""
    rows = runs if guesses else verdict.without_guessing(runs, measures)
    return verdict.contrast(rows, axis, first, second, measures)


def average_above(runs: pd.DataFrame) -> str:
    """By how much Average's τ with leave-one-out is above the BiLSTM's; empty without runs of both."""
    tasks = [
        name for name, entry in corpora().items() if entry.get("task", "classification") == "classification"
    ]
    rows, said = verdict.without_guessing(runs, ["tau_loo"]), []
    found = verdict.gaps(rows, "encoder", "average", "bilstm", ["tau_loo"])
    for profile in ("paper2019", "paper"):
        own = found.query("profile == @profile and attention == 'additive'")
        own = own[own["corpus"].str.removesuffix(" (part)").isin(tasks)].groupby("corpus")["mean"].mean()
        if len(own):
            said.append(f"{signed(own.mean())} under `{profile}` (over {_corpora(len(own))})")
    if not said:
        return ""
    return f"On classification Average's mean τ with leave-one-out less the BiLSTM's is {listed(said)}."


NEAR = 0.1  # τ that differ by less are comparable, as among the claims


def comparable(runs: pd.DataFrame, axis: str, first: str, second: str) -> str:
    """On how many corpora one model's τ is comparable to another's, profile paper; empty without both."""
    measures = {"tau_gradient": "the gradient", "tau_loo": "leave-one-out"}
    rows = verdict.without_guessing(runs, [*measures])
    own = verdict.gaps(rows, axis, first, second, [*measures]).query("profile == 'paper'")
    own = own.query("attention == 'additive'" if axis == "encoder" else "encoder == 'bilstm'")
    means, parts = own.groupby(["measure", "corpus"])["mean"].mean(), []
    for measure, named in measures.items():
        if measure in means:
            by = means[measure]
            near = int((by.abs() <= NEAR).sum()) or "none"
            ends = " to ".join(dict.fromkeys(signed(end, "+.2f") for end in (by.min(), by.max())))
            parts.append(f"with {named} on {near} of {_corpora(len(by))} ({ends})")
    if not parts:
        return ""
    ours, theirs = (f"the {LABELS.get(name, name)}'s" for name in (first, second))
    if axis == "attention":
        ours, theirs = f"{first} attention's", f"{second} attention's (BiLSTM)"
    return f"Under `paper` {ours} mean τ is within {NEAR:g} of {theirs}: {listed(parts)}."


def agree_more(runs: pd.DataFrame) -> pd.DataFrame:
    """By how much gradient and leave-one-out agree more than attention does, by profile."""
    named = {other: f"tau_gradient_loo_minus_attention_{other}" for other in ("loo", "gradient")}
    rows = verdict.marked(verdict.plain(verdict.without_guessing(runs, [*named.values()])))
    rows = rows.query("attention == 'additive' and encoder == 'bilstm'")
    means, found = rows.groupby(["measure", "profile", "corpus"])["mean"].mean(), []
    for other, reported in {"loo": "above 0.2", "gradient": "near 0.25"}.items():
        name = named[other]
        for profile in ("paper2019", "paper"):
            if (name, profile) in means:
                own = means[name, profile]
                over = f"{own.min():z.2f} to {own.max():z.2f}"
                label = "leave-one-out" if other == "loo" else "the gradient"
                found.append([f"attention and {label}", profile, own.mean(), over, len(own), reported])
    columns = ["more than τ of", "profile", "by, on average", "range", "corpora", "the paper"]
    return pd.DataFrame(found, columns=columns)


# Beside the published numbers


def beside(cells: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Of each corpus how many published numbers lie within the range of our seeds, and are expected to.

    cells: `verdict.all_beside`'s, those of several seeds alone; own: the same with the profiles' own vectors.
    """
    found = _compared(cells)
    found = found.assign(own=_same(found, own))
    groups = found.groupby(["corpus", "profile"])
    sums = {"compared": ("cell", "size"), "within": ("inside", "sum"), OWN: ("own", "sum")}
    table = groups.agg(seeds=("seeds", _fewest_and_most), **sums, expected=("chance", "sum"))
    table["than expected"] = [_than_expected(group) for _, group in groups]
    table[CHANCE] = [_two_deviations(group) for _, group in groups]
    table = table.reset_index()
    return table.astype({"compared": int, "within": int, OWN: int, "expected": float, CHANCE: float})


OWN, CHANCE = "within, own vectors", "by chance ±"  # columns of `beside`
# What `_than_expected` gives, before what is expected.
AS_EXPECTED = {"as many": "about as many as", "fewer": "fewer than", "more": "more than"}


def _compared(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of several seeds: whether each lies within, and the chance of one more seed to do so."""
    found = verdict.marked(cells[cells["cell"].isin(["within", "outside"])])
    seeds = found["seeds"].astype(int)
    return found.assign(seeds=seeds, inside=found["cell"] == "within", chance=(seeds - 1) / (seeds + 1))


def _than_expected(found: pd.DataFrame) -> str:
    """Whether as many lie within as expected, by two standard deviations of independent numbers.

    found: rows of `_compared`.
    """
    off = found["inside"].sum() - found["chance"].sum()
    if abs(off) <= _two_deviations(found):
        return "as many"
    return "fewer" if off < 0 else "more"


def _two_deviations(found: pd.DataFrame) -> float:
    """Two standard deviations of how many of these lie within, were they independent."""
    return 2 * math.sqrt((found["chance"] * (1 - found["chance"])).sum())


def _expected(cells: pd.DataFrame) -> str:
    """`_than_expected` of all whole corpora."""
    return _than_expected(_whole(_compared(cells)))


def _same(found: pd.DataFrame, own: pd.DataFrame) -> list[bool]:
    """Of each cell whether it lies within with the profile's own vectors, too. own: as for `beside`."""
    key = ["profile", "source", "corpus", "class", "encoder", "measure", "statistic"]
    own = verdict.marked(own[own["cell"] == "within"])
    return [*pd.MultiIndex.from_frame(found[key]).isin(pd.MultiIndex.from_frame(own[key]))]


def _fewest_and_most(seeds: pd.Series) -> str:
    return " to ".join(dict.fromkeys(map(str, (seeds.min(), seeds.max()))))


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    return table[~table["corpus"].str.endswith(" (part)")]


def _fewer_in_part(table: pd.DataFrame) -> str:
    """Where fewer than expected lie within, of corpora that are read in part; empty if nowhere."""
    own = table.drop(index=_whole(table).index)
    own = own[own["than expected"] == "fewer"]
    each = [
        f"{row.within or 'none'} of {row.compared} on {inert(row.corpus.removesuffix(' (part)'))}"
        for row in own.itertuples()
    ]
    return f", but {listed(each)}, of which we read only a part" if each else ""


def beside_drawn(table: pd.DataFrame) -> str:
    """Where fewer or more published numbers lie in our seeds' range than expected: a figure's finding.

    table: `beside`'s, of one row at least.
    """
    how = table.groupby("than expected")["corpus"].unique()
    others = [f"{kind} than expected on {listed([*how[kind]])}" for kind in ("fewer", "more") if kind in how]
    found = ", ".join(others) if others else "as many as expected on each corpus"
    return f"Published numbers in our seeds' range: {found}"


def beside_said(cells: pd.DataFrame, own: pd.DataFrame) -> str:
    """Whether as many published numbers as expected lie in our seeds' range, and how many of parts do.

    As for `beside`.
    """
    table = beside(cells, own)
    if table.empty:
        return "No run of several seeds stands beside a published number: `make fidelity` makes some."
    whole, said = _whole(table), []
    if len(whole):
        n, inside, vectors = (int(whole[name].sum()) for name in ("compared", "within", OWN))
        every = int((~cells["partial"].astype(bool)).sum())
        others = ", the others beside one or none" if every > n else ""
        with_own = f" ({vectors or 'none'} with the profiles' own word vectors alone)"
        said.append(
            f"Of {counted(every, 'published number')} of whole corpora {n} {'stands' if n == 1 else 'stand'} "
            f"beside several seeds of ours{others}. If each were one more seed of ours, about "
            f"{whole['expected'].sum():.0f} would lie in our seeds' range: {inside or 'none'} "
            f"{'does' if inside == 1 else 'do'}{with_own if vectors != inside else ''}."
        )
    parts = table.drop(index=whole.index)
    if len(parts):
        each = [
            f"{row.within or 'none'} of {row.compared} on {inert(row.corpus.removesuffix(' (part)'))} "
            f"({row.expected:.0f} expected)"
            for row in parts.itertuples()
        ]
        said.append(f"Of corpora that we read in part: {listed(each)}.")
    return " ".join(said)


def cells_by_corpus(cells: pd.DataFrame) -> pd.DataFrame:
    """How many published cells of each corpus lie where. cells: `verdict.all_beside`'s."""
    counts = verdict.marked(cells).groupby(["source", "corpus"])["cell"].value_counts()
    return counts.unstack(fill_value=0).rename_axis(columns=None).reset_index()


def cell_by_cell(cells: pd.DataFrame) -> pd.DataFrame:
    """Each published number that isn't a gap, beside ours."""
    own = verdict.marked(cells[cells["cell"] != "gap"]).copy()
    own["statistic"] = own["statistic"].map(STATISTICS)
    own["measure"] = own["measure"].replace(MEASURED)
    own["ours"] = [f"{m:z.2f} [{a:z.2f}, {b:z.2f}]" for m, a, b in own[["mean", "min", "max"]].to_numpy()]
    own["seeds"] = own["seeds"].astype("Int64")
    columns = ["source", "profile", "corpus", "class", "encoder", "measure", "statistic", "reported"]
    return own[[*columns, "ours", "seeds", "cell"]].rename(columns={"reported": "published"})


def trained_on_parts() -> list[str]:
    """Of corpora of questions that are here in part: how many of the training texts."""
    whole, said = verdict.table1().set_index("corpus").filter(like="train_").sum(axis=1), []
    for row in verdict.sizes().query("partial == True").to_dict("records"):
        if row["corpus"] in verdict.asked() and row["corpus"] in whole.index:
            ours = sum(row[f"train_{c}"] for c in range(3) if row[f"train_{c}"] == row[f"train_{c}"])
            total = int(whole[row["corpus"]])
            said.append(
                f"{inert(row['corpus'])}: our models are trained on {int(ours):,} of {total:,} texts."
            )
    return said


def general_drawn(changed: pd.DataFrame) -> str:
    """How many of the published means that are drawn lie within: a figure's finding.

    changed: `verdict.before_and_after`'s, of one mean at least.
    """
    means = changed[changed["statistic"] == "mean"]
    before, after = (int((means[f"cell_{when}"] == "within").sum()) for when in ("before", "after"))
    return (
        f"Of {counted(len(means), 'published mean')} {after} lie within the range of our seeds with general "
        f"vectors, {before or 'none'} with the profile's own"
    )


def general_inside(changed: pd.DataFrame) -> pd.DataFrame:
    """`verdict.within` in words."""
    table = verdict.within(changed)
    table["statistic"] = table["statistic"].map(STATISTICS)
    table["measure"] = table["measure"].replace(MEASURED)
    named = {"off_before": "off by, before", "off_after": "off by, after"}
    return table.rename(columns=named | {"before": "within, before", "after": "within, after"})


WAYS = {"attention": "attention", "gradient": "gradient", "loo": "leave-one-out"}
FACTS = [f"{kind}_{way}" for kind in ("auroc", "precision") for way in WAYS]


def facts(runs: pd.DataFrame) -> pd.DataFrame:
    """Which ranking finds the supporting facts: mean over seeds and range; no row without such a run."""
    rows = _with_facts(runs)
    if rows.empty:
        return rows
    table = verdict.means(rows, ["accuracy", *FACTS])
    named = {f"{kind}_{way}": f"{label} of {WAYS[way]}" for kind, label in (("auroc", "AUROC"),
             ("precision", "precision")) for way in WAYS}  # fmt: skip
    return in_words(table.rename(columns=named))


def _with_facts(runs: pd.DataFrame) -> pd.DataFrame:
    rows = runs[runs["corpus"].isin(verdict.asked())]
    rows = verdict.without_guessing(rows, [*FACTS, "accuracy"])
    return rows[rows["corpus"].isin(rows.loc[rows["measure"].isin(FACTS), "corpus"])]


def facts_found(runs: pd.DataFrame) -> str:
    """In how many models each ranking finds the supporting facts best."""
    rows = _with_facts(runs)
    wide = rows.groupby([*MODEL, "given", "measure"])["mean"].mean().unstack()
    if not {"accuracy", *FACTS[:3]} <= {*wide}:
        return (
            "No run of a corpus with supporting facts is here: "
            "`make batch CORPORA='babi1 world3' CHAPTERS='01 02'`."
        )
    wide = wide.dropna(subset=FACTS[:3])
    good = wide[wide["accuracy"] > 0.5]
    best = good[FACTS[:3]].idxmax(axis=1).str.removeprefix("auroc_").map(WAYS).value_counts()
    said = "No model answers more than half of the questions."
    if len(good):
        each = listed([f"{way} in {n}" for way, n in best.items()])
        said = (
            f"Of {counted(len(good), 'model')} with more than half of the questions right, the supporting "
            f"facts rank highest by {each} (mean AUROC)."
        )
    rest = wide.drop(good.index)["auroc_attention"].mean()
    if len(wide) == len(good):
        return said
    return (
        f"{said} Of the {len(wide) - len(good)} with fewer right attention's AUROC is {rest:.2f} on average."
    )


# Why ours differ


def variants(runs: pd.DataFrame, corpus: str) -> pd.DataFrame:
    """A corpus's BiLSTM under other parameters; those whose numbers are all alike stand in one row."""
    rows = runs[(runs["corpus"] == corpus) & (runs["encoder"] == "bilstm") & (runs["profile"] != "serrano")]
    rows = rows[rows["attention"].isin(["additive", "dot"])]
    if rows.empty:
        return rows
    table = verdict.means(rows, ["f1", "accuracy", "tau_gradient", "tau_loo"])
    table["given"] = table["given"].map(changed)
    others = [name for name in table if name != "given"]
    table = table.groupby(others, sort=False, dropna=False)["given"].agg("; or ".join).reset_index()
    table = table.sort_values(["profile", "attention"], kind="stable")
    dot = table["attention"].map({"additive": "", "dot": ", dot"})
    table = table.assign(profile=table["profile"] + dot)
    return table[["corpus", "profile", "given", "seeds", "f1", "accuracy", "tau_gradient", "tau_loo"]]


TRIED = (
    ("sst", "bilstm", "paper2019", "paper"),
    ("sst", "bilstm", "site", "site"),
    ("sst", "average", "paper2019", "paper"),
    ("20news", "bilstm", "paper2019", "paper"),
    ("20news", "average", "paper2019", "paper"),
)


def tried(runs: pd.DataFrame) -> pd.DataFrame:
    """Which parameter brings τ with the gradient nearest to the published one: a row a model.

    A changed run of texts that another version of the corpus's reader gave is said to have other texts.
    """
    rows = runs.query("attention == 'additive' and measure == 'tau_gradient' and `class` == 'overall'")
    groups = rows.groupby(["corpus", "encoder", "profile", "given"])
    ours, readers = groups["mean"].mean(), groups["reader"].max()
    theirs = verdict.published().query("measure == 'tau_gradient' and statistic == 'mean'")
    theirs, found = theirs.groupby(["corpus", "encoder", "source"])["reported"].mean(), []
    for corpus, encoder, profile, source in TRIED:
        reported = theirs[corpus, encoder, source]
        here = [own for own in ours.index if own[:3] == (corpus, encoder, profile)]
        named = {given: ours[*of, given] for *of, given in here}
        if "" not in named:
            continue
        nearest = min(named, key=lambda given: abs(named[given] - reported))
        reader = readers[corpus, encoder, profile]
        other = ", other texts" if reader[nearest] != reader[""] else ""
        inside = min(named.values()) <= reported <= max(named.values())
        model = f"{corpus}, {LABELS[encoder]}, {profile}"
        row = [model, reported, named[""], named[nearest], changed(nearest) + other]
        found.append([*row, _range(pd.Series(named)), "yes" if inside else "no"])
    columns = ["model", "published", "ours", "nearest", "by", "lowest to highest", "reached"]
    return pd.DataFrame(found, columns=columns)


def tried_said(found: pd.DataFrame) -> str:
    """How many of the published means no change of ours reaches. found: `tried`'s; empty without rows."""
    if found.empty:
        return ""
    beyond = found.loc[found["reached"] == "no", "model"]
    which = f": {'; '.join(map(inert, beyond))}" if len(beyond) else ""
    return f"{_beyond(found)}{which} ([what was tried](#appendix-what-was-tried))."


def tried_brief(found: pd.DataFrame) -> str:
    """The same in short, with the corpora that were followed up; empty without rows."""
    if found.empty:
        return ""
    of = found["model"].str.partition(",")[0].unique()
    return f"{_beyond(found)} ({listed([*map(inert, of)])})."


def _beyond(found: pd.DataFrame) -> str:
    """How many of the published means of `tried` lie beyond all of ours; there are some."""
    beyond = int((found["reached"] == "no").sum())
    return (
        f"Of {counted(len(found), 'published mean')} of τ with the gradient that we followed up, "
        f"{beyond or 'none'} {'lies' if beyond < 2 else 'lie'} outside of all that other vectors, epochs and "
        "settings gave us"
    )


# Other attention, same prediction


def freedom(runs: pd.DataFrame) -> pd.DataFrame:
    """Permuting, searching and the optimum: mean over seeds and range; no row without such a run."""
    wanted = ["median_change", "found", "optimum", "bound", "none_feasible"]
    rows = runs[runs["measure"].isin(wanted)]
    if rows.empty:
        return rows
    table = verdict.means(rows, wanted)
    given = table["given"].str.extract(r"\bepsilon=([\d.]+)")[0].astype(float)
    usual = [epsilon_of(*of) for of in table[["corpus", "profile"]].to_numpy()]
    table.insert(table.columns.get_loc("seeds"), "ε", given.fillna(pd.Series(usual, table.index)))
    table["ε"] = table["ε"].map("{:g}".format).replace("nan", NONE)
    return in_words(table)


# Each paper's test


def told(own: pd.DataFrame, papers: str) -> str:
    """For which side readings speak: a figure's finding. own: of one group, of a reading at least."""
    counts = own[own["seeds"] > 1]["speaks"].value_counts()
    if counts.empty:
        return f"{papers}: no number of several seeds"
    words = {"against": "against attention", "for": "for it", "open": "open", "neither": "neither"}
    parts = [f"{counts[kind]} {word}" for kind, word in words.items() if kind in counts]
    return f"{papers}: of {counted(int(counts.sum()), 'reading')} of several seeds, {listed(parts)}"


def every_reading(readings: pd.DataFrame) -> pd.DataFrame:
    """Each reading that there is, with its number: a row a test and corpus."""
    own = _sided(readings[readings["reading"] != NONE])
    cells = [
        f"{mean:z.3f}{f' [{low:z.3f}, {high:z.3f}]' if low < high else ''}"
        for mean, low, high in own[["mean", "low", "high"]].to_numpy()
    ]
    own = own.assign(cell=cells).rename(columns={"cell": "mean [95%]", "holm": "p after Holm"})
    return own[["test", "corpus", "reading", "speaks", "mean [95%]", "seeds", "p", "p after Holm"]]


def of_tests(readings: pd.DataFrame) -> list[str]:
    """How many readings are decided, and left after Holm's correction; which corpora have none."""
    alone, said = int((readings["p"].isna() & (readings["reading"] != NONE)).sum()), []
    if readings["p"].notna().any():
        said.append(
            f"{counted(int(readings['p'].notna().sum()), 'reading')} of several seeds, and "
            f"{alone} of one seed, which {'is' if alone == 1 else 'are'} not judged. Of those of several "
            f"seeds {_decided(readings).sum()} are decided by their own interval, and "
            f"{(readings['holm'] < 0.05).sum()} still are after Holm's correction for all."
        )
    none = readings.groupby("corpus", sort=False)["reading"].agg(lambda own: (own == NONE).all())
    if none.any():
        named = listed([inert(name) for name in none.index[none]])
        said.append(f"heed can read these corpora, too, but has no reading of them: {named}.")
    return said


GROUPS = {  # of the tests, by what their names begin with
    "Jain & Wallace (J&W), and ours": ("J&W", "Ours"),
    "Wiegreffe & Pinter (W&P)": ("W&P",),
    "Serrano & Smith (S&S), Snell et al., words known to decide": ("S&S", "Truth", "Snell"),
}


def by_paper(readings: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The readings that there are by the papers whose tests they are of."""
    of = readings["test"].str.partition(":")[0]
    there = readings["reading"] != NONE
    readings = _sided(readings)
    parts = {name: readings[of.isin(begins) & there] for name, begins in GROUPS.items()}
    return {name: own for name, own in parts.items() if len(own)}


def _sided(readings: pd.DataFrame) -> pd.DataFrame:
    """Readings whose side is open wherever they are, also where no reading would speak for a side."""
    return readings.assign(speaks=readings["speaks"].mask(readings["reading"] == "open", "open"))


def _decided(readings: pd.DataFrame) -> pd.Series:
    return (readings["p"] < 0.05) & ~readings["reading"].isin([NONE, "open"])


BORDERS = {test.text: test.border for test in TESTS}


def borders() -> pd.DataFrame:
    """Where each test's border lies, and what is read on either side."""
    rows = [[test.text, test.below, f"{test.border:g}", test.above, test.good or NONE] for test in TESTS]
    return pd.DataFrame(rows, columns=["test", "up to the border", "border", "above", "speaks for attention"])


def all_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """Every model's answers, with their numbers and seeds: a row a corpus and model."""
    if answers.empty:
        return answers
    seeds = answers["seeds"].map({1: ", 1 seed"}).fillna("")
    cells = answers.assign(text=answers["reading"] + answers["mean"].map(" {:z.2f}".format) + seeds)
    wide = cells.pivot(index=["corpus", "model"], columns="question", values="text")
    order = [test.question for test in TESTS if test.question in wide]
    return wide[order].fillna(NONE).rename_axis(columns=None).reset_index()


def sequences(runs: pd.DataFrame) -> pd.DataFrame:
    """Snell et al.'s other tests: models that copy, and Multi30k's rankings, beside what they recorded."""
    own = runs[runs["corpus"].isin([*TASKS, "multi30k"]) & (runs["class"] == "overall")]
    own = verdict.plain(own).query("encoder in ('lstm', 'bilstm')")
    said = pd.read_csv(paths.DATA / "published" / "snell_copying.csv").set_index("corpus")["success"]
    ends = own[(own["measure"] == "success") & ((own["encoder"] + own["attention"]) == "".join(MAIN))]
    found = []
    for (task, profile), part in ends.groupby(["corpus", "profile"]):
        reported = said.get(task) if profile == "paper" else None
        share = share_of(part["mean"] > 0.5)
        found.append((f"copies: {TASKS[task]}", profile, reported, *share, counted(len(part), "seed")))
    for row in own[own["measure"].str.startswith("success, ")].itertuples():
        kind = row.measure.removeprefix("success, ")
        count = counted(row.n, "head" if kind == "single" else "model")
        found.append((f"copies: heads, {kind}", row.profile, None, row.mean, row.low, row.high, count))
    told = pd.read_csv(paths.DATA / "published" / "snell_translation.csv")
    told = told.query("measure.str.contains('top|chance')")
    for what, measure, value in told[["what", "measure", "value"]].itertuples(index=False):
        for profile, part in own[own["corpus"] == "multi30k"].groupby("profile"):
            mean = part.loc[part["measure"] == measure, "mean"].mean()
            found.append((f"Multi30k: {what}", profile, value, mean, None, None, "1 pair of models"))
    columns = ["what", "profile", "recorded", "ours", "from", "to", "of"]
    return pd.DataFrame(found, columns=columns).astype(dict.fromkeys(columns[2:6], float))


# The claims


def _corpora(n: int) -> str:
    return "1 corpus" if n == 1 else f"{n} corpora"


def every_claim(held: pd.DataFrame) -> pd.DataFrame:
    """`claims.table` in words, with what a correction over all claims at once leaves."""
    named = {"holm": "after Holm", "ours": "ours: mean [95%]", "over": "interval over"}
    table = held.drop(columns="p").rename(columns=named)
    return table.assign(**{"over all claims": claims.corrected(held)})


def tally(tallied: pd.DataFrame, held: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """`claims.tally` as tables by what the claims are of, with of how many corpora a claim's runs are."""
    on = held["corpus"].str.removesuffix(" (part)").groupby(held["claim"]).nunique()
    table = tallied.assign(corpora=on.reindex(tallied.index).fillna(0).astype(int)).reset_index()
    return {name: own for name, own in table.groupby(_kind(table["claim"]), sort=False)}


AGREEMENT, AGAINST = "Attention and importance", "Importance against attention"
MODEST = "is modest"  # in the claims that attention agrees little


def _kind(names: pd.Series) -> pd.Series:
    """What each claim is of."""
    kinds = {"F1": "Scores", "τ": AGREEMENT, "Gradient": AGAINST}
    begins = names.str.extract(f"^({'|'.join(kinds)})", expand=False)
    return begins.map(kinds).fillna("Changed attention")


OUTCOMES = {
    "holds": "Hold wherever decided; under half open",
    "seldom": "Hold wherever decided; at least half open",
    "both": "Hold on some, don't on others",
    "fails": "Hold nowhere",
    "open": "Are open everywhere",
}
LEFT = {"yes": "yes, after Holm", "no": "no, after Holm"}  # columns of `tested`


def tested(held: pd.DataFrame) -> pd.DataFrame:
    """For `figures.claims` the claims to which several seeds give an answer, by outcome.

    held: `claims.table`'s. Columns topic (of OUTCOMES), speaks, yes, no and open, and what is left (LEFT)
    after Holm's correction within each claim; answers that aren't judged aren't counted.
    """
    return by_outcome(claims.tally(held), claims.tally(held.assign(holds=held["holm"])))


def by_outcome(tallied: pd.DataFrame, left: pd.DataFrame) -> pd.DataFrame:
    """`tested` of two tables of `claims.tally`: of the answers, and of what is left of them."""
    table = tallied[["yes", "no", "open"]]
    table = table[table.sum(axis=1) > 0]
    kinds = [_outcome(*counts) for counts in table.to_numpy()]
    table = table.assign(place=[[*OUTCOMES].index(kind) for kind in kinds])
    table["topic"] = [OUTCOMES[kind] for kind in kinds]
    ordered = table.sort_values(["place", "yes", "no"], ascending=[True, False, True], kind="stable")
    ordered = ordered.assign(speaks="neither").join(left[[*LEFT]].rename(columns=LEFT))
    return ordered[["topic", "speaks", "yes", "no", "open", *LEFT.values()]]


def _outcome(yes: int, no: int, undecided: int) -> str:
    if yes and no:
        return "both"
    if yes:
        return "holds" if yes > undecided else "seldom"
    return "fails" if no else "open"


def tested_held(counts: pd.DataFrame) -> str:
    """How many claims hold, as a sentence without its stop. counts: `tested`'s, of one claim at least."""
    decided, others = _come_out(counts)
    holds = "holds" if decided == 1 else "hold"
    parts = [f"{decided or 'none'} {holds} wherever several seeds decide", *others]
    every = len(claims.every())
    return f"Of the paper's {every} claims {counted(len(counts), 'is', 'are')} tested: {listed(parts)}"


def claims_brief(counts: pd.DataFrame) -> str:
    """The same in short, how many hold first."""
    decided, others = _come_out(counts)
    every = len(claims.every())
    others += [f"{every - len(counts)} untested"] if every > len(counts) else []
    holds = "holds" if decided == 1 else "hold"
    rest = f"; {listed(others)}" if others else ""
    return (
        f"**{decided or 'None'} of the paper's {every} claims {holds} wherever several seeds decide**{rest}."
    )


def _come_out(counts: pd.DataFrame) -> tuple[int, list[str]]:
    """How many claims hold wherever they are decided, and how the others come out, in writing."""
    of = counts["topic"].value_counts()
    n = {kind: int(of.get(topic, 0)) for kind, topic in OUTCOMES.items()}
    others = [f"{n['fails']} nowhere"] if n["fails"] else []
    others += [f"{n['both']} on some corpora only"] if n["both"] else []
    others += [f"{n['open']} {'is' if n['open'] == 1 else 'are'} open everywhere"] if n["open"] else []
    return n["holds"] + n["seldom"], others


def outcomes(counts: pd.DataFrame) -> pd.DataFrame:
    """Every claim, how it comes out, and on how many corpora and profiles. counts: `tested`'s."""
    table = counts.drop(columns=["speaks", *LEFT.values()]).rename(columns={"yes": "holds", "no": "doesn't"})
    left = counts[[*LEFT.values()]].sum(axis=1)
    table = table.rename(columns={"topic": "comes out"}).assign(**{"decided after Holm": left})
    for claim in claims.every():
        if claim.text not in table.index:
            table.loc[claim.text] = [UNTESTED, *[0] * (table.shape[1] - 1)]
    return table.rename_axis("claim").reset_index()


UNTESTED = "Not tested here"
MEASURES = {"gradient": "the gradient", "loo": "leave-one-out"}  # by the end of a measure's name


def by_group(counts: pd.DataFrame) -> list[str]:
    """All claims in short words, an item an outcome. counts: `tested`'s."""
    lines = {topic: {} for topic in (*OUTCOMES.values(), UNTESTED)}
    for claim in claims.every():
        topic = counts["topic"].get(claim.text, UNTESTED)
        of = MEASURES.get(claim.of[1].rpartition("_")[2], MEASURES["gradient"])
        lines[topic].setdefault(claim.short, []).append(of)
    return [
        f"**{topic} ({sum(map(len, own.values()))}):** "
        f"{'; '.join(short.format(listed(of)) for short, of in own.items())}."
        for topic, own in lines.items()
        if own
    ]


def norm_says(held: pd.DataFrame) -> str:
    """On what the claims on importance against attention depend; empty without answers to them.

    held: `claims.table`'s.
    """
    own = held[_kind(held["claim"]) == AGAINST]
    if own.empty:
        return ""
    sizes = own[own["claim"].str.contains(", by ") & (own["holds"] == "no")]
    below = {claim.text: claim.low for claim in claims.every()}
    less = sum(float(row.ours.split()[0]) < below[row.claim] for row in sizes.itertuples())
    fails = (
        f" Where they don't agree *much* more, their lead is smaller than reported in "
        f"{f'all {less}' if less == len(sizes) > 1 else f'{less} of {len(sizes)}'} answers."
    ) * bool(less)
    return (
        "How far gradient and leave-one-out agree depends on the [norm](glossary.md#norm) (length) of the "
        "word vectors, which the paper doesn't report. So [the verdict](12_verdict.ipynb) draws it by norm, "
        f"and leaves these {counted(own['claim'].nunique(), 'claim')} out of its count.{fails}"
    )
