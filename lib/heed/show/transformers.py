"""Chapter 13: its sentences, with their numbers and odd cases."""

from pathlib import Path

import numpy as np
import pandas as pd

from heed.experiments.audit import IMPORTANCE, ORDERS, READINGS, Audit
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
    directions = "one direction" if alone[0] == 1 else f"{alone[0]} directions"
    how = f"each head's weights can move in {directions}"
    if len({*alone}) > 1:
        how = f"the heads' weights can move in {listed([str(n) for n in alone])} directions"
    return (
        f"Yes: {how}, and z stays the same ({_equal(both.moved)}). So does every prediction, whatever comes "
        "after z."
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
        f"**{name[0].upper()}{name[1:]}** has heads of {size} numbers, so by the rule no other attention "
        f"exists up to {size + 1} pieces. "
    )
    if free.empty:
        most = fixed["units"].max()
        return f"{said}Of the lengths tried, {most} at most, none has other attention with the same output."
    longest, first = free["units"].max(), free["units"].min()
    last = table[table["units"] == longest].groupby("kind")["jsd"].mean()
    tried = f"there is some from {first} pieces on"
    if len(fixed) and fixed["units"].max() < first:
        tried = f"there is none up to {fixed['units'].max()} pieces, and some from {first} on"
    return (
        f"{said}Of the lengths tried, {tried}. At {longest} pieces the most distant attention that was found "
        f"has a JSD of {last[ALL]:.2f} if all heads move, and of {last[ALONE]:.2f} if one head moves alone. "
        f"The output stays {_equal(free['moved'].max())}."
    )


def may_be_shown(found: Audit) -> list[str]:
    """Whether this model's attention may be shown, by how many of the checks hold."""
    holds = audit.checks(found)["holds"]
    asked, name = holds[holds != "open"], audit.called(found)
    if asked.empty:
        return [f"**Nothing can be said of the attention of {name}**: the texts are too short."]
    met = int((asked == "yes").sum())
    said = "Not by itself" if met else "No"
    if met == len(asked):
        said = "Yes, as far as these checks go, as a hint at what the model used"
    return [
        f"**May the attention of {name} be shown as an explanation of what it decides? {said}.**",
        f"On {counted(len(found.texts))}, of one model, it meets {met or 'none'} of "
        f"{counted(len(asked), 'expectation')}.",
    ]


def in_short(
    found: Audit, tables: dict[str, pd.DataFrame], without: pd.DataFrame, own: pd.DataFrame
) -> list[str]:
    """The chapter's answer.

    without: of the same texts, what is left without the last attention. own: carried rows of whole
    transformers, `verdict.own_attention`.
    """
    said, texts = may_be_shown(found), found.texts
    loo = texts["tau attention loo"]
    if loo.notna().any():
        ranks = "doesn't rank words as" if loo.mean() < audit.ALIKE else "ranks words much as"
        begins = "As in 2019" if loo.mean() < audit.ALIKE else "Unlike in 2019"
        said.append(
            f"{begins}, it {ranks} their removal does (Kendall's τ = {loo.mean():z.2f}; 1: the same order)."
        )
    if fixed := fixed_up_to(tables):
        lengths = listed([f"{most} pieces in {name}" for name, most in fixed.items()])
        said.append(f"New: in short texts, up to {lengths}, no other attention gives the very same output.")
    stays = ~without["flips"]
    way = "isn't the only way to a decision" if stays.mean() >= 0.5 else "is needed for most decisions"
    said.append(f"The last attention {way}; without it {share(stays)} are decided as before.")
    known = truths(found).set_index("measure")["AUROC"]
    if len(known):
        attention, removal = known[READINGS["attention"]], known[IMPORTANCE["loo"]]
        but = "Yet attention finds" if attention > removal + SURPRISE else "Attention finds"
        said.append(
            f"{but} the words that decide, which are known here, with an AUROC of {attention:.2f}; "
            f"leave-one-out's is {removal:.2f} (chance: 0.50)."
        )
    return [*said, *(in_short_of_real_text(own) or _not_of_real_text(tables))]


def _not_of_real_text(tables: dict[str, pd.DataFrame]) -> list[str]:
    """How little is known of real text, where the chapter's model is the small one."""
    others = [inert(name) for name in tables if name != SMALL]
    if SMALL not in tables or not others:
        return []
    return [f"On real text only the freedom of {listed(others)} has been measured."]


