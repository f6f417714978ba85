"""When to ask an endpoint again, how long to wait before, and when to stop asking."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

PASSING = {408, 409, 425, 429}  # statuses that may pass, beside all of 500 and above
HOPELESS = {401, 402, 403, 404}  # no other request would fare better; nor after a redirection
LONGEST_PAUSE = 60.0  # seconds of our own backoff
MOST_PATIENCE = 300.0  # seconds of Retry-After that are waited


@dataclass(eq=False)
class Failure(Exception):
    """No reply arrived whole.

    Attributes
    ----------
    reason : what went wrong
    passing : whether the same request may succeed later
    hopeless : whether every other request would fail as well
    lost : whether the endpoint may have written, and may charge for, a reply that did not arrive whole
    wait_s : how long the endpoint asks to wait; None if it does not say
    """

    reason: str
    passing: bool = True
    hopeless: bool = False
    lost: bool = False
    wait_s: float | None = None

    @property
    def again(self) -> bool:
        """Whether to send the request again."""
        return self.passing and (self.wait_s or 0.0) <= MOST_PATIENCE


def of_status(status: int, said: str, headers: Mapping[str, str]) -> Failure:
    """The failure that an HTTP status from 300 up means; `said` is the endpoint's own explanation."""
    wait_s = asked_pause(headers, datetime.now(UTC))
    asks = f", asks to wait {wait_s:.0f} s" if wait_s else ""
    reason = f"HTTP {status}{asks}" + (f": {said}" if said else "")
    return Failure(
        reason,
        passing=status in PASSING or status >= 500,
        hopeless=status < 400 or status in HOPELESS,
        wait_s=wait_s,
    )


def asked_pause(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that Retry-After (seconds or a date) or retry-after-ms ask for, at least 0; None if they say nothing that can be read."""
    try:
        in_ms = headers.get("retry-after-ms")
        seconds = float(in_ms) / 1000 if in_ms else _seconds(headers.get("retry-after", ""), now)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _seconds(text: str, now: datetime) -> float:
    try:
        return float(text)
    except ValueError:
        return (parsedate_to_datetime(text) - now).total_seconds()


def pause(attempt: int, first_s: float, asked_s: float | None) -> float:
    """Seconds before attempt + 1: twice as long each time, a minute at most, and no less than the endpoint asks for."""
    return max(min(first_s * 2.0 ** min(attempt, 30), LONGEST_PAUSE), asked_s or 0.0)


class Patience:
    """Gives up on an endpoint after a failure that every request would meet, or after `limit` requests in a row that failed for good."""

    def __init__(self, limit: int):
        self._limit, self._in_a_row, self._lock = limit, 0, threading.Lock()
        self.ended = ""  # why no more is asked

    def failed(self, failure: Failure) -> None:
        """Note a request that failed for good; one that was refused for what it says is no sign of a broken endpoint."""
        with self._lock:
            self._in_a_row += failure.passing
            if failure.hopeless or self._in_a_row >= self._limit:
                self.ended = self.ended or failure.reason

    def succeeded(self) -> None:
        """Note a reply."""
        with self._lock:
            self._in_a_row = 0
