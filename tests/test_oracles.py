"""Plain twins: what the library computes, once more, from the papers' algorithms or by scipy and torch.

Nothing here calls the function that it checks, or helpers of it: the twins are slow and obvious.
"""

import io
import itertools
import tarfile
import zipfile

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.spatial.distance import jensenshannon
from scipy.stats import kendalltau
from sklearn.metrics import roc_auc_score
from torch import nn

import made_up
from heed.corpora import classification, planted
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import correlation, stats
from heed.measures import gradients as measures_gradients
from heed.measures.divergence import jsd, tvd
from heed.measures.kendall import kendall
from heed.measures.leave_one_out import change, leave_one_out
from heed.models import training
from heed.models.attended import attended_to, forward
from heed.models.attentions import ATTENTIONS, Additive, Dot
from heed.models.encoders import CNN, Average, BiLSTM
from heed.params import Params, resolve

BUDGET = 50


def probabilities(head, logits: np.ndarray) -> np.ndarray:
    """exp(z) / sum exp(z), or 1 / (1 + exp(-z)) in two columns, by numpy."""
    if head.link == "sigmoid":
        p = 1 / (1 + np.exp(-logits))
        return np.concatenate([1 - p, p], -1)
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# Encoders


@pytest.fixture
def ragged():
    """Five embedded texts of 1 to 9 tokens, padded with zeros, and their lengths."""
    torch.manual_seed(1)
    lengths = torch.tensor([4, 9, 1, 2, 6])
    x = torch.randn(5, 9, 3, dtype=torch.float64)
    return x * (torch.arange(9) < lengths[:, None])[:, :, None], lengths


def test_bilstm_is_torch_packed(ragged):
    """Two LSTMs and a reversal equal one packed bidirectional LSTM of the same weights."""
    x, lengths = ragged
    ours = BiLSTM(3, Params(hidden=4)).double()
    theirs = nn.LSTM(3, 4, bidirectional=True, batch_first=True).double()
    for name, weight in ours.forwards.named_parameters():
        getattr(theirs, name).data = weight.data.clone()
    for name, weight in ours.backwards.named_parameters():
        getattr(theirs, f"{name}_reverse").data = weight.data.clone()
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    found = ours(x, lengths)
    for b, length in enumerate(lengths):
        torch.testing.assert_close(found[b, :length], expected[b, :length], rtol=0, atol=1e-14)


def test_cnn_is_a_window_over_each_text_alone(ragged):
    """Each state: ReLU of the filters on the window around its token, zeros beyond the text's ends."""
    x, lengths = ragged
    widths = (1, 3, 5)
    ours = CNN(3, Params(cnn_filters=2, cnn_widths=widths)).double()
    found = ours(x, lengths).detach().numpy()
    for b, length in enumerate(lengths.tolist()):
        for t in range(length):
            state = []
            for width, layer in zip(widths, ours.filters, strict=True):
                window = np.zeros((width, 3))
                for k in range(width):
                    if 0 <= t + k - width // 2 < length:
                        window[k] = x[b, t + k - width // 2]
                for weight, bias in zip(layer.weight.detach().numpy(), layer.bias.detach(), strict=True):
                    state.append(max(float((weight.T * window).sum() + bias), 0.0))
            np.testing.assert_allclose(found[b, t], state, rtol=0, atol=1e-14)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_average_is_a_projection_of_each_token(ragged, activation):
    x, lengths = ragged
    ours = Average(3, Params(average_dim=4, average_activation=activation)).double()
    weight, bias = (w.detach().numpy() for w in ours.project.parameters())
    act = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh}[activation]
    np.testing.assert_allclose(ours(x, lengths).detach(), act(x.numpy() @ weight.T + bias), atol=1e-14)


# Attention


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


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_by_hand(attention, classes):
    """ŷ = σ(θ · Σ a_t h_t + b) or the softmax: values and shift change nothing in that."""
    case = made_up.classifier("bilstm", attention, classes=classes)
    batch = case.data.batch([0])
    states = case.model.encode(case.model.embed(batch), batch).detach()[0, 1:-1].numpy()
    scores = case.model.scores(torch.as_tensor(states)[None], batch).detach().numpy()[0]
    a = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
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


# What a word left out changes


