"""The site in a real browser: first page, chapters, and the page that browses every run."""

import csv
import json
import re
import sys
import time
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

import generated_runs
from heed import paths, verdict
from heed.runs import schemas
from heed.show import export_html, figures, ours, style
from heed.show.export_html import page as exported

sys.path.insert(0, str(paths.NOTEBOOKS / "book"))
import browse
import first_page
import library_pages
import make_site

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
HOSTILE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(2)</script>"
COUNT = 500


def bad_runs(results: Path) -> None:
    """Half a run, a damaged one, one of another library, one in another's place, and one that attacks."""
    half = results / "planted" / "cnn-additive" / "paper-0a1f0a1f" / "seed0"
    half.mkdir(parents=True)
    (half / "run.json").write_text('{"products": {"curve": {}}}')
    pd.DataFrame({"epoch": [1]}).to_parquet(half / "curve.parquet")
    (half / "03_permutation.failed.ipynb").write_text("{}")
    cut = generated_runs.write(results, generated_runs.summary(variant="paper-c0c0c0c0")) / "summary.parquet"
    cut.write_bytes(cut.read_bytes()[:300])
    old = generated_runs.summary(variant="paper-01d01d01", library="0123456789ab", given="hidden=3")
    generated_runs.write(results, old)
    other = generated_runs.write(results, generated_runs.summary(variant="paper-07e47e47"))
    other.rename(other.with_name("seed7"))
    evil = ("tau_loo", SCRIPT, "**bold** `x` {{evil}}")
    rows = generated_runs.summary(corpus=HOSTILE, variant=SCRIPT.replace("/", "\u202e"), given=SCRIPT,
                                  profile="=1+1", measures=evil)  # fmt: skip
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(3)"><script>alert(4)</script></svg>'
    named = {f"02_{HOSTILE.replace('/', '')}.svg": generated_runs.FIGURE.format(3), "02_evil.svg": drawing}
    generated_runs.write(results, rows, named)


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The site of the committed runs, 500 generated ones and some wrong ones; built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if base.name.startswith("popen-") else base
    with FileLock(base / "site.lock"):
        if not (base / "site" / make_site.MARK).exists():
            generated_runs.many(base / "site-results", COUNT)
            bad_runs(base / "site-results")
            make_site.build(base / "site", base / "site-results")
    return base / "site"


@pytest.fixture(scope="session")
def index(site) -> dict:
    """What the browse page is given."""
    text = (site / "browse" / "index.js").read_text(encoding="utf-8")
    return json.loads("[" + text.removeprefix("heed(").rstrip().removesuffix(")") + "]")[1]


def opened(page, site: Path, fragment: str = ""):
    """The browse page at a fragment, drawn."""
    page.goto("about:blank")
    page.goto(f"{(site / 'browse.html').as_uri()}#{fragment}")
    page.wait_for_selector("#view > div > *")
    return page


def column(page, name: str, table: str = "#view table") -> list[str]:
    heads = page.locator(f"{table} thead th").all_inner_texts()
    return page.locator(f"{table} tbody tr td:nth-child({heads.index(name) + 1})").all_inner_texts()


# The first page and the chapters


def test_the_first_page_says_what_the_summary_says(page, site):
    """Computed here anew, straight from the CSV: the highest τ with leave-one-out, of several seeds."""
    page.goto((site / "index.html").as_uri())
    said = page.locator("article").inner_text()
    rows = pd.read_csv(paths.DATA / "results" / "summary.csv", dtype={"class": str})
    rows = rows[(rows["class"] == "overall") & (rows["profile"] == "paper") & rows["given"].isna()]
    rows = rows[(rows["encoder"] == "bilstm") & (rows["attention"] == "additive")]
    own = rows[rows["quantity"] == "tau_attention_loo"].groupby("corpus")["mean"].agg(["mean", "size"])
    assert f"to {own.loc[own['size'] > 1, 'mean'].max():.2f}" in said
    pictures = page.locator("article .heed-drawn img")
    assert pictures.count() == 3 and all(pictures.nth(k).get_attribute("alt") for k in range(3))


