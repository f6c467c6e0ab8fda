"""From a text to the codes that a model reads: tokens, vocabulary, markers."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heed.errors import HeedError

PAD, UNKNOWN, START, END = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
ENTITY = re.compile(r"@entity\d+")
_DIGIT = re.compile(r"(?!@entity\d+$).*\d")
_RUN = re.compile(r"(\W)+")


def tokenize(texts: Iterable[str], digits: str = "qqq", apart: bool = False) -> Iterator[list[str]]:
    """Lower-cased tokens of each text by spaCy's English tokenizer; one with a digit becomes `qqq`.

    Only @entityN, CNN's mark of an entity, stays.
    digits="keep" leaves all as they are: the published vocabulary sizes of SST come out only so.
    apart: of a run of other characters than letters, digits and _, the spaces between tokens among them, the
    last alone stays, as a token of its own unless it is a space (20 Newsgroups): what stands alone goes.
    White space is no token. Source: Jain & Wallace (2019), appendix, and its code.
    """
    import spacy  # takes seconds, and a tokenised corpus is read from the cache

    for document in spacy.blank("en").tokenizer.pipe(texts):
        words = []
        for token in document:
            if token.is_space:
                continue
            word = token.text.lower()
            if digits == "qqq" and _DIGIT.match(word):
                word = "qqq"
            words.append(sys.intern(word))
        if apart:
            words = _RUN.sub(r" \1 ", " ".join(words)).split()
        yield words


def sentences(texts: Iterable[list[str]]) -> Iterator[np.ndarray]:
    """The sentence of each word, from 0, by spaCy's rule: after . ! ? and what closes it a new one begins."""
    import spacy

    language = spacy.blank("en")
    rule = language.add_pipe("sentencizer")
    for words in texts:
        document = rule(spacy.tokens.Doc(language.vocab, words))
        yield np.cumsum([bool(token.is_sent_start) for token in document]) - 1


@dataclass(frozen=True)
class Vocabulary:
    """Words by code: first the four special ones, then the others in alphabetical order."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[list[str]], min_df: int = 1, always: Iterable[str] = ()) -> "Vocabulary":
        """The words that occur in at least `min_df` of the texts, and those that it has always."""
        counts = Counter(word for words in texts for word in set(words))
        common = {word for word, count in counts.items() if count >= min_df}
        kept = sorted({*common, *always} - {*SPECIAL})
        if not kept:
            raise HeedError(f"no word occurs in {min_df} texts: lower min_df, or give more texts.")
        return cls(SPECIAL + tuple(kept))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def code(self) -> dict[str, int]:
        """Word to code. A text can't spell a special code: those words are unknown."""
        return {word: i for i, word in enumerate(self.words) if i >= len(SPECIAL)}

    def encode(self, words: list[str]) -> np.ndarray:
        """Codes of a text between its two markers, shape (T + 2,), int64."""
        codes = self.code
        return np.array([START, *(codes.get(word, UNKNOWN) for word in words), END], dtype=np.int64)
