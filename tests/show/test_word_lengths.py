"""What the norm of word vectors does, in sentences: of every table something true, of none nothing."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.show import figures, word_lengths
from heed.show.figures.correlation import APART, OF_PAIRS
from verdict_rows import of_runs


def test_what_the_length_does_to_agreement():
    (said,) = word_lengths.of_lengths(of_runs())
    assert said == (
        "BiLSTM: τ(gradient, LOO) goes from 0.79 with vectors of norm 1 to 0.59 with vectors of norm 16. "
        "Meanwhile τ(attention, gradient) is 0.30 to 0.30, τ(attention, LOO) 0.20 to 0.40 and accuracy "
        "0.80 to 0.80 (2 kinds of vectors, 2 seeds)."
    )
    rows = of_runs()
    rows.loc[rows["norm"].between(3, 5), "tau_gradient_loo"] -= 0.3
    (said,) = word_lengths.of_lengths(rows)
    assert "to 0.59 with vectors of norm 16. Lowest is 0.39, at 4." in said
    assert word_lengths.of_lengths(of_runs(lengths=(1.0,))) == []
    assert word_lengths.of_lengths(of_runs().iloc[:0]) == []
    both = pd.concat([of_runs(encoder="cnn"), of_runs(seeds=(0,))])
    assert [said.split(":")[0] for said in word_lengths.of_lengths(both)] == ["BiLSTM", "CNN"]


def test_how_much_more_the_two_agree_than_attention_with_either():
    (said,) = word_lengths.contrast_by_length(of_runs())
    assert said == (
        "BiLSTM: with vectors of norm 1 and 16 gradient and LOO agree more than attention and LOO by "
        "+0.59 and +0.19 and attention and gradient by +0.49 and +0.29."
    )
    assert word_lengths.contrast_by_length(of_runs(lengths=(1.0,))) == []


def test_what_length_does_to_finding_the_truth():
    rows = of_runs(auroc_attention=0.5).assign(auroc_loo=lambda t: t["tau_gradient_loo"])
    ways = {"attention": "auroc_attention", "leave-one-out": "auroc_loo"}
    found = word_lengths.truth_by_length(rows, ways)
    assert found.to_numpy().tolist() == [
        ["BiLSTM", "attention", "0.50", "0.50", ""],
        ["BiLSTM", "leave-one-out", "0.79", "0.59", "1, 4, 16"],
        ["BiLSTM", "(accuracy)", "0.80", "0.80", ""],
    ]
    turned = rows.assign(auroc_attention=np.where(rows["norm"] > 10, 0.9, 0.5))
    lacking = turned[(turned["vectors"] != "random") | (turned["norm"] < 10)]
    assert [*word_lengths.truth_by_length(lacking, ways)["best at norm"]] == ["16", "1, 4", ""]
    near = rows.assign(auroc_attention=lambda t: t["auroc_loo"] - 0.04)
    assert [*word_lengths.truth_by_length(near, ways)["best at norm"]] == ["", "", ""]
    apart = rows.assign(auroc_attention=rows["vectors"].map({"word2vec": 0.8, "random": 0.2}))
    assert word_lengths.truth_by_length(apart, ways).iloc[0, 2] == "0.50 (0.20 to 0.80)"
    assert word_lengths.truth_by_length(rows.assign(auroc_loo=np.nan), ways).empty
    kinds = rows.assign(auroc_gradient=0.5)
    assert word_lengths.of_kinds(kinds).startswith("BiLSTM: random vectors and word2vec, 2 seeds. Where all")
    assert word_lengths.of_kinds(kinds[kinds["vectors"] == "random"]).startswith("BiLSTM: random vectors, 2")


def test_models_that_are_left_out_are_named():
    rows = of_runs(kinds=("random",), seeds=(0,)).assign(accuracy=[0.9, 0.5, 0.4])
    assert word_lengths.why_left_out(rows) == "Left out: 2 of 3 models that learnt next to nothing."
    assert len(word_lengths.learnt(rows)) == 1
    assert word_lengths.why_left_out(rows.iloc[:1]) == ""
    both = of_runs(seeds=(0,)).assign(accuracy=[0.9, 0.9, 0.9, 0.9, 0.9, 0.4])
    assert "1 of 6 models" in word_lengths.why_left_out(both) and "2 more" in word_lengths.why_left_out(both)


def test_a_line_is_of_the_same_kinds_of_vectors_at_every_norm():
    """What the sentences average and what the figure draws are the same rows."""
    rows = of_runs(auroc_attention=0.5, auroc_gradient=0.5).assign(
        auroc_loo=lambda own: own["tau_gradient_loo"]
    )
    lacking = rows[(rows["vectors"] != "random") | (rows["norm"] < 10)]
    kept = word_lengths.complete(lacking)
    assert {*kept["vectors"]} == {"word2vec"} and len(kept) == 6
    assert word_lengths.complete(kept).equals(kept) and len(word_lengths.complete(rows)) == len(rows)
    assert word_lengths.complete(rows.iloc[:0]).empty
    apart = rows[(rows["vectors"] == "random") == (rows["norm"] < 10)]
    pd.testing.assert_frame_equal(word_lengths.truth_by_length(lacking), word_lengths.truth_by_length(kept))
    assert word_lengths.complete(apart)["norm"].max() < 10
    learnt = word_lengths.learnt(word_lengths.usual(word_lengths.carried(made=True)))
    for _, own in word_lengths.complete(learnt).groupby("encoder"):
        at = word_lengths.length_of(own)
        assert (own.groupby(at)["vectors"].unique().map(sorted).map(tuple).nunique()) == 1
    figure = figures.by_length(kept, {"AUROC": word_lengths.WAYS})
    (line,) = (line for line in figure.axes[0].lines if line.get_label() == "leave-one-out")
    means = kept.groupby(word_lengths.length_of(kept))["auroc_loo"].mean()
    assert line.get_ydata() == pytest.approx(means.to_numpy())
    plt.close(figure)


def test_a_norm_is_called_as_the_axis_has_it():
    assert [word_lengths.nominal(norm) for norm in (1.0, 4.1, 33.2, 65.1, 6.2, 0.25)] == [
        "1", "4", "32", "64", "6.2", "0.25",
    ]  # fmt: skip


def test_a_pair_of_rankings_has_one_colour():
    """In each figure of the chapter, and nothing that isn't a pair has it."""
    pairs = {*OF_PAIRS.values()}
    assert len(pairs) == len(OF_PAIRS) == 3
    assert not pairs & {colour for name, colour in APART.items() if name not in OF_PAIRS}
    rankings = {APART[name] for name in word_lengths.WAYS}
    assert len(rankings) == 3
    assert not rankings & {colour for name, colour in APART.items() if name not in word_lengths.WAYS}
    labels = {"τ": {"gradient and leave-one-out": "tau_loo"}, "accuracy": {"accuracy": "accuracy"}}
    figure = figures.by_length(of_runs(), labels, colours=APART)
    drawn = {line.get_label(): line.get_color() for ax in figure.axes for line in ax.lines}
    assert drawn["gradient and leave-one-out"] == OF_PAIRS["gradient and leave-one-out"]
    assert drawn["accuracy"] == APART["accuracy"]
    plt.close(figure)


