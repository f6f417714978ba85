"""One scoring at a time, few that wait, and none that takes longer than it may."""

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ragassay.serve.request_checks import Problem, Refused
from ragassay.serve.settings import Limits

T = TypeVar("T")
LATER = "send it again after the seconds of Retry-After"


class ScoringQueue:
    """A thread that scores, and the queue before it. Networks use all cores by themselves."""

    def __init__(self, limits: Limits):
        self.limits, self.waiting = limits, 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scoring")
        self._took = 1.0  # seconds of the last one

    async def run(self, work: Callable[[float], T]) -> T:
        """What `work` gives. It is handed the second of `time.monotonic` at which it must end.

        Raises
        ------
        Refused
            429 if too many wait, or its turn did not come in time; 503 if it took too long itself.
        """
        if self.waiting >= self.limits.waiting:
            raise self._busy(f"{self.waiting} requests wait")
        self.waiting += 1
        end, loop = time.monotonic() + self.limits.seconds, asyncio.get_running_loop()

        def timed() -> T:
            started = time.monotonic()
            try:
                return work(end)
            finally:
                self._took = time.monotonic() - started

        def leave(_: Future[T]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._leave)

        future = self._thread.submit(timed)
        future.add_done_callback(leave)
        result = asyncio.wrap_future(future)
        # an exception that nobody waits for any more: asyncio would print it, words included
        result.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({result}, timeout=self.limits.seconds)
        if done:
            return result.result()
        raise self._busy("its turn did not come in time") if future.cancel() else too_slow(self.limits)

    def _leave(self) -> None:
        self.waiting -= 1

    def _busy(self, found: str) -> Refused:
        seconds = str(max(1, math.ceil(self._took * self.waiting)))
        problem = Problem(
            what="too many requests wait to be scored",
            found=found,
            expected=f"at most {self.limits.waiting} at once, each within {self.limits.seconds:g} s",
            do=LATER,
        )
        return Refused(429, problem, {"Retry-After": seconds})

    def close(self) -> None:
        """Let nothing more begin."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def too_slow(limits: Limits) -> Refused:
    """A scoring that was ended, or will be at its next step."""
    problem = Problem(
        what="the scoring took longer than it may",
        expected=f"at most {limits.seconds:g} s",
        do="send fewer answers at once, or name fewer metrics",
    )
    return Refused(503, problem, {"Retry-After": "1"})
