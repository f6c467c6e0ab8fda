"""Chapter 01: how well a model predicts and what it attends to, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.corpora import planted
from heed.corpora.loading import Corpus
from heed.evidence import Evidence, Row
from heed.measures import stats
from heed.models.encoders import encoder_called
from heed.registry import corpora
from heed.show import not_not, ours, texts
from heed.show.figures.train import PROTOCOLS, spelt
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, model_named, over_seeds
from heed.show.style import LABELS
from heed.show.words import text_for

OFTEN = 20  # times that a word occurs in the test texts for its attention to be told
SHOWN = 12  # words of a figure
THEIRS = "Jain & Wallace"
GUESSED = "guessing"  # a column: the score of a constant answer
MANY = 8  # labels of a table
APART = 0.03  # from this difference of two scores on it is asked why
SEVERAL = 3  # seeds that an interval is asked of
HARDLY = 0.05  # below this loss of F1 a model hardly needs what it lost
NOTHING = 0.05  # below this multiple of an even share a word gets almost no attention
# What is known of why a score differs from Jain & Wallace's; chapter 12b, "Why ours differ", has more.
WHY = {
    "20news": "in part it may be the word vectors (see below); the rest isn't explained",
    "babi2": "not explained; the mean length that they give for these stories doesn't fit the public files "
    "either, so their texts may not be the same",
    "imdb": "they use a preprocessed copy of the reviews, and this library the raw reviews",
}


def scores_of(run) -> dict[str, float]:
    """The test scores by the names that a reader sees, of those that there are."""
    found, names = run.info()["scores"]["test"], texts.scores(run.corpus)
    return {names[key]: found[key] for key in names if key in found}


def undefined_scores(run) -> str:
    """Which scores these texts have none of; empty if they have all."""
    found, names = run.info()["scores"]["test"], texts.scores(run.corpus)
    missing = [name for key, name in names.items() if key not in found]
    if not missing or run.corpus.task == "qa":
        return ""
    return f"These texts leave undefined: {inert(', '.join(missing))}."


def in_short(
    run,
    evidence: Evidence,
    peaks: pd.DataFrame,
    words: pd.DataFrame,
    all_of: pd.DataFrame,
) -> list[str]:
    """The chapter's answer. peaks: `peaks_of`'s; words: `attended`'s; all_of: `beside_the_paper`'s."""
    score, shown = accuracy_of(run), inert(run.params.corpus)
    said = [
        f"{verdict_on(score, guessing(evidence), worst(all_of))} This run on {model_named(run)} gets "
        f"{score:.1%} of {counted(len(evidence))} right."
    ]
    said += filter(None, [beside_theirs(all_of), worst(all_of)])
    if len(known := peaks.dropna(subset=["mass"])):
        said.append(f"On {shown} {_lower(gets(known))} {against_truth(words)}".strip())
    elif len(peaks):
        said.append(f"On {shown} {_lower(spreads(peaks))}")
    if len(all_of) and len(found := peaks_on_real_text()):
        peak = found["peak"].sort_values()
        ends = peak.iloc[[0, -1]] if len(peak) > 1 else peak
        each = [f"{peak:.0%} ({name})" for name, peak in ends.items()]
        said.append(f"In stored runs a text's highest weight is {' to '.join(each)} on average.")
    return said


def _lower(sentence: str) -> str:
    """A sentence that goes on after its first words."""
    return sentence[:1].lower() + sentence[1:]


def on_real_text() -> list[str]:
    """What the carried models' attention is on, as far as is stored: marked words, facts, punctuation."""
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and encoder == 'bilstm' and attention == 'additive' and `class` == 'overall'"
    )
    of = rows.groupby(["measure", "corpus"])["mean"].mean()
    said = [*on_marked(), *filter(None, [on_facts()])]
    if not {"punctuation", "punctuation_units"} <= {*of.index.get_level_values(0)}:
        return said
    marks = of["punctuation_units"]
    marks = marks[marks > 0]
    on = of["punctuation"][marks.index]
    if len(marks) and (on < marks).all():
        parts = [f"{inert(name)} {on[name]:.0%} of the attention, {marks[name]:.0%} of the tokens"
                 for name in marks.index]  # fmt: skip
        where = "corpus" if len(marks) == 1 else f"{len(marks)} corpora"
        said.append(
            f"On the {where} for which this is stored punctuation gets less than its share "
            f"({'; '.join(parts)})."
        )
    return said


def shares_of_even(peak: pd.Series) -> pd.DataFrame:
    """The mean highest weights by corpus beside an even share of a text of the corpus's mean length.

    A row a corpus whose length is carried, by its name: peak, even, times; the most times first.
    """
    lengths = verdict.sizes().query("profile == 'paper'").drop_duplicates("corpus").set_index("corpus")
    even = 1 / lengths["mean_length"].astype(float).reindex(peak.index)
    found = pd.DataFrame({"peak": peak, "even": even, "times": peak / even}).dropna()
    return found.sort_values("times", ascending=False, kind="stable")


