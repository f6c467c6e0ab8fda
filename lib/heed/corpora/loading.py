"""The corpora, read into tokens, labels and, where it is known, the truth."""

import contextlib
import csv
import hashlib
import inspect
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from heed import paths
from heed.corpora import archives, classification, planted, questions, rationales, tokens, user_corpus
from heed.corpora.download import fetch, licensed
from heed.corpora.rationales import Marks
from heed.corpora.tokens import ENTITY, Vocabulary, tokenize
from heed.corpora.world import supporting
from heed.errors import HeedError, why
from heed.params import Params
from heed.progress import progress
from heed.registry import corpora

_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, csv.Error)
SPLITS = classification.SPLITS
# What a reader gives of a text; the first four at least.
COLUMNS = ["split", "id", "text", "label", "query", "facts", "excluded"]
MARKED = [*COLUMNS[:4], "marks"]  # and if the registry says that a corpus is `marked`
ASKED = {"qa": "Question", "nli": "Hypothesis"}  # what a text is asked, by task
BLOCK = 10_000  # texts that are cut into tokens at a time: CNN's would fill the memory
RUN = 2_000  # characters without a space: spaCy's time goes with their square, 1 s of these
TEXT = 1_000_000  # characters of a text at most; IMDB's longest has 14 thousand


@dataclass(frozen=True)
class Split:
    """The texts of one split, in the corpus's order; in question answering and inference, the passages.

    truth: a boolean array a text, or None. queries: the tokens of its question or hypothesis. allowed: the
    answers that may be given, as indices into the corpus's classes; None: all. excluded: how many texts the
    reader left out, by reason. rows: how many there were before those and before any filter. marks: what
    people marked in each text, or None: that is theirs, and no truth of any model.
    """

    ids: list[str]
    words: list[list[str]]
    labels: np.ndarray
    truth: list[np.ndarray] | None = None
    queries: list[list[str]] | None = None
    allowed: list[np.ndarray] | None = None
    excluded: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    marks: list[Marks] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def where(self, keep: np.ndarray) -> "Split":
        """The texts of which `keep` (booleans) is true."""
        chosen = np.flatnonzero(keep)
        kept = {}
        for name, values in vars(self).items():
            if isinstance(values, list):
                kept[name] = [values[i] for i in chosen]
        return replace(self, labels=self.labels[chosen], **kept)

    def only(self, places: list[np.ndarray]) -> "Split":
        """The words at these places of each text, in order; marks, which are of all of it, are left out."""
        words = [[own[i] for i in chosen] for own, chosen in zip(self.words, places, strict=True)]
        truth = None
        if self.truth is not None:
            truth = [own[chosen] for own, chosen in zip(self.truth, places, strict=True)]
        return replace(self, words=words, truth=truth, marks=None)

    def texts(self) -> Iterable[list[str]]:
        """Passages, then queries: what a vocabulary is made of."""
        return chain(self.words, self.queries or ())


@dataclass(frozen=True)
class Corpus:
    """A corpus as a run reads it: its splits after the length filter, its classes, its vocabulary.

    In question answering the classes are the answers that any question may have. Without dev (parameter
    `without_dev`) there is no such split.
    """

    name: str
    title: str
    classes: tuple[str, ...]
    splits: dict[str, Split]
    vocabulary: Vocabulary
    task: Literal["classification", "qa", "nli"] = "classification"


def load(p: Params) -> Corpus:
    """Read, filter and check the corpus that the parameters name. Raises HeedError if it can't be used."""
    entry = corpora()[p.corpus]
    task = entry.get("task", "classification")
    _check_dev(p, entry)
    whole = read(p.corpus, p)
    # The published sizes come out when texts that the length filter drops count, too.
    # A transformer that exists knows words that training has not.
    sources = whole if p.vocabulary_from == "all" or p.pretrained else ("train",)
    texts = _texts(whole, sources)
    for name in entry.get("joint", ()):
        if name != p.corpus:
            texts += _texts(read(name, p), sources)
    classes = _classes(entry, p, whole, texts)
    answers = classes if task == "qa" else ()  # are in the vocabulary, however rare
    vocabulary = Vocabulary.of(texts, 1 if p.pretrained else p.min_df, answers)
    if answers:
        whole = {name: _numbered(p.corpus, name, split, answers) for name, split in whole.items()}
    splits = {name: _filtered(p, name, split, len(classes)) for name, split in whole.items()}
    if task != "qa":
        _check_classes(p, splits["train"], classes)
    return Corpus(p.corpus, entry["title"], classes, splits, vocabulary, task)


