"""Chapter 15: the audit's sentences with their numbers and odd cases, its table of checks, its strips."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import nbformat
import numpy as np
import pandas as pd

from heed import paths
from heed.corpora import planted
from heed.corpora.loading import load
from heed.errors import HeedError, choose, why
from heed.experiments import audit, transformers
from heed.experiments.audit import IMPORTANCE, MOVED, ORDERS, READINGS, Audit, How
from heed.experiments.copying import share_of
from heed.measures import stats
from heed.measures.divergence import significant_digits
from heed.measures.layer import Layer, is_punctuation, permuted
from heed.measures.pieces import OTHERS
from heed.models.pretrained import pretrained
from heed.params import resolve
from heed.runs.grid import mapping_given
from heed.show import colours, heatmap
from heed.show.export_html import page
from heed.show.figures.audit import ALIKE, NEAR, REPLACING, RESAMPLES
from heed.show.notebook import inert, injected, tokens
from heed.show.sentences import counted, listed, signed
from heed.show.strip import TokenStrip
from heed.show.words import text_for, visible

OF_THE_BOOK = "of-the-book"  # the tag of cells that lead to other chapters, which a page alone leaves out
PARAMETERS = ("model", "texts", "out", "threads", "set")
SETTINGS = [field.name for field in fields(How)]
OPEN = "open"  # of an expectation: undecided
NO_ORDER = "No text has two words that could be put in an order: nothing can be said of it."
FLAT = "Attention puts the words of a text in no order: all have the same weight."
# The answers: all expectations are met; none fails, some are open; some fail; all but perhaps the first fail.
YES, UNREFUTED, BESIDE, NO = "Yes", "Not refuted", "Not by itself", "No"
SHUFFLES = 20  # of each head, to find the one that is given to the reader's hands
TEST = "and test a word by putting others in its place"
CLEARLY = 0.1  # by how much more AUROC one order must find to be clearly better than another
EQUAL = 0.05  # difference of two τ up to which they are told as equal
SCALED = {  # what a reader is told of the models of `audit.for_scale`
    audit.ONE_WORD: "words one by one, on `indicator`",
    audit.BILSTM: "BiLSTM, on `planted`",
    audit.EQUAL: "BiLSTM whose weights are all equal, on `planted`",
}
RULES = 5
EARLY = 0.2  # share of the words erased, of which the figure's title tells
EXPECTED = ("on words", "as removal", "shuffled", "none distant", "flips")  # short, as a table's heads
IF_NOT = (  # what a row of `checks` that isn't met means: the picture …
    "leaves out where most of the weight lies",
    "ranks words otherwise than their removal does",
    "could be shuffled, and half of the predictions would hardly move",
    "could be quite another with the same prediction",
    "doesn't show which words flip the decision first",
)
SHOWN = ("attention", *IMPORTANCE)  # the lines of a text
LATER = 0.05  # by how much more decisions an order must flip in the end to be remarked on
OF_A_CLASS = 10  # texts from which on a class's share of them is told
MOSTLY = 0.8  # share of some texts from which on a class has most of them
APART = 0.3  # difference of two classes' shares of texts from which on they are told apart
TOLD = 0.0995  # share from which on a word has its number
STUCK = 0.9  # weight of one word from which on a head's attention has little to move
TIED = 2  # words that share the first place, up to which all are named
BEGINS = 6  # words of a text that name it
PARTS = {
    "loo": "leave-one-out",
    "integrated": "integrated gradients",
    "permutation": "shuffling",
    "freedom": "the search for other attention",
    "erasure": "erasing",
    "float64": "the comparison with float64",
    "evidence": "reading the texts",
}


def begin(namespace: dict) -> Audit:
    """The audit that the chapter's parameters name; give it `globals()`. Without any, heed's example."""
    given = {name: namespace[name] for name in PARAMETERS if name in namespace}
    more = injected(namespace, (*PARAMETERS, *SETTINGS))
    settings = {name: value for name, value in more.items() if name in SETTINGS}
    given["set"] = settings | mapping_given(given.get("set"))
    return measured(**given)


def measured(
    model: str = "", texts: str = "", out: str = "", threads: int = 1, set: dict | str | None = None
) -> Audit:
    """The audit of these; what isn't given is heed's example. Raises HeedError on an unknown setting.

    Of the example's own texts, which are few, all are searched for other attention.
    """
    settings = mapping_given(set)
    for name in settings:
        choose("setting of the audit", name, SETTINGS)
    folder = paths.results_folder(out or "results/audit")
    if not texts and Path(model or audit.EXAMPLE) == audit.EXAMPLE:
        settings = {"free": How.most} | settings
    table = texts or audit.example_texts(folder)
    return audit.audit(model or audit.EXAMPLE, table, folder, How(**settings), threads)


def folder_of(model: str, texts: str) -> Path:
    """Where an audit goes that isn't told: a folder of model and texts in results/audit."""
    names = [Path(name).name.partition(".")[0] for name in (model, texts) if name]
    return paths.results_folder("results/audit") / "-".join(names)


def report(model: str, texts: str, out: str | Path, threads: int, set: dict | str | None = None) -> Path:
    """Measure, run the chapter on it, and write the page audit.html in the folder `out`; return its path.

    Beside it lie texts.csv, the tables, the figures and the executed notebook. Raises HeedError.
    """
    chapter = paths.NOTEBOOKS / "15_your_model.ipynb"
    if not chapter.is_file():
        raise paths.needs_clone("the page of an audit, which is a chapter,")
    from papermill import PapermillExecutionError, execute_notebook

    given = {
        "model": _absolute(model or str(audit.EXAMPLE)),
        "texts": _absolute(texts),
        "out": str(Path(out).expanduser().resolve()),
    }
    given |= {"threads": threads, "set": mapping_given(set)}
    folder = measured(**given).folder
    notebook = folder / "audit.ipynb"
    try:
        execute_notebook(chapter, notebook, given, cwd=paths.NOTEBOOKS, progress_bar=False)
    except PapermillExecutionError as error:
        said = error.evalue if error.ename == "HeedError" else f"{error.ename}: {error.evalue}"
        raise HeedError(f"the page couldn't be made ({why(said)}).") from error
    book = nbformat.read(notebook, 4)
    book.cells = [cell for cell in book.cells if OF_THE_BOOK not in cell.metadata.get("tags", [])]
    nbformat.write(book, notebook)
    return page(notebook, folder / "audit.html", code=False)


def _absolute(name: str) -> str:
    """A path from anywhere; a name that is none, such as a hub's, as it is."""
    path = Path(name).expanduser()
    return str(path.resolve()) if name and path.exists() else name


# Numbers


def mean(values: pd.Series) -> str:
    """A mean with its 95 % interval over texts; `undefined` where no text has a value."""
    values = values.dropna().to_numpy(dtype=float)
    if len(values) == 0:
        return "undefined"
    if len(values) == 1:
        return f"{values[0]:z.2f} (one text)"
    low, high = stats.interval(values, RESAMPLES, 0)
    return f"{values.mean():z.2f} ({low:z.2f} to {high:z.2f})"


def share(flags: pd.Series) -> str:
    """`23 of 60 texts (38 %)`; of one text `1 of 1 text`."""
    n, of = int(flags.sum()), counted(len(flags))
    return f"{n} of {of}" if len(flags) < 10 else f"{n} of {of} ({n / len(flags):.0%})"


# Sentences


def called(a: Audit) -> str:
    """The model's name, a folder's by its last part."""
    name = a.notes["name"]
    if is_example(a):
        return "heed's example"
    return inert(Path(name).name if Path(name).is_absolute() else name)


def is_example(a: Audit) -> bool:
    """Whether this is heed's example, the model that the chapter takes by itself."""
    return Path(a.notes["name"]) == audit.EXAMPLE


def introduced(a: Audit) -> str:
    """The model in the answer, which comes before anything else is said of it."""
    return f"{called(a)} (a small transformer)" if is_example(a) else called(a)


def _of_planted(a: Audit) -> bool:
    """Whether it is heed's example on the texts of `planted` that come with it."""
    return is_example(a) and a.notes.get("file") == "planted.csv"


def read_what(a: Audit) -> list[str]:
    """Which model and which texts, what was cut or left out, and whether the model is right."""
    notes, texts = a.notes, a.texts
    kind = inert(notes["type"])
    if notes["kind"] == "transformer":
        parts = counted(notes["layers"], "layer"), counted(notes["heads"], "head")
        model = f"type {kind}, {parts[0]} with {parts[1]} each"
    else:
        model = f"a model of heed's own, type {kind}, with one head"
    classes = [inert(name) for name in a.classes[:10]]
    if len(a.classes) > 10:
        classes.append(f"{len(a.classes) - 10} more")
    found = [f"The model is **{called(a)}** ({model}). Its classes are {listed(classes)}."]
    how_many = counted(len(texts))
    if notes["in_file"] > len(texts) + len(notes["left_out"]):
        how_many += f", drawn by chance from the {notes['in_file']} in the file"
    found.append(
        f"It read {how_many}; the median text has {texts['words'].median():.0f} words, the longest "
        f"{texts['words'].max()}."
    )
    if notes["left_out"]:
        found.append(f"{counted(len(notes['left_out']))} couldn't be read ({inert(notes['left_out'][0])}).")
    if texts["cut"].any():
        found.append(
            f"{share(texts['cut'])} {'is' if texts['cut'].sum() == 1 else 'are'} longer than the "
            f"{notes['longest']} pieces that the model reads; neither the model nor this page knows the rest."
        )
    known = texts["right"].dropna()
    if len(known):
        of = "" if len(known) == len(texts) else ", of those with a label"
        found.append(f"It classifies {share(known == 1)} correctly{of}.")
    decided = texts["predicted"].nunique()
    if decided == 1 and len(texts) > 1:
        found.append(f"It predicts {inert(texts['predicted'].iloc[0])} for every text.")
    return found


