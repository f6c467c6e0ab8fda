"""Chapter 12: every model's answers, the claims, and numbers over corpora."""

import textwrap
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator

from heed.measures.registry import MEASURES
from heed.runs.products import declared
from heed.show.colours import GRID, INK, LINE, NOTE, PAPER, SERIES
from heed.show.figures.common import broken, legend_below, tint
from heed.show.style import LABELS
from heed.show.words import text_for
from heed.verdict.gathering import HERE

SPEAKS = {
    "for": (SERIES[2], "speaks for attention as an explanation"),
    "against": (SERIES[1], "speaks against it"),
    "open": (NOTE, "open"),
    "neither": (SERIES[3], "neither"),
}


def answers(table: pd.DataFrame, questions: dict[str, str]) -> Figure:
    """Every model's answer to every question, in words, with its number, and in colour.

    table: as `paper_tests.answers` makes it, of one answer at least; a row of the figure a corpus and model,
    in their order, with a heading above those that follow one another of one model, or of one corpus.
    questions: its columns, and the measure and border that stand below each. One seed decides nothing: its
    number stands pale and slanted, without an answer. What is clear after Holm's correction is bold.
    """
    models = table.drop_duplicates(["corpus", "model"]).reset_index(drop=True)
    models = models.assign(place=0.0, name="")
    # Of three questions it fits a phone.
    wide, beside, letter = (0.88, 0.92, 8.5) if len(questions) < 4 else (1, 1.3, 9.5)
    asked = [_head(question, border) for question, border in questions.items()]
    headings, place = {}, 0.0
    for heading, names, own in _groups(models):
        headings[place] = heading
        place += 0.8
        models.loc[own, "place"] = place + np.arange(len(own))
        models.loc[own, "name"] = names
        place += len(own)
    lines = max(head.count("\n") for head in asked) + 1
    size = wide * len(questions) + beside, 0.25 * place + 0.15 * lines + 0.4
    figure, ax = plt.subplots(figsize=size)
    columns = {name: j for j, name in enumerate(questions)}
    rows = models.set_index(["corpus", "model"])["place"]
    for cell in table[table["question"].isin(questions)].to_dict("records"):
        i, j = rows[cell["corpus"], cell["model"]], columns[cell["question"]]
        alone = cell["seeds"] == 1
        share = 0.08 if alone else 0.2 if cell["reading"] == "open" else 0.42
        colour = NOTE if alone else SPEAKS[cell["speaks"]][0]
        how = "1 seed" if alone else HOW[cell["speaks"]]
        box = plt.Rectangle((j - 0.47, i - 0.45), 0.94, 0.9, linewidth=0)
        box.set_facecolor(tint(colour, share))
        ax.add_patch(box)
        style = {"ha": "center", "va": "center", "color": INK} | _letters(cell)
        ax.text(j, i, f"{how} {cell['mean']:z.2f}".replace("-", "−"), fontsize=letter, **style)
    ax.set(xlim=(-0.5, len(questions) - 0.5), ylim=(place - 0.5, -0.6))
    ax.set_xticks(range(len(questions)), asked, fontsize=8.5)
    ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
    named = [
        f"{name} (yours)" if where == HERE else name
        for name, where in zip(models["name"], models["where"], strict=True)
    ]
    ax.set_yticks(models["place"], named, fontsize=9)
    for at, heading in headings.items():
        # Nothing else stands in its row: it may go on above the cells.
        ax.annotate(heading, (0.01, at - 0.1), xycoords=("figure fraction", "data"), va="center",
                    fontsize=9, weight="bold").set_in_layout(False)  # fmt: skip
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return figure


@dataclass(frozen=True)
class Panel:
    """A test as a column of `tests`: its question, border, whether more passes, and the axis's ends."""

    question: str
    read_by: str  # the measure and its border, in words
    border: float
    more_passes: bool
    ends: tuple[float, float]
    chance: float | None = None  # what attention that knows nothing would come to


