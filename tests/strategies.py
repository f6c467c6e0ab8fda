"""What hypothesis draws for the tests of several modules."""

import numpy as np
from hypothesis import strategies as st

finite = st.floats(allow_nan=False, allow_infinity=False)
plain = st.floats(-1e6, 1e6)
HOSTILE = ["<pad>", "<unk>", "<s>", "</s>", "<script>alert(1)</script>", "a\0b", "\u202e", "é", "", " ", "😀"]
token = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))


@st.composite
def two_rankings(draw):
    """Two arrays of one length, with many ties."""
    size = draw(st.integers(2, 12))
    element = st.one_of(st.integers(-3, 3).map(float), plain)
    return [np.array(draw(st.lists(element, min_size=size, max_size=size))) for _ in range(2)]
