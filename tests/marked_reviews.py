"""Small archives in the form of ERASER's movies, made by the tests, and a mirror that holds one."""

import io
import json
import shutil
import tarfile
from pathlib import Path

import numpy as np

from heed import paths

FILES = ("train", "val", "test")


def evidence(start: int, end: int, docid: str) -> dict:
    return {"docid": docid, "start_token": start, "end_token": end, "start_sentence": -1, "end_sentence": -1}


def review(title: str, *marks: tuple[int, int], **other) -> dict:
    """A line of a file: a group for each mark, as most of the official lines have it."""
    found = {"annotation_id": title, "classification": "NEG", "query": "", "query_type": None}
    return found | {"evidences": [[evidence(*mark, title)] for mark in marks]} | other


def archive(path, lists: dict[str, list], documents: dict[str, str | bytes]):
    """movies.tar.gz. lists: by file, what its lines hold; text is taken as it is."""
    with tarfile.open(path, "w:gz") as to:
        for name, content in documents.items():
            add(to, f"movies/docs/{name}", content if isinstance(content, bytes) else content.encode())
        for name, lines in lists.items():
            text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
            add(to, f"movies/{name}.jsonl", text.encode())
    return path


def add(to: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    to.addfile(info, io.BytesIO(content))


def mirror_of(path: Path, mirror: Path) -> Path:
    """A mirror that holds this archive as the registry's corpus movies."""
    home = mirror / "eraser_movies"
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, home / "movies.tar.gz")
    checksum = paths.sha256(home / "movies.tar.gz")
    (mirror / "MANIFEST.tsv").write_text(f"eraser_movies/movies.tar.gz\t1\t{checksum}\n")
    return mirror


def reviews(path: Path, sizes: dict[str, int], seed: int = 0) -> Path:
    """An archive of reviews whose people marked the words that speak for the label, but for a few odd ones.

    The last of each file has no mark, the one before is marked all over, the one before that is short.
    """
    rng, lists, documents = np.random.default_rng(seed), {}, {}
    for name, size in sizes.items():
        lists[name] = []
        for i in range(size):
            label = i % 2
            words = rng.choice("the a film plot it was and of".split(), 4 if i == size - 3 else 12).tolist()
            places = sorted(rng.choice(len(words), 3, replace=False).tolist())
            for place in places:
                words[place] = str(rng.choice(("dull weak worst", "fine great can't-miss")[label].split()))
            spans = {size - 1: [], size - 2: [(0, len(words))]}.get(i, [(p, p + 1) for p in places])
            title = f"{name}_{i}.txt"
            documents[title] = " ".join(words[:6]) + "\n" + " ".join(words[6:]) + "\n"
            lists[name].append(review(title, *spans, classification=("NEG", "POS")[label]))
    return archive(path, lists, documents)
