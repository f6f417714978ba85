"""Progress: one changing line on a terminal, one line per notebook elsewhere, and an estimate that can be done by hand."""

import io

import pytest

from ragassay.run.execution import run_progress as module
from ragassay.run.execution.run_progress import USUAL_SECONDS, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def go(stream, clock) -> str:
    shown = Progress(["a", "b"], {"a": 100.0, "b": 20.0}, stream)
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
    assert "a                    starting       about 2 min left" in text  # 100 + 20 seconds
    assert "a                    cell 3/4       about 70 s left" in text  # half done after 50 of 100, then 20
    assert "b                    starting       about 20 s left" in text


def test_a_notebook_slower_than_usual_is_reckoned_from_its_cells(clock):
    shown = Progress(["a"], {"a": 10.0}, Terminal())
    shown.start("a")
    clock[0] += 60
    assert shown._left("a", 0.5) == "60 s"


def test_without_experience_a_usual_time_is_taken(clock):
    shown = Progress(["01_test_generation", "unheard of"], stream=Terminal())
    shown.start("01_test_generation")
    assert USUAL_SECONDS["01_test_generation"] == 60 and shown._left("01_test_generation", 0.0) == "90 s"


def loop(what, done, total, since):
    return {"what": what, "done": done, "total": total, "since": since}


def test_a_loop_inside_a_cell_is_told_with_its_own_time_left(clock, monkeypatch):
    monkeypatch.setattr(module.time, "time", lambda: 1000.0)
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda: module.os.terminal_size((200, 50)))
    shown = Progress(["a"], {"a": 10.0}, Terminal())
    shown.look([loop("answers scored", 1, 2, 0.0)])  # no notebook has begun
    assert shown.stream.getvalue() == ""
    shown.start("a")
    shown.cell("a", 2, 4)
    shown.look([loop("answers scored", 64, 128, 900.0), loop("inputs read", 1, 1024, 999.0)])
    last = shown.stream.getvalue().rsplit("\r\x1b[2K", 1)[1]
    assert (
        last == f"  {'a':<20} cell 2/4   answers scored 64 of 128; inputs read 1 of 1,024; about 2 min left"
    )


def test_elsewhere_a_long_loop_is_told_once_a_minute(clock):
    stream = io.StringIO()
    shown = Progress(["a"], {"a": 10.0}, stream)
    shown.start("a")
    for _ in range(130):
        clock[0] += 1
        shown.look([loop("questions asked", 3, 9, 0.0)])
    assert [line.split(";")[0].split(None, 1)[1] for line in stream.getvalue().splitlines()] == [
        "questions asked 3 of 9"
    ] * 2


def test_a_line_is_cut_to_the_terminal_and_a_dumb_one_is_sent_no_escape(clock, monkeypatch):
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda: module.os.terminal_size((30, 50)))
    assert all(len(line) < 30 for line in go(Terminal(), clock).split("\r\x1b[2K") if "left" in line)
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in go(Terminal(), clock)


def test_the_file_of_the_kernel_is_looked_at_while_it_lasts(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    seen = module.threading.Event()
    shown = Progress(["a"], stream=io.StringIO())
    monkeypatch.setattr(shown, "look", lambda found: found and seen.set())
    (tmp_path / "loops").write_text('[{"what": "x", "done": 1, "total": 2, "since": 0}]')
    with shown.watching(tmp_path / "loops"):
        assert seen.wait(5)
