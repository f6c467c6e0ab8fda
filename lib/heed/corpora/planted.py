"""Corpora made from a seed, whose truth is known: the tokens that decide the label.

`planted`: clauses of neutral words; before some nouns stands a sentiment phrase, [not] [very] WORD.
Each phrase adds 1 to its word's class, 2 with an intensifier, the negative of that after a negator;
the class with the highest sum is the label (there are no ties). With two classes a negated positive
word so counts as a negative one. Truth: all tokens of the phrases.

`indicator`: positive exactly when an indicator word occurs. Truth: that word; negatives have none.

`world1`, `world2`, `world3`: questions on stories, in heed.world.
"""

import math
from functools import partial

import numpy as np

from heed.corpora import world
from heed.errors import HeedError
from heed.params import Params

CLASSES = ("negative", "positive", "strange", "funny", "costly")
LEXICON = {
    "negative": ("bad", "awful", "dull", "poor", "clumsy", "dreadful"),
    "positive": ("good", "lovely", "bright", "fine", "graceful", "superb"),
    "strange": ("odd", "weird", "eerie", "curious", "uncanny", "peculiar"),
    "funny": ("comic", "witty", "silly", "hilarious", "droll", "amusing"),
    "costly": ("expensive", "lavish", "pricey", "precious", "dear", "luxurious"),
}
NEGATORS = ("not", "never", "hardly")
INTENSIFIERS = ("very", "truly", "utterly")
INDICATORS = ("insulin", "metformin", "glucometer", "dialysis")
NEUTRAL = ("round", "wooden", "blue", "tall", "folded", "metal", "striped", "small", "square", "grey")
NOUNS = (
    "waiter cook guest driver painter clerk neighbour pupil table plate menu chair bottle lamp "
    "ticket window garden basket letter bicycle bridge station kettle blanket"
).split()
VERBS = "carried brought moved showed painted sold found left passed took".split()
PREPOSITIONS = "to near behind under from beside".split()
_NOUN_PLACES = (1, 4, 6)  # where the nouns of a clause stand


def _clause(rng: np.random.Generator) -> list[str]:
    """A neutral clause of 7 tokens with 3 nouns: the N V the N P the N, less the last article."""
    first, second, third = rng.choice(NOUNS, 3, replace=False)
    return ["the", first, rng.choice(VERBS), "the", second, rng.choice(PREPOSITIONS), third]


def _text(rng: np.random.Generator, phrases: list[list[str]], length: int, sentences: int):
    """Tokens, and for each whether it belongs to a phrase: phrases go before nouns drawn at random."""
    spare = max(length - sum(map(len, phrases)), 0)
    count = max(round(spare / 8.5), sentences, math.ceil(len(phrases) / len(_NOUN_PLACES)))
    clauses = [_clause(rng) for _ in range(count)]
    slots = [(c, place) for c in range(count) for place in _NOUN_PLACES]
    rng.shuffle(slots)
    phrase_at = dict(zip(slots, phrases, strict=False))
    ends = {round((sentence + 1) * count / sentences) - 1 for sentence in range(sentences)}
    ends.add(count - 1)
    words, truth = [], []
    for c, clause in enumerate(clauses):
        for place, word in enumerate(clause):
            if (c, place) in phrase_at:
                phrase = phrase_at[c, place]
                words += phrase
                truth += [True] * len(phrase)
            elif place in _NOUN_PLACES and rng.random() < 0.2:
                words.append(rng.choice(NEUTRAL))
                truth.append(False)
            words.append(word)
            truth.append(False)
        words.append("." if c in ends else "and")
        truth.append(False)
    return [str(word) for word in words], np.array(truth)


def sums(words: list[str], classes: int) -> np.ndarray:
    """Each class's sum in a text of `planted`, by its phrases: the label is the class with the highest."""
    kinds = {word: kind for kind, name in enumerate(CLASSES[:classes]) for word in LEXICON[name]}
    found, strength = np.zeros(classes, dtype=int), 1
    for word in words:
        if word in NEGATORS:
            strength = -strength
        elif word in INTENSIFIERS:
            strength *= 2
        else:
            if word in kinds:
                found[kinds[word]] += strength
            strength = 1
    return found


def _phrases(rng: np.random.Generator, p: Params) -> tuple[list[list[str]], int]:
    """The sentiment phrases of a text and its label; drawn anew until one class leads."""
    for _ in range(1000):
        phrases = []
        for _ in range(p.planted_words):
            kind = int(rng.integers(p.classes))
            negated, intense = rng.random() < p.negation, rng.random() < p.intensifiers
            # Drawn whether they are said or not: the same number of draws for every phrase.
            negator, intensifier = rng.choice(NEGATORS), rng.choice(INTENSIFIERS)
            phrase = []
            if negated:
                phrase.append(negator)
            if intense:
                phrase.append(intensifier)
            phrase.append(rng.choice(LEXICON[CLASSES[kind]]))
            phrases.append(phrase)
        scores = sums([word for phrase in phrases for word in phrase], p.classes)
        if np.sum(scores == scores.max()) == 1:
            return phrases, int(scores.argmax())
    raise HeedError(
        f"planted: with planted_words = {p.planted_words}, classes = {p.classes} and negation = {p.negation} "
        "no class leads. Plant more words or lower negation."
    )


def _length(rng: np.random.Generator, p: Params) -> int:
    return int(rng.integers(round(0.6 * p.made_length), round(1.4 * p.made_length) + 1))


def planted(rng: np.random.Generator, p: Params):
    """One text of `planted`: words, label, truth."""
    phrases, label = _phrases(rng, p)
    words, truth = _text(rng, phrases, _length(rng, p), p.sentences)
    return words, label, truth


def indicator(rng: np.random.Generator, p: Params):
    """One text of `indicator`: words, label, truth."""
    positive = bool(rng.random() < p.indicator_share)
    phrases = [[rng.choice(INDICATORS)]] if positive else []
    words, truth = _text(rng, phrases, _length(rng, p), p.sentences)
    return words, int(positive), truth


WORLDS = {f"world{task}": partial(world.make, task) for task in (1, 2, 3)}
MAKERS = {"planted": planted, "indicator": indicator, **WORLDS}


def class_names(name: str, p: Params) -> tuple[str, ...]:
    """The names of a made corpus's classes; of a world all words that can be said there."""
    if name in WORLDS:
        return world.WORDS
    if name == "planted":
        return CLASSES[: p.classes]
    return "negative", "positive"


def make(name: str, p: Params, split: str, size: int):
    """`size` texts of a split: ids, words, labels, truth, and a world's questions. Each split has a stream
    of its own; the labels of a world are the answers' words."""
    stream = ("train", "dev", "test").index(split)
    rng = np.random.default_rng([p.data_seed, stream])
    texts = [MAKERS[name](rng, p) for _ in range(size)]
    words, labels, *others = zip(*texts, strict=True)
    ids = [f"{split}-{i}" for i in range(size)]
    return ids, list(words), np.array(labels), *map(list, others)
