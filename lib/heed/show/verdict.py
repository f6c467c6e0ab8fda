"""Chapter 12: what all runs say, in sentences, and the matrix of answers; the first page shows both, too."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed import verdict
from heed.experiments import transformers
from heed.registry import corpora, made_corpora
from heed.show import mended as models
from heed.show.figures import verdict as drawn
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS
from heed.show.transformers import brief
from heed.show.word_lengths import length_of, nominal
from heed.verdict import claims, paper_tests
from heed.verdict.paper_tests import TESTS

QUESTIONS = {test.of: test.question for test in TESTS if test.question}  # by what each is answered with
ORDER = [*QUESTIONS.values()]
# In the heads of the matrix: the number below each answer, and from where on it is yes, far or often.
READ_BY = {
    "tau_loo": "τ > {:g}",
    "tau_gradient": "τ > {:g}",
    "median_change": "TVD > {:g}",
    "optimum": "JSD > {:g}",
    "far_change": "TVD beyond seeds' > {:g}",
    "f1_mlp_base": "F1 gained > {:g}",
    "f1": "F1 gained > {:g}",
    "erased_random_mean_in_common": "share saved > {:g}",
    "excess_attention": "share lost ≤ {:g}",
    "truth": "AUROC > {:g}",
    "top_uniform": "share over chance > {:g}",
}
BORDERS = {test.of: READ_BY[test.of].format(test.border) for test in TESTS if test.question}
# In the matrix's title: an answer, and what it says.
MAIN = {
    "optimum": ("far", "very different attention clearly gives the same prediction"),
    "tau_loo": ("yes", "attention clearly ranks words like leave-one-out"),
    "erased_random_mean_in_common": ("yes", "erasing by it clearly flips decisions sooner than chance"),
}
JAIN, WIEGREFFE, SERRANO, SNELL = "Jain & Wallace", "Wiegreffe & Pinter", "Serrano & Smith", "Snell et al."
# What the papers said of attention: by whom, what, and the reading that agrees.
SAID = {
    "tau_loo": (JAIN, "it ranks words unlike leave-one-out", "no"),
    "tau_gradient": (JAIN, "it ranks words unlike the gradient", "no"),
    "median_change": (JAIN, "shuffled, it hardly moves the prediction", "little"),
    "optimum": (JAIN, "very different attention gives the same prediction", "far"),
    "far_change": (WIEGREFFE, "a model trained to attend elsewhere predicts otherwise", "yes"),
    "f1_mlp_base": (WIEGREFFE, "it helps a model that reads words one at a time", "yes"),
    "f1": (WIEGREFFE, "on some tasks equal weights do as well", "hardly"),
    "erased_random_mean_in_common": (SERRANO, "erasing by it flips decisions sooner than by chance", "yes"),
    "excess_attention": (SERRANO, "but later than erasing in the best order", "no"),
    "top_uniform": (SNELL, "it goes where a model with equal weights finds relevance", "often"),
}
MODEL = LABELS["bilstm"]
# The lines of the figure of lengths.
AGREEMENTS = {
    "Kendall's τ, mean over texts": {
        "attention and gradient": "tau_gradient",
        "attention and leave-one-out": "tau_loo",
        "gradient and leave-one-out": "tau_gradient_loo",
    }
}
WAYS = {"its own": "fine-tuned"}  # what a transformer is of whose attention an answer is
NOTHING = "No run is here yet: `make batch` makes some."


# The answer and the matrix: of `paper_tests.answers`


def chosen(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of the matrix; those of which most is known come first.

    The BiLSTM on each corpus, all models of the corpus that most is known of, transformers, and the runs of
    this folder.
    """
    if answers.empty:
        return answers
    known = answers.groupby(["corpus", "model"])["question"].transform("size")
    is_bilstm = answers["model"] == MODEL
    most = answers["corpus"] == answers["corpus"].value_counts(sort=True).index[0]
    own = answers["where"].isin([verdict.HERE, paper_tests.TRANSFORMER])
    found = answers[is_bilstm | most | own]
    order = known[found.index] + 100 * is_bilstm[found.index]
    found = found.assign(order=order, model=found["model"].map(brief))
    found = found.sort_values(["order", "corpus", "model"], ascending=[False, True, True])
    return found.drop(columns="order").reset_index(drop=True)


