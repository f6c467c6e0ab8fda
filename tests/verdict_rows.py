"""Rows of a verdict's table, a seed each, and of runs with vectors of several lengths."""

import pandas as pd


def rows(corpus="sst", encoder="bilstm", attention="additive", profile="paper", cls="overall", **measures):
    """Summary rows of one model: a measure's means, one a seed."""
    made = [
        {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile, "variant": "v",
         "given": "", "seed": seed, "measure": measure, "class": cls, "n": 9, "undefined": 0, "mean": mean,
         "std": 0.1, "significant": 0.5, "low": 0.0, "high": 1.0, "partial": False, "library": "x",
         "vectors": "", "reader": 1}
        for measure, means in measures.items()
        for seed, mean in enumerate(means)
    ]  # fmt: skip
    return pd.DataFrame(made)


def of_runs(kinds=("word2vec", "random"), lengths=(1.0, 4.0, 16.0), seeds=(0, 1), encoder="bilstm", **more):
    """Rows whose τ(gradient, LOO) is 0.8, less 0.1 a length, less 0.01 a kind and a seed."""
    made = []
    for k, kind in enumerate(kinds):
        for i, length in enumerate(lengths):
            for seed in seeds:
                fallen = 0.8 - 0.1 * i - 0.01 * (k + seed)
                made.append(
                    {"encoder": encoder, "vectors": kind, "norm": length * (1 + 1e-4 * k), "seed": seed,
                     "vectors_scale": length, "tau_gradient_loo": fallen, "tau_gradient": 0.3,
                     "tau_loo": 0.2 + 0.1 * i,
                     "accuracy": 0.8,
                     "saturated": 0.1 * i, "removal_ig_held": 0.8 - 0.05 * i,
                     "removal_ig_live": 0.8, "zeroing_first": 0.9 - 0.2 * i, "zeroing_second": 0.95 - 0.1 * i,
                     "removal_zeroed": 0.85, "moved": 0.3 / (1 + i)} | more
                )  # fmt: skip
    return pd.DataFrame(made)
