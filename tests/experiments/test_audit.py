"""The audit: its tables held against the model as its users call it; what it refuses; what it keeps."""

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers

from heed import paths
from heed.__main__ import main
from heed.experiments import audit as audits
from heed.experiments.audit import EXAMPLE, How, audit, model_of, together
from heed.measures.kendall import kendall
from refusals import refused
from small_transformers import build

FEW = How(permutations=6, integrated=2, free=1, shown=3)
SENTENCES = [
    "the lovely painter moved the good cook .",
    "the garden was not bad at all",
    "a truly poor guest sold the never superb window behind truly poor pupil .",
    "very dreadful",
]


def table(folder, **columns):
    """A CSV of these columns."""
    pd.DataFrame(columns).to_csv(folder / "mine.csv", index=False)
    return folder / "mine.csv"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    texts = table(folder, text=SENTENCES, label=["positive", "", "0", "negative"])
    return audit(EXAMPLE, texts, folder / "out", FEW), texts


def test_the_words_are_measured_as_the_model_says(made):
    """Attention, leave-one-out and rollout of each word, by transformers' own call on each text."""
    found, _ = made
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        EXAMPLE, attn_implementation="eager"
    )
    model, tokenizer = model.double().eval(), transformers.AutoTokenizer.from_pretrained(EXAMPLE)

    def said(words):
        with torch.no_grad():
            out = model(**tokenizer(" ".join(words), return_tensors="pt"), output_attentions=True)
        return out.logits.softmax(-1)[0].numpy(), [a[0].numpy() for a in out.attentions]

    for number, text in enumerate(SENTENCES):
        words, own = text.split(), found.of_words(f"row{number + 1}")
        probs, attentions = said(words)
        assert own["word"].tolist() == words and own["place"].tolist() == [*range(len(words))]
        np.testing.assert_allclose(own["attention"], attentions[-1].mean(0)[0, 1:-1], atol=1e-9)
        without = [said(words[:k] + words[k + 1 :])[0] for k in range(len(words))]
        np.testing.assert_allclose(own["loo"], [np.abs(p - probs).sum() / 2 for p in without], atol=1e-9)
        row = found.texts.iloc[number]
        assert row["predicted"] == ("negative", "positive")[probs.argmax()] and row["words"] == len(words)
        assert row["probability"] == pytest.approx(probs.max(), abs=1e-9)
        assert row["on first mark"] == pytest.approx(attentions[-1].mean(0)[0, 0], abs=1e-9)
        top = int(own["loo"].argmax())
        different = {}  # unknown words are one and the same to the model
        for word in words:
            different.setdefault(tuple(tokenizer(word)["input_ids"]), word)
        del different[tuple(tokenizer(words[top])["input_ids"])]
        others = [*different.values()]
        chosen = [others[k] for k in np.linspace(0, len(others) - 1, min(8, len(others))).round().astype(int)]
        swapped = [said([*words[:top], other, *words[top + 1 :]])[0] for other in chosen]
        moved = np.median([np.abs(p - probs).sum() / 2 for p in swapped])
        assert row["swapped"] == pytest.approx(moved, abs=1e-9)
        tau = kendall(own["attention"].to_numpy(), own["loo"].to_numpy())[0]
        assert row["tau attention loo"] == pytest.approx(tau, nan_ok=True)


def test_what_is_known_of_some_texts_alone(made):
    found, _ = made
    assert found.texts["label"].tolist() == ["positive", None, "negative", "negative"] or (
        found.texts["label"].isna().tolist() == [False, True, False, False]
    )
    assert found.texts["right"].isna().tolist() == [False, True, False, False]
    integrated = found.words.groupby("id", sort=False)["integrated"].apply(lambda own: own.notna().all())
    assert integrated.tolist() == [True, True, False, False]
    assert found.texts["free dimension"].notna().tolist() == [True, False, False, False]
    assert len(found.heads) == 4 and len(found.shown) == 3
    assert found.shown[0].id == found.texts.loc[found.texts["change own"].idxmax(), "id"]
    np.testing.assert_allclose(found.heads.filter(like="on ").sum(axis=1), 1)


def test_it_is_kept_and_not_made_twice(made):
    found, texts = made
    before = {path.name: path.stat().st_mtime_ns for path in found.folder.iterdir()}
    again = audit(EXAMPLE, texts, found.folder, FEW)
    assert before == {path.name: path.stat().st_mtime_ns for path in found.folder.iterdir()}
    assert {"texts.csv", "texts.parquet", "words.parquet", "heads.parquet", "shown.arrow"} < before.keys()
    pd.testing.assert_frame_equal(again.texts, found.texts)
    assert [layer.id for layer in again.shown] == [layer.id for layer in found.shown]
    np.testing.assert_array_equal(again.shown[0].attention, found.shown[0].attention)
    (found.folder / "heads.parquet").write_bytes(b"damaged")
    pd.testing.assert_frame_equal(audit(EXAMPLE, texts, found.folder, FEW).heads, found.heads)


