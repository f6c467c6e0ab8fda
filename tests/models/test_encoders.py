"""Encoders: torch's packed layers, windows by hand, sentence by sentence; and what they say is so."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import made_up
from heed.corpora import tokens
from heed.corpora.batches import Encoded, pad
from heed.corpora.loading import Split
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures.conicity import conicity
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import leave_one_out
from heed.models import attended
from heed.models.attended import attended_to, forward
from heed.models.build import ASKED, build, of_bags
from heed.models.classifier import Classifier
from heed.models.encoders import (
    CNN,
    ENCODERS,
    Average,
    BiGRU,
    BiLSTM,
    BothEnds,
    Orthogonal,
    by_name,
    encoder_called,
    way_of_leaving_out,
    without_part_along,
)
from heed.params import Params


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=9), min_size=1, max_size=4),
    st.sampled_from([(1, 3, 5, 7), (3,), (1, 9)]),
)
def test_a_cnn_of_distinct_tokens_is_a_cnn(texts, widths):
    """States and gradients, of texts shorter than a window, of one token, of one text."""
    torch.manual_seed(0)
    encoder = CNN(4, Params(cnn_widths=widths, cnn_filters=3)).double()
    rows = torch.randn(7, 4, dtype=torch.float64, requires_grad=True)
    codes = pad([np.array(text) for text in texts])
    distinct, places = codes.unique(return_inverse=True)
    whole, apart = encoder(rows[codes], None), encoder(rows[distinct], None, places)
    torch.testing.assert_close(apart, whole, rtol=0, atol=1e-12)
    wanted = [rows, *encoder.parameters()]
    for a, b in zip(*(torch.autograd.grad((s**2).sum(), wanted) for s in (whole, apart)), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


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


def plain_orthogonal(net: nn.LSTM, x: np.ndarray) -> np.ndarray:
    """Mohankumar et al.'s states (T, H) of one text and direction, step by step: gates i, f, g, o."""
    w, u, b, c = (weight.detach().numpy() for weight in net.parameters())
    size = u.shape[1]
    sigmoid = lambda z: 1 / (1 + np.exp(-z))  # noqa: E731
    h, cell, states = np.zeros(size), np.zeros(size), []
    for word in x:
        i, f, g, o = (w @ word + u @ h + b + c).reshape(4, size)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(cell)
        if states:
            m = np.sum(states, axis=0)
            h = h - (h @ m) / (m @ m + 1e-6) * m
        states.append(h)
    return np.array(states)


def test_an_orthogonal_bilstm_is_the_plain_loop(ragged):
    """Of each text alone and each direction by itself; the first state is the LSTM's."""
    x, lengths = ragged
    ours = Orthogonal(3, Params(hidden=4)).double()
    found = ours(x, lengths).detach().numpy()
    usual = ours.forwards(x)[0].detach().numpy()
    for b, length in enumerate(lengths.tolist()):
        text = x[b, :length].numpy()
        ahead, behind = plain_orthogonal(ours.forwards, text), plain_orthogonal(ours.backwards, text[::-1])
        expected = np.concatenate([ahead, behind[::-1]], axis=1)
        np.testing.assert_allclose(found[b, :length], expected, rtol=0, atol=1e-13)
        np.testing.assert_allclose(found[b, 0, :4], usual[b, 0], rtol=0, atol=1e-15)


@given(st.integers(1, 12), st.integers(0, 10**6), st.sampled_from([1e-3, 1.0, 1e3]))
def test_what_is_left_is_orthogonal(size, seed, scale):
    """But for the 1e-6, whose share is 1e-6 / (m·m + 1e-6); a state is never longer than it was."""
    m, h = np.random.default_rng(seed).normal(size=(2, size))
    m = m * scale
    left = without_part_along(torch.as_tensor(m), torch.as_tensor(h)).numpy()
    share = 1e-6 / (m @ m + 1e-6)
    assert left @ m == pytest.approx((h @ m) * share, abs=1e-9 * scale)
    assert np.linalg.norm(left) <= np.linalg.norm(h) + 1e-12
    assert torch.equal(without_part_along(torch.zeros(size), torch.as_tensor(h)), torch.as_tensor(h))


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