def _over(own: pd.DataFrame) -> str:
    """Over how many seeds and texts the means of a model's rows are."""
    texts = own.loc[own["measure"].isin(["tau_loo", "flips_without"]), "n"].max()
    return f"{counted(own['seed'].nunique(), 'seed')}, {counted(int(texts))} each"


def in_short_of_real_text(own: pd.DataFrame) -> list[str]:
    """Two numbers of the first corpus of carried rows, in one sentence; none where there are none."""
    own = own[own["corpus"] == own["corpus"].min()]
    means = own.groupby("measure")["mean"].mean()
    if "tau_loo" not in means or "flips_without" not in means:
        return []
    first = own.iloc[0]
    return [
        f"In {inert(first['model'])}, fine-tuned on {inert(first['corpus'])}, τ is "
        f"{means['tau_loo']:z.2f}, "
        f"and {1 - means['flips_without']:.0%} are decided as before."
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
    """What follows of `truths`: whether readings of attention or measures that ask the model find more."""
    if table.empty:
        return [f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."]
    means = table.groupby("it")["AUROC"].agg(["min", "max"])
    if len(means) < 2:
        return []
    each = {it: f"{row['min']:.2f} to {row['max']:.2f}" for it, row in means.iterrows()}
    said = [
        f"Readings of attention reach an AUROC of {each[READS]}, measures that ask the model {each[ASKS]}."
    ]
    own = table.set_index("measure")["AUROC"]
    attention, removal = own.get(READINGS["attention"], 0), own.get(IMPORTANCE["loo"], 1)
    if attention > removal + SURPRISE:
        said.append(
            "So where attention and leave-one-out differ, leave-one-out may be the one that is wrong."
        )
    elif means.loc[READS, "max"] < means.loc[ASKS, "min"]:
        said.append("So here the measures that ask the model are nearer to the truth.")
    else:
        said.append("So agreement with a measure that asks the model isn't agreement with the truth.")
    return said


def readings(found: Audit) -> pd.DataFrame:
    """The readings of attention, all heads together: mean τ with leave-one-out and with the gradient."""
    names = found.notes["readings"]
    columns = {f"τ with {IMPORTANCE[other]}": other for other in ("loo", "gradient")}
    rows = {
        label: [found.texts[f"tau {name} {other}"].mean() for name in names]
        for label, other in columns.items()
    }
    return pd.DataFrame({"reading": [READINGS[name] for name in names]} | rows)


def checks(found: Audit) -> pd.DataFrame:
    """`audit.checks` with each check's rule, for this chapter's page."""
    texts, holds = found.texts, audit.checks(found)["holds"]
    several = texts["words"] > 1
    moved = texts.loc[several, "change own"] > audit.MOVED
    own = texts["free dimension"].dropna() if "free dimension" in texts else pd.Series(dtype=float)
    sooner = 100 * (texts["erased random"].fillna(1) - texts["erased attention"].fillna(1))
    low, high = stats.interval(sooner.to_numpy(), RESAMPLES, 0)
    rows = [
        ["it lies on words, not on marks", f"{texts['on words'].mean():.0%} does", "over 50%"],
        [
            "it ranks words as their removal does",
            f"τ = {audit.mean(texts['tau attention loo'])}",
            f"τ ≥ {audit.ALIKE:g}",
        ],
        [
            f"shuffled, it moves the prediction by over {audit.MOVED:g}",
            f"in {share(moved)}" if several.any() else "no text has two words",
            "in over half",
        ],
        [
            "no other attention gives the same output",
            f"another does in {share(own > 0)}" if len(own) else "not asked",
            "another in under half",
        ],
        [
            "erased in its order, words flip decisions sooner than at random",
            f"by {sooner.mean():z.0f} points of the words ({low:z.0f} to {high:z.0f})",
            "interval above 0",
        ],
    ]
    return pd.DataFrame(rows, columns=["expectation", "found", "rule"]).assign(met=holds.to_numpy())


def remarks(found: Audit) -> list[str]:
    """What one should know of the checks: where a rule is hard to meet, or the case is close."""
    texts, said = found.texts, []
    gradient = texts["tau gradient loo"].mean()
    if texts["tau attention loo"].mean() < audit.ALIKE and gradient < audit.ALIKE:
        said.append(
            f"The second expectation is hard to meet: the gradient's own τ with removal is {gradient:z.2f}."
        )
    moved = texts.loc[texts["words"] > 1, "change own"] > audit.MOVED
    if len(moved) and abs(moved.mean() - 0.5) <= 0.05:
        missing = len(moved) // 2 + 1 - int(moved.sum())
        close = f"fails by {counted(missing)}" if missing > 0 else f"is met by {counted(1 - missing)}"
        said.append(f"The third is a close case: it {close}.")
    own = texts["free dimension"].dropna() if "free dimension" in texts else pd.Series(dtype=float)
    far = texts["free jsd"].dropna() if "free jsd" in texts else own[:0]
    if 0 < len(own) < len(texts):
        said.append(f"The fourth was asked of the first {counted(len(own))} alone, as it takes long.")
    if len(far):
        said.append(
            f"The most distant other attention has a JSD of {far.mean():.2f} on average, of at most 0.69."
        )
    return said


def looks(found: Audit) -> pd.DataFrame:
    """Where each head's attention lies, and that of all heads together: percent, mean over texts."""
    of = {"words": ["words"], "punctuation": ["punctuation"], "marks": ["first mark", "other marks"]}
    heads = found.heads
    table = pd.DataFrame({name: sum(heads[f"on {kind}"] for kind in kinds) for name, kinds in of.items()})
    table.insert(0, "head", [f"head {h}" for h in heads["head"]])
    if len(table) > 1:
        table.loc[len(table)] = ["all heads", *table[[*of]].mean()]
    for name in of:
        table[name] = [f"{value:.0%}" for value in table[name]]
    return table


def looks_title(found: Audit) -> str:
    """The finding of `looks`."""
    texts = found.texts
    return (
        f"{texts['on words'].mean():.0%} of the attention is on words (mean over {counted(len(texts))}; the "
        f"word with most has {texts['peak'].mean():.2f})"
    )


def moves_title(texts: pd.DataFrame) -> str:
    """What the figure of shuffles shows of all heads, each shuffled by its own."""
    half, most = texts["change own"].quantile([0.5, 0.75])
    return f"Shuffling moves half of the texts by at most {half:.2f}, and a quarter by {most:.2f} or more"


def shuffled(found: Audit) -> list[str]:
    """What becomes of the prediction when attention is shuffled otherwise, made equal, or put on one word."""
    texts, said = found.texts, []
    half, most = texts["change own"].quantile([0.5, 0.75])
    if half < audit.MOVED and most > 4 * audit.MOVED:
        said.append(
            "So half of the predictions hardly depend on where attention lies, but a quarter depend on it "
            "strongly."
        )
    if found.notes["heads"] > 1:
        said.append(
            "Shuffling all heads in the same way moves the median text by "
            f"{texts['change same'].median():.2f}, shuffling one head alone by "
            f"{texts['change alone'].median():.2f}."
        )
    said.append(
        f"Equal weights everywhere move the median text by {texts['change uniform'].median():.2f}, and "
        f"flip the decision in {share(texts['flips uniform'])}."
    )
    said.append(
        "If all attention is put on a single word, the decision stays for "
        f"{texts['one word keeps'].mean():.0%} of the words."
    )
    return said


def _flipped_by(texts: pd.DataFrame, order: str) -> float:
    """The share of the words with which half of the texts have flipped; infinite if half never flip."""
    return float(np.sort(texts[f"erased {order}"].fillna(np.inf))[(len(texts) - 1) // 2])


def erased_title(texts: pd.DataFrame) -> str:
    """What the figure of erasing shows: with how many words half of the decisions have flipped."""
    own, random = _flipped_by(texts, "attention"), _flipped_by(texts, "random")
    if np.isinf(own):
        never = texts["erased attention"].isna().mean()
        return f"Erased in attention's order, {never:.0%} of the decisions never flip"
    beside = "in a random order fewer ever flip" if np.isinf(random) else f"at random {random:.0%}"
    return f"Erasing {own:.0%} of the words in attention's order flips half of the decisions; {beside}"


def erases(found: Audit) -> list[str]:
    """How many words must go on average, and how often nothing flips."""
    texts = found.texts
    if not any(texts[f"erased {name}"].notna().any() for name in ORDERS):
        return ["No order of erasing flips any decision while a word is left."]
    left = {name: texts[f"erased {name}"].fillna(1).mean() for name in ORDERS}
    said = [
        f"On average {left['attention']:.0%} of the words must go in attention's order, and "
        f"{left['random']:.0%} in a random one, if a text that never flips counts as all of its words."
    ]
    never = texts["erased attention"].isna()
    if never.any():
        verb = "flips" if never.sum() == 1 else "flip"
        said.append(f"In attention's order {share(never)} never {verb}.")
    best = min(left, key=left.get)
    if left[best] < left["attention"] - 0.01:
        said.append(f"The order by {ORDERS[best]} needs fewest words: {left[best]:.0%}.")
    return said


def models(
    own: pd.DataFrame, source: Pretrained, carried: pd.DataFrame, name: str = SMALL
) -> dict[str, pd.DataFrame]:
    """Rows of `free_by_length` by the model's name: this chapter's model, then the committed ones."""
    own = own.assign(head_size=source.size // source.heads)
    return {name: own} | {str(name): rows for name, rows in carried.groupby("model")}


def freedom_title(tables: dict[str, pd.DataFrame]) -> str:
    """What the figure of freedom shows."""
    if any((table["dimension"] > 0).any() for table in tables.values()):
        return "Other attention gives the same output only in longer texts"
    return "In texts this short no other attention gives the same output"


def left_without(without: pd.DataFrame) -> list[str]:
    """What the decision is without the last attention."""
    return [
        f"With all weights of the last attention set to 0, the decision stays in {share(~without['flips'])}.",
        f"The prediction of the median text moves by {without['change'].median():.2f}.",
    ]


def heads_title(taus: pd.DataFrame) -> str:
    """What the figure of heads shows."""
    own = taus["loo"].dropna() if "loo" in taus else []
    if len(own) < 2:
        return "How far each head agrees with the measures that ask the model"
    return f"Heads of one layer differ: τ with leave-one-out is {own.min():z.2f} to {own.max():z.2f}"


def truths_title(table: pd.DataFrame) -> str:
    """What the figure of `truths` shows."""
    best, attention = str(table["measure"].iloc[0]), READINGS["attention"]
    own = table.set_index("measure")["AUROC"]
    said = f"{best[0].upper()}{best[1:]} finds the deciding words best: AUROC {own[best]:.2f}"
    return said if best == attention else f"{said}, attention's {own[attention]:.2f}"


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
ABOUT_STATES = (
    "## Real texts: one attention over a transformer's states\n\n"
    "One attention of 2019's kind over the states of a transformer can be asked all that chapters 01 to 06 "
    "ask. *Frozen*: only attention and decoder are trained; *fine-tuned*: everything is. Beside it is the "
    "BiLSTM on the same texts."
)
ABOUT_OWN = "## Real texts: a transformer's own attention\n\nThat of [CLS] in the last layer, fine-tuned."
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
            parts.append(f"the τ of attention and leave-one-out is {means['tau_loo']:z.2f}")
        if "flips_without" in means:
            parts.append(f"without the last attention {means['flips_without']:.0%} of the decisions flip")
        if parts:
            named = f"In {inert(model)}, fine-tuned on {inert(corpus)} ({_over(own)})"
            said.append(f"{named}, {', and '.join(parts)}.")
    return said


def own_attention(table: pd.DataFrame) -> pd.DataFrame:
    """`verdict.own_attention` for the page: a row a measure, a column a corpus, means over seeds."""
    own = table[table["measure"].isin(OWN)]
    wide = own.pivot_table(index="measure", columns="corpus", values="mean").reindex(OWN).dropna(how="all")
    seeds = own.groupby("corpus")["seed"].nunique()
    wide.columns = [f"{name} ({counted(seeds[name], 'seed')})" for name in wide.columns]
    return wide.rename(index=OWN).reset_index(names="mean over texts and seeds")


def advice(found: Audit) -> list[str]:
    """What to show beside attention: of the measures that ask the model the one that finds most, if known."""
    known = truths(found)
    asking = known[known["it"] == ASKS].set_index("measure")["AUROC"]
    own = known.set_index("measure")["AUROC"].get(READINGS["attention"])
    if asking.empty or own is None or IMPORTANCE["loo"] not in asking:
        return ["If it is shown, then beside a measure that asks the model, such as integrated gradients."]
    best, removal = str(asking.idxmax()), asking[IMPORTANCE["loo"]]
    said = []
    if own > removal + SURPRISE:
        said.append(
            "That it disagrees with leave-one-out says little here, because leave-one-out itself finds the "
            f"deciding words less well (AUROC {removal:.2f}, attention {own:.2f})."
        )
    return [
        *said,
        "If attention is shown, then beside a measure that asks the model. Of these, the one that finds the "
        f"deciding words best here is {best} (AUROC {asking[best]:.2f}; attention's own: {own:.2f}).",
    ]


def answer(found: Audit, own: pd.DataFrame) -> list[str]:
    """The chapter's question, answered. own: carried rows of whole transformers."""
    return [
        *may_be_shown(found),
        *advice(found),
        "Every picture should say which head it shows, or how the heads were put together.",
        *of_real_text(own),
    ]
