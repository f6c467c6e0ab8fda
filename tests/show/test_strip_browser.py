"""The token strip in a real browser: Python's numbers, hands, hostile words, files, links, JupyterLab."""

import csv
import json
import os
import re
from importlib.resources import files
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch

import lab
from heed.evidence import Row
from heed.measures import exact, search
from heed.measures.divergence import jsd, tvd
from heed.models.head import Head
from heed.show import colours
from heed.show.beside import Beside
from heed.show.strip import HANDS, TokenStrip, moved, parts, what_if
from heed.show.words import visible
from shown import HOSTILE, SOURCE, hostile, rows

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def module(page, tmp_path):
    """The module's functions, as `heed` in a page."""
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>blank</title>")
    page.goto(blank.as_uri())
    names = re.findall(r"^export (?:const|function\*?|class) (\w+)", SOURCE, re.M)
    page.add_script_tag(content=f"{SOURCE}\nwindow.heed = {{{', '.join(names)}}};", type="module")
    page.wait_for_function("window.heed")
    page.evaluate("""() => {
      heed.run = (steps) => { for (;;) { const s = steps.next(); if (s.done) return s.value; } };
      heed.of = (state) => heed.read((name) => state[name]);
      heed.list = (found) => found && {...found, attention: [...found.attention]};
    }""")
    return page


def state(row: Row, **more) -> dict:
    found = re.search(r'data-heed="state">(.*?)</script>', TokenStrip(row, **more).to_html(), re.S).group(1)
    return json.loads(found)


def test_the_browser_computes_what_python_does(module):
    rng = np.random.default_rng(3)
    for name, row in rows().items():
        for _ in range(5):
            a = rng.dirichlet(np.full(9, 0.3))
            y, far, each = module.evaluate(
                "([s, a]) => { const m = heed.of(s), w = Float64Array.from(a);"
                "return [heed.probs(m, w), heed.jsd(w, m.original), [...heed.parts(m, w).parts]]; }",
                [state(row), a.tolist()],
            )
            np.testing.assert_allclose(y, row.probs(a), atol=1e-7, err_msg=name)
            assert far == pytest.approx(jsd(a, row.attention), abs=1e-7)
            np.testing.assert_allclose(each, parts(row, a), atol=1e-6)


def test_the_browser_moves_as_python_does(module):
    rng = np.random.default_rng(4)
    cases = [(rng.dirichlet(np.full(n, 0.4)), int(rng.integers(n)), float(rng.random()), rng.random(n) < 0.3)
             for n in rng.integers(2, 12, 60)]  # fmt: skip
    cases.append((np.array([0.0, 1.0, 0.0]), 1, 0.4, np.zeros(3, bool)))
    given = [[a.tolist(), t, w, pins.tolist()] for a, t, w, pins in cases]
    found = module.evaluate(
        "all => all.map(([a, t, w, p]) => heed.move(Float64Array.from(a), t, w, p)).map((b) => b && [...b])",
        given,
    )
    for (a, t, w, pins), b in zip(cases, found, strict=True):
        pins[t] = False
        if pins.sum() == len(a) - 1:
            assert b is None
        else:
            np.testing.assert_allclose(b, moved(a, t, w, np.flatnonzero(pins)), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.2])
def test_the_browsers_optimum_is_pythons(module, epsilon):
    for seed, (name, row) in [(drawn, item) for drawn in range(3) for item in rows(drawn).items()]:
        expected = exact.optimum(row, epsilon)
        found = module.evaluate(
            "([s, e]) => heed.list(heed.run(heed.best(heed.of(s), e)))", [state(row), epsilon]
        )
        if expected is None:
            assert found is None
            continue
        assert found["exact"] == row.head.one_logit
        assert found["jsd"] == pytest.approx(expected.jsd, abs=1e-6), (name, seed)
        there = np.array(found["attention"])
        assert tvd(row.probs(there), row.prediction) <= epsilon + 1e-7
        assert jsd(there, row.attention) == pytest.approx(found["jsd"], abs=1e-7)


def test_the_browsers_search_is_the_papers(module):
    """From the same start the same 30 steps lead to the same attention; the best within ε is taken."""
    how = search.Search(steps=30, epsilon=0.05)
    for row in list(rows(1).values())[:4]:
        a, v = torch.from_numpy(row.attention)[None], torch.from_numpy(row.values)[None]
        allowed = None if row.allowed is None else torch.from_numpy(row.allowed)[None]
        mask = torch.ones_like(a, dtype=torch.bool)
        given = [row.id], a, v, torch.from_numpy(row.shift)[None], mask, allowed, how, 0
        ends = search.search(row.head, *given)[0].numpy()
        kept = ends[tvd(row.probs(ends), row.prediction) <= how.epsilon]
        begin = search.start([row.id], [9], how, 0, 9)[0].tolist()
        found = module.evaluate(
            "([s, l]) => heed.list(heed.run(heed.search(heed.of(s), 0.05,"
            "l.map((x) => Float64Array.from(x)), {steps: 30})))",
            [state(row), begin],
        )
        assert (found is None) == (len(kept) == 0)
        if found is not None:
            best = kept[jsd(kept, row.attention).argmax()]
            np.testing.assert_allclose(found["attention"], best, atol=1e-5)


def test_links_carry_weights_and_refuse_what_does_not_fit(module):
    a = np.random.default_rng(0).dirichlet(np.ones(7))
    for name in ("test-1", "a b/ü:<script>", "strip"):
        fragment = module.evaluate("([n, a]) => heed.encode(n, a)", [name, a.tolist()])
        assert re.fullmatch(r"strip=[\w%.!~*'()-]+:[\w-]+", fragment)
        back = module.evaluate("([f, n]) => [...heed.decode('#' + f, n, 7)]", [fragment, name])
        np.testing.assert_allclose(back, a, atol=1e-7)
    assert module.evaluate("f => heed.decode(f, 'another', 7)", fragment) is None
    tried = "([f, n]) => { try { heed.decode(f, 'strip', n); return ''; } catch (e) { return e.message; } }"
    assert "7 weights for 8 tokens" in module.evaluate(tried, [fragment, 8])
    assert "was cut or changed" in module.evaluate(tried, [fragment[:-3], 7])
    bad = module.evaluate("heed.encode('strip', [NaN, 1])"), module.evaluate("heed.encode('strip', [2, -1])")
    assert "not a number" in module.evaluate(tried, [bad[0], 2])
    assert "below 0" in module.evaluate(tried, [bad[1], 2])


