"""The strip in a browser has the colours of colours.py, light and dark, and so has the picture it saves."""

import numpy as np
import pytest

from heed.models.head import Head
from heed.show import colours
from heed.show.strip import TokenStrip


def shown(page, tmp_path, scheme: str):
    """A strip of two tokens and a marker on a page of this scheme."""
    page.emulate_media(color_scheme=scheme)
    strip = TokenStrip(
        ["good", "bad", "<eos>"],
        [0.5, 0.3, 0.2],
        np.ones(3),
        Head("identity", "sigmoid"),
        real=[True, True, False],
    )
    page.goto(strip.save(tmp_path / "strip.html").as_uri())
    page.wait_for_selector(".hs-root")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_strip_has_the_colours_of_its_scheme(page, tmp_path, scheme):
    shown(page, tmp_path, scheme)
    style = "getComputedStyle(document.querySelector('.hs-root'))"
    for name, colour in colours.STRIP[scheme].items():
        assert page.evaluate(f"{style}.getPropertyValue('--{name}').trim()") == colour
    long = "".join(2 * c for c in "fff") if scheme == "light" else colours.STRIP["dark"]["paper"]
    assert page.evaluate(f"{style}.backgroundColor") == "rgb({}, {}, {})".format(*colours.rgb(long))
    assert page.evaluate(f"{style}.colorScheme") == scheme


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_picture_is_light(page, tmp_path, scheme):
    """On paper, whatever the page: bars, a marker's bar, the model's own weights."""
    shown(page, tmp_path, scheme)
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).click()
    download.value.save_as(tmp_path / "saved.svg")
    text, light = (tmp_path / "saved.svg").read_text(encoding="utf-8"), colours.STRIP["light"]
    counts = {name: text.count(f'fill="{light[name]}"') for name in ("paper", "bar", "edge", "mark")}
    assert counts == {"paper": 1, "bar": 2, "edge": 1, "mark": 3}
