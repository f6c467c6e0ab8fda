"""The forms of heed's files as JSON Schema, in data/schemas: run.json's, and each registered table's.

`python -m heed schemas` writes them from the definitions in code. A form that old files no longer have gets
a new number (`record.SCHEMA`, or `version` where a table is registered); the old number's file stays.
"""

import json
import math
from pathlib import Path
from typing import Any

import pandera.pandas as pa

from heed import paths
from heed.measures import registry
from heed.runs import products
from heed.runs.record import SCHEMA, RunFile

FOLDER = paths.DATA / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
# How a column's type begins, as pandas has it, and what a JSON row has for it.
TYPES = {"str": "string", "int": "integer", "bool": "boolean", "float": "number", "object": "array"}


def schemas() -> dict[str, dict[str, Any]]:
    """File name to schema, of what is written today."""
    products.declared()
    found = {f"run-{SCHEMA}": {"$schema": DRAFT, "title": "run.json"} | RunFile.model_json_schema()}
    for name, table in registry.TABLES.items():
        found[f"{name}-{registry.version(name)}"] = of_table(name, table)
    return found


def of_table(name: str, table: pa.DataFrameSchema) -> dict[str, Any]:
    """A table's rows: its columns with type, range and, of a measure, what it is."""
    columns = {column: _of_column(column, own) for column, own in table.columns.items()}
    file = products.every_file()[name]
    return {
        "$schema": DRAFT,
        "title": f"a row of {file}",
        "type": "object",
        "properties": columns,
        "required": [column for column, own in table.columns.items() if own.required],
        "additionalProperties": False,
    }


def _of_column(name: str, column: pa.Column) -> dict[str, Any]:
    kind = next(kind for start, kind in TYPES.items() if str(column.dtype).startswith(start))
    found: dict[str, Any] = {"type": [kind, "null"] if column.nullable else kind}
    for check in column.checks:
        for word, bound in (("minimum", "min_value"), ("maximum", "max_value")):
            limit = check.statistics.get(bound)
            if limit is not None and math.isfinite(limit):
                found[word] = float(limit)
        if "allowed_values" in check.statistics:
            found["enum"] = sorted(check.statistics["allowed_values"])
    if column.unique:
        found["description"] = "no two rows share it"
    measure = registry.MEASURES.get(name)
    if measure is not None:
        found["description"] = f"{measure.label}; {measure.direction} ({measure.source})"
    return found


def text_of(schema: dict[str, Any]) -> str:
    """As it is committed."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def write(folder: Path = FOLDER) -> list[Path]:
    """Write what is of today's versions; older ones are left."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / f"{name}.json").write_text(text_of(schema), encoding="utf-8")
    return sorted(folder.glob("*.json"))
