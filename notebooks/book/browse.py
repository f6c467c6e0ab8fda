"""What `browse` shows: each run of a results folder and of data/results, as script files for file://.

index.js names the runs; a measure's numbers and a run's rows lie in files of their own, read when they are
looked at. Nothing that a run says is ever code: names are shown as text, figures as images, and one with a
script in it not at all.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute
from pyarrow import csv as arrow_csv

from heed import paths, verdict
from heed.errors import HeedError
from heed.measures.registry import MEASURES
from heed.models.encoders import ENCODERS
from heed.registry import corpora
from heed.runs import index
from heed.runs.products import declared, every_product
from heed.show import colours, committed
from heed.show.style import SHAPES
from heed.show.words import visible
from heed.verdict import carried, claims, gathering, paper_tests

AXES = ("corpus", "encoder", "attention", "profile", "given", "seed")
COLUMNS = ["id", "where", *AXES, "variant", "library", "stale", "partial", "n"]
NUMBERS = ["n", "undefined", *verdict.NUMBERS]
# What a reader comes with: a question, the number that answers it, what that number says, and the chapter.
QUESTIONS = (
    ("Does attention rank words as leave-one-out does?", "tau_loo",
     "Kendall τ, the mean over texts: 1 is the same order, 0 none, −1 the reverse.", "02_correlation"),
    ("Does attention rank words as the gradient does?", "tau_gradient",
     "Kendall τ, the mean over texts: 1 is the same order, 0 none, −1 the reverse.", "02_correlation"),
    ("Do gradient and leave-one-out agree with one another?", "tau_gradient_loo",
     "Kendall τ, the mean over texts. It hangs on the length of the word vectors.", "02_correlation"),
    ("What if attention had fallen on other words?", "median_change",
     "How far the prediction moves when attention is shuffled: 0 not at all, 1 as far as can be.",
     "03_permutation"),
    ("How different can attention be, and say the same?", "optimum",
     "JSD of the most different attention that moves the prediction by 0.01 at most: 0 is no other, ln 2 = "
     "0.69 other words altogether.", "04_adversarial"),
    ("How many words must be erased until the decision changes?", "erased_attention",
     "The share of a text's words, from the highest weight down: compare with random and gradient.",
     "06_erasure"),
    ("Is attention needed at all?", "f1",
     "F1 on the test texts: compare additive attention with uniform, which gives every word the same.",
     "07_not_not"),
    ("Would training lead to other attention with the same predictions?", "trained_jsd",
     "JSD of a model that was trained to attend elsewhere: compare with other seeds of the same model.",
     "07_not_not"),
    ("Does attention find the words that decide?", "auroc_attention",
     "On made corpora, whose deciding words are known: 1 always, 0.5 as chance does.", "02_correlation"),
    ("Do the models predict well?", "accuracy", "The share of the test texts that are predicted rightly.",
     "01_train"),
)  # fmt: skip
# Chapters of what is summarised beside a registered measure, by the beginning of its name.
BEGINS = {
    "11": (
        *("auprc_", "average_precision_", "iou_", "marked_", "marks_", "token_f1_", "read_", "blind_"),
        *("comp_", "suff_", "aopc_", "naopc_", "held_", "soft_", "monotonicity", "tau_of_", "overlap_of_"),
    ),
    "13": (
        *("permuted_", "moved_", "flips_", "one_word_keeps", "erased_share_", "erased_sooner", "free_"),
        *("other_jsd_head", "other_jsd_mean", "pieces", "on_"),
        *("tau_norm_", "tau_rollout_", "auroc_norm", "auroc_rollout"),
    ),
    "02": ("tau_", "auroc_", "precision_", "rho_length"),
    "03": ("peaked", "conicity", "support"),
    "04": ("rho_", "proved", "none_feasible"),
    "06": ("erased_", "cell_"),
    "08": (
        "xi_",
        "half_",
        *(f"top_{k}_" for k in ("uniform", "gate", "dropped", "proxy")),
        "top_local",
        "common",
    ),
    "09": (
        "attended",
        "bleu",
        "chance",
        "copied",
        "failure",
        "least",
        "loss",
        "pointed",
        "relevant",
        "single",
        "success",
        "token_accuracy",
        "top_attention",
        "top_relevance",
        "top_linear",
    ),
    "07": ("f1_", "f1 ", "jsd ", "change ", "best_", "uniform_", "room", "transplanted", "epoch", "sure"),
}
LSTM = {"lstm": ("LSTM", "hourglass")}  # chapter 09's encoder: label and shape
OTHER = ["median_change", "found", "optimum", "bound"]
CONTRASTED = ["f1", "accuracy", "tau_gradient", "tau_loo", "median_change", "found"]
CONTRASTS = [
    ("attention", "additive", "uniform"),
    ("attention", "additive", "last"),
    ("encoder", "average", "bilstm"),
    ("encoder", "cnn", "bilstm"),
    ("attention", "dot", "additive"),
]
ACTIVE = ("script", "foreignobject", "iframe", "a", "set", "animate", "animatetransform", "animatemotion")
LARGEST = 8 * 2**20  # bytes of a figure
MANY = 500  # runs that are made ready at a time


@dataclass(frozen=True)
class Found:
    """All rows, those of the results folder first; what of it can't be shown, and why."""

    results: Path
    rows: pd.DataFrame
    problems: list[tuple[str, str]]


