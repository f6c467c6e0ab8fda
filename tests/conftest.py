"""What the tests share: made-up models, a cache of their own, one small finished run, a browser.

The library is imported where it is used: the process that only hands out tests to others needs none of it.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# What helpers assert is told in full, as in a test.
pytest.register_assert_rewrite("refusals", "shown", "kills", "cluster")

# Hundreds of processes import the same modules: compiled once, whatever this shell's setting.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The same examples each time: a test that passes today passes tomorrow. `make test-all` takes `deep`.
# To look for others: pytest --hypothesis-profile search
settings.register_profile("heed", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("deep", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
# Whether anything is found, and not the smallest: of mutants.
phases = [Phase.explicit, Phase.generate]
settings.register_profile("mutants", deadline=None, max_examples=50, derandomize=True, phases=phases)
settings.load_profile("heed")

# Tests of ten seconds of a core and more, roughly.
LONG = {
    "test_a_grid_runs_grows_and_does_nothing_twice": 165,
    "test_the_graph_keeps_what_is_finished": 100,
    "test_outputs_are_the_same_elsewhere[02_correlation.ipynb]": 70,
    "test_outputs_are_the_same_elsewhere": 35,
    "test_a_kill_between_two_lambdas": 105,
    "test_any_small_corpus": 130,
    "test_the_commands_as_described": 75,
    "test_runs_on_a_cluster": 60,
    "test_the_wheel_works_without_the_repository": 20,
    "test_a_batch_that_is_killed": 105,
    "test_the_environment_changes_no_byte": 100,
    "test_the_batch_makes_a_row_a_run": 90,
    "test_sigterm_to_snakemake_alone": 60,
    "test_a_faulty_corpus_does_not_stop_the_others": 75,
    "test_chapters_on_the_world": 70,
    "test_a_chapter_that_fails_does_not_stop_the_others": 65,
    "test_the_first_page_says_what_the_summary_says": 50,  # makes the site
    "test_chapter_10_lives_before_anything_is_run_and_shows_that_it_works": 50,
    "test_processes_that_want_the_same_run": 40,
    "test_the_graph_deletes_no_finished_model": 35,
    "test_outputs_are_what_is_committed": 30,
    "test_the_page_is_one_file_that_needs_no_network": 30,
    "test_two_runs_that_need_one_another_do_not_wait_for_ever": 20,
    "test_each_batch_has_its_graph": 20,
    "test_an_odd_corpus_with_local_states": 20,
    "test_an_odd_corpus_with_a_cnn": 20,
    "test_an_odd_corpus_with_a_bilstm": 20,
    "test_a_broken_kernel_is_noticed": 10,
}


def pytest_addoption(parser):
    """For the benchmarks: a trained run to measure on, and how many runs are generated."""
    parser.addoption("--run", help="folder of a finished BiLSTM run: results/CORPUS/MODEL/VARIANT/seedN")
    parser.addoption("--runs", type=int, default=1000, help="generated runs in one results folder")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What needs a browser or the site is thorough; what takes long begins first: the workers end together.

    Skip, in so many words, what needs the corpora where there are none.
    """
    for item in items:
        if {"chromium", "site"} & {*item.fixturenames}:
            item.add_marker(pytest.mark.thorough)
    items.sort(key=lambda item: -LONG.get(item.name, LONG.get(item.originalname, 0)))
    if os.environ.get("HEED_MIRROR"):
        return
    skip = pytest.mark.skip(reason="needs a local mirror of the corpora: set HEED_MIRROR to its folder")
    for item in items:
        if item.get_closest_marker("mirror"):
            item.add_marker(skip)


def pytest_generate_tests(metafunc):
    """`case`: each made-up model in turn, with the texts that it reads, unless a test names its own."""
    own = any("case" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "case" in metafunc.fixturenames and not own:
        import made_up

        metafunc.parametrize("case", made_up.every_case(), ids=lambda case: case.name, scope="session")


@pytest.fixture(scope="module")
def evidence(case):
    """The case's evidence."""
    from heed.evidence import collect

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
    from heed.runs.run import Run
    from small_run import SMALL

    def run(results, corpus="planted", encoder="average", attention="additive", seed=0, **other):
        return Run.of(
            results, corpus=corpus, encoder=encoder, attention=attention, seed=seed, set=SMALL | other
        )

    return run


@pytest.fixture(scope="session")
def finished(small, tmp_path_factory):
    """A small run that has every product. Read it; to change it, take `copied`."""
    from small_run import products

    run = small(tmp_path_factory.mktemp("finished"))
    for product in products():
        run.ensure(product)
    return run


@pytest.fixture
def copied(finished, small, tmp_path):
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