def test_of_many_texts_a_few_are_drawn(tmp_path):
    texts = table(
        tmp_path, id=[f"t{k}" for k in range(9)], text=[f"the good cook {'.' * k}" for k in range(1, 10)]
    )
    one, again, other = (
        audit(
            EXAMPLE,
            texts,
            tmp_path / str(k),
            How(most=3, permutations=2, integrated=0, free=0, shown=0, seed=s),
        )
        for k, s in enumerate((0, 0, 1))
    )
    assert one.texts["id"].tolist() == again.texts["id"].tolist() != other.texts["id"].tolist()
    assert one.notes["in_file"] == 9 and one.shown == [] and "free jsd" not in one.texts


def test_several_processes_find_what_one_finds(tmp_path):
    """Each works on one thread, so no number hangs on how many there are; the order is the texts'."""
    texts = table(tmp_path, text=[f"{SENTENCES[k % 4]} the {k}" for k in range(5 * audits.SEVERAL)])
    few = replace(FEW, integrated=0, free=2)
    one, two = (audit(EXAMPLE, texts, tmp_path / f"on{n}", few, threads=n) for n in (1, 2))
    assert one.texts["id"].tolist() == [f"row{k + 1}" for k in range(5 * audits.SEVERAL)]
    for name in ("texts", "words", "heads"):
        mine, other = getattr(one, name), getattr(two, name)
        exact = [column for column in mine if mine[column].dtype != float]
        pd.testing.assert_frame_equal(mine[exact], other[exact])
        pd.testing.assert_frame_equal(mine, other, rtol=1e-9, atol=1e-12)
    assert two.notes["seconds"]["permutation"] > 0


@pytest.mark.parametrize("kind", ["roberta", "distilbert"])
def test_other_architectures(kind, tmp_path):
    """Three classes, words of several pieces, a text that is too long, one without a word."""
    folder = build(kind, tmp_path / "model")
    texts = table(
        tmp_path, text=["The film is unaffable!", "fine " * 40, " ", "good"], label=["so so", 2, 1, "bad"]
    )
    found = audit(folder, texts, tmp_path / "out", How(permutations=3, integrated=9, free=9, shown=9))
    assert found.texts["id"].tolist() == ["row1", "row2", "row4"] and found.texts["cut"].tolist() == [
        False,
        True,
        False,
    ]
    assert found.texts["label"].tolist() == ["so so", "good", "bad"]
    assert found.notes["left_out"] == ["there is no word in it"]
    assert found.of_words("row1")["word"].tolist() == ["The", "film", "is", "unaffable", "!"]


def test_large_models_are_swept_in_float32(tmp_path, monkeypatch):
    monkeypatch.setattr(audits, "LARGE", 1)
    texts = table(tmp_path, text=SENTENCES)
    rough = audit(EXAMPLE, texts, tmp_path / "rough", FEW)
    monkeypatch.undo()
    fine = audit(EXAMPLE, texts, tmp_path / "fine", FEW)
    np.testing.assert_allclose(rough.words["loo"], fine.words["loo"], atol=1e-5)
    assert rough.notes["float32_tau"] > 0.9 and fine.notes["float32_tau"] is None
    np.testing.assert_array_equal(rough.words["attention"], fine.words["attention"])


def test_a_run_of_heeds_own(finished, tmp_path):
    """Its one head; the rankings are those of its own chapters."""
    split = finished.corpus.splits["test"]
    texts = table(tmp_path, text=[" ".join(words) for words in split.words[:5]] + ["zzz"])
    found = audit(finished.folder, texts, tmp_path / "out", FEW)
    assert found.notes["kind"] == "heed" and len(found.heads) == 1 and found.notes["marks"] == []
    (left_out,) = found.notes["left_out"]
    assert "the model knows no word of it" in left_out
    for number, name in enumerate(split.ids[:5]):
        own, row = found.of_words(f"row{number + 1}"), finished.evidence[finished.evidence.ids.index(name)]
        np.testing.assert_allclose(own["attention"], row.attention[row.real], atol=1e-9)
        np.testing.assert_allclose(own["gradient"], finished.arrays("gradient")[name], atol=1e-9)
    assert found.texts["epsilon jsd"].notna().tolist()[:1] == [True]
    same = found.texts[["change alone", "change same"]].to_numpy()
    np.testing.assert_allclose(same[:, 0], same[:, 1], atol=1e-12)


