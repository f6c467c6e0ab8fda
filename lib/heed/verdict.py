"""Many runs in one table, beside what the papers report."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from heed import figures, paths, stats
from heed.corpora import load, partial
from heed.errors import HeedError, why
from heed.params import Params, corpora, resolve
from heed.products import FILES, SUMMARISED

RUN = ["corpus", "encoder", "attention", "profile", "variant", "given", "seed"]
NUMBERS = ["mean", "std", "significant", "low", "high"]
COLUMNS = [*RUN, "measure", "class", "n", "undefined", *NUMBERS, "partial", "library"]
CELL = ["corpus", "class", "encoder", "measure"]
SUMMARY = paths.DATA / "results" / "summary.csv"
COUNTS = paths.DATA / "results" / "corpora.csv"
# The committed file's own words, where they differ from the tables'.
HEADINGS = {"measure": "quantity", "low": "lo", "high": "hi", "significant": "sig_frac"}
QUANTITIES = {
    "f1": "test_f1",
    "accuracy": "test_accuracy",
    "auc": "test_roc_auc",
    "tau_gradient": "tau_attention_gradient",
    "tau_loo": "tau_attention_loo",
    "median_change": "permutation_median",
    "found": "max_jsd_search",
    "optimum": "max_jsd_exact",
    "bound": "max_jsd_upper",
}

ORDER = (
    "corpus encoder attention profile variant seed class quantity mean std lo hi sig_frac n undefined "
    "partial given library"
).split()


def finished(results: Path) -> pd.DataFrame:
    """The summaries of all finished runs in a results folder; none gives an empty table."""
    files = sorted(results.glob("*/*/*/seed*/summary*.parquet"))
    tables = []
    for path in files:
        try:
            tables.append(pd.read_parquet(path))
            if set(tables[-1].columns) != set(COLUMNS):
                raise ValueError("its columns are not a summary's")
        except Exception as error:  # on a damaged schema pandas raises KeyError, TypeError and more
            raise HeedError(
                f"{path} is damaged ({why(error)}). Delete it and run the batch again."
            ) from error
    return pd.concat(tables, ignore_index=True) if tables else _empty()


def committed() -> pd.DataFrame:
    """The summaries of real runs that the project carries (no corpus text)."""
    if not SUMMARY.exists():
        return _empty()
    texts = {"class": str, "library": str, "given": str}
    try:
        table = pd.read_csv(SUMMARY, dtype=texts, float_precision="round_trip").fillna({"given": ""})
        table = table.rename(columns={v: k for k, v in HEADINGS.items()})[COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise HeedError(
            f"{SUMMARY} is damaged ({why(error)}). Restore it: git checkout {SUMMARY}."
        ) from error
    return table.assign(measure=table["measure"].replace({v: k for k, v in QUANTITIES.items()}))


def known(runs: list[Params], chapters: list[str]) -> dict[str, bool]:
    """The runs of which the project carries the rows of all these chapters: path to whether they are stale.

    A chapter that has no rows in a summary is never known.
    """
    wanted = {measure for chapter in chapters for measure in SUMMARISED.get(chapter, ["none"])}
    rows = committed()
    rows = rows[rows["class"] == "overall"]
    held = {name: own for name, own in rows.groupby(RUN) if wanted <= set(own["measure"])}
    named = {run.path: tuple(getattr(run, part) for part in RUN) for run in runs}
    return {path: bool(stale(held[name]).any()) for path, name in named.items() if name in held}


def _empty() -> pd.DataFrame:
    return pd.DataFrame(columns=COLUMNS)


def commit(results: Path) -> int:
    """Merge finished runs of the registry's real corpora into data/results; return how many runs it holds."""
    real = [name for name, entry in corpora().items() if entry.get("reader", "own") != "own"]
    new = finished(results)
    new = new[new["corpus"].isin(real)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # concatenation with an empty table
        merged = pd.concat([committed(), new], ignore_index=True)
    merged = merged.drop_duplicates([*RUN, "measure", "class"], keep="last")
    merged = merged.sort_values([*RUN, "measure", "class"], kind="stable")
    merged = merged.reindex(columns=list(_empty()))  # earlier versions had fewer columns
    merged["partial"] = merged["partial"].astype("boolean").fillna(False).astype(bool)
    merged[NUMBERS] = merged[NUMBERS].astype(float)
    table = merged.assign(measure=merged["measure"].replace(QUANTITIES)).rename(columns=HEADINGS)
    with paths.writing(SUMMARY) as aside:
        table[list(ORDER)].to_csv(aside, index=False, float_format="%.4g")
    _count(new)
    for (corpus, profile, attention), rows in plain(new).groupby(["corpus", "profile", "attention"]):
        _draw(results, corpus, profile, attention, rows)
    return len(merged.drop_duplicates(RUN))


def _count(new: pd.DataFrame) -> None:
    """Merge the sizes of the corpora of these runs, as each profile reads them, into data/results."""
    rows = []
    for corpus, profile in sorted(set(zip(new["corpus"], new["profile"], strict=True))):
        read = load(resolve({"corpus": corpus, "profile": profile}))
        row = {"corpus": corpus, "profile": profile, "vocabulary": len(read.vocabulary)}
        row["mean_length"] = round(np.mean([len(words) for words in read.splits["train"].words]), 2)
        for split, part in read.splits.items():
            row |= {f"{split}_{c}": n for c, n in enumerate(np.bincount(part.labels))}
        rows.append(row | {"partial": partial(corpus)})
    merged = pd.DataFrame(sizes().to_dict("records") + rows)  # whole numbers stay whole
    merged = merged.drop_duplicates(["corpus", "profile"], keep="last").sort_values(["corpus", "profile"])
    with paths.writing(COUNTS) as aside:
        merged.to_csv(aside, index=False)


def sizes() -> pd.DataFrame:
    """The committed sizes of the corpora: one row a corpus and profile."""
    return pd.read_csv(COUNTS) if COUNTS.exists() else pd.DataFrame(columns=["corpus", "profile"])


def table1_beside() -> pd.DataFrame:
    """Table 1 of the paper beside the committed sizes, one number a row, with the reason for a difference.

    The paper counts training texts before a dev split is taken out of them (`dev: of train` in the registry).
    """
    entries, found = corpora(), []
    for row in sizes().to_dict("records"):
        published_, entry = table1().set_index("corpus"), entries[row["corpus"]]
        if row["corpus"] not in published_.index:
            continue
        for name in ("vocabulary", "mean_length", "train_0", "train_1", "test_0", "test_1"):
            ours = row[name] + (
                row[name.replace("train", "dev")] if entry.get("dev") and "train" in name else 0
            )
            reported = published_.loc[row["corpus"], name]
            differs = round(ours) != reported
            reason = entry.get("differs", "cause not found") if differs else ""
            found.append({"corpus": row["corpus"], "profile": row["profile"], "number": name,
                          "reported": reported, "ours": ours, "reason": reason})  # fmt: skip
    return pd.DataFrame(found, columns=["corpus", "profile", "number", "reported", "ours", "reason"])


def _draw(results: Path, corpus: str, profile: str, attention: str, rows: pd.DataFrame) -> None:
    """Text-free figures of the chapters that these runs went through, by encoder, of its lowest seed."""
    classes, folder = corpora()[corpus]["classes"], paths.DATA / "results" / "figures"
    figures.theme()
    drawn = {
        "correlation": lambda tables: figures.correlations(tables, classes),
        "permutation": lambda tables: figures.violins(tables, "median_change", classes, (-0.02, 1)),
        "adversarial": lambda tables: figures.optimum_histograms(tables, classes),
        "points": lambda tables: figures.opposition(next(iter(tables.values())), top=0.3),
    }
    for table, draw in drawn.items():
        found = {}
        for encoder in figures.ENCODERS:
            own = rows[rows["encoder"] == encoder].sort_values("seed", kind="stable").head(1)
            for variant, seed in zip(own["variant"], own["seed"], strict=True):
                run = results / corpus / f"{encoder}-{attention}" / variant / f"seed{seed}"
                if (run / FILES[table]).exists():
                    found[encoder] = pd.read_parquet(run / FILES[table])
        if found:
            figures.save(draw(found), folder / f"{corpus}-{attention}-{profile}-{table}.svg")
            figures.plt.close("all")


def published() -> pd.DataFrame:
    """Table 2 of the paper and what the authors' site shows, one number a row.

    Columns: source (paper or site), corpus, class, encoder, measure, statistic, reported.
    """
    wide = pd.read_csv(paths.DATA / "published" / "table2.csv", dtype={"class": str})
    long = wide.melt(["corpus", "class"], var_name="cell", value_name="reported")
    parts = long.pop("cell").str.extract(r"(tau_(?:g|loo))_(bilstm|average)_(mean|std|sig)")
    long["measure"] = parts[0].replace({"tau_g": "tau_gradient"})
    long["encoder"], long["statistic"] = parts[1], parts[2].replace({"sig": "significant"})
    site = pd.read_csv(paths.DATA / "published" / "site.csv", dtype={"class": str})
    return pd.concat([long.assign(source="paper"), site.assign(source="site")], ignore_index=True)


def wiegreffe_pinter(corpus: str) -> pd.DataFrame:
    """What Wiegreffe & Pinter (2019) report of a corpus; `source` says how it was read, TVDs are halved."""
    table = pd.read_csv(paths.DATA / "published" / "wiegreffe_pinter.csv")
    return table[table["corpus"] == corpus].reset_index(drop=True)


def plain(summaries: pd.DataFrame) -> pd.DataFrame:
    """The runs of a profile as it is: none of its parameters given otherwise."""
    return summaries[summaries["given"] == ""]


def table1() -> pd.DataFrame:
    """Table 1 of the paper."""
    return pd.read_csv(paths.DATA / "published" / "table1.csv")


def beside(summaries: pd.DataFrame, profile: str, source: str) -> pd.DataFrame:
    """Each published number beside ours of that profile: mean and range over seeds, additive attention.

    `differs` says whether the published value lies outside the range of our seeds.
    """
    ours = plain(summaries)
    ours = ours[(ours["profile"] == profile) & (ours["attention"] == "additive")]
    if ours.empty:
        return pd.DataFrame()
    statistics = ["mean", "std", "significant"]
    long = ours.melt([*CELL, "seed"], statistics, var_name="statistic", value_name="ours")
    groups = long.groupby([*CELL, "statistic"])["ours"].agg(["mean", "min", "max"]).reset_index()
    reported = published()
    found = reported[reported["source"] == source].merge(groups, on=[*CELL, "statistic"])
    found["differs"] = (found["reported"] < found["min"].round(2)) | (
        found["reported"] > found["max"].round(2)
    )
    return found.sort_values([*CELL, "statistic"], kind="stable", ignore_index=True)


def table2(summaries: pd.DataFrame) -> pd.DataFrame:
    """Table 2's layout for any runs: a row a corpus, profile, attention, encoder and class, over seeds."""
    chosen = summaries[summaries["measure"].isin(["tau_gradient", "tau_loo"])]
    by = ["corpus", "profile", "given", "attention", "encoder", "class", "measure"]
    over = stats.over_seeds(chosen, by)
    over["text"] = [_cell(row) for row in over.itertuples()]
    wide = over.pivot(index=by[:-1], columns="measure", values=["text", "significant"])
    wide.columns = [f"{m}{' sig.' if kind == 'significant' else ''}" for kind, m in wide.columns]
    order = [c for m in ("tau_gradient", "tau_loo") for c in (m, f"{m} sig.") if c in wide]
    return wide[order].astype({c: float for c in order if c.endswith("sig.")}).reset_index()


def _cell(row) -> str:
    return f"{row.mean:.2f} ± {row.std:.2f} [{row.lowest:.2f}, {row.highest:.2f}]"


def means(summaries: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """Overall means of some measures, a row a model: mean over seeds and range, as text."""
    rows = summaries[(summaries["class"] == "overall") & summaries["measure"].isin(measures)]
    by = ["corpus", "profile", "given", "attention", "encoder"]
    parts = rows.groupby([*by, "measure"])["mean"].agg(["mean", "min", "max"])
    cells = [f"{m:.3f} [{low:.3f}, {high:.3f}]" for m, low, high in parts.to_numpy()]
    table = pd.Series(cells, index=parts.index, dtype=object).unstack()
    return table.reindex(columns=measures).fillna("–").reset_index()


def average_minus_bilstm(summaries: pd.DataFrame) -> pd.DataFrame:
    """Difference in mean τ_loo of the Average and the BiLSTM encoder, per corpus, profile and attention."""
    rows = plain(summaries)
    rows = rows[(rows["measure"] == "tau_loo") & (rows["class"] == "overall")]
    means = rows.groupby(["corpus", "profile", "attention", "encoder"])["mean"].mean().unstack()
    if not {"average", "bilstm"} <= set(means.columns):
        return pd.DataFrame(columns=["corpus", "profile", "attention", "difference"])
    return (means["average"] - means["bilstm"]).rename("difference").dropna().reset_index()


def stale(summaries: pd.DataFrame) -> np.ndarray:
    """Which rows were made by another version of the library than the one that reads them."""
    return (summaries["library"] != paths.library_hash()).to_numpy()


def claims(overall: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims of sections 4.1 and 4.2 against the overall means of each corpus and profile.

    Columns: claim, corpus, profile, ours, holds (yes, no, or open where the seeds fall on both sides).
    """
    rows = []
    for (corpus, profile), own in plain(overall).groupby(["corpus", "profile"]):
        model = own["encoder"] + own["attention"].map(lambda name: "" if name == "additive" else f"-{name}")
        seeds = own.assign(model=model).pivot_table(index="seed", columns=["model", "measure"], values="mean")
        for text, value in CLAIMS.items():
            try:
                found = value(seeds).dropna()
            except KeyError:  # an encoder that this corpus has no run of
                continue
            if len(found):
                holds = "yes" if (found > 0).all() else "no" if (found <= 0).all() else "open"
                ours = f"{found.mean():+.2f} [{found.min():+.2f}, {found.max():+.2f}]"
                rows.append(
                    {"claim": text, "corpus": corpus, "profile": profile, "ours": ours, "holds": holds}
                )
    return pd.DataFrame(rows, columns=["claim", "corpus", "profile", "ours", "holds"])


# A claim, and the number that is positive where it holds, of a table seeds x (model, measure).
CLAIMS = {
    "τ is modest for the BiLSTM (0.5 − τ_g > 0)": lambda s: 0.5 - s["bilstm", "tau_gradient"],
    "τ_g is higher for Average than for BiLSTM": lambda s: (
        s["average", "tau_gradient"] - s["bilstm", "tau_gradient"]
    ),
    "τ_loo is higher for Average than for BiLSTM": lambda s: s["average", "tau_loo"] - s["bilstm", "tau_loo"],
    "CNN's τ_g is comparable to BiLSTM's (within 0.1)": lambda s: (
        0.1 - (s["cnn", "tau_gradient"] - s["bilstm", "tau_gradient"]).abs()
    ),
    "Dot attention's τ_g is comparable to additive's, BiLSTM (within 0.1)": lambda s: (
        0.1 - (s["bilstm-dot", "tau_gradient"] - s["bilstm", "tau_gradient"]).abs()
    ),
    "BiLSTM: most peaked texts (0.5 and more) hardly move when permuted (0.05 at most)": lambda s: (
        s["bilstm", "peaked_still"] - 0.5
    ),
    "BiLSTM: peaked attention leaves less room (ρ of weight and ε-max JSD found < 0)": lambda s: (
        -s["bilstm", "rho_found"]
    ),
    "BiLSTM: … but the trend is weak (ρ above −0.5)": lambda s: s["bilstm", "rho_found"] + 0.5,
    "BiLSTM: the ε-max JSD found is close to ln 2 (above 0.5)": lambda s: s["bilstm", "found"] - 0.5,
    "BiLSTM: permuting moves the prediction little (below 0.1)": lambda s: 0.1 - s["bilstm", "median_change"],
    "BiLSTM: gradient agrees with LOO more than attention does": lambda s: (
        s["bilstm", "tau_gradient_loo"] - s["bilstm", "tau_loo"]
    ),
    "BiLSTM: LOO agrees with gradient more than attention does": lambda s: (
        s["bilstm", "tau_gradient_loo"] - s["bilstm", "tau_gradient"]
    ),
}

# What each paper's test says of attention: the number, the border, the readings below and above it.
TESTS = {
    "J&W: agrees with leave-one-out (τ)": (lambda s: s["tau_loo"], 0.5, "hardly", "yes"),
    "J&W: other attention, same prediction (ε-max JSD)": (lambda s: s["found"], 0.5, "some", "almost any"),
    "W&P: attention is needed (F1, trained − uniform)": (
        lambda s: s["f1"] - s["f1_of_uniform"],
        0.01,
        "hardly",
        "yes",
    ),
    "W&P: the search goes beyond other seeds (JSD, search − seeds)": (
        lambda s: s["found"] - s["other_jsd"],
        0.1,
        "hardly",
        "yes",
    ),
    "W&P: attention helps a token-wise model (F1, given − learnt)": (
        lambda s: s["f1_mlp_base"] - s["f1_mlp_trained"],
        0.0,
        "no",
        "yes",
    ),
    "W&P: a trained adversary pays (TVD at JSD > 0.4)": (
        lambda s: s["trained_change"].where(s["trained_jsd"] > 0.4),
        0.05,
        "hardly",
        "yes",
    ),
}


def tests(summaries: pd.DataFrame) -> pd.DataFrame:
    """Each corpus's reading of each test: BiLSTM, additive attention, profile paper; a gap without a run.

    A cell: the reading, the mean over seeds and their range.
    """
    rows = plain(summaries)
    rows = rows[(rows["class"] == "overall") & (rows["encoder"] == "bilstm") & (rows["profile"] == "paper")]
    real = [name for name, entry in corpora().items() if entry.get("reader", "own") != "own"]
    table = []
    for corpus in dict.fromkeys([*real, *rows["corpus"]]):
        own = rows[rows["corpus"] == corpus]
        seeds = own[own["attention"] == "additive"].pivot_table(
            index="seed", columns="measure", values="mean"
        )
        flat = own[(own["attention"] == "uniform") & (own["measure"] == "f1")].set_index("seed")["mean"]
        seeds["f1_of_uniform"] = flat.reindex(seeds.index)
        table.append({"corpus": corpus} | {test: _reading(seeds, *how) for test, how in TESTS.items()})
    return pd.DataFrame(table)


def _reading(seeds: pd.DataFrame, value, border: float, below: str, above: str) -> str:
    try:
        found = value(seeds).dropna()
    except KeyError:  # no run has been through that chapter
        return "–"
    if found.empty:
        return "–"
    reading = above if (found > border).all() else below if (found <= border).all() else "open"
    return f"{reading}: {found.mean():.3f} [{found.min():.3f}, {found.max():.3f}]"
