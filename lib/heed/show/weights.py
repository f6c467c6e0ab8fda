"""What a strip needs of a model's tail: a description, and weights that all strips of the model share.

A tail has megabytes. A page holds its weights once, as the text of one element; Jupyter holds them once, as
a widget that strips refer to; of a notebook's outputs the first cell's that shows the model carries them.
"""

import base64
import hashlib
import re
from functools import lru_cache

import ipywidgets
import numpy as np
import traitlets
from IPython import get_ipython

from heed.models.pretrained import Pretrained
from heed.models.steps import Act, Add, Linear, Norm, Step
from heed.models.tail import Tail

# Attributes in the order of their names, as nbconvert writes them.
_ELEMENT = re.compile(r'<script data-heed="weights" data-of="(\w+)" type="text/plain">[^<]*</script>\n?')
_shared: dict[str, "Weights"] = {}  # by their checksum
_carried: dict[str, object] = {}  # the cell whose output has them


class Weights(ipywidgets.Widget):
    """A tail's weights, float32 one after another: what strips in Jupyter refer to."""

    content = traitlets.Bytes().tag(sync=True)

    @classmethod
    def of(cls, tail: Tail) -> "Weights":
        """The one of this tail's model."""
        content, checksum, _ = _packed(tail.source)
        if checksum not in _shared or _shared[checksum].comm is None:  # closed, as close_all does
            _shared[checksum] = cls(content=content)
        return _shared[checksum]


def described(tail: Tail) -> dict:
    """A tail as a strip takes it: its steps, where their weights begin, and what lifts the head's values.

    Raises HeedError if it has a step that no page knows.
    """
    content, checksum, places = _packed(tail.source)
    merge = tail.source.merge(tail.head)
    rows, columns = merge.shape
    steps = [_told(step, place) for step, place in zip(tail.steps(), places, strict=True)]
    return {
        "link": tail.link,
        "moves": tail.moves,
        "checksum": checksum,
        "size": len(content) // 4,
        "classes": tail.count,
        "lift": {"rows": rows, "columns": columns, "weight": tail.head * rows * columns, "bias": None},
        "steps": steps,
    }


@lru_cache(maxsize=2)
def _packed(source: Pretrained) -> tuple[bytes, str, list[list[int]]]:
    """All weights, their checksum, and where each step's begin: the heads' merges come first."""
    arrays = [source.merge(head).numpy() for head in range(source.heads)]
    at = sum(array.size for array in arrays)
    places = []
    for step in source.steps:
        own = [step.weight, step.bias] if isinstance(step, Linear | Norm) else []
        places.append([])
        for tensor in own:
            places[-1].append(at)
            arrays.append(tensor.numpy())
            at += tensor.numel()
    content = np.concatenate([array.ravel() for array in arrays]).astype("<f4").tobytes()
    return content, hashlib.sha256(content).hexdigest()[:32], places


def _told(step: Step, place: list[int]) -> dict:
    """A step as a strip takes it."""
    match step:
        case Linear():
            rows, columns = step.weight.shape
            return {"do": "linear", "rows": rows, "columns": columns, "weight": place[0], "bias": place[1]}
        case Norm():
            size, (weight, bias) = len(step.weight), place
            return {"do": "norm", "size": size, "epsilon": step.epsilon, "weight": weight, "bias": bias}
        case Act():
            return {"do": "act", "name": step.name}
        case Add():
            return {"do": "add", "of": step.state}


def element(tail: Tail) -> str:
    """The weights as HTML: what a page holds once for all strips of the model."""
    content, checksum, _ = _packed(tail.source)
    text = base64.b64encode(content).decode()
    return f'<script data-heed="weights" data-of="{checksum}" type="text/plain">{text}</script>\n'


def elements(heads) -> str:
    """The weights of all tails among these heads, each model's once."""
    found = {}
    for head in heads:
        if isinstance(head, Tail):
            found.setdefault(_packed(head.source)[1], head)
    return "".join(map(element, found.values()))


def once(page: str, carried: bool = False) -> str:
    """A page in which the weights of each model stand once: where they first stood.

    carried: of one cell's output in a notebook, without those that an earlier cell's output has.
    """
    seen = set()

    def first(found: re.Match) -> str:
        checksum = found[1]
        elsewhere = carried and _is_elsewhere(checksum)
        kept = "" if checksum in seen or elsewhere else found[0]
        seen.add(checksum)
        return kept

    return _ELEMENT.sub(first, page)


def _is_elsewhere(checksum: str) -> bool:
    """Whether another cell's output has these weights: by the cell's name or, if none is told, its turn."""
    shell = get_ipython()
    if shell is None:
        return False
    asked = getattr(shell, "parent_header", None) or {}
    cell = asked.get("metadata", {}).get("cellId") or shell.execution_count
    return _carried.setdefault(checksum, cell) != cell
