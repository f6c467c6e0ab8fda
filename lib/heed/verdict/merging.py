"""What `make summary` merges into data/results: numbers of finished runs, no corpus text."""

import json
import re
import warnings
from pathlib import Path

import pandas as pd

from heed import paths, registry
from heed.corpora.loading import partial
from heed.experiments.repairs import TESTS
from heed.experiments.word_lengths import SCALED
from heed.measures.registry import columns_of
from heed.params import Params, kind_of, resolve
from heed.runs.products import every_file, every_product
from heed.verdict import annex, carried


def _vectors_of(rows: pd.DataFrame) -> pd.Series:
    """The word vectors of each row; of those that were made before it was noted, by what names the run."""
    found = rows["vectors"].fillna("")
    for (corpus, profile, given), own in rows[found == ""].groupby(["corpus", "profile", "given"]):
        named = re.search(r"(?:^|, )vectors=([^,]+)", given)
        kind = kind_of(corpus)
        if named:
            found[own.index] = named[1]
        elif "vectors" in kind.model_fields:
            found[own.index] = resolve({"corpus": corpus, "profile": profile}, asked=False).vectors
    return found


def to_carry(results: Path) -> pd.DataFrame:
    """The summaries of finished runs of the corpora that are `carried`."""
    found = carried.finished(results)
    return found[found["corpus"].isin([name for name in registry.corpora() if registry.carried(name)])]


# What names a reader of rationales, beside its seed.
OF_READERS = ["corpus", "encoder", "attention", "profile", "variant", "given", "ranking"]
LENGTHS = paths.DATA / "results" / "word_lengths.csv"


def word_lengths() -> pd.DataFrame:
    """The committed numbers of "how long is a word?": a row a run, see `experiments.word_lengths`."""
    if not LENGTHS.exists():
        return pd.DataFrame(columns=[*carried.RUN, *SCALED])
    return pd.read_csv(LENGTHS).fillna({"given": ""})


def commit_lengths(results: Path) -> None:
    """Merge the finished runs' rows of chapter 02's experiment into data/results."""
    file = every_file()["word_length"]
    parts = [pd.read_parquet(path) for path in sorted(results.glob(f"*/*/*/seed*/{file}"))]
    if not parts:
        return
    merged = pd.concat([word_lengths(), *parts], ignore_index=True)
    merged = merged.drop_duplicates(carried.RUN, keep="last").sort_values(carried.RUN, kind="stable")
    with paths.writing(LENGTHS) as aside:
        merged.to_csv(aside, index=False, float_format="%.4g")


READERS = paths.DATA / "results" / "fresh.csv"


def readers_of_rationales() -> pd.DataFrame:
    """The committed numbers of chapter 11's readers of rationales: a row a run, ranking and seed."""
    if not READERS.exists():
        return pd.DataFrame(columns=[*OF_READERS, "seed", *columns_of("fresh")])
    return pd.read_csv(READERS, dtype={"given": str}).fillna({"given": ""})


def commit_readers(results: Path) -> None:
    """Merge the finished runs' readers of rationales into data/results; of made corpora, too."""
    product, parts = every_product()["fresh"], []
    for path in sorted(results.glob(f"*/*/*/seed*/{product.file}")):
        p = Params(**json.loads((path.parent / "run.json").read_text(encoding="utf-8"))["parameters"])
        named = {k: getattr(p, k) for k in ("corpus", "encoder", "attention", "profile", "variant")}
        given = p.given_to(product.settings)
        parts.append(pd.read_parquet(path).assign(**named, given=given, partial=partial(p.corpus)))
    if not parts:
        return
    merged = pd.concat([readers_of_rationales(), *parts], ignore_index=True)[
        [*OF_READERS, "seed", *columns_of("fresh"), "partial"]
    ]
    merged = merged.drop_duplicates([*OF_READERS, "seed"], keep="last")
    with paths.writing(READERS) as aside:
        merged.sort_values([*OF_READERS, "seed"], kind="stable").to_csv(
            aside, index=False, float_format="%.4g"
        )


MENDED = paths.DATA / "results" / "mended.csv"
LIARS = paths.DATA / "results" / "liars.csv"


def mended() -> pd.DataFrame:
    """The committed numbers of chapter 14's models, mended, lying, and as they are: a row a run."""
    columns = [*carried.RUN, "accuracy", "f1", *TESTS]
    if not MENDED.exists():
        return pd.DataFrame(columns=columns)
    rows = pd.read_csv(MENDED, dtype={"given": str}).fillna({"given": ""})
    return rows.reindex(columns=columns)  # rows that were committed before a test was added lack it


def liars() -> pd.DataFrame:
    """The committed numbers of what liars do with their words: a row an honest run and λ."""
    if not LIARS.exists():
        return pd.DataFrame(columns=[*carried.RUN, "λ", "accuracy", *columns_of("lies")])
    return pd.read_csv(LIARS, dtype={"given": str}).fillna({"given": ""})


