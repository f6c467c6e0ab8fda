"""Chapter 06: what erasing attention comes to, in sentences and tables."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import entropy

from heed import paths, verdict
from heed.evidence import Evidence, Row
from heed.measures import erasure
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, quoted
from heed.show.style import LABELS
from heed.show.words import text_for

# What the four cells of two erasures are called.
CELLS = {
    "both": "both",
    "top": "only the top word's",
    "other": "only the other's",
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


def called(ranking: str) -> str:
    """What a ranking is called."""
    return erasure.NAMES.get(ranking, ranking)


def flipping(table: pd.DataFrame) -> list[str]:
    """The rankings that flip the decision of any text, and the mean of random orders."""
    return [r for r in (*erasure.RANKINGS, "random_mean") if table[f"erased_{r}"].notna().any()]


# In short


def in_short(table: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer. table: `erasure`'s, with a text of two words at least; real:
    `on_real_text`'s.
    """
    cells = erasure.cells(table, "attention").set_index("cell")
    said = [
        f"Erasing the one word with the most attention seldom changes the decision: {only_top(cells)}.",
        *needed(table),
    ]
    if len(real):
        better = (real["attention"] < real["random_mean"]).sum()
        worse = (real["attention"] > real["product"]).sum()
        said.append(
            f"On real text attention needs fewer words than random orders in {better} of {len(real)} "
            "models, and "
            f"more than gradient × attention in {worse}."
        )
    said.append(
        "So attention says something about which words matter to the decision, but not for which class "
        "they speak."
    )
    return said


def only_top(cells: pd.DataFrame) -> str:
    """In how many texts the top word's erasure flips the decision. cells: `erasure.cells`', by cell."""
    flips, n = cells["count"]["top"] + cells["count"]["both"], int(cells["n"].iloc[0])
    return f"it does in {flips} of {counted(n)}"


def needed(table: pd.DataFrame) -> list[str]:
    """How many words some rankings need, over the texts that all flip; empty if there are none."""
    common = erasure.in_common(table)
    names = {
        "attention": "attention's order",
        "random_mean": "a random one",
        "product": "that of gradient × attention",
        "optimal": "the best one",
    }
    parts = [
        f"{name} erases {common[f'erased_{r}'].mean():.0%}"
        for r, name in names.items()
        if r in flipping(table)
    ]
    if common.empty or "attention" not in flipping(table):
        return []
    first, *others = parts
    others = [part.replace(" erases ", " ") for part in others]
    return [
        f"Until it changes, {listed([f'{first} of the words', *others])} ({counted(len(common))} that all "
        "of these flip)."
    ]


# What the project carries


def carried() -> pd.DataFrame:
    """The rows of real corpora: additive attention, all texts; a corpus of which a part was read is
    marked.
    """
    rows = verdict.marked(verdict.plain(verdict.committed()))
    return rows[(rows["class"] == "overall") & (rows["attention"] == "additive")]


def on_real_text() -> pd.DataFrame:
    """Share of words erased until the decision flips, a row a model: means over seeds.

    Of the texts that flip under every ranking. Columns: corpus, profile, encoder, texts, seeds, each ranking
    and `random_mean`, and `excess`: attention's less the optimum's over all texts that any ranking flips.
    """
    rows, by = carried(), ["corpus", "profile", "encoder"]
    names = {f"erased_{r}_in_common": r for r in (*erasure.RANKINGS, "random_mean")}
    erased = rows[rows["measure"].isin([*names, "excess_attention"])]
    if erased.empty:
        return pd.DataFrame(columns=[*by, "texts", "seeds", *names.values(), "excess"])
    wide = erased.pivot_table("mean", by, "measure", sort=False)
    wide = wide.rename(columns=names | {"excess_attention": "excess"})
    own = rows[rows["measure"] == "erased_attention_in_common"].groupby(by)
    wide["texts"], wide["seeds"] = own["n"].mean().round().astype(int), own["seed"].nunique()
    return wide.dropna(subset=["attention", "random_mean", "product"]).reset_index()


def better_than_chance(real: pd.DataFrame) -> str:
    """The finding of the figure of these; empty without rows."""
    if real.empty:
        return ""
    better = (real["attention"] < real["random_mean"]).sum()
    worse = (real["attention"] > real["product"]).sum()
    return f"Attention beats random {better} of {len(real)} times, loses to gradient × attention {worse}"


