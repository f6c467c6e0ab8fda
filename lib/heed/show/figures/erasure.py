"""Chapter 06: what erasing attention does."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.cbook import boxplot_stats
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from heed.measures import stats
from heed.measures.erasure import CHOICES, NAMES, RANKINGS, SAYS
from heed.models.encoders import encoder_called
from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import SMALL, WIDTH, legend_below, named_above, percent, word_rows
from heed.show.figures.numbers import Numbers, counts, names_of, ordered, rounded, series
from heed.show.style import HATCHES, title_of

# What rankings are called here: this gradient is by the attention weight, not by the word as in chapter 02.
CALLED = NAMES | {"gradient": "weight gradient", "bound": "lower bound"}
# Whose protocol a profile is.
PROTOCOLS = {"paper": "J&W", "serrano": "S&S"}
# The rows of a figure of boxes. The optimum is one by words; by attention there is a bound.
ROWS = {"erased": RANKINGS, "mass": (*RANKINGS[:-1], "bound")}
LOOKS = {"optimal": 0, "product": 1, "attention": 2, "random": 3, "gradient": 4, "random_mean": 3, "bound": 0}
BARS = (SERIES[0], GRID, SERIES[1])  # of the top word, of neither, of the other word
NAMED = ("top word moves the prediction more", "neither", "other word moves it more")
NEAR = 0.01  # of the words: the optimum is drawn where it needs fewer by more than this
ABOVE = 0.42  # a row's name above its middle, where rows are 1 apart
BESIDE = 5  # words of an order that have room beside its line
BOX = ("whislo", "q1", "med", "q3", "whishi")  # matplotlib's names of a box's numbers, in order


def single_weights(table: pd.DataFrame, same: float) -> Figure:
    """In how many texts erasing the top word moves the prediction more than another, as much, or less.

    table: `erasure`'s; same: below this difference of the JSD (nats) the two do nearly the same.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.62 * len(CHOICES) + 1))
    for row, choice in enumerate(CHOICES):
        moved = table[f"delta_js_{choice}"].dropna()
        shares = (moved >= same).mean(), (moved.abs() < same).mean(), (moved <= -same).mean()
        left = 0.0
        for i, (share, colour, hatch, name) in enumerate(zip(shares, BARS, HATCHES, NAMED, strict=False)):
            look = {"color": colour, "hatch": hatch, "edgecolor": PAPER, "label": name if row == 0 else None}
            ax.barh(row, share, 0.5, left=left, **look)
            if share >= 0.03:
                box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
                at = left + share / 2, row
                ax.text(*at, percent(share), ha="center", va="center", bbox=box, fontsize=SMALL)
            elif share > 0 and i == len(shares) - 1:
                above = {"ha": "right", "va": "center", "color": NOTE, "fontsize": SMALL}
                ax.text(1, row - ABOVE, percent(share), **above)
            left += share
    names = [f"top by {CALLED.get(choice, choice)}" for choice in CHOICES]
    named_above(ax, range(len(CHOICES)), names, ABOVE)
    ax.set_ylim(len(CHOICES) - 0.7, -0.6)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set(xlim=(0, 1), xlabel=f"share of {len(table)} texts")
    legend_below(figure, ax, 1)
    return figure


def boxes(tables: dict[str, pd.DataFrame], kind: str) -> Figure:
    """Until the decision flips: share of words (`erased`) or of attention (`mass`), a box a ranking.

    Of attention the last row is a lower bound. Boxes are quartiles, whiskers 1.5 times their distance,
    diamonds means, which stand at the right, too. tables: a panel an encoder, by its name.
    """
    return draw_boxes(box_numbers(tables, kind), kind)


def box_numbers(tables: dict[str, pd.DataFrame], kind: str) -> Numbers:
    """Of each panel and row: texts that flip, the five numbers of their box, the mean, the outliers.

    The outliers are values rather than texts: hundredths, each once.
    """
    found = {}
    for name, table in tables.items():
        for row in ROWS[kind]:
            values = table[f"{kind}_{row}"].dropna()
            [box] = boxplot_stats(values)
            found[name, row, "texts"] = [len(values)]
            found[name, row, "box"] = [box[part] for part in BOX] if len(values) else []
            found[name, row, "mean"] = [box["mean"]] if len(values) else []
            found[name, row, "outliers"] = np.unique(np.round(box["fliers"], 2))
    return rounded(found)


