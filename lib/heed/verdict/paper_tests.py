"""Each paper's test of attention, and how each corpus reads by it."""

import pandas as pd

from heed.experiments.not_not import FAR
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


def tests(summaries: pd.DataFrame) -> pd.DataFrame:
    """Each corpus's reading of each test: BiLSTM, additive attention, profile paper; a gap without a run.

    A cell: the reading, the mean over seeds and its 95 % t interval; of one seed its value. There the value
    alone decides, or, of a difference of scores, its interval over texts, without which it stays open.
    """
    rows = able(summaries)
    rows = rows[(rows["class"] == "overall") & (rows["encoder"] == "bilstm") & (rows["profile"] == "paper")]
    names = rows["corpus"].str.removesuffix(" (part)")
    rows = rows[~names.map(is_sequences).astype(bool)]  # not of texts
    real = [name for name, entry in corpora().items() if entry.get("reader", "own") != "own"]
    real = [f"{name} (part)" if f"{name} (part)" in set(rows["corpus"]) else name for name in real]
    table = []
    for corpus in dict.fromkeys([*real, *rows["corpus"]]):
        own = rows[rows["corpus"] == corpus]
        trained = own[own["attention"] == "additive"]
        seeds = trained.pivot_table(index="seed", columns="measure", values="mean")
        flat = own[(own["attention"] == "uniform") & (own["measure"] == "f1")].set_index("seed")["mean"]
        seeds["flat"] = flat.reindex(seeds.index)
        if "trained_jsd" in seeds:
            seeds["far_change"] = seeds["trained_change"].where(seeds["trained_jsd"] > FAR)
        ends = trained.set_index(["measure", "seed"])[["low", "high"]]
        table.append({"corpus": corpus} | {test: _reading(seeds, ends, *how) for test, how in TESTS.items()})
    return pd.DataFrame(table)


def _reading(seeds, ends, of: str, minus: str | None, border: float, words: Which, over_texts="") -> str:
    there = {of, minus or of} <= {*seeds}  # else no run has been through that chapter
    found = (seeds[of] - (seeds[minus] if minus else 0)).dropna() if there else pd.Series()
    if found.empty:
        return "–"
    mean, low, high = interval(found, of, minus is not None)
    single = len(found) == 1
    if single and over_texts:
        low, high = ends.reindex([(over_texts, found.index[0])]).iloc[0]
    reading = words[1] if low > border else words[0] if high <= border else "open"
    spread = f" [{low:#.3g}, {high:#.3g}]" if low < high else ""
    return f"{reading}: {mean:#.3g}{spread}{' (one seed)' if single else ''}"