def test_change_is_the_difference_of_probabilities():
    """Δŷ of a binary task is |p - p without the word|; of three classes half the sum."""
    for case in (made_up.classifier("cnn", "dot"), made_up.three_classes(), made_up.asking()):
        logits = leave_one_out(case.model, case.data, BUDGET)
        evidence = collect(case.model, case.data, BUDGET)
        changed = change(evidence, logits)
        for row in evidence:
            p = probabilities(case.model.head, logits[row.id])
            if case.model.head.link == "sigmoid":
                expected = np.abs(p[:, 1] - row.prediction[1])
            else:
                allowed = slice(None) if row.allowed is None else row.allowed
                expected = np.abs(p - row.prediction[allowed]).sum(1) / 2
            np.testing.assert_allclose(changed[row.id], expected, rtol=0, atol=1e-14)


def test_a_tiny_change_has_no_noise():
    """In a text of peaked attention most words change 1e-8: nine digits of that reach the noise of 1e-16."""
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, BUDGET)
    row = next(row for row in evidence if len(row.attention) >= 4)
    logit = np.log(row.prediction[1] / row.prediction[0])
    moved = 1e-8 * np.resize([1, 1, 2, 2], len(row.attention))
    logits = leave_one_out(case.model, case.data, BUDGET)
    noise = 1e-15 * np.resize([1, -1], len(moved))
    changed = change(evidence, logits | {row.id: (logit + moved + noise)[:, None]})
    assert len(set(changed[row.id])) == 2


# Gradients

STEP = 1e-5


def target(model, logits: np.ndarray, label: int, of: str, chosen: int | None) -> float:
    """What is differentiated, by numpy; `chosen` is the class that the model predicted."""
    p = probabilities(model.head, logits)
    if of == "loglik":
        return float(np.log(p[label]))
    if model.head.link == "sigmoid":
        return float(p[1] if of == "prob" else logits[0])
    return float(p[chosen] if of == "prob" else logits[chosen])


def readout(model, context: np.ndarray, batch) -> np.ndarray:
    """The logits of a context (1, D)."""
    return model.head.logits(context, model.shift(batch), batch.allowed)[0].detach().numpy()


def slopes(model, batch, of: str, wrt: str, live: bool = False) -> np.ndarray:
    """Central differences, position by position, for a batch of one text, shape (T,)."""
    with torch.no_grad():
        embedded = model.embed(batch)
        base = forward(model, batch)
        chosen = int(base.logits.argmax())
        label = int(batch.labels[0])

        def at(embedded, weights) -> float:
            values = model.values(model.encode(embedded, batch))[0].numpy()
            return target(model, readout(model, weights @ values, batch), label, of, chosen)

        def own(embedded) -> np.ndarray:
            scores = model.scores(model.encode(embedded, batch), batch)[0].numpy()
            e = np.where(attended_to(model, batch)[0].numpy(), np.exp(scores), 0)
            return e / e.sum()

        found = []
        for t in range(batch.codes.shape[1]):
            ends = []
            for sign in (1, -1):
                if wrt == "attention":
                    weights = base.attention[0].numpy().copy()
                    weights[t] += sign * STEP
                    ends.append(at(embedded, weights[None]))
                else:  # along E[w] itself, for the one-hot's own entry
                    moved = embedded.clone()
                    moved[0, t] *= 1 + sign * STEP
                    ends.append(at(moved, own(moved)[None] if live else base.attention.numpy()))
            found.append((ends[0] - ends[1]) / (2 * STEP))
    return np.array(found)


@pytest.mark.parametrize("of", ["prob", "logit", "loglik"])
@pytest.mark.parametrize("wrt", ["token", "gate", "attention"])
def test_gradient_is_the_finite_difference(case, of, wrt):
    """Attention frozen, however contextual the encoder; values near 1 are differentiated to 1e-9."""
    i = 3 if case.name == "asking" and of == "loglik" else 0  # of which the label is allowed
    batch = case.data.batch([i])
    expected = slopes(case.model, batch, of, wrt)
    found = measures_gradients.gradient(case.model, batch, of=of, wrt=wrt)[0]
    expected = np.abs(expected) if wrt == "token" else expected
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert np.abs(found[1:-1]).max() > 1e-6


