"""Output relevance: what the model would say of each token alone, and how attention comes to follow it.

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns"; symbols
as in their slides: attention a, relevance r, and r' of a model trained with uniform attention. Chapter 08.
"""

from collections import Counter
from itertools import count, islice
from math import ceil

import numpy as np
import pandas as pd
import pandera.pandas as pa
from scipy.integrate import solve_ivp

from heed import rivals, stats
from heed.divergence import jsd, significant_digits
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.measures import Measure, kendall, register, validate

SHARE = 0.05  # of a text's positions, its ceiling: so far down a match may lie
OTHERS = 5  # other seeds that are watched, as many as the authors' runs B to F
FIRST = (0, 10, 25, 50, 75, 100, 150, 200)  # steps looked at before the regular ones
# Each pair: a name, the ranking whose top is looked up, and the one it is looked up in. Models of one seed
# share first weights and the order of batches, so r' is of another seed; its twin's is of the run's own.
PAIRS = {
    "uniform": ("a", "r'", "attention and uniform training's relevance"),
    "twin": ("a", "r' of a twin", "the same, trained from the same start"),
    "own": ("a", "r", "attention and the model's own relevance"),
    "other": ("a", "r of another seed", "attention and another seed's relevance"),
    "gate": ("gate", "r'", "gate gradient and uniform training's relevance"),
    "dropped": ("loo", "r'", "signed leave-one-out and uniform training's relevance"),
    "proxy": ("bag of words", "r'", "bag of words and uniform training's relevance"),
}
_CLOSER = "higher is closer agreement", "Snell et al. (2021), section 3 and code", "relevance"
register(
    "relevance",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int), "length": pa.Column(int)},
    *(Measure(f"top_{k}", f"A of {label}", (0.0, 1.0), *_CLOSER) for k, (*_, label) in PAIRS.items()),
    *(
        Measure(f"tau_{k}", f"Kendall τ of {label}", (-1.0, 1.0), *_CLOSER)
        for k, (*_, label) in PAIRS.items()
    ),
    Measure("top_chance", "A of a random ranking", (0.0, 1.0), *_CLOSER),
)


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


def unused(run) -> list[int]:
    """Two seeds that neither the run nor its other seeds have: of uniform training, of the bag of words.

    The first differs between runs of seeds below 1000: an interval over runs needs that.
    """
    seed, others = run.params.seed, run.params.other_seeds
    after = seed + 1000 if seed in others else seed  # the next one is that of the run before it, too
    return [*islice((s for s in count(after + 1) if s not in others), 2)]


def models(run) -> dict[str, object]:
    """The run with uniform attention and another start, and the first of the other seeds, by name."""
    others = [*rivals.seeds(run).items()][1 : OTHERS + 1]
    return {"uniform": run.like(attention="uniform", seed=unused(run)[0]), **dict(others)}


def twin(run):
    """Uniform training from the run's own start, with its own order of batches."""
    return run.like(attention="uniform")


def bag(run):
    """The bag of words: mean of the embeddings, a linear layer (of a question, the words' projections)."""
    encoder = "none" if run.corpus.task == "classification" else "average"
    return run.like(encoder=encoder, attention="uniform", seed=unused(run)[1])


def local(run) -> dict[str, object]:
    """The run with states that are their words' alone: from its own first word vectors, and random ones."""
    return {
        "local": run.like(encoder="average"),
        "local_random": run.like(encoder="average", vectors="random"),
    }


def of_local(run) -> pd.DataFrame:
    """A(a, r') of `local` models (`top`), and whether attention goes to common words (`common`); by text.

    common: Kendall's τ of attention with the number of training texts that have the word; of the run, too.
    """
    texts = Counter(word for words in run.data("train").words for word in {*words})
    found = {"id": run.evidence.ids, "predicted": run.evidence.predicted}
    for name, of in ({"": run} | {f"_{name}": of for name, of in local(run).items()}).items():
        found[f"common{name}"] = [
            kendall(w.attention[w.real], np.array([texts[unit] for unit in w.units])[w.real])[0]
            for w in of.evidence
        ]
        if name:
            ahead = relevances(models(of)["uniform"].evidence)
            found[f"top{name}"] = [agreement(w.attention, ahead[w.id]) for w in of.evidence]
    return pd.DataFrame(found)


def rankings(run) -> dict[str, dict[str, np.ndarray]]:
    """All that PAIRS compares: each text's ranking by id, by the ranking's name."""
    evidence, (uniform, another, *_) = run.evidence, models(run).values()
    return {
        "a": {row.id: row.attention for row in evidence},
        "r": relevances(evidence),
        "r'": relevances(uniform.evidence),
        "r' of a twin": relevances(twin(run).evidence),
        "r of another seed": relevances(another.evidence),
        "gate": run.arrays("gate"),
        "loo": dropped(evidence, run.arrays("loo")),
        "bag of words": relevances(bag(run).evidence),
    }