def matrix(answers: pd.DataFrame) -> Figure:
    """`chosen` as a figure, of one answer at least."""
    own = chosen(answers)
    asked = {question: BORDERS[of] for of, question in QUESTIONS.items() if question in {*own["question"]}}
    return drawn.answers(own, asked)


def finding(answers: pd.DataFrame) -> str:
    """What the matrix shows of the debate's main questions: in how many rows with several seeds."""
    own = chosen(answers)
    sure, said = own[own["seeds"] > 1], []
    for of, (reading, text) in MAIN.items():
        rows = sure[sure["question"] == QUESTIONS[of]]
        if len(rows):
            count = (rows["reading"] == reading).sum()
            what = "" if said else " row" if len(rows) == 1 else " rows"
            every = f"the one{what}" if len(rows) == 1 else f"all {len(rows)}{what}"
            part = f"{count or 'none'} of {len(rows)}{what}"
            said.append(f"{text} in {every if count == len(rows) else part}")
    return (
        f"By several seeds: {'; '.join(said)}"
        if said
        else "No main question is answered by several seeds yet"
    )


def of_seeds(answers: pd.DataFrame) -> str:
    """By how many seeds the matrix's answers are; nothing without any."""
    own = chosen(answers)
    sure, alone = own[own["seeds"] > 1], int((own["seeds"] == 1).sum())
    if sure.empty:
        return ""
    low, high = sure["seeds"].min(), sure["seeds"].max()
    ends = f"{low}" if low == high else f"{low} to {high}"
    has = "have" if alone > 1 else "has"
    return f"*Several seeds* are {ends} here; {alone or 'none'} of the {len(own)} answers {has} one seed."


def key() -> pd.DataFrame:
    """How each column of the matrix is read: its number, and the border."""
    said = {
        "tau_loo": "yes: Kendall's τ of attention and leave-one-out is above 0.5",
        "tau_gradient": "yes: Kendall's τ of attention and gradient is above 0.5",
        "median_change": "yes: the median shuffle moves the prediction by more than 0.1 (TVD), on average",
        "optimum": "far: attention with the same prediction can be more than 0.5 away (JSD, at most 0.69)",
        "far_change": "yes: a model trained to attend elsewhere changes its predictions more than a new seed",
        "f1_mlp_base": "yes: its weights add over 0.01 of F1 to a model that reads words one at a time",
        "f1": "yes: F1 is more than 0.01 above that of a model trained with equal weights",
        "erased_random_mean_in_common": "yes: it flips after 10 % of the words fewer than in random order "
        "(over the texts that every order flips)",
        "excess_attention": "yes: it flips after at most 10 % of the words more than in the best order known "
        "(over all texts; one that never flips counts as 100 %)",
        "truth": "yes: AUROC of the words that decide is above 0.75 (of models that are mostly right)",
        "top_uniform": "often: its top word is one that a model trained with equal weights finds relevant",
    }
    rows = [(question, said[of]) for of, question in QUESTIONS.items()]
    return pd.DataFrame(rows, columns=["question", "how it is read"])


def _of(answers: pd.DataFrame, of: str) -> pd.DataFrame:
    """The BiLSTM's answers to one question, by the measure that answers it."""
    return answers[(answers["model"] == MODEL) & (answers["question"] == QUESTIONS[of])]


def _range(own: pd.DataFrame, form: str = "z.2f") -> str:
    low, high = own["mean"].min(), own["mean"].max()
    return f"{low:{form}}" if f"{low:{form}}" == f"{high:{form}}" else f"{low:{form}} to {high:{form}}"


def _on(count: int, own: pd.DataFrame) -> str:
    """On how many of the corpora of these answers."""
    if count == len(own):
        named = listed([inert(str(name)) for name in sorted(own["corpus"])])
        few = {1: f"on the one corpus ({named})", 2: f"on both corpora ({named})"}
        return few.get(count, f"on all {count} corpora")
    return f"on {count or 'none'} of {counted(len(own), 'corpus', 'corpora')}"


def in_short(answers: pd.DataFrame) -> list[str]:
    """The debate's answer, in at most five sentences; all but the first of additive attention.

    *Clearly* is by the 95 % interval over several seeds.
    """
    said = [*filter(None, (_ranks(answers), _free(answers), _erased(answers), _truth(answers)))]
    if not said:
        return [NOTHING]
    return [*filter(None, (_verdict(answers),)), *said]


