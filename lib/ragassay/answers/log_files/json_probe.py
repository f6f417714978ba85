"""Which lists a JSON file holds, found without holding the file: a log that people have judged is known by
them."""

import gzip
import io
from pathlib import Path
from typing import BinaryIO

from ragassay.answers.log_files import json_stream

CHUNK = 1 << 20  # bytes looked through at once


def lists_of(path: Path, named: str) -> set[str]:
    """The keys under which the object that the file is holds a list; none where the file nowhere names
    `named`, which is looked for first.

    Raises
    ------
    OSError, EOFError
        If the file cannot be read.
    ValueError
        If it is not JSON.
    """
    with open_unpacked(path) as file:
        if not _mentions(file, f'"{named}"'.encode()):
            return set()
        file.seek(0)
        text = io.TextIOWrapper(file, encoding="utf-8-sig")
        return {key for key, letter in json_stream.parts(text) if letter == "["}


def open_unpacked(path: Path) -> BinaryIO | gzip.GzipFile:
    """The file's bytes, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _mentions(file: BinaryIO | gzip.GzipFile, words: bytes) -> bool:
    """Whether the words stand anywhere in the file."""
    before = b""
    while chunk := file.read(CHUNK):
        if words in before + chunk:
            return True
        before = chunk[-len(words) :]
    return False
