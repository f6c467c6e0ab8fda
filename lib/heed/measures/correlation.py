"""Rankings of the words of a text, held against one another, and against the truth where it is known."""

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError
from heed.evidence import Evidence
from heed.measures import rankings
from heed.measures.divergence import significant_digits
from heed.measures.kendall import kendall
from heed.measures.registry import Measure, register, validate
from heed.measures.stats import auroc

Scores = dict[str, dict[str, np.ndarray]]  # of each ranking, by name: the numbers of a text's tokens, by id
PAIRS = rankings.pairs()
_RANGE, _CLOSER = (-1.0, 1.0), "higher is closer agreement"
_KENDALL = _RANGE, _CLOSER, "J&W (2019), algorithm 1 and table 2", "correlation"
_P_VALUE = pa.Column(float, pa.Check.in_range(0, 1), nullable=True, required=False)
_TRUTH = (0.0, 1.0), "higher finds more of the truth", "heed: made corpora", "truth"


def _pair_label(first: str, second: str) -> str:
    names = rankings.compared()
    return f"Kendall τ of {names[first].label} and {names[second].label}"


def _plainly(name: str) -> str:
    return name.replace("_", " ")


register(
    "correlation",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "length": pa.Column(int)}
    | {f"p_{name}": _P_VALUE for name in PAIRS},
    *(Measure(name, _pair_label(*pair), *_KENDALL) for name, pair in PAIRS.items()),
)
register(
    "truth",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "deciding": pa.Column(int)},
    *(
        Measure(f"auroc_{name}", f"AUROC of {_plainly(name)} for the deciding tokens", *_TRUTH)
        for name in rankings.compared()
    ),
    *(
        Measure(f"precision_{name}", f"precision of {_plainly(name)} at |truth|", *_TRUTH)
        for name in rankings.compared()
    ),
)


def scores(evidence: Evidence, arrays: Scores) -> Scores:
    """The numbers of each compared ranking of which there are arrays, or that evidence alone gives."""
    found = {}
    for name, own in rankings.compared().items():
        if not own.needs_model or name in arrays:
            found[name] = own.scores(evidence, arrays.get(name))
    return found


def correlation(evidence: Evidence, ranked: Scores) -> pd.DataFrame:
    """τ of each pair of these rankings, a row an instance; NaN where one hasn't ranked it.

    J&W (2019), algorithm 1.
    """
    pairs = {name: pair for name, pair in PAIRS.items() if {*pair} <= ranked.keys()}
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        found = {"id": row.id, "predicted": int(predicted), "length": int(row.real.sum())}
        for name, (first, second) in pairs.items():
            both = [ranked[one][row.id] for one in (first, second) if row.id in ranked[one]]
            found[name], found[f"p_{name}"] = kendall(*both) if len(both) == 2 else (np.nan, np.nan)
        rows.append(found)
    return validate("correlation", pd.DataFrame(rows))


def truth(evidence: Evidence, ranked: Scores) -> pd.DataFrame:
    """How well each ranking finds the tokens that decide the label; NaN where none or all do, or it has none.

    AUROC: the chance that a deciding token outranks another (ties count half). Precision at |truth|:
    the share of deciding tokens among as many from the top; ties at the border count their share.
    """
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        if row.truth is None:
            raise HeedError("truth: this corpus's deciding tokens aren't known; use planted or indicator.")
        deciding = row.truth[row.real]
        found = {"id": row.id, "predicted": int(predicted), "deciding": int(deciding.sum())}
        defined = 0 < deciding.sum() < len(deciding)
        for name, own in ranked.items():
            found[f"auroc_{name}"] = found[f"precision_{name}"] = np.nan
            if defined and row.id in own:
                score = significant_digits(own[row.id])
                found[f"auroc_{name}"] = auroc(deciding, score)
                found[f"precision_{name}"] = precision_at_truth(deciding, score)
        rows.append(found)
    return validate("truth", pd.DataFrame(rows))


def precision_at_truth(deciding: np.ndarray, score: np.ndarray) -> float:
    """Expected precision of the |truth| highest scores when ties are broken at random."""
    k = int(deciding.sum())
    border = np.sort(score)[-k]
    above, at = score > border, score == border
    places = k - above.sum()
    return float((deciding[above].sum() + places * deciding[at].mean()) / k)
