"""Chapter 10's sentences and tables."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.corpora.planted import INTENSIFIERS, NEGATORS
from heed.measures.exact import Vertex
from heed.params import Params
from heed.show import figures, ours, perturb
from heed.show.beside import Beside
from heed.show.read import read
from heed.show.strip import TokenStrip, what_if
from shown import rows

CLASSES = [f"c{k}" for k in range(8)]
PLANTED = Params(corpus="planted")


@pytest.mark.parametrize("kind", rows())
def test_something_is_said_of_every_head(kind):
    row = rows()[kind]
    for said in (
        *perturb.in_short(np.array([0.2, 0.7]), row, [row], PLANTED),
        *perturb.of_words(row, CLASSES),
        perturb.how_often(perturb.erasing([row])) + ".",
        perturb.finding_of(row, CLASSES) + ".",
        perturb.of_half_on(row, CLASSES),
        *perturb.of_game(row, perturb.kept_by_shuffles(row, PLANTED)),
    ):
        says_something(said)
    alone = perturb.alone_of(row)
    for t in range(len(row.units)):
        assert alone[t] == pytest.approx(row.probs(np.eye(len(row.units))[t])[row.shown])


@given(shares=st.lists(st.floats(0, 1), max_size=5))
def test_no_undefined_number_is_said(shares):
    shares = np.array(shares)
    for said in (
        *perturb.in_short(shares, rows()["binary"], [rows()["binary"]], PLANTED),
        *perturb.answer(shares, rows()["binary"], CLASSES, [rows()["binary"]]),
    ):
        says_something(said)
    if len(shares) == 0:
        assert perturb.answer(shares, rows()["binary"], CLASSES, []) == [perturb.NOTHING]


def test_the_texts_that_are_chosen(finished):
    evidence = finished.evidence
    several = [row for row in evidence if len(row.units) > 1]
    movable = perturb.most_movable(evidence)
    assert np.ptp(perturb.alone_of(movable)) == max(np.ptp(perturb.alone_of(row)) for row in several)
    shares = perturb.shares_alone(evidence)
    assert len(shares) == len(several) and ((shares >= 0) & (shares <= 1)).all()


def test_the_tries_mean_something(finished):
    """Against the strip's own numbers; the word that turns the prediction has less than its share."""
    texts = [row for row in finished.evidence if len(row.units) > 1]
    kept = sum(what_if(row, perturb.erased(row))["tvd"] <= perturb.KEPT for row in texts)
    assert perturb.tall_bars(texts).endswith(f"in {kept or 'none'} of {len(texts)} texts.")
    (moves,) = perturb.moved_by_erasing(texts)
    assert moves.endswith(f"in {len(texts) - kept or 'none'} of {len(texts)} texts.")
    row = rows()["binary"]
    values, weights = np.full_like(row.values, 3.0), np.full(len(row.units), 0.99 / (len(row.units) - 1))
    values[3], weights[3] = -30.0, 0.01
    turned = replace(row, values=values, attention=weights, shift=np.zeros_like(row.shift))
    turned = replace(turned, prediction=turned.probs(weights))
    (low,) = perturb.low_bars(turned, CLASSES)
    assert "“word3” has 1% of the weight" in low
    alike = replace(turned, values=np.full_like(row.values, 3.0))
    alike = replace(alike, prediction=alike.probs(weights))
    assert perturb.low_bars(alike, CLASSES) == []
    assert "tell which? Mostly: of the words with more than average" in perturb.bars_tell([turned])[0]
    even = replace(alike, attention=alike.real / alike.real.sum())
    assert perturb.bars_tell([even]) == [] == perturb.bars_tell([])
    assert perturb.headline(np.array([0.5]), turned) == "Moving weights may change nothing, or everything"
    assert perturb.headline(np.array([0.5]), alike).endswith("where it moves most the class stays")
    assert perturb.headline(np.array([0.0]), turned).endswith("moves the prediction by more than 0.05")
    little = replace(turned, values=np.where(np.arange(len(weights)) == 3, -0.1, 0.1)[:, None])
    little = replace(little, prediction=little.probs(weights))
    assert perturb.headline(np.array([0.5]), little) == "Moving weights may change nothing, or the class"


def test_what_our_sentences_teach():
    """Against the table of what was tried."""
    told, tries = perturb.taught(), ";".join(perturb.tried()["P after"]).split(";")
    taken = [one for one in tries if " to 0: " in one]
    assert told[0].startswith(f"Of {len(taken)} words that lose their weight")
    assert f"and {sum('is predicted' in one for one in taken)} change the class." in told[0]


