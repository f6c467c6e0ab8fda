"""Chapter 03's sentences: of every table something true, of none nothing."""

import math
from dataclasses import replace
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heed.params import Params
from heed.show import figures, permutation
from heed.show.figures.common import BINS
from heed.show.figures.numbers import quantiles

SHARE = st.floats(0, 1)
NAMES = ("bad", "good")
RUN = SimpleNamespace(params=Params(corpus="planted"), corpus=SimpleNamespace(classes=NAMES))
SHARES = permutation.stays_by_peak(permutation.drawn_of_real_text())
REAL = permutation.on_real_text()
MANY = permutation.of_corpora(pd.DataFrame(columns=["max_attention", "median_change"]), RUN.params)
NUMBERS = ["alignment", "dispersion", "peakiness", "rms_logit"]


def table(rows: list[tuple]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["max_attention", "median_change"], dtype=float)
    return made.assign(predicted=np.arange(len(made)) % 2)


def shuffles_of(found: pd.DataFrame, visible, hidden=np.nan) -> pd.DataFrame:
    """What `of_shuffles` makes, of shares that are given."""
    return pd.DataFrame(
        {"visible": visible, "hidden": hidden, "flipped": 0.0}, index=found.index, dtype=float
    )


def run_of(sureness) -> SimpleNamespace:
    """A run whose texts' first class has these probabilities, of a model with more than one logit."""
    first = np.asarray(sureness, dtype=float)
    evidence = SimpleNamespace(predictions=np.stack([first, 1 - first], axis=1), truth_is_known=True)
    evidence.head = SimpleNamespace(one_logit=False)
    return SimpleNamespace(**vars(RUN), evidence=evidence)


def evidence_of(sureness) -> SimpleNamespace:
    """The evidence of such a run with one logit."""
    evidence = run_of(sureness).evidence
    evidence.head = SimpleNamespace(one_logit=True)
    return evidence


def test_peaked_by_hand():
    found = table([(0.5, 0.01), (0.9, 0.5), (0.1, 0.2)])
    said = {True: "2 peaked texts:\n50% stay", False: "1 other text:\n0% stay"}
    assert permutation.notes(found) == said
    assert (
        "On planted that can't be told: " in permutation.between(found, "planted")
        and permutation.between(found.iloc[:2], "planted") == ""
    )
    assert [*permutation.notes(found.iloc[:2])] == [True]
    many = table([(0.9, 0.5)] * 20 + [(0.1, 0.01)] * 20)
    assert permutation.between(many, "planted") == "On planted they stay less often than the others."
    swapped = many.assign(max_attention=1 - many["max_attention"])
    assert permutation.between(swapped, "planted") == "On planted they stay more often than the others."
    visible = pd.Series([0.2, 1.0, 0.7])
    figure = figures.by_peak(found, visible, NAMES, permutation.notes(found), 1)
    (ax,) = figure.axes
    assert {*said.values()} < {text.get_text() for text in ax.texts}
    drawn = np.concatenate([points.get_offsets() for points in ax.collections])
    assert sorted(map(tuple, drawn)) == [(0.1, 0.7), (0.5, 0.2), (0.9, 1.0)]
    assert (ax.lines[0].get_xdata()[0], ax.lines[0].get_ydata()[0]) == (0.9, 1.0)
    plt.close(figure)


def test_two_shares_by_hand():
    """Newcombe 1998, table II, example (a), method 10: 56 of 70 against 48 of 80."""
    first, second = (pd.Series([True] * k + [False] * (n - k)) for k, n in ((56, 70), (48, 80)))
    assert permutation.difference(first, second) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_points_as_the_paper_saw_them():
    """And those of one class alone, by hand."""
    found = table([(0.5, 0.01), (0.9, 0.5), (0.9, 0.02), (0.8, 0.3)])
    shuffles = shuffles_of(found, [0.1, 1.0, 0.4, 0.9])
    said = permutation.as_observed(found, shuffles)
    assert said.startswith("Are there many? Of the 4 peaked texts 2 stay; that is 50% of all 4 texts. So far")
    assert said.endswith("If we ask it of at least nine in ten shuffles, only 1 does.")
    none = permutation.as_observed(found, shuffles.assign(visible=0.3))
    assert none.endswith("nine in ten shuffles, none do.")
    as_many = permutation.as_observed(found, shuffles.assign(visible=[0.1, 1.0, 0.1, 0.9]))
    assert as_many.endswith("nine in ten shuffles, 2 do.")
    assert permutation.as_observed(found.iloc[[1]], shuffles) == "Here no peaked text stays."
    assert permutation.as_observed(found.iloc[[0]], shuffles) == "The one peaked text stays."
    assert permutation.as_observed(found.assign(max_attention=0.1), shuffles) == ""
    assert permutation.by_class_too(found, NAMES) == "None of the 2 peaked texts predicted good stays."
    one = permutation.by_class_too(found.iloc[:2], NAMES)
    assert one == "The one peaked text predicted good moves."
    told = found.assign(
        alignment=[0.1, 0.6] * 2, dispersion=10, peakiness=0.4, rms_logit=[1, 4] * 2, length=101
    )
    cause = ", perhaps because their weights follow the values more closely"
    further = "A shuffle moves the logit of texts predicted good further"
    none = "None of the 2 peaked texts predicted good stays."
    why = f"{further}{cause} ({permutation.APPENDIX})."
    assert permutation.by_class_too(told, NAMES) == f"{none} {why}"
    one = permutation.by_class_too(told.iloc[:2], NAMES)
    assert one == f"The one peaked text predicted good moves. {why}"
    as_aligned = told.assign(alignment=0.3, dispersion=[10, 50] * 2)
    assert permutation.by_class_too(as_aligned, NAMES) == f"{none} {further} ({permutation.APPENDIX})."
    less = told.assign(rms_logit=[4, 1] * 2)
    assert permutation.by_class_too(less, NAMES) == "None of the 2 peaked texts predicted good stays."
    for none in (found.assign(median_change=0.5), found.assign(median_change=0.0), found.iloc[::2]):
        assert permutation.by_class_too(none, NAMES) == ""
    assert permutation.by_class_too(found, ()) == ""


