"""Batches: what they cover, questions beside texts, thinned splits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import made_up
from heed.corpora.batches import Encoded, bucketed, cut, within
from heed.corpora.loading import Split


def test_thinned_keeps_every_kth():
    data = made_up.encoded(2)
    assert data.thinned(4).ids == data.ids[::3] and data.thinned(100).ids == data.ids
    assert data.thinned(1).ids == data.ids[:1] and len(data.thinned(3).codes) == 3


def test_a_batch_within_the_budget_is_left_as_it_is():
    lengths, indices = np.array([3, 9, 4, 5]), np.array([2, 1, 3])
    assert [part.tolist() for part in within(indices, lengths, 27)] == [[2, 1, 3]]
    assert [part.tolist() for part in within(indices, lengths, 26)] == [[2, 3], [1]]
    assert [part.tolist() for part in within(indices, lengths, 1)] == [[2], [3], [1]]


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 200))
def test_cut_covers_all_once_within_the_budget(lengths, tokens):
    groups = cut(np.array(lengths, dtype=int), tokens)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[i] for i in group) <= tokens


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 9), st.integers(0, 99))
def test_bucketed_covers_all_once(lengths, size, seed):
    groups = bucketed(np.array(lengths), size, np.random.default_rng(seed))
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert sorted(map(len, groups), reverse=True)[:-1] == [size] * (len(groups) - 1)
    again = bucketed(np.array(lengths), size, np.random.default_rng(seed))
    assert [g.tolist() for g in groups] == [g.tolist() for g in again]
    # Nearly without noise: none is shorter than the one before, and only equals change places.
    groups = sorted(
        bucketed(np.array(lengths), size, np.random.default_rng(seed), 1e-6),
        key=lambda group: [lengths[i] for i in group],
    )
    assert [lengths[i] for group in groups for i in group] == sorted(lengths)


def test_equals_change_their_batches():
    """Else each epoch had the same ones."""
    rng, lengths = np.random.default_rng(0), np.full(40, 7.013)
    first, second = ({tuple(sorted(g)) for g in bucketed(lengths, 4, rng, 1e-6)} for _ in range(2))
    assert not first & second


# Questions


def test_encoding_a_split_with_questions():
    split = Split(
        ["a", "b"], [["good"], ["bad", "film"]], np.array([0, 2]), queries=[["why"], ["who", "so"]],
        allowed=[np.array([0]), np.array([2, 1])],
    )  # fmt: skip
    data = Encoded.of(split, made_up.VOCABULARY, 3)
    assert data.query.words == split.queries
    np.testing.assert_array_equal(data.allowed, [[True, False, False], [False, True, True]])
    batch = data.batch([1, 0])
    assert batch.query.codes.shape == (2, 4) and batch.allowed[0].tolist() == [False, True, True]


def test_all_answers_are_allowed_unless_it_is_said():
    split = Split(["a"], [["good"]], np.array([0]), queries=[["why"]])
    assert Encoded.of(split, made_up.VOCABULARY, 3).allowed is None