def _texts(whole: dict[str, Split], splits: Iterable[str]) -> list[list[str]]:
    """All texts of some splits, passages and queries."""
    return [text for name in splits for text in whole[name].texts()]


def _classes(entry: dict, p: Params, whole: dict[str, Split], texts: list[list[str]]) -> tuple[str, ...]:
    """The classes; those of question answering are all words of these texts, or all entities of passages."""
    if "made" in entry:
        return planted.class_names(entry["made"], p)
    if "classes" in entry:
        return tuple(entry["classes"])
    found = set()
    if entry["answers"] == "words":
        for words in texts:
            found.update(words)
        return tuple(sorted(found))
    for split in whole.values():
        for words in split.words:
            found.update(words)
    entities = filter(ENTITY.fullmatch, found)
    return tuple(sorted(entities, key=lambda word: (len(word), word)))  # @entity2 before @entity10


def _numbered(corpus: str, name: str, split: Split, classes: tuple[str, ...]) -> Split:
    """Answers by their number among the classes; if they are entities, those of the passage are allowed."""
    code = {word: i for i, word in enumerate(classes)}
    for text_id, answer in zip(split.ids, split.labels, strict=True):
        if answer not in code:
            raise HeedError(
                f"corpus {corpus}, split {name}: the answer {answer!r} of text {text_id} is outside the "
                f"{len(classes)} answers that training knows. Correct the file, or train on more texts."
            )
    labels = np.array([code[answer] for answer in split.labels])
    if corpora()[corpus].get("answers") != "entities":
        return replace(split, labels=labels)
    allowed = []
    for words in split.words:
        entities = {code[word] for word in words if word in code}
        allowed.append(np.array(sorted(entities)))
    return replace(split, labels=labels, allowed=allowed)


def read(name: str, p: Params) -> dict[str, Split]:
    """All splits of a corpus before any filter; tokens of a downloaded one are kept in the cache.

    The labels of question answering are the answers' words; `load` numbers them.
    """
    entry = corpora()[name]
    if "made" in entry:
        sizes = {"train": p.made_train, "dev": p.made_dev, "test": p.made_test}
        return {s: Split(*planted.make(entry["made"], p, s, size), rows=size) for s, size in sizes.items()}
    table = _tokenized(name, entry, p)
    return {s: _split(table[table["split"] == s]) for s in _splits(entry, p)}


def _splits(entry: dict, p: Params) -> tuple[str, ...]:
    """The splits that a reader gives."""
    return ("train", "test") if p.without_dev and entry.get("can_be_without_dev") else SPLITS


def _split(rows: pd.DataFrame) -> Split:
    """A split of its rows in the tokenised corpus, without the texts that are left out."""
    read = len(rows)
    if "query" not in rows:
        words = [list(cell) for cell in rows["words"]]
        marks = None
        if "marks" in rows:
            marks = [Marks.of(cell) for cell in rows["marks"]]
        return Split(list(rows["id"]), words, rows["label"].to_numpy(), marks=marks, rows=read)
    is_excluded = rows["excluded"] != ""
    excluded = rows["excluded"][is_excluded].value_counts().to_dict()
    rows = rows[~is_excluded]
    words = [list(cell) for cell in rows["words"]]
    queries = [list(cell) for cell in rows["query"]]
    truth = None
    if rows["facts"].notna().all():
        truth = list(map(supporting, words, rows["facts"]))
    labels = rows["label"].to_numpy()
    return Split(list(rows["id"]), words, labels, truth, queries, excluded=excluded, rows=read)


def _filtered(p: Params, name: str, split: Split, classes: int) -> Split:
    """The texts that the length filter leaves. Raises HeedError if none is, or if a label can't be."""
    lengths = np.array([len(words) for words in split.words])
    keep = (lengths > p.longer_than) & (lengths < (p.shorter_than or np.inf))
    if p.drop_extremes and not p.longer_than:
        keep &= lengths > lengths.min()
    if p.drop_extremes and not p.shorter_than:
        keep &= lengths < lengths.max()
    kept = split.where(keep)
    where = f"corpus {p.corpus}, split {name}"
    if len(kept) == 0:
        raise HeedError(
            f"{where}: no text has more than {p.longer_than} and fewer than {p.shorter_than or 'any'} "
            "tokens. Change longer_than or shorter_than."
        )
    outside = kept.labels[(kept.labels < 0) | (kept.labels >= classes)]
    if len(outside):
        raise HeedError(
            f"{where}: label {outside.min()} is outside the set 0 to {classes - 1}. Correct the file."
        )
    return kept


