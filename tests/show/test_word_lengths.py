"""What the norm of word vectors does, in sentences: of every table something true, of none nothing."""

import numpy as np
import pandas as pd

from heed.show import word_lengths
from verdict_rows import of_runs


def test_what_the_length_does_to_agreement():
    (said,) = word_lengths.of_lengths(of_runs())
    assert said == (
        "BiLSTM: τ(gradient, LOO) goes from 0.79 with vectors 1 long to 0.59 with vectors 16 long. "
        "Meanwhile τ(attention, gradient) lies between 0.30 and 0.30, τ(attention, LOO) between 0.20 and "
        "0.40, accuracy between 0.80 and 0.80 (2 kinds of vectors, 2 seeds)."
    )
    rows = of_runs()
    rows.loc[rows["norm"].between(3, 5), "tau_gradient_loo"] -= 0.3
    (said,) = word_lengths.of_lengths(rows)
    assert "to 0.59 with vectors 16 long. Lowest is 0.39, at 4." in said
    assert word_lengths.of_lengths(of_runs(lengths=(1.0,))) == []
    assert word_lengths.of_lengths(of_runs().iloc[:0]) == []
    both = pd.concat([of_runs(encoder="cnn"), of_runs(seeds=(0,))])
    assert [said.split(":")[0] for said in word_lengths.of_lengths(both)] == ["BiLSTM", "CNN"]


def test_lengths_as_the_vectors_come():
    rows = of_runs(kinds=("word2vec", "<b>"), lengths=(4.0, 8.0)).assign(vectors_scale=[0.5, 0.5, 1, 1] * 2)
    said = word_lengths.as_they_come(rows)
    assert said.startswith("As they come they are long (median over the test tokens): ")
    assert "word2vec 8" in said and "<b>" not in said


def test_how_much_more_the_two_agree_than_attention_with_either():
    (said,) = word_lengths.contrast_by_length(of_runs())
    assert said == (
        "BiLSTM: with vectors 1 long and 16 long gradient and LOO agree more than attention and LOO by "
        "+0.59 and +0.19 and attention and gradient by +0.49 and +0.29."
    )
    assert word_lengths.contrast_by_length(of_runs(lengths=(1.0,))) == []


def test_average_is_told_in_closed_form():
    said = word_lengths.in_closed_form(of_runs(encoder="average"))
    assert said.startswith("Saturated are 0% of Average's states at the shortest, 20% at the longest.")
    assert "τ(gradient, LOO) goes from 0.79 to 0.59, τ(integrated gradients, LOO) from 0.80 to 0.70" in said
    assert said.endswith("the path takes away 50% of the fall.")
    assert word_lengths.in_closed_form(of_runs()) == ""
    assert word_lengths.in_closed_form(of_runs(encoder="average", lengths=(1.0,))) == ""
    assert word_lengths.in_closed_form(of_runs(encoder="average", saturated=np.nan)) == ""


def test_what_length_does_to_finding_the_truth():
    rows = of_runs(auroc_attention=0.5).assign(auroc_loo=lambda t: t["tau_gradient_loo"])
    ways = {"attention": "auroc_attention", "leave-one-out": "auroc_loo"}
    (said,) = word_lengths.truth_by_length(rows, ways)
    assert said == (
        "**BiLSTM**: best is leave-one-out at 1, 4 and 16. AUROC from the shortest to the longest: "
        "attention 0.50 to 0.50, leave-one-out 0.79 to 0.59; accuracy 0.80 to 0.80 (drawn vectors and "
        "word2vec; 2 seeds)."
    )
    turned = rows.assign(auroc_attention=np.where(rows["norm"] > 10, 0.9, 0.5))
    lacking = turned[(turned["vectors"] != "random") | (turned["norm"] < 10)]
    (said,) = word_lengths.truth_by_length(lacking, ways)
    assert "best is attention at 16 and leave-one-out at 1 and 4." in said and "(word2vec; 2 seeds)" in said
    assert word_lengths.truth_by_length(rows.assign(auroc_loo=np.nan), ways) == []


def test_length_and_content_share_the_spread():
    """Against a two-way analysis of variance by hand: nothing is left over here."""
    rows = of_runs()
    said = word_lengths.length_or_content(rows)
    means = rows.assign(at=rows["norm"].round(1)).groupby(["at", "vectors"])["tau_gradient_loo"].mean()
    whole = ((means - means.mean()) ** 2).sum()
    lengths = 2 * ((means.groupby("at").mean() - means.mean()) ** 2).sum() / whole
    assert f"between kinds: {lengths:.0%} and {1 - lengths:.0%} (BiLSTM). Over this range" in said
    assert word_lengths.length_or_content(of_runs(kinds=("random",))) == ""
    same = rows.assign(
        tau_gradient_loo=rows["vectors"].map({"word2vec": 0.7, "random": 0.2}) + rows["norm"] / 99
    )
    assert "Over this range" not in word_lengths.length_or_content(same)


