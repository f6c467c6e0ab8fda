"""Evidence: attention, values and head of every decision of a model, and no hidden state.

One row is one attention decision. Everything that changes attention and keeps the states is a function
of a row alone. On disk it is one uncompressed Arrow file that is mapped, not read: flat arrays with
offsets, without padding, in float64; the head's weights travel in the schema's metadata. Where a model
decides several times about a text, each time with a decoder of its own (the heads of a transformer's layer),
a row's `group` is the text and its `id` the group and the decoder's name: `named`.
"""

import json
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from safetensors import SafetensorError

from heed import arrays
from heed.corpora.batches import Encoded, cut
from heed.errors import HeedError, choose, why
from heed.models.attended import Attended, attended_to, counted, device_of, forward
from heed.models.decoder import Decoder, decoder_of
from heed.progress import progress

WINDOW = 2**17  # tokens whose rows are in memory at once, when evidence is collected
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "group": pa.string(),  # the document or sentence that the decision belongs to
        "units": pa.list_(pa.string()),  # the text of what is attended to
        "real": pa.list_(pa.bool_()),  # false for markers, which enter no statistic
        "attention": pa.list_(pa.float64()),
        "values": pa.list_(pa.float64()),  # (T, D), row by row
        "shift": pa.list_(pa.float64()),
        "allowed": pa.list_(pa.bool_()),  # answers that may be given, or null
        "label": pa.int64(),
        "prediction": pa.list_(pa.float64()),
        "truth": pa.list_(pa.bool_()),  # the units that decide the label, or null
    }
)


@dataclass(frozen=True)
class Row:
    """One attention decision as arrays: attention (T,), values (T, D), shift (D,), prediction (C,).

    The prediction is what the head makes of attention @ values + shift. Also units (T), the words; real (T,),
    false at markers; allowed (C,), the answers that may be given, or None; label, -1 where it isn't known;
    truth (T,), the words that decide the label, or None. `Row.of` makes one of your own arrays. Raises
    HeedError if lengths, ranges or the head don't fit.
    """

    id: str
    group: str
    units: list[str]
    real: np.ndarray
    attention: np.ndarray
    values: np.ndarray
    shift: np.ndarray
    allowed: np.ndarray | None
    label: int  # -1 where it isn't known
    prediction: np.ndarray
    truth: np.ndarray | None
    head: Decoder

    def __post_init__(self):
        if not isinstance(self.head, Decoder):
            raise HeedError(f"head: expected a heed Head, not a {type(self.head).__name__}.")
        units = arrays.words(self.units, "tokens")
        T = len(units)
        values = _values(self.values, T)
        C = self.head.classes(values.shape[1])
        is_unknown = np.ndim(self.label) == 0 and self.label == -1
        fields = {
            "units": units,
            "real": arrays.flags(self.real, T, "real", "tokens"),
            "attention": arrays.attention(self.attention, T),
            "values": values,
            "shift": _shift(self.shift, values.shape[1]),
            "allowed": None if self.allowed is None else _allowed(self.allowed, C),
            "label": -1 if is_unknown else arrays.index(self.label, C, "label"),
            "prediction": _prediction(self.prediction, C),
            "truth": None if self.truth is None else arrays.flags(self.truth, T, "truth", "tokens"),
            "head": self.head if self.head.is_frozen else self.head.frozen(),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)  # the way into a frozen dataclass

    @classmethod
    def of(
        cls,
        tokens,
        attention,
        values,
        head: Decoder,
        *,
        shift=None,
        allowed=None,
        label=None,
        real=None,
        id="",
    ) -> "Row":
        """A row of your own arrays, lists, tensors or Series; the head makes its prediction.

        attention (T,), values (T,) or (T, D), shift (D,), allowed (C,), real (T,): false for markers. label:
        the class's number, None if it isn't known. Raises HeedError, one sentence, for what doesn't fit.
        """
        tokens = arrays.words(tokens, "tokens")
        if not isinstance(head, Decoder):
            raise HeedError(f"head: expected a heed Head, not a {type(head).__name__}.")
        for name, weights in head.named_parameters():
            arrays.finite(weights, f"head: {name}")
        values = np.array(_values(values, len(tokens)))  # the row's own, whatever becomes of what was given
        attention = np.array(arrays.attention(attention, len(tokens)))
        shift = _shift(0 if shift is None else shift, values.shape[1])
        if allowed is not None:
            allowed = _allowed(allowed, head.classes(values.shape[1]))
        head = head.frozen()
        prediction = head.probs(attention @ values, shift, allowed).numpy()
        return cls(
            id=str(id),
            group=str(id),
            units=tokens,
            real=np.ones(len(tokens), dtype=bool) if real is None else real,
            attention=attention,
            values=values,
            shift=shift,
            allowed=allowed,
            label=-1 if label is None else label,
            prediction=prediction,
            truth=None,
            head=head,
        )

    @property
    def shown(self) -> int:
        """The class whose probability is shown: class 1 of two, else the predicted one."""
        return 1 if len(self.prediction) == 2 else int(self.prediction.argmax())

    def probs(self, attention: np.ndarray) -> np.ndarray:
        """The prediction (..., C) had the model paid this attention (..., T).

        Raises HeedError if there is not one weight a token.
        """
        attention, T = arrays.numbers(attention, "attention"), len(self.units)
        if attention.ndim == 0 or attention.shape[-1] != T:
            raise HeedError(f"attention: expected {T} weights, one a token, got shape {attention.shape}.")
        return self.head.probs(attention @ self.values, self.shift, self.allowed).numpy()


