"""The readers of the corpora in data/registry.yaml: from official files to split, id, text and label.

Each yields rows in an order that the files alone decide, and raises ValueError, naming the file, where they
are not what was expected. Preparation follows Jain & Wallace (2019) and its code.
"""

import csv
import re
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from heed.corpora.archives import files_of, member_of, naming, text_of
from heed.corpora.tokens import tokenize

Rows = Iterator[tuple[str, str, str, int]]
SPLITS = ("train", "dev", "test")
TAKEN_OUT = "deidentified"  # stands for [**...**] in MIMIC's notes: a word, which the tokenizer leaves whole
CHUNK = 20_000  # notes read at a time: a discharge summary has some 10 kB


def divided(rows: list, share: float, seed: int, stratify: bool = False) -> tuple[list, list]:
    """The authors' call: sklearn's train_test_split, the second part being `share` of the rows."""
    from sklearn.model_selection import train_test_split  # takes seconds, and is needed once

    labels = [row[2] for row in rows] if stratify else None
    return train_test_split(rows, test_size=share, random_state=seed, stratify=labels)


def named(**splits: list) -> Iterator[tuple]:
    """The rows of each split with its name before them."""
    for split, rows in splits.items():
        yield from ((split, *row) for row in rows)


def read_sst(path: Path) -> Rows:
    """Roots of the PTB trees: label 2 dropped, 0-1 negative, 3-4 positive; the leaves are the text."""
    leaf = re.compile(r"\(\d ([^()]+)\)")
    with zipfile.ZipFile(path) as archive:
        for split in SPLITS:
            with naming(f"trees/{split}.txt"):
                lines = member_of(archive, f"trees/{split}.txt").decode("utf-8").splitlines()
            for number, line in enumerate(lines):
                if not re.match(r"\([0-4] ", line):
                    raise ValueError(f"trees/{split}.txt, line {number + 1}: no tree with a root label 0-4")
                root = int(line[1])
                words = " ".join(leaf.findall(line)).replace("-LRB-", " ").replace("-RRB-", " ")
                if root != 2:
                    yield split, f"{split}-{number}", letters_alone(words), int(root > 2)


def letters_alone(text: str) -> str:
    """A text without what is no letter, digit or _: SST has no punctuation, and `n't` is two words."""
    return re.sub(r"\W+", " ", text)


def as_in_sst(text: str) -> str:
    """Any text as SST's are: cut into words first, as the treebank was."""
    (words,) = tokenize([text], "keep")
    return letters_alone(" ".join(words))


def read_imdb(path: Path) -> Rows:
    """Raw reviews; training 80/20 into train and dev, test a 20 % sample of the test half (seed 1378)."""
    rows = {"train": [], "test": []}
    for match, file in files_of(path, r"aclImdb/(train|test)/(neg|pos)/(\d+_\d+)\.txt"):
        half, label, name = match.groups()
        with naming(match[0]):
            review = file.read().decode("utf-8").replace("<br />", " ")
        rows[half].append((f"{half}-{label}-{name}", review, int(label == "pos")))
    if not rows["train"] or not rows["test"]:
        raise ValueError("no aclImdb/{train,test}/{neg,pos}/*.txt in it")
    train, dev = divided(sorted(rows["train"]), 0.2, 1378)
    _, test = divided(sorted(rows["test"]), 0.2, 1378)
    return named(train=train, dev=dev, test=test)


def read_imdb8(path: Path) -> Rows:
    """The same reviews with their ratings, which the files' names hold: 1 to 4 and 7 to 10, as 0 to 7."""
    ratings = (1, 2, 3, 4, 7, 8, 9, 10)
    for split, name, review, _ in read_imdb(path):
        rating = int(name.rpartition("_")[2])
        if rating not in ratings:
            raise ValueError(f"{name}: a rating of {rating}, expected 1 to 4 or 7 to 10")
        yield split, name, review, ratings.index(rating)


