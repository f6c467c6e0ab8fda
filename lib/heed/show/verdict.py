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
    "erased_random_mean_in_common": "share of words saved > {:g}",
    "excess_attention": "share of words lost ≤ {:g}",
    "truth": "AUROC > {:g}",
    "top_uniform": "share of texts over chance > {:g}",
}
BORDERS = {test.of: READ_BY[test.of].format(test.border) for test in TESTS if test.question}
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
    """What the matrix shows: how far attention may move, and whom the other answers speak for."""
    own = chosen(answers)
    if not _decided(own):
        return "No answer is decided by several seeds yet"
    free, rest = _free_in_every_row(own)
    parts = "{against} speak against attention as an explanation, {for} for it, and {open} are undecided"
    parts = parts.format(**_speak(rest))
    if free.empty:
        return f"Of the answers by several seeds {parts}"
    every = len(free) == len(own.drop_duplicates(["corpus", "model"]))
    told = "the one row that tells" if len(free) == 1 else f"all {len(free)} rows that tell"
    where = "every row" if every else told
    return (
        f"Very different attention gives the same prediction in {where}; of the other answers, by several "
        f"seeds, {parts}"
    )


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
    """Whom the matrix's answers speak for; nothing if none is decided."""
    own = chosen(answers)
    if not _decided(own):
        return ""
    counts = _speak(own)
    if counts["against"] <= counts["for"]:
        return (
            f"Of the decided answers {counts['for']} speak for attention and {counts['against']} against it."
        )
    if not counts["for"]:
        return "Not by itself: no decided answer speaks for attention."
    return "Not by itself: attention says something about what a model uses, but not why it decided."


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
    """The same of transformers that exist; else nothing."""
    own = answers[answers["where"] == paper_tests.TRANSFORMER]
    own = own[own["question"] == QUESTIONS["tau_loo"]]
    if own.empty:
        return ""
    named = listed(sorted({inert(brief(str(name)).partition(",")[0]) for name in own["model"]}))
    return f" {named}'s (a transformer) is {_range(own)}."


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
    return f"{said}. But a typical shuffle clearly moves it on {len(moves)} ({_left(moves)})."


def _erased(answers: pd.DataFrame) -> str:
    own, best = _of(answers, "erased_random_mean_in_common"), _of(answers, "excess_attention")
    if own.empty:
        return ""
    sooner, later = (
        table[(table["reading"] == reading) & (table["seeds"] > 1)]
        for table, reading in ((own, "yes"), (best, "no"))
    )
    said = (
        "Erasing words by attention flips decisions clearly sooner than random order on "
        f"{len(sooner) or 'none'} of {counted(len(own), 'corpus', 'corpora')}"
    )
    if len(sooner):
        said += f" ({_range(sooner, '.0%')} fewer words)"
    if len(later):
        said += f", but later than the best on {len(later)} of {len(best)} ({_range(later, '.0%')} more)"
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


def luck_of_answers(answers: pd.DataFrame) -> str:
    """How many of the answers that several seeds decide are left after Holm's correction; else nothing."""
    decided = answers[answers["p"].notna() & ~answers["reading"].isin([paper_tests.NONE, "open"])]
    if decided.empty:
        return ""
    left = (decided["holm"] < 0.05).sum()
    return (
        f"Chance may have decided some answers: of {len(decided)} that several seeds decide (here and in the "
        f"annex), {left or 'none'} {'stays' if left == 1 else 'stay'} decided after Holm's correction for "
        "their number (*by Holm*)."
    )


def papers(answers: pd.DataFrame) -> pd.DataFrame:
    """What the papers said, and on how many corpora it holds: the BiLSTM's answers by several seeds."""
    found = []
    for of, (paper, said, agrees) in SAID.items():
        own = _of(answers, of)
        own = own[own["seeds"] > 1]
        is_open = own["reading"] == "open"
        parts = (own[own["reading"] == agrees], own[(own["reading"] != agrees) & ~is_open])
        counts = [f"{len(part)} ({(part['holm'] < 0.05).sum()})" if len(part) else "0" for part in parts]
        found.append([paper, said, *counts, int(is_open.sum())])
    columns = ["paper", "said of attention", "holds on", "doesn't on", "undecided on"]
    return pd.DataFrame(found, columns=columns)


def conclusion(answers: pd.DataFrame) -> list[str]:
    """The book's question, answered: does attention explain a prediction? By the answers of the matrix."""
    own = chosen(answers)
    if not _decided(own):
        return [NOTHING]
    counts = _speak(own)
    said = "of the matrix's answers by several seeds {against} speak against it, {for} for it"
    said = said.format(**counts) + f", and {counts['open']} are undecided."
    if counts["against"] <= counts["for"]:
        return [
            f"{said[0].upper()}{said[1:]}",
            "That is no proof for another model: chapter 15 examines yours.",
        ]
    return [
        *filter(None, (f"Not by itself: {said}", _who_ranks_alike(own), luck_of_answers(answers))),
        "So attention says something, but not on its own why a prediction was made. Show it beside measures "
        "that ask the model, and examine the model: [chapter 15](15_your_model.ipynb) does.",
    ]


