"""The order in which findings are listed and numbered."""

from collections.abc import Mapping

from ragassay.decision.closing import earlier_findings
from ragassay.decision.findings.presuppositions import is_conditional
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
    """Open findings first, the gravest first. Of equally grave ones first those that are so grave by their
    own measurement, then those that a gate they carry or a slice they absorbed made so grave, last those that
    rest on a condition that is left open; then errors that people read, then gates."""
    kind = [nth for nth, begins in enumerate(FIRST) if row["source"].startswith(begins)]
    share = row["value"] if row["value"] == row["value"] else 0.0
    done = row["status"] in (earlier_findings.RETESTED, *earlier_findings.SETTLED)
    severity = SEVERITIES.index(row["severity"])
    place = done, severity, is_conditional(row), _is_raised(row), kind or [len(FIRST)]
    return *place, -len(row["case_ids"]), -abs(share), row["source"]


def _is_raised(row: Mapping) -> bool:
    """Whether it is graver than by its own measurement; `led_by` "" where what it absorbed is its own."""
    own = (row.get("by_itself"), row.get("led_by"))
    return any(severity and severity != row["severity"] for severity in own)
