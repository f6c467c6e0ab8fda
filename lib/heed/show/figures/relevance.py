"""Chapter 08: how attention comes to be."""

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LABELS, LINES, MARKERS

UNIFORM, OWN, ATTENTION = range(3)  # places of r′, r and attention in SERIES, MARKERS and LINES


def flow(panels: dict[str, tuple]) -> Figure:
    """Two texts under gradient flow: p and D = v_1 - v_0, numerically (lines) and in closed form (dots)."""
    lines = {"attention p": lambda x: x[2], "D = v₁ − v₀ (logits)": lambda x: x[1] - x[0]}
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
    "base": ("accuracy",),
    "uniform": ("relevance_agrees", "accuracy"),
    "others": ("attention_agrees", "relevance_agrees", "accuracy"),
}


def course(
    table: pd.DataFrame, halves: dict[str, pd.Series] | None = None, flat: int | None = None
) -> Figure:
    """Watched training: agreement with the finished attention, and accuracy; a mark a look.

    halves: the steps at which each other seed's attention and relevance gets halfway, by model; with them
    the agreement alone is drawn, and each seed. flat: the step at which uniform training's does.
    """
    return draw_course(course_numbers(table)) if halves is None else draw_halves(table, halves, flat)


RING = {
    "linestyle": "",
    "marker": "o",
    "markersize": 11,
    "markerfacecolor": "none",
    "markeredgewidth": 1.6,
}
FEW = 3  # other seeds that have a line each, and no mean beside it
FILLS = ("full", "none", "left")  # of their marks, one by one


def draw_halves(table: pd.DataFrame, halves: dict[str, pd.Series], half: int | None) -> Figure:
    """Agreement with the finished attention: of other seeds above, of uniform training below; half of the
    way is ringed. The arguments are `course`'s, half its `flat`."""
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7, 4.9), sharex=True, sharey=True, gridspec_kw={"height_ratios": (3, 2)}
    )
    others = table[~table["model"].isin(("base", "uniform"))]
    seeds, flat = others["model"].nunique(), table[table["model"] == "uniform"]
    means = others.drop(columns="model").groupby("step", as_index=False).mean()
    whose = "other seeds'" if seeds > 1 else "another seed's"
    for k, column, label in (
        (ATTENTION, "attention_agrees", "attention"),
        (OWN, "relevance_agrees", "relevance"),
    ):
        marks = {"marker": MARKERS[k], "markersize": 4, "color": SERIES[k], "linestyle": LINES[k]}
        if seeds > FEW:
            above.plot(means["step"], means[column], label=f"{whose} {label}, mean", **marks)
        for i, (model, own) in enumerate(others.groupby("model")):
            look = marks | {"label": "" if i else f"{whose} {label}", "fillstyle": FILLS[i % FEW]}
            thin = {"color": SERIES[k], "linestyle": LINES[k], "linewidth": 0.6}
            above.plot(own["step"], own[column], **(thin if seeds > FEW else look))
            step = halves[column][model]
            share = own.loc[own["step"] == step, column]
            above.plot([step], share, markeredgecolor=SERIES[k], **RING)
            if 1 < seeds <= FEW:
                rings = others[others["step"] == step].set_index("model")[column]
                top = share.iloc[0] >= rings[halves[column] == step].max()
                at = {"textcoords": "offset points", "ha": "center", "va": "bottom" if top else "top"}
                at |= {"xytext": (0, 8 if top else -8), "color": SERIES[k], "weight": "bold"}
                above.annotate(str(i + 1), (step, share.iloc[0]), **at)
    colour = SERIES[UNIFORM]
    look = {"linestyle": LINES[UNIFORM], "marker": MARKERS[UNIFORM], "color": colour, "markersize": 4}
    below.plot(flat["step"], flat["relevance_agrees"], label="r′ (uniform training)", **look)
    if half is not None:
        at = flat["step"] == half
        below.plot(flat["step"][at], flat["relevance_agrees"][at], markeredgecolor=colour, **RING)
    for ax in (above, below):
        ax.axhline(table["chance"].mean(), color=LINE, linewidth=0.8, label="chance")
        ax.plot([], [], markeredgecolor=NOTE, label="halfway", **RING)
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set(ylabel="share of texts")
        by_root(ax, table["step"].max())
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    agrees = "agreement A with this run's finished attention"
    above.set(ylim=(0, 1.12 * above.get_ylim()[1]))
    above.set_title(f"{'other seeds' if seeds > 1 else 'another seed'}: {agrees}", loc="left")
    below.set_title(f"uniform training: {agrees}", loc="left")
    below.set(xlabel="steps of training (square-root scale)")
    return figure


