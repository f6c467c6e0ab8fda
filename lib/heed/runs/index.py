"""All summaries of a results folder in one file, so that a folder of many runs is read in seconds.

`.summaries.parquet` holds the rows of every summary with each file's size, time and number on the disk. It is
brought up to date by what changed, appears whole or not at all, and is never trusted over the files: what
isn't as it says is read anew, and an index that is damaged, or of another version of heed, is made anew.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from joblib import Parallel, delayed

from heed import paths
from heed.errors import HeedError, why

NAME = ".summaries.parquet"
FILES = b"heed files"  # in its schema: of what files it is, and which heed wrote it
MOST = 4000  # files whose tables are held at a time, before they are joined
SEVERAL = 5  # so many times that many files are worth the start of several processes

Alike = tuple[pa.Table, list[str], list[int]]  # tables of one form joined, their files, their counts of rows
State = tuple[int, int, int]  # of a file: bytes, nanoseconds, and its number on the disk


@dataclass(frozen=True)
class Kept:
    """A file that was read: its state then, how many rows it has, and of which types its columns are."""

    state: State
    rows: int
    types: str


@dataclass(frozen=True)
class Gathered:
    """The rows of all summaries, in the order of their files.

    files: their paths within the results folder; of: of each row the place of its file among them; damaged:
    a sentence for each file that couldn't be read, by its path.
    """

    rows: pd.DataFrame
    files: list[str]
    of: np.ndarray
    damaged: dict[str, str]


def gather(results: Path, accepted: Callable[[pd.DataFrame], pd.DataFrame]) -> Gathered:
    """The rows of every summary*.parquet of a results folder, as `accepted` makes them of a table.

    accepted: raises an error of any kind for a table that is no summary; such a file is `damaged`.
    """
    states = dict(sorted(_states(results), key=lambda found: found[0].split("/")))
    rows, kept = _opened(results / NAME)
    known = {path: own for path, own in kept.items() if states.get(path) == own.state}
    new, damaged = _read(results, [path for path in states if path not in known], accepted)
    if not new and known.keys() == kept.keys() and [*known] == [path for path in states if path in known]:
        return _gathered(rows, kept, damaged)
    places = {path: place for place, path in enumerate(states)}
    parts, at = [rows] if len(kept) else [], [np.full(len(rows), -1)]
    begin = 0
    for path, own in kept.items():
        if path in known:
            at[0][begin : begin + own.rows] = places[path]
        begin += own.rows
    while new:
        table, paths_of, counts = new.pop(0)
        parts.append(table)
        at.append(np.repeat([places[path] for path in paths_of], counts))
        types = _types(table)
        known |= {
            path: Kept(states[path], count, types) for path, count in zip(paths_of, counts, strict=True)
        }
    files = {path: known[path] for path in states if path in known}
    rows = _joined(parts, np.concatenate(at), files)
    _write(results / NAME, rows, files)
    return _gathered(rows, files, damaged)


def _gathered(rows: pd.DataFrame, files: dict[str, Kept], damaged: dict[str, str]) -> Gathered:
    of = np.repeat(np.arange(len(files)), [own.rows for own in files.values()])
    return Gathered(rows, [*files], of, damaged)


def _joined(parts: list[pd.DataFrame], at: np.ndarray, files: dict[str, Kept]) -> pd.DataFrame:
    """The rows of these parts in the order of the files, as if each had been read and all put together.

    at: of each row the place of its file, below 0 of a file that is gone.
    """
    if not files:
        return pd.DataFrame()
    both = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
    parts.clear()  # the caller's, too: of many rows memory holds one copy less
    order = np.argsort(at, kind="stable")[(at < 0).sum() :]
    if not np.array_equal(order, np.arange(len(both))):
        both = both.take(order).reset_index(drop=True)
    blocks, begin = [], 0
    for types, own in groupby(files.values(), key=lambda one: one.types):
        end = begin + sum(one.rows for one in own)
        blocks.append((types, begin, end))
        begin = end
    if len({types for types, *_ in blocks}) == 1:
        return both if _types(both) == blocks[0][0] else both.astype(json.loads(blocks[0][0]))
    cast = [both.iloc[begin:end].astype(json.loads(types)) for types, begin, end in blocks]
    return pd.concat(cast, ignore_index=True)


def _types(table: pd.DataFrame) -> str:
    return json.dumps({name: str(kind) for name, kind in table.dtypes.items()})


def _states(results: Path) -> Iterator[tuple[str, State]]:
    """Path and state of every summary: CORPUS/MODEL/VARIANT/seedN/summary*.parquet."""
    for folder in run_folders(results):
        with contextlib.suppress(OSError), os.scandir(results / folder) as entries:
            for entry in entries:
                if entry.name.startswith("summary") and entry.name.endswith(".parquet"):
                    found = entry.stat()
                    yield f"{folder}/{entry.name}", (found.st_size, found.st_mtime_ns, found.st_ino)


def run_folders(results: Path) -> list[str]:
    """The folders of runs in a results folder, CORPUS/MODEL/VARIANT/seedN, in order."""
    found = [""]
    for depth in range(4):
        below = []
        for folder in found:
            with contextlib.suppress(OSError), os.scandir(results / folder) as entries:
                for entry in entries:
                    if entry.is_dir() and (depth < 3 or entry.name.startswith("seed")):
                        below.append(f"{folder}/{entry.name}" if folder else entry.name)
        found = below
    return sorted(found, key=lambda folder: folder.split("/"))


def _read(results: Path, new: list[str], accepted: Callable) -> tuple[list[tuple], dict[str, str]]:
    """The tables of these files, those of one form joined: each with its files and their counts of rows.

    Also a sentence for each that can't be read.
    """
    found, damaged = [], {}
    for alike, unread in _opened_in_parts(results, [new[at : at + MOST] for at in range(0, len(new), MOST)]):
        damaged |= unread
        for table, files, counts in alike:
            try:
                found.append((accepted(table.to_pandas()), files, counts))
            except Exception:  # of pandas, too: which of them is it?
                begin = 0
                for path, count in zip(files, counts, strict=True):
                    own = table.slice(begin, count)
                    begin += count
                    try:
                        found.append((accepted(own.to_pandas()), [path], [count]))
                    except Exception as error:
                        damaged[path] = why(error)
    return found, damaged


def _opened_in_parts(results: Path, parts: list[list[str]]) -> Iterator[tuple[list[Alike], dict[str, str]]]:
    """`_tables` of each part; of many parts by a process a core, as to decode is what takes the time.

    joblib's processes don't run the caller's script again: it needs no `if __name__ == "__main__"`.
    """
    if len(parts) < SEVERAL:
        yield from (_tables(results, part) for part in parts)
        return
    yield from Parallel(n_jobs=-1, return_as="generator")(delayed(_tables)(results, part) for part in parts)


def _tables(results: Path, files: list[str]) -> tuple[list[Alike], dict[str, str]]:
    """The files' tables, and a sentence for each that can't be read."""
    alike: dict[str, dict[str, pa.Table]] = {}
    damaged = {}
    for path in files:
        try:
            # Of bytes: to open a file and to seek in it costs more than to read all of it.
            table = pq.ParquetFile(pa.BufferReader((results / path).read_bytes())).read(use_threads=False)
            alike.setdefault(_form(table), {})[path] = table
        except Exception as error:  # on a damaged schema pyarrow raises errors of many kinds
            damaged[path] = why(error)
    joined = [
        (pa.concat_tables(own.values()).combine_chunks(), [*own], [len(table) for table in own.values()])
        for own in alike.values()
    ]
    return joined, damaged


def _form(table: pa.Table) -> str:
    """Of two tables that have the same, pandas makes columns of the same types."""
    metadata = dict(table.schema.metadata or {})
    said = json.loads(metadata.get(b"pandas", b"{}"))
    said.pop("index_columns", None)  # of how many rows
    return f"{table.schema.remove_metadata()} {json.dumps(said)}"


def _opened(path: Path) -> tuple[pd.DataFrame, dict[str, Kept]]:
    """What the index holds; nothing if it isn't there, can't be read, or is of another version of heed."""
    try:
        table = pq.ParquetFile(path).read(use_threads=False)
        said = json.loads((table.schema.metadata or {})[FILES])
        if said["library"] != paths.library_hash():
            return pd.DataFrame(), {}
        kept = {
            name: Kept(tuple(state), rows, said["types"][types]) for name, state, rows, types in said["files"]
        }
        if sum(own.rows for own in kept.values()) != len(table):
            return pd.DataFrame(), {}
        return table.to_pandas(split_blocks=True, self_destruct=True), kept
    except Exception:  # it is no more than a copy: whatever is wrong with it, the files are read
        return pd.DataFrame(), {}


def _write(path: Path, rows: pd.DataFrame, files: dict[str, Kept]) -> None:
    """Write the index; a folder that can't be written has none."""
    types = [*{own.types: None for own in files.values()}]
    numbers = {name: number for number, name in enumerate(types)}
    listed = [(name, own.state, own.rows, numbers[own.types]) for name, own in files.items()]
    said = json.dumps({"library": paths.library_hash(), "types": types, "files": listed})
    with contextlib.suppress(HeedError, pa.ArrowException):
        table = pa.Table.from_pandas(rows, preserve_index=False)
        table = table.replace_schema_metadata((table.schema.metadata or {}) | {FILES: said.encode()})
        with paths.writing(path) as aside:
            pq.write_table(table, aside, compression="zstd")
