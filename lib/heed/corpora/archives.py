"""Archives from elsewhere: read as streams, up to stated limits; nothing is extracted to the disk."""

import csv
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heed import paths

UNPACKED = 2**30  # bytes that an archive may unpack to; IMDB has 65 MB


class Unpacked(io.RawIOBase):
    """A file, packed or not, as a stream of bytes; an error where it becomes too long."""

    def __init__(self, path: Path, most: int = UNPACKED):
        with open(path, "rb") as file:
            start = file.read(2)
        if start == b"\x1f\x8b":
            self.file = gzip.open(path, "rb")
        elif start == b"\xfd7":
            self.file = lzma.open(path, "rb")
        else:
            self.file = open(path, "rb")
        self.left = paths.may_unpack(path, most)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        block = self.file.read(len(buffer))
        self.left -= len(block)
        if self.left < 0:
            raise ValueError("it unpacks to more than it may")
        buffer[: len(block)] = block
        return len(block)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What is wrong with the text or the rows of a file, told with its name: of several it might be any."""
    try:
        yield
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{name}: {error}") from error


def text_of(path: Path) -> io.TextIOWrapper:
    """A file of text, packed or not, its line ends as they are: what the csv module wants."""
    return io.TextIOWrapper(io.BufferedReader(Unpacked(path)), encoding="utf-8", newline="")


def files_of(path: Path, wanted: str, most: int = UNPACKED) -> Iterator[tuple[re.Match, io.BufferedReader]]:
    """The files of a packed tar whose whole name is as `wanted`: the match and the bytes, in order.

    No sparse ones: their zeros are in no archive, and would be counted by no limit.
    """
    with tarfile.open(fileobj=Unpacked(path, most), mode="r|") as archive:
        for member in archive:
            match = re.fullmatch(wanted, member.name.removeprefix("./"))
            if match and member.isfile() and not member.issparse():
                yield match, archive.extractfile(member)


def member_of(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of a zip, by its exact name. zipfile reads no more of it than it says to hold."""
    with _opened(archive, name) as file:
        return file.read()


def lines_of(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """The lines of such a file, one at a time."""
    with _opened(archive, name) as file:
        yield from (line.decode("utf-8") for line in file)


def _opened(archive: zipfile.ZipFile, name: str):
    """A file of a zip, open. Raises ValueError if it says to hold more than it may."""
    if archive.getinfo(name).file_size > paths.may_unpack(Path(archive.filename), UNPACKED):
        raise ValueError(f"{name} unpacks to more than it may")
    return archive.open(name)
