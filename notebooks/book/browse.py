"""What `browse` shows: every run of a results folder and of data/results, as script files (file:// has no fetch).

index.js names the runs; a measure's numbers and a run's rows lie in files of their own, read when they are
looked at. Nothing that a run says is ever code: names are shown as text, figures as images, and one with a
script in it not at all.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from heed import claims, figures, paths, verdict
from heed.errors import HeedError
from heed.heatmap import visible
from heed.measures import MEASURES
from heed.params import corpora
from heed.products import SUMMARISED

AXES = ("corpus", "encoder", "attention", "profile", "given", "seed")
# Chapters of what is summarised beside a registered measure, by the beginning of its name.
BEGINS = {"f1_": "07", "f1 ": "07", "jsd ": "07", "change ": "07", "best_": "07", "uniform_": "07", "room": "07",
          "transplanted": "07", "auroc_": "02", "precision_": "02", "rho_length": "02", "tau_": "02",
          "rho_": "04", "proved": "04"}  # fmt: skip
DRAWN = {"correlation": "02", "permutation": "03", "adversarial": "04", "erasure": "06", "points": "07"}
TITLES = {
    "f1": "F1 of class 1",
    "auc": "area under the ROC curve",
    "peaked": "share of texts with a weight above 0.5",
}
LARGEST = 8 * 2**20  # bytes of a figure


@dataclass(frozen=True)
class Found:
    """All rows, those of the results folder first; its folders and files that can't be shown, and why."""

    results: Path
    rows: pd.DataFrame
    problems: list[tuple[str, str]]


def gather(results: Path) -> Found:
    """The finished runs of a results folder and the committed ones that it doesn't have."""
    here, problems = [], []
    for folder in sorted(results.glob("*/*/*/seed*")):
        name = folder.relative_to(results).as_posix()
        try:
            rows = verdict.finished(results, name)
            if rows.empty:
                made = ", ".join(sorted(path.stem for path in folder.glob("*.parquet"))) or "nothing"
                raise HeedError(
                    f"not finished: no summary yet (it has {made}). The same batch goes on with it."
                )
            of = rows[["corpus", "encoder", "attention", "variant", "seed"]].drop_duplicates().astype(str)
            if any(
                f"{r.corpus}/{r.encoder}-{r.attention}/{r.variant}/seed{r.seed}" != name
                for r in of.itertuples()
            ):
                raise HeedError("its summary is of another run. Delete it and run the batch again.")
            numbers = {column: rows[column].astype(float) for column in (*verdict.NUMBERS, "n", "undefined")}
            texts = {
                column: rows[column].astype(str)
                for column in ("profile", "given", "measure", "class", "library")
            }
            here.append(rows.assign(**numbers, **texts, seed=rows["seed"].astype(int), where="here"))
        except (HeedError, ValueError, TypeError) as error:
            problems.append((name, " ".join(str(error).replace(f"{results}/", "").split())))
        failed = [path.name for path in sorted(folder.glob("*.failed.ipynb"))]
        problems += [(name, f"{file}: this chapter failed; its last cell says why") for file in failed]
    parts = [part for part in (*here, verdict.committed().assign(where="carried")) if len(part)]
    rows = pd.concat(parts, ignore_index=True) if parts else verdict.committed().assign(where="")
    rows = rows.drop_duplicates([*verdict.RUN, "measure", "class"], ignore_index=True)
    return Found(results, rows, problems)


def chapter_of(measure: str) -> str:
    """The chapter that a number comes from."""
    named = (chapter for chapter, names in SUMMARISED.items() if measure in names)
    begun = (chapter for begin, chapter in BEGINS.items() if measure.startswith(begin))
    return next(named, None) or next(begun, "01")


