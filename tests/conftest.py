"""What the tests share: made-up models, a cache of their own, one small finished run, a browser."""

import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

import made_up
from heed.evidence import Evidence, collect
from heed.runs.products import files
from heed.runs.run import Run

# What helpers assert is told in full, as in a test.
pytest.register_assert_rewrite("refusals", "shown", "kills")

# The same examples each time: a test that passes today passes tomorrow. To look for more:
# pytest --hypothesis-profile search
settings.register_profile("heed", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("heed")

SMALL = {
    "made_train": 60,
    "made_dev": 40,
    "made_test": 30,
    "epochs": 2,
    "embedding_dim": 8,
    "hidden": 4,
    "cnn_filters": 2,
    "average_dim": 8,
    "resamples": 50,
    "search_steps": 20,
    "other_seeds": [1, 2],
    "lambdas": [0.01, 0.1],
    "adversary_epochs": 2,
    "guided_dim": 8,
    "watch_every": 2,
    "watched_texts": 7,
}


def pytest_addoption(parser):
    """For the benchmarks: a trained run to measure on."""
    parser.addoption("--run", help="folder of a finished BiLSTM run: results/CORPUS/MODEL/VARIANT/seedN")


def pytest_collection_modifyitems(items):
    """Skip, in so many words, what needs the corpora where there are none."""
    if os.environ.get("HEED_MIRROR"):
        return
    skip = pytest.mark.skip(reason="needs a local mirror of the corpora: set HEED_MIRROR to its folder")
    for item in items:
        if item.get_closest_marker("mirror"):
            item.add_marker(skip)


@pytest.fixture(scope="session", params=made_up.every_case(), ids=lambda case: case.name)
def case(request) -> made_up.Case:
    """Each model in turn, with the texts that it reads."""
    return request.param


@pytest.fixture(scope="module")
def evidence(case) -> Evidence:
    """The case's evidence."""
    return collect(case.model, case.data, 64)


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """A cache folder that the test has for itself, and no mirror."""
    monkeypatch.setenv("HEED_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HEED_MIRROR", raising=False)
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def small():
    """A function that names a small run on `planted` (a second or so): small(results, epochs=3, seed=1)."""

    def run(results, corpus="planted", encoder="average", attention="additive", seed=0, **other) -> Run:
        return Run.of(
            results, corpus=corpus, encoder=encoder, attention=attention, seed=seed, set=SMALL | other
        )

    return run


@pytest.fixture(scope="session")
def finished(small, tmp_path_factory) -> Run:
    """A small run that has every product. Read it; to change it, take `copied`."""
    run = small(tmp_path_factory.mktemp("finished"))
    for product in files():
        run.ensure(product)
    return run


@pytest.fixture
def copied(finished, small, tmp_path) -> Run:
    """A copy of the finished run, to be damaged."""
    run = small(tmp_path)
    shutil.copytree(finished.folder, run.folder)
    return run


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no chromium here: sh tests/chromium.sh installs Debian's")
        pytest.skip("no chromium here: sh tests/chromium.sh installs Debian's (as root)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page whose requests, dialogs and errors are noted; nothing but file:// and blob: gets out."""
    context = chromium.new_context(viewport={"width": 900, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.requested, page.dialogs, page.errors = [], [], []

    def route(route):
        page.requested.append(route.request.url)
        route.abort()

    page.route(re.compile("^(?!file:|blob:|data:)"), route)
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    assert page.requested == [] and page.dialogs == [] and page.errors == []
    context.close()
