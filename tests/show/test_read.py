"""Your own sentence: as the model would read it in its corpus, and what an edit moves."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import heed
from heed.experiments import not_not
from heed.runs.run import Run
from heed.show import read as show_read
from heed.show.explorer import Explorer, committed_runs
from refusals import record, refused


@pytest.fixture(scope="module")
def asking(small, tmp_path_factory):
    """A small run that answers questions."""
    run = small(tmp_path_factory.mktemp("asking"), corpus="world1", encoder="bilstm")
    run.ensure("evidence")
    return run


def test_a_text_of_the_corpus_is_read_as_it_was(finished):
    """Evidence, gradient and leave-one-out are those of the run's own products."""
    found = heed.read(" ".join(finished.evidence[3].units), finished)
    row = finished.evidence[3]
    np.testing.assert_allclose(found.row.attention, row.attention, atol=1e-12)
    np.testing.assert_allclose(found.row.prediction, row.prediction, atol=1e-12)
    np.testing.assert_allclose(found.gradient, finished.arrays("gradient")[row.id], atol=1e-12)
    logits = {"yours": finished.arrays("loo")[row.id]}
    table = finished.evidence.table.slice(3, 1)
    one = type(finished.evidence)(table, finished.evidence.head, finished.evidence.unit)
    (expected,) = show_read.change(one, {row.id: logits["yours"]}).values()
    np.testing.assert_allclose(found.leave_one_out, expected, atol=1e-12)
    assert found.known.all() and found.unknown == []
    assert found.table["word"].tolist() == row.units and len(found.table.columns) == 5


def test_a_question_is_read_beside_it(asking):
    row, asked = asking.evidence[0], asking.asked(asking.evidence.ids[0])
    found = heed.read(" ".join(row.units), asking, asked["question"])
    np.testing.assert_allclose(found.row.prediction, row.prediction, atol=1e-12)
    assert found.asked == asked and found.strip().question == asked["question"]
    with refused("needs a question"):
        heed.read(" ".join(row.units), asking)


def test_sentences_have_no_gradient_of_words(small, tmp_path):
    run = small(tmp_path, encoder="han")
    found = heed.read("The chair is not poor. The garden was bright.", run)
    assert len(found.row.units) == 2 and found.gradient is None and found.leave_one_out is None
    assert "2 tokens" in repr(found.strip()) and list(found.table) == ["word", "known", "attention"]


def test_no_corpus_need_be_there(finished, tmp_path, monkeypatch):
    """Once weights and reading were made."""
    run = Run(finished.params, tmp_path)
    shutil.copytree(finished.folder, run.folder)
    before = heed.read("the chair", run)
    monkeypatch.setattr("heed.runs.run.load", lambda p: pytest.fail("the corpus was read"))
    again = Run(finished.params, tmp_path)
    assert heed.read("the chair", again).row.prediction.tolist() == before.row.prediction.tolist()
    run.folder.joinpath("reading.json").write_text("{}")
    with refused("isn't the file that run.json recorded"):
        heed.read("the chair", Run(finished.params, tmp_path))
    record(run, "reading")
    with refused("reading.json is damaged"):
        heed.read("the chair", Run(finished.params, tmp_path))


def test_weights_of_other_words_are_not_taken(finished, tmp_path):
    run = Run(finished.params, tmp_path)
    shutil.copytree(finished.folder, run.folder)
    _, reading = run.reader
    swapped = reading.model_copy(update={"words": (*reading.words[:-2], *reading.words[:-3:-1])})
    run.folder.joinpath("reading.json").write_text(swapped.model_dump_json())
    record(run, "reading")
    with refused("was trained with another vocabulary"):
        heed.read("the chair", Run(finished.params, tmp_path))


def test_attention_that_is_given_reads_nothing_new(finished):
    with refused("its attention is another run's"):
        heed.read("the chair", not_not.guides(finished)["mlp_base"])


@pytest.mark.parametrize("given", [None, "planted", 3])
def test_only_a_run_reads(given):
    with refused("read takes a run"):
        heed.read("the chair", given)


# What an edit moves


def test_an_edit_is_compared_with_what_was_read_before(finished):
    before, now = (
        heed.read(f"the chair is {word} and the garden was bright", finished) for word in ("not poor", "poor")
    )
    said = now.against(before)
    assert said.startswith("Without “not” the probability of ") and "(TVD " in said
    assert before.against(now).startswith("With “not” the probability of ")
    assert now.against(now) == "The same words as before."
    other = heed.read("the chair", finished)
    assert other.against(now).startswith("Without “is poor and the garden was bright” the probability")


