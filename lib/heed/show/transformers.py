"""Chapter 13: its sentences, with their numbers and odd cases."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from heed import verdict
from heed.experiments.audit import IMPORTANCE, READINGS, Audit
from heed.experiments.transformers import ALL, ALONE, SUMMARISED, Classifiers, moved_away
from heed.measures import stats
from heed.measures.divergence import jsd
from heed.measures.freedom import freedom
from heed.measures.layer import Layer, permuted
from heed.models.pretrained import Pretrained
from heed.params import Classifying
from heed.show import audit
from heed.show.audit import RESAMPLES, share
from heed.show.figures.transformers import HALFWAY
from heed.show.notebook import inert
from heed.show.sentences import counted, listed, signed
from heed.verdict.merging import LEVELS

SMALL, BILSTM = "the small model", "a BiLSTM of 2019's kind"
WHICH = "**If attention is shown**, say which head it is or how the heads were put together"
SHOW = (
    f"{WHICH}, and show a measure that asks the whole model beside it. Nobody knows which one suits your "
    "model, so where they differ, trust none alone."
)
PICTURED = ("attention", "loo")  # the pictures of one text
ELSEWHERE = "other attention"  # of the same text, with the same prediction
EXPECTED = {  # what a row of the table is called, and the rule of the audit that it stands for
    "1 on words": "over half of its weight is on words, not on marks.",
    "2 as leave-one-out": "it ranks words much as leave-one-out does (Kendall's "
    f"[τ](glossary.md#kendall-τ) ≥ {audit.ALIKE:g}; 1 is the same order, 0 unrelated).",
    "3 shuffled": f"shuffling it moves over half of the predictions by over {audit.MOVED:g}.",
    "4 none distant": f"no other attention with the same prediction is far away (mean JSD ≤ {audit.NEAR:g}).",
    "5 erased": "if words lose their weight one by one in its order, the decision flips after fewer of them "
    "than in a random order.",
}
RULES = len(EXPECTED)
SO = "so"  # the row of the answers
EXPECTATIONS = f"{RULES} [expectations](#so-may-their-attention-be-shown)"
NOTHING_SAID = "Nothing can be said"
COMES_TO = {  # an answer, as what becomes of the expectations
    audit.YES: "meet all",
    audit.UNREFUTED: "fail none, with some left open",
    audit.BESIDE: "fail at least one",
    audit.NO: "fail all but perhaps the first",
    NOTHING_SAID: "decide none",
}
UNKNOWN = (
    "**On your texts nobody knows which words decide**, so show a measure that asks the whole model beside "
    "attention."
)
MATTERS = {  # whether it matters where a model looks: the whole claim, and what is short for it after another
    "does": ("it matters", "it does"),
    "hardly": ("it hardly matters", "it hardly does"),
    "by seed": (
        "it depends on the training's seed how much it matters",
        "how much it does depends on the training's seed",
    ),
}
ASKS, READS = "asks the model", "reads attention"
PUBLISHED = {"MiniLM": "MiniLM, as published (20 Newsgroups)"}  # the carried models of `frees`
NEARLY_ALL = 0.8  # share of the words any one of which keeps the decision, from which on nearly any does
HARDLY_ANY = 0.01  # nats: other attention that is nearer is hardly another
SELDOM = 0.25  # share of decisions that flip by erasing, up to which they seldom do
HARDLY = 0.1  # by how much more decisions may stay than with a constant answer, to be hardly more; and TVD
AT_CHANCE = 0.05  # AUROC that is no further from 0.5 is told as chance
ODD = 0.1  # by how much more two of three agree with one another than with the third, the odd one out
SURPRISE = 0.1  # by how much more of the truth attention finds than leave-one-out to be remarked on
LEARNED = 0.8  # accuracy from which on a model has mostly learned a corpus's rule
NONE = 0.1  # τ up to which a head agrees with none


def short(p: Classifying) -> str:
    """A run's model, for a legend."""
    return f"{brief(Path(p.pretrained).name)}, fine-tuned" if p.pretrained else SMALL


def taken(layer: Layer) -> pd.DataFrame:
    """What each head by hand takes of each word for its own number of z, and what that number comes to.

    At the right the same with the most distant weights that were found to give the same z.
    """
    rows = []
    for h, row in enumerate(layer.rows):
        other, values = freedom(row).attention[0], row.values[:, h]
        for word, *numbers in zip(row.units, values, row.attention, other, strict=True):
            value, own, another = numbers
            rows.append([f"head {h + 1}", word, value, own, own * value, another, another * value + 0.0])
        sums = [weights @ values + layer.rest[h] for weights in (row.attention, other)]
        for name, own, another in (
            ("brought along", layer.rest[h], layer.rest[h]),
            (f"z, number {h + 1}: the sum", *sums),
        ):
            rows.append(["", name, np.nan, np.nan, own, np.nan, another])
    columns = ["head", "word", "value", "weight", "taken", "another weight", "taken then"]
    return pd.DataFrame(rows, columns=columns)


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


def frees(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """From which length on other attention gives a layer the same output, and how far: a row a model."""
    rows = []
    for name, table in tables.items():
        every = table[table["kind"] == ALL]
        size = int(table["head_size"].iloc[0])
        fixed, free = (every.loc[own, "units"] for own in (every["dimension"] == 0, every["dimension"] > 0))
        far = {}
        for kind, own in table.groupby("kind"):
            longest = own["units"].max()
            far[kind] = f"{own.loc[own['units'] == longest, 'jsd'].mean():.2f} at {longest} pieces"
        rows.append(
            {
                "model": PUBLISHED.get(name, name),
                "numbers of a value": size,
                "by the rule from": f"{size + 2} pieces",
                "none up to": f"{fixed.max()} pieces" if len(fixed) else "–",
                "some from": f"{free.min()} pieces" if len(free) else "–",
                "all heads move: mean JSD": far[ALL],
                "one head moves": far[ALONE],
            }
        )
    return pd.DataFrame(rows)


def far(
    found: Audit, own: pd.DataFrame, corpus: str, name: str = SMALL, bilstm: Audit | None = None
) -> pd.DataFrame:
    """How far attention can be with the same prediction, a row a model and seed: mean JSD, 95 % interval.

    Of several heads their mean, which is shown. own: `verdict.own_attention`; bilstm:
    `transformers.bilstm_asked`. Columns who, seed, mean, low, high.
    """
    rows = []
    for who, one in _here(found, bilstm, name).items():
        if len(values := audit.alternatives(one).to_numpy(dtype=float)):
            ends = stats.interval(values, RESAMPLES, 0)
            rows.append([f"{who} on {corpus}", 0, values.mean(), *ends])
    for who, theirs in _by_who(own[(own["measure"] == "other_jsd_mean") & own["mean"].notna()]).items():
        lows, highs = (theirs.get(end, theirs["mean"]).fillna(theirs["mean"]) for end in ("low", "high"))
        rows += [[who, *row] for row in zip(theirs["seed"], theirs["mean"], lows, highs, strict=True)]
    return pd.DataFrame(rows, columns=["who", "seed", "mean", "low", "high"])


def _here(found: Audit, bilstm: Audit | None, name: str) -> dict[str, Audit]:
    """This chapter's model and a BiLSTM, if there is one, by what they are called."""
    return {name: found} | ({BILSTM: bilstm} if bilstm is not None else {})


def _by_who(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Carried rows by whose they are, `MiniLM on sst`."""
    each = rows.groupby(["corpus", "model"])
    return {f"{brief(model)} on {corpus}": own for (corpus, model), own in each}


def far_note(found: Audit, own: pd.DataFrame) -> str:
    """How to read the figure of `far`: by how much the prediction may move, who was asked, and its limit.

    own: `verdict.own_attention`.
    """
    said = [f"The prediction moves by {found.notes['how']['epsilon']:g} at most."]
    if len(carried := own[own["measure"] == "other_jsd_mean"]):
        models = listed([inert(brief(model)) for model in carried["model"].unique()])
        said.append(f"{models} was searched in {_searched(own)} a seed.")
    return f"*{' '.join([*said, 'The search may miss what is further away.'])}*"


def far_title(table: pd.DataFrame) -> str:
    """How far attention can be with the same prediction, by model. table: `far`."""
    means = table.groupby("who")["mean"].mean()
    return f"With the same prediction attention could be {audit.spread(means)} away on average (JSD)"


def freer(found: Audit, away: pd.DataFrame) -> list[str]:
    """What `far` comes to: of how many texts, what is left to the deciding words, and what that means.

    away: `transformers.elsewhere`, empty where nobody knows these words.
    """
    said, distances = [], audit.alternatives(found)
    if 0 < len(distances) < len(found.texts):
        said.append(f"The search is slow: it was made for {counted(len(distances))}.")
    if len(away):
        auroc = away["auroc other"].mean()
        finds = f"Its AUROC for them is {auroc:.2f}."
        if abs(auroc - 0.5) < AT_CHANCE:
            finds = f"It finds them no better than chance (AUROC {auroc:.2f})."
        said.append(
            f"Over {counted(len(away))} the other attention leaves the deciding words "
            f"{away['other'].mean():.0%} of the weight, while the model's own gives them "
            f"{away['own'].mean():.0%}. {finds}"
        )
    if audit.checks(found)["holds"][3] == "no":
        said.append("So the same answer could have come with quite another picture.")
    return said


def fixed_output(found: Audit, own: pd.DataFrame, tables: dict[str, pd.DataFrame], name: str = SMALL) -> str:
    """From which length on other attention gives the very same output, and how long the texts are.

    own: `verdict.own_attention`; tables: a model's name to its freedom by length.
    """
    each = []
    if name in tables:
        size = _size(tables[name])
        long = found.texts["units"] >= size + 2
        have = "all its texts here" if long.all() else share(long)
        each.append(f"in {inert(name)} ({size} numbers) from {size + 2} pieces on, as {have} have")
    for called, theirs in own.groupby(own["model"].map(brief)):
        if called not in tables:
            continue
        size = _size(tables[called])
        each.append(f"in {inert(called)} ({size} numbers) from {size + 2} on")
        for corpus, rows in theirs.groupby("corpus"):
            means = rows.groupby("measure")["mean"].mean()
            if {"pieces", "free_jsd"} <= {*means.index}:
                so = ", hardly another" if means["free_jsd"] < HARDLY_ANY else ""
                each.append(
                    f"texts of {inert(corpus)} have {means['pieces']:.0f} on average, and there the most "
                    f"distant found is {means['free_jsd']:.3f} away (mean){so}"
                )
    return f"So other attention with the same output exists {'; '.join(each)}." if each else ""


def _size(table: pd.DataFrame) -> int:
    """How many numbers the values of a model's heads have: of its freedom by length."""
    return int(table["head_size"].iloc[0])


def how_right(found: Audit, own: pd.DataFrame, name: str = SMALL, bilstm: Audit | None = None) -> list[str]:
    """How often each model is right, and in how many seeds: short sentences, of those of which it is known.

    own: `verdict.own_attention`; bilstm: `transformers.bilstm_asked`.
    """
    rights = {who: one.texts["right"].mean() for who, one in _here(found, bilstm, name).items()}
    here, said = (
        [f"{inert(who)} in {right:.0%}" for who, right in rights.items() if not np.isnan(right)],
        [],
    )
    if here:
        of = "each" if len(here) > 1 else "it"
        said.append(
            f"Right answers: {listed(here)} of {counted(len(found.texts))}; of {of} there is one seed, which "
            "says nothing of others."
        )
    for model, theirs in own[own["measure"] == "accuracy"].groupby("model"):
        each = theirs.groupby("corpus")
        seeds = sorted({*each["seed"].nunique()})
        several = counted(seeds[-1], "seed") if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]} seeds"
        said.append(
            f"{inert(brief(model))} is right in {_percents(each['mean'].mean())} (mean of {several} a "
            "corpus); its numbers are stored."
        )
    return said


