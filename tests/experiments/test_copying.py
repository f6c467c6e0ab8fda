"""Chapter 09: copying. Plain twins of the model and its numbers, properties, runs, bad input."""

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

import run_notebooks
from heed import verdict
from heed.errors import HeedError
from heed.experiments import copying
from heed.experiments.copying import Copies
from heed.models import seq2seq
from heed.params import Copying, resolve
from heed.runs import grid
from heed.runs.run import Run
from heed.verdict import annex, carried, claims, paper_tests
from sequences import MODELS, TINY, by_hand, case, tiny

# The plain twin: one sequence at a time, numpy and loops


@pytest.mark.parametrize(("encoder", "attention"), MODELS)
def test_a_look_is_counted_by_hand(encoder, attention):
    p = tiny(encoder=encoder, attention=attention, seed=4)
    model, source, given_ = case(p, 6)
    found = copying.look(model, source, given_)
    right, loss, pointed, least = [], [], [], []
    states, start = model.encode(source)
    decoded = model.decoder(model.embed(given_), start)[0]
    for k in range(len(source)):
        log_probs, _, relevance = by_hand(model, p, source[k].numpy(), given_[k].numpy())
        for step, code in enumerate(source[k].tolist()):
            alone = model.log_probs(decoded[k, step], states[k, step])  # all attention on this one position
            pointed.append(alone.argmax().item() == code)
            own = relevance[step]
            lowest = np.isclose(own, own.min(), rtol=1e-13, atol=1e-13)
            least.append(lowest[step] / lowest.sum())
        right += [row.argmax() == code for row, code in zip(log_probs, source[k].tolist(), strict=True)]
        loss += [-row[code] for row, code in zip(log_probs, source[k].tolist(), strict=True)]
    assert found["copied"] == pytest.approx(np.mean(right)) and found["loss"] == pytest.approx(np.mean(loss))
    assert found["pointed"] == pytest.approx(np.mean(pointed)) and found["least"] == pytest.approx(
        np.mean(least)
    )


def hits_by_hand(weights, late):
    """Step by step: is the largest weight `late` places after the step's own?"""
    counts = []
    for one in weights:
        for step, row in enumerate(one):
            if 0 <= step + late < len(row):
                tops = [t for t, value in enumerate(row) if value == max(row)]
                counts.append((step + late in tops) / len(tops))
    return np.mean(counts)


@given(st.integers(1, 4), st.integers(2, 7), st.integers(-1, 1), st.integers(0, 99), st.integers(1, 5))
def test_hits_are_counted_by_hand(count, size, late, seed, levels):
    """Few levels: many ties."""
    weights = np.random.default_rng(seed).integers(levels, size=(count, size, size)).astype(float)
    by_hand_ = pytest.approx(hits_by_hand(weights, late))
    assert copying.hits(weights, late) == by_hand_
    noise = 1 + np.finfo(float).eps * np.random.default_rng(seed).integers(-50, 51, weights.shape)
    assert copying.hits(weights * noise, late) == by_hand_, "rounding decides a tie"


@pytest.mark.parametrize("seed", range(3))
def test_without_context_relevance_points_nowhere(seed):
    """What attention would bring is dropped, so every position is as relevant, whatever is rounded."""
    p = tiny(attention="none", seed=seed)
    found = copying.look(*case(p, 20))
    assert found["relevant"] == pytest.approx(1 / (p.length + 1))


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_hits_know_the_diagonals(late):
    weights = np.stack([np.eye(6, k=late)] * 2)
    weights[:, weights[0].sum(1) == 0, :] = 1 / 6  # a step at the edge: no place of its own
    assert copying.hits(weights, late) == 1
    assert all(copying.hits(weights, other) < 0.1 for other in {-1, 0, 1} - {late})
    assert copying.hits(np.full((2, 6, 6), 1 / 6), late) == pytest.approx(1 / 6)


# Sequences


