"""A batch on a cluster: what its jobs ask for, what is refused before the first, and why one ended."""

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from heed.errors import HeedError, choose
from heed.params import Params

EXECUTORS = ("local", "slurm")
# What a job asks for where nothing is known of runs like it: MiB, and minutes.
MEMORY, RUNTIME = 4000, 240
# Beside the kernel: papermill and snakemake, which starts it. And a job's own time beside its chapters'.
BESIDE_MIB, BESIDE_MINUTES = 600, 3
LOOKED_AT = 20  # earlier runs of a corpus and encoder whose records are read
NO_DISK = 2**20  # bytes


def asked(config: dict[str, Any]) -> dict[str, Any]:
    """Take out of a batch's choices what is the cluster's: executor, account, partition, memory, runtime.

    Raises HeedError on an executor that there isn't, and on memory (MiB) or runtime (minutes) that are none.
    """
    found = {name: config.pop(name, None) for name in ("account", "partition", "memory", "runtime")}
    found["executor"] = choose("executor", str(config.pop("executor", "local")), EXECUTORS)
    for name, unit in (("memory", "MiB"), ("runtime", "minutes")):
        value = found[name]
        if value is not None and not re.fullmatch(r"[1-9]\d{0,8}", str(value)):
            raise HeedError(f"{name} = {value!r} must be a whole number of {unit}, such as {name}=8000.")
        found[name] = value if value is None else int(value)
    return found


