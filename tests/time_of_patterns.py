"""How long a regular expression takes on the texts that are worst for it, and whether that is too long."""

import re
import signal
import time
from collections import deque
from functools import cache

from bad_texts import bad_runs, bad_text
from growth_of_time import GROWTH
from regular_expressions import Use

FIRST = 500  # characters by which the worst runs are found
AGAIN = 10_000  # characters of a second look; and four times as many
LOOKS = 3  # of which the shortest counts: the machine does other things too
HARD = re.compile(r"[a-z ]{6,120}?x")  # a hundred steps at each character: the pace of the machine, now


@cache
def pace() -> float:
    """Seconds a character that HARD takes here: 0.77 s for a megabyte on the quiet machine where the bounds
    were set, 1 and 5 s."""
    text = " " * 5_000
    return min(timed(HARD, text) for _ in range(9)) / len(text)


def timed(pattern: re.Pattern, text: str) -> float:
    began = time.process_time()
    pattern.search(text)
    return time.process_time() - began


def easy() -> float:
    """Seconds a character that need no second look."""
    return 1.3 * pace()


def slowest() -> float:
    """Seconds a character at most."""
    return 6.5 * pace()


def flaw(use: Use, length: int, again: int = AGAIN) -> str:
    """What is wrong with the pattern, on the text that takes it longest; empty if nothing is."""
    run, *_ = worst_runs(use)
    if any(seconds(use, bad_text(run, length)) <= easy() * length for _ in range(LOOKS)):
        return ""
    for _ in range(LOOKS):
        pace.cache_clear()  # a neighbour on the same core may have come or gone since
        short, long = (processor_seconds(use, bad_text(run, many)) for many in (again, 4 * again))
        if long <= min(max(GROWTH * short, easy() * 4 * again), slowest() * 4 * again):
            return ""
    return f"{use.where}: {use.pattern.pattern!r} on {run!r}: {short:.2f} s, then {long:.2f} s"


@cache
def worst_runs(use: Use) -> tuple[str, str]:
    """The two runs that take the pattern longest, the worst first."""
    timed = {run: seconds(use, bad_text(run, FIRST)) for run in bad_runs(use.pattern)}
    slowest = sorted(timed, key=timed.__getitem__, reverse=True)[:5]
    again = {run: min(seconds(use, bad_text(run, FIRST)) for _ in range(LOOKS)) for run in slowest}
    first, second, *_ = sorted(again, key=again.__getitem__, reverse=True)
    return first, second


def seconds(use: Use, text: str) -> float:
    """Time of finding all there is; cut off when it is too long for any text."""
    began = time.perf_counter()
    find_all(use, text)
    return time.perf_counter() - began


def processor_seconds(use: Use, text: str) -> float:
    """The same in time of the processor, whatever else the machine does; it ticks coarsely."""
    began = time.process_time()
    find_all(use, text)
    return time.process_time() - began


def find_all(use: Use, text: str) -> None:
    """Find all matches; give up after twice the time that any text may take."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * slowest() * len(text))
    try:
        if use.anchored:
            use.pattern.match(text), use.pattern.fullmatch(text)
        else:
            deque(use.pattern.finditer(text), maxlen=0)
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(*_) -> None:
    raise TimeoutError
