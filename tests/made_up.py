"""Two made-up models that satisfy Attended and are no Classifier, small texts for every model, drawn rows.

They are what the cut is tested with: neither is binary, one has a head that is not linear, a query and
answers that aren't allowed. Nothing here is trained; weights are drawn, so that nothing is degenerate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from heed.corpora.batches import Batch, Encoded
from heed.corpora.loading import Split
from heed.corpora.tokens import PAD, Vocabulary
from heed.evidence import SCHEMA, Evidence, Row
from heed.measures import correlation
from heed.models.build import build
from heed.models.encoders import ENCODERS
from heed.models.head import Head
from heed.params import Params

# Of lengths 1 to 9 in no order: one token, two tokens, a word three times, an unknown word ("zebra").
TEXTS = [
    "the film is good but the film is long",
    "dull",
    "not bad",
    "good good good",
    "the long dull film",
    "never was a film so good",
    "bad film",
    "a zebra is not a film",
    "the film the film the film",
]
QUESTIONS = [
    "is it good",
    "why",
    "what is not bad",
    "good",
    "how long is it",
    "why so",
    "a film",
    "is it",
    "who",
]
SMALL = {
    "embedding_dim": 5,
    "hidden": 4,
    "heads": 2,
    "head_size": 3,
    "cnn_filters": 3,
    "cnn_widths": (1, 3, 5),
    "average_dim": 6,
    "precision": "float64",
}


def words(texts: list[str]) -> list[list[str]]:
    """Texts cut at the spaces."""
    return [text.split() for text in texts]


VOCABULARY = Vocabulary.of(words([t for t in TEXTS + QUESTIONS if "zebra" not in t]))


def encoded(classes: int, ids: list[str] | None = None) -> Encoded:
    """TEXTS as a split with labels of so many classes; every second word is said to decide."""
    labels = np.arange(len(TEXTS)) % classes
    truth = [np.arange(len(t)) % 2 == 0 for t in words(TEXTS)]
    ids = ids or [f"test-{i}" for i in range(len(TEXTS))]
    return Encoded.of(Split(ids, words(TEXTS), labels, truth), VOCABULARY)


def embedding(width: int) -> nn.Embedding:
    """Random vectors for VOCABULARY; padding is zero, as `vectors.matrix` makes it."""
    rows = torch.randn(len(VOCABULARY), width)
    rows[PAD] = 0
    return nn.Embedding.from_pretrained(rows, freeze=False, padding_idx=PAD)


class ThreeClasses(nn.Module):
    """A GRU, attention by a plain linear score, three linear logits."""

    def __init__(self, attend_markers: bool = False):
        super().__init__()
        self.embedding = embedding(4)
        self.gru = nn.GRU(4, 6, batch_first=True)
        self.score = nn.Linear(6, 1)
        self.decoder = nn.Linear(6, 3)
        self.head = Head("identity", "softmax")
        self.attend_markers = attend_markers

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        return self.gru(embedded)[0]

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return 3 * self.score(states).squeeze(2)

    def values(self, states: Tensor) -> Tensor:
        return nn.functional.linear(states, self.decoder.weight)

    def shift(self, batch: Batch) -> Tensor:
        return self.decoder.bias.expand(len(batch.ids), -1)


class Asking(nn.Module):
    """Reads a question too: v·tanh(W1 h + W2 q) attends, W_out tanh(W_p c + W_q q + b) answers.

    encoder: one of heed's by name, of 6 columns, instead of a convolution of its own.
    """

    def __init__(self, attend_markers: bool = False, answers: int = 5, encoder: str | None = None):
        super().__init__()
        p = Params(hidden=3, cnn_filters=2, cnn_widths=(1, 3, 7), average_dim=6, heads=2, head_size=3)
        width = 6 if encoder == "none" else 4
        self.encoder = encoder and ENCODERS[encoder](width, p)
        self.embedding, self.of_query = embedding(width), embedding(4)
        self.mix = nn.Conv1d(4, 6, 3, padding=1)
        self.passage, self.question, self.score = nn.Linear(6, 7), nn.Linear(4, 7), nn.Linear(7, 1)
        self.project = nn.Linear(6, 3, bias=False)
        self.ask = nn.Linear(4, 3)
        self.head = Head("tanh", "softmax", nn.Linear(3, answers))
        self.attend_markers = attend_markers

    def query(self, batch: Batch) -> Tensor:
        """The mean vector of the question's tokens, shape (B, 4)."""
        real = batch.query.real[:, :, None]
        return (self.of_query(batch.query.codes) * real).sum(1) / real.sum(1)

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        if self.encoder:
            return self.encoder(embedded, batch.lengths)
        return self.mix(embedded.transpose(1, 2)).transpose(1, 2)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        inner = self.passage(states) + self.question(self.query(batch))[:, None]
        return 3 * self.score(inner.tanh()).squeeze(2)

    def values(self, states: Tensor) -> Tensor:
        return self.project(states)

    def shift(self, batch: Batch) -> Tensor:
        return self.ask(self.query(batch))


@dataclass(frozen=True)
class Case:
    """A model in float64 and the texts that it reads."""

    name: str
    model: nn.Module
    data: Encoded


def three_classes(attend_markers: bool = False) -> Case:
    """ThreeClasses, with ids that are no `split-number`."""
    ids = [f"patient {i}/note é <{i}>" for i in range(len(TEXTS))]
    return Case("three classes", _drawn(ThreeClasses, attend_markers), encoded(3, ids))


