"""Chapter 09b: what a translator's attention comes to, and what several heads do, in sentences and tables."""

from collections import Counter

import numpy as np
import pandas as pd
from safetensors.torch import load_file

from heed import paths, verdict
from heed.experiments import translation
from heed.experiments.copying import share_of
from heed.experiments.translation import Translations
from heed.measures import relevance
from heed.measures.stats import t_interval
from heed.show.figures import numbers
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, signed
from heed.show.strip import TokenStrip

# What is held against the finished attention: whose, which of `translation.KINDS`, and how it is called.
HELD = (
    ("base", "attention", "attention, the first model"),
    ("other seed", "attention", "attention, another seed"),
    ("other seed", "relevance", "relevance, another seed"),
    ("base", "relevance", "relevance, the first model"),
    ("uniform", "relevance", "relevance, attention held even"),
    ("uniform", "linear", "linear relevance, attention held even"),
)
# The table of Multi30k, in its order: measures, how they are called there, and their digits.
REAL = {
    "bleu": ("BLEU (theirs: validation; ours: test)", 1),
    "token_accuracy": ("word pieces predicted correctly", 3),
    "top_attention other seed": ("A of attention with: another seed's attention", 3),
    "top_relevance base": ("… the first model's relevance", 3),
    "top_relevance other seed": ("… another seed's relevance", 3),
    "top_linear other seed": ("… another seed's linear relevance", 3),
    "top_relevance uniform": ("… relevance, attention held even", 3),
    "top_linear uniform": ("… linear relevance, attention held even", 3),
    "chance": ("… a random ranking", 3),
}
KINDS_OF_HEADS = {
    "single": "single head",
    "8 bad": "8 bad heads",
    "1 good, 7 bad": "1 good, 7 bad",
    "8 at random": "8 at random",
}


def carried() -> pd.DataFrame:
    """The carried numbers of Multi30k: a row a measure, a column a profile; the longest training last.

    The row `sentences` says of how many sentences A is; `top_relevance base` and the last step's, `end_…`,
    are of what is drawn of the run.
    """
    rows = verdict.plain(verdict.committed()).query("corpus == 'multi30k'")
    table = rows.pivot_table(index="measure", columns="profile", values="mean")
    table = table[[name for name in ("short", "paper") if name in table]]
    table.loc["sentences"] = rows[rows["measure"] == "chance"].groupby("profile")["n"].max()
    for profile in table:
        own = numbers_drawn(profile)
        if own is not None:
            table.loc["top_relevance base", profile] = own["agreement", "base", "relevance"].max()
            for (_, model, quantity), values in own.items():
                if quantity in ("attention", "relevance", "accuracy"):
                    table.loc[f"end_{quantity} {model}", profile] = values[-1]
    return table


def numbers_drawn(profile: str) -> numbers.Numbers | None:
    """The numbers of the figure of Multi30k that the project carries; None if it carries none."""
    path = paths.DATA / "results" / "figures" / f"translation-{profile}.csv"
    return numbers.read(path) if path.exists() else None


def told(translator: Translations) -> dict[str, pd.DataFrame] | None:
    """How often each model's rankings are largest on the word that is meant; None where nobody says which."""
    if not _is_told(translator):
        return None
    looks = {name: one.table("looks") for name, one in translator.beside.items()}
    known = translator.watched, translator.learnt
    return {name: translation.meant(table, *known) for name, table in looks.items()}


def _is_told(translator: Translations) -> bool:
    """Whether it is known which word is meant: of fragments of words nobody says it."""
    return translator.params.corpus == "made-de-en" and translator.params.cut == "word"


def meant_by_chance(translator: Translations) -> float:
    """How often a random source place is that of the word that is meant, where it is known which that is."""
    found = []
    for source, target in translator.watched:
        places = translation.places_meant(source, target, translator.learnt)
        found += [len(own) / len(source) for own in places]
    return float(np.mean(found))


