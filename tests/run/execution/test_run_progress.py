"""Progress: one changing line on a terminal, one line per notebook elsewhere."""

import io
import time

import pytest

from ragassay.run.execution import run_progress as module
from ragassay.run.execution.run_progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


LOOP = {"what": "answers scored", "done": 25, "total": 100}


def go(stream, clock, **how) -> str:
    shown = Progress(stream, **how)
    shown.start("a")
    clock[0] += 70
    shown.cell(3, 4)
    shown.look([LOOP | {"since": time.time() - 30}])
    shown.look([])
    shown.end("a", "done")
    shown.end("b", "unchanged")
    shown.say("  report \x1b[2J")
    return stream.getvalue()


def test_elsewhere_what_is_finished_is_written_and_once_a_minute_how_far_a_loop_is(clock):
    assert go(io.StringIO(), clock).splitlines() == [
        "  a                    answers scored 25 of 100, about 1.5 min left",
        "  a                    done (70 s)",
        "  b                    unchanged (skipped)",
        "  report ␛[2J",
    ]
    assert "cell 3/4 begins" in go(io.StringIO(), clock, verbosity=1)
    assert go(io.StringIO(), clock, verbosity=-1) == ""


def test_on_a_terminal_a_line_changes_in_place(clock):
    text = go(Terminal(), clock)
    assert all(f"a                    {what}" in text for what in ("starting", "cell 3/4"))
    assert "25 of 100, about 1.5 min left" in text and "done (70 s)\n" in text
