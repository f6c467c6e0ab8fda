"""Chapter 09b: what a translator's attention comes to, and what several heads do, in sentences and tables."""

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.experiments import translation
from heed.experiments.copying import share_of
from heed.experiments.translation import Translations
from heed.measures import relevance
from heed.show.notebook import inert, tokens
from heed.show.sentences import listed
from heed.show.strip import TokenStrip

# What is held against the finished attention: whose, which of `translation.KINDS`, and how it is called.
HELD = (
    ("other seed", "attention", "attention, another seed"),
    ("other seed", "relevance", "relevance, another seed"),
    ("base", "relevance", "relevance, the same model"),
    ("uniform", "relevance", "relevance, uniform training"),
    ("uniform", "linear", "linear relevance, uniform training"),
)
# The table of Multi30k, in its order: measures, how they are called there, and their digits.
REAL = {
    "bleu": ("BLEU (theirs: validation; ours: test)", 1),
    "token_accuracy": ("word pieces predicted correctly", 3),
    "top_attention other seed": ("A of attention with: another seed's attention", 3),
    "top_relevance other seed": ("… another seed's relevance", 3),
    "top_linear other seed": ("… another seed's linear relevance", 3),
    "top_relevance uniform": ("… uniform training's relevance", 3),
    "top_linear uniform": ("… uniform training's linear relevance", 3),
    "chance": ("… a random ranking", 3),
}
HALF = "half-way step"  # the column that says when A was half of the way from chance to its end
KINDS_OF_HEADS = {
    "single": "single head",
    "8 bad": "8 bad heads",
    "1 good, 7 bad": "1 good, 7 bad",
    "8 at random": "8 at random",
}


def carried() -> pd.DataFrame:
    """The carried numbers of Multi30k: a row a measure, a column a profile; the longest training last.

    The row `sentences` says of how many sentences A is.
    """
    rows = verdict.plain(verdict.committed()).query("corpus == 'multi30k'")
    table = rows.pivot_table(index="measure", columns="profile", values="mean")
    table = table[[name for name in ("short", "paper") if name in table]]
    table.loc["sentences"] = rows[rows["measure"] == "chance"].groupby("profile")["n"].max()
    return table


def told(translator: Translations) -> dict[str, pd.DataFrame] | None:
    """How often each model's rankings are largest on the word that is meant; None where nobody says which."""
    p = translator.params
    if p.corpus != "made-de-en" or p.cut != "word":  # of fragments nobody says what they mean
        return None
    looks = {name: one.table("looks") for name, one in translator.beside.items()}
    known = translator.watched, translator.learnt
    return {name: translation.meant(table, *known) for name, table in looks.items()}


def words_watched(translator: Translations) -> int:
    """How many target words are looked at, without the end marks."""
    return sum(len(target) - 2 for _, target in translator.watched)


def without_end_marks(translator: Translations) -> float:
    """A of attention with another seed's at the end of training, without the end marks."""
    looks = [translator.beside[name].table("looks") for name in ("base", "other seed")]
    finished, other = (one[one["step"] == one["step"].max()].set_index("pair")["attention"] for one in looks)
    found = []
    for pair, weights in finished.items():
        found += [relevance.agreement(*both) for both in zip(weights[:-1], other[pair][:-1], strict=True)]
    return float(np.mean(found))


def by_chance(translator: Translations) -> float:
    """A of a random ranking with attention, averaged over the target words that are watched."""
    found = []
    for source, target in translator.watched:
        found += [relevance.chance(len(source))] * (len(target) - 1)
    return float(np.mean(found))


def agreed(learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, chance: float) -> pd.DataFrame:
    """Of each of HELD: A at first and at the end, the step half-way, the share on the word meant."""
    rows = []
    for model, kind, what in HELD:
        own = learning[learning["model"] == model].sort_values("step").set_index("step")[kind]
        half = np.nan
        if own.iloc[-1] > chance:  # else there is nothing to be half of
            half = own.index[own >= (own.iloc[-1] + chance) / 2][0]
        right = np.nan if meant is None else meant[model].set_index("step")[kind].iloc[-1]
        rows.append((what, own.iloc[0], own.iloc[-1], half, right))
    columns = ["ranking", "A at first", "A at the end", HALF, "on the meant word"]
    return pd.DataFrame(rows, columns=columns)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """`agreed` for a reader: whole steps, and no column of nothing."""
    steps = table[HALF].map(lambda step: "–" if np.isnan(step) else f"{step:.0f}")
    return table.assign(**{HALF: steps}).dropna(axis=1, how="all")


def _end(table: pd.DataFrame, ranking: str, column: str = "A at the end") -> float:
    return table.set_index("ranking").loc[ranking, column]


