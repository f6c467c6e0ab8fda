"""Fine-tuning: a small transformer learns `planted`, the same way twice, and is read as anybody's model."""

import numpy as np
import pytest
import torch
import transformers

import heed
from heed.corpora.loading import load
from heed.models.fine_tuning import Sizes, Tuning, begun, drawn, fine_tune, predict, save
from heed.models.pretrained import checksum_of, pretrained
from heed.params import resolve
from refusals import refused

HOW = Tuning(epochs=2, batch_size=16, learning_rate=3e-3, longest=40)


@pytest.fixture(scope="module")
def planted():
    """Texts and labels of each split."""
    corpus = load(resolve({"corpus": "planted", "made_train": 400, "made_dev": 100, "made_test": 60}))
    found = {}
    for name in ("train", "dev", "test"):
        split = corpus.splits[name]
        found[name] = [" ".join(words) for words in split.words], split.labels.tolist()
    return found


@pytest.fixture(scope="module")
def tuned(planted):
    """A model that was trained, its tokenizer, and its curve."""
    model, tokenizer = drawn(planted["train"][0], ("negative", "positive"))
    curve = fine_tune(model, tokenizer, planted["train"], planted["dev"], HOW)
    return model, tokenizer, curve


def test_it_learns_and_the_best_epoch_stays(tuned, planted):
    model, tokenizer, curve = tuned
    assert curve["epoch"].tolist() == [1, 2] and curve["loss"].is_monotonic_decreasing
    right = predict(model, tokenizer, planted["dev"][0], 40).argmax(1) == np.array(planted["dev"][1])
    assert right.mean() == curve["accuracy"].max()


def test_the_same_seed_gives_the_same_weights(tuned, planted):
    model, tokenizer = drawn(planted["train"][0], ("negative", "positive"))
    before = torch.random.get_rng_state()
    fine_tune(model, tokenizer, planted["train"], planted["dev"], HOW)
    assert checksum_of(model) == checksum_of(tuned[0]) and torch.equal(before, torch.random.get_rng_state())
    other, _ = drawn(planted["train"][0], ("negative", "positive"), seed=1)
    assert checksum_of(other) != checksum_of(drawn(planted["train"][0], ("negative", "positive"))[0])


def test_what_is_saved_is_read_by_heed_and_by_transformers(tuned, planted, tmp_path):
    model, tokenizer, _ = tuned
    folder = save(model, tokenizer, tmp_path / "deep" / "model")
    said = transformers.pipeline("text-classification", model=str(folder), device="cpu", top_k=None)
    texts = planted["test"][0][:5]
    mine = predict(model, tokenizer, texts, 128)
    for given, p in zip(said(texts), mine, strict=True):
        assert {one["label"]: pytest.approx(one["score"], abs=1e-5) for one in given} == dict(
            zip(("negative", "positive"), p, strict=True)
        )
    made = heed.evidence_from_hf(folder, texts).of("head 0")
    np.testing.assert_allclose(made.predictions, mine, atol=1e-5)
    assert made[0].units[1:-1] == texts[0].split() and pretrained(folder).classes == ("negative", "positive")
    with refused("is there already"):
        save(model, tokenizer, folder)
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_one_goes_on_from_weights_that_exist(tuned, planted, tmp_path):
    folder = save(*tuned[:2], tmp_path / "model")
    model, tokenizer = begun(folder, ("negative", "positive"))
    curve = fine_tune(model, tokenizer, planted["train"], planted["dev"], Tuning(epochs=1, longest=40))
    assert curve["accuracy"].iloc[-1] >= tuned[2]["accuracy"].max() - 0.05, "it starts where the other ended"
    with refused("there is no folder"):
        begun(tmp_path / "nowhere", ("a", "b"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"classes": ("a",)}, "classes: expected two or more different names"),
        ({"classes": ("a", "a")}, "classes: expected two or more different names"),
        ({"train": ([], [])}, "train: 0 texts and 0 labels"),
        ({"dev": (["a"], [0, 1])}, "dev: 1 texts and 2 labels"),
        (
            {"how": Tuning(epochs=1, learning_rate=1e30)},
            "the loss of epoch 1 is no number. Lower learning_rate.",
        ),
    ],
)
def test_what_cannot_be_trained(planted, change, said):
    given = {"classes": ("a", "b"), "train": planted["train"], "dev": planted["dev"], "how": HOW} | change
    with refused(said):
        model, tokenizer = drawn(planted["train"][0], given["classes"], Sizes(hidden=8, heads=2, inner=8))
        fine_tune(model, tokenizer, given["train"], given["dev"], given["how"])