def _check_dev(p: Params, entry: dict) -> None:
    """Raise HeedError if there is to be no dev split, and the corpus has one or the run needs it."""
    if not p.without_dev:
        return
    if not entry.get("can_be_without_dev"):
        able = [name for name, own in corpora().items() if own.get("can_be_without_dev")]
        raise HeedError(
            f"without_dev: corpus {p.corpus} has a dev split of its own. Leave the parameter out, or take "
            f"{', '.join(able)}."
        )
    for name in ("select_on", "adversary_select_on"):
        if getattr(p, name) == "dev":
            raise HeedError(f"{name} = 'dev': without_dev leaves no dev split. Give {name}: test.")


def _check_classes(p: Params, train: Split, classes: tuple[str, ...]) -> None:
    """Raise HeedError if a class can't be learnt. Dev and test may lack one; nothing is said of it there."""
    missing = [c for c in range(len(classes)) if c not in train.labels]
    if missing:
        raise HeedError(
            f"corpus {p.corpus}, split train: no text of class {missing[0]} ({classes[missing[0]]}) among "
            f"{len(train)}; training needs every class. Use a larger split or fewer classes."
        )


def cut_as(p: Params, name: str | None = None) -> tuple[str, bool, str]:
    """How the texts of a corpus, the run's own or one called otherwise, are cut: `tokenize`'s last three."""
    entry = corpora()[name or p.corpus]
    return p.digits or entry.get("digits", "qqq"), entry.get("apart", False), p.tokenizer


def _tokenized(name: str, entry: dict, p: Params) -> pd.DataFrame:
    """The tokenised corpus, made once for a file, a reader and a tokenizer, then read from the cache."""
    reader = READERS[entry["reader"]]
    path, checksum = source(name, entry)
    given = entry.get("given", ())
    if entry["reader"] == "own":
        given = tuple(entry.get("classes", ())), entry.get("task")
    if entry.get("can_be_without_dev"):
        given = (p.without_dev,)
    code = "".join(map(inspect.getsource, (inspect.getmodule(reader), archives, tokens)))
    how = cut_as(p, name)
    cut = version("spacy"), tokens.needs(p.tokenizer), str((how, given))
    key = hashlib.sha256("".join((checksum, code, *cut)).encode())
    target = paths.cache_folder() / "tokens" / f"{name}-{key.hexdigest()[:16]}.parquet"
    with paths.making(target) as missing:
        if missing:
            with paths.writing(target) as aside:
                by_rules, splits = tokens.by_rules(p.tokenizer), _splits(entry, p)
                columns = MARKED if entry.get("marked") else COLUMNS
                tables = _readable(
                    name, path, reader, *given, by_rules=by_rules, splits=splits, columns=columns
                )
                _write_tokens(aside, name, tables, how)
    try:
        return pd.read_parquet(target)
    except Exception as error:  # on a damaged schema pandas raises KeyError, TypeError and more
        raise HeedError(
            f"corpus {name}: {target} is damaged ({why(error)}). Delete it; it is made anew."
        ) from error


def _write_tokens(aside: Path, name: str, tables: Iterable[pd.DataFrame], how: tuple) -> None:
    """Write what a reader found to a Parquet file, its texts and queries as tokens, a table at a time."""
    with contextlib.ExitStack() as stack:
        writer = None
        for table in tables:
            if "marks" in table:
                marks = rationales.in_tokens(table["text"], table["marks"], tokenizer=how[-1])
                table["marks"] = [own.cell for own in marks]
            for column in table.columns.intersection(["text", "query"]):
                texts = progress(table[column], f"tokens of {name}, texts")
                table[column] = list(tokenize(texts, *how))
            tokens = pa.Table.from_pandas(table.rename(columns={"text": "words"}), preserve_index=False)
            if writer is None:  # the first table says what the columns hold
                writer = stack.enter_context(pq.ParquetWriter(aside, tokens.schema))
            writer.write_table(tokens)