def peaks_on_real_text() -> pd.DataFrame:
    """`shares_of_even` of the carried BiLSTM's attention, profile `paper`, means over the seeds.

    Without models that only guess. A column `made` says of which corpora a rule makes the texts.
    """
    rows = verdict.plain(verdict.without_guessing(verdict.committed())).query(
        "profile == 'paper' and encoder == 'bilstm' and attention == 'additive' and `class` == 'overall' "
        "and measure == 'max_attention'"
    )
    found = shares_of_even(rows.groupby("corpus")["mean"].mean())
    return found.assign(made=[is_made(name) for name in found.index])


def is_made(corpus: str) -> bool:
    """Whether a rule makes a corpus's texts, heed's own or another's, by its entry in the registry."""
    return any(text.startswith("no natural language") for text in corpora().get(corpus, {}).get("wrong", ()))


def guessed_on() -> list[str]:
    """The corpora whose BiLSTM only guesses, and which are left out for that."""
    blind = verdict.guessing(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm'"
    )
    return sorted(blind["corpus"])


def most_uneven(found: pd.DataFrame) -> str:
    """The finding of the figure of the highest weights. found: `peaks_on_real_text`'s, a row at least."""
    ends = found["times"].iloc[[-1, 0]] if len(found) > 1 else found["times"]
    each = [f"{times:.{times < 10:d}f} ({name})" for name, times in ends.items()]
    return f"The word with most attention gets {' to '.join(each)} times an even share"


def what_is_drawn() -> str:
    """The caption of the figure of the highest weights."""
    blind = listed([inert(name) for name in guessed_on()] or [""])
    out = f" Left out, as the model there only guesses: {blind}." if blind else ""
    return (
        "*Mean over texts and seeds of a text's highest weight; an even share is that of a text of mean "
        f"length. Where a question is asked the words are the story's, on snli the first sentence's.{out}*"
    )


def on_marked() -> list[str]:
    """How much attention is on the words that people marked as reasons, a sentence a carried model."""
    rows = verdict.plain(verdict.committed()).query(
        "attention == 'additive' and `class` == 'overall' and profile == 'paper'"
    )
    marked = rows[rows["measure"].isin(["marked_share", "marked_mass_attention"])]
    wide = marked.pivot_table(index=["corpus", "encoder"], columns="measure", values="mean").reset_index()
    if not {"marked_share", "marked_mass_attention"} <= {*wide.columns}:
        return []
    said = []
    for row in wide.dropna().to_dict("records"):
        share, mass = row["marked_share"], row["marked_mass_attention"]
        hardly = "hardly more than their share" if 0 < mass - share < 0.1 * share else ""
        hardly = hardly or ("more than their share" if mass > share else "no more than their share")
        said.append(
            f"In film reviews (`{inert(row['corpus'])}`, chapter 11; {LABELS[row['encoder']]}) the words "
            f"that people marked as reasons are {share:.0%} of a text and get {mass:.0%} of the attention: "
            f"{hardly}."
        )
    return said


def on_facts() -> str:
    """How often the words of the facts that an answer needs get more of the BiLSTM's attention than others.

    Of carried runs that don't only guess; empty where there are none.
    """
    rows = verdict.plain(verdict.without_guessing(verdict.committed())).query(
        "attention == 'additive' and `class` == 'overall' and profile == 'paper' and encoder == 'bilstm'"
    )
    facts = rows[rows["measure"] == "auroc_attention"]
    facts = facts[facts["corpus"].isin([name for name, own in corpora().items() if own.get("task") == "qa"])]
    means = facts.groupby("corpus")["mean"].mean().sort_values(ascending=False)
    if means.empty:
        return ""
    each = listed([f"{mean:.2f} ({inert(name)})" for name, mean in means.items()])
    said = (
        "Where a question is asked about a story: how often does a word of a fact that the answer needs rank "
        "above another word in the BiLSTM's attention ([AUROC](glossary.md#auroc-of-the-truth))? "
        f"{each}; by chance it is 0.50."
    )
    times = peaks_on_real_text()["times"].reindex(means.index)
    right = rows[rows["measure"] == "accuracy"].groupby("corpus")["mean"].mean().reindex(means.index)
    elsewhere = times[(means < 0.55) & (times >= 10) & (right >= 0.5)]
    if len(elsewhere):
        said += (
            f" On {listed([*map(inert, elsewhere.index)])} attention is very peaked, and most answers are "
            "right; whether the peaks are on such words isn't stored."
        )
    return said


def gets(known: pd.DataFrame) -> str:
    """How much attention the deciding words get. known: rows of `peaks_of` that know them, one at least."""
    times = known["mass"].mean() / known["share"].mean()
    return f"The words known to decide get {times:.1f} times an even share of the attention."