def tests(table: pd.DataFrame, panels: list[Panel], wide: bool = False) -> Figure:
    """Every model's number in every test, with its interval over seeds, beside the border.

    It fits a phone, or if `wide` a wide screen, and then tells the number of seeds, too.

    table: as for `answers`, of one answer at least to the panels' questions. A column a panel; below a
    model's name its corpora. What passes is shaded, dotted what chance would come to; colours are the
    matrix's, and what is clear after Holm's correction is bold. One seed is hollow: it decides nothing; a
    dash: not asked. An interval that goes on beyond its panel ends in an arrow.
    """
    models = table.drop_duplicates(["corpus", "model"]).reset_index(drop=True)
    named, headings, place = {}, {}, 0.0
    for model, own in models.groupby("model", sort=False):
        headings[place] = text_for(model, "figure")
        for k, row in enumerate(own.to_dict("records")):
            mine = " (yours)" if row["where"] == HERE else ""
            named[row["corpus"], model] = (place + 0.8 + k, f"{text_for(row['corpus'], 'figure')}{mine}")
        place += 0.8 + len(own)
    letters = 24 if wide else 13
    heads = [
        _head(f"{number}. {panel.question}", panel.read_by, letters) for number, panel in enumerate(panels, 1)
    ]
    lines = max(head.count("\n") for head in heads) + 1
    size = 1.25 + (1.85 if wide else 0.82) * len(panels), 0.2 * place + 0.14 * lines + 0.75
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False)
    for ax, panel, head in zip(axes[0], panels, heads, strict=True):
        low, high = panel.ends
        passes = (panel.border, high) if panel.more_passes else (low, panel.border)
        ax.axvspan(*passes, color=tint(SPEAKS["for"][0], 0.18), linewidth=0, zorder=0)
        ax.axvline(panel.border, color=INK, linewidth=0.8, linestyle="--", zorder=1)
        if panel.chance is not None:
            ax.axvline(panel.chance, color=LINE, linewidth=0.8, linestyle=":", zorder=1)
        cells = table[table["question"] == panel.question].to_dict("records")
        for cell in cells:
            _number_and_interval(ax, cell, named[cell["corpus"], cell["model"]][0], panel.ends, wide)
        for model in {*named} - {(cell["corpus"], cell["model"]) for cell in cells}:
            ax.annotate("–", (1.07 if wide else 1.14, named[model][0]), xycoords=("axes fraction", "data"),
                        va="center", fontsize=8, color=NOTE)  # fmt: skip
        ax.set(xlim=panel.ends, ylim=(place - 0.5, -0.6))
        ax.set_title(head, fontsize=8, pad=4)
        ticks = [low, panel.border, high] if wide else [low, high]
        if wide and panel.chance is not None:
            ticks = sorted([panel.chance, panel.border, high])
        ax.set_xticks(ticks, [f"{x:.2g}".replace("-", "−") for x in ticks], fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    axes[0, 0].set_yticks(*zip(*named.values(), strict=True), fontsize=8.5)
    clear = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}  # a heading may reach over the first panel
    for at, heading in headings.items():
        axes[0, 0].annotate(heading, (0.01, at - 0.1), xycoords=("figure fraction", "data"), va="center",
                            fontsize=9, weight="bold", bbox=clear).set_in_layout(False)  # fmt: skip
    look = {"linewidth": 0, "marker": "o"}
    marks = [Line2D([], [], color=SPEAKS[kind][0], label=HOW[kind], **look) for kind in HOW]
    marks.append(Line2D([], [], color=NOTE, fillstyle="none", label="one seed", **look))
    look = {"loc": "outside lower center", "ncols": 4, "columnspacing": 0.9, "handletextpad": 0.1}
    legend = figure.legend(handles=marks, **look)
    if wide:
        title = "lines: 95% intervals over seeds, whose number is in brackets"
        legend.set_title(title, prop={"size": 8})
    return figure


def _number_and_interval(ax, cell: dict, y: float, ends: tuple[float, float], wide: bool) -> None:
    """One answer in its panel: a dot, a line as far as the axis goes, and beside the panel the number, and in
    brackets the seeds."""
    alone = cell["seeds"] == 1
    colour = NOTE if alone else SPEAKS[cell["speaks"]][0]
    if not alone:
        ax.hlines(y, *np.clip([cell["low"], cell["high"]], *ends), color=colour, linewidth=1.5, zorder=2)
        goes_on = cell["low"] < ends[0], cell["high"] > ends[1]
        for end, mark, beyond in zip(ends, "<>", goes_on, strict=True):
            if beyond:
                ax.plot(end, y, mark, markersize=3, color=colour, clip_on=False, zorder=2)
    fill = "none" if alone else "full"
    ax.plot(cell["mean"], y, "o", markersize=4.5, color=colour, fillstyle=fill, clip_on=False, zorder=3)
    number = f"{cell['mean']:z.2f}".replace("-", "−")
    at = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8, "color": INK}
    ax.annotate(f"{number} ({cell['seeds']})" if wide else number, (1.07 if wide else 1.14, y), **at,
                **_letters(cell))  # fmt: skip


