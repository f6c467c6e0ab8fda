"""ERASER's movies: small archives in the official form, what can be wrong with them, marks as tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.corpora import loading, rationales
from heed.corpora.rationales import Marks, in_tokens, read_movies
from heed.errors import HeedError
from heed.params import resolve
from marked_reviews import FILES, archive, evidence, mirror_of, review

TEXT = (
    "it did n't work .\n\n  a dull , dull film .\n"  # 11 tokens; an empty line and more blanks count nothing
)


@pytest.fixture
def small(tmp_path):
    """A function: the archive with one review a file, and what is said instead of training's."""

    def make(*train, documents=None):
        texts = {f"{name}.txt": TEXT for name in FILES} | (documents or {})
        lists = {name: [review(f"{name}.txt", (6, 7))] for name in FILES}
        if train:
            lists["train"] = list(train)
        return archive(tmp_path / "movies.tar.gz", lists, texts)

    return make


def test_movies(small):
    two = review("train.txt", (1, 3), (6, 10), (4, 4))
    positive = review("more.txt", (0, 2), (1, 3), classification="POS", docids=None)
    rows = list(read_movies(small(two, "", positive, documents={"more.txt": "a fine film"})))
    assert [row[:2] for row in rows] == [
        ("train", "train.txt"),
        ("train", "more.txt"),
        ("dev", "val.txt"),
        ("test", "test.txt"),
    ]
    assert [row[3] for row in rows] == [0, 1, 0, 0]
    told = [[text[start:end] for start, end in marks] for _, _, text, _, marks in rows]
    assert told == [["did n't", "dull , dull film", ""], ["a fine", "fine film"], ["dull"], ["dull"]]


WRONG = {
    "a span beyond the text": (review("train.txt", (10, 12)), "from token 10 to 12, expected .* 0 to 11"),
    "a span that ends first": (review("train.txt", (3, 2)), "from token 3 to 2"),
    "a span before the text": (review("train.txt", (-1, 2)), "from token -1 to 2"),
    "a place that is no number": (review("train.txt", (0.0, True)), "from token 0.0 to True"),
    "another document's span": (
        review("train.txt", evidences=[[evidence(0, 1, "val.txt")]]),
        "docid 'val.txt', expected 'train.txt'",
    ),
    "no such document": (review("lost.txt"), "annotation_id 'lost.txt' has no file in movies/docs"),
    "an id that is no text": (review("train.txt", annotation_id=["train.txt"]), "has no file"),
    "no class": (review("train.txt", classification=None), "classification None, expected NEG or POS"),
    "another class": (review("train.txt", classification="neg"), "classification 'neg', expected NEG or POS"),
    "no evidences": (review("train.txt", evidences=None), "no evidences, a list of lists"),
    "a group that is none": (review("train.txt", evidences=[evidence(0, 1, "train.txt")]), "a list of lists"),
    "an evidence that is none": (review("train.txt", evidences=[["dull"]]), "an evidence that is no object"),
    "no object": ("[]", "no object"),
    "no JSON": ('{"annotation_id": ', "Expecting value"),
}