def one_in_training(table: pd.DataFrame, halves: dict[str, float]) -> Figure:
    """Agreement of one model in training with a finished one's attention, halfway marked. It fits a phone.

    table: its rows of the course; halves: the step at which each of its columns is halfway, by column.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.1))
    drawn = {"relevance_agrees": (OWN, "relevance"), "attention_agrees": (ATTENTION, "attention")}
    ends = {column: table[column].iloc[-1] for column in drawn}
    upper = max(ends, key=lambda column: ends[column])
    for row, (column, (k, label)) in enumerate(drawn.items()):
        step, look = halves[column], {"color": SERIES[k], "fontsize": SMALL}
        marks = {"marker": MARKERS[k], "markersize": 4, "linestyle": LINES[k]}
        ax.plot(table["step"], table[column], color=SERIES[k], **marks)
        ax.plot([step], table.loc[table["step"] == step, column], markeredgecolor=SERIES[k], **RING)
        ax.axvline(step, color=SERIES[k], linewidth=0.8, alpha=0.6)
        left = np.sqrt(step) < np.sqrt(table["step"].max()) / 2
        side = {"xytext": (0, 4 + 12 * row), "ha": "left" if left else "right", "va": "bottom"}
        at = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        ax.annotate(f"{label} is halfway: step {step:.0f}", (step, 1), **side, **at, **look)
        side = {"xytext": (6, 5 if column == upper else -5), "textcoords": "offset points", "va": "center"}
        ax.annotate(
            f"B's {label}", (table["step"].max(), ends[column]), annotation_clip=False, **side, **look
        )
    chance = table["chance"].mean()
    ax.axhline(chance, color=LINE, linewidth=0.8)
    by_chance = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (4, 0)}
    ax.annotate("chance", (1, chance), va="center", fontsize=SMALL, color=NOTE, **by_chance)
    by_root(ax, table["step"].max())
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylim(bottom=0, top=1.1 * max(table[[*drawn]].max(axis=None), chance))
    ax.set_ylabel("texts with A's target\namong B's first 5%", fontsize=SMALL)
    ax.set_xlabel("steps of B's training (square-root scale)", fontsize=SMALL)
    return figure


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

    figure, (agrees, right) = plt.subplots(
        2, 1, figsize=(7, 4.6), sharex=True, gridspec_kw={"height_ratios": (3, 2)}
    )
    # A model's colour is no quantity's; uniform training has its own in both panels.
    for k, (column, label) in enumerate(
        (("attention_agrees", "attention"), ("relevance_agrees", "relevance"))
    ):
        look = {"linestyle": LINES[k], "marker": MARKERS[k], "color": SERIES[k], "markersize": 4}
        agrees.plot(*line("others", column), label=f"other seeds' {label}", **look)
    flat = {"linestyle": LINES[2], "marker": MARKERS[2], "color": SERIES[2], "markersize": 4}
    agrees.plot(*line("uniform", "relevance_agrees"), label="r′ (uniform training)", **flat)
    chance = series(numbers, ("", "all", "chance"), 1)[0]
    agrees.axhline(chance, color=LINE, linewidth=0.8, label="chance")
    agrees.set(title="A with this run's finished attention", ylabel="share of texts")
    agrees.set_ylim(bottom=0)
    shown = {
        "base": {"linestyle": "-", "marker": ".", "color": INK, "label": "this run"},
        "others": {"linestyle": "--", "marker": ".", "color": SERIES[3], "label": "other seeds"},
        "uniform": flat | {"label": "uniform training"},
    }
    for name, look in shown.items():
        right.plot(*line(name, "accuracy"), **look)
    right.set(
        title="accuracy",
        ylabel="share of texts",
        ylim=(0, 1.02),
        xlabel="steps of training (square-root scale)",
    )
    last = max(max(series(numbers, ("", name, "step")), default=0) for name in WATCHED)
    for ax in (agrees, right):
        by_root(ax, last)
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


ROUND = (10, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)  # steps that an axis names


def by_root(ax, last: float) -> None:
    """Steps up to the last on a scale of their square roots, on which the first ones have room."""
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ticks = [0]
    for step in ROUND:
        if step <= last and np.sqrt(step) - np.sqrt(ticks[-1]) > 0.08 * np.sqrt(last):
            ticks.append(step)
    ax.set(xticks=ticks, xlim=(0, last * 1.03 or 1))


HALVES = {  # place in SERIES, label, and how far below its row's middle a halfway step is drawn
    "half_relevance_agrees": (OWN, "relevance", -0.15),
    "half_attention_agrees": (ATTENTION, "attention", 0.15),
}


def halfway(rows: pd.DataFrame) -> Figure:
    """The steps at which relevance and attention have come halfway, a row a run, with their intervals.

    rows: as `show.relevance.with_this_run` has them. Hollow: the relevance stays near chance.
    """
    figure, ax = plt.subplots(figsize=(7, 0.3 * len(rows) + 1.4))
    places, near = np.arange(len(rows)), (rows["which is first"] == "relevance near chance").to_numpy()
    last = np.nanmax(rows[[f"{end}{name}" for name in HALVES for end in ("", "high_")]].to_numpy(dtype=float))
    for name, (k, label, below) in HALVES.items():
        at, colour = places + below, SERIES[k]
        ax.hlines(at, rows[f"low_{name}"], rows[f"high_{name}"], color=colour, linewidth=1.2)
        look = {"linestyle": "", "marker": MARKERS[k], "color": colour, "markersize": 6, "clip_on": False}
        ax.plot(rows[name][~near], at[~near], label=label, **look)
        ax.plot(rows[name][near], at[near], markerfacecolor=PAPER, **look)
    if near.any():
        hollow = {"marker": "o", "color": NOTE, "markerfacecolor": PAPER}
        ax.plot([], [], linestyle="", label="both, where relevance stays near chance", **hollow)
    alone = rows[f"low_{next(iter(HALVES))}"].isna()
    labels = [f"{run} (1 other)" if one else run for run, one in zip(rows["run"], alone, strict=True)]
    ax.set_yticks(places, labels)
    ax.set(
        ylim=(len(rows) - 0.5, -0.5),
        xlabel="step at which A is halfway to its highest (square-root scale)\n"
        "mean and 95 % interval over the other seeds, cut at 0",
    )
    by_root(ax, next((step for step in ROUND if step >= last), last))
    legend_below(figure, ax, 3)
    return figure


def halfway_by_model(rows: pd.DataFrame, looks: Sequence[int] = ()) -> Figure:
    """The mean steps at which relevance and attention have come halfway, a row a model, with their intervals.

    rows: as `show.relevance.halfway_by_model` has them; hollow and last: what can't tell, and why. looks: the
    steps looked at, pale lines. It fits a phone.
    """
    rows = rows.assign(
        gap=rows["half_attention_agrees"] - rows["half_relevance_agrees"], told=rows["mute"] == ""
    )
    rows = rows.sort_values(["told", "gap"], ascending=False)
    told = rows["told"].to_numpy()
    figure, ax = plt.subplots(figsize=(WIDTH, 0.4 * len(rows) + 1.3))
    places = np.arange(len(rows))
    for look in looks:
        ax.axvline(look, color=LINE, linewidth=0.8, alpha=0.6, zorder=0)
    for name, (k, label, below) in HALVES.items():
        at = places + below
        ax.hlines(at, rows[f"low_{name}"], rows[f"high_{name}"], color=SERIES[k], linewidth=1.2)
        look = {"linestyle": "", "marker": MARKERS[k], "color": SERIES[k], "markersize": 7}
        ax.plot(rows[name][told], at[told], label=label, **look)
        ax.plot(rows[name][~told], at[~told], markerfacecolor=PAPER, **look)
    ax.set_yticks(places, rows["kind"], fontsize=SMALL)
    last = np.nanmax(rows[[f"{end}{name}" for name in HALVES for end in ("", "high_")]].to_numpy(dtype=float))
    ax.set(xlim=(0, 1.05 * last), ylim=(len(rows) - 0.5, -0.5))
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        steps = [row[name] for name in HALVES]
        left = max(steps) > last / 2
        side = {"xytext": (-8 if left else 8, 0), "ha": "right" if left else "left", "va": "center"}
        side |= {"bbox": {"facecolor": PAPER, "edgecolor": "none", "pad": 1}}
        at = min(steps) if left else max(steps), place
        ax.annotate(row["mute"], at, textcoords="offset points", fontsize=SMALL, color=NOTE, **side)
    ax.set_xlabel("step of training at which it is halfway\n(mean over the Bs)", fontsize=SMALL)
    legend_below(figure, ax, 2)
    return figure


def hits(rows: pd.DataFrame, chance: float, what: str, apart: str = "") -> Figure:
    """How often the top word of rankings is one of those looked for, a row a ranking; chance as a line.

    rows: label, mean, and the interval's limits low and high; what: the share of texts that is drawn; apart:
    the label of a row that is no rival of the others.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 1.4))
    places = np.arange(len(rows))
    for place, row in zip(places, rows.itertuples(), strict=True):
        colour = NOTE if row.label == apart else SERIES[0]
        ax.hlines(place, row.low, row.high, color=colour)
        ax.plot([row.mean], [place], "o", color=colour, fillstyle="none" if row.label == apart else "full")
    for place, mean in zip(places, rows["mean"], strict=True):
        beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL}
        ax.annotate(f"{mean:.0%}", (1.02, place), **beside)
    ax.axvline(chance, color=LINE, linewidth=0.8)
    ax.annotate(f"chance: {chance:.0%}", (chance, 1), xycoords=("data", "axes fraction"), ha="center",
                va="bottom", color=NOTE)  # fmt: skip
    ax.set_yticks(places, [textwrap.fill(label, 22) for label in rows["label"]], fontsize=SMALL)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, up_to(np.fmax(rows["high"].max(), chance))), ylim=(len(rows) - 0.5, -0.5))
    below = textwrap.fill(f"{what} (95\u00a0% interval over texts)", 46)
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    return figure


