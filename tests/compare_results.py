"""Are two results folders the same, file by file? For a change that must change no number.

    python tests/compare_results.py BEFORE AFTER

Weights and evidence are compared byte by byte, tables value by value; where numbers alone differ, it says
by how much. A table's column `library` may differ; what is there only AFTER (a measure's columns and rows, a
product's file) is listed, and is no difference.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

BINARY = {".safetensors", ".arrow", ".model"}


def new_in(before: pd.DataFrame, after: pd.DataFrame) -> tuple[pd.DataFrame, set[str]]:
    """The second table without what it alone has: columns, and a summary's rows of measures; their names."""
    extra = set(after) - set(before)
    after = after[[name for name in after if name in before]]
    if {"measure", "class", "library"} <= set(before):  # a summary
        measures = set(after["measure"]) - set(before["measure"])
        extra |= measures
        after = after[~after["measure"].isin(measures)].reset_index(drop=True)
    return after, extra


def difference(before: Path, after: Path) -> tuple[str, set[str]]:
    """What differs between two files, in a few words (nothing: they are the same), and what is new."""
    if before.suffix in BINARY:
        return ("" if before.read_bytes() == after.read_bytes() else "other bytes"), set()
    old, new = pd.read_parquet(before), pd.read_parquet(after)
    new, extra = new_in(old, new)
    old, new = (table.drop(columns="library", errors="ignore") for table in (old, new))
    try:
        pd.testing.assert_frame_equal(old, new, check_exact=True)
    except AssertionError as error:
        most = largest(old, new)
        by = " ".join(str(error).split())[:200] if most is None else f"numbers differ by at most {most:.1e}"
        return by, extra
    return "", extra


def largest(old: pd.DataFrame, new: pd.DataFrame) -> float | None:
    """The largest difference of two tables' numbers; None where more differs than numbers."""
    if old.shape != new.shape or [*old] != [*new]:
        return None
    most = 0.0
    for name in old:
        one, other = old[name], new[name]
        if one.dtype.kind not in "fO" or isinstance(next(iter(one), ""), str):
            if not one.equals(other):
                return None
            continue
        one, other = flat(one.to_numpy()), flat(other.to_numpy())
        if one.shape != other.shape or (np.isnan(one) != np.isnan(other)).any():
            return None
        most = max(most, np.nanmax(np.abs(one - other), initial=0))
    return most


def flat(values: np.ndarray) -> np.ndarray:
    """Numbers, lists of numbers or lists of such lists, one after the other."""
    if values.dtype != object:
        return values.astype(float).ravel()
    return np.concatenate([flat(np.asarray(own)) for own in values] or [np.empty(0)])


def compare(before: Path, after: Path) -> int:
    """Print what differs and what is new; return the number of files that differ or are missing."""
    same, differs, new = 0, [], Counter()
    kinds = BINARY | {".parquet"}
    files = sorted(p.relative_to(before) for p in before.glob("*/*/*/seed*/*") if p.suffix in kinds)
    for name in files:
        if not (after / name).exists():
            differs.append(f"{name}: missing")
            continue
        what, extra = difference(before / name, after / name)
        new.update(extra)
        if what:
            differs.append(f"{name}: {what}")
        else:
            same += 1
    more = {p.name for p in after.glob("*/*/*/seed*/*") if p.suffix in kinds} - {name.name for name in files}
    print(f"{same} of {len(files)} files of {before} are the same in {after}, but for the column `library`.")
    print("Only in the second, products: " + (", ".join(sorted(more)) or "none") + ".")
    print("Only in the second, columns and measures: " + (", ".join(sorted(new)) or "none") + ".")
    print("\n".join(differs))
    return len(differs)


if __name__ == "__main__":
    sys.exit(bool(compare(*map(Path, sys.argv[1:3]))))
