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

from heed.errors import HeedError

ACTS = {"identity": lambda z: z, "tanh": torch.tanh, "relu": torch.relu}
LINKS = ("sigmoid", "softmax")


def _tensor(array) -> Tensor:
    """A tensor; of an array that is mapped read-only a copy, which torch asks for."""
    return array if isinstance(array, Tensor) else torch.from_numpy(np.array(array))


class Head(nn.Module):
    """act: identity, tanh or relu; link: sigmoid (one logit) or softmax; out: a linear map, or None."""

    def __init__(self, act: str = "identity", link: str = "softmax", out: nn.Linear | None = None):
        super().__init__()
        if act not in ACTS or link not in LINKS:
            raise HeedError(f"head: act {act!r} and link {link!r} must be of {list(ACTS)} and {list(LINKS)}.")
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

    def logits(self, context, shift, allowed=None) -> Tensor:
        """Logits, shape (..., C) or (..., 1) for the sigmoid; -inf where `allowed` (..., C) is false.

        context (..., D) and shift (..., D), tensors or arrays, of the head's own precision.
        """
        z = _tensor(context) + _tensor(shift)
        if self.link == "sigmoid" and self.out is None and z.shape[-1] != 1:
            raise HeedError(f"head: the sigmoid link takes one value a token, it got {z.shape[-1]}.")
        z = ACTS[self.act](z)
        z = F.dropout(z if self.out is None else self.out(z), self.dropout, self.training)
        return z if allowed is None else z.masked_fill(~torch.as_tensor(allowed), -torch.inf)

    def from_logits(self, logits) -> Tensor:
        """Probabilities, shape (..., C), of logits that `logits` or `leave_one_out` returned."""
        return self.log_from_logits(logits).exp()

    def log_from_logits(self, logits) -> Tensor:
        """Log-probabilities, shape (..., C)."""
        logits = _tensor(logits)
        if self.link == "softmax":
            return F.log_softmax(logits, dim=-1)
        return torch.cat([F.logsigmoid(-logits), F.logsigmoid(logits)], dim=-1)

    def probs(self, context, shift, allowed=None) -> Tensor:
        """Probabilities, shape (..., C), summing to 1."""
        return self.from_logits(self.logits(context, shift, allowed))

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
