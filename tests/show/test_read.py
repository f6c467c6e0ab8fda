"""Your own sentence: as the model would read it in its corpus, and what an edit moves."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import heed
from heed import paths
from heed.experiments import not_not
from heed.measures.leave_one_out import change
from heed.registry import read_yaml
from heed.runs.run import Run
from heed.show.explorer import Explorer, committed_runs
from refusals import record, refused
from small_run import SMALL


@pytest.fixture(scope="module")
def asking(small, tmp_path_factory):
    """A small run that answers questions."""
    run = small(tmp_path_factory.mktemp("asking"), corpus="world1", encoder="bilstm")
    run.ensure("evidence")
    return run


def test_a_text_of_the_corpus_is_read_as_it_was(finished):
    """Evidence, gradient and leave-one-out are those of the run's own products; nobody gave it a label."""
    row, table = finished.evidence[3], finished.evidence.table.slice(3, 1)
    found = heed.read(" ".join(row.units), finished)
    np.testing.assert_allclose(found.row.attention, row.attention, atol=1e-12)
    np.testing.assert_allclose(found.row.prediction, row.prediction, atol=1e-12)
    np.testing.assert_allclose(found.gradient, finished.arrays("gradient")[row.id], atol=1e-12)
    one = type(finished.evidence)(table, finished.evidence.head, finished.evidence.unit)
    (expected,) = change(one, {row.id: finished.arrays("loo")[row.id]}).values()
    np.testing.assert_allclose(found.leave_one_out, expected, atol=1e-12)
    assert found.known.all() and found.unknown == [] and found.doubts() == ""
    assert found.table["word"].tolist() == row.units and len(found.table.columns) == 5
    assert found.row.label == -1 and found.strip().label is None
    assert "Label:" not in found.strip().to_html().split("<script")[0]


def test_a_question_is_read_beside_it(asking):
    row, asked = asking.evidence[0], asking.asked(asking.evidence.ids[0])
    text = " ".join(row.units)
    found = heed.read(text, asking, question=asked["question"])
    np.testing.assert_allclose(found.row.prediction, row.prediction, atol=1e-12)
    assert found.asked == asked and found.strip().question == asked["question"]
    with refused("needs a question"):
        heed.read(text, asking)
    other = heed.read(text, asking, asked["question"] + " zork")
    assert other.unknown == ["zork"] and "zork" in other.doubts()
    said = other.against(found)
    assert said.startswith(
        f"Asked “{asked['question']} zork” instead of “{asked['question']}” the probability"
    )


def test_sentences_have_no_gradient_of_words(small, tmp_path):
    run = small(tmp_path, encoder="han")
    found = heed.read("The zork chair blarg. The cook painted the plate.", run)
    assert len(found.row.units) == 2 and found.gradient is None and found.leave_one_out is None
    assert found.unknown == ["zork", "blarg"] and found.known.tolist() == [False, True]
    assert "2 tokens" in repr(found.strip()) and list(found.table) == ["word", "known", "attention"]


def test_many_unknown_words_and_long_texts_are_cut_short(finished):
    found = heed.read(" ".join(["the"] * 100 + [f"zork{'x' * i}" for i in range(30)]), finished)
    assert len(found.unknown) == 30 and found.doubts().endswith("and 20 more.")
    assert len(repr(found)) < 120 and "…" in repr(found)
    assert "\u200b" not in heed.read("the\u200b chair", finished).doubts()


def copied(finished, tmp_path) -> Run:
    run = Run(finished.params, tmp_path)
    shutil.copytree(finished.folder, run.folder)
    return run


def test_no_corpus_need_be_there(finished, tmp_path, monkeypatch):
    """Once weights and reading were made."""
    run = copied(finished, tmp_path)
    before = heed.read("the chair", run)
    monkeypatch.setattr("heed.runs.run.load", lambda p: pytest.fail("the corpus was read"))
    again = heed.read("the chair", Run(finished.params, tmp_path))
    assert again.row.prediction.tolist() == before.row.prediction.tolist()
    run.folder.joinpath("reading.json").write_text("{}")
    with refused("isn't the file that run.json recorded"):
        heed.read("the chair", Run(finished.params, tmp_path))
    record(run, "reading")
    with refused("reading.json is damaged, or another version of heed wrote it"):
        heed.read("the chair", Run(finished.params, tmp_path))


