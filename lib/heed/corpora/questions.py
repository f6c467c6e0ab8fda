"""The readers of question answering and inference: split, id, passage, answer, query, facts, excluded.

facts: the numbers, from 0, of the passage's supporting sentences, or None where the files don't say.
excluded: why a text is left out, which is counted; empty for one that is read. Preparation follows Jain &
Wallace (2019) and its code; as in `readers`, order is the files' own and faults raise ValueError.
"""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from heed.corpora.archives import UNPACKED, files_of, lines_of
from heed.corpora.classification import SPLITS, divided, named

Rows = Iterator[tuple[str, str, str, str | int, str, list[int] | None, str]]
SNLI = ("neutral", "contradiction", "entailment")
CNN_UNPACKED = 4 * 2**30  # bytes; the questions of the official archive have some 1.6 GB
# A line of bAbI: a number and a sentence, or a number and a question, then its answer and facts after tabs.
_LINE = re.compile(r"(\d{1,6}) ([^\t]+?)\s*(?:\t([^\t]*)\t([\d ]*))?")


def read_babi(path: Path, task: int, folder: str) -> Rows:
    """A task's questions, each with its story so far, sentences joined by ` . `; dev: 15 % of train."""
    rows = {}
    for match, file in files_of(path, rf"tasks_1-20_v1-2/{folder}/qa{task}_[a-z-]+_(train|test)\.txt"):
        name, half = match[0], match[1]
        lines = (line.decode("utf-8") for line in file)
        rows[half] = [(f"{half}-{i}", *row) for i, row in enumerate(_stories(lines, name))]
    missing = {"train", "test"} - rows.keys()
    if missing:
        raise ValueError(f"no tasks_1-20_v1-2/{folder}/qa{task}_*_{max(missing)}.txt in it")
    train, dev = divided(rows["train"], 0.15, 16377)
    return named(train=train, dev=dev, test=rows["test"])


def _stories(lines: Iterable[str], name: str) -> Iterator[tuple]:
    """Passage, answer, query, facts, excluded of each question; a line numbered 1 starts a story."""
    story: dict[int, str] = {}  # its sentences by their numbers; those of questions are missing
    last = 0
    left = UNPACKED
    for line_number, line in enumerate(lines, 1):
        where = f"{name}, line {line_number}"
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if not found:
            raise ValueError(f"{where}: neither NUMBER SENTENCE. nor NUMBER QUESTION? TAB ANSWER TAB FACTS")
        number, text, answer, facts = found.groups()
        if int(number) == 1:
            story, last = {}, 0
        last += 1
        if int(number) != last:
            raise ValueError(f"{where}: sentence {number} of a story comes where {last} should")
        if answer is None:
            story[last] = _sentence(text, where)
        else:
            passage = " . ".join(story.values())
            left -= len(passage)
            facts = [int(fact) for fact in facts.split()]
            query = _question(text, answer, facts, story, passage, where)
            if left < 0:
                raise ValueError(f"{where}: its passages have over {UNPACKED} characters together")
            order = list(story)
            yield passage, answer.lower(), query, [order.index(fact) for fact in facts], ""


def _sentence(text: str, where: str) -> str:
    """A sentence of a story without its stop."""
    said, end = text[:-1], text[-1]
    if end != "." or "." in said or not said.strip():
        raise ValueError(f"{where}: not one sentence that ends with a stop")
    return said


def _question(
    text: str, answer: str, facts: list[int], story: dict[int, str], passage: str, where: str
) -> str:
    """A question without its mark, if it can be answered from the story so far, which is the passage."""
    asked, end = text[:-1], text[-1]
    if end != "?" or not asked.strip():
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
    return asked


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
                if label == "-":
                    code, excluded = -1, "no gold label"
                elif not premise or not hypothesis:
                    code, excluded = SNLI.index(label), "an empty sentence"
                else:
                    code, excluded = SNLI.index(label), ""
                yield split, f"{split}-{number}", premise, code, hypothesis, None, excluded


def _is_text(value: object) -> bool:
    """Whether it is a text that can be written down again: JSON can hold halves of characters."""
    return isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)


def read_cnn(paths: dict[str, Path]) -> Rows:
    """Questions whose answer is an @entity of the passage; others are left out, and counted.

    The official archive of question files (`archive`), or a file a split (`train`, `dev`, `test`) with blocks
    of question, answer and passage parted by blank lines.
    """
    questions = _archived(paths["archive"]) if "archive" in paths else _blocks(paths)
    kept = dict.fromkeys(SPLITS, 0)
    for split, name, passage, answer, query in questions:
        if re.fullmatch(r"@entity\d+", answer) and answer in passage.split():
            kept[split] += 1
            excluded = ""
        else:
            excluded = "its answer is no @entity of the passage"
        yield split, name, passage, answer, query, None, excluded
    for split, count in kept.items():
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
        with open(paths[split], encoding="utf-8") as file:
            for count, (end, block) in enumerate(_parted(file), 1):
                if len(block) != 3:
                    where = f"{paths[split].name}, line {end}"
                    raise ValueError(f"{where}: a block isn't question, answer, passage")
                query, answer, passage = block
                yield split, f"{split}-{count}", passage, answer, query


def _parted(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Blocks of lines that blank lines part, each with the number of the line after it."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            block.append(line.strip())
        elif block:
            yield number, block
            block = []
    if block:
        yield number + 1, block
