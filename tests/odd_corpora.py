"""Small corpora of a kind that people bring and that nobody plans for, and a desk to put them on."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import yaml

from heed import paths
from heed.registry import read_yaml

# A model that takes a second to train and to measure.
TINY = {
    "epochs": 1,
    "hidden": 8,
    "embedding_dim": 8,
    "average_dim": 8,
    "cnn_filters": 4,
    "permutations": 5,
    "adversaries": 3,
    "search_steps": 5,
    "resamples": 20,
    "random_orders": 3,
}
WORDS = (
    "plain usual mild dull sad poor fine great warm lovely room soup lake train bag late cold quiet".split()
)


@dataclass(frozen=True)
class Odd:
    """A corpus: rows of (split, text, class's number), the classes' names, parameters beyond TINY."""

    rows: list[tuple[str, str, int]]
    classes: tuple[str, ...] = ("negative", "positive")
    set: dict = field(default_factory=dict)

    def put(self, params: Path, name: str = "odd") -> None:
        """Write its two files into a copy of params/."""
        table = pd.DataFrame(self.rows, columns=["split", "text", "label"])
        table["label"] = [self.classes[c] for c in table["label"]]
        table.to_csv(params / f"{name}.csv", index=False)
        own = {"own": {"file": f"{name}.csv", "classes": list(self.classes)}}
        (params / f"{name}.yaml").write_text(yaml.safe_dump(own, allow_unicode=True, sort_keys=False))
        read_yaml.cache_clear()


def desk(folder: Path) -> Path:
    """A copy of params/ in that folder, for corpora of the test's own."""
    copy = folder / "params"
    for path in paths.PARAMS.rglob("*.yaml"):
        target = copy / path.relative_to(paths.PARAMS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return copy


def texts(split: str, lengths: list[int], classes: list[int], seed: int = 0) -> list[tuple[str, str, int]]:
    """Texts of these lengths and classes, of words drawn."""
    rng = random.Random(f"{split} {seed}")
    return [(split, " ".join(rng.choices(WORDS, k=n)), c) for n, c in zip(lengths, classes, strict=True)]


def splits(lengths: list[int], classes: list[int]) -> list[tuple[str, str, int]]:
    """The same lengths and classes in each split."""
    return [row for split in ("train", "dev", "test") for row in texts(split, lengths, classes)]


def _all_equal() -> list[tuple[str, str, int]]:
    return [(split, "the soup was cold", c) for split in ("train", "dev", "test") for c in (0, 1, 0, 1)]


ODD = {
    "one token each": Odd(splits([1] * 6, [0, 1] * 3)),
    "some of one token": Odd(splits([1, 5, 7, 1, 9, 4], [0, 1] * 3)),
    "one of two tokens": Odd(splits([1, 1, 2, 1], [0, 1, 0, 1])),
    "99 to 1": Odd(splits([3 + i % 5 for i in range(100)], [0] * 99 + [1])),
    "no text of a class in test": Odd(
        texts("train", [4] * 6, [0, 1] * 3)
        + texts("dev", [5] * 4, [0, 1] * 2)
        + texts("test", [6, 3, 4], [0] * 3)
    ),
    "four texts": Odd(
        texts("train", [4, 5], [0, 1]) + texts("dev", [3], [1]) + texts("test", [6], [0]),
        set={"select_by": "accuracy"},
    ),
    "two training texts": Odd(
        texts("train", [4, 5], [0, 1]) + texts("dev", [3, 5], [0, 1]) + texts("test", [4, 6], [0, 1])
    ),
    "25 classes": Odd(
        splits([3 + i % 4 for i in range(50)], [i % 25 for i in range(50)]),
        tuple(f"topic {k}" for k in range(25)),
    ),
    "three classes, one absent from test": Odd(
        texts("train", [4] * 6, [0, 1, 2] * 2)
        + texts("dev", [5] * 6, [0, 1, 2] * 2)
        + texts("test", [4, 6, 5], [0, 1, 0]),
        ("a", "b", "c"),
    ),
    "all equal": Odd(_all_equal()),
    "4,000 tokens beside one": Odd(splits([4000, 1, 5, 6], [0, 1, 0, 1])),
    "names that are columns": Odd(
        splits([3, 4, 5, 6, 3, 7, 8, 4, 5], [0, 1, 2] * 3), ("texts", "overall", "predicted")
    ),
    "names that look alike": Odd(splits([3, 4, 5, 6], [0, 1, 0, 1]), ("caf\u00e9", "cafe\u0301")),
    "hostile names": Odd(splits([3, 4, 5, 6], [0, 1, 0, 1]), ("<b>$a_1$</b>", "*p* `q` | [x](y)")),
}
