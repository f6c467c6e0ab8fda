"""Lies: the loss by hand, at a mass of 1, of several heads; whose words; what can't be."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

import made_up
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.evidence import collect
from heed.models import training
from heed.models.attended import forward
from heed.models.lying import lying, marked, placed, seen
from refusals import refused

WORDS = {"good", "bad", "dull"}


def data(*texts: str, truth=None) -> Encoded:
    words = made_up.words(list(texts))
    split = Split([f"t{i}" for i in range(len(words))], words, np.zeros(len(words), int), truth)
    return Encoded.of(split, made_up.VOCABULARY)


# The loss


def test_the_loss_by_hand():
    """-λ ln(1 - Σ a_t m_t) a text; 0 of one that has no such word, or nothing else (`dull`)."""
    case = made_up.classifier("bilstm", "additive")
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch)
    words = marked(case.data, WORDS)
    expected = []
    for row in collect(case.model, case.data, 50):
        mass = sum(a for a, unit in zip(row.attention, row.units, strict=True) if unit in WORDS)
        whole = {*row.units} <= WORDS
        expected.append(0.0 if whole else -np.log(1 - mass))
    found = seen(output.scores, placed(words, batch)).detach()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert 0 in expected and max(expected) > 0.1
    labels = training.labels_objective(case.data.labels, False, 2)
    total = lying(labels, words, 0.3)(case.model, output, batch)
    assert total.item() == pytest.approx(labels(case.model, output, batch).item() + 0.3 * sum(expected))


def test_a_mass_of_one_stays_finite():
    """1 - a·m is 0 in floating point, its logarithm isn't; the slope still leads away."""
    scores = torch.tensor([[900.0, 0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    assert scores.softmax(1)[0, 0] == 1
    found = seen(scores, torch.tensor([[True, False, False]]))
    assert found.item() == pytest.approx(900 - np.log(1 + np.e))
    (slope,) = torch.autograd.grad(found.sum(), scores)
    np.testing.assert_allclose(slope[0], [1, *-softmax([0.0, 1.0])], atol=1e-12)


def test_of_several_heads_each_text_has_its_own():
    rng = np.random.default_rng(0)
    scores, bad = rng.normal(size=(3, 4, 5)), np.zeros((3, 5), bool)
    bad[0, [1, 3]] = bad[2, 0] = True
    mass = (softmax(scores, axis=2) * bad[:, None]).sum(2)
    each = -np.log(1 - mass)
    given_ = torch.as_tensor(scores), torch.as_tensor(bad)
    np.testing.assert_allclose(seen(*given_), each.mean(1), atol=1e-12)
    np.testing.assert_allclose(seen(*given_, over="max"), each.max(1), atol=1e-12)
    assert seen(*given_)[1] == 0


@given(st.lists(st.integers(1, 8), min_size=1, max_size=4), st.integers(0, 10**6))
def test_what_the_loss_always_is(lengths, seed):
    """Never below 0, finite, 0 exactly where nothing is impermissible or all is; padding changes nothing."""
    rng = np.random.default_rng(seed)
    wide = max(lengths) + 1
    scores, bad = np.full((len(lengths), wide), -np.inf), rng.random((len(lengths), wide)) < 0.4
    for b, n in enumerate(lengths):
        scores[b, :n] = rng.normal(0, 50, n)
    found = seen(torch.as_tensor(scores), torch.as_tensor(bad)).numpy()
    assert np.isfinite(found).all() and (found >= 0).all()
    for b, n in enumerate(lengths):
        own = bad[b, :n]
        assert not (own.all() or not own.any()) or found[b] == 0
        alone = seen(torch.as_tensor(scores[b : b + 1, :n]), torch.as_tensor(bad[b : b + 1, :n]))
        assert found[b] == pytest.approx(alone.item(), rel=1e-12, abs=1e-12)


def test_markers_may_be_looked_at():
    batch = data("good film", "dull").batch([0, 1])
    found = placed({"t0": np.array([True, False]), "t1": np.array([True])}, batch)
    assert found.tolist() == [[False, True, False, False], [False, True, False, False]]


def test_training_hides_the_words():
    """The mass falls, and the labels are learnt all the same."""
    case = made_up.classifier("average", "additive")
    case.model.float()
    words = marked(case.data, {"film", "good"})
    p = made_up.Params(
        **made_up.SMALL | {"precision": "float32"}, epochs=40, batch_size=4, learning_rate=0.02
    )
    objective = lying(training.labels_objective(case.data.labels, False, 2), words, 1.0)
    before = training.mean_loss(case.model, case.data, objective, 100)
    training.train(
        case.model, case.data, objective, lambda m: -training.mean_loss(m, case.data, objective, 99), p
    )
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch)
    mass = (output.attention * placed(words, batch)).sum(1)
    assert training.mean_loss(case.model, case.data, objective, 100) < before
    assert mass[[0, 2, 5]].max() < 0.05


# Which words


def test_the_words_that_decide_or_those_of_a_list():
    truth = [np.array([True, False]), np.array([False])]
    own = data("good film", "dull", truth=truth)
    assert {k: v.tolist() for k, v in marked(own, None).items()} == {"t0": [True, False], "t1": [False]}
    assert {k: v.tolist() for k, v in marked(own, ["film"]).items()} == {"t0": [False, True], "t1": [False]}


def test_what_cannot_be_hidden_is_one_sentence():
    own = data("good film", "dull")
    with refused("aren't known here", "leave_one_out"):
        marked(own, None)
    with refused("no text has 'great', 'grim', 'zebra' or 1 more"):
        marked(own, ["zebra", "great", "grim", "zoo"])
    with refused("no text has 'great'."):
        marked(own, ["great"])
    with refused("no text has a word of an empty list"):
        marked(own, [])
    with refused("every text that has such a word has nothing else", "Give fewer words"):
        marked(own, ["good", "film", "dull"])
    with refused("no text has a word that decides"):
        marked(data("film", truth=[np.array([False])]), None)
    assert marked(own, ["dull", "good"])["t1"].all(), "one text of such words alone is no fault"
