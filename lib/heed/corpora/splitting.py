"""The column `split` for a table of texts that has none: `python -m heed split my.csv`.

Stratified by label and seeded; texts that are equal but for case and spaces stay together, so that none is
trained on and tested on.
"""

import csv
import lzma
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from heed import paths
from heed.corpora.classification import SPLITS
from heed.corpora.user_corpus import table_of
from heed.errors import HeedError, nearest, why
from heed.registry import NAME, READ, classes_fault, corpora, unread

SHOWN = 30  # classes whose numbers are printed
_PACKING = (EOFError, zlib.error, lzma.LZMAError)
_DAMAGED = (LookupError, TypeError, ValueError, RuntimeError, csv.Error, *_PACKING)


@dataclass(frozen=True)
class Divided:
    """A table with its split, and where it was written. together: of each row the number of its text."""

    file: Path
    table: pd.DataFrame
    together: np.ndarray

    @property
    def classes(self) -> list[str]:
        """The labels in order: by size if all are numbers, else by letters."""
        names = self.table["label"].unique().tolist()
        try:
            return sorted(names, key=float)
        except ValueError:
            return sorted(names)


def split_file(
    file: str | Path,
    out: str | Path | None = None,
    names: dict[str, str] | None = None,
    dev: float = 0.1,
    test: float = 0.2,
    seed: int = 0,
    force: bool = False,
    force_split: bool = False,
) -> Divided:
    """Read a table of texts, divide its rows, and write it as CSV: split, text, label and all other columns.

    names: what the columns text, label and query are called in the file, if otherwise. out: by default
    NAME-split.csv beside the file; an existing one is overwritten only with `force`. A column `split` that is
    there already is replaced only with `force_split`. Raises HeedError.
    """
    if not (dev > 0 and test > 0 and dev + test < 1):
        raise HeedError(f"--dev {dev:g}, --test {test:g}: both must be above 0, and their sum below 1.")
    if seed < 0:
        raise HeedError(f"--seed {seed}: it must be 0 or more.")
    path = Path(file).expanduser()
    target = _target(path, out, force)
    table = _with_names(path, read_table(path), names or {}, force_split)
    table["label"] = [_label(cell) for cell in table["label"]]
    _check_rows(path, table)
    together = same_texts(table)
    shares = np.array([1 - dev - test, dev, test])
    table.insert(0, "split", np.array(SPLITS)[divide(together, table["label"].to_numpy(), shares, seed)])
    with paths.writing(target) as aside:
        # Python quotes what its line end consists of: with another one a lone \r would end a row.
        table.to_csv(aside, index=False, lineterminator="\r\n", errors="backslashreplace")
    return Divided(target, table, together)


def _target(path: Path, out: str | Path | None, force: bool) -> Path:
    """The file to be written. Raises HeedError if it isn't to be."""
    stem = path.name
    for ending in READ:
        if path.name.lower().endswith(ending):
            stem = path.name[: -len(ending)]
    target = path.with_name(f"{stem}-split.csv") if out is None else Path(out).expanduser()
    if target.suffix.lower() != ".csv":
        raise HeedError(f"--out {target}: a CSV file is written. Give a name that ends in .csv.")
    if target.exists() and path.exists() and target.samefile(path):
        raise HeedError(f"--out {target} is the file that is read. Give another name.")
    if target.exists() and not force:
        raise HeedError(
            f"{target} is there already. Give another name with --out, or --force to overwrite it."
        )
    return target


def read_table(path: Path) -> pd.DataFrame:
    """A table of texts, as a corpus of one's own is read. Raises HeedError if it can't be."""
    fault = unread(path.name)
    if fault:
        raise HeedError(fault)
    try:
        return table_of(path)
    except OSError as error:
        raise HeedError(f"{path} can't be read: {error.strerror or error}. Correct its name.") from error
    except _DAMAGED as error:
        raise HeedError(f"{path} can't be read ({why(error)}). Correct it.") from error


def _with_names(path: Path, table: pd.DataFrame, names: dict[str, str], force_split: bool) -> pd.DataFrame:
    """The table with its columns called text, label and, where there is one, query; they come first."""
    if "split" in table and not force_split:
        raise HeedError(
            f"{path} has a column 'split' already. Take the file as it is, or divide it anew with "
            "--force-split."
        )
    table = table.drop(columns="split", errors="ignore")
    called = {"text": "text", "label": "label"} | {name: own for name, own in names.items() if own}
    for name, own in called.items():
        if own not in table:
            known = [str(column) for column in table.columns]
            raise HeedError(
                f"{path} has no column {own!r}.{nearest(own, known)} Its columns are {', '.join(known)}; "
                f"say with --{name} which of them is the {name}."
            )
        if own != name and name in table:
            raise HeedError(f"{path} has a column {name!r} beside {own!r}, the {name}. Rename or remove it.")
    if len(set(called.values())) < len(called):
        raise HeedError(
            f"--text, --label and --query must be different columns, not {', '.join(called.values())}."
        )
    table = table.rename(columns={own: name for name, own in called.items()})
    first = [name for name in ("text", "label", "query") if name in table]
    return table[[*first, *table.columns.drop(first)]]


