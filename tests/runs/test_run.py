"""Runs: each thing is made once, by one process, the same each time, and says how it was made."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import small_run
from heed import paths
from heed.measures import rankings
from heed.models import training
from heed.params import Params
from heed.runs import products
from heed.runs.products import files
from heed.runs.run import LIBRARIES, Run
from small_run import SMALL

# What rankings of words that chapter 02 compares need the model for.
ARRAYS = [name for name, own in rankings.compared().items() if own.needs_model]


@pytest.fixture
def calls(monkeypatch) -> Counter:
    """How often each maker was asked."""
    counter = Counter()

    def counted(name, maker):
        def make(run):
            counter[name] += 1
            return maker(run)

        return make

    for name, own in products.of_kind(Params).items():
        made = replace(own, maker=counted(own.maker.__name__, own.maker))
        monkeypatch.setitem(products.PRODUCTS, (Params, name), made)
    return counter


@pytest.fixture(scope="module")
def second(small, tmp_path_factory) -> Run:
    """The finished run once more, in another folder."""
    run = small(tmp_path_factory.mktemp("second"))
    for product in reversed(small_run.products()):
        run.ensure(product)
    return run


def test_everything_is_made_once(small, tmp_path, calls):
    """A summary needs all before it; asked again, or by another Run of the folder, nothing is made."""
    run = small(tmp_path)
    run.ensure("summary")
    once = dict.fromkeys(("weights", "evidence", *ARRAYS, "correlation", "truth", "summary"), 1)
    assert calls == once, "weights and curve come of one training"
    for product in once.keys() | {"curve"}:
        assert run.ensure(product) == run.folder / files()[product]
        assert small(tmp_path).ensure(product).is_file()
    small(tmp_path).table("correlation")
    assert calls == once


def test_only_what_is_needed_is_made(small, tmp_path, calls):
    small(tmp_path).ensure("evidence")
    assert calls == {"weights": 1, "evidence": 1}


def test_the_folder_is_named_by_the_parameters(finished):
    results = finished.folder.parents[3]
    assert finished.folder == results / finished.params.path
    own = {p.name for p in finished.folder.iterdir()} - {".locks"}
    assert own == {"run.json", *small_run.products().values()}


def test_a_relative_results_folder_lies_in_the_project():
    """Wherever a notebook runs: papermill's and Jupyter's working folders differ."""
    assert paths.results_folder("results") == paths.ROOT / "results"
    assert paths.results_folder("/tmp/r") == paths.Path("/tmp/r")


@pytest.mark.thorough
@pytest.mark.parametrize("product", small_run.products())
def test_the_same_parameters_give_the_same_bytes(finished, second, product):
    """In another folder, with the products asked for in another order."""
    one, other = finished.ensure(product), second.ensure(product)
    assert one != other
    assert one.read_bytes() == other.read_bytes()


def test_run_json_is_the_same_but_for_time_and_memory(finished, second):
    """Seconds and peak memory are a machine's; all else follows from the parameters."""
    found = []
    for run in (finished, second):
        info = json.loads((run.folder / "run.json").read_text())
        del info["scores"]["epoch_seconds"]
        for product in info["products"].values():
            del product["seconds"], product["peak_memory_mib"]
        found.append(info)
    assert found[0] == found[1]


def test_another_seed_gives_another_model_of_the_same_corpus(finished, small, tmp_path):
    other = small(tmp_path, seed=1)
    assert other.evidence.ids == finished.evidence.ids
    assert other.evidence.labels.tolist() == finished.evidence.labels.tolist()
    assert other.folder.parent.name == finished.folder.parent.name
    for product in ("weights", "evidence", "gradient"):
        assert other.ensure(product).read_bytes() != finished.ensure(product).read_bytes()


def test_another_data_seed_gives_another_corpus(finished, small, tmp_path):
    other = small(tmp_path, data_seed=1)
    assert other.params.variant != finished.params.variant
    assert other.evidence[0].units != finished.evidence[0].units


