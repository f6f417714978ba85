"""Where each open finding belongs: by one rule each in one place, which says what must happen first. What one
used answer ends a pilot for is never left to the pilot: its control is shown before it starts."""

from collections.abc import Mapping

import pandas as pd

from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.finding_texts import FROM_GATE, FROM_PROCESS
from ragassay.decision.findings.presuppositions import unanswered
from ragassay.decision.monitoring.monitored_measures import GRAVE, watched_findings

START, IN_PILOT, RELEASE, DUE = "before a pilot starts", "in a pilot", "before release", "by its due day"
PLACES = (START, IN_PILOT, RELEASE, DUE)
RULE = (
    f"Each open finding stands in one place, the first that holds. {START.capitalize()}: it is Critical, a "
    "High one on how this validation was made, or one used answer that shows it ends the pilot. "
    f"{IN_PILOT.capitalize()}: it is High. {RELEASE.capitalize()}: a gate that has to pass is in it, or the "
    f"record leaves open what it rests on. {DUE.capitalize()}: it is another. The retests of the first three "
    "places bind a release, and one release candidate meets them all; it does not wait for the last."
)
RULE_WITHOUT = (
    f"Each open finding stands in one place, the first that holds. {RELEASE.capitalize()}: it is Critical or "
    "High, it is of a kind that one used answer shows, a gate that has to pass is in it, or the record "
    f"leaves open what it rests on. {DUE.capitalize()}: it is another. The retests of the first place bind a "
    "release, and one release candidate meets them all; it does not wait for the last."
)


def places(findings: pd.DataFrame | None, *, has_pilot: bool = True) -> dict[str, str]:
    """Number of each open finding -> its place, by `RULE`; without a pilot what stands before or in one
    stands before release."""
    rows = [] if findings is None else findings.to_dict("records")
    found = {row["finding_id"]: _place(row) for row in rows if row["status"] == OPEN}
    return (
        found if has_pilot else {name: max(place, RELEASE, key=PLACES.index) for name, place in found.items()}
    )


def ends_by_one(finding: Mapping) -> bool:
    """Whether one used answer that shows this finding ends a pilot."""
    return any(each.is_seen_in_one for each in watched_findings([finding]))


def _place(row: Mapping) -> str:
    process = row["source"].startswith(FROM_PROCESS) and row["severity"] in GRAVE
    if row["severity"] == GRAVE[0] or process or ends_by_one(row):
        return START
    if row["severity"] in GRAVE:
        return IN_PILOT
    gates = any(source.startswith(FROM_GATE) for source in sources(row))
    return RELEASE if gates or unanswered(row) else DUE
