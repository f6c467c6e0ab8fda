"""Chapter 11: its tables for the page, and its sentences with their odd cases."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from heed.experiments import rationales
from heed.experiments.fresh import FULL
from heed.measures import rankings, stats
from heed.measures.erasure import decision
from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.measures.marks import RANDOM
from heed.measures.registry import MEASURES
from heed.params import Params
from heed.show.notebook import inert, tokens
from heed.show.ours import Kept
from heed.show.sentences import counted, listed, model_named, signed, with_range
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
HEARD = "loo"  # a ranking that every judge hears, followed through the chapter
# Judges of `answers`, as a figure has them.
WITHOUT, ALONE = "model: without top words", "model: top words alone (less is better)"
BY_WORD, DECIDING = "model: words made unknown one by one", "truth: deciding words"
MARKED, LEARNT = "people: marked words", "learner: top words"
# Columns of `answers`.
AHEAD, HEARD_AHEAD = "best surely ahead", "leave-one-out surely ahead"
ABOVE_RANDOM = "attention surely above random"
WITH_SIGN = " (sign)"  # in the figure of judges, after a ranking's name
LEAD = 0.05  # of LIME over attention, from which on it is asked what is left of it without the sign
LITTLE = 0.25  # of that lead
PICTURED = ("lime", "kernel_shap", f"lime{rationales.SIZE}", "loo", "attention", RANDOM)
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
    same: pd.DataFrame,
    answered: pd.DataFrame,
) -> list[str]:
    """The chapter's answer, then how attention does before all judges, then a line a judge.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers of rationales; real: `on_real_text`; seeds: `over_seeds`; same:
    `in_the_same_texts`'s; answered: `answers`'s.
    """
    if not first_by(found):
        return [NOTHING]
    said = same_brief(same, p) + attention_brief(answered) + model_brief(found, table, real)
    said += truth_brief(seeds, with_truth(agreement), p)
    if people_by_model(people):
        said.append(f"**{title_of_people(people)}** (movies).")
    return said + learner_brief(taught(main_readers(read)))


def attention_brief(rows: pd.DataFrame) -> list[str]:
    """How attention does before all judges, of `answers`' rows; nothing of none that has a random order."""
    known = rows[rows["random"].notna()]
    if known.empty:
        return []
    said = f"**{title_of_judges(known)}**"
    beaten = int((known[AHEAD] == "yes").sum())
    return [f"{said}; in {beaten} another ranking is surely ahead." if beaten else f"{said}."]


def truth_brief(seeds: pd.DataFrame, rows: pd.DataFrame, p: Params) -> list[str]:
    """Who finds the deciding words, over seeds, else in one. seeds: `over_seeds`; rows: `with_truth`'s."""
    if len(seeds):
        shares = [*_best_finder(seeds).items(), (_attention(), seeds[_attention()].mean())]
        (first, share), *others = shares
        beside = "".join(f", {name} in {own:.0%}" for name, own in others)
        return [
            f"**{title_of_pairs(seeds)}:** on {inert(p.corpus)} {first} puts them first in {share:.0%} of "
            f"pairs{beside} (chance: 50%; {len(seeds)} seeds)."
        ]
    if len(rows):
        own = rows.loc[_attention()]
        return [
            f"**Attention {_finds(own['low'] > 0)} the deciding words:** its "
            f"[τ](glossary.md#kendall-τ) with them is {signed(own['mean'])}."
        ]
    return []


def which_models(run, table: pd.DataFrame, seeds: pd.DataFrame, texts: int) -> str:
    """Whose rankings of the run's corpus the judges hear, and why these.

    table: `faithfulness`'s rows; seeds: `over_seeds`, each of so many texts.
    """
    said = (
        f"*Whose rankings?* LIME and KernelSHAP read a text {run.params.surrogate_samples} times and more. "
        f"So all rankings meet only on {counted(table['id'].nunique())} of {model_named(run)}, whose model "
        "is trained while this page runs."
    )
    if len(seeds):
        said += (
            f" {_upper(listed([*seeds]))} also ranked all {counted(texts, 'test text')} there, with "
            f"{len(seeds)} seeds: the better test of the truth."
        )
    return f"{said} Other numbers are [stored](glossary.md#carried)."


def _is_weakest(p: Params, seeds: pd.DataFrame) -> bool:
    """Whether of `over_seeds` this run's attention finds the deciding words least well."""
    return bool(len(seeds)) and seeds[_attention()].idxmin() == p.seed


def ahead_says(rows: pd.DataFrame) -> list[str]:
    """How often leave-one-out surely beats attention, of `answers`' rows that have it; without any, the best.

    Of the rest it is told where it is ahead in all of them, if not surely. Nothing of no rows.
    """
    heard = rows[rows[HEARD].notna()]
    own, column, who = heard, HEARD_AHEAD, f"{rationales.label_of(HEARD)}, which was asked each time,"
    if heard.empty:
        own, column, who = rows, AHEAD, "another ranking"
    elif len(heard) < len(rows):
        who = rationales.label_of(HEARD)
    if own.empty:
        return []
    sure, n = int((own[column] == "yes").sum()), len(own)
    rest = ""
    if 0 < sure < n and not (own[column] == "–").any():
        rest = f"; in the other{'' if n - sure == 1 else f' {n - sure}'} it is ahead, but not surely"
    return [_upper(f"{who} surely beats attention in {sure or 'none'} of {counted(n, 'comparison')}{rest}.")]


def title_of_judges(rows: pd.DataFrame) -> str:
    """How often attention surely beats a random order, and how often it is first: of `answers`' rows that
    have a random order, one at least.
    """
    beats = (rows[ABOVE_RANDOM] == "yes").sum() or "none"
    firsts = (rows["first"] == _attention()).sum() or "none"
    return (
        f"Attention surely beats a random order in {beats} of {counted(len(rows), 'comparison')}, and comes "
        f"first in {firsts}"
    )


# The same texts before two judges

# Rankings of `in_the_same_texts` with and without their sign, and what both are called.
TWICE = {
    "LIME": ("lime", f"lime{rationales.SIZE}"),
    "KernelSHAP": ("kernel_shap", f"kernel_shap{rationales.SIZE}"),
    "leave-one-out": (rationales.LOO_SIGNED, HEARD),
}
JUDGES = {"fall": "model:\nfall of p", "pairs": "truth: deciding\nword first"}
OPPOSED = {"fall": "with", "pairs": "without"}  # what judges prefer, by `_prefers`, if they disagree


