"""Head and evidence: one cut for binary, multi-class and question models, whatever the batch."""

import dataclasses
import re
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed import evidence
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.errors import HeedError
from heed.evidence import SCHEMA, Evidence, Row, collect
from heed.measures import correlation
from heed.measures import gradients as measures_gradients
from heed.measures.leave_one_out import leave_one_out
from heed.models.head import Head
from refusals import refused, told
from strategies import anything, token

BUDGET = 64


def assert_same(one: Evidence, other: Evidence, within: float = 1e-12) -> None:
    """Two pieces of evidence agree: words exactly, numbers to `within`."""
    for field in SCHEMA:
        a, b = one.table[field.name].to_pylist(), other.table[field.name].to_pylist()
        if pa.types.is_list(field.type) and field.type.value_type == pa.float64():
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x, y, rtol=0, atol=within, err_msg=field.name)
        else:
            assert a == b, field.name


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
    assert [row.id for row in evidence[1:3]] == evidence.ids[1:3]
    for wrong, said in ((9, "no row 9, it has 9 rows"), (-10, "no row -10"), ("test-1", "not by 'test-1'")):
        with pytest.raises(HeedError, match=said):
            evidence[wrong]


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


# Properties


@settings(max_examples=15)
@given(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4))
def test_hostile_words_go_through_evidence_unchanged(texts):
    case = made_up.classifier("average", "dot")
    ids = [f"{i} {text[0]}" for i, text in enumerate(texts)]
    data = Encoded.of(Split(ids, texts, np.zeros(len(texts), dtype=int)), made_up.VOCABULARY)
    with tempfile.TemporaryDirectory() as folder:
        collect(case.model, data, 100, path=Path(folder) / "e.arrow")
        found = Evidence.open(Path(folder) / "e.arrow")
        assert [row.units for row in found] == texts and found.ids == ids
        del found


@given(st.lists(st.lists(token, min_size=1, max_size=7), min_size=1, max_size=5), st.integers(1, 40))
@settings(max_examples=20)
def test_evidence_does_not_depend_on_the_batch(texts, budget):
    case = made_up.classifier("cnn", "additive")
    ids = [str(i) for i in range(len(texts))]
    data = Encoded.of(Split(ids, texts, np.zeros(len(texts), dtype=int)), made_up.VOCABULARY)
    one, other = (collect(case.model, data, tokens) for tokens in (budget, 1000))
    np.testing.assert_allclose(one.predictions, other.predictions, rtol=0, atol=1e-14)


# Evidence as a stream


@pytest.mark.parametrize("window", [1, 12, 1000])
def test_evidence_streams_to_its_file(window, tmp_path, monkeypatch):
    """A window of texts at a time, in the split's order, the same as at once."""
    case = made_up.reader("bilstm", "additive")
    at_once = collect(case.model, case.data, BUDGET)
    monkeypatch.setattr(evidence, "WINDOW", window)
    streamed = collect(case.model, case.data, BUDGET, path=tmp_path / "evidence.arrow")
    parts = streamed.table["id"].num_chunks
    assert parts == {1: len(case.data), 1000: 1}.get(window, parts) and (window != 12 or 1 < parts < 9)
    again = Evidence.open(tmp_path / "evidence.arrow")
    assert again.ids == streamed.ids == case.data.ids
    for a, b in zip(at_once, again, strict=True):
        for name in ("real", "attention", "values", "shift", "allowed", "label", "prediction", "truth"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=0, atol=1e-12)
        assert (a.id, a.group, a.units) == (b.id, b.group, b.units)
    assert streamed.head.act == "tanh"


def test_streamed_evidence_holds_one_window(tmp_path, monkeypatch):
    """Never more rows at once than a window's."""
    case, most = made_up.reader("average", "additive"), []
    monkeypatch.setattr(evidence, "WINDOW", 15)
    usual = pa.RecordBatch.from_pylist

    class Counting:
        @staticmethod
        def from_pylist(rows, schema):
            most.append(sum(len(row["attention"]) for row in rows))
            return usual(rows, schema=schema)

    monkeypatch.setattr(evidence.pa, "RecordBatch", Counting)
    collect(case.model, case.data, 10_000, path=tmp_path / "evidence.arrow")
    assert len(most) > 2 and max(most) <= 15 + max(map(len, case.data.words))


def test_decisions_are_attention_and_prediction_alone(monkeypatch):
    """What is kept of a training split: no values are held."""
    case = made_up.reader("cnn", "dot")
    monkeypatch.setattr(evidence, "WINDOW", 10)
    table, whole = evidence.decisions(case.model, case.data, BUDGET), collect(case.model, case.data, BUDGET)
    assert table.column_names == ["id", "attention", "prediction"] and table["id"].to_pylist() == whole.ids
    for kept, row in zip(table["attention"].to_pylist(), whole, strict=True):
        np.testing.assert_allclose(kept, row.attention, rtol=0, atol=1e-12)


