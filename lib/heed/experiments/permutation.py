"""Chapter 03, permutation: what if attention had fallen on other words?"""

import pandas as pd

from heed.measures import permutation as permuting
from heed.measures.registry import columns_of
from heed.measures.support import support
from heed.params import RESAMPLING
from heed.runs.products import product
from heed.runs.summaries import of_several, summarised

PEAK, STILL = 0.5, 0.05  # a text is peaked from this weight on, and stands still up to this median change


@product("permutation.parquet", settings=("permutations",))
def permutation(run) -> pd.DataFrame:
    """Permuted attention, algorithm 2."""
    return permuting.permutation(run.evidence, run.params.permutations, run.params.seed)


@product("summary-permutation.parquet", settings=("permutations", *RESAMPLING), proof="median_change")
def summary_permutation(run) -> pd.DataFrame:
    """What permuting does; how many texts are peaked, and how many of those hardly move.

    Of texts of two units or more, as in all that follows from a choice among units.
    """
    table = of_several(run.table("permutation"))
    peaked = table["max_attention"] >= PEAK
    still = (table["median_change"] <= STILL).astype(float).where(peaked)
    table = table.assign(peaked=peaked.astype(float), peaked_still=still)
    columns = (*columns_of("permutation"), "peaked", "peaked_still")
    # How alike the states are, and on how many units attention falls: what permuting can do hangs on both.
    states = of_several(support(run.evidence)).merge(run.table("conicity"), on="id")
    tables = {
        "permutation": (table, columns),
        "states": (states, ("conicity", "support", "support_share")),
    }
    return summarised(run, "summary_permutation", tables)
