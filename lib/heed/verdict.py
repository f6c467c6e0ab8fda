"""Many runs in one table, beside what the papers report."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from heed import copying, erasure, figures, paths, rivals, sequence, stats, translation
from heed.corpora import load, partial
from heed.corpora import read as read_all
from heed.errors import HeedError, why
from heed.grid import MAIN, TASKS
from heed.params import Params, carried, corpora, is_sequences, resolve
from heed.products import FILES, SETTINGS, SUMMARISED

RUN = ["corpus", "encoder", "attention", "profile", "variant", "given", "seed"]
NUMBERS = ["mean", "std", "significant", "low", "high"]
COLUMNS = [*RUN, "measure", "class", "n", "undefined", *NUMBERS, "partial", "library"]
CELL = ["corpus", "class", "encoder", "measure"]
SUMMARY = paths.DATA / "results" / "summary.csv"
COUNTS = paths.DATA / "results" / "corpora.csv"
PAIRED = paths.DATA / "results" / "without_context.csv"
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
BEST = "max_jsd_best"  # the optimum's name where it isn't exact, but the best that is known

ORDER = (
    "corpus encoder attention profile variant seed class quantity mean std lo hi sig_frac n undefined "
    "partial given library"
).split()


def finished(results: Path, run: str = "*/*/*/seed*") -> pd.DataFrame:
    """The summaries of all finished runs in a results folder, or of one; none gives an empty table."""
    tables = []
    for path in sorted(results.glob(f"{run}/summary*.parquet")):
        try:
            table = pd.read_parquet(path)
            if not set(COLUMNS) - {"partial"} <= set(table.columns) <= set(COLUMNS):  # earlier: without it
                raise ValueError("its columns are not a summary's")
            tables.append(table.assign(partial=table.get("partial", False)))
        except Exception as error:  # on a damaged schema pandas raises KeyError, TypeError and more
            raise HeedError(f"{path} is damaged ({why(error)}). Delete it; run the batch again.") from error
    return pd.concat(tables, ignore_index=True) if tables else _empty()


def committed() -> pd.DataFrame:
    """The summaries of real runs that the project carries (no corpus text)."""
    if not SUMMARY.exists():
        return _empty()
    texts = {"class": str, "library": str, "given": str}
    try:
        table = pd.read_csv(SUMMARY, dtype=texts).fillna({"given": ""})
        table = table.rename(columns={v: k for k, v in HEADINGS.items()})[COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise HeedError(
            f"{SUMMARY} is damaged ({why(error)}). Restore it: git checkout {SUMMARY}."
        ) from error
    back = {v: k for k, v in QUANTITIES.items()} | {BEST: "optimum"}
    return table.assign(measure=table["measure"].replace(back), partial=table["partial"].eq(True))


def known(runs: list[Params], chapters: list[str]) -> dict[str, bool]:
    """The runs of which the project carries the rows of all these chapters: path to whether they are stale.

    A chapter that has no rows in a summary is never known. Those of chapter 05, which stand in no verdict,
    needn't be there unless it is the only one.
    """
    rows, chapters = committed(), [name for name in chapters if name != "05"] or chapters
    # Of what a run would read, or more.
    rows = rows[~rows["partial"] | rows["corpus"].map(partial).astype(bool)]
    held, found = {name: own for name, own in rows[rows["class"] == "overall"].groupby(RUN)}, {}
    for run in runs:
        parts = [held.get(_called(run, chapter), _empty()) for chapter in chapters]
        wanted = [{*SUMMARISED.get(chapter, ["none"])} for chapter in chapters]
        if all(want <= {*part["measure"]} for want, part in zip(wanted, parts, strict=True)):
            found[run.path] = any(stale(part).any() for part in parts)
    return found


def _called(run: Params, chapter: str) -> tuple:
    """What the rows of a run's chapter are called by."""
    read = SETTINGS.get({"07": "summary_not_not", "08": "summary_relevance"}.get(chapter), ())
    return tuple(run.given_to(read) if part == "given" else getattr(run, part) for part in RUN)


