"""Chapter 15: the audit's sentences with their numbers and odd cases, its table of checks, its strips."""

from dataclasses import fields
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd

from heed import paths
from heed.corpora.loading import load
from heed.errors import HeedError, choose, why
from heed.experiments import audit, transformers
from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS, Audit, How
from heed.measures import stats
from heed.measures.layer import KINDS, Layer, permuted
from heed.measures.pieces import OTHERS
from heed.params import resolve
from heed.runs.grid import mapping_given
from heed.show import heatmap
from heed.show.export_html import page
from heed.show.figures.audit import MOVED, RESAMPLES
from heed.show.notebook import inert, injected
from heed.show.sentences import counted, listed
from heed.show.strip import TokenStrip
from heed.show.words import text_for, visible

OF_THE_BOOK = "of-the-book"  # the tag of cells that lead to other chapters, which a page alone leaves out
PARAMETERS = ("model", "texts", "out", "threads", "set")
SETTINGS = [field.name for field in fields(How)]
NO_ORDER = "No text has two words to be put in an order: nothing can be said of it."
SHUFFLES = 20  # of each head, to find the one that is given to the reader's hands
ALIKE = 0.5  # τ from which on two orders are said to agree: three of four pairs of words are in one order
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
    """The audit of these; what isn't given is heed's example. Raises HeedError on an unknown setting."""
    settings = mapping_given(set)
    for name in settings:
        choose("setting of the audit", name, SETTINGS)
    folder = paths.results_folder(out or "results/audit")
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
        "model": _absolute(model),
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


def pairs_alike(tau: float) -> str:
    """What a τ means: how many of the pairs of words stand in the same order, if none are tied."""
    return f"{(1 + tau) / 2:.0%}"


# Sentences


def called(a: Audit) -> str:
    """The model's name, a folder's by its last part."""
    name = a.notes["name"]
    return inert(Path(name).name if Path(name).is_absolute() else name)


def is_example(a: Audit) -> bool:
    """Whether this is heed's example, the model that the chapter takes by itself."""
    return Path(a.notes["name"]) == audit.EXAMPLE


def introduced(a: Audit) -> str:
    """The model in the answer, which comes before anything else is said of it."""
    return "heed's example, a small transformer trained on made texts," if is_example(a) else called(a)


def read_what(a: Audit) -> list[str]:
    """Which model and which texts, what was cut or left out, and whether the model is right."""
    notes, texts = a.notes, a.texts
    kind = inert(notes["type"])
    if notes["kind"] == "transformer":
        parts = counted(notes["layers"], "layer"), counted(notes["heads"], "head")
        model = f"a transformer ({kind}) of {parts[0]} with {parts[1]} each"
    else:
        model = f"a model of heed's own ({kind}), with one head"
    classes = [inert(name) for name in a.classes[:10]]
    if len(a.classes) > 10:
        classes.append(f"{len(a.classes) - 10} more")
    found = [f"The model is **{called(a)}**, {model}. Its classes are {listed(classes)}."]
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
    table.insert(0, "head", [f"head {h}" for h in heads["head"]])
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
    """Where attention lies, beside words; and how much is on the word with most."""
    on = {kind: float(a.texts[f"on {kind}"].mean()) for kind in KINDS}
    peak = f"The word with the most attention has {a.texts['peak'].mean():.2f} on average."
    if not a.notes["marks"]:
        return f"Punctuation gets {on['punctuation']:.0%}. {peak}"
    marks = listed([inert(mark) for mark in a.notes["marks"]])
    of_marks = on["first mark"] + on["other marks"]
    return f"The marks {marks} get {of_marks:.0%}, punctuation {on['punctuation']:.0%}. {peak}"


def _among(a: Audit) -> pd.Series:
    """The mean τ of each two measures that ask the model; none of those that weren't asked, or have no τ."""
    pairs = [("gradient", "loo"), ("gradient", "integrated"), ("loo", "integrated")]
    names = {f"tau {one} {other}": f"{IMPORTANCE[one]} and {IMPORTANCE[other]}" for one, other in pairs}
    return a.texts[[name for name in names if name in a.texts]].mean().dropna().rename(names)


