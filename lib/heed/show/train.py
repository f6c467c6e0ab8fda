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
from heed.show import texts
from heed.show.figures.train import PROTOCOLS
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, over_seeds
from heed.show.style import LABELS
from heed.show.words import text_for

OFTEN = 20  # times that a word stands in the test texts for its attention to be told
SHOWN = 12  # words of a figure
MANY = 8  # labels of a table


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


def in_short(run, evidence: Evidence, peaks: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer. peaks: `peaks_of`'s; real: `f1_of_sst`'s."""
    p, score, guessed = run.params, accuracy_of(run), guessing(evidence)
    artificial = ", an artificial corpus," if p.corpus == "planted" else ""
    said = [
        f"{verdict_on(score, guessed)} On {counted(len(evidence), 'test text')} of `{inert(p.corpus)}`"
        f"{artificial} this run ({LABELS[p.encoder]}, seed {p.seed}) has an accuracy of {score:.2f}. Always "
        f"guessing the most frequent class would have {guessed:.2f}."
    ]
    if len(own := real.query("profile == 'paper' and encoder == 'bilstm'")):
        said.append(f"{on_sst(own)}.")
    if len(peaks):
        said.append(spreads(peaks))
    if len(known := peaks.dropna(subset=["mass"])):
        said.append(
            f"The words known to decide the labels are {known['share'].mean():.0%} of a text and get "
            f"{known['mass'].mean():.0%} of its attention; in {known['top_decides'].mean():.0%} of the texts "
            "one of them has the highest weight."
        )
    if len(peaks) and evidence.unit == "token":
        share = peaks["top_is_punctuation"].mean()
        said.append(
            f"In {share:.0%} of the texts a punctuation mark has it."
            if share
            else "In none of the texts does a punctuation mark have it."
        )
    said.append("Where a model looks isn't yet what it uses: the next chapters ask that.")
    return said


def accuracy_of(run) -> float:
    """The share of the test texts that the model gets right."""
    return run.info()["scores"]["test"]["accuracy"]


def guessing(evidence: Evidence) -> float:
    """The accuracy of always guessing the most frequent class of the test texts."""
    return float(np.bincount(evidence.labels).max() / len(evidence))


def verdict_on(score: float, guessed: float) -> str:
    """Whether a model predicts well: it makes at most half of the mistakes that guessing makes."""
    if score <= guessed:
        return "No."
    return "Yes." if 1 - score <= (1 - guessed) / 2 else "Only somewhat."


def on_sst(own: pd.DataFrame) -> str:
    """The BiLSTM's F1 on SST beside the paper's. own: rows of `f1_of_sst`, one at least."""
    return (
        f"On film reviews (SST) a BiLSTM's F1 is {own['mean'].mean():.2f} ({counted(len(own), 'seed')}); the "
        f"paper reports {reported_on_sst():.2f}"
    )


def predicts(run, evidence: Evidence) -> str:
    """The scores on the test texts, the accuracy's interval, and what guessing would get."""
    parts = [f"{inert(name)} {value:.2f}" for name, value in scores_of(run).items()]
    right = (evidence.predicted == evidence.labels).astype(float)
    low, high = stats.interval(right, run.params.resamples, run.params.seed)
    return (
        f"On the {counted(len(evidence), 'test text')} this one model has: {', '.join(parts)}. The 95% "
        f"interval of the accuracy, over texts, is {low:.2f} to {high:.2f}. Always guessing the "
        f"most frequent class would have an accuracy of {guessing(evidence):.2f}."
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
    times = (peaks["peak"] / peaks["even"]).median()
    return (
        f"Attention is {'uneven' if times > 1.5 else 'nearly even'}: the highest weight of a text is "
        f"{peaks['peak'].median():.2f} (median), {times:.1f} times an even share."
    )


def entropy(peaks: pd.DataFrame) -> str:
    """How far attention is from even, by its entropy."""
    return (
        f"Its entropy is {peaks['entropy'].median():.0%} of that of even attention (median over the texts); "
        "all attention on one word would have 0%."
    )


def attended(evidence: Evidence) -> pd.DataFrame:
    """How much attention each frequent word gets, as a multiple of 1/T: a row a word, the most first.

    word, texts (how often it stands in them), times (mean, with its 95 % interval over these places: low,
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
    top, idle = shown.iloc[0], shown[shown["decides"] == 0]
    said = (
        f"“{text_for(top['word'], 'figure')}” gets most attention where it stands, {top['times']:.1f} times "
        "an even share"
    )
    if not len(idle):
        return said
    names = listed([f"“{text_for(word, 'figure')}”" for word in idle["word"][:3]])
    more = f" and {len(idle) - 3} more" if len(idle) > 3 else ""
    return f"{said}. Of the {len(shown)} words here {len(idle)} decide nothing: {names}{more}"


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


def beside_table1(run) -> pd.DataFrame:
    """This run's corpus in the layout of the paper's Table 1, and the paper's row of it, or else of SST."""
    corpus, splits = run.corpus, run.corpus.splits

    def by_class(split: str) -> str:
        own = [len(splits[split])] if corpus.task == "qa" else np.bincount(splits[split].labels)
        return " / ".join(map(str, own))

    ours = {
        "": f"this run, {run.params.corpus}",
        "vocabulary": len(corpus.vocabulary),
        "mean length": f"{np.mean([len(words) for words in splits['train'].words]):.1f}",
        "train": by_class("train"),
        "test": by_class("test"),
    }
    rows = [ours]
    own = reported(run)
    for paper in (own if len(own) else verdict.table1().query("corpus == 'sst'")).to_dict("records"):
        found = [f"the paper, {paper['corpus']}", paper["vocabulary"], paper["mean_length"]]
        for split in ("train_", "test_"):
            numbers = [value for name, value in paper.items() if name.startswith(split) and value == value]
            found.append(" / ".join(f"{value:.0f}" for value in numbers))
        rows.append(dict(zip(ours, found, strict=True)))
    return pd.DataFrame(rows)


def reported(run) -> pd.DataFrame:
    """The paper's Table 1 of this run's corpus: one row, or none."""
    return verdict.table1()[verdict.table1()["corpus"] == run.params.corpus].head(1)


def reported_score(run) -> str:
    """What the paper's BiLSTM gets on this corpus."""
    if reported(run).empty:
        return "The paper has no such corpus."
    row = reported(run).iloc[0]
    return f"The paper reports {row['score_name']} {row['score_bilstm']:.2f} for its BiLSTM."


def parts(run) -> pd.DataFrame:
    """How many weights each part of the model has."""
    counts = {
        name: sum(weights.numel() for weights in part.parameters())
        for name, part in run.model().named_children()
    }
    return pd.DataFrame(
        [(name, count) for name, count in counts.items() if count], columns=["part", "weights"]
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


def most_peaked(row: Row, classes: Sequence[str], asked: dict[str, str], encoder: str) -> list[str]:
    """A text's label and prediction, and whether its heaviest word is punctuation. asked: `Run.asked`'s."""
    top = row.units[int(row.attention.argmax())]
    label, shown = inert(classes[row.label]), inert(classes[row.shown])
    said = [
        f"Its label is {label}; the model gives “{shown}” a probability of {row.prediction[row.shown]:.2f}."
    ]
    if asked:
        said.append(f"{asked['query_name']}: *{tokens(asked['question'].split())}*.")
    if is_punctuation(top):
        said.append(f"“{tokens([top])}” is a punctuation mark, or the like.")
        if encoder_called(encoder).contextual:
            said.append(
                "That needn't be foolish: its state has read the words around it, and may hold what they say "
                "(chapter 05)."
            )
    return said


def highest_bar(row: Row) -> str:
    """The finding of the figure of the most peaked attention, as plain text."""
    top = text_for(row.units[int(row.attention.argmax())], "figure")
    return f"In the text with the most peaked attention {row.attention.max():.0%} of it is on “{top}”"


def f1_of_sst() -> pd.DataFrame:
    """The carried F1 on SST with additive attention: a row a run of a profile as it is."""
    return verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and attention == 'additive' and measure == 'f1'"
    )


def reported_on_sst() -> float:
    """The BiLSTM's F1 of the paper's Table 1."""
    return float(verdict.table1().query("corpus == 'sst'")["score_bilstm"].iloc[0])


def range_on_sst(real: pd.DataFrame) -> str:
    """The finding of the figure on SST. real: `f1_of_sst`'s."""
    theirs = real[real["profile"].isin(PROTOCOLS)]
    own = (theirs if len(theirs) else real).groupby(["profile", "encoder"])["mean"].mean()
    low, high = own.idxmin(), own.idxmax()
    return (
        f"On SST the mean F1 of {'the paper’s' if len(theirs) else 'the'} kinds of models is {own.min():.2f} "
        f"({low[0]}, {LABELS[low[1]]}) to {own.max():.2f} ({high[0]}, {LABELS[high[1]]}); the paper reports "
        f"{reported_on_sst():.2f} for its BiLSTM"
    )


def beside_the_paper() -> pd.DataFrame:
    """The carried BiLSTM's score on each corpus beside the paper's: a row a corpus, the best first.

    F1 where the paper's Table 1 has it, and accuracy where it has that or something is asked.
    """
    paper = verdict.table1().drop_duplicates("corpus").set_index("corpus")
    rows = verdict.plain(verdict.committed()).query(
        "profile == 'paper' and attention == 'additive' and encoder == 'bilstm' and `class` == 'overall'"
    )
    found = []
    for corpus, own in rows.groupby("corpus"):
        measure = "f1" if (own["measure"] == "f1").any() else "accuracy"
        if corpus in paper.index:
            measure = paper.loc[corpus, "score_name"]
        scores = own[own["measure"] == measure]
        if len(scores):
            low, high = f"{scores['mean'].min():.2f}", f"{scores['mean'].max():.2f}"
            over = f"{low} to {high}" if low != high else f"all {low}"
            found.append(
                {
                    "corpus": f"{corpus} (part)" if scores["partial"].any() else corpus,
                    "score": {"f1": "F1"}.get(measure, measure),
                    "ours": scores["mean"].mean(),
                    "over seeds": over if scores["seed"].nunique() > 1 else "–",
                    "seeds": scores["seed"].nunique(),
                    "the paper": paper["score_bilstm"].get(corpus, np.nan),
                }
            )
    table = pd.DataFrame(found, columns=["corpus", "score", "ours", "over seeds", "seeds", "the paper"])
    return table.sort_values("ours", ascending=False, kind="stable", ignore_index=True)


def worst(table: pd.DataFrame) -> str:
    """On which corpora the models are wrong in most cases; empty if on none. table: `beside_the_paper`'s."""
    low = table[(table["score"] == "accuracy") & (table["ours"] < 0.5)]
    if low.empty:
        return ""
    return f"On {listed([inert(name) for name in low['corpus']])} the models are wrong in most cases."


def other_vectors() -> list[str]:
    """What the BiLSTM's F1 on SST is with other word vectors than the profile's own."""
    rows = verdict.committed().query(
        "corpus == 'sst' and attention == 'additive' and measure == 'f1' and encoder == 'bilstm' and "
        "profile == 'paper'"
    )
    own = rows.loc[rows["given"] == "", "mean"]
    said = []
    for given, others in rows[rows["given"].str.startswith("vectors=")].groupby("given"):
        kind = inert(given.removeprefix("vectors="))
        said.append(f"With `{kind}` word vectors the BiLSTM's F1 is {over_seeds(others['mean'], '.3f')}.")
    if said and len(own):
        said.append(f"With word2vec's, the default, it is {over_seeds(own, '.3f')}.")
    return said


def hardly(table: pd.DataFrame) -> str:
    """What models that are mostly wrong mean for later chapters; empty if there are none."""
    return (
        "There later chapters ask about predictions that are hardly worth explaining." if worst(table) else ""
    )


def answer(
    run, evidence: Evidence, words: pd.DataFrame, real: pd.DataFrame, all_of: pd.DataFrame
) -> list[str]:
    """The chapter's question, answered for this run and for the carried ones.

    words: `attended`'s; real: `f1_of_sst`'s; all_of: `beside_the_paper`'s.
    """
    score = accuracy_of(run)
    said = [
        f"{verdict_on(score, guessing(evidence))} The accuracy is {score:.2f} on "
        f"`{inert(run.params.corpus)}` (1 seed, {counted(len(evidence), 'text')})."
    ]
    if len(own := real.query("profile == 'paper' and encoder == 'bilstm'")):
        said.append(f"{on_sst(own)}.")
    said.append(worst(all_of))
    shown = words.head(SHOWN)
    if shown["decides"].notna().any():
        deciding = (shown["decides"] > 0.5).sum()
        said.append(
            f"Of the {len(shown)} frequent words that this model attends to most, {deciding} decide labels."
        )
    elif len(shown):
        tops = [f"“{tokens([word])}”" for word in shown["word"][:3]]
        said.append(f"Of the frequent words this model attends most to {listed(tops)}.")
    idle = shown[shown["decides"] == 0]
    if len(idle):
        top = idle.iloc[0]
        said.append(
            f"Yet “{tokens([top['word']])}”, which decides nothing, gets {top['times']:.1f} times an even "
            "share."
        )
    return said
