"""The crosswalk: what a regime asks for, theme by theme, and what of it a run evidences.

A row of a profile names sections; `criteria.csv` holds the criteria of each section: what is required, the
fact that shows it (`crosswalk_facts`), and whether the report may be signed without it.
"""

from functools import cache

from ragassay import regulatory_profiles
from ragassay.decision.findings import OPEN
from ragassay.report import crosswalk_facts
from ragassay.report.blocks import Chapter, Table, annex, data_table, gap, paragraph
from ragassay.report.decision_words import by_severity
from ragassay.report.run_folder import Run
from ragassay.report.templates import read_rows
from ragassay.show import clean

ELSE = "the bank's own documents"
NOTE = (
    "Evidenced: every criterion of the theme is met, so it was tested and recorded; partly: some are. After "
    "“result” stand the open findings. Themes are in our words and quote no clause; by analogy where the "
    "regime leaves generative systems out."
)
RAISED = {  # section -> which findings are on what it looks at: names of checks, or rules
    "materiality": "tier",
    "functionality": "error gate",
    "risk_safety": "personal_data names toxicity",
    "attacks": "injection planted_injection planted_words planted_link planted_secret",
    "misuse": "misuse",
    "documents": "staff_only superseded",
    "bias": "bias bias_swap stereotypes",
    "robustness": "perturbation repeatability conversation wordings passages_changed",
    "outside": "outside_documents evidence_removed",
    "weakness": "slice",
    "calibration": "independence",
    "independence": "independence",
}


@cache
def criteria() -> dict[str, list[dict[str, str]]]:
    """Section -> its criteria, the rows of `criteria.csv`."""
    rows = read_rows("criteria")
    return {
        name: [row for row in rows if row["section"] == name] for name in {row["section"] for row in rows}
    }


def chapter(run: Run) -> Chapter:
    """The crosswalk of the engagement's profile.

    A theme is evidenced when every criterion of its sections holds, partly when some do, not evidenced when
    none does or it names no section; that a notebook was executed is needed, and evidence of nothing. A bank
    that decides a theme is out of scope writes by whom in the column `decision`, and marks the themes that
    are critical for it in the column `critical`.
    """
    name, rows = _profile(run), rows_of(run)
    if not rows:
        known = ", ".join(regulatory_profiles.SHIPPED)
        return annex("crosswalk", [gap(f"There is no profile {clean(name, 80)} ({known}).")])
    source = "shipped with this kit" if name in regulatory_profiles.SHIPPED else clean(name, 120)
    return annex("crosswalk", [paragraph(f"Profile: {regime(run)}; {source}."), _themes(run, rows)])


def judged(run: Run, row: dict[str, str]) -> tuple[list[str], str]:
    """The criteria of a theme that the run does not meet, and its status: evidenced, partly, not evidenced,
    with the findings that are open on what its sections look at; or out of scope, and by whose decision."""
    if row["decision"]:
        return [], f"out of scope by decision of {row['decision']}"
    held = [(each, crosswalk_facts.holds(run, each["fact"])) for each in _asked(row)]
    missing = [each["criterion"] for each, is_met in held if not is_met]
    is_partly = any(is_met for each, is_met in held if not each["fact"].startswith("executed"))
    word = "evidenced" if held and not missing else "partly" if is_partly else "not evidenced"
    found = ", ".join(_open_findings(run, row) if is_partly else [])
    return missing if held else [ELSE], f"{word}; result: {found} open" if found else word


def _open_findings(run: Run, row: dict[str, str]) -> list[str]:
    wanted = " ".join(RAISED.get(section, "") for section in row["sections"].split()).split()
    named = {
        each["finding_id"]
        for each in run.rows("finding_sources").to_dict("records")
        if (each["name"] if each["rule"] in ("check", "process") else each["rule"]) in wanted
    }
    findings = by_severity(run.rows("findings"))
    return [each["finding_id"] for each in findings if each["status"] == OPEN and each["finding_id"] in named]


def before_signing(run: Run) -> list[str]:
    """What is not met and has to be before anybody signs, each once."""
    asked = [each for row in rows_of(run) if not row["decision"] for each in _asked(row)]
    needed = {each["criterion"]: each["fact"] for each in asked if each["before_signing"]}
    return [criterion for criterion, fact in needed.items() if not crosswalk_facts.holds(run, fact)]


def regime(run: Run) -> str:
    """What the profile is of, in its own words, without what it says in brackets; its name where there is no
    such profile."""
    rows = rows_of(run)
    return clean(rows[0]["regime"].partition(" (")[0] if rows else _profile(run), 80)


def rows_of(run: Run) -> list[dict[str, str]]:
    """The rows of the engagement's profile; none where there is no such profile."""
    own, name = run.engagement.get("crosswalk") or [], _profile(run)
    return regulatory_profiles.read(name) if not own and name in regulatory_profiles.SHIPPED else own


def _profile(run: Run) -> str:
    return str(run.engagement.get("profile") or regulatory_profiles.SHIPPED[0])


def _asked(row: dict[str, str]) -> list[dict[str, str]]:
    return [each for section in row["sections"].split() for each in criteria()[section]]


def _themes(run: Run, rows: list[dict[str, str]]) -> Table:
    cells = []
    for row in rows:
        missing, status = judged(run, row)
        places = ", ".join(dict.fromkeys(_place(each["chapter"]) for each in _asked(row)))
        theme = row["clause"] + " (critical)" * bool(row.get("critical"))
        cells.append([clean(cell) for cell in (theme, row["summary"], places, "; ".join(missing), status)])
    return data_table(
        f"{clean(rows[0]['regime'])}: themes and what this report evidences",
        ["Theme", "What it asks, in our words", "Where", "Not met", "Status"],
        cells,
        widths=[1.3, 2.2, 1, 2.4, 1],
        note=NOTE,
    )


def _place(chapter: str) -> str:
    """Where to look, as a link that becomes a number."""
    kind = "annex" if chapter.startswith("annex") else "chapter"
    return "cover" if chapter == "control" else f"[{kind}](#{chapter})"
