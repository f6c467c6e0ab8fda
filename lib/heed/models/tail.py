"""Tail: what follows the last attention of a loaded classifier, as the decoder of one of its heads."""

import json

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor

from heed.errors import HeedError
from heed.models.decoder import Decoder, metadata_of
from heed.models.pretrained import Pretrained, pretrained
from heed.models.steps import Step


class Tail(Decoder):
    """The decoder of one head of a classifier's last layer; the other heads are in the shift.

    Evidence keeps the head's own values (T, size / heads); `lift` makes of them what they add to z (T, size).
    A file names the model and its checksum, and holds no weights: the model is loaded when a prediction is
    asked for, and must be the same.
    """

    link = "softmax"

    def __init__(self, name: str, checksum: str, head: int, classes: int, size: int):
        super().__init__()
        self.name, self.checksum, self.head, self.count, self.size = name, checksum, head, classes, size
        self._source: list[Pretrained] = []  # a list: its weights aren't this module's

    @classmethod
    def of(cls, source: Pretrained, head: int) -> "Tail":
        """The decoder of head 0, 1, ... of a loaded classifier."""
        found = cls(source.name, source.checksum, head, len(source.classes), source.size)
        found._source.append(source)
        return found

    @property
    def source(self) -> Pretrained:
        """The classifier. Raises HeedError if it isn't there, or isn't the one that made the evidence."""
        if not self._source:
            found = pretrained(self.name)
            if found.checksum != self.checksum:
                raise HeedError(
                    f"evidence: it was made with another model than {self.name} is now. Make it anew, or put "
                    "the model back."
                )
            self._source.append(found)
        return self._source[0]

    def classes(self, width: int) -> int:
        """C, of values of the states' width. Raises HeedError for others."""
        if width != self.size:
            raise HeedError(f"head: {self.name} takes {self.size} values a token, it got {width}.")
        return self.count

    def raw_logits(self, z: Tensor) -> Tensor:
        return self.source.tail(z.to(torch.float64))

    def lift(self, values: np.ndarray) -> np.ndarray:
        """What a head's values (T, size / heads) add to z, (T, size)."""
        return values @ self.source.merge(self.head).numpy().T

    def lower(self, values: np.ndarray) -> np.ndarray:
        """Values (T, size / heads) of which `lift` makes these (T, size). Raises HeedError if none are."""
        merge = self.source.merge(self.head).numpy()
        found = np.linalg.lstsq(merge, values.T, rcond=None)[0].T
        apart, largest = np.abs(self.lift(found) - values).max(), np.abs(values).max()
        if apart > 1e-9 * max(largest, 1):
            raise HeedError(
                f"values: they aren't what head {self.head} of {self.name} adds, by {apart:.2g}. Take a "
                "row of evidence_from_hf, or lift the head's own values: head.lift(values)."
            )
        return found

    def steps(self) -> list[Step]:
        """What makes logits of z. Raises HeedError for a step that `models.steps` doesn't know."""
        return self.source.steps

    @property
    def names(self) -> list[str] | None:
        """Names of the classes, each its own; None where two have the same."""
        found = self.source.classes
        return list(found) if len({*found}) == len(found) else None

    @property
    def moves(self) -> str:
        """Which part of the model another attention is given to, in a sentence."""
        heads, layers = self.source.heads, self.source.layers
        which = f"head {self.head + 1} of {heads}" if heads > 1 else "the only head"
        others = "; the others stay as they are" if heads > 1 else ""
        return f"What moves is {which} of the last layer (layer {layers} of {layers}){others}."

    def frozen(self) -> "Tail":
        """Itself: nothing trains it."""
        return self

    def to_bytes(self) -> bytes:
        """Which model, by name and checksum, and which of its heads."""
        told = [self.name, self.checksum, self.head, self.count, self.size]
        return save({"none": torch.zeros(0)}, {"tail": json.dumps(told)})


def from_bytes(block: bytes) -> Tail:
    """The decoder that `to_bytes` wrote. Raises ValueError or TypeError for what is none."""
    name, checksum, head, classes, size = json.loads(metadata_of(block)["tail"])
    return Tail(str(name), str(checksum), int(head), int(classes), int(size))
