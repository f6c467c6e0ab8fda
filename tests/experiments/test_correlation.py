"""Chapter 02: what a run is asked for follows from the rankings that are declared."""

import numpy as np
import pandas as pd
import pytest

from heed.errors import HeedError
from heed.experiments import correlation as chapter
from heed.measures import correlation, rankings
from heed.measures.kendall import kendall


def test_a_table_made_before_lacks_the_newer_columns(finished):
    """It is read, and chapter 02's summary is of what it has."""
    table = finished.table("correlation")
    older = table[[name for name in table if "integrated" not in name]]
    assert len(older.columns) < len(table.columns)
    correlation.validate("correlation", older)
    with pytest.raises(HeedError, match="column"):
        correlation.validate("correlation", older.drop(columns="length"))


def test_the_chapters_arrays_are_the_runs_own(finished):
    ranked = chapter.ranked(finished)
    assert ranked.keys() == rankings.compared().keys()
    for row in finished.evidence:
        assert {len(own[row.id]) for own in ranked.values()} == {int(row.real.sum())}


def test_every_pair_is_in_the_table_and_in_the_summary(finished):
    """τ of the two rankings, text by text, and its mean."""
    table, ranked = finished.table("correlation").set_index("id"), chapter.ranked(finished)
    summary = finished.table("summary").query("`class` == 'overall'").set_index("measure")["mean"]
    for name, (first, second) in rankings.pairs().items():
        expected = [kendall(ranked[first][i], ranked[second][i])[0] for i in table.index]
        np.testing.assert_array_equal(table[name], expected)
        assert summary[name] == pytest.approx(np.nanmean(expected))
    assert {f"auroc_{name}" for name in rankings.compared()} <= {*summary.index}


def test_a_summary_is_of_what_its_tables_have(copied):
    """Of tables that were made before a ranking was added: their own measures, and no gap is invented."""
    for name in ("correlation", "truth"):
        table = copied.table(name)
        kept = [column for column in table if "integrated" not in column]
        table[kept].to_parquet(copied.folder / copied.products[name].file)
    tables = {name: copied.folder / copied.products[name].file for name in ("correlation", "truth")}
    copied.table = lambda name: correlation.validate(name, pd.read_parquet(tables[name]))
    measured = {*chapter.summary(copied)["measure"]}
    assert {"tau_gradient", "auroc_loo", "tau_gradient_loo_minus_attention_loo"} <= measured
    assert not [name for name in measured if "integrated" in name]
