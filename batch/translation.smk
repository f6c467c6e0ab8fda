"""Translation at full size, chapter 09b: two seeds and uniform training, what they know of each other, the chapter.

    snakemake -s batch/translation.smk                     Multi30k, German to English
    snakemake -s batch/translation.smk --config seed=3     others: corpus, profile, results, set

A run of them takes an hour or two on one core. Those that are finished are kept, and one that is interrupted goes on
from where it was last looked at.
"""

import json
import shlex
import sys

from heed import paths
from heed.errors import HeedError
from heed.experiments.translation import read_translation

workdir: paths.ROOT

try:
    WANTED, (BASE, *OTHERS) = read_translation(dict(config))
except HeedError as error:
    sys.exit(f"heed: {error}")

RESULTS = paths.results_folder(WANTED["results"])
OF = BASE.model_dump(exclude_unset=True, exclude={"corpus", "profile"})
RUNS = {run.path: run for run in (BASE, *OTHERS)}
CHAPTER = RESULTS / "09b_translation.ipynb"
GIVEN = {"corpus": WANTED["corpus"], "profile": WANTED["profile"], "results": str(RESULTS), "set": OF}
HELD = []  # the results folder's lock, as long as this process lives


include: "shell.smk"


def parameters(path: str) -> str:
    """A run's parameters, for the shell."""
    return shlex.quote(json.dumps({"results": str(RESULTS)} | RUNS[path].model_dump(exclude_unset=True)))


rule all:
    input:
        f"{RESULTS}/{BASE.path}/summary-translated.parquet",
        CHAPTER,


rule translate:
    output:
        # Updated, not made: snakemake deletes a rule's outputs before it runs again, and this one took hours.
        update(f"{RESULTS}/{{run}}/looks.parquet"),
    params:
        given=lambda wildcards: parameters(wildcards.run),
    wildcard_constraints:
        run="|".join(RUNS),
    threads: 1
    message:
        "translation: {wildcards.run}"
    shell:
        ALONE + "-m heed translate looks {params.given}"


rule beside:
    input:
        expand(f"{RESULTS}/{{run}}/looks.parquet", run=RUNS),
    output:
        update(f"{RESULTS}/{BASE.path}/summary-translated.parquet"),
    params:
        given=parameters(BASE.path),
    threads: 1
    message:
        "translation: what they know of each other"
    shell:
        ALONE + "-m heed translate summary_translated {params.given}"


rule chapter_09b_translation:
    input:
        f"{RESULTS}/{BASE.path}/summary-translated.parquet",
    output:
        CHAPTER,
    params:
        chapter="notebooks/09b_translation.ipynb",
        given=shlex.quote(json.dumps(GIVEN)),
    threads: 1
    message:
        "09b_translation: {RESULTS}"
    shell:
        EXECUTE


onstart:
    try:
        HELD.append(paths.hold(RESULTS))
        paths.not_in_the_future(RESULTS.rglob("looks.parquet"))
    except HeedError as error:
        sys.exit(f"heed: {error}")


onsuccess:
    print(f"\nFinished: {RESULTS}/{BASE.path} has looks.parquet, learning.parquet, translations.parquet;")
    print(f"the chapter over them is {CHAPTER}")


onerror:
    print("\nA run failed; the sentence above says why. What was finished is kept: correct the cause and run")
    print("the same command again.")