def test_sentences_of_the_first_page():
    """Without runs what is left are chapter 14's models on made corpora."""
    rows = verdict.committed().assign(where="carried")
    left = first_page.found(rows[:0])
    assert "of 2 corpora" in left["verdict"] and "Serrano" not in left["verdict"]
    said = first_page.found(rows)
    assert "BiLSTM" in said["verdict"] and said["matrix"].startswith(
        '<div class="heed-drawn"><picture><source media='
    )


def test_the_strip_of_the_first_page_computes(page, site):
    page.goto((site / "index.html").as_uri())
    page.wait_for_selector(".hs-root")
    assert page.locator(".heed-strip").count() == len(ours.kept())
    first = page.locator(".heed-strip").first
    first.get_by_role("button", name="Uniform", exact=True).click()
    page.wait_for_function("document.querySelector('.hs-status').textContent.length > 0")
    page.wait_for_timeout(200)
    weights = page.evaluate(
        "[...document.querySelector('.heed-strip').querySelectorAll('.hs-tok')]"
        ".map((t) => +t.getAttribute('aria-valuenow'))"
    )
    assert weights == pytest.approx([1 / len(weights)] * len(weights), abs=1e-4)
    # Another one lives once it is opened.
    page.locator("details:has(.heed-strip) > summary").last.click()
    last = page.locator(".heed-strip").last
    last.get_by_role("button", name="Uniform", exact=True).click()
    assert "where is john" in last.inner_text()
    # Light and dark are the reader's choice on the page, for the strip, too.
    for choice in ("dark", "light"):
        page.evaluate("(to) => { document.documentElement.dataset.theme = to; }", choice)
        page.wait_for_function(
            "(to) => getComputedStyle(document.querySelector('.hs-root')).colorScheme === to", arg=choice
        )


def test_every_page_is_offline_and_fits_a_phone(page, site):
    """No request leaves (the fixture sees to it), no error is thrown, nothing scrolls sideways."""
    page.set_viewport_size({"width": 360, "height": 740})
    pages = sorted(site.glob("*.html"))
    assert {path.stem for path in pages} == {
        *(path.stem for path in [*make_site.sources(), *make_site.howtos()]),
        *library_pages.titles(),
        *("index", "browse", "glossary", "search"),
    }
    assert {path.name for path in (site / "schemas").iterdir()} == {
        path.name for path in schemas.FOLDER.glob("*.json")
    }
    for path in pages:
        page.goto(path.as_uri(), wait_until="load")
        page.evaluate("document.querySelectorAll('.heed-appendix').forEach((one) => (one.open = true))")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, (path.name, wide)
        if path.name[:2].isdigit():
            assert page.locator("a[href$='.ipynb']").count() == 1
    for view in ("plots", "figures", "runs", "tables"):
        opened(page, site, f"view={view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
    page.goto((site / "search.html").as_uri() + "?q=adversary")
    page.wait_for_selector("#search-results li a")
    said = page.wait_for_selector("#search-results li p.context").inner_text().lower()
    assert "adversar" in said, "a found page's words stand below its title"


def test_no_figure_of_a_chapter_is_cut_on_a_phone(page, site):
    """Above the appendices; these have wider ones, which scroll within themselves."""
    page.set_viewport_size({"width": 390, "height": 800})
    for path in sorted(site.glob("[0-9]*.html")):
        page.goto(path.as_uri(), wait_until="load")
        cut = page.locator(".heed-drawn").evaluate_all(
            """(all) => all.filter((one) => !one.closest(".heed-appendix")
                && one.scrollWidth > one.clientWidth + 1).map((one) => one.querySelector("img")?.alt)"""
        )
        assert not cut, (path.name, cut)


def test_the_search_has_texts_and_no_markup(site):
    written = (site / "_static" / "texts.js").read_text(encoding="utf-8")
    texts = json.loads(written.removeprefix("window.heedTexts = ").removesuffix(";\n"))
    assert {"index.html", "04_adversarial.html", "glossary.html"} <= set(texts)
    assert "Attention is not Explanation" in texts["index.html"]
    assert "function(" not in " ".join(texts.values()), "no script is part of a text"


def test_a_wide_figure_fits_an_exported_page(page, tmp_path):
    """Whole, and it says what it shows."""
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="2000pt" height="50pt" viewBox="0 0 2000 50"/>'
    output = nbformat.v4.new_output("display_data", {"image/svg+xml": drawing, "text/plain": "<i>"})
    cell = nbformat.v4.new_code_cell("draw()", outputs=[output], execution_count=1)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "wide.ipynb")
    page.goto(exported(tmp_path / "wide.ipynb").as_uri())
    image = page.locator("img[alt='<i>']").bounding_box()
    assert 400 < image["width"] < 900 and image["height"] == pytest.approx(image["width"] / 40, abs=1)


