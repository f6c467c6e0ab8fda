"""Runs' rows merged into the committed summary."""

import pandas as pd
import pytest

from heed import verdict
from heed.show import committed
from heed.verdict import annex, carried, merging
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


@pytest.mark.thorough
def test_tables_that_were_deleted_are_not_missed(monkeypatch, tmp_path):
    """Rows are merged without them; figures and tests that would need them stay as they are."""
    named = ["sst", "copy-permutations", "multi30k"]
    made = verdict.committed().query("corpus in @named and given == ''")
    assert set(made["corpus"]) == set(named) and (made["measure"] == "excess_attention").any()
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    monkeypatch.setattr(annex, "PAIRED", tmp_path / "PAIRED")
    monkeypatch.setattr(carried, "finished", lambda results: made)
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    monkeypatch.setattr(committed, "write", lambda *given: pytest.fail("numbers of nothing"))
    assert committed.condense(tmp_path) == []
    assert verdict.commit(tmp_path) == len(made.drop_duplicates(verdict.RUN))
    assert [path.name for path in tmp_path.iterdir()] == ["SUMMARY"]


def test_rows_of_earlier_versions_are_told_their_vectors(monkeypatch, tmp_path):
    """By what names the run: the profile's, or those that were given; copying has none."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    made = pd.concat(
        [
            rows(f1=[0.5]),
            rows(f1=[0.6]).assign(given="epochs=2, vectors=random", variant="w"),
            rows(f1=[0.7]).assign(vectors="en_core_web_md", given="vectors=en_core_web_md", variant="x"),
            rows("babi1", accuracy=[0.5]),
            rows("copy-iid", profile="small", success=[1.0]),
        ]
    )
    monkeypatch.setattr(carried, "finished", lambda results: made.reindex(columns=verdict.COLUMNS))
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    verdict.commit(tmp_path)
    found = pd.read_csv(tmp_path / "SUMMARY").fillna({"vectors": ""}).set_index(["corpus", "variant"])
    assert found["vectors"].to_dict() == {
        ("babi1", "v"): "random",
        ("copy-iid", "v"): "",
        ("sst", "v"): "word2vec",
        ("sst", "w"): "random",
        ("sst", "x"): "en_core_web_md",
    }


def test_the_experiment_of_word_lengths_has_a_file_of_its_own(monkeypatch, tmp_path, finished):
    """A row a run, the later one of two; without such runs the file stays away."""
    monkeypatch.setattr(merging, "LENGTHS", tmp_path / "lengths.csv")
    merging.commit_lengths(tmp_path)
    assert verdict.word_lengths().empty and not merging.LENGTHS.exists()
    for _ in range(2):
        merging.commit_lengths(finished.folder.parents[3])
    (row,) = verdict.word_lengths().to_dict("records")
    own = finished.table("word_length").iloc[0]
    assert row["variant"] == finished.params.variant
    assert row["tau_gradient_loo"] == pytest.approx(own["tau_gradient_loo"], rel=1e-3)