def looks_at(a: Audit) -> pd.DataFrame:
    """Where each head's attention lies, and that of all heads together: percent, mean over texts."""
    of = {"words": ["words"], "punctuation": ["punctuation"], "marks": ["first mark", "other marks"]}
    heads = a.heads
    table = pd.DataFrame({name: sum(heads[f"on {kind}"] for kind in kinds) for name, kinds in of.items()})
    table.insert(0, "head", [f"head {h + 1}" for h in heads["head"]])
    if len(table) > 1:
        table.loc[len(table)] = ["all heads", *table[[*of]].mean()]
    for name in of:
        table[name] = [f"{value:.0%}" for value in table[name]]
    return table


def looks_title(a: Audit) -> str:
    """The finding of `looks_at`."""
    return (
        f"{a.texts['on words'].mean():.0%} of the attention is on words (mean over {counted(len(a.texts))})"
    )


def looks(a: Audit) -> str:
    """Which marks there are, and how much attention is on the word with most."""
    peak = f"The word with the most attention has {a.texts['peak'].mean():.2f} on average."
    marks = [inert(mark) for mark in a.notes["marks"]]
    are = "mark here is" if len(marks) == 1 else "marks here are"
    return f"The {are} {listed(marks)}. {peak}" if marks else peak


def _among(a: Audit, replaced: pd.DataFrame | None = None) -> pd.Series:
    """The mean τ of each two measures that ask the model; none of those that weren't asked, or have no τ.

    replaced: `control`'s, for replacing words among them.
    """
    pairs = [("gradient", "loo"), ("gradient", "integrated"), ("loo", "integrated")]
    names = {f"tau {one} {other}": f"{the(IMPORTANCE[one])} and {IMPORTANCE[other]}" for one, other in pairs}
    found = a.texts[[name for name in names if name in a.texts]].mean().dropna().rename(names)
    if replaced is None or replaced.empty:
        return found
    beside = {f"tau {name}": f"{the(label)} and {REPLACING}" for name, label in IMPORTANCE.items()}
    more = replaced[[name for name in beside if name in replaced]].mean().dropna().rename(beside)
    return pd.concat([found, more])


def spread(values: pd.Series) -> str:
    """Several numbers as a range, one as itself."""
    low, high = f"{values.min():z.2f}", f"{values.max():z.2f}"
    return low if low == high else f"{low} to {high}"


def agrees(a: Audit) -> list[str]:
    """How far the measures that ask the model agree, and other readings of attention: short sentences."""
    found, texts = [], a.texts
    values = texts["tau attention loo"].dropna()
    if values.empty:
        return [FLAT if _is_flat(a) else NO_ORDER]
    among = _among(a)
    if _agrees_more(a):
        found.append(f"{_beside_gradient(a)}.")
    elif len(among):
        found.append(f"Between two of the other measures τ is {spread(among)}.")
    others = {name: texts[f"tau {name} loo"].mean() for name in a.notes["readings"][1:]}
    others = {name: value for name, value in others.items() if not np.isnan(value)}
    if others:
        best = max(others, key=others.get)
        closer = "brings it closer" if others[best] > values.mean() + 0.05 else "doesn't bring it closer"
        found.append(
            f"Another reading of attention {closer} to leave-one-out: the best, {READINGS[best]}, has "
            f"τ = {others[best]:z.2f}."
        )
    if best_of := _agree_best(a):
        found[-1:] = [" ".join([*found[-1:], best_of])]
    return found


def _is_flat(a: Audit) -> bool:
    """Whether attention is equal on all words of each text, so that it puts none first."""
    several = a.texts.loc[a.texts["words"] > 1, "id"]
    own = a.words[a.words["id"].isin(several)]
    weights = own.assign(attention=significant_digits(own["attention"].to_numpy(dtype=float)))
    return len(own) > 0 and bool((weights.groupby("id")["attention"].nunique() == 1).all())


def the(label: str) -> str:
    """A measure in a sentence: `the gradient`; the others need no article."""
    return f"the {label}" if label == IMPORTANCE["gradient"] else label


def _agree_best(a: Audit) -> str:
    """Which reading of attention and which measure agree best, if they aren't attention and leave-one-out."""
    names = {f"tau {one} {other}": (one, other) for one in a.notes["readings"] for other in IMPORTANCE}
    means = a.texts[[name for name in names if name in a.texts]].mean().dropna()
    if means.empty or names[means.idxmax()] == ("attention", "loo"):
        return ""
    one, other = names[means.idxmax()]
    best = f"{READINGS[one]} and {the(IMPORTANCE[other])} agree best (τ = {means.max():z.2f})"
    return f"Of all readings and measures {best}."


def removals(a: Audit) -> list[str]:
    """Where leave-one-out may say little, each kind with its number of texts: one statement."""
    texts, words = a.texts, a.words
    most = words.groupby("id", sort=False)["loo"].max().reindex(texts["id"]).to_numpy()
    moved, found = most > MOVED, []
    if not moved.all():
        found.append(
            f"In {share(pd.Series(~moved))} taking out no word moves the prediction by over {MOVED:g}."
        )
    if len(swapped := _moved_by_removal(a)):
        found.append(
            f"Of the {counted(len(swapped))} that move by more, {int((swapped <= MOVED).sum())} move by "
            f"{MOVED:g} or less if another word fills the gap (the median of up to {OTHERS} words)."
        )
    counts = moved & (texts["swapped"] > MOVED).to_numpy()  # of heed's own models it isn't asked
    taus = texts.loc[counts, "tau attention loo"].dropna()
    if 0 < len(taus) < len(texts):
        so = ": the gap isn't all of it" if taus.mean() < ALIKE else ""
        found.append(
            f"In the other {counted(len(taus))} the word itself matters; there attention's τ with "
            f"leave-one-out is {mean(taus)}{so}."
        )
    return [" ".join([f"**Where leave-one-out says little.** {found[0]}", *found[1:]])] if found else []


def none_needed(a: Audit, known: dict[str, np.ndarray]) -> list[str]:
    """In how many texts of `planted` the label stays by the corpus's rule, whichever word is taken out.

    known: which words decide, by the text's id; of other texts nothing is said.
    """
    stays = []
    for _, own in a.words[a.words["id"].isin([*known])].groupby("id", sort=False):
        words = own["word"].tolist()
        label, *without = (
            np.flatnonzero(sums == sums.max()).tolist()
            for sums in (planted.sums(left, len(a.classes)) for left in (words, *_one_less(words)))
        )
        stays.append(all(one == label for one in without))
    if not any(stays):
        return []
    return [
        f"By the corpus's rule no single word is needed in {share(pd.Series(stays))}: what decides is there "
        "more than once, and the label stays whichever word is taken away."
    ]


def _one_less(words: list[str]) -> list[list[str]]:
    """The words without the first, without the second, and so on."""
    return [words[:i] + words[i + 1 :] for i in range(len(words))]


def of_example(a: Audit, name: str) -> list[str]:
    """Which word each measure puts first in a text, and whether its removal or its loss is what counts."""
    own, row = a.of_words(name), a.texts[a.texts["id"] == name].iloc[0]
    firsts = {}
    for kind, label in ({"attention": "attention"} | IMPORTANCE).items():
        if kind in own and own[kind].notna().all():
            firsts.setdefault(_first_of(own, kind), []).append(the(label))
    parts = [f"{listed(labels)} {'put' if listed(labels).endswith('s') or len(labels) > 1 else 'puts'} "
             f"{word} first" for word, labels in firsts.items()]  # fmt: skip
    said = [f"In this text {'; '.join(parts)}."]
    top = own.iloc[int(own["loo"].to_numpy().argmax())]
    if top["loo"] <= MOVED:
        said.append(f"Taking out no word moves the prediction by more than {top['loo']:.2f}.")
    elif not np.isnan(row["swapped"]):
        word, means = _called(own, int(own["loo"].to_numpy().argmax())), "the word itself counts"
        if row["swapped"] <= MOVED:
            means = "the gap seems to count, as all later words move up by one place, rather than the word"
        said.append(
            f"Taking out {word} moves the prediction by {top['loo']:.2f}; with another word in its place it "
            f"moves by {row['swapped']:.2f} (median). Here {means}."
        )
    return [*said, *_finds_here(a, name, _deciding(a))]


def found_here(a: Audit, name: str, known: dict[str, np.ndarray]) -> dict[str, float]:
    """AUROC for the deciding words of one text, by measure, best first; empty where nobody knows them.

    known: which words decide, by the text's id.
    """
    row = transformers.truth(a, {name: known.get(name, ())})
    labels = {"attention": READINGS["attention"]} | IMPORTANCE
    found = {label: row[f"auroc {kind}"].iloc[0] for kind, label in labels.items() if f"auroc {kind}" in row}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _finds_here(a: Audit, name: str, known: dict[str, np.ndarray]) -> list[str]:
    """Which measure names the deciding words of a text, where they are known."""
    if not (found := found_here(a, name, known)):
        return []
    each = ", ".join(f"{label} {score:.2f}" for label, score in found.items())
    return [
        "Which measure is right? The share of pairs in which it ranks a deciding word above another (AUROC; "
        f"chance: 0.50): {each}."
    ]


def example_title(a: Audit, name: str, known: dict[str, np.ndarray] | None = None) -> str:
    """What the pictures of one text show: who finds its deciding words, else what each puts first.

    known: which words decide, by the text's id; without it those of heed's example.
    """
    found = found_here(a, name, _deciding(a) if known is None else known)
    if len(found) < 2:
        return "One text, and what each measure says of its words"
    best, worst = [*found][0], [*found][-1]
    if found[best] - found[worst] < CLEARLY:
        return f"In this text all measures find the deciding words alike (AUROC {spread(pd.Series(found))})"
    first = [the(label) for label, score in found.items() if f"{score:.2f}" == f"{found[best]:.2f}"]
    start = f"{listed(first)} find{'' if len(first) > 1 or best == IMPORTANCE['integrated'] else 's'}"
    return (
        f"In this text {start} the deciding words best (AUROC {found[best]:.2f}), {the(worst)} worst "
        f"({found[worst]:.2f})"
    )


def _called(own: pd.DataFrame, place: int) -> str:
    """A word of a text; one that stands there several times with its place."""
    word = f"*{inert(own['word'].iloc[place])}*"
    several = (own["word"] == own["word"].iloc[place]).sum() > 1
    return f"{word} (word {place + 1})" if several else word


