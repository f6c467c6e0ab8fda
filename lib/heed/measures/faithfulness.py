"""Is a ranking of words faithful? What becomes of the prediction when the words it names go, or stay alone.

p is the probability of the class that the full text is given. Comprehensiveness is p(x) - p(x without the top
words), sufficiency p(x) - p(the top words alone): DeYoung et al. (2020), means over SHARES of the words, not
clipped. Normalised (Edin et al. 2024): words become <unk> one after another, the mean over all n steps stands
between those of the model's own worst and best order; taken from the other end, it is their sufficiency. A
third way takes words out of attention's sight alone and holds the states. Soft (Zhao & Aletras 2023): each
number of a word's vector is kept with a chance that goes with the word's score. Of equal scores the word that
stands first comes first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
import pandera.pandas as pa
import torch

from heed.corpora.batches import Encoded
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures import erasure, orders, parts, stats
from heed.measures.divergence import significant_digits
from heed.measures.leave_one_out import leave_one_out
from heed.measures.orders import Bounds
from heed.measures.registry import MEASURES, Measure, columns_of, register, validate
from heed.measures.search import generator
from heed.models.attended import Attended, asked, device_of, forward
from heed.models.attentions import Uniform
from heed.params import Params
from heed.progress import progress

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)  # of a text's words, DeYoung et al.'s
HELD_WORDS = 300  # up to which the best order is sought where states are held
BEST, WORST = "optimal", "worst"  # the rows of a model's own best and worst order
_MORE, _LESS = "higher is more faithful", "lower is more faithful"
_ERASER = "DeYoung et al. (2020), section 4.2", "faithfulness"
_EDIN = "Edin et al. (2024), equations 1 to 3", "faithfulness"
_HELD = "heed, after Edin et al. (2024)", "faithfulness"
_SOFT = "Zhao & Aletras (2023), equations 6 to 9", "faithfulness"
_ALONE = "Spearman's ρ of the score and what removing the word alone does to p", "faithfulness"
register(
    "faithfulness",
    {
        "id": pa.Column(str),
        "predicted": pa.Column(int),
        "length": pa.Column(int),
        "ranking": pa.Column(str),
        "bounds": pa.Column(str, pa.Check.isin(["", "all sets", "sorted", "beam"])),
        "bounds_held": pa.Column(str, pa.Check.isin(["", "all sets", "sorted", "beam"])),
    },
    Measure("comp_delete", "comprehensiveness, words deleted", (-1, 1), _MORE, *_ERASER),
    Measure("suff_delete", "sufficiency, words deleted", (-1, 1), _LESS, *_ERASER),
    Measure("comp_unk", "comprehensiveness, words <unk>", (-1, 1), _MORE, *_ERASER),
    Measure("suff_unk", "sufficiency, words <unk>", (-1, 1), _LESS, *_ERASER),
    Measure("aopc_comp", "mean fall of p, top words first", (-1, 1), _MORE, *_EDIN),
    Measure("aopc_suff", "mean fall of p, top words last", (-1, 1), _LESS, *_EDIN),
    Measure("naopc_comp", "normalised comprehensiveness", (0, 1), _MORE, *_EDIN),
    Measure("naopc_suff", "normalised sufficiency", (0, 1), _LESS, *_EDIN),
    Measure("held_comp", "normalised comprehensiveness, states held", (0, 1), _MORE, *_HELD),
    Measure("held_suff", "normalised sufficiency, states held", (0, 1), _LESS, *_HELD),
    Measure("soft_comp", "soft comprehensiveness", (0, 1), _MORE, *_SOFT),
    Measure("soft_suff", "soft sufficiency", (0, 1), _MORE, *_SOFT),
    Measure("monotonicity", "monotonicity, sizes", (-1, 1), _MORE, *_ALONE),
    Measure("monotonicity_signed", "monotonicity, signed", (-1, 1), _MORE, *_ALONE),
)
METRICS = columns_of("faithfulness")


def taken(n: int, share: float) -> int:
    """How many of n words a share is: ⌈share · n⌉, so one at least. Raises HeedError for a share of nothing.

    The product is rounded first: 0.1 · 30 is 3.0000000000000004 in floating point.
    """
    if not 0 < share <= 1 or n < 1:
        raise HeedError(
            f"a share of {share:g} of {n} words is no set of words: expected a share above 0, 1 at most, and "
            "a word at least."
        )
    return ceil(round(share * n, 9))


def order_of(score: np.ndarray) -> np.ndarray:
    """The words (n,) from the highest score on; of equals, to 9 digits, the one that stands first."""
    return np.argsort(-significant_digits(score), kind="stable")


class Asked:
    """Of one text: by how much p falls without a set of words. Each set is asked once.

    read: kept words (M, n), flags, to p (M,).
    """

    def __init__(self, read: Callable[[np.ndarray], np.ndarray], n: int):
        self.read, self.known = read, {}
        self.whole = float(read(np.ones((1, n), bool))[0])

    def __call__(self, removed: np.ndarray) -> np.ndarray:
        """d (M,) of removed words (M, n)."""
        names = [own.tobytes() for own in np.packbits(removed, axis=1)]
        new = {name: k for k, name in enumerate(names) if name not in self.known}
        if new:
            p = self.read(~removed[[*new.values()]])
            self.known.update(zip(new, (self.whole - p).tolist(), strict=True))
        return np.array([self.known[name] for name in names])


def by_shares(change: orders.Change, ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Comprehensiveness and sufficiency (R,) of orders (R, n): means over SHARES."""
    places = np.argsort(ranked, axis=1)
    counts = np.array([taken(ranked.shape[1], share) for share in SHARES])
    top = places[:, None, :] < counts[None, :, None]  # (R, shares, n)
    flat = top.reshape(-1, top.shape[-1])
    gone, alone = (change(sets).reshape(top.shape[:2]).mean(1) for sets in (flat, ~flat))
    return gone, alone


