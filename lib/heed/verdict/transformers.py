"""The runs of transformers among all summaries: beside the BiLSTM's, and by their own attention."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from heed.params import Classifying, encoders_of
from heed.verdict.carried import marked, plain

# What is asked of attention over states, whatever made them: columns of several chapters' summaries.
OVER_STATES = ("accuracy", "tau_loo", "tau_gradient", "tau_gradient_loo", "optimum", "erased_attention")
LSTM = "BiLSTM"
BY_SEED = ["corpus", "model", "measure", "seed"]


def _pretrained(given: str) -> str:
    """The name of the transformer that a run began with; empty if with none."""
    return next((part.partition("=")[2] for part in given.split(", ") if part.startswith("pretrained=")), "")


def _model(given: str) -> str:
    """How such a run is called in a figure."""
    how = "fine-tuned" if "finetune=True" in given else "frozen"
    return f"{Path(_pretrained(given)).name}, {how}"


def over_states(summaries: pd.DataFrame, measures: Collection[str] = OVER_STATES) -> pd.DataFrame:
    """Attention over the states of a BiLSTM, and of transformers that exist.

    Columns corpus, model, measure, seed, mean, n. Of profile paper, additive attention, all texts; of corpora
    that both have read. Empty if there are none.
    """
    rows = summaries[(summaries["profile"] == "paper") & (summaries["attention"] == "additive")]
    rows = rows[(rows["class"] == "overall") & rows["measure"].isin(measures)]
    pooled = rows[(rows["encoder"] == "transformer") & (rows["given"].map(_pretrained) != "")]
    pooled = marked(pooled.assign(model=pooled["given"].map(_model)))
    lstm = marked(plain(rows[rows["encoder"] == "bilstm"])).assign(model=LSTM)
    both = sorted({*pooled["corpus"]} & {*lstm["corpus"]})
    table = pd.concat([lstm, pooled], ignore_index=True)
    return table.loc[table["corpus"].isin(both), [*BY_SEED, "mean", "n"]].reset_index(drop=True)


def own_attention(summaries: pd.DataFrame) -> pd.DataFrame:
    """What chapter 13 found of whole transformers that exist, fine-tuned; with intervals over texts.

    mean and std are over the texts where a measure is defined: of n all but the undefined.
    """
    rows = summaries[summaries["encoder"].isin(encoders_of(Classifying)) & (summaries["class"] == "overall")]
    rows = rows[rows["given"].map(_pretrained) != ""]
    rows = marked(rows.assign(model=rows["given"].map(lambda given: Path(_pretrained(given)).name)))
    columns = [*BY_SEED, "mean", "low", "high", "std", "n", "undefined"]
    return rows.reindex(columns=columns).reset_index(drop=True)


def own_spreads(spreads: pd.DataFrame) -> pd.DataFrame:
    """How the same spreads over their texts: rows of `merging.spreads`, with a column `model`."""
    rows = spreads.assign(model=spreads["given"].map(lambda given: Path(_pretrained(given)).name))
    return rows[rows["model"] != ""].reset_index(drop=True)


def erased_of_all(own: pd.DataFrame, order: str) -> pd.DataFrame:
    """After which share of the words one corpus and model's decisions flip, a row a seed, by its number.

    Carried is the mean over the texts whose decision flips at all. Here the others count as 1, as in the
    audit: flips (their share) and mean.
    """
    rows = own[own["measure"] == f"erased_share_{order}"].set_index("seed")
    rows = rows.reindex(columns=["mean", "n", "undefined"]).astype(float)
    flips, mean = 1 - rows["undefined"].fillna(0) / rows["n"], rows["mean"].fillna(1)
    return pd.DataFrame({"flips": flips, "mean": flips * mean + 1 - flips})
