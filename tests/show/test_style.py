"""The look of figures: encoders are called and drawn as they say, and colours have one home."""

import itertools
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from heed import paths
from heed.errors import HeedError
from heed.measures.erasure import RANKINGS
from heed.models.encoders import ENCODERS
from heed.runs.products import every_product
from heed.show import colours, figures, style


@pytest.fixture(autouse=True)
def closed():
    """Every chapter has registered its measures; every figure is closed."""
    every_product()
    yield
    plt.close("all")


def table(columns=("median_change", "tau_loo")) -> pd.DataFrame:
    """A table of twelve texts with these measures, all drawn."""
    rng = np.random.default_rng(0)
    named = {name: rng.uniform(0, 0.6, 12) for name in columns}
    return pd.DataFrame({"predicted": np.arange(12) % 2, "max_attention": rng.uniform(size=12), **named})


def erased() -> pd.DataFrame:
    """Such a table of chapter 06."""
    kinds = [f"{kind}_{r}" for kind in ("erased", "mass") for r in (*RANKINGS, "random_mean")]
    return table([*kinds, "delta_js_attention"])


# Each figure that is drawn by encoder, and the names that it shows.
BY_ENCODER = {
    "violins": (
        lambda names: figures.violins(dict.fromkeys(names, table()), "median_change", "ab", (0, 1)),
        lambda figure: [ax.get_title() for ax in figure.axes],
    ),
    "histograms": (
        lambda names: figures.correlations(dict.fromkeys(names, table()), "ab", ["tau_loo"]),
        lambda figure: [ax.texts[-1].get_text() for ax in figure.axes],
    ),
    "boxes": (
        lambda names: figures.boxes(dict.fromkeys(names, erased()), "erased"),
        lambda figure: [ax.get_title() for ax in figure.axes],
    ),
    "says": (
        lambda names: figures.says(dict.fromkeys(names, erased()), 10, 0),
        lambda figure: [label.get_text() for label in figure.axes[0].get_yticklabels()],
    ),
}


@pytest.mark.parametrize("draw,shown", BY_ENCODER.values(), ids=BY_ENCODER)
def test_a_figure_calls_encoders_what_they_say(draw, shown):
    assert shown(draw(ENCODERS)) == [
        *("BiLSTM", "Average", "CNN", "BiGRU", "no encoder", "HAN", "transformer", "orthogonal BiLSTM")
    ]


@pytest.mark.parametrize("draw,shown", BY_ENCODER.values(), ids=BY_ENCODER)
def test_a_figure_refuses_an_unknown_encoder(draw, shown):
    with pytest.raises(HeedError, match="unknown encoder 'bilstn'. Did you mean 'bilstm'?"):
        draw(["cnn", "bilstn"])


def test_a_panel_alone_has_no_name_and_one_of_no_encoder_its_title():
    assert figures.violins({"": table()}, "median_change", "ab", (0, 1)).axes[0].get_title() == ""
    panels = {"other seeds, median": table(), "cnn": table()}
    figure = figures.violins(panels, "median_change", "ab", (0, 1), of_encoders=False)
    assert [ax.get_title() for ax in figure.axes] == list(panels)


def test_every_encoder_has_a_shape_of_its_own():
    shapes = [kind.shape for kind in ENCODERS.values()]
    assert len({*shapes}) == len(shapes) and {*shapes} <= style.SHAPES.keys()
    assert len({*style.SHAPES.values()}) == len(style.SHAPES)


# Colours

