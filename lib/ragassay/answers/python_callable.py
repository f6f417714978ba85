"""A plain Python callable, asked in this process: for trying something by hand and for tests. It is not
isolated: what it imports, patches or writes, it does here (`load_system` gives an assistant a process)."""

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ragassay.answers.system_under_test import System
from ragassay.assistant.error_texts import describe_error
from ragassay.assistant.hooks import hooks_of
from ragassay.assistant.load_assistant import identity_text
from ragassay.assistant.reply_validation import row_of, row_without_answer
from ragassay.errors import SystemUnderTestError


class InThread:
    """One thread that asks; when it hangs it is left behind, and the next question gets a new one."""

    def __init__(self, system: Callable[..., object]):
        self.system = system
        self.hooks = hooks_of(system.ask if isinstance(system, System) else system)
        self._identity = getattr(system, "identity", None)
        self.offers_identity = callable(self._identity)
        self._queues: tuple[queue.SimpleQueue, queue.SimpleQueue] | None = None

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """The row of a question, asked with what is given to its hooks; whether the thread was lost."""
        if self._queues is None:
            self._queues = queue.SimpleQueue(), queue.SimpleQueue()
            threading.Thread(target=_serve, args=(self.system, *self._queues), daemon=True).start()
        self._queues[0].put((question, dict(given or {})))
        try:
            return self._queues[1].get(timeout=timeout_s), False
        except queue.Empty:
            self.close()
            return row_without_answer(f"no answer within {timeout_s:g} s"), True

    def say_identity(self, timeout_s: float) -> str:
        """What identity() says, "" if there is none."""
        if not callable(self._identity):
            return ""
        try:
            return identity_text(self._identity())
        except Exception as problem:
            what = "the assistant does not say which version it is"
            raise SystemUnderTestError(what, found=describe_error(problem)) from problem

    def close(self) -> None:
        """Tell the thread to end after the question it is at."""
        if self._queues:
            self._queues[0].put(None)
        self._queues = None


def _serve(system: Callable[..., object], questions: queue.SimpleQueue, rows: queue.SimpleQueue) -> None:
    while (asked := questions.get()) is not None:
        question, given = asked
        try:
            rows.put(row_of(system(question, **given)))
        except BaseException as problem:  # whatever an assistant raises, SystemExit included, is its answer
            rows.put(row_without_answer(describe_error(problem)))
