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
NUMBERS = ["alignment", "dispersion", "peakiness", "rms_logit"]


def table(rows: list[tuple]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["max_attention", "median_change"], dtype=float)
    return made.assign(predicted=np.arange(len(made)) % 2)


def run_of(sureness) -> SimpleNamespace:
    """A run whose texts' first class has these probabilities, of a model with more than one logit."""
    first = np.asarray(sureness, dtype=float)
    evidence = SimpleNamespace(predictions=np.stack([first, 1 - first], axis=1))
    evidence.head = SimpleNamespace(one_logit=False)
    return SimpleNamespace(**vars(RUN), evidence=evidence)


def evidence_of(sureness) -> SimpleNamespace:
    """The evidence of such a run with one logit."""
    evidence = run_of(sureness).evidence
    evidence.head = SimpleNamespace(one_logit=True)
    return evidence


def test_peaked_by_hand():
    found = table([(0.5, 0.01), (0.9, 0.5), (0.1, 0.2)])
    said = permutation.between(found)
    assert "50% of the 2 peaked texts (9% to 91%) and 0% of the 1 others (0% to 79%)" in said
    assert permutation.between(found.iloc[:2]) == ""


def test_class_and_peak_are_told_apart():
    """Within each class, whether a higher weight goes with more change; of too few texts nothing."""
    peaks = np.linspace(0.1, 0.9, 40)
    rows = table([(x, 0.01 if i % 2 else x) for i, x in enumerate(peaks)])
    rows.loc[1::2, "median_change"] += 0.001 * np.sin(np.arange(20) * 2.0)
    said = permutation.peaked_by_predicted(rows, NAMES, 0)
    assert "0 of the 10 predicted bad and 10 of the 10 predicted good hardly move" in said
    assert "is 1.00 if bad is predicted (1.00 to 1.00)" in said and " if good is predicted (" in said
    falling = rows.assign(median_change=1 - rows["max_attention"])
    assert permutation.peaked_by_predicted(falling, NAMES, 0).count("−1.00 if ") == 2
    few = table([(0.6, 0.01), (0.7, 0.02)])
    assert permutation.peaked_by_predicted(few, NAMES, 0).endswith("hardly move.")
    assert permutation.peaked_by_predicted(few.iloc[:1], NAMES, 0) == ""
    assert permutation.peaked_by_predicted(rows, (), 0) == ""


