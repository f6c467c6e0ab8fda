"""The figures: of arrays and tables, one function each; colours that the colour-blind can tell apart.

Class 0 is purple, class 1 orange, class 2 green, as in the paper; hatching and line style tell them
apart without colour. Axis labels come from the registry of measures.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from heed import paths, stats
from heed.erasure import CHOICES, NAMES, RANKINGS, SAYS
from heed.measures import MEASURES

COLOURS = (
    *("#7570b3", "#d95f02", "#1b9e77", "#666666", "#e7298a"),
    *("#e6ab02", "#1f78b4", "#66a61e", "#a6761d", "#000000"),  # up to ten classes
)
HATCHES = ("", "///", "...", "xxx", "\\\\\\") * 2
LINES = ("-", "--", ":", "-.", (0, (3, 1, 1, 1))) * 2
ENCODERS = {
    "bilstm": "BiLSTM",
    "average": "Average",
    "cnn": "CNN",
    "gru": "BiGRU",
    "none": "no encoder",
    "han": "HAN",
}


def theme() -> None:
    """The look of all figures: call once, before the first."""
    sns.set_theme(style="ticks", context="notebook", font_scale=0.85)
    plt.rcParams |= {
        "figure.dpi": 80,
        "savefig.dpi": 160,
        "svg.hashsalt": "heed",  # the same figure gives the same bytes
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
    }


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without a date."""
    with paths.writing(path) as aside:
        figure.savefig(aside, format="svg", metadata={"Date": None})
    return path


def keep(figure: Figure, folder: Path, name: str) -> None:
    """Save a chapter's figure in its run's folder; the notebook shows it, too."""
    save(figure, folder / "figures" / f"{name}.svg")


def _groups(table: pd.DataFrame, classes) -> list[tuple[int, str, pd.DataFrame]]:
    """Number, label and rows of each predicted class; none, or more than there are colours, are one group."""
    if not 0 < len(classes) <= len(COLOURS):
        return [(0, "all texts", table)]
    return [(c, f"predicted {name}", table[table["predicted"] == c]) for c, name in enumerate(classes)]


def _histogram(ax, table: pd.DataFrame, column: str, classes, bins) -> None:
    """Outlined, lightly filled histograms by predicted class, each normalised to 1."""
    for c, label, rows in _groups(table, classes):
        values = rows[column].dropna()
        if len(values) == 0:
            continue
        weights = np.full(len(values), 1 / len(values))
        style = {"bins": bins, "weights": weights, "histtype": "stepfilled"}
        ax.hist(values, color=COLOURS[c], alpha=0.25, **style)
        style |= {"histtype": "step", "linestyle": LINES[c], "linewidth": 1.5}
        ax.hist(values, color=COLOURS[c], label=label, **style)


def _label(column: str, exact: bool = True) -> str:
    """A measure's label; with a head that isn't one linear logit the best point known isn't the optimum."""
    return MEASURES[column].label if exact else MEASURES[column].label.replace("exact", "best known")


