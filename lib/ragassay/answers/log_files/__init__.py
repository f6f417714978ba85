"""Files of any kind as records, one after the other, each with its place; a broken line is a record that says
so, never the end of the reading. To read another kind of file, add a reader here.

json_files.py     JSON Lines, JSON in one piece     json_stream.py  a large JSON file record by record
tabular_files.py  CSV and TSV, Parquet, Excel
record.py         Record, Flaw, Source
"""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

from ragassay.answers.log_files import json_files, tabular_files
from ragassay.answers.log_files.record import Flaw, Record, Source
from ragassay.errors import InputError

__all__ = ["READERS", "Flaw", "Record", "Source", "read_records"]

READERS: dict[str, Callable[[Source], Iterator[Record]]] = {
    ".jsonl": json_files.line_records,
    ".ndjson": json_files.line_records,
    ".json": json_files.whole_records,
    ".csv": tabular_files.delimited_records,
    ".tsv": tabular_files.delimited_records,
    ".parquet": tabular_files.parquet_records,
    ".xlsx": tabular_files.excel_records,
}


def read_records(path: Path) -> Iterator[Record]:
    """The records of a .jsonl, .ndjson, .json, .csv, .tsv, .parquet or .xlsx file, also compressed as .gz.

    Memory does not grow with the length of the file, nor of a .json that is a list or
    holds one; a small .json, and columns, are read in one piece.

    Raises
    ------
    InputError
        If the file is missing, of another kind, or broken as a whole.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = "".join((suffixes[:-1] if packed else suffixes)[-1:])
    if not path.is_file() or kind not in READERS:
        raise InputError(
            "the answers cannot be read",
            where=path,
            found=_kind_of_path(path),
            expected=f"a file of one of {', '.join(READERS)}, or .gz of it",
            do="correct the path, or save the answers as one of these",
        )
    yield from _read_opened(path, kind, packed)


def _kind_of_path(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    return ("".join(path.suffixes) or "no suffix") if path.is_file() else "nothing there"


def _read_opened(path: Path, kind: str, packed: bool) -> Iterator[Record]:
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
