"""Conicity: by hand, a text at a time."""

import numpy as np
import pytest

import made_up
from heed.measures.conicity import conicity


def by_hand(case: made_up.Case, i: int) -> float:
    """The mean |cosine| of a text's states with their mean, without padding and markers."""
    batch = case.data.batch([i])
    states = case.model.encode(case.model.embed(batch), batch).detach().numpy()[0, 1:-1]
    mean = states.mean(0)
    sizes = np.linalg.norm(states, axis=1) * np.linalg.norm(mean)
    return float(np.mean(np.abs(states @ mean) / sizes))


@pytest.mark.parametrize("tokens", [1, 30, 10_000], ids=["alone", "in pairs", "in one batch"])
@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "average"])
def test_conicity_is_that_of_a_text_alone(encoder, tokens):
    case = made_up.classifier(encoder, "additive")
    found = conicity(case.model, case.data, tokens)
    assert list(found) == case.data.ids
    expected = [by_hand(case, i) for i in range(len(case.data))]
    np.testing.assert_allclose(list(found.values()), expected, rtol=0, atol=1e-12)
    assert len(set(np.round(expected, 6))) > 5