def test_weights_of_other_words_are_not_taken(finished, tmp_path):
    run = copied(finished, tmp_path)
    _, reading = run.reader
    swapped = reading.model_copy(update={"words": (*reading.words[:-2], *reading.words[:-3:-1])})
    run.folder.joinpath("reading.json").write_text(swapped.model_dump_json())
    record(run, "reading")
    with refused("was trained with another vocabulary"):
        heed.read("the chair", Run(finished.params, tmp_path))


def test_a_reading_of_an_earlier_corpus_is_made_anew(tmp_path, monkeypatch, cache):
    """One's own file was edited, and the model trained anew on it: the old reading isn't in its way."""
    params = tmp_path / "params"
    shutil.copytree(paths.PARAMS, params)
    monkeypatch.setattr(paths, "PARAMS", params)
    (params / "mine.yaml").write_text("own: {file: mine.csv, classes: [bad, good]}\n")
    read_yaml.cache_clear()

    def run_on(word: str) -> Run:
        texts = [f"the {word} plate {'is fine' if i % 2 else 'is dull'}" for i in range(4)]
        lines = [f"{split},{text} {i},{('bad', 'good')[i % 2]}" for split in ("train", "dev", "test")
                 for i, text in enumerate(texts)]  # fmt: skip
        (params / "mine.csv").write_text("\n".join(["split,text,label", *lines, ""]))
        return Run.of(tmp_path / "results", corpus="mine", encoder="average", set=SMALL | {"epochs": 1})

    assert heed.read("the round plate", run_on("round")).unknown == []
    again = run_on("square")
    again.ensure("evidence")
    assert heed.read("the square plate", run_on("square")).unknown == []
    read_yaml.cache_clear()


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
        heed.read(f"the chair and {word} plate passed the bright garden", finished)
        for word in ("not poor", "poor")
    )
    said = now.against(before)
    assert said.startswith("Without “not” the probability of ") and "(TVD " in said
    assert before.against(now).startswith("With “not” the probability of ")
    assert now.against(now) == "The same words as before."
    other = heed.read("the plate chair and poor passed a bright garden", finished)
    assert other.against(now).startswith("Without “plate … the”, with “plate … a” the probability of ")
    moved = heed.read("poor the chair and plate passed the bright garden", finished)
    assert moved.against(now).startswith("With “poor” in another place the probability of ")


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
        f"Without “not”, with “b” the probability of {names[c]} goes from 0.80 to 0.30, and "
        f"{names[1 - c]} is predicted (TVD 0.50). Of the words that stayed, attention moved most on “a”: "
        "from 0.10 to 0.50."
    )


def test_only_what_one_run_read_is_compared(finished, asking):
    mine = heed.read("the chair", finished)
    row = asking.evidence[0]
    theirs = heed.read(" ".join(row.units), asking, asking.questions[row.id])
    for other in (theirs, replace(mine, run="another/run")):
        with refused("the two are of different runs"):
            mine.against(other)
    for other in (None, "the chair", row):
        with refused("against takes what `read` returned"):
            mine.against(other)


# In the explorer


def test_a_sentence_of_ones_own(finished):
    hands = Explorer(finished)
    hands.show(finished.evidence.ids[2])
    hands.yours.value = "The chair is not poor, and a zebra was bright."
    assert hands.strip.tokens[:5] == ["the", "chair", "is", "not", "poor"] and hands.message.value == ""
    assert "read as one unknown word: " in hands.note.value and "“zebra”" in hands.note.value
    assert hands.text.value is None and hands.strip.label is None
    hands.yours.value = "The chair is poor, and a zebra was bright."
    assert "Without “not” the probability of" in hands.note.value
    assert hands.query.layout.display == "none"
    hands.yours.value = ""
    assert hands.strip.tokens == finished.evidence[2].units and hands.note.value == ""
    hands.read("the chair")
    assert hands.yours.value == "the chair"
    hands.show(finished.evidence.ids[1])
    assert hands.strip.tokens == finished.evidence[1].units
    assert hands.yours.value == hands.note.value == ""
    hands.yours.value = "the chair"
    hands.text.value = finished.evidence.ids[1]
    assert hands.strip.tokens == finished.evidence[1].units, "chosen again, it is shown again"


