"""Exported chapters in a real browser: formulas, one page that needs no network."""

import pytest

from heed import paths
from heed.show.export_html import formulas
from heed.show.export_html import page as exported


def test_formulas_are_drawn_without_a_script():
    text = r"Here $\hat y$ and `$x`, then $$\sum_t a_t$$ and 5$ only, $\undefinedthing{$"
    found = formulas(text)
    assert found.count("<math") >= 2 and "`$x`" in found and "5$ only" in found and 'display="block"' in found
    assert (
        formulas(r"$\tau$").count('<mi mathvariant="normal" style="font-style:italic">') == 1
    )  # in any font


@pytest.mark.parametrize("name", ["05_heatmaps", "10_perturb"])
def test_a_chapter_is_one_page_that_needs_no_network(page, tmp_path, name):
    out = exported(paths.NOTEBOOKS / f"{name}.ipynb", tmp_path / "chapter.html")
    page.goto(out.as_uri())
    page.wait_for_selector(".hs-root")
    alive = page.locator(".hs-root").count()
    assert alive == {"05_heatmaps": 1, "10_perturb": 2}[name]
    assert page.locator(".hs-root .hs-tok").count() > 10
    source = out.read_text(encoding="utf-8")
    assert "cdnjs" not in source and "unpkg" not in source and "MathJax" not in source