def _verdict(answers: pd.DataFrame) -> str:
    """Whom the matrix's questions speak for; nothing if none is decided."""
    own = chosen(answers)
    if not _decided(own):
        return ""
    for_it, against = _speak(own)
    if against <= for_it:
        return f"Of the matrix's questions {for_it} speak for attention and {against} against it."
    if not ((own["seeds"] > 1) & (own["speaks"] == "for")).any():
        return "Not by itself: no decided answer speaks for attention."
    return "Not by itself: attention hints at what a model uses, not at why it decided."


def _ranks(answers: pd.DataFrame) -> str:
    own = _of(answers, "tau_loo")
    if own.empty:
        return ""
    said = f"A {MODEL}'s attention ranks words unlike leave-one-out: τ {_range(own)}"
    sure = own[own["seeds"] > 1]
    if sure.empty:
        return f"{said}, by a single seed."
    alike, otherwise = (sure[sure["reading"] == reading] for reading in ("yes", "no"))
    above = f", above it on {len(alike)}" if len(alike) else ""
    lucky = f" ({_left(otherwise)})" if len(otherwise) else ""
    below = f"clearly below {_border('tau_loo'):g} {_on(len(otherwise), own)}{lucky}"
    return f"{said}, {below}{above}.{_local(answers)}{_in_transformers(answers)}"


def _left(decided: pd.DataFrame) -> str:
    """How many of these answers stay decided after Holm's correction."""
    return f"{(decided['holm'] < 0.05).sum() or 'none'} by Holm"


def _local(answers: pd.DataFrame) -> str:
    """Where the model whose states know their own word alone does rank words so; else nothing."""
    own = answers[(answers["model"] == LABELS["average"]) & (answers["question"] == QUESTIONS["tau_loo"])]
    alike = own[(own["reading"] == "yes") & (own["seeds"] > 1)]
    if alike.empty:
        return ""
    of = f"{len(alike)} of {len(own)}"
    return f" Average's is clearly above on {of} ({_range(alike)}; {_left(alike)})."


def _in_transformers(answers: pd.DataFrame) -> str:
    """The same of transformers that exist, by several seeds if there are; else nothing."""
    own = answers[answers["where"] == paper_tests.TRANSFORMER]
    own = own[own["question"] == QUESTIONS["tau_loo"]]
    sure = own[own["seeds"] > 1]
    own, alone = (sure, "") if len(sure) else (own, ", by a single seed")
    if own.empty:
        return ""
    parts = [brief(str(name)).partition(", ") for name in own["model"]]
    named = sorted({inert(name) for name, _, _ in parts})
    ways = sorted({WAYS.get(how, inert(how)) for _, _, how in parts if how})
    how = f", {listed(ways)}" if ways else ""
    how += f"; {inert(str(own['corpus'].iloc[0]))}" if own["corpus"].nunique() == 1 else ""
    return f" {listed(named)}'s (a transformer{how}) is {_range(own)}{alone}."


def _free(answers: pd.DataFrame) -> str:
    own = _of(answers, "optimum")
    if own.empty:
        return ""
    far = own[own["reading"] == "far"]
    clearly = far[far["seeds"] > 1]
    sure = f"; clearly on {len(clearly)}, {_left(clearly)}" if len(clearly) else ""
    said = (
        f"Very different attention gives the same prediction {_on(len(far), own)} (JSD {_range(own)}{sure})"
    )
    shuffled = _of(answers, "median_change")
    moves = shuffled[(shuffled["reading"] == "yes") & (shuffled["seeds"] > 1)]
    if moves.empty:
        return f"{said}."
    return f"{said}. Typical shuffles clearly move it on {len(moves)} ({_left(moves)})."


def _erased(answers: pd.DataFrame) -> str:
    own, best = _of(answers, "erased_random_mean_in_common"), _of(answers, "excess_attention")
    if own.empty:
        return ""
    sooner, later = (
        table[(table["reading"] == reading) & (table["seeds"] > 1)]
        for table, reading in ((own, "yes"), (best, "no"))
    )
    said = (
        "Erasing by attention flips decisions clearly sooner than chance on "
        f"{len(sooner) or 'none'} of {counted(len(own), 'corpus', 'corpora')}"
    )
    if len(sooner):
        said += f" (saving {_range(sooner, '.0%')} of the words)"
    if len(later):
        said += f", but later than the best on {len(later)} of {len(best)} (losing {_range(later, '.0%')})"
    decided = pd.concat([sooner, later])
    return f"{said}; {_left(decided)}." if len(decided) else f"{said}."


