"""The findings register: a table of all findings, the gravest first, then a card for each."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ragassay.decision.findings import SEVERITY_RULE
from ragassay.report.blocks import Block, Chapter, Heading
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
    ("Strata touched", "strata"),
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


def by_severity(findings: Any) -> list[dict[str, Any]]:
    """The findings' rows, gravest first, then by id."""
    return sorted(
        findings.to_dict("records"),
        key=lambda row: (SEVERITIES.index(row["severity"]), len(row["finding_id"]), row["finding_id"]),
    )


def findings(run: Run, number_: str) -> Chapter:
    """The register: a table of all, then one card each."""
    table = run.table("findings")
    if table is None:
        return Chapter(
            number_,
            "Findings register",
            "findings",
            [gap(f"No findings register: {run.why('07_conclusion')}.")],
        )
    if table.empty:
        none = paragraph(
            "No finding was raised. Read this with the limitations: what was not tested raises none."
        )
        return Chapter(number_, "Findings register", "findings", [none])
    rows = by_severity(table)
    overview = data_table(
        "All findings, gravest first",
        ["Id", "Severity", "Finding", "Owner", "Due", "Status"],
        [
            [value_text(row[key]) for key in ("finding_id", "severity", "title", "owner", "due", "status")]
            for row in rows
        ],
        states=["Severity"],
        note=SEVERITY_RULE,
        file="tables/findings.parquet",
    )
    return Chapter(number_, "Findings register", "findings", [overview, *_cards(rows)])


def _cards(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """One card per finding, under a heading per severity; only the severities stand in the contents."""
    for severity, group in groupby(rows, key=lambda row: value_text(row["severity"])):
        found = list(group)
        yield Heading(2, words(f"{severity} ({len(found)})"), f"findings-{severity.lower()}")
        yield from (block for row in found for block in _card(row))


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