def test_words_are_shown_as_python_shows_them(module):
    joined = [
        "👩🏽‍🚀",
        "❤️‍🔥",
        "می‌خواهم",
        "क्‍ष",
        "a\u200db",
        "a\u200c",
        "\u200dक",
        "ب\u200d\u200dب",
        "👩\u200c🚀",
    ]
    blank = ["\u0301x", "\u3164", "a\u034fb", "\u115f\u200d\u1160", "\u2800", "\u0301\u200dب", ""]
    words = [*HOSTILE, *joined, *blank, "\ud800", "\ufeff", "\u2066x", "\u2028", "é", "漢字"]
    shown = module.evaluate("s => JSON.parse(s).map(heed.visible)", json.dumps(words))
    assert shown == [visible(word) for word in words]


# The page


def opened(page, tmp_path, row: Row, fragment: str = "", **more):
    """The row's saved page, opened from file://."""
    path = TokenStrip(row, **more).save(tmp_path / f"page-{len(list(tmp_path.iterdir()))}.html")
    page.goto(path.as_uri() + fragment)
    page.wait_for_selector(".hs-root")
    return page


def weights(page) -> np.ndarray:
    """The attention that the strip of a static page holds."""
    found = page.evaluate("""() => { const x = document.querySelector('.heed-strip').strip.get('attention');
      return [...(x instanceof DataView ? new Float64Array(x.buffer) : x)]; }""")
    return np.array(found)


HIGH = 160  # of a bar of weight 1, in pixels
# What a press changes is drawn with the next frame.
FRAME = "() => new Promise((on) => requestAnimationFrame(() => requestAnimationFrame(on)))"


def shown(page) -> tuple[float, float]:
    """TVD and JSD as the reader sees them."""
    page.evaluate(FRAME)
    cells = page.locator(".hs-half").nth(1).locator(":scope > .hs-class b").all_inner_texts()
    return float(cells[0]), float(cells[1])


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_function("document.querySelector('.hs-working').hidden")
    page.evaluate(FRAME)