def leads(translator: Translations) -> pd.DataFrame | None:
    """By how many words relevance is ahead of attention at the first look after the beginning.

    A row for each of two seeds, by name: step, sentences, words, how many of them `relevance` and `attention`
    are highest on the word that is meant for, and their difference, `more`, with its 95% interval: Student's
    over sentences, each of which has both. `until`: the last look up to which relevance is ahead at each
    after the beginning; 0 if it isn't at the first. `peak`, `even`: a word's largest attention weight on
    average, and what it would be if attention were even. None where nobody says what is meant, or there is
    but one look or one sentence.
    """
    if not _is_told(translator) or len(translator.watched) < 2:
        return None
    rows = {}
    for name in ("base", "other seed"):
        looks = translator.beside[name].table("looks")
        found = translation.words_meant(looks, translator.watched, translator.learnt)
        steps = sorted(found["step"].unique())
        if len(steps) < 2:
            return None
        first = found[found["step"] == steps[1]]
        of_sentences = first.groupby("pair")[["relevance", "attention"]].sum().astype(int)
        many = len(of_sentences)
        more = t_interval(of_sentences["relevance"] - of_sentences["attention"])
        rows[name] = {"step": steps[1], "sentences": many, "words": len(first)}
        rows[name] |= of_sentences.sum().to_dict()
        rows[name] |= {key: many * value for key, value in zip(("more", "low", "high"), more, strict=True)}
        by_step = found.groupby("step")[["relevance", "attention"]].sum()
        ahead = (by_step["relevance"] > by_step["attention"]).loc[steps[1] :]
        rows[name]["until"] = max(ahead[ahead.cummin()].index, default=0)
        weights = [w for one in looks.loc[looks["step"] == steps[1], "attention"] for w in one[:-1]]
        rows[name]["peak"] = np.mean([w.max() for w in weights])
        rows[name]["even"] = np.mean([1 / len(w) for w in weights])
    return pd.DataFrame(rows).T


def words_of_even(translator: Translations) -> pd.DataFrame | None:
    """Of each word watched, what the evenly attending model has learnt; None where nobody says what is meant.

    `relevance`: whether it is highest on the word that is meant; `right`: whether the right word is the
    likeliest with all attention there.
    """
    if not _is_told(translator):
        return None
    even, known = translator.beside["uniform"], (translator.watched, translator.learnt)
    model = translation.build(even.params, len(translator.learnt)).eval()
    model.load_state_dict(load_file(even.ensure("translator")))
    looks = even.table("looks")
    found = translation.words_meant(looks[looks["step"] == looks["step"].max()], *known)
    return found[["relevance"]].assign(right=translation.right_there(model, *known))


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


def agreed(learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None) -> pd.DataFrame:
    """Of each of HELD: A at first and at the end, and the share on the word meant.

    Of the finished attention itself there is no A, but a share.
    """
    rows = []
    for model, kind, what in HELD:
        own = learning[learning["model"] == model].sort_values("step")[kind]
        ends = (np.nan, np.nan) if (model, kind) == ("base", "attention") else (own.iloc[0], own.iloc[-1])
        right = np.nan if meant is None else meant[model].sort_values("step")[kind].iloc[-1]
        rows.append((what, *ends, right))
    columns = ["ranking", "A at first", "A at the end", "on the meant word"]
    table = pd.DataFrame(rows, columns=columns).dropna(axis=1, how="all")
    return table[table.drop(columns="ranking").notna().any(axis=1)].reset_index(drop=True)


def _end(table: pd.DataFrame, ranking: str, column: str = "A at the end") -> float:
    return table.set_index("ranking").loc[ranking, column]


def of_words(share: float, words: int) -> str:
    """A share of the words as a count, `all 105 words`, `98 of 105 words`."""
    count = round(share * words)
    return f"all {words} words" if count == words else f"{count or 'none'} of {words} words"


def between(share: float, words: int) -> str:
    """Wilson's 95% interval of such a share: each word counts as a draw of its own."""
    low, high = share_of(np.arange(words) < round(share * words))[1:]
    return f"{low:.0%} to {high:.0%}"


def at_the_end(real: pd.DataFrame) -> pd.Series | None:
    """The numbers of Multi30k of the longest training, if there are those of its last step.

    real: `carried`'s.
    """
    if real.empty or pd.isna(real.iloc[:, -1].get("end_attention other seed", np.nan)):
        return None
    return real.iloc[:, -1]


AGREEING = (
    "the first model's top source piece is also the other's (in long sentences: among its top two or three)"
)


