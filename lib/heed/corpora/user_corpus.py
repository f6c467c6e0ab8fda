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
    rows, size = 0, path.stat().st_size
    if path.suffix == ".parquet":
        about = pq.read_metadata(path)
        groups = [about.row_group(i).total_byte_size for i in range(about.num_row_groups)]
        rows, size = about.num_rows, max(size, sum(groups))
    if size > BYTES or rows > ROWS:
        raise ValueError(f"{rows or 'its'} rows, {size} bytes; at most {ROWS} rows, {BYTES} bytes are read")
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path)
        table = pa.Table.from_batches(_within(file), file.schema_arrow).to_pandas()
    else:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        if not isinstance(table.index, pd.RangeIndex):  # pandas takes the surplus for the rows' names
            raise ValueError("rows have more fields than the first line has; quote texts with commas")
    for column in ("split", "text", "label"):
        if column not in table:
            raise ValueError(f"column {column!r} is missing.{nearest(column, map(str, table.columns))}")
    numbers = {f"{i}{end}": i for i in range(len(classes)) for end in ("", ".0")}
    names = {name: i for i, name in enumerate(classes)}
    codes = names if numbers.keys() & names else numbers | names  # "1" can't be both
    ids = table["id"] if "id" in table else pd.Series([f"row{i + 1}" for i in range(len(table))])
    ids = ids.astype(str).str.strip().fillna("")
    labels = table["label"].astype(str).str.strip().map(codes)
    faults = {
        "no id of its own": (ids == "") | ids.duplicated(),
        "a split that is none of train, dev, test": ~table["split"].isin(["train", "dev", "test"]),
        "no text": [not isinstance(text, str) for text in table["text"]],
        f"no label, or one that is none of {', '.join(classes)}": labels.isna(),
    }
    for fault, rows in faults.items():
        if any(rows):
            raise ValueError(f"row {list(rows).index(True) + 1} has {fault}")
    return zip(table["split"], ids, table["text"], labels.astype(int), strict=True)
