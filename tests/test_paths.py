"""Folders and files: who holds them, and what a killed writer left."""

import os
import subprocess
import sys
import time

from heed import paths
from refusals import refused


def test_a_held_folder_is_free_once_its_owner_is_gone(tmp_path):
    owner = "import sys, time; from heed import paths; from pathlib import Path\n"
    owner += "held = paths.hold(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", owner, tmp_path], stdout=subprocess.PIPE)
    process.stdout.readline()
    with refused(
        f"another batch works on {tmp_path}: process {process.pid} on ", "since 2", "it loses nothing"
    ):
        paths.hold(tmp_path)
    process.kill()
    process.wait()
    assert paths.hold(tmp_path), "the system let go of it"


def test_a_folder_that_cannot_be_held(tmp_path):
    (tmp_path / "file").touch()
    with refused(str(tmp_path / "file"), "can't be written", "another results folder"):
        paths.hold(tmp_path / "file")


def test_times_ahead_of_this_machine(tmp_path):
    """snakemake refuses an output that is older than its input, which another machine's clock may date."""
    ahead, past = tmp_path / "ahead.ipynb", tmp_path / "past.ipynb"
    for path, shift in ((ahead, 7200), (past, -7200)):
        path.touch()
        os.utime(path, (time.time() + shift,) * 2)
    before = past.stat().st_mtime
    paths.not_in_the_future(tmp_path.glob("*.ipynb"))
    assert ahead.stat().st_mtime <= time.time() and past.stat().st_mtime == before


def test_what_a_killed_writer_left_is_cleared(tmp_path):
    """Its name has the machine and the process; one that still runs, or of another machine, is let be."""
    target, node = tmp_path / "t.parquet", os.uname().nodename
    dead = subprocess.Popen(["true"])
    dead.wait()
    names = [
        f".t.parquet.{node}-{dead.pid}",
        f".t.parquet.{node}-{os.getppid()}",
        ".t.parquet.far-1",
        ".u.parquet-1",
    ]
    for name in names:
        (tmp_path / f"{name}.partial").touch()
    with paths.writing(target) as aside:
        aside.write_text("whole")
    assert {p.name for p in tmp_path.iterdir()} == {"t.parquet", *(f"{name}.partial" for name in names[1:])}