def slug(text: str) -> str:
    """A file's name for any text, distinct for distinct ones."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip(".")[:100]
    return plain if plain == text else f"{plain}-{paths.text_hash(text)[:8]}"


def harmless(path: Path) -> str:
    """Why an SVG isn't taken over, in a few words; nothing if it is an image and no more."""
    if path.is_symlink() or not path.is_file():
        return "no plain file"
    if path.stat().st_size > LARGEST:
        return f"larger than {LARGEST >> 20} MiB"
    text = path.read_bytes()
    try:
        if b"<!ENTITY" in text:
            return "it defines entities"
        for node in ElementTree.fromstring(text).iter():
            tag = str(node.tag).rpartition("}")[2].lower()
            if tag in ("script", "foreignobject", "iframe", "a", "set", "animate"):
                return f"it has an element {tag}"
            for name, value in node.attrib.items():
                name = name.rpartition("}")[2].lower()
                if name.startswith("on") or (
                    name == "href" and not value.startswith(("#", "data:image/png"))
                ):
                    return f"it has an attribute {name}"
    except (ElementTree.ParseError, ValueError):
        return "it can't be read as SVG"
    return ""


def plain(value):
    """JSON-ready: text with what is invisible made visible, numbers with 6 digits, nothing for NaN."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, bool | np.bool_ | None):
        return None if value is None else bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(f"{value:.6g}") if np.isfinite(value) else None


def call(path: Path, *given) -> None:
    """A script file that hands JSON to the page: `heed("kind", ...)`."""
    text = ",".join(json.dumps(plain(item), ensure_ascii=True, separators=(",", ":")) for item in given)
    path.write_text(f"heed({text})\n".replace("<", "\\u003c"), encoding="utf-8")


def tabled(name: str, caption: str, frame: pd.DataFrame) -> dict:
    """A table for the page."""
    frame = frame.astype(object).where(frame.notna(), None)
    return {"name": name, "caption": caption, "columns": list(frame), "rows": frame.to_numpy().tolist()}


def tables(rows: pd.DataFrame) -> list[dict]:
    """The verdict's tables."""
    asked = [name for name, entry in corpora().items() if "task" in entry]
    beside = [("later site beside profile site", "site", "site", None), ("paper beside profile paper2019", "paper2019", "paper", None),
              ("paper beside profile paper, where something is asked", "paper", "paper", asked)]  # fmt: skip
    found = []
    for caption, profile, source, only in beside:
        cells = verdict.beside(rows, profile, source)
        cells = cells[cells["corpus"].isin(only)] if only else cells[~cells["corpus"].isin(asked)]
        columns = [
            "corpus",
            "class",
            "encoder",
            "measure",
            "statistic",
            "reported",
            "mean",
            "min",
            "max",
            "seeds",
            "cell",
        ]
        cells = cells[[*columns, "partial"]].rename(
            columns={"mean": "ours", "min": "lowest seed", "max": "highest seed"}
        )
        found.append(tabled(f"published-{profile}", f"Published: the {caption}", cells))
    found.append(
        tabled(
            "table2",
            "Table 2 of any runs: mean ± std over texts [lowest, highest seed]",
            verdict.table2(rows),
        )
    )
    measures = ["median_change", "found", "optimum", "bound"]
    found.append(
        tabled(
            "counterfactual",
            "Other attention, same prediction: mean over seeds [range]",
            verdict.means(rows, measures),
        )
    )
    measures = ["f1", "accuracy", "tau_gradient", "tau_loo", "median_change", "found"]
    for axis, first, second in (("attention", "additive", "uniform"), ("attention", "additive", "last"),
                                ("encoder", "average", "bilstm"), ("encoder", "cnn", "bilstm"),
                                ("attention", "dot", "additive")):  # fmt: skip
        gap = verdict.contrast(rows, axis, first, second, measures)
        if len(gap):
            found.append(
                tabled(f"{first}-{second}", f"{first} minus {second}, on the same seeds: mean [range]", gap)
            )
    found.append(tabled("claims", "The paper's claims on each corpus and profile", claims.table(rows)))
    found.append(
        tabled("tests", "What each paper's test says (BiLSTM, additive, profile paper)", claims.tests(rows))
    )
    return found


