"""Plain twins that tests of several modules share: slow and obvious, nothing of heed's is called."""

import math

import numpy as np
import torch
from scipy.special import expit

import made_up
from heed.models.attentions import Additive
from heed.models.encoders import CNN, BiLSTM


def match_by_hand(u, v):
    """A(u, v) as it is written: loops, no rounding."""
    tops, found = [i for i in range(len(u)) if u[i] == max(u)], []
    for top in tops:
        larger = sum(1 for value in v if value > v[top])
        found.append(1 if larger < math.ceil(0.05 * len(v)) else 0)
    return sum(found) / len(tops)


def probabilities(head, logits: np.ndarray) -> np.ndarray:
    """exp(z) / sum exp(z), or 1 / (1 + exp(-z)) in two columns, by numpy."""
    if head.link == "sigmoid":
        p = 1 / (1 + np.exp(-logits))
        return np.concatenate([1 - p, p], -1)
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# The reader once more, a text at a time


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def lstm(weights: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    """States (T, H) of one LSTM over (T, E)."""
    size = weights["weight_hh_l0"].shape[1]
    h, c, found = np.zeros(size), np.zeros(size), []
    for step in x:
        gates = weights["weight_ih_l0"] @ step + weights["weight_hh_l0"] @ h
        i, f, g, o = np.split(gates + weights["bias_ih_l0"] + weights["bias_hh_l0"], 4)
        c = expit(f) * c + expit(i) * np.tanh(g)
        h = expit(o) * np.tanh(c)
        found.append(h)
    return np.array(found)


def weights_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: w.detach().numpy() for name, w in module.state_dict().items()}


def encode(encoder: torch.nn.Module, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States (T, H) of a text with its markers, (T, E), and its one vector as a query (H,)."""
    if isinstance(encoder, BiLSTM):
        ahead = lstm(weights_of(encoder.forwards), x)
        behind = lstm(weights_of(encoder.backwards), x[::-1])[::-1]
        return np.hstack([ahead, behind]), np.hstack([ahead[-1], behind[0]])
    if isinstance(encoder, CNN):
        columns = []
        for conv in encoder.filters:
            w, b = conv.weight.detach().numpy(), conv.bias.detach().numpy()
            half = w.shape[2] // 2
            wide = np.pad(x, ((half, half), (0, 0)))
            windows = [wide[t : t + 2 * half + 1].T for t in range(len(x))]
            columns.append([np.maximum([(w[k] * v).sum() + b[k] for k in range(len(w))], 0) for v in windows])
        states = np.concatenate(columns, axis=1)
        return states, states[1:-1].max(0)
    w = weights_of(encoder.project)
    states = np.maximum(x @ w["weight"].T + w["bias"], 0)
    return states, states[1:-1].mean(0)


def by_hand(model, codes, query, allowed, attention=None, embedded=None) -> dict[str, np.ndarray]:
    """Attention over the tokens, logits and probabilities of one passage and one query."""
    w = weights_of(model)
    x = w["embedding.weight"][codes] if embedded is None else embedded
    h = encode(model.encoder, x)[0][1:-1]
    q = encode(model.query_encoder, w["query_embedding.weight"][query])[1]
    if isinstance(model.attention, Additive):
        inner = np.tanh(
            h @ w["attention.inner.weight"].T + w["attention.inner.bias"] + w["attention.query.weight"] @ q
        )
        scores = inner @ w["attention.outer.weight"][0]
    else:
        scores = h @ q / np.sqrt(len(q))
    a = softmax(scores) if attention is None else attention
    z = np.tanh(w["of_context.weight"] @ (a @ h) + w["of_query.weight"] @ q + w["of_query.bias"])
    logits = np.where(allowed, w["head.out.weight"] @ z + w["head.out.bias"], -np.inf)
    return {"attention": a, "logits": logits, "probs": softmax(logits)}


def plain(case: made_up.Case, i: int, **given) -> dict[str, np.ndarray]:
    data = case.data
    codes = given.pop("codes", data.codes[i])
    return by_hand(case.model, codes, data.query.codes[i], data.allowed[i], **given)


def weighed(attention: str, scores: np.ndarray) -> np.ndarray:
    """Weights (T,) of scores: the softmax, or [(α - 1) s - τ]^(1/(α - 1)) above 0, τ found by bisection."""
    if attention not in ("sparsemax", "entmax15"):
        return np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    alpha = {"sparsemax": 2, "entmax15": 1.5}[attention]

    def at(threshold: float) -> np.ndarray:
        return np.maximum((alpha - 1) * scores - threshold, 0) ** (1 / (alpha - 1))

    high = (alpha - 1) * scores.max()
    low = high - 1
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() > 1 else (low, middle)
    return at(low)
