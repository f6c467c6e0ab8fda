"""What a run can be asked for, the file that holds it, and how it is made from the products before it.

A maker is given the run and returns the files to write (name to a function of a path) and the scores to
note in run.json. It asks the run for what it needs, so asking for a summary makes all before it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.torch import save_file

from heed import importance, measures, models, stats, training, vectors
from heed.evidence import collect

FILES = {
    "weights": "weights.safetensors",
    "curve": "curve.parquet",
    "evidence": "evidence-test.arrow",
    "gradient": "gradient.parquet",
    "loo": "loo.parquet",
    "correlation": "correlation.parquet",
    "truth": "truth.parquet",
    "summary": "summary.parquet",
}


@dataclass(frozen=True)
class Made:
    """What a maker gives: seconds that it took (without what it needed first), files, scores."""

    seconds: float
    files: dict[str, Callable[[Path], None]]
    scores: dict = field(default_factory=dict)


def weights(run) -> Made:
    """Train; the weights are those of the chosen epoch, `curve` has a row an epoch."""
    start, p = time.perf_counter(), run.params
    rows, found = vectors.matrix(p, run.corpus.vocabulary)
    data, chooser = run.data("train"), run.data(p.select_on)
    model = models.build(p, rows, len(run.corpus.classes))
    objective = training.labels_objective(data.labels, p.class_weight, len(run.corpus.classes))

    def select(model) -> float:
        return training.auc(chooser.labels, training.predict(model, chooser, p.tokens_per_batch))

    model.to(p.device)
    curve = training.train(model, data, objective, select, p)
    # A table is the same each time; seconds are a machine's, and stand in run.json.
    seconds = [round(s, 3) for s in curve.pop("seconds")]
    tensors = {name: tensor.contiguous().cpu() for name, tensor in model.state_dict().items()}
    metadata = {"vocabulary": run.vocabulary_hash}
    return Made(
        time.perf_counter() - start,
        {"weights": lambda to: save_file(tensors, to, metadata), "curve": _frame(curve)},
        {"coverage": vectors.coverage(found, run.corpus.vocabulary, data.words), "epoch_seconds": seconds},
    )


def evidence(run) -> Made:
    """What the model's attention decided on the test split."""
    model = run.model()
    start = time.perf_counter()
    found = collect(model, run.data("test"), run.params.tokens_per_batch)
    return Made(time.perf_counter() - start, {"evidence": found.write}, {"test": training.scores(found)})


def gradient(run) -> Made:
    """|dŷ/dx| of every test token, attention detached."""
    model = run.model()
    start = time.perf_counter()
    found = importance.gradients(model, run.data("test"), run.params.tokens_per_batch)
    return Made(time.perf_counter() - start, {"gradient": _arrays(found)})


def loo(run) -> Made:
    """Logits without each test token."""
    model = run.model()
    start = time.perf_counter()
    found = importance.leave_one_out(model, run.data("test"), run.params.tokens_per_batch)
    return Made(time.perf_counter() - start, {"loo": _arrays(found)})


def _measure(name: str) -> Callable:
    def make(run) -> Made:
        given = run.evidence, run.arrays("gradient"), run.arrays("loo")
        start = time.perf_counter()
        table = measures.MAKERS[name](*given)
        return Made(time.perf_counter() - start, {name: _frame(table)})

    return make


def summary(run) -> Made:
    """The run's numbers, one row a measure and predicted class; this is what the project commits."""
    p = run.params
    chosen = {"correlation": list(measures.PAIRS)}
    if run.evidence.truth_is_known:
        chosen["truth"] = [m.column for m in measures.MEASURES.values() if m.of == "truth"]
    tables = {name: run.table(name) for name in chosen}
    start = time.perf_counter()
    parts = [
        stats.summarise(tables[name], columns, p.resamples, p.seed, p.significance)
        for name, columns in chosen.items()
    ]
    info, n = run.info(), len(run.evidence)
    scores = [
        {"measure": measure, "class": "overall", "n": n, "undefined": 0, "mean": value}
        for measure, value in info["scores"]["test"].items()
    ]
    table = pd.concat([pd.DataFrame(scores), *parts], ignore_index=True)
    names = {k: getattr(p, k) for k in ("corpus", "encoder", "attention", "profile", "variant", "seed")}
    table = pd.DataFrame(names, index=table.index).join(table)
    table["library"] = info["products"]["correlation"]["library"]
    return Made(time.perf_counter() - start, {"summary": _frame(table)})


MAKERS: dict[str, Callable] = {
    "weights": weights,
    "curve": weights,
    "evidence": evidence,
    "gradient": gradient,
    "loo": loo,
    "correlation": _measure("correlation"),
    "truth": _measure("truth"),
    "summary": summary,
}


def _frame(table: pd.DataFrame) -> Callable[[Path], None]:
    return lambda to: table.to_parquet(to, index=False)


def _arrays(arrays: dict[str, np.ndarray]) -> Callable[[Path], None]:
    """One array an instance as a list column: (T,) or, row by row, (T, C)."""
    return _frame(pd.DataFrame({"id": list(arrays), "values": [a.tolist() for a in arrays.values()]}))
