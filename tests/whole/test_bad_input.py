"""Bad input: one clear sentence or two that say what, where and what to do, and nothing half-written."""

import contextlib
import gzip
import hashlib
import io
import json
import lzma
import resource
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
import pytest
import requests
import torch
import yaml
from safetensors.torch import load_file, save_file

import small_run
from heed import paths
from heed.corpora import loading
from heed.corpora.download import fetch
from heed.corpora.loading import Split
from heed.errors import choose
from heed.measures import correlation, rankings, registry
from heed.models import training
from heed.params import Params, resolve
from heed.registry import read_yaml
from heed.runs import products
from heed.runs.run import Run
from refusals import assert_nothing_half_written, read, record, refused, reviews, trees


def written(folder: Path) -> set[str]:
    """Names of the files of a run's folder, the locks aside."""
    return {p.name for p in folder.glob("*") if p.name != ".locks"}


# Parameters


@pytest.mark.parametrize(
    "given, parts",
    [
        ({"encodr": "cnn"}, ["unknown parameter 'encodr'", "Did you mean 'encoder'?"]),
        ({"set": {"epoch": 3}}, ["unknown parameter 'epoch'", "Did you mean 'epochs'?"]),
        ({"set": {1: 2}}, ["unknown parameter 1"]),
        ({"corpus": "sts"}, ["unknown corpus 'sts'", "Did you mean 'sst'?", "imdb"]),
        ({"corpus": ["sst"]}, ["unknown corpus ['sst']"]),
        ({"corpus": None}, ["unknown corpus None", "planted"]),
        ({"encoder": "lstm"}, ["unknown encoder 'lstm'", "bilstm, cnn"]),
        ({"attention": "tanh"}, ["unknown attention 'tanh'", "additive, dot"]),
        ({"profile": "papr"}, ["unknown profile 'papr'", "Did you mean 'paper'?"]),
        ({"set": [1]}, ["set = [1]", "must be a mapping", "{epochs: 2}"]),
        ({"set": "epochs"}, ["set = 'epochs'", "must be a mapping"]),
        ({"seed": 1, "set": {"seed": 2}}, ["parameter seed is given twice", "keep one"]),
    ],
)
def test_parameters_that_are_not_there(given, parts, tmp_path):
    with refused(*parts):
        Run.of(tmp_path, **given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name, value",
    [
        ("seed", -1),
        ("seed", "many"),
        ("epochs", 0),
        ("epochs", 2.5),
        ("epochs", None),
        ("epochs", [2]),
        ("negation", 1.5),
        ("learning_rate", 0),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("amsgrad", "perhaps"),
        ("classes", 6),
        ("shorter_than", 1),
        ("made_length", 3),
        ("vectors_from", "sst"),
        ("cnn_widths", []),
        ("cnn_widths", 3),
        ("cnn_widths", [2]),  # an even width has no middle: states would be shifted by half a token
        ("cnn_widths", [3, 0]),
        ("precision", "float16"),
        ("vocabulary_from", "test"),
        ("tokens_per_batch", 0),
        ("tokens_at_once", 0),
        ("loo_tolerance", -1e-9),
        ("loo_tolerance", float("inf")),
        ("loo_how", "slow"),
    ],
)
def test_values_that_cannot_be(name, value, tmp_path):
    with refused(f"parameter {name}"):
        Run.of(tmp_path, set={name: value})


def test_a_device_that_is_not_there(tmp_path):
    """run.json says on which device a run was made: that must be true, or the run must be refused."""
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU; the test is about one that has none")
    with refused("device", "cuda", "cpu"):
        Run.of(tmp_path, set={"device": "cuda"}).ensure("weights")


def test_the_nearest_name_is_offered():
    with refused("unknown fruit 'aple'. Did you mean 'apple'?", "apple, pear"):
        choose("fruit", "aple", ["pear", "apple"])
    with refused("unknown fruit 'xyz'. Choose one of: apple, pear."):
        choose("fruit", "xyz", ["pear", "apple"])