def _check_rows(path: Path, table: pd.DataFrame) -> None:
    """Raise HeedError if a row has no text, query or label, or if the labels can't be classes."""
    for name in table.columns.intersection(["text", "query", "label"]):
        lacking = [not _is_text(cell) for cell in table[name]]
        if any(lacking):
            more = f" (nor have {sum(lacking) - 1} others)" if sum(lacking) > 1 else ""
            raise HeedError(
                f"{path}: row {lacking.index(True) + 1} has no {name}{more}. Remove it or fill it."
            )
    labels = table["label"].unique().tolist()
    if len(labels) < 2:
        raise HeedError(f"{path}: no two rows have different labels. Give a table of two classes or more.")
    fault = "" if "query" in table else classes_fault(labels)  # answers are words in any case
    if fault:
        raise HeedError(f"{path}: of the labels {fault}. Make them one.")


def _label(cell: object) -> str:
    """A cell as a class's name: without spaces around it, a whole number without a point."""
    if not pd.api.types.is_scalar(cell) or pd.isna(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def _is_text(cell: object) -> bool:
    """Whether it is a text that can be written: JSON can hold halves of characters."""
    return isinstance(cell, str) and bool(cell.strip()) and not re.search(r"[\ud800-\udfff]", cell)


def same_texts(table: pd.DataFrame) -> np.ndarray:
    """The number of each row's text, or text and query: those equal but for case and spaces have one."""
    parts = [[_folded(cell) for cell in table[name]] for name in ("text", "query") if name in table]
    numbers = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in zip(*parts, strict=True)])


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def divide(together: np.ndarray, labels: np.ndarray, shares: np.ndarray, seed: int) -> np.ndarray:
    """The split of each row, a number: rows of one text (their numbers, from 0, in `together`) share one.

    Each class is divided by itself, a text of several labels with its most frequent one. scikit-learn's
    splitters may leave a rare class out of a split; here a class of three texts or more is in all three.
    """
    rng = np.random.default_rng(seed)
    counts = pd.DataFrame({"text": together, "label": labels}).value_counts(sort=False).reset_index()
    texts = counts.sort_values(["count", "label"], ascending=[False, True]).drop_duplicates("text")
    sizes = np.bincount(together)
    found = np.zeros(len(sizes), dtype=int)
    for _, own in texts.groupby("label"):
        mixed = rng.permutation(own["text"].sort_values())
        mixed = mixed[np.argsort(-sizes[mixed], kind="stable")]
        found[mixed] = places(sizes[mixed], shares)
    return found[together]


def places(sizes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The split of each of a class's texts, which have so many rows each, the largest first.

    Each text goes where the most rows are still wanting; the last ones go to splits that would stay empty.
    """
    wanting, found = shares * sizes.sum(), np.zeros(len(sizes), dtype=int)
    empty = set(range(len(shares)))
    for i, size in enumerate(sizes):
        place = wanting.argmax()
        if len(sizes) - i <= len(empty):
            place = max(sorted(empty), key=wanting.__getitem__)
        found[i] = place
        wanting[place] -= size
        empty.discard(place)
    return found


# What is said of it


def report(divided: Divided) -> str:
    """How many rows each split and class got, what is odd about the texts, and the YAML for params/."""
    table = divided.table
    counts = pd.crosstab(table["label"], table["split"])
    counts = counts.reindex(index=divided.classes, columns=SPLITS, fill_value=0)
    shown = counts.head(SHOWN).rename(index=_visible)
    shown.loc["all"] = counts.sum()
    parts = [
        f"{divided.file}: {len(table)} rows.",
        shown.rename_axis(index="label", columns=None).to_string(),
    ]
    parts += [*_oddities(divided, counts), _description(divided)]
    if len(counts) > SHOWN:
        parts[1] += f"\n(of {len(counts)} labels the first {SHOWN} are listed)"
    return "\n\n".join(parts)


def _oddities(divided: Divided, counts: pd.DataFrame) -> list[str]:
    """Repeated texts, texts of several labels, classes that aren't in each split: a sentence each."""
    found, texts = [], divided.together
    pair = "text and query" if "query" in divided.table else "text"
    again = len(texts) - len(np.unique(texts))
    if again:
        found.append(
            f"{again} rows repeat the {pair} of an earlier one, but for case and spaces. Equal ones were "
            "kept together: none is in two splits."
        )
    labels = divided.table["label"].to_numpy()
    first = pd.Series(labels).groupby(texts).transform("first").to_numpy()
    others = np.flatnonzero(labels != first)
    if len(others):
        rows = np.flatnonzero(texts == texts[others[0]])[0] + 1, others[0] + 1
        found.append(
            f"{len(np.unique(texts[others]))} of the texts have several labels, such as rows {rows[0]} and "
            f"{rows[1]}: no model can get all of them right. Correct them, if they are mistakes."
        )
    lacking = [_visible(name) for name in counts.index[(counts == 0).any(axis=1)]]
    if lacking:
        few = lacking if len(lacking) <= 10 else [*lacking[:10], f"… ({len(lacking)} in all)"]
        found.append(
            f"Not in each split, for want of three different texts: {', '.join(few)}. Nothing is measured "
            "of a class where it is missing, and train must have them all (but for answers, with task: qa)."
        )
    return found


def _visible(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _description(divided: Divided) -> str:
    """What to put into params/NAME.yaml."""
    inside = divided.file.resolve().parent == paths.PARAMS.resolve()
    own = {"file": divided.file.name if inside else str(divided.file.resolve())}
    asks = "query" in divided.table
    if asks:
        own["task"] = "nli"
    own["classes"] = divided.classes
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", divided.file.stem.removesuffix("-split")).strip("-")
    if not NAME.fullmatch(name) or name in corpora():
        name = "mine"
    hint = " (task: qa, and no classes, if the label is the answer to the query)" if asks else ""
    text = yaml.safe_dump({"own": own}, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return f"For params/{name}.yaml{hint}:\n\n{text}"
