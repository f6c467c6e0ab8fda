"""The attentions: what gives each state a score, and how scores become weights that sum to 1.

Most weigh by a softmax, which is 0 nowhere. Baselines: all alike, and the last alone.
"""

from collections.abc import Callable

import entmax
import torch
from torch import Tensor, nn

from heed.errors import HeedError
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


class Sparsemax(Additive):
    """Additive scores s, and as weights the point of the simplex that is nearest to s: many are exactly 0.

    Source: Martins & Astudillo (2016).
    """

    weigh = staticmethod(entmax.sparsemax)


class Entmax15(Additive):
    """Additive scores and weights between softmax and sparsemax, [s/2 - τ]² where that is above 0.

    Source: Peters, Niculae & Martins (2019), with α = 1.5.
    """

    @staticmethod
    def weigh(scores: Tensor, dim: int = -1) -> Tensor:
        """Weights of scores (..., T), -inf at what takes no part.

        entmax says which of them are above 0. There τ has a closed form, which can be differentiated twice;
        entmax's own derivative is infinite at the second where a weight is 0.
        """
        x = (scores - scores.amax(dim, keepdim=True).detach()) / 2
        support = entmax.entmax15(scores.detach(), dim) > 0
        x = x.masked_fill(~support, 0.0)
        count = support.sum(dim, keepdim=True)
        mean = x.sum(dim, keepdim=True) / count
        spread = ((x - mean).square() * support).sum(dim, keepdim=True)
        threshold = mean - ((1 - spread) / count).sqrt()
        return (x - threshold).square() * support


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


ATTENTIONS = {
    "additive": Additive,
    "dot": Dot,
    "sparsemax": Sparsemax,
    "entmax15": Entmax15,
    "uniform": Uniform,
    "last": Last,
}
LEARNED = ("additive", "dot", "sparsemax", "entmax15")


def way_of_weighing(attention: nn.Module | None) -> Callable[..., Tensor] | None:
    """What makes weights of an attention's scores (..., T), if it isn't a softmax; else None."""
    return getattr(attention, "weigh", None)


def is_sparse(name: str) -> bool:
    """Whether an attention of this name gives units a weight of exactly 0."""
    return way_of_weighing(ATTENTIONS[name]) is not None


def build_attention(size: int, p: Params, **query: bool) -> nn.Module:
    """The attention that the parameters name, for states of this size.

    Raises HeedError for a square W of an attention that has none.
    """
    if p.attention == "additive":
        kind = Square if p.attention_square else Additive
        return kind(size, **query, activation=p.attention_activation)
    if is_sparse(p.attention):
        if p.attention_square:
            raise HeedError(
                f"attention_square: attention {p.attention} hasn't got it. Give attention_square: false."
            )
        return ATTENTIONS[p.attention](size, **query, activation=p.attention_activation)
    return ATTENTIONS[p.attention](size, **query)
