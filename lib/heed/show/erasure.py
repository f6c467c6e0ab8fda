"""Chapter 06: what erasing attention comes to, in sentences and tables."""

from itertools import combinations

import numpy as np
import pandas as pd

from heed import verdict
from heed.evidence import Evidence, Row
from heed.measures import erasure
from heed.models.encoders import encoder_called
from heed.params import Params
from heed.show.figures.common import percent
from heed.show.figures.erasure import CALLED, NEAR, PROTOCOLS, SHORT
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, model_named, quoted
from heed.show.style import LABELS
from heed.show.words import text_for

# What the four cells of two erasures are called.
CELLS = {
    "both": "both",
    "top": "top word only",
    "other": "other only",
    "neither": "neither",
}
# Whose texts are compared: which of two rankings flips, and which sooner.
PAIRS = [
    ("attention", "random"),
    ("gradient", "attention"),
    ("product", "attention"),
    ("product", "gradient"),
    ("optimal", "product"),
]
MARGIN = 0.05  # of the words: less is hardly a difference
MANY_WORDS = 0.1  # of the words: so many are many
FEW_TEXTS = 0.2  # of the texts: fewer are few
SAME = 0.001  # nats: two erasures that differ by less do nearly the same
SURELY = "isn't surely"
SURE = 0.99  # a probability from which on hardly anything is seen to move
FEW = 15  # words of a text that is quickly read
TRIED = 5  # short texts of which every set of words is tried: so many that flip, and so many that don't


def called(ranking: str) -> str:
    """What a ranking is called."""
    return CALLED.get(ranking, ranking)


def flipping(table: pd.DataFrame) -> list[str]:
    """The rankings that flip the decision of any text, and the mean of random orders."""
    return [r for r in (*erasure.RANKINGS, "random_mean") if table[f"erased_{r}"].notna().any()]


# In short


def in_short(table: pd.DataFrame, words: pd.DataFrame, mass: pd.DataFrame, run) -> list[str]:
    """The chapter's answer: real text's, or else this run's.

    table: `erasure`'s, with a text of two words at least; words: `in_words_too`'s; mass:
    `mass_on_real_text`'s.
    """
    if mass.empty:
        return [how_many(table, run), single_flips(table)]
    return [one_word(top_by_encoder(), mass), words_go(words), attention_goes(mass)]


def one_word(top: pd.DataFrame, mass: pd.DataFrame) -> str:
    """In how many real texts the top word's erasure is enough, and where nothing is.

    top: `top_by_encoder`'s; mass: `mass_on_real_text`'s; each of a row at least.
    """
    share, stay = top["flipped by top word"].median(), most_stay(mass)
    enough = "seldom" if share < FEW_TEXTS else "not always" if share < 1 else "always"
    below = "Below: only texts that can be flipped."
    if stay.any():
        never = f"In {of_models(mass, stay, False)} most texts can't be flipped at all."
        below = f"{never} Below: only those that can."
    return (
        f"**One word is {enough} enough.** Erasing the word with most attention changes the decision in "
        f"{percent(share)} of real texts ({models_of(top)}). {below}"
    )


def most_stay(mass: pd.DataFrame) -> pd.Series:
    """In which models most texts can't be flipped."""
    return mass["texts"] < mass["all"] / 2


def attention_goes(mass: pd.DataFrame) -> str:
    """How much attention goes on real text until the decision changes. mass: a row at least."""
    least, goes, random = (f"{mass[of].median():.0%}" for of in ("bound", "attention", "random"))
    saved = "Counted in attention, it saves little" if gains_little(mass) else "Counted in attention"
    return (
        f"**{saved}:** attention's order takes {goes} of the attention, a random one {random}; at least "
        f"{least} must go, on average over a model's texts."
    )


def models_of(rows: pd.DataFrame) -> str:
    """What the numbers of real text are: of a row a model."""
    return f"here and below: medians of {len(rows)} models" if len(rows) > 1 else "one model"


def gains_little(mass: pd.DataFrame) -> bool:
    """Whether attention's order, counted in attention, does hardly better than a random one, or no better.

    Hardly: it is nearer than a quarter of the way from random to the bound.
    """
    attention, random, bound = (mass[of].median() for of in ("attention", "random", "bound"))
    return bool(random - attention < (random - bound) / 4)


def words_go(words: pd.DataFrame) -> str:
    """The same, counted in words: beside chance and the product. words: `in_words_too`'s, a row at least."""
    goes, random, product = (words[of].median() for of in ("attention", "random", "product"))
    better = "better" if goes < random else "no better"
    far = ""
    if product < goes:
        far = f", but {'far from' if goes - product > MANY_WORDS else 'not'} the best"
    return (
        f"**Attention's order is {better} than chance{far}:** heaviest first, it needs {goes:.0%} of the "
        f"words, a random order {random:.0%}; gradient × attention, which also knows for which class a word "
        f"speaks, {product:.0%}."
    )


def model_called(row: pd.Series) -> str:
    """A model of real text in a sentence: corpus and encoder."""
    return f"{inert(row['corpus'])}, {LABELS[row['encoder']]}"


def alone(top: pd.DataFrame, mass: pd.DataFrame) -> str:
    """How often the top word's erasure is enough on real text, by model, and where nothing is; empty without
    rows.

    top: `top_by_encoder`'s; mass: `mass_on_real_text`'s.
    """
    if top.empty:
        return ""
    shares, stay = top["flipped by top word"], most_stay(mass)
    low, high = percent(shares.min()), percent(shares.max())
    by_model = f" (median of {len(top)} models, which go from {low} to {high})" if len(top) > 1 else ""
    said = f"The word with most attention is enough in {percent(shares.median())} of the texts{by_model}."
    if not stay.any():
        return f"{said} In the others more words must go."
    return (
        f"{said} In the others more words must go, or nothing helps: in {of_models(mass, stay, False)} most "
        "texts can't be flipped at all, as each of their words, left alone, would decide as the whole text "
        "does. What follows is of the texts that can be flipped."
    )


def misses(real: pd.DataFrame) -> str:
    """Where gradient × attention erases more words than the optimum does on real text, by MARGIN at least;
    empty where it doesn't. real: `on_real_text`'s.
    """
    far = real[real["product"] - real["optimal"] > MARGIN]
    if far.empty:
        return ""
    numbers = [
        f"on {inert(row['corpus'])} ({LABELS[row['encoder']]}) gradient × attention needs "
        f"{row['product']:.0%} of the words, the best order {row['optimal']:.0%}"
        for _, row in far.iterrows()
    ]
    more = far["corpus"].str.split().str[0].isin(MANY).all()
    return (
        f"{'With more than two classes it' if more else 'It'} can miss, in texts that every order flips: "
        f"{listed(numbers)}."
    )