def read_zhang(source: Path | dict[str, Path]) -> Rows:
    """Class from 1 on, then fields of text, which are joined; \\n is a line break. Dev: a tenth of train.

    The form of Zhang, Zhao and LeCun (2015): train.csv and test.csv, as files or in one tar.
    """
    halves = dict(_csvs(source))
    if not halves.keys() >= {"train", "test"}:
        raise ValueError("no train.csv and test.csv in it")
    train, dev = divided(halves["train"], 0.1, 0)
    return named(train=train, dev=dev, test=halves["test"])


def _csvs(source: Path | dict[str, Path]) -> Iterator[tuple[str, list]]:
    """train and test, each with its rows: id, text, label."""
    if isinstance(source, dict):
        for half, path in source.items():
            with naming(path.name), text_of(path) as file:
                yield half, _classed(half, file)
        return
    for match, file in files_of(source, r"(?:.*/)?(train|test)\.csv", 2**32):
        with naming(match[0]):
            yield match[1], _classed(match[1], (line.decode() for line in file))


def _classed(half: str, file: Iterator[str]) -> list:
    """The rows of one half, whose first field is the class: id, text, label. Empty lines don't count."""
    found = []
    rows = filter(None, csv.reader(file, strict=True))
    for number, (label, *fields) in enumerate(rows, 1):
        if not re.fullmatch("[1-9][0-9]?", label) or not fields:
            raise ValueError(f"{half}.csv, row {number}: not a class from 1 on and fields of text")
        text = " ".join(fields).replace("\\n", " ")
        if text.strip():
            found.append((f"{half}{number}", text, int(label) - 1))
    if not found:
        raise ValueError(f"{half}.csv is empty")
    return found


# How many messages each group has in each half of 'bydate', groups by name.
GROUPS = {
    "train": "480 584 591 590 578 593 585 594 598 597 600 595 591 594 593 599 546 564 465 377",
    "test": "319 389 394 392 385 395 390 396 398 397 399 396 393 396 394 398 364 376 310 251",
}
BASEBALL, HOCKEY = 9, 10  # their places


def read_20news(path: Path, without_dev: bool = False) -> Rows:
    """Baseball (0) and hockey (1) of both halves of 'bydate', as scikit-learn reads and orders them.

    Headers, footers and quotes are stripped, in that order; what is empty then is left out. without_dev: as
    the authors first had it: no dev split, and the empty ones are left out after the division.
    """
    from sklearn.datasets import _twenty_newsgroups as news  # sklearn's own way to remove them

    found: dict[tuple[str, int], list] = {}
    for match, file in files_of(path, r"20news-bydate-(train|test)/rec\.sport\.(baseball|hockey)/(\d+)"):
        half, group, number = match.groups()
        text = news.strip_newsgroup_header(file.read().decode("latin-1"))
        text = news.strip_newsgroup_quoting(news.strip_newsgroup_footer(text))
        row = f"{group}-{number}", text, int(group == "hockey")
        found.setdefault((half, HOCKEY if group == "hockey" else BASEBALL), []).append((number, row))
    if len(found) < 4:
        raise ValueError("no 20news-bydate-{train,test}/rec.sport.{baseball,hockey}/NUMBER in it")
    rows = _in_sklearns_order({at: [row for _, row in sorted(own)] for at, own in found.items()})
    if without_dev:
        train, test = divided(rows, 0.2, 13478, stratify=True)
        return (row for row in named(train=train, test=test) if row[2].strip())
    rest, test = divided([row for row in rows if row[1].strip()], 0.2, 13478, stratify=True)
    train, dev = divided(rest, 0.2, 13478, stratify=True)
    return named(train=train, dev=dev, test=test)


def _in_sklearns_order(messages: dict[tuple[str, int], list]) -> list:
    """These messages, by half and group, as `fetch_20newsgroups(subset="all")` orders all twenty groups.

    It shuffles each half, and then both together; the groups that aren't asked for hold their places.
    """
    together = []
    for half, sizes in GROUPS.items():
        places = []
        for group, size in enumerate(sizes.split()):
            places += messages.get((half, group), [None] * int(size))
        together += _shuffled(places, 0)
    return [row for row in _shuffled(together, 42) if row]


def _shuffled(values: list, seed: int) -> list:
    """As sklearn shuffles: their indices, by numpy's older generator."""
    order = np.arange(len(values))
    np.random.RandomState(seed).shuffle(order)
    return [values[i] for i in order]


