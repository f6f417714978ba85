"""Progress: one changing line on a terminal, one line per notebook elsewhere."""

import io

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


def go(stream, clock) -> str:
    shown = Progress(["a", "b"], stream)
    shown.start("a")
    clock[0] += 50
    shown.cell("a", 3, 4)
    shown.end("a", "done")
    shown.start("b")
    shown.end("b", "unchanged")
    shown.say("  report")
    return stream.getvalue()


def test_elsewhere_only_what_is_finished_is_written(clock):
    assert go(io.StringIO(), clock).splitlines() == [
        "  a                    done (50 s)",
        "  b                    unchanged (skipped)",
        "  report",
    ]


def test_on_a_terminal_the_line_changes_in_place(clock):
    text = go(Terminal(), clock)
    assert text.count("\n") == 3 and text.count("\r\x1b[2K") == 6
    assert all(f"a                    {what}" in text for what in ("starting", "cell 3/4"))


def test_a_line_is_cut_to_the_terminal_and_a_dumb_one_is_sent_no_escape(clock, monkeypatch):
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda: module.os.terminal_size((30, 50)))
    assert all(len(line) < 30 for line in go(Terminal(), clock).split("\r\x1b[2K") if "start" in line)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in go(Terminal(), clock)
