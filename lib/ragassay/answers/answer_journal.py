"""Every answer, on disk the moment it arrives: `journal/<name>.jsonl`, a line an answer; which of them were
there before the plan of the questions was fixed.

A line is known again by its key: case, question (with the history and the passages given, where there are
such) and system. It holds when the question was asked.
"""

import contextlib
import datetime
import json
import math
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files, provenance, tables
from ragassay.assistant.reply_validation import NUMBERS, SAID, row_without_answer

BEFORE_PLAN = "answers_before_plan.json"  # written with the plan: what `asked_so_far` gives
COLUMNS = list(tables.TABLES["answers"].columns)
OF_ROW = list(row_without_answer(""))  # what an answer adds to its case, system, repeat and question
ASKED = [*COLUMNS[:4], *OF_ROW]  # of a table whose questions were asked
NEEDED = set(OF_ROW) - set(SAID)  # of a line
Key = tuple[str, str, str]  # case, hashes of question and system


class Journal:
    """Answers of before, by key, and those that are added now.

    `is_first` says that no question of the run has been answered before.

    path : its file; a torn last line is closed, so that the next one begins a line of its own
    """

    def __init__(self, path: Path):
        self._path, self._one_at_a_time = path, threading.Lock()
        self._days: list[str] = []  # on which answers were asked that are taken
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        known = (entry for entry in entries(content) if not entry["row"]["error"])
        self._known: dict[Key, dict[str, Any]] = {tuple(entry["key"]): entry for entry in known}
        others = (other for other in path.parent.glob("*.jsonl") if other != path)
        self.is_first = not self._known and not any(other.stat().st_size for other in others)
        if content and not content.endswith(b"\n"):
            with path.open("ab") as file:
                file.write(b"\n")

    def take(self, key: Key) -> dict[str, Any] | None:
        """The row of a question asked before; None if it was not, or failed."""
        entry = self._known.get(key)
        if entry is None:
            return None
        self._days.append(str(entry["asked"])[:10])
        row = {name: entry["row"].get(name) for name in OF_ROW}
        return row | {name: math.nan for name in NUMBERS if row[name] is None}

    def add(self, key: Key, row: dict[str, Any], seconds: float) -> None:
        """Write an answer down, through to the disk."""
        plain = {name: None if value != value else value for name, value in row.items()}
        asked = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
        entry = {"key": list(key), "row": plain, "seconds": seconds, "asked": asked}
        with self._one_at_a_time, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def reused(self) -> dict[str, Any] | None:
        """How many answers of before were taken, and the days (UTC) on which they were asked: n, first, last;
        None if none."""
        days = sorted(self._days)
        return {"n": len(days), "first": days[0], "last": days[-1]} if days else None


def asked_on(content: bytes) -> list[str]:
    """The days (UTC) on which the answers of a journal were asked, in order, a day an answer; of a question
    asked more than once the last. None of a journal that cannot be read."""
    last = {tuple(entry["key"][:2]): str(entry["asked"])[:10] for entry in entries(content)}
    return sorted(last.values())


def asked_so_far(run_dir: str | Path, cases: pd.DataFrame, plan: str) -> dict[str, str]:
    """Case -> when its answer was asked that the journal holds now, the last one; failures do not count. Of a
    plan (its hash) that this run fixed before, what was known then.

    Example: `answers.asked_so_far(run_dir, found.cases, plan["plan_sha256"])`
    """
    folder = provenance.find(run_dir) / "journal"
    path, fixed = folder / "answers.jsonl", folder / "plans.json"
    plans = json.loads(fixed.read_bytes()) if fixed.is_file() else {}
    if plan not in plans:
        known = entries(path.read_bytes()) if path.is_file() else []
        times = {entry["key"][0]: str(entry["asked"]) for entry in known if not entry["row"]["error"]}
        plans[plan] = {case: times[case] for case in cases["case_id"] if case in times}
        output_files.write_bytes(fixed, json.dumps(plans).encode())
    return plans[plan]


def known_before(run_dir: str | Path, cases: Iterable[str], log: str = "") -> int | None:
    """How many of these cases had an answer when the plan of the questions was fixed; None if nothing on
    record tells.

    log : the engagement's log of answers, which is there before any plan; "" if an assistant is asked
    """
    path = provenance.find(run_dir) / BEFORE_PLAN
    kept = path.read_bytes() if path.is_file() else None
    if kept is not None:
        provenance.reads(run_dir, path)
    return count_before_plan(list(cases), kept, is_log=bool(log))


def count_before_plan(cases: list[str], kept: bytes | None, *, is_log: bool) -> int | None:
    """The same, of the bytes of `BEFORE_PLAN`. What was known then stays known, also of a case that was asked
    again."""
    if is_log:
        return len(cases)
    try:
        then = json.loads(kept or b"")
    except (ValueError, RecursionError):
        then = None
    return sum(case in then for case in cases) if isinstance(then, dict) else None


def entries(content: bytes) -> list[dict[str, Any]]:
    """The entries of a journal in order; lines that are none of ours are passed over."""
    found = []
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            entry = json.loads(line)
            kinds = [type(part) for part in entry["key"]]
            if set(entry["row"]) >= NEEDED and kinds == [str, str, str] and "asked" in entry:
                found.append(entry)
    return found
