"""Chapter 14's sentences, tables and figure, with their odd cases."""

import numpy as np
import pandas as pd
import pytest

from heed.experiments import lies
from heed.experiments.repairs import TESTS
from heed.measures.registry import columns_of
from heed.show import figures, mended
from heed.verdict import merging, paper_tests

LIES = columns_of(lies.table_of_lies.__name__.removeprefix("table_of_"))


def row(encoder="bilstm", attention="additive", given="", **numbers) -> dict:
    return {
        "corpus": "planted", "encoder": encoder, "attention": attention, "given": given, "seed": 0,
        "accuracy": 0.9, "f1": 0.9, **dict.fromkeys(TESTS, 0.3), "optimum": 0.6, **numbers,
    }  # fmt: skip


def test_models_are_called_by_what_was_done_to_them():
    rows = [
        row(),
        row(given="impermissible=truth, lie_weight=0.1"),
        row(given="conicity_weight=0.5"),
        row("orthogonal"),
        row(attention="sparsemax", given="hidden=16, tying=1.0"),
    ]
    table = mended.named(pd.DataFrame(rows))
    assert [*table["model"]] == [
        "as it is",
        "diversity",
        "orthogonal",
        "tied states, sparsemax",
        "lies, λ = 0.1",
    ]
    assert {*table["family"]} == {"BiLSTM"} and mended.named(
        table[:0].drop(columns=["model", "family"])
    ).empty


def test_repairs_are_held_against_the_model_as_it_is():
    rows = mended.named(pd.DataFrame([row(), row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8)]))
    assert mended.repairs_say(rows) == [
        "Tied states (0.80) is the only repair that costs no accuracy and finds the deciding words (AUROC "
        "0.75 or more; unrepaired: 0.30).",
        "1 repair raises τ with leave-one-out by 0.05 or more; it also finds the deciding words better.",
        "The best of the repairs (tied states) passes 3 tests; unrepaired, the BiLSTM passes 1 of 6 "
        "(shuffled), at an accuracy of 0.90.",
        "No model is firm: the lowest ε-max JSD is 0.60 (as it is).",
    ]
    idle = mended.named(pd.DataFrame([row(), row(given="erasure_weight=1.0", median_change=0.0)]))
    said = mended.repairs_say(idle)
    assert said[1].startswith("No repair passes any test; unrepaired, the BiLSTM passes 1 of 6 (shuffled)")
    assert said[2].startswith("Our own repair passes none of the 6 tests.")
    assert "by 0.00, unrepaired 0.30" in said[2] and "seems to have learnt to rest on words" in said[2]
    for numbers, yet in (
        ({"auroc_attention": 0.89}, "ranks the deciding words first (AUROC 0.89)."),
        ({"tau_loo": 0.6}, "ranks words as leave-one-out does."),
    ):
        ours = row(given="erasure_weight=1.0", median_change=0.0, **numbers)
        text = " ".join(mended.repairs_say(mended.named(pd.DataFrame([row(), ours]))))
        assert yet in text and "to rest on words" not in text
    assert said[0].startswith("No repair finds the deciding words (AUROC 0.75 or more) without a loss")
    known = mended.named(pd.DataFrame([row(auroc_attention=0.9), row(given="tying=1.0")]))
    assert "No repair finds the deciding words better than the unrepaired model (AUROC 0.90)." in (
        mended.repairs_say(known)
    )
    dear = mended.named(pd.DataFrame([row(), row(given="tying=1.0", tau_loo=0.6, accuracy=0.5)]))
    assert "It costs an accuracy of 0.05 or more: tied states (0.50)." in mended.repairs_say(dear)
    two = [row(), row(given="tying=1.0", tau_loo=0.6), row(attention="sparsemax", accuracy=0.5)]
    costs = "Of the 2 repairs, 1 costs an accuracy of 0.05 or more: sparsemax (0.50)."
    assert costs in mended.repairs_say(mended.named(pd.DataFrame(two))), "not only the best repairs' costs"
    assert mended.repairs_say(rows[:1]) == ["No repair is there to be compared."]
    own, good = mended.table(rows)
    assert good.loc["tied states", "leave-\none-out\nτ ≥ 0.5"] and not good.loc["as it is"].iloc[1]
    ax = figures.tests(own, good).axes[0]
    assert [text.get_text() for text in ax.texts][-2:] == ["1", "3"], "how many tests each passes"
    assert mended.title(rows) == "Planted, BiLSTM: no model passes more than 3 of 6 tests"


