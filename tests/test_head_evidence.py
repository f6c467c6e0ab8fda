"""Head and evidence: one cut for binary, multi-class and question models, whatever the batch."""

import dataclasses
import warnings

import numpy as np
import pyarrow as pa
import pytest
import torch
from scipy.special import expit, softmax
from torch import nn

import made_up
from heed.corpora.batches import Encoded
from heed.errors import HeedError
from heed.evidence import SCHEMA, Evidence, collect
from heed.measures import correlation
from heed.measures import gradients as measures_gradients
from heed.measures.kendall import kendall
from heed.measures.leave_one_out import change, leave_one_out
from heed.measures.scores import scores
from heed.models.attended import attended_to, forward, frozen, uniform
from heed.models.head import ACTS, Head

BUDGET = 64


@pytest.fixture(scope="module")
def evidence(case) -> Evidence:
    """The case's evidence."""
    return collect(case.model, case.data, BUDGET)


def assert_same(one: Evidence, other: Evidence, within: float = 1e-12) -> None:
    """Two pieces of evidence agree: words exactly, numbers to `within`."""
    for field in SCHEMA:
        a, b = one.table[field.name].to_pylist(), other.table[field.name].to_pylist()
        if pa.types.is_list(field.type) and field.type.value_type == pa.float64():
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x, y, rtol=0, atol=within, err_msg=field.name)
        else:
            assert a == b, field.name


# The head


def heads() -> list[Head]:
    """Every act with every link, with and without a last linear map."""
    torch.manual_seed(0)
    outs = {"softmax": (None, (3, 4), (3, 2)), "sigmoid": (None, (3, 1))}
    return [
        Head(act, link, out and nn.Linear(*out, dtype=torch.float64))
        for act in ACTS
        for link, shapes in outs.items()
        for out in shapes
    ]


@pytest.mark.parametrize("head", heads(), ids=lambda h: f"{h.act}-{h.link}-{h.out and h.out.out_features}")
def test_head_is_what_numpy_says(head):
    """z = c + shift, logits = out(act(z)), then the link: one row a class, summing to 1."""
    rng = np.random.default_rng(1)
    width = 1 if head.out is None and head.link == "sigmoid" else 3
    context, shift = rng.normal(size=(2, 6, width)), rng.normal(size=(6, width))
    z = {"identity": lambda z: z, "tanh": np.tanh, "relu": lambda z: np.maximum(z, 0)}[head.act](
        context + shift
    )
    if head.out is None:
        logits = z
    else:
        weight, bias = head.out.weight.detach().numpy(), head.out.bias.detach().numpy()
        logits = z @ weight.T + bias
    if head.link == "softmax":
        expected = softmax(logits, axis=-1)
    else:
        expected = np.concatenate([1 - expit(logits), expit(logits)], axis=-1)
    found = head.probs(context, shift).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("head", heads(), ids=lambda h: f"{h.act}-{h.link}-{h.out and h.out.out_features}")
def test_head_survives_bytes(head):
    copy = Head.from_bytes(head.to_bytes())
    width = 1 if head.out is None and head.link == "sigmoid" else 3
    context = np.random.default_rng(2).normal(size=(5, width))
    assert (copy.act, copy.link) == (head.act, head.link)
    assert torch.equal(copy.probs(context, 0.0), head.probs(context, 0.0))
    assert not any(w.requires_grad for w in copy.parameters())


def test_head_without_bias_survives_bytes():
    head = Head("tanh", "softmax", nn.Linear(2, 3, bias=False, dtype=torch.float64))
    assert Head.from_bytes(head.to_bytes()).out.bias is None


def test_sigmoid_has_two_columns_even_far_out():
    """Both columns are exact in the tails: 1 - p would be 0 where p is 1 - 1e-20."""
    probs = Head("identity", "sigmoid").probs(np.array([[46.0], [-46.0]]), 0.0)
    assert probs.shape == (2, 2)
    np.testing.assert_allclose(probs, [[expit(-46.0), 1.0], [1.0, expit(-46.0)]], rtol=1e-14)


def test_disallowed_answers_have_no_probability():
    head = Head("tanh", "softmax")
    allowed = np.array([[True, False, True], [False, False, True]])
    probs = head.probs(np.zeros((2, 3)), np.ones((2, 3)), allowed).numpy()
    assert (probs[~allowed] == 0).all()
    np.testing.assert_allclose(probs, [[0.5, 0, 0.5], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Head("sine"),
        lambda: Head("tanh", "identity"),
        lambda: Head("identity", "sigmoid", nn.Linear(3, 2)),
        lambda: Head("identity", "sigmoid").probs(np.zeros((1, 2)), 0.0),
    ],
)
def test_a_head_that_cannot_be(wrong):
    with pytest.raises(HeedError, match="head: "):
        wrong()


