"""Splits of a corpus."""

import numpy as np

from heed.corpora.loading import Split


def test_where_keeps_what_belongs_to_a_text():
    split = Split(
        ["a", "b", "c"],
        [["x"], ["y"], ["z"]],
        np.array([0, 1, 2]),
        [np.array([True])] * 3,
        [["p"], ["q"], ["r"]],
        [np.array([i]) for i in range(3)],
        {"no gold label": 4},
    )
    kept = split.where(np.array([True, False, True]))
    assert kept.ids == ["a", "c"] and kept.words == [["x"], ["z"]] and kept.labels.tolist() == [0, 2]
    assert kept.queries == [["p"], ["r"]] and [a.tolist() for a in kept.allowed] == [[0], [2]]
    assert len(kept.truth) == 2 and kept.excluded == {"no gold label": 4}
    assert list(kept.texts()) == [["x"], ["z"], ["p"], ["r"]]
    bare = Split(["a"], [["x"]], np.array([0])).where(np.array([True]))
    assert bare.queries is bare.allowed is bare.truth is None and list(bare.texts()) == [["x"]]
