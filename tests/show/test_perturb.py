"""Chapter 10's sentences and tables."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
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
        *perturb.in_short(np.array([0.2, 0.7]), row, CLASSES, PLANTED),
        *perturb.of_erasing(row, CLASSES),
        *perturb.of_words(row, CLASSES),
        perturb.nothing_moves(row),
        perturb.finding_of(row, CLASSES, 3) + ".",
        perturb.of_half_on(row, CLASSES),
        *perturb.of_game(row, perturb.kept_by_shuffles(row, PLANTED), PLANTED),
    ):
        says_something(said)
    alone = perturb.alone_of(row)
    for t in range(len(row.units)):
        assert alone[t] == pytest.approx(row.probs(np.eye(len(row.units))[t])[row.shown])
    assert len(perturb.parts_of(row, perturb.erased(row))) == 5


@given(shares=st.lists(st.floats(0, 1), max_size=5))
def test_no_undefined_number_is_said(shares):
    shares = np.array(shares)
    for said in (
        *perturb.in_short(shares, rows()["binary"], CLASSES, PLANTED),
        *perturb.answer(shares, rows()["binary"], CLASSES, [rows()["binary"]]),
    ):
        says_something(said)
    if len(shares) == 0:
        assert perturb.answer(shares, rows()["binary"], CLASSES, []) == [perturb.NOTHING]


def test_the_texts_that_are_chosen(finished):
    evidence = finished.evidence
    several = [row for row in evidence if len(row.units) > 1]
    strong = perturb.most_erased(evidence)
    changes = {row.id: what_if(row, perturb.erased(row))["tvd"] for row in several}
    assert changes[strong.id] == max(changes.values())
    movable = perturb.most_movable(evidence)
    assert np.ptp(perturb.alone_of(movable)) == max(np.ptp(perturb.alone_of(row)) for row in several)
    shares = perturb.shares_alone(evidence)
    assert len(shares) == len(several) and ((shares >= 0) & (shares <= 1)).all()


def test_the_tries_mean_something(finished):
    """Against the strip's own numbers; the word that turns the prediction has less than its share."""
    texts = [row for row in finished.evidence if len(row.units) > 1]
    own = [one.row() for one in ours.kept().values()]
    kept, of_ours = (
        sum(what_if(row, perturb.erased(row))["tvd"] <= perturb.KEPT for row in some) for some in (texts, own)
    )
    said = perturb.tall_bars(texts)
    assert f"in {kept or 'none'} of {len(texts)} texts, and in {of_ours} of the {len(own)} that" in said
    row = rows()["binary"]
    values, weights = np.full_like(row.values, 3.0), np.full(len(row.units), 0.99 / (len(row.units) - 1))
    values[3], weights[3] = -30.0, 0.01
    turned = replace(row, values=values, attention=weights, shift=np.zeros_like(row.shift))
    turned = replace(turned, prediction=turned.probs(weights))
    (low,) = perturb.low_bars(turned, CLASSES)
    assert "“word3” has 0.01 of the weight" in low
    alike = replace(turned, values=np.full_like(row.values, 3.0))
    alike = replace(alike, prediction=alike.probs(weights))
    assert perturb.low_bars(alike, CLASSES) == []
    assert perturb.headline(np.array([0.5]), turned) == "Moving weights may change nothing, or everything"
    assert perturb.headline(np.array([0.5]), alike).endswith("where it moves most the class stays")
    assert perturb.headline(np.array([0.0]), turned).endswith("moves the prediction by more than 0.05")
    little = replace(turned, values=np.where(np.arange(len(weights)) == 3, -0.1, 0.1)[:, None])
    little = replace(little, prediction=little.probs(weights))
    assert perturb.headline(np.array([0.5]), little) == "Moving weights may change nothing, or the class"


def test_what_our_sentences_teach():
    """Against the table of what was tried."""
    told, tries = perturb.taught(), ";".join(perturb.tried()["then"]).split(";")
    taken = [one for one in tries if " to 0: " in one]
    assert told[0].startswith(f"Of {len(taken)} words that lose their weight")
    assert f"and {sum('is predicted' in one for one in taken)} change the class." in told[0]
    assert told[-1].startswith("In “The film is not bad at all.” no weight of “not” and “bad” decides")


def test_what_our_sentences_ask_for_is_done():
    """Against the strip's own numbers: each word that is quoted, and the top one where it is asked for."""
    table = perturb.tried()
    assert len(table) == len(ours.kept()) and table["then"].str.len().min() > 0
    alone = [int(near) / int(words) for near, words in table["do alone"].str.split(" of ")]
    assert alone == [*perturb.shares_alone(one.row() for one in ours.kept().values())]
    for one, (_, told) in zip(ours.kept().values(), table.iterrows(), strict=True):
        row = one.row()
        if "Erase top" in one.ours.shows:
            there = what_if(row, perturb.erased(row))["prediction"]
            flips = there.argmax() != row.prediction.argmax()
            assert f" to 0: {there[row.prediction.argmax()]:.2f}" in told["then"]
            assert (f"so {one.classes[there.argmax()]} is predicted" in told["then"]) == flips