def of_words(share: float, words: int) -> str:
    """A share of the words as a count, `all 105 words`, `98 of 105 words`."""
    count = round(share * words)
    return f"all {words} words" if count == words else f"{count} of {words} words"


def between(share: float, words: int) -> str:
    """Wilson's 95 % interval of such a share: each word counts as a draw of its own."""
    low, high = share_of(np.arange(words) < round(share * words))[1:]
    return f"{low:.0%} to {high:.0%}"


def in_short(
    real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, words: int, sentences: int
) -> list[str]:
    """The chapter's answer. real: `carried`'s; meant: `told`'s; of so many words."""
    said = []
    if meant is not None:
        right = meant["base"]["attention"].iloc[-1]
        flat = meant["uniform"]["relevance"].iloc[-1]
        said.append(
            f"In a made language ({sentences} sentences, one model a kind) attention ends up on the "
            f"translated word for {of_words(right, words)} (95 % interval {between(right, words)}). A model "
            "that can't choose where to look finds it, too: its *relevance* (how likely the right word is "
            f"with all attention on one source word) is highest there for {of_words(flat, words)} "
            f"({between(flat, words)})."
        )
    if not real.empty:
        said.append(f"{on_real_sentences(real)}.")
    return [*said, ADVICE] if said else []


ADVICE = "So attention aligns no words where two seeds differ, and need not where they agree (chapter 09)."


def on_real_sentences(real: pd.DataFrame) -> str:
    """What agrees with the finished attention on Multi30k: the figure's finding."""
    top = real.iloc[:, -1]
    return (
        f"On real sentences ({top['sentences']:.0f} of Multi30k, one model of each kind) the finished "
        f"attention agrees with another seed's for {top['top_attention other seed']:.0%} of the word pieces "
        "and end marks at its best step, with uniform training's relevance for "
        f"{top['top_relevance uniform']:.0%} (chance {top['chance']:.0%})"
    )


def learnt(translator: Translations) -> str:
    """What the models were trained on and looked at with."""
    p, pieces = translator.params, len(translator.learnt)
    what = "words" if p.cut == "word" else "word pieces"
    return (
        f"Each model is trained on {len(translator.pairs['train']):,} pairs, in {p.epochs} "
        f"{'epoch' if p.epochs == 1 else 'epochs'}, and examined on {len(translator.watched)} others, "
        f"with {words_watched(translator):,} English {what}. One vocabulary serves both languages; it has "
        f"{pieces:,} entries, marks included."
    )


def examples(translator: Translations) -> pd.DataFrame:
    """The first three pairs."""
    return pd.DataFrame(translator.pairs["train"][:3], columns=["German", "English"])


def finding(table: pd.DataFrame, bare: float) -> str:
    """What agrees with the finished attention at the end: the figure's finding. table: `agreed`'s.

    bare: `without_end_marks`'s.
    """
    seed = _end(table, "attention, another seed")
    same, flat = (_end(table, f"relevance, {whose}") for whose in ("the same model", "uniform training"))
    return (
        f"With end marks, the finished attention agrees with another seed's for {seed:.0%} (words alone: "
        f"{bare:.0%}), with its own relevance for {same:.0%}, with that of uniform training for {flat:.0%}"
    )


def two_counts(translator: Translations, table: pd.DataFrame, meant: dict[str, pd.DataFrame] | None) -> str:
    """Why A of two seeds may differ from the share on the word meant; empty if nobody says which that is."""
    if meant is None:
        return ""
    seed = _end(table, "attention, another seed")
    return (
        "A also counts the end mark of each sentence, for which no word is meant. Without the end marks "
        f"the two seeds' attentions agree for {without_end_marks(translator):.0%} of the words, not "
        f"{seed:.0%}."
    )


def which_first(table: pd.DataFrame, learning: pd.DataFrame) -> str:
    """Whether the other seed's relevance or attention is half of the way first."""
    r, a = (_end(table, f"{kind}, another seed", HALF) for kind in ("relevance", "attention"))
    if np.isnan([r, a]).any():
        return "One of the two never gets beyond chance, so neither is first."
    way = "before" if r < a else "after" if r > a else "at the same look as"
    apart = learning["step"].drop_duplicates().sort_values().diff().iloc[1]
    return (
        f"The models are examined only every {apart:.0f} steps at first, so a smaller lead can't be seen. "
        f"The other seed's relevance is half-way at step {r:.0f}, {way} its attention (step {a:.0f})."
    )