def highest(peaks: pd.DataFrame, unit: str) -> str:
    """How often a deciding word or a mark has the highest weight; empty where neither is known."""
    marks = ""
    if len(peaks) and unit == "token":
        share = peaks["top_is_punctuation"].mean()
        marks = f"{share:.0%}" if share else "none"
    if len(known := peaks.dropna(subset=["mass"])):
        deciding = known["top_decides"].mean()
        often = f"{deciding:.0%}" if deciding else "none"
        return (
            f"One of the words known to decide has the highest weight in {often} of the texts (by chance: "
            f"{known['share'].mean():.0%}){f', and a punctuation mark in {marks}' if marks else ''}."
        )
    return f"A punctuation mark has the highest weight in {marks} of the texts." if marks else ""


def accuracy_of(run) -> float:
    """The share of the test texts that the model gets right."""
    return run.info()["scores"]["test"]["accuracy"]


def guessing(evidence: Evidence) -> float:
    """The accuracy of always guessing the most frequent class of the test texts."""
    return float(np.bincount(evidence.labels).max() / len(evidence))


def verdict_on(score: float, guessed: float, exceptions: str = "") -> str:
    """Whether a model predicts well: it makes at most half of the mistakes that guessing makes.

    exceptions: a sentence on models of other corpora that don't.
    """
    if score <= guessed:
        return "No."
    if 1 - score > (1 - guessed) / 2:
        return "Only somewhat."
    return "Some predict well." if exceptions else "Yes."


def beside_theirs(table: pd.DataFrame) -> str:
    """On how many corpora the BiLSTM scores as Jain & Wallace report, and where it doesn't.

    table: `beside_the_paper`'s; empty where they report no score.
    """
    told = table.dropna(subset=THEIRS)
    below = (told[THEIRS] - told["ours"]).to_numpy()
    low = below >= APART
    if told.empty:
        return ""
    where = f"{(~low).sum() or 'none'} of {counted(len(told), 'corpus', 'corpora')}"
    nearly = f", or nearly so (to {APART:g})" if ((below > 0) & ~low).any() else ""
    said = f"On {where} the stored BiLSTMs' scores reach those of Jain & Wallace (2019){nearly}"
    each = [f"by {by:.2f} on {inert(name)}" for name, by in zip(told["corpus"][low], below[low], strict=True)]
    return f"{said}; they are lower {listed(each)}." if each else f"{said}."


def predicts(run, evidence: Evidence) -> str:
    """The accuracy on the test texts, its interval, and what guessing would get."""
    right = (evidence.predicted == evidence.labels).astype(float)
    low, high = stats.interval(right, run.params.resamples, run.params.seed)
    return (
        f"This model gets {accuracy_of(run):.1%} of the {counted(len(evidence), 'test text')} right (95% "
        f"interval over texts: {low:.1%} to {high:.1%}). Always guessing the most frequent class would get "
        f"{guessing(evidence):.1%}."
    )


def needs_attention() -> str:
    """What carried models lose that weigh all words alike; empty where none is carried."""
    gained = not_not.with_and_without()
    if gained.empty:
        return ""
    several = gained[gained["seeds"] >= SEVERAL]
    above = int((several["low"] > 0).sum())
    hardly = "hardly" if gained["gain"].max() < HARDLY and not above else "somewhat"
    return (
        f"Does a model need attention to predict well? On real text {hardly}: chapter 07's models that weigh "
        f"all words alike lose {not_not.between(gained['gain'], 'z.3f')} of F1 on "
        f"{counted(len(gained), 'corpus', 'corpora')}. {len(several) or 'None'} of these "
        f"{'has' if len(several) == 1 else 'have'} {SEVERAL} seeds or more"
        + (f", and on {above or 'none'} of them the loss is beyond chance" if len(several) else "")
        + ". On stories it wasn't tried."
    )


def settings(run) -> str:
    """How the model is trained, in numbers."""
    p = run.params
    return (
        f"This run: learning rate {p.learning_rate:g}, {p.batch_size} texts a step, at most "
        f"{counted(p.epochs, 'epoch')}."
    )


def is_punctuation(unit: str) -> bool:
    """Whether a word has no letter and no digit."""
    return not any(letter.isalnum() for letter in unit)


def peaks_of(evidence: Evidence) -> pd.DataFrame:
    """How each text of several units spreads its attention: a row a text, by its place in evidence.

    peak: the highest weight; even: what each would have of uniform attention; entropy: as a share of its
    greatest. Where the deciding words are known: their share of the text, their mass of attention, whether
    the heaviest is one. NaN elsewhere.
    """
    found = {}
    for i, row in enumerate(evidence):
        if len(row.attention) < 2:
            continue
        a, n = row.attention, int(row.real.sum())
        top = int(a.argmax())
        own = {"peak": a[row.real].max(), "even": 1 / n}
        own["entropy"] = -(a * np.log(np.clip(a, 1e-300, 1))).sum() / np.log(len(a))
        own["top_is_punctuation"] = is_punctuation(row.units[top])
        known = row.truth is not None and bool(row.truth.any())
        own["share"] = row.truth[row.real].mean() if known else np.nan
        own["mass"] = a[row.truth].sum() if known else np.nan
        own["top_decides"] = float(row.truth[top]) if known else np.nan
        found[i] = own
    columns = ["peak", "even", "entropy", "top_is_punctuation", "share", "mass", "top_decides"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)


