"""Chapter 08: how attention comes to be."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import INK, LINE, NOTE, SERIES
from heed.show.figures.common import legend_below
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LINES


def flow(panels: dict[str, tuple]) -> Figure:
    """Two texts under gradient flow: p and D = r_1 - r_0, numerically (lines) and in closed form (dots)."""
    figure, axes = plt.subplots(1, len(panels), figsize=(4.3 * len(panels), 3.0), squeeze=False)
    for ax, (name, (times, found, exact)) in zip(axes[0], panels.items(), strict=True):
        for i, (label, of) in enumerate(
            (("attention p", lambda x: x[2]), ("D = r₁ − r₀", lambda x: x[1] - x[0]))
        ):
            ax.plot(times, of(found), LINES[i], color=SERIES[i], label=label)
            if exact is not None:
                look = {"markersize": 4, "color": SERIES[i], "label": f"{label}, closed form"}
                ax.plot(times[::8], of(exact)[::8], "o", **look)
        ax.axhline(0, color=LINE, linewidth=0.8)
        ax.set(title=name, xlabel="time s", ylabel="attention (share), relevance (logits)")
    legend_below(figure, axes[0][0], 4)
    return figure


# What is drawn of each model that is watched: others is the mean over the other seeds.
WATCHED = {
    "base": ("away", "spread", "accuracy"),
    "uniform": ("relevance_agrees", "accuracy"),
    "others": ("attention_agrees", "relevance_agrees", "accuracy"),
}


def course(table: pd.DataFrame) -> Figure:
    """Watched training: amounts, agreement with the finished attention, accuracy; a mark a look."""
    return draw_course(course_numbers(table))


def course_numbers(table: pd.DataFrame) -> Numbers:
    """By model, the steps of training at which it is looked at, and what is seen there; A by chance."""
    others = table[~table["model"].isin(("base", "uniform"))].drop(columns="model")
    models = {name: table[table["model"] == name] for name in ("base", "uniform")}
    models["others"] = others.groupby("step", as_index=False).mean()
    found = {}
    for name, quantities in WATCHED.items():
        for quantity in ("step", *quantities):
            found["", name, quantity] = models[name][quantity]
    found["", "all", "chance"] = [table["chance"].mean()]
    return rounded(found)


def draw_course(numbers: Numbers) -> Figure:
    """What `course` draws, of `course_numbers`."""

    def line(model: str, quantity: str) -> tuple[np.ndarray, np.ndarray]:
        steps = series(numbers, ("", model, "step"))
        return steps, series(numbers, ("", model, quantity), len(steps))

    figure, axes = plt.subplots(1, 3, figsize=(11.6, 3.6))
    figure.get_layout_engine().set(wspace=0.06)
    panels = ((("away", "attention: JSD from uniform (nats)"), ("spread", "relevance: spread (logits)")),
              (("attention_agrees", "their attention"), ("relevance_agrees", "their relevance")))  # fmt: skip
    for k, (column, label) in enumerate(panels[0]):
        ax = axes[0] if k == 0 else axes[0].twinx()
        ax.plot(*line("base", column), LINES[k], marker=".", color=SERIES[k])
        ax.set_ylabel(label, color=SERIES[k])
        ax.set_ylim(bottom=0)
    axes[0].set_title("how much, this run")
    for k, (column, label) in enumerate(panels[1]):
        axes[1].plot(
            *line("others", column), LINES[k], marker=".", color=SERIES[k], label=f"other seeds: {label}"
        )
    flat = line("uniform", "relevance_agrees")
    axes[1].plot(*flat, LINES[2], marker=".", color=SERIES[2], label="uniform training: r′")
    chance = series(numbers, ("", "all", "chance"), 1)[0]
    axes[1].axhline(chance, color=LINE, linewidth=0.8, label="chance")
    axes[1].set(title="A with this run's attention", ylabel="agreement A", ylim=(0, 1.02))
    # A model's colour is no quantity's; uniform training has its own in both panels.
    shown = {
        "base": ("-", INK, "this run"),
        "uniform": (":", SERIES[2], "uniform training"),
        "others": ("--", SERIES[3], "other seeds"),
    }
    for name, (style, colour, label) in shown.items():
        axes[2].plot(*line(name, "accuracy"), style, marker=".", color=colour, label=label)
    axes[2].set(title="accuracy", ylabel="accuracy on the watched texts", ylim=(0, 1.02))
    last = max(max(series(numbers, ("", name, "step")), default=0) for name in WATCHED)
    for ax in axes:
        ax.set_xscale("symlog", linthresh=10)
        ax.set(xlabel="steps of training (log from 10 on)", xlim=(0, last * 1.1))
    for ax in axes[1:]:
        ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    return figure


def agreements(summary: pd.DataFrame, pairs: dict[str, tuple], chance: float) -> Figure:
    """Mean and 95 % interval over texts of A and of Kendall's τ, a row a pair of rankings."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 0.38 * len(pairs) + 1.3), sharey=True)
    rows = summary[summary["class"] == "overall"].set_index("measure")
    for ax, kind, label in (
        (axes[0], "top", "A: the top among the first 5 %"),
        (axes[1], "tau", "Kendall τ"),
    ):
        own = rows.loc[[f"{kind}_{name}" for name in pairs]][::-1]
        spread = np.abs(own[["low", "high"]].to_numpy() - own[["mean"]].to_numpy()).T
        ax.errorbar(own["mean"], range(len(own)), xerr=spread, fmt="o", color=SERIES[0], capsize=3)
        ax.axvline(chance if kind == "top" else 0, color=LINE, linewidth=0.8)
        ax.annotate("chance", (chance if kind == "top" else 0, 1), xycoords=("data", "axes fraction"),
                    ha="center", va="bottom", color=NOTE)  # fmt: skip
        ax.set(xlabel=f"{label}\n(95 % interval over texts)", xlim=(0, 1) if kind == "top" else (-0.5, 1))
    axes[0].set_yticks(range(len(pairs)), [label for *_, label in pairs.values()][::-1])
    axes[0].margins(y=0.12)
    return figure
