"""How long the example takes: reckoned by hand from the seconds it took where the encoder's speed was known."""

from ragassay.run import demo_duration
from ragassay.run.parameters import notebooks


def test_twice_the_speed_takes_half_the_time(monkeypatch):
    monkeypatch.setattr(demo_duration, "SECONDS_THEN", {"a": 600, "b": 60, "c": 240, "d": 0})
    monkeypatch.setattr(demo_duration, "DEMO_THEN", (demo_duration.READ_THEN, 240))
    assert demo_duration.in_words(2.0 * demo_duration.READ_THEN) == (
        "the first time `ragassay demo` takes about 2 min, the example bank 8 min "
        "(slowest: a 5 min, c 2 min, b 30 s)"
    )


def test_every_notebook_has_its_seconds():
    assert list(demo_duration.SECONDS_THEN) == list(notebooks())


def test_the_sentences_are_many_and_each_is_there_once():
    found = demo_duration.sentences()
    assert len(found) == len(set(found)) > 1000 and min(map(len, found)) >= demo_duration.SHORTEST