def test_run_json_says_how_it_was_made(finished):
    info = json.loads((finished.folder / "run.json").read_text())
    assert info["parameters"] == finished.params.model_dump(mode="json")
    assert set(info["parameters"]) == set(Params.model_fields)
    assert set(info["products"]) == set(small_run.products())
    for product, record in info["products"].items():
        assert record["sha256"] == paths.sha256(finished.folder / files()[product])
        assert record["origin"] == "made" and record["device"] == "cpu"
        assert record["library"] == paths.library_hash()
        assert set(record["versions"]) == {"python", *LIBRARIES}
        assert record["versions"]["torch"] == torch.__version__
        assert record["seconds"] >= 0 and record["peak_memory_mib"] > 10
    assert set(info["scores"]["test"]) == {"accuracy", "f1", "auc"}
    assert info["scores"]["coverage"] == {"types": 0.0, "tokens": 0.0}, "random vectors cover nothing"


def test_seconds_are_each_products_own(small, tmp_path):
    """Not those of what it was made from: together they are no more than the whole took."""
    start, run = time.perf_counter(), small(tmp_path)
    run.ensure("summary_heatmap")
    whole = time.perf_counter() - start
    took = {name: record["seconds"] for name, record in run.info()["products"].items()}
    assert took["curve"] >= took.pop("weights") > 0 and took["adversary"] >= took.pop("adversarial") > 0
    assert sum(took.values()) <= whole + 0.001 * len(took)


def test_the_summary_is_computed_from_the_tables(finished):
    """Means are those of the correlation table; n and the names are the run's."""
    summary = finished.table("summary").set_index(["measure", "class"])
    table = finished.table("correlation")
    for measure in ("tau_gradient", "tau_loo", "tau_gradient_loo"):
        row = summary.loc[(measure, "overall")]
        assert row["mean"] == pytest.approx(table[measure].mean())
        assert row["n"] == len(table) == 30
        assert row["undefined"] == table[measure].isna().sum()
        assert row["low"] <= row["mean"] <= row["high"]
    score = finished.info()["scores"]["test"]["f1"]
    scores = finished.table("summary_scores").set_index("measure")
    assert scores.loc["f1", "mean"] == score and set(scores["class"]) == {"overall"}
    assert set(summary["variant"]) == {finished.params.variant} and set(summary["seed"]) == {0}
    assert set(summary["library"]) == {paths.library_hash()}


def test_the_model_is_as_trained_and_in_float64(finished):
    model = finished.model()
    assert not model.training
    assert {w.dtype for w in model.parameters()} == {torch.float64}
    stored = load_file(finished.ensure("weights"))
    assert all(torch.equal(w, stored[name].double()) for name, w in model.state_dict().items())
    probs = training.predict(model, finished.data("test"), 200)
    np.testing.assert_allclose(probs, finished.evidence.predictions, rtol=0, atol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "given",
    [
        {"encoder": "bilstm", "attention": "dot", "classes": 3, "made_dev": 60, "made_test": 60},
        {"encoder": "cnn", "profile": "site", "vectors": "zero"},
        {"corpus": "indicator", "precision": "float32", "class_weight": True},
        {"attend_markers": True, "sentences": 2, "vocabulary_from": "all", "select_on": "test"},
        {"vectors": "word2vec", "vectors_from": ["planted", "indicator"], "tokens_per_batch": 100},
    ],
    ids=lambda given: " ".join(map(str, given.values())),
)
def test_every_kind_of_run_goes_through(given, tmp_path, cache):
    named = {k: given[k] for k in ("corpus", "encoder", "attention", "profile") if k in given}
    rest = {k: v for k, v in given.items() if k not in named}
    run = Run.of(tmp_path / "r", **({"encoder": "average"} | named), set=SMALL | rest)
    summary = run.table("summary").set_index(["measure", "class"])["mean"]
    assert 0 <= run.table("summary_scores").set_index("measure")["mean"]["auc"] <= 1
    assert -1 <= summary["tau_loo", "overall"] <= 1
    assert run.evidence.table["attention"].type.value_type == "double"
    for row in run.evidence:
        np.testing.assert_allclose(row.probs(row.attention), row.prediction, rtol=0, atol=1e-12)
    if run.params.vectors == "word2vec":
        coverage = run.info()["scores"]["coverage"]
        assert coverage["types"] > 0.5 and coverage["tokens"] > 0.9