def _values(given, T: int) -> np.ndarray:
    """Values (T, D), of (T,) or (T, D)."""
    if T == 0:
        raise HeedError("tokens: there are none; a text has one at least.")
    values = arrays.finite(given, "values")
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != T or values.shape[1] == 0:
        raise HeedError(
            f"values: expected finite numbers of shape ({T},) or ({T}, D) for {T} tokens, "
            f"got {np.shape(arrays.plain(given))}."
        )
    return values


def _shift(given, D: int) -> np.ndarray:
    """Shift (D,), of (D,) or one number for all."""
    shift = arrays.finite(given, "shift")
    if shift.ndim and shift.shape != (D,):
        raise HeedError(f"shift: expected {D} numbers, one a column of the values, got shape {shift.shape}.")
    return shift if shift.ndim else np.full(D, shift)


def _allowed(given, C: int) -> np.ndarray:
    """Allowed (C,), with one that is at least."""
    allowed = arrays.flags(given, C, "allowed", "classes")
    if not allowed.any():
        raise HeedError("allowed: no class is allowed; allow one at least.")
    return allowed


def _prediction(given, C: int) -> np.ndarray:
    """Prediction (C,)."""
    prediction = arrays.distributions(given, "prediction")
    if prediction.shape != (C,):
        raise HeedError(f"prediction: expected {C} probabilities, as the head gives, got {prediction.shape}.")
    return prediction