def commit_mended(results: Path) -> None:
    """Merge what finished runs say of chapter 14 into data/results; of made corpora, too."""
    products, of_tests, of_lies = every_product(), [], []
    for path in sorted(results.glob(f"*/*/*/seed*/{products['tested'].file}")):
        named, scores = _run(path.parent, products["tested"])
        means = pd.read_parquet(path)[[*TESTS]].mean().to_dict()
        of_tests.append(named | {name: scores.get(name) for name in ("accuracy", "f1")} | means)
    for path in sorted(results.glob(f"*/*/*/seed*/{products['lies'].file}")):
        named, _ = _run(path.parent, products["lies"])
        rows = pd.read_parquet(path.parent / products["summary_lies"].file)
        accuracy = rows.set_index("measure")["mean"]
        for weight, own in pd.read_parquet(path).groupby("lie_weight"):
            row = {"λ": weight, "accuracy": accuracy[f"accuracy lie={weight:g}"]}
            of_lies.append(named | row | own[[*columns_of("lies")]].mean().to_dict())
    for file, known, new, key in (
        (MENDED, mended(), of_tests, carried.RUN),
        (LIARS, liars(), of_lies, [*carried.RUN, "λ"]),
    ):
        if new:
            merged = pd.concat([known, pd.DataFrame(new)], ignore_index=True)
            merged = merged.drop_duplicates(key, keep="last").sort_values(key, kind="stable")
            with paths.writing(file) as aside:
                merged.to_csv(aside, index=False, float_format="%.4g")


SPREADS = paths.DATA / "results" / "spreads.csv"
SPREAD = {"change own": "permuted_each", "together jsd": "other_jsd_mean"}  # of the audit's texts
LEVELS = {f"q{5 * k / 2:g}": k / 40 for k in range(41)}  # the quantiles that are kept, q0 to q100 by 2.5 %


def spreads() -> pd.DataFrame:
    """How what is asked of transformers' own attention spreads over texts, a row a run and measure.

    Columns carried.RUN, measure (of SPREAD), n, mean, and LEVELS, the quantiles.
    """
    if not SPREADS.exists():
        return pd.DataFrame(columns=[*carried.RUN, "measure", "n", "mean", *LEVELS])
    return pd.read_csv(SPREADS, dtype={"given": str}).fillna({"given": ""})


def commit_spreads(results: Path) -> None:
    """Merge the finished runs' spreads into data/results, of the corpora that are `carried`."""
    product, rows = every_product()["asked_texts"], []
    for path in sorted(results.glob(f"*/*/*/seed*/{product.file}")):
        named, _ = _run(path.parent, product)
        texts = pd.read_parquet(path)
        for column, measure in SPREAD.items():
            values = texts.get(column, pd.Series(dtype=float)).dropna()
            if len(values) and registry.carried(named["corpus"]):
                found = {name: values.quantile(level) for name, level in LEVELS.items()}
                rows.append(named | {"measure": measure, "n": len(values), "mean": values.mean()} | found)
    if rows:
        merged = pd.concat([spreads(), pd.DataFrame(rows)], ignore_index=True)
        key = [*carried.RUN, "measure"]
        merged = merged.drop_duplicates(key, keep="last").sort_values(key, kind="stable")
        with paths.writing(SPREADS) as aside:
            merged.to_csv(aside, index=False, float_format="%.4g")


def _run(folder: Path, product) -> tuple[dict, dict]:
    """What names the run of a folder in a product's rows, and its scores on the test split."""
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    p = product.kind(**info["parameters"])
    named = {name: getattr(p, name) for name in carried.RUN if name != "given"}
    return named | {"given": p.given_to(product.settings)}, info["scores"].get("test", {})


def commit(results: Path) -> int:
    """Merge finished runs of the corpora that are `carried` into data/results; return how many it holds."""
    new = to_carry(results)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # concatenation with an empty table
        merged = pd.concat([carried.committed(), new], ignore_index=True)
    merged = merged.drop_duplicates([*carried.RUN, "measure", "class"], keep="last")
    merged = merged.sort_values([*carried.RUN, "measure", "class"], kind="stable")
    merged = merged.reindex(columns=list(carried.empty()))  # earlier versions had fewer columns
    merged["partial"] = merged["partial"].astype("boolean").fillna(False).astype(bool)
    merged["vectors"] = _vectors_of(merged)
    merged[carried.NUMBERS] = merged[carried.NUMBERS].astype(float)
    table = merged.assign(measure=merged["measure"].replace(carried.QUANTITIES)).rename(
        columns=carried.HEADINGS
    )
    several = table["corpus"].map(lambda name: len(registry.corpora()[name].get("classes", ())) != 2)
    best = several & (table["quantity"] == carried.QUANTITIES["optimum"])
    table["quantity"] = table["quantity"].mask(best, carried.BEST)  # the head isn't linear
    with paths.writing(carried.SUMMARY) as aside:
        table[list(carried.ORDER)].to_csv(aside, index=False, float_format="%.4g")
    commit_lengths(results)
    commit_readers(results)
    commit_mended(results)
    commit_spreads(results)
    annex.count_corpora(new)
    annex.pair_encoders(results, carried.plain(new))
    return len(merged.drop_duplicates(carried.RUN))
