"""The date of the report: it cannot precede what the report rests on."""

import datetime
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ragassay import engagement_registers, provenance
from ragassay.report import evidence_dates

DATE = "date"  # the parameter; empty is today
DAY = re.compile(r"\s*(\d{4}-\d{2}-\d{2})")  # how a date or a time begins that can be compared
FLAW = (
    "the report is dated {date}, before its evidence: {what} of {day}; give a later date, or none for today"
)


def flaw(value_of: Callable[[str], Any]) -> str:
    """What is wrong with the date of the report, in words; "" if nothing is.

    value_of : the value of a parameter by its name, as given or by default; None if there is no such
    """
    date = value_of(DATE)
    if not isinstance(date, str) or not (date == "" or DAY.fullmatch(date)):
        return ""  # told of the parameter
    date = date.strip() or datetime.date.today().isoformat()
    day, what = max(_days(value_of), default=("", ""))
    return FLAW.format(date=date, what=what, day=day) if day > date else ""


def _days(value_of: Callable[[str], Any]) -> Iterator[tuple[str, str]]:
    """The days of the evidence that say when they were: (day, of what)."""
    mapping = value_of("map")
    of_log = partial(_of_log, mapping=mapping if isinstance(mapping, dict) else {})
    for name, read in (("labels", _of_labels), ("challenges", _of_challenges), ("answers_log", of_log)):
        given = value_of(name)
        try:
            yield from read(given) if given and isinstance(given, str) else ()
        except Exception:  # readers of other formats raise what they happen to raise
            continue  # told of the parameter that names the file
    yield from _day(value_of("data_cutoff"), "the documents, by data_cutoff,")


def _of_labels(given: str) -> Iterator[tuple[str, str]]:
    from ragassay.labels import labels_file

    for row in labels_file.read_rows(provenance.source(given), ""):
        yield from _day(row.get("labelled_at"), f"a label ({row['where']})")


def _of_challenges(given: str) -> Iterator[tuple[str, str]]:
    for day in engagement_registers.read_challenges(given)[DATE]:
        yield from _day(day, "an entry of the challenge log")


def _of_log(given: str, mapping: dict[str, str]) -> Iterator[tuple[str, str]]:
    from ragassay.answers.log_import import open_log

    for record, values, _ in open_log(provenance.source(given), mapping).rows():
        yield from _day(evidence_dates.logged_day(values), f"an answer of the log ({record.where})")


def _day(value: Any, what: str) -> list[tuple[str, str]]:
    found = DAY.match(value) if isinstance(value, str) else None
    return [(found[1], what)] if found else []