def test_a_figure_may_have_a_drawing_for_phones(page, tmp_path):
    """It takes the place of the wide one on a narrow screen, under the same words."""
    drawings = {}
    for kind, inches in (("image/svg+xml", 6), (style.NARROW, 3)):
        figure = plt.figure(figsize=(inches, 1))
        drawings[kind] = style.forms(style.drawing(figure), "told")["image/svg+xml"]
        plt.close(figure)
    narrow = plt.figure(figsize=(3, 1))
    found = style.forms(drawings["image/svg+xml"], "told", narrow)
    assert [*found] == ["image/svg+xml", "text/plain", style.NARROW] and not plt.get_fignums()
    assert "told" in found[style.NARROW], "it has the finding as its title, too"
    path = tmp_path / "both.html"
    path.write_text(export_html.image(drawings | {"text/plain": "<i>"}), encoding="utf-8")
    page.goto(path.as_uri())
    image = page.locator("img[alt='<i>']")
    for width, inches in ((390, 3), (1440, 6)):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"Math.abs(document.querySelector('img').naturalWidth - {inches * 96}) <= 1")
        assert image.bounding_box()["width"] == pytest.approx(inches * 96, abs=1)


def test_tables_of_chapters_sort(page, site):
    page.goto((site / "12b_annex.html").as_uri() + "#appendix-the-runs")
    folds = page.locator("details:not(.heed-appendix):has(table.dataframe)")
    long = folds.filter(has_text="Runs gathered here")
    table = long.locator("table.dataframe")
    assert not table.is_visible()
    long.locator("summary").click()
    heads = table.locator("thead th").all_inner_texts()
    k = [h.strip() for h in heads].index("texts")
    for state, wrong in (("ascending", False), ("descending", True)):
        table.locator("thead th button").nth(k).click()
        assert table.locator("thead th").nth(k).get_attribute("aria-sort") == state
        values = [float(x) for x in table.locator(f"tbody td:nth-child({k + 1})").all_inner_texts()]
        assert values == sorted(values, reverse=wrong) and len(set(values)) > 2