def _first_of(own: pd.DataFrame, kind: str) -> str:
    """The word that a measure puts first in a text, or those that share that place, as they are shown."""
    shares = shares_of(own[kind].to_numpy(dtype=float)).round(2)
    best = np.flatnonzero(shares == shares.max())
    if len(best) == 1:
        return _called(own, int(best[0]))
    if len(best) > TIED:
        return f"{len(best)} words alike"
    return f"{listed([_called(own, int(place)) for place in best])} alike"


def any_one_does(a: Audit, name: str, known: dict[str, np.ndarray]) -> list[str]:
    """That several phrases of a text of `planted` speak for one class, so that none is missed.

    known: which words decide, by the text's id.
    """
    words, decides = a.of_words(name)["word"].tolist(), known.get(name, ())
    if len(decides) != len(words):
        return []
    phrases = [
        words[place : place + int(np.argmin([*decides[place:], False]))]
        for place in np.flatnonzero(decides)
        if place == 0 or not decides[place - 1]
    ]
    speak_for = {int(planted.sums(phrase, len(a.classes)).argmax()) for phrase in phrases}
    if len(phrases) < 2 or len(speak_for) > 1:
        return []
    each, label = listed([f"*{tokens(phrase)}*" for phrase in phrases]), inert(a.classes[speak_for.pop()])
    loo, so = a.of_words(name)["loo"].to_numpy()[np.asarray(decides, dtype=bool)], ""
    if 2 * (little := int((loo <= MOVED).sum())) >= len(loo):
        of = f"{little} of" if little < len(loo) else "all"
        so = (
            f". So taking one away needn't change anything: for {of} these {len(loo)} words it moves the "
            f"prediction by {MOVED:g} or less"
        )
    return [
        f"By the corpus's rule {each} {'both' if len(phrases) == 2 else 'all'} speak for {label}, and any "
        f"one of them would do{so}."
    ]


def shuffled(a: Audit) -> list[str]:
    """What becomes of the prediction when attention is shuffled, or made equal: short sentences."""
    texts, found = a.texts, []
    half, quarter = halves(texts)
    even = texts["change uniform"].median()
    shuffles = counted(a.notes["how"]["permutations"], "shuffle")
    said = f"Shuffling (the median of {shuffles}) moves half of the texts by {half:.2f} or less"
    if _is_split(texts):
        said += f", but a quarter by {quarter:.2f} or more: these depend on where attention lies"
    found.append(f"{said}.")
    if a.notes["heads"] > 1:
        found.append(
            "Shuffling a single head moves half of the texts by "
            f"{texts['change alone'].median():.2f} or less."
        )
    found.append(
        f"Equal weights everywhere move half of the texts by {even:.2f} or less and flip the decision in "
        f"{share(texts['flips uniform'])}{_mostly_of(texts)}."
    )
    found.append(
        "If all attention is put on a single word, the decision stays for "
        f"{texts['one word keeps'].mean():.0%} of the words."
    )
    return found


def _mostly_of(texts: pd.DataFrame) -> str:
    """Of which class most decisions are that equal weights flip; empty if none is most."""
    flipped = texts.loc[texts["flips uniform"].astype(bool), "predicted"]
    if len(flipped) < OF_A_CLASS or texts["predicted"].nunique() < 2:
        return ""
    counts = flipped.value_counts()
    if counts.iloc[0] < MOSTLY * len(flipped):
        return ""
    return f", {counts.iloc[0]} of them predicted {inert(counts.index[0])}"


def movers(a: Audit) -> pd.DataFrame:
    """The predicted class of which shuffling moves most, and that of which it moves fewest: moved, texts.

    By the class's name; empty where classes are alike.
    """
    return _by_predicted(a, a.texts["change own"] > MOVED).rename(columns={"some": "moved"})


def _by_predicted(a: Audit, flags: pd.Series) -> pd.DataFrame:
    """The predicted class with the largest share of some texts, and that with the smallest: some, texts.

    By the class's name; empty where classes are alike.
    """
    by_class = flags.groupby(a.texts["predicted"]).agg(some="sum", texts="size")
    by_class = by_class[by_class["texts"] >= OF_A_CLASS]
    shares = by_class["some"] / by_class["texts"]
    if len(shares) < 2 or shares.max() - shares.min() < APART:
        return by_class[:0]
    return by_class.loc[[shares.idxmax(), shares.idxmin()]]


def apart(a: Audit) -> dict[str, int]:
    """The classes of `movers` with their numbers, for a figure of both; empty where classes are alike."""
    return {name: a.classes.index(name) for name in movers(a).index}


def which_move(a: Audit) -> list[str]:
    """Whether shuffling moves the texts of one predicted class; nothing where classes are alike."""
    each = [f"{own.moved} of the {own.texts} predicted {inert(own.Index)}" for own in movers(a).itertuples()]
    return [f"Shuffling moves {each[0]} by more than {MOVED:g}, but only {each[1]}."] if each else []


def halves(texts: pd.DataFrame) -> tuple[float, float]:
    """By how much, at most, a typical shuffle moves half of the texts; by how much, at least, a quarter."""
    return texts["change own"].median(), texts["change own"].quantile(0.75)


def _is_split(texts: pd.DataFrame) -> bool:
    """Whether the texts fall in two kinds: shuffling hardly moves half of them, and a quarter far."""
    half, quarter = halves(texts)
    return half < MOVED and quarter > 4 * MOVED


def freely(a: Audit) -> list[str]:
    """How far attention can move with the very same prediction."""
    if "free dimension" not in a.texts:
        return ["It wasn't asked here (`free` is 0)."]
    own = a.texts.dropna(subset=["free dimension"])
    is_free = own["free dimension"] > 0
    first = f"the first {counted(len(own))} that were read" if len(own) < len(a.texts) else "all texts"
    found = [
        f"Other attention with exactly the same output of the layer exists in {share(is_free)}{_by_rule(a)}. "
        f"Asked of {first}."
    ]
    far = own.loc[is_free, "free jsd"].dropna()
    if is_free.any() and far.empty:
        found.append("How far it can be wasn't asked here (`corners` is 0).")
    elif len(far) < is_free.sum():
        found.append(f"How far it can be was asked of {counted(len(far))} of them, as that takes long.")
    if len(far):
        found.append(
            f"The most distant one that was found has a JSD of {mean(far)} on average and "
            f"{far.max():.2f} at most; it moves the prediction by {_tiny(own['free change'].max())}."
        )
    if not is_free.all():
        found.append(
            "The others are too short: there no other attention gives that output. Attention that gives the "
            "same prediction by another output may exist; it wasn't searched for."
        )
    far = alternatives(a)
    if len(far):
        may, heads = f"If the prediction may move by {a.notes['how']['epsilon']:g}", a.notes["heads"]
        if _is_exact(a):
            found.append(f"{may}, the most distant attention has a JSD of {far.mean():.2f}; that is exact.")
        elif heads == 1:
            found.append(
                f"{may}, attention can be {far.mean():.2f} away or further, on average, with all its weight "
                "on one or two words."
            )
    found += one_head_alone(a)
    return found


def _by_rule(a: Audit) -> str:
    """From which length on a transformer's texts have other attention by the rule; empty if nobody knows."""
    if a.notes["kind"] != "transformer" or not a.shown:
        return ""
    size = a.shown[0].values.shape[-1] // a.notes["heads"]
    return f" (a head here has *d* = {size} numbers, so by the rule from {size + 2} pieces and marks on)"


def one_head_alone(a: Audit) -> list[str]:
    """How far one of several heads can be while the others stay, the prediction moved by ε at most."""
    far = one_by_one(a)
    if far.empty:
        return []
    return [
        f"If the prediction may move by {a.notes['how']['epsilon']:g}, one head can be {far.mean():.2f} away "
        "or further, on average, while the others stay. All its weight then lies on one or two words, pieces "
        "or marks.",
        *in_steps(a),
    ]


def alternatives(a: Audit) -> pd.Series:
    """How far what is shown can be, the prediction moved by ε at most: JSD, of each text that was asked.

    Of several heads their mean, all being moved. A text of one unit has no other attention and isn't counted.
    """
    return _distances(a, "together jsd" if a.notes["heads"] > 1 else "epsilon jsd")


def one_by_one(a: Audit) -> pd.Series:
    """The same of one head while the others stay, the mean over heads; empty of a model with one head."""
    return _distances(a, "epsilon jsd" if a.notes["heads"] > 1 else "")


def _distances(a: Audit, name: str) -> pd.Series:
    """A column of distances, of texts of two units or more; empty where it wasn't asked."""
    if name not in a.texts:
        return pd.Series(dtype=float)
    return a.texts.loc[a.texts["units"] > 1, name].dropna()


def _is_exact(a: Audit) -> bool:
    """Whether nothing can be further than `alternatives`; else they are what a search has found."""
    return a.notes["kind"] == "heed" and len(a.classes) == 2


def _in_steps(far: pd.Series, heads: int) -> bool:
    """Whether mean distances over heads are those of some heads moved entirely and the others not at all."""
    moved = far * heads / np.log(2)
    return bool(((moved - moved.round()).abs() < 0.2).mean() > 0.8 and moved.round().nunique() > 1)


def steps(a: Audit) -> pd.DataFrame:
    """Groups of texts by how many heads, each by itself, can be moved entirely: heads, texts, jsd (mean), of.

    of: how many heads there are. The most heads first; empty where the texts don't fall in such groups.
    """
    far, heads = one_by_one(a), a.notes["heads"]
    if far.empty or not _in_steps(far, heads):
        return pd.DataFrame(columns=["heads", "texts", "jsd", "of"])
    moved = (far * heads / np.log(2)).round().astype(int).rename("heads")
    groups = far.groupby(moved).agg(["size", "mean"]).sort_index(ascending=False).reset_index()
    return groups.set_axis(["heads", "texts", "jsd"], axis=1).assign(of=heads)


def in_steps(a: Audit) -> list[str]:
    """Why no text is near the average distance, where the texts fall in groups."""
    if not (some := by_heads(a)):
        return []
    return [
        f"Few texts are near that average, as a head moves entirely (0.69) or hardly at all: {some} can "
        f"move entirely, one at a time."
    ]


