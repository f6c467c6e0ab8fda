"""What may be odd about the texts of a corpus: counted, so that a chapter can say it before any result."""

from collections.abc import Iterable

import numpy as np

from heed.corpora.loading import Corpus, Split


def unknown(corpus: Corpus) -> float:
    """The share of the test split's tokens that the vocabulary hasn't."""
    known = corpus.vocabulary.code
    found = [word in known for words in corpus.splits["test"].words for word in words]
    return 1 - float(np.mean(found))


def one_token(split: Split) -> int:
    """How many texts have one token: all attention is on it, whatever the model is."""
    return sum(len(words) == 1 for words in split.words)


def numbers_alone(split: Split) -> int:
    """How many texts are nothing but `qqq`, which stands for every token with a digit."""
    return sum(set(words) == {"qqq"} for words in split.words)


def repeated(corpus: Corpus) -> int:
    """How many test texts stand in train word for word, with their question if they have one."""
    seen = {*_whole(corpus.splits["train"])}
    return sum(text in seen for text in _whole(corpus.splits["test"]))


def _whole(split: Split) -> Iterable[tuple]:
    """Each text with its query, to be compared."""
    queries = split.queries or [()] * len(split)
    return ((tuple(words), tuple(query)) for words, query in zip(split.words, queries, strict=True))


def rarest(corpus: Corpus) -> tuple[int, float]:
    """The class that has the fewest training texts, and its share of them."""
    counts = np.bincount(corpus.splits["train"].labels, minlength=len(corpus.classes))
    rare = int(counts.argmin())
    return rare, counts[rare] / counts.sum()


def absent(corpus: Corpus) -> dict[str, list[int]]:
    """The classes that dev or test lack, by split; a task with answers needn't have them all."""
    if corpus.task == "qa":
        return {}
    found = {}
    for name, split in corpus.splits.items():
        missing = [c for c in range(len(corpus.classes)) if c not in split.labels]
        if missing:
            found[name] = missing
    return found