def test_nothing_is_said_of_a_truth_that_nobody_knows():
    unknown = {"auroc_attention": np.nan}
    rows = mended.named(pd.DataFrame([row(**unknown), row(given="tying=1.0", tau_loo=0.6, **unknown)]))
    assert not any("deciding" in said or "nan" in said for said in mended.repairs_say(rows))
    assert mended.corner(rows) == ["No model is there to be shown."]


def test_the_corner_is_empty_until_a_model_is_in_it():
    near = {"tau_loo": 0.6, "auroc_attention": 0.8}
    rows = mended.named(pd.DataFrame([row(), row(given="tying=1.0", **near)]))
    assert mended.corner(rows)[:2] == [
        "None of 2 models meets all three conditions.",
        "None is firm: the ε-max JSD is 0.60.",
    ]
    there = mended.named(pd.DataFrame([row(**near, optimum=0.2)]))
    assert mended.corner(there) == ["All three conditions are met by BiLSTM, as it is."]
    assert mended.corner(there[:0]) == ["No model is there to be shown."]


HONEST = dict.fromkeys(LIES, 0.4) | {"λ": 0.0, "accuracy": 0.9}


def told(**liar: float) -> pd.DataFrame:
    return pd.DataFrame([HONEST, HONEST | {"λ": 1.0, "lie_mass": 0.001} | liar])


@pytest.mark.parametrize(
    ("liar", "way", "says", "short"),
    [
        ({"lie_held": 0.001}, "the second way", "has gone into their neighbours'", "It still uses"),
        ({"lie_held": 0.4, "lie_value": 9.0}, "the first way", "with values of up to 9.0", "It still uses"),
        (
            {"lie_removed": 0.3, "lie_held": 0.3, "lie_value": 0.9},
            "the first way",
            "up to 0.9",
            "It still uses",
        ),
        (
            {"lie_removed": 0.3, "lie_held": 0.3, "lie_value": 0.4},
            "half a lie",
            "go up to 0.4",
            "It still uses",
        ),
        (
            {"lie_removed": 0.4, "lie_held": 0.4, "lie_value": 0.3},
            "the first way",
            "up to 0.3",
            "It still uses",
        ),
        ({"lie_removed": 0.1, "lie_held": 0.01}, "the second way", "neighbours'", "It uses them less"),
        ({"lie_removed": 0.01, "lie_held": 0.01}, "neither", "no longer uses the words", "It stops using"),
    ],
)
def test_where_a_lie_travels(liar, way, says, short):
    (found,) = mended.ways(told(**liar))
    assert found.startswith(f"**λ = 1, {way}:**") and says in found
    said = " ".join(mended.can_lie(told(**liar), "CNN", "the words that decide"))
    assert "leaves 0.1% of its attention on them, instead of 40%." in said
    assert short in said and "and its accuracy is 0.90 (honest: 0.90)." in said
    assert "attention hardly finds them either (AUROC 0.40; chance: 0.50)" in said
    said = mended.can_lie(told(**liar), "CNN", "the words that decide", "9 texts of planted", 0.26)[0]
    assert "the words that decide (26% of all words) leaves" in said
    assert "instead of 40% (9 texts of planted, one seed)." in said


def test_two_lines_are_not_chapter_12s():
    """As the chapter says: there shuffled asks for more, and erased allows more."""
    theirs = {test.of: test.border for test in paper_tests.TESTS}
    for name, test in mended.PASSES.items():
        if name in theirs:
            other = name in ("median_change", "excess_attention")
            assert (theirs[name] > test.bound) == other and (theirs[name] == test.bound) != other


def test_words_that_nobody_used_are_not_given_up():
    unused = told(lie_removed=0.0, lie_held=0.0).assign(lie_removed=0.01)
    (found,) = mended.ways(unused)
    assert found.endswith("the honest model doesn't use them either.")
    assert mended.hidden_but_used(unused, "CNN").startswith("A CNN that is paid to look away doesn't use")
    assert "nor does the honest model" in mended.can_lie(unused, "CNN", "them")[1]
    assert mended.answer(unused, "CNN", pd.DataFrame({"family": [], "model": []}, dtype=str)[:0].assign(
        tau_loo=[], optimum=[], auroc_attention=[]
    )) == ["The CNN uses no word that it could hide."]  # fmt: skip


def test_liars_that_go_one_way_share_a_paragraph():
    both = pd.concat([told(lie_held=0.0), told(lie_held=0.0).assign(λ=[0.0, 2.0])[1:]], ignore_index=True)
    (found,) = mended.ways(both)
    assert (
        found.startswith("**λ = 1 and λ = 2, the second way:**")
        and "only their weights by 0.00 and 0.00." in found
    )


