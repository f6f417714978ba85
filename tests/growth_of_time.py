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
SHORTER = 5  # times, the text that is tried first


def growth(work: Callable[[str], object], run: str, length: int) -> float:
    """How many times as long the work takes on a text four times as long: 4 is linear, 16 quadratic.

    A shorter text tells that it is linear, if it takes long enough to be trusted: what is under LINEAR there
    is under GROWTH on the longer one. Whatever else it tells is measured on the longer one.
    """
    shorter = length // SHORTER
    if _seconds(work, bad_text(run, shorter)) > 2 * TICK and (found := _growth(work, run, shorter)) < LINEAR:
        return found
    return _growth(work, run, length)


def _growth(work: Callable[[str], object], run: str, length: int) -> float:
    """The least of up to MEASURED: memory that a crowded process has yet to find makes single ones longer."""
    least = math.inf
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