@settings(max_examples=20)  # intervals take their time
@given(st.lists(st.tuples(SHARE, SHARE, SHARE), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    found, run = table([row[:2] for row in rows]), run_of([row[2] for row in rows])
    flips = pd.Series(0.5, index=found.index)
    said = permutation.in_short(run, found, permutation.on_real_text())
    said += [permutation.flips_by_class(flips, found, NAMES), permutation.by_predicted(found, NAMES, "x")]
    said += [permutation.between(found), permutation.peaked_by_predicted(found, NAMES, 0)]
    said += permutation.answer(found, run)
    said += permutation.sigmoid(run.evidence, found)
    said += [
        permutation.alike(found.assign(conicity=0.5), NAMES, permutation.is_sure_of(run.evidence, found))
    ]
    said += [permutation.hidden(run.evidence, found, "planted")]
    assert said and all("nan" not in sentence for sentence in said)


@settings(max_examples=20)
@given(st.lists(st.tuples(*[SHARE] * 4), min_size=1, max_size=6))
def test_no_undefined_number_is_said_of_one_logit(rows):
    found = pd.DataFrame(rows, columns=NUMBERS).assign(median_change=0.1, max_attention=0.5)
    found["predicted"], found["length"] = np.arange(len(found)) % 2, 9
    found.loc[0, "alignment"] = np.nan
    evidence = evidence_of([0.995, *[0.6] * (len(found) - 1)])
    said = [permutation.explained(found, NAMES), permutation.by_number(found, 0)]
    said += [permutation.class_gap(found, NAMES), *permutation.sigmoid(evidence, found)]
    said += [permutation.sure_by_class(evidence, found, NAMES)]
    said += [permutation.hidden(evidence, found, "planted")]
    said += permutation.reasons(found, evidence, permutation.of_classes_on_real_text())
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
    assert "|ρ| 0.60 against 0.20, R 12.00 against 10.00 and A 0.40 against 0.40" in said
    assert "by 4.5 and 1.5" in said
    factor = 2 * math.sqrt(0.36 + 0.01) / (math.sqrt(0.01 + 0.01) + math.sqrt(0.09 + 0.01))
    assert (
        f"comes from alignment, √(ρ² + 1/(T − 1)) (× {factor:.1f}), the rest from dispersion (× 1.2)." in said
    )
    assert "gap" not in permutation.class_gap(rows.assign(rms_logit=[4, 1, 5, 2]), NAMES)
    assert permutation.class_gap(rows, ()) == permutation.class_gap(rows.iloc[::2], NAMES) == ""
    short = permutation.of_classes(RUN, rows)
    assert "0.70 on average if “good” is predicted, 0.15 if “bad” is" in short
    assert permutation.explained(rows, NAMES).endswith("; texts predicted good are better aligned")


def test_what_the_sigmoid_hides_is_told():
    rows = table([(0.5, 0.01), (0.5, 0.03), (0.5, 0.4)]).assign(rms_logit=[5.0, 7.0, 2.0])
    evidence = evidence_of([0.999, 0.0, 0.6])
    said = permutation.sigmoid(evidence, rows)
    assert said[0].startswith("In 67% of the texts")
    moves = "In the median of these the prediction moves by 0.02 (mean: 0.02) and the logit by 6 ("
    assert said[1].startswith(moves)
    title = permutation.hidden(evidence, rows, "planted")
    assert title.endswith("where the model is sure, shuffling moves the logit more and the prediction less")
    assert permutation.hidden(evidence, rows.assign(rms_logit=[1.0, 2.0, 5.0]), "planted").endswith(
        "logit by 1.5 and its prediction by 0.02 where the model is sure, by 5 and 0.4 elsewhere"
    )
    assert permutation.hidden(evidence_of([0.6] * 3), rows, "planted") == ""
    assert permutation.hidden(run_of([0.999, 0.0, 0.6]).evidence, rows, "planted") == ""
    figure = figures.hidden(rows, permutation.is_sure_of(evidence, rows))
    assert [len(drawn.get_offsets()) for drawn in figure.axes[0].collections] == [2, 1]
    assert [line.get_ydata()[0] for line in figure.axes[0].lines] == pytest.approx([0.02, 0.4])
    plt.close(figure)
    assert said[-1].startswith("So the sigmoid hides") and permutation.hides(evidence, rows)
    assert not permutation.hides(evidence, rows.assign(rms_logit=1.0))
    assert not permutation.hides(evidence_of([0.6] * 3), rows)
    told = permutation.of_sureness(evidence, rows, "planted")
    assert "planted is 0.02 where" in told and told.endswith("0.99 or more, elsewhere 0.40.")
    assert permutation.of_sureness(evidence_of([0.6] * 3), rows, "planted") == ""
    assert permutation.of_sureness(evidence, rows.assign(median_change=0.2), "planted") == ""
    assert permutation.answer(rows, RUN)[0].endswith("67% of 3 texts move by at most 0.05.")
    assert permutation.answer(rows.assign(median_change=0.2), RUN)[0].endswith(
        "100% of 3 texts move by more than 0.05."
    )


def test_whether_sureness_makes_the_gap_of_the_classes_is_told():
    rows = table([(0.5, 0.1), (0.5, 0.6), (0.5, 0.1), (0.5, 0.6)]).assign(rms_logit=[2.0, 4.0, 2.0, 4.0])
    said = permutation.sure_by_class(evidence_of([0.6, 0.999, 0.999, 0.999]), rows, NAMES)
    assert said.startswith(
        "The model is so sure of 50% of the texts predicted bad and 100% of those predicted good."
    )
    assert "moves 6.0 times as far on average, their logit 2.0 times. Sureness doesn't explain that" in said
    said = permutation.sure_by_class(evidence_of([0.999, 0.999, 0.999, 0.6]), rows, NAMES)
    assert said.endswith("In part that is because the model is less sure of them.")
    even = rows.assign(rms_logit=[1.0, 6.0] * 2)
    assert permutation.sure_by_class(evidence_of([0.999] * 4), even, NAMES).endswith("predicted good.")
    assert permutation.sure_by_class(evidence_of([0.6] * 4), even, NAMES) == ""
    assert permutation.sigmoid(evidence_of([0.6] * 4), even)[1].startswith("In the median of all texts")
    near = rows.assign(median_change=[0.101, 0.104] * 2)
    assert "depends on the class" not in permutation.of_classes(RUN, near)
    assert permutation.sure_by_class(evidence_of([0.6] * 4), rows, ()) == ""
    assert permutation.sure_by_class(run_of([0.6] * 4).evidence, rows, NAMES) == ""


def test_flips_are_counted_by_shuffle(finished):
    """Against the shuffles themselves, of a few texts."""
    found = pd.DataFrame({"predicted": finished.evidence.predicted[:5]})
    flips = permutation.flipped(finished.evidence, found, finished.params)
    for place, share in flips.items():
        row = finished.evidence[place]
        shuffles = permutation.permuting.draws(row, finished.params.permutations, finished.params.seed)
        assert share == np.mean([row.probs(a).argmax() != row.prediction.argmax() for a in shuffles])
    rows, flips = table([(0.5, 0.1)] * 4), pd.Series([0.0, 0.6, 0.2, 0.4])
    said = permutation.flips_by_class(flips, rows, NAMES)
    assert "in 30% of the cases" in said and "In 25% of the texts at least half" in said
    assert said.endswith(": 0% of those predicted bad and 50% of those predicted good.")
    assert permutation.flips_by_class(flips, rows, ()).endswith("at least half of the shuffles do.")


def test_peaked_attention_is_a_sign_where_most_peaked_texts_move():
    real = permutation.on_real_text()
    assert "is a weak sign that" in permutation.moral(real.assign(still=0.4))
    assert "is no sign that" in permutation.moral(real.assign(still=0.6))
    assert "is no sign that" in permutation.moral(real.iloc[:0])


def test_nothing_is_said_of_no_text():
    nothing = [permutation.NOTHING]
    assert permutation.in_short(run_of([]), table([]), permutation.on_real_text()) == nothing
    none = permutation.on_real_text().iloc[:0]
    assert permutation.range_of_real_text(none) == permutation.two_means(none) == ""
    assert permutation.claim_on_real_text(none) == "" and permutation.answer(table([]), RUN) == nothing
    pairs = permutation.of_classes_on_real_text().iloc[:0]
    assert permutation.aligned_moves(pairs) == "" and permutation.reasons(table([]), None, pairs) == []


def test_what_explains_is_named_first():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.uniform(size=(30, 3)), columns=["peakiness", "dispersion", "alignment"])
    found["rms_logit"] = found["dispersion"]
    found.loc[0, "alignment"] = np.nan
    assert permutation.explains(found).index[0] == "dispersion"
    finding = "dispersion goes most with what a shuffle does to the logit (rank correlation 1.00)"
    assert finding in permutation.explained(found, ())
    assert "dispersion 1.00 (1.00 to 1.00)" in permutation.by_number(found, 0)
    flat = found.assign(rms_logit=1.0, alignment=0.5)
    assert "All texts are alike" in permutation.explained(flat, ()) and permutation.by_number(flat, 0) == ""


def test_the_formula_is_held_against_draws(finished):
    """It raises AssertionError where they aren't one another's."""
    for i in range(5):
        row = finished.evidence[i]
        assert permutation.sampled(row).startswith("20,000 simulated shuffles give")


def test_the_papers_claim_is_judged_on_real_text():
    """Against the committed rows, a mean over seeds an encoder."""
    real = permutation.on_real_text()
    assert [*real["encoder"]] == ["BiLSTM", "Average", "CNN"]
    for row in real.itertuples():
        assert row.still == pytest.approx(np.mean(row.still_seeds)) and len(row.still_seeds) == row.seeds
    shown = permutation.moved_and_still(real)
    assert shown.iloc[0, 1].startswith(f"{real['mean'].iloc[0]:.2f} (")
    assert shown.iloc[0, 2].startswith(f"{real['still'].iloc[0]:.0%} (")
    assert [shown.iloc[0, 3].split()[0]] == [f"{np.mean(real['peaked_seeds'].iloc[0]):.0f}"]
    assert permutation.moved_and_still(real.iloc[:0]).empty
    low, high = real["still"].min(), real["still"].max()
    assert f"On SST {low:.0%} to {high:.0%} of them do" in permutation.claim_on_real_text(real)
    assert "do: most." in permutation.claim_on_real_text(real.assign(still=0.6))
    assert "many, but not most" in permutation.claim_on_real_text(real.assign(still=0.4))
    assert "some encoders only" in permutation.claim_on_real_text(real.assign(still=[0.4, 0.6, 0.6]))
    few = real.assign(peaked_seeds=[[30, 40], [14, 40], [3, 4]])
    few["still_seeds"] = [[0.3, 0.4], [0.2, 0.3], [0.3, 0.4]]
    assert permutation.claim_on_real_text(few).count("has only") == 1
    said = permutation.claim_on_real_text(few)
    assert said.endswith("One seed of Average has only 14 peaked texts, and the lowest share, 20%.")
    few["still_seeds"], few["peaked_seeds"] = [[0.2, 0.3, 0.4]] * 3, [[30] * 3, [40, 14, 40], [3] * 3]
    assert permutation.claim_on_real_text(few).endswith("One seed of Average has only 14 peaked texts.")
    figure = figures.shuffled_on_real_text(real)
    assert [len(ax.lines) for ax in figure.axes] == [6, 6]
    plt.close(figure)


def test_the_committed_medians_are_read_and_judged():
    medians = permutation.medians_by_peak(permutation.drawn_of_real_text())
    assert (medians["texts"] >= 20).all() and (medians["low"] <= medians["median"]).all()
    assert (medians["median"] <= medians["high"]).all()
    assert "in 5 of 6 groups" in permutation.rises(medians, NAMES)
    said = permutation.rising_means(medians, NAMES)
    clear = permutation.rises(medians, NAMES).split()[-1]
    assert f"but beyond the intervals only in {clear} of the 6 groups (" in said
    rising = permutation._rising(medians, NAMES)
    assert all(name in said for name in rising.index[(rising["rise"] > 0) & rising["apart"]])
    assert said.endswith("The exception is Average, predicted good. But it is one seed of each encoder.")
    figure = figures.peaks_on_real_text(medians, NAMES)
    assert [ax.get_title() for ax in figure.axes] == ["BiLSTM", "Average", "CNN"]
    assert sum(len(ax.containers) for ax in figure.axes) == 6
    plt.close(figure)


@pytest.mark.parametrize("n", [20, 41, 300])
def test_the_interval_of_a_median_holds_it_as_often_as_it_says(n):
    """Of 41 stored quantiles: between the ranks that a plain count of the binomial gives, and by trial."""
    rng, held = np.random.default_rng(0), 0
    for _ in range(400):
        values = np.sort(rng.random(n))
        drawn = {("cnn", "0", f"median_change of peak {bin}"): np.empty(0) for bin in BINS}
        drawn = {("cnn", "0", "texts"): np.array([n, 0, 0, 0])} | drawn
        drawn["cnn", "0", "median_change of peak 0 – 0.25"] = quantiles(values)
        row = permutation.medians_by_peak(drawn).iloc[0]
        held += row["low"] <= 0.5 <= row["high"]
    rank = next(k for k in range(n) if sum(math.comb(n, i) for i in range(k + 1)) / 2**n >= 0.025)
    assert row["low"] == pytest.approx(values[rank - 1], abs=0.03)
    assert row["high"] == pytest.approx(values[n - rank], abs=0.03)
    assert row["median"] == pytest.approx(np.median(values), abs=1e-9 if n == 41 else 0.02)
    assert held / 400 >= 0.93


def test_classes_are_told_apart_if_there_are_few():
    rows = table([(0.5, 0.1), (0.5, 0.3), (0.5, 0.4)]).assign(predicted=[0, 1, 1])
    said = permutation.by_predicted(rows, ["bad", "good"], "planted")
    assert said.startswith("On planted") and said.endswith(
        "is 0.35 on average if “good” is predicted, but 0.10 if “bad” is; none of 3 peaked texts hardly moves"
    )
    assert "is 0.27 on average; none of 3 peaked" in permutation.by_predicted(rows, (), "planted")
    one = permutation.by_predicted(rows.iloc[:1], ["bad", "good"], "planted")
    assert one.endswith("is 0.10 on average; the one peaked text moves")
    assert permutation.by_predicted(rows.assign(max_attention=0.1), (), "planted").endswith(
        "is 0.27 on average"
    )
    still = rows.assign(median_change=[0.3, 0.01, 0.02])
    told = permutation.by_predicted(still, ["bad", "good"], "planted")
    assert told.endswith("; of 3 peaked texts 2 hardly move, both predicted good")
    told = permutation.by_predicted(still.assign(median_change=0.01), ["bad", "good"], "planted")
    assert told.endswith("; of 3 peaked texts 3 hardly move")


def test_peaks_that_say_nothing_are_told(monkeypatch):
    for rise, said in (
        ([0.1, 0.2], "more weight on one word goes with a somewhat larger change"),
        ([-0.1, -0.2, 0.1], "So a peak says little"),
    ):
        found = pd.DataFrame({"rise": rise, "apart": True}, index=[*"abc"[: len(rise)]])
        monkeypatch.setattr(permutation, "_rising", lambda *_, found=found: found)
        told = permutation.rising_means(pd.DataFrame(), ())
        assert said.lower() in told.lower() and ("The exceptions are a; b." in told) == (rise[0] < 0)
    monkeypatch.setattr(permutation, "_rising", lambda *_: found.iloc[:0])
    assert permutation.rising_means(pd.DataFrame(), ()) == ""


def test_the_better_aligned_class_is_counted():
    """Against the carried rows, in a loop."""
    pairs = permutation.of_classes_on_real_text()
    moves = 0
    for _, own in pairs.groupby(["corpus", "encoder"]):
        (first, second) = own.sort_values("alignment")["median_change"]
        moves += second > first
    texts = len(pairs) // 2
    assert texts >= 9 and f"moves more in {moves} of {texts} pairs" in permutation.aligned_moves(pairs)
    more = {"peakiness": 0, "dispersion": 0}
    logit = 0
    for _, own in pairs.groupby(["corpus", "encoder"]):
        low, high = own.sort_values("median_change").to_dict("records")
        for name in more:
            more[name] += high[name] > low[name]
        low, high = own.sort_values("alignment").to_dict("records")
        logit += high["rms_logit"] > low["rms_logit"]
    said = permutation.beside_alignment(pairs)
    assert f"moves more in {moves} of {texts} (not in BiLSTM on imdb), " in said
    assert f"the more peaked one in {more['peakiness']}, the one with the more dispersed values in " in said
    assert f"{more['dispersion']}. In " in said and said.endswith("fit about equally well here.")
    assert "though its logit moves less (" in said and "move alike, within 0.02" in said
    assert permutation.aligned_moves(pairs).endswith(f"its logit in {logit}")
    flat = permutation.beside_alignment(pairs.assign(peakiness=0.5))
    assert flat.endswith("classes may differ in several things at once.")
    every = pairs.assign(median_change=pairs["higher"].astype(float))
    assert f"in {texts} of {texts}, the more" in permutation.beside_alignment(every)
    assert permutation.beside_alignment(pairs.iloc[:0]) == permutation.moving_classes(pairs.iloc[:0]) == ""
    of_two = pairs[pairs["corpus"].isin(["imdb", "ade"])]
    assert permutation.moving_classes(of_two) == (
        "The class that moves more is adverse effect on ade and negative on imdb (BiLSTM: positive)."
    )
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
    assert f"by {means.iloc[0]:.2f} on {means.index[0]} and by {means.iloc[-1]:.2f} on" in said
    assert said.endswith("most where a question is asked about a story")
    said = permutation.which_corpora(found, RUN.params)
    assert said.startswith("*planted is this run alone") and "only guesses: babi3-1k." in said
    assert "this run" not in permutation.which_corpora(found, Params(corpus="sst"))
    assert permutation._mostly_wrong(["sst", "world3"]) == "On world3 most answers are wrong."
    assert permutation._mostly_wrong(["sst", "no such corpus"]) == ""
    assert said.endswith("On world3 most answers are wrong.*")
    mixed = permutation.of_corpora(rows.assign(median_change=0.5), RUN.params)
    assert "question" not in permutation.least_and_most(mixed)
    assert permutation.least_and_most(found.iloc[:1]).endswith(f"on {means.index[0]}")
    figure = figures.over_corpora(found)
    full = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_fillstyle() == "full"]
    assert full == [*means]
    plt.close(figure)


