"""A corpus of one's own: the key `own` of params/NAME.yaml, and a CSV or Parquet file (data/README.md)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from heed import paths
from heed.errors import HeedError, nearest

BYTES, ROWS = 2**30, 10_000_000


def source(name: str, entry: dict) -> tuple[Path, str]:
    """The file, and a checksum over it and the classes, which turn its labels into codes."""
    file = entry["file"]
    try:
        return file, paths.text_hash("\0".join([paths.sha256(file), *entry["classes"]]))
    except OSError as error:
        said = f"{file} can't be read: {error.strerror}. Correct `file` in {entry['home']}."
        raise HeedError(f"corpus {name}: {said}") from error


def _within(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Its rows, up to BYTES: text that is stored once may be there in every row."""
    left = BYTES
    for batch in file.iter_batches(1000):
        left -= batch.nbytes
        if left < 0:
            raise ValueError(f"its rows hold more than {BYTES} bytes; at most these are read")
        yield batch


def read(path: Path, *classes: str) -> Iterable[tuple[str, str, str, int]]:
    """The texts in the file's order, called by their id or by their row, counted from 1.

    Raises ValueError that names the column or the row, and never quotes what stands there.
    """
    _check_size(path)
    table = table_of(path)
    for column in ("split", "text", "label"):
        if column not in table:
            raise ValueError(f"column {column!r} is missing.{nearest(column, map(str, table.columns))}")
    if "id" in table:
        ids = table["id"]
    else:
        ids = pd.Series([f"row{i + 1}" for i in range(len(table))])
    ids = ids.astype(str).str.strip().fillna("")
    labels = table["label"].astype(str).str.strip().map(_codes(classes))
    faults = {
        "no id of its own": (ids == "") | ids.duplicated(),
        "a split that is none of train, dev, test": ~table["split"].isin(["train", "dev", "test"]),
        "no text": [not isinstance(text, str) for text in table["text"]],
        f"no label, or one that is none of {', '.join(classes)}": labels.isna(),
    }
    for fault, which in faults.items():
        if any(which):
            raise ValueError(f"row {list(which).index(True) + 1} has {fault}")
    return zip(table["split"], ids, table["text"], labels.astype(int), strict=True)


def _check_size(path: Path) -> None:
    """Raise ValueError if a file has more bytes or rows than are read, as far as it says before it is."""
    rows, size = 0, path.stat().st_size
    if path.suffix == ".parquet":
        about = pq.read_metadata(path)
        groups = [about.row_group(i).total_byte_size for i in range(about.num_row_groups)]
        rows, size = about.num_rows, max(size, sum(groups))
    if size > BYTES or rows > ROWS:
        raise ValueError(f"{rows or 'its'} rows, {size} bytes; at most {ROWS} rows, {BYTES} bytes are read")


def table_of(path: Path) -> pd.DataFrame:
    """The file as it is; of a CSV file every cell is a text."""
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path)
        return pa.Table.from_batches(_within(file), file.schema_arrow).to_pandas()
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the surplus for the rows' names
        raise ValueError("rows have more fields than the first line has; quote texts with commas")
    return table


def _codes(classes: tuple[str, ...]) -> dict[str, int]:
    """What a label can be to its code: a class's name or its number from 0 (1 or 1.0).

    Where a class's name is such a number, names alone count: "1" can't be both.
    """
    names, numbers = {}, {}
    for code, name in enumerate(classes):
        names[name] = code
        numbers[str(code)] = code
        numbers[f"{code}.0"] = code
    if names.keys() & numbers.keys():
        return names
    return {**numbers, **names}
