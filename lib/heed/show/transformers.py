"""Chapter 13: its sentences, with their numbers and odd cases."""

from pathlib import Path

import numpy as np
import pandas as pd

from heed.experiments.audit import IMPORTANCE, READINGS, Audit
from heed.experiments.transformers import ALL, ALONE
from heed.measures import stats
from heed.measures.freedom import Freedom, freedom
from heed.measures.layer import Layer
from heed.models.pretrained import Pretrained
from heed.params import Classifying
from heed.show import audit
from heed.show.audit import RESAMPLES, share
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.words import text_for

SMALL = "the small model"
ASKS, READS = "asks the model", "reads attention"
SURPRISE = 0.1  # by how much more of the truth attention finds than leave-one-out to be remarked on


def short(p: Classifying) -> str:
    """A run's model, for a legend."""
    return f"{Path(p.pretrained).name}, fine-tuned" if p.pretrained else SMALL


def taken(layer: Layer) -> pd.DataFrame:
    """What each head by hand takes of each word for its own number of z, and what that number comes to."""
    rows = []
    for h, row in enumerate(layer.rows):
        parts = row.attention * row.values[:, h]
        for word, *numbers in zip(row.units, row.attention, row.values[:, h], parts, strict=True):
            rows.append([f"head {h}", word, *numbers])
        rows.append(["", "brought along", np.nan, np.nan, layer.rest[h]])
        rows.append(["", f"z, number {h + 1}: the sum", np.nan, np.nan, parts.sum() + layer.rest[h]])
    return pd.DataFrame(rows, columns=["head", "word", "weight", "value", "taken"])


def fixed_and_free(layer: Layer) -> str:
    """Of the heads by hand: in how many directions their weights can move while z stays."""
    alone = [freedom(row).dimension for row in layer.rows]
    both = freedom(layer.rows)
    if both.dimension == 0:
        return "No: no other weights give the same z."
    return (
        f"Yes: the heads' weights can move in {listed([str(n) for n in alone])} directions, "
        f"{both.dimension} together, and z stays ({_equal(both.moved)}). So does every prediction, "
        "whatever "
        "comes after z."
    )


def _equal(moved: float) -> str:
    """That two things are the same, with what rounding leaves."""
    return "equal up to rounding" if moved < 1e-9 else f"equal to {moved:.0e}"


def other_weights(layer: Layer) -> pd.DataFrame:
    """The model's own weights beside the furthest that were found to give the same."""
    found: Freedom = freedom(layer.rows)
    rows = []
    for h, row in enumerate(layer.rows):
        for t, word in enumerate(row.units):
            rows.append([f"head {h}", word, row.attention[t], found.attention[h, t]])
    return pd.DataFrame(rows, columns=["head", "word", "its weight", "another, the same z"])


def frees(name: str, table: pd.DataFrame) -> str:
    """From which length on other attention gives a model's layer the same output, and how far it goes."""
    size, every = int(table["head_size"].iloc[0]), table[table["kind"] == ALL]
    fixed, free = every[every["dimension"] == 0], every[every["dimension"] > 0]
    said = (
        f"**{name[0].upper()}{name[1:]}** has heads of {size} numbers: by the rule, none up to {size + 1} "
        "pieces. "
    )
    if free.empty:
        most = fixed["units"].max()
        return f"{said}Of the lengths tried, {most} at most, none has other attention with the same output."
    longest = free["units"].max()
    last = table[table["units"] == longest].groupby("kind")["jsd"].mean()
    tried = f"none at {fixed['units'].max()}, some at {free['units'].min()}" if len(fixed) else "some at each"
    return (
        f"{said}Of the lengths tried there is {tried}. At {longest} pieces the furthest that was found is a "
        f"JSD of {last[ALL]:.2f} away for all heads, {last[ALONE]:.2f} for one head alone. The output is "
        f"{_equal(free['moved'].max())}."
    )


