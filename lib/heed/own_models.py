"""Evidence of models that heed didn't train."""

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from heed import arrays
from heed.corpora.batches import cut
from heed.errors import HeedError, choose, why
from heed.evidence import SCHEMA, Evidence, named, write
from heed.models.decoder import Called, Decoder
from heed.models.head import Head
from heed.models.pretrained import Pretrained, padded, pretrained
from heed.models.tail import Tail
from heed.progress import progress

WINDOW = 128  # texts whose rows are in memory at once
REPLAYED = 1e-6  # how far a replayed probability may be from the model's


def head_name(head: int) -> str:
    """What a head is called in evidence, from 0 on."""
    return f"head {head}"


def evidence_from_hf(
    model: str | Path | Pretrained,
    texts: Sequence[str],
    labels: Sequence[int] | None = None,
    path: Path | None = None,
    tokens_per_batch: int = 4096,
) -> Evidence:
    """What the first position of a classifier's last layer attends to, a row a text and head.

    model: a name or folder, see `pretrained`. labels: the classes' numbers, where they are known. path: write
    it there as it comes, which the caller guards. A text is cut at what the model reads. The rows of one head
    are `evidence.of("head 3")`, and `TokenStrip(row)` shows one. Raises HeedError for texts that are none,
    and if predictions that are made of the rows differ from the model's by more than REPLAYED.
    """
    source = model if isinstance(model, Pretrained) else pretrained(model)
    texts = arrays.words(texts, "texts")
    if not texts:
        raise HeedError("texts: there are none. Give one or more.")
    known = [-1] * len(texts)
    if labels is not None:
        if len(labels) != len(texts):
            raise HeedError(f"labels: {len(labels)} for {len(texts)} texts. Give one for each, or none.")
        known = [arrays.index(label, len(source.classes), "label") for label in labels]
    tails = {head_name(k): Tail.of(source, k) for k in range(source.heads)}
    parts = _parts(source, texts, known, tokens_per_batch)
    if path is None:
        return Evidence(pa.Table.from_batches(list(parts), SCHEMA), tails)
    write(path, parts, tails, "token")
    return Evidence.open(path)


def _parts(source: Pretrained, texts: list[str], labels: list[int], budget: int) -> Iterator[pa.RecordBatch]:
    """The rows of a text at a time, in order; texts of a window are read in batches of like length."""
    read = source.tokenizer(
        texts,
        truncation=True,
        max_length=source.longest,
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
    )
    lengths = np.array([len(ids) for ids in read["input_ids"]])
    work = []
    for start in range(0, len(texts), WINDOW):
        window = np.arange(start, min(start + WINDOW, len(texts)))
        work += [(window, window[group]) for group in cut(lengths[window], budget)]
    rows = {}
    for window, group in progress(work, "evidence, batches"):
        rows.update(zip(group.tolist(), _rows(source, read, group, texts, labels), strict=True))
        if len(rows) == len(window):
            for i in window.tolist():
                yield pa.RecordBatch.from_pylist(rows.pop(i), schema=SCHEMA)


@torch.no_grad()
def _rows(source: Pretrained, read, group: np.ndarray, texts, labels) -> Iterator[list[dict]]:
    """The rows of each text of a batch: one a head."""
    given = padded(source.model, [read["input_ids"][i] for i in group])
    out = source.model(**given, output_attentions=True, output_hidden_states=True)
    if not out.attentions:
        raise HeedError(f"pretrained: {source.name} doesn't say its attention. Load it with eager attention.")
    predictions = out.logits.softmax(-1)
    before = out.hidden_states[-2]
    attention, values = out.attentions[-1][:, :, 0], source.values(before)
    attended = torch.einsum("bht,bthd->bhd", attention, values)
    z = before[:, 0] + source.merged(attended)
    replayed = source.tail(z).softmax(-1)
    apart = float((replayed - predictions).abs().max())
    if not apart <= REPLAYED:
        raise HeedError(
            f"pretrained: what follows the last attention of {source.name} isn't what heed takes it for: "
            f"predictions differ by {apart:.2g}. Use heed.evidence_from, and say what follows it."
        )
    for b, i in enumerate(group.tolist()):
        T = len(read["input_ids"][i])
        special = np.array(read["special_tokens_mask"][i], dtype=bool)
        units = pieces(source.tokenizer, read, i, texts[i])
        rows = []
        for head in range(source.heads):
            own = attended[b, head] @ source.merge(head).T
            rows.append(
                {
                    "id": named(str(i), head_name(head)),
                    "group": str(i),
                    "units": units,
                    "real": ~special,
                    "attention": attention[b, head, :T].numpy(),
                    "values": values[b, :T, head].numpy().ravel(),
                    "shift": (z[b] - own).numpy(),
                    "allowed": None,
                    "label": labels[i],
                    "prediction": predictions[b].numpy(),
                    "truth": None,
                }
            )
        yield rows


