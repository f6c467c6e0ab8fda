"""A run's chapters, one after the other: one job of a cluster.

`exec python batch/through.py MARKER WHAT`, where WHAT is JSON: `chapters`, each with those that it comes
after, `given`, `texts`. MARKER is written once all that can be done is done, with the sentences of the
chapters that failed. Only what more memory may cure ends with another exit code than 0: it is tried again.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from execute import execute, is_current, key_of
from filelock import SoftFileLease, Timeout

from heed import paths
from heed.errors import HeedError


def alone(folder: Path) -> SoftFileLease:
    """Be the only job of the run: a node that was lost may still work on it, on its own.

    Whose claim to it is taken over ends at once. Raises HeedError if the folder can't be written.
    """
    file = folder / ".locks" / "chapters.lease"
    held = paths.claim(file, lambda lost: os.kill(os.getpid(), signal.SIGTERM))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        held.acquire(timeout=1)
    except Timeout:
        print(
            f"heed: {folder}: {paths.owner(held)} works on this run; waiting for it.",
            file=sys.stderr,
            flush=True,
        )
        held.acquire()
    except OSError as error:
        raise HeedError(f"{folder} can't be written: {error.strerror or error}.") from error
    return held


def through(
    folder: Path,
    chapters: dict[str, list[str]],
    given: dict,
    texts: list[str],
    own: Path,
    leaving: Callable[[], None],
) -> dict[str, str]:
    """Execute what isn't there yet; the sentences of what failed. Ends this process where memory ran out.

    own: a folder that no other process uses. leaving: what is done first if this process ends.
    """
    failed, key = {}, key_of(given, texts)
    for chapter, after in chapters.items():
        target = folder / f"{chapter}.ipynb"
        if failed.keys() & {*after} or is_current(target, key):
            continue
        fault = execute(f"notebooks/{chapter}.ipynb", target, given, texts, own, leaving)
        if fault is None:
            print(f"{chapter}: {folder}", flush=True)
            continue
        print(f"heed: {fault.said}", file=sys.stderr, flush=True)
        if fault.starved:
            leaving()
            os._exit(1)
        failed[chapter] = fault.said
    return failed


def main(marker: Path, chapters: dict[str, list[str]], given: dict, texts: list[str]) -> None:
    """The whole job; kernels' sockets and IPython's files lie on the node's own disk."""
    own = Path(tempfile.mkdtemp(prefix="heed-"))
    os.environ |= {"JUPYTER_RUNTIME_DIR": str(own), "IPYTHONDIR": str(own)}
    held = alone(marker.parent)

    def leaving() -> None:
        held.release()
        shutil.rmtree(own, ignore_errors=True)

    try:
        failed = through(marker.parent, chapters, given, texts, own, leaving)
        with paths.writing(marker) as aside:
            aside.write_text(json.dumps({"failed": failed}, indent=1) + "\n", encoding="utf-8")
    finally:
        leaving()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
    except HeedError as error:
        sys.exit(f"heed: {error}")
