"""The registry of products: what a run can be asked for, each declared beside the function that makes it.

A chapter's module in `heed.experiments` declares its products:

    @product("permutation.parquet", settings=("permutations",))
    def permutation(run) -> pd.DataFrame: ...

A maker is given the run and asks it for what it needs, so asking for a summary makes all before it. It
returns a table, or one array an instance (a mapping by id), or, of several files, `Made`.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from heed.errors import HeedError
from heed.params import Named, Params

# Where each chapter's products are declared. As text: a module is imported when a run is first asked.
CHAPTERS = {
    "01": ("train",),
    "02": ("correlation", "word_lengths"),
    "03": ("permutation",),
    "04": ("adversarial",),
    "05": ("heatmaps",),
    "06": ("erasure",),
    "07": ("not_not",),
    "08": ("relevance",),
    "09": ("copying", "heads", "translation"),
    "11": ("rationales", "human", "fresh"),
    "13": ("transformers",),
    "14": ("repairs", "lies"),
}


@dataclass(frozen=True)
class Made:
    """What a maker of several files gives. Writing one may compute it, and add to the scores."""

    files: dict[str, Callable[[Path], None]]
    scores: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Product:
    """What is known of a product, all of it declared where it is made.

    settings: parameters that it depends on beyond the run's text, model and training; with other values it is
    made anew. before: what is made of other runs, or of products that do so, before its lock is taken.
    beside: other products that its maker may make with it; they share a lock. proof: of a chapter's summary,
    the measure whose rows say that a run went through that chapter.
    """

    name: str
    file: str
    maker: Callable
    kind: type[Named]
    settings: tuple[str, ...]
    before: Callable | None
    beside: tuple[str, ...]
    proof: str | None

    @property
    def chapter(self) -> str | None:
        """The chapter whose module declares it; None: it is declared elsewhere."""
        module = self.maker.__module__.removeprefix("heed.experiments.")
        return next((chapter for chapter, modules in CHAPTERS.items() if module in modules), None)

    @property
    def lock(self) -> str:
        """The name of the lock that it shares with what may be made with it."""
        return min(self.name, *self.beside) if self.beside else self.name

    def made(self, run) -> Made:
        """Make it. Raises HeedError if the maker gives anything else than was declared."""
        found = self.maker(run)
        if isinstance(found, pd.DataFrame):
            found = Made({self.name: as_table(found)})
        elif isinstance(found, dict):
            found = Made({self.name: as_arrays(found)})
        given, declared = found.files.keys(), {self.name, *self.beside}
        if self.name not in given or not given <= declared:
            raise HeedError(
                f"product {self.name}: its maker {self.maker.__name__} returned "
                f"{', '.join(sorted(given)) or 'nothing'}, expected {', '.join(sorted(declared))}."
                " Correct it."
            )
        return found


PRODUCTS: dict[tuple[type[Named], str], Product] = {}


def product(
    *files: str,
    name: str | None = None,
    kind: type[Named] = Params,
    settings: tuple[str, ...] = (),
    before: Callable | None = None,
    beside: tuple[str, ...] = (),
    proof: str | None = None,
) -> Callable[[Callable], Callable]:
    """Declare what the decorated function makes. It is called by `name`, or as the function is.

    files: its file; or, of several that are made at once, each, and a product is then called as its file.
    kind: whose runs have it. The others are `Product`'s. Raises HeedError if a name or a file is taken.
    """

    def declare(maker: Callable) -> Callable:
        names = [name or maker.__name__] if len(files) == 1 else [Path(file).stem for file in files]
        for own, file in zip(names, files, strict=True):
            others = (*beside, *(other for other in names if other != own))
            _add(Product(own, file, maker, kind, settings, before, others, proof))
        return maker

    return declare


def _add(new: Product) -> None:
    """Put a product into the registry."""
    for old in PRODUCTS.values():
        if old.name == new.name:
            raise HeedError(f"product {new.name} is declared twice: choose another name for the second.")
        if old.file == new.file:
            raise HeedError(
                f"product {new.name}: the file {new.file} is taken by product {old.name}. Choose another."
            )
        if new.proof and old.proof and old.chapter == new.chapter:
            raise HeedError(
                f"product {new.name}: chapter {new.chapter} is proved by product {old.name}. Keep one proof."
            )
    PRODUCTS[new.kind, new.name] = new


@cache
def declared() -> None:
    """Import the chapters' modules, so that all that they declare is known."""
    for modules in CHAPTERS.values():
        for module in modules:
            importlib.import_module(f"heed.experiments.{module}")


def of_kind(kind: type[Named]) -> dict[str, Product]:
    """The products of the runs that have these parameters, by name, in the order of the chapters."""
    declared()
    return {name: own for (of, name), own in PRODUCTS.items() if of is kind}


def files(kind: type[Named] = Params) -> dict[str, str]:
    """The file of each product."""
    return {name: own.file for name, own in of_kind(kind).items()}


def every_product() -> dict[str, Product]:
    """The products of runs of all kinds, by name: no two kinds share one."""
    declared()
    return {name: own for (_, name), own in PRODUCTS.items()}


def every_file() -> dict[str, str]:
    """The file of each of them."""
    return {name: own.file for name, own in every_product().items()}


def summary_of(chapter: str, kind: type[Named] = Params) -> Product | None:
    """The product whose rows say that a run went through the chapter; None: no rows are carried of it."""
    summaries = (own for own in of_kind(kind).values() if own.proof and own.chapter == chapter)
    return next(summaries, None)


def as_table(table: pd.DataFrame) -> Callable[[Path], None]:
    """How a table is written."""
    return lambda to: table.to_parquet(to, index=False)


def as_arrays(arrays: dict[str, np.ndarray]) -> Callable[[Path], None]:
    """How one array an instance is written, as a list column: (T,) or, row by row, (T, C)."""
    values = [array if array.ndim == 1 else list(array) for array in arrays.values()]
    return as_table(pd.DataFrame({"id": list(arrays), "values": values}))