def spreads(peaks: pd.DataFrame) -> str:
    """How uneven attention is. peaks: of one text at least."""
    times = (peaks["peak"] / peaks["even"]).mean()
    return (
        f"Attention is {'uneven' if times > 1.5 else 'nearly even'}: the highest weight of a text is "
        f"{peaks['peak'].mean():.2f} on average; an even share would be {peaks['even'].mean():.2f}."
    )


def of_our_sentences(names: Sequence[str] = ("a-mess", "good")) -> str:
    """Where the model that is stored with our sentences has most attention in these of them."""
    said = []
    for one in (ours.kept()[name] for name in names):
        row = one.row()
        top = int(row.attention.argmax())
        said.append(
            f"in “{inert(one.ours.text)}” most attention, {row.attention[top]:.2f}, is on "
            f"“{tokens([row.units[top]])}”"
        )
    return f"But a BiLSTM for film reviews (SST) has read our own sentences: {listed(said)}."


def attended(evidence: Evidence) -> pd.DataFrame:
    """How much attention each frequent word gets, as a multiple of 1/T: a row a word, the most first.

    word, texts (how often it occurs in them), times (mean, with its 95 % interval over these places: low,
    high), decides (in how many of these places it decides the label; NaN where nobody knows). Empty where
    attention is of other units, or no word is frequent.
    """
    columns = ["word", "texts", "times", "low", "high", "decides"]
    if evidence.unit != "token":
        return pd.DataFrame(columns=columns)
    places: dict[str, list[tuple[float, float]]] = {}
    for row in evidence:
        if row.real.sum() < 2:
            continue
        for i in np.flatnonzero(row.real):
            decides = np.nan if row.truth is None else float(row.truth[i])
            places.setdefault(row.units[i], []).append((row.attention[i] * row.real.sum(), decides))
    found = []
    for word, own in places.items():
        if len(own) >= OFTEN:
            times, decides = np.transpose(own)
            ends = stats.t_interval(times, (0, np.inf))
            found.append((word, len(own), *ends, decides.mean()))
    table = pd.DataFrame(found, columns=columns)
    return table.sort_values("times", ascending=False, kind="stable", ignore_index=True)


def most_attended(words: pd.DataFrame) -> str:
    """The finding of the figure of words, as plain text. words: `attended`'s, of one at least."""
    shown = words.head(SHOWN)
    if shown["decides"].isna().all():
        top = shown.iloc[0]
        return (
            f"Most attention, {top['times']:.1f} times an even share on average, is on {_quoted(top['word'])}"
        )
    deciding, all_deciding = (int((own["decides"] > 0.5).sum()) for own in (shown, words))
    if len(words) <= len(shown):
        return f"Of {counted(len(words), 'frequent word')} {deciding or 'none'} {_decide(deciding)}"
    return (
        f"Of the {len(shown)} most attended words {deciding or 'none'} {_decide(deciding)}, of all "
        f"{len(words)} frequent words {all_deciding or 'none'}"
    )


def _decide(count: int) -> str:
    """What so many words do."""
    return "decides labels" if count < 2 else "decide labels"


def _quoted(word: str, markdown: bool = False) -> str:
    """A word in quotation marks, in a figure's title or a sentence; a full stop by its name."""
    if spelt(word) != word:
        return f"the {spelt(word)}"
    return f"“{tokens([word]) if markdown else text_for(word, 'figure')}”"


def hang_on_negators(evidence: Evidence) -> tuple[int, int, int]:
    """In how many texts of `planted` the label would be another without the negators; how many of these the
    model gets right, and how many if no attention is on the negators, the rest shared as before."""
    texts = right = without = 0
    for row in evidence:
        is_negator = np.isin(row.units, planted.NEGATORS)
        sums = planted.sums([*np.asarray(row.units)[~is_negator]], len(row.prediction))
        if sums[row.label] > np.delete(sums, row.label).max():
            continue
        attention = np.where(is_negator, 0, row.attention)
        texts += 1
        right += int(row.prediction.argmax() == row.label)
        without += int(row.probs(attention / max(attention.sum(), 1e-300)).argmax() == row.label)
    return texts, right, without


def _are_ignored(own: pd.DataFrame) -> bool:
    """Whether each of these words gets almost no attention. own: rows of `attended`."""
    return len(own) > 0 and bool((own["times"] < NOTHING).all())


def _carry(texts: int, without: int, encoder: str) -> bool:
    """Whether other words' states must hold the negators: without attention on them they still count."""
    return texts > 0 and without >= 0.9 * texts and encoder_called(encoder).contextual


