"""Chapter 12: what all runs say, in sentences, and the matrix of answers; the first page shows both, too."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed import verdict
from heed.registry import made_corpora
from heed.show import mended as models
from heed.show import rationales
from heed.show.figures import verdict as drawn
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS
from heed.show.transformers import brief
from heed.show.word_lengths import length_of, nominal
from heed.show.words import text_for
from heed.verdict import claims, paper_tests
from heed.verdict.paper_tests import TESTS

QUESTIONS = {test.of: test.question for test in TESTS if test.question}  # by what each is answered with
ASKED = {test.of: test.question for test in TESTS if test.good and test.question}  # the matrix's
# In the heads of the matrix: the number below each answer, and the border.
READ_BY = {
    "tau_loo": "τ > {:g}",
    "tau_gradient": "τ > {:g}",
    "median_change": "TVD > {:g}",
    "optimum": "JSD ≤ {:g}",
    "far_change": "TVD beyond seeds' > {:g}",
    "f1_mlp_base": "F1 over learnt weights' > {:g}",
    "f1": "F1 over equal weights' > {:g}",
    "erased_random_mean_in_common": "share saved > {:g}",
    "excess_attention": "share lost ≤ {:g}",
    "truth": "share of pairs > {:g}",
}
BORDERS = {test.of: READ_BY[test.of].format(test.border) for test in TESTS if test.of in ASKED}
# The tests that attention that explains would pass, in the order of their numbers.
CRITERIA = ("tau_loo", "optimum", "truth")
EASIER = {"tau_loo": (0.4, "τ > 0.4"), "optimum": (0.6, "JSD ≤ 0.6")}  # borders that are easier to pass
SHORT = (*CRITERIA, "erased_random_mean_in_common")  # what the answer in short speaks of
ENDS = {"tau_loo": (-0.2, 1), "optimum": (0, np.log(2)), "truth": (0.4, 1)}  # of their axes
NOTHING_SAID = {"tau_loo": 0.0, "truth": 0.5}  # what unrelated orders, and chance, would come to
JAIN, WIEGREFFE, SERRANO = "Jain & Wallace", "Wiegreffe & Pinter", "Serrano & Smith"
# What the papers said for or against attention: by whom, what, and the reading that agrees.
SAID = {
    "tau_loo": (JAIN, "it ranks words unlike their removal", "no"),
    "tau_gradient": (JAIN, "it ranks words unlike the gradient", "no"),
    "median_change": (JAIN, "shuffled weights hardly move the prediction", "little"),
    "optimum": (JAIN, "very different attention gives nearly the same prediction", "far"),
    "far_change": (WIEGREFFE, "a model trained to attend elsewhere predicts otherwise", "yes"),
    "f1_mlp_base": (WIEGREFFE, "it helps a model that reads words one at a time", "yes"),
    "f1": (WIEGREFFE, "equal weights can do as well", "hardly"),
    "erased_random_mean_in_common": (SERRANO, "erasing by it flips decisions sooner than at random", "yes"),
    "excess_attention": (SERRANO, "but later than erasing in the best order", "no"),
}
MODEL, ALONE = LABELS["bilstm"], LABELS["average"]  # the main model, and one that reads each word alone
# The lines of the figure of lengths.
AGREEMENTS = {
    "Kendall's τ, mean over texts": {
        "attention and gradient": "tau_gradient",
        "attention and leave-one-out": "tau_loo",
        "gradient and leave-one-out": "tau_gradient_loo",
    }
}
NOTHING = "No run is here yet: `make batch` makes some."
UNDECIDED = "No test is decided by several seeds yet"


# The answer and the matrix: of `paper_tests.answers`


def chosen(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of the matrix; those of which most is known come first, other models by corpus.

    The BiLSTM on each corpus, all models of the corpus that most is known of, transformers, and the runs of
    this folder. Of the other tests; those of an explanation have `main`.
    """
    if answers.empty:
        return answers
    known = answers.groupby(["corpus", "model"])["question"].transform("size")
    is_bilstm = answers["model"] == MODEL
    most = answers["corpus"] == answers["corpus"].value_counts(sort=True).index[0]
    own = answers["where"].isin([verdict.HERE, paper_tests.TRANSFORMER])
    found = answers[is_bilstm | most | own]
    found = found.assign(first=is_bilstm, known=known, model=found["model"].map(brief))
    found["of_corpus"] = found.groupby(["first", "corpus"])["known"].transform("max")
    by = ["first", "of_corpus", "corpus", "known", "model"]
    found = found.sort_values(by, ascending=[False, False, True, False, True])
    return found.drop(columns=["first", "of_corpus", "known"]).reset_index(drop=True)


