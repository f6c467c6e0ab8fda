"""What a run can be asked for, the file that holds it, and how it is made from the products before it.

A maker is given the run and returns the files to write (name to a function of a path) and the scores to
note in run.json. It asks the run for what it needs, so asking for a summary makes all before it.
"""

import copy
import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.torch import save_file

from heed import (
    adversarial,
    erasure,
    heatmap,
    imitator,
    importance,
    measures,
    models,
    relevance,
    rivals,
    stats,
    training,
    vectors,
)
from heed import permutation as permuting
from heed.adversary import Search
from heed.corpora import SPLITS, partial
from heed.errors import HeedError
from heed.evidence import collect, decisions
from heed.loo import leave_one_out
from heed.params import ERASING, LEAVING, OPPOSING, RESAMPLING, RIVALS, SEARCHING, WATCHING

OPPOSED = ("lambdas", *sorted(OPPOSING))
FILES = {
    "weights": "weights.safetensors",
    "curve": "curve.parquet",
    "evidence": "evidence-test.arrow",
    "gradient": "gradient.parquet",
    "loo": "loo.parquet",
    "correlation": "correlation.parquet",
    "truth": "truth.parquet",
    "summary_scores": "summary-scores.parquet",
    "summary": "summary.parquet",
    "conicity": "conicity.parquet",
    "permutation": "permutation.parquet",
    "summary_permutation": "summary-permutation.parquet",
    "adversarial": "adversarial.parquet",
    "adversary": "adversary.parquet",
    "exact_curve": "exact_curve.parquet",
    "summary_adversarial": "summary-adversarial.parquet",
    "heatmap": "heatmap.parquet",
    "summary_heatmap": "summary-heatmap.parquet",
    "erasure": "erasure.parquet",
    "summary_erasure": "summary-erasure.parquet",
    "decisions_train": "decisions-train.parquet",
    "decisions_dev": "decisions-dev.parquet",
    "seeds": "seeds.parquet",
    "adversaries": "adversaries.parquet",
    "points": "points.parquet",
    "guides": "guides.parquet",
    "deception": "deception.parquet",
    "summary_not_not": "summary-not-not.parquet",
    "watched": "watched.parquet",
    "gate": "gate.parquet",
    "relevance": "relevance.parquet",
    "course": "course.parquet",
    "summary_relevance": "summary-relevance.parquet",
}
_ERASED = [name for name in measures.columns_of("erasure") if name.startswith("erased_")]
# The measures by which a run's summary shows that it went through a chapter.
SUMMARISED = {
    "01": ("accuracy",),
    "02": tuple(measures.PAIRS),
    "03": (*measures.columns_of("permutation"), "peaked", "peaked_still"),
    "04": ("found", "optimum", "bound"),
    "05": measures.columns_of("heatmap"),
    "06": (
        *(
            name
            for name in measures.columns_of("erasure")
            if not name.startswith(("flips_", "delta_weight_"))
        ),
        *(f"{name}_in_common" for name in _ERASED),
        *(f"cell_{cell}_{choice}" for choice in erasure.CHOICES for cell in erasure.CELLS),
    ),
    "07": ("other_jsd", "other_change", "trained_jsd", "trained_change", *measures.columns_of("deception")),
    "08": measures.columns_of("relevance"),
}
# What a product depends on beyond the run's text, model and training: with other values it is made anew.
SETTINGS = {
    "loo": LEAVING,
    "correlation": LEAVING,
    "truth": LEAVING,
    "summary": (*LEAVING, *RESAMPLING),
    "permutation": ("permutations",),
    "summary_permutation": ("permutations", *RESAMPLING),
    "adversarial": SEARCHING,
    "adversary": SEARCHING,
    "summary_adversarial": (*SEARCHING, *RESAMPLING),
    "heatmap": ("permutations", *LEAVING, *SEARCHING),
    "summary_heatmap": ("permutations", *LEAVING, *SEARCHING, *RESAMPLING),
    "erasure": ERASING,
    "summary_erasure": (*ERASING, *RESAMPLING),
    "seeds": ("other_seeds",),
    "adversaries": OPPOSED,
    "points": ("other_seeds", *OPPOSED, *SEARCHING),
    "guides": (*OPPOSED, "guided_dim", *RESAMPLING),
    "deception": (*OPPOSED, *LEAVING),
    "summary_not_not": (*RIVALS, *LEAVING, *SEARCHING, *RESAMPLING),
    "watched": WATCHING,
    "relevance": ("other_seeds", *LEAVING),
    "course": ("other_seeds", *WATCHING),
    "summary_relevance": ("other_seeds", *WATCHING, *LEAVING, *RESAMPLING),
}
# What is made of other runs before a product of this one.
BEFORE: dict[str, Callable] = {
    "weights": lambda run: run.params.base and [run.base.decisions(split) for split in SPLITS],
    "seeds": lambda run: [other.ensure("evidence") for other in rivals.seeds(run).values()],
    "adversaries": lambda run: [other.ensure("evidence") for other in rivals.adversaries(run).values()],
    "points": lambda run: [run.ensure(p) for p in ("seeds", "adversaries")],
    "guides": lambda run: [other.ensure("evidence") for other in rivals.guides(run).values()],
    "deception": lambda run: rivals.adversaries(run)[rivals.best(run)].ensure("loo"),
    "summary_not_not": lambda run: [
        rivals.seeds(run)["uniform"].ensure("summary_scores"),  # whether attention is needed
        *(run.ensure(p) for p in ("points", "guides", "deception")),
    ],
    "relevance": lambda run: [
        other.ensure("evidence")
        for other in (relevance.bag(run), relevance.twin(run), *relevance.models(run).values())
    ],
    # A committed checkpoint stays the model that chapters tell of; else watching keeps what it trains.
    "watched": lambda run: run.committed.is_dir() and run.ensure("weights"),
    "course": lambda run: [other.ensure("watched") for other in relevance.models(run).values()],
    # Watched first: what is watched is trained on the way.
    "summary_relevance": lambda run: [
        *(run.ensure(p) for p in ("course", "relevance")),
        *(
            m.ensure("evidence")
            for of in relevance.local(run).values()
            for m in (of, relevance.models(of)["uniform"])
        ),
    ],
}