def who_is_asked(
    found: Audit, own: pd.DataFrame, corpus: str, name: str = SMALL, bilstm: Audit | None = None
) -> pd.DataFrame:
    """Who is asked of how many texts, how often it is right, and in how many seeds: a row a model and corpus.

    own: `verdict.own_attention`; bilstm: `since_2019`'s.
    """
    layers = f"{counted(found.notes['layers'], 'layer')} of {counted(found.notes['heads'], 'head')}"
    asked = [(f"{name} ({layers})", found)]
    asked += [(BILSTM, bilstm)] if bilstm is not None else []
    rows = [
        [who, f"{len(one.texts)} of {corpus}", _right(one.texts["right"].mean()), 1] for who, one in asked
    ]
    for (on, model), theirs in own.groupby(["corpus", "model"]):
        texts = theirs.loc[theirs["measure"] == "permuted_each", "n"].dropna()
        of = f"{texts.max():.0f} of {on}" if len(texts) else str(on)
        right = theirs.loc[theirs["measure"] == "accuracy", "mean"].mean()
        rows.append([brief(model), of, _right(right), theirs["seed"].nunique()])
    return pd.DataFrame(rows, columns=["who", "texts", "right in", "seeds"])


def _right(accuracy: float) -> str:
    """`88%`; a dash where it isn't known."""
    return "–" if np.isnan(accuracy) else f"{accuracy:.0%}"


def in_short(
    found: Audit,
    without: pd.DataFrame,
    own: pd.DataFrame,
    control: pd.DataFrame,
    bilstm: Audit | None = None,
    name: str = SMALL,
    away: pd.DataFrame | None = None,
) -> list[str]:
    """The chapter's answer.

    own: carried rows of whole transformers, `verdict.own_attention`; control: `transformers.replaced`;
    bilstm: `transformers.bilstm_asked`; away: `transformers.elsewhere`.
    """
    loo, known = found.texts["tau attention loo"].mean(), truths(found, control)
    said = [_may_be_shown(found, own, bilstm, name) if audit.verdict(found).said else audit.answer(found)]
    if len(known):
        said += reconciled(found, known, name, away)
    elif not np.isnan(loo):
        ranks = "ranks words much as" if audit.checks(found)["holds"][1] == "yes" else "doesn't rank words as"
        order = f"(Kendall's τ = {loo:z.2f}; 1: the same order)"
        said.append(f"In this model attention {ranks} leave-one-out does {order}.")
    if known.empty:
        said += audit.which_move(found) or [f"{audit.titles(found)['moves']}."]
    if known.empty and len(audit.alternatives(found)):
        said.append(f"With the same prediction {_how_far(found)}.")
    said += _carried_in_short(own) or left_without(without, found)[:1]
    return [*said, UNKNOWN] if len(known) else said


def _searched(own: pd.DataFrame) -> str:
    """In how many texts of a seed other attention of carried models was searched, `12 to 50 texts`."""
    rows = own[own["measure"] == "other_jsd_mean"]
    texts = (rows["n"] - rows["undefined"].fillna(0)).astype(int)
    most = counted(int(texts.max()), "text")
    return most if texts.min() == texts.max() else f"{texts.min()} to {most}"


def _may_be_shown(found: Audit, own: pd.DataFrame, bilstm: Audit | None, name: str) -> str:
    """The answer for all models, or which meet how many expectations."""
    answered: dict[str, list[str]] = {}
    for who, one in _here(found, bilstm, name).items():
        answered.setdefault(audit.verdict(one).said or NOTHING_SAID, []).append(inert(who))
    carried: dict[str, list] = {}
    for rows, means in _carried(own):
        carried.setdefault(_of_rules(rows)[0], []).append((rows, means))
    models = {said: len(answered.get(said, [])) + len(carried.get(said, [])) for said in answered | carried}
    for said, each in carried.items():
        answered.setdefault(said, []).extend(_carried_by_model(pd.concat([rows for rows, _ in each])))
    if len(answered) == 1:
        ((said, who),) = answered.items()
        does = f"each {COMES_TO[said]}" if len(who) > 1 else _does(said, who)
        names = listed(who)
        return (
            f"**{said}.** {names[:1].upper()}{names[1:]} {does} of {EXPECTATIONS} of attention that explains."
        )
    each = [f"{listed(who)} {_does(said, who)}" for said, who in answered.items()]
    return f"**{_mostly(models)}.** Of {EXPECTATIONS} {'; '.join(each)}."


def _mostly(models: dict[str, int]) -> str:
    """The answer where models get several: theirs, if most of them fail. models: how many get each."""
    fail = models.get(audit.BESIDE, 0) + models.get(audit.NO, 0)
    return "Mostly not by itself" if fail > sum(models.values()) / 2 else "That depends on the model"


def _does(said: str, who: list[str]) -> str:
    """`fail some`, or of one model `fails some`."""
    return COMES_TO[said] if len(who) > 1 else COMES_TO[said].replace(" ", "s ", 1)


