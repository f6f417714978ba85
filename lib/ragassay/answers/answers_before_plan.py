"""Which answers were there before the plan of the questions was fixed."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.answers import answer_journal
from ragassay.answers.question_inputs import questions_of, sha256_of

FILE = "answers_before_plan.json"  # written with the plan: case -> when its answer of before was asked
ANSWERS = "journal/answers.jsonl"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class BeforePlan(NamedTuple):
    """How many of the planned questions had an answer when the plan was fixed, None if nothing on record
    tells; and of how many an answer was rated on a day before any of this run was asked."""

    known: int | None
    rated: int = 0

    @property
    def is_first(self) -> bool:
        """Whether, on record, no answer to the planned questions was there or rated before the plan."""
        return self.known == 0 and self.rated == 0


def asked_so_far(run_dir: str | Path, cases: pd.DataFrame) -> dict[str, str]:
    """Case -> when the answer to its question was asked that the journal holds now, the last one; a follow-up
    is known by its case alone."""
    path = provenance.find(run_dir) / ANSWERS
    content = path.read_bytes() if path.is_file() else b""
    by_case, by_question = answer_journal.times(content), answer_journal.question_times(content)
    found = {
        each.case_id: by_case.get(each.case_id)
        if each.earlier
        else by_question.get((each.case_id, sha256_of(each.text, each.given([]))))
        for each in questions_of(cases, 1)
    }
    return {case: when for case, when in found.items() if when is not None}


def known_before(run_dir: str | Path, cases: Iterable[str], log: str = "") -> BeforePlan:
    """The answers to these cases that were there before the plan.

    log : the engagement's log of answers, which is there before any plan; "" if an assistant is asked
    """
    folder = provenance.find(run_dir)
    path, now = folder / FILE, folder / ANSWERS
    kept = path.read_bytes() if path.is_file() else None
    if kept is not None:
        provenance.reads(run_dir, path)
    times = answer_journal.times(now.read_bytes()) if now.is_file() else {}
    return count_before_plan(list(cases), times, kept, is_log=bool(log))


def count_before_plan(
    cases: list[str],
    now: dict[str, str],
    kept: bytes | None,
    *,
    is_log: bool,
    labels: pd.DataFrame | None = None,
) -> BeforePlan:
    """The same, of what the journal tells now and of the bytes of `FILE`. What was known then stays known,
    also of a case that was asked again. Labels without a day tell nothing."""
    then = _record(kept)
    if is_log or then is None:
        return BeforePlan(len(cases) if is_log else None)
    return BeforePlan(sum(case in then for case in cases), _rated_earlier(cases, now, labels))


def _rated_earlier(cases: list[str], now: dict[str, str], labels: pd.DataFrame | None) -> int:
    """How many of the cases have a label of a day before the first answer of this run."""
    if labels is None or not now or not {"case_id", "labelled_at"} <= set(labels):
        return 0
    days = labels["labelled_at"].fillna("").astype(str).str[:10]
    older = days.map(lambda day: _DAY.fullmatch(day) is not None and day < min(now.values())[:10])
    return len(set(labels.loc[older.astype(bool), "case_id"]) & set(cases))


def _record(kept: bytes | None) -> dict[str, Any] | None:
    try:
        record = json.loads(kept or b"")
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
