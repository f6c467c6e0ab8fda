"""Fetching a registered file whole: from its official host, or from a local mirror."""

import os
from pathlib import Path

import pooch

from heed import paths
from heed.errors import HeedError


def manifest(folder: Path) -> dict[str, str]:
    """Path to SHA-256 of every file that a mirror's MANIFEST.tsv lists."""
    try:
        lines = (folder / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise HeedError(
            f"{folder / 'MANIFEST.tsv'} can't be read as text: {error}. Restore it, or unset HEED_MIRROR."
        ) from error
    rows = [line.split("\t") for line in lines if line.strip()]
    return {row[0]: row[2] for row in rows if len(row) >= 3}


def fetch(name: str, entry: dict) -> tuple[Path, str]:
    """The file of a registry entry and its verified SHA-256.

    With HEED_MIRROR set, the mirror's copy, held to the mirror's MANIFEST; else the download, held to
    the official checksum. Where none is known, the first download's is pinned beside it, and it counts from
    then on. Raises HeedError for a file that is missing or differs.
    """
    folder = paths.mirror()
    if folder is not None:
        return _from_mirror(name, entry, folder)
    target = paths.download(name, entry["url"])
    pin = target.with_name(f"{target.name}.sha256")
    official = _official(entry)
    expected = official
    if official is None and pin.exists():
        expected = f"sha256:{pin.read_text().strip()}"
    try:
        path = Path(
            pooch.retrieve(
                url=entry["url"],
                known_hash=expected,
                path=target.parent,
                fname=target.name,
                progressbar=True,
            )
        )
    except OSError as error:  # requests' errors, some of which are ValueErrors, too
        raise HeedError(
            f"{name}: {entry['url']} can't be downloaded ({type(error).__name__}). Check the network, "
            "or set HEED_MIRROR to a folder that holds the corpora."
        ) from error
    except ValueError as error:  # pooch's word for another checksum; it has deleted the file
        first = ""
        if official is None:
            first = f" Was the first download the wrong one? Delete {target} and {pin.name}."
        raise HeedError(
            f"{name}: what {entry['url']} sent is not the official file ({expected} expected). "
            f"The download may be truncated or the file replaced: try again, or set HEED_MIRROR.{first}"
        ) from error
    found = paths.sha256(path)
    if expected is None:
        with paths.writing(pin) as aside:
            aside.write_text(found + "\n")
    return path, found


def _official(entry: dict) -> str | None:
    """The checksum that the host states, as pooch writes it, or None where it states none."""
    if "sha256" in entry:
        return f"sha256:{entry['sha256']}"
    if "md5" in entry:
        return f"md5:{entry['md5']}"
    return None


def licensed(name: str, entry: dict) -> dict[str, Path]:
    """The files of a corpus that the reader has a licence for, in entry["folder"] of $HEED_LICENSED.

    `either` lists several forms of it, the first that is whole counts.

    Raises HeedError that says what is missing and where to ask for it.
    """
    given = Path(os.environ.get("HEED_LICENSED") or "/nonexistent").expanduser()
    folder = paths.ROOT / given / entry["folder"]
    choices = entry.get("either") or [entry["files"]]
    lacking = []
    for files in choices:
        missing = [file for file in files.values() if not (folder / file).is_file()]
        if not missing:
            return {key: folder / file for key, file in files.items()}
        lacking.append(f"{entry['folder']}/{missing[0]}")
    wanted = " or ".join(lacking)
    raise HeedError(
        f"{name}: heed can't pass this corpus on. Put {wanted} in the folder that HEED_LICENSED names; ask "
        f"for it at {entry['ask']}."
    )


def _from_mirror(name: str, entry: dict, folder: Path) -> tuple[Path, str]:
    """The mirror's copy of a file and its SHA-256, which must be the manifest's."""
    relative = entry.get("mirror")
    if relative is None:
        raise HeedError(f"{name}: the mirror {folder} hasn't got it. Unset HEED_MIRROR to download it.")
    path = folder / relative
    expected = manifest(folder).get(relative)
    if expected is None or not path.is_file():
        raise HeedError(
            f"{name}: the mirror {folder} has no {relative} (or its MANIFEST.tsv doesn't list it). "
            "Restore the file, or unset HEED_MIRROR to download it."
        )
    found = paths.sha256(path)
    if found != expected:
        raise HeedError(
            f"{name}: {path} has SHA-256 {found}, its MANIFEST.tsv says {expected}: the file is "
            "truncated or was changed. Restore it, or unset HEED_MIRROR to download it."
        )
    return path, found
