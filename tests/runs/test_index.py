"""The index of a results folder: the same rows as the files have, whatever became of either."""

import os
import subprocess
import sys
import threading

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from generated_runs import summary, write
from heed import paths, verdict
from heed.runs import index
from heed.verdict import carried
from refusals import refused


def plainly(results) -> pd.DataFrame:
    """What the files say, read one after the other."""
    tables = [pd.read_parquet(path) for path in sorted(results.glob("*/*/*/seed*/summary*.parquet"))]
    return pd.concat([carried.of_today(table) for table in tables], ignore_index=True)


def same(results) -> None:
    """The rows are the files', when they are read and when they are read again."""
    for _ in range(2):
        found = verdict.finished(results)
        assert_frame_equal(found, plainly(results))
        assert (found.dtypes == plainly(results).dtypes).all()


@pytest.fixture
def results(tmp_path):
    """A folder of three runs whose index is there."""
    for seed in range(3):
        write(tmp_path, summary(seed))
    verdict.finished(tmp_path)
    assert (tmp_path / index.NAME).is_file()
    return tmp_path


@pytest.fixture
def read(monkeypatch):
    """The files that are read anew."""
    found, own = [], index._read

    def noted(results, new, accepted):
        found.extend(new)
        return own(results, new, accepted)

    monkeypatch.setattr(index, "_read", noted)
    return found


def test_what_has_not_changed_is_not_read_again(results, read):
    same(results)
    assert read == []


def test_a_run_that_is_added_goes_where_its_name_stands(results, read):
    write(results, summary(7, encoder="average"))
    write(results, summary(8, corpus="sst"))
    same(results)
    assert len(read) == 2
    found = index.gather(results, carried.of_today)
    assert found.files[0].startswith("planted/average") and found.files[-1].startswith("sst/")
    of = [found.files[place].split("/")[-2] for place in found.of]
    assert of == ("seed" + found.rows["seed"].astype(str)).tolist()


def test_a_run_that_is_removed_is_gone(results, read):
    (next(results.glob("*/*/*/seed1")) / "summary.parquet").unlink()
    same(results)
    assert read == [] and verdict.finished(results)["seed"].unique().tolist() == [0, 2]


def test_the_last_run_that_is_removed_leaves_nothing(results):
    for path in results.glob("*/*/*/seed*/summary.parquet"):
        path.unlink()
    assert verdict.finished(results).empty and verdict.finished(results).columns.tolist() == verdict.COLUMNS


def test_a_run_that_changed_is_read_again(results, read):
    path = next(results.glob("*/*/*/seed1")) / "summary.parquet"
    times = path.stat()
    changed = pd.read_parquet(path).assign(mean=0.25)
    with paths.writing(path) as aside:  # as a run does: another file of that name
        changed.to_parquet(aside)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    same(results)
    assert read == [path.relative_to(results).as_posix()]


@pytest.mark.parametrize("damage", ["cut", "empty", "another table", "another heed", "too few rows"])
def test_an_index_that_is_none_is_made_anew(results, read, damage, monkeypatch):
    path = results / index.NAME
    if damage == "another heed":
        monkeypatch.setattr(paths, "library_hash", lambda: "0" * 12)
    elif damage == "another table":
        pd.DataFrame({"a": [1]}).to_parquet(path)
    elif damage == "too few rows":
        rows, kept = index._opened(path)
        index._write(path, rows.iloc[1:], kept)
    else:
        path.write_bytes(path.read_bytes()[:1000] if damage == "cut" else b"")
    same(results)
    assert len(read) == 3


def test_a_folder_that_cannot_be_written_has_no_index(results, read):
    (results / index.NAME).unlink()
    (results / index.NAME).mkdir()  # no file can take its place, whoever one is
    same(results)
    assert len(read) == 6 and not list(results.glob("*.partial"))


def test_columns_of_other_types_come_out_as_they_would_of_the_files(tmp_path):
    write(tmp_path, summary(0))
    write(tmp_path, summary(1).assign(n=100.0))
    write(tmp_path, summary(2).drop(columns=["machine", "training"]))
    write(tmp_path, summary(3).assign(significant=0.5))
    write(tmp_path, summary(4).iloc[:0].pipe(lambda rows: pd.concat([rows, summary(4).head(1)])))
    same(tmp_path)
    (next(tmp_path.glob("*/*/*/seed1")) / "summary.parquet").unlink()  # n is whole again
    same(tmp_path)
    assert verdict.finished(tmp_path)["n"].dtype == int


def test_a_damaged_summary_is_named_and_costs_no_other(results):
    path = next(results.glob("*/*/*/seed1")) / "summary.parquet"
    path.write_bytes(b"PAR1")
    refused(f"{path} is damaged .* Delete it; run the batch again", verdict.finished, results)
    found = index.gather(results, carried.of_today)
    assert [*found.damaged] == [path.relative_to(results).as_posix()] and len(found.files) == 2
    path.unlink()
    same(results)


def test_a_table_that_is_no_summary_is_damaged(results):
    path = next(results.glob("*/*/*/seed1")) / "summary-other.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(path)
    refused("its columns are not a summary's", verdict.finished, results)


def test_two_that_write_at_once_leave_a_whole_one(results):
    (results / index.NAME).unlink()
    write(results, summary(9))
    said = []

    def once():
        said.append(len(verdict.finished(results)))

    threads = [threading.Thread(target=once) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*said}) == 1 and len(said) == 4
    same(results)


def test_very_many_are_read_by_several_processes(results, monkeypatch):
    """Here more than three files are; a damaged one is named as by one process."""
    for seed in range(3, 8):
        write(results, summary(seed, encoder="cnn" if seed % 2 else "average"))
    monkeypatch.setattr(index, "MOST", 1)
    monkeypatch.setattr(index, "SEVERAL", 4)
    (results / index.NAME).unlink()
    same(results)
    (results / index.NAME).unlink()
    broken = sorted(results.rglob("summary*.parquet"))[2]
    broken.write_bytes(b"PAR1 and no more")
    assert [*index.gather(results, carried.of_today).damaged] == [str(broken.relative_to(results))]


def test_a_script_that_reads_very_many_needs_no_guard(results, tmp_path):
    """The processes don't run it again, as those of multiprocessing would without `if __name__ ...`."""
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\nfrom heed import verdict\nfrom heed.runs import index\n"
        "index.MOST, index.SEVERAL = 1, 1\n"
        f"print(len(verdict.finished(Path({str(results)!r}))))\n"
    )
    expected = len(verdict.finished(results))
    (results / index.NAME).unlink()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == f"{expected}\n", done.stderr[-2000:]


def test_a_folder_that_is_not_there(tmp_path):
    assert verdict.finished(tmp_path / "none").empty and not (tmp_path / "none").exists()
