"""The batch: every run of a grid through the chapters by papermill, then the verdict.

    snakemake                                    the demo grid (the built-in corpus)
    snakemake --config corpora=sst seeds=0,1,2   any choice over it; grid=NAME takes params/grids/NAME.yaml
"""

import json
import shlex
import sys
from pathlib import Path

from heed import paths
from heed.errors import HeedError, choose
from heed.grid import read_grid, runs_of
from heed.params import corpora

workdir: paths.ROOT

try:
    GRID = read_grid(dict(config))
except HeedError as error:
    sys.exit(f"heed: {error}")

RESULTS = paths.results_folder(GRID["results"])
RUNS = {run.path: run for run in runs_of(GRID)}
# A chapter, the chapters it comes after, and the tables that are its own. Costly products (weights,
# evidence, leave-one-out) aren't among them: snakemake deletes a rule's outputs before it runs again.
CHAPTERS = {
    "01_train": ([], []),
    "02_correlation": (["01_train"], ["correlation.parquet", "summary.parquet"]),
    "03_permutation": (["01_train"], ["permutation.parquet", "summary-permutation.parquet"]),
    "04_adversarial": (["01_train"], ["summary-adversarial.parquet"]),
    "05_heatmaps": (
        ["02_correlation", "03_permutation", "04_adversarial"],
        ["heatmap.parquet", "summary-heatmap.parquet"],
    ),
}
NUMBERS = [name[:2] for name in CHAPTERS]
try:
    WANTED = [choose("chapter of the batch", number, NUMBERS) for number in GRID["chapters"] or NUMBERS]
except HeedError as error:
    sys.exit(f"heed: {error}")
WANTED = [name for name in CHAPTERS if name[:2] in WANTED]
VERDICT = RESULTS / "12_verdict.ipynb"

# One process, one thread; the allocator keeps big blocks instead of returning them at each step.
THREADS = (
    "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MALLOC_MMAP_THRESHOLD_=1073741824 "
    "MALLOC_TRIM_THRESHOLD_=4294967296 MALLOC_TOP_PAD_=268435456"
)
PAPERMILL = f"{THREADS} {sys.executable} -m papermill --no-progress-bar --log-level ERROR --cwd notebooks"
# A kernel on a loopback port says so at each start; a reader of the batch needn't know.
QUIETLY = "2> >(grep -v 'Kernel is running over TCP' >&2)"
# An executed notebook has its name only once it is whole; a failed one is kept under another.
EXECUTE = (
    PAPERMILL + " {params.chapter} {params.aside}.running.ipynb {params.flags} " + QUIETLY +
    " && mv {params.aside}.running.ipynb {output[0]}"
    " || {{ mv -f {params.aside}.running.ipynb {params.aside}.failed.ipynb; exit 1; }}"
)


def parameters(run) -> str:
    """papermill's flags for a run."""
    names = {k: getattr(run, k) for k in ("corpus", "encoder", "attention", "seed", "profile")}
    given = names | {"results": str(RESULTS), "set": GRID["set"]}
    return f"--parameters_yaml {shlex.quote(json.dumps(given))}"


def own_file(wildcards) -> list[str]:
    """The file of a corpus of one's own: once it is edited, the chapters run again."""
    file = corpora()[RUNS[wildcards.run].corpus].get("file")
    return [str(file)] if isinstance(file, Path) and file.is_file() else []


wildcard_constraints:
    run="|".join(RUNS),


rule all:
    input:
        # All of them by name: a verdict of an earlier grid doesn't stand in for this one's chapters.
        [f"{RESULTS}/{run}/{chapter}.ipynb" for run in RUNS for chapter in WANTED],
        VERDICT,


for chapter, (after, tables) in CHAPTERS.items():

    rule:
        name:
            f"chapter_{chapter}"
        input:
            [f"{RESULTS}/{{run}}/{earlier}.ipynb" for earlier in after],
            own_file,
        output:
            notebook=f"{RESULTS}/{{run}}/{chapter}.ipynb",
            tables=[f"{RESULTS}/{{run}}/{table}" for table in tables],
        params:
            # A parameter, not an input: an edited sentence must not retrain a model.
            chapter=f"notebooks/{chapter}.ipynb",
            flags=lambda wildcards: parameters(RUNS[wildcards.run]),
            aside=f"{RESULTS}/{{run}}/{chapter}",
        threads: 1
        message:
            f"{chapter}: {{wildcards.run}}"
        shell:
            EXECUTE


rule verdict:
    input:
        [f"{RESULTS}/{run}/{chapter}.ipynb" for run in RUNS for chapter in WANTED],
    output:
        VERDICT,
    params:
        chapter="notebooks/12_verdict.ipynb",
        flags=f"-p results {RESULTS}",
        aside=f"{RESULTS}/12_verdict",
    message:
        "12_verdict: {RESULTS}"
    shell:
        EXECUTE


onsuccess:
    print(f"\n{len(RUNS)} runs are finished.")
    print(f"  verdict   {VERDICT}")
    print(f"  chapters  {RESULTS}/CORPUS/MODEL/VARIANT/seedN/*.ipynb")
    print(f"  tables    {RESULTS}/CORPUS/MODEL/VARIANT/seedN/*.parquet")
    print(f"  figures   {RESULTS}/CORPUS/MODEL/VARIANT/seedN/figures/*.svg")
    print("Read them with `make lab`, or open a chapter in any notebook viewer.")


onerror:
    print("\nA chapter failed; the sentence above says why. What was finished is kept: correct the cause")
    print(f"and run the same command again. The failed notebook lies as *.failed.ipynb in {RESULTS}.")