def by_heads(a: Audit) -> str:
    """`in 33 of 50 texts every head and in 17 texts 3 of the 4 heads`: which can be moved entirely."""
    groups, heads = steps(a), a.notes["heads"]
    parts = []
    for own in groups.itertuples(index=False):
        where = counted(own.texts) if parts else f"{own.texts} of {counted(groups['texts'].sum())}"
        which = "every head" if own.heads == heads else f"{own.heads or 'none'} of the {heads} heads"
        parts.append(f"in {where} {which}")
    return listed(parts) if parts else ""


def _tiny(change: float) -> str:
    return "less than a millionth" if change < 1e-6 else f"at most {change:.1g}"


def erases(a: Audit) -> list[str]:
    """How many words must go, in which order, until the decision flips: short sentences."""
    texts = a.texts
    left = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    if not any(texts[f"erased {name}"].notna().any() for name in ORDERS):
        return ["No order of erasing flips any decision while a word is left."]
    flipped = {name: texts[f"erased {name}"].notna() for name in ORDERS}
    each = [f"{left[name]:.0%} ({label})" for name, label in ORDERS.items()]
    said = [
        f"The rule's mean, where a decision that never flips counts as 100%, is {listed(each)} of the words."
    ]
    more = flipped["slope"].mean()
    if more > flipped["attention"].mean() + LATER and left["slope"] > left["attention"]:
        said.append(
            f"In the order of {ORDERS['slope']} more decisions flip in the end ({more:.0%}, in attention's "
            f"{flipped['attention'].mean():.0%}), but later: so its mean is higher."
        )
    return said


def when_they_flip(a: Audit) -> str:
    """After how many erased words decisions flip, in attention's and a random order; empty if none does."""
    if not _any_flips(a):
        return ""
    said, every = [], counted(len(a.texts), "decision")
    for order, where in (("attention", "in attention's order"), ("random", "in a random one")):
        flips = a.texts[f"erased {order}"].dropna()
        after = f", on average after {flips.mean():.0%} of the words" if len(flips) else ""
        verb = "flips" if len(flips) < 2 else "flip"
        said.append(f"{where} {len(flips) or 'none'} of {every} {verb}{after}")
    counts = "The upright lines are means of all, where one that never flips counts as 100%."
    return f"{said[0][:1].upper()}{said[0][1:]}; {said[1]}. {counts}"


def never_flip(a: Audit) -> list[str]:
    """Of which class decisions stay whatever attention's order erases; nothing where classes are alike."""
    most = _by_predicted(a, a.texts["erased attention"].isna())
    if most.empty:
        return []
    one, other = (f"{own.some} of the {own.texts} predicted {inert(own.Index)}" for own in most.itertuples())
    default, why_so = _mostly_with_equal(a), ""
    if default and default[0] == most.index[0] and 2 * default[1] > len(a.texts):
        why_so = f": {inert(default[0])} is what this model mostly says without such words"
    return [f"In attention's order {one} never flip, but only {other}{why_so}."]


def how_erased(a: Audit) -> str:
    """What counts as a flip, and why the lines of the figure needn't meet."""
    stay = "the last word and the marks keep" if a.notes["marks"] else "the last word keeps"
    return (
        f"When words are erased, {stay} some weight, and a decision has flipped if it changes anywhere on "
        "the way: so the lines of the two orders needn't meet. The random order is drawn once a text."
    )


# The answer


def checks(a: Audit) -> pd.DataFrame:
    """What one would expect of attention that explains: expected, found, rule and holds (yes, no, open).

    Each is read by its 95 % interval over texts, as it is shown: Wilson's of a share of texts (the third),
    else the bootstrap's of a mean (`stats.interval`); of the fifth that of the paired differences. Where the
    interval contains the rule's border the answer is open, as where nothing could be asked. One text, or
    equal values, have no width: they are read by their value. Attention that puts words in no order meets
    neither the second nor the fifth. The second is open, too, where no measure of importance meets it: then
    it may be the judge that is wrong.
    """
    texts, known, rows = a.texts, ranges(a), []

    def add(expected: str, found: str, rule: str, holds: str) -> None:
        rows.append({"it …": expected, "found": found, "rule": rule, "holds": holds})

    def holds(row: int, border: float, digits: int = 2) -> str:
        return beyond(known["low"][row], known["high"][row], border, digits)

    on = f"{known['value'][0]:.0%} does ({known['low'][0]:.0%} to {known['high'][0]:.0%})"
    add("1 lies on words, not on marks", on, "over 50%", holds(0, 0.5))
    taus, several = texts["tau attention loo"].dropna(), texts["words"] > 1
    second = OPEN if _all_fall_short(a, *known.loc[1, ["low", "high"]]) else holds(1, ALIKE)
    is_flat = bool(several.any()) and _is_flat(a)
    none = "no text has two words"
    if several.any():
        none = "in no order: all weights are equal" if is_flat else "leave-one-out has no order"
    add(
        "2 ranks words as leave-one-out does",
        f"τ = {mean(taus)}" if len(taus) else none,
        f"τ ≥ {ALIKE:g}",
        second if len(taus) else _flat_or_open(is_flat),
    )
    add(
        f"3 moves the prediction by over {MOVED:g} if shuffled",
        _share_moved(_moved(a)) + _by_class(a) if several.any() else none,
        "in over half",
        holds(2, 0.5) if several.any() else OPEN,
    )
    far = alternatives(a)
    add(
        "4 has no distant alternative with the same prediction"
        + ("" if _is_exact(a) else ", as far as searched"),
        f"JSD {mean(far)}{'' if _is_exact(a) else ', or more'}" if len(far) else "not asked",
        f"JSD ≤ {NEAR:g}",
        _all_near(a),
    )
    flips = _any_flips(a)
    own, random = (_erased_until(a, name).mean() for name in ("attention", "random"))
    low, high = known["low"][4], known["high"][4]
    each = f"after {own:.0f}% of the words, at random {random:.0f}%"
    fewer = f"{each} ({low:z.0f} to {high:z.0f} points fewer; never counts as 100%)"
    add(
        "5 flips decisions sooner than chance if erased in its order",
        (none if is_flat else fewer) if flips else "nothing flips any",
        "fewer words",
        ("no" if is_flat else holds(4, 0, 0)) if flips else OPEN,
    )
    return pd.DataFrame(rows)


def ranges(a: Audit) -> pd.DataFrame:
    """Each expectation's value, low and high: a mean or share over texts with its 95 % interval; and `told`.

    In order: share of the weight on words, τ, share of texts that shuffling moves, JSD, and how many points
    fewer of the words flip a decision. NaN where nothing could be asked.
    """
    texts = a.texts
    sooner = _erased_until(a, "random") - _erased_until(a, "attention")
    means = {0: texts["on words"], 1: texts["tau attention loo"], 3: alternatives(a), 4: sooner}
    found = {2: share_of(_moved(a).to_numpy()) if len(_moved(a)) else (np.nan,) * 3}
    for row, values in means.items():
        values = values.dropna().to_numpy(dtype=float)
        found[row] = values.mean() if len(values) else np.nan, *stats.interval(values, RESAMPLES, 0)
    table = pd.DataFrame.from_dict(found, "index", columns=["value", "low", "high"]).sort_index()
    own, random = (_erased_until(a, order).mean() for order in ("attention", "random"))
    flips = f"after {own:.0f}%, random {random:.0f}%" if _any_flips(a) else "none flips"
    short = _all_fall_short(a, *table.loc[1, ["low", "high"]])
    tau = "τ = {:z.2f}" + (" (no measure does)" if short else "")
    written = ("{:.0%}", tau, "{:.0%} of texts", "JSD {:.2f}", flips)
    told = [form.format(value) for form, value in zip(written, table["value"], strict=True)]
    return table.assign(told=np.where(table["value"].isna(), "", told))


def _moved(a: Audit) -> pd.Series:
    """Of each text of two words or more: whether shuffling moves its prediction."""
    return a.texts.loc[a.texts["words"] > 1, "change own"] > MOVED


def _any_flips(a: Audit) -> bool:
    """Whether erasing flips the decision of any text, in any order."""
    return bool(a.texts[[f"erased {order}" for order in ORDERS]].notna().any(axis=None))


def _erased_until(a: Audit, order: str) -> pd.Series:
    """How many of 100 words are erased until the decision flips; never counts as all."""
    return 100 * a.texts[f"erased {order}"].fillna(1)


def beyond(low: float, high: float, border: float, digits: int = 2) -> str:
    """`yes` if an interval lies above a border, `no` if below, else `open`: in the digits that are shown."""
    low, high = round(low, digits), round(high, digits)
    if low <= border <= high:
        return OPEN
    return "yes" if low > border else "no"


def _all_fall_short(a: Audit, low: float, high: float) -> str:
    """`gradient 0.14, integrated gradients 0.17`: how measures of importance agree with leave-one-out, if
    they and attention fall short of the second expectation; else empty, as where none was asked.

    low, high: the interval of attention's τ; of the others the mean tells.
    """
    if np.isnan(low) or beyond(low, high, ALIKE) != "no":
        return ""
    pairs = {"gradient": "tau gradient loo", "integrated": "tau loo integrated"}
    taus = {name: a.texts[pair].mean() for name, pair in pairs.items() if pair in a.texts}
    taus = {name: tau for name, tau in taus.items() if not np.isnan(tau)}
    if not taus or max(taus.values()) >= ALIKE:
        return ""
    return ", ".join(f"{IMPORTANCE[name]} {tau:z.2f}" for name, tau in taus.items())


def _flat_or_open(is_flat: bool) -> str:
    """What holds where no text has a τ: weights that are all equal can't meet the rule."""
    return "no" if is_flat else OPEN


def consequences(a: Audit) -> pd.DataFrame:
    """`checks`, and beside each what it means for the picture if it isn't met.

    The fourth says of how many texts it is asked, if not of all.
    """
    table = checks(a)
    table.loc[0, "found"] = table.loc[0, "found"].replace(" does (", " of the weight does (")
    far = alternatives(a)
    if 0 < len(far) < len(a.texts):
        is_slow = len(far) < (a.texts["units"] > 1).sum()
        table.loc[3, "found"] += f" ({counted(len(far))}{', as the search is slow' if is_slow else ''})"
    return table.assign(**{"if not, the picture …": IF_NOT})


