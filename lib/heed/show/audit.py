"""Chapter 15: the audit's sentences with their numbers and odd cases, its table of checks, its strips."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

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

PARAMETERS = ("model", "texts", "out", "threads", "set")
SETTINGS = [field.name for field in fields(How)]
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
    """Where attention lies."""
    on = {kind: float(a.texts[f"on {kind}"].mean()) for kind in KINDS}
    peak = f"The word with most has {a.texts['peak'].mean():.2f} in the mean."
    if not a.notes["marks"]:
        return (
            f"{on['words']:.0%} of the attention is on words, {on['punctuation']:.0%} on punctuation. {peak}"
        )
    marks = listed([inert(mark) for mark in a.notes["marks"]])
    of_marks = on["first mark"] + on["other marks"]
    return (
        f"{of_marks:.0%} of the attention is on the marks {marks}, which are no part of the text, "
        f"{on['punctuation']:.0%} on punctuation, and {on['words']:.0%} on words (mean over heads and "
        f"texts). {peak}"
    )


def agrees(a: Audit) -> list[str]:
    """Attention's τ with each measure of importance, and those with one another."""
    found, texts = [], a.texts
    parts = []
    for other, label in IMPORTANCE.items():
        values = texts[f"tau attention {other}"].dropna() if f"tau attention {other}" in texts else []
        if len(values):
            parts.append(f"with {label} {mean(values)}")
    if not parts:
        return ["No text has two words to be put in an order: nothing can be said of it."]
    loo = texts["tau attention loo"].mean()
    found.append(
        f"Kendall's τ of attention is {listed(parts)}, in the mean over texts with its 95 % interval."
    )
    if not np.isnan(loo):
        found.append(
            f"A τ of {loo:z.2f} says that of two words the one with more attention is the one whose "
            f"removal does more in {pairs_alike(loo)} of the cases; by chance it would be 50%."
        )
    among = []
    for one, other in (("gradient", "loo"), ("gradient", "integrated"), ("loo", "integrated")):
        if f"tau {one} {other}" in texts and texts[f"tau {one} {other}"].notna().any():
            value = texts[f"tau {one} {other}"].mean()
            among.append(f"{IMPORTANCE[one]} and {IMPORTANCE[other]} {value:z.2f}")
    if among:
        found.append(f"Those who ask the model agree with one another by: {listed(among)}.")
    others = []
    for reading in a.notes["readings"][1:]:
        value = texts[f"tau {reading} loo"].mean()
        if not np.isnan(value):
            others.append(f"{READINGS[reading]} {value:z.2f}")
    if others:
        found.append(f"Other readings of attention, with leave-one-out: {listed(others)}.")
    return found


def shuffled(a: Audit) -> list[str]:
    """What becomes of the prediction when attention is shuffled, or made equal."""
    texts, found = a.texts, []
    half, even = texts["change own"].median(), texts["change uniform"].median()
    if a.notes["heads"] > 1:
        found.append(
            f"Shuffled over the words, each head's weights by a shuffle of its own, attention moves the "
            f"prediction by {half:.2f} in the median text; all heads by the same shuffle by "
            f"{texts['change same'].median():.2f}, one head alone by {texts['change alone'].median():.2f}."
        )
    else:
        found.append(
            f"Shuffled over the words, attention moves the prediction by {half:.2f} in the median text."
        )
    moved = texts["change own"] > MOVED
    found.append(f"The typical shuffle moves {share(moved)} by more than {MOVED:g}.")
    found.append(
        f"With attention equal everywhere the prediction moves by {even:.2f} in the median, and the "
        f"decision flips in {share(texts['flips uniform'])}."
    )
    found.append(
        f"With all attention on a single word, the decision stays for {texts['one word keeps'].mean():.0%} "
        "of the words, in the mean over texts."
    )
    return found


def freely(a: Audit) -> list[str]:
    """How far attention can move with the very same prediction."""
    if "free dimension" not in a.texts:
        return ["It wasn't asked here (`free` is 0)."]
    own = a.texts.dropna(subset=["free dimension"])
    is_free = own["free dimension"] > 0
    found = [
        f"Asked of {counted(len(own))}, the first that were read. In {share(is_free)} other attention gives "
        "exactly the same output of the layer, and so the same prediction."
    ]
    far = own.loc[is_free, "free jsd"].dropna()
    if is_free.any() and far.empty:
        found.append("How far it can be wasn't asked here (`corners` is 0).")
    elif len(far) < is_free.sum():
        found.append(f"How far it can be was asked of {counted(len(far))} of them, as that takes long.")
    if len(far):
        found.append(
            f"There the furthest that was found is a JSD of {far.mean():.2f} away in the mean over "
            f"heads and texts (at most {far.max():.2f}; 0.69 would be other words altogether); the "
            f"prediction moves by {_tiny(own['free change'].max())}."
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
                f"{may}, {each} can be a JSD of {far.mean():.2f} away at least, in the mean over heads and "
                f"{counted(len(far))}: so far goes all weight on one unit, or on two."
            )
    return found


def _tiny(change: float) -> str:
    return "less than a millionth" if change < 1e-6 else f"at most {change:.1g}"


def erases(a: Audit) -> list[str]:
    """How many words must go, in each order, until the decision flips."""
    texts = a.texts
    flipped = {name: texts[f"erased {name}"].dropna() for name in ORDERS}
    if not any(len(values) for values in flipped.values()):
        return ["No order of erasing flips any decision while a word is left."]
    parts = []
    for name in flipped:
        values = texts[f"erased {name}"]
        parts.append(f"{ORDERS[name]} {values.fillna(1).mean():.0%} (flips {share(values.notna())})")
    return [
        "The share of the words that is erased until the decision first flips, in the mean, a text that "
        f"never flips counted as all: {listed(parts)}."
    ]


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
    found["moves"] = f"Each head shuffled by its own: {moved:.0%} of the texts move by more than {MOVED:g}"
    flips = texts["erased attention"].notna().mean(), texts["erased random"].notna().mean()
    found["erased"] = f"By attention {flips[0]:.0%} of the texts flip, at random {flips[1]:.0%}"
    if "free jsd" in texts:
        own = texts["free dimension"].dropna() > 0
        found["free"] = f"Other attention with the same output is there in {own.mean():.0%} of the texts"
    return found
