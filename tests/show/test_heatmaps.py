"""Chapter 05's sentences and tables, and the emblem."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.experiments import heatmaps as measured
from heed.measures import permutation
from heed.params import Params
from heed.runs.summaries import of_several
from heed.show import heatmaps
from heed.show.figures.common import WIDTH

SHARE = st.floats(0, 1)
PLANTED = Params(corpus="planted")
NO_TRUTH = pd.DataFrame()
COLUMNS = [
    "optimum",
    "found",
    "median_change",
    "change_found",
    "punctuation",
    "punctuation_units",
    "tau_gradient",
]


def table(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS, dtype=float)


@given(rows=st.lists(st.tuples(*[SHARE] * 6, SHARE | st.just(np.nan)), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    found = table(rows)
    for said in (
        *heatmaps.in_short(found, NO_TRUTH, PLANTED),
        *heatmaps.answer(found, NO_TRUTH, PLANTED, "exact"),
        heatmaps.moves(found, PLANTED),
        heatmaps.on_punctuation(found),
        heatmaps.freedom_by_third(heatmaps.thirds(found)),
    ):
        says_something(said)


def test_nothing_is_said_of_no_text():
    assert heatmaps.in_short(table([]), NO_TRUTH, PLANTED) == [heatmaps.NOTHING]
    assert heatmaps.answer(table([]), NO_TRUTH, PLANTED, "exact") == [heatmaps.NOTHING]


def test_by_hand():
    found = table([(0.65, 0.1, 0.5, 0, 0, 0, 0.1), (0.3, 0.3, 0.0, 0, 0, 0, 0.2)])
    assert heatmaps.farthest(found, PLANTED) == (
        "On the [made corpus](glossary.md#made-corpora) planted (BiLSTM, one seed) the most different "
        "heatmap that moves the prediction by 0.01 at most lies on average at "
        f"{0.475 / np.log(2):.0%} of the greatest distance ([JSD](glossary.md#jsd)) from the model's own."
    )
    far = "a second heatmap that is almost as different as possible (JSD above 0.6) and keeps the prediction"
    whose = "whose prediction a typical shuffle (the median of 100) moves by more than 0.1"
    said = heatmaps.moves(found, PLANTED)
    assert said == f"1 of 2 texts has {far} within ε = 0.01. So has the one text {whose}."
    assert f"So has 1 of the 2 texts {whose}." in heatmaps.moves(found.assign(median_change=0.5), PLANTED)
    near = found.assign(median_change=0.5, optimum=0)
    assert heatmaps.moves(near, PLANTED).startswith(f"None of 2 texts have {far}")
    assert heatmaps.moves(near, PLANTED).endswith(f"None of the 2 texts {whose} has one.")
    assert heatmaps.moves(found.head(1), PLANTED).startswith(f"The one text here has {far}")
    assert heatmaps.moves(found.tail(1), PLANTED).startswith(f"The one text here has not {far}")
    assert heatmaps.moves(found.assign(median_change=0.0), PLANTED).endswith(
        "no prediction by more than 0.1."
    )
    assert len(heatmaps.moved_by_shuffling(found, 0.01)) == 1
    assert len(heatmaps.moved_by_shuffling(found.assign(median_change=0.0), 0.01)) == 2
    assert heatmaps.on_punctuation(found).startswith("No word here is punctuation")
    assert heatmaps.thirds(found).empty
    mass = pd.DataFrame(
        {"original": [0.5, 0.7], "permuted": 0.3, "search": 0.2, "exact": 0.1, "chance": 0.25}
    )
    said = heatmaps.in_short(found, mass, PLANTED)[3]
    assert said.startswith("On planted the model's own heatmap puts 60% of") and heatmaps.above_chance(
        mass, PLANTED
    ) == [
        "original",
        "permuted",
    ]
    assert said.endswith("that decide the label (chance: 25%).")
    assert heatmaps.shows_truth(mass.drop(columns="chance").mean(), 0.25).endswith(
        "puts 60% of its weight on the deciding words (others 10% to 30%; chance 25%)"
    )
    believe = heatmaps.answer(found, mass, PLANTED, "exact")[-1]
    assert "has 60% of its weight on the deciding words, more than chance (25%). But" in believe
    assert "stays with 20% and 10% there, too: it needn't rest on" in believe
    low = mass.assign(original=0.2)
    assert "not clearly more than chance (25%)" in heatmaps.answer(found, low, PLANTED, "exact")[-1]
    few = mass.drop(columns=["search", "exact"])
    assert heatmaps.answer(found, few, PLANTED, "exact")[-1].endswith("chance (25%).")


def test_a_second_heatmap_on_real_text():
    """The stored runs' means, as chapter 04 has them."""
    real = heatmaps.on_real_text().set_index(["corpus", "encoder"]).loc[("sst", "bilstm")]
    where = f"(SST, stored runs of the BiLSTM with {real['seeds']:.0f} seeds)"
    lies = f"it lies at {real['optimum'] / np.log(2):.0%}"
    assert heatmaps.on_films(0.01) == f"On film reviews {where} {lies}."
    assert heatmaps.on_films(0.1) == f"On film reviews {where} {lies} (the prediction moves by 0.01 at most)."


def test_punctuation_of_real_corpora():
    """Of corpora that have any, the one with the most attention on it first."""
    said = heatmaps.punctuation_on_real_text()
    shares = [float(share) for share in re.findall(r"([\d.]+)% on", said)]
    assert shares == sorted(shares, reverse=True) and len(shares) > 1 and "sst" not in said