def histograms(tables: dict[str, pd.DataFrame], classes, columns, limits, bins: int, exact=True) -> Figure:
    """Measures by predicted class: a row a table (an encoder's, or one alone), a column a measure."""
    size = 3.4 * len(columns), 1.9 * len(tables) + 0.8
    figure, axes = plt.subplots(
        len(tables), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    for row, (name, table) in zip(axes, tables.items(), strict=True):
        for ax, column in zip(row, columns, strict=True):
            _histogram(ax, table, column, classes, np.linspace(*limits, bins + 1))
            _limit(ax, column, len(tables) == 1)
            ax.set(xlim=(limits[0], max(limits[1], 0.72)))
            ax.annotate(ENCODERS.get(name, ""), (0.02, 0.9), xycoords="axes fraction", weight="bold")
        row[0].set_ylabel("share of the " + ("class" if 0 < len(classes) <= len(COLOURS) else "texts"))
    for ax, column in zip(axes[-1], columns, strict=True):
        ax.set_xlabel(_broken(_label(column, exact)))
    _legend_below(figure, axes[0][0], len(classes))
    return figure


def _limit(ax, column: str, named: bool) -> None:
    """A thin line at 0 of a correlation, at ln 2 of a JSD."""
    if MEASURES[column].range[0] < 0:
        ax.axvline(0, color="0.6", linewidth=0.8)
    else:
        ax.axvline(np.log(2), color="0.4", linewidth=0.8, linestyle=":")
        if named:
            ax.annotate("ln 2", (np.log(2), 1), xycoords=("data", "axes fraction"), ha="center",
                        va="bottom", color="0.4")  # fmt: skip


def correlations(tables: dict[str, pd.DataFrame], classes, columns=("tau_gradient", "tau_loo")) -> Figure:
    """Figure 2: histograms of Kendall's τ, 30 bins on [-1, 1]."""
    return histograms(tables, classes, columns, (-1, 1), 30)


def optimum_histograms(tables: dict[str, pd.DataFrame], classes, exact: bool = True) -> Figure:
    """Figure 4: the ε-max JSD, by search and exact (else best known, and bound), 40 bins on [0, 0.7]."""
    columns = ("found", "optimum") if exact else ("found", "optimum", "bound")
    return histograms(tables, classes, columns, (0, 0.7), 40, exact)


def differences(table: pd.DataFrame) -> Figure:
    """Per instance: how much closer gradient and leave-one-out are to one another than to attention."""
    figure, ax = plt.subplots(figsize=(6.2, 2.7))
    for i, (column, name) in enumerate((("tau_loo", "leave-one-out"), ("tau_gradient", "gradient"))):
        values = (table["tau_gradient_loo"] - table[column]).dropna()
        label = f"τ(gradient, leave-one-out) − τ(attention, {name})"
        if np.ptp(values) > 0:
            sns.kdeplot(values, ax=ax, color=COLOURS[i], linestyle=LINES[i], label=label)
        ax.axvline(values.mean(), color=COLOURS[i], linestyle=LINES[i], linewidth=0.8)
    ax.axvline(0, color="0.6", linewidth=0.8)
    ax.set(xlabel="difference of two rank correlations (thin lines: means)", ylabel="density")
    _legend_below(figure, ax, 1)
    return figure


def significance(table: pd.DataFrame, level: float) -> Figure:
    """τ against length, with the τ that a text of this length needs to be significant."""
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 2.9), sharex=True, sharey=True)
    lengths = np.arange(max(table["length"].min(), 3), table["length"].max() + 1)
    from scipy.stats import norm  # the asymptotic null distribution of τ, without ties

    needed = norm.isf(level / 2) * np.sqrt(2 * (2 * lengths + 5) / (9 * lengths * (lengths - 1)))
    for ax, column in zip(axes, ("tau_gradient", "tau_loo"), strict=True):
        ax.scatter(table["length"], table[column], s=9, alpha=0.6, color=COLOURS[0], rasterized=True,
                   linewidth=0, label="an instance")  # fmt: skip
        ax.plot(lengths, needed, color="black", linewidth=1, label=f"τ needed for p = {level:g} (no ties)")
        ax.plot(lengths, -needed, color="black", linewidth=1)
        ax.set(xlabel="length in tokens", ylabel=_broken(MEASURES[column].label), ylim=(-1, 1))
    _legend_below(figure, axes[0], 2)
    return figure


def truth(summary: pd.DataFrame, rankings, share: float) -> Figure:
    """Which ranking finds the deciding tokens: mean and interval of two measures, a point a ranking.

    share: of tokens that decide, the precision by chance.
    """
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.3), sharey=True)
    for ax, kind, chance in zip(axes, ("auroc", "precision"), (0.5, share), strict=True):
        rows = summary[summary["class"] == "overall"].set_index("measure")
        rows = rows.loc[[f"{kind}_{name}" for name in rankings]]
        spread = np.abs(rows[["low", "high"]].to_numpy() - rows[["mean"]].to_numpy()).T
        ax.errorbar(rows["mean"], range(len(rankings)), xerr=spread, fmt="o", color=COLOURS[1], capsize=3)
        label = MEASURES[f"{kind}_{rankings[0]}"].label.replace(rankings[0], "a ranking")
        ax.set(xlim=(0, 1.02), xlabel=_broken(label))
        ax.set_yticks(range(len(rankings)), ["leave-one-out" if name == "loo" else name for name in rankings])
        ax.margins(y=0.25)
        ax.axvline(chance, color="0.6", linewidth=0.8)
        where = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom"}
        ax.annotate("chance", (chance, 1), color="0.4", **where)
    return figure


def learning(curve: pd.DataFrame, split: str, score: str = "ROC AUC") -> Figure:
    """Learning curve: training loss and the score that chooses the epoch, which is marked."""
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.6))
    chosen = curve[curve["chosen"]]
    for ax, column, label in (
        (axes[0], "loss", "training loss (nats a text)"),
        (axes[1], "score", f"{score} on {split}"),
    ):
        ax.plot(curve["epoch"], curve[column], marker=".", color=COLOURS[0])
        ax.plot(chosen["epoch"], chosen[column], "o", markersize=9, fillstyle="none", color=COLOURS[1])
        ax.annotate("chosen", (chosen["epoch"].iloc[0], chosen[column].iloc[0]), xytext=(5, 6),
                    textcoords="offset points", color=COLOURS[1])  # fmt: skip
        ax.set(xlabel="epoch", ylabel=label)
        ax.margins(x=0.16, y=0.2)
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return figure


