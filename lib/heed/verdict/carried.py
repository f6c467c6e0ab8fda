"""The summaries of finished runs in one table, and those that the project carries (data/results)."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from heed import paths
from heed.corpora.loading import partial
from heed.errors import HeedError, why
from heed.params import Params, resolve, vectors_asked
from heed.registry import carried, corpora
from heed.runs import index
from heed.runs.grid import chapters_of
from heed.runs.products import Product, summary_of
from heed.runs.summaries import NUMBERS

MODEL = ["corpus", "profile", "encoder", "attention"]
RUN = ["corpus", "encoder", "attention", "profile", "variant", "given", "seed"]
# What rows of earlier versions lack, and what stands there for them.
LATER = {"partial": False, "vectors": "", "reader": 1, "training": "", "machine": ""}
COLUMNS = [*RUN, "measure", "class", "n", "undefined", *NUMBERS, "library", *LATER]
SUMMARY = paths.DATA / "results" / "summary.csv"
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
    "corpus encoder attention profile variant vectors seed class quantity mean std lo hi sig_frac n "
    "undefined partial given reader training library machine"
).split()


def finished(results: Path) -> pd.DataFrame:
    """The summaries of all finished runs in a results folder; none gives an empty table.

    Raises HeedError if one is damaged.
    """
    found = index.gather(results, of_today)
    for path, reason in found.damaged.items():
        raise HeedError(f"{results / path} is damaged ({reason}). Delete it; run the batch again.")
    return found.rows if found.files else empty()


def of_today(table: pd.DataFrame) -> pd.DataFrame:
    """A summary with the columns of today. Raises ValueError if it is none."""
    if not set(COLUMNS) - LATER.keys() <= set(table.columns) <= set(COLUMNS):
        raise ValueError("its columns are not a summary's")
    return filled(table)


def committed() -> pd.DataFrame:
    """The summaries of real runs that the project carries (no corpus text)."""
    if not SUMMARY.exists():
        return empty()
    state = SUMMARY.stat()
    # pandas copies on writing: nobody changes what the next one is given.
    return _read(SUMMARY, state.st_mtime_ns, state.st_size).copy(deep=False)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int, size: int) -> pd.DataFrame:
    """The file's rows; read once in each state of it, as a chapter asks a dozen times."""
    texts = dict.fromkeys(("class", "library", "given", "vectors", "training", "machine"), str)
    try:
        table = pd.read_csv(path, dtype=texts).fillna(dict.fromkeys(texts, "") | {"reader": 1})
        table = filled(table)
        table = table.rename(columns={v: k for k, v in HEADINGS.items()})[COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise HeedError(f"{path} is damaged ({why(error)}). Restore it: git checkout {path}.") from error
    back = {v: k for k, v in QUANTITIES.items()} | {BEST: "optimum"}
    return table.assign(measure=table["measure"].replace(back), partial=table["partial"].eq(True))


def filled(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with the columns of today."""
    return table.assign(**{name: table[name] if name in table else usual for name, usual in LATER.items()})


def known(runs: list[Params], chapters: list[str]) -> dict[str, bool]:
    """The runs of which the project carries the rows of all these chapters: path to whether they are stale.

    A chapter's rows are there if the measure is that proves it, whatever else is measured there by now.

    A chapter that has no rows in a summary is never known. Those of chapter 05, which stand in no verdict,
    needn't be there unless it is the only one.
    """
    rows, chapters = committed(), [name for name in chapters if name != "05"] or chapters
    # Of what a run would read, or more.
    in_part = {name: partial(name) for name in rows["corpus"].unique()}
    rows = rows[~rows["partial"] | rows["corpus"].map(in_part).astype(bool)]
    rows = rows[~of_earlier_texts(rows)]
    of_run = rows[rows["class"] == "overall"].groupby(RUN)
    held = {run: ({*own["measure"]}, stale(own).any()) for run, own in of_run}
    found, summaries, given = {}, {}, {}
    for run in runs:
        kind = type(run)
        if kind not in summaries:
            summaries[kind] = [summary_of(chapter, kind) for chapter in chapters_of(run, chapters)]
        parts = [held.get(_called(run, own, given), (set(), False)) if own else (set(), False)
                 for own in summaries[kind]]  # fmt: skip
        if parts and all(
            own and own.proof in measures for own, (measures, _) in zip(summaries[kind], parts, strict=True)
        ):
            found[run.path] = any(old for _, old in parts)
    return found


def _called(run: Params, summary: Product, known_given: dict) -> tuple:
    """What the rows of a run are called by in a chapter's summary.

    known_given: `given` of runs that were asked for before, which is the same for all seeds.
    """
    key = summary.settings, run.model_dump_json(exclude={"seed"})
    if key not in known_given:
        known_given[key] = run.given_to(summary.settings)
    return tuple(known_given[key] if part == "given" else getattr(run, part) for part in RUN)


def of_earlier_texts(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of texts as an earlier version of a corpus's reader gave them."""
    now = {name: entry.get("reader_version", 1) for name, entry in corpora().items()}
    return rows["reader"] < rows["corpus"].str.removesuffix(" (part)").map(now).astype(float).fillna(1)


def empty() -> pd.DataFrame:
    """A table of summaries without rows."""
    return pd.DataFrame(columns=COLUMNS)


def kept_table(
    results: Path, corpus: str, model: str, variant: str, seed: int, file: str
) -> list[pd.DataFrame]:
    """The table of a run; none if it isn't there, or no longer: large ones may be deleted."""
    path = results / corpus / model / variant / f"seed{seed}" / file
    return [pd.read_parquet(path)] if path.exists() else []


def marked(summaries: pd.DataFrame) -> pd.DataFrame:
    """Runs on a part of a corpus under another name, so that nothing takes them together with whole ones."""
    part = summaries["corpus"].astype(str) + " (part)"
    return summaries.assign(corpus=summaries["corpus"].mask(summaries["partial"].astype(bool), part))


def plain(summaries: pd.DataFrame) -> pd.DataFrame:
    """The runs of a profile as it is: none of its parameters given otherwise.

    Where a profile asks for the paper's own word vectors and there are runs of a corpus with them, those
    alone: vectors are never mixed. Of a profile or corpus whose YAML was edited between runs only those that
    it describes now; none if it is gone or has a fault.
    """
    names = ["corpus", "encoder", "attention", "profile", "seed"]
    begins = begins_of(summaries, [*names, "variant", "given"])
    heads = summaries.iloc[begins][[*names, "variant", "given"]].reset_index(drop=True)
    wanted = pd.Series("", heads.index)
    for (corpus, profile), at in heads.groupby(["corpus", "profile"]).indices.items():
        asked = f"vectors={_asked(corpus, profile)}"
        if heads["given"].iloc[at].eq(asked).any():
            wanted.iloc[at] = asked
    kept = heads["given"].eq(wanted)
    kinds = heads.loc[kept, [*names, "variant"]].drop_duplicates()
    several = kinds[kinds.duplicated(names, keep=False)]
    old = np.array(
        [_variant_now(dict(zip(names, of, strict=True))) != v for *of, v in several.to_numpy()], bool
    )
    kept &= ~are_of(heads, several[old])
    return chosen(summaries, np.repeat(kept.to_numpy(), np.diff([*begins, len(summaries)])))


def begins_of(rows: pd.DataFrame, names: list[str]) -> np.ndarray:
    """Where these columns change from one row to the next; the rows of a run stand together.

    So what holds of runs is asked of few rows, however many there are.
    """
    changes = np.zeros(len(rows), bool)
    changes[:1] = True
    for name in names:
        own = rows[name]
        changes[1:] |= own.iloc[1:].reset_index(drop=True).ne(own.iloc[:-1].reset_index(drop=True)).to_numpy()
    return np.flatnonzero(changes)


def are_of(rows: pd.DataFrame, models: pd.DataFrame) -> np.ndarray:
    """Which rows are of one of these models, or runs; compared is what the columns of `models` name."""
    begins = begins_of(rows, [*models])
    heads = pd.MultiIndex.from_frame(rows.iloc[begins][[*models]])
    return np.repeat(heads.isin(pd.MultiIndex.from_frame(models)), np.diff([*begins, len(rows)]))


def chosen(rows: pd.DataFrame, which: np.ndarray) -> pd.DataFrame:
    """Some rows of a table; nothing is copied where it is all of them."""
    return rows.copy(deep=False) if which.all() else rows[which]


def general(summaries: pd.DataFrame) -> pd.DataFrame:
    """The runs of a profile as it is, but with general pretrained vectors where there are runs with them.

    Of each model one kind: the vectors for which the profile asks, else spaCy's, else what the profile has
    without them. So a published number stands beside what comes nearest to how it was made.
    """
    given, kept = summaries["given"].to_numpy(dtype=object, copy=True), []
    for named, at in sorted(summaries.groupby(MODEL).indices.items()):
        kind = _general_kind(named, {*given[at]})
        kept.append(at[given[at] == kind] if kind else at)
        if kind:
            given[kept[-1]] = ""
    if not kept:
        return summaries
    called = pd.Series(given, summaries.index, dtype=summaries["given"].dtype)
    return plain(summaries.assign(given=called).iloc[np.concatenate(kept)])


def of_both_kinds(summaries: pd.DataFrame) -> pd.DataFrame:
    """The rows of models that have runs with general vectors and runs without."""
    given, kept = summaries["given"].to_numpy(dtype=object), []
    for named, at in sorted(summaries.groupby(MODEL).indices.items()):
        if _general_kind(named, {*given[at]}) and "" in given[at]:
            kept.append(at)
    return summaries.iloc[np.concatenate(kept)] if kept else summaries.iloc[:0]


def _general_kind(named: tuple, given: set[str]) -> str | None:
    """What a model's runs with general vectors are given, among what any are; None: there are none."""
    corpus, profile, *_ = named
    kinds = [f"vectors={name}" for name in (_asked(corpus, profile), "en_core_web_md")]
    return next((kind for kind in kinds if kind in given), None)


def _asked(corpus: str, profile: str) -> str | None:
    """The vectors for which a profile asks; None if for none, or the files in params/ can't be used."""
    try:
        return vectors_asked(corpus.removesuffix(" (part)"), profile)
    except HeedError:
        return None


def _variant_now(named: dict) -> str | None:
    """What the files in params/ make of a run's names; None if they can't be used."""
    try:
        return resolve(named, asked=False).variant
    except HeedError:
        return None


def stale(summaries: pd.DataFrame) -> np.ndarray:
    """Which rows were made by another version of the library than the one that reads them."""
    return (summaries["library"] != paths.library_hash()).to_numpy()


def left_out(runs: list[Params], chapters: list[str]) -> tuple[list[str], str]:
    """Paths of the runs whose rows the project carries for all these chapters, and a word on them."""
    if not any(carried(run.corpus) for run in runs):
        return [], ""
    found = known(runs, chapters)
    if not found:
        return [], ""
    names = "".join(f"  {path}\n" for path in found)
    old = f" ({sum(found.values())} by another version of the library)" if any(found.values()) else ""
    return list(found), (
        f"heed: {len(found)} of {len(runs)} runs are left out, as data/results/summary.csv holds their "
        f"numbers{old}; FORCE=1 runs them all the same.\n{names}"
    )