def test_two_words_by_hand():
    found = permutation.two_words()
    assert [*found["logit"]] == [3, 4, 30] and [*found["logit, swapped"]] == [1, 4, 10]
    moves = 1 / (1 + math.exp(-3)) - 1 / (1 + math.exp(-1))
    assert [*found["moves by (TVD)"]] == pytest.approx([moves, 0, 0], abs=1e-4)


def test_a_run_is_told_by_its_peaked_texts():
    found, run = table([(0.5, 0.01), (0.9, 0.5), (0.1, 0.2)]), run_of([0.6] * 3)
    shuffles = shuffles_of(found, [0.1, 0.9, 0.8])
    said = permutation._of_run(run, found, shuffles)
    stays = (
        "*stays* if at least half of its shuffles move the prediction by 0.05 at most. On the [made corpus]"
    )
    peak = f"A *peaked* text has half of the attention or more on one word. A text {stays}"
    planted = "(glossary.md#made-corpora) *planted* (BiLSTM, seed 0)"
    assert said == (
        f"**A peak doesn't settle whether a text moves.** {peak}{planted} 1 of 2 peaked texts stays; if we "
        "ask it of nine shuffles in ten, 1 does."
    )
    every = permutation._of_run(run, found.assign(median_change=0.0), shuffles)
    assert every.startswith(peak) and " 2 of 2 peaked texts stay; if" in every
    none = permutation._of_run(run, found.iloc[1:].assign(max_attention=0.1), shuffles)
    assert none == f"A text {stays}{planted} none of 2 texts stay."
    one = permutation._of_run(run, found.iloc[:1], shuffles)
    assert one == f"{peak}{planted} the one peaked text stays."
    assert (
        permutation._of_run(run, found.iloc[2:], shuffles) == f"A text {stays}{planted} the one text moves."
    )


def test_other_corpora_are_told_beside_the_run():
    others = MANY[MANY["corpus"] != "planted"]["still"].dropna()
    low, high = f"{others.min():.0%}", f"{others.max():.0%}"
    said = permutation._of_others("planted", MANY, SHARES)
    assert said.startswith(f"On {len(others)} other corpora {low} to {high} of peaked texts stay.")
    assert said.endswith("Still, on sst and 20news, with BiLSTM and CNN, other texts stay more often.")
    plain = permutation._of_others("planted", MANY, SHARES.assign(below=False))
    assert plain == f"On {len(others)} other corpora {low} to {high} of peaked texts stay."
    sst = MANY[MANY["corpus"] == "sst"]
    one = permutation._of_others("planted", sst, SHARES.iloc[:0])
    assert one == f"On 1 other corpus {sst['still'].iloc[0]:.0%} of peaked texts stay."
    assert permutation._of_others("sst", sst, SHARES) == ""
    assert permutation._of_others("planted", MANY.assign(still=np.nan), SHARES) == ""


