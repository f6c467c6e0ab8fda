"""The whole way of a licensed corpus: from the folder to a corpus or a grid, each fault as one sentence."""

import hashlib

import numpy as np
import pytest

from heed.corpora import loading
from heed.errors import HeedError
from heed.params import resolve
from heed.runs.grid import absent
from mimic_tables import SUMMARY, mimic


# The whole way of a licensed corpus: from the folder to a corpus, and each fault as one sentence.
@pytest.fixture
def licensed(tmp_path, cache, monkeypatch):
    folder = tmp_path / "licensed"
    (folder / "adr").mkdir(parents=True)
    monkeypatch.setenv("HEED_LICENSED", str(folder))
    return folder / "adr" / "adr_dataset.csv"


def tweets(count: int = 200) -> str:
    lines = ["text,label,exp_split"]
    for n in range(count):
        label, split = int(n % 3 == 0), "test" if n % 4 == 0 else "train"
        lines.append(f"a drug did it to me {'badly' if label else 'well'} today,{label},{split}")
    return "\n".join(lines) + "\n"


def test_a_licensed_corpus_is_read_from_the_reader_s_folder(licensed):
    licensed.write_text(tweets())
    corpus = loading.load(resolve({"corpus": "adr"}))
    assert corpus.classes == ("no reaction", "adverse reaction")
    assert [len(corpus.splits[s]) for s in ("train", "dev", "test")] == [127, 23, 50]
    assert np.array_equal(np.unique(corpus.splits["test"].labels), [0, 1])


def test_mimic_is_read_from_the_reader_s_folder(licensed):
    """From the official tables to a corpus: the filters, the rare words, and nothing left half-written."""
    folder = licensed.parents[1] / "mimic"
    folder.mkdir()
    rare = [f"once{n}" for n in range(60)]
    texts = [
        f"The patient {'ate sugar' if n % 2 else 'is pale today'} again and went home {rare[n]}"
        for n in range(60)
    ]
    texts[50], texts[51] = "word " * 4100, "Too short"
    codes = [(n, "25000" if n % 2 else "4019") for n in range(60)]
    lists = {"train": range(30), "dev": range(30, 40), "test": range(40, 60)}
    mimic(folder, [(n, *SUMMARY, text) for n, text in enumerate(texts)], codes, **lists)
    corpus = loading.load(resolve({"corpus": "diabetes"}))
    assert [len(corpus.splits[s]) for s in ("train", "dev", "test")] == [30, 10, 18]  # too long, too short
    assert {"sugar", "pale"} <= {*corpus.vocabulary.words} and not {*rare} & {*corpus.vocabulary.words}
    assert corpus.splits["test"].labels.tolist() == [n % 2 for n in range(40, 60) if n not in (50, 51)]
    with (folder / "DIAGNOSES_ICD.csv").open("a") as file:
        file.write("99,1,1")
    with pytest.raises(HeedError, match="DIAGNOSES_ICD.csv is empty or cut short") as caught:
        loading.load(resolve({"corpus": "diabetes"}))
    assert "delete" not in str(caught.value), "a licensed file is the reader's own"
    assert "PosixPath" not in str(caught.value)
    assert not list(licensed.parents[2].glob("cache/**/*.partial"))


@pytest.mark.parametrize("corpus", ["adr", "diabetes", "anemia"])
def test_a_licensed_corpus_that_is_missing_says_where_to_ask(corpus, cache, monkeypatch):
    monkeypatch.delenv("HEED_LICENSED", raising=False)
    with pytest.raises(
        HeedError, match=rf"{corpus}: heed can't pass this corpus on. Put .* ask for it at http"
    ):
        loading.load(resolve({"corpus": corpus}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not the file that was expected"),
        (b"text,label,exp_split\n\xff\xfe,0,train\n", "not the file that was expected"),
        (b"text,label,exp_split\n", "holds no train texts|not the file"),
        (tweets(20).encode().replace(b"today,1,test", b"today,7,test"), "label 0 or 1"),
        (tweets(20).encode().replace(b",1,", b",0,"), "no text of class 1"),
    ],
)
def test_a_broken_licensed_file_is_one_sentence(licensed, content, message):
    licensed.write_bytes(content)
    with pytest.raises(HeedError, match=message) as caught:
        loading.load(resolve({"corpus": "adr"}))
    assert "\n" not in str(caught.value)
    assert not list(licensed.parents[2].glob("cache/**/*.partial"))


def grid_of(*names: str) -> list:
    return [resolve({"corpus": name, "seed": seed}) for name in names for seed in (0, 1)]


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A mirror that has SST's file (of any content), and no other corpus."""
    (tmp_path / "mirror" / "sst").mkdir(parents=True)
    (tmp_path / "mirror" / "sst" / "trainDevTestTrees_PTB.zip").write_bytes(b"x")
    line = f"sst/trainDevTestTrees_PTB.zip\t1\t{hashlib.sha256(b'x').hexdigest()}\n"
    (tmp_path / "mirror" / "MANIFEST.tsv").write_text(line)
    monkeypatch.setenv("HEED_MIRROR", str(tmp_path / "mirror"))


def test_a_grid_goes_on_without_an_open_corpus_that_is_not_there(licensed, part):
    """The mirror has no AG News: a sentence, and no run; but what is left out all the same isn't."""
    runs = grid_of("sst", "agnews", "planted")
    assert list(absent(runs)) == ["agnews"] and "has no ag_news/" in absent(runs)["agnews"]
    assert not absent(runs, [run.path for run in runs if run.corpus == "agnews"])
    with pytest.raises(HeedError, match="has no ag_news/"):
        absent(grid_of("agnews"))


def test_a_grid_leaves_out_what_is_not_to_be_had(licensed, part):
    """With a sentence each; a grid of nothing else is refused."""
    found = absent(grid_of("sst", "adr", "anemia"))
    assert list(found) == ["adr", "anemia"] and all("ask for it at http" in said for said in found.values())
    licensed.write_text(tweets())
    assert list(absent(grid_of("sst", "adr", "anemia"))) == ["anemia"]
    with pytest.raises(HeedError, match="anemia: heed can't pass this corpus on"):
        absent(grid_of("anemia"))