def _carried_by_model(own: pd.DataFrame) -> list[str]:
    """The carried models, each once with its corpora: `MiniLM on ade and sst`."""
    each = {}
    for rows, means in _carried(own):
        each.setdefault(rows["model"].iloc[0], []).append((rows, means))
    return [f"{_models(group)} on {_corpora(group)}" for group in each.values()]


def _carried(own: pd.DataFrame) -> list[tuple[pd.DataFrame, pd.Series]]:
    """Carried rows of a corpus and model with their means over seeds, where enough is asked for an answer."""
    each = [rows for _, rows in own.groupby(["corpus", "model"])]
    of = [(rows, rows.groupby("measure")["mean"].mean()) for rows in each]
    return [(rows, means) for rows, means in of if {"on_words", "tau_loo"} <= {*means.index}]


def _indifferent(own: pd.DataFrame) -> list[tuple[pd.DataFrame, pd.Series]]:
    """Those of `_carried` for which it hardly matters where attention lies."""
    return [(rows, means) for rows, means in _carried(own) if _any_word_will_do(means)]


def _models(each: Sequence[tuple[pd.DataFrame, pd.Series]]) -> str:
    """The models of some carried rows, each once."""
    return listed([*dict.fromkeys(inert(brief(rows["model"].iloc[0])) for rows, _ in each)])


def _corpora(each: Sequence[tuple[pd.DataFrame, pd.Series]]) -> str:
    """The corpora of some carried rows, each once."""
    return listed([*dict.fromkeys(inert(rows["corpus"].iloc[0]) for rows, _ in each)])


def _percents(values: Sequence[float]) -> str:
    """Shares as a range, one as itself; nothing of none."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return low if low == high else f"{low} to {high}"


def _carried_in_short(own: pd.DataFrame) -> list[str]:
    """On which corpora it matters where carried models look, by shuffling: one line."""
    asked = [each for each in _carried(own) if {"permuted_moved", "one_word_keeps"} <= {*each[1].index}]
    if not asked:
        return []
    groups = {kind: [each for each in asked if _matters(*each) == kind] for kind in (*MATTERS, "")}
    looks, said = f"where {_models(asked)} looks", []
    for kind, (full, short) in MATTERS.items():
        if groups[kind]:
            said.append(f"on {_corpora(groups[kind])} {short if said else f'{full} {looks}'}")
    shares = [
        f"{means['permuted_moved']:.0%} ({inert(rows['corpus'].iloc[0])})"
        for rows, means in sum(groups.values(), [])
    ]
    claim = listed(said) if said else looks
    return [
        f"**{claim[:1].upper()}{claim[1:]}:** dealing its weights anew at random clearly moves "
        f"{listed(shares)} of the predictions."
    ]


def _matters(rows: pd.DataFrame, means: pd.Series) -> str:
    """Whether it matters where a carried model looks, of MATTERS; nothing where it's none of these."""
    if _holds(rows)[2] == "yes":
        return "does"
    if _any_word_will_do(means):
        return "hardly"
    return "by seed" if _hangs_on_seed(rows) else ""


def reconciled(
    found: Audit,
    known: pd.DataFrame,
    name: str = SMALL,
    away: pd.DataFrame | None = None,
) -> list[str]:
    """Whether attention finds the deciding words, and if so, could yet look elsewhere.

    known: `truths`; away: `transformers.elsewhere`.
    """
    own = known.set_index("measure")["AUROC"].get(READINGS["attention"], np.nan)
    if np.isnan(own):
        return []
    if own < NEARLY_ALL:
        return [f"It ranks the deciding words with an AUROC of {own:.2f} (chance: 0.50)."]
    said = [
        f"**{_upper(name)}'s attention finds the words that decide:** it puts one above another word in "
        f"{own:.0%} of pairs (chance: 50%)."
    ]
    if audit.checks(found)["holds"][3] == "no":
        free = _how_far(found)
        if away is not None and len(away):
            had, have = (f"{away[name].mean():.0%}" for name in ("own", "other"))
            free = f"these words could have {have} of its weight, not {had} (mean)"
        said.append(f"**But it could look elsewhere:** with the same prediction {free}.")
    return said


def finds_them(known: pd.DataFrame) -> bool:
    """Whether attention finds the deciding words. known: `truths`, empty where nobody knows them."""
    return known.set_index("measure")["AUROC"].get(READINGS["attention"], 0) >= NEARLY_ALL


def _how_far(found: Audit) -> str:
    """How far attention can be, on average: the mean of all heads, which is shown, if it was asked."""
    far, who = audit.alternatives(found), "its mean over heads" if found.notes["heads"] > 1 else "attention"
    over = f", {counted(len(far))}" if len(far) < len(found.texts) else ""
    return f"{who} can be {far.mean():.2f} away ([JSD](glossary.md#jsd), mean{over}; at most 0.69)"


def _any_word_will_do(means: pd.Series) -> bool:
    """Whether it hardly matters where a carried model's attention lies, if that was asked."""
    moved, keeps = means.get("permuted_each", np.nan), means.get("one_word_keeps", np.nan)
    return moved < audit.MOVED and keeps >= NEARLY_ALL


def _measured(own: pd.DataFrame) -> list[str]:
    """What holds of the expectations that are carried of one corpus and model."""
    return [*filter(None, _holds(own))]


def _of_rules(own: pd.DataFrame) -> tuple[str, str]:
    """The answer of the audit as far as one corpus and model's carried rows tell, and how many those are."""
    holds = _measured(own)
    asked, left = audit.of_checks(pd.Series(holds)), RULES - len(holds)
    found = audit.of_checks(pd.Series([*holds, *[audit.OPEN] * left]))
    each = [f"{asked.met or 'none'} of {RULES} met", *asked.others]
    each += [f"{left} not measured"] if left else []
    return found.said or NOTHING_SAID, f"({', '.join(each)})"


def _holds(own: pd.DataFrame) -> list[str | None]:
    """What holds of the five expectations in every seed; None: not carried.

    As in the audit the second is open where the gradient doesn't meet it, either.
    """
    far = _in_each_seed(own, "other_jsd_mean", audit.NEAR)
    ranks, gradient = (_in_each_seed(own, f"tau_{name}", audit.ALIKE) for name in ("loo", "gradient_loo"))
    return [
        _in_each_seed(own, "on_words", 0.5),
        audit.OPEN if (ranks, gradient) == ("no", "no") else ranks,
        _in_each_seed(own, "permuted_moved", 0.5),
        {"yes": "no", "no": audit.OPEN}.get(far, far),  # a search shows what is there, not what isn't
        _in_each_seed(own, "erased_sooner", 0),
    ]


def _in_each_seed(own: pd.DataFrame, measure: str, border: float) -> str | None:
    """Whether a carried measure's interval over texts lies above a border in every seed: yes, no or open;
    None if it isn't carried.

    A row that has no interval is read by its value.
    """
    rows = own[(own["measure"] == measure) & own["mean"].notna()]
    if rows.empty:
        return None
    low, high = (rows.get(end, rows["mean"]).fillna(rows["mean"]) for end in ("low", "high"))
    return audit.beyond(low.min(), high.max(), border)


def _most_frequent() -> pd.Series:
    """The share of the most frequent label among the test texts, by corpus."""
    return verdict.sizes().query("profile == 'paper'").set_index("corpus")["test_most"].astype(float)


def _than(share: float, constant: float) -> str:
    """How a share compares with that of a constant answer."""
    if share <= constant:
        return "no more than"
    return "hardly more than" if share <= constant + HARDLY else "more than"


def example(found: Audit, known: dict[str, np.ndarray]) -> str:
    """A text that is shown, if any; of those that shuffling moves and the model gets right the one whose
    other attention leaves the deciding words least, else the first.

    known: which words decide, by the text's id. Not the first if another will do: chapter 15 shows that.
    """
    names, texts, left = [layer.id for layer in found.shown], found.texts.set_index("id"), {}
    for name in names[1:]:
        hangs = texts["change own"][name] > audit.MOVED and texts["right"][name] == 1
        if hangs and (other := moved_away(found, name)):
            share_left = on_deciding(*other, known.get(name, ()))
            left |= {name: share_left[1]} if share_left else {}
    return min(left, key=left.get) if left else [*names, ""][0]


def on_deciding(
    layer: Layer, moved_to: np.ndarray, decides: Sequence[bool]
) -> tuple[float, float] | tuple[()]:
    """Which share of a text's attention the deciding words have, and of its other attention: `moved_away`.

    decides: of each word whether it decides; nothing where that isn't known, or a word is several pieces.
    """
    if len(decides) != layer.real.sum() or not np.any(decides):
        return ()
    own, other = (attention.mean(0)[layer.real] for attention in (layer.attention, moved_to))
    return float(own[np.asarray(decides, dtype=bool)].sum()), float(
        other[np.asarray(decides, dtype=bool)].sum()
    )


