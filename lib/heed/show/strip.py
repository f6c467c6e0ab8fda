"""The token strip: a reader's hands on attention. What would the model have said, had it looked elsewhere?

The strip is the JavaScript of hands/: modules without a dependency, joined to one, that compute everything in
the browser from one row of evidence. In JupyterLab it is a widget whose `attention` goes both ways; in a page
it lives without a kernel, offline, and where no scripts run a plain coloured table stays.
"""

import html
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import anywidget
import numpy as np
import torch
import traitlets
from ipywidgets import widget_serialization

from heed import arrays, paths
from heed.errors import HeedError, choose
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.measures.exact import check_epsilon, check_row
from heed.models.decoder import as_tensor
from heed.models.head import Head
from heed.models.tail import Tail
from heed.show import colours, heatmap, weights
from heed.show.weights import Weights
from heed.show.words import visible

HANDS = Path(__file__).parent / "hands"
# The strip's modules, each after those that it imports.
MODULES = (
    "tail", "arithmetic", "adversaries", "words", "given", "links", "page", "state", "panel", "bars",
    "overview", "work", "game", "hands", "weights", "files", "couple", "strip",
)  # fmt: skip
_IMPORT = re.compile(r"^import [^;]*;\n", re.M)
# What stands below the table until the strip lives.
STILL = "Where scripts run, in a trusted notebook for one, these words are bars that you move."
POINTS = 8  # of the line from one attention to another, at which a tail's gradient is taken


def script() -> str:
    """The strip's modules as one: each imports by name what an earlier one exports, so they share a scope."""
    return "\n".join(_IMPORT.sub("", (HANDS / f"{name}.js").read_text(encoding="utf-8")) for name in MODULES)


def moved(attention: np.ndarray, t: int, weight: float, pinned=()) -> np.ndarray:
    """Attention with `weight` on position t, shape (T,); positions in `pinned` keep theirs.

    The others keep their proportions, or share equally if they have nothing. More than the pins leave can't
    be given: it is cut. Raises HeedError for what is no attention, a position that isn't there, a weight
    outside [0, 1], or if all others are pinned.
    """
    a = np.array(arrays.distributions(attention, "attention"))
    if a.ndim != 1:
        raise HeedError(f"attention: expected the weights of one text, shape (T,), got {a.shape}.")
    weight = arrays.one_number(weight, "weight")
    if not 0 <= weight <= 1:
        raise HeedError(f"a weight must be in [0, 1], not {weight:g}.")
    t = arrays.index(t, len(a), "t, the position that moves")
    pins = _pins(pinned, len(a))
    if len(a) == 1:
        return np.ones(1)
    pins[t] = False
    free = ~pins
    free[t] = False
    if not free.any():
        raise HeedError("nothing can move: all other tokens are pinned. Unpin one.")
    held = a[pins].sum()
    a[t] = min(weight, max(1 - held, 0))
    rest = max(1 - held - a[t], 0)
    free_before = a[free].sum()
    if free_before > 0:
        a[free] = a[free] / free_before * rest
    else:
        a[free] = rest / free.sum()
    return a


def _pins(pinned, T: int) -> np.ndarray:
    """Which tokens (T,) are pinned, of their positions."""
    given = list(pinned) if isinstance(pinned, set | frozenset) else pinned
    positions = arrays.numbers(given, "pinned")
    if np.asarray(arrays.plain(given)).dtype == bool:
        raise HeedError("pinned: expected positions, not flags; numpy.flatnonzero makes them of flags.")
    pins = np.zeros(T, dtype=bool)
    for position in positions.ravel():
        pins[arrays.index(position, T, "pinned")] = True
    return pins


def what_if(row: Row, attention: np.ndarray) -> dict:
    """Prediction (C,) under another attention, its TVD to the model's own, the JSD of the attentions.

    Raises HeedError if it can't be the attention on the row's tokens.
    """
    attention = arrays.attention(attention, len(check_row(row).units))
    prediction = row.probs(attention)
    return {
        "prediction": prediction,
        "tvd": float(tvd(prediction, row.prediction)),
        "jsd": float(jsd(attention, row.attention)),
    }