def _truth(answers: pd.DataFrame) -> str:
    """Whether it finds the deciding words, and whether it is needed: what is decided first, then the rest."""
    more = f"over {_border('f1'):g} to equal weights' F1"
    asked = {
        "truth": ("finds", "doesn't find", "the deciding words", "AUROC {}", "z.2f"),
        "f1": ("adds", "doesn't add", more, "{}", "z.3f"),
    }
    decided, undecided = [], []
    for of, (does, does_not, what, numbers, form) in asked.items():
        own = _of(answers, of)
        if own.empty:
            continue
        sure = own[(own["seeds"] > 1) & (own["reading"] != "open")]
        yes, told = (sure["reading"] == "yes").sum(), numbers.format(_range(own, form))
        no, on = len(sure) - yes, counted(len(own), "corpus", "corpora")
        if yes:
            but = f" and clearly doesn't on {no}" if no else ""
            decided.append(f"Attention clearly {does} {what} on {yes} of {on}{but} ({told}).")
        elif no:
            decided.append(f"Attention clearly {does_not} {what} on {no} of {on} ({told}).")
        else:
            undecided.append(f"{does} {what} ({on}; {told})")
    left = [f"Undecided: whether attention {listed(undecided)}."] if undecided else []
    return " ".join([*decided, *left])


def _border(of: str) -> float:
    """From where on an answer is yes, by the measure that gives it."""
    return next(test.border for test in TESTS if test.of == of and test.question)


def luck_of_answers(answers: pd.DataFrame, held: pd.DataFrame | None = None) -> str:
    """How many of the answers that several seeds decide are left after Holm's correction; else nothing.

    held: `claims.table`'s, if the claims' are said, too.
    """
    decided = answers[answers["p"].notna() & ~answers["reading"].isin([paper_tests.NONE, "open"])]
    if decided.empty:
        return ""
    left = (decided["holm"] < 0.05).sum()
    said = (
        f"Chance may have decided some answers: of {len(decided)} that several seeds decide (here and in the "
        f"annex), {left or 'none'} {'stays' if left == 1 else 'stay'} decided after Holm's correction for "
        "their number (*by Holm*)"
    )
    claimed = 0 if held is None else held["holds"].isin(["yes", "no"]).sum()
    if not claimed:
        return f"{said}."
    of_all = claims.corrected(held).isin(["yes", "no"]).sum()
    return f"{said}; of the claims' {claimed}, {of_all or 'none'}."


def _of_papers(answers: pd.DataFrame) -> pd.DataFrame:
    """What the papers said, and the BiLSTM's answers by several seeds: how many agree, don't, or are open."""
    good = {test.of: test.good for test in TESTS if test.question}
    found = []
    for of, (paper, said, agrees) in SAID.items():
        own = _of(answers, of)
        own = own[own["seeds"] > 1]
        speaks = "neither" if not good[of] else "for" if good[of] == agrees else "against"
        is_open = own["reading"] == "open"
        parts = (own[own["reading"] == agrees], own[(own["reading"] != agrees) & ~is_open])
        counts = [n for part in parts for n in (len(part), int((part["holm"] < 0.05).sum()))]
        found.append([paper, said, speaks, *counts, int(is_open.sum())])
    columns = ["paper", "said", "speaks", "holds", "holds by Holm", "fails", "fails by Holm", "open"]
    return pd.DataFrame(found, columns=columns)


def papers(answers: pd.DataFrame) -> pd.DataFrame:
    """The same as a table to be read."""
    own = _of_papers(answers)
    texts = {
        name: [
            f"{count} ({sure})" if count else "0"
            for count, sure in zip(own[kind], own[f"{kind} by Holm"], strict=True)
        ]
        for name, kind in (("holds on", "holds"), ("doesn't on", "fails"))
    }
    named = own.rename(
        columns={"said": "said of attention", "speaks": "for or against it", "open": "undecided on"}
    ).assign(**texts)
    return named[
        ["paper", "said of attention", "for or against it", "holds on", "doesn't on", "undecided on"]
    ]


