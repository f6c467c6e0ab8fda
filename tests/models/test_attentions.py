"""Attention's scores, by the formulas in numpy."""

import entmax
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import made_up
from heed.models.attended import forward
from heed.models.attentions import ATTENTIONS, LEARNED, Additive, Dot, Entmax15, Sparsemax, is_sparse
from heed.models.build import build
from heed.params import Params
from refusals import refused
from twins import weighed


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


# Weights of exactly 0


def projected(z: np.ndarray) -> np.ndarray:
    """The nearest point of the simplex by its quadratic programme, scipy's SLSQP."""
    n = len(z)
    found = minimize(
        lambda p: 0.5 * ((p - z) ** 2).sum(),
        np.full(n, 1 / n),
        jac=lambda p: p - z,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(n)},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x


def weights(kind, scores) -> np.ndarray:
    return kind.weigh(torch.as_tensor(scores, dtype=torch.float64), -1).numpy()


@given(st.integers(1, 8), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 5.0]))
def test_sparsemax_is_the_quadratic_programme(size, seed, scale):
    z = np.random.default_rng(seed).normal(0, scale, size)
    np.testing.assert_allclose(weights(Sparsemax, z), projected(z), rtol=0, atol=1e-6)


@given(st.sampled_from([Sparsemax, Entmax15]), st.integers(1, 8), st.integers(0, 10**6), st.floats(0.1, 5))
def test_sparse_weights_are_the_root_of_their_threshold(kind, size, seed, scale):
    scores = np.random.default_rng(seed).normal(0, scale, size)
    expected = weighed(kind.__name__.lower(), scores)
    np.testing.assert_allclose(weights(kind, scores), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["sparsemax", "entmax15"])
def test_sparse_weights_can_be_differentiated_twice(name):
    """Once as the package does it, twice as finite differences do; nothing is NaN where weights are 0."""
    scores = torch.tensor([[-2.0, 0.1, 0.5, 0.3, -torch.inf]], dtype=torch.float64, requires_grad=True)
    to = torch.tensor([[1.0, -2.0, 3.0, 0.5, 7.0]], dtype=torch.float64)

    def slope(z, weigh=ATTENTIONS[name].weigh):
        return torch.autograd.grad((weigh(z, -1) * to).sum(), z, create_graph=True)[0]

    torch.testing.assert_close(slope(scores), slope(scores, getattr(entmax, name)), rtol=0, atol=1e-12)
    bend = torch.autograd.functional.jacobian(lambda z: slope(z)[0], scores)[:, 0]
    step = 1e-6
    for k in range(4):
        move = torch.zeros_like(scores).index_fill(1, torch.tensor([k]), step)
        expected = (slope(scores + move) - slope(scores - move))[0] / (2 * step)
        torch.testing.assert_close(bend[:4, k], expected[:4].detach(), rtol=0, atol=1e-6)


def test_the_weights_of_three_scores():
    scores = [-2.0, 0.0, 0.5]
    np.testing.assert_allclose(weights(Sparsemax, scores), [0, 0.25, 0.75], atol=1e-12)
    np.testing.assert_allclose(weights(Entmax15, scores), [0, 0.3260, 0.6740], atol=5e-5)


@pytest.mark.parametrize("name", ["sparsemax", "entmax15"])
@pytest.mark.parametrize("attend_markers", [False, True])
def test_sparse_attention_of_padded_texts(name, attend_markers):
    """What takes no part has exactly 0, the rest sums to 1; an empty text has none, and no NaN anywhere."""
    case = made_up.classifier("bilstm", name, attend_markers)
    with torch.no_grad():
        case.model.attention.outer.weight *= 30
    data = made_up.texts(0, 3, 9, 1)
    batch = data.batch(range(4))
    output = forward(case.model, batch)
    part = torch.isfinite(output.scores)
    assert (output.attention[~part] == 0).all() and (output.attention == 0)[part].any()
    sums = torch.tensor([float(attend_markers), 1, 1, 1], dtype=torch.float64)
    torch.testing.assert_close(output.attention.sum(1), sums, rtol=0, atol=1e-12)
    output.logits.sum().backward()
    gradients = [w.grad for w in case.model.parameters() if w.grad is not None]
    assert gradients and all(torch.isfinite(g).all() for g in gradients)
    alone = forward(case.model, data.batch([1])).attention[0]
    torch.testing.assert_close(output.attention[1][: len(alone)], alone, rtol=0, atol=1e-12)


def test_which_are_learned_and_which_are_sparse():
    assert {name for name in ATTENTIONS if is_sparse(name)} == {"sparsemax", "entmax15"}
    learned = [name for name in ATTENTIONS if [*ATTENTIONS[name](4).parameters()]]
    assert learned == [*LEARNED]


def test_a_square_of_sparse_attention_is_refused():
    with refused("attention_square: attention sparsemax hasn't got it", "attention_square: false"):
        p = Params(attention="sparsemax", attention_square=True, **made_up.SMALL)
        build(p, np.ones((len(made_up.VOCABULARY), 5)), 2)
