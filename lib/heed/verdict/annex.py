"""What stands in the verdict's annex: sizes of the corpora, encoders held against one another, guessers."""

from pathlib import Path

import numpy as np
import pandas as pd

from heed import paths
from heed.corpora import planted
from heed.corpora.loading import load, partial
from heed.corpora.loading import read as read_all
from heed.measures import erasure
from heed.measures.scores import f1_called
from heed.models.encoders import encoder_called
from heed.params import is_sequences, resolve
from heed.registry import corpora
from heed.runs.products import every_file
from heed.verdict.carried import kept_table, plain
from heed.verdict.papers import table1

COUNTS = paths.DATA / "results" / "corpora.csv"
TELLING = ("accuracy", "auc")  # which models only guess
PAIRED = paths.DATA / "results" / "without_context.csv"


def count_corpora(new: pd.DataFrame) -> None:
    """Merge the sizes of the corpora of these runs, as each profile reads them, into data/results."""
    rows = []
    new = new[~new["corpus"].map(is_sequences).astype(bool)]  # those have no texts to be counted
    for corpus, profile in sorted(set(zip(new["corpus"], new["profile"], strict=True))):
        read = load(resolve({"corpus": corpus, "profile": profile}))
        row = {"corpus": corpus, "profile": profile, "vocabulary": len(read.vocabulary)}
        row["mean_length"] = round(np.mean([len(words) for words in read.splits["train"].words]), 2)
        for split, part in read.splits.items():
            counts = (
                [len(part)] if read.task == "qa" else np.bincount(part.labels, minlength=len(read.classes))
            )
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


def pair_encoders(results: Path, rows: pd.DataFrame) -> None:
    """Merge the test of what attention says without context, of each two of these runs, into data/results."""
    by = ["corpus", "profile", "attention", "seed"]
    parts = [without_context()]
    for row, own in rows[rows["measure"] == "excess_attention"].groupby(by):
        tables = {
            encoder: table
            for encoder, variant in own[["encoder", "variant"]].drop_duplicates().to_numpy()
            for table in kept_table(
                results, row[0], f"{encoder}-{row[2]}", variant, row[3], every_file()["erasure"]
            )
        }
        of_tokens = [e for e in sorted(tables) if encoder_called(e).unit == "token"]
        contextual = [e for e in of_tokens if encoder_called(e).contextual]
        for context in contextual:
            for alone in [e for e in of_tokens if e not in contextual]:
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


def f1_of(corpus: str) -> str:
    """What F1 of a corpus is of, such as `F1 of “positive”`; `F1` where the corpus isn't known any more."""
    name = corpus.removesuffix(" (part)")
    entry = corpora().get(name, {})
    if "made" in entry:
        return f1_called(planted.class_names(entry["made"], resolve({"corpus": name})))
    return f1_called(entry["classes"]) if "classes" in entry else "F1"


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
                ours += np.nan_to_num(row[name.replace("train", "dev")])  # without dev: none
            reported = numbers[name]
            differs = round(ours) != reported
            reason = entry.get("differs", "cause not found") if differs else ""
            found.append({"corpus": row["corpus"], "profile": row["profile"], "number": name,
                          "reported": reported, "ours": ours, "reason": reason})  # fmt: skip
    return pd.DataFrame(found, columns=["corpus", "profile", "number", "reported", "ours", "reason"])


def guessing(summaries: pd.DataFrame) -> pd.DataFrame:
    """Models that predict no better than the most frequent answer, by two standard errors: a row a model.

    One whose ROC AUC is above .5 by that much is none: it tells texts apart, wherever it draws its border.
    Columns: corpus, profile, attention, encoder, accuracy (mean over seeds), most (that answer's share), auc.
    """
    by = ["corpus", "profile", "attention", "encoder"]
    rows = plain(summaries[summaries["measure"].isin(TELLING) & (summaries["class"] == "overall")])
    found = rows.pivot_table("mean", by, "measure").reindex(columns=[*TELLING])
    found = found.join(rows.groupby(by)["n"].first()).reset_index()
    most = sizes().reindex(columns=["corpus", "profile", "test_most"]).astype({"test_most": float})
    found = found.merge(most.rename(columns={"test_most": "most"}), how="left", on=["corpus", "profile"])
    spread, n = np.sqrt(found["most"] * (1 - found["most"])), found.pop("n").astype(float)
    told = found["auc"] > 0.5 + 2 / (spread * np.sqrt(12 * n))  # Mann and Whitney's, of a model that guesses
    blind = found["accuracy"] <= found["most"] + 2 * spread / np.sqrt(n)
    return found[blind & ~told].reset_index(drop=True)