@dataclass(frozen=True)
class Made:
    """What a maker gives: files, scores. Writing a file may compute what it writes and add to the scores."""

    files: dict[str, Callable[[Path], None]]
    scores: dict = field(default_factory=dict)


def weights(run, watch=training.nothing, epochs: int | None = None) -> Made:
    """Train; the weights are those of the chosen epoch, `curve` has a row an epoch."""
    p = run.params
    rows, found = vectors.matrix(p, run.corpus.vocabulary)
    data, chooser = run.data("train"), run.data(p.select_on)
    if models.of_bags(p):  # a story of 300 tokens has 30 words
        data, chooser = data.bags(), chooser.bags()
    model = run.build(rows).to(p.device)
    if p.kl_weight:
        curve = _opposed(run, model, data)
    else:
        objective = training.labels_objective(data.labels, p.class_weight, len(run.corpus.classes))
        by = p.select_by or training.CHOOSE[run.corpus.task]
        if by == "auc" and run.corpus.task != "classification":
            raise HeedError("select_by: auc is for classification only. Leave it out, or give accuracy.")

        def select(model) -> float:
            return getattr(training, by)(chooser.labels, training.predict(model, chooser, p.tokens_per_batch))

        shorter = p.model_copy(update={"epochs": epochs or p.epochs})
        curve = training.train(model, data, objective, select, shorter, watch=watch)
    # A table is the same each time; seconds are a machine's, and stand in run.json.
    seconds = [round(s, 3) for s in curve.pop("seconds")]
    tensors = {name: tensor.contiguous().cpu() for name, tensor in model.state_dict().items()}
    metadata = {"vocabulary": run.vocabulary_hash}
    return Made(
        {"weights": lambda to: save_file(tensors, to, metadata), "curve": as_table(curve)},
        {"coverage": vectors.coverage(found, run.corpus.vocabulary, data.words), "epoch_seconds": seconds},
    )


