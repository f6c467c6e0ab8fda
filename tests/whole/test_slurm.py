"""A batch on a real Slurm: a few runs, one of their jobs cancelled. `make slurm-faults` does more."""

import json
import subprocess

import pytest

import cluster
import kills
from heed.runs.cluster import cancel_waiting, refuse
from refusals import refused


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
def test_runs_on_a_cluster(slurm, tmp_path):
    """Of three runs one's job is cancelled and tried again; the bytes are those of a process here."""
    with refused("EXECUTOR=slurm: Slurm refuses partition elsewhere", "Give another PARTITION"):
        refuse(None, "elsewhere")
    late = ["sbatch", "--parsable", "--begin=now+1hour", "--wrap=true", "--output"]
    job, other = (cluster.squeezed(*late, f"{tmp_path}/{name}/a.log") for name in (".slurm", "other"))
    assert cancel_waiting(tmp_path / ".slurm") == [job]
    assert cluster.squeezed("squeue", "-h", "-t", "PENDING", "-o", "%i") == other
    leader = cluster.batch(tmp_path, "slurm", SEEDS="0,1,2")
    job = next(iter(cluster.until(cluster.running, 120)))
    subprocess.run(["scancel", job], check=True)
    said = cluster.ended(leader, 400)
    assert leader.returncode == 0, said[-3000:]
    assert f"SLURM-job '{job}' failed, SLURM status is: 'CANCELLED'" in said
    assert len(list(tmp_path.rglob("01_train.ipynb"))) == 3 and not list(tmp_path.rglob("*.failed.ipynb"))
    assert kills.differing(tmp_path) == [] and kills.half_written(tmp_path) == []
    (record, *_) = tmp_path.rglob(".chapters/01_train.json")
    took = json.loads(record.read_text())
    assert took["seconds"] > 0 and took["peak_memory_mib"] > 100
    assert not list(tmp_path.rglob("*.lease")), "claims are given back"