def test_an_unknown_product(finished):
    with refused("unknown product 'sumary'", "Did you mean 'summary'?"):
        finished.ensure("sumary")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A copy of params/ to spoil."""
    shutil.copytree(paths.PARAMS, tmp_path / "params")
    monkeypatch.setattr(paths, "PARAMS", tmp_path / "params")
    return tmp_path / "params"


@pytest.mark.parametrize(
    "content, parts",
    [
        ("- a\n- b\n", ["planted.yaml must hold a mapping", "not a list"]),
        ("just words\n", ["planted.yaml must hold a mapping", "not a str"]),
        ("[]\n", ["planted.yaml must hold a mapping", "not a list"]),
        ("epochs: [1\n", ["planted.yaml can't be read as YAML", "Correct or restore it."]),
        ("epochs: \x00\n", ["planted.yaml can't be read as YAML"]),
        ("!!python/object/apply:os.mkdir [DANGER]\n", ["planted.yaml can't be read as YAML", "python"]),
        ("epochz: 3\n", ["planted.yaml", "epochz"]),
        ("epochs: many\n", ["parameter epochs = 'many'"]),
        ("profiles: 3\n", ["planted.yaml", "profiles"]),
        ("profiles: {paper: 3}\n", ["planted.yaml", "profiles"]),
    ],
)
def test_parameter_files_that_cannot_be(content, parts, home, tmp_path):
    (home / "planted.yaml").write_text(content.replace("DANGER", str(tmp_path / "danger")))
    with refused(*parts):
        resolve({})
    assert not (tmp_path / "danger").exists()


def test_a_parameter_file_in_another_encoding(home):
    (home / "profiles" / "paper.yaml").write_bytes("# caf\u00e9\n".encode("latin-1"))
    with refused("paper.yaml can't be read as YAML"):
        resolve({})


# Vectors


def test_a_vector_file_that_is_missing(tmp_path, small):
    """Never a silent fallback to random vectors."""
    run = small(tmp_path, vectors="nowhere/wiki.simple.vec")
    with refused("'nowhere/wiki.simple.vec'", str(paths.ROOT / "nowhere/wiki.simple.vec"), "fetch the file"):
        run.ensure("weights")
    assert written(run.folder) == set()


@pytest.mark.parametrize("name", ["randm", "vectors.bin", "."])
def test_vectors_of_no_known_kind(name, tmp_path):
    (tmp_path / "vectors.bin").write_bytes(b"film 1 2\n")
    with refused("glove-840b nor a file ending in", ".vec"):
        read(name if name == "randm" else tmp_path / name)


@pytest.mark.parametrize(
    "text, parts",
    [
        ("film 1 2 3\n", ["line 1, has 3 numbers", "embedding_dim is 2", "Set embedding_dim"]),
        ("2 3\nfilm 1 2 3\n", ["line 2, has 3 numbers"]),
        ("good 1 2\nfilm 1\n", ["line 2, has 1 numbers"]),
        ("good 1 2\n\nfilm 1 2\n", ["line 2, has 0 numbers"]),
        ("film 1 x\n", ["is damaged", "'x'"]),
    ],
)
def test_vectors_of_the_wrong_width(text, parts, tmp_path):
    (tmp_path / "v.vec").write_text(text)
    with refused("v.vec", *parts):
        read(tmp_path / "v.vec")


def packed(suffix: str, text: bytes) -> bytes:
    """The text as a .gz, .xz or .zip file."""
    if suffix == ".gz":
        return gzip.compress(text)
    if suffix == ".xz":
        return lzma.compress(text)
    block = io.BytesIO()
    with zipfile.ZipFile(block, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("v.txt", text)
    return block.getvalue()


def many_vectors() -> bytes:
    rows = np.random.default_rng(0).normal(size=(4000, 2)).tolist()
    return "".join(f"w{i} {a!r} {b!r}\n" for i, (a, b) in enumerate(rows)).encode()


def overwritten(block: bytes, start: int) -> bytes:
    """The block with 40 of its bytes replaced: the archive's frame is whole, what it holds is not."""
    return block[:start] + b"\xff" * 40 + block[start + 40 :]


