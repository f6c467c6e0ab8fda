"""Chapter 07: other models, other attention."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed.experiments.not_not import FAR
from heed.show.colours import GRID, INK, NOTE, REPORTED, SERIES
from heed.show.figures.common import SMALL, WIDTH, colour_of, groups_of, legend_below, limit_line
from heed.show.figures.correlation import correlations
from heed.show.figures.numbers import Numbers, rounded, series
from heed.show.style import LINES, MARKERS
from heed.show.words import text_for

FEW = 4  # trained adversaries that are all named
# What Figure 5 draws: a name, a marker, whether its points are joined.
RIVALS = {
    "adversary": ("trained adversary, by λ", "o", True),
    "seed": ("other seeds", "x", False),
    "uniform": ("uniform attention", "s", False),
    "search": ("Jain & Wallace's search, text by text", "*", False),
    "optimum": ("exact optimum, text by text", "^", True),
}
# What the figure of chance draws: a name, a marker, a colour.
BY_CHANCE = {
    "seed": ("other seeds", "x", SERIES[1]),
    "uniform": ("equal weights", "s", SERIES[2]),
}


def opposition(
    points: pd.DataFrame, reported: pd.DataFrame | None = None, top: float | None = None
) -> Figure:
    """Figure 5 of Wiegreffe & Pinter: how far attention moved (x), and the prediction (y), a mean a point.

    The base itself is where both are 0.
    reported: published points (kind, jsd, change), drawn small and grey. top: where the y axis ends.
    """
    return draw_opposition(opposition_numbers(points), reported, top)


def opposition_numbers(points: pd.DataFrame) -> Numbers:
    """JSD and change of each rival's points in their order; λ of the trained adversary's."""
    found = {}
    for kind in RIVALS:
        own = points[points["kind"] == kind]
        for quantity in ("jsd", "change", *(["kl_weight"] if kind == "adversary" else [])):
            found["", kind, quantity] = own[quantity].to_numpy(float)
    return rounded(found)


def draw_opposition(
    numbers: Numbers, reported: pd.DataFrame | None = None, top: float | None = None
) -> Figure:
    """What `opposition` draws, of `opposition_numbers`."""
    figure, ax = plt.subplots(figsize=(WIDTH, 4))
    for colour, (kind, (label, marker, joined)) in zip(SERIES, RIVALS.items(), strict=False):
        jsd = series(numbers, ("", kind, "jsd"))
        change = series(numbers, ("", kind, "change"), len(jsd))
        if reported is not None and (reported["kind"] == kind).any():
            theirs = reported[reported["kind"] == kind]
            grey = {"color": REPORTED, "markersize": 5, "label": f"reported: {label}"}
            ax.plot(theirs["jsd"], theirs["change"], marker, **grey)
        if len(jsd):
            joined &= kind != "adversary" or not _falls(numbers)
            look = {"linestyle": "-" if joined else "", "linewidth": 1, "color": colour, "zorder": 3}
            look["markersize"] = 6
            if marker == "*":  # hollow: the optimum's first point may lie under it
                look |= {"markersize": 12, "fillstyle": "none", "zorder": 4}
            ax.plot(jsd, change, marker, label=label, **look)
    ax.plot(0, 0, "o", color=INK, markersize=7, clip_on=False, zorder=4)
    ax.annotate("the base itself", (0, 0), xytext=(9, 5), textcoords="offset points", fontsize=8)
    own = [series(numbers, ("", "adversary", name)) for name in ("jsd", "change", "kl_weight")]
    of_lambda = sorted(zip(*own, strict=True), key=lambda point: point[2])
    few = of_lambda if len(of_lambda) <= FEW else [of_lambda[0], of_lambda[-1]]
    for i, (jsd, change, weight) in enumerate(few):
        beside = [few[k][1] for k in (i - 1, i + 1) if 0 <= k < len(few)]
        lowest = len(beside) == 2 and change < min(beside)  # between two lines that come from above
        look = {"ha": "center" if lowest else "right", "fontsize": SMALL, "color": SERIES[0]}
        look |= {"xytext": (0, -18) if lowest else (-4, 7), "textcoords": "offset points"}
        ax.annotate(f"λ = {weight:g}", (jsd, change), **look)
    limit_line(ax, "trained_jsd", True)
    ax.set(xlim=(0, 0.72), ylim=(0, top), ylabel="mean change of the prediction (TVD)")
    ax.set_xlabel("mean JSD to the base's attention (nats)", fontsize=SMALL)
    legend_below(figure, ax, 2)
    return figure


def _falls(numbers: Numbers) -> bool:
    """Whether the change falls as λ grows, as it can't where adversaries are well trained: no line then."""
    change, weight = (series(numbers, ("", "adversary", name)) for name in ("change", "kl_weight"))
    return bool((np.diff(change[np.argsort(weight)]) < -0.01).any())


