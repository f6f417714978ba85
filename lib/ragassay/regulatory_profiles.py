"""Regulatory profiles: what a regime asks for, theme by theme, as CSV; those shipped, and a bank's own by
path."""

from pathlib import Path

from ragassay import engagement_registers, provenance
from ragassay.errors import InputError, ParameterError, did_you_mean

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


def read(profile: str) -> list[dict[str, str]]:
    """The rows of a profile, by the name of a shipped one or the path of a CSV; cells that are missing are
    empty.

    Raises
    ------
    ParameterError
        If there is no such profile or file, or a row says what no profile says: names row and column.
    InputError
        If the file is no CSV of such rows (`engagement_registers.read_rows`).
    """
    path = profile_path(profile)
    names = (*COLUMNS, DECISION, CRITICAL)
    table = engagement_registers.read_rows(path, FILLED, COLUMNS).reindex(columns=names, fill_value="")
    rows: list[dict[str, str]] = table.to_dict("records")
    clauses: set[str] = set()
    for number, row in enumerate(rows, 2):
        where = f"{path}, row {number}"
        if row[CRITICAL] not in ("", "yes"):
            what, found = f"column {CRITICAL!r} of the profile says what is no mark", row[CRITICAL]
            raise ParameterError(what, where=where, found=found, expected="yes, or nothing")
        if row["clause"] in clauses:
            raise ParameterError("a clause stands twice in the profile", where=where, found=row["clause"])
        clauses.add(row["clause"])
        if unknown := [name for name in row["sections"].split() if name not in SECTIONS]:
            what, found = "column 'sections' of the profile names what no report has", unknown[0]
            expected, do = ", ".join(SECTIONS), did_you_mean(found, SECTIONS)
            raise ParameterError(what, where=where, found=found, expected=expected, do=do)
    return rows


def profile_path(profile: str) -> Path:
    """The file of a profile; ParameterError if there is none."""
    if profile in SHIPPED:
        return FOLDER / f"{profile}.csv"
    where = "00_scope.profile"
    try:
        path = provenance.source(profile)
    except InputError:
        raise ParameterError(
            f"there is no profile {profile!r}",
            where=where,
            expected=f"the path of a CSV, or one of {', '.join(SHIPPED)}",
            do=did_you_mean(profile, SHIPPED),
        ) from None
    if not path.is_file():
        raise ParameterError("a profile is a CSV file", where=where, found=f"the folder {profile}")
    return path
