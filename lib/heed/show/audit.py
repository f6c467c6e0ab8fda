"""Chapter 15: the audit's sentences with their numbers and odd cases, its table of checks, its strips."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd

from heed import paths
from heed.errors import HeedError, choose, why
from heed.experiments import audit
from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS, Audit, How
from heed.measures import stats
from heed.measures.layer import KINDS, Layer, permuted
from heed.runs.grid import mapping_given
from heed.show import heatmap
from heed.show.export_html import page
from heed.show.figures.audit import RESAMPLES
from heed.show.notebook import inert, injected
from heed.show.sentences import counted, listed
from heed.show.strip import TokenStrip
from heed.show.words import text_for

OF_THE_BOOK = "of-the-book"  # the tag of cells that lead to other chapters, which a page alone leaves out
PARAMETERS = ("model", "texts", "out", "threads", "set")
SETTINGS = [field.name for field in fields(How)]
NO_ORDER = "No text has two words to be put in an order: nothing can be said of it."
MOVED = 0.05  # a change of the prediction (TVD) that one would notice
SHUFFLES = 20  # of each head, to find the one that is given to the reader's hands
ALIKE = 0.5  # τ from which on two orders are said to agree: three of four pairs of words stand alike


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


def read_what(a: Audit) -> list[str]:
    """Which model and which texts, what was cut or left out, and whether the model is right."""
    notes, texts = a.notes, a.texts
    kind = inert(notes["type"])
    if notes["kind"] == "transformer":
        parts = counted(notes["layers"], "layer"), counted(notes["heads"], "head")
        model = f"a transformer ({kind}) of {parts[0]}, with {parts[1]} each"
    else:
        model = f"a model of heed's own ({kind}), with one head"
    classes = [inert(name) for name in a.classes[:10]]
    if len(a.classes) > 10:
        classes.append(f"{len(a.classes) - 10} more")
    found = [f"**{called(a)}** is {model}. It tells {listed(classes)} apart."]
    how_many = counted(len(texts))
    if notes["in_file"] > len(texts) + len(notes["left_out"]):
        how_many += f", drawn by chance from the {notes['in_file']} in the file"
    found.append(
        f"It read {how_many}, of {texts['words'].median():.0f} words in the median and "
        f"{texts['words'].max()} at most."
    )
    if notes["left_out"]:
        found.append(f"{counted(len(notes['left_out']))} couldn't be read ({inert(notes['left_out'][0])}).")
    if texts["cut"].any():
        found.append(
            f"{share(texts['cut'])} are longer than the {notes['longest']} pieces that the model reads: "
            "what comes after them it doesn't know, nor does this page."
        )
    known = texts["right"].dropna()
    if len(known):
        found.append(f"Of those with a label it gets {share(known == 1)} right.")
    decided = texts["predicted"].nunique()
    if decided == 1 and len(texts) > 1:
        found.append(f"It decides for {inert(texts['predicted'].iloc[0])} each time.")
    return found


def looks(a: Audit) -> str:
    """Where attention lies, beside words; and how much is on the word with most."""
    on = {kind: float(a.texts[f"on {kind}"].mean()) for kind in KINDS}
    peak = f"The word with most attention has {a.texts['peak'].mean():.2f} in the mean."
    if not a.notes["marks"]:
        return f"Punctuation has {on['punctuation']:.0%}. {peak}"
    marks = listed([inert(mark) for mark in a.notes["marks"]])
    of_marks = on["first mark"] + on["other marks"]
    return f"The marks {marks} have {of_marks:.0%}, punctuation {on['punctuation']:.0%}. {peak}"


def agrees(a: Audit) -> list[str]:
    """What attention's τ with leave-one-out means, and how far the others agree: short sentences."""
    found, texts = [], a.texts
    values = texts["tau attention loo"].dropna()
    if values.empty:
        return [NO_ORDER]
    found.append(
        f"Of two words the one with more attention is the one whose removal does more in "
        f"{pairs_alike(values.mean())} of the cases; by chance it would be 50%."
    )
    among = [("gradient", "loo"), ("gradient", "integrated"), ("loo", "integrated")]
    names = [f"tau {one} {other}" for one, other in among]
    taus = texts[[name for name in names if name in texts]].mean().dropna()
    if len(taus) > 1:
        found.append(
            f"Those who ask the model agree with one another at τ = {taus.min():z.2f} to {taus.max():z.2f}."
        )
    elif len(taus):
        found.append(f"Gradient and leave-one-out agree at τ = {taus.iloc[0]:z.2f}.")
    others = {name: texts[f"tau {name} loo"].mean() for name in a.notes["readings"][1:]}
    others = {name: value for name, value in others.items() if not np.isnan(value)}
    if others:
        best = max(others, key=others.get)
        more = "more" if others[best] > values.mean() + 0.05 else "no more"
        found.append(f"Read otherwise, attention agrees {more}: {READINGS[best]} {others[best]:z.2f}.")
    return found