def _empty() -> pd.DataFrame:
    return pd.DataFrame(columns=COLUMNS)


def commit(results: Path) -> int:
    """Merge finished runs of the corpora that are `carried` into data/results; return how many it holds."""
    real = [name for name in corpora() if carried(name)]
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
    several = table["corpus"].map(lambda name: len(corpora()[name].get("classes", ())) != 2)
    best = several & (table["quantity"] == QUANTITIES["optimum"])
    table["quantity"] = table["quantity"].mask(best, BEST)  # the head isn't linear
    with paths.writing(SUMMARY) as aside:
        table[list(ORDER)].to_csv(aside, index=False, float_format="%.4g")
    _count(new)
    for (corpus, profile, attention), rows in plain(new).groupby(["corpus", "profile", "attention"]):
        _draw(results, corpus, profile, attention, rows)
    _pair(results, plain(new))
    _draw_copies(results, plain(new))
    _draw_translations(results, plain(new))
    return len(merged.drop_duplicates(RUN))


def _count(new: pd.DataFrame) -> None:
    """Merge the sizes of the corpora of these runs, as each profile reads them, into data/results."""
    rows = []
    new = new[~new["corpus"].map(is_sequences).astype(bool)]  # those have no texts to be counted
    for corpus, profile in sorted(set(zip(new["corpus"], new["profile"], strict=True))):
        read = load(resolve({"corpus": corpus, "profile": profile}))
        row = {"corpus": corpus, "profile": profile, "vocabulary": len(read.vocabulary)}
        row["mean_length"] = round(np.mean([len(words) for words in read.splits["train"].words]), 2)
        for split, part in read.splits.items():
            counts = [len(part)] if read.task == "qa" else np.bincount(part.labels)
            row |= {f"{split}_{c}": n for c, n in enumerate(counts)}
        row["test_most"] = round(pd.Series(read.splits["test"].labels).value_counts(normalize=True).max(), 4)
        if "counted" in corpora()[corpus]:  # by Table 1 before the length filter
            whole = read_all(corpus, resolve({"corpus": corpus, "profile": profile}))
            labels = np.concatenate([whole["train"].labels, whole["dev"].labels])
            row |= {f"whole_train_{c}": n for c, n in enumerate(np.bincount(labels))}
        excluded = sum(sum(part.excluded.values()) for part in read.splits.values())
        rows.append(row | {"partial": partial(corpus), "excluded": excluded})
    if not rows:
        return
    merged = pd.DataFrame(sizes().to_dict("records") + rows).convert_dtypes()  # whole numbers stay whole
    merged = merged.drop_duplicates(["corpus", "profile"], keep="last").sort_values(["corpus", "profile"])
    with paths.writing(COUNTS) as aside:
        merged.to_csv(aside, index=False)


def _kept(results: Path, corpus: str, model: str, variant: str, seed: int, file: str) -> list[pd.DataFrame]:
    """The table of a run; none if it isn't there, or no longer: large ones may be deleted."""
    path = results / corpus / model / variant / f"seed{seed}" / file
    return [pd.read_parquet(path)] if path.exists() else []