# One forward pass


def test_attention_is_a_distribution_over_the_attended(case):
    batch = case.data.batch(range(len(case.data)))
    output, mask = forward(case.model, batch), attended_to(case.model, batch)
    assert (output.attention[~mask] == 0).all()
    np.testing.assert_allclose(output.attention.sum(1).detach(), 1, rtol=0, atol=1e-14)
    probs = case.model.head.from_logits(output.logits).detach()
    np.testing.assert_allclose(probs.sum(1), 1, rtol=0, atol=1e-14)
    if batch.allowed is not None:
        assert (probs[~batch.allowed] == 0).all()


def test_uniform_attention_from_outside(case):
    batch = case.data.batch(range(len(case.data)))
    output = forward(case.model, batch, attention=uniform)
    for b, text in enumerate(case.data.words):
        mine = output.attention[b]
        np.testing.assert_allclose(mine[mine > 0].numpy(), 1 / len(text), rtol=1e-15)
        mean = output.values[b, 1 : len(text) + 1].mean(0)
        np.testing.assert_allclose(output.context[b].detach(), mean.detach(), rtol=0, atol=1e-14)


def test_frozen_copy_of_own_attention_reproduces_the_prediction(case, evidence):
    """By id, so in any order and any batch."""
    kept = {row.id: row.attention for row in evidence}
    batch = case.data.batch([4, 0, 2, 8])
    own, given = forward(case.model, batch), forward(case.model, batch, attention=frozen(kept))
    np.testing.assert_allclose(given.logits.detach(), own.logits.detach(), rtol=0, atol=1e-12)


def test_frozen_attention_of_another_reproduces_the_row(case, evidence):
    """Attention given to the model and attention given to the evidence's row are one and the same."""
    rng = np.random.default_rng(3)
    other = {row.id: rng.dirichlet(np.ones(len(row.units))) for row in evidence}
    batch = case.data.batch(range(len(case.data)))
    logits = forward(case.model, batch, attention=frozen(other)).logits
    probs = case.model.head.from_logits(logits).detach().numpy()
    for row, expected in zip(evidence, probs, strict=True):
        np.testing.assert_allclose(row.probs(other[row.id]), expected, rtol=0, atol=1e-12)


def test_frozen_attention_of_another_length_is_an_error():
    """One weight too many would silently shift the attention of every text after it."""
    case = made_up.classifier("average", "additive")
    kept = {row.id: row.attention for row in collect(case.model, case.data, BUDGET)}
    kept[case.data.ids[0]] = np.full(len(case.data.words[0]) + 1, 0.1)
    with pytest.raises(HeedError, match="test-0"):
        forward(case.model, case.data.batch([0, 1]), attention=frozen(kept))


def test_frozen_attention_of_an_unknown_text_is_an_error():
    case = made_up.classifier("average", "additive")
    with pytest.raises(HeedError, match="test-0"):
        forward(case.model, case.data.batch([0]), attention=frozen({"another": np.ones(1)}))


# Evidence


def test_a_row_reproduces_its_prediction(case, evidence):
    assert evidence.ids == case.data.ids
    for row, text, truth in zip(evidence, case.data.words, case.data.truth, strict=True):
        assert row.units == text and row.real.all()
        assert row.attention.sum() == pytest.approx(1, abs=1e-14)
        assert row.truth.tolist() == truth.tolist()
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, rtol=0, atol=1e-12)
        np.testing.assert_allclose(row.prediction.sum(), 1, rtol=0, atol=1e-14)
        if row.allowed is not None:
            assert (row.prediction[~row.allowed] == 0).all()


def test_a_row_takes_many_attentions_at_once(evidence):
    """(P, T) in, (P, C) out: what permutation and adversaries need."""
    row = evidence[0]
    many = np.random.default_rng(4).dirichlet(np.ones(len(row.units)), size=7)
    np.testing.assert_allclose(row.probs(many), [row.probs(a) for a in many], rtol=0, atol=1e-15)


def test_predicted_classes(evidence):
    p = evidence.predictions
    assert evidence.predicted.tolist() == p.argmax(1).tolist()
    assert evidence.labels.tolist() == [row.label for row in evidence]
    assert evidence.lengths.tolist() == [len(row.units) for row in evidence]


