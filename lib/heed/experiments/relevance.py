"""Chapter 08, relevance: how attention comes to follow what the model would say of each token alone.

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns"; symbols
as in their slides: attention a, relevance r, and r' of a model trained with uniform attention. Chapter 08.
"""

import copy
from collections import Counter
from itertools import count, islice

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError
from heed.evidence import Evidence, collect
from heed.experiments import not_not
from heed.experiments.correlation import arrays_of_all
from heed.experiments.train import trained
from heed.measures import stats
from heed.measures.divergence import jsd
from heed.measures.gradients import gradients
from heed.measures.kendall import kendall
from heed.measures.registry import Measure, columns_of, register, validate
from heed.measures.relevance import agreement, chance, dropped, relevances
from heed.models.encoders import encoder_called
from heed.params import LEAVING, REPAIRING, RESAMPLING, WATCHING
from heed.runs.products import Made, as_table, product
from heed.runs.summaries import of_several, summarised

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


def unused(run) -> list[int]:
    """Two seeds that neither the run nor its other seeds have: of uniform training, of the bag of words.

    The first differs between runs of seeds below 1000: an interval over runs needs that.
    """
    seed, others = run.params.seed, run.params.other_seeds
    after = seed + 1000 if seed in others else seed  # the next one is that of the run before it, too
    return [*islice((s for s in count(after + 1) if s not in others), 2)]


def models(run) -> dict[str, object]:
    """The run with uniform attention and another start, and the first of the other seeds, by name."""
    others = [*not_not.seeds(run).items()][1 : OTHERS + 1]
    return {"uniform": run.like(attention="uniform", erasure_weight=0, seed=unused(run)[0]), **dict(others)}


def twin(run):
    """Uniform training from the run's own start, with its own order of batches."""
    return run.like(attention="uniform", erasure_weight=0)


def bag(run):
    """The bag of words: mean of the embeddings, a linear layer (of a question, the words' projections)."""
    asked = run.corpus.task != "classification"
    encoder = "average" if asked and not encoder_called("none").reads_questions else "none"
    return run.like(encoder=encoder, attention="uniform", seed=unused(run)[1], **dict.fromkeys(REPAIRING, 0))


def local(run) -> dict[str, object]:
    """The run with states that are their words' alone: from its own first word vectors, and random ones."""
    plain = {"encoder": "average"} | dict.fromkeys(REPAIRING, 0)
    return {"local": run.like(**plain), "local_random": run.like(**plain, vectors="random")}


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
        "loo": dropped(evidence, arrays_of_all(run, "loo")),
        "bag of words": relevances(bag(run).evidence),
    }