def test_length_and_content_share_the_spread():
    """Against a two-way analysis of variance by hand: nothing is left over here."""
    rows = of_runs()
    said = word_lengths.length_or_content(rows)
    means = rows.assign(at=rows["norm"].round(1)).groupby(["at", "vectors"])["tau_gradient_loo"].mean()
    whole = ((means - means.mean()) ** 2).sum()
    lengths = 2 * ((means.groupby("at").mean() - means.mean()) ** 2).sum() / whole
    expected = f"explains {lengths:.0%} (BiLSTM) of the variance of τ(gradient, LOO), the kind of vectors "
    assert f"{expected}{1 - lengths:.0%}. Over this range" in said
    assert word_lengths.length_or_content(of_runs(kinds=("random",))) == ""
    same = rows.assign(
        tau_gradient_loo=rows["vectors"].map({"word2vec": 0.7, "random": 0.2}) + rows["norm"] / 99
    )
    assert "Over this range" not in word_lengths.length_or_content(same)


def test_mechanisms_name_where_it_falls():
    rows = of_runs()
    rows.loc[rows["norm"] > 10, "tau_gradient_loo"] -= 0.2
    said = " ".join(word_lengths.mechanisms(rows))
    found = word_lengths.steepest(rows)
    assert found.drop(columns="falls by").to_numpy().tolist() == [
        ["random vectors", "4 to 16", "10.0% and 20.0%"], ["word2vec", "4 to 16", "10.0% and 20.0%"]
    ]  # fmt: skip
    assert [*found["falls by"]] == pytest.approx([0.3, 0.3]) and "at norm 16 it is 20%." in said
    assert "0.90 at norm 1 and 0.50 at norm 16. If the forecast uses the second" in said
    assert "it is 0.95 and 0.75." in said
    assert word_lengths.mechanisms(of_runs(encoder="cnn")) == []
    assert "nan" not in said


