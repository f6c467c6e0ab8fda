"""Chapter 11: its tables for the page, and its sentences with their odd cases."""

import numpy as np
import pandas as pd

from heed.experiments import rationales
from heed.experiments.fresh import FULL
from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.measures.marks import RANDOM
from heed.measures.registry import MEASURES
from heed.show.notebook import inert
from heed.show.sentences import counted, listed
from heed.show.style import LABELS

TRUTH = "truth"
CLOSE = 0.02  # a lead that is none
SAME = 0.999  # τ from which on two rankings are one by construction
YARDSTICKS = {BEST, WORST, RANDOM, TRUTH}
# The metrics that the figure has, in its order, and their names there.
SHOWN = {
    "comp_delete": "comprehensiveness",
    "suff_delete": "sufficiency (less is better)",
    "naopc_comp": "normalised comp.",
    "naopc_suff": "normalised suff. (less)",
    "held_comp": "normalised comp., states held",
    "soft_comp": "soft comp.",
    "monotonicity": "monotonicity",
}
LESS = {name for name in METRICS if MEASURES[name].direction.startswith("lower")}


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Each of SHOWN's means by ranking, of the texts that every ranking has; the yardsticks last.

    table: `faithfulness`'s. Indexed by the ranking's name in the registry.
    """
    wide = table.groupby("ranking", sort=False)[[*SHOWN]].mean()
    yardsticks = [name for name in (RANDOM, TRUTH, BEST, WORST) if name in wide.index]
    return wide.loc[[name for name in wide.index if name not in yardsticks] + yardsticks]


def ranks(found: pd.DataFrame) -> pd.DataFrame:
    """Each ranking's place by each metric, 1 the best; NaN of the model's own best and worst order."""
    own = found.drop(index=[name for name in (BEST, WORST) if name in found.index])
    placed = own.rank(method="min", ascending=False)
    for name in LESS & {*own.columns}:
        placed[name] = own[name].rank(method="min")
    return placed.reindex(found.index)


def labelled(found: pd.DataFrame) -> pd.DataFrame:
    """For a figure: rankings and metrics by their labels."""
    return found.rename(index=rationales.label_of, columns=SHOWN)


def marked() -> set[str]:
    """The labels that a figure has in bold: attention, and what is no ranking."""
    return {rationales.label_of(name) for name in ("attention", *YARDSTICKS)}


def first_by(found: pd.DataFrame) -> dict[str, str]:
    """The ranking that each metric puts first, the yardsticks aside."""
    placed = ranks(found).drop(index=[name for name in YARDSTICKS if name in found.index])
    return {name: placed[name].idxmin() for name in placed.columns if placed[name].notna().any()}


def places_of_truth(found: pd.DataFrame) -> dict[str, int]:
    """The truth's place among the rankings by each metric, chance aside; empty where it isn't known."""
    if TRUTH not in found.index:
        return {}
    own = ranks(found.drop(index=[name for name in (RANDOM,) if name in found.index]))
    return {name: int(place) for name, place in own.loc[TRUTH].dropna().items()}


def title_of_metrics(found: pd.DataFrame) -> str:
    """What the figure of metrics shows."""
    places = places_of_truth(found)
    if places:
        first = [SHOWN[name] for name, place in places.items() if place == 1]
        return (
            f"The deciding words come first by {listed(first)} alone"
            if first
            else ("No metric puts the words that decide first")
        )
    winners = {*first_by(found).values()}
    return (
        "The metrics don't agree on the best ranking"
        if len(winners) > 1
        else (
            f"{rationales.label_of(winners.pop())} is first by every metric"
            if winners
            else "What metrics say"
        )
    )


def who_is_first(found: pd.DataFrame) -> str:
    """Which rankings come first by the metrics, how clearly, and where attention stands."""
    firsts = first_by(found)
    if not firsts:
        return "No text here has two words to be put in an order."
    by = {}
    for metric, name in firsts.items():
        by.setdefault(rationales.label_of(name), []).append(SHOWN[metric].partition(" (")[0])
    said = "; ".join(f"{label} is first by {listed(names)}" for label, names in by.items())
    own = found.drop(index=[name for name in YARDSTICKS if name in found.index])
    places = ranks(own).loc["attention"].dropna()
    least, most = int(places.min()), int(places.max())
    where = f"place {least}" if least == most else f"places {least} to {most}"
    leads = [own[name].sort_values().diff().iloc[1 if name in LESS else -1] for name in firsts]
    close = sum(lead < CLOSE for lead in leads)
    here = f" By {close} of the {len(firsts)} the second is within {CLOSE:g} of the first." if close else ""
    return f"{said[0].upper()}{said[1:]}. Attention has {where} of {len(own)}.{here}"


def where_truth_stands(found: pd.DataFrame, corpus: str) -> str:
    """Where the deciding words themselves come among the rankings."""
    places = places_of_truth(found)
    if not places:
        return f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."
    of = len([name for name in found.index if name not in (BEST, WORST, RANDOM)])
    best = min(places, key=places.get)
    return (
        f"The deciding words themselves, as a ranking, come at place {min(places.values())} of {of} at "
        "best "
        f"(by {SHOWN[best].partition(' (')[0]}) and {max(places.values())} at worst. A metric that asks "
        "what "
        "moves the model is no metric of what is true of the text, where the model reads more than that; "
        "and "
        "a ranking that doesn't say which class a word speaks for names words against the decision, too."
    )


def bounds(table: pd.DataFrame) -> str:
    """Of how many texts the model's best and worst order are exact."""
    own = table.drop_duplicates("id")["bounds"]
    exact, beam = int(own.isin(["all sets", "sorted"]).sum()), int((own == "beam").sum())
    parts = [f"exact in {exact} of {counted(len(own))}"] if len(own) else []
    parts += [f"by a search, which may fall short, in {beam}"] if beam else []
    parts += [f"not looked for in {len(own) - exact - beam}"] if len(own) - exact - beam else []
    return f"The model's own best and worst order are {listed(parts)}." if parts else "There are no texts."


