"""Grids of runs."""

import re
import shutil
from collections import Counter

import pytest

from heed import params as of_runs
from heed import paths
from heed.errors import HeedError
from heed.registry import carried, read_yaml
from heed.runs.grid import chosen, read_grid, runs_of, told, unfinished, unusable
from refusals import refused

OWN = "own: {file: NAME.csv, classes: [negative, positive]}\n"
CSV = "split,text,label\n" + "".join(
    f"{split},{text},{label}\n"
    for split in ("train", "dev", "test")
    for text, label in (("a bad film", "negative"), ("a good film", "positive"))
)


@pytest.fixture
def params(tmp_path, monkeypatch, cache):
    """A copy of params/ in which one may put corpora of one's own: put(name, yaml, csv)."""
    home = tmp_path / "params"
    shutil.copytree(paths.PARAMS, home, ignore=lambda folder, names: [n for n in names if n.endswith(".csv")])
    monkeypatch.setattr(paths, "PARAMS", home)

    def put(name: str, yaml: str = OWN, csv: str = CSV) -> None:
        (home / f"{name}.yaml").write_text(yaml.replace("NAME", name))
        (home / f"{name}.csv").write_text(csv)
        read_yaml.cache_clear()

    yield put
    read_yaml.cache_clear()


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


def test_a_corpus_with_a_fault_is_no_concern_of_the_others(params):
    """Neither of those in the grid nor of one that isn't; of its sentences each is told."""
    params("sound")
    params("wrong", "own: {file: wrong.csv, classes: [yes, no]}\n")
    params("misspelt", OWN + "epochz: 3\n")
    params("elsewhere", "{")
    grid = read_grid({"corpora": "wrong,planted,misspelt,sound", "seeds": "0"})
    assert grid["corpora"] == ["planted", "sound"]
    assert list(grid["faulty"]) == ["wrong", "misspelt"]
    assert "in quotes" in grid["faulty"]["wrong"] and "'epochs'?" in grid["faulty"]["misspelt"]
    assert {run.corpus for run in runs_of(grid)} == {"planted", "sound"}
    with refused("elsewhere.yaml can't be read as YAML"):
        read_grid({"corpora": "elsewhere"})
    with refused("in quotes", "'epochs'?"):
        read_grid({"corpora": "wrong,misspelt"})


def test_what_is_wrong_with_all_is_the_grid_s_fault(params):
    """Said once; and a name that there isn't stops the batch, whatever else is in it."""
    params("wrong", "own: 3\n")
    with refused("unknown parameter 'epochz'") as caught:
        read_grid({"corpora": "planted,indicator", "set": {"epochz": 3}})
    assert str(caught.value).count("epochz") == 1
    for corpora in ("planted,wrnog", "wrong,wrnog"):
        with refused("unknown corpus 'wrnog'. Did you mean 'wrong'?"):
            read_grid({"corpora": corpora})
    with refused("unknown encoder 'bilstn'"):
        read_grid({"corpora": "planted", "encoders": "bilstn"})


def test_own_texts_that_cannot_be_used_are_told_before_the_batch(params):
    faults = {
        "gone": (OWN.replace("NAME", "nowhere"), CSV, "can't be read"),
        "column": (OWN, CSV.replace("text", "txt"), "column 'text' is missing"),
        "single": (OWN, CSV.replace("negative", "positive"), "no text of class 0"),
    }
    params("sound")
    for name, (yaml, csv, _) in faults.items():
        params(name, yaml, csv)
    runs = runs_of(read_grid({"corpora": ["planted", "sound", *faults]}))
    found = unusable(runs)
    assert list(found) == list(faults)
    for name, (*_, part) in faults.items():
        assert part in found[name]
    lines = told(found).splitlines()
    assert lines[0] == "heed: 3 of the batch's corpora can't be run, the others are." and len(lines) == 4
    assert lines[1].startswith("  gone: /"), "the name stands there once"
    assert told({}) == "" and unusable([run for run in runs if run.corpus == "planted"]) == {}


def test_a_yml_grid_is_told_its_name(params):
    (paths.PARAMS / "grids" / "mine.yml").write_text("corpora: [planted]\n")
    with refused("mine.yml isn't read", "Call it mine.yaml."):
        read_grid({"grid": "mine"})
    with refused("unknown grid 'dmo'. Did you mean 'demo'?"):
        read_grid({"grid": "dmo"})


def test_chapters_that_failed_and_chapters_that_were_not_begun(tmp_path):
    """Where a chapter could have been run and wasn't, the batch was ended from outside."""
    chapters = {"01": [], "02": ["01"], "05": ["02"], "06": ["01"]}
    for name in ("a/01", "a/02", "a/05", "a/06", "b/01.failed", "c/01", "c/02.failed", "c/06"):
        (tmp_path / name[0]).mkdir(exist_ok=True)
        (tmp_path / f"{name}.ipynb").touch()
    assert unfinished(tmp_path, dict.fromkeys("abc", chapters)) == (["b/01", "c/02"], [])
    (tmp_path / "c" / "06.ipynb").unlink()
    assert unfinished(tmp_path, dict.fromkeys("ac", chapters)) == (["c/02"], ["c/06"])
    assert unfinished(tmp_path, {"d": chapters}) == ([], ["d/01"])