def test_mechanisms_name_where_it_falls_and_what_a_path_takes_away():
    rows = of_runs()
    rows.loc[rows["norm"] > 10, "tau_gradient_loo"] -= 0.2
    said = " ".join(word_lengths.mechanisms(rows))
    assert "with drawn vectors from 4 to 16, by 0.30 (10.0% and 20.0% saturated) and with word2vec" in said
    assert "at the longest 20%. τ(gradient, LOO) falls most" in said
    assert "goes from 0.80 to 0.70 with attention held, from 0.80 to 0.80 with attention live." in said
    assert "Held, it takes away 75% with drawn vectors and 75% with word2vec of the fall." in said
    assert "0.90 with what happens where vectors are shortest, and of 0.50 where they are longest" in said
    assert (
        "with the second derivative, too, 0.95 and 0.75." in said and "agree by 0.85 at the shortest" in said
    )
    assert "short vectors by 30% of their length, long ones by 10.0%" in said
    worse = " ".join(word_lengths.mechanisms(rows.assign(removal_ig_held=rows["tau_gradient_loo"] * 2)))
    assert "takes away nothing with drawn vectors" in worse
    assert word_lengths.mechanisms(of_runs(encoder="cnn")) == []
    assert "nan" not in said


def test_the_same_start():
    rows = of_runs(seeds=(0,), kinds=("word2vec",))
    said = word_lengths.same_start(rows, rows.assign(tau_gradient_loo=[0.8, 0.7, 0.75]))
    assert "is 0.80 instead of 0.80 at length 1, and 0.75 instead of 0.60 at 16." in said
    assert "So 75% of the fall goes with the start. (1 kind of vectors, 1 seed.)" in said
    assert word_lengths.same_start(rows, rows.iloc[:0]) == ""


def test_the_main_finding_and_the_titles():
    """What a figure says is what its lines show; of too few lengths nothing is claimed."""
    rows = of_runs().assign(over_loo=lambda own: own["tau_gradient_loo"] - own["tau_loo"])
    said = word_lengths.main_finding(rows)
    assert said.startswith("their τ is 0.79 with vectors 1 long and 0.59 with vectors 16 long")
    assert "between 0.20 and 0.40" in said
    assert (
        word_lengths.main_finding(of_runs(lengths=(1.0,))) == word_lengths.main_finding(rows.iloc[:0]) == ""
    )
    assert word_lengths.main_finding(of_runs(encoder="cnn")) == ""
    assert "by 0.79 with short word vectors and by 0.59 with long ones" in word_lengths.falls(rows, "X")
    assert word_lengths.contrast(rows, "X").endswith("by 0.59 and 0.19 (BiLSTM)")
    (row,) = word_lengths.table(rows).to_dict("records")
    assert row["τ(gradient, LOO)"] == "0.79 to 0.59" and row["lowest τ(gradient, LOO)"] == "0.59 at 16"


def test_the_steps_of_a_removal_are_told_by_their_ends():
    assert "a τ of 0.90 with what happens where vectors are shortest, 0.50 where" in word_lengths.steps(
        of_runs(), "X"
    )


def test_a_few_trainings_are_told_by_their_ends():
    assert "by 0.59 (at 16) to 0.79 (at 1)" in word_lengths.live(of_runs())
    assert "as much" in word_lengths.live(of_runs(lengths=(2.0,)))
    assert word_lengths.live(of_runs().assign(tau_gradient_loo=np.nan)).startswith("No text has a τ")


def test_who_finds_the_truth_turns():
    rows = of_runs(auroc_attention=0.7, auroc_gradient=0.5).assign(
        auroc_loo=lambda own: own["tau_gradient_loo"]
    )
    said = word_lengths.turns(rows)
    assert (
        said
        == "BiLSTM: with short vectors leave-one-out finds the deciding words best, with long ones attention"
    )
    assert "best with short and long vectors" in word_lengths.turns(rows.assign(auroc_attention=0.9))
    assert word_lengths.turns(rows.iloc[:0]).startswith("There are too few")


def test_carried_runs_are_of_real_texts_or_of_made_ones():
    real, made = word_lengths.carried(False), word_lengths.carried(True)
    assert {*real["corpus"]} == {"sst"} and {*made["corpus"]} == {"planted"}
    assert len(word_lengths.usual(real)) == len(made) == 63 and len(word_lengths.turned(real)) == 2
