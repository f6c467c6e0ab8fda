"""Notebooks run in a scratch copy of the project, against its own lib/, results and cache.

`python tests/run_notebooks.py [NAME ...]` executes chapters and how-tos in such a copy and brings them back:
that is how committed outputs are made, so that they never depend on what lies in a results folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SANITIZE = "tests/nbval_sanitize.cfg"


def books() -> list[str]:
    """The project's notebooks, from its folder `notebooks`: chapters, then how-tos."""
    folder = ROOT / "notebooks"
    found = [*sorted(folder.glob("*.ipynb")), *sorted(folder.glob("howto/*.ipynb"))]
    return [path.relative_to(folder).as_posix() for path in found]


def named(name: str) -> str:
    """A notebook by its name or number, with or without folder and ending. Raises ValueError without one."""
    stem = Path(name).stem
    for book in books():
        if Path(book).stem == stem or Path(book).stem.startswith(f"{stem}_"):
            return book
    raise ValueError(f"No notebook is called {name!r}. There are {', '.join(books())}.")


def copy(to: Path) -> Path:
    """Copy the project's files (tracked, or new and not ignored) to a folder."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, to / name)
    return to


def environment(scratch: Path, **more: str) -> dict[str, str]:
    """The environment in which the scratch copy's library is the one that is imported."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "HEED"))}
    own = {"PYTHONPATH": str(scratch / "lib"), "HEED_CACHE": str(scratch / "cache"), "OMP_NUM_THREADS": "1"}
    return kept | own | more


def run(scratch: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess:
    """Run pytest there, without plugins that the outer one brings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    return subprocess.run(
        command, cwd=scratch, env=environment(scratch, **more), capture_output=True, text=True, timeout=600
    )


def papermill(*arguments: str, **how) -> subprocess.CompletedProcess:
    """papermill's own command; again if the kernel didn't begin, because another one took its port first."""
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", *arguments]
    how = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 600} | how
    found = subprocess.run(command, **how)
    return subprocess.run(command, **how) if "before replying to kernel_info" in found.stderr else found


def nbval(scratch: Path, notebook: str, *options: str, **more: str) -> subprocess.CompletedProcess:
    """Compare a notebook's committed outputs with those of a run in the scratch copy."""
    options = ("--nbval", "--nbval-sanitize-with", SANITIZE, "--nbval-cell-timeout", "300", *options)
    return run(scratch, *options, f"notebooks/{notebook}", **more)


def execute(names: list[str]) -> None:
    """Execute each notebook in a scratch copy of its own and bring it back with its outputs."""
    for name in map(named, names):
        with tempfile.TemporaryDirectory() as folder:
            scratch = copy(Path(folder))
            command = [sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute"]
            command += ["--inplace", "--ExecutePreprocessor.record_timing=False", f"notebooks/{name}"]
            subprocess.run(command, cwd=scratch, env=environment(scratch), check=True)
            shutil.copyfile(scratch / "notebooks" / name, ROOT / "notebooks" / name)
            print(f"notebooks/{name}: {(ROOT / 'notebooks' / name).stat().st_size // 1024} KB")


if __name__ == "__main__":
    execute(sys.argv[1:] or books())
