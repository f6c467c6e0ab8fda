"""Figures: every mean, group and class is there."""

import itertools
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from heed.measures.erasure import CHOICES
from heed.show import figures
from heed.show.figures.common import WIDTH, fullest
from heed.show.figures.verdict import Panel
from heed.show.figures.verdict import tests as draw_tests
from heed.show.words import SHOWN
from verdict_rows import of_runs, rows


@pytest.mark.parametrize("count", [0, 2, 8, 30])
def test_noise_is_drawn_of_any_number_of_classes(count):
    table = pd.DataFrame({"predicted": np.arange(40) % max(count, 1), "other_jsd": 0.1, "other_change": 0.2})
    figure = figures.noise(table, [f"c{c}" for c in range(count)])
    drawn = sum(len(points.get_offsets()) for points in figure.axes[0].collections)
    assert drawn == 40
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert len(labels) == len({*labels}) == (count if 0 < count <= len(figures.colours.CLASSES) else 1)
    plt.close(figure)


def test_no_class_of_the_noise_hides_another():
    """The classes are drawn by turns: the one of the last points isn't on top of all of the other."""
    table = pd.DataFrame({"predicted": np.arange(100) % 2, "other_jsd": 0.1, "other_change": 0.2})
    figure = figures.noise(table, ["a", "b"])
    colours = [tuple(points.get_facecolor()[0]) for points in figure.axes[0].collections]
    assert all(one != other for one, other in itertools.pairwise(colours)) and len(colours) > 2
    plt.close(figure)


def test_the_figure_of_the_rivals(finished):
    """Every rival is drawn, and what is reported with it."""
    points = finished.table("points")
    assert {*points["kind"]} == {*figures.RIVALS}
    figure = figures.opposition(points, points, top=0.5)
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert len(labels) == 2 * len(figures.RIVALS)
    plt.close(figure)


def test_many_answers_are_one_group_in_a_figure():
    figures.theme()
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"predicted": rng.integers(0, 30, 50), "max_attention": rng.random(50)})
    table = table.assign(found=rng.random(50) / 2, optimum=0.6, bound=0.65, tau_gradient=0.1, tau_loo=0.2)
    for classes in ([f"answer {i}" for i in range(30)], ()):
        for figure in (
            figures.correlations({"": table}, classes),
            figures.optimum_shares({"": table}, classes, exact=False),
            figures.violins({"": table}, "optimum", classes, (0, 0.7), exact=False),
        ):
            texts = [t.get_text() for legend in figure.legends for t in legend.get_texts()]
            assert texts in (["all texts"], [])
            assert not any("exact" in ax.get_xlabel() for ax in figure.axes)
            plt.close(figure)


def test_a_figure_over_corpora_shows_every_mean():
    table = pd.concat([rows(f1=[0.7, 0.9]), rows("imdb", f1=[0.8])]).assign(model="BiLSTM")
    ax = figures.by_corpus(table, {"f1": "F1"}, {"f1": 0.5}).axes[0]
    points = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [tuple(p) for p in points] == [(0.8, 0), (pytest.approx(0.8), 1)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["imdb", "sst"]
    plt.close("all")


def test_a_published_cell_is_filled_where_it_lies_within():
    """A panel a measure, with its counts, of means alone; a bar that reaches 0 is of a cell within."""
    cell = {
        "corpus": "sst",
        "class": "0",
        "encoder": "bilstm",
        "measure": "tau_gradient",
        "statistic": "mean",
    }
    cell |= {"source": "paper", "reported": 0.4, "cell_before": "outside", "cell_after": "within"}
    cell |= {"min_before": 0.2, "mean_before": 0.25, "max_before": 0.3}
    cell |= {"min_after": 0.35, "mean_after": 0.39, "max_after": 0.45}
    site = cell | {"source": "site", "class": "overall", "measure": "f1", "encoder": "average"}
    spread = cell | {"statistic": "std", "corpus": "a$_b$"}
    figure = figures.before_and_after(pd.DataFrame([cell, spread, site, cell | {"class": "1"}]))
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "F1\n(within: 0 of 1 before, 1 after)",
        "Kendall τ of attention and gradient\n(within: 0 of 2 before, 2 after)",
    ]
    marks = [line for line in figure.axes[1].lines if line.get_marker() == "o"]
    assert [mark.get_fillstyle() for mark in marks] == ["none", "full"] * 2
    assert [mark.get_xdata()[0] for mark in marks[:2]] == pytest.approx([-0.15, -0.01])
    names = [label.get_text() for ax in figure.axes for label in ax.get_yticklabels()]
    assert names == ["Average, sst (site)", "BiLSTM, sst, class 0 (paper)", "BiLSTM, sst, class 1 (paper)"]
    figure.canvas.draw()
    plt.close(figure)


