"""Your own sentence: what a trained model makes of it, word by word, and what an edit moves."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import pandas as pd

from heed.errors import HeedError
from heed.evidence import Row, collect
from heed.experiments.translation import Translations
from heed.measures.divergence import tvd
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import change, leave_one_out
from heed.runs.run import Run
from heed.show.strip import TokenStrip
from heed.show.translated import Translated, translate
from heed.show.words import visible

LISTED = 10  # unknown words that are named


@dataclass(frozen=True, repr=False)
class Read:
    """A text as a model read it: a row of evidence, and of each of its units (T) what else is measured.

    known (T,): whether all its words are in the model's vocabulary; unknown: those that aren't, each once,
    the question's after the text's. classes: their names. asked: `question` and `query_name`, where something
    is asked. run: the path of the run that read it.
    """

    row: Row
    run: str
    classes: tuple[str, ...]
    known: np.ndarray
    unknown: list[str]
    asked: dict[str, str]
    epsilon: float
    _measured: dict[str, Callable[[], np.ndarray]] = field(default_factory=dict)

    def __repr__(self) -> str:
        text = visible(" ".join(self.row.units))
        return f"Read({text if len(text) <= 80 else text[:79] + '…'!r}, {self.said()})"

    @property
    def predicted(self) -> str:
        """The predicted class."""
        return self.classes[int(self.row.prediction.argmax())]

    def said(self) -> str:
        """The predicted class with its probability."""
        return f"{self.predicted} {self.row.prediction.max():.2f}"

    def doubts(self) -> str:
        """The words that the model doesn't know, in a sentence; nothing if it knows all."""
        if not self.unknown:
            return ""
        more = f" and {len(self.unknown) - LISTED} more" if len(self.unknown) > LISTED else ""
        named = ", ".join(f"“{visible(word)}”" for word in self.unknown[:LISTED])
        return f"Not known to this model, read as one unknown word: {named}{more}."

    @cached_property
    def gradient(self) -> np.ndarray | None:
        """|dŷ/dx| of each word, x its one-hot, attention held, (T,); NaN at markers, None of sentences."""
        return self._of_words("gradient")

    @cached_property
    def leave_one_out(self) -> np.ndarray | None:
        """TVD of the prediction without each word and with it, (T,); NaN at markers, None of sentences."""
        return self._of_words("leave_one_out")

    def _of_words(self, measure: str) -> np.ndarray | None:
        if measure not in self._measured:
            return None
        values = np.full(len(self.row.units), np.nan)
        values[self.row.real] = self._measured[measure]()
        return values

    @property
    def table(self) -> pd.DataFrame:
        """A row a unit: word, whether it is known, attention, gradient and leave-one-out where they are."""
        found = {"word": self.row.units, "known": self.known, "attention": self.row.attention}
        return pd.DataFrame(found | {name: getattr(self, name) for name in self._measured})

    def strip(self) -> TokenStrip:
        """The text's weights, to be moved by hand."""
        return TokenStrip(self.row, **self.beside())

    def beside(self) -> dict:
        """What a strip takes beside the row."""
        return {"classes": self.classes, "epsilon": self.epsilon, "known": self.known} | self.asked

    def against(self, before: "Read") -> str:
        """What an edit moved, in a sentence. Raises HeedError unless the same run read both.

        Words are lined up so that as many as can be stayed where they were.
        """
        if not isinstance(before, Read):
            raise HeedError(f"against takes what `read` returned, not a {type(before).__name__}.")
        if before.run != self.run:
            raise HeedError(f"the two are of different runs, {self.run} and {before.run}: read both by one.")
        how, stayed = _edits(before.row.units, self.row.units)
        if self.asked != before.asked:
            how.append(f"asked “{self.asked['question']}” instead of “{before.asked['question']}”")
        if not how:
            return "The same words as before."
        c = int(before.row.prediction.argmax())
        p, q = before.row.prediction[c], self.row.prediction[c]
        said = f"{', '.join(how)} the probability of {before.predicted} goes from {p:.2f} to {q:.2f}"
        if self.predicted != before.predicted:
            said += f", and {self.predicted} is predicted"
        said += f" (TVD {float(tvd(self.row.prediction, before.row.prediction)):.2f})."
        by = [self.row.attention[j] - before.row.attention[i] for i, j in stayed]
        if stayed and np.abs(by).max() >= 0.005:
            i, j = stayed[int(np.abs(by).argmax())]
            said += (
                f" Of the words that stayed, attention moved most on “{self.row.units[j]}”: from "
                f"{before.row.attention[i]:.2f} to {self.row.attention[j]:.2f}."
            )
        return said[0].upper() + said[1:]

    def _repr_mimebundle_(self, **given):
        return self.strip()._repr_mimebundle_(**given)


def _edits(old: list[str], new: list[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """What became of the words, in phrases, and the places before and now of those that stayed."""
    gone, come, stayed = [], [], []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            stayed += zip(range(a, b), range(c, d), strict=True)
        else:
            gone, come = gone + [old[a:b]] * (b > a), come + [new[c:d]] * (d > c)
    if gone and Counter(sum(gone, [])) == Counter(sum(come, [])):
        return [f"with {_quoted(come)} in another place"], stayed
    return [f"{how} {_quoted(words)}" for how, words in (("without", gone), ("with", come)) if words], stayed


def _quoted(pieces: list[list[str]]) -> str:
    return f"“{' … '.join(' '.join(words) for words in pieces)}”"


def read(text: str, run: Run, question: str | None = None) -> Read | Translated:
    """What the run's model makes of any text: a `Read`. A run of translation translates it: a `Translated`.

    question: or hypothesis, where the task has one.

    The text is prepared and cut as the corpus was; a word that training never saw is the unknown word. If the
    run has no weights yet, its model is trained first, which takes minutes; once it has them and was asked to
    read, its corpus needn't be there any more. Raises HeedError, one sentence, for a text that can't be read,
    or a run that can't read one.
    """
    if not isinstance(run, Run):
        raise HeedError(f"read takes a run, such as Run.of(), not a {type(run).__name__}.")
    if isinstance(run, Translations):
        if question is not None:
            raise HeedError("a model that translates is asked nothing: give the text alone.")
        return translate(text, run)
    model, reading = run.reader
    data = reading.encode(text, question)
    budget = run.params.tokens_per_batch
    evidence = collect(model, data, budget)
    row, words, measured = evidence[0], data.words[0], {}
    is_known, known = reading.known(words), np.ones(len(row.units), dtype=bool)
    if evidence.unit == "token":
        known[row.real] = is_known
        measured["gradient"] = lambda: gradients(model, data, budget)[row.id]
        measured["leave_one_out"] = lambda: change(evidence, leave_one_out(model, data, budget))[row.id]
    else:
        known[row.real] = [is_known[data.sentences[0] == s].all() for s in range(row.real.sum())]
    unknown, asked = [word for word, is_in in zip(words, is_known, strict=True) if not is_in], {}
    if data.query:
        asked = {"question": " ".join(data.query.words[0]), "query_name": reading.asks}
        own = data.query.words[0]
        unknown += [word for word, is_in in zip(own, reading.known(own), strict=True) if not is_in]
    unknown = list(dict.fromkeys(unknown))
    epsilon = run.params.epsilon
    return Read(row, run.params.path, reading.classes, known, unknown, asked, epsilon, measured)
