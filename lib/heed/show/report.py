"""The verdict as a report of some eight pages: every sentence with a result is computed from the rows."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from heed import paths, verdict
from heed.errors import HeedError
from heed.models.attentions import ATTENTIONS
from heed.params import is_sequences
from heed.registry import corpora
from heed.runs.products import every_file
from heed.show import mended
from heed.show.committed import FIGURES
from heed.show.figures.verdict import by_corpus
from heed.show.figures.word_lengths import by_length
from heed.show.sentences import counted, listed
from heed.show.style import LABELS, save, theme
from heed.show.typeset import Document, minus, needs_typst
from heed.show.word_lengths import contrast_by_length, length_or_content, of_lengths
from heed.verdict import claims, paper_tests
from heed.verdict.transformers import LSTM

TITLE = "Does a model heed what it attends to?"
NAME = "heed-report.pdf"
ACROSS = 6  # corpora that stand side by side in a table
# What a profile is, for those that a reader may meet.
PROFILES = {
    "paper": (
        "Jain & Wallace's description with a clean protocol: vocabulary of the training split, epoch "
        "chosen on dev"
    ),
    "paper2019": "their code when the paper was written: vocabulary of all splits, epoch chosen on test",
    "site": "their code as it was published later",
    "serrano": "Serrano & Smith's flat and hierarchical models and their training",
    "snell": "Snell et al.'s classifier: random word vectors, ReLU in attention, markers attended to",
    "long": "Snell et al.'s copying task with three times the steps",
    "small": "Snell et al.'s tasks made small",
    "heads": "Snell et al.'s copying task with several heads",
    "short": "translation with 5 epochs instead of 20",
}
MEASURES = [
    ("τ", "−1 to 1", "Kendall's rank correlation of attention with another ranking of a text's words"),
    ("gradient", "", "how much the prediction moves with a small change of a word's vector"),
    ("leave-one-out", "", "how far the prediction moves when the word is left out"),
    ("TVD", "0 to 1", "total variation distance: how far two predictions differ"),
    ("JSD", "0 to 0.69", "Jensen-Shannon divergence: how far two attentions differ; ln 2 is all of it"),
    ("median change", "0 to 1", "the median TVD over random shuffles of a text's weights"),
    ("ε-max JSD", "0 to 0.69", "how far attention can go while the prediction moves by ε at most"),
    ("share erased", "0 to 1", "of a text's words, how many lose their weight until the decision changes"),
]  # fmt: skip
WITH_GRADIENT, WITH_LOO = "τ with gradient", "τ with leave-one-out"


@dataclass(frozen=True)
class Rows:
    """All rows that a report is of: `verdict.RUN` and a measure each; `here` are those of the folder."""

    here: pd.DataFrame
    all: pd.DataFrame

    @cached_property
    def overall(self) -> pd.DataFrame:
        """Over all texts, of profiles as they are and of models that don't only guess."""
        rows = claims.able(self.all)
        return rows[rows["class"] == "overall"]

    @property
    def able(self) -> pd.DataFrame:
        """Of those the ones of profile `paper`."""
        return self.overall[self.overall["profile"] == "paper"]

    @cached_property
    def main(self) -> pd.DataFrame:
        """Of those the BiLSTM's with additive attention, on texts."""
        rows = self.able[(self.able["encoder"] == "bilstm") & (self.able["attention"] == "additive")]
        names = rows["corpus"].str.removesuffix(" (part)")
        return rows[~names.isin([name for name in names.unique() if is_sequences(name)])]

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Each corpus's reading of each paper's test."""
        return paper_tests.readings(self.all)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Each claim on each corpus and profile."""
        return claims.table(self.all)

    @cached_property
    def published(self) -> pd.DataFrame:
        """The published cells of whole corpora that have runs here, each once, with `source`."""
        parts = []
        for profile, source in verdict.contrasts.SOURCES.items():
            cells = verdict.once(verdict.beside(self.all, profile, source))
            parts.append(cells[(cells["cell"] != "gap") & ~cells["partial"]].assign(source=source))
        return pd.concat(parts, ignore_index=True)

    def means(self, measure: str) -> pd.Series:
        """Of the main model, a mean over seeds a corpus, from the lowest to the highest."""
        own = self.main[self.main["measure"] == measure]
        return own.dropna(subset="mean").groupby("corpus")["mean"].mean().sort_values()


def gathered(results: Path) -> Rows:
    """The finished runs of a folder, and the carried ones. Raises HeedError if there are none."""
    here, carried = verdict.finished(results), verdict.committed()
    parts = [part for part in (here, carried) if len(part)]
    if not parts:
        raise HeedError(
            f"there is no finished run in {results}, and none is carried: run make batch, then make report."
        )
    both = pd.concat(parts, ignore_index=True)
    return Rows(here, both.drop_duplicates([*verdict.RUN, "measure", "class"], keep="first"))


