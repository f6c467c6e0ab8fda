"""Models as they are built: from which generator, on what, and what a reader hasn't got."""

import numpy as np
import pytest
import torch

import made_up
from heed.errors import HeedError
from heed.models.build import build, of_bags
from heed.params import Params, resolve


@pytest.mark.parametrize(
    ("given", "may"),
    [
        ({"encoder": "average"}, True),
        ({"encoder": "none", "attention": "uniform"}, True),
        ({"encoder": "bilstm"}, False),
        ({"encoder": "cnn"}, False),
        ({"encoder": "average", "attention": "last"}, False),
        ({"encoder": "average", "dropout": 0.1}, False),
        ({"encoder": "average", "attention": "sparsemax"}, False),
        ({"encoder": "average", "conicity_weight": 0.5}, False),
        ({"encoder": "average", "lie_weight": 0.1}, False),
        ({"encoder": "average", "base": "planted/bilstm-additive/paper-0123abcd/seed0"}, False),
    ],
)
def test_what_is_trained_on_bags(given, may):
    """Not what depends on where a token stands: order, dropout of single tokens, given attention."""
    assert of_bags(Params(**given)) is may


def test_torch_is_left_as_it_was():
    """Building a model draws from a generator of its own: the global one does not move."""
    before = torch.random.get_rng_state()
    made_up.classifier("bilstm", "additive")
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(
    "given", [{"dropout": 0.5}, {"xavier": True}, {"attention_square": True}, {"profile": "serrano"}]
)
def test_what_would_change_nothing_is_refused(given):
    """A reader has no dropout and draws its weights in one way: such a run would be called what it isn't."""
    with pytest.raises(HeedError, match="what answers questions hasn't got it"):
        build(resolve({"corpus": "world1"} | given), np.zeros((9, 300)), 5, "qa")
