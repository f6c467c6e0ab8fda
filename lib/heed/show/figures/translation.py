"""Chapter 09b: translation."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import LINE, SERIES
from heed.show.figures.numbers import Numbers, names_of, rounded, series
from heed.show.style import LINES, MARKERS

# What is drawn of which model.
AGREES = {
    ("other seed", "attention"): "attention, another seed",
    ("base", "relevance"): "relevance, the same model",
    ("uniform", "relevance"): "relevance, uniform training",
}


def translated(
    learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None = None, chance: float | None = None
) -> Figure:
    """What agrees with the finished model's attention, by step; beside it what is on the word that is meant.

    learning: `translation.learning`'s; meant: `translation.meant` of each model by name, or token accuracy.
    chance: A of a random ranking, drawn as a line.
    """
    return draw_translated(translated_numbers(learning, meant, chance))


def translated_numbers(
    learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None = None, chance: float | None = None
) -> Numbers:
    """By panel and model, the steps of training at which it is looked at, and what is seen there."""
    found = {} if chance is None else {("agreement", "chance", "share"): [chance]}
    for model, kind in AGREES:
        own = learning[learning["model"] == model].sort_values("step")
        beside, table, column = ("accuracy", own, "accuracy")
        if meant is not None:
            beside, table, column = ("meant", meant[model], kind)
        found["agreement", model, "step"], found["agreement", model, kind] = own["step"], own[kind]
        found[beside, model, "step"], found[beside, model, column] = table["step"], table[column]
    return rounded(found)


def draw_translated(numbers: Numbers) -> Figure:
    """What `translated` draws, of `translated_numbers`."""
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), sharex=True, sharey=True)
    beside = "meant" if "meant" in names_of(numbers, "panel") else "accuracy"

    def line(panel: str, model: str, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        steps = series(numbers, (panel, model, "step"))
        return steps, series(numbers, (panel, model, quantity), len(steps))

    for k, ((model, kind), label) in enumerate(AGREES.items()):
        look = {"linestyle": LINES[k], "marker": MARKERS[k], "markersize": 4.5, "color": SERIES[k]}
        axes[0].plot(*line("agreement", model, kind), label=label, **look)
        axes[1].plot(*line(beside, model, kind if beside == "meant" else "accuracy"), **look)
    steps = sorted({*np.concatenate([series(numbers, ("agreement", model, "step")) for model, _ in AGREES])})
    ticks = steps[:2]
    for step in steps[2:]:
        if step >= (2 if steps[-1] < 5000 else 4) * ticks[-1]:
            ticks.append(step)
    for ax in axes:
        ax.set_xscale("symlog", linthresh=steps[1], linscale=0.5)
        ax.set_xticks(ticks, [f"{step:,.0f}" for step in ticks])
        ax.minorticks_off()
        ax.set(xlabel="steps of training", ylim=(-0.02, 1.02))
    if ("agreement", "chance", "share") in numbers:
        level = series(numbers, ("agreement", "chance", "share"), 1)[0]
        axes[0].axhline(level, color=LINE, linewidth=0.8, label="a random ranking")
    axes[0].set(title="A with the finished attention", ylabel="share")
    axes[1].set(
        title="highest on the word that is meant" if beside == "meant" else "word pieces predicted correctly"
    )
    figure.legend(loc="outside lower center", ncols=2)
    return figure
