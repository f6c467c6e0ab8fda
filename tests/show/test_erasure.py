"""Chapter 06's sentences and tables: of every table something true, of none nothing."""

import re
from types import SimpleNamespace

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


def test_what_is_needed_by_hand(finished):
    table = of_texts(erased_attention=[0.4, 0.6, np.nan], erased_random=[0.7, 0.9, 0.1])
    assert erasure.in_common(table, finished.params) == (
        f"On {finished.params.corpus} attention needs 50% of the words, a random order 80%, gradient × "
        "attention 50% (means)"
    )
    none = table.assign(erased_random=np.nan)
    assert erasure.in_common(none, finished.params).endswith(
        "50% of the words, gradient × attention 50% (means)"
    )


def test_the_least_attention_is_a_mean_with_its_range(finished):
    masses = {f"mass_{r}": [0.9, 0.9] for r in erasing.RANKINGS}
    table = of_texts(erased_attention=[0.5, 0.5], **masses, mass_bound=[0.1, 0.9])
    said = erasure.least_attention(table)
    assert said.endswith("erases 90% of the attention. The lower bound is 10% to 90% by text.")
    here = f"On {finished.params.corpus} attention's order erases 90% of the attention, a random order 90%"
    assert erasure.by_mass(table, finished.params) == f"{here}; at least 50% has to go (means)"
    assert erasure.by_mass(table.assign(mass_bound=np.nan), finished.params) == f"{here} (means)"
    chance = erasure.by_mass(table.assign(mass_random=np.nan), finished.params)
    assert chance.endswith("erases 90% of the attention; at least 50% has to go (means)")


def test_a_model_is_sure_if_intervals_are_apart():
    real = pd.DataFrame({"attention": [0.4, 0.4], "random": 0.6, "product": 0.3, "texts": 194, "all": 5000})
    real = real.assign(low_attention=0.35, high_attention=0.45, low_random=[0.5, 0.44], seeds=[1, 2])
    real = real.assign(corpus=["a", "b"], encoder=["gru", "han"], gradient=0.35, high_product=[0.36, 0.34])
    real = real.assign(high_gradient=[0.36, 0.34])
    assert [[*which] for which in erasure.clearly(real)] == [[True, False], [False, True]]
    assert erasure.better_than_chance(real) == (
        "On real text attention needs fewer words than a random order in 1 of 2 models"
    )
    assert erasure.better_than_chance(real[:1]).endswith("in the one model")
    assert erasure.words_go(real) == (
        "**Attention's order is better than chance, but far from the best:** heaviest first, it needs 40% of "
        "the words, a random order 60%; gradient × attention, which also knows for which class a word "
        "speaks, 30%."
    )
    assert "chance, but not the best:** heaviest" in erasure.words_go(real.assign(product=0.35))
    assert "is no better than chance:** heaviest" in erasure.words_go(real.assign(product=0.6, random=0.4))
    sure = real.assign(low_random=0.5, high_product=0.3)
    fewer, han, knows, more = erasure.word_by_word(real)
    assert not knows and "So attention mostly knows" in erasure.word_by_word(sure)[2]
    assert fewer.startswith(
        "Attention's order needs fewer words than a random one in 1 of 2 models (their 95 %"
    )
    assert more == "But gradient × attention needs fewer still in 1 of 2 models (not in a, BiGRU)."
    assert "than a random one in each of 2 models (" in erasure.word_by_word(sure)[0]
    assert erasure.better_than_chance(sure).endswith("in each of 2 models")
    assert erasure.needed(real) == (
        "Attention needs 40% of the words, a random order 60%, gradient × attention 30% (medians)"
    )
    assert "(medians)" not in erasure.needed(real[:1])
    [han] = erasure.in_hans(real)
    assert han.startswith("The exception is the HAN, one of Serrano & Smith's own types of model (b, 194 of ")
    assert "5,000 texts, 2 seeds). It weighs words into sentences" in han
    assert "attention isn't surely better than a random" in erasure.in_hans(real.assign(low_random=0.4))[0]
    assert erasure.the_exception(real) == {"attention": {1: "HAN"}}
    assert erasure.the_exception(sure) == erasure.the_exception(real[1:]) == {}
    [han] = erasure.in_hans(real.assign(seeds=1))
    assert "texts, one seed)." in han
    assert "attention is better than a" in erasure.in_hans(sure)[0] and not erasure.in_hans(real[:1])
    assert erasure.agrees(real) == "Neither holds here, counted in words."
    most = pd.concat([real.assign(low_random=0.5, encoder="gru", high_product=0.3), real[1:]])
    assert erasure.agrees(most).startswith(
        "Both hold here in most models: attention needs fewer words than a random"
    )
    assert erasure.agrees(most).endswith("In the HAN it isn't surely better than chance.")
    assert erasure.agrees(sure).endswith("a random order, but not the fewest.")
    assert "Here the first holds in most models" in erasure.agrees(sure.assign(high_product=1))
    assert "words than gradient × attention" in erasure.agrees(sure.assign(low_random=0, encoder="gru"))
    assert erasure.agrees(real[:0]) == ""
    assert erasure.gradient_alone(real).endswith("than attention in 1 of 2 models.")
    assert erasure.gradient_alone(real.assign(high_gradient=0.34)).endswith("in each of 2 models.")
    said = erasure.in_words(real.assign(all=[388, 5000]), real)
    assert "every order flips the title's three numbers are 40%, 60% and 30%). A line" in said
    assert "easier" not in erasure.in_words(real, real[:0])
    assert "its mean over the texts that can be flipped (by model 4% to 50% of all). An order that" in said