def parts(row: Row, attention: np.ndarray) -> np.ndarray:
    """Each token's part of the change of the predicted class's logit, shape (T,); they sum to the change.

    With a linear head (a_t - â_t)·r_t. Else the gradient integrated along the straight line from â to a: on
    it every argument of act moves linearly, so the integral is exactly the slope of act's chord. Of a
    transformer's tail it is taken by Gauss and Legendre's POINTS, and what they leave of the change, by the
    kinks of a ReLU, is shared out by the parts' sizes.
    Raises HeedError if it can't be the attention on the row's tokens, or for a decoder of your own.
    """
    attention = arrays.attention(attention, len(check_row(row).units))
    head = row.head
    if len(row.prediction) == 2:
        predicted = int(row.prediction[1] >= 0.5)
    else:
        predicted = int(row.prediction.argmax())
    if isinstance(head, Tail):
        return _parts_of_tail(row, attention, predicted)
    _check_head(head)
    z0 = row.attention @ row.values + row.shift
    z1 = attention @ row.values + row.shift
    acts = {
        "identity": (lambda z: z, np.ones_like),
        "tanh": (np.tanh, lambda z: 1 - np.tanh(z) ** 2),
        "relu": (lambda z: np.maximum(z, 0), lambda z: (z > 0).astype(float)),
    }
    act, slope = acts[head.act]
    step = z1 - z0
    near = np.abs(step) < 1e-6
    chord = np.where(near, slope((z0 + z1) / 2), (act(z1) - act(z0)) / np.where(near, 1, step))
    out = np.eye(len(z0)) if head.out is None else head.out.weight.detach().numpy()
    if head.link == "sigmoid":  # its one logit is of class 1
        weights = out[0] if predicted == 1 else -out[0]
    else:
        weights = out[predicted]
    return (attention - row.attention) * (row.values @ (weights * chord))


def _parts_of_tail(row: Row, attention: np.ndarray, predicted: int) -> np.ndarray:
    """`parts` of a tail, (T,), by the gradient at points of the line; what is left shared out by size."""
    points, shares = np.polynomial.legendre.leggauss(POINTS)
    step = attention - row.attention
    line = torch.from_numpy(row.attention + (points[:, None] + 1) / 2 * step).requires_grad_()
    values = as_tensor(row.values, "values")
    with torch.enable_grad():
        logits = row.head.logits(line @ values, row.shift)[:, predicted]
        slopes = torch.autograd.grad(logits.sum(), line)[0].numpy()
    found = step * (shares / 2 @ slopes)
    ends = row.head.logits(np.stack([row.attention, attention]) @ row.values, row.shift)[:, predicted]
    left = float(ends[1] - ends[0]) - found.sum()
    size = np.abs(found).sum()
    return found + left * np.abs(found) / size if size > 0 else found


def _check_head(head) -> None:
    """Raises HeedError for a decoder that is no Head and no Tail: a function that lives in Python alone."""
    if not isinstance(head, Head | Tail):
        raise HeedError(
            "TokenStrip: the row's decoder is a function of your own, which no page can compute. A decoder "
            "that is one torch.nn.Linear can be shown; what_if and all measures work on the row as it is."
        )


def _from_browser(value, _=None) -> np.ndarray | None:
    """The array whose bytes a browser sends; anything else as it is."""
    if not isinstance(value, bytes | memoryview):
        return value
    try:
        return np.frombuffer(value, dtype=float)
    except ValueError as error:
        raise HeedError(f"what the browser sent is no array ({error}).") from None


def _to_browser(value, _=None) -> memoryview | None:
    """An array as the bytes that go to a browser."""
    return None if value is None else memoryview(np.ascontiguousarray(value)).cast("B")


class _Array(traitlets.TraitType):
    """An array of float64, not to be changed in place, that travels as bytes."""

    def __init__(self, allow_none: bool = False):
        super().__init__(None, allow_none=allow_none)
        self.tag(sync=True, to_json=_to_browser, from_json=_from_browser)

    def validate(self, obj, value):
        return _frozen(arrays.finite(value, self.name))


class _Attention(_Array):
    """Attention on the strip's tokens; what can't be is said on the strip, too."""

    def validate(self, obj, value):
        try:
            attention = arrays.attention(value, len(obj.tokens), self.name)
        except HeedError as error:
            obj.problem = str(error)
            raise
        obj.problem = ""
        return _frozen(attention)


class _Epsilon(traitlets.TraitType):
    """How far a prediction may move."""

    def validate(self, obj, value):
        return check_epsilon(value)


def _frozen(array: np.ndarray) -> np.ndarray:
    """A copy that can't be changed in place."""
    array = np.array(array)
    array.flags.writeable = False
    return array


# What `show` takes together, as one thing is checked by the others.
TOGETHER = (
    "tokens", "direction", "original", "found", "values", "shift", "head", "allowed", "classes", "label",
    "question", "query_name", "real", "known", "marked", "found_epsilon", "name", "reader", "group",
    "weights",
)  # fmt: skip


