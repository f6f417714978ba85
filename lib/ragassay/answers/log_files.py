"""Files of any kind as records, one after the other, each with its place; a broken line is a record that says
so, never the end of the reading. To read another kind of file, add a reader to READERS.

JSON Lines, CSV, TSV and Parquet are read as they are needed, JSON and Excel in one piece.
"""

import codecs
import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ragassay.errors import InputError, install
from ragassay.spreadsheet_injection import unguarded

HOLDERS = (
    "results data samples examples predictions items rows records test_cases testCases goldens"
).split()  # keys under which tools keep their records
FORMS = 'a list of objects, {"results": [...]} or columns {"question": [...], ...}'
LONGEST_CELL = 2**27
DELIMITERS = ",;\t|"
ROWS_AT_ONCE = 256  # of Parquet
QUOTE = "quote texts that hold the delimiter, quotes or line breaks"
LOST_DO = "save the file as UTF-8; U+FFFD stands for what was lost"


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
    """The path, the bytes (unpacked), the share of the file read so far, and the kind: ".jsonl"."""

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


def read_records(path: Path) -> Iterator[Record]:
    """The records of a .jsonl, .ndjson, .json, .csv, .tsv, .parquet or .xlsx file, also compressed as .gz;
    InputError if the file is missing, of another kind, or broken as a whole."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = "".join((suffixes[:-1] if packed else suffixes)[-1:])
    if not path.is_file() or kind not in READERS:
        there = ("".join(path.suffixes) or "no suffix") if path.is_file() else "nothing there"
        raise InputError(
            "the answers cannot be read",
            where=path,
            found="a folder" if path.is_dir() else there,
            expected=f"a file of one of {', '.join(READERS)}, or .gz of it",
            do="correct the path, or save the answers as one of these",
        )
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


def _text(source: Source, newline: str) -> io.TextIOWrapper:
    """The file as text: UTF-16 by its byte-order mark or its zero bytes, else UTF-8, in which bytes that are
    none become surrogates (`_repair`)."""
    start = source.file.peek(1024)[:1024]  # type: ignore[attr-defined]
    encoding = "utf-8-sig"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif start.count(0) > len(start) / 4:
        encoding = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
    return io.TextIOWrapper(source.file, encoding, errors, newline=newline)


def _repair(text: str) -> str:
    """The text with U+FFFD for every byte that could not be decoded."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _lost(where: str, column: str) -> Flaw:
    return Flaw(where, column, "characters that are lost", "UTF-8", LOST_DO)


def _json_lines(source: Source) -> Iterator[Record]:
    """One record per line that is not blank; a line that is no JSON object is a broken one."""
    for number, raw in enumerate(_text(source, newline="\n"), start=1):
        if not raw.strip():
            continue
        where, line = f"{source.path.name}, line {number}", _repair(raw)
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as problem:
            found = f"{line[:80]} ({problem})"
        if not isinstance(found, dict):
            yield broken_record(where, found, "one JSON object per line", "correct the line", source.share())
            continue
        lost = [name for name, value in found.items() if "\ufffd" in str(value)] if line != raw else []
        flaws = tuple(_lost(where, name) for name in lost)
        values = {name.strip(): value for name, value in found.items()}
        yield Record(values, where, flaws, source.share())


def _json(source: Source) -> Iterator[Record]:
    """The objects of a list, of the list under a key such as `results`, or of columns as pandas writes them.

    Items of the Lesson stand beside their answers, `{"items": [...], "run_answers": {query_id: answer}}`:
    each is given its own.
    """
    name = source.path.name
    try:
        found = json.loads(_repair(_text(source, newline="").read()))
    except (ValueError, RecursionError) as problem:
        raise InputError(
            "the file is not JSON",
            where=name,
            found=str(problem)[:200],
            expected=FORMS,
            do="correct it, or save as JSON Lines",
        ) from None
    rows = _rows(found)
    if rows is None:
        keys = f"an object with the keys {', '.join(found)}"[:200] if isinstance(found, dict) else ""
        raise InputError(
            "the JSON holds no records",
            where=name,
            found=keys or f"a {type(found).__name__}",
            expected=FORMS,
            do="save the answers in one of these forms",
        )
    answers = found.get("run_answers") if isinstance(found, dict) else None
    for number, row in enumerate(rows, start=1):
        where, share = f"{name}, entry {number}", number / len(rows)
        if not isinstance(row, dict):
            yield broken_record(where, row, "an object", "correct the entry", share)
            continue
        if isinstance(answers, dict):
            row = row | {"run_answer": answers.get(str(row.get("query_id")))}
        yield Record(row, where, (), share)