def of_negators(evidence: Evidence, words: pd.DataFrame, p) -> str:
    """How much attention the negators of `planted` get, and what the model does without it.

    Empty of another corpus, and where none is frequent. words: `attended`'s; p: the run's parameters.
    """
    own = words[words["word"].isin(planted.NEGATORS)]
    if p.corpus != "planted" or own.empty:
        return ""
    names = listed([f"“{word}”" for word in own["word"]])
    if _are_ignored(own):
        got = f"less than {NOTHING:g} of an even share" + (" each" if len(own) > 1 else "")
    else:
        got = f"{listed([f'{times:.1f}' for times in own['times']])} times an even share"
    verb = "turns" if len(own) == 1 else "turn"
    gets_ = "gets" if len(own) == 1 else "get"
    said = (
        f"The negator{'s' if len(own) > 1 else ''} {names} {verb} an opinion word around and {gets_} {got}."
    )
    texts, right, without = hang_on_negators(evidence)
    if not texts:
        return said
    whose = "the one text whose label turns" if texts == 1 else f"the {texts} texts whose labels turn"
    said += (
        f" {'Yet the' if _are_ignored(own) else 'The'} model gets {right or 'none'} right of {whose} with "
        f"a negator, and {without or 'none'} if no attention is on negators."
    )
    return f"{said} So other words' states must hold them." if _carry(texts, without, p.encoder) else said


def against_truth(words: pd.DataFrame) -> str:
    """That a word which decides nothing gets much attention; else empty. words: `attended`'s."""
    idle = words.head(SHOWN).query("decides == 0 and times > 1")
    if idle.empty:
        return ""
    word, times = idle.iloc[0][["word", "times"]]
    return f"Yet {_quoted(word, markdown=True)}, which decides nothing, gets {times:.1f} times an even share."


def sizes(corpus: Corpus) -> pd.DataFrame:
    """How many texts there are, how long, and of which classes: a row a split."""
    told = () if corpus.task == "qa" else corpus.classes  # a question has many answers
    return pd.DataFrame(
        [
            {
                "split": name,
                "texts": len(split),
                "mean tokens": np.mean([len(words) for words in split.words]),
            }
            | {f"label {c}": int((split.labels == i).sum()) for i, c in enumerate(told)}
            for name, split in corpus.splits.items()
        ]
    )


def excluded(corpus: Corpus) -> list[str]:
    """Which texts are left out, and why."""
    return [
        f"Of {name}, {counted(count)} {'is' if count == 1 else 'are'} left out: {reason}."
        for name, split in corpus.splits.items()
        for reason, count in split.excluded.items()
    ]


def first_texts(run, count: int = 3) -> list[str]:
    """The first training texts, their deciding words in capitals, what is asked after them; of `planted` each
    class's sum, too."""
    corpus = run.corpus
    train, found = corpus.splits["train"], []
    for i in range(min(count, len(train))):
        truth = train.truth[i] if train.truth else np.zeros(len(train.words[i]), dtype=bool)
        words = [w.upper() if t else w for w, t in zip(train.words[i], truth, strict=True)]
        more = f" · *{tokens(train.queries[i])}*" if train.queries else ""
        if corpus.name == "planted":
            sums = planted.sums(train.words[i], len(corpus.classes))
            each = [f"{name} {n}".replace("-", "−") for name, n in zip(corpus.classes, sums, strict=True)]
            more = f" (sums: {', '.join(each)})"
        found.append(f"**{inert(corpus.classes[train.labels[i]])}**: {tokens(words[:40])}{more}")
    return found


def how_to_read(corpus: Corpus) -> str:
    """How `first_texts` writes them."""
    split = corpus.splits["train"]
    said = ["Here are the first training texts, each after its label."]
    if split.truth:
        said.append("The words that decide it are in capitals.")
    if split.queries:
        said.append("The question that is asked about a text follows it.")
    return " ".join(said)


def directions(classes: Sequence[str]) -> str:
    """What the table of mistakes is asked, and how many labels it has."""
    said = "Which way do this run's mistakes go?"
    return f"{said} The table has the {MANY} most frequent answers." if len(classes) > MANY else said


def beside_table1(run) -> pd.DataFrame:
    """This run's corpus in the layout of Jain & Wallace's Table 1, and below it their row of it.

    If they have no such corpus, the rows are ours of SST, as profiles `paper` and `paper2019` read it, and
    theirs.
    """
    theirs = reported(run)
    if len(theirs):
        rows = [_as_in_table1(f"this run, {run.params.corpus}", _counts(run.corpus))]
    else:
        ours = verdict.sizes().query("corpus == 'sst' and profile in ['paper', 'paper2019']")
        rows = [_as_in_table1(f"ours, sst, {row['profile']}", row) for row in ours.to_dict("records")]
        theirs = verdict.table1().query("corpus == 'sst'")
    for row in theirs.to_dict("records"):
        rows.append(_as_in_table1(f"Jain & Wallace, {row['corpus']}", row))
    return pd.DataFrame(rows)


def split_by(run) -> str:
    """What the numbers of a split stand for in `beside_table1`: `; train and test: negative / positive`."""
    corpus = run.params.corpus if len(reported(run)) else "sst"
    classes = corpora().get(corpus, {}).get("classes")
    return f"; train and test: {' / '.join(classes)}" if classes else ""


