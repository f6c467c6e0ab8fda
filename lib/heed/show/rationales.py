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
NEAR = 0.05  # an F1 that is lower by no more than this is about as much
SAME = 0.999  # τ from which on two rankings are one by construction
YARDSTICKS = {BEST, WORST, RANDOM, TRUTH}
BUILT = {("monotonicity", "loo")}  # metrics that a ranking wins by construction
LAYER = {"held_comp"}  # metrics of the attention layer alone, not of the whole model
REMOVE = {"lime", "kernel_shap", "loo"}  # rankings that take words away, as the metrics do
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
    """The chapter's answer, a line a judge.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers of rationales.
    """
    if not first_by(found):
        return [NOTHING]
    which = MADE if p.corpus == "planted" else inert(p.corpus)
    of = f"{counted(table['id'].nunique())} of {which}"
    asked = f"**The model**, {_one(LABELS[p.encoder])}: on {of}"
    said = [f"{asked}, {who_leads(found, 'the')} of faithfulness.{_favours(found)}"]
    random = against_random(found, table)
    if len(random):
        said.append(f"{better_than_random(random, len(first_by(found)))}{_of_layer(random)}.")
    rows = with_truth(agreement)
    if len(rows):
        finds, own = _whether_found(rows), signed(rows.loc[rationales.label_of("attention"), "mean"])
        said.append(f"**The truth:** {finds} ([τ](glossary.md#kendall-τ) {own}; 0 is chance).")
    if people_by_model(people):
        tried = max(map(len, people_by_model(people).values()))
        none = f"none of {counted(tried, 'ranking')} tried finds"
        whether, much = (none, "much ") if near_chance(people) else ("rankings find", "")
        said.append(f"**People:** in film reviews {whether} their marks {much}better than chance.")
    lessons = taught(read)
    if len(lessons):
        said.append(
            "**A learner**, a new model trained on top words alone: "
            f"{_lower(inert(title_of_readers(lessons)))}."
        )
    return said


def _one(model: str) -> str:
    """`a BiLSTM`, `an Average model`."""
    return "an Average model" if model == LABELS["average"] else f"a {model}"


def _of_layer(random: pd.DataFrame) -> str:
    """Which of the metrics that attention wins over a random order ask the attention layer alone."""
    sure = random[random["low"] > 0]["metric"]
    n = int(sure.isin(LAYER).sum())
    if not n:
        return ""
    which = "that one asks" if n == len(sure) == 1 else "one of these asks" if n == 1 else "these ask"
    return f"; {which} the attention layer alone"


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"


