"""Chapter 14: what lies and repairs come to, as tables and sentences."""

import numpy as np
import pandas as pd

from heed.experiments.repairs import SPARSE, TESTS
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
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
    """The tests that a model passes, its numbers taken as they are shown."""
    found = []
    for name, (way, least) in PASSES.items():
        value = round(float(row[name]), 2)
        if not np.isnan(value) and (value >= least if way == "more" else value <= least):
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
    more = "" if most > len(first) else ", no more than without a repair"
    said.append(f"Of the repairs most tests, {most}{more}, are passed by {listed(each)}.")
    fails = [name for name in tests if name != "as it is" and not tests[name]]
    if fails:
        said.append(f"{listed(fails)[0].upper()}{listed(fails)[1:]} passes none.")
    raises = own[(own["model"] != "as it is") & (own["tau_loo"] > before["tau_loo"] + 0.05)]
    if len(raises):
        finds = raises["auroc_attention"] > before["auroc_attention"] + 0.02
        how_many = f"{'all' if finds.all() else int(finds.sum()) or 'none'} of them"
        said.append(
            f"{counted(len(raises), 'repair')} raised τ with leave-one-out by 0.05 or more; in "
            f"{how_many} attention "
            "finds the deciding words better, too."
        )
    gain = own.loc[own["auroc_attention"].idxmax()]
    if gain["auroc_attention"] > before["auroc_attention"] + 0.02:
        said.append(
            f"What finds them best is {gain['model']}: AUROC {gain['auroc_attention']:.2f}, "
            f"{before['auroc_attention']:.2f} before, at an accuracy of {gain['accuracy']:.2f}."
        )
    if own["optimum"].notna().any():
        least = own.loc[own["optimum"].idxmin()]
        said.append(
            f"None is firm: the exact ε-max JSD is {least['optimum']:.2f} at the least ({least['model']})."
            if least["optimum"] > 0.3
            else f"The exact ε-max JSD falls to {least['optimum']:.2f} ({least['model']})."
        )
    return said


def _share(mass: float) -> str:
    return f"{mass:.1%}" if mass >= 0.0005 else "less than 0.1%"


def lies_say(table: pd.DataFrame, model: str) -> list[str]:
    """What liars do: rows of `lies.beside`, λ = 0 the honest model; model: its name."""
    honest = table[table["λ"] == 0].iloc[0]
    said = []
    for _, row in table[table["λ"] > 0].iterrows():
        said.append(
            f"{model}, λ = {row['λ']:g}: of its attention {_share(row['lie_mass'])} is left on the words "
            "that decide, "
            f"{honest['lie_mass']:.0%} before; its accuracy is {row['accuracy']:.2f}, "
            f"{honest['accuracy']:.2f} "
            f"before. {_used(row, honest)}."
        )
    return said


def _used(row: pd.Series, honest: pd.Series) -> str:
    """Whether a liar still uses the words, and by which way; and whether that was the honest model's way."""
    moves = (
        f"the prediction moves by {row['lie_removed']:.2f} without them, {honest['lie_removed']:.2f} before"
    )
    if row["lie_removed"] < 0.02:
        return f"It doesn't use them any more: {moves}"
    if row["lie_removed"] < 0.5 * honest["lie_removed"]:
        return f"It uses them less: {moves}"
    if row["lie_held"] < 0.2 * row["lie_removed"]:
        was = honest["lie_held"] < 0.2 * honest["lie_removed"]
        before = (
            f". So it was in the honest model, too ({honest['lie_held']:.2f}): it had little to learn "
            "for its lie"
            if was
            else f"; in the honest model their weights carried {honest['lie_held']:.2f}"
        )
        return (
            f"It uses them still: {moves}. Erasing their weights, with all states held, moves it by "
            f"{row['lie_held']:.2f} alone: what they say has gone into the states of their "
            f"neighbours{before}"
        )
    return (
        f"It uses them still, if less: {moves}. Erasing their weights alone moves it by "
        f"{row['lie_held']:.2f}: no "
        "neighbour has read them, so their own small weights carry it, by values of up to "
        f"{row['lie_value']:.1f}"
    )


def corner(rows: pd.DataFrame) -> str:
    """Whether a model is in the good corner: agrees, is hardly free, finds the truth."""
    known = rows.dropna(subset=["tau_loo", "optimum", "auroc_attention"])
    if known.empty:
        return "No model is there to be shown."
    two = known[(known["tau_loo"] >= 0.5) & (known["auroc_attention"] >= 0.75)]
    good = two[two["optimum"] <= 0.5]
    if len(good):
        return f"In the good corner: {listed(_names(good))}."
    said = f"The good corner is empty: of {counted(len(known), 'model')} none passes all three."
    if len(two):
        said += (
            f" {len(two)} agree with leave-one-out and find the deciding words, all of them "
            f"{listed(sorted({*two['family']}))} models; their ε-max JSD is {two['optimum'].min():.2f} to "
            f"{two['optimum'].max():.2f}."
        )
    lying = known[known["model"].str.startswith("lies") & (known["tau_loo"] >= 0.5)]
    if len(lying):
        worst = lying.loc[lying["auroc_attention"].idxmin()]
        said += (
            f" And agreement is no proof: {worst['family']}, {worst['model']}, agrees with leave-one-out "
            "at "
            f"{worst['tau_loo']:.2f}, and finds the deciding words with an AUROC of "
            f"{worst['auroc_attention']:.2f}."
        )
    return said


def _names(rows: pd.DataFrame) -> list[str]:
    return [inert(f"{row.family}, {row.model}") for row in rows.itertuples()]


def table(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What each test says of each model, and where it passes, for the figure; of one corpus and family."""
    own = rows.set_index("model")[[*SHOWN]]
    good = pd.DataFrame(False, index=own.index, columns=own.columns)
    for name, (way, least) in PASSES.items():
        good[name] = own[name].round(2) >= least if way == "more" else own[name].round(2) <= least
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


COLUMNS = {
    "λ": "λ",
    "accuracy": "accuracy",
    "lie_mass": "attention on them",
    "lie_removed": "moves when removed",
    "lie_held": "when erased, states held",
    "lie_value": "largest value",
    "lie_auroc_attention": "AUROC, attention",
    "lie_auroc_loo": "AUROC, leave-one-out",
}


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """`lies.beside` for the page."""
    return table[[*COLUMNS]].rename(columns=COLUMNS)
