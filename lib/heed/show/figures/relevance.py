"""Chapter 08: how attention comes to be."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from heed.show.colours import INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LABELS, LINES, MARKERS

UNIFORM, OWN, ATTENTION = range(3)  # places of r′, r and attention in SERIES, MARKERS and LINES


def flow(panels: dict[str, tuple]) -> Figure:
    """Two texts under gradient flow: p and D = v_1 - v_0, numerically (lines) and in closed form (dots). It
    fits a phone."""
    lines = {"attention p": lambda x: x[2], "D = v₁ − v₀ (logits)": lambda x: x[1] - x[0]}
    shape = {"figsize": (WIDTH, 3.8), "squeeze": False, "sharex": "col"}
    figure, axes = plt.subplots(len(lines), len(panels), **shape)
    for column, (name, (times, found, exact)) in zip(axes.T, panels.items(), strict=True):
        for i, (ax, (label, of)) in enumerate(zip(column, lines.items(), strict=True)):
            ax.plot(times, of(found), LINES[i], color=SERIES[i])
            if exact is not None:
                ax.plot(times[::8], of(exact)[::8], "o", markersize=4, color=SERIES[i])
            ax.set_ylabel(label if ax in axes[:, 0] else "", fontsize=SMALL)
            ax.xaxis.set_major_locator(MaxNLocator(3))
            ax.yaxis.set_major_locator(MaxNLocator(4))
        column[0].set_ylim(0, 1.03)
        column[0].set_title(textwrap.fill(name, 15), fontsize=SMALL)
        column[1].axhline(0, color=LINE, linewidth=0.8)
        column[-1].set_xlabel("time s", fontsize=SMALL)
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
    way is ringed. It fits a phone. The arguments are `course`'s, half its `flat`."""
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(WIDTH, 5.2), sharex=True, sharey=True, gridspec_kw={"height_ratios": (3, 2)}
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
        ax.set_ylabel("share of texts (A with\nthe finished attention)", fontsize=SMALL)
        by_root(ax, table["step"].max())
        legend = {"loc": "lower left", "bbox_to_anchor": (-0.2, 1), "fontsize": SMALL, "borderaxespad": 0.2}
        ax.legend(ncols=3 if ax is below else 2, columnspacing=0.9, handlelength=1.6, **legend)
    above.set(ylim=(0, 1.12 * above.get_ylim()[1]))
    below.set_xlabel("steps of training (square-root scale)", fontsize=SMALL, x=1, ha="right")
    return figure