# Rows of one's own arrays


def own_row(**other) -> Row:
    """A row of three tokens and two classes, of plain lists."""
    given = {"tokens": ["not", "so", "bad"], "attention": [0.5, 0.25, 0.25], "values": [1, 0, -2]}
    return Row.of(**(given | {"head": Head("identity", "sigmoid")} | other))


def test_a_row_of_own_arrays_is_what_the_head_says():
    row = own_row(shift=[0.5], label=1, real=[True, True, False], id=7)
    assert row.prediction[1] == pytest.approx(1 / (1 + np.exp(-0.5))) and (row.id, row.label) == ("7", 1)
    assert row.values.shape == (3, 1) and row.real.tolist() == [True, True, False] and row.truth is None
    assert own_row().label == -1
    weights = torch.tensor([0.5, 0.25, 0.25], requires_grad=True)
    np.testing.assert_array_equal(own_row(attention=weights, values=torch.tensor([1, 0, -2])).probs(weights),
                                  own_row().prediction)  # fmt: skip


def test_a_row_takes_a_head_as_it_was_trained():
    """In float32, with gradients, in training mode: the row's own is in float64 and without."""
    head = Head("tanh", "softmax", torch.nn.Linear(2, 3))
    head.dropout = 0.5
    row = own_row(values=torch.randn(3, 2), head=head)
    assert row.prediction.shape == (3,) and row.prediction.sum() == pytest.approx(1)
    np.testing.assert_array_equal(row.probs(row.attention), row.prediction)
    assert dataclasses.replace(row, head=head).head.is_frozen and not head.is_frozen


TANH = Head("tanh", "softmax", torch.nn.Linear(2, 3))
PAIRS = [[1, 2], [0, 1], [1, 1]]
UNFIT = [
    ({"tokens": []}, "tokens: there are none"),
    ({"tokens": "not so bad"}, "tokens: expected a list of words"),
    (
        {"tokens": ["a", "b"]},
        "values: expected finite numbers of shape (2,) or (2, D) for 2 tokens, got (3,)",
    ),
    ({"attention": [0.5, 0.5]}, "attention: 2 weights for 3 tokens"),
    ({"attention": [[0.5, 0.25, 0.25]]}, "attention: an array of shape (1, 3), not weights for 3 tokens"),
    ({"attention": [0.5, 0.25, np.inf]}, "attention: weight 2 is infinite"),
    ({"attention": [0.5, 0.5, 0.5]}, "the weights sum to 1.5"),
    ({"attention": None}, "attention: expected numbers, none are given"),
    ({"values": [1, 2]}, "got (2,)"),
    ({"values": np.ones((3, 0))}, "got (3, 0)"),
    ({"values": [1, np.nan, 2]}, "values: expected finite numbers, number 1 is not a number"),
    ({"values": [1, 1e300, 2]}, "number 1 is 1e+300"),
    ({"values": PAIRS}, "the sigmoid link takes one value a token, it got 2"),
    ({"head": Head("identity", "softmax")}, "one value a token needs the sigmoid link"),
    ({"head": TANH}, "its last layer takes 2 values a token, it got 1"),
    ({"head": torch.nn.Linear(1, 1)}, "head: expected a heed Head, not a Linear"),
    ({"shift": [1, 2, 3]}, "shift: expected 1 numbers, one a column of the values, got shape (3,)"),
    ({"shift": [np.nan]}, "shift: expected finite numbers"),
    ({"real": [True]}, "real: 1 flags for 3 tokens"),
    ({"label": 7}, "label: expected a whole number from 0 to 1, not 7"),
    ({"values": PAIRS, "head": TANH, "allowed": [True]}, "allowed: 1 flags for 3 classes"),
    ({"values": PAIRS, "head": TANH, "allowed": [0, 0, 0]}, "allowed: no class is allowed"),
    ({"allowed": [True, True]}, "a sigmoid has but one"),
]


@pytest.mark.parametrize(("given", "said"), UNFIT, ids=[said for _, said in UNFIT])
def test_a_row_of_arrays_that_do_not_fit(given, said):
    with refused(said):
        own_row(**given)


