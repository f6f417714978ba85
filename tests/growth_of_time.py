"""How the time of a function grows with the length of its text, on the machine's processor alone."""

import gc
import math
import time
from collections.abc import Callable

from bad_texts import bad_text

GROWTH = 8.0  # of the time, at most, when a text is four times as long: 4 is linear, 16 quadratic
LINEAR = 5.0  # no need to measure again
MEASURED = 6  # times at most
TICK = 0.02  # seconds; shorter times of the processor are not to be trusted
SHORTER = 5  # times: where a text so much shorter takes two ticks, its growth is told as well


def growth(work: Callable[[str], object], run: str, length: int) -> float:
    """How many times as long the work takes on a text four times as long: 4 is linear, 16 quadratic.

    The least of up to MEASURED: memory that a crowded process has yet to find makes single ones longer.
    """
    shorter = length // SHORTER
    length, least = shorter if _seconds(work, bad_text(run, shorter)) > 2 * TICK else length, math.inf
    for _ in range(MEASURED):
        taken = [_seconds(work, bad_text(run, many)) for many in (length, 4 * length)]
        least = min(least, taken[1] / max(taken[0], TICK))
        if least < LINEAR:
            break
    return least


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Of the processor, without collections of garbage, whose cost is that of all else in this process."""
    gc.disable()
    try:
        began = time.process_time()
        work(text)
        return time.process_time() - began
    finally:
        gc.enable()