def rise(one: pd.DataFrame, halves: dict[str, pd.Series]) -> Figure:
    """One model's two shares over training, ringed where each is halfway. It fits a phone.

    one: a model's rows of `course`; halves: the steps at which its attention and relevance get halfway.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 2.7))
    for k, column, label in (
        (OWN, "relevance_agrees", "relevant to the learner"),
        (ATTENTION, "attention_agrees", "attended by the learner"),
    ):
        look = {"linestyle": LINES[k], "marker": MARKERS[k], "color": SERIES[k], "markersize": 3.5}
        step = int(halves[column].iloc[0])
        ax.plot(one["step"], one[column], label=f"{label}: halfway at step {step:,}", **look)
        ax.plot([step], one.loc[one["step"] == step, column], markeredgecolor=SERIES[k], **RING)
    ax.axhline(one["chance"].mean(), color=LINE, linewidth=0.8, label="chance")
    ax.set_ylim(0, 1.12 * ax.get_ylim()[1])
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    by_root(ax, one["step"].max())
    ax.legend(loc="lower left", bbox_to_anchor=(-0.15, 1), fontsize=SMALL, borderaxespad=0.2)
    ax.set_ylabel("share of texts: the top word\nis among the 5% most …", fontsize=SMALL)
    ax.set_xlabel("training steps of the learner (square-root scale)", fontsize=SMALL, x=1, ha="right")
    return figure


def two_texts(rounds: pd.DataFrame, moves: dict[str, int]) -> Figure:
    """Relevance and attention of the words of one text while it and another are learnt. It fits a phone.

    rounds: `show.relevance.two_texts`'s. The last word has a line, of the others, which are alike, the first.
    moves: the round in which the last word first moves, in relevance and in attention; it is ringed.
    """
    words = [*rounds["word"].unique()]
    lines = {", ".join(words[:-1]): words[0], words[-1]: words[-1]}
    figure, axes = plt.subplots(2, 1, figsize=(WIDTH, 3.6), sharex=True)
    last = rounds["round"].max()
    for ax, k, column in zip(axes, (OWN, ATTENTION), ("relevance", "attention"), strict=True):
        for label, word in lines.items():
            of, told = rounds[rounds["word"] == word], word == words[-1]
            colour = SERIES[k] if told else NOTE
            marks = {"marker": MARKERS[k], "markersize": 3.5} if told else {"linewidth": 1.2}
            ax.plot(of["round"], of[column], color=colour, **marks)
            at = {"textcoords": "offset points", "fontsize": SMALL, "color": colour}
            side = {"xytext": (-6, 2), "ha": "right", "va": "bottom"}
            if not told:
                side = {"xytext": (0, 5), "ha": "right", "va": "bottom"}
            ax.annotate(label, (last, of[column].iloc[-1]), **side, **at)
        n = moves[column]
        share = rounds.loc[(rounds["word"] == words[-1]) & (rounds["round"] == n), column].iloc[0]
        ax.plot([n], [share], markeredgecolor=SERIES[k], **RING)
        at = {"xytext": (0.05, 0.8), "textcoords": "axes fraction", "fontsize": SMALL, "color": SERIES[k]}
        line = {"arrowstyle": "-", "color": SERIES[k], "relpos": (0, 0)}
        ax.annotate(f"first moves in round {n}", (n, share), arrowprops=line, **at)
        ax.set_ylabel(column, color=SERIES[k], fontsize=SMALL)
    axes[0].set_ylim(bottom=min(-0.2, 1.1 * rounds["relevance"].min()))
    axes[1].set_ylim(0, 1)
    axes[1].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[1].xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes[1].set_xlabel("rounds of learning from both texts", fontsize=SMALL)
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


def by_root(ax, last: float, apart: float = 0.08) -> None:
    """Steps up to the last on a scale of their square roots, on which the first ones have room.

    apart: how far apart, of the axis' length, the named steps are at least.
    """
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ticks = [0]
    for step in ROUND:
        if step <= last and np.sqrt(step) - np.sqrt(ticks[-1]) > apart * np.sqrt(last):
            ticks.append(step)
    ax.set(xticks=ticks, xlim=(0, last * 1.03 or 1))


HALVES = {  # place in SERIES, label, and how far below its row's middle a halfway step is drawn
    "half_relevance_agrees": (OWN, "relevance", -0.15),
    "half_attention_agrees": (ATTENTION, "attention", 0.15),
}


def two_lines(run: str) -> str:
    """A run's name on two lines; the page's own has one word more, so its second line is longer."""
    *first, last = run.rsplit(", ", 2 if run.startswith("this run") else 1)
    return f"{first[0]}\n{', '.join([*first[1:], last])}"


def halfway(rows: pd.DataFrame) -> Figure:
    """The steps at which relevance and attention have come halfway, a row a run, with their intervals.
    It fits a phone.

    rows: as `show.relevance.with_this_run` has them. Hollow: the relevance stays near chance.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 1.6))
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
        ax.plot([], [], linestyle="", label="relevance near chance", **hollow)
    alone = rows[f"low_{next(iter(HALVES))}"].isna()
    labels = [f"{run} (1 other)" if one else run for run, one in zip(rows["run"], alone, strict=True)]
    named = [two_lines(label) for label in labels]
    ax.set_yticks(places, named, fontsize=SMALL, linespacing=0.95)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    below = (
        "step at which A is halfway to its highest\n(square-root scale): mean and 95 % interval\n"
        "over the other seeds, cut at 0"
    )
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    by_root(ax, next((step for step in ROUND if step >= last), last), apart=0.13)
    look = {"fontsize": SMALL, "borderaxespad": 0.2, "columnspacing": 0.9, "handletextpad": 0.2}
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, **look)
    return figure


IN_EVERY = "in every seed"  # why a lead has no interval: it is the same in all
LETTER = 0.053  # of half of the figure's width, which a letter of a note beside a dot takes


def note_of(row) -> str:
    """Why a lead has no interval, as it stands beside its dot; nothing if it has one. row: of `leads`."""
    return f"all {row.others} learners" if row.mute == IN_EVERY else row.mute