def _opposed(run, model, data) -> pd.DataFrame:
    """Train a model away from its base's attention, without labels; return the learning curve."""
    p, attention, predictions = run.params, {}, {}
    chooser = run.data(chosen_on := p.adversary_select_on or p.select_on)
    for split in {"train", chosen_on}:
        known = run.base.decisions(split)
        attention, predictions = attention | known[0], predictions | known[1]
    objective = imitator.objective(attention, predictions, p.kl_weight, p.tvd_halved, p.kl_reversed)

    def select(model) -> float:
        return -training.mean_loss(model, chooser, objective, p.tokens_per_batch)

    longer = p.model_copy(update={"epochs": p.adversary_epochs})
    return training.train(model, data, objective, select, longer, patience=p.patience)


def evidence(run) -> Made:
    """What the model's attention decided on the test split; it goes to the file as it comes."""
    model, scores = run.model(), {}

    def write(to: Path) -> None:
        found = collect(model, run.data("test"), run.params.tokens_per_batch, path=to)
        scores["test"] = training.scores(found, run.corpus.task)

    return Made({"evidence": write}, scores)


def gradient(run) -> Made:
    """|dŷ/dx| of every test token, attention detached."""
    found = importance.gradients(run.model(), run.data("test"), run.params.tokens_per_batch)
    return Made({"gradient": _arrays(found)})


def loo(run) -> Made:
    """Logits without each test token; of a BiLSTM also how far it was read on after a cut."""
    p, walks = run.params, Counter()
    how = p.tokens_per_batch, p.loo_how, p.loo_tolerance
    found = leave_one_out(run.model(), run.data("test"), *how, walks)
    scores = {k: walks[k] / walks["walks"] for k in ("steps", "forgotten")} if walks["walks"] else {}
    return Made({"loo": _arrays(found)}, {"loo": scores} if scores else {})


def conicity(run) -> pd.DataFrame:
    """Conicity of each test text's states: the states themselves are not kept."""
    found = importance.conicity(run.model(), run.data("test"), run.params.tokens_per_batch)
    return pd.DataFrame(found.items(), columns=["id", "conicity"])


def permutation(run) -> pd.DataFrame:
    """Permuted attention, algorithm 2."""
    return permuting.permutation(run.evidence, run.params.permutations, run.params.seed)


def adversary(run) -> Made:
    """The search of algorithm 3 and the exact optimum beside it."""
    p = run.params
    how = Search(
        adversaries=p.adversaries,
        epsilon=p.search_epsilon or p.epsilon,
        penalty=p.penalty if p.penalty_each else p.penalty / p.adversaries,
        mean_pairs=p.mean_pairs,
        steps=p.search_steps,
    )
    table, best = adversarial.adversarial(run.evidence, how, p.epsilon, p.seed)
    return Made({"adversarial": as_table(table), "adversary": _arrays(best)})


def _peaked(table: pd.DataFrame) -> pd.DataFrame:
    """With the texts that have a weight of 0.5 or more, and which of them move by 0.05 at most."""
    peaked = table["max_attention"] >= 0.5
    still = (table["median_change"] <= 0.05).astype(float).where(peaked)
    return table.assign(peaked=peaked.astype(float), peaked_still=still)


