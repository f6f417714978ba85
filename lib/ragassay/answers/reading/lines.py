"""JSON Lines: one object per line."""

import codecs
import json
from collections.abc import Iterator

from ragassay.answers.adapters import Flaw, Record
from ragassay.answers.reading.source import Source, broken, decoded
from ragassay.errors import InputError

MEND = "mend the line"


def records(source: Source) -> Iterator[Record]:
    """One record per line that is not blank."""
    for number, line in enumerate(source.file, start=1):
        if number == 1:
            line = _unmarked(line, source.path.name)
        if line.strip():
            yield _record(line, f"{source.path.name}, line {number}", source.share())


def _record(line: bytes, where: str, share: float) -> Record:
    text, flaws = decoded(line, where)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return broken(where, f"{text[:80]} ({problem})", "one JSON object per line", MEND, share)
    if not isinstance(found, dict):
        return broken(where, text, "one JSON object per line", MEND, share)
    return Record(
        {str(name).strip(): value for name, value in found.items()}, where, _in_columns(flaws, found), share
    )


def _in_columns(flaws: tuple[Flaw, ...], values: dict) -> tuple[Flaw, ...]:
    """Flaws of a line, told of the columns that show them."""
    marked = [name for name, value in values.items() if "\ufffd" in str(value)] if flaws else []
    return tuple(flaw._replace(column=", ".join(marked)) for flaw in flaws)


def _unmarked(line: bytes, name: str) -> bytes:
    """The first line without its byte order mark; UTF-16 is refused, because its lines cannot be told apart byte by byte."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(
            "the file is UTF-16", where=name, found=repr(line[:4]), expected="UTF-8", do="save it as UTF-8"
        )
    return line.removeprefix(codecs.BOM_UTF8)
