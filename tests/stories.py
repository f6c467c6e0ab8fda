"""Stories of the world, for the tests of the world and of bAbI's files."""

from heed.corpora import planted
from heed.params import Params

TASKS = (1, 2, 3)


def texts(task: int, count: int = 40, split: str = "train", **other):
    """Words, answer, truth and question of each story."""
    _, *columns = planted.make(f"world{task}", Params(**other), split, count)
    return list(zip(*columns, strict=True))


def sentences(words: list[str]) -> list[list[str]]:
    return [sentence.split() for sentence in " ".join(words).split(" . ")]
