"""Registers as CSV: the engagement's risks and questions, what was challenged and answered; regulatory
profiles, what a regime asks for, theme by theme: those shipped, and a bank's own by path."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ragassay import provenance
from ragassay.errors import InputError, ParameterError, did_you_mean

RISK = "risk"
CHALLENGES = ("date", "raised by", "challenge")  # columns that each row fills
ANSWER, STATE = "response", "state"  # optional ones, shown after these
QUESTION = "question"  # column of a file of questions
NOTHING = {  # letters and digits of a cell that says nothing
    *("", "na", "nil", "nan", "null", "none", "tbd", "tba", "tbc", "todo", "pending", "unanswered"),
    *("noanswer", "noresponse", "notanswered", "notyet", "notapplicable"),
}
FOLDER = Path(__file__).parent / "report" / "profiles"
SHIPPED = ("sr-26-2-by-analogy", "sr-11-7-legacy", "pra-ss1-23", "nist-ai-600-1", "eu-ai-act-annex-iv")
COLUMNS = ("regime", "clause", "summary", "sections", "tests")
FILLED = ("regime", "clause", "summary")
DECISION = "decision"  # optional column: who decided that a theme is out of scope
CRITICAL = "critical"  # optional column: yes where what is not met goes onto the summary
SECTIONS = (  # what `sections` may name, parted by spaces
    *("scope", "test_generation", "functionality", "risk_safety", "calibration", "robustness"),
    *("weakness", "conclusion"),
    *("materiality", "parts", "documents", "users", "attacks", "misuse", "bias", "outside"),
    *("conditions", "monitoring", "previous", "deployment", "citations", "waivers"),
    *("findings", "gates", "challengers", "limitations", "control", "independence", "challenge", "sign-off"),
    *("B", "C", "D", "E"),
)


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
    found = found.reindex(columns=[*CHALLENGES, ANSWER, STATE], fill_value="")
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
            raise InputError(
                f"a question is given for no known {column}",
                where=str(given),
                found=name[:200],
                expected="; ".join(known.values()) or "none",
                do=f"write the {column} as it stands there",
            )
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
        raise InputError(
            "a register cannot be read", where=path, found=problem, do="save it as CSV in UTF-8"
        ) from problem
    columns = [column.casefold().replace("_", " ") for column in header]
    needed = dict.fromkeys((*filled, *named))
    expected = f"each once: {', '.join(needed)}; a row or more"
    absent = [name for name in needed if name not in columns]
    if absent or len(set(columns)) < len(columns):
        what = f"no column {absent[0]!r}" if absent else "the columns do not fit"
        raise InputError(what, where=path, found=columns[:20], expected=expected)
    if not rows:
        raise InputError("a register has no rows", where=path, expected=expected)
    for number, row in enumerate(rows, 2):
        where = f"{path}, row {number}"
        if len(row) > len(columns):
            raise InputError(
                "a row has more cells than the header", where=where, found=row, do="quote what holds a comma"
            )
        row += [""] * (len(columns) - len(row))
        if empty := [name for name in filled if not _words(row[columns.index(name)])]:
            raise InputError(f"column {empty[0]!r} is empty", where=where, expected=expected)
    return pd.DataFrame(rows, columns=columns, dtype=object)


def read_profile(profile: str) -> list[dict[str, str]]:
    """The rows of a profile, by the name of a shipped one or the path of a CSV; cells that are missing are
    empty.

    Raises
    ------
    ParameterError
        If there is no such profile or file, or a row says what no profile says: names row and column.
    InputError
        If the file is no CSV of such rows (`read_rows`).
    """
    given = "00_scope.profile"
    try:
        path = FOLDER / f"{profile}.csv" if profile in SHIPPED else provenance.source(profile)
    except InputError:
        raise ParameterError(
            f"there is no profile {profile!r}",
            where=given,
            expected=f"the path of a CSV, or one of {', '.join(SHIPPED)}",
            do=did_you_mean(profile, SHIPPED),
        ) from None
    if not path.is_file():
        raise ParameterError("a profile is a CSV file", where=given, found=f"the folder {profile}")
    table = read_rows(path, FILLED, COLUMNS).reindex(columns=[*COLUMNS, DECISION, CRITICAL], fill_value="")
    rows: list[dict[str, str]] = table.to_dict("records")
    if len(twice := table.index[table["clause"].duplicated()]):
        where, found = f"{path}, row {twice[0] + 2}", table["clause"][twice[0]]
        raise ParameterError("a clause stands twice in the profile", where=where, found=found)
    for number, row in enumerate(rows, 2):
        where = f"{path}, row {number}"
        if row[CRITICAL] not in ("", "yes"):
            raise ParameterError(
                f"column {CRITICAL!r} holds no mark",
                where=where,
                found=row[CRITICAL],
                expected="yes, or nothing",
            )
        if unknown := [name for name in row["sections"].split() if name not in SECTIONS]:
            what, found = "column 'sections' of the profile names what no report has", unknown[0]
            raise ParameterError(
                what, where=where, found=found, expected=", ".join(SECTIONS), do=did_you_mean(found, SECTIONS)
            )
    return rows
