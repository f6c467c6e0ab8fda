"""Chapter 14: what lies and repairs come to, as tables and sentences."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from heed import verdict
from heed.experiments import lies
from heed.experiments.repairs import SPARSE, TESTS
from heed.experiments.train import whose_words
from heed.measures.stats import auroc, t_interval
from heed.registry import made_corpora
from heed.show.correlation import CORPORA
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS
from heed.show.transformers import brief
from heed.show.words import text_for
from heed.verdict import claims, paper_tests

# By hand: a word of great value that little is looked at says what one of small value says that has half.
HAND = {"words": ["superb", "the", "plot"], "attention": [0.5, 0.3, 0.2], "worth": [4.0, 0.0, 0.0]}
BUILT_IN = "planted"
DEAR, RAISED = 0.05, 0.05  # an accuracy lost, a τ gained, from which on it is remarked on
UNUSED = 0.1  # a change of the prediction from which on words are said to be used: chapter 12's of a shuffle
IDLE = 0.02  # a change by shuffling that is next to none
BETTER = 0.02  # by how much more an AUROC is said to be better
ABOVE = 0.1  # by how much less than the honest model's an AUROC is still much the same
FOUND_BY = {
    "lie_auroc_attention": "attention",
    "lie_auroc_loo": "leave-one-out",
}  # how well they find the words
RANGED = ("lie_mass", "lie_removed", "lie_held")  # of liars and the words, drawn with ranges over seeds
BY_INTERVAL = ("accuracy", *FOUND_BY)  # of liars, read by their 95 % intervals over seeds
GUESS = 0.5  # the accuracy of a guess between two classes, which all corpora of liars have
LESS = 0.5  # the share of an honest model's change below which words are used less
MUCH = 1.5  # from how many times their share of the words on words are said to get much attention
AWAY = 0.1  # the share of an honest model's attention below which a liar looks away
COUNTS = "a liar counts here only if removing the words moves its prediction"
SURE = 0.9  # the probability of a class from which on a model is sure of it


@dataclass(frozen=True)
class Test:
    """One of the debate's tests: its name in figures, what it asks, and its border, chapter 12's."""

    name: str
    asks: str
    way: str
    bound: float
    unit: str
    chapter: str

    @property
    def passes(self) -> str:
        """When a model passes: `τ > 0.5`."""
        return f"{self.unit} {'>' if self.way == 'more' else '≤'} {self.bound:g}"

    def reads(self, row: pd.Series, of: str) -> str:
        """`yes` if all of the interval of a number lies where a model passes, `no` if none does, else `open`.

        row: of `named`; of: the number's name. Its ends are taken as they are shown; nothing of NaN.
        """
        return self.reads_interval(*(float(row[f"{of} {end}"]) for end in ("low", "high")))

    def reads_interval(self, low: float, high: float) -> str:
        """`reads` of an interval's ends."""
        low, high = round(low, 2), round(high, 2)
        if np.isnan(low):
            return ""
        above, below = ("yes", "no") if self.way == "more" else ("no", "yes")
        if low > self.bound:
            return above
        return below if high <= self.bound else "open"


def _tests() -> dict[str, Test]:
    """The tests by the number that each asks for."""
    border = {test.of: test.border for test in paper_tests.TESTS}
    rows = {
        "tau_loo": ("leave-one-out", "Does attention rank words as leave-one-out does?", "more", "τ", "02"),
        "tau_gradient": ("gradient", "Does it rank words as the gradient does?", "more", "τ", "02"),
        "median_change": ("shuffled", "Does a typical shuffle move the prediction?", "more", "TVD", "03"),
        "optimum": ("firm", "Is all attention that gives the same prediction near?", "less", "JSD", "04"),
        "excess_attention": (
            "erased",
            "Erased in its order, do words flip the decision about as soon as in the best order?",
            "less",
            "excess",
            "06",
        ),
        "auroc_attention": ("truth", "Does it rank the deciding words first?", "more", "AUROC", "02"),
    }
    return {
        of: Test(name, asks, way, border["truth" if of == "auroc_attention" else of], unit, chapter)
        for of, (name, asks, way, unit, chapter) in rows.items()
    }


PASSES = _tests()
REPAIRS = {
    "conicity_weight": "diversity",
    "tying": "tied states",
    "masked_words": "masked words",
    "erasure_weight": "erasure (ours)",
}
AS_IT_IS = "as it is"
UNREPAIRED = "unrepaired"  # how figures call it


# By hand


def thin_lie(share: float = 0.01) -> pd.DataFrame:
    """The example, and the same logit with that share on its first word: the value makes up for it."""
    rows = []
    for kind, weight in (("honest", HAND["attention"][0]), ("a lie", share)):
        worth = HAND["attention"][0] * HAND["worth"][0] / weight
        logit = weight * worth
        rows.append([kind, weight, worth, logit, 1 / (1 + np.exp(-logit)), -np.log(1 - weight)])
    columns = ["model", "attention on superb", "its value", "logit", "P(positive)", "penalty R (λ = 1)"]
    return pd.DataFrame(rows, columns=columns)


def tests() -> pd.DataFrame:
    """The six tests: what each asks, from where on a model passes, and the chapter that has it."""
    rows = [[test.name, test.asks, test.passes, test.chapter] for test in PASSES.values()]
    return pd.DataFrame(rows, columns=["test", "it asks", "passed if", "chapter"])


# Models


def called(row: pd.Series) -> str:
    """What a model is: as it is, mended by what, or a liar."""
    given = dict(part.partition("=")[::2] for part in str(row["given"]).split(", ") if part)
    parts = [label for name, label in REPAIRS.items() if given.get(name)]
    if row["encoder"] == "orthogonal":
        parts.append("orthogonal")
    if row["attention"] in SPARSE:
        parts.append(row["attention"])
    if given.get("lie_weight"):
        parts.append(f"lies, λ = {float(given['lie_weight']):g}")
    return ", ".join(parts) or AS_IT_IS


def family(row: pd.Series) -> str:
    """The encoder that was mended: an orthogonal LSTM is a BiLSTM that was; or which transformer it is."""
    if pretrained := re.search(r"pretrained=([^,]+)", str(row["given"])):
        return brief(pretrained[1])
    return LABELS["bilstm"] if row["encoder"] == "orthogonal" else LABELS[row["encoder"]]


def model_of(p) -> str:
    """How the page calls the model of a run's parameters: `BiLSTM`, `MiniLM`."""
    given = f"pretrained={p.pretrained}" if p.encoder == "transformer" and p.pretrained else ""
    return family(pd.Series({"encoder": p.encoder, "given": given}))


def each(table: pd.DataFrame) -> pd.DataFrame:
    """Committed rows with `model` and `family`, a row a seed."""
    if table.empty:
        return table.assign(model=[], family=[])
    return table.assign(model=table.apply(called, axis=1), family=table.apply(family, axis=1))


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Means of `each` over seeds, those as they are first, liars last.

    `low` and `high` of each number of PASSES: its 95 % interval over seeds, as chapter 12 has it.
    """
    ends = {f"{of} {end}": [] for of in PASSES for end in ("low", "high")}
    rows = each(table)
    if table.empty:
        return rows.assign(seeds=[], each_seed=[], **ends)
    groups = rows.groupby(["corpus", "family", "model"], sort=False)
    means = groups[["accuracy", "f1", *TESTS]].mean()
    means = means.join(groups["seed"].agg(seeds="nunique", each_seed=_each_seed))
    for of in PASSES:
        found = [claims.interval(own[of].dropna(), of, False)[1:] for _, own in groups]
        means[[f"{of} low", f"{of} high"]] = found
    means = means.reset_index()
    order = pd.DataFrame(
        {
            "corpus": means["corpus"],
            "family": means["family"].map({label: k for k, label in enumerate(LABELS.values())}),
            "last": _lies(means).astype(int) * 2 + (means["model"] != AS_IT_IS),
        }
    ).sort_values(["corpus", "family", "last"], kind="stable")
    return means.loc[order.index].reset_index(drop=True)


def _each_seed(seeds: pd.Series) -> str:
    """`0, 1 and 2`."""
    return listed([str(seed) for seed in sorted({*seeds})])


def _lies(rows: pd.DataFrame) -> pd.Series:
    """Which rows of `named` are liars'."""
    return rows["model"].str.startswith("lies")


def seeds_of_each(rows: pd.DataFrame) -> str:
    """Of how many models each row of `named` is a mean."""
    least, most = int(rows["seeds"].min()), int(rows["seeds"].max())
    if least == most:
        return "one seed of each" if most == 1 else f"{most} seeds of each"
    return f"{least} to {most} seeds of each"


def unrepaired(rows: pd.DataFrame) -> pd.DataFrame:
    """The models as they are, a row a seed: corpus, family, seed, accuracy, auroc_attention.

    rows: committed rows.
    """
    own = each(rows)
    own = own[own["model"] == AS_IT_IS]
    return own[["corpus", "family", "seed", "accuracy", "auroc_attention"]].reset_index(drop=True)


def seeds_auroc(seeds: pd.DataFrame, rows: pd.DataFrame) -> list[float]:
    """The AUROC of the unrepaired seeds (`unrepaired`) of the corpus and family that rows are of."""
    if rows.empty:
        return []
    own = seeds[(seeds["corpus"] == rows["corpus"].iloc[0]) & (seeds["family"] == rows["family"].iloc[0])]
    return [*own["auroc_attention"].dropna()]


def attention_finds(p) -> list[float]:
    """How well the attention of committed BiLSTMs finds the deciding words: AUROC, a number a seed.

    p: a run's parameters, of whose corpus and profile they are; none where nobody knows the words.
    """
    rows = verdict.mended()
    seeds = unrepaired(rows[(rows["corpus"] == p.corpus) & (rows["profile"] == p.profile)])
    return [*seeds[seeds["family"] == LABELS["bilstm"]]["auroc_attention"].dropna()]


