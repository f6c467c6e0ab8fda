"""A corpus of one's own: the key `own` of params/NAME.yaml, and a table of texts (data/README.md).

Every fault raises ValueError that names the column or the row, and never quotes what stands there.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from heed import paths
from heed.corpora.archives import Unpacked, text_of
from heed.corpora.classification import SPLITS
from heed.errors import HeedError, nearest, nearest_of

BYTES, ROWS = 2**30, 10_000_000
_DELIMITERS = {"csv": ",;\t", "tsv": "\t"}
_OTHER_SPLITS = {"val", "valid", "validation", "development", "eval"}  # what others call dev


def source(name: str, entry: dict) -> tuple[Path, str]:
    """The file, and a checksum over it, the task and the classes, which turn its labels into codes."""
    file = entry["file"]
    try:
        checksum = paths.sha256(file)
    except OSError as error:
        folder = file.parent
        beside = [path.name for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
        said = f"{file} can't be read: {error.strerror}.{nearest(file.name, beside, alike=0.75)}"
        raise HeedError(f"corpus {name}: {said} Correct `file` in {entry['home']}.") from error
    parts = [checksum, *entry.get("classes", ())]
    if "task" in entry:
        parts.append(entry["task"])
    return file, paths.text_hash("\0".join(parts))


def read(path: Path, classes: Iterable[str] = (), task: str | None = None) -> Iterable[tuple]:
    """The texts in the file's order, called by their id or by their row, counted from 1.

    Split, id, text and label; with a `query` also query, facts (None) and excluded (empty), as the other
    readers of question answering and inference have them. The label is the number of a class, or, where a
    task has answers instead of classes, the answer in lower case.
    """
    table, classes = table_of(path), tuple(classes)
    wanted = ["split", "text", "label"]
    if task in ("nli", "qa"):
        wanted.append("query")
    elif task is None and "query" in table:
        raise ValueError(
            "it has a column 'query': say under `own` what that is, `task: nli` (a class for the pair), "
            "`task: qa` (an answer), or `task: classification` to leave it unread"
        )
    for column in wanted:
        if column not in table:
            make = ", or let `python -m heed split` make it" if column == "split" else ""
            raise ValueError(f"column {column!r} is missing{make}.{nearest(column, table.columns)}")
    ids = _ids(table)
    labels = table["label"].map(_name).map(_meaning(classes, task))
    faults = {
        "no id of its own": (ids == "") | ids.duplicated(),
        "a split that is none of train, dev, test": ~table["split"].map(_is_split),
        "no text": ~table["text"].map(_is_text),
        _no_label(classes): labels.isna(),
    }
    if "query" in wanted:
        faults["no query"] = ~table["query"].map(_is_text)
    for fault, which in faults.items():
        if which.any():
            row = int(which.to_numpy().argmax())
            hint = _hint(table.iloc[row], classes) if fault.startswith(("a split", "no label")) else ""
            raise ValueError(f"row {row + 1} has {fault}{hint}")
    columns = [table["split"], ids, table["text"], labels]
    if "query" in wanted:
        columns += [table["query"], [None] * len(table), [""] * len(table)]
    return zip(*columns, strict=True)


def texts_of(table: pd.DataFrame, classes: Iterable[str]) -> tuple[list[str], list[str], list[int]]:
    """Ids, texts and labels of a table that a model reads which was trained elsewhere; no split is needed.

    A label is the number of a class, -1 where none stands there or the table has no column `label`.
    """
    classes = tuple(classes)
    if "text" not in table:
        raise ValueError(f"column 'text' is missing.{nearest('text', table.columns)}")
    ids = _ids(table)
    names = table["label"].map(_name) if "label" in table else pd.Series("", index=table.index)
    labels = names.map(_meaning(classes, None)).where(names != "", -1)
    faults = {
        "no id of its own": (ids == "") | ids.duplicated(),
        "no text": ~table["text"].map(_is_text),
        f"a label that isn't a class of the model's: {_few(classes)}": labels.isna(),
    }
    for fault, which in faults.items():
        if which.any():
            raise ValueError(f"row {int(which.to_numpy().argmax()) + 1} has {fault}")
    return ids.tolist(), table["text"].tolist(), labels.astype(int).tolist()


def table_of(path: Path) -> pd.DataFrame:
    """The file as a table with plain row numbers: CSV, TSV and JSON lines (all also packed), or Parquet.

    Every cell of a CSV or TSV file is a text. Raises ValueError, with the row where there is one.
    """
    _check_size(path)
    form = form_of(path)
    if form == "parquet":
        file = pq.ParquetFile(path)
        table = pa.Table.from_batches(_within(file), file.schema_arrow)
        _check_names(table.column_names)
        return table.to_pandas(ignore_metadata=True)  # so that what was an index is a column
    with _told_of_bytes(path), text_of(path) as file:
        return _of_json_lines(file) if form == "jsonl" else _of_csv(file, _DELIMITERS[form])


def form_of(path: Path) -> str:
    """csv, tsv, jsonl or parquet, by the file's name."""
    return path.name.lower().removesuffix(".gz").rpartition(".")[2]


