"""Chapter 09b: what a translator's attention comes to, and what several heads do, in sentences and tables."""

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.experiments import translation
from heed.experiments.translation import Translations
from heed.measures import relevance
from heed.show.notebook import inert
from heed.show.sentences import counted, listed

# What is held against the finished attention: whose, which of `translation.KINDS`, and how it is called.
HELD = (
    ("other seed", "attention", "attention, another seed"),
    ("other seed", "relevance", "relevance, another seed"),
    ("base", "relevance", "relevance, the same model"),
    ("uniform", "relevance", "relevance, uniform training"),
    ("uniform", "linear", "linear relevance, uniform training"),
)
KINDS_OF_HEADS = ["single", "8 bad", "1 good, 7 bad", "8 at random"]
MORE = {
    "top_relevance other seed": "A of attention with another seed's relevance",
    "top_linear other seed": "A of attention with another seed's linear relevance",
    "top_linear uniform": "A of attention with uniform training's linear relevance",
}


def carried() -> pd.DataFrame:
    """The carried numbers of Multi30k: a row a measure, a column a profile; the longest training last."""
    rows = verdict.plain(verdict.committed()).query("corpus == 'multi30k'")
    table = rows.pivot_table(index="measure", columns="profile", values="mean")
    return table[[name for name in ("short", "paper") if name in table]]


def told(translator: Translations) -> dict[str, pd.DataFrame] | None:
    """How often each model's rankings are largest on the word that is meant; None where nobody says which."""
    p = translator.params
    if p.corpus != "made-de-en" or p.cut != "word":  # of fragments nobody says what they mean
        return None
    looks = {name: one.table("looks") for name, one in translator.beside.items()}
    known = translator.watched, translator.learnt
    return {name: translation.meant(table, *known) for name, table in looks.items()}


def by_chance(translator: Translations) -> float:
    """A of a random ranking with attention, in the mean over the target words that are watched."""
    found = []
    for source, target in translator.watched:
        found += [relevance.chance(len(source))] * (len(target) - 1)
    return float(np.mean(found))


def agreed(learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, chance: float) -> pd.DataFrame:
    """Of each of HELD: A at first and at the end, step at half of the way, the share on the word meant."""
    rows = []
    for model, kind, what in HELD:
        own = learning[learning["model"] == model].sort_values("step").set_index("step")[kind]
        half = np.nan
        if own.iloc[-1] > chance:  # else there is no way to be half of
            half = own.index[own >= (own.iloc[-1] + chance) / 2][0]
        right = np.nan if meant is None else meant[model].set_index("step")[kind].iloc[-1]
        rows.append((what, own.iloc[0], own.iloc[-1], half, right))
    columns = ["what", "A at first", "A at the end", "step at half of the way", "on the word that is meant"]
    return pd.DataFrame(rows, columns=columns)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """`agreed` for a reader: whole steps, and no column of nothing."""
    steps = table["step at half of the way"].map(lambda step: "–" if np.isnan(step) else f"{step:.0f}")
    return table.assign(**{"step at half of the way": steps}).dropna(axis=1, how="all")


def _end(table: pd.DataFrame, what: str, column: str = "A at the end") -> float:
    return table.set_index("what").loc[what, column]


def in_short(real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, heads: pd.DataFrame) -> list[str]:
    """The chapter's answer. real: `carried`'s; meant: `told`'s; heads: `of_heads`'s."""
    said = []
    if meant is not None:
        right = meant["base"]["attention"].iloc[-1]
        flat = meant["uniform"]["relevance"].iloc[-1]
        said.append(
            f"In a made language attention ends on the word that is meant for {right:.0%} of the words. A "
            "model "
            "that may never attend knows where that is, too: its relevance is largest there for "
            f"{flat:.0%}."
        )
    if not real.empty:
        said.append(f"{on_real_sentences(real)}.")
    if len(heads):
        said.append(one_lucky_head(heads))
    return said


def on_real_sentences(real: pd.DataFrame) -> str:
    """How well uniform training's relevance agrees with attention on Multi30k: the figure's finding."""
    top = real.iloc[:, -1]
    names = ["top_attention other seed", "top_relevance uniform"]
    seed, flat = top[names] - top["chance"]
    return (
        "On real sentences (Multi30k, one pair of models of each kind) the relevance of uniform training "
        "agrees "
        f"with the finished attention {flat / seed:.0%} as well as another seed's attention does, counted "
        "from chance"
    )


def learnt(translator: Translations) -> str:
    """What the models were trained on and looked at with."""
    p, pieces = translator.params, len(translator.learnt)
    times = "once" if p.epochs == 1 else f"{p.epochs} times"
    return (
        f"Trained on {len(translator.pairs['train']):,} pairs, {times}; looked at: "
        f"{len(translator.watched)} other "
        f"pairs. {pieces:,} {'words' if p.cut == 'word' else 'word pieces'} and marks."
    )


def examples(translator: Translations) -> pd.DataFrame:
    """The first three pairs."""
    return pd.DataFrame(translator.pairs["train"][:3], columns=["German", "English"])


def finding(table: pd.DataFrame) -> str:
    """What agrees with the finished attention at the end: the figure's finding. table: `agreed`'s."""
    seed = _end(table, "attention, another seed")
    same, flat = (_end(table, f"relevance, {whose}") for whose in ("the same model", "uniform training"))
    return (
        f"At the end another seed's attention agrees with this one's for {seed:.0%} of the words, its own "
        f"relevance for {same:.0%}, uniform training's for {flat:.0%}"
    )


