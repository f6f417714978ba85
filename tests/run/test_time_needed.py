"""How long the example takes: reckoned by hand from the seconds it took where the encoder's speed was known."""

from ragassay.run import time_needed
from ragassay.run.parameters import notebooks


def test_twice_the_speed_takes_half_the_time(monkeypatch):
    monkeypatch.setattr(time_needed, "SECONDS_THEN", {"a": 600, "b": 60, "c": 240, "d": 0})
    monkeypatch.setattr(time_needed, "DEMO_THEN", (time_needed.READ_THEN, 240))
    assert time_needed.in_words(2.0 * time_needed.READ_THEN) == (
        "the first time `ragassay demo` takes about 2 min, the example bank 8 min "
        "(slowest: a 5 min, c 2 min, b 30 s)"
    )


def test_every_notebook_has_its_seconds():
    assert list(time_needed.SECONDS_THEN) == list(notebooks())


def test_the_sentences_are_many_and_each_is_there_once():
    found = time_needed.sentences()
    assert len(found) == len(set(found)) > 1000 and min(map(len, found)) >= time_needed.SHORTEST
