"""Tail: what follows the last attention of a loaded classifier, as the decoder of one of its heads."""

import json

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor

from heed.errors import HeedError
from heed.models.decoder import Decoder, metadata_of
from heed.models.pretrained import Pretrained, pretrained


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
