"""Chapter 11: its tables for the page, and its sentences with their odd cases."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from heed.experiments import rationales
from heed.experiments.fresh import FULL
from heed.measures import rankings, stats
from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.measures.marks import RANDOM
from heed.measures.registry import MEASURES
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, signed
from heed.show.style import LABELS
from heed.show.words import text_for

TRUTH = "truth"
NOTHING = "No text here has two words to be put in an order."
CLEAR = 1.96  # standard errors, from which on a rank correlation is told from 0
SAME = 0.999  # τ from which on two rankings are one by construction
YARDSTICKS = {BEST, WORST, RANDOM, TRUTH}
BUILT = {("monotonicity", "loo")}  # metrics that a ranking wins by construction
# The metrics that the figure has, in its order, and their names there.
SHOWN = {
    "comp_delete": "comprehensiveness",
    "suff_delete": "sufficiency (less is better)",
    "naopc_comp": "comprehensiveness, normalised",
    "naopc_suff": "sufficiency, normalised (less)",
    "held_comp": "comprehensiveness, states held",
    "soft_comp": "comprehensiveness, soft",
    "monotonicity": "monotonicity",
}
# The same metrics, as the heads of narrow columns.
HEADS = {
    "comp_delete": "comp.",
    "suff_delete": "suff.\n(less)",
    "naopc_comp": "comp.,\nnorm.",
    "naopc_suff": "suff.,\nnorm.\n(less)",
    "held_comp": "comp.,\nstates\nheld",
    "soft_comp": "comp.,\nsoft",
    "monotonicity": "mono-\ntonicity",
}
# Rankings whose meaning in the registry speaks of the ranking before them there.
MEANS = {
    "integrated_gradients_live": "the same size, with attention computed anew at every step",
    "attention_product": "how fast the probability changes with the word's weight, times the weight",
}
MADE = "planted: nonsense sentences with known opinion words"
RESAMPLES = 1000
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


def by_metric(found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """For the figure of metrics: the means, by the labels of rankings and metrics, and each one's place."""
    return found.rename(index=rationales.label_of, columns=HEADS), ranks(found)


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


# Faithful by which metric?


def in_short(
    found: pd.DataFrame, table: pd.DataFrame, people: pd.DataFrame, corpus: str, model: str
) -> list[str]:
    """The chapter's answer.

    found: `means`; table: `faithfulness`'s rows; people: rows of people's marks; model: its encoder's name.
    """
    firsts = first_by(found)
    if not firsts:
        return [NOTHING]
    which = MADE if corpus == "planted" else inert(corpus)
    of = f"on {counted(table['id'].nunique())} ({which}; {inert(model)}, one seed)"
    winners = {rationales.label_of(name) for name in firsts.values()}
    if len(winners) > 1:
        said = [
            f"No ranking of words comes first by every metric: {of}, {len(winners)} rankings "
            f"share the first places of {len(firsts)} metrics."
        ]
    else:
        said = [f"By each of {len(firsts)} metrics {winners.pop()} is the most faithful, {of}."]
    said += how_sure(leads(found, table))
    said.append(f"{title_of_places(found)}.")
    for name, table in people_by_model(people).items():
        much = "little better than" if near_chance(people) else "better than"
        floor = _floor(people)
        than = " to the AUPRC (area under the precision–recall curve)"
        than += "" if np.isnan(floor) else f", which by chance is {floor:.2f}"
        said.append(
            f"In film reviews ({inert(name)}, {_of_people(people)}) rankings find people's marks {much} a "
            f"random order: they add {_range(table['mean'], '.3f')}{than}."
        )
    return [*said, "So a ranking is faithful *to something*: say to what."]


def _range(values: pd.Series, form: str) -> str:
    """`0.1 to 0.2`, or `0.1` where both are alike."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def _own_tau(table: pd.DataFrame) -> str:
    """Attention's τ with the deciding words, and whether it is told from chance. table: `distinct`."""
    own = with_whom(table).loc[rationales.label_of("attention")]
    said = f"attention's τ with the deciding words is {signed(own['truth'])}"
    said += f" (95 % interval {signed(own['truth low'])} to {signed(own['truth high'])})"
    if own["truth low"] <= 0 <= own["truth high"]:
        said += ", no better than chance" if own["truth"] <= 0 else ", not told from chance"
    return said


