"""Corpora that nobody plans for go through the chapters: a reader meets sentences, and none about nothing."""

import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chapters import empty_claims, read
from heed import paths
from heed.errors import HeedError
from heed.params import FORBIDDING
from heed.registry import read_yaml
from heed.runs.grid import read_grid, runs_of
from odd_corpora import ODD, TINY, Odd, desk

CHAPTERS = ("02", "03", "04", "05", "06", "10")
FONTS = "missing from font"  # what script the machine's fonts have is tests/show's


@pytest.fixture
def params(tmp_path, monkeypatch, cache):
    """A copy of params/ for a corpus of the test's own."""
    monkeypatch.setattr(paths, "PARAMS", desk(tmp_path))
    yield paths.PARAMS
    read_yaml.cache_clear()


def goes_through(odd: Odd, params, results, encoder: str, chapters=CHAPTERS) -> None:
    """No chapter raises, warns, or says something of nothing."""
    odd.put(params)
    given = {"corpus": "odd", "encoder": encoder, "results": str(results), "set": TINY | odd.set}
    for chapter in chapters:
        seen = read(chapter, **given)
        assert not empty_claims(seen), f"chapter {chapter}"
        assert not [warning for warning in seen.warned if FONTS not in warning], f"chapter {chapter}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ODD)
def test_an_odd_corpus_with_local_states(name, params, tmp_path):
    goes_through(ODD[name], params, tmp_path / "r", "average")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["some of one token"])
def test_an_odd_corpus_with_a_cnn(name, params, tmp_path):
    goes_through(ODD[name], params, tmp_path / "r", "cnn")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["25 classes"])
def test_an_odd_corpus_with_a_bilstm(name, params, tmp_path):
    goes_through(ODD[name], params, tmp_path / "r", "bilstm")


@pytest.mark.thorough
def test_texts_of_one_sentence_each(tmp_path):
    """A hierarchical model attends to sentences: the built-in corpus has one a text."""
    small = TINY | {"made_train": 8, "made_dev": 4, "made_test": 4}
    for chapter in ("03", "04", "06"):
        seen = read(chapter, corpus="planted", encoder="han", results=str(tmp_path), set=small)
        assert not empty_claims(seen) and any("single sentence" in said for said in seen.said)


@pytest.mark.thorough
@pytest.mark.parametrize("grid", ["repairs", "lies"])
def test_a_model_of_another_objective_goes_through_erasure(grid, tmp_path):
    """The chapter compares encoders, of which not each can be mended, or lie, in this way."""
    small = TINY | {"made_train": 12, "made_dev": 6, "made_test": 6}
    small["embedding_dim"] = 2 * small["hidden"]  # a tied state is as wide as a word
    runs = runs_of(read_grid({"grid": grid, "corpora": ["planted"], "encoders": ["bilstm"]}))
    assert any(run.extra_losses for run in runs)
    for run in runs:
        named = {*run.extra_losses, *FORBIDDING}
        given = {name: value for name, value in run.renaming.items() if name in named}
        model = {"encoder": run.encoder, "attention": run.attention}
        seen = read("06", corpus="planted", results=str(tmp_path), set=small | given, **model)
        assert not empty_claims(seen)


def test_chapters_that_compare_over_several_tokens_refuse_texts_of_one(params, tmp_path):
    ODD["one token each"].put(params)
    for chapter in ("07", "08"):
        with pytest.raises(HeedError, match="every test text has a single token, and chapters 07 and 08"):
            read(chapter, corpus="odd", encoder="average", results=str(tmp_path / "r"), set=TINY)


LATIN = string.ascii_lowercase.replace("n", "")  # no word is `nan`
SCRIPTS = (LATIN, "абвгдежз", "αβγδεζηθ", "汉字火车晚点了", "אבגדהוזח", "हिन्दीभाषा", "0123456789.,!?$<>|_*`")
NAMES = ["texts", "overall", "all texts", "n", "p", "predicted", "<b>", "$x$", "*", "caf\u00e9", "cafe\u0301"]
NAMES += ["否", "0"]


@st.composite
def corpora(draw) -> Odd:
    """A few texts a split, of words of one script or of several, in which training has each class."""
    classes = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    word = st.sampled_from(SCRIPTS).flatmap(lambda letters: st.text(letters, min_size=1, max_size=8))
    text = st.lists(word, min_size=1, max_size=9).map(" ".join)
    rows = []
    for split, every in (("train", [*range(len(classes))]), ("dev", []), ("test", [])):
        more = draw(st.lists(st.integers(0, len(classes) - 1), min_size=0 if every else 1, max_size=5))
        rows += [(split, draw(text), c) for c in every + more]
    return Odd(rows, tuple(classes), {"select_by": "accuracy"})


@pytest.mark.thorough
@given(odd=corpora(), encoder=st.sampled_from(["average", "cnn"]))
@settings(
    max_examples=max(settings().max_examples // 50, 1),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_small_corpus(odd, encoder, params, tmp_path_factory):
    goes_through(odd, params, tmp_path_factory.mktemp("r"), encoder)