def how_many(table: pd.DataFrame, run) -> str:
    """How many texts of this run attention's order flips."""
    flips = int(table["mass_attention"].notna().sum())
    return f"On {model_named(run)} attention's order flips {flips or 'none'} of {counted(len(table))}."


FLIPPED = ["flipped", "flipped_random"]


def mass_on_real_text() -> pd.DataFrame:
    """How much attention is erased until the decision flips on real text, a row a model: means over seeds.

    A row's numbers are of the same texts, those that can be flipped; one that an order doesn't flip counts
    as 1. Columns: corpus, profile, encoder, seeds; `attention`, `product`, `random` (one order) and `bound`;
    the share of words that is erased of the same texts (`words_random`, and `words_optimal`); each with its
    95 % interval over texts (`low_random`, `high_words_random`); `texts` that can be flipped, `all` texts,
    and `flipped`, `flipped_random`: the share of all that attention's, a random order flips.
    """
    rows, by = carried(), ["corpus", "profile", "encoder"]
    names = {f"mass_{what}": what for what in ("attention", "product", "random", "bound")}
    words = {f"erased_{what}": f"words_{what}" for what in ("attention", "product", "random", "optimal")}
    rows = rows[rows["measure"].isin([*names, *words])].replace({"measure": names | words})
    ends = [f"{end}_{what}" for what in (*names.values(), *words.values()) for end in ("low", "high")]
    found = [*by, *names.values(), *words.values(), *ends, "texts", "all", *FLIPPED, "seeds"]
    if rows.empty:
        return pd.DataFrame(columns=found)
    rows = rows.assign(flips=rows["n"] - rows["undefined"])
    can = rows[rows["measure"] == "bound"].set_index([*by, "seed"])["flips"]
    rows = rows.join(can[can > 0].rename("texts"), on=[*by, "seed"])
    part, known = rows["flips"] / rows["texts"], rows[["mean", "std"]].fillna(0)  # none flips: no mean
    whole = part * known["mean"] + 1 - part
    spread = part * (known["std"] ** 2 + known["mean"] ** 2) + 1 - part - whole**2
    half = NORMAL * np.sqrt(spread.clip(lower=0) / rows["texts"])
    rows = rows.assign(whole=whole, low=whole - half, high=whole + half)
    wide = rows.pivot_table(["whole", "low", "high"], by, "measure", sort=False)
    wide.columns = [what if of == "whole" else f"{of}_{what}" for of, what in wide.columns]
    own = rows[rows["measure"] == "attention"].groupby(by)
    wide["texts"], wide["all"] = (own[what].mean().round().astype(int) for what in ("texts", "n"))
    wide["flipped"], wide["seeds"] = own["flips"].mean() / own["n"].mean(), own["seed"].nunique()
    chance = rows[rows["measure"] == "random"].groupby(by)
    wide["flipped_random"] = chance["flips"].mean() / chance["n"].mean()
    return by_context(wide.dropna(subset=[*names.values()]).reset_index().reindex(columns=found))


def by_context(models: pd.DataFrame) -> pd.DataFrame:
    """Models, those first whose states know their neighbours."""
    knows = [encoder_called(name).contextual for name in models["encoder"]]
    first = np.argsort(~np.array(knows, dtype=bool), kind="stable")
    return models.iloc[first].reset_index(drop=True)


def above_the_least(mass: pd.DataFrame) -> str:
    """How much attention goes: the finding of the figure of `mass_on_real_text`."""
    least, goes, random = (f"{mass[of].median():.0%}" for of in ("bound", "attention", "random"))
    of = " (medians)" if len(mass) > 1 else ""
    if gains_little(mass):
        return (
            f"Attention's order erases hardly less attention ({goes}) than a random one ({random}); at least "
            f"{least} must go{of}"
        )
    return f"At least {least} of attention must go, its own order erases {goes}, a random one {random}{of}"


def in_words_too(mass: pd.DataFrame) -> pd.DataFrame:
    """The share of words that is erased of `mass_on_real_text`'s texts, its columns named by order."""
    which = ["corpus", "profile", "encoder", "texts", "all", "seeds"]
    names = [column for column in mass.columns if "words_" in column]
    return mass[[*which, *names]].rename(columns=lambda name: name.replace("words_", ""))


