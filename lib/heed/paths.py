"""Where things are, and files that appear whole or not at all."""

import contextlib
import hashlib
import os
from functools import cache
from pathlib import Path

from filelock import FileLock
from safetensors import SafetensorError

from heed.errors import HeedError

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
PARAMS = ROOT / "params"
NOTEBOOKS = ROOT / "notebooks"


def results_folder(name: str | os.PathLike) -> Path:
    """The results folder of that name; a relative one lies in the project, wherever a notebook runs."""
    return ROOT / Path(name).expanduser()


def cache_folder() -> Path:
    """Downloads, tokenised corpora and word vectors: $HEED_CACHE, or the user's cache folder."""
    base = os.environ.get("HEED_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "heed"
    return Path(base).expanduser()


@contextlib.contextmanager
def writing(target: Path):
    """Give a path beside `target` to write to; rename it to `target` only if nothing was raised.

    Raises HeedError, with the disk's own reason, if the file cannot be written.
    """
    aside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
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
def making(target: Path):
    """Hold the lock of a cached file, and say whether it is still to be made.

    Of several processes one makes it and the others wait. Raises HeedError if the folder can't be.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(f"{target}.lock")
        lock.acquire()
    except OSError as error:
        raise HeedError(
            f"the cache {target.parent} can't be written: {error.strerror or error}. Set HEED_CACHE to a "
            "folder that can."
        ) from error
    try:
        yield not target.exists()
    finally:
        lock.release()


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


def text_hash(text: str) -> str:
    """Sixteen hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