class Evidence:
    """Rows of one model on one split: `evidence[0]`, `len(evidence)`, `for row in evidence`.

    table: a pyarrow Table of heed's schema, a line a row, as `evidence_from` and a run make it. head: what
    turns a context into a prediction; or several, by name. unit: what is attended to: token, sentence, source
    token. No hidden state is kept, only what the head makes a prediction of. Raises HeedError for another
    schema, and, of a row that is asked for, if it isn't there or its numbers are damaged.
    """

    def __init__(self, table: pa.Table, head: Decoder | dict[str, Decoder], unit: str = "token"):
        heads = head if isinstance(head, dict) else {"": head}
        if not isinstance(table, pa.Table) or not all(isinstance(one, Decoder) for one in heads.values()):
            given = f"{type(table).__name__} and {type(head).__name__}"
            raise HeedError(f"evidence: expected a pyarrow Table and a heed Head, not {given}.")
        if not table.schema.equals(SCHEMA):
            raise HeedError(
                f"evidence: {_difference(table.schema)}, expected {SCHEMA.names} of heed's types."
            )
        self.table, self.heads, self.unit = table, heads, unit

    @property
    def head(self) -> Decoder:
        """The decoder of all rows. Raises HeedError if there are several."""
        if len(self.heads) > 1:
            raise HeedError(
                f"evidence: it has {len(self.heads)} heads, {', '.join(self.heads)}. Take the rows of one: "
                "evidence.of(name)."
            )
        return next(iter(self.heads.values()))

    def of(self, name: str) -> "Evidence":
        """The rows of one of several heads; their ids are then the texts'."""
        head = self.heads[choose("head", name, self.heads)]
        groups = self.table["group"].to_pylist()
        own = [k for k, row in enumerate(self.ids) if row == named(groups[k], name)]
        table = self.table.take(own)
        table = table.set_column(0, SCHEMA.field("id"), pa.array([groups[k] for k in own], pa.string()))
        return Evidence(table, head, self.unit)

    def only(self, ids) -> "Evidence":
        """The rows of these ids, in their order. Raises HeedError for one that isn't there."""
        places = {name: k for k, name in enumerate(self.ids)}
        for name in ids:
            if name not in places:
                raise HeedError(f"evidence: there is no row {name!r}. Take the ids of the same split.")
        own = pa.array([places[name] for name in ids], pa.int64())
        return Evidence(self.table.take(own), self.heads, self.unit)

    def _head_of(self, row: dict) -> Decoder:
        if len(self.heads) == 1:
            return self.head
        for name, head in self.heads.items():
            if row["id"] == named(row["group"], name):
                return head
        raise HeedError(f"evidence: row {row['id']} is of no head; there are {', '.join(self.heads)}.")

    def __len__(self) -> int:
        return self.table.num_rows

    def __getitem__(self, i: int | slice) -> "Row | list[Row]":
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        try:
            number = operator.index(i)
        except TypeError:
            raise HeedError(
                f"evidence: a row is called by its number, not by {i!r}; evidence.ids has their names."
            ) from None
        if not -len(self) <= number < len(self):
            raise HeedError(f"evidence: there is no row {number}, it has {len(self)} rows, counted from 0.")
        row = {}
        for field in SCHEMA:
            cell = self.table[field.name][number % len(self)]
            if not cell.is_valid and field.name not in ("allowed", "truth"):
                raise HeedError(f"evidence: row {number} has no {field.name}. Make the evidence anew.")
            is_array = pa.types.is_list(field.type) and field.name != "units" and cell.is_valid
            row[field.name] = cell.values.to_numpy(zero_copy_only=False) if is_array else cell.as_py()
        for name in ("attention", "values", "shift", "prediction"):
            if not np.isfinite(row[name]).all():
                raise HeedError(
                    f"evidence: text {row['id']} holds a number that isn't finite, so the model that made it "
                    "is broken. Train it anew, with a lower learning_rate."
                )
        head, T = self._head_of(row), len(row["attention"])
        if T and len(row["values"]) % T == 0:
            row["values"] = head.lift(row["values"].reshape(T, -1))
        try:
            return Row(**row, head=head)
        except HeedError as error:
            raise HeedError(
                f"evidence: text {row['id']} is damaged ({error}) Make the evidence anew."
            ) from error

    def __iter__(self) -> Iterator[Row]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def ids(self) -> list[str]:
        """Instance ids, in the corpus's order."""
        return self.table["id"].to_pylist()

    @cached_property
    def labels(self) -> np.ndarray:
        """Gold labels, shape (rows,)."""
        return self.table["label"].to_numpy()

    @cached_property
    def predictions(self) -> np.ndarray:
        """Predicted probabilities, shape (rows, C)."""
        return np.stack(self.table["prediction"].to_pylist())

    @property
    def truth_is_known(self) -> bool:
        """Whether the rows say which units decide their label."""
        return self.table["truth"].null_count == 0

    @property
    def predicted(self) -> np.ndarray:
        """Predicted classes, shape (rows,); of a binary task class 1 from 0.5 on."""
        if self.predictions.shape[1] == 2:
            return (self.predictions[:, 1] >= 0.5).astype(int)
        return self.predictions.argmax(1)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Units of each row that are no markers, shape (rows,)."""
        return np.array([sum(real) for real in self.table["real"].to_pylist()])

    @classmethod
    def open(cls, path: Path) -> "Evidence":
        """Map a file that `collect` wrote. Raises HeedError if it is damaged or of another schema."""
        path = Path(path).expanduser()
        if not path.is_file():
            raise HeedError(f"evidence: there is no file {path}. A run keeps its own as evidence-test.arrow.")
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            table.validate(full=True)  # a wrong offset would be read beyond the file
            metadata = table.schema.metadata
            heads, unit = _heads(metadata), metadata[b"unit"].decode()
        except (
            OSError,
            pa.ArrowInvalid,
            SafetensorError,
            KeyError,
            TypeError,
            ValueError,
            RuntimeError,  # torch's, of weights that are no head's
        ) as error:
            raise HeedError(
                f"{path} is not whole evidence ({why(error)}). Delete it; the next command makes it anew."
            ) from error
        return cls(table.replace_schema_metadata(None), heads, unit)


def _difference(schema: pa.Schema) -> str:
    """In what a schema differs from heed's."""
    missing = [name for name in SCHEMA.names if name not in schema.names]
    if missing:
        return f"column {missing[0]!r} is missing, the columns are {schema.names}"
    others = [name for name in schema.names if name not in SCHEMA.names]
    if others:
        return f"column {others[0]!r} is unknown"
    for field in SCHEMA:
        if schema.names.count(field.name) > 1:
            return f"column {field.name!r} is there twice"
        if schema.field(field.name).type != field.type:
            return f"column {field.name!r} is of type {schema.field(field.name).type}, not {field.type}"
    return f"the columns are {schema.names}"


