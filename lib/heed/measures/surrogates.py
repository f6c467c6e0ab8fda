"""LIME and KernelSHAP: linear models of what the model says of a text with unknown words, by captum.

Each explains the predicted class's logit. A feature is a word's place; what is switched off becomes <unk>.
Captum's own defaults aren't used where they mislead: its LIME fits a Lasso that sets small effects to exactly
0, and weighs altered texts by how alike their codes are.
"""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from heed.corpora.batches import Encoded
from heed.measures.erasure import decided
from heed.measures.parts import check, lead, logits_of
from heed.measures.rankings import ranking
from heed.measures.search import generator
from heed.models.attended import Attended
from heed.params import Params
from heed.progress import progress

WIDTH = 25  # of LIME's kernel, in hundredths of the cosine distance: its authors' own, for texts
_OFF = "<unk> for what is switched off"
Explain = Callable[[Callable[[Tensor], Tensor], int, int, int], np.ndarray]


def lime(of: Callable[[Tensor], Tensor], n: int, samples: int, seed: int) -> np.ndarray:
    """LIME's weights (n,) of a function of switches (M, n), as its authors' package has it for texts.

    The full text first; then a number of words, drawn from 1 to n, is switched off. A text with the share q
    of its words is weighed by √exp(-(100 (1 - √q) / 25)²), and a ridge regression of α = 1 is fitted.
    """
    from captum._utils.models.linear_model import SkLearnRidge  # captum takes seconds
    from captum.attr import Lime

    rng = np.random.default_rng(seed)

    def switched(given: Tensor, **known) -> Iterator[Tensor]:
        yield torch.ones(1, n, dtype=torch.long)
        while True:
            switches = torch.ones(1, n, dtype=torch.long)
            switches[0, rng.choice(n, int(rng.integers(1, n + 1)), replace=False)] = 0
            yield switches

    def alike(given: Tensor, altered: Tensor, switches: Tensor, **known) -> float:
        distance = 1 - np.sqrt(float(switches.sum()) / n)
        return float(np.exp(-((100 * distance / WIDTH) ** 2) / 2))

    with torch.random.fork_rng(devices=[]):  # captum draws, too, if to no effect
        found = Lime(of, SkLearnRidge(alpha=1.0), alike, switched).attribute(
            torch.ones(1, n), n_samples=samples, perturbations_per_eval=samples
        )
    return found[0].double().numpy()


def kernel_shap(of: Callable[[Tensor], Tensor], n: int, samples: int, seed: int) -> np.ndarray:
    """KernelSHAP's Shapley values (n,) of a function of switches (M, n); of one word its whole effect."""
    if n == 1:  # captum would draw from sizes between none and all, and there are none
        nothing, all_on = of(torch.tensor([[0.0], [1.0]])).double().numpy()
        return np.array([all_on - nothing])
    from captum.attr import KernelShap

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = KernelShap(of).attribute(torch.ones(1, n), n_samples=samples, perturbations_per_eval=samples)
    return found[0].double().numpy()


def _explained(explain: Explain, model: Attended, data: Encoded, p: Params, called: str) -> dict:
    """The weights of each explained text's words: instance id to (n,)."""
    check(model)
    data = data.thinned(p.explained_texts)
    found = {}
    for i in progress(range(len(data)), f"{called}, texts"):
        n = len(data.codes[i]) - 2
        if n == 0:
            found[data.ids[i]] = np.zeros(0)
            continue

        def say(kept: np.ndarray, i: int = i) -> np.ndarray:
            return logits_of(model, data, i, kept, "unk", p.tokens_per_batch)

        decision = int(decided(say(np.ones((1, n), bool)))[0])

        def of(switches: Tensor, say=say, decision: int = decision) -> Tensor:
            return torch.from_numpy(lead(say(switches.numpy() > 0), decision))

        seed = int(generator(p.seed, f"{called} {data.ids[i]}").integers(2**31))
        found[data.ids[i]] = explain(of, n, p.surrogate_samples + 2 * n, seed)
    return found


@ranking(
    "lime",
    label="LIME",
    what="the word's weight in a linear model fitted to the logits of texts like it",
    source=f"Ribeiro et al. (2016), captum's; {_OFF}",
    cost="500 forward passes and two a word",
    settings=("explained_texts", "surrogate_samples"),
    compared=False,
    signed=True,
    thinned=True,
)
def lime_ranking(model: Attended, data: Encoded, p: Params, notes: dict) -> dict[str, np.ndarray]:
    """LIME's weights for the predicted class's logit, of the explained texts: instance id to (n,)."""
    return _explained(lime, model, data, p, "LIME")


@ranking(
    "kernel_shap",
    label="KernelSHAP",
    short="SHAP",
    what="the word's Shapley value of the logit, as a regression over drawn texts gives it",
    source=f"Lundberg & Lee (2017), captum's; {_OFF}",
    cost="500 forward passes and two a word",
    settings=("explained_texts", "surrogate_samples"),
    compared=False,
    signed=True,
    thinned=True,
)
def kernel_shap_ranking(model: Attended, data: Encoded, p: Params, notes: dict) -> dict[str, np.ndarray]:
    """KernelSHAP's values for the predicted class's logit, of the explained texts: instance id to (n,)."""
    return _explained(kernel_shap, model, data, p, "SHAP")
