"""A transformer that exists, as an encoder: words of heed's own, each read as its pieces, a state a word.

Words stay what they are in every chapter. The transformer reads [CLS], the pieces of each word in turn,
[SEP]; a word's state is the mean of its pieces' states, and the markers take the part of [CLS] and [SEP].
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from heed.corpora.tokens import END, PAD, SPECIAL, START, UNKNOWN
from heed.errors import HeedError
from heed.models.encoders import Transformer
from heed.models.pretrained import Base, base_of
from heed.params import Params

KEPT = 4 * 2**30  # bytes of states that a frozen transformer remembers in training


@dataclass(frozen=True, eq=False)
class WordPieces:
    """The pieces of each word: codes (P,) of the transformer's, one word after the other; starts (V + 1,)."""

    base: Base
    codes: np.ndarray
    starts: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        """How many pieces each word has, (V,); padding none, all else one at least."""
        return np.diff(self.starts)

    def of(self, code: int) -> np.ndarray:
        """The pieces of one word."""
        return self.codes[self.starts[code] : self.starts[code + 1]]

    def read(self, codes: np.ndarray) -> int:
        """How many of a text's words, markers aside, are read whole together with both marks.

        codes: the text's between its markers, (T + 2,).
        """
        room = self.base.longest - 2
        return int(np.searchsorted(np.cumsum(self.counts[codes[1:-1]]), room, side="right"))


def pieces_of(words: Sequence[str], name: str) -> WordPieces:
    """The pieces of a vocabulary's words, special ones first, by the tokenizer of a transformer that exists.

    A word that it drops, such as a control character, is its unknown piece; of a word that is longer than a
    text may be, what fits is read. Raises HeedError if there is no such transformer.
    """
    base = base_of(name)
    tokenizer = base.tokenizer
    of_special = {PAD: [], UNKNOWN: [tokenizer.unk_token_id]}
    of_special |= {START: [tokenizer.cls_token_id], END: [tokenizer.sep_token_id]}
    given = [f" {word}" for word in words[len(SPECIAL) :]]  # within a text a word follows a space
    cut = tokenizer(given, add_special_tokens=False)["input_ids"] if given else []
    each = [of_special[code] for code in range(len(SPECIAL))]
    each += [own[: base.longest - 2] or [tokenizer.unk_token_id] for own in cut]
    return WordPieces(base, np.concatenate(each).astype(np.int64), np.cumsum([0, *map(len, each)]))


def read_on(pieces: WordPieces, p: Params) -> tuple["PieceEmbedding", "PretrainedTransformer"]:
    """The embedding and the encoder of a model that reads these words so."""
    model = copy.deepcopy(pieces.base.model).requires_grad_(p.finetune)
    encoder = PretrainedTransformer(model, pieces, p)
    return PieceEmbedding(model.get_input_embeddings(), pieces), encoder