P = Params(encoder="han", **made_up.SMALL)
DOCUMENTS = [
    "the film is good . but the film is long !",
    "dull",
    "not bad . never dull . good ? so long ' . is it",
    ". . the film",
    "good good good .",
]


def documents(classes: int = 2) -> Encoded:
    words = made_up.words(DOCUMENTS)
    labels = np.arange(len(words)) % classes
    truth = [np.array([word == "good" for word in text]) for text in words]
    split = Split([f"test-{i}" for i in range(len(words))], words, labels, truth)
    return replace(Encoded.of(split, made_up.VOCABULARY), sentences=list(tokens.sentences(words)))


def han(classes: int = 2, **other) -> Classifier:
    p = Params(**(P.model_dump() | other))
    rows = np.random.default_rng(0).standard_normal((len(made_up.VOCABULARY), p.embedding_dim))
    rows[0] = 0
    return build(p, rows, classes).double().eval()


# GRUs, embeddings alone, sentences


def test_a_bigru_is_a_packed_bidirectional_gru():
    case = made_up.classifier("gru", "additive")
    ours, batch = case.model.encoder, case.data.batch(range(len(case.data)))
    plain = nn.GRU(5, 4, batch_first=True, bidirectional=True).double()
    with torch.no_grad():
        for name, weight in ours.forwards.named_parameters():
            getattr(plain, name).copy_(weight)
        for name, weight in ours.backwards.named_parameters():
            getattr(plain, f"{name}_reverse").copy_(weight)
        x = case.model.embed(batch)
        packed = pack_padded_sequence(x, batch.lengths, batch_first=True, enforce_sorted=False)
        expected, _ = pad_packed_sequence(plain(packed)[0], batch_first=True)
        found = ours(x, batch.lengths)
    for b, length in enumerate(batch.lengths):
        torch.testing.assert_close(found[b, :length], expected[b, :length])


def test_without_an_encoder_the_states_are_the_embeddings():
    case = made_up.classifier("none", "additive")
    batch = case.data.batch([0, 1])
    embedded = case.model.embed(batch)
    assert torch.equal(case.model.encode(embedded, batch), embedded)
    fast, plain = (leave_one_out(case.model, case.data, 100, how) for how in ("fast", "plain"))
    for name in fast:
        np.testing.assert_allclose(fast[name], plain[name], atol=1e-9)


def plain_han(model, data: Encoded, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Attention over a document's sentences and its logits, sentence by sentence, without padding."""
    encoder, vectors = model.encoder, []

    def read(gru: BiGRU, x: torch.Tensor) -> torch.Tensor:
        ahead, _ = gru.forwards(x[None])
        behind, _ = gru.backwards(x.flip(0)[None])
        return torch.cat([ahead[0], behind[0].flip(0)], 1)

    with torch.no_grad():
        embedded = model.embedding(torch.from_numpy(data.codes[i][1:-1]))
        for s in range(data.sentences[i].max() + 1):
            states = read(encoder.words, embedded[data.sentences[i] == s])
            vectors.append(encoder.attention(states[None])[0].softmax(0) @ states)
        states = read(encoder.sentences, torch.stack(vectors))
        attention = model.attention(states[None])[0].softmax(0)
        return attention.numpy(), model.decoder(attention @ states).numpy()


@pytest.mark.parametrize("classes", [2, 3])
def test_han_is_the_plain_loop_over_sentences_whatever_the_batch(classes):
    model, data = han(classes), documents(classes)
    for group in ([0], [1, 2], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0]):
        batch = data.batch(group)
        output, mask = forward(model, batch), attended_to(model, batch)
        for b, i in enumerate(group):
            attention, logits = plain_han(model, data, i)
            np.testing.assert_allclose(output.attention[b][mask[b]].detach(), attention, atol=1e-12)
            np.testing.assert_allclose(output.logits[b].detach(), logits, atol=1e-12)


