"""The look of figures: an encoder is called and drawn as it says, an unknown one is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.errors import HeedError
from heed.measures.erasure import RANKINGS
from heed.models.encoders import ENCODERS
from heed.runs.products import every_product
from heed.show import figures, style


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
    assert shown(draw(ENCODERS)) == ["BiLSTM", "Average", "CNN", "BiGRU", "no encoder", "HAN"]


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
