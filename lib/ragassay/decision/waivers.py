"""Waivers of gates: who signed, why, and until when. A waiver accepts a gate that did not pass, and its
finding, for a time; the outcome stays."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ragassay.decision.gate_grammar import FEWEST_LETTERS
from ragassay.errors import ParameterError
from ragassay.sanitized_text import count_letters

FORM = "NAME: REASON; until YYYY-MM-DD"
COLUMNS = ["gate", "signed by", "reason", "until", "state"]
IN_FORCE, EXPIRED = "in force", "expired"
UNTIL = "until "
LONGEST = 366  # days from the report's date


@dataclass(frozen=True)
class Waiver:
    """One waiver: the gate, who signed it, why, and the last day on which it holds."""

    gate: str
    signed_by: str
    reason: str
    until: datetime.date

    def holds(self, day: datetime.date) -> bool:
        """Whether it is in force on that day."""
        return day <= self.until

    def __str__(self) -> str:
        return f"{self.signed_by}: {self.reason}; until {self.until.isoformat()}"


def parse(given: Mapping[str, str], *, date: str = "", next_review: str = "") -> list[Waiver]:
    """The waivers of the parameters, `{"judged_grounded": "A. Meyer: reason; until 2027-01-31"}`.

    date : of the report; next_review : of the engagement; what is no date, YYYY-MM-DD, limits no waiver

    Raises
    ------
    ParameterError
        If one lacks a name, a reason in words or a date, its date is none, or lies after the next review or
        more than a year after the report.
    """
    found = [_parsed(gate, text) for gate, text in given.items()]
    for each in found:
        _check_end(each, date, next_review)
    return found


def in_force(waivers: list[Waiver], date: str) -> dict[str, str]:
    """Gate -> its waiver in words, of those that hold on the engagement's date (YYYY-MM-DD)."""
    day = datetime.date.fromisoformat(date)
    return {each.gate: str(each) for each in waivers if each.holds(day)}


def table(waivers: list[Waiver], date: str) -> pd.DataFrame:
    """Every waiver with its state on the engagement's date: in force, or expired and of no effect."""
    day = datetime.date.fromisoformat(date)
    states = [IN_FORCE if each.holds(day) else EXPIRED for each in waivers]
    rows = [
        (each.gate, each.signed_by, each.reason, each.until.isoformat(), state)
        for each, state in zip(waivers, states, strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _parsed(gate: str, text: object) -> Waiver:
    signed_by, _, rest = text.partition(":") if isinstance(text, str) else ("", "", "")
    reason, _, until = (piece.strip() for piece in rest.rpartition(";"))
    try:
        in_words = count_letters(signed_by) and count_letters(reason) >= FEWEST_LETTERS
        if not (in_words and until.startswith(UNTIL)):
            raise ValueError("not of that form")
        day = datetime.date.fromisoformat(until.removeprefix(UNTIL).strip())
        return Waiver(gate, signed_by.strip(), reason, day)
    except ValueError as problem:
        raise ParameterError(
            f"the waiver of {gate!r} does not say who signed it, why, and until when",
            where="parameter waivers",
            found=text,
            expected=FORM,
            do=f'write for example {gate}: "A. Meyer: corrected in release 1.1; until 2027-01-31"',
        ) from problem


def _check_end(waiver: Waiver, date: str, next_review: str) -> None:
    day, review = _day(date), _day(next_review)
    if (day and (waiver.until - day).days > LONGEST) or (review and waiver.until > review):
        raise ParameterError(
            f"the waiver of {waiver.gate!r} ends too late",
            where="parameter waivers",
            found=str(waiver),
            expected=f"an end within a year of the report ({date}) and by the next review ({next_review})",
            do="name an earlier day, and sign it anew when the system is reviewed",
        )


def _day(text: str) -> datetime.date | None:
    """The date; None where the text is none, such as "not stated"."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None
