"""Sentences and their translations: Multi30k's files, a made language of two word orders, and word pieces.

Source: Elliott et al. (2016), Multi30K; joint pieces as in Snell et al. (2021). Chapter 09b.
"""

import gzip
import io
from collections.abc import Iterable
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
    found, drawn = [], [[*WORDS[kind]] for kind in GERMAN]
    for _ in range(count):
        german = [words[rng.integers(len(words))] for words in drawn]
        is_said = [kind != "adjective" or rng.random() < 0.5 for kind in GERMAN]
        source = [word for word, said in zip(german, is_said, strict=True) if said]
        target = [WORDS[GERMAN[place]][german[place]] for place in ENGLISH if is_said[place]]
        found.append((" ".join(source), " ".join(target)))
    return found


def read(p: Translating) -> dict[str, Pairs]:
    """The pairs of each split. Raises HeedError for files that don't fit together."""
    entry = corpora()[p.corpus]
    found = {}
    if "files" not in entry:
        sizes = (p.made_train, p.made_test, p.made_test)
        for k, (split, size) in enumerate(zip(SPLITS, sizes, strict=True)):
            found[split] = made(size, np.random.default_rng([11, k]))
        return found
    for split in SPLITS:
        files = [fetch(p.corpus, entry["files"][f"{split}.{language}"])[0] for language in LANGUAGES]
        found[split] = beside(*files)
    return found


def beside(source: Path, target: Path) -> Pairs:
    """Two files, a sentence a line. Raises HeedError on unequal counts, an empty or an over-long line."""
    source_lines, target_lines = _lines(source), _lines(target)
    if len(source_lines) != len(target_lines):
        raise HeedError(
            f"{source} has {len(source_lines)} lines, {target} has {len(target_lines)}: line by line they "
            "must be translations of each other. Give two files of one length."
        )
    for path, lines in ((source, source_lines), (target, target_lines)):
        for number, line in enumerate(lines, 1):
            if not line.strip():
                raise HeedError(
                    f"{path}, line {number} is empty. Remove it, and the other file's, or fill it."
                )
            if len(line) > LINE:
                raise HeedError(
                    f"{path}, line {number} has {len(line)} characters, {LINE} at most are read. Cut it up."
                )
    return list(zip(source_lines, target_lines, strict=True))


def _lines(path: Path) -> list[str]:
    """The lines of a file of text, which may be packed by gzip."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        most = paths.may_unpack(path, FILE)
        with opened(path, "rb") as file:
            text = file.read(most + 1)
        if len(text) > most:
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
    sources = [source for source, _ in pairs]
    told = [target[:-1] for _, target in pairs]
    written = [target[1:] for _, target in pairs]
    lengths = torch.tensor([len(source) for source in sources])
    return _padded(sources), lengths, _padded(told), _padded(written)


def _padded(codes: list[Tensor]) -> Tensor:
    return pad_sequence(codes, batch_first=True, padding_value=PAD)
