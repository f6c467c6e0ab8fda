"""Chapter 04, adversarial: how different can attention be, and say the same?"""

import pandas as pd

from heed.measures import adversarial as searching
from heed.measures import stats
from heed.measures.search import Search
from heed.params import RESAMPLING, SEARCHING
from heed.runs.products import Made, as_arrays, as_table, product
from heed.runs.summaries import of_several, summarised


@product("adversarial.parquet", "adversary.parquet", settings=SEARCHING)
def adversary(run) -> Made:
    """The search of algorithm 3 and the exact optimum beside it; the best attention that the search found."""
    p = run.params
    how = Search(
        adversaries=p.adversaries,
        epsilon=p.search_epsilon or p.epsilon,
        penalty=p.penalty if p.penalty_each else p.penalty / p.adversaries,
        mean_pairs=p.mean_pairs,
        steps=p.search_steps,
    )
    table, best = searching.adversarial(run.evidence, how, p.epsilon, p.seed)
    return Made({"adversarial": as_table(table), "adversary": as_arrays(best)})


@product("exact_curve.parquet")
def exact_curve(run) -> pd.DataFrame:
    """The exact optimum at several ε."""
    return searching.curve(run.evidence)


@product("summary-adversarial.parquet", settings=(*SEARCHING, *RESAMPLING), proof="found")
def summary_adversarial(run) -> pd.DataFrame:
    """What the search finds, and the optimum; Spearman's ρ of both with the highest attention weight.

    Of texts of two units or more.
    """
    p, table = run.params, of_several(run.table("adversarial"))
    rows = [
        {"measure": "proved", "mean": table["proved"].mean()},
        {"measure": "none_feasible", "mean": (table["feasible"] == 0).mean()},
    ]
    for column in ("found", "optimum"):
        mean, low, high = stats.spearman(table["max_attention"], table[column], min(p.resamples, 200), p.seed)
        rows.append({"measure": f"rho_{column}", "mean": mean, "low": low, "high": high})
    rows = [{"n": len(table)} | row for row in rows]
    return summarised(
        run, "summary_adversarial", {"adversarial": (table, ("found", "optimum", "bound"))}, rows
    )