def test_evidence_of_han_is_of_sentences(tmp_path):
    model, data = han(), documents()
    evidence = collect(model, data, 30)
    assert evidence.unit == "sentence"
    assert evidence[0].units == ["the film is good .", "but the film is long !"]
    assert evidence[0].truth.tolist() == [True, False] and evidence[0].real.all()
    assert evidence.lengths.tolist() == [s.max() + 1 for s in data.sentences]
    np.testing.assert_allclose(evidence.predictions, collect(model, data, 1000).predictions, atol=1e-12)
    for row in evidence:
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, atol=1e-12)
    assert all(0 <= c <= 1 for c in conicity(model, data, 30).values())


@pytest.mark.parametrize("of_tokens", [gradients, leave_one_out])
def test_what_is_of_tokens_is_refused_in_one_sentence(of_tokens):
    with pytest.raises(HeedError, match="attends to sentences"):
        of_tokens(han(), documents(), 100)


def test_dropout_is_for_training_alone():
    model, data = han(dropout=0.5, dropout_sentences=0.5, dropout_logits=0.5), documents()
    batch = data.batch(range(5))
    still = forward(model, batch).logits
    assert torch.equal(still, forward(model, batch).logits)
    assert torch.equal(still, forward(han(), batch).logits)
    model.train()
    assert not torch.equal(forward(model, batch).logits, forward(model, batch).logits)
    model.eval()
    assert model.head.frozen().dropout == 0


def test_logits_are_dropped_after_the_decoder():
    model, data = han(3, dropout_logits=0.4), documents(3)
    batch = data.batch(range(5))
    whole = forward(model, batch).logits
    model.train()
    share = forward(model, batch).logits / whole
    assert ((share == 0) | torch.isclose(share, torch.tensor(1 / 0.6, dtype=share.dtype))).all()
    assert (share == 0).any()


def test_xavier_is_of_decoder_and_grus():
    model = han(3, xavier=True, hidden=6)
    gru = model.encoder.words.forwards
    for name, weight in gru.named_parameters():
        if name.startswith("bias"):
            assert (weight == 0).all()
    torch.testing.assert_close(
        gru.weight_hh_l0.T @ gru.weight_hh_l0, torch.eye(6, dtype=torch.float64), atol=1e-6, rtol=0
    )
    bound = np.sqrt(6 / (12 + 3))
    assert model.decoder.weight.abs().max() <= bound and (model.decoder.bias == 0).all()


# What they say of themselves

WIDTH = 6


def made(name: str) -> torch.nn.Module:
    """An encoder with drawn weights, of a few columns."""
    torch.manual_seed(3)
    return encoder_called(name)(WIDTH, Params(**made_up.SMALL, encoder=name)).double().eval()


def states(encoder, x: torch.Tensor) -> torch.Tensor:
    """States (B, T, H) of x (B, T, E), texts of one length; to a reader of sentences each token is one."""
    count = x.shape[1]
    where = (
        torch.arange(count).expand(len(x), -1) if encoder.unit == "sentence" else torch.full((len(x),), count)
    )
    return encoder(x, where)


def refuses(*kinds) -> str:
    with pytest.raises(HeedError) as refusal:
        by_name(*kinds)
    return str(refusal.value)


# What they say is so


@pytest.mark.parametrize("name", ENCODERS)
def test_a_state_knows_its_context_where_the_encoder_says_so(name):
    """Another token changes the states beside it, too, or its own alone."""
    encoder, x = made(name), torch.randn(1, 5, WIDTH, dtype=torch.float64)
    other = x.clone()
    other[0, 2] += 1
    with torch.no_grad():
        moved = (states(encoder, x) != states(encoder, other)).any(2)[0]
    assert moved[2]
    assert moved[[1, 3]].any() == encoder.contextual
    assert encoder.contextual or not moved[[0, 1, 3, 4]].any()