@given(st.sampled_from(list(copying.TASKS)), st.integers(1, 12), st.integers(1, 9), st.integers(0, 10**6))
def test_sequences_are_what_they_are_called(corpus, length, count, seed):
    p = tiny(corpus=corpus, length=length)
    source, given_ = copying.draw(p, count, np.random.default_rng(seed))
    assert source.shape == given_.shape == (count, length + 1)
    assert (source[:, -1] == p.drawn_from).all() and (given_[:, 0] == p.drawn_from + 1).all()
    assert torch.equal(source[:, :-1], given_[:, 1:])
    symbols = source[:, :-1]
    assert symbols.min() >= 0 and symbols.max() < p.drawn_from
    for row in symbols.tolist():
        if corpus == "copy-permutations":
            assert sorted(row) == list(range(length))
        if corpus == "copy-chosen":
            assert len(set(row)) == length and p.drawn_from == length * 3 // 2


def test_every_symbol_is_as_likely_everywhere():
    """Chi-square on 4,000 sequences of each task: places and symbols."""
    for corpus in copying.TASKS:
        p = tiny(corpus=corpus, length=4)
        source, _ = copying.draw(p, 4000, np.random.default_rng(0))
        for place in source[:, :-1].T.numpy():
            counts = np.bincount(place, minlength=p.drawn_from)
            expected = 4000 / p.drawn_from
            assert ((counts - expected) ** 2 / expected).sum() < 25


def test_permutations_have_no_co_occurrence():
    """Every symbol is in every permutation, so its mean vector never changes; of i.i.d. draws it does."""
    for corpus, varies in (("copy-permutations", False), ("copy-chosen", True), ("copy-iid", True)):
        p = tiny(corpus=corpus)
        source, _ = copying.draw(p, 20, np.random.default_rng(1))
        bags = F.one_hot(source, p.drawn_from + 2).double().mean(1)
        assert bool((bags != bags[0]).any()) == varies


# Properties of the model


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(MODELS), st.integers(1, 5), st.integers(0, 99))
def test_bounds_and_batches(which, count, seed):
    """Probabilities and weights sum to 1; a sequence's numbers don't depend on its batch, nor on what is
    given later."""
    p = tiny(encoder=which[0], attention=which[1], seed=seed)
    model, source, given_ = case(p, count)
    with torch.no_grad():
        log_probs, weights = model(source, given_)
        alone = [model(source[k : k + 1], given_[k : k + 1]) for k in range(count)]
        changed = given_.clone()
        changed[:, -1] = 0
        later = model(source, changed)[0]
    assert torch.allclose(log_probs.exp().sum(2), torch.ones(()).double())
    assert torch.allclose(weights.sum(2), torch.ones(()).double()) and (weights >= 0).all()
    assert torch.allclose(torch.cat([x for x, _ in alone]), log_probs)
    assert torch.allclose(torch.cat([a for _, a in alone]), weights)
    assert torch.allclose(later[:, :-1], log_probs[:, :-1]), "a step was told what is to come"
    found = copying.look(model, source, given_)
    assert all(0 <= found[name] <= 1 for name in found if name != "loss") and found["loss"] > 0


def test_training_follows_the_seed():
    one, again, other = (copying.watch(tiny(seed=seed)) for seed in (3, 3, 5))
    assert one[0].equals(again[0]) and all(np.array_equal(one[1][k], again[1][k]) for k in one[1])
    assert not one[0].equals(other[0])
    assert one[0]["step"].tolist() == [0, 2, 3], "at the start, every second step, and at the end"
    assert one[1]["attention"].shape == one[1]["relevance"].shape == (6, 6)


