"""Erasure: the plain algorithm, brute force, and what must hold whatever the text."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import made_up
from heed.evidence import Row, collect
from heed.measures import erasure
from heed.measures.erasure import CELLS, CHOICES, RANKINGS
from heed.measures.gradients import gradient
from heed.models.attended import attended_to, forward
from heed.models.head import Head

# The plain algorithm: erase, renormalise, forward again.


def one(case: made_up.Case, i: int):
    """A text of a case: its batch of one, its row of evidence."""
    return case.data.batch([i]), collect(case.model, case.data, 1000)[i]


def without(case: made_up.Case, batch, row: Row, gone) -> np.ndarray:
    """The model's probabilities when the real units of these numbers are erased: a forward pass."""
    places = torch.nonzero(attended_to(case.model, batch)[0])[:, 0]
    weights = torch.zeros(batch.codes.shape, dtype=torch.float64)
    weights[0, places] = torch.tensor(row.attention)
    weights[0, places[np.flatnonzero(row.real)[list(gone)]]] = 0
    weights /= weights.sum()
    with torch.no_grad():
        return case.model.head.from_logits(forward(case.model, batch, weights).logits)[0].numpy()


def decide(probs: np.ndarray) -> int:
    return int(probs[1] >= 0.5) if len(probs) == 2 else int(probs.argmax())


def undecided(case: made_up.Case) -> made_up.Case:
    """The case with biases that leave its texts on either side, so that decisions do flip."""
    decoder = getattr(case.model, "decoder", None)
    if decoder is not None:
        with torch.no_grad():
            logits = forward(case.model, case.data.batch(range(len(case.data)))).logits
            decoder.bias -= logits.mean(0)
    return case


CASES = [undecided(c) for markers in (False, True) for c in made_up.every_case(markers)]


@pytest.fixture(params=CASES, ids=[f"{c.name}{' markers' * c.model.attend_markers}" for c in CASES])
def any_case(request) -> made_up.Case:
    return request.param


def test_each_unit_erased_is_a_forward_pass_without_it(any_case):
    for i in range(len(any_case.data)):
        batch, row = one(any_case, i)
        n = row.real.sum()
        if n < 2:
            continue
        expected = [without(any_case, batch, row, [t]) - row.prediction for t in range(n)]
        np.testing.assert_allclose(erasure.changes(row), expected, atol=1e-12)


def test_until_flip_is_the_loop_that_erases_and_looks(any_case):
    rng, seen = np.random.default_rng(0), 0
    for i in range(len(any_case.data)):
        batch, row = one(any_case, i)
        n = row.real.sum()
        orders = rng.permuted(np.tile(np.arange(n), (6, 1)), axis=1)
        counts, masses = erasure.until_flip(row, orders)
        for order, count, mass in zip(orders, counts, masses, strict=True):
            steps = range(1, n)
            flipped = [
                decide(without(any_case, batch, row, order[:k])) != decide(row.prediction) for k in steps
            ]
            first = flipped.index(True) + 1 if any(flipped) else 0
            assert count == first
            seen += first > 0
            assert (
                np.isnan(mass)
                if first == 0
                else mass == pytest.approx(row.attention[row.real][order[:first]].sum())
            )
    assert seen or not erasure.linear(row)  # an untrained tanh may hold to its answer


def test_slopes_are_the_models_own_derivative(any_case):
    """Of the predicted class: of one sigmoid that of class 1, its sign turned where that isn't it."""
    for i in range(len(any_case.data)):
        batch, row = one(any_case, i)
        mask = attended_to(any_case.model, batch).numpy()
        expected = gradient(any_case.model, batch, wrt="attention")[mask]
        if row.head.link == "sigmoid" and decide(row.prediction) == 0:
            expected = -expected
        np.testing.assert_allclose(erasure.slopes(row), expected, atol=1e-12)


# Rows made for the purpose