@pytest.mark.parametrize("name", ENCODERS)
def test_a_bag_has_no_order_where_the_encoder_says_so(name):
    """Tokens in the opposite order have the same states in the opposite order, or others."""
    encoder, x = made(name), torch.randn(1, 5, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        same = torch.allclose(states(encoder, x).flip(1), states(encoder, x.flip(1)), rtol=0, atol=1e-12)
    assert same == encoder.of_bags == of_bags(Params(encoder=name))


@pytest.mark.parametrize("name", ENCODERS)
def test_a_question_is_read_where_the_encoder_says_so(name):
    p = Params(**made_up.SMALL, encoder=name)
    rows = torch.zeros(len(made_up.VOCABULARY), p.embedding_dim).numpy()
    if encoder_called(name).reads_questions:
        assert build(p, rows, 3, "qa").query_encoder.size
    else:
        with pytest.raises(HeedError, match=f"{name} answers nothing, it classifies") as refusal:
            build(p, rows, 3, "qa")
        assert str(ASKED) in str(refusal.value)


def test_how_far_a_window_reaches():
    encoder = CNN(WIDTH, Params(cnn_widths=(1, 3, 9)))
    assert (encoder.reach, Average.reach) == (4, 0)


@pytest.mark.parametrize("name", made_up.OF_TOKENS)
def test_distinct_tokens_are_read_where_the_encoder_says_so(name):
    case = made_up.classifier(name, "additive")
    batch = attended.apart(case.model.train(), case.data.batch([0, 1]))
    assert (batch.distinct is not None) == encoder_called(name).reads_distinct
    case.model.encode(case.model.embed(batch), batch)


def test_leave_one_out_asks_the_encoder(monkeypatch):
    """One that says `plain` is left to the plain form, whatever it is."""
    assert {name: way_of_leaving_out(made(name)) for name in ENCODERS} == {
        "bilstm": "reread",
        "average": "window",
        "cnn": "window",
        "gru": "plain",
        "none": "window",
        "han": "plain",
        "transformer": "plain",
        "orthogonal": "plain",
    }
    case, plain = made_up.classifier("cnn", "dot"), []
    monkeypatch.setattr("heed.measures.leave_one_out._plain", lambda *given: plain.append(given) or {})
    leave_one_out(case.model, case.data, 100)
    assert not plain
    monkeypatch.setattr(CNN, "left_out", "plain")
    leave_one_out(case.model, case.data, 100)
    assert len(plain) == 1


def test_what_is_made_from_an_encoder_is_left_to_the_plain_form():
    """So the states that a BiLSTM with attention `last` has, a module of one's own, and no encoder."""
    both = BothEnds(WIDTH, Params(**made_up.SMALL))
    assert isinstance(both, BiLSTM)
    assert [way_of_leaving_out(e) for e in (both, torch.nn.Identity(), None)] == ["plain"] * 3


# Names


def test_an_unknown_encoder_is_one_sentence():
    with pytest.raises(HeedError, match="unknown encoder 'bilstn'. Did you mean 'bilstm'?") as refusal:
        encoder_called("bilstn")
    assert "\n" not in str(refusal.value)
    assert encoder_called("cnn") is CNN


def test_figures_show_them_in_this_order():
    assert list(ENCODERS) == [
        *("bilstm", "average", "cnn", "gru", "none", "han", "transformer", "orthogonal")
    ]
    assert all(kind.name == name for name, kind in ENCODERS.items())


def test_an_encoder_declared_twice_is_refused():
    """Its name, or what figures call it: a class made from another has both until it says otherwise."""

    class Same(CNN):
        label = "another CNN"

    class Alike(CNN):
        name = "cnn2"

    class Apart(Alike):
        label = "another CNN"

    assert refuses(CNN, Same) == "two encoders have the name 'cnn'. Give each one of its own."
    assert refuses(CNN, Alike) == "two encoders have the label 'CNN'. Give each one of its own."
    assert list(by_name(CNN, Apart)) == ["cnn", "cnn2"]


def test_what_heed_does_not_know_is_refused():
    class Odd(CNN):
        unit = "tokens"

    class Quick(CNN):
        left_out = "windows"

    assert "unknown unit of encoder cnn: 'tokens'. Did you mean 'token'?" in refuses(Odd)
    assert "unknown way of leaving out of encoder cnn: 'windows'. Did you mean 'window'?" in refuses(Quick)
