"""Chapter 06's sentences and tables: of every table something true, of none nothing."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.measures import erasure as erasing
from heed.show import erasure, figures


def of_texts(**columns) -> pd.DataFrame:
    """Texts of ten words that every ranking flips after half of them, but for what is given."""
    size = len(next(iter(columns.values())))
    shares = {f"erased_{r}": 0.5 for r in (*erasing.RANKINGS, "random_mean")}
    table = pd.DataFrame(shares, index=range(size)).assign(length=10, id=[f"t{i}" for i in range(size)])
    return table.assign(bias_flips=0, **{"mass_attention": 0.8, "mass_bound": 0.6} | columns)


def test_what_is_needed_by_hand():
    table = of_texts(erased_attention=[0.4, 0.6, np.nan], erased_random_mean=[0.8, 0.8, 0.8])
    said = erasure.needed(table)
    assert said.startswith("On the 2 texts that every ranking flips, erasing word after word in attention's")
    assert "takes 50% of the words on average (a random order 80%; gradient × attention" in said
    assert said.endswith("speaks for, 50%; the best possible order 50%).")
    assert erasure.in_common(table) == "Attention needs 50% of the words, gradient × attention 50% (means)"


def test_the_least_attention_is_a_mean_with_its_range():
    masses = {f"mass_{r}": [0.9, 0.9] for r in erasing.RANKINGS}
    table = of_texts(erased_attention=[0.5, 0.5], **masses, mass_bound=[0.1, 0.9])
    said = erasure.least_attention(table)
    assert "On average no set of words that flips the decision can have less than 0.50" in said
    assert said.endswith("the texts range from 0.10 to 0.90.")
    assert erasure.by_mass(table) == (
        "On average attention's order erases 90% of the attention; the least possible is 50%"
    )


def test_a_model_is_sure_if_intervals_are_apart():
    real = pd.DataFrame({"attention": [0.4, 0.4], "random_mean": 0.6, "product": 0.3})
    real = real.assign(low=0.35, high=0.45, low_random_mean=[0.5, 0.44], high_product=[0.36, 0.34])
    assert erasure.better_and_worse(real) == (2, 2)
    assert erasure.better_and_worse(real, by_intervals=True) == (1, 1)


def test_random_orders_are_counted(finished):
    p = finished.params
    assert erasure.random_orders(p).startswith(f"Each text's words are put into {p.random_orders} ")
    assert erasure.random_orders(p.model_copy(update={"random_orders": 1})).startswith("*Random* is one")


def test_nothing_is_needed_where_attention_flips_none():
    table = of_texts(erased_attention=[np.nan, np.nan])
    assert erasure.needed(table) == "" and erasure.in_common(table) == "No text flips under every ranking"
    assert "attention" not in erasure.flipping(table)


def test_how_many_words_go():
    assert erasure.until_flipped(0.5, 4) == "2 of 4 words"
    assert erasure.until_flipped(np.nan, 4) == "the decision never flips"


@pytest.mark.parametrize(
    ("random", "mean", "says"), [(0.3, 0.4, "It isn't the luck"), (0.3, 0.9, "That is luck"), (0.8, 0.2, "")]
)
def test_a_random_order_that_is_sooner_is_remarked(finished, random, mean, says):
    row = finished.evidence[0]
    table = of_texts(erased_random=[random], erased_random_mean=mean, erased_attention=0.5).assign(id=row.id)
    said = erasure.luck(row, table)
    assert says in said and bool(says) == bool(said)


def test_the_other_word_is_counted():
    columns = {f"delta_{what}_{c}": [0.3, 0.1] for what in ("js", "weight") for c in erasing.CHOICES}
    table = erasure.single_weights_table(pd.DataFrame(columns | {"delta_js_attention": [-0.1, 0.0]}))
    assert table.iloc[0].tolist() == ["attention", "50.0%", "50.0%", 0.3]
    assert table.iloc[1]["other does more"] == "0.0%"


def test_too_many_words_by_hand():
    table = of_texts(erased_attention=[0.5, 0.8], erased_optimal=[0.5, 0.5])
    said = erasure.too_many(table)
    assert said[1].endswith("in 50% of the texts that it flips; on average it erases 1.5 words too many.")
    assert said[0].endswith("on average it erases no word too many.")


def test_what_is_carried_is_told():
    real = erasure.on_real_text()
    assert len(real) and not real[["attention", "product", "random_mean", "texts"]].isna().any(axis=None)
    better, worse = erasure.better_and_worse(real)
    said = erasure.better_than_chance(real)
    sure_better, sure_worse = erasure.better_and_worse(real, by_intervals=True)
    assert sure_better <= better and sure_worse <= worse
    assert f"in {better} of {len(real)} models (in {sure_better} " in said
    assert said.endswith(f"in {worse} ({sure_worse})")
    assert "nan" not in erasure.hardly_better(real)
    assert (real["low"] <= real["attention"]).all() and (real["attention"] <= real["high"]).all()
    ax = figures.erased_on_real_text(real).axes[0]
    assert sum(len(line.get_xdata()) == len(real) for line in ax.lines) == 4
    plt.close("all")
    context = erasure.context_on_real_text()
    assert (context[["more", "less"]].sum(axis=1) <= context["tests"]).all()
    said = erasure.depends_on_attention(context, pd.DataFrame(columns=erasure.COMPARED), "additive")
    assert len(said) > context["attention"].nunique()
    assert len(erasure.context_by_corpus()) and len(erasure.reported()) == 4
    assert len(erasure.top_by_encoder()) == len(erasure.real_table(real)) == len(real)


def test_nothing_is_said_of_no_real_run():
    none = erasure.on_real_text().iloc[:0]
    assert erasure.better_than_chance(none) == ""
    said = erasure.depends_on_attention(pd.DataFrame(), pd.DataFrame(columns=erasure.COMPARED), "dot")
    assert said == ["No two real runs of this chapter are stored yet."]


def test_real_text_may_say_the_opposite_of_a_run():
    columns = ["attention", "number", "more", "less", "tests", "corpora"]
    context = pd.DataFrame([("additive", "a", 3, 0, 3, 1)], columns=columns)
    own = pd.DataFrame({"measure": "a", "low": [-0.3, -0.2], "high": [-0.1, 0.1]})
    assert "show the opposite" in " ".join(erasure.depends_on_attention(context, own, "additive"))
    same = own.assign(low=[0.1, 0.2], high=[0.3, 0.4])
    assert "show the opposite" not in " ".join(erasure.depends_on_attention(context, same, "additive"))
    assert "show the opposite" not in " ".join(erasure.depends_on_attention(context, own, "dot"))
    assert erasure.sides(own) == (0, 1)
    both = pd.DataFrame([("additive", name, 3, 0, 3, 1) for name in "abc"], columns=columns)
    own = pd.concat([own, same.assign(measure="b")])
    assert erasure.against_real_text(both, own, "additive") == [
        "With additive attention most comparisons on this run's corpus show the opposite of real text in "
        "*a*, the same in *b*, neither in *c*."
    ]


def test_a_run_is_told(finished):
    table, evidence, real = finished.table("erasure"), finished.evidence, erasure.on_real_text()
    p, context = finished.params, erasure.context_on_real_text()
    row, classes = evidence[erasure.chosen(table, evidence)], finished.corpus.classes
    said = [
        *erasure.in_short(table, real, finished),
        *erasure.answer(table, real, finished, context),
        *erasure.beside_the_reported(table),
        *erasure.the_text(row, table, classes),
    ]
    said += [erasure.without_the_top(row, classes), erasure.moves_most(row), erasure.next_to_nothing(table)]
    said += [erasure.in_common(table), erasure.by_mass(table), erasure.least_attention(table)]
    said += [erasure.evenness(evidence), *erasure.too_many(table), erasure.as_reported(table)]
    said += [erasure.single_flips(table)]
    assert all("nan" not in sentence for sentence in said)
    assert len(" ".join(erasure.in_short(table, real, finished)).split()) <= 140
    erasure.check_optimal(table)
    tried = erasure.tried(table, evidence)
    assert tried == "" or "the optimum is confirmed in each" in tried
    assert erasure.odd_texts(table, evidence)["number"].ge(0).all()
    assert len(erasure.rankings_table(table)) == len(erasure.flipping(table))
    assert [len(pairs) for pairs in erasure.pairs_tables(table)] == [len(erasure.PAIRS)] * 2
    common = erasing.in_common(table)
    assert len(erasure.common_table(table, p)) == (len(erasure.flipping(table)) if len(common) else 0)


def test_a_short_text_is_chosen_of_which_the_model_is_unsure(finished):
    table, evidence = finished.table("erasure"), finished.evidence
    row, own = erasure.chosen(table, evidence), erasure.flipped(table)
    others = own & (table["flips_top_attention"] != 1) & (table["length"] <= erasure.FEW)
    if others.any():
        assert others[row] and evidence.predictions[row].max() == evidence.predictions[others].max(1).min()
    none = table.assign(erased_optimal=np.nan, erased_attention=np.nan)
    assert table["length"][erasure.chosen(none, evidence)] == table["length"][table["length"] > 1].min()


def test_a_wrong_optimum_is_found_out(finished):
    table = finished.table("erasure")
    with pytest.raises(AssertionError):
        erasure.check_optimal(table.assign(erased_attention=table["erased_optimal"] - 0.1))


def test_models_are_compared(finished):
    table, p = finished.table("erasure"), finished.params
    found = erasure.compared({"bilstm": table, "average": table}, ["average"], ["bilstm"], p)
    assert (found["difference"] == 0).all() and {*found["encoder"]} == {"BiLSTM"}
    assert erasure.counts(found) == "Without context attention says more in 0 of 3 comparisons, less in 0"
    assert len(erasure.as_table(found)) == 3
    none = erasure.compared({"bilstm": table}, [], ["bilstm"], p)
    assert none.empty and erasure.counts(none).startswith("No model without context")