def test_looking_changes_nothing():
    often, seldom = (list(copying.train(tiny(every=every)))[-1][1] for every in (1, 3))
    for a, b in zip(often.parameters(), seldom.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_step_is_adam_on_the_mean_loss():
    """One step by hand: torch's plain Adam on the mean over all tokens of the batch."""
    p = tiny(steps=1)
    models = [model for _, model in copying.train(p)]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(p.seed)
        mine = seq2seq.Copier(p)
    source, given_ = copying.draw(p, p.batch_size, np.random.default_rng([p.seed, 9]))
    adam = torch.optim.Adam(mine.parameters(), lr=1e-3)
    log_probs, _ = mine(source, given_)
    loss = -sum(log_probs[b, l, source[b, l]] for b in range(8) for l in range(6)) / 48
    loss.backward()
    adam.step()
    for a, b in zip(models[-1].parameters(), mine.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_copying_can_be_learnt():
    """i.i.d. of 5 symbols, in seconds: copied, and attended at the right place."""
    p = Copying(
        corpus="copy-iid", length=6, hidden=32, batch_size=64, steps=300, every=300, learning_rate=5e-3
    )
    last = copying.watch(p)[0].iloc[-1]
    assert last["copied"] > 0.95 and last["attended"] + last["attended_early"] + last["attended_late"] > 0.8


@pytest.mark.thorough
def test_a_seed_may_copy_by_excluding():
    """Chapter 09: seed 6 of the small setting copies, and attends to everything but the right symbol."""
    p = resolve({"corpus": "copy-permutations", "profile": "small", "seed": 6, "steps": 480})
    *_, (_, model) = copying.train(p.model_copy(update={"every": 480}))
    found = copying.look(model, *copying.draw(p, 100, np.random.default_rng(1)))
    assert found["copied"] > 0.95 and found["attended"] < 0.05 and found["relevant"] < 0.05
    assert found["least"] > 0.5 and found["pointed"] < 0.25, "its dictionary is turned round"


# Shares


@given(st.integers(0, 40), st.integers(1, 40))
def test_wilson_is_the_formula(hits, count):
    hits, z = min(hits, count), 1.959963984540054
    share, low, high = copying.share_of(np.arange(count) < hits)
    middle = (hits + z**2 / 2) / (count + z**2)
    half = z / (count + z**2) * math.sqrt(hits * (count - hits) / count + z**2 / 4)
    assert share == hits / count
    assert low == pytest.approx(max(middle - half, 0), abs=1e-9)
    assert high == pytest.approx(min(middle + half, 1), abs=1e-9)


# Runs


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The chapter's runs, tiny: two seeds, controls of one."""
    plan = Copies.plan([0, 1], [0], "paper", str(tmp_path_factory.mktemp("copies")), TINY)
    for run in plan:
        run.ensure("summary_copied")
    return plan


def test_the_plan_names_each_run_once(finished):
    assert len({run.folder for run in finished}) == len(finished) == 2 * 3 + len(copying.CONTROLS)
    assert [run.params.seed for run in finished] == sorted(run.params.seed for run in finished)


def test_a_seed_is_kept_when_others_are_not(finished, tmp_path, monkeypatch):
    """Interrupted in the second run: the first isn't computed again, and comes out the same."""
    calls, whole = [], copying.watch

    def counted(p):
        calls.append(p.seed)
        if calls == [0, 1]:
            raise KeyboardInterrupt
        return whole(p)

    monkeypatch.setattr(copying, "watch", counted)

    def do():
        for seed in (0, 1):
            Copies.of(seed=seed, corpus="copy-iid", results=str(tmp_path), set=TINY).ensure("summary_copied")

    with pytest.raises(KeyboardInterrupt):
        do()
    do()
    assert calls == [0, 1, 1]
    for run in (r for r in finished if r.params.corpus == "copy-iid" and r.params.attention == "bilinear"):
        again = Copies.of(seed=run.params.seed, corpus="copy-iid", results=str(tmp_path), set=TINY)
        assert again.table("copied").equals(run.table("copied"))
        assert again.table("shown").equals(run.table("shown"))


def test_the_summary_is_where_the_run_ended(finished):
    for run in finished:
        rows = run.table("summary_copied").set_index("measure")
        last = run.table("copied").iloc[-1]
        assert rows["mean"]["copied"] == last["copied"] and rows["mean"]["attended"] == last["attended"]
        assert rows["mean"]["success"] == float(last["copied"] > 0.95)
        assert rows["mean"]["failure"] == float(last["copied"] < 0.6)
        assert (rows["class"] == "overall").all() and (rows["n"] == 4).all()


def test_the_summary_is_one_of_the_project(finished, tmp_path, monkeypatch):
    """It is found, committed and read again as every other run's."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "summary.csv")
    monkeypatch.setattr(annex, "COUNTS", tmp_path / "corpora.csv")
    results = finished[0].folder.parents[3]
    assert verdict.commit(results) == len(finished)
    rows = verdict.committed()
    assert set(rows["corpus"]) == set(copying.TASKS) and set(rows["seed"]) == {0, 1}
    assert (rows["given"] != "").all(), "tiny runs aren't those of the profile"
    assert not (tmp_path / "corpora.csv").exists(), "there are no texts to be counted"


def test_shares_are_by_group(finished):
    looks = copying.looks(finished)
    ends = looks[looks["step"] == looks["step"].max()].assign(copied=[1.0, 0.97, 0.8, 0.5] + [0.0] * 6)
    found = copying.shares(ends.assign(group=["a"] * 4 + ["b"] * 6), ["group"]).set_index("group")
    assert found["success"].to_dict() == {"a": 0.5, "b": 0.0}
    assert found["failure"].to_dict() == {"a": 0.25, "b": 1.0} and found["seeds"].to_dict() == {
        "a": 4,
        "b": 6,
    }
    assert (found["low"] <= found["success"]).all() and (found["success"] <= found["high"]).all()


# Several heads


def test_texts_and_copies_are_kept_apart(tmp_path):
    with pytest.raises(HeedError, match="not of texts: run chapter 09"):
        Run.of(str(tmp_path), corpus="copy-iid", encoder="lstm", attention="bilinear")
    with pytest.raises(HeedError, match="planted is of texts.*copy-iid"):
        Copies.of(str(tmp_path), corpus="planted")


def test_a_verdict_of_texts_has_no_copies(finished):
    """The rows stand in the same file; each paper's test is of texts alone."""
    rows = pd.concat([run.table("summary_copied") for run in finished]).assign(given="")
    assert claims.table(rows).empty and not set(
        paper_tests.tests(paper_tests.readings(rows))["corpus"]
    ) & set(copying.TASKS)
    assert verdict.contrast(rows, "attention", "additive", "uniform", ["f1"]).empty


def test_what_make_copying_can_be_told():
    whole = copying.read_copying({})
    assert whole["seeds"] == list(range(20)) and whole["control_seeds"] == list(range(5))
    runs = copying.copying_runs(whole["seeds"], whole["control_seeds"], profile="paper")
    assert len({run.path for run in runs}) == len(runs) == 3 * 20 + 4 * 5
    assert {run.given for run in runs} == {""}
    few = copying.read_copying({"seeds": "7,8", "profile": "small", "set": "{steps: 9}"})
    assert (few["seeds"], few["control_seeds"], few["set"]) == ([7, 8], [7, 8], {"steps": 9})


@pytest.mark.parametrize(
    ("given", "said"),
    [({"corpora": "sst"}, "choice of copying"), ({"seeds": "one"}, "whole number"),
     ({"profile": "site"}, "profile"), ({"set": "{epochs: 3}"}, "epochs"), ({"set": "[1]"}, "mapping"),
     ({"set": "{a"}, "YAML"), ({"seeds": "-1"}, "seed"), ({"seeds": ""}, "seeds: none is given"),
     ({"set": "{seed: 7}"}, "seed is a choice of its own"), ({"set": "{seeds: 3}"}, "seeds is a choice"),
     ({"set": "{profile: small}"}, "profile is a choice"), ({"set": "{attention: none}"}, "attention is a"),
     ({"set": "{symbols: 60}"}, "no permutation"), ({"set": "{length: 501}"}, "500 at most")],
)  # fmt: skip
def test_what_make_copying_cannot_be_told(given, said):
    with pytest.raises(HeedError, match=said):
        copying.read_copying(given)


def test_the_chapter_plans_what_make_does(tmp_path):
    """Its parameters may be a number or a text, too; what can't be is one sentence."""

    def plan(seeds, controls=(), **given):
        return [r.params.path for r in Copies.plan(seeds, controls, "small", str(tmp_path), given)]

    assert plan([3]) == plan(3) == plan("3") and len(plan("3,12")) == 6
    for seeds, also, said in (([], {}, "none is given"), ([0], {"seed": 7}, "a choice of its own")):
        with pytest.raises(HeedError, match=said):
            plan(seeds, **also)


def test_the_batch_of_texts_says_where_copying_is():
    with pytest.raises(HeedError, match="make copying"):
        grid.read_grid({"corpora": "planted,copy-iid"})


@pytest.mark.thorough
def test_the_graph_keeps_what_is_finished(tmp_path):
    """Real snakemake: a job a run; a lost summary, asked for again, is made of what was trained."""
    command = [sys.executable, "-m", "snakemake", "-s", "batch/copying.smk", "--cores", "2", "--config"]
    command += [f"results={tmp_path}", "seeds=0", "control_seeds=", "profile=small", "set={steps: 4}"]

    def go(*wanted):
        told = [*command[:5], *wanted, *command[5:]]
        return subprocess.run(told, cwd=run_notebooks.ROOT, capture_output=True, text=True, timeout=1200)

    def times():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}

    found = go()
    assert found.returncode == 0, found.stderr[-3000:]
    assert (tmp_path / "09_copying.ipynb").is_file() and "09_copying.ipynb" in found.stdout
    before = times()
    assert len([path for path in before if "/copy-" in str(path)]) == 3 * 3
    lost = next(path for path in before if path.name == "summary-copied.parquet")
    lost.unlink()
    found = go(str(lost))
    assert found.returncode == 0, found.stderr[-3000:]
    assert {path for path, time in times().items() if time != before[path]} == {lost}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("graph", "wanted"), [("heads", "summary-heads.parquet"), ("translation", "09b_translation.ipynb")]
)
def test_each_batch_has_its_graph(graph, wanted, tmp_path):
    """What would be made, by snakemake; and a choice that there isn't."""
    command = [sys.executable, "-m", "snakemake", "-s", f"batch/{graph}.smk", "--cores", "1", "-n"]
    command += ["--config", f"results={tmp_path}"]
    told = {"cwd": run_notebooks.ROOT, "capture_output": True, "text": True, "timeout": 300}
    found = subprocess.run(command, **told)
    assert found.returncode == 0 and wanted in found.stdout + found.stderr
    said = subprocess.run([*command, "corpora=x"], **told).stderr
    assert f"choice of {'copying' if graph == 'heads' else graph}" in said
    if graph == "heads":  # its rows don't depend on a seed: two would be one counted twice
        assert "make heads has no seeds" in subprocess.run([*command, "seeds=1"], **told).stderr


