"""The registry of rankings of words: each declared once, beside the function that makes it.

A ranking gives every token of a text a number; only their order is compared. What holds them against one
another (chapter 02: every pair's Kendall τ, which finds the truth) takes its columns, labels and figures from
here. To add one is a module that declares it, and its name in MODULES:

    @ranking("gradient", label="gradient", what="...", source="J&W (2019), algorithm 1", cost="...")
    def compute(model, data, p, notes) -> dict[str, np.ndarray]: ...
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.params import RANKING

# The modules of `heed.measures` that declare rankings, as text; in this order they are shown.
MODULES = (
    "rankings",
    "gradients",
    "leave_one_out",
    "integrated_gradients",
    "erasure",
    "surrogates",
    "attention_game",
    "yardsticks",
)


def _as_they_are(evidence: Evidence, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return arrays


@dataclass(frozen=True)
class Ranking:
    """What is known of a ranking.

    name: in columns, and of the product that holds its arrays. label: in figures and sentences; short: in
    narrow tables; what: what a word's number is, in a few words. cost: what it needs a text, beyond the
    evidence. compute: (model, split, params, notes) to an array a text, by id, all that needs the model; what
    it puts into notes stands in run.json. None: a row of evidence is enough, and `of_row` gives the numbers
    (n,) of its real tokens. of_arrays: (evidence, arrays) to those numbers, by id. settings: parameters that
    the arrays depend on. reference: later rankings are held against it. resumable: `compute` takes a
    folder, `parts`, for what it has finished. dear: it takes many passes through the model a text, so that
    a run may ask it of some texts alone (`ranked_texts`). compared: chapter 02 has it. explains: chapter 11
    has it. signed: a number above 0 speaks for the prediction, one below against it; else it is a size.
    of_truth: only where evidence says which words decide. thinned: its arrays are of chapter 11's texts.
    """

    name: str
    label: str
    short: str
    what: str
    source: str
    cost: str
    compute: Callable | None = None
    of_row: Callable[[Row], np.ndarray] | None = None
    of_arrays: Callable[[Evidence, dict], dict[str, np.ndarray]] = _as_they_are
    settings: tuple[str, ...] = ()
    reference: bool = False
    resumable: bool = False
    dear: bool = False
    compared: bool = True
    explains: bool = True
    signed: bool = False
    of_truth: bool = False
    thinned: bool = False

    @property
    def needs_model(self) -> bool:
        """Whether evidence isn't enough."""
        return self.compute is not None

    def scores(
        self, evidence: Evidence, arrays: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """The numbers of each text's real tokens, by id, of the evidence and of what `compute` gave."""
        if self.needs_model:
            return self.of_arrays(evidence, arrays)
        return {row.id: self.of_row(row) for row in evidence}


RANKINGS: dict[str, Ranking] = {}


def ranking(name: str, *, needs_model: bool = True, short: str | None = None, **known) -> Callable:
    """Declare the decorated function as what makes a ranking: `Ranking`'s compute, or else its of_row.

    known: the rest of `Ranking`'s fields. Raises HeedError if the name or the label is taken.
    """

    def declare(make: Callable) -> Callable:
        made_by = {"compute": make} if needs_model else {"of_row": make}
        if known.get("dear"):
            known["settings"] = (*known.get("settings", ()), *RANKING)
        new = Ranking(name=name, short=short or known["label"], **made_by, **known)
        for old in RANKINGS.values():
            if old.name == new.name:
                raise HeedError(f"ranking {name} is declared twice: choose another name for the second.")
            if old.label == new.label:
                raise HeedError(f"ranking {name}: the label {new.label!r} is {old.name}'s. Choose another.")
        RANKINGS[name] = new
        return make

    return declare


@cache
def _load() -> None:
    for module in MODULES:
        importlib.import_module(f"heed.measures.{module}")


def declared() -> dict[str, Ranking]:
    """All rankings by name, in the order of MODULES, whichever of them was imported first."""
    _load()
    return dict(sorted(RANKINGS.items(), key=lambda item: _place(item[1])))


def _place(own: Ranking) -> int:
    """Where the module that declares a ranking stands in MODULES; after them, what stands in none."""
    module = (own.compute or own.of_row).__module__.removeprefix("heed.measures.")
    return MODULES.index(module) if module in MODULES else len(MODULES)


def compared() -> dict[str, Ranking]:
    """Those that chapter 02 holds against one another."""
    return {name: own for name, own in declared().items() if own.compared}


def explaining(truth_is_known: bool) -> dict[str, Ranking]:
    """Those that chapter 11 holds against one another; the truth is one of them where it is known."""
    return {
        name: own for name, own in declared().items() if own.explains and (truth_is_known or not own.of_truth)
    }


def pairs() -> dict[str, tuple[str, str]]:
    """Each pair that is compared: the column of its τ to the two names, a reference first."""
    found = {}
    names = [*compared()]
    for place, second in enumerate(names):
        for first in names[:place]:
            if compared()[first].reference:
                found[f"tau_{second}" if first == "attention" else f"tau_{first}_{second}"] = first, second
    return found


def settings() -> tuple[str, ...]:
    """The parameters that the compared rankings depend on."""
    return tuple(dict.fromkeys(name for own in compared().values() for name in own.settings))


def names_of(pair: tuple[str, str]) -> str:
    """A pair of rankings for a narrow table: `attention, LOO`."""
    return ", ".join(compared()[name].short for name in pair)


@ranking(
    "attention",
    needs_model=False,
    label="attention",
    what="the word's attention weight",
    source="the model itself",
    cost="none",
    reference=True,
)
def attention(row: Row) -> np.ndarray:
    """The weights of a row's real tokens (n,)."""
    return row.attention[row.real]


@ranking(
    "attention_norm",
    needs_model=False,
    label="attention × value norm",
    short="attention × ‖v‖",
    what="the norm of what the word adds to the context: its weight times its value's norm",
    source="Kobayashi et al. (2020)",
    cost="none",
    compared=False,
)
def attention_norm(row: Row) -> np.ndarray:
    """a_t ‖u_t‖ of a row's real tokens (n,)."""
    return row.attention[row.real] * np.linalg.norm(row.values[row.real], axis=1)
