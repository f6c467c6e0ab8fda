"""Chapter 10 in a fresh JupyterLab, as `make lab` opens it."""

import re
import subprocess
import sys

import lab
import run_notebooks

KEYS = ("m", "b", "x", "d", "d", "Enter", "Escape", "ArrowUp", "ArrowDown", "1", "0")


def opened(page, here: str):
    """Chapter 10's page, once its notebook is there."""
    lab.let_in(page, here)
    page.goto(f"{here}lab/tree/10_perturb.ipynb")
    page.locator(".jp-CodeCell").nth(2).wait_for(timeout=60_000)


def test_chapter_10_lives_before_anything_is_run_and_shows_that_it_works(page, tmp_path):
    """Trusted, the committed strip can be moved; run, there is a bar during the imports, then a new strip."""
    copy, own = run_notebooks.copy(tmp_path / "project"), tmp_path / "server"
    environment = run_notebooks.environment(copy)
    trust = [sys.executable, "-m", "jupyter", "trust", str(copy / "notebooks" / "10_perturb.ipynb")]
    subprocess.run(trust, env=environment | lab.homes(own), check=True, capture_output=True)
    with lab.serving(copy / "notebooks", own, **environment) as here:
        opened(page, here)
        token = page.locator(".heed-hands .hs-tok").first
        token.wait_for(timeout=60_000)
        token.focus()
        page.keyboard.press("PageUp")
        page.locator(".heed-hands .hs-why", has_text="The logit of").wait_for()
        status = page.locator("#jp-main-statusbar", has_text=re.compile(r"\| Idle"))
        status.wait_for(timeout=60_000)
        page.evaluate("document.querySelectorAll('.hs-root').forEach((n) => n.setAttribute('data-old', ''))")
        page.evaluate("""() => {
          window.bars = 0;
          new MutationObserver(() => {
            window.bars += document.querySelectorAll('.jp-OutputArea progress[aria-label=loading]').length;
          }).observe(document.body, { childList: true, subtree: true });
        }""")
        page.get_by_text("Run", exact=True).first.click()
        page.get_by_text("Run All Cells", exact=True).first.click()
        new = ".heed-hands .hs-root:not([data-old]) .hs-tok"
        page.wait_for_selector(new, state="attached", timeout=120_000)
        assert page.evaluate("window.bars") > 0
        assert page.locator(".jp-OutputArea progress[aria-label=loading]").count() == 0
        # Keys on each of the explorer's controls leave the notebook as it is.
        page.wait_for_function(
            "document.querySelector('#jp-main-statusbar').innerText.includes('| Idle')", timeout=120_000
        )
        hands = page.locator(".heed-hands").first
        hands.scroll_into_view_if_needed()
        cells = page.evaluate("document.querySelectorAll('.jp-Cell').length")
        controls = hands.locator("select, input[type=text], button, .hs-tok")
        assert controls.count() > 20
        for n in (*range(8), controls.count() - 1):
            control = controls.nth(n)
            if not control.is_visible() or control.is_disabled():
                continue
            for key in KEYS:
                control.focus()
                page.keyboard.press(key)
            page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        assert page.evaluate("document.querySelectorAll('.jp-Cell').length") == cells
        assert not page.locator("dialog.jp-Dialog").count()
        assert page.evaluate("document.querySelectorAll('.jp-MarkdownCell, .jp-CodeCell').length") == cells


def test_where_the_notebook_is_not_trusted_a_table_says_so(page, tmp_path):
    copy = run_notebooks.copy(tmp_path / "project")
    with lab.serving(copy / "notebooks", tmp_path / "server", **run_notebooks.environment(copy)) as here:
        opened(page, here)
        page.get_by_text("Where scripts run, in a trusted notebook for one").first.wait_for(timeout=60_000)
        assert page.locator("td bdi").count() > 5 and page.locator(".hs-root").count() == 0