def bars(words: list[str], weights: dict[str, np.ndarray], alike: bool = False) -> Figure:
    """Weights over the words of one text, a panel a kind of weight; alike: all on one scale."""
    size = min(0.5 * len(words) + 1.5, 11), 1.15 * len(weights) + 0.7
    figure, axes = plt.subplots(len(weights), 1, figsize=size, sharex=True, squeeze=False)
    for i, (ax, (name, values)) in enumerate(zip(axes[:, 0], weights.items(), strict=True)):
        ax.bar(range(len(words)), values, color=COLOURS[i % 5], hatch=HATCHES[i % 5], edgecolor="white")
        ax.set_ylabel(name, rotation=0, ha="right", va="center")
        ends = np.concatenate([*weights.values()]) if alike else values
        ax.set_ylim(min(0, 1.05 * float(np.min(ends))), 1.05 * float(np.max(ends)) if alike else None)
        ax.axhline(0, color="0.6", linewidth=0.8)
    axes[-1, 0].set_xticks(
        range(len(words)), [_short(word).replace("$", r"\$") for word in words], rotation=60, ha="right"
    )
    return figure


def _short(word: str) -> str:
    """A sentence by its beginning."""
    return word if len(word) <= 24 else f"{word[:22]}…"


def _broken(label: str) -> str:
    """A long axis label on two lines."""
    middle = label.find(" ", len(label) // 2 - 2)
    return label if len(label) < 32 or middle < 0 else f"{label[:middle]}\n{label[middle + 1 :]}"


def _legend_below(figure: Figure, ax, columns: int) -> None:
    handles, labels = ax.get_legend_handles_labels()
    look = {"loc": "outside lower center", "ncols": max(min(columns, len(handles), 4), 1)}
    for handle in figure.legend(handles, labels, **look).legend_handles:
        if isinstance(handle, PathCollection):  # a cloud's small pale point is no key to its colour
            handle.set(sizes=[30], alpha=1)


BINS = ("0 – 0.25", "0.25 – 0.5", "0.5 – 0.75", "0.75 – 1")


def peak_bin(max_attention: pd.Series) -> pd.Categorical:
    """The paper's four bins of the highest attention weight; the last is closed on both sides."""
    codes = np.minimum((max_attention.to_numpy() / 0.25).astype(int), 3)
    return pd.Categorical.from_codes(codes, BINS, ordered=True)


def violins(
    tables: dict[str, pd.DataFrame], column: str, classes, limits: tuple[float, float], exact: bool = True
) -> Figure:
    """Figures 3 and 5: a measure (x) by bins of the highest attention (y) and predicted class."""
    size = (7.2, 3.6) if len(tables) == 1 else (3.6 * len(tables), 3.8)
    figure, axes = plt.subplots(1, len(tables), figsize=size, sharex=True, squeeze=False)
    order = [label for _, label, _ in _groups(next(iter(tables.values())), classes)]
    for ax, (name, table) in zip(axes[0], tables.items(), strict=True):
        shown = pd.DataFrame(
            {
                "value": table[column],
                "bin": peak_bin(table["max_attention"]),
                "predicted": [order[c if len(order) > 1 else 0] for c in table["predicted"]],
            }
        ).dropna()
        sns.violinplot(
            shown, x="value", y="bin", hue="predicted", hue_order=order, order=BINS[::-1], ax=ax, cut=0,
            inner="quart", density_norm="width", linewidth=0.9, legend=len(order) > 1,
            palette=dict(zip(order, COLOURS, strict=False)),
        )  # fmt: skip
        counts = shown["bin"].value_counts()
        ax.set_yticks(range(4), [f"{bin}\n{counts.get(bin, 0)} texts" for bin in BINS[::-1]])
        ax.set(xlim=limits, xlabel=_broken(_label(column, exact)), ylabel="", title=ENCODERS.get(name, name))
        if ax.get_legend():
            ax.get_legend().remove()
    axes[0][0].set_ylabel(MEASURES["max_attention"].label)
    _legend_below(figure, axes[0][0], len(classes))
    return figure


def found_against_optimum(table: pd.DataFrame, exact: bool = True) -> Figure:
    """Each text's search result against its optimum, or the best known: nothing can lie above the line."""
    figure, ax = plt.subplots(figsize=(3.9, 3.6))
    ax.plot([0, np.log(2)], [0, np.log(2)], color="black", linewidth=0.8)
    look = {"s": 9, "alpha": 0.5, "color": COLOURS[0], "rasterized": True, "linewidth": 0}
    ax.scatter(table["optimum"], table["found"], **look)
    ax.set(xlabel=_label("optimum", exact), ylabel=_label("found"), xlim=(0, 0.71), ylim=(0, 0.71))
    return figure


def epsilon_curve(curve: pd.DataFrame, classes) -> Figure:
    """Mean exact ε-max JSD over ε, by predicted class."""
    figure, ax = plt.subplots(figsize=(5.6, 2.8))
    epsilons = sorted(curve["epsilon"].unique())
    for c, label, rows in _groups(curve, classes):
        means = rows.groupby("epsilon")["optimum_at"].mean()
        if len(means):
            look = {"color": COLOURS[c], "linestyle": LINES[c], "label": label}
            ax.plot(range(len(means)), means, marker="o", **look)
    ax.axhline(np.log(2), color="0.4", linewidth=0.8, linestyle=":")
    ax.annotate("ln 2", (0, np.log(2)), va="bottom", color="0.4")
    ax.set_xticks(range(len(epsilons)), [f"{e:g}" for e in epsilons])
    ax.set(
        xlabel="ε: allowed change of the prediction (TVD)",
        ylabel=f"mean {MEASURES['optimum_at'].label}",
        ylim=(0, 0.74),
    )
    _legend_below(figure, ax, len(classes))
    return figure


def explained(table: pd.DataFrame, classes) -> Figure:
    """What permuting does to the logit, exactly, against alignment and peakiness times dispersion."""
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.9), sharey=True)
    x = {"alignment": table["alignment"].abs(), "product": table["peakiness"] * table["dispersion"]}
    labels = {"alignment": "|alignment ρ|", "product": "peakiness A × dispersion R"}
    for ax, name in zip(axes, x, strict=True):
        for c, label, rows in _groups(table, classes):
            look = {"s": 9, "alpha": 0.5, "color": COLOURS[c], "marker": "os^Dv"[c % 5], "linewidth": 0}
            ax.scatter(x[name][rows.index], rows["rms_logit"], rasterized=True, label=label, **look)
        ax.set(xlabel=labels[name])
    axes[0].set_ylabel(MEASURES["rms_logit"].label)
    _legend_below(figure, axes[0], len(classes))
    return figure


