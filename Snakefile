"""The batch: every run of a grid through the chapters by papermill, then the verdict.

    snakemake                                    the demo grid (the built-in corpus)
    snakemake --config corpora=sst seeds=0,1,2   any choice over it; grid=NAME takes params/grids/NAME.yaml

Runs whose numbers the project carries (data/results/summary.csv) are left out, unless force=1. On a cluster
(`snakemake --profile profiles/slurm --config executor=slurm`, or make), and where there are thousands of
chapters, a run is one job.
"""

import contextlib
import functools
import json
import shlex
import sys

from heed import paths
from heed.corpora import user_corpus
from heed.errors import HeedError, choose
from heed.registry import entry_of
from heed.runs import cluster
from heed.runs.grid import absent, chapters_of, chosen, read_grid, told, unfinished, unusable
from heed.verdict import left_out

workdir: paths.ROOT

# A chapter and the chapters it comes after. Its tables aren't its outputs: snakemake deletes a rule's
# outputs before it runs again, and what a run has made is kept (run.json knows what is whole).
CHAPTERS = {
    "01_train": [],
    "02_correlation": ["01_train"],
    "03_permutation": ["01_train"],
    "04_adversarial": ["01_train"],
    "05_heatmaps": ["02_correlation", "03_permutation", "04_adversarial"],
    "06_erasure": ["01_train"],
    "07_not_not": ["04_adversarial"],
    "08_relevance": ["01_train"],
    "11_rationales": ["02_correlation"],
    "14_lies_and_repairs": ["02_correlation"],
    "13_transformers": [],  # of whole transformers, which go through no other
}
NUMBERS = [name[:2] for name in CHAPTERS]
# LEFT: runs whose numbers are carried. ABSENT: corpora that aren't to be had. UNFIT: those with a fault.
LEFT, ABSENT, UNFIT, said = [], {}, {}, ""
try:
    GIVEN = dict(config)
    CLUSTER = cluster.asked(GIVEN)
    GRID = read_grid(GIVEN)
    CHOSEN, UNFIT = chosen(GRID), GRID["faulty"]
    ALL, SETS = [run for run, _ in CHOSEN.values()], {path: given for path, (_, given) in CHOSEN.items()}
    WANTED = [choose("chapter of the batch", number, NUMBERS) for number in GRID["chapters"] or NUMBERS]
    if workflow.is_main_process:
        if CLUSTER["executor"] == "slurm":
            cluster.refuse(CLUSTER["account"], CLUSTER["partition"])
        UNFIT |= unusable(ALL)
        ALL = [run for run in ALL if run.corpus not in UNFIT]
        if not ALL:
            raise HeedError(" ".join(UNFIT.values()))
        print(told(UNFIT), end="", file=sys.stderr)
        if not GRID["force"]:
            LEFT, said = left_out(ALL, WANTED)
        ABSENT = absent(ALL, LEFT)
except HeedError as error:
    sys.exit(f"heed: {error}")
print("".join(f"heed: skipped. {why}\n" for why in ABSENT.values()) + said, end="", file=sys.stderr)
RESULTS = paths.results_folder(GRID["results"])
DONE = {*LEFT}
RUNS = {}
for path, (run, _) in CHOSEN.items():
    if run.corpus not in UNFIT and (run.corpus not in ABSENT or path in DONE):
        RUNS[path] = run
WANTED = [name for name in CHAPTERS if name[:2] in WANTED]
if WANTED == ["08_relevance"]:
    CHAPTERS["08_relevance"] = []  # it trains what it watches: after chapter 01 it would train that once more
needed = {*WANTED}
for name in reversed(CHAPTERS):  # each stands after those that it needs
    if name in needed:
        needed.update(CHAPTERS[name])
NEEDED = {name: after for name, after in CHAPTERS.items() if name in needed}
DOING = [run for run in RUNS if run not in DONE]
HELD = []  # the claim to the results folder, as long as this process lives
MARKER = ".through.json"  # where a run is one job: what that leaves when it is through
MANY = 5000  # chapters; of more each run is one job: snakemake plans a job in some three milliseconds
# What is made of all runs, last: the chapters of every batch, in the results folder itself.
GATHERED = {name: RESULTS / f"{name}.ipynb" for name in ("12_verdict", "12b_annex")}
VERDICT, SUMMARY = GATHERED["12_verdict"], paths.DATA / "results" / "summary.csv"

