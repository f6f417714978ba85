"""An open file, and how much of it has been read."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ragassay.answers.adapters import Flaw, Record
from ragassay.answers.adapters.schema import shortened
from ragassay.errors import InputError


class Source(NamedTuple):
    """The path, the bytes (unpacked), the share of the file read so far (0 to 1), and the kind: ".jsonl"."""

    path: Path
    file: BinaryIO
    share: Callable[[], float]
    kind: str


def broken(where: str, found: object, expected: str, do: str, share: float = 0.0) -> Record:
    """A record of which nothing could be read."""
    return Record({}, where, (Flaw(where, "", shortened(found), expected, do),), share, broken=True)


def decoded(line: bytes, where: str) -> tuple[str, tuple[Flaw, ...]]:
    """The text of a line; bytes that are no UTF-8 become U+FFFD and a flaw."""
    try:
        return line.decode("utf-8"), ()
    except UnicodeDecodeError as problem:
        found = f"byte {line[problem.start]:#04x} at {problem.start}"
        return line.decode("utf-8", "replace"), (
            Flaw(where, "", found, "UTF-8", "save the file as UTF-8; U+FFFD stands for what was lost"),
        )


def check_names(header: Iterable[str], where: str) -> None:
    """InputError if two columns have the same name; columns without a name do not count."""
    name, times = next(iter(Counter(filter(None, header)).most_common(1)), ("", 0))
    if times > 1:
        raise InputError("two columns have the same name", where=where, found=name, do="rename one of them")