def _rows(found: Any, depth: int = 2) -> list | None:
    if isinstance(found, list):
        return found if any(isinstance(one, dict) for one in found) else None
    if not isinstance(found, dict):
        return None
    for key in HOLDERS if depth else ():
        if key in found and (rows := _rows(found[key], depth - 1)) is not None:
            return rows
    columns = {  # {"question": [...], "answer": [...]}, or of {"question": {"0": ...}, ...}
        name: list(values.values()) if isinstance(values, dict) else values for name, values in found.items()
    }
    lengths = {len(values) if isinstance(values, list) else -1 for values in columns.values()}
    if len(lengths) != 1 or lengths == {-1}:
        return None
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _delimited(source: Source) -> Iterator[Record]:
    """One record per row of CSV or TSV that is not blank; a row may span lines."""
    csv.field_size_limit(LONGEST_CELL)
    name, text, above = source.path.name, _text(source, newline=""), 0
    first = text.readline()
    if named := re.fullmatch(r'"?sep=(.)"?\s*', first):  # what Excel writes to say its delimiter
        delimiter, first, above = named[1], text.readline(), 1
    elif source.kind == ".tsv":
        delimiter = "\t"
    else:
        unquoted = re.sub(r'"[^"]*"', "", first)
        delimiter = max(DELIMITERS, key=unquoted.count)
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    try:
        header = [unguarded(_repair(column)).strip() for column in next(reader, [])]
    except csv.Error as problem:
        raise InputError(
            "the header of the CSV is broken", where=f"{name}, line 1", found=str(problem), do=QUOTE
        ) from None
    _check_names(header, f"{name}, line 1")
    while header:
        where = f"{name}, line {reader.line_num + above + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield broken_record(
                f"{where} to {reader.line_num + above}", problem, "CSV", QUOTE, source.share()
            )
            continue
        if not any(cells):
            continue
        if len(cells) != len(header):
            wanted = f"{len(header)} cells, as many as the header"
            yield broken_record(where, f"{len(cells)} cells", wanted, QUOTE, source.share())
            continue
        given = {column: cell for column, cell in zip(header, cells, strict=True) if column}
        values = {column: _repair(cell) for column, cell in given.items()}
        flaws = tuple(_lost(where, column) for column in given if values[column] != given[column])
        yield Record({c: unguarded(cell) for c, cell in values.items()}, where, flaws, source.share())


def _check_names(header: list[str], where: str) -> None:
    """InputError if two columns have the same name; columns without a name do not count."""
    name, times = next(iter(Counter(filter(None, header)).most_common(1)), ("", 0))
    if times > 1:
        raise InputError("two columns have the same name", where=where, found=name, do="rename one of them")


def _parquet(source: Source) -> Iterator[Record]:
    """One record per row of Parquet, a few read at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = source.path.name
    try:
        file = pq.ParquetFile(source.file)
        number, total = 0, max(file.metadata.num_rows, 1)
        for batch in file.iter_batches(ROWS_AT_ONCE):
            for values in batch.to_pylist():
                number += 1
                yield Record(values, f"{name}, row {number}", (), number / total)
    except (pa.ArrowException, OSError) as problem:
        raise InputError(
            "the Parquet file is broken", where=name, found=str(problem), do="write it again"
        ) from None


def _excel(source: Source) -> Iterator[Record]:
    """The rows of the first sheet that has two columns and a row below their names."""
    name = source.path.name
    try:
        import openpyxl

        book = openpyxl.load_workbook(source.file, read_only=True, data_only=True)
    except ImportError:
        raise InputError(
            "Excel files need openpyxl, which is not installed",
            where=name,
            do=f"{install('excel')}; or save the sheet as CSV",
        ) from None
    except Exception as problem:  # whatever openpyxl and zipfile raise on a file that is none of theirs
        raise InputError(
            "the file is no Excel workbook", where=name, found=str(problem)[:200], do="save it again as .xlsx"
        ) from None
    for sheet in book.worksheets:
        rows = sheet.iter_rows()
        header = [str(_cell(cell) or "").strip() for cell in next(rows, ())]
        if len([column for column in header if column]) < 2:
            continue
        where = name if sheet is book.worksheets[0] else f"{name}, sheet {sheet.title!r}"
        _check_names(header, f"{where}, row 1")
        number = 1
        for number, cells in enumerate(rows, start=2):
            values = {column: _cell(cell) for column, cell in zip(header, cells, strict=False) if column}
            if any(value not in (None, "") for value in values.values()):
                yield Record(values, f"{where}, row {number}")
        if number > 1:
            return
    sheets = ", ".join(repr(sheet.title) for sheet in book.worksheets)
    raise InputError(
        "no sheet of the workbook is a table",
        where=name,
        found=f"the sheets {sheets}",
        expected="names of columns in the first row, and rows below",
        do="move the log to a sheet of its own",
    )


def _cell(cell: Any) -> Any:
    """What a cell shows: percentages as such, line breaks in place of Excel's _x000D_."""
    value = cell.value
    if isinstance(value, int | float) and not isinstance(value, bool) and "%" in (cell.number_format or ""):
        return f"{round(value * 100, 10):.15g}%"
    if isinstance(value, str):
        text = re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), value)
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return value


READERS: dict[str, Callable[[Source], Iterator[Record]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _delimited,
    ".tsv": _delimited,
    ".parquet": _parquet,
    ".xlsx": _excel,
}