def main(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of the matrix of an explanation's tests, model by model, in the same order of the corpora.

    The BiLSTM and a model that reads each word alone, both on all their corpora, transformers and own runs.
    """
    asked = answers["question"].isin([QUESTIONS[of] for of in CRITERIA])
    is_other = answers["where"].isin([verdict.HERE, paper_tests.TRANSFORMER])
    own = answers[asked & (answers["model"].isin([MODEL, ALONE]) | is_other)]
    of_bilstm = answers.loc[answers["model"] == MODEL, "corpus"].value_counts()
    own = own.assign(
        model=own["model"].map(brief),
        group=own["model"].map({MODEL: 0, ALONE: 1}).fillna(2),
        known=own["corpus"].map(of_bilstm).fillna(0),
    )
    by = ["group", "model", "known", "corpus"]
    own = own.sort_values(by, ascending=[True, True, False, True], kind="stable")
    return own.drop(columns=["group", "known"]).reset_index(drop=True)


def others(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of the matrix of the other tests: of `chosen`."""
    own = chosen(answers)
    return own[own["question"].isin([question for of, question in ASKED.items() if of not in CRITERIA])]


def matrix(own: pd.DataFrame, wide: bool = False) -> Figure:
    """Rows of `main` as a figure of an explanation's tests, of one answer to these at least; it fits a phone,
    or a wide screen."""
    panels = [
        drawn.Panel(QUESTIONS[of], BORDERS[of], *_border(of), ENDS[of], NOTHING_SAID.get(of))
        for of in CRITERIA
    ]
    there = own[own["question"].isin([panel.question for panel in panels])]
    return drawn.tests(there, panels, wide)


def _border(of: str) -> tuple[float, bool]:
    """The border of the test that a measure answers, and whether more than it passes."""
    (test,) = (test for test in TESTS if test.of == of and test.question)
    return test.border, test.good == test.above


def matrix_of_others(own: pd.DataFrame) -> Figure:
    """Rows of `others` as a figure, of one answer at least."""
    there = {*own["question"]}
    asked = {QUESTIONS[of]: BORDERS[of] for of in ASKED if of not in CRITERIA and QUESTIONS[of] in there}
    return drawn.answers(own[own["question"].isin(asked)], asked)


def finding(own: pd.DataFrame) -> str:
    """Which of the tests of an explanation the BiLSTM's attention fails and passes.

    own: the rows that are drawn; one seed decides nothing.
    """
    each = [_of(own, of) for of in CRITERIA]
    states = [*map(_state, each)]
    how = _fares(each)
    parts = [how[kinds].format(_tests(states, kinds)) for kinds in FARES if {*kinds} & {*states}]
    if not parts:
        return UNDECIDED
    is_open = states.count("open")
    left = f"; {_tests(states, ('open',))} {'is' if is_open == 1 else 'are'} open" if is_open else ""
    return f"A {MODEL}'s attention {listed(parts)}{left}"


# How attention fares in tests of which this is clear (by the interval over several seeds).
FARES = {("against",): "fails {}", ("for",): "passes {}", ("both", "some"): "passes {} on some corpora alone"}


def _fares(
    each: list[pd.DataFrame], clear: str = " wherever the answer is clear"
) -> dict[tuple[str, ...], str]:
    """`FARES`; where not all corpora of failed tests are decided, and where one test is passed in part."""
    fails = [own for own in each if _state(own) == "against"]
    is_left = any(((own["speaks"] == "open") | (own["seeds"] == 1)).any() for own in fails)
    where = clear if is_left else ""
    mixed = [own for own in each if _state(own) in ("both", "some")]
    on = f"passes {{}}{_passed(mixed[0])}" if len(mixed) == 1 else FARES["both", "some"]
    return FARES | {("against",): f"fails {{}}{where}", ("both", "some"): on}


def _tests(states: list[str], kinds: tuple[str, ...]) -> str:
    """The tests that are in one of these states, by their numbers."""
    numbers = [f"{number}" for number, state in enumerate(states, start=1) if state in kinds]
    return f"test{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


def of_seeds(own: pd.DataFrame) -> str:
    """By how many seeds the answers that are drawn are; nothing without several."""
    sure, alone = own[own["seeds"] > 1], (own["seeds"] == 1).any()
    if sure.empty:
        return ""
    low, high = sure["seeds"].min(), sure["seeds"].max()
    ends = f"{low}" if low == high else f"{low} to {high}"
    gaps = len(own) < len(own[["corpus", "model"]].drop_duplicates()) * own["question"].nunique()
    said = f"Numbers are means over {ends} seeds{'; one seed (hollow) decides nothing' if alone else ''}"
    said += "; a dash: not asked." if gaps else "."
    return f"{said} Bold: sure." if len(_kept(own)) else said


def key() -> pd.DataFrame:
    """When attention passes each test: those of an explanation first."""
    said = {
        "tau_loo": "Kendall's τ of attention and leave-one-out (removal) is above 0.5",
        "tau_gradient": "Kendall's τ of attention and gradient is above 0.5",
        "median_change": "the median shuffle moves the prediction by more than 0.1 (TVD), on average",
        "optimum": "attention with nearly the same prediction is at most 0.5 away (JSD, at most 0.69; of a "
        "whole transformer all heads move, as far as a search finds, and their mean counts)",
        "far_change": "a model trained to attend elsewhere changes its predictions more than a new seed",
        "f1_mlp_base": "a model that reads words one at a time gains over 0.01 of F1 from its weights",
        "f1": "F1 is over 0.01 above that of a model trained with equal weights",
        "erased_random_mean_in_common": "the decision flips after 10 % of the words fewer than in random "
        "order (over the texts that every order flips; of a whole transformer over all texts)",
        "excess_attention": "it flips after at most 10 % of the words more than in the best order known "
        "(over all texts; one that never flips counts as 100 %)",
        "truth": "a word that decides has more weight than another one in over 75 % of pairs (the AUROC; of "
        "models that are mostly right)",
    }
    rows = [(f"{number}. {ASKED[of]}", said[of]) for number, of in enumerate(CRITERIA, start=1)]
    rows += [(question, said[of]) for of, question in ASKED.items() if of not in CRITERIA]
    return pd.DataFrame(rows, columns=["question", "passes if"])


def _of(answers: pd.DataFrame, of: str, model: str = MODEL) -> pd.DataFrame:
    """A model's answers to one question, by the measure that answers it."""
    return answers[(answers["model"] == model) & (answers["question"] == QUESTIONS[of])]


def _sure(own: pd.DataFrame) -> pd.DataFrame:
    """The answers by several seeds; if there are none, all."""
    sure = own[own["seeds"] > 1]
    return sure if len(sure) else own


def _state(own: pd.DataFrame) -> str:
    """What several seeds decide: for attention, against it, both (on different corpora), or open.

    `some`: for it where it is decided, and open on other corpora.
    """
    every = {*own.loc[own["seeds"] > 1, "speaks"]}
    speaks = every & {"for", "against"}
    if len(speaks) == 2:
        return "both"
    if speaks == {"for"} and "open" in every:
        return "some"
    return speaks.pop() if speaks else "open"


def _counted_in(own: pd.DataFrame) -> pd.DataFrame:
    """The answers that a sentence's numbers are of: `_sure`, of a failed test without those that are open."""
    sure = _sure(own)
    return sure[sure["speaks"] != "open"] if _state(own) == "against" else sure


def _told(own: pd.DataFrame) -> str:
    """`_state` for a sentence that says on some corpora alone, wherever not on all."""
    state = _state(own)
    return "some" if state == "both" else state


ELSEWHERE = " (open elsewhere)"


def _passed(own: pd.DataFrame) -> str:
    """On how many corpora several seeds say that the test is passed; nothing if on all."""
    several = own[own["seeds"] > 1]
    passes, every = several.loc[several["speaks"] == "for", "corpus"].nunique(), several["corpus"].nunique()
    left = ELSEWHERE if "against" not in {*several["speaks"]} and every > passes + 1 else ""
    return "" if passes == every else f" on {passes} of {every} corpora{left}"


def _ends(numbers: pd.Series, form: str = "z.2f") -> str:
    low, high = f"{numbers.min():{form}}", f"{numbers.max():{form}}"
    return low if low == high else f"{low} to {high}"


def _by_one(own: pd.DataFrame) -> str:
    """That a single seed is behind a sentence, if so."""
    return ", by a single seed" if (own["seeds"] == 1).all() else ""


# A question's answer where several seeds speak for attention, against it, or for it on some corpora alone.
YES = {"for": "Yes", "against": "No", "some": "Only on"}
FINDS = YES | {"some": "On"}  # it fails nowhere: elsewhere it is open
NOISE = {"for": "No", "against": "Mostly", "some": "Not on"}


def in_short(answers: pd.DataFrame) -> list[str]:
    """The debate's answer, in at most five points: of the BiLSTM's additive attention.

    A question a point, with the answer, on how many corpora the 95 % interval over several seeds decides it,
    and a number at most.
    """
    said = [*filter(None, (_ranks(answers), _free(answers), _truth(answers), _erased(answers)))]
    if not said:
        return [NOTHING]
    return [*filter(None, (_verdict(answers), *said))]


def _verdict(answers: pd.DataFrame) -> str:
    """Whether the tests of an explanation speak for attention; nothing if none is decided."""
    if finding(answers) == UNDECIDED:
        return ""
    states = {_state(_of(answers, of)) for of in CRITERIA}
    answer = "Not by itself" if {"against", "both"} & states else "Perhaps"
    fares = _how_many([_of(answers, of) for of in CRITERIA], "").replace(ELSEWHERE, "")
    return f"**{answer}.** Of three tests {fares}.{_of_transformers(answers)}"


def _of_transformers(answers: pd.DataFrame) -> str:
    """In how many cases transformers that exist fail the tests that the BiLSTM fails; nothing if in none.

    A case is a corpus and a way to attend, by several seeds.
    """
    own = answers[(answers["where"] == paper_tests.TRANSFORMER) & (answers["seeds"] > 1)]
    said, there = [], []
    for number, of in enumerate(CRITERIA, start=1):
        asked = own[own["question"] == QUESTIONS[of]]
        fails = int((asked["speaks"] == "against").sum())
        if fails and _state(_of(answers, of)) == "against":
            there.append(asked)
            said.append(f"test {number} in {fails} of {len(asked)}{'' if said else ' cases'}")
    return f" A transformer ({_named(pd.concat(there))}) fails {listed(said)}." if said else ""


def _named(own: pd.DataFrame) -> str:
    """The names of transformers, without how they are used."""
    return listed(sorted({inert(brief(str(name)).partition(", ")[0]) for name in own["model"]}))


def sure(answers: pd.DataFrame) -> str:
    """Where decided answers to an explanation's tests stay so after Holm's correction; nothing if none is."""
    asked = [_of(answers, of) for of in CRITERIA]
    if not any(len(_decided(own)) for own in asked):
        return ""
    left = []
    for number, own in enumerate(asked, start=1):
        names = sorted({inert(str(name)) for name in _kept(own)["corpus"]})
        if names:
            left.append(f"test {number} on {listed(names) if len(names) < 5 else f'{len(names)} corpora'}")
    stay = f"these stay sure: {'; '.join(left)}" if left else "none stays sure"
    return f"After Holm's correction {stay}."


def _how_many(each: list[pd.DataFrame], clear: str = " wherever the answer is clear") -> str:
    """How many tests the BiLSTM's attention fails and passes; nothing if none is decided.

    clear: what to say of failed tests that aren't decided on every corpus.
    """
    states = [*map(_state, each)]
    counts = {kinds: sum(map(states.count, kinds)) for kinds in FARES}
    if not any(counts.values()):
        return ""
    how = _fares(each, clear)
    parts = [how[kinds].format(NUMERALS.get(count, count)) for kinds, count in counts.items() if count]
    is_open = states.count("open")
    verb = "is" if is_open == 1 else "are"
    left = f", and {NUMERALS.get(is_open, is_open)} {verb} open" if is_open else ""
    return f"a {MODEL}'s attention {listed(parts)}{left}"


NUMERALS = {1: "one", 2: "two", 3: "three"}


def finding_of_others(own: pd.DataFrame) -> str:
    """How many of the other tests the BiLSTM's attention fails and passes. own: the rows that are drawn."""
    each = [_of(own, of) for of in ASKED if of not in CRITERIA]
    each = [rows for rows in each if len(rows)]
    said = _how_many(each)
    return f"Of {counted(len(each), 'more test', 'more tests')} {said}" if said else UNDECIDED


def _ranks(answers: pd.DataFrame) -> str:
    own = _of(answers, "tau_loo")
    if own.empty:
        return ""
    told = _counted_in(own)
    asked = _asked("1. Does it rank words as their removal does?", own, YES)
    return f"{asked}: Kendall's τ is {_ends(told['mean'])} (1: the same order){_by_one(told)}."


def _free(answers: pd.DataFrame) -> str:
    own = _of(answers, "optimum")
    if own.empty:
        return ""
    told = _counted_in(own)
    asked = _asked("2. Is it the only one?", own, YES)
    far = f"attention {_ends(told['mean'])} away (JSD, at most 0.69)"
    return f"{asked}: {far} gives nearly the same prediction{_by_one(told)}."


def _truth(answers: pd.DataFrame) -> str:
    own = _of(answers, "truth")
    if own.empty:
        return ""
    told = _counted_in(own)
    asked = _asked("3. Does it find the deciding words?", own, FINDS)
    if _told(own) == "some":
        several = own[own["seeds"] > 1]
        named = sorted({inert(str(name)) for name in several.loc[several["speaks"] == "for", "corpus"]})
        left = "; it is open elsewhere" if _state(own) == "some" else ""
        return f"{asked} ({listed(named)}){left}."
    pairs = f"deciding words outweigh others in {_ends(told['mean'], '.0%')} of pairs"
    return f"{asked}: {pairs}{_by_one(told)}."


def _erased(answers: pd.DataFrame) -> str:
    """Whether erasing in attention's order flips decisions sooner than chance, and as soon as can be."""
    own, best = _of(answers, "erased_random_mean_in_common"), _of(answers, "excess_attention")
    if own.empty:
        return ""
    told = _counted_in(own)
    how = {"for": "sooner", "against": "hardly sooner"}.get(_told(own), "perhaps sooner")
    later = ", but not soonest" if _state(best[best["corpus"].isin(told["corpus"])]) == "against" else ""
    asked = _asked("Is it noise?", own, NOISE | {"for": "Probably not"} if _is_unsure(told) else NOISE)
    names = sorted({inert(str(name)) for name in told["corpus"]})
    on = f" ({listed(names)})" if len(names) < 4 else ""
    erasing = f"erasing words in its order flips decisions {how} than in random order"
    return f"{asked}{on}: {erasing}{_by_one(told)}{later}."


def _asked(question: str, own: pd.DataFrame, answer: dict[str, str]) -> str:
    """A question, what several seeds answer, and on how many corpora; the rest is open, or otherwise.

    own: the BiLSTM's answers to it. answer: what to say where they speak for attention, against it, and for
    it on some corpora alone.
    """
    several = own[own["seeds"] > 1]
    state, corpora = _state(own), counted(several["corpus"].nunique(), "corpus", "corpora")
    if several.empty:
        return f"**{question} Open**"
    if state == "open":
        return f"**{question} Open**, on {corpora}"
    speaks = "for" if state in ("both", "some") else state
    clear = several.loc[several["speaks"] == speaks, "corpus"].nunique()
    if state in ("both", "some"):
        return f"**{question} {answer['some']} {clear} of {corpora}**"
    return f"**{question} {answer[state]}**, on {clear} of {corpora}{_surely_on(several, speaks, clear)}"


def _surely_on(several: pd.DataFrame, speaks: str, clear: int) -> str:
    """On how many corpora of the clear ones an answer stays after Holm's correction, and that it is open on
    others; nothing if neither. several: answers by several seeds that speak thus or are open."""
    kept = _kept(several)
    left = kept.loc[kept["speaks"] == speaks, "corpus"].nunique()
    is_open = several["corpus"].nunique() > clear
    if left == clear:
        return ", surely" + (" (open elsewhere)" if is_open else "")
    said = [*([f"surely on {left}"] if left else []), *(["open elsewhere"] if is_open else [])]
    return f" ({', '.join(said)})" if said else ""


def _decided(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that several seeds decide."""
    return answers[answers["p"].notna() & ~answers["reading"].isin([paper_tests.NONE, "open"])]


def _kept(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers that stay decided after Holm's correction."""
    decided = _decided(answers)
    return decided[decided["holm"] < 0.05]


def _is_unsure(own: pd.DataFrame) -> bool:
    """Of answers that several seeds decide none stays so after Holm's correction."""
    return len(_decided(own)) > 0 and _kept(own).empty


def papers(answers: pd.DataFrame) -> pd.DataFrame:
    """What the papers said, for the figure: topic (the paper), speaks, yes, no and open, by the statement.

    The numbers are of corpora on which the BiLSTM's answer agrees, doesn't, or is open, by several seeds;
    statements without any are left out. `yes, after Holm` and `no, after Holm`: how many stay decided.
    """
    good = {test.of: test.good for test in TESTS if test.question}
    found = {}
    for of, (paper, said, agrees) in SAID.items():
        own = _of(answers, of)
        readings = own.loc[own["seeds"] > 1, "reading"]
        yes, is_open = int((readings == agrees).sum()), int((readings == "open").sum())
        speaks = "for" if good[of] == agrees else "against"
        kept = _kept(own)["reading"] == agrees
        left = [int(kept.sum()), int((~kept).sum())]
        found[said] = [paper, speaks, yes, len(readings) - yes - is_open, is_open, *left]
    columns = ["topic", "speaks", *COUNTS, "yes, after Holm", "no, after Holm"]
    table = pd.DataFrame.from_dict(found, orient="index", columns=columns)
    return table[table[COUNTS].sum(axis=1) > 0]


COUNTS = ["yes", "no", "open"]


def who_was_right(answers: pd.DataFrame) -> str:
    """How each paper's statements come out, as far as several seeds tell; nothing if none is decided."""
    every = papers(answers)
    if not len(every) or not every[["yes", "no"]].any(axis=None):
        return ""
    return " ".join(_of_paper(paper, own) for paper, own in every.groupby("topic", sort=False))


def _of_paper(paper: str, own: pd.DataFrame) -> str:
    """How a paper's statements come out: which hold, surely or not, which don't, and what is open.

    own: its rows of `papers`, one at least.
    """
    yes, no = own["yes"] > 0, own["no"] > 0
    holds, is_open = own[yes & ~no], own[~yes & ~no]
    unsure = ", but nowhere surely" if len(holds) and not holds["yes, after Holm"].any() else ""
    every = {1: f"{paper}'s one statement", 2: f"Both of {paper}'s statements"}
    every = every.get(len(own), f"All {len(own)} of {paper}'s statements")
    if len(holds) == len(own):
        return f"{every} {_verb('', len(own))}{unsure}."
    if len(is_open) == len(own):
        asked = counted(is_open["open"].max(), "corpus", "corpora")
        return f"{every} {_verb('open', len(own))}, asked on {asked} at most."
    said = [f"Of {paper}'s {counted(len(own), 'statement')} {len(holds) or 'none'} {_verb('', len(holds))}"]
    if len(is_open):
        said[0] += f" and {len(is_open)} {_verb('open', len(is_open))}"
    said[0] += f"{unsure}."
    for text, row in own[no].iterrows():
        on = f"on {counted(row['yes'], 'corpus', 'corpora')} and not on {row['no']}"
        said.append(f"“{text[0].upper()}{text[1:]}” holds {on if row['yes'] else 'nowhere'}.")
    return " ".join(said)


def left_by_chance(answers: pd.DataFrame) -> str:
    """How many of all papers' statements that hold do so somewhere after Holm's correction; else nothing."""
    own = papers(answers)
    holds = own.index[(own["yes"] > 0) & (own["no"] == 0)]
    if holds.empty:
        return ""
    kept = int((own.loc[holds, "yes, after Holm"] > 0).sum())
    still = counted(kept, "statement still holds", "statements still hold") if kept else "none still holds"
    return f"After Holm's correction for chance {still} on some corpus."


def papers_finding(answers: pd.DataFrame) -> str:
    """How many of all papers' statements hold; one at least has an answer."""
    said = _hold(papers(answers))
    return f"{said[0].upper()}{said[1:]}"


def _hold(own: pd.DataFrame) -> str:
    """How many statements hold wherever that is clear. own: rows of `papers`, one at least."""
    yes, no = own["yes"] > 0, own["no"] > 0
    mostly = yes & no & (own["no"] > own["yes"])
    parts = {"": yes & ~no, " on some corpora alone": yes & no & ~mostly, "mostly": mostly,
             " nowhere": no & ~yes, "open": ~yes & ~no}  # fmt: skip
    counts = {where: int(part.sum()) for where, part in parts.items() if part.any()}
    every = len(own)
    if len(counts) == 1:
        who = {1: "the one statement", 2: "both statements"}.get(every, f"all {every} statements")
        return f"{who} {_verb(*counts, every)}"
    said = [f"{count} {_verb(where, count)}" for where, count in counts.items()]
    return f"of {counted(every, 'statement')} {listed(said)}"


def _verb(where: str, count: int) -> str:
    if where == "open":
        return f"{'is' if count == 1 else 'are'} open"
    if where == "mostly":
        return f"mostly {'doesn' if count == 1 else 'don'}'t"
    return f"{'holds' if count == 1 else 'hold'}{where}"


def conclusion(answers: pd.DataFrame, gradient: str = "") -> list[str]:
    """The book's question, answered by the tests of an explanation: a paragraph each.

    gradient: where it fails the first of them, too (`gradient_fails`), or nothing.
    """
    states = {of: _state(_of(answers, of)) for of in SHORT}
    if {*states.values()} == {"open"}:
        return [NOTHING if answers.empty else f"{UNDECIDED}."]
    reasons = {
        "tau_loo": "attention ranks words otherwise than their removal does",
        "optimum": "very different attention would have given nearly the same prediction",
        "truth": "attention doesn't name the deciding words",
    }
    failed = {of: text for of, text in reasons.items() if states[of] in ("against", "both")}
    if not failed:
        return [
            "So far no test speaks against it. That is no proof for another model: chapter 15 examines yours."
        ]
    where = "on some corpora"
    if all(states[of] == "against" for of in failed):
        where = "wherever the answer is clear"
    told = f"In a {MODEL}, {where}, {', and '.join(failed.values())}.{_of_transformers(answers)}"
    said = [" ".join(filter(None, ("**Not as a reason on its own.**", told, _a_caution(failed, gradient))))]
    if not_noise := _not_noise(answers):
        said.append(not_noise)
    return [
        *said,
        f"**What to do instead?** {advice()} Your own model is examined in "
        "[chapter 15](15_your_model.ipynb).",
    ]


def _a_caution(failed: dict[str, str], gradient: str) -> str:
    """What a failed first test proves, if the gradient fails it, too; and the second, which asks for less.

    failed: the tests that are failed; gradient: `conclusion`'s.
    """
    if not gradient or "tau_loo" not in failed:
        return ""
    other = " But that attention can be exchanged doesn't hang on any other ranking."
    return (
        "A low τ alone proves little, because in attention's place the gradient would fail test 1, too, "
        f"{gradient}.{other if 'optimum' in failed else ''}"
    )


def _not_noise(answers: pd.DataFrame) -> str:
    """What speaks for attention: erasing in its order, and the words that decide; else nothing."""
    erased, truth = _of(answers, "erased_random_mean_in_common"), _of(answers, "truth")
    if _state(erased) != "for":
        return ""
    unsure = _is_unsure(erased)
    said = [
        f"**It is {'probably not' if unsure else 'not'} mere noise either.** If words are erased in its "
        "order, decisions flip sooner than in random order."
    ]
    if _state(truth) in ("for", "some"):
        said.append(f"Where the words that decide are known, it finds them{_passed(truth)}.")
    said.append(f"So attention {'may hint' if unsure else 'hints'} at what a model uses.")
    return " ".join(said)


def _fails(own: pd.DataFrame) -> str:
    """`6 of 10 corpora`: on how many several seeds say that a test is failed."""
    several = own[own["seeds"] > 1]
    fails = several.loc[several["speaks"] == "against", "corpus"].nunique()
    return f"{fails} of {counted(several['corpus'].nunique(), 'corpus', 'corpora')}"


def advice() -> str:
    """The book's advice to who wants to know what words did, from chapter 11's stored runs."""
    stored = verdict.committed().query("profile == 'paper' and attention == 'additive' and given == ''")
    return f"{rationales.advice(rationales.on_real_text(stored))} ([Chapter 11](11_rationales.ipynb).)"


def how_sure(own: pd.DataFrame) -> str:
    """How many of the BiLSTM's clear answers are sure; nothing if none is clear. own: what is drawn."""
    asked = own[own["model"] == MODEL]
    clear, kept = len(_decided(asked)), len(_kept(asked))
    if not clear:
        return ""
    verb = "is" if kept == 1 else "are"
    return f"Of the {MODEL}'s {counted(clear, 'clear answer')} {kept or 'none'} {verb} sure."


def of_borders(own: pd.DataFrame) -> str:
    """On how many corpora failed tests would still be failed with easier borders; nothing of no failed test.

    own: the rows that are drawn.
    """
    said = []
    for of, (border, named) in EASIER.items():
        answers, (_, more_passes) = _of(own, of), _border(of)
        several = answers[answers["seeds"] > 1]
        if _state(answers) == "against":
            fails = several["high"] < border if more_passes else several["low"] > border
            on = f"{fails.sum()} of {counted(len(several), 'corpus', 'corpora')} ({named})"
            said.append(f"test {CRITERIA.index(of) + 1} on {on}")
    return f"With easier borders a {MODEL}'s attention would still fail {listed(said)}." if said else ""


def of_average(own: pd.DataFrame) -> str:
    """Why a model that reads words alone can pass test 1 and fail test 2, if it does; own: what is drawn."""
    passes, fails = (_of(own, of, ALONE).query("seeds > 1") for of in ("tau_loo", "optimum"))
    both = {*passes.loc[passes["speaks"] == "for", "corpus"]} & {
        *fails.loc[fails["speaks"] == "against", "corpus"]
    }
    if not both:
        return ""
    return (
        f"It depends on the model, too: {ALONE} passes test 1"
        f"{_passed(passes)}. Some of that is built in, because a word that is left out loses its weight as "
        f"well. But it fails test 2 on {_fails(fails)}, because very different weights can have the same "
        "average."
    )


def of_one_word(own: pd.DataFrame) -> str:
    """Why a corpus can fail test 1 and pass test 3, if the BiLSTM's does on indicator; else nothing.

    own: the rows that are drawn.
    """
    speaks = [
        {*rows.loc[rows["corpus"] == "indicator", "speaks"]}
        for rows in (_of(own, of) for of in ("tau_loo", "truth"))
    ]
    if speaks != [{"against"}, {"for"}]:
        return ""
    return (
        "Indicator fails test 1 although attention finds its deciding words, because τ compares the orders "
        "of *all* words, and the others do next to nothing."
    )


# The norm of word vectors


def lengths(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The BiLSTM's rows of real corpora, and the finding about the norm of word vectors; empty without any.

    rows: `verdict.word_lengths`'.
    """
    own = rows.query("attention == 'additive' and input_scale == 1 and encoder == 'bilstm'")
    own = own[~own["corpus"].isin(made_corpora())].dropna(subset=["norm", "tau_gradient_loo"])
    own = own[own["corpus"] == own["corpus"].min()] if len(own) else own
    if own["norm"].nunique() < 2:
        return own.iloc[:0], ""
    at = _by_norm(own)
    corpus = text_for(own["corpus"].iloc[0], "figure")
    short, long = at["tau_gradient_loo"].iloc[[0, -1]]
    seeds = own["seed"].nunique()
    by = "one seed" if seeds == 1 else f"{seeds} seeds"
    return own, (
        f"{corpus}, {by}: gradient and leave-one-out agree at τ {short:.2f} with short word vectors, at "
        f"{long:.2f} with long ones"
    )


def _no_more(at: pd.DataFrame, first: float) -> str:
    """`32 and 64`: the norms from `first` on. at: `_by_norm`'s."""
    return listed([f"{nominal(norm)}" for norm in at.index if norm >= first])


def _by_norm(own: pd.DataFrame) -> pd.DataFrame:
    """The three agreements by norm, means over vectors and seeds. own: rows as `lengths` chooses them."""
    return own.groupby(length_of(own))[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()


def _agree_no_more(at: pd.DataFrame) -> float | None:
    """From which norm on gradient and leave-one-out agree no more than attention does, if there is one."""
    more = (at["tau_gradient_loo"] > at[["tau_loo", "tau_gradient"]].max(axis=1)).to_numpy()
    return None if more[-1] else at.index[more.nonzero()[0][-1] + 1] if more.any() else at.index[0]


def usual_norms(own: pd.DataFrame) -> dict[str, float]:
    """The median norm that each kind of vectors comes with. own: rows as `lengths` chooses them."""
    norms = (own["norm"] / own["vectors_scale"]).groupby(own["vectors"]).median()
    return norms.sort_values().to_dict()


def of_lengths(own: pd.DataFrame) -> str:
    """What the figure of lengths has: rows as `lengths` chooses them."""
    if own.empty:
        return "No run of chapter 02's experiment is here: `make lengths`."
    kinds, seeds = own["vectors"].nunique(), own["seed"].nunique()
    hint = ": a hint, no proof" if seeds == 1 else ""
    caption = (
        f"*A BiLSTM, {counted(seeds, 'seed')}{hint}. Means over {counted(kinds, 'kind')} of vectors, with "
        "their own norms ticked at the top; thin dashes: test 1's border. Jain & Wallace's vectors weren't "
        "measured.*"
    )
    at = _by_norm(own)
    first = _agree_no_more(at)
    if first is None or first == at.index[0]:
        return caption
    attention = at[["tau_loo", "tau_gradient"]].stack()
    return (
        f"Attention's τ with either is {_ends(attention)}, whatever the norm. With short vectors the other "
        "two agree more with each other, and attention is the odd one out, as Jain & Wallace say. With long "
        f"ones (norm {_no_more(at, first)}) they agree no more than with attention."
        f"{_of_usual(own)}\n\n{caption}"
    )


def _of_usual(own: pd.DataFrame) -> str:
    """That with the vectors that models start from the gradient fails the first test, if so: sentences.

    own: rows as `lengths` chooses them.
    """
    at, usual = _by_norm(own), usual_norms(own).get("word2vec", np.nan)
    near = [norm for norm in at.index if 0.7 < norm / usual < 1.4]
    if not near or not (tau := at.loc[near[0], "tau_gradient_loo"]) <= _border("tau_loo")[0]:
        return ""
    return (
        f" With the vectors that our models start from (norm {usual:.0f}) the gradient, in attention's "
        f"place, would fail test 1, too (τ = {tau:z.2f}). So a low τ says that two rankings disagree, not "
        "which of them is wrong."
    )


def of_the_gradient(runs: pd.DataFrame) -> str:
    """That in attention's place the gradient would fail the first test, too, if so. runs: summaries."""
    where = gradient_fails(runs)
    if not where:
        return ""
    return (
        f"in attention's place the gradient would fail test 1, too, {where}. So a low τ says that two "
        "rankings disagree, not which of them is wrong."
    )


def gradient_fails(runs: pd.DataFrame) -> str:
    """On how many corpora the gradient, in attention's place, clearly fails the first test; else nothing.

    Of the BiLSTM with additive attention, by the interval over several seeds. runs: summaries.
    """
    if runs.empty:
        return ""
    of = "tau_gradient_loo"
    own = claims.able(runs, [of]).query("`class` == 'overall' and profile == 'paper' and measure == @of")
    own = own.query("encoder == 'bilstm' and attention == 'additive'")
    found = [
        claims.interval(seeds, of, False) for _, seeds in own.groupby("corpus")["mean"] if len(seeds) > 1
    ]
    border, _ = _border("tau_loo")
    fails = pd.Series([mean for mean, _, high in found if high <= border])
    if fails.empty:
        return ""
    corpora = counted(len(found), "corpus", "corpora")
    return f"on {len(fails)} of {corpora} (its τ with removal is {_ends(fails)} there)"


# What other chapters add


def copying(runs: pd.DataFrame) -> list[str]:
    """What chapter 09 found of models that copy: attention on all but the answer. Empty without such runs.

    Of models as the paper trains them and of those that failed and were trained on.
    """
    own = verdict.plain(runs[(runs["corpus"] == "copy-permutations") & (runs["encoder"] == "lstm")])
    own = own[(own["attention"] == "bilinear") & (own["class"] == "overall")]
    own = own[own["profile"].isin(["paper", "long"])]
    last = own.pivot_table(index=["profile", "seed"], columns="measure", values="mean")
    if not {"success", "attended"} <= {*last}:
        return []
    share = last.loc[last["success"] > 0.5, "attended"]
    away = share[share < 0.5]
    if away.empty:
        return []
    where = "never lies" if away.mean() < 0.0005 else f"lies in {away.mean():.1%} of the steps"
    every = f"all {len(share)}" if len(away) == len(share) > 1 else f"{len(away)} of {len(share)}"
    return [
        f"**Copying** ([09](09_copying.ipynb)): {every} models copy symbols while their largest weight "
        f"{where} on the symbol that is written. So attention can point past the reason."
    ]


def repairs(tested: pd.DataFrame) -> list[str]:
    """How many of chapter 14's repairs of the BiLSTM surely pass each of the three tests, on planted.

    tested: `verdict.mended`'s.
    """
    own = models.named(tested).astype({"model": str})
    own = own[(own["corpus"] == "planted") & (own["family"] == MODEL)]
    own = own[~own["model"].str.startswith("lies") & (own["model"] != models.AS_IT_IS)]
    if own.empty:
        return []
    tests = {}  # by how many pass them
    for number, of in enumerate(models.CORNER.values(), start=1):
        passed = sum(models.PASSES[of].reads(row, of) == "yes" for _, row in own.iterrows())
        tests.setdefault(passed, []).append(f"{number}")
    said = []
    for passed, numbers in sorted(tests.items(), reverse=True):
        named = listed(numbers) if passed else " or ".join(numbers)
        plural = "s" if passed and len(numbers) > 1 else ""
        makes = "make" if passed > 1 else "makes"
        said.append(f"{passed or 'none'} {makes} it clearly pass test{plural} {named}")
    return [
        f"**Repairs** ([14](14_lies_and_repairs.ipynb)): of {counted(len(own), 'training')} meant to make a "
        f"{MODEL}'s attention tell more (on planted), {', but '.join(said)}."
    ]


def lies(lying: pd.DataFrame) -> list[str]:
    """What chapter 14 taught a model. lying: `verdict.liars`'."""
    rows = lying[(lying["corpus"] == "planted") & (lying["encoder"] == "bilstm")]
    before, after = rows[rows["λ"] == 0], rows[rows["λ"] == rows["λ"].max()]
    if before.empty or after.empty or after["λ"].iloc[0] <= 0:
        return []
    masses, right = ([own[of].mean() for own in (before, after)] for of in ("lie_mass", "accuracy"))
    left = f"{masses[1]:.1%}" if masses[1] >= 0.0005 else "less than 0.1%"
    cost = "as accurate as before" if right[1] > right[0] - 0.01 else "less accurate"
    return [
        f"**Lies** (14, too): a {MODEL} that was taught to look away from the deciding words keeps {left} of "
        f"its attention on them, and is {cost}. So a heatmap can be made to hide a reason."
    ]


def later(runs: pd.DataFrame, tested: pd.DataFrame, lying: pd.DataFrame) -> list[str]:
    """A point for each: `copying`, `repairs` and `lies`."""
    said = [*copying(runs), *repairs(tested), *lies(lying)]
    return said or ["No number of chapters 09 and 14 is here: `make batch` makes some."]


# The claims


# The claims in the figure, by whom they speak for.
GROUPS = {"against": "Against attention, if they hold", "for": "For attention, if they hold"}


def bars(tallied: pd.DataFrame) -> pd.DataFrame:
    """`claims.tally` for the figure: topic, speaks, yes, no and open; claims that a run tests and that speak.

    By whom they speak for, and within that what holds first.
    """
    table = tallied[["yes", "no"]].assign(open=tallied.drop(columns=["yes", "no"]).sum(axis=1))
    table["speaks"] = table.index.map({claim.text: claim.speaks for claim in claims.every()})
    counts = ["yes", "no", "open"]
    tested = table[(table[counts].sum(axis=1) > 0) & table["speaks"].isin([*GROUPS])]
    holds = (tested["yes"] - tested["no"]) / tested[counts].sum(axis=1)
    tested = tested.assign(topic=tested["speaks"].map(GROUPS), holds=holds)
    ordered = tested.sort_values(["speaks", "holds"], ascending=[True, False], kind="stable")
    return ordered[["topic", "speaks", *counts]]


def claims_finding(tallied: pd.DataFrame) -> str:
    """How many of the claims against attention that a run tests hold wherever that is clear."""
    is_against = tallied.index.isin([claim.text for claim in claims.every() if claim.speaks == "against"])
    own = tallied[is_against & (tallied.sum(axis=1) > 0)]
    if own.empty:
        return "No run tests a claim yet"
    holds = int(((own["yes"] > 0) & (own["no"] == 0)).sum())
    return (
        f"{holds or 'None'} of Jain & Wallace's {counted(len(own), 'claim')} against attention "
        f"{'holds' if holds == 1 else 'hold'} wherever the answer is clear"
    )


def luck(held: pd.DataFrame) -> str:
    """How many answers are left after Holm's correction. held: `claims.table`'s."""
    decided = held["holds"].isin(["yes", "no"]).sum()
    if not decided:
        return ""
    by_claim, of_all = (own.isin(["yes", "no"]).sum() for own in (held["holm"], claims.corrected(held)))
    still = "is" if by_claim == 1 else "are"
    return (
        f"Of the claims' answers {decided} {'is' if decided == 1 else 'are'} decided by their own interval; "
        f"{by_claim or 'none'} still {still} after Holm's correction within each claim, and "
        f"{of_all or 'none'} after one over all claims."
    )


# Beside the published numbers


def whole(compared: pd.DataFrame) -> pd.DataFrame:
    """Of `verdict.by_corpus` the lines of whole corpora: a part can't be held against a published number."""
    return compared[~compared["corpus"].str.endswith(" (part)")]


def apart(own: pd.DataFrame) -> str:
    """How many published means lie in our seeds' range, or near ours. own: lines of `whole`."""
    if own.empty:
        return "No run stands beside a published number yet"
    if len(own) == 1:
        return f"The one published mean lies {(own['ours'] - own['reported']).abs().iloc[0]:.2f} from ours"
    several, inside = _in_range(own)
    if len(several) > 1:
        verb = "lies" if inside == 1 else "lie"
        return f"{inside or 'None'} of {len(several)} published means {verb} in our seeds' range"
    near = int((~_far(own)).sum())
    lie = f"{'lies' if near == 1 else 'lie'} within {OFF:g} of ours"
    if near <= len(own) / 2:
        return f"Of {len(own)} published means {near or 'none'} {lie}"
    far = len(own) - near
    return f"All {f'but {far} of {len(own)}' if far else near} published means {lie}"


def _in_range(own: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The lines with several seeds, and in how many the published mean lies in the range of ours."""
    several = own[own["seeds"] > 1]
    inside = several["reported"].between(several["low"].round(2), several["high"].round(2)).sum()
    return several, int(inside)


def fits(own: pd.DataFrame) -> str:
    """How many published means lie in our seeds' range, and how many would by chance.

    own: lines of `whole`.
    """
    if own.empty:
        return "No run that stands beside a published number is here: `make fidelity` makes some."
    several, inside = _in_range(own)
    if several.empty:
        return ""
    chance = f"{_by_chance(several['seeds']):.0f}"
    return (
        f"Of {counted(len(several), 'published mean')} {inside or 'none'} "
        f"{'lies' if inside == 1 else 'lie'} between our lowest and highest seed, and of as many new seeds "
        f"of ours about {chance} would."
    )


OFF = 0.1  # a published mean that lies further from ours is named
NUMBERS = {
    "tau_gradient": "τ with the gradient",
    "tau_loo": "τ with leave-one-out",
    "f1": "F1",
    "accuracy": "accuracy",
}


def _far(own: pd.DataFrame) -> pd.Series:
    return (own["ours"] - own["reported"]).abs() > OFF


def unexplained(own: pd.DataFrame) -> str:
    """Which published means lie far from ours; empty if none does. own: lines of `whole`."""
    far = own[_far(own)]
    if far.empty:
        return ""
    said = []
    for (corpus, encoder), part in far.groupby(["corpus", "encoder"], sort=False):
        which = listed([NUMBERS.get(of, inert(of)) for of in dict.fromkeys(part["measure"])])
        higher = (part["ours"] > part["reported"]).all()
        how = " (ours is higher)" if higher and len(part) == 1 else " (ours are higher)" if higher else ""
        said.append(f"the {LABELS[encoder]}'s {which} on {inert(corpus)}{how}")
    return f"More than {OFF:g} off are {listed(said)}."


def _by_chance(seeds: pd.Series) -> float:
    """How many published numbers would lie in the range of our seeds, if each were one more seed of ours.

    Of n + 1 seeds alike, one lies within the range of the others with probability (n − 1) / (n + 1).
    """
    seeds = seeds.astype(float)
    return ((seeds - 1) / (seeds + 1)).sum()


def within(cells: pd.DataFrame) -> str:
    """How many published cells lie in the range of our seeds, and how many would by chance.

    Of whole corpora and of two seeds or more.
    """
    table = verdict.counted(cells)
    own = table[table["corpora"] == "whole corpora"].sum(numeric_only=True)
    inside, outside, alone, gaps = (int(own[kind]) for kind in ("within", "outside", "one seed", "gap"))
    compared = inside + outside
    said = (
        f"Of {counted(compared + alone + gaps, 'published number')} of whole corpora (means, standard "
        f"deviations, shares of significant texts) {compared + alone} can be compared with runs of ours, "
        f"{compared} of them with several seeds; {inside} of these "
        f"{'lies' if inside == 1 else 'lie'} within the seeds' range."
    )
    if not compared:
        return said
    whole = cells[cells["cell"].isin(["within", "outside"]) & ~cells["partial"].astype(bool)]
    luck = _by_chance(whole["seeds"])
    return f"{said} If each published number were one more seed of ours, about {luck:.0f} would."


def general_vectors(changed: pd.DataFrame) -> str:
    """What general word vectors change; empty without runs. changed: `verdict.before_and_after`'s."""
    means = changed[changed["statistic"] == "mean"] if len(changed) else changed
    if means.empty:
        return ""
    off = [(means[f"mean_{when}"] - means["reported"]).abs().median() for when in ("before", "after")]
    several = changed[(changed["cell_before"] != "one seed") & (changed["cell_after"] != "one seed")]
    inside = [(several[f"cell_{when}"] == "within").sum() for when in ("before", "after")]
    named = listed([inert(name) for name in sorted(changed["corpus"].unique())])
    which = f"With general pretrained word vectors, as theirs were, ours come {{}} ({named})"
    if off[1] >= off[0]:
        return f"{which.format('no nearer')}: off by {off[1]:.2f} in the median, {off[0]:.2f} without."
    return (
        f"{which.format('nearer')}: off by {off[1]:.2f} in the median instead of {off[0]:.2f}, and "
        f"{inside[1]} of {len(several)} published numbers lie within the seeds' range instead of {inside[0]}."
    )


def found(here: int, carried: int, held: pd.DataFrame) -> pd.DataFrame:
    """The last table: what was gathered, and how many claims hold."""
    answers = held["holds"]
    rows = {
        "runs in this folder": here,
        "carried runs": carried,
        "verdicts “holds”, of claims on corpora and profiles": int((answers == "yes").sum()),
        "verdicts “doesn't hold”": int((answers == "no").sum()),
        "undecided: open, of one seed, or of too few texts": int((~answers.isin(["yes", "no"])).sum()),
    }
    return pd.DataFrame({"what": [*rows], "found": np.array([*rows.values()], dtype=int)})


def gathered(own: verdict.Gathered) -> list[str]:
    """Of how many runs the answers are, and what was left out."""
    said = []
    if own.here:
        each = "lies in this folder, and counts" if own.here == 1 else "lie in this folder, and count"
        said.append(f"{counted(own.here, 'finished run')} {each} here, too.")
    if own.strange:
        said.append(
            f"Left out are {counted(own.strange, 'row')} in whose names HTML or a link stands. No run of "
            "heed writes that."
        )
    return said
