"""What chapter 01 says of a corpus before any result: how it is cut, and what is odd about its texts."""

from collections.abc import Sequence
from pathlib import Path

from heed.corpora import checks, tokens, vectors
from heed.corpora.loading import Corpus
from heed.evidence import Evidence
from heed.measures.scores import f1_called
from heed.params import Params, vectors_asked
from heed.registry import at_hand, corpora
from heed.show.notebook import inert

# From these shares on a fault spoils what follows, and chapter 01 warns.
UNKNOWN, ONE_TOKEN, NUMBERS, REPEATED = 0.2, 0.1, 0.05, 0.05
COVERED = 0.5  # of the training tokens, below which pretrained vectors are of few words
RARE = 0.1  # up to this share of what a class would have if all had alike


def rows_read(corpus: Corpus) -> str:
    """How many rows there were, and what became of them."""
    splits = corpus.splits
    each = ", ".join(f"{split.rows} of {name}" for name, split in splits.items())
    out = sum(count for split in splits.values() for count in split.excluded.values())
    filtered = sum(split.rows - len(split) for split in splits.values()) - out
    gone = []
    if out:
        gone.append(f"{out} are left out as unfit")
    if filtered:
        gone.append(f"the length filter drops {filtered}")
    end = f"; {' and '.join(gone)}" if gone else "; all are kept"
    return f"{sum(split.rows for split in splits.values())} rows are read ({each}){end}."


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
        f"as {sum(counts) / words:.2f} pieces each in the mean; a word's state is the mean of its pieces'."
    ]
    gone = [len(whole) - len(own) for whole, own in zip(split.words, run.data("test").words, strict=True)]
    if any(gone):
        cut = sum(n > 0 for n in gone)
        said.append(
            f"It reads {first.base.longest} pieces, marks included: {cut} of {len(split)} test texts are "
            f"longer, and of their words {sum(gone)} in all are cut off at the end."
        )
    return said


def word_vectors(p: Params, corpus: Corpus, coverage: dict[str, float]) -> list[str]:
    """What the words begin with: whose vectors, how many words have one, how long they are.

    coverage: the shares of types and training tokens that have a pretrained one. Warns where most have none,
    and where the authors' own aren't on this machine.
    """
    times = "" if p.vectors_scale == 1 else f", times {p.vectors_scale:g}"
    zero = "zero" in (p.vectors, p.unknown_vectors) and p.vectors != "random"
    said = [
        f"Vectors here: `{p.vectors}`, {p.embedding_dim} numbers a word{times}. Of the vocabulary "
        f"{coverage['types']:.0%} of the words have a pretrained one, of the training tokens "
        f"{coverage['tokens']:.0%}; the others start {'at zero' if zero else 'from N(0, 1)'}."
    ]
    found = vectors.lengths(p, corpus.vocabulary, corpus.splits["test"].words)
    if "norm" in found:
        said.append(
            f"At the test tokens that have one a vector is {found['norm']:.2g} long (median); "
            f"{found['without']:.0%} of the tokens have none."
        )
    pretrained = p.vectors not in ("random", "zero")
    if pretrained and coverage["tokens"] < COVERED:
        said.append(
            f"Fewer than half of the training tokens have a pretrained vector ({coverage['tokens']:.0%}): "
            "what is said of these vectors is said of few words. Other vectors may know more of them, or "
            "`word2vec`."
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
    texts = f"{len(test)} test text{'' if len(test) == 1 else 's'}"
    one, numbers = _are(checks.one_token(test)), _are(checks.numbers_alone(test))
    again = _stand(checks.repeated(corpus))
    return (
        f"Of {texts} {one} of one token, {numbers} nothing but `qqq`, and {again} in train word for word. "
        f"{checks.unknown(corpus):.1%} of the test tokens aren't in the vocabulary."
    )


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
            "remembered. `python -m heed split` keeps equal texts together."
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


def _are(count: int) -> str:
    return "1 is" if count == 1 else f"{count or 'none'} are"


def _stand(count: int) -> str:
    return "1 stands" if count == 1 else f"{count or 'none'} stand"
