"""The batch, killed at seeded random moments and started again, until it is through.

`python tests/kills.py 20` prints a table of 20 kills; test_breaks.py does 3. What is held:
what run.json records is never made again, no process is left, and the tables end up as if nobody had
killed anything.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

import run_notebooks
from heed.params import Params
from heed.runs.products import files
from heed.runs.run import Run
from small_run import SMALL

# Who is killed: all that the terminal started, make alone, or snakemake alone.
WHOM = ("group", "make", "snakemake")
GRID = {"ENCODERS": "average", "SEEDS": "0", "CHAPTERS": "01 03"}


def batch(results: Path, token: str, verdict: bool = True, **choices: str) -> subprocess.Popen:
    """`make batch` on the small grid, in a session of its own, all its processes marked by a token.

    verdict: whether it ends with the verdict, which costs as much as several chapters.
    """
    given = GRID | {"RESULTS": str(results), "SET": json.dumps(SMALL), "CORES": "2"} | choices
    bin = Path(sys.executable).parent
    own = {"STAMP": "/dev/null", "BIN": str(bin)}  # set up already
    if not verdict:
        own["SNAKEMAKE"] = (
            f"exec {bin}/python batch/mortal.py $$PPID {bin}/snakemake --omit-from verdict annex"
        )
    command = ["make", "batch", *(f"{name}={value}" for name, value in (given | own).items())]
    return subprocess.Popen(
        command,
        cwd=run_notebooks.ROOT,
        env=run_notebooks.environment(
            run_notebooks.ROOT, HEED_CACHE=str(results / "cache"), HEED_TOKEN=token
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def begun(results: Path, token: str, verdict: bool = True) -> subprocess.Popen:
    """The same, once a chapter is under way."""
    leader, deadline = batch(results, token, verdict), time.monotonic() + 120
    while not list(results.rglob("*.running.ipynb")):
        assert leader.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    return leader


def processes(token: str) -> dict[int, str]:
    """Process to command line, of all that carry the token."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HEED_TOKEN={token}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it has ended
    return found


def gone(token: str, within: float) -> bool:
    """Whether all of a batch's processes end within so many seconds."""
    end = time.monotonic() + within
    while processes(token):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def victim(leader: subprocess.Popen, token: str, whom: str) -> int:
    """The process to be killed; negative stands for its group. Make where snakemake hasn't started yet."""
    found = [pid for pid, line in processes(token).items() if "/snakemake --cores" in line]
    return {"group": -leader.pid, "make": leader.pid, "snakemake": min(found, default=leader.pid)}[whom]


def made(results: Path) -> dict[str, int]:
    """Recorded products and whole chapters, each with its inode: whoever makes one anew gives another."""
    chapters, found = {path.name for path in (run_notebooks.ROOT / "notebooks").glob("*.ipynb")}, {}
    for file in results.glob("*/*/*/seed*/run.json"):
        names = chapters | {files()[product] for product in json.loads(file.read_text())["products"]}
        kept = [path for path in file.parent.iterdir() if path.name in names]
        found |= {str(path.relative_to(results)): path.stat().st_ino for path in kept}
    return found


def differing(results: Path) -> list[str]:
    """Products whose bytes aren't those that a process that nobody killed makes."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for file in results.glob("*/*/*/seed*/run.json"):
            info = json.loads(file.read_text())
            run = Run(Params(**info["parameters"]), Path(folder))
            for product in info["products"]:
                if run.ensure(product).read_bytes() != (file.parent / files()[product]).read_bytes():
                    found.append(product)
    return found


def half_written(results: Path) -> list[str]:
    """What was begun and not finished."""
    return [p.name for p in results.rglob("*") if ".partial" in p.name or ".running." in p.name]


def campaign(kills: int, results: Path, seed: int, longest: float) -> tuple[list[dict], list[dict]]:
    """Kill so often, then let it end. A batch that is through before its kill gives way to a new one.

    Returns a row a kill, and a row a batch that went through.
    """
    rng, killed, through = random.Random(seed), [], []
    last = False
    while not last:
        last = len(killed) == kills
        folder = results / f"batch{len(through)}"
        folder.mkdir(parents=True, exist_ok=True)
        before, token = made(folder), f"{os.getpid()}-{seed}-{len(killed)}-{len(through)}"
        whom, delay = WHOM[len(killed) % len(WHOM)], rng.uniform(0.5, longest)
        leader, row = batch(folder, token), {}
        try:
            said = leader.communicate(timeout=None if last else delay)[0]
            assert leader.returncode == 0, said[-3000:]
        except subprocess.TimeoutExpired:
            os.kill(victim(leader, token, whom), signal.SIGKILL)
            row = {"kill": len(killed) + 1, "whom": whom, "after s": round(delay, 1)}
            row["process left"] = not gone(token, within=3)
            leader.communicate()
        after = made(folder)
        again = [name for name, inode in before.items() if after.get(name) != inode]
        row |= {
            "had": len(before),
            "new": len(after.keys() - before.keys()),
            "products again": sum(not name.endswith(".ipynb") for name in again),
            "chapters again": sum(name.endswith(".ipynb") for name in again),
        }
        if "kill" in row:
            killed.append(row)
        else:
            through.append(row | {"bytes differ": differing(folder), "half-written": half_written(folder)})
    return killed, through


if __name__ == "__main__":
    count, longest = int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    with tempfile.TemporaryDirectory() as results:
        for rows in campaign(count, Path(results), seed=0, longest=longest):
            print(pd.DataFrame(rows).to_string(index=False), end="\n\n")
