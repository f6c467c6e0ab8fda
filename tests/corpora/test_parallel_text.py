"""Pairs and pieces: the made language, files side by side, what can't be."""

import gzip

import numpy as np
import pytest

from heed.corpora import parallel_text
from heed.corpora.parallel_text import END, START, Pieces
from heed.errors import HeedError
from heed.params import resolve


def test_the_made_language_has_a_dictionary_and_an_order():
    words = {g: e for kind in parallel_text.WORDS.values() for g, e in kind.items()}
    assert len(set(words.values())) == len(words)
    for german, english in parallel_text.made(50, np.random.default_rng(0)):
        translated = [words[w] for w in german.split()]
        assert sorted(translated) == sorted(english.split())
        first = (
            next(k for k, w in enumerate(english.split()) if w in parallel_text.WORDS["noun"].values()) + 1
        )
        assert english.split()[first] == translated[-1], "the verb"
        assert english.split()[:first] == translated[:first]
        assert english.split()[first + 1 :] == translated[first:-1]


def test_sentences_of_the_made_language_vary_in_length():
    lengths = {len(german.split()) for german, _ in parallel_text.made(100, np.random.default_rng(0))}
    assert lengths == {5, 6, 7}


def test_pieces_come_back_as_text():
    sentences = [side for pair in parallel_text.made(200, np.random.default_rng(1)) for side in pair]
    pieces, again = Pieces.learn(sentences, 90), Pieces.learn(sentences, 90)
    assert pieces.model == again.model and len(pieces) <= 90
    for sentence in sentences[:20]:
        codes = pieces.codes(sentence, 250)
        assert (codes[0], codes[-1]) == (START, END) and pieces.text(codes) == sentence
        assert pieces.processor.unk_id() not in codes


def write(folder, name, lines):
    path = folder / name
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_files_are_read_side_by_side(tmp_path, suffix):
    de = write(tmp_path, f"x.de{suffix}", ["ein hund", "zwei"])
    en = write(tmp_path, f"x.en{suffix}", ["a dog", "two"])
    assert parallel_text.beside(de, en) == [("ein hund", "a dog"), ("zwei", "two")]


@pytest.mark.mirror
def test_multi30k_is_whole():
    found = parallel_text.read(resolve({"corpus": "multi30k"}))
    assert {split: len(rows) for split, rows in found.items()} == {"train": 29000, "dev": 1014, "test": 1000}


@pytest.mark.parametrize(
    ("german", "english", "said"),
    [
        (["a", "b"], ["a"], "has 2 lines, .* has 1: line by line"),
        (["a", ""], ["a", "b"], "x.de, line 2 is empty"),
        (["a", "b"], [" ", "b"], "x.en, line 1 is empty"),
        (["a" * (parallel_text.LINE + 1)], ["b"], "line 1 has 10001 characters, 10000 at most"),
    ],
)
def test_files_that_do_not_fit(tmp_path, german, english, said):
    with pytest.raises(HeedError, match=said):
        parallel_text.beside(write(tmp_path, "x.de", german), write(tmp_path, "x.en", english))


def test_files_that_are_no_text(tmp_path):
    fine = write(tmp_path, "x.en", ["a"])
    cut = gzip.compress(b"a" * 99)[:20]
    for name, content in (("x.de", b"\xff\xfe\xff"), ("y.gz", b"no gzip"), ("z.gz", cut)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(HeedError, match="can't be read as lines of text"):
            parallel_text.beside(tmp_path / name, fine)
    with pytest.raises(HeedError, match="can't be read"):
        parallel_text.beside(tmp_path / "none", fine)


def test_an_over_long_sentence():
    pieces = Pieces.learn([s for pair in parallel_text.made(99, np.random.default_rng(0)) for s in pair], 90)
    with pytest.raises(HeedError, match="has 9 pieces, 8 at most are taken|has [0-9]+ pieces, 8 at most"):
        pieces.codes("der kleine hund der kleine hund sieht", 8)


def test_too_few_pieces():
    with pytest.raises(HeedError, match="pieces = 9"):
        Pieces.learn([s for pair in parallel_text.made(99, np.random.default_rng(0)) for s in pair], 9)