def read_agnews(paths: dict[str, Path]) -> Rows:
    """Descriptions of world (class 1, label 0) and business (3, label 1) news; dev is 15 % of train."""

    def rows(half: str) -> list:
        path, found = paths[half], []
        with naming(path.name), text_of(path) as file:
            for number, row in enumerate(csv.reader(file, strict=True), 1):
                if len(row) != 3 or row[0] not in ("1", "2", "3", "4"):
                    raise ValueError(f"{path.name}, row {number}: not class 1 to 4, title, description")
                if row[0] in "13" and row[2].strip():
                    found.append((f"{half}{number}", row[2], int(row[0] == "3")))
        if not found:
            raise ValueError(f"{path.name} is empty, or has no news of class 1 and 3")
        return found

    train, dev = divided(rows("train"), 0.15, 16377)
    return named(train=train, dev=dev, test=rows("test"))


def read_ade(paths: dict[str, Path]) -> Rows:
    """Sentences of case reports that state an adverse drug effect (1) or don't (0), split by PubMed id."""
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(_lines(paths["positive"], "DRUG-AE.rel"), 1):
        article, *cells = line.split("|")
        if len(cells) != 7:
            raise ValueError(f"DRUG-AE.rel, line {number}: not 8 cells parted by |")
        found.setdefault(cells[0], (article, 1))  # a sentence stands once for each effect that it states
    for number, line in enumerate(_lines(paths["negative"], "ADE-NEG.txt"), 1):
        article, _, sentence = line.partition(" NEG ")
        if not sentence:
            raise ValueError(f"ADE-NEG.txt, line {number}: not PUBMED-ID NEG SENTENCE")
        found.setdefault(sentence, (article, 0))
    articles = sorted({article for article, _ in found.values()})
    rest, test = divided(articles, 0.2, 16377)
    train, dev = divided(rest, 0.125, 16377)
    split_of = {}
    for split, part in (("train", train), ("dev", dev), ("test", test)):
        for article in part:
            split_of[article] = split
    for number, (sentence, (article, label)) in enumerate(found.items()):
        yield split_of[article], f"{article}-{number}", sentence, label


def _lines(path: Path, name: str) -> list[str]:
    """The lines of a file, or of an archive's member of that name; there are some, the last one whole."""
    if path.suffix != ".zip":
        data = path.read_bytes()
    else:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.namelist() if Path(member).name == name]
            data = member_of(archive, members[0]) if members else b""
    if not data:
        raise ValueError(f"no {name} in it, or nothing in that")
    if not data.endswith(b"\n"):  # a sentence that is cut short is still one
        raise ValueError(f"{name} is cut short: no line break ends it")
    with naming(name):
        return data.decode("utf-8").splitlines()


def read_adr(paths: dict[str, Path]) -> Rows:
    """Tweets that state an adverse drug reaction (1) or don't (0): columns text, label, exp_split."""
    path = paths["tweets"]
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    for column in ("text", "label", "exp_split"):
        if column not in table:
            raise ValueError(f"{path.name}: column {column!r} is missing")
    wrong = ~table["label"].isin(["0", "1"]) | ~table["exp_split"].isin(["train", "test"])
    if wrong.any():
        raise ValueError(f"{path.name}, row {int(wrong.idxmax()) + 1}: label 0 or 1, exp_split train or test")
    table["id"] = [f"tweet{i + 1}" for i in range(len(table))]
    rows = {"train": [], "test": []}
    for half, own in table.groupby("exp_split"):
        rows[half] = list(zip(own["id"], own["text"], own["label"].astype(int), strict=True))
    train, dev = divided(rows["train"], 0.15, 16377)
    return named(train=train, dev=dev, test=rows["test"])