def _letters(cell: dict) -> dict[str, str]:
    """How an answer's number is written: slanted of one seed, bold if clear after Holm's correction."""
    alone = cell["seeds"] == 1
    kept = not alone and cell["speaks"] != "open" and cell["holm"] < 0.05
    return {"style": "italic" if alone else "normal", "weight": "bold" if kept else "normal"}


def _head(question: str, border: str, letters: int = 13) -> str:
    """A column's head on narrow lines; the border's sign and number stay together."""
    border = f"({border})".replace("> ", ">\u00a0").replace("≤ ", "≤\u00a0")
    return "\n".join(textwrap.fill(text, letters, break_long_words=False) for text in (question, border))


# What a cell of the matrix says, of several seeds.
HOW = {"for": "passes", "against": "fails", "open": "open"}


def _groups(models: pd.DataFrame):
    """The rows that stand together, as (heading, names, index): of one model, or of one corpus.

    A row alone stands by its corpus, as those around it do, but at the top.
    """
    corpora = [text_for(name, "figure") for name in models["corpus"]]
    called = [text_for(name, "figure") for name in models["model"]]
    start = 0
    while start < len(models):
        ends = [start + 1, start + 1]
        for kind, values in enumerate((called, corpora)):
            while ends[kind] < len(models) and values[ends[kind]] == values[start]:
                ends[kind] += 1
        end, own = max(ends), models.index[start : max(ends)]
        is_alone = end == start + 1
        if ends[0] == end and (start == 0 or not is_alone):
            yield called[start], corpora[start:end], own
        else:
            others = "another model" if is_alone else "other models"
            yield f"{corpora[start]}, {others}", called[start:end], own
        start = end


def claims(counts: pd.DataFrame, unit: str) -> Figure:
    """On how many each claim holds (coloured), doesn't (hatched), or is open; a bar a claim, below its words.

    counts: columns topic, speaks (if it holds: for attention, against or neither), yes, no and open, by the
    claim's text, in the figure's order; a topic's stand together, under its name. Where there are `yes, after
    Holm` and `no, after Holm`, so many are stronger. unit: what is counted. Colours are the matrix's; greys
    where claims speak for neither. It fits a phone.
    """
    starts = ~counts["topic"].duplicated().to_numpy()
    texts = [_balanced(text, 50) for text in counts.index]
    lines = np.array([text.count("\n") + 1 for text in texts])
    places = np.cumsum(1.2 * starts + 0.85 * lines + 1) - 0.5  # of the bars; one is a line high
    figure, ax = plt.subplots(figsize=(3.7, 0.19 * (places[-1] + 1) + 1))
    for place, row in zip(places, counts.to_dict("records"), strict=True):
        left, speaks = 0, row["speaks"]
        for name, kind in (("yes", speaks), ("no", "no"), ("open", "open")):
            surer = row.get(f"{name}, after Holm", 0)
            for count, shades, ink in ((surer, SURER, PAPER), (row[name] - surer, SHADES, INK)):
                if not count:
                    continue
                hatch = {"hatch": HATCH, "edgecolor": shades[kind], "linewidth": 0} if kind == "no" else {}
                colour, ink = (PAPER, INK) if hatch else (shades[kind], ink)
                ax.barh(place, count, left=left, height=0.9, color=colour, **hatch)
                box = {"facecolor": colour, "edgecolor": "none", "pad": 2 if hatch else 1}
                look = {"ha": "center", "va": "center", "fontsize": 8.5, "bbox": box}
                ax.text(left + count / 2, place, f"{count:.0f}", color=ink, **look)
                left += count
    look = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    for place, text, height in zip(places, texts, lines, strict=True):
        ax.annotate(text, (0.01, place - 0.5 - 0.42 * height), fontsize=8, linespacing=1.1, **look)
    for place, topic, height in zip(places[starts], counts["topic"][starts], lines[starts], strict=True):
        ax.annotate(topic, (0.01, place - 1 - 0.85 * height), fontsize=9, weight="bold", **look)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set(ylim=(places[-1] + 0.7, -0.1), xlabel=unit)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    sides = {"against": "holds: against attention", "for": "holds: for attention"}
    if (counts["speaks"] == "neither").all():
        sides = {"neither": "holds"}
    keys = {called: Patch(color=SHADES[kind]) for kind, called in sides.items()}
    keys["doesn't hold"] = Patch(facecolor=PAPER, hatch=HATCH, edgecolor=SHADES["no"], linewidth=0)
    keys["open"] = Patch(color=SHADES["open"])
    if "yes, after Holm" in counts:
        doesnt = Patch(facecolor=PAPER, hatch=HATCH, edgecolor=SURER["no"], linewidth=0)
        keys["stronger: sure (after Holm)"] = (*(Patch(color=SURER[kind]) for kind in sides), doesnt)
    narrow = {"ncols": 2, "columnspacing": 0.9, "handlelength": 1.3, "handletextpad": 0.5, "fontsize": 8}
    beside = {tuple: HandlerTuple(ndivide=None, pad=0)}
    place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1), "borderaxespad": 0}
    ax.legend(keys.values(), keys.keys(), handler_map=beside, **place, **narrow)
    return figure


