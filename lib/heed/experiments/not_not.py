"""Chapter 07, not not: the models that a run is held against, and what they do differently.

Source: Wiegreffe & Pinter (2019). Each is a run of its own: uniform attention, other seeds, token-wise models
that take others' attention, adversaries trained for one λ each.
"""

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.errors import HeedError
from heed.evidence import Evidence
from heed.experiments.correlation import arrays_of_all
from heed.measures import exact, stats
from heed.measures.divergence import jsd, tvd
from heed.measures.kendall import kendall
from heed.measures.permutation import linear
from heed.measures.registry import Measure, columns_of, register, validate
from heed.models.encoders import encoder_called
from heed.params import LEAVING, OPPOSING, REPAIRING, RESAMPLING, RIVALS, SEARCHING
from heed.runs.products import product
from heed.runs.summaries import of_several, summarised

# Which models' F1 are held against one another.
GAINS = [("base", "uniform"), ("mlp_base", "mlp_trained"), ("mlp_base", "mlp_adversary"),
         ("mlp_trained", "mlp_uniform"), ("mlp_adversary", "mlp_uniform")]  # fmt: skip
OPPOSED = ("lambdas", *sorted(OPPOSING))  # what its trained adversaries depend on
FAR = 0.4  # nats: the mean JSD from which the paper calls an adversary's attention different
_ROW = {"id": pa.Column(str), "predicted": pa.Column(int), "max_attention": pa.Column(float)}
_JSD, _TVD = (0.0, float(np.log(2)) + 1e-9), (0.0, 1.0)
_SEEDS = "W&P (2019), section 3.3 and figure 3", "seeds"
_TRAINED = "W&P (2019), section 4 and figure 5", "adversaries"
_MOVED, _CHANGED = "higher is more different", "higher is more change"
_AGREES = "higher is closer agreement"
register(
    "seeds",
    _ROW | {"model": pa.Column(str)},
    Measure("other_jsd", "JSD to the base's attention (nats)", _JSD, _MOVED, *_SEEDS),
    Measure("other_change", "change of the prediction (TVD)", _TVD, _CHANGED, *_SEEDS),
)
register(
    "adversaries",
    _ROW | {"kl_weight": pa.Column(float, pa.Check.gt(0))},
    Measure("trained_jsd", "JSD of the trained adversary (nats)", _JSD, _MOVED, *_TRAINED),
    Measure("trained_change", "TVD of the trained adversary", _TVD, _CHANGED, *_TRAINED),
    Measure("transplanted", "TVD of the base under the adversary's attention", _TVD, _CHANGED, *_TRAINED),
    Measure("room", "largest JSD at this TVD, on the base's states (nats)", _JSD, _MOVED, *_TRAINED),
)
_KENDALL = (-1.0, 1.0), _AGREES, "Snell et al. (2021), slides", "deception"
register(
    "deception",
    {"id": pa.Column(str, unique=True), "predicted": pa.Column(int)},
    *(
        Measure(f"{who}_{what}", f"{who}: τ of attention and {label}", *_KENDALL)
        for who in ("base", "adversary")
        for what, label in (("loo", "signed leave-one-out"), ("relevance", "relevance"))
    ),
)


def seeds(run) -> dict[str, object]:
    """The runs with uniform attention and with the other seeds, by name."""
    encoder = encoder_called(run.params.encoder)
    if encoder.unit != "token":
        raise HeedError(
            f"a {encoder.label} attends to {encoder.unit}s; chapters 07 and 08 are of tokens. Give another "
            "encoder."
        )
    if max(len(words) for words in run.corpus.splits["test"].words) < 2:
        raise HeedError(
            f"corpus {run.params.corpus}: every test text has a single token, and chapters 07 and 08 compare "
            "attention over several. Give a corpus of longer texts."
        )
    found = [seed for seed in run.params.other_seeds if seed != run.params.seed]
    if not found:
        raise HeedError(f"other_seeds = {run.params.other_seeds}: only the run's own. Give another seed.")
    return {"uniform": run.like(attention="uniform", erasure_weight=0)} | {
        f"seed {s}": run.like(seed=s) for s in found
    }


