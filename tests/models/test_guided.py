"""Attention that is given."""

import numpy as np
import torch

import made_up
from heed.models.attended import forward
from heed.models.build import build
from heed.params import Params


def test_an_underflowed_weight_stays_zero():
    model = build(Params(base="a/b/c/seed0", **made_up.SMALL), np.zeros((30, 5)), 2).double()
    batch = made_up.encoded(2).batch([2])
    model.given = {batch.ids[0]: np.array([0.0, 1.0])}
    weights = forward(model, batch).attention
    assert weights[0, 1:3].tolist() == [0.0, 1.0]
    forward(model, batch).logits.sum().backward()
    assert all(w.grad is None or torch.isfinite(w.grad).all() for w in model.parameters())
