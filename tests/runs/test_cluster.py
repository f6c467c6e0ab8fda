"""A batch on a cluster, without one: what jobs ask for, what is refused, why one failed, what a job does."""

import json
import subprocess
import sys
from collections import namedtuple

import pytest

import run_notebooks
from heed.params import resolve
from heed.runs import cluster
from refusals import refused
from small_run import SMALL

RUN = resolve({"corpus": "planted", "encoder": "average", "seed": 3})
CHAPTERS = ["01_train", "02_correlation"]


def took(results, path, **chapters):
    """An earlier run, and what its chapters took: memory in MiB and seconds."""
    folder = results / path / ".chapters"
    folder.mkdir(parents=True)
    for name, (memory, seconds) in chapters.items():
        record = {"key": "k", "seconds": seconds, "peak_memory_mib": memory}
        (folder / f"{CHAPTERS[int(name[-1])]}.json").write_text(json.dumps(record))


def asks(results, attempt=1, **given):
    """Memory and minutes."""
    cluster._took.cache_clear()
    limits = {"memory": None, "runtime": None} | given
    return tuple(cluster.needs(results, RUN, CHAPTERS, attempt, **limits).values())


def test_what_a_job_asks_for(tmp_path):
    """By default; as the dearest run of its corpus and encoder took, or of its variant; doubled each time."""
    assert asks(tmp_path) == (cluster.MEMORY, cluster.RUNTIME)
    took(tmp_path, "planted/cnn-additive/paper-1/seed0", c0=(9000, 9000), c1=(9000, 9000))
    assert asks(tmp_path) == (cluster.MEMORY, cluster.RUNTIME), "another encoder says nothing"
    took(tmp_path, "planted/average-dot/paper-1/seed0", c0=(800, 60), c1=(400, 120))
    took(tmp_path, "planted/average-dot/paper-1/seed1", c0=(600, 180))
    assert asks(tmp_path) == (1000 + cluster.BESIDE_MIB, 10 + cluster.BESIDE_MINUTES)
    took(tmp_path, RUN.path.replace("seed3", "seed0"), c0=(400, 30), c1=(400, 30))
    mib, minutes = asks(tmp_path)
    assert (mib, minutes) == (500 + cluster.BESIDE_MIB, 2 + cluster.BESIDE_MINUTES)
    assert asks(tmp_path, attempt=3) == (4 * mib, 4 * minutes)
    assert asks(tmp_path, memory=700) == (700, minutes) and asks(tmp_path, 2, runtime=5) == (2 * mib, 10)


def test_a_run_without_chapters_records_is_known_by_its_run_json(finished):
    cluster._took.cache_clear()
    records = json.loads((finished.folder / "run.json").read_text())["products"].values()
    memory = max(record["peak_memory_mib"] for record in records)
    results = finished.folder.parents[3]
    found = cluster.needs(results, finished.params, CHAPTERS, 1, None, None)
    assert memory < found["mem_mb"] <= 1.25 * memory + cluster.BESIDE_MIB + 1
    assert found["runtime"] >= 4, "a minute a chapter beside what its products took"


def test_damaged_records_say_nothing(tmp_path):
    took(tmp_path, RUN.path, c0=(800, 60), c1=(400, 120))
    for file in tmp_path.rglob("*.json"):
        file.write_text("[")
    assert asks(tmp_path) == (cluster.MEMORY, cluster.RUNTIME)


def test_choices_that_are_the_clusters():
    config = {"corpora": "sst", "executor": "slurm", "memory": 500, "account": "me"}
    found = cluster.asked(config)
    assert config == {"corpora": "sst"}
    assert found == {
        "executor": "slurm",
        "account": "me",
        "partition": None,
        "memory": 500,
        "runtime": None,
    }
    with refused("unknown executor 'slurn'. Did you mean 'slurm'?"):
        cluster.asked({"executor": "slurn"})
    for wrong in (0, -3, "2G", "1h"):
        with refused(f"memory = {wrong!r} must be a whole number of MiB"):
            cluster.asked({"memory": wrong})


def test_no_sbatch_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with refused("there is no sbatch here", "leave EXECUTOR out"):
        cluster.refuse(None, None)


