"""Classifiers of transformers, small and with drawn weights: what is taken apart is the model's own."""

import json
import shutil
from operator import attrgetter

import numpy as np
import pytest
import torch
import transformers
from scipy.special import softmax

from heed.evidence import Evidence
from heed.measures import erasure, exact
from heed.models.pretrained import LAYOUTS, pretrained
from heed.own_models import evidence_from_hf
from refusals import refused
from small_transformers import build

TEXTS = ["The film is not bad at all, but unaffable!", "good", "\U0001f600 the unknown film.", "fine " * 30]


@pytest.fixture(scope="session", params=[kind for kind in LAYOUTS])
def folder(request, tmp_path_factory):
    return build(request.param, tmp_path_factory.mktemp(request.param))


def test_rows_are_the_models_own(folder, tmp_path):
    """Attention, prediction and pieces, held against the model called as its users call it."""
    made = evidence_from_hf(folder, TEXTS, labels=[0, 2, 1, 2], path=tmp_path / "e.arrow")
    config = json.loads((folder / "config.json").read_text())
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        folder, attn_implementation="eager"
    )
    model, pieces = model.double().eval(), transformers.AutoTokenizer.from_pretrained(folder)
    assert len(made) == 3 * len(TEXTS) and [*made.heads] == ["head 0", "head 1", "head 2"]
    for k in range(3):
        own = made.of(f"head {k}")
        assert own.ids == [str(i) for i in range(len(TEXTS))] and own.labels.tolist() == [0, 2, 1, 2]
        for text, row in zip(TEXTS, own, strict=True):
            given = pieces(text, return_tensors="pt", truncation=True)
            with torch.no_grad():
                out = model(**given, output_attentions=True)
            np.testing.assert_allclose(row.attention, out.attentions[-1][0, k, 0], atol=1e-12)
            np.testing.assert_allclose(row.prediction, softmax(out.logits[0].numpy()), atol=1e-12)
            np.testing.assert_allclose(row.probs(row.attention), row.prediction, atol=1e-12)
            assert row.values.shape == (len(row.units), 12) and row.real.sum() == len(row.units) - 2
            assert np.linalg.matrix_rank(row.values) <= 4, "a head's values are of its size"
    assert config["model_type"] in LAYOUTS
    assert made[0].units[:10] == ["[CLS]", "The", "film", "is", "not", "bad", "at", "all", ",", "[UNK]"] or (
        made[0].units[9] == "but"
    )
    assert made.of("head 0")[0].units[-5:-1] == ["una", "##ffa", "##ble", "!"]
    assert len(made.of("head 0")[3].units) == 20, "what is longer than the model reads is cut"


def test_a_single_head_is_lifted_too(tmp_path):
    """Its values are as wide as the states, and still go through the map that merges heads."""
    own = evidence_from_hf(build("bert", tmp_path / "m", num_attention_heads=1), TEXTS)
    for row in own:
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, atol=1e-12)


def test_other_attention_is_what_the_model_would_have_said(folder):
    """A hook puts other weights on one head of the last layer: the model's own forward pass is the twin."""
    own = evidence_from_hf(folder, TEXTS[:1]).of("head 1")[0]
    source = pretrained(folder)
    T = len(own.units)
    weights = np.random.default_rng(0).dirichlet(np.ones(T))

    def moved(module, args, output):  # the heads' attended values come in side by side
        (attended,) = args
        attended = attended.clone()
        before = hidden["states"]
        attended[0, 0, 4:8] = torch.tensor(weights) @ source.values(before)[0, :, 1]
        return torch.nn.functional.linear(attended, module.weight, module.bias)

    hidden = {}
    given = source.tokenizer(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        hidden["states"] = source.model(**given, output_hidden_states=True).hidden_states[-2]
        hook = attrgetter(source.layout.merge)(source.layer).register_forward_hook(moved)
        try:
            expected = source.model(**given).logits.softmax(-1)[0].numpy()
        finally:
            hook.remove()
    np.testing.assert_allclose(own.probs(weights), expected, atol=1e-12)


def test_what_is_measured_on_rows_takes_them(folder):
    own = evidence_from_hf(folder, TEXTS)
    row = own.of("head 2")[0]
    found = exact.bracket(row, 0.1)
    assert 0 <= found.lower <= found.upper <= np.log(2)
    changed = erasure.changes(row)
    left = np.delete(row.attention, 1)
    left = np.insert(left / left.sum(), 1, 0)
    np.testing.assert_allclose(changed[0], row.probs(left) - row.prediction, atol=1e-12)
    with refused("it has 3 heads, head 0, head 1, head 2. Take the rows of one"):
        _ = own.head
    with refused("unknown head 'head 3'"):
        own.of("head 3")


def test_evidence_is_read_with_its_own_model_alone(tmp_path):
    first = build("bert", tmp_path / "model", seed=0)
    evidence_from_hf(first, TEXTS, path=tmp_path / "e.arrow")
    before = Evidence.open(tmp_path / "e.arrow").of("head 0")[0]
    shutil.rmtree(first)
    with refused("there is no folder"):
        Evidence.open(tmp_path / "e.arrow").of("head 0")[0]
    build("bert", tmp_path / "model", seed=1)
    with refused("made with another model than"):
        Evidence.open(tmp_path / "e.arrow").of("head 0")[0]
    build("bert", tmp_path / "model", seed=0)
    again = Evidence.open(tmp_path / "e.arrow").of("head 0")[0]
    np.testing.assert_array_equal(again.probs(before.attention), before.probs(before.attention))


# What can't be loaded


def edited(folder, **changes):
    """The folder's config.json with these keys changed."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "gpt2"}, "of type 'gpt2', of which heed doesn't know where its last attention is"),
        ({"architectures": ["BertModel"]}, "is no classifier of texts, but BertModel"),
        ({"architectures": None}, "is no classifier of texts, but unnamed"),
        ({"id2label": {"0": "x"}, "label2id": {"x": 0}}, "gives one number"),
        ({"problem_type": "multi_label_classification"}, "gives a multi label classification"),
        ({"is_decoder": True}, "is a decoder"),
    ],
)
def test_models_that_are_no_classifier(tmp_path, changes, said):
    with refused(said):
        pretrained(edited(build("bert", tmp_path / "m"), **changes))


def test_folders_that_hold_no_model(tmp_path):
    with refused("there is no folder"):
        pretrained(tmp_path / "nowhere" / "deep" / "x")
    with refused("has no config.json"):
        pretrained(tmp_path)
    folder = build("bert", tmp_path / "m")
    weights = folder / "model.safetensors"
    kept = weights.read_bytes()
    weights.unlink()
    with refused("it has no weights"):
        pretrained(folder)
    (folder / "pytorch_model.bin").write_bytes(b"x")
    with refused("its weights are in pytorch_model.bin, which can hold code"):
        pretrained(folder)
    weights.write_bytes(kept[: len(kept) // 2])
    with refused("can't be read as a model"):
        pretrained(folder)
    with refused("is no name"):
        pretrained("")


def test_a_name_that_is_not_cached_and_no_network(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with refused("couldn't be downloaded"):
        pretrained("nobody/has-this-model")


def test_texts_and_labels_that_are_none(tmp_path):
    folder = build("bert", tmp_path / "m")
    for texts, labels, said in (
        ([], None, "texts: there are none"),
        ("one", None, "texts: expected a list"),
        (["a"], [1, 2], "labels: 2 for 1 texts"),
        (["a"], [7], "label: expected a whole number"),
    ):
        with refused(said):
            evidence_from_hf(folder, texts, labels)
