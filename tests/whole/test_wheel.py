"""heed as a wheel: it imports where Unix's own modules aren't, and works without its repository."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import run_notebooks
from heed import paths
from heed.version import VERSION

# Modules that Windows doesn't have: hidden from heed alone, as other libraries know which system it is.
HIDDEN = """
import builtins, importlib, pkgutil
plain = builtins.__import__

def hiding(name, globals=None, locals=None, fromlist=(), level=0):
    asks = (globals or {}).get("__name__", "")
    if name in ("fcntl", "resource", "pwd", "grp", "termios") and asks.partition(".")[0] == "heed":
        raise ImportError(f"{asks} asked for {name}")
    return plain(name, globals, locals, fromlist, level)

builtins.__import__ = hiding
import heed
names = [module.name for module in pkgutil.walk_packages(heed.__path__, "heed.")]
for name in names:
    if name != "heed.__main__":
        importlib.import_module(name)
from heed.runs.run import peak_memory_mib
print(len(names), peak_memory_mib())
"""


@pytest.mark.thorough
def test_nothing_of_unix_is_imported():
    """And where the system doesn't tell memory, none is recorded."""
    done = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    count, memory = done.stdout.split()
    assert int(count) > 80 and memory == "None"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The project's wheel, of a copy of the project."""
    copy = run_notebooks.copy(tmp_path_factory.mktemp("project"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(copy / "out")]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (found,) = (copy / "out").iterdir()
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """Python of an environment of its own that has the wheel; what it depends on is this one's."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as file:  # all that installing one without scripts does
        file.extractall(site)
    others = [name for name in sys.path if name.endswith("-packages")]
    (site / "others.pth").write_text("\n".join(others) + "\n")
    return folder / "bin" / "python"


def run(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Python of that environment, somewhere else."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "HEED", "PYTEST"))}
    return subprocess.run(
        [python, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=kept | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "HEED_CACHE": str(folder / "cache")},
    )


USED = """
import sys
from pathlib import Path
from heed import Evidence, HeedError, Head, Row, Run, TokenStrip, optimum
import heed
assert "environment" in heed.__file__, heed.__file__

tokens, attention, values = ["not", "bad", "at", "all"], [0.1, 0.6, 0.2, 0.1], [[2.0], [-1.0], [0.5], [0.0]]
head = Head(link="sigmoid")
print("optimum", round(optimum(Row.of(tokens, attention, values, head), 0.1).jsd, 3))
print("strip", TokenStrip(tokens, attention, values, head).save("strip.html").stat().st_size > 10_000)
try:
    Run.of(corpus="planted")
except HeedError as error:
    print("run:", error)

from heed.experiments.audit import How, audit
found = audit(sys.argv[1], "mine.csv", "out", How(permutations=2, integrated=1, free=0, shown=1))
print("audit", found.texts["predicted"].tolist(), found.notes["version"] == heed.__version__)
evidence = Evidence.open(Path("out", "shown.arrow"))
print("evidence", len(evidence) > 0, abs(evidence[0].attention.sum() - 1) < 1e-6)
"""


@pytest.mark.thorough
def test_the_wheel_works_without_the_repository(python, tmp_path):
    """The strip, the exact optimum, evidence and the audit of a transformer; what needs the clone says so."""
    shutil.copytree(paths.DATA / "checkpoints" / "transformer-planted", tmp_path / "model")
    (tmp_path / "mine.csv").write_text("text,label\nthe lovely painter,positive\nvery dreadful,negative\n")
    done = run(python, tmp_path, "-c", USED, "model")
    assert done.returncode == 0, done.stderr[-3000:]
    said = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert 0 < float(said["optimum"]) < 0.694 and said["strip"] == "True"
    assert said["audit"].endswith(" True") and said["evidence"] == "True True"
    assert "installed without its repository" in said["run:"] and said["run:"].endswith("make setup there.")
    page = run(python, tmp_path, "-m", "heed", "audit", "model", "mine.csv", "--out", "page")
    assert page.returncode == 2 and "Traceback" not in page.stderr
    assert "heed: the page of an audit, which is a chapter, can't be had" in page.stderr
    assert not (tmp_path / "page").exists()


def test_the_wheel_is_called_otherwise_and_imported_as_heed(wheel):
    """The scripts and styles of the strip are in it; nothing else but the library is."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    assert wheel.name == f"heed_attention-{VERSION}-py3-none-any.whl"
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"heed", f"heed_attention-{VERSION}.dist-info"}
    hands = {Path(name).name for name in names if "/hands/" in name}
    assert hands == {path.name for path in (paths.ROOT / "lib/heed/show/hands").iterdir() if path.is_file()}
