"""Δŷ, τ and the truth: by hand, properties, and every model all the way to them."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.metrics import roc_auc_score

import made_up
from heed.evidence import collect
from heed.measures import correlation
from heed.measures import gradients as measures_gradients
from heed.measures.correlation import precision_at_truth
from heed.measures.kendall import kendall
from heed.measures.leave_one_out import change, leave_one_out
from heed.measures.scores import scores
from strategies import two_rankings
from twins import probabilities

BUDGET = 64


# All the way to the measures


def test_every_model_goes_through_to_its_measures(case, evidence):
    """Gradient, leave-one-out and correlation take what the protocol promises, no more."""
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    logits = leave_one_out(case.model, case.data, BUDGET)
    table = correlation.correlation(evidence, made_up.ranked(evidence, gradients, logits))
    assert table["id"].tolist() == case.data.ids
    assert table["length"].tolist() == [len(text) for text in case.data.words]
    assert table["tau_loo"].isna().tolist()[1], "one token: no rank, no τ"
    assert table.loc[table["length"] > 3, "tau_gradient"].notna().any()
    truth = correlation.truth(evidence, made_up.ranked(evidence, gradients, logits))
    assert truth["deciding"].tolist() == [int(t.sum()) for t in case.data.truth]
    if case.data.allowed is None:  # which labels count is the task's own where answers are masked
        assert set(scores(evidence)) == {"accuracy", "f1", "auc"}


def test_left_out_word_changes_a_prediction_at_most_by_one(case, evidence):
    changed = change(evidence, leave_one_out(case.model, case.data, BUDGET))
    for name, text in zip(case.data.ids, case.data.words, strict=True):
        assert changed[name].shape == (len(text),)
        assert (changed[name] >= 0).all() and (changed[name] <= 1).all()


# Markers


@pytest.mark.parametrize("number", range(11))
def test_markers_are_units_but_enter_no_statistic(number):
    """Attended to, they stand in the evidence with real = False; no table sees them."""
    case = made_up.every_case(attend_markers=True)[number]
    evidence = collect(case.model, case.data, BUDGET)
    for row, text, truth in zip(evidence, case.data.words, case.data.truth, strict=True):
        assert row.units == ["<s>", *text, "</s>"]
        assert row.real.tolist() == [False, *[True] * len(text), False]
        assert row.truth.tolist() == [False, *truth, False]
        assert row.attention.sum() == pytest.approx(1, abs=1e-14)
        assert row.attention[row.real].sum() < 1
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, rtol=0, atol=1e-12)
    assert evidence.lengths.tolist() == [len(text) for text in case.data.words]
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    logits = leave_one_out(case.model, case.data, BUDGET)
    assert [len(g) for g in gradients.values()] == evidence.lengths.tolist()
    assert [len(l) for l in logits.values()] == evidence.lengths.tolist()
    table = correlation.correlation(evidence, made_up.ranked(evidence, gradients, logits))
    row, expected = evidence[0], table.iloc[0]
    tau = kendall(row.attention[1:-1], gradients[row.id])[0]
    assert expected["tau_gradient"] == tau and expected["length"] == len(row.units) - 2
    assert (
        correlation.truth(evidence, made_up.ranked(evidence, gradients, logits))["deciding"].iloc[0]
        == row.truth.sum()
    )


# What a word left out changes


def test_change_is_the_difference_of_probabilities():
    """Δŷ of a binary task is |p - p without the word|; of three classes half the sum."""
    for case in (made_up.classifier("cnn", "dot"), made_up.three_classes(), made_up.asking()):
        logits = leave_one_out(case.model, case.data, BUDGET)
        evidence = collect(case.model, case.data, BUDGET)
        changed = change(evidence, logits)
        for row in evidence:
            p = probabilities(case.model.head, logits[row.id])
            if case.model.head.link == "sigmoid":
                expected = np.abs(p[:, 1] - row.prediction[1])
            else:
                allowed = slice(None) if row.allowed is None else row.allowed
                expected = np.abs(p - row.prediction[allowed]).sum(1) / 2
            np.testing.assert_allclose(changed[row.id], expected, rtol=0, atol=1e-14)


def test_a_tiny_change_has_no_noise():
    """In a text of peaked attention most words change 1e-8: nine digits of that reach the noise of 1e-16."""
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, BUDGET)
    row = next(row for row in evidence if len(row.attention) >= 4)
    logit = np.log(row.prediction[1] / row.prediction[0])
    moved = 1e-8 * np.resize([1, 1, 2, 2], len(row.attention))
    logits = leave_one_out(case.model, case.data, BUDGET)
    noise = 1e-15 * np.resize([1, -1], len(moved))
    changed = change(evidence, logits | {row.id: (logit + moved + noise)[:, None]})
    assert len(set(changed[row.id])) == 2


# The planted truth


def test_precision_at_truth_is_the_mean_over_all_tie_breaks():
    """Exact, by every order of the tokens: sort by score, ties in that order, take the first |truth|."""
    rng = np.random.default_rng(2)
    for _ in range(15):
        score = rng.integers(0, 3, size=6).astype(float)
        deciding = rng.permutation(np.arange(6) < rng.integers(1, 6))
        k = int(deciding.sum())
        shares = []
        for order in itertools.permutations(range(6)):
            ranked = sorted(order, key=lambda t: -score[t])  # stable: ties stay in `order`
            shares.append(deciding[ranked[:k]].mean())
        assert correlation.precision_at_truth(deciding, score) == pytest.approx(np.mean(shares), abs=1e-12)


def test_truth_table_by_hand():
    """AUROC counts pairs, ties half; where all or none decide, both are undefined."""
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, BUDGET)
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    table = correlation.truth(
        evidence, made_up.ranked(evidence, gradients, leave_one_out(case.model, case.data, BUDGET))
    ).set_index("id")
    for row in evidence:
        found = table.loc[row.id, "auroc_gradient"]
        inside, outside = gradients[row.id][row.truth], gradients[row.id][~row.truth]
        if len(outside) == 0:
            assert np.isnan(found) and np.isnan(table.loc[row.id, "precision_gradient"])
        else:
            close = [[0.5 if np.isclose(x, y, rtol=1e-8) else x > y for y in outside] for x in inside]
            assert found == pytest.approx(np.mean(close), abs=1e-12)
            assert found == pytest.approx(roc_auc_score(row.truth, gradients[row.id].round(12)), abs=1e-9)


@given(two_rankings())
def test_precision_at_truth_is_a_share(pair):
    score, other = pair
    deciding = other > np.median(other)
    assume(deciding.any())
    found = precision_at_truth(deciding, score)
    assert 0 <= found <= 1 + 1e-12
    assert precision_at_truth(deciding, deciding.astype(float)) == 1
    assert precision_at_truth(deciding, np.zeros(len(score))) == pytest.approx(deciding.mean())


def test_change_counts_allowed_answers_only():
    case = made_up.reader("cnn", "additive")
    found = collect(case.model, case.data, BUDGET)
    moved = change(found, leave_one_out(case.model, case.data, BUDGET))
    assert all(((x >= 0) & (x <= 1)).all() and np.isfinite(x).all() for x in moved.values())