def test_the_same_start():
    rows = of_runs(seeds=(0,), kinds=("word2vec",))
    said = word_lengths.same_start(rows, rows.assign(tau_gradient_loo=[0.8, 0.7, 0.75]))
    assert "is 0.80 at norm 1 (otherwise 0.80) and 0.75 at norm 16 (otherwise 0.60)." in said
    assert "So in these single runs (word2vec) 75% of the fall goes away. (" in said
    assert word_lengths.same_start(rows, rows.iloc[:0]) == ""


def test_titles_say_what_their_lines_show():
    rows = of_runs().assign(over_loo=lambda own: own["tau_gradient_loo"] - own["tau_loo"])
    assert word_lengths.contrast(rows, "X").endswith("contrast with LOO goes from 0.59 to 0.19 (BiLSTM)")
    own = word_lengths.table(rows).set_index("mean of")["BiLSTM"]
    assert own["τ(gradient, LOO)"] == "0.79 to 0.59" and own["τ(attention, LOO)"] == "0.20 to 0.40"


def test_the_vectors_that_show_the_contrast():
    """By hand: at norms 1, 4 and 16 τ(gradient, LOO) is 0.79, 0.69 and 0.59, less the greater of 0.3 and
    0.2, 0.3, 0.4."""
    rows = of_runs()
    least = {"loo": 0.2, "gradient": 0.35}
    assert word_lengths.as_reported(rows, least).to_numpy().tolist() == [[True] * 2, [True] * 2, [False] * 2]
    assert not word_lengths.as_reported(rows, {"loo": 0.2, "gradient": 0.5}).to_numpy().any()
    far = "X, BiLSTM: gradient and leave-one-out agree far better than attention "
    one = rows.assign(tau_gradient_loo=np.where(rows["vectors"] == "random", 0.9, 0.0))
    for own, by, where in (
        (rows, least, "up to norm 4, not from norm 16 on"),
        (rows, {"loo": 0.1, "gradient": 0.1}, "at every norm"),
        (rows, {"loo": 0.9, "gradient": 0.9}, "at no norm"),
        (one, least, "at some norms or with some vectors only"),
    ):
        assert word_lengths.far_better_at(own, "X", by) == f"{far}{where}"
    held = "This holds with each of the 2 kinds of vectors up to norm 4, "
    assert word_lengths.where_which(rows, least) == f"{held}and with none from norm 16 on."
    last = (rows["vectors"] == "random") & (rows["norm"] > 3)
    some = rows.assign(tau_gradient_loo=rows["tau_gradient_loo"].where(~last, 0.0))
    assert word_lengths.where_which(some, least) == (
        "This holds with each of the 2 kinds of vectors up to norm 1, at norm 4 with some, and with none "
        "from norm 16 on."
    )
    assert word_lengths.where_which(one, least) == word_lengths.where_which(rows[:0], least) == ""
    assert "nothing to compare" in word_lengths.far_better_at(rows[rows["norm"] < 2], "X", least)
    high = (rows["vectors"] == "random") | (rows["norm"] < 2)
    mixed = rows.assign(tau_gradient_loo=np.where(high, 0.9, 0.0))
    assert word_lengths.far_better_at(mixed, "X", least) == f"{far}up to norm 1"
    assert "With longer ones noise may be what holds attention's τ down." in word_lengths.so_noise(
        mixed, least
    )