def _pair(results: Path, rows: pd.DataFrame) -> None:
    """Merge the test of what attention says without context, of each two of these runs, into data/results."""
    by = ["corpus", "profile", "attention", "seed"]
    parts = [without_context()]
    for row, own in rows[rows["measure"] == "excess_attention"].groupby(by):
        tables = {
            encoder: table
            for encoder, variant in own[["encoder", "variant"]].drop_duplicates().to_numpy()
            for table in _kept(results, row[0], f"{encoder}-{row[2]}", variant, row[3], FILES["erasure"])
        }
        for context in sorted(tables.keys() - erasure.WITHOUT - {"han"}):  # whose units are sentences
            for alone in sorted(tables.keys() & erasure.WITHOUT):
                found = erasure.says_more(tables[context], tables[alone], 1000, row[3])
                named = dict(zip(by, row, strict=True)) | {"encoder": context, "without": alone}
                parts.append(pd.DataFrame(named, index=found.index).join(found))
    if len(parts) > 1:
        merged = pd.concat([part for part in parts if len(part)], ignore_index=True)
        key = [*by, "encoder", "without", "measure"]
        merged = merged.drop_duplicates(key, keep="last").sort_values(key, kind="stable")
        with paths.writing(PAIRED) as aside:
            merged.to_csv(aside, index=False, float_format="%.4g")


def without_context() -> pd.DataFrame:
    """The committed tests of `erasure.says_more`: a row a number, and two runs of one seed."""
    return pd.read_csv(PAIRED) if PAIRED.exists() else pd.DataFrame(columns=["corpus"])


def sizes() -> pd.DataFrame:
    """The committed sizes of the corpora: one row a corpus and profile."""
    return pd.read_csv(COUNTS) if COUNTS.exists() else pd.DataFrame(columns=["corpus", "profile"])


def table1_beside() -> pd.DataFrame:
    """Table 1 of the paper beside the committed sizes, one number a row, with the reason for a difference.

    The paper counts training texts before a dev split is taken out of them (`dev: of train` in the registry),
    and IMDB's before the length filter (`counted`).
    """
    entries, found = corpora(), []
    for row in sizes().to_dict("records"):
        published_, entry = table1().set_index("corpus"), entries[row["corpus"]]
        if row["corpus"] not in published_.index:
            continue
        numbers = published_.loc[row["corpus"]].dropna()
        for name in numbers.index.intersection(row):
            ours = row[name]
            if "train" in name and "counted" in entry and row.get(f"whole_{name}", np.nan) > 0:
                ours = row[f"whole_{name}"]
            elif "train" in name and "dev" in entry:
                ours += row[name.replace("train", "dev")]
            reported = numbers[name]
            differs = round(ours) != reported
            reason = entry.get("differs", "cause not found") if differs else ""
            found.append({"corpus": row["corpus"], "profile": row["profile"], "number": name,
                          "reported": reported, "ours": ours, "reason": reason})  # fmt: skip
    return pd.DataFrame(found, columns=["corpus", "profile", "number", "reported", "ours", "reason"])


def _draw(results: Path, corpus: str, profile: str, attention: str, rows: pd.DataFrame) -> None:
    """Text-free figures of the chapters that these runs went through, by encoder, of its lowest seed."""
    classes, folder = corpora()[corpus].get("classes", ()), paths.DATA / "results" / "figures"
    figures.theme()
    drawn = {
        "correlation": lambda tables: figures.correlations(tables, classes),
        "permutation": lambda tables: figures.violins(tables, "median_change", classes, (-0.02, 1)),
        "adversarial": lambda tables: figures.optimum_histograms(tables, classes, len(classes) == 2),
        "points": lambda tables: figures.opposition([*tables.values()][0], reported_points(corpus), top=0.3),
        "seeds": lambda tables: figures.violins([*tables.values()][0], "other_jsd", classes, (-0.02, 0.72)),
        "erasure": lambda tables: figures.boxes(tables, "erased"),
        "course": lambda tables: figures.course(next(iter(tables.values()))),
    }
    for table, draw in drawn.items():
        found = {}
        for encoder in figures.ENCODERS:
            own = rows[rows["encoder"] == encoder].sort_values("seed", kind="stable").head(1)
            for variant, seed in zip(own["variant"], own["seed"], strict=True):
                called = results, corpus, f"{encoder}-{attention}", variant, seed
                searched = _kept(*called, FILES["adversarial"])
                for kept in _kept(*called, FILES[table]):
                    found[encoder] = rivals.panels(kept, *searched) if table == "seeds" else kept
        if found:
            figures.save(draw(found), folder / f"{corpus}-{attention}-{profile}-{table}.svg")
            figures.plt.close("all")