def spread(taus: pd.Series) -> str:
    """Several τ as a range, one as itself."""
    low, high = f"{taus.min():z.2f}", f"{taus.max():z.2f}"
    return low if low == high else f"{low} to {high}"


def agrees(a: Audit) -> list[str]:
    """What attention's τ with leave-one-out means, and how far the others agree: short sentences."""
    found, texts = [], a.texts
    values = texts["tau attention loo"].dropna()
    if values.empty:
        return [NO_ORDER]
    found.append(
        f"In {pairs_alike(values.mean())} of all pairs of words, the word with more attention is also the "
        "one whose removal moves the prediction more. By chance it would be 50%."
    )
    among = _among(a)
    if len(among):
        found.append(f"Between two of the measures that ask the model, τ is {spread(among)}.")
    others = {name: texts[f"tau {name} loo"].mean() for name in a.notes["readings"][1:]}
    others = {name: value for name, value in others.items() if not np.isnan(value)}
    if others:
        best = max(others, key=others.get)
        closer = "brings it closer" if others[best] > values.mean() + 0.05 else "doesn't bring it closer"
        found.append(
            f"Another reading of attention {closer} to leave-one-out: the best, {READINGS[best]}, has "
            f"τ = {others[best]:z.2f}."
        )
    return found


def removals(a: Audit) -> list[str]:
    """Where leave-one-out says little: no removal moves the prediction, or any other word keeps it."""
    texts, words = a.texts, a.words
    most = words.groupby("id", sort=False)["loo"].max().reindex(texts["id"]).to_numpy()
    moved, found = most > MOVED, []
    if not moved.all():
        found.append(
            f"In {share(pd.Series(~moved))} no removal of a single word moves the prediction by more than "
            f"{MOVED:g}. There leave-one-out's order means little."
        )
    swapped = texts.loc[moved, "swapped"].dropna()
    if len(swapped):
        found.append(
            f"In {counted(len(swapped))} some removal does. If other words of the text take that word's "
            f"place instead, the prediction moves by {MOVED:g} or less in {share(swapped <= MOVED)} (median "
            f"over up to {OTHERS} other words). There the model reacts to the gap and not to the loss of "
            "that word: a removal moves all later words up by one place."
        )
    counts = moved & ~(texts["swapped"] <= MOVED).to_numpy()
    taus = texts.loc[counts, "tau attention loo"].dropna()
    if 0 < len(taus) < len(texts):
        found.append(
            f"In the remaining {counted(len(taus))}, where the word itself counts, attention's τ with "
            f"leave-one-out is {mean(taus)}."
        )
    return found


def of_example(a: Audit, name: str) -> list[str]:
    """Which word each measure puts first in a text, and whether its removal or its loss is what counts."""
    own, row = a.of_words(name), a.texts[a.texts["id"] == name].iloc[0]
    firsts = {}
    for kind, label in ({"attention": "attention"} | IMPORTANCE).items():
        if kind in own and own[kind].notna().all():
            word = inert(own["word"].iloc[int(own[kind].to_numpy().argmax())])
            firsts.setdefault(word, []).append(label)
    parts = [f"{listed(labels)} {'put' if len(labels) > 1 else 'puts'} *{word}* first"
             for word, labels in firsts.items()]  # fmt: skip
    said = [f"In this text {'; '.join(parts)}."]
    top = own.iloc[int(own["loo"].to_numpy().argmax())]
    if top["loo"] <= MOVED:
        said.append(f"No removal moves the prediction by more than {top['loo']:.2f}.")
    elif not np.isnan(row["swapped"]):
        word, means = inert(top["word"]), "the word itself counts"
        if row["swapped"] <= MOVED:
            means = (
                "the model reacts to the gap, as all later words move up by one place, and not to the word"
            )
        said.append(
            f"Removing *{word}* moves the prediction by {top['loo']:.2f}; with another word in its place it "
            f"moves by {row['swapped']:.2f} (median). So {means}."
        )
    return said