def test_what_is_said_of_an_edit_by_hand(finished):
    """The probability of the class predicted before; the word that stayed whose weight moved most."""
    read = heed.read("the chair the garden", finished)
    c = int(read.row.prediction.argmax())
    before = replace(
        read,
        row=replace(
            read.row,
            units=["not", "a", "b"],
            real=np.ones(3, bool),
            attention=np.array([0.5, 0.1, 0.4]),
            values=np.zeros((3, 1)),
            prediction=np.eye(2)[c] * 0.6 + 0.2,
        ),
    )
    row = replace(
        before.row,
        units=["a", "b", "b"],
        attention=np.array([0.5, 0.3, 0.2]),
        prediction=np.eye(2)[1 - c] * 0.4 + 0.3,
    )
    names = read.classes
    assert replace(before, row=row).against(before) == (
        f"Without “not” and with “b” the probability of {names[c]} goes from 0.80 to 0.30, and "
        f"{names[1 - c]} is predicted (TVD 0.50). Of the words that stayed, attention moved most on “a”: "
        "from 0.10 to 0.50."
    )


# In the explorer


def test_a_sentence_of_ones_own(finished):
    hands = Explorer(finished)
    hands.yours.value = "The chair is not poor, and a zebra was bright."
    assert hands.strip.tokens[:5] == ["the", "chair", "is", "not", "poor"] and hands.message.value == ""
    assert "read as one unknown word: " in hands.note.value and "zebra" in hands.note.value
    hands.yours.value = "The chair is poor, and a zebra was bright."
    assert "Without “not” the probability of" in hands.note.value
    assert hands.query.layout.display == "none"
    hands.show(finished.evidence.ids[1])
    assert hands.strip.tokens == finished.evidence[1].units


def test_what_cannot_be_read_leaves_the_strip(finished):
    hands = Explorer(finished)
    hands.yours.value = "The chair is not poor."
    shown = hands.strip.tokens
    for text, said in (
        ("<b>okapi", "knows none of its"),
        ("the " * 5000, "5,000 words"),
        ("☃ ☃", "knows none of its 2 words"),
    ):
        hands.yours.value = text
        assert said in hands.message.value and hands.strip.tokens == shown and hands.note.value == ""
        assert "<b>okapi" not in hands.message.value
    hands.yours.value = " "
    assert hands.message.value == "" and hands.strip.tokens == shown
    hands.yours.value = "the <img src=x onerror=alert(1)> chair"
    assert "<img" not in hands.note.value and "&lt;" in hands.note.value


def test_each_run_that_is_chosen_reads_it_anew(asking, small):
    results = asking.folder.parents[3]
    other = small(results, corpus="world1", encoder="cnn")
    other.ensure("evidence")
    hands = Explorer(asking)
    assert (
        hands.query.layout.display == "flex"
        and hands.query.value == asking.asked(asking.evidence.ids[0])["question"]
    )
    hands.yours.value = " ".join(asking.evidence[0].units)
    first = hands.strip.attention
    hands.choose(next(title for title, run in hands.runs.items() if run.folder == other.folder))
    assert hands.strip.name == "yours" and not np.array_equal(hands.strip.attention, first)
    assert "Without" not in hands.note.value, "of another model nothing is compared"
    hands.query.value = ""
    assert "needs a question" in hands.message.value


def test_a_run_whose_weights_are_gone(finished, tmp_path):
    run = Run(finished.params, tmp_path)
    shutil.copytree(finished.folder, run.folder)
    run.folder.joinpath("weights.safetensors").unlink()
    hands = Explorer(run)
    shown = hands.strip.tokens
    hands.yours.value = "the chair"
    assert "weights are gone" in hands.message.value and hands.strip.tokens == shown


def test_the_committed_checkpoints_can_be_chosen(finished, tmp_path):
    runs = committed_runs(tmp_path)
    assert {run.params.encoder for run in runs} == {"bilstm", "average", "cnn"}
    assert all(run.committed.is_dir() for run in runs)
    hands = Explorer(finished)
    title = next(title for title in hands.runs if "planted cnn-additive, paper-b9e7f301, seed 0" == title)
    hands.yours.value = "The chair is not poor."
    hands.choose(title)
    assert hands.strip.name == "yours" and hands.strip.tokens[0] == "the"
