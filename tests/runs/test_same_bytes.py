"""The same run gives the same bytes, whatever the environment says of threads and whatever ran before."""

import json
import os
import subprocess
import sys

import pytest
import torch
from threadpoolctl import threadpool_info

from heed import paths
from heed.runs.products import files
from heed.runs.run import on_threads
from small_run import SMALL, products

# Not by Run.of, which sets the threads of its process: it is the making that must see to them.
MAKE = """
import json, sys
from pathlib import Path
from heed.params import resolve
from heed.runs.run import Run

for given, products in json.loads(sys.argv[2]):
    run = Run(resolve(given), Path(sys.argv[1]))
    for product in products:
        run.ensure(product)
"""
# What counts threads: OpenMP, and the libraries that have a variable of their own.
COUNTING = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# In this precision and these batches torch's sums hang on the number of threads, however small the model.
SENSITIVE = SMALL | {
    "precision": "float32",
    "batch_size": 32,
    "epochs": 1,
    "other_seeds": [1],
    "lambdas": [0.1],
    "lie_weights": [0.1],
}
# And numpy's product of permutations and values does where texts are long.
LONG = {"made_length": 3000, "classes": 4, "made_train": 20, "made_dev": 20, "made_test": 20}
CASES = [(SENSITIVE | {"encoder": name}, [*products()]) for name in ("bilstm", "cnn", "average")]
CASES.append((SENSITIVE | {"encoder": "average"} | LONG, ["weights", "evidence", "permutation"]))


def made(results, cases: list, **environment: str) -> dict[str, str]:
    """File to SHA-256, of all that a fresh process makes; of threads no variable tells but those given."""
    rest = {name: value for name, value in os.environ.items() if name not in COUNTING}
    command = [sys.executable, "-c", MAKE, results, json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, env=rest | environment)
    assert done.returncode == 0, done.stderr
    found = [path for path in results.rglob("*") if path.name in files().values()]
    return {str(path.relative_to(results)): paths.sha256(path) for path in found}


@pytest.mark.thorough
def test_the_environment_changes_no_byte(tmp_path):
    """Weights and tables of each encoder and of all that it is held against; in another order, too."""
    one = made(tmp_path / "one", CASES, OMP_NUM_THREADS="1")
    read = files()["cut"]  # of the runs that read rationales
    assert {path.rpartition("/")[2] for path in one} == {*products().values(), read}
    two = made(tmp_path / "two", CASES[::-1], OMP_NUM_THREADS="2")
    assert two.keys() == one.keys()
    unset = made(tmp_path / "unset", [CASES[-1], CASES[2]])
    assert unset and {*unset} < {*one}
    for other in (two, unset):
        assert [path for path in other if other[path] != one[path]] == []


def test_another_run_changes_no_byte(small, tmp_path):
    """Nor does one on two threads that begins after it, or any that left another number behind."""
    with on_threads(1):
        whole = small(tmp_path / "alone", **SENSITIVE).ensure("weights").read_bytes()
        run = small(tmp_path / "between", **SENSITIVE)
        small(tmp_path / "other", **SENSITIVE | {"threads": 2})
        assert torch.get_num_threads() == 2
        assert run.ensure("weights").read_bytes() == whole
        assert torch.get_num_threads() == 2, "the other's are left to it"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_begins_with_its_own_threads(small, tmp_path, threads):
    """For what a chapter computes itself, torch and BLAS have the parameter's number, whoever set another."""
    with on_threads(3 - threads):
        small(tmp_path, threads=threads)
        counts = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        assert (torch.get_num_threads(), counts) == (threads, {threads})
