"""Sentences that chapters compute: whatever the numbers, they speak of something."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import says_something
from heed.show import sentences
from verdict_rows import of_runs

SHARE = st.floats(0, 1)


def test_a_range_over_seeds():
    assert sentences.over_seeds([0.1, 0.3]) == "0.20 (0.10 to 0.30 over 2 seeds)"
    assert sentences.over_seeds([0.27]) == "0.27 (one seed)"


@given(lengths=st.lists(st.integers(1, 3), min_size=1, max_size=5))
def test_texts_of_one_token_are_counted(lengths):
    sentence, single = sentences.left_out(lengths), lengths.count(1)
    assert bool(sentence) == (single > 0)
    if single:
        says_something(sentence)
    assert ("left out" in sentence) == (0 < single < len(lengths))


def test_left_out_by_hand():
    assert sentences.left_out([1, 2, 3], "sentence").startswith(
        "1 of the 3 texts has a single sentence, and no"
    )
    assert sentences.left_out([1]).startswith("The only text here has a single token")
    assert sentences.left_out([1, 1]).startswith("Each of the 2 texts here has a single token")


TAUS = {"tau_gradient": "gradient", "tau_loo": "leave-one-out", "tau_other": "another"}


@given(undefined=st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_mean_taus_are_of_the_texts_that_have_one(undefined):
    rows = pd.DataFrame({"n": 2, "undefined": undefined, "mean": 0.5, "significant": 0.25}, index=[*TAUS])
    rows.loc[rows["undefined"] == 2, ["mean", "significant"]] = np.nan
    sentence = sentences.mean_taus(rows, TAUS)
    says_something(sentence)
    for tau, label in TAUS.items():
        assert (f"attention and {label} " in sentence) == (rows.loc[tau, "undefined"] < 2)


@pytest.mark.parametrize(("values", "said"), [([0.1, 0.3], "“b”"), ([0.2, 0.2], "none, all are equal")])
def test_the_top_word_is_one_that_is_above_another(values, said):
    assert sentences.top_word(["a", "b"], np.array(values)) == said


def test_parts_of_sentences():
    assert [sentences.listed("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert [sentences.counted(n, "pair") for n in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]
    assert sentences.number(np.nan) == "undefined" and sentences.number(0.5, "+.1f") == "+0.5"
    assert sentences.quoted(["w"] * 41) == f"*{' '.join(['w'] * 40)}* …" and sentences.quoted(["w"]) == "*w*"
    assert sentences.until_flipped(0.5, 4) == "2 of 4 words"
    assert sentences.until_flipped(np.nan, 4) == "the decision never flips"
    js, weight = pd.Series([-0.1, 0.2]), pd.Series([0.3, 0.1])
    assert "negative in 50.0% of 2 texts, where the weights differ by 0.30" in sentences.single_weight(
        "x", js, weight
    )
    assert "negative in 0.0% of 1 text; it" in sentences.single_weight("x", js[1:], weight[1:])


# How long is a word?


def test_what_the_length_does_to_agreement():
    (said,) = sentences.of_lengths(of_runs())
    assert said == (
        "BiLSTM: from the shortest vectors, 1 long, to the longest, 16, τ(gradient, LOO) goes from 0.79 to "
        "0.59 (means over 2 kinds of vectors and 2 seeds). Over all lengths and kinds lie τ(attention, "
        "gradient) from 0.30 to 0.30, τ(attention, LOO) from 0.20 to 0.40 and accuracy from 0.80 to 0.80."
    )
    rows = of_runs()
    rows.loc[rows["norm"].between(3, 5), "tau_gradient_loo"] -= 0.3
    (said,) = sentences.of_lengths(rows)
    assert "goes from 0.79 to 0.59, and is lowest between, 0.39 at 4 (means over" in said
    assert sentences.of_lengths(of_runs(lengths=(1.0,))) == []
    assert sentences.of_lengths(of_runs().iloc[:0]) == []
    both = pd.concat([of_runs(encoder="cnn"), of_runs(seeds=(0,))])
    assert [said.split(":")[0] for said in sentences.of_lengths(both)] == ["BiLSTM", "CNN"]


def test_lengths_as_the_vectors_come():
    rows = of_runs(kinds=("word2vec", "<b>"), lengths=(4.0, 8.0)).assign(vectors_scale=[0.5, 0.5, 1, 1] * 2)
    said = sentences.as_they_come(rows)
    assert said.startswith("As they come they are long (median over the test tokens): ")
    assert "word2vec 8.0" in said and " 8.0" in said and "<b>" not in said


def test_how_much_more_the_two_agree_than_attention_with_either():
    (said,) = sentences.contrast_by_length(of_runs())
    assert said == (
        "BiLSTM: with the shortest vectors, 1 long, and the longest, 16, τ(gradient, LOO) exceeds "
        "τ(attention, LOO) by +0.59 and +0.19 and τ(attention, gradient) by +0.49 and +0.29."
    )
    assert sentences.contrast_by_length(of_runs(lengths=(1.0,))) == []


def test_average_is_told_in_closed_form():
    said = sentences.in_closed_form(of_runs(encoder="average"))
    assert "saturated: 0% of the states at the shortest, 20% at the longest." in said
    assert "τ(gradient, LOO) goes from 0.79 to 0.59, τ(integrated gradients, LOO) from 0.80 to 0.70" in said
    assert said.endswith("the path takes away 50% of the fall.")
    assert sentences.in_closed_form(of_runs()) == ""
    assert sentences.in_closed_form(of_runs(encoder="average", lengths=(1.0,))) == ""
    assert sentences.in_closed_form(of_runs(encoder="average", saturated=np.nan)) == ""


def test_what_length_does_to_finding_the_truth():
    rows = of_runs(auroc_attention=0.5).assign(auroc_loo=lambda t: t["tau_gradient_loo"])
    ways = {"attention": "auroc_attention", "leave-one-out": "auroc_loo"}
    (said,) = sentences.truth_by_length(rows, ways)
    assert said == (
        "BiLSTM (drawn vectors and word2vec; 2 seeds): best is leave-one-out at 1, 4 and 16. At the two ends "
        "the AUROC is of attention 0.50 and 0.50 and leave-one-out 0.79 and 0.59, accuracy 0.80 and 0.80."
    )
    turned = rows.assign(auroc_attention=np.where(rows["norm"] > 10, 0.9, 0.5))
    lacking = turned[(turned["vectors"] != "random") | (turned["norm"] < 10)]
    (said,) = sentences.truth_by_length(lacking, ways)
    assert "BiLSTM (word2vec; 2 seeds): best is attention at 16 and leave-one-out at 1 and 4." in said
    assert sentences.truth_by_length(rows.assign(auroc_loo=np.nan), ways) == []


def test_length_and_content_share_the_spread():
    """Against a two-way analysis of variance by hand: nothing is left over here."""
    rows = of_runs()
    (said,) = sentences.length_or_content(rows)
    means = rows.assign(at=rows["norm"].round(1)).groupby(["at", "vectors"])["tau_gradient_loo"].mean()
    whole = ((means - means.mean()) ** 2).sum()
    lengths = 2 * ((means.groupby("at").mean() - means.mean()) ** 2).sum() / whole
    assert f"{lengths:.0%} lies between lengths, {1 - lengths:.0%} between kinds, and the rest" in said
    assert sentences.length_or_content(of_runs(kinds=("random",))) == []


def test_mechanisms_name_where_it_falls_and_what_a_path_takes_away():
    rows = of_runs()
    rows.loc[rows["norm"] > 10, "tau_gradient_loo"] -= 0.2
    said = " ".join(sentences.mechanisms(rows))
    assert (
        "with drawn vectors from 4 to 16, by 0.30 (10.0% and 20.0% saturated) and with word2vec from" in said
    )
    assert "At the longest 20% are." in said
    path = "τ(integrated gradients, LOO) goes from 0.80 to"
    taken = "Of the fall the path takes away"
    assert f"held. {path} 0.70. {taken} 75% with drawn vectors and 75% with word2vec." in said
    assert f"computed anew. {path} 0.80. {taken} 100% with drawn vectors and 100% with word2vec." in said
    assert "0.90 with what the prediction does at the shortest, and 0.50 at the longest" in said
    assert "too, 0.95 and 0.75. Zeroing and removal agree by 0.85 and 0.85." in said
    assert "by 30% of their length at the shortest, by 10.0% at the longest" in said
    assert sentences.mechanisms(of_runs(encoder="cnn")) == []
    assert "nan" not in said


def test_the_same_start():
    rows = of_runs(seeds=(0,), kinds=("word2vec",))
    said = sentences.same_start(rows, rows.assign(tau_gradient_loo=[0.8, 0.7, 0.75]))
    assert "is 0.80 at length 1 instead of 0.80, and 0.75 at 16 instead of 0.60." in said
    assert "So 75% of the fall goes with the start. (1 kind of vectors, 1 seed.)" in said
    assert sentences.same_start(rows, rows.iloc[:0]) == ""