def drawings(found: Found, runs: pd.DataFrame, folder: Path) -> list[dict]:
    """Copy every figure that is an image and no more; say which run or group each is of."""
    shown, names = [], [*DRAWN]
    for path in sorted((paths.DATA / "results" / "figures").glob("*.svg")):
        parts = re.fullmatch(rf"(.+)-(\w+)-(\w+)-({'|'.join(names)})", path.stem)
        if not parts or (why := harmless(path)):
            found.problems.append(
                (f"data/results/figures/{path.name}", f"left out: {why if parts else 'unknown name'}")
            )
            continue
        of = dict(zip(("corpus", "attention", "profile"), parts.groups()[:3], strict=True)) | {"given": ""}
        rows = verdict.plain(found.rows)
        rows = rows[(rows[["corpus", "attention", "profile"]] == tuple(parts.groups()[:3])).all(axis=1)]
        rows = rows[[chapter_of(m) == DRAWN[parts[4]] for m in rows["measure"]]]
        shutil.copyfile(path, folder / path.name)
        rows.drop(columns="where").to_csv(folder / f"{path.stem}.csv", index=False, float_format="%.6g")
        shown.append(
            {"id": path.stem, "title": parts[4], "chapter": DRAWN[parts[4]], "file": path.stem, "of": of}
        )
    for run in runs[runs["where"] == "here"].itertuples():
        source = (
            found.results / run.corpus / f"{run.encoder}-{run.attention}" / run.variant / f"seed{run.seed}"
        )
        for path in sorted((source / "figures").glob("*.svg")):
            if why := harmless(path):
                found.problems.append((path.relative_to(found.results).as_posix(), f"left out: {why}"))
                continue
            name = slug(f"{run.id}-{path.stem}")
            shutil.copyfile(path, folder / f"{name}.svg")
            of = {axis: getattr(run, axis) for axis in AXES}
            shown.append({"id": name, "title": path.stem[3:].replace("-", " "), "chapter": path.stem[:2], "file": name,
                          "run": run.id, "of": of})  # fmt: skip
    return shown


def write(folder: Path, found: Found) -> None:
    """Write all that the page reads into a new folder."""
    for name in ("figures", "runs", "measures"):
        (folder / name).mkdir(parents=True)
    rows, current = found.rows, paths.library_hash()
    runs = rows.groupby(verdict.RUN, sort=False).agg(
        where=("where", "first"), library=("library", "first"), partial=("partial", "any"), n=("n", "max")
    ).reset_index()  # fmt: skip
    runs["id"] = [
        slug("-".join(map(str, (r.corpus, r.encoder, r.attention, r.variant, f"seed{r.seed}"))))
        for r in runs.itertuples()
    ]
    runs["stale"] = runs["library"] != current
    place = rows[verdict.RUN].merge(runs.reset_index()[[*verdict.RUN, "index"]], on=verdict.RUN, how="left")[
        "index"
    ]
    rows = rows.assign(run=place.to_numpy())
    numbers = ["n", "undefined", *verdict.NUMBERS]
    for k, own in rows.groupby("run"):
        name = runs.at[k, "id"]
        own.drop(columns=["run", "where"]).to_csv(
            folder / "runs" / f"{name}.csv", index=False, float_format="%.6g"
        )
        call(
            folder / "runs" / f"{name}.js",
            "run",
            name,
            own[["measure", "class", *numbers]].to_numpy().tolist(),
        )
    names = sorted(rows["measure"].unique(), key=lambda m: (chapter_of(m), m not in MEASURES, m))
    measures = []
    for k, name in enumerate(names):
        own, of = rows[rows["measure"] == name], MEASURES.get(name)
        label = of.label if of else TITLES.get(name, name.replace("_", " "))
        bounds = [b if np.isfinite(b) else None for b in map(float, of.range)] if of else [None, None]
        about = {"says": f"{of.direction}; {of.source}" if of else "", "range": bounds}
        measures.append({"name": name, "label": label, "chapter": chapter_of(name), **about})
        call(
            folder / "measures" / f"{k}.js",
            "measure",
            name,
            own[["run", "class", *numbers]].to_numpy().tolist(),
        )
    shown = drawings(found, runs, folder / "figures")
    published = verdict.published().dropna(subset="reported")
    published = published[published["statistic"] == "mean"]
    columns = ["id", "where", *AXES, "variant", "library", "stale", "partial", "n"]
    call(folder / "index.js", "index", {
        "library": current,
        "encoders": figures.ENCODERS,
        "columns": columns, "runs": runs[columns].to_numpy().tolist(),
        "measures": measures, "numbers": numbers, "figures": shown, "tables": tables(found.rows),
        "published": published[["source", "corpus", "class", "encoder", "measure", "reported"]].to_numpy().tolist(),
        "problems": found.problems,
    })  # fmt: skip
