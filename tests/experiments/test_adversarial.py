"""Chapter 04: its summary, by hand."""

import pytest
from scipy.stats import spearmanr


def test_the_summary_is_of_the_table(finished):
    table = finished.table("adversarial")
    summary = finished.table("summary_adversarial").query("`class` == 'overall'").set_index("measure")
    assert summary.loc["proved", "mean"] == table["proved"].mean() == 1
    assert summary.loc["none_feasible", "mean"] == (table["feasible"] == 0).mean()
    for column in ("found", "optimum"):
        assert summary.loc[column, "mean"] == pytest.approx(table[column].mean())
        rho = spearmanr(table["max_attention"], table[column]).statistic
        assert summary.loc[f"rho_{column}", "mean"] == pytest.approx(rho, nan_ok=True)


def test_the_searchs_best_attention_is_kept(finished):
    """One distribution a text, of its length."""
    best = finished.arrays("adversary")
    for row in finished.evidence:
        assert best[row.id].shape == row.attention.shape
        assert best[row.id].sum() == pytest.approx(1)
