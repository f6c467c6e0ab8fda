"""Texts as a transformer's tokenizer cuts them: pieces, and the words that they are of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heed import arrays
from heed.models.pretrained import Pretrained


@dataclass(frozen=True, eq=False)
class Pieces:
    """One text. codes (T,); word (T,): the number of the word that each piece is of, -1 at marks.

    words: as they stand in the text; a word is what the tokenizer takes for one. is_cut: there is more of
    the text than the model reads.
    """

    codes: list[int]
    word: np.ndarray
    words: list[str]
    is_cut: bool

    def without(self, word: int) -> list[int]:
        """The codes of the text without a word: its pieces are gone, and nothing stands in their place."""
        return [code for code, own in zip(self.codes, self.word, strict=True) if own != word]

    def with_others(self, word: int, most: int) -> list[list[int]]:
        """The codes of the text with other words of it in a word's place, one at a time, each word once.

        most: so many others at most, spread over the text.
        """
        codes = np.array(self.codes)
        different = dict.fromkeys(tuple(codes[self.word == n].tolist()) for n in range(len(self.words)))
        own = tuple(codes[self.word == word].tolist())
        others = [other for other in different if other != own]
        chosen = np.linspace(0, len(others) - 1, min(most, len(others))).round().astype(int)
        first = int(np.argmax(self.word == word))
        before, after = codes[:first], codes[first:][self.word[first:] != word]
        return [[*before.tolist(), *others[k], *after.tolist()] for k in chosen]


def pieces(source: Pretrained, texts: Sequence[str]) -> list[Pieces]:
    """Each text as its classifier reads it, the end cut off where it is too long."""
    texts = arrays.words(texts, "texts")
    if not texts:
        return []
    read = source.tokenizer(texts, truncation=True, max_length=source.longest, return_offsets_mapping=True)
    found = []
    for i, (text, codes) in enumerate(zip(texts, read["input_ids"], strict=True)):
        told = read.word_ids(i)
        numbers = {own: n for n, own in enumerate(dict.fromkeys(own for own in told if own is not None))}
        word = np.array([-1 if own is None else numbers[own] for own in told])
        spans = np.array(read["offset_mapping"][i]).reshape(-1, 2)
        words = []
        for n in range(len(numbers)):
            own = spans[word == n]
            words.append(text[own[:, 0].min() : own[:, 1].max()].strip())
        found.append(Pieces(list(codes), word, words, bool(read.encodings[i].overflowing)))
    return found
