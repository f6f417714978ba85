"""A large JSON file, one record after the other, or its keys alone: memory holds a record and a chunk, not
the file."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

CHUNK = 1 << 20  # characters read at once
LONGEST = 1 << 27  # characters of one record
SPACE = " \t\r\n"
DEEPEST = 2  # objects around the list


class NoList(ValueError):
    """There is no list of records where one can be read on the way."""


def records(file: TextIO, holders: tuple[str, ...]) -> Iterator[Any]:
    """The entries of the list that the file is, or that stands under one of the keys `holders`.

    Raises
    ------
    NoList
        If there is no such list, before any entry.
    ValueError
        If the file is not JSON, or an entry is longer than LONGEST.
    """
    text = _Text(file)
    for _ in range(DEEPEST):
        if text.next_letter() == "{":
            _go_to(text, holders)
    if text.next_letter() != "[":
        raise NoList("no list")
    text.take("[")
    while text.next_letter() != "]":
        yield text.value()
        if text.next_letter() != "]":
            text.take(",")


def _go_to(text: "_Text", holders: tuple[str, ...]) -> None:
    """Read to the value of the first of the keys that holds a list or an object; NoList if none does."""
    text.take("{")
    while text.next_letter() != "}":
        key = text.value()
        text.take(":")
        if key in holders and text.next_letter() in ("[", "{"):
            return
        text.value()
        if text.next_letter() != "}":
            text.take(",")
    raise NoList("no list")


class _Text:
    """The file's text from where it was read to; what was read is dropped."""

    def __init__(self, file: TextIO):
        self.file, self.text, self.at, self.ended = file, "", 0, False
        self.decoder = json.JSONDecoder()

    def next_letter(self) -> str:
        """The next letter that is no space, without taking it; "" at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in SPACE:
                self.at += 1
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self._more(CHUNK)

    def take(self, letter: str) -> None:
        """Go past this letter; ValueError if another stands there."""
        if self.next_letter() != letter:
            raise ValueError(f"expected {letter!r}, found {self.text[self.at : self.at + 20]!r}")
        self.at += 1

    def value(self) -> Any:
        """The next value; ValueError if it is none, or too long."""
        self.next_letter()
        size = CHUNK
        while True:
            try:
                found, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError:
                if self.ended:
                    raise
            else:
                if end < len(self.text) or self.ended:
                    self.at = end
                    return found
            if len(self.text) - self.at > LONGEST:
                raise ValueError(f"a value of more than {LONGEST:,} characters, or no JSON")
            self._more(size)
            size *= 2

    def _more(self, size: int) -> None:
        read = self.file.read(size)
        self.text, self.at, self.ended = self.text[self.at :] + read, 0, not read


def open_unpacked(path: Path) -> BinaryIO | gzip.GzipFile:
    """The file's bytes, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def mentions(path: Path, *words: str) -> bool:
    """Whether all of these words stand anywhere in the file, which is not held.

    Raises
    ------
    OSError, EOFError
        If the file cannot be read.
    """
    missing = {f'"{word}"'.encode() for word in words}
    before = b""
    with open_unpacked(path) as file:
        while missing and (chunk := file.read(CHUNK)):
            missing = {word for word in missing if word not in before + chunk}
            before = (before + chunk)[-64:]
    return not missing
