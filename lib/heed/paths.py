"""Where things are, and files that appear whole or not at all."""

import contextlib
import fcntl
import glob
import hashlib
import os
import platform
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from filelock import FileLock
from safetensors import SafetensorError

from heed.errors import HeedError

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
PARAMS = ROOT / "params"
NOTEBOOKS = ROOT / "notebooks"
# What a packed file may unpack to: the corpora and vectors in use are below 5 to 1.
RATIO, FLOOR = 100, 16 * 2**20


def results_folder(name: str | os.PathLike) -> Path:
    """The results folder of that name; a relative one lies in the project, wherever a notebook runs."""
    return ROOT / Path(name).expanduser()


def file_named(name: str | os.PathLike) -> Path:
    """The file that a reader names, `~` being home. Raises HeedError if it is a folder, or no name."""
    try:
        file = Path(name).expanduser()
        names_file = file.name != "" and not file.is_dir()
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: no such user's home
        raise HeedError(f"{name!r} names no file: {error}.") from None
    if not names_file:
        raise HeedError(f"{str(name)!r} names a folder, if anything; give the name of a file.")
    return file


def hold(results: Path) -> object:
    """Hold a results folder for one batch, as long as what is returned lives.

    Raises HeedError if another batch has it, or if it can't be written. The system lets go when the
    process ends, killed or not: there is no stale lock to be cleared.
    """
    try:
        results.mkdir(parents=True, exist_ok=True)
        file = open(results / ".batch", "a+", encoding="utf-8")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        raise HeedError(
            f"another batch works on {results}: {file.read().strip()}. Let it end, or end it (it loses "
            "nothing), or give another results folder."
        ) from error
    except OSError as error:
        raise HeedError(
            f"{results} can't be written: {error.strerror or error}. Make it writable or give another "
            "results folder."
        ) from error
    file.truncate(0)
    file.write(f"process {os.getpid()} on {platform.node()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}\n")
    file.flush()
    return file


def not_in_the_future(files: Iterable[Path]) -> None:
    """Set times that are ahead of this machine's to now: snakemake refuses a file older than its input."""
    for path in files:
        if path.stat().st_mtime > time.time():
            os.utime(path)


def cache_folder() -> Path:
    """Of downloads, corpora and vectors: $HEED_CACHE (a relative one in the project), or the user's."""
    base = os.environ.get("HEED_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "heed"
    return ROOT / Path(base).expanduser()


def mirror() -> Path | None:
    """The folder that HEED_MIRROR names, or None. Raises HeedError if there is no such folder."""
    name = os.environ.get("HEED_MIRROR")
    if not name:
        return None
    folder = Path(name).expanduser()
    folder = folder if folder.is_absolute() else ROOT / folder
    if not (folder / "MANIFEST.tsv").is_file():
        raise HeedError(
            f"HEED_MIRROR={name}: there is no {folder / 'MANIFEST.tsv'}. Name a folder that has one "
            "(path, bytes, SHA-256 a line), or unset HEED_MIRROR to download from the official hosts."
        )
    return folder


def download(name: str, url: str) -> Path:
    """Where a download lies, or would."""
    return cache_folder() / "downloads" / f"{name}-{Path(url).name}"


@contextlib.contextmanager
def writing(target: Path):
    """Give a path beside `target` to write to; rename it to `target` only if nothing was raised.

    Raises HeedError, with the disk's own reason, if the file cannot be written.
    """
    mine = f".{target.name}.{platform.node()}-"
    aside = target.with_name(f"{mine}{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f"{glob.escape(mine)}*.partial"):  # by a process that was killed
            if not Path("/proc", left.name.removeprefix(mine).removesuffix(".partial")).exists():
                left.unlink(missing_ok=True)
        yield aside
        os.replace(aside, target)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise HeedError(
            f"{target} can't be written: {reason}. Nothing was left half-written; free space or give "
            "another folder, then run the same command again."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()


@contextlib.contextmanager
def locked(file: Path, what: str, instead: str):
    """Hold a lock file: of several processes one goes on and the others wait; the system lets go of the dead.

    Raises HeedError if it can't be: that `what` can't be written, why, and what to do `instead`.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(file).acquire()
    except OSError as error:
        raise HeedError(f"{what} can't be written: {error.strerror or error}. {instead}") from error
    with held:
        yield


@contextlib.contextmanager
def making(target: Path):
    """Hold the lock of a cached file, and say whether it is still to be made."""
    instead = "Set HEED_CACHE to a folder that can."
    with locked(Path(f"{target}.lock"), f"the cache {target.parent}", instead):
        yield not target.exists()


def may_unpack(path: Path, most: int) -> int:
    """Bytes that a packed file may unpack to: `most`, and no more than RATIO to one (small files aside)."""
    return min(most, max(FLOOR, RATIO * path.stat().st_size))


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def library_hash() -> str:
    """Twelve hex digits over the sources of the library: which code made a table."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@cache
def machine() -> str:
    """The processor's name as the system has it, such as `AMD EPYC 7B12`; the last bits differ by it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def text_hash(text: str) -> str:
    """Sixteen hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