# Committed checkpoints


@pytest.fixture
def committed(finished, tmp_path, monkeypatch) -> dict[str, bytes]:
    """A data folder that has the finished run's checkpoint committed: its files."""
    folder = tmp_path / "data" / "checkpoints" / finished.params.path
    folder.mkdir(parents=True)
    (tmp_path / "data" / "registry.yaml").write_bytes((paths.DATA / "registry.yaml").read_bytes())
    for product in ("weights", "curve"):
        (folder / files()[product]).write_bytes(finished.ensure(product).read_bytes())
    monkeypatch.setattr(paths, "DATA", tmp_path / "data")
    return {p: (folder / files()[p]).read_bytes() for p in ("weights", "curve")}


def test_a_committed_checkpoint_is_taken(committed, finished, small, tmp_path, calls):
    run = small(tmp_path / "r")
    run.ensure("correlation")
    assert calls["weights"] == calls["curve"] == 0
    for product, block in committed.items():
        assert run.ensure(product).read_bytes() == block
        assert run.info()["products"][product]["origin"] == "committed checkpoint"
    same = finished.ensure("correlation").read_bytes()
    assert run.ensure("correlation").read_bytes() == same


def test_watching_first_leaves_a_committed_checkpoint_in_its_place(committed, small, tmp_path):
    run = small(tmp_path / "r", watch_every=1)
    run.ensure("watched")
    assert run.info()["products"]["weights"]["origin"] == "committed checkpoint"
    assert run.info()["products"]["watched"]["origin"] == "made"
    assert run.ensure("weights").read_bytes() == committed["weights"]


def test_fresh_trains_although_a_checkpoint_is_committed(committed, small, tmp_path, calls):
    run = small(tmp_path / "r")
    weights = run.ensure("weights", fresh=True)
    assert calls == {"weights": 1}
    assert run.info()["products"]["weights"]["origin"] == "made"
    assert weights.read_bytes() == committed["weights"]


def test_a_checkpoint_of_other_parameters_is_not_taken(committed, small, tmp_path, calls):
    small(tmp_path / "r", epochs=1).ensure("weights")
    assert calls == {"weights": 1}


@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_the_projects_checkpoints_are_of_todays_defaults(encoder, tmp_path, calls):
    """The chapters' committed outputs start from them: a changed default or vocabulary must show here.

    If it is meant, `python -m heed checkpoint` makes them anew.
    """
    run = Run.of(tmp_path, encoder=encoder)
    assert (paths.DATA / "checkpoints" / run.params.path).is_dir()
    run.ensure("evidence")
    assert calls == {"evidence": 1}
    assert run.info()["scores"]["test"]["auc"] > 0.7


# Many processes


PROCESSES = """
import json, multiprocessing, os, signal, sys
import sklearn.metrics  # takes seconds: once, before the processes part
from heed.models import training
from heed.runs.run import Run

results, log, settings, products = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:])

def work(barrier, dies):
    train = training.train

    def noted(*given, **more):
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        with open(log, "a") as file:
            file.write("trained\\n")
        return train(*given, **more)

    training.train = noted
    run = Run.of(results, encoder="average", set=settings)
    barrier.wait()
    for product in products:
        run.ensure(product)

fork = multiprocessing.get_context("fork")

def together(count, dies):
    barrier = fork.Barrier(count)
    children = [fork.Process(target=work, args=(barrier, dies)) for _ in range(count)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    return [child.exitcode for child in children]

print(json.dumps([together(1, True), together(2, False)]))
"""