def test_whether_other_words_carry_the_decision(finished):
    """By hand: a mean over the predicted classes, so that words that always say one class gain nothing."""
    words = pd.DataFrame({"predicted": [0, 0, 1], "deciding": [1.0, 0.5, 0.75], "others": [1.0, 1.0, 0.0]})
    said = heatmaps.carried_elsewhere(words)
    assert "for 50% of these words" in said and "for 75% (3 texts;" in said and "hardly carry" in said
    assert "no more often" not in said
    assert heatmaps.carried_elsewhere(words.assign(others=0.9)).endswith(
        "no more often than another word. The states of words that don't decide carry the decision, too."
    )
    assert heatmaps.carried_elsewhere(words.iloc[:0]) == ""
    found = heatmaps.alone(finished.evidence)
    for row, own in zip(finished.evidence, found.to_dict("records"), strict=True):
        t = int(np.flatnonzero(row.truth)[0])
        same = row.probs(np.eye(len(row.units))[t]).argmax() == own["predicted"]
        assert (own["deciding"] > 0 if same else own["deciding"] < 1) and 0 <= own["others"] <= 1


def test_the_key_says_each_weight_once():
    assert "<sub>" not in heatmaps.key() and ">0.25<" in heatmaps.key()


def test_what_texts_can_be_sorted_by(finished):
    """Each column is there, is told in words, and sorts."""
    found = of_several(finished.table("heatmap"))
    assert {*heatmaps.COLUMNS} == {*found.columns} - {"id", "predicted"}
    for name in heatmaps.COLUMNS:
        values = heatmaps.sorted_by(found, name)[name]
        assert values.is_monotonic_decreasing and values.notna().all()
    assert not {*heatmaps.numbers_of(found).columns} & {*found.columns}


def test_a_chosen_text_is_checked(finished):
    """It raises AssertionError where the best heatmap moves the prediction."""
    found, evidence = of_several(finished.table("heatmap")), finished.evidence
    first = heatmaps.chosen(found, 0.01)
    assert first["optimum"] >= found["optimum"].median()
    row = evidence[evidence.ids.index(first["id"])]
    given = row, finished.params, finished.corpus.classes, permutation.linear(evidence)
    for said in heatmaps.of_text(first, *given):
        says_something(said)
    with pytest.raises(AssertionError):
        heatmaps.of_text(pd.Series({**first, "change_optimum": 0.5}), *given)


def test_weight_on_the_deciding_words(finished):
    evidence, p = finished.evidence, finished.params
    searched, adversarial = finished.arrays("adversary"), finished.table("adversarial").set_index("id")
    mass = heatmaps.on_truth(evidence, adversarial, searched, p, "exact")
    rows = [row for row in evidence if row.truth is not None and row.truth.any()]
    assert len(mass) == len(rows)
    assert mass["original"].tolist() == pytest.approx([row.attention[row.truth].sum() for row in rows])
    means = heatmaps.means_on_truth(mass, p)
    assert (means["low"] <= means["mean"]).all() and (means["mean"] <= means["high"]).all()
    said = heatmaps.shows_truth(means.set_index("heatmap")["mean"], mass["chance"].mean())
    assert f"puts {mass['original'].mean():.0%} of its weight" in said and "(others " in said
    kinds = measured.attentions(
        rows[0], adversarial.loc[rows[0].id], searched[rows[0].id], p.permutations, p.seed
    )
    said = heatmaps.told(rows[0], kinds, finished.corpus.classes)
    assert f"from {rows[0].prediction.max():.3f} to " in said
    drawn = heatmaps.drawn(rows[0], kinds, {}, units=3)
    assert drawn["image/svg+xml"].startswith("<?xml") and "original" in drawn["text/plain"]


def test_the_papers_examples_are_found_by_how_they_begin(finished):
    row = finished.evidence[0]
    begins = " ".join([unit for unit in row.units if unit.isalnum()][:3])
    reported = {"source": "the paper", "change_found": 0.01, "median_change": np.nan, "tau_gradient": 0.5}
    examples = pd.DataFrame([reported | {"phrase": begins}, reported | {"phrase": "no such text"}])
    (name, told), (nothing, missing) = heatmaps.examples_of(examples, finished.evidence, {})
    assert name in finished.evidence.ids and "Δŷ of its adversary 0.01, τ with the gradient 0.5" in told
    assert nothing == "" and "isn't in this test split" in missing
    assert heatmaps.examples_of(examples.head(0), finished.evidence, {}) == []


def test_the_emblem_is_two_heatmaps_and_one_prediction():
    row, other, name, c = heatmaps._emblem()
    assert abs(row.probs(other)[c] - row.prediction[c]) <= heatmaps.EPSILON + 1e-9
    assert round(row.prediction[c], 2) == round(row.probs(other)[c], 2)
    assert heatmaps.jsd(other, row.attention) > 0.6 and other.max() == 1
    assert f"{name} with 0.97 while" in heatmaps.emblem_says()
    assert (
        heatmaps.emblem_title()
        == "“Negative” with most weight on “bad”, “far” and “too”, and with all of it on “all”"
    )


def test_a_narrow_emblem_breaks_its_lines():
    """Every word stands within the card, and no line on another."""
    figure = heatmaps.emblem(WIDTH)
    pen, row = figure.canvas.get_renderer(), heatmaps._emblem()[0]
    boxes = [text.get_window_extent(pen) for text in figure.axes[0].texts]
    assert min(box.x0 for box in boxes) > 0 and max(box.x1 for box in boxes) < figure.bbox.width
    assert not any(one.overlaps(box) for i, one in enumerate(boxes) for box in boxes[:i])
    says = [text.get_text() for text in figure.axes[0].texts]
    assert [word for word in says if word in row.units] == 2 * row.units
    plt.close(figure)
    shown = heatmaps.narrow_emblem()
    assert shown["text/plain"] == heatmaps.emblem_title() and "<text" not in shown["image/svg+xml"]
