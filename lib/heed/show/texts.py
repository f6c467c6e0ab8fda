"""What chapter 01 says of a corpus before any result: how it is cut, and what is odd about its texts."""

from collections.abc import Sequence
from pathlib import Path

from heed.corpora import checks, tokens, vectors
from heed.corpora.loading import Corpus
from heed.corpora.planted import CLASSES, INTENSIFIERS, LEXICON, NEGATORS
from heed.evidence import Evidence
from heed.measures.scores import f1_called
from heed.params import Params, vectors_asked
from heed.registry import at_hand, corpora
from heed.show.notebook import inert
from heed.show.sentences import counted, listed

PLAIN = "the waiter carried the lamp to table"  # a clause of `planted` without opinion words
# From these shares on a fault spoils what follows, and chapter 01 warns.
UNKNOWN, ONE_TOKEN, NUMBERS, REPEATED = 0.2, 0.1, 0.05, 0.05
SPLITS = {"train": "training", "dev": "development", "test": "test"}  # as a reader calls them
COVERED = 0.5  # of the training tokens, below which pretrained vectors are of few words
RARE = 0.1  # up to this share of what a class would have if all had alike


def about(p: Params) -> str:
    """What kind of texts a run's corpus holds, in a sentence or two; of `planted` alone that it is artificial
    and what decides in it."""
    entry = corpora()[p.corpus]
    if p.corpus == "planted":
        return (
            "This run's corpus, `planted`, is artificial: nonsense sentences into which a program has put "
            "opinion words. So it is known which words decide each label."
        )
    holds = f": {inert(entry['holds'])}" if "holds" in entry else ""
    return f"This run's corpus is {inert(entry['title'])}{holds}."


def rule(p: Params) -> list[str]:
    """How a label of `planted` comes about; nothing of another corpus."""
    if p.corpus != "planted":
        return []
    words = [f"“{name}” ({', '.join(LEXICON[name][:3])} …)" for name in CLASSES[: p.classes]]
    return [
        f"A text is a row of neutral clauses such as *{PLAIN}*, with "
        f"{counted(p.planted_words, 'opinion word')} put before nouns. The words are {listed(words)}.",
        f"Each adds 1 to the sum of its class, or 2 after an intensifier ({', '.join(INTENSIFIERS)}). After "
        f"a negator ({', '.join(NEGATORS)}) the same number is subtracted instead. The class with the "
        "highest sum is the label; no text has a tie.",
        "So the words that decide are the opinion words with the negators and intensifiers before them, and "
        "no others.",
    ]


def rows_read(corpus: Corpus) -> str:
    """How many rows there were, and what became of them."""
    splits = corpus.splits
    each = ", ".join(f"{split.rows} for {SPLITS[name]}" for name, split in splits.items())
    out = sum(count for split in splits.values() for count in split.excluded.values())
    filtered = sum(split.rows - len(split) for split in splits.values()) - out
    gone = []
    if out:
        gone.append(f"{counted(out, 'row')} {'is' if out == 1 else 'are'} unfit and left out")
    if filtered:
        gone.append(f"the length filter drops {filtered}")
    end = f"; {' and '.join(gone)}" if gone else "; all are kept"
    return f"The corpus has {counted(sum(split.rows for split in splits.values()), 'row')} ({each}){end}."


def cut(p: Params) -> str:
    """How the texts are cut into tokens, and what becomes of digits."""
    entry = corpora()[p.corpus]
    if "made" in entry:
        return "These texts are made as tokens; nothing is cut."
    keep = (p.digits or entry.get("digits", "qqq")) == "keep"
    digits = "tokens with a digit stay" if keep else "a token with a digit becomes `qqq`"
    return f"Texts are cut {tokens.described(p.tokenizer)} and put in lower case; {digits}."


def pieces_read(run) -> list[str]:
    """How a transformer that exists reads the words, and what of the test texts is too long for it."""
    p, split = run.params, run.corpus.splits["test"]
    first = run.first(run.corpus.vocabulary.words)
    counts = [int(first.counts[codes[1:-1]].sum()) for codes in run.data("test").codes]
    words = sum(len(words) for words in run.data("test").words)
    trained = "trained further" if p.finetune else "as it is"
    said = [
        f"Words are read by `{inert(Path(p.pretrained).name)}`, {trained}, "
        f"on average as {sum(counts) / words:.2f} pieces each; a word's state is the mean of its pieces' "
        "states."
    ]
    gone = [len(whole) - len(own) for whole, own in zip(split.words, run.data("test").words, strict=True)]
    if any(gone):
        cut = sum(n > 0 for n in gone)
        said.append(
            f"It reads at most {first.base.longest} pieces, marks included. {cut} of {len(split)} test texts "
            f"{'is' if cut == 1 else 'are'} longer: {counted(sum(gone), 'word')} at their ends "
            f"{'is' if sum(gone) == 1 else 'are'} cut off."
        )
    return said