@settings(max_examples=20)  # intervals take their time
@given(st.lists(st.tuples(*[SHARE] * 4), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    found, run = table([row[:2] for row in rows]), run_of([row[2] for row in rows])
    shuffles = shuffles_of(found, [row[3] for row in rows])
    said = permutation.in_short(run, found, shuffles, MANY, SHARES)
    said += [permutation.flips_often(pd.Series(0.5, index=found.index)), permutation.other_limits(found)]
    said += [permutation.by_predicted(found, NAMES, "x"), permutation.between(found, "planted")]
    said += [permutation.by_class_too(found, NAMES), permutation.as_observed(found, shuffles)]
    said += permutation.answer(run, found, shuffles, MANY)
    said += [permutation.beside_real_text(found, run.params, REAL)]
    said += permutation.notes(found).values()
    is_sure = permutation.is_sure_of(run.evidence, found)
    said += [permutation.alike(found.assign(conicity=0.5), NAMES, is_sure)]
    assert said and all("nan" not in sentence for sentence in said)


@settings(max_examples=20)
@given(st.lists(st.tuples(*[SHARE] * 4), min_size=1, max_size=6))
def test_no_undefined_number_is_said_of_one_logit(rows):
    found = pd.DataFrame(rows, columns=NUMBERS).assign(median_change=0.1, max_attention=0.5)
    found["predicted"], found["length"] = np.arange(len(found)) % 2, 9
    found.loc[0, ["alignment", "median_change"]] = np.nan, 0.01
    evidence, shuffles = evidence_of([0.995, *[0.6] * (len(found) - 1)]), shuffles_of(found, 0.5, 0.3)
    said = [permutation.explained(found, NAMES), *permutation.by_number(found, 0).values()]
    said += [permutation.class_gap(found, NAMES), permutation.why_stay(evidence, found, shuffles)]
    said += [permutation.hides(permutation.outcomes(found, shuffles))]
    said += [permutation._in_a_word("x", found, shuffles)]
    assert all(said[i] for i in (-3, -2, -1)) and all("nan" not in sentence for sentence in said)


def test_what_tells_the_classes_apart_is_named():
    rows = table([(0.5, 0.1), (0.5, 0.6), (0.5, 0.2), (0.5, 0.8)]).assign(
        alignment=[-0.1, 0.6, 0.3, 0.6],
        dispersion=[10, 12, 10, 12],
        peakiness=0.4,
        rms_logit=[1, 4, 2, 5],
        length=101,
    )
    said = permutation.class_gap(rows, NAMES)
    assert "of texts predicted good further than that of texts predicted bad (4.5 against 1.5, " in said
    assert said.endswith("Most of that comes from their alignment.")
    further = permutation.class_gap(rows.assign(dispersion=[10, 50] * 2), NAMES)
    assert further.endswith("comes from their dispersion.")
    assert permutation.class_gap(rows.assign(rms_logit=[4, 1, 5, 2]), NAMES) == ""
    assert permutation.class_gap(rows, ()) == permutation.class_gap(rows.iloc[::2], NAMES) == ""
    assert permutation.explained(rows, NAMES).endswith("; good texts are better aligned")


def test_what_the_sigmoid_hides_is_told():
    rows = table([(0.5, 0.01), (0.5, 0.03), (0.5, 0.4), (0.1, 0.0)])
    shuffles = shuffles_of(rows, [0.2, 0.4, 0.9, 0.0], [0.6, 0.2, 0.1, 0.1])
    found = permutation.outcomes(rows, shuffles)
    assert [*found["kind"]] == ["all that stay", "peaked, stay", "all that move"]
    assert [*found["texts"]] == [3, 2, 1]
    assert [*found["visible"]] == pytest.approx([0.2, 0.3, 0.9])
    assert [*found["hidden"]] == pytest.approx([0.3, 0.4, 0.1])
    assert [*found["alike"]] == pytest.approx([0.5, 0.3, 0])
    title = permutation.hides(found)
    assert title == "In texts that stay 30% of the shuffles move the logit, not visibly the probability"
    assert permutation.hides(found.iloc[2:]).startswith("No text stays")
    figure = figures.outcomes(found)
    (ax,) = figure.axes
    widths = [bar.get_width() for bars in ax.containers for bar in bars]
    assert widths == pytest.approx([0.5, 0.3, 0, 0.3, 0.4, 0.1, 0.2, 0.3, 0.9])
    assert ax.get_yticklabels()[1].get_text() == "peaked, stay\n(2)"
    plt.close(figure)
    evidence = evidence_of([0.999, 0.6, 0.6, 0.6])
    end = "This is one seed, and the limit of 1 is our choice."
    assert permutation.why_stay(evidence, rows, shuffles) == (
        "**More often neither moves much:** in the 3 texts that stay that is so in 50% of the shuffles. In "
        "30% the sigmoid hides the move. In the 2 of these that are peaked it hides 40%. The model is sure "
        f"of 1 of the 2: one class has 0.99 or more, where the sigmoid is flat. {end}"
    )
    one = permutation.why_stay(evidence_of([0.6] * 4), rows.iloc[:1], shuffles.iloc[:1])
    assert one.startswith(
        "**Mostly the sigmoid:** in the one text that stays it hides the move in 60% of the shuffles. In 20% "
        "neither moves much. In the one of these that is peaked it hides 60%. The model is sure of none of"
    )
    plain = permutation.why_stay(evidence, rows.iloc[2:], shuffles.iloc[2:].assign(hidden=0.5))
    assert plain == (
        "**More often neither moves much:** in the one text that stays that is so in 50% of the shuffles. In "
        f"50% the sigmoid hides the move. {end}"
    )
    assert permutation.why_stay(evidence, rows.iloc[2:3], shuffles.iloc[2:3]) == ""
    assert permutation._in_a_word("x", rows, shuffles).endswith(" On x the first is more frequent.")
    hidden = permutation._in_a_word("x", rows, shuffles.assign(hidden=0.6, visible=0.1))
    assert hidden.endswith(" On x the second is more frequent.")
    assert permutation._in_a_word("x", rows, shuffles.assign(hidden=np.nan)) == ""
    assert permutation._in_a_word("x", rows.iloc[2:3], shuffles.iloc[2:3]) == ""


def test_the_question_is_answered():
    rows = table([(0.5, 0.01), (0.1, 0.03), (0.5, 0.4)])
    run = SimpleNamespace(**vars(RUN), evidence=evidence_of([]))
    shuffles = shuffles_of(rows, 0.5).assign(flipped=[0.0, 0.4, 0.5])
    few = MANY.iloc[:0]
    asked, own, others, why, peak = permutation.answer(run, rows, shuffles, MANY)
    assert asked.startswith("We began with: if attention is the reason")
    assert own == (
        "On planted (BiLSTM, one seed) the median shuffle moves the prediction by more than 0.05 in 1 of 3 "
        "texts; in 1 at least half of the shuffles change the predicted class."
    )
    least, most = MANY.iloc[0], MANY.iloc[-1]
    ends = f"{least['mean']:.2f} ({least['corpus']}) to {most['mean']:.2f} ({most['corpus']})"
    on = f"On the other corpora here it moves the prediction by {ends}, on average over texts."
    assert others == f"{on} So it depends on the corpus."
    assert permutation.answer(run, rows, shuffles, MANY.assign(mean=0.01))[2].endswith(
        "on average over texts."
    )
    assert why.startswith("Where the prediction stays, attention may still have moved the logit")
    assert peak == "And a peak is no proof for it, as some peaked texts stay."
    two = permutation.answer(run, rows.iloc[1:], shuffles.iloc[1:], few)
    assert two == [asked, own.replace("of 3", "of 2"), why]
    none = permutation.answer(run, rows.iloc[:1], shuffles.iloc[:1], few)
    assert none == [asked, own.replace("1 of 3 texts; in 1", "none of 1 text; in none"), why, peak]
    moved = permutation.answer(run, rows.assign(median_change=0.2), shuffles, MANY.iloc[:1])
    assert moved == [asked, own.replace("1 of 3", "3 of 3")]
    run.evidence = run_of([]).evidence  # of more than one logit
    assert permutation.answer(run, rows, shuffles, few) == [asked, own, peak]
    assert permutation.answer(run, rows.iloc[:0], shuffles.iloc[:0], MANY) == [permutation.NOTHING]


def test_a_share_is_told_beside_single_trainings():
    each = [share for own in REAL[REAL["encoder"] == "BiLSTM"]["still_seeds"] for share in own]
    few = table([(0.9, 0.01), (0.9, 0.3), (0.1, 0.01)])
    low, high = permutation.interval(pd.Series([True, False]))
    said = permutation.beside_real_text(few, RUN.params, REAL)
    assert said == (
        f"On planted 1 of 2 peaked texts stay (95% interval {low:.0%} to {high:.0%}). In single trainings of "
        f"the BiLSTM on sst and 20news, {min(each):.0%} to {max(each):.0%} do. So planted needn't differ "
        "from real text."
    )
    for change in (0.01, 0.3):  # all stay, or none
        apart = permutation.beside_real_text(table([(0.9, change)] * 99), RUN.params, REAL)
        assert apart.endswith(f"{max(each):.0%} do.")
    assert permutation.beside_real_text(few.iloc[2:], RUN.params, REAL) == ""
    assert permutation.beside_real_text(few, RUN.params, REAL.iloc[:0]) == ""
    assert permutation.beside_real_text(few, Params(corpus="sst"), REAL) == ""


def test_how_many_texts_are_peaked_depends_on_the_training():
    many = pd.DataFrame({"corpus": ["sst", "x"], "peaked": [0.3, 0.5]})
    rows = [("sst", "bilstm", True, 10), ("sst", "bilstm", False, 90), ("sst", "cnn", True, 9)]
    found = pd.DataFrame(rows, columns=["corpus", "encoder", "peaked", "texts"])
    assert permutation.peaks_depend(many, found) == (
        "In the BiLSTMs of the figure above 30% of sst's texts are peaked; in those of the next figure it is "
        "10%. So how many are peaked depends on the training and the word vectors, too."
    )
    assert permutation.peaks_depend(many.assign(peaked=0.12), found) == ""
    assert permutation.peaks_depend(many.iloc[1:], found) == permutation.peaks_depend(many, found[2:]) == ""
    said = permutation.peaks_depend(MANY, SHARES)
    assert (
        "28% of sst's and 13% of 20news's texts are peaked; in those of the next figure it is 8% and" in said
    )


def test_a_peak_is_a_hint_and_no_more():
    said = permutation.is_a_hint(SHARES)
    assert said.startswith("So a peak is a hint")
    own, others = SHARES[(SHARES["corpus"] == "20news") & (SHARES["encoder"] == "average")]["share"]
    assert (
        "In Average, too, shuffling a peak moves more weight; yet on 20news its peaked texts stay no less "
        f"often than the others ({own:.0%} and {others:.0%})."
    ) in said
    assert said.endswith("On sst Average has only 26 peaked texts, too few to tell.")
    clear = permutation.is_a_hint(SHARES[SHARES["encoder"] == "cnn"])
    assert clear.endswith("We expected the hint, as shuffling a peak moves more weight.")
    assert "tells nothing" in permutation.is_a_hint(SHARES.assign(below=False))


def test_other_limits_are_tried():
    found = table([(0.9, 0.01), (0.9, 0.03), (0.9, 0.07), (0.9, 0.2), (0.1, 0.01)])
    said = permutation.other_limits(found)
    assert said == "With a limit of 0.02 or 0.1 instead of 0.05, 25% or 75% of the peaked texts stay."
    assert permutation.other_limits(found.assign(median_change=0.5)).endswith(
        "0.05, none of the peaked texts stay."
    )
    assert permutation.other_limits(found.iloc[3:]) == permutation.other_limits(found.iloc[:0]) == ""


def test_shuffles_are_told_apart(finished):
    """Against the shuffles themselves, of a few texts."""
    evidence, p = finished.evidence, finished.params
    found = permutation.of_shuffles(evidence, pd.DataFrame(index=[3, 1]), p)
    for place, own in found.iterrows():
        row = evidence[place]
        shuffles = permutation.permuting.draws(row, p.permutations, p.seed)
        far = np.array([abs(row.values[:, 0] @ (a - row.attention)) >= 1 for a in shuffles])
        moves = np.array([abs(row.probs(a[None])[0] - row.prediction).max() > 0.05 for a in shuffles])
        flips = [row.probs(a[None])[0].argmax() != row.prediction.argmax() for a in shuffles]
        assert tuple(own) == pytest.approx((moves.mean(), (far & ~moves).mean(), np.mean(flips)))
    assert permutation.of_shuffles(evidence, pd.DataFrame(index=[]), p).empty
    row = evidence[3]
    one = permutation.of_one(row, p)
    shuffles = permutation.permuting.draws(row, p.permutations, p.seed)
    assert [*one["word"]] == [int(a.argmax()) for a in shuffles]
    assert one["flipped"].mean() == found["flipped"][3]
    assert (one["change"] > 0.05).mean() == found["visible"][3]


def test_a_text_that_stays_may_move_in_some_shuffles():
    one = pd.DataFrame({"word": [0, 2, 1], "change": [0.0, 0.01, 0.4], "flipped": False})
    first, second = permutation.shuffled(one)
    assert first.startswith("In 1 of 3 shuffles the prediction moves by more than 0.05, by up to 0.40. ")
    assert first.endswith("the median, moves it by 0.010.")
    stays = (
        "A text **stays** if at least half of its shuffles move the prediction by 0.05 at most. So this one "
        "stays"
    )
    assert second == f"{stays}."
    flipped = permutation.shuffled(one.assign(flipped=[False, False, True]))[1]
    assert flipped == f"{stays}, though in 1 shuffle even the predicted class changes."
    close = pd.concat([one.iloc[:2], one, one.iloc[2:]])
    assert permutation.shuffled(close.iloc[1:])[1] == f"{stays}, but it is a close case."
    both = permutation.shuffled(close.iloc[1:].assign(flipped=[False, False, False, True, True]))[1]
    assert both == f"{stays}, but it is a close case: in 2 shuffles even the predicted class changes."
    none = permutation.shuffled(one.iloc[:2])
    assert none == ["None of the 2 shuffles moves the prediction by more than 0.05: the text **stays**."]
    assert "So the text **moves**" in permutation.shuffled(one.iloc[1:])[1]
    row = SimpleNamespace(attention=np.array([0.1, 0.2, 0.7]), real=np.ones(3, bool))
    title = permutation.on_one(row, one)
    assert title == "The weight of 0.70 shuffled: the prediction moves in 1 of 3 shuffles"


def test_one_texts_shuffles_are_drawn_by_word():
    one = pd.DataFrame({"word": [0, 2, 1], "change": [0.0, 0.01, 0.4]})
    figure = figures.shuffles(["a", "b", "c"], 2, np.array([-1.0, 3.0, 0.5]), one)
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "model's own peak: “c”", "a"]
    still, moves = ax.lines[:2]
    assert [*still.get_xdata()] == [0.0, 0.01] and [*still.get_ydata().round()] == [2, 1]
    assert [*moves.get_xdata()] == [0.4] and [*moves.get_ydata().round()] == [0]
    told = [text.get_text() for text in ax.texts]
    assert told == ["2 hardly move it", "1 move it", "value", "3.0", "0.5", "−1.0"]
    plt.close(figure)
    figure = figures.shuffles(["a", "b", "c"], 2, None, one)  # of a model without values, in the text's order
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "a",
        "b",
        "model's own peak: “c”",
    ]
    plt.close(figure)
    figure = figures.shuffles(["a", "b", "a"], 1, None, one)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["a (1)", "model's own peak: “b”", "a (2)"]
    plt.close(figure)
    figure = figures.shuffles(["a"] * 99, 2, np.zeros(99), one)
    assert not len(figure.axes[0].get_yticks()) and len(figure.axes[0].lines[0].get_xdata()) == 2
    plt.close(figure)