def _summarised(run, product: str, tables: dict[str, tuple[pd.DataFrame, tuple[str, ...]]], whole=()) -> Made:
    """The run's numbers, one row a measure and, but in QA, predicted class: what the project commits.

    tables: name to its frame and the columns to summarise; whole: rows about the whole test split.
    """
    p = run.params
    how = p.resamples, p.seed, p.significance
    by_class = run.corpus.task != "qa"  # a question has too many answers
    parts = [stats.summarise(frame, columns, *how, by_class) for frame, columns in tables.values()]
    top = of_all(len(run.evidence))
    table = pd.concat([pd.DataFrame([top | row for row in whole]), *parts], ignore_index=True)
    table = rows_of(run, table, next(iter(tables), "evidence"))
    table["given"] = run.params.given_to(SETTINGS.get(product, ()))
    return Made({product: as_table(table)})


def of_all(count: int) -> dict:
    """A summary's row about all of `count` instances, its numbers still to be given."""
    empty = dict.fromkeys(("mean", "std", "significant", "low", "high"), np.nan)
    return {"class": "overall", "n": count, "undefined": 0} | empty


def rows_of(run, table: pd.DataFrame, product: str) -> pd.DataFrame:
    """A summary's rows with what names the run, and the library that made `product`."""
    named = ("corpus", "encoder", "attention", "profile", "variant", "given", "seed")
    table = pd.DataFrame({k: getattr(run.params, k) for k in named}, index=table.index).join(table)
    library = run.info()["products"][product]["library"]
    return table.assign(partial=partial(run.params.corpus), library=library)


def summary_scores(run) -> Made:
    """How well the model predicts."""
    run.ensure("evidence")
    scores = run.info()["scores"]["test"]
    return _summarised(run, "summary_scores", {}, [{"measure": k, "mean": v} for k, v in scores.items()])


def summary(run) -> Made:
    """Correlations, how they go with length and, where it is known, how the truth is found."""
    table, columns = run.table("correlation"), [*SUMMARISED["02"]]
    for other in ("loo", "gradient"):
        columns.append(f"tau_gradient_loo_minus_attention_{other}")
        table[columns[-1]] = table["tau_gradient_loo"] - table[f"tau_{other}"]
    tables = {"correlation": (table, columns)}
    if run.evidence.truth_is_known:
        tables["truth"] = run.table("truth"), measures.columns_of("truth")
    p, of = run.params, table[["length", "p_tau_gradient"]].dropna().to_numpy().T
    found = stats.spearman(*of, min(p.resamples, 200), p.seed)
    row = {"measure": "rho_length_p"} | dict(zip(("mean", "low", "high"), found, strict=True))
    return _summarised(run, "summary", tables, [row])


def summary_permutation(run) -> Made:
    """What permuting does; how many texts are peaked, and how many of those hardly move."""
    tables = {"permutation": (_peaked(run.table("permutation")), SUMMARISED["03"])}
    return _summarised(run, "summary_permutation", tables)


def summary_adversarial(run) -> Made:
    """What the search finds, and the optimum; Spearman's ρ of both with the highest attention weight."""
    p, table = run.params, run.table("adversarial")
    rows = [{"measure": "proved", "mean": table["proved"].mean()},
            {"measure": "none_feasible", "mean": (table["feasible"] == 0).mean()}]  # fmt: skip
    for column in ("found", "optimum"):
        found = stats.spearman(table["max_attention"], table[column], min(p.resamples, 200), p.seed)
        rows.append({"measure": f"rho_{column}"} | dict(zip(("mean", "low", "high"), found, strict=True)))
    tables = {"adversarial": (table, SUMMARISED["04"])}
    return _summarised(run, "summary_adversarial", tables, rows)


def heatmaps(run) -> pd.DataFrame:
    """What the heatmaps are chosen by."""
    tables = (run.table(name) for name in ("correlation", "permutation", "adversarial"))
    return heatmap.table(run.evidence, *tables, run.arrays("adversary"))


def summary_heatmap(run) -> Made:
    """How much attention falls on punctuation and markers."""
    return _summarised(run, "summary_heatmap", {"heatmap": (run.table("heatmap"), SUMMARISED["05"])})


def erasing(run) -> pd.DataFrame:
    """Single weights erased, and rankings until the decision flips."""
    p = run.params
    return erasure.erasure(run.evidence, p.random_orders, p.keep_last, p.seed)


