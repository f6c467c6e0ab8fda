"""Chapter 06, erasure: how much attention must go before the decision changes?"""

import pandas as pd

from heed.measures import erasure as erasing
from heed.measures.registry import columns_of
from heed.params import ERASING, RESAMPLING
from heed.runs.products import product
from heed.runs.summaries import summarised


@product("erasure.parquet", settings=ERASING)
def erasure(run) -> pd.DataFrame:
    """Single weights erased, and rankings until the decision flips."""
    p = run.params
    return erasing.erasure(run.evidence, p.random_orders, p.keep_last, p.seed)


@product("summary-erasure.parquet", settings=(*ERASING, *RESAMPLING), proof="excess_attention")
def summary_erasure(run) -> pd.DataFrame:
    """Erasure by class; the shares also where every ranking flips; the 2 x 2 tables of single erasures."""
    table = run.table("erasure")
    columns = [c for c in columns_of("erasure") if not c.startswith(("flips_", "delta_weight_"))]
    shares = [c for c in columns if c.startswith("erased_")]
    common = erasing.in_common(table)[shares].add_suffix("_in_common")
    tables = {
        "erasure": (table, columns),
        "common": (common.assign(predicted=table["predicted"]), list(common)),
    }
    cells = []
    for choice in erasing.CHOICES:
        for cell in erasing.cells(table, choice).to_dict("records"):
            undefined = len(table) - cell["n"]
            numbers = {name: cell[name] for name in ("mean", "low", "high")}
            cells.append({"measure": f"cell_{cell['cell']}_{choice}", "undefined": undefined} | numbers)
    return summarised(run, "summary_erasure", tables, cells)