def shuffled(a: Audit) -> list[str]:
    """What becomes of the prediction when attention is shuffled, or made equal: short sentences."""
    texts, found = a.texts, []
    half, even = texts["change own"].median(), texts["change uniform"].median()
    found.append(f"A typical shuffle moves half of the texts by {half:.2f} or less.")
    quarter = texts["change own"].quantile(0.75)
    if half < MOVED and quarter > 4 * MOVED:
        found.append(f"But it moves a quarter of them by {quarter:.2f} or more: some decisions hang on it.")
    if a.notes["heads"] > 1:
        found.append(
            f"One head shuffled alone moves half of them by {texts['change alone'].median():.2f} or less."
        )
    found.append(
        f"With attention equal everywhere the prediction moves by {even:.2f} in the median, and the decision "
        f"flips in {share(texts['flips uniform'])}."
    )
    found.append(
        f"With all attention on a single word the decision stays for {texts['one word keeps'].mean():.0%} of "
        "the words."
    )
    return found


def freely(a: Audit) -> list[str]:
    """How far attention can move with the very same prediction."""
    if "free dimension" not in a.texts:
        return ["It wasn't asked here (`free` is 0)."]
    own = a.texts.dropna(subset=["free dimension"])
    is_free = own["free dimension"] > 0
    found = [
        f"Asked of {counted(len(own))}, the first that were read: in {share(is_free)} other attention gives "
        "exactly the same output of the layer."
    ]
    far = own.loc[is_free, "free jsd"].dropna()
    if is_free.any() and far.empty:
        found.append("How far it can be wasn't asked here (`corners` is 0).")
    elif len(far) < is_free.sum():
        found.append(f"How far it can be was asked of {counted(len(far))} of them, as that takes long.")
    if len(far):
        found.append(
            f"The furthest that was found is a JSD of {far.mean():.2f} away in the mean, {far.max():.2f} at "
            f"most; the prediction moves by {_tiny(own['free change'].max())}."
        )
    if not is_free.all():
        found.append(
            "In the others no other attention gives that output again: they are short. Others that give the "
            "same prediction may be there even so; they weren't searched for."
        )
    if "epsilon jsd" in own and own["epsilon jsd"].notna().any():
        may, far = f"If the prediction may move by {a.notes['how']['epsilon']:g}", own["epsilon jsd"].dropna()
        if a.notes["kind"] == "heed" and len(a.classes) == 2:
            found.append(
                f"{may}, the most different attention is a JSD of {far.mean():.2f} away; that is exact."
            )
        else:
            each = "attention" if a.notes["heads"] == 1 else "one head, the others as they are,"
            found.append(
                f"{may}, {each} can be a JSD of {far.mean():.2f} away at least, with all "
                "weight on one unit, or "
                "on two."
            )
    return found


def _tiny(change: float) -> str:
    return "less than a millionth" if change < 1e-6 else f"at most {change:.1g}"


def erases(a: Audit) -> list[str]:
    """How many words must go, in which order, until the decision flips: short sentences."""
    texts = a.texts
    left = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    if not any(texts[f"erased {name}"].notna().any() for name in ORDERS):
        return ["No order of erasing flips any decision while a word is left."]
    never = texts["erased attention"].isna()
    best = min(left, key=left.get)
    said = ["These are means over the texts; one that never flips counts as all of its words."]
    if best != "attention":
        said.append(f"Soonest flips the order by {ORDERS[best]}, at {left[best]:.0%}.")
    if never.any():
        said.append(f"In attention's order {share(never)} never {'flips' if never.sum() == 1 else 'flip'}.")
    return said


