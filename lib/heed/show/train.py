"""Chapter 01: how well a model predicts and what it attends to, in sentences and tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from heed import verdict
from heed.corpora.loading import Corpus
from heed.evidence import Evidence, Row
from heed.models.encoders import encoder_called
from heed.show import texts
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, over_seeds
from heed.show.style import LABELS
from heed.show.words import text_for

OFTEN = 5  # times that a word stands in the test texts for its attention to be told
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
    return f"Undefined on these texts: {inert(', '.join(missing))}."


def in_short(run, evidence: Evidence, peaks: pd.DataFrame, real: pd.DataFrame) -> list[str]:
    """The chapter's answer. peaks: `peaks_of`'s; real: `f1_of_sst`'s."""
    said = [predicts(run, evidence)]
    if len(own := real.query("profile == 'paper' and encoder == 'bilstm'")):
        said.append(
            f"On film reviews (SST) a BiLSTM's F1 is {own['mean'].mean():.2f} "
            f"({counted(len(own), 'seed')}); the paper reports {reported_on_sst():.2f}. So there are "
            "predictions worth explaining."
        )
    if len(peaks):
        said.append(spreads(peaks))
    if len(known := peaks.dropna(subset=["mass"])):
        said.append(
            f"The words that decide the labels are known here: they are {known['share'].mean():.0%} of a "
            f"text and get {known['mass'].mean():.0%} of its attention, and the heaviest word is one of "
            f"them in {known['top_decides'].mean():.0%} of the texts."
        )
    if len(peaks) and evidence.unit == "token":
        share = peaks["top_is_punctuation"].mean()
        said.append(
            f"In {share:.0%} of the texts the heaviest word is punctuation or the like."
            if share
            else "In none of the texts is the heaviest word punctuation."
        )
    said.append("Where a model looks isn't yet what it uses: that is what the next chapters ask.")
    return said


def predicts(run, evidence: Evidence) -> str:
    """The scores on the test texts, and what guessing would get."""
    parts = [f"{inert(name)} {value:.2f}" for name, value in scores_of(run).items()]
    majority = np.bincount(evidence.labels).max() / len(evidence)
    return (
        f"On {counted(len(evidence), 'test text')} of this run ({inert(run.params.corpus)}): "
        f"{', '.join(parts)}. Always guessing the most frequent class would get {majority:.2f} right."
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
        f"{peaks['peak'].median():.2f} in the median, {times:.1f} times its even share."
    )


def entropy(peaks: pd.DataFrame) -> str:
    """How far attention is from even, by its entropy."""
    return f"Its entropy is {peaks['entropy'].median():.0%} of the greatest there can be (median over texts)."


def attended(evidence: Evidence) -> pd.DataFrame:
    """How much attention each frequent word gets, in times of its even share: a row a word, the most first.

    word, texts (how often it stands in them), times (mean), decides (in how many of these places it decides
    the label; NaN where nobody knows). Empty where attention is of other units, or no word is frequent.
    """
    if evidence.unit != "token":
        return pd.DataFrame(columns=["word", "texts", "times", "decides"])
    places: dict[str, list[tuple[float, float]]] = {}
    for row in evidence:
        if row.real.sum() < 2:
            continue
        for i in np.flatnonzero(row.real):
            decides = np.nan if row.truth is None else float(row.truth[i])
            places.setdefault(row.units[i], []).append((row.attention[i] * row.real.sum(), decides))
    found = [
        {
            "word": word,
            "texts": len(own),
            **dict(zip(("times", "decides"), np.mean(own, axis=0), strict=True)),
        }
        for word, own in places.items()
        if len(own) >= OFTEN
    ]
    table = pd.DataFrame(found, columns=["word", "texts", "times", "decides"])
    return table.sort_values("times", ascending=False, kind="stable", ignore_index=True)


def most_attended(words: pd.DataFrame) -> str:
    """The finding of the figure of words, as plain text. words: `attended`'s, of one at least."""
    top = words.iloc[0]
    nothing = ", which decides nothing" if top["decides"] == 0 else ""
    word = text_for(top["word"], "figure")
    return f"Most attention goes to “{word}”{nothing}: {top['times']:.1f} times its even share"


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


