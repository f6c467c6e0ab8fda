"""All runs that a verdict is of: those of a results folder, and those that the project carries."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from heed.verdict.carried import RUN, committed, finished

HERE, CARRIED = "this folder", "carried"


@dataclass(frozen=True)
class Gathered:
    """Summaries of runs, a row a number, and how many runs they are of.

    runs: with `where`, HERE or CARRIED; of a run that is both, its rows of the folder. here, carried: runs.
    strange: rows of the folder that were left out, because HTML or a link stands in a name.
    """

    runs: pd.DataFrame
    here: int
    carried: int
    strange: int


def gather(results: Path) -> Gathered:
    """All finished runs of a results folder, and those that the project carries.

    Raises HeedError where a summary is damaged.
    """
    found, known = finished(results), committed()
    strange = pd.Series(False, index=found.index)
    for name in found.select_dtypes(exclude=["number", "bool"]):  # by each text once: there are few
        odd = [value for value in found[name].unique() if re.search(r"<|\]\(", str(value))]
        strange |= found[name].isin(odd) if odd else False
    left_out = int(strange.sum())
    found = found[~strange] if left_out else found
    counts = [len(rows.drop_duplicates(RUN)) for rows in (found, known)]
    return Gathered(together({HERE: found, CARRIED: known}), *counts, left_out)


def together(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Summaries in one table, each row with its table's name as `where`; of rows of one number the first.

    A table is copied only where rows of it are left out: one of many runs is most of what memory holds.
    """
    parts = [rows.assign(where=where) for where, rows in tables.items() if len(rows)]
    if not parts:
        return committed().iloc[:0].assign(where="")
    keys = [part[[*RUN, "measure", "class"]] for part in parts]
    again = pd.concat(keys, ignore_index=True).duplicated().to_numpy()
    begins = np.cumsum([0, *map(len, parts)])
    kept = []
    for part, begin in zip(parts, begins, strict=False):
        own = again[begin : begin + len(part)]
        kept.append(part[~own] if own.any() else part)
    return pd.concat(kept, ignore_index=True)
