"""Is a results folder as it was when it was made? Its files against what run.json recorded.

Quickly by size and time, or by checksums: a file that was changed and given its old size and time is met by
checksums alone.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from heed import paths
from heed.errors import HeedError
from heed.runs.index import run_folders
from heed.runs.products import every_file


def verify(results: Path, deep: bool = False) -> tuple[pd.DataFrame, list[str]]:
    """A row a run with counts of its products, and the names of what is damaged or missing.

    deep: by checksums. Else a file is whole that has the size that was recorded, and isn't younger than
    run.json, which is written after it; one that is younger, or of a run.json without sizes, is checked by
    its checksum all the same.
    Columns: run, whole, damaged, missing, stale (whole, but by another version of the library).
    Raises HeedError if no run is there.
    """
    names = run_folders(results)
    if not names:
        raise HeedError(f"{results} holds no run. Name a results folder, such as RESULTS=results.")
    files, rows, faults = every_file(), [], []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        every = pool.map(lambda name: _states(results / name, files, deep), names)
        for name, states in zip(names, every, strict=True):
            found = [*states.values()]
            counts = {state: found.count(state) for state in ("whole", "stale", "damaged", "missing")}
            counts["whole"] += counts["stale"]
            rows.append({"run": name} | counts)
            faults += [f"{path}: {of}" for path, of in states.items() if of in ("damaged", "missing")]
    return pd.DataFrame(rows), faults


def _states(folder: Path, files: dict[str, str], deep: bool) -> dict[Path, str]:
    """How each product of a run is. files: of all products."""
    recorded, found = folder / "run.json", {}
    try:
        made = os.stat(recorded).st_mtime_ns if not deep else 0
    except OSError:
        made = 0
    for name, record in _recorded(folder, files):
        found[folder / name] = _state(f"{folder}/{name}", record, made)
    return found


def _recorded(folder: Path, files: dict[str, str]) -> list[tuple[str, dict]]:
    """File and record of each product; run.json itself, without a record, if it can't be read."""
    try:
        products = json.loads((folder / "run.json").read_text(encoding="utf-8"))["products"]
        records = [(files.get(name), record) for name, record in products.items()]
        return [
            (file, {k: str(record[k]) for k in ("sha256", "library")} | {"bytes": record.get("bytes")})
            for file, record in records
            if file
        ]
    except FileNotFoundError:
        return [("run.json", {})] if any((folder / file).exists() for file in files.values()) else []
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return [("run.json", {})]


def _state(path: str, record: dict, made: int) -> str:
    """How a product's file is. made: when run.json was written, in nanoseconds; 0: ask the checksum."""
    try:
        found = os.stat(path)
        size = record.get("bytes")
        if size is not None and found.st_size != size:
            return "damaged"
        if size is None or found.st_mtime_ns > made:
            if paths.sha256(Path(path)) != record.get("sha256"):
                return "damaged"
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "damaged"
    return "whole" if record["library"] == paths.library_hash() else "stale"
