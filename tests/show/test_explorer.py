"""The explorer of a run's texts."""

import numpy as np
import pytest

from heed.errors import HeedError
from heed.show.explorer import Explorer


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


def test_a_run_without_adversaries_and_a_damaged_one(small, tmp_path):
    first, second = small(tmp_path), small(tmp_path, encoder="cnn")
    for run in (first, second):
        run.ensure("evidence")
    explorer = Explorer(first)
    assert len(explorer.choice.options) == 2
    explorer.sort.value = "JSD that the search found"
    assert "run chapter 04" in explorer.message.value
    explorer.sort.value = "as in the corpus"
    (second.folder / "evidence-test.arrow").write_bytes(b"damaged")
    before = explorer.row.id
    explorer.choice.value = explorer.choice.options[1]
    assert "the file that run.json recorded" in explorer.message.value
    assert explorer.row.id == before and explorer.run is first
