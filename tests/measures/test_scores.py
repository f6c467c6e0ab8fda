"""Scores of a finished model."""

from types import SimpleNamespace

import numpy as np

import made_up
from heed.evidence import collect
from heed.measures import scores as measures_scores

BUDGET = 40


def test_a_questions_score_is_its_accuracy():
    case = made_up.reader("average", "dot")
    found = collect(case.model, case.data, BUDGET)
    scores = measures_scores.scores(found, "qa")
    assert scores == {"accuracy": float(np.mean(found.predicted == found.labels))}


def decided(labels: list[int], probs: np.ndarray):
    """As much of evidence as its scores are of."""
    predicted = (probs[:, 1] >= 0.5).astype(int) if probs.shape[1] == 2 else probs.argmax(1)
    return SimpleNamespace(labels=np.array(labels), predictions=probs, predicted=predicted)


def test_what_is_undefined_is_no_score():
    """All texts of one class: no AUC; F1 only if its class is there or predicted, and then 0 is 0."""
    sure = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert measures_scores.scores(decided([0, 0], sure)) == {"accuracy": 1.0}
    assert measures_scores.scores(decided([0, 0], sure[:, ::-1])) == {"accuracy": 0.0, "f1": 0.0}
    assert measures_scores.scores(decided([1, 1], sure[:, ::-1])) == {"accuracy": 1.0, "f1": 1.0}


def test_a_class_that_no_text_has_is_in_no_mean():
    """Of three classes two are there: AUC is their mean, one against the rest, F1 that of those and the
    predicted."""
    probs = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]])
    found = measures_scores.scores(decided([0, 1, 1, 0], probs))
    assert found["auc"] == np.mean([0.75, 1.0])
    assert found["f1"] == np.mean([0.5, 2 / 3, 0.0])


def test_f1_says_of_what_it_is():
    assert measures_scores.f1_called(("bad", "good")) == "F1 of “good”"
    assert measures_scores.f1_called("abc") == "mean F1 of the 3 classes"