def distinct(table: pd.DataFrame) -> pd.DataFrame:
    """`agreement`'s rows without rankings that are another one's order by construction."""
    means = table.groupby(["first", "second"], sort=False)["tau"].mean()
    again = {second for (_, second), tau in means.items() if tau >= SAME}
    return table[~table["first"].isin(again) & ~table["second"].isin(again)]


def of_these(table: pd.DataFrame, agreement: pd.DataFrame) -> pd.DataFrame:
    """`faithfulness`'s rows of the rankings that `agreement` still has, and of the model's own orders."""
    return table[table["ranking"].isin({*agreement["first"], *agreement["second"], BEST, WORST})]


def taus(table: pd.DataFrame) -> pd.DataFrame:
    """Mean τ of each two rankings, by their labels; NaN on the diagonal. table: `agreement`'s, `distinct`."""
    names = list(dict.fromkeys([*table["first"], *table["second"]]))
    found = pd.DataFrame(np.nan, index=names, columns=names)
    for (first, second), own in table.groupby(["first", "second"])["tau"]:
        found.loc[first, second] = found.loc[second, first] = own.mean()
    labels = {name: rationales.label_of(name) for name in names}
    return found.rename(index=labels, columns=labels)


def _of_rankings(found: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """τ among the rankings, without chance and the truth: as a square, and each pair once."""
    yardsticks = {rationales.label_of(name) for name in (RANDOM, TRUTH)}
    own = found.drop(index=yardsticks & {*found.index}, columns=yardsticks & {*found.index})
    return own, own.where(np.triu(np.ones(own.shape, bool), 1)).stack().dropna()


def agreement(found: pd.DataFrame) -> str:
    """Which rankings agree most, and whether what agrees with others is what the truth agrees with.

    found: `taus`.
    """
    own, pairs = _of_rankings(found)
    if pairs.empty:
        return "No text here has two words to be put in an order."
    first, second = pairs.idxmax()
    said = (
        f"{first[0].upper()}{first[1:]} and {second} agree most, τ = {pairs.max():z.2f}; the mean of the "
        f"{counted(len(pairs), 'pair')} is {pairs.mean():z.2f}."
    )
    truth = rationales.label_of(TRUTH)
    if truth in found.index:
        with_truth = found.loc[truth, own.index].dropna()
        with_others = own.loc[with_truth.index].mean(axis=1)
        best, rho = with_truth.idxmax(), with_truth.corr(with_others, method="spearman")
        if abs(rho) < 0.4:
            says = "Agreement with the others says little of agreement with the truth"
        elif rho > 0:
            says = "Those that agree with the others tend to agree with the truth, too"
        else:
            says = "Those that agree most with the others agree least with the truth"
        said += (
            f" With {truth} {best} agrees most, τ = {with_truth[best]:z.2f}. {says} (Spearman's ρ = "
            f"{rho:z.2f} over {len(with_truth)} rankings of one model, several of which are made of "
            "attention "
            "and so are kin)."
        )
    return said


def title_of_taus(found: pd.DataFrame) -> str:
    """What the matrix shows."""
    _, pairs = _of_rankings(found)
    half = float((pairs >= 0.5).mean()) if len(pairs) else 0.0
    return f"{half:.0%} of the pairs of rankings agree at τ = 0.5 or more"


# People's marks

ABOVE = "auprc_above_random_"


def people(rows: pd.DataFrame, measure: str = ABOVE) -> dict[str, pd.DataFrame]:
    """Each ranking's mean and interval by people's marks, by model: rows of `summary_human`, of all texts.

    Of several seeds the mean of their means and of their bounds. Empty where there are none.
    """
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(measure)]
    found = {}
    for encoder, of in own.groupby("encoder", sort=False):
        names = of["measure"].str.removeprefix(measure)
        table = of[["mean", "low", "high"]].groupby(names.to_numpy(), sort=False).mean()
        found[LABELS[encoder]] = table.rename(index=rationales.label_of)
    return found


