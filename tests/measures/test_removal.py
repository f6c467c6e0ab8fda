"""What a gradient expects of a removal, against whole passes; what is saturated, against cells."""

import re

import numpy as np
import pytest
import torch

import made_up
from heed.corpora.tokens import PAD
from heed.measures import removal
from heed.measures.gradients import gradient
from heed.measures.integrated_gradients import probability
from heed.models.attended import asked, forward
from heed.models.build import build
from heed.params import Params

STEP = 2**-9
BINARY = {"bilstm": {}, "cnn": {}, "average": {"average_activation": "tanh"}}


def classifier(encoder: str, **given):
    """A small binary model of ours with drawn weights, in evaluation."""
    p = Params(encoder=encoder, **made_up.SMALL, **BINARY[encoder], **given)
    rows = np.random.default_rng(0).standard_normal((len(made_up.VOCABULARY), p.embedding_dim))
    rows[PAD] = 0
    return build(p, rows, 2).double().eval()


def test_the_terms_are_whole_passes_of_a_scaled_vector(case):
    """A word's vector times 1, 1 ± h and 0, a pass each: differences of what is said."""
    if getattr(case.model, "unit", "token") != "token":
        pytest.skip("of tokens")
    found = removal.terms(case.model, case.data, 64)
    smooth = not re.search("cnn|average|three|asking$", case.name)
    for i, name in enumerate(case.data.ids[:5]):
        batch = asked(case.model, case.data.batch([i]))
        slopes = gradient(case.model, batch, of="prob", wrt="gate", attention="live")[0]
        np.testing.assert_allclose(found[name]["first"], abs(slopes[1:-1]), atol=1e-12)
        with torch.no_grad():
            embedded = case.model.embed(batch)
            predicted = forward(case.model, batch).logits.argmax(1)
            for t in range(1, len(case.data.codes[i]) - 1):
                values = []
                for factor in (0, 1 - STEP, 1, 1 + STEP):
                    moved = embedded.clone()
                    moved[0, t] *= factor
                    logits = forward(case.model, batch, embedded=moved).logits
                    values.append(probability(case.model.head, logits, predicted).item())
                zero, less, whole, more = values
                second = (more - less) / (2 * STEP) - (more - 2 * whole + less) / STEP**2 / 2
                assert found[name]["zeroed"][t - 1] == pytest.approx(abs(whole - zero), abs=1e-12)
                if smooth:
                    assert found[name]["second"][t - 1] == pytest.approx(abs(second), abs=1e-6)


def test_of_a_parabola_the_second_term_is_all():
    """A model whose probability is a + b s + c s² of every scale s: bent once, a gradient arrives."""
    with torch.random.fork_rng():
        torch.manual_seed(0)  # of any weights: a word's bend may be too small to be told
        model = Parabola()
    for own in removal.terms(model, made_up.encoded(3), 64).values():
        np.testing.assert_allclose(own["second"], own["zeroed"], atol=1e-12)
        assert (abs(own["first"] - own["zeroed"]) > 1e-6).all()


class Parabola(made_up.ThreeClasses):
    """The "probability" of class 0 is quadratic in the embedded tokens."""

    def __init__(self):
        super().__init__()
        self.double()
        self.head = self

    link = "softmax"

    def encode(self, embedded, batch):
        return embedded

    def scores(self, states, batch):
        return states.sum(2) * 0

    def values(self, states):
        return (0.02 * states + 0.01 * states**2)[:, :, :3]

    def shift(self, batch):
        return torch.zeros(len(batch.ids), 3, dtype=torch.float64)

    def logits(self, context, shift, allowed):
        return context

    def from_logits(self, logits):
        return logits


@pytest.mark.parametrize("encoder", BINARY)
def test_saturation_counts_what_lies_near_an_end(encoder):
    """Against cells that are run a step at a time, and tanh by hand."""
    model = classifier(encoder)
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 4  # so that there is something to count
    data = made_up.encoded(2)
    found = removal.saturation(model, data, 30)
    assert [*found] == data.ids
    for i, name in enumerate(data.ids):
        batch = data.batch([i])
        with torch.no_grad():
            x = model.embed(batch)[0]
            states = model.encode(x[None], batch)[0][1:-1]
            inside = {
                "bilstm": lambda x=x: by_cells(model.encoder, x),
                "average": lambda x=x: 2 * np.abs(np.tanh(model.encoder.project(x).numpy())[1:-1]) > 1.8,
                "cnn": lambda: None,
            }[encoder]()
            scored = np.abs(np.tanh(model.attention.inner(states).numpy())) > 0.9
        expected = np.nan if inside is None else np.mean(inside)
        assert found[name] == pytest.approx((expected, scored.mean()), nan_ok=True)
    assert max(share for _, share in found.values()) > 0


def by_cells(encoder, x: torch.Tensor) -> np.ndarray:
    """Whether each gate and candidate (T, 8H) is saturated, by torch's weights and a loop over steps."""
    found = []
    for net, way in ((encoder.forwards, 1), (encoder.backwards, -1)):
        h = c = torch.zeros(net.hidden_size, dtype=x.dtype)
        steps = []
        for t in range(len(x))[::way]:
            inner = net.weight_ih_l0 @ x[t] + net.bias_ih_l0 + net.weight_hh_l0 @ h + net.bias_hh_l0
            into, forget, candidate, out = inner.chunk(4)
            gates = torch.cat([into.sigmoid(), forget.sigmoid(), out.sigmoid()])
            steps.append(torch.cat([(gates < 0.05) | (gates > 0.95), candidate.tanh().abs() > 0.9]))
            c = forget.sigmoid() * c + into.sigmoid() * candidate.tanh()
            h = out.sigmoid() * c.tanh()
        found.append(torch.stack(steps[::way]))
    return torch.cat(found, 1).numpy()[1:-1]


def test_nothing_is_said_of_what_squashes_nothing():
    data = made_up.encoded(2)
    cnn = removal.saturation(classifier("cnn", attention="dot"), data, 30)
    assert np.isnan([*cnn.values()]).all()


def test_a_scale_of_vectors_and_its_inverse_of_weights_begin_alike():
    """`vectors_scale` with 1/`vectors_scale` as `input_scale`: at the start the same function."""
    data, rows = made_up.encoded(2), np.random.default_rng(1).standard_normal((len(made_up.VOCABULARY), 5))
    for encoder in BINARY:
        p = Params(encoder=encoder, **made_up.SMALL)
        first = build(p, rows, 2).double()
        other = build(p.model_copy(update={"input_scale": 0.25}), rows * 4, 2).double()
        batch = data.batch(range(len(data.ids)))
        torch.testing.assert_close(forward(first, batch).logits, forward(other, batch).logits)
        assert not torch.equal(first.embedding.weight, other.embedding.weight)
