"""Chapter 11: its tables for the page, and its sentences with their odd cases."""

import numpy as np
import pandas as pd

from heed.experiments import rationales
from heed.experiments.fresh import FULL
from heed.measures import rankings, stats
from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.measures.marks import RANDOM
from heed.measures.registry import MEASURES
from heed.params import Params
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
MADE = "planted, a [made corpus](glossary.md#made-corpora)"
CHANCE = "a random order, if it were one more"
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
    read: pd.DataFrame,
    p: Params,
) -> list[str]:
    """The chapter's answer.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers of rationales.
    """
    if not first_by(found):
        return [NOTHING]
    which = MADE if p.corpus == "planted" else inert(p.corpus)
    of = f"{counted(table['id'].nunique())} ({which}; {LABELS[p.encoder]}, one seed)"
    said = [
        f"On {of} {better_than_chance(found, table)}.",
        f"{who_leads(found)}{how_sure(found, table)}.{_may_lead(found, table)}{_favours(found)}",
    ]
    against = against_truth(agreement)
    if against and against["best"] != rationales.label_of("attention"):
        said.append(
            f"{_whether_found(agreement)}: [τ](glossary.md#kendall-τ) with them "
            f"{_own_tau(agreement, '')}, {against['best']}'s {signed(against['tau'])}."
        )
    said += [said_of for said_of in (learns(read, p),) if said_of]
    for name in people_by_model(people):
        much = "little better than" if near_chance(people) else "better than"
        of = f"{inert(name)}, {_of_people(people)}"
        said.append(f"In film reviews ({of}) rankings find people's marks {much} chance.")
    use = to_use(found, table)
    return [*said, f"{use[0].upper()}{use[1:]}."]


