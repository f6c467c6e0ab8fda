"""Chapter 03's sentences: of every table something true, of none nothing."""

import math
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
NUMBERS = ["alignment", "dispersion", "peakiness", "rms_logit"]


def table(rows: list[tuple]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["max_attention", "median_change"], dtype=float)
    return made.assign(predicted=np.arange(len(made)) % 2)


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
    assert permutation.notes(found) == {
        True: "of 2 peaked texts\n50% stay\n(95%: 9% to 91%)",
        False: "of 1 other text\n0% stay\n(95%: 0% to 79%)",
    }
    assert "can't be told here: " in permutation.between(found) and permutation.between(found.iloc[:2]) == ""
    assert [*permutation.notes(found.iloc[:2])] == [True]
    many = table([(0.9, 0.5)] * 20 + [(0.1, 0.01)] * 20)
    assert permutation.between(many) == "Peaked texts stay less often than the others."
    swapped = many.assign(max_attention=1 - many["max_attention"])
    assert permutation.between(swapped) == "Peaked texts stay more often than the others."
    figure = figures.moved(found, NAMES, permutation.notes(found))
    assert "of 2 peaked texts\n50% stay\n(95%: 9% to 91%)" in [
        text.get_text() for text in figure.axes[0].texts
    ]
    plt.close(figure)


def test_two_shares_by_hand():
    """Newcombe 1998, table II, example (a), method 10: 56 of 70 against 48 of 80."""
    first, second = (pd.Series([True] * k + [False] * (n - k)) for k, n in ((56, 70), (48, 80)))
    assert permutation.difference(first, second) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_points_as_the_paper_saw_them():
    """And those of one class alone, by hand."""
    found = table([(0.5, 0.01), (0.9, 0.5), (0.9, 0.02), (0.8, 0.3)])
    assert permutation.as_observed(found) == "Of the 4 peaked texts 2 are such points."
    assert permutation.as_observed(found.iloc[[1]]) == "Here there is no such point."
    assert permutation.as_observed(found.assign(max_attention=0.1)) == ""
    assert permutation.by_class_too(found, NAMES) == "None of the 2 peaked texts predicted good stays."
    one = permutation.by_class_too(found.iloc[:2], NAMES)
    assert one == "The one peaked text predicted good moves."
    told = found.assign(
        alignment=[0.1, 0.6] * 2, dispersion=10, peakiness=0.4, rms_logit=[1, 4] * 2, length=101
    )
    why = f". Over all texts shuffling moves this class's logit further ({permutation.APPENDIX})."
    assert permutation.by_class_too(told, NAMES) == f"None of the 2 peaked texts predicted good stays{why}"
    assert permutation.by_class_too(told.iloc[:2], NAMES) == f"The one peaked text predicted good moves{why}"
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
    said = permutation._of_run(run, found)
    assert said.endswith(
        "(BiLSTM, seed 0) 50% of the texts with half of the attention or more on one word stay (by the "
        "median shuffle)."
    )
    assert "all of the texts with half" in permutation._of_run(run, found.assign(median_change=0.0))
    assert "none of the texts stay" in permutation._of_run(run, found.iloc[1:].assign(max_attention=0.1))
    one = permutation._of_run(run, found.iloc[:1])
    assert one.endswith("the one text with half of the attention or more on one word stays.")
    assert "the one text moves" in permutation._of_run(run, found.iloc[2:])
    still, each = permutation._seen(SHARES, REAL)
    low, high = f"{still.min():.0%}", f"{still.max():.0%}"
    assert {*still} == {*SHARES.loc[SHARES["peaked"].astype(bool), "share"]}, "those of the figure"
    assert each.startswith("one seed of each; in other runs ") and each.endswith("%, means over 5 seeds")
    assert permutation._seen(SHARES, REAL.iloc[:0])[1] == "one seed of each"
    on = f"On film reviews (sst) and messages of two newsgroups (20news) {low} to {high} of"
    short = permutation.in_short(run, found.assign(max_attention=0.1), SHARES, REAL)
    assert any(said.startswith(f"{on} the texts with half of the attention") for said in short)
    short = permutation.in_short(run, found, SHARES, REAL)
    assert f"{on} such texts stay, by corpus and encoder ({each})." in short
    less = "There, with BiLSTM and CNN, they stay less often than the other texts"
    assert f"{less}; on planted that can't be told." in short
    many = table([(0.9, 0.5)] * 20 + [(0.1, 0.01)] * 20)
    assert permutation._of_real(run, many, SHARES, REAL)[1] == f"{less}."
    assert len(permutation._of_real(run, found, SHARES.assign(below=False), REAL)) == 1
    one = permutation._of_real(run, found, SHARES.iloc[:0], REAL[:1])
    each = permutation._over_seeds(REAL[:1])
    assert one == [f"On film reviews (sst) {REAL['still'][0]:.0%} of such texts stay ({each})."]
    assert permutation._of_real(run, found, SHARES.iloc[:0], REAL.iloc[:0]) == []