def expectations_title(a: Audit) -> str:
    """How many expectations are met, as the finding of `figures.expectations`."""
    found = verdict(a)
    return ", ".join([f"{found.met or 'None'} of {RULES} expectations are met", *found.others])


def so_the_picture(a: Audit) -> str:
    """What the expectations that aren't met mean for the picture; empty where none fails."""
    table = consequences(a)
    failed = table[table["holds"] == "no"]
    each = [f"{means} (row {row + 1})" for row, means in failed["if not, the picture …"].items()]
    return f"The picture {listed(each)}." if each else ""


def held(a: Audit, row: int) -> str:
    """What holds of one row of the table, at the end of the section that asks it."""
    says = {"yes": "is met", "no": "isn't met", OPEN: "is open"}
    return f"**Row {row} {says[checks(a)['holds'].iloc[row - 1]]}.**"


def how_searched(a: Audit) -> str:
    """What the fourth rule moves, and by how much the prediction may."""
    what, counts = "attention", ""
    if a.notes["heads"] > 1:
        what, counts = "all heads", "; what counts is how far their mean, the picture, gets"
    far = "as it can" if _is_exact(a) else "as it finds a way"
    may = f"while the prediction moves by at most {a.notes['how']['epsilon']:g}"
    return f"It moves {what} as far {far}, {may}{counts}."


def how_it_moves(a: Audit) -> str:
    """How far the search of the fourth rule gets, and what that means; empty where none was asked."""
    far = alternatives(a)
    if far.empty:
        return ""
    further = "" if _is_exact(a) else ", or further"
    said = f"Over {counted(len(far))} the picture gets {mean(far)} away on average{further}."
    holds = _all_near(a)
    if holds == "no":
        return f"{said} So it could be quite another{_of_one_class(a)}."
    if holds == OPEN and not _is_exact(a):
        return f"{said} Whether it could be quite another isn't known: more distant attention may exist."
    return said


def _of_one_class(a: Audit) -> str:
    """That it is open of texts predicted one class, if it is clear of the other's; else nothing."""
    beyond_it = {}
    for kind, far in far_by_class(a).items():
        low, high = stats.interval(far.to_numpy(dtype=float), RESAMPLES, 0)
        beyond_it[beyond(low, high, NEAR)] = inert(kind)
    if {*beyond_it} != {OPEN, "yes"}:
        return ""
    return f" (if {beyond_it[OPEN]}, that is open)"


def far_by_class(a: Audit) -> dict[str, pd.Series]:
    """`alternatives` by predicted class, or of all texts where there are more than two or only one."""
    far = alternatives(a)
    predicted = a.texts["predicted"].reindex(far.index)
    named = [(name, far[predicted == name]) for name in a.classes]
    if len(named) != 2 or any(own.empty for _, own in named):
        return {"all texts": far} if len(far) else {}
    return {f"predicted {text_for(name, 'figure')}": own for name, own in named}


def _far_title(a: Audit) -> str:
    """How far what is shown can be with the same prediction, and by predicted class if these lie apart."""
    who = "attention" if a.notes["heads"] == 1 else "the picture"
    said = f"With the same prediction {who} can be {alternatives(a).mean():.2f} away (of {np.log(2):.2f})"
    each = {kind: own.mean() for kind, own in far_by_class(a).items()}
    if len(each) == 2 and np.ptp([*each.values()]) > CLEARLY:
        said += f": {', '.join(f'{mean:.2f} if {kind}' for kind, mean in each.items())}"
    return said


def other_picture(a: Audit) -> tuple[Layer, np.ndarray, Sequence[bool]] | tuple[()]:
    """A text that is shown of which all heads were searched, the other attention that was found, and which
    words decide, if that is known; else nothing.

    The first that is beyond the fourth rule's border, if any; of such the first that isn't known to be wrong.
    """
    if not (names := _searched(a)):
        return ()
    texts = a.texts.set_index("id")
    far = [name for name in names if texts["together jsd"][name] > NEAR]
    name = next((name for name in far if texts["right"][name] != 0), (*far, *names)[0])
    return (*transformers.moved_away(a, name), _deciding(a).get(name, ()))


def _searched(a: Audit) -> list[str]:
    """The texts that are shown of which several heads were searched, by their id."""
    if a.notes["heads"] == 1:
        return []
    far = a.texts.set_index("id").get("together jsd", pd.Series(dtype=float)).dropna()
    return [layer.id for layer in a.shown if layer.id in far]


def which_picture(a: Audit, name: str) -> str:
    """Which text `other_picture` is, if not the first."""
    if not _searched(a).index(name):
        return ""
    known = a.texts["right"].notna().any()
    right = " that the model gets right and" if known else ""
    return (
        f"*This is {inert(name)}, of the texts to look at the first{right} whose picture can move beyond row "
        f"4's {NEAR:g}.*"
    )


def _share_moved(moved: pd.Series) -> str:
    """`in 33 of 67 texts (49%; 38% to 61%)`: of one text at least, with Wilson's 95 % interval."""
    part, low, high = share_of(moved.to_numpy())
    return f"in {moved.sum()} of {counted(len(moved))} ({part:.0%}; {low:.0%} to {high:.0%})"


def _by_class(a: Audit) -> str:
    """How many texts of two predicted classes shuffling moves, as they stand in a table; empty if alike."""
    each = [f"{own.moved} of the {own.texts} predicted {own.Index}" for own in movers(a).itertuples()]
    return f": {each[0]}, {each[1]}" if each else ""


def _all_near(a: Audit) -> str:
    """Whether all attention with the same prediction is near; open if none was searched.

    A search shows what is there, not what isn't: where it finds nothing distant, that stays open.
    """
    far = alternatives(a)
    if far.empty:
        return OPEN
    low, high = (round(end, 2) for end in stats.interval(far.to_numpy(), RESAMPLES, 0))  # as it is shown
    if low > NEAR:
        return "no"
    return "yes" if high <= NEAR and _is_exact(a) else OPEN


class Verdict(NamedTuple):
    """The answer in a word or two, and how many expectations are met, aren't met and are open."""

    said: str
    met: int
    failed: int
    left: int

    @property
    def counts(self) -> str:
        """`2 of 5 expectations met, 2 not, 1 open`."""
        return ", ".join([f"{self._of} met", *self.others])

    @property
    def meets(self) -> str:
        """`meets 2 of 5 expectations`."""
        return f"meets {self._of}"

    @property
    def _of(self) -> str:
        return f"{self.met or 'none'} of {counted(self.met + self.failed + self.left, 'expectation')}"

    @property
    def others(self) -> list[str]:
        """`2 not`, `1 open`: as far as there are any."""
        return [f"{n} {what}" for n, what in ((self.failed, "not"), (self.left, "open")) if n]


def verdict(a: Audit) -> Verdict:
    """The answer by `checks`; empty where all but the first are open."""
    return of_checks(checks(a)["holds"])


def of_checks(holds: pd.Series) -> Verdict:
    """The answer by what holds of the expectations, the first of them a minimum that equal weights meet, too.

    All met: yes; none failed, some open: not refuted; all failed but perhaps the first: no; else not by
    itself. Empty where all but the first are open.
    """
    failed, rest = holds == "no", holds[1:]
    said = BESIDE
    if (rest == OPEN).all():
        said = ""
    elif not failed.any():
        said = YES if (holds == "yes").all() else UNREFUTED
    elif (rest == "no").all():
        said = NO
    return Verdict(said, *(int((holds == one).sum()) for one in ("yes", "no", OPEN)))


def answer(a: Audit) -> str:
    """The answer in a sentence or two: which model, which texts, and how many expectations are met."""
    found = verdict(a)
    if not found.said:
        why_not = "few" if (a.texts["words"] > 1).any() else "short"
        return f"**Nothing can be said of the attention of {called(a)}**: the texts are too {why_not}."
    said, so = found.said, ""
    if said == NO and found.met:
        so = ": it lies on words, and no more"
    if said == YES:
        said = "Yes, as a hint at what the model used, as far as this page can tell"
    short = " So few texts give rough numbers." if len(a.texts) < 30 else ""
    others = f" ({', '.join(found.others)})" if found.others else ""
    return f"**{said}: the attention of {introduced(a)} {found.meets}{others}{so}.** {_on_what(a)}{short}"


def _on_what(a: Audit) -> str:
    """`Asked of 60 texts of mine.csv (95% classified correctly).`"""
    file = f" of `{inert(a.notes['file'])}`" if "file" in a.notes else ""
    if _of_planted(a):
        file = " of `planted`"
    known = a.texts["right"].dropna()
    right = f" ({known.mean():.0%} classified correctly)" if len(known) else ""
    return f"Asked of {counted(len(a.texts))}{file}{right}."


def remarks(a: Audit) -> list[str]:
    """What to know of the checks: where a rule is easy or hard, or hangs on which texts were asked."""
    said = _of_the_first(a)
    if doubt := _of_the_second(a):
        said.append(doubt)
    if len(movers(a)):
        said.append(
            "The third hangs on the mix of classes, as its row shows: texts of another mix may get another "
            "answer from the same model."
        )
    return [*said, *_of_the_fourth(a)]


def _of_the_second(a: Audit) -> str:
    """That attention is below the border where every measure is, if so."""
    if not (others := _all_fall_short(a, *ranges(a).loc[1, ["low", "high"]])):
        return ""
    return (
        f"The second is open where no measure meets it, as here ({others}): it may be leave-one-out that is "
        "wrong."
    )


def _of_the_first(a: Audit) -> list[str]:
    """That attention which says nothing meets the first rule, too: equal weights, if most units are words.

    A word has one piece at least, so that more of the units may be of words than are counted here.
    """
    words = a.words.loc[~a.words["word"].map(is_punctuation)].groupby("id").size()
    least = (words.reindex(a.texts["id"], fill_value=0).to_numpy() / a.texts["units"]).mean()
    if least <= 0.5:
        return []
    return [
        f"The first is a minimum: equal weights, which say nothing, would put {least:.0%} or more on words "
        "(mean over texts). They would fail the second, third and fifth: they put words in no order, and "
        "shuffling them moves nothing."
    ]


