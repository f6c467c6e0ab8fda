"""The report: of the carried rows, of a folder with one run, of hostile names, of nothing."""

import re

import pandas as pd
import pytest

from generated_runs import summary, write
from heed import verdict
from heed.show import report, typeset
from heed.verdict import carried, claims
from refusals import assert_nothing_half_written, refused
from show.test_typeset import pages
from shown import HOSTILE

pytest.importorskip("typst", reason="make setup installs it")


def said(document: typeset.Document) -> str:
    """All texts of a document."""
    return " ".join(re.findall(r'#"((?:[^"\\]|\\.)*)";', document.source())).replace(r"\"", '"')


@pytest.fixture
def nothing_carried(tmp_path, monkeypatch):
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "none.csv")


@pytest.mark.thorough
def test_the_carried_rows_make_six_to_ten_pages_with_every_claim(tmp_path):
    rows = report.gathered(tmp_path)
    made = report.document(rows)
    text = said(made)
    assert 6 <= pages(made, tmp_path) <= 10
    assert all(claim.text in text for claim in claims.every())
    assert "No finished run lies in the results folder" in text
    assert f"{len(verdict.committed().drop_duplicates(verdict.RUN))} runs" in text
    assert not re.search(r"\bnan\b|undefined", text)
    assert len(made.drawings) >= 3 and all("<svg" in drawing for drawing in made.drawings.values())
    again = report.document(report.gathered(tmp_path))
    assert again.source() == made.source() and again.drawings == made.drawings


@pytest.mark.thorough
def test_a_folder_with_one_run_alone(tmp_path, nothing_carried):
    write(tmp_path / "results", summary(corpus="sst"))
    out = report.report(tmp_path / "results")
    assert out == tmp_path / "results" / report.NAME and out.read_bytes().startswith(b"%PDF")
    text = said(report.document(report.gathered(tmp_path / "results")))
    assert "1 finished run in the results folder" in text and "a report of 1 run on 1 corpus" in text
    assert not re.search(r"\bnan\b|undefined", text)


@pytest.mark.thorough
def test_hostile_names_are_texts(tmp_path, nothing_carried):
    names = [*HOSTILE, '#import "x": *', "@cite", "[a]", "$ x $", "*b*", "_c_", "a\\", 'b"', "好", "../../x"]
    rows = pd.concat([summary(seed, name) for name in names for seed in (0, 1)])
    made = report.document(report.Rows(rows, rows))
    assert pages(made, tmp_path) > 1
    assert '#import \\"x\\": *' in made.source().replace("\\\\", "\\")


def test_no_run_at_all_is_a_sentence(tmp_path, nothing_carried):
    refused("there is no finished run in .* and none is carried", report.report, tmp_path)
    assert_nothing_half_written(tmp_path)