def test_the_answer_begins_with_the_spread_over_corpora(monkeypatch):
    """It counts this run's corpus, too, if no model like it is carried."""
    rows, means = table([(0.5, 0.2), (0.5, 0.4)]), permutation._carried()
    told = permutation.over_corpora(rows, RUN.params)
    ends = f"{means.min():.2f} ({means.idxmin()}) to {means.max():.2f} ({means.idxmax()}) on average"
    assert told.startswith("It depends on the corpus: ") and ends in told
    assert f"({len(means) + 1} corpora)" in told
    real, run = permutation.on_real_text(), run_of([0.5, 0.6])
    assert permutation.in_short(run, rows, real)[0] == told
    assert f"({len(means)} corpora)" in permutation.over_corpora(rows, Params(corpus="sst"))
    assert f"({len(means)} corpora)" in permutation.over_corpora(
        rows, Params(corpus="planted", encoder="cnn")
    )
    for mean, how in ((0.3, "Much would change: "), (0.01, "Little would change: ")):
        monkeypatch.setattr(permutation, "_carried", lambda mean=mean: pd.Series({"sst": mean}))
        told = permutation.over_corpora(rows, Params(corpus="sst"))
        assert told.startswith(how) and told.endswith(f"by {mean:.2f} (sst) on average (1 corpus).")
    apart = pd.Series({"babi1": 0.8, "babi2": 0.4, "sst": 0.1, "imdb": 0.2})
    for means, said in (
        (apart, "by 0.40 or more where a question is asked about a story, by 0.20 or less elsewhere."),
        (apart.replace(0.2, 0.5), "(4 corpora)."),
        (apart.iloc[:2], "(2 corpora)."),
    ):
        monkeypatch.setattr(permutation, "_carried", lambda means=means: means)
        assert permutation.over_corpora(rows, Params(corpus="babi1")).endswith(said)
    monkeypatch.setattr(permutation, "_carried", lambda: pd.Series(dtype=float))
    assert permutation.over_corpora(rows, RUN.params) == ""
    assert permutation.in_short(run, rows, real)[0] == "Usually a lot."


