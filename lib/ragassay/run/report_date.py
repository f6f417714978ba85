"""The date of the report: it cannot precede what the report rests on."""

import datetime
import re
from collections.abc import Callable, Iterator
from typing import Any

from ragassay import evidence, own_registers
from ragassay.errors import KitError

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
    for name, read in (("labels", _of_labels), ("challenges", _of_challenges)):
        given = value_of(name)
        try:
            yield from read(given) if given and isinstance(given, str) else ()
        except (KitError, OSError, ValueError, KeyError, TypeError):
            continue  # told of the parameter that names the file
    yield from _day(value_of("data_cutoff"), "the documents, by data_cutoff,")


def _of_labels(given: str) -> Iterator[tuple[str, str]]:
    from ragassay.labels import label_rows

    for row in label_rows.read_rows(evidence.source(given), ""):
        yield from _day(row.get("labelled_at"), f"a label ({row['where']})")


def _of_challenges(given: str) -> Iterator[tuple[str, str]]:
    for day in own_registers.read_challenges(given)[DATE]:
        yield from _day(day, "an entry of the challenge log")


def _day(value: Any, what: str) -> list[tuple[str, str]]:
    found = DAY.match(value) if isinstance(value, str) else None
    return [(found[1], what)] if found else []