class PieceEmbedding(nn.Module):
    """Embedded pieces of each word, side by side: (B, T, M·E), M the most pieces of a word in the batch.

    So that what is done with a word's vector, a derivative or a path from zero, is done with all its pieces.
    """

    def __init__(self, rows: nn.Embedding, pieces: WordPieces):
        super().__init__()
        self._rows = [rows]  # a list: the weights are the encoder's
        self.register_buffer("codes", torch.from_numpy(pieces.codes), persistent=False)
        self.register_buffer("starts", torch.from_numpy(pieces.starts), persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        starts, counts = self.starts[codes], self.starts[codes + 1] - self.starts[codes]
        slots = torch.arange(int(counts.max()), device=codes.device)
        inside = slots < counts[..., None]
        own = self.codes[torch.where(inside, starts[..., None] + slots, 0)]
        return (self._rows[0](own) * inside[..., None]).flatten(2)


class PretrainedTransformer(Transformer):
    """The states of words: the mean of their pieces' states after the last layer.

    Frozen, its weights aren't among those that are saved, and in training it remembers the states of each
    text, unless dropout makes others each time. What is saved names the transformer by its checksum and
    refuses another.
    """

    reads_codes = True

    def __init__(self, model: nn.Module, pieces: WordPieces, p: Params):
        nn.Module.__init__(self)
        self.base, self.name_of_base, self.finetune = model, pieces.base.name, p.finetune
        self.remembers = not (p.finetune or p.dropout)
        self.size, self.width = model.config.hidden_size, model.get_input_embeddings().embedding_dim
        self.register_buffer("counts", torch.from_numpy(pieces.counts), persistent=False)
        checksum = torch.frombuffer(bytearray.fromhex(pieces.base.checksum), dtype=torch.uint8)
        self.register_buffer("checksum", checksum)
        self.kept: dict[bytes, Tensor] | None = None
        self.bytes = 0
        self.register_load_state_dict_pre_hook(_check_checksum)
        if not p.finetune:
            self.register_state_dict_post_hook(_without_base)
            self.register_load_state_dict_post_hook(_base_is_there)

    def first_weights(self) -> list[Tensor]:
        return []

    def train(self, mode: bool = True) -> "PretrainedTransformer":
        """Frozen, it has no dropout in training either, and begins to remember."""
        super().train(mode)
        if not self.finetune:
            self.base.eval()
        if mode and self.remembers and self.kept is None:
            self.kept = {}
        return self

    def forward(self, x: Tensor, codes: Tensor) -> Tensor:
        """States (B, T, H) of embedded pieces (B, T, M·E); codes (B, T)."""
        if self.kept is None or x.requires_grad:
            return self._states(x, codes)
        texts = [row[row != PAD].numpy().tobytes() for row in codes.cpu()]
        new = [b for b, text in enumerate(texts) if text not in self.kept]
        made = dict(zip(new, self._states(x[new], codes[new]), strict=True)) if new else {}
        states = x.new_zeros(*codes.shape, self.size)
        for b, text in enumerate(texts):
            length = len(text) // 8
            own = made[b][:length] if b in made else self.kept[text].to(x)
            states[b, :length] = own
            if b in made and self.bytes < KEPT:
                self.kept[text] = own.clone()
                self.bytes += own.nbytes
        return states

    def _states(self, x: Tensor, codes: Tensor) -> Tensor:
        counts = self.counts[codes]
        embedded = x.unflatten(2, (-1, self.width))
        inside = torch.arange(embedded.shape[2], device=x.device) < counts[..., None]
        lengths = counts.sum(1)
        there = torch.arange(int(lengths.max()), device=x.device) < lengths[:, None]
        text, word, _ = inside.nonzero(as_tuple=True)  # of each piece, as they are read
        given = x.new_zeros(*there.shape, self.width)
        given[there] = embedded[inside]
        read = self.base(inputs_embeds=given, attention_mask=there.long()).last_hidden_state[there]
        states = x.new_zeros(codes.numel(), self.size).index_add(0, text * codes.shape[1] + word, read)
        return (states / counts.clamp(min=1).flatten()[:, None].to(states)).view(*codes.shape, -1)


def _without_base(encoder, state: dict, prefix: str, metadata) -> None:
    for name in [name for name in state if name.startswith(f"{prefix}base.")]:
        del state[name]


def _base_is_there(encoder, keys) -> None:
    keys.missing_keys[:] = [name for name in keys.missing_keys if not _of_base(name)]


def _of_base(name: str) -> bool:
    return ".base." in f".{name}"


def _check_checksum(encoder, state: dict, prefix: str, *rest) -> None:
    """Raises HeedError for the weights of a model that read on from another transformer."""
    saved = state.get(f"{prefix}checksum")
    if saved is not None and not torch.equal(saved.cpu(), encoder.checksum.cpu()):
        raise HeedError(
            f"pretrained: {encoder.name_of_base} isn't the model that this run was trained on. Put that "
            "back, or delete the run's folder to train anew."
        )
