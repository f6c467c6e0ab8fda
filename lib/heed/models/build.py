"""The model that a run's parameters name, with its first weights."""

import numpy as np
import torch
from torch import nn

from heed.errors import HeedError
from heed.models import repairs
from heed.models.attentions import is_sparse
from heed.models.classifier import Classifier
from heed.models.encoders import ENCODERS, Encoder, encoder_called
from heed.models.guided import GuidedClassifier, GuidedReader
from heed.models.pooled import WordPieces
from heed.models.reader import Reader
from heed.params import REPAIRING, Params

# The encoders of models that answer questions.
ASKED = [name for name, kind in ENCODERS.items() if kind.reads_questions]


def of_bags(p: Params) -> bool:
    """Whether what a model predicts depends on how often a text has each token alone."""
    by_counts = encoder_called(p.encoder).of_bags and p.attention != "last" and not is_sparse(p.attention)
    of_places = p.is_guided or p.kl_weight or p.dropout or p.lie_weight
    of_places = of_places or any(getattr(p, name) for name in REPAIRING)
    return by_counts and not of_places


def _scale_inputs(model: nn.Module, p: Params) -> None:
    """Multiply what meets the word vectors first. Raises HeedError if the encoder has no such weights."""
    weights = [w for part in model.modules() if isinstance(part, Encoder) for w in part.first_weights()]
    if not weights:
        raise HeedError(f"input_scale: encoder {p.encoder} has no weights of the word vectors. Leave it out.")
    with torch.no_grad():
        for weight in {id(weight): weight for weight in weights}.values():  # an encoder may hold another one
            weight *= p.input_scale


def build(
    p: Params, embeddings: np.ndarray | WordPieces, classes: int, task: str = "classification"
) -> nn.Module:
    """A model with initial weights drawn by the run's seed, in the precision of training.

    embeddings: initial word vectors (words, E), or the words' pieces of a transformer that exists.
    A trained adversary must not start where its base did: its weights are drawn from a stream of their own.
    Raises HeedError for an encoder or a parameter that models of this task haven't got.
    """
    kinds = (GuidedClassifier, GuidedReader) if p.is_guided else (Classifier, Reader)
    if task != "classification" and p.encoder not in ASKED:
        raise HeedError(f"encoder {p.encoder} answers nothing, it classifies. Use one of {ASKED}.")
    only = [n for n in ("attention_square", "dropout", "dropout_logits", "xavier") if getattr(p, n)]
    if task != "classification" and only:
        raise HeedError(f"{only[0]}: what answers questions hasn't got it. Leave it out, or classify texts.")
    kind = kinds[task != "classification"]
    afresh = int(np.random.SeedSequence([p.seed, 6]).generate_state(1)[0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(afresh if p.kl_weight else p.seed)
        if not isinstance(embeddings, WordPieces):
            embeddings = torch.as_tensor(embeddings, dtype=torch.float32)
        model = kind(p, embeddings, classes)
    repairs.check(p, model, p.embedding_dim if p.reads_pieces else embeddings.shape[1], task)
    if p.input_scale != 1:
        _scale_inputs(model, p)
    return model.to(getattr(torch, p.precision))
