"""Finished runs that nobody ran, as folders: what the site is tried with. Summaries and figures only."""

import hashlib
import io
import json
from itertools import islice, product
from pathlib import Path

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.params import Params, resolve
from heed.runs.products import files
from heed.verdict import carried
from small_run import ELSEWHERE

MEASURES = ("tau_gradient", "tau_loo", "tau_gradient_loo", "median_change", "found", "optimum", "bound")
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"'
FIGURE = HEAD + '><path d="M0 0L40 {0}" stroke="#d95f02"/></svg>'


def summary(seed=0, corpus="planted", encoder="bilstm", attention="additive", profile="paper",
            variant="paper-00000000", given="", library=None, measures=MEASURES) -> pd.DataFrame:  # fmt: skip
    """The rows of one run; the numbers are drawn."""
    mean = np.random.default_rng([seed, len(encoder), len(attention)]).uniform(0.1, 0.6, 3 * len(measures))
    columns = {
        "measure": np.repeat(measures, 3).astype(object),
        "class": ["overall", "0", "1"] * len(measures),
    }
    columns |= {"mean": mean, "std": 0.1, "significant": np.nan, "low": mean - 0.02, "high": mean + 0.02}
    columns |= {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile}
    columns |= {"variant": variant, "given": given, "seed": seed, "n": 100, "undefined": 0, "partial": False}
    made = pd.DataFrame(columns | {"library": library or paths.library_hash()})
    return carried.filled(made)[verdict.COLUMNS]


def write(results: Path, rows: pd.DataFrame, figures: dict[str, str] | None = None) -> Path:
    """Lay a run's folder out as `Run` does; return it."""
    r = rows.iloc[0]
    folder = results / r["corpus"] / f"{r['encoder']}-{r['attention']}" / r["variant"] / f"seed{r['seed']}"
    (folder / "figures").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    rows.to_parquet(folder / "summary.parquet")
    for name, drawing in (figures or {}).items():
        (folder / "figures" / name).write_text(drawing)
    return folder


def many(results: Path, count: int = 500) -> None:
    """So many planted runs over encoders, attentions, profiles and seeds, with three figures each."""
    grid = product(range(count), ("bilstm", "average", "cnn"), ("additive", "dot"), ("paper", "site"))
    for seed, encoder, attention, profile in islice(grid, count):
        rows = summary(seed, "planted", encoder, attention, profile, f"{profile}-00000000")
        figures = {f"0{k}_{name}.svg": FIGURE.format(seed % 20) for k, name in
                   ((2, "correlations"), (3, "permutation"), (4, "search"))}  # fmt: skip
        write(results, rows, figures)


# What `full` runs are of: as many models as stand here, then seed upon seed.
FULL = list(product(("sst", "imdb", "20news", "ade", "agnews"), ("bilstm", "average", "cnn"),
                    ("additive", "dot"), ("paper", "site")))  # fmt: skip
CHAPTERS = ("01_train", "02_correlation", "03_permutation", "04_adversarial", "05_heatmaps", "06_erasure",
            "07_not_not", "08_relevance", "11_rationales", "14_lies_and_repairs")  # fmt: skip
NAMED = ("corpus", "encoder", "attention", "profile")
SEED = 0x5EED5EED5EED5EED  # in whose place a run's own is written
RECORD = {"origin": "made", "settings": {}, "versions": {"python": "3.11.7"}, "device": "cpu",
          "machine": "a processor", "seconds": 1.5, "peak_memory_mib": 400}  # fmt: skip


def full(results: Path, count: int) -> None:
    """So many runs that went through all chapters, as folders that look as real ones do.

    Each has the rows of the carried run with the most, in the summaries of its chapters; every product's file
    (what isn't read here is short), and run.json with their checksums and sizes; its chapters and a figure.
    """
    template = _rows_of_largest()
    products = {name: file for name, file in files().items() if name not in ELSEWHERE}
    summaries = [name for name, file in products.items() if file.startswith("summary")]
    parts = [template.iloc[part] for part in np.array_split(np.arange(len(template)), len(summaries))]
    filling = np.random.default_rng(0).bytes(2000)
    for nth, names in enumerate(FULL):
        model = resolve(dict(zip(NAMED, names, strict=True)))
        named = {name: getattr(model, name) for name in (*NAMED, "variant")} | {"seed": SEED}
        tables = {}
        for name, part in zip(summaries, parts, strict=True):
            tables[name] = _as_parquet(part.assign(**named))
        for seed in range(len(range(nth, count, len(FULL)))):
            contents = {}
            for name in products:
                short = filling[: 200 + 20 * len(name)] + _bytes(SEED)
                contents[name] = tables.get(name, short).replace(_bytes(SEED), _bytes(seed))
            _lay_out(results, model.model_copy(update={"seed": seed}), products, contents)


def _lay_out(results: Path, params: Params, products: dict[str, str], contents: dict[str, bytes]) -> None:
    """Write a run's folder."""
    folder, records = results / params.path, {}
    (folder / "figures").mkdir(parents=True)
    for name, content in contents.items():
        (folder / products[name]).write_bytes(content)
        records[name] = RECORD | {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        records[name]["library"] = paths.library_hash()
    run = {"schema": 1, "parameters": params.model_dump(mode="json"), "products": records}
    run["scores"] = {"test": {"accuracy": 0.8, "f1": 0.8}}
    (folder / "run.json").write_text(json.dumps(run, indent=1, sort_keys=True), encoding="utf-8")
    for chapter in CHAPTERS:
        (folder / f"{chapter}.ipynb").write_text('{"cells": []}')
    (folder / "figures" / "02_correlations.svg").write_text(FIGURE.format(params.seed % 20))


def _bytes(number: int) -> bytes:
    return number.to_bytes(8, "little")


def _as_parquet(table: pd.DataFrame) -> bytes:
    """As `Run` writes it. The seed, one value of eight bytes, stands there as it is."""
    into = io.BytesIO()
    table.to_parquet(into, index=False)
    return into.getvalue()


def _rows_of_largest() -> pd.DataFrame:
    """The rows of the carried run that has the most, as a run's summaries hold them."""
    carried_rows = verdict.committed()
    own = carried_rows.groupby(verdict.RUN)
    rows = own.get_group(own.size().idxmax())
    return rows.assign(library=paths.library_hash())[verdict.COLUMNS]