def truths(found: Audit, control: pd.DataFrame | None = None) -> pd.DataFrame:
    """Mean AUROC for the deciding words of each reading and measure, best first; empty where nobody knows.

    control: `transformers.replaced`, which is leave-one-out without its gap.
    """
    rows = []
    for name, label in (READINGS | IMPORTANCE).items():
        values = found.texts.get(f"auroc {name}", pd.Series(dtype=float)).dropna()
        if len(values):
            low, high = stats.interval(values.to_numpy(), RESAMPLES, 0)
            asks = ASKS if name in IMPORTANCE else READS
            rows.append([label, asks, len(values), values.mean(), low, high])
    if rows and control is not None and len(control):
        low, high = stats.interval(control["auroc"].to_numpy(), RESAMPLES, 0)
        rows.append([audit.REPLACING, ASKS, len(control), control["auroc"].mean(), low, high])
    table = pd.DataFrame(rows, columns=["measure", "it", "texts", "AUROC", "low", "high"])
    return table.sort_values("AUROC", ascending=False, ignore_index=True)


def beside(table: pd.DataFrame) -> pd.DataFrame:
    """`truths` of attention and of the measures that ask the model, without its other readings."""
    own = table["measure"] == READINGS["attention"]
    return table[own | (table["it"] == ASKS)].reset_index(drop=True)


def finds(table: pd.DataFrame, corpus: str, control: pd.DataFrame, lower: tuple[int, int]) -> list[str]:
    """What follows of `truths`: whether readings of attention or measures that ask the model find more.

    control: `transformers.replaced`; lower: `ranked_lower`.
    """
    if table.empty:
        return [f"For {inert(corpus)} nobody knows the deciding words; `planted` and `indicator` know them."]
    means = table.groupby("it")["AUROC"].agg(["min", "max"])
    if len(means) < 2:
        return []
    each = {it: audit.spread(own["AUROC"]) for it, own in table.groupby("it")}
    own, best = table.set_index("measure")["AUROC"], table.iloc[0]
    said = [
        f"Readings of attention reach an AUROC of {each[READS]}, measures that ask the model {each[ASKS]}; "
        f"{audit.the(best['measure'])} has the highest."
    ]
    attention, removal = own.get(READINGS["attention"], 0), own.get(IMPORTANCE["loo"], 1)
    if _clearly_better(attention, removal):
        said.append(
            f"Leave-one-out ranks the deciding words lower than attention does in {lower[0]} of "
            f"{counted(lower[1])}."
        )
        said += audit.of_control(control, removal)
    elif means.loc[READS, "max"] < means.loc[ASKS, "min"]:
        said.append("So here the measures that ask the model are nearer to the truth.")
    else:
        said.append("So agreement with a measure that asks the model isn't agreement with the truth.")
    if best["measure"] == READINGS["rollout"]:
        said.append("Rollout reads attention, too: it is no second opinion.")
    return said


def ranked_lower(found: Audit) -> tuple[int, int]:
    """In how many texts leave-one-out ranks the deciding words lower than attention does, and of how many."""
    names = ["auroc attention", "auroc loo"]
    known = found.texts[names].dropna() if {*names} <= {*found.texts} else pd.DataFrame(columns=names)
    return int((known["auroc loo"] < known["auroc attention"]).sum()), len(known)


def _clearly_better(attention: float, removal: float) -> bool:
    """Whether attention finds the deciding words clearly better than leave-one-out, and than chance."""
    return attention > max(removal, 0.5) + SURPRISE


def of_bilstms(scores: Sequence[float], bilstms: Sequence[float], right: float = np.nan) -> str:
    """How well the BiLSTM's attention finds the deciding words, and other seeds of it; nothing without it.

    scores: AUROC of each text; bilstms: `mended.attention_finds`, a number a seed, over all test texts;
    right: the share of texts that it classifies correctly.
    """
    if not len(scores):
        return ""
    over = ""
    if len(bilstms):
        seeds = f" in {counted(len(bilstms), 'seed')}" if len(bilstms) > 1 else ""
        over = f"; over all test texts {audit.spread(pd.Series(bilstms))}{seeds}"
    points, yet = np.mean(scores) >= NEARLY_ALL, ""
    if not points and right >= LEARNED:
        yet = f", although the BiLSTM is right in {right:.0%} of these texts"
    return f"The BiLSTM's does{', too' if points else ' so less'} ({np.mean(scores):.2f}{over}){yet}."


def which_truth(found: Audit, known: pd.DataFrame, beside: str = "", name: str = SMALL) -> list[str]:
    """Whether attention points at the deciding words, which are the rule's: the model may not follow it.

    known: `truths`; beside: `of_bilstms`.
    """
    right = found.texts["right"].mean()
    if np.isnan(right):
        return []
    so = "needn't have used just these"
    if right < max(LEARNED, found.texts["label"].value_counts(normalize=True).max() + SURPRISE):
        so = "needn't have used these at all"
    own = known.set_index("measure")["AUROC"].get(READINGS["attention"], np.nan)
    points = []
    if own >= NEARLY_ALL:
        points = [f"So the attention of {inert(name)} does point where the rule does.", beside]
    still = "Still, these" if points else "These"
    return [
        *filter(None, points),
        f"{still} are the rule's words: the model, which is right in {right:.0%} of the texts, {so}.",
    ]


def readings(found: Audit) -> pd.DataFrame:
    """The readings of attention, all heads together: mean τ with leave-one-out and with the gradient.

    And the AUROC for the deciding words, where they are known.
    """
    names = found.notes["readings"]
    columns = {f"τ with {IMPORTANCE[other]}": other for other in ("loo", "gradient")}
    rows = {
        label: [found.texts[f"tau {name} {other}"].mean() for name in names]
        for label, other in columns.items()
    }
    known = {name: found.texts.get(f"auroc {name}", pd.Series(dtype=float)).mean() for name in names}
    if not np.isnan([*known.values()]).any():
        rows["AUROC for the deciding words"] = [*known.values()]
    return pd.DataFrame({"reading": [READINGS[name] for name in names]} | rows)


