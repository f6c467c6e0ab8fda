"""How well a model predicts: accuracy, F1, ROC AUC."""

from collections.abc import Sequence

import numpy as np

from heed.evidence import Evidence
from heed.models.training import auc


def scores(evidence: Evidence, task: str = "classification") -> dict[str, float]:
    """Accuracy on the evidence's split; of a classification also F1 (of class 1; of more classes the mean)
    and ROC AUC.

    What is undefined there is left out: F1 of a class that no text has and none is predicted as, ROC AUC of
    texts that are all of one class. The mean F1 is over the classes that are there or predicted, AUC over
    those that are there.
    """
    from sklearn.metrics import accuracy_score, f1_score

    labels, predicted = evidence.labels, evidence.predicted
    found = {"accuracy": float(accuracy_score(labels, predicted))}
    if task == "classification":
        average = "binary" if evidence.predictions.shape[1] == 2 else "macro"
        found["f1"] = float(f1_score(labels, predicted, average=average, zero_division=np.nan))
        found["auc"] = auc(labels, evidence.predictions)
    return {name: value for name, value in found.items() if not np.isnan(value)}


def f1_called(classes: Sequence[str]) -> str:
    """What F1 is of, for a sentence or a heading; escape the classes' names where that is needed."""
    return f"F1 of “{classes[1]}”" if len(classes) == 2 else f"mean F1 of the {len(classes)} classes"
