"""How the time of a function grows with the length of its text, on the machine's processor alone."""

import time
from collections.abc import Callable

from bad_texts import bad_text

GROWTH = 8.0  # of the time, at most, when a text is four times as long: 4 is linear, 16 quadratic
TICK = 0.02  # seconds; shorter times of the processor are not to be trusted


def growth(work: Callable[[str], object], run: str, length: int) -> float:
    """How many times as long the work takes on a text four times as long: 4 is linear, 16 quadratic."""
    taken = []
    for many in (length, 4 * length):
        text = bad_text(run, many)
        began = time.process_time()
        work(text)
        taken.append(time.process_time() - began)
    return taken[1] / max(taken[0], TICK)