def test_one_texts_words_are_told_apart_by_their_values():
    one = pd.DataFrame({"word": [0, 0, 1, 2], "change": [0.0, 0.04, 0.4, 0.6]})
    row = SimpleNamespace(values=np.array([[-5.0], [1.0], [2.0]]))
    said = permutation.by_value(row, one)
    assert said == (
        "The values differ, from −5.0 to 2.0. But where the highest weight falls on the one word with a "
        "value of −5.0 or below, the probability stays near 0."
    )
    other_side = permutation.by_value(SimpleNamespace(values=-row.values), one)
    assert other_side.endswith("a value of 5.0 or above, the probability stays near 1.")
    two = permutation.by_value(row, one.assign(change=[0.0, 0.0, 0.01, 0.6]))
    assert "falls on one of the 2 words with a value of 1.0 or below," in two
    mixed = SimpleNamespace(values=np.array([[1.5], [1.0], [2.0]]))
    assert permutation.by_value(mixed, one) == permutation.by_value(row, one.iloc[:2]) == ""


def test_what_the_sigmoid_hides_in_one_text(finished):
    row, p = finished.evidence[3], finished.params
    one = permutation.of_one(row, p)
    hidden = permutation.of_shuffles(finished.evidence, pd.DataFrame(index=[3]), p)["hidden"][3]
    said = permutation.reason_of_one(row, one, p)
    hardly, hides = (one["change"] <= 0.05).sum(), round(hidden * len(one))
    assert f"{hardly} of {len(one)} shuffles hardly" in said
    assert f"In {hides or 'none'} of these" in said and ("the sigmoid hides" in said) == (hides > hardly / 2)
    assert permutation.reason_of_one(row, one.assign(change=0.5), p) == ""
    far, flat = (replace(row, values=times * row.values) for times in (1000, 0))
    assert "So mostly the sigmoid hides" in permutation.reason_of_one(far, one.assign(change=0.0), p)
    assert permutation.reason_of_one(flat, one, p).endswith(
        "In none of these the logit moves by 1 or more (enough to take a probability of 0.5 to 0.73)."
    )


