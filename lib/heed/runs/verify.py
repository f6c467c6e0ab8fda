"""Is a results folder as it was when it was made? Its files against the checksums that run.json recorded."""

import json
from pathlib import Path

import pandas as pd

from heed import paths
from heed.errors import HeedError
from heed.runs.products import every_file


def verify(results: Path) -> tuple[pd.DataFrame, list[str]]:
    """A row a run with counts of its products, and the names of what is damaged or missing.

    Columns: run, whole, damaged, missing, stale (whole, but by another version of the library).
    Raises HeedError if no run is there.
    """
    folders = sorted(path for path in results.glob("*/*/*/seed*") if path.is_dir())
    if not folders:
        raise HeedError(f"{results} holds no run. Name a results folder, such as RESULTS=results.")
    rows, faults = [], []
    for folder in folders:
        states = {folder / name: _state(folder / name, record) for name, record in _recorded(folder)}
        counts = {k: list(states.values()).count(k) for k in ("whole", "stale", "damaged", "missing")}
        counts["whole"] += counts["stale"]
        rows.append({"run": str(folder.relative_to(results))} | counts)
        faults += [f"{path}: {state}" for path, state in states.items() if state in ("damaged", "missing")]
    return pd.DataFrame(rows), faults


def _recorded(folder: Path) -> list[tuple[str, dict]]:
    """File and record of each product; run.json itself, without a record, if it can't be read."""
    try:
        products = json.loads((folder / "run.json").read_text(encoding="utf-8"))["products"]
        records = [(every_file().get(name), record) for name, record in products.items()]
        return [
            (file, {k: str(record[k]) for k in ("sha256", "library")}) for file, record in records if file
        ]
    except FileNotFoundError:
        return [("run.json", {})] if any((folder / file).exists() for file in every_file().values()) else []
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return [("run.json", {})]


def _state(path: Path, record: dict[str, str]) -> str:
    try:
        if paths.sha256(path) != record.get("sha256"):
            return "damaged"
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "damaged"
    return "whole" if record["library"] == paths.library_hash() else "stale"
