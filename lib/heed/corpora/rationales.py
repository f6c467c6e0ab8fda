"""Texts in which people marked the words that speak for the label: the reader, and marks as heed's tokens.

Source: ERASER (DeYoung et al. 2020), the movie reviews of Zaidan & Eisner (2008). In the training and the
dev texts the annotators marked some passages that suffice, in the test texts all that they found.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heed.corpora.archives import files_of, naming
from heed.corpora.tokens import cutter

SPLITS = {"train": "train", "val": "dev", "test": "test"}  # how the files are called, and heed's word for it
CLASSES = ("NEG", "POS")
_TOKEN = re.compile(r"[^ \n]*\S[^ \n]*")  # ERASER's: parted by blanks and line ends alone


@dataclass(frozen=True)
class Marks:
    """What people marked in a text of T tokens.

    spans (S, 2): the first token of each mark and the one after its last; they may overlap. empty: marks that
    hold no token. cut: marks that begin or end within a token, all of which then counts as marked.
    """

    spans: np.ndarray
    empty: int = 0
    cut: int = 0

    @classmethod
    def of(cls, cell: dict) -> "Marks":
        """As a row of a tokenised corpus holds them."""
        return cls(
            np.array([*map(list, cell["spans"])], dtype=int).reshape(-1, 2), cell["empty"], cell["cut"]
        )

    @property
    def cell(self) -> dict:
        """What such a row holds."""
        return {"spans": self.spans.tolist(), "empty": self.empty, "cut": self.cut}

    def tokens(self, length: int) -> np.ndarray:
        """Which of the text's first tokens are marked, booleans (length,)."""
        marked = np.zeros(length, dtype=bool)
        for start, end in self.spans:
            marked[start:end] = True
        return marked


def in_tokens(texts: Iterable[str], marks: Iterable, tokenizer: str) -> Iterator[Marks]:
    """Marks, pairs of a text's characters, as the tokens into which `tokenize` cuts it (not `apart`).

    A token is marked if one of its characters is: ERASER cuts otherwise than heed.
    """
    texts = list(texts)
    for text, cut, spans in zip(texts, cutter(tokenizer)(texts), marks, strict=True):
        yield _aligned(_places(text, cut), spans)


def _places(text: str, cut: list[str]) -> np.ndarray:
    """First character of each token that isn't white space, and the one after its last, shape (T, 2)."""
    found, at = [], 0
    for word in cut:
        at = text.index(word, at)
        if not word.isspace():
            found.append((at, at + len(word)))
        at += len(word)
    return np.array(found, dtype=int).reshape(-1, 2)


def _aligned(places: np.ndarray, spans: list[tuple[int, int]]) -> Marks:
    """Spans of characters, end exclusive, as tokens that stand at these places (T, 2)."""
    found, empty, cut = [], 0, 0
    for start, end in spans:
        first = int(np.searchsorted(places[:, 1], start, side="right"))
        after = int(np.searchsorted(places[:, 0], end, side="left"))
        if after <= first:
            empty += 1
            continue
        found.append((first, after))
        cut += bool(places[first, 0] < start or places[after - 1, 1] > end)
    return Marks(np.array(found, dtype=int).reshape(-1, 2), empty, cut)


def read_movies(path: Path) -> Iterator[tuple[str, str, str, int, list]]:
    """Reviews (NEG 0, POS 1) with the passages that people marked, as pairs of characters.

    The file says where a mark begins and ends by the document's tokens, counted over all its lines, end
    exclusive; there are marks of no token, which mark nothing.
    """
    lists, documents = {}, {}
    for match, file in files_of(path, r"movies/(?:(train|val|test)\.jsonl|docs/([^/]+))"):
        with naming(match[0]):
            text = file.read().decode("utf-8")
        if match[1]:
            lists[match[1]] = text
        else:
            documents[match[2]] = text
    if lists.keys() != SPLITS.keys() or not documents:
        raise ValueError("no movies/{train,val,test}.jsonl and movies/docs/ID in it")
    seen = set()
    for name, split in SPLITS.items():
        for number, line in enumerate(lists[name].split("\n"), 1):
            if not line.strip():
                continue
            try:
                review = json.loads(line)
                title, label, marks = _review(review, documents)
                if title in seen:
                    raise ValueError(f"annotation_id {title!r} stands there a second time")
            except ValueError as error:
                raise ValueError(f"movies/{name}.jsonl, line {number}: {error}") from error
            seen.add(title)
            yield split, title, documents[title], label, marks


def _review(review: Any, documents: dict[str, str]) -> tuple[str, int, list[tuple[int, int]]]:
    """The id, the label and the marks (characters) of what a line says. Raises ValueError."""
    if not isinstance(review, dict):
        raise ValueError("no object")
    title, said, groups = (review.get(key) for key in ("annotation_id", "classification", "evidences"))
    if not isinstance(title, str) or title not in documents:
        raise ValueError(f"annotation_id {title!r} has no file in movies/docs")
    if said not in CLASSES:
        raise ValueError(f"classification {said!r}, expected NEG or POS")
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise ValueError("no evidences, a list of lists")
    tokens = [match.span() for match in _TOKEN.finditer(documents[title])]
    marks = [_mark(mark, title, tokens) for group in groups for mark in group]
    return title, CLASSES.index(said), marks


def _mark(mark: Any, title: str, tokens: list[tuple[int, int]]) -> tuple[int, int]:
    """A mark as the characters from its first token's to its last's. Raises ValueError."""
    if not isinstance(mark, dict):
        raise ValueError("an evidence that is no object")
    start, end = mark.get("start_token"), mark.get("end_token")
    if mark.get("docid") != title:
        raise ValueError(f"an evidence of docid {mark.get('docid')!r}, expected {title!r}")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(tokens):
        raise ValueError(
            f"an evidence from token {start!r} to {end!r}, expected numbers in order from 0 to {len(tokens)}"
        )
    if start == end:
        at = tokens[start][0] if start < len(tokens) else tokens[-1][1] if tokens else 0
        return at, at
    return tokens[start][0], tokens[end - 1][1]
