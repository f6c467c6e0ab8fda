"""Adversarial attention of every instance: what the paper's search finds, and the exact optimum beside it.

Source: Jain & Wallace (2019), algorithm 3, figures 4 and 5; the optimum is heed's (see exact.py).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pandera.pandas as pa
import torch

from heed.corpora.batches import cut
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures import exact
from heed.measures.divergence import jsd, tvd
from heed.measures.permutation import linear
from heed.measures.registry import Measure, register, validate
from heed.measures.search import Search, search
from heed.progress import progress

EPSILONS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.5)
_LIMIT = (0.0, float(np.log(2)) + 1e-9)
_OF = ("higher is more different", "J&W (2019), algorithm 3", "adversarial")
register(
    "adversarial",
    {
        "id": pa.Column(str, unique=True),
        "predicted": pa.Column(int),
        "length": pa.Column(int),
        "max_attention": pa.Column(float, pa.Check.in_range(0, 1)),
        "margin": pa.Column(float, pa.Check.in_range(0, 1)),
        "feasible": pa.Column(int, pa.Check.ge(0)),
        "proved": pa.Column(bool),
        "token_i": pa.Column(int),
        "token_j": pa.Column(int),
        "weight_i": pa.Column(float, pa.Check.in_range(0, 1)),
        "tvd": pa.Column(float, pa.Check.in_range(0, 1)),
    },
    Measure("found", "ε-max JSD found by search (nats)", _LIMIT, *_OF),
    Measure("optimum", "exact ε-max JSD (nats)", _LIMIT, *_OF),
    Measure("bound", "upper bound of the ε-max JSD (nats)", _LIMIT, *_OF),
)
register(
    "exact_curve",
    {"id": pa.Column(str), "predicted": pa.Column(int), "epsilon": pa.Column(float, pa.Check.in_range(0, 1))},
    Measure("optimum_at", "exact ε-max JSD (nats)", _LIMIT, *_OF[:2], "exact_curve"),
)


def chunks(evidence: Evidence, tokens: int) -> Iterator[list[int]]:
    """Indices of rows of similar length, at most `tokens` padded units at once."""
    yield from (group.tolist() for group in cut(evidence.lengths, tokens))


def found_by_search(
    evidence: Evidence, how: Search, seed: int, tokens: int = 8192
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The k adversaries of each instance: id to attentions (K, T), their TVD (K,) and JSD (K,).

    Over the real units; a marker that is attended to takes part like any other unit.
    """
    result = {}
    for group in progress(list(chunks(evidence, tokens)), "search, batches"):
        rows = [evidence[i] for i in group]
        ids = [row.id for row in rows]
        attention = torch.from_numpy(exact.pad([row.attention for row in rows], 0.0))
        mask = torch.from_numpy(np.isfinite(exact.pad([row.attention for row in rows], np.nan)))
        values = torch.zeros(*attention.shape, rows[0].values.shape[1], dtype=torch.float64)
        for b, row in enumerate(rows):
            values[b, : len(row.attention)] = torch.from_numpy(row.values.copy())
        shift = torch.from_numpy(np.stack([row.shift for row in rows]))
        allowed = None
        if rows[0].allowed is not None:
            allowed = torch.from_numpy(np.stack([row.allowed for row in rows]))
        padded = search(evidence.head, ids, attention, values, shift, mask, allowed, how, seed)
        for row, adversaries in zip(rows, padded.numpy(), strict=True):
            adversaries = adversaries[:, : len(row.attention)]
            changes = tvd(row.probs(adversaries), row.prediction)
            distances = jsd(adversaries, row.attention)
            result[row.id] = (adversaries, changes, distances)
    return result


def optima(evidence: Evidence, epsilon: float, tokens: int = 65536) -> dict[str, exact.Vertex]:
    """The exact optimum of every instance of a binary linear head: id to its vertex."""
    if not linear(evidence):
        raise HeedError("optima: the exact optimum needs one linear logit; use `bracket` for other heads.")
    result = {}
    for group in chunks(evidence, tokens):
        rows = [evidence[i] for i in group]
        a = exact.pad([row.attention for row in rows], 0.0)
        r = exact.pad([row.values[:, 0] for row in rows], np.nan)
        logit = np.array([row.attention @ row.values[:, 0] + row.shift[0] for row in rows])
        for row, (value, i, j, weight) in zip(rows, exact.binary(a, r, logit, epsilon), strict=True):
            result[row.id] = exact.Vertex(float(value), int(i), int(j), float(weight))
    return result


def best_found(row: Row, adversaries, change, distance, epsilon: float) -> tuple[float, int, np.ndarray]:
    """ε-max JSD of the k adversaries, how many of them are feasible, and the best one's attention.

    Where none is feasible the JSD is 0, as in algorithm 3, and the attention is the model's own.
    """
    feasible = change <= epsilon
    if not feasible.any():
        return 0.0, 0, row.attention
    best = int(np.where(feasible, distance, -1).argmax())
    return float(distance[best]), int(feasible.sum()), adversaries[best]


def adversarial(
    evidence: Evidence, how: Search, epsilon: float, seed: int
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """The table of search and optimum at the reporting ε, and the best attention that the search found.

    With one linear logit `optimum` is exact and equals `bound`. Else it is the best feasible point known,
    `bound` an upper bound, and `proved` says where they meet; `tvd` is that point's. It is token_i,
    token_j, weight_i; -1, -1 and 0 where it is the search's.
    """
    search_result = found_by_search(evidence, how, seed)
    exactly = optima(evidence, epsilon) if linear(evidence) else None
    rows, best = [], {}
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        found, feasible, best[row.id] = best_found(row, *search_result[row.id], epsilon)
        if exactly is not None:
            vertex = exactly[row.id]
            optimum = bound = vertex.jsd
        else:
            bracket = exact.bracket(row, epsilon)
            bound = bracket.upper
            if found > bracket.lower:  # the search's is the best known
                vertex, optimum = None, found
            else:
                vertex, optimum = bracket.vertex, bracket.lower
        if vertex is None:  # the search's best, or if it has found none the model's own
            token_i, token_j, weight_i = -1, -1, 0.0
            there = best[row.id]
        else:
            token_i, token_j, weight_i = vertex.i, vertex.j, vertex.weight
            there = vertex.attention(len(row.attention))
        second, first = np.sort(row.prediction)[-2:]
        rows.append(
            {
                "id": row.id,
                "predicted": int(predicted),
                "length": int(row.real.sum()),
                "max_attention": float(row.attention[row.real].max()),
                "margin": float(first - second),
                "feasible": feasible,
                "proved": bool(bound - optimum <= 1e-9),
                "token_i": token_i,
                "token_j": token_j,
                "weight_i": weight_i,
                "tvd": float(tvd(row.probs(there), row.prediction)),
                "found": found,
                "optimum": optimum,
                "bound": bound,
            }
        )
    return validate("adversarial", pd.DataFrame(rows)), best


def curve(evidence: Evidence) -> pd.DataFrame:
    """The exact ε-max JSD of every instance at each ε of EPSILONS (one linear logit only)."""
    parts = []
    for epsilon in EPSILONS:
        found = optima(evidence, epsilon)
        part = {
            "id": evidence.ids,
            "predicted": evidence.predicted.astype(int),
            "epsilon": epsilon,
            "optimum_at": [found[name].jsd for name in evidence.ids],
        }
        parts.append(pd.DataFrame(part))
    return validate("exact_curve", pd.concat(parts, ignore_index=True))
