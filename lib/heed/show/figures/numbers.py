"""The numbers of a figure: bins, quantiles and means, without a text or its id; and the file that keeps them.

A figure of many texts is made in two steps: `..._numbers` condenses tables of texts to numbers, `draw_...`
draws these and reads nothing else of a run. So a figure that is drawn from a file is the one that a chapter
draws from its tables.

Numbers are series by panel (an encoder's name, say), group (a class, a ranking, a model) and quantity. Floats
have four significant digits, in the file and before; whole numbers have all.
"""

import csv
from pathlib import Path

import numpy as np

from heed import paths
from heed.errors import HeedError, why

Numbers = dict[tuple[str, str, str], np.ndarray]
COLUMNS = ["panel", "group", "quantity", "values"]
PROBABILITIES = np.linspace(0, 1, 41)  # of the quantiles that stand for a distribution


def rounded(numbers: dict) -> Numbers:
    """Series as they are kept: floats to four significant digits, integers as they are; float64 arrays."""
    kept = {}
    for key, values in numbers.items():
        values = np.asarray(values)
        if values.dtype.kind == "f":
            values = [float(f"{value:.4g}") for value in values]
        kept[key] = np.asarray(values, float)
    return kept


def quantiles(values: np.ndarray) -> np.ndarray:
    """The smallest value, every fortieth part of them, and the largest: 41 in order, or none of no value."""
    return np.quantile(values, PROBABILITIES) if len(values) else np.empty(0)


def names_of(numbers: Numbers, part: str) -> list[str]:
    """The panels, groups or quantities that there are, in the order of the file."""
    return list(dict.fromkeys(key[COLUMNS.index(part)] for key in numbers))


def series(numbers: Numbers, key: tuple[str, str, str], length: int | None = None) -> np.ndarray:
    """One series. Raises ValueError if it isn't there, or of another length than is expected."""
    if key not in numbers:
        raise ValueError(f"the line {', '.join(key)} is missing")
    if length is not None and len(numbers[key]) != length:
        raise ValueError(f"the line {', '.join(key)} has {len(numbers[key])} values instead of {length}")
    return numbers[key]


def counts(numbers: Numbers, key: tuple[str, str, str], length: int) -> np.ndarray:
    """A series of so many counts. Raises ValueError if it isn't one."""
    found = series(numbers, key, length)
    if (found < 0).any() or (found != np.round(found)).any():  # NaN isn't what it is rounded to
        raise ValueError(f"the line {', '.join(key)} should be of counts")
    return found


def ordered(numbers: Numbers, key: tuple[str, str, str], length: int) -> np.ndarray:
    """A series of so many values in order. Raises ValueError if it isn't one."""
    found = series(numbers, key, length)
    if not (np.diff(found) >= 0).all():
        raise ValueError(f"the values of the line {', '.join(key)} should never fall")
    return found


def write(numbers: Numbers, path: Path) -> Path:
    """Write numbers as CSV, a line a series, its values with spaces between."""
    with paths.writing(path) as aside, open(aside, "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for key, values in numbers.items():
            lines.writerow([*key, " ".join(f"{value:.12g}" for value in values)])
    return path


def read(path: Path) -> Numbers:
    """The numbers that `write` wrote. Raises HeedError if the file is damaged."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            head, *lines = [*csv.reader(file, strict=True)] or [[]]
        if head != COLUMNS:
            raise ValueError(f"it begins with {','.join(head)!r}")
        numbers = {}
        for line in lines:
            if len(line) != len(COLUMNS):
                raise ValueError(f"a line has {len(line)} columns")
            *key, values = line
            if tuple(key) in numbers:
                raise ValueError(f"the line {', '.join(key)} is there twice")
            numbers[tuple(key)] = np.array(values.split(), float)
            if np.isinf(numbers[tuple(key)]).any():
                raise ValueError(f"the line {', '.join(key)} isn't finite")
        if not numbers:
            raise ValueError("it has no numbers")
    except (OSError, ValueError, csv.Error) as error:
        raise damaged(path, error) from error
    return numbers


def damaged(path: Path, error: Exception) -> HeedError:
    """What is said of a file of numbers that can't be read or drawn."""
    return HeedError(
        f"{path} is damaged ({why(error)}): expected are the columns {','.join(COLUMNS)}, a line a series of "
        f"the figure. Restore it: git checkout {path}; or make it anew from finished runs: make summary."
    )