def models(
    own: pd.DataFrame, source: Pretrained, carried: pd.DataFrame, name: str = SMALL
) -> dict[str, pd.DataFrame]:
    """Rows of `free_by_length` by the model's name: this chapter's model, then the committed ones."""
    own = own.assign(head_size=source.size // source.heads)
    return {name: own} | {str(name): rows for name, rows in carried.groupby("model")}


def freedom_title(table: pd.DataFrame, name: str) -> str:
    """How far a head can be in the longest texts, with the same output: a figure's finding.

    table: the model's rows of `free_by_length`.
    """
    own, called = table[table["kind"] == ALONE], name[:1].upper() + name[1:]
    if not (own["dimension"] > 0).any():
        return f"{called}: in texts this short no other attention gives the same output"
    longest = own["units"].max()
    far = own.loc[own["units"] == longest, "jsd"].mean()
    return f"{called}: the same output leaves a head free by a JSD of {far:.2f} in texts of {longest} pieces"


def left_without(without: pd.DataFrame, found: Audit) -> list[str]:
    """What the decision is without the last attention, and how many a constant answer would keep."""
    stay, decided = ~without["flips"], found.texts["predicted"].value_counts()
    constant = decided.iloc[0] / decided.sum()
    little = without["change"] <= HARDLY
    said = [
        "With all weights of the last attention set to 0, which training never had, the decision stays in "
        f"{share(stay)}, {_than(stay.mean(), constant)} a constant answer would keep ({constant:.0%})."
    ]
    said += _answers_without(without, found)
    if little.all() or not little.any():
        moves = "Every" if little.all() else "No"
        so = ": here the last attention adds little" if little.all() else ""
        return [*said, f"{moves} prediction moves by {HARDLY:g} or less{so}."]
    rest = without[~little]
    return [
        *said,
        f"It depends on the text: {counted(int(little.sum()))} {'moves' if little.sum() == 1 else 'move'} "
        f"by {HARDLY:g} or less, and there the last attention adds little. Of the "
        f"other {len(rest)} decisions {rest['flips'].sum() or 'none'} change without it.",
    ]


def _answers_without(without: pd.DataFrame, found: Audit) -> list[str]:
    """Which class a model of two answers without its last attention, if that is known of each text."""
    predicted, flips = found.texts["predicted"].to_numpy(), without["flips"].to_numpy(dtype=bool)
    classes = found.notes.get("classes", ())
    if len(classes) != 2 or len(predicted) != len(flips):
        return []
    answers = pd.Series(np.where((predicted == classes[0]) != flips, classes[0], classes[1]))
    most = answers.value_counts().index[0]
    return [f"Without attention the model answers {inert(most)} in {share(answers == most)}."]


def with_all_heads(taus: pd.DataFrame, found: Audit) -> pd.DataFrame:
    """`taus_by_head`, and below the heads a row of all together, whose weights are the mean of theirs."""
    row = {"head": "all heads"}
    for name in IMPORTANCE:
        values = found.texts.get(f"tau attention {name}", pd.Series(dtype=float)).dropna().to_numpy()
        if name in taus and len(values):
            low, high = stats.interval(values, RESAMPLES, 0)
            row |= {
                name: values.mean(),
                f"{name} low": low,
                f"{name} high": high,
                f"{name} texts": len(values),
            }
    heads = taus.assign(head=[f"head {h + 1}" for h in taus["head"]])
    return pd.concat([heads, pd.DataFrame([row])], ignore_index=True)


def odd_one_out(found: Audit) -> list[str]:
    """Which of attention, gradient and leave-one-out agrees least with the other two, if one does."""
    names = {"attention": "attention", "gradient": "the gradient", "loo": "leave-one-out"}
    pairs = [("attention", "gradient"), ("attention", "loo"), ("gradient", "loo")]
    taus = {pair: found.texts[f"tau {' '.join(pair)}"].mean() for pair in pairs}
    if np.isnan([*taus.values()]).any():
        return []
    best = max(taus, key=taus.get)
    (odd,) = {*names} - {*best}
    rest = [tau for pair, tau in taus.items() if pair != best]
    if taus[best] < max(rest) + ODD:
        return []
    low, high = min(rest), max(rest)
    theirs = f"{low:z.2f} and {high:z.2f}" if f"{low:.2f}" != f"{high:.2f}" else f"{low:z.2f}"
    return [
        f"Of attention, the gradient and leave-one-out, the odd one out is {names[odd]}: its τ with the "
        f"other two is {theirs}, and theirs with one another is {taus[best]:z.2f}."
    ]


def which_head(taus: pd.DataFrame) -> list[str]:
    """Whether a head agrees clearly better than all together do. taus: `with_all_heads`."""
    said, chosen = [], False
    for name, label in (("gradient", "the gradient"), ("loo", "leave-one-out")):
        if name not in taus or len(taus) < 3 or taus[name].isna().any():
            continue
        *heads, together = taus[name]
        i = int(np.argmax(heads))
        best = f"{taus['head'].iloc[i]} (τ = {heads[i]:z.2f}; all together: {together:z.2f})"
        low, high = (taus.get(f"{name} {end}", taus[name]) for end in ("low", "high"))
        if together >= heads[i]:
            said.append(f"With {label} all heads together agree best (τ = {together:z.2f}).")
        elif low.iloc[i] <= high.iloc[-1]:
            said.append(f"With {label} no head agrees clearly better than all together; the best is {best}.")
        else:
            said.append(f"With {label} one head agrees best: {best}.")
            chosen = True
    if chosen:
        said.append("Whoever shows one head must say that it was chosen.")
    return ["Which head?", *said, "That a head agrees doesn't show that it is right."] if said else []


def heads_title(taus: pd.DataFrame) -> str:
    """What the figure of heads shows: which heads agree with no measure at all, else how far they differ."""
    heads = taus[taus["head"] != "all heads"]
    names = [name for name in IMPORTANCE if name in heads and heads[name].notna().all()]
    if len(heads) < 2 or not names:
        return "How far each head agrees with the measures that ask the model"
    is_none, rest = (heads[names] < NONE).all(axis=1), heads[~(heads[names] < NONE).all(axis=1)]
    if is_none.any() and len(rest):
        low, high = rest[names].min().min(), rest[names].max().max()
        weakly = " weakly" if high < audit.ALIKE else ""
        which = f"{'all' if low >= NONE else 'some'} measures" if len(names) > 1 else "the one measure"
        verb = "agrees" if len(rest) == 1 else "agree"
        against = {name for name in names if f"{name} high" in heads
                   for high in heads.loc[is_none, f"{name} high"] if high < 0}  # fmt: skip
        slightly = f", and slightly against {len(against)} of {len(names)}" if against else ""
        return (
            f"{_heads(rest['head'])} {verb}{weakly} with {which} (τ {signed(low)} to {signed(high)}), "
            f"{_heads(heads.loc[is_none, 'head']).lower()} with none{slightly}"
        )
    name = "loo" if "loo" in names else names[0]
    low, high = (signed(end) for end in (heads[name].min(), heads[name].max()))
    return f"Heads of one layer differ: τ with {audit.the(IMPORTANCE[name])} is {low} to {high}"


def _heads(names: pd.Series) -> str:
    """`Head 3`, `Heads 1, 2 and 4`."""
    numbers = [name.removeprefix("head ") for name in names]
    return f"Head{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


def which_texts(run: Classifiers) -> list[str]:
    """Which of the corpus's test texts these are, if not all."""
    every, asked = len(run.corpus.splits["test"]), len(run.written("test", run.params.asked_texts)[0])
    return (
        [f"The texts are {asked} of the corpus's {every} for testing, evenly spaced."]
        if asked < every
        else []
    )


def checks_beside(found: Audit, bilstm: Audit | None) -> pd.DataFrame:
    """`audit.checks`, with what holds in a BiLSTM: `transformers.bilstm_asked`."""
    table = audit.checks(found)
    if bilstm is None:
        return table
    theirs = audit.checks(bilstm)
    return table.assign(**{"in a BiLSTM (one seed)": theirs["holds"] + ": " + theirs["found"]})


def elsewhere(found: Audit, bilstm: Audit | None, name: str = SMALL) -> list[str]:
    """What becomes of the predictions when attention is shuffled, made equal or erased: short sentences.

    bilstm: `transformers.bilstm_asked`, beside it.
    """
    moved = found.texts["change own"] > audit.MOVED
    shuffled = f"Shuffling moves {share(moved)} by more than {audit.MOVED:g}"
    if bilstm:
        shuffled += f", in the BiLSTM {(bilstm.texts['change own'] > audit.MOVED).sum()}"
    if each := [f"{own.moved} of the {own.texts} predicted {inert(own.Index)}"
                for own in audit.movers(found).itertuples()]:  # fmt: skip
        shuffled += f". It moves {each[0]}, but only {each[1]}"
    said = [f"{shuffled}.", audit.made_equal(found)]
    said += [on_one_word(found, name), *where_it_hangs(found), f"{audit.erased_until(found.texts)}."]
    return [*said, f"The BiLSTM: {_lower(audit.erased_until(bilstm.texts))}."] if bilstm else said


def truths_title(table: pd.DataFrame) -> str:
    """Whether attention finds the deciding words as well as the best of the measures that ask the model."""
    own = table.set_index("measure")
    attention, asks = own.loc[READINGS["attention"]], own[own["it"] == ASKS]
    if asks.empty:
        return f"Attention finds the deciding words with an AUROC of {attention['AUROC']:.2f}"
    best = asks.loc[asks["AUROC"].idxmax()]
    than = "better than" if attention["low"] > best["high"] else "about as well as"
    if attention["high"] < best["low"]:
        than = "less well than"
    worst = _worst(asks.drop(index=best.name), attention)
    return f"Attention finds the deciding words {than} {audit.the(best.name)}{worst}"


def _worst(others: pd.DataFrame, attention: pd.Series) -> str:
    """Which of the other measures finds clearly less than attention does, for a title."""
    clearly = others[others["high"] < attention["low"]]
    return f", and better than {listed([*map(audit.the, clearly.index)])}" if len(clearly) else ""


# Committed runs

# The names of models in sentences and tables, where they are shorter than the models' own.
BRIEF = {"all-MiniLM-L6-v2": "MiniLM"}
# What is asked of attention over states.
OVER_STATES = {
    "accuracy": "accuracy",
    "tau_loo": "τ of attention and leave-one-out",
    "tau_gradient": "τ of attention and gradient",
    "optimum": "ε-max JSD: how far other attention can be",
    "erased_attention": "share of words erased until it flips, where it does",
}
# What is asked of whole transformers.
TABLED = {
    "permuted_each": "shuffled: prediction moved (TVD)",
    "one_word_keeps": "all attention on one word, each in turn: decisions kept",
    "stays_without": "all weights 0: decisions kept",
    "constant": "a constant answer: decisions kept",
    "accuracy": "texts classified correctly",
    "on_words": "attention on words (the rest: on marks)",
    "tau_loo": "τ of attention and leave-one-out",
    "tau_gradient": "τ of attention and gradient",
    "tau_gradient_loo": "τ of gradient and leave-one-out",
    "tau_rollout_loo": "τ of rollout and leave-one-out",
}


def brief(model: str) -> str:
    """A model's name as the chapter calls it: `MiniLM, frozen`."""
    name, *how = model.split(", ")
    return ", ".join([BRIEF.get(name, name), *how])


def over_states(table: pd.DataFrame) -> pd.DataFrame:
    """`verdict.over_states` for the page: a row a measure, a column a model; mean and range over seeds.

    A column says the corpus if there are several.
    """
    seeds = table.groupby("model")["seed"].nunique()
    names = {model: f"{brief(model)} ({counted(n, 'seed')})" for model, n in seeds.items()}
    rows = []
    for corpus, own in table.groupby("corpus"):
        for measure, label in OVER_STATES.items():
            of = own[own["measure"] == measure]
            if len(of):
                cells = {
                    name: _over_seeds(of.loc[of["model"] == model, "mean"], seeds[model])
                    for model, name in names.items()
                }
                rows.append({"corpus": corpus, "mean (range over seeds)": label} | cells)
    found = pd.DataFrame(rows)
    return found.drop(columns="corpus") if table["corpus"].nunique() == 1 else found


def over_states_title(table: pd.DataFrame) -> str:
    """What `over_states` is a table of."""
    corpora = listed(sorted({*table["corpus"]}))
    return f"One attention over the states of a transformer and of a BiLSTM, on {corpora}"


def _over_seeds(values: pd.Series, every: int) -> str:
    """`0.27 (0.24 to 0.30)`; of fewer seeds than all with their number."""
    if values.empty:
        return "–"
    low, high = f"{values.min():z.2f}", f"{values.max():z.2f}"
    told = [f"{low} to {high}"] if low != high else (["each seed"] if len(values) > 1 else [])
    if len(values) < every:
        told.append(f"{counted(len(values), 'seed')} only")
    return f"{values.mean():z.2f}" + (f" ({'; '.join(told)})" if told else "")


def over_states_say(table: pd.DataFrame) -> list[str]:
    """Whose attention over states agrees more with leave-one-out: a sentence a corpus."""
    said = []
    for corpus, own in table[table["measure"] == "tau_loo"].groupby("corpus"):
        means = own.groupby("model")["mean"].mean().sort_values(ascending=False)
        if len(means) > 1:
            seeds = own.groupby("model")["seed"].nunique()
            each = [
                f"{value:z.2f} ({inert(brief(model))}, {counted(seeds[model], 'seed')})"
                for model, value in means.items()
            ]
            alike = "not all reach"
            if means.max() < audit.ALIKE:
                alike = "neither reaches" if len(means) == 2 else "none reaches"
            elif means.min() >= audit.ALIKE:
                alike = "both reach" if len(means) == 2 else "all reach"
            said.append(
                f"On {inert(corpus)} attention's τ with leave-one-out is {listed(each)}; {alike} "
                f"{audit.ALIKE:g}."
            )
    return said


def side_by_side(found: Audit, without: pd.DataFrame, own: pd.DataFrame, name: str = SMALL) -> pd.DataFrame:
    """This chapter's model and the carried ones by what is asked of both: a row a measure and model.

    own: `verdict.own_attention`. Columns measure, model, mean, low, high: of carried ones the range over
    seeds, of this chapter's model, which is one seed, its number. A constant answer keeps as many decisions
    as fall to the most frequent class, of carried ones to the most frequent label.
    """
    of = {called: column for column, called in SUMMARISED.items()}
    here = {called: found.texts[column].mean() for called, column in of.items() if column in found.texts}
    here["accuracy"], here["stays_without"] = found.texts["right"].mean(), 1 - without["flips"].mean()
    here["constant"] = found.texts["predicted"].value_counts(normalize=True).max()
    models = [(name, {called: [value] for called, value in here.items()})]
    for (model, corpus), theirs in own.groupby(["model", "corpus"]):
        seeds = f"{counted(theirs['seed'].nunique(), 'seed')}: range"
        values = {called: of_one["mean"].tolist() for called, of_one in theirs.groupby("measure")}
        values["stays_without"] = [1 - flips for flips in values.get("flips_without", [])]
        values["constant"] = [_most_frequent().get(corpus, np.nan)]
        models.append((f"{brief(model)} on {corpus} ({seeds})", values))
    rows = []
    for called, measure in TABLED.items():
        for label, values in models:
            if own_values := values.get(called):
                ends = [np.mean(own_values), min(own_values), max(own_values)]
                rows.append([measure, label, *ends])
    return pd.DataFrame(rows, columns=["measure", "model", "mean", "low", "high"]).dropna(subset="mean")


def tabled(table: pd.DataFrame) -> pd.DataFrame:
    """`side_by_side` for the page: a row a measure, a column a model."""
    models, rows = [*dict.fromkeys(table["model"])], []
    for measure in dict.fromkeys(table["measure"]):
        cells = table[table["measure"] == measure].set_index("model")
        row = {"mean over texts": measure}
        for model in models:
            ends = cells.loc[model, ["mean", "low", "high"]] if model in cells.index else None
            row[model] = "–" if ends is None else _with_ends(*ends)
        rows.append(row)
    return pd.DataFrame(rows)


def moved(
    found: Audit,
    own: pd.DataFrame,
    spreads: pd.DataFrame,
    corpus: str,
    name: str = SMALL,
    bilstm: Audit | None = None,
) -> pd.DataFrame:
    """Of how many texts shuffling moves the prediction, and of how many far, a row a model and seed.

    own: `verdict.own_attention`; spreads: `verdict.own_spreads`, of whose quantiles it is taken how many move
    far, and how many at all where `own` hasn't that. Columns who, seed, moved and far, both shares.
    """
    rows = []
    for who, one in _here(found, bilstm, name).items():
        change = one.texts.loc[one.texts["words"] > 1, "change own"].dropna()  # as the audit's third rule
        if len(change):
            shares = [(change > border).mean() for border in (audit.MOVED, HALFWAY)]
            rows.append([f"{who} on {corpus}", 0, *shares])
    told = own[own["measure"] == "permuted_moved"].set_index(["corpus", "model", "seed"])["mean"]
    for who, theirs in _by_who(spreads[spreads["measure"] == "permuted_each"]).items():
        for _, one in theirs.iterrows():
            quantiles = one[[*LEVELS]].astype(float)
            share, much = (1 - np.interp(border, quantiles, [*LEVELS.values()])
                           for border in (audit.MOVED, HALFWAY))  # fmt: skip
            share = told.get((one["corpus"], one["model"], one["seed"]), share)
            rows.append([who, one["seed"], share, min(much, share)])
    return pd.DataFrame(rows, columns=["who", "seed", "moved", "far"])


def moved_title(table: pd.DataFrame) -> str:
    """How many predictions shuffling moves, in the model of most and of fewest. table: `moved`."""
    shares = table.groupby("who", sort=False)["moved"].mean().sort_values(ascending=False, kind="stable")
    if shares.empty:
        return "How many predictions shuffled attention moves"
    most = f"Shuffling moves {shares.iloc[0]:.0%} of the predictions in {shares.index[0]}"
    return most if len(shares) == 1 else f"{most}, {shares.iloc[-1]:.0%} in {shares.index[-1]}"


def of_example_shuffled(found: Audit, name: str) -> str:
    """How far shuffling moves the text that was shown above, and how that goes with what a search finds."""
    own, how = found.texts.set_index("id").loc[name], found.notes["how"]
    said = f"Shuffling moves the text above by {own['change own']:.2f}"
    layer, other = next(one for one in found.shown if one.id == name), moved_away(found, name)
    if other is None or own["change own"] <= audit.MOVED:
        return f"{said}."
    shuffles = permuted(layer, how["permutations"], how.get("seed", 0))["own"]
    kept = int((shuffles <= how["epsilon"]).sum())
    return (
        f"**{said}**, although the search found another attention that keeps its prediction. Both can be "
        f"true, because few others keep it: {kept or 'none'} of {len(shuffles)} shuffles "
        f"{'does' if kept == 1 else 'do'}. Chance seldom meets one, but a search finds it. So the answer "
        "needs attention of some kind, but not just this one."
    )


def where_it_hangs(found: Audit) -> list[str]:
    """How far the search gets in texts that shuffling moves, and in the others; nothing if about as far."""
    far, change = audit.alternatives(found), found.texts["change own"]
    hangs = change.reindex(far.index) > audit.MOVED
    there, others = far[hangs].mean(), far[~hangs].mean()
    if not others - there > SURPRISE:  # NaN if there are none
        return []
    return [
        "Where the answer hangs on attention, the search for another one gets less far: "
        f"{there:.2f} away (JSD, mean) in the {counted(int(hangs.sum()))} that shuffling moves by over "
        f"{audit.MOVED:g}, {others:.2f} in the other {(~hangs).sum()}."
    ]


def whichever_word(own: pd.DataFrame) -> list[str]:
    """On which corpora it hardly matters which word carried models' attention fetches, and why that may be.

    own: `verdict.own_attention`. Of models of which it hardly matters; nothing of others.
    """
    if not (free := _indifferent(own)):
        return []
    keeps = _percents([means["one_word_keeps"] for _, means in free])
    constants = _most_frequent().reindex([rows["corpus"].iloc[0] for rows, _ in free]).dropna()
    constant = f" (one answer for all texts would keep {_percents(constants)})" if len(constants) else ""
    return [
        f"**In {_models(free)} on {_corpora(free)} nearly any word will do:** with all attention on one "
        f"word, whichever, {keeps} of the decisions stay{constant}.",
        "So by the last layer most words' vectors seem to hold the decision already, and which of them "
        "attention fetches says little about it.",
    ]


def of_words_and_none(own: pd.DataFrame) -> list[str]:
    """That models that any word will do for need one, and that erasing words agrees.

    own: `verdict.own_attention`. Of models of which it hardly matters; nothing of others.
    """
    if not (free := _indifferent(own)):
        return []
    where, said = f"In {_models(free)} on {_corpora(free)}", []
    changed = [means.get("flips_without", 0.0) for _, means in free]
    if min(changed) > SURPRISE:
        said.append(
            f"{where} nearly any word will do, but one is needed: with all weights 0, which training never "
            f"had, {_percents(changed)} of the decisions change."
        )
    flips = [[verdict.erased_of_all(rows, order)["flips"].mean() for rows, _ in free]
             for order in ("attention", "random")]  # fmt: skip
    if max(map(max, flips)) <= SELDOM:  # NaN if not carried
        said.append(
            f"{where if not said else 'There'} erasing words one by one flips few decisions, in whichever "
            f"order: {_percents(flips[0])} in attention's, {_percents(flips[1])} in a random one. (The marks "
            "and a last word keep their weight.)"
        )
    return said


def by_the_seed(own: pd.DataFrame) -> list[str]:
    """On which corpora it hangs on the seed whether it matters where a carried model looks: a sentence each.

    own: `verdict.own_attention`.
    """
    said = []
    for rows, means in _carried(own):
        shares = rows.loc[rows["measure"] == "permuted_moved", "mean"].dropna()
        if not _hangs_on_seed(rows) or shares.empty:
            continue
        right = f", though each is right in about {means['accuracy']:.0%}" if "accuracy" in means else ""
        said.append(
            f"**On {_corpora([(rows, means)])} the training's seed decides how many:** shuffling moves "
            f"{_percents(shares)} of the predictions of {counted(len(shares), 'seed')} of "
            f"{_models([(rows, means)])}{right}."
        )
    return said


def _hangs_on_seed(rows: pd.DataFrame) -> bool:
    """Whether shuffling moves predictions in some seed of a carried model, and clearly less in another."""
    seeds = rows.loc[rows["measure"] == "permuted_each", "mean"]
    return bool(seeds.min() <= audit.MOVED <= seeds.max() and seeds.max() - seeds.min() > audit.MOVED)


def on_one_word(found: Audit, name: str = SMALL) -> str:
    """How many decisions of this chapter's model stay with all attention on one word, and of which class.

    Where classes lie apart, that may be why some texts move and others don't.
    """
    texts = found.texts
    by_class = texts.groupby("predicted")["one word keeps"].mean().sort_values(ascending=False)
    said = (
        f"With all attention on one word, whichever, {inert(name)} keeps "
        f"{texts['one word keeps'].mean():.0%} of its decisions"
    )
    if len(by_class) != 2 or by_class.iloc[0] - by_class.iloc[1] < audit.APART:
        return f"{said}."
    (most, high), (least, low) = ((inert(label), keeps) for label, keeps in by_class.items())
    return (
        f"{said}: {high:.0%} where it says {most}, but only "
        f"{low:.0%} where it says {least}. So one word alone mostly gives {most}; for {least} its attention "
        "mostly needs certain words."
    )


def _with_ends(mean: float, low: float, high: float) -> str:
    """`0.22 (0.19 to 0.24)`, or the mean alone where both ends read as it does."""
    ends = f"{low:z.2f}", f"{high:z.2f}"
    return f"{mean:z.2f}" if len({*ends, f"{mean:z.2f}"}) == 1 else f"{mean:z.2f} ({ends[0]} to {ends[1]})"


def rules() -> list[str]:
    """What one would expect of attention that explains: a line a row of `expectations`."""
    return [f"**{called}**: {rule}" for called, rule in EXPECTED.items()]


def answer(
    found: Audit, own: pd.DataFrame, known: pd.DataFrame, name: str = SMALL, bilstm: Audit | None = None
) -> list[str]:
    """What `expectations` comes to: who fails which of them and what that means, and who fails none.

    own: `verdict.own_attention`; known: `truths`; bilstm: `transformers.bilstm_asked`.
    """
    each = [
        (inert(who), "", audit.checks(one)["holds"].tolist(), audit.verdict(one).said or NOTHING_SAID)
        for who, one in _here(found, bilstm, name).items()
    ]
    for rows, _ in _carried(own):
        model, corpus = (inert(called) for called in (brief(rows["model"].iloc[0]), rows["corpus"].iloc[0]))
        each.append((model, corpus, _holds(rows), _of_rules(rows)[0]))
    said = []
    failing = [[(*who,) for *who, holds, _ in each if holds[row] == "no"] for row in range(RULES)]
    for row in sorted(range(RULES), key=lambda row: -len(failing[row])):
        if who := failing[row]:
            fail, whose = ("fails", "its") if len(who) == 1 else ("fail", "their")
            said.append(f"{_named(who)} {fail} row {row + 1}: {whose} picture {audit.IF_NOT[row]}.")
            if row == 3 and finds_them(known) and (inert(name), "") in who:
                said.append(f"That the attention of {inert(name)} finds the right words doesn't prevent it.")
    for answered, told in (
        (audit.UNREFUTED, "No row fails in {}, but some are open, which is less than a yes."),
        (audit.YES, "All five hold in {}."),
        (NOTHING_SAID, "Nothing can be said of {}."),
    ):  # fmt: skip
        if who := [(*who,) for *who, _, of in each if of == answered]:
            said.append(told.format(_named(who, upper=False)))
    return said


def _named(who: Sequence[tuple[str, str]], upper: bool = True) -> str:
    """Models, carried ones with their corpora, `The small model and MiniLM on ade and sst`."""
    corpora: dict[str, list[str]] = {}
    for model, corpus in who:
        corpora.setdefault(model, []).extend([corpus] if corpus else [])
    names = listed([f"{model} on {listed(on)}" if on else model for model, on in corpora.items()])
    return names[:1].upper() + names[1:] if upper else names


def in_use(own: pd.DataFrame) -> pd.DataFrame:
    """The answer for carried models and what holds of each expectation, as `audit.scale_table` has them.

    own: `verdict.own_attention`.
    """
    rows = []
    for carried, _ in _carried(own):
        said, each = _of_rules(carried)
        of = f"{brief(carried['model'].iloc[0])}, on {carried['corpus'].iloc[0]}"
        holds = [one or "–" for one in _holds(carried)]
        answer = f"{said} {each}"
        rows.append({"model": f"{of} ({counted(carried['seed'].nunique(), 'seed')})", "answer": answer}
                    | dict(zip(audit.EXPECTED, holds, strict=True)))  # fmt: skip
    return pd.DataFrame(rows)


def other_models(scaled: dict[str, Audit], own: pd.DataFrame) -> pd.DataFrame:
    """Which expectations models meet, those whose answer is known and carried ones, a row each.

    scaled: `audit.scale`'s; own: `verdict.own_attention`.
    """
    return pd.concat([audit.scale_table(scaled), in_use(own)], ignore_index=True)


def of_carried_rows(own: pd.DataFrame) -> list[str]:
    """How carried models' answers come about: by all seeds, and how many decisions never flip."""
    each = _carried(own)
    if not each:
        return []
    said = f"{_models(each)}: yes or no if all seeds agree"
    flips = [verdict.erased_of_all(rows, "attention")["flips"].mean() for rows, _ in each]
    if not np.isnan(flips).any():
        said += f"; in row 5, {_percents([1 - part for part in flips])} of the decisions never flip"
    return [f"*{said}.*"]


def expectations(
    found: Audit, own: pd.DataFrame, name: str = SMALL, bilstm: Audit | None = None
) -> pd.DataFrame:
    """The five expectations, a row each, and what holds of this chapter's model and of the carried ones.

    In the last row stands the answer. own: `verdict.own_attention`; bilstm: `transformers.bilstm_asked`,
    what holds of it, beside.
    """
    table = pd.DataFrame({"expected": [*EXPECTED, SO]})
    for who, one in ((name, found), ("BiLSTM", bilstm)):
        if one is not None:
            answered = _lower(audit.verdict(one).said or NOTHING_SAID)
            table[who] = [*_cells(audit.checks(one)["holds"], _numbers(one)), answered]
    for rows, means in _carried(own):
        holds = _holds(rows)
        erased = [verdict.erased_of_all(rows, order)["mean"].mean() for order in ("attention", "random")]
        numbers = (
            f"{means['on_words']:.0%}",
            f"τ = {means['tau_loo']:z.2f}",
            f"{means.get('permuted_moved', np.nan):.0%} of texts",
            f"JSD {means.get('other_jsd_mean', np.nan):.2f}",
            _after(erased),
        )
        told = [number if one else "" for one, number in zip(holds, numbers, strict=True)]
        table[f"{brief(rows['model'].iloc[0])} on {rows['corpus'].iloc[0]}"] = [
            *_cells(holds, told),
            _lower(_of_rules(rows)[0]),
        ]
    return table


def _numbers(a: Audit) -> tuple[str, ...]:
    """By which number each expectation is decided; nothing where none is there."""
    erased = [a.texts[f"erased {order}"].fillna(1).mean() for order in ("attention", "random")]
    return (*[told.partition(" (")[0] for told in audit.ranges(a)["told"][:4]], _after(erased))


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]