def _draw_copies(results: Path, rows: pd.DataFrame) -> None:
    """Chapter 09 at full size, the usual steps and more of them: a line a seed."""
    rows = rows[(rows["encoder"] == MAIN[0]) & (rows["attention"] == MAIN[1])]
    for profile, own in rows[rows["profile"].isin(("paper", "long"))].groupby("profile"):
        found = []
        for corpus, variant, seed in own[["corpus", "variant", "seed"]].drop_duplicates().to_numpy():
            for table in _kept(results, corpus, "-".join(MAIN), variant, seed, copying.FILES["copied"]):
                found.append(table.assign(task=corpus, seed=seed))
        if found:
            figure = figures.copies(pd.concat(found), TASKS, sequence.GOOD)
            figures.save(figure, paths.DATA / "results" / "figures" / f"copying-{profile}.svg")


def _draw_translations(results: Path, rows: pd.DataFrame) -> None:
    """Chapter 09: what agrees with the finished attention over training."""
    rows = rows[(rows["corpus"] == "multi30k") & (rows["measure"] == "bleu")]
    for row in rows.sort_values("seed", ascending=False).itertuples():  # of several seeds, the first
        called = row.corpus, f"{row.encoder}-{row.attention}", row.variant, row.seed
        for table in _kept(results, *called, translation.FILES["learning"]):
            to = paths.DATA / "results" / "figures" / f"translation-{row.profile}.svg"
            figures.save(figures.translated(table), to)


def published() -> pd.DataFrame:
    """Table 2 of the paper and what the authors' site shows, one number a row.

    Columns: source (paper or site), corpus, class, encoder, measure, statistic, reported.
    """
    wide = pd.read_csv(paths.DATA / "published" / "table2.csv", dtype={"class": str})
    long = wide.melt(["corpus", "class"], var_name="cell", value_name="reported")
    parts = long.pop("cell").str.extract(r"(tau_(?:g|loo))_(bilstm|average)_(mean|std|sig)")
    long["measure"] = parts[0].replace({"tau_g": "tau_gradient"})
    long["encoder"], long["statistic"] = parts[1], parts[2].replace({"sig": "significant"})
    first = table1()[["corpus", "score_name", "score_bilstm"]]
    first = first.rename(columns={"score_name": "measure", "score_bilstm": "reported"})
    first = first.assign(**{"class": "overall", "encoder": "bilstm", "statistic": "mean"})
    site = pd.read_csv(paths.DATA / "published" / "site.csv", dtype={"class": str})
    parts = [first.assign(source="paper"), long.assign(source="paper"), site.assign(source="site")]
    return pd.concat(parts, ignore_index=True)


def wiegreffe_pinter(corpus: str) -> pd.DataFrame:
    """What Wiegreffe & Pinter (2019) report of a corpus; `source` says how it was read, TVDs are halved."""
    table = pd.read_csv(paths.DATA / "published" / "wiegreffe_pinter.csv")
    return table[table["corpus"] == corpus].reset_index(drop=True)


def reported_points(corpus: str) -> pd.DataFrame:
    """Their Figure 5 of a corpus, as it was read off the slides: kind, jsd, change (true TVD)."""
    points = wiegreffe_pinter(corpus).query("experiment == 'curve'")
    return points.assign(kind=points["model"], change=2 * points["tvd"])


def snell(corpus: str | None) -> pd.DataFrame:
    """What Snell et al. (2021) recorded of a corpus (None: of any): best over checkpoints, on validation."""
    table = pd.read_csv(paths.DATA / "published" / "snell.csv")
    return table[(table["corpus"] == corpus) | (corpus is None)].reset_index(drop=True)