@pytest.mark.parametrize("suffix, start", [(".gz", 10), (".xz", 60), (".zip", 35)])
@pytest.mark.parametrize(
    "damage",
    [
        lambda block, start: block[: len(block) // 2],
        lambda block, start: block[:-5],
        lambda block, start: b"no archive at all",
        overwritten,
    ],
    ids=["half", "less its end", "other", "overwritten"],
)
def test_vectors_in_a_damaged_archive(suffix, start, damage, tmp_path):
    path = tmp_path / f"v{suffix}"
    path.write_bytes(damage(packed(suffix, many_vectors()), start))
    with refused(f"v{suffix}", "Download it again"):
        read(path)


def test_vectors_that_are_not_text(tmp_path):
    (tmp_path / "v.txt").write_bytes(b"film 1 2\n\xff\xfe 3 4\n")
    with refused("v.txt is damaged"):
        read(tmp_path / "v.txt")


def test_a_zip_of_several_vector_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("a.txt", "film 1 2\n")
        archive.writestr("b.txt", "film 1 2\n")
    with refused("v.zip must hold one .txt or .vec file, it holds 2"):
        read(tmp_path / "v.zip")


def test_word2vec_from_nothing(tmp_path, small, cache):
    with refused("word2vec needs vectors_from"):
        small(tmp_path / "r", vectors="word2vec", vectors_from=()).ensure("weights")


def test_word2vec_from_an_unknown_corpus(tmp_path, small, cache):
    with refused("unknown corpus 'sts'", "Did you mean 'sst'?"):
        small(tmp_path / "r", vectors="word2vec", vectors_from=["sts"]).ensure("weights")


def test_word2vec_that_learns_no_word(tmp_path, small, cache):
    with refused("word2vec_min_count"):
        small(tmp_path / "r", vectors="word2vec", vectors_from=["planted"], word2vec_min_count=10**6).ensure(
            "weights"
        )
    assert_nothing_half_written(tmp_path)


def test_word2vec_in_the_cache_is_damaged(tmp_path, small, cache):
    """Made once, then read; what was read is held to be whole. It can be deleted and made anew."""
    given = {"vectors": "word2vec", "vectors_from": ["planted"], "word2vec_window": 2}
    small(tmp_path / "r", **given).ensure("weights")
    (file,) = (cache / "word2vec").glob("*.safetensors")
    block = file.read_bytes()
    file.write_bytes(block[:-10])
    with refused(str(file), "Delete it"):
        small(tmp_path / "other", **given).ensure("weights")
    file.unlink()
    small(tmp_path / "other", **given).ensure("weights")
    assert file.read_bytes() == block
    assert_nothing_half_written(tmp_path)


# Corpora: a small one in the form of SST's archive, in a registry and a mirror of the test's own


GOOD = "(4 (2 A) (4 good) (2 film))"
BAD = "(0 (2 A) (0 bad) (2 film))"
TREES = {split: [GOOD, BAD, GOOD, BAD] for split in ("train", "dev", "test")}


class House:
    """A registry with the corpus `tiny` and a mirror that holds its file."""

    def __init__(self, folder: Path):
        self.data, self.mirror = folder / "data", folder / "mirror"
        self.file = self.mirror / "tiny" / "tiny.zip"
        self.file.parent.mkdir(parents=True)
        self.data.mkdir()
        self.register()
        self.store(trees(TREES))

    def register(self, **other) -> None:
        """Write the registry anew."""
        tiny = {
            "title": "Tiny",
            "reader": "sst",
            "classes": ["negative", "positive"],
            "file": {"url": "https://example.org/tiny.zip", "sha256": "0" * 64, "mirror": "tiny/tiny.zip"},
            "terms": "none",
            "cite": "none",
        }
        planted = {"title": "Planted", "made": "planted", "terms": "none", "cite": "none"}
        content = {"corpora": {"planted": planted, "tiny": tiny | other}}
        (self.data / "registry.yaml").write_text(yaml.safe_dump(content))
        read_yaml.cache_clear()

    def store(self, block: bytes, checksum: str | None = None) -> None:
        """Put a file into the mirror, with the right checksum or another."""
        self.file.write_bytes(block)
        row = ("tiny/tiny.zip", str(len(block)), checksum or hashlib.sha256(block).hexdigest())
        (self.mirror / "MANIFEST.tsv").write_text("\t".join(row) + "\n")


@pytest.fixture
def house(tmp_path, monkeypatch, cache) -> House:
    made = House(tmp_path)
    monkeypatch.setattr(paths, "DATA", made.data)
    monkeypatch.setenv("HEED_MIRROR", str(made.mirror))
    yield made
    assert_nothing_half_written(tmp_path)
    read_yaml.cache_clear()


def load(**other) -> loading.Corpus:
    return loading.load(resolve({"corpus": "tiny", **other}))


def test_the_tiny_corpus_is_read(house):
    """So that what follows fails for its own reason."""
    corpus = load()
    assert {s: len(split) for s, split in corpus.splits.items()} == {"train": 4, "dev": 4, "test": 4}
    assert corpus.splits["dev"].words[0] == ["a", "good", "film"]
    assert corpus.splits["dev"].labels.tolist() == [1, 0, 1, 0]
    assert corpus.vocabulary.words[4:] == ("a", "bad", "film", "good")
    house.file.unlink()
    with refused("tiny.zip"):
        load()


def test_a_mirror_without_a_manifest(house):
    (house.mirror / "MANIFEST.tsv").unlink()
    with refused("HEED_MIRROR", "MANIFEST.tsv", "unset HEED_MIRROR"):
        load()


def test_a_mirror_that_is_not_there(house, monkeypatch):
    monkeypatch.setenv("HEED_MIRROR", "/nowhere/at/all")
    with refused("HEED_MIRROR=/nowhere/at/all", "MANIFEST.tsv"):
        load()


def test_a_file_that_the_mirror_lacks(house):
    house.file.unlink()
    with refused("tiny: the mirror", "has no tiny/tiny.zip", "Restore the file"):
        load()


def test_a_file_that_the_manifest_does_not_list(house):
    (house.mirror / "MANIFEST.tsv").write_text("other.zip\t3\tabc\n\nbroken line\n")
    with refused("tiny: the mirror", "MANIFEST.tsv"):
        load()


def test_a_truncated_file_of_the_mirror(house):
    whole = house.file.read_bytes()
    house.store(whole[:-40], checksum=hashlib.sha256(whole).hexdigest())
    with refused("tiny", str(house.file), hashlib.sha256(whole).hexdigest(), "truncated"):
        load()


LONG = {s: [GOOD, BAD] + [f"(3 (2 w{i}) (2 v{i * i}))" for i in range(300)] for s in TREES}


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"<html>Not found</html>",
        trees(TREES)[:-30],
        overwritten(trees(LONG), 46),
        trees({"train": TREES["train"]}),
        trees({**TREES, "dev": ["no tree"]}),
        trees({**TREES, "dev": ["(7 (2 seven))"]}),
        trees({**TREES, "dev": ["(2 (2 neutral))"]}),
    ],
    ids=["empty", "page", "truncated", "overwritten", "no dev", "no tree", "label 7", "only neutral"],
)
def test_a_file_that_is_not_the_archive(house, block):
    """Its checksum is right, since a mirror's owner may have listed the wrong file."""
    house.store(block)
    with refused("corpus tiny", str(house.file)):
        load()


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"<html>Not found</html>",
        reviews("w:gz")[: len(reviews("w:gz")) // 2],
        reviews("w:xz")[: len(reviews("w:xz")) // 2],
        overwritten(reviews("w:gz"), 50_000),
        overwritten(reviews("w:xz"), 50_000),
        reviews("w:gz", ["unsup/0_0"]),
        reviews("w:xz", ["train/neg/0_1", "train/pos/0_9"]),
    ],
    ids=["empty", "page", "half gz", "half xz", "overwritten gz", "overwritten xz", "unsup", "no test"],
)
def test_a_file_that_is_not_the_archive_of_reviews(house, block):
    house.register(reader="imdb")
    house.store(block)
    with refused("corpus tiny", str(house.file)):
        load()