def test_a_short_table_is_a_list_on_a_phone(page, site):
    """Every cell then stands in a line of its own, after its column's head, and none is cut."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto((site / "14_lies_and_repairs.html").as_uri())
    table = page.locator("table.dataframe:has(td:nth-child(3))").first
    heads = [head.strip() for head in table.locator("thead th").all_inner_texts()]
    table.wait_for()
    assert not page.locator(".heed-stacked").count(), "there is room"
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_selector(".heed-stacked")
    assert "heed-stacked" in table.get_attribute("class") and not table.locator("thead").is_visible()
    told = (
        table.locator("tbody tr")
        .first.locator("td")
        .evaluate_all("(cells) => cells.map((cell) => getComputedStyle(cell, '::before').content)")
    )
    assert told[0] == "none" and told[1:] == [f'"{head}: "' for head in heads[1:]]
    boxes = page.locator(".heed-wide:has(.heed-stacked)").evaluate_all(
        "(all) => all.map((one) => one.scrollWidth - one.clientWidth)"
    )
    assert boxes and max(boxes) <= 0
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_selector(".heed-stacked", state="detached")


class Links(HTMLParser):
    """Where a page points, and what can be pointed at."""

    def __init__(self, path: Path):
        super().__init__()
        self.to, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        self.to += [given[name] for name in ("href", "src") if given.get(name)]


def test_appendices_are_folded(page, site):
    """Until a reader opens one, follows a link into it, or prints the page."""
    address = (site / "02_correlation.html").as_uri()
    page.goto(address)
    folds = page.locator(".heed-appendix")
    inside = folds.first.locator(":scope > :not(summary)").first
    assert folds.count() and not page.locator(".heed-appendix[open]").count() and not inside.is_visible()
    folds.first.locator(":scope > summary").click()
    assert inside.is_visible()
    last = page.locator("article section[id^='appendix-']").last.get_attribute("id")
    page.goto(f"{address}#{last}")
    page.locator(f"#{last} > .heed-appendix[open] > summary h2").wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".heed-appendix[open]").count() == folds.count()


def test_no_link_is_broken(site, index):
    pages = {path.name: Links(path) for path in site.glob("*.html")}
    for name, found in pages.items():
        for link in found.to:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("https", "data", "mailto"), (name, link)
                continue
            target = unquote(parts.path) or name
            assert (site / target).is_file(), (name, link)
            if parts.fragment and target in pages and target != "browse.html":
                assert unquote(parts.fragment) in pages[target].ids, (name, link)
    runs = {row[0] for row in index["runs"]}
    assert len(runs) == len(index["runs"])
    wanted = [f"runs/{run}.{kind}" for run in runs for kind in ("js", "csv")]
    wanted += [f"measures/{k}.js" for k in range(len(index["measures"]))]
    for figure in index["figures"]:
        wanted += [f"figures/{figure['file']}.svg"]
        wanted += [f"runs/{figure['run']}.csv" if "run" in figure else f"figures/{figure['file']}.csv"]
    missing = [path for path in wanted if not (site / "browse" / path).is_file()]
    assert missing == []


# Browse


def test_the_first_view_reads_what_it_shows(page, site, index):
    """Of 500 runs and more, from file://: the index and one measure; how long that takes is printed."""
    assert len(index["runs"]) > COUNT
    read, taken = [], []
    page.on("request", lambda request: read.append(request.url))
    for _ in range(3):
        page.goto("about:blank")
        read.clear()
        start = time.perf_counter()
        page.goto((site / "browse.html").as_uri())
        page.wait_for_selector(".heed-plot svg a")
        taken.append(time.perf_counter() - start)
    print(f"first view of {len(index['runs'])} runs: {min(taken):.2f} s of {[round(t, 2) for t in taken]}")
    own = [url for url in read if "/browse/" in url]
    assert len(own) == 2 and own[1].endswith(".js")  # index.js and one measure
    opened(page, site, "view=figures")
    page.wait_for_timeout(300)
    assert 0 < page.locator(".heed-figures img").count() < 200 < len(index["figures"])


def test_filters(page, site, index):
    opened(page, site)
    runs = pd.DataFrame(index["runs"], columns=index["columns"])
    status = page.get_by_role("status")
    assert status.inner_text().startswith(f"{len(runs)} of {len(runs)} runs")
    page.get_by_label("sst", exact=True).check()
    page.get_by_label("CNN", exact=True).check()
    wanted = runs[(runs["corpus"] == "sst") & (runs["encoder"] == "cnn")]
    assert status.inner_text().startswith(f"{len(wanted)} of")
    page.get_by_role("tab", name="Runs").click()
    page.wait_for_selector("#view tbody tr")
    assert set(column(page, "corpus")) == {"sst"} and set(column(page, "encoder")) == {"CNN"}
    assert len(column(page, "corpus")) == len(wanted)
    page.get_by_role("tab", name="Figures").click()
    captions = page.locator("figcaption").all_inner_texts()
    assert captions and all("sst" in text for text in captions)
    page.get_by_role("tab", name="Verdict tables").click()
    assert {*column(page, "corpus", "#view .heed-table:first-child table")} <= {"sst"}
    page.reload()
    page.wait_for_selector("#view table")
    assert status.inner_text().startswith(f"{len(wanted)} of")
    page.get_by_role("button", name="Clear filters").click()
    assert status.inner_text().startswith(f"{len(runs)} of")