# The answer


def _order(taus: pd.Series, of_gradient: pd.Series) -> str:
    """Attention's τ with leave-one-out, and beside it the gradient's."""
    said = f"τ = {mean(taus)}: {pairs_alike(taus.mean())} of pairs"
    return said if of_gradient.isna().all() else f"{said}; the gradient's is {of_gradient.mean():z.2f}"


def checks(a: Audit) -> pd.DataFrame:
    """What one would expect of attention that explains: expected, found and holds (yes, no, open)."""
    texts, rows = a.texts, []

    def add(expected: str, found: str, holds: bool | None) -> None:
        rows.append(
            {"expected": expected, "found": found, "holds": {True: "yes", False: "no", None: "open"}[holds]}
        )

    on = texts["on words"].mean()
    add("it is on the words, and not on marks and punctuation", f"{on:.0%} is", on > 0.5)
    taus = texts["tau attention loo"].dropna()
    add(
        "it puts words in the order of what their removal does",
        _order(taus, texts["tau gradient loo"]) if len(taus) else "no text has two words",
        bool(taus.mean() >= ALIKE) if len(taus) else None,
    )
    several = texts["words"] > 1
    moved = texts.loc[several, "change own"] > MOVED
    add(
        f"with other attention the prediction is another (by more than {MOVED:g})",
        f"in {share(moved)}" if several.any() else "no text has two words",
        bool(moved.mean() > 0.5) if several.any() else None,
    )
    own = texts["free dimension"].dropna() if "free dimension" in texts else pd.Series(dtype=float)
    add(
        "no other attention gives the same output of the layer",
        f"others do in {share(own > 0)}" if len(own) else "not asked",
        bool((own > 0).mean() < 0.5) if len(own) else None,
    )
    sooner = (texts["erased attention"].fillna(1) - texts["erased random"].fillna(1)).to_numpy()
    flips = texts[[f"erased {name}" for name in ORDERS]].notna().any(axis=None)
    low, high = stats.interval(sooner, RESAMPLES, 0)
    add(
        "erasing what it prefers flips the decision sooner than chance",
        f"{-sooner.mean():+z.0%} of the words spared ({-high:+z.0%} to {-low:+z.0%})"
        if flips
        else "nothing flips any",
        bool(high < 0) if flips else None,
    )
    return pd.DataFrame(rows)


def answer(a: Audit) -> str:
    """The answer in a sentence or two, with its numbers."""
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
    short = f" These are {counted(len(a.texts))}: the numbers are rough." if len(a.texts) < 30 else ""
    return (
        f"**May the attention of {called(a)} be shown as an explanation of what it decides? {said}.** Of "
        f"{counted(len(asked), 'thing')} that one would expect of an explanation it meets "
        f"{holds.sum() or 'none'}.{short}"
    )


def in_short(a: Audit) -> list[str]:
    """The answer, what speaks for it and against it, and what to do."""
    found = checks(a)
    said = [answer(a)]
    for holds, begins in (("yes", "For it"), ("no", "Against it")):
        own = found[found["holds"] == holds]
        if len(own):
            said.append(f"{begins}: {'; '.join(SHORT[i][holds] for i in own.index)}.")
    return [*said, advice(a)]


# Each check in a few words, in the order of `checks`, where it holds and where it doesn't.
SHORT = (
    {"yes": "it is on the words", "no": "it is mostly on marks and punctuation"},
    {
        "yes": "it ranks words as their removal does",
        "no": "it ranks words otherwise than their removal does",
    },
    {
        "yes": "most predictions change with it",
        "no": "most predictions stay when it is shuffled",
    },
    {
        "yes": "no other attention gives the same output, in most texts",
        "no": "other attention gives the very same output",
    },
    {
        "yes": "erasing what it prefers flips decisions sooner than chance",
        "no": "erasing what it prefers flips decisions no sooner than chance",
    },
)