def leads(found: pd.DataFrame) -> Figure:
    """By how many steps relevance is halfway before attention, a row a model, a dot a run. It fits a phone.

    found: as `show.relevance.leads` has them. Thick: the narrowest interval that the dot may have, thin: the
    widest; hollow, and named on its outer side: why it has none. Below a model for how many steps it was
    watched.
    """
    found = found.assign(told=found["mute"] == "")
    models = found.groupby("kind").agg({"told": "any", "lead": "mean"})
    models = models.sort_values(["told", "lead"], ascending=False).index
    figure, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(models) + 1.4))
    ax.axvline(0, color=LINE, linewidth=0.8, zorder=0)
    for place, kind in enumerate(models):
        own = found[found["kind"] == kind]
        for k, row in enumerate(own.itertuples()):
            at = place + 0.26 * (k - (len(own) - 1) / 2)
            if row.told:
                for size, width in ((row.wide, 1.0), (row.narrow, 3.5)):
                    ends = row.lead - size, row.lead + size
                    ax.hlines(at, *ends, color=SERIES[0], linewidth=width, alpha=1 if width == 1 else 0.45)
            ax.plot([row.lead], [at], "o", color=SERIES[0], markersize=5,
                    markerfacecolor=SERIES[0] if row.told else PAPER)  # fmt: skip
            said = note_of(row)
            left = row.lead < 0
            side = {"xytext": (-6 if left else 6, 0), "ha": "right" if left else "left", "va": "center"}
            ax.annotate(said, (row.lead, at), textcoords="offset points", fontsize=SMALL, color=NOTE, **side)
    steps = found.groupby("kind")["steps"].max()
    named = [f"{kind}\n{steps[kind]:,} steps" for kind in models]
    ax.set_yticks(range(len(models)), named, fontsize=SMALL)
    ends = np.concatenate([[0], *(found["lead"] + sign * found["wide"].fillna(0) for sign in (-1, 1))])
    far = 1.05 * np.abs(ends).max() or 1
    for row in found[~found["told"]].itertuples():
        far = max(far, abs(row.lead) / max(0.88 - LETTER * len(note_of(row)), 0.1))
    ax.set(xlim=(-far, far), ylim=(len(models) - 0.5, -0.9))
    for x, which, side in ((-1, "attention first", "right"), (1, "relevance first", "left")):
        where = {"textcoords": "offset points", "xytext": (5 * x, 0), "ha": side, "va": "center"}
        ax.annotate(which, (0, -0.7), fontsize=SMALL, color=NOTE, **where)
    below = "lead of relevance in training steps:\nattention's halfway step minus relevance's"
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
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


READING = ("average", "cnn", "bilstm")  # encoders, as the theory orders them
LOCAL = 3  # the first one's place in SERIES, which is no ranking's


def on_real_text(real: pd.DataFrame) -> Figure:
    """In what share of texts attention's top word is relevant to uniform training, a row a model, corpus by
    corpus; chance as a mark, half of the texts as a line. It fits a phone.

    real: by kind of model, its `seeds`, `top_uniform` with `low_` and `high_` of it, and `top_chance`; one
    without `top_own` is hollow. Average, the theory's own case, has a colour of its own; the corpus where it
    has most comes first.
    """
    rows = real.reset_index()
    local = rows[rows["encoder"] == "average"].groupby("corpus")["top_uniform"].mean()
    rows["most"] = -rows["corpus"].map(local).fillna(-1)
    rows["reads"] = rows["encoder"].map({encoder: k for k, encoder in enumerate(READING)})
    rows = rows.sort_values(["most", "corpus", "reads", "profile"], ignore_index=True)
    begins = (rows["corpus"] != rows["corpus"].shift()).to_numpy()
    places = np.arange(len(rows)) + 1.1 * np.cumsum(begins)
    colours = [SERIES[LOCAL if encoder == "average" else UNIFORM] for encoder in rows["encoder"]]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.22 * places[-1] + 1.1))
    end = up_to(np.nanmax([rows["high_top_uniform"].max(), rows["top_chance"].max(), 0.5]))
    ax.axvline(0.5, color=LINE, linewidth=0.8, linestyle=LINES[2], zorder=0)
    ax.hlines(places, rows["low_top_uniform"], rows["high_top_uniform"], colors=colours, linewidth=1.2)
    for row, place, colour in zip(rows.itertuples(), places, colours, strict=True):
        beside = np.isnan(row.top_own)
        ax.plot([row.top_uniform], [place], "o", color=colour, markersize=6,
                markerfacecolor=PAPER if beside else colour)  # fmt: skip
        column = {"ha": "right", "va": "center", "fontsize": SMALL, "color": colour}
        ax.text(1, place, f"{row.top_uniform:.0%}", transform=ax.get_yaxis_transform(), **column)
    look = {"linestyle": "", "marker": "|", "markersize": 9, "color": INK, "zorder": 4}
    ax.plot(rows["top_chance"], places, **look)
    look = {"textcoords": "offset points", "va": "center", "fontsize": SMALL, "color": NOTE}
    ax.annotate("chance", (rows["top_chance"][0], places[0] - 1), xytext=(-6, 0), ha="left", **look)
    ax.annotate("half the texts", (0.5, places[0] - 1), xytext=(0, 0), ha="center", **look)
    named = [
        LABELS[row.encoder]
        + (f" ({row.profile})" if row.profile != "paper" else "")
        + (f", {row.seeds:.0f} seeds" if row.seeds > 1 else "")
        for row in rows.itertuples()
    ]
    heads = [*rows["corpus"][begins]]
    ax.set_yticks([*places, *(places[begins] - 1)], [*named, *heads], fontsize=SMALL)
    for label, colour in zip(ax.get_yticklabels(), colours, strict=False):
        label.set_color(colour)
    for label in ax.get_yticklabels()[len(named) :]:
        label.set_fontweight("bold")
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([tick for tick in MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(0, end) if tick <= end])
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, 1.2 * end), ylim=(places[-1] + 0.6, -0.5))
    below = "share of texts: attention's top word is among\nthe 5% most relevant to a uniformly trained model"
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    return figure