def _upper(name: str) -> str:
    """A model's name at a sentence's beginning."""
    return inert(name[:1].upper() + name[1:])


def _after(erased: Sequence[float]) -> str:
    """After which share of the words decisions flip, in attention's and in a random order."""
    return f"after {erased[0]:.0%} (random {erased[1]:.0%})"


def _cells(holds: Sequence[str | None], numbers: Sequence[str]) -> list[str]:
    """`yes: 93%`, a cell an expectation; where it isn't known whether it holds, what is, if anything."""
    each = zip(holds, numbers, strict=True)
    return [f"{one}: {number}" if one and number else one or number or "not measured" for one, number in each]


def expectations_title(found: Audit, own: pd.DataFrame, bilstm: Audit | None = None) -> str:
    """How many of the models meet all five, as the finding of `expectations`."""
    answers = [audit.verdict(one).said for one in (found, bilstm) if one is not None]
    answers += [_of_rules(rows)[0] for rows, _ in _carried(own)]
    if audit.YES in answers:
        return "What one would expect of attention that explains, and what holds"
    which = {1: "Not even this model's", 2: "Neither model's"}.get(len(answers), "No model's")
    return f"{which} attention is shown to meet all {RULES} expectations"


def example_title(found: Audit, name: str, known: dict[str, np.ndarray]) -> str:
    """What the pictures of one text show: how well each puts the deciding words first, where they are known.

    known: which words decide, by the text's id.
    """
    labels = [(READINGS | IMPORTANCE)[kind] for kind in PICTURED]
    scores = {
        label: score for label, score in audit.found_here(found, name, known).items() if label in labels
    }
    if len(scores) < 2:
        return "One text, and what each measure says of its words"
    (best, most), (worst, least) = scores.items()
    return (
        f"In this text {best} ranks a deciding word above another in {most:.0%} of pairs, {worst} in "
        f"{least:.0%}"
    )


