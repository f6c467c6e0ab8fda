"""Rows of runs: which stand for which."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from heed import verdict
from heed.params import resolve
from heed.verdict import carried
from verdict_rows import rows


def test_a_profile_that_was_edited_counts_once():
    """Rows of two variants, neither with a parameter given: what the YAML says now is the profile."""
    now, before = rows(f1=[0.8, 0.7]), rows(f1=[0.1])
    now["variant"] = resolve({"corpus": "sst", "profile": "paper"}).variant
    both = pd.concat([before, now, rows(encoder="cnn", f1=[0.4]).assign(variant="older")], ignore_index=True)
    assert verdict.plain(both)["mean"].tolist() == [0.8, 0.7, 0.4], "what is there alone stays"
    assert len(verdict.plain(both.assign(given="epochs=2"))) == 0
    gone = pd.concat([part.assign(corpus="mine") for part in (before, now)], ignore_index=True)
    assert verdict.plain(gone)["mean"].tolist() == [0.7], "of two variants no file says which counts"


def test_a_part_of_a_corpus_is_not_known_as_the_whole(monkeypatch, tmp_path):
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "summary.csv")
    run = resolve({"corpus": "snli"})
    held = (
        rows("snli", accuracy=[0.6])
        .assign(partial=True, variant=run.variant)
        .reindex(columns=verdict.COLUMNS)
    )
    held.rename(columns=verdict.HEADINGS).to_csv(carried.SUMMARY, index=False)
    for there, known in ((True, [run.path]), (False, [])):
        monkeypatch.setattr(carried, "partial", lambda name, there=there: there)
        assert list(verdict.known([run], ["01"])) == known


def test_rows_of_an_earlier_reader_are_not_known():
    """20 Newsgroups was read otherwise: such runs are run anew, those of other corpora aren't."""
    found = pd.concat(
        [rows("20news", f1=[0.5]), rows("20news (part)", f1=[0.5]), rows("sst", f1=[0.5])], ignore_index=True
    )
    assert carried.of_earlier_texts(found.assign(reader=1)).tolist() == [True, True, False]
    assert carried.of_earlier_texts(found.assign(reader=2)).tolist() == [False, False, False]


def test_what_is_carried_is_read_once_in_each_state_of_its_file(monkeypatch, tmp_path):
    """Nobody changes what the next one is given, and an edit is seen."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "summary.csv")
    assert carried.committed().empty
    for count in (1, 2):
        held = rows("sst", f1=[0.5] * count).reindex(columns=verdict.COLUMNS)
        held.rename(columns=verdict.HEADINGS).to_csv(carried.SUMMARY, index=False)
        first = carried.committed()
        assert len(first) == count
        first["mean"] = 0.0
        first.loc[0, "corpus"] = "mine"
        again = carried.committed()
        assert again["mean"].tolist() == [0.5] * count and {*again["corpus"]} == {"sst"}


@given(of=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1)), max_size=12))
def test_what_holds_of_runs_is_asked_where_they_begin(of):
    """Against one question a row, in whatever order the rows stand."""
    rows = pd.DataFrame(of, columns=["corpus", "seed"]).assign(mean=0.5)
    models = pd.DataFrame({"corpus": ["a", "b"], "seed": [0, 1]})
    which = carried.are_of(rows, models)
    assert which.tolist() == [one in {("a", 0), ("b", 1)} for one in of]
    assert carried.chosen(rows, which).equals(rows[which])
    begins = carried.begins_of(rows, ["corpus", "seed"])
    assert begins.tolist() == [i for i, one in enumerate(of) if i == 0 or one != of[i - 1]]


def test_a_table_of_all_rows_can_be_changed_alone():
    rows = pd.DataFrame({"corpus": ["a", "a"]})
    own = carried.chosen(rows, np.array([True, True]))
    own["corpus"] = "b"
    assert rows["corpus"].tolist() == ["a", "a"]
