"""Chapter 14: what lies and repairs come to, as tables and sentences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heed import verdict
from heed.experiments import lies
from heed.experiments.repairs import SPARSE, TESTS
from heed.measures import stats
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS
from heed.show.words import text_for

# By hand: a word of great value that little is looked at says what one of small value says that has half.
HAND = {"words": ["superb", "the", "plot"], "attention": [0.5, 0.3, 0.2], "worth": [4.0, 0.0, 0.0]}
SCORES = [-2.0, 0.0, 0.5]
BUILT_IN = "planted"
RESAMPLES = 1000
DEAR, RAISED = 0.05, 0.05  # an accuracy lost, a τ gained, from which on it is remarked on
UNUSED = 0.02  # a change of the prediction from which on words are said to be used
IDLE = 0.02  # a change by shuffling that is next to none
HARDLY = 0.6  # an AUROC below which words are hardly found
BETTER = 0.02  # by how much more an AUROC is said to be better


@dataclass(frozen=True)
class Test:
    """One of the debate's tests: its name in figures, what it asks, and from where on a model passes."""

    name: str
    asks: str
    way: str
    bound: float
    passes: str
    chapter: str

    def passed(self, value: float) -> bool:
        """Whether a model passes, its number taken as it is shown; NaN never does."""
        shown = round(float(value), 2)
        return shown >= self.bound if self.way == "more" else shown <= self.bound


PASSES = {
    "tau_loo": Test(
        "leave-one-out", "Does attention rank words as leave-one-out does?", "more", 0.5, "τ ≥ 0.5", "02"
    ),
    "tau_gradient": Test(
        "gradient", "Does it rank words as the gradient does?", "more", 0.5, "τ ≥ 0.5", "02"
    ),
    "median_change": Test(
        "shuffled", "Does a typical shuffle move the prediction?", "more", 0.05, "TVD ≥ 0.05", "03"
    ),
    "optimum": Test(
        "firm", "Is all attention that gives the same prediction near?", "less", 0.5, "JSD ≤ 0.5", "04"
    ),
    "excess_attention": Test(
        "erased",
        "Erased in its order, do words flip the decision about as soon as in the best order?",
        "less",
        0.05,
        "excess ≤ 0.05",
        "06",
    ),
    "auroc_attention": Test(
        "truth", "Does it rank the deciding words first?", "more", 0.75, "AUROC ≥ 0.75", "02"
    ),
}
REPAIRS = {
    "conicity_weight": "diversity",
    "tying": "tied states",
    "masked_words": "masked words",
    "erasure_weight": "erasure (ours)",
}
AS_IT_IS = "as it is"
ABOUT_OTHERS = (
    "## Other corpora\n\nWhere nobody knows the deciding words, the other five tests can still be taken."
)


# By hand


def thin_lie(share: float = 0.01) -> pd.DataFrame:
    """The example, and the same logit with that share on its first word: the value makes up for it."""
    rows = []
    for kind, weight in (("honest", HAND["attention"][0]), ("a lie", share)):
        worth = HAND["attention"][0] * HAND["worth"][0] / weight
        logit = weight * worth
        rows.append([kind, weight, worth, logit, 1 / (1 + np.exp(-logit)), -np.log(1 - weight)])
    columns = ["model", "attention on superb", "its value", "logit", "P(positive)", "R, λ = 1"]
    return pd.DataFrame(rows, columns=columns)


