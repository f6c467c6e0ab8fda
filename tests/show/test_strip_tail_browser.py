"""The strip of a transformer's head in a real browser: Python's numbers, shared weights, pages, Jupyter."""

import csv
import json
import re

import nbformat
import numpy as np
import pytest
import torch

import lab
from heed.measures import exact, search
from heed.measures.divergence import jsd, tvd
from heed.models.decoder import as_tensor
from heed.show.strip import TokenStrip, moved, parts, what_if
from heed.show.words import visible
from show.test_strip_browser import FRAME, HIGH, drag, module, press, shown, weights
from show.test_strip_tail import TEXT, tail_row, told, two_rows
from small_transformers import build

__all__ = ["module", "tail_row", "two_rows"]  # fixtures

# Its weights as an element of the page, and heed.of(state) with them.
PUT = """(page) => {
  const found = new DOMParser().parseFromString(page, "text/html").querySelector('[data-heed="weights"]');
  document.body.append(found);
  heed.of = (state) => {
    const get = (name) => state[name];
    return heed.read(get, heed.weightsOf({ get }));
  };
}"""


@pytest.fixture
def computed(module, tail_row):
    """The module, given a tail's weights, and the state of its strip."""
    page = TokenStrip(tail_row).to_html()
    module.evaluate(PUT, page)
    return module, told(page)[0][0]


def test_the_browser_computes_what_python_does(computed, tail_row):
    module, state = computed
    rng = np.random.default_rng(3)
    for _ in range(4):
        a = rng.dirichlet(np.full(len(tail_row.units), 0.3))
        y, each, change, rough, same = module.evaluate(
            """([s, a]) => {
              const m = heed.of(s), w = Float64Array.from(a), found = heed.parts(m, w);
              const rough = heed.sum(heed.parts(m, w, true).parts), same = heed.parts(m, m.original).parts;
              return [heed.probs(m, w), [...found.parts], found.change, rough, [...same]];
            }""",
            [state, a.tolist()],
        )
        np.testing.assert_allclose(y, tail_row.probs(a), atol=1e-6)
        np.testing.assert_allclose(each, parts(tail_row, a), atol=1e-6)
        assert sum(each) == pytest.approx(change, abs=1e-9) and rough == pytest.approx(change, abs=1e-9)
        assert not any(same)


def test_the_browsers_gradient_is_autograds(computed, tail_row):
    module, state = computed
    rng = np.random.default_rng(4)
    z, g = tail_row.shift + rng.normal(0, 0.3, 12), rng.normal(size=3)
    found = module.evaluate(
        "([s, z, g]) => { const { tail } = heed.of(s);"
        "return [...tail.back(tail.forth(Float64Array.from(z)), Float64Array.from(g))]; }",
        [state, z.tolist(), g.tolist()],
    )
    at = torch.tensor(z, requires_grad=True)
    tail_row.head.raw_logits(at).backward(as_tensor(g, "g"))
    np.testing.assert_allclose(found, at.grad, atol=1e-6 * float(at.grad.abs().max()) + 1e-9)


@pytest.mark.parametrize("epsilon", [0.001, 0.02, 0.2])
def test_the_browsers_adversaries_are_pythons(computed, tail_row, epsilon):
    module, state = computed
    row = tail_row
    best = exact.optimum(row, epsilon)
    run = "([s, e]) => heed.list(heed.run(heed.best(heed.of(s), e)))"
    found = module.evaluate(run, [state, epsilon])
    assert (best is None) == (found is None)
    if best is not None:
        assert found["jsd"] == pytest.approx(best.jsd, abs=1e-6) and not found["exact"] and not found["cut"]
        there = np.array(found["attention"])
        assert tvd(row.probs(there), row.prediction) <= epsilon + 1e-6
    # The paper's search: from the same start the same 30 steps.
    how, T = search.Search(steps=30, epsilon=epsilon), len(row.units)
    a, v, shift = (as_tensor(x, "row")[None] for x in (row.attention, row.values, row.shift))
    mask = torch.ones_like(a, dtype=torch.bool)
    given = [row.id], a, v, shift, mask, None, how
    ends = search.search(row.head, *given, 0)[0].numpy()
    kept = ends[tvd(row.probs(ends), row.prediction) <= how.epsilon]
    begin = search.start([row.id], [T], how, 0, T)[0].tolist()
    run = (
        "([s, e, l]) => heed.list(heed.run(heed.search(heed.of(s), e, l.map((x) => Float64Array.from(x)),"
        "{steps: 30})))"
    )
    found = module.evaluate(run, [state, epsilon, begin])
    assert (found is None) == (len(kept) == 0)
    if found is not None:
        np.testing.assert_allclose(found["attention"], kept[jsd(kept, row.attention).argmax()], atol=1e-5)