def heatmap(
    words: list[str], kinds: dict[str, np.ndarray], tint, question="", query_name="Question"
) -> Figure:
    """One text under several attentions, words flowing as on a page; `tint` gives a weight's colour.

    question: what the text is asked, above it.
    """
    figure = plt.figure(figsize=(7.2, 1), layout="none")
    figure.add_axes((0, 0, 1, 1)).set_axis_off()  # a notebook shows no figure that has no axes
    pen = figure.canvas.get_renderer()
    scale, x, y = 72 / figure.dpi, 0.0, 0.0  # points, from the top left corner
    drawn = []
    lines = {name: [*zip(words, attention, strict=True)] for name, attention in kinds.items()}
    if question:
        lines = {query_name: [(word, 0) for word in question.split()]} | lines
    for name, line in lines.items():
        for word, weight in [(name, None), *line]:
            look = {"size": 9, "weight": "bold" if weight is None else "normal", "parse_math": False}
            text = figure.text(0, 0, word, va="baseline", **look)
            width = text.get_window_extent(pen).width * scale
            if weight is not None:
                x, y = (80.0, y + 15) if x + width > 510 else (x, y)
                back = [c / 255 for c in tint(weight)]
                text.set_bbox({"facecolor": back, "edgecolor": "none", "pad": 1.5})
            drawn.append((text, x, y))
            x = 80.0 if weight is None else x + width + 5
        x, y = 0.0, y + 22
    figure.set_size_inches(7.2, (y + 4) / 72)
    for text, x, y in drawn:
        text.set_position(((x + 4) / 518.4, 1 - (y + 12) / (72 * figure.get_figheight())))
    return figure


