"""Head: what turns a context into a prediction, for every task here.

z = context + shift; logits = out(act(z)); probabilities = link(logits). One logit with the sigmoid
link gives two columns, so that there is one TVD. Classification: act identity, no out, shift the bias.
Question answering and inference: shift = W_q q + b, act tanh. Translation: shift = W_d d, act relu.
"""

import json

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn import functional as F

from heed import arrays
from heed.errors import HeedError

ACTS = {"identity": lambda z: z, "tanh": torch.tanh, "relu": torch.relu}
LINKS = ("sigmoid", "softmax")


def _tensor(array, name: str) -> Tensor:
    """A tensor of floating numbers; of an array that is mapped read-only a copy, which torch asks for."""
    if isinstance(array, Tensor):
        return array if array.is_floating_point() else array.double()
    return torch.from_numpy(np.array(arrays.numbers(array, name)))


def _check_shapes(one: Tensor, other: Tensor, names: str) -> None:
    """Raise HeedError if these can't be broadcast against each other."""
    try:
        torch.broadcast_shapes(one.shape, other.shape)
    except RuntimeError:
        raise HeedError(
            f"head: {names} have shapes {[*one.shape]} and {[*other.shape]}, which don't fit together."
        ) from None


class Head(nn.Module):
    """act: identity, tanh or relu; link: sigmoid (one logit) or softmax; out: a linear map, or None."""

    def __init__(self, act: str = "identity", link: str = "softmax", out: nn.Linear | None = None):
        super().__init__()
        if act not in ACTS or link not in LINKS:
            raise HeedError(f"head: act {act!r} and link {link!r} must be of {list(ACTS)} and {list(LINKS)}.")
        if out is not None and not isinstance(out, nn.Linear):
            raise HeedError(f"head: out must be a torch.nn.Linear or None, not a {type(out).__name__}.")
        if link == "sigmoid" and out is not None and out.out_features != 1:
            raise HeedError(
                f"head: the sigmoid link takes one logit, out gives {out.out_features}; use softmax."
            )
        self.act, self.link, self.out = act, link, out
        self.dropout = 0.0  # of logits, in training alone

    @property
    def one_logit(self) -> bool:
        """Whether it is one logit, linear in attention: where moments and optima are exact."""
        return self.act == "identity" and self.link == "sigmoid" and self.out is None

    def classes(self, width: int) -> int:
        """C of values with so many columns. Raises HeedError if it can't take them."""
        if self.out is not None:
            if width != self.out.in_features:
                raise HeedError(
                    f"head: its last layer takes {self.out.in_features} values a token, it got {width}."
                )
            width = self.out.out_features
        if self.link == "sigmoid":
            if width != 1:
                raise HeedError(f"head: the sigmoid link takes one value a token, it got {width}.")
            return 2
        if width < 2:
            raise HeedError(
                "head: a softmax of one logit is always 1; one value a token needs the sigmoid link."
            )
        return width

    def logits(self, context, shift, allowed=None) -> Tensor:
        """Logits, shape (..., C) or (..., 1) for the sigmoid; -inf where `allowed` (..., C) is false.

        context (..., D) and shift (..., D), tensors, arrays or lists. Raises HeedError if they don't fit the
        head, or if nothing is allowed.
        """
        context = _tensor(context, "context")
        shift = _tensor(shift, "shift").to(context.device)
        _check_shapes(context, shift, "context and shift")
        z = context + shift
        if z.ndim == 0:
            raise HeedError("head: context must be an array of values (..., D), not a single number.")
        C = self.classes(z.shape[-1])
        z = ACTS[self.act](z)
        if self.out is not None:
            z = self.out(z.to(self.out.weight))  # its own precision and device
        z = F.dropout(z, self.dropout, self.training)
        return z if allowed is None else self._masked(z, allowed, C)

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
        _check_shapes(logits, allowed, "logits and allowed")
        return logits.masked_fill(~allowed, -torch.inf)

    def from_logits(self, logits) -> Tensor:
        """Probabilities, shape (..., C), of logits that `logits` or `leave_one_out` returned."""
        return self.log_from_logits(logits).exp()

    def log_from_logits(self, logits) -> Tensor:
        """Log-probabilities, shape (..., C)."""
        logits = _tensor(logits, "logits")
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

    def frozen(self) -> "Head":
        """A copy in float64 that no training changes: what evidence carries."""
        return Head.from_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """act, link and weights as one safetensors block."""
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in self.state_dict().items()}
        return save(weights or {"none": torch.zeros(0)}, {"head": json.dumps([self.act, self.link])})

    @classmethod
    def from_bytes(cls, block: bytes) -> "Head":
        """The head that `to_bytes` wrote, in float64 and without gradients."""
        size = int.from_bytes(block[:8], "little")
        act, link = json.loads(json.loads(block[8 : 8 + size])["__metadata__"]["head"])
        weights = {name: tensor.double() for name, tensor in load(block).items() if name != "none"}
        out = None
        if "out.weight" in weights:
            classes, width = weights["out.weight"].shape
            out = nn.Linear(width, classes, bias="out.bias" in weights, dtype=torch.float64)
        head = cls(act, link, out)
        head.load_state_dict(weights)
        return head.requires_grad_(False).eval()