def test_tables_sort_and_links_keep_the_order(page, site):
    rows = verdict.committed()
    chosen = rows[(rows["corpus"] == "sst") & (rows["measure"] == "tau_loo") & (rows["class"] == "overall")]
    expected = [f"{x:.3f}" for x in chosen["mean"].sort_values(ascending=False)]
    opened(page, site, "view=runs&corpus=sst")
    page.wait_for_selector("#view tbody tr")
    for _ in range(2):
        page.get_by_role("button", name="tau_loo", exact=True).click()
    more = page.get_by_role("button", name=re.compile(r"^Show \d+ more$"))
    assert len(column(page, "tau_loo")) == 100, "a long table begins with a hundred rows"
    more.click()
    shown = column(page, "tau_loo")
    assert [x for x in shown if x != "–"] == expected and shown[len(expected) :] == ["–"] * (
        len(shown) - len(expected)
    )
    assert "sort=runs.tau_loo.down" in page.url
    page.reload()
    page.wait_for_selector("#view tbody tr")
    more.click()
    assert column(page, "tau_loo") == shown


def test_deep_links(page, site, index):
    (run, *_) = [row for row in index["runs"] if row[2:6] == ["sst", "bilstm", "additive", "site"]][0]
    opened(page, site, f"view=plots&measure=tau_gradient&corpus=sst&run={run}")
    dialog = page.get_by_role("dialog")
    dialog.locator("table").wait_for()
    assert dialog.locator("h2").inner_text().startswith("sst, BiLSTM additive, site")
    # Published beside ours, class by class.
    published = verdict.published().query("corpus == 'sst' and encoder == 'bilstm' and source == 'site'")
    value = published.query("measure == 'tau_gradient' and statistic == 'mean' and `class` == '0'")[
        "reported"
    ].iloc[0]
    row = (
        dialog.locator("tbody tr")
        .filter(has_text="Kendall τ of attention and gradient")
        .filter(has_text=f"{value} (site)")
    )
    assert row.count() >= 1
    page.keyboard.press("Escape")
    page.wait_for_function("!location.hash.includes('run=')")
    assert "measure=tau_gradient" in page.url
    assert page.locator("#measure").input_value() == "tau_gradient"
    opened(page, site, f"figure={index['figures'][0]['id']}")
    assert dialog.locator("img").evaluate("(img) => img.decode().then(() => img.naturalWidth > 0)")
    for fragment, says in (
        ("run=<b>nobody</b>", "This site has no run “<b>nobody</b>”."),
        ("figure=x", "no figure “x”"),
    ):
        opened(page, site, fragment)
        assert says in dialog.inner_text()
    opened(page, site, "view=nowhere&measure=nothing&corpus=nobody&sort=a.b")
    assert page.get_by_role("status").inner_text().startswith("0 of")


def test_everything_by_keyboard(page, site):
    opened(page, site, "corpus=sst&corpus=20news&measure=tau_loo")
    page.get_by_role("tab", name="Plots").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-figures"
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("tab", name="Plots").get_attribute("aria-selected") == "true"
    page.wait_for_selector(".heed-plot svg a")
    assert page.locator(".heed-plot svg").first.locator("a[tabindex='0']").count() == 1
    page.locator(".heed-plot svg a").first.focus()
    page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    title = page.get_by_role("dialog").locator("h2")
    title.wait_for()
    assert name.startswith(title.inner_text())
    before = title.inner_text()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(was) => document.querySelector('dialog h2').textContent !== was", arg=before)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("(was) => document.querySelector('dialog h2').textContent === was", arg=before)
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == name  # where it was opened


def test_a_plots_files_hold_its_numbers(page, site, tmp_path):
    opened(page, site, "measure=tau_loo&corpus=sst&profile=site&given=")
    panel = page.locator(".heed-panels figure").first
    panel.locator("svg a").first.wait_for()
    for kind in ("CSV", "SVG"):
        with page.expect_download() as download:
            panel.get_by_role("button", name=kind).click()
        download.value.save_as(tmp_path / f"plot.{kind.lower()}")
    found = pd.read_csv(tmp_path / "plot.csv", keep_default_na=False)
    ours = found[~found["run"].str.startswith("published")]
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'sst' and profile == 'site' and measure == 'tau_loo'"
    )
    rows = rows[rows["class"] == "overall"]
    assert sorted(ours["mean"].astype(float)) == pytest.approx(sorted(rows["mean"]), rel=1e-5)
    assert len(ours) == panel.locator("svg a").count() and len(found) > len(ours)
    drawing = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert browse.harmful(tmp_path / "plot.svg") == "" and drawing.count("<path") >= len(ours)


