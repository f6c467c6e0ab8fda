"""Runs of pytest that share their imports: a process imports what heed needs, and forks for each run.

Imports are most of what a single test costs. heed itself and the tests are imported anew by each run, from
the folder that it is given: what is broken there is broken in that run alone.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import run_notebooks

# What heed and its tests import, themselves aside.
NEEDED = (
    "torch torch._dynamo hypothesis.extra.numpy matplotlib.pyplot seaborn pandera.pandas pyarrow.parquet "
    "pydantic yaml safetensors.torch scipy.stats sklearn.metrics IPython.display pooch filelock lazy_loader "
    "nbformat pytest"
).split()
LONGEST = 600  # seconds of a run


class Warmed:
    """The process; a context manager."""

    def __enter__(self) -> "Warmed":
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            env=run_notebooks.environment(Path("/nowhere")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_) -> None:
        self.process.communicate()  # it ends with its input

    def pytest(self, copy: Path, *arguments: str) -> subprocess.CompletedProcess:
        """Run pytest in a scratch copy, as `run_notebooks.run` does."""
        said = copy / "said.txt"
        told = {
            "folder": str(copy),
            "said": str(said),
            "arguments": ["-q", "--disable-warnings", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments],
            "environment": run_notebooks.environment(copy),
        }
        print(json.dumps(told), file=self.process.stdin, flush=True)
        code = int(self.process.stdout.readline())
        return subprocess.CompletedProcess(told["arguments"], code, said.read_text(errors="replace"))


def serve() -> None:
    """Fork for each line of the input: a run, whose exit code is printed."""
    for name in NEEDED:
        importlib.import_module(name)
    assert "heed" not in sys.modules
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if child == 0:
            run(**told)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def run(folder: str, said: str, arguments: list[str], environment: dict[str, str]) -> None:
    """pytest in this process, which ends with it."""
    import pytest

    signal.alarm(LONGEST)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = f"{folder}/lib"  # where this script's own folder was
    del sys.modules["run_notebooks"]
    code = 3
    try:
        code = int(pytest.main(arguments))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