def draw_boxes(numbers: Numbers, kind: str) -> Figure:
    """What `boxes` draws, of `box_numbers`: panels below one another."""
    names, rows = names_of(numbers, "panel"), ROWS[kind]
    size = (6.4, 2.3 * len(names) + 0.5)
    figure, axes = plt.subplots(len(names), 1, figsize=size, sharex=True, squeeze=False)
    what = "words" if kind == "erased" else "attention"
    for ax, name in zip(axes[:, 0], names, strict=True):
        texts = [counts(numbers, (name, r, "texts"), 1)[0] for r in rows]
        shown = [_box_of(numbers, name, r, n) for r, n in zip(rows, texts, strict=True)]
        means = {"marker": "D", "markersize": 4, "markerfacecolor": PAPER, "markeredgecolor": INK}
        look = {"meanprops": means, "medianprops": {"color": INK}}
        look["flierprops"] = {"marker": ".", "markersize": 3, "markeredgecolor": LINE}
        drawn = ax.bxp(shown, orientation="horizontal", widths=0.6, patch_artist=True, showmeans=True, **look)
        at = {"xycoords": ("axes fraction", "data"), "va": "center", "color": NOTE, "annotation_clip": False}
        ax.annotate("mean", (1.01, 0.35), **at)
        for i, box in enumerate(shown, 1):
            if not np.isnan(box["mean"]):
                ax.annotate(percent(box["mean"]), (1.01, i), **at)
        for row, box in zip(rows, drawn["boxes"], strict=True):
            box.set(facecolor=SERIES[LOOKS[row]], hatch=HATCHES[LOOKS[row]], edgecolor=INK, alpha=0.7)
        of_same = len({*texts}) == 1
        labels = [CALLED.get(r, r) for r in rows]
        if not of_same:
            labels = [f"{label}\n{n:.0f} texts flip" for label, n in zip(labels, texts, strict=True)]
        ax.set_yticks(range(1, len(labels) + 1), labels)
        each = f" ({texts[0]:.0f} texts)" if of_same else ""
        ax.set(xlim=(-0.02, 1.02), title=title_of(name) if len(names) > 1 else "")
        ax.set_xlabel(f"share of {what} erased until the decision flips{each}")
        ax.invert_yaxis()
    return figure


def _box_of(numbers: Numbers, name: str, ranking: str, texts: float) -> dict:
    """The box of so many texts, as matplotlib's `bxp` wants it; of none one of NaN, which isn't seen."""
    box = ordered(numbers, (name, ranking, "box"), len(BOX) if texts else 0)
    mean = series(numbers, (name, ranking, "mean"), 1 if texts else 0)
    known = [*box, *mean] if texts else [np.nan] * (len(BOX) + 1)
    outliers = series(numbers, (name, ranking, "outliers"))
    return dict(zip((*BOX, "mean"), known, strict=True)) | {"fliers": outliers}


# What the numbers of `SAYS` are called on a narrow page.
SHORT = dict(
    zip(SAYS, ("ΔJSD of the top word", "saved against random", "saved against optimum"), strict=True)
)


