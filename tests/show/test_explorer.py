"""The explorer of a run's texts."""

import shutil

import numpy as np
import pandas as pd
import pytest

import heed
from heed import paths
from heed.errors import HeedError
from heed.runs.run import Run
from heed.show.explorer import Explorer
from refusals import record, refused


@pytest.fixture
def explorer(finished):
    return Explorer(finished)


def test_the_explorer_sorts_searches_and_shows(explorer, finished):
    evidence, table = finished.evidence, finished.table("adversarial").set_index("id")
    assert explorer.strip.tokens == evidence[0].units and "Explorer" in repr(explorer)
    assert "heed-strip" in explorer._repr_mimebundle_()["text/html"]
    for sort, column in {"JSD, exact or best known": "optimum", "JSD that the search found": "found"}.items():
        explorer.sort.value = sort
        order = [name for _, name in explorer.text.options]
        assert sorted(order) == sorted(evidence.ids) and (np.diff(table[column].loc[order]) <= 0).all()
        assert explorer.row.id == order[0] and explorer.strip.name == order[0]
    explorer.sort.value = "highest attention"
    order = [evidence[evidence.ids.index(name)].attention.max() for _, name in explorer.text.options]
    assert (np.diff(order) <= 0).all()
    explorer.sort.value = "wrong predictions first"
    wrong = dict(zip(evidence.ids, evidence.predicted != evidence.labels, strict=True))
    assert (np.diff([int(wrong[name]) for _, name in explorer.text.options]) <= 0).all()
    assert ("No prediction is wrong" in explorer.note.value) == (not any(wrong.values()))
    word = evidence[7].units[0]
    explorer.word.value = word.upper()
    assert explorer.text.options
    assert all(word in evidence[evidence.ids.index(name)].units for _, name in explorer.text.options)
    searched = finished.arrays("adversary")[explorer.row.id]
    np.testing.assert_array_equal(explorer.strip.found, searched)


def test_what_the_explorer_lacks_is_one_sentence_in_place(explorer, finished):
    before = explorer.row.id
    explorer.word.value = "<b>zebra"
    assert "no text of this run holds the word “&lt;b&gt;zebra”" in explorer.message.value
    assert explorer.row.id == before
    explorer.word.value = ""
    assert explorer.message.value == ""
    with pytest.raises(HeedError, match="no text 'nobody'"):
        explorer.show("nobody")
    with pytest.raises(HeedError, match="no run 'other'"):
        explorer.choose("other")


def test_a_run_of_another_corpus_that_cannot_be_listed_so(small, tmp_path):
    """Texts of two corpora have the same ids: what is listed is the run's, though no text holds the word."""
    first, second = small(tmp_path), small(tmp_path, corpus="indicator")
    for run in (first, second):
        run.ensure("evidence")
    explorer = Explorer(first)
    words = [{u for text in run.evidence.table["units"].to_pylist() for u in text} for run in (first, second)]
    explorer.word.value = sorted(words[0] - words[1])[0]
    assert explorer.message.value == "" and len(explorer.text.options) < len(first.evidence)
    explorer.corpus.value = "indicator"
    assert "no text of this run holds the word" in explorer.message.value
    assert "All its texts are listed." in explorer.message.value and explorer.word.value == ""
    assert [name for _, name in explorer.text.options] == second.evidence.ids
    assert explorer.run.folder == second.folder and explorer.row.units == second.evidence[0].units
    explorer.word.value, explorer.sort.value = "", "JSD that the search found"
    assert "run chapter 04" in explorer.message.value


def test_a_run_whose_corpus_is_gone(small, tmp_path, monkeypatch):
    """Its YAML was deleted: the others stay choosable, from the beginning and afterwards."""
    shutil.copytree(paths.PARAMS, tmp_path / "params")
    monkeypatch.setattr(paths, "PARAMS", tmp_path / "params")
    lines = ["split,text,label"]
    for split in ("train", "dev", "test"):
        lines += [
            f"{split},a good film of the {n}th kind,good\n{split},a bad film of its kind,bad" for n in "45"
        ]
    (tmp_path / "params" / "mine.csv").write_text("\n".join(lines))
    home = tmp_path / "params" / "mine.yaml"
    home.write_text("own: {file: mine.csv, classes: [bad, good]}")
    gone, other = small(tmp_path / "results", corpus="mine"), small(tmp_path / "results")
    for run in (gone, other):
        run.ensure("evidence")
    explorer = Explorer(gone)
    assert explorer.message.value == "" and explorer.row.units[0] == "a"
    home.unlink()
    gone = Run(gone.params, tmp_path / "results")  # as another process would have it
    explorer = Explorer(gone)
    assert "corpus mine is gone" in explorer.message.value and explorer.strip is None
    assert "heed-strip" not in str(explorer._repr_mimebundle_().get("text/html"))
    explorer.word.value = "film"
    assert "no run is shown yet" in explorer.message.value
    for act in (explorer.show, explorer.choose):
        with refused("no run"):
            act("anything")
    explorer.word.value = ""
    explorer.corpus.value = "planted"
    assert explorer.message.value == "" and explorer.run.folder == other.folder and explorer.strip is not None
    shown = explorer.row.id
    explorer.corpus.value = "mine"
    assert "corpus mine is gone" in explorer.message.value and explorer.row.id == shown
    explorer.corpus.value = "planted"
    assert explorer.message.value == "" and explorer.run.folder == other.folder


