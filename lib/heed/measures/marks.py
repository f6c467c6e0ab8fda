"""Rankings of words against what people marked, as ERASER measures it (DeYoung et al. 2020 and its code).

What people marked is theirs: a model may need other words, and be right. So this holds people against models,
and is no truth. Where nothing or everything is marked, no ranking can be told from another: all is NaN there.
"""

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.corpora.rationales import Marks
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures.divergence import significant_digits
from heed.measures.erasure import erased_flips, linear, smallest_set
from heed.measures.registry import TABLES, Measure, columns_of, register, validate
from heed.measures.search import generator

RANDOM = "random"  # an order drawn for each text, beside the rankings
OVERLAP = 0.5  # of a predicted span and a marked one, from which ERASER counts it as found
_UNIT, _FINDS = (0.0, 1.0), "higher finds more of what people marked"
_MORE, _WEIGHT, _LONGER = "higher is more change", "higher is more weight", "higher needs more erased"
_ERASER = "DeYoung et al. (2020), section 4.1 and code", "human"
_ROW = {"id": pa.Column(str), "predicted": pa.Column(int), "length": pa.Column(int), "marked": pa.Column(int)}
register(
    "human",
    _ROW | {"ranking": pa.Column(str)},
    Measure("auprc", "area under precision and recall of people's marks", _UNIT, _FINDS, *_ERASER),
    Measure("average_precision", "average precision of people's marks", _UNIT, _FINDS, *_ERASER),
    Measure("token_f1", "token F1 of as many words as people marked", _UNIT, _FINDS, *_ERASER),
    Measure("iou_precision", "share of chosen spans that half meet a marked one", _UNIT, _FINDS, *_ERASER),
    Measure("iou_recall", "their number over that of marked spans", (0.0, np.inf), _FINDS, *_ERASER),
    Measure("marked_mass", "share of the ranking's sum on marked words", _UNIT, _FINDS, "heed", "human"),
    Measure("marked_share", "share of words that people marked", _UNIT, _WEIGHT, "heed", "human"),
)
_SET = "heed: smallest flipping set, after Serrano & Smith (2019), section 5", "needed"
register(
    "needed",
    _ROW,
    Measure("needed_share", "share of words in the smallest flipping set", _UNIT, _LONGER, *_SET),
    Measure("needed_marked", "share of the smallest flipping set that people marked", _UNIT, _FINDS, *_SET),
    Measure("marked_needed", "share of marked words in the smallest flipping set", _UNIT, _FINDS, *_SET),
    Measure("needed_chance", "share of words that people marked, of those texts", _UNIT, _WEIGHT, *_SET),
    Measure("marks_flip", "erasing all marked words flips", _UNIT, _MORE, *_SET),
    Measure("random_flip", "erasing as many at random flips", _UNIT, _MORE, *_SET),
)  # fmt: skip


def top(score: np.ndarray, count: int) -> np.ndarray:
    """The `count` highest of a text's scores, as booleans (T,); of equals those that stand first."""
    chosen = np.zeros(len(score), dtype=bool)
    chosen[np.argsort(-significant_digits(score), kind="stable")[:count]] = True
    return chosen


def runs_of(chosen: np.ndarray) -> np.ndarray:
    """The spans of a choice of words (T,): first token, one after the last, (S, 2)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]])))
    return edges.reshape(-1, 2)


def auprc(marked: np.ndarray, score: np.ndarray) -> float:
    """Area under precision over recall by trapezoids, of scikit-learn's curve, as ERASER has it.

    Of a text without marks ERASER counts a half, and 1 where all is marked: no number of a ranking.
    """
    from sklearn.metrics import auc, precision_recall_curve  # takes seconds, and few corpora have marks

    precision, recall, _ = precision_recall_curve(marked, significant_digits(score))
    return float(auc(recall, precision))


def average_precision(marked: np.ndarray, score: np.ndarray) -> float:
    """Precision summed over the steps of recall, without interpolation."""
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(marked, significant_digits(score)))


def token_f1(marked: np.ndarray, chosen: np.ndarray) -> float:
    """F1 of two sets of words, booleans (T,); 0 where they have none in common."""
    both = (marked & chosen).sum()
    return float(2 * both / (marked.sum() + chosen.sum())) if both else 0.0


def found_spans(true: np.ndarray, chosen: np.ndarray) -> int:
    """How many chosen spans (P, 2) have an intersection over union of OVERLAP or more with a true one (S, 2).

    As in ERASER several may have it with the same one.
    """
    both = np.minimum(chosen[:, None, 1], true[:, 1]) - np.maximum(chosen[:, None, 0], true[:, 0])
    both = both.clip(min=0)
    sizes = np.diff(chosen).clip(min=1) + np.diff(true).T
    return int(((both / (sizes - both)).max(1, initial=0) >= OVERLAP).sum())


def iou_f1(precision: np.ndarray, recall: np.ndarray) -> float:
    """ERASER's IOU F1, one number of all texts: F1 of mean precision and mean recall, not the mean of F1s.

    A mark that several chosen spans meet counts for each, so a text's recall may be above 1.
    """
    p, r = np.nanmean(precision), np.nanmean(recall)
    return float(2 * p * r / (p + r)) if p + r else 0.0


def against(spans: np.ndarray, score: np.ndarray) -> dict[str, float]:
    """All measures of one text: what people marked (S, 2), and a ranking's numbers (T,)."""
    marked = Marks(spans).tokens(len(score))
    found = {"marked_share": float(marked.mean())}
    if not 0 < marked.sum() < len(marked):
        return found
    chosen = top(score, int(marked.sum()))
    chosen_spans = runs_of(chosen)
    true = spans[spans[:, 0] < len(score)].clip(max=len(score))
    met = found_spans(true, chosen_spans)
    found |= {
        "auprc": auprc(marked, score),
        "average_precision": average_precision(marked, score),
        "token_f1": token_f1(marked, chosen),
        "iou_precision": met / len(chosen_spans),
        "iou_recall": met / len(true),
    }
    if score.min() >= 0 and score.sum() > 0:
        found["marked_mass"] = min(float(score[marked].sum() / score.sum()), 1.0)
    return found


