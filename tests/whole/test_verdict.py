"""Chapters 12 and 12b on folders of any kind: with own corpora of hostile names, and without any run."""

import pandas as pd
import pytest

from chapters import empty_claims, read
from heed.verdict import carried
from verdict_rows import rows

pytestmark = pytest.mark.thorough
NAME = "$a_b$ & _y_ *z*"


def assert_fine(seen):
    assert not empty_claims(seen) and not seen.warned
    assert not any(NAME in sentence for sentence in seen.said), "a name is inert"


def test_own_corpora_of_any_name(tmp_path):
    """One run, then several of several models; the carried ones beside them."""
    measures = {"tau_loo": [0.3, 0.4], "tau_gradient": [0.6, 0.7], "f1": [0.8, 0.9], "accuracy": [0.8, 0.9]}
    measures |= {"optimum": [0.6, 0.65], "median_change": [0.05, 0.06], "found": [0.5, 0.6]}
    own = [rows(NAME, encoder, attention, **measures) for encoder, attention in
           (("bilstm", "additive"), ("bilstm", "uniform"), ("cnn", "dot"))]  # fmt: skip
    table = pd.concat(own, ignore_index=True).assign(training="", machine="")
    (tmp_path / "own/m/v/seed0").mkdir(parents=True)
    table.to_parquet(tmp_path / "own/m/v/seed0/summary.parquet")
    for chapter in ("12", "12b"):
        assert_fine(read(chapter, results=str(tmp_path)))


@pytest.mark.parametrize("chapter", ["12", "12b"])
def test_no_run_at_all(tmp_path, monkeypatch, chapter):
    """Neither in the folder nor carried: sections say so, but for what other files carry."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "none.csv")
    seen = read(chapter, results=str(tmp_path))
    assert_fine(seen)
    assert "is here: `make " in " ".join(seen.said) or "No run is here yet" in seen.said[0]
