"""Runs' rows merged into the committed summary."""

import pandas as pd
import pytest

from heed import verdict
from heed.show import committed
from heed.verdict import annex, carried
from verdict_rows import rows


def test_the_best_known_is_not_called_exact(monkeypatch, tmp_path):
    """Where the head isn't linear: in the committed file, and back again."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    made = pd.concat([rows(c, optimum=[0.6], found=[0.5]) for c in ("sst", "snli", "babi1", "agnews4")])
    monkeypatch.setattr(carried, "finished", lambda results: made.reindex(columns=verdict.COLUMNS))
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    verdict.commit(tmp_path)
    written = pd.read_csv(tmp_path / "SUMMARY").query("quantity != 'max_jsd_search'")
    best = dict.fromkeys(["agnews4", "babi1", "snli"], "max_jsd_best")
    assert dict(zip(written["corpus"], written["quantity"], strict=True)) == best | {"sst": "max_jsd_exact"}
    assert set(verdict.committed()["measure"]) == {"found", "optimum"}


def test_tables_that_were_deleted_are_not_missed(monkeypatch, tmp_path):
    """Rows are merged without them; figures and tests that would need them stay as they are."""
    named = ["sst", "copy-permutations", "multi30k"]
    made = verdict.committed().query("corpus in @named and given == ''")
    assert set(made["corpus"]) == set(named) and (made["measure"] == "excess_attention").any()
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    monkeypatch.setattr(annex, "PAIRED", tmp_path / "PAIRED")
    monkeypatch.setattr(carried, "finished", lambda results: made)
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    monkeypatch.setattr(committed, "save", lambda *given: pytest.fail("drawn from nothing"))
    committed.draw(tmp_path)
    assert verdict.commit(tmp_path) == len(made.drop_duplicates(verdict.RUN))
    assert [path.name for path in tmp_path.iterdir()] == ["SUMMARY"]