def conclusion(answers: pd.DataFrame, held: pd.DataFrame | None = None) -> list[str]:
    """The book's question, answered: does attention explain a prediction? By what the papers said of it.

    held: `claims.table`'s, if it is said what chance may have decided of the claims.
    """
    own = chosen(answers)
    if not _decided(own):
        return [NOTHING]
    for_it, against = _speak(own)
    of = _of_papers(answers)
    said = [*filter(None, (_said(of[of["speaks"] == kind], kind) for kind in ("against", "for")))]
    by_paper = [f"{part[0].upper()}{part[1:]}." for part in ("; ".join(said),) if part]
    if against <= for_it:
        return [*by_paper, "That is no proof for another model: chapter 15 examines yours."]
    return [
        " ".join(["Not by itself.", *by_paper]),
        *filter(None, (luck_of_answers(answers, held),)),
        "So attention says something, but not on its own why a prediction was made. Show it beside measures "
        "that ask the model, and examine the model: [chapter 15](15_your_model.ipynb) does.",
    ]


def _said(of: pd.DataFrame, kind: str) -> str:
    """How many of these statements hold, for attention or against it; nothing if none is decided."""
    yes, no = of["holds"] > 0, of["fails"] > 0
    if not (yes | no).any():
        return ""
    said = counted(len(of), "thing") if kind == "against" else f"{len(of)}"
    parts = (yes & ~no, yes & no, no & ~yes, ~yes & ~no)
    return f"of {said} said {kind} it {_hold(*(int(part.sum()) for part in parts))}"


def _hold(everywhere: int, some: int, nowhere: int, undecided: int) -> str:
    """How many statements hold wherever several seeds decide, on some corpora, nowhere; not all are 0."""
    parts = {"wherever several seeds decide": everywhere, "only on some corpora": some, "nowhere": nowhere}
    counts = [(count, where) for where, count in parts.items() if count]
    said = [f"{count} {where}" for count, where in counts]
    if counts:
        count, where = counts[0]
        said[0] = f"{count} {'holds' if count == 1 else 'hold'} {where}"
    if undecided:
        said.append(f"{undecided} {'is' if undecided == 1 else 'are'} undecided")
    return listed(said)


def _speak(own: pd.DataFrame) -> tuple[int, int]:
    """How many questions speak for attention and how many against, by most of their answers by several seeds.

    Rows aren't counted: many are of one corpus, and of one question they say much the same.
    """
    sign = own["speaks"].map({"for": 1, "against": -1}).where(own["seeds"] > 1).fillna(0)
    sums = sign.groupby(own["question"]).sum()
    return int((sums > 0).sum()), int((sums < 0).sum())


def _decided(own: pd.DataFrame) -> bool:
    """Whether several seeds decide an answer that speaks for attention or against it."""
    return bool(own.loc[own["seeds"] > 1, "speaks"].isin(["for", "against"]).any())


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
    at = own.groupby(length_of(own))["tau_gradient_loo"].mean()
    title = corpora()[own["corpus"].iloc[0]]["title"]
    return own, (
        f"{title}, {MODEL}: the agreement of gradient and leave-one-out (τ) is {at.iloc[0]:.2f} with word "
        f"vectors of norm {nominal(at.index[0])}, and {at.iloc[-1]:.2f} with norm {nominal(at.index[-1])}"
    )


def usual_norms(own: pd.DataFrame) -> dict[str, float]:
    """The median norm that each kind of vectors comes with. own: rows as `lengths` chooses them."""
    norms = (own["norm"] / own["vectors_scale"]).groupby(own["vectors"]).median()
    return norms.sort_values().to_dict()


def of_lengths(own: pd.DataFrame) -> list[str]:
    """What the norm doesn't change: rows as `lengths` chooses them."""
    if own.empty:
        return ["No run of chapter 02's experiment is here: `make lengths`."]
    ends = [f"{own[of].min():.2f} to {own[of].max():.2f}" for of in ("tau_loo", "accuracy")]
    kinds, seeds = own["vectors"].nunique(), own["seed"].nunique()
    drawn = "*drawn*: at random; " if "random" in {*own["vectors"]} else ""
    return [
        f"The figure has means over {counted(kinds, 'kind')} of vectors ({drawn}{counted(seeds, 'seed')}); "
        "the ticks at the top are the norms that they come with. Model by model, attention's own τ with "
        f"leave-one-out is {ends[0]}, accuracy {ends[1]}.",
        *filter(None, (_no_more_than_attention(own),)),
    ]


