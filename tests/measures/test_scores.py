"""Scores of a finished model."""

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
