"""Encoders say once what they are: what they say is so, and two can't say the same."""

import pytest
import torch

import made_up
from heed.errors import HeedError
from heed.measures.leave_one_out import leave_one_out
from heed.models import attended
from heed.models.build import ASKED, build, of_bags
from heed.models.encoders import (
    CNN,
    ENCODERS,
    Average,
    BiLSTM,
    BothEnds,
    by_name,
    encoder_called,
    way_of_leaving_out,
)
from heed.params import Params

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
    assert list(ENCODERS) == ["bilstm", "average", "cnn", "gru", "none", "han"]
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
