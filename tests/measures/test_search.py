"""The search's objective, term by term."""

import numpy as np
import pytest
import torch

from heed.errors import HeedError
from heed.measures import search
from heed.measures.divergence import jsd


@pytest.mark.parametrize("setting", [{"epsilon": 0.0}, {"epsilon": 1.0}, {"adversaries": 0}, {"steps": 0}])
def test_a_search_that_cannot_be(setting):
    with pytest.raises(HeedError, match="search"):
        search.Search(**setting)


def plain_objective(adversaries, a, changes, how):
    """Equation 1 with the penalty's sign put right, one loop a term."""
    k = len(adversaries)
    value = sum(jsd(x, a) for x in adversaries)
    pairs = [jsd(adversaries[i], adversaries[j]) for i in range(k) for j in range(i + 1, k)]
    if pairs:
        value += np.mean(pairs) if how.mean_pairs else sum(pairs) / (k * (k - 1))
    return value - sum(how.penalty * max(0, change - how.epsilon) for change in changes)


@pytest.mark.parametrize("mean_pairs", [False, True])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_objective_is_the_papers(k, mean_pairs):
    rng = np.random.default_rng(3)
    how = search.Search(adversaries=k, mean_pairs=mean_pairs)
    others, a, changes = rng.dirichlet(np.ones(6), k), rng.dirichlet(np.ones(6)), rng.random(k) / 30
    given = (torch.from_numpy(x)[None] for x in (others, a, changes))
    assert search.objective(*given, how).item() == pytest.approx(plain_objective(others, a, changes, how))


def test_divergence_is_the_jsd_and_has_a_slope_at_zero():
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet(np.full(7, 0.3), 2)
    p[0], q[1] = 0, 0
    p, q = p / p.sum(), q / q.sum()
    x = torch.from_numpy(p).requires_grad_()
    found = search.divergence(x, torch.from_numpy(q))
    found.backward()
    assert found.item() == pytest.approx(jsd(p, q)) and torch.isfinite(x.grad).all()


def test_a_search_starts_from_draws_of_the_texts_own():
    """Two texts of one length begin apart; each begins where it does alone, whatever stands beside it."""
    how = search.Search(adversaries=3)
    both = search.start(["a", "b"], [5, 5], how, 0, 7)
    assert not torch.isclose(both[0, :, :5], both[1, :, :5]).any()
    for k, name in enumerate("ab"):
        assert torch.equal(search.start([name], [5], how, 0, 5)[0], both[k, :, :5])
    assert (both[:, :, 5:] == 0).all()