def _no_more_than_attention(own: pd.DataFrame) -> str:
    """From which norm on gradient and leave-one-out agree no more with each other than attention does."""
    at = own.groupby(length_of(own))[["tau_gradient_loo", "tau_loo", "tau_gradient"]].mean()
    more = at["tau_gradient_loo"] > at[["tau_loo", "tau_gradient"]].max(axis=1)
    if more.iloc[-1]:
        return ""
    first = at.index[more.to_numpy().nonzero()[0][-1] + 1] if more.any() else at.index[0]
    return (
        f"From norm {nominal(first)} on the two agree with each other no more than attention does with one "
        "of them: there the argument falls."
    )


def agreement(held: pd.DataFrame) -> str:
    """Where gradient and leave-one-out agree more than attention with either. held: `claims.table`'s."""
    said = []
    for other, name in (("loo", "leave-one-out"), ("gradient", "the gradient")):
        of = "bilstm", f"tau_gradient_loo_minus_attention_{other}"
        (text,) = [claim.text for claim in claims.every() if claim.of == of and claim.low == 0]
        own = held[(held["claim"] == text) & held["holds"].isin(["yes", "no"])]
        if len(own):
            yes = int((own["holds"] == "yes").sum())
            said.append(f"with {name} on {yes or 'none'} of {len(own)}")
    if not said:
        return ""
    return (
        f"Over the corpora and training recipes that decide it, the {MODEL}'s gradient and leave-one-out "
        f"agree with each other more than attention agrees {listed(said)}."
    )


# Copying


def copying(runs: pd.DataFrame) -> list[str]:
    """What chapter 09 found of models that copy: attention on all but the answer. Empty without runs."""
    own = verdict.plain(runs[(runs["corpus"] == "copy-permutations") & (runs["encoder"] == "lstm")])
    own = own[(own["attention"] == "bilinear") & (own["class"] == "overall")]
    said = []
    first = own[own["profile"] == "paper"].pivot_table(index="seed", columns="measure", values="mean")
    if {"success", "attended"} <= {*first}:
        learnt = first[first["success"] > 0.5]
        where = (
            f", looking at the symbol that they write in {learnt['attended'].min():.1%} or more of the steps"
            if len(learnt)
            else ""
        )
        said.append(
            f"Of {counted(len(first), 'model')} trained to copy symbols {len(learnt) or 'none'} "
            f"{'learns' if len(learnt) == 1 else 'learn'} it in as many steps as the authors took{where}."
        )
    last = own[own["profile"] == "long"].pivot_table(index="seed", columns="measure", values="mean")
    if {"success", "attended"} <= {*last} and (last["success"] > 0.5).any():
        learnt = last[last["success"] > 0.5]
        share = learnt["attended"].mean()
        some = "All" if len(learnt) == len(last) else f"{len(learnt)} of the"
        where = "never" if share < 0.0005 else f"in {share:.1%} of the steps"
        right = (
            f" ({learnt['copied'].min():.1%} or more of their symbols are right)"
            if "copied" in learnt
            else ""
        )
        said.append(
            f"{some} {len(last)} others learn it in three times as many steps{right}, with the "
            f"largest weight {where} on the symbol that they write: they attend to the other symbols."
        )
    return said or ["No run of chapter 09 is here: `make copying`."]


# Transformers


def of_transformers(runs: pd.DataFrame, freedom: pd.DataFrame) -> list[str]:
    """What is other in transformers. freedom: `transformers.carried`'s."""
    said = []
    for name, own in freedom[freedom["kind"] == transformers.ALL].groupby("model"):
        free, size = own[own["dimension"] > 0], int(own["head_size"].iloc[0])
        if len(free):
            longest = free["units"].max()
            far = free.loc[free["units"] == longest, "jsd"].mean()
            said.append(
                f"In {inert(str(name))}, whose heads have {size} numbers, different attention with *exactly* "
                f"the same output must exist from {size + 2} word pieces on; at {longest} pieces it can be "
                f"{far:.2f} away (JSD)."
            )
    table = verdict.own_attention(runs)
    taus = table[table["measure"] == "tau_loo"].groupby(["corpus", "model"])["mean"].mean()
    flips = table[table["measure"] == "flips_without"].groupby(["corpus", "model"])["mean"].mean()
    if len(taus):
        each = listed([f"{value:z.2f} ({inert(corpus)})" for (corpus, _), value in taus.items()])
        known = "optimum" in {*table["measure"]}
        far = "" if known else "; how different it may be at the same *prediction* isn't known"
        said.append(f"Fine-tuned, its last layer's attention agrees with leave-one-out at τ = {each}{far}.")
    if len(flips):
        each = listed([f"{value:.0%} ({inert(corpus)})" for (corpus, _), value in flips.items()])
        classes = {len(corpora().get(corpus, {}).get("classes", [])) for corpus, _ in flips.index}
        coin = ": of two classes a coin would flip half" if classes == {2} else ""
        said.append(f"With all weights of that attention set to 0, {each} of the decisions flip{coin}.")
    if not said:
        return ["No numbers of transformers are here: `make batch GRID=transformers`."]
    return said


