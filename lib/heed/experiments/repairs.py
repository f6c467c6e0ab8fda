"""Chapter 14, repairs: what mends attention, which of the debate's tests each repair passes, at what price.

A repair is a run like any other, with a parameter more. So every chapter has its tables; `tested` brings
together what the tests say, a row a text.
"""

import numpy as np
import pandas as pd

from heed.errors import HeedError
from heed.measures import correlation as measured
from heed.measures import rankings
from heed.measures.adversarial import optima
from heed.measures.faithfulness import sufficiency
from heed.measures.permutation import linear
from heed.measures.support import support
from heed.models.encoders import encoder_called
from heed.params import ERASING, LEAVING
from heed.runs.products import product

SPARSE = ("sparsemax", "entmax15")
# The tests, in the order of the table, and what each number is.
TESTS = {
    "conicity": "how alike the states are (conicity)",
    "support": "words with any attention",
    "tau_gradient": "τ of attention and gradient",
    "tau_loo": "τ of attention and leave-one-out",
    "median_change": "change by permuting attention (TVD)",
    "optimum": "exact ε-max JSD (nats)",
    "excess_attention": "share erased until the decision flips, attention's less the optimum's",
    "auroc_attention": "AUROC of attention for the deciding words",
    "auroc_gradient": "AUROC of the gradient for the deciding words",
    "auroc_loo": "AUROC of leave-one-out for the deciding words",
    "suff_delete_attention": "fall of the decision's probability when attention's top words alone stay",
    "suff_delete_random": "its fall when as many words at random stay",
}


def _tested_first(run) -> None:
    for name in ("evidence", "gradient", "loo", "permutation", "conicity", "erasure"):
        run.ensure(name)


@product("tested.parquet", settings=("permutations", "epsilon", *LEAVING, *ERASING), before=_tested_first)
def tested(run) -> pd.DataFrame:
    """What the tests say, a row a text of two words or more: id, predicted, length, and TESTS.

    The optimum is of one linear logit alone, what finds the truth of corpora whose truth is known; NaN else.
    """
    evidence = run.evidence
    ranked = measured.scores(evidence, {name: run.arrays(name) for name in ("gradient", "loo")})
    tables = [measured.correlation(evidence, ranked), run.table("permutation"), run.table("conicity")]
    orders = {name: rankings.declared()[name].scores(evidence) for name in ("attention", "random")}
    alone = sufficiency(run.model(), run.data("test"), evidence, orders, run.params.tokens_per_batch)
    tables += [run.table("erasure"), alone]
    if evidence.truth_is_known:
        tables.append(measured.truth(evidence, ranked))
    found = support(evidence).set_index("id")
    if linear(evidence):
        best = optima(evidence, run.params.epsilon)
        found["optimum"] = [best[name].jsd for name in evidence.ids]
    for table in tables:
        own = table.set_index("id")
        found = found.join(own[[name for name in TESTS if name in own]])
    found = found.reindex(columns=["predicted", "length", *TESTS]).reset_index()
    return found[found["length"] > 1].reset_index(drop=True)


def repairs(run) -> dict[str, object]:
    """The run as it is, and each repair that its encoder can have, by name; the weights are the sources' own.

    Diversity: δ = .5 (Mohankumar et al.). Tying: states as wide as word vectors, as Tutek & Šnajder have
    them; their weights aren't known, so 1 stands here, as of masked words and of erasure.
    Raises HeedError for a run that is repaired already, or that lies.
    """
    p = run.params
    extra = p.extra_losses
    if extra or p.attention in SPARSE or p.encoder == "orthogonal":
        what = extra[0] if extra else p.attention if p.attention in SPARSE else p.encoder
        raise HeedError(
            f"{p.path} is changed already ({what}), and repairs are held against a run as it is. Give that."
        )
    kind = encoder_called(p.encoder)
    changes = {"as it is": {}}
    if p.encoder == "bilstm":
        changes["orthogonal"] = {"encoder": "orthogonal"}
    changes["diversity"] = {"conicity_weight": 0.5}
    if p.encoder in ("bilstm", "gru") and p.embedding_dim % 2 == 0:
        changes["tying"] = {"tying": 1.0, "hidden": p.embedding_dim // 2}
    elif p.encoder == "average":
        changes["tying"] = {"tying": 1.0, "average_dim": p.embedding_dim}
    if kind.contextual and kind.unit == "token" and not p.reads_pieces:
        changes["masked words"] = {"masked_words": 1.0}
    if run.corpus.task == "classification":
        changes["erasure"] = {"erasure_weight": 1.0}
    changes |= {name: {"attention": name} for name in SPARSE}
    return {name: run.like(**change) if change else run for name, change in changes.items()}


def beside(models: dict[str, object]) -> pd.DataFrame:
    """What the tests say of several models, a row each: model, accuracy, f1 and the means of TESTS.

    A test that no text of a model defines is NaN there. Trains what isn't trained yet.
    """
    rows = []
    for name, model in models.items():
        table = model.table("tested")
        scores = model.info()["scores"]["test"]
        row = {"model": name} | {key: scores.get(key, np.nan) for key in ("accuracy", "f1")}
        rows.append(row | table[[*TESTS]].mean().to_dict())
    return pd.DataFrame(rows)


MODEL = ["corpus", "profile", "encoder", "attention", "given"]


def of_summaries(summaries: pd.DataFrame) -> pd.DataFrame:
    """What the tests say of finished runs, from the chapters' summaries: a row a model, means over its seeds.

    Columns: MODEL, seeds, accuracy, f1 and TESTS; NaN of a test whose chapter has no rows. `given` tells what
    mends a model, or that it lies.
    """
    named = ["accuracy", "f1", *TESTS]
    rows = summaries[(summaries["class"] == "overall") & summaries["measure"].isin(named)]
    seeds = rows.groupby(MODEL)["seed"].nunique().rename("seeds")
    means = rows.groupby([*MODEL, "measure"])["mean"].mean().unstack("measure").reindex(columns=named)
    return seeds.to_frame().join(means).reset_index()