def test_attention_and_the_weight_gradient_are_told_apart_or_not():
    same = of_texts(erased_attention=[0.4, 0.6], erased_gradient=[0.5, 0.5])
    assert erasure.beside_the_gradient(same) == (
        "On this page's corpus neither surely needs fewer words: the weight gradient flips the decision "
        "sooner in 1 text, attention in 1 (p = 1)."
    )
    sooner = of_texts(erased_attention=[0.6] * 9 + [np.nan] * 9, erased_gradient=0.5)
    said = erasure.beside_the_gradient(sooner)
    assert (
        "corpus the weight gradient flips the decision sooner in 9 texts, attention in 0 (p = 0.0039)" in said
    )
    assert said.endswith("The weight gradient flips 9 texts more.")
    assert erasure.beside_the_gradient(of_texts(erased_attention=[0.5])) == ""


def test_how_many_texts_are_flipped(finished):
    table = of_texts(erased_attention=[0.4, 0.6, np.nan], mass_attention=[0.7, 0.9, np.nan])
    assert erasure.how_many(table, finished).endswith(" attention's order flips 2 of 3 texts.")
    said = erasure.how_many(table.assign(mass_attention=np.nan), finished)
    assert said.endswith(" none of 3 texts.")


@pytest.mark.parametrize(
    ("top", "said"), [([1, 1, 0], "2 of 3"), ([1, *[0] * 8], "only 1 of 9"), ([0, 0], "none of 2")]
)
def test_which_erasure_flips_is_counted(top, said):
    table = pd.DataFrame({"flips_top_attention": top, "flips_other_attention": 0}, dtype=float)
    assert (
        erasure.single_flips(table) == f"Erasing attention's top word changes the decision in {said} texts."
    )


def test_random_orders_are_counted(finished):
    p = finished.params
    assert erasure.random_orders(p).startswith(f"Each text's words are put into {p.random_orders} ")
    assert erasure.random_orders(p.model_copy(update={"random_orders": 1})).startswith("*Random* is one")


def test_nothing_is_needed_where_attention_flips_none(finished):
    table = of_texts(erased_attention=[np.nan, np.nan])
    assert erasure.in_common(table, finished.params) == "No text flips under every ranking"
    assert "attention" not in erasure.flipping(table)


@pytest.mark.parametrize(("mean", "said"), [(4, True), (5, True), (9, False), (np.nan, False)])
def test_random_orders_that_do_as_well_are_remarked(finished, monkeypatch, mean, said):
    monkeypatch.setattr(erasure, "steps", lambda row, p: {"random": mean, "attention": 5})
    told = erasure.luck(finished.evidence[0], finished.params)
    assert told.startswith("Random orders do as well here as attention's") == said


