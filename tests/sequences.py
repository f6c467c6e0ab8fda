"""Small models that write, and the plain twin of one: a sequence at a time, numpy and loops."""

import numpy as np
import torch

from heed.corpora.parallel_text import END, START
from heed.experiments import copying
from heed.models import seq2seq
from heed.models.seq2seq import Writer
from heed.params import Copying

TINY = {"length": 5, "hidden": 6, "batch_size": 8, "steps": 3, "every": 2, "looked_at": 4}
TRANSLATING = {"pieces": 90, "hidden": 6, "layers": 2, "dropout": 0.1, "batch_size": 8, "epochs": 2,
               "beam": 2, "watch_every": 5, "watched_texts": 3, "translated": 4, "made_train": 60,
               "made_test": 8}  # fmt: skip
MODELS = [(e, a) for e in ("lstm", "bilstm") for a in ("bilinear", "uniform", "none")]


def tiny(**given) -> Copying:
    return Copying(**TINY | given)


def case(p: Copying, count: int = 3):
    """A model with random weights in float64, and sequences."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(p.seed)
        model = seq2seq.Copier(p).double()
    return model, *copying.draw(p, count, np.random.default_rng(p.seed))


# The plain twin: one sequence at a time, numpy and loops


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(vectors, weights, suffix, h, c):
    """States of an LSTM, step by step (gates in torch's order: in, forget, cell, out), and the last cell."""
    w_in, w_h, b_in, b_h = (
        weights[f"{kind}_l0{suffix}"] for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    states = []
    for x in vectors:
        i, f, g, o = np.split(w_in @ x + b_in + w_h @ h + b_h, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return states, h, c


def softmax(x):
    e = np.exp(np.array(x) - max(x))
    return e / e.sum()


def by_hand(model, p, source, given):
    """Log-probabilities (L, V), attention (L, S) and relevance (L, S) of one sequence."""
    w = {name: value.detach().numpy() for name, value in model.named_parameters()}
    parts = {k: {n.split(".")[1]: v for n, v in w.items() if n.startswith(k)} for k in ("encoder", "decoder")}
    zero = np.zeros(p.hidden)
    words = [w["embedding.weight"][code] for code in source]
    ahead, h, c = lstm(words, parts["encoder"], "", zero, zero)
    states = ahead
    if p.encoder == "bilstm":
        behind, h2, c2 = lstm(words[::-1], parts["encoder"], "_reverse", zero, zero)
        states = [np.concatenate(both) for both in zip(ahead, behind[::-1], strict=True)]
        h, c = (h + h2) / 2, (c + c2) / 2
    decoded, *_ = lstm([w["embedding.weight"][code] for code in given], parts["decoder"], "", h, c)

    names = [(f"scores.{k}", f"project.{k}") for k in range(len(p.heads))] or [("score", "project")]

    def says(d, contexts):
        each = zip(names, contexts, strict=True)
        brought = [w[f"{project}.weight"] @ c + w[f"{project}.bias"] for (_, project), c in each]
        context = zero if p.attention == "none" else sum(brought) / len(brought)
        mixed = np.tanh(w["mix.weight"] @ np.concatenate([d, context]) + w["mix.bias"])
        return np.log(softmax(w["out.weight"] @ mixed + w["out.bias"]))

    log_probs, attention, relevance = [], [], []
    for d, target in zip(decoded, source, strict=True):
        weights = []
        for score, _ in names:
            scores = [(w[f"{score}.weight"] @ d + w[f"{score}.bias"]) @ s for s in states]
            even = np.full(len(states), 1 / len(states))
            weights.append(softmax(scores) if p.attention == "bilinear" else even)
        log_probs.append(says(d, [sum(x * s for x, s in zip(a, states, strict=True)) for a in weights]))
        attention.append(sum(weights) / len(weights))
        relevance.append([says(d, [s] * len(names))[target] for s in states])
    return np.array(log_probs), np.array(attention), np.array(relevance)


def writer(seed=0, symbols=7, layers=2, how="bilinear") -> Writer:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Writer(symbols, 5, True, how, layers, "relu", 0.3).double().eval()


def sentences(seed, count=4, symbols=7):
    """Pairs of codes of different lengths, with their marks."""
    rng = np.random.default_rng(seed)
    draw = lambda: torch.tensor([START, *rng.integers(4, symbols, rng.integers(1, 6)), END])  # noqa: E731
    return [(draw(), draw()) for _ in range(count)]
