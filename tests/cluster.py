"""A real Slurm on this machine, and what can befall a batch on it.

`make slurm-faults` prints the table (`python tests/cluster.py 24`: a grid of so many runs); test_slurm.py
holds the grid, memory and time. What is held: what is finished stays, the rest is said and goes on, and
the products are byte for byte those that a process here makes.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import kills
import run_notebooks
from small_run import SMALL

SCRIPT = run_notebooks.ROOT / "tests" / "slurm.sh"
GRID = {"ENCODERS": "average", "CHAPTERS": "01", "PARTITION": "main", "MEMORY": "1500", "RUNTIME": "10"}
SLOW = json.dumps(SMALL | {"made_train": 600, "epochs": 3000})  # longer than a minute
FAST = ("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2")


def why_not() -> str:
    """Why no Slurm can be had here; nothing if one can."""
    if not all(map(shutil.which, ("slurmctld", "slurmd", "munged", "sbatch"))):
        return "no Slurm here: sh tests/slurm.sh install gets Debian's (as root)"
    if os.getuid() != 0:
        return "starting a Slurm needs the rights of root"
    asked = subprocess.run(["sh", str(SCRIPT), "free"], capture_output=True, text=True)
    return asked.stderr.strip() if asked.returncode else ""


class Slurm:
    """The cluster, of nodes n1 to n3 with a core each; a context manager."""

    def __enter__(self) -> "Slurm":
        self.folder = Path(tempfile.mkdtemp(prefix="heed-slurm-"))
        self.script("start", str(random.randrange(20000, 30000, 10)))
        until(lambda: squeezed("sinfo", "-h", "-o", "%T %D") == "idle 3", 60)
        return self

    def __exit__(self, *_) -> None:
        subprocess.run(["scancel", "--state=PENDING,RUNNING", "--user=root"], capture_output=True)
        self.script("stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def script(self, what: str, *arguments: str) -> None:
        """Call tests/slurm.sh. Its daemons keep what they are given: no pipe of ours."""
        subprocess.run(
            ["sh", str(SCRIPT), what, str(self.folder), *arguments], check=True, stdout=subprocess.DEVNULL
        )

    def kill_node(self, name: str) -> None:
        """The daemon alone: its job runs on, and Slurm will think it lost."""
        os.kill(int((self.folder / f"{name}.pid").read_text()), signal.SIGKILL)


def squeezed(*command: str) -> str:
    """What a command says, without spaces around it."""
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def until(there: Callable[[], object], longest: float) -> object:
    """Wait until something is there, and return it."""
    deadline = time.monotonic() + longest
    while not (found := there()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)
    return found


def running() -> dict[str, tuple[str, str]]:
    """Job to the node and the run that it works on, of those whose first chapter is under way."""
    lines = squeezed("squeue", "-h", "-t", "RUNNING", "-o", "%i|%N|%k").splitlines()
    return {job: (node, run) for job, node, run in (line.split("|") for line in lines)}


def batch(results: Path, token: str, retries: int = 2, **choices: str) -> subprocess.Popen:
    """`make batch EXECUTOR=slurm` on small runs, without the verdict, asking for its jobs' states often."""
    own = ("--slurm-logdir", f"{results}/.slurm", "--retries", str(retries))
    command = ["snakemake", "--profile", "profiles/slurm", *own, *FAST, "--omit-from", "verdict", "annex"]
    how = {"EXECUTOR": "slurm", "BATCH": f"exec {Path(sys.executable).parent}/{' '.join(command)}"}
    return kills.batch(results, token, **GRID | how | choices)


def ended(leader: subprocess.Popen, longest: float = 1500) -> str:
    """What a batch said, once it has ended."""
    return leader.communicate(timeout=longest)[0]


def row(fault: str, results: Path, before: dict[str, int], leader: subprocess.Popen, said: str) -> dict:
    """What came of it: what was finished and made anew, sentences said, products that differ."""
    after = kills.made(results)
    return {
        "fault": fault,
        "exit code": leader.returncode,
        "finished before": len(before),
        "of these made anew": sum(after.get(name) != inode for name, inode in before.items()),
        "finished after": len(after),
        "bytes differ": len(kills.differing(results)),
        "half-written": len(kills.half_written(results)),
        "jobs that failed": said.count("failed, SLURM status is"),
        "said": " / ".join(line[:160] for line in said.splitlines() if line.startswith("heed: ")),
    }


