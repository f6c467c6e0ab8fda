"""The readers of question answering and inference: split, id, passage, answer, query, facts, excluded.

facts: the numbers, from 0, of the passage's supporting sentences, or None where the files don't say.
excluded: why a text is left out, which is counted; empty for one that is read. Preparation follows Jain &
Wallace (2019) and its code; as in `readers`, order is the files' own and faults raise ValueError.
"""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from heed.corpora.archives import UNPACKED, files_of, lines_of
from heed.corpora.classification import SPLITS, divided, named

Rows = Iterator[tuple[str, str, str, str | int, str, list[int] | None, str]]
SNLI = ("neutral", "contradiction", "entailment")
CNN_UNPACKED = 4 * 2**30  # bytes; the questions of the official archive have some 1.6 GB


def read_babi(path: Path, task: int, folder: str) -> Rows:
    """A task's questions, each with its story so far, sentences joined by ` . `; dev: 15 % of train."""
    rows = {}
    for match, file in files_of(path, rf"tasks_1-20_v1-2/{folder}/qa{task}_[a-z-]+_(train|test)\.txt"):
        lines = (line.decode("utf-8") for line in file)
        rows[match[1]] = [(f"{match[1]}-{i}", *row) for i, row in enumerate(_stories(lines, match[0]))]
    missing = {"train", "test"} - rows.keys()
    if missing:
        raise ValueError(f"no tasks_1-20_v1-2/{folder}/qa{task}_*_{max(missing)}.txt in it")
    train, dev = divided(rows["train"], 0.15, 16377)
    return named(train=train, dev=dev, test=rows["test"])


def _stories(lines: Iterable[str], name: str) -> Iterator[tuple]:
    """Passage, answer, query, facts, excluded of each question; a line numbered 1 starts a story."""
    story: dict[int, str] = {}
    last, left = 0, UNPACKED
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(r"(\d{1,6}) ([^\t]+?)\s*(?:\t([^\t]*)\t([\d ]*))?", line.rstrip("\r\n"))
        where = f"{name}, line {number}"
        if not found:
            raise ValueError(f"{where}: neither NUMBER SENTENCE. nor NUMBER QUESTION? TAB ANSWER TAB FACTS")
        if int(found[1]) == 1:
            story, last = {}, 0
        last += 1
        if int(found[1]) != last:
            raise ValueError(f"{where}: sentence {found[1]} of a story comes where {last} should")
        said, answer = found[2][:-1], found[3]
        if answer is None:
            if found[2][-1] != "." or "." in said or not said.strip():
                raise ValueError(f"{where}: not one sentence that ends with a stop")
            story[last] = said
            continue
        facts = [int(fact) for fact in found[4].split()]
        passage = " . ".join(story.values())
        left -= len(passage)
        if found[2][-1] != "?" or not said.strip():
            raise ValueError(f"{where}: no question that ends with a question mark")
        if not story:
            raise ValueError(f"{where}: the question has no sentence before it")
        for fact in facts:
            if fact not in story:
                raise ValueError(f"{where}: supporting fact {fact} is no sentence of the story so far")
        if not facts:
            raise ValueError(f"{where}: the question has no supporting fact")
        if answer.lower() not in passage.lower().split():
            raise ValueError(f"{where}: the answer {answer!r} isn't a word of the passage")
        if left < 0:
            raise ValueError(f"{where}: its passages have over {UNPACKED} characters together")
        order = list(story)
        yield passage, answer.lower(), said, [order.index(fact) for fact in facts], ""


def read_snli(path: Path) -> Rows:
    """Premises as passages, hypotheses as queries; pairs whose label is `-` are left out, and counted."""
    with zipfile.ZipFile(path) as archive:
        for split in SPLITS:
            name = f"snli_1.0/snli_1.0_{split}.jsonl"
            for number, line in enumerate(lines_of(archive, name), 1):
                where = f"{name}, line {number}"
                try:
                    pair = json.loads(line)
                    label, *texts = (pair[key] for key in ("gold_label", "sentence1", "sentence2"))
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    raise ValueError(f"{where}: no object with gold_label, sentence1, sentence2") from error
                if label not in (*SNLI, "-") or not all(map(_is_text, texts)):
                    raise ValueError(f"{where}: not two sentences labelled {', '.join(SNLI)} or -")
                premise, hypothesis = (text.strip() for text in texts)
                excluded = "" if premise and hypothesis else "an empty sentence"
                excluded = "no gold label" if label == "-" else excluded
                code = -1 if label == "-" else SNLI.index(label)
                yield split, f"{split}-{number}", premise, code, hypothesis, None, excluded


def _is_text(value: object) -> bool:
    """Whether it is a text that can be written down again: JSON can hold halves of characters."""
    return isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)


def read_cnn(paths: dict[str, Path]) -> Rows:
    """Questions whose answer is an @entity of the passage; others are left out, and counted.

    The official archive of question files (`archive`), or a file a split (`train`, `dev`, `test`) with blocks
    of question, answer and passage parted by blank lines.
    """
    found = dict.fromkeys(SPLITS, 0)
    for split, name, passage, answer, query in (
        _archived(paths["archive"]) if "archive" in paths else _blocks(paths)
    ):
        kept = re.fullmatch(r"@entity\d+", answer) and answer in passage.split()
        found[split] += bool(kept)
        excluded = "" if kept else "its answer is no @entity of the passage"
        yield split, name, passage, answer, query, None, excluded
    for split, count in found.items():
        if not count:
            raise ValueError(f"split {split} holds no question whose answer is an @entity of its passage")


def _archived(path: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Split, id, passage, answer and query of the question files: five parts, parted by blank lines."""
    wanted = r"cnn/questions/(training|validation|test)/([0-9a-f]+)\.question"
    splits = dict(zip(("training", "validation", "test"), SPLITS, strict=True))
    for match, file in files_of(path, wanted, CNN_UNPACKED):
        parts = file.read().decode("utf-8").strip().split("\n\n")
        if len(parts) != 5 or not all(part.strip() for part in parts[1:4]):
            raise ValueError(f"{match[0]}: not address, passage, question, answer, entities")
        _, passage, query, answer, _ = (part.strip() for part in parts)
        yield splits[match[1]], match[2], passage, answer, query


def _blocks(paths: dict[str, Path]) -> Iterator[tuple[str, str, str, str, str]]:
    """The same of a file a split: three lines a question, then a blank line."""
    for split in SPLITS:
        block, count = [], 0
        with open(paths[split], encoding="utf-8") as file:
            for number, line in enumerate(chain(file, [""]), 1):
                if line.strip():
                    block.append(line.strip())
                elif block:
                    if len(block) != 3:
                        where = f"{paths[split].name}, line {number}"
                        raise ValueError(f"{where}: a block isn't question, answer, passage")
                    count += 1
                    yield split, f"{split}-{count}", block[2], block[1], block[0]
                    block = []
