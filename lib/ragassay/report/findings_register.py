"""The findings register: a table of all findings, the gravest first, then a card for each."""

from typing import Any

from ragassay.decision.findings import SEVERITY_RULE
from ragassay.report.blocks import Block, Heading
from ragassay.report.compose import data_table, gap, paragraph, words
from ragassay.report.run_folder import Run, interval
from ragassay.show import clean, value_text
from ragassay.tables import SEVERITIES

FIELDS = [
    ("Condition", "condition"),
    ("Criterion", "criterion"),
    ("Cause", "cause"),
    ("Effect", "effect"),
    ("Likelihood", "likelihood"),
    ("Impact", "impact"),
    ("Slices affected", "strata"),
    ("Cases", "case_ids"),
    ("Evidence", "evidence"),
    ("Recommendation", "recommendation"),
    ("Owner", "owner"),
    ("Due", "due"),
    ("Status", "status"),
    ("Compensating control", "compensating_control"),
    ("Retest evidence", "retest_evidence"),
    ("Closure approver", "closure_approver"),
]
OPTIONAL = {"compensating_control", "retest_evidence", "closure_approver"}
MOST_CASES = 12
MOST_ROWS = 40  # findings listed in print
MOST_CARDS = 10  # findings with a card
GRAVE = ("Critical", "High")  # severities with a card


def by_severity(findings: Any) -> list[dict[str, Any]]:
    """The findings' rows, gravest first, then by id."""
    return sorted(
        findings.to_dict("records"),
        key=lambda row: (SEVERITIES.index(row["severity"]), len(row["finding_id"]), row["finding_id"]),
    )


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
    """A card for each of the gravest findings; all of them stand in the attached table."""
    table = run.table("findings")
    rows = [] if table is None or table.empty else by_severity(table)
    grave = [row for row in rows if row["severity"] in GRAVE]
    left = paragraph(_more(len(grave) - MOST_CARDS))
    return [
        *(block for row in grave[:MOST_CARDS] for block in _card(row)),
        *([left] if len(grave) > MOST_CARDS else []),
    ]


def _more(count: int) -> str:
    return f"… and {count:,} more in attachments/findings.csv" if count > 0 else ""


def _card(row: dict[str, Any]) -> list[Block]:
    fields = [(label, key) for label, key in FIELDS if key not in OPTIONAL or value_text(row.get(key)) != "—"]
    lines = [
        ["Severity", value_text(row["severity"])],
        ["Measured", f"{interval(row)}, n={value_text(row['n'])}"],
    ]
    lines += [[label, _field(row.get(key), key)] for label, key in fields]
    return [
        Heading(
            3, words(f"{row['finding_id']} · {clean(row['title'], 160)}"), f"finding-{row['finding_id']}"
        ),
        data_table("", [], lines, widths=[1, 4], states=["Severity"]),
    ]


def _field(value: Any, key: str) -> str:
    if key == "case_ids" and value is not None and len(value) > MOST_CASES:
        return (
            f"{value_text(list(value)[:MOST_CASES])} … and {len(value) - MOST_CASES} more in "
            "tables/findings.parquet"
        )
    return value_text(value, limit=1500)
