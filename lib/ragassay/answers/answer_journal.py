"""Every answer, on disk the moment it arrives: `journal/<name>.jsonl`, a line an answer.

A line is known again by its key: case, repeat, question (with the history and the passages given, where there
are such), system, and what the system said of its version. It holds when the question was asked and in which
run, and the version that the reply itself named, where it named one.
"""

import contextlib
import datetime
import json
import math
import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

from ragassay import tables
from ragassay.assistant.reply_validation import NUMBERS, VERSION, row_without_answer

RUN = "RAGASSAY_RUN"  # the run's id, in the environment of its kernels
COLUMNS = list(tables.TABLES["answers"].columns)
OF_ROW = list(row_without_answer(""))  # what an answer adds to its case, system, repeat and question
ASKED = [*COLUMNS[:4], *OF_ROW]  # of a table whose questions were asked
NEEDED = set(OF_ROW) - {VERSION}  # of a line
Key = tuple[str, int, str, str, str]  # case, repeat, hashes of question and system, identity()


class Reused(NamedTuple):
    """How many answers were asked before, and on which days (UTC)."""

    n: int
    first: str
    last: str


class Journal:
    """Answers of before, by key, and those that are added now.

    Parameters
    ----------
    path : its file; a torn last line is closed, so that the next one begins a line of its own
    run : the id of the run that asks; "" outside of one
    """

    def __init__(self, path: Path, run: str):
        self.run = run
        self._one_at_a_time = threading.Lock()
        self._taken: list[dict[str, Any]] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        known = (entry for entry in _entries(content) if not entry["row"]["error"])
        self._known: dict[Key, dict[str, Any]] = {tuple(entry["key"]): entry for entry in known}
        self._file = path.open("a", encoding="utf-8")
        if content and not content.endswith(b"\n"):
            self._file.write("\n")

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, key: Key) -> dict[str, Any] | None:
        """The row of a question asked before; None if it was not, or failed."""
        entry = self._known.get(key)
        if entry is None:
            return None
        self._taken.append(entry)
        row = {name: entry["row"].get(name) for name in OF_ROW}
        return row | {name: math.nan for name in NUMBERS if row[name] is None}

    def add(self, key: Key, row: dict[str, Any], seconds: float) -> None:
        """Write an answer down, through to the disk."""
        is_nan = {name for name, value in row.items() if isinstance(value, float) and math.isnan(value)}
        kept = {name: value for name, value in row.items() if name != VERSION or value is not None}
        plain = {name: None if name in is_nan else value for name, value in kept.items()}
        asked = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
        entry = {"key": list(key), "row": plain, "seconds": seconds, "asked": asked, "run": self.run}
        with self._one_at_a_time:
            self._file.write(json.dumps(entry, allow_nan=False) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def reused(self, *, earlier: bool) -> Reused | None:
        """The answers taken of earlier runs, or else of this one, which was interrupted; None if none."""
        days = sorted(
            str(entry["asked"])[:10] for entry in self._taken if (entry["run"] != self.run) == earlier
        )
        return Reused(len(days), days[0], days[-1]) if days else None


def asked_on(content: bytes) -> list[str]:
    """The days (UTC) on which the answers of a journal were asked, in order, a day an answer; of a question
    asked more than once the last. None of a journal that cannot be read."""
    last = {tuple(entry["key"][:3]): str(entry["asked"])[:10] for entry in _entries(content)}
    return sorted(last.values())


def times(content: bytes) -> dict[str, str]:
    """Case -> when the answer of its first repeat was asked, the last one; failures do not count."""
    return {
        entry["key"][0]: str(entry["asked"])
        for entry in _entries(content)
        if not entry["row"]["error"] and entry["key"][1] == 0
    }


def _entries(content: bytes) -> list[dict[str, Any]]:
    """The entries in order; lines that are none of ours are passed over."""
    found = []
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            entry = json.loads(line)
            kinds = [type(part) for part in entry["key"]]
            if set(entry["row"]) >= NEEDED and kinds == [str, int, str, str, str] and "run" in entry:
                found.append(entry | {"asked": entry["asked"]})
    return found
