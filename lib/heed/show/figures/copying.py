"""Chapter 09: copying, seed by seed and head by head."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from heed.show.colours import LINE, REPORTED, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below, named_above
from heed.show.figures.numbers import Numbers, names_of, rounded, series
from heed.show.style import LINES, MARKERS

SEEN = {
    "copied": "symbols right",
    "attended": "largest weight on the right symbol",
    "least": "relevance lowest at the right symbol",
}


def copies(looks: pd.DataFrame, tasks: dict[str, str], good: float) -> Figure:
    """Token and attention accuracy, and where relevance is lowest; a line a seed, a column a task."""
    return draw_copies(copies_numbers(looks), tasks, good)


def copies_numbers(looks: pd.DataFrame) -> Numbers:
    """By task and seed, the steps of training at which it is looked at, and what is seen there."""
    found = {}
    for (task, seed), own in looks.groupby(["task", "seed"]):
        for quantity in ("step", *SEEN):
            if quantity in own:
                found[task, f"seed {seed}", quantity] = own[quantity]
    return rounded(found)


def draw_copies(numbers: Numbers, tasks: dict[str, str], good: float) -> Figure:
    """What `copies` draws, of `copies_numbers`: where relevance is lowest of one task alone.

    The legend is left out where all lines have learnt, or none.
    """
    tasks = {name: title for name, title in tasks.items() if name in names_of(numbers, "panel")}
    seen = {name: label for name, label in SEEN.items() if name in names_of(numbers, "quantity")}
    if len(tasks) > 1:
        seen.pop("least", None)
    size = {"figsize": (min(3.5 * len(seen), 7), 0.9 + 1.9 * len(tasks)), "squeeze": False}
    figure, axes = plt.subplots(len(tasks), len(seen), sharex=True, sharey=True, **size)
    ends = set()  # of the lines that are drawn
    for row, (task, title) in zip(axes, tasks.items(), strict=True):
        for seed in dict.fromkeys(seed for panel, seed, _ in numbers if panel == task):
            steps = series(numbers, (task, seed, "step"))
            learnt = series(numbers, (task, seed, "copied"))[-1] > good
            ends.add(learnt)
            for ax, name in zip(row, seen, strict=True):
                values = series(numbers, (task, seed, name), len(steps))
                ax.plot(steps, values, LINES[not learnt], color=SERIES[not learnt], alpha=0.8)
        row[0].set_ylabel(f"share of writing steps\n({title})")
    for ax, label in zip(axes[0], seen.values(), strict=True):
        if len(seen) > 2:
            label = label.replace(" on ", "\non ").replace(" at ", "\nat ")
        ax.set(title=label, ylim=(-0.02, 1.02))
    for ax in axes[-1]:
        ax.set_xlabel("steps of training")
    said = {True: f"has learnt to copy (over {good:g} at the end)", False: "hasn't"}
    if len(ends) > 1:
        for learnt, label in said.items():
            axes[0, 0].plot([], [], LINES[not learnt], color=SERIES[not learnt], label=label)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


WAYS = {"copied": "symbols right", "attended": "largest weight on the symbol being written"}


def both_ways(usual: Numbers, longer: Numbers, task: str, good: float) -> Figure:
    """How well models copy and where they look, a line a model: those that learn in time, and others.

    usual, longer: `copies_numbers` of the usual steps, and of the others, trained longer.
    """
    figure, axes = plt.subplots(2, 1, figsize=(WIDTH, 4.9), sharex=True)
    learnt = {}
    for seed in dict.fromkeys(seed for panel, seed, _ in usual if panel == task):
        if series(usual, (task, seed, "copied"))[-1] > good:
            learnt[seed] = usual
    others = dict.fromkeys((seed for panel, seed, _ in longer if panel == task), longer)
    kinds = {"learn in the usual time": learnt, "trained longer": others}
    for k, (name, seeds) in enumerate(kinds.items()):
        for seed, numbers in seeds.items():
            steps = series(numbers, (task, seed, "step"))
            for ax, quantity in zip(axes, WAYS, strict=True):
                values = series(numbers, (task, seed, quantity), len(steps))
                ax.plot(steps, values, LINES[k], color=SERIES[k], alpha=0.8)
        many = f"{len(seeds)} model{'s' if len(seeds) != 1 else ''}"
        axes[0].plot([], [], LINES[k], color=SERIES[k], label=f"{many}: {name}")
    usual_steps = max(numbers.max() for key, numbers in usual.items() if key[2] == "step")
    for ax, title in zip(axes, WAYS.values(), strict=True):
        ax.axvline(usual_steps, color=LINE, linewidth=1)
        ax.annotate("the usual time", (usual_steps, 0.2), (4, 0), textcoords="offset points", fontsize=SMALL)
        ax.set(ylabel="share of writing steps", ylim=(-0.02, 1.02))
        ax.set_title(title, loc="left", fontsize="medium")
    axes[-1].set_xlabel("steps of training")
    legend_below(figure, axes[0], 1)
    return figure


KINDS = {"attention": "attention (share)", "relevance": "relevance (nats)"}


def maps(shown: dict[str, pd.DataFrame], kind: str) -> Figure:
    """Attention, or relevance, of a sequence each: a row an output step, a column an input position.

    A frame marks where the symbol being written is read.
    """
    lowest = min(np.min(np.stack(one["relevance"].to_list())) for one in shown.values())  # one scale for all
    low, high = (0, 1) if kind == "attention" else (lowest, 0)
    size = WIDTH, WIDTH / len(shown) + 1.35
    figure, axes = plt.subplots(1, len(shown), figsize=size, sharey=True, squeeze=False)
    for ax, (title, one) in zip(axes[0], shown.items(), strict=True):
        values = np.stack(one[kind].to_list())
        image = ax.imshow(values, cmap="cividis", vmin=low, vmax=high)
        for place in range(len(values)):  # where the symbol that is written is read
            ax.add_patch(Rectangle((place - 0.5, place - 0.5), 1, 1, fill=False, edgecolor=SERIES[1]))
        ax.set(xlabel="place read")
        ax.set_title(title, fontsize=SMALL)
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes[0, 0].set_ylabel("step of writing")
    figure.colorbar(image, ax=axes[0], location="bottom", shrink=0.8, aspect=30, label=KINDS[kind])
    return figure


def two_ways(times: np.ndarray, ways: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Figure:
    """Gradient flow from two starts: D, and the right symbol's probability; each way a line with its name.

    ways: D, the attention to the right place, and that probability, each (times,), by what the start is.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.9))
    for k, (name, (d, _, probability)) in enumerate(ways.items()):
        look = {"linestyle": LINES[k], "color": SERIES[k]}
        axes[0].plot(times, d, label=name, **look)
        axes[1].plot(times, probability, label=name, **look)
    axes[0].axhline(0, color=LINE, linewidth=0.8)
    axes[0].set(xlabel="time of the gradient flow", ylabel="D, what a symbol says\nfor itself (logits)")
    axes[1].set(xlabel="time of the gradient flow", ylabel="P(right symbol)", ylim=(0, 1.02))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def succeeded(shares: pd.DataFrame, labels: list[str], reported: dict[str, float] | None = None) -> Figure:
    """Share of seeds that learn to copy with Wilson's interval, a row a task and a mark a setting.

    reported: the authors' share by task, drawn beside.
    """
    settings = list(dict.fromkeys(shares["setting"]))
    figure, ax = plt.subplots(figsize=(WIDTH, 0.68 * len(labels) + 1))
    rows = np.arange(len(labels))
    for k, setting in enumerate(settings):
        own = shares[shares["setting"] == setting].set_index("what").reindex(labels)
        places = rows + 0.16 * (k - (len(settings) - 1) / 2)
        spread = np.abs(own[["low", "high"]].to_numpy() - own[["success"]].to_numpy()).T
        many = [*own["seeds"].dropna().astype(int).unique()] if "seeds" in own else []
        label = f"{setting} ({many[0]} models each)" if len(many) == 1 else setting
        ax.errorbar(own["success"], places, xerr=spread, fmt=MARKERS[k], color=SERIES[k], capsize=3,
                    label=label)  # fmt: skip
    if reported:
        told = [reported[label] for label in labels]
        look = {"linestyle": "", "marker": "D", "color": REPORTED, "label": "as reported"}
        ax.plot(told, rows + 0.08 * len(settings) + 0.08, **look)
    named_above(ax, rows, labels, 0.36)
    ax.set(xlim=(-0.03, 1.03), ylim=(len(labels) - 0.5, -0.6))
    ax.set_xlabel("share of models that learn to copy (95 % interval)", fontsize=SMALL)
    if len(settings) > 1 or reported:
        legend_below(figure, ax, 2)
    return figure