def test_general_vectors_are_given_where_a_profile_asks_for_such(monkeypatch):
    """spaCy's if they are here and the paper's own aren't; bAbI, whose profiles ask for none, has none."""
    here = {"en_core_web_md"}
    monkeypatch.setattr(of_runs, "at_hand", lambda name: name in here)

    def found(**given):
        runs = runs_of(read_grid({"grid": "fidelity", "corpora": "sst babi1", "seeds": 0} | given))
        return {(run.corpus, run.profile, run.vectors, run.given) for run in runs}

    spacys = "en_core_web_md", "vectors=en_core_web_md"
    both = {("sst", p, *spacys) for p in ("site", "paper2019")}
    assert found() == both | {("babi1", p, "random", "") for p in ("site", "paper2019")}
    assert found(general_vectors=0, corpora="sst", profile="site") == {("sst", "site", "word2vec", "")}
    here.add("fasttext-simple")
    own = "fasttext-simple", "vectors=fasttext-simple"
    assert found(corpora="sst", profile="site") == {("sst", "site", *own)}
    assert found(corpora="sst", profile="paper") == {("sst", "paper", "word2vec", "")}
    given = "vectors=random"
    assert found(corpora="sst", profile="site", set={"vectors": "random"}) == {
        ("sst", "site", "random", given)
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"corpora": "sts"}, "unknown corpus 'sts'. Did you mean 'sst'?"),
        ({"encoders": "bilstn"}, "unknown encoder 'bilstn'. Did you mean 'bilstm'?"),
        ({"attentions": "adittive"}, "Did you mean 'additive'?"),
        ({"profile": "papr"}, "Did you mean 'paper'?"),
        ({"grid": "dmo"}, "unknown grid 'dmo'. Did you mean 'demo'?"),
        ({"seeds": "one"}, "every seed must be a whole number"),
        ({"sedes": 1}, "unknown key of a grid 'sedes'. Did you mean 'seeds'?"),
    ],
)
def test_a_grid_that_cannot_be(given, said):
    with pytest.raises(HeedError, match=re.escape(said)):
        runs_of(read_grid(given))


# Several `set`s


def test_sets_are_runs_of_their_own():
    """Each is over `set`; one that names an encoder stands for all of the grid's, once."""
    sets = [{}, {"tying": 1}, {"encoder": "orthogonal", "epochs": 3}, {"attention": "sparsemax"}]
    given = {"encoders": "bilstm,average", "seeds": "0", "corpora": "planted", "set": {"epochs": 2}}
    grid = read_grid(given | {"sets": sets})
    found = [(r.encoder, r.attention, r.tying, r.epochs) for r in runs_of(grid)]
    assert found == [
        ("bilstm", "additive", 0, 2),
        ("bilstm", "additive", 1, 2),
        ("orthogonal", "additive", 0, 3),
        ("bilstm", "sparsemax", 0, 2),
        ("average", "additive", 0, 2),
        ("average", "additive", 1, 2),
        ("average", "sparsemax", 0, 2),
    ]
    assert runs_of(read_grid(given)) == runs_of(read_grid(given | {"sets": [{}]}))


def test_what_a_run_is_given_makes_the_run():
    """Its names and its set, as a chapter's notebook is given them; general vectors, too."""
    for name in ("repairs", "lies", "demo", "notnot"):
        grid = read_grid({"grid": name})
        for path, (run, own) in chosen(grid).items():
            names = {k: getattr(run, k) for k in of_runs.NAMING}
            assert run.path == path and of_runs.resolve(names | own) == run


def test_general_vectors_are_among_what_a_run_is_given(monkeypatch):
    monkeypatch.setattr("heed.runs.grid.general_vectors", lambda corpus, profile: {"vectors": "zero"})
    grid = read_grid({"corpora": "planted", "seeds": "0", "general_vectors": 1})
    assert all(own == {"vectors": "zero"} for _, own in chosen(grid).values())


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"epochs": 2}, ("must be a list of mappings",)),
        ([], ("must be a list of mappings",)),
        (["epochs"], ("set = 'epochs' must be a mapping",)),
        ([{"seed": 3}], ("set: seed is a choice of its own",)),
        ([{"epochz": 3}], ("unknown parameter 'epochz'. Did you mean 'epochs'?",)),
        ([{"encoder": "bilstn"}], ("unknown encoder 'bilstn'",)),
    ],
)
def test_sets_that_cannot_be(given, parts):
    with refused(*parts):
        read_grid({"corpora": "planted", "sets": given})