# Lies and repairs


def lies_and_repairs(tested: pd.DataFrame, lying: pd.DataFrame) -> list[str]:
    """What chapter 14 found. tested, lying: `verdict.mended`'s and `verdict.liars`'."""
    said = []
    own = models.named(tested).astype({"model": str})
    own = own[(own["corpus"] == "planted") & (own["family"] == MODEL)]
    honest = own[own["model"] == "as it is"]
    repaired = own[~own["model"].str.startswith("lies") & (own["model"] != "as it is")]
    if len(honest) and len(repaired):
        passes = {row["model"]: len(models.passed(row)) for _, row in own.iterrows()}
        best = max(passes[name] for name in repaired["model"])
        which = listed([name for name in repaired["model"] if passes[name] == best])
        said.append(
            f"An ordinary BiLSTM on `planted` passes {passes['as it is']} of these {len(models.PASSES)}, no "
            f"repair more than {best} ({which})."
        )
        free = repaired["optimum"].min()
        if free > 0.5:
            said.append(
                "No repair makes its attention unique: attention at least "
                f"{free:.2f} away (JSD) still gives the same prediction."
            )
    rows = lying[(lying["corpus"] == "planted") & (lying["encoder"] == "bilstm")]
    before, after = rows[rows["λ"] == 0], rows[rows["λ"] == rows["λ"].max()]
    if len(before) and len(after) and after["λ"].iloc[0] > 0:
        masses = [own["lie_mass"].mean() for own in (before, after)]
        right = [own["accuracy"].mean() for own in (before, after)]
        left = f"{masses[1]:.1%}" if masses[1] >= 0.0005 else "less than 0.1%"
        moves = [own["lie_removed"].mean() for own in (before, after)]
        said.append(
            f"And a BiLSTM can be taught to lie: {masses[0]:.0%} of its attention lay on the words that "
            f"decide, after the lesson {left}. Its accuracy is {right[1]:.2f} ({right[0]:.2f} before), and "
            f"without those words its prediction moves by {moves[1]:.2f} ({moves[0]:.2f} before)."
        )
    return said or ["No numbers of chapter 14 are here: `make batch GRID=lies`."]


# The claims


# The claims in the figure, by whom they speak for.
GROUPS = {
    "against": "Against attention, if they hold",
    "for": "For attention, if they hold",
    "": "Neither: on models, lengths and sizes",
}


def bars(tallied: pd.DataFrame) -> pd.DataFrame:
    """`claims.tally` for the figure: topic, speaks, yes, no and open; only claims that a run tests.

    By whom they speak for, and within that what holds first.
    """
    table = tallied[["yes", "no"]].assign(open=tallied.drop(columns=["yes", "no"]).sum(axis=1))
    tested = table[table.sum(axis=1) > 0]
    holds = (tested["yes"] - tested["no"]) / tested.sum(axis=1)
    speaks = tested.index.map({claim.text: claim.speaks for claim in claims.every()})
    tested = tested.assign(speaks=speaks, topic=speaks.map(GROUPS), holds=holds)
    tested["place"] = tested["speaks"].map([*GROUPS].index)
    ordered = tested.sort_values(["place", "holds"], ascending=[True, False], kind="stable")
    return ordered[["topic", "speaks", "yes", "no", "open"]]