def test_live_gradient_is_the_finite_difference(case):
    batch = case.data.batch([0])
    expected = slopes(case.model, batch, "prob", "gate", live=True)
    found = measures_gradients.gradient(case.model, batch, wrt="gate", attention="live")[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_detached_and_live_gradients_differ(case):
    """In every model here the scores depend on the embedding, so the two are two numbers."""
    batch = case.data.batch([0])
    detached, live = (
        measures_gradients.gradient(case.model, batch, attention=a)[0] for a in ("detached", "live")
    )
    assert np.abs(detached - live)[1:-1].max() > 1e-4 * np.abs(detached).max()


def test_detached_gradient_of_a_token_alone():
    """MATH, section 10: with Average and detached attention, g_t = p (1 - p) a_t |E[w]·dr_t/de_t|.

    Attention times ten is gradient times ten, exactly because nothing flows through the attention.
    """
    case = made_up.classifier("average", "additive")
    batch, row = case.data.batch([0]), collect(case.model, case.data, BUDGET)[0]
    embedded = case.model.embed(batch).detach().requires_grad_()
    values = case.model.values(case.model.encode(embedded, batch))
    (slope,) = torch.autograd.grad(values.sum(), embedded)
    own = (slope * embedded).sum(2)[0, 1:-1].abs().detach().numpy()
    p = row.prediction[1]
    found = measures_gradients.gradient(case.model, batch)[0, 1:-1]
    np.testing.assert_allclose(found, p * (1 - p) * row.attention * own, rtol=1e-10)


def test_gradients_of_a_split_are_those_of_each_text(case):
    found = measures_gradients.gradients(case.model, case.data, BUDGET)
    for i, name in enumerate(case.data.ids):
        alone = measures_gradients.gradient(case.model, case.data.batch([i]))[0, 1:-1]
        np.testing.assert_allclose(found[name], alone, rtol=0, atol=1e-13)


def test_gradient_at_padding_is_zero(case):
    batch = case.data.batch([0, 1])
    for wrt in ("token", "gate", "attention"):
        assert (measures_gradients.gradient(case.model, batch, wrt=wrt)[1, 3:] == 0).all()


# Divergences


@pytest.mark.parametrize("classes", [2, 3, 30])
def test_jsd_and_tvd_by_hand(classes):
    rng = np.random.default_rng(classes)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(classes) / 2, size=2)
        p[rng.integers(classes)] = 0
        p /= p.sum()
        m = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        kl = [sum(x * np.log(x / y) for x, y in zip(one, m, strict=True) if x > 0) for one in (p, q)]
        assert jsd(p, q) == pytest.approx(sum(kl) / 2, rel=1e-12, abs=1e-15)
        assert jsd(p, q) == pytest.approx(jensenshannon(p, q, base=np.e) ** 2, rel=1e-9, abs=1e-12)
        assert tvd(p, q) == pytest.approx(sum(max(a - b, 0) for a, b in zip(p, q, strict=True)), abs=1e-15)


def test_jsd_of_disjoint_one_hots_is_ln_2():
    one, other = np.eye(4)[0], np.eye(4)[2]
    assert jsd(one, other) == np.log(2) and tvd(one, other) == 1
    assert jsd(one, one) == 0 and tvd(one, one) == 0


def test_binary_tvd_is_the_difference_of_the_positive_probability():
    p, q = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[0.7, 0.3], [1.0, 0.0]])
    np.testing.assert_allclose(tvd(p, q), [0.5, 0], rtol=0, atol=1e-16)


# Ranks and the planted truth


def test_kendall_is_scipy_with_ties():
    rng = np.random.default_rng(0)
    for length in (2, 5, 30, 200):
        a, b = rng.integers(0, 6, size=(2, length)).astype(float)
        expected = kendalltau(a, b)
        assert kendall(a, b) == pytest.approx((expected.statistic, expected.pvalue), nan_ok=True), length


