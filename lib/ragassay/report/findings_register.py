"""The findings register: a table of all findings, the gravest first, then a card for each grave one
and the others in short."""

from typing import Any

from ragassay.decision import independence
from ragassay.decision.closing import finding_closure, first_steps
from ragassay.decision.closing.earlier_findings import CLOSED, RETESTED, WITHDRAWN
from ragassay.decision.closing.finding_phases import places
from ragassay.decision.findings.finding_severity import SEVERITY_RULE
from ragassay.report.block_builders import data_table, gap, paragraph, words
from ragassay.report.blocks import Block, Heading, State, Text
from ragassay.report.run_folder import Run
from ragassay.show import MISSING, clean, value_text
from ragassay.tables import SEVERITIES

FIELDS = [
    ("Condition", "condition"),
    ("Criterion", "criterion"),
    ("Cause", "cause"),
    ("Effect", "effect"),
    ("Shown by", "shown_case"),
    ("Recommendation", "recommendation"),
    ("Interim control", "control"),
    ("Closed when", "proof"),
    ("Earlier", "carried_from"),
]
OPTIONAL = {"shown_case", "control", "proof", "carried_from"}  # left out where they are empty
SETTLED = (RETESTED, CLOSED, WITHDRAWN)
NO_OWNER = "no owner named"
RETESTS = (
    "The retests of {} bind a release. They are made on one and the same release candidate, by the earliest "
    "of their days: it meets all of them, or none counts."
)
OF_RATERS = (
    "{}, on raters and validator and not on the system, may be met before, on the answers of this run."
)
EACH = f"Each is closed when what the table “{finding_closure.TABLE}” asks of it is met."
NOT_BOUND = "The retests of {} are made by their due day, and no release waits for them."
MOST_ROWS = 40  # findings listed in print
MOST_CARDS = 20  # findings with a card
MOST_OF_A_FIELD = 4000  # characters: a closure that somebody wrote stands whole
SHORT = "Effect, risk, the case shown, what closes it and evidence stand in attachments/findings.csv."
GRAVE = ("Critical", "High")  # severities with a card


def by_severity(findings: Any) -> list[dict[str, Any]]:
    """The findings' rows, open ones first, then the gravest, then by id."""
    return sorted(
        findings.to_dict("records"),
        key=lambda row: (
            row.get("status") in SETTLED,
            SEVERITIES.index(row["severity"]),
            len(row["finding_id"]),
            row["finding_id"],
        ),
    )


def open_finding(run: Run, source: str) -> dict[str, Any] | None:
    """The open finding that this source raised (`process:independence`), as its row; None where none is."""
    return _open_of(run.rows("findings"), source)


def _open_of(table: Any, source: str) -> dict[str, Any] | None:
    known = [row for row in table.to_dict("records") if row.get("status") not in SETTLED]
    return next((row for row in known if row.get("source") == source), None)


def open_findings(run: Run, begins: tuple[str, ...]) -> list[str]:
    """The numbers of the open findings that a source raised, by itself or joined, which begins so."""
    rows = [row for row in by_severity(run.rows("findings")) if row.get("status") not in SETTLED]
    return [str(row["finding_id"]) for row in rows if any(each.startswith(begins) for each in _raised(row))]


def _raised(row: dict[str, Any]) -> list[str]:
    joined = row.get("also")
    return [str(row.get("source") or ""), *([] if joined is None else map(str, joined))]


def overview(run: Run) -> Block:
    """All findings, gravest first, as a table; or why there is none."""
    table = run.table("findings")
    if table is None:
        return gap(f"No findings register: {run.why('07_conclusion')}.")
    rows = [] if table.empty else by_severity(table)
    columns = ("finding_id", "severity", "title", "owner", "due", "status")
    none = "No finding was raised. Read this with the limitations: what was not tested raises none."
    return data_table(
        "All findings, gravest first",
        ["Id", "Severity", "Finding", "Owner", "Due", "Status"],
        [[value_text(row[key]) for key in columns] for row in rows[:MOST_ROWS]],
        states=["Severity"],
        note=" ".join(filter(None, [SEVERITY_RULE if rows else none, _more(len(rows) - MOST_ROWS)])),
        file="tables/findings.parquet",
    )


