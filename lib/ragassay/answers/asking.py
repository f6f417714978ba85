"""The questions are asked, one by one or several at a time; each answer is on disk the moment it arrives."""

import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import loop_progress, provenance, tables
from ragassay.answers.answer_journal import ASKED, Journal, Key
from ragassay.answers.question_inputs import Question, conversations, not_applicable, questions_of, sha256_of
from ragassay.answers.system_under_test import identity_of
from ragassay.assistant.process import AssistantPool, AssistantProcess
from ragassay.assistant.reply_validation import NOTHING, VERSION, row_without_answer
from ragassay.defaults import ANSWER_TIMEOUT_S

GIVE_UP = 3  # time-outs and deaths in a row after which the assistant counts as dead
NOT_ASKED = "not asked: "
STOPPED = f"{NOT_ASKED}the assistant stopped answering"
UNASKED = f"{NOT_ASKED}the question is empty"
CUT_OFF = f"{NOT_ASKED}an earlier turn of the conversation got no answer"
REUSED = "reused"  # in a table's attrs: the answers of before in it


def ask_all(
    cases: pd.DataFrame,
    system: AssistantPool | AssistantProcess,
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
    asked. Each row is appended to `journal/<journal>.jsonl` as soon as it is known; a later call reuses those
    of the same case, question and system without an error. Measured seconds stand in the journal only. Turns
    of a conversation are asked in order, each with the replies before it.

    per_minute : questions begun in a minute, 0 sets no limit

    `.attrs["reused"]` counts the answers of before that were taken (None if there are none),
    `.attrs["hooks"]` names what the assistant takes beside the question. TableError if a case cannot be asked
    with its inputs.
    """
    path = provenance.find(run_dir) / "journal" / f"{journal}.jsonl"
    questions = questions_of(cases)
    kept = Journal(path)
    rows = _Asking(system, kept, questions, timeout_s, per_minute).ask()
    found = [
        {"case_id": one.case_id, "system": name, "repeat": 0, "question": one.text, **row}
        for one, row in zip(questions, rows, strict=True)
    ]
    columns = [name for name in ASKED if name != VERSION or any(row[VERSION] for row in rows)]
    table = tables.check("answers", pd.DataFrame(found, columns=columns))
    table.attrs |= {REUSED: kept.reused(), "hooks": system.hooks}
    return table


class _Asking:
    """All answers of one table."""

    def __init__(
        self,
        asker: AssistantPool | AssistantProcess,
        journal: Journal,
        questions: list[Question],
        timeout_s: float,
        per_minute: float,
    ):
        self.asker, self.journal, self.questions = asker, journal, questions
        self.timeout_s, self.identity = timeout_s, identity_of(asker)
        self._apart_s = 60.0 / per_minute if per_minute > 0 else 0.0
        self._next, self._one_at_a_time = 0.0, threading.Lock()
        self._lost, self._stopped = 0, False
        self._rows: dict[int, dict[str, Any]] = {}

    def ask(self) -> list[dict[str, Any]]:
        """The rows, in the order of the questions."""
        units = conversations(self.questions)
        n = len(self.asker.processes) if isinstance(self.asker, AssistantPool) else 1
        with loop_progress.track_progress("questions asked", len(self.questions)) as self._tell:
            if n == 1:
                for unit in units:
                    self._ask_in_turn(unit)
            else:
                self._ask_together(units, n)
        return [self._rows[place] for place in range(len(self.questions))]

    def _ask_together(self, units: list[list[int]], n: int) -> None:
        """The conversations n at a time; the first error ends it."""
        threads = ThreadPoolExecutor(n, "asking")
        try:
            asked = [threads.submit(self._ask_in_turn, unit) for unit in units]
            for done in wait(asked, return_when=FIRST_EXCEPTION).done:
                done.result()
        except BaseException:
            self._stopped = True
            self.asker.close()
            raise
        finally:
            threads.shutdown(cancel_futures=True)

    def _ask_in_turn(self, conversation: list[int]) -> None:
        """The questions of a conversation, each after those before it have an answer."""
        for place in conversation:
            if not self._stopped:
                self._rows[place] = self._row(self.questions[place])
                self._tell(len(self._rows))

    def _row(self, question: Question) -> dict[str, Any]:
        """The row of the journal, or of the assistant asked now, or why it is not asked."""
        before = [(self.questions[i].text, self._rows[i]) for i in question.earlier]
        lacking = [name for name in question.hooks() if name not in self.asker.hooks]
        if lacking:
            return row_without_answer(not_applicable(lacking))
        if not isinstance(question.text, str) or not question.text.strip():
            return row_without_answer(UNASKED)
        if any(row["error"] for _, row in before):
            return row_without_answer(CUT_OFF)
        arguments = question.arguments([text for asked, row in before for text in (asked, row["answer"])])
        key: Key = (question.case_id, sha256_of(question.text, arguments), self.identity)
        known = self.journal.take(key)
        if known is not None:
            self._lost = 0
            return known
        if self._lost >= GIVE_UP:
            return row_without_answer(STOPPED)
        self._wait()
        started = time.perf_counter()
        row, lost = self.asker.ask(question.text, self.timeout_s, arguments)
        self._lost = self._lost + 1 if lost else 0
        if row["error"] and not row["error"].startswith(NOTHING):
            row = row_without_answer(row["error"])
        self.journal.add(key, row, round(time.perf_counter() - started, 6))
        return row

    def _wait(self) -> None:
        """Return when the next question may be asked: all evenly apart, whoever asks them."""
        with self._one_at_a_time:
            now = time.monotonic()
            begins = max(now, self._next)
            self._next = begins + self._apart_s
        time.sleep(begins - now)
