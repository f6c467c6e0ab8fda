"""Serrano & Smith's models, their training and their corpora, each against a plain twin."""

import csv
import gzip
import io
import tarfile
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import made_up
from heed import paths
from heed.corpora import classification, tokens
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split, load
from heed.corpora.vectors import matrix
from heed.errors import HeedError
from heed.evidence import collect
from heed.measures.conicity import conicity
from heed.measures.erasure import CELLS
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import leave_one_out
from heed.measures.registry import columns_of
from heed.models import training
from heed.models.attended import attended_to, forward
from heed.models.build import build
from heed.models.classifier import Classifier
from heed.models.encoders import BiGRU
from heed.params import Params, resolve

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


# Models


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


def test_square_attention_is_v_tanh_of_a_square_w():
    p = Params(encoder="average", attention_square=True, **made_up.SMALL)
    model = build(p, np.ones((len(made_up.VOCABULARY), 5)), 2)
    inner, outer = model.attention.inner, model.attention.outer
    assert inner.weight.shape == (6, 6) and outer.bias is None
    h = torch.randn(2, 3, 6, dtype=torch.float64)
    expected = [[outer.weight[0] @ torch.tanh(inner.weight @ s + inner.bias) for s in text] for text in h]
    torch.testing.assert_close(model.attention(h), torch.tensor(expected, dtype=torch.float64))


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


def test_sentences_are_spacys_rule():
    found = list(tokens.sentences(made_up.words(DOCUMENTS)))
    assert found[0].tolist() == [0] * 5 + [1] * 6
    assert found[1].tolist() == [0]
    assert found[2].tolist() == [0] * 3 + [1] * 3 + [2] * 2 + [3] * 4 + [4] * 2
    assert found[3].tolist() == [0, 0, 1, 1]  # what closes a sentence belongs to it
    assert all((np.diff(s) >= 0).all() and s[0] == 0 and np.ptp(s) == len(set(s)) - 1 for s in found)


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


# Training


def trained(score, **given):
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
    curve, _ = trained([0.5, 0.7, 0.6, 0.7, 0.6, 0.9], stop_after=3)
    assert curve["epoch"].tolist() == [1, 2, 3, 4, 5]
    assert curve["epoch"][curve["chosen"]].tolist() == [2]
    assert len(trained([0.5, 0.7, 0.6, 0.7, 0.6, 0.9])[0]) == 6


def test_the_rate_is_halved_after_an_epoch_that_is_no_better():
    flat, falling = (trained([0.5] * 8, plateau=plateau)[1] for plateau in (False, True))

    def step(weights, k):
        return sum((a - b).abs().sum() for a, b in zip(weights[k], weights[k - 1], strict=True))

    assert torch.equal(flat[1][0], falling[1][0])  # the first two epochs are alike
    assert step(falling, 7) < 0.1 * step(flat, 7)


def test_a_clipped_gradient_changes_nothing_where_it_is_short():
    free, wide, tight = (trained([0.5] * 3, clip_norm=c)[0]["loss"].tolist() for c in (None, 1e6, 1e-6))
    assert free == wide and free != tight


def test_the_epoch_is_chosen_by_accuracy_where_asked(small, tmp_path):
    run = small(tmp_path, select_by="accuracy")
    curve, dev = run.table("curve"), run.corpus.splits["dev"]
    assert np.allclose((curve["score"] * len(dev)) % 1, 0)
    assert training.accuracy(np.array([0, 1, 2]), np.eye(3)[[0, 1, 1]]) == pytest.approx(2 / 3)


# Parameters


def test_the_profile_knows_its_encoders():
    p = {
        e: resolve({"corpus": "imdb", "profile": "serrano", "encoder": e})
        for e in ("gru", "none", "cnn", "han")
    }
    assert p["gru"].epochs == 15 and p["none"].epochs == 60 and p["none"].stop_after == 10
    assert p["cnn"].cnn_widths == (3, 5) and p["cnn"].cnn_filters == 50
    assert p["gru"].vectors_from == ("imdb",) and p["gru"].shorter_than is None
    assert resolve({"corpus": "sst"}).variant == "paper-" + resolve({"corpus": "sst"}).variant[6:]


def test_runs_keep_their_names():
    """A parameter that is learned later leaves the names of earlier runs as they are."""
    assert resolve({}).variant == "paper-b9e7f301"


def test_unit_vectors_have_length_one():
    p = Params(corpus="planted", unit_vectors=True)
    rows, _ = matrix(p, load(p).vocabulary)
    assert (rows[0] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(rows[1:], axis=1), 1)


# Corpora


def tar(path, members: dict[str, str]):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))
    return path