def test_what_is_wrong_is_said_and_inert(page, site, index):
    half = "planted/cnn-additive/paper-0a1f0a1f/seed0"
    assert [what.partition(".")[0] for path, what in index["problems"] if path == half] == [
        "no summary: a model trained for another run's chapter, or not finished (it has curve)",
        "03_permutation",
    ]
    said = dict(map(tuple, index["problems"]))
    assert "is damaged" in said["planted/bilstm-additive/paper-c0c0c0c0/seed0"]
    assert "of another run" in said["planted/bilstm-additive/paper-07e47e47/seed7"]
    assert any("02_evil.svg" in path and "script" in what or "onload" in what for path, what in said.items())
    opened(page, site, "view=runs&given=hidden%3D3")
    page.wait_for_selector("#view tbody tr")
    assert page.locator("#view tbody").inner_text().count("0123456789ab") == 1
    assert "made by other versions of the library" in page.locator("#browse").inner_text()
    page.locator(".heed-problems summary").click()
    assert "or not finished (it has curve)" in page.locator(".heed-problems").inner_text()
    for view in ("plots", "runs", "tables", "figures"):
        opened(page, site, f"view={view}&corpus={HOSTILE}")
        page.wait_for_timeout(200)
        assert page.locator("img[src='x'], #browse script, #browse iframe").count() == 0
    opened(page, site, f"view=runs&corpus={HOSTILE}")
    page.locator("#view tbody a").first.click()
    text = page.get_by_role("dialog").inner_text()
    assert HOSTILE in text and SCRIPT in text
    page.get_by_role("dialog").locator("img").wait_for()  # the harmless figure of the two
    page.goto((site / "index.html").as_uri())
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(page, site, scheme):
    page.emulate_media(color_scheme=scheme)
    sst = "browse.html#corpus=sst"
    views = [
        "index.html",
        "00_start.html",
        "api.html",
        "corpora.html",
        "checkpoints.html",
        "schemas.html",
        sst,
    ]
    if scheme == "light":
        views += [f"{sst}&view={name}" for name in ("runs", "figures", "tables")]
        views += ["browse.html#corpus=babi1&run=missing"]
    for view in views:
        page.goto("about:blank")
        page.goto(f"{site.as_uri()}/{view}")
        page.wait_for_timeout(400)
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        grave = [v for v in found if v["impact"] in ("serious", "critical")]
        assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in grave] == [], view


# What is built


def test_figures_that_are_more_than_images_are_left_out(tmp_path):
    head, bad = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"', {}
    bad["script"] = f"{head}><script>alert(1)</script></svg>"
    bad["onload"] = f'{head} onload="alert(1)"/>'
    bad["foreignobject"] = f"{head}><foreignObject/></svg>"
    bad["href"] = f'{head}><use x:href="https://example.org/a.svg#b"/></svg>'
    bad["element a"] = f'{head}><a href="#b"/></svg>'
    bad["style"] = f"{head}><style>@import url(https://example.org/a.css);</style></svg>"
    bad["fill"] = f'{head}><path fill="url(https://example.org/a)"/></svg>'
    bad["entities"] = f'<!DOCTYPE svg [<!ENTITY a "b">]>{head}/>'
    bad["can't be read"] = "<svg"
    for name, text in bad.items():
        path = tmp_path / "bad.svg"
        path.write_text(text)
        assert name in browse.harmful(path)
    (tmp_path / "link.svg").symlink_to(tmp_path / "bad.svg")
    assert browse.harmful(tmp_path / "link.svg") == "no plain file"
    for path in (paths.DATA / "results" / "figures").glob("*.svg"):
        assert browse.harmful(path) == ""
    words = ["\\", "@import", "url(https://example.org/a)", "$x$", "<a>"]  # under bars they are words
    drawing = figures.save(figures.bars(words, {"attention": np.ones(5)}), tmp_path / "words.svg")
    assert browse.harmful(drawing) == ""


