"""Many runs in one results folder: seconds and memory of what reads them all. Not a test.

make benchmarks        (a thousand generated runs; pytest ... --runs 10000 for more)

Each step is a process of its own, so that its peak memory is its own.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import generated_runs
from heed import paths

BEGIN = """
import resource, sys, time
from pathlib import Path
results, begun, used = Path(sys.argv[1]), time.perf_counter(), time.process_time()
"""
END = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
print(f"{time.perf_counter() - begun:.1f} s, {time.process_time() - used:.1f} of the processor, {peak} MiB")
"""
FINISHED = "from heed import verdict; print(len(verdict.finished(results)), 'rows', end=': ')"
VERDICT = """
from heed import verdict
from heed.verdict import claims, paper_tests
rows = verdict.finished(results)
print(len(claims.table(rows)), "answers,", len(paper_tests.readings(rows)), "readings", end=": ")
"""
BROWSE = """
sys.path.insert(0, "notebooks/book")
import tempfile, browse
with tempfile.TemporaryDirectory() as folder:
    browse.write(Path(folder) / "browse", browse.gather(results))
"""
STEPS = {
    "summaries, without an index": FINISHED,
    "summaries, with it": FINISHED,
    "claims and tests": VERDICT,
    "browse": BROWSE,
    "verify": "from heed.runs.verify import verify; print(len(verify(results)[1]), 'faults', end=': ')",
    "verify, deep": "from heed.runs.verify import verify; print(len(verify(results, True)[1]), end=': ')",
}
PLAN = """
from heed.runs.grid import read_grid, runs_of
from heed.verdict import left_out
runs = runs_of(read_grid({"grid": "sst", "seeds": list(range(len_of // 6))}))
print(len(runs), "runs,", len(left_out(runs, ["01", "02", "03", "04"])[0]), "left out", end=": ")
"""


def measured(step: str, results: Path) -> str:
    """What a step took."""
    line = [sys.executable, "-c", BEGIN + step + END, str(results)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=paths.ROOT)
    return done.stdout.strip() or done.stderr.strip().rpartition("\n")[2]


@pytest.fixture(scope="module")
def runs(request) -> int:
    return request.config.getoption("--runs")


def bench_reading(runs, tmp_path):
    generated_runs.full(tmp_path, runs)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    print(f"\n{runs} runs, {size / runs / 1000:.0f} kB each")
    for name, step in STEPS.items():
        print(f"{name}: {measured(step, tmp_path)}")


def bench_planning(runs, tmp_path):
    print(f"\nthe grid, and what is left out: {measured(f'len_of = {runs}' + PLAN, tmp_path)}")
