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
from ragassay.sanitized_text import unguarded

HOLDERS = (
    "results data samples examples predictions items rows records test_cases testCases goldens"
).split()  # keys under which tools keep their records
FORMS = 'a list of objects, {"results": [...]} or columns {"question": [...], ...}'
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
    the input read so far, 0 if that is not known."""

    values: dict
    where: str
    flaws: tuple[Flaw, ...] = ()
    share: float = 0.0
    broken: bool = False


def broken_record(where: str, found: object, expected: str, do: str) -> Record:
    """A record of which nothing could be read."""
    return Record({}, where, (Flaw(where, "", shorten(found), expected, do),), broken=True)


def shorten(value: object, limit: int = 120) -> str:
    """A value as a flaw names it: one line, cut."""
    text = value if isinstance(value, str) else repr(value)
    line = " ".join(text[: 4 * limit].encode("utf-8", "replace").decode().split())
    return repr(line if len(line) <= limit else f"{line[:limit]}...")


def read_records(path: Path) -> Iterator[Record]:
    """The records of a .jsonl, .ndjson, .json, .csv, .tsv, .parquet or .xlsx file, also compressed as .gz;
    InputError if the file is missing, of another kind, or broken as a whole."""
    is_packed = path.suffix.lower() == ".gz"
    kind = (Path(path.stem) if is_packed else path).suffix.lower()
    if not path.is_file() or kind not in READERS:
        raise InputError(
            "the file cannot be read",
            where=path,
            found="a file of another kind" if path.is_file() else "no file there",
            expected=f"{', '.join(READERS)}, or .gz of one",
        )
    with path.open("rb") as disk:
        size = max(path.stat().st_size, 1)
        file = gzip.GzipFile(fileobj=disk) if is_packed else disk
        try:
            for record in READERS[kind](path.name, file, kind):  # type: ignore[arg-type]
                yield record._replace(share=disk.tell() / size) if kind in LINE_BY_LINE else record
        except (gzip.BadGzipFile, EOFError) as problem:
            raise _broken("the compressed file is broken", path.name, problem, "compress it again") from None
        except UnicodeDecodeError as problem:
            raise _broken("the file is not UTF-8", path.name, problem, "save it as UTF-8") from None


def _broken(what: str, where: str, found: object, do: str, expected: str | None = None) -> InputError:
    return InputError(what, where=where, found=str(found)[:300], expected=expected, do=do)


def _text(file: BinaryIO, newline: str) -> io.TextIOWrapper:
    """The file as text: UTF-16 by its byte-order mark or a NUL in its first letter, else UTF-8."""
    start = file.peek(2)[:2]  # type: ignore[attr-defined]
    encoding = "utf-16-le" if start[1:] == b"\0" else "utf-16-be" if start[:1] == b"\0" else "utf-8-sig"
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        encoding = "utf-16"
    return io.TextIOWrapper(file, encoding, newline=newline)


def _json_lines(name: str, file: BinaryIO, kind: str) -> Iterator[Record]:
    """One record per line that is not blank; a line that is no JSON object is a broken one."""
    for number, line in enumerate(_text(file, newline="\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as problem:
            found = f"{line[:80]} ({problem})"
        if isinstance(found, dict):
            yield Record({name.strip(): value for name, value in found.items()}, where)
        else:
            yield broken_record(where, found, "one JSON object per line", "correct the line")


def _json(name: str, file: BinaryIO, kind: str) -> Iterator[Record]:
    """The objects of a list, of the list under a key such as `results`, or of columns as pandas writes them.

    Items of the Lesson stand beside their answers, `{"items": [...], "run_answers": {query_id: answer}}`:
    each is given its own.
    """
    text = _text(file, newline="").read()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise _broken("the file is not JSON", name, problem, "correct it", FORMS) from None
    if (rows := _rows(found)) is None:
        raise _broken(
            "the JSON holds no records",
            name,
            f"keys {', '.join(found)}" if isinstance(found, dict) else f"a {type(found).__name__}",
            "save it in one of these forms",
            FORMS,
        )
    answers = found.get("run_answers") if isinstance(found, dict) else None
    for number, row in enumerate(rows, start=1):
        where = f"{name}, entry {number}"
        if not isinstance(row, dict):
            yield broken_record(where, row, "an object", "correct the entry")
        elif isinstance(answers, dict):
            yield Record(row | {"run_answer": answers.get(str(row.get("query_id")))}, where)
        else:
            yield Record(row, where)


def _rows(found: Any, depth: int = 2) -> list | None:
    if isinstance(found, list):
        return found if any(isinstance(one, dict) for one in found) else None
    if not isinstance(found, dict):
        return None
    for key in HOLDERS if depth else ():
        if key in found and (rows := _rows(found[key], depth - 1)) is not None:
            return rows
    lengths = {len(values) if isinstance(values, list) else -1 for values in found.values()}
    if len(lengths) != 1 or lengths == {-1}:
        return None
    return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]


def _delimited(name: str, file: BinaryIO, kind: str) -> Iterator[Record]:
    """One record per row of CSV or TSV that is not blank; a row may span lines."""
    csv.field_size_limit(2**27)
    text, above = _text(file, newline=""), 0
    first = text.readline()
    if named := re.fullmatch(r'"?sep=(.)"?\s*', first):  # what Excel writes to say its delimiter
        delimiter, first, above = named[1], text.readline(), 1
    elif kind == ".tsv":
        delimiter = "\t"
    else:
        delimiter = max(",;\t|", key=re.sub(r'"[^"]*"', "", first).count)
    reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
    try:
        header = [unguarded(column).strip() for column in next(reader, [])]
    except csv.Error as problem:
        raise _broken("the header of the CSV is broken", f"{name}, line 1", problem, QUOTE) from None
    _check_names(header, f"{name}, line 1")
    while header:
        where = f"{name}, line {reader.line_num + above + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield broken_record(f"{where} to {reader.line_num + above}", problem, "CSV", QUOTE)
            continue
        if any(cells) and len(cells) != len(header):
            yield broken_record(
                where, f"{len(cells)} cells", f"{len(header)} cells, as many as the header", QUOTE
            )
        elif any(cells):
            yield Record(
                {column: cell for column, cell in zip(header, map(unguarded, cells), strict=True) if column},
                where,
            )


def _check_names(header: list[str], where: str) -> None:
    """InputError if two columns have the same name; columns without a name do not count."""
    name, times = next(iter(Counter(filter(None, header)).most_common(1)), ("", 0))
    if times > 1:
        raise InputError("two columns have the same name", where=where, found=name, do="rename one of them")


def _parquet(name: str, file: BinaryIO, kind: str) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        batches = pq.ParquetFile(file).iter_batches(256)
        for number, values in enumerate(chain.from_iterable(one.to_pylist() for one in batches), start=1):
            yield Record(values, f"{name}, row {number}")
    except (pa.ArrowException, OSError) as problem:
        raise _broken("the Parquet file is broken", name, problem, "write it again") from None


def _excel(name: str, file: BinaryIO, kind: str) -> Iterator[Record]:
    """The rows of the first sheet that has two columns and a row below their names."""
    try:
        import openpyxl

        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except ImportError:
        raise InputError("openpyxl is not installed", where=name, do=install("excel")) from None
    except Exception as problem:  # whatever openpyxl and zipfile raise on a file that is none of theirs
        raise _broken("the file is no Excel workbook", name, problem, "save it again as .xlsx") from None
    for sheet in book.worksheets:
        rows = sheet.iter_rows()
        header = [str(_excel_value(cell) or "").strip() for cell in next(rows, ())]
        if len([column for column in header if column]) < 2:
            continue
        where = name if sheet is book.worksheets[0] else f"{name}, sheet {sheet.title!r}"
        _check_names(header, f"{where}, row 1")
        number = 1
        for number, cells in enumerate(rows, start=2):
            values = {c: _excel_value(cell) for c, cell in zip(header, cells, strict=False) if c}
            if any(value not in (None, "") for value in values.values()):
                yield Record(values, f"{where}, row {number}")
        if number > 1:
            return
    raise _broken(
        "no sheet is a table",
        name,
        ", ".join(sheet.title for sheet in book.worksheets),
        "name the columns in the first row of a sheet",
    )


def _excel_value(cell: Any) -> Any:
    """What a cell holds: a text with line breaks in place of Excel's _x000D_, a number that is shown as per
    cent as that text, anything else as it is."""
    from openpyxl.utils.escape import unescape

    if isinstance(cell.value, str):
        return unescape(cell.value).replace("\r\n", "\n").replace("\r", "\n")
    if cell.data_type == "n" and (shown := re.search(r"0(?:\.(0+))?%", cell.number_format or "")):
        return None if cell.value is None else f"{cell.value:.{len(shown[1] or '')}%}"
    return cell.value


def whole_records(path: Path) -> list[Record]:
    """The records of a file; InputError at the first of which something cannot be read."""
    records = list(read_records(path))
    for flaw in (flaw for record in records for flaw in record.flaws):
        raise InputError(
            "a line cannot be read", where=flaw.place, found=flaw.found, expected=flaw.expected, do=flaw.do
        )
    return records


LINE_BY_LINE: dict[str, Callable[[str, BinaryIO, str], Iterator[Record]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _delimited,
    ".tsv": _delimited,
}
READERS = LINE_BY_LINE | {".json": _json, ".parquet": _parquet, ".xlsx": _excel}