def title_of_metrics(found: pd.DataFrame) -> str:
    """What the figure of metrics shows."""
    winners = {*first_by(found).values()}
    if len(winners) > 1:
        return "The metrics don't agree on the best ranking"
    return f"{rationales.label_of(winners.pop())} is first by every metric" if winners else "What metrics say"


def attention_stands(found: pd.DataFrame) -> str:
    """Attention's places among the rankings, the truth among them where it is known."""
    own = found.loc[_rankings_and_truth(found)]
    places = ranks(own).loc["attention"].dropna()
    if places.empty:
        return NOTHING
    least, most = int(places.min()), int(places.max())
    where = f"place {least}" if least == most else f"places {least} to {most}"
    return f"Attention takes {where} of {len(own)}."


def leads(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """By each metric who is first and who second, the lead with its 95 % interval over texts, and `sure`.

    table: `faithfulness`'s rows. sure: the interval as it is shown, to two decimals, is clear of 0, and the
    metric isn't the first ranking's own by construction. Empty of a single ranking.
    """
    own, rows = found.drop(index=[name for name in YARDSTICKS if name in found.index]), []
    for name, first in first_by(found).items() if len(own) > 1 else ():
        second = own[name].drop(first).idxmin() if name in LESS else own[name].drop(first).idxmax()
        each = table.pivot(index="id", columns="ranking", values=name)
        better = (each[first] - each[second]) * (-1 if name in LESS else 1)
        low, high = stats.interval(better.dropna().to_numpy(), RESAMPLES, 0)
        built = (name, first) in BUILT
        row = {"metric": name, "first": first, "second": second, "lead": better.mean()}
        row |= {"low": low, "high": high, "built": built, "open": bool(round(low, 2) <= 0 <= round(high, 2))}
        rows.append(row | {"sure": not (built or row["open"])})
    columns = ["metric", "first", "second", "lead", "low", "high", "built", "open", "sure"]
    return pd.DataFrame(rows, columns=columns)


def how_sure(found: pd.DataFrame) -> list[str]:
    """By how many metrics the first place may be chance, or is by construction. found: `leads`."""
    said = []
    if found["open"].any():
        said.append(f"{found['open'].sum()} may be chance")
    for row in found[found["built"]].itertuples():
        said.append(f"{rationales.label_of(row.first)}'s by {SHOWN[row.metric]} is by construction")
    if not said:
        return []
    sure, rest = found[found["sure"]], "none is sure"
    if len(sure):
        winners = "have different winners" if sure["first"].nunique() > 1 else "have the same winner"
        rest = f"the {len(sure)} that are sure {winners}" if len(sure) > 1 else "one is sure"
    return [f"Of these leads {listed(said)}; {rest}."]


def table_of_leads(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """`leads` for the page; each lead with its 95 % interval over texts."""
    rows = []
    for row in leads(found, table).itertuples():
        rows.append(
            {
                "metric": in_figures(row.metric),
                "lead": f"{signed(row.lead)} ({signed(row.low)} to {signed(row.high)})",
                "first": rationales.label_of(row.first),
                "second": rationales.label_of(row.second),
            }
        )
    return pd.DataFrame(rows, columns=["metric", "lead", "first", "second"])


def in_figures(metric: str) -> str:
    """A metric's name at the head of the figure's column, in one line: `comp., states held`."""
    return HEADS[metric].replace("-\n", "").replace("\n", " ")


def beside_random(found: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """By how many metrics attention is better than a random order, and by how many that is sure.

    found: `means`; table: `faithfulness`'s rows, of which the 95 % intervals over texts are. Empty where one
    of the two isn't there.
    """
    rows = []
    for name in SHOWN if {"attention", RANDOM} <= {*found.index} else ():
        each = table.pivot(index="id", columns="ranking", values=name)
        better = ((each["attention"] - each[RANDOM]) * (-1 if name in LESS else 1)).dropna()
        if len(better):
            low, high = stats.interval(better.to_numpy(), RESAMPLES, 0)
            rows.append([f"*{in_figures(name)}*", round(better.mean(), 2), round(low, 2), round(high, 2)])
    own = pd.DataFrame(rows, columns=["metric", "better", "low", "high"])
    if own.empty:
        return []
    said = [
        f"Attention's mean is better than a random order's by {(own['better'] > 0).sum() or 'none'} of "
        f"{counted(len(own), 'metric')}."
    ]
    for which, where in (("better", own["low"] > 0), ("worse", own["high"] < 0)):
        if where.any():
            said.append(
                f"It is surely {which} (the 95 % interval of the difference leaves out 0) by "
                f"{listed([*own.loc[where, 'metric']])}."
            )
    is_open = (own["low"] <= 0) & (own["high"] >= 0)
    if is_open.any():
        by = "every metric" if is_open.all() else listed([*own.loc[is_open, "metric"]])
        said.append(f"By {by} the difference may be chance.")
    return said


def close_leads(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By how many metrics the first's lead over the second isn't clear of 0; empty if by none.

    table: `faithfulness`'s rows, of which the 95 % intervals over texts are.
    """
    own = leads(found, table)
    if not own["open"].any():
        return ""
    return (
        f"These are {counted(table['id'].nunique())}, and by {own['open'].sum()} of {len(own)} metrics the "
        "lead of the first ranking over the second isn't decided: its 95 % interval, to two decimals, "
        f"reaches 0.{_sure(own)}"
    )


def _sure(found: pd.DataFrame) -> str:
    """Which first places are sure. found: `leads`."""
    own = found[found["sure"]]
    if own.empty:
        return ""
    each = [f"{rationales.label_of(row.first)} ({SHOWN[row.metric]})" for row in own.itertuples()]
    return (
        f" Sure of its place is {each[0]}."
        if len(each) == 1
        else f" Sure of their places are {listed(each)}."
    )


def _rankings_and_truth(found: pd.DataFrame) -> list[str]:
    return [name for name in found.index if name not in (BEST, WORST, RANDOM)]


def _places(found: pd.DataFrame) -> str:
    """`places 2 to 14 of 14`, of the deciding words; found: with the truth."""
    places, of = places_of_truth(found).values(), len(_rankings_and_truth(found))
    if min(places) == max(places):
        return f"place {min(places)} of {of} by each"
    return f"places {min(places)} to {max(places)} of {of}"


def how_many(found: pd.DataFrame) -> int:
    """How many rankings `places` counts, the truth among them where it is known."""
    return len(_rankings_and_truth(found))


def places(found: pd.DataFrame) -> pd.DataFrame:
    """For the figure: by each metric's label the place of the truth and of attention, and who is first."""
    own = found.loc[_rankings_and_truth(found)]
    placed = ranks(own)
    columns = {"the deciding words": TRUTH, "attention": "attention"}
    table = pd.DataFrame({label: placed.loc[name] for label, name in columns.items() if name in own.index})
    table["first"] = [
        rationales.label_of(placed[name].idxmin()) if placed[name].notna().any() else ""
        for name in table.index
    ]
    return table.rename(index=SHOWN)


def title_of_places(found: pd.DataFrame) -> str:
    """The finding of the figure of `places`."""
    of_truth = places_of_truth(found)
    own = ranks(found.loc[_rankings_and_truth(found)]).loc["attention"].dropna()
    if not of_truth or own.empty:
        return attention_stands(found).removesuffix(".") + ", by metric"
    first = sum(place == 1 for place in of_truth.values())
    by = f"By {first} of {len(of_truth)} metrics" if first else "By no metric"
    least, most = int(own.min()), int(own.max())
    where = _ordinal(least) if least == most else f"{_ordinal(least)} to {_ordinal(most)}"
    return f"{by} do the deciding words come first; attention is {where} of {how_many(found)}"


def _ordinal(n: int) -> str:
    """`1st`, `2nd`, `11th`."""
    end = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{end}"


def where_truth_stands(found: pd.DataFrame, corpus: str) -> list[str]:
    """Where the deciding words themselves come among the rankings, and why."""
    places = places_of_truth(found)
    if not places:
        return [f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."]
    best = SHOWN[min(places, key=places.get)].partition(" (")[0]
    return [
        f"The deciding words take {_places(found)}, the best of these by {best}.",
        "That is no fault of the metrics. They ask what moves *the model*, and it may rely on more than the "
        "words that make the label true.",
        "Besides, this ranking has no signs: it also names words that speak against the decision.",
    ]


def bounds(table: pd.DataFrame) -> str:
    """Of how many texts the model's best and worst order are exact."""
    own = table.drop_duplicates("id")["bounds"]
    exact, beam = int(own.isin(["all sets", "sorted"]).sum()), int((own == "beam").sum())
    parts = [f"exact in {exact} of {counted(len(own))}"] if len(own) else []
    parts += [f"by a search, which may fall short, in {beam}"] if beam else []
    parts += [f"not looked for in {len(own) - exact - beam}"] if len(own) - exact - beam else []
    return f"The model's best and worst order are {listed(parts)}." if parts else "There are no texts."


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


def with_whom(table: pd.DataFrame) -> pd.DataFrame:
    """With whom each ranking agrees: mean τ with the truth and with the other rankings.

    Each with its 95 % interval over texts. table: `agreement`'s, `distinct`. Indexed by the ranking's label;
    who agrees most with the truth is first. Without a truth its columns are missing.
    """
    both = pd.concat([table, table.rename(columns={"first": "second", "second": "first"})])
    both = both[(both["first"] != RANDOM) & (both["second"] != RANDOM) & (both["first"] != TRUTH)]
    rows = {}
    for name, own in both.groupby("first", sort=False):
        is_truth = own["second"] == TRUTH
        of = {"truth": own[is_truth].groupby("id")["tau"].mean()}
        of["others"] = own[~is_truth].groupby("id")["tau"].mean()
        row = {}
        for kind, values in of.items():
            values = values.dropna().to_numpy()
            low, high = stats.interval(values, RESAMPLES, 0)
            mean = values.mean() if len(values) else np.nan
            row |= {kind: mean, f"{kind} low": low, f"{kind} high": high, f"{kind} texts": len(values)}
        rows[rationales.label_of(name)] = row
    found = pd.DataFrame.from_dict(rows, orient="index")
    if found.empty or found["truth"].isna().all():
        return found.drop(columns=[name for name in found if name.startswith("truth")]).sort_values(
            [name for name in ("others",) if name in found], ascending=False
        )
    return found.sort_values("truth", ascending=False)


def kinds(rows: pd.DataFrame) -> dict[str, str]:
    """What the figure of `with_whom` shows of its rows, with labels."""
    labels = {"truth": "with the words that decide", "others": "with the other rankings (their mean)"}
    return {
        name: f"{label}, {rows[f'{name} texts'].max():.0f} texts"
        for name, label in labels.items()
        if name in rows and rows[name].notna().any()
    }


def against_truth(table: pd.DataFrame) -> dict:
    """Whether rankings that agree with the others agree with the truth; empty where that isn't known.

    table: `agreement`'s, `distinct`. Keys: best (the ranking), tau, rho, rankings, says.
    """
    rows = with_whom(table)
    if "truth" not in rows:
        return {}
    rows = rows.dropna(subset=["truth", "others"])
    rho = stats.rank_correlation(rows["truth"], rows["others"])
    if np.isnan(rho):
        return {}
    says, bound = (
        "Agreement with other rankings doesn't tell which is near the truth",
        CLEAR / np.sqrt(len(rows) - 1),
    )
    if rho >= bound:
        says = "Rankings that agree with the others tend to agree with the truth, too"
    elif rho <= -bound:
        says = "Rankings that agree most with the others agree least with the truth"
    return {
        "best": rows["truth"].idxmax(),
        "tau": rows["truth"].max(),
        "rho": rho,
        "rankings": len(rows),
        "says": says,
    }


def finds_truth(table: pd.DataFrame) -> list[str]:
    """Who agrees with the truth, and what agreement with the others says of it. table: `distinct`."""
    against = against_truth(table)
    if not against:
        return ["The deciding words aren't known here, or all rankings are alike."]
    best = against["best"]
    own = "" if best == rationales.label_of("attention") else f"; {_own_tau(table)}"
    return [
        f"{best[0].upper()}{best[1:]} agrees most with the words that decide "
        f"(τ = {signed(against['tau'])}){own}.",
        f"{against['says']}: Spearman's ρ is {signed(against['rho'])} over {against['rankings']} rankings.",
        "All are of one model, and several are made from attention, so this is a hint at most.",
    ]


def title_of_truth(table: pd.DataFrame) -> str:
    """The finding of the figure of `with_whom`."""
    against = against_truth(table)
    if not against:
        return "How far each ranking agrees with the others"
    return f"{against['says']} (ρ\u00a0=\u00a0{signed(against['rho'])}, {against['rankings']} rankings)"


def agreement(found: pd.DataFrame) -> str:
    """Which two rankings agree most, and how far all do. found: `taus`."""
    _, pairs = _of_rankings(found)
    if pairs.empty:
        return NOTHING
    first, second = pairs.idxmax()
    return (
        f"{first[0].upper()}{first[1:]} and {second} agree most (τ = {signed(pairs.max())}). The mean over "
        f"{counted(len(pairs), 'pair')} is {signed(pairs.mean())}."
    )


def kin_together(found: pd.DataFrame) -> pd.DataFrame:
    """`taus` without chance, those side by side that agree, the truth last."""
    rankings, _ = _of_rankings(found)
    names = [*rankings.index]
    if len(names) > 2:
        far = 1 - rankings.to_numpy()
        np.fill_diagonal(far, 0)
        tree = linkage(
            squareform(np.nan_to_num(far, nan=1.0), checks=False), "average", optimal_ordering=True
        )
        names = [names[i] for i in leaves_list(tree)]
    names += [label for label in (rationales.label_of(TRUTH),) if label in found.index]
    return found.loc[names, names]


def title_of_taus(found: pd.DataFrame) -> str:
    """What the matrix shows; found: of a pair at least."""
    _, pairs = _of_rankings(found)
    return f"{(pairs >= 0.5).sum()} of {counted(len(pairs), 'pair')} of rankings agree at τ = 0.5 or more"


# People's marks

ABOVE = "auprc_above_random_"


def people_by_model(rows: pd.DataFrame, measure: str = ABOVE) -> dict[str, pd.DataFrame]:
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
    """What people's marks say of rankings and of what the model needs: short sentences, model by model."""
    said = []
    own = rows[rows["class"] == "overall"]
    for encoder, of in own.groupby("encoder", sort=False):
        mean, tables = of.groupby("measure")["mean"].mean(), people_by_model(of)
        if LABELS[encoder] in tables:
            said.append(_best_by_people(LABELS[encoder], tables[LABELS[encoder]], mean))
        if "needed_share" in mean:
            said.append(
                f"The smallest set of words whose erasure from attention flips the {LABELS[encoder]} model's "
                f"decision has {mean['needed_share']:.1%} of a text's words. People marked "
                f"{mean['needed_marked']:.0%} of this set, and {mean['needed_chance']:.0%} of all words."
            )
            said.append(
                f"Of the words that people marked, {mean['marked_needed']:.1%} belong to this set. Erasing "
                f"all marked words flips {mean['marks_flip']:.0%} of the decisions; erasing as many words at "
                f"random flips {mean['random_flip']:.0%}."
            )
    return said


def _best_by_people(model: str, table: pd.DataFrame, mean: pd.Series) -> str:
    """Which ranking of a model finds people's marks best, and how attention does."""
    best, attention = table["mean"].idxmax(), rationales.label_of("attention")
    floor = mean.get(f"auprc_{RANDOM}")
    beside = "" if floor is None else f" ({floor:.2f})"
    said = (
        f"Of the {model} model's rankings, {best} finds people's marks best: its AUPRC is "
        f"{table['mean'].max():.3f} above that of a random order{beside}"
    )
    if attention in table.index and best != attention:
        said += f". Attention's is {table['mean'][attention]:.3f} above it"
    return f"{said}."


def note_of_people(rows: pd.DataFrame) -> str:
    """Of how many texts people's marks are, and of how many seeds."""
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(ABOVE)]
    if own.empty:
        return "AUPRC above a random order's"
    models = listed([LABELS[name] for name in own["encoder"].unique()])
    return f"AUPRC above a random order's, with 95 % interval over texts\n({models}, {_of_people(rows)})"


def _of_people(rows: pd.DataFrame) -> str:
    """`199 texts, one seed`, of rows of people's marks; there are some."""
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(ABOVE)]
    seeds = own["seed"].nunique()
    return f"{own['n'].max():.0f} texts, {'one seed' if seeds == 1 else f'{seeds} seeds'}"


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
    """What readers of each choice make of the task: a paragraph a model. table: a corpus's rows."""
    said, truth, attention = [], _choice(TRUTH), rationales.label_of("attention")
    for (corpus, encoder), rows in table.groupby(["corpus", "encoder"], sort=False):
        means = readers(rows)[LABELS[encoder]]["mean"]
        own = means.drop(index=[FULL, RANDOM, truth], errors="ignore")
        if own.empty or FULL not in means:
            continue
        best, seeds = own.idxmax(), rows["seed"].nunique()
        f1 = {f"the choice of {best}": own.max()}
        if attention in own.index and best != attention:
            f1["attention's choice"] = own[attention]
        if RANDOM in means:
            f1["as many random words"] = means[RANDOM]
        if truth in means and means[truth] < own.max():
            f1["the deciding words, filled up with random ones,"] = means[truth]
        given = listed(
            [f"whole texts give an F1 of {means[FULL]:.2f}", *(f"{k} {v:.2f}" for k, v in f1.items())]
        )
        several = "one seed" if seeds == 1 else f"{seeds} seeds"
        here = [f"**{inert(corpus)}, {LABELS[encoder]}** ({several}): {given}."]
        here += _right_while_blind(rows)
        said.append(" ".join(here))
    return said


def chosen_say(table: pd.DataFrame) -> list[str]:
    """What follows where attention's choice teaches more than the deciding words; empty where it doesn't."""
    truth, attention, best = _choice(TRUTH), rationales.label_of("attention"), (0.0, "")
    for (corpus, encoder), rows in table.groupby(["corpus", "encoder"], sort=False):
        means = next(iter(readers(rows).values()))["mean"]
        if truth in means and attention in means:
            of = f"{inert(corpus)}, {LABELS[encoder]}: F1 {means[attention]:.2f} against {means[truth]:.2f}"
            best = max(best, (means[attention] - means[truth], of))
    if best[0] <= 0:
        return []
    return [
        "A surprise: words that attention chooses are better to learn from than the words that decide "
        f"({best[1]}). One reason may be that a fifth of a text can't always hold all words that decide. "
        "Another may be that *which* words were chosen gives the label away: the model that chose them had "
        "read the whole text."
    ]


def _right_while_blind(rows: pd.DataFrame) -> list[str]:
    """How often readers are right on texts of which they were given no deciding word."""
    if "blind_accuracy" not in rows:
        return []
    blind = rows.groupby("ranking")["blind_accuracy"].mean().dropna()
    if "attention" not in blind or RANDOM not in blind:
        return []
    return [
        "On texts of which it was given no deciding word at all, the model that learnt from attention's "
        f"choice is right in {blind['attention']:.0%} of the cases, from random words in "
        f"{blind[RANDOM]:.0%}."
    ]


def note_of_readers(table: pd.DataFrame) -> str:
    """What the figure of readers measures, of how many seeds."""
    seeds = table["seed"].nunique()
    spread = "one seed" if seeds == 1 else f"mean and range of {seeds} seeds"
    return f"macro F1 ({spread})"


def limits_of_readers(table: pd.DataFrame) -> tuple[float, float]:
    """An axis for the figures of readers of all corpora, by twentieths; table: of a row at least."""
    low, high = table["read_f1"].min(), table["read_f1"].max()
    return np.floor(low * 20 - 0.2) / 20, min(np.ceil(high * 20 + 0.2) / 20, 1.0)


def costs(run) -> pd.DataFrame:
    """What each ranking takes, for the page."""
    table = rationales.seconds(run)[["label", "seconds", "cost"]]
    return table.rename(columns={"label": "ranking", "cost": "what it needs"})


def costs_say(run) -> str:
    """How long the quickest and the slowest ranking took, of those whose time is known."""
    table = rationales.seconds(run).dropna(subset=["seconds"])
    if table.empty:
        return "No ranking's time is known here."
    low, high = table.loc[table["seconds"].idxmin()], table.loc[table["seconds"].idxmax()]
    return (
        f"A text takes {low['seconds']:.2g} seconds ({low['label']}) to {high['seconds']:.2g} seconds "
        f"({high['label']}). A ranking that needs no more than the stored [evidence](glossary.md#evidence), "
        "such as attention, costs next to nothing."
    )


def definitions(found: pd.DataFrame) -> pd.DataFrame:
    """What each ranking is, but for chance, the truth and sizes of others. found: `means`."""
    declared, rows = rankings.declared(), []
    for name in dict.fromkeys(name.removesuffix(rationales.SIZE) for name in found.index):
        if name not in YARDSTICKS:
            rows.append([declared[name].label, MEANS.get(name, declared[name].what)])
    return pd.DataFrame(rows, columns=["ranking", "a word's score"])


def title_of_readers(table: pd.DataFrame) -> str:
    """What the figure of readers shows: how much of what whole texts give is left, by the best ranking.

    table: a corpus's rows.
    """
    corpus, left = text_for(table["corpus"].iloc[0], "figure"), {}
    for model, rows in readers(table).items():
        own = rows.drop(index=[FULL, RANDOM, _choice(TRUTH)], errors="ignore")["mean"]
        if len(own) and FULL in rows.index:
            left[model] = own.max() / rows["mean"][FULL]
    if not left:
        return f"What is learnt from a fifth of the words of {corpus}"
    said = listed([f"{share:.0%} ({model})" for model, share in left.items()])
    return f"On {corpus} a fifth of the words, chosen well, gives {said} of the F1 of whole texts"


def near_chance(rows: pd.DataFrame) -> bool:
    """Whether no ranking's AUPRC is 0.05 or more above a random order's."""
    return all((table["mean"] < 0.05).all() for table in people_by_model(rows).values())


def title_of_people(rows: pd.DataFrame) -> str:
    """What the figure of people's marks shows."""
    means = pd.concat([table["mean"] for table in people_by_model(rows).values()])
    much = "little better" if near_chance(rows) else "better"
    said = f"Rankings find people's marks {much} than a random order: AUPRC {_range(means, '+.3f')}"
    floor = _floor(rows)
    return said if np.isnan(floor) else f"{said} over {floor:.2f}"


def _floor(rows: pd.DataFrame) -> float:
    """A random order's AUPRC; NaN where it isn't there."""
    return rows.loc[(rows["class"] == "overall") & (rows["measure"] == f"auprc_{RANDOM}"), "mean"].mean()


def count_says(found: pd.DataFrame) -> str:
    """How many rankings get a place. found: `means`."""
    own = [name for name in _rankings_and_truth(found) if name != TRUTH]
    sizes = sum(name.endswith(rationales.SIZE) for name in own)
    said = f"These are {len(own)} rankings"
    if sizes:
        said = f"With the sizes of {sizes} of them these are {len(own)} rankings"
    if TRUTH in found.index:
        said += f"; the deciding words, where they get a place, are one more, number {len(own) + 1}"
    return f"{said}. The random order gets no place."


def where_attention_stands(found: pd.DataFrame) -> pd.DataFrame:
    """By each metric, attention's mean and place, and who is first: for the last cell."""
    own = found.loc[_rankings_and_truth(found)]
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


def answer(found: pd.DataFrame) -> list[str]:
    """The chapter's question, answered."""
    firsts = first_by(found)
    if not firsts:
        return [NOTHING]
    return [
        "A ranking can be faithful to the model (by one of several metrics), to a person, or to the truth of "
        "a text. These are different judges.",
        f"{title_of_metrics(found)}. {attention_stands(found)}",
        "So whoever says that attention is faithful, or that it isn't, has to name the judge.",
        "To learn what moved a model, ask the model, as comprehensiveness does; to learn what a person would "
        "accept, ask people.",
    ]


# By hand


def by_hand() -> pd.DataFrame:
    """The example by five metrics, a row a metric and a column a ranking."""
    names = {
        "its two top words": "top two words",
        "p without them falls by": "comprehensiveness",
        "p of them alone falls by": "sufficiency",
        "normalised": "comp., normalised",
    }
    table = rationales.by_hand().set_index("ranking").T.rename(index=names)
    return table.map(lambda x: x if isinstance(x, str) else signed(x)).reset_index(names="")


def hand() -> tuple[list[str], dict[str, list[float]]]:
    """The example's words, and what stands over each."""
    own = rationales.HAND
    return own["words"], {"worth (logit)": own["worth"], "attention": own["attention"]}


def hand_says() -> str:
    """The finding of the example's figure."""
    own = rationales.HAND
    most = {name: own["words"][int(np.argmax(own[name]))] for name in ("attention", "worth")}
    return f"Most attention is on “{most['attention']}”, and “{most['worth']}” adds most"
