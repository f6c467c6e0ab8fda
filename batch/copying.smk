"""Chapter 09's batch: copying at full size, a job a task, model and seed; then the chapter over them all.

    snakemake -s batch/copying.smk                     20 seeds of each task, 5 of each control
    snakemake -s batch/copying.smk --config seeds=0,1  others: control_seeds, profile, results, set

What is finished is kept: the same command goes on from there.
"""

import json
import shlex
import sys

from heed import paths
from heed.errors import HeedError
from heed.experiments.copying import copying_runs, read_copying

workdir: paths.ROOT

try:
    WANTED = read_copying(dict(config))
except HeedError as error:
    sys.exit(f"heed: {error}")

RESULTS = paths.results_folder(WANTED["results"])
SEEDS = WANTED["seeds"], WANTED["control_seeds"]
RUNS = {run.path: run for run in copying_runs(*SEEDS, profile=WANTED["profile"], **WANTED["set"])}
COPIED = expand(f"{RESULTS}/{{run}}/summary-copied.parquet", run=RUNS)
CHAPTER = RESULTS / "09_copying.ipynb"
HELD = []  # the results folder's lock, as long as this process lives


include: "shell.smk"


wildcard_constraints:
    run="|".join(RUNS),


rule all:
    input:
        COPIED,
        CHAPTER,


rule copy:
    output:
        # Updated, not made: snakemake deletes a rule's outputs before it runs again.
        update(f"{RESULTS}/{{run}}/summary-copied.parquet"),
    params:
        given=lambda wildcards: shlex.quote(
            json.dumps({"results": str(RESULTS)} | RUNS[wildcards.run].model_dump(exclude_unset=True))
        ),
    threads: 1
    message:
        "copying: {wildcards.run}"
    shell:
        ALONE + "-m heed copy summary_copied {params.given}"


rule chapter_09_copying:
    input:
        COPIED,
    output:
        CHAPTER,
    params:
        chapter="notebooks/09_copying.ipynb",
        given=shlex.quote(json.dumps(WANTED | {"results": str(RESULTS)})),
    threads: 1
    message:
        "09_copying: {RESULTS}"
    shell:
        EXECUTE


onstart:
    try:
        HELD.append(paths.hold(RESULTS))
        paths.not_in_the_future(RESULTS.rglob("summary-copied.parquet"))
    except HeedError as error:
        sys.exit(f"heed: {error}")


onsuccess:
    print(f"\n{len(RUNS)} runs of copying are finished; the chapter over them is {CHAPTER}")


onerror:
    print("\nA run failed; the sentence above says why. What was finished is kept: correct the cause and run")
    print("the same command again.")