def test_alike_states_are_read():
    several = pd.DataFrame({"median_change": [0.1, 0.2, 0.3], "conicity": [0.9, 0.8, 0.7], "predicted": 0})
    said = permutation.alike_says(several, "planted")
    assert said.endswith("lie closer to one line move less: the rank correlation is −1.00")
    assert permutation.alike(several, NAMES, np.ones(3, bool)).endswith(
        "0.80 on average (0.70 to 0.90) over texts."
    )
    weak = several.assign(conicity=[0.7, 0.9, 0.7])
    assert "correlated weakly" in permutation.alike_says(weak, "planted")
    assert "can't be held" in permutation.alike_says(several.iloc[:2], "planted")
    both = pd.concat([several, several.assign(predicted=1, conicity=[0.7, 0.8, 0.9])])
    told = permutation.alike(both, NAMES, np.ones(6, bool))
    assert "with the median change is −1.00 (bad) and 1.00 (good). So conicity doesn't tell" in told
    twice = pd.concat([several, several.assign(predicted=1)])
    same = permutation.alike(twice, NAMES, np.ones(6, bool))
    assert same.endswith("So conicity, of the states alone, tells well which texts a shuffle hardly moves.")
    twice["median_change"] = [0.1, 0.2, 0.3, 0.3, 0.1, 0.35]
    told = permutation.alike(twice, NAMES, np.arange(6) < 3)
    assert "Where the model is sure it is −1.00, elsewhere −0.50. So conicity" in told
    assert permutation._verdict([-0.8, -0.2], []).endswith("but conicity tells it only roughly.")
    told = permutation._verdict([-0.8, -0.2], [-0.8, -0.2])
    assert told.endswith("moves: closely where the model is sure, roughly elsewhere.")
    assert "Within" not in permutation.alike(both, (), np.ones(6, bool))