def adversaries(run) -> dict[float, object]:
    """The trained adversaries, by λ for the true TVD; with the halved one they are trained with λ/2."""
    share = 0.5 if run.params.tvd_halved else 1.0
    return {weight: run.like(base=run, kl_weight=share * weight) for weight in sorted(run.params.lambdas)}


def best(run) -> float:
    """The λ of the adversary with the lowest mean TVD of those with a mean JSD above 0.4, else the furthest.

    The split that chooses the epochs (`select_on`) chooses here, too.
    """
    found = {}
    attention, predictions = run.decisions(run.params.select_on)
    own = {name: weights for name, weights in attention.items() if len(weights) > 1}, predictions
    for weight, other in adversaries(run).items():
        table = distances(own, other.decisions(run.params.select_on))
        found[weight] = table["change"].mean(), table["jsd"].mean()
    far = [weight for weight in found if found[weight][1] > FAR]
    return min(far, key=lambda w: found[w][0]) if far else max(found, key=lambda w: found[w][1])


def guides(run) -> dict[str, object]:
    """The run, uniform attention, the best adversary, and the token-wise models with each one's attention."""
    plain = {"encoder": "average", "average_dim": run.params.guided_dim, "average_activation": "tanh"}
    plain |= dict.fromkeys(REPAIRING, 0)  # what mends the run is no concern of theirs
    adversary = adversaries(run)[best(run)]
    return {
        "base": run,
        "uniform": run.like(attention="uniform", erasure_weight=0),
        "adversary": adversary,
        "mlp_uniform": run.like(**plain, attention="uniform"),
        "mlp_trained": run.like(**plain),
        "mlp_base": run.like(**plain, base=run),
        "mlp_adversary": run.like(**plain, base=adversary),
    }


def distances(own: tuple[dict, dict], other: tuple[dict, dict]) -> pd.DataFrame:
    """TVD of the predictions and JSD of the attentions of two models' decisions, a row a text."""
    (attention, predictions), (attention_, predictions_) = own, other
    rows = [(n, tvd(predictions_[n], predictions[n]), jsd(attention_[n], a)) for n, a in attention.items()]
    return pd.DataFrame(rows, columns=["id", "change", "jsd"])


def _rows(evidence: Evidence) -> dict:
    peaks = [row.attention[row.real].max() for row in evidence]
    return {"id": evidence.ids, "predicted": evidence.predicted.astype(int), "max_attention": peaks}


def _seeds_first(run) -> None:
    for other in seeds(run).values():
        other.ensure("evidence")


@product("seeds.parquet", name="seeds", settings=("other_seeds",), before=_seeds_first)
def table_of_seeds(run) -> pd.DataFrame:
    """How far attention and prediction of `seeds` are from the run's, a row a text and model."""
    parts, own, rows = [], run.decisions("test"), _rows(run.evidence)
    for name, other in seeds(run).items():
        found = distances(own, other.decisions("test"))
        measured = {"other_jsd": found["jsd"], "other_change": found["change"]}
        parts.append(pd.DataFrame(rows | {"model": name} | measured))
    return validate("seeds", pd.concat(parts, ignore_index=True))


def median_of_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """One row a text: the median JSD over the seeds, and the mean TVD."""
    texts = table[table["model"] != "uniform"].groupby("id", sort=False)
    kept = texts[["predicted", "max_attention"]].first().assign(other_jsd=texts["other_jsd"].median())
    return kept.assign(other_change=texts["other_change"].mean()).reset_index()


