"""Every answer, on disk the moment it arrives: `journal/<name>.jsonl`, a line an answer.

A line is known again by its key: case, repeat, question (with the history and the passages given, where there
are such), system, and what the system said of its version. It holds when the question was asked and in which
run, and the version that the reply itself named, where it named one: an answer of a version that another has
replaced since is kept, and not taken.
"""

import contextlib
import datetime
import json
import math
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from ragassay import tables
from ragassay.answers.assistant_versions import Said, replaced
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
        self._taken: dict[Key, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._known, self._said = _read(path), _said(path.parent)
        self._replaced = replaced(self._said)
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def take(self, key: Key) -> dict[str, Any] | None:
        """The row of a question asked before; None if it was not, or failed, or was answered by a version
        that another has replaced."""
        entry = self._known.get(key)
        if entry is None or entry["row"].get(VERSION) in self._replaced:
            return None
        self._taken[key] = entry
        row = {name: entry["row"].get(name) for name in OF_ROW}
        return row | {name: math.nan for name in NUMBERS if row[name] is None}

    def add(self, key: Key, row: dict[str, Any], seconds: float) -> None:
        """Write an answer down, through to the disk."""
        entry = {"key": list(key), "row": _plain(row), "seconds": seconds, "asked": _now(), "run": self.run}
        with self._one_at_a_time:
            self._said += _said_in([entry])
            self._file.write(json.dumps(entry, allow_nan=False) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def forget_replaced(self) -> set[str]:
        """The versions that another has replaced by now, whose answers are taken no more."""
        with self._one_at_a_time:
            self._replaced = replaced(self._said)
        self._taken = {
            key: entry
            for key, entry in self._taken.items()
            if entry["row"].get(VERSION) not in self._replaced
        }
        return self._replaced

    def reused(self, said: str, *, earlier: bool) -> Reused | None:
        """The answers of this version taken of earlier runs, or else of this one, which was interrupted; None
        if none were."""
        days = sorted(
            str(entry["asked"])[:10]
            for key, entry in self._taken.items()
            if key[-1] == said and (entry["run"] != self.run) == earlier
        )
        return Reused(len(days), days[0], days[-1]) if days else None


def asked_on(content: bytes) -> list[str]:
    """The days (UTC) on which the answers of a journal were asked, in order, a day an answer; of a question
    asked more than once the last. None of a journal that cannot be read."""
    last = {tuple(entry["key"][:3]): str(entry["asked"])[:10] for entry in _entries(content)}
    return sorted(last.values())


def times(content: bytes) -> dict[str, str]:
    """Case -> when the answer of its first repeat was asked, the last one; failures do not count."""
    return {case: asked for (case, _), asked in _in_order(content)}


def question_times(content: bytes) -> dict[tuple[str, str], str]:
    """The same, of a case and its question's hash: another question under the same case is another one."""
    return dict(_in_order(content))


def _in_order(content: bytes) -> list[tuple[tuple[str, str], str]]:
    told = [entry for entry in _entries(content) if not entry["row"]["error"] and entry["key"][1] == 0]
    return [((entry["key"][0], entry["key"][2]), str(entry["asked"])) for entry in told]


def _said(folder: Path) -> list[Said]:
    """What the replies of all journals of a run say of their version."""
    contents = (path.read_bytes() for path in sorted(folder.glob("*.jsonl")))
    return [
        said for content in contents if VERSION.encode() in content for said in _said_in(_entries(content))
    ]


def _said_in(entries: list[dict[str, Any]]) -> list[Said]:
    """When the questions were put and which version the replies name, of those that name one."""
    found = []
    for entry in entries:
        with contextlib.suppress(ValueError, TypeError, KeyError, OverflowError):
            put = datetime.datetime.fromisoformat(entry["asked"]).timestamp() - float(entry["seconds"])
            found += [Said(put, entry["row"][VERSION])] * isinstance(entry["row"].get(VERSION), str)
    return found


def _read(path: Path) -> dict[Key, dict[str, Any]]:
    """The entries without an error, the last of each key; lines that are none of ours are passed over."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")
    return {tuple(entry["key"]): entry for entry in _entries(content) if not entry["row"]["error"]}


def _entries(content: bytes) -> list[dict[str, Any]]:
    return [entry for line in content.split(b"\n") if (entry := _entry(line))]


def _entry(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        entry = json.loads(line)
        kinds = [type(part) for part in entry["key"]]
        if set(entry["row"]) >= NEEDED and kinds == [str, int, str, str, str]:
            return entry if {"asked", "run"} <= set(entry) else None
    return None


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in row.items()
        if name != VERSION or value is not None
    }


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