def test_kendall_counts_pairs():
    """τ-b from its definition: concordant less discordant over the geometric mean of the untied."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 4, size=(2, 25)).astype(float)
    pairs = list(itertools.combinations(range(25), 2))
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i, j in pairs]
    untied = [sum(s[k] != 0 for s in signs) for k in (0, 1)]
    expected = sum(x * y for x, y in signs) / np.sqrt(untied[0] * untied[1])
    assert kendall(a, b)[0] == pytest.approx(expected, abs=1e-14)


def test_kendall_takes_noise_for_ties():
    """Equal words differ by noise of 1e-16 or so; ranks must not see it."""
    a = np.array([0.1, 0.1 * (1 + 1e-13), 0.3, 0.4])
    b = np.array([3.0, 3.0, 2.0, 1.0])
    assert kendall(a, b) == kendall(np.array([0.1, 0.1, 0.3, 0.4]), b)


@pytest.mark.parametrize("a", [[], [0.5], [0.5, 0.5, 0.5]])
def test_kendall_undefined(a):
    tau, p = kendall(np.array(a), np.arange(len(a), dtype=float))
    assert np.isnan(tau) and np.isnan(p)


def test_precision_at_truth_is_the_mean_over_all_tie_breaks():
    """Exact, by every order of the tokens: sort by score, ties in that order, take the first |truth|."""
    rng = np.random.default_rng(2)
    for _ in range(15):
        score = rng.integers(0, 3, size=6).astype(float)
        deciding = rng.permutation(np.arange(6) < rng.integers(1, 6))
        k = int(deciding.sum())
        shares = []
        for order in itertools.permutations(range(6)):
            ranked = sorted(order, key=lambda t: -score[t])  # stable: ties stay in `order`
            shares.append(deciding[ranked[:k]].mean())
        assert correlation.precision_at_truth(deciding, score) == pytest.approx(np.mean(shares), abs=1e-12)


def test_truth_table_by_hand():
    """AUROC counts pairs, ties half; where all or none decide, both are undefined."""
    case = made_up.classifier("bilstm", "additive")
    evidence = collect(case.model, case.data, BUDGET)
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    table = correlation.truth(
        evidence, made_up.ranked(evidence, gradients, leave_one_out(case.model, case.data, BUDGET))
    ).set_index("id")
    for row in evidence:
        found = table.loc[row.id, "auroc_gradient"]
        inside, outside = gradients[row.id][row.truth], gradients[row.id][~row.truth]
        if len(outside) == 0:
            assert np.isnan(found) and np.isnan(table.loc[row.id, "precision_gradient"])
        else:
            close = [[0.5 if np.isclose(x, y, rtol=1e-8) else x > y for y in outside] for x in inside]
            assert found == pytest.approx(np.mean(close), abs=1e-12)
            assert found == pytest.approx(roc_auc_score(row.truth, gradients[row.id].round(12)), abs=1e-9)


# Summaries


def test_bootstrap_interval_brackets_the_mean_and_repeats():
    values = np.random.default_rng(3).normal(0.3, 0.2, size=80)
    low, high = stats.interval(values, 500, seed=1)
    assert low < values.mean() < high
    assert (low, high) == stats.interval(values, 500, seed=1)
    assert (low, high) != stats.interval(values, 500, seed=2)
    # The normal approximation, 1.96 standard errors, is within a tenth of its width here.
    half = 1.96 * values.std() / np.sqrt(80)
    np.testing.assert_allclose([low, high], [values.mean() - half, values.mean() + half], atol=0.2 * half)


def test_bootstrap_interval_of_next_to_nothing():
    assert stats.interval(np.array([0.5]), 10, 0) == (0.5, 0.5)
    assert stats.interval(np.array([0.5, 0.5]), 10, 0) == (0.5, 0.5)
    assert np.isnan(stats.interval(np.array([]), 10, 0)).all()


def test_summary_counts_by_hand():
    """Undefined are counted, std has ddof 0, significance is a share of the defined, classes as predicted."""
    table = pd.DataFrame(
        {
            "predicted": [0, 0, 0, 1],
            "tau": [0.1, 0.3, np.nan, -0.5],
            "p_tau": [0.05, 0.06, np.nan, 0.01],
            "plain": [1.0, 1.0, 1.0, 0.0],
        }
    )
    found = stats.summarise(table, ["tau", "plain"], 20, 0, 0.05).set_index(["measure", "class"])
    zero, overall = found.loc[("tau", "0")], found.loc[("tau", "overall")]
    assert (zero["n"], zero["undefined"], zero["mean"]) == (3, 1, pytest.approx(0.2))
    assert zero["std"] == pytest.approx(0.1) and zero["significant"] == 0.5
    assert (overall["n"], overall["undefined"]) == (4, 1)
    assert overall["mean"] == pytest.approx(-0.1 / 3) and overall["significant"] == pytest.approx(2 / 3)
    assert np.isnan(found.loc[("plain", "overall"), "significant"])


def test_over_seeds_by_hand():
    summaries = pd.DataFrame(
        {
            "measure": "tau",
            "seed": [0, 1, 2],
            "mean": [0.1, 0.4, 0.1],
            "std": [0.2, 0.2, 0.5],
            "significant": [0.0, 0.5, 1.0],
            "undefined": [1, 0, 2],
        }
    )
    (row,) = stats.over_seeds(summaries, ["measure"]).to_dict("records")
    expected = {"measure": "tau", "seeds": 3, "lowest": 0.1, "highest": 0.4, "undefined": 3}
    assert expected.items() <= row.items()
    assert row["mean"] == pytest.approx(0.2) and row["std"] == pytest.approx(0.3)
    assert row["significant"] == pytest.approx(0.5)


# Training's own numbers


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


# Corpora whose truth is known: a solver that reads nothing but the words


def solve(words: list[str], classes: int) -> tuple[int, list[bool]]:
    """Label and truth by the docstring of heed.made, from the words alone.

    A phrase is [negator] [intensifier] WORD; it adds 1 to its word's class, 2 with an intensifier, the
    negative of that after a negator. The class with the highest sum wins.
    """
    kinds = {
        w: k
        for k, name in enumerate(("negative", "positive", "strange", "funny"))
        for w in planted.LEXICON[name]
    }
    sums, truth = [0] * classes, [False] * len(words)
    for t, word in enumerate(words):
        if word not in kinds:
            continue
        amount, start = 1, t
        if start > 0 and words[start - 1] in ("very", "truly", "utterly"):
            amount, start = 2, start - 1
        if start > 0 and words[start - 1] in ("not", "never", "hardly"):
            amount, start = -amount, start - 1
        sums[kinds[word]] += amount
        truth[start : t + 1] = [True] * (t + 1 - start)
    (label,) = [c for c, s in enumerate(sums) if s == max(sums)]
    return label, truth


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_planted_labels_follow_from_the_words(classes, sentences):
    p = Params(classes=classes, sentences=sentences, planted_words=4)
    _, texts, labels, truth = planted.make("planted", p, "train", 80)
    for words, label, deciding in zip(texts, labels, truth, strict=True):
        assert solve(words, classes) == (label, deciding.tolist())
        assert sum(w in {x for l in planted.LEXICON.values() for x in l} for w in words) == 4
        assert words.count(".") == sentences and words[-1] == "."
    assert set(labels) == set(range(classes))


def test_planted_truth_is_the_only_place_of_its_words():
    """Filler holds none of the words that decide, so nothing outside the truth can tell the label."""
    filler = {*planted.NEUTRAL, *planted.NOUNS, *planted.VERBS, *planted.PREPOSITIONS, "the", "and", "."}
    telling = {w for l in planted.LEXICON.values() for w in l} | {*planted.NEGATORS, *planted.INTENSIFIERS}
    assert not filler & (telling | set(planted.INDICATORS))
    assert len({w for l in planted.LEXICON.values() for w in l}) == sum(map(len, planted.LEXICON.values()))
    _, texts, _, truth = planted.make("planted", Params(), "train", 50)
    for words, deciding in zip(texts, truth, strict=True):
        assert all((w in telling) == d for w, d in zip(words, deciding, strict=True))
        assert set(words) <= filler | telling


def test_planted_parameters_do_what_they_say():
    _, texts, _, _ = planted.make("planted", Params(negation=0.0, intensifiers=1.0), "train", 40)
    assert not {"not", "never", "hardly"} & {w for words in texts for w in words}
    assert all(sum(w in planted.INTENSIFIERS for w in words) == 3 for words in texts)
    _, long, _, _ = planted.make("planted", Params(made_length=60), "train", 200)
    assert np.mean([len(words) for words in long]) == pytest.approx(60, rel=0.1)


@pytest.mark.parametrize("sentences", [1, 2])
def test_indicator_is_positive_where_its_word_occurs(sentences):
    p = Params(corpus="indicator", sentences=sentences)
    _, texts, labels, truth = planted.make("indicator", p, "train", 300)
    for words, label, deciding in zip(texts, labels, truth, strict=True):
        found = [w in ("insulin", "metformin", "glucometer", "dialysis") for w in words]
        assert found == deciding.tolist() and sum(found) == label
    assert labels.mean() == pytest.approx(p.indicator_share, abs=0.07)


class Impatient:
    """A generator that fails after so many draws: what never ends, ends here."""

    def __init__(self, draws: int):
        self.left, self.rng = draws, np.random.default_rng(0)

    def __getattr__(self, name):
        self.left -= 1
        assert self.left > 0, "no label in all these draws: this would go on for ever"
        return getattr(self.rng, name)


def test_planted_parameters_that_allow_no_label():
    """One negated word and three classes: two classes always tie at 0, and no text can have a label."""
    with pytest.raises(HeedError, match="negation"):
        planted.planted(Impatient(20_000), Params(classes=3, planted_words=1, negation=1.0))


@pytest.mark.parametrize("name", planted.MAKERS)
def test_made_texts_follow_their_data_seed(name):
    one, again, other = (planted.make(name, Params(data_seed=s), "dev", 20) for s in (0, 0, 1))
    assert one[1] == again[1] and one[2].tolist() == again[2].tolist()
    assert one[1] != other[1]
    train = planted.make(name, Params(), "train", 20)
    assert train[1] != one[1], "splits have streams of their own"
    assert train[0][0] == "train-0" and one[0][0] == "dev-0"
    more = planted.make(name, Params(), "dev", 30)
    assert more[1][:20] == one[1], "a larger split begins with the smaller one's texts"


def test_made_texts_do_not_follow_the_seed():
    assert (
        planted.make("planted", Params(seed=0), "dev", 5)[1]
        == planted.make("planted", Params(seed=1), "dev", 5)[1]
    )


# Readers, on small files written by hand


def archive(path, trees: dict[str, list[str]]):
    """A zip in the form of the Stanford trees."""
    with zipfile.ZipFile(path, "w") as file:
        for split, lines in trees.items():
            file.writestr(f"trees/{split}.txt", "".join(line + "\n" for line in lines))
    return path


def test_sst_trees(tmp_path):
    """Root labels 0-1 and 3-4 count, 2 goes; leaves are the text; brackets and punctuation go."""
    trees = {
        "train": [
            "(4 (2 The) (4 (3 best) (2 film)))",
            "(2 (2 Neither) (2 here))",
            "(0 (1 Not) (2 -LRB-) (2 (2 at) (2 all)) (2 -RRB-) (2 !))",
            "(1 (2 It) (1 (2 's) (1 (1 n't) (2 well-made))))",
        ],
        "dev": ["(3 (2 A) (3 treat))"],
        "test": ["(3 1)", "(0 (2 caf\u00e9) (0 \\/))"],
    }
    rows = list(classification.read_sst(archive(tmp_path / "t.zip", trees)))
    assert [(split, id, text.split(), label) for split, id, text, label in rows] == [
        ("train", "train-0", ["The", "best", "film"], 1),
        ("train", "train-2", ["Not", "at", "all"], 0),
        ("train", "train-3", ["It", "s", "n", "t", "well", "made"], 0),
        ("dev", "dev-0", ["A", "treat"], 1),
        ("test", "test-0", ["1"], 1),
        ("test", "test-1", ["caf\u00e9"], 0),
    ]


def test_imdb_reviews(tmp_path):
    """Labels from the folders; 80 % of the training half train, 20 % of the test half test; no overlap."""
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        for half, label, n in itertools.product(("train", "test"), ("neg", "pos"), range(10)):
            block = f"{label} review {n} of {half}<br />the end".encode()
            info = tarfile.TarInfo(f"aclImdb/{half}/{label}/{n}_{9 if label == 'pos' else 2}.txt")
            info.size = len(block)
            file.addfile(info, io.BytesIO(block))
        file.addfile(tarfile.TarInfo("aclImdb/train/unsup/0_0.txt"))
    rows = pd.DataFrame(classification.read_imdb(path), columns=["split", "id", "text", "label"])
    assert rows["split"].value_counts().to_dict() == {"train": 16, "dev": 4, "test": 4}
    assert rows["id"].is_unique
    assert (rows["label"] == rows["text"].str.startswith("pos").astype(int)).all()
    assert (rows["text"].str.contains("of test") == (rows["split"] == "test")).all()
    assert rows["text"].str.endswith(" the end").all()


def test_profiles_of_sst_in_words():
    """What MATH and the paper's description say of each profile, as resolved for SST."""
    paper, paper2019, site = (
        resolve({"corpus": "sst", "profile": p}) for p in ("paper", "paper2019", "site")
    )
    assert (paper.vocabulary_from, paper2019.vocabulary_from, site.vocabulary_from) == (
        "train",
        "all",
        "train",
    )
    assert (paper.select_on, paper2019.select_on, site.select_on) == ("dev", "test", "dev")
    assert [p.first_epoch for p in (paper, paper2019, site)] == [True, False, False]
    assert [p.cnn_filters for p in (paper, paper2019, site)] == [64, 32, 32]
    assert [(p.average_dim, p.average_activation) for p in (paper, site)] == [(256, "relu"), (128, "tanh")]
    assert [p.attention_weight_decay for p in (paper, site)] == [1e-5, 0]
    for p in (paper, paper2019, site):
        assert (p.batch_size, p.epochs, p.learning_rate, p.weight_decay) == (32, 8, 1e-3, 1e-5)
        assert (p.hidden, p.embedding_dim, p.longer_than, p.min_df) == (128, 300, 5, 1)