def test_what_our_sentences_ask_for_is_done():
    """Against the strip's own numbers: each word that is quoted, and the top one where it is asked for."""
    table = perturb.tried()
    assert len(table) == len(ours.kept()) and table["P after"].str.len().min() > 0
    for one, (_, told) in zip(ours.kept().values(), table.iterrows(), strict=True):
        row = one.row()
        if "Erase top" in one.ours.shows:
            there = what_if(row, perturb.erased(row))["prediction"]
            flips = there.argmax() != row.prediction.argmax()
            assert f" to 0: {there[row.prediction.argmax()]:.2f}" in told["P after"]
            assert (f"so {one.classes[there.argmax()]} is predicted" in told["P after"]) == flips


def test_every_word_is_drawn():
    row = rows()["binary"]
    alone = perturb.alone_of(row)
    figure = figures.word_alone(row.units, row.attention, alone, row.prediction[row.shown], "positive", 0.05)
    bars, dots = figure.axes[0].patches, figure.axes[1].lines[1:]
    assert [bar.get_width() for bar in bars] == pytest.approx([*row.attention])
    assert [dot.get_xdata()[0] for dot in dots] == pytest.approx([*alone])
    near = np.abs(alone - row.prediction[row.shown]) <= 0.05
    assert [dot.get_fillstyle() == "full" for dot in dots] == [*near]


def test_where_an_optimum_lies():
    row = rows()["binary"]
    assert perturb.where(row, Vertex(0.5, 2, 2, 1.0)) == "all weight on “word2” (word 3)"
    both = perturb.where(row, Vertex(0.5, 0, 3, 0.25))
    assert both == "0.25 on “word0” (word 1) and 0.75 on “word3” (word 4)"


def test_two_models_exchange_weights(finished):
    reads = [read("the bad garden .", finished)] * 2
    both = Beside(*reads, names=("one", "other"))
    told, back = perturb.exchanged(both, reads)
    assert " has the " in told and told.endswith("**Original** gives it its own back.")
    assert back.startswith("The other way round P(") and " of the " in back
    others = [SimpleNamespace(run=f"planted/{name}-additive/0") for name in ("bilstm", "cnn")]
    assert perturb.models_of(others) == ["the BiLSTM", "the CNN"]
    assert perturb.strangest(reads) == [] == perturb.strangest(()), "the same weights change nothing"
    row = rows()["binary"]
    values = np.full_like(row.values, -3.0)
    values[0] = 3.0
    weights = np.full((2, len(row.units)), 0.01 / (len(row.units) - 1))
    weights[0, 0] = weights[1, 1] = 0.99
    other = [replace(row, values=values, shift=np.zeros_like(row.shift), attention=own) for own in weights]
    other = [replace(own, prediction=own.probs(own.attention)) for own in other]
    own = [SimpleNamespace(row=one, classes=["a", "b"], run=f"x/{name}-additive/0")
           for one, name in zip(other, ("bilstm", "cnn"), strict=True)]  # fmt: skip
    (said,) = perturb.strangest(own)
    assert (
        said == "Given the weights of the CNN, the BiLSTM changes its mind about one sentence that we wrote."
    )
    crossed = Beside(*other, names=("one", "other"), classes=["a", "b"])
    told = perturb.exchanged(crossed, own)
    assert "Below the " in told[-2]
    assert np.array_equal(crossed.strips[0].attention, crossed.strips[1].attention), "one has the other's"
    assert perturb.read_by_each("the bad garden .", [finished] * 2, None)[1].row.units == reads[0].row.units
    apart = SimpleNamespace(apart={"tvd": 0.1, "jsd": None})
    assert perturb.exchanged(apart, reads) == ["The two models cut the text into different words."]
    assert perturb.partners([finished], finished) == []


def test_a_strip_has_what_it_was_given():
    row = rows()["binary"]
    strip = TokenStrip(row, classes=["a", "b"])
    with pytest.raises(AssertionError):
        perturb.check(what_if(row, row.attention), strip, row)
    strip.attention = perturb.erased(row)
    perturb.check(what_if(row, row.attention), strip, row)


def test_words_that_would_do_alone(finished):
    texts = finished.evidence
    said = perturb.in_short(np.array([0.2, 0.7, 0.9, 1.0]), rows()["binary"], texts, PLANTED)
    assert said[0].endswith("read 4 test texts of `planted`, which heed makes.")
    assert said[1].startswith("In 75.0% of them at least half of the words *would do alone*")
    several = [row for row in texts if len(row.units) > 1]
    turned = [
        any(
            row.probs(np.eye(len(row.units))[t]).argmax() != row.prediction.argmax()
            for t in np.flatnonzero(row.real)
        )
        for row in several
    ]
    told = perturb.some_word(texts)
    assert told == (
        [f"In {np.mean(turned):.1%} there is a word that, given all attention, changes the class."]
        if any(turned)
        else []
    )
    (counts,) = perturb.turned_alone(texts)
    assert f"can change the class in {sum(turned) or 'none'} of {len(several)} texts (" in counts
    (one,) = perturb.turned_alone(several[:1])
    assert ("one word can change the class of the one text" in one) == turned[0]
    assert perturb.turned_alone([]) == [] == perturb.moved_by_erasing([])
    assert perturb.typical(np.array([0.2, 0.7])) == (
        "In 50.0% of 2 texts at least half of the words would do alone"
    )