def _of_both(one: np.ndarray, other: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Over all that may be attended to, markers too; the gate and leave-one-out are of real tokens alone."""
    return one, other if len(one) == len(other) else other[real]


@product("gate.parquet")
def gate(run) -> dict[str, np.ndarray]:
    """Slope of the gold label's log-likelihood by a gate on each test token, attention live."""
    how = {"of": "loglik", "wrt": "gate", "attention": "live"}
    return gradients(run.model(), run.data("test"), run.params.tokens_per_batch, **how)


def _relevance_first(run) -> None:
    for other in (bag(run), twin(run), *models(run).values()):
        other.ensure("evidence")


@product("relevance.parquet", name="relevance", settings=("other_seeds", *LEAVING), before=_relevance_first)
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
    """A of each of PAIRS that looks in r', a row a step of uniform training: means over watched texts.

    Of those of two units or more, as of one all agree.
    """
    ranks, real = rankings(run), {row.id: row.real for row in run.evidence}
    seen = models(run)["uniform"].table("watched")
    seen = seen[seen["relevance"].map(len) > 1].copy()
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
    of a random order. All but the accuracy is of texts of two units or more.
    """
    rows = []
    for model, frame in watched.items():
        for step, texts in frame.groupby("step"):
            accuracy = texts["correct"].mean()
            texts = texts[texts["attention"].map(len) > 1]
            own, weights = [attention[name] for name in texts["id"]], texts["attention"]
            rows.append(
                {
                    "model": model,
                    "step": step,
                    "accuracy": accuracy,
                    "away": np.mean([jsd(a / a.sum(), np.full(len(a), 1 / len(a))) for a in weights]),
                    "spread": texts["relevance"].map(np.std).mean(),
                    "attention_agrees": np.mean(list(map(agreement, own, weights))),
                    "relevance_agrees": np.mean(list(map(agreement, own, texts["relevance"]))),
                    "chance": weights.map(len).map(chance).mean(),
                }
            )
    return pd.DataFrame(rows)


def _watched_first(run) -> None:
    """A committed checkpoint stays the model that chapters tell of; else watching keeps what it trains."""
    if run.committed.is_dir():
        run.ensure("weights")


@product("watched.parquet", settings=WATCHING, before=_watched_first, beside=("weights", "curve"))
def watched(run) -> Made:
    """Train, or train once more, the same steps or the first of them, and look at attention and relevance.

    Of a run that isn't trained yet the weights are kept, too: watching changes nothing.
    """
    p, looks = run.params, []
    if p.kl_weight:
        raise HeedError("a trained adversary learns no labels, and isn't watched. Watch its base.")
    texts = run.data("test").thinned(p.watched_texts)
    epochs = min(p.watch_epochs or p.epochs, p.epochs)
    last = epochs * -(-len(run.data("train")) // p.batch_size)

    def watch(model, step: int) -> None:
        if due(step, p.watch_every) or step == last:
            apart = copy.deepcopy(model).double().eval()
            looks.append(look(collect(apart, texts, p.tokens_per_batch), step))

    made = trained(run, watch=watch, epochs=epochs)
    files = {"watched": as_table(pd.concat(looks, ignore_index=True))}
    if epochs < p.epochs or run.holds("weights"):
        return Made(files)
    return Made(files | made.files, made.scores)


def _course_first(run) -> None:
    for other in models(run).values():
        other.ensure("watched")


@product("course.parquet", name="course", settings=("other_seeds", *WATCHING), before=_course_first)
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

    Given one uniform model, whose seed none of them has; of texts of two units or more.
    """
    ahead = relevances(models(run)["uniform"].evidence)
    of = [run, *(other for name, other in models(run).items() if name != "uniform")]
    means = []
    for one in of:
        agree = [agreement(w.attention, ahead[w.id]) for w in one.evidence if len(w.attention) > 1]
        means.append(np.mean(agree))
    return stats.t_interval(np.array(means), (0, 1))


def _summary_first(run) -> None:
    """Watched first: what is watched is trained on the way."""
    for name in ("course", "relevance"):
        run.ensure(name)
    for model in local(run).values():
        model.ensure("evidence")
        models(model)["uniform"].ensure("evidence")


@product(
    "summary-relevance.parquet",
    settings=("other_seeds", *WATCHING, *LEAVING, *RESAMPLING),
    before=_summary_first,
    proof="top_uniform",
)
def summary_relevance(run) -> pd.DataFrame:
    """A and τ, ξ of each agreement, A over seeds and over uniform training, and which comes first.

    Of texts of two units or more: of one unit all rankings agree.
    """
    of_texts, of_course = of_several(run.table("relevance")), run.table("course")
    seen = of_texts[of_texts["id"].isin(run.table("watched")["id"])]
    rows = [*_over_uniform_training(run)]
    for pair in PAIRS:
        rows.append({"measure": f"xi_{pair}", "mean": xi(of_course, seen[f"top_{pair}"].mean())})
    rows += _halfway_rows(of_course)
    rows = [{"n": len(seen)} | row for row in rows]
    rows.append(_with_interval("top_uniform_seeds", over_seeds(run)))
    of_words = of_local(run)
    of_words = of_words[of_words["id"].isin(of_texts["id"])]
    tables = {
        "relevance": (of_texts, columns_of("relevance")),
        "local": (of_words, [name for name in of_words if name.startswith(("top", "common"))]),
    }
    return summarised(run, "summary_relevance", tables, rows)


def _over_uniform_training(run) -> list[dict]:
    """The highest A of each pair over the steps of uniform training, and attention's at the last one."""
    steps = over_training(run)
    rows = [{"measure": f"top_{pair}_highest", "mean": steps[pair].max()} for pair in steps]
    return [*rows, {"measure": "top_uniform_last", "mean": steps["uniform"].iloc[-1]}]


def _halfway_rows(of_course: pd.DataFrame) -> list[dict]:
    """The step at which each quantity of the other seeds is half grown; an interval where there are two."""
    rows = []
    for column in ("away", "spread", "attention_agrees", "relevance_agrees"):
        half = halfway(seeds_of(of_course), column)
        mean, low, high = stats.t_interval(half.to_numpy(), (0, np.inf))
        if len(half) < 2:
            low = high = np.nan
        rows.append(_with_interval(f"half_{column}", (mean, low, high)))
    return rows


def _with_interval(measure: str, found: tuple[float, float, float]) -> dict:
    return {"measure": measure} | dict(zip(("mean", "low", "high"), found, strict=True))
