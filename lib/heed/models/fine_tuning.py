"""Fine-tuning: transformers that classify, from weights that exist or from drawn ones.

What comes out is a folder as `save_pretrained` writes it: `pretrained` and everybody else's tools read it.
"""

import copy
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn import functional as F

from heed.corpora.batches import bucketed
from heed.errors import HeedError, why
from heed.models.pretrained import WANTED, padded, place_of, transformers_package
from heed.progress import progress

WIDER = 5  # of narrow states BERT's own first weights let little through
MARKS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


@dataclass(frozen=True)
class Tuning:
    """How a classifier is trained: AdamW, its rate falling to 0 in a line; `longest` pieces of a text."""

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    longest: int = 128
    seed: int = 0


@dataclass(frozen=True)
class Sizes:
    """A transformer of drawn weights: BERT's, small."""

    hidden: int = 32
    layers: int = 2
    heads: int = 4
    inner: int = 64
    positions: int = 128


def drawn(texts: Sequence[str], classes: Sequence[str], sizes: Sizes = Sizes(), seed: int = 0):
    """A small BERT of drawn weights and its tokenizer: words between spaces, those of these texts.

    Without dropout, and its maps are WIDER times BERT's own, which are meant for wide states.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    transformers = transformers_package()
    words = dict.fromkeys(word for text in texts for word in text.split())
    codes = {word: k for k, word in enumerate([*MARKS.values(), *words])}
    made = Tokenizer(models.WordLevel(codes, unk_token=MARKS["unk_token"]))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(mark, codes[mark]) for mark in ("[CLS]", "[SEP]")]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=sizes.positions, **MARKS
    )
    config = transformers.BertConfig(
        vocab_size=len(codes),
        hidden_size=sizes.hidden,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        intermediate_size=sizes.inner,
        max_position_embeddings=sizes.positions,
        pad_token_id=codes["[PAD]"],
        attn_implementation="eager",
        **_named(classes),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = transformers.BertForSequenceClassification(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(WIDER)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model, tokenizer


def begun(name: str | Path, classes: Sequence[str], seed: int = 0):
    """A model that exists, by its name or folder, with a new classifier on top; and its tokenizer.

    Raises HeedError if it can't be loaded without pickle or foreign code.
    """
    transformers = transformers_package()
    safely = {"trust_remote_code": False}
    name, _ = place_of(name)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(
                name,
                use_safetensors=True,
                attn_implementation="eager",
                dtype="float32",
                **_named(classes),
                **safely,
            )
        return model, transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **safely)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise HeedError(
            f"pretrained: {name} can't be loaded to be trained on ({why(error)}). {WANTED}."
        ) from error


def _named(classes: Sequence[str]) -> dict:
    """The classes, as a configuration has them. Raises HeedError if there aren't two different ones."""
    names = [str(one) for one in classes]
    if len(names) < 2 or len({*names}) < len(names):
        raise HeedError(f"classes: expected two or more different names, got {names}.")
    return {
        "num_labels": len(names),
        "id2label": dict(enumerate(names)),
        "label2id": {c: k for k, c in enumerate(names)},
    }


Texts = tuple[Sequence[str], Sequence[int]]


def fine_tune(model: nn.Module, tokenizer, train: Texts, dev: Texts, how: Tuning = Tuning()) -> pd.DataFrame:
    """Train in place on texts and labels; the weights of the epoch that is best on dev stay.

    A row an epoch: mean loss, accuracy on dev. The same seed gives the same weights. Raises HeedError without
    texts of both, or if the loss is no number.
    """
    for name, (texts, labels) in (("train", train), ("dev", dev)):
        if not len(texts) or len(texts) != len(labels):
            raise HeedError(
                f"{name}: {len(texts)} texts and {len(labels)} labels. Give one label a text, of one or more."
            )
    codes = tokenizer([*train[0]], truncation=True, max_length=how.longest)["input_ids"]
    lengths, labels = np.array([len(one) for one in codes]), torch.tensor([*map(int, train[1])])
    rng = np.random.default_rng([how.seed, 13])
    batches = [bucketed(lengths, how.batch_size, rng) for _ in range(how.epochs)]
    adam = torch.optim.AdamW(model.parameters(), lr=how.learning_rate, weight_decay=how.weight_decay)
    steps = sum(map(len, batches))
    fall = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: 1 - step / steps)
    rows, best = [], None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(how.seed)
        for epoch, groups in enumerate(batches, 1):
            model.train()
            losses = []
            for group in progress(groups, f"epoch {epoch} of {how.epochs}, batches"):
                logits = model(**padded(model, [codes[i] for i in group])).logits
                loss = F.cross_entropy(logits, labels[group])
                if not torch.isfinite(loss):
                    raise HeedError(f"the loss of epoch {epoch} is no number. Lower learning_rate.")
                adam.zero_grad(set_to_none=True)
                loss.backward()
                adam.step()
                fall.step()
                losses.append(loss.item())
            right = (predict(model, tokenizer, dev[0], how.longest).argmax(1) == np.asarray(dev[1])).mean()
            rows.append({"epoch": epoch, "loss": float(np.mean(losses)), "accuracy": float(right)})
            if best is None or right > best[0]:
                best = right, copy.deepcopy(model.state_dict())
    model.load_state_dict(best[1])
    model.eval()
    return pd.DataFrame(rows)


@torch.no_grad()
def predict(model: nn.Module, tokenizer, texts: Sequence[str], longest: int, size: int = 64) -> np.ndarray:
    """Probabilities (texts, C)."""
    model.eval()
    codes = tokenizer([*texts], truncation=True, max_length=longest)["input_ids"]
    order = np.argsort([len(one) for one in codes], kind="stable")
    found = np.zeros((len(codes), model.config.num_labels))
    for start in range(0, len(order), size):
        group = order[start : start + size]
        found[group] = model(**padded(model, [codes[i] for i in group])).logits.double().softmax(-1).numpy()
    return found


def save(model: nn.Module, tokenizer, folder: str | Path) -> Path:
    """Write model and tokenizer as a folder, which appears whole or not at all.

    Raises HeedError if it is there already, or can't be written.
    """
    folder = Path(folder).expanduser()
    if folder.exists():
        raise HeedError(f"{folder} is there already. Delete it, or give another folder.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
            whole = Path(aside, "whole")
            model.save_pretrained(whole, safe_serialization=True)
            tokenizer.save_pretrained(whole)
            os.rename(whole, folder)
    except OSError as error:
        raise HeedError(
            f"{folder} can't be written: {error.strerror or error}. Give another folder."
        ) from error
    return folder
