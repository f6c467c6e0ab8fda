"""Chapter 11, rationales: is the top of a ranking enough to learn the task from? FRESH's question.

Source: Jain, Wiegreffe, Pinter & Wallace (2020), "Learning to Faithfully Rationalize by Construction". A
model of whole texts ranks their words; a new one is trained, and tested, on the first ⌈share of n⌉ of each
alone, in the text's order. A seed is the whole way: a model of whole texts, and readers of what it chose.
Where a reader is good though it was given no word that decides, the choice itself has told it the label.
"""

from math import ceil

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError, choose
from heed.evidence import Evidence, collect
from heed.measures import rankings, stats
from heed.measures.marks import RANDOM, random_scores, top
from heed.measures.registry import Measure, columns_of, register, validate
from heed.params import RATIONALES
from heed.runs.products import product
from heed.runs.summaries import summarised

FULL, TRUTH = "full text", "truth"
_UNIT, _WEIGHT = (0.0, 1.0), "higher is more weight"
_BETTER, _OF = "higher predicts better", ("Jain et al. (2020), section 4", "fresh")
_HEED = "heed: what is read", "fresh"
register(
    "fresh",
    {"ranking": pa.Column(str), "seed": pa.Column(int)},
    Measure("read_accuracy", "accuracy of a model of the chosen words", _UNIT, _BETTER, *_OF),
    Measure("read_f1", "mean F1 of the classes, of a model of the chosen words", _UNIT, _BETTER, *_OF),
    Measure("read_share", "share of a text's words that are chosen", _UNIT, _WEIGHT, *_HEED),
    Measure("read_truth", "share of the deciding words that are chosen", _UNIT,
            "higher finds more of the truth", *_HEED),
    Measure("blind_share", "share of texts without a chosen word that decides", _UNIT, "lower is better",
            *_HEED),
    Measure("blind_accuracy", "accuracy on those texts", _UNIT, _BETTER, *_HEED),
)  # fmt: skip


def chosen(score: np.ndarray, share: float) -> np.ndarray:
    """The places of the ⌈share of n⌉ highest scores (n,), in order; of equals those that stand first."""
    return np.flatnonzero(top(score, ceil(round(share * len(score), 9))))


def scores_of(run, split: str, name: str) -> dict[str, np.ndarray]:
    """A ranking's numbers of the real tokens of each text of a split, by id; also RANDOM and TRUTH.

    The truth ranks the deciding words first, all others at random. The model is in evaluation, without
    dropout, and sees no label. Raises HeedError where there is no such ranking.
    """
    p, is_test = run.params, split == "test"
    model, data = (None, None) if is_test else (run.model(), run.data(split))
    evidence = run.evidence if is_test else collect(model, data, p.tokens_per_batch)
    if evidence.unit != "token":
        raise HeedError(
            f"rationales are of words; this model attends to {evidence.unit}s. Give another encoder."
        )
    drawn = random_scores(evidence, p.seed)
    if name == RANDOM:
        return drawn
    if name == TRUTH:
        return _truth_first(evidence, drawn)
    own = rankings.declared()[choose("ranking", name, [*rankings.declared(), RANDOM, TRUTH])]
    if not own.needs_model:
        return own.scores(evidence)
    arrays = run.arrays(name) if is_test else own.compute(model, data, p, {})
    return own.scores(evidence, arrays)


