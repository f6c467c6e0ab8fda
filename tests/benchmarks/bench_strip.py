"""How fluid the strip is: frames of a drag by length, the buttons' seconds, in headless Chromium."""

import shutil

import numpy as np
from playwright.sync_api import sync_playwright

from heed.models.fine_tuning import Sizes, drawn, save
from heed.models.head import Head, from_bytes
from heed.own_models import evidence_from_hf
from heed.show.strip import TokenStrip

LENGTHS = (20, 200, 4000)
FRAMES = """() => new Promise((done) => {
  const column = document.querySelectorAll(".hs-tok .hs-col")[10], box = column.getBoundingClientRect();
  const strip = document.querySelector(".hs-strip"), times = [], work = [];
  strip.setPointerCapture = () => {};
  const fire = (kind, y) => column.dispatchEvent(new PointerEvent(kind,
    {bubbles: true, clientX: box.x + 10, clientY: y, pointerId: 1, pointerType: "mouse", button: 0}));
  fire("pointerdown", box.bottom);
  let n = 0, last = performance.now();
  const step = (now) => {
    times.push(now - last), (last = now);
    if (n++ === 120) return fire("pointerup", box.bottom), done(times.slice(1));
    fire("pointermove", box.bottom - 8 - 50 * Math.abs(Math.sin(n / 10)));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def bench_drag(tmp_path):
    """Time between frames while one bar moves all others; seconds until open, and of each button."""
    rng = np.random.default_rng(0)
    wide = from_bytes(_tanh(128, 50).to_bytes())
    cases = [(f"one logit, {T:,} tokens", rng.normal(0, 2, T), Head("identity", "sigmoid")) for T in LENGTHS]
    cases.append(("tanh, 128 columns, 50 classes, 4,000 tokens", rng.normal(0, 1, (4000, 128)), wide))
    for name, values, head in cases:
        words = [f"word{t % 611}" for t in range(len(values))]
        a = rng.dirichlet(np.full(len(values), 0.3))
        _measured(TokenStrip(words, a, values, head), name, tmp_path)


def bench_drag_of_a_tail(tmp_path):
    """The same of a head of a transformer of MiniLM's sizes, with drawn weights."""
    pieces = [f"word{t % 97}" for t in range(98)]
    texts = [" ".join(pieces[:18]), " ".join(pieces)]
    folder = tmp_path / "model"
    save(*drawn(texts, ("a", "b"), Sizes(hidden=384, layers=1, heads=12, inner=1536)), folder)
    for row in evidence_from_hf(folder, texts).of("head 3"):
        _measured(TokenStrip(row), f"a tail of 384 and 1,536, {len(row.units)} pieces", tmp_path)


def _measured(strip: TokenStrip, name: str, folder) -> None:
    """Print how fluid a strip's page is."""
    path = strip.save(folder / "strip.html")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector(".hs-tok")
        opened = page.evaluate("performance.now()")
        times = np.array(page.evaluate(FRAMES))
        seconds = {}
        for button in ("Permute", "Exact adversary", "Best adversary", "Paper's adversary"):
            if page.get_by_role("button", name=button, exact=True).count():
                start = page.evaluate("performance.now()")
                page.get_by_role("button", name=button, exact=True).click()
                page.wait_for_function("document.querySelector('.hs-working').hidden", timeout=300_000)
                seconds[button] = round((page.evaluate("performance.now()") - start) / 1000, 2)
        browser.close()
    print(
        f"\n{name}: {path.stat().st_size / 1e6:.1f} MB, open in {opened / 1000:.2f} s; frames of a drag: "
        f"median {np.median(times):.1f} ms, 95 % {np.quantile(times, 0.95):.1f} ms, longest "
        f"{times.max():.1f} ms; seconds: {seconds}"
    )


def _tanh(width: int, classes: int) -> Head:
    import torch

    torch.manual_seed(0)
    return Head("tanh", "softmax", torch.nn.Linear(width, classes).double())
