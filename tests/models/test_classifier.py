"""The classifier and its baselines by hand."""

import numpy as np
import pytest
import torch

import made_up
from heed.evidence import collect
from heed.models.attentions import ATTENTIONS
from twins import probabilities, weighed

BUDGET = 50


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_by_hand(attention, classes):
    """ŷ = σ(θ · Σ a_t h_t + b) or the softmax: values and shift change nothing in that."""
    case = made_up.classifier("bilstm", attention, classes=classes)
    batch = case.data.batch([0])
    states = case.model.encode(case.model.embed(batch), batch).detach()[0, 1:-1].numpy()
    scores = case.model.scores(torch.as_tensor(states)[None], batch).detach().numpy()[0]
    a = weighed(attention, scores)
    weight, bias = (w.detach().numpy() for w in case.model.decoder.parameters())
    logits = weight @ (a @ states) + bias
    row = collect(case.model, case.data, BUDGET)[0]
    np.testing.assert_allclose(row.attention, a, rtol=0, atol=1e-14)
    np.testing.assert_allclose(row.prediction, probabilities(case.model.head, logits), rtol=0, atol=1e-14)


@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_baselines_by_hand(encoder):
    """Uniform attention decodes the mean state; the last state is a BiLSTM's own two ends."""
    for attention in ("uniform", "last"):
        case = made_up.classifier(encoder, attention)
        for i, row in enumerate(collect(case.model, case.data, BUDGET)):
            batch = case.data.batch([i])
            x = case.model.embed(batch)
            states = case.model.encode(x, batch).detach()[0, 1:-1]
            context = states.mean(0) if attention == "uniform" else states[-1]
            if (encoder, attention) == ("bilstm", "last"):  # each end has read one marker and every token
                ahead = case.model.encoder.forwards(x[:, :-1])[1][0][0, 0]
                behind = case.model.encoder.backwards(x[:, 1:].flip(1))[1][0][0, 0]
                context = torch.cat([ahead, behind])
            p = torch.sigmoid(case.model.decoder(context))[0].item()
            assert row.prediction[1] == pytest.approx(p, abs=1e-12)
