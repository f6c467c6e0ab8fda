"""Leave-one-out: the fast forms against the plain one, and both against a loop that deletes a word."""

import dataclasses
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.corpora import planted
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures import gradients
from heed.measures import leave_one_out as kernel
from heed.measures.kendall import kendall
from heed.measures.leave_one_out import change, leave_one_out
from heed.models.attended import forward
from heed.models.attentions import ATTENTIONS
from heed.models.encoders import Average, encoder_called
from heed.params import Params
from heed.runs.run import Run
from made_up import texts

BUDGET = 50
HOW = ["fast", "plain"]


def without(data: Encoded, i: int, t: int) -> Encoded:
    """Text i alone, with word t deleted; its question and its allowed answers as they were."""
    words = [word for k, word in enumerate(data.words[i]) if k != t]
    alone = Encoded.of(Split([data.ids[i]], [words], data.labels[[i]]), made_up.VOCABULARY)
    query = data.query and Encoded.of(
        Split([data.ids[i]], [data.query.words[i]], data.labels[[i]]), made_up.VOCABULARY
    )
    allowed = None if data.allowed is None else data.allowed[[i]]
    return Encoded(alone.ids, alone.words, alone.codes, alone.labels, None, query, allowed)


def deleted(model, data: Encoded, i: int) -> np.ndarray:
    """The logits of text i by a loop that deletes a word and runs the model on that text alone."""
    texts = (without(data, i, t).batch([0]) for t in range(len(data.words[i])))
    found = np.array([forward(model, text).logits[0].detach().numpy() for text in texts])
    return found if data.allowed is None else found[:, data.allowed[i]]


def assert_same(one: dict, other: dict, within: float = 1e-9) -> None:
    """The same instances in the same order, with logits that agree."""
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_allclose(one[name], other[name], rtol=0, atol=within)


@cache
def cases(attend_markers: bool) -> list[made_up.Case]:
    """A GRU, a model with a question on every encoder, the classifiers of 2 and of 3 classes, sparse ones."""
    asking = [made_up.asking(attend_markers, encoder) for encoder in (None, *made_up.OF_TOKENS)]
    pairs = [*product(["additive"], (2, 3), made_up.OF_TOKENS)]
    pairs += [("sparsemax", 2, "bilstm"), ("entmax15", 3, "average")]
    real = [made_up.classifier(e, a, attend_markers, classes) for a, classes, e in pairs]
    return [made_up.three_classes(attend_markers), *asking, *real]


# Against a loop that deletes a word


def test_what_was_broken_off_goes_on_where_it_was(monkeypatch, tmp_path):
    """Batches that are finished aren't made again, and the numbers are those of one go."""
    case = made_up.classifier("transformer", "additive")
    whole = leave_one_out(case.model, case.data, 20)
    real, done = kernel._without, []

    def broken_off(model, data, chosen):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(len(chosen))
        return real(model, data, chosen)

    monkeypatch.setattr(kernel, "_without", broken_off)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(case.model, case.data, 20, parts=tmp_path / "parts")
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["0.npy", "1.npy"]
    rest = []
    monkeypatch.setattr(kernel, "_without", lambda *given: rest.append(len(given[2])) or real(*given))
    found = leave_one_out(case.model, case.data, 20, parts=tmp_path / "parts")
    assert_same(found, whole, 0)
    assert sum(done) + sum(rest) == sum(len(codes) - 2 for codes in case.data.codes)