def test_where_one_word_decides():
    rows = pd.DataFrame(
        {"predicted": [0, 0, 1], "median_change": [0.0, 0.2, 0.9], "optimum": [0.6, 0.4, 0.1]}
    )
    said = permutation.enough(rows, ["bad", "good"])
    assert said.startswith("On indicator, as expected, shuffling moves")
    assert "by 0.10 (bad) and 0.90 (good); the ε-max JSD is 0.50 and 0.10" in said
    assert ", not as expected," in permutation.enough(rows.assign(optimum=0.5), ["bad", "good"])
    assert permutation.enough(rows.iloc[:2], ["bad", "good"]).startswith("On indicator shuffling")
    corpus = SimpleNamespace(classes=["bad", "good"])
    run = SimpleNamespace(params=RUN.params, corpus=corpus)
    assert "3 texts (2 predicted bad and 1 predicted good)" in permutation.as_foretold(run, rows)
    assert "as expected: for this BiLSTM encoder such words are enough" in permutation.as_foretold(run, rows)
    assert "*not*" in permutation.as_foretold(run, rows.assign(optimum=0.5))
    assert "expected" not in permutation.as_foretold(run, rows.iloc[:2])
    figure = figures.one_word(rows, ["bad", "good"])
    said = [text.get_text() for text in figure.axes[0].texts]
    assert said == ["mean 0.10", "mean 0.90", "most possible: 1"]
    plt.close(figure)