def _upper(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def better_than_random(random: pd.DataFrame, of: int = 0) -> str:
    """By how many metrics attention is clearly better than a random order. random: `against_random`, of rows.

    of: how many metrics were named before, so that no number is told again.
    """
    sure, every = int((random["low"] > 0).sum()), len(random)
    by = "each" if sure == every > 1 else sure or "none"
    whole = "them" if of == every else counted(every, "metric")
    ahead = int((random["better"] > 0).sum())
    more = f", and ahead of it by {'all' if ahead == every else ahead}" if ahead > sure and not of else ""
    return f"Attention is clearly better than a random order by {by} of {whole}{more}"


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


def won(found: pd.DataFrame) -> dict[str, str]:
    """The metrics by which one of `leaders` is first, but not by construction; and who is."""
    names, firsts = leaders(found), first_by(found).items()
    return {name: first for name, first in firsts if first in names and (name, first) not in BUILT}


def who_leads(found: pd.DataFrame, begins: str = "") -> str:
    """Who comes first by how many metrics, as a sentence without its stop; some ranking comes first.

    begins: any text, where the words come amid a sentence.
    """
    names, by, of = leaders(found), len(won(found)), len(first_by(found))
    if not names:
        said = "No metric of the whole model was taken"
    elif len(names) > 2:
        said = f"No two rankings share the first places by {counted(of, 'metric')}"
    else:
        first = " or ".join(rationales.label_of(name) for name in names)
        each = "each of " if by == of > 1 else "" if by == of else f"{by} of "
        said = f"{first if begins else _upper(first)} comes first by {each}{counted(of, 'metric')}"
    return _lower(said) if begins and not 0 < len(names) <= 2 else said


def ahead(found: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """`leads` of one or two `leaders` over the best other ranking, by the metrics that they win."""
    names = leaders(found)
    same = {*names, *(name + rationales.SIZE for name in names), *YARDSTICKS}  # without their signs, too
    own = leads(found, table, [name for name in found.index if name not in same])
    return own[own["metric"].isin(won(found)) & (len(names) < 3)]


def leads_drawn(own: pd.DataFrame) -> pd.DataFrame:
    """For the figure of leads: `ahead`, a row a metric, which names who is first and who is next."""
    label = rationales.label_of
    rows = {
        f"{_plain(row.metric)}:\n{label(row.first)} before {label(row.second)}": [row.lead, row.low, row.high]
        for row in own.itertuples()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])


def random_drawn(own: pd.DataFrame) -> pd.DataFrame:
    """For the figure of attention and chance: `against_random`, a row a metric."""
    own = own.set_axis([_plain(name) for name in own["metric"]])
    return own.rename(columns={"better": "mean"})[["mean", "low", "high"]]


def title_of_leads(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """The finding of the figure of leads; `ahead` has rows."""
    own = ahead(found, table)
    sure = int((~own["open"]).sum())
    how = "" if sure == len(own) else f" by {sure or 'none'}"
    return f"{who_leads(found)}, clearly so{how}"


def texts_of(table: pd.DataFrame) -> str:
    """`with 95 % interval over 20 texts`, for the figures' labels; of one text nothing of an interval."""
    n = table["id"].nunique()
    return "of 1 text" if n == 1 else f"with 95 % interval over {counted(n)}"


def _plain(metric: str) -> str:
    """A metric's name without its direction."""
    return SHOWN[metric].partition(" (")[0]


def _favours(found: pd.DataFrame) -> str:
    """That these metrics favour their leaders, where both take words away; as a sentence after another."""
    names = leaders(found)
    if not (0 < len(names) <= 2 and {*names} <= REMOVE):
        return ""
    who, whom = ("It takes", "it") if len(names) == 1 else ("Both take", "them")
    return f" {who} words away, as the metrics do, which favours {whom}."


def elsewhere_leads(found: pd.DataFrame) -> list[str]:
    """Who comes first by the metrics that no leader wins, and why that counts for less."""
    said = []
    for name, first in first_by(found).items():
        label = rationales.label_of(first)
        if name in LAYER and name not in won(found):
            said.append(f"By {_plain(name)}, {label} is first.")
        if (name, first) in BUILT:
            said.append(f"By {_plain(name)}, {label} is first by construction: it is the effect asked for.")
    return said


def to_use(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """Which ranking to use, by what was found, and how far that reaches."""
    names, own = leaders(found), leads(found, table, ["attention"])
    sure = not own.loc[own["metric"].isin(won(found)), "open"].all()
    if 0 < len(names) <= 2 and "attention" not in names and sure:
        first = " or ".join(rationales.label_of(name) for name in names)
        texts = counted(table["id"].nunique())
        return (
            f"to say what moved this model, not attention but {first}, as far as {texts} and these metrics "
            "tell"
        )
    return "a ranking is faithful *to something*: say to what"


def _whether_found(rows: pd.DataFrame) -> str:
    """Whether attention finds the words that decide. rows: `with_truth`'s."""
    finds = "finds" if rows.loc[rationales.label_of("attention"), "low"] > 0 else "doesn't find"
    return f"attention's order {finds} the words that make the label true"


def title_of_metrics(found: pd.DataFrame) -> str:
    """What the figure of metrics shows."""
    if not first_by(found):
        return "What metrics say"
    own = ranks(found.loc[_rankings_and_truth(found)]).loc["attention"].mean()
    return f"Attention's mean place is {signed(own, '.0f')} of {len(_rankings_and_truth(found))}"


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


def where_truth_stands(found: pd.DataFrame, corpus: str) -> list[str]:
    """Where the deciding words themselves come among the rankings, and why."""
    places = places_of_truth(found)
    if not places:
        return [f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."]
    best = _plain(min(places, key=places.get))
    return [
        f"The deciding words take {_places(found)}, the best of these by {best}.",
        "That need not be a fault of the metrics. They ask what moves *the model*, and it may rely on more "
        "than the words that make the label true.",
        "Besides, this ranking is all ties, and it has no signs: it also names words that speak against the "
        "decision.",
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


def with_truth(table: pd.DataFrame) -> pd.DataFrame:
    """Each ranking's mean τ with the deciding words, `low`, `high` and the number of texts; the best first.

    table: `agreement`'s, `distinct`. Indexed by the ranking's label. Empty where the truth isn't known.
    """
    both = pd.concat([table, table.rename(columns={"first": "second", "second": "first"})])
    own = both[(both["second"] == TRUTH) & (both["first"] != RANDOM)]
    rows = {}
    for name, of in own.groupby("first", sort=False):
        values = of.groupby("id")["tau"].mean().dropna().to_numpy()
        if len(values):
            low, high = stats.interval(values, RESAMPLES, 0)
            rows[rationales.label_of(name)] = [values.mean(), low, high, len(values)]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high", "texts"])
    known = rationales.label_of("attention") in found.index
    return found.sort_values("mean", ascending=False) if known else found[:0]


def ceiling(run) -> float:
    """The highest mean τ that a ranking without ties can have with the deciding words; NaN if none are known.

    The deciding words are ties, and so are all others: of n words, k of which decide, at most
    √(2k(n−k) / n(n−1)).
    """
    _, evidence = rationales.explained(run)
    scores = rankings.declared()[TRUTH].scores(evidence, None) if evidence.truth_is_known else {}
    sizes = [(int((np.asarray(own) > 0).sum()), len(own)) for own in scores.values()]
    each = [np.sqrt(2 * k * (n - k) / (n * (n - 1))) for k, n in sizes if 0 < k < n]
    return float(np.mean(each)) if each else np.nan


def label_of_truth(rows: pd.DataFrame, most: float) -> str:
    """The axis of the figure of `with_truth`, of rows; most: `ceiling`."""
    n = int(rows["texts"].max())
    over = "of 1 text" if n == 1 else f"mean with 95 % interval over {counted(n)}"
    end = "" if np.isnan(most) else f"; at most {most:.2f}, as the deciding words are ties"
    return f"Kendall's τ, {over}\n(0: chance{end})"


def title_of_truth(rows: pd.DataFrame) -> str:
    """The finding of the figure of `with_truth`, of rows."""
    name = rationales.label_of("attention")
    own = f"(τ\u00a0=\u00a0{signed(rows.loc[name, 'mean'])})"
    if rows["mean"].idxmax() == name:
        return f"Attention comes nearest to the deciding words {own}"
    finds = "finds" if rows.loc[name, "low"] > 0 else "doesn't find"
    return f"Attention {finds} the deciding words {own}; {nearest(rows)}"


def nearest(rows: pd.DataFrame) -> str:
    """Which one or two rankings come nearest to the deciding words, attention aside; rows: `with_truth`."""
    best = [*rows.drop(index=rationales.label_of("attention")).index[:2]]
    return f"{listed(best)} {'comes' if len(best) == 1 else 'come'} nearest"


# People's marks

ABOVE = "auprc_above_random_"


def people_by_model(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """How far each ranking's AUPRC is above a random order's, with its interval, by model; the best first.

    rows: of `summary_human`. Of several seeds the mean of their means and of their bounds. Empty without a
    random order's.
    """
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(ABOVE)]
    found = {}
    for encoder, of in own.groupby("encoder", sort=False) if not np.isnan(floor(rows)) else ():
        names = of["measure"].str.removeprefix(ABOVE)
        table = of[["mean", "low", "high"]].groupby(names.to_numpy(), sort=False).mean()
        table = table.sort_values("mean", ascending=False, kind="stable")
        found[LABELS[encoder]] = table.rename(index=rationales.label_of)
    return found


def people_say(rows: pd.DataFrame) -> list[str]:
    """What people's marks say of rankings and of the model: short sentences, model by model."""
    said = []
    for encoder, of in rows[rows["class"] == "overall"].groupby("encoder", sort=False):
        mean = of.groupby("measure")["mean"].mean()
        if {"marks_flip", "random_flip"} <= {*mean.index}:
            more = mean["marks_flip"] > mean["random_flip"]
            how = "Yet the marked words matter" if more else "Nor do the marked words matter more than others"
            said.append(
                f"{how} to the {LABELS[encoder]} model: erasing them all from its attention flips "
                f"{mean['marks_flip']:.0%} of its decisions, erasing as many words at random "
                f"{mean['random_flip']:.0%}."
            )
    return said


def needed_say(rows: pd.DataFrame) -> list[str]:
    """How far the few words that the model needs are those that people marked: a sentence or two a model."""
    said = []
    for encoder, of in rows[rows["class"] == "overall"].groupby("encoder", sort=False):
        mean = of.groupby("measure")["mean"].mean()
        if "needed_share" in mean:
            said += [
                f"The smallest set of words whose erasure from attention flips the {LABELS[encoder]} model's "
                f"decision has {mean['needed_share']:.1%} of a text's words. People marked "
                f"{mean['needed_marked']:.0%} of this set, and {mean['needed_chance']:.0%} of all words.",
                f"Of the words that people marked, {mean['marked_needed']:.1%} belong to this set.",
            ]
    return said


def note_of_people(rows: pd.DataFrame) -> str:
    """The axis of the figure of people's marks: of how many texts and seeds, and what is chance; of rows."""
    models = listed([LABELS[name] for name in rows["encoder"].unique()])
    return (
        f"AUPRC above a random order's, which is {floor(rows):.2f},\n"
        f"with 95 % interval ({models}, {_of_people(rows)})"
    )


def _of_people(rows: pd.DataFrame) -> str:
    """`199 texts, one seed`, of rows of people's marks; there are some."""
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(ABOVE)]
    seeds = own["seed"].nunique()
    return f"{own['n'].max():.0f} texts, {'one seed' if seeds == 1 else f'{seeds} seeds'}"


# Readers of rationales


def readers(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Mean F1 over seeds, lowest and highest, of each choice of words, by corpus and model.

    The best choice is first, by the mean over all; whole texts stand before, the deciding and random words
    after.
    """
    order = table.groupby("ranking")["read_f1"].mean().sort_values(ascending=False).index
    first, last = [FULL], [TRUTH, RANDOM]
    order = [*first, *(name for name in order if name not in (*first, *last)), *last]
    found = {}
    for (corpus, encoder), own in table.groupby(["corpus", "encoder"], sort=False):
        rows = own.groupby("ranking", sort=False)["read_f1"].agg(["mean", "min", "max"])
        rows.columns = ["mean", "low", "high"]
        found[_of_reader(corpus, encoder)] = rows.loc[[name for name in order if name in rows.index]].rename(
            index=_choice
        )
    return found


def note_of_readers(table: pd.DataFrame) -> str:
    """The axis of the figure of readers, and of how many seeds each corpus's are; of rows."""
    seeds = [f"{text_for(name, 'figure')} {own['seed'].nunique()}" for name, own in table.groupby("corpus")]
    return f"macro F1 of the new model,\nmean and range over seeds ({', '.join(seeds)})"


def _of_reader(corpus: str, encoder: str) -> str:
    return f"{corpus} ({LABELS[encoder]})"


def taught(read: pd.DataFrame) -> pd.DataFrame:
    """How much a new model learns from attention's choice of words, and from the best.

    A row a corpus and model. Columns: of, attention, place, rankings, best, f1, random, seeds. Empty where
    no such reader is stored.
    """
    rows = []
    for (corpus, encoder), own in read.groupby(["corpus", "encoder"], sort=False):
        means = own.groupby("ranking")["read_f1"].mean()
        left = means.drop([FULL, RANDOM, TRUTH], errors="ignore")
        if "attention" in left and len(left) > 1:
            f1, best = left["attention"], left.idxmax()
            place, drawn = 1 + int((left > f1).sum()), means.get(RANDOM, np.nan)
            of, seeds = _of_reader(corpus, encoder), own["seed"].nunique()
            rows.append([of, f1, place, len(left), rationales.label_of(best), left.max(), drawn, seeds])
    names = ["of", "attention", "place", "rankings", "best", "f1", "random", "seeds"]
    return pd.DataFrame(rows, columns=names)


def title_of_readers(rows: pd.DataFrame) -> str:
    """The finding of the figure of readers; nothing of none. rows: `taught`'s."""
    if rows.empty:
        return ""
    last = rows["place"] == rows["rankings"]
    near = ~last & (rows["f1"] - rows["attention"] <= NEAR)
    said, parts = [], (("teach nearly as much as the best ranking's", near), (_least(rows[last]), last))
    for how, own in parts:
        if own.any():
            corpora = text_for(listed(_corpora(rows[own], rows)), "figure")
            said.append(f"on {corpora} they {how}" if said else f"On {corpora} attention's top words {how}")
    return ", ".join(said) or "Attention's top words are nowhere the worst to learn from"


def _least(last: pd.DataFrame) -> str:
    """`teach least of 4`, and that it is of one seed; last: `taught`'s rows where attention is last."""
    return f"teach least of {last['rankings'].max()}{' (one seed)' if (last['seeds'] == 1).all() else ''}"


def _corpora(rows: pd.DataFrame, every: pd.DataFrame) -> list[str]:
    """The corpora of `taught`'s rows, with their models where others of `every` are of the same corpus."""
    rest = {of.partition(" (")[0] for of in every.drop(index=rows.index)["of"]}
    corpora = {of: of.partition(" (")[0] for of in rows["of"]}
    return [*dict.fromkeys(of if corpus in rest else corpus for of, corpus in corpora.items())]


def learners_say(rows: pd.DataFrame) -> list[str]:
    """What a new model learns from attention's choice, worst or not. rows: `taught`'s."""
    last, said = rows["place"] == rows["rankings"], []
    for row in rows[last].itertuples():
        seeds = "one seed" if row.seeds == 1 else counted(row.seeds, "seed")
        said.append(
            f"On {inert(row.of)}, {seeds}, attention's words give an F1 of {row.attention:.2f}, those of "
            f"{row.best} {row.f1:.2f}."
        )
    if len(others := rows[~last]):
        behind = (others["f1"] - others["attention"]).max()
        where = inert(listed([*others["of"]]))
        most = abs(np.ceil(100 * behind - 1e-9)) / 100  # rounded up: it is a limit
        said.append(f"On {where} they give at most {most:.2f} less than the best ranking's.")
    if len(rows) and (rows["attention"] > rows["random"]).all():
        said.append("Attention's words always teach more than random ones.")
    return said


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
        f"({best[1]}). A fifth of a text can't always hold all words that decide; where it has room "
        "for more, random words fill the rest. Besides, *which* words were chosen may give the label away: "
        "the model that chose them had read the whole text."
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


def near_chance(rows: pd.DataFrame) -> bool:
    """Whether no ranking's AUPRC is 0.05 or more above a random order's."""
    return all((table["mean"] < 0.05).all() for table in people_by_model(rows).values())


def title_of_people(rows: pd.DataFrame) -> str:
    """What the figure of people's marks shows."""
    tables = people_by_model(rows).values()
    best = max(table["mean"].max() for table in tables)
    much = "hardly better" if near_chance(rows) else "better"
    return f"Rankings find people's marks {much} than chance: AUPRC at most {signed(best, '.3f')} above it"


def floor(rows: pd.DataFrame) -> float:
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


def answer(
    found: pd.DataFrame,
    table: pd.DataFrame,
    agreement: pd.DataFrame,
    people: pd.DataFrame,
    read: pd.DataFrame,
) -> list[str]:
    """The chapter's question, answered, judge by judge.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers.
    """
    if not first_by(found):
        return [NOTHING]
    names, said = leaders(found), "no ranking stands out."
    if 0 < len(names) <= 2 and "attention" in names:
        said = "attention is among the best."
    elif 0 < len(names) <= 2:
        favours = f", which favour {'it' if len(names) == 1 else 'them'}" if _favours(found) else ""
        said = f"{who_leads(found, 'the')}{favours}."
    said = [f"**To the model:** {said}"]
    rows = with_truth(agreement)
    known = ["it is known of made corpora alone."]
    if len(rows):
        known.append(f"{title_of_truth(rows)}.")
    said.append(f"**To the truth:** {' '.join(known)}")
    if people_by_model(people):
        much = (
            "hardly: no ranking tried is much above chance"
            if near_chance(people)
            else "better than by chance"
        )
        said.append(f"**To a person:** in the film reviews {much}. People's reasons need not be the model's.")
    lessons = taught(read)
    if len(lessons):
        said.append(f"**To a learner:** {_lower(inert(title_of_readers(lessons)))}.")
    return [*said, f"**Which to use?** {_upper(to_use(found, table))}."]


# By hand


def by_hand() -> pd.DataFrame:
    """The example by three metrics, a row a metric and a column a ranking."""
    names = {
        "its two top words": "top two words",
        "AUPRC": "AUPRC (person)",
        "p without them falls by": "comprehensiveness (model)",
        "p of them alone falls by": "sufficiency (model, less is better)",
    }
    table = rationales.by_hand().set_index("ranking").T.loc[[*names]].rename(index=names)
    return table.map(lambda x: x if isinstance(x, str) else signed(x)).reset_index(names="")


def hand() -> tuple[list[str], dict[str, list[float]]]:
    """The example's words, and what stands over each."""
    own = rationales.HAND
    return own["words"], {"worth (logit)": own["worth"], "attention (invented)": own["attention"]}


def hand_says() -> str:
    """The finding of the example's figure."""
    own = rationales.HAND
    most = {name: own["words"][int(np.argmax(own[name]))] for name in ("attention", "worth")}
    return f"Most attention is on “{most['attention']}”, and “{most['worth']}” adds most"