@pytest.mark.parametrize("attend_markers", [False, True])
@pytest.mark.parametrize("number", range(4 + 3 * len(made_up.OF_TOKENS)))
def test_a_word_is_deleted(number, attend_markers):
    """Texts of 1 to 9 tokens, a word that stands there three times, an unknown word; binary and more
    classes, a head with tanh, a question and answers that aren't allowed; in batches of any size.
    """
    case = cases(attend_markers)[number]
    expected = {name: deleted(case.model, case.data, i) for i, name in enumerate(case.data.ids)}
    for how, budget in product(HOW, (1, 11, BUDGET, 10_000)):
        found = leave_one_out(case.model, case.data, budget, how)
        assert_same(found, expected)
        assert all(logits.dtype == np.float64 for logits in found.values())
        assert all(np.isfinite(logits).any(1).all() for logits in found.values())


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
@pytest.mark.parametrize("scale", [0.0, 30.0, 1e3, 1e5])
def test_attention_near_one_and_near_zero(encoder, scale, how):
    """Scores hundreds and thousands apart: one token has all the weight, and what is left when it goes
    is what the others have among themselves. A difference of sums would leave nothing of them.
    """
    case = made_up.classifier(encoder, "dot")
    with torch.no_grad():
        case.model.attention.outer.weight *= scale
    attention = [row.attention for row in collect(case.model, case.data, BUDGET) if len(row.attention) > 1]
    if scale >= 1e3:
        assert min(a.min() for a in attention) < 1e-9 and max(a.max() for a in attention) > 1 - 1e-9
    found = leave_one_out(case.model, case.data, BUDGET, how)
    for i, name in enumerate(case.data.ids):
        np.testing.assert_allclose(found[name], deleted(case.model, case.data, i), rtol=0, atol=1e-9)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_without_its_only_word_the_shift_is_left(encoder, how):
    """Nothing is attended to, so the context is zero and the head reads its shift alone."""
    case = made_up.classifier(encoder, "additive")
    found = leave_one_out(case.model, case.data, BUDGET, how)["test-1"]
    assert found.tolist() == [case.model.decoder.bias.tolist()]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_a_text_without_words(encoder, how):
    """It has no logits; those beside it have theirs."""
    case = made_up.classifier(encoder, "additive")
    found = leave_one_out(case.model, texts(0, 3), BUDGET, how)
    assert found["text 0"].size == 0 and found["text 1"].shape == (3, 1)


@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_equal_words_of_a_text_are_exact_ties(encoder):
    """`good good good`: the first and the last differ in what they leave, but by rounding alone.

    Ranks are taken on 9 significant digits, and rounding must stay below them.
    """
    case = made_up.classifier(encoder, "additive")
    changed = change(collect(case.model, case.data, BUDGET), leave_one_out(case.model, case.data, BUDGET))
    assert len(set(np.round(changed["test-3"], 14))) == 1


@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_in_float32(encoder):
    """1e-5 relative to the logits' size."""
    case = made_up.classifier(encoder, "additive")
    model = case.model.float()
    fast, plain = (leave_one_out(model, case.data, BUDGET, how) for how in HOW)
    size = max(np.abs(logits).max() for logits in plain.values())
    assert_same(fast, plain, 1e-5 * size)


def test_an_encoder_that_is_not_known_is_left_to_the_plain_form(monkeypatch):
    """A GRU, and a class made from one of ours that may do anything else."""

    class Other(Average):
        def forward(self, x, lengths):
            return super().forward(x.cumsum(1), lengths)

    case, other = made_up.three_classes(), made_up.classifier("average", "dot")
    other.model.encoder.__class__ = Other
    for c in (case, other):
        assert_same(
            leave_one_out(c.model, c.data, BUDGET), leave_one_out(c.model, c.data, BUDGET, "plain"), 0
        )


@pytest.mark.parametrize("attention", ["additive", "dot"])
def test_of_a_token_alone_it_has_a_closed_form(attention):
    """With Average the logit moves by α / (1 − α) (mean value − own value): all other states stay."""
    case = made_up.classifier("average", attention)
    found = leave_one_out(case.model, case.data, BUDGET)
    for row in (row for row in collect(case.model, case.data, BUDGET) if len(row.attention) > 1):
        own, logit = row.values[:, 0], row.attention @ row.values[:, 0]
        shift = float(np.log(row.prediction[1] / row.prediction[0])) - logit
        closed = row.attention / (1 - row.attention) * (logit - own)
        np.testing.assert_allclose(found[row.id][:, 0] - logit - shift, closed, atol=1e-10)


# Whatever the batch


lengths = st.lists(st.integers(1, 14), min_size=1, max_size=6)
kinds = st.tuples(st.sampled_from(list(made_up.OF_TOKENS)), st.sampled_from(list(ATTENTIONS)))


@settings(max_examples=30)
@given(kinds, st.booleans(), lengths, st.integers(1, 200), st.integers(0, 99))
def test_the_batch_does_not_matter(kind, attend_markers, lengths, budget, seed):
    case = made_up.classifier(*kind, attend_markers)
    data = texts(*lengths, seed=seed)
    one, other = (leave_one_out(case.model, data, tokens) for tokens in (budget, 10_000))
    assert_same(one, other, 1e-12)
    assert_same(one, leave_one_out(case.model, data, 10_000, "plain"))