def test_one_text_is_followed_to_the_flip(finished):
    """Its ways end where the decision flips, as the table counts, and begin with the prediction."""
    evidence, table, p = finished.evidence, finished.table("erasure"), finished.params
    row = evidence[erasure.chosen(table, evidence)]
    ways, steps, own = erasure.ways(row, p), erasure.steps(row, p), erasing.decision(row)
    numbers = table.set_index("id").loc[row.id]
    for name in ("attention", "product"):
        share = numbers[f"erased_{name}"]
        [way] = ways[name]
        assert np.allclose(way[0], row.prediction[own])
        if np.isnan(share):
            assert np.isnan(steps[name]) and len(way) == numbers["length"]
        else:
            assert steps[name] == len(way) - 1 == round(share * numbers["length"])
    order = erasure.orders_of(row, p)["attention"][0]
    left = row.attention.copy()
    left[np.flatnonzero(row.real)[order[0]]] = 0
    assert np.isclose(ways["attention"][0][1], row.probs(left / left.sum())[own])
    assert len(ways["random"]) == p.random_orders
    said = erasure.which_words(row, p)
    assert "Attention's order erases “" in said or "the decision never flips" in said
    weights = np.array([0.6, 0.3, 0.1])
    by_hand = SimpleNamespace(attention=weights, real=np.ones(3, dtype=bool))
    assert erasure.scaled_up(by_hand, np.array([0, 1]), [*"abc"]).endswith("its turn comes, it has 0.75.")
    assert erasure.scaled_up(by_hand, np.array([0]), [*"abc"]) == ""
    assert erasure.to_the_flip(row, p).startswith("Words until the decision flips: ")
    words, flips = erasure.in_order(row, p), erasure.random_flips(row, p)
    for name, own in words.items():
        assert len(own) == len(ways[name][0]) - 1
    assert (
        sum(flips) == (erasing.until_flip(row, erasure.orders_of(row, p)["random"], p.keep_last)[0] > 0).sum()
    )
    ax = figures.to_the_flip(ways, flips, words, len(finished.corpus.classes)).axes[0]
    assert {"attention", "random orders", "gradient ×\nattention"} <= {text.get_text() for text in ax.texts}
    ends = [line.get_markevery() for line in ax.lines if line.get_marker() == "D"]
    assert [end == [len(way) - 1] for end, way in zip(ends, ways["random"], strict=True)] == flips
    assert [end == [] for end in ends] == [not one for one in flips]
    plt.close("all")


def test_an_order_that_never_flips_is_told(finished, monkeypatch):
    never = {"attention": np.nan, "product": np.nan, "random": np.nan}
    monkeypatch.setattr(erasure, "steps", lambda row, p: never)
    row, p = finished.evidence[0], finished.params
    assert erasure.which_words(row, p).startswith(
        "In the order of attention the decision never flips. In the order of gradient × attention the "
        f"decision never flips. Of {p.random_orders} random orders "
    )
    assert erasure.to_the_flip(row, p).endswith("flips: never by attention, never by gradient × attention")


def test_bars_have_the_share_of_each_way(finished):
    """Which erasure moves the prediction more: of three texts one each."""
    columns = {f"delta_js_{c}": [0.3, 0.0, -0.1] for c in erasing.CHOICES}
    ax = figures.single_weights(pd.DataFrame(columns), erasure.SAME).axes[0]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([1 / 3] * 9)
    assert [bar.get_x() for bar in ax.patches[:3]] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [text.get_text() for text in ax.texts] == ["33%"] * 9
    assert erasure.next_to_nothing(pd.DataFrame(columns), finished.params) == (
        f"On {finished.params.corpus}, attention's top word moves the prediction more in 33%, another in 33%"
    )
    none = pd.DataFrame(columns).assign(delta_js_attention=0.3)
    assert erasure.next_to_nothing(none, finished.params).endswith("more in 100%, another in none")
    plt.close("all")


