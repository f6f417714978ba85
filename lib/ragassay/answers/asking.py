"""The questions are asked, one by one or several at a time, each with what was said before it and the
passages given with it; each answer is on disk the moment it arrives: `journal/<name>.jsonl`, a line an
answer, known again by its key: case, question (with what is given with it) and system.

Which answers were there before the plan of the questions was fixed.
"""

import contextlib
import datetime
import hashlib
import json
import math
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from ragassay import loop_progress, output_files, provenance, tables
from ragassay.assistant.process import AssistantProcess
from ragassay.assistant.reply_validation import HISTORY, IN_WORDS, NUMBERS, PASSAGES, SAID, row_without_answer
from ragassay.defaults import ANSWER_TIMEOUT_S
from ragassay.errors import SystemUnderTestError, TableError
from ragassay.tables import is_missing

ROLES = ("user", "assistant")
NOT_APPLICABLE = "not applicable: "  # how the error of a question begins that cannot be asked here
ONLY_LOGS = "not asked: only logged answers are at hand"
GIVE_UP = 3  # time-outs and deaths in a row after which the assistant counts as dead
NOT_ASKED = "not asked: "
UNASKED = f"{NOT_ASKED}the question is empty"
CUT_OFF = f"{NOT_ASKED}an earlier turn of the conversation got no answer"
REUSED = "reused"  # in a table's attrs: the answers of before in it
BEFORE_PLAN = "answers_before_plan.json"  # written with the plan: what `asked_so_far` gives
COLUMNS = list(tables.TABLES["answers"].columns)
OF_ROW = list(row_without_answer(""))  # what an answer adds to its case, system, repeat and question
FLOATS = dict.fromkeys(NUMBERS, float)  # of a frame of rows: what nobody gave is NaN there
Key = tuple[str, str, str]  # case, hashes of question and system


class Question(NamedTuple):
    """One question to ask.

    history : texts said before, user and assistant in turn; `earlier` : places of the turns asked before it
    passages : id and text of each, to answer from; None where the assistant is to retrieve its own
    """

    case_id: str
    text: str
    history: tuple[str, ...] = ()
    passages: tuple[tuple[str, str], ...] | None = None
    earlier: tuple[int, ...] = ()

    def hooks(self) -> tuple[str, ...]:
        """The hooks without which it cannot be asked."""
        needed = {HISTORY: bool(self.history or self.earlier), PASSAGES: self.passages is not None}
        return tuple(name for name, need in needed.items() if need)

    def arguments(self, said: Sequence[str]) -> dict[str, Any]:
        """What it is asked with, after these texts said in earlier turns."""
        turns = [{"role": ROLES[i % 2], "content": text} for i, text in enumerate([*self.history, *said])]
        found: dict[str, Any] = {HISTORY: turns} if turns else {}
        if self.passages is not None:
            found[PASSAGES] = [{"id": name, "text": text} for name, text in self.passages]
        return found


def ask_all(
    cases: pd.DataFrame,
    systems: Sequence[AssistantProcess],
    *,
    name: str,
    run_dir: str | Path,
    timeout_s: float = ANSWER_TIMEOUT_S,
    journal: str = "answers",
    per_minute: float = 0.0,
) -> pd.DataFrame:
    """Ask every case; the answers table, one row per case, in their order.

    An assistant that raises, exits, returns nothing or the wrong thing, or takes longer than `timeout_s`
    leaves a row with an `error` and an empty answer; after three time-outs or deaths in a row the rest is not
    asked; where the first three questions of a run all fail, SystemUnderTestError says how. Each row is
    appended to `journal/<journal>.jsonl` as soon as it is known; a later call reuses those of the same case,
    question and system without an error. Turns of a conversation are asked in order, each with the replies
    before it.

    systems : the same assistant in so many processes, of which each question takes one that is free
    per_minute : questions begun in a minute, 0 sets no limit

    `.attrs["reused"]` counts the answers of before that were taken (None if there are none),
    `.attrs["hooks"]` names what the assistant takes beside the question. TableError if a case cannot be asked
    with its inputs.
    """
    questions = questions_of(cases)
    kept = Journal(provenance.find(run_dir) / "journal" / f"{journal}.jsonl")
    rows = _Asking(systems, kept, questions, timeout_s, per_minute).ask()
    found = [
        {"case_id": one.case_id, "system": name, "repeat": 0, "question": one.text, **row}
        for one, row in zip(questions, rows, strict=True)
    ]
    columns = [name for name in (*COLUMNS[:4], *OF_ROW) if name not in SAID or any(row[name] for row in rows)]
    table = tables.check("answers", pd.DataFrame(found, columns=columns).astype(FLOATS))
    table.attrs |= {REUSED: kept.reused(), "hooks": systems[0].hooks}
    return table


