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
from heed.show.audit import MOVED, RESAMPLES, share
from heed.show.notebook import inert
from heed.show.sentences import counted, listed

SMALL = "the small model"


def short(p: Classifying) -> str:
    """A run's model, for a legend."""
    return f"{Path(p.pretrained).name}, fine-tuned" if p.pretrained else SMALL


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
    said = f"**{name}** has heads of {size} numbers, so the rule says up to {size + 1} units. "
    if free.empty:
        most = fixed["units"].max()
        return f"{said}Of the lengths tried, {most} at most, none has other attention with the same output."
    longest = free["units"].max()
    last = table[table["units"] == longest].groupby("kind")["jsd"].mean()
    tried = f"none at {fixed['units'].max()}, some at {free['units'].min()}" if len(fixed) else "some at each"
    return (
        f"{said}Of the lengths tried there is {tried}. At {longest} the furthest that was found for all "
        f"heads is a JSD of {last[ALL]:.2f} away, for one head with the others as they are "
        f"{last[ALONE]:.2f}, in the mean; the output is {_equal(free['moved'].max())}."
    )


def in_short(found: Audit, tables: dict[str, pd.DataFrame], without: pd.DataFrame) -> list[str]:
    """The chapter's answer. without: of the same texts, what is left without the last attention."""
    said, texts, parts = [audit.answer(found)], found.texts, []
    for name, table in tables.items():
        free = table[(table["kind"] == ALL) & (table["dimension"] > 0)]
        if len(free):
            longest = free["units"].max()
            far = free.loc[free["units"] == longest, "jsd"].mean()
            size = int(table["head_size"].iloc[0])
            parts.append(f"in {name} from {size + 2} pieces on, a JSD of {far:.2f} away at {longest}")
    if parts:
        said.append(
            "Other attention with *exactly* the same output, and so the same prediction whatever follows, "
            f"exists only in longer texts: {listed(parts)} (0.69 would be other words altogether)."
        )
    loo, other = texts["tau attention loo"].mean(), texts["tau gradient loo"].mean()
    if not np.isnan(loo):
        said.append(
            f"Its order of the words and that of leave-one-out agree at Kendall's τ = {loo:z.2f} (1: the "
            f"same order, 0: none), averaged over {counted(len(texts))}; the gradient and leave-one-out at "
            f"{other:z.2f}."
        )
    known = truths(found).set_index("measure")["AUROC"]
    if len(known):
        said.append(
            "But on this made corpus the words that decide are known, and attention finds them with an "
            "AUROC of "
            f"{known[READINGS['attention']]:.2f}, leave-one-out with {known[IMPORTANCE['loo']]:.2f} "
            "(chance: 0.50)."
        )
    moved = share(texts["change own"] > MOVED)
    said.append(
        f"The median of its shuffles over the words moves {moved} by more than {MOVED:g}, and a quarter "
        "of them "
        f"by more than {texts['change own'].quantile(0.75):.2f}: some decisions hang on it, most don't. "
        "Without the last attention altogether the "
        f"decision flips in {share(without['flips'])}."
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
        f"{worst['head']:.0f} least, {worst['loo']:z.2f}."
    )


def truths(found: Audit) -> pd.DataFrame:
    """Mean AUROC for the deciding words of each reading and measure, best first; empty where nobody knows."""
    rows = []
    for name, label in (READINGS | IMPORTANCE).items():
        values = found.texts.get(f"auroc {name}", pd.Series(dtype=float)).dropna()
        if len(values):
            low, high = stats.interval(values.to_numpy(), RESAMPLES, 0)
            asks = "asks the model" if name in IMPORTANCE else "reads attention"
            rows.append([label, asks, len(values), values.mean(), low, high])
    table = pd.DataFrame(rows, columns=["measure", "it", "texts", "AUROC", "low", "high"])
    return table.sort_values("AUROC", ascending=False, ignore_index=True)


def finds(table: pd.DataFrame, corpus: str) -> str:
    """Which of `truths` finds the deciding words best, and where attention stands."""
    if table.empty:
        return f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."
    best, own = table.iloc[0], table[table["measure"] == READINGS["attention"]].iloc[0]
    said = f"{str(best['measure']).capitalize()} finds them best (AUROC {best['AUROC']:.2f}; chance is 0.50)"
    if best["measure"] == own["measure"]:
        return f"{said}, in {counted(own['texts'])}."
    return f"{said}, attention's mean over heads {own['AUROC']:.2f}, in {counted(own['texts'])}."


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


def models(
    own: pd.DataFrame, source: Pretrained, carried: pd.DataFrame, name: str = SMALL
) -> dict[str, pd.DataFrame]:
    """Rows of `free_by_length` by the model's name: this chapter's model, then the committed ones."""
    own = own.assign(head_size=source.size // source.heads)
    return {name: own} | {str(name): rows for name, rows in carried.groupby("model")}


def freedom_title(tables: dict[str, pd.DataFrame]) -> str:
    """What the figure of freedom shows."""
    is_free = any((table["dimension"] > 0).any() for table in tables.values())
    then = "; in longer ones there is" if is_free else ""
    return f"In short texts no other attention gives the same output{then}"


def left_without(without: pd.DataFrame) -> str:
    """What the decision is without the last attention."""
    return (
        f"Without the last attention, all its weights 0, the decision stays in {share(~without['flips'])}, "
        f"and the prediction moves by {without['change'].median():.2f} in the median text. That is what "
        "the "
        "layer below has brought along."
    )


def heads_title(taus: pd.DataFrame) -> str:
    """What the figure of heads shows."""
    own = taus["loo"].dropna() if "loo" in taus else []
    if len(own) < 2:
        return "τ with those who ask the model"
    return f"Heads of one layer: τ with leave-one-out from {own.min():z.2f} to {own.max():z.2f}"


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


def own_attention(table: pd.DataFrame) -> pd.DataFrame:
    """`verdict.own_attention` for the page: a row a measure, a column a corpus, means over seeds."""
    own = table[table["measure"].isin(OWN)]
    wide = own.pivot_table(index="measure", columns="corpus", values="mean").reindex(OWN).dropna(how="all")
    seeds = own.groupby("corpus")["seed"].nunique()
    wide.columns = [f"{name} ({counted(seeds[name], 'seed')})" for name in wide.columns]
    return wide.rename(index=OWN).reset_index(names="mean over texts and seeds")