def _counts(corpus: Corpus) -> dict[str, float]:
    """A corpus's sizes by the names that Table 1 has here."""
    splits = corpus.splits
    lengths = [len(words) for words in splits["train"].words]
    found = {"vocabulary": len(corpus.vocabulary), "mean_length": np.mean(lengths)}
    for name in ("train", "test"):
        split = splits[name]
        counts = [len(split)] if corpus.task == "qa" else np.bincount(split.labels)
        found |= {f"{name}_{c}": n for c, n in enumerate(counts)}
    return found


def _as_in_table1(named: str, sizes: dict[str, float]) -> dict:
    """A row of the table."""
    row = {"": named, "vocabulary": int(sizes["vocabulary"]), "mean length": f"{sizes['mean_length']:.1f}"}
    for split in ("train", "test"):
        numbers = [n for name, n in sizes.items() if name.startswith(f"{split}_") and name[-1].isdigit()]
        row[split] = " / ".join(f"{n:.0f}" for n in numbers if n == n)
    return row


def reported(run) -> pd.DataFrame:
    """Jain & Wallace's Table 1 of this run's corpus: one row, or none."""
    return verdict.table1()[verdict.table1()["corpus"] == run.params.corpus].head(1)


def reported_score(run) -> str:
    """What Jain & Wallace's BiLSTM gets on this corpus."""
    if reported(run).empty:
        return "Jain & Wallace don't have this corpus, so there is no score of theirs to compare."
    row = reported(run).iloc[0]
    return f"Jain & Wallace report {row['score_name']} {row['score_bilstm']:.2f} for their BiLSTM."


def scores_and_corpora(table: pd.DataFrame) -> pd.DataFrame:
    """`beside_the_paper` for the page: the scores with the number of seeds, and what the corpora are."""
    known = corpora()
    names = [shown.removesuffix(" (part)") for shown in table["corpus"]]
    ours = [f"{score:.2f} ({n})" for score, n in table[["ours", "seeds"]].itertuples(index=False)]
    found = table[["corpus", "score"]].assign(**{"ours (seeds)": ours})
    found = found.join(table[[GUESSED, THEIRS]])
    return found.assign(texts=[known.get(name, {}).get("holds", "") for name in names])


def apart(table: pd.DataFrame) -> str:
    """How far the seeds' scores of a corpus are apart; empty where none has several."""
    several = table[table["seeds"] > 1]
    if several.empty:
        return ""
    most = several.loc[several["apart"].idxmax()]
    return f"Seeds of one corpus are at most {most['apart']:.2f} apart ({inert(most['corpus'])})."


def parts(run) -> pd.DataFrame:
    """How many parameters each part of the model has."""
    counts = {
        name: sum(weights.numel() for weights in part.parameters())
        for name, part in run.model().named_children()
    }
    return pd.DataFrame(
        [(name, count) for name, count in counts.items() if count], columns=["part", "parameters"]
    )


def score_called(run) -> str:
    """What the epoch is chosen by."""
    score = run.params.select_by or ("auc" if run.corpus.task == "classification" else "accuracy")
    return {"auc": "ROC AUC"}.get(score, score)


def kept(curve: pd.DataFrame, score: str, split: str) -> str:
    """Which epoch is kept, and where the training loss went: the finding of the learning curve."""
    best = curve[curve["chosen"]].iloc[0]
    return (
        f"Epoch {best['epoch']:.0f} of {len(curve)} is kept ({score} {best['score']:.2f} on the "
        f"{texts.SPLITS[split]} texts); the training loss falls from {curve['loss'].iloc[0]:.2f} to "
        f"{curve['loss'].iloc[-1]:.2f}"
    )


def confusion(evidence: Evidence, classes: Sequence[str]) -> pd.DataFrame:
    """Test texts by label and prediction; of many answers the most frequent ones."""
    counts = np.bincount(evidence.labels, minlength=2)
    frequent = sorted(c for c in np.argsort(-counts, kind="stable")[:MANY] if counts[c])
    table = pd.crosstab(evidence.labels, evidence.predicted)
    table = table.reindex(index=frequent, columns=frequent, fill_value=0)
    table.index = [f"label {classes[c]}" for c in frequent]
    table.columns = [f"predicted {classes[c]}" for c in frequent]
    return table.rename_axis("").reset_index()


def mistakes(evidence: Evidence, classes: Sequence[str]) -> str:
    """Which mistake is the most frequent, of all; of a model that makes any."""
    wrong = evidence.labels != evidence.predicted
    if not wrong.any():
        return "No mistake."
    pairs = pd.Series([*zip(evidence.labels[wrong], evidence.predicted[wrong], strict=True)]).value_counts()
    (label, taken), most, count = pairs.index[0], int(pairs.iloc[0]), int(wrong.sum())
    who = {1: "The one mistake takes", 2: "Both mistakes take"}.get(count, f"All {count} mistakes take")
    if most < count:
        who = f"Of {count} mistakes the most frequent, {counted(most, 'time')}, is to take"
    return f"{who} “{inert(classes[label])}” for “{inert(classes[taken])}”."


