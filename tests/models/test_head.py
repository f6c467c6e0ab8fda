"""The head: what numpy says, bytes, bad heads."""

import numpy as np
import pytest
import torch
from scipy.special import expit, softmax
from torch import nn

from heed.errors import HeedError
from heed.models.head import ACTS, Head, from_bytes
from refusals import refused


def heads() -> list[Head]:
    """Every act with every link, with and without a last linear map."""
    torch.manual_seed(0)
    outs = {"softmax": (None, (3, 4), (3, 2)), "sigmoid": (None, (3, 1))}
    return [
        Head(act, link, out and nn.Linear(*out, dtype=torch.float64))
        for act in ACTS
        for link, shapes in outs.items()
        for out in shapes
    ]


@pytest.mark.parametrize("head", heads(), ids=lambda h: f"{h.act}-{h.link}-{h.out and h.out.out_features}")
def test_head_is_what_numpy_says(head):
    """z = c + shift, logits = out(act(z)), then the link: one row a class, summing to 1."""
    rng = np.random.default_rng(1)
    width = 1 if head.out is None and head.link == "sigmoid" else 3
    context, shift = rng.normal(size=(2, 6, width)), rng.normal(size=(6, width))
    z = {"identity": lambda z: z, "tanh": np.tanh, "relu": lambda z: np.maximum(z, 0)}[head.act](
        context + shift
    )
    if head.out is None:
        logits = z
    else:
        weight, bias = head.out.weight.detach().numpy(), head.out.bias.detach().numpy()
        logits = z @ weight.T + bias
    if head.link == "softmax":
        expected = softmax(logits, axis=-1)
    else:
        expected = np.concatenate([1 - expit(logits), expit(logits)], axis=-1)
    found = head.probs(context, shift).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("head", heads(), ids=lambda h: f"{h.act}-{h.link}-{h.out and h.out.out_features}")
def test_head_survives_bytes(head):
    copy = from_bytes(head.to_bytes())
    width = 1 if head.out is None and head.link == "sigmoid" else 3
    context = np.random.default_rng(2).normal(size=(5, width))
    assert (copy.act, copy.link) == (head.act, head.link)
    assert torch.equal(copy.probs(context, 0.0), head.probs(context, 0.0))
    assert not any(w.requires_grad for w in copy.parameters())


def test_head_without_bias_survives_bytes():
    head = Head("tanh", "softmax", nn.Linear(2, 3, bias=False, dtype=torch.float64))
    assert from_bytes(head.to_bytes()).out.bias is None


def test_sigmoid_has_two_columns_even_far_out():
    """Both columns are exact in the tails: 1 - p would be 0 where p is 1 - 1e-20."""
    probs = Head("identity", "sigmoid").probs(np.array([[46.0], [-46.0]]), 0.0)
    assert probs.shape == (2, 2)
    np.testing.assert_allclose(probs, [[expit(-46.0), 1.0], [1.0, expit(-46.0)]], rtol=1e-14)


def test_disallowed_answers_have_no_probability():
    head = Head("tanh", "softmax")
    allowed = np.array([[True, False, True], [False, False, True]])
    probs = head.probs(np.zeros((2, 3)), np.ones((2, 3)), allowed).numpy()
    assert (probs[~allowed] == 0).all()
    np.testing.assert_allclose(probs, [[0.5, 0, 0.5], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Head("sine"),
        lambda: Head("tanh", "identity"),
        lambda: Head("identity", "sigmoid", nn.Linear(3, 2)),
        lambda: Head("identity", "sigmoid").probs(np.zeros((1, 2)), 0.0),
    ],
)
def test_a_head_that_cannot_be(wrong):
    with pytest.raises(HeedError, match="head: "):
        wrong()


# A head of one's own, and what it is asked


def test_a_head_takes_lists_and_numbers_of_any_precision():
    """Its last layer's own, float32 as torch makes it, with gradients or without."""
    head = Head("tanh", "softmax", nn.Linear(2, 3))
    wanted = head.probs(torch.tensor([0.5, 1.0]), torch.tensor([0.0, 0.25]), [True, True, False]).detach()
    for context in ([0.5, 1], np.array([0.5, 1.0]), torch.tensor([0.5, 1.0], dtype=torch.float16)):
        found = head.probs(context, [0, 0.25], np.array([1, 1, 0])).detach()
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert Head("identity", "sigmoid").probs([0], 0).tolist() == [0.5, 0.5]


def test_a_frozen_head_is_one():
    head = Head("tanh", "softmax", nn.Linear(2, 3))
    assert not head.is_frozen and head.frozen().is_frozen and Head("identity", "sigmoid").is_frozen
    head = head.frozen().train()
    head.dropout = 0.5
    assert not head.is_frozen and head.frozen().is_frozen


SOFTMAX = Head("tanh", "softmax", nn.Linear(2, 3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Head("identity", "sigmoid", nn.Sequential()), "out must be a torch.nn.Linear or None"),
        (lambda: Head("identity", "softmax").probs([1.0], 0), "one value a token needs the sigmoid link"),
        (lambda: Head("tanh", "softmax", nn.Linear(2, 1)).probs([1, 2], 0), "a softmax of one logit"),
        (lambda: SOFTMAX.probs([1, 2, 3], 0), "its last layer takes 2 values a token, it got 3"),
        (
            lambda: SOFTMAX.probs(np.zeros((4, 2)), np.zeros((3, 2))),
            "shapes [4, 2] and [3, 2], which don't fit",
        ),
        (lambda: SOFTMAX.probs([1, 2], [1, 2, 3]), "shapes [2] and [3], which don't fit"),
        (lambda: SOFTMAX.probs(1.0, 0.0), "context must be an array of values"),
        (lambda: SOFTMAX.probs(["a", "b"], 0), "context: expected numbers"),
        (lambda: SOFTMAX.probs([1, 2], None), "shift: expected numbers, none are given"),
        (lambda: SOFTMAX.probs([1, 2], 0, [True]), "allowed: expected a flag for each of 3 classes"),
        (lambda: SOFTMAX.probs([1, 2], 0, [False] * 3), "allowed: no class is allowed"),
        (lambda: Head("identity", "sigmoid").probs([1], 0, [True]), "a sigmoid has but one"),
    ],
)
def test_what_a_head_cannot_take(wrong, said):
    with refused(said):
        wrong()