def in_short(
    found: Audit, tables: dict[str, pd.DataFrame], without: pd.DataFrame, own: pd.DataFrame
) -> list[str]:
    """The chapter's answer.

    without: of the same texts, what is left without the last attention. own: carried rows of whole
    transformers, `verdict.own_attention`.
    """
    said, texts = [audit.answer(found)], found.texts
    loo = texts["tau attention loo"]
    if loo.notna().any():
        ranks = "otherwise than" if loo.mean() < audit.ALIKE else "much as"
        begins = "As in 2019" if loo.mean() < audit.ALIKE else "Other than in 2019"
        said.append(
            f"{begins}, attention ranks words {ranks} their removal does (Kendall's τ = {loo.mean():z.2f}, "
            f"{counted(int(loo.notna().sum()))})."
        )
    if fixed := fixed_up_to(tables):
        said.append(
            "New: in short texts no other attention gives exactly the same output (up to "
            f"{listed([f'{most} pieces in {name}' for name, most in fixed.items()])})."
        )
    stays = ~without["flips"]
    way = "isn't the only way to a decision" if stays.mean() >= 0.5 else "carries most decisions"
    said.append(f"New, too: the last attention {way}; without it {share(stays)} are decided as before.")
    known = truths(found).set_index("measure")["AUROC"]
    if len(known):
        attention, removal = known[READINGS["attention"]], known[IMPORTANCE["loo"]]
        surprise = ", a surprise" if attention > removal + SURPRISE else ""
        said.append(
            f"Yet here the words that decide are known, and attention finds them{surprise}: AUROC "
            f"{attention:.2f}, leave-one-out {removal:.2f} (chance: 0.50)."
        )
    return [*said, *in_short_of_real_text(own)]


def in_short_of_real_text(own: pd.DataFrame) -> list[str]:
    """Two numbers of the first corpus of carried rows, in one sentence; none where there are none."""
    means = own[own["corpus"] == own["corpus"].min()].groupby("measure")["mean"].mean()
    if "tau_loo" not in means or "flips_without" not in means:
        return []
    first = own.sort_values("corpus").iloc[0]
    return [
        f"In {inert(first['model'])}, fine-tuned on {inert(first['corpus'])}, the τ is "
        f"{means['tau_loo']:z.2f}, and "
        f"{1 - means['flips_without']:.0%} are decided as before."
    ]


def fixed_up_to(tables: dict[str, pd.DataFrame]) -> dict[str, int]:
    """By the model's name, up to how many pieces no other attention gives the same output, by the rule."""
    return {name: int(table["head_size"].iloc[0]) + 1 for name, table in tables.items()}


def truths(found: Audit) -> pd.DataFrame:
    """Mean AUROC for the deciding words of each reading and measure, best first; empty where nobody knows."""
    rows = []
    for name, label in (READINGS | IMPORTANCE).items():
        values = found.texts.get(f"auroc {name}", pd.Series(dtype=float)).dropna()
        if len(values):
            low, high = stats.interval(values.to_numpy(), RESAMPLES, 0)
            asks = ASKS if name in IMPORTANCE else READS
            rows.append([label, asks, len(values), values.mean(), low, high])
    table = pd.DataFrame(rows, columns=["measure", "it", "texts", "AUROC", "low", "high"])
    return table.sort_values("AUROC", ascending=False, ignore_index=True)