def report(results: str | Path = "results", out: str | Path = "") -> Path:
    """Write the report of a results folder and of the carried rows as a PDF; return its path.

    out: the file; NAME in the results folder if it isn't given. Raises HeedError.
    """
    needs_typst()
    folder = paths.results_folder(results)
    target = paths.file_named(out) if out else folder / NAME
    return document(gathered(folder)).write(target)


def document(rows: Rows) -> Document:
    """The report of these rows."""
    every_file()  # every chapter has registered its measures
    theme()
    runs = rows.all.drop_duplicates(verdict.RUN)
    made = Document(
        TITLE,
        "The debate on attention as explanation, run again: a report of "
        f"{counted(len(runs), 'run')} on {counted(runs['corpus'].nunique(), 'corpus', 'corpora')}",
    )
    in_short(made, rows)
    for part in (scope, methods, results_of, easy, hard, unexplained, references):
        part(made, rows)
    return made


def ends(values: pd.Series, form: str = "z.2f") -> str:
    """`0.28 (sst) to 0.39 (babi1)`; of one corpus `0.28 (sst)`. values: sorted, one at least."""
    at = values.iloc[[0, -1]] if len(values) > 1 else values
    return " to ".join(f"{minus(f'{value:{form}}')} ({corpus})" for corpus, value in at.items())


def on(values: pd.Series) -> str:
    """`on 8 corpora`."""
    return f"on {counted(len(values), 'corpus', 'corpora')}"


# The parts


def in_short(made: Document, rows: Rows) -> None:
    """What the rows say, for whoever reads no further."""
    said = []
    if len(loo := rows.means("tau_loo")):
        below = (loo < 0.5).sum()
        said.append(
            f"Attention's order of the words agrees with leave-one-out's by a mean τ of {ends(loo)}; it is"
            f" below 0.5 on {below} of {counted(len(loo), 'corpus', 'corpora')} (BiLSTM, additive"
            " attention)."
        )
    if len(found := rows.means("found")):
        said.append(
            "Quite other attention says the same: the most different that was found, with nearly the same "
            f"prediction, has a mean JSD of {ends(found)}. The most there is is {np.log(2):.2f}."
        )
    tallied = claims.tally(rows.claims)
    decided = tallied[(tallied["yes"] + tallied["no"]) > 0]
    if len(decided):
        always, never = (decided[other] == 0 for other in ("no", "yes"))
        said.append(
            f"Of {len(tallied)} claims of Jain & Wallace {len(decided)} are decided somewhere."
            f" {always.sum()} of these hold wherever they are, {never.sum()} nowhere,"
            f" {(~always & ~never).sum()} on some."
        )
    if len(of_real := lengths()):
        corpus, own = next(iter(of_real.groupby("corpus")))
        said += [f"{corpora()[corpus]['title']}, {one}" for one in of_lengths(own)[:1]]
    said.append(
        "None of this shows that attention says nothing. But where its order differs from other measures',"
        " and other attention gives the same prediction, it can't be taken, unchecked, for the order of the"
        " words by what they did."
    )
    made.in_short(said)


def scope(made: Document, rows: Rows) -> None:
    """What was run, on what."""
    made.heading("Scope")
    made.say(
        "In 2019 Jain & Wallace asked whether attention explains a model's prediction, and answered no."
        " Serrano & Smith erased weights and came near; Wiegreffe & Pinter objected; Snell et al. asked how"
        " attention comes to be. heed runs these experiments on the same models and corpora, with one"
        " library, and adds corpora whose deciding words are known, exact optima where the papers searched,"
        " and intervals over texts and seeds."
    )
    here, carried = (len(part.drop_duplicates(verdict.RUN)) for part in (rows.here, verdict.committed()))
    if here:
        made.say(
            f"This report is of {counted(here, 'finished run')} in the results folder and of the {carried}"
            " that the project carries. Where both have a run, the folder's numbers stand here."
        )
    else:
        made.say(
            "No finished run lies in the results folder: this report is of the "
            f"{counted(carried, 'run')} that the project carries."
        )
    marked = verdict.marked(rows.all)
    of_texts = marked[marked["class"] == "overall"]
    table = of_texts.groupby("corpus").agg(
        models=("encoder", "nunique"), seeds=("seed", "nunique"), texts=("n", "max")
    )
    table["runs"] = of_texts.drop_duplicates([*verdict.RUN]).groupby("corpus").size()
    table["profiles"] = of_texts.groupby("corpus")["profile"].agg(lambda of: ", ".join(sorted(set(of))))
    known = corpora()
    table.insert(
        0,
        "what it is",
        [known.get(name.removesuffix(" (part)"), {}).get("title", "") for name in table.index],
    )
    made.table(
        table.reset_index()[["corpus", "what it is", "runs", "models", "seeds", "texts", "profiles"]],
        "The corpora: how many runs, encoders, seeds and test texts (or heads, or questions) the rows are"
        " of. (part): only a part of it was read.",
        (1.5, 3.2, 0.7, 0.9, 0.8, 0.9, 2.2),
    )
    earlier = rows.all[verdict.of_earlier_texts(rows.all)]
    if len(earlier):
        made.say(
            f"{counted(len(earlier.drop_duplicates(verdict.RUN)), 'run')}"
            f" ({', '.join(sorted(earlier['corpus'].unique()))}) read texts as an earlier version of the"
            " reader gave them."
        )