def made(attention, values, shift=0.0, name="test-0", real=None) -> Row:
    """A row with a linear head: values (T,) for one logit, (T, C) for C."""
    a, u = np.asarray(attention, float), np.asarray(values, float)
    u = u[:, None] if u.ndim == 1 else u
    shift = np.broadcast_to(np.asarray(shift, float), u.shape[1:]).copy()
    head = Head("identity", "sigmoid" if u.shape[1] == 1 else "softmax")
    prediction = head.probs(a @ u, shift).numpy()
    real = np.ones(len(a), bool) if real is None else np.asarray(real)
    return Row(name, name, ["w"] * len(a), real, a, u, shift, None, 0, prediction, None, head)


class Rows(list):
    """Made rows with what `erasure` asks of evidence."""

    @property
    def predicted(self) -> np.ndarray:
        return np.array([decide(row.prediction) for row in self])


def table_of(*rows: Row, **given) -> pd.DataFrame:
    return erasure.erasure(Rows(rows), **({"orders": 3, "keep_last": True, "seed": 0} | given))


@st.composite
def rows(draw, longest: int = 8, classes=(1, 3), tied: bool = False):
    """Rows of up to `longest` units; tied: of few small numbers, in binary exactly, so that ties abound."""
    n, width = draw(st.integers(2, longest)), draw(st.sampled_from(classes))
    if tied:
        weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        numbers = st.integers(-2, 2)
    else:
        weights = draw(st.lists(st.floats(1e-6, 1), min_size=n, max_size=n))
        numbers = st.floats(-4, 4)
    assume(sum(weights) > 0)
    if tied:  # weights that are sums of powers of two, so that nothing is rounded
        weights = np.array(weights) / 8
        weights[int(np.argmax(weights))] += 1 - weights.sum()
        assume(weights.min() >= 0)
    else:
        weights = np.array(weights) / np.sum(weights)
    values = np.array(
        draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=n, max_size=n))
    )
    shift = np.array(draw(st.lists(numbers, min_size=width, max_size=width)))
    return made(weights, values, shift)


def sets_that_flip(row: Row, keep_last: bool = True) -> list[tuple[int, ...]]:
    """Every set of units whose erasure changes the decision, by trying all."""
    n, found = len(row.attention), []
    own = erasure.decided(row.head.logits(row.attention @ row.values, row.shift).numpy())
    for size in range(1, n + (not keep_last)):
        for gone in combinations(range(n), size):
            left = np.delete(row.attention, gone)
            if left.sum() == 0 and keep_last:
                continue
            context = left @ np.delete(row.values + row.shift, gone, 0)
            context = context / left.sum() if left.sum() else row.shift
            if erasure.decided(row.head.logits(context, 0 * row.shift).numpy()) != own:
                found.append(gone)
    return found


def least_by_order(row: Row, keep_last: bool = True) -> int:
    counts, _ = erasure.until_flip(row, erasure.optimal_orders(row, keep_last), keep_last)
    return int(min(counts[counts > 0], default=0))


@given(rows(longest=8), st.booleans())
def test_the_optimal_order_is_what_brute_force_finds(row, keep_last):
    flipping = sets_that_flip(row, keep_last)
    assert least_by_order(row, keep_last) == min(map(len, flipping), default=0)


@given(rows(longest=6, tied=True), st.booleans())
@example(made([0.5, 0.5, 0, 0], [1, -1, 2, -2]), True)
@example(made([1, 0, 0], [1, -2, -2]), True)
@example(made([0, 0.5, 0.5], [-3, 1, 1]), True)
@example(made([0.625, 0.375, 0], [2, 1, 1], -1), False)
def test_and_where_there_are_exact_ties_and_zeros(row, keep_last):
    flipping = sets_that_flip(row, keep_last)
    assert least_by_order(row, keep_last) == min(map(len, flipping), default=0)
    bound = erasure.mass_bound(row, keep_last)
    assert bound <= min((row.attention[list(s)].sum() for s in flipping), default=np.inf) + 1e-12


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [1, 4])
def test_brute_force_over_twelve_units(seed, width):
    rng = np.random.default_rng(seed)
    row = made(
        rng.dirichlet(np.full(12, 0.5)), rng.normal(0, 1, (12, width)) + 0.3, rng.normal(0, 0.3, width)
    )
    flipping = sets_that_flip(row)
    assert flipping and least_by_order(row) == min(map(len, flipping))
    assert erasure.mass_bound(row) <= min(row.attention[list(s)].sum() for s in flipping) + 1e-12


