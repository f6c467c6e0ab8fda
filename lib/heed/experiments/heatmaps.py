"""Chapter 05, heatmaps: one text under its own attention and three others, and what the texts are chosen by.

Source: Jain & Wallace (2019), figure 1 and appendix C.
"""

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures import permutation
from heed.measures.divergence import tvd
from heed.measures.exact import Vertex
from heed.measures.registry import Measure, columns_of, register, validate
from heed.params import LEAVING, RESAMPLING, SEARCHING
from heed.runs.products import product
from heed.runs.summaries import of_several, summarised

_OF = ((0.0, 1.0), "higher is more weight", "heed: words without a letter or digit, and markers", "heatmap")
_KEPT = pa.Column(float, nullable=True)
register(
    "heatmap",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "label": pa.Column(int)}
    | {"length": pa.Column(int)}
    | {name: _KEPT for name in ("max_attention", "tau_gradient", "median_change", "found", "change_found")}
    | {name: _KEPT for name in ("optimum", "change_optimum")},
    Measure("punctuation", "share of attention on punctuation and markers", *_OF),
    Measure("punctuation_units", "share of punctuation and markers among the units", *_OF),
)


def table_of(
    evidence: Evidence,
    correlation: pd.DataFrame,
    permuted: pd.DataFrame,
    adversarial: pd.DataFrame,
    searched: dict[str, np.ndarray],
) -> pd.DataFrame:
    """All that a heatmap is chosen by, one row an instance; `searched` holds the best of each search."""
    found = adversarial.rename(columns={"tvd": "change_optimum"})
    found = found[["id", "predicted", "length", "max_attention", "found", "optimum", "change_optimum"]]
    found = found.merge(correlation[["id", "tau_gradient"]], on="id", validate="1:1")
    found = found.merge(permuted[["id", "median_change"]], on="id", validate="1:1")
    rows = []
    for row in evidence:
        outside = ~row.real | ~np.array([any(c.isalnum() for c in unit) for unit in row.units])
        rows.append(
            {
                "id": row.id,
                "label": row.label,
                "change_found": float(tvd(row.probs(searched[row.id]), row.prediction)),
                "punctuation": float(min(row.attention[outside].sum(), 1)),
                "punctuation_units": float(outside.mean()),
            }
        )
    return validate("heatmap", found.merge(pd.DataFrame(rows), on="id", validate="1:1"))


def attentions(
    row: Row, adversarial: pd.Series, searched: np.ndarray, count: int, seed: int
) -> dict[str, np.ndarray]:
    """A text's own attention, the draw of median change, the search's best, the exact (or best known) one.

    adversarial: the row's entry of that table. Where nothing is known that keeps the prediction
    but the text's own attention, the last is left out.
    """
    draws = permutation.draws(row, count, seed)
    change = tvd(row.probs(draws), row.prediction)
    middle = draws[np.argsort(change, kind="stable")[(count - 1) // 2]]
    found = {"original": row.attention, "permuted": middle, "search": searched}
    best = "exact" if adversarial["proved"] else "best known"
    if adversarial["token_i"] >= 0:
        vertex = Vertex(adversarial["optimum"], *adversarial[["token_i", "token_j", "weight_i"]])
        found[best] = vertex.attention(len(row.attention))
    elif adversarial["feasible"]:
        found[best] = searched
    return found


def ordered(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """The table from the highest to the lowest of a column, equals by id. Raises HeedError without it."""
    if by not in frame.columns or by in ("id", "predicted"):
        known = [c for c in frame.columns if c not in ("id", "predicted")]
        raise HeedError(f"heatmaps can't be sorted by {by!r}. Choose one of: {', '.join(known)}.")
    return frame.sort_values([by, "id"], ascending=[False, True], kind="stable", ignore_index=True)


@product("heatmap.parquet", settings=("permutations", *LEAVING, *SEARCHING))
def heatmap(run) -> pd.DataFrame:
    """What the heatmaps are chosen by."""
    tables = [run.table(name) for name in ("correlation", "permutation", "adversarial")]
    return table_of(run.evidence, *tables, run.arrays("adversary"))


@product(
    "summary-heatmap.parquet",
    settings=("permutations", *LEAVING, *SEARCHING, *RESAMPLING),
    proof="punctuation",
)
def summary_heatmap(run) -> pd.DataFrame:
    """How much attention falls on punctuation and markers, of texts of two units or more."""
    table = of_several(run.table("heatmap"))
    return summarised(run, "summary_heatmap", {"heatmap": (table, columns_of("heatmap"))})
