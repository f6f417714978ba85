"""How fast questions are put to the assistant."""

import threading
import time


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