def test_flips_are_counted():
    said = permutation.flips_often(pd.Series([0.0, 0.6, 0.2, 0.4]))
    assert said.startswith("In 1 of 4 texts at least half")
    assert permutation.flips_often(pd.Series([0.0, 0.1])).startswith("In none of 2 texts")
    assert permutation.flips_often(pd.Series([0.1])).startswith("In the one text less than half")
    assert permutation.flips_often(pd.Series([0.5])).startswith("In the one text at least half")


def test_peaked_texts_stay_less_as_far_as_intervals_tell():
    """Against the committed quantiles, read in another way."""
    assert [*SHARES["corpus"].unique()] == ["sst", "20news"] and (SHARES["texts"] >= 20).all()
    assert [*SHARES["encoder"].unique()] == ["bilstm", "average", "cnn"]
    drawn = permutation.drawn_of_real_text()
    for row in SHARES.itertuples():
        stay = texts = 0
        for group in ("0", "1"):
            sizes = drawn[row.corpus][row.encoder, group, "texts"]
            for i, bin in enumerate(BINS):
                if (i >= 2) == row.peaked and sizes[i]:
                    values = drawn[row.corpus][row.encoder, group, f"median_change of peak {bin}"]
                    stay, texts = stay + sizes[i] * (values <= 0.05).mean(), texts + sizes[i]
        assert row.texts == texts and row.share == pytest.approx(stay / texts, abs=0.03)
        assert row.low <= row.share <= row.high
    for _, own in SHARES.groupby(["corpus", "encoder"]):
        peaked, others = (own[own["peaked"] == kind].iloc[0] for kind in (True, False))
        assert peaked["below"] == others["below"]
        if peaked["high"] < others["low"]:  # apart by themselves, then the more in their difference
            assert peaked["below"]
        if peaked["share"] >= others["share"]:
            assert not peaked["below"]
    less = "peaked texts stay less often than the others"
    assert permutation.stays_less(SHARES) == f"With BiLSTM and CNN {less}"
    assert permutation.stays_less(SHARES[SHARES["encoder"] == "cnn"]) == f"With CNN {less}"
    none = permutation.stays_less(SHARES.assign(below=False))
    assert none == "With no encoder do peaked texts clearly stay less often than the others"
    figure = figures.stays(SHARES)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[0] == "sst,\nBiLSTM" and len(labels) == 6 and len(figure.axes[0].containers) == 2
    plt.close(figure)