def up_to(share: float) -> float:
    """Where an axis ends on which this is the highest share: the first tenth beyond it, 1.02 at most."""
    return float(np.fmin(np.floor(10 * share + 1) / 10, 1.02))


# What is drawn of real runs: the measure, whose relevance it is, and what stands over its numbers.
REAL = {
    "top_uniform": ("… a uniformly trained model (r′)", "r′"),
    "top_own": ("… the attending model itself (r)", "r"),
}


def on_real_text(real: pd.DataFrame) -> Figure:
    """A of attention with either relevance of REAL on real corpora, a row a kind of model; chance as a mark.

    real: by kind of model, its `kind` and `seeds`, the mean of each measure over seeds, `low_` and `high_` of
    it, and `top_chance`. Encoders stand together. It fits a phone.
    """
    order = real.groupby("encoder")["top_own"].transform("mean")
    rows = real.assign(order=order).sort_values(["order", "top_uniform"], ascending=False)
    apart = rows.index.get_level_values("encoder")
    begins = np.append(True, apart[1:] != apart[:-1])
    places = np.arange(len(rows)) + 0.9 * np.cumsum(begins)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.33 * places[-1] + 1.9))
    highest = rows[[*(f"high_{name}" for name in REAL), "top_chance"]].max(axis=None)
    number = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "fontsize": SMALL}
    number |= {"ha": "right", "va": "center", "annotation_clip": False}
    for k, (name, (whose, head)) in enumerate(REAL.items()):
        at, colour = places + 0.28 * k - 0.14, SERIES[k]
        ax.hlines(at, rows[f"low_{name}"], rows[f"high_{name}"], color=colour, linewidth=1.2)
        look = {"linestyle": "", "marker": MARKERS[k], "color": colour, "markersize": 5}
        ax.plot(rows[name], at, label=whose, **look)
        for place, mean in zip(places, rows[name], strict=True):
            ax.annotate(f"{mean:.0%}", (1, place), (24 + 28 * k, 0), color=colour, **number)
        ax.annotate(head, (1, places[0] - 0.8), (24 + 28 * k, 0), color=colour, weight="bold", **number)
    look = {"linestyle": "", "marker": "|", "markersize": 15, "color": NOTE, "zorder": 1}
    ax.plot(rows["top_chance"], places, label="chance", **look)
    for place, encoder in zip(places[begins], apart[begins], strict=True):
        above = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL, "weight": "bold"}
        ax.annotate(LABELS[encoder], (0.02, place - 0.8), **above)
    ends = [f", {n} seeds" if n > 1 else "" for n in rows["seeds"]]
    alone = [kind.replace(f", {LABELS[e]}", "") for kind, e in zip(rows["kind"], apart, strict=True)]
    named = [f"{kind}{end}" for kind, end in zip(alone, ends, strict=True)]
    ax.set_yticks(places, named, fontsize=SMALL)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, up_to(highest)), ylim=(places[-1] + 0.6, -0.3))
    below = "share of texts: attention's top word is\namong the 5% most relevant to …"
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    legend_below(figure, ax, 1)
    return figure


