"""Shapley values of attention's game: all n! orders by hand, and what must hold of drawn ones."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.evidence import Row, collect
from heed.measures import rankings
from heed.measures.attention_game import drawn, shapley, values_of
from heed.measures.orders import all_sets
from heed.models.head import Head
from heed.params import Params


def worth_by_hand(row: Row, words) -> float:
    """The predicted class's logit with attention on these words (and the markers), renormalised."""
    weights = np.where(row.real, 0.0, row.attention)
    for t in words:
        weights[t] = row.attention[t]
    total = weights.sum()
    context = (weights / total) @ row.values if total > 0 else np.zeros_like(row.shift)
    logits = row.head.logits(context, row.shift, row.allowed).numpy()
    if len(logits) == 1:
        return float(logits[0] if row.prediction[1] >= 0.5 else -logits[0])
    return float(logits[row.prediction.argmax()])


def by_all_orders(row: Row) -> np.ndarray:
    """What each word adds to those before it, mean over all orders."""
    words = np.flatnonzero(row.real)
    total, every = np.zeros(len(row.real)), [*permutations(words)]
    for order in every:
        before = worth_by_hand(row, ())
        for k, word in enumerate(order):
            after = worth_by_hand(row, order[: k + 1])
            total[word] += after - before
            before = after
    return total[words] / len(every)


def binary(seed: int, length: int) -> Row:
    rng = np.random.default_rng(seed)
    ((a, r, b),) = made_up.drawn(rng, [length])
    return Row.of(
        [f"w{t}" for t in range(length)], a, r, Head("identity", "sigmoid"), shift=[b], id=str(seed)
    )


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_exact_values_are_those_of_all_orders(seed, length, asked):
    """One logit; and a tanh head with an answer that may not be given."""
    row = made_up.asked_row(seed % 1000, length) if asked else binary(seed, length)
    values, errors = values_of(row, 10, 0)
    np.testing.assert_allclose(values, by_all_orders(row), atol=1e-10)
    assert not errors.any()
    expected = worth_by_hand(row, range(length)) - worth_by_hand(row, ())
    assert values.sum() == pytest.approx(expected, abs=1e-9)


def test_markers_keep_their_weight():
    case = made_up.classifier("bilstm", "additive", attend_markers=True, classes=3)
    row = collect(case.model, case.data, 100)[6]
    assert not row.real.all() and row.real.sum() == 2
    np.testing.assert_allclose(values_of(row, 10, 0)[0], by_all_orders(row), atol=1e-12)


@pytest.mark.parametrize("length", [9, 13])
def test_drawn_values_lie_about_the_exact_ones(length):
    """Within four standard errors, which are themselves about right; they, too, sum to the whole."""
    row = binary(length, length)
    exact, _ = values_of(row, 1, 0)
    found, errors = drawn(row, 400, np.random.default_rng(0))
    assert (np.abs(found - exact) <= 4 * errors).all() and errors.max() < 0.1
    assert found.sum() == pytest.approx(exact.sum(), abs=1e-9)
    many = np.array([drawn(row, 50, np.random.default_rng(k)) for k in range(60)])
    spread = many[:, 0].std(0, ddof=1)
    np.testing.assert_allclose(many[:, 1].mean(0), spread, rtol=0.5)


def test_draws_do_not_hang_on_the_memory(monkeypatch):
    from heed.measures import attention_game

    row = binary(1, 20)
    whole = values_of(row, 40, 3)
    monkeypatch.setattr(attention_game, "AT_ONCE", 1)
    np.testing.assert_allclose(values_of(row, 40, 3), whole, rtol=1e-9, atol=1e-12)
    assert not np.array_equal(values_of(row, 40, 4)[0], whole[0])


def test_a_known_game():
    """Three gloves: one left, two right; a pair is worth 1. The left one has 2/3."""
    sets = all_sets(3)
    worth = (sets[:, 0] & (sets[:, 1] | sets[:, 2])).astype(float)
    np.testing.assert_allclose(shapley(worth), [2 / 3, 1 / 6, 1 / 6])
    assert shapley(np.array([1.0])).tolist() == []


def test_the_ranking_is_the_values_and_keeps_their_errors():
    """Of the explained texts alone; long texts have errors, and how many are exact is noted."""
    own, notes = rankings.declared()["attention_game"], {}
    case = made_up.classifier("bilstm", "additive")
    data = made_up.texts(3, 20, 5, 18)
    arrays = own.compute(case.model, data, Params(explained_texts=2, game_orders=20), notes)
    assert [*arrays] == data.ids[::2] and arrays["text 0"].shape == (3, 2)
    assert notes["attention_game"]["exact"] == 1
    arrays = own.compute(case.model, data, Params(explained_texts=4, game_orders=20), notes)
    assert notes["attention_game"]["exact"] == 0.5 and notes["attention_game"]["largest_error"] > 0
    evidence = collect(case.model, data, 100)
    scores = own.of_arrays(evidence, arrays)
    for row in evidence:
        np.testing.assert_array_equal(scores[row.id], values_of(row, 20, 0)[0])


def test_it_is_captums():
    """Captum's Shapley values, of all orders, of the same worth; it adds them up in float32."""
    import torch
    from captum.attr import ShapleyValues

    row = binary(5, 5)

    def worth(switches: torch.Tensor) -> torch.Tensor:
        found = [worth_by_hand(row, np.flatnonzero(own)) for own in switches.numpy()]
        return torch.tensor(found, dtype=torch.float64)

    theirs = ShapleyValues(worth).attribute(torch.ones(1, 5, dtype=torch.float64), perturbations_per_eval=5)
    np.testing.assert_allclose(values_of(row, 1, 0)[0], theirs[0].numpy(), atol=1e-5)
