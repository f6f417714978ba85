"""The questions are asked, one by one or several at a time; each answer is on disk the moment it arrives, and
all answers of a table are of one version of the assistant."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import loop_progress, provenance, tables
from ragassay.answers.answer_journal import ASKED, RUN, Journal, Key
from ragassay.answers.question_inputs import Question, conversations, not_applicable, questions_of, sha256_of
from ragassay.answers.system_under_test import System, identity_of
from ragassay.assistant.load_assistant import describe_error, identity_text
from ragassay.assistant.process import AssistantProcess, Several
from ragassay.assistant.reply_validation import NOTHING, VERSION, hooks_of, row_of, row_without_answer
from ragassay.defaults import ANSWER_TIMEOUT_S
from ragassay.errors import ParameterError, SystemUnderTestError

GIVE_UP = 3  # time-outs and deaths in a row after which the assistant counts as dead
ROUNDS = 3  # changes of the assistant's identity in one table after which it cannot be validated
NOT_ASKED = "not asked: "
STOPPED = f"{NOT_ASKED}the assistant stopped answering"
UNASKED = f"{NOT_ASKED}the question is empty"
CUT_OFF = f"{NOT_ASKED}an earlier turn of the conversation got no answer"
REUSED = "reused"  # in a table's attrs: the answers of earlier runs in it


class Pace:
    """Questions evenly apart, whoever asks them.

    per_minute : at most so many are begun in a minute; 0: as fast as they are answered
    """

    def __init__(self, per_minute: float = 0.0):
        self._apart_s = 60.0 / per_minute if per_minute > 0 else 0.0
        self._next, self._one_at_a_time = 0.0, threading.Lock()

    def wait(self) -> None:
        """Return when the next question may be asked."""
        if not self._apart_s:
            return
        with self._one_at_a_time:
            now = time.monotonic()
            begins = max(now, self._next)
            self._next = begins + self._apart_s
        time.sleep(begins - now)


class InThisProcess:
    """A plain callable, asked where it is: not isolated, and without a time limit."""

    def __init__(self, system: Callable[..., object]):
        self.system = system
        self.hooks = hooks_of(system.ask if isinstance(system, System) else system)
        self._identity = getattr(system, "identity", None)
        self.offers_identity = callable(self._identity)

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """The row of a question, asked with what is given to its hooks; never lost."""
        try:
            return row_of(self.system(question, **given or {})), False
        except (Exception, SystemExit) as problem:
            return row_without_answer(describe_error(problem)), False

    def say_identity(self, timeout_s: float) -> str:
        """What identity() says, "" if there is none."""
        if not callable(self._identity):
            return ""
        try:
            return identity_text(self._identity())
        except Exception as problem:
            what = "the assistant does not say which version it is"
            raise SystemUnderTestError(what, found=describe_error(problem)) from problem


def ask_all(
    cases: pd.DataFrame,
    system: Several | AssistantProcess | Callable[..., object],
    *,
    name: str,
    run_dir: str | Path,
    timeout_s: float = ANSWER_TIMEOUT_S,
    repeats: int = 1,
    journal: str = "answers",
    per_minute: float = 0.0,
) -> pd.DataFrame:
    """Ask every case `repeats` times; the answers table, one row per case and repeat, in the order of the
    cases.

    An assistant that raises, exits, crashes, returns nothing or the wrong thing, or takes longer than
    `timeout_s` leaves a row with an `error` and an empty answer; after three time-outs or deaths in a row the
    rest is not asked. A plain callable is asked in this process, without a time limit; `load_system` gives an
    assistant a process of its own, `Several` some of them, which changes no row of the table.

    Each row is appended to `journal/<journal>.jsonl` as soon as it is known; a later call reuses those of the
    same case, repeat, question and system without an error, but for a version that another has replaced.
    Measured seconds stand in the journal only, so that the table is the same in every run. Turns of a
    conversation are asked in order, each with the replies before it. Where the assistant offers `identity()`
    and it changed, answers of the version of before are asked again.

    per_minute : questions begun in a minute, 0 sets no limit

    `.attrs["reused"]` counts the answers taken of earlier runs (absent if there are none); `.attrs["asked"]`
    says who was asked: identity, said (what identity() says), taken_up (of this run, interrupted), hooks.

    Raises
    ------
    ParameterError
        If `repeats` is below 1 or `timeout_s` is not above 0.
    SystemUnderTestError
        If the assistant does not say which version it is, or changes it more than three times.
    TableError
        If a case cannot be asked with its history, passages or turn.
    """
    if repeats < 1 or not timeout_s > 0:
        raise ParameterError(
            "nothing can be asked",
            where="repeats, timeout_s",
            found=(repeats, timeout_s),
            expected="at least 1; more than 0",
        )
    path = provenance.find(run_dir) / "journal" / f"{journal}.jsonl"
    questions = questions_of(cases, repeats)
    asker = system if isinstance(system, Several | AssistantProcess) else InThisProcess(system)
    with Journal(path, os.environ.get(RUN, "")) as kept:
        asking = _Asking(asker, kept, identity_of(system), timeout_s, Pace(per_minute))
        rows = asking.ask(questions)
    found = [
        {"case_id": one.case_id, "system": name, "repeat": one.repeat, "question": one.text, **row}
        for one, row in zip(questions, rows, strict=True)
    ]
    columns = [name for name in ASKED if name != VERSION or any(row[VERSION] for row in rows)]
    table = tables.check("answers", pd.DataFrame(found, columns=columns))
    earlier, own = (kept.reused(asking.said, earlier=earlier) for earlier in (True, False))
    table.attrs["asked"] = {
        "identity": asking.identity,
        "said": asking.said,
        "taken_up": own._asdict() if own else None,
        "hooks": asker.hooks,
    }
    table.attrs |= {REUSED: earlier._asdict()} if earlier else {}
    return table


class _Asking:
    """All answers of one table, of one version of the assistant."""

    def __init__(
        self,
        asker: Several | AssistantProcess | InThisProcess,
        journal: Journal,
        identity: str,
        timeout_s: float,
        pace: Pace,
    ):
        self.asker, self.journal, self.identity, self.timeout_s = asker, journal, identity, timeout_s
        self.said, self._changes, self._lost = asker.say_identity(timeout_s), 0, 0
        self._pace, self._changing = pace, threading.Lock()
        self._questions: list[Question] = []
        self._rows: dict[int, tuple[str, dict[str, Any]]] = {}  # place -> of which version, the row
        self._taken: dict[int, str | None] = {}  # place -> the version that a journalled reply names

    def ask(self, questions: list[Question]) -> list[dict[str, Any]]:
        """The rows, in order; those of a version of before are asked again until all are of one."""
        self._questions, units = questions, conversations(questions)
        with loop_progress.track_progress("questions asked", len(questions)) as self._tell:
            while missing := [unit for unit in units if not all(map(self._is_known, unit))]:
                if isinstance(self.asker, Several):
                    self.asker.each(self._ask_in_turn, missing)
                else:
                    for unit in missing:
                        self._ask_in_turn(unit)
                self._forget_replaced(units)
        return [self._rows[place][1] for place in range(len(questions))]

    def _forget_replaced(self, units: list[list[int]]) -> None:
        """Journalled answers of a version that, as replies now say, another has replaced are not known any
        more, with the conversation that they are a turn of."""
        replaced = self.journal.forget_replaced()
        for unit in units:
            if any(self._taken.get(place) in replaced for place in unit):
                for place in unit:
                    self._rows.pop(place, None)
                    self._taken.pop(place, None)

    def _ask_in_turn(self, conversation: list[int]) -> None:
        """The questions of a conversation, each after those before it have an answer."""
        for place in conversation:
            if not self._is_known(place) and all(map(self._is_known, self._questions[place].earlier)):
                self._ask(place)
                self._tell(len(self._rows))

    def _is_known(self, place: int) -> bool:
        """Whether there is a row of the version that the assistant is now."""
        return place in self._rows and self._rows[place][0] == self.said

    def _ask(self, place: int) -> None:
        question, version = self._questions[place], self.said
        before = [(self._questions[i].text, self._rows[i][1]) for i in question.earlier]
        why = self._why_not(question, [row for _, row in before])
        said = [text for asked, row in before for text in (asked, row["answer"])]
        row = row_without_answer(why) if why else self._row(place, question.given(said), version)
        if row is not None:
            self._rows[place] = version, row

    def _why_not(self, question: Question, before: list[dict[str, Any]]) -> str:
        """Why a question is not put to the assistant; "" if it is."""
        lacking = [name for name in question.hooks() if name not in self.asker.hooks]
        if lacking:
            return not_applicable(lacking)
        if not isinstance(question.text, str) or not question.text.strip():
            return UNASKED
        return CUT_OFF if any(row["error"] for row in before) else ""

    def _row(self, place: int, given: dict[str, Any], version: str) -> dict[str, Any] | None:
        """The row of the journal, or of the assistant asked now."""
        question = self._questions[place]
        hashed = sha256_of(question.text, given)
        key: Key = (question.case_id, question.repeat, hashed, self.identity, version)
        row = self.journal.take(key)
        if row is not None:
            self._lost, self._taken[place] = 0, row[VERSION]
            return row
        if self._lost >= GIVE_UP:
            return row_without_answer(STOPPED)
        self._pace.wait()
        return self._answer(key, question.text, given)

    def _answer(self, key: Key, question: str, given: dict[str, Any]) -> dict[str, Any] | None:
        """The row of a question asked now; None if the assistant is another one after it than before."""
        started = time.perf_counter()
        row, lost = self.asker.ask(question, self.timeout_s, given)
        seconds = round(time.perf_counter() - started, 6)
        self._lost = self._lost + 1 if lost else 0
        if self.asker.offers_identity and not row["error"]:
            said, row["error"] = self._said_now()
            if said != key[-1] and not row["error"]:
                self._change(said)
                return None
        row = row_without_answer(row["error"]) if row["error"] not in ("", NOTHING) else row
        self.journal.add(key, row, seconds)
        return row

    def _said_now(self) -> tuple[str, str]:
        """What the assistant says of its version after an answer, and why it does not."""
        try:
            return self.asker.say_identity(self.timeout_s), ""
        except SystemUnderTestError as problem:
            return "", f"an answer of an unknown version: {problem.found}"[:300]

    def _change(self, said: str) -> None:
        """From now on the assistant is this version; nothing changes where another thread has seen it."""
        with self._changing:
            self._changes += said != self.said
            self.said = said
        if self._changes > ROUNDS:
            raise SystemUnderTestError(
                "the assistant does not stay the same version while it is asked",
                where="identity()",
                found=f"{self._changes} changes, the last to {said}",
                expected=f"at most {ROUNDS} in one table",
                do="validate it when it is not being changed, or leave out of identity() what always differs",
            )