def test_what_is_dear_is_tried_in_part_and_said_so(computed, tail_row):
    module, state = computed
    run = "(s) => { const m = heed.of(s); return [m.cost, heed.effort(m)]; }"
    cost, whole = module.evaluate(run, state)
    assert cost == 12 * 20 * 2 + 12 * 12 + 12 * 3 and whole["isWhole"]
    # As if a prediction cost as much as MiniLM's, and as much as that of a model so wide that ten are all.
    run = """([s, cost]) => {
      const m = heed.of(s), own = m.tail.logits;
      let n = 0;
      m.cost = cost;
      m.tail.logits = (z) => (n++, own.call(m.tail, z));
      const found = heed.run(heed.best(m, 0.02));
      return [heed.effort(m), found && { ...found, attention: found.attention && [...found.attention] }, n];
    }"""
    how, found, tried = module.evaluate(run, [state, 1.33e6])
    assert (how["grid"], how["starts"], how["isWhole"]) == (8, 2, False) and 10 < how["tokens"] < 20
    assert tried <= how["most"] + how["turns"]
    best = exact.optimum(tail_row, 0.02)
    if found is not None and found["attention"]:
        assert 0 < found["jsd"] <= best.jsd + 1e-6
        assert tvd(tail_row.probs(np.array(found["attention"])), tail_row.prediction) <= 0.02 + 1e-6
    how, found, tried = module.evaluate(run, [state, 3e8])
    assert how["starts"] == 1 and tried <= 10 + how["turns"] and (found is None or "cut" in found)


# The page


