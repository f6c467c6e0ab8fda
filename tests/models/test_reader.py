"""The model that answers questions: from the paper's formulas, a text at a time in numpy; bad questions."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.evidence import collect
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import leave_one_out
from heed.models.attended import forward
from heed.models.build import ASKED
from twins import plain, weights_of

BUDGET = 40
PAIRS = list(product(ASKED, made_up.LEARNED))


# The model once more, a text at a time, in numpy


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_the_reader_is_the_papers(encoder, attention):
    """Attention, prediction, and what evidence makes of them, as the formulas have it."""
    case = made_up.reader(encoder, attention)
    for i, row in enumerate(collect(case.model, case.data, BUDGET)):
        found = plain(case, i)
        np.testing.assert_allclose(row.attention, found["attention"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(row.prediction, found["probs"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(row.probs(row.attention), found["probs"], rtol=0, atol=1e-13)
        assert row.values.shape == (len(row.units), case.model.encoder.size // 2)
        assert row.shown == found["probs"].argmax()
        assert (row.prediction[~row.allowed] == 0).all()


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_leave_one_out_deletes_a_word_of_the_passage(encoder, attention):
    """The question and the allowed answers stay, those of words that go included."""
    case = made_up.reader(encoder, attention)
    for how in ("fast", "plain"):
        found = leave_one_out(case.model, case.data, BUDGET, how)
        for i, name in enumerate(case.data.ids):
            if len(case.data.words[i]) == 1:
                continue
            for t, logits in enumerate(found[name]):
                without = plain(case, i, codes=np.delete(case.data.codes[i], t + 1))
                allowed = case.data.allowed[i]  # what it returns are the columns of these
                np.testing.assert_allclose(logits, without["logits"][allowed], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_the_gradient_is_that_of_the_predicted_answer(encoder, attention):
    """|E[w]·dp/de| by central differences along each word's own vector, attention held fixed."""
    case = made_up.reader(encoder, attention)
    slopes = gradients(case.model, case.data, BUDGET)
    vectors, step = weights_of(case.model)["embedding.weight"], 1e-6
    for i in (0, 4):
        own = plain(case, i)
        answer, x = own["probs"].argmax(), vectors[case.data.codes[i]]
        for t, slope in enumerate(slopes[case.data.ids[i]], start=1):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[t] *= 1 + sign * step
                ends.append(plain(case, i, attention=own["attention"], embedded=moved)["probs"][answer])
            assert slope == pytest.approx(abs(ends[0] - ends[1]) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("encoder", ASKED)
@pytest.mark.parametrize("how", ["forward", "leave-one-out"])
def test_the_query_is_read_once(encoder, how, monkeypatch):
    """Once a batch, however often scores and shift ask for it."""
    case, calls = made_up.reader(encoder, "additive"), []
    monkeypatch.setattr(
        case.model.query_encoder, "forward", _counted(case.model.query_encoder.forward, calls)
    )
    if how == "forward":
        forward(case.model, case.data.batch([0, 1, 2]))
        assert len(calls) == 1
    else:
        leave_one_out(case.model, case.data, 10_000)
        assert len(calls) == 1


def _counted(function, calls):
    def counted(*given):
        calls.append(1)
        return function(*given)

    return counted


@pytest.mark.parametrize("attention", ["uniform", "last"])
@pytest.mark.parametrize("encoder", ASKED)
def test_baselines_answer_questions_too(encoder, attention):
    case = made_up.reader(encoder, attention)
    for row in collect(case.model, case.data, BUDGET):
        expected = np.full(len(row.units), 1 / len(row.units)) if attention == "uniform" else None
        expected = np.eye(len(row.units))[-1] if expected is None else expected
        np.testing.assert_allclose(row.attention, expected, rtol=0, atol=1e-15)
        assert row.prediction.sum() == pytest.approx(1)


@given(
    order=st.permutations(range(len(made_up.TEXTS))), tokens=st.integers(1, 200), at=st.sampled_from(PAIRS)
)
def test_what_shares_a_batch_changes_nothing(order, tokens, at):
    """Padding of passages and of queries, batch size and order."""
    case = made_up.reader(*at)
    data = case.data
    usual = {row.id: row for row in collect(case.model, data, 10_000)}
    lists = {k: [getattr(data, k)[i] for i in order] for k in ("ids", "words", "codes", "truth")}
    query = Encoded(
        lists["ids"], *([getattr(data.query, k)[i] for i in order] for k in ("words", "codes")), data.labels
    )
    other = Encoded(**lists, labels=data.labels[list(order)], query=query, allowed=data.allowed[list(order)])
    for row in collect(case.model, other, tokens):
        np.testing.assert_allclose(row.attention, usual[row.id].attention, rtol=0, atol=1e-12)
        np.testing.assert_allclose(row.prediction, usual[row.id].prediction, rtol=0, atol=1e-12)


def test_both_texts_start_from_the_same_vectors():
    """And are trained apart: a change of one isn't one of the other."""
    model = made_up.reader("average", "dot").model
    assert torch.equal(model.embedding.weight, model.query_embedding.weight)
    with torch.no_grad():
        model.query_embedding.weight += 1
    assert not torch.equal(model.embedding.weight, model.query_embedding.weight)


# Bad input


def test_an_unknown_query_word_is_read_as_unknown():
    split = Split(["a"], [["good"]], np.array([0]), queries=[["zebra", "quagga"]])
    data = Encoded.of(split, made_up.VOCABULARY, 5)
    model = made_up.reader("bilstm", "dot").model
    assert np.isfinite(collect(model, data, BUDGET).predictions).all()


@pytest.mark.parametrize("encoder", ASKED)
def test_an_empty_query_is_no_crash(encoder):
    """Its vector is what the encoder makes of nothing; the prediction is finite."""
    split = Split(["a", "b"], [["good"], ["bad", "film"]], np.array([0, 1]), queries=[[], ["why"]])
    data = Encoded.of(split, made_up.VOCABULARY, 5)
    found = collect(made_up.reader(encoder, "additive").model, data, BUDGET)
    assert np.isfinite(found.predictions).all()
