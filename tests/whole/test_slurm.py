"""A batch on a real Slurm, and what befalls it. `make slurm-faults` does more, and prints a table."""

import json
import subprocess

import pytest

import cluster
from heed.runs.cluster import cancel_waiting, refuse
from refusals import refused

RUNS = 24


@pytest.fixture
def slurm():
    """A cluster of three nodes on this machine."""
    if cluster.why_not():
        pytest.skip(cluster.why_not())
    found = cluster.Slurm()
    try:
        found.__enter__()
    except (AssertionError, subprocess.CalledProcessError) as error:  # no cgroups, or no network of its own
        found.__exit__()
        pytest.skip(f"Slurm is here, but its three nodes don't come up: {error}")
    yield found
    found.__exit__()


@pytest.mark.thorough
def test_a_grid_on_a_cluster(slurm, tmp_path):
    """A job cancelled, a node lost with its job, the controller killed; the same command goes on.

    The bytes are those of a process here.
    """
    with refused("EXECUTOR=slurm: Slurm refuses partition elsewhere", "Give another PARTITION"):
        refuse(None, "elsewhere")
    late = ["sbatch", "--parsable", "--begin=now+1hour", "--wrap=true", "--output"]
    job, other = (cluster.squeezed(*late, f"{tmp_path}/{name}/a.log") for name in (".slurm", "other"))
    assert cancel_waiting(tmp_path / ".slurm") == [job]
    assert cluster.squeezed("squeue", "-h", "-t", "PENDING", "-o", "%i") == other
    results = tmp_path / "grid"
    killed, again = cluster.of_a_grid(slurm, results, RUNS)
    assert killed["exit code"] == -9, killed
    assert again["exit code"] == 0, again
    assert 0 < again["finished before"] < again["finished after"], "what was finished stays"
    assert len(list(results.rglob("01_train.ipynb"))) == RUNS and not list(results.rglob("*.failed.ipynb"))
    for row in (killed, again):
        assert row["of these made anew"] == row["bytes differ"] == row["half-written"] == 0, row
    (record, *_) = results.rglob(".chapters/01_train.json")
    took = json.loads(record.read_text())
    assert took["seconds"] > 0 and took["peak_memory_mib"] > 100
    assert not list(results.rglob("*.lease")), "claims are given back"


@pytest.mark.thorough
def test_a_job_with_too_little_of_something(slurm, tmp_path):
    """Memory and time that are never enough: a sentence each, and nothing half-written."""
    few = {"memory": {"MEMORY": "60"}, "time": {"RUNTIME": "1", "SET": cluster.SLOW}}
    begun = {what: cluster.batch(tmp_path / what, what, 0, SEEDS="0", **own) for what, own in few.items()}
    found = {
        what: cluster.row(what, tmp_path / what, {}, leader, cluster.ended(leader))
        for what, leader in begun.items()
    }
    assert "ran out of memory: give MEMORY=MiB" in found["memory"]["said"], found
    assert "ran out of time after" in found["time"]["said"], found
    for row in found.values():
        assert row["exit code"] == 2 and row["finished after"] == row["half-written"] == 0, row


@pytest.mark.thorough
def test_a_cancelled_job_is_tried_again(slurm, tmp_path):
    """And Slurm's word for it is said."""
    leader = cluster.batch(tmp_path, "cancelled", SEEDS="0")
    job = next(iter(cluster.until(cluster.running, 120)))
    subprocess.run(["scancel", job], check=True)
    said = cluster.ended(leader, 400)
    assert leader.returncode == 0, said[-3000:]
    assert f"SLURM-job '{job}' failed, SLURM status is: 'CANCELLED'" in said
    assert len(list(tmp_path.rglob("01_train.ipynb"))) == 1 and not list(tmp_path.rglob("*.failed.ipynb"))
