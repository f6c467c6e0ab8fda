"""Chapter 08: how attention comes to be."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import legend_below
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LINES, MARKERS


def flow(panels: dict[str, tuple]) -> Figure:
    """Two texts under gradient flow: p and D = r_1 - r_0, numerically (lines) and in closed form (dots)."""
    lines = {"attention p": lambda x: x[2], "D = r₁ − r₀ (logits)": lambda x: x[1] - x[0]}
    shape = {"figsize": (3.5 * len(panels), 4.2), "squeeze": False, "sharex": "col"}
    figure, axes = plt.subplots(len(lines), len(panels), **shape)
    for column, (name, (times, found, exact)) in zip(axes.T, panels.items(), strict=True):
        for i, (ax, (label, of)) in enumerate(zip(column, lines.items(), strict=True)):
            ax.plot(times, of(found), LINES[i], color=SERIES[i])
            if exact is not None:
                ax.plot(times[::8], of(exact)[::8], "o", markersize=4, color=SERIES[i])
            ax.set_ylabel(label if ax in axes[:, 0] else "")
        column[0].set(title=name, ylim=(0, 1.03))
        column[1].axhline(0, color=LINE, linewidth=0.8)
        column[-1].set_xlabel("time s")
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

    figure, ((how_far, how_apart), (agrees, right)) = plt.subplots(2, 2, figsize=(7, 6.4), sharex=True)
    for ax, column, title, unit in (
        (how_far, "away", "attention, this run", "JSD from even (nats)"),
        (how_apart, "spread", "relevance, this run", "spread (logits)"),
    ):
        ax.plot(*line("base", column), marker=".", color=INK)
        ax.set(title=title, ylabel=unit)
        ax.set_ylim(bottom=0)
    # A model's colour is no quantity's; uniform training has its own in both panels.
    for k, (column, label) in enumerate(
        (("attention_agrees", "attention"), ("relevance_agrees", "relevance"))
    ):
        look = {"linestyle": LINES[k], "marker": ".", "color": SERIES[k], "label": f"other seeds' {label}"}
        agrees.plot(*line("others", column), **look)
    flat = {"linestyle": LINES[2], "marker": ".", "color": SERIES[2]}
    agrees.plot(*line("uniform", "relevance_agrees"), label="uniform training's relevance", **flat)
    chance = series(numbers, ("", "all", "chance"), 1)[0]
    agrees.axhline(chance, color=LINE, linewidth=0.8, label="chance")
    agrees.set(title="A with this run's attention", ylabel="share of texts", ylim=(0, 1.02))
    shown = {
        "base": ("-", INK, "this run"),
        "others": ("--", SERIES[3], "other seeds"),
        "uniform": (LINES[2], SERIES[2], "uniform training"),
    }
    for name, (style, colour, label) in shown.items():
        right.plot(*line(name, "accuracy"), linestyle=style, marker=".", color=colour, label=label)
    right.set(title="accuracy", ylabel="share of texts", ylim=(0, 1.02))
    last = max(max(series(numbers, ("", name, "step")), default=0) for name in WATCHED)
    for ax in (agrees, right):
        ax.set_xscale("symlog", linthresh=10)
        ax.set(xlabel="steps (log from 10 on)", xlim=(0, last * 1.1))
        ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2))
    return figure


def agreements(summary: pd.DataFrame, pairs: dict[str, tuple], chance: float) -> Figure:
    """Mean and 95 % interval over texts of A and of Kendall's τ, a row a pair of rankings."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 0.5 * len(pairs) + 1.5), sharey=True)
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
    axes[0].set_yticks(range(len(pairs)), [textwrap.fill(label, 26) for *_, label in pairs.values()][::-1])
    axes[1].set_xticks([-0.5, 0, 0.5, 1])
    axes[0].margins(y=0.12)
    figure.get_layout_engine().set(w_pad=0.12)
    return figure


# What is drawn of real runs: the measure, and what it is called.
REAL = {"top_uniform": "uniform training's relevance", "top_own": "the model's own relevance"}


def on_real_text(real: pd.DataFrame) -> Figure:
    """A of attention with two relevances on real corpora, a row a kind of model; chance as a line.

    real: by kind of model, its `kind` and `seeds`, the means of REAL over seeds, `low_` and `high_` of each,
    and `top_chance`. The marks of a single seed are hollow.
    """
    rows = real.sort_values("top_uniform")
    figure, ax = plt.subplots(figsize=(7, 0.36 * len(rows) + 1.4))
    places = np.arange(len(rows))
    for k, (name, label) in enumerate(REAL.items()):
        at = places + 0.14 - 0.28 * k
        ax.hlines(at, rows[f"low_{name}"], rows[f"high_{name}"], color=SERIES[k], linewidth=1.2)
        look = {"linestyle": "", "marker": MARKERS[k], "color": SERIES[k], "markersize": 6}
        for of, more in (
            (rows["seeds"] > 1, {"label": label}),
            (rows["seeds"] == 1, {"markerfacecolor": PAPER}),
        ):
            ax.plot(rows[name][of], at[of], **look, **more)
    ax.plot(rows["top_chance"], places, linestyle="", marker="|", markersize=14, color=NOTE, label="chance")
    ax.plot([], [], linestyle="", marker=MARKERS[0], color=NOTE, markerfacecolor=PAPER, label="one seed")
    ends = ["" if n == 1 else f", {n} seeds" for n in rows["seeds"]]
    ax.set_yticks(places, [f"{kind}{end}" for kind, end in zip(rows["kind"], ends, strict=True)])
    ax.set(
        xlim=(0, 1),
        xlabel="share of texts in which attention's top word\nis among the 5 % most relevant ones",
    )
    legend_below(figure, ax, 4)
    return figure
