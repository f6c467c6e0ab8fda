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
    ("base", "relevance"): "relevance, the same model",
    ("uniform", "relevance"): "relevance, attention held even",
}
MODELS = {"other seed": "another seed", "base": "the same model", "uniform": "attention held even"}
# What is drawn on the word that is meant, of which model.
FINDS = {
    ("base", "attention"): "attention",
    ("base", "relevance"): "relevance",
    ("other seed", "attention"): "attention, another seed",
    ("uniform", "relevance"): "relevance, attention held even",
}
# A quantity has one line, mark and colour in both figures.
LOOKS = {
    which: {"linestyle": LINES[k], "marker": MARKERS[k], "color": SERIES[k]} for k, which in enumerate(FINDS)
}


def on_meant(meant: dict[str, pd.DataFrame], words: int) -> Figure:
    """How often each of FINDS is highest on the word that is meant, by step.

    meant: `translation.meant` of each model by name, of so many words.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.6))
    for (model, kind), label in FINDS.items():
        own = meant[model].sort_values("step")
        ax.plot(own["step"], own[kind], label=label, markersize=5, **LOOKS[model, kind])
    _of_steps(ax, sorted({*np.concatenate([meant[model]["step"] for model, _ in FINDS])}))
    ax.set_ylabel(f"share of {words} words")
    _key_above(ax)
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
        ax.plot(steps, shares, label=f"{label}: {shares[-1]:.0%}", **LOOKS[model, kind] | {"markersize": 4})
        every |= {*steps}
    _of_steps(ax, sorted(every))
    if ("agreement", "chance", "share") in numbers:
        level = series(numbers, ("agreement", "chance", "share"), 1)[0]
        ax.axhline(level, color=LINE, linewidth=0.8, label=f"a random ranking: {level:.0%}")
    ax.set_ylabel("share of word pieces\nand end marks")
    _key_above(ax)
    return figure


def _key_above(ax) -> None:
    """A legend right above the panel, where a reader begins."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=SMALL, borderaxespad=0.2)


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
        look = LOOKS[model, kind] | {"markersize": 4.5}
        axes[0].plot(*line("agreement", model, kind), label=label, **look)
        axes[1].plot(*line("accuracy", model, "accuracy"), label=MODELS[model], **look)
    steps = sorted({*np.concatenate([series(numbers, ("agreement", model, "step")) for model, _ in AGREES])})
    for ax, title in zip(axes, ("agrees with the finished attention", "predicted correctly"), strict=True):
        _of_steps(ax, steps)
        ax.set_title(title, loc="left", fontsize="medium")
        ax.set_ylabel("share of word pieces\nand end marks")
    if ("agreement", "chance", "share") in numbers:
        level = series(numbers, ("agreement", "chance", "share"), 1)[0]
        axes[0].axhline(level, color=LINE, linewidth=0.8, label="a random ranking")
    for ax in axes:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.24))  # each panel's lines have other names
    return figure
