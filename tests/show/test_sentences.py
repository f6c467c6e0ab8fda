"""Sentences that chapters compute: whatever the numbers, they speak of something."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.show import sentences

SHARE = st.floats(0, 1)


def test_a_range_over_seeds():
    assert sentences.over_seeds([0.1, 0.3]) == "0.20 (0.10 to 0.30 over 2 seeds)"
    assert sentences.over_seeds([0.27]) == "0.27 (one seed)"


@given(lengths=st.lists(st.integers(1, 3), min_size=1, max_size=5))
def test_texts_of_one_token_are_counted(lengths):
    sentence, single = sentences.left_out(lengths), lengths.count(1)
    assert bool(sentence) == (single > 0)
    if single:
        says_something(sentence)
    assert ("left out" in sentence) == (0 < single < len(lengths))


def test_left_out_by_hand():
    assert sentences.left_out([1, 2, 3], "sentence").startswith(
        "1 of the 3 texts has a single sentence, and no"
    )
    assert sentences.left_out([1]).startswith("The only text here has a single token")
    assert sentences.left_out([1, 1]).startswith("Each of the 2 texts here has a single token")


def test_parts_of_sentences():
    assert [sentences.listed("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert [sentences.counted(n, "pair") for n in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]
    assert sentences.number(np.nan) == "undefined" and sentences.number(0.5, "+.1f") == "+0.5"
    assert sentences.quoted(["w"] * 41) == f"*{' '.join(['w'] * 40)}* …" and sentences.quoted(["w"]) == "*w*"