@given(rows(), st.integers(0, 5))
def test_no_order_needs_fewer_and_none_has_less_mass_than_the_bound(row, seed):
    n = len(row.attention)
    orders = np.random.default_rng(seed).permuted(np.tile(np.arange(n), (20, 1)), axis=1)
    counts, masses = erasure.until_flip(row, orders)
    if (counts > 0).any():
        assert 0 < least_by_order(row) <= counts[counts > 0].min()
        assert erasure.mass_bound(row) <= np.nanmin(masses) + 1e-12


@given(rows(classes=(1,)))
def test_the_bound_is_met_by_erasing_a_part(row):
    """At the fractional optimum the logit of what is left is 0: the bound is no smaller than it must be."""
    bound = erasure.mass_bound(row)
    assume(np.isfinite(bound))
    a, lead = row.attention.copy(), erasure._leads(row)[0]
    left = bound
    for t in erasure._ranked(lead):
        part = min(left, a[t])
        a[t], left = a[t] - part, left - part
    assert a @ lead == pytest.approx(0, abs=1e-9) or bound == pytest.approx(0, abs=1e-12)


# Oracles of the paper


@given(rows())
def test_a_weight_of_zero_changes_nothing(row):
    more = made(np.append(row.attention, 0), np.append(row.values, row.values[:1] + 5, axis=0), row.shift)
    np.testing.assert_allclose(erasure.changes(more)[-1], 0, atol=1e-12)


def test_of_two_units_one_is_left():
    row = made([0.7, 0.3], [2, -5], 0.5)
    expected = row.head.probs(np.array([[-5.0], [2.0]]), row.shift).numpy() - row.prediction
    np.testing.assert_allclose(erasure.changes(row), expected)


def test_identical_states_never_flip_before_the_last_removal():
    found = table_of(made([0.5, 0.2, 0.3], [1.7] * 3, -0.4))
    assert found[[f"erased_{r}" for r in RANKINGS]].isna().all(axis=None) and np.isnan(found["mass_bound"][0])
    last = table_of(made([0.5, 0.2, 0.3], [1.7] * 3, -0.4), keep_last=False)
    assert (last[[f"erased_{r}" for r in RANKINGS]] == 1).all(axis=None) and last["mass_bound"][0] == 1
    assert found["bias_flips"][0] == 1


def test_the_gradient_ranks_by_value_in_two_classes():
    rng = np.random.default_rng(1)
    a, r = rng.dirichlet(np.ones(9)), rng.normal(size=9)
    for shift, sign in ((9, 1), (-9, -1), (40, 1)):  # a saturated prediction keeps its order
        order = erasure._ranked(erasure.slopes(made(a, r, shift)))
        assert order.tolist() == np.argsort(-sign * r).tolist()


def test_two_classes_are_the_same_by_one_logit_and_by_two():
    rng = np.random.default_rng(2)
    a, r = rng.dirichlet(np.ones(9)), rng.normal(size=9)
    binary, softmax = made(a, r, 0.2), made(a, np.stack([-r / 2, r / 2], 1), [-0.1, 0.1])
    np.testing.assert_allclose(erasure.slopes(binary), erasure.slopes(softmax))
    pd.testing.assert_frame_equal(table_of(binary), table_of(softmax))


# The table


def drawn(count: int, width: int = 1, seed: int = 3) -> list[Row]:
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        n = int(rng.integers(1, 15))
        values = rng.normal(0, 2, (n, width))
        found.append(made(rng.dirichlet(np.full(n, 0.4)), values, rng.normal(0, 0.2, width), f"test-{i}"))
    return found


