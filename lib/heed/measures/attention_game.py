"""Shapley values of attention's own game: what a word adds to the logit when attention comes to it, too.

The worth of a set of words is the predicted class's logit with attention renormalised over them, the states
held; of no word it is the bias (or what attended markers say). A word's Shapley value is what it adds to
those that came before it, over all orders of coming. The values sum to the full text's logit less the bias.
"""

from math import comb

import numpy as np

from heed.corpora.batches import Encoded
from heed.evidence import Evidence, Row, collect
from heed.measures import erasure
from heed.measures.orders import all_sets
from heed.measures.parts import lead
from heed.measures.rankings import ranking
from heed.measures.search import generator
from heed.models.attended import Attended, of_tokens
from heed.params import Params
from heed.progress import progress

EXACT = 14  # words up to which every set is taken
AT_ONCE = 2**18  # numbers of attended values that are held at once


def shapley(worth: np.ndarray) -> np.ndarray:
    """Exact Shapley values (n,) of a game given by the worth of every set (2^n,), as `all_sets` counts."""
    n = len(worth).bit_length() - 1
    sets = all_sets(n)
    sizes, numbers = sets.sum(1), np.arange(len(worth))
    weights = np.array([1 / (n * comb(n - 1, size)) for size in range(n)])
    found = np.empty(n)
    for t in range(n):
        without = numbers[~sets[:, t]]
        found[t] = weights[sizes[without]] @ (worth[without | (1 << t)] - worth[without])
    return found


def drawn(row: Row, pairs: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Shapley values (n,) of a row's game by drawn orders and their reverses, and their standard errors (n,).

    A pair is one draw: what a word adds early in one order it adds late in the other.
    """
    n, decision = int(row.real.sum()), erasure.decision(row)
    total, squares, left = np.zeros(n), np.zeros(n), pairs
    per_pair = 2 * n * (row.values.shape[1] + 1)
    while left:
        count = min(left, max(AT_ONCE // per_pair, 1))
        there = rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
        added = (_added(row, there, decision) + _added(row, there[:, ::-1], decision)) / 2
        total += added.sum(0)
        squares += (added**2).sum(0)
        left -= count
    mean = total / pairs
    variance = np.maximum(squares / pairs - mean**2, 0) * pairs / (pairs - 1)
    return mean, np.sqrt(variance / pairs)


def _added(row: Row, orders: np.ndarray, decision: int) -> np.ndarray:
    """What each word adds in each of the orders (R, n), by word (R, n)."""
    worth = lead(erasure.logits_on_the_way(row, orders), decision)
    found = np.empty(orders.shape)
    np.put_along_axis(found, orders, np.diff(worth, axis=1), 1)
    return found


def values_of(row: Row, pairs: int, seed: int, exact: int = EXACT) -> tuple[np.ndarray, np.ndarray]:
    """Shapley values (n,) of a row's game, for its decision, and their standard errors: 0 where exact."""
    n = int(row.real.sum())
    if n <= exact:
        worth = lead(erasure.logits_of(row, all_sets(n)), erasure.decision(row))
        return shapley(worth), np.zeros(n)
    return drawn(row, pairs, generator(seed, f"attention's game {row.id}"))


def _first(evidence: Evidence, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The values, without their errors."""
    return {name: arrays[name][:, 0] for name in evidence.ids}


@ranking(
    "attention_game",
    label="Shapley value of attention",
    short="Shapley, attention",
    what="what the word adds to the predicted class's logit when attention comes to it, over all orders",
    source="Shapley (1953); the game is heed's",
    cost="sums over sets or drawn orders of the words; no forward pass",
    settings=("explained_texts", "game_orders"),
    of_arrays=_first,
    compared=False,
    signed=True,
    thinned=True,
)
def attention_game(model: Attended, data: Encoded, p: Params, notes: dict) -> dict[str, np.ndarray]:
    """Shapley values and their standard errors, of the explained texts: instance id to (n, 2)."""
    of_tokens(model)
    found, worst = {}, 0.0
    for row in progress(
        collect(model, data.thinned(p.explained_texts), p.tokens_per_batch), "Shapley, texts"
    ):
        values, errors = values_of(row, p.game_orders, p.seed)
        found[row.id] = np.column_stack([values, errors])
        worst = max(worst, float(errors.max(initial=0)))
    notes["attention_game"] = {
        "exact": float(np.mean([not own[:, 1].any() for own in found.values()])),
        "largest_error": worst,
    }
    return found
