"""Chapter 14: what lies and repairs come to, as tables and sentences."""

import numpy as np
import pandas as pd

from heed.experiments.repairs import SPARSE, TESTS
from heed.show.notebook import inert
from heed.show.sentences import listed
from heed.show.style import LABELS

# By hand: a word of great value that little is looked at says what one of small value says that has half.
HAND = {"words": ["superb", "the", "plot"], "attention": [0.5, 0.3, 0.2], "worth": [4.0, 0.0, 0.0]}
SCORES = [-2.0, 0.0, 0.5]
# The tests in the table, which way is good, and from where on a model passes.
PASSES = {
    "tau_loo": ("more", 0.5),
    "tau_gradient": ("more", 0.5),
    "median_change": ("more", 0.05),
    "optimum": ("less", 0.5),
    "excess_attention": ("less", 0.05),
    "auroc_attention": ("more", 0.75),
}
SHOWN = {
    "accuracy": "accuracy",
    "conicity": "conicity",
    "tau_loo": "τ, LOO",
    "tau_gradient": "τ, gradient",
    "median_change": "permuted",
    "optimum": "ε-max JSD",
    "excess_attention": "erased, excess",
    "auroc_attention": "truth (AUROC)",
}
REPAIRS = {
    "conicity_weight": "diversity",
    "tying": "tied states",
    "masked_words": "masked words",
    "erasure_weight": "erasure (ours)",
}


def thin_lie(share: float = 0.01) -> pd.DataFrame:
    """The example, and the same logit with that share on its first word: the value makes up for it."""
    rows = []
    for kind, weight in (("honest", HAND["attention"][0]), ("a lie", share)):
        worth = HAND["attention"][0] * HAND["worth"][0] / weight
        logit = weight * worth
        rows.append([kind, weight, worth, logit, 1 / (1 + np.exp(-logit)), -np.log(1 - weight)])
    columns = ["model", "attention on superb", "its value", "logit", "P(positive)", "R at λ = 1"]
    return pd.DataFrame(rows, columns=columns)


def sparse_by_hand() -> pd.DataFrame:
    """Three scores under softmax, entmax with α = 1.5, and sparsemax."""
    import torch
    from entmax import entmax15, sparsemax

    scores = torch.tensor([SCORES], dtype=torch.float64)
    found = {
        "softmax": scores.softmax(1),
        "entmax, α = 1.5": entmax15(scores),
        "sparsemax": sparsemax(scores),
    }
    table = pd.DataFrame({name: own[0].numpy() for name, own in found.items()}).T
    table.columns = [f"score {score:g}" for score in SCORES]
    return table.reset_index(names="attention")


def called(row: pd.Series) -> str:
    """What a model is: as it is, mended by what, or a liar."""
    given = dict(part.partition("=")[::2] for part in str(row["given"]).split(", ") if part)
    parts = [label for name, label in REPAIRS.items() if given.get(name)]
    if row["encoder"] == "orthogonal":
        parts.append("orthogonal")
    if row["attention"] in SPARSE:
        parts.append(row["attention"])
    if given.get("lie_weight"):
        parts.append(f"lies, λ = {float(given['lie_weight']):g}")
    return ", ".join(parts) or "as it is"


