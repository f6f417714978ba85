"""A large JSON file, one record after the other, or its keys alone: memory holds a record and a chunk, not
the file."""

import gzip
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

CHUNK = 1 << 20  # characters read at once
LONGEST = 1 << 27  # characters of one record
SPACE = " \t\r\n"
DEEPEST = 2  # objects around the list
BRACKETS = re.compile(r'["\[\]{}]')
STRING_END = re.compile(r'["\\]')  # or a backslash, whose next letter belongs to the string


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


def parts(file: TextIO) -> Iterator[tuple[str, str]]:
    """The keys of the object that the file is, each with the first letter of its value ("[" of a list), which
    is passed over and not kept; none where the file is no object.

    Raises
    ------
    ValueError
        If the file is not JSON; what stands within a value is not looked at.
    """
    text = _Text(file)
    if text.next_letter() != "{":
        return
    text.take("{")
    while text.next_letter() != "}":
        key = text.value()
        text.take(":")
        yield key, text.next_letter()
        text.skip()
        if text.next_letter() != "}":
            text.take(",")


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

    def skip(self) -> None:
        """Go past the next value and keep nothing of it; ValueError if the file ends within it."""
        if self.next_letter() not in ("[", "{"):
            self.value()
            return
        depth = 0
        while True:
            mark = self._go_past(BRACKETS)
            if mark == '"':
                self._end_string()
                continue
            depth += 1 if mark in "[{" else -1
            if not depth:
                return

    def _end_string(self) -> None:
        while self._go_past(STRING_END) == "\\":
            if self.at == len(self.text):
                self._more(CHUNK)
            self.at += 1

    def _go_past(self, marks: re.Pattern[str]) -> str:
        """The next of these letters, taken; what stands before it is dropped."""
        while (found := marks.search(self.text, self.at)) is None:
            if self.ended:
                raise ValueError("the file ends within a value")
            self.at = len(self.text)
            self._more(CHUNK)
        self.at = found.end()
        return found[0]

    def _more(self, size: int) -> None:
        read = self.file.read(size)
        self.text, self.at, self.ended = self.text[self.at :] + read, 0, not read


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
        return {key for key, letter in parts(text) if letter == "["}


def open_unpacked(path: Path) -> BinaryIO | gzip.GzipFile:
    """The file's bytes, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _mentions(file: BinaryIO | gzip.GzipFile, words: bytes) -> bool:
    """Whether the words stand anywhere in the file."""
    before = b""
    while chunk := file.read(CHUNK):
        if words in before + chunk:
            return True
        before = (before + chunk)[-len(words) :]
    return False
