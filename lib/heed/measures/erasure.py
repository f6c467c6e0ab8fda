"""Erasing attention: what one weight does, and how many must go until the decision flips.

Serrano & Smith (2019). To erase units is to set their weights to 0 and renormalise the rest; states stay as
they are. So the context is a ratio of two sums over what is left, the suffix sums of a ranking give all its
steps at once, and with linear logits the smallest flipping set has a closed form (see `optimal_orders`).
"""

import numpy as np
import pandas as pd
import pandera.pandas as pa
import torch
from scipy.stats import binomtest, wilcoxon

from heed.evidence import Evidence, Row
from heed.measures import stats
from heed.measures.divergence import jsd, significant_digits
from heed.measures.rankings import declared, ranking
from heed.measures.registry import TABLES, Measure, columns_of, register, validate
from heed.measures.search import generator

# What the top unit may be chosen by: what its columns are called by, and the ranking that it is. The gradient
# here is by the attention weight, another ranking than chapter 02's, which is by the word.
CHOICES = {"attention": "attention", "gradient": "attention_gradient", "product": "attention_product"}
# The orders of erasing, as columns call them; `optimal` is heed's, the others are Serrano & Smith's.
RANKINGS = ("random", *CHOICES, "optimal")
CELLS = ("both", "top", "other", "neither")  # which of two erasures flips the decision
NAMES = {"product": "gradient × attention", "random_mean": "random (mean of orders)"}
_ONE = ("Serrano & Smith (2019), section 4", "erasure")
_SETS = ((0, 1), "higher needs more erased", "Serrano & Smith (2019), section 5", "erasure")
_FLIP = ((0, 1), "higher is more change", *_ONE)
_BIAS = "the bias alone decides otherwise"


def _called(name: str) -> str:
    return NAMES.get(name, name)


register(
    "erasure",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "length": pa.Column(int)}
    | {"sole": pa.Column(bool), "flat": pa.Column(bool)},
    *(Measure(f"delta_weight_{c}", f"weight of the top unit by {_called(c)} − another's", (-1, 1),
              "higher is more weight", *_ONE) for c in CHOICES),
    *(Measure(f"delta_js_{c}", f"JSD erasing the top unit by {_called(c)} − erasing another",
              (-np.log(2), np.log(2)), "higher is more change", *_ONE) for c in CHOICES),
    *(Measure(f"flips_top_{c}", f"erasing the top unit by {_called(c)} flips", *_FLIP) for c in CHOICES),
    *(Measure(f"flips_other_{c}", f"erasing another than the top by {_called(c)} flips", *_FLIP)
      for c in CHOICES),
    *(Measure(f"erased_{r}", f"share of units erased until the decision flips, {_called(r)}", *_SETS)
      for r in (*RANKINGS, "random_mean")),
    *(Measure(f"mass_{r}", f"attention erased until the decision flips, {_called(r)}", *_SETS)
      for r in RANKINGS),
    Measure("excess_attention", "share erased, attention's (1: never flips) − the optimum's, where any flips",
            (0, 1), "higher needs more erased", "heed: exact optimum", "erasure"),
    Measure("mass_bound", "lower bound of the attention that any flipping set has", *_SETS),
    Measure("bias_flips", _BIAS, (0, 1), "higher is more change", "heed: everything erased", "erasure"),
)  # fmt: skip


def linear(row: Row) -> bool:
    """Whether its logits are linear in attention, which the optimal order needs."""
    return row.head.is_linear


def _shares(row: Row) -> tuple[np.ndarray, np.ndarray]:
    """What each real unit adds to the context and, last, to the mass (n, D + 1); what markers add (D + 1,).

    Weights sum to 1, so the head's shift can be added to the values: renormalised, it comes out the same.
    """
    weights = row.attention[:, None]
    parts = weights * np.append(row.values + row.shift, np.ones_like(weights), axis=1)
    return parts[row.real], parts[~row.real].sum(0)


