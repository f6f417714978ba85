"""What must happen first as the summary tells it: a line for each step in their order, findings and
conditions by their numbers; the whole is the table of `first_steps`."""

from collections.abc import Mapping, Sequence

from ragassay.decision.closing.finding_phases import DUE, IN_PILOT, PLACES, RELEASE, START
from ragassay.decision.closing.first_steps import ALL_ANSWERS, ALL_GATES, ASKED, spans
from ragassay.decision.findings.presuppositions import QUESTION
from ragassay.decision.pilot.pilot_preparation import APPROVER, THEN, TRIAL

BEFORE_ALL = (QUESTION, APPROVER, TRIAL, THEN)
WHETHER = "whether text that nobody checked can enter the index"
PLACE_NAMES = {
    START: "Before a pilot starts",
    IN_PILOT: "In a pilot",
    RELEASE: "Before release",
    DUE: "By their due day",
}
SHORT = {
    START: "{} closed, or held by what the table asks of each",
    IN_PILOT: "{} held by controls",
    RELEASE: "{} closed",
    DUE: "{}, for which a release does not wait",
}
OF_ALL = {
    ALL_ANSWERS: "staff shown to find the bad answers, by the test of reading",
    ALL_GATES: "every gate passed on new questions",
}


def in_short(steps: Sequence[Mapping], beside: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """A line for each step, in their order: what comes before all, then each place, with what stands there,
    findings by their numbers; the whole is the table.

    beside : place -> what else is told of it, in clauses
    """
    more = beside or {}
    first = [_before_all(row) for row in steps if row["what"] in BEFORE_ALL]
    lines = [(place, _in_place(steps, place, more.get(place, ()))) for place in PLACES]
    return first + [f"{PLACE_NAMES[place]}: {'; '.join(told)}." for place, told in lines if told]


def _before_all(row: Mapping) -> str:
    if row["what"] == QUESTION:
        return f"{QUESTION}: {WHETHER} ({row['number']})."
    return f"{row['what']}: {row[ASKED]}"


def _in_place(steps: Sequence[Mapping], place: str, beside: Sequence[str]) -> list[str]:
    """What stands in a place: before a release all that it waits for, wherever that is held until then."""
    places_told = PLACES[: PLACES.index(RELEASE) + 1] if place == RELEASE else (place,)
    rows = [row for row in steps if row["first"] in places_told and row["what"] not in BEFORE_ALL]
    numbers = spans(
        sorted((row["number"] for row in rows if row["number"]), key=lambda each: (len(each), each))
    )
    told = [SHORT[place].format(numbers)] if numbers else []
    told += [OF_ALL[row["what"]] for row in rows if row["what"] in OF_ALL and row["first"] == place]
    return [*told, *beside]