def finds(table: pd.DataFrame, corpus: str) -> list[str]:
    """What follows of `truths`: whether those who read attention or those who ask the model find more."""
    if table.empty:
        return [f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."]
    means = table.groupby("it")["AUROC"].agg(["min", "max"])
    if len(means) == 2 and means.loc[READS, "min"] > means.loc[ASKS, "max"]:
        return [
            "Every reading of attention finds more than any measure that asks the model.",
            "So where attention and leave-one-out differ, it may be leave-one-out that is off.",
        ]
    return ["So agreement with a measure that asks the model isn't agreement with the truth."]


def readings(found: Audit) -> str:
    """The readings of attention beside each other: τ with leave-one-out and the gradient."""
    parts = []
    for name in found.notes["readings"]:
        loo, gradient = (found.texts[f"tau {name} {other}"].mean() for other in ("loo", "gradient"))
        if not np.isnan(loo):
            parts.append(f"of {READINGS[name]} {loo:z.2f} and {gradient:z.2f}")
    if not parts:
        return "No text has two words to be put in an order."
    return f"Over all heads τ with leave-one-out and with the gradient is {'; '.join(parts)}."


def models(
    own: pd.DataFrame, source: Pretrained, carried: pd.DataFrame, name: str = SMALL
) -> dict[str, pd.DataFrame]:
    """Rows of `free_by_length` by the model's name: this chapter's model, then the committed ones."""
    own = own.assign(head_size=source.size // source.heads)
    return {name: own} | {str(name): rows for name, rows in carried.groupby("model")}


def freedom_title(tables: dict[str, pd.DataFrame]) -> str:
    """What the figure of freedom shows."""
    if any((table["dimension"] > 0).any() for table in tables.values()):
        return "Only in longer texts does other attention give the same output"
    return "In texts this short no other attention gives the same output"


def left_without(without: pd.DataFrame) -> list[str]:
    """What the decision is without the last attention."""
    return [
        f"Without the last attention, all its weights 0, the decision stays in {share(~without['flips'])}.",
        f"The prediction moves by {without['change'].median():.2f} in the median text.",
        "What is left is what the layer below has brought along.",
    ]


def heads_title(taus: pd.DataFrame) -> str:
    """What the figure of heads shows."""
    own = taus["loo"].dropna() if "loo" in taus else []
    if len(own) < 2:
        return "How far the heads agree with those who ask the model"
    return f"Heads of one layer differ: τ with leave-one-out from {own.min():z.2f} to {own.max():z.2f}"


def truths_title(table: pd.DataFrame) -> str:
    """What the figure of `truths` shows."""
    best, attention = str(table["measure"].iloc[0]), READINGS["attention"]
    own = table.set_index("measure")["AUROC"]
    said = f"{best[0].upper()}{best[1:]} finds the truth best: AUROC {own[best]:.2f}"
    return said if best == attention else f"{said}, attention {own[attention]:.2f}"


# Committed runs

# The measures of attention over states, as axis labels; and in a sentence.
OVER_STATES = {
    "accuracy": "accuracy",
    "tau_loo": "τ, attention and\nleave-one-out",
    "tau_gradient": "τ, attention and\ngradient",
    "optimum": "ε-max JSD (nats)",
    "erased_attention": "share of attention's order\nerased until it flips",
}
SAID = {"accuracy": "accuracy", "tau_loo": "τ with leave-one-out", "optimum": "ε-max JSD"}
# What is asked of a whole transformer, in the chapter's order.
OWN = {
    "accuracy": "accuracy",
    "tau_loo": "τ of attention and leave-one-out",
    "tau_gradient": "τ of attention and gradient",
    "tau_gradient_loo": "τ of gradient and leave-one-out",
    "tau_norm_loo": "τ of attention × value norm and leave-one-out",
    "tau_rollout_loo": "τ of rollout and leave-one-out",
    "permuted_each": "change when each head is shuffled",
    "flips_without": "decisions that flip without the last attention",
    "on_words": "attention on words",
}


def over_states(table: pd.DataFrame) -> list[str]:
    """`verdict.over_states` in sentences, one a corpus."""
    said = []
    for corpus, own in table.groupby("corpus"):
        means = own.groupby(["measure", "model"])["mean"].mean()
        parts = []
        for measure, label in SAID.items():
            if measure in means:
                each = [f"{value:z.2f} ({inert(model)})" for model, value in means[measure].items()]
                parts.append(f"{label} {listed(each)}")
        said.append(f"**{inert(corpus)}**: {'; '.join(parts)}.")
    return said


def title_over_states(table: pd.DataFrame) -> str:
    """The finding of the figure of `verdict.over_states`: whose attention agrees more with leave-one-out."""
    own = table[table["measure"] == "tau_loo"].groupby("model")["mean"].mean()
    if len(own) < 2:
        return "Attention over the states of transformers, and of a BiLSTM"
    most = own.idxmax()
    of = text_for(most, "figure")
    return f"Attention over the states of {of} agrees most with leave-one-out: τ = {own[most]:z.2f}"


def of_real_text(table: pd.DataFrame) -> list[str]:
    """`verdict.own_attention` in sentences, one a corpus and model; none where there are no rows."""
    said = []
    for (corpus, model), own in table.groupby(["corpus", "model"]):
        means = own.groupby("measure")["mean"].mean()
        parts = []
        if "tau_loo" in means:
            parts.append(f"attention and leave-one-out agree at τ = {means['tau_loo']:z.2f}")
        if "flips_without" in means:
            parts.append(f"without the last attention {means['flips_without']:.0%} of the decisions flip")
        if parts:
            said.append(f"In {inert(model)}, fine-tuned on {inert(corpus)}, {', and '.join(parts)}.")
    return said


def own_attention(table: pd.DataFrame) -> pd.DataFrame:
    """`verdict.own_attention` for the page: a row a measure, a column a corpus, means over seeds."""
    own = table[table["measure"].isin(OWN)]
    wide = own.pivot_table(index="measure", columns="corpus", values="mean").reindex(OWN).dropna(how="all")
    seeds = own.groupby("corpus")["seed"].nunique()
    wide.columns = [f"{name} ({counted(seeds[name], 'seed')})" for name in wide.columns]
    return wide.rename(index=OWN).reset_index(names="mean over texts and seeds")


def answer(found: Audit, own: pd.DataFrame) -> list[str]:
    """The chapter's question, answered. own: carried rows of whole transformers."""
    return [
        audit.answer(found),
        audit.advice(found),
        "Which head, and which reading of the heads, is a choice to be named beside every picture.",
        *of_real_text(own),
    ]
