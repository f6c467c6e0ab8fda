"""The runs of chapter 09: which there are, what each holds, and its rows of the summary.

A run is one task, model and seed, in a folder as every other's: results/CORPUS/MODEL/VARIANT/seedN/.
"""

import numpy as np
import pandas as pd

from heed import sequence, stats
from heed.grid import copying_runs, read_copying
from heed.measures import columns_of
from heed.params import Copying
from heed.products import Made, as_table, of_all, rows_of
from heed.runs import Run

FILES = {
    "copied": "copied.parquet",
    "shown": "shown.parquet",
    "summary_copied": "summary-copied.parquet",
    "heads": "heads.parquet",
    "summary_heads": "summary-heads.parquet",
}
# Several heads, as the authors have them: of how many first weights good and bad ones are sought, with which
# sequences each is tried, how many heads a model has, and how many models of each kind there are.
SOUGHT, TRIED, MANY, DRAWN = 40, (1, 2, 3), 8, 50


def copied(run: Run) -> Made:
    """Train and watch: a row a look; one sequence that the finished model copies."""
    looks, shown = sequence.watch(run.params)
    shown = pd.DataFrame({name: list(value) for name, value in shown.items()})
    return Made({"copied": as_table(looks), "shown": as_table(shown)})


def summary(run: Run) -> Made:
    """Where the run ended, and whether it is among the successes or the failures."""
    last = run.table("copied").iloc[-1]
    values = last[[*columns_of("copied")]].to_dict()
    values |= {"success": last["copied"] > sequence.GOOD, "failure": last["copied"] < sequence.BAD}
    top = of_all(run.params.looked_at)
    rows = [top | {"measure": name, "mean": float(value)} for name, value in values.items()]
    table = rows_of(run, pd.DataFrame(rows), "copied")
    return Made({"summary_copied": as_table(table)})


def ends(run: "Copies", heads: tuple[int, ...], seeds) -> list[float]:
    """Token accuracy at the end of a model with these heads, for each seed of the sequences."""
    models = (run.changed(heads=list(heads), seed=seed) for seed in seeds)
    return [float(model.table("copied")["copied"].iloc[-1]) for model in models]


def combine(singles: dict[int, list[float]], count: int, rng) -> list[tuple[str, tuple[int, ...]]]:
    """Which heads are put together: all bad, one good among bad ones, and any; singles: accuracies by head.

    Good heads have learnt with every sequence, bad ones with none (the authors' bad ones end under 0.6, as
    hardly any of the smaller setting do). Too few of either: none of that kind.
    """
    good = [head for head, found in singles.items() if min(found) > sequence.GOOD]
    bad = [head for head, found in singles.items() if max(found) <= sequence.GOOD]
    kinds = {
        f"{MANY} bad": ([], bad),
        f"1 good, {MANY - 1} bad": (good, bad),
        f"{MANY} at random": ([], [*singles]),
    }
    drawn = []
    for kind, (first, rest) in kinds.items():
        one = kind.startswith("1")
        if len(rest) >= MANY - one and len(first) >= one:
            for _ in range(count):
                heads = [*rng.permutation(first)[:one], *rng.permutation(rest)[: MANY - one]]
                drawn.append((kind, tuple(map(int, heads))))
    return drawn


def heads(run: "Copies") -> Made:
    """Single heads, each with several sequences, then models of several of them: a row a model."""
    singles = {head: ends(run, (head,), TRIED) for head in range(SOUGHT)}
    rows = [
        ("single", str(head), k, x)
        for head, found in singles.items()
        for k, x in zip(TRIED, found, strict=True)
    ]
    for kind, together in combine(singles, DRAWN, np.random.default_rng(13)):
        rows.append((kind, " ".join(map(str, together)), TRIED[0], *ends(run, together, TRIED[:1])))
    table = pd.DataFrame(rows, columns=["kind", "heads", "seed", "copied"])
    return Made({"heads": as_table(table)})


def summary_heads(run: "Copies") -> Made:
    """Of each kind of heads the share that learns to copy, with Wilson's interval, and the mean accuracy.

    A single head is tried several times: it counts once, with the share of its successes; Student's interval
    is over heads. Then the shares of heads that learn each time, never, and now and then.
    """
    rows = []
    for kind, own in run.table("heads").groupby("kind", sort=False):
        learnt, top = own["copied"] > sequence.GOOD, of_all(len(own))
        share, low, high = sequence.share(learnt)
        if kind == "single":
            each = learnt.groupby(own["heads"]).mean()
            top, (_, low, high) = of_all(len(each)), stats.t_interval(each, (0, 1))
            sorts = {"good": each == 1, "bad": each == 0, "neither": each.between(0, 1, "neither")}
            rows += [top | {"measure": f"single, {k}", "mean": of.mean()} for k, of in sorts.items()]
        rows.append(top | {"measure": f"success, {kind}", "mean": share, "low": low, "high": high})
        rows.append(top | {"measure": f"copied, {kind}", "mean": own["copied"].mean()})
    table = rows_of(run, pd.DataFrame(rows), "heads")
    return Made({"summary_heads": as_table(table)})


class Copies(Run):
    """One run of copying."""

    kind, files = Copying, FILES
    makers = dict.fromkeys(("copied", "shown"), copied)
    makers |= {"summary_copied": summary, "heads": heads, "summary_heads": summary_heads}

    @classmethod
    def plan(cls, seeds, control_seeds, profile: str, results: str, set: dict) -> list["Copies"]:
        """All runs of the chapter, as `grid.copying_runs` orders them; what can't be raises HeedError."""
        given = {"seeds": seeds, "control_seeds": control_seeds, "profile": profile, "set": set}
        wanted = read_copying(given)
        runs = copying_runs(wanted["seeds"], wanted["control_seeds"], profile=profile, **wanted["set"])
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