def better_than_chance(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By how many metrics attention is surely better than a random order, as part of a sentence."""
    own = against_random(found, table)
    if own.empty:
        stands = attention_stands(found).removesuffix(".")
        return f"{stands[0].lower()}{stands[1:]}"
    better, sure = (own[end] > 0 for end in ("better", "low"))
    said = f"attention beats a random order by {better.sum() or 'none'} of {len(own)} metrics"
    if not better.any():
        return said
    names = [f"*{_plain(name)}*" for name in own.loc[sure, "metric"]]
    many = "each" if len(names) == better.sum() else len(names) or "none"
    which = f": {listed(names)}" if 0 < len(names) < min(3, better.sum()) else ""
    return f"{said}, *surely* (95 % interval above 0) by {many}{which}"


def learns(read: pd.DataFrame, p: Params) -> str:
    """What a new model learns from attention's choice of words; empty if no such reader is stored."""
    own = read[(read["corpus"] == p.corpus) & (read["encoder"] == p.encoder)]
    f1 = {name: rows["read_f1"] for name, rows in own.groupby("ranking")}
    if not {"attention", RANDOM} <= {*f1}:
        return ""
    attention, drawn = f1["attention"], f1[RANDOM]
    how = "learns more" if attention.min() > drawn.max() else "doesn't surely learn more"
    seeds = "one seed" if len(attention) == 1 else f"{len(attention)} seeds"
    best = max(rows.mean() for name, rows in f1.items() if name not in (FULL, RANDOM, TRUTH))
    return (
        f"There a *new* model {how} from attention's top fifth of words (F1 {attention.mean():.2f}, {seeds}) "
        f"than from a random fifth ({drawn.mean():.2f}); the best choice gives {best:.2f}."
    )


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
    of = sum(name not in LAYER for name in first_by(found))
    if by == 0:
        return "No metric of the whole model was taken"
    if len(names) > 2:
        return f"No two rankings share the first places of {counted(by, 'metric')} of the whole model"
    each = "each of " if by == of > 1 else "" if by == of else f"{by} of "
    first = " or ".join(names)
    return f"{first[0].upper()}{first[1:]} comes first by {each}{counted(of, 'metric')} of the whole model"


def ahead(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """`leads` of one or two `leaders` over the best other ranking, by metrics of the whole model."""
    names = leaders(found)
    own = leads(found, table, [name for name in found.index if name not in {*names, *YARDSTICKS}])
    return own[own["metric"].isin(of_whole_model(found)) & (len(names) < 3)]


def how_sure(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By how many metrics the lead over all others is sure, after a comma; nothing of nobody to lead."""
    own = ahead(found, table)
    if own.empty:
        return ""
    sure = "each" if not own["open"].any() else (~own["open"]).sum() or "none"
    return f", surely before {'all others' if len(leaders(found)) == 2 else 'the second'} by {sure}"


def _may_lead(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """By which metrics a ranking made of attention may lead as well, as a sentence after another."""
    made = [name + end for name in ATTENTIVE for end in ("", rationales.SIZE)]
    own = ahead(found, table)
    each = [
        f"by *{_plain(row.metric)}*, {_with_ends(row.lead, row)}, the lead may be "
        f"{rationales.label_of(row.second)}'s"
        for row in own[own["open"]].itertuples()
        if row.second in made
    ]
    return f" B{listed(each)[1:]}." if each else ""


def _plain(metric: str) -> str:
    """A metric's name without its direction."""
    return SHOWN[metric].partition(" (")[0]


def _favours(found: pd.DataFrame) -> str:
    """That these metrics favour their leaders, where both take words away; as a sentence after another."""
    names = leaders(found)
    if not (0 < len(names) <= 2 and {*names} <= REMOVE):
        return ""
    like, whom = ("it", "it") if len(names) == 1 else ("both", "them")
    return f" These metrics, like {like}, take words away, which favours {whom}."


def narrow(found: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """By which metrics the leaders' lead may be chance, and who leads by the other metrics."""
    if not first_by(found):
        return []
    names, said, own = leaders(found), [], ahead(found, table)
    if len(names) == 2:
        between = leads(found, table, names)
        between = between[between["metric"].isin(of_whole_model(found))]
        first = " and ".join(rationales.label_of(name) for name in names)
        first = f"Between {first} the lead is sure by"
        said.append(f"{first} {(~between['open']).sum() or 'none'} of {counted(len(between), 'metric')}.")
    if own["open"].any():
        each = [
            f"by *{_plain(row.metric)}*, {_with_ends(row.lead, row)} before {rationales.label_of(row.second)}"
            for row in own[own["open"]].itertuples()
        ]
        whose, whom = ("Their", "all others") if len(names) == 2 else ("Its", "the second")
        said.append(f"{whose} lead over {whom} may be chance {', and '.join(each)}.")
    return [*said, *elsewhere_leads(found)]


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


def to_use(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """Which ranking to use, by what was found, as part of a sentence."""
    names, own = leaders(found), leads(found, table, ["attention"])
    sure = not own.loc[own["metric"].isin(of_whole_model(found)), "open"].all()
    if 0 < len(names) <= 2 and "attention" not in names and sure:
        first = " or ".join(rationales.label_of(name) for name in names)
        return f"to learn what moved such a model, ask {first}, not attention"
    return "a ranking is faithful *to something*: say to what"


def _whether_found(table: pd.DataFrame) -> str:
    """Whether attention finds the words that decide. table: `distinct`."""
    own = with_whom(table).loc[rationales.label_of("attention")]
    finds = "finds" if own["truth low"] > 0 else "doesn't find"
    return f"Attention's order {finds} the deciding words"


def _range(values: pd.Series, form: str) -> str:
    """`0.1 to 0.2`, or `0.1` where both are alike."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def _own_tau(table: pd.DataFrame, what: str = "95 % interval ") -> str:
    """Attention's τ with the deciding words and its interval. table: `distinct`."""
    own = with_whom(table).loc[rationales.label_of("attention")]
    ends = f"{signed(own['truth low'])} to {signed(own['truth high'])}"
    return f"{signed(own['truth'])} ({what}{ends})"


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


def leads(found: pd.DataFrame, table: pd.DataFrame, over: list[str] | None = None) -> pd.DataFrame:
    """By each metric who is first and who second, and the lead with its 95 % interval over texts.

    table: `faithfulness`'s rows. over: of which rankings the second is the best; of all, if it isn't given.
    open: the interval as it is shown, to two decimals, isn't above 0. Empty of a single ranking.
    """
    own, rows = found.drop(index=[name for name in YARDSTICKS if name in found.index]), []
    for name, first in first_by(found).items():
        others = own.loc[[other for other in (own.index if over is None else over) if other != first], name]
        if others.empty:
            continue
        second = others.idxmin() if name in LESS else others.idxmax()
        each = table.pivot(index="id", columns="ranking", values=name)
        better = (each[first] - each[second]) * (-1 if name in LESS else 1)
        low, high = stats.interval(better.dropna().to_numpy(), RESAMPLES, 0)
        rows.append([name, first, second, better.mean(), low, high, not round(low, 2) > 0])
    return pd.DataFrame(rows, columns=["metric", "first", "second", "lead", "low", "high", "open"])


def table_of_leads(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """`leads` for the page; each lead with its 95 % interval over texts."""
    rows = [
        [
            in_figures(row.metric),
            _with_ends(row.lead, row),
            *map(rationales.label_of, (row.first, row.second)),
        ]
        for row in leads(found, table).itertuples()
    ]
    return pd.DataFrame(rows, columns=["metric", "lead", "first", "second"])


def table_of_attention(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """How far attention is before a random order, and the first before attention, with intervals.

    Empty without a random order.
    """
    rows = []
    behind = {
        row.metric: _with_ends(row.lead, row) for row in leads(found, table, ["attention"]).itertuples()
    }
    for row in against_random(found, table).itertuples():
        rows.append([in_figures(row.metric), _with_ends(row.better, row), behind.get(row.metric, "–")])
    columns = ["metric", "attention before a random order", "the first before attention"]
    return pd.DataFrame(rows, columns=columns)


def _with_ends(value: float, row) -> str:
    """`0.03 (−0.03 to 0.09)`: a value, and a row's interval."""
    return f"{signed(value)} ({signed(row.low)} to {signed(row.high)})"


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
            rows.append([name, round(better.mean(), 2), round(low, 2), round(high, 2)])
    return pd.DataFrame(rows, columns=["metric", "better", "low", "high"])


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
    """For the figure: by each metric's label the places of truth, attention and chance, and the first.

    A random order's is the place that it would have as one more ranking.
    """
    own = found.loc[_rankings_and_truth(found)]
    placed = ranks(own)
    columns = {"the deciding words": TRUTH, "attention": "attention"}
    if RANDOM in found.index:
        way = pd.Series({name: -1 if name in LESS else 1 for name in own})
        better = (own * way).gt(found.loc[RANDOM] * way)
        placed.loc[RANDOM] = 1 + better.sum()
        columns[CHANCE] = RANDOM
    table = pd.DataFrame({label: placed.loc[name] for label, name in columns.items() if name in placed.index})
    table["first"] = [
        rationales.label_of(placed.loc[own.index, name].idxmin()) if placed[name].notna().any() else ""
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
    best = _plain(min(places, key=places.get))
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
    bound = CLEAR / np.sqrt(len(rows) - 1)
    way = "more" if rho > 0 else "less"
    says = f"Rankings that agree more with the others tend to agree {way} with the truth"
    if abs(rho) < bound:
        says = (
            f"In this sample rankings that agree more with the others agree {way} with the truth, "
            "but that may be chance"
        )
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
        f"{against['says']}: Spearman's ρ of the two τ is {signed(against['rho'])} over "
        f"{against['rankings']} rankings.",
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
    """How far rankings agree, and how many of those that do are made of attention. found: `taus`."""
    _, pairs = _of_rankings(found)
    if pairs.empty:
        return NOTHING
    close, first, second = pairs[pairs >= 0.5], *pairs.idxmax()
    agree = "agrees" if len(close) == 1 else "agree"
    kin = {rationales.label_of(name + end) for name in ATTENTIVE for end in ("", rationales.SIZE)}
    within = sum(one in kin and other in kin for one, other in close.index)
    both = f" (in {within} of these both are made of attention)" if within > 1 else ""
    return (
        f"Of {counted(len(pairs), 'pair')} of rankings {len(close) or 'none'} {agree} at τ = 0.5 or "
        f"more{both}. "
        f"{first[0].upper()}{first[1:]} and {second} agree most (τ = {signed(pairs.max())}); the mean is "
        f"{signed(pairs.mean())}."
    )


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
    """What the figures of readers don't show, a paragraph a model. table: a corpus's rows."""
    said = []
    for (corpus, encoder), rows in table.groupby(["corpus", "encoder"], sort=False):
        here = _right_while_blind(rows)
        if (corpus, encoder) == ("planted", "average"):
            here = [
                "Even whole texts give little: Average reads each word alone, and so can't know that *not* "
                "turns the next word round.",
                *here,
            ]
        if here:
            said.append(f"**{inert(corpus)}, {LABELS[encoder]}:** {' '.join(here)}")
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
    return f"{said}. The random order isn't counted."


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


def answer(
    found: pd.DataFrame, table: pd.DataFrame, agreement: pd.DataFrame, read: pd.DataFrame, p: Params
) -> list[str]:
    """The chapter's question, answered, judge by judge.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; read: the stored readers.
    """
    if not first_by(found):
        return [NOTHING]
    names, random = leaders(found), against_random(found, table)
    said = [f"{who_leads(found)}.{_favours(found)}"]
    stands = []
    if "attention" not in names and len(own := leads(found, table, ["attention"])):
        own = own[own["metric"].isin(of_whole_model(found))]
        stands.append(f"surely behind the first by {(~own['open']).sum() or 'none'} of these {len(own)}")
    if len(random):
        sure = (random["low"] > 0).sum() or "none"
        stands.append(f"surely before a random order by {sure} of all {len(random)}")
    if stands:
        said.append(f"Attention is {listed(stands)}.")
    said = [f"**To the model:** {' '.join(said)}"]
    nearest, against = "", against_truth(agreement)
    if against:
        nearest = f" {against['best'][0].upper()}{against['best'][1:]} comes nearest to it."
        if against["best"] != rationales.label_of("attention"):
            nearest += f" {_whether_found(agreement)}."
    taught = learns(read, p).removeprefix("There ")
    said += [
        f"**To the truth:** it is known of made corpora alone.{nearest}",
        "**To a person:** ask people. What convinces them need not be what moved the model.",
        *([f"**To a learner:** {taught}"] if taught else []),
    ]
    use = to_use(found, table)
    return [*said, f"**Which to use?** {use[0].upper()}{use[1:]}."]


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
