"""Chapter 11: its tables for the page, and its sentences with their odd cases."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from heed.experiments import rationales
from heed.experiments.fresh import FULL
from heed.measures import rankings, stats
from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.measures.marks import RANDOM
from heed.measures.registry import MEASURES
from heed.params import Params
from heed.show.notebook import inert, tokens
from heed.show.ours import Kept
from heed.show.sentences import counted, listed, signed, with_range
from heed.show.style import LABELS
from heed.show.words import text_for

TRUTH = "truth"
NOTHING = "No text here has two words to be put in an order."
MAIN = ("attention", "gradient", "integrated_gradients_live", "loo", "lime", "kernel_shap")  # of the text
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
SAME = 0.999  # τ from which on two rankings are one by construction
YARDSTICKS = {BEST, WORST, RANDOM, TRUTH}
BUILT = {("monotonicity", "loo")}  # metrics that a ranking wins by construction
LAYER = {"held_comp"}  # metrics of the attention layer alone, not of the whole model
SIGNED = ("lime", "kernel_shap")
SIZES = tuple(name + rationales.SIZE for name in SIGNED)  # their rankings without the signs
LITTLE = 0.05  # a lead, as a share of the way from a random order to the best there could be
AHEAD, ABOVE_RANDOM = "best clearly ahead", "attention clearly above random"  # columns of `answers`
FINDERS = ("attention", "loo", "gradient")  # rankings whose pairs with deciding words are stored
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
REVIEWS = ", film reviews"
WHAT = {"sst": REVIEWS, "imdb": REVIEWS}
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
    real: dict[str, pd.DataFrame],
    seeds: pd.DataFrame,
    answered: pd.DataFrame,
) -> list[str]:
    """The chapter's answer, then a line a judge, attention's standing first.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers of rationales; real: `on_real_text`; seeds: `over_seeds`; answered: `answers`.
    """
    if not first_by(found):
        return [NOTHING]
    of = f"{_what(p.corpus)}; {LABELS[p.encoder]}, {_texts_and_seed(table, p)}{_end_of(p, seeds)}"
    said = first_of_all(answered)
    said.append(f"**The model** ({of}): {_how_far_it_falls(found, table)}")
    said += real_text_brief(real)
    rows = with_truth(agreement)
    if len(seeds):
        said.append(f"**The truth** ({inert(p.corpus)}, {len(seeds)} seeds): {_in_pairs(seeds)}.")
    elif len(rows):
        own = rows.loc[_attention()]
        said.append(
            f"**The truth** ({inert(p.corpus)}, {_texts_and_seed(table, p)}): "
            f"{_whether_found(own['low'] > 0)} ([τ](glossary.md#kendall-τ) "
            f"{signed(own['mean'])}, {signed(own['low'])} to {signed(own['high'])})."
        )
    if models := people_by_model(people):
        chance, best = floor(people), max(own["mean"].max() for own in models.values())
        said.append(
            f"**People** (movies; {_models_of(people)}, {_of_people(people)}): "
            f"{_with_people(people, 'their marks')} (AUPRC {signed(best + chance)}; chance: "
            f"{signed(chance)})."
        )
    return said + learner_brief(taught(main_readers(read)))


def first_of_all(rows: pd.DataFrame) -> list[str]:
    """The title's answer: how often another ranking is ahead, and attention clearly ahead of a random order.

    rows: of `answers`.
    """
    if rows.empty:
        return []
    known = rows["random"].notna().any()
    chance = f"; attention clearly beats chance in {_sure(rows, ABOVE_RANDOM)}" if known else ""
    where, comma, surely = another_is_ahead(rows).partition(",")
    return [f"**{where}**{comma}{surely}{chance}."]


def _sure(rows: pd.DataFrame, column: str) -> str:
    """In how many of `answers`' rows the column says yes, in writing."""
    return str((rows[column] == "yes").sum() or "none")


def _texts_and_seed(table: pd.DataFrame, p: Params) -> str:
    return f"{counted(table['id'].nunique())}, seed {p.seed}"


def _attention() -> str:
    return rationales.label_of("attention")


def _what(corpus: str) -> str:
    """A corpus, and what it is."""
    return f"{inert(corpus)}{WHAT.get(corpus, '')}"