def of_sst(real: pd.DataFrame) -> str:
    """What attention needs on SST under profile `serrano`, by encoder: a figure's finding."""
    own = real[(real["corpus"] == "sst") & (real["profile"] == "serrano")]
    parts = [f"{LABELS[row.encoder]} {row.attention:.0%}" for row in own.itertuples()]
    if not parts:
        return ""
    return f"Attention erases, of texts that all rankings flip: {listed(parts)} of the words"


def real_table(real: pd.DataFrame) -> pd.DataFrame:
    """`on_real_text` for `show`."""
    table = real.replace({"encoder": LABELS})
    names = {r: called(r) for r in (*erasure.RANKINGS, "random_mean")}
    return table.rename(columns=names | {"excess": "attention − optimal, all that any flips"})


def hardly_better(real: pd.DataFrame) -> str:
    """In how many models attention is little better than random orders, or worse than the gradient
    alone.
    """
    hardly = real["attention"].between(real["random_mean"] - MARGIN, real["random_mean"])
    worse = (real["attention"] > real["gradient"]).sum()
    return (
        f"In {hardly.sum()} of the {len(real)} models attention is better than random orders by less than "
        f"{MARGIN:g} of the words. In {worse} it needs more than the gradient alone."
    )


# One text


def chosen(table: pd.DataFrame) -> int:
    """The shortest text that some erasing flips; where none does, the shortest of two words or more."""
    flips = flipped(table)
    lengths = table["length"].where(flips if flips.any() else table["length"] > 1, np.inf)
    return int(lengths.argmin())


def flipped(table: pd.DataFrame) -> pd.Series:
    """Which texts of two words or more some erasing flips."""
    return table["erased_optimal"].fillna(table["erased_attention"]).notna() & (table["length"] > 1)


def the_text(row: Row, table: pd.DataFrame, classes) -> list[str]:
    """A text and what the model says of it. table: `erasure`'s."""
    predicted = table.set_index("id").loc[row.id, "predicted"]
    said = [
        f"{quoted(row.units)}: predicted {inert(classes[predicted])}, "
        f"P({inert(classes[row.shown])}) = {row.prediction[row.shown]:.3f}."
    ]
    if not flipped(table).any():
        said.append("No erasing flips any text: this is the shortest of two words or more.")
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
    return (
        f"Without “{tokens([row.units[highest]])}”, which has {row.attention[highest]:.2f} of the "
        "attention, "
        f"P({inert(classes[row.shown])}) = {by_hand[row.shown]:.3f}."
    )


def weights_and_changes(row: Row, classes) -> dict[str, np.ndarray]:
    """A text's weights, and how far erasing each word moves the probability of a class: for `figures.bars`.

    Of two classes the second, of more the three that move most.
    """
    change = erasure.changes(row)
    moved = [1] if len(classes) == 2 else np.argsort(-np.abs(change).max(0))[:3]
    found = {"attention": row.attention[row.real]}
    return found | {f"change of P({text_for(classes[c], 'figure')})": change[:, c] for c in moved}


def moves_most(row: Row) -> str:
    """Whether the word with most attention moves the prediction most: the finding of the text's figure."""
    change = np.abs(erasure.changes(row)).max(1)
    is_top = row.attention[row.real].argmax() == change.argmax()
    return f"The word with most attention {'moves' if is_top else 'does not move'} the prediction most"


# One weight


def single_weights_table(table: pd.DataFrame) -> pd.DataFrame:
    """How often erasing the top word moves the prediction less than erasing another, by each way to
    choose it.
    """
    found = []
    for choice in erasure.CHOICES:
        js, weight = table[f"delta_js_{choice}"].dropna(), table[f"delta_weight_{choice}"].dropna()
        shares = [f"{which.mean():.1%}" for which in (js < 0, js.abs() < 0.001)]
        found.append((called(choice), *shares, weight[js < 0].median(), len(js)))
    columns = ["top word by", "the other does more", "both do nearly the same"]
    columns += ["median Δ weight where the other does more", "texts"]
    return pd.DataFrame(found, columns=columns)


def next_to_nothing(table: pd.DataFrame) -> str:
    """In how many texts it hardly matters whether the top word goes or another: the finding of the
    figure.
    """
    share = (table["delta_js_attention"].dropna().abs() < 0.001).mean()
    return f"In {share:.0%} of texts it hardly matters which of the two words goes"


