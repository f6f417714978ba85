"""Tools: each text once, requests put together, order kept."""

import pytest
from fake_tools import FakeTools, encode, entail

from ragassay.scores.shared_instruments import Pending


class Counting:
    """An instrument that remembers what it was asked."""

    def __init__(self, compute):
        self.compute, self.calls = compute, []

    def __call__(self, asked):
        self.calls.append(list(asked))
        return self.compute(asked)


def test_a_text_is_computed_once_and_in_sorted_order():
    encoder = Counting(encode)
    tools = FakeTools(encode=encoder)
    tools.embed(["b", "a", "b"])
    tools.embed(["a"])
    assert encoder.calls == [["a", "b"]]


def test_while_collecting_a_request_waits_until_all_are_settled_together():
    encoder = Counting(encode)
    tools = FakeTools(encode=encoder)
    tools.collect(True)
    for texts in (["x"], ["y", "z"]):
        with pytest.raises(Pending):
            tools.embed(texts)
    assert encoder.calls == []
    tools.settle()
    assert encoder.calls == [["x", "y", "z"]] and len(tools.embed(["z", "x"])) == 2


def test_the_encoder_is_settled_before_the_others_are_asked():
    encoder, judge = Counting(encode), Counting(entail)
    tools = FakeTools(encode=encoder, entail=judge)
    tools.note("entail", [("a", "b")])
    tools.note("encode", ["a"])
    tools.settle()
    assert encoder.calls == [["a"]] and judge.calls == []
    tools.note("entail", [("a", "c")])
    tools.settle()
    assert judge.calls == [[("a", "b"), ("a", "c")]]
