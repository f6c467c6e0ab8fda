"""The table of search and optimum: certified, never beaten, whatever the batch."""

import numpy as np
import pytest

import made_up
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import adversarial, exact, search
from heed.measures.search import Search
from heed.models.build import ASKED
from made_up import drawn, evidence_of

LN2 = np.log(2)


def test_optimum_does_not_depend_on_batch_padding_or_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    evidence = evidence_of(drawn(rng, [1, 2, 3, 17, 40, 9]))
    whole = adversarial.optima(evidence, 0.01)
    assert adversarial.optima(evidence, 0.01, tokens=1) == whole
    monkeypatch.setattr(exact, "BLOCK", 50)
    assert {k: v.jsd for k, v in adversarial.optima(evidence, 0.01).items()} == {
        k: v.jsd for k, v in whole.items()
    }


def test_evidence_that_is_not_finite_is_one_sentence():
    with pytest.raises(HeedError, match="text r0 holds a number that isn't finite"):
        adversarial.optima(evidence_of([(np.array([0.5, 0.5]), [np.nan, 1.0], 0.0)]), 0.01)


def test_search_is_never_above_the_optimum_and_its_own_whatever_the_batch():
    rng = np.random.default_rng(5)
    evidence = evidence_of(drawn(rng, [1, 2, 5, 9, 14, 30, 6, 6], scale=2))
    how = search.Search(steps=150)
    together = adversarial.found_by_search(evidence, how, seed=7)
    alone = adversarial.found_by_search(evidence, how, seed=7, tokens=1)
    best = adversarial.optima(evidence, 0.01)
    for row in evidence:
        attention, change, distance = together[row.id]
        np.testing.assert_allclose(attention, alone[row.id][0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(attention.sum(1), 1, atol=1e-12)
        assert (distance <= LN2 + 1e-12).all()
        found, feasible, _ = adversarial.best_found(row, attention, change, distance, 0.01)
        assert found <= best[row.id].jsd + 1e-6
        assert feasible == (change <= 0.01).sum()
    other = adversarial.found_by_search(evidence, how, seed=8)
    assert not np.allclose(other["r4"][0], together["r4"][0])


def test_where_none_is_feasible_the_result_is_zero_and_counted():
    (row,) = evidence_of(drawn(np.random.default_rng(6), [4]))
    adversaries = np.eye(4)[:2]
    found, feasible, attention = adversarial.best_found(row, adversaries, np.ones(2), np.ones(2) * 0.5, 0.01)
    assert (found, feasible) == (0.0, 0) and attention is row.attention


def test_the_table_of_a_binary_model():
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, 64)
    table, best = adversarial.adversarial(evidence, search.Search(steps=60), 0.05, seed=0)
    assert (table["found"] <= table["optimum"] + 1e-6).all() and table["proved"].all()
    assert (table["tvd"] <= 0.05 + 1e-9).all() and list(table["id"]) == case.data.ids == list(best)
    curve = adversarial.curve(evidence)
    assert (curve.groupby("id")["optimum_at"].apply(lambda v: v.is_monotonic_increasing)).all()


def test_optima_refuse_other_heads():
    case = made_up.three_classes()
    with pytest.raises(HeedError, match="bracket"):
        adversarial.optima(collect(case.model, case.data, 64), 0.01)


BUDGET = 40


@pytest.mark.parametrize("encoder", ASKED)
def test_search_stays_below_the_best_known_and_that_below_the_bound(encoder):
    case = made_up.reader(encoder, "additive")
    table, best = adversarial.adversarial(
        collect(case.model, case.data, BUDGET), Search(epsilon=0.05, steps=40), 0.05, 0
    )
    assert (table["found"] <= table["optimum"] + 1e-12).all()
    assert (table["optimum"] <= table["bound"] + 1e-9).all()
    assert (table["tvd"] <= 0.05 + 1e-9).all()
    assert table["proved"].equals(table["bound"] - table["optimum"] <= 1e-9)
    assert set(best) == set(case.data.ids)