@dataclass(frozen=True)
class Text:
    """One text that can be asked: its place in the data, its row of evidence, its class, and d of each way.

    logits: of kept words (M, n) and a way of taking the others out, (M, C or 1).
    """

    i: int
    row: Row
    decision: int
    logits: Callable[[np.ndarray, str], np.ndarray]
    delete: Asked
    unk: Asked

    @classmethod
    def of(cls, model: Attended, data: Encoded, i: int, row: Row, tokens_per_batch: int) -> "Text":
        """Nothing is asked yet but the full text."""
        decision, n = erasure.decision(row), len(data.codes[i]) - 2

        def logits(kept: np.ndarray, way: str) -> np.ndarray:
            return parts.logits_of(model, data, i, kept, way, tokens_per_batch)

        def asked_by(way: str) -> Asked:
            return Asked(lambda kept: parts.probability(row.head, logits(kept, way), decision), n)

        return cls(i, row, decision, logits, asked_by("delete"), asked_by("unk"))

    @property
    def words(self) -> int:
        """n."""
        return int(self.row.real.sum())

    def held(self, removed: np.ndarray) -> np.ndarray:
        """d (M,) where the states are held and attention is renormalised over the words that stay."""
        logits = erasure.logits_of(self.row, ~removed)
        return self.row.prediction[self.decision] - parts.probability(self.row.head, logits, self.decision)


def additive_unk(model: Attended, text: Text) -> np.ndarray | None:
    """What each word adds to the decision's logit over <unk> (n,), where the logit is additive; else None.

    So it is of one logit, states that know their own word alone, and uniform attention: nothing else of the
    text then depends on a word. With attention that is learnt the other words' weights change, too.
    """
    is_uniform = isinstance(getattr(model, "attention", None), Uniform)
    knows_context = getattr(getattr(model, "encoder", None), "contextual", True)
    if not (text.row.head.one_logit and is_uniform) or knows_context:
        return None
    kept = np.concatenate([np.ones((1, text.words), bool), ~np.eye(text.words, dtype=bool)])
    whole, *without = parts.lead(text.logits(kept, "unk"), text.decision)
    return whole - np.array(without)