def test_what_cannot_be_read_leaves_the_strip(finished):
    hands = Explorer(finished)
    hands.yours.value = "The chair is not poor."
    shown = hands.strip.tokens
    for text, said in (
        ("<b>okapi", "knows no word of it"),
        ("the " * 5000, "5,000 words"),
        ("☃ ☃", "knows no word of it"),
        ("the \ud800", "half a character"),
    ):
        hands.yours.value = text
        assert said in hands.message.value and hands.strip.tokens == shown and hands.note.value == ""
        assert "<b>okapi" not in hands.message.value
    hands.read("the bad cook")
    assert hands.message.value == "" and hands.yours.value == "the bad cook"
    hands.yours.value = "the <img src=x onerror=alert(1)> chair"
    assert "<img" not in hands.note.value and "&lt;" in hands.note.value
    hands.yours.value = "the 😀 chair\n\nwas not poor"  # a paragraph that was pasted
    assert "😀" in hands.note.value and hands.strip.tokens[-1] == "poor" and hands.message.value == ""


def test_each_run_that_is_chosen_reads_it_anew(asking, small):
    results = asking.folder.parents[3]
    other = small(results, corpus="world1", encoder="cnn")
    other.ensure("evidence")
    hands = Explorer(asking)
    question = asking.asked(asking.evidence.ids[0])["question"]
    assert hands.query.layout.display == "flex" and hands.query.value == question
    hands.show(asking.evidence.ids[5])
    assert hands.query.value == asking.questions[asking.evidence.ids[5]], "the text's own"
    hands.read(" ".join(asking.evidence[0].units), question)
    first = hands.strip.attention
    hands.choose(next(title for title, run in hands.runs.items() if run.folder == other.folder))
    assert hands.strip.name == "yours" and not np.array_equal(hands.strip.attention, first)
    assert hands.query.value == question
    assert "The same words" not in hands.note.value, "of another model nothing is compared"
    hands.query.value = ""
    assert "needs a question" in hands.message.value


def test_a_question_alone_is_asked_of_the_text_that_is_shown(asking):
    hands = Explorer(asking)
    other = asking.questions[asking.evidence.ids[5]]
    hands.query.value = other
    assert hands.strip.question == other and hands.strip.tokens == asking.evidence[0].units
    assert hands.strip.name == "yours"


def test_a_sentence_goes_with_one_to_another_corpus(finished, small, tmp_path):
    """Read once by the first run there, and compared with nothing; a question is that corpus's own."""
    run = copied(finished, tmp_path)
    asking = small(tmp_path, corpus="world1", encoder="bilstm")
    asking.ensure("evidence")
    hands = Explorer(run)
    word = asking.evidence[0].units[0]
    hands.yours.value = f"the chair and {word}"
    hands.corpus.value = "world1"
    assert hands.strip.name == "yours" and hands.query.value == asking.questions[asking.evidence.ids[0]]
    assert "The same words" not in hands.note.value and hands.message.value == ""
    hands.corpus.value = "planted"
    assert hands.strip.name == "yours" and hands.strip.question == "" and hands.message.value == ""


def test_a_run_whose_weights_are_gone(finished, tmp_path):
    run = copied(finished, tmp_path)
    run.folder.joinpath("weights.safetensors").unlink()
    hands = Explorer(run)
    shown = hands.strip.tokens
    hands.yours.value = "the chair"
    assert "weights are gone" in hands.message.value and hands.strip.tokens == shown


def test_the_committed_checkpoints_can_be_chosen(finished, tmp_path):
    runs = committed_runs(tmp_path)
    assert {run.params.encoder for run in runs} == {"bilstm", "average", "cnn"}
    assert all(run.committed.is_dir() for run in runs)
    hands = Explorer(copied(finished, tmp_path))
    hands.yours.value = "The chair is not poor."
    hands.choose("planted cnn-additive, paper-b9e7f301, seed 0")
    assert hands.strip.name == "yours" and hands.strip.tokens[0] == "the"