def _before(parts: np.ndarray) -> np.ndarray:
    """Sums over all that come earlier on the last axis but one. No total less a part: that loses digits."""
    return np.concatenate([np.zeros_like(parts[..., :1, :]), np.cumsum(parts, -2)[..., :-1, :]], -2)


def _after(parts: np.ndarray) -> np.ndarray:
    return np.flip(_before(np.flip(parts, -2)), -2)


def _logits(row: Row, left: np.ndarray) -> np.ndarray:
    """Logits (..., C or 1) of what is left (..., D + 1); the bias alone decides where no mass is left."""
    mass = left[..., -1:]
    context = np.where(mass > 0, left[..., :-1] / np.where(mass > 0, mass, 1), row.shift)
    return row.head.logits(context, np.zeros_like(row.shift), row.allowed).numpy()


def decided(logits: np.ndarray) -> np.ndarray:
    """The class (...,) that logits (..., C) decide for; of one logit (..., 1) class 1 from 0 on."""
    return (logits[..., 0] >= 0).astype(int) if logits.shape[-1] == 1 else logits.argmax(-1)


def _two(logits):
    """Logits with at least two columns: a sigmoid's one is the second's lead over a first of 0."""
    return logits if logits.shape[-1] > 1 else torch.cat([torch.zeros_like(logits), logits], -1)


def logits_of(row: Row, kept: np.ndarray) -> np.ndarray:
    """Logits (M, C or 1) of a row that attends to these real units alone, kept (M, n); markers stay."""
    parts, markers = _shares(row)
    return _logits(row, kept.astype(float) @ parts + markers)


def logits_on_the_way(row: Row, orders: np.ndarray) -> np.ndarray:
    """Logits (R, n + 1, C or 1) as the real units come in, one after another in each of the orders (R, n).

    From none of them, where the markers or the bias alone decide, to all.
    """
    parts, markers = _shares(row)
    come = np.cumsum(parts[orders], 1)
    return _logits(row, np.concatenate([np.zeros_like(come[:, :1]), come], 1) + markers)


def without_each(row: Row) -> np.ndarray:
    """Logits (n, C or 1) of a row without each of its real units in turn, attention renormalised."""
    parts, markers = _shares(row)
    return _logits(row, _before(parts) + _after(parts) + markers)


def changes(row: Row) -> np.ndarray:
    """By how much erasing each unit alone changes each class's probability, signed, shape (n, C)."""
    return row.head.from_logits(without_each(row)).numpy() - row.prediction


def slopes(row: Row) -> np.ndarray:
    """The signed derivative of the predicted class's probability by each attention weight, shape (T,).

    States are held fixed and weights taken as they are, after the softmax. In closed form
    p_d Σ_j p_j (∂z_d - ∂z_j): no difference of numbers near 1, so a saturated prediction keeps its order.
    """
    z = torch.from_numpy(row.attention @ row.values + row.shift).requires_grad_()
    logits = row.head.logits(z, torch.zeros_like(z), row.allowed)
    d, lead = int(decided(logits.detach().numpy())), _two(logits)
    log_p = lead.detach().log_softmax(-1)
    p, others = log_p.exp(), log_p > -torch.inf
    others[d] = False
    (slope,) = torch.autograd.grad((p[others] * (lead[d] - lead[others])).sum(), z)
    return row.values @ (p[d] * slope).numpy()


def scores(row: Row) -> dict[str, np.ndarray]:
    """What each of CHOICES ranks the real units by, to 9 significant digits."""
    return {name: significant_digits(declared()[own].of_row(row)) for name, own in CHOICES.items()}


@ranking(
    "attention_gradient",
    needs_model=False,
    label="gradient by attention",
    what="how fast the probability changes with the unit's weight, states held",
    source="Serrano & Smith (2019), section 3",
    cost="a backward pass of the head",
    compared=False,
    explains=False,
    signed=True,
)
def attention_gradient(row: Row) -> np.ndarray:
    """The signed slope of the predicted class's probability by each real unit's weight (n,)."""
    return slopes(row)[row.real]


