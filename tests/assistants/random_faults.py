"""Replies of which a share, drawn at random, are none, each in another way; for `Loopback`."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from assistants.loopback import Handler

Act = Callable[[Handler, Any], None]
PAGE = b"<!DOCTYPE html><title>Bad gateway</title>"
HALF = b'{"answer": "The'
LARGE = b'{"answer": "' + b"x" * 17_000_000 + b'"}'
SHARE = 0.3


def late(seconds: float) -> Act:
    """No reply for so long."""
    return lambda handler, asked: time.sleep(seconds)


FAULTS: dict[str, Act] = {
    "page": lambda handler, asked: handler.reply(PAGE, kind="text/html"),
    "500": lambda handler, asked: handler.reply({"error": "out of memory"}, 500),
    "429": lambda handler, asked: handler.reply(b"", 429, Retry_After="0.05"),
    "reset": lambda handler, asked: handler.reset(),
    "reset amid the body": lambda handler, asked: handler.reset_amid_body(HALF),
    "body ends early": lambda handler, asked: handler.end_early(HALF),
    "empty": lambda handler, asked: handler.reply(b""),
    "null": lambda handler, asked: handler.reply(b"null"),
    "wrong types": lambda handler, asked: handler.reply({"answer": 7, "contexts": "x", "id": asked["id"]}),
    "large": lambda handler, asked: handler.reply(LARGE),
}


class RandomFaults:
    """What happens to a request, drawn for each: a fault, or the good reply.

    Parameters
    ----------
    good : the good reply; what it is asked holds `question` and `id`
    faults : each as likely as another
    share : of the requests that get a fault, 0 to 1; may be changed at any time

    failed, answered : faults so far; good replies to each question
    """

    def __init__(self, good: Act, faults: Mapping[str, Act], seed: int, share: float = SHARE):
        self.good, self.faults, self.share = good, list(faults.values()), share
        self.random, self.lock = Random(seed), threading.Lock()
        self.failed, self.answered = 0, Counter[str]()

    @property
    def replies(self) -> int:
        """Requests so far."""
        return self.failed + self.answered.total()

    def __call__(self, handler: Handler, asked: dict) -> None:
        self._draw(asked["question"])(handler, asked)

    def _draw(self, question: str) -> Act:
        with self.lock:
            fails = self.random.random() < self.share
            self.failed += fails
            self.answered[question] += not fails
            return self.random.choice(self.faults) if fails else self.good