def test_measures_are_drawn_against_length():
    """A row an encoder, a column a label, a line a kind or a measure, a point a seed."""
    rows = pd.concat([of_runs(seeds=(0, 1)), of_runs(encoder="cnn")], ignore_index=True)
    figure = figures.by_length(rows, {"τ": "tau_gradient_loo", "accuracy": "accuracy"})
    assert [ax.get_title() for ax in figure.axes[:2]] == ["τ", "accuracy"] and len(figure.axes) == 4
    assert [ax.get_ylabel() for ax in figure.axes[::2]] == ["BiLSTM", "CNN"]
    lines = [line for line in figure.axes[0].lines if line.get_linestyle() != "None"]
    assert len(lines) == 2 and [*lines[0].get_ydata()] == pytest.approx([0.795, 0.695, 0.595])
    points = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert sum(len(line.get_ydata()) for line in points) == 12
    assert [text.get_text() for text in figure.legends[0].texts] == ["word2vec", "random vectors"]
    narrow = figures.by_length(of_runs(), {"τ": "tau_loo"}, narrow=True)
    assert narrow.get_figwidth() < 4, "it fits a phone"
    figure = figures.by_length(rows, {"τ": "tau_gradient_loo"}, {"tau_gradient_loo": 0.25})
    assert [line.get_ydata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "--"][-1] == 0.25
    several = {"τ": {"one": "zeroing_first", "two": "zeroing_second"}, "share": {"inside": "saturated"}}
    figure = figures.by_length(rows, several)
    assert [text.get_text() for text in figure.legends[0].texts] == ["one", "two", "inside"]
    plt.close("all")


@given(st.data(), st.integers(1, 30), st.integers(1, 3), st.integers(1, 12))
def test_the_stretch_of_a_text_that_has_most(data, length, count, width):
    """No other stretch has more than a fiftieth more; where that is true of the first, it is the first."""
    some = st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=length, max_size=length)
    rows = [np.array(data.draw(some)) for _ in range(count)]
    part = fullest(rows, width)
    assert part.stop - part.start == min(width, length) and 0 <= part.start <= part.stop <= length
    sizes = [np.abs(row) / total for row in rows if (total := np.abs(row).sum()) > 0]
    lies = [sum(own[i : i + width].sum() for own in sizes) for i in range(max(length - width, 0) + 1)]
    assert lies[part.start] >= 0.98 * max(lies) - 1e-8
    assert part.start == 0 or lies[0] < 0.98 * max(lies) + 1e-8


def test_bars_of_a_long_text_stand_where_most_lies():
    """What two rankings point at, far from the beginning, is drawn; dots say that the text goes on."""
    words, own, other = [f"w{i}" for i in range(200)], np.full(200, 1 / 200), np.zeros(200)
    other[120] = 1
    figure = figures.bars(words, {"attention": own, "another": other})
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert len(labels) == SHOWN and labels[0] == "… w101" and labels[-1] == "w140 …"
    assert [bar.get_height() for bar in figure.axes[1].patches] == [0] * 19 + [1] + [0] * 20
    marked = figures.bars(words[:9], {"attention": own[:9], "another": other[:9]}, tops=True)
    assert [ax.lines[0].get_xdata()[0] for ax in marked.axes] == [own[:9].argmax(), other[:9].argmax()]
    short = figures.bars(words[:SHOWN], {"attention": own[:SHOWN]})
    assert [label.get_text() for label in short.axes[-1].get_xticklabels()] == words[:SHOWN]
    plt.close("all")


@pytest.mark.parametrize(("kinds", "panels"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (5, (3, 2))])
def test_rows_of_words_fit_a_phone(kinds, panels):
    """A row a word, also of a long text; what decides is bold."""
    words, weights = [f"w{i}" for i in range(50)], {f"kind {k}": np.arange(50) for k in range(kinds)}
    figure = figures.word_rows(words, weights, marked=np.arange(50) == 49)
    first = figure.axes[0]
    assert figure.get_figwidth() == WIDTH and first.get_subplotspec().get_gridspec().get_geometry() == panels
    assert [bar.get_width() for bar in first.patches] == [*range(10, 50)]
    labels = {label.get_text(): label.get_weight() for label in first.get_yticklabels()}
    assert len(labels) == SHOWN and [*labels][0] == "… w10"
    assert [name for name, weight in labels.items() if weight == "bold"] == ["w49"]
    figure.canvas.draw()
    coloured = figures.word_rows(words, weights, colours=("#102030", "#405060"))
    drawn = [to_hex(ax.patches[0].get_facecolor()) for ax in coloured.axes if ax.patches]
    assert drawn == (["#102030", "#405060"] * kinds)[:kinds]
    plt.close(coloured)
    plt.close(figure)


