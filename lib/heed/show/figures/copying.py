"""Chapter 09: copying, seed by seed and head by head."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.show.colours import LINE, SERIES
from heed.show.figures.numbers import Numbers, names_of, rounded, series
from heed.show.style import LINES, MARKERS

SEEN = {"copied": "token accuracy", "attended": "attention accuracy", "least": "relevance lowest there"}


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
    """What `copies` draws, of `copies_numbers`."""
    rows = {name: label for name, label in SEEN.items() if name in names_of(numbers, "quantity")}
    tasks = {name: title for name, title in tasks.items() if name in names_of(numbers, "panel")}
    size = {"figsize": (3.6 * len(tasks) + 1.2 * (len(tasks) == 1), 0.6 + 2.2 * len(rows)), "squeeze": False}
    figure, axes = plt.subplots(len(rows), len(tasks), sharex=True, sharey=True, **size)
    for column, (task, title) in zip(axes.T, tasks.items(), strict=True):
        column[0].set_title(title)
        column[-1].set_xlabel("steps of training")
        for seed in dict.fromkeys(seed for panel, seed, _ in numbers if panel == task):
            steps = series(numbers, (task, seed, "step"))
            learnt = series(numbers, (task, seed, "copied"))[-1] > good
            for ax, name in zip(column, rows, strict=True):
                values = series(numbers, (task, seed, name), len(steps))
                ax.plot(steps, values, LINES[not learnt], color=SERIES[not learnt], alpha=0.8)
    for ax, label in zip(axes[:, 0], rows.values(), strict=True):
        ax.set(ylabel=label, ylim=(-0.02, 1.02))
    said = (f"has learnt to copy (over {good:g} at the end)", "hasn't")
    for k, label in enumerate(said):
        axes[0, 0].plot([], [], LINES[k], color=SERIES[k], label=label)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def maps(shown: dict[str, pd.DataFrame]) -> Figure:
    """Attention and relevance of one sequence each: a row an output step, a column an input position."""
    lowest = min(np.min(np.stack(one["relevance"].to_list())) for one in shown.values())  # one scale for all
    figure, axes = plt.subplots(2, len(shown), figsize=(3.5 * len(shown), 6.4), squeeze=False)
    kinds = {"attention": "attention a", "relevance": "relevance r (nats)"}
    for column, (title, one) in zip(axes.T, shown.items(), strict=True):
        for ax, (kind, label) in zip(column, kinds.items(), strict=True):
            values = np.stack(one[kind].to_list())
            low, high = (0, 1) if kind == "attention" else (lowest, 0)
            image = ax.imshow(values, cmap="cividis", vmin=low, vmax=high)
            figure.colorbar(image, ax=ax, shrink=0.75, label=label)
            ax.set(xlabel="position read", ylabel="step written")
            ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        column[0].set_title(title)
    return figure


def succeeded(shares: pd.DataFrame, labels: list[str]) -> Figure:
    """Share of seeds that learn to copy with Wilson's interval, a row a task and a mark a setting."""
    settings = list(dict.fromkeys(shares["setting"]))
    figure, ax = plt.subplots(figsize=(7.4, 0.55 * len(labels) + 1.3))
    for k, setting in enumerate(settings):
        own = shares[shares["setting"] == setting].set_index("what").reindex(labels)
        places = np.arange(len(labels))[::-1] + 0.16 * ((len(settings) - 1) / 2 - k)
        spread = np.abs(own[["low", "high"]].to_numpy() - own[["success"]].to_numpy()).T
        ax.errorbar(own["success"], places, xerr=spread, fmt=MARKERS[k], color=SERIES[k], capsize=3,
                    label=setting)  # fmt: skip
    ax.axvline(0.5, color=LINE, linewidth=0.8)
    ax.set(xlim=(-0.03, 1.03), xlabel="share that learns to copy (95 % interval)")
    ax.set_yticks(np.arange(len(labels))[::-1], labels)
    if len(settings) > 1:
        figure.legend(loc="outside lower center", ncols=len(settings))
    return figure
