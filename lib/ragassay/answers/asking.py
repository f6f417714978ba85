"""The questions are asked one by one; each answer is on disk before the next is asked."""

import contextlib
import hashlib
import json
import math
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pandas as pd

from ragassay import evidence, tables
from ragassay.answers.reply import clean, row_of, row_without_answer
from ragassay.answers.system import identity_of
from ragassay.errors import ParameterError

COLUMNS = list(tables.TABLES["answers"].columns)
GIVE_UP = 3  # time-outs in a row after which the assistant counts as dead
STOPPED = "not asked: the assistant stopped answering"
UNASKED = "not asked: the question is empty"


def ask_all(
    cases: pd.DataFrame,
    system: Callable[[str], object],
    *,
    name: str,
    run_dir: str | Path,
    timeout_s: float = 60,
    repeats: int = 1,
    journal: str = "answers",
) -> pd.DataFrame:
    """Ask every case `repeats` times; the answers table, one row per case and repeat, in the order of the
    cases.

    An assistant that raises, returns nothing or the wrong thing, or takes longer than `timeout_s` leaves a
    row with an `error` and an empty answer; after three time-outs in a row the rest is not asked. It is asked
    from one thread, which is not the main one and is abandoned when it hangs. Each row is appended to
    `journal/<journal>.jsonl` as soon as it is known; a later call reuses the rows of the same case, repeat,
    question and system, but asks again where there was an error. Measured seconds are in the journal only, so
    that the table is the same in every run; `latency_s` is what the assistant itself reports.

    Raises
    ------
    ParameterError
        If `repeats` is below 1 or `timeout_s` is not above 0.
    """
    if repeats < 1 or not timeout_s > 0:
        raise ParameterError(
            "nothing can be asked",
            where="repeats, timeout_s",
            found=(repeats, timeout_s),
            expected="at least 1; more than 0",
        )
    path = evidence.find(run_dir) / "journal" / f"{journal}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(_Asker(system, timeout_s)) as asker:
        asked = list(_ask_rest(cases, asker, path, identity_of(system), repeats))
    rows = [
        {"case_id": case_id, "system": name, "repeat": repeat, "question": question, **row}
        for case_id, repeat, question, row in asked
    ]
    return tables.check("answers", pd.DataFrame(rows, columns=COLUMNS))


def summary(answers: pd.DataFrame) -> pd.DataFrame:
    """How many questions were answered, and why the others were not: system, outcome ("answered", or a kind
    of error), n, share."""
    outcome = answers["error"].map(
        lambda error: error.split(":")[0] if isinstance(error, str) and error else "answered"
    )
    counts = (
        pd.DataFrame({"system": answers["system"], "outcome": outcome})
        .value_counts()
        .rename("n")
        .reset_index()
    )
    counts["share"] = counts["n"] / counts.groupby("system")["n"].transform("sum")
    return counts.sort_values(["system", "n", "outcome"], ascending=[True, False, True], ignore_index=True)


def limits(answers: pd.DataFrame) -> list[str]:
    """Questions that got no answer, by reason, as sentences for the report; the commonest first."""
    errors = answers.loc[answers["error"].fillna("") != "", "error"].value_counts().sort_index(kind="stable")
    listed = errors.sort_values(ascending=False, kind="stable")
    return [f"{n} of {len(answers)} questions got no answer: {error[:200]}." for error, n in listed.items()][
        :5
    ]


def _ask_rest(
    cases: pd.DataFrame, ask: "_Asker", path: Path, identity: str, repeats: int
) -> Iterator[tuple[str, int, str, dict]]:
    """(case_id, repeat, question, row): from the journal where it is there, else asked and journalled."""
    known, timeouts = _read_journal(path), 0
    with path.open("a", encoding="utf-8") as file:
        for case_id, question in zip(cases["case_id"], cases["question"], strict=True):
            for repeat in range(repeats):
                key = [case_id, repeat, _sha256(question), identity]
                row = known.get(tuple(key))
                if row is None and timeouts < GIVE_UP:
                    row, seconds = ask(question)
                    _append(file, {"key": key, "row": row, "seconds": seconds})
                timeouts = timeouts + 1 if row is None or row["error"] == ask.late else 0
                yield case_id, repeat, question, row or row_without_answer(STOPPED)


def _read_journal(path: Path) -> dict[tuple, dict]:
    """The rows without an error; a torn last line is closed, so that the next one begins a line of its own,
    and passed over."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")
    entries = [entry for line in content.split(b"\n") if (entry := _entry(line))]
    return {tuple(entry["key"]): _from_json(entry["row"]) for entry in entries if not entry["row"]["error"]}


def _entry(line: bytes) -> dict | None:
    try:
        entry = json.loads(line)
        return entry if set(entry["row"]) >= set(COLUMNS[4:]) and len(entry["key"]) == 4 else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _append(file: TextIO, entry: dict) -> None:
    row = {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in entry["row"].items()
    }
    file.write(json.dumps(entry | {"row": row}, allow_nan=False) + "\n")
    file.flush()
    os.fsync(file.fileno())


def _from_json(row: dict) -> dict:
    return {name: math.nan if row[name] is None else row[name] for name in COLUMNS[4:]}


def _sha256(question: object) -> str:
    return hashlib.sha256(str(question).encode("utf-8", "surrogatepass")).hexdigest()


class _Asker:
    """One thread that asks; when it hangs it is left behind, and the next question gets a new one."""

    def __init__(self, system: Callable[[str], object], timeout_s: float):
        self.system, self.timeout_s, self.late = system, timeout_s, f"no answer within {timeout_s:g} s"
        self.queues: tuple[queue.SimpleQueue, queue.SimpleQueue] | None = None

    def __call__(self, question: object) -> tuple[dict, float]:
        """The row of the reply, and the seconds it took."""
        if not isinstance(question, str) or not question.strip():
            return row_without_answer(UNASKED), 0.0
        started = time.perf_counter()
        row = self._ask(question)
        return row, round(time.perf_counter() - started, 6)

    def close(self) -> None:
        """Tell the thread to end after the question it is at."""
        if self.queues:
            self.queues[0].put(None)
        self.queues = None

    def _ask(self, question: str) -> dict:
        if self.queues is None:
            self.queues = queue.SimpleQueue(), queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self.system, *self.queues), daemon=True).start()
        self.queues[0].put(question)
        try:
            return self.queues[1].get(timeout=self.timeout_s)
        except queue.Empty:
            self.close()
            return row_without_answer(self.late)


def _serve(system: Callable[[str], object], questions: queue.SimpleQueue, rows: queue.SimpleQueue) -> None:
    while (question := questions.get()) is not None:
        try:
            rows.put(row_of(system(question)))
        except BaseException as problem:  # whatever an assistant raises, SystemExit included, is its answer
            rows.put(row_without_answer(_describe_error(problem)))


def _describe_error(problem: BaseException) -> str:
    """Type and first 300 characters of the message, on one line; memory addresses, which differ between runs,
    are hidden."""
    try:
        message = str(problem)
    except Exception:
        message = "(the error cannot be printed)"
    return clean(
        re.sub(r"0x[0-9a-fA-F]+", "0x...", f"{type(problem).__name__}: {' '.join(message.split())}")
    )[:300].removesuffix(": ")
