"""Which answers were there before the plan of the questions was fixed, in one sentence for every chapter."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ragassay import evidence
from ragassay.answers import journal

FILE = "answers_before_plan.json"  # written with the plan: case -> when its answer of before was asked
ANSWERS = "journal/answers.jsonl"


class BeforePlan(NamedTuple):
    """Of the planned questions, how many have an answer that was there before the plan; None if nothing on
    record tells."""

    planned: int
    known: int | None
    is_log: bool = False

    def __str__(self) -> str:
        if self.is_log:
            return f"fixed when the answers were there: all {self.planned} are those of a log"
        if self.known is None:
            return "fixed at a time that is not on record: answers may have been known"
        new = self.planned - self.known
        if not self.known:
            return f"fixed before any of the {self.planned} answers"
        first = (
            f"fixed before the new answers, {new} of {self.planned}"
            if new
            else "fixed when every answer was known"
        )
        return f"{first}; {self.known} answers of an earlier run were known"


def asked_so_far(run_dir: str | Path) -> dict[str, str]:
    """Case -> when the answer was asked that the journal holds of it now, the last one."""
    path = evidence.find(run_dir) / ANSWERS
    return journal.times(path.read_bytes()) if path.is_file() else {}


def known_before(run_dir: str | Path, cases: Iterable[str], log: str = "") -> BeforePlan:
    """The answers to these cases that were there before the plan.

    log : the engagement's log of answers, which is there before any plan; "" if an assistant is asked
    """
    path = evidence.find(run_dir) / FILE
    kept = path.read_bytes() if path.is_file() else None
    if kept is not None:
        evidence.reads(run_dir, path)
    return counted(list(cases), asked_so_far(run_dir), kept, is_log=bool(log))


def counted(cases: list[str], now: dict[str, str], kept: bytes | None, *, is_log: bool) -> BeforePlan:
    """The same, of what the journal tells now and of the bytes of `FILE`; a case that was asked again after
    the plan has a new answer."""
    then = _record(kept)
    known = None if then is None else sum(case in now and then.get(case) == now[case] for case in cases)
    return BeforePlan(len(cases), len(cases) if is_log else known, is_log)


def _record(kept: bytes | None) -> dict[str, Any] | None:
    try:
        record = json.loads(kept or b"")
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
