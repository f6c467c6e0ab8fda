"""A run's numbers as rows, one a measure and class: what a verdict reads, and what the project carries."""

from pathlib import Path

import numpy as np
import pandas as pd

from heed.corpora.loading import partial
from heed.evidence import Evidence
from heed.measures import stats
from heed.registry import reader_version
from heed.runs.products import of_kind

NUMBERS = ["mean", "std", "significant", "low", "high"]


def summarised(
    run,
    product: str,
    tables: dict[str, tuple[pd.DataFrame, tuple[str, ...]]],
    whole: list[dict] | tuple = (),
) -> pd.DataFrame:
    """The run's numbers, one row a measure and, but in QA, predicted class.

    product: the summary's; its rows are called by what it depends on. tables: name to its frame and the
    columns to summarise; whole: rows about the whole test split.
    """
    p = run.params
    by_class = run.corpus.task != "qa"  # a question has too many answers
    top = of_all(len(run.evidence))
    parts = [pd.DataFrame([top | row for row in whole])]
    for frame, columns in tables.values():
        parts.append(stats.summarise(frame, columns, p.resamples, p.seed, p.significance, by_class))
    table = rows_of(run, pd.concat(parts, ignore_index=True), next(iter(tables), "evidence"))
    table["given"] = p.given_to(of_kind(type(p))[product].settings)
    return table


def of_several(table: pd.DataFrame, evidence: Evidence | None = None) -> pd.DataFrame:
    """The rows of texts of two units or more: of one unit much is true by construction.

    Its weight is 1, it can't be permuted, no other attention differs from it, and all rankings agree.
    evidence: where the table doesn't say how long its texts are.
    """
    if evidence is None:
        return table[table["length"] > 1]
    return table[
        table["id"].isin([name for name, n in zip(evidence.ids, evidence.lengths, strict=True) if n > 1])
    ]


def of_all(count: int) -> dict:
    """A summary's row about all of `count` instances, its numbers still to be given."""
    empty = dict.fromkeys(NUMBERS, np.nan)
    return {"class": "overall", "n": count, "undefined": 0} | empty


def rows_of(run, table: pd.DataFrame, product: str) -> pd.DataFrame:
    """A summary's rows with what names the run, and with what they were made.

    That is: vectors (or the pretrained model), reader's version, training (how the weights' checksum
    begins), and the library and machine that made `product`.
    """
    named = ("corpus", "encoder", "attention", "profile", "variant", "given", "seed")
    table = pd.DataFrame({k: getattr(run.params, k) for k in named}, index=table.index).join(table)
    records = run.info()["products"]
    made, weights = records[product], records.get(run.checkpoint[0])
    return table.assign(
        partial=partial(run.params.corpus),
        vectors=Path(getattr(run.params, "pretrained", "") or getattr(run.params, "vectors", "")).name,
        reader=reader_version(run.params.corpus),
        training=weights["sha256"][:12] if weights else "",
        library=made["library"],
        machine=made.get("machine", ""),
    )