def _check_size(path: Path) -> None:
    """Raise ValueError if a file has more bytes or rows than are read, as far as it says before it is."""
    rows, size = 0, path.stat().st_size
    if form_of(path) == "parquet":
        about = pq.read_metadata(path)
        groups = [about.row_group(i).total_byte_size for i in range(about.num_row_groups)]
        rows, size = about.num_rows, max(size, sum(groups))
    if size > BYTES or rows > ROWS:
        raise ValueError(f"{rows or 'its'} rows, {size} bytes; at most {ROWS} rows, {BYTES} bytes are read")


def _within(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Its rows, up to BYTES: text that is stored once may be there in every row."""
    left = BYTES
    for batch in file.iter_batches(1000):
        left -= batch.nbytes
        if left < 0:
            raise ValueError(f"its rows hold more than {BYTES} bytes; at most these are read")
        yield batch


def _check_names(names: list[str]) -> None:
    """Raise ValueError if two columns have one name: which of them is meant?"""
    for name in names:
        if name and names.count(name) > 1:
            raise ValueError(f"it has {names.count(name)} columns called {name!r}; keep one of them")


# CSV and TSV


def _of_csv(file: Iterable[str], delimiters: str) -> pd.DataFrame:
    """Its rows by the names in the first line. Strictly: a quoted field ends with its closing quote."""
    lines = iter(file)
    first = next(lines, "").removeprefix("\ufeff")
    delimiter = max(delimiters, key=first.count)  # of equal ones the first
    with _whole_fields():
        reader = csv.reader(_again(first, lines), delimiter=delimiter, strict=True)
        names, rows, begin = None, [], 1
        try:
            for row in reader:
                if row and names is None:
                    names = [name.strip() for name in row]
                    _check_names(names)
                elif row:  # empty lines don't count
                    rows.append(row)
                    if len(row) != len(names):
                        raise ValueError(_of_another_width(row, names, len(rows), delimiter))
                    if len(rows) > ROWS:
                        raise ValueError(f"it has over {ROWS} rows; at most these are read")
                begin = reader.line_num + 1
        except csv.Error as error:
            raise ValueError(f"row {len(rows) + 1}, from line {begin} on, {_said(error)}") from error
    if names is None:
        raise ValueError("it is empty; expected a first line of names: split, text, label")
    return pd.DataFrame(rows, columns=names, dtype=object)


def _again(first: str, lines: Iterator[str]) -> Iterator[str]:
    """The first line, which was looked at, and the others."""
    yield first
    yield from lines


@contextmanager
def _whole_fields() -> Iterator[None]:
    """Let the csv module read fields of any length: what is too long for a text is said of the text."""
    before = csv.field_size_limit(BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _said(error: csv.Error) -> str:
    """What the csv module found, so that one sees what to do."""
    if "expected after" in str(error):
        return "has a quoted text that goes on after its closing quote: double each quote within a text"
    if "unexpected end" in str(error):
        return "opens a quote that nothing closes"
    return f"can't be read ({error})"


def _of_another_width(row: list[str], names: list[str], number: int, delimiter: str) -> str:
    quote = f"a text that holds {'a tab' if delimiter == chr(9) else delimiter!r} stands in double quotes"
    return f"row {number} has {len(row)} fields, the line of names has {len(names)}; {quote}"


# JSON lines


def _of_json_lines(file: Iterable[str]) -> pd.DataFrame:
    """An object a line. What isn't there in some line is missing in that row."""
    rows = []
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.removeprefix("\ufeff"), object_pairs_hook=_object)
        except RecursionError:
            row = None
        except ValueError as error:
            raise ValueError(f"row {len(rows) + 1}, line {number}: no JSON ({error})") from error
        if not isinstance(row, dict):
            raise ValueError(f"row {len(rows) + 1}, line {number}: no JSON object, such as {{'text': ...}}")
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def _object(pairs: list[tuple]) -> dict:
    _check_names([name for name, _ in pairs])
    return dict(pairs)


