"""Chapter 02, what the norm of the initial word vectors does to every measure."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from heed import paths
from heed.corpora import vectors
from heed.corpora.batches import Encoded
from heed.corpora.tokens import SPECIAL
from heed.errors import HeedError, choose
from heed.experiments.correlation import arrays_of_all
from heed.experiments.train import lengths_of_vectors
from heed.measures import correlation as measured
from heed.measures import leave_one_out, removal
from heed.measures.integrated_gradients import integrated_gradients_held, integrated_gradients_live
from heed.measures.kendall import kendall
from heed.params import LEAVING, NAMING, REMOVING, Params, resolve
from heed.runs.grid import listed, seeds_given
from heed.runs.products import product
from heed.runs.run import Run
from heed.runs.summaries import of_several

SCALES = (0.0625, 0.125, 0.25, 0.5, 1, 2, 4)  # of the length that the first of the vectors have
SCALED = ("vectors", "vectors_scale", "input_scale")
EPSILON = 0.05  # of the exact optimum, which is the site's


@product("removal.parquet", settings=(*REMOVING, *LEAVING))
def removed(run) -> pd.DataFrame:
    """What tells a word's removal, a row a text of those that are taken apart.

    τ with leave-one-out (`removal_`) and with zeroing the word's vector (`zeroing_`) of what a gradient
    expects, straight on and bent, attention live; of integrated gradients with leave-one-out. The shares of
    what is saturated, in the encoder and in the attention.
    """
    model, p = run.model(), run.params
    data = run.data("test").thinned(p.removed_texts)
    terms = removal.terms(model, data, p.tokens_per_batch)
    saturated = removal.saturation(model, data, p.tokens_per_batch)
    loo = leave_one_out.change(run.evidence, arrays_of_all(run, "loo"))
    ways = {"ig_held": integrated_gradients_held, "ig_live": integrated_gradients_live}
    on_path = {name: of(model, data, p, {}) for name, of in ways.items()}
    rows = []
    for name in data.ids:
        own = terms[name] | {way: found[name] for way, found in on_path.items()}
        row = {"id": name, "length": len(loo[name])}
        row |= {f"removal_{term}": kendall(scores, loo[name])[0] for term, scores in own.items()}
        row |= {f"zeroing_{term}": kendall(own[term], own["zeroed"])[0] for term in ("first", "second")}
        row["saturated"], row["saturated_attention"] = saturated[name]
        rows.append(row)
    return pd.DataFrame(rows)


@product("word-length.parquet", settings=(*REMOVING, *LEAVING, "permutations"))
def word_length(run) -> pd.DataFrame:
    """One row: how long the vectors were, how far training moved them, and every measure's mean."""
    p, evidence = run.params, run.evidence
    ranked = measured.scores(evidence, {name: run.arrays(name) for name in ("gradient", "loo")})
    tables = [measured.correlation(evidence, ranked), run.table("permutation"), run.table("removed")]
    if evidence.truth_is_known:
        tables.append(measured.truth(evidence, ranked))
    if len(run.corpus.classes) == 2 and run.corpus.task == "classification":
        tables.append(run.table("exact_curve").query("epsilon == @EPSILON"))
    found = lengths_of_vectors(run) | {"moved": moved(run)} | run.info()["scores"]["test"]
    for table in tables:
        several = of_several(table, evidence).select_dtypes("float").mean()
        found |= several[~several.index.str.startswith("p_")].to_dict()
    named = {name: getattr(p, name) for name in (*sorted(NAMING), "variant", *SCALED)}
    record = run.info()["products"]["evidence"]
    made = {"library": record["library"], "machine": record.get("machine", "")}
    return pd.DataFrame([named | {"given": p.given} | found | made])


def moved(run) -> float:
    """How far training took the test tokens' vectors, median, as a share of their initial length."""
    before, _ = vectors.matrix(run.params, run.corpus.vocabulary)
    after = run.model().embedding.weight.detach().cpu().numpy()
    data: Encoded = run.data("test")
    codes = np.concatenate(data.codes)
    lengths = np.linalg.norm(before, axis=1)
    own = codes[(codes >= len(SPECIAL)) & (lengths[codes] > 0)]
    if not len(own):
        return np.nan
    return float(np.median(np.linalg.norm(after - before, axis=1)[own] / lengths[own]))


TRIED = (1 / 4, 1, 4)


def models(run, factors: tuple[float, ...] = TRIED) -> list:
    """The same run with its vectors that many times as long: a run each."""
    return [run.like(vectors_scale=run.params.vectors_scale * factor) for factor in factors]


def tried(run) -> pd.DataFrame:
    """`word_length` of a run and of the same with shorter and longer vectors: a row each."""
    return pd.concat([other.table("word_length") for other in models(run)], ignore_index=True)


def read_lengths(given: dict) -> list[Params]:
    """The runs of the experiment that a batch's choices name; lists may be written as one text.

    Choices: corpora, encoders, attentions, seeds, vectors (the first kind's length counts), scales, profile.
    Raises HeedError for another one.
    """
    for key in given:
        choose("choice of make lengths", key, (*USUAL, "results"))
    chosen = {key: listed(given.get(key, value)) for key, value in USUAL.items()}
    found = []
    for corpus in chosen["corpora"]:
        found += runs(
            corpus,
            chosen["vectors"],
            chosen["encoders"],
            chosen["attentions"],
            seeds_given(chosen["seeds"]),
            [float(scale) for scale in chosen["scales"]],
            *chosen["profile"],
        )
    return found


USUAL = {
    "corpora": "sst",
    "vectors": "word2vec en_core_web_md random",
    "encoders": "bilstm average cnn",
    "attentions": "additive",
    "seeds": "0 1 2",
    "scales": SCALES,
    "profile": "site",
}


def runs(
    corpus: str,
    kinds: Iterable[str],
    encoders: Iterable[str],
    attentions: Iterable[str],
    seeds: Iterable[int],
    scales: Iterable[float] = SCALES,
    profile: str = "site",
    **given,
) -> list[Params]:
    """A run for each kind of vectors at each length, of each model and seed.

    scales: times the length that the first kind's vectors have on this corpus; the others are brought to the
    same median lengths, so that content and length come apart. Raises HeedError if a kind gives no vectors.
    """
    norms = {kind: natural(corpus, kind, profile, **given) for kind in kinds}
    first = next(iter(norms.values()))
    found = []
    for attention in attentions:
        for seed in seeds:
            for encoder in encoders:
                for kind, norm in norms.items():
                    for scale in scales:
                        factor = float(f"{scale * first / norm:.4g}")
                        names = {"corpus": corpus, "encoder": encoder, "attention": attention, "seed": seed}
                        own = {"profile": profile, "vectors": kind, "vectors_scale": factor}
                        found.append(resolve(names | own | given))
    return found


def natural(corpus: str, kind: str, profile: str, **given) -> float:
    """The median length of these vectors at the test tokens of a corpus, before any factor."""
    run = Run(resolve({"corpus": corpus, "profile": profile, "vectors": kind} | given), paths.ROOT)
    norm = lengths_of_vectors(run).get("norm")
    if norm is None:
        raise HeedError(f"vectors {kind}: no test token of corpus {corpus} has one. Give others.")
    return norm
