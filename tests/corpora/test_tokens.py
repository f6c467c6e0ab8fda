"""Words and sentences: codes that no text can spell, spaCy's rules."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.corpora import tokens
from heed.corpora.tokens import END, PAD, SPECIAL, START, UNKNOWN, Vocabulary, tokenize
from heed.errors import HeedError
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
