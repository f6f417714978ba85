"""CSV and TSV: a header, then one record per row; a row may span lines."""

import codecs
import csv
import io
from collections.abc import Iterator

from ragassay.answers.adapters import Flaw, Record
from ragassay.answers.reading.source import Source, broken, check_names
from ragassay.errors import InputError

LONGEST = 2**27  # characters of one cell
MOSTLY = ",;\t|"
QUOTE = "quote texts that hold the delimiter, quotes or line breaks"


def records(source: Source) -> Iterator[Record]:
    """One record per row that is not blank.

    Raises
    ------
    InputError
        If two columns have the same name.
    """
    csv.field_size_limit(LONGEST)
    encoding = _encoding(source)
    text = io.TextIOWrapper(
        source.file, encoding, "replace" if encoding == "utf-16" else "surrogateescape", newline=""
    )
    first, name = text.readline(), source.path.name
    header_text = _rest_of_header(first, text)
    delimiter = (
        "\t"
        if source.kind == ".tsv"
        else max(MOSTLY, key=lambda mark: (_unquoted(header_text).count(mark), -MOSTLY.index(mark)))
    )
    header = _header(header_text, delimiter, name)
    if header:
        yield from _rows(
            csv.reader(text, delimiter=delimiter, strict=True), header, source, header_text.count("\n")
        )


def _rows(reader, header: list[str], source: Source, above: int) -> Iterator[Record]:
    while True:
        where = f"{source.path.name}, line {reader.line_num + above + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            upto = (
                f" to {reader.line_num + above}"
                if reader.line_num + above > int(where.rpartition(" ")[2])
                else ""
            )
            yield broken(where + upto, problem, "CSV", QUOTE, source.share())
            continue
        if any(cells):
            yield _record(header, cells, where, source.share())


def _record(header: list[str], cells: list[str], where: str, share: float) -> Record:
    if len(cells) != len(header):
        return broken(
            where, f"{len(cells)} cells", f"{len(header)} cells, as many as the header", QUOTE, share
        )
    flaws, values = [], {}
    for name, cell in zip(header, cells, strict=True):
        if name:
            values[name] = _repaired(cell)
            if "\ufffd" in values[name]:
                flaws.append(
                    Flaw(
                        where,
                        name,
                        "characters that are lost",
                        "UTF-8",
                        "save the file as UTF-8; U+FFFD stands for what was lost",
                    )
                )
    return Record(values, where, tuple(flaws), share)


def _repaired(cell: str) -> str:
    """The cell itself if it is sound; else with U+FFFD for every byte that could not be decoded."""
    try:
        cell.encode("utf-8")
        return cell
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in cell)


def _header(text: str, delimiter: str, name: str) -> list[str]:
    try:
        header = [
            _repaired(column).strip()
            for column in next(
                csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), []
            )
        ]
    except csv.Error as problem:
        raise InputError(
            "the header of the CSV is broken", where=f"{name}, line 1", found=str(problem), do=QUOTE
        ) from None
    check_names(header, f"{name}, line 1")
    return header


def _rest_of_header(first: str, text: io.TextIOWrapper) -> str:
    """The header's lines: a quoted column name may hold line breaks."""
    while first.count('"') % 2 and (more := text.readline()):
        first += more
        if len(first) > 100_000:
            break
    return first


def _unquoted(header: str) -> str:
    return "".join(part for i, part in enumerate(header.split('"')) if i % 2 == 0)


def _encoding(source: Source) -> str:
    start = source.file.peek(4)[:4] if hasattr(source.file, "peek") else b""
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
