"""Sentences and their translations: Multi30k's files, a made language of two word orders, and word pieces.

Source: Elliott et al. (2016), Multi30K; joint pieces as in Snell et al. (2021). Chapter 09.
"""

import gzip
import io
from collections.abc import Iterable
from itertools import compress
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from heed import paths
from heed.corpora.download import fetch
from heed.corpora.loading import SPLITS
from heed.errors import HeedError, why
from heed.params import Translating
from heed.registry import corpora

PAD, START, END, UNKNOWN = range(4)  # as the authors number them
LANGUAGES = "de", "en"
LINE = 10_000  # characters of a sentence
FILE = 2**26  # bytes that a file may unpack to; the largest of Multi30k has 2 MB
Pairs, Coded = list[tuple[str, str]], list[tuple[Tensor, Tensor]]

# A made language: one English word for each German one; the German verb stands last.
WORDS = {
    "article": {"der": "the", "ein": "a", "dieser": "this", "jeder": "every"},
    "adjective": {"kleine": "small", "große": "big", "rote": "red", "alte": "old", "müde": "tired"},
    "noun": {"hund": "dog", "mann": "man", "ball": "ball", "baum": "tree", "fisch": "fish", "stein": "stone"},
    "verb": {"sieht": "sees", "sucht": "seeks", "trägt": "carries", "malt": "paints", "findet": "finds"},
}
GERMAN = ("article", "adjective", "noun", "article", "adjective", "noun", "verb")
ENGLISH = (0, 1, 2, 6, 3, 4, 5)  # where the German word of each English place stands


def made(count: int, rng: np.random.Generator) -> Pairs:
    """Sentences of the made language; half of the adjectives are left out, so that places vary."""
    found = []
    for _ in range(count):
        german = [str(rng.choice(list(WORDS[kind]))) for kind in GERMAN]
        said = [kind != "adjective" or rng.random() < 0.5 for kind in GERMAN]
        english = (WORDS[GERMAN[k]][german[k]] for k in ENGLISH if said[k])
        found.append((" ".join(compress(german, said)), " ".join(english)))
    return found


def read(p: Translating) -> dict[str, Pairs]:
    """The pairs of each split. Raises HeedError for files that don't fit together."""
    entry = corpora()[p.corpus]
    if "files" not in entry:
        sizes = zip(SPLITS, (p.made_train, p.made_test, p.made_test), strict=True)
        return {split: made(count, np.random.default_rng([11, k])) for k, (split, count) in enumerate(sizes)}
    found = {}
    for split in SPLITS:
        files = [fetch(p.corpus, entry["files"][f"{split}.{language}"])[0] for language in LANGUAGES]
        found[split] = beside(*files)
    return found


def beside(source: Path, target: Path) -> Pairs:
    """Two files, a sentence a line. Raises HeedError on unequal counts, an empty or an over-long line."""
    sides = [_lines(path) for path in (source, target)]
    counts = [len(lines) for lines in sides]
    if counts[0] != counts[1]:
        raise HeedError(
            f"{source} has {counts[0]} lines, {target} has {counts[1]}: line by line they must be "
            "translations of each other. Give two files of one length."
        )
    for path, lines in zip((source, target), sides, strict=True):
        for number, line in enumerate(lines, 1):
            if not line.strip():
                raise HeedError(
                    f"{path}, line {number} is empty. Remove it, and the other file's, or fill it."
                )
            if len(line) > LINE:
                raise HeedError(
                    f"{path}, line {number} has {len(line)} characters, {LINE} at most are read. Cut it up."
                )
    return list(zip(*sides, strict=True))


def _lines(path: Path) -> list[str]:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            text = file.read(paths.may_unpack(path, FILE) + 1)
        if len(text) > paths.may_unpack(path, FILE):
            raise ValueError("it unpacks to more than it may")
        return text.decode("utf-8").removesuffix("\n").split("\n")
    except (OSError, EOFError, ValueError) as error:
        raise HeedError(f"{path} can't be read as lines of text: {why(error)}. Restore it.") from error


class Pieces:
    """Joint word pieces of both languages, as SentencePiece learns them; numbered from PAD on."""

    def __init__(self, model: bytes):
        from sentencepiece import SentencePieceProcessor  # only translation needs it

        self.model, self.processor = model, SentencePieceProcessor(model_proto=model)

    @classmethod
    def learn(cls, sentences: Iterable[str], count: int, how: str = "unigram") -> "Pieces":
        """At most `count` pieces from these sentences, always the same; how: SentencePiece's model_type."""
        from sentencepiece import SentencePieceTrainer

        written = io.BytesIO()
        marks = {"pad_id": PAD, "bos_id": START, "eos_id": END, "unk_id": UNKNOWN}
        options = {"vocab_size": count, "hard_vocab_limit": False, "num_threads": 1, "minloglevel": 2}
        try:
            SentencePieceTrainer.train(
                sentence_iterator=iter(sentences), model_writer=written, model_type=how, **marks, **options
            )
        except RuntimeError as error:
            raise HeedError(
                f"pieces = {count}: {why(error)}. Give more pieces, or more sentences."
            ) from error
        return cls(written.getvalue())

    def __len__(self) -> int:
        return len(self.processor)

    def codes(self, sentence: str, longest: int) -> list[int]:
        """A sentence's codes between both marks. Raises HeedError if it has too many."""
        found = [START, *self.processor.encode(sentence), END]
        if len(found) > longest:
            raise HeedError(
                f"a sentence has {len(found)} pieces, {longest} at most are taken: {sentence[:40]!r} … "
                "Cut it up, or give a larger `longest`."
            )
        return found

    def text(self, codes: list[int]) -> str:
        """Codes as a sentence; marks are left out."""
        return self.processor.decode([code for code in codes if code > UNKNOWN])

    def words(self, codes: list[int]) -> list[str]:
        """Each code's piece, with ▁ where a word begins."""
        return [self.processor.id_to_piece(code) for code in codes]


def coded(pairs: Pairs, pieces: Pieces, longest: int) -> Coded:
    """Codes of both sentences of each pair, with their marks."""
    return [tuple(torch.tensor(pieces.codes(side, longest)) for side in pair) for pair in pairs]


def padded(pairs: Coded) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A batch: sources (B, S) and their lengths, what the decoder is told, and what it is to write (B, L)."""
    source, target = ([pair[k] for pair in pairs] for k in (0, 1))
    sides = source, [t[:-1] for t in target], [t[1:] for t in target]
    codes = [pad_sequence(side, batch_first=True, padding_value=PAD) for side in sides]
    return codes[0], torch.tensor([len(s) for s in source]), codes[1], codes[2]
