"""Chapter 12: what all runs say, in sentences, and the matrix of answers; the first page shows both, too."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed import verdict
from heed.experiments import transformers
from heed.registry import corpora
from heed.show import mended as models
from heed.show.figures import verdict as drawn
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS
from heed.verdict import claims, paper_tests
from heed.verdict.paper_tests import TESTS

QUESTIONS = {test.of: test.question for test in TESTS if test.question}  # by what each is answered with
ORDER = [*QUESTIONS.values()]
MODEL = LABELS["bilstm"]
# The lines of the figure of lengths.
AGREEMENTS = {
    "Kendall's τ, mean over texts": {
        "gradient and leave-one-out": "tau_gradient_loo",
        "attention and leave-one-out": "tau_loo",
        "attention and gradient": "tau_gradient",
    }
}
NOTHING = "No run is here yet: `make batch` makes some."
IN_CHECK = (
    "So a heatmap can't be taken, unchecked, for what the words did; where the truth is known, or the model "
    "asked, it can be checked."
)


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
    found = found.assign(order=order).sort_values(["order", "corpus", "model"], ascending=[False, True, True])
    return found.drop(columns="order").reset_index(drop=True)


def matrix(answers: pd.DataFrame) -> Figure:
    """`chosen` as a figure, of one answer at least."""
    own = chosen(answers)
    asked = [question for question in ORDER if (own["question"] == question).any()]
    return drawn.answers(own, asked)


def finding(answers: pd.DataFrame) -> str:
    """What the matrix shows: whom the answers speak for."""
    own = chosen(answers)["speaks"].value_counts()
    against, speak_for = own.get("against", 0), own.get("for", 0)
    if not against + speak_for:
        return "No answer is decided yet"
    parts = f"{against} answers speak against attention as an explanation, {speak_for} for it"
    return f"{parts}, and {own.get('open', 0)} are open"


def key() -> pd.DataFrame:
    """How each column of the matrix is read: its number, and the border."""
    said = {
        "tau_loo": "yes: Kendall's τ of attention and leave-one-out above 0.5",
        "tau_gradient": "yes: Kendall's τ of attention and gradient above 0.5",
        "median_change": "yes: shuffling the weights moves the prediction by more than 0.1 (of at most 1)",
        "optimum": "far: other attention with the same prediction is more than 0.5 off (JSD, at most 0.69)",
        "far_change": "yes: a model trained to look elsewhere changes its predictions more than another seed",
        "f1_mlp_base": "yes: lent to a model that reads one word at a time, it adds more than 0.01 to the F1",
        "f1": "yes: F1 is more than 0.01 above that of equal weights",
        "erased_random_mean_in_common": "yes: in its order 10 % of the words fewer must go than by chance",
        "excess_attention": "yes: at most 10 % of the words more must go than in the best order known",
        "truth": "yes: it finds the words that decide with an AUROC above 0.75 (of models mostly right)",
        "top_uniform": "often: its top word is one that training with equal weights finds relevant",
    }
    rows = [(question, said[of]) for of, question in QUESTIONS.items()]
    return pd.DataFrame(rows, columns=["question", "how it is read"])


def _of(answers: pd.DataFrame, of: str) -> pd.DataFrame:
    """The BiLSTM's answers to one question, by the measure that answers it."""
    return answers[(answers["model"] == MODEL) & (answers["question"] == QUESTIONS[of])]


def _range(own: pd.DataFrame, form: str = "z.2f") -> str:
    low, high = own["mean"].min(), own["mean"].max()
    return f"{low:{form}}" if f"{low:{form}}" == f"{high:{form}}" else f"{low:{form}} to {high:{form}}"


def _corpora(n: int) -> str:
    return "1 corpus" if n == 1 else f"{n} corpora"


def in_short(answers: pd.DataFrame) -> list[str]:
    """The debate's answer, in at most five sentences, of the BiLSTM with additive attention."""
    said = [*filter(None, (_ranks(answers), _free(answers), _no_noise(answers), _truth(answers)))]
    if not said:
        return [NOTHING]
    return [*said, IN_CHECK]