def asking(attend_markers: bool = False, encoder: str | None = None) -> Case:
    """Asking, with a question to each text and two to four of the five answers allowed."""
    return Case("asking", _drawn(partial(Asking, encoder=encoder), attend_markers), questions())


def questions() -> Encoded:
    """TEXTS with a question each and two to four of five answers allowed."""
    allowed = [[0, 1] + [2] * (i % 2 == 0) + [4] * (i % 3 == 0) for i in range(len(TEXTS))]
    data = encoded(2)
    split = Split(
        data.ids, data.words, data.labels, data.truth, words(QUESTIONS), list(map(np.array, allowed))
    )
    return Encoded.of(split, VOCABULARY, 5)


def reader(encoder: str, attention: str, attend_markers: bool = False) -> Case:
    """The real model that answers questions, with vectors drawn for VOCABULARY."""
    p = Params(encoder=encoder, attention=attention, attend_markers=attend_markers, **SMALL)
    rows = np.random.default_rng(0).standard_normal((len(VOCABULARY), p.embedding_dim))
    rows[PAD] = 0
    model = build(p, rows, 5, "qa").double().eval()
    return Case(f"reader {encoder}-{attention}", model, questions())


def classifier(encoder: str, attention: str, attend_markers: bool = False, classes: int = 2) -> Case:
    """The real model, with vectors drawn for VOCABULARY."""
    p = Params(encoder=encoder, attention=attention, attend_markers=attend_markers, **SMALL)
    rows = np.random.default_rng(0).standard_normal((len(VOCABULARY), p.embedding_dim))
    rows[PAD] = 0
    model = build(p, rows, classes).double().eval()
    return Case(f"{encoder}-{attention}", model, encoded(classes))


LEARNED = ("additive", "dot")  # attentions that are learned; the others are baselines
OF_TOKENS = [name for name, kind in ENCODERS.items() if kind.unit == "token"]


def every_case(attend_markers: bool = False) -> list[Case]:
    """Both made-up models, the six classifiers, and a reader with each encoder."""
    pairs = product(OF_TOKENS, LEARNED)
    real = [classifier(encoder, attention, attend_markers) for encoder, attention in pairs]
    asked = ("bilstm", "additive"), ("cnn", "dot"), ("average", "additive")
    real += [reader(encoder, attention, attend_markers) for encoder, attention in asked]
    return [three_classes(attend_markers), asking(attend_markers), *real]


def _drawn(kind: Callable[[bool], nn.Module], attend_markers: bool) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        return kind(attend_markers).double().eval()


def ranked(evidence, gradients, logits) -> correlation.Scores:
    """Chapter 02's first three rankings of these texts, of gradients and of leave-one-out's logits."""
    return correlation.scores(evidence, {"gradient": gradients, "loo": logits})


# Texts and rows drawn for the purpose


def texts(*lengths: int, seed: int = 0) -> Encoded:
    """Texts of random words, so many in each."""
    rng = np.random.default_rng(seed)
    words = [list(rng.choice(VOCABULARY.words[4:], n)) for n in lengths]
    split = Split([f"text {i}" for i in range(len(words))], words, np.zeros(len(words), dtype=int))
    return Encoded.of(split, VOCABULARY)


def evidence_of(rows, head=None):
    """Binary (or other) evidence from plain arrays: (attention, values (T, D), shift (D,))."""
    import pyarrow as pa

    head = head or Head("identity", "sigmoid").double()
    table = []
    for n, (a, values, shift) in enumerate(rows):
        values, shift = np.asarray(values, float).reshape(len(a), -1), np.atleast_1d(np.asarray(shift, float))
        table.append(
            {
                "id": f"r{n}",
                "group": f"r{n}",
                "units": [f"w{t}" for t in range(len(a))],
                "real": [True] * len(a),
                "attention": a,
                "values": values.ravel(),
                "shift": shift,
                "allowed": None,
                "label": 0,
                "prediction": head.probs(np.asarray(a) @ values, shift).detach().numpy(),
                "truth": None,
            }
        )
    return Evidence(pa.Table.from_pylist(table, schema=SCHEMA), head.frozen())


def drawn(rng, lengths, scale=1.0):
    """Random binary rows."""
    return [(rng.dirichlet(np.full(T, 0.5)), rng.normal(0, scale, T), rng.normal()) for T in lengths]


def asked_row(seed: int, length: int, answers: int = 3, width: int = 2, scale: float = 2.0) -> Row:
    """One row with a tanh head; some of the answers aren't allowed."""
    rng = np.random.default_rng(seed)
    head = Head("tanh", "softmax", torch.nn.Linear(width, answers, dtype=torch.float64))
    with torch.no_grad():
        for w in head.parameters():
            w.copy_(torch.as_tensor(rng.normal(0, scale, w.shape)))
    head = head.frozen()
    a, u, b = rng.dirichlet(np.ones(length)), rng.normal(0, 1, (length, width)), rng.normal(0, 1, width)
    allowed = np.arange(answers) != answers - 1 if seed % 2 else None
    y = head.probs(a @ u, b, allowed).numpy()
    words = [f"w{t}" for t in range(length)]
    return Row(f"row-{seed}", "", words, np.ones(length, dtype=bool), a, u, b, allowed, 0, y, None, head)