def test_a_sliver_has_its_number_beside_it():
    columns = {f"delta_js_{c}": [0.3] * 99 + [-0.1] * (c == "attention") for c in erasing.CHOICES}
    columns = {name: values + [0.3] * (100 - len(values)) for name, values in columns.items()}
    ax = figures.single_weights(pd.DataFrame(columns), erasure.SAME).axes[0]
    assert sorted(text.get_text() for text in ax.texts) == ["1%", "100%", "100%", "99%"]
    shares = 0, 0.004, 0.5, 0.998, 1
    assert [erasure.percent(share) for share in shares] == ["0%", "under 1%", "50%", "over 99%", "100%"]
    plt.close("all")


def test_where_neither_moves_the_model_may_be_sure(finished):
    evidence = finished.evidence
    table = pd.DataFrame({"delta_js_attention": np.zeros(len(evidence.ids))})
    sure = (evidence.predictions.max(1) >= erasure.SURE).mean()
    said = erasure.saturated(table, evidence)
    assert said.startswith(f"In {erasure.percent(sure)} of the texts where neither does (they differ by less")
    assert erasure.saturated(table + 1, evidence) == ""


def test_too_many_words_by_hand():
    table = of_texts(erased_attention=[0.5, 0.8], erased_optimal=[0.5, 0.5])
    assert erasure.too_many(table) == (
        "On this page's corpus gradient × attention needs as few words as possible in 100% of the texts that "
        "it flips, attention in 50%."
    )
    assert erasure.too_many(table.assign(erased_optimal=np.nan)) == ""


def test_the_product_may_be_nearly_the_best_order():
    real = pd.DataFrame({"corpus": ["a", "imdb8"], "encoder": "gru", "product": 0.2, "optimal": [0.2, 0.1]})
    assert erasure.nearly_best(real) == (
        "On real text gradient × attention needs hardly more words than the best order (at most 1% of a "
        "text's words more) in 1 of 2 models; the other one has more than two classes."
    )
    assert erasure.nearly_best(real.assign(corpus="a")).endswith("1 of 2 models.")
    assert erasure.nearly_best(real[:1]).endswith("in the one model.")
    assert erasure.nearly_best(real[:0]) == ""


def test_what_is_carried_is_told():
    real = erasure.on_real_text()
    assert len(real) and not real[["attention", "product", "random", "texts"]].isna().any(axis=None)
    mass = erasure.mass_on_real_text()
    assert "agnews4: news" in erasure.about_real_text(mass) and (real["texts"] <= real["all"]).all()
    assert "agnews4" not in erasure.about_real_text(mass[mass["corpus"] == "sst"])
    assert "nan" not in " ".join([erasure.in_words(real, real), *erasure.word_by_word(real)])
    for name in ("attention", "random", "product", "gradient"):
        assert real[name].between(real[f"low_{name}"], real[f"high_{name}"]).all()
    knows = [*real["encoder"].isin(["none", "average"])]
    assert knows == sorted(knows), "models whose states know their neighbours come first"
    ax = figures.erased_on_real_text(real).axes[0]
    drawn = {line.get_label(): line.get_xdata() for line in ax.lines}
    assert [*drawn["gradient × attention"]] == [*real["product"]]
    optimal = np.array(drawn["optimal, where it differs"], dtype=float)
    apart = real["product"] - real["optimal"] > 0.01
    assert [*np.isfinite(optimal)] == [*apart] and [*optimal[apart]] == [*real["optimal"][apart]]
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert len({*labels}) == len(real) + 1 and labels[-1] == f"median of {len(real)} models"
    assert [line.get_xdata()[0] for line in ax.lines[-3:]] == sorted(
        real[["product", "attention", "random"]].median()
    )
    assert len(figures.erased_on_real_text(real[:1]).axes[0].get_yticklabels()) == 1
    assert any("HAN (sentences)" in text.get_text() for text in ax.get_yticklabels())
    plt.close("all")
    context = erasure.context_on_real_text()
    assert (context[["more", "less"]].sum(axis=1) <= context["tests"]).all()
    told = erasure.depends_on_attention(context, pd.DataFrame(columns=erasure.COMPARED))
    assert "read their neighbours, additive attention says more in " in told[0]
    assert "One exception: dot attention (less in " in told[1]
    own = pd.DataFrame({"low": [-0.2, -0.2], "high": [-0.1, 0.1]})
    told = erasure.depends_on_attention(context, own)
    assert "and this page's corpus (less in 1 of 2 comparisons and more in none)." in told[1]
    said = erasure.about_the_tests(context, pd.DataFrame(columns=erasure.COMPARED), "additive")
    assert any(
        re.search(r"of the \d+ with additive attention \d+ are of sst\.", sentence) for sentence in said
    )
    top = erasure.top_by_encoder()
    assert len(top) == len(erasure.real_table(real)) == len(real)
    assert (top["flipped by top word"] >= top["by it only"]).all()