def shuffled(a: Audit) -> list[str]:
    """What becomes of the prediction when attention is shuffled, or made equal: short sentences."""
    texts, found = a.texts, []
    half, even = texts["change own"].median(), texts["change uniform"].median()
    quarter = texts["change own"].quantile(0.75)
    said = f"A typical shuffle moves the prediction of half of the texts by {half:.2f} or less"
    if half < MOVED and quarter > 4 * MOVED:
        said += f", but that of a quarter by {quarter:.2f} or more: these depend on where attention lies"
    found.append(f"{said}.")
    if a.notes["heads"] > 1:
        found.append(
            "Shuffling a single head moves half of the texts by "
            f"{texts['change alone'].median():.2f} or less."
        )
    found.append(
        f"Equal weights everywhere move half of the texts by {even:.2f} or less and flip the decision in "
        f"{share(texts['flips uniform'])}."
    )
    found.append(
        "If all attention is put on a single word, the decision stays for "
        f"{texts['one word keeps'].mean():.0%} of the words."
    )
    return found


def freely(a: Audit) -> list[str]:
    """How far attention can move with the very same prediction."""
    if "free dimension" not in a.texts:
        return ["It wasn't asked here (`free` is 0)."]
    own = a.texts.dropna(subset=["free dimension"])
    is_free = own["free dimension"] > 0
    found = [
        f"Other attention with exactly the same output of the layer exists in {share(is_free)}, of the first "
        "that were read."
    ]
    far = own.loc[is_free, "free jsd"].dropna()
    if is_free.any() and far.empty:
        found.append("How far it can be wasn't asked here (`corners` is 0).")
    elif len(far) < is_free.sum():
        found.append(f"How far it can be was asked of {counted(len(far))} of them, as that takes long.")
    if len(far):
        found.append(
            f"The most distant one that was found has a JSD of {far.mean():.2f} on average and "
            f"{far.max():.2f} at most; it moves the prediction by {_tiny(own['free change'].max())}."
        )
    if not is_free.all():
        found.append(
            "The others are too short: there no other attention gives that output. Attention that gives the "
            "same prediction by another output may exist; it wasn't searched for."
        )
    if "epsilon jsd" in own and own["epsilon jsd"].notna().any():
        may, far = f"If the prediction may move by {a.notes['how']['epsilon']:g}", own["epsilon jsd"].dropna()
        if a.notes["kind"] == "heed" and len(a.classes) == 2:
            found.append(f"{may}, the most distant attention has a JSD of {far.mean():.2f}; that is exact.")
        else:
            each, over = "attention", "mean over texts"
            if a.notes["heads"] > 1:
                each, over = "a head that is moved alone", "mean over heads, each in turn, and texts"
            found.append(
                f"{may}, {each} can go {far.mean():.2f} away or further ({over}; texts: {far.min():.2f} to "
                f"{far.max():.2f}), with all its weight on one or two units."
            )
            if a.notes["heads"] > 1 and _in_steps(far, a.notes["heads"]):
                found.append(
                    f"Of the {a.notes['heads']} heads many can be moved entirely (0.69) and some hardly at "
                    "all, which is why that mean comes in steps."
                )
    return found


def _in_steps(far: pd.Series, heads: int) -> bool:
    """Whether mean distances over heads are those of some heads moved entirely and the others not at all."""
    moved = far * heads / np.log(2)
    return bool(((moved - moved.round()).abs() < 0.2).mean() > 0.8 and moved.round().nunique() > 1)


def _tiny(change: float) -> str:
    return "less than a millionth" if change < 1e-6 else f"at most {change:.1g}"


def erases(a: Audit) -> list[str]:
    """How many words must go, in which order, until the decision flips: short sentences."""
    texts = a.texts
    left = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    if not any(texts[f"erased {name}"].notna().any() for name in ORDERS):
        return ["No order of erasing flips any decision while a word is left."]
    said = [
        f"On average {left['attention']:.1%} of the words must be erased in attention's order and "
        f"{left['random']:.1%} in a random one. A text that never flips counts as 100%."
    ]
    never = texts["erased attention"].isna()
    if never.any():
        said.append(f"In attention's order {share(never)} never {'flips' if never.sum() == 1 else 'flip'}.")
    best = min(left, key=left.get)
    if left["attention"] - left[best] >= 0.02:
        said.append(f"The order by {ORDERS[best]} needs the fewest words, {left[best]:.1%}.")
    elif best != "attention":
        said.append("No other order that was tried needs clearly fewer words than attention's.")
    return said