def people_say(rows: pd.DataFrame) -> list[str]:
    """What people's marks say of rankings and of what the model needs: a sentence a model and thing."""
    said = []
    own = rows[rows["class"] == "overall"]
    for encoder, of in own.groupby("encoder", sort=False):
        mean = of.groupby("measure")["mean"].mean()
        name, tables = LABELS[encoder], people(of)
        if name in tables:
            table = tables[name]
            best, attention = table["mean"].idxmax(), table["mean"].get(rationales.label_of("attention"))
            floor = mean.get(f"auprc_{RANDOM}")
            beside = "" if floor is None else f" A random order has {floor:.3f}."
            here = (
                f"{name}: {best} finds people's marks best, with an AUPRC {table['mean'].max():.3f} above a "
            )
            here += "random order's"
            if attention is not None and best != rationales.label_of("attention"):
                here += f"; attention's is {attention:.3f} above it"
            said.append(f"{here}.{beside}")
        if "needed_share" in mean:
            said.append(
                f"{name}: the decision flips once {mean['needed_share']:.1%} of a text's words are erased "
                "from attention, if they are chosen best. Of these words people marked "
                f"{mean['needed_marked']:.0%}, of all words {mean['needed_chance']:.0%}."
            )
            said.append(
                f"{name}: the model needs few of the marked words, {mean['marked_needed']:.1%}. Erasing "
                "all "
                f"of them flips {mean['marks_flip']:.0%} of the decisions, as many words at random "
                f"{mean['random_flip']:.0%}."
            )
    return said


# Readers of rationales


