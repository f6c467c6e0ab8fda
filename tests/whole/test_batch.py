"""The batch itself: real Snakemake, real papermill, real kernels, on a tiny grid."""

import json
import subprocess
import sys

import pytest

import run_notebooks

pytestmark = pytest.mark.thorough
TINY = "set={made_train: 60, made_dev: 40, made_test: 30, epochs: 2, resamples: 50}"


def snakemake(folder, *config):
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "2",
        "--config",
        f"results={folder}",
        TINY,
        *config,
    ]
    return subprocess.run(command, cwd=run_notebooks.ROOT, capture_output=True, text=True, timeout=600)


def files(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_grid_runs_grows_and_does_nothing_twice(tmp_path):
    found = snakemake(tmp_path, "encoders=average", "seeds=0")
    assert found.returncode == 0, found.stderr[-3000:]
    assert "verdict" in found.stdout and str(tmp_path) in found.stdout  # it says where everything is
    (run,) = tmp_path.glob("planted/average-additive/paper-*/seed0")
    made = {path.name for path in run.iterdir()}
    assert {"01_train.ipynb", "02_correlation.ipynb", "run.json", "weights.safetensors"} <= made
    assert {"correlation.parquet", "summary.parquet", "figures"} <= made
    assert (tmp_path / "12_verdict.ipynb").exists()

    before = files(tmp_path)
    again = snakemake(tmp_path, "encoders=average", "seeds=0")
    assert again.returncode == 0 and files(tmp_path) == before

    alone = snakemake(tmp_path, "encoders=average", "seeds=7", "chapters=08")
    assert alone.returncode == 0, alone.stderr[-3000:]
    (only,) = tmp_path.glob("planted/*/*/seed7/*.ipynb")
    run = only.parent
    assert only.name == "08_relevance.ipynb"
    took = {k: v["seconds"] for k, v in json.loads((run / "run.json").read_text())["products"].items()}
    assert took["weights"] == pytest.approx(took["watched"], abs=0.5)  # of one training

    more = snakemake(tmp_path, "encoders=average,cnn", "seeds=0", "chapters=01")
    assert more.returncode == 0, more.stderr[-3000:]
    assert list(tmp_path.glob("planted/cnn-additive/paper-*/seed0/01_train.ipynb"))
    after = files(tmp_path)
    assert {name: after[name] for name in before if name.parts[0] == "planted"} == {
        name: before[name] for name in before if name.parts[0] == "planted"
    }


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("corpora=sts", "unknown corpus 'sts'. Did you mean 'sst'?"),
        ("encoders=bilstn", "unknown encoder 'bilstn'. Did you mean 'bilstm'?"),
        ("attentions=adittive", "Did you mean 'additive'?"),
        ("profile=papr", "Did you mean 'paper'?"),
        ("grid=dmo", "unknown grid 'dmo'. Did you mean 'demo'?"),
        ("chapters=99", "unknown chapter of the batch '99'."),
        ("seeds=one", "every seed must be a whole number"),
        ("sedes=1", "unknown key of a grid 'sedes'. Did you mean 'seeds'?"),
    ],
)
def test_a_grid_that_cannot_be_is_one_sentence(tmp_path, config, sentence):
    found = snakemake(tmp_path / "results", config)
    assert found.returncode != 0
    assert sentence in found.stderr and "Traceback" not in found.stderr
    assert not (tmp_path / "results").exists()


def test_papermill_refuses_a_misspelt_parameter(tmp_path):
    """papermill itself only warns."""
    out = tmp_path / "out.ipynb"
    found = run_notebooks.papermill(
        "notebooks/10_perturb.ipynb", str(out), "-p", "encodr", "cnn", "-p", "results", str(tmp_path)
    )
    assert found.returncode != 0
    assert "heed: unknown parameter 'encodr'. Did you mean 'encoder'?" in found.stderr
    for chapter, wrong, right in (("09_copying", "sedes", "seeds"), ("12_verdict", "reslts", "results")):
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
