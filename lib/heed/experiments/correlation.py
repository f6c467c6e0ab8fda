"""Chapter 02, correlation: does attention rank words as gradients and leave-one-out do?"""

from collections import Counter

import numpy as np
import pandas as pd

from heed.measures import correlation as measured
from heed.measures import stats
from heed.measures.conicity import conicity as conicity_of
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import leave_one_out
from heed.measures.registry import columns_of
from heed.params import LEAVING, RESAMPLING
from heed.runs.products import Made, as_arrays, product
from heed.runs.summaries import summarised


@product("gradient.parquet")
def gradient(run) -> dict[str, np.ndarray]:
    """|dŷ/dx| of every test token, attention detached."""
    return gradients(run.model(), run.data("test"), run.params.tokens_per_batch)


@product("loo.parquet", settings=LEAVING)
def loo(run) -> Made:
    """Logits without each test token; of a BiLSTM also how far it was read on after a cut."""
    p, walks = run.params, Counter()
    found = leave_one_out(
        run.model(), run.data("test"), p.tokens_per_batch, p.loo_how, p.loo_tolerance, walks
    )
    scores = {}
    if walks["walks"]:
        scores["loo"] = {name: walks[name] / walks["walks"] for name in ("steps", "forgotten")}
    return Made({"loo": as_arrays(found)}, scores)


@product("conicity.parquet")
def conicity(run) -> pd.DataFrame:
    """Conicity of each test text's states: the states themselves are not kept."""
    found = conicity_of(run.model(), run.data("test"), run.params.tokens_per_batch)
    return pd.DataFrame(found.items(), columns=["id", "conicity"])


@product("correlation.parquet", settings=LEAVING)
def correlation(run) -> pd.DataFrame:
    """τ of each pair of rankings, a row a text."""
    return measured.correlation(run.evidence, run.arrays("gradient"), run.arrays("loo"))


@product("truth.parquet", settings=LEAVING)
def truth(run) -> pd.DataFrame:
    """How well each ranking finds the tokens that decide the label, a row a text."""
    return measured.truth(run.evidence, run.arrays("gradient"), run.arrays("loo"))


@product("summary.parquet", settings=(*LEAVING, *RESAMPLING), proof="tau_gradient")
def summary(run) -> pd.DataFrame:
    """Correlations, how they go with length and, where it is known, how the truth is found."""
    p, table, columns = run.params, run.table("correlation"), [*measured.PAIRS]
    for other in ("loo", "gradient"):
        columns.append(f"tau_gradient_loo_minus_attention_{other}")
        table[columns[-1]] = table["tau_gradient_loo"] - table[f"tau_{other}"]
    tables = {"correlation": (table, columns)}
    if run.evidence.truth_is_known:
        tables["truth"] = run.table("truth"), columns_of("truth")
    lengths, p_values = table[["length", "p_tau_gradient"]].dropna().to_numpy().T
    mean, low, high = stats.spearman(lengths, p_values, min(p.resamples, 200), p.seed)
    row = {"measure": "rho_length_p", "mean": mean, "low": low, "high": high}
    return summarised(run, "summary", tables, [row])
