"""Training: weights, decay, parts of a batch, bags, which epoch is kept, when it ends, seeds."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

import made_up
from heed.errors import HeedError
from heed.models import training
from heed.models.attended import forward
from heed.params import Params
from twins import probabilities


def test_watch_sees_every_step():
    case = made_up.classifier("average", "additive")
    seen, p = [], made_up.Params(epochs=3, batch_size=4, precision="float64")
    objective = training.labels_objective(case.data.labels, False, 2)
    training.train(
        case.model, case.data, objective, lambda m: 1.0, p, watch=lambda m, step: seen.append(step)
    )
    assert seen == list(range(3 * math.ceil(len(case.data) / 4) + 1))


# Parts of a batch, bags, distinct tokens


@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_training_in_parts_is_training(encoder):
    """The gradients of a batch's parts add up to the batch's: the same model but for rounding."""
    curves, weights = [], []
    for tokens in (10_000, 20):
        case = made_up.classifier(encoder, "additive")
        p = Params(epochs=2, batch_size=4, tokens_at_once=tokens, encoder=encoder)
        objective = training.labels_objective(case.data.labels, False, 2)
        curves.append(training.train(case.model, case.data, objective, lambda model: 0.0, p))
        weights.append(torch.cat([w.flatten() for w in case.model.state_dict().values()]))
    np.testing.assert_allclose(curves[0]["loss"], curves[1]["loss"], rtol=1e-9)
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("attention", ["additive", "dot", "uniform"])
@pytest.mark.parametrize(("of", "encoder"), [("texts", "average"), ("texts", "none"), ("reader", "average")])
@pytest.mark.parametrize("attend_markers", [False, True])
def test_training_on_bags_is_training(of, encoder, attention, attend_markers):
    """A token-wise model of distinct tokens and their counts: the same curve, model and predictions."""
    curves, weights, found = [], [], []
    for bags in (False, True):
        kind = made_up.reader if of == "reader" else made_up.classifier
        case = kind(encoder, attention, attend_markers)
        data = case.data.bags() if bags else case.data
        assert (sum(map(len, data.codes)) < sum(data.lengths)) == bags  # some token stands twice in a text
        p = Params(epochs=3, batch_size=3, tokens_at_once=30, learning_rate=0.1)
        objective = training.labels_objective(data.labels, False, 5)
        curves.append(training.train(case.model, data, objective, lambda model: 0.0, p))
        weights.append(torch.cat([w.flatten() for w in case.model.state_dict().values()]))
        found.append(training.predict(case.model.eval(), data, 40))
        np.testing.assert_allclose(found[-1], training.predict(case.model, case.data, 40), atol=1e-12)
    assert curves[0]["loss"].nunique() == 3
    np.testing.assert_allclose(curves[0]["loss"], curves[1]["loss"], rtol=1e-9)
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [made_up.classifier, made_up.reader])
@pytest.mark.parametrize("attend_markers", [False, True])
def test_training_a_cnn_of_distinct_tokens_is_training(kind, attend_markers, monkeypatch):
    """Each distinct token convolved once and summed where it stands: the same curve and model."""
    curves, weights = [], []
    for distinct in (False, True):
        if not distinct:
            monkeypatch.setattr("heed.models.attended.apart", lambda model, batch: batch)
        case = kind("cnn", "additive", attend_markers)
        p = Params(epochs=3, batch_size=3, tokens_at_once=20, learning_rate=0.1)
        objective = training.labels_objective(case.data.labels, False, 5)
        curves.append(training.train(case.model, case.data, objective, lambda model: 0.0, p))
        weights.append(torch.cat([w.flatten() for w in case.model.state_dict().values()]))
        monkeypatch.undo()
    assert curves[0]["loss"].nunique() == 3
    np.testing.assert_allclose(curves[0]["loss"], curves[1]["loss"], rtol=1e-9)
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=1e-9)


# Epochs and seeds


class Scores:
    """A `select` that gives these scores in turn and keeps the weights that it saw."""

    def __init__(self, *scores: float):
        self.scores, self.seen = list(scores), []

    def __call__(self, model) -> float:
        self.seen.append({name: w.clone() for name, w in model.state_dict().items()})
        return self.scores[len(self.seen) - 1]


def trained(scores: Scores, **given) -> tuple[made_up.Case, pd.DataFrame]:
    case = made_up.three_classes()
    objective = training.labels_objective(case.data.labels, False, 3)
    p = Params(epochs=len(scores.scores), batch_size=4, learning_rate=0.01, **given)
    record = {"record": lambda model, epoch: {"ten": 10 * epoch}}
    return case, training.train(case.model, case.data, objective, scores, p, **record)


@pytest.mark.parametrize(
    "scores, first, chosen",
    [((0.1, 0.9, 0.9, 0.2), True, 2), ((0.9, 0.5), True, 1), ((0.9, 0.5, 0.4), False, 2), ((0.9,), False, 1)],
)
def test_training_keeps_the_best_epoch(scores, first, chosen):
    """The first of equals; never the first epoch where the profile says so, unless there is no other."""
    seen = Scores(*scores)
    case, curve = trained(seen, first_epoch=first)
    assert curve["epoch"][curve["chosen"]].tolist() == [chosen]
    assert curve["score"].tolist() == list(scores)
    assert curve["ten"].tolist() == [10 * epoch for epoch in curve["epoch"]]
    left = case.model.state_dict()
    assert all(torch.equal(w, left[name]) for name, w in seen.seen[chosen - 1].items())


def test_patience_begins_with_the_first_epoch_that_may_be_chosen():
    """stop_after = 1 under a profile that passes over the first epoch: the second is chosen, then it ends."""
    _, curve = trained(Scores(0.9, 0.5, 0.4, 0.6), first_epoch=False, stop_after=1)
    assert curve["epoch"].tolist() == [1, 2, 3] and curve["chosen"].tolist() == [False, True, False]


@pytest.mark.parametrize("what", ["dropout", "dropout_logits"])
def test_dropout_follows_the_seed(what):
    """Not where torch's own generator happens to stand, which is left there."""
    found = []
    for chance, seed in ((1, 0), (2, 0), (1, 1)):
        case = made_up.classifier("average", "additive")
        case.model.dropout, case.model.head.dropout = (0.5, 0.0) if what == "dropout" else (0.0, 0.5)
        objective = training.labels_objective(case.data.labels, False, 2)
        torch.manual_seed(chance)
        before = torch.random.get_rng_state()
        p = Params(epochs=2, batch_size=len(case.data), seed=seed)
        found.append(training.train(case.model, case.data, objective, lambda model: 0.0, p)["loss"].tolist())
        assert torch.equal(torch.random.get_rng_state(), before)
    assert found[0] == found[1] != found[2]