def methods(made: Document, rows: Rows) -> None:
    """How it was done; no results."""
    made.heading("Methods")
    made.heading("Models and protocols", 2)
    encoders = [label for name, label in LABELS.items() if name in set(rows.all["encoder"])]
    attentions = [name for name in ATTENTIONS if name in set(rows.all["attention"])]
    made.say(
        "A model embeds words, encodes them, gives each a weight (attention: the weights of a text are"
        " positive and sum to 1), and decides from the weighted sum of the encoded words. Encoders here:"
        f" {listed(encoders)}. Ways to weigh: {listed(attentions)}; uniform and last learn none. A profile"
        " is a protocol of training. The numbers below are of profile paper unless they say otherwise."
    )
    there = [(name, PROFILES[name]) for name in PROFILES if name in set(rows.all["profile"])]
    made.table(pd.DataFrame(there, columns=["profile", "what it is"]), "The profiles", (1, 6))
    made.heading("Measures", 2)
    made.table(
        pd.DataFrame(MEASURES, columns=["measure", "range", "what it says"]), "The measures", (1.3, 1, 5)
    )
    made.heading("The exact optimum", 2)
    made.say(
        "Jain & Wallace look for the most different attention with the same prediction by gradient descent,"
        " which finds a lower bound. Where there are two classes the optimum can be computed: the"
        " prediction is a linear function of the weights, so the weights that keep it within ε form a"
        " polytope; the JSD is convex, so its maximum lies in a corner; and a corner has at most two words."
        " Trying all pairs of words is exact. With more classes, or where a question is asked, the best"
        " attention that is known stands in its place, with an upper bound."
    )
    made.heading("Seeds, intervals, corrections", 2)
    made.say(
        "A number is a mean over the test texts, then over seeds, with Student's 95 % interval over seeds."
        " A claim holds on a corpus and profile if the whole interval lies between its bounds, not if it"
        " lies outside, and is open else. Of one seed nothing is decided. Models that predict no better"
        " than the most frequent answer are left out. Where many answers stand side by side, some are"
        " decided by luck: Holm's correction says how many remain. The bounds, such as 0.5 for modest, are"
        " heed's."
    )


def results_of(made: Document, rows: Rows) -> None:
    """What was found, paper by paper."""
    made.heading("Results")
    for part in (tests, claims_one_by_one, correlation, permutation, adversarial, not_not, erasure, relevance,
                 word_lengths, transformers, repairs, published):  # fmt: skip
        part(made, rows)


def tests(made: Document, rows: Rows) -> None:
    """Each paper's test of attention."""
    read = rows.tests[rows.tests["reading"] != "–"]
    if read.empty:
        return
    made.heading("What each paper's test says", 2)
    known = read.assign(
        cell=[
            f"{row.reading}{'°' if row.p < 0.05 <= row.holm else ''} ({minus(f'{row.mean:z.2f}')}"
            f"{', 1 seed' if row.seeds == 1 else ''})"
            for row in read.itertuples()
        ],
        test=read["test"].str.split(" (", regex=False).str[0],
    )
    wide = known.pivot(index="test", columns="corpus", values="cell")
    wide = wide.reindex(index=known["test"].drop_duplicates(), columns=known["corpus"].drop_duplicates())
    for start in range(0, wide.shape[1], ACROSS):
        part = wide.iloc[:, start : start + ACROSS].dropna(how="all")
        made.table(
            part.reset_index(),
            (
                "Each paper's test of attention, corpus by corpus: the reading, and the mean over seeds"
                " that it is of. J&W are Jain & Wallace, S&S Serrano & Smith, W&P Wiegreffe & Pinter. ° is"
                " undone by Holm's correction."
                if start == 0
                else "The same, further corpora"
            ),
            (2.6, *[1.15] * part.shape[1]),
        )
    alone = (read["p"] < 0.05) & (read["reading"] != "open")
    if read["p"].notna().any():
        made.say(
            f"{counted(int(read['p'].notna().sum()), 'cell')} are of several seeds; their own interval"
            f" decides {alone.sum()} of them, {int((read['holm'] < 0.05).sum())} after Holm's correction"
            " for all."
        )


