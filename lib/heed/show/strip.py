"""The token strip: a reader's hands on attention. What would the model have said, had it looked elsewhere?

The strip is strip.js and strip.css beside this file: one plain module that computes everything in the browser
from one row of evidence. In JupyterLab it is a widget whose `attention` goes both ways; in a page it lives
without a kernel, offline, and where no scripts run a plain coloured table stays.
"""

import html
import json
from pathlib import Path

import anywidget
import numpy as np
import traitlets

from heed import paths
from heed.errors import HeedError
from heed.evidence import Row
from heed.measures.divergence import jsd, tvd
from heed.measures.exact import check_epsilon
from heed.models.head import Head
from heed.show import colours, heatmap
from heed.show.words import visible


def moved(attention: np.ndarray, t: int, weight: float, pinned=()) -> np.ndarray:
    """Attention with `weight` on position t, shape (T,); positions in `pinned` keep theirs.

    The others keep their proportions, or share equally if they have nothing. More than the pins leave can't
    be given: it is cut. Raises HeedError for a weight outside [0, 1], or if all others are pinned.
    """
    if not 0 <= weight <= 1:
        raise HeedError(f"a weight must be in [0, 1], not {weight}.")
    a = np.array(attention, dtype=float)
    if len(a) == 1:
        return np.ones(1)
    free = np.ones(len(a), dtype=bool)
    free[[t, *pinned]] = False
    if not free.any():
        raise HeedError("nothing can move: all other tokens are pinned. Unpin one.")
    held = a[~free].sum() - a[t]  # by the pins
    a[t] = min(weight, max(1 - held, 0))
    rest = max(1 - held - a[t], 0)
    free_before = a[free].sum()
    if free_before > 0:
        a[free] = a[free] / free_before * rest
    else:
        a[free] = rest / free.sum()
    return a


def what_if(row: Row, attention: np.ndarray) -> dict:
    """Prediction (C,) under another attention, its TVD to the model's own, the JSD of the attentions."""
    prediction = row.probs(attention)
    return {
        "prediction": prediction,
        "tvd": float(tvd(prediction, row.prediction)),
        "jsd": float(jsd(attention, row.attention)),
    }


def parts(row: Row, attention: np.ndarray) -> np.ndarray:
    """Each token's part of the change of the predicted class's logit, shape (T,); they sum to the change.

    With a linear head (a_t - â_t)·r_t. Else the gradient integrated along the straight line from â to a: on
    it every argument of act moves linearly, so the integral is exactly the slope of act's chord.
    """
    head = row.head
    if len(row.prediction) == 2:
        predicted = int(row.prediction[1] >= 0.5)
    else:
        predicted = int(row.prediction.argmax())
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


def fault(attention: np.ndarray, length: int) -> str:
    """One sentence if these can't be the weights of so many tokens, else nothing."""
    if attention.shape != (length,):
        given = len(attention) if attention.ndim == 1 else f"an array of shape {attention.shape}, not"
        return f"attention: {given} weights for {length} tokens; give one weight a token."
    for t, weight in enumerate(attention):
        if np.isnan(weight):
            return f"attention: weight {t} is not a number; weights are numbers from 0 to 1."
        if weight < 0:
            return f"attention: weight {t} is {weight:g}; a weight can't be below 0."
    total = attention.sum()
    if not abs(total - 1) <= 1e-6:
        return f"attention: the weights sum to {total:.6g}, they must sum to 1."
    return ""


def _array(value, _=None) -> np.ndarray | None:
    """float64, from numbers or from the bytes that a browser sends; not to be changed in place."""
    if value is None:
        return None
    try:
        if isinstance(value, bytes | memoryview):
            array = np.frombuffer(value, dtype=float)
        else:
            array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise HeedError(f"attention and values are arrays of numbers ({error}).") from None
    array.flags.writeable = False
    return array


def _bytes(value, _=None) -> memoryview | None:
    """An array as the bytes that go to a browser."""
    return None if value is None else memoryview(np.ascontiguousarray(value)).cast("B")


class _Array(traitlets.TraitType):
    """An array of float64 that travels as bytes; `of_tokens`: checked to be attention on the tokens."""

    def __init__(self, of_tokens: bool = False):
        super().__init__(None, allow_none=True)
        self.of_tokens = of_tokens
        self.tag(sync=True, to_json=_bytes, from_json=_array)

    def validate(self, obj, value):
        array = _array(value)
        if self.of_tokens:
            wrong = "" if array is None else fault(array, len(obj.tokens))
            obj.problem = wrong
            if wrong:
                raise HeedError(wrong)
        return array