def flip_table(table: pd.DataFrame) -> pd.DataFrame:
    """Which of two erasures flips the decision, per cent of texts with Wilson's interval."""
    found = {}
    for choice in erasure.CHOICES:
        rows = erasure.cells(table, choice).set_index("cell").loc[[*CELLS]]
        said = [f"{100 * r.mean:.1f} ({100 * r.low:.1f} to {100 * r.high:.1f})" for r in rows.itertuples()]
        found[f"top by {called(choice)}"] = said
    return pd.DataFrame({"whose erasure flips": [*CELLS.values()]} | found)


def reported() -> pd.DataFrame:
    """The same as Serrano & Smith report it, a row a corpus: per cent, recalled."""
    table = pd.read_csv(paths.DATA / "published" / "serrano_smith.csv")
    assert (table["source"] == "recalled").all()
    wide = table.pivot(index=["corpus", "model"], columns="cell", values="reported")[[*CELLS]]
    return wide.rename(columns=CELLS).reset_index()


def as_reported(table: pd.DataFrame) -> list[str]:
    """Whether the two things that are confirmed of the paper's numbers hold here. table: `erasure`'s."""
    told, own = reported(), erasure.cells(table, "attention").set_index("cell")["count"]
    spans = {
        cell: f"{told[CELLS[cell]].min():.0f} to {told[CELLS[cell]].max():.0f} %"
        for cell in ("neither", "top", "other")
    }
    largest = "is" if own["neither"] == own.max() else "is not"
    more = "more" if own["top"] > own["other"] else "not more"
    return [
        f"The paper reports neither in {spans['neither']}, only the top word's in {spans['top']}, only "
        "the other's "
        f"in {spans['other']} (HAN, four corpora; reported, unverified).",
        f"Here, too, “neither” {largest} the largest."
        if largest == "is"
        else "Here “neither” is not the largest.",
        f"Only the top word's erasure flips {counted(own['top'])}, only the other's {own['other']}: {more}.",
    ]


# Many weights


def until_flipped(share: float, length: int) -> str:
    """How many of a text's words a ranking erases until the decision flips; NaN: it never does."""
    return "the decision never flips" if np.isnan(share) else f"{share * length:.0f} of {length} words"


def of_one_text(row: Row, table: pd.DataFrame) -> pd.DataFrame:
    """How many words of a text each ranking erases."""
    own = table.set_index("id").loc[row.id]
    tried = [r for r in erasure.RANKINGS if r != "optimal" or erasure.linear(row)]
    said = [(called(r), until_flipped(own[f"erased_{r}"], own["length"])) for r in tried]
    return pd.DataFrame(said, columns=["order", "erased until the decision flips"])


def luck(row: Row, table: pd.DataFrame) -> str:
    """A remark where a random order needs fewer words than attention's; empty where it doesn't."""
    own = table.set_index("id").loc[row.id]
    random, attention, mean = (own[f"erased_{r}"] for r in ("random", "attention", "random_mean"))
    if not random < attention:
        return ""
    said = "A surprise: a random order needs fewer words here than attention's."
    if mean >= attention:
        return f"{said} That is luck: over many orders the mean is {mean * own['length']:.1f} words."
    return (
        f"{said} It isn't the luck of one order: over many the mean is {mean * own['length']:.1f} words. "
        "Attention "
        "doesn't know for which class a word speaks, and so may erase first what spoke against the "
        "decision."
    )


def in_common(table: pd.DataFrame) -> str:
    """The mean share of words erased, of the texts that all rankings flip: a figure's finding."""
    common = erasure.in_common(table)
    if common.empty or not {"attention", "product"} <= {*flipping(table)}:
        return "No text flips under every ranking"
    attention, product = (common[f"erased_{r}"].mean() for r in ("attention", "product"))
    return f"Attention needs {attention:.0%} of the words, gradient × attention {product:.0%}"


def rankings_table(table: pd.DataFrame) -> pd.DataFrame:
    """How many texts each ranking flips, and the share of words that it erases."""
    common, bias, found = erasure.in_common(table), table["bias_flips"] == 1, []
    for r in flipping(table):
        shares = table[f"erased_{r}"]
        late = shares.isna() & bias
        numbers = int(shares.notna().sum()), int(shares.isna().sum()), int(late.sum())
        medians = shares.median(), shares.mask(late, 1).median()
        found.append((called(r), *numbers, shares.mean(), *medians, common[f"erased_{r}"].mean()))
    columns = ["ranking", "flip", "never", "of those, the bias would", "mean", "median"]
    columns += ["median, the bias as well", f"mean of the {len(common)} in common"]
    return pd.DataFrame(found, columns=columns)