def which_first(table: pd.DataFrame, learning: pd.DataFrame) -> str:
    """Whether the other seed's relevance or attention is half of the way first."""
    r, a = (
        _end(table, f"{kind}, another seed", "step at half of the way") for kind in ("relevance", "attention")
    )
    if np.isnan([r, a]).any():
        return "One of the two never gets beyond chance, so neither is first."
    way = "before" if r < a else "after" if r > a else "at the same look as"
    apart = learning["step"].drop_duplicates().sort_values().diff().iloc[1]
    return (
        f"The other seed's relevance is half of the way at step {r:.0f}, {way} its attention (step "
        f"{a:.0f}). The first "
        f"looks are {apart:.0f} steps apart; what happens between two of them isn't told apart."
    )


def dictionary(translator: Translations, most: int = 10) -> pd.DataFrame:
    """Of the commonest words the source words that uniform training's relevance, and attention, put first."""
    known = translator.watched, translator.learnt
    tables = {
        "linear relevance, uniform training": translation.dictionary(
            translator.beside["uniform"].table("looks"), *known
        ),
        "attention": translation.dictionary(translator.table("looks"), *known, "attention"),
    }
    often = {word: sum(found.values()) for word, found in tables["attention"].items()}
    words = [word for word in often if word.startswith("▁") and len(word) > 3]
    chosen = sorted(words, key=lambda word: (-often[word], word))[:most]
    columns = {"target": [word.strip("▁") for word in chosen]}
    for name, found in tables.items():
        columns[name] = [
            ", ".join(f"{source.strip('▁')} ({count})" for source, count in found[word].most_common(3))
            for word in chosen
        ]
    return pd.DataFrame(columns)


YOURS = {
    "made-de-en": ("der kleine hund ein rote ball sucht", "the small dog seeks a red ball"),
    "multi30k": ("Ein kleiner Hund läuft über die Wiese.", ""),
}


def translated(text: str, written: str, meant: str) -> str:
    """What became of a sentence; meant: what it means, if it is known."""
    said = f"“{inert(text)}” becomes “{inert(written)}”"
    if not meant:
        return f"{said}."
    return f"{said}: {'what it means' if written == meant else f'not what it means, “{inert(meant)}”'}."


def beside(real: pd.DataFrame) -> pd.DataFrame:
    """Multi30k: what the authors recorded, and what is carried."""
    recorded = pd.read_csv(paths.DATA / "published" / "snell_translation.csv")
    table = recorded[["measure", "what", "value"]].rename(columns={"value": "recorded"})
    table = pd.concat([table, pd.DataFrame(MORE.items(), columns=["measure", "what"])], ignore_index=True)
    for profile in real:
        table[f"ours, {profile}"] = table["measure"].map(real[profile])
    for name in table.columns[2:]:
        table[name] = table[name].map(lambda value: "–" if np.isnan(value) else f"{value:.3g}")
    return table.drop(columns="measure")


# Several heads


def of_heads() -> pd.DataFrame:
    """Of each kind of heads the share that learns with its interval, and how many there are; carried ones."""
    rows = verdict.plain(verdict.committed()).query("corpus == 'copy-permutations' and profile == 'heads'")
    rows = rows[rows["measure"].str.startswith("success, ")]
    rows = rows.assign(what=rows["measure"].str.removeprefix("success, "), setting="heads")
    rows = rows.rename(columns={"mean": "success"}).set_index("what").reindex(KINDS_OF_HEADS)
    return rows[["success", "low", "high", "n", "setting"]].dropna().reset_index()


def sorts_of_heads() -> str:
    """How many single heads are good, bad or neither."""
    rows = verdict.plain(verdict.committed()).query("corpus == 'copy-permutations' and profile == 'heads'")
    rows = rows[rows["measure"].str.startswith("single, ")]
    kinds = [f"{row.mean * row.n:.0f} {row.measure.removeprefix('single, ')}" for row in rows.itertuples()]
    return f"Of {rows['n'].iloc[0]:.0f} single heads: {listed(kinds)}." if kinds else ""


def one_lucky_head(heads: pd.DataFrame) -> str:
    """Whether one good head among bad ones is better than bad ones alone. heads: `of_heads`'s, all kinds."""
    bad, lucky = (heads.set_index("what").loc[kind] for kind in KINDS_OF_HEADS[1:3])
    said = "the intervals overlap: that one lucky head is enough isn't shown"
    if lucky["low"] > bad["high"]:
        said = "the intervals don't overlap: one lucky head helps"
    return (
        f"Of models with one good head and seven bad ones {lucky['success']:.0%} learn to copy, with eight "
        "bad "
        f"ones {bad['success']:.0%} ({counted(int(bad['n']), 'model')} of each); {said}."
    )


def answer(real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None) -> list[str]:
    """The chapter's question, answered. real: `carried`'s; meant: `told`'s."""
    said = []
    if meant is not None:
        right = meant["base"]["attention"].iloc[-1]
        said.append(f"In the friendly made language it does, for {right:.0%} of the words.")
    if not real.empty:
        top = real.iloc[:, -1]
        said.append(
            "In real sentences nobody says which word is meant. Two models that differ in their seed agree "
            "on the "
            f"place for {top['top_attention other seed']:.0%} of the words, by chance {top['chance']:.0%}."
        )
    return said


def found(translator: Translations, table: pd.DataFrame, chance: float) -> pd.DataFrame:
    """The table at the chapter's foot."""
    ends = table.set_index("what")["A at the end"]
    rows = [(f"A of attention with {what}", value) for what, value in ends.items()]
    rows.append(("A by chance", chance))
    summary = translator.table("summary_translated").set_index("measure")["mean"]
    rows += [("BLEU", summary["bleu"]), ("words right, told those before", summary["token_accuracy"])]
    return pd.DataFrame(rows, columns=["what", "found"])