def gather(results: Path) -> Found:
    """The finished runs of a results folder and the committed ones that it doesn't have."""
    here, problems = _of_folder(results)
    return Found(results, gathering.together({"here": here, "carried": verdict.committed()}), problems)


def _of_folder(results: Path) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """The rows of a results folder that can be shown; which run can't, or which chapter failed, and why."""
    found, problems = index.gather(results, carried.of_today), []
    folders = [path.rpartition("/")[0] for path in found.files]
    of_run = pd.Series(folders, dtype=object).take(found.of).to_numpy()
    wrong = _wrong(results, found, of_run)
    for name in index.run_folders(results):
        if name in wrong:
            problems.append((name, " ".join(wrong[name].replace(f"{results / name}/", "").split())))
        failed = sorted((results / name).glob("*.failed.ipynb"))
        problems += [(name, f"{file.name}: this chapter failed; its last cell says why.") for file in failed]
    if found.rows.empty:
        return found.rows, problems
    faulty = pd.Series(of_run).isin([*wrong]).to_numpy()
    whole = found.rows[~faulty] if faulty.any() else found.rows
    return whole.astype(_kinds()), problems


def _kinds() -> dict[str, type]:
    """Of which kind each column is."""
    kinds = dict.fromkeys([*NUMBERS, "reader"], float) | {"seed": int, "partial": bool}
    return dict.fromkeys(set(verdict.COLUMNS) - kinds.keys(), str) | kinds


def _wrong(results: Path, found: index.Gathered, of_run: np.ndarray) -> dict[str, str]:
    """The runs whose rows can't be shown, each with a sentence. of_run: the run's folder, of each row."""
    wrong, rows = {}, found.rows
    for path, reason in found.damaged.items():
        sentence = f"{results / path} is damaged ({reason}). Delete it; run the batch again."
        wrong.setdefault(path.rpartition("/")[0], sentence)
    summarised = {*of_run}
    for name in index.run_folders(results):
        if name not in wrong and (name not in summarised or not (results / name / "run.json").is_file()):
            tables = sorted(path.stem for path in (results / name).glob("*.parquet"))
            wrong[name] = (
                f"no {'run.json' if name in summarised else 'summary'}: a model trained for another run's "
                f"chapter, or not finished (it has {', '.join(tables) or 'no table'})."
            )
    if len(rows):
        names = rows[["corpus", "encoder", "attention", "variant", "seed"]].assign(file=found.of)
        for r in names.drop_duplicates().itertuples():
            folder = found.files[r.file].rpartition("/")[0]
            if f"{r.corpus}/{r.encoder}-{r.attention}/{r.variant}/seed{r.seed}" != folder:
                other = "its summary is of another run. Delete it and run the batch again."
                wrong.setdefault(folder, other)
        try:
            rows.astype(_kinds())
        except (ValueError, TypeError):
            for name, own in rows.groupby(of_run):
                try:
                    own.astype(_kinds())
                except (ValueError, TypeError) as error:
                    wrong.setdefault(name, str(error))
    return wrong


def chapter_of(measure: str) -> str:
    """The chapter that a number comes from."""
    if measure in MEASURES:
        return every_product()[MEASURES[measure].of].chapter
    if " lie=" in measure:  # another chapter's measure, of a liar
        return "14"
    begun = (chapter for chapter, begins in BEGINS.items() if measure.startswith(begins))
    return next(begun, "01")