def _ranks(answers: pd.DataFrame) -> str:
    own = _of(answers, "tau_loo")
    if own.empty:
        return ""
    alike, otherwise, left = ((own["reading"] == reading).sum() for reading in ("yes", "no", "open"))
    rest = f"; {left} {'is' if left == 1 else 'are'} open" if left else ""
    return (
        f"On {otherwise or 'none'} of {_corpora(len(own))} the {MODEL}'s attention ranks words otherwise "
        f"than leave-one-out, on {alike or 'none'} alike{rest} (Kendall's τ {_range(own)})."
    )


def _free(answers: pd.DataFrame) -> str:
    own = _of(answers, "optimum")
    if own.empty:
        return ""
    far = (own["reading"] == "far").sum()
    return (
        f"Quite other attention gives the same prediction on {far or 'none'} of {len(own)}: a JSD of "
        f"{_range(own)} away (at most 0.69)."
    )


def _no_noise(answers: pd.DataFrame) -> str:
    own, best = _of(answers, "erased_random_mean_in_common"), _of(answers, "excess_attention")
    if own.empty:
        return ""
    sooner, as_can_be = ((rows["reading"] == "yes").sum() for rows in (own, best))
    said = (
        f"{'Yet it is no noise: e' if sooner else 'E'}rased in its order, words change the decision sooner "
    )
    said += f"than chance on {sooner or 'none'} of {len(own)}"
    return f"{said}, as soon as can be on {as_can_be or 'none'} of {len(best)}." if len(best) else f"{said}."


def _truth(answers: pd.DataFrame) -> str:
    own, needed, said = _of(answers, "truth"), _of(answers, "f1"), []
    if len(own):
        yes = (own["reading"] == "yes").sum() or "none"
        auroc = f"AUROC {_range(own)}; chance is 0.5"
        said.append(f"the deciding words, where known, it finds on {yes} of {len(own)} ({auroc})")
    if len(needed):
        yes = (needed["reading"] == "yes").sum() or "none"
        gains = f"F1 {_range(needed, '+.3f')}"
        said.append(f"that it is needed is shown on {yes} of {len(needed)} ({gains})")
    return "; ".join(said)[:1].upper() + f"{'; '.join(said)[1:]}." if said else ""


def conclusion(answers: pd.DataFrame) -> list[str]:
    """The book's question, answered: does attention explain a prediction?"""
    own = answers[answers["model"] == MODEL]["speaks"].value_counts()
    against, speak_for = own.get("against", 0), own.get("for", 0)
    if not against + speak_for:
        return [NOTHING]
    total = against + speak_for
    said = f"Of the BiLSTM's {total} decided answers {against} speak against it and {speak_for} for it."
    if against > speak_for:
        said = f"Not by itself. {said}"
    return [
        said,
        "Its ranking isn't that of what each word did, other attention would have given the same "
        "prediction, and yet its "
        "weights know more than chance. None of this shows that attention says nothing."
        if against > speak_for
        else "That is no proof for another model: chapter 15 asks yours.",
    ]


# How long is a word?