class TokenStrip(anywidget.AnyWidget):
    """A text's tokens with a bar each, to be moved by hand: `TokenStrip(row)` shows a row of evidence.

    Or `TokenStrip(tokens, attention, values, head)` with attention (T,), values (T,) or (T, D), a Head, and
    shift (D,), allowed (C,), real (T,): lists, arrays, Series, tensors. What doesn't fit raises HeedError.
    `attention` and `epsilon` are read and set from either side; what can't be attention is said on the strip,
    too. All else is given here or to `show`. classes: names (C,). label: a class's name or number. question:
    shown as text, after its query_name. found: attention (T,) that the paper's search found at `epsilon`.
    name: what links and files carry. known (T,): whether the model's vocabulary has the word. marked (T,):
    whether a person marked it as a reason, drawn as a line under it. reader: the model's name, above all.
    group: strips of one group on a page say how far they are from one another.

    The head of a row of `evidence_from_hf` is a Tail: the strip's `values` are then that head's own
    (T, size / heads), what else the state is made of is in `shift` (size,), and `weights`, megabytes that
    all strips of one model share, stand once in a page. One head moves, the others stay.
    """

    _esm = script()
    _css = colours.strip_css() + (HANDS / "strip.css").read_text(encoding="utf-8")
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    direction = traitlets.Unicode("ltr").tag(sync=True)
    attention, original, found = _Attention(), _Attention(), _Attention(allow_none=True)
    values, shift = _Array(), _Array()
    head = traitlets.Dict().tag(sync=True)
    allowed = traitlets.List(traitlets.Bool(), None, allow_none=True).tag(sync=True)
    classes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    label = traitlets.Int(None, allow_none=True).tag(sync=True)
    question, query_name = traitlets.Unicode().tag(sync=True), traitlets.Unicode("Question").tag(sync=True)
    real = traitlets.List(traitlets.Bool()).tag(sync=True)
    known = traitlets.List(traitlets.Bool()).tag(sync=True)
    marked = traitlets.List(traitlets.Bool()).tag(sync=True)
    epsilon = _Epsilon(0.01).tag(sync=True)
    found_epsilon = _Epsilon(0.01).tag(sync=True)
    name, reader = traitlets.Unicode().tag(sync=True), traitlets.Unicode().tag(sync=True)
    group = traitlets.Unicode().tag(sync=True)
    weights = traitlets.Instance(Weights, None, allow_none=True).tag(sync=True, **widget_serialization)
    problem = traitlets.Unicode().tag(sync=True)

    def __init__(self, tokens, attention=None, values=None, head=None, **more):
        self.row, state = _state(tokens, attention, values, head, **more)
        self._showing = True
        super().__init__(**state)
        self._showing = False

    def show(self, tokens, attention=None, values=None, head=None, **more) -> None:
        """Show another text on the same strip; takes what the constructor takes."""
        self.row, state = _state(tokens, attention, values, head, **more)
        self._showing = True
        try:
            with self.hold_sync():
                for name, value in state.items():
                    setattr(self, name, value)
        finally:
            self._showing = False

    @traitlets.validate(*TOGETHER)
    def _is_shown(self, proposal):
        if not self._showing:
            name = proposal["trait"].name
            raise HeedError(
                f"{name} fits the rest of the strip: change it by show(...), which checks them all."
            )
        return proposal["value"]

    def __repr__(self) -> str:
        return f"TokenStrip({self.name!r}, {len(self.tokens)} tokens)"

    def _repr_mimebundle_(self, **given):
        data, metadata = super()._repr_mimebundle_(**given)
        return {**data, "text/html": weights.once(self.to_html(), carried=True)}, metadata

    def to_html(self) -> str:
        """The strip as a piece of HTML that needs nothing else; without scripts a coloured table."""
        return f"{self.still()}\n{self.alive()}"

    def alive(self, *others: "TokenStrip") -> str:
        """What brings all strips of a page to life, as HTML, to stand once behind them.

        others: those of the page's strips whose heads are Tails, of which it has each model's weights once.
        """
        return (
            f"{weights.elements(strip.row.head for strip in (self, *others))}"
            f'<style data-heed="style">{self._css}</style>\n'
            f'<script type="module" data-heed="strip">{self._esm}\nmount(document);\n</script>'
        )

    def still(self) -> str:
        """The strip as HTML that `alive` brings to life: a coloured table, and its state."""
        not_its_own = ("layout", "tabbable", "tooltip", "comm", "problem", "weights")
        state = {}
        for name in self.traits(sync=True):
            if not name.startswith("_") and name not in not_its_own:
                state[name] = _plain(getattr(self, name))
        state = json.dumps(state).replace("<", "\\u003c")
        kinds = {"original": self.original}
        if not np.array_equal(self.attention, self.original):
            kinds["here"] = self.attention
        label = "" if self.label is None else f"Label: {self.classes[self.label]}"
        moves = self.head.get("moves", "").rstrip(".")
        words = " ".join(t for t, own in zip(self.tokens, self.marked or (), strict=False) if own)
        marked = f"Marked by a person: {words}" if words else ""
        above = visible(". ".join(filter(None, (self.reader, label, marked, moves))))
        table = heatmap.to_html(self.row, self.classes, kinds, above, self.question, self.query_name)
        return (
            f'<div class="heed-strip">{table}<p><i>{STILL}</i></p></div>'
            f'<script type="application/json" data-heed="state">{state}</script>'
        )

    def save(self, path) -> Path:
        """Write the strip as one page that opens from the disk and needs no network; return its path.

        `~` is home. Raises HeedError if it can't be written there.
        """
        title = html.escape(visible(f"Attention on {self.name or 'a text'}"))
        page = (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width">'
            '<meta name="color-scheme" content="light dark"></head>'
            f"<body><main>{self.to_html()}</main></body></html>\n"
        )
        target = paths.file_named(path)
        with paths.writing(target) as aside:
            aside.write_text(page, encoding="utf-8")
        return target