def _both(evidence: Evidence, marks: dict[str, Marks]) -> list[tuple[int, Row, np.ndarray]]:
    """Predicted class, row and marked spans of each text. Raises HeedError if no marks are known."""
    if evidence.unit != "token":
        raise HeedError(
            f"people marked words, and this model attends to {evidence.unit}s. Give another encoder."
        )
    found = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        if row.id not in marks:
            raise HeedError(f"text {row.id}: what people marked in it isn't known. Take corpus movies.")
        found.append((int(predicted), row, marks[row.id].spans))
    return found


def random_scores(evidence: Evidence, seed: int) -> dict[str, np.ndarray]:
    """Numbers of each text's real tokens drawn at random: the floor of all rankings."""
    drawn = {}
    for name, length in zip(evidence.ids, evidence.lengths.tolist(), strict=True):
        drawn[name] = generator(seed, f"random ranking {name}").random(length)
    return drawn


def human(
    evidence: Evidence, marks: dict[str, Marks], ranked: dict[str, dict[str, np.ndarray]]
) -> pd.DataFrame:
    """Each ranking against people's marks, a row a text and ranking; texts that a ranking lacks are left out.

    ranked: by name, then by the text's id, the numbers of its real tokens.
    """
    rows = []
    for predicted, row, spans in _both(evidence, marks):
        length = int(row.real.sum())
        marked = int(Marks(spans).tokens(length).sum())
        for name, own in ranked.items():
            if row.id in own:
                known = {"id": row.id, "predicted": predicted, "length": length, "marked": marked}
                rows.append(known | {"ranking": name} | against(spans, own[row.id]))
    return validate("human", _filled("human", rows))


def needed(evidence: Evidence, marks: dict[str, Marks], keep_last: bool, seed: int) -> pd.DataFrame:
    """People's marks against the smallest set of words whose erasing flips the decision, a row a text.

    NaN where nothing or everything is marked; of the set's own, where no erasing flips or logits aren't
    linear in attention. Erased is attention: the rest is renormalised, states stay.
    """
    rows = []
    for predicted, row, spans in _both(evidence, marks):
        n = int(row.real.sum())
        marked = Marks(spans).tokens(n)
        found = {"id": row.id, "predicted": predicted, "length": n, "marked": int(marked.sum())}
        if 0 < marked.sum() < n:
            drawn = generator(seed, f"as many {row.id}").permutation(marked)
            found["marks_flip"] = float(erased_flips(row, marked))
            found["random_flip"] = float(erased_flips(row, drawn))
            smallest = smallest_set(row, keep_last) if linear(row) else None
            if smallest is not None:
                both = (smallest & marked).sum()
                found["needed_share"] = float(smallest.mean())
                found["needed_chance"] = float(marked.mean())
                found["needed_marked"] = float(both / smallest.sum())
                found["marked_needed"] = float(both / marked.sum())
        rows.append(found)
    return validate("needed", _filled("needed", rows))


def _filled(table: str, rows: list[dict]) -> pd.DataFrame:
    """A table that has all its columns, whatever is undefined in its rows."""
    frame = pd.DataFrame(rows).reindex(columns=list(TABLES[table].columns))
    return frame.astype({name: float for name in columns_of(table)})