include: "batch/shell.smk"


def parameters(run) -> str:
    """A run's parameters, for the shell."""
    names = {k: getattr(run, k) for k in ("corpus", "encoder", "attention", "seed", "profile")}
    given = names | {"results": str(RESULTS), "set": SETS[run.path]}
    return shlex.quote(json.dumps(given))


def own_texts(run) -> list[str]:
    """Checksums of the corpora of one's own that a run reads: once a file is edited, its chapters run again.

    Parameters of the rule and no inputs: nothing here is decided by times, as clocks of two machines differ.
    """
    return checksums_of((run.corpus, *run.vectors_from))


@functools.cache
def checksums_of(corpora: tuple[str, ...]) -> list[str]:
    """Of those among them that are one's own."""
    found = []
    for name in sorted({*corpora}):
        with contextlib.suppress(HeedError):  # its chapter will say so
            entry = entry_of(name)
            if entry.get("reader") == "own":
                found.append(user_corpus.source(name, entry)[1])
    return found


wildcard_constraints:
    run=r"[^/]+/[^/]+/[^/]+/seed\d+",  # not their names: of thousands each match would take as long


# All of them by name: a verdict of an earlier grid doesn't stand in for this one's chapters.
OWN = {run: {name: NEEDED[name] for name in chapters_of(RUNS[run], NEEDED)} for run in DOING}
CHAPTERS_OF_RUNS = [
    f"{RESULTS}/{run}/{chapter}.ipynb" for run in DOING for chapter in chapters_of(RUNS[run], WANTED)
]
FINISHED = CHAPTERS_OF_RUNS
A_JOB_A_RUN = CLUSTER["executor"] == "slurm" or len(CHAPTERS_OF_RUNS) > MANY
if A_JOB_A_RUN:
    FINISHED = [f"{RESULTS}/{run}/{MARKER}" for run in DOING]
    if workflow.is_main_process:
        for file in cluster.claims_that_do_not_hold(RESULTS, OWN, MARKER):
            file.unlink(missing_ok=True)


localrules:
    all,


if UNFIT:

    rule all:
        input:
            FINISHED,
            [*GATHERED.values()],
        shell:
            "true"  # a job in any case: where nothing is to be done, snakemake wouldn't come to `onsuccess`

else:

    rule all:
        input:
            FINISHED,
            [*GATHERED.values()],


for chapter, after in CHAPTERS.items():

    rule:
        name:
            f"chapter_{chapter}"
        input:
            [f"{RESULTS}/{{run}}/{earlier}.ipynb" for earlier in after],
        output:
            f"{RESULTS}/{{run}}/{chapter}.ipynb",
        params:
            # A parameter, not an input: an edited sentence must not retrain a model.
            chapter=f"notebooks/{chapter}.ipynb",
            given=lambda wildcards: parameters(RUNS[wildcards.run]),
            texts=lambda wildcards: own_texts(RUNS[wildcards.run]),
        threads: 1
        message:
            f"{chapter}: {{wildcards.run}}"
        shell:
            EXECUTE + " {params.texts:q}"


def what(run) -> str:
    """All that a run's job has to do, for the shell."""
    given = json.loads(shlex.split(parameters(run))[0])
    return shlex.quote(json.dumps({"chapters": OWN[run.path], "given": given, "texts": own_texts(run)}))


def logs():
    """Where Slurm writes what jobs say."""
    return paths.ROOT / (workflow.executor_settings.logdir or ".snakemake/slurm_logs")


def need(wildcards, attempt) -> dict[str, int]:
    """Memory and minutes of a run's job."""
    limits = CLUSTER["memory"], CLUSTER["runtime"]
    return cluster.needs(RESULTS, RUNS[wildcards.run], [*OWN[wildcards.run]], attempt, *limits)