def summary_erasure(run) -> Made:
    """Erasure by class; the shares also where every ranking flips; the 2 x 2 tables of single erasures."""
    table, wanted = run.table("erasure"), SUMMARISED["06"]
    common = erasure.in_common(table)[["predicted", *_ERASED]].add_suffix("_in_common")
    common = common.rename(columns={"predicted_in_common": "predicted"})
    tables = {"erasure": (table, [c for c in wanted if c in table]), "common": (common, list(common)[1:])}
    whole = [
        cell | {"measure": f"cell_{cell.pop('cell')}_{choice}", "undefined": len(table) - cell.pop("n")}
        for choice in erasure.CHOICES
        for cell in erasure.cells(table, choice).drop(columns="count").to_dict("records")
    ]
    return _summarised(run, "summary_erasure", tables, whole)


def _decisions(split: str, run) -> pd.DataFrame:
    """Attention and prediction on a split: all that is kept of those that aren't test."""
    return decisions(run.model(), run.data(split), run.params.tokens_per_batch).to_pandas()


def _deception(run) -> pd.DataFrame:
    models = {"base": run, "adversary": rivals.adversaries(run)[rivals.best(run)]}
    return rivals.deception({name: (r.evidence, r.arrays("loo")) for name, r in models.items()})


def summary_not_not(run) -> Made:
    """Seeds, uniform attention, F1 of the token-wise models, the adversaries by λ and the best of them.

    epoch, sure: of the base; which one was chosen, and the share of texts with a prediction above .99.
    """
    seeds, adversaries, best = run.table("seeds"), run.table("adversaries"), rivals.best(run)
    uniform = seeds[seeds["model"] == "uniform"].rename(columns=lambda c: c.replace("other", "uniform"))
    whole = run.table("guides").rename(columns={"f1": "mean"})
    rows = (whole.assign(measure="f1_" + whole.pop("model"))).to_dict("records")
    epoch = run.table("curve").query("chosen")["epoch"].item()
    sure = (run.evidence.predictions.max(axis=1) > 0.99).mean()
    found = {"best_lambda": best, "epoch": epoch, "sure": sure}
    rows += [{"measure": name, "mean": value} for name, value in found.items()]
    points = run.table("points")
    for point in points[points["kind"].isin(("adversary", "seed", "uniform"))].to_dict("records"):
        rows += [{"measure": f"{k} {point['name']}", "mean": point[k]} for k in ("f1", "jsd", "change")]
    tables = {
        "seeds": (rivals.median_of_seeds(seeds), ("other_jsd", "other_change")),
        "uniform": (uniform, ("uniform_jsd", "uniform_change")),
        "adversaries": (adversaries[adversaries["kl_weight"] == best], measures.columns_of("adversaries")),
        "deception": (run.table("deception"), measures.columns_of("deception")),
    }
    return _summarised(run, "summary_not_not", tables, rows)


