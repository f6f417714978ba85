"""Rows of a log that could not be read: counted in the engagement's record, named on the terminal, in chapter
0 and among its limits."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ragassay.answers.log_import import load_log

KEY, COLUMNS_KEY = "log_rows", "log_columns"
FIRST = 20  # flaws kept in the record
NAMED = 3  # flaws named in a sentence
COLUMNS = ["row", "column", "found", "expected", "do"]


def count_rows(engagement: Mapping) -> dict[str, Any]:
    """How many rows the engagement's log has, how many were left out, and the first flaws, under `log_rows`
    for its record, and what was read as what under `log_columns`; nothing where there is no log."""
    if not engagement["answers_log"]:
        return {}
    read = load_log(engagement["answers_log"], mapping=engagement.get("map"))[0].attrs
    flaws = sorted(read["flaws"], key=lambda flaw: not flaw.spoils)
    first = [[flaw.where, flaw.column, flaw.found, flaw.expected, flaw.do] for flaw in flaws[:FIRST]]
    rows = {"n": read["n_rows"], "left_out": read["n_bad"], "flaws": len(flaws), "first": first}
    return {KEY: rows, COLUMNS_KEY: [list(row) for row in read["mapped"]]}


def rows_left_out(record: Mapping) -> pd.DataFrame:
    """The first values and rows of the log that could not be read: row, column, found, expected, do."""
    return pd.DataFrame(record.get(KEY, {}).get("first", []), columns=COLUMNS)


def row_checks(record: Mapping) -> list[tuple[str, bool, str]]:
    """The input check of notebook 00: its name, whether it holds, what was found; none where there is no
    log."""
    return (
        [("every row of the log could be read", not _flaws(record), in_words(record))]
        if KEY in record
        else []
    )


def in_words(record: Mapping) -> str:
    """How many rows of the log were left out, the first of them named; "" where there is no log."""
    if KEY not in record:
        return ""
    rows = record[KEY]
    named = [
        f"{where}, column {column!r}: found {found}" if column else f"{where}: found {found}"
        for where, column, found, *_ in rows["first"][:NAMED]
    ]
    more = f"; and {rows['flaws'] - len(named):,} more" if rows["flaws"] > len(named) else ""
    said = f"rows of the log left out: {rows['left_out']:,} of {rows['n']:,}"
    return said + (f" ({'; '.join(named)}{more})" if named else "")


def share_read(record: Mapping) -> dict[str, float]:
    """The share of the log's rows that could be read, under the name that the rating gives it; nothing where
    there is no log."""
    rows = record.get(KEY)
    return {"share of the log's rows that could be read": 1 - rows["left_out"] / rows["n"]} if rows else {}


def _flaws(record: Mapping) -> int:
    return record[KEY]["flaws"]