def two(page, tmp_path, rows):
    """Both strips in one page, with one element of weights."""
    first, second = map(TokenStrip, rows)
    source = f"{first.still()}{second.still()}{first.alive(second)}"
    (tmp_path / "two.html").write_text(f"<!doctype html><title>two</title>{source}", encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    page.locator(".hs-root").nth(1).wait_for()


def test_two_strips_live_on_one_element(page, tmp_path, two_rows):
    two(page, tmp_path, two_rows)
    assert (
        page.locator('[data-heed="weights"]').count() == 1
        and page.locator(".hs-problem:visible").count() == 0
    )
    for k, row in enumerate(two_rows):
        strip = page.locator(".hs-root").nth(k)
        assert strip.locator(".hs-marker").count() == 2
        heads = "What moves is head {} of 3 of the last layer (layer 2 of 2); the others stay as they are."
        assert strip.locator(".hs-given").inner_text() == heads.format(row.head.head + 1)
        strip.get_by_role("button", name="Uniform", exact=True).click()
        page.evaluate(FRAME)
        said = strip.locator(".hs-half").nth(1).locator(":scope > .hs-class b").all_inner_texts()
        found = what_if(row, np.full(len(row.units), 1 / len(row.units)))
        assert [float(x) for x in said] == pytest.approx([found["tvd"], found["jsd"]], abs=6e-4)
    words = page.locator(".hs-root").nth(1).locator(".hs-word").all_inner_texts()
    assert words == [visible(word) for word in two_rows[1].units], "hostile ones are text"


def test_a_strip_lives_and_what_it_saves_lives(page, tmp_path, two_rows):
    row = two_rows[0]
    page.goto(TokenStrip(row).save(tmp_path / "one.html").as_uri())
    page.wait_for_selector(".hs-tok")
    assert shown(page) == (0, 0)
    drag(page, 4, 40)
    page.evaluate(FRAME)
    expected = moved(row.attention, 4, min(np.sqrt(row.attention[4]) + 40 / HIGH, 1) ** 2)
    np.testing.assert_allclose(weights(page), expected, atol=1e-7)
    found = what_if(row, weights(page))
    assert shown(page) == pytest.approx((found["tvd"], found["jsd"]), abs=6e-4)
    assert "integrated along the straight line" in page.locator(".hs-why").inner_text()
    for name in ("Permute", "Invert", "Erase top", "Best adversary", "Paper's adversary"):
        press(page, name)
        found = what_if(row, weights(page))
        assert shown(page) == pytest.approx((found["tvd"], found["jsd"]), abs=6e-4)
    for kind in ("CSV", "HTML", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        download.value.save_as(tmp_path / f"saved.{kind.lower()}")
    with open(tmp_path / "saved.csv", encoding="utf-8", newline="") as file:
        each = [float(line["part_of_logit_change"]) for line in csv.DictReader(file)]
    now = weights(page)
    np.testing.assert_allclose(each, parts(row, now), atol=1e-6)
    page.goto((tmp_path / "saved.html").as_uri())
    page.wait_for_selector(".hs-tok")
    np.testing.assert_allclose(weights(page), now, atol=1e-12)
    press(page, "Uniform")
    found = what_if(row, weights(page))
    assert found["jsd"] > 0 and shown(page) == pytest.approx((found["tvd"], found["jsd"]), abs=6e-4)


def test_in_a_drag_the_parts_are_rough_and_then_exact(page, tmp_path, two_rows):
    row = two_rows[0]
    page.goto(TokenStrip(row).save(tmp_path / "one.html").as_uri())
    page.wait_for_selector(".hs-tok")
    box = page.locator(".hs-tok .hs-col").nth(4).bounding_box()
    page.mouse.move(box["x"] + 15, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 15, box["y"] + 20)
    page.evaluate(FRAME)
    during = page.locator(".hs-why").inner_text()
    page.mouse.up()
    page.evaluate(FRAME)
    after = page.locator(".hs-why").inner_text()
    change = parts(row, weights(page)).sum()
    for said in (during, after):
        told_change = re.search(r"changed by ([+−]?[\d.]+)", said)[1].replace("−", "-")
        assert float(told_change) == pytest.approx(change, abs=6e-3)


def test_a_page_without_the_weights_says_so(page, tmp_path, two_rows):
    source = re.sub(
        r'<script data-heed="weights".*?</script>\n', "", TokenStrip(two_rows[0]).to_html(), count=1
    )
    (tmp_path / "without.html").write_text(f"<!doctype html><title>x</title>{source}", encoding="utf-8")
    page.goto((tmp_path / "without.html").as_uri())
    assert "weights of this strip's model are not on this page" in page.locator(".hs-problem").inner_text()
    cut = re.sub(
        r'(type="text/plain">[^<]{40})[^<]+(</script>)', r"\1\2", TokenStrip(two_rows[0]).to_html(), count=1
    )
    (tmp_path / "cut.html").write_text(f"<!doctype html><title>x</title>{cut}", encoding="utf-8")
    page.goto((tmp_path / "cut.html").as_uri())
    assert "were cut or changed" in page.locator(".hs-problem").inner_text()


def test_in_jupyterlab_two_strips_share_a_widget(page, tmp_path):
    build("bert", tmp_path / "model")
    kernel = {"name": "python3", "display_name": "Python 3"}
    book = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    book.cells = [nbformat.v4.new_code_cell(cell) for cell in (
        "import heed\nfrom heed.own_models import evidence_from_hf\n"
        f"found = evidence_from_hf('model', [{TEXT!r}])\n"
        "one, other = (heed.TokenStrip(found.of(f'head {k}')[0]) for k in (0, 2))\none",
        "other",
        "other.attention = [0.5, 0.5] + [0] * (len(other.tokens) - 2)\n"
        "print('SAYS', [round(float(p), 4) for p in other.row.probs(other.attention)])",
    )]  # fmt: skip
    nbformat.write(book, tmp_path / "book.ipynb")
    with lab.serving(tmp_path, tmp_path / "server") as here:
        lab.let_in(page, here)
        page.goto(f"{here}lab/tree/book.ipynb")
        cells = page.locator(".jp-CodeCell")
        cells.nth(2).wait_for(timeout=60_000)
        status = page.locator("#jp-main-statusbar", has_text=re.compile(r"Python 3 \(ipykernel\) \| Idle"))
        status.wait_for(timeout=60_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.locator(".hs-root .hs-tok").first.wait_for(timeout=120_000)
        said = page.locator(".jp-OutputArea-output", has_text="SAYS")
        said.wait_for(timeout=60_000)
        p = json.loads(said.inner_text().strip()[5:])
        second = page.locator(".hs-root").nth(1)
        second.locator(".hs-status", has_text="Set from code").wait_for(timeout=20_000)
        names = second.locator(".hs-half").first.locator(".hs-class bdi").all_inner_texts()
        values = second.locator(".hs-half").first.locator(".hs-class b").all_inner_texts()
        order = [["bad", "so so", "good"].index(name) for name in names]
        assert [float(x) for x in values] == pytest.approx([p[c] for c in order], abs=6e-4)
        page.locator(".hs-tok").first.focus()
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        page.wait_for_function("!document.title.startsWith('*')", timeout=20_000)
    saved = json.loads((tmp_path / "book.ipynb").read_text())
    outputs = [
        "".join(out["data"]["text/html"])
        for cell in saved["cells"]
        for out in cell["outputs"]
        if "data" in out
    ]
    assert [len(told(source)[1]) for source in outputs] == [1, 0], "the first cell's output carries them"