def pieces(tokenizer, read, i: int, text: str) -> list[str]:
    """Text i's pieces as they stand in it; one that goes on with a word begins with ##."""
    shown, last = [], None
    words = read.word_ids(i)
    for code, word, (start, end) in zip(read["input_ids"][i], words, read["offset_mapping"][i], strict=True):
        piece = "" if word is None else text[start:end].strip()
        if not piece:
            shown.append(tokenizer.convert_ids_to_tokens(code))
        else:
            shown.append(f"##{piece}" if word == last else piece)
        last = word
    return shown


# A submodule by its name, whose output is taken as it passes; or a function of the model and the input.
Part = str | Callable[..., Tensor]


def evidence_from(
    module: nn.Module,
    inputs: Sequence[Any],
    tokens: Sequence[Sequence[str]],
    *,
    values: Part,
    decoder: str | Callable[[nn.Module, Tensor], Tensor],
    attention: Part | None = None,
    scores: Part | None = None,
    labels: Sequence[int] | None = None,
) -> Evidence:
    """Evidence of any module that averages values by attention and decodes the mean: a row a text.

    inputs: what the module is called with, a text at a time: a tensor, a tuple or a dict, as a batch of one;
    it returns logits (1, C), (1, 1) for two classes, or something with `logits`. tokens: the words of each
    text, one a weight. attention (T,), or scores (T,) before a softmax, and values (T, D): each a submodule's
    name or a function of the module and the input; what has more axes must have ones there. decoder: a
    submodule's name, or a function of the module and contexts (N, D), to logits (N, C). A decoder that is one
    linear map keeps everything exact. It is computed on a copy in float64.

    Raises HeedError where shapes don't fit, and if what attention, values and decoder say differs from what
    the module says by more than REPLAYED: then something else takes part in the prediction.
    """
    if not isinstance(module, nn.Module):
        raise HeedError(f"evidence_from takes a torch.nn.Module, not a {type(module).__name__}.")
    if (attention is None) == (scores is None):
        raise HeedError(
            "evidence_from: give attention, or scores that a softmax makes attention of; not both."
        )
    if len(inputs) != len(tokens) or not len(inputs):
        raise HeedError(
            f"evidence_from: {len(inputs)} inputs for {len(tokens)} texts. Give one or more of both."
        )
    if labels is not None and len(labels) != len(inputs):
        raise HeedError(f"labels: {len(labels)} for {len(inputs)} texts. Give one for each, or none.")
    model = copy.deepcopy(module).double().eval().requires_grad_(False)
    weigh, kind = (attention, "attention") if scores is None else (scores, "scores")
    decode = _decoding(model, decoder)
    rows, head = [], None
    for i, (given, words) in enumerate(zip(inputs, tokens, strict=True)):
        words = arrays.words(words, "tokens")
        told, found = _called(model, given, {kind: weigh, "values": values})
        T, D = len(words), found["values"].shape[-1]
        weights = _shaped(found[kind], (T,), kind, i)
        weights = weights.softmax(0) if kind == "scores" else weights
        held = _shaped(found["values"], (T, D), "values", i)
        if head is None:
            head, fold = _head(model, decoder, decode, D, len(told))
        kept, shift = fold(held)
        prediction = head.from_logits(told).numpy()
        replayed = head.probs(weights @ kept, shift).numpy()
        apart = float(np.abs(replayed - prediction).max())
        if not apart <= REPLAYED:
            raise HeedError(
                f"evidence_from: of text {i} attention, values and decoder give another prediction than the "
                f"model, by {apart:.2g}. Something else takes part in it, or one of the three is named "
                "wrongly."
            )
        row = {
            "id": str(i),
            "group": str(i),
            "units": words,
            "real": np.ones(T, dtype=bool),
            "attention": arrays.attention(weights.numpy(), T),
            "values": kept.numpy().ravel(),
            "shift": shift.numpy(),
            "allowed": None,
            "label": -1 if labels is None else arrays.index(labels[i], len(prediction), "label"),
            "prediction": prediction,
            "truth": None,
        }
        rows.append(row)
    return Evidence(pa.Table.from_batches([pa.RecordBatch.from_pylist(rows, schema=SCHEMA)]), head)


