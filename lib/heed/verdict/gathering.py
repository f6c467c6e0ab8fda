"""All runs that a verdict is of: those of a results folder, and those that the project carries."""

import re
from dataclasses import dataclass
from pathlib import Path

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
        strange |= found[name].isin(odd)
    found = found[~strange]
    parts = [part for part in (found.assign(where=HERE), known.assign(where=CARRIED)) if len(part)]
    runs = pd.concat(parts, ignore_index=True) if parts else found.assign(where=HERE)
    runs = runs.drop_duplicates([*RUN, "measure", "class"], keep="first")
    how_many = (len(rows.drop_duplicates(RUN)) for rows in (found, known))
    return Gathered(runs, *how_many, int(strange.sum()))
