"""The findings of the summary: the gravest, a line each, why these, and what else is as grave."""

from collections import Counter
from typing import Any

from ragassay.decision.closing import first_steps
from ragassay.decision.findings import presuppositions
from ragassay.report.block_builders import gap, headed
from ragassay.report.blocks import Block, Listing, Paragraph, State, Text
from ragassay.report.findings_register import SETTLED, by_severity
from ragassay.report.run_folder import Run
from ragassay.show import clean
from ragassay.tables import SEVERITIES

FINDINGS = 3  # findings that stand there
LONGEST = 220  # characters of a line
GRAVEST = SEVERITIES[0]


def gravest(run: Run) -> list[Block]:
    """The gravest findings, a line each, and how many there are."""
    table = run.table("findings")
    if table is None:
        return [gap(f"No findings register: {run.why('07_conclusion')}.")]
    if table.empty or set(table.get("status", [""])) <= set(SETTLED):
        return [headed("Findings.", "No finding is open.")]
    rows = [row for row in by_severity(table) if row.get("status") not in SETTLED]
    lines: list[list[Block]] = [
        [Paragraph((State(row["severity"]), Text(f" {clean(row['title'], LONGEST)} ({row['finding_id']})")))]
        for row in rows[:FINDINGS]
    ]
    failing = clean(run.decision.get("failing_answers") or "", LONGEST)
    beside = "; ".join(filter(None, [_counts(rows), _by_themselves(rows), *_conditions(rows), failing]))
    return [headed("The findings that matter most", f"({beside})."), Listing(lines, True), *_also(rows)]


def _counts(rows: list[dict[str, Any]]) -> str:
    counts = Counter(row["severity"] for row in rows)
    told = ", ".join(f"{counts[each]} {each}" for each in SEVERITIES if counts[each])
    return f"of {len(rows):,}: {told}"


def _by_themselves(rows: list[dict[str, Any]]) -> str:
    """Which findings are so grave by their own measurement, on no open condition; "" where none is."""
    own = [
        row["finding_id"]
        for row in rows
        if row["severity"] == row.get("by_itself") == GRAVEST and not presuppositions.is_conditional(row)
    ]
    whose = "its" if len(own) == 1 else "their"
    return f"{first_steps.spans(own)} first, {GRAVEST} by {whose} own measurement" if own else ""


def _conditions(rows: list[dict[str, Any]]) -> list[str]:
    """Which findings are real only on a condition, a text for each condition."""
    told = (
        (presuppositions.on_secrets(rows), presuppositions.REAL_IF_SECRET),
        (presuppositions.left_open(rows), presuppositions.REAL_IF),
    )
    return [f"{first_steps.spans(numbers)} {only}" for numbers, only in told if numbers]


def _also(rows: list[dict[str, Any]]) -> list[Block]:
    """The findings as grave as can be that are not among the first, in one paragraph."""
    more = [row for row in rows[FINDINGS:] if row["severity"] == GRAVEST]
    named = [f"{row['finding_id']} ({_short_title(row)})" for row in more]
    return [headed(f"Also {GRAVEST}:", f"{', '.join(named)}.")] if named else []


def _short_title(row: dict[str, Any]) -> str:
    """The title, without the condition that the heading names."""
    told = str(row["title"]).removeprefix(presuppositions.IF).removeprefix(presuppositions.IF_SECRET)
    return clean(told.partition(";")[0].rstrip("."), LONGEST)