@pytest.mark.parametrize("n", [20, 41])
def test_those_that_stay_are_counted_from_stored_quantiles(n):
    values = np.sort(np.random.default_rng(n).random(n)) * 0.1
    drawn = {("cnn", "0", "texts"): np.array([n, 0, n, 0])}
    for bin in BINS:
        drawn["cnn", "0", f"median_change of peak {bin}"] = quantiles(values)
    found = permutation.stays_by_peak({"sst": drawn})
    assert [*found["share"]] == pytest.approx([(values <= 0.05).mean()] * 2, abs=1 / n + 1e-9)
    few = drawn | {("cnn", "0", "texts"): np.array([n, 0, 19, 0])}
    assert permutation.stays_by_peak({"sst": few}).empty


def test_nothing_is_said_of_no_text():
    nothing, empty = [permutation.NOTHING], table([])
    assert permutation.in_short(run_of([]), empty, shuffles_of(empty, []), MANY, SHARES) == nothing
    assert permutation.answer(RUN, empty, shuffles_of(empty, []), MANY) == nothing
    assert permutation.aligned_moves(permutation.of_classes_on_real_text().iloc[:0]) == ""


def test_what_explains_is_named_first():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.uniform(size=(30, 3)), columns=["peakiness", "dispersion", "alignment"])
    found["rms_logit"] = found["dispersion"]
    found.loc[0, "alignment"] = np.nan
    assert permutation.explains(found).index[0] == "dispersion"
    finding = "Dispersion goes most with what a shuffle does to the logit"
    assert permutation.explained(found, ()) == finding
    assert permutation.by_number(found, 0)["dispersion"] == "1.00 (1.00 to 1.00)"
    figure = figures.explained(found.assign(predicted=0), ("bad", "good"), {"dispersion": "1.00"})
    assert [[text.get_text() for text in ax.texts] for ax in figure.axes] == [
        [],
        ["rank correlation\n1.00"],
        [],
    ]
    plt.close(figure)
    flat = found.assign(rms_logit=1.0, alignment=0.5)
    assert "All texts are alike" in permutation.explained(flat, ()) and permutation.by_number(flat, 0) == {}


def test_the_formula_is_held_against_draws(finished):
    """It raises AssertionError where they aren't one another's."""
    for i in range(5):
        row = finished.evidence[i]
        assert permutation.sampled(row).startswith("20,000 simulated shuffles give")


def test_the_papers_claim_is_judged_on_real_text():
    """Against the committed rows, a mean over seeds an encoder."""
    rows = permutation.verdict.committed().query("measure == 'peaked_still' and `class` == 'overall'")
    rows = rows[(rows["profile"] == "paper") & (rows["attention"] == "additive")]
    encoders = ["BiLSTM", "Average", "CNN"]
    assert [*REAL["corpus"]] == ["sst"] * 3 + ["20news"] * 3 and [*REAL["encoder"]] == encoders * 2
    for row in REAL.itertuples():
        name = {"BiLSTM": "bilstm", "Average": "average", "CNN": "cnn"}[row.encoder]
        own = rows[(rows["corpus"] == row.corpus) & (rows["encoder"] == name)]
        assert row.still == pytest.approx(own["mean"].mean()) and len(own) == row.seeds == 5
        assert row.peaked_seeds == [*(own["n"] - own["undefined"])] and row.still_seeds == [*own["mean"]]
    shown = permutation.moved_and_still(REAL)
    assert shown.iloc[0, 2].startswith(f"{REAL['mean'].iloc[0]:.2f} (")
    assert [shown.iloc[0, 3].split()[0]] == [f"{np.mean(REAL['peaked_seeds'].iloc[0]):.0f}"]
    assert shown.iloc[0, 4].startswith(f"{REAL['still'].iloc[0]:.0%} (")
    assert permutation.moved_and_still(REAL.iloc[:0]).empty