def says(tables: dict[str, pd.DataFrame], resamples: int, seed: int) -> Figure:
    """What attention says in each model: mean and 95 % interval; filled where states know their context.

    tables: a row an encoder, by its name; a panel a number.
    """
    figure, axes = plt.subplots(len(SAYS), 1, figsize=(7, len(SAYS) * (0.28 * len(tables) + 0.9)))
    titles = {"saved against random": "words saved against random orders (share)",
              "saved against optimum": "words saved against the optimum (share; 0 at most)",
              "ΔJSD of the top word": "ΔJSD of the predictions: top word minus another (nats)"}  # fmt: skip
    for ax, (label, of) in zip(axes, SAYS.items(), strict=True):
        for i, (name, table) in enumerate(tables.items()):
            values = of(table).dropna().to_numpy()
            low, high = stats.interval(values, resamples, seed)
            mean = values.mean() if len(values) else np.nan
            known = encoder_called(name).contextual
            ax.errorbar(mean, i, xerr=[[mean - low], [high - mean]], fmt="o" if known else "s", capsize=3,
                        color=SERIES[0 if known else 1], fillstyle="full" if known else "none",
                        label="states know their context" if known else "states don't")  # fmt: skip
        ax.axvline(0, color=LINE, linewidth=0.8)
        ax.set_xlabel(titles[SHORT[label]])
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.set_yticks(range(len(tables)), [title_of(name) for name in tables])
        ax.margins(y=0.25)
        ax.invert_yaxis()
    handles = dict(zip(*axes[0].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    return figure


def word_and_change(words: list[str], weights: dict[str, np.ndarray]) -> Figure:
    """A text's words with their weights, and what erasing each changes, each in its colour of this chapter.

    weights: `show.erasure.weights_and_changes`'s.
    """
    return word_rows(words, weights, colours=(SERIES[LOOKS["attention"]], NOTE))


def to_the_flip(
    ways: dict[str, list[np.ndarray]], flips: list[bool], words: dict[str, list[str]], n_classes: int
) -> Figure:
    """The decision's probability as words are erased, until it flips, a line an order. It fits a phone.

    ways: `show.erasure.ways`'s; flips: which of the random ones flip, whose ends are marked; words: those of
    attention's order and of the product's, up to the flip; n_classes: of two, where the decision flips is
    drawn, too.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 3.1))
    for name, lines in ways.items():
        colour = SERIES[LOOKS[name]]
        for i, line in enumerate(lines):
            look = {"marker": SHAPES[name], "markersize": 4.5, "linewidth": 1.4, "zorder": 3}
            if name == "random":
                look |= {"linewidth": 0.6, "zorder": 1, "markevery": [len(line) - 1] if flips[i] else []}
            ax.plot(np.arange(len(line)), line, color=colour, **look)
    labels = {
        "attention": ("attention", (7, 0), "left"),
        "product": ("gradient ×\nattention", (7, 0), "left"),
    }
    for name, (called, offset, side) in labels.items():
        [line] = ways[name]
        at = {"textcoords": "offset points", "xytext": offset, "ha": side, "va": "center", "fontsize": SMALL}
        ax.annotate(called, (len(line) - 1, line[-1]), color=SERIES[LOOKS[name]], **at)
    above = {"xycoords": "axes fraction", "ha": "right", "va": "bottom", "fontsize": SMALL}
    ax.annotate("random orders", (1, 1.01), color=SERIES[LOOKS["random"]], **above)
    for k, word in enumerate(words["attention"], 1):
        above = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": SMALL}
        ax.text(k, 1.05, word, color=SERIES[LOOKS["attention"]], **above)
    [line] = ways["product"]
    for k, word in enumerate(words["product"] if len(words["product"]) <= BESIDE else (), 1):
        beside = {"textcoords": "offset points", "xytext": (-5, -2), "ha": "right", "va": "top"}
        ax.annotate(word, (k, line[k]), color=SERIES[LOOKS["product"]], fontsize=SMALL, **beside)
    if n_classes == 2:
        ax.axhline(0.5, color=LINE, linewidth=0.8, zorder=0)
        below = {"xycoords": ("axes fraction", "data"), "va": "top", "fontsize": SMALL, "color": NOTE}
        ax.annotate("flipped", (0.01, 0.49), **below)
    ax.set(ylim=(0, 1.03))
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set_xlabel("words erased", fontsize=SMALL)
    ax.set_ylabel("probability of the decision", fontsize=SMALL)
    return figure


# The rows of a figure of medians: the orders, and the best that can be done by words and by attention.
BESTS = {"optimal": "best order", "bound": CALLED["bound"]}


def medians(
    table: pd.DataFrame, best: str, what: str, dots: dict[str, dict[int, str]] | None = None
) -> Figure:
    """How much the orders erase until the decision flips: models as dots, medians large. It fits a phone.

    table: a row a model, with a column an order and the best, one of BESTS; what: `words` or `attention`;
    dots: by column, the names of the models whose dots have one.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 0.52 * (3 + table[best].notna().any()) + 0.9))
    rows = {"random": "random order", "attention": "attention's order", "product": CALLED["product"]}
    rows |= {best: BESTS[best]} if table[best].notna().any() else {}
    if len(table) > 1:
        models = [np.column_stack([of, np.arange(len(rows))]) for of in table[[*rows]].to_numpy(dtype=float)]
        ax.add_collection(LineCollection(models, colors=LINE, linewidths=0.5, alpha=0.5, zorder=0))
    for row, name in enumerate(rows):
        colour, values = SERIES[LOOKS[name]] if name in SHAPES else INK, table[name].dropna()
        if len(values) > 1:
            ax.plot(values, np.full(len(values), row), ".", color=colour, alpha=0.35, markersize=5)
        size = {"markersize": 8 if name in SHAPES else 13, "markeredgewidth": 2}
        ax.plot([values.median()], [row], SHAPES.get(name, "|"), color=colour, **size)
        above = {"ha": "center", "va": "center", "weight": "bold", "fontsize": SMALL, "color": colour}
        above["bbox"] = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.5}
        ax.text(values.median(), row - ABOVE, f"{values.median():.0%}", **above)
        for model, called in (dots or {}).get(name, {}).items():
            x = table.loc[model, name]
            ax.plot([x], [row], ".", color=colour, markersize=7)
            below = {"va": "top", "weight": "normal"}
            ax.text(x, row + 0.12, called.replace(", ", ",\n"), **above | below)
    ax.set_yticks(range(len(rows)), [*rows.values()], fontsize=SMALL)
    for label, name in zip(ax.get_yticklabels(), rows, strict=True):
        label.set_color(SERIES[LOOKS[name]] if name in SHAPES else INK)
    ax.set(xlim=(0, 1), ylim=(len(rows) - (0 if best in (dots or {}) else 0.5), -0.75))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set_xlabel(f"share of {what} erased until the decision flips", fontsize=SMALL, x=1, ha="right")
    return figure