def test_the_attention_that_goes_on_real_text_is_told():
    mass = erasure.mass_on_real_text()
    assert len(mass) and not mass.isna().any(axis=None) and (mass["texts"] > 0).all()
    words = erasure.in_words_too(mass)
    for table, best in ((mass, "bound"), (words, "optimal")):
        for name in ("attention", "random", "product", best):
            assert table[name].between(table[f"low_{name}"], table[f"high_{name}"]).all()
    assert (mass["bound"] <= mass[["attention", "random", "product"]].min(axis=1)).all(), "on the same texts"
    middle = f"{np.median([*mass['attention']]):.0%}"
    least = f"{min(mass['bound']):.0%}"
    assert erasure.from_to(mass).startswith(f"{least} (") and " to " in erasure.from_to(mass)
    assert " to " not in erasure.from_to(mass[:1])
    orders = erasure.attention_goes(mass)
    median, random = (f"{np.median([*mass[of]]):.0%}" for of in ("bound", "random"))
    assert orders == (
        f"**Counted in attention, it saves little:** attention's order takes {middle} of the attention, a "
        f"random one {random}; at least {median} must go, on average over a model's texts."
    )
    alike = mass.assign(attention=mass["bound"])
    assert erasure.attention_goes(alike).startswith("**Counted in attention:**")
    told = erasure.attention_by_attention(mass)
    product = f"{np.median([*mass['product']]):.0%}"
    assert told[0].startswith(
        f"At least {median} of a model's attention must go on average over its texts (median), by model "
        f"{least} ("
    ) and told[0].endswith(f"Gradient × attention comes near: {product}.")
    assert told[2] == "This fits an order whose words are heavy rather than those that decide."
    alike = mass.assign(words_attention=mass["words_random"])
    assert "This fits" not in " ".join(erasure.attention_by_attention(alike))
    assert (words["optimal"] <= words[["attention", "random", "product"]].min(axis=1) + 1e-9).all()
    part = mass[:1].assign(texts=50, all=100, flipped=0.4, flipped_random=0.1)
    said = erasure.attention_by_attention(part)
    assert any(
        "of those that can be flipped it leaves 20% as they are, a random order 80%." in one for one in said
    )
    every = erasure.attention_by_attention(part.assign(flipped=0.5, flipped_random=0.5))
    assert "as 100%" not in " ".join(every)
    assert said[-1].endswith("the two aren't compared without such texts.")
    assert "nan" not in " ".join([erasure.in_attention(mass), *told])
    how = erasure.in_attention(mass)
    assert "bare word vector" in how and how.endswith(
        "Average: each word vector goes through one layer, by itself.*"
    )
    how = erasure.in_attention(mass[:1])
    assert "bare" not in how and "Average" not in how and how.endswith("flips the decision.*")
    for table, best, what in (
        (mass, "bound", "attention"),
        (words, "optimal", "words"),
        (part, "bound", "x"),
    ):
        ax = figures.medians(table, best, what).axes[0]
        large = [line.get_xdata()[0] for line in ax.lines if line.get_marker() != "."]
        names = ("random", "attention", "product", best)
        assert large == pytest.approx([table[name].median() for name in names])
        assert len(ax.lines) == (4 if len(table) == 1 else 8)
        assert [len(one.get_segments()) for one in ax.collections] == [len(table)] * (len(table) > 1)
        plt.close("all")
    ends = erasure.outermost(mass)
    assert ends["bound"].keys() == {mass["bound"].idxmin(), mass["bound"].idxmax()}
    assert erasure.outermost(mass[:1]) == {"bound": {}}
    ax = figures.medians(mass, "bound", "attention", ends).axes[0]
    names = [text for text in ax.texts if not text.get_text().endswith("%")]
    assert [text.get_position()[0] for text in names] == [mass["bound"][i] for i in ends["bound"]]
    assert [text.get_text().replace("\n", " ") for text in names] == [*ends["bound"].values()]
    plt.close("all")
    assert erasure.above_the_least(mass) == (
        f"Attention's order erases hardly less attention ({middle}) than a random one ({random}); at least "
        f"{median} must go (medians)"
    )
    title = erasure.above_the_least(mass.assign(attention=mass["bound"]))
    assert f"erases {median}, a" in title and title.endswith(f"a random one {random} (medians)")
    top, all_flip = erasure.top_by_encoder(), mass.assign(texts=mass["all"])
    assert erasure.alone(top[:0], mass) == "" and "models, which go from" in erasure.alone(top, mass)
    assert "in 4 of 20 models most texts can't be flipped at all, as each of" in erasure.alone(top, mass)
    assert erasure.alone(top, all_flip).endswith("In the others more words must go.")
    assert "median" not in erasure.alone(top[:1], mass)
    one = erasure.one_word(top, mass)
    assert one.startswith("**One word is seldom enough.**") and "In 4 of 20 models most texts can't" in one
    assert one.endswith("at all. Below: only those that can.")
    assert erasure.one_word(top, all_flip).endswith("). Below: only texts that can be flipped.")
    assert erasure.answer(words, mass)[0].startswith(f"Where a decision can be flipped, at least {least} (")
    assert erasure.answer(words, all_flip)[0].endswith("must go, on average over a model's texts.")
    assert erasure.answer(words, mass)[0].endswith("In 4 of 20 models no amount is enough for most texts.")
    assert "no amount" not in " ".join(erasure.answer(words, all_flip))
    ax = figures.attention_on_real_text(mass).axes[0]
    drawn = {line.get_label(): [*line.get_xdata()] for line in ax.lines}
    assert drawn["lower bound"] == [*mass["bound"]] and drawn["attention"] == [*mass["attention"]]
    assert drawn["a random order"] == [*mass["random"]]
    plt.close("all")