def _of_the_fourth(a: Audit) -> list[str]:
    """What the fourth expectation is of, and why it can be open where a search has found nothing distant."""
    far = alternatives(a)
    if far.empty:
        return []
    moves = "attention" if a.notes["heads"] == 1 else "all heads"
    of = f", in {counted(len(far))}," if len(far) < len(a.texts) else ""
    how = "as far as it can" if _is_exact(a) else "as far as a search finds"
    said = [
        f"The fourth moves {moves}{of} {how} while the prediction moves by {a.notes['how']['epsilon']:g} at "
        "most."
    ]
    if a.notes["heads"] > 1:
        said.append("The distance is that of their mean, which is what is shown.")
    if not _is_exact(a):
        said.append("A search can miss what is distant: where it finds nothing distant, the row stays open.")
    return [" ".join(said)]


def in_short(a: Audit) -> list[str]:
    """The answer, which of the expectations are met, aren't or are open, and what to do."""
    found, said = checks(a)["holds"], [answer(a)]
    if not verdict(a).said:
        return [*said, *advice(a)]
    for holds, label in (("yes", "Met"), ("no", "Not met"), (OPEN, "Open")):
        if reasons := [_reason(a, i, holds) for i in found.index[found == holds]]:
            said.append(f"**{label}:** {'; '.join(reasons)}.")
    said[0] += f" Show {_measures(a)} {'instead' if verdict(a).said == NO else 'beside it'}."
    return [*said, *_finds_shortly(a)]


def judged(a: Audit, replaced: pd.DataFrame) -> str:
    """Whether any two orders of words agree, what holds of the second row, and how good its judge is.

    replaced: `control`'s.
    """
    said = [*_agree_at_all(a, replaced), held(a, 2)]
    judge = "leave-one-out, as in Jain & Wallace (2019)"
    if _of_the_second(a):
        said.append(f"No gradient meets it, either, so the judge itself may be wrong: {judge}.")
    else:
        said.append(f"Its judge, {judge}, isn't the truth.")
    means = {label: own.mean() for label, own in _scores(a).items()}
    if how := _removal_finds(means):
        than = {LEAST: "It is the worst of all measures here"}.get(how, "It is worse than attention")
        said.append(f"{than} at finding the words that decide (AUROC {means[IMPORTANCE['loo']]:.2f}).")
    said += _a_gap(a)
    if len(replaced):
        removal, by = means[IMPORTANCE["loo"]], replaced["auroc"].mean()
        how = "better" if by > removal + CLEARLY else "no better" if by <= removal else "a little better"
        said.append(f"Replacing words finds the deciding words {how}; {_held_to_replacing(replaced['tau'])}.")
    return " ".join(said)


def _agree_at_all(a: Audit, replaced: pd.DataFrame) -> list[str]:
    """Whether attention may stand in for a measure, or measures for one another; nothing of fewer than two
    pairs. replaced: `control`'s."""
    pairs = {f"{one} {other}" for one, other in combinations(["attention", *IMPORTANCE], 2)}
    taus = a.texts[[f"tau {pair}" for pair in pairs if f"tau {pair}" in a.texts]].mean().dropna()
    if len(replaced):
        taus["attention replaced"] = replaced["tau"].mean()
    if len(taus) < 2:
        return []
    if max(taus.max(), *_among(a, replaced)) >= ALIKE:
        return [f"On average some of these orders reach τ = {ALIKE:g}."]
    return [
        f"On average no two of these orders reach τ = {ALIKE:g}. So by τ none stands in for another; but τ "
        "also counts the order of words that hardly matter."
    ]


def _removal_finds(means: dict[str, float]) -> str:
    """How removal stands beside attention by its AUROC if clearly below; means: of each measure."""
    removal = means.get(IMPORTANCE["loo"], np.nan)
    if not removal < means.get("attention", np.nan) - CLEARLY:
        return ""
    return LEAST if removal == min(means.values()) else "less well"


LEAST = "least well"


def _a_gap(a: Audit) -> list[str]:
    """Of how many texts that a removal moves its gap may be what counts; nothing of none, or if not asked."""
    swapped = _moved_by_removal(a)
    stay = int((swapped <= MOVED).sum())
    if not stay:
        return []
    return [
        "One reason may be its gap, which moves all later words up by one place: of the "
        f"{counted(len(swapped))} that a removal moves by more than {MOVED:g}, {stay} hardly "
        f"{'moves' if stay == 1 else 'move'} if other words fill the gap."
    ]


def _moved_by_removal(a: Audit) -> pd.Series:
    """How far other words in place of the one whose removal moves most move the prediction: of the texts that
    the removal moves, if it was asked."""
    most = a.words.groupby("id", sort=False)["loo"].max().reindex(a.texts["id"]).to_numpy()
    return a.texts.loc[most > MOVED, "swapped"].dropna()


def made_equal(a: Audit) -> str:
    """In how many texts the prediction moves with equal weights, and which class the model leaves then."""
    texts = a.texts
    moved, flips = texts["change uniform"] > MOVED, texts["flips uniform"].astype(bool)
    some = f"{moved.sum() or 'none'} of {counted(len(texts), 'prediction')}"
    said = f"Equal weights move {some} by more than {MOVED:g}"
    if not flips.any():
        return f"{said}."
    left = _mostly_of(texts)
    said += f" and flip {counted(int(flips.sum()), 'decision')}{left}."
    return f"{said}{_with_equal(a) if left else ''}"


def where_it_picks(a: Audit) -> str:
    """How many decisions equal weights flip, and for which class attention has to pick words."""
    flips = a.texts["flips uniform"].astype(bool)
    some = f"{flips.sum() or 'none'} of {counted(len(flips), 'decision')}"
    left = _mostly_of(a.texts)
    return f"Made equal, the weights flip {some}{left}.{_with_equal(a) if left else ''}"


def _with_equal(a: Audit) -> str:
    """Which of two classes the model then gives to most texts, and what attention is needed for."""
    if not (most := _mostly_with_equal(a)):
        return ""
    other = next(label for label in a.classes if label != most[0])
    return (
        f" So where no word stands out, this model mostly says {inert(most[0])} ({most[1]} of "
        f"{counted(len(a.texts))}). It is mostly for {inert(other)} that its attention has to "
        "pick words."
    )


def _mostly_with_equal(a: Audit) -> tuple[str, int] | tuple[()]:
    """Which of two classes the model gives to most texts with equal weights, and to how many."""
    if len(a.classes) != 2:
        return ()
    is_second = (a.texts["predicted"] == a.classes[1]) ^ a.texts["flips uniform"].astype(bool)
    counts = [int((~is_second).sum()), int(is_second.sum())]
    most = int(np.argmax(counts))
    return a.classes[most], counts[most]


def _held_to_replacing(taus: pd.Series) -> str:
    """Whether the second rule is met if words are replaced, not taken out."""
    says = {"no": "held to that, attention falls short, too", "yes": "held to that, attention meets the rule"}
    holds = beyond(*stats.interval(taus.to_numpy(), RESAMPLES, 0), ALIKE)
    return f"{says.get(holds, 'held to that, the rule is open')}: τ = {mean(taus)}"


def _reason(a: Audit, check: int, holds: str) -> str:
    """One of `checks` in a few words; the picture below has the numbers and what is wanted."""
    if check == 0:
        says = {"yes": "it lies on words", "no": "it lies mostly on marks and punctuation"}
        return says.get(holds, "whether it lies mostly on words")
    if check == 1:
        if holds == OPEN and _of_the_second(a):
            return (
                "whether its order of words is right (removal orders them otherwise, but no gradient agrees "
                "with removal, either)"
            )
        ranks = {"yes": "it ranks", "no": "it doesn't rank"}.get(holds, "whether it ranks")
        return f"{ranks} words by how far their removal moves the prediction"
    if check == 2:
        moved = _moved(a)
        if moved.empty:
            return "whether shuffling it moves predictions"
        if holds == OPEN:
            some = f"{moved.sum() or 'none'} of {len(moved)}"
            return f"whether shuffling it moves most predictions (here {some} by more than {MOVED:g})"
        each = f"{moved.sum() or 'none'} of {counted(len(moved), 'prediction')}"
        return f"shuffling it moves {each} by more than {MOVED:g}"
    if check == 3:
        same = f"the same prediction (± {a.notes['how']['epsilon']:g})"
        says = {
            "yes": f"only attention near by would give {same}",
            "no": f"quite another attention would give {same}",
        }
        return says.get(holds, f"whether quite another attention would give {same}")
    says = {"yes": "decisions flip sooner", "no": "decisions don't flip sooner"}
    flip = says.get(holds, "whether decisions flip sooner")
    return f"{flip} if the heaviest words lose their weight first than in a random order"


def _deciding(a: Audit) -> dict[str, np.ndarray]:
    """Which words decide, by the text's id, of heed's example on texts of `planted`; empty of all else."""
    if not _of_planted(a):
        return {}
    own = load(resolve({"corpus": "planted"})).splits["test"]
    return dict(zip(own.ids, own.truth, strict=True))


def _finds(a: Audit) -> pd.DataFrame:
    """`transformers.truth` where the deciding words are known; empty of all else."""
    known = transformers.truth(a, _deciding(a))
    return known if {"auroc attention", "auroc loo"} <= {*known} else pd.DataFrame()


def control(a: Audit) -> pd.DataFrame:
    """`transformers.replaced` of heed's example on texts of `planted`; empty of all else."""
    known = {} if _finds(a).empty else _deciding(a)
    return transformers.replaced(pretrained(audit.EXAMPLE), a, known) if known else pd.DataFrame()


def of_control(control: pd.DataFrame, removal: float) -> list[str]:
    """What leave-one-out's control finds: `transformers.replaced`. removal: leave-one-out's own AUROC."""
    if control.empty:
        return []
    by, tau = control["auroc"].mean(), control["tau"]
    fails = beyond(*stats.interval(tau.to_numpy(), RESAMPLES, 0), ALIKE) == "no"
    said = (
        f"With each word replaced by others, not taken out, the AUROC is {mean(control['auroc'])}, and "
        f"attention's τ with that is {mean(tau)}{f', still below {ALIKE:g}' if fails else ''}."
    )
    if by > removal + CLEARLY:
        return [
            said,
            "So a part of leave-one-out's faults is probably the gap, which moves all later words up. "
            "(Replacing is also less noisy: a median over several words.)",
        ]
    return [said]


