"""By when findings that are closed together are due: those of one joint test on the earliest of their days,
and independence no later than the first finding that labels of raters close."""

from collections.abc import Iterator, Sequence

from ragassay.decision import independence
from ragassay.decision.closing import finding_closure
from ragassay.decision.closing.earlier_findings import OPEN


def with_common_days(rows: Sequence[dict]) -> list[dict]:
    """The rows of findings, in the order of their numbers, with `due` by `finding_severity.JOINT`;
    others keep theirs."""
    days = [str(row.get("due") or "") for row in rows]
    for members in _groups([members for _, members in finding_closure.joint_tests(rows)]):
        first = finding_closure.joint_due(rows, members)
        days = [first if place in members else day for place, day in enumerate(days)]
    by_labels = [day for row, day in zip(rows, days, strict=True) if _rests_on_labels(row) and day]
    for place, row in enumerate(rows):
        if row["source"] == independence.SOURCE and row["status"] == OPEN:
            days[place] = min(filter(None, (days[place], *by_labels)), default="")
    return [{**row, "due": day} if day else row for row, day in zip(rows, days, strict=True)]


def _rests_on_labels(row: dict) -> bool:
    return row["status"] == OPEN and any(map(independence.rests_on_labels, finding_closure.sources(row)))


def _groups(tests: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The places of joint tests, those that share a finding as one."""
    left = [set(members) for members in tests]
    while left:
        group = left.pop()
        while shared := [members for members in left if members & group]:
            group = group.union(*shared)
            left = [members for members in left if members not in shared]
        yield sorted(group)