def _decoding(model: nn.Module, decoder) -> Callable[[Tensor], Tensor]:
    """What makes logits (N, C) of contexts (N, D). It raises HeedError if it can't take them."""
    if callable(decoder) and not isinstance(decoder, nn.Module):
        call = partial(decoder, model)
    else:
        call = _submodule(model, decoder)

    def decode(context: Tensor) -> Tensor:
        try:
            return call(context)
        except (RuntimeError, IndexError) as error:
            raise HeedError(
                f"evidence_from: the decoder can't take contexts of {context.shape[1]} values "
                f"({why(error)}). Name what comes right after the mean, or values that it takes."
            ) from error

    return decode


def _submodule(model: nn.Module, name) -> nn.Module:
    """The submodule of a name. Raises HeedError, with the nearest, if there is none."""
    if not isinstance(name, str):
        raise HeedError(
            f"evidence_from: expected a submodule's name or a function, not a {type(name).__name__}."
        )
    return dict(model.named_modules())[choose("submodule", name, dict(model.named_modules()))]


@torch.no_grad()
def _called(model: nn.Module, given, parts: dict[str, Part]) -> tuple[Tensor, dict[str, Tensor]]:
    """Logits (C,) of one call, and what each part was in it."""
    args, by_name = [], {}
    if isinstance(given, dict):
        by_name = {name: _double(one) for name, one in given.items()}
    else:
        args = [_double(one) for one in (given if isinstance(given, tuple) else (given,))]
    found, hooks = {}, []
    for name, part in parts.items():
        if not callable(part):
            keep = _keeper(found, name)
            hooks.append(_submodule(model, part).register_forward_hook(keep))
    try:
        said = model(*args, **by_name)
    finally:
        for hook in hooks:
            hook.remove()
    for name, part in parts.items():
        if callable(part):
            found[name] = part(model, *args, **by_name)
        elif name not in found:
            raise HeedError(f"evidence_from: {name}: the submodule {part!r} wasn't called.")
    logits = getattr(said, "logits", said[0] if isinstance(said, tuple) else said)
    return logits.double().reshape(-1), found


def _double(given):
    """What a module is called with, in its precision; codes stay whole numbers."""
    return given.double() if isinstance(given, Tensor) and given.is_floating_point() else given


def _keeper(found: dict[str, Tensor], name: str):
    def keep(module, args, output) -> None:
        found[name] = output[0] if isinstance(output, tuple) else output

    return keep


def _shaped(given: Tensor, shape: tuple[int, ...], name: str, i: int) -> Tensor:
    """A part of text i in this shape, axes of one aside."""
    if [n for n in given.shape if n != 1] != [n for n in shape if n != 1]:
        raise HeedError(
            f"evidence_from: {name} of text {i} has shape {[*given.shape]}, expected {[*shape]} and axes of "
            f"one: the text has {shape[0]} tokens."
        )
    return given.double().reshape(shape)


def _head(model: nn.Module, decoder, decode, width: int, logits: int):
    """The decoder of all rows, and what makes its values and shift of the module's values.

    One linear map is folded into the values, so that logits are linear in attention.
    """
    link = "sigmoid" if logits == 1 else "softmax"
    linear = None if callable(decoder) else _submodule(model, decoder)
    if isinstance(linear, nn.Linear) and linear.in_features == width:
        bias = torch.zeros(logits, dtype=torch.float64) if linear.bias is None else linear.bias.detach()
        return Head("identity", link).frozen(), lambda values: (values @ linear.weight.T, bias)
    made: Decoder = Called(decode, link, width, max(logits, 2))
    return made, lambda values: (values, torch.zeros(width, dtype=torch.float64))
