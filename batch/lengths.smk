"""Chapter 02's experiment, how long is a word? A job a run; its rows go to data/results by `make summary`.

    snakemake -s batch/lengths.smk                                       SST, three kinds of vectors, 3 seeds
    snakemake -s batch/lengths.smk --config corpora=20news encoders=cnn  others: attentions, seeds, vectors, scales

What is finished is kept: the same command goes on from there.
"""

import json
import shlex
import sys

from heed import paths
from heed.errors import HeedError
from heed.experiments.word_lengths import read_lengths

workdir: paths.ROOT

RESULTS = paths.results_folder(config.get("results", "results"))
try:
    RUNS = {run.path: run for run in read_lengths(dict(config))}
except HeedError as error:
    sys.exit(f"heed: {error}")
ROWS = expand(f"{RESULTS}/{{run}}/word-length.parquet", run=RUNS)
HELD = []  # the results folder's lock, as long as this process lives


include: "shell.smk"


wildcard_constraints:
    run="|".join(RUNS),


rule all:
    input:
        ROWS,


rule length:
    output:
        # Updated, not made: snakemake deletes a rule's outputs before it runs again.
        update(f"{RESULTS}/{{run}}/word-length.parquet"),
    params:
        given=lambda wildcards: shlex.quote(
            json.dumps({"results": str(RESULTS)} | RUNS[wildcards.run].model_dump(exclude_unset=True))
        ),
    threads: 1
    message:
        "lengths: {wildcards.run}"
    shell:
        ALONE + "-m heed run word_length {params.given}"


onstart:
    try:
        HELD.append(paths.hold(RESULTS))
        paths.not_in_the_future(RESULTS.rglob("word-length.parquet"))
    except HeedError as error:
        sys.exit(f"heed: {error}")


onsuccess:
    print(f"\n{len(RUNS)} runs are finished; `make summary` puts their rows where chapter 02 reads them.")


onerror:
    print("\nA run failed; the sentence above says why. What was finished is kept: correct the cause and run")
    print("the same command again.")