# Bytes that aren't UTF-8


@contextmanager
def _told_of_bytes(path: Path) -> Iterator[None]:
    """Say of a file in another encoding which byte it is that isn't UTF-8, and what to do."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(_not_utf8(path)) from error


def _not_utf8(path: Path) -> str:
    """Where the first byte stands that isn't UTF-8."""
    with io.BufferedReader(Unpacked(path)) as file:
        block = file.read()
    if block.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is in UTF-16; save it as UTF-8"
    place = _first_fault(block)
    line = block.count(b"\n", 0, place) + 1
    return (
        f"byte {place + 1} of it, 0x{block[place]:02x} in line {line}, isn't UTF-8 (it may be Latin-1 or "
        "Windows-1252); save it as UTF-8"
    )


def _first_fault(block: bytes) -> int:
    """The place of the first byte that isn't UTF-8."""
    try:
        block.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    raise ValueError("it changed while it was read")


# Cells


def _ids(table: pd.DataFrame) -> pd.Series:
    """What the texts are called."""
    if "id" in table:
        return table["id"].map(_name)
    return pd.Series([f"row{i + 1}" for i in range(len(table))])


def _name(cell: object) -> str:
    """A cell as a name: without spaces around it; empty if nothing stands there."""
    return "" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell).strip()


def _is_split(cell: object) -> bool:
    return isinstance(cell, str) and cell in SPLITS


def _is_text(cell: object) -> bool:
    """Whether it is a text that can be written down again: JSON can hold halves of characters."""
    return isinstance(cell, str) and not re.search(r"[\ud800-\udfff]", cell)


def _meaning(classes: tuple[str, ...], task: str | None) -> Callable[[str], object]:
    """What a label stands for, None if for nothing.

    A class, by its name or its number from 0 (1 or 1.0): its code; in question answering its name, as there
    the answers are numbered later. Where a class's name is such a number, names alone count.
    """
    if not classes:
        return lambda label: label.lower() or None
    names, numbers = {}, {}
    for code, name in enumerate(classes):
        meant = name if task == "qa" else code
        names[name] = meant
        numbers[str(code)] = meant
        numbers[f"{code}.0"] = meant
    known = names if names.keys() & numbers.keys() else {**numbers, **names}
    return lambda label: known.get(label)


def _no_label(classes: tuple[str, ...]) -> str:
    if not classes:
        return "no label, which is the answer"
    return f"no label, or one that is none of {_few(classes)}"


def _few(classes: tuple[str, ...]) -> str:
    """The classes' names; of many the first."""
    return ", ".join(classes if len(classes) <= 10 else (*classes[:5], f"… ({len(classes)} in all)"))


def _hint(row: pd.Series, classes: tuple[str, ...]) -> str:
    """What the row's split or label may be meant to be. It names what is known, never what stands there."""
    if row["split"] not in SPLITS:
        split = _name(row["split"]).casefold()
        near = "dev" if split in _OTHER_SPLITS else nearest_of(split, SPLITS)
    else:
        near = nearest_of(_name(row["label"]), classes) if _name(row["label"]) else None
    return "" if near is None else f"; write {near!r} if that is meant, in this case and without spaces"