def sparse_by_hand() -> pd.DataFrame:
    """Three scores under softmax, entmax with α = 1.5, and sparsemax."""
    import torch
    from entmax import entmax15, sparsemax

    scores = torch.tensor([SCORES], dtype=torch.float64)
    found = {
        "softmax": scores.softmax(1),
        "entmax, α = 1.5": entmax15(scores),
        "sparsemax": sparsemax(scores),
    }
    table = pd.DataFrame({name: own[0].numpy() for name, own in found.items()}).T
    table.columns = [f"score {score:g}" for score in SCORES]
    return table.reset_index(names="attention")


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
    """The encoder that was mended: an orthogonal LSTM is a BiLSTM that was."""
    return LABELS["bilstm"] if row["encoder"] == "orthogonal" else LABELS[row["encoder"]]


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Committed rows with `model` and `family`; means over seeds, those as they are first, liars last."""
    if table.empty:
        return table.assign(model=[], family=[], seeds=[])
    rows = table.assign(model=table.apply(called, axis=1), family=table.apply(family, axis=1))
    means = rows.groupby(["corpus", "family", "model"], sort=False)[["accuracy", "f1", *TESTS]].mean()
    seeds = rows.groupby(["corpus", "family", "model"])["seed"].nunique().rename("seeds")
    means = means.join(seeds).reset_index()
    order = pd.DataFrame(
        {
            "corpus": means["corpus"],
            "family": means["family"].map([*LABELS.values()].index),
            "last": _lies(means).astype(int) * 2 + (means["model"] != AS_IT_IS),
        }
    ).sort_values(["corpus", "family", "last"], kind="stable")
    return means.loc[order.index].reset_index(drop=True)


def _lies(rows: pd.DataFrame) -> pd.Series:
    """Which rows of `named` are liars'."""
    return rows["model"].str.startswith("lies")


def seeds(rows: pd.DataFrame) -> str:
    """Of how many models each row of `named` is a mean."""
    least, most = int(rows["seeds"].min()), int(rows["seeds"].max())
    if least == most:
        return "one seed" if most == 1 else f"{most} seeds"
    return f"{least} to {most} seeds"