HATCH = "////"
# What a bar of claims is filled with, by what its answers speak for.
SHADES = {
    **{kind: tint(SPEAKS[kind][0], 0.42) for kind in ("for", "against")},
    "neither": tint(INK, 0.3),
    "no": tint(NOTE, 0.6),
    "open": tint(NOTE, 0.2),
}
SURER = {**{kind: SPEAKS[kind][0] for kind in ("for", "against")}, "neither": tint(INK, 0.7), "no": INK}


def _balanced(text: str, width: int) -> str:
    """A text on as few lines as this width needs, none of them left nearly empty."""
    lines = len(textwrap.wrap(text, width))
    while width > 12 and len(textwrap.wrap(text, width - 1)) == lines:
        width -= 1
    return textwrap.fill(text, width)


MARKS = {"bilstm": "o", "average": "s", "cnn": "^"}


def dumbbells(table: pd.DataFrame) -> Figure:
    """Published means and ours, a line a corpus, encoder and source; what lies furthest apart first.

    table: as `verdict.by_corpus` makes it, of one row at least. Hollow: published; filled: ours, with the
    range of its seeds. It fits a phone.
    """
    declared()  # so that each measure's label is known
    table = table.assign(off=(table["ours"] - table["reported"]).abs())
    scores = table["measure"].isin(["f1", "accuracy"])
    kinds = [("τ, attention and gradient", table["measure"] == "tau_gradient")]
    kinds += [("τ, attention and leave-one-out", table["measure"] == "tau_loo"), ("F1 or accuracy", scores)]
    kinds = [(label, table[which].sort_values("off", ascending=False)) for label, which in kinds]
    kinds = [(label, own) for label, own in kinds if len(own)]
    heights = [len(own) + 0.4 for _, own in kinds]
    figure, axes = plt.subplots(
        len(kinds), 1, figsize=(3.7, 0.19 * sum(heights) + 0.55 * len(kinds) + 1.2), sharex=True,
        squeeze=False, height_ratios=heights,
    )  # fmt: skip
    for ax, (label, own) in zip(axes[:, 0], kinds, strict=True):
        for y, row in enumerate(own.to_dict("records")):
            inside = round(row["low"], 2) <= row["reported"] <= round(row["high"], 2)
            colour = NOTE if row["seeds"] == 1 else SERIES[0] if inside else SERIES[1]
            ax.plot([row["reported"], row["ours"]], [y, y], color=LINE, linewidth=1, zorder=1)
            ax.plot([row["low"], row["high"]], [y, y], color=colour, linewidth=3, alpha=0.5, zorder=2)
            ax.plot(row["reported"], y, "o", color=INK, fillstyle="none", markersize=6, zorder=3)
            ax.plot(row["ours"], y, "o", color=colour, markersize=5, zorder=4)
        names = [_of_source(row) for row in own.to_dict("records")]
        ax.set_yticks(range(len(own)), names, fontsize=7.5)
        least = min(0, table[["reported", "low"]].min(axis=None) - 0.02)
        ax.set(ylim=(len(own) - 0.4, -0.6), xlim=(least, 1.03))
        ax.set_title(label, fontsize=8.5, loc="left")
        ax.grid(axis="x", color=GRID)
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", labelbottom=True, labelsize=7.5)
    first = axes[0][0]
    first.plot([], [], "o", color=INK, fillstyle="none", label="published")
    first.plot([], [], "o-", color=SERIES[0], label="ours: published within our range")
    first.plot([], [], "o-", color=SERIES[1], label="ours: published outside our range")
    first.plot([], [], "o", color=NOTE, label="ours: one seed")
    legend_below(figure, first, 1)
    return figure