def _of_both(one: np.ndarray, other: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Over all that may be attended to, markers too; the gate and leave-one-out are of real tokens alone."""
    return one, other if len(one) == len(other) else other[real]


def table(run) -> pd.DataFrame:
    """A and τ of each of PAIRS, and A by chance; a row a text."""
    ranks, rows = rankings(run), []
    for row, predicted in zip(run.evidence, run.evidence.predicted, strict=True):
        found = {"id": row.id, "predicted": int(predicted), "length": len(row.real)}
        for pair, (u, v, _) in PAIRS.items():
            both = _of_both(ranks[u][row.id], ranks[v][row.id], row.real)
            found |= {f"top_{pair}": agreement(*both), f"tau_{pair}": kendall(*both)[0]}
        rows.append(found | {"top_chance": chance(len(row.real))})
    return validate("relevance", pd.DataFrame(rows))


def over_training(run) -> pd.DataFrame:
    """A of each of PAIRS that looks in r', a row a step of uniform training: means over watched texts."""
    ranks, real = rankings(run), {row.id: row.real for row in run.evidence}
    seen = models(run)["uniform"].table("watched")
    for pair, ranking in ((pair, ranks[u]) for pair, (u, v, _) in PAIRS.items() if v == "r'"):
        texts = zip(seen["id"], seen["relevance"], strict=True)
        seen[pair] = [agreement(*_of_both(ranking[name], r, real[name])) for name, r in texts]
    return seen.drop(columns=["id", "correct", "attention", "relevance"]).groupby("step").mean()


def due(step: int, every: int) -> bool:
    """Whether a model in training is looked at after this step."""
    return step in FIRST or step % every == 0


def look(evidence: Evidence, step: int) -> pd.DataFrame:
    """Attention and relevance of a model in training, a row a text."""
    found = {"step": step, "id": evidence.ids, "correct": evidence.predicted == evidence.labels}
    found |= {"attention": [row.attention for row in evidence], "relevance": [*relevances(evidence).values()]}
    return pd.DataFrame(found)


def course(attention: dict[str, np.ndarray], watched: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What watching showed, a row a model and step, means over texts.

    away: JSD of attention from uniform (nats); spread: standard deviation of a text's relevance (logits);
    attention_agrees, relevance_agrees: A of the finished model's `attention` with what is watched; chance: A
    of a random order.
    """
    rows = []
    for model, frame in watched.items():
        for step, texts in frame.groupby("step"):
            own, weights = [attention[name] for name in texts["id"]], texts["attention"]
            rows.append(
                {
                    "model": model,
                    "step": step,
                    "accuracy": texts["correct"].mean(),
                    "away": np.mean([jsd(a / a.sum(), np.full(len(a), 1 / len(a))) for a in weights]),
                    "spread": texts["relevance"].map(np.std).mean(),
                    "attention_agrees": np.mean(list(map(agreement, own, weights))),
                    "relevance_agrees": np.mean(list(map(agreement, own, texts["relevance"]))),
                    "chance": weights.map(len).map(chance).mean(),
                }
            )
    return pd.DataFrame(rows)


def table_of_course(run) -> pd.DataFrame:
    """`course` of the run (`base`), of uniform training, and of other seeds."""
    attention = {row.id: row.attention for row in run.evidence}
    return course(attention, {n: r.table("watched") for n, r in ({"base": run} | models(run)).items()})


def seeds_of(course: pd.DataFrame) -> pd.DataFrame:
    """The rows of the models that differ in their seed alone."""
    return course[~course["model"].isin(("base", "uniform"))]


def xi(course: pd.DataFrame, given: float) -> float:
    """ξ: the other seeds' mean accuracy when their attention first agrees more than `given`; else NaN."""
    steps = seeds_of(course).groupby("step")[["attention_agrees", "accuracy"]].mean()
    return float(next(iter(steps.loc[steps["attention_agrees"] > given, "accuracy"]), np.nan))


def halfway(course: pd.DataFrame, column: str) -> pd.Series:
    """The step at which each model's column has first come half of its way from the start to its highest."""

    def of(rows: pd.DataFrame) -> int:
        values = rows.sort_values("step").set_index("step")[column]
        return int((values >= (values.iloc[0] + values.max()) / 2).idxmax())

    return pd.Series({name: of(rows) for name, rows in course.groupby("model", sort=False)})


def over_seeds(run) -> tuple[float, float, float]:
    """Mean of A(a, r') over the run and the other seeds, with Student's interval within [0, 1].

    Given one uniform model, whose seed none of them has.
    """
    ahead = relevances(models(run)["uniform"].evidence)
    of = [run, *(other for name, other in models(run).items() if name != "uniform")]
    means = [np.mean([agreement(w.attention, ahead[w.id]) for w in r.evidence]) for r in of]
    return stats.t_interval(np.array(means), (0, 1))


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