def first_texts(corpus: Corpus, count: int = 3) -> list[str]:
    """The first training texts, their deciding words in capitals, what is asked after them."""
    train, found = corpus.splits["train"], []
    for i in range(min(count, len(train))):
        truth = train.truth[i] if train.truth else np.zeros(len(train.words[i]), dtype=bool)
        words = [w.upper() if t else w for w, t in zip(train.words[i], truth, strict=True)]
        asked = f" · *{tokens(train.queries[i])}*" if train.queries else ""
        found.append(f"**{inert(corpus.classes[train.labels[i]])}**: {tokens(words[:40])}{asked}")
    return found


def beside_table1(run) -> pd.DataFrame:
    """This run's corpus in the layout of the paper's Table 1, and the paper's row, if it has one."""
    corpus, splits = run.corpus, run.corpus.splits

    def by_class(split: str) -> str:
        own = [len(splits[split])] if corpus.task == "qa" else np.bincount(splits[split].labels)
        return " / ".join(map(str, own))

    ours = {
        "": "this run",
        "vocabulary": len(corpus.vocabulary),
        "mean length": f"{np.mean([len(words) for words in splits['train'].words]):.1f}",
        "train": by_class("train"),
        "test": by_class("test"),
    }
    rows = [ours]
    for paper in reported(run).to_dict("records"):
        found = ["the paper", paper["vocabulary"], paper["mean_length"]]
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
        return f"The paper has no corpus {inert(run.params.corpus)}."
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
        f"Epoch {best['epoch']:.0f} of {len(curve)} is kept, {score} {best['score']:.2f} on {split}; the "
        f"training loss goes from {curve['loss'].iloc[0]:.2f} to {curve['loss'].iloc[-1]:.2f}"
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
    """A text's label, prediction and heaviest word, and whether this is punctuation. asked: `Run.asked`'s."""
    top = row.units[int(row.attention.argmax())]
    label, shown = inert(classes[row.label]), inert(classes[row.shown])
    said = [f"Label {label}, P({shown}) = {row.prediction[row.shown]:.2f}."]
    if asked:
        said.append(f"{asked['query_name']}: *{tokens(asked['question'].split())}*.")
    said.append(f"The highest weight, {row.attention.max():.2f}, is on “{tokens([top])}”.")
    if is_punctuation(top):
        said.append("That is punctuation, or the like.")
        if encoder_called(encoder).contextual:
            said.append("Its state has read other words, too (chapter 05).")
    return said


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
    own = real.groupby(["profile", "encoder"])["mean"].mean()
    low, high = own.idxmin(), own.idxmax()
    return (
        f"On SST F1 lies between {own.min():.2f} ({LABELS[low[1]]}, {low[0]}) and {own.max():.2f} "
        f"({LABELS[high[1]]}, {high[0]}); the paper's BiLSTM has {reported_on_sst():.2f}"
    )


def other_vectors() -> list[str]:
    """What the BiLSTM's F1 on SST is with other word vectors than the profile's."""
    rows = verdict.committed().query(
        "corpus == 'sst' and attention == 'additive' and measure == 'f1' and encoder == 'bilstm' and "
        "profile == 'paper'"
    )
    own = rows.loc[rows["given"] == "", "mean"]
    said = []
    for given, others in rows[rows["given"].str.startswith("vectors=")].groupby("given"):
        kind = inert(given.removeprefix("vectors="))
        said.append(f"With `{kind}` vectors the BiLSTM's F1 is {over_seeds(others['mean'])}.")
    return [*said, f"With word2vec's, the default, it is {over_seeds(own)}."] if said and len(own) else said


def answer(run, peaks: pd.DataFrame, words: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for this run."""
    found, names = run.info()["scores"]["test"], texts.scores(run.corpus)
    said = [f"It predicts with an {names['accuracy']} of {found['accuracy']:.2f}."]
    if len(words):
        tops = [f"“{tokens([word])}”" for word in words["word"][:3]]
        said.append(f"It attends most to {listed(tops)}, of the words that stand in its texts often.")
    elif len(peaks):
        said.append(spreads(peaks))
    return said
