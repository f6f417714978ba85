"""When a finding counts as closed, and how it is held until then. Findings whose remedies pull against each
other name each other and are closed by one joint test, or the one would be closed at the cost of the other.
What has to be shown, criterion by criterion, is `closure_requirements`."""

from collections.abc import Iterator, Mapping, Sequence

from ragassay.decision.closing import criteria
from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.closing.joint_tests import joint_due, joint_tests, number, pulls_of
from ragassay.decision.findings.behaviours import behaviour
from ragassay.decision.recommendation import controls_of

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
    return JOINT.format(others=joined_words(others), by=_by(rows, members)) if others else ""


def _by(rows: Sequence[Mapping], members: Sequence[int]) -> str:
    day = joint_due(rows, members)
    return BY_DAY.format(day=day) if day else ""


def _against(
    place: int, rows: Sequence[Mapping], members: Sequence[int], axis: tuple[str, str], by: str
) -> Iterator[str]:
    for mine, other in (axis, axis[::-1]):
        those = [number(n) for n in members if n != place and other in pulls_of(rows[n])]
        if mine in pulls_of(rows[place]) and those:
            done, _, much = mine.partition(" ")
            told = f"This has {WHO[done]} {done} {much}, {joined_words(those)} {other.partition(' ')[2]}"
            yield f"{told}: one joint test closes them{by}."


def joined_words(told: Sequence[str], word: str = "and") -> str:
    """`F1, F2 and F4`; "" of none."""
    return "".join(told) if len(told) < 2 else f"{', '.join(told[:-1])} {word} {told[-1]}"
