"""How far a loop is: in the runner's file while it lasts, and nowhere else."""

import sys

import pytest
from tqdm import tqdm

from ragassay import loop_progress


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(loop_progress.FILE, str(tmp_path / "loops"))
    monkeypatch.setattr(loop_progress, "EVERY_S", 0.0)
    return tmp_path / "loops"


def told(file):
    return [(loop["what"], loop["done"], loop["total"]) for loop in loop_progress.read(file)]


def test_the_loops_under_way_are_told_the_outermost_first(file):
    for number, part in enumerate(loop_progress.track_items("answers scored", [[1, 2], [3]], 3, sizes=True)):
        assert list(loop_progress.track_items("inputs read", part, len(part))) == part
        assert told(file) == [("answers scored", 2 * number, 3)]
        with loop_progress.track_progress("inputs read", 9) as tell:
            tell(4)
            assert told(file) == [("answers scored", 2 * number, 3), ("inputs read", 4, 9)]
    assert told(file) == []


def test_a_loop_that_fails_is_no_longer_under_way(file):
    with pytest.raises(ZeroDivisionError), loop_progress.track_progress("x", 1) as tell:
        tell(1 // 0)
    assert told(file) == []


def test_without_a_runner_and_where_nothing_can_be_written_nothing_happens(tmp_path, monkeypatch):
    monkeypatch.delenv(loop_progress.FILE, raising=False)
    assert list(loop_progress.track_items("x", "ab", 2)) == ["a", "b"]
    monkeypatch.setenv(loop_progress.FILE, str(tmp_path / "none" / "loops"))
    assert list(loop_progress.track_items("x", "ab", 2)) == ["a", "b"] and not list(tmp_path.iterdir())


@pytest.mark.parametrize("says", ["", "[{"])
def test_a_file_that_says_something_else_tells_of_none(tmp_path, says):
    (tmp_path / "loops").write_text(says)
    assert loop_progress.read(tmp_path / "loops") == [] == loop_progress.read(tmp_path / "none")


def test_in_jupyter_without_a_runner_a_bar_tells_how_far_it_is(monkeypatch, capsys):
    monkeypatch.delenv(loop_progress.FILE, raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr(loop_progress, "tqdm", lambda **how: tqdm(**how | {"delay": 0, "mininterval": 0}))
    assert list(loop_progress.track_items("answers scored", "ab", 2)) == ["a", "b"]
    assert "1/2" in capsys.readouterr().err