def _how_far_it_falls(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """How far the probability falls without attention's top words, beside random ones and the best ranking's.

    `clearly` by 95 % intervals over texts. found: `means`; table: `faithfulness`'s rows.
    """
    out, random = JUDGED[0], against_random(found, table).set_index("metric")
    if out not in random.index:
        return "attention wasn't held against a random order."

    def falls(ranking: str) -> str:
        return signed(found.loc[ranking, out])

    less = _clearly(random.loc[out, "low"] > 0)
    beside = f"random: {falls(RANDOM)}, {less} less"
    ahead = leads(main(found), table, ["attention"]).set_index("metric")
    if out in ahead.index:
        row = ahead.loc[out]
        sure = _clearly(not row["open"])
        beside += f"; {rationales.label_of(row['first'])}'s: {falls(row['first'])}, {sure} more"
    return (
        f"without attention's top words its decision's probability falls by {falls('attention')} ({beside})."
    )


def _clearly(is_clear: bool) -> str:
    return "clearly" if is_clear else "not clearly"


def _models_of(people: pd.DataFrame) -> str:
    return listed([LABELS[name] for name in people["encoder"].unique()])


def main(found: pd.DataFrame) -> pd.DataFrame:
    """Of `means` the rankings that the chapter's text compares, and a random order."""
    return found.loc[[name for name in (*MAIN, RANDOM) if name in found.index]]


JUDGED = ("comp_delete", "suff_delete")  # the two metrics of the chapter's text


def by_the_model(found: pd.DataFrame, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """For the figure of the model: how much better than attention those of `main` are, the best first.

    By the panel's name; a row a ranking's label, with columns mean, low, high: of the difference within the
    same texts, above 0 where the ranking is better; and `written`: how far p falls. table: `faithfulness`'s
    rows.
    """
    panels = {}
    for name in JUDGED if "attention" in found.index else ():
        each = table.pivot(index="id", columns="ranking", values=name)
        rows = {}
        for ranking in main(found).index:
            better = ((each[ranking] - each["attention"]) * (-1 if name in LESS else 1)).dropna().to_numpy()
            if len(better):
                ends = stats.interval(better, RESAMPLES, 0)
                rows[rationales.label_of(ranking)] = [better.mean(), *ends, found.loc[ranking, name]]
        own = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high", "written"])
        panels[SHOWN[name].replace("comprehensiveness", "comprehensiveness (more is better)")] = (
            own.sort_values("mean", ascending=False, kind="stable")
        )
    return {name: own for name, own in panels.items() if len(own) > 1}


def title_of_model(panels: dict[str, pd.DataFrame]) -> str:
    """How many rankings are clearly better than attention by each measure. panels: `by_the_model`'s."""
    said = []
    for name, own in panels.items():
        others = own.drop([_attention(), rationales.label_of(RANDOM)], errors="ignore")
        sure = int((others["low"].round(2) > 0).sum())
        of = f" of {counted(len(others), 'other ranking')} {'are' if sure > 1 else 'is'} clearly better than "
        of += "attention"
        said.append(f"{sure or 'none'}{'' if said else of} by {name.partition(' (')[0]}")
    return _upper(", ".join(said))


NORMALISED = "naopc_comp_"  # how the summaries call it, before a ranking's name


def on_real_text(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Normalised comprehensiveness of MAIN's rankings from stored runs, by corpus and model, the best first.

    And that of LIME's and KernelSHAP's sizes alone, which `ranked` leaves out.

    rows: of summaries, of one profile. By the panel's name; a row a ranking's label, with columns mean, low,
    high (the 95 % interval over seeds; of one seed over texts), and `above`, `above low` and `above high`: by
    how much more than a random order's it is, seed by seed (of one seed without an interval).
    """
    measures = [NORMALISED + name for name in (*MAIN, *SIZES, RANDOM)]
    own, panels = rows[(rows["class"] == "overall") & rows["measure"].isin(measures)], {}
    for (corpus, encoder), of in own.groupby(["corpus", "encoder"], sort=False):
        of = of.assign(ranking=of["measure"].str.removeprefix(NORMALISED))
        seeds = of.pivot_table(index="seed", columns="ranking", values="mean")
        if not {"attention", RANDOM} <= {*seeds}:
            continue
        found = {}
        for name in seeds:
            each, above = seeds[name].to_numpy(), (seeds[name] - seeds[RANDOM]).to_numpy()
            mean, *ends = stats.t_interval(each, (0, 1))
            more, *more_ends = stats.t_interval(above, (-1, 1))
            if len(seeds) == 1:
                ends = of.loc[of["ranking"] == name, ["low", "high"]].iloc[0]
                more_ends = np.nan, np.nan
            found[rationales.label_of(name)] = [mean, *ends, more, *more_ends]
        columns = ["mean", "low", "high", "above", "above low", "above high"]
        table = pd.DataFrame.from_dict(found, orient="index", columns=columns)
        of_texts = f"{of['n'].max():.0f} texts, {counted(len(seeds), 'seed')}"
        name = f"{text_for(str(corpus), 'figure')}, {LABELS[encoder]} ({of_texts})"
        panels[name] = table.sort_values("mean", ascending=False, kind="stable")
    return panels


def label_of_real_text(panels: dict[str, pd.DataFrame]) -> str:
    """The axis of the figure of `on_real_text`, and what its lines are."""
    alone = [table["above low"].isna().all() for table in panels.values()]
    over = "texts" if all(alone) else "seeds, of one seed over texts" if any(alone) else "seeds"
    sizes = any({*map(rationales.label_of, SIZES)} & {*table.index} for table in panels.values())
    hollow = "\nhollow: without the sign" if sizes else ""
    return f"comprehensiveness, normalised: means,\n95 % intervals over {over} (1 at most){hollow}"


def title_of_real_text(panels: dict[str, pd.DataFrame]) -> str:
    """Where attention, a random order and the best lie on real text; panels: `on_real_text`, one at least."""
    places = []
    for name, table in panels.items():
        best, drawn = _ranked(table)["mean"].idxmax(), rationales.label_of(RANDOM)
        own, chance, most = (f"{table.loc[row, 'mean']:.2f}" for row in (_attention(), drawn, best))
        above = "" if best in (_attention(), drawn) else f", the best ({best}) {most}"
        places.append((*_of_panel(name), f"reaches {own}, a random order {chance}{above}"))
    if len(places) == 1:
        ((corpus, model, lies),) = places
        return f"On {corpus} {_one(model)}'s attention {lies}"
    return f"Attention {'; '.join(f'{lies} on {corpus} ({model})' for corpus, model, lies in places)}"


def real_text_brief(panels: dict[str, pd.DataFrame]) -> list[str]:
    """How near attention's, a random and the best order come to the model's best: a line a corpus."""
    by_corpus = {}
    for name, table in panels.items():
        by_corpus.setdefault(_of_panel(name)[0], []).append((name, table))
    said = []
    for corpus, own in by_corpus.items():
        drawn = rationales.label_of(RANDOM)
        best = listed([*dict.fromkeys(_ranked(table)["mean"].idxmax() for _, table in own)])
        order, chance, top = (
            _span(values)
            for values in zip(
                *([table.loc[_attention(), "mean"], table.loc[drawn, "mean"], _ranked(table)["mean"].max()]
                  for _, table in own), strict=True,
            )
        )  # fmt: skip
        above = pd.Series([table.loc[_attention(), "above low"] for _, table in own])
        clear = "" if above.isna().any() else f", {_clearly((above > 0).all())} less"
        size = _span(table.loc[size_of(best), "mean"] for _, table in own if size_of(best) in table.index)
        sign = f", without its sign {size}" if size else ""
        told = f"attention reaches {order} (random: {chance}{clear}; {best}: {top}{sign})"
        models = listed([f"{_of_panel(name)[1]}, {name.rpartition(' (')[2][:-1]}" for name, _ in own])
        said.append(f"On {_what(corpus)} ({inert(models)}; worst: 0, best: 1) {told}.")
    return said


def size_of(label: str) -> str:
    """The label of a ranking's size, by the ranking's."""
    labels = {rationales.label_of(name): rationales.label_of(name + rationales.SIZE) for name in SIGNED}
    return labels.get(label, "")


def _span(values: Iterable[float]) -> str:
    """`0.50 to 0.60`; of nothing nothing."""
    values = [*values]
    if not values:
        return ""
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def real_text_says(panels: dict[str, pd.DataFrame]) -> list[str]:
    """Whether attention's order is better than a random one: a sentence a panel."""
    said = []
    for name, table in panels.items():
        corpus, model = _of_panel(name)
        own = table.loc[_attention()]
        more = pd.Series({"low": own["above low"], "high": own["above high"]})
        on = f"On {inert(corpus)} ({model}) attention's order"
        if np.isnan(own["above low"]):
            said.append(f"{on} lies {signed(own['above'])} above a random one (one seed).")
            continue
        ends = _with_ends(own["above"], more)
        clear = "is clearly better" if more["low"] > 0 else "isn't clearly better"
        said.append(f"{on} {clear} than a random one: {ends} above it.")
    return said


def _of_panel(name: str) -> tuple[str, str]:
    """The corpus and the model of a panel of `on_real_text`."""
    corpus, model = name.rsplit(" (", 1)[0].rsplit(", ", 1)
    return corpus, model


def _ordinal(place: int, of: int) -> str:
    """`first`, `fourth`, `last`."""
    if place == of > 1:
        return "last"
    return ORDINALS[place - 1] if place <= len(ORDINALS) else f"number {place}"


def paired(found: pd.DataFrame, table: pd.DataFrame) -> str:
    """How much better than a random order attention is by the two metrics that are drawn.

    And by how much others are ahead where that isn't clear. Within the same texts. Empty without
    a random order. table: `faithfulness`'s rows.
    """
    drawn = against_random(found, table)
    each = [
        f"{_with_clarity(row.better, row, row.low > 0)} by {_plain(row.metric)}"
        for row in drawn[drawn["metric"].isin(JUDGED)].itertuples()
    ]
    if not each:
        return ""
    said = [f"Attention is better than a random order by {listed(each)}."]
    for row in leads(main(found), table, ["attention"]).itertuples():
        if row.metric in JUDGED and row.open and row.first != "attention":
            ahead = _with_clarity(row.lead, row, False)
            first = rationales.label_of(row.first)
            said.append(f"By {_plain(row.metric)} {first} is ahead of attention by {ahead}.")
    return " ".join(said)


def _with_clarity(value: float, row, is_clear: bool) -> str:
    """`0.14 (−0.03 to 0.31, not clearly)`: a value, and a row's interval."""
    return f"{_with_ends(value, row)[:-1]}, {_clearly(is_clear)})"


def without_signs(found: pd.DataFrame, table: pd.DataFrame, stored: pd.DataFrame, corpus: str) -> str:
    """How far LIME's size alone, without the sign, is ahead of attention here and on real text.

    Empty where neither is known. stored: rows of summaries, of one profile.
    """
    size, places = f"lime{rationales.SIZE}", []

    def place(on: str, own: float, attention: float, is_clear: bool | None) -> None:
        sure = "one seed" if is_clear is None else f"{_clearly(is_clear)} less"
        places.append(f"{signed(own)} on {on} (attention: {signed(attention)}, {sure})")

    if {size, "attention"} <= {*found.index}:
        each = table.pivot(index="id", columns="ranking", values="comp_delete")
        low, _ = stats.interval((each[size] - each["attention"]).dropna().to_numpy(), RESAMPLES, 0)
        own, attention = (found.loc[name, "comp_delete"] for name in (size, "attention"))
        place(inert(corpus), own, attention, round(low, 2) > 0)
    measures = [NORMALISED + name for name in (size, "attention")]
    rows = stored[(stored["class"] == "overall") & stored["measure"].isin(measures)]
    for (on, encoder), of in rows.groupby(["corpus", "encoder"], sort=False):
        seeds = (
            of.pivot_table(index="seed", columns="measure", values="mean").reindex(columns=measures).dropna()
        )
        if len(seeds):
            _, low, _ = stats.t_interval((seeds[measures[0]] - seeds[measures[1]]).to_numpy(), (-1, 1))
            clear = round(low, 2) > 0 if len(seeds) > 1 else None
            place(f"{inert(on)}, {LABELS[encoder]}", *seeds.mean()[measures], clear)
    if not places:
        return ""
    return (
        "Of these rankings LIME and KernelSHAP alone have signs: a word that speaks against the decision "
        f"comes last. LIME's *size*, without the sign, reaches {listed(places)}."
    )


def _one(model: str) -> str:
    """`a BiLSTM`, `an Average model`."""
    return "an Average model" if model == LABELS["average"] else f"a {model}"


def _upper(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


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


def who_leads(found: pd.DataFrame) -> str:
    """Who comes first by how many metrics, as a sentence without its stop; some ranking comes first."""
    names, by, of = leaders(found), len(won(found)), len(first_by(found))
    if not names:
        said = "No metric of the whole model was taken"
    elif len(names) > 2:
        said = f"No two rankings share the first places by {counted(of, 'metric')}"
    else:
        first = " or ".join(rationales.label_of(name) for name in names)
        each = "each of " if by == of > 1 else "" if by == of else f"{by} of "
        said = f"{_upper(first)} comes first by {each}{counted(of, 'metric')}"
    return said


def texts_of(table: pd.DataFrame, corpus: str) -> str:
    """`95 % intervals over 20 texts of planted`, for a figure's label; of one text nothing of an interval."""
    n, of = table["id"].nunique(), text_for(corpus, "figure")
    return f"of 1 text of {of}" if n == 1 else f"95 % intervals over {counted(n)} of {of}"


def _plain(metric: str) -> str:
    """A metric's name without its direction."""
    return SHOWN[metric].partition(" (")[0]


def firsts(found: pd.DataFrame) -> list[str]:
    """Who comes first by how many metrics, and that these favour who takes words away, as they do."""
    if not first_by(found):
        return []
    names, said = leaders(found), [f"{who_leads(found)} ([all](#appendix-all-metrics-and-rankings))."]
    if 0 < len(names) <= 2 and {*names} <= REMOVE:
        who, whom = ("It asks", "it") if len(names) == 1 else ("Both ask", "them")
        said.append(
            f"{who} the model about texts without some words, as the metrics do, which favours {whom}."
        )
    return said


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


def to_use(found: pd.DataFrame, table: pd.DataFrame, real: dict[str, pd.DataFrame], corpus: str) -> str:
    """Which ranking to use, by what the model says here and on real text, and how far that reaches."""
    names, own = leaders(found), leads(found, table, ["attention"])
    sure = not own.loc[own["metric"].isin(won(found)), "open"].all()
    here = 0 < len(names) <= 2 and "attention" not in names and sure
    first = [rationales.label_of(name) for name in names] if here else None
    by = f"by {len(won(found))} of {counted(len(first_by(found)), 'metric')}"
    texts = f"{counted(table['id'].nunique())}, {by}"
    return f"**Which to use?** {advice(real, first, f'{inert(corpus)} ({texts})')}"


def advice(real: dict[str, pd.DataFrame], first: list[str] | None = None, here: str = "") -> str:
    """How to learn what words did: the book's one advice, in chapters 11 and 12.

    real: `on_real_text`. first: the rankings that come first in one more place, `here`, if any do.
    """
    places = {f"{inert(corpus)} ({model})": [*_ranked(table).index[:2]] for (corpus, model), table in
              ((_of_panel(name), table) for name, table in real.items())}  # fmt: skip
    places |= {here: first} if first else {}
    said = "To know what one word did, put others in its place, or remove it, and predict again."
    best = [name for name in next(iter(places.values()), []) if all(name in own for own in places.values())]
    if not best or _attention() in best:
        return f"{said} To order all words by what they did, no one ranking is best."
    one = len(best) == 1
    drawn, removing = ({rationales.label_of(name) for name in names} for names in (SIGNED, REMOVE))
    how = f" ({'it takes' if one else 'both take'} random words away)" if {*best} <= drawn else ""
    if favoured := {*best} <= removing:
        way = "the measures favour" if len(places) > 1 else "the measure favours"
        does = "they take" if len(places) > 1 else "it takes"
        bias = f", though {way} {'it' if one else 'them'}, as {does} words away, too"
        bias += _by_sign(best, real)
    return (
        f"{said} To order all words by what they did, don't take attention but {' or '.join(best)}{how}: on "
        f"{listed([*places])} {'it comes' if one else 'they come'} first of the rankings compared"
        f"{bias if favoured else ''}."
    )


def _by_sign(best: list[str], real: dict[str, pd.DataFrame]) -> str:
    """Where the sizes of these rankings keep less than half of their lead over attention, in a clause."""
    where = []
    for name, table in real.items():
        sizes, attention = [size_of(one) for one in best], table.loc[_attention(), "mean"]
        if {*sizes} <= {*table.index}:
            lead, left = (table.loc[names, "mean"] - attention for names in (best, sizes))
            if (left.to_numpy() < lead.to_numpy() / 2).all():
                where.append(inert(_of_panel(name)[0]))
    if not where:
        return ""
    whose, on = "its" if len(best) == 1 else "their", listed([*dict.fromkeys(where)])
    return f"; most of {whose} lead on {on} comes from telling words for it from words against it"


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """A panel of `on_real_text` without the random order, and without sizes."""
    return table.drop([*map(rationales.label_of, (*SIZES, RANDOM))], errors="ignore")


def unsigned(rows: pd.DataFrame) -> pd.DataFrame:
    """Of `with_truth` the rankings of the chapter's text; of LIME and KernelSHAP the sizes.

    Words that speak against the label decide it, too, so that signs would count against these two.
    """
    names = [name + rationales.SIZE if name in SIGNED else name for name in MAIN]
    labels = [rationales.label_of(name) for name in names]
    return rows[rows.index.isin(labels)]


def _whether_found(is_clear: bool) -> str:
    """Whether attention finds the words that decide."""
    finds = "finds" if is_clear else "doesn't clearly find"
    return f"attention {finds} the deciding words"


def over_seeds(p: Params, stored: pd.DataFrame) -> pd.DataFrame:
    """In what share of pairs a ranking puts a deciding word before another, on all test texts: a row a seed.

    A column a ranking's label. Empty where the run isn't one of several stored seeds of its model. stored:
    `verdict.mended`'s.
    """
    of = {name: getattr(p, name) for name in ("corpus", "encoder", "attention", "profile", "given")}
    own = stored[(stored[[*of]] == pd.Series(of)).all(axis=1)].set_index("seed")
    names = {f"auroc_{name}": rationales.label_of(name) for name in FINDERS}
    own = own.reindex(columns=[*names]).rename(columns=names).astype(float).dropna(subset=[_attention()])
    own = own.dropna(axis="columns")
    return own if len(own) > 1 and p.seed in own.index else own[:0]


def of_pairs(seeds: pd.DataFrame) -> pd.DataFrame:
    """Each ranking's mean share of `over_seeds`, with the interval over seeds; the best first."""
    rows = {name: stats.t_interval(each.to_numpy(), (0, 1)) for name, each in seeds.items()}
    own = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])
    return own.sort_values("mean", ascending=False, kind="stable")


def _surely_more(values: np.ndarray) -> bool:
    """Whether the seeds' mean difference is clearly above 0, as it would be shown."""
    return bool(round(stats.t_interval(np.asarray(values), (-1, 1))[1], 2) > 0)


def _in_pairs(seeds: pd.DataFrame) -> str:
    """In how many pairs attention finds the deciding word, beside chance and the best other ranking."""
    own = seeds[_attention()]
    beside = f"chance: 50%, {_clearly(_surely_more(own - 0.5))} less"
    others = of_pairs(seeds.drop(columns=_attention()))
    if len(others):
        best, share = others.index[0], others["mean"].iloc[0]
        sign, how = (-1, "less") if share < own.mean() else (1, "more")
        beside += f"; {best}: {share:.0%}, {_clearly(_surely_more(sign * (seeds[best] - own)))} {how}"
    return f"attention puts the deciding word first in {own.mean():.0%} of pairs ({beside})"


def title_of_pairs(seeds: pd.DataFrame) -> str:
    """The finding of the figure of `of_pairs`."""
    own, rows = seeds[_attention()], of_pairs(seeds)
    best = rows.index[0]
    beside = "" if best == _attention() else f"; {best}: {rows['mean'].iloc[0]:.0%}"
    found = _whether_found(_surely_more(own - 0.5))
    return f"Over {len(seeds)} seeds {found} ({own.mean():.0%} of pairs{beside})"


def label_of_pairs(seeds: pd.DataFrame) -> str:
    """The axis of the figure of `of_pairs`."""
    return f"pairs with the deciding word first\n(0.5: chance), 95 % intervals\nover {len(seeds)} seeds"


def this_seed(p: Params, seeds: pd.DataFrame, rows: pd.DataFrame) -> str:
    """Where the run's own seed lies among `over_seeds`, and who comes nearest there; rows: `with_truth`'s.

    Empty of no seeds, and without `rows`.
    """
    if seeds.empty or rows.empty:
        return ""
    return (
        f"LIME and KernelSHAP were asked of seed {p.seed} alone, on {counted(int(rows['texts'].max()))}: "
        f"there {nearest(unsigned(rows))} ([all](#appendix-all-rankings-and-the-truth))."
    )


def _end_of(p: Params, seeds: pd.DataFrame) -> str:
    """`, attention's lowest by the truth`: of the run's own seed among `over_seeds`, if it is such an end."""
    if seeds.empty:
        return ""
    own = seeds[_attention()]
    ends = {own.min(): "lowest", own.max(): "highest"}
    return f", attention's {ends[own[p.seed]]} by the truth" if own[p.seed] in ends else ""


def asked_seed(p: Params, seeds: pd.DataFrame) -> str:
    """How well attention of the seed that the first figure has does by the truth; empty of no seeds."""
    if seeds.empty:
        return ""
    own = seeds[_attention()]
    ends = {own.min(): "lowest", own.max(): "highest"}
    of = f", its {ends[own[p.seed]]} of {len(own)} seeds" if own[p.seed] in ends else ""
    return (
        f"This is seed {p.seed} alone. By the truth (below) attention puts the deciding word first in "
        f"{own[p.seed]:.0%} of its pairs{of} (mean: {own.mean():.0%})."
    )


def example(run) -> str:
    """The shortest text of which some words decide, these in bold; empty where they aren't known."""
    _, evidence = rationales.explained(run)
    known = [
        row for row in evidence if row.truth is not None and 0 < row.truth[row.real].sum() < row.real.sum()
    ]
    if not known:
        return ""
    row = min(known, key=lambda own: own.real.sum())
    flags = zip(np.array(row.units)[row.real], row.truth[row.real], strict=True)
    words = " ".join(f"**{tokens([word])}**" if decides else tokens([word]) for word, decides in flags)
    mean = np.mean([own.real.sum() for own in evidence])
    return (
        f"A short text of {inert(run.params.corpus)}, its deciding words in bold: “{words}”. "
        f"On average a text has {mean:.0f} words."
    )


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
        f"By the metrics of the appendix above the deciding words themselves take {_places(found)}, the best "
        f"of these by {best}.",
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
    over = "of 1 text" if n == 1 else f"95 % intervals over {counted(n)}"
    end = "" if np.isnan(most) else f"; at most {most:.2f}, as these words tie"
    return f"Kendall's τ, {over}\n(0: chance{end})"


def ends_of_truth(rows: pd.DataFrame, most: float) -> tuple[float, float] | None:
    """The ends of the axis of the figure of `with_truth`: to `ceiling`, most, where it is known."""
    if np.isnan(most):
        return None
    return min(rows["low"].min(), 0) - 0.03, max(rows["high"].max(), most)


def title_of_truth(rows: pd.DataFrame, seed: int) -> str:
    """The finding of the figure of `with_truth`, of rows of one seed."""
    name = rationales.label_of("attention")
    own = f"(τ\u00a0=\u00a0{signed(rows.loc[name, 'mean'])})"
    if rows["mean"].idxmax() == name:
        return f"Seed {seed}: attention comes nearest to the deciding words {own}"
    return f"Seed {seed}: {_whether_found(rows.loc[name, 'low'] > 0)} {own}; {nearest(rows)}"


def nearest(rows: pd.DataFrame) -> str:
    """Which one or two rankings come nearest to the deciding words, attention aside; rows: `with_truth`.

    A size comes last, so that nobody takes it for the size of both.
    """
    best = [*rows.drop(index=rationales.label_of("attention")).index[:2]]
    best.sort(key=lambda name: name.startswith("size of"))
    return f"{listed(best)} {'comes' if len(best) == 1 else 'come'} nearest"


# People's marks

ABOVE = "auprc_above_random_"
MUCH = 0.05  # of AUPRC above a random order's


def people_by_model(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """How far the AUPRC of MAIN's rankings is above a random order's, by model (`""`: of one alone).

    With its interval; the best is first. rows: of `summary_human`. Of several seeds the mean of their means
    and of their bounds. Empty without a random order's.
    """
    own = rows[(rows["class"] == "overall") & rows["measure"].isin([ABOVE + name for name in MAIN])]
    found = {}
    for encoder, of in own.groupby("encoder", sort=False) if not np.isnan(floor(rows)) else ():
        names = of["measure"].str.removeprefix(ABOVE)
        table = of[["mean", "low", "high"]].groupby(names.to_numpy(), sort=False).mean()
        table = table.sort_values("mean", ascending=False, kind="stable")
        found[LABELS[encoder]] = table.rename(index=rationales.label_of)
    return found if len(found) != 1 else {"": next(iter(found.values()))}


def unasked(people: pd.DataFrame, read: pd.DataFrame) -> str:
    """Which judges never heard of LIME and KernelSHAP; empty where each did or nobody was asked.

    people: rows of people's marks; read: the stored readers.
    """
    heard = {
        "people": {name for own in people_by_model(people).values() for name in own.index},
        "learners": {*map(_choice, read["ranking"].unique())},
    }
    drawn = {*map(rationales.label_of, SIGNED)}
    never = [judge for judge, of in heard.items() if of and not of & drawn]
    if not never:
        return ""
    judges = "neither people nor learners" if len(never) == 2 else f"no {never[0]}"
    return f"That is the model's judgement: {judges} were asked about LIME and KernelSHAP."


def people_say(rows: pd.DataFrame) -> list[str]:
    """What people's marks say of rankings and of the model: short sentences, model by model."""
    said, models = [], people_by_model(rows)
    if models:
        best = max(table["mean"].max() for table in models.values())
        much = f" (*much* would be {MUCH:g}, our choice)" if near_chance(rows) else ""
        said.append(f"The best lies {signed(best, '.3f')} above a random order{much}.")
        own = [table.loc[_attention()] for table in models.values() if _attention() in table.index]
        if len(own) == 1:
            lies = f"{signed(own[0]['mean'], '.3f')} above it, {_clearly(own[0]['low'] > 0)}"
            said.append(f"Attention lies {lies}.")
    for encoder, of in rows[rows["class"] == "overall"].groupby("encoder", sort=False):
        mean = of.groupby("measure")["mean"].mean()
        if {"marks_flip", "random_flip"} <= {*mean.index}:
            more = mean["marks_flip"] > mean["random_flip"]
            how = "Yet the marked words matter" if more else "Nor do the marked words matter more than others"
            said.append(
                f"{how} to the {LABELS[encoder]} model: setting their attention to 0 flips "
                f"{mean['marks_flip']:.0%} of its decisions, that of as many random words "
                f"{mean['random_flip']:.0%}."
            )
            if more and models and near_chance(rows) and {"needed_chance", "marked_needed"} <= {*mean.index}:
                said.append(
                    f"Both can be true: people marked passages, {mean['needed_chance']:.0%} of the words, "
                    f"and the decision hangs on few. {1 - mean['marked_needed']:.0%} of the marked words "
                    "aren't among the fewest that flip it, so a ranking that puts these first finds few "
                    "marks."
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


def ends_of_people(rows: pd.DataFrame) -> tuple[float, float]:
    """The ends of the axis of people's marks: to `MUCH` where no ranking gets there, else to the most."""
    low = min(table["low"].min() for table in people_by_model(rows).values())
    most = MUCH if near_chance(rows) else 1 - floor(rows)
    return min(low, 0) - 0.02 * most, 1.01 * most


def note_of_people(rows: pd.DataFrame) -> str:
    """The axis of the figure of people's marks: of how many texts and seeds, and what is chance; of rows."""
    models = listed([LABELS[name] for name in rows["encoder"].unique()])
    most = f"{1 - floor(rows):.2f}: the most"
    if near_chance(rows):
        most = f"{MUCH:g}: much, {most}"
    return (
        f"AUPRC above a random order's\n({most}),\n95 % intervals over texts\n({models}, {_of_people(rows)})"
    )


def _of_people(rows: pd.DataFrame) -> str:
    """`199 texts, one seed`, of rows of people's marks; there are some."""
    own = rows[(rows["class"] == "overall") & rows["measure"].str.startswith(ABOVE)]
    seeds = own["seed"].nunique()
    return f"{own['n'].max():.0f} texts, {'one seed' if seeds == 1 else f'{seeds} seeds'}"


def our_marks(one: Kept) -> str:
    """What a model makes of the words that we would mark in a sentence of ours, and of them alone."""
    row, marked = one.row(), np.array(one.marked)
    top, moves = int(row.attention.argmax()), int(np.argmax(one.leave_one_out))
    so = ""
    if marked[moves] and not marked[top]:
        so = " So the model uses what we marked, and its attention points elsewhere."
    return (
        f"We would mark {_phrase(one, marked)}: {row.attention[marked].sum():.2f} of the attention is there; "
        f"the largest weight ({row.attention[top]:.2f}) is on “{inert(one.tokens[top])}”. The word whose "
        f"removal moves the prediction most (by {one.leave_one_out[moves]:.2f}) is "
        f"“{inert(one.tokens[moves])}”.{so}"
    )


def _phrase(one: Kept, marked: np.ndarray) -> str:
    """The marked tokens as one phrase, quoted."""
    return f"“{inert(' '.join(token for token, own in zip(one.tokens, marked, strict=True) if own))}”"


# Readers of rationales


def main_readers(table: pd.DataFrame) -> pd.DataFrame:
    """Of each corpus the readers of one model: the BiLSTM where it is there, else the first.

    Of corpora with several seeds, where there are any: one seed decides nothing.
    """
    kept = []
    for _, own in table.groupby("corpus", sort=False):
        encoders = [*own["encoder"]]
        kept.append(own[own["encoder"] == ("bilstm" if "bilstm" in encoders else encoders[0])])
    several = [own for own in kept if own["seed"].nunique() > 1]
    return pd.concat(several or kept) if kept else table


def other_readers(table: pd.DataFrame) -> pd.DataFrame:
    """The readers that `main_readers` leaves out."""
    return table.drop(index=main_readers(table).index)


def readers(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Mean F1 over seeds, lowest and highest, of each choice of words, by corpus and model, best first."""
    found = {}
    for (corpus, encoder), own in table.groupby(["corpus", "encoder"], sort=False):
        rows = own.groupby("ranking", sort=False)["read_f1"].agg(["mean", "min", "max"])
        rows.columns = ["mean", "low", "high"]
        seeds = counted(own["seed"].nunique(), "seed")
        rows = rows.sort_values("mean", ascending=False, kind="stable").rename(index=_choice)
        found[f"{_of_reader(text_for(corpus, 'figure'), encoder)}, {seeds}"] = rows
    return found


def _of_reader(corpus: str, encoder: str) -> str:
    return f"{corpus} ({LABELS[encoder]})"


def taught(read: pd.DataFrame) -> pd.DataFrame:
    """How much a new model learns from attention's choice of words, and from other rankings'.

    A row a corpus and model. Columns: of, attention, place, rankings, best, most, random, above, more, alike,
    seeds, holds, truth_holds. best, most: the best other ranking and its F1; above, more: whether attention's
    choice teaches more than random words, or than the deciding ones, in every seed; alike: whether its range
    over seeds meets that of the best other ranking; holds, truth_holds: the share of the deciding words that
    attention's choice has, and that of the deciding words first. Empty where no such reader is stored.
    """
    rows = []
    for (corpus, encoder), own in read.groupby(["corpus", "encoder"], sort=False):
        means = own.groupby("ranking")["read_f1"].mean()
        left = means.drop([FULL, RANDOM, TRUTH], errors="ignore")
        if "attention" in left and len(left) > 1:
            f1, seeds = left["attention"], own["seed"].nunique()
            place, of = 1 + int((left > f1).sum()), _of_reader(corpus, encoder)
            ends = own.groupby("ranking")["read_f1"].agg(["min", "max"])
            low, high = ends.loc["attention"]
            above, more = (name in means and bool(low > ends["max"][name]) for name in (RANDOM, TRUTH))
            best = left.drop("attention").idxmax()
            least, most = ends.loc[best]
            alike = bool(seeds > 1 and low <= most and least <= high)
            name, chance = rationales.label_of(best), means.get(RANDOM, np.nan)
            held = (
                own.groupby("ranking")["read_truth"].mean() if "read_truth" in own else pd.Series(dtype=float)
            )
            holds = held.get("attention", np.nan), held.get(TRUTH, np.nan)
            rows.append(
                [of, f1, place, len(left), name, left[best], chance, above, more, alike, seeds, *holds]
            )  # fmt: skip
    names = [
        "of",
        "attention",
        "place",
        "rankings",
        "best",
        "most",
        "random",
        "above",
        "more",
        "alike",
        "seeds",
        "holds",
        "truth_holds",
    ]
    return pd.DataFrame(rows, columns=names)


def learner_brief(rows: pd.DataFrame) -> list[str]:
    """What a new model learns from attention's top words, a line a corpus and model. rows: `taught`'s."""
    said = []
    for row in rows.itertuples():
        beside = [] if np.isnan(row.random) else [f"random: {row.random:.2f}"]
        how = "less" if row.place == 1 else "more"
        apart = "" if row.seeds == 1 else f", {_clearly(not row.alike)} {how}"
        beside.append(f"{row.best}'s: {row.most:.2f}{apart}")
        seeds = "one seed" if row.seeds == 1 else f"{row.seeds} seeds"
        said.append(
            f"**A learner** of attention's top fifth of words "
            f"({inert(row.of.replace(' (', ', ')[:-1])}, {seeds}) reaches an [F1](glossary.md#f1) of "
            f"{row.attention:.2f} ({'; '.join(beside)})."
        )
    return said


def title_of_readers(rows: pd.DataFrame) -> str:
    """The finding of the figure of readers; nothing of none. rows: `taught`'s."""
    said, does = [], pd.Series([*map(_how_it_teaches, rows.itertuples())], rows.index, dtype=object)
    for how, own in rows.groupby(does, sort=False):
        corpora = text_for(listed(_corpora(own, rows)), "figure")
        on = f"on {corpora} they" if said else f"On {corpora} attention's top words"
        said.append(f"{on} {how}")
    return ", ".join(said)


def _how_it_teaches(row) -> str:
    """What attention's top words do beside random ones and other rankings'; row: of `taught`."""
    if row.seeds == 1:
        return "are of one seed, which decides nothing"
    less = ["random ones"] * row.above + ["the deciding words"] * row.more
    chance = f"more than {' and '.join(less)}, " if less else ""
    if row.alike:
        return f"teach {chance}about as much as the best other ranking's"
    others = "ranking's" if row.rankings == 2 else f"{row.rankings - 1} rankings'"
    if row.place == 1:
        return f"teach more than the other {others}"
    if row.place == row.rankings:
        return f"teach {chance}less than the other {others}"
    return f"teach {chance}{_ordinal(row.place, row.rankings)} most of {row.rankings} rankings"


def _corpora(rows: pd.DataFrame, every: pd.DataFrame) -> list[str]:
    """The corpora of `taught`'s rows, with their models where others of `every` are of the same corpus."""
    rest = {of.partition(" (")[0] for of in every.drop(index=rows.index)["of"]}
    corpora = {of: of.partition(" (")[0] for of in rows["of"]}
    return [*dict.fromkeys(of if corpus in rest else corpus for of, corpus in corpora.items())]


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


def chosen_say(rows: pd.DataFrame) -> list[str]:
    """What follows where attention's choice teaches more than the deciding words. rows: `taught`'s."""
    own = rows[rows["more"]]
    if own.empty:
        return []
    corpora, fewer = inert(listed(_corpora(own, rows))), ""
    if (own["holds"] < own["truth_holds"]).all():
        held, theirs = (_percents(own[name]) for name in ("holds", "truth_holds"))
        fewer = f", though they hold {held} of all that decide, and the others {theirs}"
    return [
        f"**A surprise:** on {corpora} attention's words teach more than the words that decide{fewer}. "
        "*Which* words were chosen may give the label away: the model that chose them had read the whole "
        "text. So this judge may say little of what decides."
    ]


def _percents(shares: pd.Series) -> str:
    low, high = f"{shares.min():.0%}", f"{shares.max():.0%}"
    return low if low == high else f"{low} to {high}"


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
    """Whether no ranking's AUPRC is `MUCH` or more above a random order's."""
    return all((table["mean"] < MUCH).all() for table in people_by_model(rows).values())


def title_of_people(rows: pd.DataFrame) -> str:
    """What the figure of people's marks shows."""
    return _upper(_with_people(rows, "people's marks"))


def _with_people(rows: pd.DataFrame, what: str) -> str:
    """`none of 4 rankings finds them much better than chance`; rows: some of people's marks; what: `them`."""
    if near_chance(rows):
        asked = {name for table in people_by_model(rows).values() for name in table.index}
        return f"none of {counted(len(asked), 'ranking')} finds {what} much better than chance"
    places = set()
    for table in people_by_model(rows).values():
        if _attention() in table.index:
            place = 1 + int((table["mean"] > table.loc[_attention(), "mean"]).sum())
            places.add((place, len(table)))
    if len(places) != 1:
        return f"by model attention finds {what} better or worse"
    place, of = places.pop()
    how = {"first": "best", "last": "worst"}.get(stands := _ordinal(place, of), f"{stands} best")
    return f"on average attention finds {what} {how} of {counted(of, 'ranking')}"


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


def answers(
    found: pd.DataFrame,
    table: pd.DataFrame,
    agreement: pd.DataFrame,
    people: pd.DataFrame,
    read: pd.DataFrame,
    p: Params,
    real: dict[str, pd.DataFrame],
    seeds: pd.DataFrame,
    most_tau: float,
) -> pd.DataFrame:
    """The chapter's question, answered: attention, the best ranking and chance, a row a judge and measure.

    Columns: judge, of (whose texts), attention, best (its number), first (its label), rankings (how many),
    random, most (the best there could be). `AHEAD`: whether the best is clearly ahead of attention: by the
    interval of their difference within the same texts or seeds, else if their intervals (of a learner: ranges
    over seeds) don't meet. `ABOVE_RANDOM`: the same of attention and a random order.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers; real: `on_real_text`; seeds: `over_seeds`; most_tau: `ceiling`.
    """
    rows, ranked = [], main(found)
    here = f"{text_for(p.corpus, 'figure')}, {_texts_and_seed(table, p)}"
    lead = leads(ranked, table, ["attention"]).set_index("metric")
    over = against_random(found, table).set_index("metric")["low"]

    def add(judge: str, of: str, means: pd.Series, random: float, most: float, clear, above) -> None:
        """means: by the ranking's label; clear: whether the best, given its label, is clearly ahead."""
        means, is_less = means.dropna(), most < random
        if _attention() not in means.index or len(means) < 2:
            return
        best = means.idxmin() if is_less else means.idxmax()
        ahead = "–" if best == _attention() else clear(best)
        numbers = [means[_attention()], means[best], best, len(means), random, most]
        rows.append([judge, of, *numbers, ahead, "–" if np.isnan(random) else above])

    falls = {"comp_delete": ("model: without top words", 1.0), "suff_delete": ("model: top words alone", 0.0)}
    for name, (judge, most) in falls.items():
        own = ranked[name].drop(RANDOM, errors="ignore").rename(rationales.label_of)

        def within(best: str, name: str = name) -> str:
            return _yes(not lead.loc[name, "open"])

        random = ranked[name].get(RANDOM, np.nan)
        add(judge, here, own, random, most, within, _yes(over.get(name, 0) > 0))
    for name, own in real.items():
        drawn = rationales.label_of(RANDOM)
        low = own.loc[_attention(), "above low"]
        above = "one seed" if np.isnan(low) else _yes(low > 0)
        corpus, model = _of_panel(name)
        of = f"{corpus}, {name.rpartition(' (')[2][:-1]}" if len(real) == 1 else f"{corpus}, {model}"
        add("model: word by word", of, _ranked(own)["mean"], own["mean"][drawn], 1.0, _apart(own), above)
    if len(seeds):
        of, own = f"{text_for(p.corpus, 'figure')}, {len(seeds)} seeds", seeds[_attention()]

        def by_seed(best: str) -> str:
            return _yes(_surely_more(seeds[best] - own))

        means = of_pairs(seeds)["mean"]
        add("truth: deciding words", of, means, 0.5, 1.0, by_seed, _yes(_surely_more(own - 0.5)))
    elif len(own := unsigned(with_truth(agreement))):
        most = 1.0 if np.isnan(most_tau) else most_tau
        above = _yes(own.loc[_attention(), "low"] > 0)
        add("truth: deciding words", here, own["mean"], 0.0, most, _apart(own), above)
    for model, own in people_by_model(people).items():
        of, chance = f"movies, {model and f'{model}, '}{_of_people(people)}", floor(people)
        above = _yes(_attention() in own.index and own.loc[_attention(), "low"] > 0)
        add("people: marked words", of, own["mean"] + chance, chance, 1.0, _apart(own), above)
    lessons = main_readers(read)
    readers_of = {_of_reader(*name): own for name, own in lessons.groupby(["corpus", "encoder"], sort=False)}
    for row in taught(lessons).itertuples():
        means = readers_of[row.of].groupby("ranking")["read_f1"].mean()
        left = means.drop([FULL, RANDOM, TRUTH], errors="ignore").rename(rationales.label_of)
        several = row.seeds > 1
        sure, above = (_yes(how) if several else "one seed" for how in (not row.alike, row.above))
        of = f"{text_for(row.of.partition(' (')[0], 'figure')}, {counted(row.seeds, 'seed')}"
        add("learner: top words", of, left, row.random, 1.0, lambda best, sure=sure: sure, above)
    columns = ["judge", "of", "attention", "best", "first", "rankings", "random", "most", AHEAD, ABOVE_RANDOM]
    return pd.DataFrame(rows, columns=columns)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _apart(own: pd.DataFrame):
    """Whether the best ranking's interval lies above attention's: `yes` or `no`, given its label."""
    return lambda best: _yes(own.loc[best, "low"] > own.loc[_attention(), "high"])


def on_one_scale(rows: pd.DataFrame) -> pd.DataFrame:
    """For the figure of judges: those of `answers`' rows that have a scale, from a random order (0) to 1.

    Columns: judge, of, attention, best, is_clear, and how these two and a random order are written.
    """
    own = rows[rows["random"].notna() & (rows["random"] != rows["most"])]
    drawn = own[["judge", "of"]].assign(is_clear=own[AHEAD] == "yes")
    for name in ("attention", "best"):
        drawn[name] = (own[name] - own["random"]) / (own["most"] - own["random"])
    drawn["attention_says"] = [f"{_attention()} {signed(x)}" for x in own["attention"]]
    drawn["best_says"] = [f"{a} {signed(x)}" for a, x in zip(own["first"], own["best"], strict=True)]
    drawn["random_says"] = [*map(signed, own["random"])]
    return drawn


def label_of_judges(rows: pd.DataFrame) -> str:
    """The axis of the figure of `on_one_scale`."""
    alone = rows.loc[rows["judge"].str.startswith("model: top words alone"), "judge"]
    most = "the best score" + ("\n(top words alone: no fall)" if len(alone) else "")
    return f"0: a random order (grey), 1: {most}\nfilled: the best is clearly ahead of attention"


def another_is_ahead(rows: pd.DataFrame) -> str:
    """How often another ranking is ahead of attention, of `answers`' rows; there are some."""
    ahead, n = int((rows[AHEAD] != "–").sum()), len(rows)
    where = (
        f"In all {n} comparisons" if ahead == n > 1 else f"In {ahead or 'none'} of {counted(n, 'comparison')}"
    )
    surely = f", clearly in {_sure(rows, AHEAD)}" if ahead else ""
    clear = rows[rows[AHEAD] == "yes"]
    lead = (clear["best"] - clear["attention"]).abs() / (clear["most"] - clear["random"]).abs()
    if len(little := clear[lead < LITTLE]):
        judges = listed([*dict.fromkeys(name.partition(":")[0] for name in little["judge"])])
        surely += f" ({len(little)} of these by little: {judges})"
    return f"{where} another ranking is ahead of attention{surely}"


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
    table = table[["attention", "what it adds"]]
    return table.map(lambda x: x if isinstance(x, str) else signed(x)).reset_index(names="")


def hand() -> tuple[list[str], dict[str, list[float]]]:
    """The example's words, and what stands over each."""
    own = rationales.HAND
    return own["words"], {"what it adds (logit)": own["worth"], "attention (invented)": own["attention"]}


def hand_marked() -> np.ndarray:
    """Which of the example's words the person marked."""
    return np.array(rationales.HAND["marked"])


def hand_says() -> str:
    """The finding of the example's figure."""
    own = rationales.HAND
    most = {name: own["words"][int(np.argmax(own[name]))] for name in ("attention", "worth")}
    return f"Most attention is on “{most['attention']}”, and “{most['worth']}” adds most"