def dictionary(translator: Translations, most: int = 10) -> pd.DataFrame:
    """Of the commonest words the source words that uniform training's relevance, and attention, put first."""
    known = translator.watched, translator.learnt
    tables = {
        "linear relevance (uniform training)": translation.dictionary(
            translator.beside["uniform"].table("looks"), *known
        ),
        "attention": translation.dictionary(translator.table("looks"), *known, "attention"),
    }
    often = {word: sum(found.values()) for word, found in tables["attention"].items()}
    words = [word for word in often if word.startswith("▁") and len(word) > 3]
    chosen = sorted(words, key=lambda word: (-often[word], word))[:most]
    columns = {"English": [word.strip("▁") for word in chosen]}
    for name, found in tables.items():
        columns[name] = [
            ", ".join(f"{source.strip('▁')} ({count})" for source, count in found[word].most_common(3))
            for word in chosen
        ]
    return pd.DataFrame(columns)


def company(meant: dict[str, pd.DataFrame] | None, words: int) -> str:
    """How often the two rankings of `dictionary` miss the word that is meant; empty if nobody says which."""
    if meant is None:
        return ""
    flat, own = meant["uniform"]["linear"].iloc[-1], meant["base"]["attention"].iloc[-1]
    missed = [round((1 - share) * words) for share in (flat, own)]
    said = (
        "In the made language we know which word is meant: linear relevance misses it for "
        f"{missed[0] or 'none'} of the {words} words, attention for {missed[1] or 'none'}."
    )
    if missed[0] and not missed[1]:
        said += (
            " So where the columns differ, relevance is wrong: it has found a word that occurs together with "
            "the right one, and not its meaning."
        )
    return said


YOURS = {
    "made-de-en": ("der kleine hund ein rote ball sucht", "the small dog seeks a red ball"),
    "multi30k": ("Ein kleiner Hund läuft über die Wiese.", ""),
}


def translated(text: str, written: str, meant: str) -> str:
    """What became of a sentence; meant: what it means, if it is known."""
    said = f"“{inert(text)}” becomes “{inert(written)}”"
    if not meant:
        return f"{said}."
    return f"{said}, which is {'right' if written == meant else f'wrong: it means “{inert(meant)}”'}."


def beside(real: pd.DataFrame) -> pd.DataFrame:
    """Multi30k: what the authors recorded, and what is carried."""
    recorded = pd.read_csv(paths.DATA / "published" / "snell_translation.csv").set_index("measure")["value"]
    several = len(real.columns) > 1
    ours = {f"ours ({profile})" if several else "ours": real[profile] for profile in real}
    numbers = {"theirs": recorded} | ours
    rows = []
    for measure, (what, digits) in REAL.items():
        row = {"": what}
        for name, column in numbers.items():
            row[name] = f"{column[measure]:.{digits}f}" if measure in column.index else "–"
        rows.append(row)
    return pd.DataFrame(rows)


def half_away(strip: TokenStrip) -> np.ndarray:
    """Its attention with half of the top word's weight on another, that which hurts the class most, (T,)."""
    row, top = strip.row, int(np.argmax(strip.attention))
    found = {}
    for t in np.flatnonzero(row.real & (np.arange(len(row.units)) != top)):
        there = np.array(strip.attention, float)
        there[top] /= 2
        there[t] += there[top]
        found[t] = there
    return min(found.values(), key=lambda there: row.probs(there)[row.shown])


def of_half_away(strip: TokenStrip) -> str:
    """What a strip that `half_away` has moved says."""
    row = strip.row
    top, to = int(np.argmax(row.attention)), int(np.argmax(strip.attention - row.attention))
    return (
        f"Here half of the weight has been moved from “{tokens([row.units[top]])}” to "
        f"“{tokens([row.units[to]])}”: P({inert(strip.classes[row.shown])}) goes from "
        f"{row.prediction[row.shown]:.2f} to {row.probs(np.array(strip.attention))[row.shown]:.2f}. "
        "**Original** takes it back."
    )


def classes_of(strip: TokenStrip, translator: Translations) -> str:
    """Which of the vocabulary's entries a strip's classes are."""
    many, every = len(strip.classes), len(translator.learnt)
    if many == every:
        return f"The strip's classes are all {every:,} entries of the vocabulary."
    return (
        f"The strip's classes are the {many} likeliest of the vocabulary's {every:,} entries at this step, "
        "and the probabilities are shares among these."
    )


# Several heads


def of_heads() -> pd.DataFrame:
    """Of each kind of heads the share that learns with its interval, and how many there are; carried ones."""
    rows = verdict.plain(verdict.committed()).query("corpus == 'copy-permutations' and profile == 'heads'")
    rows = rows[rows["measure"].str.startswith("success, ")]
    rows = rows.assign(what=rows["measure"].str.removeprefix("success, "), setting="heads")
    rows = rows.rename(columns={"mean": "success"}).set_index("what").reindex([*KINDS_OF_HEADS])
    return rows[["success", "low", "high", "n", "setting"]].dropna().reset_index()