def refuse(account: str | None, partition: str | None) -> None:
    """Raise HeedError if no job could be submitted from here: no sbatch, an account that Slurm won't take."""
    if shutil.which("sbatch") is None:
        raise HeedError(
            "EXECUTOR=slurm: there is no sbatch here. Run this on a machine of the cluster from which jobs "
            "are submitted, or leave EXECUTOR out."
        )
    try:
        import snakemake_executor_plugin_slurm  # noqa: F401
    except ImportError:
        raise HeedError(
            "EXECUTOR=slurm: snakemake-executor-plugin-slurm isn't installed. Run make setup."
        ) from None
    given = [f"--account={account}"] * bool(account) + [f"--partition={partition}"] * bool(partition)
    try:
        found = subprocess.run(
            ["sbatch", "--test-only", "--ntasks=1", *given, "--wrap=true"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        code, said = found.returncode, " ".join(found.stderr.split())
    except subprocess.TimeoutExpired:
        code, said = 1, "it said nothing for a minute"
    if code == 0:
        return
    said = said.replace("sbatch: error: ", "").removeprefix("allocation failure: ")[:300]
    if "account" in said.lower():
        what = f"account {account}" if account else "no account, and this cluster needs one"
        raise HeedError(f"EXECUTOR=slurm: Slurm refuses jobs of {what} ({said}). Give ACCOUNT=NAME.")
    if "partition" in said.lower():
        raise HeedError(
            f"EXECUTOR=slurm: Slurm refuses partition {partition} ({said}). Give another PARTITION."
        )
    raise HeedError(f"EXECUTOR=slurm: Slurm takes no job ({said}). See whether sinfo shows the cluster.")


def needs(
    results: Path, run: Params, chapters: list[str], attempt: int, memory: int | None, runtime: int | None
) -> dict[str, int]:
    """What a run's job asks for: `mem_mb` (MiB) and `runtime` (minutes), doubled at each further attempt.

    A quarter more memory, and twice the time, than the dearest of earlier runs of its corpus and encoder
    took: of its own variant if there are any. memory, runtime: what is asked for instead, if given.
    """
    mib, minutes = MEMORY, RUNTIME
    own = f"{run.corpus}/{run.model_name}/{run.variant}/seed*"
    for folders in (own, f"{run.corpus}/{run.encoder}-*/*/seed*"):
        known = _took(results, folders, tuple(chapters))
        if known is not None:
            mib = math.ceil(1.25 * known[0]) + BESIDE_MIB
            minutes = math.ceil(2 * known[1] / 60) + BESIDE_MINUTES
            break
    mib, minutes = memory or mib, runtime or minutes
    return {"mem_mb": mib * 2 ** (attempt - 1), "runtime": minutes * 2 ** (attempt - 1)}


@cache
def _took(results: Path, folders: str, chapters: tuple[str, ...]) -> tuple[int, float] | None:
    """The most memory (MiB) and seconds of runs in these folders; None if not all chapters were met.

    By the chapters' own records; where a run has none, by its run.json, which knows the products alone.
    """
    memory, seconds, products = 0, dict[str, float](), 0.0
    for folder in sorted(results.glob(folders))[:LOOKED_AT]:
        for chapter in chapters:
            found = _read(folder / ".chapters" / f"{chapter}.json")
            if found:
                memory = max(memory, found["peak_memory_mib"])
                seconds[chapter] = max(seconds.get(chapter, 0), found["seconds"])
        records = _read(folder / "run.json").get("products", {}).values()
        memory = max([memory, *(record.get("peak_memory_mib") or 0 for record in records)])
        products = max(products, sum(record.get("seconds", 0) for record in records))
    if len(seconds) < len(chapters):
        return (memory, products + 60 * len(chapters)) if products and not seconds else None
    return memory, sum(seconds.values())


def _read(file: Path) -> dict[str, Any]:
    """A file of JSON; empty if it can't be read."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def claims_that_do_not_hold(results: Path, runs: dict[str, Iterable[str]], marker: str) -> list[Path]:
    """Markers of runs, each with its chapters, that say all is done where one failed or isn't there."""
    found = []
    for run, chapters in runs.items():
        file = results / run / marker
        if file.exists():
            there = all((results / run / f"{chapter}.ipynb").exists() for chapter in chapters)
            if _read(file).get("failed", True) or not there:
                found.append(file)
    return found


def cancel_waiting(logs: Path) -> list[str]:
    """Cancel the jobs of a batch that was killed, where they haven't begun; those that have are waited for.

    logs: where they would write, which no other batch does. Returns their numbers.
    """
    said = subprocess.run(["scontrol", "show", "job", "--oneliner"], capture_output=True, text=True).stdout
    jobs = [line.split() for line in said.splitlines() if f" StdOut={logs}/" in line]
    waiting = [words[0].removeprefix("JobId=") for words in jobs if "JobState=PENDING" in words]
    if waiting:
        subprocess.run(["scancel", *waiting], capture_output=True)
    return waiting


def failures(results: Path, runs: list[str], marker: str) -> list[str]:
    """What the markers of these runs say of chapters that failed: a sentence each."""
    of_each = {run: _read(results / run / marker).get("failed", {}) for run in runs}
    return [f"{run}: {said}" for run, failed in of_each.items() for said in failed.values()]


def told_why(results: Path, logs: Path, runs: list[str]) -> list[str]:
    """Sentences about these runs, whose jobs failed: what their last job said, or why Slurm ended it."""
    if shutil.disk_usage(results).free < NO_DISK:
        return [f"the disk of {results} is full: free space, then run the same command again."]
    return [f"{run}: {_why(logs / 'rule_through' / run.replace('/', '_'))}" for run in runs]


def _why(folder: Path) -> str:
    """Why the last job with a log in this folder failed."""
    logs = sorted(folder.glob("*.log"), key=lambda log: log.stat().st_mtime)
    if not logs:
        return "its job was never taken; see what sbatch said above."
    log = logs[-1]
    state, node, after = _ended(log.stem)
    said = log.read_text(encoding="utf-8", errors="replace")
    own = [line.removeprefix("heed: ") for line in said.splitlines() if line.startswith("heed: ")]
    if re.search(rf"{re.escape(sys.executable)}: (not found|No such file|Permission denied)", said):
        return f"{node} has no {sys.executable}: make the environment on a disk that all nodes see."
    if state == "TIMEOUT" or "DUE TO TIME LIMIT" in said:
        return (
            f"job {log.stem} on {node} ran out of time after {after}: give RUNTIME=minutes, more than before."
        )
    if state == "OUT_OF_MEMORY" or re.search(r"(?i)oom.kill|exceeded.*memory|memory limit", said):
        return f"job {log.stem} on {node} ran out of memory: give MEMORY=MiB, more than before."
    if state == "CANCELLED" or "CANCELLED AT" in said:
        return f"job {log.stem} was cancelled: run the same command again for it."
    if own:
        return own[-1]
    return f"job {log.stem} on {node} failed ({state.lower()}); its log is {log}."


def _ended(job: str) -> tuple[str, str, str]:
    """State, node and time of a job, as far as Slurm remembers."""
    line = ["squeue", "--states=all", "--noheader", "--format=%T|%N|%M", f"--jobs={job}"]
    try:
        found = subprocess.run(line, capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        found = ""
    state, node, after = (*found.split("|"), "", "")[:3] if found else ("", "", "")
    return state or "of a reason that Slurm forgot", node or "a node", after or "its time"
