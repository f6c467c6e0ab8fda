"""The attentions: what gives each state a score. Baselines: all alike, and the last alone."""

import torch
from torch import Tensor, nn

from heed.params import Params


class Additive(nn.Module):
    """v · tanh(W_1 h + W_2 q), or without a query v · tanh(W_1 h); W: H to H/2, no bias in v.

    Or relu for tanh. Source: Snell et al. (2021), whose bias in v a softmax doesn't see.
    """

    def __init__(self, size: int, query: bool = False, activation: str = "tanh"):
        super().__init__()
        self.activate = getattr(torch, activation)
        inner = max(size // 2, 1)
        self.inner, self.outer = nn.Linear(size, inner), nn.Linear(inner, 1, bias=False)
        self.query = nn.Linear(size, inner, bias=False) if query else None

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        return self.outer(self.hidden(states, query)).squeeze(2)

    def hidden(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        """What the scores are a weighted sum of, (B, T, I)."""
        inner = self.inner(states)
        inner = inner if self.query is None else inner + self.query(query)[:, None]
        return self.activate(inner)


class Square(Additive):
    """v · tanh(W h) with a square W, no bias in v. Source: Yang et al. (2016), Serrano & Smith (2019)."""

    def __init__(self, size: int, activation: str = "tanh"):
        super().__init__(size, activation=activation)
        self.inner, self.outer = nn.Linear(size, size), nn.Linear(size, 1, bias=False)


class Dot(nn.Module):
    """q · h / sqrt(H), or without a query w · h / sqrt(H) with a learned w."""

    def __init__(self, size: int, query: bool = False):
        super().__init__()
        self.outer, self.scale = None if query else nn.Linear(size, 1, bias=False), size**-0.5

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        if self.outer is None:
            return torch.einsum("bth,bh->bt", states, query) * self.scale
        return self.outer(states).squeeze(2) * self.scale


class Uniform(nn.Module):
    """Equal scores: the mean of the states. A baseline: is attention needed at all?"""

    def __init__(self, size: int, query: bool = False):
        super().__init__()

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        return states.new_zeros(states.shape[:2])


class Last(nn.Module):
    """All weight on the last token. A baseline; of a BiLSTM its final states, as `BothEnds` gives them."""

    def __init__(self, size: int, query: bool = False):
        super().__init__()

    def forward(self, states: Tensor, query: Tensor | None = None) -> Tensor:
        # Steps so wide that a softmax over them is exactly one-hot; markers and padding are masked by then.
        steps = torch.arange(states.shape[1], device=states.device, dtype=states.dtype) * 1e4
        return steps.expand(states.shape[:2])


ATTENTIONS = {"additive": Additive, "dot": Dot, "uniform": Uniform, "last": Last}


def build_attention(size: int, p: Params, **query: bool) -> nn.Module:
    """The attention that the parameters name, for states of this size."""
    if p.attention != "additive":
        return ATTENTIONS[p.attention](size, **query)
    return (Square if p.attention_square else Additive)(size, **query, activation=p.attention_activation)