@pytest.mark.parametrize("least", [-0.2, 0.0])
def test_bars_of_single_weights_fill_the_panel(least):
    """Also where the other word's erasure never does more."""
    table = pd.DataFrame({f"delta_js_{choice}": [0.1, least] for choice in CHOICES})
    (ax,) = figures.single_weights(table, 0.001).axes
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(len(CHOICES), 3)
    np.testing.assert_allclose(widths, [[0.5, 0, 0.5] if least < 0 else [0.5, 0.5, 0]] * len(CHOICES))
    plt.close("all")


@pytest.mark.parametrize("lengths", [(0.3,), (2.5, 2.6), (1, 2, 4, 8, 16, 32, 64)])
def test_any_lengths_have_ticks(lengths):
    figure = figures.by_length(of_runs(lengths=lengths), {"τ": "tau_gradient_loo"})
    assert len(figure.axes[0].get_xticks()) > 0
    plt.close(figure)


def test_a_name_of_vectors_is_text():
    """A file's name may be anything: no mathematics is made of it."""
    figure = figures.by_length(of_runs(kinds=("a$_b$c.vec",)), {"τ": "tau_gradient_loo"})
    figure.canvas.draw()
    assert "a" in figure.legends[0].texts[0].get_text()
    plt.close(figure)


def test_answers_stand_in_words_and_in_colour():
    """A row a corpus and model; one seed is pale and slanted, without an answer; what has no run is empty."""
    answer = {"corpus": "sst", "model": "BiLSTM", "where": "carried", "question": "a?", "reading": "no"}
    answer |= {"mean": -0.004, "seeds": 3, "speaks": "against", "holm": 0.04}
    other = answer | {"corpus": "a$_b$", "question": "b?", "reading": "yes", "speaks": "for", "seeds": 1}
    other["holm"] = np.nan
    figure = figures.answers(pd.DataFrame([answer, other]), {"a?": "x > 0", "b?": "y > 0", "c?": "z > 0"})
    (ax,) = figure.axes
    *words, heading = ax.texts
    assert heading.get_text() == "BiLSTM", "rows of one model stand below its name"
    assert [text.get_text() for text in words] == ["fails 0.00", "1 seed 0.00"]
    assert [text.get_style() for text in words] == ["normal", "italic"]
    assert len(ax.patches) == 2 and ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    assert [label.get_text() for label in ax.get_yticklabels()][0] == "sst"
    figure.canvas.draw()
    plt.close(figure)


def test_tests_stand_beside_their_borders():
    """A number is a dot and its interval, cut at the axis; what passes is shaded; one seed is hollow."""
    one = {"corpus": "sst", "model": "BiLSTM", "where": "carried", "question": "a?", "reading": "no"}
    one |= {"mean": 0.3, "low": -0.9, "high": 0.4, "seeds": 3, "speaks": "against", "holm": 0.04}
    alone = one | {"corpus": "imdb", "question": "b?", "mean": 0.6, "seeds": 1, "holm": np.nan}
    is_open = one | {"corpus": "imdb", "mean": 0.5, "low": 0.4, "high": 0.6, "speaks": "open", "holm": 0.01}
    panels = [Panel("a?", "x > 0.5", 0.5, True, (-0.2, 1)), Panel("b?", "y ≤ 0.5", 0.5, False, (0, 0.7))]
    figure = draw_tests(pd.DataFrame([one, alone, is_open]), panels)
    first, second = figure.axes
    assert [text.get_text() for text in first.texts] == ["0.30", "0.50", "BiLSTM"]
    assert [text.get_weight() for text in first.texts] == ["bold", "normal", "bold"]
    assert [line.get_segments()[0][:, 0].tolist() for line in first.collections] == [[-0.2, 0.4], [0.4, 0.6]]
    assert not len(second.collections) and second.lines[-1].get_fillstyle() == "none"
    assert [ax.patches[0].get_x() for ax in (first, second)] == [0.5, 0] and figure.get_figwidth() < 3.7
    assert [label.get_text() for label in first.get_yticklabels()] == ["sst", "imdb"]
    plt.close(figure)