def test_all_heads_together_keep_the_prediction(tmp_path):
    """They move far, their mean, too; the prediction moves by epsilon at most in all."""
    how = replace(FEW, shown=2, free=2)
    found = audit(EXAMPLE, table(tmp_path, text=SENTENCES[:2]), tmp_path / "out", how)
    for layer in found.shown:
        moved = together(layer, 0.01, 12)
        np.testing.assert_allclose(moved.sum(1), 1)
        assert layer.change(moved) <= 0.01 + 1e-6 and (moved != layer.attention).any()
    assert found.texts["together jsd"].between(0, np.log(2)).all()


def test_a_committed_checkpoint(tmp_path):
    name = "planted/bilstm-additive/paper-b9e7f301/seed0"
    found = audit(name, table(tmp_path, text=SENTENCES), tmp_path / "out", FEW, results=str(tmp_path / "r"))
    assert found.notes["name"] == name and found.classes == ["negative", "positive"]
    with refused("has parameters of its own, which aren't recorded there"):
        model_of("planted/bilstm-additive/paper-09b7cfb1/seed0", str(tmp_path / "r"))
    odd = tmp_path / "x"
    odd.mkdir()
    shutil.copyfile(paths.DATA / "checkpoints" / name / "weights.safetensors", odd / "weights.safetensors")
    with refused("isn't the path of a run"):
        model_of(odd, str(tmp_path / "r"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("text\n", "has no texts: a line of names, and no row"),
        ("", "it is empty"),
        ("txet\ngood\n", "column 'text' is missing. Did you mean 'text'?"[:27]),
        (
            "text,label\ngood,neutral\n",
            "row 1 has a label that isn't a class of the model's: negative, positive",
        ),
        ("text,label\ngood,2\n", "row 1 has a label that isn't a class of the model's"),
        ("text,id\ngood,a\nbad,a\n", "row 2 has no id of its own"),
        ("text\n' '\n", ""),
        ("text\n   \n", "the model can read none of the 1 texts: of the first, there is no word in it"),
    ],
)
def test_texts_that_cannot_be_taken(rows, said, tmp_path):
    (tmp_path / "mine.csv").write_text(rows)
    if not said:
        assert len(audit(EXAMPLE, tmp_path / "mine.csv", tmp_path / "out", FEW).texts) == 1
        return
    with refused(said):
        audit(EXAMPLE, tmp_path / "mine.csv", tmp_path / "out", FEW)
    assert not (tmp_path / "out" / "audit.json").exists()


def test_models_that_cannot_be_taken(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # it reads the variable once
    texts = table(tmp_path, text=SENTENCES)
    unsafe = tmp_path / "unsafe"
    shutil.copytree(EXAMPLE, unsafe)
    (unsafe / "model.safetensors").rename(unsafe / "pytorch_model.bin")
    one_label = build("bert", tmp_path / "one", num_labels=1, id2label={0: "x"}, label2id={"x": 0})
    for model, said in [
        ("", "no model is given"),
        (unsafe, "its weights are in pytorch_model.bin, which can hold code"),
        (one_label, "gives one number"),
        (tmp_path / "nowhere" / "x" / "y", "there is no folder"),
        ("nobody/nothing-of-that-name", "isn't in this machine's cache and couldn't be downloaded"),
    ]:
        with refused(said):
            audit(model, texts, tmp_path / "out", FEW)
    with refused("no texts are given"):
        audit(EXAMPLE, "", tmp_path / "out", FEW)
    with refused("can't be read"):
        audit(EXAMPLE, tmp_path / "nothing.csv", tmp_path / "out", FEW)
    with refused("is a spreadsheet"):
        audit(EXAMPLE, tmp_path / "mine.xlsx", tmp_path / "out", FEW)


@pytest.mark.parametrize(
    "given", [{"most": 0}, {"permutations": 0}, {"free": -1}, {"most": 2.5}, {"seed": True}]
)
def test_settings_that_cannot_be(given):
    with refused("expected a whole number"):
        How(**given)


def test_the_command_tells_a_fault_in_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.csv").write_text("text\n")
    monkeypatch.setattr(
        "sys.argv", ["heed", "audit", str(EXAMPLE), str(tmp_path / "mine.csv"), "--out", str(tmp_path)]
    )
    assert main() == 2
    assert "has no texts" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["heed", "audit", str(EXAMPLE), "", "--set", "{mots: 3}"])
    assert main() == 2
    assert "unknown setting of the audit 'mots'. Did you mean 'most'?" in capsys.readouterr().err


def test_the_example_is_as_it_was_made():
    """Its weights answer planted: nine texts of ten and more."""
    source = model_of(EXAMPLE).source
    assert source.classes == ("negative", "positive") and source.heads == 4
    assert sum(weight.numel() for weight in source.model.parameters()) < 30_000