@settings(max_examples=30)
@given(kinds, lengths, st.integers(15, 60))
def test_a_stranger_in_the_batch_does_not_matter(kind, lengths, longer):
    """Padding: a longer text beside them changes nothing for the others."""
    case = made_up.classifier(*kind)
    alone, beside = texts(*lengths), texts(*lengths, longer)
    found = leave_one_out(case.model, beside, 10_000)
    stranger = found.popitem()[1]
    assert stranger.shape == (longer, 1)
    assert_same(found, leave_one_out(case.model, alone, 10_000), 1e-12)


@settings(max_examples=20)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_blocks_and_strides_do_not_matter(block, stride, seed):
    """How many removals step together, and when they are looked at, is a matter of speed alone."""
    case, data = made_up.classifier("bilstm", "additive"), texts(7, 1, 12, 4, seed=seed)
    usual = leave_one_out(case.model, data, BUDGET)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heed.measures.leave_one_out_lstm.BLOCK", block)
        patch.setattr("heed.measures.leave_one_out_lstm.STRIDE", stride)
        assert_same(leave_one_out(case.model, data, BUDGET), usual, 1e-12)


@pytest.mark.parametrize("how", HOW)
def test_a_text_longer_than_the_budget(how):
    """It is a batch of its own."""
    case, data = made_up.classifier("cnn", "additive"), texts(40, 3)
    assert_same(leave_one_out(case.model, data, 10, how), leave_one_out(case.model, data, 10_000, how), 1e-12)


# Forgetting


@pytest.mark.parametrize("attention", made_up.LEARNED)
@pytest.mark.parametrize("tolerance", [1e-12, 1e-10, 1e-6])
def test_what_is_forgotten_is_not_read_again(attention, tolerance):
    """The logits stay within the tolerance's order, and most of a long text is read once."""
    case, data, tally = made_up.classifier("bilstm", attention), texts(300, 90), Counter()
    exact = leave_one_out(case.model, data, BUDGET)
    assert_same(leave_one_out(case.model, data, BUDGET, "fast", tolerance, tally), exact, 10 * tolerance)
    assert tally["walks"] == 2 * 390
    assert tally["forgotten"] > 0.5 * tally["walks"]
    assert tally["steps"] < 0.5 * sum(T * (T + 1) for T in (300, 90))


def test_with_no_tolerance_nothing_is_forgotten():
    """Even states that are equal to the last bit: a walk goes on to the end, markers included."""
    case, tally = made_up.classifier("bilstm", "additive"), Counter()
    leave_one_out(case.model, texts(150, 90), BUDGET, tally=tally)
    assert tally["forgotten"] == 0
    assert tally["steps"] == 2 * sum(T * (T + 1) // 2 for T in (150, 90))


def test_a_question_is_asked_while_forgetting():
    """Of several texts, each its own question, with walks that end at different times."""
    case = made_up.asking(encoder="bilstm")
    data = texts(60, 80, 30)
    query = dataclasses.replace(texts(3, 1, 2, seed=1), ids=data.ids)
    data = dataclasses.replace(data, query=query, allowed=np.ones((3, 5), dtype=bool))
    exact = leave_one_out(case.model, data, 1000, "plain")
    tally = Counter()
    assert_same(leave_one_out(case.model, data, 1000, "fast", 1e-12, tally), exact)
    assert tally["forgotten"] > 0


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Run:
    """The committed BiLSTM of the built-in corpus."""
    return Run.of(tmp_path_factory.mktemp("trained"))


def test_taus_of_a_trained_model(trained):
    """On texts ten times as long as those it learnt from, the default tolerance changes no rank."""
    p = trained.params
    _, words, labels, _ = planted.make("planted", Params(made_length=200), "test", 6)
    split = Split([str(i) for i in range(6)], words, np.array(labels))
    data, model = Encoded.of(split, trained.corpus.vocabulary), trained.model()
    tally = Counter()
    plain = leave_one_out(model, data, p.tokens_per_batch, "plain")
    fast = leave_one_out(model, data, p.tokens_per_batch, p.loo_how, p.loo_tolerance, tally)
    assert tally["forgotten"] > 0
    assert_same(fast, plain, 1e-8)
    rows = collect(model, data, p.tokens_per_batch)
    one, other = (change(rows, logits) for logits in (fast, plain))
    for row in rows:
        a = row.attention[row.real]
        tau, expected = (kendall(a, changed[row.id])[0] for changed in (one, other))
        assert tau == pytest.approx(expected, abs=1e-3)


def test_a_run_says_how_it_left_out(small, tmp_path):
    """Another tolerance makes the table anew, and what depends on it; the model stays."""
    given = {"encoder": "bilstm", "loo_tolerance": 1e-6}
    run, usual = small(tmp_path, **given), small(tmp_path, encoder="bilstm")
    run.ensure("summary")
    scores = run.info()["scores"]["loo"]
    assert scores.keys() == {"steps", "forgotten"} and scores["steps"] > 1
    usual.ensure("summary")
    products = usual.info()["products"]
    for name in ("loo", "correlation", "truth", "summary"):
        assert products[name]["settings"].items() >= {"loo_how": "fast", "loo_tolerance": 1e-10}.items()
    assert products["weights"]["settings"] == {}


# What can't be


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"tolerance": -1e-9}, "tolerance = -1e-09"),
        ({"tolerance": float("nan")}, "tolerance = nan"),
        ({"tolerance": float("inf")}, "tolerance = inf"),
        ({"tokens_per_batch": 0}, "tokens_per_batch = 0"),
        ({"how": "fsat"}, "unknown way of leaving out 'fsat'. Did you mean 'fast'?"),
    ],
)
def test_settings_that_cannot_be(given, expected):
    case = made_up.classifier("average", "dot")
    with pytest.raises(HeedError) as error:
        leave_one_out(case.model, case.data, **({"tokens_per_batch": BUDGET} | given))
    assert expected in str(error.value) and "\n" not in str(error.value)


