"""Chapter 02, correlation: does attention rank words as gradients and leave-one-out do?"""

import shutil
from collections.abc import Callable

import pandas as pd

from heed.errors import HeedError
from heed.measures import correlation as measured
from heed.measures import rankings, stats
from heed.measures.conicity import conicity as conicity_of
from heed.measures.rankings import Ranking
from heed.measures.registry import columns_of
from heed.params import RESAMPLING
from heed.runs.products import Made, as_arrays, product
from heed.runs.summaries import summarised


def _arrays_of(own: Ranking) -> Callable:
    """The maker of what a ranking needs the model for."""

    def make(run) -> Made:
        notes, kept, data = {}, {}, run.data("test")
        if own.dear and run.params.ranked_texts:
            data = data.thinned(run.params.ranked_texts)
        if own.resumable:
            kept["parts"] = run.parts(own.name)
        found = own.compute(run.model(), data, run.params, notes, **kept)

        def write(to) -> None:
            as_arrays(found)(to)
            for folder in kept.values():
                shutil.rmtree(folder, ignore_errors=True)

        return Made({own.name: write}, notes)

    make.__name__ = own.name
    return make


def register_arrays() -> None:
    """A product for each ranking that needs the model: its arrays, called as the ranking is."""
    for own in rankings.declared().values():
        if own.needs_model:
            product(f"{own.name}.parquet", name=own.name, settings=own.settings)(_arrays_of(own))


register_arrays()


def arrays_of_all(run, name: str) -> dict:
    """A ranking's arrays of every test text, by id. Raises HeedError if `ranked_texts` leaves some out."""
    found = run.arrays(name)
    if len(found) < len(run.evidence):
        raise HeedError(
            f"ranked_texts = {run.params.ranked_texts}: {rankings.declared()[name].label} is wanted of all "
            f"{len(run.evidence)} test texts here. Leave it out."
        )
    return found


def ranked(run) -> measured.Scores:
    """Each compared ranking's numbers of the real tokens of each test text: by name, then by id.

    Of dear rankings only of the texts that were ranked.
    """
    own = rankings.compared().values()
    return measured.scores(run.evidence, {r.name: run.arrays(r.name) for r in own if r.needs_model})


@product("conicity.parquet")
def conicity(run) -> pd.DataFrame:
    """Conicity of each test text's states: the states themselves are not kept."""
    found = conicity_of(run.model(), run.data("test"), run.params.tokens_per_batch)
    return pd.DataFrame(found.items(), columns=["id", "conicity"])


@product("correlation.parquet", settings=rankings.settings())
def correlation(run) -> pd.DataFrame:
    """τ of each pair of rankings, a row a text."""
    return measured.correlation(run.evidence, ranked(run))


@product("truth.parquet", settings=rankings.settings())
def truth(run) -> pd.DataFrame:
    """How well each ranking finds the tokens that decide the label, a row a text."""
    return measured.truth(run.evidence, ranked(run))


SEEDS = (0, 1, 2, 50, 257)  # of these the project has checkpoints of the built-in corpus's BiLSTM


def other_seeds(run) -> list:
    """The runs of the same model with those of SEEDS whose checkpoint the project has, without this one."""
    others = [run.like(seed=seed) for seed in SEEDS if seed != run.params.seed]
    return [other for other in others if other.committed.is_dir()]


def ranked_by_three(run) -> measured.Scores:
    """Attention's, the gradient's and leave-one-out's numbers, and those that evidence gives, as `ranked`."""
    return measured.scores(run.evidence, {name: run.arrays(name) for name in ("gradient", "loo")})


def other_seeds_found(run) -> pd.DataFrame:
    """τ of attention, gradient and leave-one-out there, and how well they find the truth: a row a seed.

    Means over texts.
    """
    rows = []
    for other in other_seeds(run):
        scores = ranked_by_three(other)
        found = measured.correlation(other.evidence, scores), measured.truth(other.evidence, scores)
        names = (*measured.PAIRS, *columns_of("truth"))
        rows.append(pd.concat([table[[name for name in names if name in table]].mean() for table in found]))
    return pd.DataFrame(rows)


@product("summary.parquet", settings=(*rankings.settings(), *RESAMPLING), proof="tau_gradient")
def summary(run) -> pd.DataFrame:
    """Correlations, how they go with length and, where it is known, how the truth is found."""
    p, table = run.params, run.table("correlation")
    columns = [name for name in measured.PAIRS if name in table]  # a table made before has fewer
    for other in ("loo", "gradient"):
        columns.append(f"tau_gradient_loo_minus_attention_{other}")
        table[columns[-1]] = table["tau_gradient_loo"] - table[f"tau_{other}"]
    tables = {"correlation": (table, columns)}
    if run.evidence.truth_is_known:
        of_truth = run.table("truth")
        tables["truth"] = of_truth, [name for name in columns_of("truth") if name in of_truth]
    lengths, p_values = table[["length", "p_tau_gradient"]].dropna().to_numpy().T
    mean, low, high = stats.spearman(lengths, p_values, min(p.resamples, 200), p.seed)
    row = {"measure": "rho_length_p", "mean": mean, "low": low, "high": high}
    return summarised(run, "summary", tables, [row])