WORDS = st.text(st.characters(codec="utf-8")) | st.sampled_from(
    ["=1+1", "-2", "a,b", 'a"b', SCRIPT, "\u202e"]
)
ROW = st.tuples(WORDS, st.integers(0, 10**6), *[st.floats(width=32) | st.floats(0, 1)] * len(browse.NUMBERS))


@given(st.lists(ROW, min_size=1, max_size=5))
def test_rows_of_numbers_are_written_as_one_by_one(tmp_path_factory, rows):
    """Many at once, as the page's JSON and as CSV: what `plain` and Python's own modules make of each."""
    table = pd.DataFrame(rows, columns=["class", "run", *browse.NUMBERS])
    read = json.loads(f"[{','.join(browse.as_json(table).to_pylist())}]")
    assert len(read) == len(rows)
    for found, row in zip(read, rows, strict=True):
        expected = browse.plain(list(row))
        assert found[:2] == expected[:2]
        numbers = zip(found[2:], expected[2:], strict=True)
        # The sixth digit of what lies halfway may be the other one; what is next to nought is nought.
        assert all(
            a == b or (b is not None and a == pytest.approx(b, rel=6e-6, abs=1e-295)) for a, b in numbers
        )
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    browse.to_csv(path, browse.for_spreadsheet(table))
    with open(path, encoding="utf-8", newline="") as file:
        heads, *lines = csv.reader(file)
    assert heads == [*table]
    for line, (text, run, *numbers) in zip(lines, rows, strict=True):
        assert line[0] == (f"'{text}" if text.startswith(("=", "+", "-", "@")) else text)
        assert line[1] == str(run)
        assert [float(cell) if cell else np.nan for cell in line[2:]] == pytest.approx(numbers, nan_ok=True)


@pytest.mark.thorough
def test_committed_runs_alone_show_no_text(tmp_path):
    """Without a results folder: the committed numbers and text-free figures, and nothing else."""
    found = browse.gather(tmp_path / "nothing")
    browse.write(tmp_path / "site", found)
    assert found.problems == []
    drawn = {path.stem for path in (tmp_path / "site" / "figures").glob("*.svg")}
    carried = {path.stem for path in (paths.DATA / "results" / "figures").glob("*.svg")}
    assert drawn == carried - {"emblem"}, "which is of no run"
    assert len(list((tmp_path / "site" / "runs").glob("*.js"))) == len(
        found.rows.drop_duplicates(verdict.RUN)
    )
    back = pd.concat(pd.read_csv(path) for path in (tmp_path / "site" / "runs").glob("*.csv"))
    assert len(back) == len(verdict.committed())


def test_every_number_has_its_chapter():
    """Chapter 01 is what is left: the scores, and what is noted of the word vectors."""
    names = verdict.committed()["measure"].unique()
    scores = {"accuracy", "auc", "f1", "vectors_norm", "vectors_without"}
    assert {name for name in names if browse.chapter_of(name) == "01"} == scores
    assert len({browse.slug(name) for name in [*names, "a/b", "a-b", "a b", "é", ".."]}) == len(names) + 5


def test_only_a_site_is_replaced(tmp_path, monkeypatch, capsys):
    """And a fault is a sentence; nothing half-built stays."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["make site", "--out", str(tmp_path / "mine")])
    assert make_site.main() == 2
    assert "is no site of heed's" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "thesis.txt"]
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path / "mine")
    (tmp_path / "mine" / "00_start.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    monkeypatch.setattr(sys, "argv", ["make site", "--out", str(tmp_path / "new")])
    assert make_site.main() == 2
    assert re.search(r"00_start.ipynb has no outputs. Execute it first", capsys.readouterr().err)
    assert not (tmp_path / "new").exists() and not list(tmp_path.glob("*.partial"))