def additive_held(row: Row) -> np.ndarray | None:
    """What orders the words where states are held, of one logit and equal weights (n,); else None.

    Sets of one size then have one mass, and the logit is additive in what they hold.
    """
    weights = row.attention[row.real]
    if not row.head.one_logit or np.ptp(weights) > 1e-12 or weights.min() <= 0:
        return None
    values = row.values[row.real, 0]
    return values if erasure.decision(row) == 1 else -values


def bounds_unk(model: Attended, text: Text, p: Params) -> Bounds | None:
    """The lowest and highest AOPC by <unk>; None of a text that is too long for a search."""
    gains = additive_unk(model, text)
    if gains is not None:
        return orders.by_sorting(text.unk, gains)
    return _sought(text.unk, text.words, p, p.beam_words)


def bounds_held(text: Text, p: Params) -> Bounds | None:
    """The same where states are held, which costs no forward pass; None of more than HELD_WORDS."""
    gains = additive_held(text.row)
    if gains is not None:
        return orders.by_sorting(text.held, gains)
    return _sought(text.held, text.words, p, HELD_WORDS)


def _sought(change: orders.Change, n: int, p: Params, most: int) -> Bounds | None:
    if n <= p.exact_words:
        return orders.by_all_sets(change, n)
    return orders.by_beam(change, n, p.beam_width) if n <= most else None


def chances(scores: np.ndarray) -> np.ndarray:
    """Scores (n,) brought to 0 to 1 by their lowest and highest; all alike: ½ each."""
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.full(len(scores), 0.5)


def soft(
    model: Attended, data: Encoded, text: Text, scores: dict[str, np.ndarray], p: Params
) -> dict[str, dict[str, float]]:
    """Soft comprehensiveness and sufficiency of each ranking, means over the draws: by its name.

    Each number of a word's vector stays with the chance q = `chances` (sufficiency) or 1 - q
    (comprehensiveness), all rankings with the same draws; markers stay. What is lost, or kept, is a share of
    what the text loses without any word's vector; 1 at most, which isn't in the paper: where that loss is
    small, noise alone loses a thousand times as much. NaN where nothing is lost so.
    """
    batch = asked(model, data.batch([text.i]).to(device_of(model)))
    real = batch.real[0]
    with torch.no_grad():
        embedded = model.embed(batch)

        def say(kept: torch.Tensor) -> np.ndarray:
            """p (M,) with these shares of the words' vectors (M, n, E)."""
            masked = embedded.repeat(len(kept), 1, 1)
            masked[:, real] = masked[:, real] * kept.to(masked)
            many = asked(model, data.batch([text.i] * len(kept)).to(device_of(model)))
            logits = forward(model, many, embedded=masked).logits.double().cpu().numpy()
            return parts.probability(text.row.head, logits, text.decision)

        n, width = int(real.sum()), embedded.shape[2]
        whole, nothing = say(torch.stack([torch.ones(n, width), torch.zeros(n, width)]))
        room = whole - nothing
        if room <= 1e-12:
            return {name: {"soft_comp": np.nan, "soft_suff": np.nan} for name in scores}
        draws = generator(p.seed, f"soft {text.row.id}").random((p.soft_draws, n, width))
        found = {}
        for name, own in scores.items():
            q = chances(own)[:, None]
            without, alone = say(torch.from_numpy(draws >= q)), say(torch.from_numpy(draws < q))
            lost, missing = (np.maximum(0, whole - said) for said in (without, alone))
            found[name] = {
                "soft_comp": float(np.minimum(1, lost / room).mean()),
                "soft_suff": float((np.maximum(0, room - missing) / room).mean()),
            }
    return found


def monotonicity(score: np.ndarray, falls: np.ndarray) -> dict[str, float]:
    """Spearman's ρ of scores (n,) with what each removal takes from p (n,): with its size, with its sign."""
    score, falls = significant_digits(score), np.round(falls, 14)
    sizes = stats.rank_correlation(score, significant_digits(np.abs(falls)))
    return {
        "monotonicity": sizes,
        "monotonicity_signed": stats.rank_correlation(score, significant_digits(falls)),
    }


