"""Word vectors, read back exactly, drawn or zero."""

import gzip
import lzma
import shutil
import sys
import tempfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.vectors import Vectors

from heed import paths, registry
from heed.corpora import vectors
from heed.corpora.loading import load
from heed.corpora.tokens import PAD, Vocabulary
from heed.corpora.vectors import matrix
from heed.errors import HeedError
from heed.params import Params, resolve
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


def test_a_scale_is_a_factor_of_every_row():
    """Drawn ones, too; what is zero stays so."""
    vocabulary = Vocabulary.of([[f"w{i}" for i in range(9)]])
    for kind in ({}, {"unit_vectors": True}, {"vectors": "zero"}):
        one, _ = vectors.matrix(Params(embedding_dim=5, **kind), vocabulary)
        other, _ = vectors.matrix(Params(embedding_dim=5, vectors_scale=0.25, **kind), vocabulary)
        np.testing.assert_array_equal(other, one * 0.25)


@pytest.mark.parametrize("scale", [0, -1, float("inf"), float("nan"), "long"])
@pytest.mark.parametrize("name", ["vectors_scale", "input_scale"])
def test_a_scale_that_cannot_be(name, scale):
    with pytest.raises(HeedError, match=f"parameter {name} = "):
        resolve({name: scale})


@given(texts=st.lists(st.lists(st.sampled_from("abcdz"), min_size=1, max_size=5), min_size=1, max_size=5))
def test_lengths_are_the_test_tokens(texts):
    """Against a loop: the median norm of tokens with a vector, and the share without; z is unknown."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "v.txt")
        path.write_text("a 3 4\nb 0 1\nc 6 8\n")
        vocabulary = Vocabulary.of([["a", "b", "c", "d"]])
        p = Params(vectors=str(path), embedding_dim=2, vectors_scale=2, unknown_vectors="random")
        found = vectors.lengths(p, vocabulary, texts)
    norms = {"a": 10.0, "b": 2.0, "c": 20.0}
    have = [norms[word] for words in texts for word in words if word in norms]
    tokens = [word for words in texts for word in words]
    assert found["without"] == pytest.approx(1 - len(have) / len(tokens))
    assert found.get("norm") == (pytest.approx(np.median(have)) if have else None)


def test_drawn_vectors_have_a_length():
    vocabulary = Vocabulary.of([["a"]])
    found = vectors.lengths(Params(embedding_dim=400), vocabulary, [["a", "z"]])
    assert found == {"without": 0.5, "norm": pytest.approx(20, abs=2)}


# By name


@pytest.fixture
def mirror(tmp_path, monkeypatch, cache):
    """A mirror with spaCy's vectors, of two numbers a word."""
    folder = tmp_path / "mirror"
    (folder / "vectors").mkdir(parents=True)
    entry = dict(registry.vectors()["en_core_web_md"], width=2)
    monkeypatch.setitem(registry.vectors(), "en_core_web_md", entry)
    path = folder / entry["mirror"]
    path.write_bytes(lzma.compress(b"film 1 2\nlong 3 4\ndull 5 6\n"))
    (folder / "MANIFEST.tsv").write_text(f"{entry['mirror']}\t1\t{paths.sha256(path)}\n")
    monkeypatch.setenv("HEED_MIRROR", str(folder))
    return path


MD = Params(vectors="en_core_web_md", embedding_dim=2)


def test_vectors_by_name_are_kept_by_vocabulary(mirror, monkeypatch):
    """Of the mirror's file; the second time of the cache, and for other words anew."""
    vocabulary = Vocabulary.of([["film", "long", "zebra"]])
    expected = {"film": [1, 2], "long": [3, 4]}
    assert {w: v.tolist() for w, v in vectors.known(MD, vocabulary).items()} == expected
    kept = [*(paths.cache_folder() / "vectors").glob("*.safetensors")]
    assert len(kept) == 1
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "read_vectors", None)
        assert {w: v.tolist() for w, v in vectors.known(MD, vocabulary).items()} == expected
    assert [*vectors.known(MD, Vocabulary.of([["dull"]]))] == ["dull"]
    assert vectors.known(MD, Vocabulary.of([["zebra"]])) == {}
    kept[0].write_bytes(b"no")
    with pytest.raises(HeedError, match="is damaged .* Delete it; it is made anew"):
        vectors.known(MD, vocabulary)


def test_a_width_that_differs_is_refused(mirror):
    with pytest.raises(HeedError, match="vectors of 2 numbers, embedding_dim is 3. Set embedding_dim to 2"):
        vectors.known(MD.model_copy(update={"embedding_dim": 3}), Vocabulary.of([["film"]]))