def _summaries(path: Path) -> dict[str, str]:
    """MIMIC-III's discharge summaries: admission to its text, the report before its addenda, in chunks."""
    columns = ["SUBJECT_ID", "HADM_ID", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT"]
    notes: dict[str, tuple[list[str], list[str]]] = {}  # reports and addenda of each admission
    how = {"usecols": columns, "dtype": str, "keep_default_na": False, "chunksize": CHUNK}
    for chunk in pd.read_csv(_uncut(path), **how):
        is_summary = chunk["CATEGORY"].str.strip() == "Discharge summary"
        chunk = chunk[is_summary & (chunk["ISERROR"] == "") & (chunk["HADM_ID"] != "")]
        for row in chunk.itertuples():
            if not row.TEXT.strip():  # pandas fills up a row that lacks its last cells
                raise ValueError(f"{path.name}, row {row.Index + 1}: a discharge summary without text")
            reports, addenda = notes.setdefault(row.HADM_ID.removesuffix(".0"), ([], []))
            if row.DESCRIPTION == "Report":
                reports.append(row.TEXT)
            else:
                addenda.append(row.TEXT)
    if not notes:
        raise ValueError(f"{path.name}: no note of CATEGORY 'Discharge summary' without ISERROR")
    return {
        admission: deidentified("\n".join(reports + addenda))
        for admission, (reports, addenda) in notes.items()
    }


def deidentified(text: str) -> str:
    """One word for what was taken out; of a character repeated, spaced or not, one stays."""
    text = re.sub(r"\[\*\*.*?\*\*\]", f" {TAKEN_OUT} ", text, flags=re.DOTALL)
    return re.sub(r"([^a-zA-Z0-9])(?:\s*\1)+", r"\1 ", text)


def _uncut(path: Path) -> Path:
    """The path, if the file ends with a whole line."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 1, 0))
        if file.read() != b"\n":  # pandas fills up a row that is cut short
            raise ValueError(f"{path.name} is empty or cut short: no line break ends it")
    return path


def _held(path: Path, wanted: Collection[str], held: Collection[str], what: str) -> None:
    """Raise ValueError if not all wanted admissions are among those that a file holds."""
    lacking = sum(admission not in held for admission in wanted)
    if lacking:
        raise ValueError(f"{path.name}: of {len(wanted)} admissions, {lacking} have no {what} in it")


def _codes(path: Path) -> dict[str, set[str]]:
    """Admission to its ICD-9 codes, written without a dot."""
    table = pd.read_csv(_uncut(path), usecols=["HADM_ID", "ICD9_CODE"], dtype=str, keep_default_na=False)
    found: dict[str, set] = {}
    for admission, code in zip(table["HADM_ID"], table["ICD9_CODE"], strict=True):
        found.setdefault(admission.removesuffix(".0"), set()).add(code.replace(".", ""))
    return found


def read_diabetes(paths: dict[str, Path]) -> Rows:
    """Discharge summaries of the listed admissions; positive where a code starts with 250.00."""
    texts, codes, seen = _summaries(paths["notes"]), _codes(paths["codes"]), {}
    for split in SPLITS:
        with naming(paths[split].name):
            listed = paths[split].read_text(encoding="utf-8").split()
        for admission in listed:
            if admission in seen:
                raise ValueError(f"{paths[split].name}: {seen[admission]} lists admission {admission}, too")
            seen[admission] = paths[split].name
        _held(paths["notes"], listed, texts, "discharge summary")
        _held(paths["codes"], listed, codes, "diagnosis")
        for admission in listed:
            positive = any(code.startswith("25000") for code in codes[admission])
            yield split, admission, texts[admission], int(positive)


def read_anemia(paths: dict[str, Path]) -> Rows:
    """Discharge summaries with chronic (285.2, label 0) or acute anemia (285.1, label 1), not with both."""
    texts, codes = _summaries(paths["notes"]), _codes(paths["codes"])
    _held(paths["codes"], texts, codes, "diagnosis")
    rows = []
    for admission in sorted(texts):
        acute = any(code.startswith("2851") for code in codes[admission])
        chronic = any(code.startswith("2852") for code in codes[admission])
        if acute != chronic:
            rows.append((admission, texts[admission], int(acute)))
    if len({label for *_, label in rows}) < 2:
        raise ValueError(f"{paths['codes'].name}: no admissions with codes 285.1 and others with 285.2")
    rest, test = divided(rows, 0.2, 12939, stratify=True)
    train, dev = divided(rest, 0.15, 13448, stratify=True)
    return named(train=train, dev=dev, test=test)
