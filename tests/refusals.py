"""What the tests of bad and of hostile input share: what is refused and how it is told, small archives."""

import contextlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from heed import paths
from heed.corpora import vectors
from heed.errors import HeedError
from heed.runs import products
from heed.runs.run import Run

NOISE = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8)


def noisy(block: bytes, noise) -> bytes:
    """The block with a few of its bytes replaced."""
    changed = bytearray(block)
    for where, byte in noise:
        changed[int(where * len(changed))] = byte
    return bytes(changed)


def told(read, *given):
    """What reading gives, or the sentence; any other error fails the test."""
    try:
        return read(*given)
    except HeedError as error:
        assert "\n" not in str(error) and len(str(error)) < 2000
        return str(error)


@contextlib.contextmanager
def refused(*parts: str):
    """HeedError is raised, in a sentence or two of one paragraph, and every part is in it."""
    with pytest.raises(HeedError) as caught:
        yield caught
    said = str(caught.value)
    assert "\n" not in said and len(said) < 1000, said
    assert said.endswith("."), said
    for part in parts:
        assert part in said, f"{part!r} is not in: {said}"
    assert caught.value._render_traceback_() == [f"heed: {said}"], "a notebook shows the sentence alone"


def assert_nothing_half_written(*folders: Path) -> None:
    """No file that was begun and not finished."""
    assert [p for folder in folders for p in folder.rglob("*.partial")] == []


# Vectors


def read(path, width: int = 2) -> dict:
    return vectors.read_vectors(str(path), {"film": 0, "bad": 1}, width)


# Corpora: a small one in the form of SST's archive, in a registry and a mirror of the test's own


def trees(content: dict[str, list[str]]) -> bytes:
    block = io.BytesIO()
    with zipfile.ZipFile(block, "w", zipfile.ZIP_DEFLATED) as archive:
        for split, lines in content.items():
            archive.writestr(f"trees/{split}.txt", "\n".join(lines))
    return block.getvalue()


def reviews(mode: str, names=("train/neg/0_1", "train/pos/0_9", "test/neg/0_1", "test/pos/0_9")) -> bytes:
    """A tar in the form of IMDB's, with text that doesn't compress to nothing."""
    block, rng = io.BytesIO(), np.random.default_rng(0)
    with tarfile.open(fileobj=block, mode=mode) as archive:
        for name in names:
            text = " ".join(map(str, rng.integers(10**9, size=4000))).encode()
            info = tarfile.TarInfo(f"aclImdb/{name}.txt")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return block.getvalue()


# A run's folder


def record(run: Run, product: str) -> None:
    """Write the file's own checksum into run.json, as one who tampers with both would."""
    path = run.folder / "run.json"
    info = json.loads(path.read_text())
    info["products"][product]["sha256"] = paths.sha256(run.folder / products.files()[product])
    path.write_text(json.dumps(info))