def lengths(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The BiLSTM's rows of real corpora, and the finding about the length of word vectors; empty without any.

    rows: `verdict.word_lengths`'.
    """
    made = [name for name, entry in corpora().items() if "made" in entry]
    own = rows.query("attention == 'additive' and input_scale == 1 and encoder == 'bilstm'")
    own = own[~own["corpus"].isin(made)].dropna(subset=["norm", "tau_gradient_loo"])
    own = own[own["corpus"] == own["corpus"].min()] if len(own) else own
    if own["norm"].nunique() < 2:
        return own.iloc[:0], ""
    at = own.groupby(own["norm"].map(lambda norm: float(f"{norm:.2g}")))["tau_gradient_loo"].mean()
    title = corpora()[own["corpus"].iloc[0]]["title"]
    return own, (
        f"{title}: gradient and leave-one-out agree at τ = {at.iloc[0]:.2f} with word vectors "
        f"{at.index[0]:.2g} long, at "
        f"{at.iloc[-1]:.2f} with vectors {at.index[-1]:.2g} long"
    )


def of_lengths(own: pd.DataFrame) -> list[str]:
    """What goes along with the length, and what doesn't: rows as `lengths` chooses them."""
    if own.empty:
        return ["No run of chapter 02's experiment is here: `make lengths`."]
    ends = [f"{own[of].min():.2f} to {own[of].max():.2f}" for of in ("tau_loo", "accuracy")]
    kinds, seeds = own["vectors"].nunique(), own["seed"].nunique()
    return [
        f"Attention's own agreement with leave-one-out stays at {ends[0]}, and accuracy at {ends[1]} "
        f"({counted(kinds, 'kind')} of vectors, {counted(seeds, 'seed')})."
    ]


# Copying


def copying(runs: pd.DataFrame) -> list[str]:
    """What chapter 09 found of models that copy: attention on all but the answer. Empty without runs."""
    own = verdict.plain(runs)
    own = own[(own["corpus"] == "copy-permutations") & (own["encoder"] == "lstm")]
    own = own[(own["attention"] == "bilinear") & (own["class"] == "overall")]
    said = []
    first = own[(own["profile"] == "paper") & (own["measure"] == "success")]["mean"]
    if len(first):
        said.append(
            f"Of {counted(len(first), 'model')} trained to copy symbols {(first > 0.5).sum()} learn it "
            "in the authors' steps."
        )
    last = own[own["profile"] == "long"].pivot_table(index="seed", columns="measure", values="mean")
    if {"success", "attended"} <= {*last} and (last["success"] > 0.5).any():
        learnt = last[last["success"] > 0.5]
        share = learnt["attended"].mean()
        where = "never" if share < 0.0005 else f"in {share:.1%} of the steps"
        said.append(
            f"Of {len(last)} that hadn't, {len(learnt)} do in three times as many, with the largest weight "
            f"{where} on the symbol that they write: they attend to the others, and write what is left."
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
                f"In {inert(str(name))}, whose heads have {size} numbers, other attention with *exactly* "
                "the same output exists "
                f"from {size + 2} word pieces on; at {longest} it lies a JSD of {far:.2f} away."
            )
    table = verdict.own_attention(runs)
    taus = table[table["measure"] == "tau_loo"].groupby(["corpus", "model"])["mean"].mean()
    flips = table[table["measure"] == "flips_without"].groupby(["corpus", "model"])["mean"].mean()
    if len(taus):
        each = listed([f"{value:z.2f} ({inert(corpus)})" for (corpus, _), value in taus.items()])
        said.append(f"Fine-tuned, its last layer's attention agrees with leave-one-out at τ = {each}.")
    if len(flips):
        each = listed([f"{value:.0%} ({inert(corpus)})" for (corpus, _), value in flips.items()])
        said.append(f"Without that attention, all its weights 0, the decision flips in {each} of the texts.")
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
            f"As it is, a BiLSTM on `planted` passes {passes['as it is']} of {len(models.PASSES)} tests; "
            f"repaired it passes {best} at "
            f"most ({which})."
        )
        free = repaired["optimum"].min()
        if free > 0.5:
            said.append(
                f"No repair makes it firm: other attention a JSD of {free:.2f} away still says the same."
            )
    rows = lying[(lying["corpus"] == "planted") & (lying["encoder"] == "bilstm")]
    before, after = rows[rows["λ"] == 0], rows[rows["λ"] == rows["λ"].max()]
    if len(before) and len(after) and after["λ"].iloc[0] > 0:
        masses = [own["lie_mass"].mean() for own in (before, after)]
        right = [own["accuracy"].mean() for own in (before, after)]
        left = f"{masses[1]:.1%}" if masses[1] >= 0.0005 else "less than 0.1%"
        moves = [own["lie_removed"].mean() for own in (before, after)]
        said.append(
            f"And one can be taught to lie: of its attention {masses[0]:.0%} lay on the words that decide, "
            f"then {left}. Its accuracy is {right[1]:.2f} ({right[0]:.2f} before), and without those words "
            f"its prediction moves by {moves[1]:.2f} ({moves[0]:.2f} before)."
        )
    return said or ["No numbers of chapter 14 are here: `make batch GRID=lies`."]