def pairs_table(table: pd.DataFrame) -> pd.DataFrame:
    """Which of two rankings flips at all, and which sooner: counts and p of `erasure.versus`."""
    names = {
        "only_a": "only first flips",
        "only_b": "only second",
        "p_flips": "p, flips",
        "sooner_a": "first sooner",
        "sooner_b": "second sooner",
        "as_soon": "as soon",
        "p_sooner": "p, sooner",
    }
    rows = [{"first": called(a), "second": called(b)} | erasure.versus(table, a, b) for a, b in PAIRS]
    return pd.DataFrame(rows).rename(columns=names)


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
    short = short.groupby(short["erased_optimal"].isna()).head(2)
    if short.empty or not erasure.linear(evidence[0]):
        return ""
    least = (table["erased_optimal"] * table["length"]).fillna(0)
    for i in short.index:
        assert smallest_set(evidence[i]) == round(least[i])
    never = int((least[short.index] == 0).sum())
    said = f"Every set of {counted(len(short))} of at most 12 words was tried: the optimum is right in each."
    return f"{said} No set flips {never} of them." if never else said


def too_many(table: pd.DataFrame) -> list[str]:
    """How many words gradient × attention and attention erase beyond the fewest possible."""
    said = []
    for name in ("product", "attention"):
        more = ((table[f"erased_{name}"] - table["erased_optimal"]) * table["length"]).dropna().round()
        if len(more):
            said.append(
                f"{called(name).capitalize()} needs as few words as possible in {(more == 0).mean():.0%} "
                "of the "
                f"texts that it flips, and {more.mean():.1f} too many in the mean."
            )
    return said


# How much attention?


def least_attention(table: pd.DataFrame) -> str:
    """The attention that is erased, of the texts that attention's order flips; empty where there is none.

    Raises AssertionError if a ranking erases less than the bound.
    """
    best = table[[f"mass_{r}" for r in erasure.RANKINGS]].min(axis=1)
    bound = table["mass_bound"]
    known = best.notna() & bound.notna()
    assert (best[known] >= bound[known] - 1e-12).all()
    own = table["mass_attention"].notna() & bound.notna()
    if not own.any():
        return ""
    return (
        f"Of the {counted(own.sum())} that attention's order flips, it erases "
        f"{table['mass_attention'][own].mean():.2f} "
        f"of the attention in the mean. The best of the rankings erases {best[own].mean():.2f}; no "
        "flipping set has "
        f"less than {bound[own].mean():.2f}."
    )


def by_mass(table: pd.DataFrame) -> str:
    """How much attention is erased by attention's order: the finding of the figure."""
    own = table["mass_attention"].dropna()
    return (
        f"Attention's order erases {own.mean():.0%} of the attention"
        if len(own)
        else "Attention flips no text"
    )


# Texts that need a word of care


def unflipped(table: pd.DataFrame) -> pd.Series:
    """Which texts no ranking flips."""
    return table[[f"erased_{r}" for r in flipping(table)]].isna().all(axis=1)