class _Asking:
    def __init__(
        self,
        systems: Sequence[AssistantProcess],
        journal: "Journal",
        questions: list[Question],
        timeout_s: float,
        per_minute: float,
    ):
        self.systems, self.journal, self.questions = systems, journal, questions
        self.timeout_s, self.identity = timeout_s, sha256_of(json.dumps(systems[0].facts, sort_keys=True))
        self._free = list(systems)  # as many as threads
        self._apart_s = 60.0 / per_minute if per_minute > 0 else 0.0
        self._next, self._one_at_a_time = 0.0, threading.Lock()
        self._lost, self._stopped = 0, False
        # failures in a row at the beginning of a run: no more of them count after an answer, at any time
        self._failed = 0.0 if journal.is_first else -math.inf
        self._rows: dict[int, dict[str, Any]] = {}

    def ask(self) -> list[dict[str, Any]]:
        """The rows, in the order of the questions."""
        units: dict[int, list[int]] = {}  # turn by turn where the first stands; a lone question is one unit
        for place, question in enumerate(self.questions):
            units.setdefault(question.earlier[0] if question.earlier else place, []).append(place)
        total = len(self.questions)
        with (
            loop_progress.track_progress("questions asked", total) as self._tell,
            ThreadPoolExecutor(len(self.systems), "asking") as threads,
        ):
            try:  # an error ends it
                list(threads.map(self._ask_in_turn, units.values()))
            except BaseException:
                self._stopped = True
                for system in self.systems:
                    system.close()
                raise
        return [self._rows[place] for place in range(total)]

    def _ask_in_turn(self, conversation: list[int]) -> None:
        for place in sorted(conversation, key=lambda place: len(self.questions[place].earlier)):
            if not self._stopped:
                self._rows[place] = self._row(self.questions[place])
                self._tell(len(self._rows))

    def _row(self, question: Question) -> dict[str, Any]:
        """The row of the journal, or of the assistant asked now, or why it is not asked."""
        before = [(self.questions[i].text, self._rows[i]) for i in question.earlier]
        if lacking := [name for name in question.hooks() if name not in self.systems[0].hooks]:
            return row_without_answer(not_applicable(lacking))
        if not isinstance(question.text, str) or not question.text.strip():
            return row_without_answer(UNASKED)
        if any(row["error"] for _, row in before):
            return row_without_answer(CUT_OFF)
        arguments = question.arguments([text for asked, row in before for text in (asked, row["answer"])])
        key: Key = (question.case_id, sha256_of(question.text, arguments), self.identity)
        if (known := self.journal.take(key)) is not None:
            self._lost = 0
            return known
        if self._lost >= GIVE_UP:
            return row_without_answer(f"{NOT_ASKED}the assistant stopped answering")
        with self._one_at_a_time:  # all evenly apart, whoever asks them
            now = time.monotonic()
            begins = max(now, self._next)
            self._next = begins + self._apart_s
        time.sleep(begins - now)
        started = time.perf_counter()
        system = self._free.pop()
        try:
            row, lost = system.ask(question.text, self.timeout_s, arguments)
        finally:
            self._free.append(system)
        self._lost = self._lost + 1 if lost else 0
        self.journal.add(key, row, round(time.perf_counter() - started, 6))
        self._failed = self._failed + 1 if row["error"] else -math.inf
        if self._failed == GIVE_UP:
            raise SystemUnderTestError("the assistant has answered no question", found=row["error"])
        return row


def questions_of(cases: pd.DataFrame) -> list[Question]:
    """Every case, in their order; `cases` may have the columns history, passages, passage_ids, and turn
    beside conversation_id. TableError if the texts of a history are not in pairs, passages not as many as
    their ids, or the turns of a conversation not 1, 2, ..."""
    rows = cases.to_dict("records")
    earlier: dict[int, list[int]] = {}
    turns = cases.reindex(columns=["conversation_id", "turn"]).reset_index(drop=True).dropna(subset=["turn"])
    for conversation, talk in turns.sort_values("turn").groupby("conversation_id", dropna=False):
        in_turn = talk.index.tolist()
        for n, place in enumerate(in_turn, start=1):
            earlier[place] = in_turn[: n - 1]
            if is_missing(conversation) or rows[place]["turn"] != n:
                raise _wrong(
                    rows[place],
                    "turn",
                    rows[place]["turn"],
                    f"{n} comes next, each of 1, 2, ... once in its conversation_id",
                )
    return [_question(row, earlier.get(place, [])) for place, row in enumerate(rows)]