@pytest.mark.parametrize("width", [1, 3])
def test_the_table_says_what_the_plain_algorithm_does(width):
    chosen = drawn(40, width)
    table = table_of(*chosen)
    for row, said in zip(chosen, table.itertuples(), strict=True):
        n = len(row.attention)
        for choice, score in erasure.scores(row).items():
            order = np.argsort(-score, kind="stable")
            counts, _ = erasure.until_flip(row, order[None])
            share = getattr(said, f"erased_{choice}")
            assert np.isnan(share) if counts[0] == 0 else share == counts[0] / n
            if n == 1:
                assert np.isnan(getattr(said, f"delta_js_{choice}"))
                continue
            top = row.prediction + erasure.changes(row)[order[0]]
            others = [row.prediction + erasure.changes(row)[t] for t in order[1:]]
            gone = [jensenshannon(p, row.prediction) ** 2 for p in (top, *others)]
            assert any(
                getattr(said, f"delta_js_{choice}") == pytest.approx(gone[0] - g, abs=1e-12) for g in gone[1:]
            )
            assert getattr(said, f"flips_top_{choice}") == (decide(top) != decide(row.prediction))
    optimal, rest = table["erased_optimal"], table[[f"erased_{r}" for r in RANKINGS[:-1]]]
    assert (rest.ge(optimal, axis=0) | rest.isna()).all(axis=None)
    assert (table[[f"mass_{r}" for r in RANKINGS]].ge(table["mass_bound"] - 1e-12, axis=0)
            | table[[f"mass_{r}" for r in RANKINGS]].isna()).all(axis=None)  # fmt: skip
    assert (table["delta_weight_attention"].dropna() >= 0).all()
    excess = table["erased_attention"].fillna(1) - optimal
    pd.testing.assert_series_equal(table["excess_attention"], excess, check_names=False)
    assert (table["erased_attention"].isna() & optimal.notna()).any() and optimal.isna().any()


def test_the_other_unit_is_any_but_the_top():
    """Position 0 is drawn, too, and the top never is, which the authors' draw got wrong."""
    row, seen = made([0.1, 0.2, 0.4, 0.3], [1, 2, 3, 4.0]), set()
    for seed in range(60):
        found = table_of(row, seed=seed)
        seen.add(round(0.4 - found["delta_weight_attention"][0], 9))
    assert seen == {0.1, 0.2, 0.3}


def test_cells_are_the_counts_and_sum_to_one():
    table = table_of(*drawn(60))
    for choice in CHOICES:
        found = erasure.cells(table, choice)
        assert found["cell"].tolist() == list(CELLS)
        assert found["count"].sum() == found["n"].iloc[0] == (table["length"] > 1).sum()
        assert found["mean"].sum() == pytest.approx(1)
        assert ((found["low"] <= found["mean"]) & (found["mean"] <= found["high"])).all()
    top, other = table["flips_top_attention"], table["flips_other_attention"]
    assert erasure.cells(table, "attention")["count"][1] == ((top == 1) & (other == 0)).sum()


def test_versus_is_mcnemars_test_by_hand():
    table = pd.DataFrame({"erased_attention": [0.2, 0.3, np.nan, 0.5, np.nan, 0.1],
                          "erased_gradient": [0.1, np.nan, 0.3, 0.5, np.nan, 0.05]})  # fmt: skip
    found = erasure.versus(table, "attention", "gradient")
    assert (found["only_a"], found["only_b"]) == (1, 1) and found["p_flips"] == 1
    assert (found["sooner_a"], found["sooner_b"], found["as_soon"]) == (0, 2, 1)
    assert found["p_sooner"] == pytest.approx(2 * comb(2, 0) / 2**2)


def test_in_common_keeps_what_flips_under_every_ranking():
    table = table_of(*drawn(60))
    kept = erasure.in_common(table)
    assert 0 < len(kept) < len(table)
    assert kept[[f"erased_{r}" for r in RANKINGS]].notna().all(axis=None)


