"""Which answers were there before the plan of the questions was fixed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.answers import answer_journal

FILE = "answers_before_plan.json"  # written with the plan: case -> when its answer of before was asked
ANSWERS = "journal/answers.jsonl"


class BeforePlan(NamedTuple):
    """How many of the planned questions had an answer when the plan was fixed; None if nothing on record
    tells."""

    known: int | None

    @property
    def is_first(self) -> bool:
        """Whether, on record, no answer to the planned questions was there before the plan."""
        return self.known == 0


def asked_so_far(run_dir: str | Path, cases: pd.DataFrame) -> dict[str, str]:
    """Case -> when its answer was asked that the journal holds now, the last one."""
    path = provenance.find(run_dir) / ANSWERS
    times = answer_journal.times(path.read_bytes()) if path.is_file() else {}
    return {case: times[case] for case in cases["case_id"] if case in times}


def known_before(run_dir: str | Path, cases: Iterable[str], log: str = "") -> BeforePlan:
    """The answers to these cases that were there before the plan.

    log : the engagement's log of answers, which is there before any plan; "" if an assistant is asked
    """
    path = provenance.find(run_dir) / FILE
    kept = path.read_bytes() if path.is_file() else None
    if kept is not None:
        provenance.reads(run_dir, path)
    return count_before_plan(list(cases), kept, is_log=bool(log))


def count_before_plan(cases: list[str], kept: bytes | None, *, is_log: bool) -> BeforePlan:
    """The same, of the bytes of `FILE`. What was known then stays known, also of a case that was asked
    again."""
    if is_log:
        return BeforePlan(len(cases))
    try:
        then = json.loads(kept or b"")
    except (ValueError, RecursionError):
        then = None
    return BeforePlan(sum(case in then for case in cases) if isinstance(then, dict) else None)
