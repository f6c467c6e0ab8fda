"""Head: what turns a context into a prediction, of heed's own models and of plain arrays.

z = context + shift; logits = out(act(z)); probabilities = link(logits). Classification: act identity, no
out, shift the bias. Question answering and inference: shift = W_q q + b, act tanh. Translation: shift =
W_d d, act relu.
"""

import json

import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from heed.errors import HeedError
from heed.models.decoder import LINKS, Decoder, metadata_of

ACTS = {"identity": lambda z: z, "tanh": torch.tanh, "relu": torch.relu}


class Head(Decoder):
    """What turns an attended context into a prediction: link(out(act(context + shift))).

    act: identity, tanh or relu. link: sigmoid, of one logit, which gives two probabilities, or softmax. out:
    a `torch.nn.Linear` from D values to C logits (one for the sigmoid), or None, where the values are logits.
    With act identity and no out the logits are linear in attention, and optima with one logit are exact.
    Raises HeedError for an act, a link or an out that don't fit.
    """

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

    @property
    def is_linear(self) -> bool:
        """Whether its logits are the context and the shift themselves."""
        return self.act == "identity" and self.out is None

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

    def raw_logits(self, z: Tensor) -> Tensor:
        z = ACTS[self.act](z)
        return z if self.out is None else self.out(z.to(self.out.weight))  # its own precision and device

    def frozen(self) -> "Head":
        """A copy in float64 that no training changes: what evidence carries."""
        return from_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """act, link and weights as one safetensors block."""
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in self.state_dict().items()}
        return save(weights or {"none": torch.zeros(0)}, {"head": json.dumps([self.act, self.link])})


def from_bytes(block: bytes) -> Head:
    """The head that `to_bytes` wrote, in float64 and without gradients."""
    act, link = json.loads(metadata_of(block)["head"])
    weights = {name: tensor.double() for name, tensor in load(block).items() if name != "none"}
    out = None
    if "out.weight" in weights:
        classes, width = weights["out.weight"].shape
        out = nn.Linear(width, classes, bias="out.bias" in weights, dtype=torch.float64)
    head = Head(act, link, out)
    head.load_state_dict(weights)
    return head.requires_grad_(False).eval()
