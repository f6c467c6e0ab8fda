"""A reader's hands on attention: what would the model have said, had it looked elsewhere?

The arithmetic is a function of one row of evidence; the widget is a shell of ipywidgets around it.
"""

import html

import ipywidgets as widgets
import numpy as np

from heed import exact
from heed.divergence import jsd, tvd
from heed.evidence import Evidence, Row

MOST_SLIDERS = 60
STEP = 0.001


def moved(attention: np.ndarray, t: int, weight: float) -> np.ndarray:
    """Attention with `weight` on position t, the others keeping their proportions, shape (T,).

    If all of it lay on t the others share what is left equally. Raises ValueError outside [0, 1].
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"a weight must be in [0, 1], not {weight}")
    attention = np.asarray(attention, dtype=float)
    if len(attention) == 1:
        return np.ones(1)
    others = np.delete(attention, t)
    others = others / others.sum() if others.sum() > 0 else np.full(len(others), 1 / len(others))
    return np.insert(others * (1 - weight), t, weight)


def what_if(row: Row, attention: np.ndarray) -> dict:
    """Prediction (C,) under another attention, its TVD to the model's own, the JSD of the attentions."""
    prediction = row.probs(attention)
    return {
        "prediction": prediction,
        "tvd": float(tvd(prediction, row.prediction)),
        "jsd": float(jsd(attention, row.attention)),
    }


class Perturb:
    """Choose an instance, move a slider a token, read prediction, TVD and JSD at once.

    `attention` can be read and set from code; show `widget`. Texts of more than 60 tokens have
    sliders for the 60 with the highest attention.
    """

    def __init__(self, evidence: Evidence, classes: tuple[str, ...], seed: int = 0, epsilon: float = 0.01):
        self.evidence, self.classes = evidence, classes
        self._updating = False
        self.rng = np.random.default_rng([seed, 3])
        self.choice = widgets.BoundedIntText(0, 0, len(evidence) - 1, description="instance")
        self.choice.observe(lambda _: self.select(self.choice.value), "value")
        self.buttons = {
            name: widgets.Button(description=name, tooltip=f"set attention: {name}")
            for name in ("original", "uniform", "permute", "exact adversary")
        }
        for name, button in self.buttons.items():
            button.on_click(lambda _, name=name: self.press(name))
        self.readout, self.strip = widgets.HTML(), widgets.HBox(layout={"flex_flow": "row wrap"})
        self.epsilon = widgets.BoundedFloatText(epsilon, min=0, max=0.99, step=0.01, description="ε")
        top = widgets.HBox([self.choice, *self.buttons.values(), self.epsilon])
        self.widget = widgets.VBox([top, self.readout, self.strip])
        self.select(0)

    def select(self, i: int) -> None:
        """Take up instance i with its own attention."""
        self.row = self.evidence[i]
        shown = np.sort(np.argsort(-self.row.attention, kind="stable")[:MOST_SLIDERS])
        self.sliders = {}
        for t in shown:
            look = {"orientation": "vertical", "readout_format": ".2f", "layout": {"width": "5.5em"}}
            word = self.row.units[t]
            slider = widgets.FloatSlider(0, min=0, max=1, step=STEP, description=word, **look)
            slider.observe(lambda change, t=int(t): self._slid(t, change["new"]), "value")
            self.sliders[int(t)] = slider
        self.strip.children = list(self.sliders.values())
        self.attention = self.row.attention

    def press(self, name: str) -> None:
        """What a button does."""
        attention = self.row.attention
        if name == "uniform":
            attention = np.full(len(attention), 1 / len(attention))
        elif name == "permute":
            attention = self.rng.permutation(attention)
        elif name == "exact adversary":
            found = exact.best(self.row, self.epsilon.value)
            attention = attention if found is None else found.attention(len(attention))
        self.attention = attention

    @property
    def attention(self) -> np.ndarray:
        """The attention now shown, shape (T,)."""
        return self._attention

    @attention.setter
    def attention(self, attention) -> None:
        attention = np.asarray(attention, dtype=float)
        if (
            attention.shape != self.row.attention.shape
            or (attention < 0).any()
            or abs(attention.sum() - 1) > 1e-6
        ):
            raise ValueError(f"attention must be {len(self.row.attention)} weights >= 0 that sum to 1")
        self._attention = attention
        self._updating = True
        for t, slider in self.sliders.items():
            slider.value = round(float(attention[t]), 3)  # on its grid: the browser has nothing to correct
        self._updating = False
        self.readout.value = self._read()

    def _slid(self, t: int, weight: float) -> None:
        # Moving one slider moves the others, which must not answer; nor is rounding a hand's move.
        if not self._updating and abs(weight - self._attention[t]) > STEP / 2 + 1e-9:
            self.attention = moved(self._attention, t, weight)

    def _read(self) -> str:
        found = what_if(self.row, self._attention)
        label = html.escape(self.classes[self.row.label])
        lines = [
            f"P({html.escape(name)}) = {p:.3f} (the model's own: {own:.3f})"
            for name, p, own in zip(self.classes, found["prediction"], self.row.prediction, strict=True)
        ]
        lines.append(f"TVD to the model's prediction: {found['tvd']:.3f}; label: {label}")
        lines.append(f"JSD to the model's attention: {found['jsd']:.3f} nats (at most 0.693)")
        return "<br>".join(lines)