def in_short(
    real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, words: int, leads: pd.DataFrame | None
) -> list[str]:
    """The chapter's answer. real: `carried`'s; meant: `told`'s; of so many words; leads: `leads`'s."""
    said, end = [], at_the_end(real)
    if meant is not None:
        right = meant["base"]["attention"].iloc[-1]
        flat = meant["uniform"]["relevance"].iloc[-1]
        said.append(
            "In made-up German we know which word each English word translates. Attention ends on it for "
            f"{of_words(right, words)}."
        )
        said.append(
            "Relevance is how likely the right word is with all attention on one source word. In a model "
            "held to attend evenly, relevance is highest on the word that is meant for "
            f"{of_words(flat, words)}."
        )
    if leads is not None:
        said.append(authors_order(leads))
    if end is not None:
        said.append(
            "In our real sentences we don't know that word. Two seeds agree where to look for "
            f"{end['end_attention other seed']:.0%} of the word pieces and end marks: "
            f"{AGREEING}."
        )
        if end["end_attention other seed"] < 0.9:
            said[-1] += " So in this pair it depends partly on the seed."
        said.append(
            "Relevance under even attention agrees with the usual model's attention for "
            f"{end['end_relevance uniform']:.0%} (chance: {end['chance']:.0%})."
        )
    return said


def on_real_sentences(end: pd.Series) -> str:
    """What agrees with the finished attention on Multi30k: the figure's finding. end: `at_the_end`'s."""
    return f"Two seeds agree where to look for {end['end_attention other seed']:.0%} of the pieces"


def scope(end: pd.Series) -> str:
    """The caption of the figure of Multi30k: what is counted, and of how many sentences."""
    return (
        f"*On {end['sentences']:.0f} sentences, while one pair of models trains; end marks count as pieces. "
        f"It counts as agreement if {AGREEING}. Long is over 20 pieces, as about a third are.*"
    )


def equally_good(end: pd.Series) -> str:
    """How well the models of Multi30k predict, beside how often two of them agree."""
    base, other, flat = (f"{end[f'end_accuracy {model}']:.0%}" for model in ("base", "other seed", "uniform"))
    seeds = f"each seed predicts {base}" if base == other else f"the two seeds predict {base} and {other}"
    apart = f"{1 - end['end_attention other seed']:.0%}"
    return (
        f"Given the right pieces so far, {seeds} of the next ones, and the model with even attention {flat}. "
        f"{'Yet' if base == other else 'And'} for {apart} of all pieces the two seeds don't agree where to "
        "look."
    )


def both_languages(end: pd.Series, meant: dict[str, pd.DataFrame] | None, words: int) -> str:
    """What even attention's relevance tells of attention in the made language and in real sentences."""
    flat, seed = end["end_relevance uniform"], end["end_attention other seed"]
    said = ""
    if meant is not None:
        made = meant["uniform"]["relevance"].iloc[-1]
        said = (
            "In the made language relevance under even attention was on the word that is meant for "
            f"{made:.0%} of the words. "
        )
    less = flat < seed
    said += (
        "Here we can only ask whether it points where the usual model's attention ends. It does for "
        f"{flat:.0%}, {'less' if less else 'no less'} often than another seed's attention."
    )
    return f"{said} The reasons aren't tested." if less else said


def on_the_way(drawn: numbers.Numbers) -> str:
    """Whether relevance is ahead on Multi30k, too; empty if it is at the end. drawn: `numbers_drawn`'s."""
    steps = numbers.series(drawn, ("agreement", "other seed", "step"))
    seed, own = (
        numbers.series(drawn, ("agreement", *line), len(steps))
        for line in (("other seed", "attention"), ("base", "relevance"))
    )
    behind = np.flatnonzero(own >= seed)
    since = behind[-1] + 1 if len(behind) else 0
    if since == len(steps):
        return ""
    return (
        f"Is relevance ahead on the way, as the authors say? From step {steps[since]:,.0f} on another seed's "
        "attention agrees more often than the first model's own relevance. So this figure doesn't show their "
        f"order. It doesn't refute it, either: even at the end that relevance agrees for only {own[-1]:.0%}, "
        "so to agree less early on needn't mean to have learnt less."
    )


def on_meant(meant: dict[str, pd.DataFrame], words: int) -> str:
    """The finding of the figure of the word that is meant."""
    right = meant["base"]["attention"].iloc[-1]
    return f"Attention ends on the word that is meant for {of_words(right, words)}"


def how_to_read() -> str:
    """What the figure of the word that is meant draws."""
    return (
        "*How often each is highest on the German word that is meant, while three models train: two that "
        "differ in the seed, and one whose attention is held even throughout ([uniform "
        "training](glossary.md#uniform-training)). [Relevance](glossary.md#relevance): how likely the right "
        "word is if all attention is on one German word.*"
    )


def learnt(translator: Translations) -> str:
    """What the models were trained on and looked at with."""
    what = "words" if translator.params.cut == "word" else "word pieces"
    return (
        f"Each model is trained on {len(translator.pairs['train']):,} pairs, and examined on "
        f"{len(translator.watched)} others, with {words_watched(translator):,} English {what}."
    )


