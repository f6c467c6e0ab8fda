"""Chapter 09b, several heads: which first weights learn to copy alone, and what eight heads do together."""

import numpy as np
import pandas as pd

from heed.experiments.copying import GOOD, Copies, share_of
from heed.measures import stats
from heed.params import Copying
from heed.runs.products import product
from heed.runs.summaries import of_all, rows_of

# Several heads, as the authors have them: of how many first weights good and bad ones are sought, with which
# sequences each is tried, how many heads a model has, and how many models of each kind there are.
SOUGHT, TRIED, MANY, DRAWN = 40, (1, 2, 3), 8, 50


def ends(run: Copies, heads: tuple[int, ...], seeds) -> list[float]:
    """Token accuracy at the end of a model with these heads, for each seed of the sequences."""
    models = (run.changed(heads=list(heads), seed=seed) for seed in seeds)
    return [float(model.table("copied")["copied"].iloc[-1]) for model in models]


def combine(singles: dict[int, list[float]], count: int, rng) -> list[tuple[str, tuple[int, ...]]]:
    """Which heads are put together: all bad, one good among bad ones, and any; singles: accuracies by head.

    Good heads have learnt with every sequence, bad ones with none (the authors' bad ones end under 0.6, as
    hardly any of the smaller setting do). Too few of either: none of that kind.
    """
    good = [head for head, found in singles.items() if min(found) > GOOD]
    bad = [head for head, found in singles.items() if max(found) <= GOOD]
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


@product("heads.parquet", kind=Copying)
def heads(run: Copies) -> pd.DataFrame:
    """Single heads, each with several sequences, then models of several of them: a row a model."""
    singles = {head: ends(run, (head,), TRIED) for head in range(SOUGHT)}
    rows = [
        ("single", str(head), k, x)
        for head, found in singles.items()
        for k, x in zip(TRIED, found, strict=True)
    ]
    for kind, together in combine(singles, DRAWN, np.random.default_rng(13)):
        rows.append((kind, " ".join(map(str, together)), TRIED[0], *ends(run, together, TRIED[:1])))
    return pd.DataFrame(rows, columns=["kind", "heads", "seed", "copied"])


@product("summary-heads.parquet", kind=Copying)
def summary_heads(run: Copies) -> pd.DataFrame:
    """Of each kind of heads the share that learns to copy, with Wilson's interval, and the mean accuracy.

    A single head is tried several times: it counts once, with the share of its successes; Student's interval
    is over heads. Then the shares of heads that learn each time, never, and now and then.
    """
    rows = []
    for kind, own in run.table("heads").groupby("kind", sort=False):
        learnt, top = own["copied"] > GOOD, of_all(len(own))
        share, low, high = share_of(learnt)
        if kind == "single":
            each = learnt.groupby(own["heads"]).mean()
            top, (_, low, high) = of_all(len(each)), stats.t_interval(each, (0, 1))
            sorts = {"good": each == 1, "bad": each == 0, "neither": each.between(0, 1, "neither")}
            rows += [top | {"measure": f"single, {k}", "mean": of.mean()} for k, of in sorts.items()]
        rows.append(top | {"measure": f"success, {kind}", "mean": share, "low": low, "high": high})
        rows.append(top | {"measure": f"copied, {kind}", "mean": own["copied"].mean()})
    return rows_of(run, pd.DataFrame(rows), "heads")