def kinds(tallied: pd.DataFrame) -> dict[str, list[str]]:
    """The claims by what the runs say of them; every claim in one list."""
    yes, no = tallied["yes"], tallied["no"]
    left = tallied.drop(columns=["yes", "no"]).sum(axis=1)
    which = {
        "hold wherever it is decided": (yes > 0) & (no == 0),
        "hold on some corpora alone": (yes > 0) & (no > 0),
        "hold nowhere that it is decided": (yes == 0) & (no > 0),
        "are undecided": (yes == 0) & (no == 0) & (left > 0),
        "have no run yet": (yes == 0) & (no == 0) & (left == 0),
    }
    return {kind: [*tallied.index[rows]] for kind, rows in which.items()}


def claims_finding(tallied: pd.DataFrame) -> str:
    """How many of the claims hold, first of those that speak against attention."""
    tested = tallied[tallied.sum(axis=1) > 0]
    if tested.empty:
        return "No run tests a claim yet"
    is_against = tested.index.isin([claim.text for claim in claims.every() if claim.speaks == "against"])
    said = []
    for called, own in (("against attention", tested[is_against]), ("others", tested[~is_against])):
        if len(own):
            *counts, _ = map(len, kinds(own).values())
            said.append(f"of {len(own)} {called} {_hold(*counts)}")
    all_of_it = f"Jain & Wallace's {counted(len(tested), 'claim')}, as we read them"
    return f"{all_of_it}: {'; '.join(said)}"


def luck(held: pd.DataFrame) -> str:
    """How many answers are left after Holm's correction. held: `claims.table`'s."""
    decided = held["holds"].isin(["yes", "no"]).sum()
    if not decided:
        return ""
    by_claim, of_all = (own.isin(["yes", "no"]).sum() for own in (held["holm"], claims.corrected(held)))
    still = "is" if by_claim == 1 else "are"
    return (
        f"{counted(decided, 'answer')} {'is' if decided == 1 else 'are'} decided by their own interval; "
        f"{by_claim or 'none'} still {still} after Holm's correction within each claim, and "
        f"{of_all or 'none'} after one over all claims."
    )


def not_claimed(answers: pd.DataFrame, held: pd.DataFrame) -> str:
    """Which of the matrix's corpora aren't among the claims', on shuffling; else nothing."""
    own = _of(answers, "median_change")
    only = sorted({*own["corpus"]} - {*held["corpus"]})
    if not only or held.empty:
        return ""
    whose = f"models of {listed([f'`{inert(str(name))}`' for name in only])}"
    return f"The matrix has chapter 14's {whose}, too; the claims don't."


# Beside the published numbers


def whole(compared: pd.DataFrame) -> pd.DataFrame:
    """Of `verdict.by_corpus` the lines of whole corpora: a part can't be held against a published number."""
    return compared[~compared["corpus"].str.endswith(" (part)")]


def apart(own: pd.DataFrame) -> str:
    """How far ours lie from the published means. own: lines of `whole`."""
    if own.empty:
        return "No run stands beside a published number yet"
    off = (own["ours"] - own["reported"]).abs()
    said = f"Half of {counted(len(own), 'published mean')} lie within {off.median():.2f} of ours"
    several, inside = _in_range(own)
    if several.empty:
        return said
    return f"{said}, {inside or 'none'} of {len(several)} in the range of our seeds"


def _in_range(own: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The lines with several seeds, and in how many the published mean lies in the range of ours."""
    several = own[own["seeds"] > 1]
    inside = several["reported"].between(several["low"].round(2), several["high"].round(2)).sum()
    return several, int(inside)


def fits(own: pd.DataFrame, cells: pd.DataFrame) -> str:
    """Whether chance alone would put ours so far off: of the means, and of all published numbers.

    own: lines of `whole`; cells: `verdict.all_beside`'s.
    """
    several, _ = _in_range(own)
    if several.empty:
        return ""
    all_ = cells[cells["cell"].isin(["within", "outside"]) & ~cells["partial"].astype(bool)]
    inside = (all_["cell"] == "within").sum()
    return (
        f"If each published number were one more seed of ours, about {_by_chance(several['seeds']):.0f} of "
        f"these {len(several)} means would lie there. Of all {len(all_)} published numbers that we can hold "
        "against several seeds (also standard deviations and shares of significant texts) "
        f"{inside or 'none'} {'lies' if inside == 1 else 'lie'} there, and about "
        f"{_by_chance(all_['seeds']):.0f} would."
    )


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