def advice(a: Audit) -> str:
    """What to do with the picture."""
    asked = checks(a).query("holds != 'open'")
    holds = asked["holds"] == "yes"
    if asked.empty:
        return "Ask again with longer texts."
    if holds.all():
        return "If it is shown, say that it is a hint, and of which layer."
    if holds.any():
        return "If it is shown, then beside a measure that asks the model, such as leave-one-out."
    return "Show a measure that asks the model instead, such as leave-one-out."


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
    parts = [f"{name} {second:.0f}" for name, second in longest if second >= 1]
    said = f"It took {whole:.0f} seconds on {counted(a.notes['threads'], 'thread')}"
    said += f" (of which {listed(parts)})." if parts else "."
    if a.notes["float32_tau"] is not None:
        said += (
            " Gradients and leave-one-out are of the model in float32; held against float64 on "
            f"{min(audit.CHECKED, len(a.texts))} texts the orders agree with a τ of "
            f"{a.notes['float32_tau']:.3f} or more."
        )
    return said


# Texts, word by word


def table_of(a: Audit, name: str, count: int = 12) -> pd.DataFrame:
    """The words of a text that have most attention; all that was measured of them, as shares of its sum."""
    own = a.of_words(name)
    columns = {"word": own["word"]}
    for kind, label in (READINGS | IMPORTANCE).items():
        if kind in own and own[kind].notna().all():
            columns[label] = shares_of(own[kind].to_numpy(dtype=float))
    table = pd.DataFrame(columns).sort_values("attention", ascending=False, kind="stable")
    return table[:count]


def shares_of(values: np.ndarray) -> np.ndarray:
    """Values as shares of their sum; as they are if that is 0."""
    return values / values.sum() if values.sum() > 0 else values


def alive(layer: Layer, classes: Sequence[str], seed: int = 0) -> TokenStrip:
    """One head's weights to be moved by hand: of several the one whose shuffling alone moves most."""
    moved = np.median(permuted(layer, SHUFFLES, seed)["alone"], axis=1)
    return TokenStrip(layer.rows[int(moved.argmax())], classes=classes)


def strips(a: Audit) -> str:
    """The texts that are shown as one piece of HTML: a line each, which opens; the first is open."""
    pieces, live = [], []
    for k, layer in enumerate(a.shown):
        row = a.texts[a.texts["id"] == layer.id].iloc[0]
        live.append(alive(layer, a.classes))
        label = row["label"]
        wrong = (
            f", labelled {text_for(label, 'html')}"
            if isinstance(label, str) and label != row["predicted"]
            else ""
        )
        said = (
            f"<bdi>{text_for(layer.id, 'html')}</bdi>: <b>{text_for(row['predicted'], 'html')} "
            f"{row['probability']:.2f}</b>{wrong}. Shuffled, it moves by {row['change own']:.2f}."
        )
        body = _heat(a, layer.id) + live[-1].still()
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
        lines.append(f"<tr><th>{label}</th>{cell}</tr>")
    return f'<div style="overflow-x:auto"><table><tbody>{"".join(lines)}</tbody></table></div>'


# Titles of figures: what each finds


def titles(a: Audit) -> dict[str, str]:
    """The finding of each figure, by the figure's name."""
    texts, found = a.texts, {}
    found["looks_at"] = f"{texts['on words'].mean():.0%} of the attention is on words"
    taus = texts["tau attention loo"].dropna()
    agree = "has no τ here" if taus.empty else f"and leave-one-out agree by τ = {taus.mean():z.2f}"
    found["agreement"] = f"Attention {agree}"
    moved = (texts["change own"] > MOVED).mean()
    found["moves"] = f"When attention is shuffled, {moved:.0%} of the texts move by more than {MOVED:g}"
    left = {name: texts[f"erased {name}"].fillna(1).mean() for name in ("attention", "random")}
    found["erased"] = (
        f"Words erased until the decision flips: {left['attention']:.0%} by attention, "
        f"{left['random']:.0%} at random"
    )
    if "free jsd" in texts:
        own = texts["free dimension"].dropna() > 0
        found["free"] = f"Other attention with the same output exists in {own.mean():.0%} of the texts"
    return found
