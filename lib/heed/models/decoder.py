"""Decoder: what turns an attended context into a prediction. All that evidence, and what is measured on it,
needs to know of a model.

Two kinds: `Head`, of heed's own models and of plain arrays; `Tail`, all that follows the last attention of a
transformer that was loaded.
"""

import json
from collections.abc import Callable
from importlib import import_module

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from heed import arrays
from heed.errors import HeedError

LINKS = ("sigmoid", "softmax")
KINDS = {"head": "heed.models.head", "tail": "heed.models.tail"}  # by what a block's metadata names


def as_tensor(array, name: str) -> Tensor:
    """A tensor of floating numbers; of an array that is mapped read-only a copy, which torch asks for."""
    if isinstance(array, Tensor):
        return array if array.is_floating_point() else array.double()
    return torch.from_numpy(np.array(arrays.numbers(array, name)))


def check_shapes(one: Tensor, other: Tensor, names: str) -> None:
    """Raise HeedError if these can't be broadcast against each other."""
    try:
        np.broadcast_shapes(one.shape, other.shape)
    except ValueError:
        raise HeedError(
            f"head: {names} have shapes {[*one.shape]} and {[*other.shape]}, which don't fit together."
        ) from None


class Decoder(nn.Module):
    """link: sigmoid (one logit) or softmax.

    One logit with the sigmoid link gives two columns, so that there is one TVD. A kind says how many classes
    there are, and what `raw_logits` of z = context + shift are.
    """

    link: str
    is_linear = False  # whether its logits are linear in the context
    dropout = 0.0  # of logits, in training alone

    def classes(self, width: int) -> int:
        """C of values with so many columns. Raises HeedError if it can't take them."""
        raise NotImplementedError

    def raw_logits(self, z: Tensor) -> Tensor:
        """Logits (..., C), or (..., 1) for the sigmoid, of z (..., D)."""
        raise NotImplementedError

    def lift(self, values: np.ndarray) -> np.ndarray:
        """Values (T, D) that attention averages, of those that evidence keeps (T, d): the same, as a rule."""
        return values

    @property
    def one_logit(self) -> bool:
        """Whether it is one logit, linear in attention: where moments and optima are exact."""
        return self.is_linear and self.link == "sigmoid"

    def logits(self, context, shift, allowed=None) -> Tensor:
        """Logits, shape (..., C) or (..., 1) for the sigmoid; -inf where `allowed` (..., C) is false.

        context (..., D) and shift (..., D), tensors, arrays or lists. Raises HeedError if they don't fit the
        decoder, or if nothing is allowed.
        """
        context = as_tensor(context, "context")
        shift = as_tensor(shift, "shift").to(context.device)
        check_shapes(context, shift, "context and shift")
        z = context + shift
        if z.ndim == 0:
            raise HeedError("head: context must be an array of values (..., D), not a single number.")
        C = self.classes(z.shape[-1])
        logits = F.dropout(self.raw_logits(z), self.dropout, self.training)
        return logits if allowed is None else self._masked(logits, allowed, C)

    def _masked(self, logits: Tensor, allowed, C: int) -> Tensor:
        """-inf where an answer isn't allowed."""
        if self.link == "sigmoid":
            raise HeedError("head: allowed chooses among the logits of a softmax, a sigmoid has but one.")
        if not isinstance(allowed, Tensor):
            allowed = torch.as_tensor(np.array(arrays.numbers(allowed, "allowed")))
        allowed = allowed.bool().to(logits.device)
        if allowed.ndim == 0 or allowed.shape[-1] != C:
            raise HeedError(
                f"allowed: expected a flag for each of {C} classes, got shape {[*allowed.shape]}."
            )
        if not allowed.any(-1).all():
            raise HeedError("allowed: no class is allowed; allow one at least.")
        check_shapes(logits, allowed, "logits and allowed")
        return logits.masked_fill(~allowed, -torch.inf)

    def from_logits(self, logits) -> Tensor:
        """Probabilities, shape (..., C), of logits that `logits` or `leave_one_out` returned."""
        return self.log_from_logits(logits).exp()

    def log_from_logits(self, logits) -> Tensor:
        """Log-probabilities, shape (..., C)."""
        logits = as_tensor(logits, "logits")
        if self.link == "softmax":
            return F.log_softmax(logits, dim=-1)
        return torch.cat([F.logsigmoid(-logits), F.logsigmoid(logits)], dim=-1)

    def probs(self, context, shift, allowed=None) -> Tensor:
        """Probabilities, shape (..., C), summing to 1."""
        return self.from_logits(self.logits(context, shift, allowed))

    @property
    def is_frozen(self) -> bool:
        """Whether it is as `frozen` makes it."""
        if self.training and self.dropout:
            return False
        return all(
            w.dtype == torch.float64 and w.device.type == "cpu" and not w.requires_grad
            for w in self.parameters()
        )

    def frozen(self) -> "Decoder":
        """A copy in float64 that no training changes: what evidence carries."""
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        """What `decoder_of` reads: a safetensors block whose metadata names the kind."""
        raise NotImplementedError


class Called(Decoder):
    """A function of one's own that makes logits (N, C) of attended contexts (N, D); it lives in memory alone.

    link: softmax, or sigmoid of one logit. width: D. classes: C; of one logit 2.
    """

    def __init__(self, function: Callable[[Tensor], Tensor], link: str, width: int, classes: int):
        super().__init__()
        self.function, self.link, self.width, self.count = function, link, width, classes

    def classes(self, width: int) -> int:
        """C, of values of its width. Raises HeedError for others."""
        if width != self.width:
            raise HeedError(f"head: the decoder takes {self.width} values a token, it got {width}.")
        return self.count

    def raw_logits(self, z: Tensor) -> Tensor:
        return self.function(z.reshape(-1, self.width)).reshape(*z.shape[:-1], -1)

    def frozen(self) -> "Called":
        """Itself: what it calls is the caller's."""
        return self

    def to_bytes(self) -> bytes:
        raise HeedError("evidence: a decoder of your own can't be saved, unless it is one torch.nn.Linear.")


def decoder_of(block: bytes) -> Decoder:
    """The decoder that `to_bytes` wrote, in float64 and without gradients.

    Raises ValueError or KeyError for a block that is none.
    """
    metadata = metadata_of(block)
    for kind, module in KINDS.items():
        if kind in metadata:
            return import_module(module).from_bytes(block)
    raise ValueError(f"its decoder is of none of these kinds: {', '.join(KINDS)}")


def metadata_of(block: bytes) -> dict[str, str]:
    """The metadata of a safetensors block."""
    size = int.from_bytes(block[:8], "little")
    return json.loads(block[8 : 8 + size])["__metadata__"]
