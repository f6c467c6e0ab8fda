"""The reader: it answers a question about a passage, or says how a hypothesis follows from a premise."""

from torch import Tensor, nn

from heed.corpora.batches import Batch
from heed.corpora.tokens import PAD
from heed.models.attended import encoded
from heed.models.attentions import build_attention
from heed.models.encoders import build_encoder, encoder_called
from heed.models.head import Head
from heed.params import Params


class Reader(nn.Module):
    """Attended: answers a question about a passage, or says how a hypothesis follows from a premise.

    Passage and query have an embedding and an encoder each. W_2 tanh(W_p c + W_q q + b) of the context c and
    the query q, softmax over the answers that are allowed. Source: J&W (2019), section 2, and its code.
    """

    def __init__(self, p: Params, embeddings: Tensor, classes: int):
        super().__init__()
        self.embedding, self.query_embedding = (
            nn.Embedding.from_pretrained(embeddings.clone(), freeze=False, padding_idx=PAD) for _ in range(2)
        )
        self.encoder = build_encoder(embeddings.shape[1], p)
        self.query_encoder = encoder_called(p.encoder)(embeddings.shape[1], p)
        size, inner = self.encoder.size, max(self.encoder.size // 2, 1)
        self.attention = build_attention(size, p, query=True)
        self.of_context, self.of_query = nn.Linear(size, inner, bias=False), nn.Linear(size, inner)
        self.head = Head("tanh", "softmax", nn.Linear(inner, classes))
        self.attend_markers = p.attend_markers

    def embed(self, batch: Batch) -> Tensor:
        return self.embedding(batch.codes if batch.distinct is None else batch.distinct)

    def encode(self, embedded: Tensor, batch: Batch) -> Tensor:
        return encoded(self, embedded, batch)

    def read_query(self, query: Batch) -> Tensor:
        """Each query as one vector (B, H)."""
        if query.vector is not None:
            return query.vector
        states = self.query_encoder(self.query_embedding(query.codes), query.lengths)
        return self.query_encoder.whole(states, query)

    def scores(self, states: Tensor, batch: Batch) -> Tensor:
        return self.attention(states, self.read_query(batch.query))

    def values(self, states: Tensor) -> Tensor:
        return self.of_context(states)

    def shift(self, batch: Batch) -> Tensor:
        return self.of_query(self.read_query(batch.query))
