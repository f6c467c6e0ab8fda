"""Words and sentences: codes that no text can spell, spaCy's rules."""

import re

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.corpora import tokens
from heed.corpora.tokens import END, PAD, SPECIAL, START, UNKNOWN, Vocabulary, tokenize
from heed.errors import HeedError
from refusals import refused
from strategies import token


def test_other_characters_are_set_apart():
    """As the paper's code does it: what stands alone between spaces is lost with them."""
    (words,) = tokenize(["It wasn't 10-5 :-) (sic). O'Neil_x"], apart=True)
    assert words == ["it", "was", "n", "'", "t", "qqq", "qqq", "sic", "o", "'", "neil_x"]


@given(st.lists(st.lists(token, max_size=6), min_size=1, max_size=5), st.integers(1, 2))
def test_no_text_can_spell_a_special_code(texts, min_df):
    """Not even one that contains "<pad>" or "<s>": those words are unknown."""
    try:
        vocabulary = Vocabulary.of(texts, min_df)
    except HeedError:
        assert not [w for text in texts for w in text if w not in SPECIAL] or min_df > 1
        return
    assert vocabulary.words[:4] == SPECIAL and len(set(vocabulary.words)) == len(vocabulary)
    assert list(vocabulary.words[4:]) == sorted(vocabulary.words[4:])
    for text in texts:
        start, *codes, end = vocabulary.encode(text)
        assert (start, end) == (START, END)
        assert not {PAD, START, END} & set(codes)
        for word, code in zip(text, codes, strict=True):
            often = sum(word in other for other in texts) >= min_df and word not in SPECIAL
            assert code == (vocabulary.words.index(word) if often else UNKNOWN)


@settings(max_examples=20)  # each loads spaCy's blank English
@given(st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["A 1st  CAT's\n", "٣ ΑΣ"])), max_size=4))
def test_tokens_are_lower_case_words(texts):
    found = list(tokenize(texts))
    assert len(found) == len(texts)
    for text, words in zip(texts, found, strict=True):
        for word in words:
            assert word and not word.isspace() and word == word.lower()
            assert not re.search(r"\d", word)
        # Nothing else is lost: what no digit touched stands there in order.
        if not re.search(r"\d", text):
            assert "".join("".join(words).split()) == "".join(text.lower().split())


def test_tokens_by_example():
    text = "It's 9am:\tShe  didn't pay $5.50 for the 3D-film!\n"
    words = "it 's qqq am : she did n't pay $ qqq for the qqq - film !".split()
    assert list(tokenize([text])) == [words]
    kept = "it 's 9 am : she did n't pay $ 5.50 for the 3d - film !".split()
    assert list(tokenize([text], digits="keep")) == [kept]


DOCUMENTS = [
    "the film is good . but the film is long !",
    "dull",
    "not bad . never dull . good ? so long ' . is it",
    ". . the film",
    "good good good .",
]


def test_sentences_are_spacys_rule():
    found = list(tokens.sentences(made_up.words(DOCUMENTS)))
    assert found[0].tolist() == [0] * 5 + [1] * 6
    assert found[1].tolist() == [0]
    assert found[2].tolist() == [0] * 3 + [1] * 3 + [2] * 2 + [3] * 4 + [4] * 2
    assert found[3].tolist() == [0, 0, 1, 1]  # what closes a sentence belongs to it
    assert all((np.diff(s) >= 0).all() and s[0] == 0 and np.ptp(s) == len(set(s)) - 1 for s in found)


SCRIPTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(SCRIPTS)
@settings(deadline=None)
def test_characters_are_all_of_a_text_but_its_spaces(text):
    """One token each, as one sees them: with their combining marks."""
    (words,) = tokenize([text], "keep", tokenizer="characters")
    assert "".join(words) == "".join(c.lower() for c in regex.findall(r"\X", text) if not c.isspace())
    assert all(len(regex.findall(r"\X", word)) >= 1 and word.strip() for word in words)


@given(SCRIPTS)
def test_given_tokens_are_cut_at_spaces(text):
    assert next(tokenize([text], "keep", tokenizer="given")) == [word.lower() for word in text.split()]


def test_tokenizers_by_example():
    family = "👩\u200d👩\u200d👧"
    assert next(tokenize([f"é e\u0301 {family}"], tokenizer="characters")) == ["é", "e\u0301", family]
    assert next(tokenize(["房间有3张床。"], tokenizer="zh")) == [*"房间有", "qqq", *"张床。"]
    assert next(tokenize(["房间有3张床。"], tokenizer="en")) == ["qqq", "。"], "a clause is one token"
    assert next(tokenize(["Room 3, don't"], "keep", tokenizer="given")) == ["room", "3,", "don't"]
    assert next(tokenize(["مرحبا بالعالم، نعم!"], tokenizer="ar")) == ["مرحبا", "بالعالم", "،", "نعم", "!"]


def test_a_language_whose_package_is_missing(monkeypatch):
    """It is cut into characters, and that is said."""

    def blank(code):
        raise ImportError("Japanese support requires SudachiPy")

    monkeypatch.setattr(tokens, "_language", blank)
    tokens.needs.cache_clear()
    try:
        assert next(tokenize(["主人。"], tokenizer="ja")) == [*"主人。"]
        said = tokens.described("ja")
        assert said.startswith("into characters, because") and "sudachipy" in said
        assert not tokens.by_rules("ja")
    finally:
        tokens.needs.cache_clear()


def test_how_texts_are_cut_is_said():
    said = [tokens.described(one) for one in ("given", "characters", "de")]
    assert said == ["at spaces", "into characters", "by spaCy's tokenizer of `de`"]
    assert [tokens.by_rules(one) for one in ("given", "characters", "zh", "de")] == [False] * 3 + [True]


@pytest.mark.parametrize("name", ["chinese", "../x", "", "EN"])
def test_a_tokenizer_that_is_none(name):
    with refused("unknown tokenizer (characters, given, or spaCy's code of a language)", repr(name)):
        next(tokenize(["a"], tokenizer=name))
