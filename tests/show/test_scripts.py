"""Names and words of any kind and script in figures and tables: drawn as they are, without a warning."""

import io
import os
import warnings
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from heed.errors import HeedError
from heed.measures import rankings
from heed.runs.products import every_product
from heed.show import figures, fonts, heatmap, notebook, style
from heed.show.figures.common import predicted
from heed.show.words import pieces, shortened, visible
from shown import HOSTILE, anything, hostile, seen, spans

# What matplotlib's SVG consists of.
DRAWN = {
    *("svg", "metadata", "RDF", "Work", "type", "format", "creator", "Agent", "title", "defs", "style", "g"),
    *("path", "use", "clipPath", "pattern", "rect", "text", "image"),
}
# One text for each script: words, and class names.
SCRIPTS = {
    "Chinese": "我 非常 喜欢 这部 电影 。",
    "Japanese": "この 映画 は とても よかった 。",
    "Korean": "이 영화 정말 좋아요 .",
    "Arabic": "هذا الفيلم رائع جدا ، 100% می\u200cخواهم",
    "Hebrew": "הסרט הזה נהדר ( 3.5 ) ! שָׁלוֹם",
    "Hindi": "यह फ़िल्म बहुत अच्छी है ।",
    "Thai": "หนัง เรื่อง นี้ ดี มาก",
    "emoji": "😀 🚀 👩\u200d🚀 ❤\ufe0f",
    "marks": "e\u0301 a\u0308\u0304 \u0301",
}


@pytest.fixture(autouse=True)
def drawn_here():
    """Every chapter has registered its measures, the theme is set, every figure is closed."""
    every_product()
    figures.theme()
    yield
    plt.close("all")


@pytest.fixture
def of_all_scripts():
    """Fonts for SCRIPTS."""
    if not {"Noto Sans CJK SC", "Noto Sans Devanagari", "Noto Sans Thai", "Symbola"} <= {*fonts.installed()}:
        missing = "the fonts of other scripts aren't here: sh tests/fonts.sh installs Debian's"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(f"{missing} (as root)")


