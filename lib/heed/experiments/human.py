"""Chapter 11, rationales: what people marked, beside every ranking and beside what the model needs.

Source: DeYoung et al. (2020), "ERASER". People against models: what people marked is no truth of any model.
"""

import numpy as np
import pandas as pd

from heed.corpora.rationales import Marks
from heed.errors import HeedError
from heed.experiments import correlation
from heed.measures import marks as measured
from heed.measures import rankings
from heed.measures.registry import columns_of
from heed.params import ERASING, RESAMPLING
from heed.registry import corpora
from heed.runs.products import product
from heed.runs.summaries import of_all, summarised


@product("rationales.parquet")
def rationales(run) -> pd.DataFrame:
    """What people marked in each test text, in the words that the model reads.

    spans: of words, end exclusive; marked: whether each word is. What doesn't fit is counted: empty marks
    hold no word, cut ones end within a word, all of which counts, and those beyond what is read are left out.
    """
    split, rows = run.corpus.splits["test"], []
    if split.marks is None:
        known = [name for name, entry in corpora().items() if entry.get("marked")]
        raise HeedError(f"corpus {run.params.corpus}: people marked nothing in it. Take {', '.join(known)}.")
    for name, words, own in zip(split.ids, run.data("test").words, split.marks, strict=True):
        n = len(words)
        inside = own.spans[own.spans[:, 0] < n].clip(max=n)
        rows.append(
            {
                "id": name,
                "marked": own.tokens(n),
                "spans": inside.tolist(),
                "empty": own.empty,
                "cut": own.cut,
                "beyond": int((own.spans[:, 1] > n).sum()),
            }
        )
    return pd.DataFrame(rows)


def marks(run) -> dict[str, Marks]:
    """Those marks by the text's id."""
    table = run.table("rationales")
    cells = table[["spans", "empty", "cut"]].to_dict("records")
    return {name: Marks.of(cell) for name, cell in zip(table["id"], cells, strict=True)}


def ranked(run) -> dict[str, dict[str, np.ndarray]]:
    """Every ranking of chapter 02, and words drawn at random: by name, then by the text's id."""
    return correlation.ranked(run) | {measured.RANDOM: measured.random_scores(run.evidence, run.params.seed)}


@product("human.parquet", settings=rankings.settings())
def human(run) -> pd.DataFrame:
    """Each ranking against what people marked, a row a text and ranking."""
    return measured.human(run.evidence, marks(run), ranked(run))


@product("needed.parquet", settings=ERASING)
def needed(run) -> pd.DataFrame:
    """What people marked against the smallest set of words whose erasing flips the decision, a row a text."""
    p = run.params
    return measured.needed(run.evidence, marks(run), p.keep_last, p.seed)


def by_ranking(table: pd.DataFrame) -> pd.DataFrame:
    """`human`'s measures, a row a text: columns MEASURE_RANKING, and each ranking's AUPRC less random's."""
    wide = table.pivot(index="id", columns="ranking", values=list(columns_of("human")))
    wide.columns = [f"{measure}_{name}" for measure, name in wide.columns]
    for name in table["ranking"].unique():
        if name != measured.RANDOM:
            wide[f"auprc_above_random_{name}"] = wide[f"auprc_{name}"] - wide[f"auprc_{measured.RANDOM}"]
    first = table.drop_duplicates("id").set_index("id")["predicted"]
    return wide.assign(predicted=first).reindex(first.index).reset_index()


@product("summary-human.parquet", settings=(*rankings.settings(), *ERASING, *RESAMPLING))
def summary_human(run) -> pd.DataFrame:
    """Measures of each ranking and of what the model needs; IOU F1, which is one number of all texts."""
    table, misfits, rows = run.table("human"), run.table("rationales"), []
    for name, own in table.groupby("ranking", sort=False):
        if own["iou_precision"].notna().any():
            mean = measured.iou_f1(own["iou_precision"].to_numpy(), own["iou_recall"].to_numpy())
            undefined = int(own["iou_precision"].isna().sum())
            rows.append(
                of_all(len(own)) | {"measure": f"iou_f1_{name}", "mean": mean, "undefined": undefined}
            )
    for kind in ("empty", "cut", "beyond"):
        rows.append({"measure": f"marks_{kind}", "mean": float(misfits[kind].sum())})
    wide = by_ranking(table)
    shares = [name for name in wide if name.startswith("marked_share_")]
    wide = wide.rename(columns={shares[0]: "marked_share"}).drop(columns=shares[1:])
    measures = [name for name in wide if name not in ("id", "predicted")]
    tables = {"human": (wide, measures), "needed": (run.table("needed"), columns_of("needed"))}
    return summarised(run, "summary_human", tables, rows)
