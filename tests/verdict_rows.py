"""Rows of a verdict's table, a seed each."""

import pandas as pd


def rows(corpus="sst", encoder="bilstm", attention="additive", profile="paper", cls="overall", **measures):
    """Summary rows of one model: a measure's means, one a seed."""
    made = [
        {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile, "variant": "v",
         "given": "", "seed": seed, "measure": measure, "class": cls, "n": 9, "undefined": 0, "mean": mean,
         "std": 0.1, "significant": 0.5, "low": 0.0, "high": 1.0, "partial": False, "library": "x"}
        for measure, means in measures.items()
        for seed, mean in enumerate(means)
    ]  # fmt: skip
    return pd.DataFrame(made)