def most_peaked(row: Row, classes: Sequence[str], asked: dict[str, str], encoder: str) -> list[str]:
    """A text's label and prediction, and whether its heaviest word is punctuation. asked: `Run.asked`'s."""
    top = row.units[int(row.attention.argmax())]
    label, shown = inert(classes[row.label]), inert(classes[int(row.prediction.argmax())])
    said = [
        f"The text is labelled “{label}”, and the model predicts “{shown}”, with a probability of "
        f"{row.prediction.max():.2f}."
    ]
    if asked:
        said.append(f"{asked['query_name']}: *{tokens(asked['question'].split())}*.")
    if is_punctuation(top):
        said.append(
            "Most of its attention is on the full stop."
            if top == "."
            else f"The word with most attention, “{tokens([top])}”, has no letter and no digit."
        )
        if encoder_called(encoder).contextual:
            said.append(
                "That needn't be foolish: this encoder has read the words around it, so its state may hold "
                "what they say (chapter 10 measures how much a single word's state says)."
            )
    return said


def highest_bar(row: Row) -> str:
    """The finding of the figure of the most peaked attention, as plain text."""
    top = _quoted(row.units[int(row.attention.argmax())])
    said = f"{row.attention.max():.0%} of this text's attention is on {top}"
    return f"{said}; the words that decide are bold" if row.truth is not None and row.truth.any() else said


def f1_of_sst() -> pd.DataFrame:
    """The carried F1 on SST with additive attention: a row a run of a profile of Jain & Wallace's models."""
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and attention == 'additive' and measure == 'f1'"
    )
    return rows[rows["profile"].isin(PROTOCOLS)]


def reported_on_sst() -> float:
    """The BiLSTM's F1 of Jain & Wallace's Table 1."""
    return float(verdict.table1().query("corpus == 'sst'")["score_bilstm"].iloc[0])


def range_on_sst(real: pd.DataFrame) -> str:
    """The finding of the figure on SST. real: `f1_of_sst`'s."""
    own = real.groupby(["profile", "encoder"])["mean"].mean()
    low, high, told = own.min(), own.max(), reported_on_sst()
    how = "never below" if low >= told else "beside"
    return f"On SST the mean F1 is {low:.2f} to {high:.2f}, {how} Jain & Wallace's {told:.2f}"


def beside_the_paper() -> pd.DataFrame:
    """The carried BiLSTM's score on each corpus beside Jain & Wallace's: a row a corpus, the best first.

    F1 where their Table 1 has it, and accuracy where it has that or something is asked. Beside accuracy
    stands that of always giving the most frequent answer, and beside F1 that of always the positive class.
    apart: the highest of a corpus's seeds' scores less the lowest.
    """
    paper = verdict.table1().drop_duplicates("corpus").set_index("corpus")
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm' and `class` == 'overall'"
    )
    tests = verdict.sizes().query("profile == 'paper'").set_index("corpus")
    positive = tests["test_1"] / (tests["test_0"] + tests["test_1"])
    guessed = {"accuracy": tests["test_most"].astype(float), "f1": 2 * positive / (1 + positive)}
    found = []
    for corpus, own in rows.groupby("corpus"):
        measure = "f1" if (own["measure"] == "f1").any() else "accuracy"
        if corpus in paper.index:
            measure = paper.loc[corpus, "score_name"]
        scores = own[own["measure"] == measure]
        if len(scores):
            found.append(
                {
                    "corpus": f"{corpus} (part)" if scores["partial"].any() else corpus,
                    "score": {"f1": "F1"}.get(measure, measure),
                    "ours": scores["mean"].mean(),
                    "apart": np.ptp(scores["mean"]),
                    "seeds": scores["seed"].nunique(),
                    GUESSED: guessed[measure].get(corpus, np.nan),
                    THEIRS: paper["score_bilstm"].get(corpus, np.nan),
                }
            )
    columns = ["corpus", "score", "ours", "apart", "seeds", GUESSED, THEIRS]
    table = pd.DataFrame(found, columns=columns)
    return table.sort_values("ours", ascending=False, kind="stable", ignore_index=True)


def _mostly_wrong(table: pd.DataFrame) -> pd.DataFrame:
    """The corpora on which the models are wrong in most cases. table: `beside_the_paper`'s."""
    return table[(table["score"] == "accuracy") & (table["ours"] < 0.5)]


def _named(low: pd.DataFrame) -> str:
    """These corpora, and that they are made stories if all are."""
    names = ", ".join(inert(name) for name in low["corpus"])
    return f"{names}: made stories" if all(map(is_made, low["corpus"])) else names


def worst(table: pd.DataFrame) -> str:
    """On which corpora the models are wrong in most cases; empty if on none. table: `beside_the_paper`'s."""
    low = _mostly_wrong(table)
    if low.empty:
        return ""
    return (
        f"On {len(low)} of {counted(len(table), 'stored corpus', 'stored corpora')} ({_named(low)}) the "
        "BiLSTM is wrong in most cases."
    )


