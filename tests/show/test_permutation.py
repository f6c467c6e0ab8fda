"""Chapter 03's sentences: of every table something true, of none nothing."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from heed.show import permutation

SHARE = st.floats(0, 1)


def table(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["max_attention", "median_change"])


def test_peaked_by_hand():
    found = table([(0.5, 0.01), (0.9, 0.5), (0.1, 0.2)])
    assert permutation.peaked(found) == (
        "2 of 3 texts have a weight of 0.5 or more on one word. Of those 1 (50%) move by at most 0.05 when "
        "their attention is shuffled; of the others 0% do."
    )
    assert permutation.typical(found).endswith("moves the prediction by 0.20 or less.")


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    said = permutation.in_short(table(rows), permutation.on_real_text())
    assert said and all("nan" not in sentence for sentence in said)


def test_nothing_is_said_of_no_text():
    assert permutation.in_short(table([]), permutation.on_real_text()) == [permutation.NOTHING]
    assert permutation.answer(table([]), None) == [permutation.NOTHING]


def test_what_explains_is_named_first():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.uniform(size=(30, 3)), columns=["peakiness", "dispersion", "alignment"])
    found["rms_logit"] = found["dispersion"]
    found.loc[0, "alignment"] = np.nan
    assert permutation.explains(found).index[0] == "dispersion"
    assert "goes most with dispersion (1.00)" in permutation.explained(found)
    assert "All texts are alike" in permutation.explained(found.assign(rms_logit=1.0, alignment=0.5))


def test_the_formula_is_held_against_draws(finished):
    """It raises AssertionError where they aren't one another's."""
    for i in range(5):
        row = finished.evidence[i]
        assert permutation.sampled(row).startswith("So do 20,000 draws")