def test_training_learns_a_made_up_model():
    """Attended is all that training asks for: the three-class model fits its nine texts."""
    _, curve = trained(Scores(*np.arange(60) / 60))
    assert curve["loss"].iloc[-1] < 0.5 * curve["loss"].iloc[0]


def test_training_without_a_score():
    with pytest.raises(HeedError, match="no epoch has a score that is a number"):
        trained(Scores(np.nan, np.nan))


def test_initial_weights_follow_the_seed():
    one, again, other = (
        made_up.build(Params(seed=s, **made_up.SMALL), np.ones((5, 5)), 2).state_dict() for s in (0, 0, 1)
    )
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["decoder.weight"], other["decoder.weight"])


# The loss and what decays


def test_class_weights_are_n0_over_nc():
    """Two classes: positives weigh n_neg / n_pos, negatives 1; the loss is a sum over the batch."""
    case = made_up.classifier("average", "additive")
    labels = np.array([0, 0, 0, 1])
    batch = case.data.batch(range(4))
    output = forward(case.model, batch)
    p = probabilities(case.model.head, output.logits.detach().numpy())
    gold = batch.labels.numpy()
    each = -np.log(p[np.arange(4), gold])
    for weighted, positive in ((False, 1.0), (True, 3.0)):
        loss = training.labels_objective(labels, weighted, 2)(case.model, output, batch)
        expected = (each * np.where(gold == 1, positive, 1)).sum()
        assert float(loss.detach()) == pytest.approx(expected, rel=1e-12)
    theirs = nn.functional.binary_cross_entropy_with_logits(
        output.logits[:, 0], batch.labels.double(), pos_weight=torch.tensor(3.0), reduction="sum"
    )
    torch.testing.assert_close(loss, theirs)


def test_weights_of_three_classes():
    case = made_up.three_classes()
    batch = case.data.batch(range(3))
    output = forward(case.model, batch)
    each = -np.log(probabilities(case.model.head, output.logits.detach().numpy())[range(3), batch.labels])
    with pytest.raises(HeedError, match="class 2 has no text. Give class_weight: false"):
        training.labels_objective(np.array([0, 1, 1]), True, 3)
    loss = training.labels_objective(np.array([0, 0, 1, 2, 2, 2, 2]), True, 3)(case.model, output, batch)
    assert float(loss.detach()) == pytest.approx(float(each @ [1, 2, 0.5]), rel=1e-12)