def examples(translator: Translations) -> pd.DataFrame:
    """The first three pairs."""
    return pd.DataFrame(translator.pairs["train"][:3], columns=["German", "English"])


def finding(table: pd.DataFrame, translator: Translations) -> str:
    """What agrees with the finished attention at the end: the figure's finding. table: `agreed`'s."""
    seed = _end(table, "attention, another seed")
    words, sentences = words_watched(translator), len(translator.watched)
    bare = round(without_end_marks(translator) * words)
    ends = round(seed * (words + sentences)) - bare
    return (
        f"Two seeds' attentions agree for {of_words(bare / words, words)} and {ends or 'none'} of "
        f"{counted(sentences, 'end mark')}"
    )


def at_end_marks(translator: Translations) -> str:
    """Where two seeds' attention is while the end mark is written: on what most often, and how often."""
    told = []
    for name, looks_at in (("base", "the first model then looks at"), ("other seed", "the other seed at")):
        looks = translator.beside[name].table("looks")
        tops = Counter()
        for one in looks[looks["step"] == looks["step"].max()].itertuples():
            source = translator.learnt.words(translator.watched[one.pair][0].tolist())
            tops[source[int(np.argmax(one.attention[-1]))]] += 1
        (top, count), *_ = tops.most_common(1)
        told.append(f"{looks_at} “{tokens([top.removeprefix('▁')])}” ({count} of {tops.total()})")
    return f"A also counts the end mark of each sentence, for which no word is meant: {listed(told)}."


def authors_order(leads: pd.DataFrame) -> str:
    """Whether relevance is clearly ahead of attention in both seeds, in one or in neither, and whether
    attention is even then. leads: `leads`'s.

    Clearly: the 95% interval of the difference is above 0.
    """
    ordered = leads.sort_values("low", ascending=False)
    one, other = (f"{lead.relevance:.0f} to {lead.attention:.0f}" for lead in ordered.itertuples())
    said = f"At step {ordered['step'].iloc[0]:.0f} relevance is clearly ahead of attention"
    clear = (ordered["low"] > 0).sum()
    if clear == 2:
        late = "" if still_even(leads) else ", though attention isn't even any more then"
        return f"{said} in both of two seeds ({one} words; {other}). This fits the authors' order{late}."
    if clear == 1:
        return (
            f"{said} in one seed ({one} words) but not in the other ({other}), which doesn't settle the "
            "authors' order."
        )
    return f"{said} in neither seed ({one} words; {other}), so this doesn't bear out the authors' order."


def came_first(leads: pd.DataFrame) -> str:
    """The same in a sentence without numbers. leads: `leads`'s."""
    clear = (leads["low"] > 0).sum()
    if clear == 2:
        return (
            "In both seeds relevance was clearly ahead of attention early on, which fits the authors' order."
        )
    which = "In one seed only was" if clear == 1 else "In neither seed was"
    return f"{which} relevance clearly ahead of attention early on."


UNEVEN = 1.5  # times an even weight: with more on a word's top place attention isn't even


def still_even(leads: pd.DataFrame) -> bool:
    """Whether attention is about even in both seeds. leads: `leads`'s."""
    return bool((leads["peak"] <= UNEVEN * leads["even"]).all())


def ahead(leads: pd.DataFrame | None) -> str:
    """Whether relevance finds the word that is meant before attention does, and whether attention is even
    then; empty without `leads`.
    """
    if leads is None:
        return ""
    differences, intervals = [], []
    for lead in leads.itertuples():
        differences.append(f"{abs(lead.more):.0f} {'fewer' if lead.more < 0 else 'more'}")
        intervals.append(f"{signed(lead.low, 'z.0f')} to {signed(lead.high, 'z.0f')}")
    first, other = leads.iloc[0], leads.iloc[1]
    said = (
        f"The first look after the beginning is at step {first['step']:.0f}. There relevance is highest on "
        f"the word that is meant for {differences[0]} words than attention in the first model, and for "
        f"{differences[1]} in the other seed (95% intervals of the difference, over "
        f"{first['sentences']:.0f} sentences: {listed(intervals)})."
    )
    until = leads["until"].min()
    if until > first["step"]:
        said += f" It is ahead in both seeds at each look up to step {until:.0f}."
    even = "Nearly" if still_even(leads) else "No"
    return (
        f"{said} Is attention still even at step {first['step']:.0f}? {even}: a word's top place has "
        f"{first['peak']:.0%} of its attention in the first model, and {other['peak']:.0%} in the other seed "
        f"(evenly: {first['even']:.0%}). It is the place of the word that is meant for "
        f"{first['attention']:.0f} and {other['attention']:.0f} of the {first['words']:.0f} words."
    )


