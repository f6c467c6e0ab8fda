"""The registry of measures: each with its table's schema, its range, direction and source.

A measure's table has one row an instance, and its Measure says what a column means, so that axis labels and
chapters take their words from here and can't contradict the definition.
"""

from dataclasses import dataclass
from typing import Literal

import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError

Direction = Literal[
    "higher is closer agreement",
    "higher finds more of the truth",
    "higher finds more of what people marked",
    "lower is better",
    "higher predicts better",
    "higher is more peaked",
    "higher is more spread",
    "higher is more change",
    "higher is more different",
    "higher is more weight",
    "higher needs more erased",
    "higher is more faithful",
    "lower is more faithful",
]


@dataclass(frozen=True)
class Measure:
    """What a column holds: a label for axes, its range, which direction means what, its source."""

    column: str
    label: str
    range: tuple[float, float]
    direction: Direction
    source: str
    of: str  # the table that has the column


MEASURES: dict[str, Measure] = {}
TABLES: dict[str, pa.DataFrameSchema] = {}


def register(table: str, columns: dict[str, pa.Column], *measures: Measure, version: int = 1) -> None:
    """Add a table's schema and its measures to the registry; a name can be taken once.

    version: of the table's form, higher by one when files of the one before are no longer read.
    """
    for name in (table, *(m.column for m in measures)):
        if name in TABLES or name in MEASURES:
            raise HeedError(f"a measure or table {name!r} is registered already; choose another name.")
    # A measure may be newer than the file that is read: its column may be absent.
    checked = {
        m.column: pa.Column(float, pa.Check.in_range(*m.range), nullable=True, required=False)
        for m in measures
    }
    TABLES[table] = pa.DataFrameSchema(
        columns | checked, strict=True, name=table, metadata={"version": version}
    )
    MEASURES.update({m.column: m for m in measures})


def version(table: str) -> int:
    """Of a table's form."""
    return TABLES[table].metadata["version"]


def columns_of(table: str) -> tuple[str, ...]:
    """The measures of a table, in the order of registration."""
    return tuple(m.column for m in MEASURES.values() if m.of == table)


def validate(table: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Hold a table to its registered schema. Raises HeedError naming the column."""
    try:
        return TABLES[table].validate(frame)
    except (pa.errors.SchemaError, pa.errors.SchemaErrors) as error:
        reason = " ".join(str(error).split())[:300]
        raise HeedError(
            f"table {table}: {reason}. The file or the measure is wrong; make it anew."
        ) from error
