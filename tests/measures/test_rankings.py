"""The registry of rankings: what follows from it, and what is refused."""

import numpy as np
import pytest

import made_up
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import correlation, erasure, rankings
from heed.measures.rankings import ranking
from heed.measures.registry import MEASURES
from heed.runs import products


@pytest.fixture
def registry(monkeypatch) -> dict:
    """The registry as it is, to be added to."""
    rankings.declared()
    monkeypatch.setattr(rankings, "RANKINGS", dict(rankings.RANKINGS))
    return rankings.RANKINGS


def test_pairs_follow_from_the_rankings():
    """Each with every reference before it; names as they were of the first three."""
    first = ("tau_gradient", "tau_loo", "tau_gradient_loo")
    assert tuple(rankings.pairs())[:3] == first == tuple(correlation.PAIRS)[:3]
    for name in ("integrated_gradients_held", "integrated_gradients_live"):
        beside = {pair[0] for pair in rankings.pairs().values() if pair[1] == name}
        assert beside == {"attention", "gradient", "loo"}
    assert ("integrated_gradients_held", "integrated_gradients_live") not in rankings.pairs().values()
    assert rankings.names_of(("attention", "loo")) == "attention, LOO"


def test_tables_and_products_follow_from_them():
    compared = rankings.compared()
    assert {f"auroc_{name}" for name in compared} | {*rankings.pairs()} <= MEASURES.keys()
    held = {name: own for name, own in rankings.declared().items() if own.needs_model}
    assert held.keys() <= products.files().keys()
    made = products.of_kind(products.Params)
    assert all(made[name].settings == own.settings for name, own in held.items())


def test_what_chapter_11_adds_changes_nothing_of_chapter_02():
    """Its rankings are declared beside the others, and no pair, column or setting comes of them."""
    first = ("attention", "gradient", "loo", "integrated_gradients_held", "integrated_gradients_live")
    assert tuple(rankings.compared()) == first
    assert set(rankings.settings()) == {"loo_how", "loo_tolerance", "ranked_texts"}
    here, known = rankings.explaining(False), rankings.explaining(True)
    assert known.keys() - here.keys() == {"truth"} and {*first} < here.keys()
    assert not {*here} & {"attention_gradient", "truth"}
    for own in known.values():
        assert not own.thinned or "explained_texts" in own.settings


def test_the_order_is_of_the_list_whatever_was_imported_first(monkeypatch):
    """Columns are called by it: tau_gradient_loo, not tau_loo_gradient."""
    order, pairs = [*rankings.declared()], rankings.pairs()
    monkeypatch.setattr(rankings, "RANKINGS", dict(reversed(rankings.declared().items())))
    assert [own for own in rankings.declared() if own in rankings.compared()] == [
        "attention",
        "gradient",
        "loo",
        "integrated_gradients_live",  # within a module they stay as they are declared
        "integrated_gradients_held",
    ]
    assert (
        {*rankings.declared()} == {*order}
        and "tau_gradient_loo" in rankings.pairs()
        and "tau_gradient_loo" in pairs
    )


def test_every_ranking_says_what_it_is():
    for own in rankings.declared().values():
        assert own.label and own.short and own.what and own.source and own.cost
        assert (own.compute is None) != (own.of_row is None)


def test_erasures_gradient_is_by_the_attention_weight():
    """Another ranking than chapter 02's; its columns keep their names."""
    assert erasure.CHOICES["gradient"] == "attention_gradient" and "gradient" in erasure.RANKINGS
    own = rankings.declared()["attention_gradient"]
    assert not own.compared and not own.needs_model
    case = made_up.classifier("bilstm", "additive")
    row = next(iter(collect(case.model, case.data, 64)))
    np.testing.assert_array_equal(own.of_row(row), erasure.slopes(row)[row.real])


# What is refused


def test_a_ranking_that_is_declared_twice(registry):
    known = {"what": "x", "source": "y", "cost": "z"}
    with pytest.raises(HeedError, match="ranking gradient is declared twice: choose another name"):
        ranking("gradient", label="slope", **known)(lambda *given: {})
    with pytest.raises(HeedError, match="ranking mine: the label 'gradient' is gradient's. Choose another."):
        ranking("mine", label="gradient", **known)(lambda *given: {})
    ranking("mine", label="mine", **known)(lambda *given: {})
    assert registry["mine"].short == "mine" and registry["mine"].needs_model
