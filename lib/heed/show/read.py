"""Your own sentence: what a trained model makes of it, word by word, and what an edit moves."""

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import pandas as pd

from heed.corpora.batches import Encoded
from heed.errors import HeedError
from heed.evidence import Row, collect
from heed.measures.divergence import tvd
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import change, leave_one_out
from heed.runs.run import Run
from heed.show.strip import TokenStrip


@dataclass(frozen=True, repr=False)
class Read:
    """A text as a model read it: a row of evidence, and of each word what else is measured of it.

    Arrays are (T,), of the row's units: `known`, whether the word is in the model's vocabulary; `gradient`
    and `leave_one_out` as in chapter 02, NaN at markers, None where sentences are attended to. classes: their
    names. asked: the question or hypothesis as it was typed, under its name.
    """

    row: Row
    classes: tuple[str, ...]
    known: np.ndarray
    gradient: np.ndarray | None
    leave_one_out: np.ndarray | None
    asked: dict[str, str]
    epsilon: float

    def __repr__(self) -> str:
        return f"Read({' '.join(self.row.units)!r}, {self.said()})"

    def said(self) -> str:
        """The predicted class with its probability."""
        c = int(self.row.prediction.argmax())
        return f"{self.classes[c]} {self.row.prediction[c]:.2f}"

    @property
    def unknown(self) -> list[str]:
        """The words that the model doesn't know and reads as one and the same, each once."""
        return list(dict.fromkeys(np.array(self.row.units, object)[~self.known]))

    @property
    def table(self) -> pd.DataFrame:
        """A row a unit: word, whether it is known, attention, gradient and leave-one-out where they are."""
        found = {"word": self.row.units, "known": self.known, "attention": self.row.attention}
        for name in ("gradient", "leave_one_out"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        return pd.DataFrame(found)

    def strip(self) -> TokenStrip:
        """The text's weights, to be moved by hand."""
        return TokenStrip(self.row, **self.beside())

    def beside(self) -> dict:
        """What a strip takes beside the row."""
        return {"classes": self.classes, "epsilon": self.epsilon} | self.asked

    def against(self, before: "Read") -> str:
        """What an edit moved, in a sentence; `before` is of the same model.

        Words are lined up as a text's edit leaves them; a word that was moved was taken out and put in.
        """
        old, new = before.row.units, self.row.units
        gone, come, stayed = [], [], []
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                stayed += zip(range(a, b), range(c, d), strict=True)
            else:
                gone, come = gone + old[a:b], come + new[c:d]
        if not gone and not come:
            return (
                "The same words as before."
                if self.asked == before.asked
                else _moved(self, before, "asked so")
            )
        parts = [f"{how} “{' '.join(words)}”" for how, words in (("without", gone), ("with", come)) if words]
        said = _moved(self, before, " and ".join(parts))
        by = [self.row.attention[j] - before.row.attention[i] for i, j in stayed]
        if not stayed or np.abs(by).max() < 0.005:
            return said
        i, j = stayed[int(np.abs(by).argmax())]
        return (
            f"{said} Of the words that stayed, attention moved most on “{new[j]}”: from "
            f"{before.row.attention[i]:.2f} to {self.row.attention[j]:.2f}."
        )

    def _repr_mimebundle_(self, **given):
        return self.strip()._repr_mimebundle_(**given)


def _moved(now: Read, before: Read, how: str) -> str:
    """What became of the probability of the class that was predicted before."""
    c = int(before.row.prediction.argmax())
    p, q = before.row.prediction[c], now.row.prediction[c]
    moved = float(tvd(now.row.prediction, before.row.prediction))
    said = f"{how[0].upper()}{how[1:]} the probability of {before.classes[c]} goes from {p:.2f} to {q:.2f}"
    if int(now.row.prediction.argmax()) != c:
        said += f", and {now.said().rsplit(' ', 1)[0]} is predicted"
    return f"{said} (TVD {moved:.2f})."


def read(text: str, run: Run, query: str | None = None) -> Read:
    """What the run's model makes of any text; query: its question or hypothesis, where the task has one.

    The text is cut as the corpus was; a word that training never saw is the unknown word. It needs the run's
    weights and its product `reading`, not the corpus; what the run lacks is made first. Raises HeedError, one
    sentence, for a text that can't be read, or a run that can't read one.
    """
    if not isinstance(run, Run):
        raise HeedError(f"read takes a run, such as Run.of(), not a {type(run).__name__}.")
    model, reading = run.reader
    data = reading.encode(text, query)
    budget = run.params.tokens_per_batch
    evidence = collect(model, data, budget)
    row, known = evidence[0], np.ones(len(evidence[0].units), dtype=bool)
    gradient = loo = None
    if evidence.unit == "token":
        known[row.real] = reading.known(data.words[0])
        gradient = _of_words(row, gradients(model, data, budget))
        loo = _of_words(row, change(evidence, leave_one_out(model, data, budget)))
    asked = {"question": _as_read(data), "query_name": reading.query_name} if data.query else {}
    return Read(row, reading.classes, known, gradient, loo, asked, run.params.epsilon)


def _of_words(row: Row, found: dict[str, np.ndarray]) -> np.ndarray:
    """A number for each unit, NaN at markers."""
    values = np.full(len(row.units), np.nan)
    values[row.real] = found[row.id]
    return values


def _as_read(data: Encoded) -> str:
    """The question, cut into words."""
    return " ".join(data.query.words[0])