def how_each_finds(a: Audit, replaced: pd.DataFrame) -> pd.DataFrame:
    """How well attention and each measure find the deciding words, best first: AUROC; empty of other texts.

    replaced: `control`'s.
    """
    scores = _scores(a, replaced)
    return pd.DataFrame([{"measure": name, "AUROC": mean(own)} for name, own in scores.items()])


def _scores(a: Audit, replaced: pd.DataFrame | None = None) -> dict[str, pd.Series]:
    """AUROC of each text for the deciding words, by measure, the best mean first; empty of other texts."""
    known = _finds(a)
    if known.empty:
        return {}
    names = {f"auroc {name}": label for name, label in IMPORTANCE.items()} | {"auroc attention": "attention"}
    found = {label: known[name].dropna() for name, label in names.items() if name in known}
    if replaced is not None and len(replaced):
        found[REPLACING] = replaced["auroc"].dropna()
    found = {label: own for label, own in found.items() if len(own)}
    return dict(sorted(found.items(), key=lambda one: -one[1].mean()))


def finds_title(a: Audit, replaced: pd.DataFrame) -> str:
    """The finding of `how_each_finds`."""
    means = {label: own.mean() for label, own in _scores(a, replaced).items()}
    return f"Over {counted(len(_finds(a)))} attention finds the deciding words {_how_well(means)}"


def _how_well(means: dict[str, float]) -> str:
    """How attention stands among the measures by its AUROC; means: of each, the best first."""
    own, others = means["attention"], {name: one for name, one in means.items() if name != "attention"}
    best, worst = max(others.values()), min(others.values())
    if own > best + EQUAL:
        return "better than any measure shown"
    if own >= best - EQUAL:
        return "about as well as any measure shown"
    return "worse than any measure shown" if own < worst - EQUAL else "less well than the best measure shown"


def _finds_shortly(a: Audit) -> list[str]:
    """How well attention finds the deciding words, where they are known, in a line."""
    means = {label: own.mean() for label, own in _scores(a).items()}
    if not means:
        return []
    label = "For it" if means["attention"] >= max(means.values()) - EQUAL else "Beside these"
    return [
        f"**{label}:** it finds the words that decide the label {_how_well(means)} (one of them outweighs "
        f"another word in {means['attention']:.0%} of pairs)."
    ]


def underlined(a: Audit) -> str:
    """Which words are underlined, by which rule they decide, and how measures are scored; else empty."""
    if not _of_planted(a):
        return ""
    return (
        "Underlined are the *deciding words*, which make the label by the rule of `planted`: opinion words, "
        f"and words like *{planted.INTENSIFIERS[0]}* and *{planted.NEGATORS[0]}* before them. *AUROC* is the "
        "share of pairs in which a deciding word ranks above another word (chance: 0.5)."
    )


def of_replacing(replaced: pd.DataFrame) -> str:
    """What replacing a word is, where it was asked; replaced: `control`'s."""
    if replaced.empty:
        return ""
    return (
        f"*{REPLACING.capitalize()}* is leave-one-out without its gap: up to {OTHERS} other words of the "
        "text stand in a word's place, one at a time, and the median move counts."
    )


def of_the_label(a: Audit) -> str:
    """That the deciding words are the label's, and how far the model goes by them; empty of other texts."""
    if not _scores(a):
        return ""
    right = a.texts["right"].mean()
    return (
        "These words decide the *label*. Which words the model goes by nobody knows, but it gives "
        f"{right:.0%} of the texts their label."
    )


def of_text(a: Audit, name: str) -> list[str]:
    """What the model decides of a text that is shown, and whether its words can make up for one another."""
    return [decided(a, name), *any_one_does(a, name, _deciding(a))]


def decided(a: Audit, name: str) -> str:
    """What the model decides of a text that is shown, and whether that is its label."""
    row = a.texts[a.texts["id"] == name].iloc[0]
    label, said = row["label"], f"The model answers **{inert(row['predicted'])}** ({row['probability']:.2f})"
    if not isinstance(label, str):
        return f"{said}."
    wrong = f", which is wrong: the label is {inert(label)}"
    return f"{said}{', which is right' if label == row['predicted'] else wrong}."


def _asked(a: Audit) -> list[str]:
    """The measures to show beside attention, as far as they were asked: they leave the text as it is."""
    pairs = {name: f"tau attention {name}" for name in ("gradient", "integrated")}
    return [name for name, tau in pairs.items() if tau in a.texts and a.texts[tau].notna().any()]


def _measures(a: Audit) -> str:
    """Those of `_asked` in a sentence."""
    names = [the(IMPORTANCE[name]) for name in _asked(a)]
    return listed(names) if names else "several measures"


def advice(a: Audit, replaced: pd.DataFrame | None = None) -> list[str]:
    """What to do with the picture, and why: how far the measures that ask the model agree.

    replaced: `control`'s.
    """
    said = verdict(a).said
    if not said:
        return ["Ask again with longer texts." if not (a.texts["words"] > 1).any() else "Ask of more texts."]
    shown = f"If it is shown, show {_measures(a)} beside it"
    if said == NO:
        shown = f"Show {_measures(a)} instead"
    among, why = _among(a, replaced), _why_these(a)
    if among.empty:
        why.append("No measure is known to be right.")
    elif among.max() < ALIKE:
        why.append(
            f"The other measures don't agree with one another (τ = {spread(among)}), so where they differ, "
            "none can be trusted alone."
        )
    else:
        why.append(f"Of the other measures {among.idxmax()} agree best (τ = {among.max():z.2f}).")
    return [f"{shown}, say where they differ, {TEST}.", " ".join(why)]


def _why_these(a: Audit) -> list[str]:
    """Why these measures: not as they find more, where it's known that they don't; nothing if none was
    asked."""
    if not (names := _asked(a)):
        return []
    asks, finds = ("It asks", "it finds") if len(names) == 1 else ("They ask", "they find")
    said = f"{asks} the whole model with every word in its place"
    known = _scores(a)
    if not known:
        return [f"{said}, though nobody knows which measure names the words that decide."]
    labels = [IMPORTANCE[name] for name in names if IMPORTANCE[name] in known]
    if labels and max(known[label].mean() for label in labels) <= known["attention"].mean():
        said += f", though {finds} the deciding words no better than attention does"
    return [f"{said}."]


def picture(a: Audit, replaced: pd.DataFrame | None = None) -> list[str]:
    """Paragraphs: the answer and what to do if the picture is shown; why; and what to write below it.

    replaced: `control`'s.
    """
    layer = "the last layer" if a.notes["kind"] == "transformer" else "the attention layer"
    which = f"{layer}, mean over {a.notes['heads']} heads" if a.notes["heads"] > 1 else layer
    do, why = advice(a, replaced) if verdict(a).said else (*advice(a), "")
    found, so = verdict(a), [do]
    if found.said:
        counts = ", ".join([found.meets, *found.others])
        so = [f"**{found.said}** ({counts}).", *filter(None, [so_the_picture(a)]), do]
    told = f"Write below the picture which attention it shows: that of {which}."
    return [*filter(None, [" ".join(so), why, told])]


# Models whose answer is known


def scale(a: Audit) -> dict[str, Audit]:
    """`audit.for_scale` beside heed's example on texts of `planted`; empty of all else."""
    return audit.for_scale(a.folder / "for-scale") | {"": a} if _of_planted(a) else {}


def scale_table(each: dict[str, Audit]) -> pd.DataFrame:
    """Which expectations each model of `scale` meets, and the answer: a row a model, the most met first."""
    rows = []
    for name, own in each.items():
        found = verdict(own)
        called = SCALED.get(name, "this page's transformer, on `planted`").replace("`", "")
        answer = f"{found.said or '–'} ({', '.join([f'{found.met} of {RULES} met', *found.others])})"
        row = {"model": f"{called} (1 seed)", "answer": answer}
        rows.append((found.met, row | dict(zip(EXPECTED, checks(own)["holds"], strict=True))))
    return pd.DataFrame([row for _, row in sorted(rows, key=lambda one: -one[0])])


def scale_says(each: dict[str, Audit], models: pd.DataFrame, seeds: str = "") -> str:
    """Whether the rules give a yes and a no to two models that must get them; empty without `scale`'s.

    models: a table of these and more with their answers, `transformers.other_models`; seeds: what more seeds
    of the first leave open, `mended.of_more_seeds`.
    """
    if not each:
        return ""

    def does(name: str, answer: str) -> str:
        return "does" if verdict(each[name]).said == answer else "does not"

    said = [
        "**Can these rules tell?** A model that reads each word alone, in texts that hold the one word that "
        f"decides, must get a *yes*, and {does(audit.ONE_WORD, YES)}{seeds}. One with equal weights on all "
        f"words must get a *no*, and {does(audit.EQUAL, NO)}."
    ]
    between = int(models["answer"].str.startswith(f"{BESIDE} (").sum()) if len(models) else 0
    if between:
        said.append(
            f"Of the {len(models)} models in [this table](#appendix-the-five-rules) {between} "
            f"get{'s' if between == 1 else ''} *not by itself*."
        )
    return " ".join(said)


def alike(one: Audit, other: Audit) -> str:
    """In how many rows two models get the same yes or no; one that is open in either isn't among them."""
    here, there = (checks(own)["holds"] for own in (one, other))
    left = (here == OPEN) | (there == OPEN)
    same, of = int((~left & (here == there)).sum()), len(here)
    where = f"all {of} rows" if same == of else f"{same or 'none'} of {of} rows"
    is_open = f" ({left.sum()} {'is' if left.sum() == 1 else 'are'} open)" if left.any() else ""
    return f"the same yes or no in {where}{is_open}"


