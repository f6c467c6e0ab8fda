"""What mends attention: each term by hand, its gradient, what is the same without it, and what can't be."""

from itertools import count

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr, softmax

import made_up
from heed.evidence import collect
from heed.models import repairs, training
from heed.models.attended import attended_to, forward
from heed.models.build import build
from heed.params import REPAIRING, Params, resolve
from refusals import refused

SIZES = made_up.SMALL | {"embedding_dim": 8}  # a BiLSTM's states are as wide


def classifier(encoder: str = "bilstm", classes: int = 2, **given_) -> made_up.Case:
    p = Params(**SIZES | {"encoder": encoder} | given_)
    rows = np.random.default_rng(0).standard_normal((len(made_up.VOCABULARY), p.embedding_dim))
    rows[0] = 0
    return made_up.Case(encoder, build(p, rows, classes).double(), made_up.encoded(classes))


def term(case: made_up.Case, name: str, texts=None) -> np.ndarray:
    batch = case.data.batch(range(len(case.data)) if texts is None else texts)
    return repairs.TERMS[name](case.model, forward(case.model, batch), batch).detach().numpy()


def states_of(case: made_up.Case, i: int) -> tuple[np.ndarray, np.ndarray]:
    """States and vectors of a text's words, read alone."""
    batch = case.data.batch([i])
    with torch.no_grad():
        embedded = case.model.embed(batch)
        return case.model.encode(embedded, batch)[0, 1:-1].numpy(), embedded[0, 1:-1].numpy()


def test_every_repair_has_its_term():
    assert [*repairs.TERMS] == [*REPAIRING]


# By hand


@pytest.mark.parametrize("encoder", ["bilstm", "orthogonal", "cnn", "average"])
def test_conicity_by_hand(encoder):
    case = classifier(encoder)
    for i, found in enumerate(term(case, "conicity_weight")):
        h, _ = states_of(case, i)
        mean = h.mean(0)
        cosines = [abs(s @ mean) / np.linalg.norm(s) / np.linalg.norm(mean) for s in h]
        assert found == pytest.approx(np.mean(cosines), abs=1e-12)


@pytest.mark.parametrize("encoder", ["bilstm", "orthogonal"])
def test_tying_by_hand(encoder):
    """Over real words alone: neither markers nor padding count."""
    case = classifier(encoder, tying=1)
    for i, found in enumerate(term(case, "tying")):
        h, e = states_of(case, i)
        assert found == pytest.approx(np.mean([np.linalg.norm(a - b) for a, b in zip(h, e, strict=True)]))


def test_without_an_encoder_nothing_is_to_be_tied():
    assert (term(classifier("none", tying=1), "tying") == 0).all()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("attend_markers", [False, True])
def test_erasure_by_hand(classes, attend_markers):
    """KL of attention from the softmax of what the logit, or their largest difference, moves by."""
    case = classifier("bilstm", classes, attend_markers=attend_markers)
    for row, found in zip(collect(case.model, case.data, 99), term(case, "erasure_weight"), strict=True):
        a, r, moved = row.attention, row.values, []
        for t in range(len(a)):
            left = np.delete(a, t)
            without = np.delete(r, t, 0).T @ left / left.sum() if len(left) else np.zeros(r.shape[1])
            change = a @ r - without
            moved.append(abs(change[0]) if classes == 2 else np.ptp(change))
        assert found == pytest.approx(rel_entr(softmax(moved), a).sum(), abs=1e-9)


@given(st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([1.0, 30.0, 300.0]))
def test_what_erasing_does_keeps_its_digits(size, seed, spread):
    """Where attention is all on one word, too: a_t |r_t - the others' mean|, of their own scores."""
    rng = np.random.default_rng(seed)
    scores, r = rng.normal(0, spread, size), rng.normal(size=size)
    a = softmax(scores)
    expected = []
    for t in range(size):
        others = np.delete(scores, t)
        if np.delete(a, t).sum() > 0:
            expected.append(a[t] * abs(r[t] - softmax(others) @ np.delete(r, t)))
        else:
            expected.append(abs(a[t] * r[t]))
    given_ = torch.as_tensor(a)[None], torch.as_tensor(r)[None, :, None]
    np.testing.assert_allclose(repairs.erased(*given_)[0], expected, rtol=1e-6, atol=1e-12)


def test_no_gradient_goes_through_what_erasing_does():
    case = classifier()
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch)
    mask = attended_to(case.model, batch)
    loss = repairs.unlike_erasure(output.scores, output.attention, output.values, mask).sum()
    slopes = torch.autograd.grad(loss, [output.scores, case.model.decoder.weight], allow_unused=True)
    assert slopes[1] is None and torch.isfinite(slopes[0]).all()
    with torch.no_grad():  # of the scores alone: attention less its target
        moved = repairs.erased(output.attention, output.values).masked_fill(~mask, -torch.inf)
        torch.testing.assert_close(slopes[0], output.attention - moved.softmax(1), rtol=0, atol=1e-12)