def marked(summaries: pd.DataFrame) -> pd.DataFrame:
    """Runs on a part of a corpus under another name, so that nothing takes them together with whole ones."""
    part = summaries["corpus"].astype(str) + " (part)"
    return summaries.assign(corpus=summaries["corpus"].mask(summaries["partial"].astype(bool), part))


def guessing(summaries: pd.DataFrame) -> pd.DataFrame:
    """Models that predict no better than the most frequent answer, by two standard errors: a row a model.

    One whose ROC AUC is above .5 by that much is none: it tells texts apart, wherever it draws its border.
    Columns: corpus, profile, attention, encoder, accuracy (mean over seeds), most (that answer's share), auc.
    """
    by = ["corpus", "profile", "attention", "encoder"]
    rows = plain(summaries).query("measure in ('accuracy', 'auc') and `class` == 'overall'")
    found = rows.pivot_table("mean", by, "measure").reindex(columns=["accuracy", "auc"])
    found = found.join(rows.groupby(by)["n"].first()).reset_index()
    most = sizes().reindex(columns=["corpus", "profile", "test_most"]).astype({"test_most": float})
    found = found.merge(most.rename(columns={"test_most": "most"}), how="left", on=["corpus", "profile"])
    spread, n = np.sqrt(found["most"] * (1 - found["most"])), found.pop("n").astype(float)
    told = found["auc"] > 0.5 + 2 / (spread * np.sqrt(12 * n))  # Mann and Whitney's, of a model that guesses
    blind = found["accuracy"] <= found["most"] + 2 * spread / np.sqrt(n)
    return found[blind & ~told].reset_index(drop=True)


def _seeds(counts: pd.Series, by: list[str]) -> pd.Series:
    """Of how many seeds a row's numbers are: a range where its measures have different ones."""
    ends = counts.groupby(by).agg(["min", "max"])
    upto = ("–" + ends["max"].astype(str)).where(ends["min"] < ends["max"], "")
    return (ends["min"].astype(str) + upto).rename("seeds")


def plain(summaries: pd.DataFrame) -> pd.DataFrame:
    """The runs of a profile as it is: none of its parameters given otherwise.

    Of a profile or corpus whose YAML was edited between runs only those that it describes now.
    """
    rows, names = summaries[summaries["given"] == ""], ["corpus", "encoder", "attention", "profile", "seed"]
    several = rows.loc[rows.groupby(names)["variant"].transform("nunique") > 1, [*names, "variant"]]
    old = [resolve(dict(zip(names, of, strict=True))).variant != v for *of, v in several.to_numpy()]
    return rows.drop(several.index[np.array(old, bool)])


def table1() -> pd.DataFrame:
    """Table 1 of the paper."""
    return pd.read_csv(paths.DATA / "published" / "table1.csv")


def beside(summaries: pd.DataFrame, profile: str, source: str) -> pd.DataFrame:
    """Each published number beside ours of that profile: mean and range over seeds, additive attention.

    `cell` is within or outside the range of our seeds, both rounded to two places, or a gap: no run here.
    `partial`: our runs read only a part of the corpus.
    """
    ours = plain(summaries)
    ours = ours[(ours["profile"] == profile) & (ours["attention"] == "additive")]
    part = ours["partial"].astype(bool)
    ours = ours[~part | ~ours["corpus"].isin(ours.loc[~part, "corpus"])]  # never the two together
    long = ours.melt([*CELL, "seed"], ["mean", "std", "significant"], var_name="statistic", value_name="ours")
    groups = long.groupby([*CELL, "statistic"])
    groups = groups["ours"].agg(["mean", "min", "max"]).join(groups["seed"].nunique().rename("seeds"))
    reported = published()
    reported = reported[(reported["source"] == source) & reported["reported"].notna()]
    found = reported.merge(groups.reset_index(), how="left", on=[*CELL, "statistic"])
    inside = found["reported"].between(found["min"].round(2), found["max"].round(2))
    found["cell"] = np.select([found["mean"].isna(), inside], ["gap", "within"], "outside")
    found["partial"] = found["corpus"].isin(ours.loc[ours["partial"].astype(bool), "corpus"])
    return found.sort_values([*CELL, "statistic"], kind="stable", ignore_index=True)


