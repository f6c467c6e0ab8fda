"""Archives from elsewhere: read as streams, up to stated limits; nothing is extracted to the disk."""

import gzip
import lzma
import zipfile
from collections.abc import Iterator
from pathlib import Path

from heed import paths

UNPACKED = 2**30  # bytes that an archive may unpack to; IMDB has 65 MB


class Unpacked:
    """A packed tar as a stream of bytes, an error where it becomes too long. Nothing is extracted."""

    def __init__(self, path: Path, most: int = UNPACKED):
        with open(path, "rb") as file:
            packed = {b"\x1f\x8b": gzip.open, b"\xfd7": lzma.open}.get(file.read(2), open)
        self.file, self.left = packed(path, "rb"), paths.may_unpack(path, most)

    def read(self, size: int) -> bytes:
        block = self.file.read(size)
        self.left -= len(block)
        if self.left < 0:
            raise ValueError("it unpacks to more than it may")
        return block


def member_of(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of a zip, by its exact name. zipfile reads no more of it than it says to hold."""
    with _opened(archive, name) as file:
        return file.read()


def lines_of(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """The lines of such a file, one at a time."""
    with _opened(archive, name) as file:
        yield from (line.decode("utf-8") for line in file)


def _opened(archive: zipfile.ZipFile, name: str):
    if archive.getinfo(name).file_size > paths.may_unpack(Path(archive.filename), UNPACKED):
        raise ValueError(f"{name} unpacks to more than it may")
    return archive.open(name)
