"""The corpora, read into tokens, labels and, where it is known, the truth."""

import hashlib
import inspect
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from heed import made, own, paths, readers, text
from heed.download import fetch, licensed, mirror
from heed.errors import HeedError, why
from heed.params import Params, corpora
from heed.progress import progress
from heed.text import Vocabulary, tokenize

_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)
SPLITS = readers.SPLITS
TEXT = 1_000_000  # characters of a text at most; IMDB's longest has 14 thousand


@dataclass(frozen=True)
class Split:
    """The texts of one split, in the corpus's order. `truth`: a boolean array a text, or None."""

    ids: list[str]
    words: list[list[str]]
    labels: np.ndarray
    truth: list[np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def where(self, keep: np.ndarray) -> "Split":
        """The texts of which `keep` (booleans) is true."""
        chosen = np.flatnonzero(keep)
        truth = None if self.truth is None else [self.truth[i] for i in chosen]
        return Split(
            [self.ids[i] for i in chosen], [self.words[i] for i in chosen], self.labels[chosen], truth
        )


@dataclass(frozen=True)
class Corpus:
    """A corpus as a run reads it: its splits after the length filter, its classes, its vocabulary."""

    name: str
    title: str
    classes: tuple[str, ...]
    splits: dict[str, Split]
    vocabulary: Vocabulary


def load(p: Params) -> Corpus:
    """Read, filter and check the corpus that the parameters name. Raises HeedError if it can't be used."""
    entry = corpora()[p.corpus]
    whole = read(p.corpus, p)
    classes = made.class_names(entry["made"], p) if "made" in entry else tuple(entry["classes"])
    splits = {name: _filtered(p, name, split, len(classes)) for name, split in whole.items()}
    # The published sizes come out when texts that the length filter drops count, too.
    sources = SPLITS if p.vocabulary_from == "all" else ("train",)
    vocabulary = Vocabulary.of((words for s in sources for words in whole[s].words), p.min_df)
    return Corpus(p.corpus, entry["title"], classes, splits, vocabulary)


def read(name: str, p: Params) -> dict[str, Split]:
    """All splits of a corpus before any filter; tokens of a downloaded one are kept in the cache."""
    entry = corpora()[name]
    if "made" in entry:
        sizes = {"train": p.made_train, "dev": p.made_dev, "test": p.made_test}
        return {s: Split(*made.make(entry["made"], p, s, size)) for s, size in sizes.items()}
    table = _tokenized(name, entry)
    return {s: _split(table[table["split"] == s]) for s in SPLITS}


def _split(rows: pd.DataFrame) -> Split:
    return Split(list(rows["id"]), [list(words) for words in rows["words"]], rows["label"].to_numpy())


def _filtered(p: Params, name: str, split: Split, classes: int) -> Split:
    lengths = np.array([len(words) for words in split.words])
    keep = (lengths > p.longer_than) & (lengths < (p.shorter_than or np.inf))
    if p.drop_extremes:
        keep &= lengths > (0 if p.longer_than else lengths.min())
        keep &= lengths < (np.inf if p.shorter_than else lengths.max())
    kept = split.where(keep)
    where = f"corpus {p.corpus}, split {name}"
    if len(kept) == 0:
        raise HeedError(
            f"{where}: no text has more than {p.longer_than} and fewer than {p.shorter_than or 'any'} "
            "tokens. Change longer_than or shorter_than."
        )
    outside = sorted(set(kept.labels.tolist()) - set(range(classes)))
    if outside:
        raise HeedError(
            f"{where}: label {outside[0]} is outside the set 0 to {classes - 1}. Correct the file."
        )
    missing = sorted(set(range(classes)) - set(kept.labels.tolist()))
    if missing:
        raise HeedError(
            f"{where}: no text of class {missing[0]} among {len(kept)}; training and F1 need every class. "
            "Use a larger split or fewer classes."
        )
    return kept


def _tokenized(name: str, entry: dict) -> pd.DataFrame:
    """The tokenised corpus, made once for a file, a reader and a tokenizer, then read from the cache."""
    mine, reader = entry["reader"] == "own", READERS[entry["reader"]]
    path, checksum = _source(name, entry)
    code = inspect.getsource(reader) + inspect.getsource(text) + version("spacy")
    how = entry.get("digits", "qqq"), entry.get("apart", False)
    key = hashlib.sha256((checksum + code + str(how)).encode()).hexdigest()[:16]
    target = paths.cache_folder() / "tokens" / f"{name}-{key}.parquet"
    with paths.making(target) as missing:
        if missing:
            table = _readable(name, path, reader, *(entry["classes"] if mine else ()))
            table["words"] = list(tokenize(progress(table.pop("text"), f"tokens of {name}, texts"), *how))
            with paths.writing(target) as aside:
                table.to_parquet(aside, index=False)
    try:
        return pd.read_parquet(target)
    except Exception as error:  # on a damaged schema pandas raises KeyError, TypeError and more
        raise HeedError(
            f"corpus {name}: {target} is damaged ({why(error)}). Delete it; it is made anew."
        ) from error


def _source(name: str, entry: dict) -> tuple[Path | dict[str, Path], str]:
    """A corpus's file, or its files by name, and a checksum over them."""
    if entry["reader"] == "own":
        return own.source(name, entry)
    if "file" in entry:
        return fetch(name, entry["file"])
    if "licensed" in entry:
        found = {k: (path, paths.sha256(path)) for k, path in licensed(name, entry["licensed"]).items()}
    else:
        found = {key: fetch(name, file) for key, file in entry["files"].items()}
    checksum = paths.text_hash("\0".join(f"{key} {sha}" for key, (_, sha) in sorted(found.items())))
    return {key: path for key, (path, _) in found.items()}, checksum


def partial(name: str) -> bool:
    """Whether the mirror that HEED_MIRROR names has only a part of this corpus."""
    return mirror() is not None and corpora()[name].get("mirror_is_partial", False)


def _readable(name: str, path: Path | dict[str, Path], reader: Callable, *given: str) -> pd.DataFrame:
    """What the reader finds, with the file's faults turned into one sentence."""
    try:
        table = pd.DataFrame(reader(path, *given), columns=["split", "id", "text", "label"])
    except (OSError, EOFError, LookupError, TypeError, ValueError, RuntimeError, *_DAMAGED) as error:
        raise HeedError(
            f"corpus {name}: {path} is not the file that was expected ({why(error)}). "
            "Correct it, or delete a downloaded one and let it be downloaded anew."
        ) from error
    for split in SPLITS:
        if not (table["split"] == split).any():
            raise HeedError(f"corpus {name}: {path} holds no {split} texts. Give a file that does.")
    empty = table[table["text"].str.strip() == ""]
    if len(empty):
        row = empty.iloc[0]
        raise HeedError(
            f"corpus {name}: text {row['id']} of split {row['split']} is empty. Remove the row or fill it."
        )
    long = table[table["text"].str.len() > TEXT]
    if len(long):
        row = long.iloc[0]
        raise HeedError(
            f"corpus {name}: text {row['id']} of split {row['split']} has {len(row['text'])} characters, at "
            f"most {TEXT} are read. Cut it up or remove the row."
        )
    return table


READERS: dict[str, Callable] = {
    "sst": readers.read_sst,
    "imdb": readers.read_imdb,
    "imdb8": readers.read_imdb8,
    "zhang": readers.read_zhang,
    "20news": readers.read_20news,
    "agnews": readers.read_agnews,
    "ade": readers.read_ade,
    "adr": readers.read_adr,
    "diabetes": readers.read_diabetes,
    "anemia": readers.read_anemia,
    "own": own.read,
}
