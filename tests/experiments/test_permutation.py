"""Chapter 03: its summary, by hand."""

import pytest


def test_peaked_texts_and_those_that_stand_still(finished):
    """A weight of 0.5 or more; of those, a median change of 0.05 at most."""
    table = finished.table("permutation")
    summary = finished.table("summary_permutation").query("`class` == 'overall'").set_index("measure")
    peaked = table[table["max_attention"] >= 0.5]
    assert summary.loc["peaked", "mean"] == pytest.approx(len(peaked) / len(table))
    assert summary.loc["peaked_still", "undefined"] == len(table) - len(peaked)
    if len(peaked):
        still = (peaked["median_change"] <= 0.05).mean()
        assert summary.loc["peaked_still", "mean"] == pytest.approx(still)
    assert summary.loc["median_change", "mean"] == pytest.approx(table["median_change"].mean())
