"""Do rankings of words agree? Kendall's τ of each two, and how many of their top words are the same."""

from itertools import combinations

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.evidence import Evidence
from heed.measures.erasure import decision
from heed.measures.faithfulness import order_of, taken
from heed.measures.kendall import kendall
from heed.measures.registry import Measure, register, validate

TOP = 0.2  # the share of words that are a text's top words
_OF = "Neely et al. (2022), section 3", "agreement"
register(
    "agreement",
    {
        "id": pa.Column(str),
        "predicted": pa.Column(int),
        "length": pa.Column(int),
        "first": pa.Column(str),
        "second": pa.Column(str),
    },
    Measure("tau", "Kendall τ of two rankings", (-1, 1), "higher is closer agreement", *_OF),
    Measure("overlap", "share of top words in common", (0, 1), "higher is closer agreement", *_OF),
)


def overlap(first: np.ndarray, second: np.ndarray, share: float = TOP) -> float:
    """The share of the ⌈share · n⌉ top words of one ranking (n,) that are the other's, too."""
    count = taken(len(first), share)
    return len({*order_of(first)[:count]} & {*order_of(second)[:count]}) / count


def agreement(evidence: Evidence, ranked: dict[str, dict[str, np.ndarray]]) -> pd.DataFrame:
    """τ-b and overlap of each two rankings, a row a text and pair; NaN where τ is undefined."""
    rows = []
    for row in evidence:
        own = {name: of[row.id] for name, of in ranked.items() if row.id in of}
        named = {"id": row.id, "predicted": decision(row), "length": int(row.real.sum())}
        for first, second in combinations(own, 2):
            tau, _ = kendall(own[first], own[second])
            same = overlap(own[first], own[second])
            rows.append(named | {"first": first, "second": second, "tau": tau, "overlap": same})
    columns = ["id", "predicted", "length", "first", "second", "tau", "overlap"]
    types = {"id": str, "first": str, "second": str, "tau": float, "overlap": float}
    table = pd.DataFrame(rows, columns=columns).astype(types | {"predicted": int, "length": int})
    return validate("agreement", table)
