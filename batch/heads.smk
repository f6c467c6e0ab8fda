"""Chapter 09b, several heads: first weights of a head alone, then eight of them together.

    snakemake -s batch/heads.smk                         permutations, params/copying/heads.yaml
    snakemake -s batch/heads.smk --config profile=paper  full size (many hours); others: results, set

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
    if given := {"seeds", "control_seeds"} & config.keys():
        sys.exit(f"heed: make heads has no {min(given)}: heads and sequences have seeds of their own. Leave it out.")
    WANTED = read_copying({"profile": "heads", "seeds": 0} | config)
except HeedError as error:
    sys.exit(f"heed: {error}")

RESULTS = paths.results_folder(WANTED["results"])
RUN = copying_runs(WANTED["seeds"][:1], [], profile=WANTED["profile"], **WANTED["set"])[0]
HELD = []  # the results folder's lock, as long as this process lives


include: "shell.smk"


rule all:
    input:
        f"{RESULTS}/{RUN.path}/summary-heads.parquet",


rule heads:
    output:
        # Updated, not made: snakemake deletes a rule's outputs before it runs again.
        update(f"{RESULTS}/{RUN.path}/summary-heads.parquet"),
    params:
        given=shlex.quote(json.dumps({"results": str(RESULTS)} | RUN.model_dump(exclude_unset=True))),
    threads: 1
    message:
        "heads: {RESULTS}"
    shell:
        ALONE + "-m heed copy summary_heads {params.given}"


onstart:
    try:
        HELD.append(paths.hold(RESULTS))
        paths.not_in_the_future(RESULTS.rglob("summary-heads.parquet"))
    except HeedError as error:
        sys.exit(f"heed: {error}")


onsuccess:
    print(f"\nFinished: {RESULTS}/{RUN.path} has heads.parquet and its summary.")


onerror:
    print("\nA run failed; the sentence above says why. What was finished is kept: correct the cause and run")
    print("the same command again.")
