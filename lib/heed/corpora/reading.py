"""What it takes to read any text as a run's model read its corpus; the corpus itself needn't be there."""

import re
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from heed.corpora import loading, tokens
from heed.corpora.batches import Encoded
from heed.corpora.loading import Corpus, Split
from heed.corpora.tokens import SPECIAL, UNKNOWN, Vocabulary
from heed.errors import HeedError
from heed.params import Params
from heed.registry import corpora

WORDS = 4_000  # of a text at most: what a strip can show


class Reading(BaseModel):
    """A run's words, classes and way of cutting a text into tokens.

    reader: the corpus's. words: the vocabulary's, special ones first, in the order of the embedding's rows.
    answers_from: where in question answering the answers that are allowed come from, `text` (entities that it
    names) or `any`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    corpus: str
    reader: str
    task: Literal["classification", "qa", "nli"]
    classes: tuple[str, ...]
    words: tuple[str, ...]
    digits: str
    apart: bool
    tokenizer: str
    sentences: bool
    answers_from: Literal["any", "text"] = "any"

    @classmethod
    def of(cls, corpus: Corpus, p: Params) -> "Reading":
        """As a run with these parameters reads this corpus."""
        digits, apart, tokenizer = loading.cut_as(p)
        return cls(
            corpus=p.corpus,
            reader=corpora()[p.corpus].get("reader", ""),
            task=corpus.task,
            classes=corpus.classes,
            words=corpus.vocabulary.words,
            digits=digits,
            apart=apart,
            tokenizer=tokenizer,
            sentences=p.encoder == "han",
            answers_from="text" if corpora()[p.corpus].get("answers") == "entities" else "any",
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words with their codes."""
        return Vocabulary(self.words)

    @property
    def asks(self) -> str:
        """What a text is asked, `Question` or `Hypothesis`; nothing where it isn't."""
        return loading.ASKED.get(self.task, "")

    def encode(self, text: str, question: str | None = None) -> Encoded:
        """One text as codes, called `yours`, without a label; question: or hypothesis, where there is one.

        Raises HeedError, one sentence, for what can't be read: nothing, too much, no word that the model
        knows, a question that is missing or that nobody asked for.
        """
        words, what = self._words(text, "text"), self.asks.lower()
        if question is not None and not what:
            raise HeedError(f"a model of corpus {self.corpus} is asked nothing: give the text alone.")
        if what and not (isinstance(question, str) and question.strip()):
            raise HeedError(f"a model of corpus {self.corpus} needs a {what} beside the text. Give one.")
        split = Split(
            ids=["yours"],
            words=[words],
            labels=np.full(1, -1),
            queries=[self._words(question, what)] if what else None,
            allowed=[self._answers(words)] if self.answers_from == "text" else None,
        )
        data = Encoded.of(split, self.vocabulary, len(self.classes))
        if self.sentences:
            data = replace(data, sentences=list(tokens.sentences(data.words)))
        return data

    def known(self, words: list[str]) -> np.ndarray:
        """Which words are in the vocabulary, shape (T,)."""
        return self.vocabulary.encode(words)[1:-1] != UNKNOWN

    def _answers(self, words: list[str]) -> np.ndarray:
        """The answers that a text names, as numbers among the classes."""
        code = {name: i for i, name in enumerate(self.classes)}
        found = sorted({code[word] for word in words if word in code})
        if not found:
            raise HeedError(
                f"text: it names none of the answers that a model of corpus {self.corpus} can give, such as "
                f"{self.classes[0]}."
            )
        return np.array(found)

    def _words(self, text: str, what: str) -> list[str]:
        """A text, or what it is asked, as tokens."""
        if not isinstance(text, str):
            raise HeedError(f"{what}: expected words in one string, not a {type(text).__name__}.")
        half = re.search("[\ud800-\udfff]", text)
        if half:
            raise HeedError(f"{what}: it holds half a character (U+{ord(half[0]):X}). Take it out.")
        long = max(map(len, text.split()), default=0)
        if len(text) > loading.TEXT or (long > loading.RUN and tokens.by_rules(self.tokenizer)):
            raise HeedError(
                f"{what}: {len(text):,} characters, {long:,} of them without a space; at most "
                f"{loading.TEXT:,} and {loading.RUN:,} are read. Cut it up, or, if it is in a script without "
                "spaces, take a run whose `tokenizer` says so."
            )
        text = loading.CLEANED.get(self.reader, str)(text)
        (words,) = tokens.tokenize([text], self.digits, self.apart, self.tokenizer)
        if not words:
            raise HeedError(f"{what}: there is no word in it. Type some.")
        if len(words) > WORDS:
            raise HeedError(f"{what}: {len(words):,} words, at most {WORDS:,} are read at once. Cut it up.")
        if not self.known(words).any():
            raise HeedError(
                f"{what}: the model knows no word of it. It knows {len(self.words) - len(SPECIAL):,}, those "
                f"of corpus {self.corpus}."
            )
        return list(words)