def slug(text: str) -> str:
    """A file's name for any text, distinct for distinct ones."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip(".")[:100]
    return plain if plain == text else f"{plain}-{paths.text_hash(text)[:8]}"


def harmful(path: Path) -> str:
    """Why an SVG isn't taken over, in a few words; nothing if it is an image and no more."""
    if path.is_symlink() or not path.is_file():
        return "no plain file"
    if path.stat().st_size > LARGEST:
        return f"larger than {LARGEST >> 20} MiB"
    text = path.read_bytes()
    try:
        if b"<!ENTITY" in text or b"<?xml-stylesheet" in text:
            return "it defines entities or takes a style from elsewhere"
        for node in ElementTree.fromstring(text).iter():
            tag = str(node.tag).rpartition("}")[2].lower()
            if tag in ACTIVE:
                return f"it has an element {tag}"
            inside = "" if tag in ("text", "tspan") else node.text or ""  # a word is no rule
            for name, value in [*node.attrib.items(), ("style", inside)]:
                name = name.rpartition("}")[2].lower()
                outside = name == "href" and not value.startswith(("#", "data:image/png"))
                style = "@import" in value or re.search(r"url\(\s*['\"]?(?!#)", value) or "\\" in value
                if name.startswith("on") or outside or (style and (name == "style" or tag != "text")):
                    return f"it has an attribute {name} that reaches out"
    except (ElementTree.ParseError, ValueError):
        return "it can't be read as SVG"
    return ""


def plain(value):
    """JSON-ready: text with what is invisible made visible, numbers with 6 digits, nothing for NaN."""
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, int | np.integer):
        return int(value)
    return float(f"{value:.6g}") if np.isfinite(value) else None


def call(path: Path, *given) -> None:
    """A script file that hands JSON to the page: `heed(kind, ...)`."""
    _written(path, [json.dumps(plain(item), separators=(",", ":")) for item in given])


def _written(path: Path, parts: list[str]) -> None:
    path.write_text(f"heed({','.join(parts)})\n".replace("<", "\\u003c"), encoding="ascii")


def call_with_lines(path: Path, kind: str, name: str, lines: pa.Array) -> None:
    """A script file that hands a table's rows to the page, each a line of JSON as `as_json` makes them."""
    _written(path, [json.dumps(kind), json.dumps(visible(name)), f"[{','.join(lines.to_pylist())}]"])


def as_json(rows: pd.DataFrame) -> pa.Array:
    """Each row as `plain` and JSON would have it: what is invisible made visible, numbers with 6 digits."""
    numbers = {name: _six_digits(rows[name].to_numpy(float)) for name in NUMBERS}
    table = _with_texts(rows.assign(**numbers), lambda text: json.dumps(visible(text)))
    parts = [column.cast(pa.string()).fill_null("null") for column in table.columns]
    lines = compute.binary_join_element_wise(*parts, ",")
    return compute.binary_join_element_wise("[", lines, "]", "").combine_chunks()


def to_csv(path: Path, rows: pa.Table) -> None:
    """A table as CSV. rows: as `for_spreadsheet` makes them."""
    arrow_csv.write_csv(rows, path)


def for_spreadsheet(rows: pd.DataFrame) -> pa.Table:
    """Rows as they go into CSV: a text that a spreadsheet would compute gets a quote before it."""
    return _with_texts(rows, lambda text: f"'{text}" if text.startswith(("=", "+", "-", "@")) else text)


def _six_digits(values: np.ndarray) -> np.ndarray:
    """Numbers rounded to six digits; what isn't finite is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = 5 - np.floor(np.log10(np.abs(values)))  # of nought without end
        scale = 10.0 ** np.clip(digits, -300, 300)
        return np.where(np.isfinite(values), np.round(values * scale) / scale, np.nan)


def _with_texts(rows: pd.DataFrame, change: Callable[[str], str]) -> pa.Table:
    """A table whose texts are changed, each distinct one once: of many rows few texts differ."""
    made = {}
    for name, column in rows.items():
        if pd.api.types.is_numeric_dtype(column):
            made[name] = pa.array(column.to_numpy(), from_pandas=True)
        else:
            codes, texts = pd.factorize(column)
            changed = pa.array([change(str(text)) for text in texts], pa.string())
            made[name] = changed.take(pa.array(codes, mask=codes < 0))
    return pa.table(made)


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that the verdict's tables, claims and tests are of, without what no table reads.

    Of many runs that is a fraction of what memory holds.
    """
    of_claims = {which[1] for claim in claims.every() for which in (claim.of, claim.minus) if which}
    measures = {*verdict.published()["measure"], *of_claims, *paper_tests.NEEDED, *OTHER, *CONTRASTED}
    columns = rows.columns.drop(["library", "machine", "reader", "training", "vectors", "where"])
    return rows.loc[rows["measure"].isin([*measures, "accuracy", "auc"]), columns]


