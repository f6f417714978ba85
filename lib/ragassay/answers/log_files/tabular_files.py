"""Tables: CSV and TSV, Parquet, Excel; a header, then one record per row."""

import codecs
import csv
import io
from collections.abc import Iterator

from ragassay.answers.log_files.record import LOST, Flaw, Record, Source, broken_record, check_names
from ragassay.errors import InputError, install
from ragassay.spreadsheet_injection import unguarded

LONGEST = 2**27  # characters of one cell
DELIMITERS = ",;\t|"
AT_ONCE = 256  # rows of Parquet
QUOTE = "quote texts that hold the delimiter, quotes or line breaks"


def delimited_records(source: Source) -> Iterator[Record]:
    """One record per row of CSV or TSV that is not blank; a row may span lines.

    Raises
    ------
    InputError
        If two columns have the same name.
    """
    csv.field_size_limit(LONGEST)
    encoding = _encoding(source)
    errors = "replace" if encoding == "utf-16" else "surrogateescape"
    text = io.TextIOWrapper(source.file, encoding, errors, newline="")
    header_text = _header_lines(text)
    delimiter = "\t" if source.kind == ".tsv" else _delimiter(header_text)
    header = _header(header_text, delimiter, source.path.name)
    if header:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        yield from _rows(reader, header, source, header_text.count("\n"), replaced=encoding == "utf-16")


def parquet_records(source: Source) -> Iterator[Record]:
    """One record per row of Parquet, a few read at a time.

    Raises
    ------
    InputError
        If it is not Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = source.path.name
    try:
        file = pq.ParquetFile(source.file)
        number, total = 0, max(file.metadata.num_rows, 1)
        for batch in file.iter_batches(AT_ONCE):
            for values in batch.to_pylist():
                number += 1
                named = {str(column): value for column, value in values.items()}
                yield Record(named, f"{name}, row {number}", (), number / total)
    except (pa.ArrowException, OSError) as problem:
        raise InputError(
            "the Parquet file is broken", where=name, found=str(problem), do="write it again"
        ) from None


def excel_records(source: Source) -> Iterator[Record]:
    """The rows of the first sheet below its header.

    Raises
    ------
    InputError
        If openpyxl is not installed, or the file is no Excel workbook.
    """
    rows, name = _sheet(source), source.path.name
    header = [str(cell).strip() if cell is not None else "" for cell in next(rows, ())]
    check_names(header, f"{name}, row 1")
    for number, cells in enumerate(rows, start=2):
        if any(cell not in (None, "") for cell in cells):
            values = {column: cell for column, cell in zip(header, cells, strict=False) if column}
            yield Record(values, f"{name}, row {number}")


def _rows(reader, header: list[str], source: Source, above: int, *, replaced: bool) -> Iterator[Record]:
    while True:
        first = reader.line_num + above + 1
        where = f"{source.path.name}, line {first}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            last = reader.line_num + above
            upto = f" to {last}" if last > first else ""
            yield broken_record(where + upto, problem, "CSV", QUOTE, source.share())
            continue
        if any(cells):
            yield _of_cells(header, cells, where, source.share(), replaced)


def _of_cells(header: list[str], cells: list[str], where: str, share: float, replaced: bool) -> Record:
    """The record of a row; `replaced`: what could not be decoded is U+FFFD already."""
    if len(cells) != len(header):
        wanted = f"{len(header)} cells, as many as the header"
        return broken_record(where, f"{len(cells)} cells", wanted, QUOTE, share)
    given = {name: cell for name, cell in zip(header, cells, strict=True) if name}
    sound = {name: _repair(cell) for name, cell in given.items()}
    values = {name: unguarded(cell) for name, cell in sound.items()}
    lost = [name for name, cell in given.items() if sound[name] != cell or (replaced and "\ufffd" in cell)]
    flaws = tuple(Flaw(where, name, "characters that are lost", "UTF-8", LOST) for name in lost)
    return Record(values, where, flaws, share)


def _repair(cell: str) -> str:
    """The cell itself if it is sound; else with U+FFFD for every byte that could not be decoded."""
    try:
        cell.encode("utf-8")
        return cell
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in cell)


def _header(text: str, delimiter: str, name: str) -> list[str]:
    where = f"{name}, line 1"
    try:
        cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error as problem:
        raise InputError(
            "the header of the CSV is broken", where=where, found=str(problem), do=QUOTE
        ) from None
    header = [unguarded(_repair(column)).strip() for column in cells]
    check_names(header, where)
    return header


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


def _encoding(source: Source) -> str:
    start = source.file.peek(4)[:4] if hasattr(source.file, "peek") else b""
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


def _sheet(source: Source) -> Iterator[tuple]:
    try:
        import openpyxl
    except ImportError:
        raise InputError(
            "Excel files need openpyxl, which is not installed",
            where=source.path.name,
            do=f"{install('excel')}; or save the sheet as CSV",
        ) from None
    try:
        book = openpyxl.load_workbook(source.file, read_only=True, data_only=True)
    except Exception as problem:  # whatever openpyxl and zipfile raise on a file that is none of theirs
        raise InputError(
            "the file is no Excel workbook",
            where=source.path.name,
            found=str(problem)[:200],
            do="save it again as .xlsx",
        ) from None
    yield from book.worksheets[0].iter_rows(values_only=True)
