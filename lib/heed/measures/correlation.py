"""Rankings of the words of a text, held against one another, and against the truth where it is known."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError
from heed.evidence import Evidence
from heed.measures.divergence import significant_digits, tvd
from heed.measures.kendall import kendall
from heed.measures.registry import Measure, register, validate

_KENDALL = ((-1.0, 1.0), "higher is closer agreement", "J&W (2019), algorithm 1 and table 2", "correlation")
PAIRS = {
    "tau_gradient": ("attention", "gradient"),
    "tau_loo": ("attention", "loo"),
    "tau_gradient_loo": ("gradient", "loo"),
}
register(
    "correlation",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "length": pa.Column(int)}
    | {f"p_{name}": pa.Column(float, pa.Check.in_range(0, 1), nullable=True) for name in PAIRS},
    Measure("tau_gradient", "Kendall τ of attention and gradient", *_KENDALL),
    Measure("tau_loo", "Kendall τ of attention and leave-one-out", *_KENDALL),
    Measure("tau_gradient_loo", "Kendall τ of gradient and leave-one-out", *_KENDALL),
)

RANKINGS = ("attention", "gradient", "loo")
_TRUTH = ((0.0, 1.0), "higher finds more of the truth", "heed: made corpora", "truth")
register(
    "truth",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "deciding": pa.Column(int)},
    *(Measure(f"auroc_{name}", f"AUROC of {name} for the deciding tokens", *_TRUTH) for name in RANKINGS),
    *(Measure(f"precision_{name}", f"precision of {name} at |truth|", *_TRUTH) for name in RANKINGS),
)


def change(evidence: Evidence, logits: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Δŷ of each left-out token, TVD in float64: instance id to an array over its tokens.

    To 14 places: noise is near 1e-16, and where Δŷ is tiny it would tell equal words apart in a rank.
    """
    head, found = evidence.head, {}
    for name, prediction, allowed in zip(
        evidence.ids, evidence.predictions, evidence.table["allowed"].to_pylist(), strict=True
    ):
        kept = prediction if allowed is None else prediction[allowed]
        found[name] = np.round(tvd(head.from_logits(logits[name]).numpy(), kept), 14)
    return found


def _scores(evidence: Evidence, gradients: dict, logits: dict):
    """Row, and its three rankings over real tokens."""
    loo = change(evidence, logits)
    for row in evidence:
        scores = {"attention": row.attention[row.real], "gradient": gradients[row.id], "loo": loo[row.id]}
        yield row, scores


def correlation(evidence: Evidence, gradients: dict, logits: dict) -> pd.DataFrame:
    """τ of attention, gradient and leave-one-out, pair by pair, for each instance. Algorithm 1."""
    rows = []
    for predicted, (row, scores) in zip(
        evidence.predicted, _scores(evidence, gradients, logits), strict=True
    ):
        found = {"id": row.id, "predicted": int(predicted), "length": int(row.real.sum())}
        for name, (a, b) in PAIRS.items():
            found[name], found[f"p_{name}"] = kendall(scores[a], scores[b])
        rows.append(found)
    return validate("correlation", pd.DataFrame(rows))


def truth(evidence: Evidence, gradients: dict, logits: dict) -> pd.DataFrame:
    """How well each ranking finds the tokens that decide the label; NaN where none or all decide.

    AUROC: the chance that a deciding token outranks another (ties count half). Precision at |truth|:
    the share of deciding tokens among as many from the top; ties at the border count their share.
    """
    from sklearn.metrics import roc_auc_score  # takes seconds, and few corpora know their truth

    rows = []
    for predicted, (row, scores) in zip(
        evidence.predicted, _scores(evidence, gradients, logits), strict=True
    ):
        if row.truth is None:
            raise HeedError("truth: this corpus's deciding tokens aren't known; use planted or indicator.")
        deciding = row.truth[row.real]
        found = {"id": row.id, "predicted": int(predicted), "deciding": int(deciding.sum())}
        for name in RANKINGS:
            score = significant_digits(scores[name])
            defined = 0 < deciding.sum() < len(deciding)
            found[f"auroc_{name}"] = roc_auc_score(deciding, score) if defined else np.nan
            found[f"precision_{name}"] = precision_at_truth(deciding, score) if defined else np.nan
        rows.append(found)
    return validate("truth", pd.DataFrame(rows))


def precision_at_truth(deciding: np.ndarray, score: np.ndarray) -> float:
    """Expected precision of the |truth| highest scores when ties are broken at random."""
    k = int(deciding.sum())
    border = np.sort(score)[-k]
    above, at = score > border, score == border
    places = k - above.sum()
    return float((deciding[above].sum() + places * deciding[at].mean()) / k)


MAKERS: dict[str, Callable] = {"correlation": correlation, "truth": truth}