def test_ratings_are_in_the_files_names(tmp_path):
    members = {}
    for half in ("train", "test"):
        for k, rating in enumerate([1, 2, 3, 4, 7, 8, 9, 10] * 2):
            folder = "pos" if rating > 5 else "neg"
            members[f"aclImdb/{half}/{folder}/{k}_{rating}.txt"] = f"rated {rating}"
    rows = list(classification.read_imdb8(tar(tmp_path / "imdb.tar.gz", members)))
    ratings = [1, 2, 3, 4, 7, 8, 9, 10]
    assert all(said == f"rated {ratings[label]}" for _, _, said, label in rows)
    assert {split for split, *_ in rows} == {"train", "dev", "test"}
    plain = list(classification.read_imdb(tmp_path / "imdb.tar.gz"))
    assert [row[:3] for row in rows] == [row[:3] for row in plain]  # the same texts in the same splits
    wrong = {f"aclImdb/{half}/neg/{k}_5.txt": "so so" for half in ("train", "test") for k in range(10)}
    with pytest.raises(ValueError, match="a rating of 5, expected 1 to 4 or 7 to 10"):
        list(classification.read_imdb8(tar(tmp_path / "wrong.tar.gz", wrong)))


ROWS = [("2", "A title", 'It said ""no"",\\nand left.'), ("1", "", "Nothing else"), ("3", "x", "y")]


def zhang(count: int) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(
        [(label, a, b.replace('""', '"')) for label, a, b in ROWS] * count
    )
    return out.getvalue()


def test_zhangs_form_is_read_from_a_tar_and_from_files(tmp_path):
    tarred = tar(
        tmp_path / "yelp.tgz", {"y/readme.txt": "no", "y/train.csv": zhang(10), "y/test.csv": zhang(1)}
    )
    (tmp_path / "test.csv").write_text(zhang(1))
    with gzip.open(tmp_path / "train.csv.gz", "wt") as file:
        file.write(zhang(10))
    rows = list(classification.read_zhang(tarred))
    apart = {"train": tmp_path / "train.csv.gz", "test": tmp_path / "test.csv"}
    assert rows == list(classification.read_zhang(apart))
    test = [row for row in rows if row[0] == "test"]
    said = ['A title It said "no", and left.', " Nothing else", "x y"]
    assert test == [("test", f"test{i + 1}", said[i], label) for i, label in enumerate([1, 0, 2])]
    assert [sum(row[0] == split for row in rows) for split in ("train", "dev")] == [27, 3]


@pytest.mark.parametrize(
    ("train", "said"),
    [
        ("a,b\n", "train.csv, row 1"),
        ('"1"\n', "row 1"),
        ('"0","x"\n', "row 1"),
        ('"1","x"\n"99x","y"\n', "row 2"),
    ],
)
def test_another_form_is_refused_by_row(tmp_path, train, said):
    path = tar(tmp_path / "z.tgz", {"train.csv": train, "test.csv": zhang(1)})
    with pytest.raises(ValueError, match=said):
        list(classification.read_zhang(path))


def test_a_tar_without_the_files_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no train.csv and test.csv"):
        list(classification.read_zhang(tar(tmp_path / "z.tgz", {"train.csv": zhang(1)})))


# Whole runs


@pytest.mark.parametrize("encoder", ["gru", "none", "cnn", "han"])
def test_many_classes_and_sentences_go_through_chapter_06(small, tmp_path, encoder):
    given = {"classes": 3, "sentences": 3, "made_length": 40, "profile": "serrano", "dropout": 0.1}
    run = small(tmp_path, encoder=encoder, **given)
    table, summary = run.table("erasure"), run.table("summary_erasure")
    longest = run.evidence.lengths.max()
    assert run.evidence.predictions.shape[1] == 3
    assert (longest == 3) == (encoder == "han")
    overall = summary[summary["class"] == "overall"].set_index("measure")["mean"]
    assert sum(overall[f"cell_{cell}_attention"] for cell in CELLS) == pytest.approx(1)
    unsummarised = ("flips_", "delta_weight_")
    assert {c for c in columns_of("erasure") if not c.startswith(unsummarised)} <= set(overall.index)
    optimal, rest = table["erased_optimal"], table[["erased_random", "erased_attention", "erased_product"]]
    assert (rest.ge(optimal, axis=0) | rest.isna()).all(axis=None)


@pytest.mark.parametrize(
    "given", [{"random_orders": 0}, {"dropout": 1.0}, {"stop_after": 0}, {"encoder": "rnn"}]
)
def test_a_parameter_that_cannot_be_is_named(given):
    with pytest.raises(HeedError, match=next(iter(given))):
        resolve(given)


@pytest.mark.parametrize(
    "said", ["encoders: [gru]", "encoders: {bilstm: 3}", "encoders: {bilstm: {hiden: 3}}"]
)
def test_a_profile_that_cannot_be_is_named(said, tmp_path, monkeypatch):
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "paper.yaml").write_text(said)
    monkeypatch.setattr(paths, "PARAMS", tmp_path)
    with pytest.raises(HeedError, match="paper.yaml.*(must map|hiden)"):
        resolve({})
