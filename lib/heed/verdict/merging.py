"""What `make summary` merges into data/results: numbers of finished runs, no corpus text."""

import re
import warnings
from pathlib import Path

import pandas as pd

from heed import paths, registry
from heed.experiments.word_lengths import SCALED
from heed.params import kind_of, resolve
from heed.runs.products import every_file
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
    annex.count_corpora(new)
    annex.pair_encoders(results, carried.plain(new))
    return len(merged.drop_duplicates(carried.RUN))