# What local states start from, and how it is drawn.
VECTORS = {"A, word2vec": "word2vec's vectors", "A, random": "random vectors"}


def vectors(wide: pd.DataFrame) -> Figure:
    """A of attention and r' with local states, from two kinds of word vectors, a row a corpus; and chance.

    wide: corpus, seeds, the columns of VECTORS with `low ` and `high ` of each, and `A, chance`.
    """
    rows = wide.sort_values("A, random")
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 1.4))
    places = np.arange(len(rows))
    for k, (name, label) in enumerate(VECTORS.items()):
        at = places + 0.14 - 0.28 * k
        ax.hlines(at, rows[f"low {name}"], rows[f"high {name}"], color=SERIES[k], linewidth=1.2)
        ax.plot(rows[name], at, linestyle="", marker=MARKERS[k], color=SERIES[k], markersize=6, label=label)
    ax.plot(rows["A, chance"], places, linestyle="", marker="|", markersize=14, color=NOTE, label="chance")
    seeds = [f"{n} seed{'s' * (n > 1)}" for n in rows["seeds"]]
    named = [f"{name}, {n}" for name, n in zip(rows["corpus"], seeds, strict=True)]
    ax.set_yticks(places, named, fontsize=SMALL)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, 1), ylim=(-0.5, len(rows) - 0.5))
    below = "mean over seeds, outermost limits of 95\u00a0% intervals over texts"
    below = textwrap.fill(f"share of texts in which A is 1: {below}", 48)
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    legend_below(figure, ax, 3)
    return figure