def odd_texts(table: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """How many texts are odd in which way."""
    never, has_other = unflipped(table), table["length"] > 1
    has_none = pd.Series([(row.attention[row.real] == 0).any() for row in evidence])
    odd = {
        "one word only, so no other to erase": ~has_other,
        "no ranking flips the decision while a word is left": never,
        "of those, the bias alone would decide otherwise": never & (table["bias_flips"] == 1),
        "of several words, one has all the attention": table["sole"] & has_other,
        "of several words, one has none": has_none & has_other,
        "all weights equal: attention ranks by position": table["flat"] & has_other,
    }
    return pd.DataFrame({"texts": [*odd], "number": [int(which.sum()) for which in odd.values()]})


def evenness(evidence: Evidence) -> str:
    """How even attention is; empty where no text has two words."""
    weights = [row.attention[row.real] for row in evidence]
    spread = [entropy(a) / np.log(len(a)) for a in weights if len(a) > 1]
    if not spread:
        return ""
    low, middle, high = np.quantile(spread, (0.25, 0.5, 0.75))
    return (
        f"Attention's entropy is {middle:.2f} of a uniform one's in the median, between {low:.2f} and "
        f"{high:.2f} in "
        "half of the texts."
    )


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


def as_table(compared: pd.DataFrame) -> pd.DataFrame:
    """The same, for `show`."""
    names = {"encoder": "beside", "n": "texts", "context": "with context", "none": "without"}
    return compared.rename(columns=names | {"low": "from", "high": "to"})


def counts(compared: pd.DataFrame) -> str:
    """By how many numbers attention says more without context, encoder by encoder: the figure's finding."""
    parts = []
    for encoder, own in compared.groupby("encoder"):
        more, less = (own["low"] > 0).sum(), (own["high"] < 0).sum()
        parts.append(f"{encoder} {more} ({less} less)")
    if not parts:
        return "No model without context to compare with one"
    most = compared.groupby("encoder").size().max()
    return f"More without context, of {counted(most, 'number')}: {', '.join(parts)}"


def context_on_real_text() -> pd.DataFrame:
    """The carried tests of the same: by attention and number, in how many attention says more or less
    without.
    """
    pairs = verdict.without_context()
    if pairs.empty:
        return pd.DataFrame()
    found = []
    for (how, what), own in pairs.groupby(["attention", "measure"]):
        sides = int((own["low"] > 0).sum()), int((own["high"] < 0).sum())
        found.append((how, what, *sides, len(own), own["corpus"].nunique()))
    columns = ["attention", "number", "more without context", "less", "of tests", "corpora"]
    return pd.DataFrame(found, columns=columns)


def hangs_on_attention(table: pd.DataFrame) -> list[str]:
    """What these come to, by kind of attention. table: `context_on_real_text`'s; of none nothing."""
    if table.empty:
        return ["No two real runs of this chapter are carried yet."]
    sums = table.groupby("attention")[["more without context", "less", "of tests"]].sum()
    corpora = table.groupby("attention")["corpora"].max()
    said = [
        f"With {how} attention it says more without context in {more} of {tests} tests on "
        f"{corpora[how]} corp{'us' if corpora[how] == 1 else 'ora'}, less in {less}."
        for how, more, less, tests in sums.itertuples()
    ]
    sides = {more > less for _, more, less, _ in sums.itertuples()}
    if len(sides) > 1:
        said.append(
            "A surprise: the answer turns round with the kind of attention. Tests of one corpus share "
            "its texts, so "
            "they aren't independent."
        )
    return said


def context_by_corpus() -> pd.DataFrame:
    """The same tests, corpus by corpus and encoder by encoder: mean difference over seeds, and counts of
    seeds.
    """
    pairs = verdict.without_context()
    if pairs.empty:
        return pairs
    marked = {name.removesuffix(" (part)"): name for name in carried()["corpus"].unique()}
    pairs = pairs.replace({"corpus": marked} | dict.fromkeys(("encoder", "without"), LABELS))
    pairs = pairs.assign(more=pairs["low"] > 0, less=pairs["high"] < 0)
    by = ["corpus", "profile", "attention", "without", "encoder", "measure"]
    found = pairs.groupby(by, sort=False).agg(
        seeds=("seed", "nunique"),
        texts=("n", "mean"),
        difference=("difference", "mean"),
        more=("more", "sum"),
        less=("less", "sum"),
    )
    return found.assign(texts=found["texts"].round().astype(int)).reset_index()


def top_by_encoder() -> pd.DataFrame:
    """Share of texts that only the top word's erasure flips, and mean ΔJSD, by encoder, on real text."""
    names = {"cell_top_attention": "only the top word's flips", "delta_js_attention": "mean ΔJSD"}
    rows = carried()
    rows = rows[rows["measure"].isin([*names])]
    if rows.empty:
        return rows
    by = ["corpus", "profile", "measure", "encoder"]
    wide = rows.groupby(by, sort=False)["mean"].mean().unstack().rename(columns=LABELS)
    return wide.rename(index=names).reset_index()


# So


def answer(table: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for this run and for real text."""
    own = table["mass_attention"].dropna()
    said = ["While a word is left, attention's order flips no decision here."]
    if len(own):
        said = [
            f"Most of it: {own.mean():.0%} in the mean, from the top down, and "
            f"{table['erased_attention'].mean():.0%} of the words."
        ]
        if own.mean() <= 0.5:
            said = [f"{own.mean():.0%} in the mean, {table['erased_attention'].mean():.0%} of the words."]
    if len(real):
        low, high = real.loc[real["attention"].idxmin()], real.loc[real["attention"].idxmax()]
        said.append(
            f"On real text {low['attention']:.0%} ({low['corpus']}, {LABELS[low['encoder']]}) to "
            f"{high['attention']:.0%} ({high['corpus']}, {LABELS[high['encoder']]}) of the words, where "
            "gradient × "
            f"attention needs {real['product'].min():.0%} to {real['product'].max():.0%}."
        )
    return said
