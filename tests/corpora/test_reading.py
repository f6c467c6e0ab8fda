"""Any text, cut and coded as a run's corpus was."""

from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.corpora import classification
from heed.corpora.loading import load
from heed.corpora.reading import WORDS, Reading
from heed.corpora.tokens import SPECIAL, UNKNOWN
from heed.params import resolve
from refusals import refused


def reading(corpus="planted", **given) -> Reading:
    p = resolve({"corpus": corpus} | given)
    return Reading.of(load(p), p)


@pytest.fixture(scope="module")
def usual() -> Reading:
    return reading()


@pytest.mark.parametrize("corpus", ["planted", "world1"])
def test_a_text_of_the_corpus_gets_its_codes(corpus):
    """Test texts, put together again, are read as the corpus was; through a file as without one."""
    p = resolve({"corpus": corpus})
    whole = load(p)
    own = Reading.model_validate_json(Reading.of(whole, p).model_dump_json())
    assert own == Reading.of(whole, p) and own.vocabulary.words == whole.vocabulary.words
    split = whole.splits["test"]
    for i in range(10):
        query = " ".join(split.queries[i]) if split.queries else None
        data = own.encode(" ".join(split.words[i]), query)
        assert data.words == [split.words[i]] and data.ids == ["yours"] and data.labels.tolist() == [-1]
        assert data.codes[0].tolist() == whole.vocabulary.encode(split.words[i]).tolist()
        assert (data.query and data.query.words) == (query and [split.queries[i]])


def test_words_are_cut_lowered_and_marked(usual):
    data = usual.encode("The FILM isn't\n\nnot bad:\t42 zebras!")
    assert data.words == [["the", "film", "is", "n't", "not", "bad", ":", "qqq", "zebras", "!"]]
    assert usual.known(["the", "zebras"]).tolist() == [True, False]
    assert reading(digits="keep").encode("not 42").words == [["not", "42"]]
    assert reading(tokenizer="given").encode("not bad.").words == [["not", "bad."]]


def test_a_text_is_prepared_as_the_corpus_was():
    """SST is words alone, cut as a treebank is; MIMIC's notes have one word for what was taken out."""

    def of(reader):
        return Reading(
            corpus=reader, reader=reader, task="classification", classes=("0", "1"),
            digits="keep", apart=False,
            words=(*SPECIAL, "film", "is", "n", "t", "dull"), tokenizer="en", sentences=False,
        )  # fmt: skip

    assert of("sst").encode("The film isn't dull -- at all!").words == [
        ["the", "film", "is", "n", "t", "dull", "at", "all"]
    ]
    with refused("there is no word in it"):
        of("sst").encode("...!")
    note = of("anemia").encode("film [**2001-1-1**] ======= dull").words[0]
    assert note == [*"film".split(), *classification.TAKEN_OUT.lower().split(), "=", "dull"]


@pytest.mark.mirror
@pytest.mark.parametrize("corpus", ["sst", "20news", "agnews"])
def test_texts_of_real_corpora_get_their_codes(corpus):
    """Of the mirror's: cut words, put together again; spaCy cuts a few of them once more."""
    p = resolve({"corpus": corpus})
    whole = load(p)
    own, split, alike = Reading.of(whole, p), whole.splits["test"], []
    for words in split.words[:50]:
        again = own.encode(" ".join(words)).words[0]
        same = SequenceMatcher(None, again, words, autojunk=False).ratio()
        alike.append((same, own.known(again).mean() - own.known(words).mean()))
    same, more = np.mean(alike, axis=0)
    assert same > 0.9 and abs(more) < 0.01, "nearly the same words, and as many of them known"


@given(st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused(usual, text):
    try:
        data = usual.encode(text)
    except Exception as error:
        assert type(error).__name__ == "HeedError" and "\n" not in str(error)
        return
    assert len(data.codes[0]) == len(data.words[0]) + 2
    assert (data.codes[0][1:-1] != UNKNOWN).any()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no word in it"),
        (" \n\t ", "there is no word in it"),
        ("zebra okapi", "the model knows no word of it. It knows 71, those of corpus planted"),
        ("<b>☃</b>", "the model knows no word"),
        ("the \ud800 cook", "holds half a character (U+D800)"),
        ("the " * 5000, "5,000 words, at most 4,000"),
        ("a" * 3000, "3,000 of them without a space"),
        (42, "expected words in one string, not a int"),
        (None, "expected words in one string, not a NoneType"),
        (["the", "chair"], "not a list"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(usual, text, said):
    with refused(said):
        usual.encode(text)


def test_a_question_where_there_is_none_and_none_where_there_is_one(usual):
    with refused("is asked nothing"):
        usual.encode("the chair", "where is it ?")
    world = reading("world1")
    for nothing in (None, "", "  "):
        with refused("needs a question beside the text"):
            world.encode("the chair", nothing)
    with refused("question: the model knows no word of it"):
        world.encode(" ".join(world.words[5:9]), "zork \u200b")
    with refused("question: 5,000 words"):
        world.encode(" ".join(world.words[5:9]), "where " * 5000)


def test_answers_that_a_text_names_are_allowed(usual):
    """As CNN's entities: those alone, and one at least."""
    entities = Reading(
        corpus="cnn",
        reader="cnn",
        task="qa",
        classes=("@entity0", "@entity1", "@entity2"),
        words=(*SPECIAL, "@entity0", "@entity1", "@entity2", "met", "who"),
        digits="qqq",
        apart=False,
        tokenizer="given",
        sentences=False,
        answers_from="text",
    )
    data = entities.encode("@entity2 met @entity0", "who met")
    np.testing.assert_array_equal(data.allowed, [[True, False, True]])
    with refused("names none of the answers"):
        entities.encode("who met", "who met")


def test_as_many_words_as_a_strip_can_show(usual):
    assert len(usual.encode("the " * WORDS).words[0]) == WORDS