def test_a_text_that_an_order_does_not_flip_counts_as_all_the_attention(monkeypatch):
    """Of 4 texts 2 can be flipped (by 0.2 and 0.4 at least), and attention's order flips one (by 0.6)."""
    row = {"corpus": "a", "profile": "paper", "encoder": "gru", "seed": 0, "n": 4}
    flips = {"attention": ([0.6], 3), "product": ([0.2, 0.6], 2), "random": ([], 4), "bound": ([0.2, 0.4], 2)}
    rows = [
        row | {"measure": f"mass_{name}", "undefined": never, "mean": np.mean(own) if own else np.nan,
               "std": np.std(own) if own else np.nan}
        for name, (own, never) in flips.items()
    ]  # fmt: skip
    monkeypatch.setattr(erasure, "carried", lambda: pd.DataFrame(rows))
    [found] = erasure.mass_on_real_text().to_dict("records")
    assert [found[name] for name in flips] == pytest.approx([0.8, 0.4, 1, 0.3])
    half = 1.96 * np.std([0.6, 1]) / np.sqrt(2)
    assert found["low_attention"] == pytest.approx(0.8 - half)
    assert [found[name] for name in ("texts", "all", *erasure.FLIPPED)] == [2, 4, 0.25, 0]


@pytest.mark.parametrize(("attention", "little"), [(0.95, True), (0.85, True), (0.6, False)])
def test_little_is_gained_on_chance(attention, little):
    mass = pd.DataFrame({"attention": [attention], "random": 0.9, "bound": 0.5, "corpus": "a", "texts": 1})
    mass["all"] = 1
    assert erasure.gains_little(mass) == little
    real = pd.DataFrame({"attention": [0.3], "random": 0.7})
    told = erasure.answer(real, mass.assign(encoder="gru"))
    assert any("but little attention" in said for said in told) == little
    assert len(erasure.answer(real.assign(random=0.3), mass.assign(encoder="gru"))) == 1
    assert erasure.saves_words(real) and not erasure.saves_words(real.assign(random=0.3))