def test_rows_by_index(evidence):
    assert evidence[-1].id == evidence.ids[-1]
    with pytest.raises(IndexError, match="9 rows"):
        evidence[9]


@pytest.mark.parametrize("budget", [1, 20, 10_000])
def test_evidence_is_the_same_in_any_batch(case, evidence, budget):
    assert_same(evidence, collect(case.model, case.data, budget))


def test_evidence_is_the_same_with_more_padding(case, evidence):
    """A long stranger in the batch, five times the first text, changes nothing for the others."""
    data, last = case.data, len(case.data)
    order = [*range(last), 0]
    start, *middle, end = data.codes[0]
    padded = dataclasses.replace(
        again(data, order),
        ids=[*data.ids, "stranger"],
        words=[*data.words, data.words[0] * 5],
        codes=[*data.codes, np.array([start, *middle * 5, end])],
        truth=[*data.truth, np.zeros(5 * len(middle), dtype=bool)],
    )
    found = collect(case.model, padded, 100_000)
    assert_same(evidence, Evidence(found.table.slice(0, last), found.head))


def again(data: Encoded, order: list[int]) -> Encoded:
    """The texts of these indices, with their questions and their allowed answers."""
    names = ("ids", "words", "codes", "truth")
    lists = {n: [getattr(data, n)[i] for i in order] for n in names if getattr(data, n) is not None}
    query = data.query and again(data.query, order)
    allowed = None if data.allowed is None else data.allowed[order]
    return dataclasses.replace(data, **lists, labels=data.labels[order], query=query, allowed=allowed)


def test_evidence_is_the_same_on_two_threads(case, evidence):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert_same(evidence, collect(case.model, case.data, BUDGET))
    finally:
        torch.set_num_threads(before)


def test_collecting_changes_no_input(case):
    """Neither the model nor the texts are touched (no in-place change of inputs)."""
    before = {name: w.clone() for name, w in case.model.state_dict().items()}
    codes = [c.copy() for c in case.data.codes]
    collect(case.model, case.data, BUDGET)
    assert all(torch.equal(w, before[name]) for name, w in case.model.state_dict().items())
    assert all((a == b).all() for a, b in zip(codes, case.data.codes, strict=True))


def test_evidence_survives_the_disk(case, evidence, tmp_path):
    collect(case.model, case.data, BUDGET, path=tmp_path / "e.arrow")
    found = Evidence.open(tmp_path / "e.arrow")
    assert_same(evidence, found, within=0)
    assert found.unit == "token"
    for row in found:
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, rtol=0, atol=1e-12)
    assert [path.name for path in tmp_path.iterdir()] == ["e.arrow"]


def test_evidence_from_disk_warns_of_nothing(tmp_path):
    """A chapter that asks a mapped row for a prediction shows no warning in its output.

    torch says once a process that an array is read-only; the switch makes it say so each time.
    """
    case = made_up.classifier("average", "dot")
    collect(case.model, case.data, BUDGET, path=tmp_path / "e.arrow")
    row = Evidence.open(tmp_path / "e.arrow")[0]
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            row.probs(row.attention)
    finally:
        torch.set_warn_always(before)


def test_truth_that_is_not_known(case):
    unknown = collect(case.model, dataclasses.replace(case.data, truth=None), BUDGET)
    assert not unknown.truth_is_known and unknown[0].truth is None
    loo = leave_one_out(case.model, case.data, BUDGET)
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    with pytest.raises(HeedError, match="aren't known"):
        correlation.truth(unknown, made_up.ranked(unknown, gradients, loo))


# All the way to the measures


def test_every_model_goes_through_to_its_measures(case, evidence):
    """Gradient, leave-one-out and correlation take what the protocol promises, no more."""
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    logits = leave_one_out(case.model, case.data, BUDGET)
    table = correlation.correlation(evidence, made_up.ranked(evidence, gradients, logits))
    assert table["id"].tolist() == case.data.ids
    assert table["length"].tolist() == [len(text) for text in case.data.words]
    assert table["tau_loo"].isna().tolist()[1], "one token: no rank, no τ"
    assert table.loc[table["length"] > 3, "tau_gradient"].notna().any()
    truth = correlation.truth(evidence, made_up.ranked(evidence, gradients, logits))
    assert truth["deciding"].tolist() == [int(t.sum()) for t in case.data.truth]
    if case.data.allowed is None:  # which labels count is the task's own where answers are masked
        assert set(scores(evidence)) == {"accuracy", "f1", "auc"}