def test_hidden_words_by_hand(monkeypatch):
    """The cross-entropy of the words whose vectors were 0; markers are never hidden."""
    case = classifier(masked_words=1)
    batch = case.data.batch([0, 1, 3])
    drawn = torch.full(batch.codes.shape, 0.9)
    drawn[0, [0, 2, 5]] = 0.1  # the first is a marker
    drawn[2, 1] = 0.1
    monkeypatch.setattr(torch, "rand", lambda *given_, **known: drawn)
    found = repairs.hidden_words(case.model, batch).detach()
    for b, places in enumerate(([2, 5], [], [1])):
        alone = case.data.batch([[0, 1, 3][b]])
        embedded = case.model.embed(alone).detach().clone()
        embedded[0, places] = 0
        states = case.model.encode(embedded, alone)[0]
        log_p = case.model.of_words(states).log_softmax(1).detach()
        losses = [-log_p[t, alone.codes[0, t]].item() for t in places]
        assert found[b].item() == pytest.approx(np.mean(losses) if losses else 0, abs=1e-12)


# Together


@pytest.mark.parametrize("encoder", ["bilstm", "cnn", "orthogonal"])
def test_terms_are_sums_over_texts(encoder):
    """Whatever shares the batch; of a CNN in training, too, which reads distinct words."""
    case = classifier(encoder)
    case.model.train()
    for name in ("conicity_weight", "erasure_weight", *(["tying"] if encoder != "cnn" else [])):
        each = [term(case, name, [i])[0] for i in range(len(case.data))]
        np.testing.assert_allclose(term(case, name), each, rtol=0, atol=1e-12)


def test_the_objective_adds_what_is_asked_for():
    case, asked = classifier(), {"conicity_weight": 0.5, "tying": 2.0, "erasure_weight": 0.1}
    labels = training.labels_objective(case.data.labels, False, 2)
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch)
    found = repairs.repaired(labels, Params(**asked))(case.model, output, batch)
    plain = labels(case.model, output, batch).item()
    parts = [weight * term(case, name).sum() for name, weight in asked.items()]
    assert found.item() == pytest.approx(plain + sum(parts), abs=1e-9)
    assert repairs.repaired(labels, Params()) is labels


def test_what_is_not_mended_starts_as_it_did():
    """An output for words is drawn after all else."""
    usual, mended = classifier().model.state_dict(), classifier(masked_words=1).model.state_dict()
    assert mended.keys() - usual.keys() == {"of_words.weight", "of_words.bias"}
    assert all(torch.equal(usual[name], mended[name]) for name in usual)


@pytest.mark.parametrize("name", [name for name in REPAIRING if name != "masked_words"])
def test_training_lowers_the_term(name):
    """A few steps: on the same texts it is lower than without."""
    ends = {}
    for weight in (0, 5):
        case, later = classifier(**{name: weight}), count()
        p = Params(**SIZES, epochs=4, batch_size=4, learning_rate=0.02, **{name: weight})
        objective = repairs.repaired(training.labels_objective(case.data.labels, False, 2), p)
        training.train(case.model, case.data, objective, lambda m, later=later: float(next(later)), p)
        ends[weight] = term(case, name).mean()
    assert ends[5] < ends[0]


# What can't be


@pytest.mark.parametrize("name", [*REPAIRING, "lie_weight"])
def test_negative_weights_are_refused(name):
    with refused(f"parameter {name} = -1"):
        resolve({name: -1})


@pytest.mark.parametrize(
    ("given_", "parts"),
    [
        ({"tying": 1, "hidden": 3}, ("tying: states have 6 columns and word vectors 8", "hidden")),
        ({"masked_words": 1, "encoder": "average"}, ("masked_words: a hidden word is told by those around",)),
        ({"erasure_weight": 1, "attention": "sparsemax"}, ("erasure_weight: attention sparsemax", "dot")),
        (
            {"erasure_weight": 1, "attention": "uniform"},
            ("erasure_weight: attention uniform", "isn't learnt"),
        ),
        ({"lie_weight": 1, "attention": "last"}, ("lie_weight: attention last",)),
        ({"lie_weight": 1, "attention": "entmax15"}, ("lie_weight: attention entmax15",)),
        ({"lie_weight": 1, "kl_weight": 1}, ("lie_weight and kl_weight",)),
        ({"lie_weight": 1, "encoder": "han"}, ("lie_weight: it is of words", "sentences")),
        ({"tying": 1, "encoder": "han"}, ("tying: it is of words",)),
    ],
)
def test_what_cannot_be_mended_is_one_sentence(given_, parts):
    with refused(*parts):
        classifier(**given_)


@pytest.mark.parametrize("name", ["masked_words", "erasure_weight", "lie_weight"])
def test_what_answers_questions_has_fewer(name):
    p = Params(**SIZES | {name: 1})
    with refused(f"{name}: what answers questions hasn't got it"):
        build(p, np.zeros((len(made_up.VOCABULARY), 8)), 5, "qa")


def test_a_reader_can_be_tied_and_spread():
    p = Params(**SIZES, tying=1, conicity_weight=1)
    model = build(p, np.ones((len(made_up.VOCABULARY), 8)), 5, "qa").double()
    case = made_up.Case("reader", model, made_up.questions())
    assert np.isfinite(term(case, "tying")).all() and np.isfinite(term(case, "conicity_weight")).all()
