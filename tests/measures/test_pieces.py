"""Rankings by word of transformers that were loaded, held against the model as its users call it."""

import numpy as np
import pytest
import torch
from captum.attr import IntegratedGradients
from scipy.special import softmax

from heed.measures import pieces as kernels
from heed.models.pieces import pieces
from heed.models.pretrained import LAYOUTS, pretrained
from models.test_pretrained import TEXTS
from small_transformers import build


@pytest.fixture(scope="module", params=[*LAYOUTS])
def source(request, tmp_path_factory):
    return pretrained(build(request.param, tmp_path_factory.mktemp(request.param)))


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return pretrained(build("bert", tmp_path_factory.mktemp("bert")))


def said(source, codes: list[int]) -> np.ndarray:
    """The model on these codes alone, without a batch or padding."""
    with torch.no_grad():
        return softmax(source.model(input_ids=torch.tensor([codes])).logits[0].numpy())


def of_embedded(source, embedded: torch.Tensor) -> torch.Tensor:
    return source.model(inputs_embeds=embedded).logits.softmax(-1)


def test_words_are_the_tokenizers(bert):
    first, one, sign, long = pieces(bert, TEXTS)
    assert first.words == ["The", "film", "is", "not", "bad", "at", "all", ",", "but", "unaffable", "!"]
    assert first.word.tolist() == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 10, -1]
    assert one.words == ["good"] and not one.is_cut
    assert sign.words == ["\U0001f600", "the", "unknown", "film", "."]
    assert sign.word.tolist() == [-1, 0, 1, 2, 2, 3, 4, -1]
    assert long.is_cut and len(long.codes) == 20 and long.words == ["fine"] * 9
    assert pieces(bert, []) == [] and pieces(bert, [" "])[0].words == []


def test_leave_one_out_is_the_model_on_the_rest(source):
    texts = pieces(source, TEXTS)
    for text, found in zip(texts, kernels.leave_one_out(source, texts, tokens=30), strict=True):
        whole = said(source, text.codes)
        for word in range(len(text.words)):
            rest = [code for code, own in zip(text.codes, text.word, strict=True) if own != word]
            assert found[word] == pytest.approx(np.abs(said(source, rest) - whole).sum() / 2, abs=1e-12)
        assert found.shape == (len(text.words),)


def test_that_is_the_text_without_the_word(bert):
    """Where words stand apart, the pieces that are left are those of the shorter text."""
    words = "not bad unaffable film".split()
    (found,) = kernels.leave_one_out(bert, pieces(bert, [" ".join(words)]))
    whole = said(bert, bert.tokenizer(" ".join(words))["input_ids"])
    for k in range(4):
        rest = bert.tokenizer(" ".join(words[:k] + words[k + 1 :]))["input_ids"]
        assert found[k] == pytest.approx(np.abs(said(bert, rest) - whole).sum() / 2, abs=1e-12)


def test_the_gradient_by_finite_differences(source):
    """A word's vectors are made a little longer, all its pieces' alike: by how much does p̂ grow?"""
    texts = pieces(source, TEXTS)
    for text, found in zip(texts, kernels.gradient(source, texts, tokens=30), strict=True):
        embedded = source.model.get_input_embeddings()(torch.tensor([text.codes]))
        chosen = int(of_embedded(source, embedded).argmax())
        for word in range(len(text.words)):
            scale = torch.tensor(np.where(text.word == word, 1e-6, 0.0))[None, :, None]
            up, down = (
                float(of_embedded(source, embedded * (1 + sign * scale))[0, chosen]) for sign in (1, -1)
            )
            assert found[word] == pytest.approx(abs(up - down) / 2e-6, abs=1e-7)


class First(torch.nn.Module):
    """The state of the first place, as it is."""

    def forward(self, states):
        return states[:, 0]


@pytest.fixture(scope="module")
def one_layer(tmp_path_factory):
    """A layer of three heads that the first place asks, and nothing else (Lopardo et al. 2024)."""
    source = pretrained(build("bert", tmp_path_factory.mktemp("one"), num_hidden_layers=1))
    layer, same = source.layer, torch.nn.Identity()
    source.base.embeddings.LayerNorm = layer.attention.output.LayerNorm = layer.output.LayerNorm = same
    layer.attention.output.dense = same
    layer.output.dense = torch.nn.Linear(20, 12, dtype=torch.float64)
    for weight in layer.output.dense.parameters():
        weight.data.zero_()
    source.base.pooler = First()
    return source


