"""The order in which findings are listed and numbered."""

from collections.abc import Mapping

from ragassay.decision.closing import earlier_findings
from ragassay.decision.findings.presuppositions import unanswered
from ragassay.tables import SEVERITIES

FIRST = (
    "errors:",
    "gate:",
    "check:",
    "process:",
    "weakness:",
    "limit:",
)  # of findings as grave as each other


def rank(row: Mapping) -> tuple:
    """Open findings first, the gravest first; of equally grave ones last those that rest on what the record
    leaves open, first those that nothing they absorbed or carry made so grave, then errors that people read,
    then gates."""
    kind = [nth for nth, begins in enumerate(FIRST) if row["source"].startswith(begins)]
    share = row["value"] if row["value"] == row["value"] else 0.0
    done = row["status"] in (earlier_findings.RETESTED, *earlier_findings.SETTLED)
    severity = SEVERITIES.index(row["severity"])
    raised = row.get("led_by", row["severity"]) != row["severity"]
    place = done, severity, unanswered(row), raised, kind or [len(FIRST)]
    return *place, -len(row["case_ids"]), -abs(share), row["source"]