def claims_one_by_one(made: Document, rows: Rows) -> None:
    """Jain & Wallace's claims."""
    made.heading("The claims of Jain & Wallace", 2)
    tallied = claims.tally(rows.claims)
    sections = {claim.text: claim.section for claim in claims.every()}
    table = tallied.reset_index()
    table.insert(1, "section", table["claim"].map(sections))
    made.table(
        table,
        "On how many corpora and profiles each claim holds (yes) or doesn't (no); open: the interval over"
        " seeds reaches over a bound; too few: of fewer texts than a share can be taken of. τ_g is with the"
        " gradient, τ_loo with leave-one-out, ρ is Spearman's. Additive attention unless it says dot.",
        (6.2, 0.9, 0.6, 0.6, 0.7, 0.9, 0.8),
    )
    decided = rows.claims["holds"].isin(["yes", "no"])
    if decided.any():
        made.say(
            f"Of the {decided.sum()} answers that their own interval decides,"
            f" {rows.claims['holm'].isin(['yes', 'no']).sum()} are left after Holm's correction over the"
            f" corpora and profiles of a claim, {claims.corrected(rows.claims).isin(['yes', 'no']).sum()}"
            " after one over all claims at once."
        )


def correlation(made: Document, rows: Rows) -> None:
    """Does attention rank words as measures of importance do?"""
    own = rows.able[rows.able["measure"].isin(["tau_gradient", "tau_loo"])].dropna(subset="mean")
    own = own[(own["attention"] == "additive") & own["encoder"].isin([*LABELS])]
    if own.empty:
        return
    made.heading("Attention and other measures of importance", 2)
    loo, gradient = rows.means("tau_loo"), rows.means("tau_gradient")
    if len(loo) and len(gradient):
        made.say(
            f"With the BiLSTM and additive attention, mean τ is {ends(gradient)} with the gradient and"
            f" {ends(loo)} with leave-one-out, {on(loo)}."
        )
    gain = verdict.gaps(rows.all, "encoder", "average", "bilstm", ["tau_loo"])
    gain = gain[(gain["profile"] == "paper") & (gain["attention"] == "additive")]
    gain = gain.groupby("corpus")["mean"].mean().sort_values()
    if len(gain):
        made.say(
            f"Where states know no context (Average) it is higher: by {ends(gain, '+.2f')} with"
            " leave-one-out. That agreement is built in: such a state depends on its own word alone."
        )
    for other, name in (("loo", "leave-one-out"), ("gradient", "the gradient")):
        differs = rows.means(f"tau_gradient_loo_minus_attention_{other}")
        if len(differs):
            made.say(
                f"Gradient and leave-one-out agree with one another more than attention with {name} on "
                f"{(differs > 0).sum()} of {counted(len(differs), 'corpus', 'corpora')}: the difference is "
                f"{ends(differs, '+.2f')}."
            )
    order = [*LABELS]
    own = own.assign(model=own["encoder"].map(LABELS), at=own["encoder"].map(order.index))
    own = own.sort_values("at", kind="stable")
    corpora_there = own["corpus"].nunique()
    draw(
        made,
        lambda: flatter(by_corpus(own, {"tau_gradient": WITH_GRADIENT, "tau_loo": WITH_LOO}), corpora_there),
        "Kendall's τ of attention with the gradient and with leave-one-out, corpus by corpus: a point is"
        " the mean over seeds, a bar reaches from the lowest to the highest. Additive attention; models"
        " that only guess are left out.",
        0.9,
    )


def permutation(made: Document, rows: Rows) -> None:
    """What if attention had fallen on other words?"""
    change = rows.means("median_change")
    if change.empty:
        return
    made.heading("Shuffled attention", 2)
    made.say(
        f"Shuffling a text's weights moves the prediction by a mean TVD of {ends(change)}, {on(change)}."
        " Where it moves little, the weights hardly mattered; where it moves much, as with questions about"
        " a story, they did."
    )
    still = rows.means("peaked_still")
    if len(still):
        made.say(
            "Of the texts with a weight of 0.5 or more on one word, "
            f"{ends(still, '.0%')} hardly move when they are shuffled."
        )
    committed(
        made,
        rows,
        "permutation",
        "how far the median shuffle moves the prediction, by the largest weight, encoder and predicted class",
        0.8,
    )