def named(group: str, head: str) -> str:
    """The id of a text's row of one of several heads."""
    return f"{group}, {head}"


def _heads(metadata: dict[bytes, bytes]) -> dict[str, Decoder]:
    """The decoders that a file's metadata hold: `head`, or `heads`, their names, and each by its number."""
    if b"heads" not in metadata:
        return {"": decoder_of(metadata[b"head"])}
    names = json.loads(metadata[b"heads"])
    return {name: decoder_of(metadata[b"head %d" % k]) for k, name in enumerate(names)}


def write(path: Path, parts: Iterable[pa.RecordBatch], head: Decoder | dict[str, Decoder], unit: str) -> None:
    """Write rows as they come, with what decodes them. The caller guards the path."""
    if isinstance(head, dict):
        blocks = {b"head %d" % k: one.to_bytes() for k, one in enumerate(head.values())}
        blocks[b"heads"] = json.dumps([*head]).encode()
    else:
        blocks = {b"head": head.to_bytes()}
    schema = SCHEMA.with_metadata({b"unit": unit.encode()} | blocks)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for part in parts:
            writer.write_batch(part)


def collect(
    model: Attended, data: Encoded, tokens_per_batch: int, unit: str = "token", path: Path | None = None
) -> Evidence:
    """Run the model over a split and keep what its attention decided, in the split's order.

    The model must be in float64; the result doesn't depend on `tokens_per_batch` beyond 1e-12 or so. path:
    write it there, which the caller guards, as it comes; memory then follows WINDOW and not the split.
    """
    unit = getattr(model, "unit", unit)
    parts, head = _parts(model, data, tokens_per_batch), model.head.frozen()
    if path is None:
        return Evidence(pa.Table.from_batches(list(parts), SCHEMA), head, unit)
    write(path, parts, head, unit)
    return Evidence.open(path)


def decisions(model: Attended, data: Encoded, tokens_per_batch: int) -> pa.Table:
    """id, attention and prediction: all that is kept of a split that isn't test. No values are held."""
    kept = ["id", "attention", "prediction"]
    return pa.Table.from_batches([part.select(kept) for part in _parts(model, data, tokens_per_batch)])


def _parts(model: Attended, data: Encoded, tokens_per_batch: int) -> Iterator[pa.RecordBatch]:
    """The rows of a split, some WINDOW tokens at once: in order, though batches are sorted by length."""
    lengths = data.lengths
    ends = np.flatnonzero(np.diff(lengths.cumsum() // WINDOW)) + 1
    work = []
    for window in np.split(np.arange(len(data)), ends):
        for group in cut(lengths[window], tokens_per_batch):
            work.append((window, window[group]))
    rows = {}  # those of a window that are there, by their number
    for window, group in progress(work, "evidence, batches"):
        rows.update(zip(group.tolist(), _rows(model, data, group), strict=True))
        if len(rows) == len(window):
            yield pa.RecordBatch.from_pylist([rows.pop(i) for i in window.tolist()], schema=SCHEMA)


def _rows(model: Attended, data: Encoded, indices: np.ndarray) -> Iterator[dict]:
    """The rows of one batch."""
    with torch.no_grad():
        batch = data.batch(indices).to(device_of(model))
        output = forward(model, batch)
        probs = model.head.from_logits(output.logits).cpu().numpy()
        shift = output.shift.cpu().numpy()
    mask, real = attended_to(model, batch).cpu().numpy(), counted(model, batch).cpu().numpy()
    attention, values = output.attention.cpu().numpy(), output.values.cpu().numpy()
    for b, (i, name) in enumerate(zip(indices, batch.ids, strict=True)):
        attended = mask[b]
        real_units = real[b][attended]
        yield {
            "id": name,
            "group": name,
            "units": _units(data.units(i), real_units),
            "real": real_units,
            "attention": attention[b][attended],
            "values": values[b][attended].ravel(),
            "shift": shift[b],
            "allowed": None if batch.allowed is None else batch.allowed[b].cpu().numpy(),
            "label": int(batch.labels[b]),
            "prediction": probs[b],
            "truth": None if data.truth is None else _spread(data.deciding(i), real_units),
        }


def _units(words: list[str], real: np.ndarray) -> list[str]:
    """The words, with a name for the markers where those are attended to."""
    if real.all():
        return words
    return ["<s>", *words, "</s>"]


def _spread(truth: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Truth over all attended units: a marker is never one of the deciding tokens."""
    spread = np.zeros(len(real), dtype=bool)
    spread[real] = truth
    return spread
