"""Texts as tensors: encoded once, padded a batch at a time, cut by size or by a token budget."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from heed.corpora.loading import Split
from heed.corpora.tokens import END, PAD, START, Vocabulary


@dataclass(frozen=True)
class Batch:
    """B texts padded to T codes, markers included.

    codes (B, T) int64; lengths (B,) with both markers; labels (B,); query: another Batch (question or
    hypothesis) or None; allowed (B, C) booleans or None: the answers that may be given; vector (B, H): of a
    query that a model has read, what it made of it; sentences (B, T): the sentence of each token from 0, -1
    at markers and padding, or None; counts (B, T): how often the text has each code, or None: as often as
    it stands there; distinct (U,) and places (B, T): the batch's codes, and which of them stands where, or
    None: see `codes`.
    """

    ids: list[str]
    codes: Tensor
    lengths: Tensor
    labels: Tensor
    query: "Batch | None" = None
    allowed: Tensor | None = None
    vector: Tensor | None = None
    sentences: Tensor | None = None
    counts: Tensor | None = None
    distinct: Tensor | None = None
    places: Tensor | None = None

    @property
    def real(self) -> Tensor:
        """Which codes are tokens of the text: neither padding nor a marker, shape (B, T)."""
        return (self.codes != PAD) & (self.codes != START) & (self.codes != END)

    def to(self, device) -> "Batch":
        """The same batch on a device."""
        moved = {}
        for name, value in vars(self).items():
            if isinstance(value, Tensor | Batch):
                moved[name] = value.to(device)
        return replace(self, **moved)


@dataclass(frozen=True)
class Encoded:
    """A split's texts as codes between markers; `allowed` and `query` are there for tasks that have them."""

    ids: list[str]
    words: list[list[str]]
    codes: list[np.ndarray]
    labels: np.ndarray
    truth: list[np.ndarray] | None = None
    query: "Encoded | None" = None
    allowed: np.ndarray | None = None
    sentences: list[np.ndarray] | None = None
    counts: list[np.ndarray] | None = None

    @classmethod
    def of(cls, split: Split, vocabulary: Vocabulary, classes: int = 0) -> "Encoded":
        """Encode a split; `classes`, the number of answers, is needed where some aren't allowed."""
        codes = [vocabulary.encode(words) for words in split.words]
        query = None
        if split.queries is not None:
            query_codes = [vocabulary.encode(words) for words in split.queries]
            query = cls(split.ids, split.queries, query_codes, split.labels)
        allowed = None
        if split.allowed is not None:
            allowed = np.zeros((len(split), classes), dtype=bool)
            for row, answers in zip(allowed, split.allowed, strict=True):
                row[answers] = True
        return cls(split.ids, split.words, codes, split.labels, split.truth, query, allowed)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> np.ndarray:
        """Number of codes of each text, markers included."""
        if self.counts is not None:
            return np.array([counts.sum() for counts in self.counts])
        return np.array([len(codes) for codes in self.codes])

    def units(self, i: int) -> list[str]:
        """The words of a text, or its sentences where the model attends to those."""
        if self.sentences is None:
            return self.words[i]
        return [" ".join(words) for words in self._by_sentence(i, self.words[i])]

    def deciding(self, i: int) -> np.ndarray:
        """Which of the units decide the label: a sentence does if one of its words does."""
        if self.sentences is None:
            return self.truth[i]
        return np.array([any(of_words) for of_words in self._by_sentence(i, self.truth[i])])

    def _by_sentence(self, i: int, of_words) -> list[np.ndarray]:
        """What there is of each word of text i, cut at its sentences' ends."""
        starts = np.flatnonzero(np.diff(self.sentences[i])) + 1
        return np.split(np.array(of_words, object), starts)

    def batch(self, indices) -> Batch:
        """The texts of these indices as one padded batch."""
        query = allowed = sentences = counts = None
        if self.query is not None:
            query = self.query.batch(indices)
        if self.allowed is not None:
            allowed = torch.as_tensor(self.allowed[np.asarray(indices)])
        if self.sentences is not None:
            with_markers = [np.pad(self.sentences[i], 1, constant_values=-1) for i in indices]
            sentences = pad(with_markers, -1)
        if self.counts is not None:
            counts = pad([self.counts[i] for i in indices], 1)
        return Batch(
            ids=[self.ids[i] for i in indices],
            codes=pad([self.codes[i] for i in indices]),
            lengths=torch.tensor([len(self.codes[i]) for i in indices]),
            labels=torch.as_tensor(self.labels[np.asarray(indices)]).long(),
            query=query,
            allowed=allowed,
            sentences=sentences,
            counts=counts,
        )

    def bags(self) -> "Encoded":
        """Each text as its distinct codes and their counts: all that a token-wise encoder sees of it.

        Attention to a code is then what all its tokens get. Lengths, and so the batches, stay as they are.
        """
        distinct, counts = [], []
        for codes in self.codes:
            distinct_codes, their_counts = np.unique(codes, return_counts=True)
            distinct.append(distinct_codes)
            counts.append(their_counts)
        return replace(self, codes=distinct, counts=counts)

    def cut_to(self, words: list[int]) -> "Encoded":
        """So many words of each text; of texts alone, which nothing is asked."""
        truth = None if self.truth is None else [own[:n] for own, n in zip(self.truth, words, strict=True)]
        codes = [np.append(own[: n + 1], END) for own, n in zip(self.codes, words, strict=True)]
        kept = [own[:n] for own, n in zip(self.words, words, strict=True)]
        return replace(self, words=kept, codes=codes, truth=truth)

    def thinned(self, count: int) -> "Encoded":
        """Every k-th text, so that at most `count` remain: a split may be sorted by its labels."""
        every = max(-(-len(self) // count), 1)
        kept = {}
        for name, values in vars(self).items():
            if name == "query":
                kept[name] = None if values is None else values.thinned(count)
            elif values is not None:
                kept[name] = values[::every]
        return replace(self, **kept)

    def by_budget(self, tokens: int) -> list[Batch]:
        """All texts, sorted by length, in batches of at most `tokens` padded codes (or a single text)."""
        return [self.batch(indices) for indices in cut(self.lengths, tokens)]


def pad(codes: list[np.ndarray], fill: int = PAD) -> Tensor:
    """Arrays of codes as one tensor (B, T), padded at the end."""
    padded = np.full((len(codes), max(map(len, codes))), fill, dtype=np.int64)
    for row, array in zip(padded, codes, strict=True):
        row[: len(array)] = array
    return torch.from_numpy(padded)


def cut(lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Indices in groups of similar length whose longest times size stays within `tokens`."""
    groups, group = [], []
    for i in np.argsort(lengths, kind="stable"):
        if group and (len(group) + 1) * lengths[i] > tokens:
            groups.append(np.array(group))
            group = []
        group.append(i)
    if group:
        groups.append(np.array(group))
    return groups


def within(indices: np.ndarray, lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """A batch as it is if it stays within `tokens` padded codes; else cut into parts that do."""
    if len(indices) * lengths[indices].max() <= tokens:
        return [indices]
    return [indices[group] for group in cut(lengths[indices], tokens)]


def bucketed(lengths: np.ndarray, size: int, rng: np.random.Generator, noise=0.1) -> list[np.ndarray]:
    """One epoch's batches: sorted by length with noise (a share of it), cut by `size`, in random order."""
    order = np.argsort(lengths * rng.uniform(1 - noise, 1 + noise, len(lengths)), kind="stable")
    groups = [order[i : i + size] for i in range(0, len(order), size)]
    return [groups[i] for i in rng.permutation(len(groups))]
