"""LIME and KernelSHAP: what captum gives of functions whose answer is known, and twins of their own."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad_vec
from scipy.special import softmax
from sklearn.linear_model import Ridge

import made_up
from heed.measures import orders, rankings
from heed.measures.attention_game import shapley
from heed.measures.parts import lead, logits_of
from heed.measures.surrogates import kernel_shap, lime
from heed.params import Params
from refusals import refused

WEIGHTS = np.array([0.5, -2.0, 0.0, 1e-3, 3.0, -0.2])


def additive(switches: torch.Tensor) -> torch.Tensor:
    return switches.double() @ torch.from_numpy(WEIGHTS) + 0.7


def crossed(switches: torch.Tensor) -> torch.Tensor:
    """With a product of two words, which each half of the Shapley values gets."""
    return additive(switches) + 4 * switches[:, 0].double() * switches[:, 4].double()


def test_of_an_additive_function_they_are_its_weights():
    """KernelSHAP to float32's digits; LIME's ridge draws them a little to 0, all in the same way."""
    np.testing.assert_allclose(kernel_shap(additive, 6, 100, 0), WEIGHTS, atol=2e-3)
    found = lime(additive, 6, 2000, 0)
    np.testing.assert_allclose(found, WEIGHTS, atol=0.05)
    assert np.argsort(found).tolist() == np.argsort(WEIGHTS).tolist()


def test_a_small_effect_is_no_zero():
    """Captum's own default, a Lasso, sets it to exactly 0."""
    from captum.attr import Lime

    small = np.array([0.004, 0.002, 0.02])

    def of(switches):
        return switches.double() @ torch.from_numpy(small)

    theirs = Lime(of).attribute(torch.ones(1, 3), n_samples=500, perturbations_per_eval=500)[0]
    assert (theirs[:2] == 0).all()
    found = lime(of, 3, 500, 0)
    assert (found > 0).all() and np.argsort(found).tolist() == [1, 0, 2]


def test_kernel_shap_tends_to_the_shapley_values():
    """Exact ones of every set, of a function with a product."""
    switches = torch.from_numpy(orders.all_sets(6).astype(float))
    exact = shapley(crossed(switches).numpy())
    np.testing.assert_allclose(exact, WEIGHTS + np.array([2, 0, 0, 0, 2, 0]), atol=1e-12)
    np.testing.assert_allclose(kernel_shap(crossed, 6, 3000, 1), exact, atol=0.1)
    assert kernel_shap(crossed, 6, 200, 1).sum() == pytest.approx(exact.sum(), abs=5e-3)


def test_lime_is_the_ridge_regression_that_it_says():
    """Its samples, recorded as the function is asked, weighed and fitted by scikit-learn."""
    asked = []

    def of(switches):
        asked.append(switches.numpy().copy())
        return crossed(switches)

    found = lime(of, 6, 300, 7)
    x = np.concatenate(asked)
    assert x.shape == (300, 6) and x[0].all() and not x[1:].all(1).any()
    sizes = np.bincount((6 - x[1:].sum(1)).astype(int), minlength=7)
    assert sizes[0] == 0 and (sizes[1:] > 25).all(), "the number switched off is drawn evenly from 1 to n"
    cosine = x.sum(1) / np.sqrt(np.maximum(x.sum(1), 1)) / np.sqrt(6)
    weights = np.sqrt(np.exp(-(((1 - cosine) * 100) ** 2) / 25**2))
    twin = Ridge(alpha=1.0).fit(x, crossed(torch.from_numpy(x)).numpy(), sample_weight=weights)
    np.testing.assert_allclose(found, twin.coef_, atol=1e-4)