def family(row: pd.Series) -> str:
    """The encoder that was mended: an orthogonal LSTM is a BiLSTM that was."""
    return LABELS["bilstm"] if row["encoder"] == "orthogonal" else LABELS[row["encoder"]]


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Committed rows with `model` and `family`; means over seeds, those as they are first, liars last."""
    if table.empty:
        return table.assign(model=[], family=[])
    rows = table.assign(model=table.apply(called, axis=1), family=table.apply(family, axis=1))
    means = rows.groupby(["corpus", "family", "model"], sort=False)[["accuracy", "f1", *TESTS]].mean()
    seeds = rows.groupby(["corpus", "family", "model"])["seed"].nunique().rename("seeds")
    means = means.join(seeds).reset_index()
    last = means["model"].str.startswith("lies").astype(int) * 2 + (means["model"] != "as it is")
    return (
        means.assign(last=last).sort_values(["corpus", "family", "last"], kind="stable").drop(columns="last")
    )


def passed(row: pd.Series) -> list[str]:
    """The tests that a model passes."""
    found = []
    for name, (way, least) in PASSES.items():
        if not np.isnan(row[name]) and (row[name] >= least if way == "more" else row[name] <= least):
            found.append(SHOWN[name])
    return found


def _listed(names, instead: str) -> str:
    return listed([*names]) if len(names) else instead


def repairs_say(rows: pd.DataFrame) -> list[str]:
    """Which repair passes most tests, what it costs, and what none passes; of one corpus and family."""
    own = rows[~rows["model"].str.startswith("lies")]
    if len(own) < 2:
        return ["No repair is there to be compared."]
    before = own[own["model"] == "as it is"].iloc[0]
    tests = {row["model"]: passed(row) for _, row in own.iterrows()}
    first = tests["as it is"]
    said = [
        f"As it is, the {before['family']} passes {len(first)} of {len(PASSES)} tests"
        f"{f' ({listed(first)})' if first else ''}, at an accuracy of {before['accuracy']:.2f}."
    ]
    most = max(len(tests[name]) for name in tests if name != "as it is")
    best = own[[name != "as it is" and len(tests[name]) == most for name in own["model"]]]
    each = [
        f"{r.model} ({_listed(tests[r.model], 'none')}; accuracy {r.accuracy:.2f})" for r in best.itertuples()
    ]
    said.append(f"Of the repairs most tests, {most}, are passed by {listed(each)}.")
    raises = own[(own["model"] != "as it is") & (own["tau_loo"] > before["tau_loo"] + 0.05)]
    if len(raises):
        finds = raises[raises["auroc_attention"] > before["auroc_attention"] + 0.02]["model"]
        said.append(
            f"{listed([*raises['model']]).capitalize()} raised τ with leave-one-out by 0.05 or more. "
            f"Attention finds the deciding words better, too, in {_listed(finds, 'none of them')}."
        )
    if own["optimum"].notna().any():
        least = own.loc[own["optimum"].idxmin()]
        still = "still has" if least["optimum"] > 0.3 else "has less"
        said.append(
            f"The exact ε-max JSD is {least['optimum']:.2f} at the least ({least['model']}): the mean text "
            f"{still} other attention, far away, with the same prediction."
        )
    return said


def lies_say(table: pd.DataFrame) -> list[str]:
    """What liars do: rows of `lies.beside`, λ = 0 the honest model."""
    honest = table[table["λ"] == 0].iloc[0]
    said = []
    for _, row in table[table["λ"] > 0].iterrows():
        said.append(
            f"At λ = {row['λ']:g} attention on the impermissible words goes from {honest['lie_mass']:.2f} to "
            f"{row['lie_mass']:.2g}, accuracy from {honest['accuracy']:.2f} to {row['accuracy']:.2f}. "
            f"{_used(row, honest)}."
        )
    return said


def _used(row: pd.Series, honest: pd.Series) -> str:
    """Whether a liar still uses the words, and by which way."""
    moves = (
        f"without them the prediction moves by {row['lie_removed']:.2f} ({honest['lie_removed']:.2f} before)"
    )
    if row["lie_removed"] < 0.5 * honest["lie_removed"]:
        return f"They are used less: {moves}"
    if row["lie_held"] < 0.2 * row["lie_removed"]:
        return (
            f"They are still used: {moves}; erasing their weights alone, with all states held, moves it by "
            f"{row['lie_held']:.2g}. So what they say travels through the states of their neighbours, "
            "which have read them"
        )
    return (
        f"They are still used: {moves}; erasing their weights alone moves it by {row['lie_held']:.2f}, so "
        f"their own small weights carry it, by values of up to {row['lie_value']:.1f}"
    )


def corner(rows: pd.DataFrame) -> str:
    """Whether any model is in the good corner: agrees, is hardly free, finds the truth."""
    known = rows.dropna(subset=["tau_loo", "optimum", "auroc_attention"])
    if known.empty:
        return "No model is there to be shown."
    two = known[(known["tau_loo"] >= 0.5) & (known["auroc_attention"] >= 0.75)]
    good = two[two["optimum"] <= 0.5]
    if len(good):
        return f"In the good corner: {listed(_names(good))}."
    said = (
        "The good corner is empty: no model agrees with leave-one-out at τ = 0.5, leaves less than a JSD of "
        "0.5 free, and finds the deciding words."
    )
    if len(two):
        said += f" Agreeing and finding them: {listed(_names(two))}; each is as free as the others."
    return said


def _names(rows: pd.DataFrame) -> list[str]:
    return [inert(f"{row.family}, {row.model}") for row in rows.itertuples()]


def table(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What each test says of each model, and where it passes, for the figure; of one corpus and family."""
    own = rows.set_index("model")[[*SHOWN]]
    good = pd.DataFrame(False, index=own.index, columns=own.columns)
    for name, (way, least) in PASSES.items():
        good[name] = own[name] >= least if way == "more" else own[name] <= least
    return own.rename(columns=SHOWN), good.rename(columns=SHOWN)


def title(rows: pd.DataFrame) -> str:
    """What the table of tests shows."""
    counts = [len(passed(row)) for _, row in rows.iterrows()]
    if max(counts) == len(PASSES):
        return "a model passes every test"
    return f"no model passes more than {max(counts)} of {len(PASSES)} tests"


def all_free(rows: pd.DataFrame) -> bool:
    """Whether each model's attention can be more than a JSD of 0.5 elsewhere, in the mean."""
    return bool((rows["optimum"].dropna() > 0.5).all())