def drawn(figure) -> list[str]:
    """The texts of a figure's SVG, which is well-formed, is an image and no more, and was drawn silently."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # is said by fonts, and tested below
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
    root = ElementTree.fromstring(file.getvalue())
    assert not {element.tag.rpartition("}")[2] for element in root.iter()} - DRAWN
    return [(element.text or "").strip() for element in root.iter() if element.tag.endswith("}text")]


def table(classes) -> pd.DataFrame:
    """Three texts of each predicted class."""
    rng, n = np.random.default_rng(0), 3 * len(classes)
    names = ("max_attention", "tau_gradient", "tau_loo", "tau_gradient_loo", "found", "optimum", "bound")
    names += (
        "median_change",
        "other_jsd",
        "other_change",
        "alignment",
        "peakiness",
        "dispersion",
        "rms_logit",
        "optimum_at",
    )
    return pd.DataFrame({"predicted": np.arange(n) % len(classes)} | {name: rng.random(n) for name in names})


BY_CLASS = {
    "correlations": lambda c: figures.correlations({"": table(c)}, c, ["tau_loo"]),
    "optima": lambda c: figures.optimum_shares({"": table(c)}, c, False),
    "violins": lambda c: figures.violins({"": table(c)}, "optimum", c, (0, 0.7)),
    "deception": lambda c: figures.deception(
        table(c).rename(columns={"tau_loo": "base_loo", "found": "adversary_loo"}), c, "loo"
    ),
    "noise": lambda c: figures.noise(table(c), c),
    "explained": lambda c: figures.explained(table(c), c, {}),
    "by peak": lambda c: figures.by_peak(table(c), table(c)["found"], c, {}, 0),
    "alike": lambda c: figures.alike(table(c).assign(conicity=0.5), c),
    "one word": lambda c: figures.one_word(table(c), c),
}


def test_every_figure_of_classes_is_tried():
    """Those whose functions take `classes`, by the modules of the room."""
    assert rankings.compared()
    taken = set()
    for name in figures.__all__:
        if (
            callable(getattr(figures, name, None))
            and "classes" in getattr(figures, name).__code__.co_varnames
        ):
            taken.add(name)
    assert taken == {"correlations", "optimum_shares", "violins", "noise", "explained",
                     "one_word", "by_peak", "moves", "alike", "deception"}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
@given(name=st.sampled_from([*BY_CLASS]), classes=st.lists(anything, min_size=2, max_size=5, unique=True))
@settings(max_examples=25)
def test_any_class_name_is_in_the_legend(name, classes):
    """Each once, whatever its name; no mathematics, none left out."""
    texts = drawn(BY_CLASS[name](classes))
    labels = predicted(classes)
    assert len({*labels}) == len(classes)
    for label, of in zip(labels, classes, strict=True):
        assert texts.count(label.replace(r"\$", "$").strip()) == 1
        assert shortened(visible(of)).strip() in label.replace(r"\$", "$")


@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
@given(classes=st.lists(anything, min_size=2, max_size=12, unique=True))
@settings(max_examples=10)
def test_any_class_name_is_in_the_audits_figure(classes):
    """Beside its line, with how many texts it has; of more classes than there are colours, too."""
    numbers = {name: i for i, name in enumerate(classes)}
    names = pd.Series(classes * 2, dtype=object)
    texts = pd.DataFrame({"predicted": names, "change own": np.linspace(0, 1, len(names))})
    found = drawn(figures.moves(texts, classes=numbers))
    for label in predicted(numbers):
        told = f"{label} (2 texts): ".replace(r"\$", "$").strip()
        assert sum(text.startswith(told) for text in found) == 1


@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
@given(words=st.lists(anything, min_size=1, max_size=6), question=anything)
@settings(max_examples=25)
def test_any_word_is_drawn(words, question):
    expected = [shortened(visible(word)).strip() for word in words]
    weights = np.linspace(0.1, 0.5, len(words))
    kinds = {"attention": weights}
    assert {*expected} - {""} <= {*drawn(figures.bars(words, kinds))}
    texts = drawn(figures.heatmap(words, kinds, heatmap.tint, question))
    assert {*expected, *map(str.strip, pieces(question))} - {""} <= {*texts}


@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
@given(corpora=st.lists(anything, min_size=1, max_size=3, unique=True), model=anything)
@settings(max_examples=10)
def test_any_corpus_and_model_is_drawn(corpora, model):
    assume(visible(model) and model != "BiLSTM")  # matplotlib's legend has none without a name
    of_one = pd.DataFrame({"corpus": corpora, "model": model, "measure": "f1", "mean": 0.5}, dtype=object)
    rows = pd.concat([of_one, of_one.assign(model="BiLSTM")])  # a model alone has no legend
    texts = drawn(figures.by_corpus(rows, {"f1": "F1"}))
    assert {shortened(visible(name)).strip() for name in (*corpora, model)} - {""} <= {*texts}


@given(names=st.lists(anything, min_size=1, max_size=4), cells=st.lists(anything, max_size=4))
def test_any_name_and_cell_of_a_table(names, cells):
    """A class may be called like a column, or twice; only what is said to be a p value is shown as one."""
    rows = [[*cells, None, pd.NA, 0.0, 1e-9]] * 2
    names = [*names, *"abcdefgh"][: len(cells) + 2] + ["p", "p"]
    # pandas' own strings can't be lone surrogates
    kind = object if any("\ud800" <= c <= "\udfff" for c in "".join(cells)) else None
    table = pd.DataFrame(rows, columns=pd.Index(names, dtype=object), dtype=kind)
    source = notebook._html(table, cells[0] if cells else "", 2)
    found = seen(source)
    texts = [visible(text) for text in (*names, *cells, *cells, *cells[:1])]
    expected = ["span"] * sum(len(spans(text)) for text in texts)
    assert [tag for tag in found.tags if tag == "span"] == expected
    assert {*found.tags} <= {"p", "b", "table", "thead", "tbody", "tr", "th", "td", "span"}
    shown = "".join(found.text)
    # pandas writes no space at a cell's ends; a page wouldn't show it
    assert all(visible(text).strip() in shown for text in (*names, *cells))
    assert "nan" not in shown.lower() or any("nan" in text.lower() for text in texts)
    assert source.count("<td>–</td>") >= 4 and source.count("<td>0.00</td>") >= 4


def test_a_column_of_p_values_is_one_of_the_table():
    with pytest.raises(HeedError, match="unknown column 'q'. Choose one of: p."):
        notebook._html(pd.DataFrame({"p": [0.1]}), "", 2, ["q"])


@pytest.mark.filterwarnings("ignore::heed.show.fonts.MissingFont")
@given(words=st.lists(anything, min_size=1, max_size=6), name=anything)
@settings(max_examples=25)
def test_any_word_and_name_of_a_heatmap(tmp_path_factory, words, name):
    n = len(words)
    given = {"units": words, "attention": np.full(n, 1 / n), "values": np.ones((n, 1))}
    row = replace(hostile(), real=np.ones(n, dtype=bool), **given)
    kinds = {name: row.attention}
    found = seen(heatmap.to_html(row, [name, name], kinds, name, name, name))
    assert {*found.tags} <= {*"div p b table thead tbody tr th td bdi sub span".split()}
    assert "".join(found.text).count(visible(name)) >= (1 if name else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        warnings.filterwarnings("ignore", category=fonts.MissingFont)
        _, svg = heatmap.export(row, kinds, tmp_path_factory.mktemp("any"), name, name)
    assert {element.tag.rpartition("}")[2] for element in ElementTree.parse(svg).iter()} <= DRAWN - {"text"}


# Directions


def test_a_right_to_left_text_begins_at_the_right():
    words = SCRIPTS["Hebrew"].split()
    figure = figures.bars(words, {"attention": np.ones(len(words))})
    assert figure.axes[0].xaxis.get_inverted()
    figure = figures.heatmap(["a", *words], {"attention": np.ones(len(words) + 1)}, heatmap.tint, words[0])
    _, question, _, *shown = figure.texts
    assert question.get_ha() == "right"
    assert [text.get_ha() for text in shown] == ["left"] * len(shown)  # its first letter is an a
    figure = figures.heatmap(words, {"attention": np.ones(len(words))}, heatmap.tint)
    places = [text.get_window_extent().x1 for text in figure.texts[1:]]
    assert places == sorted(places, reverse=True) and places[0] <= figure.bbox.width


def test_a_right_to_left_text_in_html():
    row = replace(hostile(), units=[*SCRIPTS["Arabic"].split(), *HOSTILE][: len(HOSTILE)])
    classes = ["سعيد", "b"]
    source = heatmap.to_html(row, classes, {"attention": row.attention})
    assert source.count('<td dir="rtl" style="text-align:right;') == 1
    assert "dir=" not in heatmap.to_html(hostile(), classes, {"attention": hostile().attention})
    assert f"P(<bdi>{classes[row.shown]}</bdi>)" in source or row.shown == 1


# Fonts


@pytest.mark.thorough
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_has_a_font(of_all_scripts, script):
    """Drawn without any warning, ours included."""
    words = SCRIPTS[script].split()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            figures.bars(words, {"attention": np.ones(len(words))}),
            figures.heatmap(words, {"attention": np.ones(len(words))}, heatmap.tint, " ".join(words)),
            figures.noise(table(words[:3]), words[:3]),
        ):
            figure.savefig(io.BytesIO(), format="png")
            figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize("script", ["Chinese", "Thai", "emoji"])
def test_nothing_is_cut_off(of_all_scripts, script):
    """Long words under bars and in legends lie within the figure."""
    word = SCRIPTS[script].replace(" ", "") * 9
    words = [word, f"x{word}", "y" * 99, "z" * 99]
    for figure in (
        figures.bars(words[:1], {"attention": np.ones(1)}),
        figures.bars(words, {"attention": np.ones(4), f"P({shortened(word)})": np.ones(4)}),
        figures.noise(table(words), words),
        figures.violins({"": table(words)}, "optimum", words, (0, 0.7)),
    ):
        figure.canvas.draw()
        whole, drawn_on = figure.bbox, figure.get_tightbbox().transformed(figure.dpi_scale_trans)
        assert drawn_on.x0 >= whole.x0 - 1 and drawn_on.x1 <= whole.x1 + 1
        assert drawn_on.y0 >= whole.y0 - 1 and drawn_on.y1 <= whole.y1 + 1
        assert all(ax.bbox.height > 20 for ax in figure.axes)


@pytest.fixture
def without(monkeypatch):
    """No font but DejaVu Sans, of which nothing was said yet."""
    monkeypatch.setitem(plt.rcParams, "font.family", ["DejaVu Sans"])
    monkeypatch.setattr(fonts, "installed", list)
    monkeypatch.setattr(fonts, "_named", set())


def test_a_missing_font_is_one_sentence(without):
    words = SCRIPTS["Chinese"].split() * 3
    with pytest.warns(fonts.MissingFont) as said:
        figures.bars(words, {"attention": np.ones(len(words))}).canvas.draw()
        figures.noise(table(words[:3]), words[:3]).canvas.draw()
    (sentence,) = [str(warning.message) for warning in said]
    assert "No font here has CJK UNIFIED IDEOGRAPH-6211" in sentence and "fonts-noto-cjk" in sentence
    with pytest.warns(fonts.MissingFont) as said:
        figures.bars(["🚀", "😀", "ไ"], {"attention": np.ones(3)}).canvas.draw()
    rocket, thai = [str(warning.message) for warning in said]
    assert "ROCKET" in rocket and "fonts-symbola" in rocket and "THAI CHARACTER SARA AI MAIMALAI" in thai


def test_a_missing_font_is_a_line_of_the_chapter(without, monkeypatch):
    shown = []

    class Kernel:
        def has_trait(self, name):
            return name == "kernel"

    monkeypatch.setattr(fonts, "get_ipython", Kernel)
    monkeypatch.setattr(fonts, "display", shown.append)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            figures.bars(["电影", "😀"], {"attention": np.ones(2)}).canvas.draw()
    (line,) = shown
    assert line.data.startswith("No font here has CJK UNIFIED IDEOGRAPH-7535: figures show a box for it")


def test_the_fonts_behind_change_no_byte(tmp_path, monkeypatch):
    """What DejaVu Sans has is drawn and written the same, whatever else is installed."""

    def both(name: str) -> tuple[bytes, bytes]:
        figures.theme()
        figure = figures.bars(["so", "é", "سعيد", "😀"], {"attention": np.ones(4), "$": np.ones(4)})
        written = style.save(figure, tmp_path / f"{name}.svg").read_bytes()
        figure.savefig(tmp_path / f"{name}.png", metadata={"Software": None})
        return written, (tmp_path / f"{name}.png").read_bytes()

    with_them = both("with")
    monkeypatch.setattr(fonts, "installed", list)
    assert both("without") == with_them
    assert b"Noto" not in with_them[0]


def test_fonts_installed_since_matplotlib_looked_are_found(of_all_scripts, monkeypatch):
    """Its list of fonts is a file that it keeps."""
    old = [font for font in fonts.fontManager.ttflist if "Noto" not in font.name]
    monkeypatch.setattr(fonts.fontManager, "ttflist", old)
    assert fonts.installed.__wrapped__() == fonts.installed()