def test_a_head_of_weights_that_are_no_numbers():
    out = torch.nn.Linear(2, 3)
    with torch.no_grad():
        out.bias[1] = torch.nan
    with refused("head: out.bias: expected finite numbers, number 1 is not a number"):
        own_row(values=PAIRS, head=Head("tanh", "softmax", out))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"real": [True]}, "real: 1 flags for 3 tokens"),
        ({"truth": [True] * 4}, "truth: 4 flags for 3 tokens"),
        ({"units": ["a"]}, "for 1 tokens"),
        ({"prediction": [0.2, 0.3, 0.5]}, "prediction: expected 2 probabilities"),
        ({"prediction": [0.2, 0.3]}, "prediction: the weights sum to 0.5"),
        ({"label": 2}, "label: expected a whole number from 0 to 1, not 2"),
        ({"shift": [0, 0]}, "shift: expected 1 numbers"),
        ({"head": None}, "head: expected a heed Head, not a NoneType"),
    ],
)
def test_a_row_made_by_hand_is_checked(changes, said):
    with refused(said):
        dataclasses.replace(own_row(), **changes)


def test_a_row_asked_for_attention_of_other_tokens():
    for attention in ([0.5, 0.5], np.ones((3, 2)) / 2, 1.0):
        with refused("attention: expected 3 weights, one a token"):
            own_row().probs(attention)


@given(anything, anything, anything, anything, anything, anything, st.sampled_from(["identity", "tanh"]),
       st.sampled_from(["sigmoid", "softmax"]))  # fmt: skip
def test_any_arrays_are_a_row_or_a_sentence(tokens, attention, values, shift, allowed, label, act, link):
    head = Head(act, link)
    found = told(lambda: Row.of(tokens, attention, values, head, shift=shift, allowed=allowed, label=label))
    if isinstance(found, str):
        assert found.endswith(".") and not re.search(r"\bnan\b", found), found
    else:
        assert np.isfinite(found.prediction).all() and found.prediction.sum() == pytest.approx(1)


# Tables that are no evidence


@pytest.fixture(scope="module")
def own_evidence() -> Evidence:
    """Two small rows."""
    return made_up.evidence_of([([0.5, 0.5], [1, -1], 0.0), ([1.0], [2], 0.0)])


def test_evidence_of_something_else(own_evidence):
    for table, head in (
        (own_evidence.table.to_pandas(), own_evidence.head),
        (own_evidence.table, None),
        (None, None),
    ):
        with refused("evidence: expected a pyarrow Table and a heed Head"):
            Evidence(table, head)
    with refused("column 'shift' is missing"):
        Evidence(own_evidence.table.drop_columns("shift"), own_evidence.head)
    with refused("column 'extra' is unknown"):
        Evidence(own_evidence.table.append_column("extra", own_evidence.table["id"]), own_evidence.head)
    with refused("column 'label' is of type int32, not int64"):
        Evidence(
            own_evidence.table.set_column(8, "label", own_evidence.table["label"].cast("int32")),
            own_evidence.head,
        )
    assert own_evidence.table.schema.names[8] == "label"


def altered(own_evidence: Evidence, **cells) -> Evidence:
    """The evidence with these cells of its first row changed."""
    rows = own_evidence.table.to_pylist()
    rows[0] |= cells
    return Evidence(pa.Table.from_pylist(rows, schema=own_evidence.table.schema), own_evidence.head)


def test_rows_that_are_damaged(own_evidence):
    for cells, said in (
        ({"attention": None}, "row 0 has no attention"),
        ({"units": []}, "is damaged (tokens: there are none"),
        ({"attention": []}, "is damaged (attention: 0 weights for 2 tokens"),
        ({"values": [1.0]}, "is damaged (values: expected finite numbers"),
        ({"real": [None] * len(own_evidence[0].units)}, "is damaged (real: expected True or False"),
        ({"attention": [2.0] * len(own_evidence[0].units)}, "the weights sum to"),
        ({"prediction": [1.0]}, "is damaged (prediction: expected"),
        ({"label": 10**6}, "is damaged (label: expected a whole number"),
    ):
        bad = altered(own_evidence, **cells)
        with refused(said, "Make the evidence anew"):
            bad[0]
        assert bad[1].id == own_evidence[1].id


def test_evidence_of_a_home_and_of_a_folder(file, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert len(Evidence.open(f"~/{file.name}")) > 0
    with refused("there is no file"):
        Evidence.open(tmp_path)


def test_the_rows_of_some_ids():
    """In the order that is asked for; of none, none."""
    case = made_up.classifier("average", "additive")
    evidence = collect(case.model, case.data, 100)
    some = evidence.only(["test-4", "test-0"])
    assert some.ids == ["test-4", "test-0"] and some[1].units == evidence[0].units
    assert len(evidence.only([])) == 0
    with pytest.raises(
        HeedError, match="evidence: there is no row 'test-99'. Take the ids of the same split."
    ):
        evidence.only(["test-0", "test-99"])