def test_vectors_that_are_not_here_say_how_to_get_them(mirror, monkeypatch):
    vocabulary = Vocabulary.of([["film"]])
    mirror.unlink()
    with pytest.raises(HeedError, match="Get it: python -m spacy download en_core_web_md"):
        vectors.known(MD, vocabulary)
    other = Params(vectors="fasttext-simple", embedding_dim=300)
    with pytest.raises(HeedError, match="fasttext-simple: the mirror .* hasn't got it. Unset HEED_MIRROR"):
        vectors.known(other, vocabulary)
    monkeypatch.delenv("HEED_MIRROR")
    with pytest.raises(HeedError, match="Get it: python -m spacy download en_core_web_md"):
        vectors.known(MD, vocabulary)
    assert not any(map(registry.at_hand, registry.vectors()))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A function that installs spaCy's package of a version for this test."""

    def install(version: str) -> None:
        package(tmp_path / "site", version)
        monkeypatch.syspath_prepend(tmp_path / "site")

    yield install
    sys.modules.pop("en_core_web_md", None)


def package(folder: Path, version: str) -> None:
    """spaCy's package as pip installs it, with vectors of two numbers for two words."""
    nlp = spacy.blank("en")
    nlp.vocab.vectors = Vectors(shape=(2, 2))
    for word, vector in {"film": [1, 2], "long": [3, 4]}.items():
        nlp.vocab.set_vector(word, np.array(vector, dtype="float32"))
    home = folder / "en_core_web_md"
    nlp.meta["name"], nlp.meta["version"] = "core_web_md", version
    home.mkdir(parents=True)
    nlp.to_disk(home / f"en_core_web_md-{version}")
    shutil.copy(home / f"en_core_web_md-{version}" / "meta.json", home)
    (home / "__init__.py").write_text(
        "from pathlib import Path\nfrom spacy.util import load_model_from_init_py\n"
        "def load(**given):\n    return load_model_from_init_py(__file__, **given)\n"
    )
    about = folder / f"en_core_web_md-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: en_core_web_md\nVersion: {version}\n")


def test_spacys_package_counts_first(mirror, installed):
    """A real package of spaCy's on the path, though the mirror has other numbers."""
    installed("3.8.0")
    mirror.write_bytes(b"not read")
    found = vectors.known(MD, Vocabulary.of([["film", "zebra"]]))
    assert {w: v.tolist() for w, v in found.items()} == {"film": [1, 2]}
    assert found["film"].dtype == np.float64


def test_a_package_of_another_version_is_refused(mirror, installed):
    installed("3.7.1")
    with pytest.raises(HeedError, match="en_core_web_md 3.7.1 is installed, 3.8 is expected"):
        vectors.known(MD, Vocabulary.of([["film"]]))


class Host(BaseHTTPRequestHandler):
    """Sends a file of vectors, whole or with its end missing."""

    whole = b"film 1 2\nlong 3 4\n"
    sent = len(whole)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.whole)))
        self.end_headers()
        self.wfile.write(self.whole[: self.sent])

    def log_message(self, *given):
        pass


@pytest.fixture
def host(monkeypatch, cache):
    """A host from which `fasttext-simple`, of two numbers a word, is downloaded."""
    server = HTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    entry = registry.vectors()["fasttext-simple"]
    url = f"http://127.0.0.1:{server.server_port}/wiki.simple.vec"
    monkeypatch.setitem(registry.vectors(), "fasttext-simple", dict(entry, width=2, url=url))
    yield Host
    server.shutdown()
    server.server_close()


def test_a_download_that_is_cut_off_leaves_nothing(host, monkeypatch):
    """It is one sentence, and the next try takes the whole; then the profile has what it asks for."""
    p = Params(vectors="fasttext-simple", embedding_dim=2)
    vocabulary = Vocabulary.of([["film", "long"]])
    monkeypatch.setattr(host, "sent", 11)
    with pytest.raises(HeedError, match="fasttext-simple: http.* can't be downloaded"):
        vectors.known(p, vocabulary)
    assert not registry.at_hand("fasttext-simple")
    assert resolve({"corpus": "sst", "profile": "site"}).vectors == "word2vec"
    monkeypatch.setattr(host, "sent", len(host.whole))
    assert [*vectors.known(p, vocabulary)] == ["film", "long"]
    asking = resolve({"corpus": "sst", "profile": "site"})
    assert asking.vectors == "fasttext-simple" and asking.given == "vectors=fasttext-simple"
    assert resolve({"corpus": "sst", "profile": "paper"}).vectors == "word2vec"
    given = resolve({"corpus": "sst", "profile": "site", "vectors": "word2vec"})
    assert given.given == "" and given.variant == resolve({"corpus": "sst", "profile": "site"}, False).variant


def test_what_could_not_be_had_is_said(host, monkeypatch):
    for name in ("glove-840b",):
        monkeypatch.setitem(
            registry.vectors(), name, dict(registry.vectors()[name], url="http://127.0.0.1:9/none.zip")
        )
    said = vectors.fetch_all()
    assert len(said) == 3 and said[0].startswith("fasttext-simple is here: ")
    assert "glove-840b: http://127.0.0.1:9/none.zip can't be downloaded" in said[1]
    assert said[2].endswith("aren't here either: python -m spacy download en_core_web_md.")
