"""One record of a file and what is wrong with it; an open file and how much of it has been read."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ragassay.errors import InputError

LOST = "save the file as UTF-8; U+FFFD stands for what was lost"


class Flaw(NamedTuple):
    """A value or line that could not be read: where it stands, what was found, what was expected, what to do.

    spoils : whether its row can no longer be judged; a cost that is no number is only left empty
    """

    where: str
    column: str
    found: str
    expected: str
    do: str
    spoils: bool = True

    @property
    def place(self) -> str:
        return f"{self.where}, column {self.column!r}" if self.column else self.where

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}; expected {self.expected}; do: {self.do}"


class Record(NamedTuple):
    """The values of one record by column, where it stands ("log.jsonl, line 3"), its flaws, and the share of
    the input read so far."""

    values: dict
    where: str
    flaws: tuple[Flaw, ...] = ()
    share: float = 0.0
    broken: bool = False


class Source(NamedTuple):
    """The path, the bytes (unpacked), the share of the file read so far (0 to 1), and the kind: ".jsonl"."""

    path: Path
    file: BinaryIO
    share: Callable[[], float]
    kind: str


def broken_record(where: str, found: object, expected: str, do: str, share: float = 0.0) -> Record:
    """A record of which nothing could be read."""
    return Record({}, where, (Flaw(where, "", shorten(found), expected, do),), share, broken=True)


def shorten(value: object, limit: int = 120) -> str:
    """A value as a flaw names it: one line, cut."""
    text = value if isinstance(value, str) else repr(value)[: 4 * limit]
    line = " ".join(text[: 4 * limit].encode("utf-8", "replace").decode().split())
    return repr(line if len(line) <= limit else f"{line[:limit]}...")


def check_names(header: Iterable[str], where: str) -> None:
    """InputError if two columns have the same name; columns without a name do not count."""
    name, times = next(iter(Counter(filter(None, header)).most_common(1)), ("", 0))
    if times > 1:
        raise InputError("two columns have the same name", where=where, found=name, do="rename one of them")
