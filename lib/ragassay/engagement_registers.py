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
USE, QUESTION = "use", "question"  # columns of the file of example questions
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


def read_prohibited_questions(given: str | Path, uses: Iterable[str]) -> dict[str, list[str]]:
    """The engagement's example questions for its prohibited uses, from the columns `use` and `question`: use
    -> questions. None for "".

    uses : the prohibited uses of the engagement

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, a row lacks use or question or has more cells than the
        header, or names a use that the engagement does not prohibit.
    """
    what = "a question names a use that is not prohibited"
    return _questions_of(given, USE, uses, what, "one of 00_scope.prohibited_uses")


def read_own_probes(given: str | Path, families: Iterable[str]) -> dict[str, list[str]]:
    """The engagement's own further probes, from the columns `family` and `question`: family -> questions.
    None for "".

    families : the families whose probes are single questions (`cases.probe_families`)

    Raises
    ------
    InputError
        As `read_prohibited_questions`, of a family.
    """
    what = "a probe is given for a family that takes none"
    return _questions_of(given, "family", families, what, "a family of the table of probes")


def read_own_unanswerable(given: str | Path, kinds: Iterable[str]) -> dict[str, list[str]]:
    """The engagement's own questions without an answer, from the columns `kind` and `question`: kind ->
    questions. None for "".

    kinds : `cases.OUTSIDE`

    Raises
    ------
    InputError
        As `read_prohibited_questions`, of a kind.
    """
    return _questions_of(given, "kind", kinds, "a question is given for a kind that takes none", "a kind")


def count_questions(given: str | Path) -> int:
    """How many questions such a file holds; 0 for ""."""
    return len(_read(given, (QUESTION,))) if given else 0


def _questions_of(
    given: str | Path, column: str, names: Iterable[str], what: str, expected: str
) -> dict[str, list[str]]:
    found = _read(given, (column, QUESTION)) if given else pd.DataFrame(columns=[column, QUESTION])
    known = {_words(name): name for name in names}
    if unknown := [name for name in found[column] if _words(name) not in known]:
        raise InputError(
            what,
            where=str(given),
            found=unknown[0][:200],
            expected=f"{expected}: {'; '.join(known.values()) or 'none'}",
            do=f"write the {column} as it stands there",
        )
    asked: dict[str, list[str]] = {}
    for name, question in zip(found[column], found[QUESTION], strict=True):
        asked.setdefault(known[_words(name)], []).append(question)
    return asked


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]++", text.casefold()))


def says_nothing(text: str) -> bool:
    """Whether a text is a placeholder, such as `-` or `n/a`."""
    return _words(text).replace(" ", "") in NOTHING


def _read(given: str | Path, filled: tuple[str, ...]) -> pd.DataFrame:
    path = provenance.source(given)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        do = "save it as CSV in UTF-8"
        raise InputError("a register cannot be read", where=path, found=problem, do=do) from problem
    columns = [_name(each) for each in header]
    _check(path, columns, rows, filled)
    provenance.reads_input(given)
    padded = [row + [""] * (len(columns) - len(row)) for row in rows]
    return pd.DataFrame(padded, columns=columns, dtype=object)


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
        where = f"{path}, row {number}"
        if len(row) > len(columns):
            more = f"{len(row)} cells, {len(columns)} columns: {', '.join(row)[:200]}"
            do = "quote each text that holds a comma"
            raise InputError("a row has more cells than the header", where=where, found=more, do=do)
        if longest := max((len(cell) for cell in row if len(cell) > LONGEST), default=0):
            found = f"a cell of {longest:,} characters"
            raise InputError("a register cannot be read", where=where, found=found, expected=f"{LONGEST:,}")
        cells = dict(zip(columns, row, strict=False))
        if empty := [name for name in filled if not _words(cells.get(name, ""))]:
            raise InputError(f"column {empty[0]!r} is empty", where=where, expected=expected)