def tables(rows: pd.DataFrame) -> list[dict]:
    """The verdict's tables. rows: `judged` ones are enough."""
    asked = [name for name, entry in corpora().items() if entry.get("task") in ("qa", "nli")]
    found, by = {}, {"site": "the authors' later site", "paper": "the paper"}
    for profile, source, of_questions in (
        ("site", "site", 0),
        ("paper2019", "paper", 0),
        ("paper", "paper", 1),
    ):
        cells = verdict.beside(rows, profile, source)
        cells = cells[cells["corpus"].isin(asked) == bool(of_questions)]
        names = [*verdict.CELL, "statistic", "reported", "mean", "min", "max", "seeds", "cell", "partial"]
        ours = {"mean": "ours", "min": "lowest seed", "max": "highest seed"}
        what = ", where something is asked" if of_questions else ""
        caption = f"Published ({by[source]}), beside ours of profile {profile}{what}"
        found[f"published-{profile}"] = caption, cells[names].rename(columns=ours)
    found["table2"] = "Table 2 of any run: mean ± std over texts [lowest, highest seed]", verdict.table2(rows)
    changes = verdict.means(rows, OTHER)
    found["other"] = "Other attention, same prediction: mean over seeds [lowest, highest]", changes
    for axis, first, second in CONTRASTS:
        caption = f"{first} minus {second}, on the same seeds: mean [lowest, highest]"
        found[f"{first}-{second}"] = caption, verdict.contrast(rows, axis, first, second, CONTRASTED)
    found["claims"] = "The paper's claims on each corpus and profile", claims.table(rows)
    found["tests"] = (
        "What each paper's test says (BiLSTM, additive, profile paper)",
        paper_tests.tests(paper_tests.readings(rows)),
    )
    return [
        {"name": name, "caption": caption, "columns": list(t), "rows": t.astype(object).to_numpy().tolist()}
        for name, (caption, t) in found.items()
    ]


def look(label: str, shape: str, colour: str, on_dark: str) -> dict[str, str]:
    """What the page calls an encoder and how it draws its marks; shape: one of SHAPES."""
    return {"label": label, "shape": SHAPES[shape], "colour": colour, "onDark": on_dark}


def encoders() -> dict[str, dict[str, str]]:
    """Every encoder's look, in the order of figures."""
    named = {name: (kind.label, kind.shape) for name, kind in ENCODERS.items()} | LSTM
    pairs = cycle(zip(colours.SERIES, colours.SERIES_ON_DARK, strict=True))
    return {name: look(*own, *pair) for (name, own), pair in zip(named.items(), pairs, strict=False)}


def _name(run) -> str:
    given = f"-{paths.text_hash(run.given)[:6]}" if run.given else ""  # what only measures depend on
    return f"{run.corpus}-{run.encoder}-{run.attention}-{run.variant}{given}-seed{run.seed}"


def drawings(found: Found, runs: pd.DataFrame, folder: Path) -> list[dict]:
    """Copy every figure that is an image and no more; say which run or group each is of."""
    shown, rows = [], verdict.committed()
    plain = verdict.plain(rows)
    chapters = rows["measure"].map({m: chapter_of(m) for m in rows["measure"].unique()})
    for path in sorted(committed.FIGURES.glob("*.svg")):
        if path.stem == committed.EMBLEM:  # of no run
            continue
        try:
            parts = committed.parts_of(path.stem)
        except HeedError:
            parts, why = {}, "its name says not what it is of"
        if not parts or (why := harmful(path)):
            found.problems.append((f"data/results/figures/{path.name}", f"left out: {why}."))
            continue
        kind, vectors = parts.pop("kind"), parts.pop("vectors", "")
        chapter = committed.chapter_of(kind)
        own = rows[rows["given"] == f"vectors={vectors}"] if vectors else plain
        own = own[(own[[*parts]] == [*parts.values()]).all(axis=1) & (chapters[own.index] == chapter)]
        of = {
            name: parts.get(name) or sorted(own[name].unique()) for name in ("corpus", "attention", "profile")
        }
        shutil.copyfile(path, folder / path.name)
        to_csv(folder / f"{path.stem}.csv", for_spreadsheet(own[verdict.COLUMNS]))
        title = f"{kind}, {vectors}" if vectors else kind
        about = {"id": path.stem, "title": title, "chapter": chapter, "file": path.stem}
        given = f"vectors={vectors}" if vectors else ""
        shown.append(about | {"of": of | {"given": given, "where": "carried"}})
    for run in runs[runs["where"] == "here"].itertuples():
        model = f"{run.encoder}-{run.attention}"
        source = found.results / run.corpus / model / run.variant / f"seed{run.seed}" / "figures"
        for path in sorted(source.glob("*.svg")):
            if why := harmful(path):
                found.problems.append((path.relative_to(found.results).as_posix(), f"left out: {why}."))
                continue
            name = slug(f"{run.id}-{path.stem}")
            shutil.copyfile(path, folder / f"{name}.svg")
            about = {
                "id": name,
                "title": path.stem.partition("_")[2].replace("-", " "),
                "chapter": path.stem.partition("_")[0],
                "file": name,
            }
            of = {axis: getattr(run, axis) for axis in (*AXES, "where")}
            shown.append(about | {"run": run.id, "of": of})
    return shown


