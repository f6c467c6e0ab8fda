"""What is known and left out."""

import pandas as pd
import pytest

from heed import paths, verdict
from heed.runs.grid import read_grid, runs_of
from heed.runs.products import CHAPTERS, summary_of
from heed.verdict import carried as carried_rows
from heed.verdict.carried import left_out
from refusals import refused
from small_run import products


def summary(run, measures, classes=("overall",), library="old") -> pd.DataFrame:
    rows = [{"measure": m, "class": c} for m in measures for c in classes]
    named = {part: getattr(run, part) for part in verdict.RUN}
    return pd.DataFrame(rows).assign(**named, library=library).reindex(columns=verdict.COLUMNS)


@pytest.fixture
def carried(tmp_path, monkeypatch):
    """A function that writes the project's summary of these rows."""
    monkeypatch.setattr(carried_rows, "SUMMARY", tmp_path / "summary.csv")

    def write(*parts: pd.DataFrame) -> None:
        pd.concat(parts).to_csv(tmp_path / "summary.csv", index=False)

    return write


def grid(**given):
    return runs_of(read_grid({"corpora": "sst", "encoders": "average,cnn", "seeds": "0"} | given))


def test_a_run_whose_numbers_are_carried_is_left_out(carried):
    average, cnn = grid()
    first = [summary_of("01").proof, summary_of("02").proof]
    carried(summary(average, first, library=paths.library_hash()), summary(cnn, [first[0], "tau_loo"]))
    out, said = left_out([average, cnn], ["01", "02"])
    assert out == [average.path], "what proves chapter 02 is missing of the other run"
    assert said.startswith(
        "heed: 1 of 2 runs are left out, as data/results/summary.csv holds their numbers; FORCE=1"
    )
    assert average.path in said and cnn.path not in said
    assert left_out([average, cnn], ["01", "02", "03"]) == ([], "")
    assert left_out([average], ["06"]) == ([], ""), "a chapter without rows is never known"
    assert left_out([average], ["01", "05"])[0] == [average.path], "05 has no numbers for the verdict"
    assert left_out([average], ["05"]) == ([], "")


def test_old_numbers_are_left_out_and_said_to_be_old(carried):
    run = grid()[0]
    carried(summary(run, [summary_of("04").proof]))
    out, said = left_out([run], ["04"])
    assert out == [run.path] and "(1 by another version of the library)" in said


@pytest.mark.parametrize(
    "other", [{"seeds": "1"}, {"profile": "site"}, {"set": {"hidden": 4}}, {"set": {"epsilon": 0.1}}]
)
def test_numbers_of_another_run_are_not_its_own(carried, other):
    carried(summary(grid()[0], [summary_of("01").proof]))
    assert left_out(grid(**other), ["01"]) == ([], "")


def test_what_only_its_rivals_depend_on_renames_no_other_numbers(carried):
    """Another λ grid: chapter 01's rows are the same, chapter 07's aren't; other seeds count for 08, too."""
    (run,) = grid(encoders="cnn", set={"lambdas": [0.1]})
    (seeds,) = grid(encoders="cnn", set={"other_seeds": [5]})
    assert (
        run.given == "lambdas=[0.1]" and run.given_to(()) == "" and run.path == grid(encoders="cnn")[0].path
    )
    parts = [summary(run, [summary_of(chapter).proof]).assign(given="") for chapter in ("01", "07", "08")]
    carried(*parts)
    assert left_out([run], ["01", "08"])[0] == [run.path] and left_out([run], ["07"]) == ([], "")
    assert left_out([seeds], ["01"])[0] == [run.path] and left_out([seeds], ["08"]) == ([], "")
    carried(parts[0], parts[1].assign(given="lambdas=[0.1]"))
    assert left_out([run], ["01", "07"])[0] == [run.path] and left_out([seeds], ["07"])[0] == []


def test_made_corpora_and_ones_own_always_run(carried):
    runs = grid(corpora="planted,indicator")
    carried(*(summary(run, [summary_of("01").proof]) for run in runs))
    assert left_out(runs, ["01"]) == ([], "")


def test_the_summary_says_which_chapters_a_run_went_through(finished, carried):
    """The rows of a finished run stand for every chapter of the batch."""
    tables = [finished.table(name) for name in products() if name.startswith("summary")]
    carried(*tables)
    chapters = [chapter for chapter in CHAPTERS if summary_of(chapter)]
    assert len(chapters) == 10 and verdict.known([finished.params], chapters) == {finished.params.path: False}


def test_a_damaged_summary(carried, tmp_path):
    for block in (b"", b"\xff\xfe\x00", b"a,b\n1,2\n", b'corpus,"enc\n'):
        (tmp_path / "summary.csv").write_bytes(block)
        with refused("summary.csv is damaged", "git checkout"):
            verdict.committed()