def of_a_grid(cluster: Slurm, results: Path, count: int) -> Iterator[dict]:
    """A job cancelled, a node lost, the controller killed, one after another in one grid; then it goes on."""
    seeds = {"SEEDS": ",".join(map(str, range(count)))}
    leader = batch(results, "first", **seeds)
    until(lambda: len(list(results.rglob(".through.json"))) >= 1 and running(), 600)
    cancelled = next(iter(running()))
    subprocess.run(["scancel", cancelled], check=True)
    until(lambda: len(list(results.rglob(".through.json"))) >= 2 and running(), 600)
    lost, (node, _) = next(iter(running().items()))
    cluster.kill_node(node)
    until(lambda: len(list(results.rglob(".through.json"))) >= 4 and running(), 600)
    before = kills.made(results)
    os.kill(kills.victim(leader, "first", "group"), signal.SIGKILL)
    said = ended(leader)
    what = f"job {cancelled} cancelled, {node} lost with job {lost}, controller killed"
    yield row(what, results, before, leader, said)
    before = kills.made(results)
    again = batch(results, "again", **seeds)
    said = ended(again)
    yield row("the same command again", results, before, again, said)
    cluster.script("node", node)


def of_one(fault: str, results: Path, retries: int = 2, **choices: str) -> dict:
    """One run with too little of something."""
    leader = batch(results, fault.split()[0], retries, SEEDS="0", **choices)
    return row(fault, results, {}, leader, ended(leader))


def of_two_controllers(results: Path) -> dict:
    """The second is refused, and the first goes on."""
    first = batch(results, "one", SEEDS="0")
    until((results / ".batch").exists, 120)
    second = batch(results, "two", SEEDS="0")
    said = ended(second)
    assert second.returncode != 0 and ended(first) and first.returncode == 0
    return row("a second controller on the folder", results, {}, second, said)


def of_a_full_disk(results: Path) -> dict:
    """Results on a disk of 3 MB, that is all but full."""
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(results)], check=True)
    try:
        (results / "fill").write_bytes(b"x" * 2_900_000)
        return of_one("a full shared disk", results, 0)
    finally:
        subprocess.run(["umount", "--lazy", str(results)], check=True)


def of_a_bare_node(cluster: Slurm, results: Path) -> dict:
    """A node that doesn't see the environment, and no other that takes jobs."""
    cluster.kill_node("n2")
    hidden = (
        f"mount -t tmpfs tmpfs {Path(sys.executable).parent} && exec sh {SCRIPT} node {cluster.folder} n2"
    )
    subprocess.run(["unshare", "--mount", "sh", "-c", hidden], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["scontrol", "update", "nodename=n1,n3", "state=drain", "reason=test"], check=True)
    found = of_one("a node without the environment", results, 0)
    subprocess.run(["scontrol", "update", "nodename=n1,n3", "state=resume"], check=True)
    cluster.kill_node("n2")
    cluster.script("node", "n2")
    return found


def of_a_job(results: Path) -> dict:
    """The controller is a job itself."""
    code = "import cluster, pathlib, sys; one = cluster.batch(pathlib.Path(sys.argv[1]), 'job', SEEDS='0')"
    code += "; print(cluster.ended(one)); sys.exit(one.returncode)"
    command = ["srun", "--mem=1000", sys.executable, "-c", code, str(results)]
    here = Path(__file__).parent
    leader = subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return row("started inside a job", results, {}, leader, ended(leader))


def faults(count: int, results: Path) -> Iterator[dict]:
    """All of them, on a cluster of their own, a row each."""
    with Slurm() as cluster:
        yield from of_a_grid(cluster, results / "grid", count)
        yield of_two_controllers(results / "two")
        yield of_a_job(results / "job")
        yield of_a_full_disk(results / "full")
        yield of_a_bare_node(cluster, results / "bare")
        yield of_one("memory that two more attempts make enough", results / "memory", MEMORY="400")
        yield of_one("memory that is never enough", results / "starved", MEMORY="60")
        yield of_one("time that is never enough", results / "time", 0, RUNTIME="1", SET=SLOW)


if __name__ == "__main__":
    if why_not():
        sys.exit(f"heed: {why_not()}")
    with tempfile.TemporaryDirectory() as folder:
        for found in faults(int(sys.argv[1]) if len(sys.argv) > 1 else 24, Path(folder)):
            print("\n".join(f"{name:20} {value}" for name, value in found.items()), end="\n\n", flush=True)
