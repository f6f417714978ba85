"""Registers as CSV: the engagement's risks and questions, what was challenged and answered; regulatory
profiles, what a regime asks for, theme by theme: those shipped, and a bank's own by path."""

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ragassay import provenance
from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError, ParameterError, did_you_mean

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
    return _read(given, ("risk",))


def read_challenges(given: str | Path) -> pd.DataFrame:
    """The challenge log, a row each: `date`, `raised by`, `challenge`, `response` and `state`, the last two
    empty where nobody has answered; so is a response such as `-` or `n/a`. No row for "".

    Raises
    ------
    InputError
        If the file is missing, is no CSV in UTF-8, or a row lacks date, name or challenge or has more cells
        than the header.

    Example: `read_challenges("challenges.csv")[["date", "raised by", "challenge"]]`
    """
    found = _read(given, CHALLENGES).reindex(columns=[*CHALLENGES, ANSWER, STATE], fill_value="")
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

    Example: `read_questions("mine.csv", "use", run.engagement["prohibited_uses"])`
    """
    found = _read(given, (column, QUESTION))
    known = {_words(name): name for name in names}
    if strange := [name for name in found[column] if _words(name) not in known]:
        raise InputError(
            f"a question is given for no known {column}",
            where=str(given),
            found=strange[0][:200],
            expected="; ".join(known.values()) or "none",
            do=f"write the {column} as it stands there",
        )
    named = [known[_words(name)] for name in found[column]]
    return found.groupby(named, sort=False)[QUESTION].agg(list).to_dict()


def count_questions(given: str | Path) -> int:
    """How many questions such a file holds; 0 for ""."""
    return len(_read(given, (QUESTION,)))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]++", text.casefold()))


def says_nothing(text: str) -> bool:
    """Whether a text is a placeholder, such as `-` or `n/a`."""
    return _words(text).replace(" ", "") in NOTHING


def _read(given: str | Path, filled: tuple[str, ...]) -> pd.DataFrame:
    if not given:
        return pd.DataFrame(columns=list(filled))
    return read_rows(provenance.reads_input(given), filled).reset_index(drop=True)


def read_rows(path: Path, filled: tuple[str, ...], named: tuple[str, ...] = ()) -> pd.DataFrame:
    """The rows of a register as text, by the place where each stands; column names in small letters.

    filled : columns that every row fills; named : those that may be empty

    Raises
    ------
    InputError
        If the file is no CSV in UTF-8, a column is missing, or a row is flawed: names line and column.
    """
    records = whole_records(path)
    rows = [
        {name.casefold().replace("_", " "): str(cell).strip() for name, cell in record.values.items()}
        for record in records
    ]
    needed = dict.fromkeys((*filled, *named))
    if absent := [name for name in needed if not rows or name not in rows[0]]:
        raise InputError(
            f"no column {absent[0]!r}" if rows else "a register has no rows",
            where=path,
            found=list(rows[0])[:20] if rows else None,
            expected=f"{', '.join(needed)}; a row or more",
        )
    for record, row in zip(records, rows, strict=True):
        if empty := [name for name in filled if not _words(row[name])]:
            raise InputError(f"column {empty[0]!r} is empty", where=record.where, expected="a text")
    return pd.DataFrame(rows, index=[record.where for record in records], dtype=object)


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
    try:
        path = FOLDER / f"{profile}.csv" if profile in SHIPPED else provenance.source(profile)
    except InputError:
        raise ParameterError(
            f"there is no profile {profile!r}",
            where="00_scope.profile",
            expected=f"the path of a CSV, or one of {', '.join(SHIPPED)}",
            do=did_you_mean(profile, SHIPPED),
        ) from None
    table = read_rows(path, ("regime", "clause", "summary"), COLUMNS)
    # who decided that a theme is out of scope, and "yes" where what is not met goes onto the summary
    table = table.reindex(columns=[*COLUMNS, "decision", CRITICAL], fill_value="")
    if len(twice := table.index[table["clause"].duplicated()]):
        found = table.loc[twice[0], "clause"]
        raise ParameterError("a clause stands twice in the profile", where=twice[0], found=found)
    rows: list[dict[str, str]] = table.to_dict("records")
    for where, row in zip(table.index, rows, strict=True):
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
