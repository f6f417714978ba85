"""By when findings that are closed together are due: those that a release waits for, which one candidate
meets at once, and those of another joint test, on the earliest of their days; independence no later than the
first finding that labels of raters close."""

from collections.abc import Sequence

from ragassay.decision import independence
from ragassay.decision.closing import finding_phases, joint_tests
from ragassay.decision.closing.earlier_findings import OPEN, sources


def with_common_days(rows: Sequence[dict]) -> list[dict]:
    """The rows of findings, in the order of their numbers, with `due` by `finding_severity.JOINT`;
    others keep theirs."""
    days = [str(row.get("due") or "") for row in rows]
    tests = [members for _, members in joint_tests.joint_tests(rows)]
    for members in joint_tests.groups([finding_phases.bound(rows), *tests]):
        first = joint_tests.joint_due(rows, members)
        days = [first if place in members else day for place, day in enumerate(days)]
    by_labels = [day for row, day in zip(rows, days, strict=True) if _rests_on_labels(row) and day]
    for place, row in enumerate(rows):
        if row["source"] == independence.SOURCE and row["status"] == OPEN:
            days[place] = min(filter(None, (days[place], *by_labels)), default="")
    return [{**row, "due": day} if day else row for row, day in zip(rows, days, strict=True)]


def _rests_on_labels(row: dict) -> bool:
    return row["status"] == OPEN and any(map(independence.rests_on_labels, sources(row)))
