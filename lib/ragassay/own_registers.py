"""Registers that the engagement keeps itself, as CSV: its risks, and what was challenged and answered."""

import csv
from pathlib import Path

import pandas as pd

from ragassay import evidence
from ragassay.errors import InputError

RISK, TESTED = "risk", "tested in"
CHALLENGES = ("date", "raised by", "challenge")  # columns that each row fills
ANSWER, STATE = "response", "state"  # optional ones, shown after these
MOST_ROWS, MOST_COLUMNS = 10_000, 12


def read_risks(given: str | Path) -> pd.DataFrame:
    """The engagement's own risks, a row each: column `risk`, and whatever else the file states, as text;
    `tested in` names the chapter or test that looks at it, empty where none does. No row for "".

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, or a row names no risk.
    """
    return _read(given, (RISK,)) if given else pd.DataFrame(columns=[RISK])


def read_challenges(given: str | Path) -> pd.DataFrame:
    """The challenge log, a row each: `date`, `raised by`, `challenge`, `response` and `state`, the last two
    empty where nobody has answered. No row for "".

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, or a row lacks date, name or challenge.
    """
    found = _read(given, CHALLENGES) if given else pd.DataFrame(columns=list(CHALLENGES))
    more = {name: "" for name in (ANSWER, STATE) if name not in found}
    return found.assign(**more)[[*CHALLENGES, ANSWER, STATE]]


def unanswered(challenges: pd.DataFrame) -> int:
    """How many challenges have no response."""
    return int((challenges[ANSWER] == "").sum())


def untested(risks: pd.DataFrame) -> list[str]:
    """The own risks that name no test, as sentences for the report; none without a column for it."""
    if TESTED not in risks:
        return []
    return [f"Not tested, own risk: {risk}." for risk in risks.loc[risks[TESTED] == "", RISK]]


def _read(given: str | Path, filled: tuple[str, ...]) -> pd.DataFrame:
    path = evidence.source(given)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restkey="further", restval="")
            columns = [_name(each) for each in reader.fieldnames or []]
            rows = [[(row[name] or "").strip() for name in reader.fieldnames or []] for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        do = "save it as CSV in UTF-8"
        raise InputError("a register cannot be read", where=path, found=problem, do=do) from problem
    _check(path, columns, rows, filled)
    evidence.reads_input(given)
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _name(column: str) -> str:
    return column.strip().casefold().replace("_", " ")


def _check(path: Path, columns: list[str], rows: list[list[str]], filled: tuple[str, ...]) -> None:
    expected = f"columns {', '.join(filled)}, at most {MOST_COLUMNS} columns, 1 to {MOST_ROWS} rows"
    absent = [name for name in filled if name not in columns]
    if absent or len(columns) > MOST_COLUMNS or len(set(columns)) < len(columns):
        what = f"a register has no column {absent[0]!r}" if absent else "the columns of a register do not fit"
        raise InputError(what, where=path, found=columns[:20], expected=expected)
    if not 0 < len(rows) <= MOST_ROWS:
        raise InputError(
            "a register has no rows, or too many", where=path, found=len(rows), expected=expected
        )
    for number, row in enumerate(rows, 2):
        for name in filled:
            if not row[columns.index(name)]:
                raise InputError(
                    f"column {name!r} is empty", where=f"{path}, row {number}", expected=expected
                )
