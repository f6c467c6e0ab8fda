"""Corpora whose truth is known: a solver that reads nothing but the words."""

import numpy as np
import pytest

from heed.corpora import planted
from heed.errors import HeedError
from heed.params import Params


def solve(words: list[str], classes: int) -> tuple[int, list[bool]]:
    """Label and truth by the docstring of heed.made, from the words alone.

    A phrase is [negator] [intensifier] WORD; it adds 1 to its word's class, 2 with an intensifier, the
    negative of that after a negator. The class with the highest sum wins.
    """
    kinds = {
        w: k
        for k, name in enumerate(("negative", "positive", "strange", "funny"))
        for w in planted.LEXICON[name]
    }
    sums, truth = [0] * classes, [False] * len(words)
    for t, word in enumerate(words):
        if word not in kinds:
            continue
        amount, start = 1, t
        if start > 0 and words[start - 1] in ("very", "truly", "utterly"):
            amount, start = 2, start - 1
        if start > 0 and words[start - 1] in ("not", "never", "hardly"):
            amount, start = -amount, start - 1
        sums[kinds[word]] += amount
        truth[start : t + 1] = [True] * (t + 1 - start)
    (label,) = [c for c, s in enumerate(sums) if s == max(sums)]
    return label, truth


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_planted_labels_follow_from_the_words(classes, sentences):
    p = Params(classes=classes, sentences=sentences, planted_words=4)
    _, texts, labels, truth = planted.make("planted", p, "train", 80)
    for words, label, deciding in zip(texts, labels, truth, strict=True):
        assert solve(words, classes) == (label, deciding.tolist())
        assert sum(w in {x for l in planted.LEXICON.values() for x in l} for w in words) == 4
        assert words.count(".") == sentences and words[-1] == "."
    assert set(labels) == set(range(classes))


@pytest.mark.parametrize("classes", [2, 5])
def test_planted_sums_give_the_label(classes):
    _, texts, labels, _ = planted.make("planted", Params(classes=classes, planted_words=4), "train", 80)
    assert [planted.sums(words, classes).argmax() for words in texts] == labels.tolist()
    assert planted.sums("a bad cook and never very good , good".split(), 2).tolist() == [1, -1]


def test_planted_truth_is_the_only_place_of_its_words():
    """Filler holds none of the words that decide, so nothing outside the truth can tell the label."""
    filler = {*planted.NEUTRAL, *planted.NOUNS, *planted.VERBS, *planted.PREPOSITIONS, "the", "and", "."}
    telling = {w for l in planted.LEXICON.values() for w in l} | {*planted.NEGATORS, *planted.INTENSIFIERS}
    assert not filler & (telling | set(planted.INDICATORS))
    assert len({w for l in planted.LEXICON.values() for w in l}) == sum(map(len, planted.LEXICON.values()))
    _, texts, _, truth = planted.make("planted", Params(), "train", 50)
    for words, deciding in zip(texts, truth, strict=True):
        assert all((w in telling) == d for w, d in zip(words, deciding, strict=True))
        assert set(words) <= filler | telling


def test_planted_parameters_do_what_they_say():
    _, texts, _, _ = planted.make("planted", Params(negation=0.0, intensifiers=1.0), "train", 40)
    assert not {"not", "never", "hardly"} & {w for words in texts for w in words}
    assert all(sum(w in planted.INTENSIFIERS for w in words) == 3 for words in texts)
    _, long, _, _ = planted.make("planted", Params(made_length=60), "train", 200)
    assert np.mean([len(words) for words in long]) == pytest.approx(60, rel=0.1)


@pytest.mark.parametrize("sentences", [1, 2])
def test_indicator_is_positive_where_its_word_occurs(sentences):
    p = Params(corpus="indicator", sentences=sentences)
    _, texts, labels, truth = planted.make("indicator", p, "train", 300)
    for words, label, deciding in zip(texts, labels, truth, strict=True):
        found = [w in ("insulin", "metformin", "glucometer", "dialysis") for w in words]
        assert found == deciding.tolist() and sum(found) == label
    assert labels.mean() == pytest.approx(p.indicator_share, abs=0.07)


class Impatient:
    """A generator that fails after so many draws: what never ends, ends here."""

    def __init__(self, draws: int):
        self.left, self.rng = draws, np.random.default_rng(0)

    def __getattr__(self, name):
        self.left -= 1
        assert self.left > 0, "no label in all these draws: this would go on for ever"
        return getattr(self.rng, name)


def test_planted_parameters_that_allow_no_label():
    """One negated word and three classes: two classes always tie at 0, and no text can have a label."""
    with pytest.raises(HeedError, match="negation"):
        planted.planted(Impatient(20_000), Params(classes=3, planted_words=1, negation=1.0))


@pytest.mark.parametrize("name", planted.MAKERS)
def test_made_texts_follow_their_data_seed(name):
    one, again, other = (planted.make(name, Params(data_seed=s), "dev", 20) for s in (0, 0, 1))
    assert one[1] == again[1] and one[2].tolist() == again[2].tolist()
    assert one[1] != other[1]
    train = planted.make(name, Params(), "train", 20)
    assert train[1] != one[1], "splits have streams of their own"
    assert train[0][0] == "train-0" and one[0][0] == "dev-0"
    more = planted.make(name, Params(), "dev", 30)
    assert more[1][:20] == one[1], "a larger split begins with the smaller one's texts"


def test_made_texts_do_not_follow_the_seed():
    assert (
        planted.make("planted", Params(seed=0), "dev", 5)[1]
        == planted.make("planted", Params(seed=1), "dev", 5)[1]
    )