def table2(summaries: pd.DataFrame) -> pd.DataFrame:
    """Table 2's layout for any runs: a row a corpus, profile, attention, encoder and class, over seeds."""
    chosen = marked(summaries[summaries["measure"].isin(["tau_gradient", "tau_loo"])])
    by = ["corpus", "profile", "given", "attention", "encoder", "class", "measure"]
    over = stats.over_seeds(chosen, by)
    form = "{:.2f} ± {:.2f} [{:.2f}, {:.2f}]".format
    over["text"] = [form(*of) for of in over[["mean", "std", "lowest", "highest"]].to_numpy()]
    wide = over.pivot(index=by[:-1], columns="measure", values=["text", "significant"])
    wide.columns = [f"{m}{' sig.' if kind == 'significant' else ''}" for kind, m in wide.columns]
    order = [c for m in ("tau_gradient", "tau_loo") for c in (m, f"{m} sig.") if c in wide]
    wide = wide[order].astype({c: float for c in order if c.endswith("sig.")})
    wide.insert(0, "seeds", _seeds(over.set_index(by)["seeds"], by[:-1]))
    return wide.reset_index()


def means(summaries: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """Overall means of some measures, a row a model: mean over seeds and range, as text."""
    rows = marked(summaries[(summaries["class"] == "overall") & summaries["measure"].isin(measures)])
    return _wide(rows, ["corpus", "profile", "given", "attention", "encoder"], measures, "{:.3f}")


def _wide(rows: pd.DataFrame, by: list[str], measures: list[str], form: str) -> pd.DataFrame:
    """A row a model: of how many seeds it is, and each measure's mean over them and range, as text."""
    groups = rows.dropna(subset="mean").groupby([*by, "measure"])
    parts = groups["mean"].agg(["mean", "min", "max"])
    cells = [f"{form} [{form}, {form}]".format(*of) for of in parts.to_numpy()]
    table = pd.Series(cells, index=parts.index, dtype=object).unstack()
    table = table.reindex(columns=measures).astype(object).fillna("–")
    table.insert(0, "seeds", _seeds(groups["seed"].nunique(), by))
    return table.rename_axis(columns=None).reset_index()


def contrast(
    summaries: pd.DataFrame, axis: str, first: str, second: str, measures: list[str]
) -> pd.DataFrame:
    """One encoder or attention minus another on the same seed: mean and range over seeds, as text.

    axis: `encoder` or `attention`. Columns: corpus, profile, the other axis, seeds, and the measures.
    """
    by = ["corpus", "profile", "attention" if axis == "encoder" else "encoder"]
    return _wide(gaps(summaries, axis, first, second, measures), by, measures, "{:+.3f}")


def gaps(summaries: pd.DataFrame, axis: str, first: str, second: str, measures: list[str]) -> pd.DataFrame:
    """The difference that `contrast` takes, one row (`mean`) a seed and measure."""
    by = ["corpus", "profile", "attention" if axis == "encoder" else "encoder", "seed", "measure"]
    rows = marked(plain(summaries))
    rows = rows[(rows["class"] == "overall") & rows["measure"].isin(measures)]
    wide = rows.pivot_table(index=by, columns=axis, values="mean").reindex(columns=[first, second])
    return (wide[first] - wide[second]).dropna().rename("mean").reset_index()


def stale(summaries: pd.DataFrame) -> np.ndarray:
    """Which rows were made by another version of the library than the one that reads them."""
    return (summaries["library"] != paths.library_hash()).to_numpy()