def noise(
    table: pd.DataFrame, classes, epsilon: float | None = None, whose: str = "median of the other seeds"
) -> Figure:
    """Each text: the JSD of other seeds' attention (x), whose it is called, and their mean change of the
    prediction (y, logarithmic above 0.001); a line at ε.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.2))
    for k, c, label, own in [(k, *group) for k in range(10) for group in groups_of(table, classes)]:
        look = {"s": 12, "alpha": 0.5, "color": colour_of(c, classes), "marker": MARKERS[c], "linewidth": 0}
        x, y = own[["other_jsd", "other_change"]][k::10].to_numpy().T  # by turns: no class hides another
        ax.scatter(x, y, label="" if k else label, rasterized=True, **look)
    if epsilon is not None:
        ax.axhline(epsilon, color=NOTE, linewidth=0.8, linestyle="--", label=f"ε = {epsilon:g}")
    ax.set_yscale("symlog", linthresh=0.001)
    ticks = (0, 0.001, 0.01, 0.1, 1)
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set(xlim=(-0.02, 0.72), ylim=(-0.0002, 1.3), xlabel=f"JSD (nats), {whose}",
           ylabel="mean change of the\nprediction (TVD)")  # fmt: skip
    legend_below(figure, ax, len(classes) + 1)
    return figure


def scores(table: pd.DataFrame, names: dict[str, str]) -> Figure:
    """F1 of several models with its interval, a row each; `reported`, where there is one, as a cross."""
    rows = table.set_index("model").loc[[*names]][::-1]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.36 * len(rows) + 0.9))
    spread = np.abs(rows[["low", "high"]].to_numpy() - rows[["f1"]].to_numpy()).T
    look = {"fmt": "o", "color": SERIES[0], "capsize": 3, "label": "this run"}
    ax.errorbar(rows["f1"], range(len(rows)), xerr=spread, **look)
    if "reported" in rows and rows["reported"].notna().any():
        ax.plot(rows["reported"], range(len(rows)), "x", color=INK, label="reported", zorder=4)
        legend_below(figure, ax, 2)
    for i, f1 in enumerate(rows["f1"]):
        if not np.isnan(f1):
            _beside(ax, i, f"{f1:.2f}")
    ax.set_yticks(range(len(rows)), [names[name] for name in rows.index], fontsize=SMALL)
    ax.set(xlabel="F1 on test\n(95 % interval over texts)", xlim=(min(0.5, rows["low"].min() - 0.02), 1.01))
    ax.margins(y=0.1)
    return figure


def elsewhere(
    models: pd.DataFrame, titles: dict[str, str], reported: dict[str, pd.DataFrame] | None = None
) -> Figure:
    """How far attention and prediction of other models are from base models of real corpora, a panel each.

    models: corpus, base, kind (`adversary`, `seed`), best, jsd, change; a base's adversaries are joined in
    their order, the best is ringed. With imitation (what imitating the base costs alone, or NaN) a line is
    drawn there; with seed_low and seed_high (the interval of the seeds' mean, or NaN) a band; with papers
    (whether an adversary has the paper's λ) that one is a diamond. titles: by corpus. reported: adversaries'
    points (jsd, change), by corpus: with them a legend says what is what, without them the first panel does.
    """
    panels = [(name, *of) for name in titles for of in models[models["corpus"] == name].groupby("base")]
    columns = min(2, max(len(panels), 1))
    rows = max(-(-len(panels) // columns), 1)
    height = 1.9 * rows + (0.6 if reported is None else 2.2)
    shape = {"figsize": (1.85 * columns, height), "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(rows, columns, **shape)
    for ax, (name, base, own) in zip(axes.flat, panels, strict=False):
        if reported is not None:
            grey = {"color": REPORTED, "markersize": 4, "label": "trained adversaries, as reported"}
            ax.plot(reported[name]["jsd"], reported[name]["change"], "P", **grey)
        _rivals_of_base(ax, own)
        ax.axvspan(FAR, np.log(2), color=GRID, zorder=0, linewidth=0)
        ax.set(xlim=(0, 0.74), ylim=(0, None))
        ax.set_xticks([0, 0.2, FAR, np.log(2)], ["0", "0.2", f"{FAR:g}", "ln 2"])
        several = models[models["corpus"] == name]["base"].nunique() > 1
        head = {"loc": "left", "weight": "bold", "fontsize": 9}
        ax.set_title(f"{titles[name]}{f', base {base}' if several else ''}", **head)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    for ax in axes[-1]:
        ax.set_xlabel("JSD to the base's\nattention (nats)", fontsize=SMALL)
    for ax in axes[:, 0]:
        ax.set_ylabel("change of the\nprediction (TVD)", fontsize=SMALL)
    if reported is None and panels:
        _name_rivals(axes[0, 0], panels[0][2])
        return figure
    handles = {}
    for ax in axes.flat:
        handles |= dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=1)
    return figure


def _name_rivals(ax, own: pd.DataFrame) -> None:
    """Say in a panel what its marks are. own: one base's rows."""
    seeds, adversaries = own[own["kind"] == "seed"], own[own["kind"] == "adversary"]
    look = {"textcoords": "offset points", "fontsize": SMALL}
    if len(seeds):
        high = seeds.loc[seeds["change"].idxmax()]
        ax.annotate(
            "other seeds", (high["jsd"], high["change"]), (6, -2), color=SERIES[1], va="center", **look
        )
        ax.annotate(
            "their mean", (np.log(2), seeds["change"].mean()), (-2, 2), color=SERIES[1], ha="right", **look
        )
    if len(adversaries):
        last = adversaries.loc[adversaries["jsd"].idxmax()]
        ax.annotate("adversaries", (last["jsd"], last["change"]), (4, 5), color=SERIES[0], ha="right", **look)
    alone = _imitation(own)
    if not np.isnan(alone):
        ax.annotate("imitation", (0, alone), (4, -3), color=INK, va="top", **look)
    ax.annotate("base", (0, 0), (6, 2), color=INK, **look)
    middle = (FAR + np.log(2)) / 2
    ax.annotate("elsewhere", (middle, 0), (0, 2), color=INK, ha="center", **look)


def _imitation(own: pd.DataFrame) -> float:
    """What imitating a base costs alone; NaN where that isn't known. own: its rows."""
    return own["imitation"].iloc[0] if "imitation" in own else np.nan


def _rivals_of_base(ax, own: pd.DataFrame) -> None:
    """The adversaries and other seeds of one base, and what the best one costs beyond imitation."""
    adversaries, seeds, best = own[own["kind"] == "adversary"], own[own["kind"] == "seed"], own[own["best"]]
    look = {"color": SERIES[0], "markersize": 4, "linewidth": 1, "label": "trained adversaries"}
    ax.plot(adversaries["jsd"], adversaries["change"], "o-", **look)
    if "papers" in own:
        papers = own[own["papers"]]
        look = {"color": SERIES[0], "markersize": 6, "linewidth": 0, "label": "the paper's reward"}
        ax.plot(papers["jsd"], papers["change"], "D", **look)
    look = {"color": SERIES[1], "markersize": 5, "linewidth": 0, "label": "other seeds"}
    ax.plot(seeds["jsd"], seeds["change"], RIVALS["seed"][1], **look)
    if len(seeds):
        look = {"color": SERIES[1], "linewidth": 1, "linestyle": ":", "label": "mean of other seeds"}
        ax.axhline(seeds["change"].mean(), zorder=1, **look)
    if "seed_low" in own and own["seed_low"].notna().any():
        look = {"color": SERIES[1], "alpha": 0.15, "linewidth": 0, "label": "95 % interval of that mean"}
        ax.axhspan(own["seed_low"].iloc[0], own["seed_high"].iloc[0], zorder=0.5, **look)
    look = {
        "color": INK,
        "markersize": 10,
        "linewidth": 0,
        "fillstyle": "none",
        "label": "the best adversary",
    }
    ax.plot(best["jsd"], best["change"], "o", **look)
    ax.plot(0, 0, "o", color=INK, markersize=6, clip_on=False, zorder=4, label="the base itself")
    alone = _imitation(own)
    if np.isnan(alone):
        if "imitation" in own:
            look = {"xycoords": "axes fraction", "va": "bottom", "color": NOTE, "fontsize": SMALL}
            ax.annotate("imitation unknown", (0.08, 0.03), **look)
        return
    ax.axhline(alone, color=INK, linestyle="--", linewidth=0.8, zorder=1, label="imitation alone")
    for x, y in zip(best["jsd"], best["change"], strict=True):
        ax.vlines(x, min(alone, y), max(alone, y), color=INK, linewidth=1.5, zorder=1)
        look = {"xytext": (0, -7), "textcoords": "offset points", "ha": "center", "va": "top"}
        ax.annotate(f"{y - alone:+.2f}", (x, min(alone, y)), weight="bold", fontsize=9, **look)


def with_and_without(table: pd.DataFrame) -> Figure:
    """What learnt attention gains on real corpora over uniform attention: a dot a seed, hollow where there is
    one, a bar for the interval over seeds, and the mean as a number. It fits a phone.

    table: `show.not_not.with_and_without`'s.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.45 * len(table) + 1.3))
    told = set()

    def named(label: str) -> str:
        new = "" if label in told else label
        told.add(label)
        return new

    for i, row in enumerate(table.itertuples()):
        if not np.isnan(row.low):
            look = {"color": INK, "linewidth": 1.5, "label": named("95 % interval over seeds")}
            ax.hlines(i, row.low, row.high, **look)
        gains = np.subtract(row.trained, row.uniform)
        alone = "a seed" if len(gains) > 1 else "the only seed"
        look = {"color": INK, "markersize": 5, "linewidth": 0, "label": named(alone)}
        look["fillstyle"] = "full" if len(gains) > 1 else "none"
        ax.plot(gains, np.full(len(gains), i), "o", **look)
        theirs = row.reported_trained - row.reported_uniform
        if not np.isnan(theirs):
            look = {"color": NOTE, "markersize": 6, "linewidth": 0, "label": named("reported")}
            ax.plot(theirs, i + 0.2, "x", **look)
        _beside(ax, i, f"{row.gain:+.3f}")
    _above(ax, "mean")
    ax.axvline(0, color=NOTE, linewidth=0.8, linestyle=":")
    seeds = [f"{row.label}\n{row.seeds} seed{'s' * (row.seeds > 1)}" for row in table.itertuples()]
    ax.set_yticks(range(len(table)), seeds, fontsize=SMALL)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.set_xlabel("F1 gained by learnt attention\nover uniform attention", fontsize=SMALL)
    ax.set(ylim=(-0.5, len(table) - 0.5))
    legend_below(figure, ax, 2)
    return figure


def _beside(ax, y: float, number: str) -> None:
    """A row's number, on the right of its panel."""
    ax.annotate(number, (1.02, y), xycoords=("axes fraction", "data"), va="center", fontsize=SMALL)


def _above(ax, what: str) -> None:
    """What the numbers on the right of a panel are."""
    ax.annotate(what, (1.02, 1), xycoords="axes fraction", va="bottom", color=NOTE, fontsize=SMALL)


def how_far(panels: dict[str, pd.DataFrame], names: dict[str, str] | None = None) -> Figure:
    """How far attention lies from the base's: of each panel the share of texts that lie at most so far.

    panels: tables with `other_jsd`, by what they show. names: what some are called in the legend instead.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.2))
    for k, (name, table) in enumerate(panels.items()):
        values = np.sort(table["other_jsd"])
        look = {
            "color": SERIES[k],
            "linestyle": LINES[k],
            "label": f"{(names or {}).get(name, name)} (mean {values.mean():.2f})",
        }
        ax.ecdf(values, **look)
    limit_line(ax, "other_jsd", True)
    texts = len(next(iter(panels.values())))
    ax.set(xlim=(0, 0.72), xlabel="JSD to the base's attention (nats)")
    ax.set_ylabel(f"texts up to this distance,\nshare of {texts:,}")
    legend_below(figure, ax, 1)
    return figure


def by_chance(table: pd.DataFrame) -> Figure:
    """How far other models and uniform attention lie from base models, a row each. It fits a phone.

    table: corpus, base, kind (of BY_CHANCE), jsd.
    """
    rows = [(name, *of) for name, own in table.groupby("corpus", sort=False) for of in own.groupby("base")]
    figure, ax = plt.subplots(figsize=(WIDTH, 0.3 * len(rows) + 1.2))
    for i, (_, _, own) in enumerate(rows):
        for kind, (_, marker, colour) in BY_CHANCE.items():
            far = own.loc[own["kind"] == kind, "jsd"].sort_values()
            look = {"color": colour, "linewidth": 0, "markersize": 5}
            if len(far):
                heights = -i + (0.15 * (-1) ** np.arange(len(far)) if len(far) > 1 else np.zeros(1))
                ax.plot(far, heights, marker, **look)
    for kind, (label, marker, colour) in BY_CHANCE.items():
        if (table["kind"] == kind).any():
            ax.plot([], [], marker, label=label, color=colour, linewidth=0, markersize=5)
    named = [f"{text_for(c, 'figure')}, base {b}" for c, b, _ in rows]
    ax.set_yticks(range(0, -len(rows), -1), named, fontsize=SMALL)
    ax.set(xlim=(0, 1.1 * table["jsd"].max()), ylim=(0.5 - len(rows), 0.5))
    ax.set_xlabel("mean JSD to the base's attention\n(nats; at most 0.69)", fontsize=SMALL)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.3, 1), ncols=2, fontsize=SMALL, borderaxespad=0.2)
    return figure


def deception(table: pd.DataFrame, classes, what: str) -> Figure:
    """τ of attention with what a model uses, of base and adversary: histograms, and a line at each mean.

    table: the table `deception`. what: `loo` or `relevance`.
    """
    columns = (f"base_{what}", f"adversary_{what}")
    figure = correlations({"": table}, classes, columns)
    figure.axes[0].set_ylim(0, 1.15 * figure.axes[0].get_ylim()[1])  # of both: room for the mean
    for ax, column in zip(figure.axes, columns, strict=True):
        mean = table[column].mean()
        if not np.isnan(mean):
            ax.axvline(mean, color=INK, linewidth=2, zorder=5)
            beside = {"xytext": (4, -2), "textcoords": "offset points", "va": "top", "fontsize": 9}
            ax.annotate(f"mean {mean:.2f}", (mean, 1), xycoords=("data", "axes fraction"), **beside)
        ax.set_xticks([-1, -0.5, 0, 0.5, 1], ["", "−0.5", "0", "0.5", ""])  # no two panels' ends touch
    return figure


def guides(guided: pd.DataFrame) -> Figure:
    """What the base's attention gains a token-wise model over each other one: a row a base, a mark and its
    interval a difference. Beside equal weights no interval is stored.

    guided: `show.not_not.guides_beside`'s. It fits a phone.
    """
    kinds = {  # a name, a marker, a colour, how far above its row's middle
        "mlp_adversary": ("over the adversary's", "o", SERIES[0], 0.22),
        "mlp_trained": ("over the model's own", "D", SERIES[3], 0),
        "mlp_uniform": ("over equal weights", "+", SERIES[2], -0.22),
    }
    rows = guided.groupby(["corpus", "base"], sort=False)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.55 * len(rows) + 1.4))
    for y, (_, own) in enumerate(rows):
        over = pd.DataFrame({"less": ["mlp_uniform"], "gain": own["over_equal"].iloc[:1]})
        for row in pd.concat([own[["less", "gain", "low", "high"]], over]).itertuples():
            _, marker, colour, up = kinds[row.less]
            ax.hlines(y - up, row.low, row.high, color=colour, linewidth=1.5)
            ax.plot(row.gain, y - up, marker, color=colour, markersize=6, markeredgewidth=1.5)
    for label, marker, colour, _ in kinds.values():
        look = {"color": colour, "markeredgewidth": 1.5, "linewidth": 0, "markersize": 6}
        ax.plot([], [], marker, label=label, **look)
    ax.axvline(0, color=NOTE, linewidth=0.8, linestyle=":", zorder=0)
    named = [f"{corpus}, base {base}" for corpus, base in rows.groups]
    ax.set_yticks(range(len(rows)), named, fontsize=SMALL)
    ax.set(ylim=(len(rows) - 0.5, -0.5))
    ax.set_xlabel("F1 gained by the base's attention\n(line: 95 % interval over texts)", fontsize=SMALL)
    ax.legend(loc="lower left", bbox_to_anchor=(-0.3, 1), ncols=2, fontsize=SMALL, borderaxespad=0.2)
    return figure