def test_labels_outside_the_set(house):
    house.register(classes=["only"])
    with refused("corpus tiny, split train: label 1 is outside the set 0 to 0"):
        load()


def test_an_empty_text(house):
    house.store(trees({**TREES, "dev": [GOOD, BAD, "(3 (2 -LRB-) (3 !))"]}))
    with refused("corpus tiny: text dev-2 of split dev is empty", "Remove the row or fill it"):
        load()


def test_a_training_split_with_one_class(house):
    house.store(trees({**TREES, "train": [GOOD, GOOD]}))
    with refused("corpus tiny, split train: no text of class 0 (negative) among 2", "fewer classes"):
        load()


@pytest.mark.parametrize("split", ["dev", "test"])
def test_another_split_with_one_class(house, split):
    """It is read; what can't be measured on it says so itself."""
    house.store(trees({**TREES, split: [GOOD, GOOD]}))
    assert load().splits[split].labels.tolist() == [1, 1]


def test_a_split_that_can_choose_no_epoch(tmp_path, small):
    """Two texts of four classes, both of one."""
    run = small(tmp_path, made_dev=2, classes=4)
    with refused("split dev has texts of one class only", "give select_by: accuracy"):
        run.ensure("weights")
    assert written(run.folder) == set()


def test_a_filter_that_leaves_nothing(house, tmp_path, small):
    with refused("corpus tiny, split train: no text has more than 3 ", "Change longer_than or shorter_than"):
        load(longer_than=3)
    with refused("fewer than 2 tokens"):
        load(shorter_than=2)
    with refused("no text has more than"):
        small(tmp_path / "r", longer_than=500).ensure("weights")


