"""Norms of word vectors: The experiment's runs and its row, against the chapters' own products."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import run_notebooks
from heed.corpora import vectors
from heed.errors import HeedError
from heed.experiments import word_lengths
from heed.params import resolve

SIZES = {"made_train": 40, "made_dev": 10, "made_test": 12, "epochs": 1, "embedding_dim": 8}


def test_a_row_has_what_the_chapters_have(finished):
    """Means of the tables of chapters 02 to 04, of texts of two tokens or more."""
    (row,) = finished.table("word_length").to_dict("records")
    tables = {
        "correlation": ["tau_gradient", "tau_loo", "tau_gradient_loo"],
        "permutation": ["median_change"],
        "truth": ["auroc_gradient"],
        "removed": ["removal_first", "zeroing_second"],
    }
    several = [
        name for name, n in zip(finished.evidence.ids, finished.evidence.lengths, strict=True) if n > 1
    ]
    for product, columns in tables.items():
        table = finished.table(product)
        for column in columns:
            expected = table.loc[table["id"].isin(several), column].mean()
            assert row[column] == pytest.approx(expected, nan_ok=True), column
    curve = finished.table("exact_curve").query("epsilon == 0.05")
    assert row["optimum_at"] == pytest.approx(curve.loc[curve["id"].isin(several), "optimum_at"].mean())
    assert row["accuracy"] == finished.info()["scores"]["test"]["accuracy"]
    assert row["norm"] == finished.info()["scores"]["vectors"]["norm"]


def test_how_far_training_moves_the_vectors(finished):
    """The median over the test tokens of the change's length, as a share of the initial one."""
    before, _ = vectors.matrix(finished.params, finished.corpus.vocabulary)
    after = finished.model().embedding.weight.detach().numpy()
    moves = []
    for words in finished.corpus.splits["test"].words:
        for word in words:
            if word in finished.corpus.vocabulary.code:
                code = finished.corpus.vocabulary.code[word]
                moves.append(np.linalg.norm(after[code] - before[code]) / np.linalg.norm(before[code]))
    assert word_lengths.moved(finished) == pytest.approx(np.median(moves))
    assert word_lengths.moved(finished.changed(vectors="zero")) is np.nan


def test_removed_texts_are_few_and_evenly_spaced(finished):
    few = finished.changed(removed_texts=3)
    assert len(few.data("test").thinned(3)) == len(word_lengths.removed(few)) <= 3


def test_every_kind_is_brought_to_the_same_lengths():
    """Content and length come apart: at each scale the kinds have one median length."""
    kinds = ["random", "word2vec"]
    found = word_lengths.runs(
        "planted", kinds, ["average"], ["additive"], [0, 1], (0.5, 2), "paper",
        vectors_from=["planted"], **SIZES,
    )  # fmt: skip
    assert len(found) == 8 and len({p.path for p in found}) == 8
    first = word_lengths.natural("planted", "random", "paper", **SIZES)
    for p in found:
        run = word_lengths.Run(p, word_lengths.paths.ROOT)
        norm = vectors.lengths(p, run.corpus.vocabulary, run.corpus.splits["test"].words)["norm"]
        if p.seed == 0:
            assert min(abs(norm / first - scale) for scale in (0.5, 2)) < 0.001
    assert {p.vectors for p in found} == {*kinds}


def test_without_vectors_there_is_no_length():
    with pytest.raises(HeedError, match="vectors zero: no test token of corpus planted has one"):
        word_lengths.runs("planted", ["zero"], ["average"], ["additive"], [0], **SIZES)


@pytest.mark.parametrize("name", ["vectors_scale", "input_scale", "removed_texts"])
def test_what_the_experiment_sets_renames_a_run_or_is_measured_anew(name):
    """A factor is another training; how many texts are taken apart is not."""
    usual, other = resolve({}), resolve({name: 2})
    assert (usual.variant == other.variant) == (name == "removed_texts")


@pytest.mark.thorough
def test_the_batch_makes_a_row_a_run(tmp_path):
    """Real snakemake; a second time nothing; a choice that there isn't is one sentence."""
    command = [sys.executable, "-m", "snakemake", "-s", "batch/lengths.smk", "--cores", "1", "--config"]
    command += [f"results={tmp_path}", "corpora=planted", "profile=paper", "vectors=random"]
    command += ["encoders=average", "seeds=0", "scales=0.5 2"]
    told = {"cwd": run_notebooks.ROOT, "capture_output": True, "text": True, "timeout": 600}
    found = subprocess.run(command, **told)
    assert found.returncode == 0, found.stderr[-3000:]
    rows = pd.concat(map(pd.read_parquet, tmp_path.rglob("word-length.parquet")))
    assert sorted(rows["vectors_scale"]) == [0.5, 2] and rows["tau_gradient_loo"].notna().all()
    assert "Nothing to be done" in subprocess.run(command, **told).stderr
    said = subprocess.run([*command, "chapters=02"], **told).stderr
    assert "heed: unknown choice of make lengths 'chapters'" in said
