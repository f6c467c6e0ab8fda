"""Chapter 00's sentences: what the carried numbers say, and nothing without them."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from chapters import NOTHING
from heed.measures.relevance import value
from heed.show import figures, ours, start
from heed.show.figures.start import NEAR
from heed.show.style import LABELS


def test_the_debate_is_told_of_carried_rows():
    rows = start.debate()
    own = start.of_sst(rows)
    said = " ".join([*start.in_short(rows), *start.answer(rows), start.far_apart(rows)])
    taus = rows.query("measure == 'tau_loo' and encoder != 'average'")["mean"]
    assert (
        f"agree at τ {taus.min():.2f} to {taus.max():.2f} (1:" in said
        and "or CNN's" in said
        and not NOTHING.search(said)
    )
    assert f"moved {own['optimum'] / np.log(2):.0%} of the greatest distance" in said
    changes = rows.query("measure == 'median_change' and encoder == 'bilstm'").set_index("corpus")["mean"]
    assert "by 0.8 on babi1 and babi2 (stories with a question)" in said and (changes > 0.5).sum() == 2
    optima = rows["measure"] == "optimum"
    far = (rows[optima]["mean"] > NEAR).sum()
    assert f"in at least {far} of {optima.sum()} pairs" in start.far_apart(rows), "babi's are lower bounds"
    sure = rows[~(optima & (rows["mean"] < NEAR))]
    assert start.where_expected(rows).startswith("At most ")
    assert start.where_expected(sure).startswith("Only ")
    assert "at least" in start.far_apart(rows) and "at least" not in start.far_apart(sure)
    nearer = rows.assign(mean=rows["mean"].mask(optima, 0.1))
    assert f"in none of {optima.sum()} pairs" in start.far_apart(nearer)
    assert start.far_apart(rows.assign(mean=0.6)).endswith("whatever the model and the corpus")
    assert "0.38 to 0.40 with the gradient and of 0.33 to 0.34 with" in start.reported(rows)
    assert f"Ours are {own['tau_gradient']:.2f} and {own['tau_loo']:.2f}" in start.reported(rows)
    assert "Ours" not in start.reported(rows.iloc[:0])
    assert len(" ".join(start.in_short(rows)).split()) <= 110


def test_models_that_only_guess_are_left_out():
    """As in the verdict; the figure counts what is left of each encoder."""
    rows, left_out = start.debate(), start.guessers()
    assert ("babi3-1k", "bilstm") in {*left_out.itertuples(index=False, name=None)}
    pairs = {*rows[["corpus", "encoder"]].itertuples(index=False, name=None)}
    assert not pairs & {*left_out.itertuples(index=False, name=None)}
    said = " ".join(start.corpora_shown(rows, left_out, "planted"))
    assert all(name in start.kinds(rows) for name in rows["corpus"].unique())
    mine = rows[:1].assign(corpus="mine")
    assert start.kinds(mine) == "The corpora are others (mine)."
    assert "planted, isn't among them" in said and "BiLSTM on babi3-1k" in said
    counts = rows[rows["measure"] == "optimum"].groupby("encoder")["corpus"].nunique()
    figure = figures.debate(rows)
    labels = [label.get_text() for label in figure.axes[2].get_yticklabels()]
    assert labels == [f"{LABELS[name]} ({counts[name]})" for name in LABELS if name in counts]
    named = [text.get_text() for text in figure.axes[2].texts if text.get_weight() != "bold"]
    near = rows[(rows["measure"] == "optimum") & (rows["mean"] < NEAR)]["corpus"]
    assert sorted(", ".join(named).split(", ")) == sorted(near), "what lies far off is named"
    plt.close(figure)
    said, of_panel = start.corpora_shown(rows, left_out.iloc[:0], "sst")
    assert "left out" not in said
    named = sorted(rows.loc[rows["measure"] == "over_uniform", "corpus"])
    assert of_panel.startswith(f"Panel 4 has {named[0]}, ") and all(name in of_panel for name in named)
    assert len(start.corpora_shown(rows[rows["measure"] == "optimum"], left_out.iloc[:0], "sst")) == 1


def test_where_attention_can_differ_least_is_named():
    rows = start.debate()
    low = rows.query("measure == 'optimum'")["mean"].min()
    said = start.nearest(rows)
    assert f"({low:.2f})" in said and "lower bounds" in said
    of_two = rows[(rows["measure"] == "optimum") & (rows["corpus"] == "sst")]
    assert "lower bounds" not in start.nearest(of_two.assign(mean=0.3))
    assert start.nearest(rows.assign(mean=0.6)) == start.nearest(rows.iloc[:0]) == ""


def test_nothing_is_said_without_rows():
    none = start.debate().iloc[:0]
    assert start.in_short(none) == start.answer(none) == [start.LEAST]


def test_uniform_attention_is_held_against_the_same_encoder():
    rows = start.debate().query("measure == 'over_uniform'")
    assert {*rows["encoder"]} == {"bilstm"} and rows["mean"].between(-0.1, 0.1).all()


def test_uniform_attention_is_held_against_the_same_seed(monkeypatch):
    """A seed that only one of the two has counts in neither mean."""
    base = {"corpus": "sst", "encoder": "bilstm", "profile": "paper", "class": "overall", "measure": "f1"}
    rows = pd.DataFrame(
        [
            base | {"attention": attention, "seed": seed, "mean": mean, "n": 9}
            for attention, seed, mean in (
                ("additive", 0, 0.8),
                ("additive", 1, 0.2),
                ("uniform", 0, 0.7),
                ("uniform", 2, 0.1),
            )
        ]
    )
    monkeypatch.setattr(start.verdict, "committed", lambda: rows)
    monkeypatch.setattr(start.verdict, "plain", lambda table: table)
    monkeypatch.setattr(start.verdict, "without_guessing", lambda table: table)
    (own,) = start.debate().query("measure == 'over_uniform'").to_dict("records")
    assert own["mean"] == pytest.approx(0.1) and own["count"] == 1


def test_only_low_agreement_is_called_no_reason():
    rows = start.debate()
    assert start.in_short(rows)[0].startswith("A model heeds its attention in part")
    alone = "only where each is read alone (Average)"
    high = rows.assign(mean=rows["mean"].mask(rows["measure"] == "tau_loo", 0.9))
    assert alone in " ".join(start.answer(rows)) and alone not in " ".join(start.answer(high))
    assert start.in_short(high)[0].startswith(
        "A [BiLSTM](glossary.md#encoder)'s or CNN's attention ranks words as leaving"
    )
    even = rows.assign(mean=rows["mean"].mask(rows["measure"] == "median_change", 0.1))
    assert "but by" not in " ".join(start.in_short(even))
    assert "by 0.10 on 9 corpora." in " ".join(start.answer(even))


def test_every_corpus_is_a_point():
    rows = start.debate()
    figure = figures.debate(rows)
    for ax, measure in zip(figure.axes, ("tau_loo", "median_change", "optimum", "over_uniform"), strict=True):
        points = [line for line in ax.lines if line.get_marker() in ("o", "D")]
        assert sum(len(line.get_xdata()) for line in points) == (rows["measure"] == measure).sum()
    plt.close(figure)


def test_points_where_one_expects_them_are_counted_and_shaded():
    """By hand: τ and a shuffle's change above the border, the furthest attention below it."""
    measures = ("tau_loo", "tau_loo", "median_change", "optimum", "optimum", "over_uniform")
    rows = pd.DataFrame({"measure": measures, "mean": (0.6, 0.4, 0.4, 0.6, 0.7, 0.9)})
    assert start.where_expected(rows).startswith("Only 1 of the 5 points of panels 1 to 3 lies in")
    assert start.where_expected(rows.assign(mean=0.9)).startswith("3 of the 5 points of panels 1 to 3 lie in")
    assert start.where_expected(rows.assign(mean=0.5)).startswith("None of the 5 points of panels 1 to 3 lie")
    figure = figures.debate(start.debate())
    spans = [
        [round(one.get_x() + part * one.get_width(), 2) for one in ax.patches for part in (0, 1)]
        for ax in figure.axes
    ]
    assert [span[:1] for span in spans[:2]] == [[0.5], [0.5]] and spans[3] == []
    assert max(spans[2]) == NEAR and min(spans[2]) < 0
    plt.close(figure)