def test_a_filter_that_drops_the_extremes_and_all(house):
    """All texts are of one length, so each is the shortest."""
    with refused("corpus tiny, split train: no text"):
        load(drop_extremes=True)


def test_a_vocabulary_without_words(house):
    with refused("no word occurs in 5 texts: lower min_df"):
        load(min_df=5)


def test_labels_by_hand():
    """A split of three classes in a task of two: the number is named."""
    split = Split(["a", "b", "c"], [["x"]] * 3, np.array([0, 1, 2]))
    with refused("split dev: label 2 is outside the set 0 to 1"):
        loading._filtered(Params(), "dev", split, 2)


def test_tokens_in_the_cache_are_damaged(house, cache):
    load()
    (file,) = (cache / "tokens").glob("*.parquet")
    block = file.read_bytes()
    file.write_bytes(block[: len(block) // 2])
    with refused(str(file), "Delete it"):
        load()
    file.unlink()
    load()
    assert file.read_bytes() == block


def test_a_cache_that_cannot_be(house, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEED_CACHE", str(tmp_path / "file"))
    with refused("HEED_CACHE", str(tmp_path / "file")):
        load()


def test_bad_corpora_leave_no_product(house, tmp_path):
    house.store(trees({**TREES, "train": [GOOD]}))
    run = Run.of(tmp_path / "results", corpus="tiny", set={"vectors": "random", "epochs": 1})
    with refused("split train"):
        run.ensure("summary")
    assert written(run.folder) == set()


# Downloads


ENTRY = {"url": "https://example.org/tiny.zip", "sha256": "ab" * 32, "mirror": "tiny.zip"}


@pytest.mark.parametrize(
    "error, parts",
    [
        (requests.ConnectionError("name or service not known"), ["can't be downloaded", "Check the network"]),
        (requests.HTTPError("404 Client Error"), ["can't be downloaded"]),
        (requests.exceptions.InvalidURL("no host"), ["can't be downloaded"]),
        (TimeoutError("timed out"), ["can't be downloaded (TimeoutError)"]),
        (ValueError("SHA256 hash of downloaded file does not match"), ["not the official file", "ab" * 32]),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Exception) else "",
)
def test_a_download_that_fails(error, parts, cache, monkeypatch):
    def retrieve(**given):
        raise error

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with refused("tiny", "https://example.org/tiny.zip", "HEED_MIRROR", *parts):
        fetch("tiny", ENTRY)


def test_a_download_of_the_wrong_file_is_not_kept(cache, tmp_path, monkeypatch):
    """pooch itself, with a server that sends something else."""

    def download(self, url, output_file, pooch, check_only=False):
        Path(output_file).write_bytes(b"<html>try later</html>")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", download)
    with refused("tiny", "is not the official file"):
        fetch("tiny", ENTRY)
    assert [p for p in cache.rglob("*") if p.is_file()] == []


def test_a_download_of_the_right_file_is_kept(cache, monkeypatch):
    calls = []

    def download(self, url, output_file, pooch, check_only=False):
        calls.append(url)
        Path(output_file).write_bytes(b"whole")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", download)
    entry = ENTRY | {"sha256": hashlib.sha256(b"whole").hexdigest()}
    for _ in range(2):
        path, checksum = fetch("tiny", entry)
        assert path.read_bytes() == b"whole" and checksum == entry["sha256"]
    assert calls == [ENTRY["url"]]


@pytest.mark.parametrize("known", [None, "md5"])
def test_a_download_without_a_known_checksum_is_pinned(cache, monkeypatch, known):
    """The first one counts from then on; a registered md5 counts from the start."""
    sent = [b"whole", b"another"]
    monkeypatch.setattr(
        pooch.HTTPDownloader,
        "__call__",
        lambda self, url, out, pooch, check_only=False: Path(out).write_bytes(sent[0]),
    )
    entry = {"url": ENTRY["url"], "mirror": "tiny.zip"}
    entry |= {"md5": hashlib.md5(b"whole").hexdigest()} if known else {}
    path, checksum = fetch("tiny", entry)
    assert checksum == hashlib.sha256(b"whole").hexdigest()
    path.write_bytes(b"tampered")
    sent.pop(0)
    with refused(
        "tiny", "is not the official file", *([] if known else ["the first download the wrong one? Delete"])
    ):
        fetch("tiny", entry)
    if not known:  # what the sentence says does help
        next(cache.rglob("*.sha256")).unlink()
        path.unlink()
        assert fetch("tiny", entry)[0].read_bytes() == b"another"


# A run's folder


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "3", '{"parameters": {}}', '{"parameters": [], "products": {}, "scores": {}}']
    + ['{"parameters": {}, "products": [], "scores": {}}']
    + ['{"parameters": {}, "products": {"weights": {}}, "scores": {}}'],
)
def test_a_run_json_that_is_damaged(copied, content):
    (copied.folder / "run.json").write_text(content)
    with refused("run.json is damaged", "Delete it"):
        copied.ensure("weights")


def test_a_folder_of_other_parameters(copied, small, tmp_path):
    path = copied.folder / "run.json"
    info = json.loads(path.read_text())
    info["parameters"]["epochs"] = 99
    path.write_text(json.dumps(info))
    with refused(str(copied.folder), "epochs = 99 there", "another results folder"):
        small(tmp_path)


def test_a_results_folder_that_is_a_file(tmp_path, small):
    (tmp_path / "file").write_text("mine")
    for results in (tmp_path / "file", tmp_path / "file" / "within"):
        with refused(str(results), "can't be written", "another results folder"):
            small(results).ensure("weights")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("product", sorted(small_run.products()))
@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b""]
)
def test_a_product_that_was_changed(copied, product, damage):
    """Its checksum differs from the one in run.json; deleted, it is made anew, byte for byte or nearly."""
    path = copied.folder / products.files()[product]
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with refused(str(path), "run.json", "Delete it"):
        copied.ensure(product)