def test_classes_are_told_apart_if_there_are_few():
    rows = table([(0.5, 0.1), (0.5, 0.3), (0.5, 0.4)]).assign(predicted=[0, 1, 1])
    none = "On planted none of 3 peaked texts stay"
    assert permutation.by_predicted(rows, ["bad", "good"], "planted") == none
    one = permutation.by_predicted(rows.iloc[:1], ["bad", "good"], "planted")
    assert one == "On planted the one peaked text moves"
    flat = rows.assign(max_attention=0.1, median_change=[0.01, 0.2, 0.3])
    assert (
        permutation.by_predicted(flat, (), "planted") == "On planted no text is peaked; 33% of 3 texts stay"
    )
    still = rows.assign(median_change=[0.3, 0.01, 0.02])
    told = permutation.by_predicted(still, ["bad", "good"], "planted")
    assert told == "On planted 2 of 3 peaked texts stay, both predicted good"
    told = permutation.by_predicted(still.assign(median_change=0.01), ["bad", "good"], "planted")
    assert told == "On planted all of 3 peaked texts stay"


def test_the_better_aligned_class_is_counted():
    """Against the carried rows, in a loop."""
    pairs = permutation.of_classes_on_real_text()
    moves = 0
    for _, own in pairs.groupby(["corpus", "encoder"]):
        (first, second) = own.sort_values("alignment")["median_change"]
        moves += second > first
    texts = len(pairs) // 2
    title = f"The better aligned class moves more in {moves} of the {texts} pairs of corpus and encoder"
    assert texts >= 9 and permutation.aligned_moves(pairs) == title
    peaked = only = 0
    for _, own in pairs.groupby(["corpus", "encoder"]):
        low, high = own.sort_values("median_change").to_dict("records")
        peaked += high["peakiness"] > low["peakiness"]
        low, high = own.sort_values("alignment").to_dict("records")
        only += high["median_change"] > low["median_change"] and high["rms_logit"] <= low["rms_logit"]
    said = permutation.beside_alignment(pairs)
    assert said.startswith(f"In {only} of these its logit moves less: there alignment doesn't explain it.")
    assert said.endswith(f"moves more in {peaked}: the two fit about equally well.")
    flat = permutation.beside_alignment(pairs.assign(peakiness=0.5))
    assert flat.endswith("moves more in none.")
    every = pairs.assign(median_change=pairs["higher"].astype(float))
    assert f"in all {texts} pairs" in permutation.aligned_moves(every)
    assert permutation.beside_alignment(pairs.iloc[:0]) == ""
    gaps = permutation.gaps_of_aligned(pairs)
    figure = figures.aligned_on_real_text(gaps)
    for ax, column in zip(figure.axes, ("median_change", "rms_logit"), strict=True):
        full, hollow = [line.get_xdata() for line in ax.lines[:2]]
        assert len(full) == (gaps[column] > 0).sum() and len(full) + len(hollow) == texts
    plt.close(figure)


def test_corpora_are_drawn_from_least_to_most():
    rows = table([(0.5, 0.05), (0.5, 0.15)])
    found = permutation.of_corpora(rows, RUN.params)
    means = found.set_index("corpus")["mean"]
    assert means.is_monotonic_increasing and "babi3-1k" not in means
    assert means["planted"] == pytest.approx(0.1)
    assert means.drop("planted").to_dict() == pytest.approx(permutation._carried().to_dict())
    assert "planted" not in {*permutation.of_corpora(rows, Params(corpus="planted", encoder="cnn"))["corpus"]}
    assert found.loc[found["asks"], "corpus"].str.startswith(("babi", "world")).all()
    own = found.set_index("corpus").loc["planted"]
    assert own["peaked"] == 1 and np.isnan(own["still"]), "two texts are too few"
    many = table([(0.5, 0.05)] * 15 + [(0.5, 0.2)] * 5)
    assert permutation.of_corpora(many, RUN.params).set_index("corpus")["still"]["planted"] == 0.75
    said = permutation.least_and_most(found)
    ends = f"by {means.iloc[0]:.2f} on {means.index[0]}, by {means.iloc[-1]:.2f} on {means.index[-1]}"
    assert said == f"The median shuffle moves the prediction {ends} (means over texts)"
    said = permutation.which_corpora(found)
    assert said.startswith("*How it was counted.* Means over texts and seeds; each seed is a hollow mark. ")
    assert "fewer than 20 peaked" in said and "(part): " in said
    stored = "How often the predicted class changes isn't stored for these runs."
    assert said.endswith(f"Left out: 1 corpus on which the model only guesses. {stored}")
    wrong = "On world3 most answers are wrong, so there a move says little."
    assert permutation.wrong_answers(found) == wrong
    one = found[found["corpus"] == "sst"].assign(part=False)
    assert permutation.wrong_answers(one) == ""
    assert "(part)" not in permutation.which_corpora(one)
    assert permutation.wrong_answers(one.assign(corpus="no such corpus")) == ""
    assert permutation.least_and_most(found.iloc[:1]).endswith(f"on {means.index[0]} (means over texts)")
    for is_narrow in (False, True):
        figure = figures.over_corpora(found, is_narrow)
        (ax,) = figure.axes
        assert (
            ax.get_xlim() == (-0.02, 1) and ax.get_yticklabels()[0].get_text() == f"{means.index[0]} (part)"
        )
        full = [line.get_xdata()[0] for line in ax.lines if line.get_fillstyle() == "full"]
        assert full == [*means]
        hollow = [[*line.get_xdata()] for line in ax.lines if line.get_fillstyle() == "none"]
        assert hollow == [own for own in found["seeds"] if len(own) > 1]
        cells = [text.get_text() for text in ax.texts]
        at = cells.index("of these\nstay") + 1 + 3 * [*found["corpus"]].index("planted")
        assert cells[at : at + 3] == ["0.10", "100%", "–"]
        assert (figure.get_figwidth() < 4) == is_narrow, "it fits a phone"
        plt.close(figure)