def panels(table: pd.DataFrame, adversarial: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Figure 3 and what bounds it, by title: the seeds' median JSD, and of the same texts what the search of
    algorithm 3 found and the exact optimum, or the best known where not every text's is proved."""
    median, of = median_of_seeds(table), adversarial.set_index("id")
    titles = {"Jain & Wallace's search": "found"}
    titles["exact optimum" if of["proved"].all() else "best known"] = "optimum"
    of = of.loc[median["id"]].reset_index()
    return {"other seeds, median": median} | {k: median.assign(other_jsd=of[v]) for k, v in titles.items()}


def _adversaries_first(run) -> None:
    for other in adversaries(run).values():
        other.ensure("evidence")


@product("adversaries.parquet", name="adversaries", settings=OPPOSED, before=_adversaries_first)
def table_of_adversaries(run) -> pd.DataFrame:
    """How far the trained adversaries look away, a row a text and λ.

    transplanted: what the base says when it is given the adversary's attention. room: the largest JSD of any
    attention on the base's states at the adversary's TVD (of a head that isn't one logit an upper bound); a
    model that has states of its own may go beyond.
    """
    parts, evidence, own = [], run.evidence, run.decisions("test")
    for weight, other in adversaries(run).items():
        attention, predictions = other.decisions("test")
        found = distances(own, (attention, predictions))
        measured = {"trained_jsd": found["jsd"], "trained_change": found["change"]}
        measured["transplanted"] = [tvd(r.probs(attention[r.id]), r.prediction) for r in evidence]
        allowed = np.minimum(found["change"], 1 - 1e-9)
        measured["room"] = [exact.upper(r, e) for r, e in zip(evidence, allowed, strict=True)]
        parts.append(pd.DataFrame(_rows(evidence) | {"kl_weight": weight} | measured))
    return validate("adversaries", pd.concat(parts, ignore_index=True))


def _tables_first(run) -> None:
    for name in ("seeds", "adversaries"):
        run.ensure(name)


@product("points.parquet", settings=("other_seeds", *OPPOSED, *SEARCHING), before=_tables_first)
def points(run) -> pd.DataFrame:
    """Figure 5: mean JSD and TVD of every rival, of the search and of the exact optimum; the rivals' F1.

    Means over texts of two tokens or more.
    kl_weight: λ of a trained adversary. The optimum's TVD is what it may be, ε.
    """
    rows, evidence = [], run.evidence
    for table, key, mine in (("adversaries", "kl_weight", adversaries(run)), ("seeds", "model", seeds(run))):
        far, change = columns_of(table)[:2]
        for name, own in of_several(run.table(table), evidence).groupby(key, sort=False):
            trained = table == "adversaries"
            kind = "adversary" if trained else name.split()[0]
            f1 = mine[name].info()["scores"]["test"].get("f1", np.nan)
            label = f"lambda={name:g}" if trained else name
            rows.append((kind, label, name if trained else np.nan, f1, own[far].mean(), own[change].mean()))
    searched = run.arrays("adversary")
    moved = [tvd(row.probs(searched[row.id]), row.prediction) for row in evidence if row.real.sum() > 1]
    found = of_several(run.table("adversarial"))["found"].mean()
    rows.append(("search", "search", np.nan, np.nan, found, np.mean(moved)))
    if linear(evidence):
        curve = of_several(run.table("exact_curve"), evidence)
        for epsilon, mean in curve.groupby("epsilon")["optimum_at"].mean().items():
            rows.append(("optimum", f"optimum {epsilon:g}", np.nan, np.nan, mean, epsilon))
    return pd.DataFrame(rows, columns=["kind", "name", "kl_weight", "f1", "jsd", "change"])


def _guides_first(run) -> None:
    for other in guides(run).values():
        other.ensure("evidence")


@product(
    "guides.parquet", name="guides", settings=(*OPPOSED, "guided_dim", *RESAMPLING), before=_guides_first
)
def table_of_guides(run) -> pd.DataFrame:
    """F1 of each of `guides` on test, and of `GAINS` the differences, with bootstrap intervals over texts."""
    rows, made = [], {name: other.evidence for name, other in guides(run).items()}
    how = run.evidence.predictions.shape[1], run.params.resamples, run.params.seed
    for name, less in [*((name, None) for name in made), *GAINS]:
        labels, predicted = made[name].labels, made[name].predicted
        found = stats.f1(labels, predicted, *how, less=less and made[less].predicted)
        label = f"{name}_minus_{less}" if less else name
        rows.append({"model": label} | dict(zip(("f1", "low", "high"), found, strict=True)))
    return pd.DataFrame(rows)


def support(evidence: Evidence, logits: dict[str, np.ndarray]):
    """Each row, and how its real tokens support the predicted class: signed leave-one-out, relevance.

    Leave-one-out: y - y_{-t}, of its probability. Relevance: its logit had all attention been on t, turned to
    the predicted class; of more than two classes less the mean of all, as only differences of logits count.
    None where the head isn't linear.
    """
    linear = evidence.head.is_linear
    for c, row in zip(evidence.predicted, evidence, strict=True):
        column = c if row.allowed is None else row.allowed[:c].sum()  # left out are the answers not allowed
        left = evidence.head.from_logits(logits[row.id]).numpy()[:, column]
        dropped = np.round(row.prediction[c] - left, 14)  # as measures.change
        values, one = row.values[row.real], None
        if linear:
            binary = values.shape[1] == 1
            one = values[:, 0] * (1 if c == 1 else -1) if binary else values[:, c] - values.mean(1)
        yield row, dropped, one


def deception(models: dict[str, tuple[Evidence, dict]]) -> pd.DataFrame:
    """τ of each model's attention with what supports its own prediction; a row a text. Below 0 it misleads.

    models: `base` and `adversary` to evidence and leave-one-out's logits.
    """
    base = models["base"][0]
    found = {"id": base.ids, "predicted": base.predicted.astype(int)}
    for who, given in models.items():
        rows = []
        for row, dropped, relevance in support(*given):
            attention = row.attention[row.real]
            both = [kendall(attention, dropped)[0]]
            rows.append([*both, np.nan if relevance is None else kendall(attention, relevance)[0]])
        found |= dict(zip((f"{who}_loo", f"{who}_relevance"), np.array(rows).T, strict=True))
    return validate("deception", pd.DataFrame(found))


def best_adversary(run):
    """The trained adversary that `best` names."""
    return adversaries(run)[best(run)]


@product(
    "deception.parquet",
    name="deception",
    settings=(*OPPOSED, *LEAVING),
    before=lambda run: best_adversary(run).ensure("loo"),
)
def table_of_deception(run) -> pd.DataFrame:
    """`deception` of the run and its best adversary."""
    models = {"base": run, "adversary": best_adversary(run)}
    return deception({name: (model.evidence, arrays_of_all(model, "loo")) for name, model in models.items()})


def _all_first(run) -> None:
    seeds(run)["uniform"].ensure("summary_scores")  # whether attention is needed
    for name in ("points", "guides", "deception"):
        run.ensure(name)


@product(
    "summary-not-not.parquet",
    settings=(*RIVALS, *LEAVING, *SEARCHING, *RESAMPLING),
    before=_all_first,
    proof="trained_jsd",
)
def summary_not_not(run) -> pd.DataFrame:
    """Seeds, uniform attention, F1 of the token-wise models, the adversaries by λ and the best of them.

    epoch, sure: of the base; which one was chosen, and the share of texts with a prediction above .99.
    Distances are of texts of two tokens or more.
    """
    of_seeds, of_adversaries = (
        of_several(run.table(name), run.evidence) for name in ("seeds", "adversaries")
    )
    weight = best(run)
    uniform = of_seeds[of_seeds["model"] == "uniform"]
    uniform = uniform.rename(columns=lambda column: column.replace("other", "uniform"))
    rows = []
    for scored in run.table("guides").to_dict("records"):
        numbers = {"mean": scored["f1"], "low": scored["low"], "high": scored["high"]}
        rows.append({"measure": f"f1_{scored['model']}"} | numbers)
    epoch = run.table("curve").query("chosen")["epoch"].item()
    sure = (run.evidence.predictions.max(axis=1) > 0.99).mean()
    for name, value in (("best_lambda", weight), ("epoch", epoch), ("sure", sure)):
        rows.append({"measure": name, "mean": value})
    of_points = run.table("points")
    for point in of_points[of_points["kind"].isin(("adversary", "seed", "uniform"))].to_dict("records"):
        for number in ("f1", "jsd", "change"):
            rows.append({"measure": f"{number} {point['name']}", "mean": point[number]})
    own = of_adversaries[of_adversaries["kl_weight"] == weight]
    tables = {
        "seeds": (median_of_seeds(of_seeds), ("other_jsd", "other_change")),
        "uniform": (uniform, ("uniform_jsd", "uniform_change")),
        "adversaries": (own, columns_of("adversaries")),
        "deception": (run.table("deception"), columns_of("deception")),
    }
    return summarised(run, "summary_not_not", tables, rows)