def test_the_question_of_noise_is_answered():
    """The same rows: at norm 16 the three τ are 0.59, 0.40 and 0.30."""
    rows, least = of_runs(), {"loo": 0.2, "gradient": 0.35}
    said = (
        "Is it the norm? **Largely, yes.** Rescaled to be short, every kind of vectors gives far better "
        "agreement of gradient and leave-one-out; rescaled to be long, none does. With short vectors "
        "gradient and leave-one-out agree with each other at τ 0.79 (norm 1), so noise in them can't be why "
        "attention agrees with them less. With long ones (norm 16 on) all three pairs agree at 0.30 to 0.59. "
        "That is more than by chance (0), but noise may be what holds attention's τ down: **that "
        "isn't settled.**"
    )
    hint = (
        " If growing noise held it down, attention's τ would fall as the norm grows. It doesn't: with "
        "leave-one-out it is 0.20 at the smallest norm and 0.40 at the largest, with the gradient 0.30 and "
        "0.30. That is a hint against noise, no more: the models are trained anew at each norm."
    )
    assert word_lengths.so_noise(rows, least) == said + hint
    one = word_lengths.so_noise(rows[rows["seed"] == 0], least)
    assert one.endswith("no more: it is one seed, and the models are trained anew at each norm.")
    lower = rows.assign(tau_loo=rows["tau_loo"] + np.where(rows["norm"] < 2, 0.22, 0.0))
    hardly = word_lengths.so_noise(lower, {"loo": 0.2, "gradient": 0.35})
    assert "It hardly does: with leave-one-out it is 0.42 at the smallest norm and 0.40 at" in hardly
    falls = rows.assign(tau_loo=rows["tau_loo"] + np.where(rows["norm"] < 2, 0.35, 0.0))
    assert word_lengths.so_noise(falls, least).endswith("attention's τ down: **that isn't settled.**")
    by_chance = rows.assign(tau_gradient=rows["tau_gradient"] - 0.3)
    assert "agree at 0.00 to 0.59. There noise may be what" in word_lengths.so_noise(by_chance, least)
    always = word_lengths.so_noise(rows, {"loo": 0.1, "gradient": 0.1})
    assert always.startswith("**So it isn't mere noise.** At every norm") and "up to τ 0.79 (norm" in always
    never = word_lengths.so_noise(rows, {"loo": 0.9, "gradient": 0.9})
    assert never.startswith("**So it may be noise:** at no norm do")
    one = rows.assign(tau_gradient_loo=np.where(rows["vectors"] == "random", 0.9, 0.0))
    assert "In some of these models gradient and leave-one-out agree" in word_lengths.so_noise(one, least)
    assert word_lengths.so_noise(rows[rows["norm"] < 2], least) == ""


def test_a_band_is_from_the_lowest_to_the_highest_kind():
    rows = of_runs(seeds=(0,))
    figure = figures.by_length(rows, {"τ": {"both": "tau_gradient_loo"}}, spread=True)
    (band,) = [one for one in figure.axes[0].collections if one.get_paths()]
    ends = {*np.round(band.get_paths()[0].vertices[:, 1], 2)}
    assert ends == {*rows["tau_gradient_loo"].round(2)}
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels[-1] == "range of 2 kinds of\nvectors (1 seed)"
    plt.close(figure)


def test_kinds_of_vectors_that_are_far_apart_are_named():
    rows = of_runs(auroc_gradient=0.5, auroc_loo=0.9, seeds=(0,))
    apart = rows.assign(auroc_attention=rows["vectors"].map({"word2vec": 0.8, "random": 0.2}))
    assert word_lengths.averaged_apart(apart) == (
        "At norm 1 the line of attention (BiLSTM) averages 0.20 (random vectors) and 0.80 (word2vec). "
        "The first is far below chance: there other words have more."
    )
    near = rows.assign(auroc_attention=rows["vectors"].map({"word2vec": 0.9, "random": 0.5}))
    assert word_lengths.averaged_apart(near).endswith("and 0.90 (word2vec).")
    assert word_lengths.averaged_apart(rows.assign(auroc_attention=0.8)) == ""
    assert word_lengths.averaged_apart(apart[:0]) == ""


def test_a_line_that_others_cover_has_marks():
    figure = figures.by_length(of_runs(), {"τ": {"a": "tau_loo", "b": "tau_gradient"}}, marks={"b": "o"})
    assert {line.get_label(): line.get_marker() for line in figure.axes[0].lines} == {"a": "None", "b": "o"}
    plt.close(figure)


def test_whose_runs_they_are():
    assert word_lengths.whose(of_runs(profile="site")) == "profile `site`, seeds 0 and 1"
    assert word_lengths.whose(of_runs(profile="x", seeds=(3,))) == "profile `x`, seed 3"


def test_a_few_trainings_are_told_by_their_ends():
    said = word_lengths.live(of_runs(corpus="a$b"))
    assert "a$b" not in said and said.startswith(
        "As the norm grows, τ(gradient, LOO) falls steadily: it is 0.79, 0.69 and 0.59 at norms 1, 4 and 16 ("
    )
    assert said.endswith(", BiLSTM, word2vec, one seed: no more than a hint).")
    rows = of_runs(corpus="x").assign(tau_gradient_loo=[0.4, 0.4, -0.1, -0.1, 0.3, 0.3] * 2)
    said = word_lengths.live(rows)
    assert "doesn't fall steadily: it is 0.40, −0.10 and" in said
    assert "as much" in word_lengths.live(of_runs(lengths=(2.0,)))
    assert word_lengths.live(of_runs().assign(tau_gradient_loo=np.nan)).startswith("No text has a τ")