def test_where_attention_is_peaked_the_prediction_moves_most():
    rows = [("a", 0.1, 0.4), ("b", 0.2, 0.0), ("c", 0.8, 0.9)]
    many = pd.DataFrame(rows, columns=["corpus", "mean", "peaked"])
    said = permutation.why_by_corpus(many)
    assert said.startswith(
        "The prediction moves furthest on c, where most texts are peaked (90%) and a shuffle"
    )
    assert "on b, where hardly any of the texts are peaked, it moves further (0.20) than on a" in said
    assert said.endswith("on a, where 40% are (0.10). We haven't tested why.")
    few = permutation.why_by_corpus(many.assign(peaked=[0.4, 0.2, 0.9]))
    assert "on b, where 20% of the texts are peaked," in few
    in_order = permutation.why_by_corpus(many.assign(peaked=[0.0, 0.1, 0.9]))
    assert in_order.endswith("takes the weight off the peak.")
    for shares in ([0.0, 0.1, 0.2], [0.6, 0.7, 0.8], [0.9, 0.1, 0.2]):
        assert permutation.why_by_corpus(many.assign(peaked=shares)) == ""


def test_the_answer_begins_with_the_spread_over_corpora():
    rows, means = table([(0.5, 0.2), (0.5, 0.4)]), MANY["mean"]
    told = permutation.over_corpora(MANY)
    names = MANY["corpus"]
    ends = f"{means.min():.2f} ({names[means.idxmin()]}) to {means.max():.2f} ({names[means.idxmax()]})"
    middle = (
        "Sort a text's shuffles by how far they move the BiLSTM's prediction, and take the middle one. On "
        "average over texts it moves it by"
    )
    assert told == f"**It depends on the corpus.** {middle} {ends}."
    run, shuffles = run_of([0.5, 0.6]), shuffles_of(rows, 0.9)
    assert permutation.in_short(run, rows, shuffles, MANY, SHARES)[0] == told
    sst = MANY[MANY["corpus"] == "sst"]
    for mean, how in ((0.3, "**Much would change.**"), (0.01, "**Little would change.**")):
        assert permutation.over_corpora(sst.assign(mean=mean)) == f"{how} {middle} {mean:.2f} (sst)."
    assert permutation.over_corpora(MANY.iloc[:0]) == ""
    first = permutation.in_short(run, rows, shuffles, MANY.iloc[:0], SHARES)[0]
    assert first.startswith("A *peaked* text has")


def test_alike_states_are_read():
    several = pd.DataFrame({"median_change": [0.1, 0.2, 0.3], "conicity": [0.9, 0.8, 0.7], "predicted": 0})
    said = permutation.alike_says(several, "planted")
    assert said.endswith("states closer to one line move less (rank correlation −1.00)")
    assert permutation.alike(several.iloc[:2], NAMES, np.ones(2, bool)) == ""
    weak = several.assign(conicity=[0.7, 0.9, 0.7])
    assert "hardly tells" in permutation.alike_says(weak, "planted")
    assert "too few texts" in permutation.alike_says(several.iloc[:2], "planted")
    both = pd.concat([several, several.assign(predicted=1, conicity=[0.7, 0.8, 0.9])])
    assert permutation.alike(both, NAMES, np.ones(6, bool)) == "Within each class, that isn't always so."
    twice = pd.concat([several, several.assign(predicted=1)])
    said = permutation.alike(twice, NAMES, np.ones(6, bool))
    assert said == "Within each class, it is −1.00."
    twice["median_change"] = [0.1, 0.2, 0.3, 0.3, 0.1, 0.35]
    told = permutation.alike(twice, NAMES, np.arange(6) < 3)
    assert told == "Within each class, and within the sure and the unsure texts, it is −1.00 to −0.50."
    assert permutation.alike(several, NAMES, np.ones(3, bool)) == ""
    assert permutation.alike(both, (), np.ones(6, bool)) == ""


def test_where_one_word_decides():
    rows = pd.DataFrame(
        {"predicted": [0, 0, 1], "median_change": [0.0, 0.2, 0.9], "optimum": [0.6, 0.4, 0.1]}
    )
    said = permutation.enough(rows, ["bad", "good"])
    assert said.startswith("On indicator, as expected, shuffling moves")
    assert said.endswith("the prediction by 0.10 (bad) and 0.90 (good)")
    assert ", not as expected," in permutation.enough(rows.assign(optimum=0.5), ["bad", "good"])
    assert permutation.enough(rows.iloc[:2], ["bad", "good"]).startswith("On indicator shuffling")
    corpus = SimpleNamespace(classes=["bad", "good"])
    run = SimpleNamespace(params=RUN.params, corpus=corpus)
    assert "of one BiLSTM encoder (seed 0)" in permutation.as_foretold(run, rows)
    assert "Such words are enough here" in permutation.as_foretold(run, rows)
    assert "*not* enough here" in permutation.as_foretold(run, rows.assign(optimum=0.5))
    assert "enough" not in permutation.as_foretold(run, rows.iloc[:2])
    figure = figures.one_word(rows, ["bad", "good"])
    said = [text.get_text() for text in figure.axes[0].texts]
    assert said == ["mean 0.10", "mean 0.90", "most possible: 1"]
    plt.close(figure)
