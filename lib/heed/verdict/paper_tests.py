"""Each paper's test of attention, and how each corpus reads by it."""

import numpy as np
import pandas as pd

from heed.experiments.not_not import FAR
from heed.measures import stats
from heed.params import is_sequences
from heed.registry import corpora
from heed.verdict.claims import Which, able, interval

# What each paper's test says of attention: the measure, and what is taken off it; the border; the readings
# below and above it; then, where one seed's interval over texts decides, the measure that has it.
HARDLY = "hardly", "yes"
TESTS = {
    "J&W: agrees with leave-one-out (τ)": ("tau_loo", None, 0.5, ("weakly or not", "yes")),
    "J&W: other attention, same prediction, found (ε-max JSD)": ("found", None, 0.5, ("nearer", "far")),
    "W&P: attention is needed (F1, trained − uniform)": ("f1", "flat", 0.01, HARDLY, "f1_base_minus_uniform"),
    "W&P: the search goes beyond other seeds (JSD, search − seeds)": ("found", "other_jsd", 0.1, HARDLY),
    "W&P: attention helps a token-wise model (F1, given − learnt)":
        ("f1_mlp_base", "f1_mlp_trained", 0.01, HARDLY, "f1_mlp_base_minus_mlp_trained"),
    "W&P: a trained adversary moves more than other seeds in the mean (TVD − seeds', at JSD > 0.4)":
        ("far_change", "other_change", 0.0, ("not more", "more")),
    "S&S: attention finds what decides (share erased, attention − best order; never flips = 1)":
        ("excess_attention", None, 0.1, ("yes", "not all")),
    "S&S: it finds it sooner than chance (share erased in common, random − attention)":
        ("erased_random_mean_in_common", "erased_attention_in_common", 0.1, HARDLY),
    "Snell: it goes where uniform training's relevance is (A − chance)":
        ("top_uniform", "top_chance", 0.2, ("seldom", "often")),
}  # fmt: skip


def readings(summaries: pd.DataFrame) -> pd.DataFrame:
    """Each corpus's reading of each test: BiLSTM, additive attention, profile paper; `–` without a run.

    Columns: corpus, test, reading, seeds, mean over them with its 95 % t interval (low, high), p and holm. Of
    one seed the value alone decides, or, of a difference of scores, its interval over texts, without which it
    stays open. p: Student's over seeds, that the mean isn't the border; holm: it after Holm's correction over
    all that have one.
    """
    rows = able(summaries)
    rows = rows[(rows["class"] == "overall") & (rows["encoder"] == "bilstm") & (rows["profile"] == "paper")]
    names = rows["corpus"].str.removesuffix(" (part)")
    rows = rows[~names.isin([name for name in names.unique() if is_sequences(name)])]  # not of texts
    real = [name for name, entry in corpora().items() if entry.get("reader", "own") != "own"]
    real = [f"{name} (part)" if f"{name} (part)" in set(rows["corpus"]) else name for name in real]
    found = []
    for corpus in dict.fromkeys([*real, *rows["corpus"]]):
        own = rows[rows["corpus"] == corpus]
        trained = own[own["attention"] == "additive"]
        seeds = trained.pivot_table(index="seed", columns="measure", values="mean")
        flat = own[(own["attention"] == "uniform") & (own["measure"] == "f1")].set_index("seed")["mean"]
        seeds["flat"] = flat.reindex(seeds.index)
        if "trained_jsd" in seeds:
            seeds["far_change"] = seeds["trained_change"].where(seeds["trained_jsd"] > FAR)
        ends = trained.set_index(["measure", "seed"])[["low", "high"]]
        found += [
            {"corpus": corpus, "test": test} | _reading(seeds, ends, *how) for test, how in TESTS.items()
        ]
    table = pd.DataFrame(found)
    return table.assign(holm=stats.holm(table["p"].to_numpy()))


def tests(found: pd.DataFrame) -> pd.DataFrame:
    """`readings` with a row a corpus and a column a test: the reading, the mean and its interval as text."""
    cells = found.assign(text=[_text(row) for row in found.to_dict("records")])
    wide = cells.pivot(index="corpus", columns="test", values="text")
    wide = wide.reindex(index=found["corpus"].unique(), columns=list(TESTS))
    return wide.rename_axis(columns=None).reset_index()


def _reading(seeds, ends, of: str, minus: str | None, border: float, words: Which, over_texts="") -> dict:
    there = {of, minus or of} <= {*seeds}  # else no run has been through that chapter
    found = (seeds[of] - (seeds[minus] if minus else 0)).dropna() if there else pd.Series(dtype=float)
    if found.empty:
        return {"reading": "–", "seeds": 0, "mean": np.nan, "low": np.nan, "high": np.nan, "p": np.nan}
    mean, low, high = interval(found, of, minus is not None)
    if len(found) == 1 and over_texts:
        low, high = ends.reindex([(over_texts, found.index[0])]).iloc[0]
    reading = words[1] if low > border else words[0] if high <= border else "open"
    p = stats.t_p(found.to_numpy(), border)
    return {"reading": reading, "seeds": len(found), "mean": mean, "low": low, "high": high, "p": p}


def _text(row: dict) -> str:
    if not row["seeds"]:
        return row["reading"]
    spread = f" [{row['low']:#.3g}, {row['high']:#.3g}]" if row["low"] < row["high"] else ""
    return f"{row['reading']}: {row['mean']:#.3g}{spread}{' (one seed)' if row['seeds'] == 1 else ''}"