def dictionary(translator: Translations, most: int = 8) -> pd.DataFrame:
    """Of the commonest words the source words that uniform training's relevance, and attention, put first."""
    known = translator.watched, translator.learnt
    tables = {
        "highest relevance (attention held even)": translation.dictionary(
            translator.beside["uniform"].table("looks"), *known, "relevance"
        ),
        "most attention (usual training)": translation.dictionary(
            translator.table("looks"), *known, "attention"
        ),
    }
    often = {word: sum(found.values()) for word, found in tables["most attention (usual training)"].items()}
    words = [word for word in often if word.startswith("▁") and len(word) > 3]
    chosen = sorted(words, key=lambda word: (-often[word], word))[:most]
    columns = {"English": [word.strip("▁") for word in chosen]}
    for name, found in tables.items():
        columns[name] = [
            ", ".join(f"{source.strip('▁')} ({count})" for source, count in found[word].most_common(3))
            for word in chosen
        ]
    return pd.DataFrame(columns)


def company(
    meant: dict[str, pd.DataFrame] | None, of_even: pd.DataFrame | None, learning: pd.DataFrame
) -> str:
    """How often the two rankings of `dictionary` miss the word that is meant, and what would be written.

    Empty if nobody says which is meant. of_even: `words_of_even`'s; learning: `translation.learning`'s.
    """
    if meant is None or of_even is None:
        return ""
    words, missed = len(of_even), of_even[~of_even["relevance"]]
    own = round((1 - meant["base"]["attention"].iloc[-1]) * words)
    misses = f"misses it for {own}" if own else "never does" if len(missed) else "doesn't, either"
    said = (
        f"With attention held even, relevance misses the word that is meant for {len(missed) or 'none'} of "
        f"the {words} words, learnt attention {misses}. With all attention on the word that is meant, the "
        f"right word is the even model's likeliest for {of_words(of_even['right'].mean(), words)}"
    )
    if len(missed):
        said += (
            f", among them {missed['right'].sum() or 'none'} of those that relevance misses. For these "
            "another place makes it likelier still; why isn't tested"
        )
    accuracy = learning.sort_values("step").groupby("model")["accuracy"].last()
    said += (
        f". As it was trained, attending evenly, this model predicts {accuracy['uniform']:.0%} of the next "
        f"words and end marks (the usual model: {accuracy['base']:.0%})."
    )
    if of_even["right"].mean() > 0.5:
        said += " So this model learnt most of its words without choosing where to look."
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


def half_moved(strip: TokenStrip) -> list[np.ndarray]:
    """Its attention with half of the top word's weight on each other; that which hurts most first."""
    row, top = strip.row, int(np.argmax(strip.row.attention))
    found = []
    for t in np.flatnonzero(row.real & (np.arange(len(row.units)) != top)):
        there = np.array(row.attention, float)
        there[top] /= 2
        there[t] += there[top]
        found.append(there)
    return sorted(found, key=lambda there: row.probs(there)[row.shown])


def of_half_away(strip: TokenStrip) -> str:
    """What the strip says of the first and the last of `half_moved`."""
    row, (worst, *_, mildest) = strip.row, half_moved(strip) * 2  # of one place both are the same
    top = int(np.argmax(row.attention))
    to, least = (
        f"“{tokens([row.units[int(np.argmax(there - row.attention))]])}”" for there in (worst, mildest)
    )
    before, after, kept = (row.probs(there)[row.shown] for there in (row.attention, worst, mildest))
    written, decides, stays = (np.argmax(row.probs(there)) for there in (row.attention, worst, mildest))
    needed = becomes = ""
    if decides != written:
        becomes = f", and “{inert(strip.classes[decides])}” is likeliest"
        needed = " So the weight decides what is written."
        if stays == written:
            needed = " So weight can decide what is written. Why it depends on where it goes isn't tested."
    said = (
        f"Half of the weight of “{tokens([row.units[top]])}” has been moved to {to}, where that hurts most: "
        f"P({inert(strip.classes[row.shown])}) goes from {before:.2f} to {after:.2f}{becomes}."
    )
    if to != least:
        said += f" Moved to {least}, where it hurts least, it would be {kept:.2f}."
    return f"{said}{needed}"


