"""`python -m heed`: what make needs beside the notebooks, and what has no notebook."""

import argparse
import json
import os
import shutil
import sys
import tempfile

import pandas as pd

from heed import paths
from heed.corpora import splitting
from heed.corpora.vectors import fetch_all
from heed.errors import HeedError
from heed.experiments import checkpoints
from heed.experiments.audit import EXAMPLE
from heed.experiments.copying import Copies
from heed.experiments.transformers import Classifiers
from heed.experiments.translation import Translations
from heed.runs import schemas
from heed.runs.grid import listed
from heed.runs.run import Run
from heed.runs.verify import verify
from heed.show import audit, ours, report
from heed.show.committed import condense, draw, redraw
from heed.show.export_html import page
from heed.verdict.carried import RUN, committed, finished
from heed.verdict.contrasts import before_and_after, within
from heed.verdict.merging import commit

KINDS = {"copy": Copies, "translate": Translations, "run": Run, "classify": Classifiers}


def checkpoint() -> None:
    """Train the built-in corpus's models, and what the BiLSTM is held against, anew; write their scores."""
    with tempfile.TemporaryDirectory() as folder:
        own = checkpoints.transformer(folder)
        for name in own.checkpoint:
            shutil.copy(own.ensure(name, fresh=True), EXAMPLE)
        print(EXAMPLE.relative_to(paths.ROOT))
        for run in checkpoints.of_the_library(folder).values():
            weights, curve = run.ensure("weights", fresh=True), run.ensure("curve")
            target = checkpoints.FOLDER / run.params.path
            target.mkdir(parents=True, exist_ok=True)
            for file in (weights, curve):
                shutil.copyfile(file, target / file.name)
            print(
                f"{target.relative_to(paths.ROOT)}: {sum(f.stat().st_size for f in target.iterdir())} bytes"
            )
        checkpoints.table(folder).to_csv(checkpoints.SCORES, index=False)


def checked(results: str, deep: bool = False) -> int:
    """Print what `verify` finds, a line a run; 1 if anything is damaged or missing."""
    table, faults = verify(paths.results_folder(results), deep)
    print(table.to_string(index=False))
    for fault in faults:
        print(f"heed: {fault}.")
    print(f"{table['whole'].sum()} products are whole ({table['stale'].sum()} of them stale, that is, made")
    print(f"by another version of the library), {len(faults)} are damaged or missing.")
    if faults:
        print("Delete what is damaged and its run's *.ipynb: the same batch makes it anew, keeps the rest.")
    return int(bool(faults))


def fidelity(results: str, corpora: list[str] | None) -> str:
    """Published cells within the range of our seeds, before and after general vectors, as a table."""
    rows = pd.concat([finished(paths.results_folder(results)), committed()], ignore_index=True)
    rows = rows.drop_duplicates([*RUN, "measure", "class"], keep="first")
    table = within(before_and_after(rows, corpora))
    if table.empty:
        return "No published cell has runs of both kinds here: run `make fidelity`."
    of = table[["cells", "before", "after"]].sum()
    return (
        table.round(3).to_string(index=False)
        + f"\nOf {of['cells']} published cells {of['before']} lie within the range of our seeds with the"
        + f" vectors that everyone has, {of['after']} with general ones."
    )


