"""The runs of chapter 09: which there are, what each holds, and its rows of the summary.

A run is one task, model and seed, in a folder as every other's: results/CORPUS/MODEL/VARIANT/seedN/.
"""

import time

import numpy as np
import pandas as pd

from heed import sequence
from heed.grid import copying_runs
from heed.measures import columns_of
from heed.params import Copying
from heed.products import Made, as_table, of_all, rows_of
from heed.runs import Run

FILES = {"copied": "copied.parquet", "shown": "shown.parquet", "summary_copied": "summary-copied.parquet"}


def copied(run: Run) -> Made:
    """Train and watch: a row a look; one sequence that the finished model copies."""
    start = time.perf_counter()
    looks, shown = sequence.watch(run.params)
    shown = pd.DataFrame({name: list(value) for name, value in shown.items()})
    return Made(time.perf_counter() - start, {"copied": as_table(looks), "shown": as_table(shown)})


def summary(run: Run) -> Made:
    """Where the run ended, and whether it is among the successes or the failures."""
    start, last = time.perf_counter(), run.table("copied").iloc[-1]
    values = last[[*columns_of("copied")]].to_dict()
    values |= {"success": last["copied"] > sequence.GOOD, "failure": last["copied"] < sequence.BAD}
    top = of_all(run.params.looked_at)
    rows = [top | {"measure": name, "mean": float(value)} for name, value in values.items()]
    table = rows_of(run, pd.DataFrame(rows), "copied")
    return Made(time.perf_counter() - start, {"summary_copied": as_table(table)})


class Copies(Run):
    """One run of copying."""

    kind, files = Copying, FILES
    makers = {"copied": copied, "shown": copied, "summary_copied": summary}

    @classmethod
    def plan(cls, seeds, control_seeds, profile: str, results: str, set: dict) -> list["Copies"]:
        """All runs of the chapter, as `grid.copying_runs` orders them."""
        runs = copying_runs(seeds, control_seeds, profile=profile, **set)
        return [cls.of(results, **run.model_dump(exclude_unset=True)) for run in runs]


def looks(runs: list[Copies]) -> pd.DataFrame:
    """What watching showed of these runs, a row a look: task, encoder, attention, seed, the measures."""
    tables = []
    for run in runs:
        p = run.params
        named = {"task": p.corpus, "encoder": p.encoder, "attention": p.attention, "seed": p.seed}
        tables.append(run.table("copied").assign(**named))
    return pd.concat(tables, ignore_index=True)


def shares(ends: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Share of successes with Wilson's interval, and of failures, by group; `copied` (one row a seed)."""
    rows = []
    for names, own in ends.groupby(by, sort=False, observed=True):
        share, low, high = sequence.share(own["copied"] > sequence.GOOD)
        row = dict(zip(by, names, strict=True)) | {"seeds": len(own), "success": share}
        rows.append(row | {"low": low, "high": high, "failure": np.mean(own["copied"] < sequence.BAD)})
    return pd.DataFrame(rows)
