"""Which findings are closed by one test: their remedies move the assistant along one axis, and to both sides,
or a filter makes more of the questions that another is on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_GATE

AXES = (("decline more", "decline less"), ("say more", "say less"))  # directions in which remedies pull
FILTERS = ("superseded_cited_rate", "staff_only_reach_rate")  # whose remedy keeps documents out
UNANSWERED = "questions without an answer"  # how their behaviour says what is asked again


def joint_tests(rows: Sequence[Mapping]) -> list[tuple[tuple[str, str], list[int]]]:
    """The axes along which remedies of open findings pull both ways, or a filter makes more of the questions
    that another is on, each with the places of these."""
    pulled = [pulls_of(row) if row["status"] == OPEN else set() for row in rows]
    found = [
        (axis, [place for place, pulls in enumerate(pulled) if pulls & set(axis)], set().union(*pulled))
        for axis in AXES
    ]
    return [
        (axis, members)
        for axis, members, every in found
        if len(members) > 1 and (every >= set(axis) or _leave_unanswered([rows[n] for n in members]))
    ]


def groups(tests: Iterable[Iterable[int]]) -> Iterator[list[int]]:
    """The places of joint tests, those that share a finding, directly or through a chain, as one."""
    left = [set(members) for members in tests]
    while left:
        group = left.pop()
        while shared := [members for members in left if members & group]:
            group = group.union(*shared)
            left = [members for members in left if members not in shared]
        yield sorted(group)


def joint_due(rows: Sequence[Mapping], members: Sequence[int]) -> str:
    """The earliest due day of the findings of a joint test (YYYY-MM-DD); "" where none has one."""
    return min((str(rows[n]["due"]) for n in members if rows[n].get("due")), default="")


def pulls_on(source: str, row: Mapping, axis: Sequence[str]) -> bool:
    """Whether what meets this criterion of a finding moves the assistant along an axis."""
    return _pull(source, row) in axis


def number(place: int) -> str:
    """The number of the finding at this place of the register."""
    return f"F{place + 1}"


def pulls_of(row: Mapping) -> set[str]:
    """The directions in which the remedies of a finding move the assistant."""
    return {pull for source in sources(row) if (pull := _pull(source, row))}


def _leave_unanswered(rows: Sequence[Mapping]) -> bool:
    """Whether one filters what is retrieved, and another is on questions without an answer, now more."""
    named = [behaviour(source) for row in rows for source in sources(row)]
    filtered = any(each.get("of") in FILTERS for each in named)
    return filtered and any(each.get("again") == UNANSWERED for each in named)


def _pull(source: str, row: Mapping) -> str:
    """The direction in which the remedy of one criterion moves the assistant; "" of a gate that a finding on
    errors carries, which has no remedy beside its own."""
    return "" if is_carried(source, row) else behaviour(source).get("pulls", "")


def is_carried(source: str, row: Mapping) -> bool:
    """Whether this is a gate that a finding on errors carries (`findings_behind_gates`)."""
    return row["source"].startswith(FROM_ERRORS) and source.startswith(FROM_GATE)