def adversarial(made: Document, rows: Rows) -> None:
    """Other attention, same prediction."""
    found, best = rows.means("found"), rows.means("optimum")
    if found.empty:
        return
    made.heading("Other attention, same prediction", 2)
    said = [f"The search of the paper finds a mean ε-max JSD of {ends(found)}, {on(found)}."]
    both = pd.concat({"found": found, "best": best}, axis=1).dropna()
    if len(both):
        over = (both["best"] - both["found"]).sort_values()
        said.append(
            f"The exact optimum, or the best that is known, is {ends(both['best'].sort_values())}: further"
            f" by {ends(over, '+.3f')}. The search is below it on {(over > 0).sum()} of"
            f" {counted(len(over), 'corpus', 'corpora')}."
        )
    bound = pd.concat({"best": best, "bound": rows.means("bound")}, axis=1).dropna()
    if len(bound):
        room = (bound["bound"] - bound["best"]).max()
        said.append(f"Its upper bound is {room:.3f} above it at the most.")
    made.say(*said)
    made.say(
        "That such attention exists doesn't say that training would lead there, nor that the model's own is"
        " wrong: it says that the prediction alone doesn't force the heatmap."
    )


def not_not(made: Document, rows: Rows) -> None:
    """Is attention needed, and would training lead elsewhere?"""
    gains = verdict.gaps(rows.all, "attention", "additive", "uniform", ["f1"])
    gains = gains[(gains["profile"] == "paper") & (gains["encoder"] == "bilstm")]
    gains = gains.groupby("corpus")["mean"].mean().sort_values()
    jsd, moved = rows.means("trained_jsd"), rows.means("trained_change")
    if gains.empty and jsd.empty:
        return
    made.heading("Not not: is it needed, and would training lead elsewhere?", 2)
    if len(gains):
        made.say(
            "Wiegreffe & Pinter hold attention against equal weights for all words. Trained attention"
            f" gains, of F1, {ends(gains, '+.3f')}, {on(gains)}: where nothing is gained, nothing is to be"
            " explained by it."
        )
    if len(jsd):
        other = rows.means("other_jsd")
        made.say(
            "A model that is trained to predict the same and to attend elsewhere gets to a JSD of"
            f" {ends(jsd)}; its predictions move by {ends(moved)}."
            + (f" Other seeds of the same model lie a JSD of {ends(other)} away." if len(other) else "")
        )
    committed(
        made,
        rows,
        "points",
        "how far models that were trained to attend elsewhere get (JSD), and what it "
        "costs (TVD): our models, and the points that Wiegreffe & Pinter report",
        0.6,
    )


def erasure(made: Document, rows: Rows) -> None:
    """How much must be erased before the decision changes?"""
    orders = {"attention": "attention", "gradient": "gradient", "product": "product", "random": "at random",
              "optimal": "best known"}  # fmt: skip
    own = rows.overall
    own = own[own["measure"].isin([f"erased_{name}" for name in orders])]
    own = own[(own["attention"] == "additive") & own["encoder"].isin([*LABELS])]
    if own.empty:
        return
    made.heading("Erasure", 2)
    made.say(
        "Serrano & Smith erase weights from the highest down until the decision changes. The fewer words"
        " that takes, the better the order has found what decides. The product is of attention and"
        " gradient. A decision that never changes counts as all words."
    )
    wide = own.pivot_table(index=["corpus", "profile", "encoder"], columns="measure", values="mean")
    wide = wide.reindex(columns=[f"erased_{name}" for name in orders]).set_axis([*orders.values()], axis=1)
    seeds = own.groupby(["corpus", "profile", "encoder"])["seed"].nunique()
    wide = wide.dropna(axis=1, how="all").assign(seeds=seeds).reset_index()
    wide["encoder"] = wide["encoder"].map(LABELS)
    made.table(
        wide,
        "The share of a text's words that are erased before the decision changes, by the order in which"
        " they are: means over texts and seeds",
        (1.3, 1, 1.6, *[1] * (wide.shape[1] - 3)),
    )


def relevance(made: Document, rows: Rows) -> None:
    """How attention comes to be, and copying."""
    top, chance = rows.means("top_uniform"), rows.means("top_chance")
    both = pd.concat({"top": top, "chance": chance}, axis=1).dropna()
    own = verdict.plain(rows.all)
    long = own[
        (own["profile"] == "long") & (own["corpus"] == "copy-permutations") & (own["class"] == "overall")
    ]
    long = long.pivot_table(index="seed", columns="measure", values="mean")
    long = long if {"success", "attended"} <= {*long} else long[:0]
    if both.empty and long.empty:
        return
    made.heading("How attention comes to be", 2)
    if len(both):
        made.say(
            "Snell et al. find that attention goes to what was relevant before it was learnt: to what a"
            " model with equal weights relies on. The word with the highest weight is among the first 5 %"
            f" by that relevance in {ends(both['top'].sort_values(), '.0%')} of the texts; by chance it"
            f" would be in {ends(both['chance'].sort_values(), '.0%')}."
        )
    if len(long):
        learnt = long[long["success"] > 0.5]
        attended = f"{learnt['attended'].mean():.1%}" if len(learnt) else "no"
        made.say(
            f"Their copying task has models that fail. Of {counted(len(long), 'model')} that hadn't learnt"
            f" it in the authors' steps {len(learnt)} do with three times as many. In {attended} of the"
            " steps they have the largest weight on the symbol that they write: they attend to the others,"
            " and seem to write what is left."
        )