# What local states start from, and how it is drawn.
VECTORS = {"A, word2vec": "word2vec's vectors", "A, random": "random vectors"}


def counted(real: pd.DataFrame) -> Figure:
    """How often a bag of words finds what uniform training finds relevant: a row a corpus, a mark an encoder.

    real: as `on_real_text` takes it, with `top_proxy` and its limits. Average, nearly a bag itself, has a
    colour of its own. It fits a phone.
    """
    rows = real.reset_index()
    profile = rows["profile"].map(lambda name: "" if name == "paper" else f" ({name})")
    rows["row"] = rows["corpus"] + profile
    order = rows[rows["encoder"] != "average"].groupby("row")["top_proxy"].min()
    order = order.reindex(rows["row"].unique()).fillna(2).sort_values(ascending=False).index
    figure, ax = plt.subplots(figsize=(WIDTH, 0.3 * len(order) + 1.4))
    places = rows["row"].map({name: k for k, name in enumerate(order)})
    for k, encoder in enumerate(reversed(READING)):
        own = (rows["encoder"] == encoder).to_numpy()
        if own.any():
            colour = SERIES[LOCAL if encoder == "average" else UNIFORM]
            ax.hlines(places[own], rows["low_top_proxy"][own], rows["high_top_proxy"][own], color=colour)
            look = {"linestyle": "", "marker": MARKERS[k], "color": colour, "markersize": 6}
            ax.plot(rows["top_proxy"][own], places[own], label=LABELS[encoder], clip_on=False, **look)
    look = {"linestyle": "", "marker": "|", "markersize": 12, "color": INK, "zorder": 4}
    ax.plot(rows["top_chance"], places, label="chance", **look)
    ax.set_yticks(range(len(order)), order, fontsize=SMALL)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, 1.02), ylim=(len(order) - 0.5, -0.5))
    below = "share of texts: the bag's top word is among\nthe 5% most relevant to a uniformly trained model"
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    look = {"ncols": 4, "fontsize": SMALL, "borderaxespad": 0.2, "columnspacing": 0.9, "handletextpad": 0.2}
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), **look)
    return figure


def vectors(wide: pd.DataFrame) -> Figure:
    """A of attention and r' with local states, from word2vec's vectors to random ones, a row a corpus; and
    chance. It fits a phone.

    wide: corpus, seeds, the columns of VECTORS with `low ` and `high ` of each, and `A, chance`.
    """
    rows = wide.sort_values("A, word2vec", ascending=False)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.42 * len(rows) + 1.5))
    places, off = np.arange(len(rows)), 0.09
    for (name, label), fill, by in zip(VECTORS.items(), (PAPER, SERIES[LOCAL]), (-off, off), strict=True):
        look = {"linestyle": "", "marker": "o", "color": SERIES[LOCAL], "markersize": 6}
        ax.hlines(places + by, rows[f"low {name}"], rows[f"high {name}"], color=SERIES[LOCAL], linewidth=1.2)
        ax.plot(rows[name], places + by, label=f"from {label}", markerfacecolor=fill, **look)
    look = {"linestyle": "", "marker": "|", "markersize": 14, "color": INK, "zorder": 4}
    ax.plot(rows["A, chance"], places, label="chance", **look)
    seeds = [f"{n} seed{'s' * (n > 1)}" for n in rows["seeds"]]
    named = [f"{name}, {n}" for name, n in zip(rows["corpus"], seeds, strict=True)]
    ax.set_yticks(places, named, fontsize=SMALL)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, up_to(rows[[f"high {name}" for name in VECTORS]].max(axis=None))))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.6, 1), fontsize=SMALL, borderaxespad=0.2)
    below = "share of texts: attention's top word is among\nthe 5% most relevant to a uniformly trained model"
    ax.set_xlabel(below, fontsize=SMALL, x=1, ha="right")
    return figure
