"""Output relevance: what the model would say of each unit alone; and whether two rankings agree at the top.

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns"; symbols
as in their slides: attention a, relevance r, and r' of a model trained with uniform attention.
"""

from math import ceil

import numpy as np
from scipy.integrate import solve_ivp

from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures.divergence import significant_digits

SHARE = 0.05  # of a text's positions, its ceiling: so far down a match may lie


def agreement(u: np.ndarray, v: np.ndarray) -> float:
    """A(u, v): 1 if fewer than ⌈5 %⌉ of the positions have a larger v than u's top has, else 0.

    Of several tops (equal to 9 digits) the mean. Not symmetric; a flat v agrees with everything, because only
    what is strictly larger counts. u and v (T,). Raises HeedError on lengths that differ, or on none.
    """
    u, v = significant_digits(u), significant_digits(v)
    if u.shape != v.shape or u.ndim != 1 or not len(u) or np.isnan([u, v]).any():
        raise HeedError(
            f"agreement: weights of shapes {u.shape} and {v.shape}, expected two of one length and no NaN. "
            "Give two rankings of the same text."
        )
    tops = np.flatnonzero(u == u.max())
    return float(np.mean([(v > v[top]).sum() < ceil(SHARE * len(v)) for top in tops]))


def chance(length: int) -> float:
    """A of a text's weights with a random order without ties: ⌈5 %⌉ of its length."""
    return ceil(SHARE * length) / length


def relevance(row: Row) -> np.ndarray:
    """How far each unit alone, with all attention on it, speaks for the gold label: logits (T,), with bias.

    One logit: its own, turned to the gold label; more: the gold label's less the mean of those allowed. With
    a linear head Σ a_t r_t is then the same of the whole text's logits.
    """
    logits = row.head.logits(row.values, row.shift, row.allowed).numpy()
    if logits.shape[1] == 1:
        return logits[:, 0] * (1 if row.label == 1 else -1)
    return logits[:, row.label] - logits[:, slice(None) if row.allowed is None else row.allowed].mean(1)


def value(row: Row) -> np.ndarray:
    """How far each unit alone pushes the logit of the class that is shown, (T,).

    Without the bias where logits are linear in attention; where a layer follows, the logit with all attention
    on the unit.
    """
    if row.head.is_linear:
        return row.values[:, row.shown if row.values.shape[1] > 1 else 0]
    logits = row.head.logits(row.values, row.shift, row.allowed).numpy()
    return logits[:, row.shown if logits.shape[1] > 1 else 0]


def relevances(evidence: Evidence) -> dict[str, np.ndarray]:
    """`relevance` of all that may be attended to in each text, by id."""
    return {row.id: relevance(row) for row in evidence}


def dropped(evidence: Evidence, logits: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Signed leave-one-out: how much of the gold label's probability goes with each token, by id."""
    found = {}
    for row in evidence:
        column = row.label if row.allowed is None else row.allowed[: row.label].sum()
        left = evidence.head.from_logits(logits[row.id]).numpy()
        found[row.id] = np.round(row.prediction[row.label] - left[:, column], 14)  # as measures.change
    return found


def flow(times: np.ndarray, start: tuple[float, float, float], bounded: bool = False) -> np.ndarray:
    """Two texts, {0, 0} negative and {0, 1} positive, by gradient flow: r_0, r_1, p at each time, (3, times).

    p is the attention to token 1 and the loss p (r_0 - r_1), so r_0' = -p, r_1' = p, p' = r_1 - r_0. start:
    those three at time 0. bounded: p is a sigmoid and stays in (0, 1). Times ascend from 0 on.
    """
    times = np.asarray(times, dtype=float)
    if times.ndim != 1 or not len(times) or times[0] < 0 or (np.diff(times) <= 0).any() or len(start) != 3:
        raise HeedError("flow: expected ascending times from 0 on and a start (r_0, r_1, p). Correct them.")
    if bounded and not 0 < start[2] < 1:
        raise HeedError(f"flow: p = {start[2]} at the start, expected a number between 0 and 1. Correct it.")

    def slope(_, state):
        p = 1 / (1 + np.exp(-state[2])) if bounded else state[2]
        return [-p, p, (state[1] - state[0]) * (p * (1 - p) if bounded else 1)]

    begin = [*start[:2], np.log(start[2] / (1 - start[2])) if bounded else start[2]]
    found = solve_ivp(slope, (0, times[-1] or 1), begin, t_eval=times, rtol=1e-10, atol=1e-12).y
    return np.array([*found[:2], 1 / (1 + np.exp(-found[2])) if bounded else found[2]])


def closed(times: np.ndarray, start: tuple[float, float, float]) -> np.ndarray:
    """The same in closed form, p not bounded: with D = r_1 - r_0, D' = 2p and p' = D."""
    (low, high, p), times = start, np.sqrt(2) * np.asarray(times, dtype=float)
    apart = (high - low) * np.cosh(times) + np.sqrt(2) * p * np.sinh(times)
    middle, weight = (low + high) / 2, p * np.cosh(times) + (high - low) / np.sqrt(2) * np.sinh(times)
    return np.array([middle - apart / 2, middle + apart / 2, weight])