def lengths() -> pd.DataFrame:
    """The carried rows of chapter 02's experiment on real corpora, as they are compared there."""
    rows = verdict.word_lengths()
    real = [name for name, entry in corpora().items() if "made" not in entry]
    rows = rows[rows["corpus"].isin(real)]
    return rows[(rows["attention"] == "additive") & (rows["input_scale"] == 1)] if len(rows) else rows


def word_lengths(made: Document, rows: Rows) -> None:
    """How long is a word?"""
    of_real = lengths()
    if of_real.empty:
        return
    made.heading("The length of the word vectors", 2)
    made.say(
        "That gradient and leave-one-out agree with one another more than with attention is one of the"
        " debate's main results. How far they do goes with a number that none of the papers reports: the"
        " length (the norm) of the word vectors that a model starts from."
    )
    for corpus, own in of_real.groupby("corpus"):
        title = corpora()[corpus]["title"]
        said = [*of_lengths(own), *contrast_by_length(own)[:1], length_or_content(own)]
        made.points([(f"{title}.", sentence) for sentence in said if sentence])
        draw(
            made,
            lambda own=own: by_length(
                own.assign(
                    over_loo=own["tau_gradient_loo"] - own["tau_loo"],
                    over_gradient=own["tau_gradient_loo"] - own["tau_gradient"],
                ),
                {
                    "τ(gradient, LOO)": "tau_gradient_loo",
                    "τ(gradient, LOO) − τ(attention, LOO)": "over_loo",
                },
                {"over_loo": 0.2},
            ),
            f"{title}: how far gradient and leave-one-out agree, and by how much more than attention and "
            "leave-one-out, against the length of the word vectors. A point is a model, dashed what Jain & "
            "Wallace report of their averages.",
            0.8,
        )


def transformers(made: Document, rows: Rows) -> None:
    """Today's models, as far as they are carried."""
    own = verdict.own_attention(rows.all)
    over = verdict.over_states(rows.all)
    if own.empty and over.empty:
        return
    made.heading("Transformers", 2)
    names = {
        "accuracy": "accuracy",
        "tau_gradient": WITH_GRADIENT,
        "tau_loo": WITH_LOO,
        "optimum": "ε-max JSD",
    }
    table = pd.concat([own, over[over["model"] != LSTM]])
    wide = table[table["measure"].isin(names)].pivot_table(
        index=["corpus", "model"], columns="measure", values="mean"
    )
    if len(wide):
        wide = wide.reindex(columns=[*names]).dropna(axis=1, how="all").rename(columns=names)
        made.table(
            wide.reset_index(),
            "Transformers by their own attention, or one over their states: means over texts and seeds",
        )


def repairs(made: Document, rows: Rows) -> None:
    """Lies and repairs, on the made corpus whose deciding words are known."""
    named, seeds = mended.named(verdict.mended()), mended.unrepaired(verdict.mended())
    if named.empty:
        return
    made.heading("Lies and repairs", 2)
    made.say(
        "On a made corpus the deciding words are known. There a model can be trained to look away from the"
        " words that it uses (Pruthi et al.), and it can be mended: by states that differ from one another,"
        " by masking words, by attention that may be zero. What do the debate's tests say of each?"
    )
    is_built_in = named["corpus"] == mended.BUILT_IN
    for _, own in mended.by_family(named[is_built_in]):
        corpus, family = own[["corpus", "family"]].iloc[0]
        table, _ = mended.table(own)
        table.columns = [name.replace("-\n", "-").replace("\n", " ") for name in table.columns]
        table = table.dropna(axis=1, how="all")
        made.table(
            table.reset_index(),
            f"{corpus}, {family}: what each test says of each model, and from where on it is "
            "passed. Shuffled is"
            " the mean of the median changes; firm the exact ε-max JSD; erased the share "
            "erased by attention less"
            " that of the best order; truth how well attention finds the deciding words "
            "(AUROC, chance is 0.5).",
            (2.2, *[1] * table.shape[1]),
        )
        made.points(mended.repairs_say(own, mended.seeds_auroc(seeds, own)))
    if told := mended.elsewhere(named[~is_built_in]):
        made.say("On other corpora (on real text nobody knows the deciding words) the tests say:")
        made.points(told)
    lies = verdict.liars()
    told = []
    for (corpus, encoder), own in lies.groupby(["corpus", "encoder"]):
        if (own["λ"] == 0).any() and (own["λ"] > 0).any():
            model = LABELS.get(encoder, encoder)
            told.append((corpus, model, mended.over_seeds(own)))
    if told:
        made.say(f"{mended.title_of_ways(mended.of_ways(told))}.")
    for corpus, model, means in told:
        if corpus == mended.BUILT_IN:
            made.say(f"{corpus}, {model}, by how heavy the penalty on looking is (λ):")
            made.points(mended.ways_taken(means))