def _plain(value):
    """JSON-ready. Nine significant digits: enough for 1e-6, and the same on every machine."""
    if isinstance(value, np.ndarray):
        return [float(f"{x:.8e}") for x in value.ravel()]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.8e}")
    return value


def _head(head: Head | Tail) -> dict:
    """A head as the strip takes it: its functions, and the weights of its last layer or None for both."""
    if isinstance(head, Tail):
        return weights.described(head)
    if head.out is None:
        return {"act": head.act, "link": head.link, "weight": None, "bias": None}
    weight = head.out.weight.detach().tolist()
    bias = [0.0] * len(weight) if head.out.bias is None else head.out.bias.detach().tolist()
    return {"act": head.act, "link": head.link, "bias": bias, "weight": weight}


def _state(
    tokens,
    attention=None,
    values=None,
    head=None,
    *,
    shift=None,
    classes=None,
    label=None,
    question="",
    query_name="Question",
    allowed=None,
    real=None,
    epsilon=0.01,
    found=None,
    known=None,
    marked=None,
    name="",
    reader="",
    group="",
) -> tuple[Row, dict]:
    """The row, and every trait's value, all checked; tokens first, as attention is checked by them."""
    arrays_given = {
        "attention": attention,
        "values": values,
        "head": head,
        "shift": shift,
        "allowed": allowed,
        "real": real,
    }
    if isinstance(tokens, Row):
        row = tokens
        for kind, given in arrays_given.items():
            if given is not None:
                raise HeedError(
                    f"TokenStrip: the row has its own {kind}; give a row, or all arrays yourself."
                )
    elif attention is None or values is None or not isinstance(head, Head | Tail):
        raise HeedError("TokenStrip takes a row of evidence, or tokens, attention, values and a heed Head.")
    else:
        row = Row.of(tokens, **arrays_given, id=_text(name))
    _check_head(row.head)
    is_tail = isinstance(row.head, Tail)
    if classes is None and is_tail:
        classes = row.head.names
    classes = _class_names(classes, len(row.prediction))
    if label is not None:
        row = replace(row, label=_label(label, classes))
    epsilon = check_epsilon(epsilon)
    return row, {
        "tokens": list(row.units),
        "direction": "rtl" if heatmap.runs_leftwards(row) else "ltr",
        "head": _head(row.head),
        "weights": Weights.of(row.head) if is_tail else None,
        "classes": classes,
        "name": _text(name) or row.id,
        "question": _text(question),
        "query_name": _text(query_name),
        "label": None if row.label < 0 else row.label,
        "found": None if found is None else arrays.attention(found, len(row.units), "found"),
        "epsilon": epsilon,
        "found_epsilon": epsilon,
        "allowed": None if row.allowed is None else row.allowed.tolist(),
        "real": row.real.tolist(),
        "known": np.ones(len(row.units), bool).tolist() if known is None else _flags(known, row, "known"),
        "marked": [] if marked is None else _flags(marked, row, "marked"),
        "reader": _text(reader),
        "group": _text(group),
        "values": row.head.lower(row.values) if is_tail else row.values,
        "shift": row.shift,
        "original": row.attention,
        "attention": row.attention,
    }


def _flags(given, row: Row, name: str) -> list[bool]:
    """Which of the row's tokens are `name`."""
    return arrays.flags(given, len(row.units), name, "tokens").tolist()


def _text(given) -> str:
    """A name or a question, of a number too."""
    return "" if given is None else str(given)


def _class_names(classes, C: int) -> list[str]:
    """The names (C,), each its own; `class 0` and so on where none are given."""
    if classes is None:
        return [f"class {c}" for c in range(C)]
    names = arrays.words(classes, "classes")
    if len(names) != C:
        raise HeedError(f"classes: {len(names)} names for {C} classes.")
    for name, count in Counter(names).items():
        if count > 1:
            raise HeedError(f"classes: {name!r} is there twice; each class needs a name of its own.")
    return list(names)


def _label(given, classes: list[str]) -> int:
    """The number of a class, of its name or its number."""
    if isinstance(given, str):
        return classes.index(choose("label", given, classes))
    return arrays.index(given, len(classes), "label")
