"""Files as records, one after the other, each with its place; a broken line is a record that says so, never the end of the reading.

lines.py      JSON Lines                                     delimited.py  CSV and TSV
whole.py      JSON in one piece, Excel                       columnar.py   Parquet
"""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

from ragassay.answers.adapters import Record
from ragassay.answers.reading import columnar, delimited, lines, whole
from ragassay.answers.reading.source import Source
from ragassay.errors import InputError

READERS: dict[str, Callable[[Source], Iterator[Record]]] = {
    ".jsonl": lines.records,
    ".ndjson": lines.records,
    ".csv": delimited.records,
    ".tsv": delimited.records,
    ".json": whole.json_records,
    ".xlsx": whole.excel_records,
    ".parquet": columnar.records,
}


def records(path: Path) -> Iterator[Record]:
    """The records of a .jsonl, .csv, .tsv, .parquet, .json or .xlsx file; the first five also compressed, as .gz.

    Memory does not grow with the length of the file, except for .json, which is read in one piece.

    Raises
    ------
    InputError
        If the file is missing, of another kind, or broken as a whole.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = (suffixes[:-1] if packed else suffixes)[-1:]
    if not path.is_file() or not kind or kind[0] not in READERS:
        raise InputError(
            "the answers cannot be read",
            where=path,
            found=("".join(path.suffixes) or "no suffix")
            if path.is_file()
            else "a folder"
            if path.is_dir()
            else "nothing there",
            expected=f"a file of one of {', '.join(READERS)}, or .gz of it",
            do="correct the path, or save the answers as one of these",
        )
    yield from _opened(path, kind[0], packed)


def _opened(path: Path, kind: str, packed: bool) -> Iterator[Record]:
    with path.open("rb") as disk:
        size = max(path.stat().st_size, 1)
        file = gzip.GzipFile(fileobj=disk) if packed else disk
        source = Source(path, file, lambda: min(1.0, disk.tell() / size), kind)  # type: ignore[arg-type]
        try:
            yield from READERS[kind](source)
        except (gzip.BadGzipFile, EOFError) as problem:
            raise InputError(
                "the compressed file is broken", where=path.name, found=str(problem), do="compress it again"
            ) from None