@pytest.mark.parametrize(
    ("said", "account", "parts"),
    [
        (
            "Invalid account or account/partition combination specified",
            None,
            ("no account, and this cluster needs one", "Give ACCOUNT=NAME"),
        ),
        (
            "Invalid account or account/partition combination specified",
            "nobody",
            ("account nobody", "Give ACCOUNT"),
        ),
        ("Unable to contact slurm controller (connect failure)", None, ("Unable to contact", "sinfo")),
    ],
)
def test_what_sbatch_refuses_is_a_sentence(monkeypatch, tmp_path, said, account, parts):
    """Its words are Slurm's, spoken by a script: no cluster here keeps accounts."""
    pytest.importorskip("snakemake_executor_plugin_slurm")
    (tmp_path / "sbatch").write_text(f"#!/bin/sh\necho 'allocation failure: {said}' >&2\nexit 1\n")
    (tmp_path / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with refused(*parts):
        cluster.refuse(account, None)


LOGS = {
    f"/bin/sh: 1: {sys.executable}: not found": "make the environment on a disk that all nodes see",
    "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***": "RUNTIME=",
    "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***": "was cancelled",
    "slurmstepd: error: Job 7 exceeded memory limit (700 > 100), being killed": "MEMORY=",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.": "MEMORY=",
    "noise\nheed: 01_train: no fruit here. Buy some.\nmore": "no fruit here",
    "noise": "failed (",
}


@pytest.mark.parametrize("log", LOGS)
def test_why_a_job_failed(tmp_path, log):
    folder = tmp_path / "logs" / "rule_through" / "planted_a-b_paper-1_seed0"
    folder.mkdir(parents=True)
    (folder / "999999999.log").write_text(log)
    (said,) = cluster.told_why(tmp_path, tmp_path / "logs", ["planted/a-b/paper-1/seed0"])
    assert said.startswith("planted/a-b/paper-1/seed0: ") and LOGS[log] in said and said.endswith(".")


def test_a_job_that_never_was_and_a_full_disk(tmp_path, monkeypatch):
    assert cluster.told_why(tmp_path, tmp_path, ["a/b/c/seed0"]) == [
        "a/b/c/seed0: its job was never taken; see what sbatch said above."
    ]
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(cluster.shutil, "disk_usage", lambda path: usage(10, 10, 0))
    (said,) = cluster.told_why(tmp_path, tmp_path, ["a/b/c/seed0"])
    assert said.startswith(f"the disk of {tmp_path} is full: free space")


def job(folder, chapters, **changes) -> subprocess.Popen:
    """A run's job as Slurm would start it."""
    given = {
        "corpus": "planted",
        "encoder": "average",
        "results": str(folder.parents[3]),
        "set": SMALL | changes,
    }
    what = json.dumps({"chapters": chapters, "given": given, "texts": []})
    return subprocess.Popen(
        [sys.executable, "batch/through.py", str(folder / ".through.json"), what],
        cwd=run_notebooks.ROOT,
        env=run_notebooks.environment(run_notebooks.ROOT, HEED_CACHE=str(folder.parents[3] / "cache")),
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.thorough
def test_a_run_worked_on_twice_at_once(tmp_path):
    """A lost node's job runs on while another does its work again: the second waits, makes nothing anew."""
    folder = tmp_path / resolve({"corpus": "planted", "encoder": "average"} | SMALL).path
    folder.mkdir(parents=True)
    jobs = [job(folder, {"01_train": []}) for _ in range(2)]
    said = [one.communicate(timeout=300)[1] for one in jobs]
    assert [one.returncode for one in jobs] == [0, 0], said
    assert sum("works on this run; waiting for it" in text for text in said) == 1
    took = json.loads((folder / ".chapters" / "01_train.json").read_text())
    assert took["seconds"] > 0 and (folder / "01_train.ipynb").exists()
    assert json.loads((folder / ".through.json").read_text()) == {"failed": {}}
    assert not list(tmp_path.rglob("*.lease")) and not list(tmp_path.rglob("*.running.ipynb"))
    assert not list((run_notebooks.ROOT / "notebooks").glob("kernel-ipc*")), "each has sockets of its own"


@pytest.mark.thorough
def test_a_chapter_that_fails_leaves_its_sentence(tmp_path):
    """What comes after it is left, the job is through: trying again wouldn't help."""
    folder = (
        tmp_path / resolve({"corpus": "planted", "encoder": "average"} | SMALL | {"vectors": "no.vec"}).path
    )
    folder.mkdir(parents=True)
    failing = job(folder, {"01_train": [], "03_permutation": ["01_train"]}, vectors="no.vec")
    said = failing.communicate(timeout=300)[1]
    assert failing.returncode == 0 and "heed: 01_train: vectors: 'no.vec'" in said
    failed = json.loads((folder / ".through.json").read_text())["failed"]
    assert list(failed) == ["01_train"] and not list(folder.glob("03*"))
    run = str(folder.relative_to(tmp_path))
    assert cluster.failures(tmp_path, [run], ".through.json") == [f"{run}: {failed['01_train']}"]
    found = cluster.claims_that_do_not_hold(tmp_path, {run: ["01_train"]}, ".through.json")
    assert found == [folder / ".through.json"], "so the next batch tries it again"