def drag(page, t: int, up: float) -> None:
    box = page.locator(".hs-tok .hs-col").nth(t).bounding_box()
    x, y = box["x"] + 15, box["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - up / 2)
    page.mouse.move(x, y - up)
    page.mouse.up()


@pytest.mark.parametrize("kind", list(rows()))
def test_a_static_page_shows_what_python_computes(page, tmp_path, kind):
    row = rows(2)[kind]
    opened(page, tmp_path, row, question="is it <good>")
    assert shown(page) == (0, 0) and "is it <good>" in page.locator(".hs-given").first.inner_text()
    for name in ("Uniform", "Permute", "Invert", "Erase top"):
        press(page, name)
        found = what_if(row, weights(page))
        assert shown(page) == pytest.approx((found["tvd"], found["jsd"]), abs=6e-4)
    best = exact.optimum(row, 0.01)
    press(page, "Exact adversary" if row.head.one_logit else "Best adversary")
    if best is not None:
        found = what_if(row, weights(page))
        assert found["jsd"] == pytest.approx(best.jsd, abs=1e-6) and found["tvd"] <= 0.01 + 1e-7
    press(page, "Original")
    np.testing.assert_allclose(weights(page), row.attention, atol=1e-8)


def test_hands(page, tmp_path):
    row = rows(3)["binary"]
    opened(page, tmp_path, row)
    a, tokens = row.attention, page.locator(".hs-tok")
    drag(page, 4, 30)
    expected = min(np.sqrt(a[4]) + 30 / HIGH, 1) ** 2
    np.testing.assert_allclose(weights(page), moved(a, 4, expected), atol=1e-7)
    press(page, "Undo")
    np.testing.assert_allclose(weights(page), a, atol=1e-8)
    press(page, "Redo")
    np.testing.assert_allclose(weights(page), moved(a, 4, expected), atol=1e-7)
    press(page, "Original")
    # The keyboard: one stop for Tab, arrows within.
    assert page.locator(".hs-tok[tabindex='0']").count() == 1
    tokens.nth(4).focus()
    for key, weight in {"ArrowUp": 0.01, "PageUp": 0.1, "PageDown": -0.1, "ArrowDown": -0.01}.items():
        before = weights(page)
        page.keyboard.press(key)
        wanted = np.clip(before[4] + weight, 0, 1)
        np.testing.assert_allclose(weights(page), moved(before, 4, wanted), atol=1e-9)
    for key, t in {"ArrowRight": 5, "ArrowLeft": 4, "End": 8, "Home": 0}.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.hs") == t
    page.keyboard.press("p")
    page.wait_for_timeout(200)
    # The weights moved just before: what would have been said of them is not said over the pin.
    assert "is pinned" in page.locator(".hs-status").inner_text()
    before = weights(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    np.testing.assert_allclose(weights(page), moved(before, 1, 0, [0]), atol=1e-9)
    # A number, by Enter and by a click; what is no weight is refused in one sentence.
    page.keyboard.press("Enter")
    page.keyboard.type("0,25")
    page.keyboard.press("Enter")
    assert weights(page)[1] == pytest.approx(0.25) and page.evaluate("document.activeElement.hs") == 1
    page.keyboard.type(".5")  # a digit or a point opens the box
    page.keyboard.press("Enter")
    assert weights(page)[1] == pytest.approx(0.5) and page.evaluate("document.activeElement.hs") == 1
    tokens.nth(3).locator(".hs-col").click()
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    assert page.locator(".hs-problem").inner_text() == "A weight is a number from 0 to 1, not “1.5”."
    for t in [2, 3, 4, 5, 6, 7, 8]:
        tokens.nth(t).focus()
        page.keyboard.press("p")
    tokens.nth(1).focus()
    page.keyboard.press("ArrowUp")
    assert "all other tokens are pinned" in page.locator(".hs-problem").inner_text()
    page.wait_for_timeout(200)
    pinned = page.locator(".hs-pinned")
    assert pinned.count() == 8
    press(page, "Undo")  # a pin is undone as a weight is
    assert pinned.count() == 7 and tokens.nth(8).get_attribute("class").find("pinned") < 0
    press(page, "Redo")
    assert pinned.count() == 8
    page.wait_for_timeout(200)
    node = tokens.nth(0)
    assert (
        node.get_attribute("role") == "slider"
        and node.get_attribute("aria-label") == "word0, token 1 of 9, marker"
    )
    assert "pinned" in node.get_attribute("aria-valuetext")
    assert float(node.get_attribute("aria-valuenow")) == pytest.approx(weights(page)[0], abs=1e-4)


ARABIC = ["<s>", "هذا", "الفيلم", "ليس", "سيئًا", "2024", "</s>"]


def test_a_text_from_right_to_left_reads_so_and_arrows_move_as_the_eye_expects(page, tmp_path):
    head, real = Head("identity", "sigmoid"), [False, True, True, True, True, True, False]
    strip = TokenStrip(ARABIC, np.full(7, 1 / 7), np.arange(7.0), head, real=real, classes=["سلبي", "إيجابي"])
    page.goto(strip.save(tmp_path / "arabic.html").as_uri())
    tokens = page.locator(".hs-tok")
    x = [tokens.nth(t).bounding_box()["x"] for t in range(7)]
    assert x == sorted(x, reverse=True) and x[0] > 700  # the first word stands at the right end
    tokens.nth(2).focus()
    for key, t in {"ArrowLeft": 3, "ArrowRight": 2, "End": 6, "Home": 0}.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.hs") == t
    page.keyboard.press("ArrowRight")  # at the beginning already
    assert page.evaluate("document.activeElement.hs") == 0
    drag(page, 3, 30)
    np.testing.assert_allclose(
        weights(page), moved(np.full(7, 1 / 7), 3, (7**-0.5 + 30 / HIGH) ** 2), atol=1e-7
    )
    page.evaluate(FRAME)
    # In sentences a word is isolated, or it would take the number beside it along.
    assert "“\u2068ليس\u2069”: weight" in page.locator(".hs-detail").inner_text()
    # The rest of the strip is English, from left to right; so is what is saved.
    original, uniform = (page.get_by_role("button", name=n, exact=True) for n in ("Original", "Uniform"))
    assert original.bounding_box()["x"] < uniform.bounding_box()["x"]
    with page.expect_download() as download:
        page.get_by_role("button", name="HTML", exact=True).click()
    download.value.save_as(tmp_path / "saved.html")
    page.goto((tmp_path / "saved.html").as_uri())
    assert "\u2068" not in page.title() and "2068" not in page.title()
    assert tokens.nth(0).bounding_box()["x"] > tokens.nth(6).bounding_box()["x"]


def test_the_number_box_of_a_text_from_right_to_left_is_at_its_token(page, tmp_path):
    """Of a long one, too, which wraps and scrolls."""
    n = 400
    row = TokenStrip(["كلمة"] * n, np.full(n, 1 / n), np.arange(n), Head("identity", "sigmoid")).row
    opened(page, tmp_path, row)
    for t in (0, 7, n - 1):
        token = page.locator(".hs-tok").nth(t)
        token.focus()
        page.keyboard.press("Enter")
        box, at = page.locator(".hs-box").bounding_box(), token.bounding_box()
        assert abs(box["x"] + box["width"] / 2 - at["x"] - at["width"] / 2) < 30
        assert abs(box["y"] - at["y"]) < 12
        page.keyboard.press("Escape")


def test_words_that_browsers_compose_stay_whole(page, tmp_path):
    words = [
        "👩🏽‍🚀",
        "👨‍👩‍👧‍👦",
        "❤️‍🔥",
        "🏳️‍🌈",
        "e\u0301",
        "می‌خواهم",
        "क्‍ष",
        "漢字",
        "这是一个没有空格的很长的子句" * 8,
    ]
    n = len(words)
    row = TokenStrip(words, np.full(n, 1 / n), np.arange(n), Head("identity", "sigmoid")).row
    opened(page, tmp_path, row)
    assert page.locator(".hs-word").all_inner_texts() == words
    frame = page.locator(".hs-strip").bounding_box()
    last = page.locator(".hs-tok").nth(n - 1).bounding_box()
    assert frame["x"] <= last["x"] and last["x"] + last["width"] <= frame["x"] + frame["width"]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def classes_shown(page) -> list[str]:
    """The names of the classes, from above, as the panel has them."""
    return page.locator(".hs-half").first.locator(".hs-class > bdi").all_inner_texts()


def test_of_more_classes_the_predicted_comes_first_and_the_label_by_its_name(page, tmp_path):
    words, names = ["not", "so", "bad"], ["negative", "neutral", "positive"]
    values = np.array([[0, 1, 3.0], [0, 2, 0], [5, 0, 0]])
    strip = TokenStrip(
        words, [0.8, 0.1, 0.1], values, Head("identity", "softmax"), classes=names, label="negative"
    )
    page.goto(strip.save(tmp_path / "three.html").as_uri())
    given = page.locator(".hs-given").inner_text()
    assert given == "Label: negative; the model predicts positive, which is wrong"
    order = [names[c] for c in np.argsort(-strip.row.prediction)]
    assert classes_shown(page) == order and order[0] == "positive"
    assert page.locator(".hs-top > bdi").inner_text() == "positive"
    notes = page.locator(".hs-half").first.locator(".hs-was").all_inner_texts()
    assert [note.endswith(", label") for note in notes] == [name == "negative" for name in order]
    page.locator(".hs-tok").nth(2).focus()
    for _ in range(9):
        page.keyboard.press("PageUp")
    page.evaluate(FRAME)
    assert page.locator(".hs-top > bdi").inner_text() == "negative"  # what it would predict now
    assert classes_shown(page) == order  # and no row moves under the hand
    assert "The logit of positive changed by" in page.locator(".hs-why").inner_text()


def test_of_25_classes_six_are_shown_with_the_predicted_the_label_and_what_is_predicted_now(page, tmp_path):
    rng, head = np.random.default_rng(0), Head("identity", "softmax")
    values = rng.normal(0, 1, (4, 25))
    names = [f"topic {c}" for c in range(25)]
    last = int(head.probs(values.mean(0), 0).argmin())
    strip = TokenStrip(["a", "b", "c", "d"], np.full(4, 0.25), values, head, classes=names, label=last)
    page.goto(strip.save(tmp_path / "many.html").as_uri())
    predicted = names[strip.row.prediction.argmax()]
    assert classes_shown(page)[:2] == [predicted, names[last]] and len(classes_shown(page)) == 6
    assert "and 19 other classes" in page.locator(".hs-others").inner_text()
    for t in range(4):
        page.locator(".hs-tok").nth(t).focus()
        for _ in range(10):
            page.keyboard.press("PageUp")
        page.evaluate(FRAME)
        now = names[strip.row.probs(np.eye(4)[t]).argmax()]
        assert classes_shown(page)[:2] == [predicted, names[last]] and now in classes_shown(page)
        assert page.locator(".hs-top > bdi").inner_text() == now


def test_copy_game_and_both_adversaries(page, tmp_path):
    row = rows(1)["binary"]
    searched = exact.optimum(row, 0.005).attention(9)  # stands for what a run's search found
    opened(page, tmp_path, row, epsilon=0.05, found=searched)
    press(page, "Paper's adversary")
    np.testing.assert_allclose(weights(page), searched, atol=1e-8)
    assert "the run's search" in page.locator(".hs-status").inner_text()
    press(page, "Keep a copy")
    press(page, "Uniform")
    shown(page)
    flat = np.full(9, 1 / 9)
    table = page.locator(".hs-compare tbody tr").all_inner_texts()
    assert f"{jsd(flat, searched):.3f}" in table[3] and f"{jsd(searched, row.attention):.3f}" in table[2]
    press(page, "Swap")
    np.testing.assert_allclose(weights(page), searched, atol=1e-8)
    press(page, "Drop the copy")
    shown(page)
    assert not page.locator(".hs-compare").is_visible()
    press(page, "Original")
    press(page, "Game")
    optimum = exact.optimum(row, 0.05).jsd
    score = page.locator(".hs-game b")
    page.wait_for_function("document.querySelector('.hs-game b').textContent.includes('%')")
    assert f"Best so far 0.000 nats of {optimum:.3f} (exact optimum): 0 %" == score.inner_text()
    press(page, "Exact adversary")  # doesn't count
    assert weights(page) == pytest.approx(exact.optimum(row, 0.05).attention(9), abs=1e-6)
    shown(page)
    assert score.inner_text().startswith("Best so far 0.000")
    page.locator(".hs-tok").nth(int(row.attention.argmax())).focus()
    page.keyboard.press("ArrowUp")  # nor does what hands make of it
    page.keyboard.press("ArrowDown")
    shown(page)
    assert what_if(row, weights(page))["tvd"] <= 0.05 and score.inner_text().startswith("Best so far 0.000")
    press(page, "Original")
    page.locator(".hs-tok").nth(int(row.attention.argmax())).focus()
    page.keyboard.press("ArrowDown")
    shown(page)
    now = what_if(row, weights(page))
    assert now["tvd"] <= 0.05 and score.inner_text().startswith(f"Best so far {now['jsd']:.3f}")
    # Another ε has no search of the run: it is run here, and what it finds is within ε.
    page.get_by_role("slider", name="ε").press("ArrowRight")
    press(page, "Paper's adversary")
    found = what_if(row, weights(page))
    assert found["tvd"] <= 0.1 + 1e-9 and 0.3 < found["jsd"] <= exact.optimum(row, 0.1).jsd + 1e-9


def test_hostile_words_are_inert_and_shown(page, tmp_path):
    names = {"classes": ["<b>no</b>", "</script><script>alert(1)</script>"], "label": 1}
    row = hostile()
    strip = TokenStrip(HOSTILE, row.attention, row.values, row.head, name="</title><img src=x>",
                       question="<img src=x onerror=alert(3)>\u202e", **names)  # fmt: skip
    page.goto(strip.save(tmp_path / "hostile.html").as_uri())
    before = page.evaluate("document.querySelectorAll('script, img, iframe, a, b b').length")
    assert before == 2  # the state and the module
    assert page.locator(".hs-word").all_inner_texts() == [visible(word) for word in HOSTILE]
    for name in ("Permute", "Exact adversary", "Keep a copy", "Game"):
        press(page, name)
    page.wait_for_timeout(300)
    assert page.evaluate("document.querySelectorAll('script, img, iframe, a, b b').length") == 2
    for kind in ("HTML", "SVG", "PNG", "CSV"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        assert re.fullmatch(r"strip-[\w-]+\.\w+", download.value.suggested_filename)
        download.value.save_as(tmp_path / f"saved.{kind.lower()}")
    svg = ElementTree.parse(tmp_path / "saved.svg").getroot()
    assert {node.tag.rpartition("}")[2] for node in svg.iter()} == {"svg", "rect", "text"}
    assert "<script>alert(1)</script>" in [node.text for node in svg.iter()]
    with open(tmp_path / "saved.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [r["token"] for r in table][:2] == ["<script>alert(1)</script>", "</td></tr>"] and len(
        table
    ) == len(HOSTILE)
    np.testing.assert_allclose([float(r["attention"]) for r in table], weights(page), atol=1e-12)
    now = weights(page)
    page.goto((tmp_path / "saved.html").as_uri())
    assert page.locator(".hs-tok").count() == len(HOSTILE)
    assert page.evaluate("document.querySelectorAll('script, img, iframe, a, b b').length") == 2
    np.testing.assert_allclose(weights(page), now, atol=1e-12)
    press(page, "Uniform")  # it lives
    np.testing.assert_allclose(weights(page), 1 / len(HOSTILE))


def test_a_cell_that_a_spreadsheet_would_compute_is_quoted(page, tmp_path):
    words = ["=1+1", "-", "+x", "@y", "plain", 'a"b,c']
    opened(
        page, tmp_path, TokenStrip(words, np.full(6, 1 / 6), np.arange(6), Head("identity", "sigmoid")).row
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        assert [r["token"] for r in csv.DictReader(file)] == ["'=1+1", "-", "'+x", "'@y", "plain", 'a"b,c']


def test_a_link_carries_weights_and_a_bad_one_is_refused(page, tmp_path):
    row = rows(4)["binary"]
    opened(page, tmp_path, row)
    press(page, "Permute")
    press(page, "Link")
    page.wait_for_function("document.querySelector('.hs-address').value.includes('#strip=')")
    link, there = page.locator(".hs-address").input_value(), weights(page)
    page.goto("about:blank")
    page.goto(link)
    np.testing.assert_allclose(weights(page), there, atol=1e-7)
    page.goto("about:blank")
    page.goto(link[:-6])
    assert "The link" in page.locator(".hs-problem").inner_text()
    np.testing.assert_allclose(weights(page), row.attention, atol=1e-8)
    page.goto("about:blank")
    page.goto(link.replace("strip=binary", "strip=other"))
    assert not page.locator(".hs-problem").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, tmp_path, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    opened(page, tmp_path, rows()["many classes"], question="why")
    for name in ("Permute", "Keep a copy", "Game", "Link"):
        press(page, name)
    page.locator(".hs-tok").nth(2).focus()
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    page.locator(".hs-help summary").click()
    page.wait_for_timeout(200)
    page.evaluate(AXE)  # the page's own engine, not a request
    found = page.evaluate(
        "axe.run().then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes.map((n) => n.html)]))"
    )
    assert [v for v in found if v[0] in ("serious", "critical")] == []


def test_the_modules_live_alone_as_well_as_joined(page, tmp_path):
    """Served as they lie in the folder, they import one another; joined, they share a scope."""
    page.unroute_all()

    def serve(route):
        name = route.request.url.rpartition("/")[2]
        source = (HANDS / name).read_text(encoding="utf-8") if name else "<!doctype html><div></div>"
        route.fulfill(body=source, content_type="text/javascript" if name else "text/html")

    page.route("http://modules.test/**", serve)
    page.goto("http://modules.test/")
    values = state(rows()["binary"])
    found = page.evaluate(
        """async (values) => {
          const { render } = await import("http://modules.test/strip.js"), el = document.querySelector("div");
          const model = { get: (name) => values[name], set() {}, on() {}, off() {}, save_changes() {} };
          const close = render({ model, el }), count = el.querySelectorAll(".hs-tok").length;
          close();
          return count;
        }""",
        values,
    )
    assert found == 9


def finger(chromium, tmp_path, row: Row, **more):
    """A phone's page with the strip on it; its context is to be closed."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(TokenStrip(row, **more).save(tmp_path / "phone.html").as_uri())
    page.wait_for_selector(".hs-root")
    return page


def test_a_pin_by_mouse_and_by_finger(page, chromium, tmp_path):
    row = rows()["binary"]
    opened(page, tmp_path, row)
    page.locator(".hs-pin").nth(2).click()
    page.evaluate(FRAME)
    assert "pinned" in page.locator(".hs-tok").nth(2).get_attribute("class")
    assert "is pinned" in page.locator(".hs-status").inner_text()
    assert not page.locator(".hs-box").is_visible() and page.locator(".hs-pinned").count() == 1
    page.locator(".hs-pin").nth(2).click()
    page.evaluate(FRAME)
    assert page.locator(".hs-pinned").count() == 0
    press(page, "Undo")
    assert page.locator(".hs-pinned").count() == 1
    phone = finger(chromium, tmp_path, row)
    phone.locator(".hs-pin").nth(4).tap()
    phone.evaluate(FRAME)
    assert "pinned" in phone.locator(".hs-tok").nth(4).get_attribute("class")
    target = phone.locator(".hs-pin").nth(4).bounding_box()
    assert target["width"] >= 24 and target["height"] >= 24  # WCAG 2.2, target size
    phone.locator(".hs-word").nth(3).tap()
    assert phone.locator(".hs-box").is_visible()
    phone.context.close()


@pytest.mark.parametrize("zoom", [4, 64])
def test_small_weights_can_be_enlarged(page, tmp_path, zoom):
    row = rows(3)["binary"]
    opened(page, tmp_path, row)
    page.get_by_label("how many times a weight is enlarged").select_option(str(zoom))
    page.evaluate(FRAME)
    shares = page.evaluate(
        "[...document.querySelectorAll('.hs-col')].map((c) => Number(c.style.getPropertyValue('--now')))"
    )
    high = np.sqrt(zoom * row.attention)
    np.testing.assert_allclose(shares, np.minimum(high, 1), atol=1 / 320)
    is_cut = [t for t in range(9) if "cut" in page.locator(".hs-col").nth(t).get_attribute("class")]
    assert is_cut == np.flatnonzero(high > 1.001).tolist()
    t = int(row.attention.argmin())
    drag(page, t, 30)
    expected = min((high[t] + 30 / HIGH) ** 2 / zoom, 1)
    np.testing.assert_allclose(weights(page), moved(row.attention, t, expected), atol=1e-7)


@pytest.mark.parametrize("width", [390, 1440])
def test_what_a_drag_does_is_seen_beside_the_hand(page, tmp_path, width):
    """Wherever the panel is: the prediction, the weight, the TVD; and all places say the same."""
    row = rows(2, length=60)["binary"]
    page.set_viewport_size({"width": width, "height": 844})
    opened(page, tmp_path, row)
    token = page.locator(".hs-tok").nth(int(row.attention.argmax()))
    token.scroll_into_view_if_needed()
    box, bubble = token.locator(".hs-col").bounding_box(), page.locator(".hs-bubble")
    assert not bubble.is_visible()
    page.mouse.move(box["x"] + 15, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 160)
    page.wait_for_timeout(150)  # a drag tells the kernel ten times a second
    page.mouse.move(box["x"] + 15, box["y"] + 200)
    page.evaluate(FRAME)
    now = what_if(row, weights(page))
    there = bubble.bounding_box()
    assert there["x"] >= 0 and there["x"] + there["width"] <= width and there["y"] >= 0
    assert there["y"] + there["height"] <= 844
    assert shown(page) == pytest.approx((now["tvd"], now["jsd"]), abs=6e-4)
    said, status = bubble.inner_text(), page.locator(".hs-status").inner_text()
    tvd_said = f"{shown(page)[0]:.3f}"
    assert tvd_said in said and tvd_said in status and f"{now['prediction'].max():.3f}" in said
    assert f"JSD {shown(page)[1]:.3f}" in said
    assert page.locator(".hs-status").get_attribute("aria-live") == "off"
    page.mouse.up()
    page.evaluate(FRAME)
    assert page.locator(".hs-status").get_attribute("aria-live") == "polite"
    bubble.wait_for(state="hidden", timeout=6000)


@pytest.mark.parametrize("length", [5, 40])
def test_parts_get_room_from_the_first_move_on_and_nothing_jumps_under_the_hand(page, tmp_path, length):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, tmp_path, rows(0, length=length)["binary"])
    last, lane = page.locator(".hs-tok").last, page.locator(".hs-lane").last
    last.scroll_into_view_if_needed()
    assert lane.bounding_box()["height"] == 8
    box = last.locator(".hs-col").bounding_box()
    page.mouse.move(box["x"] + 15, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 40)
    page.evaluate(FRAME)
    assert lane.bounding_box()["height"] == (80 if length == 5 else 8)
    assert last.locator(".hs-col").bounding_box()["y"] == pytest.approx(box["y"], abs=1)
    page.mouse.up()
    page.evaluate(FRAME)
    assert lane.bounding_box()["height"] == 80
    assert last.locator(".hs-col").bounding_box()["y"] == pytest.approx(box["y"], abs=1)


def test_a_refusal_stands_beside_its_token(page, tmp_path):
    opened(page, tmp_path, rows()["binary"])
    for t in range(1, 9):
        page.locator(".hs-pin").nth(t).click()
    page.locator(".hs-tok").nth(0).focus()
    page.keyboard.press("ArrowUp")
    said = page.locator(".hs-bubble")
    assert "all other tokens are pinned" in said.inner_text()
    at, token = said.bounding_box(), page.locator(".hs-tok").nth(0).bounding_box()
    assert abs(at["y"] + at["height"] - token["y"]) < 12 and at["x"] < token["x"] + token["width"]
    page.keyboard.press("Escape")
    assert not said.is_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_a_long_text_has_an_overview_on_which_the_adversary_is_seen(page, tmp_path, width):
    rng = np.random.default_rng(0)
    a, r = rng.dirichlet(np.full(1500, 0.3)), rng.normal(0, 2, 1500)
    row = TokenStrip([f"w{t}" for t in range(1500)], a, r, Head("identity", "sigmoid")).row
    page.set_viewport_size({"width": width, "height": 844})
    opened(page, tmp_path, row)
    overview = page.locator(".hs-overview")
    assert overview.is_visible() and "no weight changed" in overview.inner_text()
    zoom = int(page.get_by_label("how many times a weight is enlarged").input_value())
    assert zoom * a.max() <= 1 < 4 * zoom * a.max() or zoom == 64  # so that something is seen
    press(page, "Exact adversary")
    far = np.flatnonzero(np.abs(weights(page) - a) >= 0.02)
    assert all(f"“w{t}” ▲" in overview.inner_text() for t in far) and len(far) in (1, 2)
    assert all(f"w{t}" in overview.locator("canvas").get_attribute("aria-label") for t in far)
    press(page, "Largest change")
    t = int(np.abs(weights(page) - a).argmax())
    assert page.evaluate("document.activeElement.hs") == t
    frame = page.locator(".hs-strip").bounding_box()
    token = page.locator(".hs-tok").nth(t).bounding_box()
    assert frame["y"] - 1 <= token["y"] <= frame["y"] + frame["height"]
    canvas = overview.locator("canvas").bounding_box()
    page.mouse.click(canvas["x"] + 0.9 * canvas["width"], canvas["y"] + 20)
    page.evaluate(FRAME)
    y = [page.locator(".hs-tok").nth(n).bounding_box()["y"] for n in (1350, 10)]
    frame = page.locator(".hs-strip").bounding_box()
    assert frame["y"] <= y[0] <= frame["y"] + frame["height"] and y[1] < frame["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_saved_picture_has_the_parts_and_the_copy(page, tmp_path):
    row = rows(2)["binary"]
    opened(page, tmp_path, row)
    press(page, "Keep a copy")
    press(page, "Uniform")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        download.value.save_as(tmp_path / f"saved.{kind.lower()}")
    saved, light = (tmp_path / "saved.svg").read_text(encoding="utf-8"), colours.STRIP["light"]
    each = parts(row, np.full(9, 1 / 9))
    drawn = {name: saved.count(f'fill="{light[name]}"') for name in ("more", "less", "copy-ink")}
    seen = np.abs(each) * 80 / np.abs(each).max() >= 0.5
    assert drawn == {"more": (each[seen] > 0).sum(), "less": (each[seen] < 0).sum(), "copy-ink": 9}
    image = plt.imread(tmp_path / "saved.png")
    size = [float(x) for x in re.search(r'viewBox="0 0 (\S+) (\S+)"', saved).groups()]
    assert image.shape[:2] == (2 * round(size[1]), 2 * round(size[0]))
    assert np.ptp(image[..., :3]) > 0.5 and (image[0, 0, :3] == 1).all()  # bars on paper


def test_on_paper_the_bars_stay_and_the_tools_go(page, tmp_path):
    opened(page, tmp_path, rows()["binary"])
    page.emulate_media(media="print")
    assert not page.locator(".hs-tools").first.is_visible()
    assert page.locator(".hs-strip").is_visible()
    style = "getComputedStyle(document.querySelector('.hs-col'))"
    assert page.evaluate(f"{style}.printColorAdjust") == "exact"
    assert page.evaluate("getComputedStyle(document.querySelector('.hs-strip')).maxHeight") == "none"


def test_words_that_the_model_does_not_know_are_marked(page, tmp_path):
    row = rows()["binary"]
    opened(page, tmp_path, row, known=[t != 3 for t in range(9)])
    token = page.locator(".hs-tok").nth(3)
    assert page.locator(".hs-unknown").count() == 1 and "unknown" in token.get_attribute("class")
    assert token.get_attribute("aria-label").endswith("unknown to the model")
    assert "wavy" in page.evaluate(
        "getComputedStyle(document.querySelector('.hs-unknown .hs-word')).textDecorationStyle"
    )


def test_a_persons_marks_stand_under_the_words(page, tmp_path):
    """A line, said to those who can't see it, and in what is saved; without marks nothing of it."""
    row = rows()["binary"]
    opened(page, tmp_path, row, marked=[t in (3, 4) for t in range(9)])
    assert page.locator(".hs-marked").count() == 2
    token = page.locator(".hs-tok").nth(3)
    assert token.get_attribute("aria-label").endswith("marked by a person")
    assert "marked by a person" in token.get_attribute("title")
    shadow = "getComputedStyle(document.querySelector('.hs-marked .hs-word')).boxShadow"
    assert page.evaluate(shadow) != "none"
    said = page.get_by_text("a person marked it as the reason")
    assert said.count() == 1
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("position,token,real,marked,original")
    assert [line.split(",")[3] for line in lines[1:]] == [*"000110000"]
    opened(page, tmp_path, row)
    assert page.locator(".hs-marked").count() == 0
    assert said.count() == 0


def test_two_models_on_one_text(page, tmp_path):
    first, second = rows(1)["binary"], rows(2)["binary"]
    both = Beside(first, second, names=("cnn", "bilstm"))
    (tmp_path / "both.html").write_text(
        f"<!doctype html><title>both</title>{both.to_html()}", encoding="utf-8"
    )
    page.goto((tmp_path / "both.html").as_uri())
    page.locator(".hs-root").nth(1).wait_for()
    page.evaluate(FRAME)
    strips = page.locator(".hs-root")
    apart = f"predictions TVD {both.apart['tvd']:.3f}, attention JSD {both.apart['jsd']:.3f} nats"
    for n, other in ((0, "bilstm"), (1, "cnn")):
        assert (
            strips.nth(n).locator(".hs-couple p").inner_text() == f"Against {other}, as both stand: {apart}."
        )
    held = """() => [...document.querySelectorAll('.heed-strip')].map((el) => {
      const x = el.strip.get('attention');
      return [...(x instanceof DataView ? new Float64Array(x.buffer) : x)];
    })"""
    strips.nth(1).get_by_role("button", name="Take its weights").click()
    page.evaluate(FRAME)
    np.testing.assert_allclose(page.evaluate(held)[1], first.attention, atol=1e-8)
    assert "attention JSD 0.000" in strips.nth(0).locator(".hs-couple p").inner_text()
    strips.nth(1).get_by_role("button", name="Undo").click()
    strips.nth(1).get_by_role("button", name="Give it these weights").click()
    np.testing.assert_allclose(page.evaluate(held)[0], second.attention, atol=1e-8)
    strips.nth(0).get_by_role("button", name="Original").click()
    before = page.evaluate(held)
    strips.nth(0).get_by_role("button", name="Move both alike").click()
    page.evaluate(FRAME)
    assert page.evaluate(held) == before, "from the next move on"
    pressed = [
        b.get_attribute("aria-pressed") for b in page.get_by_role("button", name="Move both alike").all()
    ]
    assert pressed == ["true", "true"]
    drag(page, 4, 40)
    one, other = page.evaluate(held)
    expected = moved(first.attention, 4, min(np.sqrt(first.attention[4]) + 40 / HIGH, 1) ** 2)
    np.testing.assert_allclose(one, expected, atol=1e-7)
    np.testing.assert_allclose(other, one, atol=1e-12)
    strips.nth(1).locator(".hs-tok").nth(2).focus()
    page.keyboard.press("PageUp")
    one, other = page.evaluate(held)
    np.testing.assert_allclose(one, other, atol=1e-12)
    assert one[2] == pytest.approx(expected[2] + 0.1)
    x = [strips.nth(n).locator(".hs-tok").nth(5).bounding_box()["x"] for n in (0, 1)]
    assert x[0] == x[1]  # the same tokens stand below one another


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_heatmap_has_the_page_behind_it_and_a_phone_scrolls_it(chromium, tmp_path, scheme):
    """Where no script runs: no pale slabs on a dark page, no row of a word a line, numbers apart."""
    row = rows(0, length=40)["binary"]
    path = TokenStrip(row).save(tmp_path / "plain.html")
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, color_scheme=scheme
    )
    page = context.new_page()
    page.goto(path.as_uri())
    least = page.locator("bdi").nth(int(row.attention.argmin()))
    colour = least.evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert re.fullmatch(r"rgba\(217, 95, 2, 0(\.\d+)?\)", colour)
    cell = page.locator("td").first.bounding_box()
    assert cell["width"] >= 150
    assert page.locator("td").nth(1).evaluate("(node) => getComputedStyle(node).paddingLeft") == "8px"
    assert page.locator("main").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    context.close()


def test_bars_are_there_in_a_forced_contrast(page, tmp_path):
    """Windows' high contrast takes backgrounds away; a bar is one, and has to stay."""
    page.emulate_media(forced_colors="active")
    opened(page, tmp_path, rows()["many classes"])
    for part in (".hs-col", ".hs-lane", ".hs-fill"):
        style = page.evaluate(f"getComputedStyle(document.querySelector('{part}')).background")
        assert "gradient" in style or "rgb(" in style and part == ".hs-fill", (part, style)


def test_a_cancelled_drag_leaves_nothing(page, tmp_path):
    """The browser takes the pointer away, to scroll: view, kernel and screen readers have the old weights."""
    row = rows()["binary"]
    opened(page, tmp_path, row)
    said = "[...document.querySelectorAll('.hs-tok')].map((t) => t.getAttribute('aria-valuenow'))"
    before = page.evaluate(said)
    box = page.locator(".hs-tok .hs-col").nth(1).bounding_box()
    page.mouse.move(box["x"] + 15, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 10)
    page.wait_for_timeout(150)  # a drag tells the kernel ten times a second
    page.mouse.move(box["x"] + 15, box["y"] + 5)
    page.evaluate(FRAME)
    assert page.evaluate(said) != before and not np.allclose(weights(page), row.attention, atol=1e-3)
    page.locator(".hs-tok .hs-col").nth(1).dispatch_event("pointercancel", {"bubbles": True})
    assert shown(page) == (0, 0) and page.evaluate(said) == before
    np.testing.assert_allclose(weights(page), row.attention, atol=1e-8)


def test_without_scripts_the_table_stays(chromium, tmp_path):
    path = TokenStrip(rows()["binary"]).save(tmp_path / "plain.html")
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert page.locator("bdi").count() == 9 and page.locator(".hs-root").count() == 0


def test_four_thousand_tokens_are_drawn_and_moved(page, tmp_path):
    rng = np.random.default_rng(0)
    a, r = rng.dirichlet(np.full(4000, 0.3)), rng.normal(size=4000)
    row = TokenStrip([f"w{t}" for t in range(4000)], a, r, Head("identity", "sigmoid")).row
    opened(page, tmp_path, row)
    drag(page, 10, 40)
    assert what_if(row, weights(page))["jsd"] == pytest.approx(shown(page)[1], abs=6e-4)
    press(page, "Exact adversary")
    assert what_if(row, weights(page))["jsd"] == pytest.approx(exact.optimum(row, 0.01).jsd, abs=1e-6)


# Notebooks


def test_in_jupyterlab_hands_reach_the_kernel_and_code_reaches_the_strip(page, tmp_path):
    book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    book.cells = [nbformat.v4.new_code_cell(cell) for cell in (
        "from heed import Head, TokenStrip\n"
        "strip = TokenStrip(['a', 'b', 'c'], [.2, .3, .5], [1., -1, 2], Head('identity', 'sigmoid'))\nstrip",
        "print('HELD', [round(float(w), 4) for w in strip.attention])",
        "strip.attention = [.6, .3, .1]",
        "strip.attention = [.6, .6, .6]",
        "strip.show(['other', 'words'], [.5, .5], [1., 2], Head('identity', 'sigmoid'), question='why')",
    )]  # fmt: skip
    nbformat.write(book, tmp_path / "book.ipynb")
    with lab.serving(tmp_path, tmp_path / "server") as here:
        lab.let_in(page, here)
        page.goto(f"{here}lab/tree/book.ipynb")
        cells = page.locator(".jp-CodeCell")
        cells.nth(3).wait_for(timeout=60_000)

        def run(i: int) -> None:
            """As a reader does: press, and press again where JupyterLab, still starting, let it go by."""
            prompt = cells.nth(i).locator(".jp-InputPrompt")
            before = prompt.inner_text()
            ran = re.compile(rf"(?!{re.escape(before)})\[\d+\]:")
            for _ in range(6):
                cells.nth(i).locator(".cm-content").click()
                cells.nth(i).locator(".cm-editor.cm-focused").wait_for()  # keys pressed before go nowhere
                page.keyboard.press("Control+Enter")
                page.wait_for_timeout(1000)
                if prompt.inner_text() != before:  # [*] or its number
                    break
            cells.nth(i).locator(".jp-InputPrompt", has_text=ran).wait_for(timeout=60_000)

        status = page.locator("#jp-main-statusbar", has_text=re.compile(r"Python 3 \(ipykernel\) \| Idle"))
        status.wait_for(timeout=60_000)
        run(0)
        page.wait_for_selector(".hs-tok", timeout=60_000)
        drag(page, 0, 20)
        run(1)
        held = page.locator(".jp-OutputArea-output", has_text="HELD")
        expected = moved(np.array([0.2, 0.3, 0.5]), 0, (np.sqrt(0.2) + 20 / HIGH) ** 2)
        held.wait_for(timeout=20_000)
        assert json.loads(held.inner_text().strip()[5:]) == pytest.approx(expected, abs=1e-4)
        page.locator(".hs-tok").nth(1).focus()
        page.keyboard.press("PageUp")
        press(page, "Uniform")
        page.wait_for_timeout(300)
        run(1)
        page.wait_for_function(
            "document.body.innerText.includes('HELD [0.3333, 0.3333, 0.3333]')", timeout=20_000
        )
        run(2)
        page.wait_for_function(
            "Math.abs(document.querySelector('.hs-tok').getAttribute('aria-valuenow') - 0.6) < 1e-6",
            timeout=20_000,
        )
        assert page.locator(".hs-num").first.inner_text() == "0.60"
        run(3)
        page.wait_for_function("!document.querySelector('.hs-problem').hidden", timeout=20_000)
        assert (
            page.locator(".hs-problem").inner_text()
            == "attention: the weights sum to 1.8, they must sum to 1."
        )
        run(4)
        page.wait_for_function("document.querySelectorAll('.hs-tok').length === 2", timeout=20_000)
        assert page.locator(".hs-word").all_inner_texts() == ["other", "words"]
        assert not page.locator(".hs-problem").is_visible()
        # Keys that are shortcuts of the notebook: on a token and on a button they stay in the strip.
        for place in (page.locator(".hs-tok").first, page.get_by_role("button", name="Uniform")):
            place.focus()
            for key in (
                "m",
                "b",
                "a",
                "x",
                "c",
                "v",
                "d",
                "d",
                "z",
                "Shift+M",
                "Escape",
                "y",
                "r",
                "j",
                "0",
                "0",
            ):
                place.focus()
                page.keyboard.press(key)
            page.keyboard.press("Escape")
            page.wait_for_timeout(300)
            assert cells.count() == 5 and page.locator(".jp-Cell").count() == 5
            assert not page.locator("dialog.jp-Dialog").count()
        page.locator(".hs-tok").first.focus()
        page.keyboard.press("Control+s")  # and keys of JupyterLab's with Ctrl go there
        page.wait_for_function("!document.title.startsWith('*')", timeout=20_000)
        shots = os.environ.get("STRIP_SHOTS")
        if shots:
            page.screenshot(path=f"{shots}/lab.png")


def test_what_a_search_found_is_known(page, tmp_path):
    """Where there is no exact optimum, the best known is no worse than what the search has just found."""
    row = rows(3, length=9)["tanh"]
    opened(page, tmp_path, row)
    found = {}
    for name in ("Best adversary", "Paper's adversary", "Best adversary"):
        press(page, name)
        found[name] = shown(page)[1]
    assert found["Best adversary"] >= found["Paper's adversary"] - 1e-9
