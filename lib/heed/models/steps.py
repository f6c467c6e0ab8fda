"""Steps: what follows the last attention, as a short list that any language can follow.

A state x_0 goes in, and x_k+1 is what step k makes of x_k; logits come out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed.errors import HeedError

CURVES = {
    "gelu": F.gelu,
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
    "tanh": torch.tanh,
}
# Their names, by the classes of torch and transformers that compute them.
_CLASSES = {
    "GELU": "gelu",
    "GELUActivation": "gelu",
    "NewGELUActivation": "gelu_new",
    "FastGELUActivation": "gelu_new",
    "GELUTanh": "gelu_new",
    "ReLU": "relu",
    "SiLU": "silu",
    "SiLUActivation": "silu",
    "Tanh": "tanh",
}


@dataclass(frozen=True)
class Linear:
    """weight (rows, columns) times x, and bias (rows,)."""

    weight: Tensor
    bias: Tensor

    def of(self, states: list[Tensor]) -> Tensor:
        return F.linear(states[-1], self.weight, self.bias)


@dataclass(frozen=True)
class Norm:
    """x at mean 0 and variance 1 (with epsilon), times weight (size,), and bias (size,)."""

    weight: Tensor
    bias: Tensor
    epsilon: float

    def of(self, states: list[Tensor]) -> Tensor:
        return F.layer_norm(states[-1], self.weight.shape, self.weight, self.bias, self.epsilon)


@dataclass(frozen=True)
class Act:
    """A function of each number, by its name in CURVES."""

    name: str

    def of(self, states: list[Tensor]) -> Tensor:
        return CURVES[self.name](states[-1])


@dataclass(frozen=True)
class Add:
    """x and the earlier state of this number."""

    state: int

    def of(self, states: list[Tensor]) -> Tensor:
        return states[-1] + states[self.state]


Step = Linear | Norm | Act | Add


def followed(steps: Sequence[Step], x: Tensor) -> Tensor:
    """What comes out (..., C), of x (..., size)."""
    states = [x]
    for step in steps:
        states.append(step.of(states))
    return states[-1]


def step_of(module) -> Step:
    """The step that a module is. Raises HeedError for one that is none, such as a rare activation."""
    if isinstance(module, nn.Linear):
        bias = torch.zeros(module.out_features) if module.bias is None else module.bias
        return Linear(module.weight, bias.to(module.weight))
    if isinstance(module, nn.LayerNorm):
        return Norm(module.weight, module.bias, module.eps)
    kind = type(module).__name__
    if kind not in _CLASSES or getattr(module, "approximate", "none") != "none":
        raise HeedError(
            f"strip: a page doesn't know the step {module} of this model; it knows linear maps, layer "
            f"norms and {', '.join(CURVES)}. what_if and all measures work on its rows without a page."
        )
    return Act(_CLASSES[kind])
