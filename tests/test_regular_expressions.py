"""Every regular expression of the package takes time in proportion to a text's length, however bad the text."""

import re
import signal
import time
from collections import deque

import pytest

from ragassay.cases.questions import unanswerable
from regular_expressions import Use, bad_runs, bad_text, uses

SHORT, LONG = 5_000, 60_000  # characters
AGAIN = 100_000  # characters of a second look; and four times as many
EASY = 500e-9  # seconds a character that need no second look
SLOWEST = 5e-6  # seconds a character at most: 5 s for a megabyte
GROWTH = 8.0  # of the time, at most, when a text is four times as long: 4 is linear, 16 quadratic


@pytest.fixture(scope="module")
def patterns() -> list[Use]:
    """Those of the modules, and those that the questions without answers make of their tables."""
    rows = [*unanswerable.OF_A_NAME, *unanswerable.OF_A_DUTY]
    made = [rf"(?<!\w)(?:{row.evidence})" for row in rows] + [rf"\b(?:{row.heads})$" for row in rows]
    return uses() + [Use("unanswerable", re.compile(each, re.IGNORECASE), False) for each in made]


def test_the_patterns_of_every_kind_of_place_are_collected(patterns):
    where = {
        use.where.rpartition(".")[0] if ":" not in use.where else use.where.partition(":")[0]
        for use in patterns
    }
    assert len(patterns) > 450
    assert {
        "ragassay.report.outputs",  # names of a module
        "ragassay.scores.privacy_patterns",  # in a tuple
        "ragassay.scores.families.toxicity",  # made by a cached function
        "ragassay.cases.questions.lists",  # given in place
        "ragassay.documents.splitting",
    } <= where


def test_a_quadratic_pattern_is_found(monkeypatch):
    monkeypatch.setitem(globals(), "AGAIN", 10_000)
    assert flaw(Use("here", re.compile(r"\d+(?:,\d+)?%"), False), SHORT)
    assert flaw(Use("here", re.compile(r"a+a+b"), True), SHORT)
    assert not flaw(Use("here", re.compile(r"(?<!\d)\d+(?:,\d+)?%"), False), SHORT)


def test_every_pattern_is_linear(patterns):
    assert [found for use in patterns if (found := flaw(use, SHORT))] == []


@pytest.mark.slow
def test_every_pattern_is_linear_in_long_texts(patterns):
    assert [found for use in patterns if (found := flaw(use, LONG))] == []


def flaw(use: Use, length: int) -> str:
    """What is wrong with the pattern, on the text that takes it longest; empty if nothing is."""
    run = max(bad_runs(use.pattern), key=lambda run: seconds(use, bad_text(run, SHORT)))
    if seconds(use, bad_text(run, length)) <= EASY * length:
        return ""
    short, long = (processor_seconds(use, bad_text(run, again)) for again in (AGAIN, 4 * AGAIN))
    if long <= max(GROWTH * short, EASY * 4 * AGAIN) and long <= SLOWEST * 4 * AGAIN:
        return ""
    return f"{use.where}: {use.pattern.pattern!r} on {run!r}: {short:.2f} s, then {long:.2f} s"


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
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * SLOWEST * len(text))
    try:
        if use.anchored:
            use.pattern.match(text), use.pattern.fullmatch(text)
        else:
            deque(use.pattern.finditer(text), maxlen=0)
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def stop(*_) -> None:
    raise TimeoutError