def test_weight_decay_spares_attention():
    case = made_up.classifier("bilstm", "additive")
    p = Params(weight_decay=0.25, attention_weight_decay=0.0)
    decays = {
        id(w): group["weight_decay"]
        for group in training.optimiser(case.model, p).param_groups
        for w in group["params"]
    }
    found = {name: decays[id(w)] for name, w in case.model.named_parameters()}
    assert {name for name, decay in found.items() if decay == 0} == {
        "attention.inner.weight",
        "attention.inner.bias",
        "attention.outer.weight",
    }


# Epochs and seeds


def scored(score, **given):
    """The curve of a small model whose score after each epoch is given."""
    case, scores = made_up.classifier("none", "additive"), iter(score)
    p = Params(encoder="none", epochs=len(score), **made_up.SMALL | given)
    rates = []

    def record(model, epoch) -> dict:
        rates.append([w.detach().clone() for w in model.parameters()])
        return {}

    objective = training.labels_objective(case.data.labels, False, 2)
    return training.train(case.model, case.data, objective, lambda m: next(scores), p, record), rates


def test_training_stops_after_epochs_without_a_better_score():
    curve, _ = scored([0.5, 0.7, 0.6, 0.7, 0.6, 0.9], stop_after=3)
    assert curve["epoch"].tolist() == [1, 2, 3, 4, 5]
    assert curve["epoch"][curve["chosen"]].tolist() == [2]
    assert len(scored([0.5, 0.7, 0.6, 0.7, 0.6, 0.9])[0]) == 6


def test_the_rate_is_halved_after_an_epoch_that_is_no_better():
    flat, falling = (scored([0.5] * 8, plateau=plateau)[1] for plateau in (False, True))

    def step(weights, k):
        return sum((a - b).abs().sum() for a, b in zip(weights[k], weights[k - 1], strict=True))

    assert torch.equal(flat[1][0], falling[1][0])  # the first two epochs are alike
    assert step(falling, 7) < 0.1 * step(flat, 7)


def test_a_clipped_gradient_changes_nothing_where_it_is_short():
    free, wide, tight = (scored([0.5] * 3, clip_norm=c)[0]["loss"].tolist() for c in (None, 1e6, 1e-6))
    assert free == wide and free != tight


def test_the_epoch_is_chosen_by_accuracy_where_asked(small, tmp_path):
    run = small(tmp_path, select_by="accuracy")
    curve, dev = run.table("curve"), run.corpus.splits["dev"]
    assert np.allclose((curve["score"] * len(dev)) % 1, 0)
    assert training.accuracy(np.array([0, 1, 2]), np.eye(3)[[0, 1, 1]]) == pytest.approx(2 / 3)


# Questions


def test_accuracy_chooses_the_epoch_of_a_question():
    probs = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    assert training.accuracy(np.array([1, 0, 0]), probs) == pytest.approx(2 / 3)
    assert training.CHOOSE["qa"] == training.CHOOSE["nli"] == "accuracy"


def test_a_mean_loss_is_the_sum_over_the_batch(monkeypatch):
    """However the batch is cut: the steps are those of the summed loss divided by the batch's size."""
    seen = {}
    for mean, tokens in ((False, 10_000), (True, 10_000), (True, 12)):
        case = made_up.reader("average", "additive")
        p = Params(
            **made_up.SMALL, encoder="average", epochs=1, batch_size=9, mean_loss=mean, tokens_at_once=tokens
        )
        slopes = []
        monkeypatch.setattr(
            torch.optim.Adam, "step",
            lambda own, to=slopes: to.append([w.grad.clone() for g in own.param_groups for w in g["params"]]),
        )  # fmt: skip
        objective = training.labels_objective(case.data.labels, False, 5)
        training.train(case.model, case.data, objective, lambda model: 1.0, p)
        (seen[mean, tokens],) = slopes
    for summed, mean, cut in zip(*seen.values(), strict=True):
        torch.testing.assert_close(summed / 9, mean, rtol=1e-10, atol=1e-14)
        torch.testing.assert_close(cut, mean, rtol=1e-10, atol=1e-14)


def test_auc_is_of_the_classes_that_are_there():
    probs = np.array([[0.2, 0.8], [0.6, 0.4]])
    assert np.isnan(training.auc(np.array([1, 1]), probs))
    assert training.auc(np.array([1, 0]), probs) == 1