@ranking(
    "attention_product",
    needs_model=False,
    label="gradient by attention × attention",
    what="that slope times the weight",
    source="Serrano & Smith (2019), section 3",
    cost="a backward pass of the head",
    compared=False,
    signed=True,
)
def attention_product(row: Row) -> np.ndarray:
    """That slope times the weight (n,)."""
    return slopes(row)[row.real] * row.attention[row.real]


def _ranked(score: np.ndarray) -> np.ndarray:
    """From the highest on; of equals the one that stands first (argsort's stable order)."""
    return np.argsort(-score, kind="stable")


def _leads(row: Row) -> np.ndarray:
    """By how much each unit speaks for the decision and against each other class, bias included (J, T)."""
    u = _two(torch.from_numpy(row.values + row.shift)).numpy()
    d = decision(row)
    others = [j for j in range(u.shape[1]) if j != d and (row.allowed is None or row.allowed[j])]
    return (u[:, [d]] - u[:, others]).T


def decision(row: Row) -> int:
    """The class that a row's model decides for."""
    return int(decided(row.head.logits(row.attention @ row.values, row.shift, row.allowed).numpy()))


def optimal_orders(row: Row, keep_last: bool = True) -> np.ndarray:
    """An order of the real units for each class that may overtake (J, n); one needs the fewest erasures.

    Class j overtakes d once Σ s_t < 0 over the units left, s_t = a_t (z_d - z_j of unit t, bias included):
    of all sets of one size, the largest s_t leave the least. Of equal s_t the lightest goes first, so that
    mass is left where any can be. Unless a unit must stay, to leave no mass may flip, too: an order more, by
    attention. Source: heed; linear heads only.
    """
    a = row.attention[row.real]
    orders = [np.lexsort((a, -(a * lead))) for lead in _leads(row)[:, row.real]]
    return np.array(orders if keep_last else [*orders, _ranked(a)])


