"""Regulatory profiles: what a regime asks for, theme by theme, as CSV; those shipped, and a bank's own by
path."""

import csv
from pathlib import Path

from ragassay import provenance
from ragassay.errors import InputError, ParameterError, did_you_mean

FOLDER = Path(__file__).parent / "report" / "profiles"
SHIPPED = ("sr-26-2-by-analogy", "sr-11-7-legacy", "pra-ss1-23", "nist-ai-600-1", "eu-ai-act-annex-iv")
COLUMNS = ("regime", "clause", "summary", "sections", "tests")
FILLED = ("regime", "clause", "summary")
DECISION = "decision"  # optional column: who decided that a theme is out of scope
CRITICAL = "critical"  # optional column: yes where what is not met goes onto the summary
SECTIONS = (  # what `sections` may name, parted by spaces
    *(
        "scope",
        "test_generation",
        "functionality",
        "risk_safety",
        "calibration",
        "robustness",
        "weakness",
        "conclusion",
    ),
    *("materiality", "parts", "documents", "users", "attacks", "misuse", "bias", "outside"),
    *("conditions", "monitoring", "previous", "deployment", "citations", "waivers"),
    *("findings", "gates", "challengers", "limitations", "control", "independence", "challenge", "sign-off"),
    *("B", "C", "D", "E"),
)


def read(profile: str) -> list[dict[str, str]]:
    """The rows of a profile, by the name of a shipped one or the path of a CSV; cells that are missing are
    empty.

    Raises
    ------
    ParameterError
        If there is no such profile or file, or a row of it is flawed: names row and column.
    """
    path = path_of(profile)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [_row(row) for row in reader]
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        do = "save it as CSV in UTF-8"
        raise ParameterError("the profile cannot be read", where=path, found=problem, do=do) from problem
    _check(path, rows, columns)
    return rows


def path_of(profile: str) -> Path:
    """The file of a profile; errors as in `read`."""
    if profile in SHIPPED:
        return FOLDER / f"{profile}.csv"
    try:
        path = provenance.source(profile)
    except InputError:
        raise ParameterError(
            f"there is no profile {profile!r}",
            where="00_scope.profile",
            expected=f"the path of a CSV, or one of {', '.join(SHIPPED)}",
            do=did_you_mean(profile, SHIPPED),
        ) from None
    if not path.is_file():
        raise ParameterError(
            "a profile is a CSV file", where="00_scope.profile", found=f"the folder {profile}"
        )
    return path


def _row(row: dict) -> dict[str, str]:
    return {column: (row.get(column) or "").strip() for column in (*COLUMNS, DECISION, CRITICAL)}


def _check(path: Path, rows: list[dict[str, str]], columns: object) -> None:
    absent = [column for column in COLUMNS if column not in (columns or [])]  # type: ignore[operator]
    if absent or not rows:
        what = f"the profile has no column {absent[0]!r}" if absent else "the profile has no row"
        do = "take a shipped one as a pattern"
        raise ParameterError(what, where=path, found=columns, expected=", ".join(COLUMNS), do=do)
    seen: set[str] = set()
    for number, row in enumerate(rows, 2):
        _check_row(f"{path}, row {number}", row, seen)
        seen.add(row["clause"])


def _check_row(where: str, row: dict[str, str], seen: set[str]) -> None:
    for column in FILLED:
        if not row[column]:
            raise ParameterError(f"column {column!r} of the profile is empty", where=where)
    if row[CRITICAL] not in ("", "yes"):
        raise ParameterError(
            f"column {CRITICAL!r} of the profile says what is no mark",
            where=where,
            found=row[CRITICAL],
            expected="yes, or nothing",
        )
    if row["clause"] in seen:
        raise ParameterError("a clause stands twice in the profile", where=where, found=row["clause"])
    for name in row["sections"].split():
        if name not in SECTIONS:
            raise ParameterError(
                "column 'sections' of the profile names what no report has",
                where=where,
                found=name,
                expected=", ".join(SECTIONS),
                do=did_you_mean(name, SECTIONS),
            )