def elsewhere_title(layer: Layer, moved_to: np.ndarray, decides: Sequence[bool] = ()) -> str:
    """What other attention of a text leaves the deciding words, or how far it is, and by how much it moves
    the prediction: `moved_away`.

    decides: of each word whether it decides, if that is known.
    """
    away, change = jsd(moved_to.mean(0), layer.attention.mean(0)), float(layer.change(moved_to))
    same = f"The same text and prediction (moved by {change:.3f}), but"
    if shares := on_deciding(layer, moved_to, decides):
        had, have = (f"{one:.0%}" for one in shares)
        return f"{same} the deciding words could have {have} of the attention instead of {had}"
    return f"{same} the attention could be {away:.2f} away (JSD)"


def of_elsewhere(layer: Layer, moved_to: np.ndarray, decides: Sequence[bool] = ()) -> str:
    """Which word loses most in a text's other attention, and what then has most.

    decides: of each word whether it decides, if that is known and each is one piece.
    """
    own, other = layer.attention.mean(0), moved_to.mean(0)
    lost, has, away = int((own - other).argmax()), int(other.argmax()), jsd(other, own)
    sees = "would be shown other reasons"
    if not layer.real[has]:
        sees = "wouldn't be shown the same reasons, and mostly none: a mark is no word"
    nothing = ""
    if len(decides) == layer.real.sum() and layer.real[lost]:
        nothing = "" if decides[layer.real[:lost].sum()] else ", which decides nothing by the rule,"
    return (
        f"{_unit(layer, lost)}{nothing} falls from {own[lost]:.2f} to {other[lost]:.2f}, and "
        f"{_unit(layer, has)} now has {other[has]:.2f} (JSD {away:.2f}). With the same answer a reader "
        f"{sees}."
    )