def test_a_row_alone_stands_by_its_corpus():
    one = {"where": "carried", "question": "a?", "reading": "no", "mean": 0.3, "low": 0.2, "high": 0.4}
    one |= {"seeds": 3, "speaks": "against", "holm": np.nan}
    each = [("sst", "BiLSTM"), ("ade", "BiLSTM"), ("sst", "CNN"), ("sst", "Average"), ("imdb", "Average")]
    rows = pd.DataFrame([one | {"corpus": corpus, "model": model} for corpus, model in each])
    (ax,) = figures.answers(rows, {"a?": "x > 0.5"}).axes
    headings = [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    assert headings == ["BiLSTM", "sst, other models", "imdb, another model"]
    (ax,) = figures.answers(rows[:1], {"a?": "x > 0.5"}).axes
    assert "BiLSTM" in [text.get_text() for text in ax.texts], "at the top by its model"
    (ax,) = draw_tests(rows, [Panel("a?", "x > 0.5", 0.5, True, (-0.2, 1))]).axes
    headings = [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    assert headings == ["BiLSTM", "CNN", "Average"], "in the tests each model has its corpora below it"
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["sst", "ade", "sst", "sst", "imdb"]
    plt.close("all")


def test_the_tests_have_room_on_a_wide_screen():
    """The seeds stand beside each number, and an interval that goes on beyond its panel ends in an arrow."""
    one = {"corpus": "sst", "model": "BiLSTM", "where": "carried", "question": "a?", "reading": "no"}
    one |= {"mean": 0.3, "low": -0.9, "high": 1.4, "seeds": 3, "speaks": "open", "holm": np.nan}
    panels = [Panel("a?", "x > 0.5", 0.5, True, (-0.2, 1))]
    (ax,) = draw_tests(pd.DataFrame([one]), [replace(panels[0], chance=0.0)], wide=True).axes
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "0.5", "1"]
    figure = draw_tests(pd.DataFrame([one]), panels, wide=True)
    (ax,) = figure.axes
    assert "0.30 (3)" in [text.get_text() for text in ax.texts]
    assert [line.get_marker() for line in ax.lines if line.get_marker() in "<>"] == ["<", ">"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["−0.2", "0.5", "1"]
    assert figure.legends[0].get_title().get_text().endswith("whose number is in brackets")
    plt.close(figure)


def keys(ax) -> list[str]:
    """What the legend of some axes names."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bars_of_claims_have_their_counts():
    """What holds has the colour of the side that it speaks for; what doesn't is hatched on paper."""
    counts = {"topic": ["a", "b"], "speaks": ["against", "for"], "yes": [2, 0], "no": [1, 3], "open": [1, 0]}
    (ax,) = figures.claims(pd.DataFrame(counts, index=["it is so", "long " * 20]), "corpora").axes
    *counted, first, second, a, b = [text.get_text() for text in ax.texts]
    assert counted == ["2", "1", "1", "3"] and (first, a, b) == ("it is so", "a", "b")
    assert second.split() == ["long"] * 20 and ax.figure.get_figwidth() < 4, "it fits a phone"
    bars = [bar for bar in ax.patches if bar.get_width()]
    assert [bar.get_width() for bar in bars] == [2, 1, 1, 3]
    assert [bool(bar.get_hatch()) for bar in bars] == [False, True, False, True]
    assert keys(ax) == ["holds: against attention", "holds: for attention", "doesn't hold", "open"]
    against, paper, is_open, again = (bar.get_facecolor() for bar in bars)
    held, _, no, left = (patch.get_facecolor() for patch in ax.get_legend().get_patches())
    assert (against, paper, is_open, again) == (held, no, left, no) and ax.get_xlim()[0] == 0
    surer = pd.DataFrame(counts, index=["it is so", "more"])
    surer = surer.assign(**{"yes, after Holm": [1, 0], "no, after Holm": [0, 2]})
    (ax,) = figures.claims(surer, "corpora").axes
    assert keys(ax)[-1] == "stronger: sure (after Holm)"
    assert [bar.get_width() for bar in ax.patches if bar.get_width()] == [1, 1, 1, 1, 2, 1]
    neither = pd.DataFrame(counts, index=["it is so", "more"]).assign(speaks="neither")
    (ax,) = figures.claims(neither, "corpora").axes
    assert keys(ax) == ["holds", "doesn't hold", "open"]
    plt.close("all")


def test_dumbbells_begin_with_what_lies_furthest_apart():
    """Hollow is the published number; ours has another colour where it lies outside of the seeds' range."""
    row = {"corpus": "sst", "encoder": "bilstm", "measure": "tau_loo", "source": "paper", "seeds": 3}
    row |= {"reported": 0.3, "ours": 0.32, "low": 0.29, "high": 0.34}
    far = row | {"corpus": "imdb", "source": "site", "reported": -0.1, "seeds": 1}
    score = row | {"measure": "f1", "reported": 0.8, "ours": 0.8}
    figure = figures.dumbbells(pd.DataFrame([row, far, score]))
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "τ, attention and leave-one-out",
        "F1 or accuracy",
    ]
    first = figure.axes[0]
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "imdb, BiLSTM, site (1 seed)",
        "sst, BiLSTM (3 seeds)",
    ]
    assert first.get_xlim()[0] < -0.1
    ours = [line for line in first.lines if line.get_marker() == "o" and line.get_markersize() == 5]
    assert ours[0].get_color() != ours[1].get_color() and figure.get_figwidth() < 4, "it fits a phone"
    figure.canvas.draw()
    plt.close(figure)
