"""What hypothesis draws for the tests of several modules."""

import numpy as np
from hypothesis import strategies as st

finite = st.floats(allow_nan=False, allow_infinity=False)
plain = st.floats(-1e6, 1e6)
HOSTILE = ["<pad>", "<unk>", "<s>", "</s>", "<script>alert(1)</script>", "a\0b", "\u202e", "é", "", " ", "😀"]
token = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))
# Whatever a user may hand over for an array: numbers of any size, nested, missing, text, nothing.
number = st.one_of(st.floats(), st.integers(-3, 3), st.sampled_from([0.5, 0.25, 1e308, -0.0, 5e-324]))
anything = st.one_of(
    st.none(),
    st.booleans(),
    number,
    st.text("abc", max_size=3),
    st.lists(number, max_size=5),
    st.lists(st.lists(number, max_size=3), max_size=4),
    st.lists(st.one_of(st.none(), number, st.text("abc", max_size=2)), max_size=4),
    st.integers(0, 5).map(lambda n: np.full(n, 1 / max(n, 1), dtype=np.float32)),
    st.integers(0, 5).map(lambda n: [1.0] + [0.0] * n),
)


@st.composite
def two_rankings(draw):
    """Two arrays of one length, with many ties."""
    size = draw(st.integers(2, 12))
    element = st.one_of(st.integers(-3, 3).map(float), plain)
    return [np.array(draw(st.lists(element, min_size=size, max_size=size))) for _ in range(2)]