# Bad input


@pytest.mark.parametrize("corpus", ["copy-permutations", "copy-chosen"])
def test_too_few_symbols(corpus, tmp_path):
    run = Copies.of(str(tmp_path), corpus=corpus, set=TINY | {"symbols": 4})
    with pytest.raises(HeedError, match="4 symbols can't make a sequence of 5.*symbols = 5 or more"):
        run.ensure("copied")
    assert not list(tmp_path.rglob("*.parquet"))
    assert len(copying.watch(tiny(corpus="copy-iid", symbols=4))[0]) == 3, "with repetition they can"


def test_more_symbols_than_a_permutation_has(tmp_path):
    run = Copies.of(str(tmp_path), corpus="copy-permutations", set=TINY | {"symbols": 6})
    with pytest.raises(HeedError, match="5 of 6 symbols are no permutation.*symbols = 5, or.*copy-chosen"):
        run.ensure("copied")
    assert not list(tmp_path.rglob("*.parquet"))


def test_over_long_input(tmp_path):
    run = Copies.of(str(tmp_path), corpus="copy-iid", set=TINY | {"length": copying.LONGEST + 1})
    with pytest.raises(HeedError, match="501 symbols, expected 500 at most. Give a smaller length"):
        run.ensure("copied")


@pytest.mark.parametrize(
    ("name", "value"),
    [("length", 0), ("steps", 0), ("hidden", -1), ("every", 1.5), ("learning_rate", 0), ("epochs", 3),
     ("encoder", "cnn"), ("attention", "dot"), ("profile", "site"), ("seed", -1), ("device", "cuda")],
)  # fmt: skip
def test_settings_that_cannot_be(tmp_path, name, value):
    with pytest.raises(HeedError, match=name):
        Copies.of(str(tmp_path), corpus="copy-iid", **{name: value})


def test_a_loss_that_is_no_number():
    with pytest.raises(HeedError, match="Lower learning_rate"):
        copying.watch(tiny(learning_rate=1e38, steps=20))


def test_profiles_are_those_of_the_chapter():
    small = resolve({"corpus": "copy-iid", "profile": "small"})
    assert small.given == "" and small.length < resolve({"corpus": "copy-iid"}).length == 40
    assert resolve({"corpus": "copy-iid", "steps": 7}).given == "steps=7"