class TokenStrip(anywidget.AnyWidget):
    """A text's tokens with a bar each, to be moved by hand: `TokenStrip(row)` shows a row of evidence.

    Or `TokenStrip(tokens, attention, values, head)` with attention (T,), values (T,) or (T, D), a Head, and
    shift (D,), allowed (C,), label. `attention` is read and set from either side; what can't be attention
    raises HeedError and is said on the strip. question: shown as text, after its query_name. found: attention
    (T,) that the paper's search found at `epsilon`. classes: names (C,). name: what links and files carry.
    """

    _esm = Path(__file__).parent / "strip.js"
    _css = colours.strip_css() + (Path(__file__).parent / "strip.css").read_text(encoding="utf-8")
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    attention, original, found = _Array(True), _Array(True), _Array(True)
    values, shift = _Array(), _Array()
    head = traitlets.Dict().tag(sync=True)
    allowed = traitlets.List(traitlets.Bool(), None, allow_none=True).tag(sync=True)
    classes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    label = traitlets.Int(None, allow_none=True).tag(sync=True)
    question, query_name = traitlets.Unicode().tag(sync=True), traitlets.Unicode("Question").tag(sync=True)
    real = traitlets.List(traitlets.Bool(), None, allow_none=True).tag(sync=True)
    epsilon = traitlets.Float(0.01).tag(sync=True)
    found_epsilon = traitlets.Float(0.01).tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    problem = traitlets.Unicode().tag(sync=True)

    def __init__(self, tokens, attention=None, values=None, head=None, **more):
        super().__init__(**self._state(tokens, attention, values, head, **more))

    def show(self, tokens, attention=None, values=None, head=None, **more) -> None:
        """Show another text on the same strip; takes what the constructor takes."""
        state = self._state(tokens, attention, values, head, **more)
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)

    def _state(
        self,
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
        name="",
    ) -> dict:
        """Every trait's value, checked, before any is set; tokens first, as attention is checked by them."""
        if isinstance(tokens, Row):
            row = tokens
        else:
            row = _row(tokens, attention, values, head, shift, label, allowed, real, name)
        self.row = row
        if classes is None:
            classes = [f"class {c}" for c in range(len(row.prediction))]
        else:
            classes = [str(name) for name in classes]
        if len(classes) != len(row.prediction):
            raise HeedError(f"classes: {len(classes)} names for {len(row.prediction)} classes.")
        return {
            "tokens": list(row.units),
            "head": _weights(row.head),
            "classes": classes,
            "name": row.id,
            "question": question,
            "query_name": query_name,
            "label": label if row.label < 0 else int(row.label),
            "found": found,
            "epsilon": check_epsilon(epsilon),
            "found_epsilon": epsilon,
            "allowed": None if row.allowed is None else [bool(flag) for flag in row.allowed],
            "real": None if row.real is None else [bool(flag) for flag in row.real],
            "values": row.values,
            "shift": row.shift,
            "original": row.attention,
            "attention": row.attention,
        }

    def __repr__(self) -> str:
        return f"TokenStrip({self.name!r}, {len(self.tokens)} tokens)"

    def _repr_mimebundle_(self, **given):
        data, metadata = super()._repr_mimebundle_(**given)
        return {**data, "text/html": self.to_html()}, metadata

    def to_html(self) -> str:
        """The strip as a piece of HTML that needs nothing else; without scripts a coloured table."""
        not_its_own = ("layout", "tabbable", "tooltip", "comm", "problem")
        state = {}
        for name in self.traits(sync=True):
            if not name.startswith("_") and name not in not_its_own:
                state[name] = _plain(getattr(self, name))
        state = json.dumps(state).replace("<", "\\u003c")
        kinds = {"original": self.original}
        if not np.array_equal(self.attention, self.original):
            kinds["here"] = self.attention
        above = []
        if self.question:
            above.append(f"{self.query_name}: {self.question}")
        if self.label is not None:
            above.append(f"Label: {self.classes[self.label]}")
        table = heatmap.to_html(self.row, self.classes, kinds, visible(". ".join(above)))
        return (
            f'<div class="heed-strip">{table}</div>'
            f'<script type="application/json" data-heed="state">{state}</script>\n'
            f'<style data-heed="style">{self._css}</style>\n'
            f'<script type="module" data-heed="strip">{self._esm}\nmount(document);\n</script>'
        )

    def save(self, path) -> Path:
        """Write the strip as one page that opens from file:// and needs no network; return its path."""
        title = html.escape(visible(f"Attention on {self.name or 'a text'}"))
        page = (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width">'
            '<meta name="color-scheme" content="light dark"></head>'
            f"<body><main>{self.to_html()}</main></body></html>\n"
        )
        with paths.writing(Path(path)) as aside:
            aside.write_text(page, encoding="utf-8")
        return Path(path)


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


def _weights(head: Head) -> dict:
    """A head as the strip takes it: its functions, and the weights of its last layer or None for both."""
    if head.out is None:
        return {"act": head.act, "link": head.link, "weight": None, "bias": None}
    weight = head.out.weight.detach().tolist()
    bias = [0.0] * len(weight) if head.out.bias is None else head.out.bias.detach().tolist()
    return {"act": head.act, "link": head.link, "bias": bias, "weight": weight}


def _row(tokens, attention, values, head: Head, shift, label, allowed, real, name) -> Row:
    """A row of evidence from plain arrays. Raises HeedError, in one sentence, where they don't fit."""
    tokens = [str(token) for token in tokens]
    T = len(tokens)
    attention, values = _array(attention), _array(values)
    if attention is None or values is None or not isinstance(head, Head):
        raise HeedError("TokenStrip takes a row of evidence, or tokens, attention, values and a heed Head.")
    wrong = fault(attention, T)
    if wrong:
        raise HeedError(wrong)
    if values.ndim not in (1, 2) or len(values) != T or not np.isfinite(values).all():
        raise HeedError(f"values: expected finite numbers of shape ({T},) or ({T}, D), got {values.shape}.")
    values = values.reshape(T, -1)
    D = values.shape[1]
    shift = np.zeros(D) if shift is None else np.broadcast_to(_array(shift), D)
    allowed = None if allowed is None else np.array(allowed, dtype=bool)
    real = np.ones(T, dtype=bool) if real is None else np.array(real, dtype=bool)
    label = -1 if label is None else int(label)
    return Row(
        id=name,
        group=name,
        units=tokens,
        real=real,
        attention=attention,
        values=values,
        shift=shift,
        allowed=allowed,
        label=label,
        prediction=head.probs(attention @ values, shift, allowed).detach().numpy(),
        truth=None,
        head=head,
    )
