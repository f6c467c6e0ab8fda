"""When things break: kills, full disks, no memory, two batches at once; and what is known is left out."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import nbformat
import pytest

import kills
import run_notebooks
from heed import paths
from small_run import SMALL

# The batch


@pytest.mark.thorough
def test_a_batch_that_is_killed(tmp_path):
    """Three kills; `python tests/kills.py 20` does more."""
    killed, through = kills.campaign(3, tmp_path, seed=1, longest=12)
    assert len(killed) == 3 and not any(row["process left"] for row in killed)
    for row in killed + through:
        assert row["products again"] == 0, "what was finished is kept"
    for row in through:
        assert row["bytes differ"] == [] and row["half-written"] == []


@pytest.mark.thorough
def test_a_kill_between_two_lambdas(tmp_path):
    """Chapter 07's first adversary is kept, and the next batch trains only the other."""
    longer = json.dumps(SMALL | {"adversary_epochs": 100, "patience": 100})
    choices = {"CHAPTERS": "01 07", "SET": longer}

    def trained() -> list[float]:
        runs = [json.loads(path.read_text()) for path in tmp_path.rglob("run.json")]
        runs = [run for run in runs if run["parameters"]["kl_weight"] and "weights" in run["products"]]
        return [run["parameters"]["kl_weight"] for run in runs]

    leader, deadline = kills.batch(tmp_path, "lambda", verdict=False, **choices), time.monotonic() + 300
    while not trained():
        assert leader.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(leader.pid, signal.SIGKILL)
    leader.communicate()
    assert kills.gone("lambda", within=5) and trained() == [0.01]
    before, again = kills.made(tmp_path), kills.batch(tmp_path, "again", verdict=False, **choices)
    said = again.communicate()[0]
    assert again.returncode == 0, said[-3000:]
    after = kills.made(tmp_path)
    assert [name for name in before if after[name] != before[name]] == [], "what was finished is kept"
    assert sorted(trained()) == [0.01, 0.1] and kills.half_written(tmp_path) == []


@pytest.mark.thorough
def test_two_batches_on_one_folder_and_ctrl_c(tmp_path):
    """The second says whom it would disturb; Ctrl-C ends the first in seconds, with nothing half-written."""
    first = kills.begun(tmp_path, "first")
    second = kills.batch(tmp_path, "second")
    said = second.communicate()[0]
    assert second.returncode != 0 and "Traceback" not in said
    assert f"heed: another batch works on {tmp_path}: process " in said and "it loses nothing" in said
    os.killpg(first.pid, signal.SIGINT)
    assert kills.gone("first", within=20)
    said = first.communicate()[0]
    assert first.returncode != 0 and "Traceback" not in said, said[-3000:]
    assert kills.half_written(tmp_path) == []


@pytest.mark.thorough
def test_sigterm_to_snakemake_alone(tmp_path):
    """The chapter under way ends, no other begins, nothing is half-written; what was made is kept."""
    first = kills.begun(tmp_path, "term", verdict=False)
    os.kill(kills.victim(first, "term", "snakemake"), signal.SIGTERM)
    assert kills.gone("term", within=120)
    said = first.communicate()[0]
    assert first.returncode != 0 and "Traceback" not in said, said[-3000:]
    assert kills.half_written(tmp_path) == []
    assert len(list(tmp_path.rglob("01_train.ipynb"))) == 1 and not list(tmp_path.rglob("03_*.ipynb"))
    before, again = kills.made(tmp_path), kills.batch(tmp_path, "again", verdict=False)
    said = again.communicate()[0]
    assert again.returncode == 0, said[-3000:]
    after = kills.made(tmp_path)
    assert all(after[name] == inode for name, inode in before.items())