def test_a_liar_that_passes_as_many_tests_is_named():
    lies = "impermissible=truth, lie_weight=1.0"
    said = mended.repairs_say(mended.named(pd.DataFrame([row(), row(given="tying=1.0"), row(given=lies)])))
    assert (
        "The honest model passes 1 test, the liar passes 1: how many tests a model passes doesn't tell "
        "whether it lies." in said
    )
    worse = [row(), row(given="tying=1.0"), row(given=lies, median_change=0.0)]
    assert "the honest model" not in " ".join(mended.repairs_say(mended.named(pd.DataFrame(worse))))


def test_words_are_hidden_by_using_them_less_only_where_they_were():
    rows = mended.named(pd.DataFrame([row(), row(given="tying=1.0")]))
    for removed, hid in ((0.1, True), (0.4, False)):
        said = " ".join(mended.answer(told(lie_held=0.0), "BiLSTM", rows, told(lie_removed=removed)))
        assert ("hid words only by using them less" in said) == hid
    assert "hid words" not in " ".join(mended.answer(told(), "BiLSTM", rows, told()[:0]))


def test_the_answer_is_of_both_questions():
    rows = mended.named(pd.DataFrame([row(), row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8)]))
    said = " ".join(mended.in_short(told(lie_held=0.0), "BiLSTM", "the words that decide", rows))
    assert (
        "The one repair of the BiLSTM passes 3 of 6 tests of attention (one seed of each; unrepaired: 1)."
        in said
    )
    assert "neighbours' states" not in said
    hidden = told(lie_held=0.0).assign(lie_held=0.0)
    assert "neighbours" not in " ".join(mended.can_lie(hidden, "BiLSTM", "them"))
    found = " ".join(mended.can_lie(hidden.assign(lie_auroc_attention=0.9), "BiLSTM", "them"))
    assert "In the honest model, too, they" in found and "hardly finds" not in found
    assert mended.can_be_mended(rows, "CNN") == []
    said = mended.answer(told(lie_held=0.0), "BiLSTM", rows)
    assert said[0] == "Yes, the BiLSTM can hide what it uses."
    assert said[1] == (
        "The BiLSTM can only partly be made to tell: 1 of 1 repair passes more tests than the unrepaired "
        "model (1 of 6), but none all of them."
    )
    assert said[-1].startswith("The attention of some models finds the deciding words")
    plain = mended.named(pd.DataFrame([row(), row(given="tying=1.0"), row("average", auroc_attention=0.9)]))
    assert mended.answer(told(lie_held=0.0), "BiLSTM", plain)[1].startswith(
        "The BiLSTM can't be made to tell"
    )
    none = mended.answer(told(lie_mass=0.3), "BiLSTM", rows[:0])
    assert none == ["The BiLSTM doesn't look away, for this pay."]


def test_by_hand_a_small_weight_and_a_great_value_say_the_same():
    table = mended.thin_lie()
    assert table["logit"].nunique() == 1 and table["R, λ = 1"].iloc[1] < 0.02
    sparse = mended.sparse_by_hand().set_index("attention")
    np.testing.assert_allclose(sparse.loc["sparsemax"], [0, 0.25, 0.75], atol=1e-12)
    np.testing.assert_allclose(sparse.loc["entmax, α = 1.5"], [0, 0.326, 0.674], atol=5e-4)


def test_what_is_hidden_has_an_interval_where_the_texts_are_known():
    table = pd.DataFrame({"lie_weight": [0.0, 0.0, 1.0, 1.0], "lie_mass": [0.2, 0.6, 0.0, 0.0]})
    table["lie_removed"] = table["lie_mass"]
    rows = mended.hiding(table, "CNN", told()[1:], "Average")
    assert [*rows["model"]] == ["CNN, honest", "CNN, lies, λ = 1", "Average, lies, λ = 1"]
    assert rows["lie_mass low"].iloc[0] < rows["lie_mass"].iloc[0] == 0.4
    assert rows["lie_mass low"].isna().tolist() == [False, False, True]
    assert len(figures.hiding(rows).axes) == 2


def test_the_figures_are_drawn_of_what_is_committed():
    rows = mended.named(merging.mended())
    assert {"as it is", "diversity", "lies, λ = 1"} <= {*rows["model"]}
    for _, rows_of_family in mended.by_family(rows):
        figures.tests(*mended.table(rows_of_family))
    assert len(mended.tests()) == len(mended.PASSES)
