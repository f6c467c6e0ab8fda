"""Chapter 03's sentences: of every table something true, of none nothing."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.params import Params
from heed.show import figures, permutation

SHARE = st.floats(0, 1)
RUN = SimpleNamespace(params=Params(corpus="planted"))


def table(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["max_attention", "median_change"])


def test_peaked_by_hand():
    found = table([(0.5, 0.01), (0.9, 0.5), (0.1, 0.2)])
    said = "by 0.20 or less in half of the texts; the mean is 0.24 (TVD)."
    assert permutation.typical(found).endswith(said)
    said = permutation.between(found)
    assert "50% of the 2 peaked texts (9% to 91%) and 0% of the 1 others (0% to 79%)" in said
    assert permutation.between(found.iloc[:2]) == ""


def test_the_class_is_held_against_the_peak():
    rows = table([(0.6, 0.01), (0.7, 0.02), (0.8, 0.5), (0.1, 0.01), (0.2, 0.3)])
    rows = rows.assign(predicted=[0, 0, 1, 0, 1])
    said = permutation.peaked_by_predicted(rows, ["bad", "good"])
    assert "2 of the 2 predicted bad and 0 of the 1 predicted good hardly move" in said
    assert said.endswith("So here the predicted class matters more than how peaked attention is.")
    mixed = rows.assign(predicted=[0, 1, 0, 0, 1], median_change=[0.01, 0.02, 0.03, 0.5, 0.6])
    assert permutation.peaked_by_predicted(mixed, ["bad", "good"]).endswith("hardly move.")
    assert permutation.peaked_by_predicted(rows.iloc[:2], ["bad", "good"]) == ""
    assert permutation.peaked_by_predicted(rows, ()) == ""


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=6))
def test_no_undefined_number_is_said(rows):
    said = permutation.in_short(RUN, table(rows), permutation.on_real_text())
    said += [permutation.between(table(rows))]
    assert said and all("nan" not in sentence for sentence in said)


def test_nothing_is_said_of_no_text():
    assert permutation.in_short(RUN, table([]), permutation.on_real_text()) == [permutation.NOTHING]
    none = permutation.on_real_text().iloc[:0]
    assert permutation.range_of_real_text(none) == permutation.two_means(none) == ""
    assert permutation.claim_on_real_text(none) == ""
    assert permutation.answer(table([]), None, RUN, none) == [permutation.NOTHING]


def test_what_explains_is_named_first():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.uniform(size=(30, 3)), columns=["peakiness", "dispersion", "alignment"])
    found["rms_logit"] = found["dispersion"]
    found.loc[0, "alignment"] = np.nan
    assert permutation.explains(found).index[0] == "dispersion"
    assert "correlated most with dispersion (1.00)" in permutation.explained(found)
    assert "All texts are alike" in permutation.explained(found.assign(rms_logit=1.0, alignment=0.5))


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
    figure = figures.shuffled_on_real_text(real)
    assert [len(ax.lines) for ax in figure.axes] == [6, 6]
    plt.close(figure)


def test_the_committed_violins_are_read_and_judged():
    drawn = permutation.drawn_of_real_text()
    names = ("negative", "positive")
    assert "in 5 of 6 groups" in permutation.rises(drawn, names)
    said = permutation.rising_means(drawn, names)
    assert said.startswith("So moving attention mostly matters more")
    assert said.endswith("speaks for attention. The exception is Average, predicted positive.")
    figure = figures.violins_on_real_text(drawn, ("negative", "positive"))
    assert [ax.get_title() for ax in figure.axes] == ["BiLSTM", "Average", "CNN"]
    assert [bool(ax.get_xlabel()) for ax in figure.axes] == [False, False, True]
    plt.close(figure)


def test_classes_are_told_apart_if_there_are_few():
    rows = table([(0.5, 0.1), (0.5, 0.3), (0.5, 0.4)]).assign(predicted=[0, 1, 1])
    said = permutation.by_predicted(rows, ["bad", "good"], "planted")
    assert said.startswith("On planted") and said.endswith(
        "is 0.35 on average if “good” is predicted, but 0.10 if “bad” is"
    )
    assert permutation.by_predicted(rows, (), "planted").endswith("is 0.27 on average")
    one = permutation.by_predicted(rows.iloc[:1], ["bad", "good"], "planted")
    assert one.endswith("is 0.10 on average")


def test_peaks_that_say_nothing_are_told(monkeypatch):
    for more, said in (
        ({"a": True, "b": True}, "So moving attention matters more"),
        ({"a": False, "b": False, "c": True}, "So a peak says little"),
    ):
        monkeypatch.setattr(permutation, "_rising", lambda *_, found=more: found)
        told = permutation.rising_means({}, ())
        assert told.startswith(said) and told.endswith("The exceptions are a; b.") == (not more["a"])


def test_other_corpora_are_told():
    said = permutation.elsewhere()
    assert "(imdb)" in said and "(sst)" not in said and "babi3-1k" not in said


def test_the_answer_begins_with_the_spread_over_corpora(monkeypatch):
    """It counts this run's corpus, too, if no model like it is carried."""
    rows, means = table([(0.5, 0.2), (0.5, 0.4)]), permutation._carried()
    told = permutation.over_corpora(rows, RUN.params)
    ends = f"{means.min():.2f} ({means.idxmin()}) to {means.max():.2f} ({means.idxmax()}) on average"
    assert told.startswith("It depends: ") and ends in told
    assert told.endswith(f"({len(means) + 1} corpora; above 0.1 on {(means > 0.1).sum() + 1}).")
    real = permutation.on_real_text()
    assert permutation.in_short(RUN, rows, real)[0] == told
    assert f"({len(means)} corpora;" in permutation.over_corpora(rows, Params(corpus="sst"))
    assert f"({len(means)} corpora;" in permutation.over_corpora(
        rows, Params(corpus="planted", encoder="cnn")
    )
    for mean, how in ((0.3, "Much would change: "), (0.01, "Little would change: ")):
        monkeypatch.setattr(permutation, "_carried", lambda mean=mean: pd.Series({"sst": mean}))
        told = permutation.over_corpora(rows, Params(corpus="sst"))
        assert told.startswith(how) and f"by {mean:.2f} (sst) on average (1 corpus;" in told
    monkeypatch.setattr(permutation, "_carried", lambda: pd.Series(dtype=float))
    assert permutation.over_corpora(rows, RUN.params) == ""
    assert permutation.in_short(RUN, rows, real)[0] == "Usually a lot."


def test_alike_states_are_read():
    several = pd.DataFrame({"median_change": [0.1, 0.2, 0.3]})
    conicity = pd.Series([0.9, 0.8, 0.7])
    said = permutation.alike(conicity, several)
    assert said.endswith("a shuffle tends to change less.")
    assert "So the" not in permutation.alike(pd.Series([0.7, 0.9, 0.7]), several)


def test_where_one_word_decides():
    rows = pd.DataFrame(
        {"predicted": [0, 0, 1], "median_change": [0.0, 0.2, 0.9], "optimum": [0.6, 0.4, 0.1]}
    )
    said = permutation.enough(rows, ["bad", "good"])
    assert "by 0.10 (bad) and 0.90 (good); the ε-max JSD is 0.50 and 0.10" in said
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
