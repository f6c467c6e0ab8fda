"""How well a model predicts: accuracy, F1, ROC AUC."""

from heed.evidence import Evidence
from heed.models.training import auc


def scores(evidence: Evidence, task: str = "classification") -> dict[str, float]:
    """Accuracy on the evidence's split; of a classification also F1 (of class 1; of more classes the mean)
    and ROC AUC."""
    from sklearn.metrics import accuracy_score, f1_score

    labels, predicted = evidence.labels, evidence.predicted
    found = {"accuracy": float(accuracy_score(labels, predicted))}
    if task == "classification":
        average = "binary" if evidence.predictions.shape[1] == 2 else "macro"
        found["f1"] = float(f1_score(labels, predicted, average=average))
        found["auc"] = auc(labels, evidence.predictions)
    return found