# The claims


def bars(tallied: pd.DataFrame) -> pd.DataFrame:
    """`claims.tally` for the figure: yes, no and open; only claims that a run tests, what holds first."""
    table = tallied[["yes", "no"]].assign(open=tallied.drop(columns=["yes", "no"]).sum(axis=1))
    tested = table[table.sum(axis=1) > 0]
    holds = (tested["yes"] - tested["no"]) / tested.sum(axis=1)
    return tested.loc[holds.sort_values(ascending=False, kind="stable").index]


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
    hold, nowhere, some, *open_ones = (len(names) for names in kinds(tallied).values())
    left = sum(open_ones)
    said = f"Of {len(tallied)} claims {hold} hold wherever it is decided"
    said += f", {nowhere} nowhere, {some} on some corpora"
    return f"{said}; {left} {'is' if left == 1 else 'are'} undecided" if left else said


def luck(held: pd.DataFrame) -> str:
    """How many answers are left after Holm's correction. held: `claims.table`'s."""
    decided = held["holds"].isin(["yes", "no"]).sum()
    if not decided:
        return ""
    by_claim, of_all = (own.isin(["yes", "no"]).sum() for own in (held["holm"], claims.corrected(held)))
    return (
        f"So many answers side by side, and some are decided by luck: of {decided} that their own 95 % "
        "interval decides, "
        f"{by_claim} are left after Holm's correction over the corpora and profiles of a claim, {of_all} "
        "after one over all claims."
    )


# Beside the published numbers


def apart(cells: pd.DataFrame) -> str:
    """How far ours lie from the published means. cells: `verdict.all_beside`'s; of whole corpora."""
    own = cells[(cells["statistic"] == "mean") & (cells["cell"] != "gap") & ~cells["partial"]]
    if own.empty:
        return "No run stands beside a published number yet"
    off = (own["mean"] - own["reported"]).abs()
    return (
        f"Half of {counted(len(own), 'published mean')} of whole corpora lie within {off.median():.2f} "
        "of ours, "
        f"{'all' if (off <= 0.1).all() else (off <= 0.1).sum()} within 0.1"
    )


def within(cells: pd.DataFrame) -> str:
    """How many published cells lie in the range of our seeds; of whole corpora and of two seeds or more."""
    table = verdict.counted(cells)
    own = table[table["corpora"] == "whole corpora"].sum(numeric_only=True)
    inside, outside, alone, gaps = (int(own[kind]) for kind in ("within", "outside", "one seed", "gap"))
    return (
        f"Of whole corpora {counted(inside + outside, 'published number')} (means, standard deviations, "
        "shares of significant "
        f"texts) stand beside two seeds of ours or more; {inside} lie within their range. {alone} stand "
        "beside one seed, "
        f"and {gaps} have no run."
    )


def furthest(table: pd.DataFrame, count: int = 3) -> list[str]:
    """The lines of `verdict.by_corpus`, whole corpora, of which published and ours lie furthest apart."""
    own = table[~table["corpus"].str.endswith(" (part)")]
    own = (
        own.assign(off=(own["ours"] - own["reported"]).abs()).sort_values("off", ascending=False).head(count)
    )
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
        "claims that hold, over corpora and profiles": int((answers == "yes").sum()),
        "claims that don't": int((answers == "no").sum()),
        "open, of one seed, or of too few texts": int((~answers.isin(["yes", "no"])).sum()),
    }
    return pd.DataFrame({"what": [*rows], "found": np.array([*rows.values()], dtype=int)})


def gathered(own: verdict.Gathered) -> list[str]:
    """Of how many runs the answers are, and what was left out."""
    lie = "lies" if own.here == 1 else "lie"
    said = [
        f"{counted(own.here, 'finished run')} {lie} in this folder; the project carries {own.carried} more."
    ]
    if own.strange:
        said.append(
            f"Left out are {counted(own.strange, 'row')} in whose names HTML or a link stands. No run of "
            "heed writes that."
        )
    return said