def sorts_of_heads() -> str:
    """How many single heads are good, bad or neither."""
    rows = verdict.plain(verdict.committed()).query("corpus == 'copy-permutations' and profile == 'heads'")
    rows = rows[rows["measure"].str.startswith("single, ")]
    kinds = [
        f"{row.mean * row.n:.0f} are {row.measure.removeprefix('single, ')}" for row in rows.itertuples()
    ]
    return f"Of {rows['n'].iloc[0]:.0f} single heads {listed(kinds)}." if kinds else ""


def drawn(heads: pd.DataFrame) -> pd.DataFrame:
    """The heads with names for the figure, which say how many there are. heads: `of_heads`'s."""
    of = ["heads" if what == "single" else "models" for what in heads["what"]]
    counts = heads["n"].astype(int).astype(str)
    return heads.assign(what=heads["what"].map(KINDS_OF_HEADS) + "\n(" + counts + " " + of + ")")


def more_heads(heads: pd.DataFrame) -> str:
    """What eight heads do beside one: the figure's finding. heads: `of_heads`'s, all kinds."""
    bad, lucky = (heads.set_index("what").loc[kind] for kind in [*KINDS_OF_HEADS][1:3])
    return (
        f"Eight heads that never learn alone learn together in {bad['success']:.0%}; with a good one among "
        f"them, in {lucky['success']:.0%}: the intervals {_overlap(bad, lucky)}"
    )


def _overlap(one: pd.Series, other: pd.Series) -> str:
    apart = other["low"] > one["high"] or one["low"] > other["high"]
    return "don't overlap" if apart else "overlap"


def one_lucky_head(heads: pd.DataFrame) -> str:
    """Whether one good head among bad ones is better than bad ones alone. heads: `of_heads`'s, all kinds.

    Beside them heads drawn at random from all, of which several may be good.
    """
    bad, lucky, drawn = (heads.set_index("what").loc[kind] for kind in [*KINDS_OF_HEADS][1:])
    said = (
        f"One good head among seven bad ones: {lucky['success']:.0%} learn ({lucky['low']:.0%} to "
        f"{lucky['high']:.0%}); eight bad ones: {bad['success']:.0%} ({bad['low']:.0%} to "
        f"{bad['high']:.0%}). "
    )
    said += (
        "The intervals don't overlap: one lucky head helps."
        if lucky["low"] > bad["high"]
        else "The intervals overlap, so it isn't shown that one lucky head is enough, or even that it helps."
    )
    said += (
        f" Of the models of eight heads drawn at random from all, good ones among them, "
        f"{drawn['success']:.0%} learn ({drawn['low']:.0%} to {drawn['high']:.0%})"
    )
    if drawn["low"] > bad["high"]:
        return f"{said}: good heads do help, but how many it takes isn't shown."
    return f"{said}, and that isn't clearly more than of eight bad ones, either."


def answer(
    real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, words: int, sentences: int
) -> list[str]:
    """The chapter's question, answered. real: `carried`'s; meant: `told`'s; of so many words."""
    said = []
    if meant is not None:
        right = meant["base"]["attention"].iloc[-1]
        said.append(
            f"In the friendly made language it does, for {of_words(right, words)} of {sentences} "
            "sentences (one model)."
        )
    if not real.empty:
        top = real.iloc[:, -1]
        said += [
            f"For real sentences ({top['sentences']:.0f} of Multi30k, one pair of models) nobody has "
            "marked which word is meant. Two seeds look at the same place for "
            f"{top['top_attention other seed']:.0%} of the word pieces and end marks at their best step "
            f"(chance {top['chance']:.0%}). For an end mark no word is meant; where they differ on a word, "
            "at most one of them looks at the word that is meant, if there is just one.",
            ADVICE,
        ]
    return said


def found(translator: Translations, table: pd.DataFrame, chance: float) -> pd.DataFrame:
    """The table at the chapter's foot."""
    ends = table.set_index("ranking")["A at the end"]
    rows = [(f"A of attention with {what}", value) for what, value in ends.items()]
    rows.append(("A by chance", chance))
    summary = translator.table("summary_translated").set_index("measure")["mean"]
    rows += [
        ("BLEU", summary["bleu"]),
        ("words predicted correctly, given those before", summary["token_accuracy"]),
    ]
    return pd.DataFrame(rows, columns=["what", "found"])