class OneLayer:
    """One layer of several heads that asks from a marker (Lopardo et al. 2024): scores and worths, by head.

    f = mean over heads of Σ_t α_t r_t, α = softmax(s), r_t the worth of a place's value. Places 1 to n are
    words or, where they are switched off, <unk>; place 0 is the marker.
    """

    def __init__(self, sharpness: float, seed: int, n: int = 30, heads: int = 3, size: int = 8):
        rng = np.random.default_rng(seed)
        words, unknown, places = (
            rng.normal(size=(n + 1, size)),
            rng.normal(size=size),
            rng.normal(size=(n + 1, size)),
        )
        read = [words + 0.3 * places, np.where(np.arange(n + 1)[:, None], unknown, words) + 0.3 * places]
        asks, keys, values = rng.normal(size=(3, heads, size, size)) / np.sqrt(size)
        worth, query = rng.normal(size=(heads, size)), sharpness * asks @ read[0][0]
        # (2, heads, n + 1): of the words, and of <unk> in their places
        self.scores = np.array([np.einsum("hij,tj,hi->ht", keys, x, query) for x in read]) / np.sqrt(size)
        self.worths = np.array([np.einsum("hij,tj,hi->ht", values, x, worth) for x in read])

    def __call__(self, switches: torch.Tensor) -> torch.Tensor:
        on = np.pad(switches.numpy() > 0, ((0, 0), (1, 0)), constant_values=True)[:, None]  # (M, 1, n + 1)
        weights = softmax(np.where(on, *self.scores), axis=2)
        return torch.from_numpy((weights * np.where(on, *self.worths)).sum(2).mean(1))

    def limes(self) -> np.ndarray:
        """β (n,): the integral over u, the share of words that stay, of what a word then adds.

        With D the sum of all e^s and m the mean worth at u: 6u(1 - u) [g(r - m) - h(r' - m)] / D, where h
        and r' are <unk>'s.
        """
        (g, h), (r, s) = np.exp(self.scores), self.worths

        def at(u: float) -> np.ndarray:
            mixed, kept = u * g + (1 - u) * h, u * g * r + (1 - u) * h * s
            mixed[:, 0], kept[:, 0] = g[:, 0], (g * r)[:, 0]
            whole = mixed.sum(1, keepdims=True)
            m = kept.sum(1, keepdims=True) / whole
            return (6 * u * (1 - u) * (g * (r - m) - h * (s - m)) / whole).mean(0)[1:]

        return quad_vec(at, 0, 1)[0]

    @property
    def top(self) -> float:
        """The largest weight of any head on the full text."""
        return float(softmax(self.scores[0], axis=1).max())


def slope_and_correlation(model: OneLayer) -> tuple[float, float]:
    found, expected = lime(model, model.scores.shape[2] - 1, 4000, 0), model.limes()
    return float(found @ expected / (expected @ expected)), float(np.corrcoef(found, expected)[0, 1])


@pytest.mark.parametrize("seed", range(4))
def test_limes_closed_form_where_no_weight_dominates(seed):
    """Mean field: correlation and slope near 1, but for LIME's narrow kernel, which moves the slope."""
    model = OneLayer(0.5, seed)
    slope, correlation = slope_and_correlation(model)
    assert model.top < 0.25 and correlation > 0.997 and 0.85 < slope < 1.15


def test_limes_closed_form_fails_where_one_weight_dominates():
    """Of a head that looks at one place alone the share of words that stay says too little."""
    model = OneLayer(4.0, 3)
    _, correlation = slope_and_correlation(model)
    assert model.top > 0.7 and correlation < 0.9


@pytest.mark.parametrize("explain", [lime, kernel_shap])
def test_a_seed_is_an_answer_and_changes_no_other_draws(explain):
    before = torch.get_rng_state()
    one, again, other = (explain(crossed, 6, 60, seed) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_of_one_word_it_is_the_whole_effect():
    assert kernel_shap(lambda switches: 3 * switches[:, 0] + 1, 1, 10, 0).tolist() == [3]
    assert lime(lambda switches: 3 * switches[:, 0] + 1, 1, 50, 0).shape == (1,)


@pytest.mark.parametrize("name", ["lime", "kernel_shap"])
def test_the_ranking_is_of_the_predicted_classs_logit(name):
    """Of the explained texts; whatever shares a batch. A word that speaks for the prediction is above 0."""
    own = rankings.declared()[name]
    for case in (made_up.classifier("average", "uniform"), made_up.three_classes(), made_up.asking()):
        p = Params(explained_texts=3, surrogate_samples=25, tokens_per_batch=10_000)
        arrays = own.compute(case.model, case.data, p, {})
        apart = own.compute(case.model, case.data, p.model_copy(update={"tokens_per_batch": 1}), {})
        assert [*arrays] == case.data.ids[::3]
        for i in (0, 3, 6):
            n, found = len(case.data.words[i]), arrays[case.data.ids[i]]
            assert found.shape == (n,)
            np.testing.assert_allclose(found, apart[case.data.ids[i]], atol=1e-5)
            ends = logits_of(case.model, case.data, i, np.array([[True] * n, [False] * n]), "unk", 100)
            logits = np.array([lead(ends, c) for c in range(max(ends.shape[1], 2))])
            decision = int(logits[:, 0].argmax())
            if name == "kernel_shap":
                assert found.sum() == pytest.approx(logits[decision, 0] - logits[decision, 1], abs=2e-3)


def test_a_text_without_words_has_no_numbers():
    case = made_up.classifier("bilstm", "additive", attend_markers=True)
    for name in ("lime", "kernel_shap"):
        found = rankings.declared()[name].compute(case.model, made_up.texts(0, 2), Params(), {})
        assert found["text 0"].shape == (0,) and found["text 1"].shape == (2,)


def test_a_model_of_sentences():
    from heed.models.build import build

    han = build(Params(encoder="han", **made_up.SMALL), np.zeros((len(made_up.VOCABULARY), 5)), 2).double()
    for name in ("lime", "kernel_shap", "attention_game"):
        with refused("attends to sentences"):
            rankings.declared()[name].compute(han, made_up.encoded(2), Params(), {})