def fall_by_word(evidence: Evidence, logits: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What each word's removal takes from p (n,), of leave-one-out's logits (n, allowed classes)."""
    found = {}
    for row in evidence:
        decision = erasure.decision(row)
        own = decision if row.allowed is None else int(row.allowed[:decision].sum())
        p = parts.probability(row.head, logits[row.id], own)
        found[row.id] = row.prediction[decision] - p
    return found


def faithfulness(
    model: Attended, data: Encoded, evidence: Evidence, ranked: dict[str, dict[str, np.ndarray]], p: Params
) -> pd.DataFrame:
    """Every metric of every ranking, a row a text and ranking; the rows `optimal` and `worst` are the bounds.

    evidence: of the same texts. ranked: by ranking, then id, the numbers of a text's words; an id may be
    missing. bounds, bounds_held: how the best and worst order were found; nothing where they weren't. A
    search's bounds take in every ranking's order. The rows of the bounds have the orders found by <unk>;
    those of the held states have theirs. Raises HeedError for a model of sentences, or other texts' evidence.
    """
    parts.check(model)
    if data.ids != evidence.ids:
        raise HeedError(
            f"faithfulness: {len(data)} texts and evidence of {len(evidence)} rows aren't the same texts in "
            "one order. Take the evidence's rows by the texts' ids: evidence.only(data.ids)."
        )
    without = leave_one_out(model, data, p.tokens_per_batch, p.loo_how, p.loo_tolerance)
    falls = fall_by_word(evidence, without)
    rows = []
    for i, row in enumerate(progress(evidence, "faithfulness, texts", total=len(evidence))):
        text = Text.of(model, data, i, row, p.tokens_per_batch)
        scores = {name: own[row.id] for name, own in ranked.items() if row.id in own}
        found = _of_text(model, data, text, scores, falls[row.id], p)
        named = {"id": row.id, "predicted": text.decision, "length": text.words}
        rows += [named | {"ranking": name} | own for name, own in found.items()]
    columns = ["id", "predicted", "length", "ranking", "bounds", "bounds_held", *METRICS]
    table = pd.DataFrame(rows, columns=columns)
    types = dict.fromkeys(METRICS, float) | dict.fromkeys(("predicted", "length"), int)
    types |= dict.fromkeys(("id", "ranking", "bounds", "bounds_held"), str)
    return validate("faithfulness", table.astype(types))


def sufficiency(
    model: Attended,
    data: Encoded,
    evidence: Evidence,
    ranked: dict[str, dict[str, np.ndarray]],
    tokens_per_batch: int,
) -> pd.DataFrame:
    """Sufficiency of each ranking, words deleted, and nothing that costs more; a row a text that has a word.

    evidence: of the same texts. ranked: by ranking, then id, the numbers of a text's words. Columns: id and
    `suff_delete_RANKING`, as `faithfulness` has it: p(x) - p(the top words alone), mean over SHARES. Raises
    HeedError for a model of sentences. Source: DeYoung et al. (2020), section 4.2.
    """
    parts.check(model)
    rows = []
    for i, row in enumerate(progress(evidence, "sufficiency, texts", total=len(evidence))):
        if not row.real.any():
            continue
        text = Text.of(model, data, i, row, tokens_per_batch)
        _, alone = by_shares(text.delete, np.array([order_of(own[row.id]) for own in ranked.values()]))
        called = (f"suff_delete_{name}" for name in ranked)
        rows.append({"id": row.id} | dict(zip(called, alone.tolist(), strict=True)))
    return pd.DataFrame(rows, columns=["id", *(f"suff_delete_{name}" for name in ranked)])


def _of_text(
    model: Attended,
    data: Encoded,
    text: Text,
    scores: dict[str, np.ndarray],
    falls: np.ndarray,
    p: Params,
) -> dict[str, dict]:
    """Every metric of one text, by ranking."""
    found = {name: {"bounds": "", "bounds_held": ""} for name in scores}
    ranked = {name: order_of(score) for name, score in scores.items()}
    bounds = bounds_unk(model, text, p)
    if bounds is not None:
        bounds, between = _between(text.unk, ranked, bounds)
        _add(found, between, ("aopc_comp", "aopc_suff", "naopc_comp", "naopc_suff"), {"bounds": bounds.how})
        ranked |= {BEST: bounds.best, WORST: bounds.worst}
        scores = scores | {name: -np.argsort(ranked[name]).astype(float) for name in (BEST, WORST)}
    bounds = bounds_held(text, p)
    if bounds is not None:
        ours = {name: own for name, own in ranked.items() if name not in (BEST, WORST)}
        bounds, between = _between(text.held, ours, bounds)
        between = {name: own[2:] for name, own in between.items()}
        _add(found, between, ("held_comp", "held_suff"), {"bounds_held": bounds.how})
    if not scores:
        return {}
    given = np.array([ranked[name] for name in scores])
    for way in ("delete", "unk"):
        gone, alone = by_shares(getattr(text, way), given)
        both = dict(zip(scores, zip(gone, alone, strict=True), strict=True))
        _add(found, both, (f"comp_{way}", f"suff_{way}"))
    softly = soft(model, data, text, scores, p)
    for name, score in scores.items():
        found[name] |= softly[name] | monotonicity(score, falls)
    return found


def _add(found: dict[str, dict], numbers: dict[str, tuple], called: tuple[str, ...], known=None) -> None:
    """Put each ranking's numbers under these names, beside what is known of them."""
    for name, own in numbers.items():
        found.setdefault(name, {"bounds": "", "bounds_held": ""})
        found[name] |= dict(zip(called, own, strict=True)) | (known or {})


def _between(
    change: orders.Change, ranked: dict[str, np.ndarray], bounds: Bounds
) -> tuple[Bounds, dict[str, tuple[float, ...]]]:
    """AOPC from the top and from the other end, and both normalised, of orders and of the bounds' own.

    A search's bounds first take in all orders there are.
    """
    given = np.array([*ranked.values()], dtype=int).reshape(-1, len(bounds.best))
    tried = np.concatenate([given, given[:, ::-1], [bounds.best[::-1], bounds.worst[::-1]]])
    bounds = bounds.widened(orders.aopc(change, tried), tried)
    given = np.concatenate([given, [bounds.best, bounds.worst]])
    ends = orders.aopc(change, given), orders.aopc(change, given[:, ::-1])
    columns = [*ends, *(orders.normalised(own, bounds) for own in ends)]
    return bounds, dict(zip([*ranked, BEST, WORST], zip(*columns, strict=True), strict=True))


def truth_first(table: pd.DataFrame, tie: float = 1e-12) -> pd.DataFrame:
    """Which metric ranks the truth first? A row a metric, over the texts whose truth is known.

    best: the ranking with the best mean, and its mean; truth: the truth's mean, its place among the rankings
    (1: none is better by more than `tie`) and how many there are. The bounds, which know the model, take no
    part. Raises HeedError for a table without the truth.
    """
    known = table[table["id"].isin(table.loc[table["ranking"] == "truth", "id"])]
    known = known[~known["ranking"].isin([BEST, WORST])]
    if known.empty:
        raise HeedError(
            "truth: no text of this table has a ranking by its deciding words. Take planted, indicator or a "
            "world."
        )
    means = known.groupby("ranking", sort=False)[[*METRICS]].mean()
    rows = []
    for metric in METRICS:
        own = means[metric].dropna()
        if "truth" not in own:
            continue  # nothing could be measured
        ahead = own if MEASURES[metric].direction == _MORE else -own
        best = ahead.idxmax()
        rows.append(
            {
                "metric": metric,
                "label": MEASURES[metric].label,
                "direction": MEASURES[metric].direction,
                "texts": int(known.loc[known["ranking"] == "truth", metric].notna().sum()),
                "best": best,
                "mean": own[best],
                "truth": own["truth"],
                "place": int((ahead > ahead["truth"] + tie).sum()) + 1,
                "rankings": len(own),
            }
        )
    return pd.DataFrame(rows)