def two_judges(same: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """For the figure of the same texts: by the judge's name its mean, with interval, of each ranking.

    Columns: group (with sign, without sign; "": a random order), label, mean, low, high. A judge who knows
    of no text has no panel; same: `in_the_same_texts`'s.
    """
    rows = [("with sign", name, own[0]) for name, own in TWICE.items()]
    rows += [("without sign", name, own[1]) for name, own in TWICE.items()]
    rows += [("without sign", _attention(), "attention"), ("", rationales.label_of(RANDOM), RANDOM)]
    panels = {}
    for column, judge in JUDGES.items():
        each = {name: own.dropna().to_numpy() for name, own in same.groupby("ranking")[column]}
        found = [
            [group, label, each[name].mean(), *stats.interval(each[name], RESAMPLES, 0)]
            for group, label, name in rows
            if len(each.get(name, ()))
        ]
        if found:
            panels[judge] = pd.DataFrame(found, columns=["group", "label", "mean", "low", "high"])
    return panels


def _more(same: pd.DataFrame, column: str, first: str, second: str) -> tuple[float, float, float]:
    """By how much a ranking is above another by a judge, within the same texts, with its interval."""
    each = same.pivot(index="id", columns="ranking", values=column)
    if not {first, second} <= {*each}:
        return (np.nan,) * 3
    more = (each[first] - each[second]).dropna().to_numpy()
    return (more.mean(), *stats.interval(more, RESAMPLES, 0)) if len(more) else (np.nan,) * 3


def signs(same: pd.DataFrame) -> pd.DataFrame:
    """What its sign adds to a ranking of TWICE by each judge, and between which ends: a row a ranking, judge.

    Columns: ranking, judge (`fall` or `pairs`), more, low, high. same: `in_the_same_texts`'s.
    """
    rows = [[name, judge, *_more(same, judge, *own)] for name, own in TWICE.items() for judge in JUDGES]
    return pd.DataFrame(rows, columns=["ranking", "judge", "more", "low", "high"]).dropna()


def _prefers(signed_: pd.DataFrame) -> dict[str, str]:
    """What each judge surely prefers of every ranking: `with`, `without` or nothing; of `signs`."""
    prefers = {}
    for judge, own in signed_.groupby("judge"):
        more, less = (own["low"].round(2) > 0).all(), (own["high"].round(2) < 0).all()
        prefers[judge] = "with" if more else "without" if less else ""
    return prefers


def title_of_two_judges(same: pd.DataFrame) -> str:
    """Whether the judges want a sign: the finding of the figure of `two_judges`; some text was judged."""
    prefers = _prefers(signs(same))
    model, truth = prefers.get("fall", ""), prefers.get("pairs", "")
    moves, finds = "moves the model more", "finds the deciding words better"
    if model and truth and model != truth:
        return f"{_upper(model)} its sign a ranking {moves}, {truth} it {finds}"
    if model and truth:
        return f"{_upper(model)} its sign a ranking {moves} and {finds}"
    if model or truth:
        return f"{_upper(model or truth)} its sign a ranking {moves if model else finds}"
    return "No judge surely prefers rankings with their sign, or without"


def _is_behind(same: pd.DataFrame, name: str) -> bool:
    """Whether some ranking of TWICE is surely above this one by a judge."""
    lows = [_more(same, judge, other, name)[1] for judge in JUDGES for own in TWICE.values() for other in own]
    return any(round(low, 2) > 0 for low in lows)


def same_brief(same: pd.DataFrame, p: Params) -> list[str]:
    """Whether one ranking is right for the model and for the truth; nothing where the truth isn't known."""
    prefers = _prefers(signs(same))
    if {*prefers} != {*JUDGES}:
        return []
    texts = f"{counted(same['id'].nunique())} of {inert(p.corpus)}"
    if prefers != OPPOSED or not _is_behind(same, "attention"):
        return [f"**{title_of_two_judges(same)}** ({texts}, one seed)."]
    return [
        "**It depends on whom you ask.** No ranking here is best for both the model and the truth: the model "
        f"wants words against its decision last, but these decide the label, too ({texts}, one seed)."
    ]


def same_says(same: pd.DataFrame, p: Params, seeds: pd.DataFrame) -> list[str]:
    """What a sign does for each judge, why, and if this seed is attention's worst. seeds: `over_seeds`."""
    prefers, said = _prefers(signs(same)), []
    why = "words against the decision decide the label, too, as *thin* did, and a sign puts them last."
    if prefers == OPPOSED:
        said.append(
            f"**The two judges want opposite things.** {listed([*TWICE])} surely move the model more with "
            f"their sign, and surely find the deciding words better without. As in our example, {why}"
        )
    elif prefers.get("pairs") == "without":
        said.append(_upper(why))
    if prefers and _is_weakest(p, seeds):
        said.append(
            f"(Of {len(seeds)} seeds it is this one in which attention finds them least well: see below.)"
        )
    return said


def _texts_and_seed(table: pd.DataFrame, p: Params) -> str:
    return f"{counted(table['id'].nunique())}, seed {p.seed}"


def model_brief(found: pd.DataFrame, table: pd.DataFrame, real: dict[str, pd.DataFrame]) -> list[str]:
    """How much more LIME moves the model than attention on real text; without any, the best ranking here."""
    lime, random = rationales.label_of("lime"), rationales.label_of(RANDOM)
    size = size_of(lime)
    if real and all(lime in own.index for own in real.values()):
        means = [own["mean"] for own in real.values()]
        most, own, drawn = ([each[name] for each in means] for name in (lime, _attention(), random))
        is_more = all(a > b for a, b in zip(most, own, strict=True))
        does = "more" if is_more else "not everywhere more"
        corpora = inert(listed([*dict.fromkeys(_of_panel(name)[0] for name in real)]))
        said = (
            f"**LIME moves the model {does} than attention:** on {corpora} it scores {_span(most)}, "
            f"attention {_span(own)}, a random order {_span(drawn)} (worst order: 0, best: 1)."
        )
        left = [each[size] for each in means if size in each.index]
        if is_more and len(left) == len(most) and max(_left(most, left, own)) < LITTLE:
            said += " LIME leads mostly by knowing which words speak against the decision."
        return [said]
    if "attention" not in found.index:
        return []
    out, ranked = JUDGED[0], main(found).drop(RANDOM, errors="ignore")
    best, falls = ranked[out].idxmax(), found[out]
    beside = f" ({signed(falls[RANDOM])} without random ones)" if RANDOM in found.index else ""
    if best == "attention":
        return [
            f"**No ranking moves the model more than attention:** without its top words p falls by "
            f"{signed(falls[best])}{beside}."
        ]
    return [
        f"**{_upper(rationales.label_of(best))} moves the model more than attention:** without its top words "
        f"p falls by {signed(falls[best])}, without attention's by {signed(falls['attention'])}{beside}."
    ]


def _left(most: list[float], left: list[float], attention: list[float]) -> list[float]:
    """What share of LIME's lead over attention is left without its sign, model by model; no lead is 0."""
    return [max(c - b, 0) / (a - b) if a > b else 0.0 for a, c, b in zip(most, left, attention, strict=True)]


def _attention() -> str:
    return rationales.label_of("attention")


def main(found: pd.DataFrame) -> pd.DataFrame:
    """Of `means` the rankings that the chapter's text compares, and a random order."""
    return found.loc[[name for name in (*MAIN, RANDOM) if name in found.index]]


LABEL_OF_PAIRS = (
    "pairs with the deciding word first\n(grey line: chance); ticks: single seeds;\n"
    "bars: 95 % intervals over seeds (Student's t)"
)
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
    """How many rankings are surely better than attention by each measure. panels: `by_the_model`'s."""
    said = []
    for name, own in panels.items():
        sure, others = _surely_better(own)
        is_sure = f"{'are' if len(sure) > 1 else 'is'} surely better than attention"
        of = f" of {counted(len(others), 'other ranking')} {is_sure}"
        said.append(f"{len(sure) or 'none'}{'' if said else of} by {name.partition(' (')[0]}")
    return _upper(", ".join(said))


def _surely_better(own: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Which rankings of a panel of `by_the_model` are surely better than attention, and all but attention."""
    others = own.drop([_attention(), rationales.label_of(RANDOM)], errors="ignore")
    return [*others.index[others["low"].round(2) > 0]], [*others.index]


def in_the_picture(real: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """For the figure of real text: `PICTURED` of `on_real_text`, by the panel's name."""
    labels = [rationales.label_of(name) for name in PICTURED]
    panels = {f"{', '.join(_of_panel(name))}: worst 0, best 1": own for name, own in real.items()}
    return {name: own[own.index.isin(labels)] for name, own in panels.items()}


def label_of_picture(real: dict[str, pd.DataFrame]) -> str:
    """The axis of the figure of `in_the_picture`: of how many texts and seeds, and what its intervals are."""
    of = {name.rpartition(" (")[2][:-1]: _of_panel(name)[0] for name in real}
    where = "; ".join(many if len(of) == 1 else f"{corpus}: {many}" for many, corpus in of.items())
    one = ",\nof one seed over texts" if any(many.endswith(" 1 seed") for many in of) else ""
    return f"means, 95 % intervals over seeds\n(Student's t){one}; {where}"


def title_of_real_text(panels: dict[str, pd.DataFrame]) -> str:
    """Who comes first on real text: the finding of the figure of `on_real_text`, one panel at least."""
    firsts = [
        f"{_ranked(own)['mean'].idxmax()} on {', '.join(_of_panel(name))}" for name, own in panels.items()
    ]
    return f"First comes {listed(firsts)}"


def kept_without_sign(panels: dict[str, pd.DataFrame]) -> dict[str, float]:
    """What share of LIME's lead over attention is left without its sign, by panel, where the lead is large.

    panels: `in_the_picture`'s.
    """
    names = [rationales.label_of(name) for name in ("lime", f"lime{rationales.SIZE}", "attention")]
    shares = {}
    for panel, own in panels.items():
        if {*names} <= {*own.index}:
            lime, size, attention = own.loc[names, "mean"]
            if lime - attention > LEAD:
                (shares[panel],) = _left([lime], [size], [attention])
    return shares


def title_of_picture(panels: dict[str, pd.DataFrame]) -> str:
    """Whether LIME is ahead of attention, and where by its sign; panels: `in_the_picture`'s, one at least."""
    lime = rationales.label_of("lime")
    asked = [own["mean"] for own in panels.values() if lime in own.index]
    leads, of = [own[lime] > own[_attention()] for own in asked], counted(len(asked), "comparison")
    if not leads:
        firsts = sum(_ranked(own)["mean"].idxmax() == _attention() for own in panels.values())
        return f"Attention comes first in {firsts or 'none'} of {counted(len(panels), 'comparison')}"
    if not all(leads):
        return f"LIME moves the model more than attention in {sum(leads) or 'none'} of {of}"
    signs = _by_its_sign(panels)
    where = "" if len(signs) == len(panels) else f"on {listed([*dict.fromkeys(signs)])} "
    return f"LIME moves the model more than attention{f', {where}mostly by its sign' if signs else ''}"


def _by_its_sign(panels: dict[str, pd.DataFrame]) -> list[str]:
    """The corpora of panels of `in_the_picture` where little of LIME's lead is left without its sign."""
    shares = kept_without_sign(panels).items()
    return [panel.rpartition(": ")[0].rpartition(", ")[0] for panel, share in shares if share < LITTLE]


def model_says(found: pd.DataFrame, table: pd.DataFrame, corpus: str) -> list[str]:
    """Whether LIME surely moves this run's model more than attention, and that more than chance."""
    panels, said = by_the_model(found, table), []
    if not panels:
        return []
    own = next(iter(panels.values()))
    lime, drawn = rationales.label_of("lime"), rationales.label_of(RANDOM)
    if lime in own.index:
        said.append(f"{lime} {_moves(own.loc[lime, 'low'])} the model more than attention")
    if drawn in own.index:
        what = "it" if said else "the model"
        said.append(f"attention {_moves(-own.loc[drawn, 'high'])} {what} more than a random order")
    return [f"On {inert(corpus)} {', and '.join(said)}."] if said else []


def _moves(low: float) -> str:
    """Whether a lead by the model is sure, by its lower end, in a verb."""
    return "surely moves" if round(low, 2) > 0 else "doesn't surely move"


def _by_corpus(real: dict[str, pd.DataFrame]) -> dict[str, dict[str, pd.DataFrame]]:
    """`on_real_text` by corpus and model."""
    found = {}
    for name, own in real.items():
        corpus, model = _of_panel(name)
        found.setdefault(corpus, {})[model] = own
    return found


def sign_says(panels: dict[str, pd.DataFrame]) -> str:
    """What is left of LIME's lead without its sign, of `in_the_picture`; empty where that isn't known."""
    left = []
    for panel, share in kept_without_sign(panels).items():
        corpus, _, model = panel.rpartition(": ")[0].rpartition(", ")
        sure = panels[panel].loc[size_of(rationales.label_of("lime")), "ahead low"].round(2) > 0
        doubt = "" if sure else "perhaps nothing"
        if len(panels) > 1:
            left.append(f"{share:.0%} of it on {inert(corpus)} ({model}{doubt and f': {doubt}'})")
        else:
            left.append(f"{share:.0%} of it{doubt and f' ({doubt})'}")
    if not left:
        return ""
    most = [inert(place) for place in _by_its_sign(panels)]
    head, so = "How much of LIME's lead is its sign?", ""
    if most:
        head = f"On {listed([*dict.fromkeys(most)])} most of LIME's lead over attention is its sign."
        so = (
            " So what attention lacks beside LIME seems to be less *which* words matter than which way they "
            "point."
        )
    return f"**{head}** Without the sign {listed(left)} is left.{so}"


def alone_says(found: pd.DataFrame, table: pd.DataFrame, corpus: str) -> str:
    """Which ranking is best by its top words alone, and whether surely; empty where nobody knows."""
    panels = [*by_the_model(found, table).values()]
    if len(panels) < len(JUDGED):
        return ""
    own, n = panels[1], counted(table["id"].nunique())
    sure, others = _surely_better(own)
    lead = own.loc[others, "mean"]
    if lead.empty or lead.max() <= 0:
        return f"On {inert(corpus)} ({n}) no other ranking is better than attention by *sufficiency*."
    best = lead.idxmax()
    better, attention = (signed(own.loc[name, "written"]) for name in (best, _attention()))
    how = "The lead is sure" if best in sure else f"But {n} can't make the lead sure"
    return (
        f"On {inert(corpus)} ({n}) {best} leads by *sufficiency*: with its top words alone p falls by "
        f"{better}, with attention's by {attention} (less is better). {how}."
    )


NORMALISED = "naopc_comp_"  # how the summaries call it, before a ranking's name


def on_real_text(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Normalised comprehensiveness of MAIN's rankings from stored runs, by corpus and model, the best first.

    And that of LIME's and KernelSHAP's sizes alone, which `ranked` leaves out.

    rows: of summaries, of one profile. By the panel's name; a row a ranking's label, with columns mean, low,
    high (the 95 % interval over seeds; of one seed over texts), `above low` and `ahead low`: at least by how
    much more than a random order's and than attention's it is, seed by seed (of one seed undefined).
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
            mean, *ends = stats.t_interval(seeds[name].to_numpy(), (0, 1))
            _, above, _ = stats.t_interval((seeds[name] - seeds[RANDOM]).to_numpy(), (-1, 1))
            _, ahead, _ = stats.t_interval((seeds[name] - seeds["attention"]).to_numpy(), (-1, 1))
            if len(seeds) == 1:
                ends = of.loc[of["ranking"] == name, ["low", "high"]].iloc[0]
                above = ahead = np.nan
            found[rationales.label_of(name)] = [mean, *ends, above, ahead]
        columns = ["mean", "low", "high", "above low", "ahead low"]
        table = pd.DataFrame.from_dict(found, orient="index", columns=columns)
        of_texts = f"{of['n'].max():.0f} texts, {counted(len(seeds), 'seed')}"
        name = f"{text_for(str(corpus), 'figure')}, {LABELS[encoder]} ({of_texts})"
        panels[name] = table.sort_values("mean", ascending=False, kind="stable")
    return panels


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


def _of_panel(name: str) -> tuple[str, str]:
    """The corpus and the model of a panel of `on_real_text`."""
    corpus, model = name.rsplit(" (", 1)[0].rsplit(", ", 1)
    return corpus, model


def _ordinal(place: int, of: int) -> str:
    """`first`, `fourth`, `last`."""
    if place == of > 1:
        return "last"
    return ORDINALS[place - 1] if place <= len(ORDINALS) else f"number {place}"


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


def to_use(
    found: pd.DataFrame,
    table: pd.DataFrame,
    agreement: pd.DataFrame,
    people: pd.DataFrame,
    p: Params,
    real: dict[str, pd.DataFrame],
    seeds: pd.DataFrame,
    same: pd.DataFrame,
) -> pd.DataFrame:
    """Which ranking to use for which question, by what the judges said: a row a question, in a few words.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    real: `on_real_text`; seeds: `over_seeds`; same: `in_the_same_texts`'s.
    """
    best, where = _best_orders(found, table, p, real)
    rows = [
        ["What did one word do?", "replace or remove it", "the new prediction", "yes: it is seen"],
        ["What did all words do?", *_to_order(best, where, by_the_model(found, table), p, real)],
    ]
    if best and {*best} <= {*map(rationales.label_of, SIGNED)}:
        rows += [["The same, in less time?", *own] for own in _to_save_time(same, real)]
    finders = _to_find_deciding(unsigned(with_truth(agreement)), seeds)
    rows += [["Which words decide the label?", *own] for own in finders]
    rows += [["Which words would people mark?", *own] for own in _to_find_marks(people)]
    return pd.DataFrame(rows, columns=["your question", "use", "evidence", "sure?"])


def _best_orders(
    found: pd.DataFrame, table: pd.DataFrame, p: Params, real: dict[str, pd.DataFrame]
) -> tuple[list[str], list[str]]:
    """The rankings that come first by the model everywhere, here and on real text, and on which corpora."""
    names, own = leaders(found), leads(found, table, ["attention"])
    sure = not own.loc[own["metric"].isin(won(found)), "open"].all()
    places, where = _two_best(real), [*_by_corpus(real)]
    if 0 < len(names) <= 2 and "attention" not in names and sure:
        places[p.corpus] = [rationales.label_of(name) for name in names]
        where.append(p.corpus)
    return _first_everywhere(places), [*dict.fromkeys(where)]


def _to_order(
    best: list[str],
    where: list[str],
    panels: dict[str, pd.DataFrame],
    p: Params,
    real: dict[str, pd.DataFrame],
) -> list[str]:
    """What to use to order words, on what evidence, and where it is surely ahead of attention.

    best, where: `_best_orders`'s; panels: `by_the_model`'s.
    """
    if not best:
        return ["no one ranking is best", "–", "–"]
    sure_on = [
        corpus
        for corpus, of in _by_corpus(real).items()
        if all((own.loc[best, "ahead low"].round(2) > 0).all() for own in of.values())
    ]
    out, alone = ({*_surely_better(own)[0]} for own in panels.values()) if len(panels) > 1 else (set(), set())
    if {*best} <= out:
        sure_on.append(p.corpus)
    sure = "not surely ahead of attention"
    if sure_on:
        on = "" if {*sure_on} == {*where} else f" on {listed([*dict.fromkeys(sure_on)])}"
        sure = f"ahead of attention{on}"
        if p.corpus in sure_on and not {*best} & alone:
            sure += "; not surely with top words alone"
    return [" or ".join(best), f"first on {listed(where)}", sure]


def _to_save_time(same: pd.DataFrame, real: dict[str, pd.DataFrame]) -> list[list[str]]:
    """Leave-one-out with its sign beside LIME, as `_to_order` has it; nothing where it wasn't tried."""
    lead, low, _ = _more(same, "fall", "lime", rationales.LOO_SIGNED)
    if np.isnan(lead):
        return []
    falls = same.groupby("ranking")["fall"].mean()
    sure = "surely behind LIME" if round(low, 2) > 0 else "not surely behind"
    sure += f"; not tried on {listed([*_by_corpus(real)])}" if real else "; one seed"
    numbers = [signed(falls[name]) for name in (rationales.LOO_SIGNED, "lime")]
    return [["leave-one-out with its sign", f"p falls by {numbers[0]} (LIME: {numbers[1]})", sure]]


def _to_find_deciding(rows: pd.DataFrame, seeds: pd.DataFrame) -> list[list[str]]:
    """What to use to find the deciding words, as `_to_order` has it; nothing where nobody knows them.

    rows: `unsigned`'s; seeds: `over_seeds`.
    """
    if len(seeds) and len(best := _best_finder(seeds)):
        first, second = of_pairs(seeds[[_attention(), best.index[0]]]).index
        sure = "" if _surely_more(seeds[first] - seeds[second]) else "not surely "
        sure += f"ahead of {second}"
        evidence = f"first in {seeds[first].mean():.0%} of pairs ({second}: {seeds[second].mean():.0%})"
        return [[_without_its_sign(first), evidence, sure]]
    if len(rows) < 2:
        return []
    best = [_attention()] if rows["mean"].idxmax() == _attention() else nearest(rows)
    evidence = f"nearest, with τ {listed([signed(rows.loc[name, 'mean']) for name in best])}"
    if best != [_attention()]:
        evidence += f" (attention: {signed(rows.loc[_attention(), 'mean'])})"
    return [[" or ".join(map(_without_its_sign, best)), evidence, "one seed"]]


def _to_find_marks(people: pd.DataFrame) -> list[list[str]]:
    """What to use to find what people mark, as `_to_order` has it; nothing where nobody was asked."""
    models = people_by_model(people).values()
    if not models:
        return []
    best, chance = max(own["mean"].max() for own in models), floor(people)
    use = "none of those asked"
    if not near_chance(people):
        use = " or ".join(dict.fromkeys(own["mean"].idxmax() for own in models))
    return [[use, f"AUPRC {signed(best + chance)} (chance: {signed(chance)})", _of_people(people)]]


ONE_WORD = "To know what one word did, put others in its place, or remove it, and predict again."


def _two_best(real: dict[str, pd.DataFrame]) -> dict[str, list[str]]:
    """The two best rankings of each panel of `on_real_text`, by its corpus and model."""
    return {
        f"{inert(corpus)} ({model})": [*_ranked(table).index[:2]]
        for (corpus, model), table in ((_of_panel(name), table) for name, table in real.items())
    }


def _first_everywhere(places: dict[str, list[str]]) -> list[str]:
    """The rankings that are among the best in each of these places; none if attention is one."""
    best = [name for name in next(iter(places.values()), []) if all(name in own for own in places.values())]
    return [] if _attention() in best else best


def advice(real: dict[str, pd.DataFrame]) -> str:
    """How to learn what words did, as chapter 12 has it. real: `on_real_text`."""
    best = _first_everywhere(places := _two_best(real))
    if not best:
        return f"{ONE_WORD} To order all words by what they did, no one ranking is best."
    one = len(best) == 1
    said = (
        f"{ONE_WORD} To order all words by what they did, take {' or '.join(best)} rather than attention: on "
        f"{listed([*places])} {'it comes' if one else 'they come'} first of the rankings compared."
    )
    if {*best} <= {rationales.label_of(name) for name in REMOVE}:
        itself = "it does itself" if one else "they do themselves"
        said += f" But the comparison removes words, as {itself}{_by_sign(best, real)}."
    return said


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
    return f", and most of {whose} lead on {on} comes from knowing which words speak against the prediction"


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
    """Each ranking's mean share of `over_seeds`, the interval over seeds and `each` one; the best first."""
    rows = {name: stats.t_interval(each.to_numpy(), (0, 1)) for name, each in seeds.items()}
    own = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])
    own["each"] = [seeds[name].tolist() for name in own.index]
    return own.sort_values("mean", ascending=False, kind="stable")


def _best_finder(seeds: pd.DataFrame) -> pd.Series:
    """The best other ranking's share of `over_seeds`, by its label; empty where there is no other."""
    return of_pairs(seeds.drop(columns=_attention()))["mean"][:1]


def _finds(is_sure: bool) -> str:
    return "finds" if is_sure else "doesn't surely find"


def _surely_more(values: np.ndarray) -> bool:
    """Whether the seeds' mean difference is clearly above 0, as it would be shown."""
    return bool(round(stats.t_interval(np.asarray(values), (-1, 1))[1], 2) > 0)


def title_of_pairs(seeds: pd.DataFrame) -> str:
    """The finding of the figure of `of_pairs`."""
    own = _surely_more(seeds[_attention()] - 0.5)
    if own or not len(other := _best_finder(seeds)) or not _surely_more(seeds[other.index[0]] - 0.5):
        return f"Attention {_finds(own)} the deciding words"
    return f"{_upper(other.index[0])} finds the deciding words, attention perhaps"


def truth_says(seeds: pd.DataFrame) -> list[str]:
    """Who surely finds the deciding words, and whether the best leads attention: of `over_seeds`."""
    if seeds.empty:
        return []
    n, own, said = len(seeds), seeds[_attention()], []
    others = seeds.drop(columns=_attention()).mean().sort_values(ascending=False).index
    sure = [name for name in others if _surely_more(seeds[name] - 0.5)]
    if sure:
        said.append(
            f"{_upper(listed(sure))} {'is' if len(sure) == 1 else 'are'} surely better than chance at this."
        )
    if _surely_more(own - 0.5):
        said.append("Attention is surely better than chance.")
    else:
        though = ", though all lie above chance" if (own > 0.5).all() else ""
        said.append(f"Attention is not surely better: its seeds lie too far apart{though}.")
    for name in _best_finder(seeds).index:
        lead = seeds[name] - own
        if (lead > 0).all() and not _surely_more(lead):
            said.append(f"{_upper(name)} leads it in each seed, but {n} seeds are too few to make that sure.")
    return said


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
    return f"A short text of {inert(run.params.corpus)}, its deciding words in bold: “{words}”."


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


def certainty(run) -> float:
    """The mean probability of the model's decisions on the chapter's texts; no fall of p can be larger."""
    _, evidence = rationales.explained(run)
    return float(np.mean([row.prediction[decision(row)] for row in evidence]))


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
    own = f"(τ\u00a0=\u00a0{signed(rows.loc[_attention(), 'mean'])})"
    if rows["mean"].idxmax() == _attention():
        return f"Seed {seed}: attention comes nearest to the deciding words {own}"
    return f"Seed {seed}: attention {_finds(rows.loc[_attention(), 'low'] > 0)} the deciding words {own}"


def nearest(rows: pd.DataFrame) -> list[str]:
    """The one or two rankings that come nearest to the deciding words, attention aside; rows: `with_truth`.

    Sizes come last, so that nobody thinks the other one without a sign, too.
    """
    best = [*rows.drop(index=_attention()).index[:2]]
    return sorted(best, key=lambda name: name.endswith(rationales.UNSIGNED))


def _without_its_sign(label: str) -> str:
    """A ranking that can have a sign, named where it has none: `LIME without its sign`."""
    if label == rationales.label_of(HEARD):
        return f"{label} without its sign"
    return label.replace(rationales.UNSIGNED, " without its sign")


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


def unasked(people: pd.DataFrame, read: pd.DataFrame, rows: pd.DataFrame, corpus: str) -> str:
    """Which judges heard LIME and KernelSHAP; empty where people or learners did, or neither was asked.

    people: rows of people's marks; read: the stored readers; rows: `with_truth`'s.
    """
    heard = {name for own in people_by_model(people).values() for name in own.index}
    heard |= {*map(_choice, read["ranking"].unique())}
    drawn = {*map(rationales.label_of, SIGNED)}
    if not heard or heard & drawn:
        return ""
    truth = ""
    if drawn <= {*rows.index}:
        truth = f" and, on {counted(int(rows['texts'].max()))} of {inert(corpus)}, for the truth"
    return f"LIME and KernelSHAP were run only for the model{truth}."


def people_say(rows: pd.DataFrame) -> list[str]:
    """What people's marks say of rankings and of the model: short sentences, model by model."""
    said, models = [], people_by_model(rows)
    for encoder, of in rows[rows["class"] == "overall"].groupby("encoder", sort=False):
        mean = of.groupby("measure")["mean"].mean()
        if {"marks_flip", "random_flip"} <= {*mean.index}:
            more = mean["marks_flip"] > mean["random_flip"]
            how = "The marked words do matter" if more else "The marked words matter no more than others"
            said.append(
                f"{how} to the {LABELS[encoder]} model: without their attention {mean['marks_flip']:.0%} of "
                f"its decisions flip, without that of as many random words {mean['random_flip']:.0%}."
            )
            needed = {"needed_chance", "marked_needed", "needed_share"}
            if more and models and near_chance(rows) and needed <= {*mean.index}:
                said.append(
                    "Why, then, does no ranking find them? Perhaps because people marked whole passages "
                    f"({mean['needed_chance']:.0%} of the words), while the model needs few: to flip its "
                    f"decision it is enough, on average, that {mean['needed_share']:.0%} of the words lose "
                    "their attention."
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
    """The ends of the axis of people's marks: chance and all intervals are in it."""
    tables = people_by_model(rows).values()
    low, high = min(table["low"].min() for table in tables), max(table["high"].max() for table in tables)
    return min(low, 0) - 0.05 * high, 1.1 * high


def note_of_people(rows: pd.DataFrame) -> str:
    """The axis of the figure of people's marks: of how many texts and seeds, and what is chance; of rows."""
    models = listed([LABELS[name] for name in rows["encoder"].unique()])
    return (
        f"AUPRC above a random order's\n(at most {1 - floor(rows):.2f}: all marked words first)\n"
        f"95 % intervals over texts\n({models}, {_of_people(rows)})"
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

    A row a corpus and model. Columns: of, attention, place, rankings, best, random, above, more, alike,
    seeds, holds, truth_holds, truth. best: the best other ranking; above, more: whether attention's
    choice teaches more than random words, or than the deciding ones, in every seed; alike: whether its range
    over seeds meets that of the best other ranking; holds, truth_holds: the share of the deciding words that
    attention's choice has, and that of the deciding words first; truth: what these teach. Empty where no such
    reader is stored.
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
                [of, f1, place, len(left), name, chance, above, more, alike, seeds, *holds, means.get(TRUTH)]
            )  # fmt: skip
    names = [
        "of",
        "attention",
        "place",
        "rankings",
        "best",
        "random",
        "above",
        "more",
        "alike",
        "seeds",
        "holds",
        "truth_holds",
        "truth",
    ]
    return pd.DataFrame(rows, columns=names)


def learner_brief(rows: pd.DataFrame) -> list[str]:
    """What a new model learns from attention's top words, a line a corpus and model. rows: `taught`'s."""
    said = []
    for row in rows.itertuples():
        more = "more" if row.above else "not surely more"
        chance = "" if np.isnan(row.random) else f" against {row.random:.2f}"
        said.append(
            f"**A new model learns {more} from attention's top fifth of words than from a random fifth** "
            f"({inert(row.of.partition(' (')[0])}, [F1](glossary.md#f1): {row.attention:.2f}{chance})."
        )
    return said


def title_of_readers(rows: pd.DataFrame) -> str:
    """The finding of the figure of readers; nothing of none. rows: `taught`'s."""
    said, does = [], pd.Series([*map(_how_it_teaches, rows.itertuples())], rows.index, dtype=object)
    for how, own in rows.groupby(does, sort=False):
        corpora = text_for(listed(_corpora(own, rows)), "figure")
        said.append(f"on {corpora} it {how}" if said else f"On {corpora} attention's top fifth {how}")
    return ", ".join(said)


def _how_it_teaches(row) -> str:
    """What attention's top fifth teaches beside the deciding ones and random ones; row: of `taught`."""
    if row.seeds == 1:
        return "is of one seed, which decides nothing"
    if row.more:
        return "teaches more than a fifth filled with deciding words"
    return f"teaches {'' if row.above else 'not surely '}more than random words"


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
    """How much attention's choice teaches, and what follows where that is more than the deciding words.

    rows: `taught`'s.
    """
    said = [
        f"On {inert(row.of.partition(' (')[0])} attention's words and {row.best}'s teach about alike."
        for row in rows[rows["alike"]].itertuples()
    ]
    own = rows[rows["more"]]
    if own.empty:
        return said
    fewer = ""
    if (own["holds"] < own["truth_holds"]).all():
        held, theirs = (_percents(own[name]) for name in ("holds", "truth_holds"))
        fewer = f", though it holds only {held} of these and the other {theirs}"
    lost = ""
    if any(of.startswith("planted ") for of in own["of"]):
        lost = "the cut lost a *not*, which turns a text round. Or "
    return [
        *said,
        f"**A surprise:** on {inert(listed(_corpora(own, rows)))} attention's fifth teaches more than one "
        f"filled with deciding words{fewer}. Perhaps {lost}the choice itself gives the label away, as the "
        "model that chose had read the whole text. So this judge may say little of what decides.",
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


def found_of_marks(rows: pd.DataFrame) -> str:
    """The same, with how much that is of what is possible: the finding of its figure. Some are there."""
    best = max(table["mean"].max() for table in people_by_model(rows).values())
    return (
        f"{title_of_people(rows)}: at best {signed(best)} above chance, of a possible {1 - floor(rows):.2f}"
    )


def title_of_people(rows: pd.DataFrame) -> str:
    """How much of people's marks rankings find."""
    if near_chance(rows):
        return "No ranking asked finds much of what people mark"
    places = set()
    for table in people_by_model(rows).values():
        if _attention() in table.index:
            place = 1 + int((table["mean"] > table.loc[_attention(), "mean"]).sum())
            places.add((place, len(table)))
    if len(places) != 1:
        return "By model attention finds people's marks better or worse"
    place, of = places.pop()
    how = {"first": "best", "last": "worst"}.get(stands := _ordinal(place, of), f"{stands} best")
    return f"Attention finds people's marks {how} of {counted(of, 'ranking')}"


def floor(rows: pd.DataFrame) -> float:
    """A random order's AUPRC; NaN where it isn't there."""
    return rows.loc[(rows["class"] == "overall") & (rows["measure"] == f"auprc_{RANDOM}"), "mean"].mean()


def count_says(found: pd.DataFrame) -> str:
    """How many rankings get a place. found: `means`."""
    own = [name for name in _rankings_and_truth(found) if name != TRUTH]
    sizes = sum(name.endswith(rationales.SIZE) for name in own)
    said = f"These are {len(own)} rankings"
    if sizes:
        said = f"With {sizes} of them without sign, too, these are {len(own)} rankings"
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
    whole: float,
) -> pd.DataFrame:
    """The chapter's question, answered: attention, the best ranking and chance, a row a judge and measure.

    Columns: judge, of (whose texts), attention, best (its number), first (its label), `HEARD` (the number of
    leave-one-out), random, most (a bound: no score is better). `AHEAD`: whether the best is surely ahead of
    attention: by the interval of their difference within the same texts or seeds, else if their intervals (of
    a learner: ranges over seeds) don't meet; `HEARD_AHEAD`: the same of leave-one-out. A dash: not ahead.
    `ABOVE_RANDOM`: the same of attention and a random order.

    found: `means`; table: `faithfulness`'s rows; agreement: `distinct`'s; people: rows of people's marks;
    read: the stored readers; real: `on_real_text`; seeds: `over_seeds`; most_tau: `ceiling`; whole:
    `certainty`'s.
    """
    rows, ranked = [], main(found)
    here = f"{text_for(p.corpus, 'figure')}, {_texts_and_seed(table, p)}"
    over = against_random(found, table).set_index("metric")["low"]

    def add(judge: str, of: str, means: pd.Series, random: float, most: float, clear, above) -> None:
        """means: by the ranking's label; clear: whether one that is ahead, given its label, surely is."""
        means, sign = means.dropna(), -1 if most < random else 1
        if _attention() not in means.index or len(means) < 2:
            return
        best, heard = (sign * means).idxmax(), rationales.label_of(HEARD)
        ahead = [
            clear(name) if name in means and sign * (means[name] - means[_attention()]) > 0 else "–"
            for name in (best, heard)
        ]
        numbers = [means[_attention()], means[best], best, means.get(heard, np.nan), random, most]
        rows.append([judge, of, *numbers, *ahead, "–" if np.isnan(random) else above])

    # p falls to 0 at most, and rises to 1 at most.
    falls = {"comp_delete": (WITHOUT, whole), "suff_delete": (ALONE, whole - 1)}
    within = dict(zip(JUDGED, by_the_model(found, table).values(), strict=False))
    for name, (judge, most) in falls.items():
        own = ranked[name].drop(RANDOM, errors="ignore").rename(rationales.label_of)

        def in_texts(label: str, name: str = name) -> str:
            return _yes(within[name].loc[label, "low"].round(2) > 0)

        add(judge, here, own, ranked[name].get(RANDOM, np.nan), most, in_texts, _yes(over.get(name, 0) > 0))
    for name, own in real.items():
        drawn = rationales.label_of(RANDOM)
        low = own.loc[_attention(), "above low"]
        above = "one seed" if np.isnan(low) else _yes(low > 0)
        corpus, model = _of_panel(name)
        of = f"{corpus}, {name.rpartition(' (')[2][:-1]}" if len(real) == 1 else f"{corpus}, {model}"

        def in_seeds(label: str, own: pd.DataFrame = own) -> str:
            low = own.loc[label, "ahead low"]
            return "one seed" if np.isnan(low) else _yes(low.round(2) > 0)

        add(BY_WORD, of, _ranked(own)["mean"], own["mean"][drawn], 1.0, in_seeds, above)
    if len(seeds):
        of, own = f"{text_for(p.corpus, 'figure')}, {len(seeds)} seeds", seeds[_attention()]

        def by_seed(label: str) -> str:
            return _yes(_surely_more(seeds[label] - own))

        means = of_pairs(seeds)["mean"]
        add(DECIDING, of, means, 0.5, 1.0, by_seed, _yes(_surely_more(own - 0.5)))
    elif len(own := unsigned(with_truth(agreement))):
        most = 1.0 if np.isnan(most_tau) else most_tau
        above = _yes(own.loc[_attention(), "low"] > 0)
        add(DECIDING, here, own["mean"], 0.0, most, _apart(own), above)
    for model, own in people_by_model(people).items():
        of, chance = f"movies, {model and f'{model}, '}{_of_people(people)}", floor(people)
        above = _yes(_attention() in own.index and own.loc[_attention(), "low"] > 0)
        add(MARKED, of, own["mean"] + chance, chance, 1.0, _apart(own), above)
    for (corpus, _), own in main_readers(read).groupby(["corpus", "encoder"], sort=False):
        taken = own[~own["ranking"].isin([FULL, TRUTH])]
        ends = (
            taken.groupby("ranking")["read_f1"].agg(["mean", "min", "max"]).rename(index=rationales.label_of)
        )
        ends = ends.rename(columns={"min": "low", "max": "high"})
        n, drawn = own["seed"].nunique(), rationales.label_of(RANDOM)
        clear, above = _apart(ends), "no"
        if {drawn, _attention()} <= {*ends.index}:
            above = _yes(ends.loc[_attention(), "low"] > ends.loc[drawn, "high"])
        if n == 1:
            clear, above = (lambda label: "one seed"), "one seed"
        of = f"{text_for(corpus, 'figure')}, {counted(n, 'seed')}"
        random, left = ends["mean"].get(drawn, np.nan), ends["mean"].drop(drawn, errors="ignore")
        add(LEARNT, of, left, random, 1.0, clear, above)
    names = ["judge", "of", "attention", "best", "first", HEARD, "random", "most"]
    return pd.DataFrame(rows, columns=[*names, AHEAD, HEARD_AHEAD, ABOVE_RANDOM])


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _apart(own: pd.DataFrame):
    """Whether a ranking's interval lies above attention's: `yes` or `no`, given its label."""
    return lambda label: _yes(own.loc[label, "low"] > own.loc[_attention(), "high"])


def on_one_scale(rows: pd.DataFrame) -> pd.DataFrame:
    """For the figure of judges: those of `answers`' rows that have a scale, from a random order (0) to 1.

    Columns: judge, of; best, heard (leave-one-out) and attention, each with its name and number in `_says`;
    in `_sure` whether the first two are surely better than attention, and attention than a random order;
    random_says and most_says.
    """
    own = rows[rows["random"].notna() & (rows["random"] != rows["most"])]
    ends = {f"{name}_says": [*map(signed, own[name])] for name in ("random", "most")}
    drawn = own[["judge", "of"]].assign(**ends)
    for name, numbers, labels in (
        ("best", own["best"], own["first"].map(_with_its_sign)),
        ("heard", own[HEARD], [rationales.label_of(HEARD)] * len(own)),
        ("attention", own["attention"], [_attention()] * len(own)),
    ):
        drawn[name] = (numbers - own["random"]) / (own["most"] - own["random"])
        drawn[f"{name}_says"] = [f"{a} {signed(x)}" for a, x in zip(labels, numbers, strict=True)]
    sure = {"best": AHEAD, "heard": HEARD_AHEAD, "attention": ABOVE_RANDOM}
    return drawn.assign(**{f"{name}_sure": own[column] == "yes" for name, column in sure.items()})


def _with_its_sign(label: str) -> str:
    """A ranking's label in the figure of judges, which marks a ranking with a sign."""
    return label + WITH_SIGN * (label in {*map(rationales.label_of, SIGNED)})


# By hand


def by_hand() -> pd.DataFrame:
    """The example by each judge, a row a question and a column a ranking."""
    names = {
        "p without them falls by": "model: fall of p without the top two",
        "p of them alone falls by": "model: fall of p with them alone (less is better)",
        "pairs": "truth: pairs with the deciding word first",
        "AUPRC": "person: AUPRC",
    }
    table = rationales.by_hand().set_index("ranking").T.loc[[*names]].rename(index=names)
    return table.map(lambda x: f"{signed(x)}{' (it rises)' * bool(x < 0)}").reset_index(names="judge")


def hand() -> tuple[list[str], dict[str, list[float]], dict[str, list[bool]]]:
    """The example's words, what three rankings give each, and which words two judges want."""
    own = rationales.HAND
    marks = {"a person marks": own["marked"], "decides (truth)": own["decides"]}
    return own["words"], rationales.scores_by_hand(), marks


def hand_says() -> str:
    """The finding of the example's figure."""
    scores, words = rationales.scores_by_hand(), rationales.HAND["words"]
    most, least = words[int(np.argmax(scores["attention"]))], words[int(np.argmin(scores["LIME"]))]
    also = "first for attention and last for LIME" if most == least else "first for attention"
    return f"“{most}” is {also}"