def readers(table: pd.DataFrame, measure: str = "read_f1") -> dict[str, pd.DataFrame]:
    """Mean over seeds, lowest and highest, of each choice of words, by model. table: a corpus's rows."""
    found = {}
    for encoder, own in table.groupby("encoder", sort=False):
        rows = own.groupby("ranking", sort=False)[measure].agg(["mean", "min", "max"])
        rows.columns = ["mean", "low", "high"]
        last = [name for name in (TRUTH, RANDOM) if name in rows.index]
        ranked = rows.drop(index=[FULL, *last], errors="ignore").sort_values("mean", ascending=False)
        order = [*([FULL] if FULL in rows.index else []), *ranked.index, *last]
        found[LABELS[encoder]] = rows.loc[order].rename(index=_choice)
    return found


def _choice(name: str) -> str:
    if name == TRUTH:
        return f"{rationales.label_of(TRUTH)} first"
    return name if name in (FULL, RANDOM) else rationales.label_of(name)


def readers_say(table: pd.DataFrame) -> list[str]:
    """What readers of each choice make of the task: sentences a model. table: a corpus's rows."""
    said, truth = [], _choice(TRUTH)
    for (corpus, encoder), rows in table.groupby(["corpus", "encoder"], sort=False):
        means = readers(rows)[LABELS[encoder]]["mean"]
        own = means.drop(index=[FULL, RANDOM, truth], errors="ignore")
        if own.empty or FULL not in means:
            continue
        best, attention = own.idxmax(), own.get(rationales.label_of("attention"))
        here = f"{corpus}, {LABELS[encoder]}: F1 is {means[FULL]:.2f} on whole texts, {own.max():.2f} on the "
        here += f"words that {best} chooses"
        if attention is not None and best != rationales.label_of("attention"):
            here += f", {attention:.2f} on attention's"
        if RANDOM in means:
            here += f", {means[RANDOM]:.2f} on as many at random"
        said.append(f"{here} ({counted(rows['seed'].nunique(), 'seed')}).")
        if truth in means and means[truth] < own.max():
            said.append(
                f"That is more than {truth} give, {means[truth]:.2f}: which words were chosen says "
                "something of the label, as the model that chose them had read the whole text."
            )
        blind = rows.groupby("ranking")["blind_accuracy"].mean().dropna() if "blind_accuracy" in rows else {}
        if "attention" in blind and RANDOM in blind:
            said.append(
                "Of texts of which they were given no deciding word, the reader of attention's choice is "
                "right "
                f"on {blind['attention']:.0%}, the reader of random words on {blind[RANDOM]:.0%}."
            )
    return said


def title_of_readers(corpus: str, table: pd.DataFrame) -> str:
    """What the figure of readers shows: how much of what whole texts give is left, by the best ranking."""
    left = {}
    for model, rows in readers(table).items():
        own = rows.drop(index=[FULL, RANDOM, TRUTH], errors="ignore")["mean"]
        if len(own) and FULL in rows.index:
            left[model] = own.max() / rows["mean"][FULL]
    said = listed([f"{share:.0%} ({model})" for model, share in left.items()]) if left else "nothing"
    return f"{corpus}: a fifth of the words, well chosen, gives {said} of the F1"


def near_chance(rows: pd.DataFrame) -> bool:
    """Whether no ranking's AUPRC is 0.05 or more above a random order's."""
    return all((table["mean"] < 0.05).all() for table in people(rows).values())


def title_of_people(rows: pd.DataFrame) -> str:
    """What the figure of people's marks shows."""
    if near_chance(rows):
        return "Every ranking finds people's marks hardly better than chance"
    return "Some rankings find people's marks"


def where_attention_stands(found: pd.DataFrame) -> pd.DataFrame:
    """By each metric, attention's mean and place, and who is first: for the last cell."""
    own = found.drop(index=[name for name in YARDSTICKS if name in found.index])
    placed, firsts = ranks(own), first_by(found)
    rows = [
        [
            SHOWN[m],
            own.loc["attention", m],
            int(placed.loc["attention", m]),
            rationales.label_of(best),
            own.loc[best, m],
        ]
        for m, best in firsts.items()
    ]
    return pd.DataFrame(rows, columns=["metric", "attention", "its place", "first", "its mean"])
