"""Real corpora, against what the papers publish about them. They need HEED_MIRROR."""

import numpy as np
import pandas as pd
import pytest

from heed import paths
from heed.corpora import loading, vectors
from heed.params import resolve

pytestmark = pytest.mark.mirror


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of this module's own: SST is read from its archive, not from an earlier reading."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEED_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def published(corpus: str) -> pd.Series:
    """The corpus's row of the paper's Table 1."""
    return pd.read_csv(paths.DATA / "published" / "table1.csv", index_col="corpus").loc[corpus]


def counts(split: loading.Split) -> list[int]:
    """Texts of class 0 and of class 1."""
    return [int((split.labels == label).sum()) for label in (0, 1)]


def test_sst_is_the_papers(cache):
    """Profile paper2019: class counts, vocabulary and mean length of Table 1, to the last one."""
    table = published("sst")
    corpus = loading.load(resolve({"corpus": "sst", "profile": "paper2019"}))
    assert counts(corpus.splits["train"]) == [table["train_0"], table["train_1"]] == [3034, 3321]
    assert counts(corpus.splits["test"]) == [table["test_0"], table["test_1"]] == [863, 862]
    assert len(corpus.vocabulary) == table["vocabulary"] == 16175
    lengths = [len(words) for words in corpus.splits["train"].words]
    assert round(sum(lengths) / len(lengths)) == table["mean_length"]


def test_sst_is_the_sites(cache):
    """The published code's vocabulary counts the training split alone."""
    assert len(loading.load(resolve({"corpus": "sst", "profile": "site"})).vocabulary) == 13826


def test_sst_before_the_length_filter(cache):
    splits = loading.read("sst", resolve({"corpus": "sst"}))
    assert {name: len(split) for name, split in splits.items()} == {"train": 6920, "dev": 872, "test": 1821}
    assert all(len(set(split.ids)) == len(split) for split in splits.values())
    assert all(split.truth is None for split in splits.values())


def test_sst_of_the_paper_profile(cache):
    """A clean protocol: more than 5 tokens, and no other text dropped."""
    corpus = loading.load(resolve({"corpus": "sst"}))
    whole = loading.read("sst", resolve({"corpus": "sst"}))
    for name, split in corpus.splits.items():
        assert len(split) == sum(len(words) > 5 for words in whole[name].words)
        assert min(map(len, split.words)) == 6


def test_sst_is_read_once(cache, monkeypatch):
    """The second reading is the cache's: the archive's reader is not called."""
    p = resolve({"corpus": "sst"})
    first = loading.read("sst", p)

    def tokenize(*given):
        raise AssertionError("read again")

    monkeypatch.setattr(loading, "tokenize", tokenize)
    again = loading.read("sst", p)
    assert again["dev"].words == first["dev"].words


def test_imdb_before_the_length_filter():
    """Training 80/20 into train and dev; a fifth of the test half. The usual cache: 25 s to make."""
    splits = loading.read("imdb", resolve({"corpus": "imdb"}))
    assert {name: len(split) for name, split in splits.items()} == {
        "train": 20000,
        "dev": 5000,
        "test": 5000,
    }
    ids = [name for split in splits.values() for name in split.ids]
    assert len(set(ids)) == len(ids)
    train = [a + b for a, b in zip(counts(splits["train"]), counts(splits["dev"]), strict=True)]
    assert train == [published("imdb")["train_0"], published("imdb")["train_1"]] == [12500, 12500]
    assert not any("<br" in word for word in splits["dev"].words[0])


# Counts of the corpora that the mirror holds; a partial one is said to be partial.
@pytest.mark.mirror
def test_counts_of_the_mirror():
    counts = {}
    for name in ("20news", "ade", "agnews"):
        corpus = loading.load(resolve({"corpus": name}))
        counts[name] = {s: tuple(np.bincount(part.labels)) for s, part in corpus.splits.items()}
    assert counts["agnews"]["test"] == (1900, 1900) and loading.partial("agnews")
    assert counts["20news"] == {"train": (568, 577), "dev": (140, 138), "test": (179, 178)}
    assert counts["ade"]["train"] == (11450, 2969) and not loading.partial("ade")


@pytest.mark.parametrize("profile", ["site", "paper", "serrano", "snell"])
def test_20news_is_the_sites(profile):
    """As scikit-learn reads and orders it: the site's test texts, and its vocabulary but for two words."""
    corpus = loading.load(resolve({"corpus": "20news", "profile": profile}))
    whole = loading.read("20news", resolve({"corpus": "20news", "profile": profile}))
    assert sum(map(len, whole.values())) < 1993, "texts that are empty when stripped are left out first"
    if profile in ("site", "paper"):
        assert counts(corpus.splits["test"]) == [179, 178]
        assert len(corpus.vocabulary) == 6517


def test_20news_is_the_papers():
    """Profile paper2019: Table 1's class counts (its 151 is a misprint of 171), one word more."""
    table = published("20news")
    corpus = loading.load(resolve({"corpus": "20news", "profile": "paper2019"}))
    assert [*corpus.splits] == ["train", "test"]
    assert counts(corpus.splits["train"]) == [table["train_0"], table["train_1"]] == [716, 710]
    assert counts(corpus.splits["test"]) == [171, 183] and table["test_1"] == 183
    assert len(corpus.vocabulary) == 8854 == table["vocabulary"] + 1
    lengths = [len(words) for words in corpus.splits["train"].words]
    assert sum(lengths) / len(lengths) == pytest.approx(115.6, abs=0.01)


@pytest.mark.parametrize(("corpus", "share"), [("sst", 0.059), ("20news", 0.061)], ids=["sst", "20news"])
def test_spacys_vectors_of_the_mirror(corpus, share):
    """Their median length at the test tokens is 6.17; so many tokens have none."""
    p = resolve({"corpus": corpus, "profile": "site", "vectors": "en_core_web_md"})
    own = loading.load(p)
    found = vectors.lengths(p, own.vocabulary, own.splits["test"].words)
    assert found["norm"] == pytest.approx(6.167, abs=1e-3) and found["without"] == pytest.approx(
        share, abs=1e-3
    )


def test_movies_are_erasers():
    """1,600, 200, 199 reviews; people marked .0935 of training's tokens, of the test's three times that."""
    splits = loading.read("movies", resolve({"corpus": "movies"}))
    assert {name: counts(split) for name, split in splits.items()} == {
        "train": [800, 800],
        "dev": [100, 100],
        "test": [100, 99],
    }
    shares, empty = {}, {}
    for name, split in splits.items():
        marked = [own.tokens(len(words)).mean() for own, words in zip(split.marks, split.words, strict=True)]
        shares[name], empty[name] = np.mean(marked), sum(own.empty for own in split.marks)
        assert sum(own.cut for own in split.marks) == 0, "spaCy cuts within ERASER's tokens alone"
    assert shares["train"] == pytest.approx(0.0935, abs=1e-3)
    assert shares["dev"] == pytest.approx(0.0722, abs=1e-3)
    assert shares["test"] == pytest.approx(0.3140, abs=1e-3)
    assert empty == {"train": 0, "dev": 0, "test": 20}