def test_a_process_that_dies_with_its_parent(tmp_path):
    line = f"exec {sys.executable} batch/mortal.py $PPID sleep 60"
    parent = f"import subprocess; p = subprocess.Popen(['bash', '-c', {line!r}])"
    parent += "\nprint(p.pid, flush=True); p.wait()"
    process = subprocess.Popen([sys.executable, "-c", parent], cwd=run_notebooks.ROOT, stdout=subprocess.PIPE)
    child = int(process.stdout.readline())
    command = paths.Path("/proc", str(child), "cmdline")
    deadline = time.monotonic() + 30
    while not command.read_bytes().startswith(b"sleep"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.wait()
    while command.exists() and command.read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# One chapter


def chapter(folder, code: str, target: str = "out.ipynb", limit=None, **environment: str):
    """Execute a chapter of one cell as the batch does; limit: a resource and how much of it."""
    return executed(of_one_cell(folder, code), folder / target, {}, limit, **environment)


def of_one_cell(folder, code: str):
    """Write a chapter of one cell; its path."""
    cells = [nbformat.v4.new_code_cell("results = ''", metadata={"tags": ["parameters"]})]
    book = nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell(code)])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / "99_own.ipynb")
    return folder / "99_own.ipynb"


def execution(book, target, parameters: dict) -> list[str]:
    """The command by which the batch executes a chapter."""
    command = [sys.executable, "batch/execute.py", str(os.getpid()), str(book), str(target)]
    return [*command, json.dumps(parameters)]


def executed(book, target, parameters, limit=None, **environment: str):
    return subprocess.run(
        execution(book, target, parameters),
        cwd=run_notebooks.ROOT,
        env=run_notebooks.environment(run_notebooks.ROOT, **environment),
        capture_output=True,
        text=True,
        preexec_fn=limit and (lambda: resource.setrlimit(limit[0], (limit[1],) * 2)),
    )


@pytest.mark.parametrize(("failures", "said", "calls"), [
    (0, "", 1),
    (2, "Kernel died before replying to kernel_info", 3),
    (3, "Kernel died before replying to kernel_info", 3),
    (1, "something else", 1),
])  # fmt: skip
def test_a_kernel_whose_port_was_taken_is_started_again(monkeypatch, failures, said, calls):
    """Two kernels that start at once may be given one port; a chapter needn't fail for that."""
    monkeypatch.syspath_prepend(run_notebooks.ROOT / "batch")
    from execute import patiently

    taken = []

    def run(chapter, progress_bar):
        taken.append((chapter, progress_bar))
        if len(taken) <= failures:
            raise RuntimeError(said)

    if failures in (0, 2):
        patiently(run, "01_train.ipynb", progress_bar=False)
    else:
        with pytest.raises(RuntimeError, match=said):
            patiently(run, "01_train.ipynb", progress_bar=False)
    assert taken == [("01_train.ipynb", False)] * calls


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("code", "said", "limit"),
    [
        (
            "from heed.errors import HeedError\nraise HeedError('No fruit here. Buy some.')",
            "No fruit here.",
            None,
        ),
        ("import os\nos.kill(os.getpid(), 9)", "was killed by the system, most often because memory", None),
        (
            "import numpy\nnumpy.ones(2**40)",
            "memory ran out (MemoryError)",
            (resource.RLIMIT_AS, 2**33),
        ),
        ("import torch\ntorch.ones(2**40)", "memory ran out (RuntimeError)", (resource.RLIMIT_AS, 2**34)),
        ("print('x' * 10**5)", "can't be written: File too large", (resource.RLIMIT_FSIZE, 20_000)),
    ],
    ids=["a sentence", "killed", "numpy", "torch", "full disk"],
)
def test_a_chapter_that_fails_says_why_in_a_sentence(tmp_path, code, said, limit):
    found = chapter(tmp_path, code, limit=limit)
    assert found.returncode == 1 and "Traceback" not in found.stderr, found.stderr[-3000:]
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("heed: ")]
    assert said in line and line.endswith(".")
    assert not (tmp_path / "out.ipynb").exists() and not (tmp_path / "out.running.ipynb").exists()