def erased_on_real_text(table: pd.DataFrame) -> Figure:
    """The share of words erased until the decision flips, a row a model of real text, a mark a ranking.

    The optimum only where it isn't nearly the product. table: corpus, profile, encoder, texts, all, seeds,
    the rankings' shares with their intervals (`low_attention`, `high_attention`).
    """
    apart = table["product"] - table["optimal"] > NEAR
    table = table.assign(optimal=table["optimal"].where(apart))
    marks = {"random": "a random order", "attention": "attention", "product": CALLED["product"]}
    return _rows_of_models(table, marks, {"optimal": "optimal, where it differs"}, "words")


def attention_on_real_text(table: pd.DataFrame) -> Figure:
    """The share of attention erased until the decision flips, a row a model of real text, and the least.

    table: corpus, profile, encoder, texts, all, seeds, attention, product and random with their intervals
    (`low_attention`, `high_attention`), bound.
    """
    marks = {"random": "a random order", "attention": "attention", "product": CALLED["product"]}
    return _rows_of_models(table, marks, {"bound": CALLED["bound"]}, "attention")


def _rows_of_models(table: pd.DataFrame, marks: dict, best: dict, what: str) -> Figure:
    """What both draw: marks, each with its interval, and the best as a tick; a row a model, and medians."""
    rows = _places(table)
    end = rows[-1] + (2.2 if len(table) > 1 else 0)
    figure, ax = plt.subplots(figsize=(WIDTH, 0.33 * (end + 1) + 1.3))
    for name, called in marks.items():
        colour = SERIES[LOOKS[name]]
        low, high = table[f"low_{name}"], table[f"high_{name}"]
        ax.hlines(rows, low, high, color=colour, linewidth=2.5, alpha=0.6)
        filled = "full" if name == "attention" else "none"
        look = {"label": called, "color": colour, "markersize": 5.5, "fillstyle": filled}
        ax.plot(table[name], rows, SHAPES[name], **look)
    for name, called in best.items():
        if table[name].notna().any():
            look = {"color": INK, "markersize": 8, "markeredgewidth": 1.6, "linewidth": 0}
            ax.plot(table[name], rows, "|", label=called, **look)
    _name_models(ax, table, rows)
    if len(table) > 1:
        _draw_medians(ax, table[[*marks, *best]].dropna(axis="columns").median(), rows[-1] + 1.6)
    ax.set(xlim=(-0.02, 1.02), ylim=(end + 0.6, -0.6))
    said = f"share of {what} erased until the decision flips\n(lines: 95 % intervals)"
    ax.set_xlabel(said, fontsize=SMALL)
    ax.tick_params(top=True, labeltop=True)  # the figure is tall
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    legend_below(figure, ax, 4)
    return figure


