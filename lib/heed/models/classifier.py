"""The classifier: embedding, one encoder, one attention, a linear decoder."""

from torch import Tensor, nn
from torch.nn import functional as F

from heed.corpora.batches import Batch
from heed.corpora.tokens import PAD
from heed.models.attended import encoded
from heed.models.attentions import build_attention
from heed.models.encoders import build_encoder
from heed.models.head import Head
from heed.models.pooled import WordPieces, read_on
from heed.params import Params


class Classifier(nn.Module):
    """Attended: embedding, one encoder, one attention, a linear decoder. Binary: one logit.

    embeddings: initial word vectors (words, E), or the words' pieces of a transformer that exists. With
    `masked_words` it tells words from states, too, in training alone.
    """

    def __init__(self, p: Params, embeddings: Tensor | WordPieces, classes: int):
        super().__init__()
        if isinstance(embeddings, WordPieces):
            self.embedding, self.encoder = read_on(embeddings, p)
        else:
            self.embedding = nn.Embedding.from_pretrained(embeddings, freeze=False, padding_idx=PAD)
            self.encoder = build_encoder(embeddings.shape[1], p)
        self.attention = build_attention(self.encoder.size, p)
        self.decoder = nn.Linear(self.encoder.size, 1 if classes == 2 else classes)
        self.head = Head("identity", "sigmoid" if classes == 2 else "softmax")
        self.attend_markers, self.unit = p.attend_markers, self.encoder.unit
        self.dropout, self.head.dropout = p.dropout, p.dropout_logits
        if p.xavier:
            _xavier(self)
        if p.masked_words and isinstance(embeddings, Tensor):
            self.of_words = nn.Linear(self.encoder.size, len(embeddings))

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes if batch.distinct is None else batch.distinct)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        embedded = F.dropout(embedded, self.dropout, self.training)
        return encoded(self, embedded, batch)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return self.attention(states)

    def values(self, states: Tensor) -> Tensor:
        return nn.functional.linear(states, self.decoder.weight)

    def shift(self, batch: Batch) -> Tensor:
        return self.decoder.bias.expand(len(batch.ids), -1)


def _xavier(model: Classifier) -> None:
    """Xavier-uniform decoder and GRU inputs, orthogonal recurrent weights, no biases."""
    for part in model.modules():
        for name, weight in part.named_parameters() if isinstance(part, nn.GRU) else ():
            draw = {"weight_ih": nn.init.xavier_uniform_, "weight_hh": nn.init.orthogonal_}
            draw.get(name.removesuffix("_l0"), nn.init.zeros_)(weight)
    nn.init.xavier_uniform_(model.decoder.weight)
    nn.init.zeros_(model.decoder.bias)