def test_a_deleted_product_is_made_anew(copied):
    path = copied.folder / products.files()["correlation"]
    whole = path.read_bytes()
    path.unlink()
    assert copied.ensure("correlation").read_bytes() == whole


def test_truncated_weights(copied):
    path = copied.folder / products.files()["weights"]
    path.write_bytes(path.read_bytes()[:-7])
    record(copied, "weights")
    with refused(str(path), "damaged", "Delete it"):
        copied.model()


def test_truncated_tables(copied):
    for product in ("curve", "correlation", "loo"):
        path = copied.folder / products.files()[product]
        path.write_bytes(path.read_bytes()[:-7])
        record(copied, product)
        with refused(str(path), "damaged", "Delete it"):
            copied.table(product)


def test_truncated_evidence(copied):
    path = copied.folder / products.files()["evidence"]
    path.write_bytes(path.read_bytes()[:-7])
    record(copied, "evidence")
    with refused(str(path), "Delete it"):
        copied.evidence  # noqa: B018


@pytest.mark.parametrize(
    "change, parts",
    [
        (lambda t: t.assign(tau_loo=1.5), ["correlation", "tau_loo"]),
        (lambda t: t.drop(columns="length"), ["correlation", "length"]),
        (lambda t: t.assign(more=1), ["correlation", "more"]),
        (lambda t: t.assign(id="same"), ["correlation", "id"]),
    ],
)
def test_a_table_of_another_schema(copied, change, parts):
    path = copied.folder / products.files()["correlation"]
    change(pd.read_parquet(path)).to_parquet(path)
    record(copied, "correlation")
    with refused("table", *parts):
        copied.table("correlation")