def published(made: Document, rows: Rows) -> None:
    """Beside the papers' numbers."""
    cells = rows.published
    if cells.empty:
        return
    made.heading("Beside the published numbers", 2)
    groups = []
    for (source, statistic), own in cells.groupby(["source", "statistic"]):
        several = own[own["cell"] != "one seed"]
        groups.append(
            {
                "published in": "the paper" if source == "paper" else "the authors' site",
                "number": {
                    "mean": "mean or score",
                    "std": "standard deviation",
                    "significant": "share of significant texts",
                }[statistic],
                "numbers": len(own),
                "median difference": (own["reported"] - own["mean"]).abs().median(),
                "beside several seeds": len(several),
                "within their range": int((several["cell"] == "within").sum()),
            }
        )
    made.table(
        pd.DataFrame(groups),
        "Jain & Wallace's published numbers of whole corpora, each beside the profile that it came from: "
        "paper2019 for the paper, site for the site",
        (1.5, 2, 0.9, 1.2, 1.3, 1.2),
        digits=3,
    )
    made.say(
        "Were a published number one more seed of ours, about half of them would lie within the range of"
        " three."
    )


def easy(made: Document, rows: Rows) -> None:
    """What came out as it was reported, or better than it could be hoped."""
    made.heading("What was easy")
    said = []
    tallied = claims.tally(rows.claims)
    firm = tallied[(tallied["yes"] > 0) & (tallied["no"] == 0)].sort_values(
        "yes", ascending=False, kind="stable"
    )
    if len(firm):
        each = [f"{claim} ({row['yes']} of {row.sum()})" for claim, row in firm.head(5).iterrows()]
        said.append(
            (
                "Claims that hold wherever they are decided.",
                (
                    f"{len(firm)} of {len(tallied)}. Most often, in brackets on how many of the corpora and"
                    f" profiles: {'; '.join(each)}."
                ),
            )
        )
    found = rows.able.pivot_table(index=verdict.RUN, columns="measure", values="mean")
    if {"found", "optimum"} <= {*found}:
        both = found[["found", "optimum"]].dropna()
        lower = int((both["optimum"] < both["found"] - 1e-6).sum())
        said.append(
            (
                "The optimum.",
                (
                    f"It takes no search. In {counted(len(both), 'run')} with both, the optimum's mean is"
                    f" below the search's in {lower or 'none'}."
                ),
            )
        )
    said.append(
        (
            "One statistic.",
            (
                "Everything that changes attention and holds the states (shuffles, search, erasure, your"
                " own hands on the weights) is a function of the weights and one number a word and class,"
                " so texts are encoded once."
            ),
        )
    )
    made.points(said)


def hard(made: Document, rows: Rows) -> None:
    """What didn't come out, and what it took."""
    made.heading("What was hard")
    said = []
    cells = rows.published
    several = cells[cells["cell"] != "one seed"]
    if len(several):
        inside = (several["cell"] == "within").sum()
        said.append(
            (
                "The published numbers.",
                f"Of {len(several)} that stand beside several seeds {inside} lie within our seeds' range.",
            )
        )
    changed = verdict.before_and_after(rows.all)
    both = changed[(changed["cell_before"] != "one seed") & (changed["cell_after"] != "one seed")]
    if len(both):
        inside = [(both[f"cell_{when}"] == "within").sum() for when in ("before", "after")]
        said.append(
            (
                "The word vectors.",
                (
                    "The papers' models started from general pretrained ones, ours mostly from word2vec of"
                    f" the corpora's own texts. Of {len(both)} cells that have both"
                    f" ({', '.join(sorted(changed['corpus'].unique()))}) {inside[0]} lie within our range"
                    f" with our own vectors, {inside[1]} with general ones."
                ),
            )
        )
    guesses = verdict.guessing(rows.all)
    if len(guesses):
        named = [
            f"{r.corpus}, {LABELS.get(r.encoder, r.encoder)} {r.attention} ({r.profile})"
            for r in guesses.itertuples()
        ]
        said.append(
            (
                "Models that learn nothing.",
                (
                    f"{counted(len(guesses), 'model')} predict no better than the most frequent answer:"
                    f" {'; '.join(named)}. Their attention is evidence of nothing."
                ),
            )
        )
    open_ones = int((~rows.claims["holds"].isin(["yes", "no"])).sum())
    if len(rows.claims):
        said.append(
            (
                "Seeds.",
                (
                    f"{open_ones} of {counted(len(rows.claims), 'answer')} to a claim stay undecided: with"
                    " two or three seeds intervals are wide."
                ),
            )
        )
    made.points(said)
    if not said:
        made.say("No published number and no claim has runs here yet.")


