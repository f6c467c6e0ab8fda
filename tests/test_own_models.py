"""Evidence of modules that heed doesn't know. Of transformers: models/test_pretrained.py."""

import numpy as np
import pytest
import torch
from scipy.special import expit
from torch import nn

import heed
from heed.evidence import Evidence, write
from heed.measures import exact
from refusals import refused

TEXTS = ["not so bad at all .".split(), "dull".split(), "a good film".split()]
CODES = {word: k for k, word in enumerate(sorted({word for text in TEXTS for word in text}))}


class Gated(nn.Module):
    """A GRU, gated attention, a decoder of two layers: what somebody else might have written."""

    def __init__(self, classes: int, deep: bool):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.read = nn.Embedding(len(CODES), 5), nn.GRU(5, 6, batch_first=True)
        self.gate, self.turn = nn.Linear(6, 1), nn.Linear(6, 4)
        self.weights = nn.Softmax(dim=1)
        layers = [nn.ReLU(), nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, classes)]
        self.decide = nn.Sequential(*layers) if deep else nn.Linear(4, classes)

    def forward(self, codes):
        states, _ = self.read(self.embed(codes))
        weights = self.weights(self.gate(states.sin()))
        return self.decide((weights * self.turn(states)).sum(1))


def inputs() -> list[torch.Tensor]:
    return [torch.tensor([[CODES[word] for word in text]]) for text in TEXTS]


PARTS = {"attention": "weights", "values": "turn", "decoder": "decide"}


@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("deep", [False, True])
def test_rows_are_the_models_own(classes, deep):
    model = Gated(classes, deep)
    found = heed.evidence_from(model, inputs(), TEXTS, labels=[1, 0, 1], **PARTS)
    twin = Gated(classes, deep).double()
    for codes, words, row in zip(inputs(), TEXTS, found, strict=True):
        with torch.no_grad():
            states, _ = twin.read(twin.embed(codes))
            weights = twin.weights(twin.gate(states.sin()))[0, :, 0].numpy()
            logits = twin(codes)[0].numpy()
        said = (
            np.r_[1 - expit(logits), expit(logits)] if classes == 1 else np.exp(logits) / np.exp(logits).sum()
        )
        np.testing.assert_allclose(row.attention, weights, atol=1e-12)
        np.testing.assert_allclose(row.prediction, said, atol=1e-12)
        assert row.units == words
        other = np.random.default_rng(0).dirichlet(np.ones(len(words)))
        with torch.no_grad():
            moved = twin.decide((torch.tensor(other)[None, :, None] * twin.turn(states)).sum(1))[0].numpy()
        moved = np.r_[1 - expit(moved), expit(moved)] if classes == 1 else np.exp(moved) / np.exp(moved).sum()
        np.testing.assert_allclose(row.probs(other), moved, atol=1e-12)
    assert found.head.one_logit is (classes == 1 and not deep), "one linear map: optima are exact"
    best = exact.optimum(found[0], 0.05)
    assert best is None or 0 <= best.jsd <= np.log(2)
    assert model.decide is not None and next(model.parameters()).dtype == torch.float32, "left as it was"


def test_scores_and_functions_do_as_well():
    by_name = heed.evidence_from(Gated(3, True), inputs(), TEXTS, **PARTS)
    how = {
        "scores": "gate",
        "values": lambda model, codes: model.turn(model.read(model.embed(codes))[0]),
        "decoder": lambda model, context: model.decide(context),
    }
    by_function = heed.evidence_from(Gated(3, True), inputs(), TEXTS, **how)
    for one, other in zip(by_name, by_function, strict=True):
        np.testing.assert_allclose(one.attention, other.attention, atol=1e-12)
        np.testing.assert_allclose(one.values, other.values, atol=1e-12)


def test_a_linear_decoder_is_saved_and_another_is_not(tmp_path):
    found = heed.evidence_from(Gated(1, False), inputs(), TEXTS, **PARTS)
    write(tmp_path / "e.arrow", found.table.to_batches(), found.head, "token")
    again = Evidence.open(tmp_path / "e.arrow")
    assert all(
        np.array_equal(a.probs(a.attention), b.probs(b.attention)) for a, b in zip(again, found, strict=True)
    )
    deep = heed.evidence_from(Gated(1, True), inputs(), TEXTS, **PARTS)
    with refused("can't be saved, unless it is one torch.nn.Linear"):
        write(tmp_path / "f.arrow", deep.table.to_batches(), deep.head, "token")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"values": "gate"}, "the decoder can't take contexts of 1 values"),
        ({"values": "turns"}, "unknown submodule 'turns'. Did you mean 'turn'?"),
        ({"values": 3}, "expected a submodule's name or a function, not a int"),
        ({"attention": None}, "give attention, or scores"),
        ({"scores": "gate"}, "give attention, or scores"),
        ({"attention": "turn"}, "attention of text 0 has shape [1, 6, 4], expected [6]"),
        ({"attention": "gate"}, "attention"),
        ({"decoder": "turn"}, "the decoder can't take contexts of 4 values"),
        (
            {"decoder": lambda model, context: model.decide(2 * context)},
            "give another prediction than the model",
        ),
        ({"labels": [1]}, "labels: 1 for 3 texts"),
        ({"labels": [1, 2, 9]}, "label: expected a whole number"),
        ({"tokens": [["a"]] * 3}, "expected [1]"),
        ({"tokens": [["a"]]}, "3 inputs for 1 texts"),
    ],
)
def test_what_does_not_fit(changes, said):
    given = {"inputs": inputs(), "tokens": TEXTS} | PARTS | changes
    with refused(said):
        heed.evidence_from(Gated(3, False), given.pop("inputs"), given.pop("tokens"), **given)


def test_something_else_takes_part():
    class More(Gated):
        def forward(self, codes):
            return super().forward(codes) + codes.shape[1]

    with refused("Something else takes part in it"):
        heed.evidence_from(More(1, False), inputs(), TEXTS, **PARTS)
    with refused("takes a torch.nn.Module, not a str"):
        heed.evidence_from("model", inputs(), TEXTS, **PARTS)