def _runs(rows: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """What the page lists of each run, and of each row the place of its run there."""
    by = rows.groupby(verdict.RUN, sort=False)
    once = {"where": "first", "library": "first", "partial": "any", "n": "max"}
    runs = by.agg(once).reset_index()
    runs["id"] = [slug(_name(run)) for run in runs.itertuples()]
    runs["stale"] = runs["library"] != paths.library_hash()
    return runs, by.ngroup().to_numpy()


def _write_runs(folder: Path, rows: pd.DataFrame, of_run: np.ndarray, ids: list[str]) -> None:
    """Each run's numbers, for the page and as CSV. of_run: the run of each row, a place among `ids`."""
    order = np.argsort(of_run, kind="stable")
    begins = np.searchsorted(of_run[order], np.arange(len(ids) + 1))
    for first in range(0, len(ids), MANY):
        names, edges = ids[first : first + MANY], begins[first : first + MANY + 1]
        own = rows.iloc[order[edges[0] : edges[-1]]]
        lines, sheet = as_json(own[["measure", "class", *NUMBERS]]), for_spreadsheet(own[verdict.COLUMNS])
        for name, begin, end in zip(names, edges - edges[0], edges[1:] - edges[0], strict=False):
            call_with_lines(folder / f"{name}.js", "run", name, lines[begin:end])
            to_csv(folder / f"{name}.csv", sheet[begin:end])


def _write_measures(folder: Path, rows: pd.DataFrame, of_run: np.ndarray) -> list[dict]:
    """Each measure's numbers of all runs; returns what the page says of the measures, in its order."""
    measures = []
    order = {name: k for k, name in enumerate(MEASURES)}
    at = rows.groupby("measure").indices
    for k, name in enumerate(sorted(at, key=lambda m: (chapter_of(m), order.get(m, len(order)), m))):
        label = MEASURES[name].label if name in MEASURES else name.replace("_", " ")
        measures.append({"name": name, "label": label, "chapter": chapter_of(name)})
        own = rows[["class", *NUMBERS]].iloc[at[name]]
        own.insert(0, "run", of_run[at[name]])
        call_with_lines(folder / f"{k}.js", "measure", name, as_json(own))
    return measures


def write(folder: Path, found: Found) -> None:
    """Write all that the page reads into a new folder."""
    declared()  # so that each measure's label is known
    for name in ("figures", "runs", "measures"):
        (folder / name).mkdir(parents=True)
    runs, of_run = _runs(found.rows)
    _write_runs(folder / "runs", found.rows, of_run, runs["id"].to_list())
    measures = _write_measures(folder / "measures", found.rows, of_run)
    names = [measure["name"] for measure in measures]
    published = verdict.published().query("statistic == 'mean'").dropna(subset="reported")
    published = published[["source", "corpus", "class", "encoder", "measure", "reported"]]
    page = {
        "library": paths.library_hash(),
        "encoders": encoders(),
        "other": look("another encoder", "plus", colours.UNKNOWN, colours.UNKNOWN),
        "columns": COLUMNS,
        "runs": runs[COLUMNS].to_numpy().tolist(),
        "numbers": NUMBERS,
        "measures": measures,
        "questions": [list(asked) for asked in QUESTIONS if asked[1] in names],
        "figures": drawings(found, runs, folder / "figures"),
        "tables": tables(judged(found.rows)),
        "published": published.to_numpy().tolist(),
        "problems": found.problems,
    }
    call(folder / "index.js", "index", page)
