"""When a finding counts as closed, and how it is held until then. Findings whose remedies pull against each
other name each other and are closed by one joint test, or the one would be closed at the cost of the other.
What has to be shown, criterion by criterion, is `closure_requirements`."""

from collections.abc import Iterator, Mapping, Sequence

from ragassay.decision.closing import criteria
from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_GATE
from ragassay.decision.recommendation import controls_of

AXES = (("decline more", "decline less"), ("say more", "say less"))  # directions in which remedies pull
FILTERS = ("superseded_cited_rate", "staff_only_reach_rate")  # whose remedy keeps documents out
UNANSWERED = "questions without an answer"  # how their behaviour says what is asked again
WHO = {"decline": "the assistant", "say": "answers"}
TABLE = "What closes each finding"
ALONE = f"What the table “{TABLE}” asks of it is met."
JOINT = (
    f"What the table “{TABLE}” asks of it is met; what is joint with {{others}} at once, by the "
    "release candidate on one new set{by}."
)
BY_DAY = ", by {day}"


def with_control_and_proof(rows: Sequence[dict]) -> list[dict]:
    """The rows of findings, in the order of their numbers, with `control`, `proof` and, where remedies pull
    against each other, whose."""
    told = [{"control": controlled(row), "proof": closed_when(row)} for row in rows]
    tests = joint_tests(rows)
    for axis, members in tests:
        _join(told, rows, members, axis)
    for n, each in enumerate(told):
        each["proof"] = _jointly(n, rows, tests) or each["proof"]
    return [{**row, **more} for row, more in zip(rows, told, strict=True)]


def controlled(row: Mapping) -> str:
    """The interim controls of a finding in words; "" where there is none."""
    return " ".join(each["control"] for each in controls(row))


def controls(row: Mapping) -> list[Mapping[str, str]]:
    """The behaviours whose interim controls hold a finding, each control once: of each check, kind of error
    and weak slice in it, then of what it states first; none that says no more than another."""
    every = [*controls_of(row), behaviour(row["source"], row.get("strata", ()))]
    once = list({each["control"]: each for each in every if each.get("control")}.values())
    said = [set(sentences(each["control"])) for each in once]
    return [each for each, mine in zip(once, said, strict=True) if not any(mine < other for other in said)]


def sentences(text: str) -> list[str]:
    """The sentences of a text of `behaviours.csv`."""
    return text.rstrip(".").split(". ")


def closed_when(row: Mapping) -> str:
    """What closes a finding by itself; "" where no criterion is recorded."""
    recorded = criteria.recorded(row)
    return ALONE if any(source in recorded for source in sources(row)) else ""


def joint_tests(rows: Sequence[Mapping]) -> list[tuple[tuple[str, str], list[int]]]:
    """The axes along which remedies of open findings pull both ways, or a filter makes more of the questions
    that another is on, each with the places of these."""
    pulled = [_pulls(row) if row["status"] == OPEN else set() for row in rows]
    found = [
        (axis, [place for place, pulls in enumerate(pulled) if pulls & set(axis)], set().union(*pulled))
        for axis in AXES
    ]
    return [
        (axis, members)
        for axis, members, every in found
        if len(members) > 1 and (every >= set(axis) or _leave_unanswered([rows[n] for n in members]))
    ]


def _leave_unanswered(rows: Sequence[Mapping]) -> bool:
    """Whether one filters what is retrieved, and another is on questions without an answer, now more."""
    named = [behaviour(source) for row in rows for source in sources(row)]
    filtered = any(each.get("of") in FILTERS for each in named)
    return filtered and any(each.get("again") == UNANSWERED for each in named)


def joint_due(rows: Sequence[Mapping], members: Sequence[int]) -> str:
    """The earliest due day of the findings of a joint test (YYYY-MM-DD); "" where none has one."""
    return min((str(rows[n]["due"]) for n in members if rows[n].get("due")), default="")


def pulls_on(source: str, row: Mapping, axis: Sequence[str]) -> bool:
    """Whether what meets this criterion of a finding moves the assistant along an axis."""
    return _pull(source, row) in axis


def _join(
    told: Sequence[dict], rows: Sequence[Mapping], members: Sequence[int], axis: tuple[str, str]
) -> None:
    """Write into the recommendations of the members whose remedies pull against theirs."""
    by = _by(rows, members)
    for n in members:
        before = told[n].get("recommendation", rows[n]["recommendation"])
        told[n]["recommendation"] = " ".join([before, *_against(n, rows, members, axis, by)])


def _jointly(place: int, rows: Sequence[Mapping], tests: Sequence[tuple[tuple[str, str], list[int]]]) -> str:
    """The proof of a finding that joint tests close, with all others that are in them; "" of another."""
    members = sorted({n for _, members in tests if place in members for n in members})
    others = [number(n) for n in members if n != place]
    return JOINT.format(others=join_with_and(others), by=_by(rows, members)) if others else ""


def _by(rows: Sequence[Mapping], members: Sequence[int]) -> str:
    day = joint_due(rows, members)
    return BY_DAY.format(day=day) if day else ""


def _against(
    place: int, rows: Sequence[Mapping], members: Sequence[int], axis: tuple[str, str], by: str
) -> Iterator[str]:
    for mine, other in (axis, axis[::-1]):
        those = [number(n) for n in members if n != place and other in _pulls(rows[n])]
        if mine in _pulls(rows[place]) and those:
            done, _, much = mine.partition(" ")
            told = f"This has {WHO[done]} {done} {much}, {join_with_and(those)} {other.partition(' ')[2]}"
            yield f"{told}: one joint test closes them{by}."


def number(place: int) -> str:
    """The number of the finding at this place of the register."""
    return f"F{place + 1}"


def join_with_and(told: Sequence[str]) -> str:
    """`F1, F2 and F4`."""
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _pulls(row: Mapping) -> set[str]:
    return {pull for source in sources(row) if (pull := _pull(source, row))}


def _pull(source: str, row: Mapping) -> str:
    """The direction in which the remedy of one criterion moves the assistant; "" of a gate that a finding on
    errors carries, which has no remedy beside its own."""
    return "" if is_carried(source, row) else behaviour(source).get("pulls", "")


def is_carried(source: str, row: Mapping) -> bool:
    """Whether this is a gate that a finding on errors carries (`findings_behind_gates`)."""
    return row["source"].startswith(FROM_ERRORS) and source.startswith(FROM_GATE)
