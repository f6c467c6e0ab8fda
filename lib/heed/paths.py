"""Where things are, and files that appear whole or not at all."""

import atexit
import contextlib
import glob
import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from filelock import SoftFileLease, Timeout
from safetensors import SafetensorError

from heed.errors import HeedError

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
PARAMS = ROOT / "params"
NOTEBOOKS = ROOT / "notebooks"
# What a packed file may unpack to: the corpora and vectors in use are below 5 to 1.
RATIO, FLOOR = 100, 16 * 2**20
# Seconds after which a claim that its owner didn't renew may be taken over; it is renewed thrice in them.
LEASE = 60.0


def is_clone() -> bool:
    """Whether heed lies in its repository, with corpora, parameters and chapters; a wheel has none."""
    return (ROOT / "pyproject.toml").is_file()


def base() -> Path:
    """What relative paths are of: the project, wherever a notebook runs, or, without one, where one is."""
    return ROOT if is_clone() else Path.cwd()


def needs_clone(what: str) -> HeedError:
    """Why what lies in the repository can't be had."""
    return HeedError(
        f"{what} can't be had: this heed was installed without its repository, where corpora, parameters and "
        "chapters lie. Clone the repository and run make setup there."
    )


def results_folder(name: str | os.PathLike) -> Path:
    """The results folder of that name; a relative one lies in the project."""
    return base() / Path(name).expanduser()


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


def claim(file: Path, lost: Callable[[object], None] | None = None) -> SoftFileLease:
    """A claim to what a file stands for: it names owner, host and process, and is renewed while it is held.

    A file that is there, and no lock of the system's: network file systems needn't have any. Who dies on
    this machine loses it at once, who dies on another, or isn't heard of, after `LEASE` seconds by the clock
    of the one who waits. lost: called, in a thread, when another has taken it over.
    """
    return SoftFileLease(file, lease_duration=LEASE, on_compromise=lost, thread_local=False)


def owner(lease: SoftFileLease) -> str:
    """Who has it, in words."""
    found = lease.owner
    return "another process" if found is None else f"process {found.pid} on {found.hostname.split('?')[0]}"


def _is_here(host: str) -> bool:
    """Whether a claim's host is where this process is, so that it would know if the owner had died."""
    space = Path("/proc/self/ns/pid")
    return host in (
        platform.node(),
        f"{platform.node()}?pidns-{space.stat().st_ino if space.exists() else 0:x}",
    )


def still_held(lease: SoftFileLease) -> None:
    """Raise HeedError if another process has taken the claim over: what was made under it isn't kept."""
    if lease.compromise is not None:
        raise HeedError(
            f"{lease.lock_file}: {owner(lease)} has taken this over, as nothing was heard of this process "
            f"for {LEASE:.0f} seconds. Its own result is dropped; run the same command again."
        )


def hold(results: Path) -> SoftFileLease:
    """Hold a results folder for one batch, until this process ends or what is returned is released.

    Raises HeedError if another batch has it, or if it can't be written. A batch on another machine that isn't
    heard of is waited for until its claim has run out.
    """
    try:
        results.mkdir(parents=True, exist_ok=True)
        held, said = claim(results / ".batch.lease"), results / ".batch"
        for patience in (0.5, LEASE + 1):
            try:
                held.acquire(timeout=patience)
                break
            except Timeout:
                found = held.owner
                if patience < LEASE and found is not None and not _is_here(found.hostname):
                    continue
                since = said.read_text(encoding="utf-8").strip() if said.exists() else owner(held)
                raise HeedError(
                    f"another batch works on {results}: {since}. Let it end, or end it (it loses nothing), "
                    "or give another results folder."
                ) from None
        began = time.strftime("%Y-%m-%d %H:%M:%S")
        said.write_text(f"process {os.getpid()} on {platform.node()}, since {began}\n", encoding="utf-8")
    except OSError as error:
        raise HeedError(
            f"{results} can't be written: {error.strerror or error}. Make it writable or give another "
            "results folder."
        ) from error
    atexit.register(held.release)
    return held


def not_in_the_future(files: Iterable[Path]) -> None:
    """Set times that are ahead of this machine's to now: snakemake refuses a file older than its input."""
    for path in files:
        if path.stat().st_mtime > time.time():
            os.utime(path)


def cache_folder() -> Path:
    """Of downloads, corpora and vectors: $HEED_CACHE (a relative one in the project), or the user's."""
    folder = os.environ.get("HEED_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "heed"
    return base() / Path(folder).expanduser()


def mirror() -> Path | None:
    """The folder that HEED_MIRROR names, or None. Raises HeedError if there is no such folder."""
    name = os.environ.get("HEED_MIRROR")
    if not name:
        return None
    folder = Path(name).expanduser()
    folder = folder if folder.is_absolute() else base() / folder
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
            if _is_gone(left.name.removeprefix(mine).removesuffix(".partial")):
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


def clear(folder: Path, process: int) -> None:
    """Delete what a process of this machine that has been killed was about to write in a folder."""
    for left in folder.glob(f".*.{glob.escape(platform.node())}-{process}.partial"):
        left.unlink(missing_ok=True)


def _is_gone(process: str) -> bool:
    """Whether a process of this machine has ended; where the system doesn't tell, it may live."""
    return Path("/proc/self").exists() and not Path("/proc", process).exists()


@contextlib.contextmanager
def locked(file: Path, what: str, instead: str):
    """Hold a claim, which is given: of several processes, on whatever machines, one goes on, the others wait.

    Raises HeedError if it can't be: that `what` can't be written, why, and what to do `instead`.
    """
    held = claim(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        held.acquire()
    except OSError as error:
        raise HeedError(f"{what} can't be written: {error.strerror or error}. {instead}") from error
    try:
        yield held
    finally:
        held.release()


@contextlib.contextmanager
def making(target: Path):
    """Hold the claim to a cached file, and say whether it is still to be made."""
    instead = "Set HEED_CACHE to a folder that can."
    with locked(Path(f"{target}.lease"), f"the cache {target.parent}", instead):
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
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
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
