"""The batch itself: real Snakemake, real papermill, real kernels, on a tiny grid."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import run_notebooks

pytestmark = pytest.mark.thorough
TINY = "set={made_train: 60, made_dev: 40, made_test: 30, epochs: 2, resamples: 50}"


def snakemake(folder, *config, project=run_notebooks.ROOT, verdict=True, **how):
    """The batch on a tiny grid; without its verdict, which costs as much as several chapters, if told so."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2"]
    command += [] if verdict else ["--omit-from", "verdict", "annex"]
    command += ["--config", f"results={folder}", TINY, *config]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600, **how)


def files(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_grid_runs_grows_and_does_nothing_twice(tmp_path):
    found = snakemake(tmp_path, "encoders=average", "seeds=0")
    assert found.returncode == 0, found.stderr[-3000:]
    assert "verdict" in found.stdout and str(tmp_path) in found.stdout  # it says where everything is
    (chapter,) = tmp_path.glob("planted/average-additive/paper-*/seed0/01_train.ipynb")
    run = chapter.parent  # chapter 02 has made others, with vectors of other lengths
    made = {path.name for path in run.iterdir()}
    assert {"01_train.ipynb", "02_correlation.ipynb", "run.json", "weights.safetensors"} <= made
    assert {"correlation.parquet", "summary.parquet", "figures"} <= made
    assert (tmp_path / "12_verdict.ipynb").exists() and (tmp_path / "12b_annex.ipynb").exists()

    before = files(tmp_path)
    again = snakemake(tmp_path, "encoders=average", "seeds=0")
    assert again.returncode == 0 and files(tmp_path) == before

    alone = snakemake(tmp_path, "encoders=average", "seeds=7", "chapters=08", verdict=False)
    assert alone.returncode == 0, alone.stderr[-3000:]
    (only,) = tmp_path.glob("planted/*/*/seed7/*.ipynb")
    run = only.parent
    assert only.name == "08_relevance.ipynb"
    took = {k: v["seconds"] for k, v in json.loads((run / "run.json").read_text())["products"].items()}
    assert took["weights"] == pytest.approx(took["watched"], abs=0.5)  # of one training

    more = snakemake(tmp_path, "encoders=average,cnn", "seeds=0", "chapters=01", verdict=False)
    assert more.returncode == 0, more.stderr[-3000:]
    assert list(tmp_path.glob("planted/cnn-additive/paper-*/seed0/01_train.ipynb"))
    after = files(tmp_path)
    assert {name: after[name] for name in before if name.parts[0] == "planted"} == {
        name: before[name] for name in before if name.parts[0] == "planted"
    }


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("encoders=bilstn", "unknown encoder 'bilstn'. Did you mean 'bilstm'?"),
        ("chapters=99", "unknown chapter of the batch '99'."),
        ("sedes=1", "unknown key of a grid 'sedes'. Did you mean 'seeds'?"),
    ],
)
def test_a_grid_that_cannot_be_is_one_sentence(tmp_path, config, sentence):
    """By Snakemake; tests/runs/test_grid.py has what else can't be."""
    found = snakemake(tmp_path / "results", config)
    assert found.returncode != 0
    assert sentence in found.stderr and "Traceback" not in found.stderr
    assert not (tmp_path / "results").exists()


TEXTS = "split,text,label\n" + "".join(
    f"{split},{text},{label}\n"
    for split in ("train", "dev", "test")
    for text, label in (("a bad film", "negative"), ("a good film", "positive"))
)
OWN = "own: {file: NAME.csv, classes: [negative, positive]}\n"
# Corpora of one's own: the YAML, the texts, what is said.
FAULTY = {
    "wrong": ("own: {file: wrong.csv, classes: [yes, no]}\n", TEXTS, "in quotes"),
    "gone": (OWN, None, "gone.csv can't be read"),
    "column": (OWN, TEXTS.replace("text", "txt"), "column 'text' is missing"),
}
ONE = ("encoders=average", "attentions=additive", "seeds=0", "chapters=01")


@pytest.fixture
def project(tmp_path):
    """A copy of the project to put corpora into."""
    copy = run_notebooks.copy(tmp_path / "project")
    for name, (yaml, texts, _) in (FAULTY | {"blind": (OWN + "vectors: nowhere.vec\n", TEXTS, "")}).items():
        (copy / "params" / f"{name}.yaml").write_text(yaml.replace("NAME", name))
        if texts:
            (copy / "params" / f"{name}.csv").write_text(texts)
    (copy / "params" / "neighbour.yaml").write_text("{")
    return copy


def assert_told_at_the_end(found, names):
    """The batch failed, and its last word is on these corpora, each with its sentence."""
    assert found.returncode == 1 and "Traceback" not in found.stderr, found.stderr[-3000:]
    last = found.stderr.rpartition("of the batch's corpora can't be run, the others are.\n")[2]
    for name in names:
        (line,) = [line for line in last.splitlines() if line.startswith(f"  {name}: ")]
        assert FAULTY[name][2] in line


