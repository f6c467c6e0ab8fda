"""Finished runs that nobody ran, as folders: what the site is tried with. Summaries and figures only."""

from itertools import islice, product
from pathlib import Path

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.verdict import carried

MEASURES = ("tau_gradient", "tau_loo", "tau_gradient_loo", "median_change", "found", "optimum", "bound")
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"'
FIGURE = HEAD + '><path d="M0 0L40 {0}" stroke="#d95f02"/></svg>'


def summary(seed=0, corpus="planted", encoder="bilstm", attention="additive", profile="paper",
            variant="paper-00000000", given="", library=None, measures=MEASURES) -> pd.DataFrame:  # fmt: skip
    """The rows of one run; the numbers are drawn."""
    mean = np.random.default_rng([seed, len(encoder), len(attention)]).uniform(0.1, 0.6, 3 * len(measures))
    columns = {
        "measure": np.repeat(measures, 3).astype(object),
        "class": ["overall", "0", "1"] * len(measures),
    }
    columns |= {"mean": mean, "std": 0.1, "significant": np.nan, "low": mean - 0.02, "high": mean + 0.02}
    columns |= {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile}
    columns |= {"variant": variant, "given": given, "seed": seed, "n": 100, "undefined": 0, "partial": False}
    made = pd.DataFrame(columns | {"library": library or paths.library_hash()})
    return carried.filled(made)[verdict.COLUMNS]


def write(results: Path, rows: pd.DataFrame, figures: dict[str, str] | None = None) -> Path:
    """Lay a run's folder out as `Run` does; return it."""
    r = rows.iloc[0]
    folder = results / r["corpus"] / f"{r['encoder']}-{r['attention']}" / r["variant"] / f"seed{r['seed']}"
    (folder / "figures").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    rows.to_parquet(folder / "summary.parquet")
    for name, drawing in (figures or {}).items():
        (folder / "figures" / name).write_text(drawing)
    return folder


def many(results: Path, count: int = 500) -> None:
    """So many planted runs over encoders, attentions, profiles and seeds, with three figures each."""
    grid = product(range(count), ("bilstm", "average", "cnn"), ("additive", "dot"), ("paper", "site"))
    for seed, encoder, attention, profile in islice(grid, count):
        rows = summary(seed, "planted", encoder, attention, profile, f"{profile}-00000000")
        figures = {f"0{k}_{name}.svg": FIGURE.format(seed % 20) for k, name in
                   ((2, "correlations"), (3, "permutation"), (4, "search"))}  # fmt: skip
        write(results, rows, figures)