def classes_of(strip: TokenStrip, translator: Translations) -> str:
    """Among which of the vocabulary's entries a strip's probabilities are shares; empty if among all."""
    many, every = len(strip.classes), len(translator.learnt)
    if many == every:
        return ""
    return f"The strip's probabilities are shares among the {many} likeliest of {every:,} entries."


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
    return heads.assign(what=heads["what"].map(KINDS_OF_HEADS) + " (" + counts + " " + of + ")")


def more_heads(heads: pd.DataFrame) -> str:
    """What eight heads do beside one: the figure's finding. heads: `of_heads`'s, all kinds."""
    bad, lucky, drawn = (heads.set_index("what").loc[kind, "success"] for kind in [*KINDS_OF_HEADS][1:])
    return f"{bad:.0%} learn with eight bad heads, {lucky:.0%} with a good one, {drawn:.0%} with random heads"


def one_lucky_head(heads: pd.DataFrame) -> str:
    """Whether one good head among bad ones is enough, and whether it helps. heads: `of_heads`'s, all kinds.

    If it were enough, models with one would learn as often as those of eight drawn at random. That they don't
    isn't proof of the contrary: of eight heads several may be good, and a good one might fail another time.
    """
    bad, lucky, drawn = (heads.set_index("what").loc[kind] for kind in [*KINDS_OF_HEADS][1:])
    said = (
        "If one good head were enough, nearly all models with one would learn. Of those with one among seven "
        f"bad heads {_learn(lucky)} do, of eight heads drawn at random {_learn(drawn)}. "
    )
    if lucky["high"] < drawn["low"]:
        said += "So one lucky head isn't shown to be enough; of heads drawn at random several may be good."
    else:
        said += "The intervals overlap, so one lucky head may be enough."
    said += f" Does one help? Of eight bad heads {_learn(bad)} learn: "
    if lucky["low"] > bad["high"]:
        return f"{said}clearly fewer than with a good one, so it does."
    return f"{said}not clearly fewer than with a good one, so that isn't shown, either."


def _learn(kind: pd.Series) -> str:
    """`84% (71% to 92%)`."""
    return f"{kind['success']:.0%} ({kind['low']:.0%} to {kind['high']:.0%})"


def answer(
    real: pd.DataFrame, meant: dict[str, pd.DataFrame] | None, words: int, leads: pd.DataFrame | None
) -> list[str]:
    """The chapter's question, answered. real: `carried`'s; meant: `told`'s; of so many words; `leads`'s."""
    said, end = [], at_the_end(real)
    if meant is not None:
        right, other, flat = (
            meant[name][kind].iloc[-1]
            for name, kind in (("base", "attention"), ("other seed", "attention"), ("uniform", "relevance"))
        )
        same = round(right * words) == round(other * words)
        seeds = "with either of two seeds" if same else f"with another seed for {of_words(other, words)}"
        said.append(
            f"In the friendly made language it does for {of_words(right, words)}, {seeds}. In a model "
            f"that never chose where to look, relevance is highest on it for {of_words(flat, words)}."
        )
    if leads is not None:
        said.append(came_first(leads))
    if end is not None:
        seed = end["end_attention other seed"]
        part = ", so in this pair where attention points depends in part on the seed" if seed < 0.9 else ""
        said.append(
            f"On our real sentences it isn't known. Two seeds agree where to look for {seed:.0%} of the word "
            f"pieces and end marks{part}."
        )
    return said


def intervals(meant: dict[str, pd.DataFrame] | None, words: int, sentences: int) -> str:
    """How sure the shares on the word that is meant are; empty if nobody says which it is."""
    if meant is None:
        return ""
    right, flat = meant["base"]["attention"].iloc[-1], meant["uniform"]["relevance"].iloc[-1]
    return (
        f"As if the words of {counted(sentences, 'sentence')} were drawn one by one, the 95% interval of the "
        f"share on the meant word is {between(right, words)} for attention and {between(flat, words)} for "
        "relevance with attention held even."
    )


def found(translator: Translations, chance: float) -> pd.DataFrame:
    """The table at the chapter's foot."""
    summary = translator.table("summary_translated").set_index("measure")["mean"]
    rows = [
        ("A of a random ranking", chance),
        ("BLEU", summary["bleu"]),
        ("words predicted correctly, given those before", summary["token_accuracy"]),
    ]
    return pd.DataFrame(rows, columns=["what", "found"])