def unexplained(made: Document, rows: Rows) -> None:
    """Where ours differ most, and what was never decided."""
    made.heading("What isn't explained")
    cells = rows.published
    off = cells[cells["statistic"] == "mean"]
    off = off.assign(off=(off["mean"] - off["reported"]), far=(off["mean"] - off["reported"]).abs())
    off = off.sort_values("far", ascending=False, kind="stable").head(6)
    if len(off):
        table = off.assign(
            encoder=off["encoder"].map(LABELS),
            measure=off["measure"].replace({"tau_gradient": WITH_GRADIENT, "tau_loo": WITH_LOO}),
        )
        made.say("The published means and scores from which ours lie furthest:")
        made.table(
            table[["corpus", "encoder", "class", "measure", "source", "reported", "mean", "off", "seeds"]]
            .astype({"seeds": int})
            .rename(columns={"mean": "ours", "off": "ours less it"}),
            "Where ours differ most from the published numbers (classes by number; source: the paper or the"
            " authors' site)",
            (1.2, 1.2, 0.8, 1.8, 0.9, 1, 0.8, 1.1, 0.8),
        )
    tallied = claims.tally(rows.claims)
    nowhere = tallied[(tallied["yes"] + tallied["no"] == 0)]
    if len(nowhere):
        without = nowhere.index[nowhere.sum(axis=1) == 0]
        undecided = nowhere.index.difference(without, sort=False)
        if len(undecided):
            made.say(f"Decided nowhere: {'; '.join(undecided)}.")
        if len(without):
            made.say(f"Without any run: {'; '.join(without)}.")
    made.say(
        "The authors' code was run once beside heed on the same texts, vectors and first weights, and gave"
        " the same losses, attention and τ: what differs is what goes in. Which of vectors, texts and seeds"
        " it is, cell by cell, only runs with the papers' own vectors can say (make fidelity)."
    )


def references(made: Document, rows: Rows) -> None:
    """The papers, and the corpora of these rows."""
    made.heading("References")
    cited = []
    named = paths.ROOT / "CITATION.cff"
    for one in yaml.safe_load(named.read_text(encoding="utf-8"))["references"] if named.exists() else []:
        authors = listed(
            [f"{who['given-names'].split()[0][0]}. {who['family-names']}" for who in one["authors"]]
        )
        where = one.get("collection-title") or one.get("notes", "")
        title = one["title"] if one["title"].endswith("?") else f"{one['title']}."
        cited.append(f"{authors} ({one['year']}). {title} {where}.")
    cited.append(
        "D. Pruthi, M. Gupta, B. Dhingra, G. Neubig and Z. C. Lipton (2020). Learning to Deceive with "
        "Attention-Based Explanations. Proceedings of ACL."
    )
    made.points(cited)
    known = corpora()
    of_corpora = {
        known[name]["cite"] for name in rows.all["corpus"].unique() if "cite" in known.get(name, {})
    }
    if of_corpora:
        made.note("Corpora: " + "; ".join(sorted(of_corpora)) + ".")


# Figures


def flatter(figure: Figure, corpora_there: int) -> Figure:
    """A figure of `by_corpus`, low enough for half a page."""
    figure.set_size_inches(figure.get_figwidth(), 0.38 * corpora_there + 1.2)
    return figure


def draw(made: Document, figure: Callable[[], Figure], caption: str, width: float) -> None:
    """Add a figure that is drawn from the rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = save(figure(), Path(folder) / "figure.svg")
        plt.close("all")
        made.figure(path.read_text(encoding="utf-8"), caption, width)


def committed(made: Document, rows: Rows, kind: str, shows: str, width: float) -> None:
    """Add the committed figure of a kind, of the corpus with the most runs; nothing if there is none."""
    counts = rows.main.drop_duplicates(verdict.RUN)["corpus"].value_counts()
    for corpus in sorted(counts.index, key=lambda name: (-counts[name], name)):
        name = corpus.removesuffix(" (part)")
        path = FIGURES / f"{name}-additive-paper-{kind}.svg"
        if name in corpora() and path.is_file():
            title = corpora()[name]["title"]
            made.figure(path.read_text(encoding="utf-8"), f"{title}: {shows}.", width)
            return