def test_distances_by_hand():
    a, r = np.array([0.75, 0.25]), np.array([1.0, -1.0])
    predictions = [float(expit(a[::-1] @ r))]
    y = float(expit(a @ r))
    (row,) = start.distances([a[::-1]], a, predictions, y).to_dict("records")
    assert row["TVD of the prediction"] == pytest.approx(y - predictions[0])
    half = 0.5 * np.sum(a * np.log(a / 0.5) + a[::-1] * np.log(a[::-1] / 0.5))
    assert row["JSD of the attention"] == pytest.approx(half)
    moved = start.distances([a[::-1]], a, predictions, y)
    said = " ".join(start.crossed(moved, a, y))
    assert "shuffle 1 changes the decision" in said and f"attention far ({half:.3f} at most)" in said
    assert "no shuffle changes the decision" in start.crossed(moved, a, predictions[0])[0]
    both = pd.concat([moved, moved.assign(shuffle=2)], ignore_index=True)
    both["JSD of the attention"], both["TVD of the prediction"] = [0.1, 0.2], [0.2, 0.1]
    assert "Shuffle 1 moves attention least and the prediction most" in " ".join(start.crossed(both, a, y))
    both["TVD of the prediction"] = [0.1, 0.2]
    assert "moves attention least" not in " ".join(start.crossed(both, a, y))