def test_where_the_product_misses_is_named():
    real = pd.DataFrame({"corpus": ["a", "b"], "encoder": "gru", "product": [0.3, 0.2], "optimal": 0.19})
    assert erasure.misses(real) == (
        "It can miss, in texts that every order flips: on a (BiGRU) gradient × attention needs 30% of the "
        "words, the best order 19%."
    )
    assert erasure.misses(real.assign(corpus="imdb8")).startswith(
        "With more than two classes it can miss, in"
    )
    assert erasure.misses(real[1:]) == ""


def test_nothing_is_said_of_no_real_run():
    none = erasure.on_real_text().iloc[:0]
    assert erasure.better_than_chance(none) == ""
    assert (
        erasure.depends_on_attention(pd.DataFrame(), pd.DataFrame(columns=erasure.COMPARED))
        == []
        == erasure.answer(none, erasure.mass_on_real_text()[:0])
    )
    said = erasure.about_the_tests(pd.DataFrame(), pd.DataFrame(columns=erasure.COMPARED), "dot")
    assert said == ["No two real runs of this chapter are stored yet."]


def test_real_text_may_say_the_opposite_of_a_run():
    columns = ["attention", "number", "more", "less", "tests", "corpora"]
    context = pd.DataFrame([("additive", "a", 3, 0, 3, 1)], columns=columns)
    own = pd.DataFrame({"measure": "a", "low": [-0.3, -0.2, -0.1], "high": [-0.1, -0.1, 0.1]})
    assert "go against real text" in " ".join(erasure.about_the_tests(context, own, "additive"))
    same = own.assign(low=[0.1, 0.2, 0.1], high=[0.3, 0.4, 0.3])
    assert "go against real text" not in " ".join(erasure.about_the_tests(context, same, "additive"))
    assert "go against real text" not in " ".join(erasure.about_the_tests(context, own, "dot"))
    assert erasure.sides(own) == (0, 2)
    both = pd.DataFrame([("additive", name, 3, 0, 3, 1) for name in "abc"], columns=columns)
    own = pd.concat([own, same.assign(measure="b")])
    assert erasure.against_real_text(both, own, "additive") == [
        "Taken by majority, this run's comparisons (additive attention) go against real text in *a*, go with "
        "real text in *b* and have no clear side in *c*."
    ]
    split = own[own["measure"] == "a"].assign(low=[-0.3, -0.1, -0.1], high=[-0.1, 0.3, 0.3])
    assert erasure.against_real_text(both[:1], split, "additive") == [], "one of three is no majority"


def test_a_run_is_told(finished):
    table, evidence, real = finished.table("erasure"), finished.evidence, erasure.on_real_text()
    p, mass = finished.params, erasure.mass_on_real_text()
    words = erasure.in_words_too(mass)
    row, classes = evidence[erasure.chosen(table, evidence)], finished.corpus.classes
    said = [
        *erasure.in_short(table, words, mass, finished),
        *erasure.answer(words, mass),
        erasure.saturated(table, evidence),
        *erasure.our_own(table),
        *erasure.the_text(row, table, classes, "bilstm"),
    ]
    said += [erasure.without_the_top(row, classes), erasure.moves_most(row)]
    said += [erasure.next_to_nothing(table, p), erasure.top_on_real_text(), erasure.nearly_best(real)]
    said += [erasure.in_common(table, p), erasure.by_mass(table, p), erasure.least_attention(table)]
    said += [erasure.beside_the_gradient(table), erasure.too_many(table), erasure.as_reported(table)]
    said += [erasure.single_flips(table)]
    assert all("nan" not in sentence for sentence in said)
    assert len(" ".join(erasure.in_short(table, words, mass, finished)).split()) <= 110
    assert len(erasure.in_short(table, words[:0], mass[:0], finished)) == 2
    erasure.check_optimal(table)
    tried = erasure.tried(table, evidence)
    assert tried == "" or "we tried every subset of the words: in " in tried
    assert len(erasure.rankings_table(table)) == len(erasure.flipping(table))
    assert [len(pairs) for pairs in erasure.pairs_tables(table)] == [len(erasure.PAIRS)] * 2


