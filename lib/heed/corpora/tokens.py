"""From a text to the codes that a model reads: tokens, vocabulary, markers."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import regex

from heed import paths
from heed.errors import HeedError, choose, why

PAD, UNKNOWN, START, END = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
ENTITY = re.compile(r"@entity\d+")
_DIGIT = re.compile(r"(?!@entity\d+$).*\d")
_RUN = re.compile(r"(\W)+")
_CHARACTER = regex.compile(r"\X")  # with its combining marks; a joined emoji is one
# What spaCy's tokenizers of these languages need.
PACKAGES = {"ja": "sudachipy, sudachidict-core", "ko": "natto-py", "th": "pythainlp", "vi": "pyvi"}


def tokenize(
    texts: Iterable[str], digits: str = "qqq", apart: bool = False, tokenizer: str = "en"
) -> Iterator[list[str]]:
    """Lower-cased tokens of each text, cut as `cutter` says; a token with a digit becomes `qqq`.

    Only @entityN, CNN's mark of an entity, stays.
    digits="keep" leaves all as they are: the published vocabulary sizes of SST come out only so.
    apart: of a run of other characters than letters, digits and _, the spaces between tokens among them, the
    last alone stays, as a token of its own unless it is a space (20 Newsgroups): what stands alone goes.
    White space is no token. Source: Jain & Wallace (2019), appendix, and its code.
    """
    for cut in cutter(tokenizer)(texts):
        words = []
        for word in cut:
            if word.isspace():
                continue
            word = word.lower()
            if digits == "qqq" and _DIGIT.match(word):
                word = "qqq"
            words.append(sys.intern(word))
        if apart:
            words = _RUN.sub(r" \1 ", " ".join(words)).split()
        yield words


def cutter(tokenizer: str) -> Callable[[Iterable[str]], Iterator[list[str]]]:
    """What cuts texts: at spaces (`given`), into `characters` as one sees them, or spaCy's of a language.

    Where spaCy needs a package for the language that isn't installed, it is characters, too (`described` says
    so). Raises HeedError, with the nearest, for a language that spaCy hasn't.
    """
    if tokenizer == "given":
        return lambda texts: (text.split() for text in texts)
    if tokenizer == "characters" or needs(tokenizer):
        return lambda texts: (_CHARACTER.findall(text) for text in texts)
    language = _language(tokenizer)
    return lambda texts: ([token.text for token in document] for document in language.tokenizer.pipe(texts))


def described(tokenizer: str) -> str:
    """How `cutter` cuts, to be read after `Texts are cut`."""
    if tokenizer == "given":
        return "at spaces"
    if tokenizer == "characters":
        return "into characters"
    if needs(tokenizer):
        return (
            f"into characters, because spaCy's tokenizer of `{tokenizer}` needs a package that isn't "
            f"installed here ({needs(tokenizer)})"
        )
    return f"by spaCy's tokenizer of `{tokenizer}`"


@cache
def needs(tokenizer: str) -> str:
    """The package that spaCy's tokenizer of a language needs and that isn't installed; nothing if none is."""
    if tokenizer in ("given", "characters"):
        return ""
    try:
        _language(tokenizer)
    except ImportError as error:
        return PACKAGES.get(tokenizer) or why(error)
    return ""


def by_rules(tokenizer: str) -> bool:
    """Whether spaCy's rules cut, whose time goes with the square of what has no space within."""
    if tokenizer in ("given", "characters") or needs(tokenizer):
        return False
    from spacy.tokenizer import Tokenizer

    return isinstance(_language(tokenizer).tokenizer, Tokenizer)


@cache
def _language(code: str):
    """spaCy's blank pipeline of a language. Raises ImportError if it needs a package that isn't there."""
    import spacy  # takes seconds, and a tokenised corpus is read from the cache

    folders = Path(spacy.__file__).parent.joinpath("lang").iterdir()
    known = {folder.name for folder in folders if (folder / "__init__.py").exists()}
    choose(
        "tokenizer (characters, given, or spaCy's code of a language)", code, known | {"given", "characters"}
    )
    return spacy.blank(code)


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
    def hash(self) -> str:
        """What weights are tied to: the words of the embedding's rows, in order."""
        return paths.text_hash("\n".join(self.words))

    @cached_property
    def code(self) -> dict[str, int]:
        """Word to code. A text can't spell a special code: those words are unknown."""
        return {word: i for i, word in enumerate(self.words) if i >= len(SPECIAL)}

    def encode(self, words: list[str]) -> np.ndarray:
        """Codes of a text between its two markers, shape (T + 2,), int64."""
        codes = self.code
        return np.array([START, *(codes.get(word, UNKNOWN) for word in words), END], dtype=np.int64)