def by_family(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """`named` of each corpus and encoder of which there are several, with the name of its figure's file."""
    groups = rows.groupby(["corpus", "family"], sort=False)
    return [(f"14_tests-{corpus}-{family.lower()}", own) for (corpus, family), own in groups if len(own) > 1]


# The answer

# What reads how, and what the real texts are, for whoever has read no other chapter.
READS = {
    "BiLSTM": "reads a text forwards and backwards",
    "BiGRU": "reads a text forwards and backwards",
    "CNN": "reads a few words at a time",
    "Average": "reads each word alone",
    "MiniLM": "a small transformer, frozen, with trained attention on top",
}
TEXTS = CORPORA | {"movies": "film reviews"}


def which_models(rows: pd.DataFrame, liars: Sequence[tuple[str, str, pd.DataFrame]], run: str) -> str:
    """Which models and corpora the chapter speaks of, and how many seeds of each.

    rows: `named`, of all corpora; liars: `every_liar`; run: the run's own corpus and model.
    """
    families = dict.fromkeys([*(model for _, model, _ in liars), *rows["family"]])
    who = listed([f"{inert(name)}{f' ({READS[name]})' if name in READS else ''}" for name in families])
    corpora = dict.fromkeys([*(corpus for corpus, _, _ in liars), *rows["corpus"]])
    real = {}
    for corpus in corpora:
        if corpus not in made_corpora():
            real.setdefault(TEXTS.get(corpus, "other texts"), []).append(inert(corpus))
    of_real = [f"{what} ({', '.join(sorted(names))})" for what, names in sorted(real.items())]
    made = [f"*{inert(corpus)}*" for corpus in corpora if corpus in made_corpora()]
    texts = [*([f"{listed(made)} (made)"] if made else []), *of_real]
    said = f"**Which models?** {who}, {_how_many_seeds(rows, liars)}. Their texts: {'; '.join(texts)}."
    return (
        f"{said} The example, {run}, is computed on this page; the others are stored. Numbers are means over "
        "seeds."
    )


def _how_many_seeds(rows: pd.DataFrame, liars: Sequence[tuple[str, str, pd.DataFrame]]) -> str:
    """`3 seeds of each, but of some only 1 (the Average model on imdb)`; as `which_models` takes them."""
    found = pd.DataFrame(
        [
            *rows[["family", "corpus", "seeds"]].itertuples(index=False, name=None),
            *((model, corpus, int(told["seeds"].min())) for corpus, model, told in liars),
        ],
        columns=["family", "corpus", "seeds"],
    )
    least, most = int(found["seeds"].min()), int(found["seeds"].max())
    fewer = found[found["seeds"] < most]
    few = "" if fewer.empty else f", but of some only {least} ({_models_on(fewer)})"
    return f"{counted(most, 'seed')} of each{few}"


def hidden_words(run) -> str:
    """What a run's liars must not be seen to use."""
    known = whose_words(run)
    if known == "truth":
        return "the deciding words"
    if known == "leave_one_out":
        return "the words that it relied on most"
    if known == "marks":
        return "the words that people marked"
    return "the words that were to be hidden"


def in_short(
    liar: tuple[str, str, pd.DataFrame],
    words: str,
    ways: pd.DataFrame,
    rows: pd.DataFrame,
    known: pd.DataFrame,
) -> list[str]:
    """The chapter's questions with their answers, a point each.

    liar: of `every_liar` the run's own; words: `hidden_words`; ways: `of_ways`; rows: as for `can_be_mended`;
    known: `in_the_corner`, of all.
    """
    corpus, model, told = liar
    said = {
        "Can attention be made to lie?": can_lie(told, model, words, corpus),
        "Everywhere?": who_hides(ways),
        "Who finds it out?": _caught(fooled(ways), known, brief=True),
        "Can it be made to tell?": can_be_mended(rows, model),
        "May it be shown?": _to_show(known),
    }
    return [f"**{question}** {' '.join(answer)}" for question, answer in said.items() if answer]


def can_lie(told: pd.DataFrame, model: str, words: str, corpus: str) -> list[str]:
    """Whether the model whose penalty is largest looks away, and still uses the words; a sentence each.

    told: `over_seeds`, of this corpus.
    """
    honest, liar = _honest_and_liar(told)
    own, ordinary = (f"{one['lie_removed']:.2f}" for one in (liar, honest))
    compared = "the same" if own == ordinary else ordinary
    moves = f"removed, they move its prediction by {own} (ordinary: {compared})"
    if liar["accuracy"] <= honest["accuracy"] - DEAR:
        moves += f", and accuracy falls from {honest['accuracy']:.2f} to {liar['accuracy']:.2f}"
    does = {
        "never": "But it doesn't use them, nor does an ordinary model.",
        "no": f"But it stops using them: {moves}.",
        "less": f"But it uses them less: {moves}.",
        "yes": f"It still uses them: {moves}.",
    }[uses(liar, honest)]
    return [
        *(["Yes."] if _hides(told) else []),
        f"{_a(model)} trained on {inert(corpus)} to look away from {words} leaves them "
        f"{share_of(liar['lie_mass'])} of its attention (ordinary: "
        f"{share_of(honest['lie_mass'])}).",
        does,
    ]


def who_hides(ways: pd.DataFrame) -> list[str]:
    """What liars of made and of real texts do, a sentence each; empty of a single one. ways: `of_ways`."""
    return _on_each(ways, "such model", brief=True) if len(ways) > 1 else []


def _on_each(ways: pd.DataFrame, what: str, brief: bool = False) -> list[str]:
    """`Of 6 liars on made texts 5 hide what they use.`, a sentence for made and one for real texts.

    ways: `of_ways`; what: how the first of them calls one; brief: whether those of real texts aren't named,
    nor what a single one does that doesn't lie.
    """
    said = []
    for which, own in _made_and_real(ways).items():
        many = f"{len(own)}" if said else counted(len(own), what)
        names = f" ({_models_on(own, 'model')})" if which == "real" and not brief else ""
        said.append(f"Of {many} on {which} texts{names} {_do(own, brief)}.")
    return said


def _made_and_real(ways: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The liars of `of_ways` on `made` and on `real` texts, those that there are."""
    made = ways["corpus"].isin(made_corpora())
    return {which: own for which, own in (("made", ways[made]), ("real", ways[~made])) if len(own)}


def liars_table(ways: pd.DataFrame) -> pd.DataFrame:
    """What each liar with words to hide does beside its honest model, a row each; if none had any, all.

    ways: `of_ways`. Those that hide what they use stand first.
    """
    tried = _with_words_to_hide(ways)
    ways = tried if len(tried) else ways
    return pd.DataFrame(
        [
            {
                "liar": row["name"],
                "attention on the words": _from_to(row, "lie_mass", share_of),
                "prediction moves without them": _from_to(row, "lie_removed"),
                "accuracy": _from_to(row, "accuracy"),
                "what it does": _verdict(row, is_guessing),
            }
            for (_, row), is_guessing in zip(ways.iterrows(), _guessing(ways), strict=True)
        ]
    )


def _from_to(row: pd.Series, of: str, write: Callable[[float], str] = "{:.2f}".format) -> str:
    """`61% → 5%`: a number of the honest model, then of the liar; row: of `of_ways`."""
    both = [write(row[f"{of}, {kind}"]) for kind in ("honest", "liar")]
    return " → ".join(both).replace("less than ", "<")


def _verdict(row: pd.Series, is_guessing: bool) -> str:
    """What a liar does, for a cell of a table; row: of `of_ways`, is_guessing: whether it only guesses."""
    if row["way"] == "open":
        return _does(row)
    return "stopped working" if row["way"] == "neither" and is_guessing else VERDICTS[row["way"]]


def where_it_works(ways: pd.DataFrame) -> list[str]:
    """How many liars hide what they use, at what price, and why the others don't; ways: `of_ways`."""
    said, hide = _on_each(ways, "liar"), ways[_hiding(ways)]
    if (ways["way"] == "little").any():
        left_out = " The table leaves these out." if len(_with_words_to_hide(ways)) else ""
        said.append(
            f"Too little means that removing the words moves even the honest model by less than {UNUSED:g}, "
            f"so there is nothing to lie about ([appendix](#appendix-more-on-lies)).{left_out}"
        )
    if gone := _models_on(ways[(ways["way"] == "neither") & _guessing(ways)], "model"):
        said.append(f"{_upper(gone)} stopped working rather than lied: it does no better than a guess.")
    if len(hide):
        said.append(f"{_price_of_lies(hide)}.")
    return said


def _price_of_lies(hide: pd.DataFrame) -> str:
    """Whether liars that hide what they use lose accuracy; rows of `of_ways`, one at least."""
    dear = _dear_lies(hide)
    if dear.empty:
        return f"No lie costs {DEAR:g} of accuracy or more"
    if len(dear) == len(hide):
        return f"The lie costs {DEAR:g} of accuracy or more wherever it works"
    return (
        f"Where the lie works it costs less than {DEAR:g} of accuracy, except for {_models_on(dear, 'model')}"
    )


def _do(ways: pd.DataFrame, brief: bool = False) -> str:
    """`5 had too little to hide, the other doesn't hide the words`, or if brief `the other hides none`.

    ways: `of_ways`.
    """
    tried = _with_words_to_hide(ways)
    idle, hide = len(ways) - len(tried), int(_hiding(tried).sum())
    if not idle:
        return f"{hide or 'none'} {_hides_or_hide(hide)}"
    said = f"{idle} had too little to hide"
    if len(tried) > 1:
        return f"{said}; of the other {len(tried)} {hide or 'none'} {_hides_or_hide(hide)}"
    if len(tried) == 1:
        does = "hides none" if brief and not hide else _does(tried.iloc[0])
        return f"{said}, the other {does}"
    return said


def _does(row: pd.Series) -> str:
    """`hides what it uses`, `neither hides nor clearly uses the words`; row: of `of_ways`."""
    if row["way"] in ("first", "second"):
        return "hides what it uses"
    if row["way"] != "open":
        return "doesn't use what it hides as before"
    unused = row["lie_removed, liar"] < UNUSED
    return "neither hides nor clearly uses the words" if unused else "doesn't hide the words"


def _hiding(ways: pd.DataFrame) -> pd.Series:
    """Which liars of `of_ways` hide what they use."""
    return ways["way"].isin(["first", "second"])


def _hides_or_hide(count: int) -> str:
    return "hides what it uses" if count < 2 else "hide what they use"


def _left_of(row):
    """Which share of the honest model's attention on the words a liar leaves; row: of `of_ways`, or all."""
    return row["lie_mass, liar"] / row["lie_mass, honest"]


def _over(seeds: int) -> str:
    """`means over 3 seeds`, `one seed`."""
    return "one seed" if seeds == 1 else f"means over {seeds} seeds"


def _honest_and_liar(told: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The model that wasn't trained to hide anything, and the liar whose penalty is largest."""
    return told[told["λ"] == 0].iloc[0], told.loc[told["λ"].idxmax()]


def _named(model: str) -> str:
    """`BiLSTM`, `Average model`."""
    return f"{model} model" if model == LABELS["average"] else model


def _the(model: str) -> str:
    """`the BiLSTM`, `the Average model`, `MiniLM`."""
    return f"the {_named(model)}" if model in LABELS.values() else model


def _a(model: str) -> str:
    """`A BiLSTM`, `An Average model`, `MiniLM`."""
    if model not in LABELS.values():
        return model
    return f"{'An' if model == LABELS['average'] else 'A'} {_named(model)}"


def _others_known(row: pd.Series) -> bool:
    """Whether other words were removed, too (`lies.others_removed`)."""
    return not np.isnan(row.get("lie_others", np.nan))


def _by_neighbours_alone(held, removed):
    """Whether words act through other words' states: erasing their own weights hardly moves anything.

    held, removed: numbers, or columns of them.
    """
    return held < 0.2 * removed


def uses(liar: pd.Series, honest: pd.Series) -> str:
    """Whether a liar still uses the words, by `rule`: `no`, `less` (under half as much) or `yes`; `never` if
    the honest model doesn't either."""
    if honest["lie_removed"] < UNUSED:
        return "never"
    if liar["lie_removed"] < UNUSED:
        return "no"
    return "less" if liar["lie_removed"] < LESS * honest["lie_removed"] else "yes"


def can_be_mended(rows: pd.DataFrame, model: str) -> list[str]:
    """With how many repairs of one encoder attention finds the deciding words, and whether that is to tell.

    rows: `named`, of one corpus. Empty of no repair.
    """
    before, mended = _before_and_mended(rows, model)
    if before is None or np.isnan(before["auroc_attention"]):
        return []
    if _finds(before) == "yes":
        return ["Without such training its attention finds the deciding words."]
    finders = finding(mended)
    n = len(finders)
    said = [
        *(["Partly."] if n else []),
        f"On {inert(str(before['corpus']))} {n or 'none'} of {counted(len(mended), 'repair')} of "
        f"{_a(model)[0].lower()}{_a(model)[1:]} {'makes' if n < 2 else 'make'} its attention find what "
        f"decides the *label*{' (one seed of each)' if mended['seeds'].max() == 1 else ''}.",
    ]
    if n:
        said.append("That it tells what the *model* uses isn't shown.")
    return said


def _all_fail(rows: pd.DataFrame) -> list[int]:
    """The numbers of the three tests that all of the rows of `named` surely fail."""
    return [
        number
        for number, of in enumerate(CORNER.values(), 1)
        if all(PASSES[of].reads(row, of) == "no" for _, row in rows.iterrows())
    ]


def _tests_named(numbers: Sequence[int]) -> str:
    """`test 2`, `tests 1 and 2`."""
    return f"test{'' if len(numbers) == 1 else 's'} {listed([str(number) for number in numbers])}"


def _dearer(repaired: pd.DataFrame, before: pd.Series) -> pd.DataFrame:
    """The repairs with which attention's top words alone give the decision less well, beside random words,
    by DEAR or more (sufficiency)."""
    return repaired[_beside_random(repaired) < _beside_random(before) - DEAR]


def _to_show(known: pd.DataFrame) -> list[str]:
    """Of how many models attention may be shown; empty of no model. known: `in_the_corner`."""
    known = _honest(known)
    if known.empty:
        return []
    good, open_ = known[_all_three(known) == "yes"], known[_all_three(known) == "open"]
    models = counted(len(known), "model")
    if len(good):
        return [f"In {len(good)} of {models} it passes three tests: {_how_many_on(good)}."]
    if open_.empty:
        return [f"No: it fails one of three tests in each of {models}."]
    failed, seeds = len(known) - len(open_), int(known["seeds"].max())
    if not failed:
        return [f"Of no model for sure: with {counted(seeds, 'seed')} each is open."]
    fails, are = "fails" if failed == 1 else "fail", _is(len(open_))
    made = "on made texts " if {*known["corpus"]} <= {*made_corpora()} else ""
    return [
        f"Of no model for sure: {made}{failed} of {len(known)} clearly {fails} one of three tests "
        f"and {len(open_)} {are} open."
    ]


def _how_many_on(rows: pd.DataFrame) -> str:
    """`6 Average models on indicator and 1 CNN on planted`."""
    counts = rows.groupby(["family", "corpus"], sort=False).size().sort_values(ascending=False, kind="stable")
    return listed(
        [
            f"{counted(count, _named(str(family)))} on {inert(str(corpus))}"
            for (family, corpus), count in counts.items()
        ]
    )


def _honest(known: pd.DataFrame) -> pd.DataFrame:
    """The models that weren't taught to lie: of a liar nobody would show attention."""
    return known[~_lies(known)]


def _all_three(known: pd.DataFrame) -> pd.Series:
    """Whether each model of `in_the_corner` passes all three tests: `yes`, `no` or `open`."""
    met = known[[*CORNER]]
    every, fails = (met == "yes").all(axis=1), (met == "no").any(axis=1)
    return pd.Series(np.where(every, "yes", np.where(fails, "no", "open")), index=known.index)


def elsewhere(rows: pd.DataFrame) -> list[str]:
    """What repairs come to on other corpora, a sentence or two a corpus and encoder. rows: `named`."""
    said = []
    for (corpus, family), own in rows.groupby(["corpus", "family"], sort=False):
        before, mended = _before_and_mended(own, family)
        if before is None:
            continue
        most = max(len(passed(row)) for _, row in mended.iterrows())
        said.append(
            f"On {inert(corpus)} ({inert(family)}, {seeds_of_each(own)}) no repair passes more than {most} "
            f"of {len(asked(own))} tests (unrepaired: {len(passed(before))})."
            f" {_nearest_to_loo(mended, before)}".rstrip()
        )
    return said


def _nearest_to_loo(mended: pd.DataFrame, before: pd.Series) -> str:
    """Which repair brings attention nearest to leave-one-out, and its accuracy; empty if none does much."""
    if mended["tau_loo"].isna().all():
        return ""
    best = mended.loc[mended["tau_loo"].idxmax()]
    if not best["tau_loo"] >= before["tau_loo"] + RAISED:
        return "No repair brings attention much nearer to leave-one-out."
    return (
        f"Nearest to leave-one-out comes {best['model']} (τ {best['tau_loo']:.2f}, accuracy "
        f"{best['accuracy']:.2f}; unrepaired {before['tau_loo']:.2f} and {before['accuracy']:.2f})."
    )


def _before_and_mended(rows: pd.DataFrame, model: str) -> tuple[pd.Series | None, pd.DataFrame]:
    """The unrepaired model and the repairs of one encoder; None where one or the other is missing.

    rows: `named`.
    """
    own = rows[(rows["family"] == model) & ~_lies(rows)]
    before, mended = own[own["model"] == AS_IT_IS], own[own["model"] != AS_IT_IS]
    return (None if before.empty or mended.empty else before.iloc[0]), mended


def _finds(row: pd.Series) -> str:
    """Whether a model finds the deciding words: `yes`, `no`, `open`, or nothing where nobody knows them."""
    return PASSES["auroc_attention"].reads(row, "auroc_attention")


def finding(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the rows that find the deciding words, the best first."""
    good = [_finds(row) == "yes" for _, row in rows.iterrows()]
    return rows[good].sort_values("auroc_attention", ascending=False, kind="stable")


def within(rows: pd.DataFrame, seeds: Sequence[float]) -> pd.DataFrame:
    """Those that don't find the deciding words, and whose AUROC lies in the range of two seeds or more."""
    if len(seeds) < 2:
        return rows[:0]
    others = rows.drop(finding(rows).index)
    return others[others["auroc_attention"].between(min(seeds), max(seeds))]


# Lies


def hiding(told: pd.DataFrame, model: str, run: pd.DataFrame) -> pd.DataFrame:
    """What liars do with the words, for the figure: a row a model, means with their range over seeds.

    told: `over_seeds`, of liars called `model`; run: `lies.beside` of one of their seeds, with `lie_others`
    where these are known.
    """
    rows = told.assign(model=[_liar(model, weight) for weight in told["λ"]])
    others = run.set_index("λ")["lie_others"] if "lie_others" in run else pd.Series(dtype=float)
    return rows.assign(lie_others=rows["λ"].map(others).astype(float))


def _liar(model: str, weight: float) -> str:
    return f"{model}, lies, λ = {weight:g}" if weight else f"{model}, honest"


def hidden_but_used(told: pd.DataFrame, model: str, corpus: str) -> str:
    """The finding of the figure of `hiding`, in plain text: of the model whose penalty is largest."""
    honest, liar = _honest_and_liar(told)
    does = {"no": "stops using what it hides", "less": "uses what it hides less"}
    does |= {"yes": "still uses what it hides", "never": "doesn't use what it hides"}
    on = text_for(corpus, "figure")
    return f"{_a(model)} trained on {on} to look away {does[uses(liar, honest)]}"


@dataclass(frozen=True)
class Lied:
    """One text as a run and its liar read it: words, attention by the models' names, hidden words, class, and
    how probable each says that class is, of the text and of what is left without these words.

    sure: in what share of texts the honest model is sure of a class without these words, if they alone decide
    and no text of training lacks them; else NaN.
    """

    words: list[str]
    attention: dict[str, np.ndarray]
    hidden: np.ndarray
    says: str
    probable: list[float]
    without: list[float]
    sure: float = np.nan

    def finding(self) -> str:
        """The figure's finding, in plain text."""
        left = [float(weights[self.hidden].sum()) for weights in self.attention.values()]
        looks = "looks at none of" if left[1] < 0.005 else "looks less at"
        return f"Both say {text_for(self.says, 'figure')}, but the liar {looks} the words that it hides"

    def notes(self) -> dict[str, str]:
        """What each model says, with the hidden words and without them, by its name."""
        each = zip(self.attention, self.probable, self.without, strict=True)
        of = f"P({text_for(self.says, 'figure')})"
        return {name: f"{of} {whole:.2f}, without the framed words {left:.2f}" for name, whole, left in each}

    def unlearned(self) -> str:
        """Why the honest model is sure of a class without the words that decide; empty if it isn't, or nobody
        knows."""
        if np.isnan(self.sure) or SURE > self.without[0] > 1 - SURE:
            return ""
        return (
            f" Then nothing decides, so P should be near {GUESS:g}. But no training text lacks such words, "
            f"and without them the honest model is at least {SURE:.0%} sure of a class in "
            f"{share_of(self.sure)} of test texts: how far P moves is a rough measure."
        )

    def caption(self) -> str:
        """How the figure is read, whether both use the words, and where the liar looks."""
        said = "Framed: the words to hide. Weights of 0.1 and more are written."
        if min(abs(p - left) for p, left in zip(self.probable, self.without, strict=True)) >= UNUSED:
            said += f" Without the framed words P moves in both models, so both use them.{self.unlearned()}"
        liar = list(self.attention.values())[1]
        most = int(liar.argmax())
        beside = self.hidden[max(most - 1, 0) : most + 2].any() and not self.hidden[most]
        if liar[most] < 0.5 or not beside:
            return said
        return (
            f"{said} The liar looks at “{inert(self.words[most])}” instead, beside a framed word whose "
            "meaning its state may hold."
        )


def _sure_without(run, words: dict[str, np.ndarray]) -> float:
    """`Lied.sure` of a run; words: hidden, (n,) by id."""
    truth = run.corpus.splits["train"].truth
    if whose_words(run) != "truth" or not all(np.any(own) for own in truth):
        return np.nan
    return float(np.mean([probs.max() >= SURE for probs in lies.predicted_without(run, words).values()]))


def one_text(run, most: int = 20) -> Lied | None:
    """Of texts of so many words at most the one from whose hidden words a liar turns most attention away.

    The liar is the one whose penalty is largest, and it predicts what the honest model does; None of no text.
    """
    liar = list(lies.models(run).values())[-1]
    words = lies.hidden(run)
    best, found, chosen = 0.0, None, {}
    for own, other in zip(run.evidence, liar.evidence, strict=True):
        bad = np.zeros(len(own.units), bool)
        bad[np.flatnonzero(own.real)[words[own.id]]] = True
        c = int(own.prediction.argmax())
        less = float(own.attention[bad].sum() - other.attention[bad].sum())
        is_rest = not words[own.id].all()
        if len(own.units) <= most and less > best and is_rest and other.prediction.argmax() == c:
            attention = {"honest": own.attention, "liar": other.attention}
            probable = [float(one.prediction[c]) for one in (own, other)]
            best, chosen = less, {own.id: words[own.id]}
            found = Lied(own.units, attention, bad, run.corpus.classes[c], probable, [])
    if found is None:
        return None
    (name,), c = chosen, run.corpus.classes.index(found.says)
    left = [float(lies.predicted_without(model, chosen)[name][c]) for model in (run, liar)]
    return replace(found, without=left, sure=_sure_without(run, words))


def over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds of liars of one kind, a row a λ, with `seeds`, how many they are.

    `low` and `high` of RANGED: their range over seeds; of BY_INTERVAL: the 95 % interval.
    """
    groups = rows.groupby("λ", as_index=False)
    ends = {
        f"{name} {end}": getattr(groups[name], how)()[name]
        for name in RANGED
        for end, how in (("low", "min"), ("high", "max"))
    }
    for name in BY_INTERVAL:
        found = [claims.interval(own[name].dropna(), name, False)[1:] for _, own in groups]
        ends[f"{name} low"], ends[f"{name} high"] = zip(*found, strict=True)
    return groups.mean(numeric_only=True).assign(seeds=groups["seed"].nunique()["seed"], **ends)


def every_liar(run, told: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Honest models and their liars: corpus, model and `over_seeds`; the run's own first.

    told: `lies.beside`, of the run. To it come its stored seeds, then what is carried of other corpora and
    encoders, the run's encoder first, and of each the run's corpus.
    """
    p, model = run.params, model_of(run.params)
    rows = verdict.liars()
    rows = rows.assign(family=[family(row) for _, row in rows.iterrows()])
    of_it = (rows["corpus"] == p.corpus) & (rows["family"] == model)
    like = (rows["attention"] == p.attention) & (rows["variant"] == p.variant) & (rows["seed"] != p.seed)
    told = told.drop(columns="lie_others", errors="ignore")  # which is known of the run alone
    own = pd.concat([told.assign(seed=p.seed), rows[of_it & like]], ignore_index=True)
    others = [
        (corpus, name, over_seeds(liars))
        for (corpus, name), liars in rows[~of_it].groupby(["corpus", "family"], sort=False)
        if {True, False} <= {*(liars["λ"] == 0)}
    ]
    order = {name: k for k, name in enumerate(LABELS.values())}
    others.sort(
        key=lambda told: (told[1] != model, order.get(told[1], len(order)), told[0] != p.corpus, told[0])
    )
    return [(p.corpus, model, over_seeds(own)), *others]


def captioned(model: str, rows: pd.DataFrame, corpus: str = "") -> str:
    """The caption of a table of carried liars; rows: `over_seeds`."""
    of = f" on {corpus}" if corpus else ""
    most = int(rows["seeds"].max())
    return f"{_upper(_the(model))} and its liars{of}, {_over(most)}"


def fooled(ways: pd.DataFrame) -> pd.DataFrame:
    """The liars of `of_ways` that use what they hide, to see who finds the hidden words.

    Of made corpora alone: elsewhere leave-one-out chose these words.
    """
    return ways[_hiding(ways) & ways["corpus"].isin(made_corpora())]


def fooled_title(rows: pd.DataFrame) -> str:
    """The finding of the figure of `fooled`, in plain text: of how many liars each finds the hidden words."""
    said = []
    for column in FOUND_BY:
        found = [_finds_hidden(row, column, "liar") for _, row in rows.iterrows()]
        open_ = f" ({found.count('open')} open)" if "open" in found else ""
        said.append((found.count("yes") or "none", open_))
    (attention, its), (loo, of_loo) = said
    return (
        f"Leave-one-out finds the hidden words of {loo} of {counted(len(rows), 'liar')}{of_loo}, "
        f"attention of {attention}{its}"
    )


def _finds_hidden(row: pd.Series, column: str, kind: str) -> str:
    """Whether attention or leave-one-out (of FOUND_BY) finds the hidden words: `yes`, `no`, `open`.

    As elsewhere by the whole interval over seeds. row: of `fooled`; kind: `honest` or `liar`.
    """
    return PASSES["auroc_attention"].reads_interval(
        *(float(row[f"{column} {end}, {kind}"]) for end in ("low", "high"))
    )


def _open_of(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows of `fooled` of which it is open whether a column of FOUND_BY finds the hidden words."""
    return rows[[_finds_hidden(row, column, "liar") == "open" for _, row in rows.iterrows()]]


def _nearly(row: pd.Series) -> str:
    """`MiniLM on planted stays open, as it does for the honest model (AUROC 0.72 and 0.78)`.

    row: of `fooled`, of which leave-one-out is open.
    """
    of = "lie_auroc_loo"
    honest, liar = (f"{row[f'{of}, {kind}']:.2f}" for kind in ("honest", "liar"))
    model = f"{_upper(_the(str(row['model'])))} on {inert(row['corpus'])} stays open"
    if _finds_hidden(row, of, "honest") == "open":
        return f"{model}, as does its honest model (AUROC {liar} and {honest})"
    return f"{model} (AUROC {liar}, honest {honest})"


def share_of(mass: float) -> str:
    """A share of the attention, `42%`, `0.2%`, `less than 0.1%`."""
    if mass < 0.0005:
        return "less than 0.1%"
    return f"{mass:.1%}" if mass < 0.0995 else f"{mass:.0%}"


def way(liar: pd.Series, honest: pd.Series) -> str:
    """How a liar uses the words that it hides: `little` (the honest model doesn't either), or else `open` (it
    doesn't hide them), `first` (by their own small weights), `second` (by neighbours' states), `half` (it
    uses them less) or `neither` (not at all)."""
    used = uses(liar, honest)
    if used == "never":
        return "little"
    if not _looks_away(liar, honest):
        return "open"
    if used != "yes":
        return "half" if used == "less" else "neither"
    return "second" if _by_neighbours_alone(liar["lie_held"], liar["lie_removed"]) else "first"


def _counts_less(removed: float, honest: pd.Series) -> bool:
    """Whether removing the hidden words moves the prediction less than it does of the honest model."""
    return removed < honest["lie_removed"] - 0.005


WAYS = {
    "first": "the first way",
    "second": "the second way",
    "half": "the words count less",
    "neither": "the words aren't used",
    "little": "the words do little",
    "open": "hardly a lie",
}
VERDICTS = {  # what a liar does, in the table
    "second": "lies, through other words",
    "first": "lies, by large values",
    "half": "hides the words, but uses them less",
    "neither": "hides the words, but uses them no more",
    "little": "had too little to hide",
}
GROUPS = {  # of liars in the figure, in its order: what they do with the words that they are to hide
    "second": "hide what they use: through other words' states",
    "first": "hide what they use: by large values",
    "half": "hide the words, but use them less",
    "neither": "hide the words, but no longer use them",
    "open": "not hidden",
    "little": "had little to hide",
}


def of_ways(liars: Sequence[tuple[str, str, pd.DataFrame]]) -> pd.DataFrame:
    """Which way each liar takes whose penalty is largest, a row a model, for the figure; `every_liar`.

    In the order of GROUPS. Columns: name, corpus, model, way, seeds, λ, and of the honest model and the liar
    lie_value, RANGED and BY_INTERVAL, these with `low` and `high`.
    """
    rows = []
    for corpus, model, told in liars:
        honest, liar = _honest_and_liar(told)
        row = {"corpus": corpus, "model": model, "way": way(liar, honest), "λ": liar["λ"]}
        row |= {"name": f"{model} on {text_for(corpus, 'figure')}", "seeds": int(told["seeds"].min())}
        for kind, one in (("honest", honest), ("liar", liar)):
            ends = [f"{name}{end}" for name in (*RANGED, *BY_INTERVAL) for end in ("", " low", " high")]
            row |= {f"{name}, {kind}": one[name] for name in ("lie_value", *ends)}
        rows.append(row)
    return pd.DataFrame(rows).sort_values("way", key=lambda ways: ways.map([*GROUPS].index), kind="stable")


def heading(rows: pd.DataFrame) -> str:
    """What liars of one way do, over their rows of the figure; rows: of `of_ways`."""
    way = str(rows["way"].iloc[0])
    if way == "neither" and _guessing(rows).all():
        return "stopped working: accuracy of a guess"
    if way == "open":
        left = dict.fromkeys(share_of(share) for share in sorted(_left_of(rows)))
        return f"{GROUPS[way]}: {listed([*left])} of the honest attention left"
    return GROUPS[way]


def _guessing(rows: pd.DataFrame) -> pd.Series:
    """Which liars of `of_ways` may predict no better than a guess, by their accuracy's interval, though the
    honest model does."""
    better = rows["accuracy low, honest"] > GUESS
    return better & (rows["accuracy low, liar"] <= GUESS)


def _with_words_to_hide(ways: pd.DataFrame) -> pd.DataFrame:
    """The liars of `of_ways` whose words move the honest model; without them the trial says nothing."""
    return ways[ways["way"] != "little"]


def drawn_ways(ways: pd.DataFrame) -> pd.DataFrame:
    """The liars of `of_ways` that hide what they use, for the figure; if none does, all."""
    hide = ways[_hiding(ways)]
    return hide if len(hide) else ways


def title_of_ways(rows: pd.DataFrame) -> str:
    """The finding of the figure of `of_ways`, in plain text."""
    count = {kind: int((rows["way"] == kind).sum()) for kind in ("second", "first")}
    hide, of = sum(count.values()), counted(len(rows), "liar")
    ways = {"second": "through other words", "first": "by large values"}
    if not hide:
        return f"None of {of} hides words that it uses"
    how = listed([f"{count[kind]} {said}" for kind, said in ways.items() if count[kind]])
    of = of if hide == len(rows) else f"Of {of} {hide}"
    return f"{of} {_hides_or_hide(hide)}: {how}"


# How far the prediction moves if with the words all is lost, and why; of made corpora.
ALL_LOST = {
    "planted": f"{1 - GUESS:g} on planted, where it then says the same of every text and so changes its mind "
    "about half of them",
    "indicator": "1 on indicator, where only positive texts have such a word and become negative without it",
}


def rule(ways: pd.DataFrame) -> str:
    """When a liar hides words, when it uses them, and how far a prediction can move; ways: `of_ways`."""
    most = [said for corpus, said in ALL_LOST.items() if corpus in {*ways["corpus"]}]
    scale = f" A sure model that loses everything with the words moves by about {'; by about '.join(most)}."
    return (
        f"A liar *hides* the words if it leaves them less than {AWAY:.0%} of the honest model's attention. "
        f"It still *uses* them if removing them moves its prediction by {UNUSED:g} or more ([TVD]"
        "(glossary.md#tvd), 0 to 1), and at least half as far as the honest model's. These borders are our "
        f"choice.{scale if most else ''}"
    )


def control(told: pd.DataFrame) -> list[str]:
    """How far as many other words move the prediction of the liar whose penalty is largest; a sentence.

    told: `lies.beside` of the run, with `lie_others`; nothing where no other words were removed.
    """
    honest, liar = _honest_and_liar(told)
    if not (_others_known(liar) and _others_known(honest)):
        return []
    less = all(one["lie_others"] < one["lie_removed"] for one in (honest, liar))
    return [
        "As many other words, removed instead, move the liar of this page's own run by "
        f"{'only ' if less else ''}{liar['lie_others']:.2f} (its honest model by {honest['lie_others']:.2f})."
    ]


def ways_say(rows: pd.DataFrame) -> list[str]:
    """What the figure of `of_ways` doesn't show: what honest models did already, and how values grow."""
    second, first = (rows[rows["way"] == kind] for kind in ("second", "first"))
    already = second[_by_neighbours_alone(second["lie_held, honest"], second["lie_removed, honest"])]
    grown = first[first["lie_value, liar"].round() > first["lie_value, honest"].round()]
    said = []
    for _, row in already.iterrows():
        said.append(
            f"The honest {_named(row['model'])} on {inert(row['corpus'])} already works so: the words "
            f"have {share_of(row['lie_mass, honest'])} of its attention, but erasing these weights moves its "
            f"prediction by only {row['lie_held, honest']:.2f}."
        )
    if len(grown):
        both = zip(grown["lie_value, honest"], grown["lie_value, liar"], strict=True)
        from_to = listed([f"from {honest:.0f} to {liar:.0f}" for honest, liar in both])
        said.append(
            f"In the first way the hidden words' largest value grows {from_to} "
            f"({_models_on(grown, 'model')})."
        )
    return said


def _dear_lies(rows: pd.DataFrame) -> pd.DataFrame:
    """The liars of `of_ways` that are less accurate by DEAR or more."""
    return rows[rows["accuracy, honest"] - rows["accuracy, liar"] >= DEAR]


def _models_on(rows: pd.DataFrame, by: str = "family") -> str:
    """`the BiLSTM on planted and sst`, nothing of no row; by: the column of the encoder's name."""
    if rows.empty:
        return ""
    said = []
    for model, own in rows.groupby(by, sort=False):
        corpora = [inert(corpus) for corpus in dict.fromkeys(own["corpus"])]
        said.append(f"{_the(str(model))} on {listed(corpora)}")
    return listed(said)


def ways_taken(table: pd.DataFrame) -> list[tuple[str, str]]:
    """`ways` in plain text: which liars go which way, and what is said of them."""
    honest, liars = table[table["λ"] == 0].iloc[0], table[table["λ"] > 0].sort_values("λ")
    taken = pd.Series([way(row, honest) for _, row in liars.iterrows()], index=liars.index)
    says = {
        "first": _by_values,
        "second": _by_neighbours,
        "half": _by_half,
        "neither": _given_up,
        "little": _given_up,
        "open": _not_hidden,
    }
    found = []
    for name, own in liars.groupby(taken, sort=False):
        which = f"{listed([f'λ = {x:g}' for x in own['λ']])}, {WAYS[str(name)]}"
        found.append((which, says[name](own, honest)))
    return found


def _each(values: pd.Series) -> str:
    return listed([f"{value:.2f}" for value in values])


def _not_hidden(liars: pd.DataFrame, honest: pd.Series) -> str:
    left = listed([share_of(mass) for mass in liars["lie_mass"]])
    return f"{left} of the attention stays on the hidden words (honest: {share_of(honest['lie_mass'])})."


def _by_neighbours(liars: pd.DataFrame, honest: pd.Series) -> str:
    held, removed = _each(liars["lie_held"]), _each(liars["lie_removed"])
    known = all(_others_known(row) for _, row in liars.iterrows())
    others = f" (as many other words: {_each(liars['lie_others'])})" if known else ""
    said = (
        f"Removing the hidden words moves the prediction by {removed}{others}, and erasing only their "
        f"weights by {held}. So what they say has gone into their neighbours' states."
    )
    if _by_neighbours_alone(honest["lie_held"], honest["lie_removed"]):
        return (
            f"{said} In the honest model it was there already ({honest['lie_removed']:.2f} and "
            f"{honest['lie_held']:.2f}): the liar had little to learn."
        )
    return f"{said} In the honest model, erasing their weights moved it by {honest['lie_held']:.2f}."


def _by_values(liars: pd.DataFrame, honest: pd.Series) -> str:
    return (
        f"Removing the hidden words moves the prediction by {_each(liars['lie_removed'])}, and erasing only "
        f"their weights by {_each(liars['lie_held'])}. So they act through their own small weights, with "
        f"values of up to {liars['lie_value'].max():.1f} (honest: {honest['lie_value']:.1f}). "
        f"{_price(liars, honest)}"
    ).strip()


def _by_half(liars: pd.DataFrame, honest: pd.Series) -> str:
    moves = _each(liars["lie_removed"])
    return f"Removing the hidden words moves the prediction by {moves}. {_price(liars, honest)}".strip()


def _price(liars: pd.DataFrame, honest: pd.Series) -> str:
    """What a lie costs: words that count less, and accuracy; empty where it costs neither."""
    costs = []
    if _counts_less(liars["lie_removed"].max(), honest):
        costs.append(
            f"the words count less ({_each(liars['lie_removed'])} instead of {honest['lie_removed']:.2f})"
        )
    if liars["accuracy"].max() < honest["accuracy"] - 0.005:
        costs.append(f"accuracy falls from {honest['accuracy']:.2f} to {_each(liars['accuracy'])}")
    return f"The lie has a price: {listed(costs)}." if costs else ""


def _given_up(liars: pd.DataFrame, honest: pd.Series) -> str:
    moves, accuracy = _each(liars["lie_removed"]), _each(liars["accuracy"])
    if honest["lie_removed"] < UNUSED:
        return (
            f"Removing the words moves the prediction by {moves}; the honest model doesn't use them either."
        )
    return (
        f"The model no longer uses the words: removing them moves the prediction by {moves}, instead of "
        f"{honest['lie_removed']:.2f}. Its accuracy is {accuracy} (honest: {honest['accuracy']:.2f})."
    )


def who_is_fooled(rows: pd.DataFrame, known: pd.DataFrame) -> list[str]:
    """Whether attention misleads, and whether leave-one-out still finds the hidden words.

    rows: `fooled`; known: `in_the_corner`.
    """
    if rows.empty:
        return ["No liar here hides deciding words that it uses."]
    kinds = [f"{column}, {kind}" for column in FOUND_BY for kind in ("honest", "liar")]
    (honest, liar, loo_honest, loo), said = (rows[kind] for kind in kinds), []
    if (liar < honest - ABOVE).all():
        said += _misled(rows)
    if (loo >= loo_honest - ABOVE).all():
        said.append(
            "Leave-one-out asks the whole model, so it ranks them about as high as before. Part of that is "
            f"built in, because {COUNTS}."
        )
        said += [f"{_nearly(row)}." for _, row in _open_of(rows, "lie_auroc_loo").iterrows()]
    said = said or ["Here neither attention nor leave-one-out tells clearly which words are hidden."]
    return [*said, *_no_proof(known)]


def _misled(rows: pd.DataFrame) -> list[str]:
    """That liars' attention ranks the hidden words lower, and in how many surely below chance.

    Sure is the whole interval over seeds; rows: `fooled`, at least one, in all of which it ranks them lower.
    """
    of = "lie_auroc_attention"
    found = sum(_finds_hidden(row, of, "liar") == "yes" for _, row in rows.iterrows())
    every = f"all {len(rows)} liars" if len(rows) > 1 else "the one liar"
    below, above = rows[rows[f"{of} high, liar"] < GUESS], rows[rows[f"{of} low, liar"] > GUESS]
    sure = f"{len(below)} ({_models_on(below, 'model')})" if len(below) else "none"
    still = ""
    if len(above):
        numbers = listed([f"{number:.2f}" for number in above[f"{of}, liar"]])
        still = f" and surely above it in {len(above)} ({_models_on(above, 'model')}: AUROC {numbers})"
    return [
        "A liar's attention misleads: in the mean it ranks the hidden words lower than the honest model's "
        f"does in {every}. They rank surely below chance in {sure}{still}. "
        f"Attention surely finds them in {found or 'none'}."
    ]


def much_but_not_first(run) -> list[str]:
    """Why the honest run's attention doesn't find words that get much of it; empty where it finds them, or
    they get little."""
    words = lies.hidden(run)
    of_each = []
    for row in run.evidence:
        weights, bad = row.attention[row.real], words[row.id]
        if bad.any() and not bad.all():
            below = (weights[bad] < np.median(weights[~bad])).mean()
            of_each.append([bad.mean(), weights[bad].sum(), weights[bad].max(), below, auroc(bad, weights)])
    share, mass, most, below, found = np.mean(of_each, axis=0) if of_each else np.full(5, np.nan)
    if not (found <= PASSES["auroc_attention"].bound and mass >= MUCH * share):
        return []
    return [
        "How can words get much attention and still not be found? Their share adds them up, AUROC asks of "
        f"each. In this page's own run the honest model gives the hidden words ({share_of(share)} of a text) "
        f"{share_of(mass)} of its attention. But one of them alone has {share_of(most)}, and "
        f"{share_of(below)} of them get less than the median other word (AUROC {found:.2f})."
    ]


# Repairs


def passed(row: pd.Series) -> list[str]:
    """The names of the tests that a model passes, a row of `named`."""
    return [test.name for name, test in PASSES.items() if test.reads(row, name) == "yes"]


def asked(rows: pd.DataFrame) -> list[str]:
    """The measures of PASSES that the rows have: where nobody knows the deciding words, the others."""
    return [name for name in PASSES if rows[name].notna().any()]


def repairs_say(rows: pd.DataFrame, seeds: Sequence[float] = ()) -> list[str]:
    """What repairs come to, a sentence or two each, the finding first.

    rows: `named`, of one corpus and family. seeds: AUROC of unrepaired models, one a seed.
    """
    before, mended = _before_and_mended(rows, rows["family"].iloc[0])
    if before is None:
        return ["No repair is there to be compared."]
    known = "auroc_attention" in asked(rows)
    nearest = "" if known else _nearest_to_loo(mended, before)
    return [
        *([nearest] if nearest else []),
        *_finds_the_truth(mended, before, seeds),
        *_costs(mended, before),
        _tests_passed(mended, rows[_lies(rows)], before, len(asked(rows))),
        *(_ours(mended, before, len(asked(rows))) if known else []),
    ]


def _finds_the_truth(mended: pd.DataFrame, before: pd.Series, seeds: Sequence[float]) -> list[str]:
    """Which repairs find the deciding words, and which no more than chance may; empty if nobody knows."""
    known = before["auroc_attention"]
    if mended["auroc_attention"].isna().all() or np.isnan(known):
        return []
    best, finders = mended.loc[mended["auroc_attention"].idxmax()], finding(mended)
    bound = PASSES["auroc_attention"].passes.replace(">", "above")
    unrepaired = f"unrepaired: {known:.2f}, at an accuracy of {before['accuracy']:.2f}"
    if _finds(before) == "yes":
        more = f"{best['model']} finds more ({best['auroc_attention']:.2f})"
        none = "no repair finds more"
        return [
            f"Unrepaired, its attention finds the deciding words already (AUROC {known:.2f}, at an accuracy "
            f"of {before['accuracy']:.2f}); {more if best['auroc_attention'] > known + BETTER else none}."
        ]
    if finders.empty:
        said = [
            f"No repair surely finds the deciding words ({bound}). The nearest is {best['model']} "
            f"({best['auroc_attention']:.2f}; {unrepaired})."
        ]
    else:
        each = [f"{r.model} ({r.auroc_attention:.2f}, at {r.accuracy:.2f})" for r in finders.itertuples()]
        verb = "finds" if len(finders) == 1 else "find"
        said = [
            f"Of {counted(len(mended), 'repair')} ({seeds_of_each(mended)}) {len(finders)} {verb} the "
            f"deciding words ({bound}): {listed(each)}; {unrepaired}."
        ]
    inside = within(mended, seeds)
    if len(inside):
        lie = "lies" if len(inside) == 1 else "lie"
        said.append(
            f"Within the range of {len(seeds)} unrepaired seeds ({min(seeds):.2f} to {max(seeds):.2f}) {lie} "
            f"{listed([*inside['model']])}: another seed, unrepaired, may do as well."
        )
    return said


def _costs(mended: pd.DataFrame, before: pd.Series) -> list[str]:
    """Which repairs cost accuracy, the dearest first; empty where none does."""
    dear = less_accurate(mended, before)
    return [] if dear.empty else [f"Accuracy is lower by {DEAR:g} or more with {_at_accuracy(dear)}."]


def _tests_passed(mended: pd.DataFrame, liars: pd.DataFrame, before: pd.Series, taken: int) -> str:
    """How many of the tests taken the best repairs pass, and whether that number tells a liar."""
    tests, first = {row["model"]: passed(row) for _, row in mended.iterrows()}, passed(before)
    most = max(map(len, tests.values()))
    best = [name for name, own in tests.items() if len(own) == most]
    own = f"unrepaired: {len(first)}, {listed(first)}" if first else "unrepaired: none"
    if most:
        said = f"The most tests that a repair passes is {most} of {taken} ({listed(best)}; {own})."
    else:
        said = f"No repair passes any of the {taken} tests ({own})."
    counts = [len(passed(row)) for _, row in liars.iterrows()]
    if not counts or max(counts) < len(first):
        return said
    return f"{said} A liar passes {max(counts)}: the count doesn't tell whether a model lies."


def _ours(mended: pd.DataFrame, before: pd.Series, taken: int) -> list[str]:
    """That attention hardly counts under our own repair, whatever it ranks first; empty where it counts."""
    ours = mended[mended["model"] == REPAIRS["erasure_weight"]]
    if ours.empty or ours["median_change"].iloc[0] >= IDLE or before["median_change"] < IDLE:
        return []
    own, tests = ours.iloc[0], passed(ours.iloc[0])
    moves = (
        f"a shuffle moves the prediction by {own['median_change']:.2f}, unrepaired "
        f"{before['median_change']:.2f}"
    )
    said = f"Our own repair passes {len(tests) or 'none'} of the {taken} tests"
    if _finds(own) == "yes":
        return [
            f"{said}: {moves}, yet its attention ranks the deciding words first (AUROC "
            f"{own['auroc_attention']:.2f})."
        ]
    if PASSES["tau_loo"].reads(own, "tau_loo") == "yes":
        return [f"{said}: {moves}, yet its attention ranks words as leave-one-out does."]
    return [
        f"{said}. Attention seems to have learnt to rest on words whose weight changes nothing, which would "
        f"meet its training goal trivially ({moves})."
    ]


def table(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What each test says of each model, and how it is read, for the figure; of one corpus and family.

    First the model as it is, then repairs, those of the highest AUROC first (where nobody knows it, of the
    highest τ with leave-one-out); liars last.
    """
    last = _lies(rows).astype(int) * 2 + (rows["model"] != AS_IT_IS)
    by = "auroc_attention" if rows["auroc_attention"].notna().any() else "tau_loo"
    order = rows.assign(last=last, least=-rows[by].where(last == 1)).sort_values(
        ["last", "least"], kind="stable"
    )
    names = asked(order)
    own = order.set_index("model")[["accuracy", *names]].rename(index={AS_IT_IS: UNREPAIRED})
    read = pd.DataFrame("", index=own.index, columns=own.columns)
    for name in names:
        read[name] = [PASSES[name].reads(row, name) for _, row in order.iterrows()]
    labels = {name: f"{test.name}\n{_in_two_lines(test.passes)}" for name, test in PASSES.items()}
    labels["tau_loo"] = labels["tau_loo"].replace("leave-one-out", "leave-\none-out")
    return own.rename(columns=labels), read.rename(columns=labels)


def _in_two_lines(passes: str) -> str:
    """`τ > 0.5` as it is, `AUROC > 0.75` broken before the sign: a column of the figure is narrow."""
    quantity, bound = passes.split(" ", 1)
    return passes if len(quantity) < 3 else f"{quantity}\n{bound}"


def title(rows: pd.DataFrame) -> str:
    """What the table of tests shows, of one corpus and family."""
    tests = [passed(row) for _, row in rows.iterrows()]
    corpus = text_for(str(rows["corpus"].iloc[0]), "figure")
    of = f"{rows['family'].iloc[0]} on {corpus}, {seeds_of_each(rows)}"
    taken = [PASSES[name].name for name in asked(rows)]
    if max(map(len, tests)) == len(taken):
        return f"{of}: a model passes every test"
    never = [name for name in taken if not any(name in own for own in tests)]
    if never:
        return f"{of}: no model surely passes {listed(never).replace(' and ', ' or ')}"
    return f"{of}: no model surely passes more than {max(map(len, tests))} of {len(taken)} tests"


def in_need(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the first family whose attention doesn't find the deciding words as it is, of one corpus.

    rows: `named`. Of the first family of all, if each does.
    """
    families = [own for _, own in by_family(rows)]
    for own in families:
        before, _ = _before_and_mended(own, own["family"].iloc[0])
        if before is not None and _finds(before) != "yes":
            return own
    return families[0] if families else rows


def who_finds(rows: pd.DataFrame) -> str:
    """The finding of the figure of accuracy and AUROC; rows: `in_need`."""
    before, mended = _before_and_mended(rows, rows["family"].iloc[0])
    if before is None:
        return "What finds the deciding words, and how accurate it is"
    of, finders = f"{before['family']} on {text_for(str(before['corpus']), 'figure')}", finding(mended)
    if finders.empty:
        return f"{of}: no repair surely finds the deciding words"
    verb = "finds" if len(finders) == 1 else "find"
    return f"{of}: {listed([*finders['model']])} {verb} the deciding words"


def what_repairs_give(rows: pd.DataFrame, seeds: pd.DataFrame) -> list[str]:
    """Which repairs find the deciding words, whether in each seed more than without, and what it costs.

    rows: `in_need`; seeds: `each`, of all corpora.
    """
    before, mended = _before_and_mended(rows, rows["family"].iloc[0])
    if before is None:
        return ["No repair is there to be compared."]
    finders = finding(mended)
    if _finds(before) == "yes" or finders.empty:
        return []
    found = _of_each(seeds, before)
    more = [name for name in finders["model"] if found[name].min() > found[AS_IT_IS].max()]
    said = []
    if more and found[AS_IT_IS].size > 1:
        said.append(f"With {listed(more)} every seed finds the words better than every unrepaired one.")
    said += _undecided(mended.drop(index=finders.index), before)
    dear = finders["accuracy"] < before["accuracy"]
    free, costly = [*finders[~dear]["model"]], finders[dear].itertuples()
    costs = [f"{row.model} ({row.accuracy:.2f}; unrepaired {before['accuracy']:.2f})" for row in costly]
    if costs:
        but_not = f", not with {listed(free)}" if free else ""
        said.append(f"Accuracy is lost with {listed(costs)}{but_not}.")
    else:
        said.append(f"No accuracy is lost with {listed(free)}.")
    others = less_accurate(mended.drop(index=finders.index), before)
    if len(others):
        lose = "loses" if len(others) == 1 else "lose"
        said.append(f"Of the others, {_at_accuracy(others)} {lose} {DEAR:g} of it or more.")
    return [*said, *_other_price(finders, before)]


def less_accurate(rows: pd.DataFrame, before: pd.Series) -> pd.DataFrame:
    """Those that are less accurate than the unrepaired model by DEAR or more, the dearest first.

    rows: of `named`; before: the unrepaired model's.
    """
    return rows[rows["accuracy"] <= before["accuracy"] - DEAR].sort_values("accuracy")


def _at_accuracy(rows: pd.DataFrame) -> str:
    """`tied states (0.77) and orthogonal (0.86)`; rows: of `named`, at least one."""
    return listed([f"{row.model} ({row.accuracy:.2f})" for row in rows.itertuples()])


def what_it_costs(rows: pd.DataFrame, seeds: pd.DataFrame) -> pd.DataFrame:
    """The unrepaired model and the repairs that find the deciding words: what they gain and lose, a row each.

    rows: `in_need`; seeds: `each`, of all corpora. Empty where none finds them, or nobody knows what top
    words alone give.
    """
    before, mended = _before_and_mended(rows, rows["family"].iloc[0])
    finders = finding(mended)
    if before is None or finders.empty or np.isnan(before[ALONE["attention"]]):
        return pd.DataFrame()
    own = seeds[(seeds["corpus"] == before["corpus"]) & (seeds["family"] == before["family"])]
    found = []
    for row in (before, *(row for _, row in finders.iterrows())):
        leads = _beside_random(own[own["model"] == row["model"]]).dropna().to_numpy()
        mean, low, high = t_interval(leads, (-1, 1))
        over = f" ({_fall(low)} to {_fall(high)})" if len(leads) > 1 else ""
        found.append(
            {
                "model": UNREPAIRED if row["model"] == AS_IT_IS else row["model"],
                "AUROC": row["auroc_attention"],
                "accuracy": row["accuracy"],
                "fall, only top words stay": row[ALONE["attention"]],
                "fall, only random words stay": row[ALONE["random"]],
                "lead of top words": f"{_fall(mean)}{over}",
            }
        )
    return pd.DataFrame(found)


def _undecided(others: pd.DataFrame, before: pd.Series) -> list[str]:
    """Of how many repairs, and of the unrepaired model, it is open whether they find the deciding words.

    others: rows of `named`, that don't surely find them.
    """
    is_open = [_finds(row) == "open" for _, row in others.iterrows()]
    if not any(is_open):
        return []
    which = "the other one" if len(others) == 1 else f"{sum(is_open)} of the other {len(others)}"
    which = f"the other {len(others)}" if all(is_open) and len(others) > 1 else which
    find = "find" if is_open.count(True) > 1 else "finds"
    also = ", as it does for the unrepaired model" if _finds(before) == "open" else ""
    return [f"Whether {which} {find} them stays open{also}."]


def _of_each(seeds: pd.DataFrame, before: pd.Series) -> pd.Series:
    """The AUROC of each seed, by what a model is, of one corpus and family: arrays."""
    own = seeds[(seeds["corpus"] == before["corpus"]) & (seeds["family"] == before["family"])]
    return own.groupby("model")["auroc_attention"].agg(np.array)


def _other_price(finders: pd.DataFrame, before: pd.Series) -> list[str]:
    """With which repairs attention's top words alone give the decision less well, a few sentences or none."""
    less = _dearer(finders, before)
    if less.empty:
        return []
    leads = listed([_fall(value) for value in _beside_random(less)])
    return [
        f"But with {listed([*less['model']])} the top words alone say less. Keep only these (1 to 50% of a "
        "text), and the decision should stay more probable than with as many random words ([sufficiency]"
        "(#appendix-repairs-test-by-test)). Unrepaired it is more probable by "
        f"{_fall(_beside_random(before))}, repaired only by {leads}. Why isn't known; perhaps because a "
        "deciding word can speak against the decision."
    ]


def _beside_random(rows):
    """By how much less a decision's probability falls with attention's top words than with random ones."""
    return rows[ALONE["random"]] - rows[ALONE["attention"]]


ALONE = {"attention": "suff_delete_attention", "random": "suff_delete_random"}  # by whose top words stay
NO_TESTS = {
    "accuracy": "accuracy",
    "f1": "F1",
    "conicity": "conicity",
    "support": "words with any attention",
    ALONE["attention"]: "fall, attention's top words alone",
    ALONE["random"]: "fall, random words alone",
}


def without_lines(rows: pd.DataFrame) -> pd.DataFrame:
    """What is measured of each model and has no line to pass; rows: `named`, of one corpus and family."""
    own = rows.set_index("model").rename(index={AS_IT_IS: UNREPAIRED})[[*NO_TESTS]].dropna(axis=1, how="all")
    return own.rename(columns=NO_TESTS).reset_index()


def alone_say(rows: pd.DataFrame) -> str:
    """Do attention's top words alone give the prediction? Of one corpus and family; empty if nobody asked.

    rows: `named`. A fall is of the decision's probability, mean over the shares of words kept (sufficiency).
    """
    asked_of = rows.dropna(subset=[*ALONE.values()])
    before, mended = _before_and_mended(asked_of, rows["family"].iloc[0])
    if before is None:
        return ""
    gain = _beside_random(mended)
    best = mended.loc[gain.idxmax()]
    if gain.max() <= _beside_random(before):
        more = f"No repair is further below random words; {best['model']} comes nearest: {_less(best)}."
    else:
        more = f"{best['model'].capitalize()} is furthest below random words: {_less(best)}."
    return (
        f"{before['family']} on {inert(str(before['corpus']))}: when attention's top words alone stay, the "
        f"decision's probability falls by {_less(before)} unrepaired. {more}"
    )


def _less(row: pd.Series) -> str:
    """`0.12 (random words: 0.30)`."""
    attention, drawn = (_fall(row[name]) for name in ALONE.values())
    return f"{attention} (random words: {drawn})"


def _fall(value: float) -> str:
    return f"{value:z.2f}".replace("-", "−")


def found_out(rows: pd.DataFrame, liars: Sequence[tuple[str, str, pd.DataFrame]]) -> str:
    """Which liars that hide what they use stand out by sufficiency, and how many honest models, repaired or
    not, do so too; empty if nobody asked.

    rows: `named`, of all corpora; liars: `every_liar`.
    """
    asked_of = rows[_lies(rows)].dropna(subset=[*ALONE.values()])
    hiding = [(corpus, model) for corpus, model, told in liars if _hides(told)]
    own = asked_of[[pair in hiding for pair in zip(asked_of["corpus"], asked_of["family"], strict=True)]]
    if own.empty:
        return ""
    weight = own["model"].str.extract("λ = (.*)", expand=False).astype(float)
    own = own.loc[weight.groupby([own["corpus"], own["family"]], sort=False).idxmax()]
    away = own[_beside_random(own) <= BETTER]
    kept = own.drop(index=away.index)
    test = "[sufficiency](#appendix-repairs-test-by-test)"
    if away.empty:
        return f"By {test} no liar stands out ({_models_on(kept)})."
    said = (
        f"A liar can stand out by {test}: when its attention's top words alone stay, the decision's "
        f"probability falls by as much as with random words ({_models_on(away)})."
    )
    said += f" Not so {_models_on(kept)}." if len(kept) else ""
    honest = _honest(rows).dropna(subset=[*ALONE.values()])
    alarms = int((_beside_random(honest) <= BETTER).sum())
    models = f"{counted(len(honest), 'honest model')}, repaired or not, "
    if alarms:
        return f"{said} But of {models}{alarms} {'does' if alarms == 1 else 'do'} so, too."
    return f"{said} Of {models}none does so (means over seeds, within {BETTER:g})." if len(honest) else said


# All together


# What may be shown passes all: the first page's tests 1, 2 and 3.
CORNER = {"agrees": "tau_loo", "firm": "optimum", "finds": "auroc_attention"}
NUMBERS = {name: f"test {number}" for number, name in enumerate(CORNER, 1)}


def in_the_corner(rows: pd.DataFrame) -> pd.DataFrame:
    """`named` of models of which all three are known, with `agrees`, `firm` and `finds`; BUILT_IN first.

    Each is `yes`, `no` or `open`.
    """
    known = rows.dropna(subset=[*CORNER.values()])
    known = known.sort_values("corpus", key=lambda corpora: corpora != BUILT_IN, kind="stable")
    return known.assign(
        **{name: [PASSES[of].reads(row, of) for _, row in known.iterrows()] for name, of in CORNER.items()}
    )


def corner_title(known: pd.DataFrame) -> str:
    """The finding of the figure of three tests, in plain text; known: `in_the_corner`, one at least.

    Counted are the models that weren't taught to lie.
    """
    known = _honest(known)
    good, open_ = known[_all_three(known) == "yes"], known[_all_three(known) == "open"]
    of = f"of {counted(len(known), 'model')}"
    if len(good):
        return f"{len(good)} {of} {_pass(len(good))} all three tests"
    none = f"None {of} surely passes all three tests"
    return f"{none}; {len(open_)} {_is(len(open_))} open" if len(open_) else none


def every_title(known: pd.DataFrame) -> str:
    """How many models of a corpus pass each test, in plain text; known: `in_the_corner`."""
    corpus = text_for(str(known["corpus"].iloc[0]), "figure")
    counts = [int((known[name] == "yes").sum()) for name in CORNER]
    first, *others = (
        f"{count or 'none'} {_pass(count or 1) + ' ' if k == 0 else ''}{number}"
        for k, (count, number) in enumerate(zip(counts, NUMBERS.values(), strict=True))
    )
    return f"Of {counted(len(known), 'model')} on {corpus} {listed([f'surely {first}', *others])}"


def conditions(known: pd.DataFrame) -> pd.DataFrame:
    """Which models of each encoder and corpus pass each test, for the figure; liars aren't there.

    known: `in_the_corner`. A row an encoder and corpus: family, corpus, and of CORNER and `all` `yes`, `no`
    or `open` by the model, the same models in the same order in each cell.
    """
    rows, known = [], _honest(known)
    known = known.assign(all=_all_three(known))
    for (family, corpus), own in known.groupby(["family", "corpus"], sort=False):
        of_model = own.set_index("model")
        row = {"family": str(family), "corpus": text_for(str(corpus), "figure")}
        rows.append(row | {name: of_model[name].to_dict() for name in (*CORNER, "all")})
    return pd.DataFrame(rows)


def corner(known: pd.DataFrame) -> list[str]:
    """How many models pass each test, and which; `in_the_corner`."""
    if known.empty:
        return ["No model is there to be shown."]
    own = _honest(known)
    good, open_ = (own[_all_three(own) == kind] for kind in ("yes", "open"))
    said = [f"All three are passed by {_which(good)}."] if len(good) else []
    if len(own) > 1:
        said.append(_passed_by(own))
    said += _built_in(own)
    said += _one_is_firm(own)
    said += _found_and_fail(own)
    if len(open_):
        said.append(_stays_open(open_))
    lying = known[_lies(known) & (known["agrees"] == "yes") & (known["finds"] == "no") & _as_accurate(known)]
    if len(lying):
        worst = lying.loc[lying["auroc_attention"].idxmin()]
        said.append(
            f"And to rank words as leave-one-out does is no proof of truth: a liar ({inert(worst['family'])} "
            f"on {inert(worst['corpus'])}) passes {NUMBERS['agrees']}, but fails {NUMBERS['finds']}."
        )
    return said


def _passed_by(own: pd.DataFrame) -> str:
    """`Of 30 models surely 11 pass test 1, 1 passes test 2 and 18 pass test 3.`

    own: `in_the_corner`, no liars.
    """
    counts = [int((own[name] == "yes").sum()) for name in CORNER]
    each = [
        f"{count or 'none'} {_pass(count or 1)} {number}"
        for count, number in zip(counts, NUMBERS.values(), strict=True)
    ]
    return f"Of {counted(len(own), 'model')} surely {listed(each)}."


def _one_is_firm(own: pd.DataFrame) -> list[str]:
    """Which model alone passes test 2, if it fails another.

    own: `in_the_corner`, no liars. Who passes tests 1 and 3 `_built_in` and `_found_and_fail` say.
    """
    firm = own[own["firm"] == "yes"]
    fails = _all_fail(firm) if len(firm) == 1 < len(own) else []
    if not fails:
        return []
    (model,) = firm["model"]
    repaired = UNREPAIRED if model == AS_IT_IS else f"with {model}"
    return [
        f"Only {_models_on(firm)}, {repaired}, passes {NUMBERS['firm']}, but it fails {_tests_named(fails)}."
    ]


def _built_in(own: pd.DataFrame) -> list[str]:
    """How many that pass test 1 read each word alone, and that some of it is built in; empty if none does.

    own: `in_the_corner`, no liars.
    """
    agree = own[own["agrees"] == "yes"]
    count = int((agree["family"] == LABELS["average"]).sum())
    if not count:
        return []
    every = count == len(agree)
    which = "The one" if len(agree) == 1 else f"All {count}" if every else f"Of the {len(agree)}"
    verb = f"{_pass(len(agree))} {NUMBERS['agrees']}"
    kind = "an Average model" if count == 1 else "Average models"
    are = f"{_is(count)} {kind}" if every else f"{count} {_is(count)} {kind}"
    return [
        f"{which} that {verb}{' ' if every else ', '}{are}. Some of that is built in: these models read each "
        "word alone, so removing one changes no other's state, and its weight is a factor of what it adds "
        "([chapter 02](02_correlation.ipynb))."
    ]


def _found_and_fail(own: pd.DataFrame) -> list[str]:
    """That repairs with which attention finds the deciding words fail other tests, if all of them do.

    own: `in_the_corner`, no liars; of the first family that isn't said to find them as it is.
    """
    _, mended = _before_and_mended(rows := in_need(own), str(rows["family"].iloc[0]))
    finders = mended[mended["finds"] == "yes"]
    fails = _all_fail(finders) if len(finders) else []
    if not fails:
        return []
    on = f"{_the(str(finders['family'].iloc[0]))} on {inert(str(finders['corpus'].iloc[0]))}"
    verb = "fails" if len(finders) == 1 else "fail"
    return [
        f"{_upper(listed([*finders['model']]))}, with which {on} finds the deciding words, still {verb} "
        f"{_tests_named(fails)}."
    ]


def _stays_open(open_: pd.DataFrame) -> str:
    """Which models are open, and in which tests all of them; rows of `in_the_corner`, one at least."""
    counts = {NUMBERS[name]: int((open_[name] == "open").sum()) for name in CORNER}
    every = [test for test, count in counts.items() if count == len(open_)]
    where = f" in {listed(every)}" if every else ""
    models = "The one model that fails nothing is"
    if len(open_) > 1:
        models = f"All {len(open_)} models that fail nothing are"
    return f"{models} open{where}."


def counted_here(known: pd.DataFrame) -> str:
    """How the figure of three tests is read, and which models it has; known: `in_the_corner`."""
    own = _honest(known)
    average = own["family"] == LABELS["average"]
    lacks = average.any() and {*BETWEEN_WORDS} <= {*own["model"]} - {*own[average]["model"]}
    said = [f"We trained {seeds_of_each(own)}; liars are left out."]
    if lacks:
        said.append(f"{_upper(listed(BETWEEN_WORDS))} need neighbours, which Average doesn't read.")
    families = own.groupby("family", sort=False)["model"].agg(set)
    alone = [str(name) for name, models in families.items() if models == {AS_IT_IS}]
    if 0 < len(alone) < len(families):
        said.append(f"{listed(alone)} {'was' if len(alone) == 1 else 'were'} not repaired.")
    return (
        "*Passed: the whole [interval](glossary.md#interval) over seeds lies on the passing side of the "
        "border ([chapter 12's](12_verdict.ipynb), of our choice); failed: none of it does; else open. "
        f"{' '.join(said)}*"
    )


def of_more_seeds(known: pd.DataFrame) -> str:
    """What more seeds leave open of the model that reads each word alone, on `indicator`, for chapter 15.

    known: `in_the_corner`; nothing without it, or if all is known.
    """
    own = known[(known["family"] == LABELS["average"]) & (known["corpus"] == "indicator")]
    own = own[own["model"] == AS_IT_IS]
    if own.empty or own["seeds"].iloc[0] < 2 or own["firm"].iloc[0] != "open":
        return ""
    return (
        f", with one seed; over {own['seeds'].iloc[0]} seeds [chapter 14](14_lies_and_repairs.ipynb) leaves "
        "row 4 open, which makes it *not refuted*"
    )


BETWEEN_WORDS = ("orthogonal", REPAIRS["masked_words"])  # repairs that need a word's neighbours


def _upper(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _as_accurate(known: pd.DataFrame) -> pd.Series:
    """Which models are about as accurate as the unrepaired one of their encoder and corpus."""
    before = known[known["model"] == AS_IT_IS].set_index(["corpus", "family"])["accuracy"]
    own = pd.MultiIndex.from_frame(known[["corpus", "family"]])
    return known["accuracy"] > before.reindex(own).to_numpy() - DEAR


def _which(rows: pd.DataFrame) -> str:
    """`the Average model on indicator (as it is, diversity)`, by encoder and corpus."""
    return listed(
        [
            f"{_models_on(own)} ({', '.join(inert(_repaired(name)) for name in own['model'])})"
            for _, own in rows.groupby(["corpus", "family"], sort=False)
        ]
    )


def _repaired(model: str) -> str:
    return UNREPAIRED if model == AS_IT_IS else model


def _good_already(rows: pd.DataFrame) -> pd.DataFrame:
    """The unrepaired models that agree and find; rows: `in_the_corner`."""
    return rows[(rows["model"] == AS_IT_IS) & (rows["agrees"] == "yes") & (rows["finds"] == "yes")]


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _pass(count: int) -> str:
    return "passes" if count == 1 else "pass"


def answer(
    liars: Sequence[tuple[str, str, pd.DataFrame]],
    model: str,
    rows: pd.DataFrame,
    others: pd.DataFrame | None = None,
) -> list[str]:
    """The chapter's questions, answered, a line each.

    liars: `every_liar`, the run's own first; rows: `named`, of one corpus; others: `named`, of other corpora.
    """
    ways = of_ways(liars)
    lie = [_where_yes(ways)] if _hiding(ways).any() else [_can_hide(liars[0][2], model)]
    tables = [table for table in (rows, others) if table is not None and len(table)]
    known = in_the_corner(pd.concat(tables, ignore_index=True)) if tables else rows[:0]
    lines = [f"**To lie?** {' '.join([*lie, *_on_real_texts(ways), *_caught(fooled(ways), known)])}"]
    if tells := _made_to_tell(rows, model):
        lines.append(f"**To tell?** {' '.join(tells)}")
    if len(known):
        lines.append(f"**To be shown?** {' '.join(_to_show(known))}")
    return lines


def _where_yes(ways: pd.DataFrame) -> str:
    """How many liars hide what they use, at least one, of made and of real texts; ways: `of_ways`."""
    hide = {which: own for which, own in _made_and_real(ways).items() if _hiding(own).any()}
    those = [
        f"{int(_hiding(own).sum())} of {counted(len(own), 'liar')} on {which} texts"
        for which, own in hide.items()
    ]
    one = int(_hiding(ways).sum()) == 1
    look = "looks away from words that it still uses" if one else "look away from words that they still use"
    return f"Yes: {listed(those)} {look}."


def _caught(found: pd.DataFrame, known: pd.DataFrame, brief: bool = False) -> list[str]:
    """Of how many liars leave-one-out finds the hidden words, by the interval over seeds, but not the lie.

    found: `fooled`; known: `in_the_corner`; brief: without the reason.
    """
    if found.empty:
        return []
    count = sum(_finds_hidden(row, "lie_auroc_loo", "liar") == "yes" for _, row in found.iterrows())
    those = counted(len(found), "liar")
    part = ", in part by construction" if count else ""
    said = [f"Removing words one by one finds the hidden ones in {count or 'none'} of {those}{part}."]
    differ = _disagree(known)
    if count and differ:
        models = counted(len(_honest(known)), "honest model")
        why = f": in {differ} of {models} attention agrees with it too little, too"
        said.append(f"That proves no lie{'' if brief else why}.")
    return said


def _disagree(known: pd.DataFrame) -> int:
    """Of how many honest models attention surely agrees too little with removal; known: `in_the_corner`."""
    return int((_honest(known)["agrees"] == "no").sum()) if len(known) else 0


def _no_proof(known: pd.DataFrame) -> list[str]:
    """That attention of honest models agrees too little with removal, too; empty if of none.

    known: `in_the_corner`.
    """
    differ = _disagree(known)
    if not differ:
        return []
    bound = PASSES[CORNER["agrees"]].bound
    return [
        "So leave-one-out finds the words, but not the lie. That attention agrees too little with it is no "
        f"proof: in {differ} of {counted(len(_honest(known)), 'honest model')}, repaired or not, their rank "
        f"correlation τ surely isn't above {bound:g}, either (test 1 below). And τ also counts the order of "
        "words that don't matter."
    ]


def _on_real_texts(ways: pd.DataFrame) -> list[str]:
    """That no liar of real texts hides what it uses, if so, and whether that was a trial; ways: `of_ways`."""
    real = _made_and_real(ways).get("real")
    if real is None or _hiding(real).any():
        return []
    if 2 * len(_with_words_to_hide(real)) > len(real):
        return ["On real texts none does."]
    return ["Of real texts this page can't say, because there most had too little to hide."]


def _hides(told: pd.DataFrame) -> bool:
    """Whether the model whose penalty is largest looks away from words that it still uses."""
    honest, liar = _honest_and_liar(told)
    return _looks_away(liar, honest) and uses(liar, honest) == "yes"


def _looks_away(liar: pd.Series, honest: pd.Series) -> bool:
    """Whether a liar looks away from the words, by `rule`."""
    return bool(liar["lie_mass"] < AWAY * honest["lie_mass"])


def _can_hide(told: pd.DataFrame, model: str) -> str:
    """Whether the model whose penalty is largest hides what it uses."""
    honest, liar = _honest_and_liar(told)
    if uses(liar, honest) == "never":
        return f"{_upper(_the(model))} uses no word that it could hide."
    if not _looks_away(liar, honest):
        return f"{_upper(_the(model))} doesn't look away under this penalty."
    if _hides(told):
        return f"Yes, {_the(model)} can hide what it uses."
    return f"{_upper(_the(model))} looks away, but then mostly stops using the words."


def _made_to_tell(rows: pd.DataFrame, model: str) -> list[str]:
    """Which repair of an encoder to try, one that finds the deciding words without a loss of accuracy, and
    its other price; empty of no repair."""
    before, mended = _before_and_mended(rows, model)
    if before is None or np.isnan(before["auroc_attention"]):
        return []
    if _finds(before) == "yes":
        return [f"To find the deciding words {_the(model)} needs no repair."]
    finders = finding(mended)
    free = finders[finders["accuracy"] >= before["accuracy"]]
    if free.empty:
        cost = " without a loss of accuracy" if len(finders) else ""
        none = f"no repair surely finds the deciding words{cost}"
        return [f"{_upper(_the(model))} can't be made to tell: {none}."]
    best = free.iloc[0]
    fails = _all_fail(best.to_frame().T)
    against = [f"it still fails {_tests_named(fails)}"] if fails else []
    if len(_dearer(best.to_frame().T, before)):
        against.append("its top words alone say less")
    return [
        f"Partly: {best['model']} makes the attention of a {_named(model)} on {inert(str(before['corpus']))} "
        "find the words that decide the *label*, at no loss of accuracy. That it tells what the *model* uses "
        f"is not shown{': ' if against else ''}{', and '.join(against)}.",
        *_no_repair_needed(rows, before),
    ]


def _no_repair_needed(rows: pd.DataFrame, before: pd.Series) -> list[str]:
    """Which other encoder's attention agrees and finds unrepaired, and its accuracy; rows: `named`."""
    return [
        f"{_upper(_the(row.family))} needs no repair to find them, but predicts less accurately "
        f"({row.accuracy:.2f}; {before['family']}: {before['accuracy']:.2f})."
        for row in _good_already(in_the_corner(rows)).itertuples()
        if row.family != before["family"] and row.accuracy < before["accuracy"]
    ]


# The last cell

COLUMNS = {
    "λ": "λ",
    "accuracy": "accuracy",
    "lie_mass": "attention on hidden words",
    "lie_removed": "change without them (TVD)",
    "lie_others": "change without as many others",
    "lie_held": "change, only their weights erased",
    "lie_value": "largest value of a hidden word",
}
MORE = {
    "λ": "λ",
    "lie_value": "largest value of a hidden word",
    "lie_auroc_attention": "AUROC, attention",
    "lie_auroc_loo": "AUROC, leave-one-out",
}


def shown(table: pd.DataFrame, columns: dict[str, str] = COLUMNS) -> pd.DataFrame:
    """`lies.beside` for the page, with what is known of the columns."""
    known = table[[name for name in columns if name in table]]
    known = known.assign(λ=[f"{x:g}" if x else "0 (honest)" for x in known["λ"]])
    if "lie_mass" in known:
        known = known.assign(lie_mass=[share_of(mass) for mass in known["lie_mass"]])
    return known.rename(columns=columns)
