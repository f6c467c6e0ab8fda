"""Chapter 14's sentences, tables and figure, with their odd cases."""

import numpy as np
import pandas as pd
import pytest

from heed.experiments import lies
from heed.experiments.repairs import TESTS
from heed.measures.registry import columns_of
from heed.show import figures, mended
from heed.verdict import merging

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
    said = mended.repairs_say(rows)
    assert said[0] == "As it is, the BiLSTM passes 1 of 6 tests (permuted), at an accuracy of 0.90."
    assert said[1].startswith("Of the repairs most tests, 3, are passed by tied states (τ, LOO, permuted and")
    assert said[2].startswith("1 repair raised τ with leave-one-out by 0.05 or more; in all of them")
    assert "What finds them best is tied states" in said[3] and "0.60 at the least" in said[4]
    idle = mended.named(pd.DataFrame([row(), row(given="erasure_weight=1.0", median_change=0.0)]))
    assert "no more than without a repair" in mended.repairs_say(idle)[1]
    assert mended.repairs_say(idle)[2] == "Erasure (ours) passes none."
    assert mended.repairs_say(rows[:1]) == ["No repair is there to be compared."]
    own, good = mended.table(rows)
    assert good.loc["tied states", "τ, LOO"] and not good.loc["as it is", "τ, LOO"]
    assert mended.title(rows) == "no model passes more than 3 of 6 tests" and mended.all_free(rows)


def test_the_corner_is_empty_until_a_model_is_in_it():
    near = {"tau_loo": 0.6, "auroc_attention": 0.8}
    assert "is empty: of 2 models none" in mended.corner(
        mended.named(pd.DataFrame([row(), row(given="tying=1.0", **near)]))
    )
    there = mended.named(pd.DataFrame([row(**near, optimum=0.2)]))
    assert mended.corner(there) == "In the good corner: BiLSTM, as it is."
    assert mended.corner(there[:0]) == "No model is there to be shown."


@pytest.mark.parametrize(
    ("liar", "said"),
    [
        ({"lie_removed": 0.4, "lie_held": 0.001}, "has gone into the states of their neighbours"),
        (
            {"lie_removed": 0.4, "lie_held": 0.4, "lie_value": 9.0},
            "own small weights carry it, by values of up to 9.0",
        ),
        ({"lie_removed": 0.1, "lie_held": 0.01}, "It uses them less"),
        ({"lie_removed": 0.01, "lie_held": 0.01}, "It doesn't use them any more"),
    ],
)
def test_where_a_lie_travels(liar, said):
    honest = dict.fromkeys(LIES, 0.4) | {"λ": 0.0, "accuracy": 0.9}
    (found,) = mended.lies_say(pd.DataFrame([honest, honest | {"λ": 1.0, "lie_mass": 0.001} | liar]), "It")
    assert said in found and "0.1% is left on the words that decide, 40% before" in found


def test_by_hand_a_small_weight_and_a_great_value_say_the_same():
    table = mended.thin_lie()
    assert table["logit"].nunique() == 1 and table["R at λ = 1"].iloc[1] < 0.02
    sparse = mended.sparse_by_hand().set_index("attention")
    np.testing.assert_allclose(sparse.loc["sparsemax"], [0, 0.25, 0.75], atol=1e-12)
    np.testing.assert_allclose(sparse.loc["entmax, α = 1.5"], [0, 0.326, 0.674], atol=5e-4)


def test_the_figures_are_drawn_of_what_is_committed():
    rows = mended.named(merging.mended())
    assert {"as it is", "diversity", "lies, λ = 1"} <= {*rows["model"]}
    assert figures.corner(rows[rows["corpus"] == "planted"], "a title").axes[0].get_title() == "a title"
    figures.tests(*mended.table(rows[rows["family"] == "BiLSTM"]), "a title")