@pytest.mark.parametrize("line, told", WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_line_is_told_with_its_number(small, line, told):
    with pytest.raises(ValueError, match=f"movies/train.jsonl, line 1: .*{told}"):
        list(read_movies(small(line)))


def test_an_id_that_stands_twice(small):
    """In one file or in two: a text would be trained on and tested on."""
    with pytest.raises(ValueError, match="train.jsonl, line 2: annotation_id 'train.txt' .* second time"):
        list(read_movies(small(review("train.txt"), review("train.txt"))))
    with pytest.raises(ValueError, match="val.jsonl, line 1: annotation_id 'val.txt' stands there a second"):
        list(read_movies(small(review("val.txt"))))


def test_files_that_are_not_there_or_not_text(small, tmp_path):
    with pytest.raises(ValueError, match="movies/docs/train.txt: .*utf-8"):
        list(read_movies(small(documents={"train.txt": b"d\xff"})))
    with pytest.raises(ValueError, match=r"no movies/\{train,val,test\}.jsonl and movies/docs/ID in it"):
        list(read_movies(archive(tmp_path / "none.tar.gz", {"train": []}, {"a.txt": "a"})))


# As a corpus: from the mirror's folder to tokens


@pytest.fixture
def mirrored(tmp_path, cache, monkeypatch):
    """A function that puts an archive where a mirror has it, and loads the corpus."""

    def load(path):
        monkeypatch.setenv("HEED_MIRROR", str(mirror_of(path, tmp_path / "mirror")))
        return loading.load(resolve({"corpus": "movies", "min_df": 1}))

    return load


def test_marks_come_with_a_split_and_go_with_its_texts(small, mirrored):
    two = review("train.txt", (1, 3), (4, 4)), review("b.txt", (0, 3), classification="POS")
    corpus = mirrored(small(*two, documents={"b.txt": "very-well made Film!"}))
    train = corpus.splits["train"]
    assert train.words[0][:5] == ["it", "did", "n't", "work", "."] and train.truth is None
    assert train.marks[0].spans.tolist() == [[1, 3]] and (train.marks[0].empty, train.marks[0].cut) == (1, 0)
    assert train.words[1] == ["very", "-", "well", "made", "film", "!"]
    assert train.marks[1].tokens(6).all(), "heed cuts finer than ERASER"
    assert train.where(np.array([False, True])).marks[0].spans.tolist() == [[0, 6]]
    again = loading.load(resolve({"corpus": "movies", "min_df": 1})).splits["train"]  # of the cache
    assert [own.cell for own in again.marks] == [own.cell for own in train.marks]


@pytest.mark.parametrize(
    "line, documents, told",
    [
        (review("train.txt", (0, 99)), {}, "line 1: an evidence from token 0 to 99"),
        (review("train.txt"), {"train.txt": " \n"}, "text train.txt of split train is empty"),
        (review("train.txt"), {"train.txt": b"\xff"}, "movies/docs/train.txt"),
        (review("train.txt"), {}, "no text of class 1 (positive)"),
    ],
    ids=["span", "empty", "bytes", "class"],
)
def test_a_fault_is_one_sentence(small, mirrored, line, documents, told):
    with pytest.raises(HeedError) as error:
        mirrored(small(line, documents=documents))
    assert str(error.value).startswith("corpus movies") and told in str(error.value)
    assert "\n" not in str(error.value) and str(error.value).endswith(".")


# Marks as tokens


def test_a_token_is_marked_if_one_of_its_characters_is():
    """Cut otherwise than the marks: counted, and so are marks of nothing."""
    (found,) = in_tokens(["so very-dull it is"], [[(3, 7), (8, 12), (12, 13), (13, 13), (18, 18)]], "given")
    assert found.spans.tolist() == [[1, 2], [1, 2]] and (found.cut, found.empty) == (2, 3)
    assert found.tokens(4).tolist() == [False, True, False, False]
    (nothing,) = in_tokens(["so"], [[]], "en")
    assert nothing.spans.shape == (0, 2) and not nothing.tokens(1).any()


WORDS = st.lists(
    st.sampled_from(["a", "don't", "U.S.", "(so-so)", "it's", "...", "“x”", "don\u2019t"]), min_size=1
)


@given(WORDS, st.data())
def test_marks_survive_a_finer_cut(words, data):
    """Of whole words parted by blanks: the marked tokens spell what was marked, however they are cut."""
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    text = " ".join(words)
    at = len(" ".join([*words[:start], ""]))
    marked = " ".join(words[start:end])
    for tokenizer in ("en", "given", "characters"):
        (found,) = in_tokens([text], [[(at, at + len(marked))]], tokenizer)
        assert (found.cut, found.empty) == (0, 0)
        (cut,) = loading.tokenize([text], "keep", tokenizer=tokenizer)
        ((first, after),) = found.spans
        assert "".join(cut[first:after]) == marked.replace(" ", "").lower()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=5))
def test_overlapping_marks_are_their_union(pairs):
    spans = np.array([(start, start + size) for start, size in pairs], dtype=int).reshape(-1, 2)
    expected = [any(start <= t < end for start, end in spans) for t in range(11)]
    own = Marks(spans)
    assert own.tokens(11).tolist() == expected
    assert Marks.of(own.cell).cell == own.cell


def test_eraser_counts_tokens_between_blanks_and_lines_alone():
    assert rationales._TOKEN.findall("a\tb  c\n\n \t\nd\u00a0e ") == ["a\tb", "c", "d\u00a0e"]