def test_words_that_would_do_alone(finished):
    """The interval is Wilson's; a stricter border leaves fewer words; of no text nothing is said."""
    said = perturb.in_short(np.array([0.2, 0.7, 0.9, 1.0]), rows()["binary"], CLASSES, PLANTED)[1]
    assert said.startswith("In 3 of 4 texts that heed made (75.0%;") and "30.1% to 95.4%" in said
    evidence = finished.evidence
    assert (perturb.shares_alone(evidence, perturb.STRICT) <= perturb.shares_alone(evidence)).all()
    assert perturb.stricter([]) == "" and "0.01" in perturb.stricter(evidence)
    counted = sum((perturb.shares_alone([one.row()]) >= 0.5).sum() for one in ours.kept().values())
    only = "only " if 0 < counted < len(ours.kept()) / 2 else ""
    assert perturb.alone_in_ours()[0].startswith(f"In {only}{counted} of {len(ours.kept())} short texts")


def test_every_word_is_drawn():
    row = rows()["binary"]
    alone = perturb.alone_of(row)
    figure = figures.word_alone(row.units, row.attention, alone, row.prediction[row.shown], "positive", 0.05)
    bars, dots = figure.axes[0].patches, figure.axes[1].lines[1:]
    assert [bar.get_width() for bar in bars] == pytest.approx([*row.attention])
    assert [dot.get_xdata()[0] for dot in dots] == pytest.approx([*alone])
    near = np.abs(alone - row.prediction[row.shown]) <= 0.05
    assert [dot.get_fillstyle() == "full" for dot in dots] == [*near]


def test_how_often_erasing_changes_the_class(finished):
    """On planted against a count by the strip's own numbers; on IMDB of the stored cells."""
    several = [row for row in finished.evidence if len(row.units) > 1]
    count = sum(
        what_if(row, perturb.erased(row))["prediction"].argmax() != row.prediction.argmax() for row in several
    )
    told = perturb.erasing_matters(several)[0]
    assert f"of {count} of {len(several)} texts, {count / len(several):.1%} (95 % interval" in told
    assert perturb.erasing_matters([]) == []
    (said,) = perturb.on_real_texts()
    assert said.startswith("Of 4,152 real texts (IMDB") and "3.4% (95 % interval 2.9% to 4.0%)" in said
    assert perturb.on_real_texts("planted2") == []


def test_neighbours_that_would_do():
    assert perturb.numbered(["the", "cat", "the"]) == ["the (1)", "cat", "the (3)"]
    row = rows()["binary"]
    alike = replace(row, values=np.full_like(row.values, 0.3), truth=np.zeros(len(row.units), bool))
    alike = replace(alike, prediction=alike.probs(alike.attention))
    (said,) = perturb.beside(alike, [2])
    assert said.startswith("The filler beside it, “word1” (") and "“word3” (" in said
    assert perturb.beside(replace(alike, truth=np.ones(len(row.units), bool)), [2]) == []


def test_where_an_optimum_lies():
    row = rows()["binary"]
    assert perturb.where(row, Vertex(0.5, 2, 2, 1.0)) == "all weight on “word2” (word 3)"
    both = perturb.where(row, Vertex(0.5, 0, 3, 0.25))
    assert both == "0.25 on “word0” (word 1) and 0.75 on “word3” (word 4)"


def test_a_word_is_taken_out(finished):
    sentence = "The waiter showed the guest the not bad garden."
    first, second = (read(text, finished) for text in (sentence, sentence.replace("not ", "")))
    said = perturb.without(first, second, "not")
    assert "leave-one-out puts" in said[1] and "weight" in said[2]
    units = ["a", "not", "bad"]
    both = "“not” (leave-one-out 0.90) and, less, on “bad” (leave-one-out 0.60)"
    assert perturb._depends(units, np.array([np.nan, 0.9, 0.6]), 1) == both
    assert perturb._depends(units, np.array([0.5, 0.9, 0.2]), 1) == "“not” (leave-one-out 0.90)"
    for one in said:
        says_something(one)
    assert "known" not in perturb.known_read(first).columns or not first.known.all()


def test_two_models_exchange_weights(finished):
    reads = [read("the bad garden .", finished)] * 2
    both = Beside(*reads, names=("one", "other"))
    told = perturb.exchanged(both, reads)
    assert told[0].startswith("The predictions of the first and the second are 0.00 apart") and len(told) == 3
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
    assert "'s weights the " in said and "changes its mind" in said
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