def main() -> int:
    """Run one command; a HeedError becomes one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m heed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    summary = commands.add_parser("summary", help="merge a results folder's numbers into data/results")
    summary.add_argument("results", nargs="?", default="results")
    commands.add_parser("figures", help="draw data/results/figures anew from the numbers beside them")
    check = commands.add_parser("verify", help="hold a results folder to what run.json recorded")
    check.add_argument("results", nargs="?", default="results")
    check.add_argument("--deep", action="store_true", help="by checksums, not by size and time alone")
    for name, kind in KINDS.items():
        of = commands.add_parser(name, help=f"one product of a run of {kind.kind.__name__}")
        of.add_argument("product")
        of.add_argument("given", help="the run's parameters and results folder, as JSON")
    told = commands.add_parser("report", help="the verdict as a PDF of some eight pages")
    told.add_argument("--results", default="results")
    told.add_argument("--out", default="", help=f"the file to write ({report.NAME} in the results folder)")
    own = commands.add_parser("sentences", help="let trained runs read the project's own sentences anew")
    own.add_argument("results", nargs="?", default="results")
    commands.add_parser("vectors", help="download the word vectors for which profiles ask")
    near = commands.add_parser("fidelity", help="which published cells lie within the range of our seeds")
    near.add_argument("--results", default="results")
    near.add_argument("--corpora", help="of these alone, such as sst,20news")
    commands.add_parser("checkpoint", help="make the committed checkpoints of the built-in corpus anew")
    commands.add_parser("schemas", help="write the forms of run.json and of the tables to data/schemas")
    export = commands.add_parser("page", help="an executed notebook as one HTML file that needs no network")
    export.add_argument("notebook")
    export.add_argument("out", nargs="?")
    asks = commands.add_parser("audit", help="may the attention of your model be shown as an explanation?")
    asks.add_argument("model", nargs="?", default="", help="a folder, a name on the hub, or a run's path")
    asks.add_argument("texts", nargs="?", default="", help="a table with a column text, and label if known")
    asks.add_argument("--out", default="", help="the folder to write (results/audit/MODEL-TEXTS)")
    asks.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the processor (all)")
    asks.add_argument("--set", default="", help="how much is done, such as '{most: 100, corners: 5}'")
    split = commands.add_parser("split", help="divide a table of texts into train, dev and test")
    split.add_argument("file", help="a .csv, .tsv, .jsonl or .parquet file")
    split.add_argument("--out", help="the CSV file to write (NAME-split.csv beside the file)")
    for name in ("text", "label", "query"):
        split.add_argument(f"--{name}", help=f"the column that is the {name}, if it isn't called so")
    split.add_argument("--dev", type=float, default=0.1, help="dev's share of each class's rows (0.1)")
    split.add_argument("--test", type=float, default=0.2, help="test's share (0.2)")
    split.add_argument("--seed", type=int, default=0, help="another one divides otherwise (0)")
    split.add_argument("--force", action="store_true", help="overwrite the file that would be written")
    split.add_argument("--force-split", action="store_true", help="replace a column `split` that is there")
    given = parser.parse_args()
    try:
        if given.command == "summary":
            results = paths.results_folder(given.results)
            runs = commit(results)
            draw(condense(results))
            print(f"data/results/summary.csv holds {runs} runs.")
        elif given.command == "figures":
            print(redraw())
        elif given.command in KINDS:
            print(KINDS[given.command].of(**json.loads(given.given)).ensure(given.product))
        elif given.command == "schemas":
            print(f"{len(schemas.write())} forms are in data/schemas.")
        elif given.command == "page":
            print(page(given.notebook, given.out))
        elif given.command == "audit":
            out = given.out or audit.folder_of(given.model, given.texts)
            made = audit.report(given.model, given.texts, out, given.threads, given.set)
            print(f"{made} is one page that needs no network; tables and figures lie beside it.")
        elif given.command == "split":
            names = {name: getattr(given, name) for name in ("text", "label", "query")}
            how = {name: getattr(given, name) for name in ("dev", "test", "seed", "force", "force_split")}
            print(splitting.report(splitting.split_file(given.file, given.out, names, **how)))
        elif given.command == "sentences":
            print(ours.write(given.results))
        elif given.command == "vectors":
            print("\n".join(fetch_all()))
        elif given.command == "fidelity":
            print(fidelity(given.results, listed(given.corpora) if given.corpora else None))
        elif given.command == "report":
            print(report.report(given.results, given.out))
        elif given.command == "verify":
            return checked(given.results, given.deep)
        else:
            checkpoint()
    except HeedError as error:
        print(f"heed: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