def test_the_gradients_closed_form_of_one_layer_of_several_heads(one_layer):
    """∂p̂/∂e_t = Σ over heads of α_t [V'w + (r_t - r̄) K'q / √d], where w is what p̂ takes of the layer.

    r_t = w·v_t, r̄ = Σ α r; K, V of the head. Lopardo et al. have the mean over heads, as their w says.
    """
    model, own = one_layer.base, one_layer.layer.attention.self
    texts = pieces(one_layer, TEXTS)
    for text, found in zip(texts, kernels.gradient(one_layer, texts), strict=True):
        codes, places = torch.tensor(text.codes), torch.arange(len(text.codes))
        e = model.embeddings.word_embeddings(codes)
        x = (
            e
            + model.embeddings.position_embeddings(places)
            + model.embeddings.token_type_embeddings.weight[0]
        )
        p = torch.tensor(said(one_layer, text.codes))
        weights, chosen = one_layer.model.classifier.weight, p.argmax()
        w = (p[chosen] * (weights[chosen] - p @ weights)).view(3, 4)
        slope = torch.zeros_like(e)
        for head in range(3):
            rows = slice(4 * head, 4 * head + 4)
            q = own.query.weight[rows] @ x[0] + own.query.bias[rows]
            k, v = (x @ one.weight[rows].T + one.bias[rows] for one in (own.key, own.value))
            α, r = (k @ q / 2).softmax(0), v @ w[head]
            by_value = own.value.weight[rows].T @ w[head]
            by_score = own.key.weight[rows].T @ q / 2
            slope += α[:, None] * (by_value + (r - α @ r)[:, None] * by_score)
        each = (e * slope).sum(1).numpy()
        for word in range(len(text.words)):
            assert found[word] == pytest.approx(abs(each[text.word == word].sum()), rel=1e-9, abs=1e-12)
        assert found.max() > 1e-4


def test_integrated_gradients_are_captums(source):
    texts = pieces(source, TEXTS[:3])
    found = kernels.integrated_gradients(source, texts, steps=7, tokens=30)
    for text, mine in zip(texts, found, strict=True):
        embedded = source.model.get_input_embeddings()(torch.tensor([text.codes]))
        chosen = int(of_embedded(source, embedded).argmax())
        captum = IntegratedGradients(lambda e: of_embedded(source, e)).attribute(
            embedded, target=chosen, n_steps=7, method="riemann_middle"
        )
        each = captum.sum(2)[0].numpy()  # its steps are in float32
        for word in range(len(text.words)):
            assert mine[word] == pytest.approx(abs(each[text.word == word].sum()), abs=1e-6)


def test_rollout_is_the_product_of_the_layers(source):
    texts = pieces(source, TEXTS[:3])
    for text, found in zip(texts, kernels.rollout(source, texts, tokens=30), strict=True):
        with torch.no_grad():
            told = source.model(input_ids=torch.tensor([text.codes]), output_attentions=True).attentions
        arrived = np.eye(len(text.codes))
        for attention in told:
            arrived = (attention[0].numpy().mean(0) / 2 + np.eye(len(text.codes)) / 2) @ arrived
        for word in range(len(text.words)):
            assert found[word] == pytest.approx(arrived[0, text.word == word].sum(), abs=1e-12)
        assert found.sum() <= 1 + 1e-12


def test_float32_ranks_as_float64(bert):
    rough = kernels.rougher(bert)
    assert next(bert.model.parameters()).dtype == torch.float64 and rough.checksum == bert.checksum
    texts = pieces(bert, TEXTS)
    for kernel in (kernels.leave_one_out, kernels.gradient, kernels.integrated_gradients, kernels.rollout):
        for fine, coarse in zip(kernel(bert, texts), kernel(rough, texts), strict=True):
            np.testing.assert_allclose(fine, coarse, atol=1e-4)


def test_a_text_is_alone_what_it_is_in_a_batch(bert):
    texts = pieces(bert, TEXTS)
    for kernel in (kernels.leave_one_out, kernels.gradient, kernels.integrated_gradients, kernels.rollout):
        together = kernel(bert, texts)
        for k, text in enumerate(texts):
            np.testing.assert_allclose(kernel(bert, [text])[0], together[k], atol=1e-12)
