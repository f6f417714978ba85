"""How far a loop is: in the runner's file while it lasts, and nowhere else."""

import json

import pytest

from ragassay import loops


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(loops.FILE, str(tmp_path / "loops"))
    monkeypatch.setattr(loops, "EVERY_S", 0.0)
    return tmp_path / "loops"


def told(file):
    return [(loop["what"], loop["done"], loop["total"]) for loop in loops.read(file)]


def test_the_loops_under_way_are_told_the_outermost_first(file):
    for number, part in enumerate(loops.each("answers scored", [[1, 2], [3]], 3, sizes=True)):
        assert list(loops.each("inputs read", part, len(part))) == part
        assert told(file) == [("answers scored", 2 * number, 3)]
        with loops.counted("inputs read", 9) as tell:
            tell(4)
            assert told(file) == [("answers scored", 2 * number, 3), ("inputs read", 4, 9)]
    assert told(file) == []


def test_a_loop_that_fails_is_no_longer_under_way(file):
    with pytest.raises(ZeroDivisionError), loops.counted("x", 1) as tell:
        tell(1 // 0)
    assert told(file) == []


def test_without_a_runner_and_where_nothing_can_be_written_nothing_happens(tmp_path, monkeypatch):
    monkeypatch.delenv(loops.FILE, raising=False)
    assert list(loops.each("x", "ab", 2)) == ["a", "b"]
    monkeypatch.setenv(loops.FILE, str(tmp_path / "none" / "loops"))
    assert list(loops.each("x", "ab", 2)) == ["a", "b"] and not list(tmp_path.iterdir())


@pytest.mark.parametrize("says", ["", "{", "3", '[{"what": 1}]', json.dumps([["what"]]), "[" * 100_000])
def test_a_file_that_says_something_else_tells_of_none(tmp_path, says):
    (tmp_path / "loops").write_text(says)
    assert loops.read(tmp_path / "loops") == [] == loops.read(tmp_path / "none")
