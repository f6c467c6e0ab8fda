"""Word vectors, read back exactly, drawn or zero."""

import gzip
import lzma
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heed.corpora import vectors
from heed.corpora.loading import load
from heed.corpora.tokens import PAD, Vocabulary
from heed.corpora.vectors import matrix
from heed.params import Params
from strategies import finite

word = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
WRITERS = {
    ".txt": lambda path, block: path.write_bytes(block),
    ".vec": lambda path, block: path.write_bytes(block),
    ".gz": lambda path, block: path.write_bytes(gzip.compress(block)),
    ".xz": lambda path, block: path.write_bytes(lzma.compress(block)),
    ".zip": lambda path, block: _zip(path, block),
}


def _zip(path: Path, block: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.md", "not the vectors")
        archive.writestr("v.vec", block)


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(word, st.lists(finite, min_size=3, max_size=3)), min_size=1, max_size=8),
    header=st.booleans(),
    newline=st.sampled_from(["\n", " \n", "\r\n"]),
    data=st.data(),
)
@pytest.mark.parametrize("suffix", WRITERS)
def test_vectors_are_read_back_exactly(suffix, rows, header, newline, data):
    """fastText ends its lines with a space and begins with a header; GloVe does neither."""
    wanted = data.draw(st.sets(st.sampled_from([w for w, _ in rows])))
    lines = [f"{w} {' '.join(map(repr, v))}{newline}" for w, v in rows]
    text = (f"{len(rows)} 3{newline}" if header else "") + "".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"v{suffix}"
        WRITERS[suffix](path, text.encode())
        found = vectors.read_vectors(str(path), {w: 0 for w in wanted} | {"absent": 1}, 3)
    first = {}
    for w, v in rows:
        first.setdefault(w, v)
    assert {w: v.tolist() for w, v in found.items()} == {w: first[w] for w in wanted}


def test_vectors_of_words_with_spaces(tmp_path):
    """GloVe 840B has a few: what stands before the last numbers is the word."""
    (tmp_path / "v.txt").write_text(". . . 0.1 0.2\nat name@domain.com 1 2\nfilm 3 4\n")
    found = vectors.read_vectors(str(tmp_path / "v.txt"), {". . .", "film", "."}, 2)
    assert {w: v.tolist() for w, v in found.items()} == {". . .": [0.1, 0.2], "film": [3, 4]}


def test_vectors_of_width_one(tmp_path):
    """The narrowest width there is: a row then looks like a header, and is none."""
    (tmp_path / "v.txt").write_text("film 0.5\nbad 2\n")
    found = vectors.read_vectors(str(tmp_path / "v.txt"), {"film", "bad"}, 1)
    assert {w: v.tolist() for w, v in found.items()} == {"film": [0.5], "bad": [2.0]}


@pytest.mark.parametrize("unknown", ["random", "zero"])
def test_words_without_a_vector(tmp_path, unknown):
    """Drawn from N(0, 1) by the run's seed, or zero; padding is zero; coverage counts types and tokens."""
    (tmp_path / "v.txt").write_text("film 1 2\nlong 3 4\n")
    p = Params(vectors=str(tmp_path / "v.txt"), embedding_dim=2, unknown_vectors=unknown)
    vocabulary = Vocabulary.of([["film", "dull", "long", "bad"]])
    rows, found = vectors.matrix(p, vocabulary)
    assert rows.shape == (8, 2) and rows[PAD].tolist() == [0, 0]
    have = {w: rows[i].tolist() for i, w in enumerate(vocabulary.words) if found[i]}
    assert have == {"film": [1, 2], "long": [3, 4]}
    assert (rows[~found] == 0).all() == (unknown == "zero")
    texts = [["film", "film", "dull"], ["zebra"]]
    assert vectors.coverage(found, vocabulary, texts) == {"types": 0.5, "tokens": 0.5}
    again, _ = vectors.matrix(p, vocabulary)
    other, _ = vectors.matrix(p.model_copy(update={"seed": 1}), vocabulary)
    assert np.array_equal(again, rows)
    assert np.array_equal(other, rows) == (unknown == "zero")


@pytest.mark.parametrize("kind, scale", [("random", 1), ("zero", 0)])
def test_vectors_without_a_file(kind, scale):
    vocabulary = Vocabulary.of([[f"w{i}" for i in range(500)]])
    rows, found = vectors.matrix(Params(vectors=kind, embedding_dim=20), vocabulary)
    assert not found.any() and rows[PAD].tolist() == [0] * 20
    assert rows[4:].std() == pytest.approx(scale, abs=0.03)


def test_unit_vectors_have_length_one():
    p = Params(corpus="planted", unit_vectors=True)
    rows, _ = matrix(p, load(p).vocabulary)
    assert (rows[0] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(rows[1:], axis=1), 1)