def test_who_finds_the_truth_turns():
    rows = of_runs(auroc_attention=0.7, auroc_gradient=0.5).assign(
        auroc_loo=lambda own: own["tau_gradient_loo"]
    )
    said = word_lengths.turns(rows)
    assert said == "Best at finding the deciding words: leave-one-out at norm 1, attention at 16 (BiLSTM)"
    fallen = rows.assign(accuracy=np.where(rows["norm"] > 10, 0.65, 0.9))
    assert word_lengths.turns(fallen).endswith("attention at 16 (BiLSTM; accuracy falls to 0.65)")
    always = word_lengths.turns(rows.assign(auroc_attention=0.9))
    assert always.endswith(": attention at norm 1 and 16 (BiLSTM)")
    alike = rows.assign(auroc_gradient=0.68, auroc_loo=0.69)
    assert word_lengths.turns(alike).endswith(": none of the three at norm 1 and 16 (BiLSTM)")
    assert word_lengths.turns(rows.iloc[:0]).startswith("There are too few")
    of_x = rows.assign(corpus="x")
    said = word_lengths.may_be_another(of_x)
    assert said == (
        "At another norm or in another encoder, another ranking may win. In the BiLSTM at norm 1, "
        "leave-one-out is the best of the three (AUROC 0.79). At norm 16, attention is (0.70). "
        "([Appendix](#appendix-the-norm-of-word-vectors).)"
    )
    assert "another ranking may win (the vectors above have norm 5.5). In" in word_lengths.may_be_another(
        of_x, 5.48
    )
    two = word_lengths.may_be_another(of_x.assign(auroc_gradient=0.7))
    assert "At norm 16, attention and the gradient are (0.70)." in two
    low = word_lengths.may_be_another(fallen.assign(corpus="x"))
    assert "At norm 16, attention is (0.70), but those models are right on only 65% of the texts." in low
    on_x = "In the BiLSTM on x at norm 1, leave-one-out is the best of the three (AUROC 0.79)."
    assert on_x in word_lengths.may_be_another(pd.concat([of_x, of_x.assign(corpus="y")]))
    for same in (of_x.assign(auroc_attention=0.95), alike.assign(corpus="x"), of_x.iloc[:0]):
        assert word_lengths.may_be_another(same) == ""
    low = word_lengths.turns(rows.assign(accuracy=0.7))
    assert low.endswith("attention at 16 (BiLSTM; accuracy 0.70 and 0.70)")


def test_encoders_that_learn_little_at_every_norm_are_not_drawn():
    rows = pd.concat([of_runs(), of_runs(encoder="average", accuracy=0.7)])
    assert {*word_lengths.trained(rows)["encoder"]} == {"bilstm"}
    assert word_lengths.untrained(rows) == "Average isn't drawn: its accuracy is below 0.8 at every norm."
    assert word_lengths.untrained(of_runs()) == ""
    assert word_lengths.trained(rows.iloc[:0]).empty


def test_carried_runs_are_of_real_texts_or_of_made_ones():
    real, made = word_lengths.carried(False), word_lengths.carried(True)
    assert {*real["corpus"]} == {"sst"} and {*made["corpus"]} == {"planted"}
    assert len(word_lengths.usual(real)) == len(made) == 63 and len(word_lengths.turned(real)) == 2


def test_the_norms_that_vectors_come_with_are_marked():
    rows = of_runs()
    assert word_lengths.unscaled(rows).to_dict() == {
        kind: (own["norm"] / own["vectors_scale"]).median() for kind, own in rows.groupby("vectors")
    }
    usual = {"random": 9.5, "en_core_web_md": 3.0, "word2vec": 9.0}
    figure = figures.by_length(rows, {"τ": "tau_loo"}, usual=usual)
    (ticks,) = figure.axes[0].collections
    assert sorted(segment[0][0] for segment in ticks.get_segments()) == [3, 9, 9.5]
    names = [(text.get_text(), text.xy[0]) for text in figure.axes[0].texts]
    assert names == [("spaCy's 3", 3), ("word2vec 9\nrandom 9.5", 9)]
    plt.close(figure)
    held = figures.by_length(rows, {"τ": {"one": "tau_loo"}}, {"τ": 0.5})
    assert [0.5, 0.5] in [[*line.get_ydata()] for line in held.axes[0].lines]
    plt.close(held)


def test_where_fewest_gates_are_saturated_is_told():
    at = pd.DataFrame({"saturated": [0.02, 0.001, 0.5]}, index=[1.0, 2.0, 64.0])
    assert word_lengths._least_saturated(at) == " Fewest are at norm 2, 0.1%."
    assert word_lengths._least_saturated(at[1:]) == ""