def word_vectors(p: Params, corpus: Corpus, coverage: dict[str, float]) -> list[str]:
    """What the words begin with: whose vectors, how many words have one, how long they are.

    coverage: the shares of types and training tokens that have a pretrained one. Warns where most have none,
    and where the authors' own aren't on this machine.
    """
    times = "" if p.vectors_scale == 1 else f", multiplied by {p.vectors_scale:g}"
    found = vectors.lengths(p, corpus.vocabulary, corpus.splits["test"].words)
    pretrained = p.vectors not in ("random", "zero")
    if pretrained:
        rest = "at zero" if p.unknown_vectors == "zero" else "with numbers drawn from N(0, 1)"
        said = [
            f"This run starts from pretrained vectors, `{p.vectors}`, with {p.embedding_dim} numbers a "
            f"word{times}. There is one for {coverage['types']:.0%} of the words in the vocabulary and for "
            f"{coverage['tokens']:.0%} of the training tokens; the other words start {rest}."
        ]
        if "norm" in found:
            said.append(
                f"The median norm of these vectors at the test tokens is {found['norm']:.2g}; "
                f"{found['without']:.0%} of the test tokens have none."
            )
    elif p.vectors == "random":
        said = [
            f"This run starts from random vectors: {p.embedding_dim} numbers a word, each drawn from "
            f"N(0, 1){times}."
        ]
        if "norm" in found:
            said.append(f"Their median norm at the test tokens is {found['norm']:.2g}.")
    else:
        said = [f"All word vectors of this run start at zero, with {p.embedding_dim} numbers a word."]
    if pretrained and coverage["tokens"] < COVERED:
        said.append(
            f"Fewer than half of the training tokens have a pretrained vector ({coverage['tokens']:.0%}), so "
            "these vectors can do little here. Other vectors, or `word2vec`, may cover more words."
        )
    asked = vectors_asked(p.corpus, p.profile)
    if asked and not at_hand(asked):
        said.append(
            f"The authors' own vectors, `{asked}`, aren't on this machine: `make fidelity` downloads them "
            "and runs their protocols with them."
        )
    return said


def oddities(corpus: Corpus) -> str:
    """The four shares that say whether the texts are what a model can learn from."""
    test = corpus.splits["test"]
    counts = [
        (checks.one_token(test), "has", "have", "a single token"),
        (checks.numbers_alone(test), "holds", "hold", "nothing but numbers (`qqq`)"),
        (checks.repeated(corpus), "repeats", "repeat", "a training text word for word"),
    ]
    some = [f"{n} {one if n == 1 else several} {what}" for n, one, several, what in counts if n]
    if some:
        said = f"Of {counted(len(test), 'test text')} {listed(some)}."
    else:
        said = "No test text repeats a training text, consists of a single token or holds numbers alone."
    if checks.unknown(corpus) == 0:
        return f"{said} Every test token is in the vocabulary."
    return f"{said} {checks.unknown(corpus):.1%} of the test tokens aren't in the vocabulary."


def warnings(corpus: Corpus, p: Params) -> list[str]:
    """A sentence for each oddity that spoils what follows; none for a sound corpus."""
    test, found = corpus.splits["test"], []
    share = checks.unknown(corpus)
    if share >= UNKNOWN:
        found.append(
            f"{share:.0%} of the test tokens are unknown: to the model they are all one word, whatever "
            f"attention they get. {_another_tokenizer(p)}"
        )
    share = checks.one_token(test) / len(test)
    if share >= ONE_TOKEN:
        found.append(
            f"{share:.0%} of the test texts have one token, which has all attention whatever the model is; "
            "they take no part in what follows from that alone."
        )
    share = checks.numbers_alone(test) / len(test)
    if share >= NUMBERS:
        found.append(
            f"{share:.0%} of the test texts are nothing but `qqq`: the model can't tell them apart. With "
            f"`digits: keep` digits stay. {_another_tokenizer(p)}"
        )
    share = checks.repeated(corpus) / len(test)
    if share >= REPEATED:
        found.append(
            f"{share:.0%} of the test texts stand in train word for word, so scores on them say what was "
            "remembered. `python -m heed split` keeps equal texts in one split."
        )
    if corpus.task != "qa":
        rare, share = checks.rarest(corpus)
        if share * len(corpus.classes) <= RARE:
            found.append(
                f"Class {inert(corpus.classes[rare])} has {share:.1%} of the training texts: accuracy hardly "
                "depends on it, and a model may never predict it."
            )
    for name, missing in checks.absent(corpus).items():
        few = [inert(corpus.classes[c]) for c in missing[:5]]
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        found.append(f"No {name} text is of class {', '.join(few)}{more}: nothing is said of it there.")
    return found


def scores(corpus: Corpus) -> dict[str, str]:
    """What a model is scored by, with the class or classes that F1 is of."""
    return {"accuracy": "accuracy", "f1": f1_called(corpus.classes), "auc": "ROC AUC"}


def never_predicted(evidence: Evidence, classes: Sequence[str]) -> str:
    """Which classes that there are the model never predicts; empty if it predicts all."""
    never = sorted({*evidence.labels.tolist()} - {*evidence.predicted.tolist()})
    if not never:
        return ""
    few = [f"“{inert(classes[c])}”" for c in never[:5]]
    more = f" and {len(never) - 5} more" if len(never) > 5 else ""
    return f"The model never predicts {', '.join(few)}{more}: what follows says nothing of how it would."


def _another_tokenizer(p: Params) -> str:
    return (
        "If the texts aren't English, `tokenizer` names another language (zh, ar, he ...) or `characters`."
        if p.tokenizer == "en"
        else "Another `tokenizer` may cut them better."
    )