def _who_ranks_alike(own: pd.DataFrame) -> str:
    """Which models' attention ranks words as leave-one-out does. own: `chosen`'s."""
    ranks = own[own["question"] == QUESTIONS["tau_loo"]]
    alike = [inert(str(name)) for name in dict.fromkeys(ranks.loc[ranks["reading"] == "yes", "model"])]
    if ranks.empty:
        return ""
    if not alike:
        return "No model's attention ranks words as leave-one-out does."
    if MODEL in alike:
        return f"Attention ranks words as leave-one-out does in {counted(len(alike), 'kind')} of model."
    local = ""
    if alike == [LABELS["average"]]:
        dot = f"{LABELS['average']} · dot" in {*ranks["model"]}
        local = (
            " with additive attention does" if dot else " does (where each state knows its own word alone)"
        )
    models = ranks[(ranks["model"] == MODEL) & (ranks["seeds"] > 1)]
    otherwise = (models["reading"] == "no").sum()
    clearly, where = ("clearly ", f" {_on(otherwise, models)}") if otherwise else ("", "")
    return (
        f"The {MODEL}'s attention {clearly}doesn't rank words as leave-one-out does{where}; of the matrix's "
        f"models only {listed(alike)}'s{local or ' does'}."
    )


def _free_in_every_row(own: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers on how different attention may be, if that is far in every row that tells; and the rest."""
    free = own[own["question"] == QUESTIONS["optimum"]]
    if len(free) and (free["reading"] == "far").all():
        return free, own.drop(free.index)
    return free.iloc[:0], own


def _speak(own: pd.DataFrame) -> dict[str, int]:
    """How many answers by several seeds speak against attention, for it, or are undecided."""
    return {
        kind: int((own.loc[own["seeds"] > 1, "speaks"] == kind).sum()) for kind in ("against", "for", "open")
    }


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
    return [
        f"The figure has means over {counted(kinds, 'kind')} of vectors ({counted(seeds, 'seed')}); the "
        "ticks at the top are the norms that they come with. Model by model, attention's own τ with "
        f"leave-one-out is {ends[0]}, accuracy {ends[1]}."
    ]


def agreement(held: pd.DataFrame) -> str:
    """Where gradient and leave-one-out agree more than attention with either. held: `claims.table`'s."""
    said = []
    for other, name in (("loo", "leave-one-out"), ("gradient", "the gradient")):
        of = "bilstm", f"tau_gradient_loo_minus_attention_{other}"
        (text,) = [claim.text for claim in claims.every() if claim.of == of and claim.low == 0]
        own = held[(held["claim"] == text) & held["holds"].isin(["yes", "no"])]
        if len(own):
            yes = int((own["holds"] == "yes").sum())
            said.append(f"more than attention and {name} on {yes or 'none'} of {len(own)}")
    if not said:
        return ""
    return f"In the {MODEL}, by corpora and profiles that decide it, they agree {listed(said)}."


# Copying


def copying(runs: pd.DataFrame) -> list[str]:
    """What chapter 09 found of models that copy: attention on all but the answer. Empty without runs."""
    own = verdict.plain(runs[(runs["corpus"] == "copy-permutations") & (runs["encoder"] == "lstm")])
    own = own[(own["attention"] == "bilinear") & (own["class"] == "overall")]
    said = []
    first = own[(own["profile"] == "paper") & (own["measure"] == "success")]["mean"]
    if len(first):
        said.append(
            f"Of {counted(len(first), 'model')} trained to copy symbols {(first > 0.5).sum()} learn it "
            "in as many steps as the authors took."
        )
    last = own[own["profile"] == "long"].pivot_table(index="seed", columns="measure", values="mean")
    if {"success", "attended"} <= {*last} and (last["success"] > 0.5).any():
        learnt = last[last["success"] > 0.5]
        share = learnt["attended"].mean()
        some = "All" if len(learnt) == len(last) else f"{len(learnt)} of the"
        where = "never" if share < 0.0005 else f"in {share:.1%} of the steps"
        said.append(
            f"{some} {len(last)} others learn it in three times as many steps, with the "
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
        said.append(f"With all weights of that attention set to 0, {each} of the decisions flip.")
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
            f"An ordinary BiLSTM on `planted` passes {passes['as it is']} of {len(models.PASSES)} tests, no "
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


# What a claim is about, by the section that makes it.
TOPICS = {
    "4": "Which words matter",
    "4.1": "Which words matter",
    "4.2.1": "Shuffled attention",
    "4.2.2": "Adversarial attention",
    "3": "How well models predict",
    "6": "How well models predict",
}


def bars(tallied: pd.DataFrame) -> pd.DataFrame:
    """`claims.tally` for the figure: topic, yes, no and open; only claims that a run tests.

    By topic, and within one what holds first.
    """
    table = tallied[["yes", "no"]].assign(open=tallied.drop(columns=["yes", "no"]).sum(axis=1))
    tested = table[table.sum(axis=1) > 0]
    holds = (tested["yes"] - tested["no"]) / tested.sum(axis=1)
    topics = {claim.text: TOPICS[claim.section] for claim in claims.every()}
    tested = tested.assign(topic=tested.index.map(topics), holds=holds)
    tested["place"] = tested["topic"].map(
        {topic: i for i, topic in enumerate(dict.fromkeys(TOPICS.values()))}
    )
    ordered = tested.sort_values(["place", "holds"], ascending=[True, False], kind="stable")
    return ordered[["topic", "yes", "no", "open"]]


def kinds(tallied: pd.DataFrame) -> dict[str, list[str]]:
    """The claims by what the runs say of them; every claim in one list."""
    yes, no = tallied["yes"], tallied["no"]
    left = tallied.drop(columns=["yes", "no"]).sum(axis=1)
    which = {
        "hold wherever it is decided": (yes > 0) & (no == 0),
        "hold nowhere that it is decided": (yes == 0) & (no > 0),
        "hold on some corpora alone": (yes > 0) & (no > 0),
        "are undecided": (yes == 0) & (no == 0) & (left > 0),
        "have no run yet": (yes == 0) & (no == 0) & (left == 0),
    }
    return {kind: [*tallied.index[rows]] for kind, rows in which.items()}


def claims_finding(tallied: pd.DataFrame) -> str:
    """How many of the claims hold, and how many don't."""
    hold, nowhere, some, left, untested = kinds(tallied).values()
    if len(untested) == len(tallied):
        return "No run tests a claim yet"
    by = tallied.loc[hold, "yes"]
    often = f", each by {by.min()} to {by.max()} of them" if len(hold) else ""
    said = (
        f"Of Jain & Wallace's {counted(len(tallied) - len(untested), 'claim')}, as we read them, {len(hold)} "
        f"hold on every corpus and profile that decides them{often}; {len(nowhere)} on none, {len(some)} on "
        "some"
    )
    return f"{said}, and {len(left)} {'is' if len(left) == 1 else 'are'} undecided" if left else said


def luck(held: pd.DataFrame) -> str:
    """How many answers are left after Holm's correction. held: `claims.table`'s."""
    decided = held["holds"].isin(["yes", "no"]).sum()
    if not decided:
        return ""
    by_claim, of_all = (own.isin(["yes", "no"]).sum() for own in (held["holm"], claims.corrected(held)))
    return (
        f"Among so many answers some are decided by luck. Of the claims' {decided} that their own 95 % "
        f"interval decides, {by_claim} remain after Holm's correction within each claim, over its corpora "
        f"and profiles, and {of_all} after a correction over all claims."
    )


# Beside the published numbers


def whole(compared: pd.DataFrame) -> pd.DataFrame:
    """Of `verdict.by_corpus` the lines of whole corpora: a part can't be held against a published number."""
    return compared[~compared["corpus"].str.endswith(" (part)")]


def apart(own: pd.DataFrame) -> str:
    """How far ours lie from the published means. own: lines of `whole`."""
    if own.empty:
        return "No run stands beside a published number yet"
    off = (own["ours"] - own["reported"]).abs()
    several = own[own["seeds"] > 1]
    inside = several["reported"].between(several["low"].round(2), several["high"].round(2)).sum()
    said = f"Half of {counted(len(own), 'published mean')} lie within {off.median():.2f} of ours"
    if several.empty:
        return said
    return (
        f"{said}; {inside or 'none'} of {len(several)} lie in our seeds' range, where about "
        f"{_by_chance(several['seeds']):.0f} would by chance"
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


def furthest(table: pd.DataFrame, count: int = 3) -> list[str]:
    """Where published and ours lie furthest apart. table: lines of `whole`."""
    own = table.assign(off=(table["ours"] - table["reported"]).abs())
    own = own.sort_values("off", ascending=False).head(count)
    named = {"tau_gradient": "τ with the gradient", "tau_loo": "τ with leave-one-out", "f1": "F1"}
    return [
        f"{inert(row['corpus'])}, {LABELS[row['encoder']]}, {named.get(row['measure'], row['measure'])}: "
        f"{row['reported']:.2f} published, {row['ours']:.2f} ours"
        for row in own.to_dict("records")
    ]


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