def _half(texts: pd.DataFrame, order: str) -> float:
    """With which share of the words half of the texts have flipped in this order; NaN if half never do."""
    values = np.sort(texts[f"erased {order}"].fillna(np.inf))
    half = float(values[(len(values) - 1) // 2])
    return half if np.isfinite(half) else np.nan


# The answer


def checks(a: Audit) -> pd.DataFrame:
    """What one would expect of attention that explains: expected, found, rule and holds (yes, no, open)."""
    texts, rows = a.texts, []

    def add(expected: str, found: str, rule: str, holds: bool | None) -> None:
        said = {True: "yes", False: "no", None: "open"}[holds]
        rows.append({"it …": expected, "found": found, "rule": rule, "holds": said})

    on = texts["on words"].mean()
    add("lies on words, not on marks", f"{on:.0%} does", "over 50%", on > 0.5)
    taus = texts["tau attention loo"].dropna()
    add(
        "ranks words as their removal does",
        f"τ = {mean(taus)}" if len(taus) else "no text has two words",
        f"τ ≥ {ALIKE:g}",
        bool(taus.mean() >= ALIKE) if len(taus) else None,
    )
    several = texts["words"] > 1
    moved = texts.loc[several, "change own"] > MOVED
    add(
        f"moves the prediction by over {MOVED:g} if shuffled",
        f"in {share(moved)}" if several.any() else "no text has two words",
        "in over half",
        bool(moved.mean() > 0.5) if several.any() else None,
    )
    own = texts["free dimension"].dropna() if "free dimension" in texts else pd.Series(dtype=float)
    add(
        "is the only attention with this output",
        f"in {share(own == 0)}" if len(own) else "not asked",
        "in over half",
        bool((own > 0).mean() < 0.5) if len(own) else None,
    )
    sooner = 100 * (texts["erased random"].fillna(1) - texts["erased attention"].fillna(1)).to_numpy()
    flips = texts[[f"erased {name}" for name in ORDERS]].notna().any(axis=None)
    low, high = stats.interval(sooner, RESAMPLES, 0)
    add(
        "flips decisions sooner than chance if erased in its order",
        f"by {sooner.mean():z.1f} points of the words ({low:z.1f} to {high:z.1f})"
        if flips
        else "nothing flips any",
        "interval above 0",
        bool(low > 0) if flips else None,
    )
    return pd.DataFrame(rows)


def answer(a: Audit) -> str:
    """The answer in a sentence or two: which model, which texts, and how many checks hold."""
    found = checks(a)
    asked = found[found["holds"] != "open"]
    holds = asked["holds"] == "yes"
    if asked.empty:
        return f"**Nothing can be said of the attention of {called(a)}**: the texts are too short."
    if holds.all():
        said = "As far as this page can tell, yes, as a hint at what the model used"
    elif holds.any():
        said = "Not by itself"
    else:
        said = "No"
    short = " So few texts give rough numbers." if len(a.texts) < 30 else ""
    return (
        f"**May the attention of {introduced(a)} be shown as an explanation of its decisions? {said}.** "
        f"{_on_what(a)} it meets {holds.sum() or 'none'} of {counted(len(asked), 'expectation')}."
        f"{short}"
    )


def _on_what(a: Audit) -> str:
    """`On 60 texts of planted.csv (95% classified correctly)`."""
    file = f" of `{inert(a.notes['file'])}`" if "file" in a.notes else ""
    known = a.texts["right"].dropna()
    right = f" ({known.mean():.0%} classified correctly)" if len(known) else ""
    return f"On {counted(len(a.texts))}{file}{right}"


def remarks(a: Audit) -> list[str]:
    """What to know of the checks: where a rule is hard to meet, a case is close, or few texts were asked."""
    texts, said = a.texts, []
    gradient = texts["tau gradient loo"].mean()
    if texts["tau attention loo"].mean() < ALIKE and gradient < ALIKE:
        said.append(
            "The second expectation is hard to meet: the gradient's own τ with leave-one-out is "
            f"{gradient:z.2f}."
        )
    moved = texts.loc[texts["words"] > 1, "change own"] > MOVED
    if len(moved) and abs(moved.mean() - 0.5) <= 0.05:
        missing = len(moved) // 2 + 1 - int(moved.sum())
        close = f"fails by {counted(missing)}" if missing > 0 else f"is met by {counted(1 - missing)}"
        said.append(f"The third is a close case: it {close}.")
    own = texts.dropna(subset=["free dimension"]) if "free dimension" in texts else texts[:0]
    if 0 < len(own) < len(texts):
        shortest = counted(int(own["units"].min()), "unit")
        said.append(
            f"The fourth was asked of the first {counted(len(own))} only, as it takes long; the shortest has "
            f"{shortest} (words or pieces, and marks)."
        )
    return said


def in_short(a: Audit) -> list[str]:
    """The answer, and what speaks for it and against it."""
    found, said = checks(a), [answer(a)]
    for holds, begins in (("yes", "For it"), ("no", "Against it")):
        own = found[found["holds"] == holds]
        if len(own):
            parts = [_in_few_words(a, i, holds) for i in own.index]
            said.append(f"{begins}: {'; '.join(parts)}.")
    return said


def _in_few_words(a: Audit, check: int, holds: str) -> str:
    """One of `checks` in a few words, with the number that says how clear the case is."""
    texts, said = a.texts, SHORT[check][holds]
    if check == 1:
        return f"{said} (Kendall's τ = {texts['tau attention loo'].mean():z.2f}; 1: the same order)"
    if check == 2:
        moved = texts.loc[texts["words"] > 1, "change own"] > MOVED
        counts = moved if holds == "yes" else ~moved
        return f"{counts.sum()} of {counted(len(counts), 'prediction')} {said}"
    if check == 3 and holds == "no" and texts["free jsd"].notna().any():
        return f"{said} (mean JSD {texts['free jsd'].mean():.2f}, of 0.69)"
    return said


def _finds(a: Audit) -> pd.DataFrame:
    """`transformers.truth` of heed's example on texts of `planted`; empty of all else."""
    if not is_example(a) or a.notes.get("file") != "planted.csv":
        return pd.DataFrame()
    own = load(resolve({"corpus": "planted"})).splits["test"]
    known = transformers.truth(a, dict(zip(own.ids, own.truth, strict=True)))
    return known if {"auroc attention", "auroc loo"} <= {*known} else pd.DataFrame()


def of_truth(a: Audit) -> list[str]:
    """Of heed's example on texts of `planted`, where it is known: how well attention finds what decides."""
    known = _finds(a)
    if known.empty:
        return []
    attention, removal = known["auroc attention"].mean(), known["auroc loo"].mean()
    said = [
        "Of these texts the deciding words are known. Attention finds them with an AUROC of "
        f"{attention:.2f}, leave-one-out with {removal:.2f} ({counted(len(known))}; 1: the deciding words "
        "rank first, 0.5: chance)."
    ]
    if attention > removal:
        said.append("So where the two disagree, leave-one-out may be the one that is wrong.")
    return said


# Each check in a few words, in the order of `checks`, where it holds and where it doesn't.
SHORT = (
    {"yes": "it lies on words", "no": "it lies mostly on marks and punctuation"},
    {
        "yes": "it ranks words as their removal does",
        "no": "it doesn't rank words as their removal does",
    },
    {
        "yes": "change when it is shuffled",
        "no": f"stay (move by {MOVED:g} or less) when it is shuffled",
    },
    {
        "yes": "in most texts no other attention gives the same output",
        "no": "other attention gives the same output",
    },
    {
        "yes": "erasing what it prefers flips decisions sooner than chance",
        "no": "erasing what it prefers flips decisions no sooner than chance",
    },
)


def advice(a: Audit) -> str:
    """What to do with the picture, by how far the measures that ask the model agree with one another."""
    asked = checks(a).query("holds != 'open'")
    if asked.empty:
        return "Ask again with longer texts."
    shown = "If it is shown, show several measures beside it"
    if (asked["holds"] == "no").all():
        shown = "Show several measures instead"
    among = _among(a)
    if among.empty or among.max() < ALIKE:
        why_not = f" (τ = {spread(among)})" if len(among) else ""
        because = (
            f"The measures that ask the model don't agree{why_not}: they answer different questions"
            f"{_which_is_right(a)}."
        )
        if among.empty:
            because = "No measure is known to be right."
    else:
        because = f"Of the measures that ask the model, {among.idxmax()} agree best (τ = {among.max():z.2f})."
    return f"{because} {shown}, say where they differ, and test a word by erasing or replacing it."


def _which_is_right(a: Audit) -> str:
    """Whether anybody knows which measure is right: of made texts, by the words that decide."""
    known = _finds(a)
    if known.empty:
        return ", and nobody knows which of them names the words that decide"
    means = known[[name for name in known if name.startswith("auroc ")]].mean().dropna()
    names = (IMPORTANCE | {"attention": READINGS["attention"]}).items()
    each = [f"{label} {means[f'auroc {name}']:.2f}" for name, label in names if f"auroc {name}" in means]
    return f". Here the deciding words are known (AUROC: {', '.join(each)}); on your own texts nobody knows"


def picture(a: Audit) -> list[str]:
    """What to do if the picture is shown: the advice, and what to write below it."""
    layer = "the last layer" if a.notes["kind"] == "transformer" else "the attention layer"
    which = f"{layer}, mean over {a.notes['heads']} heads" if a.notes["heads"] > 1 else layer
    return [
        advice(a),
        f"Write below the picture which attention it shows: that of {which}.",
    ]


def summary(a: Audit) -> pd.DataFrame:
    """The numbers of this audit in one table, for the last cell."""
    texts = a.texts
    rows = {
        "texts": len(texts),
        "share of attention on words": texts["on words"].mean(),
        "τ of attention and leave-one-out": texts["tau attention loo"].mean(),
        "τ of attention and gradient": texts["tau attention gradient"].mean(),
        "median change, each head shuffled": texts["change own"].median(),
        "median change, attention equal everywhere": texts["change uniform"].median(),
        "share of texts that equal attention flips": texts["flips uniform"].mean(),
        "share of words erased until it flips, attention's order": texts["erased attention"].fillna(1).mean(),
        "share of words erased until it flips, random order": texts["erased random"].fillna(1).mean(),
    }
    if "free jsd" in texts:
        rows["JSD at the same output, mean"] = texts["free jsd"].mean()
    return pd.DataFrame({"what": list(rows), "found": list(rows.values())}, dtype=object)


def spent(a: Audit) -> str:
    """How long it took, and where."""
    seconds = dict(a.notes["seconds"])
    whole = seconds.pop("all")
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:4]
    parts = [f"{PARTS.get(name, name)} {second:.0f}" for name, second in longest if second >= 1]
    said = f"It took {whole:.0f} seconds on {counted(a.notes['threads'], 'thread')}"
    said += f" ({listed(parts)})." if parts else "."
    if a.notes["float32_tau"] is not None:
        said += (
            " Gradients and leave-one-out are of the model in float32; held against float64 on "
            f"{min(audit.CHECKED, len(a.texts))} texts the orders agree with a τ of "
            f"{a.notes['float32_tau']:.3f} or more."
        )
    return said


# Texts, word by word


def table_of(a: Audit, name: str, firsts: int = 3) -> pd.DataFrame:
    """The first words of each measure in a text, in the text's order.

    firsts: so many of each measure. Leave-one-out stands as it is, the others as shares of their sum.
    """
    own = a.of_words(name)
    columns, rows = {"word": own["word"].to_numpy()}, set()
    for kind, label in ({"attention": "attention"} | IMPORTANCE).items():
        if kind in own and own[kind].notna().all():
            values = own[kind].to_numpy(dtype=float)
            rows |= {*np.argsort(-values, kind="stable")[:firsts].tolist()}
            columns["leave-one-out (TVD)" if kind == "loo" else label] = (
                values if kind == "loo" else shares_of(values)
            )
    return pd.DataFrame(columns).iloc[sorted(rows)]


def shares_of(values: np.ndarray) -> np.ndarray:
    """Values as shares of their sum; as they are if that is 0."""
    return values / values.sum() if values.sum() > 0 else values


def strongest(layer: Layer, seed: int = 0) -> int:
    """The head whose shuffling alone moves the prediction most."""
    return int(np.median(permuted(layer, SHUFFLES, seed)["alone"], axis=1).argmax())


def strips(a: Audit) -> str:
    """The texts that are shown as one piece of HTML: a line each, which opens; the first is open."""
    pieces, live = [], []
    for k, layer in enumerate(a.shown):
        row, head = a.texts[a.texts["id"] == layer.id].iloc[0], strongest(layer)
        live.append(TokenStrip(layer.rows[head], classes=a.classes))
        label = row["label"]
        wrong = (
            f", labelled {text_for(label, 'html')}"
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
            which = f"<p><b>Below: head {head} alone.</b> Above: the mean over {len(layer.rows)} heads.</p>"
        body = _heat(a, layer.id) + which + live[-1].still()
        is_open = "" if k else " open"
        pieces.append(f"<details{is_open}><summary>{said}</summary>{body}</details>")
    return "\n".join([*pieces, live[0].alive(*live[1:])] if live else pieces)


def _heat(a: Audit, name: str) -> str:
    """A text's words, a line for each of what was measured of them, each as shares of its sum."""
    own = a.of_words(name)
    words = own["word"].tolist()
    side = "rtl" if heatmap.right_to_left(" ".join(words)) else "ltr"
    lines = []
    for kind, label in (READINGS | IMPORTANCE).items():
        values = own[kind].to_numpy(dtype=float) if kind in own else np.array([np.nan])
        if np.isnan(values).any():
            continue
        each = zip(words, shares_of(values), strict=True)
        units = " ".join(heatmap.word_to_html(word, weight) for word, weight in each)
        cell = f'<td dir="{side}" style="text-align:start;line-height:1.9;min-width:24ch">{units}</td>'
        total = f"<br>(sum {values.sum():.2f})" if kind == "loo" else ""
        lines.append(f"<tr><th>{label}{total}</th>{cell}</tr>")
    return f'<div style="overflow-x:auto"><table><tbody>{"".join(lines)}</tbody></table></div>'


# Titles of figures: what each finds


def titles(a: Audit) -> dict[str, str]:
    """The finding of each figure, by the figure's name."""
    texts, found = a.texts, {}
    taus = texts["tau attention loo"].dropna()
    found["agreement"] = "Attention and leave-one-out: " + (
        "no text has a τ" if taus.empty else f"τ = {taus.mean():z.2f}"
    )
    among = _among(a)
    if len(taus) and len(among):
        found["agreement"] += f"; measures that ask the model, with one another: {spread(among)}"
    moved = (texts["change own"] > MOVED).mean()
    found["moves"] = f"Shuffling all heads moves {moved:.0%} of the texts by more than {MOVED:g}"
    if a.notes["heads"] == 1:
        found["moves"] = f"Shuffling attention moves {moved:.0%} of the texts by more than {MOVED:g}"
    half, random = _half(texts, "attention"), _half(texts, "random")
    if np.isnan(half):
        never = texts["erased attention"].isna().mean()
        found["erased"] = f"Erased in attention's order, {never:.0%} of the decisions never flip"
    else:
        beside = "in a random order half never do" if np.isnan(random) else f"{random:.0%} in a random one"
        found["erased"] = (
            f"Half of the decisions flip once {half:.0%} of the words are erased in attention's order, "
            f"{beside}"
        )
    if "free jsd" in texts:
        found["free"] = _free_title(a)
    return found


def _free_title(a: Audit) -> str:
    """How far away other attention is, with the same output or with nearly the same prediction."""
    own = a.texts.dropna(subset=["free jsd"])
    if own.empty:
        return "How far other attention can be wasn't asked of any text"
    said = f"With the same output, attention can be {own['free jsd'].mean():.2f} away on average"
    if "epsilon jsd" in own and own["epsilon jsd"].notna().any():
        epsilon, far = a.notes["how"]["epsilon"], own["epsilon jsd"].mean()
        who = "it" if a.notes["heads"] == 1 else "one head"
        said += f"; if the prediction may move by {epsilon:g}, {who} can be {far:.2f} away"
    return said
