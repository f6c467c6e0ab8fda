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
from heed.show.sentences import counted, listed, signed, with_range
from heed.show.style import LABELS
from heed.show.words import text_for

TRUTH = "truth"
NOTHING = "No text here has two words to be put in an order."
CLEAR = 1.96  # standard errors, from which on a rank correlation is told from 0
SAME = 0.999  # τ from which on two rankings are one by construction
YARDSTICKS = {BEST, WORST, RANDOM, TRUTH}
BUILT = {("monotonicity", "loo")}  # metrics that a ranking wins by construction
LAYER = {"held_comp"}  # metrics of the attention layer alone, not of the whole model
REMOVE = {"lime", "kernel_shap", "loo"}  # rankings that take words away, as the metrics do
ATTENTIVE = {"attention", "attention_norm", "attention_product", "attention_game"}  # made of its weights
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
    "attention_norm": "the word's weight times the size of its value",
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
    """For the figure of metrics: the means, by the labels of rankings and metrics, and each one's place.

    The best mean place is first, and what gets no place (chance, the model's own orders) last.
    """
    own = ranks(found.loc[_rankings_and_truth(found)])
    order = [*own.mean(axis=1).sort_values(kind="stable").index]
    order += [name for name in found.index if name not in order]
    return found.loc[order].rename(index=rationales.label_of, columns=HEADS), own.reindex(order)


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
    found: pd.DataFrame,
    table: pd.DataFrame,
    agreement: pd.DataFrame,
    people: pd.DataFrame,
    corpus: str,
    model: str,
) -> list[str]:
    """The chapter's answer.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    model: its encoder's name.
    """
    if not first_by(found):
        return [NOTHING]
    which = MADE if corpus == "planted" else inert(corpus)
    of = f", on {counted(table['id'].nunique())} ({which}; {inert(model)}, one seed)"
    said = [f"{better_than_chance(found, table)}{of}.", f"{who_leads(found)}{how_sure(found, table)}."]
    against = against_truth(agreement)
    if against and against["best"] != rationales.label_of("attention"):
        said.append(
            f"{_whether_found(agreement)}: its [τ](glossary.md#kendall-τ) with them is "
            f"{_own_tau(agreement)}; {against['best']}'s is {signed(against['tau'])}."
        )
    for name, own in people_by_model(people).items():
        much = "little better than" if near_chance(people) else "better than"
        floor = _floor(people)
        than = " to the AUPRC (area under the precision–recall curve)"
        than += "" if np.isnan(floor) else f", which by chance is {floor:.2f}"
        said.append(
            f"In film reviews ({inert(name)}, {_of_people(people)}) rankings find people's marks {much} a "
            f"random order: they add {_range(own['mean'], '.3f')}{than}."
        )
    return [*said, f"So {to_use(found)}."]


