"""Sentences that we wrote, as stored models read them."""

import json

import numpy as np
import pytest

from heed.registry import read_yaml
from heed.show import ours
from refusals import assert_nothing_half_written, refused
from small_run import SMALL

NAMES = [one["name"] for one in read_yaml(ours.SENTENCES)["sentences"]]


def test_each_sentence_that_we_wrote_is_kept():
    """None more, none less; each once, of a model that is named."""
    written = ours.Written.model_validate(read_yaml(ours.SENTENCES))
    assert [one.name for one in written.sentences] == [*ours.kept()] == list(dict.fromkeys(NAMES))
    assert [one.ours for one in ours.kept().values()] == [*written.sentences]


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_sentence_is_a_row_whose_numbers_fit(name):
    """Its head makes a prediction of its values; a label is a class of its own; no text but ours."""
    one = ours.kept()[name]
    row, T = one.row(), len(one.tokens)
    assert len(one.known) == len(one.gradient) == len(one.leave_one_out) == T
    np.testing.assert_allclose(row.prediction, row.probs(row.attention), atol=1e-9)
    assert np.argmax(one.gradient) >= 0 and min(one.gradient) >= 0 and min(one.leave_one_out) >= 0
    assert max(one.leave_one_out) <= 1
    said = f"{one.ours.text} {one.ours.question or ''}".lower()
    assert all(token in said for token in one.tokens)
    assert one.label is None or one.classes[one.label] == one.ours.label
    strip = one.strip()
    assert strip.tokens == [*one.tokens] and strip.label == one.label
    marked = [token for token, is_marked in zip(one.tokens, one.marked, strict=True) if is_marked]
    assert " ".join(marked) == " ".join(one.ours.marks) and strip.marked == (one.marked if marked else [])
    assert ("Marked by a person: " + " ".join(marked) in strip.still()) == bool(marked)
    assert bool(strip.question) == bool(one.ours.question)


def test_a_page_of_them_opens_the_first_and_has_one_script():
    found = ours.html()
    assert found.count("<details open") == 1 and found.count("<details") == len(NAMES)
    assert found.count("mount(document);\n</script>") == 1
    assert found.count('<script type="application/json" data-heed="state">{"') == len(NAMES)
    assert "which is wrong" in found.split("<script")[0] or "which is wrong" in found
    one = ours.html([NAMES[1]])
    assert one.count("<details") == 1 and one.count("mount(document);\n</script>") == 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Sentences and numbers of the test's own."""
    monkeypatch.setattr(ours, "SENTENCES", tmp_path / "sentences.yaml")
    monkeypatch.setattr(ours, "NUMBERS", tmp_path / "results" / "sentences.json")
    monkeypatch.setattr(ours.paths, "ROOT", tmp_path)
    ours.kept.cache_clear()
    yield tmp_path
    ours.kept.cache_clear()


def write(folder, sentences, **model) -> None:
    given = {"corpus": "planted", "encoder": "average", "attention": "additive", "seed": 0, "set": SMALL}
    written = {"models": {"small": given | model}, "sentences": sentences}
    (folder / "sentences.yaml").write_text(json.dumps(written))
    read_yaml.cache_clear()


PLAIN = {"name": "plain", "model": "small", "text": "The cook.", "shows": "<b>it</b>", "label": None}


def test_what_a_run_reads_is_kept(finished, folder):
    write(folder, [PLAIN, PLAIN | {"name": "two", "text": "<i>the</i> bad cook", "label": "negative"}])
    results = str(finished.folder.parents[3])
    assert "2 sentences, read by 1 models" in ours.write(results)
    one = ours.kept()["two"]
    read = ours.read("<i>the</i> bad cook", finished)
    np.testing.assert_allclose(one.row().prediction, read.row.prediction, atol=1e-8)
    np.testing.assert_allclose(one.leave_one_out, read.leave_one_out, rtol=1e-8, atol=1e-14)
    found = ours.html()
    assert "<b>it</b>" not in found and "<i>the</i>" not in found.split("<script")[0]


@pytest.mark.parametrize(
    ("sentences", "model", "said"),
    [
        ([PLAIN | {"model": "other"}], {}, "is for model 'other', which isn't there"),
        ([PLAIN | {"label": "good"}], {}, "has the label 'good'"),
        ([PLAIN | {"extra": 1}], {}, "sentences.yaml: "),
        ([PLAIN | {"marks": ["cook the"]}], {}, "has the mark 'cook the', which are no tokens"),
        ([PLAIN | {"text": "zork"}], {}, "the model knows no word of it"),
        ([PLAIN], {"seed": 77}, "has no weights. Run chapter 01"),
    ],
)
def test_what_cannot_be_kept_is_one_sentence(finished, folder, sentences, model, said):
    write(folder, sentences, **model)
    with refused(said):
        ours.write(str(finished.folder.parents[3]))
    assert_nothing_half_written(folder)


def test_damaged_numbers_are_one_sentence(folder):
    ours.NUMBERS.parent.mkdir()
    for text in ("", "[{}]", "{"):
        ours.NUMBERS.write_text(text)
        with refused("is damaged"):
            ours.kept()