# Long texts, little memory


LONG = """
import resource, sys
import numpy as np
sys.path.insert(0, {tests!r})
import made_up
from heed.evidence import collect
from heed.measures.conicity import conicity
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import change, leave_one_out
from heed.models import training
from heed.params import Params
from made_up import texts

case = made_up.classifier({encoder!r}, "additive")
data = texts(4000, 30)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def everything_but(data, p):
    training.train(case.model, data, training.labels_objective(data.labels, False, 2), lambda m: 0.0, p)
    case.model.eval()
    collect(case.model, data, 4100)
    gradients(case.model, data, 4100)
    conicity(case.model, data, 4100)


# All has run once on short texts before it counts, so that what is measured is the long one's own.
short, p = texts(20, 30), Params(epochs=1, tokens_at_once=4100)
everything_but(short, p)
leave_one_out(case.model, short, 4100, "fast", 1e-10)
start = peak()
found = leave_one_out(case.model, data, 4100, "fast", 1e-10)
assert np.isfinite(found["text 0"]).all() and len(found["text 0"]) == 4000
print(peak() - start)
everything_but(data, p)
print(peak() - start)
"""


# A GRU and a transformer have no fast form.
FAST = [name for name in made_up.OF_TOKENS if encoder_called(name).left_out != "plain"]


@pytest.mark.parametrize("encoder", FAST)
@pytest.mark.thorough
def test_long_documents_take_memory_by_the_token(encoder):
    """Training, evidence, gradient, conicity and leave-one-out on 4,000 tokens, in MiB.

    One number for every pair of tokens would take 122, the states of all removals here 977. Nothing may
    take half of the one, or a quarter of the other.
    """
    source = LONG.format(encoder=encoder, tests=str(Path(__file__).parents[1]))
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    leaving_out, everything = map(float, done.stdout.split())
    assert leaving_out < 61 and everything < 244


# On a GPU


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU: torch sees none here")
@pytest.mark.parametrize("encoder", made_up.OF_TOKENS)
def test_a_gpu_gives_the_same(encoder):
    """Evidence, gradients and leave-one-out of the same float32 weights, to 1e-4."""
    found = []
    for device in ("cpu", "cuda"):
        case = made_up.classifier(encoder, "additive")
        model = case.model.float().to(device)
        rows = collect(model, case.data, BUDGET)
        given = gradients.gradients(model, case.data, BUDGET)
        logits = leave_one_out(model, case.data, BUDGET, "fast", 1e-5)
        found.append([*(row.attention for row in rows), *given.values(), *logits.values()])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)
