"""Files of any kind as records, one after the other, each with its place; a broken line is a record that says
so, never the end of the reading. To read another kind of file, add a reader to READERS.

JSON Lines, CSV, TSV and Parquet are read as they are needed, JSON and Excel in one piece.
"""

import codecs
import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ragassay.errors import InputError, install
from ragassay.spreadsheet_injection import unguarded

LOST = "save the file as UTF-8; U+FFFD stands for what was lost"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
A_LINE = "one JSON object per line"
HOLDERS = (
    "results data samples examples predictions items rows records test_cases testCases goldens"
).split()  # keys under which tools keep their records
FORMS = 'a list of objects, {"results": [...]} or columns {"question": [...], ...}'
LONGEST_CELL = 2**27
DELIMITERS = ",;\t|"
ROWS_AT_ONCE = 256  # of Parquet
QUOTE = "quote texts that hold the delimiter, quotes or line breaks"


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


def _json_lines(source: Source) -> Iterator[Record]:
    """One record per line that is not blank; a line that is no JSON object is a broken one."""
    for number, line in enumerate(source.file, start=1):
        if number == 1 and line.startswith(UTF_16):
            raise InputError(
                "the file is UTF-16", where=source.path.name, expected="UTF-8", do="save it as UTF-8"
            )
        line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if line.strip():
            yield _of_line(line, f"{source.path.name}, line {number}", source.share())


def _of_line(line: bytes, where: str, share: float) -> Record:
    """The record of a line; bytes that are no UTF-8 become U+FFFD and a flaw of the columns that have it."""
    text, lost = line.decode("utf-8", "replace"), ""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as problem:
        lost = f"byte {line[problem.start]:#04x} at {problem.start}"
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return broken_record(where, f"{text[:80]} ({problem})", A_LINE, "correct the line", share)
    if not isinstance(found, dict):
        return broken_record(where, text, A_LINE, "correct the line", share)
    marked = ", ".join(name for name, value in found.items() if "\ufffd" in str(value))
    flaws = (Flaw(where, marked, lost, "UTF-8", LOST),) if lost else ()
    return Record({name.strip(): value for name, value in found.items()}, where, flaws, share)


def _json(source: Source) -> Iterator[Record]:
    """The objects of a list, of the list under a key such as `results`, or of columns as pandas writes them.

    Items of the Lesson stand beside their answers, `{"items": [...], "run_answers": {query_id: answer}}`:
    each is given its own.
    """
    name = source.path.name
    try:
        found = json.loads(source.file.read().decode("utf-8-sig"))
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
    below = (_rows(found[key], depth - 1) for key in HOLDERS if key in found and depth)
    return next((rows for rows in below if rows is not None), None) or _from_columns(found)


def _from_columns(found: dict) -> list | None:
    """Records of {"question": [...], "answer": [...]}, or of {"question": {"0": ...}, ...}."""
    columns = {
        name: list(values.values()) if isinstance(values, dict) else values for name, values in found.items()
    }
    lengths = {len(values) if isinstance(values, list) else -1 for values in columns.values()}
    if len(lengths) != 1 or lengths == {-1}:
        return None
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _delimited(source: Source) -> Iterator[Record]:
    """One record per row of CSV or TSV that is not blank; a row may span lines."""
    csv.field_size_limit(LONGEST_CELL)
    start = source.file.peek(4)[:4] if hasattr(source.file, "peek") else b""
    wide = start.startswith(UTF_16)
    text = io.TextIOWrapper(
        source.file, "utf-16" if wide else "utf-8-sig", "replace" if wide else "surrogateescape", newline=""
    )
    first = _header_lines(text)
    delimiter = "\t" if source.kind == ".tsv" else _delimiter(first)
    header = _header(first, delimiter, f"{source.path.name}, line 1")
    if not header:
        return
    reader, above = csv.reader(text, delimiter=delimiter, strict=True), first.count("\n")
    while True:
        begins = reader.line_num + above + 1
        where = f"{source.path.name}, line {begins}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            last = reader.line_num + above
            upto = f" to {last}" if last > begins else ""
            yield broken_record(where + upto, problem, "CSV", QUOTE, source.share())
            continue
        if any(cells):
            yield _of_cells(header, cells, where, source.share(), wide)


def _of_cells(header: list[str], cells: list[str], where: str, share: float, wide: bool) -> Record:
    """The record of a row; `wide`: what could not be decoded is U+FFFD already."""
    if len(cells) != len(header):
        wanted = f"{len(header)} cells, as many as the header"
        return broken_record(where, f"{len(cells)} cells", wanted, QUOTE, share)
    given = {name: cell for name, cell in zip(header, cells, strict=True) if name}
    values = {name: _repair(cell) for name, cell in given.items()}
    lost = [name for name in given if values[name] != given[name] or (wide and "\ufffd" in given[name])]
    flaws = tuple(Flaw(where, name, "characters that are lost", "UTF-8", LOST) for name in lost)
    return Record({name: unguarded(cell) for name, cell in values.items()}, where, flaws, share)


def _repair(cell: str) -> str:
    """The cell with U+FFFD for every byte that could not be decoded."""
    return cell.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _header_lines(text: io.TextIOWrapper) -> str:
    """The header's lines: a quoted column name may hold line breaks."""
    header = text.readline()
    while header.count('"') % 2 and len(header) <= 100_000 and (more := text.readline()):
        header += more
    return header


def _delimiter(header: str) -> str:
    """The likeliest delimiter: the one that stands most often outside quotes; the comma where none does."""
    unquoted = "".join(part for i, part in enumerate(header.split('"')) if i % 2 == 0)
    return max(DELIMITERS, key=unquoted.count)


def _header(text: str, delimiter: str, where: str) -> list[str]:
    try:
        cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error as problem:
        raise InputError(
            "the header of the CSV is broken", where=where, found=str(problem), do=QUOTE
        ) from None
    header = [unguarded(_repair(column)).strip() for column in cells]
    _check_names(header, where)
    return header


def _check_names(header: Iterable[str], where: str) -> None:
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
    """The rows of the first sheet below its header."""
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
    rows = book.worksheets[0].iter_rows(values_only=True)
    header = [str(cell).strip() if cell is not None else "" for cell in next(rows, ())]
    _check_names(header, f"{name}, row 1")
    for number, cells in enumerate(rows, start=2):
        if any(cell not in (None, "") for cell in cells):
            values = {column: cell for column, cell in zip(header, cells, strict=False) if column}
            yield Record(values, f"{name}, row {number}")


READERS: dict[str, Callable[[Source], Iterator[Record]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _delimited,
    ".tsv": _delimited,
    ".parquet": _parquet,
    ".xlsx": _excel,
}
