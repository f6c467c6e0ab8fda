"""Folders and files: who holds them, and what a killed writer left."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

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


@pytest.fixture
def short(monkeypatch):
    """Claims that run out after a second."""
    monkeypatch.setattr(paths, "LEASE", 1.0)


def of_another_machine(file):
    """A claim as a process of another machine wrote it: this one's, with the host changed."""
    with paths.locked(file, "it", ""):
        marker = file.read_text()
    assert f"host={paths.platform.node()}\n" in marker
    file.write_text(marker.replace(f"host={paths.platform.node()}", "host=far-away"))


def test_a_claim_of_a_machine_that_is_silent_is_taken_over(tmp_path, short):
    """Not before it ran out, by the clock of the one who waits."""
    of_another_machine(tmp_path / "a.lease")
    begun = time.monotonic()
    with paths.locked(tmp_path / "a.lease", "it", "") as held:
        assert 1 <= time.monotonic() - begun < 10 and held.owner.pid == os.getpid()


def test_a_batch_of_a_machine_that_is_silent_is_followed(tmp_path, short):
    of_another_machine(tmp_path / ".batch.lease")
    held = paths.hold(tmp_path)
    assert held.owner.pid == os.getpid()
    held.release()


def test_a_claim_of_another_machine_that_is_renewed_is_let_be(tmp_path, short):
    of_another_machine(tmp_path / ".batch.lease")
    (tmp_path / ".batch").write_text("process 4711 on far-away, since 2026-01-01 00:00:00\n")
    ended = threading.Event()

    def renew():
        while not ended.wait(0.2):
            os.utime(tmp_path / ".batch.lease")

    other = threading.Thread(target=renew)
    other.start()
    try:
        with refused(f"another batch works on {tmp_path}: process 4711 on far-away", "it loses nothing"):
            paths.hold(tmp_path)
    finally:
        ended.set()
        other.join()


def test_who_was_stopped_and_lost_the_claim_is_told(tmp_path, short):
    """A job that was suspended, say: another takes over; when it wakes it may not keep what it made."""
    code = """
import sys, time
from pathlib import Path
from heed import paths
paths.LEASE = 1.0
with paths.locked(Path(sys.argv[1]), "it", "") as held:
    print("held", flush=True)
    sys.stdin.readline()
    time.sleep(1.5)
    try:
        paths.still_held(held)
    except paths.HeedError as error:
        print(error)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "a.lease"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    process.send_signal(signal.SIGSTOP)
    with paths.locked(tmp_path / "a.lease", "it", "") as held:
        assert held.owner.pid == os.getpid()
        process.send_signal(signal.SIGCONT)
        said = process.communicate("\n", timeout=60)[0]
        assert f"process {os.getpid()} on " in said and "has taken this over" in said
        assert held.owner.pid == os.getpid(), "who lost it doesn't take the other's away"


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
