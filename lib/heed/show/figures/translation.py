"""Chapter 09b: translation."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import LINE, SERIES
from heed.show.figures.common import SMALL, WIDTH
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LINES, MARKERS

# What is drawn of which model.
AGREES = {
    ("other seed", "attention"): "attention, another seed",
    ("base", "relevance"): "relevance, the first model",
    ("uniform", "relevance"): "relevance, attention held even",
}
MODELS = {"other seed": "another seed", "base": "the first model", "uniform": "attention held even"}
POINTING = "share pointing where the first\nmodel's finished attention does"
# The panels of the word that is meant: of each model what is drawn.
FINDS = {
    "base": ("attention", "relevance"),
    "other seed": ("attention", "relevance"),
    "uniform": ("relevance",),
}
PANELS = {"base": "the first model", "other seed": "another seed", "uniform": "attention held even"}
# Attention, relevance and that under even attention have each one line, mark and colour in all figures.
ATTENTION, RELEVANCE, EVEN = (
    {"linestyle": LINES[k], "marker": MARKERS[k], "color": SERIES[k]} for k in (0, 1, 3)
)


def _look(model: str, kind: str) -> dict:
    """How a model's attention or relevance is drawn."""
    if kind == "attention":
        return ATTENTION
    return EVEN if model == "uniform" else RELEVANCE


def on_meant(meant: dict[str, pd.DataFrame], words: int, chance: float) -> Figure:
    """How often attention and relevance are highest on the word that is meant, by step: a panel a model.

    meant: `translation.meant` of each model by name, of so many words. chance: a random place's share.
    """
    figure, axes = plt.subplots(len(FINDS), 1, figsize=(WIDTH, 6.0), sharex=True)
    steps = sorted({*np.concatenate([meant[model]["step"] for model in FINDS])})
    drawn = {}
    for ax, (model, kinds) in zip(axes, FINDS.items(), strict=True):
        own = meant[model].sort_values("step")
        for kind in kinds:
            label = f"{kind}, {PANELS[model]}" if model == "uniform" else kind
            drawn[label] = ax.plot(own["step"], own[kind], markersize=3.5, **_look(model, kind))[0]
        level = ax.axhline(chance, color=LINE, linewidth=0.8)
        _of_steps(ax, steps)
        ax.set_title(PANELS[model], loc="left", fontsize="medium")
    drawn[f"a random source place: {chance:.0%}"] = level
    for ax in axes[:-1]:
        ax.set_xlabel("")
    axes[1].set_ylabel(f"share of {words} words")
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1.2), "borderaxespad": 0.2}  # the first panel's name
    axes[0].legend([*drawn.values()], [*drawn], fontsize=SMALL, **above)
    return figure


def _of_steps(ax, steps: list[float]) -> None:
    """A logarithmic axis of steps, with the last named and those that have room, and one of shares."""
    ticks, apart = steps[:2], 2 if steps[-1] < 5000 else 4
    for step in steps[2:-1]:
        if step >= apart * ticks[-1] and apart * step <= steps[-1]:
            ticks.append(step)
    ticks += steps[2:][-1:]
    if len(steps) > 1:
        ax.set_xscale("symlog", linthresh=steps[1], linscale=0.5)
    ax.set_xticks(ticks, [f"{step:,.0f}" for step in ticks])
    ax.minorticks_off()
    ax.tick_params(labelsize=SMALL)
    ax.set(xlabel="steps of training (not to scale)", ylim=(-0.02, 1.02))


def agreeing(numbers: Numbers) -> Figure:
    """What points where the finished model's attention does, by step, each named with its last share.

    numbers: `translated_numbers`'. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.6))
    every = set()
    for (model, kind), label in AGREES.items():
        steps = series(numbers, ("agreement", model, "step"))
        shares = series(numbers, ("agreement", model, kind), len(steps))
        ax.plot(steps, shares, label=f"{label}: {shares[-1]:.0%}", markersize=4, **_look(model, kind))
        every |= {*steps}
    _of_steps(ax, sorted(every))
    if ("agreement", "chance", "share") in numbers:
        level = series(numbers, ("agreement", "chance", "share"), 1)[0]
        ax.axhline(level, color=LINE, linewidth=0.8, label=f"a random ranking: {level:.0%}")
    ax.set_ylabel(POINTING)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=SMALL, borderaxespad=0.2)
    return figure


def translated(learning: pd.DataFrame, chance: float | None = None) -> Figure:
    """What agrees with the finished model's attention, by step; beside it how many words are predicted.

    learning: `translation.learning`'s. chance: A of a random ranking, drawn as a line.
    """
    return draw_translated(translated_numbers(learning, chance))


def translated_numbers(learning: pd.DataFrame, chance: float | None = None) -> Numbers:
    """By panel and model, the steps of training at which it is looked at, and what is seen there."""
    found = {} if chance is None else {("agreement", "chance", "share"): [chance]}
    for model, kind in AGREES:
        own = learning[learning["model"] == model].sort_values("step")
        for panel, column in (("agreement", kind), ("accuracy", "accuracy")):
            found[panel, model, "step"], found[panel, model, column] = own["step"], own[column]
    return rounded(found)


def draw_translated(numbers: Numbers) -> Figure:
    """What `translated` draws, of `translated_numbers`."""
    figure, axes = plt.subplots(2, 1, figsize=(WIDTH, 6.4))

    def line(panel: str, model: str, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        steps = series(numbers, (panel, model, "step"))
        return steps, series(numbers, (panel, model, quantity), len(steps))

    for (model, kind), label in AGREES.items():
        look = _look(model, kind) | {"markersize": 4.5}
        axes[0].plot(*line("agreement", model, kind), label=label, **look)
        axes[1].plot(*line("accuracy", model, "accuracy"), label=MODELS[model], **look)
    steps = sorted({*np.concatenate([series(numbers, ("agreement", model, "step")) for model, _ in AGREES])})
    called = (("agreement", POINTING), ("predicted correctly", "share of word pieces\nand end marks"))
    for ax, (title, share) in zip(axes, called, strict=True):
        _of_steps(ax, steps)
        ax.set_title(title, loc="left", fontsize="medium")
        ax.set_ylabel(share)
    if ("agreement", "chance", "share") in numbers:
        level = series(numbers, ("agreement", "chance", "share"), 1)[0]
        axes[0].axhline(level, color=LINE, linewidth=0.8, label="a random ranking")
    for ax in axes:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.24))  # each panel's lines have other names
    return figure
