"""Parts of texts against a loop that writes each part down and reads it alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.corpora.batches import Encoded
from heed.corpora.tokens import END, START, UNKNOWN
from heed.measures.parts import WAYS, lead, logits_of, probability
from heed.models.attended import forward
from heed.models.build import build
from heed.params import Params
from refusals import refused

SETS = np.random.default_rng(3)


def alone(case: made_up.Case, i: int, kept: np.ndarray, way: str) -> np.ndarray:
    """The logits of one part of text i: its words one by one, read as a text of its own."""
    codes = [START]
    for code, stays in zip(case.data.codes[i][1:-1], kept, strict=True):
        if stays:
            codes.append(int(code))
        elif way == "unk":
            codes.append(UNKNOWN)
    data: Encoded = replace(case.data, codes=list(case.data.codes))
    data.codes[i] = np.array([*codes, END])
    with torch.no_grad():
        return forward(case.model, data.batch([i])).logits[0].numpy()


@pytest.mark.parametrize("way", WAYS)
def test_a_part_is_what_the_model_says_of_it_alone(case, way):
    """Every model, with and without a question; from no word to all; in batches of any size."""
    for i in (0, 1, 3):
        n = len(case.data.words[i])
        kept = np.concatenate([SETS.random((5, n)) < 0.5, np.zeros((1, n), bool), np.ones((1, n), bool)])
        expected = np.array([alone(case, i, own, way) for own in kept])
        for budget in (1, 25, 10_000):
            found = logits_of(case.model, case.data, i, kept, way, budget)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_markers_that_are_attended_to_stay():
    """Without any word they alone are left, and are attended to."""
    case = made_up.classifier("bilstm", "additive", attend_markers=True)
    nothing = np.zeros((1, len(case.data.words[0])), bool)
    found = logits_of(case.model, case.data, 0, nothing, "delete", 100)
    np.testing.assert_allclose(found[0], alone(case, 0, nothing[0], "delete"), atol=1e-12)
    assert abs(found[0, 0] - case.model.decoder.bias.item()) > 1e-6


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(WAYS)), st.integers(1, 60))
def test_what_shares_a_batch_changes_nothing(seed, way, budget):
    """A part among others of other lengths, in any order, is what it is alone."""
    rng = np.random.default_rng(seed)
    kept = rng.random((int(rng.integers(1, 9)), 9)) < rng.random()
    data = made_up.texts(9, seed=seed)
    for case in (made_up.classifier("bilstm", "additive"), made_up.classifier("transformer", "dot")):
        together = logits_of(case.model, data, 0, kept, way, budget)
        apart = [logits_of(case.model, data, 0, own[None], way, 10_000)[0] for own in kept]
        np.testing.assert_allclose(together, apart, rtol=0, atol=1e-11)


def test_a_class_s_probability_and_logit():
    """One logit is class 1's; class 0's is its negative."""
    two, three = made_up.classifier("average", "dot"), made_up.three_classes()
    one_logit, logits = np.array([[2.0], [-1.0]]), np.array([[1.0, 2.0, 3.0]])
    assert lead(one_logit, 1).tolist() == [2, -1] and lead(one_logit, 0).tolist() == [-2, 1]
    np.testing.assert_allclose(probability(two.model.head, one_logit, 0), 1 / (1 + np.exp([2.0, -1.0])))
    assert lead(logits, 2).tolist() == [3]
    np.testing.assert_allclose(
        probability(three.model.head, logits, 1), np.exp(2) / np.exp(logits).sum(), rtol=1e-12
    )


# What is refused


def test_no_sets_are_no_logits():
    case = made_up.classifier("average", "dot")
    assert len(logits_of(case.model, case.data, 0, np.empty((0, 9), bool), "unk", 100)) == 0


def test_flags_of_another_length():
    case = made_up.classifier("average", "dot")
    with refused("parts of text test-0", "(M, 9)", "(2, 3)"):
        logits_of(case.model, case.data, 0, np.ones((2, 3), bool), "unk", 100)
    with refused("unknown way of taking words out 'mask'", "delete, unk"):
        logits_of(case.model, case.data, 0, np.ones((2, 9), bool), "mask", 100)


def test_a_model_of_sentences_and_one_that_is_given_its_attention():
    p = Params(encoder="han", **made_up.SMALL)
    han = build(p, np.zeros((len(made_up.VOCABULARY), 5)), 2).double()
    with refused("attends to sentences"):
        logits_of(han, made_up.encoded(2), 0, np.ones((1, 9), bool), "unk", 100)
    guided = build(Params(base="a/b/c/seed0", **made_up.SMALL), np.zeros((30, 5)), 2).double()
    with refused("given for whole texts"):
        logits_of(guided, made_up.encoded(2), 0, np.ones((1, 9), bool), "unk", 100)
