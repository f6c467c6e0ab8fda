"""Grids of runs."""

import re
from collections import Counter

import pytest

from heed import paths
from heed.errors import HeedError
from heed.registry import carried, read_yaml
from heed.runs.grid import read_grid, runs_of
from refusals import refused


def test_the_grid_of_question_answering():
    grid = read_grid({"grid": "qa"})
    assert {"babi1", "babi2", "world3", "snli"} <= set(grid["corpora"])
    runs = runs_of(grid)
    assert {run.epsilon for run in runs} == {0.05} and all(run.mean_loss for run in runs)
    assert {run.attention_weight_decay for run in runs} == {1e-5}
    assert carried("world3") and carried("babi1") and not carried("planted") and not carried("world1")


def test_force_is_yes_or_no():
    assert read_grid({})["force"] is False and read_grid({"force": 1})["force"] is True
    assert read_grid({"force": "0"})["force"] is False
    with refused("unknown force (1 or 0) 'perhaps'"):
        read_grid({"force": "perhaps"})


def test_a_chapter_that_trains_many_models_has_a_grid_of_its_own():
    """Of corpora that are named; what is chosen counts before the grid's own seeds of a corpus."""

    def batch(**given):
        return {(r.corpus, r.encoder, r.seed) for r in runs_of(read_grid(given))}

    rivals = {("sst", "bilstm", seed) for seed in (0, 1, 2)} | {("imdb", "bilstm", 0)}
    assert batch(corpora="sst imdb", chapters="07") == batch(corpora="sst,imdb", chapters=7) == rivals
    assert batch(grid="notnot", corpora="sst imdb") == rivals
    assert {seed for *_, seed in batch(corpora="imdb", chapters="08")} == {0}
    assert {seed for *_, seed in batch(corpora="imdb", chapters="08", seeds="1 4")} == {1, 4}
    demo = batch(corpora="sst")
    assert batch(corpora="sst", chapters="07 08") == batch(corpora="sst", chapters="01") == demo
    assert batch(grid="demo", corpora="sst", chapters="07") == demo
    assert batch(chapters="08") == batch()  # no corpus named: the built-in one


def test_the_grids_of_the_paper_hold_what_they_say():
    """Five seeds of the smaller two corpora; and what open.yaml says to run beside them can be run."""
    counts = Counter(run.corpus for run in runs_of(read_grid({"grid": "open"})))
    assert counts == {"sst": 30, "20news": 30, "imdb": 18, "agnews": 18, "ade": 18}
    assert {*counts} < {*read_grid({"grid": "paper"})["corpora"]}
    text = (paths.PARAMS / "grids" / "open.yaml").read_text(encoding="utf-8")
    beside = [re.findall("([A-Z]+)=([^ \n]+)", line) for line in text.splitlines() if line.startswith("#   ")]
    sizes = [
        len(runs_of(read_grid({k.lower(): v for k, v in choices} | {"grid": "open"}))) for choices in beside
    ]
    assert sizes == [90, 30, 30]


def test_seeds_of_a_corpus_are_a_mapping(tmp_path, monkeypatch):
    (tmp_path / "grids").mkdir()
    monkeypatch.setattr("heed.paths.PARAMS", tmp_path)
    for given, sentence in (("[0]", "seeds_of must map corpora"), ("{sst: [one]}", "must be a whole number")):
        (tmp_path / "grids" / "odd.yaml").write_text(f"corpora: [sst]\nseeds: [0]\nseeds_of: {given}\n")
        read_yaml.cache_clear()
        with pytest.raises(HeedError, match=sentence):
            read_grid({"grid": "odd", "encoders": "cnn", "attentions": "dot", "profile": "paper"})