def watched(run) -> Made:
    """Train, or train once more, the same steps or the first of them, and look at attention and relevance.

    Of a run that isn't trained yet the weights are kept, too: watching changes nothing.
    """
    p, looks = run.params, []
    if p.kl_weight:
        raise HeedError("a trained adversary learns no labels, and isn't watched. Watch its base.")
    texts, epochs = run.data("test").thinned(p.watched_texts), min(p.watch_epochs or p.epochs, p.epochs)
    last = epochs * -(-len(run.data("train")) // p.batch_size)

    def watch(model, step: int) -> None:
        if relevance.due(step, p.watch_every) or step == last:
            apart = copy.deepcopy(model).double().eval()
            looks.append(relevance.look(collect(apart, texts, p.tokens_per_batch), step))

    trained = weights(run, watch=watch, epochs=epochs)
    files = {"watched": as_table(pd.concat(looks, ignore_index=True))}
    if epochs < p.epochs or run.holds("weights"):
        return Made(files)
    return Made(files | trained.files, trained.scores)


def gate(run) -> Made:
    """Slope of the gold label's log-likelihood by a gate on each test token, attention live."""
    how = {"of": "loglik", "wrt": "gate", "attention": "live"}
    found = importance.gradients(run.model(), run.data("test"), run.params.tokens_per_batch, **how)
    return Made({"gate": _arrays(found)})


def summary_relevance(run) -> Made:
    """A and τ, ξ of each agreement, A over seeds and over uniform training, and which comes first."""
    table, course, names = run.table("relevance"), run.table("course"), ("mean", "low", "high")
    seen = table[table["id"].isin(run.table("watched")["id"])]
    steps = relevance.over_training(run)
    rows = [{"measure": f"top_{pair}_highest", "mean": steps[pair].max()} for pair in steps]
    rows += [{"measure": "top_uniform_last", "mean": steps["uniform"].iloc[-1]}]
    for pair in relevance.PAIRS:
        rows.append({"measure": f"xi_{pair}", "mean": relevance.xi(course, seen[f"top_{pair}"].mean())})
    for column in ("away", "spread", "attention_agrees", "relevance_agrees"):
        half = relevance.halfway(relevance.seeds_of(course), column)
        found = stats.t_interval(half.to_numpy(), (0, np.inf))
        found = found if len(half) > 1 else (found[0], np.nan, np.nan)
        rows.append({"measure": f"half_{column}"} | dict(zip(names, found, strict=True)))
    rows = [{"n": len(seen)} | row for row in rows]
    rows += [{"measure": "top_uniform_seeds"} | dict(zip(names, relevance.over_seeds(run), strict=True))]
    of_local = relevance.of_local(run)
    tables = {
        "relevance": (table, SUMMARISED["08"]),
        "local": (of_local, [name for name in of_local if name.startswith(("top", "common"))]),
    }
    return _summarised(run, "summary_relevance", tables, rows)


def _measure(name: str, run) -> pd.DataFrame:
    return measures.MAKERS[name](run.evidence, run.arrays("gradient"), run.arrays("loo"))


# Makers of one table, by the name of the product.
_OF_ONE = {
    "correlation": functools.partial(_measure, "correlation"),
    "truth": functools.partial(_measure, "truth"),
    "conicity": conicity,
    "permutation": permutation,
    "exact_curve": lambda run: adversarial.curve(run.evidence),
    "heatmap": heatmaps,
    "erasure": erasing,
    "decisions_train": functools.partial(_decisions, "train"),
    "decisions_dev": functools.partial(_decisions, "dev"),
    "seeds": rivals.table_of_seeds,
    "adversaries": rivals.table_of_adversaries,
    "points": rivals.points,
    "guides": rivals.table_of_guides,
    "deception": _deception,
    "relevance": relevance.table,
    "course": relevance.table_of_course,
}


def _table(name: str, run) -> Made:
    return Made({name: as_table(_OF_ONE[name](run))})


# A maker is called by its product; two make another one beside.
MAKERS: dict[str, Callable] = {name: functools.partial(_table, name) for name in _OF_ONE} | {
    maker.__name__: maker
    for maker in (weights, evidence, gradient, loo, adversary, watched, gate, summary_scores, summary,
                  summary_permutation, summary_adversarial, summary_heatmap, summary_erasure, summary_not_not,
                  summary_relevance)
} | {"curve": weights, "adversarial": adversary}  # fmt: skip


def as_table(table: pd.DataFrame) -> Callable[[Path], None]:
    """How a table is written."""
    return lambda to: table.to_parquet(to, index=False)


def _arrays(arrays: dict[str, np.ndarray]) -> Callable[[Path], None]:
    """One array an instance as a list column: (T,) or, row by row, (T, C)."""
    values = [a if a.ndim == 1 else list(a) for a in arrays.values()]
    return as_table(pd.DataFrame({"id": list(arrays), "values": values}))
