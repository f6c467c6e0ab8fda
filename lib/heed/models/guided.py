"""Models whose attention is given by another run, text by text, and not learnt."""

from torch import Tensor

from heed.corpora.batches import Batch
from heed.models.attended import frozen
from heed.models.classifier import Classifier
from heed.models.reader import Reader


class Guided:
    """Mixed into a model: attention is given, by instance id, and is not learnt; a weight of 0 stays 0."""

    def __init__(self, *given):
        super().__init__(*given)
        self.attention, self.given = None, {}

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return frozen(self.given)(self, batch).log()


class GuidedClassifier(Guided, Classifier):
    """A classifier with given attention."""


class GuidedReader(Guided, Reader):
    """A reader with given attention."""
