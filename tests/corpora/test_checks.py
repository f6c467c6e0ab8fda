"""What is counted of a corpus's texts, against plain counting; and what chapter 01 says of it."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.corpora import checks
from heed.corpora.loading import Corpus, Split
from heed.corpora.tokens import Vocabulary
from heed.params import Params
from heed.show import texts

WORD = st.sampled_from(["a", "b", "c", "qqq", "<unk>", "火"])
TEXTS = st.lists(st.tuples(st.lists(WORD, min_size=1, max_size=3), st.integers(0, 2)), min_size=1, max_size=6)


def corpus_of(train, dev, test, classes=("x", "y", "z"), asked: bool = False) -> Corpus:
    """A corpus of these texts and labels; asked: each has its first word as a query."""
    splits = {}
    for name, rows in (("train", train), ("dev", dev), ("test", test)):
        words, labels = [words for words, _ in rows], np.array([label for _, label in rows])
        queries = [text[:1] for text in words] if asked else None
        ids = [f"{name}{i}" for i in range(len(rows))]
        splits[name] = Split(ids, words, labels, queries=queries, rows=len(rows))
    task = "nli" if asked else "classification"
    return Corpus("mine", "", classes, splits, Vocabulary.of([text for text, _ in train], always=["a"]), task)


@given(TEXTS, TEXTS, TEXTS, st.booleans())
def test_counts_are_plain_counts(train, dev, test, asked):
    corpus = corpus_of(train, dev, test, asked=asked)
    known = {"a"} | {word for text, _ in train for word in text} - {"<unk>"}
    of_test = [word for text, _ in test for word in text]
    assert np.isclose(checks.unknown(corpus), sum(w not in known for w in of_test) / len(of_test))
    assert checks.one_token(corpus.splits["test"]) == [len(text) for text, _ in test].count(1)
    alone = [all(word == "qqq" for word in text) for text, _ in test]
    assert checks.numbers_alone(corpus.splits["test"]) == sum(alone)
    assert checks.repeated(corpus) == sum(text in [t for t, _ in train] for text, _ in test)
    rare, share = checks.rarest(corpus)
    assert share == min([label for _, label in train].count(c) for c in range(3)) / len(train)
    for name, missing in checks.absent(corpus).items():
        assert missing == [c for c in range(3) if c not in corpus.splits[name].labels]


@given(TEXTS, TEXTS, TEXTS, st.booleans(), st.sampled_from(["en", "zh", "characters"]))
def test_sentences_hold_for_any_corpus(train, dev, test, asked, tokenizer):
    corpus = corpus_of(train, dev, test, ("a_b", "$x$", "<b>"), asked)
    p = Params(corpus="sst", tokenizer=tokenizer)
    said = [texts.rows_read(corpus), texts.oddities(corpus), texts.cut(p), *texts.warnings(corpus, p)]
    for sentence in said:
        assert sentence.endswith(".") and "nan" not in sentence and "<b>" not in sentence, sentence
    assert any("have one token" in one for one in said) == (
        checks.one_token(corpus.splits["test"]) >= len(test) / 10
    )


SOUND = [(["a", "b"], 0), (["b", "c"], 1)] * 10


@pytest.mark.parametrize(
    "train, test, part",
    [
        (SOUND, [(["b", "a"], 0), (["c", "b"], 1)], None),
        (SOUND, [(["d", "a"], 0), (["c", "b"], 1)], "25% of the test tokens are unknown"),
        (SOUND, [(["a"], 0), (["c", "b"], 1)], "50% of the test texts have one token"),
        (
            [*SOUND, (["qqq"], 0)],
            [(["qqq", "qqq"], 0), (["c", "b"], 1)],
            "50% of the test texts are nothing but",
        ),
        (SOUND, [(["a", "b"], 0), (["c", "b"], 1)], "50% of the test texts stand in train word for word"),
        (
            SOUND * 10 + [(["a"], 1)] * 2000,
            [(["b", "a"], 0), (["c", "b"], 1)],
            "Class x has 4.5% of the training",
        ),
        (SOUND, [(["c", "b"], 1)], "No test text is of class x"),
    ],
)
def test_what_spoils_a_result_is_said(train, test, part):
    found = texts.warnings(corpus_of(train, SOUND, test, ("x", "y")), Params(corpus="sst"))
    assert len(found) == (part is not None) and (part or "") in " ".join(found)


def test_rows_are_counted():
    """What was left out, and what the length filter drops."""
    corpus = corpus_of(SOUND, SOUND, SOUND)
    whole = "The corpus has 60 rows (20 for training, 20 for development, 20 for test); all are kept."
    assert texts.rows_read(corpus) == whole
    split = corpus.splits["train"]
    corpus.splits["train"] = Split(split.ids, split.words, split.labels, excluded={"no label": 3}, rows=25)
    assert texts.rows_read(corpus).endswith("; 3 rows are unfit and left out and the length filter drops 2.")


def test_the_rule_is_told_of_planted_alone():
    made = Params(corpus="planted", planted_words=4, classes=3)
    (first, *_) = texts.rule(made)
    assert "4 opinion words" in first and "“strange” (odd" in first and "funny" not in first
    assert "artificial" in texts.about(made)
    assert texts.rule(Params(corpus="sst")) == [] and "artificial" not in texts.about(Params(corpus="sst"))


def test_odd_texts_are_counted():
    sound = corpus_of(SOUND, SOUND, [(["b", "a"], 0), (["c", "b"], 1)])
    assert texts.oddities(sound).startswith("No test text repeats")
    odd = corpus_of(SOUND, SOUND, [(["a"], 0), (["a", "b"], 1), (["a", "b"], 0)])
    assert texts.oddities(odd).startswith(
        "Of 3 test texts 1 has a single token and 2 repeat a training text word for word."
    )


def test_scores_say_of_which_class():
    assert texts.scores(corpus_of(SOUND, SOUND, SOUND, ("x", "y")))["f1"] == "F1 of “y”"
    assert texts.scores(corpus_of(SOUND, SOUND, SOUND))["f1"] == "mean F1 of the 3 classes"
    assert re.fullmatch(r"\w+", texts.scores(corpus_of(SOUND, SOUND, SOUND))["accuracy"])


@pytest.mark.parametrize(
    "labels, predicted, said", [([0, 1], [0, 1], ""), ([0, 1], [0, 0], "“&#60;b&#62;”"), ([0, 0], [0, 0], "")]
)
def test_a_class_that_is_never_predicted(labels, predicted, said):
    """Only of the classes that some text has."""

    found = SimpleNamespace(labels=np.array(labels), predicted=np.array(predicted))
    sentence = texts.never_predicted(found, ("a", "<b>"))
    assert said in sentence and bool(sentence) == bool(said)


def test_what_is_said_of_word_vectors(tmp_path, monkeypatch):
    """Whose, how many, how long; a warning below half, and one where the authors' own aren't here."""
    corpus = corpus_of([(["a", "b"], 0)], [(["a"], 0)], [(["a", "b", "c"], 0)])
    (tmp_path / "v.txt").write_text("a 3 4\n")
    p = Params(vectors=str(tmp_path / "v.txt"), embedding_dim=2, vectors_scale=2)
    said = texts.word_vectors(p, corpus, {"types": 0.5, "tokens": 0.4})
    assert len(said) == 3 and "2 numbers a word, multiplied by 2. There is one for 50%" in said[0]
    assert said[1] == (
        "The median norm of these vectors at the test tokens is 10; 67% of the test tokens have none."
    )
    assert said[2].startswith("Fewer than half of the training tokens have a pretrained vector (40%)")
    assert len(texts.word_vectors(p, corpus, {"types": 0.5, "tokens": 0.5})) == 2
    none = texts.word_vectors(p.model_copy(update={"vectors": "zero"}), corpus, {"types": 0, "tokens": 0})
    assert none == ["All word vectors of this run start at zero, with 2 numbers a word."]
    drawn = texts.word_vectors(p.model_copy(update={"vectors": "random"}), corpus, {"types": 0, "tokens": 0})
    assert len(drawn) == 2 and "each drawn from N(0, 1), multiplied by 2." in drawn[0]
    asking = Params(corpus="sst", profile="site", embedding_dim=2)
    monkeypatch.setattr(texts, "at_hand", lambda name: False)
    (*_, last) = texts.word_vectors(asking, corpus, {"types": 0, "tokens": 0})
    assert last.startswith(
        "The authors' own vectors, `fasttext-simple`, aren't on this machine: `make fidelity`"
    )
    monkeypatch.setattr(texts, "at_hand", lambda name: True)
    assert len(texts.word_vectors(asking, corpus, {"types": 0, "tokens": 0})) == 2