def single_weights(table: pd.DataFrame) -> Figure:
    """What erasing the top unit does beyond another's, by difference in weight; below, where it is less."""
    figure, axes = plt.subplots(
        2, 3, figsize=(9.6, 4.4), sharex=True, sharey="row", height_ratios=(3, 1), squeeze=False
    )
    for column, choice in zip(axes.T, CHOICES, strict=True):
        x, y = table[f"delta_weight_{choice}"], table[f"delta_js_{choice}"]
        for own, mark, colour, name in ((y >= 0, "o", 0, "as much or more"), (y < 0, "v", 1, "less")):
            look = {"s": 10, "alpha": 0.5, "color": COLOURS[colour], "linewidth": 0, "marker": mark}
            column[0].scatter(
                x[own], y[own], rasterized=True, label=f"the top unit's erasure does {name}", **look
            )
        column[0].axhline(0, color="0.6", linewidth=0.8)
        column[0].set_title(f"top by {NAMES.get(choice, choice)}")
        column[1].hist(
            x[y < 0], bins=np.linspace(-1, 1, 41), color=COLOURS[1], hatch=HATCHES[1], edgecolor="white"
        )
        column[1].set(xlabel="Δ weight: top unit's − another's")
        column[1].yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes[0, 0].set_ylabel("ΔJSD of predictions (nats)")
    axes[1, 0].set_ylabel("texts with\nΔJSD < 0")
    _legend_below(figure, axes[0, 0], 2)
    return figure


def boxes(tables: dict[str, pd.DataFrame], kind: str) -> Figure:
    """Until the decision flips: share of units (`erased`) or of attention (`mass`), a box a ranking.

    Boxes are quartiles, whiskers 1.5 times their distance, diamonds means. tables: a panel a model.
    """
    size = (1.2 + 4.6 * len(tables), 2.7)
    figure, axes = plt.subplots(1, len(tables), figsize=size, sharex=True, squeeze=False)
    for ax, (name, table) in zip(axes[0], tables.items(), strict=True):
        values = [table[f"{kind}_{r}"].dropna() for r in RANKINGS]
        drawn = ax.boxplot(values, vert=False, widths=0.6, patch_artist=True, showmeans=True, meanprops={
            "marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black"},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "0.5"},
            medianprops={"color": "black"})  # fmt: skip
        for i, box in enumerate(drawn["boxes"]):
            box.set(facecolor=COLOURS[i], hatch=HATCHES[i], edgecolor="black", alpha=0.7)
        labels = [f"{NAMES.get(r, r)}\n{len(v)} texts flip" for r, v in zip(RANKINGS, values, strict=True)]
        ax.set_yticks(range(1, len(labels) + 1), labels)
        what = "units" if kind == "erased" else "attention"
        ax.set(xlim=(-0.02, 1.02), xlabel=f"share of {what} erased", title=ENCODERS.get(name, name))
        ax.invert_yaxis()
    return figure