def spent(a: Audit) -> str:
    """How long it took, and where."""
    seconds = dict(a.notes["seconds"])
    whole = seconds.pop("all")
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:4]
    parts = [f"{PARTS.get(name, name)} {second:.0f}" for name, second in longest if second >= 1]
    said = f"It took {whole:.0f} seconds on {counted(a.notes['threads'], 'thread')}"
    at_once = "; what several did at once is added up" if a.notes["threads"] > 1 else ""
    said += f" ({listed(parts)}{at_once})." if parts else "."
    if a.notes["float32_tau"] is not None:
        said += (
            " Gradients and leave-one-out are of the model in float32; held against float64 on "
            f"{min(audit.CHECKED, len(a.texts))} texts the orders agree with a τ of "
            f"{a.notes['float32_tau']:.3f} or more."
        )
    return said


# Texts, word by word


def _sum_of(kind: str, values: np.ndarray) -> str:
    """Of leave-one-out its sum, as its shares mean little where that is small."""
    return f" (sum {values.sum():.2f})" if kind == "loo" else ""


def shares_of(values: np.ndarray) -> np.ndarray:
    """Values as shares of their sum; as they are if that is 0."""
    return values / values.sum() if values.sum() > 0 else values


def strongest(layer: Layer, seed: int = 0) -> int:
    """The head whose shuffling alone moves the prediction most."""
    return int(np.median(permuted(layer, SHUFFLES, seed)["alone"], axis=1).argmax())


def strips(a: Audit) -> str:
    """The texts that are shown as one piece of HTML: a line each, which opens; one is open."""
    pieces, live, opened, known = [], [], _opened(a), _deciding(a)
    for k, layer in enumerate(a.shown):
        row, head = a.texts[a.texts["id"] == layer.id].iloc[0], strongest(layer)
        live.append(TokenStrip(layer.rows[head], classes=a.classes))
        label = row["label"]
        wrong = (
            f" (wrong: its label is {text_for(label, 'html')})"
            if isinstance(label, str) and label != row["predicted"]
            else ""
        )
        words = a.of_words(layer.id)["word"].tolist()
        begins = " ".join(map(visible, words[:BEGINS])) + (" …" if len(words) > BEGINS else "")
        said = (
            f"<bdi>{text_for(layer.id, 'html')}</bdi>, <bdi>{text_for(begins, 'html')}</bdi>: "
            f"<b>{text_for(row['predicted'], 'html')} {row['probability']:.2f}</b>{wrong}. Shuffling "
            f"attention moves it by {row['change own']:.2f}."
        )
        which = ""
        if len(layer.rows) > 1:
            which = (
                f"<p><b>Below: head {head + 1} alone.</b> Above: the mean over {len(layer.rows)} heads.</p>"
            )
        body = heat(a, layer.id, decides=known.get(layer.id, ())) + which + live[-1].still()
        is_open = " open" if k == opened else ""
        pieces.append(f'<details{is_open} style="margin-top:0.6em"><summary>{said}</summary>{body}</details>')
    return "\n".join([*pieces, live[0].alive(*live[1:])] if live else pieces)


def _opened(a: Audit) -> int:
    """The text that is open: of those that shuffling moves the one whose head in hand spreads most.

    One with more than one bar to move comes first, even if the model gets it wrong.
    """
    texts = a.texts.set_index("id")
    peaks = [float(layer.rows[strongest(layer)].attention.max()) for layer in a.shown]
    moves = [texts["change own"][layer.id] > MOVED for layer in a.shown]
    wrong = [bool(texts["right"][layer.id] == 0) for layer in a.shown]
    return min(
        range(len(peaks)), key=lambda k: (not moves[k], peaks[k] > STUCK, wrong[k], peaks[k]), default=0
    )


def heat(a: Audit, name: str, kinds: tuple[str, ...] = SHOWN, decides=()) -> str:
    """A text once for each of what was measured of its words, on tints: shares of its sum over the text.

    decides: of each word whether it decides, if that is known; such words are underlined.
    """
    own = a.of_words(name)
    words, rows = own["word"].tolist(), {}
    for kind in kinds:
        values = own[kind].to_numpy(dtype=float) if kind in own else np.array([np.nan])
        if not np.isnan(values).any():
            rows[(READINGS | IMPORTANCE)[kind] + _sum_of(kind, values)] = shares_of(values)
    return tinted(words, rows, decides if len(decides) == len(words) else [False] * len(words))


def tinted(words: list[str], rows: dict[str, np.ndarray], under: Sequence[bool]) -> str:
    """A text once for each row of shares, by the row's label, on tints. under: which words are underlined."""
    side = "rtl" if heatmap.right_to_left(" ".join(words)) else "ltr"
    look, lines = "padding:0.3em 0.6em;vertical-align:top;text-align:start", []
    for label, shares in rows.items():
        text = " ".join(map(_tinted, words, shares, under))
        named = f'<th style="{look};min-width:8em">{label}</th>'
        lines.append(f'<tr>{named}<td style="{look};line-height:1.9">{text}</td></tr>')
    return f'<table dir="{side}" style="margin:0 0 0.6em"><tbody>{"".join(lines)}</tbody></table>'


def one_text(a: Audit, name: str) -> str:
    """A text once for attention and each measure that asks the model: HTML."""
    return heat(a, name, decides=_deciding(a).get(name, ()))


def _tinted(word: str, share: float, decides: bool) -> str:
    """A word on its tint, with its number from `TOLD` on; of nothing the tint is the page's own."""
    number = f'<sub style="margin-left:2px">{share:.2f}</sub>' if share >= TOLD else ""
    tint = " ".join(map(str, colours.rgb(colours.ATTENTION)))
    opaque = colours.OPAQUE * float(np.clip(share, 0, 1)) ** 0.5
    under = ' style="text-decoration:underline 2px"' if decides else ""
    look = f"background:rgb({tint}/{opaque:.2f});padding:2px 3px"
    shown = f"<bdi{under}>{text_for(word, 'html')}</bdi>{number}"
    return f'<span style="{look}" title="{share:.4f}">{shown}</span>'


# Titles of figures: what each finds


def titles(a: Audit, replaced: pd.DataFrame | None = None) -> dict[str, str]:
    """The finding of each figure, by the figure's name. replaced: `control`'s."""
    texts, found = a.texts, {}
    found["agreement"] = _agrees_more(a, replaced) or _beside_gradient(a)
    moved = (texts["change own"] > MOVED).mean()
    what = "attention" if a.notes["heads"] == 1 else "all heads"
    found["moves"] = f"Shuffling {what} moves {moved:.0%} of the texts by more than {MOVED:g}"
    if len(most := movers(a)):
        one, other = (
            f"{own.moved / own.texts:.0%} of the {text_for(own.Index, 'figure')}" for own in most.itertuples()
        )
        found["moves"] = (
            f"Shuffling {what} moves {moved:.0%} of the predictions by more than {MOVED:g}: {one}, {other}"
        )
    elif _is_split(texts):
        half, quarter = halves(texts)
        found["moves"] = (
            f"Shuffling {what} moves half of the texts by {half:.2f} or less, a quarter by {quarter:.2f} or "
            "more"
        )
    found["erased"] = _erased_title(texts)
    if len(alternatives(a)):
        found["far"] = _far_title(a)
    return found


def erased_until(texts: pd.DataFrame) -> str:
    """How many decisions never flip, in attention's and a random order, and what the others need."""
    if texts[["erased attention", "erased random"]].isna().all(axis=None):
        return "Erasing words flips no decision"
    own, random = (texts[f"erased {name}"] for name in ("attention", "random"))
    first = f"In attention's order {_never_or_after(own)}"
    if {own.isna().mean(), random.isna().mean()} & {0, 1}:
        return f"{first}; in a random one {_never_or_after(random)}"
    return f"{first}; in a random one {random.isna().mean():.0%}, the others after {random.mean():.0%}"


def _erased_title(texts: pd.DataFrame) -> str:
    """How many decisions have flipped early, in attention's and a random order."""
    own, random = (texts[f"erased {name}"] for name in ("attention", "random"))
    if own.isna().all() or random.isna().all():
        return erased_until(texts)
    return (
        f"With {EARLY:.0%} of the words erased, {(own <= EARLY).mean():.0%} of the decisions have flipped "
        f"in attention's order, {(random <= EARLY).mean():.0%} in a random one"
    )


def _never_or_after(erased: pd.Series) -> str:
    """`40% of decisions never flip, the others after 8% of the words (mean)`: of one order."""
    never, after = erased.isna().mean(), f"after {erased.mean():.0%} of the words (mean)"
    if never in (0, 1):
        return f"all decisions flip, {after}" if never == 0 else "no decision flips"
    return f"{never:.0%} of decisions never flip, the others {after}"


def _agrees_more(a: Audit, replaced: pd.DataFrame | None = None) -> str:
    """That attention agrees with some measure more than any two measures do, if so; else empty.

    replaced: `control`'s.
    """
    among = _among(a)
    names = {IMPORTANCE[name]: f"tau attention {name}" for name in IMPORTANCE}
    own = {label: a.texts[name].mean() for label, name in names.items() if name in a.texts}
    if replaced is not None and len(replaced):
        own[REPLACING] = replaced["tau"].mean()
    own = {label: tau for label, tau in own.items() if not np.isnan(tau)}
    if len(among) < 2 or not own or max(own.values()) < among.max() + EQUAL:
        return ""
    ranked = sorted(own, key=own.get, reverse=True)
    best, worst = [label for label in ranked if own[label] >= own[ranked[0]] - EQUAL], ranked[-1]
    least = f", least with {the(worst)} ({signed(own[worst])})" if worst not in best else ""
    taus = listed([signed(own[label]) for label in best])
    return f"Attention agrees best with {listed([the(label) for label in best])} (τ = {taus}){least}"


def _beside_gradient(a: Audit) -> str:
    """Whether attention agrees with leave-one-out better than the gradient does."""
    own, gradient = (a.texts[f"tau {name} loo"].mean() for name in ("attention", "gradient"))
    if np.isnan(own):
        return "Attention and leave-one-out: no text has a τ"
    if np.isnan(gradient):
        return f"Attention and leave-one-out: τ = {signed(own)}"
    than = "better than" if own > gradient else "less than"
    if abs(own - gradient) <= EQUAL:
        than = "as little as" if max(own, gradient) < ALIKE else "as well as"
    taus = f"τ = {signed(own)} and {signed(gradient)}"
    return f"Attention agrees with leave-one-out {than} the gradient does ({taus})"