def test_a_run_whose_own_file_is_gone_and_one_of_damaged_evidence_at_the_start(small, tmp_path):
    first, second = small(tmp_path), small(tmp_path, encoder="cnn")
    for run in (first, second):
        run.ensure("evidence")
    (first.folder / "evidence-test.arrow").write_bytes(b"damaged")
    explorer = Explorer(small(tmp_path))
    assert "the file that run.json recorded" in explorer.message.value and explorer.strip is None
    explorer.choice.value = explorer.choice.options[1]
    assert explorer.message.value == "" and explorer.run.folder == second.folder and explorer.row is not None


def test_what_is_no_run():
    for wrong in ("results", None, Run):
        with refused("Explorer takes a run, such as Run.of()"):
            Explorer(wrong)


def test_a_table_of_adversaries_of_other_texts(copied):
    table = pd.read_parquet(copied.folder / "adversarial.parquet")
    table.iloc[1:].to_parquet(copied.folder / "adversarial.parquet")
    record(copied, "adversarial")
    explorer = Explorer(copied)
    explorer.sort.value = "JSD, exact or best known"
    assert "lacks some texts: run chapter 04 on it anew" in explorer.message.value


def test_a_run_without_adversaries_and_a_damaged_one(small, tmp_path):
    first, second = small(tmp_path), small(tmp_path, encoder="cnn")
    for run in (first, second):
        run.ensure("evidence")
    explorer = Explorer(first)
    here = [title for title, run in explorer.runs.items() if run.folder in (first.folder, second.folder)]
    assert [*explorer.choice.options[:2]] == here and explorer.choice.value == here[0]
    explorer.sort.value = "JSD that the search found"
    assert "run chapter 04" in explorer.message.value
    explorer.sort.value = "as in the corpus"
    (second.folder / "evidence-test.arrow").write_bytes(b"damaged")
    before = explorer.row.id
    explorer.choice.value = explorer.choice.options[1]
    assert "the file that run.json recorded" in explorer.message.value
    assert explorer.row.id == before and explorer.run is first


def test_where_no_prediction_is_wrong_it_is_said(explorer, monkeypatch):
    right = explorer.evidence
    monkeypatch.setattr(type(right), "labels", property(lambda evidence: evidence.predicted))
    explorer.sort.value = "wrong predictions first"
    assert "No prediction is wrong here" in explorer.note.value
    explorer.sort.value = "as in the corpus"
    assert explorer.note.value == ""


def test_another_model_reads_the_same_text_beside(small, tmp_path):
    """A text of the corpus and one's own; the strips know of one another, and the choice outlives a run's."""
    first, second, third = (small(tmp_path, seed=seed, epochs=1) for seed in (0, 1, 2))
    for run in (first, second, third):
        run.ensure("evidence")
    explorer = Explorer(first)
    titles = [title for title, run in explorer.runs.items() if run.params.corpus == "planted"]
    assert [value for _, value in explorer.second.options][0] is None and explorer.other is None
    assert {value for _, value in explorer.second.options if value} == {*titles} - {explorer.choice.value}
    explorer.second.value = titles[1]
    assert explorer.message.value == "" and explorer.other in explorer.children
    assert explorer.other.tokens == explorer.strip.tokens
    assert explorer.other.group == explorer.strip.group and explorer.other.reader == titles[1]
    row = second.evidence[second.evidence.ids.index(explorer.row.id)]
    np.testing.assert_array_equal(explorer.other.original, row.attention)
    assert explorer._repr_mimebundle_()["text/html"].count('data-heed="state">{"') == 2
    explorer.show(explorer.evidence.ids[1])
    assert explorer.other.name == explorer.evidence.ids[1]
    found = explorer.read("the good film")
    assert explorer.other.tokens == found.row.units
    other = heed.read("the good film", second)
    np.testing.assert_allclose(explorer.other.original, other.row.attention, atol=1e-12)
    explorer.choice.value = titles[2]  # the sentence is read by this one, too, and the same stays beside it
    assert explorer.second.value == titles[1] and explorer.strip.tokens == other.row.units
    explorer.choice.value = titles[1]  # a model isn't beside itself
    assert explorer.second.value is None and explorer.other not in explorer.children
    assert explorer.strip.group == explorer.strip.reader == ""