def test_a_faulty_corpus_does_not_stop_the_others(project, tmp_path):
    """Of four one is sound: it runs, the verdict is made, and the three are told at the end. So again."""
    how = {"project": project, "env": run_notebooks.environment(project)}
    corpora = "corpora=wrong,gone,planted,column"
    found = snakemake(tmp_path / "r", corpora, *ONE, **how)
    assert_told_at_the_end(found, FAULTY)
    assert "1 runs are finished." in found.stdout
    assert [path.parts[-5] for path in (tmp_path / "r").rglob("01_train.ipynb")] == ["planted"]
    assert (tmp_path / "r" / "12_verdict.ipynb").exists()
    before = files(tmp_path / "r")
    again = snakemake(tmp_path / "r", corpora, *ONE, **how)
    assert_told_at_the_end(again, FAULTY)
    lock = {Path(".batch"): before[Path(".batch")]}  # says who has it now
    assert files(tmp_path / "r") | lock == before
    alone = snakemake(tmp_path / "alone", "corpora=neighbour", *ONE, **how)
    assert alone.returncode == 1 and "heed: " in alone.stderr and "Traceback" not in alone.stderr
    assert "neighbour.yaml can't be read as YAML" in alone.stderr and not (tmp_path / "alone").exists()


def test_a_chapter_that_fails_does_not_stop_the_others(project, tmp_path):
    """No look at the texts finds that the vectors aren't there: the chapter does."""
    how = {"project": project, "env": run_notebooks.environment(project)}
    found = snakemake(tmp_path / "r", "corpora=blind,gone,planted", *ONE, **how)
    assert_told_at_the_end(found, ["gone"])
    assert "heed: 01_train: vectors: 'nowhere.vec'" in found.stderr
    (chapter,) = (tmp_path / "r").rglob("01_train.ipynb")
    assert chapter.parts[-5] == "planted"
    for name in ("verdict", "annex"):
        (file,) = (tmp_path / "r").glob(f"12*_{name}.ipynb")
        assert f"The {name} is of all that is finished: {file}" in found.stdout
    (failed,) = (tmp_path / "r").rglob("01_train.failed.ipynb")
    assert f"  {failed.parent}/01_train\n" in found.stdout


def test_of_very_many_chapters_a_run_is_one_job(project, tmp_path):
    """Which plans ten thousand runs in half a minute; here whatever is more than none is very many."""
    snakefile = project / "Snakefile"
    snakefile.write_text(re.sub(r"^MANY = \d+", "MANY = 0", snakefile.read_text(), flags=re.M))
    how = {"project": project, "env": run_notebooks.environment(project), "verdict": False}
    found = snakemake(tmp_path / "r", "corpora=blind,planted", *ONE, **how)
    assert found.returncode == 1
    assert "1 runs are finished; of 1 others a chapter failed." in found.stdout
    assert "heed: blind/" in found.stderr and "vectors: 'nowhere.vec'" in found.stderr
    failed, whole = sorted((tmp_path / "r").rglob(".through.json"))
    assert [path.parts[-5] for path in (failed, whole)] == ["blind", "planted"]
    assert (whole.parent / "01_train.ipynb").exists() and json.loads(whole.read_text()) == {"failed": {}}
    assert (failed.parent / "01_train.failed.ipynb").exists()


def test_papermill_refuses_a_misspelt_parameter(tmp_path):
    """papermill itself only warns."""
    out = tmp_path / "out.ipynb"
    found = run_notebooks.papermill(
        "notebooks/10_perturb.ipynb", str(out), "-p", "encodr", "cnn", "-p", "results", str(tmp_path)
    )
    assert found.returncode != 0
    assert "heed: unknown parameter 'encodr'. Did you mean 'encoder'?" in found.stderr
    misspelt = [
        ("09_copying", "sedes", "seeds"),
        ("09b_translation", "profle", "profile"),
        ("12_verdict", "reslts", "results"),
        ("12b_annex", "reslts", "results"),
    ]
    for chapter, wrong, right in misspelt:
        found = run_notebooks.papermill(f"notebooks/{chapter}.ipynb", str(out), "-p", wrong, "3")
        assert found.returncode != 0
        assert f"heed: unknown parameter '{wrong}'. Did you mean '{right}'?" in found.stderr
    assert not (tmp_path / "planted").exists()


def test_papermill_takes_any_parameter_by_name(tmp_path):
    """`-p negation 0` is as good as `set: {negation: 0}`; the notebook alone makes all that it needs."""
    out = tmp_path / "out.ipynb"
    tiny = ["-p", "made_train", "60", "-p", "made_test", "30", "-p", "epochs", "1", "-p", "negation", "0"]
    found = run_notebooks.papermill(
        "notebooks/10_perturb.ipynb",
        str(out),
        "-p",
        "encoder",
        "average",
        "-p",
        "results",
        str(tmp_path),
        *tiny,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    (run,) = tmp_path.glob("planted/average-additive/paper-*/seed0")
    assert '"negation": 0.0' in (run / "run.json").read_text()