def test_a_checkpoint_of_another_vocabulary(copied):
    path = copied.folder / products.files()["weights"]
    weights = load_file(path)
    save_file(weights, path, {"vocabulary": "another"})
    record(copied, "weights")
    with refused(str(path), "another vocabulary", "corpus planted", "Delete the run's folder"):
        copied.model()


def test_a_committed_checkpoint_of_another_vocabulary(finished, small, tmp_path, monkeypatch):
    """The project's own checkpoint, after the corpus has changed under it."""
    committed = tmp_path / "data" / "checkpoints" / finished.params.path
    committed.mkdir(parents=True)
    shutil.copy(paths.DATA / "registry.yaml", tmp_path / "data")
    weights = load_file(finished.ensure("weights"))
    save_file(weights, committed / products.files()["weights"], {"vocabulary": "another"})
    shutil.copy(finished.ensure("curve"), committed)
    monkeypatch.setattr(paths, "DATA", tmp_path / "data")
    with refused("another vocabulary"):
        small(tmp_path / "results").ensure("evidence")


def test_weights_of_another_shape(copied):
    """Say, by another version of the library that names or shapes its layers otherwise."""
    path = copied.folder / products.files()["weights"]
    save_file({"embedding.weight": torch.zeros(2, 2)}, path, {"vocabulary": copied.vocabulary_hash})
    record(copied, "weights")
    with refused(str(path), "Delete"):
        copied.model()


# What fails half-way


def test_a_maker_that_raises_leaves_the_earlier_products(small, tmp_path, monkeypatch):
    run, trained = small(tmp_path), []
    train = training.train
    monkeypatch.setattr(training, "train", lambda *a, **k: trained.append(1) or train(*a, **k))
    with monkeypatch.context() as broken:

        def fail(*given):
            raise RuntimeError("no")

        broken.setattr(correlation, "correlation", fail)
        with pytest.raises(RuntimeError, match="no"):
            run.ensure("summary")
    arrays = {name for name, own in rankings.compared().items() if own.needs_model}
    made = {"weights", "curve", "evidence", *arrays}
    assert written(run.folder) == {"run.json"} | {products.files()[p] for p in made}
    assert set(run.info()["products"]) == made
    kept = {p: (run.folder / products.files()[p]).read_bytes() for p in made}
    small(tmp_path).ensure("summary")
    assert trained == [1], "nothing is trained again"
    assert kept == {p: (run.folder / products.files()[p]).read_bytes() for p in made}


@contextlib.contextmanager
def disk_of(size: int):
    """No file can grow beyond so many bytes: what a full disk looks like to a writer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("product", ["weights", "evidence", "correlation"])
def test_a_full_disk(copied, product):
    path = copied.folder / products.files()[product]
    whole = path.read_bytes()
    path.unlink()
    with disk_of(1000), refused(str(path), "can't be written", "free space"):
        copied.ensure(product)
    assert not path.exists()
    assert_nothing_half_written(copied.folder)
    assert copied.ensure(product).read_bytes() == whole


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_an_interrupted_writer_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "table.parquet"
    target.write_text("old")
    with pytest.raises(error), paths.writing(target) as aside:
        aside.write_text("new, half of i")
        raise error
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]


def test_a_writer_into_a_file(tmp_path):
    """The folder to write to is a file: one sentence, not the error of cleaning up."""
    (tmp_path / "file").touch()
    with refused(str(tmp_path / "file" / "x"), "can't be written"):
        with paths.writing(tmp_path / "file" / "x") as aside:
            aside.write_text("x")


def test_training_that_diverges(small, tmp_path):
    """NaN is no score: no epoch can be chosen, and nothing is written."""
    run = small(tmp_path, encoder="cnn", learning_rate=1e300)
    with refused("training", "learning_rate"):
        run.ensure("weights")
    assert written(run.folder) == set()


def test_a_measure_cannot_be_registered_twice():
    with refused("'correlation' is registered already"):
        registry.register("correlation", {})


def test_truth_where_it_is_not_known(house, tmp_path):
    """`tiny` is downloaded: nobody planted its words."""
    run = Run.of(
        tmp_path / "results", corpus="tiny", encoder="average", set={"vectors": "random", "epochs": 1}
    )
    with refused("deciding tokens aren't known"):
        run.ensure("truth")
    assert products.files()["truth"] not in written(run.folder)