def _truth_first(evidence: Evidence, drawn: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Deciding words above all others, each by its drawn number below 1."""
    if not evidence.truth_is_known:
        raise HeedError("truth: this corpus's deciding tokens aren't known; use planted or indicator.")
    return {row.id: row.truth[row.real] + drawn[row.id] for row in evidence}


def _base_first(run) -> None:
    """What the model of whole texts makes of test, before the lock is taken."""
    if not run.params.rationale:
        raise HeedError(
            f"{run.params.path} reads whole texts. Ask a run that has a `rationale` and a `base`."
        )
    run.base.ensure("evidence")
    own = rankings.declared().get(run.params.rationale)
    if own is not None and own.needs_model:
        run.base.ensure(own.name)


@product("cut.parquet", before=_base_first)
def cut(run) -> pd.DataFrame:
    """The places of the words that this run reads, of each text of every split, as its base ranks them."""
    p, rows = run.params, []
    for split in run.base.corpus.splits:
        for name, score in scores_of(run.base, split, p.rationale).items():
            rows.append({"split": split, "id": name, "words": chosen(score, p.rationale_share)})
    return pd.DataFrame(rows)


def names(run) -> list[str]:
    """What rationales are chosen by: the rankings of `rationale_by`, RANDOM, and TRUTH where it is known."""
    for name in run.params.rationale_by:
        choose("ranking", name, rankings.declared())
    known = [TRUTH] if run.corpus.splits["test"].truth is not None else []
    return [*run.params.rationale_by, RANDOM, *known]


def models(run) -> dict[tuple[str, int], object]:
    """The runs that are held against one another, by ranking and seed; FULL: of whole texts."""
    p, found = run.params, {}
    for seed in dict.fromkeys((p.seed, *p.rationale_seeds)):
        whole = run.like(seed=seed)
        found[FULL, seed] = whole
        for name in names(run):
            found[name, seed] = whole.like(base=whole, rationale=name)
    return found


def _models_first(run) -> None:
    for other in models(run).values():
        other.ensure("evidence")


@product("fresh.parquet", settings=RATIONALES, before=_models_first)
def fresh(run) -> pd.DataFrame:
    """How well each of `models` predicts the test texts, and what it was given to read; a row a model."""
    from sklearn.metrics import f1_score

    whole, rows = run.corpus.splits["test"], []
    for (name, seed), other in models(run).items():
        found = {"ranking": name, "seed": seed}
        labels, predicted = other.evidence.labels, other.evidence.predicted
        found["read_accuracy"] = float((labels == predicted).mean())
        if run.corpus.task != "qa":  # a question has too many answers
            found["read_f1"] = float(f1_score(labels, predicted, average="macro"))
        read = other.corpus.splits["test"]
        lengths = zip(read.words, whole.words, strict=True)
        found["read_share"] = float(np.mean([len(own) / len(words) for own, words in lengths]))
        if whole.truth is not None:
            found |= _truth_read(read.truth, whole.truth, labels == predicted)
        rows.append(found)
    table = pd.DataFrame(rows).reindex(columns=["ranking", "seed", *columns_of("fresh")])
    return validate("fresh", table.astype({name: float for name in columns_of("fresh")}))


def _truth_read(read: list[np.ndarray], whole: list[np.ndarray], is_right: np.ndarray) -> dict[str, float]:
    """How much of each text's deciding words was read, and the accuracy where none was, though there are."""
    shares = np.array([a.sum() / b.sum() if b.any() else np.nan for a, b in zip(read, whole, strict=True)])
    known, blind = ~np.isnan(shares), shares == 0
    found = {"read_truth": float(shares[known].mean()), "blind_share": float(blind.sum() / known.sum())}
    if blind.any():
        found["blind_accuracy"] = float(is_right[blind].mean())
    return found


@product("summary-fresh.parquet", settings=RATIONALES)
def summary_fresh(run) -> pd.DataFrame:
    """Each measure of each ranking's readers: the mean over seeds with Student's interval."""
    rows = []
    for name, own in run.table("fresh").groupby("ranking", sort=False):
        for measure in columns_of("fresh"):
            values = own[measure].dropna().to_numpy()
            if len(values):
                mean, low, high = stats.t_interval(values, (0, 1))
                called = f"{measure}_{name.replace(' ', '_')}"
                rows.append({"measure": called, "mean": mean, "low": low, "high": high})
    return summarised(run, "summary_fresh", {}, rows)
