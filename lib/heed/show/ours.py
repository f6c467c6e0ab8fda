"""Sentences that we wrote, as stored models read them: numbers that the project carries.

data/sentences.yaml has the sentences and the models; data/results/sentences.json what they made of them, with
no text of a corpus. So a strip of them needs no corpus, no weights, and no kernel.
"""

import json
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from torch import nn

from heed import paths
from heed.errors import HeedError, why
from heed.evidence import Row
from heed.models.head import Head
from heed.registry import read_yaml
from heed.runs.run import Run
from heed.show.read import Read, read
from heed.show.strip import TokenStrip

SENTENCES = paths.DATA / "sentences.yaml"
NUMBERS = paths.DATA / "results" / "sentences.json"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Ours(_Strict):
    """One of our sentences: what it is there to show, and which class we take it for (None: neither).

    marks: the phrases, as the model's tokens, that we would mark as the reason for that class.
    """

    name: str
    model: str
    text: str
    shows: str
    label: str | None
    question: str | None = None
    marks: tuple[str, ...] = ()


class Written(_Strict):
    """The file of our sentences; models: the parameters of the run that reads them, by name."""

    models: dict[str, dict[str, Any]]
    sentences: tuple[Ours, ...]


class Kept(_Strict):
    """What a model made of one: arrays as in a row of evidence, (T, ...), and its head."""

    ours: Ours
    run: str
    tokens: tuple[str, ...]
    real: tuple[bool, ...]
    known: tuple[bool, ...]
    attention: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    shift: tuple[float, ...]
    allowed: tuple[bool, ...] | None
    act: Literal["identity", "tanh", "relu"]
    link: Literal["sigmoid", "softmax"]
    weight: tuple[tuple[float, ...], ...] | None
    bias: tuple[float, ...] | None
    classes: tuple[str, ...]
    gradient: tuple[float, ...]
    leave_one_out: tuple[float, ...]
    asked: dict[str, str]
    epsilon: float

    @property
    def label(self) -> int | None:
        """The number of the class that we take it for."""
        return None if self.ours.label is None else self.classes.index(self.ours.label)

    def row(self) -> Row:
        """It as a row of evidence."""
        head = Head(self.act, self.link, self._out())
        more = {
            "shift": list(self.shift),
            "allowed": self.allowed,
            "label": self.label,
            "real": list(self.real),
        }
        values = np.array(self.values)
        return Row.of(list(self.tokens), list(self.attention), values, head, id=self.ours.name, **more)

    @property
    def marked(self) -> list[bool]:
        """Which of its tokens we would mark (T,). Raises HeedError for a phrase that it hasn't."""
        marked = [False] * len(self.tokens)
        for phrase in self.ours.marks:
            words = tuple(phrase.split())
            starts = range(len(self.tokens) - len(words) + 1)
            at = next((t for t in starts if words and self.tokens[t : t + len(words)] == words), None)
            if at is None:
                raise HeedError(
                    f"{SENTENCES}: sentence {self.ours.name} has the mark {phrase!r}, which are no tokens "
                    f"that follow one another in it: {' '.join(self.tokens)}. Correct it."
                )
            marked[at : at + len(words)] = [True] * len(words)
        return marked

    def strip(self) -> TokenStrip:
        """Its weights, to be moved by hand."""
        given = {"classes": self.classes, "epsilon": self.epsilon, "known": self.known}
        if any(self.marked):
            given["marked"] = self.marked
        return TokenStrip(self.row(), **given, **self.asked)

    def _out(self) -> nn.Linear | None:
        """The head's last layer."""
        if self.weight is None:
            return None
        weight = torch.tensor(self.weight, dtype=torch.float64)
        out = nn.Linear(weight.shape[1], weight.shape[0], bias=self.bias is not None, dtype=torch.float64)
        with torch.no_grad():
            out.weight.copy_(weight)
            if self.bias is not None:
                out.bias.copy_(torch.tensor(self.bias, dtype=torch.float64))
        return out


