"""Registers that the engagement keeps itself, as CSV: its risks, and what was challenged and answered."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ragassay import provenance
from ragassay.errors import InputError

RISK = "risk"
CHALLENGES = ("date", "raised by", "challenge")  # columns that each row fills
ANSWER, STATE = "response", "state"  # optional ones, shown after these
QUESTION = "question"  # column of a file of questions
MOST_ROWS, MOST_COLUMNS, LONGEST = 10_000, 12, 100_000  # LONGEST: characters of a cell
NOTHING = {  # letters and digits of a cell that says nothing
    *("", "na", "nil", "nan", "null", "none", "tbd", "tba", "tbc", "todo", "pending", "unanswered"),
    *("noanswer", "noresponse", "notanswered", "notyet", "notapplicable"),
}


def read_risks(given: str | Path) -> pd.DataFrame:
    """The engagement's own risks, a row each: column `risk`, and whatever else the file states, as text;
    `tested in` names the chapter that looks at it, empty where none does. No row for "".

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, or a row names no risk or has more cells than the header.
    """
    return _read(given, (RISK,)) if given else pd.DataFrame(columns=[RISK])


def read_challenges(given: str | Path) -> pd.DataFrame:
    """The challenge log, a row each: `date`, `raised by`, `challenge`, `response` and `state`, the last two
    empty where nobody has answered; so is a response such as `-` or `n/a`. No row for "".

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, or a row lacks date, name or challenge or has more cells
        than the header.
    """
    found = _read(given, CHALLENGES) if given else pd.DataFrame(columns=list(CHALLENGES))
    more = {name: "" for name in (ANSWER, STATE) if name not in found}
    found = found.assign(**more)[[*CHALLENGES, ANSWER, STATE]]
    return found.assign(**{ANSWER: ["" if says_nothing(each) else each for each in found[ANSWER]]})


def read_questions(given: str | Path, column: str, names: Iterable[str]) -> dict[str, list[str]]:
    """The engagement's own questions, from the column named and `question`: name -> questions. None for "".

    column : `use` (what they prohibit), `family` (of probes) or `kind` (without an answer)
    names : those that the column may hold; their signs and capitals do not count

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, a row lacks one of the two or has more cells than the
        header, or holds another name.
    """
    found = _read(given, (column, QUESTION)) if given else pd.DataFrame(columns=[column, QUESTION])
    known = {_words(name): name for name in names}
    asked: dict[str, list[str]] = {}
    for name, question in zip(found[column], found[QUESTION], strict=True):
        if _words(name) not in known:
            what, expected = f"a question is given for no known {column}", "; ".join(known.values()) or "none"
            do = f"write the {column} as it stands there"
            raise InputError(what, where=str(given), found=name[:200], expected=expected, do=do)
        asked.setdefault(known[_words(name)], []).append(question)
    return asked


def count_questions(given: str | Path) -> int:
    """How many questions such a file holds; 0 for ""."""
    return len(_read(given, (QUESTION,))) if given else 0


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]++", text.casefold()))


def says_nothing(text: str) -> bool:
    """Whether a text is a placeholder, such as `-` or `n/a`."""
    return _words(text).replace(" ", "") in NOTHING


def _read(given: str | Path, filled: tuple[str, ...]) -> pd.DataFrame:
    table = read_rows(provenance.source(given), filled)
    provenance.reads_input(given)
    return table


def read_rows(path: Path, filled: tuple[str, ...], named: tuple[str, ...] = ()) -> pd.DataFrame:
    """The rows of a register as text, its column names in small letters.

    filled : columns that every row fills; named : those that may be empty

    Raises
    ------
    InputError
        If the file is no CSV in UTF-8, a column is missing, or a row is flawed: names row and column.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        do = "save it as CSV in UTF-8"
        raise InputError("a register cannot be read", where=path, found=problem, do=do) from problem
    columns = [column.casefold().replace("_", " ") for column in header]
    needed = dict.fromkeys((*filled, *named))
    expected = f"columns {', '.join(needed)}, at most {MOST_COLUMNS} columns, 1 to {MOST_ROWS} rows"
    absent = [name for name in needed if name not in columns]
    if absent or len(columns) > MOST_COLUMNS or len(set(columns)) < len(columns):
        what = f"a register has no column {absent[0]!r}" if absent else "the columns of a register do not fit"
        raise InputError(what, where=path, found=columns[:20], expected=expected)
    if not 0 < len(rows) <= MOST_ROWS:
        what = "a register has no rows, or too many"
        raise InputError(what, where=path, found=len(rows), expected=expected)
    for number, row in enumerate(rows, 2):
        where = f"{path}, row {number}"
        if len(row) > len(columns):
            more = f"{len(row)} cells, {len(columns)} columns: {', '.join(row)[:200]}"
            do = "quote each text that holds a comma"
            raise InputError("a row has more cells than the header", where=where, found=more, do=do)
        if longest := max((len(cell) for cell in row if len(cell) > LONGEST), default=0):
            found = f"a cell of {longest:,} characters"
            raise InputError("a register cannot be read", where=where, found=found, expected=f"{LONGEST:,}")
        row += [""] * (len(columns) - len(row))
        if empty := [name for name in filled if not _words(row[columns.index(name)])]:
            raise InputError(f"column {empty[0]!r} is empty", where=where, expected=expected)
    return pd.DataFrame(rows, columns=columns, dtype=object)
