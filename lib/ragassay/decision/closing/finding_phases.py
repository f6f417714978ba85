"""Where each open finding belongs: by one rule each in one place, which says what must happen first. What one
used answer shows is never left to the pilot: its control is shown before it starts."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ragassay.decision.closing import joint_tests
from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.finding_texts import FROM_GATE, FROM_PROCESS
from ragassay.decision.findings.presuppositions import unanswered
from ragassay.decision.monitoring.monitored_measures import GRAVE, watched_findings

START, IN_PILOT, RELEASE, DUE = "before a pilot starts", "in a pilot", "before release", "by its due day"
PLACES = (START, IN_PILOT, RELEASE, DUE)
WHEN = {  # place -> which findings stand there, the first that holds
    START: "it is Critical, a High one on how this validation was made, or one used answer or a count of its "
    "own ends a pilot for it",
    IN_PILOT: "it is High",
    RELEASE: "a gate that has to pass is in it, the record leaves open what it rests on, or one joint test "
    "closes it with one of these",
    DUE: "it is another",
}
RELEASE_ALONE = "it is Critical or High, it is of a kind that would end a pilot, "
ONE_PLACE = "Each open finding stands in one place, the first that holds. {places}. {bind}"
NONE_OPEN = "No finding is open."
BIND = (
    "A release waits for the retests of all but those left to their due day, and one release candidate meets "
    "them all."
)


def rule(place_of: Mapping[str, str], *, has_pilot: bool = True) -> str:
    """How the place of a finding follows, of the places that hold one.

    place_of : of `places`
    """
    when = WHEN if has_pilot else WHEN | {RELEASE: f"{RELEASE_ALONE}{WHEN[RELEASE]}"}
    held = [place for place in PLACES if place in place_of.values()]
    told = ". ".join(f"{place.capitalize()}: {when[place]}" for place in held)
    return ONE_PLACE.format(places=told, bind=BIND) if held else NONE_OPEN


def places(findings: pd.DataFrame | None, *, has_pilot: bool = True) -> dict[str, str]:
    """Number of each open finding -> its place, by `rule`; without a pilot what stands before or in one
    stands before release."""
    rows = [] if findings is None else findings.to_dict("records")
    named = zip(rows, _places(rows), strict=True)
    found = {row["finding_id"]: place for row, place in named if row["status"] == OPEN}
    return (
        found if has_pilot else {name: max(place, RELEASE, key=PLACES.index) for name, place in found.items()}
    )


def bound(rows: Sequence[Mapping]) -> list[int]:
    """The places in the register of the open findings that a release waits for: all but those left to their
    due day.

    rows : of findings, in the order of their numbers, which they need not have yet
    """
    named = [{**row, "finding_id": joint_tests.number(place)} for place, row in enumerate(rows)]
    open_ones = [place for place, row in enumerate(rows) if row["status"] == OPEN]
    every = _places(named)
    return [place for place in open_ones if every[place] != DUE]


def is_seen_in_one(finding: Mapping) -> bool:
    """Whether one used answer shows this finding."""
    return any(each.is_seen_in_one for each in watched_findings([finding]))


def _places(rows: Sequence[Mapping]) -> list[str]:
    """The place of each finding; of one that a joint test closes with one of before release, no later."""
    found = [_place(row) if row["status"] == OPEN else DUE for row in rows]
    for members in joint_tests.groups([members for _, members in joint_tests.joint_tests(rows)]):
        if any(found[place] != DUE for place in members):
            found = [
                RELEASE if place in members and each == DUE else each for place, each in enumerate(found)
            ]
    return found


def _place(row: Mapping) -> str:
    process = row["source"].startswith(FROM_PROCESS) and row["severity"] in GRAVE
    if row["severity"] == GRAVE[0] or process or is_seen_in_one(row):
        return START
    if row["severity"] in GRAVE:
        return IN_PILOT
    gates = any(source.startswith(FROM_GATE) for source in sources(row))
    return RELEASE if gates or unanswered(row) else DUE