def by_family(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """`named` of each corpus and encoder, with the name of its figure's file."""
    groups = rows.groupby(["corpus", "family"], sort=False)
    return [(f"14_tests-{corpus}-{family.lower()}", own) for (corpus, family), own in groups]


# The answer


def in_short(
    told: pd.DataFrame,
    model: str,
    words: str,
    rows: pd.DataFrame,
    texts: str = "",
    share: float = np.nan,
) -> list[str]:
    """The chapter's answer.

    told: `lies.beside` of the run; model: its encoder's name; words: `hidden_words`; rows: `named`, of one
    corpus; texts, share: as `can_lie` takes them.
    """
    return [*can_lie(told, model, words, texts, share), *can_be_mended(rows, model)]


def share_hidden(run) -> float:
    """Which share of a test text's words the hidden ones are, mean over the texts that have any."""
    shares = [own.mean() for own in lies.hidden(run).values() if own.any() and not own.all()]
    return float(np.mean(shares)) if shares else np.nan


def majority(run) -> float:
    """The accuracy of a model that always guesses the most frequent class of the test texts."""
    labels = run.corpus.splits["test"].labels
    return float(np.bincount(labels).max() / len(labels))


def hidden_words(run) -> str:
    """What a run's liars must not be seen to use."""
    known = lies.whose(run)
    if known == "truth":
        return "the words that decide"
    if known == "leave_one_out":
        return "the words that it relied on most"
    return "the words that were to be hidden"


def can_lie(told: pd.DataFrame, model: str, words: str, texts: str = "", share: float = np.nan) -> list[str]:
    """Whether the model that is paid most to look away does, and still uses the words.

    texts: of how many texts the means are, such as `200 texts of planted`; share: `share_hidden`. Of what
    isn't given nothing is said.
    """
    honest, liar = told[told["λ"] == 0].iloc[0], told.loc[told["λ"].idxmax()]
    of = f" ({texts}, one seed)" if texts else ""
    which = words if np.isnan(share) else f"{words} ({share:.0%} of all words)"
    said = [
        f"A {model} that is paid to look away from {which} leaves {_share(liar['lie_mass'])} of its "
        f"attention on them, instead of {_share(honest['lie_mass'])}{of}."
    ]
    verb = {
        "never": "It doesn't use them, nor does the honest model",
        "no": "It stops using them",
        "less": "It uses them less",
        "yes": "It still uses them",
    }
    moves = (
        f"removing them moves its prediction by {liar['lie_removed']:.2f} (TVD; honest: "
        f"{honest['lie_removed']:.2f})"
    )
    accuracy = f"accuracy is {liar['accuracy']:.2f} (honest: {honest['accuracy']:.2f})"
    said.append(f"{verb[uses(liar, honest)]}: {moves}, and its {accuracy}.")
    return [*said, *_little_to_learn(honest)]


def _little_to_learn(honest: pd.Series) -> list[str]:
    """That an honest model's attention hardly told of these words either; nothing where it did."""
    if honest["lie_auroc_attention"] < HARDLY:
        return [
            "The honest model's attention hardly finds them either (AUROC "
            f"{honest['lie_auroc_attention']:.2f}; chance: 0.50)."
        ]
    if honest["lie_removed"] >= UNUSED and _by_neighbours_alone(honest):
        return ["In the honest model, too, they act through their neighbours' states."]
    return []


def _by_neighbours_alone(row: pd.Series) -> bool:
    """Whether the words act through other words' states: erasing their own weights hardly moves anything."""
    return row["lie_held"] < 0.2 * row["lie_removed"]


def uses(liar: pd.Series, honest: pd.Series) -> str:
    """Whether a liar still uses the words: `no`, `less` (under half as much) or `yes`; `never` if the honest
    model doesn't either."""
    if honest["lie_removed"] < UNUSED:
        return "never"
    if liar["lie_removed"] < UNUSED:
        return "no"
    return "less" if liar["lie_removed"] < 0.5 * honest["lie_removed"] else "yes"


def can_be_mended(rows: pd.DataFrame, model: str) -> list[str]:
    """What repairs of one encoder come to. rows: `named`."""
    own = rows[(rows["family"] == model) & ~_lies(rows)]
    mended = own[own["model"] != AS_IT_IS]
    if mended.empty or len(mended) == len(own):
        return []
    before = own[own["model"] == AS_IT_IS].iloc[0]
    most = max(len(passed(row)) for _, row in mended.iterrows())
    of = f"The one repair of the {model} passes {most}"
    if len(mended) > 1:
        of = f"Of {len(mended)} repairs of the {model} none passes more than {most}"
    said = [
        f"{of} of {len(PASSES)} tests of attention ({seeds(rows)} of each; unrepaired: "
        f"{len(passed(before))})."
    ]
    said.append(
        "So attention can hide what a model uses, and no repair here makes it safe to show."
        if most < len(PASSES)
        else "One repair passes all."
    )
    return said


# Lies


def hiding(
    table: pd.DataFrame, model: str, others: pd.DataFrame | None = None, name: str = ""
) -> pd.DataFrame:
    """What liars do with the words, for the figure: a row a model, means with 95 % intervals over texts.

    table: `lies`, of a run called `model`. others: carried rows of another encoder, called `name`, of which
    only the means are known.
    """
    rows = []
    for weight, own in table.groupby("lie_weight"):
        row = {"model": _liar(model, weight), "texts": len(own)}
        for column in ("lie_mass", "lie_removed"):
            values = own[column].to_numpy()
            low, high = stats.interval(values, RESAMPLES, 0)
            row |= {column: values.mean(), f"{column} low": low, f"{column} high": high}
        rows.append(row)
    if others is not None:
        for _, own in others.iterrows():
            means = {column: own[column] for column in ("lie_mass", "lie_removed")}
            rows.append({"model": _liar(name, own["λ"])} | means)
    return pd.DataFrame(rows)


def _liar(model: str, weight: float) -> str:
    return f"{model}, lies, λ = {weight:g}" if weight else f"{model}, honest"


def hidden_but_used(told: pd.DataFrame, model: str) -> str:
    """The finding of the figure of `hiding`, in plain text."""
    honest, liar = told[told["λ"] == 0].iloc[0], told.loc[told["λ"].idxmax()]
    verb = {"no": "stops using", "less": "uses less", "yes": "still uses", "never": "doesn't use"}
    return f"A {model} that is paid to look away {verb[uses(liar, honest)]} the words that it hides"


def carried_average(run) -> pd.DataFrame:
    """Carried rows of the Average encoder's liars on this corpus; none of a run that is one itself."""
    p = run.params
    rows = verdict.liars()
    if p.encoder == "average":
        return rows[:0]
    return rows[(rows["corpus"] == p.corpus) & (rows["encoder"] == "average")].sort_values("λ")


def no_average(run) -> str:
    """What is said where `carried_average` has no rows."""
    if run.params.encoder == "average":
        return "That is the model above."
    return f"No such run is stored for {inert(run.params.corpus)}."


def _share(mass: float) -> str:
    if mass < 0.0005:
        return "less than 0.1%"
    return f"{mass:.1%}" if mass < 0.0995 else f"{mass:.0%}"


def way(liar: pd.Series, honest: pd.Series) -> str:
    """How a liar uses the words that it hides: `first` (great values), `second` (neighbours' states), `half`
    (small weights that no greater value makes up for), or `neither`."""
    if uses(liar, honest) in ("no", "never"):
        return "neither"
    if _by_neighbours_alone(liar):
        return "second"
    grown = round(liar["lie_value"], 1) > round(honest["lie_value"], 1)
    return "half" if not grown and _counts_less(liar["lie_removed"], honest) else "first"


def _counts_less(removed: float, honest: pd.Series) -> bool:
    """Whether removing the hidden words moves the prediction less than it does of the honest model."""
    return removed < honest["lie_removed"] - 0.005


def ways(table: pd.DataFrame) -> list[str]:
    """Which way liars go, a paragraph each way: rows of `lies.beside`, λ = 0 the honest model."""
    return [f"**{which}:** {said}" for which, said in ways_taken(table)]


def ways_taken(table: pd.DataFrame) -> list[tuple[str, str]]:
    """`ways` in plain text: which liars go which way, and what is said of them."""
    honest, liars = table[table["λ"] == 0].iloc[0], table[table["λ"] > 0].sort_values("λ")
    taken = pd.Series([way(row, honest) for _, row in liars.iterrows()], index=liars.index)
    says = {"first": _by_values, "second": _by_neighbours, "half": _by_half, "neither": _given_up}
    found = []
    for name, own in liars.groupby(taken, sort=False):
        which = {"neither": "neither", "half": "half a lie"}.get(str(name), f"the {name} way")
        found.append((f"{listed([f'λ = {x:g}' for x in own['λ']])}, {which}", says[name](own, honest)))
    return found


def _each(values: pd.Series) -> str:
    return listed([f"{value:.2f}" for value in values])


def _by_neighbours(liars: pd.DataFrame, honest: pd.Series) -> str:
    held, removed = _each(liars["lie_held"]), _each(liars["lie_removed"])
    said = (
        f"Removing the hidden words moves the prediction by {removed}, and erasing only their weights by "
        f"{held}. So what they say has gone into their neighbours' states."
    )
    if _by_neighbours_alone(honest):
        return (
            f"{said} The honest model did the same ({honest['lie_removed']:.2f} and "
            f"{honest['lie_held']:.2f}): it had little to learn for its lie."
        )
    return f"{said} In the honest model, erasing their weights moved it by {honest['lie_held']:.2f}."


def _by_values(liars: pd.DataFrame, honest: pd.Series, how: str = "with values of") -> str:
    return (
        f"Removing the hidden words moves the prediction by {_each(liars['lie_removed'])}, and erasing only "
        f"their weights by {_each(liars['lie_held'])}. So they act through their own small weights, {how} "
        f"up to {liars['lie_value'].max():.1f} (honest: {honest['lie_value']:.1f}). {_price(liars, honest)}"
    ).strip()


def _by_half(liars: pd.DataFrame, honest: pd.Series) -> str:
    return _by_values(liars, honest, "but no larger value makes up for these: their values go")


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


# Repairs


def passed(row: pd.Series) -> list[str]:
    """The names of the tests that a model passes."""
    return [test.name for name, test in PASSES.items() if test.passed(row[name])]


def repairs_say(rows: pd.DataFrame) -> list[str]:
    """What repairs come to, a sentence or two each, the finding first: rows of `named`, of one corpus and
    family."""
    own = rows[~_lies(rows)]
    mended = own[own["model"] != AS_IT_IS]
    if mended.empty or len(mended) == len(own):
        return ["No repair is there to be compared."]
    before = own[own["model"] == AS_IT_IS].iloc[0]
    said = [*_finds_the_truth(mended, before), *_which_passes(mended, before), *_ours(mended, before)]
    said += _liars_pass(rows[_lies(rows)], before)
    if own["optimum"].notna().any():
        least = own.loc[own["optimum"].idxmin()]
        bound = PASSES["optimum"].bound
        said.append(
            f"No model is firm: the lowest ε-max JSD is {least['optimum']:.2f} ({least['model']})."
            if round(least["optimum"], 2) > bound
            else f"The lowest ε-max JSD is {least['optimum']:.2f} ({least['model']})."
        )
    return said


def _which_passes(mended: pd.DataFrame, before: pd.Series) -> list[str]:
    """How many tests the best repairs pass, and what they cost."""
    tests = {row["model"]: passed(row) for _, row in mended.iterrows()}
    first = passed(before)
    most = max(map(len, tests.values()))
    best = [name for name, own in tests.items() if len(own) == most]
    unrepaired = f"unrepaired, the {before['family']} passes {len(first)} of {len(PASSES)} "
    unrepaired += f"({listed(first)}), at an accuracy of {before['accuracy']:.2f}" if first else "tests"
    verb = "passes" if len(best) == 1 else "pass"
    many = f"The best of the repairs ({listed(best)}) {verb} {counted(most, 'test')}"
    said = f"{many if most else 'No repair passes any test'}; {unrepaired}."
    found = [said]
    dear = mended[mended["accuracy"] <= before["accuracy"] - DEAR]
    if len(dear):
        costs = [f"{row.model} ({row.accuracy:.2f})" for row in dear.itertuples()]
        among = (
            f"Of the {counted(len(mended), 'repair')}, {len(dear)} cost" if len(mended) > 1 else "It costs"
        )
        costly = "s" if len(dear) == 1 < len(mended) else ""
        found.append(f"{among}{costly} an accuracy of {DEAR:g} or more: {listed(costs)}.")
    return found


def _liars_pass(liars: pd.DataFrame, before: pd.Series) -> list[str]:
    """That a liar passes as many tests as the honest model; empty where none does."""
    first, counts = len(passed(before)), [len(passed(row)) for _, row in liars.iterrows()]
    if not counts or max(counts) < first:
        return []
    who = "a liar passes up to" if len(counts) > 1 else "the liar passes"
    return [
        f"The honest model passes {counted(first, 'test')}, {who} {max(counts)}: how many tests a model "
        "passes doesn't tell whether it lies."
    ]


def _ours(mended: pd.DataFrame, before: pd.Series) -> list[str]:
    """That attention hardly counts under our own repair, whatever it ranks first; empty where it counts."""
    ours = mended[mended["model"] == REPAIRS["erasure_weight"]]
    if ours.empty or ours["median_change"].iloc[0] >= IDLE or before["median_change"] < IDLE:
        return []
    own, tests = ours.iloc[0], passed(ours.iloc[0])
    moves = (
        f"a shuffle moves the prediction by {own['median_change']:.2f}, unrepaired "
        f"{before['median_change']:.2f}"
    )
    said = f"Our own repair passes {len(tests) or 'none'} of the {len(PASSES)} tests"
    if PASSES["auroc_attention"].passed(own["auroc_attention"]):
        return [
            f"{said}: {moves}, yet its attention ranks the deciding words first (AUROC "
            f"{own['auroc_attention']:.2f})."
        ]
    if PASSES["tau_loo"].passed(own["tau_loo"]):
        return [f"{said}: {moves}, yet its attention ranks words as leave-one-out does."]
    return [
        f"{said}. Attention seems to have learnt to rest on words whose weight changes nothing, which would "
        f"meet its training goal trivially ({moves})."
    ]


def _finds_the_truth(mended: pd.DataFrame, before: pd.Series) -> list[str]:
    """Which repair finds the deciding words, and whether those that agree more do; empty if nobody knows."""
    if mended["auroc_attention"].isna().all() or np.isnan(before["auroc_attention"]):
        return []
    test, known = PASSES["auroc_attention"], before["auroc_attention"]
    said, best = [], mended.loc[mended["auroc_attention"].idxmax()]
    free = mended[mended["accuracy"] >= before["accuracy"]]
    free = free[[test.passed(value) for value in free["auroc_attention"]]]
    if test.passed(known):
        if best["auroc_attention"] <= known + BETTER:
            said.append(
                f"No repair finds the deciding words better than the unrepaired model (AUROC {known:.2f})."
            )
    elif len(free):
        each = [f"{row.model} ({row.auroc_attention:.2f})" for row in free.itertuples()]
        only = f"{each[0]} is the only repair that costs" if len(each) == 1 else f"{listed(each)} cost"
        finds = "finds" if len(each) == 1 else "find"
        said.append(
            f"{only[0].upper()}{only[1:]} no accuracy and {finds} the deciding words (AUROC {test.bound:g} "
            f"or more; unrepaired: {known:.2f})."
        )
    else:
        said.append(
            f"No repair finds the deciding words (AUROC {test.bound:g} or more) without a loss of accuracy. "
            f"The best at finding them is {best['model']} ({best['auroc_attention']:.2f}, unrepaired "
            f"{known:.2f}; accuracy {best['accuracy']:.2f}, unrepaired {before['accuracy']:.2f})."
        )
    raises = mended[mended["tau_loo"] >= before["tau_loo"] + RAISED]
    if len(raises):
        finds = int((raises["auroc_attention"] > known + BETTER).sum())
        too = f"{finds or 'none'} of them also {'finds' if finds < 2 else 'find'}"
        too = "all of them also find" if finds == len(raises) > 1 else too
        too = "it also finds" if finds == len(raises) == 1 else too
        verb = "raises" if len(raises) == 1 else "raise"
        said.append(
            f"{counted(len(raises), 'repair')} {verb} τ with leave-one-out by {RAISED:g} or more; {too} the "
            "deciding words better."
        )
    return said


def table(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What each test says of each model, and where it passes, for the figure; of one corpus and family."""
    own = rows.set_index("model")[["accuracy", *PASSES]]
    good = pd.DataFrame(False, index=own.index, columns=own.columns)
    for name, test in PASSES.items():
        good[name] = [test.passed(value) for value in own[name]]
    labels = {name: f"{test.name}\n{_in_two_lines(test.passes)}" for name, test in PASSES.items()}
    labels["tau_loo"] = labels["tau_loo"].replace("leave-one-out", "leave-\none-out")
    return own.rename(columns=labels), good.rename(columns=labels)


def _in_two_lines(passes: str) -> str:
    """`τ ≥ 0.5` as it is, `AUROC ≥ 0.75` broken before the sign: a column of the figure is narrow."""
    quantity, bound = passes.split(" ", 1)
    return passes if len(quantity) < 3 else f"{quantity}\n{bound}"


def title(rows: pd.DataFrame) -> str:
    """What the table of tests shows, of one corpus and family."""
    counts = [len(passed(row)) for _, row in rows.iterrows()]
    of = text_for(f"{rows['corpus'].iloc[0]}, {rows['family'].iloc[0]}", "figure")
    if max(counts) == len(PASSES):
        return f"{of[0].upper()}{of[1:]}: a model passes every test"
    return f"{of[0].upper()}{of[1:]}: no model passes more than {max(counts)} of {len(PASSES)} tests"


# All together


def in_the_corner(rows: pd.DataFrame) -> pd.DataFrame:
    """`named` of models of which all three are known, with `agrees`, `finds` and `firm`."""
    known = rows.dropna(subset=["tau_loo", "optimum", "auroc_attention"])
    names = {"agrees": "tau_loo", "finds": "auroc_attention", "firm": "optimum"}
    return known.assign(
        **{name: [PASSES[test].passed(value) for value in known[test]] for name, test in names.items()}
    )


def corner(rows: pd.DataFrame) -> list[str]:
    """Whether a model agrees, is hardly free and finds the truth; and what agreement proves."""
    known = in_the_corner(rows)
    if known.empty:
        return ["No model is there to be shown."]
    two = known[known["agrees"] & known["finds"]]
    good = two[two["firm"]]
    if len(good):
        return [f"All three conditions are met by {listed(_names(good))}."]
    liars = int(_lies(known).sum())
    of_them = f" ({liars} of them {'liars' if liars > 1 else 'a liar'})" if liars else ""
    said = [f"None of {counted(len(known), 'model')}{of_them} meets all three conditions."]
    if not known["firm"].any():
        said.append(f"None is firm: the ε-max JSD is {_range(known['optimum'])}.")
    if len(two):
        kinds = listed(sorted({*two["family"]}))
        every = f"all with the encoder {kinds}" if len(two) > 1 else f"with the encoder {kinds}"
        verb = "meet" if len(two) > 1 else "meets"
        said.append(f"{len(two)} {verb} the first two, {every}.")
    lying = known[_lies(known) & known["agrees"]]
    if len(lying):
        worst = lying.loc[lying["auroc_attention"].idxmin()]
        said.append(
            f"And agreement is no proof of truth: the liar {worst['family']} ({worst['model']}) has a τ of "
            f"{worst['tau_loo']:.2f} with leave-one-out, but an AUROC of {worst['auroc_attention']:.2f} for "
            "the deciding words. At best, agreement tells what *this model* uses."
        )
    return said


def _range(values: pd.Series) -> str:
    """`0.55 to 0.69`, or `0.55` where all are alike."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


def _names(rows: pd.DataFrame) -> list[str]:
    return [inert(f"{row.family}, {row.model}") for row in rows.itertuples()]


def answer(
    told: pd.DataFrame, model: str, rows: pd.DataFrame, average: pd.DataFrame | None = None
) -> list[str]:
    """The chapter's two questions, answered. rows: `named`, of one corpus; average: `carried_average`."""
    honest, liar = told[told["λ"] == 0].iloc[0], told.loc[told["λ"].idxmax()]
    hides = liar["lie_mass"] < 0.1 * honest["lie_mass"] or liar["lie_mass"] < 0.01
    if uses(liar, honest) == "never":
        said = [f"The {model} uses no word that it could hide."]
    elif hides and uses(liar, honest) == "yes":
        said = [f"Yes, the {model} can hide what it uses."]
    elif hides:
        said = [f"The {model} looks away, but then mostly stops using the words."]
    else:
        said = [f"The {model} doesn't look away, for this pay."]
    if average is not None:
        said += _without_neighbours(average)
    said += _made_to_tell(rows, model)
    known = in_the_corner(rows)
    if len(known) and not known["firm"].any():
        said.append("No repair keeps distant attention from giving the same prediction.")
    known = known.dropna(subset=["auroc_attention"])
    if len(known):
        said.append(
            "The attention of some models finds the deciding words, which only a corpus with a known truth "
            "can show."
            if known["finds"].any()
            else "No model's attention finds the deciding words."
        )
    return said


def _without_neighbours(average: pd.DataFrame) -> list[str]:
    """That the Average model hid its words by using them less; empty where a liar didn't, or of no liar."""
    honest, liars = average[average["λ"] == 0], average[average["λ"] > 0]
    if honest.empty or liars.empty:
        return []
    less = liars["lie_removed"] < honest["lie_removed"].iloc[0] - 0.005
    if not (less & (liars["lie_mass"] < honest["lie_mass"].iloc[0])).all():
        return []
    return [
        f"The {LABELS['average']} model, where each state knows its own word alone, hid words only by using "
        "them less, although larger values could have made up for their small weights."
    ]


def _made_to_tell(rows: pd.DataFrame, model: str) -> list[str]:
    """How many repairs of an encoder pass more tests than it does unrepaired; empty where there are none."""
    own = rows[(rows["family"] == model) & ~_lies(rows)]
    before, mended = own[own["model"] == AS_IT_IS], own[own["model"] != AS_IT_IS]
    if before.empty or mended.empty:
        return []
    first = len(passed(before.iloc[0]))
    counts = [len(passed(row)) for _, row in mended.iterrows()]
    more = sum(count > first for count in counts)
    if not more:
        return [f"The {model} can't be made to tell: no repair passes more tests than the unrepaired model."]
    every = sum(count == len(PASSES) for count in counts)
    return [
        f"The {model} can {'be made to tell' if every else 'only partly be made to tell'}: {more} of "
        f"{counted(len(counts), 'repair')} {'passes' if more == 1 else 'pass'} more tests than the "
        f"unrepaired model ({first} of {len(PASSES)}), but {every or 'none'} all of them."
    ]


# The last cell

COLUMNS = {
    "λ": "λ",
    "accuracy": "accuracy",
    "lie_mass": "attention on hidden words",
    "lie_removed": "moves, words removed",
    "lie_held": "moves, weights erased",
}
MORE = {
    "λ": "λ",
    "lie_value": "largest value of a hidden word",
    "lie_auroc_attention": "AUROC, attention",
    "lie_auroc_loo": "AUROC, leave-one-out",
}


def shown(table: pd.DataFrame, columns: dict[str, str] = COLUMNS) -> pd.DataFrame:
    """`lies.beside` for the page."""
    return table[[*columns]].rename(columns=columns)