@settings(max_examples=20)  # intervals take their time
@given(st.lists(st.tuples(SHARE, SHARE, SHARE), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    found, run = table([row[:2] for row in rows]), run_of([row[2] for row in rows])
    said = permutation.in_short(run, found, SHARES, REAL)
    said += [permutation.flips_often(pd.Series(0.5, index=found.index)), permutation.other_limits(found)]
    said += [permutation.by_predicted(found, NAMES, "x"), permutation.between(found)]
    said += [permutation.by_class_too(found, NAMES), permutation.as_observed(found)]
    said += permutation.answer(found, run, SHARES, REAL)
    said += [permutation.sigmoid(run.evidence, found), *permutation.notes(found).values()]
    is_sure = permutation.is_sure_of(run.evidence, found)
    said += [permutation.alike(found.assign(conicity=0.5), NAMES, is_sure)]
    said += [permutation.hidden(run.evidence, found, "planted")]
    assert said and all("nan" not in sentence for sentence in said)


@settings(max_examples=20)
@given(st.lists(st.tuples(*[SHARE] * 4), min_size=1, max_size=6))
def test_no_undefined_number_is_said_of_one_logit(rows):
    found = pd.DataFrame(rows, columns=NUMBERS).assign(median_change=0.1, max_attention=0.5)
    found["predicted"], found["length"] = np.arange(len(found)) % 2, 9
    found.loc[0, "alignment"] = np.nan
    evidence = evidence_of([0.995, *[0.6] * (len(found) - 1)])
    said = [permutation.explained(found, NAMES), *permutation.by_number(found, 0).values()]
    said += [permutation.class_gap(found, NAMES), permutation.sigmoid(evidence, found)]
    said += [permutation.hidden(evidence, found, "planted")]
    assert all("nan" not in sentence for sentence in said)


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


def test_what_the_sigmoid_hides_is_told(monkeypatch):
    rows = table([(0.5, 0.01), (0.5, 0.03), (0.5, 0.4)]).assign(rms_logit=[5.0, 7.0, 2.0])
    evidence = evidence_of([0.999, 0.0, 0.6])
    said = permutation.sigmoid(evidence, rows)
    assert said == "So the sigmoid can hide a change.", "no sure text moves"
    assert permutation.hides(evidence, rows)
    both = table([(0.5, 0.01), (0.5, 0.4), (0.5, 0.4)]).assign(rms_logit=[3.0, 5.0, 2.0])
    assert permutation.sigmoid(evidence, both).endswith(
        "it isn't all of it: among the sure texts, too, those that move have a logit that moves further."
    ) == permutation.hides(evidence, both)
    many = table([(0.5, 0.01), (0.5, 0.01), (0.5, 0.4), (0.5, 0.4), (0.5, 0.4)])
    many = many.assign(rms_logit=[3.0, 3.5, 5.0, 2.0, 2.0])
    said = permutation.sigmoid(evidence_of([0.999, 0.0, 0.999, 0.6, 0.6]), many)
    assert said.endswith("among the sure texts, too, those that move have a logit that moves further.")
    p = RUN.params
    monkeypatch.setattr(permutation, "hidden_share", lambda _, rows, __: rows["hidden"])
    rows = rows.assign(hidden=[0.5, 0.7, 0.0])
    peaked = permutation.why_peaked_stay(evidence, rows, p)
    assert peaked == (
        "Of the 2 peaked texts that stay the model is sure of 2; with all 2 of these at least half of the "
        "shuffles move the logit by 1 or more and the prediction by 0.05 at most: the flat sigmoid hides it."
    )
    some = permutation.why_peaked_stay(evidence, rows.assign(hidden=[0.9, 0.4, 0.0]), p)
    assert "sure of 2; with 1 of these 2 at least half" in some
    unsure = permutation.why_peaked_stay(evidence_of([0.6] * 3), rows, p)
    assert unsure == "Of the 2 peaked texts that stay the model is sure of none."
    assert permutation.why_peaked_stay(evidence, rows.assign(median_change=0.2), p) == ""
    assert permutation.why_peaked_stay(run_of([0.999, 0.0, 0.6]).evidence, rows, p) == ""
    assert permutation.sigmoid(evidence_of([0.999, 0.0, 0.6]), rows.assign(median_change=0.01)).startswith(
        "Of the texts"
    )
    title = permutation.hidden(evidence, rows, "planted")
    assert title == "On planted sure texts stay more often, although their logit moves further"
    other = rows.assign(rms_logit=[1.0, 2.0, 5.0])
    title = permutation.hidden(evidence, other, "planted")
    assert title == "On planted sure texts stay more often; their logit moves less far"
    alike = permutation.hidden(evidence, rows.assign(rms_logit=1.0, median_change=0.2), "planted")
    assert alike == "On planted sure texts stay as often; their logit moves as far"
    told = permutation.sigmoid(evidence, other)
    assert told == "Of the texts of which the model is sure all stay, of the others none."
    assert permutation.hidden(evidence_of([0.6] * 3), rows, "planted") == ""
    assert permutation.hidden(run_of([0.999, 0.0, 0.6]).evidence, rows, "planted") == ""
    assert "is sure of no text here" in permutation.sigmoid(evidence_of([0.6] * 3), rows)
    assert "is sure of every text here" in permutation.sigmoid(evidence_of([0.999] * 3), rows)
    figure = figures.hidden(rows, permutation.is_sure_of(evidence, rows))
    assert [len(drawn.get_offsets()) for drawn in figure.axes[0].collections] == [2, 1]
    assert [line.get_xdata()[0] for line in figure.axes[0].lines[:2]] == pytest.approx([6, 2])
    sides = {text.get_text(): text.get_ha() for text in figure.axes[0].texts}
    assert sides["sure texts:\nmedian 6.0,\n100% of 2 stay"] == "left"
    assert sides["others:\nmedian 2.0,\n0% of 1 stay"] == "right"
    plt.close(figure)
    assert not permutation.hides(evidence, rows.assign(rms_logit=1.0))
    assert not permutation.hides(evidence_of([0.6] * 3), rows)
    run = SimpleNamespace(**vars(RUN), evidence=evidence)
    still, each = permutation._seen(SHARES, REAL)
    shares = permutation._range(still)
    assert permutation._over_seeds(REAL).startswith("means over 5 seeds; single seeds: ")
    assert permutation._over_seeds(REAL.assign(seeds=1)) == "one seed of each"
    real = f"on real text {shares}, by corpus and encoder ({each})."
    far, own, why, moral = permutation.answer(rows, run, SHARES, REAL)
    assert far == "How far a prediction moves depends on the corpus: most on questions about a story."
    assert own == f"On planted (BiLSTM, one seed) 67% of 3 peaked texts stay, {real}"
    assert why.startswith("A peaked text can stay as in the second row")
    assert moral.startswith("So a peak alone doesn't")
    run.evidence = run_of([0.999, 0.0, 0.6]).evidence  # of more than one logit
    assert permutation.answer(rows, run, SHARES, REAL) == [far, own, moral]
    run.evidence = evidence
    assert any(said.startswith("One reason") for said in permutation.in_short(run, rows, SHARES, REAL))
    moved = rows.assign(median_change=0.2)
    assert permutation.answer(moved, run, SHARES, REAL)[1].startswith(
        "On planted (BiLSTM, one seed) none of 3 peaked texts stay,"
    )
    one = permutation.answer(moved.iloc[:1], run, SHARES.iloc[:0], REAL.iloc[:0])
    assert one[1].endswith("the one peaked text moves.") and "peak alone" not in " ".join(one)
    flat = permutation.answer(moved.assign(max_attention=0.1), run, SHARES, REAL)[1]
    assert "none of 3 texts stay, on real text" in flat and "% of the peaked ones, by corpus" in flat


def test_other_limits_are_tried():
    found = table([(0.9, 0.01), (0.9, 0.03), (0.9, 0.07), (0.9, 0.2), (0.1, 0.01)])
    said = permutation.other_limits(found)
    assert said == "With 0.02 or 0.1 as the limit, not 0.05, 25% or 75% would stay."
    assert permutation.other_limits(found.iloc[3:]) == permutation.other_limits(found.iloc[:0]) == ""


def test_a_change_is_hidden_by_shuffle(finished):
    """Against the shuffles themselves, of a few texts."""
    evidence, p = finished.evidence, finished.params
    places = pd.DataFrame(index=[3, 1])
    for place, share in permutation.hidden_share(evidence, places, p).items():
        row = evidence[place]
        shuffles = permutation.permuting.draws(row, p.permutations, p.seed)
        hidden = [
            abs(row.values[:, 0] @ (a - row.attention)) >= 1
            and abs(row.probs(a[None])[0] - row.prediction).max() <= 0.05
            for a in shuffles
        ]
        assert share == np.mean(hidden)


def test_a_text_that_stays_may_move_in_some_shuffles():
    said = permutation.shuffled(np.array([0.0, 0.01, 0.4]))
    assert said == (
        "Over 3 shuffles the prediction moves by 0.000 to 0.400, in 1 by more than 0.05; the median change "
        "is 0.010. So, by the median, the text stays, but not in every shuffle."
    )
    assert permutation.shuffled(np.array([0.0, 0.01])).endswith("the text stays.")
    assert permutation.shuffled(np.array([0.0, 0.4, 0.5])).endswith("the text moves.")


def test_flips_are_counted_by_shuffle(finished):
    """Against the shuffles themselves, of a few texts."""
    found = pd.DataFrame({"predicted": finished.evidence.predicted[:5]})
    flips = permutation.flipped(finished.evidence, found, finished.params)
    for place, share in flips.items():
        row = finished.evidence[place]
        shuffles = permutation.permuting.draws(row, finished.params.permutations, finished.params.seed)
        assert share == np.mean([row.probs(a).argmax() != row.prediction.argmax() for a in shuffles])
    said = permutation.flips_often(pd.Series([0.0, 0.6, 0.2, 0.4]))
    assert said.startswith("In 25% of the 4 texts at least half")
    assert permutation.flips_often(pd.Series([0.0, 0.1])).startswith("In none of the 2 texts")
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
    assert permutation.stays_less(SHARES) == f"With BiLSTM and CNN {less}, with Average not clearly"
    assert permutation.stays_less(SHARES[SHARES["encoder"] == "cnn"]) == f"With CNN {less}"
    none = permutation.stays_less(SHARES.assign(below=False))
    assert none == "With no encoder do peaked texts clearly stay less often than the others"
    figure = figures.stays(SHARES)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[0] == "sst,\nBiLSTM" and len(labels) == 6 and len(figure.axes[0].containers) == 2
    plt.close(figure)


def test_a_moral_is_of_peaked_texts_that_stay():
    stays, moves = table([(0.9, 0.01)]), table([(0.9, 0.5)])
    said = permutation.moral(stays, REAL.iloc[:0])
    assert said.startswith("So a peak alone doesn't say") and permutation.moral(moves, REAL) == said
    assert permutation.moral(moves, REAL.iloc[:0]) == permutation.moral(moves, REAL.assign(still=0.0)) == ""


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
    nothing = [permutation.NOTHING]
    assert permutation.in_short(run_of([]), table([]), SHARES, REAL) == nothing
    assert permutation.claim_on_real_text(REAL.iloc[:0]) == ""
    assert permutation.answer(table([]), RUN, SHARES, REAL) == nothing
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
    low, high = REAL["still"].min(), REAL["still"].max()
    said = permutation.claim_on_real_text(REAL)
    assert said.startswith("So there are such points on real text, too. In runs with other word vectors")
    assert "([appendix](#appendix-real-text-over-seeds))" in said
    each = [share for own in REAL["still_seeds"] for share in own]
    means = f"{low:.0%} to {high:.0%} of the peaked texts stay, by corpus and encoder"
    assert f"{means} (means over 5 seeds; single seeds: {min(each):.0%} to {max(each):.0%})." in said
    most = permutation.claim_on_real_text(REAL.assign(still=0.6))
    assert "too. In runs with" in most and "60% of the peaked texts stay, by" in most
    none = permutation.claim_on_real_text(REAL.assign(still=0.0))
    assert none.startswith("In runs with other") and " 0% of the peaked texts stay, by" in none


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
    assert told == "On planted 67% of 3 peaked texts stay; both of these are predicted good"
    told = permutation.by_predicted(still.assign(median_change=0.01), ["bad", "good"], "planted")
    assert told == "On planted all 3 peaked texts stay"


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
    said = permutation.least_and_most(found)
    assert f"by a TVD of {means.iloc[0]:.2f} on part of {means.index[0]} to {means.iloc[-1]:.2f} on" in said
    said = permutation.which_corpora(found, RUN.params)
    assert said.startswith("*On planted it is this page's one seed. ") and "only guesses: babi3-1k." in said
    assert "this page" not in permutation.which_corpora(found, Params(corpus="sst"))
    assert permutation._mostly_wrong(["sst", "world3"]) == "On world3 most answers are wrong."
    assert permutation._mostly_wrong(["sst", "no such corpus"]) == ""
    assert "On world3 most answers are wrong. " in said
    assert said.endswith("perhaps because few words of a story hold the answer.*")
    assert "perhaps" not in permutation.which_corpora(found[~found["asks"]], RUN.params)
    assert permutation.least_and_most(found.iloc[:1]).endswith(f"on part of {means.index[0]}")
    figure = figures.over_corpora(found)
    assert figure.axes[0].get_yticklabels()[0].get_text() == f"{means.index[0]} (part)"
    full = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_fillstyle() == "full"]
    assert full == [*means]
    cells = [text.get_text() for text in figure.axes[0].texts]
    at = cells.index("seeds") + 1 + 2 * [*found["corpus"]].index("planted")
    assert cells[at : at + 2] == ["0.10", "1"]
    plt.close(figure)


def test_the_answer_begins_with_the_spread_over_corpora(monkeypatch):
    """It counts this run's corpus, too, if no model like it is carried."""
    rows, means = table([(0.5, 0.2), (0.5, 0.4)]), permutation._carried()
    told = permutation.over_corpora(rows, RUN.params)
    ends = f"shuffling moves the BiLSTM's prediction by a TVD of {means.min():.2f} to {means.max():.2f}"
    assert told.startswith("It depends on the corpus: ") and ends in told
    little = permutation.over_corpora(rows.assign(median_change=0.1), RUN.params)
    assert little.endswith(", most where a question is asked about a story.")
    run = run_of([0.5, 0.6])
    assert permutation.in_short(run, rows, SHARES, REAL)[0] == told
    for mean, how in ((0.3, "Much would change: "), (0.01, "Little would change: ")):
        monkeypatch.setattr(permutation, "_carried", lambda mean=mean: pd.Series({"sst": mean}))
        told = permutation.over_corpora(rows, Params(corpus="sst"))
        assert told.startswith(how) and told.endswith(f"by a TVD of {mean:.2f}.")
    apart = pd.Series({"babi1": 0.8, "babi2": 0.4, "sst": 0.1, "imdb": 0.2})
    for means, said in (
        (apart, "by a TVD of 0.10 to 0.80, most where a question is asked about a story."),
        (apart.replace(0.2, 0.5), "by a TVD of 0.10 to 0.80."),
        (apart.iloc[:2], "by a TVD of 0.40 to 0.80."),
    ):
        monkeypatch.setattr(permutation, "_carried", lambda means=means: means)
        assert permutation.over_corpora(rows, Params(corpus="babi1")).endswith(said)
    monkeypatch.setattr(permutation, "_carried", lambda: pd.Series(dtype=float))
    assert permutation.over_corpora(rows, RUN.params) == ""
    assert permutation.in_short(run, rows, SHARES, REAL)[0].startswith("On the [made corpus]")


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
