"""One assistant in several processes, so that it is asked several questions at a time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any

from ragassay.assistant.process import AssistantProcess


class Several:
    """The same assistant, loaded up to n times; each thread asks a process of its own.

    A thread lives as long as its process: on Linux a process dies with the thread that started it.

    Parameters
    ----------
    first : asked by the thread that made it, and alone where n is 1; the others are loaded as it is
    n : processes that are asked at a time, at least 1
    """

    def __init__(self, first: AssistantProcess, n: int):
        self.first, self.n = first, n
        self.facts, self._own, self._others = first.facts, threading.local(), list[AssistantProcess]()
        self._own.process = first
        self._threads = ThreadPoolExecutor(n, "asking") if n > 1 else None

    @property
    def hooks(self) -> tuple[str, ...]:
        """What it takes beside the question."""
        return self.first.hooks

    @property
    def offers_identity(self) -> bool:
        """Whether it says which version it is."""
        return self.first.offers_identity

    def ask(
        self, question: str, timeout_s: float, given: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], bool]:
        """As `AssistantProcess.ask`, of this thread's process."""
        return self._mine().ask(question, timeout_s, given)

    def say_identity(self, timeout_s: float) -> str:
        """As `AssistantProcess.say_identity`, of this thread's process."""
        return self._mine().say_identity(timeout_s)

    def each(self, work: Callable[[Any], None], units: Sequence[Any]) -> None:
        """Do the work of every unit, n at a time, begun in their order; the first error ends it."""
        if self._threads is None:
            for unit in units:
                work(unit)
            return
        begun: list[Future] = [self._threads.submit(work, unit) for unit in units]
        try:
            for done in wait(begun, return_when=FIRST_EXCEPTION).done:
                done.result()
        except BaseException:
            for one in begun:
                one.cancel()
            for process in self._others:
                process.close()
            wait(begun)
            raise

    def close(self) -> None:
        """End all processes and threads."""
        for process in (self.first, *self._others):
            process.close()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def _mine(self) -> AssistantProcess:
        process = getattr(self._own, "process", None)
        if process is None:
            first = self.first
            process = AssistantProcess(
                first.order, first.facts, cache=first.cache, reads=first.reads, note=first.note
            )
            process.offers_identity = first.offers_identity
            self._own.process = process
            self._others.append(process)
        return process
