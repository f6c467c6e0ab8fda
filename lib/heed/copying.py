"""The runs of chapter 09: which there are, what each holds, and its rows of the summary.

A run is one task, model and seed, in a folder as every other's: results/CORPUS/MODEL/VARIANT/seedN/.
"""

import time
from collections.abc import Iterable

import numpy as np
import pandas as pd

from heed import sequence
from heed.measures import columns_of
from heed.params import Copying
from heed.products import Made, as_table, of_all, rows_of
from heed.runs import Run

FILES = {"copied": "copied.parquet", "shown": "shown.parquet", "summary_copied": "summary-copied.parquet"}
TASKS = {"copy-permutations": "permutations", "copy-chosen": "different ones of more", "copy-iid": "i.i.d."}
MAIN = ("lstm", "bilinear")
CONTROLS = {
    ("copy-permutations", "bilstm", "bilinear"): "permutations, encoder of two directions",
    ("copy-permutations", "lstm", "uniform"): "permutations, uniform attention",
    ("copy-iid", "lstm", "uniform"): "i.i.d., uniform attention",
    ("copy-permutations", "lstm", "none"): "permutations, no context",
}


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
    def plan(cls, seeds: Iterable[int], control_seeds: Iterable[int], **given) -> list["Copies"]:
        """All runs of the chapter, seed by seed: the three tasks, then of some seeds the controls."""
        seeds, control_seeds = [*seeds], [*control_seeds]
        wanted = []
        for seed in dict.fromkeys([*seeds, *control_seeds]):
            wanted += [(corpus, *MAIN, seed) for corpus in TASKS if seed in seeds]
            wanted += [(*control, seed) for control in CONTROLS if seed in control_seeds]
        names = ("corpus", "encoder", "attention", "seed")
        return [cls.of(**dict(zip(names, one, strict=True)), **given) for one in wanted]


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
    for names, own in ends.groupby(by, sort=False):
        share, low, high = sequence.share(own["copied"] > sequence.GOOD)
        row = dict(zip(by, names, strict=True)) | {"seeds": len(own), "success": share}
        rows.append(row | {"low": low, "high": high, "failure": np.mean(own["copied"] < sequence.BAD)})
    return pd.DataFrame(rows)