def clearly(real: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """In which models attention needs fewer words than a random order; and more than the product.

    Clearly: their intervals over texts don't overlap.
    """
    return real["high_attention"] < real["low_random"], real["low_attention"] > real["high_product"]


def of_models(real: pd.DataFrame, which: pd.Series, named: bool = True) -> str:
    """In how many of these models: `19 of 20 models (not in imdb, HAN)`; named: the exceptions, if few."""
    n, every, others = int(which.sum()), len(real), real[~which]
    if n == 0:
        return "none of them" if every > 1 else "no model"
    if n == every:
        return f"each of {every} models" if every > 1 else "the one model"
    names = listed([model_called(row) for _, row in others.iterrows()])
    return f"{n} of {every} models" + (f" (not in {names})" if named and len(others) <= 2 else "")


def the_exception(real: pd.DataFrame) -> dict[str, dict[int, str]]:
    """The one model in which attention doesn't clearly need fewer words than a random order, if it's a HAN:
    the name of its dot, as `figures.medians` wants it."""
    rest = real[~clearly(real)[0]]
    alone = len(rest) == 1 < len(real) and rest["encoder"].iloc[0] == "han"
    return {"attention": {rest.index[0]: LABELS["han"]}} if alone else {}


def in_hans(real: pd.DataFrame) -> list[str]:
    """What attention's order comes to in one of Serrano & Smith's types of model, a sentence a corpus."""
    fewer, said = clearly(real)[0], []
    for i, row in real[real["encoder"] == "han"].iterrows():
        seeds = "one seed" if row["seeds"] == 1 else counted(row["seeds"], "seed")
        of = f"{inert(row['corpus'])}, {row['texts']:,} of {row['all']:,} texts, {seeds}"
        what = "the HAN, one of Serrano & Smith's own types of model"
        if i in the_exception(real).get("attention", {}):
            said.append(
                f"The exception is {what} ({of}). It weighs words into sentences, and sentences into the "
                "text; here it's sentences that are erased."
            )
        else:
            is_ = "is" if fewer[i] else SURELY
            said.append(f"In {what}, attention {is_} better than a random order ({of}).")
    return said


def only_top(table: pd.DataFrame) -> str:
    """In how many texts the top word's erasure flips the decision. table: `erasure`'s."""
    cells = erasure.cells(table, "attention").set_index("cell")
    flips, n = cells["count"]["top"] + cells["count"]["both"], int(cells["n"].iloc[0])
    return f"{'only ' if 0 < flips < n / 5 else ''}{flips or 'none'} of {counted(n)}"


# What the project carries

# Corpora whose names don't say what they are.
OF_CORPORA = {
    "20news": "20news: messages of two newsgroups.",
    "agnews4": "agnews4: news of four classes.",
    "imdb": "imdb: film reviews.",
    "imdb8": "imdb8: film reviews in eight classes.",
    "sst": "sst: sentences of film reviews.",
}
# What a state is to the encoders that read each word alone.
ALONE = {
    "none": "No encoder: a state is the bare word vector.",
    "average": "Average: each word vector goes through one layer, by itself.",
}
MANY = ("agnews4", "imdb8")  # those of more than two classes
NORMAL = 1.96  # standard errors to each side of a 95 % interval


def carried() -> pd.DataFrame:
    """The rows of real corpora: additive attention, all texts; a corpus of which a part was read is
    marked.
    """
    rows = verdict.marked(verdict.plain(verdict.committed()))
    return rows[(rows["class"] == "overall") & (rows["attention"] == "additive")]


def on_real_text() -> pd.DataFrame:
    """Share of words erased until the decision flips, a row a model: means over seeds.

    Of the texts that flip under every ranking. Columns: corpus, profile, encoder, texts, of `all`, seeds,
    each ranking with its interval over texts (`low_random`, `high_random`), as means over seeds; and
    `excess`: attention's less the optimum's, over all texts that any ranking flips.
    """
    rows, by = carried(), ["corpus", "profile", "encoder"]
    names = {f"erased_{r}_in_common": r for r in erasure.RANKINGS}
    erased = rows[rows["measure"].isin(names)].replace({"measure": names})
    ends = [f"{end}_{r}" for r in erasure.RANKINGS for end in ("low", "high")]
    if erased.empty:
        return pd.DataFrame(columns=[*by, *names.values(), *ends, "texts", "all", "seeds", "excess"])
    wide = erased.pivot_table(["mean", "low", "high"], by, "measure", sort=False)
    wide.columns = [r if of == "mean" else f"{of}_{r}" for of, r in wide.columns]
    own = erased[erased["measure"] == "attention"].groupby(by)
    wide["texts"], wide["seeds"] = own["n"].mean().round().astype(int), own["seed"].nunique()
    excess = rows[rows["measure"] == "excess_attention"].groupby(by)
    wide["all"], wide["excess"] = excess["n"].mean().round().astype(int), excess["mean"].mean()
    return by_context(wide.dropna(subset=["attention", "random", "product"]).reset_index())


def better_than_chance(real: pd.DataFrame) -> str:
    """The finding of the figure of these, model by model; empty without rows."""
    if real.empty:
        return ""
    models = of_models(real, clearly(real)[0], False)
    return f"On real text attention needs fewer words than a random order in {models}"


def needed(real: pd.DataFrame) -> str:
    """How many words the orders need: the finding of the figure of their medians. real: a row at least."""
    goes, random, product = (f"{real[of].median():.0%}" for of in ("attention", "random", "product"))
    return (
        f"Attention needs {goes} of the words, a random order {random}, gradient × attention {product}"
        f"{' (medians)' if len(real) > 1 else ''}"
    )


def about_real_text(mass: pd.DataFrame) -> str:
    """What the figure of `mass_on_real_text` shows, to stand below it."""
    names = {*mass["corpus"].str.removesuffix(" (part)")}
    parts = [what for name, what in OF_CORPORA.items() if name in names]
    if mass["corpus"].str.contains("(part)", regex=False).any():
        parts.append("(part): trained on a part of the corpus.")
    if (mass["encoder"] == "han").any():
        parts.append("HAN: hierarchical; for “word” read “sentence”.")
    said = [
        "A row is a model with additive attention: corpus, [encoder](glossary.md#encoder), and whose",
        "[protocol](glossary.md#profile) (J&W: Jain & Wallace; S&S: Serrano & Smith). Marks are means over",
        "the texts named at the right. Lower bound: no set with less attention flips the decision.",
        *parts,
    ]
    return f"*{' '.join(said)}*"


def named(rows: pd.DataFrame) -> pd.Series:
    """What rows' models are called: corpus, encoder, and whose protocol."""
    return rows["corpus"] + ", " + rows["encoder"].replace(LABELS) + ", " + rows["profile"].replace(PROTOCOLS)


def real_table(real: pd.DataFrame) -> pd.DataFrame:
    """`on_real_text` for `show`: narrow."""
    names = {
        "optimal": "best",
        "product": "g × a",
        "gradient": "gradient",
        "attention": "attention",
        "random": "random",
        "excess": "excess",
    }
    return real.assign(model=named(real))[["model", *names]].rename(columns=names)


def nearly_best(real: pd.DataFrame) -> str:
    """In how many models gradient × attention needs hardly more words than the best order; empty without
    rows.
    """
    real = real.dropna(subset=["optimal"])
    if real.empty:
        return ""
    near = real["product"] - real["optimal"] <= NEAR
    far = real[~near]
    many = near.any() and len(far) and far["corpus"].str.split().str[0].isin(MANY).all()
    others = "the other one has" if len(far) == 1 else f"the other {len(far)} have"
    return (
        f"On real text gradient × attention needs hardly more words than the best order (at most {NEAR:.0%} "
        f"of a text's words more) in {of_models(real, near, False)}"
        + (f"; {others} more than two classes." if many else ".")
    )


def in_words(words: pd.DataFrame, real: pd.DataFrame) -> str:
    """How words are counted on real text; Markdown, to stand below the figure.

    words: `in_words_too`'s, a row at least; real: `on_real_text`'s.
    """
    shares = words["texts"] / words["all"]
    easier = ""
    if len(real):
        numbers = [f"{real[of].median():.0%}" for of in ("attention", "random", "product")]
        easier = (
            f" (in the easier texts that every order flips the title's three numbers are {listed(numbers)})"
        )
    low, high = percent(shares.min()), percent(shares.max())
    return (
        f"*How it was counted: a dot is a model with additive attention ({counted(len(words), 'model')}, [by "
        "name](#appendix-real-text-model-by-model)), its mean over the texts that can be flipped (by model "
        f"{low if low == high else f'{low} to {high}'} of all). An order that never flips a text counts as "
        f"all of its words{easier}. A line joins a model's dots; large marks: medians. Best: fewest words "
        "possible.*"
    )


def word_by_word(real: pd.DataFrame) -> list[str]:
    """In how many models which order needs fewer words. real: a row at least."""
    fewer, more = clearly(real)
    return [
        f"Attention's order needs fewer words than a random one in {of_models(real, fewer, False)} (their 95 "
        "% [intervals](glossary.md#interval) over texts don't overlap; of other trainings they say nothing).",
        *in_hans(real),
        "So attention mostly knows something of what matters." if fewer.mean() > 0.5 else "",
        f"But gradient × attention needs fewer still in {of_models(real, more)}.",
    ]


def in_attention(mass: pd.DataFrame) -> str:
    """How attention is counted on real text; Markdown, to stand below the figure. mass: a row at least."""
    known = [said for name, said in ALONE.items() if (mass["encoder"] == name).any()]
    said = [
        "How it was counted: the same models, texts and means. An order that never flips a text counts as",
        "all of its attention. Lower bound: no set of words with less attention flips the decision.",
        *known,
    ]
    return f"*{' '.join(said)}*"


def attention_by_attention(mass: pd.DataFrame) -> list[str]:
    """How much attention must go, and why its own order saves so little. mass: a row at least."""
    least, goes, random = (f"{mass[of].median():.0%}" for of in ("bound", "attention", "random"))
    product = f"{mass['product'].median():.0%}"
    said = [
        f"At least {least} of a model's attention must go on average over its texts (median), by model "
        f"{from_to(mass)}; a single text may need less or more. Gradient × attention comes near: {product}."
    ]
    if gains_little(mass):
        said.append(f"Attention's own order takes {goes}, hardly less than a random one ({random}).")
        if saves_words(in_words_too(mass)):
            said.append("This fits an order whose words are heavy rather than those that decide.")
    own, chance = ((1 - mass[of] * mass["all"] / mass["texts"]).median() for of in FLIPPED)
    if own < chance:
        said.append(
            f"Still, it flips more texts: of those that can be flipped it leaves {percent(own)} as they are, "
            f"a random order {percent(chance)}. Such a text counts as 100%; on real text the two "
            "aren't compared without such texts."
        )
    return said


def saves_words(real: pd.DataFrame) -> bool:
    """Whether attention's order saves many words on a random one. real: a column an order."""
    return bool(real["random"].median() - real["attention"].median() > MANY_WORDS)


def gradient_alone(real: pd.DataFrame) -> str:
    """In how many models the weight gradient alone needs fewer words than attention. real: a row at least."""
    fewer = real["low_attention"] > real["high_gradient"]
    return f"The weight gradient alone needs fewer words than attention in {of_models(real, fewer, False)}."


def beside_the_gradient(table: pd.DataFrame) -> str:
    """Whether this run tells attention and the weight gradient apart; empty if no text flips under both."""
    own = erasure.versus(table, "gradient", "attention")
    first, second = int(own["sooner_a"]), int(own["sooner_b"])
    if not first + second:
        return ""
    begins = "On this page's corpus" + (
        "" if own["p_sooner"] < 0.05 else " neither surely needs fewer words:"
    )
    said = (
        f"{begins} the weight gradient flips the decision sooner in {counted(first)}, attention in {second} "
        f"(p = {own['p_sooner']:.2g})."
    )
    more = int(own["only_a"] - own["only_b"])
    if own["p_flips"] >= 0.05 or not more:
        return said
    return f"{said} The weight gradient flips {counted(abs(more))} {'more' if more > 0 else 'fewer'}."


# One text


def chosen(table: pd.DataFrame, evidence: Evidence) -> int:
    """A typical text: the one of `typical_texts` that is nearest to the average shares of words erased.

    Where there is none, the least sure of the short texts that some erasing flips; without a short one the
    shortest; where nothing flips, the shortest of two words or more.
    """
    typical = typical_texts(table, evidence)
    if len(typical):
        shares = [f"erased_{r}" for r in ("random_mean", "attention", "product")]
        return int((typical[shares] - erasure.in_common(table)[shares].mean()).abs().sum(axis=1).idxmin())
    flips, length = flipped(table), table["length"]
    usable = flips & (table["flips_top_attention"] != 1)
    short = usable & (length <= FEW)
    if short.any():
        return int(np.where(short, evidence.predictions.max(1), np.inf).argmin())
    for which in (usable, flips, length > 1):
        if which.any():
            return int(length.where(which, np.inf).argmin())
    return 0


def typical_texts(table: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """The short texts that every ranking flips, not the top word alone, and of which the model isn't sure."""
    common = erasure.in_common(table)
    unsure = evidence.predictions.max(1)[common.index] < SURE
    return common[unsure & (common["flips_top_attention"] != 1) & common["length"].between(2, FEW)]


def flipped(table: pd.DataFrame) -> pd.Series:
    """Which texts of two words or more some erasing flips."""
    return table["erased_optimal"].fillna(table["erased_attention"]).notna() & (table["length"] > 1)


def the_text(row: Row, table: pd.DataFrame, classes, encoder: str) -> list[str]:
    """A text and what the model with this encoder says of it. table: `erasure`'s."""
    own = erasure.decision(row)
    said = [
        f"{quoted(row.units)}: the model ({LABELS[encoder]}) predicts {inert(classes[own])}, with "
        f"P({inert(classes[own])}) = {row.prediction[own]:.3f}."
    ]
    if not flipped(table).any():
        said.append("Erasing flips no text at all; this is the shortest of two words or more.")
    return said


def without_the_top(row: Row, classes) -> str:
    """What is predicted without the word that has most attention, by hand.

    Raises AssertionError if `erasure.changes`, which erases every word at once, has another number.
    """
    highest = int(np.where(row.real, row.attention, -1).argmax())
    left = row.attention.copy()
    left[highest] = 0
    by_hand = row.probs(left / left.sum() if left.any() else left)  # with nothing left the bias decides
    place = int(row.real[:highest].sum())  # among the words
    assert np.allclose(row.prediction + erasure.changes(row)[place], by_hand, atol=1e-12)
    own = erasure.decision(row)
    return (
        f"Begin with the heaviest weight. Without “{tokens([row.units[highest]])}”, which has "
        f"{row.attention[highest]:.2f} of the attention, P({inert(classes[own])}) = {by_hand[own]:.3f}. "
        f"{spoke(row, highest, by_hand)}"
    ).rstrip()


def spoke(row: Row, place: int, without: np.ndarray) -> str:
    """What a word's state said to the decision; empty where nothing changes. without: the prediction then."""
    own = int(row.prediction.argmax())
    if without.argmax() != own:
        return "The decision changes."
    if np.isclose(without[own], row.prediction[own], rtol=0, atol=1e-12):
        return ""
    alone = row.probs(np.eye(len(row.attention))[place])
    if without[own] > row.prediction[own]:
        did = "spoke against it" if alone.argmax() != own else "spoke less for it than the others do"
        return f"The decision becomes surer: the most attended state {did}."
    return "The decision becomes less sure: the most attended state spoke for it."


def numbered(row: Row) -> list[str]:
    """A text's words for a figure, each after its number."""
    units = [unit for unit, is_real in zip(row.units, row.real, strict=True) if is_real]
    return [f"{i} {unit}" for i, unit in enumerate(units, 1)]


def weights_and_changes(row: Row, classes) -> dict[str, np.ndarray]:
    """A text's weights, and how far erasing each word moves the decision's probability: for a figure."""
    own = erasure.decision(row)
    called_ = f"change of P({text_for(classes[own], 'figure')}) without the word"
    return {"attention": row.attention[row.real], called_: erasure.changes(row)[:, own]}


def ways(row: Row, p: Params) -> dict[str, list[np.ndarray]]:
    """The decision's probability as words are erased, one after another until it flips, by order.

    Of attention and the product one way each, of `random` as many as random orders are drawn.
    """
    orders = orders_of(row, p)
    own, found = erasure.decision(row), {}
    for name, of in orders.items():
        counts_ = erasure.until_flip(row, of, p.keep_last)[0]
        come = row.head.from_logits(erasure.logits_on_the_way(row, of[:, ::-1])).numpy()[..., own]
        last = of.shape[1] - 1
        found[name] = [way[::-1][: (n or last) + 1] for way, n in zip(come, counts_, strict=True)]
    return found


def orders_of(row: Row, p: Params) -> dict[str, np.ndarray]:
    """The orders (R, n) in which one text's words are erased, by name."""
    rng, n = np.random.default_rng(p.seed), int(row.real.sum())
    ranked = {name: score for name, score in erasure.scores(row).items() if name in ("attention", "product")}
    drawn = rng.permuted(np.tile(np.arange(n), (p.random_orders, 1)), axis=1)
    return {"random": drawn} | {
        name: np.argsort(-score, kind="stable")[None] for name, score in ranked.items()
    }


def in_order(row: Row, p: Params) -> dict[str, list[str]]:
    """The words that attention's order and the product's erase, up to the flip, for a figure; none if they
    are many.
    """
    come, orders, found = ways(row, p), orders_of(row, p), {}
    units = [unit for unit, is_real in zip(row.units, row.real, strict=True) if is_real]
    for name in ("attention", "product"):
        gone = orders[name][0][: len(come[name][0]) - 1]
        found[name] = [text_for(units[i], "figure") for i in gone] if len(gone) <= FEW else []
    return found


def random_flips(row: Row, p: Params) -> list[bool]:
    """Which of the random orders of `ways` flip the decision."""
    return [*(erasure.until_flip(row, orders_of(row, p)["random"], p.keep_last)[0] > 0)]


def steps(row: Row, p: Params) -> dict[str, float]:
    """How many words each order of `ways` erases until the decision flips, of random ones the mean; NaN:
    never."""
    counts_ = {name: erasure.until_flip(row, of, p.keep_last)[0] for name, of in orders_of(row, p).items()}
    return {name: n[n > 0].mean() if n.any() else np.nan for name, n in counts_.items()}


def to_the_flip(row: Row, p: Params) -> str:
    """After how many words two orders flip the decision: the finding of the figure of `ways`."""
    found = steps(row, p)
    goes, product = (
        "never" if np.isnan(found[name]) else f"{found[name]:.0f}" for name in ("attention", "product")
    )
    return f"Words until the decision flips: {goes} by attention, {product} by gradient × attention"


def which_words(row: Row, p: Params) -> str:
    """Which words each order erases until the decision flips, by hand.

    Raises AssertionError if the decision is another before the last of them.
    """
    found, orders, said = steps(row, p), orders_of(row, p), []
    units = [unit for unit, is_real in zip(row.units, row.real, strict=True) if is_real]
    for name in ("attention", "product"):
        if np.isnan(found[name]):
            said.append(f"In the order of {called(name)} the decision never flips.")
            continue
        gone = orders[name][0][: int(found[name])]
        flips = [
            erasure.erased_flips(row, np.isin(np.arange(len(units)), gone[:k])) for k in range(len(gone))
        ]
        assert not any(flips)
        told = listed([f"“{tokens([units[i]])}” ({i + 1})" for i in gone]) + ": " if len(gone) <= FEW else ""
        order = "Attention's order" if name == "attention" else "Gradient × attention"
        against = int((erasure.changes(row)[gone, erasure.decision(row)] > 0).sum())
        those = f", {against} of which spoke against the decision" if against else ""
        said.append(f"{order} erases {told}{counted(len(gone), 'word')}{those}.")
        if name == "attention":
            said.append(scaled_up(row, gone, units))
    flips = int((erasure.until_flip(row, orders["random"], p.keep_last)[0] > 0).sum())
    every = counted(p.random_orders, "random order")
    after = f", after {found['random']:.1f} words on average" if flips > 1 else ""
    said.append(f"Of {every} {flips or 'none'} {'flips' if flips < 2 else 'flip'} it{after}.")
    fewest = erasure.smallest_set(row, p.keep_last) if erasure.linear(row) else None
    if fewest is not None and fewest.sum() == found["product"]:
        said.append("No order can need fewer words than gradient × attention does here.")
    return " ".join(sentence for sentence in said if sentence)


def scaled_up(row: Row, gone: np.ndarray, units: list[str]) -> str:
    """How much of the attention the last of the erased words has when its turn comes; empty if it is hardly
    more than at first. gone: the places of these words, in their order."""
    weights = row.attention[row.real]
    at_first = weights[gone[-1]]
    left = weights.sum() - weights[gone[:-1]].sum()
    if not (left > 0 and at_first / left > 2 * at_first):
        return ""
    return (
        f"“{tokens([units[gone[-1]]])}” had {at_first:.2f} of the attention at first, but the rest is scaled "
        f"up each time: when its turn comes, it has {at_first / left:.2f}."
    )


def moves_most(row: Row) -> str:
    """Whether the word with most attention moves the prediction most: the finding of the text's figure."""
    change = np.abs(erasure.changes(row)).max(1)
    units = [unit for unit, is_real in zip(row.units, row.real, strict=True) if is_real]
    top, most = int(row.attention[row.real].argmax()), int(change.argmax())
    if top == most:
        return "The word with most attention is the one whose erasure moves the prediction most"
    first, second = _which(units, top), _which(units, most)
    return f"{first} has most attention, but erasing {second} moves the prediction most"


def _which(units: list[str], place: int) -> str:
    """A word of a text for a figure; of a word that comes several times, which of them."""
    said = f"“{text_for(units[place], 'figure')}”"
    return said if units.count(units[place]) == 1 else f"{said} (word {place + 1})"


# One weight


def next_to_nothing(table: pd.DataFrame, p: Params) -> str:
    """In how many texts the top word's erasure moves the prediction more, and another's: the finding of the
    figure.
    """
    moved = table["delta_js_attention"].dropna()
    top, other = (moved >= SAME).mean(), (moved <= -SAME).mean()
    return (
        f"On {text_for(p.corpus, 'figure')}, attention's top word moves the prediction more in "
        f"{percent(top)}, another in {percent(other) if other else 'none'}"
    )


def saturated(table: pd.DataFrame, evidence: Evidence) -> str:
    """Of how many of the texts in which neither moves the model is sure; empty where there are none."""
    same = table["delta_js_attention"].abs() < SAME
    if not same.any():
        return ""
    sure = (evidence.predictions.max(1)[same.to_numpy()] >= SURE).mean()
    return (
        f"In {percent(sure)} of the texts where neither does (they differ by less than {SAME:g} nats) the "
        f"model is at least {SURE:.0%} sure{': one word less hardly matters there' if sure > 0.5 else ''}."
    )


def top_on_real_text() -> str:
    """What erasing the top word alone comes to on real text; empty without rows."""
    rows, by = carried(), ["corpus", "profile", "encoder"]
    top = top_by_encoder()
    further = rows[rows["measure"] == "delta_js_attention"].groupby(by)["low"].min() > 0
    if top.empty or further.empty:
        return ""
    n = of_models(further.reset_index(), further.reset_index(drop=True), False)
    return (
        f"On real text the top word's erasure moves the prediction further on average in {n}. But it changes "
        f"the decision in only {top['flipped by top word'].median():.0%} of the texts ({models_of(top)}; "
        "[appendix](#appendix-real-text-model-by-model))."
    )


def flip_table(table: pd.DataFrame) -> pd.DataFrame:
    """Which of two erasures flips the decision, per cent of texts with Wilson's interval."""
    found = {}
    for choice in erasure.CHOICES:
        rows = erasure.cells(table, choice).set_index("cell").loc[[*CELLS]]
        said = [f"{100 * r.mean:.1f} ({100 * r.low:.1f} to {100 * r.high:.1f})" for r in rows.itertuples()]
        found[called(choice)] = said
    return pd.DataFrame({"flipped by": [*CELLS.values()]} | found)


def single_flips(table: pd.DataFrame) -> str:
    """How many texts flip by the top word alone. table: `erasure`'s."""
    return f"Erasing attention's top word changes the decision in {only_top(table)}."


def as_reported(table: pd.DataFrame) -> str:
    """Whether what is public of the paper's numbers holds here. table: `erasure`'s.

    Empty where no text has several tokens.
    """
    own = erasure.cells(table, "attention").set_index("cell")["count"]
    if not own.sum():
        return ""
    holds = [own["neither"] == own.max(), own["top"] > own["other"]]
    if all(holds):
        return "Both are true of this run, too."
    if not any(holds):
        return "Neither is true of this run."
    return f"Only the {'first' if holds[0] else 'second'} is true of this run."


def our_own(table: pd.DataFrame) -> list[str]:
    """How often the top word alone flips the decision: here, and in the stored HANs. table: `erasure`'s."""
    own = erasure.cells(table, "attention").set_index("cell").loc["top"]
    said = []
    if not np.isnan(own["mean"]):  # some text has several tokens
        said.append(
            f"Erasing the top word flips {own['mean']:.1%} of the texts here that the other word's erasure "
            f"doesn't flip (95 % interval {own['low']:.1%} to {own['high']:.1%})."
        )
    rows = carried()
    hans = rows[(rows["encoder"] == "han") & (rows["measure"] == "cell_top_attention")]
    shares = hans.groupby("corpus")["mean"].mean()
    if len(shares):
        each = [f"{share:.1%} on {inert(corpus)}" for corpus, share in shares.items()]
        said.append(f"With our own HAN it is {listed(each)}.")
    return said


# Many weights


def luck(row: Row, p: Params) -> str:
    """A remark where random orders need no more words than attention's; empty where they need more."""
    found = steps(row, p)
    if not found["random"] <= found["attention"]:
        return ""
    return (
        "Random orders do as well here as attention's: it doesn't know which class a word speaks for, and so "
        "may first erase what spoke against the decision."
    )


def random_orders(p: Params) -> str:
    """How many random orders a text has, and what is made of them."""
    if p.random_orders == 1:
        return "*Random* is one random order of each text's words; so is *random (mean)*."
    return (
        f"Each text's words are put into {p.random_orders} random orders. *Random* is the first of them, "
        "as in Serrano & Smith. *Random (mean)* is the mean over those that flip the text, so it counts a "
        "text as flipped if any of them flips it."
    )


def in_common(table: pd.DataFrame, p: Params) -> str:
    """The mean share of words erased, over the texts that all rankings flip: a figure's finding."""
    common = erasure.in_common(table)
    if common.empty or not {"attention", "product"} <= {*flipping(table)}:
        return "No text flips under every ranking"
    attention, random, product = (common[f"erased_{r}"].mean() for r in ("attention", "random", "product"))
    chance = "" if np.isnan(random) else f", a random order {random:.0%}"
    return (
        f"On {text_for(p.corpus, 'figure')} attention needs {attention:.0%} of the words{chance}, "
        f"gradient × attention {product:.0%} (means)"
    )


def rankings_table(table: pd.DataFrame) -> pd.DataFrame:
    """How many texts each ranking flips, and the share of words that it erases."""
    bias, found = table["bias_flips"] == 1, []
    for r in flipping(table):
        shares = table[f"erased_{r}"]
        late = shares.isna() & bias
        numbers = int(shares.notna().sum()), int(shares.isna().sum()), int(late.sum())
        medians = shares.median(), shares.mask(late, 1).median()
        found.append((called(r).replace(" of orders", ""), *numbers, shares.mean(), *medians))
    columns = ["ranking", "flips", "never", "bias flips", "mean", "median", "with bias"]
    return pd.DataFrame(found, columns=columns)


def pairs_tables(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Which of two rankings flips at all, and which sooner: counts and p of `erasure.versus`, two tables."""
    rows = [{"first : second": f"{called(a)} : {called(b)}"} | erasure.versus(table, a, b) for a, b in PAIRS]
    found = pd.DataFrame(rows)
    flips = {"only_a": "only first", "only_b": "only second", "p_flips": "p"}
    sooner = {"sooner_a": "first", "sooner_b": "second", "as_soon": "as soon", "p_sooner": "p"}
    return [found[["first : second", *names]].rename(columns=names) for names in (flips, sooner)]


# The best that can be done


def check_optimal(table: pd.DataFrame) -> None:
    """Raises AssertionError if a ranking erases less than the optimum does."""
    for r in erasure.RANKINGS[:-1]:
        both = table[[f"erased_{r}", "erased_optimal"]].dropna()
        assert (both.iloc[:, 0] >= both.iloc[:, 1]).all()


def smallest_set(row: Row) -> int:
    """The size of the smallest set that flips the decision, by trying all of them; 0 if there is none."""
    own, units = row.prediction.argmax(), np.flatnonzero(row.real)
    for size in range(1, len(units)):
        for gone in combinations(units, size):
            left = row.attention.copy()
            left[list(gone)] = 0
            if left.sum() > 0 and row.probs(left / left.sum()).argmax() != own:
                return size
    return 0


def tried(table: pd.DataFrame, evidence: Evidence) -> str:
    """The optimum of some short texts, held against every set of words; empty where there is none.

    Raises AssertionError if the two differ.
    """
    short = table[table["length"].between(2, 12)]
    short = short.groupby(short["erased_optimal"].isna()).head(TRIED)
    if short.empty or not erasure.linear(evidence[0]):
        return ""
    least = (table["erased_optimal"] * table["length"]).fillna(0)
    for i in short.index:
        assert smallest_set(evidence[i]) == round(least[i])
    never = int((least[short.index] == 0).sum())
    flip = len(short) - never
    found = []
    if flip:
        found.append(f"in {flip} no set that flips the decision is smaller than the optimal order's")
    if never:
        found.append(f"in {never} no set flips it, as the formula says")
    return (
        f"On {counted(len(short), 'short text')} (at most 12 words) we tried every subset of the words: "
        f"{listed(found)}."
    )


def too_many(table: pd.DataFrame) -> str:
    """In how many texts gradient × attention and attention erase no word too many; empty of none."""
    said = []
    for name in ("product", "attention"):
        more = ((table[f"erased_{name}"] - table["erased_optimal"]) * table["length"]).dropna().round()
        if len(more):
            first = (
                ("needs as few words as possible ", " of the texts that it flips") if not said else ("", "")
            )
            said.append(f"{called(name)} {first[0]}in {percent((more == 0).mean())}{first[1]}")
    return f"On this page's corpus {', '.join(said)}." if said else ""


# How much attention?


def least_attention(table: pd.DataFrame) -> str:
    """The attention that is erased, of the texts that all rankings flip; empty where there is none.

    Raises AssertionError if a ranking erases less than the bound.
    """
    best = table[[f"mass_{r}" for r in erasure.RANKINGS]].min(axis=1)
    bound = table["mass_bound"]
    known = best.notna() & bound.notna()
    assert (best[known] >= bound[known] - 1e-12).all()
    own = erasure.in_common(table)
    if own[["mass_attention", "mass_bound"]].isna().all().any():
        return ""
    bounds = own["mass_bound"]
    return (
        f"Even the best of the rankings, chosen text by text, erases {best[own.index].mean():.0%} of the "
        f"attention. The lower bound is {percent(bounds.min())} to {percent(bounds.max())} by text."
    )


def by_mass(table: pd.DataFrame, p: Params) -> str:
    """How much attention is erased by attention's order: the finding of the figure."""
    own = erasure.in_common(table)
    if own["mass_attention"].isna().all():
        return "Attention flips no text"
    said = (
        f"On {text_for(p.corpus, 'figure')} attention's order erases {own['mass_attention'].mean():.0%} of "
        "the attention"
    )
    if own["mass_random"].notna().any():
        said += f", a random order {own['mass_random'].mean():.0%}"
    if own["mass_bound"].isna().all():
        return f"{said} (means)"
    return f"{said}; at least {own['mass_bound'].mean():.0%} has to go (means)"


# Does attention say more without context?


COMPARED = ["encoder", "measure", "n", "context", "none", "difference", "low", "high", "p"]


def compared(tables: dict[str, pd.DataFrame], alone: list[str], contextual: list[str], p) -> pd.DataFrame:
    """`erasure.says_more` of the first model without context and each with it; of one text nothing is said.

    tables: by encoder. p: the run's parameters.
    """
    found = []
    for encoder in sorted(contextual) if alone else []:
        of = erasure.says_more(tables[encoder], tables[alone[0]], p.resamples, p.seed)
        found += of[of["n"] > 1].assign(encoder=LABELS[encoder]).to_dict("records")
    return pd.DataFrame(found, columns=COMPARED)


def sides(compared: pd.DataFrame) -> tuple[int, int]:
    """In how many comparisons attention says more without context, and in how many less."""
    return int((compared["low"] > 0).sum()), int((compared["high"] < 0).sum())


def counts(compared: pd.DataFrame, context: pd.DataFrame, p: Params) -> str:
    """Whether attention says more without context, here and on real text: the figure's finding.

    compared: `compared`'s; context: `context_on_real_text`'s.
    """
    if compared.empty:
        return "No model without context to compare with one"
    here, n = side(*sides(compared)), most(*sides(compared))
    said = (
        f"Without context attention says {here} on {text_for(p.corpus, 'figure')} "
        f"({n} of {counted(len(compared), 'comparison')})"
    )
    own = context[context["attention"] == p.attention] if len(context) else context
    if own.empty:
        return said
    more, less, tests = own[["more", "less", "tests"]].sum()
    there = side(more, less)
    return (
        f"{said}{',' * (here != there)} {'but' if here != there else 'and'} {there} on real text "
        f"({most(more, less)} of {counted(tests, 'test')}, {p.attention})"
    )


def side(more: int, less: int) -> str:
    """Whether attention says more, by two counts, or less."""
    return "more" if more > less else "less" if less > more else "as much"


def most(more: int, less: int) -> int:
    """The larger of two counts."""
    return int(max(more, less))


def most_of(more: int, less: int, every: int, what: str) -> str:
    """`more in 57 of 66 tests and less in 2`; what there is more of comes first."""
    (first, n), (second, m) = sorted([("more", more), ("less", less)], key=lambda side: -side[1])
    return f"{first} in {n} of {counted(every, what)} and {second} in {m or 'none'}"


def context_on_real_text() -> pd.DataFrame:
    """The carried tests of the same: by attention and number, in how many attention says more or less
    without.
    """
    pairs = verdict.without_context()
    if pairs.empty:
        return pd.DataFrame()
    found = []
    for (how, what), own in pairs.groupby(["attention", "measure"]):
        found.append((how, SHORT.get(what, what), *sides(own), len(own), own["corpus"].nunique()))
    return pd.DataFrame(found, columns=["attention", "number", "more", "less", "tests", "corpora"])


def depends_on_attention(table: pd.DataFrame, compared: pd.DataFrame) -> list[str]:
    """Whether attention says more without context on real text, and where it is otherwise.

    table: `context_on_real_text`'s, of none nothing is said; compared: `compared`'s.
    """
    if table.empty:
        return []
    sums = table.groupby("attention")[["more", "less", "tests"]].sum().sort_values("tests", ascending=False)
    corpora = table.groupby("attention")["corpora"].max()
    said, others = [], []
    for how, (more, less, tests) in zip(sums.index, sums.to_numpy(), strict=True):
        of = f"{how} attention", most_of(more, less, tests, "test")
        if not said:
            main = side(more, less)
            said = [
                "Does the [encoder](glossary.md#encoder) matter? Attention *says more* if its top word moves "
                "the prediction more, or its order saves more words. Where states don't read their "
                f"neighbours, {of[0]} says {of[1]} (real text, "
                f"{counted(corpora[how], 'corpus', 'corpora')})."
            ]
        elif side(more, less) != main:
            others.append(f"{of[0]} ({of[1]}; {counted(corpora[how], 'corpus', 'corpora')})")
    more, less = sides(compared)
    if len(compared) and side(more, less) != main:
        others.append(f"this page's corpus ({most_of(more, less, len(compared), 'comparison')})")
    if others:
        exception = "One exception" if len(others) == 1 else "Exceptions"
        said.append(f"{exception}: {listed(others)}.")
    return said


def about_the_tests(table: pd.DataFrame, compared: pd.DataFrame, attention: str) -> list[str]:
    """What a test on real text is, and whether this run's own comparisons say the opposite.

    table: as above; compared: `compared`'s, of this kind of attention.
    """
    if table.empty:
        return ["No two real runs of this chapter are stored yet."]
    said = against_real_text(table[table["attention"] == attention], compared, attention)
    of = verdict.without_context().groupby(["attention", "corpus"]).size()
    most = [f"of the {of[how].sum()} with {how} attention {of[how].max()} are of {of[how].idxmax()}"
            for how in of.index.unique("attention") if of[how].size > 1]  # fmt: skip
    said.append(
        "A test is of one corpus, one seed, a pair of models and one of the three numbers"
        f"{'; ' + listed(most) if most else ''}. The tests of one corpus share its texts, so they aren't "
        "independent."
    )
    return said


def against_real_text(table: pd.DataFrame, compared: pd.DataFrame, attention: str) -> list[str]:
    """In which numbers most of this run's comparisons say the opposite of real text's tests; [] if in none.

    table, compared: as for `about_the_tests`, of this kind of attention alone.
    """
    found = {"go against real text": [], "go with real text": [], "have no clear side": []}
    shown = compared["measure"].map(lambda what: SHORT.get(what, what))
    for row in table.itertuples():
        own = compared[shown == row.number]
        more, less = sides(own)
        side = (int(2 * more > len(own)) - int(2 * less > len(own))) * np.sign(row.more - row.less)
        found[[*found][0 if side < 0 else 1 if side > 0 else 2]].append(f"*{row.number}*")
    if not found["go against real text"]:
        return []
    told = [f"{what} in {listed(numbers)}" for what, numbers in found.items() if numbers]
    return [f"Taken by majority, this run's comparisons ({attention} attention) {listed(told)}."]


def top_by_encoder() -> pd.DataFrame:
    """Share of texts that the top word's erasure flips, whether or not another's does so, too; of those that
    only it flips; and mean ΔJSD, by model, on real text.
    """
    names = {
        "flipped": "flipped by top word",
        "cell_top_attention": "by it only",
        "delta_js_attention": "mean ΔJSD",
    }
    rows = carried()
    rows = rows[rows["measure"].isin([*names, "cell_both_attention"])]
    if rows.empty:
        return rows
    rows = rows.assign(model=named(rows))
    wide = rows.groupby(["model", "measure"], sort=False)["mean"].mean().unstack()
    wide["flipped"] = wide["cell_top_attention"] + wide["cell_both_attention"]
    return wide[[*names]].rename(columns=names).rename_axis(columns=None).reset_index()


# So


def answer(words: pd.DataFrame, mass: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for real text. The arguments are `in_short`'s."""
    said = []
    if len(mass):
        stay = most_stay(mass)
        never = (
            f" In {of_models(mass, stay, False)} no amount is enough for most texts." if stay.any() else ""
        )
        said.append(
            f"Where a decision can be flipped, at least {from_to(mass)} of the attention must go, on average "
            f"over a model's texts.{never}"
        )
    if len(mass) and gains_little(mass) and saves_words(words):
        said.append("Against a random order attention's own saves many words but little attention.")
    return said


def from_to(rows: pd.DataFrame) -> str:
    """The least and the most of the lower bounds, with their models; of one model its own."""
    low, high = rows.loc[rows["bound"].idxmin()], rows.loc[rows["bound"].idxmax()]
    told = [f"{row['bound']:.0%} ({model_called(row)})" for row in (low, high)]
    return " to ".join(told if len(rows) > 1 else told[:1])


def outermost(rows: pd.DataFrame) -> dict[str, dict[int, str]]:
    """The models that `from_to` names: the names of their dots, as `figures.medians` wants them."""
    ends = rows["bound"].agg(["idxmin", "idxmax"]) if len(rows) > 1 else ()
    return {"bound": {i: text_for(model_called(rows.loc[i]), "figure") for i in ends}}


def agrees(real: pd.DataFrame) -> str:
    """Whether both of what Serrano & Smith concluded holds, counted in words; empty without rows."""
    if real.empty:
        return ""
    fewer, more = clearly(real)
    mostly = [which.sum() > len(real) / 2 for which in (fewer, more)]
    hans = real["encoder"] == "han"
    but = ""
    if hans.any() and not fewer[hans].any() and mostly[0]:
        but = " In the HAN it isn't surely better than chance."
    of = " in most models" if len(real) > 1 else ""
    if all(mostly):
        holds = f"Both hold here{of}: attention needs fewer words than a random order, but not the fewest"
    elif any(mostly):
        better = "than a random one" if mostly[0] else "than gradient × attention"
        which = "first" if mostly[0] else "second"
        need = "fewer" if mostly[0] else "more"
        holds = f"Here the {which} holds{of}: attention's order needs {need} words {better}"
    else:
        holds = "Neither holds here, counted in words"
    return f"{holds}.{but}"
