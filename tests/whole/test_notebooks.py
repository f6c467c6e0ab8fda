"""Committed outputs are compared for real, here and elsewhere."""

import nbformat
import pytest
import torch

import run_notebooks

NOTEBOOKS = run_notebooks.books()
# Another instruction set; MKL's bits stay the same without the last.
OLDER = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "COMPATIBLE"}


# Threads that wait don't take the core from the other worker's tests.
THREADS = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
# Chapters that are run on another instruction set than their outputs come from, and what is set there: 02
# ranks by differences of float64, and 09's hundreds of steps make much of a last bit.
ELSEWHERE = {
    "02_correlation.ipynb": THREADS | OLDER,
    "09_copying.ipynb": OLDER,
    "09b_translation.ipynb": OLDER,
}


def when(notebook: str) -> list:
    """Which command runs a notebook plainly: one of them, or both."""
    if notebook in ELSEWHERE:
        return [pytest.mark.quick]
    return [pytest.mark.thorough] if notebook.startswith("howto/") else []


@pytest.mark.parametrize("notebook", [pytest.param(name, marks=when(name)) for name in NOTEBOOKS])
def test_outputs_are_what_is_committed(tmp_path, notebook):
    compare(run_notebooks.copy(tmp_path), notebook)


@pytest.mark.thorough
@pytest.mark.parametrize("notebook", ELSEWHERE)
def test_outputs_are_the_same_elsewhere(tmp_path, notebook):
    """On another instruction set; chapter 02 on two threads, too."""
    copy = run_notebooks.copy(tmp_path)
    if notebook == "02_correlation.ipynb":
        on_two_threads(copy / "notebooks" / notebook)
    compare(copy, notebook, **ELSEWHERE[notebook])


def compare(copy, notebook: str, **environment: str) -> None:
    """Nor do they hang on the library's hash: an edit that changes no number changes no output."""
    with open(copy / "lib" / "heed" / "paths.py", "a") as file:
        file.write("# another version\n")
    found = run_notebooks.nbval(copy, notebook, **environment)
    assert found.returncode == 0, found.stdout[-4000:]


def on_two_threads(path) -> None:
    """Give a copy's run two threads, as its reader would."""
    book = nbformat.read(path, 4)
    cell = next(c for c in book.cells if "parameters" in c.metadata.get("tags", []))
    assert "set = {}" in cell.source
    cell.source = cell.source.replace("set = {}", 'set = {"threads": 2}')
    nbformat.write(book, path)


@pytest.mark.thorough
def test_chapter_02_without_a_gpu(tmp_path):
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that can be hidden: torch sees none here, as in the test above")
    copy = run_notebooks.copy(tmp_path)
    found = run_notebooks.nbval(copy, "02_correlation.ipynb", CUDA_VISIBLE_DEVICES="")
    assert found.returncode == 0, found.stdout[-4000:]