def differ(table: pd.DataFrame) -> list[str]:
    """Each corpus whose score isn't Jain & Wallace's, and why, as far as is known.

    table: `beside_the_paper`'s. A corpus that is here in part is told with how many training texts there are.
    """
    said, fewer = [], read_in_part()
    for row in table.dropna(subset=THEIRS).to_dict("records"):
        name = row["corpus"].removesuffix(" (part)")
        is_apart = abs(row["ours"] - row[THEIRS]) >= APART
        if name in fewer:
            ours, theirs = fewer[name]
            why = f"we have {ours:,} training texts, and Jain & Wallace {theirs:,}"
            why += ", which may be the reason" if is_apart else "; the scores are alike all the same"
        elif is_apart:
            why = WHY.get(name, "not explained")
        else:
            continue
        numbers = f"{row['ours']:.2f}, Jain & Wallace {row[THEIRS]:.2f}"
        said.append(f"**{inert(row['corpus'])}** ({numbers}): {why}.")
    return said


def read_in_part() -> dict[str, tuple[int, int]]:
    """Of each corpus that is here in part how many training texts there are, and how many in Table 1.

    As Table 1 counts: with those that are set aside for development.
    """
    part = verdict.sizes().query("profile == 'paper'")
    part = set(part.loc[part["partial"].astype(bool), "corpus"])
    rows = verdict.table1_beside().query("profile == 'paper'")
    rows = rows[rows["corpus"].isin(part) & rows["number"].str.startswith("train")]
    sums = rows.groupby("corpus")[["ours", "reported"]].sum()
    return {name: (int(row["ours"]), int(row["reported"])) for name, row in sums.iterrows()}


def of_seeds(values: pd.Series) -> str:
    """A mean with its seeds' range, where the two ends differ when rounded."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    if low == high:
        return f"{values.mean():.2f} ({counted(len(values), 'seed')})"
    return over_seeds(values, ".2f")


def other_vectors() -> list[str]:
    """What the BiLSTM's F1 is with other word vectors than the profile's own, on SST and 20 Newsgroups."""
    rows = verdict.committed().query(
        "attention == 'additive' and measure == 'f1' and encoder == 'bilstm' and `class` == 'overall'"
    )
    said = []
    for corpus, profile, kind, called in (
        ("sst", "paper", "random", "random vectors"),
        ("20news", "paper2019", "en_core_web_md", "spaCy's"),
    ):
        here = rows[(rows["corpus"] == corpus) & (rows["profile"] == profile)]
        own, others = (here.loc[here["given"] == given, "mean"] for given in ("", f"vectors={kind}"))
        if len(own) and len(others):
            said.append(
                f"On {inert(corpus)} (profile `{profile}`) it is {of_seeds(own)} with word2vec's vectors and "
                f"{of_seeds(others)} with {called}."
            )
    return ["The BiLSTM's F1 depends on the word vectors.", *said] if said else []


def hardly(table: pd.DataFrame) -> str:
    """What models that are mostly wrong mean for later chapters; empty if there are none."""
    if not worst(table):
        return ""
    low = _mostly_wrong(table)
    out = low["corpus"].isin(guessed_on())
    said = []
    if out.any():
        names = listed([inert(name) for name in low.loc[out, "corpus"]])
        said.append(f"The verdict (chapter 12) leaves out {names}, where the BiLSTM only guesses.")
    if not out.all():
        names = listed([inert(name) for name in low.loc[~out, "corpus"]])
        said.append(
            f"It keeps {names}, where the BiLSTM does better than guessing: read that with care."
            if said
            else f"On {names} it does better than guessing: read that with care."
        )
    return " ".join(said)


def answer(run, evidence: Evidence, words: pd.DataFrame, all_of: pd.DataFrame) -> list[str]:
    """The chapter's question, answered: how well models predict, and whether attention tells what decides.

    words: `attended`'s; all_of: `beside_the_paper`'s.
    """
    p, shown = run.params, words.head(SHOWN)
    said = [
        f"{verdict_on(accuracy_of(run), guessing(evidence), worst(all_of))} Where models don't, there is "
        "little to explain."
    ]
    if shown["decides"].notna().any():
        deciding = int((shown["decides"] > 0.5).sum())
        how = f"{deciding or 'none'} {_decide(deciding)}"
        said.append(
            f"On {inert(p.corpus)}, of the {len(shown)} frequent words that this run attends to most, {how}."
        )
    elif len(shown):
        tops = [f"“{tokens([word])}”" for word in shown["word"][:3]]
        said.append(f"Of the frequent words {listed(tops)} get the most attention.")
    is_idle = len(shown.query("decides == 0")) > 0
    if is_idle and _are_ignored(words[words["word"].isin(planted.NEGATORS)]) and p.corpus == "planted":
        said.append(
            "But a word that decides nothing may get much attention, and one that decides, almost none."
        )
    elif is_idle:
        said.append("But a word that decides nothing may get much attention, too.")
    return said
