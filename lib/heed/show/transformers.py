"""Chapter 13: its sentences, with their numbers and odd cases."""

from pathlib import Path

import numpy as np
import pandas as pd

from heed.experiments.audit import EXAMPLE, IMPORTANCE, READINGS, Audit
from heed.experiments.transformers import ALL, ALONE
from heed.measures.freedom import Freedom, freedom
from heed.measures.layer import Layer
from heed.models.pretrained import Pretrained
from heed.show.audit import MOVED, share
from heed.show.sentences import counted, listed


def fixed_and_free(layer: Layer) -> list[str]:
    """Of the two heads by hand: what each alone could have been, and what both together."""
    alone = [freedom(row).dimension for row in layer.rows]
    both = freedom(layer.rows)
    words = len(layer.real)
    if not any(alone):
        said = (
            f"Each head alone has no choice: of its {words} weights, which sum to 1, no others give the same."
        )
    else:
        said = f"Alone, the heads could move in {listed([str(n) for n in alone])} directions."
    if both.dimension == 0:
        return [said, "Nor have both together."]
    return [
        said,
        f"Together they can move in {counted(both.dimension, 'direction')}: what one head takes less of, the "
        f"other makes up for. With the weights below z is the same to {_digits(both.moved)}, and so is every "
        "prediction, whatever comes after.",
    ]


def _digits(moved: float) -> str:
    return "the last digit" if moved < 1e-12 else f"{moved:.0e}"


def other_weights(layer: Layer) -> pd.DataFrame:
    """The model's own weights beside the furthest that were found to give the same."""
    found: Freedom = freedom(layer.rows)
    rows = []
    for h, row in enumerate(layer.rows):
        for t, word in enumerate(row.units):
            rows.append([f"head {h}", word, row.attention[t], found.attention[h, t]])
    return pd.DataFrame(rows, columns=["head", "word", "its weight", "another, the same z"])


def frees(name: str, table: pd.DataFrame) -> str:
    """From which length on a model's attention is free, and how far it goes."""
    size, every = int(table["head_size"].iloc[0]), table[table["kind"] == ALL]
    fixed, free = every[every["dimension"] == 0], every[every["dimension"] > 0]
    said = f"**{name}** has heads of {size} numbers. "
    if free.empty:
        most = fixed["units"].max()
        return f"{said}On these texts, of {most} units at most, no other attention gives the same."
    last = table[table["units"] == free["units"].max()].groupby("kind")["jsd"].mean()
    if len(fixed):
        said += f"Up to {fixed['units'].max()} units its attention is the only one that gives what it gives. "
    return (
        f"{said}From {free['units'].min()} units on it is not. At {free['units'].max()} all heads together "
        f"can be a JSD of {last[ALL]:.2f} away in the mean, one head alone {last[ALONE]:.2f}; the prediction "
        f"moves by {free['moved'].max():.0e} at most."
    )


def in_short(found: Audit, tables: dict[str, pd.DataFrame]) -> list[str]:
    """The chapter's answer."""
    said, texts, parts = [], found.texts, []
    for name, table in tables.items():
        free = table[(table["kind"] == ALL) & (table["dimension"] > 0)]
        if len(free):
            longest = free["units"].max()
            far = free.loc[free["units"] == longest, "jsd"].mean()
            parts.append(
                f"of {name} from {free['units'].min()} pieces on, at {longest} by a JSD of {far:.2f}"
            )
    if parts:
        said.append(
            "The attention that a transformer decides by can be another with **exactly** the same "
            f"prediction: {listed(parts)}. In shorter texts it is the only one."
        )
    loo, gradient = texts["tau attention loo"].mean(), texts["tau attention gradient"].mean()
    if not np.isnan(loo):
        said.append(
            f"Its order of the words agrees with leave-one-out at τ = {loo:z.2f} and with the gradient at "
            f"{gradient:z.2f}, in the mean over the texts of this chapter's own small model."
        )
    moved = share(texts["change own"] > MOVED)
    said.append(
        f"The typical shuffle over the words moves {moved} by more than {MOVED:g}, and attention that is "
        f"equal everywhere flips the decision in {share(texts['flips uniform'])}."
    )
    return said


def heads_differ(taus: pd.DataFrame) -> str:
    """Which head agrees most and least with leave-one-out."""
    own = taus.dropna(subset=["loo"]) if "loo" in taus else taus[:0]
    if own.empty:
        return "No text has two words to be put in an order."
    best, worst = own.loc[own["loo"].idxmax()], own.loc[own["loo"].idxmin()]
    if len(own) == 1:
        return f"Its one head agrees with leave-one-out at τ = {best['loo']:z.2f}."
    return (
        f"With {IMPORTANCE['loo']} head {best['head']:.0f} agrees most, τ = {best['loo']:z.2f}, and head "
        f"{worst['head']:.0f} least, {worst['loo']:z.2f}: which head is shown decides what it shows."
    )


def readings(found: Audit) -> str:
    """The readings of attention beside each other: τ with leave-one-out and the gradient."""
    parts = []
    for name in found.notes["readings"]:
        loo, gradient = (found.texts[f"tau {name} {other}"].mean() for other in ("loo", "gradient"))
        if not np.isnan(loo):
            parts.append(f"{READINGS[name]} {loo:z.2f} and {gradient:z.2f}")
    if not parts:
        return "No text has two words to be put in an order."
    return f"Mean τ with leave-one-out and with the gradient: {'; '.join(parts)}."


def models(own: pd.DataFrame, source: Pretrained, carried: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Rows of `free_by_length` by the model's name: this chapter's model, then the committed ones."""
    own = own.assign(head_size=source.size // source.heads)
    name = "the small model" if Path(source.name) == EXAMPLE else Path(source.name).name
    return {name: own} | {str(name): rows for name, rows in carried.groupby("model")}


def freedom_title(tables: dict[str, pd.DataFrame]) -> str:
    """What the figure of freedom shows."""
    sizes = listed([str(table["head_size"].iloc[0] + 1) for table in tables.values()])
    return f"Up to {sizes} pieces attention is the only one; then it is free, and freer with length"


def heads_title(taus: pd.DataFrame) -> str:
    """What the figure of heads shows."""
    own = taus["loo"].dropna() if "loo" in taus else []
    if len(own) < 2:
        return "τ with those who ask the model"
    return f"Heads of one layer: τ with leave-one-out from {own.min():z.2f} to {own.max():z.2f}"