# What a colour looks like to those who don't see red, green or blue: Machado, Oliveira & Fernandes (2009), of
# linear RGB, severity 1.
SEEN = {
    "everything": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    """Linear red, green and blue, 0 to 1, of `#rgb` or `#rrggbb`."""
    digits = colour.removeprefix("#")
    share = np.array(colours.rgb("".join(2 * c for c in digits) if len(digits) == 3 else digits)) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(colour: str, seen: str) -> np.ndarray:
    """CIE L*a*b* of a colour as it is seen."""
    xyz = XYZ @ np.clip(SEEN[seen] @ linear(colour), 0, 1) / (0.9505, 1, 1.089)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    """WCAG's, 1 to 21."""
    low, high = sorted(XYZ[1] @ linear(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_wcags():
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("palette, apart", [(colours.SERIES, 19), (colours.SERIES_ON_DARK, 15)])
def test_series_are_told_apart(palette, apart, seen):
    pairs = itertools.combinations(palette, 2)
    assert min(np.linalg.norm(lab(a, seen) - lab(b, seen)) for a, b in pairs) > apart


def test_no_series_is_a_class():
    assert not {*colours.SERIES} & {*colours.CLASSES}
    nearest = min(
        np.linalg.norm(lab(a, "everything") - lab(b, "everything"))
        for a in colours.SERIES
        for b in colours.CLASSES[:3]
    )
    assert nearest > 25
    assert len({*colours.SERIES}) == len(colours.SERIES) and len({*colours.CLASSES}) == 10


def test_what_is_drawn_is_seen():
    """WCAG AA: 3 for what is drawn, 4.5 for what is written, by light and by dark."""
    dark = "#121212"  # the site's theme
    assert all(contrast(c, colours.PAPER) >= 3 for c in (*colours.SERIES, colours.UNKNOWN))
    assert all(contrast(c, dark) >= 3 for c in (*colours.SERIES_ON_DARK, colours.UNKNOWN))
    # Of the first two series also the text of an axis is written.
    assert all(contrast(c, colours.PAPER) >= 4.5 for c in (*colours.SERIES[:2], colours.NOTE))
    for scheme in colours.STRIP.values():  # a page's own ink on any weight of a heatmap
        page = scheme["paper"] if len(scheme["paper"]) == 7 else colours.PAPER
        mixed = zip(colours.rgb(colours.ATTENTION), colours.rgb(page), strict=True)
        full = "#" + "".join(f"{round(colours.OPAQUE * a + (1 - colours.OPAQUE) * b):02x}" for a, b in mixed)
        assert contrast(scheme["ink"], full) >= 4.5
    for scheme in colours.STRIP.values():
        for text in ("ink", "soft"):
            assert contrast(scheme[text], scheme["paper"]) >= 4.5
        assert contrast(scheme["bad"], scheme["bad-paper"]) >= 4.5
        for drawn in ("bar", "more", "less", "copy-ink", "mark", "edge", "focus"):
            assert contrast(scheme[drawn], scheme["paper"]) >= 3
    assert colours.STRIP["light"].keys() == colours.STRIP["dark"].keys()


def test_colours_have_one_home():
    """No other file of heed's has a colour of its own."""
    folders = paths.ROOT / "lib" / "heed", paths.NOTEBOOKS / "book"
    files = [f for folder in folders for f in folder.rglob("*") if f.suffix in (".py", ".js", ".css")]
    assert len(files) > 50
    hexadecimal = re.compile(r"(?<![&\w])#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})(?![\w-])")
    named = re.compile(r"""color["']?[:=]\s*["'](0?\.\d+|black|white|gr[ae]y|red|C\d)["']""")
    for file in files:
        if file.name != "colours.py":
            text = file.read_text(encoding="utf-8")
            assert not hexadecimal.findall(text) and not named.findall(text), file


@pytest.mark.parametrize(
    "folder, given", [("lib/heed/show/hands", colours.strip_css()), ("notebooks/book", colours.site_css())]
)
def test_css_and_scripts_name_the_colours_that_there_are(folder, given):
    """Each that is given is used, by a rule or the script; each that is used is given, or set there."""
    given = {*re.findall(r"--([a-z-]+):", given)}
    files = [sorted((paths.ROOT / folder).glob(f"*.{kind}")) for kind in ("css", "js")]
    css, js = ("\n".join(file.read_text(encoding="utf-8") for file in kind) for kind in files)
    used = {used for used in re.findall(r"var\(--([a-z-]+)", css) if not used.startswith("pst-")}
    own = {*re.findall(r"--([a-z-]+):", css), *re.findall(r"--([a-z-]+)[\":]", js)}
    assert used <= given | own
    for variable in given - used:
        assert f'"{variable.split("-", 1)[1]}"' in js, variable


def test_a_figure_takes_class_colours_for_classes_alone():
    """Two classes have theirs; where texts aren't told apart, and of rankings, there is none."""
    classes, own = {*map(to_rgb, colours.CLASSES)}, {*map(to_rgb, colours.CLASSES[:2])}

    def drawn(figure) -> set:
        faces = [patch.get_facecolor() for ax in figure.axes for patch in ax.patches]
        return {tuple(face[:3]) for face in faces if face[3] > 0}

    assert drawn(figures.correlations({"": table()}, "ab", ["tau_loo"])) >= own
    assert not drawn(figures.correlations({"": table()}, (), ["tau_loo"])) & classes
    assert not drawn(figures.boxes({"": erased()}, "erased")) & classes
    assert not drawn(figures.bars(["a", "b"], {str(k): np.ones(2) for k in range(8)})) & classes


def test_ten_models_look_different():
    """There are fewer colours than models; marks tell apart those that share one."""
    rows = [{"corpus": "sst", "model": f"model {k}", "measure": "f1", "mean": k / 10} for k in range(10)]
    handles, _ = figures.by_corpus(pd.DataFrame(rows), {"f1": "F1"}).axes[0].get_legend_handles_labels()
    assert len({(h.get_color(), h.get_marker(), h.get_fillstyle()) for h in handles}) == 10


def test_a_figure_is_kept_under_its_finding(tmp_path, capsys):
    """As its title, broken where the figure ends, and for those who can't see it, whatever it quotes."""
    figure, _ = plt.subplots(figsize=(4, 2))
    finding = "Of “<b>” & “quoted” words the first " + "is long " * 20
    style.keep(figure, tmp_path, "kept", finding.strip())
    drawing = (tmp_path / "figures" / "kept.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(drawing)
    assert root.get("aria-label") == finding.strip() and root.get("role") == "img"
    assert figure.get_suptitle().count("\n") >= 3 and figure.get_figheight() > 2.6
    assert not plt.fignum_exists(figure.number)


def test_a_title_stands_above_what_was_placed_by_hand():
    kinds = {"attention": np.array([0.2, 0.8])}
    figure = figures.heatmap(["one", "two"], kinds, lambda weight: (255, 255, 255))
    style.titled(figure, "A finding of these two words")
    pen = figure.canvas.get_renderer()
    title, *words = (text.get_window_extent(pen) for text in (figure._suptitle, *figure.texts[:-1]))
    assert len(words) == 3 and all(word.y1 <= title.y0 + 2 for word in words)


def test_a_title_of_broad_letters_ends_in_its_figure():
    figure, _ = plt.subplots(figsize=(3.7, 2))
    style.titled(figure, "WWW " * 20)
    assert figure._suptitle.get_window_extent(figure.canvas.get_renderer()).x1 <= figure.bbox.width
    assert figure.get_suptitle().count("WWW") == 20
    plt.close(figure)