# A job a run. If it is tried again (profiles/slurm), it has more memory and time.
rule through:
    output:
        f"{RESULTS}/{{run}}/{MARKER}",
    params:
        what=lambda wildcards: what(RUNS[wildcards.run]),
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: need(wildcards, attempt)["mem_mb"],
        runtime=lambda wildcards, attempt: need(wildcards, attempt)["runtime"],
        slurm_account=CLUSTER["account"] or "",
        slurm_partition=CLUSTER["partition"] or "",
    message:
        "{wildcards.run}"
    shell:
        THROUGH if CLUSTER["executor"] == "slurm" else THROUGH_HERE


for chapter, file in GATHERED.items():

    rule:
        name:
            chapter.partition("_")[2]
        input:
            FINISHED,
        output:
            file,
        params:
            chapter=f"notebooks/{chapter}.ipynb",
            given=shlex.quote(json.dumps({"results": str(RESULTS)})),
            carried=paths.sha256(SUMMARY) if SUMMARY.exists() else "",  # whose rows it shows, too
        resources:
            mem_mb=CLUSTER["memory"] or cluster.MEMORY,
            runtime=CLUSTER["runtime"] or cluster.RUNTIME,
            slurm_account=CLUSTER["account"] or "",
            slurm_partition=CLUSTER["partition"] or "",
        message:
            f"{chapter}: {{RESULTS}}"
        shell:
            EXECUTE


onstart:
    try:
        HELD.append(paths.hold(RESULTS))
        if CLUSTER["executor"] == "slurm":
            cluster.cancel_waiting(logs())
        paths.not_in_the_future(RESULTS.rglob("*.ipynb"))
    except HeedError as error:
        sys.exit(f"heed: {error}")


onsuccess:
    FAILED = unfinished(RESULTS, OWN)[0]  # of a run that is one job: the others of it are through
    broken = {chapter.rpartition("/")[0] for chapter in FAILED}
    print(f"\n{len(DOING) - len(broken)} runs are finished", end="")
    print(f", {len(LEFT)} were left out" if LEFT else "", end="")
    print(f"; of {len(broken)} others a chapter failed." if broken else ".")
    print(f"  verdict   {VERDICT}")
    print(f"  annex     {GATHERED['12b_annex']}")
    print(f"  chapters  {RESULTS}/CORPUS/MODEL/VARIANT/seedN/*.ipynb")
    print(f"  tables    {RESULTS}/CORPUS/MODEL/VARIANT/seedN/*.parquet")
    print(f"  figures   {RESULTS}/CORPUS/MODEL/VARIANT/seedN/figures/*.svg")
    print("Read them with `make lab`, or open a chapter in any notebook viewer.", flush=True)
    for line in cluster.failures(RESULTS, DOING, MARKER) if A_JOB_A_RUN else ():
        print(f"heed: {line}", file=sys.stderr)
    if FAILED or UNFIT:
        sys.exit(told(UNFIT).rstrip() or 1)


onerror:
    FAILED, WAITING = unfinished(RESULTS, OWN)
    if CLUSTER["executor"] == "slurm":
        OPEN = [run for run in DOING if not (RESULTS / run / MARKER).exists()]
        for line in cluster.told_why(RESULTS, logs(), OPEN):
            print(f"heed: {line}", file=sys.stderr)
    for line in cluster.failures(RESULTS, DOING, MARKER) if A_JOB_A_RUN else ():
        print(f"heed: {line}", file=sys.stderr)
    print("\nWhat was finished is kept: correct the cause and run the same command again.", flush=True)
    if FAILED and not WAITING:  # nobody ended the batch: all else is through
        for chapter, file in GATHERED.items():
            if execute_now(f"notebooks/{chapter}.ipynb", file, {"results": str(RESULTS)}):
                print(f"The {chapter.partition('_')[2]} is of all that is finished: {file}")
    if FAILED:
        print("These chapters failed; sentences above say why, and each lies there as CHAPTER.failed.ipynb:")
        print("".join(f"  {RESULTS}/{chapter}\n" for chapter in FAILED), end="", flush=True)
    print(told(UNFIT), end="", file=sys.stderr)