@pytest.mark.thorough
def test_processes_that_want_the_same_run(finished, tmp_path):
    """One dies while it trains, which frees the lock; of two at once one makes, the other waits and reads.

    And a process of its own gives the same bytes as this one.
    """
    results, log = tmp_path / "results", tmp_path / "log"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROCESSES,
            str(results),
            str(log),
            json.dumps(SMALL),
            json.dumps([*small_run.products()]),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert json.loads(done.stdout) == [[-9], [0, 0]], done.stderr
    folders = [*results.glob("*/*/*/seed*")]
    watched = [*results.glob(f"*/*/*/seed*/{files()['watched']}")]  # trained once more, to be looked at
    trained = len(folders) + len(watched)
    assert log.read_text() == "trained\n" * trained, "each run by one of the two, once"
    (folder,) = results.glob(str(finished.params.path))
    assert {p.name for p in folder.iterdir()} == {"run.json", ".locks", *small_run.products().values()}
    recorded = json.loads((folder / "run.json").read_text())["products"]
    for product, file in small_run.products().items():
        assert recorded[product]["sha256"] == paths.sha256(folder / file)
        if product != "curve":  # test_the_same_parameters_give_the_same_bytes is about that one
            assert (folder / file).read_bytes() == finished.ensure(product).read_bytes(), product


SIDE_BY_SIDE = """
import multiprocessing, sys
from dataclasses import replace
from heed.params import Params
from heed.runs import products
from heed.runs.products import as_table
from heed.runs.run import Run

fork = multiprocessing.get_context("fork")
run, wanted = Run.of(sys.argv[1], encoder="average"), sys.argv[2:]
run.ensure("evidence")
barrier = fork.Barrier(len(wanted), timeout=60)

def together(product):
    def make(run):
        made = product.made(run)
        def waits(write):
            return lambda to: (barrier.wait(), write(to))
        return replace(made, files={name: waits(write) for name, write in made.files.items()})
    return replace(product, maker=make)

for name in wanted:
    products.PRODUCTS[Params, name] = together(products.of_kind(Params)[name])
children = [fork.Process(target=run.ensure, args=(name,)) for name in wanted]
for child in children:
    child.start()
for child in children:
    child.join()
sys.exit(max(child.exitcode for child in children))
"""


@pytest.mark.thorough
def test_processes_that_want_other_products_of_one_run(tmp_path):
    """Chapters of one run go side by side: none waits for another's product, and none's record is lost."""
    wanted = ["gradient", "conicity", "permutation", "exact_curve"]
    command = [sys.executable, "-c", SIDE_BY_SIDE, tmp_path, *wanted]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    run = Run.of(tmp_path, encoder="average")
    assert all(run.holds(name) for name in [*wanted, "evidence"]) and "test" in run.info()["scores"]


# Training


def test_a_part_of_a_corpus_is_another_corpus(small, tmp_path, calls, monkeypatch):
    """What was made of a mirror's part isn't what the whole gives: all is made anew, either way."""
    assert not small(tmp_path).table("summary_scores")["partial"].any()
    for part in (True, False):
        for module in ("runs.run.partial_of", "runs.summaries.partial"):
            monkeypatch.setattr(f"heed.{module}", lambda name, part=part: part)
        calls.clear()
        run = small(tmp_path)
        assert not run.holds("weights") and not run.holds("evidence")
        assert (run.table("summary_scores")["partial"] == part).all()
        assert calls == {"weights": 1, "evidence": 1, "summary_scores": 1}
        assert small(tmp_path).holds("summary_scores")


def test_a_measures_setting_makes_its_table_anew_and_nothing_else(small, tmp_path, calls):
    """ε isn't part of a run's name: the model stays, the tables that depend on ε follow it."""
    run = small(tmp_path)
    strict = run.table("adversarial")["optimum"]
    other = small(tmp_path, epsilon=0.05)
    assert other.folder == run.folder
    assert (other.table("adversarial")["optimum"] >= strict).all()
    other.ensure("permutation")
    assert calls == {"weights": 1, "evidence": 1, "adversary": 2, "permutation": 1}
    assert other.info()["products"]["adversarial"]["settings"]["epsilon"] == 0.05