# Degenerate texts


def test_degenerate_texts_are_counted_and_not_lost():
    single = made([1.0], [2.0], name="one unit")
    sole = made([0, 1.0, 0], [-3, 2.0, -3], -0.5, "one has it all")
    flat = made([0.25] * 4, [3, -1, -1, -0.5], name="all equal")
    table = table_of(single, sole, flat).set_index("id")
    assert table.loc["one unit", "length"] == 1 and np.isnan(table.loc["one unit", "erased_optimal"])
    assert table.loc["one unit", [f"flips_top_{c}" for c in CHOICES]].isna().all()
    assert table["sole"].tolist() == [True, True, False] and table["flat"].tolist() == [True, False, True]
    # Without the one that has all attention nothing is left: if the bias decides, that is no flip.
    assert table.loc["one has it all", "bias_flips"] == 1
    assert table.loc["one has it all", "flips_top_attention"] == 1
    assert table.loc["one has it all", [f"erased_{r}" for r in RANKINGS]].isna().all()
    free = table_of(sole, keep_last=False).iloc[0]
    assert free["erased_attention"] == free["erased_optimal"] == pytest.approx(1 / 3)
    assert np.isfinite(table.loc["all equal", "erased_optimal"])
    (count,), _ = erasure.until_flip(flat, np.arange(4)[None])  # of equal weights the one that stands first
    assert count and table.loc["all equal", "erased_attention"] == count / 4


def test_markers_keep_their_weight_and_are_not_erased():
    row = made([0.2, 0.5, 0.1, 0.2], [-1, 3, 3, -1], real=[False, True, True, False])
    counts, masses = erasure.until_flip(row, np.array([[0, 1], [1, 0]]))
    assert counts.tolist() == [1, 0] and masses[0] == 0.5
    assert least_by_order(row) == 1 and erasure.mass_bound(row) <= 0.5


def test_a_head_that_is_not_linear_has_no_optimum():
    case = made_up.asking()
    evidence = collect(case.model, case.data, 1000)
    table = erasure.erasure(evidence, 2, True, 0)
    assert table["erased_optimal"].isna().all() and table["mass_bound"].isna().all()
    assert not erasure.linear(evidence[0])


def test_the_same_seed_gives_the_same_table_whatever_the_batch():
    case = made_up.classifier("bilstm", "additive")
    tables = [erasure.erasure(collect(case.model, case.data, size), 4, True, 1) for size in (12, 1000)]
    pd.testing.assert_frame_equal(*tables, atol=1e-9)
    rows = drawn(20)
    assert table_of(*rows).equals(table_of(*rows))
    assert not table_of(*rows, seed=1)["erased_random_mean"].equals(table_of(*rows)["erased_random_mean"])


def test_says_more_is_paired_and_signed():
    a, b = (table_of(*drawn(50, seed=s)) for s in (3, 3))
    b["erased_random_mean"] += 0.1
    found = erasure.says_more(a, b, 200, 0).set_index("measure")
    saved = found.loc["share of units saved by attention over random"]
    assert saved["difference"] == pytest.approx(0.1) and saved["p"] < 0.01
    assert found.iloc[0]["difference"] == 0 and found.iloc[0]["p"] == 1
    assert erasure.says_more(a.assign(id="x" + a["id"]), b, 200, 0)["n"].eq(0).all()


def test_where_nothing_flips_nothing_is_in_common(recwarn):
    """Equal states: no ranking flips a text, and two models have no number of it to be compared by."""
    table = table_of(made([0.5, 0.5], [1.0, 1.0]), made([1.0], [1.0], name="test-1"))
    assert len(erasure.in_common(table)) == 0
    found = erasure.says_more(table.iloc[1:], table.iloc[1:], 10, 0)
    assert (found["n"] == 0).all() and found.drop(columns=["measure", "n"]).isna().all(axis=None)
    assert not recwarn.list