HALFWAY = """
import time
from pathlib import Path
from heed import paths
with paths.writing(Path({target!r})) as aside:
    aside.write_text("half")
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_chapter_that_is_ended_while_it_writes_leaves_nothing(tmp_path, number):
    target = tmp_path / "run" / "out.ipynb"
    target.parent.mkdir()
    book = of_one_cell(tmp_path, HALFWAY.format(target=str(target.parent / "weights")))
    process = subprocess.Popen(
        execution(book, target, {}),
        cwd=run_notebooks.ROOT,
        env=run_notebooks.environment(run_notebooks.ROOT, HEED_TOKEN="half"),
    )
    deadline = time.monotonic() + 120
    while not [name for name in kills.half_written(target.parent) if name.startswith(".weights")]:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(20) == 128 + number and kills.gone("half", within=5)
    assert list(target.parent.iterdir()) == []


@pytest.mark.thorough
def test_a_chapter_that_goes_well_after_it_failed(tmp_path):
    assert chapter(tmp_path, "1 / 0").returncode == 1 and (tmp_path / "out.failed.ipynb").exists()
    found = chapter(tmp_path, "1 / 1")
    assert found.returncode == 0, found.stderr
    assert {path.name for path in tmp_path.glob("out.*")} == {"out.ipynb"}


BLOCK = """
import os, socket
with open(os.environ["SEEN"], "a") as log:
    log.write(f"started {os.getpid()}\\n")

def guarded(name):
    plain = getattr(socket.socket, name)
    def connect(self, address, *rest):
        if self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "::1"):
            return plain(self, address, *rest)
        with open(os.environ["SEEN"], "a") as log:
            log.write(f"connect {address}\\n")
        raise OSError("no network here")
    setattr(socket.socket, name, connect)

for name in ("connect", "connect_ex", "sendto"):
    guarded(name)

def lookup(host, *rest, _plain=socket.getaddrinfo, **named):
    if host not in (None, "", "127.0.0.1", "::1", "localhost"):
        with open(os.environ["SEEN"], "a") as log:
            log.write(f"look-up {host}\\n")
        raise OSError("no network here")
    return _plain(host, *rest, **named)

socket.getaddrinfo = lookup
"""


@pytest.mark.thorough
def test_a_chapter_on_the_built_in_corpus_asks_no_network(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    path = f"{tmp_path}{os.pathsep}{run_notebooks.ROOT / 'lib'}"
    blocked = {"SEEN": str(tmp_path / "seen"), "PYTHONPATH": path, "HEED_CACHE": str(tmp_path / "cache")}
    book, given = "notebooks/01_train.ipynb", {"results": str(tmp_path / "r"), "set": SMALL}
    found = executed(book, tmp_path / "out.ipynb", given, **blocked)
    assert found.returncode == 0, found.stderr[-3000:]
    seen = (tmp_path / "seen").read_text().splitlines()
    assert len(seen) >= 2 and all(line.startswith("started") for line in seen), seen
    ask = "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')"
    assert "no network here" in chapter(tmp_path, ask, **blocked).stderr, "the block blocks"


# Left behind


@pytest.mark.thorough
@pytest.mark.parametrize("options", [["size=3m"], ["size=3m", "ro"]], ids=["full", "read-only"])
def test_a_disk_that_is_full_or_read_only(tmp_path, options):
    """A real one of 3 MB, where this process may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting needs the rights of root")
    try:
        if "ro" not in options:
            (disk / "fill").write_bytes(b"x" * 2_900_000)
        batch = kills.batch(disk / "results", "disk", ENCODERS="average", CHAPTERS="01")
        said = batch.communicate()[0]
        assert batch.returncode != 0 and "Traceback" not in said, said[-3000:]
        reason = "Read-only file system" if "ro" in options else "No space left on device"
        assert f"can't be written: {reason}" in said, said[-3000:]
        assert kills.half_written(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)
