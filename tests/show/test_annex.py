"""The annex's tables and sentences: by hand where they count, and of no run at all."""

import pandas as pd

from heed import verdict
from heed.show import annex
from heed.show import verdict as says
from heed.verdict import carried, claims, paper_tests
from verdict_rows import rows


def gathered(*parts: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True).assign(where="this folder", training="", machine="")


def test_variants_without_a_difference_stand_in_one_row():
    """They tested next to nothing, and would be the same row several times."""
    plain = rows(profile="paper2019", tau_gradient=[0.3], tau_loo=[0.2])
    alike = [plain.assign(given=given, variant=given) for given in ("epochs=4", "select_on=dev")]
    other = rows(profile="paper2019", tau_gradient=[0.4], tau_loo=[0.2]).assign(
        given="vectors=random", variant="o"
    )
    table = annex.variants(gathered(plain, *alike, other), "sst")
    assert table["changed parameters"].tolist() == [
        "as it is; or epochs=4; or select_on=dev",
        "vectors=random",
    ]
    assert table["τ, gradient"].tolist() == ["0.300", "0.400"]
    said = annex.tried(gathered(plain, *alike, other))
    assert said == [
        "sst, BiLSTM, `paper2019`: 0.30 as it is, 0.39 published. Of 3 changes tried the nearest is 0.40 "
        "(vectors&#61;random); 2 change nothing. The published lies among them."
    ]


def test_of_no_run_there_are_no_rows_and_no_claims():
    none = carried.empty().assign(where="")
    held, cells = claims.table(none), verdict.all_beside(none)
    assert annex.in_short(none) == ["No run is here yet: `make batch` makes some."]
    for table in (annex.gathered(none), annex.scores(none), annex.facts(none), annex.freedom(none)):
        assert table.empty
    assert annex.variants(none, "sst").empty and annex.tried(none) == []
    assert annex.erased(none) == annex.agree_more(none) == annex.average_above(none) == []
    assert annex.cell_by_cell(cells).empty and len(annex.cells_by_corpus(cells))
    assert annex.over_corpora(none, ["f1"], ["additive"]).empty
    assert "make batch" in annex.facts_found(none)
    readings = paper_tests.readings(none)
    assert annex.papers_tests(readings).columns.tolist() == ["test"]
    assert annex.of_tests(readings)[0].startswith("Without any: ")
    tallied = claims.tally(held)
    assert annex.tally(tallied, held)["corpora"].sum() == 0 and annex.undone(readings).empty
    assert annex.gains(none) == "No run with uniform attention is here"
    assert len(annex.versions(none)) == 2 and "nan" not in " ".join(annex.versions(none))


def test_supporting_facts_are_found_by_one_of_three():
    measures = {"auroc_attention": [0.6], "auroc_gradient": [0.7], "auroc_loo": [0.9], "accuracy": [0.9]}
    more = {"precision_attention": [0.1], "precision_gradient": [0.2], "precision_loo": [0.3]}
    good = rows("babi1", **measures, **more)
    bad = rows("babi2", **measures | {"accuracy": [0.3]}, **more)
    assert annex.facts_found(gathered(good, bad)) == (
        "Of 1 model that answer more than half of the questions the supporting facts are found best by "
        "leave-one-out in 1 (mean AUROC). Of 1 that answer fewer, attention's is 0.60 on average."
    )
    assert "AUROC of leave-one-out" in annex.facts(gathered(good))


def test_published_cells_are_counted_in_one_way():
    """The verdict's sentence and the annex's table are of the same cells."""
    ours = rows(profile="paper2019", cls="0", tau_gradient=[0.396, 0.41], tau_loo=[0.1, 0.2])
    part = rows("snli", accuracy=[0.6, 0.8]).assign(partial=True)
    cells = verdict.all_beside(gathered(ours, part))
    table = verdict.counted(cells).set_index(["source", "corpora"])
    assert table["published"].sum() == len(cells) == table.drop(columns="published").sum(axis=None)
    assert table.loc[("paper", "parts of corpora"), "within"] == 1  # SNLI's accuracy
    whole = table.xs("whole corpora", level=1).sum()
    assert says.within(cells).startswith(
        f"Of whole corpora {whole['within'] + whole['outside']} published numbers"
    )


def test_names_of_a_table_are_in_words():
    ours = gathered(rows(f1=[0.8, 0.9]), rows(attention="uniform", f1=[0.7, 0.9]))
    assert "F1" in annex.contrast(ours, "attention", "additive", "uniform", ["f1", "accuracy"])
    columns = annex.every_claim(claims.table(ours)).columns
    assert {"after Holm", "interval over"} <= {*columns} and "p" not in columns
    assert len(annex.borders()) == len(paper_tests.TESTS)
    assert annex.gains(ours) == "Attention's F1 lies +0.050 to +0.050 above that of equal weights"
    rows_of = annex.over_corpora(ours, ["f1"], ["additive", "uniform"])
    assert annex.spread(rows_of, "f1", "F1 from") == "BiLSTM additive: F1 from 0.85 to 0.85 over 1 corpus"
    wide = annex.all_answers(paper_tests.answers(ours))
    assert {"needed at all?"} <= {*wide} and wide["corpus"].tolist() == ["planted", "planted", "sst"]