def test_the_typical_text_is_chosen(finished):
    """The nearest to the averages, by a loop; where none is typical the least sure of the short ones."""
    evidence = finished.evidence
    size = len(evidence.ids)
    table = of_texts(
        erased_attention=np.linspace(0.1, 0.8, size) ** 2, id=evidence.ids, flips_top_attention=0
    )
    table["erased_product"] = table["erased_attention"] / 2
    sure = evidence.predictions.max(1) >= erasure.SURE
    typical = [i for i in range(size) if not sure[i]]
    means = {name: table[name].mean() for name in ("erased_attention", "erased_product")}
    far = [sum(abs(table[name][i] - mean) for name, mean in means.items()) for i in typical]
    assert erasure.chosen(table, evidence) == typical[int(np.argmin(far))]
    row = evidence[erasure.chosen(table, evidence)]
    [said] = erasure.the_text(row, table.assign(predicted=0), finished.corpus.classes, "none")
    assert ": the model (no encoder) predicts " in said
    flipping = table.assign(
        erased_random=np.nan, erased_random_mean=np.nan, erased_gradient=[0.5] + [np.nan] * (size - 1)
    )
    flipping.loc[0, "length"] = erasure.FEW + 1
    assert erasure.typical_texts(flipping, evidence).empty
    assert erasure.chosen(flipping, evidence) == 1 + evidence.predictions[1:].max(1).argmin()
    table, none = finished.table("erasure"), {"erased_optimal": np.nan, "erased_attention": np.nan}
    none = table.assign(**none, erased_random=np.nan, erased_gradient=np.nan, erased_product=np.nan)
    assert table["length"][erasure.chosen(none, evidence)] == table["length"][table["length"] > 1].min()


def test_a_word_that_comes_twice_is_numbered():
    assert erasure._which(["the", "plot", "the"], 2) == "“the” (word 3)"
    assert erasure._which(["the", "plot", "the"], 1) == "“plot”"


def test_what_the_top_word_said_is_told(finished):
    """Without it the decision changes, or gets surer or less sure."""
    row = finished.evidence[0]
    own, classes = int(row.prediction.argmax()), len(row.prediction)
    other = np.eye(classes)[(own + 1) % classes]
    assert erasure.spoke(row, 0, other) == "The decision changes."
    assert erasure.spoke(row, 0, row.prediction) == ""
    assert erasure.spoke(row, 0, np.eye(classes)[own]).startswith("The decision becomes surer: ")
    less = row.prediction - 1e-6 * np.eye(classes)[own]
    assert erasure.spoke(row, 0, less).endswith("the most attended state spoke for it.")
    assert erasure.numbered(row)[0].startswith("1 ") and len(erasure.numbered(row)) == row.real.sum()


def test_a_wrong_optimum_is_found_out(finished):
    table = finished.table("erasure")
    with pytest.raises(AssertionError):
        erasure.check_optimal(table.assign(erased_attention=table["erased_optimal"] - 0.1))


def test_models_are_compared(finished):
    table, p = finished.table("erasure"), finished.params
    found = erasure.compared({"bilstm": table, "average": table}, ["average"], ["bilstm"], p)
    assert (found["difference"] == 0).all() and {*found["encoder"]} == {"BiLSTM"}
    none = pd.DataFrame()
    here = f"Without context attention says as much on {p.corpus} (0 of 3 comparisons)"
    assert erasure.counts(found, none, p) == here
    of = pd.DataFrame({"attention": [p.attention] * 2, "more": [1, 0], "less": [2, 2], "tests": [3, 3]})
    assert erasure.counts(found, of, p) == f"{here}, but less on real text (4 of 6 tests, {p.attention})"
    more = found.assign(low=[-0.1, -0.2, 0.1], high=[-0.1, -0.1, 0.2])
    here = f"Without context attention says less on {p.corpus} (2 of 3 comparisons)"
    assert erasure.counts(more, of, p) == f"{here} and less on real text (4 of 6 tests, {p.attention})"
    none = erasure.compared({"bilstm": table}, [], ["bilstm"], p)
    assert none.empty and erasure.counts(none, of, p).startswith("No model without context")