def test_left_out_word_changes_a_prediction_at_most_by_one(case, evidence):
    changed = change(evidence, leave_one_out(case.model, case.data, BUDGET))
    for name, text in zip(case.data.ids, case.data.words, strict=True):
        assert changed[name].shape == (len(text),)
        assert (changed[name] >= 0).all() and (changed[name] <= 1).all()


# Markers


@pytest.mark.parametrize("number", range(11))
def test_markers_are_units_but_enter_no_statistic(number):
    """Attended to, they stand in the evidence with real = False; no table sees them."""
    case = made_up.every_case(attend_markers=True)[number]
    evidence = collect(case.model, case.data, BUDGET)
    for row, text, truth in zip(evidence, case.data.words, case.data.truth, strict=True):
        assert row.units == ["<s>", *text, "</s>"]
        assert row.real.tolist() == [False, *[True] * len(text), False]
        assert row.truth.tolist() == [False, *truth, False]
        assert row.attention.sum() == pytest.approx(1, abs=1e-14)
        assert row.attention[row.real].sum() < 1
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, rtol=0, atol=1e-12)
    assert evidence.lengths.tolist() == [len(text) for text in case.data.words]
    gradients = measures_gradients.gradients(case.model, case.data, BUDGET)
    logits = leave_one_out(case.model, case.data, BUDGET)
    assert [len(g) for g in gradients.values()] == evidence.lengths.tolist()
    assert [len(l) for l in logits.values()] == evidence.lengths.tolist()
    table = correlation.correlation(evidence, made_up.ranked(evidence, gradients, logits))
    row, expected = evidence[0], table.iloc[0]
    tau = kendall(row.attention[1:-1], gradients[row.id])[0]
    assert expected["tau_gradient"] == tau and expected["length"] == len(row.units) - 2
    assert (
        correlation.truth(evidence, made_up.ranked(evidence, gradients, logits))["deciding"].iloc[0]
        == row.truth.sum()
    )


def test_frozen_attention_with_markers():
    case = made_up.three_classes(attend_markers=True)
    kept = {row.id: row.attention for row in collect(case.model, case.data, BUDGET)}
    batch = case.data.batch([5, 1])
    own, given = forward(case.model, batch), forward(case.model, batch, attention=frozen(kept))
    np.testing.assert_allclose(given.logits.detach(), own.logits.detach(), rtol=0, atol=1e-12)


# Files that aren't whole


@pytest.fixture
def file(tmp_path):
    """Evidence on disk."""
    case = made_up.asking()
    collect(case.model, case.data, BUDGET, path=tmp_path / "e.arrow")
    return tmp_path / "e.arrow"


@pytest.mark.parametrize("share", [0, 0.3, 0.99])
def test_truncated_evidence(file, share):
    block = file.read_bytes()
    file.write_bytes(block[: int(share * len(block))])
    with pytest.raises(HeedError, match=r"e\.arrow is not whole evidence .* Delete it"):
        Evidence.open(file)


def test_evidence_that_is_no_arrow_file(file):
    file.write_text("id,attention\n1,0.5\n")
    with pytest.raises(HeedError, match=r"e\.arrow is not whole evidence"):
        Evidence.open(file)


def test_evidence_that_is_missing(tmp_path):
    with pytest.raises(HeedError, match=r"none\.arrow"):
        Evidence.open(tmp_path / "none.arrow")


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b"\xff" * 20, lambda b: b[:-1], lambda b: b"\x02" + b"\0" * 7 + b"{}"]
)
def test_evidence_with_a_damaged_head(file, damage):
    """The head is a block of its own inside the file; what is wrong in it is as clear an error."""
    table = pa.ipc.open_file(file).read_all()
    head = damage(table.schema.metadata[b"head"])
    write(table.replace_schema_metadata({"unit": "token", "head": head}), file)
    with pytest.raises(HeedError, match=r"e\.arrow is not whole evidence"):
        Evidence.open(file)


def test_evidence_of_another_schema(file):
    metadata = pa.ipc.open_file(file).schema.metadata
    table = pa.table({"id": ["a"], "attention": [[0.5, 0.5]]}).replace_schema_metadata(metadata)
    write(table, file)
    with pytest.raises(HeedError, match="expected .*attention"):
        Evidence.open(file)


def write(table: pa.Table, path) -> None:
    """An Arrow file of any table."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