def until_flip(row: Row, orders: np.ndarray, keep_last: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Units erased until the decision flips (0: it never does) and their attention (NaN), both (R,).

    orders (R, n) of the real units. keep_last: something must stay, a unit and some attention; else the bias
    alone may decide.
    """
    parts, markers = _shares(row)
    left = _after(parts[orders]) + markers
    flips = decided(_logits(row, left)) != decision(row)
    if keep_last:
        flips &= left[..., -1] > 0
        flips[:, -1] = False
    count = np.where(flips.any(1), flips.argmax(1) + 1, 0)
    mass = np.cumsum(parts[orders][..., -1], 1)[np.arange(len(orders)), np.maximum(count, 1) - 1]
    return count, np.where(count > 0, np.minimum(mass, 1), np.nan)


def smallest_set(row: Row, keep_last: bool = True) -> np.ndarray | None:
    """The fewest real units whose erasing flips the decision, booleans (n,); None where none does.

    Of several such sets the one that the optimal orders give with the least attention. Linear heads only.
    """
    orders = optimal_orders(row, keep_last)
    count, mass = until_flip(row, orders, keep_last)
    flipping = np.flatnonzero(count)
    if not len(flipping):
        return None
    least = flipping[np.lexsort((mass[flipping], count[flipping]))[0]]
    erased = np.zeros(orders.shape[1], dtype=bool)
    erased[orders[least, : count[least]]] = True
    return erased


def erased_flips(row: Row, erased: np.ndarray) -> bool:
    """Whether the decision is another without these real units, booleans (n,); of none left the bias's."""
    parts, markers = _shares(row)
    return bool(decided(_logits(row, parts[~erased].sum(0) + markers)) != decision(row))


def mass_bound(row: Row, keep_last: bool = True) -> float:
    """What the attention of any flipping set is at least; infinite where there is no such set.

    A fractional knapsack: erase in the order of the lead over a class, and of the last unit only a part.
    Linear heads only.
    """
    best, real = np.inf, row.real
    for lead in _leads(row):
        order = np.flatnonzero(real)[_ranked(lead[real])]
        both = row.attention[:, None] * np.stack(
            [lead, np.ones_like(lead)], 1
        )  # the lead's sum, and the mass
        left = _after(both[order]) + both[~real].sum(0)
        crossed = np.flatnonzero((left[:, 0] <= 0) & (left[:, 1] > 0))
        if len(crossed):
            k = crossed[0]
            before = left[k, 0] + both[order[k], 0]
            part = before / lead[order[k]] if before > 0 else 0.0
            best = min(best, row.attention[order[:k]].sum() + part)
    if not keep_last and bias_flips(row):
        best = min(best, row.attention[real].sum())
    return float(min(best, 1)) if best < np.inf else best


def bias_flips(row: Row) -> bool:
    """Whether the decision is another one once everything is erased, markers included."""
    return bool(decided(_logits(row, np.zeros(len(row.shift) + 1))) != decision(row))


def _one(row: Row, rng: np.random.Generator, ranked: dict[str, np.ndarray]) -> dict[str, float]:
    """The top unit of each choice against another, drawn anew for each (n > 1)."""
    logits, a, found = without_each(row), row.attention[row.real], {}
    moved = jsd(row.head.from_logits(logits).numpy(), row.prediction)
    flips = decided(logits) != decision(row)
    for c, score in ranked.items():
        top, other = int(score.argmax()), int(rng.integers(len(a) - 1))
        other += other >= top
        found[f"delta_weight_{c}"], found[f"delta_js_{c}"] = a[top] - a[other], moved[top] - moved[other]
        found[f"flips_top_{c}"], found[f"flips_other_{c}"] = float(flips[top]), float(flips[other])
    return found


def erasure(evidence: Evidence, orders: int, keep_last: bool, seed: int) -> pd.DataFrame:
    """Single weights and whole rankings, a row an instance; NaN where a decision never flips, or n = 1.

    orders: random ones an instance; `random` is the first, `random_mean` the mean over those that flip.
    sole: one unit has all attention, so that erasing it leaves the bias alone. flat: all weights are equal,
    and attention ranks by position.
    """
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        rng, ranked, n = generator(seed, f"erase {row.id}"), scores(row), int(row.real.sum())
        found = {
            "id": row.id,
            "predicted": int(predicted),
            "length": n,
            "sole": bool(row.attention.max() == 1),
        }
        found |= {"flat": bool(np.ptp(ranked["attention"]) == 0)} | (_one(row, rng, ranked) if n > 1 else {})
        drawn = rng.permuted(np.tile(np.arange(n), (orders, 1)), axis=1)
        best = optimal_orders(row, keep_last) if linear(row) else np.empty((0, n), int)
        tried = np.concatenate([drawn, [_ranked(s) for s in ranked.values()], best])
        count, mass = until_flip(row, tried, keep_last)
        share = np.where(count > 0, count / n, np.nan)
        found["erased_random_mean"] = (
            share[:orders][count[:orders] > 0].mean() if count[:orders].any() else np.nan
        )
        least = np.lexsort((mass[orders + 3 :], share[orders + 3 :]))[:1] + orders + 3  # NaN comes last
        for r, i in zip(RANKINGS, [0, *range(orders, orders + 3), *least], strict=False):
            found[f"erased_{r}"], found[f"mass_{r}"] = share[i], mass[i]
        if len(best):
            never = np.isnan(found["erased_attention"])
            found["excess_attention"] = (1 if never else found["erased_attention"]) - found["erased_optimal"]
        bound = mass_bound(row, keep_last) if len(best) else np.inf
        rows.append(found | {"mass_bound": bound, "bias_flips": float(bias_flips(row))})
    table = pd.DataFrame(rows).reindex(columns=list(TABLES["erasure"].columns)).replace(np.inf, np.nan)
    return validate("erasure", table.astype({c: float for c in columns_of("erasure")}))


def cells(table: pd.DataFrame, choice: str) -> pd.DataFrame:
    """The 2 x 2 table of single erasures by a choice of the top unit, over texts with n > 1.

    Columns: cell (of CELLS), n, count, mean (the share) with its 95 % interval low, high (Wilson's).
    """
    top, other = (table[f"flips_{which}_{choice}"].dropna() == 1 for which in ("top", "other"))
    counts = [(top & other).sum(), (top & ~other).sum(), (~top & other).sum(), (~top & ~other).sum()]
    rows = [
        {"cell": c, "n": len(top), "count": k} | _share(k, len(top))
        for c, k in zip(CELLS, counts, strict=True)
    ]
    return pd.DataFrame(rows)


def _share(count: int, n: int) -> dict[str, float]:
    if n == 0:
        return dict.fromkeys(("mean", "low", "high"), np.nan)
    low, high = binomtest(int(count), n).proportion_ci(method="wilson")
    return {"mean": count / n, "low": low, "high": high}


def versus(table: pd.DataFrame, a: str, b: str) -> dict[str, float]:
    """Two rankings on the same texts: which flips at all (McNemar, exact) and which sooner (sign test).

    only_a, only_b: texts that flip under one alone. sooner_a, sooner_b, as_soon: of those that flip under
    both.
    """
    x, y = table[f"erased_{a}"], table[f"erased_{b}"]
    found = {"only_a": (x.notna() & y.isna()).sum(), "only_b": (x.isna() & y.notna()).sum()}
    found |= {"p_flips": _even(found["only_a"], found["only_b"])}
    found |= {"sooner_a": (x < y).sum(), "sooner_b": (y < x).sum(), "as_soon": (x == y).sum()}
    return found | {"p_sooner": _even(found["sooner_a"], found["sooner_b"])}


def _even(a: int, b: int) -> float:
    """Two-sided p of so uneven a count were both equally likely; 1 where there is nothing to count."""
    return float(binomtest(int(a), int(a + b)).pvalue) if a + b else 1.0


def in_common(table: pd.DataFrame) -> pd.DataFrame:
    """The instances that flip under every ranking that flips any: all shares then have one denominator.

    None where no ranking flips any.
    """
    columns = [f"erased_{r}" for r in RANKINGS if table[f"erased_{r}"].notna().any()]
    return table.dropna(subset=columns) if columns else table.iloc[:0]


# What attention says, a number a text: higher is more.
SAYS = {
    "ΔJSD of erasing the top weight and another": lambda t: t["delta_js_attention"],
    "share of units saved by attention over random": lambda t: (
        t["erased_random_mean"] - t["erased_attention"]
    ),
    "share of units saved over the optimum (0 at most)": lambda t: (
        t["erased_optimal"] - t["erased_attention"]
    ),
}


def says_more(context: pd.DataFrame, none: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Does attention say more without context? Two models' tables on the same texts, paired by id.

    Columns: measure, n, context, none (means), difference (none - context) with its 95 % bootstrap interval
    over texts, p (Wilcoxon's signed ranks, one-sided: more without context). Texts where a number is
    undefined in either model are left out; where none is left all numbers are NaN.
    """
    rows, (a, b) = [], (t.set_index("id") for t in (context, none))
    for name, of in SAYS.items():
        pair = pd.concat([of(a), of(b)], axis=1, join="inner").dropna().to_numpy()
        gain = pair[:, 1] - pair[:, 0]
        row = {"measure": name, "n": len(pair)}
        row |= dict.fromkeys(("context", "none", "difference", "low", "high", "p"), np.nan)
        if len(pair):
            low, high = stats.interval(gain, resamples, seed)
            row |= dict(zip(("context", "none"), pair.mean(0), strict=True), difference=gain.mean())
            p = float(wilcoxon(gain, alternative="greater").pvalue) if gain.any() else 1.0
            row |= {"low": low, "high": high, "p": p}
        rows.append(row)
    return pd.DataFrame(rows)
