"""Chapter 00's sentences: what the carried numbers say, and nothing without them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from chapters import NOTHING
from heed.show import figures, start


def test_the_debate_is_told_of_carried_rows():
    rows = start.debate()
    own = start.of_sst(rows)
    said = " ".join([*start.in_short(rows), *start.answer(rows), start.far_apart(rows)])
    assert f"τ = {own['tau_gradient']:.2f} and {own['tau_loo']:.2f}" in said
    assert f"a JSD of {own['optimum']:.2f} of at most 0.69" in said and not NOTHING.search(said)
    assert len(" ".join(start.in_short(rows)).split()) < 139


def test_nothing_is_said_without_rows():
    none = start.debate().iloc[:0]
    assert start.in_short(none) == start.answer(none) == [start.LEAST]


def test_uniform_attention_is_held_against_the_same_encoder():
    rows = start.debate().query("measure == 'over_uniform'")
    assert {*rows["encoder"]} == {"bilstm"} and rows["mean"].between(-0.1, 0.1).all()
    better = pd.concat([start.debate(), rows[rows["corpus"] == "sst"].assign(mean=-0.02)])
    better = better.drop_duplicates(["corpus", "encoder", "measure"], keep="last")
    assert "0.020 more in F1" in " ".join(start.in_short(better))


def test_every_corpus_is_a_point():
    rows = start.debate()
    figure = figures.debate(rows)
    for ax, measure in zip(
        figure.axes, ("tau_gradient", "median_change", "optimum", "over_uniform"), strict=True
    ):
        points = [line for line in ax.lines if line.get_marker() == "o"]
        assert sum(len(line.get_xdata()) for line in points) == (rows["measure"] == measure).sum()
    plt.close(figure)


def test_distances_by_hand():
    a, r = np.array([0.75, 0.25]), np.array([1.0, -1.0])
    predictions = [float(expit(a[::-1] @ r))]
    y = float(expit(a @ r))
    (row,) = start.distances([a[::-1]], a, predictions, y).to_dict("records")
    assert row["TVD of the prediction"] == pytest.approx(y - predictions[0])
    half = 0.5 * np.sum(a * np.log(a / 0.5) + a[::-1] * np.log(a[::-1] / 0.5))
    assert row["JSD of the attention"] == pytest.approx(half)
    assert "changes in 1 of the 1 shuffles" in start.crossed(predictions, y)


def test_other_attention_must_keep_the_prediction():
    words, a, other = ["a", "b", "c"], np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.4, 0.6])
    said = start.same_answer(words, a, other, (0.6, 0.6))
    assert said.startswith("All attention on “b” and “c”") and "“a”, which had" in said
    with pytest.raises(AssertionError, match="isn't the same"):
        start.same_answer(words, a, other, (0.6, 0.61))


def test_a_text_is_told_with_its_label(finished):
    row = finished.evidence[0]
    said = start.of_text(row, finished.corpus.classes)
    assert f"Label: {finished.corpus.classes[row.label]}" in said
    (known,) = start.deciding(row)
    assert f"get {row.attention[row.truth].sum():.0%} of the attention" in known