@cache
def kept() -> dict[str, Kept]:
    """All that are carried, by name. Raises HeedError if the file is damaged."""
    try:
        found = [Kept.model_validate(one) for one in json.loads(NUMBERS.read_text(encoding="utf-8"))]
    except (OSError, ValueError) as error:
        raise HeedError(
            f"{NUMBERS} is damaged ({why(error)}). Restore it: git checkout {NUMBERS}."
        ) from error
    return {one.ours.name: one for one in found}


def html(names: Sequence[str] | None = None) -> str:
    """Strips of these, or of all, as one piece of HTML: a line each, which opens; the first is open."""
    chosen = [kept()[name] for name in names or kept()]
    pieces = []
    for k, one in enumerate(chosen):
        row = one.row()
        c = int(row.prediction.argmax())
        said = f"{one.classes[c]} {row.prediction[c]:.2f}"
        judged = ", which is wrong" if one.label not in (None, c) else ""
        judged = " (no right answer)" if one.label is None else judged
        asked = f" {one.ours.question}" if one.ours.question else ""
        line = (
            f"{escape(one.ours.text + asked)} <b>{escape(said)}</b>{judged}. <i>{escape(one.ours.shows)}</i>"
        )
        is_open = "" if k else " open"
        strip = one.strip()
        apart = ' style="margin:.7em 0"' if len(chosen) > 1 else ""
        pieces.append(f"<details{is_open}{apart}><summary>{line}</summary>{strip.still()}</details>")
    return "\n".join([*pieces, strip.alive()])


def write(results: str) -> str:
    """Let the runs of a results folder read our sentences, and keep the numbers; return a sentence.

    Raises HeedError if the file of sentences has a fault, or a run that reads isn't there.
    """
    try:
        written = Written.model_validate(read_yaml(SENTENCES))
    except ValidationError as error:
        raise HeedError(f"{SENTENCES}: {why(error)}. Correct it.") from error
    runs, found = {}, []
    for name, given in written.models.items():
        run = Run.of(results=results, **given)
        if not run.kept("weights"):
            raise HeedError(f"{run.folder} has no weights. Run chapter 01 with {json.dumps(given)}.")
        runs[name] = run
    for ours in written.sentences:
        if ours.model not in runs:
            raise HeedError(
                f"{SENTENCES}: sentence {ours.name} is for model {ours.model!r}, which isn't there."
            )
        found.append(_kept(ours, read(ours.text, runs[ours.model], ours.question)))
    with paths.writing(NUMBERS) as aside:
        lines = ",\n".join(one.model_dump_json() for one in found)
        aside.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    kept.cache_clear()
    return f"{NUMBERS.relative_to(paths.ROOT)} holds {len(found)} sentences, read by {len(runs)} models."


def _kept(ours: Ours, found: Read) -> Kept:
    """What is kept of a sentence that was read; numbers to nine digits."""
    row, out = found.row, found.row.head.out
    if ours.label is not None and ours.label not in found.classes:
        raise HeedError(
            f"{SENTENCES}: sentence {ours.name} has the label {ours.label!r}, not {found.classes}."
        )
    kept_of_it = Kept(
        ours=ours,
        run=found.run,
        tokens=tuple(row.units),
        real=tuple(row.real.tolist()),
        known=tuple(found.known.tolist()),
        attention=_digits(row.attention),
        values=tuple(map(_digits, row.values)),
        shift=_digits(row.shift),
        allowed=None if row.allowed is None else tuple(row.allowed.tolist()),
        act=row.head.act,
        link=row.head.link,
        weight=None if out is None else tuple(map(_digits, out.weight.detach().numpy())),
        bias=None if out is None or out.bias is None else _digits(out.bias.detach().numpy()),
        classes=found.classes,
        gradient=_digits(found.gradient),
        leave_one_out=_digits(found.leave_one_out),
        asked=found.asked,
        epsilon=found.epsilon,
    )
    _ = kept_of_it.marked  # whose faults are said before anything is written
    return kept_of_it


def _digits(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(f"{value:.8e}") for value in values)
