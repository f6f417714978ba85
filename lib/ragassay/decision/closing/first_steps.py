"""What must happen first, whole and once: a row for every answer, for each open finding and for the gates,
each in one place (`finding_phases`): what holds it in a pilot, what of it ends the pilot, what a release
takes."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.decision.closing.finding_phases import DUE, PLACES, RELEASE, START, is_seen_in_one, places
from ragassay.decision.findings import presuppositions
from ragassay.decision.findings.error_findings import DECLINE, MISLEADING, NEEDLESS
from ragassay.decision.findings.finding_texts import FROM_PROCESS, too_few
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates.gates import FAIL, INCOMPLETE, PASS, worst_rows
from ragassay.decision.gates.questions_needed import questions_to_pass
from ragassay.decision.monitoring.monitored_measures import AGAIN, GRAVE, watched_findings
from ragassay.decision.pilot import pilot_control_tests, pilot_entry_conditions, pilot_stop_rows
from ragassay.decision.pilot.pilot_control_tests import ControlTest
from ragassay.decision.pilot.pilot_plan import Pilot
from ragassay.decision.rating import Coverage, shortfalls

ASKED = "what a pilot asks"
COLUMNS = ["number", "what", "first", ASKED, "ends a pilot", "before release"]
CAPTION = "What must happen first"
NOTE = (
    "In force: from the first day of a pilot on, and briefed to all its staff before. What a case is, "
    "and when it fails: table “Tests of controls”. Before release its recommendation is carried out, by the "
    "day named; a day that falls before a pilot's end: “Supervised pilot”."
)
ALL_ANSWERS, ALL_GATES = "Every answer", "Every gate"
ALWAYS = (
    "Staff alone use the assistant; no customer sees an answer that nobody read.",
    "Staff open every citation, and use an answer only if the cited passage answers the question asked.",
    "Every answer that was used is kept with the name of the person who checked it.",
)
CONFIRMED = "Who confirms, rates and counts: {}."
NOT_USED = "nothing: a refusal is not used"
NOTHING = "nothing: no used answer shows it"
COUNTED = "counted as bad"
AT_THE_END = f"no number: its cases are {AGAIN} at the end, by its own criterion"
AGAIN_GATES = "Validate again, on new questions: one release candidate passes every gate{retests}"
RETESTS = " and every retest that binds a release (of {})"


def first_steps(
    gates: pd.DataFrame,
    findings: pd.DataFrame,
    pilot: Pilot | None,
    *,
    coverage: Coverage | None = None,
    aside: pd.DataFrame | None = None,
    validator: str = "the validator",
    not_for: Sequence[str] = (),
    preparation: Sequence[tuple] = (),
) -> pd.DataFrame:
    """The rows, columns COLUMNS, in the order of their places and numbers; without a pilot nothing stands in
    one.

    pilot : None where none is recommended; coverage, aside : as of `rating.rate`; validator : who answers for
        the gates; not_for : conditions of use that bar questions, as sentences; preparation : rows of
        `pilot_preparation.steps`
    """
    place_of = places(findings, has_pilot=pilot is not None)
    rows = [row for row in findings.to_dict("records") if row["status"] == OPEN]
    rows.sort(key=lambda row: PLACES.index(place_of[row["finding_id"]]))
    told = _question(presuppositions.left_open(rows), has_pilot=pilot is not None)
    told += [*preparation, _every_answer(pilot, not_for)] if pilot else []
    test = pilot_control_tests.staff_test(len(pilot_control_tests.cases_tested(rows, place_of)))
    told += [_of_finding(row, place_of[row["finding_id"]], pilot, test) for row in rows]
    left = [] if aside is None else aside.to_dict("records")
    asked = list(_of_gates(worst_rows(gates), coverage, left, spans(binding(place_of))))
    gate_row = ("", ALL_GATES, RELEASE, "", "", f"{'; '.join(asked)} ({validator}).")
    at = next((n for n, row in enumerate(told) if row[2] == DUE), len(told))
    return pd.DataFrame([*told[:at], *([gate_row] if asked else []), *told[at:]], columns=COLUMNS)


def binding(place_of: Mapping[str, str]) -> list[str]:
    """The findings whose retests bind a release, by number: all but those left to their due day."""
    return [number for number, place in place_of.items() if place != DUE]


def spans(numbers: Sequence[str]) -> str:
    """Numbers of findings; three or more in a row by the first and the last: `F1 to F9, F12`."""
    runs: list[list[str]] = []
    for number in numbers:
        if runs and number == _next(runs[-1][-1]):
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)


def _next(number: str) -> str:
    """The number that follows; empty of one without digits at its end."""
    head = number.rstrip("0123456789")
    digits = number[len(head) :]
    return f"{head}{int(digits) + 1}" if digits else ""


def _question(numbers: Sequence[str], *, has_pilot: bool) -> list[tuple]:
    """What the owner has to say before all else, for the findings that rest on it; none where none does."""
    if not numbers:
        return []
    told, count = spans(numbers), "counts" if len(numbers) == 1 else "count"
    asked = f"{presuppositions.ASKED.format(findings=told, count=count)}."
    in_pilot, release = (asked, "") if has_pilot else ("", asked)
    return [(told, presuppositions.QUESTION, START if has_pilot else RELEASE, in_pilot, "", release)]


def _every_answer(pilot: Pilot, not_for: Sequence[str]) -> tuple:
    reading = pilot_entry_conditions.reading_condition(pilot.reading)
    confirmed = CONFIRMED.format(pilot.terms.confirms)
    held = " ".join([reading, confirmed, *ALWAYS, *not_for])
    return "", ALL_ANSWERS, START, held, pilot.all_endings, ""


def _of_finding(row: Mapping, place: str, pilot: Pilot | None, test: ControlTest) -> tuple:
    title = str(row["title"]).partition(";")[0].rstrip(".")
    in_pilot = pilot_entry_conditions.holding_condition(row, place, test) if pilot else ""
    ends = _ends(row) if pilot else ""
    return row["finding_id"], title, place, in_pilot, ends, _to_release(row, place)


def _ends(row: Mapping) -> str:
    """What of a finding ends a pilot, or why nothing does."""
    if row["source"].startswith(FROM_PROCESS):
        return NOTHING
    if is_seen_in_one(row):
        return pilot_stop_rows.ending(row)
    seen = watched_findings([row])
    kinds = {each.kind for each in seen}
    if kinds & {MISLEADING, DECLINE}:
        return "counted as misleading"
    if NEEDLESS in kinds:
        return NOT_USED
    again = any(each.seen == AGAIN for each in seen) and row["severity"] in GRAVE
    return AT_THE_END if again else COUNTED


def _to_release(row: Mapping, place: str) -> str:
    """What is done to close it, whole as on its card, by whom and by when; that a release does not wait,
    where it does not."""
    done = str(row["recommendation"]).rstrip(".")
    who = ", ".join(filter(None, (str(row.get("owner") or ""), _by(row))))
    said = f"{done} ({who})." if who else f"{done}."
    return f"Not waited for. {said}" if place == DUE else said


def _by(row: Mapping) -> str:
    return f"by {row['due']}" if row.get("due") else ""


def _of_gates(
    worst: pd.DataFrame, coverage: Coverage | None, aside: Sequence[Mapping], bound: str
) -> Iterator[str]:
    """What the gates ask for before a release; nothing where every one passed.

    bound : numbers of the findings whose retests bind it, as text
    """
    rows = worst.to_dict("records")
    few = [row for row in rows if too_few(row)]
    failed = [row for row in rows if row["outcome"] == FAIL and row not in few]
    missing = [row for row in rows if row["outcome"] == INCOMPLETE]
    short = shortfalls(coverage, worst)
    if aside or short or any(row["outcome"] != PASS for row in rows):
        yield AGAIN_GATES.format(retests=RETESTS.format(bound) if bound else "")
    yield from _joined("missed", failed)
    yield from (_more_questions(row) for row in few)
    yield from _joined("evidence missing", missing)
    yield from (f"ask the assistant itself: {row['gate']}, {row['reason']}" for row in aside)
    yield from (f"extend the evidence: {each}" for each in short)


def _joined(what: str, gates: Sequence[Mapping]) -> Iterator[str]:
    if gates:
        yield f"{what}: {', '.join(map(_named, gates))}"


def _named(row: Mapping) -> str:
    return gate_texts.name(row).replace(", ", " on ")


def _more_questions(row: Mapping) -> str:
    needed = questions_to_pass(row)
    about = f"about {needed - row['n']:,} additional questions" if needed else "additional questions"
    return f"too few questions: {_named(row)}, {about}, their number fixed beforehand"