def cards(run: Run) -> list[Block]:
    """A card for each of the gravest findings, and a table of the others in short; all of them stand in the
    attached table."""
    table = run.table("findings")
    rows = [] if table is None or table.empty else by_severity(table)
    grave = [row for row in rows if row["severity"] in GRAVE and row.get("status") not in SETTLED]
    left = paragraph(_more(len(grave) - MOST_CARDS))
    rest = [row for row in rows if row["severity"] not in GRAVE and row.get("status") not in SETTLED]
    return [
        *([paragraph(_retests(table))] if any(_said(row, "proof") for row in (*grave, *rest)) else []),
        *(block for row in grave[:MOST_CARDS] for block in _card(row)),
        *([left] if len(grave) > MOST_CARDS else []),
        *([_short(rest)] if rest else []),
    ]


def _retests(table: Any) -> str:
    """Which retests bind a release, and which do not."""
    place_of = places(table)
    bound = first_steps.binding(place_of)
    left = first_steps.spans([number for number in place_of if number not in bound])
    told = [RETESTS.format(first_steps.spans(bound))] if bound else []
    who = _open_of(table, independence.SOURCE)
    told += [OF_RATERS.format(who["finding_id"])] if who else []
    return " ".join([*told, *([NOT_BOUND.format(left)] if left else []), EACH])


def _short(rows: list[dict[str, Any]]) -> Block:
    """The other findings, a row each."""
    columns = ("finding_id", "condition", "criterion", "cause", "recommendation", "control")
    return data_table(
        "The other findings in short",
        ["Id", "Condition", "Criterion", "Cause", "Recommendation", "Interim control"],
        [[value_text(row.get(key)) for key in columns] for row in rows[:MOST_ROWS]],
        widths=[0.6, 3, 2.6, 1.6, 3, 2.2],
        note=" ".join(filter(None, [SHORT, _more(len(rows) - MOST_ROWS)])),
        file="tables/findings.parquet",
    )


def _more(count: int) -> str:
    return f"… and {count:,} more in attachments/findings.csv" if count > 0 else ""


def _card(row: dict[str, Any]) -> list[Block]:
    told = (
        row if row.get("proof") != finding_closure.ALONE else {**row, "proof": ""}
    )  # said once, before all cards
    lines = [[label, _field(row, key)] for label, key in FIELDS if key not in OPTIONAL or _said(told, key)]
    card = data_table("", [], lines, widths=[1, 5.6])
    severity = (State(value_text(row["severity"])), Text(f"  {_owned(row)}"))
    card.rows.insert(0, [words("Severity, owner"), severity])
    return [
        Heading(
            3, words(f"{row['finding_id']} · {clean(row['title'], 300)}"), f"finding-{row['finding_id']}"
        ),
        card,
    ]


def _owned(row: dict[str, Any]) -> str:
    """How grave the risk is, who answers for the finding, until when, and what became of it."""
    risk = f"Risk {_said(row, 'risk')}: {row['likelihood']}; impact {row['impact']}. "
    owner = _said(row, "owner") or NO_OWNER
    return f"{risk if _said(row, 'risk') else ''}{owner}; {row['due']}; {row['status']}"


def _field(row: dict[str, Any], key: str) -> str:
    """A field of the card in words: what belongs to it stands beside it."""
    text = value_text(row.get(key), limit=MOST_OF_A_FIELD)
    if key == "cause":
        return " ".join(filter(None, (text, _said(row, "cause_evidence"))))
    if key == "shown_case":
        return _shown(row, text)
    if key == "carried_from":
        opened = f"opened {row['opened']}" if _said(row, "opened") else ""
        return "; ".join(filter(None, (text, opened, _said(row, "closed_evidence"))))
    return text


def _shown(row: dict[str, Any], case: str) -> str:
    """The case that shows a finding: question, answer and remark."""
    question, answer, remark = (_said(row, f"shown_{part}") for part in ("question", "answer", "remark"))
    said = f"“{question}” was answered “{answer}”." if question or answer else ""
    return " ".join(filter(None, (said, f"A rater remarked: “{remark}”." if remark else "", f"({case})")))


def _said(row: dict[str, Any], key: str) -> str:
    """A field as text, empty where nobody said anything."""
    text = value_text(row.get(key), limit=MOST_OF_A_FIELD).strip()
    return "" if text == MISSING else text