def _of_source(row: dict) -> str:
    seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds"
    of_site = ", site" if row["source"] == "site" else ""
    name = text_for(row["corpus"], "figure")
    return f"{name}, {LABELS[row['encoder']]}{of_site} ({seeds})"


def reached(table: pd.DataFrame, own: str, chance: str) -> Figure:
    """Which share of the published numbers lies in our seeds' range, beside what is expected, by corpus.

    table: as `annex.beside` makes it, of one row at least; own: its column of the profiles' own vectors;
    chance: that of how far off one may be by chance. It fits a phone.
    """
    figure, ax = plt.subplots(figsize=(3.7, 0.3 * len(table) + 1.3))
    for y, row in enumerate(table.to_dict("records")):
        inside, expected, plain = (row[name] / row["compared"] for name in ("within", "expected", own))
        off = row[chance] / row["compared"]
        ends = max(expected - off, 0), min(expected + off, 1)
        ax.hlines(y, *ends, color=GRID, linewidth=7, zorder=1)
        ax.plot(expected, y, "|", color=INK, markersize=9, zorder=2)
        if plain != inside:
            ax.plot(plain, y, "x", color=NOTE, markersize=5, zorder=3)
        ax.plot(inside, y, "o", color=SERIES[0], markersize=5, zorder=4)
    several = table["corpus"].duplicated(keep=False)
    profile = (", " + table["profile"]).where(several, "")
    counts = ": " + table["within"].astype(str) + " of " + table["compared"].astype(str)
    how = (" (" + table["than expected"] + ")").mask(table["than expected"] == "as many", "")
    names = table["corpus"].map(lambda name: text_for(name, "figure")) + profile + counts + how
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=(-0.04, 1.04))
    ax.set_xticks([0, 0.5, 1], ["none", "half", "all"])
    ax.grid(axis="x", color=GRID)
    ax.tick_params(axis="y", length=0)
    ax.plot([], [], "o", color=SERIES[0], label="in our seeds' range")
    ax.plot([], [], "|", color=INK, markersize=9, label="expected")
    ax.hlines([], 0, 0, color=GRID, linewidth=7, label="by chance (± 2 s.d.)")
    ax.plot([], [], "x", color=NOTE, label="with own vectors")
    legend_below(figure, ax, 2)
    return figure