def _unit(layer: Layer, place: int) -> str:
    """A piece of a text, `*dull*`, with its place where it is there several times, or a mark, `[CLS]`."""
    units = layer.first.units
    if not layer.real[place]:
        return inert(units[place])
    several = [*units].count(units[place]) > 1
    return f"*{inert(units[place])}*" + (f" (piece {layer.real[: place + 1].sum()})" if several else "")


def drawn_elsewhere(layer: Layer, moved_to: np.ndarray, decides: Sequence[bool] = ()) -> str:
    """A text's pieces with the mean of the heads' attention, and with other attention's: HTML.

    decides: of each word whether it decides, if that is known and each is one piece.
    """
    under = np.zeros(len(layer.real), dtype=bool)
    if len(decides) == layer.real.sum():
        under[layer.real] = decides
    rows = {READINGS["attention"]: layer.attention.mean(0), ELSEWHERE: moved_to.mean(0)}
    return audit.tinted(layer.first.units, rows, under)


def of_example(found: Audit, name: str, known: dict[str, np.ndarray]) -> list[str]:
    """What the model decides of a text, whether a removal's gap is what counts, and which phrases decide.

    known: which words decide, by the text's id.
    """
    own, swapped = found.of_words(name), found.texts.set_index("id")["swapped"][name]
    place = int(own["loo"].to_numpy().argmax())
    said, most = [audit.decided(found, name)], own["loo"].iloc[place]
    if most > audit.MOVED and swapped <= audit.MOVED:
        said.append(
            f"Taking out {_word(own, place)} moves the prediction by {most:.2f}; with other words in its "
            f"place it moves by {swapped:.2f} (median). So what counts seems to be the gap, into which all "
            "later words move up, not the word."
        )
    decides = np.asarray(known.get(name, ()), dtype=bool)
    if len(decides) == len(own) and decides[place] and not decides.all():
        other = int(np.where(decides, -1, own["loo"]).argmax())
        if (moves := own["loo"].iloc[other]) > 2 * audit.MOVED:
            said.append(
                f"Leave-one-out also points at {_word(own, other)}, which decides nothing by the rule: "
                f"taking it out moves all later words up by one place, and the prediction by {moves:.2f}."
            )
    said += audit.any_one_does(found, name, known)
    if len(found.shown) and name != found.shown[0].id:
        said.append(
            "(It was chosen for the next section, among the stored texts that shuffling moves and the model "
            "gets right.)"
        )
    return said


def _word(words: pd.DataFrame, place: int) -> str:
    """A word of a text, `*the* (word 1)`. words: the audit's rows of the text."""
    return f"*{inert(words['word'].iloc[place])}* (word {place + 1})"
