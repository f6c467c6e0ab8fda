"""Agreement of rankings: by hand, and Kendall's as chapter 02 has it."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import made_up
from heed.evidence import collect
from heed.measures.agreement import agreement, overlap


def test_overlap_by_hand():
    """20 % of ten words are two; of equals the first is taken."""
    a = np.arange(10.0)
    assert overlap(a, a) == 1 and overlap(a, -a) == 0
    assert overlap(a, np.where(np.arange(10) == 9, 5.0, 0.0)) == 0.5, "9 and, of equals, 0"
    assert overlap(np.array([1.0]), np.array([-3.0])) == 1
    assert overlap(a, a[::-1], share=0.6) == pytest.approx(2 / 6)


def test_a_row_a_text_and_pair():
    case = made_up.classifier("average", "additive")
    evidence = collect(case.model, case.data, 100)
    rng = np.random.default_rng(0)
    of = {name: {row.id: rng.normal(size=len(row.units)) for row in evidence} for name in "abc"}
    del of["c"]["test-0"]
    table = agreement(evidence, of)
    assert len(table) == 3 * len(evidence) - 2
    assert [*table.query("id == 'test-0'")["second"]] == ["b"]
    for row in table.itertuples():
        if row.length == 1:
            assert np.isnan(row.tau) and row.overlap == 1
        else:
            expected = kendalltau(of[row.first][row.id], of[row.second][row.id]).statistic
            assert row.tau == pytest.approx(expected)
    assert len(agreement(evidence.only([]), of)) == 0