def _question(row: dict[str, Any], earlier: Sequence[int]) -> Question:
    """The question of a case; ids of its passages are p1, p2, ... where the case names none."""
    history, texts, ids = (
        () if is_missing(row.get(name)) else tuple(row[name]) for name in (HISTORY, PASSAGES, "passage_ids")
    )
    if len(history) % 2:
        raise _wrong(row, HISTORY, f"{len(history)} texts", "question and answer in turn, so an even number")
    if ids and len(ids) != len(texts):
        raise _wrong(row, "passage_ids", f"{len(ids)} ids", f"one for each of {len(texts)} passages")
    names = ids or [f"p{i + 1}" for i in range(len(texts))]
    passages = None if is_missing(row.get(PASSAGES)) else tuple(zip(names, texts, strict=True))
    return Question(row["case_id"], row["question"], history, passages, tuple(earlier))


def not_applicable(hooks: Sequence[str], why: str = "the assistant does not take it") -> str:
    """The error of a question that needs these hooks, in words that a report may print."""
    return f"{NOT_APPLICABLE}it needs {' and '.join(IN_WORDS[name] for name in hooks)}, and {why}"


def why_not_logged(case: dict[str, Any]) -> str:
    """Why a log holds no answer to a case: it would have to be asked, perhaps with what a log cannot take."""
    hooks = _question(case, [] if is_missing(case.get("turn")) or case["turn"] == 1 else [0]).hooks()
    return not_applicable(hooks, "only logged answers are at hand") if hooks else ONLY_LOGS


def sha256_of(text: object, arguments: Mapping[str, Any] = MappingProxyType({})) -> str:
    """By which a question is known again; with nothing beside it that of its text alone."""
    whole = json.dumps(["", str(text), dict(arguments)], sort_keys=True) if arguments else str(text)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _wrong(row: dict[str, Any], column: str, found: object, expected: str) -> TableError:
    what, where = f"a case cannot be asked with its {column}", f"table cases, case {row['case_id']}"
    return TableError(what, where=where, found=found, expected=expected, do="correct it, or leave it empty")


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
        self._known: dict[Key, dict[str, Any]] = {
            tuple(entry["key"]): entry for entry in entries(content) if not entry["row"]["error"]
        }
        others = (other for other in path.parent.glob("*.jsonl") if other != path)
        self.is_first = not self._known and not any(other.stat().st_size for other in others)
        if content and not content.endswith(b"\n"):
            with path.open("ab") as file:
                file.write(b"\n")

    def take(self, key: Key) -> dict[str, Any] | None:
        """The row of a question asked before; None if it was not, or failed."""
        if (entry := self._known.get(key)) is None:
            return None
        self._days.append(str(entry["asked"])[:10])
        return {name: entry["row"].get(name) for name in OF_ROW}

    def add(self, key: Key, row: dict[str, Any], seconds: float) -> None:
        """Write an answer down, through to the disk."""
        entry = {
            "key": list(key),
            "row": row,
            "seconds": seconds,
            "asked": datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds"),
        }
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
    return sorted({tuple(entry["key"][:2]): str(entry["asked"])[:10] for entry in entries(content)}.values())


def asked_so_far(run_dir: str | Path, cases: pd.DataFrame, plan: str) -> dict[str, str]:
    """Case -> when its answer was asked that the journal holds now, the last one; failures do not count. Of a
    plan (its hash) that this run fixed before, what was known then.

    Example: `answers.asked_so_far(run_dir, found.cases, plan["plan_sha256"])`
    """
    folder = provenance.find(run_dir) / "journal"
    path, fixed = folder / "answers.jsonl", folder / "plans.json"
    plans = json.loads(fixed.read_bytes()) if fixed.is_file() else {}
    if plan not in plans:
        times = {
            entry["key"][0]: str(entry["asked"])
            for entry in entries(path.read_bytes() if path.is_file() else b"")
            if not entry["row"]["error"]
        }
        plans[plan] = {case: times[case] for case in cases["case_id"] if case in times}
        output_files.write_bytes(fixed, json.dumps(plans).encode())
    return plans[plan]


def known_before(run_dir: str | Path, cases: Iterable[str], log: str = "") -> int | None:
    """How many of these cases had an answer when the plan of the questions was fixed; None if nothing on
    record tells.

    log : the engagement's log of answers, which is there before any plan; "" if an assistant is asked

    Example: `known_before(run.dir, run.cases().case_id)`
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
    then = json.loads(kept) if kept else None
    return None if then is None else sum(case in then for case in cases)


def entries(content: bytes) -> list[dict[str, Any]]:
    """The entries of a journal in order; lines that are none of ours are passed over."""
    found = []
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            entry = json.loads(line)
            if (
                {*entry["row"], *SAID} >= set(OF_ROW)
                and [type(part) for part in entry["key"]] == [str, str, str]
                and "asked" in entry
            ):
                found.append(entry)
    return found