def says(tables: dict[str, pd.DataFrame], contextual: set[str], resamples: int, seed: int) -> Figure:
    """What attention says in each model: mean and 95 % interval; filled where states know their context."""
    figure, axes = plt.subplots(1, len(SAYS), figsize=(9.6, 0.5 * len(tables) + 1.5), sharey=True)
    for ax, (label, of) in zip(axes, SAYS.items(), strict=True):
        for i, (name, table) in enumerate(tables.items()):
            values = of(table).dropna().to_numpy()
            low, high = stats.interval(values, resamples, seed)
            mean, known = values.mean() if len(values) else np.nan, name in contextual
            ax.errorbar(mean, i, xerr=[[mean - low], [high - mean]], fmt="o" if known else "s", capsize=3,
                        color=COLOURS[0 if known else 1], fillstyle="full" if known else "none",
                        label="states know their context" if known else "states don't")  # fmt: skip
        ax.axvline(0, color="0.6", linewidth=0.8)
        ax.set_xlabel(_broken(label))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.set_yticks(range(len(tables)), [ENCODERS.get(name, name) for name in tables])
        ax.margins(y=0.25)
    axes[0].invert_yaxis()
    handles = dict(zip(*axes[0].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    return figure


# What Figure 5 draws: a name, a marker, whether its points are joined.
RIVALS = {
    "adversary": ("trained adversary, by λ", "o", True),
    "seed": ("other seeds", "x", False),
    "uniform": ("uniform attention", "s", False),
    "search": ("Jain & Wallace's search, text by text", "*", False),
    "optimum": ("exact optimum, text by text", "^", True),
}


def opposition(
    points: pd.DataFrame, reported: pd.DataFrame | None = None, top: float | None = None
) -> Figure:
    """Figure 5 of Wiegreffe & Pinter: how far attention moved (x), and the prediction (y), a mean a point.

    reported: published points (kind, jsd, change), drawn small and grey. top: where the y axis ends.
    """
    figure, ax = plt.subplots(figsize=(7, 4.2))
    colours = (*COLOURS[:3], COLOURS[9], COLOURS[6])  # grey is what is reported
    for colour, (kind, (label, marker, joined)) in zip(colours, RIVALS.items(), strict=True):
        own = points[points["kind"] == kind]
        if reported is not None and (reported["kind"] == kind).any():
            theirs = reported[reported["kind"] == kind]
            grey = {"color": "0.65", "markersize": 5, "label": f"reported: {label}"}
            ax.plot(theirs["jsd"], theirs["change"], marker, **grey)
        if len(own):
            look = {"linestyle": "-" if joined else "", "linewidth": 1, "color": colour, "zorder": 3}
            look["markersize"] = 11 if marker == "*" else 6
            ax.plot(own["jsd"], own["change"], marker, label=label, **look)
    last = dict.fromkeys(("bottom", "top"), -np.inf)  # λ stands above or below its point, where there is room
    for point in points[points["kind"] == "adversary"].sort_values("jsd").itertuples():
        side = min(last, key=last.get)
        if point.jsd - last[side] > 0.055:
            last[side] = point.jsd
            look = {"ha": "center", "va": side, "fontsize": 7, "textcoords": "offset points"}
            at = (point.jsd, point.change)
            ax.annotate(f"{point.kl_weight:g}", at, xytext=(0, 5 if side == "bottom" else -6), **look)
    _limit(ax, "trained_jsd", True)
    ax.set(xlim=(0, 0.72), ylim=(0, top), xlabel="mean JSD to the base's attention (nats)",
           ylabel="mean change of the prediction (TVD)")  # fmt: skip
    _legend_below(figure, ax, 2)
    return figure


def noise(table: pd.DataFrame, classes) -> Figure:
    """Each text: the median JSD of other seeds' attention (x) and their mean change of the prediction (y)."""
    figure, ax = plt.subplots(figsize=(5.2, 3.2))
    for k, c, label, own in [(k, *group) for k in range(10) for group in _groups(table, classes)]:
        look = {"s": 12, "alpha": 0.5, "color": COLOURS[c % 10], "marker": "os^Dv"[c % 5], "linewidth": 0}
        x, y = own[["other_jsd", "other_change"]][k::10].to_numpy().T  # by turns: no class hides another
        ax.scatter(x, y, label="" if k else label, rasterized=True, **look)
    ax.set(xlim=(-0.02, 0.72), ylim=(-0.05, 1.05), xlabel="median JSD over seeds (nats)",
           ylabel="mean change of the\nprediction (TVD)")  # fmt: skip
    _legend_below(figure, ax, len(classes))
    return figure


def scores(table: pd.DataFrame, names: dict[str, str]) -> Figure:
    """F1 of several models with its interval, a row each; `reported`, where there is one, as a grey cross."""
    rows = table.set_index("model").loc[[*names]][::-1]
    figure, ax = plt.subplots(figsize=(6.6, 0.38 * len(rows) + 0.9))
    spread = np.abs(rows[["low", "high"]].to_numpy() - rows[["f1"]].to_numpy()).T
    ax.errorbar(
        rows["f1"], range(len(rows)), xerr=spread, fmt="o", color=COLOURS[1], capsize=3, label="this run"
    )
    if "reported" in rows and rows["reported"].notna().any():
        ax.plot(rows["reported"], range(len(rows)), "x", color="black", label="reported", zorder=4)
        _legend_below(figure, ax, 2)
    ax.set_yticks(range(len(rows)), [names[name] for name in rows.index])
    ax.set(xlabel="F1 on test (95 % interval over texts)", xlim=(min(0.5, rows["low"].min() - 0.02), 1.01))
    ax.margins(y=0.1)
    return figure


def by_corpus(table: pd.DataFrame, labels: dict[str, str], lines: dict[str, float] | None = None) -> Figure:
    """Numbers over corpora: a panel a measure, a point a model (mean over seeds, bar from lowest to highest).

    table: corpus, model, measure, mean (one row a seed), models in order. labels: measure to its axis label,
    in order. lines: measure to a value to be held against, dashed.
    """
    corpora, models = sorted(set(table["corpus"])), list(dict.fromkeys(table["model"]))
    kinds = zip(COLOURS, "osD^vPosD^", ["full"] * 3 + ["none"] * 7, strict=True)
    looks = [{"color": colour, "marker": marker, "fillstyle": fill} for colour, marker, fill in kinds]
    size = 3.2 * len(labels) + 1, 0.22 * len(corpora) * (len(models) + 1) + 1.2
    figure, axes = plt.subplots(1, len(labels), figsize=size, sharey=True, squeeze=False)
    for ax, (measure, label) in zip(axes[0], labels.items(), strict=True):
        own = table[table["measure"] == measure].groupby(["corpus", "model"])["mean"]
        for (corpus, model), values in own:
            i = models.index(model)
            y = corpora.index(corpus) + (i - (len(models) - 1) / 2) / (len(models) + 1)
            ax.plot([values.min(), values.max()], [y, y], color=COLOURS[i % 10], linewidth=1.5)
            ax.plot(values.mean(), y, linestyle="none", markersize=5, **looks[i % 10])
        if lines and measure in lines:
            ax.axvline(lines[measure], color="0.4", linewidth=0.8, linestyle="--")
        for border in range(1, len(corpora)):
            ax.axhline(border - 0.5, color="0.9")
        ax.set(xlabel=_broken(label), ylim=(len(corpora) - 0.4, -0.6))
        ax.grid(axis="x", color="0.9")
    axes[0][0].set_yticks(range(len(corpora)), corpora)
    for i, model in enumerate(models):
        axes[0][0].plot([], [], label=model, **looks[i % 10])
    _legend_below(figure, axes[0][0], 3)
    return figure


def flow(panels: dict[str, tuple]) -> Figure:
    """Two texts under gradient flow: p and D = r_1 - r_0, numerically (lines) and in closed form (dots)."""
    figure, axes = plt.subplots(1, len(panels), figsize=(4.3 * len(panels), 3.0), squeeze=False)
    for ax, (name, (times, found, exact)) in zip(axes[0], panels.items(), strict=True):
        for i, (label, of) in enumerate(
            (("attention p", lambda x: x[2]), ("D = r₁ − r₀", lambda x: x[1] - x[0]))
        ):
            ax.plot(times, of(found), LINES[i], color=COLOURS[i], label=label)
            if exact is not None:
                look = {"markersize": 4, "color": COLOURS[i], "label": f"{label}, closed form"}
                ax.plot(times[::8], of(exact)[::8], "o", **look)
        ax.axhline(0, color="0.6", linewidth=0.8)
        ax.set(title=name, xlabel="time s", ylabel="attention (share), relevance (logits)")
    _legend_below(figure, axes[0][0], 4)
    return figure


def course(table: pd.DataFrame) -> Figure:
    """Watched training: amounts, agreement with the finished attention, accuracy; a mark a look."""
    figure, axes = plt.subplots(1, 3, figsize=(11.6, 3.6))
    figure.get_layout_engine().set(wspace=0.06)
    panels = ((("away", "attention: JSD from uniform (nats)"), ("spread", "relevance: spread (logits)")),
              (("attention_agrees", "their attention"), ("relevance_agrees", "their relevance")))  # fmt: skip
    seeds = table[~table["model"].isin(("base", "uniform"))].groupby("step").mean(numeric_only=True)
    base = table[table["model"] == "base"].set_index("step")
    for k, (column, label) in enumerate(panels[0]):
        ax = axes[0] if k == 0 else axes[0].twinx()
        ax.plot(base.index, base[column], LINES[k], marker=".", color=COLOURS[k])
        ax.set_ylabel(label, color=COLOURS[k])
        ax.set_ylim(bottom=0)
    axes[0].set_title("how much, this run")
    for k, (column, label) in enumerate(panels[1]):
        axes[1].plot(
            seeds.index, seeds[column], LINES[k], marker=".", color=COLOURS[k], label=f"other seeds: {label}"
        )
    flat = table[table["model"] == "uniform"].set_index("step")["relevance_agrees"]
    axes[1].plot(flat.index, flat, LINES[2], marker=".", color=COLOURS[2], label="uniform training: r′")
    axes[1].axhline(table["chance"].mean(), color="0.5", linewidth=0.8, label="chance")
    axes[1].set(title="A with this run's attention", ylabel="agreement A", ylim=(0, 1.02))
    # A model's colour is no quantity's; uniform training has its own in both panels.
    shown = {
        "base": ("-", 9, "this run"),
        "uniform": (":", 2, "uniform training"),
        "": ("--", 4, "other seeds"),
    }
    for name, (line, k, label) in shown.items():
        own = table[table["model"] == name].set_index("step") if name else seeds
        axes[2].plot(own.index, own["accuracy"], line, marker=".", color=COLOURS[k], label=label)
    axes[2].set(title="accuracy", ylabel="accuracy on the watched texts", ylim=(0, 1.02))
    for ax in axes:
        ax.set_xscale("symlog", linthresh=10)
        ax.set(xlabel="steps of training (log from 10 on)", xlim=(0, table["step"].max() * 1.1))
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
        ax.errorbar(own["mean"], range(len(own)), xerr=spread, fmt="o", color=COLOURS[1], capsize=3)
        ax.axvline(chance if kind == "top" else 0, color="0.5", linewidth=0.8)
        ax.annotate("chance", (chance if kind == "top" else 0, 1), xycoords=("data", "axes fraction"),
                    ha="center", va="bottom", color="0.4")  # fmt: skip
        ax.set(xlabel=f"{label}\n(95 % interval over texts)", xlim=(0, 1) if kind == "top" else (-0.5, 1))
    axes[0].set_yticks(range(len(pairs)), [label for *_, label in pairs.values()][::-1])
    axes[0].margins(y=0.12)
    return figure


def copies(looks: pd.DataFrame, tasks: dict[str, str], good: float) -> Figure:
    """Token and attention accuracy, and where relevance is lowest; a line a seed, a column a task."""
    rows = {"copied": "token accuracy", "attended": "attention accuracy", "least": "relevance lowest there"}
    rows = {name: label for name, label in rows.items() if name in looks}
    tasks = {name: title for name, title in tasks.items() if name in set(looks["task"])}
    size = {"figsize": (3.6 * len(tasks) + 1.2 * (len(tasks) == 1), 0.6 + 2.2 * len(rows)), "squeeze": False}
    figure, axes = plt.subplots(len(rows), len(tasks), sharex=True, sharey=True, **size)
    for column, (task, title) in zip(axes.T, tasks.items(), strict=True):
        column[0].set_title(title)
        column[-1].set_xlabel("steps of training")
        for _, own in looks[looks["task"] == task].groupby("seed"):
            learnt = own["copied"].iloc[-1] > good
            for ax, name in zip(column, rows, strict=True):
                ax.plot(own["step"], own[name], LINES[not learnt], color=COLOURS[not learnt], alpha=0.8)
    for ax, label in zip(axes[:, 0], rows.values(), strict=True):
        ax.set(ylabel=label, ylim=(-0.02, 1.02))
    said = (f"has learnt to copy (over {good:g} at the end)", "hasn't")
    for k, label in enumerate(said):
        axes[0, 0].plot([], [], LINES[k], color=COLOURS[k], label=label)
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


def translated(learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None = None) -> Figure:
    """What agrees with the finished model's attention, by step; beside it what is on the word that is meant.

    learning: `translation.learning`'s; meant: `translation.meant` of each model by name, or token accuracy.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.9), sharex=True, sharey=True)
    drawn = {
        ("other seed", "attention"): "attention, another seed",
        ("base", "relevance"): "relevance r, the same model",
        ("uniform", "relevance"): "relevance r', uniform training",
    }
    for k, ((model, kind), label) in enumerate(drawn.items()):
        own = learning[learning["model"] == model].sort_values("step")
        axes[0].plot(own["step"], own[kind], LINES[k], marker="os^"[k], color=COLOURS[k], label=label)
        table, column = (own, "accuracy") if meant is None else (meant[model], kind)
        axes[1].plot(table["step"], table[column], LINES[k], marker="os^"[k], color=COLOURS[k])
    steps = sorted(learning["step"].unique())
    ticks = steps[:2]
    for step in steps[2:]:
        if step >= (2 if steps[-1] < 5000 else 4) * ticks[-1]:
            ticks.append(step)
    for ax in axes:
        ax.set_xscale("symlog", linthresh=steps[1], linscale=0.5)
        ax.set_xticks(ticks, [f"{step:,}" for step in ticks])
        ax.minorticks_off()
        ax.set(xlabel="steps of training", ylim=(-0.02, 1.02))
    axes[0].set(ylabel="agreement A with the finished attention")
    axes[1].set(ylabel="token accuracy" if meant is None else "share largest on the word that is meant")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def succeeded(shares: pd.DataFrame, labels: list[str]) -> Figure:
    """Share of seeds that learn to copy with Wilson's interval, a row a task and a mark a setting."""
    settings = list(dict.fromkeys(shares["setting"]))
    figure, ax = plt.subplots(figsize=(7.4, 0.55 * len(labels) + 1.3))
    for k, setting in enumerate(settings):
        own = shares[shares["setting"] == setting].set_index("what").reindex(labels)
        places = np.arange(len(labels))[::-1] + 0.16 * ((len(settings) - 1) / 2 - k)
        spread = np.abs(own[["low", "high"]].to_numpy() - own[["success"]].to_numpy()).T
        ax.errorbar(own["success"], places, xerr=spread, fmt="os^D"[k], color=COLOURS[k], capsize=3,
                    label=setting)  # fmt: skip
    ax.axvline(0.5, color="0.5", linewidth=0.8)
    ax.set(xlim=(-0.03, 1.03), xlabel="share that learns to copy (95 % interval)")
    ax.set_yticks(np.arange(len(labels))[::-1], labels)
    if len(settings) > 1:
        figure.legend(loc="outside lower center", ncols=len(settings))
    return figure