def test_the_rule_is_worked_out():
    """Every word of the rule's kind is named, and the sum gives the label, or nothing is said."""
    assert all(f"*{word}*" in perturb.rule() for word in (*NEGATORS, *INTENSIFIERS))
    words = "the hardly poor cook and the very dull menu".split()
    row = replace(rows()["binary"], units=words, label=0)
    (said,) = perturb.worked_out(row, ["negative", "positive"])
    assert said == "By the rule (+ for positive): “hardly poor” +1, “very dull” −2. So its label is negative."
    assert perturb.worked_out(replace(row, label=1), ["negative", "positive"]) == []
    assert perturb.worked_out(row, CLASSES) == []


def test_how_often_erasing_changes_the_class(finished):
    """On planted against a count by the strip's own numbers; on IMDB of the stored cells."""
    several = [row for row in finished.evidence if len(row.units) > 1]
    changed = [
        what_if(row, perturb.erased(row))["prediction"].argmax() != row.prediction.argmax() for row in several
    ]
    table = perturb.erasing(several)
    assert table["share"].iloc[0] == pytest.approx(np.mean(changed)) and table["texts"].iloc[0] == len(
        several
    )
    parts = table[table["name"].str.startswith("probability")]
    assert parts["texts"].sum() == len(several)
    assert (parts["share"] * parts["texts"]).sum() == pytest.approx(sum(changed))
    assert perturb.how_often(table.iloc[:1]).endswith(f"{np.mean(changed):.1%} of {len(several)} texts")
    (told,) = perturb.without_largest(table)
    assert told.startswith("Set the largest weight to 0") and told.endswith("another BiLSTM: 3.4%).")
    assert f"changes in {np.mean(changed):.1%}." in perturb.without_largest(table.iloc[:1])[0]
    (real,) = perturb.on_real_texts().to_dict("records")
    assert real["texts"] == 4152 and f"{real['share']:.1%}" == "3.4%" and real["low"] < 0.03 < real["high"]
    assert perturb.on_real_texts("planted2").empty
    labels = [label.get_text() for label in figures.erasing(table).axes[0].get_yticklabels()]
    assert labels[0] == f"all ({len(several)} texts)" and labels[-1].endswith("(4,152 texts)")
    apart = perturb.erasing(several).iloc[:0]
    assert perturb.where_unsure(apart) == []
    names = ["all", "probability from 0.95 on", "probability below 0.95"]
    numbers = {"share": [0.04, 0.02, 0.3], "texts": [110, 100, 10]}
    for low, apart in ((0.2, True), (0.04, False)):
        ends = {"name": names, "low": [0.0, 0.0, low], "high": [0.1, 0.05, 0.5]}
        found = pd.DataFrame(ends | numbers)
        said = perturb.where_unsure(found)
        assert bool(said) == apart == ("2.0% of sure texts, 30.0% of others" in perturb.how_often(found))
        assert not apart or said[0] == (
            "The class changes in 2 of 100 sure texts (a probability of 0.95 or more), and in 3 of 10 others."
        )


def test_how_often_equal_weights_change_the_class():
    row = rows()["binary"]
    flips = row.probs(row.real / row.real.sum()).argmax() != row.prediction.argmax()
    assert perturb.made_equal([row]) == [
        f"With equal weights (**Uniform**) the class changes in {'100.0' if flips else '0.0'}% of all."
    ]
    assert perturb.made_equal([]) == []


def test_a_word_is_taken_out(finished):
    sentence = "The waiter showed the guest the not bad garden."
    first, second = (read(text, finished) for text in (sentence, sentence.replace("not ", "")))
    said = perturb.without(first, second, "not")
    assert said[0].startswith("Without “not” P(") and " weight is " in said[1]
    assert len(perturb.without(first, second, "never")) == 1
    for one in said:
        says_something(one)
    assert perturb.numbered(["the", "cat", "the"]) == ["the (1)", "cat", "the (3)"]
    assert "known" not in perturb.known_read(first).columns or not first.known.all()


def test_what_the_chapter_reads_is_named():
    assert perturb.whose(PLANTED, 1) == (
        "Now *In short*'s own model, the BiLSTM. Below is its one test text."
    )
    assert "Below is the text, of 7, whose" in perturb.whose(PLANTED, 7)
