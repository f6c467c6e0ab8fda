"""Attention's scores, by the formulas in numpy."""

import numpy as np
import pytest
import torch

import made_up
from heed.models.attentions import Additive, Dot
from heed.models.build import build
from heed.params import Params


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_additive_scores(activation):
    """v · act(W h + b), the hidden size half of the state's."""
    layer = Additive(6, activation=activation).double()
    act = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0)}[activation]
    h = np.random.default_rng(0).normal(size=(2, 5, 6))
    (w, b), v = (layer.inner.weight, layer.inner.bias), layer.outer.weight
    w, b, v = (x.detach().numpy() for x in (w, b, v))
    assert w.shape == (3, 6)
    expected = [[sum(v[0] * act(w @ state + b)) for state in text] for text in h]
    np.testing.assert_allclose(layer(torch.as_tensor(h)).detach(), expected, rtol=0, atol=1e-14)


def test_dot_scores():
    """w · h / sqrt(H)."""
    layer = Dot(6).double()
    h = np.random.default_rng(0).normal(size=(2, 5, 6))
    w = layer.outer.weight.detach().numpy()[0]
    expected = [[sum(w * state) / 6**0.5 for state in text] for text in h]
    np.testing.assert_allclose(layer(torch.as_tensor(h)).detach(), expected, rtol=0, atol=1e-14)


def test_square_attention_is_v_tanh_of_a_square_w():
    p = Params(encoder="average", attention_square=True, **made_up.SMALL)
    model = build(p, np.ones((len(made_up.VOCABULARY), 5)), 2)
    inner, outer = model.attention.inner, model.attention.outer
    assert inner.weight.shape == (6, 6) and outer.bias is None
    h = torch.randn(2, 3, 6, dtype=torch.float64)
    expected = [[outer.weight[0] @ torch.tanh(inner.weight @ s + inner.bias) for s in text] for text in h]
    torch.testing.assert_close(model.attention(h), torch.tensor(expected, dtype=torch.float64))