def test_one_weight_of_our_sentence_is_taken():
    one = ours.kept()["not-bad"]
    said = " ".join(start.without(one, ["not", "bad"]))
    assert "with “not” at 0 it gives 0." in said and "with “bad” at 0" in said and "hangs on neither" in said
    assert f"gives “negative” {one.row().prediction[0]:.3f};" in said


def test_other_attention_must_keep_the_prediction():
    words, a, other = ["a", "b", "c"], np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.4, 0.6])
    said = start.same_answer(words, a, other, (0.6, 0.6))
    assert said.startswith(
        "With 0.40 of the attention on “b” and 0.60 of the attention on “c” the prediction is"
    )
    assert "“a”, which had" in said
    with pytest.raises(AssertionError, match="isn't the same"):
        start.same_answer(words, a, other, (0.6, 0.61))


def test_a_text_is_told_with_its_label(finished):
    row = finished.evidence[0]
    said = start.of_text(row, finished.corpus.classes)
    assert f"Its label is {finished.corpus.classes[row.label]};" in said
    assert f"a probability of {row.prediction[row.shown]:.2f}." in said
    (known,) = start.deciding(row)
    assert f"get {row.attention[row.truth].sum():.0%} of the attention" in known


def test_words_that_push_are_counted(finished):
    row = finished.evidence[0]
    up = value(row) > 0
    said = start.pushes(row, finished.corpus.classes)
    assert said.startswith(f"{up.sum()} of the {len(row.units)} words push towards “")
    idle, decide = (up & ~row.truth).sum(), (up & row.truth).sum()
    assert decide > 0 and (f"though only {decide} of them" in said) == (idle > 0)
    assert "decide" not in start.pushes(replace(row, truth=None), finished.corpus.classes)


def test_a_value_without_a_bar_is_told(finished):
    row = finished.evidence[0]
    own = np.where(np.arange(len(row.units))[:, None] == 1, 0.001, 1.0)
    (said,) = start.unseen(replace(row, values=own))
    assert said.startswith("The value of “") and "(0.00)" in said
    assert start.unseen(replace(row, values=np.ones_like(row.values))) == []


def test_a_verdict_in_many_states_is_told_of_encoders_that_read_on(finished):
    row = finished.evidence[0]
    flat = replace(row, values=np.ones_like(row.values))
    (said,) = start.spread_out(flat, "bilstm")
    assert "has a value of 1.0" in said
    assert start.spread_out(flat, "average") == start.spread_out(replace(row, truth=None), "bilstm") == []
    alone = replace(row, values=np.where(row.truth[:, None], 1.0, 0.0))
    assert start.spread_out(alone, "bilstm") == []
