"""What a verdict is of: a folder's runs and the carried ones, each once."""

import pandas as pd

from heed import verdict
from heed.verdict import carried
from verdict_rows import rows


def test_a_run_of_the_folder_comes_before_the_carried_one(tmp_path):
    own = rows("mine", f1=[0.8, 0.9]).assign(training="", machine="")
    for seed, part in own.groupby("seed"):
        (tmp_path / f"mine/m/v/seed{seed}").mkdir(parents=True)
        part.to_parquet(tmp_path / f"mine/m/v/seed{seed}/summary.parquet")
    known = verdict.committed().iloc[:1]
    (tmp_path / "sst/m/v/seed0").mkdir(parents=True)
    known.assign(mean=0.123).to_parquet(tmp_path / "sst/m/v/seed0/summary.parquet")
    found = verdict.gather(tmp_path)
    assert (found.here, found.strange) == (3, 0)
    assert found.carried == len(verdict.committed().drop_duplicates(verdict.RUN))
    assert found.runs.query("corpus == 'mine'")["where"].tolist() == ["this folder"] * 2
    key = [*verdict.RUN, "measure", "class"]
    same = found.runs.merge(known[key], on=key)
    assert same["mean"].tolist() == [0.123] and same["where"].tolist() == ["this folder"]


def test_an_empty_folder_has_the_carried_runs_alone(tmp_path):
    found = verdict.gather(tmp_path)
    assert found.here == 0 and set(found.runs["where"]) == {"carried"}


def test_without_any_run_there_is_a_table_without_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "none.csv")
    found = verdict.gather(tmp_path)
    assert (found.here, found.carried, len(found.runs)) == (0, 0, 0)
    assert isinstance(found.runs, pd.DataFrame) and "where" in found.runs