def better_than_chance(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By how many metrics attention is surely better than a random order, as part of a sentence."""
    own = against_random(found, table)
    if own.empty:
        return attention_stands(found).removesuffix(".")
    better, sure = ((own[end] > 0).sum() for end in ("better", "low"))
    said = f"Attention beats a random order of the words by {better or 'none'} of {len(own)} metrics"
    return said if sure == better else f"{said}, surely by {sure or 'none'}"


def of_whole_model(found: pd.DataFrame) -> dict[str, str]:
    """`first_by`, but of the metrics of the whole model that no ranking wins by construction."""
    return {
        name: first
        for name, first in first_by(found).items()
        if name not in LAYER and (name, first) not in BUILT
    }


def leaders(found: pd.DataFrame) -> list[str]:
    """The rankings that come first `of_whole_model`, most often first."""
    return [*pd.Series(of_whole_model(found), dtype=object).value_counts().index]


def who_leads(found: pd.DataFrame) -> str:
    """Who comes first by the metrics of the whole model, as part of a sentence; some ranking comes first."""
    names, by = [rationales.label_of(name) for name in leaders(found)], len(of_whole_model(found))
    metrics = f"{counted(by, 'metric')} of the whole model"
    if by == 0:
        return "No metric of the whole model was taken"
    if len(names) > 2:
        return f"No two rankings share the first places of {metrics}: {len(names)} do"
    first = " or ".join(names)
    return f"{first[0].upper()}{first[1:]} comes first by {'each of ' if by > 1 else ''}{metrics}"


def how_sure(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By how many of these metrics the lead may be chance, after a semicolon; nothing if by none."""
    own = leads(found, table)
    own = own[own["metric"].isin(of_whole_model(found))]
    if not own["open"].any():
        return ""
    if len(leaders(found)) == 2 and own["open"].all():
        return "; which of the two may be chance"
    return f"; the lead may be chance by {own['open'].sum()} of them"


def first_places(found: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Who comes first, by the metrics of the whole model and by the others; nothing of no text."""
    if not first_by(found):
        return []
    return [f"{who_leads(found)}{how_sure(found, table)}.", *elsewhere_leads(found)]


def elsewhere_leads(found: pd.DataFrame) -> list[str]:
    """Who comes first by the other metrics, and why that counts for less."""
    said = []
    for name, first in first_by(found).items():
        label = rationales.label_of(first)
        if name in LAYER:
            said.append(f"{label[0].upper()}{label[1:]} is first where only the attention layer counts.")
        if (name, first) in BUILT:
            said.append(f"{label[0].upper()}{label[1:]} is first by {SHOWN[name]}, but by construction.")
    return said


def to_use(found: pd.DataFrame) -> str:
    """Which ranking to use, by what was found, as part of a sentence."""
    names = leaders(found)
    if 0 < len(names) <= 2 and "attention" not in names:
        first = " or ".join(rationales.label_of(name) for name in names)
        return f"to learn what moved such a model, ask {first}, not attention"
    return "a ranking is faithful *to something*: say to what"


def _whether_found(table: pd.DataFrame) -> str:
    """Whether attention finds the words that decide. table: `distinct`."""
    own = with_whom(table).loc[rationales.label_of("attention")]
    finds = "finds" if own["truth low"] > 0 else "doesn't find"
    return f"Attention's order {finds} the words that decide"


def _range(values: pd.Series, form: str) -> str:
    """`0.1 to 0.2`, or `0.1` where both are alike."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def _own_tau(table: pd.DataFrame) -> str:
    """Attention's τ with the deciding words and its interval. table: `distinct`."""
    own = with_whom(table).loc[rationales.label_of("attention")]
    ends = f"{signed(own['truth low'])} to {signed(own['truth high'])}"
    return f"{signed(own['truth'])} (95 % interval {ends})"


def title_of_metrics(found: pd.DataFrame) -> str:
    """What the figure of metrics shows."""
    if not first_by(found):
        return "What metrics say"
    own = ranks(found.loc[_rankings_and_truth(found)]).loc["attention"].mean()
    of = len(_rankings_and_truth(found))
    return f"{who_leads(found)}; attention's mean place is {signed(own, '.0f')} of {of}"


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


def against_random(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """By how much attention is better than a random order by each metric, with the 95 % interval over texts.

    found: `means`; table: `faithfulness`'s rows. Columns: metric, better, low, high, to two decimals. Empty
    where one of the two isn't there.
    """
    rows = []
    for name in SHOWN if {"attention", RANDOM} <= {*found.index} else ():
        each = table.pivot(index="id", columns="ranking", values=name)
        better = ((each["attention"] - each[RANDOM]) * (-1 if name in LESS else 1)).dropna()
        if len(better):
            low, high = stats.interval(better.to_numpy(), RESAMPLES, 0)
            rows.append([f"*{in_figures(name)}*", round(better.mean(), 2), round(low, 2), round(high, 2)])
    return pd.DataFrame(rows, columns=["metric", "better", "low", "high"])


def beside_random(found: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """By how many metrics attention is better than a random order, and by how many that is sure.

    found: `means`; table: `faithfulness`'s rows. Empty where one of the two isn't there.
    """
    own = against_random(found, table)
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
    return (
        f"Of {how_many(found)} rankings, attention comes {_span(own)}, by metric; the deciding words "
        f"themselves come {_span(pd.Series(of_truth))}"
    )


def _span(places: pd.Series) -> str:
    """`4th to 14th`; of one place it alone."""
    least, most = _ordinal(int(places.min())), _ordinal(int(places.max()))
    return least if least == most else f"{least} to {most}"


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
    best, own = against["best"], ""
    if best != rationales.label_of("attention"):
        found = _whether_found(table).removeprefix("Attention's order ")
        own = f" Attention's τ is {_own_tau(table)}: its order {found}."
    return [
        f"{best[0].upper()}{best[1:]} agrees most with the words that decide "
        f"(τ = {signed(against['tau'])}).{own}",
        f"{against['says']}: Spearman's ρ is {signed(against['rho'])} over {against['rankings']} rankings.",
        "All are of one model, and several are made from attention, so this is a hint at most.",
    ]


def title_of_truth(table: pd.DataFrame) -> str:
    """The finding of the figure of `with_whom`."""
    against = against_truth(table)
    if not against:
        return "How far each ranking agrees with the others"
    best, own = against["best"], with_whom(table).loc[rationales.label_of("attention"), "truth"]
    if best == rationales.label_of("attention"):
        return f"Attention agrees most with the words that decide (τ\u00a0=\u00a0{signed(own)})"
    return (
        f"Attention's τ with the words that decide is {signed(own)}; {best} agrees most with them, "
        f"τ\u00a0=\u00a0{signed(against['tau'])}"
    )


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
    close = pairs[pairs >= 0.5]
    said = f"{len(close)} of {counted(len(pairs), 'pair')} of rankings agree at τ = 0.5 or more"
    kin = {rationales.label_of(name + end) for name in ATTENTIVE for end in ("", rationales.SIZE)}
    within = sum(first in kin and second in kin for first, second in close.index)
    return f"{said}; in {within} of these both are made of attention" if within > 1 else said


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
        table = table.sort_values("mean", ascending=False, kind="stable")
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
            if near_chance(of) and mean["needed_marked"] > mean["needed_chance"]:
                said[-1] += (
                    " So people and model do meet on its few words; a whole ranking is judged by all words, "
                    "which hides that."
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
    several = "is the only ranking" if len(table) == 1 else f"are the only {len(table)} rankings"
    return f"{said}. These {several} stored of these reviews."


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


def readers(
    table: pd.DataFrame, measure: str = "read_f1", like: pd.DataFrame | None = None
) -> dict[str, pd.DataFrame]:
    """Mean over seeds, lowest and highest, of each choice of words, by model. table: a corpus's rows.

    The best choice is first, by the mean over all rows of `like`, which has the table's rows and more (of the
    table itself, if it isn't given); whole texts stand before, the deciding and random words after.
    """
    order = (table if like is None else like).groupby("ranking")[measure].mean().sort_values(ascending=False)
    first, last = [FULL], [TRUTH, RANDOM]
    order = [*first, *(name for name in order.index if name not in (*first, *last)), *last]
    found = {}
    for encoder, own in table.groupby("encoder", sort=False):
        rows = own.groupby("ranking", sort=False)[measure].agg(["mean", "min", "max"])
        rows.columns = ["mean", "low", "high"]
        found[LABELS[encoder]] = rows.loc[[name for name in order if name in rows.index]].rename(
            index=_choice
        )
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
        if (corpus, encoder) == ("planted", "average"):
            here.append(
                "Even whole texts give little: Average reads each word alone, and so can't know that *not* "
                "turns the next word round."
            )
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
    blind = {name: own["blind_accuracy"].dropna() for name, own in rows.groupby("ranking")}
    if not all(name in blind and len(blind[name]) for name in ("attention", RANDOM)):
        return []
    given, drawn = (with_range(100 * blind[name], ".0f") for name in ("attention", RANDOM))
    apart = blind["attention"].min() > blind[RANDOM].max()
    return [
        "On texts of which it was given no deciding word at all, the model that learnt from attention's "
        f"choice is right in {given} % of the cases, from random words in {drawn} %"
        + (
            "."
            if apart or len(blind["attention"]) < 2
            else ": not surely more, as the seeds' ranges overlap."
        )
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
    """What the figure of readers shows: what the best ranking's choice gives, and what whole texts give.

    table: a corpus's rows.
    """
    corpus, left = text_for(table["corpus"].iloc[0], "figure"), {}
    for model, rows in readers(table).items():
        own = rows.drop(index=[FULL, RANDOM, _choice(TRUTH)], errors="ignore")["mean"]
        if len(own) and FULL in rows.index:
            left[model] = own.max(), rows["mean"][FULL]
    if not left:
        return f"What is learnt from a fifth of the words of {corpus}"
    given = listed([f"{best:.2f} ({model})" for model, (best, _) in left.items()])
    whole = listed([f"{f1:.2f}" for _, f1 in left.values()])
    return f"On {corpus} a fifth of the words, chosen well, gives an F1 of {given}; whole texts give {whole}"


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


def answer(found: pd.DataFrame, table: pd.DataFrame, agreement: pd.DataFrame) -> list[str]:
    """The chapter's question, answered.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s.
    """
    if not first_by(found):
        return [NOTHING]
    said = [
        "A ranking can be faithful to the model, to a person, or to the truth of a text. These are different "
        "judges, so name the one that you mean.",
        f"**To the model:** {better_than_chance(found, table)}. {who_leads(found)}{how_sure(found, table)}.",
    ]
    names = leaders(found)
    if 0 < len(names) <= 2 and {*names} <= REMOVE:
        are = f"{rationales.label_of(names[0])} does" if len(names) == 1 else "these two do"
        said[-1] += f" All metrics of the whole model take words away, and so {are}, which favours them."
    nearest, against = "", against_truth(agreement)
    if against and against["best"] != rationales.label_of("attention"):
        nearest = (
            f" {_whether_found(agreement)}; {against['best']} comes nearest to them (τ = "
            f"{signed(against['tau'])})."
        )
    use = to_use(found)
    said += [
        f"**To the truth:** it is known of made corpora alone.{nearest}",
        "**To a person:** ask people. What convinces them need not be what moved the model.",
        f"**Which to use?** {use[0].upper()}{use[1:]}.",
    ]
    return said


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
