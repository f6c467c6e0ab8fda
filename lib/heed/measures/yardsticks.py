"""What rankings of words are held against: chance, and, of made corpora, the truth."""

import numpy as np

from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.rankings import ranking
from heed.measures.search import generator


@ranking(
    "random",
    needs_model=False,
    label="random",
    what="a number drawn for the text's own id, the same for every model",
    source="the floor",
    cost="none",
    compared=False,
)
def at_random(row: Row) -> np.ndarray:
    """Numbers of a row's real tokens (n,), from 0 to 1."""
    return generator(0, f"random {row.id}").random(int(row.real.sum()))


@ranking(
    "truth",
    needs_model=False,
    label="the deciding words",
    short="truth",
    what="1 for a word that decides the label, else 0",
    source="heed: made corpora",
    cost="none",
    compared=False,
    of_truth=True,
)
def truth(row: Row) -> np.ndarray:
    """Which of a row's real tokens decide, as numbers (n,). Raises HeedError where that isn't known."""
    if row.truth is None:
        raise HeedError(
            "truth: this corpus's deciding tokens aren't known; use planted, indicator or a world."
        )
    return row.truth[row.real].astype(float)