def by_corpus(
    table: pd.DataFrame,
    labels: dict[str, str],
    lines: dict[str, float] | None = None,
    alike: bool = False,
    groups: dict[str, str] | None = None,
    least: float | None = None,
    is_narrow: bool = False,
    most: float | None = None,
    is_alone_hollow: bool = False,
) -> Figure:
    """Numbers over corpora: a panel a measure, a point a model (mean over seeds, bar from lowest to highest).

    table: corpus, model, measure, mean (one row a seed), models in order. labels: measure to its axis label,
    in order; two panels at most stand side by side. lines: measure to a value to be held against, dashed.
    alike: all measures are of one kind, so that their panels share their ends. groups: corpus to the heading
    under which it stands; headings in order. least: where all panels begin, or earlier. most: where they end.
    is_narrow: as wide as a phone, the legend above. is_alone_hollow: a mark of one seed is hollow, where
    others are of several.
    """
    corpora, models = sorted(set(table["corpus"])), list(dict.fromkeys(table["model"]))
    kinds = zip((SERIES * 2)[:10], "osD^vPsDov", ["full"] * 3 + ["none"] * 7, strict=True)  # no two alike
    looks = [{"color": colour, "marker": marker, "fillstyle": fill} for colour, marker, fill in kinds]
    columns = min(len(labels), 2)
    rows = -(-len(labels) // columns)
    headings, place = {}, {}
    if groups:
        corpora.sort(key=lambda corpus: ([*groups.values()].index(groups[corpus]), corpus))
    for corpus in corpora:
        if groups and groups[corpus] not in headings.values():
            headings[len(place) + 0.6 * len(headings)] = groups[corpus]
        place[corpus] = len(place) + 0.6 * len(headings)
    several = table.groupby(["corpus", "model", "measure"]).size().max()
    lowest = table.loc[table["measure"].isin(labels), "mean"].min()
    top, end = -0.6, len(corpora) + 0.6 * len(headings) - 0.4
    height = rows * (0.11 * (end - top - 0.2) * (len(models) + 1.5) + 0.7) + 0.6
    size = 3.7 if is_narrow else 7.2 if columns == 2 else 5.6, height
    figure, axes = plt.subplots(rows, columns, figsize=size, sharex=alike, sharey=True, squeeze=False)
    for ax in axes.flat[len(labels) :]:
        ax.set_axis_off()
    for ax, (measure, label) in zip(axes.flat, labels.items(), strict=False):
        own = table[table["measure"] == measure].groupby(["corpus", "model"])["mean"]
        for (corpus, model), values in own:
            i = models.index(model)
            y = place[corpus] + (i - (len(models) - 1) / 2) / (len(models) + 1)
            ax.plot([values.min(), values.max()], [y, y], color=looks[i % 10]["color"], linewidth=1.2)
            alone = {"fillstyle": "none"} if is_alone_hollow and len(values) == 1 < several else {}
            ax.plot(values.mean(), y, linestyle="none", markersize=4, **looks[i % 10] | alone)
        if lines and measure in lines:
            ax.axvline(lines[measure], color=NOTE, linewidth=0.8, linestyle="--")
        for corpus in corpora[1:]:
            ax.axhline(place[corpus] - 0.5, color=GRID)
        ax.set(ylim=(end, top))
        written, letters = (
            (textwrap.fill(label, 40 // columns), "small") if is_narrow else (broken(label), None)
        )
        ax.set_xlabel(written, fontsize=letters)
        if least is not None:
            ax.set_xlim(left=min(least, lowest) - 0.02)  # room for a mark that lies there
        if most is not None:
            ax.set_xlim(right=most + 0.02)
            ax.xaxis.set_major_locator(FixedLocator([0, most / 2, most]))
            ax.xaxis.set_major_formatter("{x:g}")
        ax.grid(axis="x", color=GRID)
    for row in axes:
        row[0].set_yticks([*place.values()], [text_for(corpus, "figure") for corpus in corpora])
        for y, heading in headings.items():
            row[0].annotate(heading, (0, y - 0.1), (-6, 0), xycoords=("axes fraction", "data"),
                            textcoords="offset points", ha="right", va="center", weight="bold")  # fmt: skip
    if len(models) > 1:
        for i, model in enumerate(models):
            axes[0][0].plot([], [], label=text_for(model, "figure"), **looks[i % 10])
        if is_narrow:
            near = {"handlelength": 1, "columnspacing": 1, "handletextpad": 0.4, "borderaxespad": 0.2}
            place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 3, "fontsize": "small"}
            axes[0][0].legend(**place, **near).set_in_layout(False)  # it reaches over the next panel
            axes[0][0].set_title("\n".join(["\u00a0"] * -(-len(models) // 3)), fontsize="medium")  # its room
        else:
            legend_below(figure, axes[0][0], 3)
    return figure


def readings(table: pd.DataFrame, borders: dict[str, float]) -> Figure:
    """Each test's number on each corpus beside its border: a panel a test, coloured by what it speaks for.

    table: `paper_tests.readings`' that have a run, of one at least. borders: of each test, in order; drawn
    dashed. A bar is the 95 % interval of the mean over seeds; a mark of one seed is hollow.
    """
    tests = [test for test in borders if test in set(table["test"])]
    corpora = list(dict.fromkeys(table["corpus"]))
    columns = 2 if len(tests) in (2, 4) else min(len(tests), 3)
    rows = -(-len(tests) // columns)
    size = 7.4 if columns > 1 else 5.6, rows * (0.19 * len(corpora) + 1.1) + 0.4
    figure, axes = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for ax in axes.flat[len(tests) :]:
        ax.set_axis_off()
    for ax, test in zip(axes.flat, tests, strict=False):
        ax.axvline(borders[test], color=NOTE, linewidth=0.8, linestyle="--")
        for row in table[table["test"] == test].to_dict("records"):
            y, colour = corpora.index(row["corpus"]), SPEAKS[row["speaks"]][0]
            ax.plot([row["low"], row["high"]], [y, y], color=colour, linewidth=1.5)
            fill = "none" if row["seeds"] == 1 else "full"
            ax.plot(row["mean"], y, "o", markersize=4.5, color=colour, fillstyle=fill)
        title = f"{textwrap.fill(test, 68 // columns)}\n(border {borders[test]:g})"
        ax.set_title(title, loc="left", fontsize=8)
        ax.set(ylim=(len(corpora) - 0.5, -0.5))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.grid(axis="y", color=GRID)
    for row in axes:
        row[0].set_yticks(range(len(corpora)), [text_for(corpus, "figure") for corpus in corpora])
    for kind in SPEAKS:
        if (table["speaks"] == kind).any():
            axes[0][0].plot([], [], "o-", markersize=4.5, color=SPEAKS[kind][0], label=SPEAKS[kind][1])
    if (table["seeds"] == 1).any():
        axes[0][0].plot([], [], "o", markersize=4.5, color=INK, fillstyle="none", label="of one seed")
    legend_below(figure, axes[0][0], 3)
    return figure


SCORES = {"f1": "F1"}


def before_and_after(cells: pd.DataFrame) -> Figure:
    """Our means less the published ones, with the profile's own vectors and with general ones.

    cells: as `verdict.before_and_after` makes them; its means and scores alone. A line a published cell, a
    panel a measure; a bar goes from our lowest seed to the highest, so a cell whose bar reaches 0 lies within
    (filled).
    """
    declared()  # so that each measure's label is known
    cells = cells[cells["statistic"] == "mean"]
    kinds = sorted(set(cells["measure"]))
    sizes = [(cells["measure"] == measure).sum() + 0.4 for measure in kinds]
    size = 6.6, 0.3 * sum(sizes) + 0.95 * len(kinds) + 0.9
    figure, axes = plt.subplots(
        len(kinds), 1, figsize=size, sharex=True, squeeze=False, height_ratios=sizes
    )  # fmt: skip
    for ax, measure in zip(axes.flat, kinds, strict=True):
        own = cells[cells["measure"] == measure]
        own = own.sort_values(["encoder", "source", "corpus", "class"], kind="stable")
        for y, cell in enumerate(own.to_dict("records")):
            for when, colour, by in (("before", NOTE, -0.17), ("after", SERIES[0], 0.17)):
                low, mean, high = (cell[f"{end}_{when}"] - cell["reported"] for end in ("min", "mean", "max"))
                ax.plot([low, high], [y + by, y + by], color=colour, linewidth=1.5)
                fill = "full" if cell[f"cell_{when}"] == "within" else "none"
                ax.plot(mean, y + by, "o", color=colour, fillstyle=fill, markersize=4)
        ax.axvline(0, color=LINE, linewidth=0.8)
        ax.set_yticks(range(len(own)), [_cell(cell) for cell in own.to_dict("records")])
        ax.tick_params(axis="x", labelbottom=True)
        ax.set(ylim=(len(own) - 0.4, -0.6))
        ax.grid(axis="x", color=GRID)
        inside = [(own[f"cell_{when}"] == "within").sum() for when in ("before", "after")]
        called = MEASURES[measure].label if measure in MEASURES else SCORES.get(measure, measure)
        within = f"within: {inside[0]} of {len(own)} before, {inside[1]} after"
        ax.set_title(f"{called}\n({within})", loc="left", fontsize=9)
    axes[-1][0].set_xlabel("ours less the published")
    first = axes[0][0]
    first.plot([], [], color=NOTE, label="before: the profile's vectors")
    first.plot([], [], "o", color=INK, markersize=4, label="filled: the published number lies within")
    first.plot([], [], color=SERIES[0], label="after: general vectors")
    first.plot([], [], "o", color=INK, markersize=4, fillstyle="none", label="hollow: it lies outside")
    legend_below(figure, first, 2)
    return figure


def _cell(cell: dict) -> str:
    """What a published cell is called beside its line."""
    of_class = "" if cell["class"] == "overall" else f", class {cell['class']}"
    name = f"{LABELS[cell['encoder']]}, {text_for(cell['corpus'], 'figure')}{of_class}"
    return f"{name} ({'site' if cell['source'] == 'site' else 'paper'})"