SHAPES = {"random": "D", "attention": "^", "product": "s"}  # the marks of rankings
LEAST = 0.11  # of the axis: numbers beside one another are so far apart


def _draw_medians(ax, medians: pd.Series, row: float) -> None:
    """A row of the medians over the models, each with its number below it, under a line."""
    ax.axhline(row - 0.9, color=LINE, linewidth=0.8)
    medians = medians.sort_values()
    for (name, value), at in zip(medians.items(), _apart(medians.to_numpy()), strict=True):
        colour = SERIES[LOOKS[name]] if name in SHAPES else INK
        filled = "full" if name == "attention" else "none"
        size = {"markersize": 6 if name in SHAPES else 8, "markeredgewidth": 1.6}
        ax.plot([value], [row], SHAPES.get(name, "|"), color=colour, fillstyle=filled, **size)
        below = {"ha": "center", "va": "center", "color": INK, "weight": "bold", "fontsize": SMALL}
        ax.text(at, row + 0.6, f"{value:.0%}", **below)


def _apart(places: np.ndarray) -> np.ndarray:
    """Sorted places, those nearer to one another than LEAST pushed apart by the same to either side."""
    places = places.astype(float)
    for _ in range(20):
        short = np.maximum(LEAST - np.diff(places), 0) / 2
        places[:-1] -= short
        places[1:] += short
    return places


def _knows(table: pd.DataFrame) -> np.ndarray:
    """In which models the states know their neighbours."""
    return np.array([encoder_called(name).contextual for name in table["encoder"]], dtype=bool)


def _places(table: pd.DataFrame) -> np.ndarray:
    """Where the rows stand: under a heading, of two kinds of models each under its own."""
    knows = _knows(table)
    return np.arange(len(table)) + 1 + (~knows if len({*knows}) == 2 else 0)


def _name_models(ax, table: pd.DataFrame, rows: np.ndarray) -> None:
    """Name the rows of a figure by model and protocol; opposite how many texts of all, and seeds."""
    units = {"han": " (sentences)"}
    labels = [
        f"{row.corpus}, {title_of(row.encoder)}{units.get(row.encoder, '')}, "
        f"{PROTOCOLS.get(row.profile, row.profile)}"
        for row in table.itertuples()
    ]
    more = [(rows[-1] + 1.6, f"median of {len(table)} models")] if len(table) > 1 else []
    named_above(ax, [*rows, *(row for row, _ in more)], [*labels, *(name for _, name in more)], ABOVE)
    for label in ax.get_yticklabels()[len(labels) :]:
        label.set_fontweight("bold")
    at = {"xycoords": ("axes fraction", "data"), "va": "center", "color": NOTE, "fontsize": SMALL}
    ax.annotate("texts; seeds", (1, rows[0] - 1), ha="right", **at)
    for row, texts, every, seeds in zip(rows, table["texts"], table["all"], table["seeds"], strict=True):
        ax.annotate(f"{texts:,} of {every:,}; {seeds}", (1, row - ABOVE), ha="right", **at)
    knows, said = _knows(table), ("a state reads its own word only", "a state reads its neighbours, too")
    for kind in {*knows} if len({*knows}) == 2 else ():
        place = rows[knows == kind][0] - 1
        ax.annotate(said[int(kind)], (0, place), weight="bold", **at)
        if place > 0:
            ax.axhline(place - 0.5, color=LINE, linewidth=0.8)