def source(name: str, entry: dict) -> tuple[Path | dict[str, Path], str]:
    """A corpus's file, or its files by name, and a checksum over them."""
    if entry["reader"] == "own":
        return user_corpus.source(name, entry)
    if "file" in entry:
        return fetch(name, entry["file"])
    files, checksums = {}, {}
    if "licensed" in entry:
        for key, path in licensed(name, entry["licensed"]).items():
            files[key], checksums[key] = path, paths.sha256(path)
    else:
        for key, file in entry["files"].items():
            files[key], checksums[key] = fetch(name, file)
    together = "\0".join(f"{key} {checksum}" for key, checksum in sorted(checksums.items()))
    return files, paths.text_hash(together)


def partial(name: str) -> bool:
    """Whether the mirror that HEED_MIRROR names has only a part of this corpus."""
    return paths.mirror() is not None and corpora()[name].get("mirror_is_partial", False)


def _readable(
    name: str,
    path: Path | dict[str, Path],
    reader: Callable,
    *given,
    by_rules: bool = True,
    splits: tuple[str, ...] = SPLITS,
    columns: list[str] = COLUMNS,
) -> Iterator[pd.DataFrame]:
    """What the reader finds, BLOCK texts at a time, with the file's faults turned into one sentence.

    by_rules: whether a long run without a space is refused, as spaCy's rules would take too long for it.
    splits: those that must have texts. columns: what a row holds, or its first ones.
    """
    found = set()
    files = path.values() if isinstance(path, dict) else [path]
    where = ", ".join(map(str, dict.fromkeys(files)))
    try:
        rows = iter(reader(path, *given))
        while block := list(islice(rows, BLOCK)):
            table = pd.DataFrame(block, columns=columns[: len(block[0])])
            kept = table[table["excluded"] == ""] if "excluded" in table else table
            found.update(kept["split"])
            _check(name, kept, by_rules)
            yield table
    except (OSError, EOFError, LookupError, TypeError, ValueError, RuntimeError, *_DAMAGED) as error:
        entry = corpora().get(name, {})
        downloaded = "file" in entry and entry["reader"] != "own" or "files" in entry
        anew = ", or delete what was downloaded and let it be downloaded anew" if downloaded else ""
        instead = f", or take {entry['instead']}" if "instead" in entry else ""
        raise HeedError(
            f"corpus {name}: {where} is not the file that was expected ({why(error)}). "
            f"Correct it{anew}{instead}."
        ) from error
    for split in splits:
        if split not in found:
            raise HeedError(f"corpus {name}: {where} holds no {split} texts. Give a file that does.")


def _check(name: str, table: pd.DataFrame, by_rules: bool) -> None:
    """Raise HeedError if a text or a query is empty or too long."""
    for column in table.columns.intersection(["text", "query"]):
        empty = table[table[column].str.strip() == ""]
        if len(empty):
            row = empty.iloc[0]
            raise HeedError(
                f"corpus {name}: {column} {row['id']} of split {row['split']} is empty. "
                "Remove the row or fill it."
            )
        limits = [(table[column].str.len(), TEXT, "characters", "")]
        if by_rules:
            runs = table[column].map(lambda text: max(map(len, text.split())))
            instead = " If it is in a script without spaces, say so by `tokenizer` (characters, zh, ja)."
            limits.append((runs, RUN, "characters without a space", instead))
        for sizes, most, what, instead in limits:
            if (sizes > most).any():
                row = table[sizes > most].iloc[0]
                raise HeedError(
                    f"corpus {name}: {column} {row['id']} of split {row['split']} has {sizes[row.name]} "
                    f"{what}, at most {most} are read. Cut it up or remove the row.{instead}"
                )


READERS: dict[str, Callable] = {
    "sst": classification.read_sst,
    "imdb": classification.read_imdb,
    "imdb8": classification.read_imdb8,
    "zhang": classification.read_zhang,
    "20news": classification.read_20news,
    "agnews": classification.read_agnews,
    "movies": rationales.read_movies,
    "ade": classification.read_ade,
    "adr": classification.read_adr,
    "diabetes": classification.read_diabetes,
    "anemia": classification.read_anemia,
    "babi": questions.read_babi,
    "snli": questions.read_snli,
    "cnn": questions.read_cnn,
    "own": user_corpus.read,
}
# What a reader does to a text itself, before it is cut: a text that is typed needs it, too.
CLEANED: dict[str, Callable[[str], str]] = {
    "sst": classification.as_in_sst,
    "diabetes": classification.deidentified,
    "anemia": classification.deidentified,
}
